"""Measures what a file survives, and how fast it is written: ``python -m bench.survive``.

- crowd: many processes add to one file at once while others read it;
- kills: a process that writes is killed at random points, and what it was told is held against
  the file: every acknowledged write, the pages, both text indexes, the vectors;
- answers: one question asked over and over has one score;
- speed: single durable adds and batches beside plain inserts of the same rows into the same table
  under the same pragmas, in turn, without a model and with vectors made beforehand.

POSIX only: the processes are forked, so that 200 of them start in seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import select
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from bench import data, notes
from bench.tables import Row, publish, table
from brain import Brain
from brain.memory import Draft, content_hash
from brain.store import connection, integrity, memories, memory_file, meta, schema
from brain.text.timestamps import now_utc

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


# Processes -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Child:
    """A forked process and the pipe it tells what it did through."""

    pid: int
    told: int

    def lines(self) -> list[str]:
        """Everything it still tells, to its end."""
        out = bytearray()
        while chunk := os.read(self.told, 1 << 16):
            out += chunk
        os.close(self.told)
        # What was cut off in the middle was not said.
        return out.decode().split("\n")[:-1]


def fork(work: Callable[[Callable[[str], None]], None]) -> Child:
    """Runs ``work`` in a process of its own; what it is given writes one line to the parent."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return Child(pid, read)
    os.close(read)
    try:
        work(lambda line: void(os.write(write, line.encode() + b"\n")))
    except BaseException as e:  # the parent has to know, whatever it was
        os.write(write, json.dumps({"error": repr(e)}).encode() + b"\n")
    finally:
        os._exit(0)


def void(_: object) -> None:
    """Takes a value and gives none."""


# Many at once --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Crowd:
    """What many processes left behind. ``lost``: acknowledged and not in the file."""

    writers: int
    each: int
    readers: int
    found: int
    lost: int
    errors: tuple[str, ...]
    reads: int
    seconds: float
    faults: tuple[str, ...]


def crowd(path: Path, writers: int, each: int, readers: int) -> Crowd:
    """``writers`` processes add ``each`` records, none of them finding a file at first."""
    start = time.time() + 0.3 + 0.02 * (writers + readers)
    over, end = os.pipe()

    def write(who: int, tell: Callable[[str], None]) -> None:
        os.close(end)
        time.sleep(max(0.0, start - time.time()))
        with Brain.open(path, model="none") as brain:
            for n in range(each):
                text = f"{who}号岗亭第{n}次换班登记，钥匙已交接"
                tell(json.dumps({"id": brain.add(text).id, "text": text}))

    def read(tell: Callable[[str], None]) -> None:
        time.sleep(max(0.0, start - time.time()))
        seen = count = 0
        os.close(end)
        with Brain.open(path) as brain:
            while not select.select([over], [], [], 0)[0]:
                total = brain.stats().total
                if total < seen:
                    tell(json.dumps({"error": f"{total} records after {seen}"}))
                seen = total
                brain.recall("岗亭的钥匙")
                count += 2
        tell(json.dumps({"reads": count}))

    watching = [fork(read) for _ in range(readers)]
    children = [fork(lambda tell, who=who: write(who, tell)) for who in range(writers)]
    told = [json.loads(line) for child in children for line in child.lines()]
    seconds = time.time() - start
    os.close(end)
    told += [json.loads(line) for child in watching for line in child.lines()]
    os.close(over)
    for child in (*children, *watching):
        os.waitpid(child.pid, 0)
    with Brain.open(path) as brain:
        kept = {m.id: m.text for m in brain.list(limit=None, all=True)}
    return Crowd(
        writers,
        each,
        readers,
        len(kept),
        sum(kept.get(t["id"]) != t["text"] for t in told if "id" in t),
        tuple(t["error"] for t in told if "error" in t),
        sum(t.get("reads", 0) for t in told),
        seconds,
        tuple(faults(path)),
    )


