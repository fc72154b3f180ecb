"""Which records say nearly what a new one says.

A near-repeat shares most of a text's letters in their order, so it shares some of whichever of its
grams are looked up: a few of them propose, by how many of them a record holds, and the texts
decide. Vectors have no part in it: what only means the same has too few letters in common to be
told (:data:`brain.text.similarity.SIMILAR`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from brain.memory import Hit, Similar
from brain.recall.lexical import summed, topmost
from brain.store import fts, memories
from brain.store.view import View
from brain.text.fold import fold
from brain.text.similarity import LONGEST, SIMILAR, compare, repeats, score
from brain.text.tokenize import query_terms

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


def find(db: Transaction, memory_id: int, text: str, view: View) -> tuple[Similar, ...]:
    """The records a view shows, but one, that say nearly what its text says.

    Args:
        memory_id: of the record that has the text.
        view: with the scopes to look in.

    Returns:
        Most alike first, ties by id.
    """
    near: list[tuple[float, int, str]] = []
    for other, said in _shown(db, _proposed(db, memory_id, text, view), view):
        likeness = score(text, said, SIMILAR)
        if likeness >= SIMILAR:
            near.append((-likeness, other, said))
    return tuple(
        Similar(other, round(-negative, 4), compare(text, said).differs)
        for negative, other, said in sorted(near)[:MOST]
    )


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
