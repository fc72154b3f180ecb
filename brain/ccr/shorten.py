"""Shortening a text by what it holds: for a block within a budget, and whole documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.ccr import narrow
from brain.ccr.compress import compress
from brain.ccr.handles import handle_of
from brain.store.recovery import Original

UNCHANGED = "none"


@dataclass(frozen=True, slots=True)
class Shortened:
    """A document as it goes out.

    Args:
        compressor: which one cut it, ``'none'`` where nothing was cut.
        tokens_before, tokens_after: estimates.
    """

    text: str
    compressor: str
    content_type: str
    tokens_before: int
    tokens_after: int

    @property
    def cut(self) -> bool:
        return self.compressor != UNCHANGED

    def original(self, data: bytes, at: str) -> Original:
        """What is kept of it; ``at`` is UTC ISO."""
        return Original(
            data, self.content_type, self.compressor, self.tokens_before, self.tokens_after, at
        )


def document(data: bytes, terms: Sequence[str]) -> Shortened:
    """A whole document made shorter; bytes that are no text become a line that says so.

    Args:
        terms: folded gram terms of what should be kept first.
    """
    made = compress(data, terms, None, handle_of(data))
    return Shortened(
        made.text, made.compressor, made.content_type, made.tokens_before, made.tokens_after
    )


def excerpt(text: str, terms: Sequence[str], room: int, handle: str | None = None) -> str | None:
    """What of a memory's text speaks to a question, visibly cut, with the handle of the whole.

    Args:
        terms: folded gram terms of the question, the most telling first.
        room: estimated tokens.
        handle: of what was stored, where the text is not that (a secret is masked).

    Returns:
        None where the room is too small for a mark in words and what is asked beside it.
    """
    data = text.encode("utf-8")
    handle = handle or handle_of(data)
    made = compress(data, terms, room, handle)
    if made.compressor != UNCHANGED and made.tokens_after <= room:
        # A sentence with the bare handle tells more than a mark in words beside nothing.
        return made.text if made.answers else None
    return narrow.within(text, terms, room, handle)