# Killed --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kills:
    """What killing left behind. ``early``: kills before the first acknowledgement."""

    kills: int
    early: int
    acknowledged: int
    found: int
    reused: int
    errors: tuple[str, ...]
    faults: tuple[str, ...]
    seconds: float


def kill_writers(path: Path, kills: int, longest: float, seed: int = 1) -> Kills:
    """Kills a writing process ``kills`` times with SIGKILL, each within ``longest`` seconds.

    What is held against the file is what the process had said was stored, with its text and, for
    a record that was replaced, its heir.
    """
    began = time.time()
    rnd = random.Random(seed)
    stored: dict[int, str] = {}
    heirs: dict[int, int] = {}
    errors: list[str] = []
    wrong: list[str] = []
    early = reused = 0
    for n in range(kills):
        child = fork(lambda tell, n=n: _work(path, n, tell))
        select.select([child.told], [], [], 60)  # it has begun
        time.sleep(rnd.random() * longest)
        os.kill(child.pid, signal.SIGKILL)
        told = [json.loads(line) for line in child.lines()]
        os.waitpid(child.pid, 0)
        early += not any("id" in t for t in told)
        errors += [t["error"] for t in told if "error" in t]
        for t in told:
            if "id" in t:
                reused += t["id"] in stored
                stored[t["id"]] = t["text"]
                if "old" in t:
                    heirs[t["old"]] = t["id"]
        if n % 20 == 19 or n == kills - 1:
            wrong += faults(path)
    with Brain.open(path) as brain:
        kept = {m.id: m for m in brain.list(limit=None, all=True, all_scopes=True)}
    found = sum(i in kept and kept[i].text == text for i, text in stored.items())
    wrong += [
        f"#{a} has no heir" for a, b in heirs.items() if a not in kept or kept[a].superseded_by != b
    ]
    seconds = time.time() - began
    return Kills(kills, early, len(stored), found, reused, tuple(errors), tuple(wrong), seconds)


def _work(path: Path, who: int, tell: Callable[[str], None]) -> None:
    """Writes of every kind until it is killed, each told once it is done."""
    rnd = random.Random(who)
    with Brain.open(path, model=Beforehand()) as brain:
        if who % 4 == 0:
            tell("{}")  # killed perhaps before its first write
        for n in range(100_000):
            texts = [
                f"{who}号车第{n}趟第{i}单，{rnd.choice('甲乙丙丁')}仓出库已签收" for i in range(4)
            ]
            done = brain.add(texts[0], scope=f"库{n % 3}")
            tell(json.dumps({"id": done.id, "text": texts[0]}))
            batch = brain.add_many([Draft(t) for t in texts[1:]])
            for text, one in zip(texts[1:], batch, strict=True):
                tell(json.dumps({"id": one.id, "text": text}))
            text = texts[0] + "，后来退回"
            swap = brain.supersede(done.id, text=text)
            tell(json.dumps({"id": swap.new, "text": text, "old": swap.old}))
            brain.expire(batch[0].id, at="2031-01-01")


def faults(path: Path) -> list[str]:
    """What does not agree in a file: pages, text indexes, passages, vectors, lineage."""
    out: list[str] = []
    store = memory_file.Store(path)
    with store.read() as db:
        out += integrity.integrity(db)
        checks = {
            "passages": integrity.without_passages(db) + integrity.ownerless_passages(db),
            "lineage": integrity.dangling_links(db)
            + integrity.one_sided_links(db)
            + integrity.link_cycles(db),
            "hashes": integrity.bad_hashes(db),
            "journal": integrity.unjournaled(db),
        }
        for index in ("grams", "trigrams"):
            checks[f"{index}: no row"] = integrity.unindexed(db, index)
            checks[f"{index}: ghosts"] = integrity.orphaned_rows(db, index)
            checks[f"{index}: words"] = integrity.mismatched_rows(db, index)
        facts = memory_file.facts(db)
        if facts.get(meta.VECTORS):
            checks.update(integrity.vector_faults(db, facts[meta.VECTORS], int(facts[meta.DIM])))
    store.close()
    return out + [f"{name} {ids[:5]}" for name, ids in checks.items() if ids]


