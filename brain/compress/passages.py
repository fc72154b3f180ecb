"""Passage selection (snippets): narrowing a long text to what speaks to a question."""

from __future__ import annotations

from collections.abc import Sequence

from brain.compress import headings
from brain.compress.handles import handle_of
from brain.text.bm25 import idf
from brain.text.fold import fold
from brain.text.sentences import Span, passages, sentences
from brain.text.tokens import estimate

WHOLE = 2_000
"""Characters up to which a hit's text is shown whole (CONTRACT: recall)."""

UNITS = 150
"""Length of a passage shown, in units of :func:`brain.text.sentences.passages`."""

LEAST_UNITS = 40

SMALLEST_UNITS = 20
"""Length of a passage where only a hundred tokens or so are left for it."""

PART_UNITS = 12
"""Length of a clause where a single sentence is too long."""

MARK = 200
"""Characters kept free for the mark and the handle."""


def narrow(
    text: str, terms: Sequence[str], most: int = WHOLE, handle: str | None = None
) -> tuple[str, str | None]:
    """A text as shown for a question: whole when short, else its telling passages and a handle.

    Passages stand whole and in their order, with ``……`` wherever two are not adjacent.

    Args:
        text: the whole text.
        terms: folded terms of the question, the most telling first; none keeps the beginning.
        most: characters up to which the text is shown whole, and about which it is narrowed to.
        handle: of what was stored, where the text is not that (a secret is masked).

    Returns:
        The shown text and the handle of the whole, None where nothing was left out.
    """
    if len(text) <= most:
        return text, None
    handle = handle or handle_of(text.encode("utf-8"))
    spans = passages(text, min(UNITS, max(most // 4, LEAST_UNITS)))
    kept: set[int] = set()
    used = 0
    for place in _ranked(text, spans, terms):
        length = spans[place][1] - spans[place][0]
        if kept and used + length > most - MARK:
            break
        kept.add(place)
        used += length
    return _joined(text, spans, kept) + _mark(handle), handle


def within(text: str, terms: Sequence[str], room: int, handle: str | None = None) -> str | None:
    """The telling passages of a text and a mark with its handle, within so many tokens.

    Args:
        handle: as for :func:`narrow`.

    Returns:
        None where the room is too small for a passage.
    """
    mark = _mark(handle or handle_of(text.encode("utf-8")))
    left = room - estimate(mark) - 1
    spans = passages(text, min(UNITS, max(left // 2, SMALLEST_UNITS)))
    kept: set[int] = set()
    for place in _ranked(text, spans, terms):
        # One more for the …… that may stand before or behind it.
        cost = estimate(text[slice(*spans[place])]) + 2
        if cost > left:
            break
        kept.add(place)
        left -= cost
    return _joined(text, spans, kept) + mark if kept else None


def sentence(text: str, terms: Sequence[str], room: int, handle: str | None = None) -> str:
    """As much of the most telling sentence as a room takes that is too small for a mark in words.

    A heading is told with what stands under it, and left off where both are too much. The bare
    handle stands behind it. At least a character is shown, whatever the room.

    Args:
        handle: as for :func:`narrow`.
    """
    mark = "……" + (handle or handle_of(text.encode("utf-8")))
    spans = sentences(text)
    start, stop = _told_together(text, spans, terms, room - estimate("……" + mark) - 1)
    if estimate(text[start:stop] + mark) + 1 > room:
        # The part of it that tells, not its beginning.
        parts = [(start + a, start + b) for a, b in passages(text[start:stop], PART_UNITS)]
        start = parts[_ranked(text, parts, terms)[0]][0]
    before = "……" if start else ""
    low, high = 1, max(1, min(stop - start, 4 * room))
    while low < high:
        middle = (low + high + 1) // 2
        piece = before + text[start : start + middle].rstrip() + mark
        low, high = (middle, high) if estimate(piece) <= room else (low, middle - 1)
    return before + text[start : start + low].rstrip() + mark


def _told_together(
    text: str, spans: Sequence[Span], terms: Sequence[str], room: int
) -> tuple[int, int]:
    """The most telling sentence; for a heading the best one under it, with the heading where that
    fits and where it stands right before."""
    if not spans:
        return 0, len(text)
    order = _ranked(text, spans, terms)
    best = order[0]
    heads = headings.heading_places([text[a:b] for a, b in spans])
    if best not in heads:
        return spans[best]
    end = next((p for p in range(best + 1, len(spans)) if p in heads), len(spans))
    if end == best + 1:
        return spans[best]
    body = next(p for p in order if best < p < end)
    start, stop = spans[body]
    if body == best + 1 and estimate(text[spans[best][0] : stop]) <= room:
        start = spans[best][0]
    return start, stop


def _ranked(text: str, spans: Sequence[Span], terms: Sequence[str]) -> list[int]:
    """Places of the passages, the most telling first.

    A term counts by its place among the terms and, as in :mod:`brain.compress.relevance`, by how
    few of the passages hold it.
    """
    folded = [fold(text[start:stop]) for start, stop in spans]
    scores = [0.0] * len(spans)
    for rank, term in enumerate(terms):
        holding = [place for place, part in enumerate(folded) if term.rstrip("*") in part]
        worth = idf(len(holding), len(spans)) / (rank + 1) ** 0.5
        for place in holding:
            scores[place] += worth
    return sorted(range(len(spans)), key=lambda place: (-scores[place], place))


def _joined(text: str, spans: Sequence[Span], kept: set[int]) -> str:
    parts: list[str] = []
    for place in sorted(kept):
        if place and place - 1 not in kept:
            parts.append("……")
        parts.append(text[spans[place][0] : spans[place][1]])
    if len(spans) - 1 not in kept:
        parts.append("……")
    return "".join(parts)


def _mark(handle: str) -> str:
    return f"（节选，全文：<<ccr:{handle}>>）"
