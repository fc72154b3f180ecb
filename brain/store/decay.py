"""Decay in SQL: stretches of records whose strength changes, and those that are due to rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import apsw

from brain.store.sql import one, rows

HEAD_CHARS = 80
"""Of a text that are shown."""

READ_CHARS = 2_000
"""Of a text that are read, so that a secret is seen whole before it is cut."""

_CURRENT = "m.retracted_at IS NULL AND m.archived_at IS NULL AND m.superseded_by IS NULL"
"""What decays: what was replaced, retracted or archived is at rest already."""

Formula = Callable[[int, float, float, str], float]
"""(id, strength, importance, recorded_at) → strength; a pure function."""


@dataclass(frozen=True, slots=True)
class Due:
    """A record that is weak and idle, as it will be archived; ``head`` is ``READ_CHARS`` long."""

    id: int
    head: str
    strength: float
    idle_since: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What a run changed of a record: its strength, and when it archived it, if it did."""

    id: int
    before: float
    after: float
    archived_at: str | None


def _use(db: apsw.Connection, formula: Formula) -> None:
    # A function of ours, not SQL's pow(): a replay must come to the same floats.
    db.create_scalar_function("faded", cast(Any, formula), 4)


def fade(db: apsw.Connection, first: int, last: int, formula: Formula) -> int:
    """Sets the strength of the current records with ids in [first, last].

    Returns:
        How many changed.
    """
    _use(db, formula)
    db.execute(
        "UPDATE memories AS m"
        " SET strength = faded(m.id, m.strength, m.importance, m.recorded_at)"
        f" WHERE m.id BETWEEN ? AND ? AND {_CURRENT}"
        " AND faded(m.id, m.strength, m.importance, m.recorded_at) <> m.strength",
        (first, last),
    )
    return db.changes()


def keep(db: apsw.Connection, first: int, last: int, formula: Formula) -> None:
    """Notes what :meth:`fade` is about to change, for who wants it undone."""
    _use(db, formula)
    db.execute(
        "INSERT OR REPLACE INTO faded (memory_id, before, after)"
        " SELECT id, strength, after FROM ("
        " SELECT m.id, m.strength, faded(m.id, m.strength, m.importance, m.recorded_at) AS after"
        f" FROM memories m WHERE m.id BETWEEN ? AND ? AND {_CURRENT}) WHERE after <> strength",
        (first, last),
    )


def keep_archived(db: apsw.Connection, memory_id: int, strength: float, at: str) -> None:
    """Notes that a record of this strength is archived at an instant (UTC ISO)."""
    db.execute(
        "INSERT INTO faded (memory_id, before, after, archived_at) VALUES (?1, ?2, ?2, ?3)"
        " ON CONFLICT (memory_id) DO UPDATE SET archived_at = excluded.archived_at",
        (memory_id, strength, at),
    )


def kept(db: apsw.Connection, most: int) -> list[Kept]:
    """Some of what is noted, at most so many."""
    found = rows(
        db, "SELECT memory_id, before, after, archived_at FROM faded ORDER BY 1 LIMIT ?", (most,)
    )
    return [Kept(*row) for row in found]


def drop_kept(db: apsw.Connection, ids: Sequence[int] | None = None) -> None:
    """Forgets what is noted of some records, or of all."""
    if ids is None:
        db.execute("DELETE FROM faded")
    else:
        db.execute(
            "DELETE FROM faded WHERE memory_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )


def would_fade(db: apsw.Connection, formula: Formula) -> int:
    """How many current records a formula changes."""
    _use(db, formula)
    return int(
        one(
            db,
            f"SELECT count(*) FROM memories m WHERE {_CURRENT}"
            " AND faded(m.id, m.strength, m.importance, m.recorded_at) <> m.strength",
        )
    )


def oldest(db: apsw.Connection) -> str | None:
    """When the first of the current records came in, UTC ISO; None without any."""
    found: str | None = one(db, f"SELECT min(m.recorded_at) FROM memories m WHERE {_CURRENT}")
    return found


def due(
    db: apsw.Connection,
    formula: Formula,
    below: float,
    idle_since: str,
    importance: float,
    kept_kinds: tuple[str, str],
    among: Sequence[int] | None = None,
) -> list[Due]:
    """The current records that are to be archived, by id.

    A record rests since the latest of: it came in, it began to hold, it was last used, somebody
    changed it or brought it back. Being told that it is wrong does not wake it,
    nor does being verified.

    Args:
        formula: gives the strength that counts.
        below, importance: strength and importance must be lower.
        idle_since: the rest must have begun by then, UTC ISO.
        kept_kinds: kinds that are never archived; pinned records are not either.
        among: look at these ids alone; None for all of the file.
    """
    _use(db, formula)
    chosen = "" if among is None else "m.id IN (SELECT value FROM json_each(?6)) AND "
    ids = () if among is None else (json.dumps(list(among)),)
    found = rows(
        db,
        "SELECT id, head, strength, idle FROM ("
        f" SELECT m.id, substr(m.text, 1, {READ_CHARS}) AS head,"
        "  faded(m.id, m.strength, m.importance, m.recorded_at) AS strength,"
        "  max(m.recorded_at, coalesce(m.valid_from, ''), coalesce(m.last_used_at, ''),"
        "   coalesce((SELECT max(j.at) FROM journal j WHERE j.memory_id = m.id"
        "    AND j.what NOT IN ('wrong', 'archive', 'use', 'undecay', 'verify')), '')) AS idle"
        f" FROM memories m WHERE {chosen}{_CURRENT}"
        "  AND m.importance < ?3 AND m.pinned = 0 AND m.kind NOT IN (?4, ?5)"
        "  AND faded(m.id, m.strength, m.importance, m.recorded_at) < ?1"
        ") WHERE idle <= ?2 ORDER BY id",
        (below, idle_since, importance, *kept_kinds, *ids),
    )
    return [Due(*row) for row in found]
