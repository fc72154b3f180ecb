"""SQLite reader of another program's file: Hermes Agent's ``state.db``, while Hermes writes it.

Every look is a short read transaction of its own on a read-only connection, and no ``-wal`` or
``-shm`` is ever made beside the file. Columns that older versions lack are not asked for.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import apsw

from brain.errors import EXIT_BUSY, EXIT_IO, BrainError
from brain.store.sql import rows

T = TypeVar("T")

_HEADER = b"SQLite format 3\0"
_WAL_MODE = 2
"""Byte 18 of an SQLite file: https://sqlite.org/fileformat2.html#file_format_version_numbers."""

BUSY_TIMEOUT_MS = 5000

HEADS_PAGE = 20_000
"""Messages listed by one look."""

_TRIES = 50
_MACHINE_SESSIONS = ("tool", "cron")


def is_sqlite(path: Path) -> bool:
    """Whether a file begins as SQLite's do."""
    with path.open("rb") as f:
        return f.read(len(_HEADER)) == _HEADER


def fits(path: Path) -> bool:
    """Whether a file is such a store."""
    if not is_sqlite(path):
        return False
    wanted = {("messages", n) for n in ("id", "session_id", "role", "content", "timestamp")}
    try:
        have = ask(
            path, lambda db: {(t, c) for t in ("messages", "sessions") for c in columns_of(db, t)}
        )
    except BrainError:
        return False
    return wanted | {("sessions", "id")} <= have


def heads(path: Path, after: int, *, every_session: bool) -> list[tuple[int, str, bool]]:
    """(id, session, worth reading) of the next messages beyond an id, ``HEADS_PAGE`` at most.

    Args:
        every_session: also those of sessions that tools and timers held are worth reading.
    """
    found = ask(
        path,
        lambda db: rows(
            db,
            f"SELECT m.id, m.session_id, {_wanted(db, every_session)} FROM messages m"
            " WHERE m.id > ? ORDER BY m.id LIMIT ?",
            (after, HEADS_PAGE),
        ),
    )
    return [(int(message), str(session), bool(wanted)) for message, session, wanted in found]


def rewound(path: Path, upto: int) -> list[tuple[int, str]]:
    """(id, session) of messages that the user took back."""

    def look(db: apsw.Connection) -> list[tuple[int, str]]:
        columns = columns_of(db, "messages")
        if "active" not in columns:
            return []
        kept = " AND coalesce(compacted, 0) = 0" if "compacted" in columns else ""
        return rows(
            db,
            f"SELECT id, session_id FROM messages WHERE active = 0{kept} AND id <= ?"
            " AND role IN ('user', 'assistant')",
            (upto,),
        )

    return [(int(message), str(session)) for message, session in ask(path, look)]


def mark(path: Path, message: int) -> str | None:
    """What tells a message from another of the same id; None when it is not there."""
    query = "SELECT session_id, timestamp FROM messages WHERE id = ?"
    found = ask(path, lambda db: rows(db, query, (message,)))
    return f"{found[0][0]}@{found[0][1]}" if found else None


def ids_between(path: Path, session: str, first: int, last: int) -> list[int]:
    """The ids of a session's messages worth reading, from one id to another, both included."""
    found = ask(
        path,
        lambda db: rows(
            db,
            "SELECT m.id FROM messages m WHERE m.id BETWEEN ? AND ? AND m.session_id = ?"
            f" AND {_wanted(db, True)} ORDER BY m.id",
            (first, last, session),
        ),
    )
    return [int(message) for (message,) in found]


def role_of(path: Path, message: int) -> str | None:
    """Who wrote a message."""
    query = "SELECT role FROM messages WHERE id = ?"
    found = ask(path, lambda db: rows(db, query, (message,)))
    return str(found[0][0]) if found else None


def contents(
    path: Path, ids: Sequence[int], most_bytes: int
) -> dict[int, tuple[str, str, int, bytes, object]]:
    """(session, role, size in bytes, content, timestamp) of messages, by id.

    Args:
        most_bytes: of a content that are read. As bytes: text that is no valid UTF-8 would end the
            run instead of one message.
    """
    found = ask(
        path,
        lambda db: rows(
            db,
            "SELECT id, session_id, role, octet_length(content),"
            " substr(CAST(content AS BLOB), 1, ?), timestamp FROM messages"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (most_bytes, json.dumps(list(ids))),
        ),
    )
    return {
        int(message): (str(session), str(role), size or 0, content or b"", when)
        for message, session, role, size, content, when in found
    }


