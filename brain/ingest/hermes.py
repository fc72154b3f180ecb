"""Hermes Agent's conversations: its ``state.db``, read while Hermes goes on writing it.

Another program's file, so its statements stand here and not in the store. Every look is a short
read transaction of its own on a read-only connection, and no ``-wal`` or ``-shm`` is ever made
beside it. Columns that older versions lack are not asked for.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import apsw

from brain.errors import EXIT_BUSY, EXIT_IO, BrainError
from brain.ingest.chat import ASSISTANT, LONGEST_TURN, USER, Turn, episodes, said
from brain.ingest.entry import Found, since
from brain.store.sql import rows

READER = "hermes"

T = TypeVar("T")

_HEADER = b"SQLite format 3\0"
_WAL_MODE = 2
"""Byte 18 of an SQLite file: https://sqlite.org/fileformat2.html#file_format_version_numbers."""

BUSY_TIMEOUT_MS = 5000

_TRIES = 50
_PAGE = 500
_HEADS_PAGE = 20_000
_MOST_BYTES = 4 * LONGEST_TURN
_MACHINE_SESSIONS = ("tool", "cron")
_SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
"""How a machine's summary of earlier turns begins in files that have no column for it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is new in a file: each session's message ids, and the newest id there is."""

    sessions: dict[str, array[int]]
    newest: int

    @property
    def count(self) -> int:
        return sum(len(ids) for ids in self.sessions.values())


def fits(path: Path) -> bool:
    """Whether a file is such a store."""
    with path.open("rb") as f:
        if f.read(len(_HEADER)) != _HEADER:
            return False
    wanted = {("messages", n) for n in ("id", "session_id", "role", "content", "timestamp")}
    try:
        have = _ask(
            path, lambda db: {(t, c) for t in ("messages", "sessions") for c in _columns(db, t)}
        )
    except BrainError:
        return False
    return wanted | {("sessions", "id")} <= have


def head(path: Path, after: int, *, every_session: bool) -> Head:
    """The ids of messages worth reading beyond an id.

    Args:
        every_session: also those of sessions that tools and timers held.
    """
    sessions: dict[str, array[int]] = {}
    at = newest = after
    while True:
        found = _ask(path, partial(_heads, after=at, every_session=every_session))
        if not found:
            return Head(sessions, newest)
        at = newest = int(found[-1][0])
        for message, session, wanted in found:
            if wanted:
                sessions.setdefault(str(session), array("q")).append(int(message))


def _heads(db: apsw.Connection, after: int, every_session: bool) -> list[tuple[Any, ...]]:
    return rows(
        db,
        f"SELECT m.id, m.session_id, {_wanted(db, every_session)} FROM messages m"
        " WHERE m.id > ? ORDER BY m.id LIMIT ?",
        (after, _HEADS_PAGE),
    )


def read(path: Path, found: Head) -> Iterator[Found]:
    """The episodes of what is new, session by session."""
    ids = [message for group in found.sessions.values() for message in group]
    for session, turns in groupby(_turns(path, ids), key=lambda pair: pair[0]):
        yield from episodes(READER, session, (turn for _, turn in turns))


def one_session(path: Path, session: str, first: int, last: int) -> Iterator[Found]:
    """The episodes of some messages of a session, as they stand now."""
    turns = _turns(path, ids_between(path, session, first, last))
    yield from episodes(READER, session, (turn for _, turn in turns))


def rewound(path: Path, upto: int) -> list[tuple[int, str]]:
    """(id, session) of messages that the user took back."""

    def look(db: apsw.Connection) -> list[tuple[Any, ...]]:
        columns = _columns(db, "messages")
        if "active" not in columns:
            return []
        kept = " AND coalesce(compacted, 0) = 0" if "compacted" in columns else ""
        return rows(
            db,
            f"SELECT id, session_id FROM messages WHERE active = 0{kept} AND id <= ?"
            " AND role IN ('user', 'assistant')",
            (upto,),
        )

    return [(int(message), str(session)) for message, session in _ask(path, look)]


