"""Fusing ranked lists: reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
