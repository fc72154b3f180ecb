"""Tracing causes: what an outcome came from, over a few hops, and what has prevented it."""

from __future__ import annotations

from brain.causal.graph import Asked, Graph, Group, onward
from brain.memory import CAME_ABOUT, Reason
from brain.results import WhyResult

MOST_HOPS = 3

MOST_WIDE = 6
"""Records of one hop from which the next is looked for."""


def why(graph: Graph, asked: Asked, k: int, degraded: tuple[str, ...]) -> WhyResult:
    """The causes of an outcome, nearest first, and apart from them its preventers.

    Each record is visited once, so that a loop ends.

    Args:
        k: how many causes and how many preventers at most.
    """
    matches = graph.alike(asked, "outcome")
    order = {found.memory.id: place for place, found in enumerate(matches)}
    groups = graph.of_outcomes(order)
    preventers = sorted(
        (g.reason for g in groups if g.reason.relation == "prevented"),
        key=lambda r: (order[r.outcome.id], -r.strength, -r.times, r.link),
    )
    causes: list[Reason] = []
    visited: set[int] = set(order)
    hop: list[tuple[Group, tuple[int, ...], float]] = [
        (group, (), 1.0)
        for group in sorted(
            (g for g in groups if g.reason.relation in CAME_ABOUT),
            key=lambda g: (order[g.reason.outcome.id], -g.reason.strength, g.reason.link),
        )
    ]
    for _ in range(MOST_HOPS):
        found: list[Reason] = []
        for group, way, factor in hop:
            if group.reason.decision.id not in visited or not way:
                found.append(onward(group, way, factor))
        causes += found
        if len(causes) >= k or not found:
            break
        hop = _behind(graph, found[:MOST_WIDE], visited)
    return WhyResult(tuple(causes[:k]), tuple(preventers[:k]), degraded)


def _behind(
    graph: Graph, found: list[Reason], visited: set[int]
) -> list[tuple[Group, tuple[int, ...], float]]:
    """What the decisions of one hop came from."""
    out: list[tuple[Group, tuple[int, ...], float]] = []
    visited.update(reason.decision.id for reason in found)
    for reason in found:
        ids = [m.memory.id for m in graph.joined(graph.record(reason.decision.id), "outcome")]
        fresh = [reason.decision.id, *(key for key in ids if key not in visited)]
        visited.update(fresh)
        groups = [g for g in graph.of_outcomes(fresh) if g.reason.relation in CAME_ABOUT]
        for group in sorted(groups, key=lambda g: (-g.reason.strength, g.reason.link)):
            if group.reason.decision.id not in visited:
                out.append((group, reason.path, reason.strength))
    return out
