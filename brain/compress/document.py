"""Document excerpt: shortening a text by what it holds, for a block within a budget, and whole
documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain.compress import compressor, detect, json_tree, passages, relevance
from brain.compress import units as segments
from brain.compress.compressor import compress
from brain.compress.handles import handle_of
from brain.compress.json_text import unescaped
from brain.results import CompressResult
from brain.store.originals import Original
from brain.text.secrets import mask
from brain.text.tokens import estimate

UNCHANGED = "none"
UNLIMITED = 10**12
"""Tokens that no text has."""

PIECE = "piece"
"""One unit or a part of it, where no more has room."""

_PARAGRAPHS = frozenset({"paragraph", "fence"})


@dataclass(frozen=True, slots=True)
class Shortened:
    """A document as it goes out.

    Args:
        compressor: which one cut it, ``'none'`` where nothing was cut.
        tokens_before, tokens_after: estimates.
        masked: whether a secret of the original is hidden in it.
    """

    text: str
    compressor: str
    content_type: str
    tokens_before: int
    tokens_after: int
    masked: bool = False

    @property
    def whole(self) -> bool:
        """Whether it says all that the original does."""
        return self.compressor == UNCHANGED and not self.masked

    def original(self, data: bytes, at: str) -> Original:
        """What is kept of it; ``at`` is UTC ISO."""
        return Original(
            data, self.content_type, self.compressor, self.tokens_before, self.tokens_after, at
        )

    def result(self, handle: str | None) -> CompressResult:
        """What ``compress`` gives; ``handle`` is None where the original was not kept."""
        return CompressResult(
            self.text, handle, self.tokens_before, self.tokens_after, self.compressor
        )


def document(data: bytes, terms: Sequence[str], budget: int | None = None) -> Shortened:
    """A whole document made shorter; bytes that are no text become a line that says so.

    Secrets are hidden before anything is cut, so that no half of one is left; the handle is that
    of the bytes given.

    Args:
        terms: folded gram terms of what should be kept first.
        budget: most estimated tokens, the mark with its handle among them, at least
            ``pack.LEAST_BUDGET``; None keeps what the compressor's rules keep, 0 is unlimited.
    """
    text = compressor.decode(data)
    shown = text if text is None else _without_secrets(text)
    masked = shown is not text
    handle = handle_of(data)
    given = data if shown is None or not masked else shown.encode()
    made = compress(given, terms, UNLIMITED if budget == 0 else budget, handle)
    said, name = made.text, made.compressor
    if shown is not None and budget and not made.answers:
        said, name = telling(shown, terms, budget, handle), PIECE
    before = made.tokens_before if text is None else estimate(text)
    return Shortened(said, name, made.content_type, before, estimate(said), masked)


_BARE_NUMBER = re.compile(r"[\[:,]\s{0,8}\Z")


def _without_secrets(text: str) -> str:
    """A text without its secrets, on as many lines and still JSON where it was: the marks of what
    is left out count lines and name places of the original."""
    kind = detect.content_type(text)
    json = kind in {detect.JSON, detect.NDJSON}
    seen = unescaped(text) if json and "\\u" in text else text
    found = mask.find(seen)
    if not found:
        return text
    parts: list[str] = []
    at = 0
    for secret in found:
        mark = mask.mark(secret)
        if json and _BARE_NUMBER.search(seen[max(0, secret.start - 9) : secret.start]):
            mark = f'"{mark}"'
        lines = seen.count("\n", secret.start, secret.stop)
        parts += [seen[at : secret.start], mark, "\n" * lines]
        at = secret.stop
    return "".join([*parts, seen[at:]])


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
    return passages.within(text, terms, room, handle)


def telling(text: str, terms: Sequence[str], room: int, handle: str | None = None) -> str:
    """The one unit that speaks to a question, or the part of it there is room for, with the bare
    handle: a record, a row, an entry, a block of code; of prose a sentence.

    Args:
        terms, room, handle: as for :func:`excerpt`.
    """
    data = text.encode("utf-8")
    handle = handle or handle_of(data)
    units = segments.units(data)
    if not units or units[0].kind in _PARAGRAPHS:
        return passages.sentence(text, terms, room, handle)
    weights = relevance.term_weights([unit.text for unit in units], terms)
    best = max(range(len(units)), key=lambda place: (weights[place], -place))
    said = units[best].text.strip()
    if units[best].kind in {"record", "member"}:
        said = _one_line(said)
    return passages.piece(said, (0, len(said)), terms, room, "……" + handle)


def _one_line(record: str) -> str:
    """A record of JSON without the blanks between its parts."""
    try:
        return json_tree.write(json_tree.parse(record))
    except ValueError:  # a member, with its name before it
        return " ".join(record.split())
