"""Prose compressor, Chinese and mixed, Markdown too: whole sentences stay, in their order.

What the query asks for comes first, then what differs from its look-alikes, the first sentence
and the neighbours of the best; headings stay with what stands under them, and one that is asked for
brings that along. Of units that differ in their numbers alone one is enough. A sentence too long
for the budget counts clause by clause, a fenced block as one unit while it is small.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from brain.compress import detect, headings, markers, relevance, salience
from brain.compress.budget import Cut, LeftOut, fit
from brain.text.fold import fold
from brain.text.sentences import passages, sentences
from brain.text.tokens import estimate

ASKED = 0.2
"""A sentence that adds at least this share of the best one's weight is what the query asks for."""

STRONG = 2
"""Strength of :class:`brain.compress.salience.Salience` from which a sentence stays."""

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

HANDLE = 35
"""About what a bare handle and two gaps take."""

_CLAUSE_END = re.compile(r"[，,；;。！？!?：:…\n]+")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class _Units:
    """The units of a text.

    Args:
        headings: for each unit the place of the heading above it.
        heads, marks: places of the headings, and of marks of an earlier cut.
        sentences: for each unit the place of the first unit of its sentence.
        measure: what they are counted by.
    """

    spans: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    headings: tuple[int | None, ...]
    heads: frozenset[int]
    marks: tuple[int, ...]
    sentences: tuple[int, ...]
    measure: str


def cut(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts prose to what matters; see the module."""
    units = _units(text, budget)
    asked = relevance.match(units.texts, terms)
    told = salience.salience(units.texts)
    named = salience.Named(units.texts)
    costs = [estimate(unit) + 1 for unit in units.texts]
    # At its own weight a heading is chosen, but what stands under it is what answers.
    hits = _bodies(units, asked, asked.chosen(MOST_ASKED, ASKED))
    if budget is None:
        order = _without_budget(units, hits, told)
    else:
        order = _order(units, asked, hits, told, costs, budget)

    def needs(place: int) -> tuple[int, ...]:
        heading = units.headings[place]
        return () if heading is None else (heading,)

    def render(kept: Collection[int], room: int) -> Cut:
        made = _render(text, units, told, named, frozenset(kept), room, handle)
        return replace(made, answers=_answers(units, hits, kept, budget))

    return fit(order, costs.__getitem__, render, budget, needs, hits[0] if hits else None)


def _units(text: str, budget: int | None) -> _Units:
    most = LONGEST if budget is None else max(20, min(LONGEST, budget - MARK))
    spans: list[tuple[int, int]] = []
    begins: list[int] = []
    clauses = False
    pieces = [
        (a + c, a + d) for a, b in _blocks(text) for c, d in markers.split_at_marks(text[a:b])
    ]
    for start, end in pieces:
        small = _FENCE.match(text, start) and estimate(text[start:end]) <= most * 2
        if small or markers.holds_mark(text[start:end]):
            begins.append(len(spans))
            spans.append((start, end))
            continue
        for a, b in sentences(text[start:end]):
            piece = text[start + a : start + b]
            first = len(spans)
            if estimate(piece) <= most:
                spans.append((start + a, start + b))
            else:
                spans += [(start + a + c, start + a + d) for c, d in passages(piece, most)]
                clauses = True
            begins += [first] * (len(spans) - first)
    texts = [text[a:b] for a, b in spans]
    heads = headings.heading_places(texts)
    over: list[int | None] = []
    above: int | None = None
    for place in range(len(texts)):
        above = place if place in heads else above
        over.append(None if place in heads else above)
    old = tuple(p for p, unit in enumerate(texts) if markers.holds_mark(unit))
    measure = "小句" if clauses else "句"
    return _Units(tuple(spans), tuple(texts), tuple(over), heads, old, tuple(begins), measure)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Fenced blocks, and what stands between them."""
    blocks: list[tuple[int, int]] = []
    start = at = 0
    inside = False
    for line in detect.with_ends(text):
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
    asked: relevance.Relevance,
    hits: Sequence[int],
    told: Sequence[salience.Salience],
    costs: Sequence[int],
    budget: int,
) -> list[int]:
    """Every unit, the most important first."""
    count = len(units.texts)
    strong = _within(
        [p for p in _strong(told) if p not in units.heads], costs, budget // STRONG_SHARE
    )
    near = [p for hit in hits[:2] for p in (hit + 1, hit - 1) if 0 <= p < count]
    enough = ASKED * max(asked.weights, default=0.0)
    bodies = [p for p in _ranked(asked.weights) if p not in units.heads]
    related = [p for p in bodies if asked.weights[p] >= enough > 0]
    sure = [*units.marks, *hits[:FIRST], *strong]
    near = [p for p in (*near, *hits[FIRST:], 0) if p == 0 or p not in units.heads]
    first = _one_of_each(units, sure, [*near, *related])
    # Look-alikes that are asked about go behind what differs, before what has nothing to do with
    # the query; of other look-alikes one is enough.
    rest = _one_of_each(units, [*sure, *first], bodies)
    return list(dict.fromkeys([*sure, *first, *related, *rest]))


