"""Which records say nearly what a new one says, and which it seems to change.

A near-repeat shares most of a text's letters in their order, so it shares some of whichever of its
grams are looked up: a few of them propose, by how many of them a record holds, and the texts
decide. Vectors have no part in it: what only means the same has too few letters in common to be
told (:data:`brain.text.similarity.SIMILAR`).

What takes the place of an older record shares few letters with it (我喜欢喝冰的, 现在冰的一口不碰):
it says that something changed (:mod:`brain.text.changes`), and names it by a rare word or two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from brain.memory import Hit, Similar
from brain.recall.lexical import summed, topmost
from brain.store import fts, memories
from brain.store.view import View
from brain.text.bm25 import idf
from brain.text.fold import fold
from brain.text.similarity import LONGEST, SIMILAR, compare, repeats, score
from brain.text.tokenize import QueryTerms, count_terms, query_terms

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

MOST = 5
"""How many near-repeats are told."""

LOOKED_UP = 12
"""How many grams propose, the rarest of those looked at."""

SAMPLED = 24
"""Of how many grams, spread over the text, it is looked up how rare they are."""

SAMPLE = 2_000
"""On how many of the newest records; in a file of no more all grams are as good."""

POSTINGS = 5_000
"""How many records all of them together may propose: one or two milliseconds of reading."""

FEW = 3
"""Where fewer grams are rare enough for that, so many propose what is newest of theirs."""

HELD = 6
"""A record that holds less than one in so many of the grams looked up is not alike."""

COMPARED = 24
"""Records whose texts are compared, those first that hold most of the grams."""

PROPOSED = 40 * COMPARED
"""Records looked at for that: many copies may have been retracted or replaced."""


MOST_CHANGED = 2
"""Older records told that a new one seems to change."""

CHANGES = 6.0
"""Evidence from which a record is told as changed: rarity (IDF) times weight, summed over the words
of what changed that it holds. Six invented people, each note added plainly: of 63 notes that take
the place of another 48 name it and 3 a wrong one, of 293 others 17 name one, half of them rightly
(bench/people, fit)."""

COVERED, COVERS = 3.0, 0.5
"""Less is enough where a record holds half of all there is to know what changed (冰的戒了)."""

UNSEEN = 200
"""Other records that a file is taken to have: in a young one every word would be common."""

USUAL, LENGTH_SHARE = 60, 0.3
"""Characters of a usual record, and how much a longer one pays (the *b* of BM25)."""

SECOND = 0.9
"""A second record is told from this share of the first one's evidence."""

_READ = 600
"""Characters of an older record that are looked at."""


def find(db: Transaction, memory_id: int, text: str, view: View) -> tuple[Similar, ...]:
    """The records a view shows, but one, that say nearly what its text says or that it changes.

    Args:
        memory_id: of the record that has the text.
        view: with the scopes to look in.

    Returns:
        Most alike first, ties by id; then those it changes and is not like.
    """
    near = alike(db, memory_id, text, view)
    changed = _changed(db, memory_id, text, view)
    ids = frozenset(one.id for one in near)
    return (
        *(replace(one, changes=one.id in changed) for one in near),
        *(
            Similar(other, round(score(text, said), 4), compare(text, said).differs, changes=True)
            for other, said in changed.items()
            if other not in ids
        ),
    )


def alike(db: Transaction, memory_id: int, text: str, view: View) -> tuple[Similar, ...]:
    """As :func:`find`, without those that are changed; the record itself need not be stored."""
    near: list[tuple[float, int, str]] = []
    for other, said in _shown(db, _proposed(db, memory_id, text, view), view):
        likeness = score(text, said, SIMILAR)
        if likeness >= SIMILAR:
            near.append((-likeness, other, said))
    return tuple(
        Similar(other, round(-negative, 4), compare(text, said).differs)
        for negative, other, said in sorted(near)[:MOST]
    )


