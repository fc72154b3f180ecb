"""Measures how time, space and memory grow with the number of notes.

``python -m bench.scale --data DIR [--sizes 10000,100000]``: for each size a file of that many notes
(see bench/corpus.py for what they are), built through ``Brain.add_many``, and then in one run

- warm recall in one process, the question's vector already known, by kind of question;
- the vector search alone beside sqlite-vec's scan of float32 and numpy over all of them, and how
  many of the exact nearest it finds; the lexical lane beside plain FTS5 asked for every bigram;
- single adds that are durable when they return, the rate of bulk adds, and bytes a note;
- peak memory of one ``inject`` as a whole process, and of one process that recalls on and on.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import apsw
import numpy as np
from numpy.typing import NDArray

from bench import corpus, data, files, lanes, plain, processes, spies, vectors
from bench.notes import Asked
from bench.tables import Row, number, publish, table
from brain import Brain
from brain.memory import Draft
from brain.recall import lexical
from brain.store import connection, fts, memories, memory_file, meta
from brain.store.vectors import vector_index
from brain.store.view import View
from brain.text.fold import fold
from brain.text.tokenize import query_terms

ROOT = Path(__file__).parent.parent

NEAREST = 100
"""How many a vector search is asked for: what a recall asks."""

SINGLE_ADDS = 300

RECALLING = """
import sys
from brain import Brain
with Brain.open(sys.argv[1], read_only=True) as brain:
    for question in sys.argv[2:]:
        brain.recall(question)
"""

_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A process begins with the peak of the one that started it: a small one stands in between."""

_PARTS = (
    "text/fold.py",
    "text/tokenize.py",
    "store/schema.py",
    "store/vectors/blocks.py",
    "memory.py",
)
"""The sources that decide what is in a file."""

_NOT_INHERITED = ("BRAIN_DB", "BRAIN_SCOPE", "BRAIN_MODEL", "BRAIN_URL", "PYTHONDONTWRITEBYTECODE")


class Ready(corpus.MadeVectors):
    """Made vectors that are there before the engine asks for them."""

    def expect(self, notes: Sequence[corpus.Note]) -> None:
        """Makes the vectors of the notes whose texts come next."""
        super().expect(notes)
        self._ready = {text: super(Ready, self).embed_documents([text])[0] for text in self._made}

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Those vectors; a long note's passages have its own."""
        if all(text in self._ready for text in texts):
            return np.stack([self._ready[text] for text in texts])
        return super().embed_documents(texts)


Times = list[tuple[float, float]]
"""Milliseconds of each run: on the clock, and of processor time of all threads. On a busy machine
the second says more; the two are the same on a quiet one, but for what runs on several cores."""


@dataclass
class Measured:
    """What was measured at one size."""

    size: int
    recall: dict[str, Times] = field(default_factory=dict)
    search: dict[str, Times] = field(default_factory=dict)
    words: dict[str, Times] = field(default_factory=dict)
    found: dict[int, float] = field(default_factory=dict)
    adds: Times = field(default_factory=list)
    rate: float | None = None
    file_bytes: int = 0
    text_bytes: int = 0
    once_mib: float = 0.0
    long_mib: float = 0.0


def fingerprint() -> str:
    """Changes when the code that decides what a built file holds does."""
    own = hashlib.sha256(Path(corpus.__file__).read_bytes()).hexdigest()[:8]
    return f"{files.sources(_PARTS)}-{own}"


def build(
    size: int, made: corpus.MadeVectors, source: corpus.Corpus, folder: Path, smaller: Path | None
) -> tuple[Path, float | None]:
    """The file of ``size`` notes, grown from a smaller one; and notes a second, if any was built.

    The rate is of the engine's own work: the vectors are made before the clock starts.
    """
    path = folder / f"{size}-{fingerprint()}.db"
    if path.is_file():
        return path, None
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    for old in (part, Path(f"{part}-wal"), Path(f"{part}-shm")):
        old.unlink(missing_ok=True)
    have = 0
    if smaller is not None:
        shutil.copy(smaller, part)
        have = int(smaller.name.split("-")[0])
    spent = 0.0
    notes = itertools.islice(source.notes(size), have, None)
    with Brain.open(part, model=made) as brain:
        for done in range(have, size, files.BATCH):
            batch = list(itertools.islice(notes, min(files.BATCH, size - done)))
            made.expect(batch)
            start = time.perf_counter()
            brain.add_many([Draft(note.text) for note in batch], allow_secrets=True)
            spent += time.perf_counter() - start
            if done % 20_000 == 0:
                print(f"{size}: {done} notes, {spent:.0f} s", file=sys.stderr)
    part.rename(path)
    return path, (size - have) / spent


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """How long one call takes."""
    start, busy = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - start) * 1000, (time.process_time() - busy) * 1000


