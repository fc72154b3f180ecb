"""The evaluation folder: its sets, its scorer, and clear words when a part is missing.

A set is ``docs.jsonl``, ``queries.jsonl`` and ``qrels.tsv``; the folder's README explains them.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

EXIT_NO_INPUT = 66

CACHE = Path(__file__).parent / ".cache"

UNDATED = datetime(2020, 1, 1, tzinfo=UTC)
"""When a document without a time is recorded: before every dated one."""

RETRIEVAL_SETS = (
    "cmrc-trial",
    "cmrc-dev-a",
    "kw-cmrc-trial",
    "para-lcqmc-dev",
    "memdaily-a",
    "tidb-faq-a",
    "locomo-en-a",
)
ABSENT_SETS = ("abst-cmrc-a", "abst-lcqmc-dev", "abst-memdaily-a")
"""Sets whose unanswerable queries (most of them) are about something the notes do not hold."""

GATE_SETS = (*ABSENT_SETS, "abst-cail-a", "abst-squadzh", "locomo-en-a")

ABSENT, NEAR, FACT = "absent", "near miss", "fact"

FACT_MISSING = frozenset(
    {
        ("abst-memdaily-a", "removed"),
        ("abst-cail-a", "no-answer"),
        ("abst-squadzh", "no-answer"),
        ("locomo-en-a", "adversarial"),
    }
)
"""(set, kind) of unanswerable queries whose topic is there and only the asked fact is missing:
what retrieval finds says next to nothing about them, so they are reported apart."""

NEAR_MISS = frozenset(
    {("abst-lcqmc-dev", "near-miss"), ("abst-memdaily-a", "elsewhere"), ("people", "near")}
)
"""(set, kind) whose notes hold a question of nearly the same words that people judged different;
asked over other notes (``abst-lcqmc-dev@200``) its topic is simply absent."""


def what_is_missing(name: str, kind: str) -> str:
    """Why a kind of unanswerable query has no answer: ``absent``, ``near miss`` or ``fact``.

    Args:
        name: a set, or ``NAME@SIZE``.
    """
    base = name.split("@")[0]
    if (base, kind) in FACT_MISSING:
        return FACT
    return NEAR if (base, kind) in NEAR_MISS else ABSENT


class Scorer(Protocol):
    """What the benchmarks use of the data folder's ``score.py``."""

    def auroc(self, pos: NDArray[np.float64], neg: NDArray[np.float64]) -> float:
        """The chance that a positive scores above a negative."""

    def recall_at_fir(
        self, pos: NDArray[np.float64], neg: NDArray[np.float64], fir: float
    ) -> float:
        """The best recall while at most ``fir`` of the negatives pass."""

    def score(
        self,
        task: str,
        run: Mapping[str, Sequence[tuple[str, float]]],
        gate: Mapping[str, tuple[float, int]] | None = None,
    ) -> dict[str, Any]:
        """Every metric of a run on a set."""


@dataclass(frozen=True, slots=True)
class Doc:
    """A document. ``scope`` '' is global; ``time`` is when it was said, None where unknown."""

    id: str
    text: str
    scope: str
    time: datetime | None


@dataclass(frozen=True, slots=True)
class Query:
    """A query. ``answerable`` False: no document it may see answers."""

    id: str
    text: str
    scope: str
    kind: str
    answerable: bool


@dataclass(frozen=True)
class Task:
    """One set, read."""

    name: str
    folder: Path
    docs: tuple[Doc, ...]
    queries: tuple[Query, ...]
    relevant: Mapping[str, frozenset[str]] = field(repr=False)
    asked: Mapping[str, datetime] = field(default_factory=dict, repr=False)
    """When a query is asked, by its id, where that is known."""

    @cached_property
    def _latest(self) -> dict[str, datetime]:
        latest: dict[str, datetime] = {}
        for doc in self.docs:
            if doc.time is not None:
                latest[doc.scope] = max(doc.time, latest.get(doc.scope, doc.time))
        return latest

    def asked_at(self, query: Query) -> datetime:
        """The instant a query is asked: by default an hour after the last thing its scope was
        told."""
        if query.id in self.asked:
            return self.asked[query.id]
        told = [self._latest[s] for s in (query.scope, "") if s in self._latest]
        return max(told, default=UNDATED) + timedelta(hours=1)

    @cached_property
    def fingerprint(self) -> str:
        """Changes when the documents or the queries do."""
        digest = hashlib.sha256()
        for doc in self.docs:
            digest.update(repr((doc.id, doc.text, doc.scope, doc.time)).encode())
        for query in self.queries:
            digest.update(repr(query).encode())
        if self.asked:
            digest.update(repr(sorted(self.asked.items())).encode())
        return digest.hexdigest()[:16]


