"""Decisions and outcomes measured: ``python -m bench.causal --data DIR [--notes N]``.

Loads the records of a causal set into a new file, asks ``before``, ``why`` and ``compare`` of it,
and ``sign`` of the sentences, and scores the answers by the set's own ``score.py``. Beside the
engine stand the plain baselines.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench import notes
from brain import Brain
from brain.memory import Draft
from brain.text.polarity import sign

Row = dict[str, Any]
Predictions = dict[str, list[Row]]


def read(path: Path) -> list[Row]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def loaded(brain: Brain, records: Sequence[Row]) -> dict[int, str]:
    """Stores the records; gives link number → record id."""
    out = {}
    for row in records:
        done = brain.record(
            row["decision"], row["outcome"], row["relation"], row.get("context", ""), row["at"]
        )
        out[done.link] = row["id"]
    return out


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--notes", type=int, default=0, help="other records in the file")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Brain.open(Path(folder, "c.db")) as brain:
        names = loaded(brain, read(args.data / "records.jsonl"))
        if args.notes:
            others(brain, args.notes)
        found, took = answers(brain, names, args.data)
        print(scored(found, args.data))
        print(f"before: p50 {median(took):.1f} ms, with the embedding of the question")


if __name__ == "__main__":
    main()
