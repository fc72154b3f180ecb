"""Causal graph, read on one moment of the file: who says the same, and what was observed of whom.

Nothing is stored of what is joined here: that an outcome says the same as another link's decision
is found each time it is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from brain.causal import match
from brain.causal.match import MAX_CHARS as MAX_CHARS
from brain.causal.record import sign_of
from brain.memory import (
    CAME_ABOUT,
    DECISION_KIND,
    OUTCOME_KIND,
    Memory,
    Reason,
    Side,
    default_confidence,
)
from brain.recall import lexical, semantic
from brain.recall.query import Question
from brain.store import links, memories
from brain.store.links import Observation
from brain.store.vectors import vector_index
from brain.store.view import View
from brain.text.fold import fold
from brain.text.regex import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction

End = Literal["decision", "outcome"]

LOOK = 1_000
"""Ends of links that are measured one by one; among more the lanes propose."""

POOL = 24
"""Ends whose texts are held against what is asked."""

HOP_POOL = 8
"""The same for what one record leads to."""

MOST_ROWS = 2_000
"""Observations read for one question, the newest."""

SHARE_OF_BEST = 0.45
"""What is less than this share as likely as the best is not meant."""

FADING = 0.8
"""What each further hop keeps of a strength."""

_CLAUSES = r"[,，。;；!！?？、\n]+"
_NUMBER = r"[0-9]+(?:[.:/-][0-9]+)*%?"
_LATIN = r"[a-z][a-z0-9_.+#-]*"
LEAST_CLAUSE = 3


class Asked(NamedTuple):
    """A text that is asked about, read once.

    Args:
        vector: (dim,), unit length; None for words alone.
    """

    text: str
    question: Question
    vector: NDArray[np.float32] | None


class Match(NamedTuple):
    """A record that says nearly what was asked."""

    memory: Memory
    probability: float


class Group(NamedTuple):
    """The observations of one pair, relation and context, the newest first."""

    rows: tuple[Observation, ...]
    reason: Reason


@dataclass(slots=True)
class Graph:
    """What links say at one moment of the file.

    Args:
        table: the vector table; None for words alone.
        model: the embedder's name, or None.
        read: reads a text into a question.
    """

    db: Transaction
    view: View
    table: str | None
    model: str | None
    read: Callable[[str], Question]
    _ends: dict[str, list[int]] = field(default_factory=dict)
    _records: dict[int, Memory] = field(default_factory=dict)

    def records(self, ids: Iterable[int]) -> dict[int, Memory]:
        """Records by id, read once."""
        wanted = set(ids)
        self._records |= memories.get_many(self.db, wanted - self._records.keys())
        return {i: self._records[i] for i in wanted if i in self._records}

    def record(self, memory_id: int) -> Memory:
        """One record that a link joins."""
        return self.records([memory_id])[memory_id]

    # Who says the same ----------------------------------------------------------------------------

    def alike(self, asked: Asked, side: End) -> list[Match]:
        """The records on one side of current links that are nearly what is asked; best first."""
        weights = match.load(self.model if asked.vector is not None else None)
        point = weights.thresholds["action" if side == "decision" else "outcome"]
        out = []
        for memory, similarity in self._near(asked, side, POOL):
            found = match.features(
                asked.text, memory.text, similarity, weights.near, weights.spread
            )
            chance = match.probability(weights, found)
            if chance >= point and not (
                side == "decision" and match.opposed(asked.text, memory.text)
            ):
                out.append(Match(memory, chance))
        best = max((m.probability for m in out), default=0.0)
        kept = [m for m in out if m.probability >= SHARE_OF_BEST * best]
        return sorted(kept, key=lambda m: (-m.probability, m.memory.id))

    def joined(self, record: Memory, side: End) -> list[Match]:
        """The records on one side of current links that say the same as a record of the other.

        No number, name or negation differs; one may be a clause of the other.
        """
        asked = self._stored(record)
        weights = match.load(self.model if asked.vector is not None else None)
        point = weights.thresholds["hop"]
        near, spread = weights.near_stored, weights.spread_stored
        out = []
        for memory, similarity in self._near(asked, side, HOP_POOL):
            if memory.id == record.id:
                continue
            chances = [
                (match.probability(weights, match.features(a, b, similarity, near, spread)), a, b)
                for a in clauses(record.text)
                for b in clauses(memory.text)
            ]
            for chance, a, b in sorted(chances, key=lambda c: -c[0]):
                if chance < point:
                    break
                if not contradict(a, b):
                    out.append(Match(memory, chance))
                    break
        return sorted(out, key=lambda m: (-m.probability, m.memory.id))

    def _stored(self, record: Memory) -> Asked:
        """A record as what is asked about, with the vector it is stored with."""
        question = self.read(record.text)
        vector = None
        if self.model is not None and self.table is not None:
            vector = vector_index.of_memory(self.db, self.table, record.id)
        return Asked(record.text, question, vector)

    def _near(self, asked: Asked, side: End, pool: int) -> list[tuple[Memory, float | None]]:
        """Records on a side worth a look, with their similarity; words alone have none."""
        if side not in self._ends:
            self._ends[side] = links.ends(self.db, self.view, side, LOOK + 1)
        ids = self._ends[side]
        if not ids:
            return []
        similar: dict[int, float | None] = {}
        if asked.vector is not None and self.table is not None:
            for key, value in self._measured(asked.vector, ids, pool):
                similar[key] = value
        else:
            for key in self._worded(asked.question):
                similar.setdefault(key, None)
        found = self.records(similar)
        return [(found[key], similar[key]) for key in similar if key in found]

    def _measured(
        self, vector: NDArray[np.float32], ids: Sequence[int], pool: int
    ) -> list[tuple[int, float]]:
        assert self.table is not None
        if len(ids) <= LOOK:
            packed = vector.tobytes()
            near = vector_index.nearest_among(self.db, self.table, packed, ids, pool)
            return [(key, value) for key, (value, _) in near.items()]
        out: list[tuple[int, float]] = []
        scope_ids = memories.scope_ids(self.db, self.view.scopes)
        for kind in (DECISION_KIND, OUTCOME_KIND):
            view = replace(self.view, kind=kind, archived=None)
            lane = semantic.lane(self.db, self.table, vector, view, scope_ids, 2 * POOL)
            out += [(one.id, one.similarity) for one in lane]
        return sorted(out, key=lambda one: (-one[1], one[0]))[: 3 * POOL]

    def _worded(self, question: Question) -> list[int]:
        scope_ids = memories.scope_ids(self.db, self.view.scopes)
        highest = memories.highest_id(self.db)
        out: list[int] = []
        for kind in (DECISION_KIND, OUTCOME_KIND):
            view = replace(self.view, kind=kind, archived=None)
            lane = lexical.lane(self.db, question, view, scope_ids, highest, POOL, {}, False)
            out += [one.id for one in lane.found[:POOL]]
        return out

    # What was observed ----------------------------------------------------------------------------

    def of_decisions(self, ids: Iterable[int]) -> list[Group]:
        """What came of decisions, grouped, the newest observation first."""
        return self._groups(links.seen(self.db, self.view, decisions=ids, limit=MOST_ROWS))

    def of_outcomes(self, ids: Iterable[int]) -> list[Group]:
        """What outcomes came of, grouped, the newest observation first."""
        return self._groups(links.seen(self.db, self.view, outcomes=ids, limit=MOST_ROWS))

    def _groups(self, found: Sequence[Observation]) -> list[Group]:
        groups: dict[tuple[int, int, str, str], list[Observation]] = defaultdict(list)
        pairs: dict[tuple[int, int], list[Observation]] = defaultdict(list)
        for row in found:
            groups[row.decision, row.outcome, row.relation, same(row.context)].append(row)
            pairs[row.decision, row.outcome].append(row)
        texts = self.records({end for row in found for end in (row.decision, row.outcome)})
        out = []
        for (decision, outcome, relation, _), rows in groups.items():
            newest = rows[0]
            told = next((row for row in rows if row.good is not None), newest)
            out.append(
                Group(
                    tuple(rows),
                    Reason(
                        newest.id,
                        Side(decision, texts[decision].text),
                        Side(outcome, texts[outcome].text),
                        relation,
                        sign_of(told, texts[outcome].text),
                        newest.context,
                        newest.observed_at,
                        len(rows),
                        strength(newest, pairs[decision, outcome]),
                        (newest.id,),
                    ),
                )
            )
        return out


def strength(row: Observation, pair: Sequence[Observation]) -> float:
    """How well a link is borne out: Laplace's rule over its pair, times its source's confidence.

    ``(n_for + 1) / (n_for + n_against + 2)``; against what came about speak ``prevented`` and
    ``no_effect``, against what was prevented all else.

    Args:
        row: an observation with the relation in question.
        pair: the current observations of the same two records.
    """
    own = sum(one.relation == row.relation for one in pair)
    against = len(pair) - own
    if row.relation in CAME_ABOUT:  # caused and enabled do not speak against each other
        against = sum(one.relation not in CAME_ABOUT for one in pair)
    return (own + 1) / (own + against + 2) * default_confidence(row.source)


def onward(found: Group, way: Sequence[int], factor: float = 1.0) -> Reason:
    """A group's reason behind a way of links that lead to it.

    Args:
        way: the links before, from what was asked about.
        factor: of the way before, 1 for none.
    """
    if not way:
        return found.reason
    faded = found.reason.strength * factor * FADING ** len(way)
    return replace(found.reason, path=(*way, found.reason.link), strength=faded)


def clauses(text: str) -> list[str]:
    """A text and its clauses, without those too short to say something."""
    whole = text[:MAX_CHARS]
    parts = [part.strip() for part in compiled(_CLAUSES).split(whole)]
    kept = [part for part in parts if len(part) >= LEAST_CLAUSE]
    return list(dict.fromkeys([whole, *kept[:3]]))


def contradict(first: str, second: str) -> bool:
    """Whether a number, a name or a negation of two texts differs."""
    a, b = fold(first), fold(second)
    for pattern in (_NUMBER, _LATIN):
        one, other = set(compiled(pattern).findall(a)), set(compiled(pattern).findall(b))
        if one and other and one != other:
            return True
    return match.opposed(first, second)


def same(context: str) -> str:
    """The form under which two contexts are the same."""
    return " ".join(fold(context).split())
