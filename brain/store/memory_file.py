"""Database file: its connections and its transactions.

Every thread has its own connection, so reads never wait for a write; writes of one process queue on
a lock, those of several on SQLite's. A file that is not there reads as an empty memory. A file that
another took the place of is let go: the next read is of the new one.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

from brain.errors import EXIT_BUSY, EXIT_CANT_CREATE, EXIT_IO, BrainError
from brain.store import connection, erase, folder, fts, memories, meta, schema, wal
from brain.store.sql import rows
from brain.store.vectors import vector_index
from brain.text.fold import FOLD_VERSION

_WAL_RETRIES = 250

PATIENCE_S = 2.0
"""How long closing waits for a read of another thread before it is interrupted."""

_DOUBTFUL = frozenset({"brain_db_damaged", "brain_db_io"})
"""After these the connection is not used again: what it remembers may be what is wrong."""


class _Held:
    """A connection some thread keeps, and which file it is of.

    ``lock`` is held by whoever uses the connection; ``gone`` says it was closed, and is only set
    by who holds the lock. ``stamp`` is kept for a connection that SQLite does not keep up to date.
    ``beside`` are the log and the map of it that SQLite has open, ``content`` is the stamp of the
    file when its content was last known to be what SQLite remembers of it.
    """

    def __init__(
        self,
        db: apsw.Connection,
        path: Path,
        identity: tuple[int, int] | None,
        stamp: tuple[int, int, int] | None = None,
    ) -> None:
        self.db = db
        self.path = path
        self.identity = identity
        self.stamp = stamp
        self.beside = None if identity is None or stamp is not None else wal.beside(path)
        self.content = connection.stamp(path)
        self.lock = threading.RLock()
        self.gone = False

    def close(self) -> None:
        """Closes the connection; the caller holds the lock.

        The last one to close merges the log into the file and takes it away, by its name: not where
        the file or the log of that name is another by now.
        """
        self.gone = True
        with contextlib.suppress(apsw.Error, BrainError):
            if self.beside is not None and not self.db.in_transaction and self._is_strange():
                self.db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self.db.close(True)

    def _is_strange(self) -> bool:
        now = wal.beside(self.path)
        return not self.has_own_content() or (now is not None and now != self.beside)

    def has_own_content(self) -> bool:
        """Whether nobody has copied other bytes over the file; costs a stat where it is as it
        was."""
        now = connection.stamp(self.path)
        if self.beside is None or now is None or now == self.content:
            return True
        begun = not self.db.in_transaction
        try:
            if begun:
                self.db.execute("BEGIN")
            ours = wal.is_content_ours(self.db, self.path)
        except (apsw.CorruptError, apsw.NotADBError):
            ours = False
        finally:
            if begun and self.db.in_transaction:
                self.db.execute("ROLLBACK")
        if ours:
            self.content = now
        return ours


class Store:
    """The file at a path.

    Args:
        path: where the file is or will be.
        read_only: True refuses every write and never makes a file.
        network: gives the name of the network file system a path is on, or None.

    ``made`` says whether this object has made the file.
    """

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        network: Callable[[Path], str | None] = folder.network,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.vectors_loaded = True
        self.network = network
        self._local = threading.local()
        # Weak: the connections of a thread that has ended close with it.
        self._open: weakref.WeakSet[_Held] = weakref.WeakSet()
        self._open_lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._opened: tuple[int, int] | None = None
        self._written: tuple[int, int] | None = None
        # Another file has come to be at the path, or none: the next write is told of it.
        self._missed = False
        self._closed = False
        self.made = False

    def exists(self) -> bool:
        """Whether the file is there and holds a database. Raises for anything that is not ours."""
        return connection.check_file(self.path)

    def close(self) -> None:
        """Closes every connection of every thread; what is used after says ``brain_closed``.

        A read that is going on in another thread has :data:`PATIENCE_S` seconds to end and is then
        interrupted; one that even then does not end closes its connection itself when it does.
        """
        self._closed = True
        self._let_go(lambda held: True, interrupt=True)
        vector_index.drop_cache(self.path)

    def release(self) -> None:
        """Closes every connection for now; the next use opens another."""
        self._let_go(lambda held: True)

    def merge_log(self) -> bool:
        """Merges the log into the file and empties it; False while a reader or writer needs it.

        Raises:
            BrainError: as :meth:`write`.
        """
        with self._write_lock:
            self._refuse_replaced()
            with self._using(self._writer) as held, connection.translate_errors(self.path):
                found = held.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                return not found[0][0]

    def _let_go(self, which: Callable[[_Held], bool], *, interrupt: bool = False) -> None:
        with self._open_lock:
            chosen = [held for held in self._open if which(held)]
        for held in chosen:
            free = held.lock.acquire(timeout=PATIENCE_S)
            if not free and interrupt:
                with contextlib.suppress(apsw.ConnectionClosedError):  # it has just ended
                    held.db.interrupt()
                free = held.lock.acquire(timeout=PATIENCE_S)
            if free:
                held.close()
                held.lock.release()

    @contextlib.contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A connection inside one read transaction: all statements see the same moment.

        Raises:
            BrainError: ``brain_closed`` (74) after :meth:`close`.
        """
        with self._using(self._reader) as held, connection.translate_errors(self.path):
            db = held.db
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
            if held.stamp is not None and not self._current(held):
                raise self._changed()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """A connection of its own in one read transaction, for what reads long and bit by bit.

        Its thread may read and write meanwhile; it goes on seeing the file as it was.

        Raises:
            BrainError: as :meth:`read`.
        """
        self._refuse_closed()
        self._let_the_dead_go()
        if not self.exists():
            yield self._prepared_empty()
            return
        stamp = connection.stamp(self.path)
        db = connection.connect(self.path, writable=False)
        try:
            if connection.check_version(db, self.path) == 0:
                db.close()
                wal.require_whole(self.path)
                yield self._prepared_empty()
                return
            with connection.translate_errors(self.path):
                schema.stand_in(db)
                db.execute("BEGIN")
                yield db
            if connection.is_immutable(db) and connection.stamp(self.path) != stamp:
                raise self._changed()
        finally:
            db.close(True)

    @contextlib.contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """A connection inside one ``BEGIN IMMEDIATE`` transaction; any exception undoes it all.

        Raises:
            BrainError: ``brain_db_replaced`` (74), once, when the file at the path is no longer the
                one written to so far; ``brain_closed`` (74) after :meth:`close`.
        """
        with self._write_lock:
            self._refuse_replaced()
            with self._using(self._writer) as held, connection.translate_errors(self.path):
                self._written = held.identity
                with connection.immediate(held.db):
                    if not held.has_own_content():
                        raise self._copied_over()
                    yield held.db
                self._refuse_replaced()
                if self._lost_its_log(held):
                    self._rescue(held)

    @contextlib.contextmanager
    def _using(self, get: Callable[[], _Held]) -> Iterator[_Held]:
        while True:
            self._refuse_closed()
            held = get()
            held.lock.acquire()
            if not held.gone:
                break
            held.lock.release()
        try:
            yield held
        except BrainError as e:
            if e.code in _DOUBTFUL and not held.db.in_transaction:
                held.close()
            raise
        finally:
            if self._closed and not held.gone and not held.db.in_transaction:
                held.close()
            held.lock.release()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise BrainError(
                "brain_closed", f"这个记忆文件已经关闭，请重新打开：{self.path}", EXIT_IO
            )

    def _changed(self) -> BrainError:
        return BrainError(
            "brain_busy", f"读的时候文件被别的用户改了，请再试一次：{self.path}", EXIT_BUSY
        )

    def finish_erasing(self) -> None:
        """Gets what was deleted out of the file's bytes and its log.

        Raises:
            BrainError: ``brain_wal_pending`` (75), see :func:`brain.store.erase.clear`.
        """
        with connection.translate_errors(self.path):
            db = self._connect_writable(self.network(self.path) is not None)
            try:
                erase.clear(db, self.path)
            finally:
                db.close()

    def _refuse_replaced(self) -> None:
        """Refuses to write into a file that is no longer the one at the path."""
        written = self._written
        self._refuse_vanished()
        if not self._missed and (written is None or connection.identity(self.path) == written):
            return
        self._written = None
        self._missed = False
        raise BrainError(
            "brain_db_replaced",
            f"记忆文件在打开期间被删掉或换掉了，没有写入；再写会写进现在的文件：{self.path}",
            EXIT_IO,
        )

    def _refuse_vanished(self) -> None:
        """Refuses to go on as if empty where the file was and not even its folder is any more."""
        if (self._opened or self._missed) and not self.path.absolute().parent.is_dir():
            raise BrainError(
                "brain_db_replaced",
                f"记忆文件连同它的文件夹都不见了，没有读写：{self.path}；"
                "要从头开始，请先重新建这个文件夹。",
                EXIT_IO,
            )

    def _current(self, held: _Held) -> bool:
        """Whether a connection is of the file at the path, as it is now."""
        if held.stamp is None:
            return connection.identity(self.path) == held.identity
        return connection.stamp(self.path) == held.stamp and wal.size(self.path) == 0

    def _kept(self, name: str) -> _Held | None:
        """This thread's connection, if it is still good; one of a dead file goes, and its like."""
        held: _Held | None = getattr(self._local, name, None)
        if held is None or held.gone:
            return None
        if held.db.in_transaction:
            return held
        with held.lock:
            if self._current(held):
                if self._lost_its_log(held):
                    with connection.translate_errors(self.path):
                        self._rescue(held)
                    return None
                if held.has_own_content():
                    return held
                # All of them remember the old pages.
                self._let_go(lambda other: True)
                self._missed = True
                return None
            held.close()
        return None

    def _copied_over(self) -> BrainError:
        return BrainError(
            "brain_db_replaced",
            "记忆文件在打开期间被别的内容覆盖了（用 cp？），没有写入；"
            f"换文件请用 brain restore-backup：{self.path}",
            EXIT_IO,
        )

    def _lost_its_log(self, held: _Held) -> bool:
        """Whether the log or the map of it that a connection has open was deleted."""
        if held.beside is None or held.gone:
            return False
        return wal.beside(self.path) != held.beside and connection.identity(self.path) is not None

    def _rescue(self, held: _Held) -> None:
        """Saves what stands in a log that was deleted under our connections, and lets them go.

        Where nobody has made another log it is merged into the file. Else another program has
        stored things in a log of its own that know nothing of ours: ours are copied out beside.

        Raises:
            BrainError: ``brain_wal_lost`` (74) in the second case, ``brain_busy`` (75).
        """
        if not any(Path(f"{self.path}{suffix}").exists() for suffix in ("-wal", "-shm")) or (
            self._merge_what_is_left(held)
        ):
            rows(held.db, "PRAGMA wal_checkpoint(TRUNCATE)")
            self._let_go(lambda other: True)
            return
        from brain.store.backup import copy_into  # shutil and tempfile

        aside = wal.free_name(Path(f"{self.path.absolute()}.aside"))
        connection.create(aside)
        held.db.execute("BEGIN")
        try:
            copy_into(held.db, aside)
        finally:
            held.db.execute("ROLLBACK")
        self._let_go(lambda other: True)
        raise BrainError(
            "brain_wal_lost",
            "记忆文件旁边的 -wal 或 -shm 在打开期间被删掉，又有别的程序建了新的；"
            f"这边看到的全部内容另存在 {aside}，请和 {self.path} 比对。",
            EXIT_IO,
        )

    def _merge_what_is_left(self, held: _Held) -> bool:
        """Whether only one of log and map was deleted and the other is still the one we have."""
        assert held.beside is not None
        for place, suffix in enumerate(("-wal", "-shm")):
            there = connection.identity(Path(f"{self.path}{suffix}"))
            if there is not None and there != held.beside[place]:
                return False
        return True

    def _let_the_dead_go(self) -> None:
        """Before a file is opened: what is left of another that was at the path until now.

        All its connections first, since closing one drops the process's locks on a file; then its
        log, which is known to be another file's and must not be read into this one.
        """
        dead = self._opened
        if dead is None or connection.identity(self.path) == dead:
            return
        self._opened = None
        self._let_go(lambda held: held.identity == dead)
        self._missed = connection.identity(self.path) is None
        with contextlib.suppress(OSError):
            wal.move_aside(self.path)

    def _reader(self) -> _Held:
        held = self._kept("reader") or self._kept("writer")
        if held is not None:
            return held
        self._refuse_vanished()
        while True:
            self._let_the_dead_go()
            if not self.exists():
                # Not kept: the file may be made by another process at any moment.
                return _Held(self._prepared_empty(), self.path, None)
            before = connection.identity(self.path), connection.stamp(self.path)
            db = connection.connect(self.path, writable=False)
            with connection.closed_on_error(db):
                number = connection.check_version(db, self.path)
                if number:
                    schema.stand_in(db)
            if number == 0:
                # Another process has begun to make it, or died doing so.
                db.close()
                wal.require_whole(self.path)
                return _Held(self._prepared_empty(), self.path, None)
            if connection.identity(self.path) == before[0]:
                break
            db.close()
        stamp = before[1] if connection.is_immutable(db) else None
        held = _Held(db, self.path, before[0], stamp)
        self._keep(held)
        self._local.reader = held
        return held

    def _writer(self) -> _Held:
        if self.read_only:
            raise BrainError(
                "brain_db_read_only", f"这次是只读打开的，不能写入：{self.path}", EXIT_CANT_CREATE
            )
        held = self._kept("writer")
        if held is not None:
            return held
        self._let_the_dead_go()
        if not self.exists():
            connection.create(self.path)
            self.made = True
        else:
            wal.require_whole(self.path)
        identity = connection.identity(self.path)
        shared = self.network(self.path) is not None
        if shared:
            # Our own readers of a file in WAL mode would keep it in that mode.
            self.release()
        opened = self._connect_writable(shared)
        with connection.closed_on_error(opened):
            number = connection.check_version(opened, self.path)
            if number < schema.SCHEMA_VERSION:
                if number:
                    self.release()  # readers have stand-ins for the tables that come now
                    copy_before_migration(opened, self.path, number)
                connection.load_vectors(opened)  # old vector tables are dropped by it
                self._migrate(opened)
            held = _Held(opened, self.path, identity)
            self._keep(held)
            self._local.writer = held
            try:
                self._catch_up(opened)
            except BaseException:
                held.gone = True
                raise
        return held

    def _connect_writable(self, shared: bool) -> apsw.Connection:
        attempt = 0
        while True:
            try:
                return connection.connect(self.path, writable=True, shared=shared)
            except BrainError as e:
                # Two processes turning a new file to WAL: SQLite's busy handler is not asked.
                attempt += 1
                if e.code != "brain_busy" or attempt == _WAL_RETRIES:
                    raise
                time.sleep(0.02)

    def _migrate(self, db: apsw.Connection) -> None:
        with connection.translate_errors(self.path):
            connection.require_fts5(db)
            with connection.immediate(db):
                # Another process may have done it while this one waited for the lock.
                fresh = schema.version(db) == 0
                schema.migrate(db)
                if fresh:
                    meta.put(db, **{meta.FOLD: FOLD_VERSION})

    def _catch_up(self, db: apsw.Connection) -> None:
        """Brings text indexes up to date that were written under another folding or without one."""
        with connection.translate_errors(self.path):
            found = meta.read(db)
            if found.get(meta.FOLD) == FOLD_VERSION or not fts.has_trigrams(db):
                return
            with connection.immediate(db):
                reindex(db)

    def _prepared_empty(self) -> apsw.Connection:
        db = apsw.Connection(":memory:")
        schema.migrate(db)
        self.vectors_loaded = connection.load_vectors(db)
        return db

    def _keep(self, held: _Held) -> None:
        if not connection.load_vectors(held.db):
            self.vectors_loaded = False
        self._opened = held.identity
        with self._open_lock:
            self._open.add(held)


