"""Measures the kinds of question people type: ``python -m bench.kinds [--model …] [--out FILE]``.

``bench/kinds.jsonl`` holds invented notes of one person, told on different days, and questions of
each kind with the notes that answer them; what no note answers is of the kind ``absent``. One
memory file is built from it, and every question runs through the engine, and through its lexical
lane and its semantic lane alone.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench import data, lanes, tables
from bench.tables import Row
from bench.vectors import NO_MODEL
from brain import Brain, Draft
from brain.embed import registry
from brain.embed.protocol import Embedder

DATA = Path(__file__).with_suffix(".jsonl")

FIRST_DAY = datetime(2025, 4, 1, 10, 0)
"""When the first note without a time of its own was told; each further one a day later."""

NOW = datetime(2026, 3, 2, 12, 0)
"""When a question without a time of its own is asked: a Monday, after the last note."""

ABSENT = "absent"
"""The kind of the questions that no note answers."""

SET = "own"
"""The name of these notes as a set beside the shared ones."""

K = 10

ENGINE = "engine"
LEXICAL = "lexical"
SEMANTIC = "semantic"
ALONE = (LEXICAL, SEMANTIC)

_HEARD_AS = {LEXICAL: lanes.LEXICAL, SEMANTIC: lanes.SEMANTIC}


@dataclass(frozen=True, slots=True)
class Note:
    """A note and when it was told. ``scope`` '' is global."""

    id: str
    text: str
    told: datetime
    scope: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the notes of which any one answers it; none for the kind ``absent``."""

    kind: str
    text: str
    answers: frozenset[str]
    now: datetime
    scope: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question.

    Args:
        found: ``ENGINE`` and each lane that took part → note ids, best first.
        yes: whether the gate says that the memory can answer.
        probability: what the gate estimates.
    """

    question: Question
    found: Mapping[str, tuple[str, ...]]
    yes: bool
    probability: float

    def place(self, way: str = ENGINE) -> int | None:
        """Where the first note that answers stands, from 1 on."""
        places = (p for p, i in enumerate(self.found[way], 1) if i in self.question.answers)
        return next(places, None)

    def hit(self, k: int, way: str = ENGINE) -> bool:
        """Whether one of the first ``k`` answers."""
        place = self.place(way)
        return place is not None and place <= k


def _moment(text: str) -> datetime:
    """A time of the data, in the zone of this machine: what 昨天 means is the same everywhere."""
    return datetime.fromisoformat(text)


def read(path: Path = DATA) -> tuple[list[Note], list[Question]]:
    """Notes in the order they were told, and the questions in the order of the file."""
    notes: list[Note] = []
    questions: list[Question] = []
    undated = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        scope = row.get("scope", "")
        if "note" in row:
            told = FIRST_DAY + timedelta(days=undated)
            if "valid_from" in row:
                told = _moment(row["valid_from"])
            else:
                undated += 1
            notes.append(Note(row["note"], row["text"], told.astimezone(), scope))
        else:
            now = _moment(row["now"]) if "now" in row else NOW
            answers = frozenset(row["answers"])
            questions.append(Question(row["kind"], row["query"], answers, now.astimezone(), scope))
    return sorted(notes, key=lambda n: n.told), questions


def build(path: Path, notes: Iterable[Note], model: str | Embedder) -> dict[int, str]:
    """Stores each note at the moment it was told; gives memory id → note id."""
    with Brain.open(path, model=model) as brain:
        return {
            brain.add_many([Draft(n.text, scope=n.scope)], now=n.told)[0].id: n.id for n in notes
        }


def ask(
    path: Path, known: Mapping[int, str], questions: Iterable[Question], model: str | Embedder
) -> list[Asked]:
    """Asks everything of a file from :func:`build`."""
    out: list[Asked] = []
    with Brain.open(path, model=model, read_only=True) as brain, lanes.listening() as heard:
        for one in questions:
            heard.clear()
            result = brain.recall(one.text, K, scope=one.scope, now=one.now)
            alone = heard.rankings()
            found = {way: alone[name] for way, name in _HEARD_AS.items() if name in alone}
            found[ENGINE] = [h.id for h in result.hits]
            assert result.gate is not None
            out.append(
                Asked(
                    one,
                    {way: tuple(known[i] for i in ids) for way, ids in found.items()},
                    result.gate.answerable,
                    result.gate.probability,
                )
            )
    return out


def as_set() -> data.Task:
    """Notes and questions as one more set, without those that belong to a scope."""
    notes, questions = read()
    docs = tuple(data.Doc(n.id, n.text, "", n.told) for n in notes if not n.scope)
    named = {f"{q.kind}-{i}": q for i, q in enumerate(questions) if not q.scope}
    return data.Task(
        SET,
        DATA,
        docs,
        tuple(data.Query(i, q.text, "", q.kind, bool(q.answers)) for i, q in named.items()),
        {i: q.answers for i, q in named.items() if q.answers},
        {i: q.now for i, q in named.items()},
    )


def by_kind(asked: Iterable[Asked]) -> dict[str, list[Asked]]:
    """Grouped by kind, in the order of the data."""
    out: dict[str, list[Asked]] = {}
    for one in asked:
        out.setdefault(one.question.kind, []).append(one)
    return out


def hits(asked: Iterable[Asked], k: int, way: str = ENGINE) -> int:
    """How many have an answer among the first ``k``; a lane that did not take part has none."""
    return sum(way in one.found and one.hit(k, way) for one in asked)


def table(asked: Sequence[Asked]) -> str:
    """A row for each kind and one for all: shares of questions, lanes beside the engine."""
    ways = [w for w in (*ALONE, ENGINE) if any(w in one.found for one in asked)]
    rows: list[Row] = []
    answered = [a for a in asked if a.question.kind != ABSENT]
    for kind, group in (*by_kind(answered).items(), ("all of these", answered)):
        shares = [hits(group, k, way) / len(group) for way in ways for k in (1, 3)]
        rows.append([kind, len(group), *shares, sum(a.yes for a in group) / len(group)])
    absent = [a for a in asked if a.question.kind == ABSENT]
    if absent:
        wrong = sum(a.yes for a in absent) / len(absent)
        rows.append([ABSENT, len(absent), *[None] * (2 * len(ways)), wrong])
    head = [f"{way} hit@{k}" for way in ways for k in (1, 3)]
    return tables.table(("kind", "n", *head, "gate yes"), rows, digits=2)


def misses(asked: Iterable[Asked]) -> str:
    """The questions whose first hit does not answer, or that the gate keeps silent on."""
    lines = []
    for one in asked:
        right = not one.yes if one.question.kind == ABSENT else one.hit(1) and one.yes
        if right:
            continue
        first = " ".join(one.found[ENGINE][:3])
        places = " ".join(f"{way} {one.place(way)}" for way in one.found)
        text = one.question.text.replace("\n", " ")
        lines.append(
            f"- {one.question.kind} · {text[:60]} · wants {' '.join(sorted(one.question.answers))}"
            f" · got {first} · {places} · gate {one.probability:.2f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="e5-small", help="e5-small, bge-small-zh or none")
    parser.add_argument("--misses", action="store_true", help="also list what went wrong")
    data.add_out(parser)
    args = parser.parse_args()
    model = NO_MODEL if args.model == NO_MODEL else registry.open_embedder(args.model)
    notes, questions = read()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kinds.db"
        asked = ask(path, build(path, notes, model), questions, model)
    text = f"{len(notes)} notes, model {args.model}. Made by `python -m bench.kinds`.\n\n"
    text += table(asked) + "\n"
    print(text)
    if args.misses:
        print(misses(asked))
    if args.out:
        tables.publish(args.out, f"kinds {args.model}", text)


if __name__ == "__main__":
    main()
