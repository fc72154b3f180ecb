"""Statements that put derived rows and lineage pointers right; each inside the caller's write."""

from __future__ import annotations

import hashlib

import apsw

from brain.memory import content_hash
from brain.store import audit, memories
from brain.store.sql import rows


def scopes(db: apsw.Connection) -> None:
    """Gives a number to every scope some record has."""
    db.execute(
        "INSERT OR IGNORE INTO scopes (name) SELECT DISTINCT scope FROM memories ORDER BY scope"
    )


def drop_passages(db: apsw.Connection, memory_id: int) -> list[int]:
    """Removes the passages of a record; gives their ids."""
    found = rows(db, "DELETE FROM passages WHERE memory_id = ? RETURNING id", (memory_id,))
    return [int(row[0]) for row in found]


def drop_ownerless_passages(db: apsw.Connection) -> None:
    """Removes the passages of no record."""
    db.execute("DELETE FROM passages WHERE memory_id NOT IN (SELECT id FROM memories)")


def hashes(db: apsw.Connection, memory_ids: list[int]) -> None:
    """Makes the hashes of records anew from their texts."""
    for memory_id in memory_ids:
        for (text,) in rows(db, "SELECT text FROM memories WHERE id = ?", (memory_id,)):
            memories.set_fields(
                db,
                memory_id,
                content_hash=content_hash(text),
                text_sha256=hashlib.sha256(text.encode("utf-8")).digest(),
            )


def pointers(db: apsw.Connection) -> list[int]:
    """Makes predecessors and heirs name each other; gives the records that were changed.

    A pointer to nothing goes. One that is not returned is completed where the other side is free
    and the heir the later record, else it goes. A loop is cut between its latest and earliest.
    """
    before = _pointers(db)
    now = dict(before)
    for one, (old, new) in before.items():
        now[one] = (old if old in before else None, new if new in before else None)
    for one in sorted(now):
        heir = now[one][1]
        if heir is None or now[heir][0] == one:
            continue
        if now[heir][0] is None and heir > one:
            now[heir] = (one, now[heir][1])
        else:
            now[one] = (now[one][0], None)
    for one in sorted(now):
        old = now[one][0]
        if old is None or now[old][1] == one:
            continue
        if now[old][1] is None and old < one:
            now[old] = (now[old][0], one)
        else:
            now[one] = (None, now[one][1])
    changed = [one for one in sorted(now) if now[one] != before[one]]
    for one in changed:
        memories.set_fields(db, one, supersedes=now[one][0], superseded_by=now[one][1])
    while loop := audit.looped(db):
        first = loop[0]
        old = _pointers(db)[first][0]
        memories.set_fields(db, first, supersedes=None)
        if old is not None:
            memories.set_fields(db, old, superseded_by=None)
        changed += [first, *([old] if old is not None else [])]
    return sorted(set(changed))


def _pointers(db: apsw.Connection) -> dict[int, tuple[int | None, int | None]]:
    return {a: (b, c) for a, b, c in rows(db, "SELECT id, supersedes, superseded_by FROM memories")}
