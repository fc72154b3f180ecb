"""Measures what a file and its server survive: ``python -m bench.survive``.

- crowd: many processes add to one file at once while others read it;
- kills: a process that writes is killed at random points, and what it was told is held against
  the file: every acknowledged write, the pages, both text indexes, the vectors;
- answers: one question asked over and over has one score;
- damage: copies of a file damaged at random, salvaged and compared row by row;
- erasure: every gram, encoding and vector of what was forgotten, looked for in the whole folder;
- half open: connections that never finish a request, while new clients ask;
- lies: a server that does not keep to the rules, asked by the command line;
- soak: the memory of a server that is asked and told things for a while;
- speed: durable adds beside plain inserts.

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
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from bench import damage, data, erasure, hostile, soak, write_speed
from bench.tables import Row, publish, table
from bench.write_speed import Beforehand
from brain import Brain
from brain.memory import Draft
from brain.store import integrity, memory_file, meta
from brain.text.timestamps import now_utc

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
    numbers = {
        "writers": (32, ""), "each": (50, "adds of each writer"), "readers": (4, ""),
        "kills": (200, ""), "runs": (2000, "of one question"), "damaged": (100, "files"),
        "forgotten": (20, "records"), "held": (300, "connections never finished"),
        "descriptors": (256, "of the server they are held against"),
        "soak": (150, "requests of each of three kinds a round"), "soak-rounds": (6, ""),
        "single": (300, "rows one by one"), "batched": (10_000, "rows in batches"),
        "rounds": (5, "of the speeds"),
    }  # fmt: skip
    for name, (value, told) in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{told}; {value}")
    parser.add_argument("--only", nargs="*", default=[], metavar="PART", help="these parts alone")
    data.add_out(parser)
    args = parser.parse_args()
    head = (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"SQLite {apsw.sqlite_lib_version()}; WAL, synchronous=FULL"
    )
    parts: dict[str, Callable[[], str]] = {
        "crowd": lambda: _crowd(args.writers, args.each, args.readers, args.runs),
        "kills": lambda: _kills(args.kills),
        "damage": lambda: damage.run(args.damaged, 60),
        "erasure": lambda: erasure.run(200, args.forgotten),
        "half-open": lambda: hostile.half_open(args.held, args.descriptors, 5.0),
        "lies": hostile.lies,
        "soak": lambda: soak.run(args.soak, args.soak_rounds, 1000),
        "speed": lambda: write_speed.speed(args.single, args.batched, args.rounds),
    }
    for name, part in parts.items():
        if args.only and name not in args.only:
            continue
        began, load = time.perf_counter(), os.getloadavg()[0]
        told = part()
        seconds = time.perf_counter() - began
        told = f"{head}, load {load:.1f}, {seconds:.0f} s.\n\n{told}\n"
        print(f"{name}: {told}", flush=True)
        if args.out:
            publish(args.out, f"survive {name}", told)


def _crowd(writers: int, each: int, readers: int, runs: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "crowd.db")
        gathered = crowd(path, writers, each, readers)
        print(*gathered.errors[:5], *gathered.faults[:5], sep="\n", end="")
        different = answers(path, "岗亭的钥匙交接了吗", runs)
    row: Row = ["ids and scores of 20 hits", runs, different]
    return f"{crowd_table(gathered)}\n\n" + table(
        ("one question", "runs", "different answers"), [row]
    )


def _kills(kills: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        killed = kill_writers(Path(folder, "killed.db"), kills, 0.25)
    print(*killed.errors[:5], *killed.faults[:5], sep="\n", end="")
    return kills_table(killed)


if __name__ == "__main__":
    main()