# One question, one answer --------------------------------------------------------------------


def answers(path: Path, question: str, runs: int) -> int:
    """How many different (ids, scores) one question gets in ``runs`` runs."""
    seen = set()
    moment = now_utc()  # what decides by time is not measured here
    with Brain.open(path, read_only=True) as brain:
        for _ in range(runs):
            hits = brain.recall(question, k=20, now=moment).hits
            seen.add(tuple((hit.id, repr(hit.score)) for hit in hits))
    return len(seen)


# Speed ---------------------------------------------------------------------------------------


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def plain(texts: Sequence[str], batch: int) -> tuple[float, float]:
    """Rows a second, by the clock and by the processor, inserted without any engine."""
    with _folder() as folder:
        path = folder / "plain.db"
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
    with _folder() as folder, Brain.open(folder / "m.db", model=embedder or "none") as brain:
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


# Printing ------------------------------------------------------------------------------------


def crowd_table(done: Crowd) -> str:
    """One row about :func:`crowd`."""
    head = ("writers × writes, readers", "found", "lost", "errors", "reads", "seconds", "faults")
    row: Row = [
        f"{done.writers} × {done.each}, {done.readers} reading",
        *(done.found, done.lost, len(done.errors), done.reads),
        f"{done.seconds:.1f}",
        len(done.faults),
    ]
    return table(head, [row])


def kills_table(done: Kills) -> str:
    """One row about :func:`kill_writers`."""
    head = ("kill -9", "before its first write", "acknowledged", "found", "ids reused")
    head += ("errors", "integrity", "seconds")
    row: Row = [
        str(done.kills),
        *(done.early, done.acknowledged, done.found, done.reused, len(done.errors)),
        "ok" if not done.faults else "; ".join(done.faults[:3]),
        f"{done.seconds:.1f}",
    ]
    return table(head, [row])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=int, default=32, help="default: %(default)s")
    parser.add_argument("--each", type=int, default=50, help="adds of each; default: %(default)s")
    parser.add_argument("--readers", type=int, default=4, help="default: %(default)s")
    parser.add_argument("--kills", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=2000, help="of one question")
    parser.add_argument("--single", type=int, default=300, help="rows one by one")
    parser.add_argument("--batched", type=int, default=10_000, help="rows in batches")
    parser.add_argument("--rounds", type=int, default=5, help="of the speeds; default: %(default)s")
    data.add_out(parser)
    args = parser.parse_args()
    load = f", load {os.getloadavg()[0]:.1f}"
    parts = [
        f"{platform.machine()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}, "
        f"SQLite {apsw.sqlite_lib_version()}; WAL, synchronous=FULL."
    ]
    with _folder() as folder:
        gathered = crowd(folder / "crowd.db", args.writers, args.each, args.readers)
        parts.append(crowd_table(gathered))
        print(parts[-1], *gathered.errors[:5], *gathered.faults[:5], sep="\n", flush=True)
        killed = kill_writers(folder / "killed.db", args.kills, 0.25)
        parts.append(kills_table(killed))
        print(parts[-1], *killed.errors[:5], *killed.faults[:5], sep="\n", flush=True)
        different = answers(folder / "crowd.db", "岗亭的钥匙交接了吗", args.runs)
        parts.append(
            table(
                ("one question", "runs", "different answers"),
                [["ids and scores of 20 hits", args.runs, different]],
            )
        )
    parts.append(speed(args.single, args.batched, args.rounds))
    text = "\n\n".join(parts) + "\n"
    print(text)
    if args.out:
        publish(args.out, "survive", text)


if __name__ == "__main__":
    main()
