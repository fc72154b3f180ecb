"""Measures what invented people ask: ``python -m bench.people [--model …] [--split …]``.

``bench/people/*.json`` holds a year or two of one person's notes each, with what took the place of
what, and questions of many kinds put at moments of their own; a third has no answer. Half of the
people (``fit``) may be fitted on and looked at; of the others (``held``) only totals are printed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import data, tables, vectors
from bench.tables import Row
from bench.vectors import NO_MODEL
from brain import Brain, Draft
from brain.embed.protocol import Embedder

DATA = Path(__file__).with_suffix("")

SET = "people"
"""The name of the fitted half as a set beside the shared ones."""

FIT, HELD, ALL = "fit", "held", "all"

NEAR = "near"
CHANGED = "changed"
UNRELATED = ("unrelated", "chitchat", "work")
UNANSWERABLE = (*UNRELATED, NEAR)

K = 5


@dataclass(frozen=True, slots=True)
class Note:
    """A note and when it was told.

    Args:
        kind: of the record.
        holds: when it began to hold where that is another time, ISO.
        supersedes, corrects: id of the note whose place it takes, or ''.
    """

    id: str
    text: str
    told: datetime
    kind: str = "note"
    holds: str | None = None
    supersedes: str = ""
    corrects: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question at its moment.

    Args:
        right: the notes of which any one answers it; none where nothing does.
        wrong: notes that would be an error by themselves.
        context: the turn before.
    """

    id: str
    kind: str
    text: str
    now: datetime
    right: frozenset[str]
    wrong: frozenset[str]
    context: str


