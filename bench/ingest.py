"""Measures taking in conversations: ``python -m bench.ingest [--messages 200000] [--notes 1024]``.

- A generated store of Hermes: messages a second without vectors, the peak of memory, and a second
  run that finds nothing new; each a process of its own.
- Vectors of notes: what ``ingest`` needs for a batch, beside the model called in a plain loop, in
  one process and alternately, because the machine is noisy: the ratio counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench import data, hermes_file, notes, processes
from bench.tables import Row, number, publish, table
from brain import Brain, Draft
from brain.embed import registry
from brain.embed.protocol import Embedder
from brain.text.fold import simplify

ROOT = Path(__file__).parent.parent
_NOT_INHERITED = ("BRAIN_DB", "BRAIN_SCOPE", "BRAIN_MODEL", "BRAIN_URL")


def conversations(messages: int, sessions: int, folder: Path) -> str:
    """The table of the generated store."""
    path = folder / "state.db"
    hermes_file.build(path, messages, sessions)
    env = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    env |= {"PYTHONPATH": str(ROOT), "BRAIN_MODEL": "none"}
    command = [sys.executable, str(ROOT / "brain.py"), "ingest", str(path), "--json"]
    command += ["--db", str(folder / "brain.db")]
    rows: list[Row] = []
    for label in ("first run", "second run, nothing new"):
        run = processes.run(command, env)
        added = json.loads(run.out)["added"]
        rate = messages / run.ms * 1000
        busy = messages / run.busy * 1000
        rows.append(
            [
                label,
                str(added),
                f"{run.ms / 1000:.2f}",
                f"{run.busy / 1000:.2f}",
                f"{rate:,.0f}" if added else "–",
                f"{busy:,.0f}" if added else "–",
                f"{run.mib:.0f}",
            ]
        )
    size = path.stat().st_size / 2**20
    head = (
        f"{messages} messages in {sessions} sessions, {size:.0f} MiB",
        "episodes made",
        "s",
        "processor s",
        "messages a second",
        "a processor second",
        "peak MiB",
    )
    return table(head, rows)


def embedding(model: str, count: int, rounds: int, folder: Path) -> str:
    """The table of vectors: the plain loop, and what ``ingest`` does with the same notes."""
    embedder = registry.open_embedder(model)
    # Of every length, as notes are: single sentences to half a page.
    short = notes.notes(count * 6)
    texts = ["。".join(short[6 * n : 6 * n + 1 + n % 6]) for n in range(count)]
    loops: list[tuple[float, float]] = []
    ours: list[tuple[float, float]] = []
    _loop(embedder, texts[:32])
    for n in range(rounds):
        loops.append(_loop(embedder, texts))
        ours.append(_ingest(embedder, texts, folder / f"{n}.db"))
    rows: list[Row] = []
    for label, runs in (
        ("the model in a plain loop, a note a call", loops),
        ("ingest: read, stored and indexed, then batches by length", ours),
    ):
        cells: list[str] = []
        for clock in (0, 1):
            cells.append(f"{count / median(run[clock] for run in runs):.1f}")
            pairs = zip(loops, runs, strict=True)
            cells.append(number(median(a[clock] / b[clock] for a, b in pairs), 2))
        rows.append([label, *cells])
    head = (
        f"{model}, {count} notes, {rounds} rounds, alternating",
        "notes a second",
        "÷ loop",
        "a processor second",
        "÷ loop",
    )
    return table(head, rows)


def _clocks() -> tuple[float, float]:
    """Seconds that passed, and those this process had a processor for, all its threads."""
    return time.perf_counter(), time.process_time()


def _since(start: tuple[float, float]) -> tuple[float, float]:
    now = _clocks()
    return now[0] - start[0], now[1] - start[1]


def _loop(embedder: Embedder, texts: Sequence[str]) -> tuple[float, float]:
    start = _clocks()
    for text in texts:
        embedder.embed_documents([simplify(text)])
    return _since(start)


def _ingest(embedder: Embedder, texts: Sequence[str], path: Path) -> tuple[float, float]:
    source = path.with_suffix(".jsonl")
    source.write_text("\n".join(json.dumps({"text": text}) for text in texts), encoding="utf-8")
    with Brain.open(path, model=embedder) as brain:
        brain.add_many([Draft("made before the clock runs")])
        start = _clocks()
        done = brain.ingest(source)
        taken = _since(start)
        if done.added != len(set(texts)) or done.pending:
            raise RuntimeError(f"not all notes were taken in: {done.to_dict()}")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=200_000, help="default: %(default)s")
    parser.add_argument("--sessions", type=int, default=2_000, help="default: %(default)s")
    parser.add_argument("--notes", type=int, default=240, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--model", action="append", help="default: those on this machine")
    parser.add_argument("--only", choices=("conversations", "embedding"), help="half of it")
    data.add_out(parser)
    args = parser.parse_args()
    chosen = args.model or [m.name for m in registry.known() if registry.is_available(m.name)]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    machine = (
        f"{platform.machine()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}."
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sections = {}
        if args.only != "embedding":
            sections["ingest"] = conversations(args.messages, args.sessions, folder)
        if args.only != "conversations":
            for model in chosen:
                made = embedding(model, args.notes, args.rounds, folder)
                sections[f"ingest {model}"] = made
    for section, made in sections.items():
        text = f"{machine}\n\n{made}\n"
        print(text)
        if args.out:
            publish(args.out, section, text)


if __name__ == "__main__":
    main()