def recalls(brain: Brain, asked: Sequence[Asked], rounds: int) -> dict[str, Times]:
    """Times of recall by kind of question."""
    for question in asked:
        brain.recall(question.text)
    out: dict[str, Times] = {}
    for question in (q for _ in range(rounds) for q in asked):
        ms = timed(lambda text=question.text: brain.recall(text))  # type: ignore[misc]
        out.setdefault(question.kind, []).append(ms)
    return out


def float_scan(path: Path, dim: int, ids: Sequence[int], matrix: NDArray[np.float32]) -> None:
    """Makes the baseline: the same vectors in a plain float32 table of sqlite-vec."""
    path.unlink(missing_ok=True)
    db = _baseline(path)
    with db:
        db.execute(f"CREATE VIRTUAL TABLE plain USING vec0 (v float[{dim}] distance_metric=cosine)")
        db.executemany(
            "INSERT INTO plain (rowid, v) VALUES (?, ?)",
            ((i, row.tobytes()) for i, row in zip(ids, matrix, strict=True)),
        )
    db.close()


def _baseline(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    connection.load_vectors(db)
    db.pragma("cache_size", -16_000)
    db.pragma("mmap_size", connection.MAPPED_BYTES)
    return db


def searches(
    brain: Brain, asked: NDArray[np.float32], scratch: Path, out: Measured, rounds: int
) -> None:
    """The vector search beside its baselines, and which share of the exact nearest it finds."""
    view = View(as_of=files.iso(data.UNDATED.replace(year=2100)), scopes=None)
    with brain._store.read() as db:
        name = str(memory_file.facts(db)[meta.VECTORS])
        ids, pieces = zip(*db.execute(f"SELECT id, embedding FROM {name} ORDER BY id"), strict=True)
        matrix = np.frombuffer(b"".join(pieces), dtype=np.float32).reshape(len(ids), -1)
        del pieces
        float_scan(scratch, matrix.shape[1], ids, matrix)
        plain = _baseline(scratch)
        places = np.array(ids)

        def two_stage(vector: NDArray[np.float32]) -> list[int]:
            found = vector_index.search(db, name, vector.tobytes(), view, None, NEAREST)
            return [passage for _, passage, _ in found]

        def scan(vector: NDArray[np.float32]) -> None:
            query = "SELECT rowid FROM plain WHERE v MATCH ? AND k = ?"
            plain.execute(query, (vector.tobytes(), NEAREST)).fetchall()

        def brute(vector: NDArray[np.float32]) -> list[int]:
            similarities = matrix @ vector
            best = np.argpartition(-similarities, NEAREST)[:NEAREST]
            return [int(i) for i in places[best[np.argsort(-similarities[best], kind="stable")]]]

        ways: dict[str, Callable[[NDArray[np.float32]], object]] = {
            "two stages": two_stage,
            "sqlite-vec float32 scan": scan,
            "numpy, all in memory": brute,
        }
        for way in ways.values():
            way(asked[0])
        few = asked[: 20 if len(ids) > 200_000 else 60]
        for vector in (v for _ in range(rounds) for v in few):
            for label, way in ways.items():
                ms = timed(lambda way=way, vector=vector: way(vector))  # type: ignore[misc]
                out.search.setdefault(label, []).append(ms)
        shares: dict[int, list[float]] = {10: [], 50: []}
        for vector in asked:
            exact, found = brute(vector), two_stage(vector)
            for depth, each in shares.items():
                each.append(len({*exact[:depth]} & {*found[:depth]}) / depth)
        out.found = {depth: float(np.mean(each)) for depth, each in shares.items()}
        plain.close()
    scratch.unlink()


def _sum(times: Times) -> tuple[float, float]:
    return sum(wall for wall, _ in times), sum(busy for _, busy in times)


def lexical_lanes(brain: Brain, asked: Sequence[Asked], out: Measured) -> None:
    """The lexical lane as the engine runs it beside FTS5 asked for every bigram."""
    heard: Times = []

    def listening(real: spies.Function) -> spies.Function:
        def lane(*args: object, **kwargs: object) -> object:
            kept: list[object] = []
            heard.append(timed(lambda: kept.append(real(*args, **kwargs))))
            return kept[0]

        return lane

    view = View(as_of=files.iso(data.UNDATED.replace(year=2100)), scopes=None)
    with spies.replaced(lexical, "lane", listening):
        for question in asked:
            heard.clear()
            brain.recall(question.text)
            out.words.setdefault(f"lexical lane, {question.kind}", []).append(_sum(heard))
            with brain._store.read() as db:
                grams = list(dict.fromkeys(query_terms(fold(question.text))))
                scopes = memories.scope_ids(db, view.scopes)
                ms = timed(
                    lambda db=db, grams=grams, scopes=scopes: plain.search(  # type: ignore[misc]
                        db, fts.GRAMS, grams, view, scopes, lanes.DEPTH
                    )
                )
            out.words.setdefault(f"plain FTS5, {question.kind}", []).append(ms)


def single_adds(
    path: Path, made: corpus.MadeVectors, source: corpus.Corpus, scratch: Path
) -> Times:
    """Times of adds that are on disk when they return, into a copy of the file."""
    shutil.copy(path, scratch)
    first, *notes = source.notes(SINGLE_ADDS + 1, seed=9)
    made.expect([first, *notes])
    try:
        with Brain.open(scratch, model=made) as brain:
            brain.add(first.text)  # waits for the copy itself to reach the disk
            return [timed(lambda text=n.text: brain.add(text)) for n in notes]  # type: ignore[misc]
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{scratch}{suffix}").unlink(missing_ok=True)


def memory(path: Path, asked: Sequence[Asked]) -> tuple[float, float]:
    """Peak MiB of one inject, and of a process that recalls every question."""
    env = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    env["PYTHONPATH"] = str(ROOT)
    one = [sys.executable, str(ROOT / "brain.py"), "inject", asked[0].text, "--db", str(path)]
    many = [sys.executable, "-c", RECALLING, str(path), *(q.text for q in asked)]
    unit = 1 if sys.platform == "darwin" else 1024
    peaks = [
        int(processes.run([sys.executable, "-c", _PEAK, *command], env).out) * unit / 2**20
        for command in (one, many)
    ]
    return peaks[0], peaks[1]


def measure(
    size: int,
    made: corpus.MadeVectors,
    source: corpus.Corpus,
    folder: Path,
    smaller: Path | None,
    args: argparse.Namespace,
) -> tuple[Path, Measured]:
    """Everything at one size."""
    path, rate = build(size, made, source, folder, smaller)
    out = Measured(size, rate=rate)
    out.file_bytes = path.stat().st_size
    out.text_bytes = sum(len(note.text.encode()) for note in source.notes(size))
    asked = source.questions(args.each)
    with Brain.open(path, model=made, read_only=True) as brain:
        out.recall = recalls(brain, asked, args.rounds)
        searches(brain, source.question_vectors(200), folder / "plain.db", out, args.rounds)
        lexical_lanes(brain, asked, out)
    out.once_mib, out.long_mib = memory(path, asked)
    out.adds = single_adds(path, made, source, folder / "adds.db")
    return path, out


def _walls(times: Times) -> list[float]:
    return [wall for wall, _ in times]


def _busy(times: Times) -> float:
    return median(busy for _, busy in times)


def _times(label: str, times: Times, base: Times) -> Row:
    ms = _walls(times)
    row: Row = [label, len(ms), *(f"{x:.1f}" for x in (min(ms), median(ms), max(ms)))]
    row += [number(median(ms) / median(_walls(base)), 2), f"{_busy(times):.1f}"]
    return [*row, number(_busy(times) / max(_busy(base), 1e-3), 2)]


def report(results: Sequence[Measured]) -> str:
    """The tables."""
    recall: list[Row] = []
    for m in results:
        everything = [ms for kind in m.recall.values() for ms in kind]
        for kind, times in (*sorted(m.recall.items()), ("**all, in equal parts**", everything)):
            ms = _walls(times)
            p50, p95, p99 = np.percentile(ms, (50, 95, 99))
            row: Row = [f"{m.size} · {kind}", len(ms)]
            row += [f"{x:.1f}" for x in (min(ms), p50, p95, p99, max(ms))]
            recall.append([*row, f"{p99 / p50:.1f}", f"{_busy(times):.1f}"])
    head: tuple[str, ...] = ("warm recall, ms", "n", "min", "p50", "p95", "p99", "max")
    parts = [table((*head, "p99 ÷ p50", "processor p50"), recall)]
    rows: list[Row] = []
    for m in results:
        base = m.search["two stages"]
        rows += [_times(f"{m.size} · {label}", ms, base) for label, ms in m.search.items()]
    head = (f"nearest {NEAREST}, ms", "n", "min", "p50", "max")
    parts.append(table((*head, "÷ two stages", "processor p50", "÷ two stages"), rows))
    rows = [[m.size, m.found[10], m.found[50]] for m in results]
    parts.append(
        table(
            ("notes", "recall@10 of exact", "recall@50 of exact"),
            [[str(r[0]), *r[1:]] for r in rows],
        )
    )
    rows = []
    for m in results:
        for label, ms in sorted(m.words.items()):
            kind = label.split(", ", 1)[1]
            rows.append(_times(f"{m.size} · {label}", ms, m.words[f"lexical lane, {kind}"]))
    head = ("words, ms", "n", "min", "p50", "max")
    parts.append(table((*head, "÷ lexical lane", "processor p50", "÷ lexical lane"), rows))
    rows = []
    for m in results:
        p50, p95 = np.percentile(_walls(m.adds), (50, 95))
        adds = [f"{x:.1f}" for x in (p50, p95, max(_walls(m.adds)))]
        adds += [f"{x:.1f}" for x in np.percentile([busy for _, busy in m.adds], (50, 95))]
        rate = "–" if m.rate is None else f"{m.rate:.0f}"
        each = [f"{x / m.size:.0f}" for x in (m.file_bytes, m.text_bytes)]
        rows.append([str(m.size), *adds, rate, *each, f"{m.once_mib:.0f}", f"{m.long_mib:.0f}"])
    head = ("notes", "add p50, ms", "add p95", "add max", "processor p50", "processor p95")
    head += ("bulk notes/s",)
    head += ("file bytes a note", "text bytes a note", "inject MiB", "recalling MiB")
    parts.append(table(head, rows))
    return "\n\n".join(parts)


def plot(results: Sequence[Measured], path: Path) -> None:
    """Medians of processor time against size, both logarithmic, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "brain"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    sizes = [m.size for m in results]
    for kind in sorted(results[0].recall):
        medians = [_busy(m.recall[kind]) for m in results]
        axes.plot(sizes, medians, marker="o", label=f"recall: {kind}")
    for label in results[0].search:
        medians = [_busy(m.search[label]) for m in results]
        axes.plot(sizes, medians, marker="s", linestyle="--", label=f"vectors: {label}")
    axes.set(xscale="log", yscale="log", xlabel="notes", ylabel="median processor time, ms")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation folder")
    parser.add_argument(
        "--sizes",
        type=lambda s: sorted(int(x) for x in s.split(",") if x),
        default=[10_000, 100_000],
        help="numbers of notes; default: 10000,100000",
    )
    parser.add_argument("--model", default="e5-small", help="e5-small or bge-small-zh")
    parser.add_argument("--each", type=int, default=40, help="questions of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all questions")
    parser.add_argument("--plot", type=Path, help="also draw latency against size, as SVG")
    data.add_cache(parser)
    data.add_out(parser)
    args = parser.parse_args()
    data.check(args.data, corpus.SETS)
    embedder = vectors.CachedEmbedder(args.model, args.cache)
    source = corpus.Corpus(args.data, embedder)
    made = Ready(source, embedder)
    folder = args.cache / "scale" / args.model
    results: list[Measured] = []
    smaller: Path | None = None
    for size in args.sizes:
        smaller, found = measure(size, made, source, folder, smaller, args)
        results.append(found)
        print(report([found]), flush=True)
    embedder.flush()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    text = (
        f"Model {args.model}, {embedder.dim} numbers a vector; {platform.machine()}, "
        f"{os.cpu_count()} cores{load}, Python {platform.python_version()}. "
        "Made by `python -m bench.scale`.\n\n" + report(results) + "\n"
    )
    print(text)
    if args.out:
        publish(args.out, f"scale {args.model}", text)
    if args.plot:
        plot(results, args.plot)


if __name__ == "__main__":
    main()