def copy_before_migration(db: apsw.Connection, path: Path, number: int) -> None:
    """Keeps the file as it is beside it (``….schema-4``), for who goes back to an older program.

    A copy of the same version that is there already stays: it is the older one.

    Args:
        number: the schema of the file now.

    Raises:
        BrainError: 73-74 where the copy cannot be written; nothing is migrated then.
    """
    kept = Path(f"{path}.schema-{number}")
    if kept.exists() or kept.is_symlink():
        return
    half = Path(f"{kept}.part")
    half.unlink(missing_ok=True)
    with connection.translate_errors(path):
        connection.create(half)
        target = apsw.Connection(str(half))
        try:
            with target.backup("main", db, "main") as copying:
                copying.step()
            target.pragma("journal_mode", "delete")
        finally:
            target.close()
    half.replace(kept)


def reindex(db: apsw.Connection) -> int:
    """Empties and refills both text indexes from the records; gives the number of records."""
    fts.clear(db)
    scopes: dict[str, int] = {}
    done = 0
    for memory_id, text, scope in memories.iter_texts_after(db, 0):
        if scope not in scopes:
            scopes[scope] = memories.ensure_scope(db, scope)
        fts.add(db, memory_id, text, scopes[scope])
        done += 1
    meta.put(db, **{meta.FOLD: FOLD_VERSION})
    return done


def renew_statistics(db: apsw.Connection) -> None:
    """Has SQLite renew what its planner knows of the tables, where that is due."""
    db.execute("PRAGMA optimize").fetchall()


def facts(db: apsw.Connection) -> dict[str, Any]:
    """What ``meta`` says, with the vector table only where it really exists."""
    found = meta.read(db)
    table = found.get(meta.VECTORS)
    if table is not None and not vector_index.exists(db, table):
        found[meta.VECTORS] = None
    return found
