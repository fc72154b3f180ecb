"""Decisions and outcomes measured: ``python -m bench.causal --data DIR [--notes 0,5000]``.

Loads the records of a causal set into a new file, asks ``before``, ``why`` and ``compare`` of it,
and ``sign`` of the sentences, and scores the answers by the set's own ``score.py``. Beside the
engine stand the plain baselines.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import causal_plain, notes, processes
from bench.tables import Cell, publish, table
from brain import Brain
from brain.embed import registry
from brain.embed.protocol import Embedder
from brain.memory import Draft
from brain.text.fold import simplify
from brain.text.polarity import sign

Row = dict[str, Any]
Predictions = dict[str, list[Row]]


def read(path: Path) -> list[Row]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def loaded(brain: Brain, records: Sequence[Row]) -> None:
    """Stores the records."""
    for row in records:
        brain.record(
            row["decision"], row["outcome"], row["relation"], row.get("context", ""), row["at"]
        )


def named(brain: Brain, records: Sequence[Row]) -> dict[int, str]:
    """Link number → record id; links are numbered in the order of the records."""
    links = sorted(link.link for link in brain.links())
    return {link: row["id"] for link, row in zip(links, records, strict=True)}


def answers(brain: Brain, names: dict[int, str], data: Path) -> tuple[Predictions, list[float]]:
    """The engine's answers, and the milliseconds of each ``before``."""
    found: Predictions = {"before": [], "why": [], "compare": [], "polarity": []}
    took = []
    for row in read(data / "before.jsonl"):
        start = time.perf_counter()
        got = brain.before(row["action"])
        took.append((time.perf_counter() - start) * 1000)
        ids = [names[r.link] for r in got.reasons if r.link in names]
        found["before"].append({"id": row["id"], "verdict": got.verdict, "reasons": ids})
    for row in read(data / "why.jsonl"):
        why = brain.why(row["outcome"])
        found["why"].append(
            {
                "id": row["id"],
                "causes": [names[r.link] for r in why.causes if r.link in names],
                "preventers": [names[r.link] for r in why.preventers if r.link in names],
            }
        )
    for row in read(data / "compare.jsonl"):
        found["compare"].append(
            {"id": row["id"], "better": brain.compare(row["a"], row["b"]).better}
        )
    for row in read(data / "polarity.jsonl"):
        found["polarity"].append({"text": row["text"], "sign": sign(row["text"])})
    return found, took


def scored(found: Predictions, data: Path, *flags: str) -> str:
    """What the set's own script says of predictions."""
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in found.items():
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            Path(folder, f"{name}.jsonl").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(data / "score.py"), folder, *flags],
            capture_output=True, encoding="utf-8", check=True,
        )  # fmt: skip
    return done.stdout


class Composed:
    """An embedder whose vectors of other notes are composed of a few real ones, which is quick.

    The texts of the set and all questions have their real vectors, each made once.
    """

    def __init__(self, real: Embedder, pool: Sequence[str]) -> None:
        self.name, self.dim = real.name, real.dim
        self.max_tokens, self.languages = real.max_tokens, real.languages
        self._real = real
        self._pool = real.embed_documents([simplify(text) for text in pool])
        self._kept: dict[str, NDArray[np.float32]] = {}
        self.composing = False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Real vectors, or composed ones while ``composing``."""
        if not self.composing:
            return self._real.embed_documents(texts)
        found = []
        for text in texts:
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            random = np.random.default_rng(seed)
            a, b = self._pool[random.integers(len(self._pool), size=2)]
            made = 0.8 * a + 0.2 * b + 0.01 * random.standard_normal(self.dim)
            found.append((made / np.linalg.norm(made)).astype(np.float32))
        return np.stack(found)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The real vector of a question."""
        if text not in self._kept:
            self._kept[text] = self._real.embed_query(text)
        return self._kept[text]


def others(brain: Brain, count: int) -> None:
    """Stores other records, every tenth of them a decision."""
    made = notes.notes(count)
    for start in range(0, count, 1000):
        brain.add_many(
            [
                Draft(text, "decision" if n % 10 == 0 else "note")
                for n, text in enumerate(made[start : start + 1000])
            ]
        )


