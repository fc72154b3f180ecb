"""Fusing ranked lists: reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from brain.memory import Memory
from brain.store.view import to_ms

K = 60
"""The paper's constant: how flat the votes of neighbouring ranks are."""


def competition_ranks(scores: Mapping[int, float]) -> dict[int, int]:
    """1-based ranks by falling score; equal scores share the better rank."""
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    ranks: dict[int, int] = {}
    previous: float | None = None
    for place, (key, score) in enumerate(order, start=1):
        ranks[key] = ranks[order[place - 2][0]] if score == previous else place
        previous = score
    return ranks


def rrf(lanes: Sequence[tuple[float, Mapping[int, int]]], ids: Iterable[int]) -> dict[int, float]:
    """Σ weight / (K + rank) over the lanes that rank an id.

    Args:
        lanes: (weight, id → 1-based rank) each; summed in the given order, so that the same
            input gives the same float.
        ids: what to score; an id no lane ranks gets 0.
    """
    out = dict.fromkeys(ids, 0.0)
    for weight, ranks in lanes:
        for key, rank in ranks.items():
            if key in out:
                out[key] += weight / (K + rank)
    return out


def ordered(scores: Mapping[int, float]) -> list[int]:
    """Ids by falling score, ties by id."""
    return sorted(scores, key=lambda key: (-scores[key], key))


HALF_LIFE_DAYS = 365.0
"""After how many days recency counts half as much; gentle, so that age alone hides nothing."""

RECENCY_SHARE = 0.2
"""The largest share of the score that age can take away."""

_DAY_MS = 86_400_000


def quality(memory: Memory, reference: str | None) -> float:
    """importance × confidence × strength, times a gentle recency.

    Args:
        reference: the instant recency counts from, UTC ISO (last decay, so that an order stays the
            same between two runs of it); None before the first: no age counts.

    Returns:
        A value in [0, 1].
    """
    return memory.importance * memory.confidence * memory.strength * recency(memory, reference)


def recency(memory: Memory, reference: str | None) -> float:
    """The factor of :func:`quality` that age is: 1 for a new record, never below 1 minus its share.

    Args:
        reference: as for :func:`quality`.
    """
    if reference is None:
        return 1.0
    age = max(0, to_ms(reference, 0) - to_ms(memory.recorded_at, 0)) / _DAY_MS
    faded: float = 1.0 - 0.5 ** (age / HALF_LIFE_DAYS)
    return 1.0 - RECENCY_SHARE * faded