@dataclass(frozen=True, slots=True)
class Person:
    """One person's file of the set."""

    id: str
    split: str
    notes: tuple[Note, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question: note ids recall found and inject showed, best first."""

    person: Person
    question: Question
    found: tuple[str, ...]
    skills: tuple[str, ...]
    shown: tuple[str, ...]
    probability: float

    def hit(self, k: int) -> bool:
        """Whether one of the first ``k`` answers, or of the skills, which have their own places."""
        return not self.question.right.isdisjoint((*self.found[:k], *self.skills[:k]))

    @property
    def handed(self) -> bool:
        """Whether a note that answers is in the block."""
        return not self.question.right.isdisjoint(self.shown)

    @property
    def wrong_alone(self) -> bool:
        """Whether a note that misleads is in the block and none that answers."""
        return not self.handed and not self.question.wrong.isdisjoint(self.shown)


def _moment(text: str) -> datetime:
    """The time on the wall, in this machine's zone: 昨天中午 means the same everywhere."""
    return datetime.fromisoformat(text).replace(tzinfo=None).astimezone()


def _question(row: dict[str, Any], now: str) -> Question:
    return Question(
        row["id"],
        row["kind"],
        row["text"],
        _moment(row.get("now", now)),
        frozenset(row["right"]),
        frozenset(row.get("wrong", ())),
        row.get("context", ""),
    )


def _note(row: dict[str, Any]) -> Note:
    return Note(
        row["id"],
        row["text"],
        _moment(row["at"]),
        row.get("kind", "note"),
        row["valid_from"][:16] if "valid_from" in row else None,
        row.get("supersedes", ""),
        row.get("corrects", ""),
    )


def read(split: str = ALL, folder: Path = DATA) -> list[Person]:
    """The people of one half, or all, in the order of their files."""
    people: list[Person] = []
    for path in sorted(folder.glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        if split in (ALL, row["split"]):
            notes = sorted(map(_note, row["notes"]), key=lambda n: n.told)
            questions = tuple(_question(q, row["now"]) for q in row["questions"])
            people.append(Person(row["id"], row["split"], tuple(notes), questions))
    return people


def build(path: Path, person: Person, model: str | Embedder) -> dict[int, str]:
    """Stores each note at the moment it was told; gives memory id → note id."""
    ids: dict[str, int] = {}
    with Brain.open(path, model=model) as brain:
        for note in person.notes:
            draft = Draft(note.text, kind=note.kind, valid_from=note.holds)
            if note.corrects:
                ids[note.id] = brain.correct(ids[note.corrects], note.text, now=note.told).new
                continue
            ids[note.id] = brain.add_many([draft], allow_secrets=True, now=note.told)[0].id
            if note.supersedes:
                at = None if note.holds else note.told
                brain.supersede(ids[note.supersedes], ids[note.id], at=at, now=note.told)
    return {memory: note for note, memory in ids.items()}


def ask(path: Path, known: Mapping[int, str], person: Person, model: str | Embedder) -> list[Asked]:
    """Asks everything of a file from :func:`build`."""
    out: list[Asked] = []
    with Brain.open(path, model=model, read_only=True) as brain:
        for one in person.questions:
            context = one.context or None
            found = brain.recall(one.text, K, context=context, now=one.now)
            block = brain.inject(one.text, context=context, now=one.now)
            out.append(
                Asked(
                    person,
                    one,
                    tuple(known[h.id] for h in found.hits),
                    tuple(known[h.id] for h in found.skills),
                    tuple(known[h.id] for h in block.hits),
                    block.probability,
                )
            )
    return out


def measure(people: Iterable[Person], model: str | Embedder) -> list[Asked]:
    """A memory file for each person, and every question put to it."""
    out: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        for person in people:
            path = Path(folder) / f"{person.id}.db"
            out += ask(path, build(path, person, model), person, model)
    return out


def as_tasks(split: str = FIT) -> list[data.Task]:
    """Each person's notes that stand, and the questions about them, as a task of its own."""
    tasks: list[data.Task] = []
    for person in read(split):
        gone = {n.supersedes or n.corrects for n in person.notes}
        docs = tuple(data.Doc(n.id, n.text, "", n.told) for n in person.notes if n.id not in gone)
        here = {d.id for d in docs}
        asked = [q for q in person.questions if not q.context and (not q.right or q.right & here)]
        tasks.append(
            data.Task(
                f"{SET}.{person.id}",
                DATA,
                docs,
                tuple(data.Query(q.id, q.text, "", q.kind, bool(q.right)) for q in asked),
                {q.id: q.right & here for q in asked if q.right},
                {q.id: q.now for q in asked},
            )
        )
    return tasks


def _share(values: Iterable[bool]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def table(asked: Sequence[Asked]) -> str:
    """Answerable questions: a row for each kind and one for all."""
    kinds: dict[str, list[Asked]] = {}
    for one in asked:
        if one.question.right:
            kinds.setdefault(one.question.kind, []).append(one)
    every = [one for group in kinds.values() for one in group]
    rows: list[Row] = [
        [
            kind,
            len(group),
            _share(a.hit(1) for a in group),
            _share(a.hit(K) for a in group),
            _share(a.handed for a in group),
            _share(a.wrong_alone for a in group),
        ]
        for kind, group in (*sorted(kinds.items()), ("all answerable", every))
    ]
    head = ("kind", "n", "recall@1", f"recall@{K}", "handed over", "wrong alone")
    return tables.table(head, rows)


def silence(asked: Sequence[Asked]) -> str:
    """Questions without an answer: how many were given a block all the same."""
    rows: list[Row] = []
    for kinds in (*((kind,) for kind in UNANSWERABLE), UNRELATED):
        group = [a for a in asked if a.question.kind in kinds and not a.question.right]
        name = "unrelated, chit-chat and work" if len(kinds) > 1 else kinds[0]
        rows.append([name, len(group), _share(bool(a.shown) for a in group)])
    return tables.table(("no answer", "n", "injected"), rows)


def stale(asked: Sequence[Asked]) -> int:
    """Questions about what changed where the older note stands alone."""
    return sum(a.wrong_alone for a in asked if a.question.kind == CHANGED)


def page(asked: Sequence[Asked]) -> str:
    """Everything on some people, as Markdown."""
    parts: list[str] = []
    for split in (FIT, HELD):
        group = [a for a in asked if a.person.split == split]
        if group:
            people = len({a.person.id for a in group})
            parts += [
                f"### {people} people, {split}",
                table(group),
                silence(group),
                f"Stale notes alone: {stale(group)}.",
            ]
    return "\n\n".join(parts) + "\n"


def misses(asked: Iterable[Asked]) -> str:
    """What went wrong with people that may be fitted on; never those held back."""
    lines = []
    for one in asked:
        q = one.question
        good = one.handed and not one.wrong_alone if q.right else not one.shown
        if good or one.person.split != FIT:
            continue
        lines.append(
            f"- {one.person.id[:3]} {q.id} {q.kind} · {q.text[:60]!r} · wants {sorted(q.right)}"
            f" · found {' '.join((*one.found, *one.skills))} · shown {' '.join(one.shown)}"
            f" · {one.probability:.2f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="e5-small", help="e5-small, bge-small-zh or none")
    parser.add_argument("--split", choices=(FIT, HELD, ALL), default=ALL)
    parser.add_argument("--misses", action="store_true", help="also list what went wrong in fit")
    data.add_cache(parser)
    data.add_out(parser)
    args = parser.parse_args()
    embedder = vectors.embedder(args.model, args.cache)
    asked = measure(read(args.split), embedder or NO_MODEL)
    if embedder:
        embedder.flush()
    text = f"Model {args.model}. Made by `python -m bench.people`.\n\n{page(asked)}"
    print(text)
    if args.misses:
        print(misses(asked))
    if args.out:
        tables.publish(args.out, f"people {args.model}", text)


if __name__ == "__main__":
    main()
