"""What the gate sees for every query of a set, taken from the real engine.

The engine's own ``check`` runs; ``gate.features`` is listened to, so whatever features it gives
are what is fitted. A dump is kept until the code of recall changes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench import files, spies
from bench.data import Task
from bench.vectors import NO_MODEL, CachedEmbedder
from brain.recall import gate, language
from brain.text.fold import simplify
from brain.text.sentences import passages

_SEEING = (
    "recall/*.py",
    "text/**/*.py",
    "store/**/*.py",
    "embed/encode.py",
    "engine.py",
    "memory.py",
)
"""The sources that decide what the gate sees."""

_NEVER = 2.0
"""A threshold no probability reaches: the gate stops after its first look."""

NEAR_QUERIES = 200
NEAR_DOCS = 100


@dataclass(frozen=True, slots=True)
class Dump:
    """Features, one entry a query in the order of the tasks.

    Args:
        looks: of each query the features of each look at it: one, and of a long message one more
            for each question in it, of which the engine takes the best. None where it says no
            without asking the model (chit-chat, nothing found).
    """

    name: str
    kinds: tuple[str, ...]
    answerable: tuple[bool, ...]
    looks: tuple[tuple[dict[str, float], ...], ...]


def background(task: Task, embedder: CachedEmbedder) -> tuple[float, float]:
    """Mean and mean square of the similarity of a set's queries to unrelated notes of it."""
    rng = np.random.default_rng(0)
    docs = [task.docs[i] for i in rng.permutation(len(task.docs))[:NEAR_DOCS]]
    asked = [task.queries[i] for i in rng.permutation(len(task.queries))[:NEAR_QUERIES]]
    stored = embedder.embed_documents([_first_passage(doc.text) for doc in docs])
    values: list[float] = []
    for query in asked:
        related = task.relevant.get(query.id, frozenset())
        near = stored @ embedder.embed_query(simplify(query.text))
        # A note of the query's own scope shares its topic; elsewhere chance alone relates them.
        values += [
            float(value)
            for doc, value in zip(docs, near, strict=True)
            if doc.id not in related and not (query.scope and doc.scope == query.scope)
        ]
    found = np.array(values)
    return float(found.mean()), float((found**2).mean())


def across(tasks: Sequence[Task], english: Task, embedder: CachedEmbedder) -> dict[str, float]:
    """Mean similarity of queries to unrelated notes where one side is English or both are.

    Args:
        tasks: Chinese sets, each weighing the same.
        english: an English one.
    """
    asked, told = _sample(english, embedder)
    others = [_sample(task, embedder) for task in tasks]
    return {
        language.pair(language.CHINESE, language.ENGLISH): float(
            np.mean([(told @ queries.T).mean() for queries, _ in others])
        ),
        language.pair(language.ENGLISH, language.CHINESE): float(
            np.mean([(docs @ asked.T).mean() for _, docs in others])
        ),
        language.pair(language.ENGLISH, language.ENGLISH): background(english, embedder)[0],
    }


def _sample(task: Task, embedder: CachedEmbedder) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of some queries and some notes of a set."""
    rng = np.random.default_rng(0)
    docs = [task.docs[i].text for i in rng.permutation(len(task.docs))[:NEAR_DOCS]]
    asked = [task.queries[i].text for i in rng.permutation(len(task.queries))[:NEAR_QUERIES]]
    queries = np.stack([embedder.embed_query(simplify(text)) for text in asked])
    return queries, embedder.embed_documents([_first_passage(text) for text in docs])


def _first_passage(text: str) -> str:
    """What the engine embeds of a text's beginning."""
    start, stop = passages(text)[0]
    return simplify(text[start:stop])


def collect(
    name: str,
    tasks: Sequence[Task],
    embedder: CachedEmbedder | None,
    weights: gate.Weights,
    cache: Path,
    *,
    fresh: bool = False,
) -> Dump:
    """The features of all queries of some tasks, from the cache where nothing that decides them
    changed.

    Args:
        name: of the whole, in reports and in the cache.
        tasks: each becomes a memory file of its own.
        weights: of this embedder, for what the features are measured in; it decides nothing.
        fresh: run the engine even so.
    """
    model = embedder.name if embedder else NO_MODEL
    prints = hashlib.sha256("".join(t.fingerprint for t in tasks).encode()).hexdigest()[:16]
    measured = f"{weights.near}-{weights.spread}-{sorted(weights.languages.items())}"
    stamp = f"{prints}-{files.sources(_SEEING)}-{files.indexing()}-{measured}"
    path = cache / "features" / model / f"{name}.json"
    if path.is_file() and not fresh:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["stamp"] == stamp and "looks" in data:
            return _dump(name, tasks, data["looks"])
    weights = replace(weights, thresholds={gate.DEFAULT: _NEVER})
    print(f"asking the engine: {name} …", file=sys.stderr)
    found = [f for task in tasks for f in _ask(task, embedder, weights, cache)]
    if embedder:
        embedder.flush()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"stamp": stamp, "looks": found}), encoding="utf-8")
    return _dump(name, tasks, found)


def _ask(
    task: Task, embedder: CachedEmbedder | None, weights: gate.Weights, cache: Path
) -> Iterator[list[dict[str, float]]]:
    built = files.build(task, embedder, cache)
    with (
        files.open_file(built.path, embedder) as brain,
        spies.replaced(gate, "load", lambda real: lambda model: weights),
        spies.results((gate, "features")) as (heard,),
    ):
        for query in task.queries:
            heard.clear()
            brain.check(query.text, scope=query.scope, now=task.asked_at(query))
            yield [dict(one) for one in heard]


def _dump(name: str, tasks: Sequence[Task], found: list[list[dict[str, float]]]) -> Dump:
    queries = [q for task in tasks for q in task.queries]
    return Dump(
        name,
        tuple(q.kind for q in queries),
        tuple(q.answerable for q in queries),
        tuple(map(tuple, found)),
    )
