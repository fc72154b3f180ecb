"""What compressing gives: the text, and an exact account of what is not in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Units of one kind that are missing from a compressed text.

    Args:
        unit: the measure word that the marker counts them by: 句, 条, 行, 字 …
        count: how many.
        where: JSON pointer of the array, object or string they are missing from; '' for the text.
        places: their 0-based places among the units of ``where``; empty for characters.
        facts: what the marker states of them, each recomputed from exactly these units.
    """

    unit: str
    count: int
    where: str = ""
    places: tuple[int, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A text with parts taken out, marked, and the account of them.

    Args:
        answers: something that is asked for stayed, where the text has any.
    """

    text: str
    left_out: tuple[LeftOut, ...]
    answers: bool = True


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed text.

    Args:
        compressor: which one did it; ``'none'`` where the text is unchanged.
        content_type: of the original, one of :mod:`brain.ccr.compress.detect`.
        tokens_before, tokens_after: by :func:`brain.text.tokens.estimate`.
        answers: as of :class:`Cut`.
    """

    text: str
    compressor: str
    content_type: str
    left_out: tuple[LeftOut, ...]
    tokens_before: int
    tokens_after: int
    answers: bool = True
