"""Chinese and mixed prose, Markdown too: whole sentences stay, in their order.

What the query asks for comes first, then what differs from its look-alikes, the first sentence
and the neighbours of the best; headings stay with what stands under them. A sentence too long for
the budget counts clause by clause, a fenced block as one unit while it is small.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from brain.ccr.compress import asking, line_ends, marks, secrets, telling
from brain.ccr.compress.outcome import Cut, LeftOut
from brain.ccr.compress.selecting import fit
from brain.text.sentences import passages, sentences
from brain.text.tokens import estimate

ASKED = 0.2
"""A sentence that adds at least this share of the best one's weight is what the query asks for."""

STRONG = 2
"""Strength of :class:`brain.ccr.compress.telling.Told` from which a sentence stays."""

STRONG_SHARE = 3
"""What stays for its strength takes at most this part of the budget, and the mark names the rest;
1 / 3."""

FIRST = 3
MOST_ASKED = 6
"""Sentences that answer together; the first ones go before anything else."""

LONGEST = 90
"""Units of :func:`brain.text.sentences.units` of a sentence that is not cut into clauses."""

MARK = 60
"""About what the summary with its handle takes of the budget."""

_HEADING = re.compile(
    r"#{1,6}\s+\S|[一二三四五六七八九十]{1,3}、\S{1,20}$|第[一二三四五六七八九十\d]{1,3}[章节部]\s*\S{0,24}$"
)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class _Units:
    """The units of a text.

    Args:
        headings: for each unit the place of the heading above it.
        heads, marks: places of the headings, and of marks of an earlier cut.
        measure: what they are counted by.
    """

    spans: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    headings: tuple[int | None, ...]
    heads: frozenset[int]
    marks: tuple[int, ...]
    measure: str