def _changed(db: Transaction, memory_id: int, text: str, view: View) -> dict[int, str]:
    """The older records, with their texts, of which a text says that they hold no more.

    Returns:
        At most ``MOST_CHANGED``, the surest first.
    """
    from brain.text.changes import LONE, topic  # not at the top: inject has no use for it

    weights = topic(fold(text))
    telling = frozenset(t for t, w in weights.items() if w >= (LONE if t.endswith("*") else 1.0))
    scope_ids = memories.scope_ids(db, view.scopes)
    if not weights or scope_ids == []:
        return {}
    worth = _worth(db, memory_id - 1, weights)
    rarest = sorted(worth, key=lambda term: -worth[term])[:LOOKED_UP]
    lists = fts.postings(db, fts.GRAMS, rarest, scope_ids, POSTINGS // LOOKED_UP)
    ids, sums = topmost(*summed([(lists[t], worth[t]) for t in rarest]), PROPOSED)
    best = sorted(zip(sums.tolist(), ids.tolist(), strict=True), reverse=True)
    wanted = QueryTerms.of(tuple(worth))
    found: list[tuple[float, int, str]] = []
    for other, said in _shown(db, [i for _, i in best if i != memory_id], view):
        folded = fold(said)[:_READ]
        held = count_terms(folded, wanted)[0]
        evidence = _evidence(held, worth, telling, len(folded))
        if evidence >= CHANGES:
            found.append((evidence, other, said))
    found.sort(reverse=True)
    known = memories.get_many(db, [memory_id, *(other for _, other, _ in found)])
    new = known.get(memory_id)  # what is asked about before it is stored is the newest
    return {
        other: said
        for evidence, other, said in found[:MOST_CHANGED]
        if evidence >= SECOND * found[0][0]
        and (new is None or (known[other].valid_from or "") <= (new.valid_from or ""))
    }


def _worth(db: Transaction, newest: int, weights: Mapping[str, float]) -> dict[str, float]:
    """What each term of a change says: its weight times how rare it is, over the newest records."""
    low = max(0, newest - SAMPLE)
    seen = min(newest, SAMPLE)
    found = fts.frequencies_between(db, fts.GRAMS, list(weights), low, newest)
    return {term: weight * idf(found[term], seen + UNSEEN) for term, weight in weights.items()}


def _evidence(
    held: Mapping[str, int], worth: Mapping[str, float], telling: frozenset[str], length: int
) -> float:
    """How surely a record is the one that changed.

    Args:
        held: how often it holds each term.
        worth: term → what it says.
        telling: those of the very clause that says so; one that holds none of them is not meant.
        length: of the record, in characters.
    """
    if telling.isdisjoint(held):
        return 0.0
    total = sum(worth[term] for term in held if term in worth)
    found = total / (1 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL)
    if COVERED <= found < CHANGES and total >= COVERS * sum(worth.values()):
        return CHANGES
    return found


def _proposed(db: Transaction, memory_id: int, text: str, view: View) -> list[int]:
    """Ids of records that hold many of a text's rarest grams, most of them first."""
    scope_ids = memories.scope_ids(db, view.scopes)
    if scope_ids == []:
        return []
    rare, frequent = _rarest(db, memory_id, query_terms(fold(text[:LONGEST])))
    lists = [
        (ids, 1.0)
        for terms, newest in ((rare, None), (frequent, POSTINGS // FEW))
        for ids in fts.postings(db, fts.GRAMS, terms, scope_ids, newest).values()
    ]
    least = max(1, (len(rare) + len(frequent)) // HELD)
    ids, times = (found.tolist() for found in topmost(*summed(lists), PROPOSED))
    best = sorted(zip(times, ids, strict=True), reverse=True)
    return [other for held, other in best if held >= least and other != memory_id]


def _shown(db: Transaction, proposed: Sequence[int], view: View) -> list[tuple[int, str]]:
    """The first of some records that a view shows, ``COMPARED`` of them, with their texts."""
    out: list[tuple[int, str]] = []
    for start in range(0, len(proposed), COMPARED):
        out += memories.texts(db, proposed[start : start + COMPARED], view)
        if len(out) >= COMPARED:
            break
    return out[:COMPARED]


def _rarest(db: Transaction, newest: int, terms: Sequence[str]) -> tuple[list[str], list[str]]:
    """Terms to look up: those all of whose holders are few enough, and others to make up for them.

    Args:
        newest: the highest id.
    """
    whole = [t for t in terms if not t.endswith("*")] or list(terms)
    if newest <= SAMPLE:
        return _spread(whole, LOOKED_UP), []
    some = _spread(whole, SAMPLED)
    found = fts.frequencies_between(db, fts.GRAMS, some, newest - SAMPLE, newest)
    # Stable: of equally rare ones the first of the text.
    some.sort(key=lambda term: found[term])
    rare: list[str] = []
    left = POSTINGS
    for term in some[:LOOKED_UP]:
        left -= max(1, found[term]) * newest // SAMPLE
        if left < 0:
            break
        rare.append(term)
    return rare, some[len(rare) : max(len(rare), FEW)]


def _spread(items: Sequence[str], most: int) -> list[str]:
    """At most so many of some items, evenly spread."""
    if len(items) <= most:
        return list(items)
    return [items[i * len(items) // most] for i in range(most)]


MOST_MARKED = 50
"""Hits held against each other; beyond these nobody looks for repeats."""


def mark(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Sets ``duplicate_of`` on each hit that adds nothing to a better one."""
    out: list[Hit] = []
    for hit in hits[:MOST_MARKED]:
        better = next(
            (
                kept.id
                for kept in out
                if kept.duplicate_of is None and repeats(kept.memory.text, hit.memory.text)
            ),
            None,
        )
        out.append(hit if better == hit.duplicate_of else replace(hit, duplicate_of=better))
    return (*out, *hits[MOST_MARKED:])
