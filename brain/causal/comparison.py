"""Comparing two actions by what came of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from brain.causal import match
from brain.causal.graph import Asked, Graph, Group, same
from brain.causal.precedent import MOST_REASONS, effect
from brain.results import CompareResult, Tally

LEAST_GAP = 0.25
"""By how much the shares of good outcomes must differ."""


class _Count(NamedTuple):
    """Good and bad observations, mixed ones among both."""

    good: int
    bad: int

    @property
    def share(self) -> float:
        """Laplace's rule: an action nothing is known of stands at one half."""
        return (self.good + 1) / (self.good + self.bad + 2)

    @property
    def rate(self) -> float:
        """The plain share of what was seen, which contexts are set against each other by."""
        return self.good / (self.good + self.bad)


def compare(
    graph: Graph, a: Asked, b: Asked, context: str, degraded: tuple[str, ...]
) -> CompareResult:
    """Which of two actions went better.

    Args:
        context: observations in it count before those of all contexts, where both sides have some.
    """
    found_a = {m.memory.id: m.probability for m in graph.alike(a, "decision")}
    found_b = {m.memory.id: m.probability for m in graph.alike(b, "decision")}
    # A decision that is like both belongs to the one it is more like.
    mine = [key for key in found_a if found_a[key] >= found_b.get(key, 0.0)]
    theirs = [key for key in found_b if found_b[key] > found_a.get(key, 0.0)]
    one, other = graph.of_decisions(mine), graph.of_decisions(theirs)
    if context:
        here_a, here_b = _within(one, context), _within(other, context)
        if _told(_count(here_a)) and _told(_count(here_b)):
            one, other = here_a, here_b
    better = _better(_count(one), _count(other))
    alone = _same_action(graph, a, b)
    if alone:
        better = "insufficient"
    reverse = not alone and _reversed(one, other, _count(one), _count(other))
    return CompareResult(better, _tally(one), _tally(other), reverse, degraded)


def _same_action(graph: Graph, a: Asked, b: Asked) -> bool:
    weights = match.load(graph.model if a.vector is not None else None)
    near = None
    if a.vector is not None and b.vector is not None:
        near = float(a.vector @ b.vector)
    if match.opposed(a.text, b.text):
        return False
    found = match.features(a.text, b.text, near, weights.near, weights.spread)
    return match.probability(weights, found) >= weights.thresholds["same"]


def _within(groups: Sequence[Group], context: str) -> list[Group]:
    return [group for group in groups if same(group.reason.context) == same(context)]


def _count(groups: Sequence[Group]) -> _Count:
    found: Counter[str] = Counter()
    for group in groups:
        found[effect(group.reason)] += group.reason.times
    return _Count(found["good"] + found["mixed"], found["bad"] + found["lost"] + found["mixed"])


def _told(count: _Count) -> bool:
    return count.good + count.bad > 0


def _better(a: _Count, b: _Count) -> str:
    if not (_told(a) and _told(b)) or abs(a.share - b.share) < LEAST_GAP:
        return "insufficient"
    winner, loser = ("a", b) if a.share > b.share else ("b", a)
    return winner if loser.bad else "insufficient"


def _reversed(one: Sequence[Group], other: Sequence[Group], a: _Count, b: _Count) -> bool:
    """Whether most contexts that both sides know say the contrary of all together (Simpson)."""
    if not (_told(a) and _told(b)) or a.rate == b.rate:
        return False
    votes = 0
    for context in {same(g.reason.context) for g in one} & {same(g.reason.context) for g in other}:
        here, there = _count(_within(one, context)), _count(_within(other, context))
        if _told(here) and _told(there):
            votes += (here.rate > there.rate) - (here.rate < there.rate)
    return votes != 0 and (votes > 0) != (a.rate > b.rate)


def _tally(groups: Sequence[Group]) -> Tally:
    found: Counter[str] = Counter()
    for group in groups:
        found[effect(group.reason)] += group.reason.times
    reasons = [group.reason for group in groups]
    return Tally(
        found["good"], found["bad"] + found["lost"], found["mixed"], found["neutral"],
        tuple(reasons[:MOST_REASONS]),
    )  # fmt: skip
