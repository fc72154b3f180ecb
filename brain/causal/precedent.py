"""Precedents of an action: what it, or nearly the same, led to, and the verdict on that.

The first hop decides; the second only where the first is neutral. A verdict is about what was
observed, never a promise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from brain.causal.graph import Asked, Graph, Group, onward, same
from brain.memory import CAME_ABOUT, Reason
from brain.results import BeforeResult
from brain.store.links import Observation
from brain.text.timestamps import local_day

MOST_REASONS = 12
"""Reasons given; a thousand links on one record stay bounded."""

MOST_DECISIONS = 8
"""Decisions nearly the same that are looked into."""

MOST_HOPS = 3
"""Outcomes whose own consequences are looked for."""

ENOUGH_GOOD = 2
"""Good outcomes on as many different days that outweigh an older bad one in the same context."""

_TURNED = {"bad": "good", "good": "lost", "mixed": "mixed"}
"""What a prevented outcome says of the action: a prevented gain is a loss."""


def effect(reason: Reason) -> str:
    """What an outcome says of the action: ``good``, ``bad``, ``mixed``, ``lost`` or ``neutral``."""
    if reason.relation in CAME_ABOUT:
        return reason.sign
    if reason.relation == "prevented":
        return _TURNED.get(reason.sign, "neutral")
    return "neutral"


def before(graph: Graph, asked: Asked, context: str, degraded: tuple[str, ...]) -> BeforeResult:
    """What an action led to.

    Args:
        context: under what circumstances it is about to be done; '' for none given.
    """
    matches = graph.alike(asked, "decision")[:MOST_DECISIONS]
    order = {found.memory.id: place for place, found in enumerate(matches)}
    groups = graph.of_decisions(order)
    direct = sorted(
        groups,
        key=lambda g: (
            same(g.reason.context) != same(context),
            _descending(g.reason.observed_at),
            order[g.reason.decision.id],
            g.reason.link,
        ),
    )
    further = _further(graph, direct, order.keys())
    deciding = [(group, effect(group.reason)) for group in direct]
    deciding += [
        (group, effect(reason))
        for neutral, group, reason in further
        if neutral and reason.relation in CAME_ABOUT
    ]
    verdict = _verdict(direct, deciding)
    told = [group.reason for group in direct] + [reason for _, _, reason in further]
    weightiest = sorted(told[: 4 * MOST_REASONS], key=lambda r: _weight(r, context))
    alternative = None
    if verdict in ("danger", "warning"):
        bad = next((r for r in weightiest if effect(r) in ("bad", "mixed")), None)
        alternative = _protective(graph, bad, order.keys()) if bad else None
    return BeforeResult(verdict, tuple(weightiest[:MOST_REASONS]), alternative, degraded)


def _weight(reason: Reason, context: str) -> tuple[object, ...]:
    """Direct ones of the same context first, what says something before what does not, then the
    newest."""
    return (
        len(reason.path),
        same(reason.context) != same(context),
        effect(reason) == "neutral",
        _descending(reason.observed_at),
        reason.link,
    )


def _descending(iso: str) -> tuple[int, ...]:
    return tuple(-ord(c) for c in iso)


def _further(
    graph: Graph, direct: Sequence[Group], known: Iterable[int]
) -> list[tuple[bool, Group, Reason]]:
    """The second hop: whether the first is neutral, what was observed, and the reason it gives."""
    seen = set(known)
    out = []
    looked: set[int] = set()
    for group in direct:
        first = group.reason
        if first.relation not in CAME_ABOUT or first.outcome.id in looked:
            continue
        if len(looked) == MOST_HOPS:
            break
        looked.add(first.outcome.id)
        outcome = graph.record(first.outcome.id)
        next_to = [outcome.id, *(m.memory.id for m in graph.joined(outcome, "decision"))]
        fresh = [key for key in next_to if key not in seen]
        seen.update(fresh)
        for later in graph.of_decisions(fresh):
            reason = onward(later, first.path, first.strength)
            out.append((first.sign == "neutral", later, reason))
    return out


def _verdict(direct: Sequence[Group], deciding: Sequence[tuple[Group, str]]) -> str:
    if not direct:
        return "no_precedent"
    effects = {found for _, found in deciding}
    good = bool(effects & {"good", "mixed"})
    bad = bool(effects & {"bad", "mixed"})
    if bad and good:
        return "safe" if "lost" not in effects and _outweighed(deciding) else "warning"
    if bad:
        return "danger"
    if "lost" in effects:
        return "warning"
    return "safe" if good else "unclear"


def _outweighed(deciding: Sequence[tuple[Group, str]]) -> bool:
    """Whether each decision that went badly went well often enough since, in the same context."""
    rows: dict[int, list[tuple[Observation, str]]] = defaultdict(list)
    for group, found in deciding:
        for row in group.rows:
            rows[group.reason.decision.id].append((row, found))
    for of_one in rows.values():
        bad = [row for row, found in of_one if found in ("bad", "mixed")]
        if not bad:
            continue
        last = max(bad, key=lambda row: (row.observed_at, row.id))
        if any(same(row.context) != same(last.context) for row in bad):
            return False
        days = {
            local_day(row.observed_at)
            for row, found in of_one
            if found == "good"
            and row.observed_at > last.observed_at
            and same(row.context) == same(last.context)
        }
        if len(days) < ENOUGH_GOOD:
            return False
    return True


def _protective(graph: Graph, bad: Reason, known: Iterable[int]) -> Reason | None:
    """What has prevented the bad outcome: the best borne out, the newest of equals."""
    if bad.relation not in CAME_ABOUT:
        return None
    ours = set(known)
    alike = [bad.outcome.id]
    alike += [m.memory.id for m in graph.joined(graph.record(bad.outcome.id), "outcome")]
    found = [
        group.reason
        for group in graph.of_outcomes(alike)
        if group.reason.relation == "prevented"
        and group.reason.sign == "bad"
        and group.reason.decision.id not in ours
    ]
    key = lambda r: (-r.strength, _descending(r.observed_at), r.link)  # noqa: E731
    return min(found, key=key) if found else None


def warned_of(found: BeforeResult) -> tuple[Reason, ...]:
    """What a warning tells of: direct reasons that speak against the action first."""
    if found.verdict not in ("danger", "warning"):
        return ()
    against = [r for r in found.reasons if effect(r) in ("bad", "mixed", "lost")]
    return tuple(against + [r for r in found.reasons if r not in against])
