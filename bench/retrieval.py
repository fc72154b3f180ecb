"""Measures recall: ``python -m bench.retrieval --data DIR [--sets a,b] [--model …] [--out FILE]``.

For each set one real memory file is built, and every query runs through the real engine and
through each lane alone, each pair and all three under plain RRF (see :mod:`bench.lanes`).
Scores are those of the data folder's ``score.py``; a query sees its own scope and the global one.
"""

from __future__ import annotations

import contextlib
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import data, files, lanes, tables, vectors
from bench.tables import Row, number
from brain import Brain, BrainError
from brain.memory import Hit
from brain.store import memory_file

K = 10

ENGINE = "**the engine** (all three, second stage)"
WORDS_ONLY = "the engine without vectors"
ORDER = (*lanes.NAMES, WORDS_ONLY, ENGINE)

METRICS = (("nDCG@10", "ndcg@10"), ("hit@1", "hit@1"), ("recall@10", "recall@10"))

BEST_LANE = "best single lane"
AGAINST = "engine − best single lane"


@dataclass(frozen=True)
class Measured:
    """One set's scores: way of ranking → what ``score.py`` says."""

    name: str
    scores: dict[str, dict[str, Any]]

    def value(self, way: str, metric: str) -> float | None:
        """One number, or None where this way was not run."""
        found = self.scores.get(way)
        return None if found is None else float(found["all"][metric])


def measure(
    scorer: data.Scorer,
    task: data.Task,
    embedder: vectors.CachedEmbedder | None,
    cache: Path,
) -> Measured:
    """Runs every query of a set in every way."""
    built = files.build(task, embedder, cache)
    runs: dict[str, dict[str, list[tuple[str, float]]]] = {}
    store = memory_file.Store(built.path, read_only=True)
    with (
        files.open_file(built.path, embedder) as brain,
        contextlib.closing(store),
        lanes.listening() as heard,
    ):
        ways = lanes.Lanes(task, store, heard)
        for query in task.queries:
            if not task.relevant.get(query.id):
                continue
            heard.clear()
            engine = _ids(_recall(brain, task, query, words_only=False))
            found = ways.rankings(query)
            found[ENGINE] = engine
            if embedder is not None:
                found[WORDS_ONLY] = _ids(_recall(brain, task, query, words_only=True))
            for way, ids in found.items():
                runs.setdefault(way, {})[query.id] = built.ranking(ids)
    return Measured(
        task.name, {way: scorer.score(str(task.folder), run) for way, run in runs.items()}
    )


def _recall(brain: Brain, task: data.Task, query: data.Query, *, words_only: bool) -> Sequence[Hit]:
    way = brain.search if words_only else brain.recall
    try:
        return way(query.text, K, scope=query.scope, now=task.asked_at(query)).hits
    except BrainError as e:
        if e.code != "brain_query_empty":
            raise
        return ()


def _ids(hits: Sequence[Hit]) -> list[int]:
    return [h.id for h in hits]


def overview(found: Sequence[Measured], metric: str) -> str:
    """One metric: a row for each way, a column for each set, and the mean."""
    rows: list[Row] = []
    for way in ORDER:
        values = [m.value(way, metric) for m in found]
        if any(v is not None for v in values):
            rows.append([way, *values, _mean(values)])
    best = [_best(m, metric) for m in found]
    gain = [
        None if b is None else (m.value(ENGINE, metric) or 0.0) - b
        for m, b in zip(found, best, strict=True)
    ]
    rows.append([BEST_LANE, *best, _mean(best)])
    rows.append([AGAINST, *(_signed(g) for g in gain), _signed(_mean(gain))])
    return tables.table(("", *(m.name for m in found), "mean"), rows)


def _best(measured: Measured, metric: str) -> float | None:
    values = [measured.value(way, metric) for way in lanes.ALONE]
    return max((v for v in values if v is not None), default=None)


def _mean(values: Sequence[float | None]) -> float | None:
    there = [v for v in values if v is not None]
    return sum(there) / len(there) if there and len(there) == len(values) else None


def _signed(value: float | None) -> str:
    if value is None:
        return number(None)
    return ("+" if value >= 0 else "−") + number(abs(value))


def by_kind(found: Sequence[Measured]) -> str:
    """The engine's scores for each kind of query, beside bigrams and vectors alone."""
    rows: list[Row] = []
    for m in found:
        whole = m.scores[ENGINE]
        kinds = whole.get("kinds") or {"all": whole["all"]}
        for kind, values in kinds.items():
            beside = [_kind_value(m, way, kind) for way in (lanes.BIGRAM, lanes.SEMANTIC)]
            own = [values[key] for _, key in METRICS]
            rows.append([f"{m.name} · {kind}", int(values["n"]), *own, *beside])
    head = ("set · kind", "n", *(f"{label}" for label, _ in METRICS))
    return tables.table((*head, "bigram nDCG@10", "semantic nDCG@10"), rows)


def _kind_value(measured: Measured, way: str, kind: str) -> float | None:
    found = measured.scores.get(way)
    if found is None:
        return None
    kinds = found.get("kinds") or {"all": found["all"]}
    return float(kinds[kind]["ndcg@10"])


def page(found: Sequence[Measured], model: str) -> str:
    """Everything as one Markdown text."""
    parts = [
        f"Model {model}; {platform.machine()}, Python {platform.python_version()}. Made by "
        "`python -m bench.retrieval`.",
        "The quality lane has no row of its own: it ranks only what another lane proposed, and "
        "the notes of these sets are all of one quality. The lexical and the semantic lane are "
        "the engine's own candidates; the two indexes are asked plainly, for every gram.",
    ]
    for label, metric in METRICS:
        parts += [f"### {label}", overview(found, metric)]
    parts += ["### The engine by kind of query", by_kind(found)]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = data.arguments(__doc__.splitlines()[0], data.RETRIEVAL_SETS)
    args = parser.parse_args()
    data.check(args.data, args.sets)
    scorer = data.scorer(args.data)
    embedder = vectors.embedder(args.model, args.cache)
    found: list[Measured] = []
    for name in args.sets:
        print(f"{name} …", file=sys.stderr)
        found.append(measure(scorer, data.load(args.data, name), embedder, args.cache))
        if embedder:
            embedder.flush()
    text = page(found, args.model)
    print(text)
    if args.out:
        tables.publish(args.out, f"retrieval {args.model}", text)


if __name__ == "__main__":
    main()