def _without_budget(
    units: _Units, hits: Sequence[int], told: Sequence[salience.Salience]
) -> list[int]:
    """The units that stay: asked for and beside that, telling, first; one of each look-alike."""
    count = len(units.texts)
    near = [p for hit in hits for p in (hit - 1, hit + 1) if 0 <= p < count]
    telling_ones = [p for p in range(count) if told[p].strength]
    sure = [*units.marks, *hits, 0, *telling_ones]
    return list(dict.fromkeys([*sure, *_one_of_each(units, sure, near)]))


def _bodies(units: _Units, asked: relevance.Relevance, places: Sequence[int]) -> list[int]:
    """The places with each heading replaced by what best answers under it, its first unit if
    nothing there is asked for; a heading with nothing under it stays."""
    out: list[int] = []
    for place in places:
        under = [p for p, above in enumerate(units.headings) if above == place]
        out.append(max(under, key=lambda p: (asked.weights[p], -p)) if under else place)
    return list(dict.fromkeys(out))


def _answers(units: _Units, hits: Sequence[int], kept: Collection[int], budget: int | None) -> bool:
    """Whether something asked for is kept, and whole where the budget has room for its sentence
    beside a bare handle."""
    held = [hit for hit in hits if hit in kept]
    if not held or budget is None:
        return not hits or bool(held)
    number = units.sentences[held[0]]
    whole = [p for p, other in enumerate(units.sentences) if other == number]
    return all(p in kept for p in whole) or (
        sum(estimate(units.texts[p]) for p in whole) > budget - HANDLE
    )


def _one_of_each(units: _Units, sure: Sequence[int], places: Iterable[int]) -> list[int]:
    """The places without those whose look-alike stands before them or in ``sure``."""
    met = {salience.template(units.texts[p]) for p in sure}
    out = []
    for place in dict.fromkeys(places):
        mask = salience.template(units.texts[place])
        if mask not in met:
            met.add(mask)
            out.append(place)
    return out


def _strong(told: Sequence[salience.Salience]) -> list[int]:
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
    told: Sequence[salience.Salience],
    named: salience.Named,
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
            parts.append(markers.GAP)
    said = [text[units.spans[a][0] : units.spans[b][1]] for a, b in _runs(missing)]
    count = len(missing) if units.measure == "句" else sum(len(_clauses(run)) for run in said)
    facts = markers.fitting_facts(_facts(units, told, named, missing, said, room), room)[::-1]
    body = "".join(parts).rstrip()
    end_mark = markers.summary(count, units.measure, facts, handle, "，")
    places = tuple(missing) if units.measure == "句" else ()
    return Cut(body + end_mark, (LeftOut(units.measure, count, "", places, facts),))


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """The first and last place of each run of neighbours."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] + 1 == place:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs


def _clauses(text: str) -> list[str]:
    """The clauses of a stretch of text: what the units of a long sentence are put together from."""
    return [piece for piece in _CLAUSE_END.split(text) if _WORD.search(piece)]


def _facts(
    units: _Units,
    told: Sequence[salience.Salience],
    named: salience.Named,
    missing: Sequence[int],
    said: Sequence[str],
    room: int,
) -> list[str]:
    """What is named of the missing, the most telling first, then how many of it hold what; where
    the room is small the words say more."""
    by_strength = sorted(missing, key=lambda p: (-told[p].strength, p))
    words = named.fact(by_strength, room)
    if units.measure == "句":
        kinds = [told[p].kinds for p in missing]
    else:
        clauses = [fold(clause) for run in said for clause in _clauses(run)]
        kinds = [
            frozenset(kind for kind, form in salience.KINDS.items() if form.search(clause))
            for clause in clauses
        ]
    counts = {kind: sum(kind in one for one in kinds) for kind in salience.KINDS}
    told_counts = "、".join(f"{n} {units.measure}有{kind}" for kind, n in counts.items() if n)
    return [*([words] if words else []), *([f"其中 {told_counts}"] if told_counts else [])]
