"""What the gate sees for every query of a set, taken from the real engine.

The engine's own ``check`` runs; ``gate.features`` is listened to, so whatever features it gives
are what is fitted. A dump is kept until the code of recall changes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        hits: of each query the features of each hit the gate held against it, of the query as a
            whole first, and of a long message those of each question in it; the engine takes the
            likeliest. None where it says no without asking the model (chit-chat, nothing found).
        right: of each of these hits, whether it answers.
    """

    name: str
    kinds: tuple[str, ...]
    answerable: tuple[bool, ...]
    hits: tuple[tuple[dict[str, float], ...], ...]
    right: tuple[tuple[bool, ...], ...]


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
        if data["stamp"] == stamp and "hits" in data:
            return _dump(name, tasks, data["hits"])
    weights = weights._replace(thresholds={gate.DEFAULT: _NEVER})
    print(f"asking the engine: {name} …", file=sys.stderr)
    found = [f for task in tasks for f in _ask(task, embedder, weights, cache)]
    if embedder:
        embedder.flush()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"stamp": stamp, "hits": found}), encoding="utf-8")
    return _dump(name, tasks, found)


_Heard = list[tuple[dict[str, float], bool]]
"""The features of each hit of a query, and whether it answers."""


def _ask(
    task: Task, embedder: CachedEmbedder | None, weights: gate.Weights, cache: Path
) -> Iterator[_Heard]:
    built = files.build(task, embedder, cache)
    heard: list[tuple[dict[str, float], int]] = []

    def listening(real: spies.Function) -> spies.Function:
        def features(*args: Any) -> dict[str, float]:
            out: dict[str, float] = real(*args)
            heard.append((dict(out), args[3].id))
            return out

        return features

    with (
        files.open_file(built.path, embedder) as brain,
        spies.replaced(gate, "load", lambda real: lambda model: weights),
        spies.replaced(gate, "features", listening),
    ):
        for query in task.queries:
            heard.clear()
            brain.check(query.text, scope=query.scope, now=task.asked_at(query))
            right = task.relevant.get(query.id, frozenset()) if query.answerable else frozenset()
            yield [(one, not right.isdisjoint(built.docs[i])) for one, i in heard]


def _dump(name: str, tasks: Sequence[Task], found: list[_Heard]) -> Dump:
    queries = [q for task in tasks for q in task.queries]
    return Dump(
        name,
        tuple(q.kind for q in queries),
        tuple(q.answerable for q in queries),
        tuple(tuple(features for features, _ in hits) for hits in found),
        tuple(tuple(bool(right) for _, right in hits) for hits in found),
    )