def mark(path: Path, message: int) -> str | None:
    """What tells a message from another of the same id; None when it is not there."""
    query = "SELECT session_id, timestamp FROM messages WHERE id = ?"
    found = _ask(path, lambda db: rows(db, query, (message,)))
    return f"{found[0][0]}@{found[0][1]}" if found else None


def ids_between(path: Path, session: str, first: int, last: int) -> array[int]:
    """The ids of a session's messages worth reading, from one id to another, both included."""
    found = _ask(
        path,
        lambda db: rows(
            db,
            "SELECT m.id FROM messages m WHERE m.id BETWEEN ? AND ? AND m.session_id = ?"
            f" AND {_wanted(db, True)} ORDER BY m.id",
            (first, last, session),
        ),
    )
    return array("q", (int(message) for (message,) in found))


def role_of(path: Path, message: int) -> str | None:
    """Who wrote a message."""
    query = "SELECT role FROM messages WHERE id = ?"
    found = _ask(path, lambda db: rows(db, query, (message,)))
    return str(found[0][0]) if found else None


def _turns(path: Path, ids: Sequence[int]) -> Iterator[tuple[str, Turn]]:
    """(session, turn) of messages, in the order of the ids."""
    for start in range(0, len(ids), _PAGE):
        page = ids[start : start + _PAGE]
        found = _ask(path, partial(_contents, page=page))
        by_id = {row[0]: row for row in found}
        for number, message in enumerate(page, start=start + 1):
            if message in by_id:
                _, session, role, size, content, when = by_id[message]
                text = _text(content or b"", cut=(size or 0) > _MOST_BYTES)
                if not text.startswith(_SUMMARIES):
                    turn = Turn(
                        str(role), text, message, message, since(when, in_seconds=True), number
                    )
                    yield str(session), turn


def _contents(db: apsw.Connection, page: Sequence[int]) -> list[tuple[Any, ...]]:
    # As bytes: text that is no valid UTF-8 would end the run instead of one message.
    return rows(
        db,
        "SELECT id, session_id, role, octet_length(content),"
        " substr(CAST(content AS BLOB), 1, ?), timestamp FROM messages"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (_MOST_BYTES, json.dumps(list(page))),
    )


def _text(content: bytes, *, cut: bool) -> str:
    text = content.decode("utf-8", "ignore" if cut else "surrogateescape")
    if text[:1] not in {"[", "{"}:
        return text
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return text
    first = parts[0] if isinstance(parts, list) and parts else parts
    return said(parts) if isinstance(first, dict) and "type" in first else text


def _wanted(db: apsw.Connection, every_session: bool) -> str:
    """A condition on ``messages m``: what a person said or was told, and did not take back."""
    columns = _columns(db, "messages")
    parts = [f"m.role IN ('{USER}', '{ASSISTANT}')", "m.content IS NOT NULL"]
    if "active" in columns:
        kept = " OR coalesce(m.compacted, 0) <> 0" if "compacted" in columns else ""
        parts.append(f"(coalesce(m.active, 1) <> 0{kept})")
    if "_compressed_summary" in columns:
        parts.append("coalesce(m._compressed_summary, 0) = 0")
    if "display_kind" in columns:
        parts.append("coalesce(m.display_kind, '') <> 'hidden'")
    if not every_session and "source" in _columns(db, "sessions"):
        kinds = ", ".join(f"'{kind}'" for kind in _MACHINE_SESSIONS)
        parts.append(
            f"NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id"
            f" AND s.source IN ({kinds}))"
        )
    return " AND ".join(parts)


def _columns(db: apsw.Connection, table: str) -> frozenset[str]:
    return frozenset(str(row[1]) for row in rows(db, f"PRAGMA table_info({table})"))


class _WrittenMeanwhileError(Exception):
    """The file was not as still as it seemed; what was read of it may be torn."""


def _ask(path: Path, look: Callable[[apsw.Connection], T]) -> T:
    """What a look at one moment of the file gives.

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