def _wanted(db: apsw.Connection, every_session: bool) -> str:
    """A condition on ``messages m``: what a person said or was told, and did not take back."""
    columns = columns_of(db, "messages")
    parts = ["m.role IN ('user', 'assistant')", "m.content IS NOT NULL"]
    if "active" in columns:
        kept = " OR coalesce(m.compacted, 0) <> 0" if "compacted" in columns else ""
        parts.append(f"(coalesce(m.active, 1) <> 0{kept})")
    if "_compressed_summary" in columns:
        parts.append("coalesce(m._compressed_summary, 0) = 0")
    if "display_kind" in columns:
        parts.append("coalesce(m.display_kind, '') <> 'hidden'")
    if not every_session and "source" in columns_of(db, "sessions"):
        kinds = ", ".join(f"'{kind}'" for kind in _MACHINE_SESSIONS)
        parts.append(
            f"NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id"
            f" AND s.source IN ({kinds}))"
        )
    return " AND ".join(parts)


def columns_of(db: apsw.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none where there is no such table."""
    return frozenset(str(row[1]) for row in rows(db, f"PRAGMA table_info({table})"))


class _WrittenMeanwhileError(Exception):
    """The file was not as still as it seemed; what was read of it may be torn."""


def ask(path: Path, look: Callable[[apsw.Connection], T]) -> T:
    """What a look at one moment of another program's file gives.

    Raises:
        BrainError: ``brain_ingest_unreadable`` (74), ``brain_busy`` (75).
    """
    for tried in range(_TRIES):
        try:
            with _connected(path) as db:
                db.execute("BEGIN")
                return look(db)
        except _WrittenMeanwhileError:
            time.sleep(0.01 * tried)
        except apsw.BusyError:
            break
        except (apsw.Error, OSError) as e:
            raise BrainError(
                "brain_ingest_unreadable", f"读不了文件：{path}（{e}）", EXIT_IO
            ) from None
    raise BrainError("brain_busy", f"文件正忙，请稍后再试：{path}", EXIT_BUSY)


@contextmanager
def _connected(path: Path) -> Iterator[apsw.Connection]:
    """A connection that leaves nothing beside the file.

    SQLite makes ``-wal`` and ``-shm`` where a file in WAL mode has none, even for a reader. Where
    there is no log nobody has the file open, so it is read as immutable; a copy that came with its
    log alone is read from a copy of our own.
    """
    log, shared = Path(f"{path}-wal"), Path(f"{path}-shm")
    with path.open("rb") as f:
        start = f.read(20)
    in_wal_mode = len(start) == 20 and start[18] == _WAL_MODE
    if in_wal_mode and not log.exists():
        yield from _immutable(path, log)
    elif in_wal_mode and not shared.exists():
        with tempfile.TemporaryDirectory() as folder:
            yield from _opened(_copied(path, log, shared, Path(folder)), "")
    else:
        yield from _opened(path, "")


def _immutable(path: Path, log: Path) -> Iterator[apsw.Connection]:
    before = _state(path)
    yield from _opened(path, "&immutable=1")
    if log.exists() or _state(path) != before:
        raise _WrittenMeanwhileError


def _copied(path: Path, log: Path, shared: Path, folder: Path) -> Path:
    copy = folder / "state.db"
    try:
        before = _state(path), _state(log)
        shutil.copyfile(path, copy)
        shutil.copyfile(log, Path(f"{copy}-wal"))
        after = _state(path), _state(log)
    except FileNotFoundError:
        # A process was just opening or closing the file.
        raise _WrittenMeanwhileError from None
    if before != after or shared.exists():
        raise _WrittenMeanwhileError
    return copy


def _state(path: Path) -> tuple[int, int]:
    info = path.stat()
    return info.st_mtime_ns, info.st_size


def _opened(path: Path, how: str) -> Iterator[apsw.Connection]:
    uri = "file:" + quote(str(path.absolute())) + "?mode=ro" + how
    db = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        db.set_busy_timeout(BUSY_TIMEOUT_MS)
        db.pragma("trusted_schema", "OFF")
        yield db
    finally:
        db.close(True)
