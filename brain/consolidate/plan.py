"""The plan: every clean-up that is proposed, each record changed by one line at most."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain.consolidate import contradictions, duplicates, outdated, remember, stale
from brain.consolidate.proposal import Proposal, line
from brain.ingest.chat import EPISODE
from brain.memory import SKILL_KIND, STALE, Memory
from brain.results import Plan, PlanLine
from brain.store import claims, links, memories
from brain.store.claims import Claim
from brain.store.view import View
from brain.text.restatement import key

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

ANCHORS = 12
"""Records by whose fingerprints a file is known again."""

MOST_LINKS = 1_000_000


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be cleaned up.

    Args:
        scope: exactly that one; None for all.
        since: only what came in from then on, UTC ISO; None for all.
        now: UTC ISO.
        records: those of the scope in whatever state, by id.
        current: ids of those that hold now.
        linked: id → numbers of the current observations it stands in.
        known: (scope, key) of all that is or was a record and no episode.
        claims: of the current records that are stale, by id.
    """

    scope: str | None
    since: str | None
    now: str
    records: Mapping[int, Memory]
    current: frozenset[int]
    linked: Mapping[int, tuple[int, ...]]
    known: set[tuple[str, tuple[str, ...]]]
    claims: Mapping[int, Sequence[Claim]]

    def episodes(self) -> list[Memory]:
        """The current episodes that came in since."""
        return [m for m in self._now() if m.kind == EPISODE and self._recent(m)]

    def told(self) -> list[Memory]:
        """The current records that are no episodes."""
        return [m for m in self._now() if m.kind != EPISODE]

    def _now(self) -> Iterator[Memory]:
        return (m for i, m in self.records.items() if i in self.current)

    def _recent(self, memory: Memory) -> bool:
        return self.since is None or memory.recorded_at >= self.since

    def touches(self, one: Proposal) -> bool:
        """Whether a proposal is about something that came in since."""
        return one.episode is not None or any(self._recent(self.records[i]) for i in one.changed)


def subject(db: Transaction, scope: str | None, since: str | None, now: str) -> Subject:
    """Reads what is to be cleaned up."""
    view = View(as_of=now, scopes=None if scope is None else (scope,))
    records = {m.id: m for m in reversed(memories.list_any_state(db, view, None))}
    linked: dict[int, list[int]] = defaultdict(list)
    for found in links.of(db, None, MOST_LINKS):
        if found.retracted_at is None:
            linked[found.decision].append(found.id)
            linked[found.outcome].append(found.id)
    current = frozenset(memories.visible(db, list(records), view))
    looked: dict[int, list[Claim]] = defaultdict(list)
    for claim in claims.of(db, (i for i in current if records[i].state == STALE)):
        looked[claim.memory_id].append(claim)
    return Subject(
        scope,
        since,
        now,
        records,
        current,
        {i: tuple(sorted(numbers)) for i, numbers in linked.items()},
        {(m.scope, key(m.text)) for m in records.values() if m.kind != EPISODE},
        looked,
    )


def build(db: Transaction, about: Subject, more: Iterable[Proposal] = (), dropped: int = 0) -> Plan:
    """Makes the plan; what a record's first line proposes stands, later ones are left out.

    Args:
        more: proposals of a language model.
        dropped: how many of those were thrown away.
    """
    taken: set[int] = set()
    found: list[PlanLine] = []
    told = list(more)
    merges = [one for one in told if one.act == "merge"]  # worded better than ours
    others = [one for one in told if one.act != "merge"]
    for one in (*merges, *_rules(about), *others):
        if taken.intersection(one.changed) or not about.touches(one) or _is_known(one, about):
            continue
        taken.update(one.changed)
        found.append(line(one, about.records, about.linked))
    lines = tuple({one.id: one for one in found}.values())
    anchored = _anchors(db)
    named = json.dumps([anchored, [one.to_dict() for one in lines]], ensure_ascii=False)
    run = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Plan(run, lines, about.scope, about.since, about.now, tuple(anchored), dropped)


def _is_known(one: Proposal, about: Subject) -> bool:
    """Whether a model proposes to remember what is or was a record, or a rule proposes already."""
    if one.episode is None or one.source == "rules":
        return False
    return (about.records[one.episode].scope, key(one.text)) in about.known


def _rules(about: Subject) -> Iterator[Proposal]:
    told = about.told()
    yield from duplicates.find(told, about.linked)
    yield from duplicates.skills(told, about.linked)
    yield from contradictions.find([m for m in told if m.kind != SKILL_KIND])
    yield from stale.find(told, about.claims)
    yield from outdated.find(list(about.records.values()), about.now)
    yield from remember.find(about.episodes(), about.known)


def _anchors(db: Transaction) -> list[str]:
    highest = memories.highest_id(db)
    ids = {1 + n * max(highest - 1, 0) // (ANCHORS - 1) for n in range(ANCHORS)}
    return [anchor(one) for _, one in sorted(memories.get_many(db, ids).items())]


def anchor(memory: Memory) -> str:
    """The fingerprint of a record: its id, and when it came in with what text."""
    told = f"{memory.recorded_at} {memory.content_hash}"
    return f"{memory.id}:{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def is_of(db: Transaction, plan: Plan) -> bool:
    """Whether a file has any of the records by which a plan knows its own again."""
    ids = {int(one.split(":")[0]) for one in plan.anchors}
    held = {anchor(memory) for memory in memories.get_many(db, ids).values()}
    return not plan.anchors or bool(held.intersection(plan.anchors))
