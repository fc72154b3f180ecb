"""SQLite reader of chat programs' files: Cursor's ``state.vscdb``, Cherry Studio's database.

Read while the program has them open, as :mod:`brain.store.hermes_db` reads Hermes's; values are
handed on as they stand, JSON in most.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from brain.errors import BrainError
from brain.store.hermes_db import ask, columns_of, is_sqlite
from brain.store.sql import rows

COMPOSERS = "composerData:"
"""What the key of a conversation of Cursor begins with."""

LARGEST = 64 * 1024 * 1024
"""Bytes of a value beyond which it is left out."""

_BUBBLES = "bubbleId:"
_AFTER = "\U0010ffff"


def fits_cursor(path: Path) -> bool:
    """Whether a file is Cursor's, or another VS Code's, state."""
    return _has(path, {"cursorDiskKV": ("key", "value")}) or _has(
        path, {"ItemTable": ("key", "value")}
    )


def fits_cherry(path: Path) -> bool:
    """Whether a file is Cherry Studio's database."""
    return _has(path, {"message": ("role", "data"), "topic": ("id",)})


def _has(path: Path, wanted: dict[str, tuple[str, ...]]) -> bool:
    if not is_sqlite(path):
        return False
    try:
        have = ask(path, lambda db: {table: columns_of(db, table) for table in wanted})
    except BrainError:
        return False
    return all(set(columns) <= have[table] for table, columns in wanted.items())


# Cursor ------------------------------------------------------------------------------------------


def composers(path: Path) -> list[str]:
    """The ids of Cursor's conversations, in the order of their keys.

    Raises:
        BrainError: as :func:`brain.store.hermes_db.ask`.
    """

    def look(db: apsw.Connection) -> list[tuple[str]]:
        if not columns_of(db, "cursorDiskKV"):
            return []
        return rows(
            db,
            "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key",
            (COMPOSERS, COMPOSERS + _AFTER),
        )

    return [str(key)[len(COMPOSERS) :] for (key,) in ask(path, look)]


def composer(path: Path, name: str) -> tuple[bytes, dict[str, bytes]]:
    """(what Cursor keeps of a conversation, its messages by their ids). Raises as `composers`."""
    prefix = f"{_BUBBLES}{name}:"

    def look(db: apsw.Connection) -> tuple[list[tuple[bytes]], list[tuple[str, bytes]]]:
        head = rows(
            db,
            "SELECT CAST(value AS BLOB) FROM cursorDiskKV WHERE key = ?",
            (COMPOSERS + name,),
        )
        found = rows(
            db,
            "SELECT key, CAST(value AS BLOB) FROM cursorDiskKV WHERE key >= ? AND key < ?"
            " AND octet_length(value) <= ?",
            (prefix, prefix + _AFTER, LARGEST),
        )
        return head, found

    head, found = ask(path, look)
    return (head[0][0] or b"") if head else b"", {
        str(key)[len(prefix) :]: value or b"" for key, value in found
    }


def item(path: Path, key: str) -> bytes:
    """A value of a VS Code's own table; empty for none. Raises as :func:`composers`."""

    def look(db: apsw.Connection) -> list[tuple[bytes]]:
        if not columns_of(db, "ItemTable"):
            return []
        return rows(
            db,
            "SELECT CAST(value AS BLOB) FROM ItemTable WHERE key = ? AND octet_length(value) <= ?",
            (key, LARGEST),
        )

    found = ask(path, look)
    return (found[0][0] or b"") if found else b""


# Cherry Studio -----------------------------------------------------------------------------------

Message = tuple[str, str | None, str, bytes, object]
"""(id, id of the one before, role, content, Unix milliseconds)."""


def topics(path: Path) -> list[tuple[str, str | None]]:
    """(id, the message last shown) of Cherry Studio's conversations. Raises as `composers`."""

    def look(db: apsw.Connection) -> list[tuple[str, str | None]]:
        have = columns_of(db, "topic")
        active = _column(have, "active_node_id", "activeNodeId")
        gone = _column(have, "deleted_at", "deletedAt")
        return rows(
            db, f"SELECT CAST(id AS TEXT), {active} FROM topic WHERE {gone} IS NULL ORDER BY rowid"
        )

    return [(str(name), None if leaf is None else str(leaf)) for name, leaf in ask(path, look)]


def messages(path: Path, topic: str) -> list[Message]:
    """The messages of a conversation in the order they came. Raises as :func:`composers`."""

    def look(db: apsw.Connection) -> list[Message]:
        have = columns_of(db, "message")
        parent = _column(have, "parent_id", "parentId")
        owner = _column(have, "topic_id", "topicId")
        made = _column(have, "created_at", "createdAt")
        gone = _column(have, "deleted_at", "deletedAt")
        return rows(
            db,
            f"SELECT CAST(id AS TEXT), {parent}, role, CAST(data AS BLOB), {made} FROM message"
            f" WHERE {owner} = ? AND {gone} IS NULL AND octet_length(data) <= ?"
            f" ORDER BY {made}, rowid",
            (topic, LARGEST),
        )

    return [
        (str(name), None if up is None else str(up), str(role), data or b"", when)
        for name, up, role, data, when in ask(path, look)
    ]


def _column(have: frozenset[str], *names: str) -> str:
    """The first of some names that a table has, quoted; NULL for a column it has not."""
    return next((f'"{name}"' for name in names if name in have), "NULL")