def stop(message: str) -> SystemExit:
    """Says what data is missing, and ends with exit code 66 when raised."""
    print(message, file=sys.stderr)
    return SystemExit(EXIT_NO_INPUT)


def arguments(description: str, default_sets: Sequence[str]) -> argparse.ArgumentParser:
    """The options that every benchmark on the data has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="the evaluation folder")
    parser.add_argument(
        "--sets",
        type=lambda s: tuple(x for x in s.split(",") if x),
        default=tuple(default_sets),
        help="comma-separated; default: %(default)s",
    )
    parser.add_argument("--model", default="e5-small", help="e5-small, bge-small-zh or none")
    add_cache(parser)
    add_out(parser)
    return parser


def add_sizes(parser: argparse.ArgumentParser, default: str) -> None:
    """The option for how many notes the sets are also asked over."""
    parser.add_argument(
        "--sizes",
        type=lambda s: tuple(int(x) for x in s.split(",") if x),
        default=tuple(int(x) for x in default.split(",") if x),
        help="numbers of notes the sets with absent topics are also asked over",
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """The option for a Markdown file that holds the results."""
    parser.add_argument(
        "--out", type=Path, help="also put the tables into their section of this Markdown file"
    )


def add_cache(parser: argparse.ArgumentParser) -> None:
    """The option for where slow things are kept."""
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="vectors and memory files; default: %(default)s"
    )


def check(data: Path, sets: Sequence[str]) -> None:
    """Ends with exit code 66 unless the folder, its scorer and all the sets are there."""
    if not data.is_dir():
        raise stop(f"no evaluation data: {data} is not a folder. Give it with --data DIR.")
    if not (data / "score.py").is_file():
        raise stop(f"no scorer: {data / 'score.py'} is missing, so nothing can be scored.")
    absent = [
        name
        for name in sets
        if not all(
            (data / name / part).is_file() for part in ("docs.jsonl", "queries.jsonl", "qrels.tsv")
        )
    ]
    if absent or not sets:
        there = sorted(p.parent.name for p in data.glob("*/qrels.tsv"))
        raise stop(f"missing in {data}: {', '.join(absent)}. There are: {', '.join(there)}.")


def scorer(data: Path) -> Scorer:
    """The folder's own ``score.py``, imported by path."""
    spec = importlib.util.spec_from_file_location("bench_score", data / "score.py")
    if spec is None or spec.loader is None:
        raise stop(f"cannot import {data / 'score.py'}")
    module = importlib.util.module_from_spec(spec)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


def load(data: Path, name: str) -> Task:
    """Reads one set."""
    folder = data / name
    docs = tuple(
        Doc(row["id"], row["text"], row.get("scope", ""), _time(row.get("time")))
        for row in _rows(folder / "docs.jsonl")
    )
    queries = tuple(
        Query(
            row["id"], row["text"], row.get("scope", ""), row["kind"], row.get("answerable", True)
        )
        for row in _rows(folder / "queries.jsonl")
    )
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, doc, _ = line.split("\t")
        relevant.setdefault(query, set()).add(doc)
    return Task(name, folder, docs, queries, {q: frozenset(d) for q, d in relevant.items()})


def filler(data: Path) -> tuple[Doc, ...]:
    """Short notes of other people: text messages, then sentences people typed; '' for scope."""
    messages = [d for d in load(data, "abst-memdaily-a").docs if not d.scope]
    typed = load(data, "abst-lcqmc-dev").docs[::3]
    return tuple(Doc(f"filler-{i}", d.text, "", None) for i, d in enumerate((*messages, *typed)))


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def _time(value: str | None) -> datetime | None:
    """``2024年04月01日 周一 08:22`` or ``11:01 am on 17 December, 2022``, taken as UTC."""
    if not value:
        return None
    found = re.fullmatch(r"(\d+)年(\d+)月(\d+)日\D*(\d+):(\d+)", value)
    if found:
        year, month, day, hour, minute = (int(x) for x in found.groups())
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    return datetime.strptime(value, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
