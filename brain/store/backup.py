"""Online backup and exclusive lock: a whole file copied, or had to oneself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from brain.errors import EXIT_BUSY, BrainError
from brain.store import connection, wal


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