def figures(found: Predictions, data: Path) -> list[Cell]:
    """The cells of one row: what decides, of the set's own scores."""
    told = json.loads(scored(found, data, "--json"))

    def value(part: str, name: str) -> Cell:
        return told[part][name]["value"] if part in told else None

    return [
        value("before", "accuracy"), value("before", "false_alarm_rate"), value("why", "recall@3"),
        value("why", "empty_with_invented_causes"), value("compare", "accuracy"),
        value("polarity", "accuracy"),
    ]  # fmt: skip


HEAD = ["", "before", "false alarms", "why recall@3", "invented", "compare", "sign"]


def signs() -> str:
    """The signs of our own sentences: the rules were written on ``dev`` and never on ``held``."""
    rows: list[list[Cell]] = []
    for name in ("dev", "held"):
        told = read(Path(__file__).with_name(f"signs_{name}.jsonl"))
        by_kind: dict[str, list[bool]] = {}
        for row in told:
            by_kind.setdefault(row["kind"], []).append(sign(row["text"]) == row["sign"])
        right = [hit for hits in by_kind.values() for hit in hits]
        implied = by_kind.pop("implied", [])
        plain = [hit for hits in by_kind.values() for hit in hits]
        rows.append([
            name, len(right), sum(right) / len(right), sum(plain) / len(plain),
            sum(implied) / len(implied) if implied else None,
        ])  # fmt: skip
    return table(["sentences", "n", "right", "told outright", "implied"], rows)


def hook_ratio(folder: Path) -> str:
    """What PreToolUse costs on a file without links, beside the imports it cannot do without."""
    path = folder / "empty.db"
    with Brain.open(path, model="none") as brain:
        brain.add("值班群是青鸟群")
    call = json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    )
    script = "import subprocess, sys; subprocess.run(sys.argv[2:], input=sys.argv[1].encode())"
    program = [sys.executable, str(Path(__file__).parent.parent / "brain.py")]
    asked = [*program, "hook", "claude-code", "--db", str(path)]
    bare = [sys.executable, "-c", "import apsw, typer, brain.engine, brain.cli.program"]
    runs = processes.alternate(
        [
            [sys.executable, "-c", script, call, *asked],
            [sys.executable, "-c", script, call, *bare],
        ],
        11,
        os.environ,
    )
    took = [found.busy for found in runs]
    return f"PreToolUse without links ÷ bare imports, processor time: {took[0] / took[1]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--notes", default="0", help="other records in the file, as 0,5000,100000")
    parser.add_argument("--keep", type=Path, help="folder in which the files stay")
    parser.add_argument("--out", type=Path, help="Markdown file the tables go into")
    args = parser.parse_args()
    records = read(args.data / "records.jsonl")
    names = ("before", "why", "compare", "polarity")
    sets = {name: read(args.data / f"{name}.jsonl") for name in names}
    real = registry.open_embedder("e5-small")
    made = Composed(real, notes.notes(256))
    rows: list[list[Cell]] = []
    speeds: list[list[Cell]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        for count in map(int, args.notes.split(",")):
            path = folder / f"causal-{count}.db"
            ready = path.is_file()
            with Brain.open(path, model=made) as brain:
                if not ready:
                    loaded(brain, records)
                    made.composing = True
                    others(brain, count)
                    made.composing = False
                ids = named(brain, records)
                answers(brain, ids, args.data)  # the questions' vectors are made
                found, took = answers(brain, ids, args.data)
            rows.append([f"brain, {count} other records", *figures(found, args.data)])
            speeds.append([str(count), median(took), sorted(took)[int(0.95 * len(took))]])
        for label, lane in (("bigram BM25", causal_plain.words), ("embedding", None)):
            alone = causal_plain.answers(lane or causal_plain.vectors(made), records, sets)
            rows.append([f"{label} alone, best threshold in hindsight", *figures(alone, args.data)])
        listed = causal_plain.published(records, sets)
        rows.append(["causal-memory's word list", *figures(listed, args.data)])
        ratio = hook_ratio(Path(temporary))
    text = "\n\n".join([
        table(HEAD, rows),
        table(["other records", "before p50, ms without embedding", "p95"], speeds, 1),
        signs(),
        ratio,
    ])  # fmt: skip
    print(text)
    if args.out:
        publish(args.out, "causal e5-small", text)


if __name__ == "__main__":
    main()
