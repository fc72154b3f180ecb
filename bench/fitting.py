"""Fitting the gate: features as arrays, one model over several sets, the operating point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench import data, features, logistic
from bench.logistic import Array
from bench.tables import number

NEAR_SHARE = 0.2
"""What a set of near misses weighs beside the others. A gate taught to refuse the nearly same
question refuses paraphrases too: at 1 the recall on short notes falls by a quarter."""

LIFELIKE = {"people": 3.0, "own": 2.0}
"""What the sets weigh that are asked as people ask a memory; the others, made from reading
comprehension and templates, weigh 1. They keep the gate honest on long texts and other subjects."""

TURNS = 6
"""Turns of choosing hits and fitting; a few are enough."""

Judged = tuple["Rows", Array]
"""A set and the probability of each of its queries."""


@dataclass(frozen=True)
class Rows:
    """One set as arrays.

    Args:
        x: (hits, features), those of one query side by side, best first.
        query: (hits,), which query each is a hit of.
        right: (hits,), whether it answers.
        y: of each query, 1 answerable, 0 not.
        asked: False where the engine said no without the model: its probability is 0.
        missing: of each unanswerable query, what is (see :func:`bench.data.what_is_missing`).
        kinds: of each query.
    """

    name: str
    x: Array
    query: np.ndarray
    right: np.ndarray
    y: Array
    asked: np.ndarray
    missing: np.ndarray
    kinds: tuple[str, ...]

    @property
    def base(self) -> str:
        """The set, without the size."""
        return self.name.split("@")[0]

    @property
    def fitted(self) -> np.ndarray:
        """Which rows may take part in a fit."""
        return np.asarray(self.asked & (self.missing != data.FACT))

    @property
    def near(self) -> np.ndarray:
        """The queries that a note nearly answers."""
        return np.asarray(self.missing == data.NEAR)

    @property
    def near_misses(self) -> bool:
        """Whether all that is unanswerable here is asked nearly so in a note."""
        return bool(self.near.any() and not self.absent.any())

    @property
    def absent(self) -> np.ndarray:
        """The queries whose topic is not there."""
        return np.asarray(self.missing == data.ABSENT)


def rows(dump: features.Dump, names: Sequence[str]) -> Rows:
    """A dump as arrays; a feature a query lacks is 0, as in the gate."""
    hits = [(q, hit) for q, seen in enumerate(dump.hits) for hit in seen]
    x = np.array([[hit.get(n, 0.0) for n in names] for _, hit in hits])
    query = np.array([q for q, _ in hits], dtype=int)
    right = np.array([one for seen in dump.right for one in seen], dtype=bool)
    y = np.array(dump.answerable, dtype=float)
    asked = np.array([bool(seen) for seen in dump.hits])
    missing = np.array(
        [
            "" if ok else data.what_is_missing(dump.name, kind)
            for ok, kind in zip(dump.answerable, dump.kinds, strict=True)
        ]
    )
    return Rows(dump.name, x.reshape(-1, len(names)), query, right, y, asked, missing, dump.kinds)


def weight(sets: Sequence[Rows]) -> dict[str, float]:
    """What each of some rows weighs: sets alike, and the sizes of one set alike.

    A set whose unanswerable ones are all near misses weighs ``NEAR_SHARE`` of that.
    """
    bases = [s.base for s in sets]
    return {
        s.name: (NEAR_SHARE if s.near_misses else LIFELIKE.get(s.base, 1.0)) / bases.count(s.base)
        for s in sets
    }


def fit(sets: Sequence[Rows], l2: float) -> logistic.Model:
    """One model on several sets, each weighing the same, and in each yes as much as no.

    Of the hits of an answerable query the likeliest that answers is fitted, of another query the
    likeliest of all (multiple-instance learning as in Andrews et al. 2003). Which ones these are,
    and the model, take turns, beginning with the first hits; each turn fits the choices of all
    turns so far (fictitious play: the choices of the last alone go round in circles), and of the
    models the one whose own choices have the least loss is kept. A set without both answers, as
    far as they may be fitted, says nothing and is left out.
    """
    sets = [s for s in sets if len(set(s.y[s.fitted])) == 2]
    share = weight(sets)
    seen: list[tuple[Array, Array, Array]] = []
    best: tuple[float, logistic.Model] | None = None
    chosen = _chosen(sets, share, None)
    for _ in range(TURNS):
        seen.append(chosen)
        x, y, weighed = (np.concatenate(part) for part in zip(*seen, strict=True))
        model = logistic.fit(x, y, weighed, l2)
        chosen = _chosen(sets, share, model)
        loss = _loss(model, *chosen)
        if best is None or loss < best[0]:
            best = loss, model
    assert best is not None
    return best[1]


def _chosen(
    sets: Sequence[Rows], share: dict[str, float], model: logistic.Model | None
) -> tuple[Array, Array, Array]:
    """One hit a query with its label and weight; without a model the first that may be chosen."""
    xs, ys, weights = [], [], []
    for s in sets:
        value = model.probability(s.x) if model else np.zeros(len(s.x))
        rows, queries = _best_hits(s, value)
        y = s.y[queries]
        heavy = np.where(s.near[queries], NEAR_SHARE, 1.0)
        for kind in (0.0, 1.0):
            heavy[y == kind] /= max(heavy[y == kind].sum(), 1e-9)
        xs.append(s.x[rows])
        ys.append(y)
        weights.append(heavy * share[s.name])
    return np.vstack(xs), np.concatenate(ys), np.concatenate(weights)


def _best_hits(s: Rows, value: Array) -> tuple[np.ndarray, np.ndarray]:
    """Of each query that may be fitted the hit of the highest value, of answerable ones among those
    that answer, and the queries; one whose answer is not among its hits is left out."""
    best = np.full(len(s.y), -1)
    allowed = s.fitted[s.query] & ((s.y[s.query] == 0) | s.right)
    for row in np.lexsort((-np.arange(len(value)), value)):
        if allowed[row]:
            best[s.query[row]] = row
    there = best >= 0
    return best[there], np.flatnonzero(there)


def _loss(model: logistic.Model, x: Array, y: Array, weighed: Array) -> float:
    p = np.clip(model.probability(x), 1e-9, 1 - 1e-9)
    return float(-(weighed * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum() / weighed.sum())


def judged(model: logistic.Model, s: Rows) -> Array:
    """The probability of each query of a set: that of its likeliest hit."""
    out = np.zeros(len(s.y))
    np.maximum.at(out, s.query, model.probability(s.x))
    return out


def left_out(sets: Sequence[Rows], l2: float) -> list[Judged]:
    """Every set judged by a model fitted on the others; a set that is alone, by its own."""
    models = {
        base: fit([o for o in sets if o.base != base] or sets, l2)
        for base in {s.base for s in sets}
    }
    return [(s, judged(models[s.base], s)) for s in sets]


def operating_point(sets: Sequence[Judged], fir: float) -> float:
    """The lowest threshold at which at most ``fir`` of the absent topics pass, sets weighing alike.

    The lowest such threshold has the highest recall.
    """
    sets = [(s, p) for s, p in sets if s.absent.any()]
    share = weight([s for s, _ in sets])
    whole = sum(share.values())
    wrong = np.concatenate([p[s.absent] for s, p in sets])
    heavy = np.concatenate(
        [np.full(s.absent.sum(), share[s.name] / max(s.absent.sum(), 1)) for s, _ in sets]
    )
    order = np.argsort(-wrong, kind="stable")
    passed = np.cumsum(heavy[order])
    inside = int(np.searchsorted(passed, fir * whole, side="right"))
    if inside >= len(wrong):
        return 0.0
    return float(np.nextafter(wrong[order][inside], 2.0))


def calibration(sets: Sequence[Judged]) -> str:
    """Predicted against observed, in five bins, over the rows a fit may use."""
    p = np.concatenate([p[s.fitted] for s, p in sets])
    y = np.concatenate([s.y[s.fitted] for s, _ in sets])
    w = np.concatenate([np.full(s.fitted.sum(), 1.0 / s.fitted.sum()) for s, _ in sets])
    parts = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        here = (p >= low) & ((p < low + 0.2) | (low == 0.8))
        if here.any():
            said, was = (np.average(v[here], weights=w[here]) for v in (p, y))
            parts.append(f"{number(float(said), 2)}→{number(float(was), 2)}")
    brier = float(np.average((p - y) ** 2, weights=w))
    return f"calibration (said → was): {', '.join(parts)}; Brier {number(brier)}"
