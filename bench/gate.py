"""Measures the gate: ``python -m bench.gate --data DIR [--sets a,b] [--model …]``.

``Brain.check`` is asked every query of each set; its probability and decision are scored by the
data folder's ``score.py``. ``useful`` is the share of answerable queries that get a yes and among
the ids that come with it, first five, a memory that answers. ``NAME@30`` is a set asked over
memories of about 30 notes (see :mod:`bench.small`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench import data, files, judging, small, tables, vectors
from bench.tables import Row

_COLUMNS = (
    "answerable",
    "unanswerable",
    "auroc",
    "recall@fir5%",
    "recall@fir10%",
    "precision",
    "recall",
    "false_injection",
    "useful_injection",
)


def asked(
    task: data.Task, embedder: vectors.CachedEmbedder | None, cache: Path
) -> tuple[dict[str, list[tuple[str, float]]], dict[str, tuple[float, int]]]:
    """The engine's answer to every query: the run (ids of the yes) and the gate, by query id."""
    built = files.build(task, embedder, cache)
    run: dict[str, list[tuple[str, float]]] = {}
    gate: dict[str, tuple[float, int]] = {}
    with files.open_file(built.path, embedder) as brain:
        for query in task.queries:
            answer = brain.check(query.text, scope=query.scope, now=task.asked_at(query))
            run[query.id] = built.ranking(answer.ids)
            gate[query.id] = (answer.probability, int(answer.answerable))
    return run, gate


def judged(
    scorer: data.Scorer,
    name: str,
    queries: Sequence[data.Query],
    answers: Sequence[tuple[float, int]],
) -> list[Row]:
    """The rows of one set, or of its parts at another size."""
    return judging.by_kind(
        scorer,
        name,
        [q.kind for q in queries],
        np.array([q.answerable for q in queries]),
        np.array([p for p, _ in answers]),
        np.array([bool(d) for _, d in answers]),
    )


def answered_by_kind(task: data.Task, gate: dict[str, tuple[float, int]]) -> list[Row]:
    """Recall at the decision for each kind of answerable query."""
    kinds: dict[str, list[int]] = {}
    for query in task.queries:
        if query.answerable:
            kinds.setdefault(query.kind, []).append(gate[query.id][1])
    return [
        [f"{task.name} · {kind}", len(taken), float(np.mean(taken))]
        for kind, taken in sorted(kinds.items())
    ]


def main() -> None:
    parser = data.arguments(__doc__.splitlines()[0], data.GATE_SETS)
    data.add_sizes(parser, "30,5000")
    args = parser.parse_args()
    data.check(args.data, args.sets)
    scorer = data.scorer(args.data)
    embedder = vectors.embedder(args.model, args.cache)
    filler = data.filler(args.data) if args.sizes else ()
    whole: list[Row] = []
    rows: list[Row] = []
    kinds: list[Row] = []
    for name in args.sets:
        print(f"{name} …", file=sys.stderr)
        task = data.load(args.data, name)
        run, gate = asked(task, embedder, args.cache)
        found = scorer.score(str(task.folder), run, gate).get("abstain")
        if found is None:
            raise data.stop(f"{name} has no unanswerable queries; it says nothing about the gate.")
        whole.append([name, *(found[key] for key in _COLUMNS)])
        rows += judged(scorer, name, task.queries, [gate[q.id] for q in task.queries])
        kinds += answered_by_kind(task, gate)
        for size in args.sizes if name in data.ABSENT_SETS else ():
            parts = small.resized(task, size, filler)
            answers: list[tuple[float, int]] = []
            for part in parts:
                answered = asked(part, embedder, args.cache)[1]
                answers += [answered[q.id] for q in part.queries]
            queries = [q for part in parts for q in part.queries]
            rows += judged(scorer, f"{name}@{size}", queries, answers)
    if embedder:
        embedder.flush()
    text = "\n\n".join(
        (
            f"The gate, model {args.model}, at its default operating point",
            tables.table(("set", "yes", "no", *judging.HEAD[4:], "useful"), whole),
            tables.table(judging.HEAD, rows),
            judging.means(rows),
            tables.table(("set · kind of answerable", "n", "recall"), kinds),
        )
    )
    print(text)
    if args.out:
        tables.publish(args.out, f"gate {args.model}", text)


if __name__ == "__main__":
    main()
