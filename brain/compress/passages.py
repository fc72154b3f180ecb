"""Passage selection (snippets): narrowing a long text to what speaks to a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from brain.compress import headings
from brain.compress.handles import handle_of
from brain.compress.relevance import ECHO, is_echo
from brain.text import graphemes
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

LONGEST_CLUSTER = 64

TRIED = 8
"""Clauses that a part of a sentence is tried to begin with."""

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
    span = _told_together(text, spans, terms, room - estimate("……" + mark) - 1)
    return piece(text, span, terms, room, mark)


def piece(text: str, span: Span, terms: Sequence[str], room: int, mark: str) -> str:
    """A span of a text with a mark behind it; of one beyond the room the part that tells.

    Args:
        mark: what stands behind it.
    """

    def shown(start: int, stop: int) -> str:
        return ("……" if start else "") + text[start:stop].rstrip() + mark

    return shown(*window(text, span, terms, lambda a, b: estimate(shown(a, b)) <= room))


def window(text: str, span: Span, terms: Sequence[str], fits: Callable[[int, int], bool]) -> Span:
    """The part of a span that fits and tells most, between grapheme clusters.

    It begins at the clause from which on it holds most of the question's words, not at the span's
    beginning, and goes back from there where it reaches the end with room to spare.

    Args:
        fits: whether there is room for the text between two places.

    Returns:
        Its start and stop; at least one cluster, whatever fits.
    """
    start, stop = span
    if start >= stop or fits(start, stop):
        return span
    parts = [(start + a, start + b) for a, b in passages(text[start:stop], PART_UNITS)]
    worth = _worth(text, parts, terms)
    begin, end, told = start, start, -1.0
    for place in sorted(_ranked(text, parts, terms)[: TRIED if terms else 1]):
        first = parts[place][0]
        last = _last(partial(fits, first), first + 1, stop)
        seen = fold(text[first:last])
        held = sum(value for term, value in worth.items() if term in seen)
        # Of as many words the shortest way: what answers stands behind them more often than before.
        if held > told or held == told > 0:
            begin, end, told = first, last, held
    if end == stop:
        back = _last(lambda length: fits(stop - length, stop), stop - begin, stop - start)
        return graphemes.ceiling(text, stop - back), stop
    whole = max(graphemes.floor(text, end), graphemes.ceiling(text, begin + 1))
    # A cluster of hundreds of marks is no sign that anybody reads.
    return begin, whole if whole <= end + LONGEST_CLUSTER else end


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The last number in a range for which something holds that holds up to it; ``low`` at least.

    It gallops, as holding is counted in tokens and the range may be a book.
    """
    step = 64
    while low + step < high and holds(low + step):
        low += step
        step *= 2
    high = min(high, low + step)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _told_together(
    text: str, spans: Sequence[Span], terms: Sequence[str], room: int
) -> tuple[int, int]:
    """The most telling sentence; for a heading the best one under it, with the heading where that
    fits and where it stands right before; for the question itself what follows it."""
    if not spans:
        return 0, len(text)
    order = _ranked(text, spans, terms)
    best = order[0]
    heads = headings.heading_places([text[a:b] for a, b in spans])
    if best not in heads:
        if best + 1 < len(spans) and is_echo(fold(text[slice(*spans[best])]), terms):
            together = (spans[best][0], spans[best + 1][1])
            return together if estimate(text[slice(*together)]) <= room else spans[best + 1]
        return spans[best]
    end = next((p for p in range(best + 1, len(spans)) if p in heads), len(spans))
    if end == best + 1:
        return spans[best]
    body = next(p for p in order if best < p < end)
    start, stop = spans[body]
    if body == best + 1 and estimate(text[spans[best][0] : stop]) <= room:
        start = spans[best][0]
    return start, stop


def _worth(text: str, spans: Sequence[Span], terms: Sequence[str]) -> dict[str, float]:
    """What each term that occurs counts, by its place and by how few of the passages hold it."""
    folded = [fold(text[start:stop]) for start, stop in spans]
    found: dict[str, float] = {}
    for rank, given in enumerate(terms):
        term = given.rstrip("*")
        holding = sum(term in part for part in folded)
        if holding:
            found.setdefault(term, idf(holding, len(spans)) / (rank + 1) ** 0.5)
    return found


def _ranked(text: str, spans: Sequence[Span], terms: Sequence[str]) -> list[int]:
    """Places of the passages, the most telling first.

    A term counts by its place among the terms and, as in :mod:`brain.compress.relevance`, by how
    few of the passages hold it.
    """
    folded = [fold(text[start:stop]) for start, stop in spans]
    worth = _worth(text, spans, terms)
    scores = [sum(value for term, value in worth.items() if term in part) for part in folded]
    for place, part in enumerate(folded):
        if scores[place] and is_echo(part, terms):
            scores[place] *= ECHO
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
