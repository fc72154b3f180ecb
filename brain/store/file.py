"""One memory file, its connections and its transactions.

Every thread has its own connection, so reads never wait for a write; writes of one process queue on
a lock, those of several on SQLite's. A file that is not there reads as an empty memory.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from brain.errors import EXIT_CANT_CREATE, EXIT_IO, BrainError
from brain.store import connection, memories, meta, schema, terms, vectors
from brain.text.fold import FOLD_VERSION

_WAL_RETRIES = 50


class Store:
    """The file at a path.

    Args:
        path: where the file is or will be.
        read_only: True refuses every write and never makes a file.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.vectors_loaded = True
        self._local = threading.local()
        # Weak: the connections of a thread that has ended close with it.
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._open_lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._identity: tuple[int, int] | None = None

    def exists(self) -> bool:
        """Whether the file is there and holds a database. Raises for anything that is not ours."""
        return connection.look_at(self.path)

    def close(self) -> None:
        """Closes every connection of every thread. The store must not be used after."""
        with self._open_lock:
            # Readers first: only a writer that closes last merges the log into the file.
            for db in sorted(self._open, key=lambda db: not db.readonly("main")):
                db.close(True)
            self._open.clear()
        self._local = threading.local()

    @contextlib.contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A connection inside one read transaction: all statements see the same moment."""
        db = self._reader()
        with connection.translated(self.path):
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN")
            try:
                yield db
            finally:
                # A full disk may have ended the transaction already.
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextlib.contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """A connection inside one ``BEGIN IMMEDIATE`` transaction; any exception undoes it all."""
        with self._write_lock:
            db = self._writer()
            self._refuse_replaced()
            with connection.translated(self.path), connection.immediate(db):
                yield db

    def _refuse_replaced(self) -> None:
        """Refuses to write into a file that is no longer the one at the path."""
        if self._identity is not None and connection.identity(self.path) != self._identity:
            raise BrainError(
                "brain_db_replaced",
                f"记忆文件在打开期间被删掉或换掉了，没有写入；请重新打开：{self.path}",
                EXIT_IO,
            )

    def _reader(self) -> apsw.Connection:
        db = getattr(self._local, "reader", None) or getattr(self._local, "writer", None)
        if db is not None:
            return db  # type: ignore[no-any-return]
        if not self.exists():
            # Not kept: the file may be made by another process at any moment.
            return self._prepared_empty()
        db = connection.connect(self.path, writable=False)
        if connection.check_version(db, self.path) == 0:
            # Another process has begun to make it, or died doing so.
            db.close()
            return self._prepared_empty()
        self._keep(db)
        self._local.reader = db
        return db

    def _writer(self) -> apsw.Connection:
        if self.read_only:
            raise BrainError(
                "brain_db_read_only", f"这次是只读打开的，不能写入：{self.path}", EXIT_CANT_CREATE
            )
        db = getattr(self._local, "writer", None)
        if db is not None:
            return db  # type: ignore[no-any-return]
        if not self.exists():
            connection.create(self.path)
        opened = self._connect_writable()
        number = connection.check_version(opened, self.path)
        if number < schema.SCHEMA_VERSION:
            self._migrate(opened)
        self._keep(opened)
        self._local.writer = opened
        self._identity = connection.identity(self.path)
        self._catch_up(opened)
        return opened

    def _connect_writable(self) -> apsw.Connection:
        attempt = 0
        while True:
            try:
                return connection.connect(self.path, writable=True)
            except BrainError as e:
                # Two processes turning a new file to WAL: SQLite's busy handler is not asked.
                attempt += 1
                if e.code != "brain_busy" or attempt == _WAL_RETRIES:
                    raise
                time.sleep(0.02)

    def _migrate(self, db: apsw.Connection) -> None:
        with connection.translated(self.path):
            connection.require_fts5(db)
            with connection.immediate(db):
                # Another process may have done it while this one waited for the lock.
                fresh = schema.version(db) == 0
                schema.migrate(db)
                if fresh:
                    meta.put(db, **{meta.FOLD: FOLD_VERSION})

    def _catch_up(self, db: apsw.Connection) -> None:
        """Brings indexes up to date that were written under another folding or without a part."""
        with connection.translated(self.path):
            found = meta.read(db)
            refold = found.get(meta.FOLD) != FOLD_VERSION and terms.has_trigrams(db)
            refresh = meta.VECTORS_BEHIND in found and self.vectors_loaded
            if not refold and not refresh:
                return
            with connection.immediate(db):
                if refold:
                    reindex(db)
                if refresh:
                    for memory in memories.everything(db, None, None, None):
                        vectors.refresh(db, memory)
                    meta.put(db, **{meta.VECTORS_BEHIND: None})

    def _prepared_empty(self) -> apsw.Connection:
        db = apsw.Connection(":memory:")
        schema.migrate(db)
        self.vectors_loaded = connection.load_vectors(db)
        return db

    def _keep(self, db: apsw.Connection) -> None:
        if not connection.load_vectors(db):
            self.vectors_loaded = False
        with self._open_lock:
            self._open.add(db)


def reindex(db: apsw.Connection) -> int:
    """Empties and refills both text indexes from the records; gives the number of records."""
    terms.clear(db)
    scopes: dict[str, int] = {}
    done = 0
    for memory_id, text, scope in memories.texts_after(db, 0):
        if scope not in scopes:
            scopes[scope] = memories.ensure_scope(db, scope)
        terms.add(db, memory_id, text, scopes[scope])
        done += 1
    meta.put(db, **{meta.FOLD: FOLD_VERSION})
    return done


def facts(db: apsw.Connection) -> dict[str, Any]:
    """What ``meta`` says, with the vector table only where it really exists."""
    found = meta.read(db)
    table = found.get(meta.VECTORS)
    if table is not None and not vectors.exists(db, table):
        found[meta.VECTORS] = None
    return found
