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

MOST_TURNS = 20
"""Turns of choosing looks and fitting; a few are enough."""

Judged = tuple["Rows", Array]
"""A set and the probability of each of its queries."""


@dataclass(frozen=True)
class Rows:
    """One set as arrays.

    Args:
        x: (looks, features), the looks at one query side by side, the query as a whole first.
        query: (looks,), which query each is a look at.
        y: of each query, 1 answerable, 0 not.
        asked: False where the engine said no without the model: its probability is 0.
        missing: of each unanswerable query, what is (see :func:`bench.data.what_is_missing`).
        kinds: of each query.
    """

    name: str
    x: Array
    query: np.ndarray
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
    def near_misses(self) -> bool:
        """Whether what is unanswerable here is asked nearly so in a note."""
        return bool((self.missing == data.NEAR).any())

    @property
    def absent(self) -> np.ndarray:
        """The queries whose topic is not there."""
        return np.asarray(self.missing == data.ABSENT)


def rows(dump: features.Dump, names: Sequence[str]) -> Rows:
    """A dump as arrays; a feature a query lacks is 0, as in the gate."""
    looks = [(q, look) for q, seen in enumerate(dump.looks) for look in seen]
    x = np.array([[look.get(n, 0.0) for n in names] for _, look in looks])
    query = np.array([q for q, _ in looks], dtype=int)
    y = np.array(dump.answerable, dtype=float)
    asked = np.array([bool(seen) for seen in dump.looks])
    missing = np.array(
        [
            "" if ok else data.what_is_missing(dump.name, kind)
            for ok, kind in zip(dump.answerable, dump.kinds, strict=True)
        ]
    )
    return Rows(dump.name, x.reshape(-1, len(names)), query, y, asked, missing, dump.kinds)


def weight(sets: Sequence[Rows]) -> dict[str, float]:
    """What each of some rows weighs: sets alike, and the sizes of one set alike.

    A set of near misses weighs ``NEAR_SHARE`` of that.
    """
    bases = [s.base for s in sets]
    return {
        s.name: (NEAR_SHARE if s.near_misses else 1.0) / (len(set(bases)) * bases.count(s.base))
        for s in sets
    }


def fit(sets: Sequence[Rows], l2: float) -> logistic.Model:
    """One model on several sets, each weighing the same, and in each yes as much as no.

    A set without both, as far as they may be fitted, says nothing and is left out. Of several looks
    at one query the model's best is fitted; which one that is, and the model, take turns until they
    agree (multiple-instance learning as in Andrews et al. 2003), beginning with the whole message.
    """
    sets = [s for s in sets if len(set(s.y[s.fitted])) == 2]
    share = weight(sets)
    ys, weights = [], []
    for s in sets:
        y = s.y[s.fitted]
        of_kind = np.where(y == 1, 1 / max((y == 1).sum(), 1), 1 / max((y == 0).sum(), 1))
        ys.append(y)
        weights.append(of_kind * share[s.name])
    y, weighed = np.concatenate(ys), np.concatenate(weights)
    chosen = [_best_looks(s, np.zeros(len(s.x)))[s.fitted] for s in sets]
    for _ in range(MOST_TURNS):
        x = np.vstack([s.x[c] for s, c in zip(sets, chosen, strict=True)])
        model = logistic.fit(x, y, weighed, l2)
        before = chosen
        chosen = [_best_looks(s, model.probability(s.x))[s.fitted] for s in sets]
        if all(map(np.array_equal, before, chosen)):
            break
    return model


def _best_looks(s: Rows, value: Array) -> np.ndarray:
    """Of each query the look of the highest value, the first of equal ones; −1 without a look."""
    best = np.full(len(s.y), -1)
    for look in np.lexsort((-np.arange(len(value)), value)):
        best[s.query[look]] = look
    return best


def judged(model: logistic.Model, s: Rows) -> Array:
    """The probability of each query of a set: that of its best look."""
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
