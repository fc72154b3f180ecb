"""Table ``runs``: consolidations that were applied, and where in the journal each stands."""

from __future__ import annotations

import json
from dataclasses import dataclass

import apsw

from brain.store.sql import rows


@dataclass(frozen=True, slots=True)
class Run:
    """One row.

    Args:
        name: as a person names it.
        at: when it was applied, UTC ISO.
        first, last: the journal's entries are its own with first < number <= last.
        lines: ids of the plan's lines that were done.
        created: ids of the records it made.
        undone: when it was undone, UTC ISO; None while it stands.
    """

    name: str
    at: str
    first: int
    last: int
    lines: tuple[str, ...]
    created: tuple[int, ...]
    undone: str | None = None


def put(db: apsw.Connection, run: Run) -> None:
    """Notes a run."""
    db.execute(
        "INSERT INTO runs (name, at, first, last, lines, created) VALUES (?, ?, ?, ?, ?, ?)",
        (run.name, run.at, run.first, run.last, json.dumps(run.lines), json.dumps(run.created)),
    )


def get(db: apsw.Connection, name: str) -> Run | None:
    """A run by its name."""
    found = rows(
        db,
        "SELECT name, at, first, last, lines, created, undone FROM runs WHERE name = ?",
        (name,),
    )
    if not found:
        return None
    name, at, first, last, lines, created, undone = found[0]
    return Run(name, at, first, last, tuple(json.loads(lines)), tuple(json.loads(created)), undone)


def free_name(db: apsw.Connection, name: str) -> str:
    """The name, with a number behind it where a run has it already."""
    number = 1
    free = name
    while rows(db, "SELECT 1 FROM runs WHERE name = ?", (free,)):
        number += 1
        free = f"{name}-{number}"
    return free


def set_undone(db: apsw.Connection, name: str, at: str) -> None:
    """Notes when a run was undone, UTC ISO."""
    db.execute("UPDATE runs SET undone = ? WHERE name = ?", (at, name))
