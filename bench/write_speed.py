"""Durable writes measured: single adds and batches beside plain inserts of the same rows into the
same table under the same pragmas, in turn, without a model and with vectors made beforehand."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import notes
from bench.tables import Row, table
from brain import Brain
from brain.memory import Draft, content_hash
from brain.store import connection, memories, schema

BATCH = 500


class Beforehand:
    """Stands for the bundled model: a unit vector of its size for each text, at no cost."""

    name, dim, max_tokens, languages = "e5-small", 384, 512, ("zh",)

    def __init__(self) -> None:
        self._pool = np.random.default_rng(7).normal(size=(997, self.dim)).astype(np.float32)
        self._pool /= np.linalg.norm(self._pool, axis=1, keepdims=True)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._pool[[int(content_hash(t)[:8], 16) % len(self._pool) for t in texts]]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_documents([text])[0]


def plain(texts: Sequence[str], batch: int) -> tuple[float, float]:
    """Rows a second, by the clock and by the processor, inserted without any engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plain.db"
        connection.create(path)
        db = connection.connect(path, writable=True)
        with connection.immediate(db):
            schema.migrate(db)
        rows = [
            memories.Record(
                t, "note", "", "user", 0.5, 0.95, False, None, None, "2026-01-01T00:00:00.000Z"
            )
            for t in texts
        ]
        with _timed(len(texts)) as rate:
            for start in range(0, len(rows), batch):
                db.execute("BEGIN IMMEDIATE")
                for row in rows[start : start + batch]:
                    memories.insert(db, row)
                db.execute("COMMIT")
        db.close()
    return rate[0], rate[1]


def engine(
    texts: Sequence[str], batch: int, embedder: Beforehand | None, *, similar: bool = True
) -> tuple[float, float]:
    """Records a second, by the clock and by the processor, added by the engine.

    Args:
        similar: with a batch of one, also look for records that say nearly the same, as ``add``.
    """
    with (
        tempfile.TemporaryDirectory() as name,
        Brain.open(Path(name, "m.db"), model=embedder or "none") as brain,
    ):
        brain.add("开头的一条")
        with _timed(len(texts)) as rate:
            for start in range(0, len(texts), batch):
                if batch == 1 and similar:
                    brain.add(texts[start])
                else:
                    brain.add_many([Draft(t) for t in texts[start : start + batch]])
    return rate[0], rate[1]


@contextmanager
def _timed(count: int) -> Iterator[list[float]]:
    out: list[float] = []
    wall, busy = time.perf_counter(), time.process_time()
    yield out
    out += [count / (time.perf_counter() - wall), count / (time.process_time() - busy)]


def speed(single: int, batched: int, rounds: int) -> str:
    """The table of speeds: medians of rounds in which each is measured in turn."""
    texts = notes.notes(max(single, batched))
    ways: list[tuple[str, int, int, Callable[[Sequence[str], int], tuple[float, float]]]] = []
    for size, count in ((1, single), (BATCH, batched)):
        ways += [
            ("plain inserts", size, count, plain),
            ("engine, no model", size, count, lambda t, b: engine(t, b, None)),
            ("engine, vectors made beforehand", size, count, _with_vectors),
        ]
        if size == 1:
            ways.append(("engine, no model, `add_many` of one", size, count, _stored_alone))
    found: list[list[tuple[float, float]]] = [[] for _ in ways]
    for _ in range(rounds):
        for runs, (_, size, count, way) in zip(found, ways, strict=True):
            runs.append(way(texts[:count], size))
    rows: list[Row] = []
    base: dict[int, list[float]] = {}
    for runs, (name, size, count, _) in zip(found, ways, strict=True):
        wall = [w for w, _ in runs]
        base.setdefault(size, wall)
        ratio = statistics.median(w / b for w, b in zip(wall, base[size], strict=True))
        busy = statistics.median(b for _, b in runs)
        rows.append(
            [
                f"{name}, {'one by one' if size == 1 else f'{size} at a time'}",
                count,
                f"{statistics.median(wall):,.0f}",
                f"{max(wall):,.0f}",
                f"{busy:,.0f}",
                f"{ratio:.2f}",
            ]
        )
    return table(
        (
            f"durable, {rounds} rounds in turn",
            *("rows", "a second, median", "best", "a second of processor"),
            "÷ plain, median",
        ),
        rows,
    )


def _stored_alone(texts: Sequence[str], batch: int) -> tuple[float, float]:
    return engine(texts, batch, None, similar=False)


def _with_vectors(texts: Sequence[str], batch: int) -> tuple[float, float]:
    return engine(texts, batch, Beforehand())
