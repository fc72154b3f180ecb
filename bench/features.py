"""What the gate sees for every query of a set, taken from the real engine.

The engine's own ``check`` runs; ``gate.features`` is listened to, so whatever features it gives
are what is fitted. A dump is kept until the code of recall changes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import files
from bench.data import Task
from bench.vectors import NO_MODEL, CachedEmbedder
from brain.recall import gate
from brain.text.fold import simplify
from brain.text.sentences import passages

_SEEING = ("recall/*.py", "text/*.py", "store/*.py", "engine.py", "memory.py")
"""The sources that decide what the gate sees."""

_NEVER = 2.0
"""A threshold no probability reaches: the gate stops after its first look."""

NEAR_QUERIES = 200
NEAR_DOCS = 100


@dataclass(frozen=True, slots=True)
class Dump:
    """A set's features, one entry a query in the set's order; None where the engine says no
    without asking the model (chit-chat, nothing found)."""

    name: str
    kinds: tuple[str, ...]
    answerable: tuple[bool, ...]
    features: tuple[dict[str, float] | None, ...]


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


def _first_passage(text: str) -> str:
    """What the engine embeds of a text's beginning."""
    start, stop = passages(text)[0]
    return simplify(text[start:stop])


def collect(
    task: Task,
    embedder: CachedEmbedder | None,
    near: float,
    spread: float,
    cache: Path,
    *,
    fresh: bool = False,
) -> Dump:
    """The features of a set's queries, from the cache where nothing that decides them changed.

    Args:
        near, spread: of this embedder, for the features that are measured in them.
        fresh: run the engine even so.
    """
    model = embedder.name if embedder else NO_MODEL
    stamp = f"{task.fingerprint}-{files.sources(_SEEING)}-{near}-{spread}"
    path = cache / "features" / model / f"{task.name}.json"
    if path.is_file() and not fresh:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["stamp"] == stamp:
            return _dump(task, data["features"])
    built = files.build(task, embedder, cache)
    weights = gate.Weights(model, 0.0, {}, _NEVER, near, spread)
    found: list[dict[str, float] | None] = []
    with files.open_file(built.path, embedder) as brain, _listening(weights) as heard:
        for query in task.queries:
            heard.clear()
            brain.check(query.text, scope=query.scope, now=task.asked_at(query))
            found.append(heard[0] if heard else None)
            if len(found) % 500 == 0:
                print(f"{task.name}: {len(found)}/{len(task.queries)}", file=sys.stderr)
    if embedder:
        embedder.flush()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"stamp": stamp, "features": found}), encoding="utf-8")
    return _dump(task, found)


def _dump(task: Task, found: list[dict[str, float] | None]) -> Dump:
    return Dump(
        task.name,
        tuple(q.kind for q in task.queries),
        tuple(q.answerable for q in task.queries),
        tuple(found),
    )


@contextmanager
def _listening(weights: gate.Weights) -> Iterator[list[dict[str, float]]]:
    """Gives the gate these weights and collects what its ``features`` returns."""
    heard: list[dict[str, float]] = []
    load, look = gate.load, gate.features

    def spy(*args: Any, **kwargs: Any) -> dict[str, float]:
        out = look(*args, **kwargs)
        heard.append(dict(out))
        return out

    gate.load = lambda model: weights  # type: ignore[assignment]
    gate.features = spy
    try:
        yield heard
    finally:
        gate.load, gate.features = load, look
