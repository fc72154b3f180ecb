"""Old words lead to the heir: what was replaced or corrected speaks for what took its place.

A question is often put in the words of the old fact (SSH 端口) while the new one is worded
otherwise (远程登录改走49222了). Replaced records that a view does not show are therefore searched a
second time, among themselves and within bounds; what speaks for one of them speaks for the first
record in its line of successors that the view shows. Only that one is ever a hit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from brain.memory import LaneRank, Memory
from brain.recall import lexical
from brain.recall.query import Question
from brain.recall.rerank import Evidence
from brain.store import memories
from brain.store.vectors import vector_index
from brain.store.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction

INHERITED = 0.95
"""What an ancestor's score counts for its heir: of two that say the same, the one that says it
itself comes first. Whether there is an answer at all, the old words decide in full."""

POOL = 20
"""Ancestors that words, and that meaning, may propose."""

LOOK = 2_000
"""Replaced records, those with the newest successors, that are compared by meaning; words reach
all of them. Comparing so many costs the same in a file of any size."""

LONGEST_LINE = 1_000
"""Successors followed one after the other."""


class Ancestors(NamedTuple):
    """Replaced records that speak to a question.

    Args:
        records: ancestor id → its record.
        heir_of: ancestor id → id of the record that stands in for it.
        words: ancestor id → its place among them by words, and the lane's score.
        similarity: ancestor id → cosine of its nearest passage, where it has one.
    """

    records: Mapping[int, Memory] = MappingProxyType({})
    heir_of: Mapping[int, int] = MappingProxyType({})
    words: Mapping[int, tuple[int, float]] = MappingProxyType({})
    similarity: Mapping[int, float] = MappingProxyType({})

    def lanes(self, ancestor: int, terms: tuple[str, ...]) -> dict[str, LaneRank]:
        """The lanes that found an ancestor, as those of its heir.

        Args:
            terms: of the question, that the ancestor's text holds.
        """
        out: dict[str, LaneRank] = {}
        if ancestor in self.words:
            place, score = self.words[ancestor]
            out["lexical"] = LaneRank(place, score, terms, via=ancestor)
        if ancestor in self.similarity:
            own = self.similarity[ancestor]
            place = 1 + sum(other > own for other in self.similarity.values())
            out["semantic"] = LaneRank(place, own, via=ancestor)
        return out


def find(
    db: Transaction,
    question: Question,
    words: lexical.Lexical,
    view: View,
    scope_ids: Sequence[int] | None,
    vector: NDArray[np.float32] | None,
    table: str | None,
) -> Ancestors:
    """The replaced records that speak to a question and have an heir the view shows.

    Costs one look at an index where no record has a successor.

    Args:
        words: what the lexical lane found in the view itself.
        vector, table: the embedded question and the vector table; None for words alone.
    """
    if not memories.has_superseded(db, view):
        return Ancestors()
    hidden = replace(view, replaced=True)
    found: Sequence[lexical.Found] = ()
    if words.indexed:
        found = lexical.again(db, words, question, hidden, scope_ids, POOL)[:POOL]
    places = {f.id: (place, f.score or f.trigram) for place, f in enumerate(found, start=1)}
    similarity: dict[int, float] = {}
    if vector is not None and table is not None:
        packed = vector.tobytes()
        some = memories.superseded(db, view, LOOK)
        near = {
            i: value
            for i, (value, _) in vector_index.nearest_among(db, table, packed, some, LOOK).items()
        }
        similarity = {i: near[i] for i in sorted(near, key=lambda i: (-near[i], i))[:POOL]}
        other = [i for i in places if i not in similarity]
        similarity |= {
            i: s for i, (s, _) in vector_index.nearest_among(db, table, packed, other, POOL).items()
        }
    heir_of = memories.successors(db, sorted(places.keys() | similarity.keys()), view, LONGEST_LINE)
    return Ancestors(
        memories.get_many(db, heir_of),
        heir_of,
        {i: places[i] for i in places if i in heir_of},
        {i: similarity[i] for i in similarity if i in heir_of},
    )


def inherit(
    weighed: Mapping[int, Evidence], ancestors: Ancestors, seen: Collection[int]
) -> tuple[dict[int, Evidence], dict[int, int]]:
    """Lets each heir have the evidence of that ancestor which speaks best for it.

    Args:
        weighed: evidence of candidates, ancestors among them.
        seen: ids of the records that are candidates themselves; an ancestor that is shown stays.

    Returns:
        The evidence without hidden ancestors, and heir id → id of the ancestor it inherited from.
    """
    out = {i: one for i, one in weighed.items() if i in seen or i not in ancestors.records}
    via: dict[int, int] = {}
    for ancestor in sorted(ancestors.records):
        heir = ancestors.heir_of[ancestor]
        own, old = out[heir], weighed[ancestor]
        score = min(INHERITED * old.score, old.score)
        if score <= own.score:
            continue
        known = [s for s in (own.similarity, old.similarity) if s is not None]
        out[heir] = own._replace(
            bm25=max(own.bm25, old.bm25),
            coverage=max(own.coverage, old.coverage),
            content=max(own.content, old.content),
            soft=max(own.soft, old.soft),
            names=min(own.names, old.names, key=lambda n: (n.rival, n.absent, -n.best)),
            similarity=max(known, default=None),
            score=score,
        )
        via[heir] = ancestor
    return out, via
