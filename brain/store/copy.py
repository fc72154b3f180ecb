"""Online backup, exclusive lock and salvage: whole files, copied, had to oneself, or read row by
row where they are corrupt.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from brain.errors import EXIT_BUSY, BrainError
from brain.store import connection, meta, schema, wal
from brain.store.sql import rows

BETWEEN = 1_000_000
"""Most numbers tried one by one where the damage is."""

_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError, UnicodeDecodeError)
_DERIVED = frozenset({meta.VECTORS, meta.NEXT_VECTORS, meta.NEXT_MODEL, meta.NEXT_DIM, meta.FOLD})
_FIRST = ("scopes", "memories")
"""Tables other tables refer to."""


def copy_into(db: apsw.Connection, target: Path) -> None:
    """Copies the file a connection sees, as its read transaction sees it, into an empty file.

    SQLite's online backup (https://sqlite.org/backup.html), in one step, so that no write of
    another process makes it begin again; in WAL mode those go on meanwhile.

    Args:
        target: an empty file; nobody else may use it yet.
    """
    with connection.translate_errors(target):
        out = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            with out.backup("main", db, "main") as run:
                while not run.done:
                    run.step(-1)
        finally:
            out.close(True)


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """A file with its log merged and taken away, and locked against all others in the block.

    Raises:
        BrainError: ``brain_busy`` (75) while anybody has the file open (in WAL mode everybody who
            has it open keeps it from leaving that mode), and those of
            :func:`brain.store.connection.connect`.
    """
    wal.require_own(path)
    with connection.translate_errors(path):
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.check_version(db, path)
            try:
                db.pragma("journal_mode", "delete")
                db.execute("BEGIN EXCLUSIVE")
            except apsw.BusyError:
                raise BrainError(
                    "brain_busy",
                    f"还有别的程序开着这个记忆文件，请先停掉它们再试：{path}",
                    EXIT_BUSY,
                ) from None
            yield
        finally:
            db.close(True)


def copy_rows(broken: apsw.Connection, new: apsw.Connection) -> dict[str, int]:
    """Copies the rows that can be read, of every table that both files have.

    Call inside a write transaction of the new file, which must be freshly made; constraints
    between tables are its own to check afterwards.

    Returns:
        rows copied, by table.
    """
    names = _tables(new)
    names.sort(key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    done = {}
    for name in names:
        columns = [row[1] for row in rows(new, f"PRAGMA table_info({name})")]
        done[name] = 0
        for row in _readable(broken, name, columns):
            marks = ", ".join("?" * len(columns))
            try:
                new.execute(
                    f"INSERT OR REPLACE INTO {name} ({', '.join(columns)}) VALUES ({marks})", row
                )
            except apsw.ConstraintError:
                continue  # a row that holds what no record can
            done[name] += 1
    marks = ", ".join("?" * len(_DERIVED))
    new.execute(f"DELETE FROM meta WHERE key IN ({marks})", tuple(sorted(_DERIVED)))
    return done


def _tables(db: apsw.Connection) -> list[str]:
    """Ordinary tables, without those that are the inside of a virtual one."""
    found = rows(db, "SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    return [str(n) for n, kind in found if kind == "table" and not str(n).startswith("sqlite_")]


def _readable(db: apsw.Connection, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """The rows that can be read; columns the old file lacks are not there to be read."""
    try:
        held = {row[1]: row[5] for row in rows(db, f"PRAGMA table_info({table})")}
    except _BROKEN:
        return
    if not held:
        return
    wanted = ", ".join(c if c in held else f"NULL AS {c}" for c in columns)
    numbered = [c for c in columns if held.get(c) == 1]
    key = numbered[0] if numbered else "rowid"
    where = f"SELECT {key}, {wanted} FROM {table} NOT INDEXED"
    seen: set[Any] = set()
    for order in ("ASC", "DESC"):
        try:
            for number, *row in db.execute(f"{where} ORDER BY {key} {order}"):
                if number in seen:
                    break
                seen.add(number)
                yield tuple(row)
        except _BROKEN:
            continue
    yield from _one_by_one(db, where, key, seen)


def _one_by_one(
    db: apsw.Connection, where: str, key: str, seen: set[Any]
) -> Iterator[tuple[Any, ...]]:
    numbers = {n for n in seen if isinstance(n, int)}
    if len(numbers) != len(seen) or not numbers:
        return
    gaps = range(1, min(max(numbers), BETWEEN))
    for number in gaps:
        if number in numbers:
            continue
        try:
            found = rows(db, f"{where} WHERE {key} = ?", (number,))
        except _BROKEN:
            continue
        yield from (tuple(row[1:]) for row in found)


def open_broken(path: str) -> apsw.Connection | None:
    """A corrupt file opened for reading, without any check; None where SQLite cannot."""
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.pragma("query_only", "ON")
        db.pragma("cell_size_check", "ON")
        schema.version(db)
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except _BROKEN:
        db.close(True)
        return None
    return db
