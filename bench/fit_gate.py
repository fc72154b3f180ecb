"""Fits the gate: ``python -m bench.fit_gate --data DIR [--model e5-small|bge-small-zh|none]``.

Writes ``brain/recall/weights/MODEL.json``. The features come from the real engine (see
:mod:`bench.features`); the model is a logistic regression in which every set weighs the same, and
within a set the answerable queries as much as the others. Queries whose topic is there and only
the asked fact is missing are left out of the fit: on them retrieval evidence is near chance, and
fitting it teaches the gate to doubt good evidence.

What is printed is honest in this sense: each set is judged by a model fitted on the other sets
(leave one set out). The default threshold is the one with the highest recall on those
probabilities at which at most 5 % of the queries without a topic in the notes pass, every set
weighing the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import data, features, judging, logistic, tables, vectors
from bench.logistic import Array
from bench.tables import number

TARGET_FIR = 0.05
"""False injections allowed at the default operating point."""

OTHER_FIRS = (0.02, 0.10)
"""For presets; printed beside the default."""

WEIGHTS = Path(data.__file__).parent.parent / "brain" / "recall" / "weights"

_DIGITS = 6


@dataclass(frozen=True)
class Rows:
    """One set as arrays.

    Args:
        x: (n, features); zeros where the engine said no by itself.
        y: 1 answerable, 0 not.
        asked: False where the engine said no without the model: its probability is 0.
        absent: unanswerable because the topic is not there.
        kinds: of each query.
    """

    name: str
    x: Array
    y: Array
    asked: np.ndarray
    absent: np.ndarray
    kinds: tuple[str, ...]

    @property
    def fitted(self) -> np.ndarray:
        """Which rows may take part in a fit."""
        return np.asarray(self.asked & ((self.y == 1) | self.absent))


def rows(dump: features.Dump, names: Sequence[str]) -> Rows:
    """A dump as arrays; a feature a query lacks is 0, as in the gate."""
    x = np.array([[(f or {}).get(n, 0.0) for n in names] for f in dump.features])
    y = np.array(dump.answerable, dtype=float)
    asked = np.array([f is not None for f in dump.features])
    absent = np.array(
        [
            not ok and (dump.name, kind) not in data.FACT_MISSING
            for ok, kind in zip(dump.answerable, dump.kinds, strict=True)
        ]
    )
    return Rows(dump.name, x, y, asked, absent, dump.kinds)


def fit(sets: Sequence[Rows], l2: float) -> logistic.Model:
    """One model on several sets, each weighing the same, and in each yes as much as no."""
    xs, ys, weights = [], [], []
    for s in sets:
        keep = s.fitted
        y = s.y[keep]
        share = np.where(y == 1, 0.5 / max((y == 1).sum(), 1), 0.5 / max((y == 0).sum(), 1))
        xs.append(s.x[keep])
        ys.append(y)
        weights.append(share)
    return logistic.fit(np.vstack(xs), np.concatenate(ys), np.concatenate(weights), l2)


def judged(model: logistic.Model, s: Rows) -> Array:
    """The probability of each query of a set."""
    return np.where(s.asked, model.probability(s.x), 0.0)


def operating_point(sets: Sequence[tuple[Rows, Array]], fir: float) -> float:
    """The lowest threshold at which at most ``fir`` of the absent topics pass, sets weighing alike.

    The lowest such threshold has the highest recall.
    """
    values = np.unique(np.concatenate([p for _, p in sets]))
    best = 1.0
    for threshold in values[::-1]:
        passed = np.mean([(p[s.absent] >= threshold).mean() for s, p in sets if s.absent.any()])
        if passed > fir:
            break
        best = float(threshold)
    return best


def report(
    scorer: data.Scorer, sets: Sequence[tuple[Rows, Array]], threshold: float
) -> list[tables.Row]:
    """One row for each set and kind of unanswerable query."""
    return [
        line
        for s, p in sets
        for line in judging.by_kind(scorer, s.name, s.kinds, s.y == 1, p, p >= threshold)
    ]


def calibration(sets: Sequence[tuple[Rows, Array]]) -> str:
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


def main() -> None:
    parser = data.arguments(__doc__.splitlines()[0], data.ABSENT_SETS)
    parser.add_argument("--also", default=None, help="sets to report on without fitting them")
    parser.add_argument("--l2", type=float, default=1e-3, help="penalty; default %(default)s")
    parser.add_argument("--fresh", action="store_true", help="run the engine again")
    parser.add_argument("--dry-run", action="store_true", help="print, and write no weights")
    parser.add_argument("--out", type=Path, default=None, help="file to write instead")
    args = parser.parse_args()
    also = tuple(x for x in (args.also or "").split(",") if x)
    data.check(args.data, (*args.sets, *also))
    scorer = data.scorer(args.data)
    embedder = vectors.embedder(args.model, args.cache)
    tasks = [data.load(args.data, name) for name in (*args.sets, *also)]

    near, spread = 0.0, 1.0
    if embedder:
        moments = np.array([features.background(t, embedder) for t in tasks[: len(args.sets)]])
        mean, square = moments.mean(axis=0)
        near, spread = round(float(mean), _DIGITS), round(float(np.sqrt(square - mean**2)), _DIGITS)
    dumps = [
        features.collect(t, embedder, near, spread, args.cache, fresh=args.fresh) for t in tasks
    ]
    names = sorted({n for d in dumps for f in d.features if f for n in f})
    everything = [rows(d, names) for d in dumps]
    own, others = everything[: len(args.sets)], everything[len(args.sets) :]

    model = fit(own, args.l2)
    left_out = [
        (s, judged(fit([o for o in own if o is not s], args.l2) if len(own) > 1 else model, s))
        for s in own
    ]
    threshold = round(operating_point(left_out, TARGET_FIR) + 0.5e-4, 4)
    lines = report(scorer, left_out, threshold)
    lines += report(scorer, [(s, judged(model, s)) for s in others], threshold)
    print(f"\nmodel {args.model}, near {near}, spread {spread}, λ {args.l2}, features:")
    print(", ".join(f"{n} {w:+.3f}" for n, w in zip(names, model.weights, strict=True)))
    print(f"\nLeave one set out (sets of --also: the final model), threshold {threshold}\n")
    print(tables.table(judging.HEAD, lines))
    print(f"\n{judging.mean_auroc(lines)}")
    print(calibration(left_out))
    for fir in OTHER_FIRS:
        t = operating_point(left_out, fir)
        recall = np.mean([(p[s.y == 1] >= t).mean() for s, p in left_out])
        print(f"FIR ≤ {fir:.0%}: threshold {t:.4f}, recall {number(float(recall))}")

    if not args.dry_run:
        path = args.out or WEIGHTS / f"{args.model}.json"
        fitted = {
            "model": args.model,
            "bias": round(model.bias, _DIGITS),
            "weights": {
                n: round(float(w), _DIGITS) for n, w in zip(names, model.weights, strict=True)
            },
            "threshold": threshold,
            "near": near,
            "spread": spread,
        }
        path.write_text(json.dumps(fitted, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"written: {path}")


if __name__ == "__main__":
    main()
