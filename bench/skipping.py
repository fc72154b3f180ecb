"""Measures what it would cost not to embed a question: ``python -m bench.skipping --data DIR``.

Where words alone are sure of themselves, either way, a recall could do without the question's
vector. Each question is asked with vectors and in a file without any; by the probability that the
words alone give, the table says how often both decide the same, and how much of what is shown is
the same.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bench import data, files, vectors
from bench.tables import Row, publish, table

SETS = ("kw-cmrc-trial", "cmrc-trial", "memdaily-a", "tidb-faq-a", *data.ABSENT_SETS)

EACH = 70
"""Questions of a set, about, evenly chosen."""

SURE = ((0.0, 0.02), (0.0, 0.05), (0.0, 0.1), (0.9, 1.0), (0.95, 1.0), (0.98, 1.0))

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """One question asked both ways.

    Args:
        probability: that words alone give.
        agreed: whether the decision is the same.
        full, words: ids shown with vectors, and by words alone, best first.
    """

    probability: float
    agreed: bool
    full: tuple[int, ...]
    words: tuple[int, ...]


def pairs(task: data.Task, embedder: vectors.CachedEmbedder, cache: Path) -> list[Pair]:
    """The questions of one set, asked both ways."""
    built = files.build(task, embedder, cache)
    bare = files.build(task, None, cache)
    out: list[Pair] = []
    asked = task.queries[:: max(1, len(task.queries) // EACH)]
    with files.open_file(built.path, embedder) as full, files.open_file(bare.path, None) as words:
        for query in asked:
            (one, shown), (other, found) = (
                (
                    brain.check(query.text, scope=query.scope, now=task.asked_at(query)),
                    brain.recall(query.text, k=SHOWN, scope=query.scope, now=task.asked_at(query)),
                )
                for brain in (full, words)
            )
            out.append(
                Pair(
                    other.probability,
                    one.answerable == other.answerable,
                    tuple(h.id for h in shown.hits),
                    tuple(h.id for h in found.hits),
                )
            )
    return out


def report(found: list[Pair]) -> str:
    """The table."""
    rows: list[Row] = []
    for low, high in SURE:
        some = [p for p in found if low <= p.probability <= high and p.full]
        if not some:
            continue
        agreed = sum(p.agreed for p in some) / len(some)
        first = sum(p.full[0] in p.words[:1] for p in some) / len(some)
        same = sum(len({*p.full} & {*p.words}) / len(p.full) for p in some) / len(some)
        rows.append([f"{low} to {high}", len(some) / len(found), agreed, first, same])
    head = ("words alone give", "of all questions", "same decision", "same first", "same five")
    return table(head, rows)


def main() -> None:
    args = data.arguments(__doc__.splitlines()[0], SETS).parse_args()
    data.check(args.data, args.sets)
    embedder = vectors.embedder(args.model, args.cache)
    if embedder is None:
        sys.exit("needs a model")
    found: list[Pair] = []
    for name in args.sets:
        print(f"{name} …", file=sys.stderr)
        found += pairs(data.load(args.data, name), embedder, args.cache)
    text = f"{len(found)} questions, model {args.model}. Made by `python -m bench.skipping`.\n\n"
    text += report(found) + "\n"
    print(text)
    if args.out:
        publish(args.out, f"skipping {args.model}", text)


if __name__ == "__main__":
    main()
