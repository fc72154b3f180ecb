"""Fits what counts as nearly the same action: ``python -m bench.fit_before --data DIR [--dry]``.

Writes ``brain/causal/weights/MODEL.json`` for e5-small and for no model. Fitted on our own actions
(``bench/actions.txt``) and the shared set's ``before.jsonl`` and ``why.jsonl``: each action against
its own decision and against the nearest others. Texts that contradict each other are left out of
the fit, since the engine never matches them. What is printed is by eight-fold cross-validation over
decisions.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import logistic
from brain.causal import match
from brain.embed import registry
from brain.recall import gate
from brain.text.fold import simplify

ACTIONS = Path(__file__).with_name("actions.txt")
WEIGHTS = Path(match.__file__).with_name("weights")
NEAREST = 4
"""Other decisions each action is held against, the nearest."""

L2 = 0.01
FOLDS = 8
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """An action, a decision, whether they are the same, and which decisions belong together."""

    action: str
    decision: str
    same: bool
    near_miss: bool
    group: int
    similarity: float


def own() -> list[tuple[list[str], list[tuple[str, frozenset[int]]]]]:
    """The decisions of ``actions.txt``, and its actions with the decisions they are."""
    decisions: list[str] = []
    actions: list[tuple[str, frozenset[int]]] = []
    for line in ACTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("D "):
            decisions.append(line[2:])
        elif line[:1] in "+-!" and line:
            same = frozenset({len(decisions) - 1}) if line[0] == "+" else frozenset()
            actions.append((line[2:], same))
    return [(decisions, actions)]


def shared(folder: Path) -> list[tuple[list[str], list[tuple[str, frozenset[int]]]]]:
    """The shared set's actions against its decisions, and its outcomes against outcomes."""
    records = _read(folder / "records.jsonl")
    number = {record["id"]: n for n, record in enumerate(records)}
    before = [
        (row["action"], frozenset(number[i] for i in row["expect"]))
        for row in _read(folder / "before.jsonl")
    ]
    return [([r["decision"] for r in records], before)]


def _read(path: Path) -> list[dict[str, object] | dict[str, str]]:  # type: ignore[type-arg]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def pairs(sets: list[tuple[list[str], list[tuple[str, frozenset[int]]]]]) -> list[Pair]:
    """Every action with its own decisions and the nearest others."""
    embedder = registry.open_embedder("e5-small")
    out: list[Pair] = []
    first = 0
    for decisions, actions in sets:
        vectors = embedder.embed_documents([simplify(d) for d in decisions])
        for action, same in actions:
            found = vectors @ embedder.embed_query(simplify(action))
            order = [int(n) for n in np.argsort(-found)]
            rest = [n for n in order if n not in same][:NEAREST]
            top = min(same) if same else order[0]
            for n in (*same, *rest):
                out.append(
                    Pair(
                        action,
                        decisions[n],
                        n in same,
                        not same and n == order[0],
                        first + top,
                        float(found[n]),
                    )
                )
        first += len(decisions)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--dry", action="store_true")
    args = parser.parse_args()
    found = pairs(own() + (shared(args.data) if args.data else []))
    weights = gate.load("e5-small")
    assert weights is not None
    for model in ("e5-small", gate.NO_MODEL):
        rows = [
            match.features(
                p.action, p.decision, None if model == gate.NO_MODEL else p.similarity,
                weights.near, weights.spread,
            )
            for p in found
        ]  # fmt: skip
        kept = [n for n, p in enumerate(found) if not match.opposed(p.action, p.decision)]
        names = sorted(rows[0])
        x = np.array([[rows[n][name] for name in names] for n in kept])
        y = np.array([float(found[n].same) for n in kept])
        group = np.array([found[n].group for n in kept])
        sample = np.array([1.0 if found[n].same or found[n].near_miss else 0.5 for n in kept])
        chance = np.zeros(len(y))
        for fold in range(FOLDS):
            train = group % FOLDS != fold
            part = logistic.fit(x[train], y[train], sample[train], L2)
            chance[~train] = part.probability(x[~train])
        lost = sum(found[n].same for n in range(len(found)) if n not in set(kept))
        print(f"{model}: {int(y.sum())} same, {lost} more taken for opposites")
        misses = {found[n].action for n in range(len(found)) if found[n].near_miss}
        for threshold in (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55):
            right = float((chance[y == 1] >= threshold).sum()) / (y.sum() + lost)
            wrong = {
                found[n].action
                for n, c in zip(kept, chance, strict=True)
                if c >= threshold and found[n].action in misses
            }
            print(
                f"  {threshold:.2f}  found {right:.3f}  near misses {len(wrong) / len(misses):.3f}"
            )
        fitted = logistic.fit(x, y, sample, L2)
        told = {
            "model": model,
            "bias": round(fitted.bias, _DIGITS),
            "weights": {
                n: round(float(w), _DIGITS) for n, w in zip(names, fitted.weights, strict=True)
            },
            "thresholds": THRESHOLDS[model],
            "near": weights.near,
            "spread": weights.spread,
            "near_stored": NEAR_STORED,
            "spread_stored": SPREAD_STORED,
        }
        print(json.dumps(told["weights"]))
        if not args.dry:
            WEIGHTS.mkdir(exist_ok=True)
            text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
            (WEIGHTS / f"{model}.json").write_text(text, encoding="utf-8")


NEAR_STORED, SPREAD_STORED = 0.885, 0.0185
"""Of e5-small, so that a pair of stored texts that say the same stands as far out as a question."""

THRESHOLDS = {
    "e5-small": {"action": 0.28, "outcome": 0.22, "hop": 0.45, "same": 0.98},
    gate.NO_MODEL: {"action": 0.3, "outcome": 0.28, "hop": 0.5, "same": 0.98},
}
"""Chosen where about one hard near miss in five passes, and none of the shared set."""

if __name__ == "__main__":
    main()