def cut(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts prose to what matters; see the module."""
    units = _units(text, budget)
    asked = asking.ask(units.texts, terms)
    told = telling.told(units.texts)
    costs = [estimate(unit) + 1 for unit in units.texts]
    if budget is None:
        order = _without_budget(units, asked, told)
    else:
        order = _order(units, asked, told, costs, budget)

    def needs(place: int) -> tuple[int, ...]:
        heading = units.headings[place]
        return () if heading is None else (heading,)

    def render(kept: Collection[int], room: int) -> Cut:
        return _render(text, units, told, frozenset(kept), room, handle)

    return fit(order, costs.__getitem__, render, budget, needs)


def _units(text: str, budget: int | None) -> _Units:
    most = LONGEST if budget is None else max(20, min(LONGEST, budget - MARK))
    spans: list[tuple[int, int]] = []
    clauses = False
    pieces = [(a + c, a + d) for a, b in _blocks(text) for c, d in marks.around(text[a:b])]
    for start, end in pieces:
        small = _FENCE.match(text, start) and estimate(text[start:end]) <= most * 2
        if small or marks.holds_mark(text[start:end]):
            spans.append((start, end))
            continue
        for a, b in sentences(text[start:end]):
            piece = text[start + a : start + b]
            if estimate(piece) <= most:
                spans.append((start + a, start + b))
            else:
                spans += [(start + a + c, start + a + d) for c, d in passages(piece, most)]
                clauses = True
    texts = [text[a:b] for a, b in spans]
    headings: list[int | None] = []
    heads: set[int] = set()
    above: int | None = None
    for place, unit in enumerate(texts):
        if _HEADING.match(unit.strip()) and unit.endswith("\n"):
            headings.append(None)
            heads.add(place)
            above = place
        else:
            headings.append(above)
    old = tuple(p for p, unit in enumerate(texts) if marks.holds_mark(unit))
    measure = "小句" if clauses else "句"
    return _Units(tuple(spans), tuple(texts), tuple(headings), frozenset(heads), old, measure)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Fenced blocks, and what stands between them."""
    blocks: list[tuple[int, int]] = []
    start = at = 0
    inside = False
    for line in line_ends.with_ends(text):
        end = at + len(line)
        if _FENCE.match(line):
            if not inside and at > start:
                blocks.append((start, at))
                start = at
            elif inside:
                blocks.append((start, end))
                start = end
            inside = not inside
        at = end
    if start < len(text):
        blocks.append((start, len(text)))
    return blocks


def _ranked(weights: Sequence[float]) -> list[int]:
    return sorted(range(len(weights)), key=lambda place: (-weights[place], place))


def _order(
    units: _Units,
    asked: asking.Asked,
    told: Sequence[telling.Told],
    costs: Sequence[int],
    budget: int,
) -> list[int]:
    """Every unit, the most important first."""
    count = len(units.texts)
    hits = asked.chosen(MOST_ASKED, ASKED)
    strong = _within(_strong(told), costs, budget // STRONG_SHARE)
    near = [p for hit in hits[:2] for p in (hit + 1, hit - 1) if 0 <= p < count]
    near += [hit + 1 for hit in hits if hit in units.heads and hit + 1 < count]
    bodies = [p for p in _ranked(asked.weights) if p not in units.heads]
    return list(
        dict.fromkeys([*units.marks, *hits[:FIRST], *strong, *near, *hits[FIRST:], 0, *bodies])
    )


def _without_budget(units: _Units, asked: asking.Asked, told: Sequence[telling.Told]) -> list[int]:
    """The units that stay: asked for and beside that, telling, first; one of each look-alike."""
    count = len(units.texts)
    hits = asked.chosen(MOST_ASKED, ASKED)
    near = [p for hit in hits for p in (hit - 1, hit + 1) if 0 <= p < count]
    telling_ones = [p for p in range(count) if told[p].strength]
    return list(dict.fromkeys([*units.marks, *hits, 0, *near, *telling_ones]))


def _strong(told: Sequence[telling.Told]) -> list[int]:
    strong = [p for p, one in enumerate(told) if one.strength >= STRONG]
    return sorted(strong, key=lambda p: (-told[p].strength, p))


def _within(places: Sequence[int], costs: Sequence[int], room: int) -> list[int]:
    kept = []
    for place in places:
        if costs[place] <= room:
            room -= costs[place]
            kept.append(place)
    return kept


def _render(
    text: str,
    units: _Units,
    told: Sequence[telling.Told],
    kept: frozenset[int],
    room: int,
    handle: str,
) -> Cut:
    missing = [p for p in range(len(units.texts)) if p not in kept]
    if not missing:
        return Cut(text, ())
    parts: list[str] = []
    for place, (start, end) in enumerate(units.spans):
        if place in kept:
            if place - 1 not in kept and text[start - 1 : start] == "\n":
                parts.append("\n")  # what began a line begins one
            parts.append(text[start:end])
        elif place - 1 in kept or place == 0:
            parts.append(marks.GAP)
    facts = marks.within(_facts(units, told, missing), room)
    body = "".join(parts).rstrip()
    end_mark = marks.summary(len(missing), units.measure, facts, handle)
    return Cut(body + end_mark, (LeftOut(units.measure, len(missing), "", tuple(missing), facts),))


def _facts(units: _Units, told: Sequence[telling.Told], missing: Sequence[int]) -> list[str]:
    """The telling words of what is missing, the strongest first, then how many hold what."""
    facts = []
    named = [
        word
        for p in sorted(missing, key=lambda p: (-told[p].strength, p))
        if told[p].strength and not secrets.speaks_of(units.texts[p])
        for word in told[p].words
        if marks.quotable(word)
    ]
    if named:
        facts.append("含 " + "、".join(dict.fromkeys(named[:4])))
    counts = {kind: sum(kind in told[p].kinds for p in missing) for kind in telling.KINDS}
    told_counts = "、".join(f"{kind} {n} 句" for kind, n in counts.items() if n)
    if told_counts:
        facts.append(f"有{told_counts}")
    return facts
