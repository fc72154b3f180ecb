"""Narrowing a long text to the passages that speak to a question."""

from __future__ import annotations

from collections.abc import Sequence

from brain.ccr.handles import handle_of
from brain.text.fold import fold
from brain.text.sentences import passages

WHOLE = 2_000
"""Characters up to which a hit's text is shown whole (CONTRACT: recall)."""

UNITS = 150
"""Length of a passage shown, in units of :func:`brain.text.sentences.passages`."""

LEAST_UNITS = 40

MARK = 200
"""Characters kept free for the mark and the handle."""


def narrowed(text: str, terms: Sequence[str], most: int = WHOLE) -> tuple[str, str | None]:
    """A text as shown for a question: whole when short, else its telling passages and a handle.

    Passages stand whole and in their order, with ``……`` wherever two are not adjacent.

    Args:
        text: the whole text.
        terms: folded terms of the question, the most telling first; none keeps the beginning.
        most: characters up to which the text is shown whole, and about which it is narrowed to.

    Returns:
        The shown text and the handle of the whole, None where nothing was left out.
    """
    if len(text) <= most:
        return text, None
    spans = passages(text, min(UNITS, max(most // 4, LEAST_UNITS)))
    worth = {term: 1.0 / (place + 1) ** 0.5 for place, term in enumerate(terms)}
    scored = []
    for place, (start, stop) in enumerate(spans):
        folded = fold(text[start:stop])
        score = sum(w for term, w in worth.items() if term.rstrip("*") in folded)
        scored.append((-score, place))
    kept: set[int] = set()
    used = 0
    for _, place in sorted(scored):
        length = spans[place][1] - spans[place][0]
        if kept and used + length > most - MARK:
            break
        kept.add(place)
        used += length
    handle = handle_of(text.encode("utf-8"))
    parts: list[str] = []
    for place in sorted(kept):
        if place and place - 1 not in kept:
            parts.append("……")
        parts.append(text[spans[place][0] : spans[place][1]])
    if len(spans) - 1 not in kept:
        parts.append("……")
    return f"{''.join(parts)}（节选，全文：<<ccr:{handle}>>）", handle
