"""SQLite connection: opening the file safely, and turning SQLite's errors into ours."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import apsw

from brain.errors import (
    EXIT_BUSY,
    EXIT_CANT_CREATE,
    EXIT_CONFIG,
    EXIT_IO,
    EXIT_NO_INPUT,
    EXIT_UNAVAILABLE,
    BrainError,
)
from brain.store import folder, schema, wal

BUSY_TIMEOUT_MS = 5000

LONGEST_WAIT_S = 120.0
"""How long a write waits behind others that do get on."""

MAPPED_BYTES = 128 * 1024 * 1024
"""How much of a file is mapped instead of copied: a vector scan takes a third less time."""
_HEADER = b"SQLite format 3\0"

_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_LOOK = getattr(os, "O_PATH", 0) if Path("/proc/self/fd").is_dir() else 0


def check_file(path: Path) -> bool:
    """Says whether a usable database file is there; raises when something else is.

    Returns:
        False when there is no file or an empty one, True when there is an SQLite file.

    Raises:
        BrainError: ``brain_db_symlink`` (73), ``brain_db_not_file`` (66),
            ``brain_db_not_ours`` (66), ``brain_db_unreadable`` (73), and ``brain_db_emptied`` (74)
            for an empty file beside a log that is not: SQLite would delete the log.
    """
    try:
        str(path).encode()  # SQLite takes names of valid Unicode alone
        info = path.lstat()
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        raise BrainError(
            "brain_db_not_file", f"路径里有一段不是文件夹：{path}", EXIT_NO_INPUT
        ) from None
    except (OSError, ValueError) as e:
        raise BrainError(
            "brain_db_unreadable", f"看不到这个路径：{path}（{e}）", EXIT_CANT_CREATE
        ) from None
    if stat.S_ISLNK(info.st_mode):
        raise BrainError(
            "brain_db_symlink",
            f"记忆文件不能是符号链接：{path}；请给出真正的文件路径。",
            EXIT_CANT_CREATE,
        )
    if not stat.S_ISREG(info.st_mode):
        raise BrainError(
            "brain_db_not_file", f"这不是普通文件，不能当记忆文件：{path}", EXIT_NO_INPUT
        )
    if info.st_size == 0:
        if wal.has_frames(path):
            raise BrainError(
                "brain_db_emptied",
                "记忆文件被清空了（0 字节），旁边的 -wal 里却还有记忆；没有动它们。"
                "请到原处重新复制，或用备份恢复，"
                f"或运行 brain doctor --repair（把 -wal 里的救进新文件）：{path}",
                EXIT_IO,
            )
        return False
    try:
        head = wal.peek(path, 0, len(_HEADER))
        if head != _HEADER:  # perhaps not yet: another process may be writing its first page
            head = wal.peek_settled(path, len(_HEADER))
    except FileNotFoundError:
        return False  # gone since
    except OSError:
        raise BrainError(
            "brain_db_unreadable", f"读不了记忆文件，没有权限或磁盘出错：{path}", EXIT_CANT_CREATE
        ) from None
    if not head:
        return False
    if head == bytes(len(_HEADER)) and wal.has_journal(path):
        return True  # its maker lost power at the first page; SQLite undoes that
    if head != _HEADER:
        raise BrainError(
            "brain_db_not_ours", f"这不是 SQLite 文件，没有动它：{path}", EXIT_NO_INPUT
        )
    return True


@contextlib.contextmanager
def translate_errors(path: Path | None = None) -> Iterator[None]:
    """Runs a block and raises SQLite's errors as :class:`BrainError` with their exit codes."""
    where = f"：{path}" if path else ""
    try:
        yield
    except (apsw.BusyError, apsw.ProtocolError):
        raise BrainError(
            "brain_busy", f"记忆文件正被别的进程占用，请稍后再试{where}", EXIT_BUSY
        ) from None
    except apsw.NotADBError:
        raise BrainError(
            "brain_db_not_ours", f"这不是 SQLite 文件，没有动它{where}", EXIT_NO_INPUT
        ) from None
    except (apsw.CorruptError, apsw.ConstraintError, UnicodeDecodeError) as e:
        raise _damaged(e, where) from None
    except apsw.InterruptError:
        raise BrainError("brain_closed", f"读到一半记忆文件被关闭了{where}", EXIT_IO) from None
    except apsw.FullError:
        raise BrainError(
            "brain_disk_full", f"磁盘满了，这次没有写入任何内容{where}", EXIT_IO
        ) from None
    except apsw.ReadOnlyError:
        raise BrainError(
            "brain_db_read_only", f"记忆文件或所在文件夹是只读的，没有写入{where}", EXIT_CANT_CREATE
        ) from None
    except (apsw.CantOpenError, apsw.PermissionsError, apsw.AuthError):
        raise BrainError(
            "brain_db_cannot_open", f"打不开记忆文件，请检查路径和权限{where}", EXIT_CANT_CREATE
        ) from None
    except apsw.IOError as e:
        raise BrainError("brain_db_io", f"读写记忆文件出错（{e}）{where}", EXIT_IO) from None
    except apsw.SQLError as e:
        if "no such module" in str(e):
            raise BrainError(
                "brain_vec_missing", f"这台机器加载不了 sqlite-vec 扩展{where}", EXIT_UNAVAILABLE
            ) from None
        # The statements are fixed and tested: one fails only where the file is not as we made it.
        raise _damaged(e, where) from e


def _damaged(error: Exception, where: str) -> BrainError:
    return BrainError(
        "brain_db_damaged",
        f"记忆文件已损坏（{error}）；请先复制一份，再运行 brain doctor --repair，"
        f"或用 brain restore-backup 换上备份{where}",
        EXIT_IO,
    )


def connect(path: Path, *, writable: bool, shared: bool = False) -> apsw.Connection:
    """Opens an existing SQLite file with the settings every connection of ours has.

    A reader opens the file for writing where it may, and is then forbidden to: whoever closes last
    merges the log into the file and takes it away, so that one file is left.

    A read-only file whose folder cannot be written either is opened as immutable, and so is one on
    a full disk: SQLite cannot make its shared-memory file there, and without that nobody of ours is
    writing. That leaves the write-ahead log out, so a file that has one with anything in it is
    refused. :func:`is_immutable` tells such a connection.

    Args:
        shared: the file is on a network, where WAL cannot work: a writer turns it to a rollback
            journal.

    Raises:
        BrainError: see :func:`translate_errors`, :func:`check_version`,
            :func:`require_private_beside`, :func:`brain.store.wal.require_own` and
            :func:`brain.store.wal.require_log`.
    """
    path = path.absolute()  # a relative ``:memory:`` would be no file
    require_private_beside(path)
    wal.require_own(path)
    wal.require_log(path)
    with translate_errors(path):
        if writable:
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            with closed_on_error(db):
                _settle(db)
                check_version(db, path)  # before the first byte of it is changed
                _set_journal(db, path, shared)
                if shared:
                    db.pragma("mmap_size", 0)
                db.pragma("synchronous", "FULL")
                db.pragma("foreign_keys", "ON")
                db.pragma("secure_delete", "ON")
            return db
        try:
            reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            with closed_on_error(reader):
                _settle(reader)
                reader.pragma("query_only", "ON")
                schema.version(reader)
            return reader
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError):
            return _immutable(path)


@contextlib.contextmanager
def closed_on_error(db: apsw.Connection) -> Iterator[None]:
    """Closes a connection that cannot be used after all; an open one would keep its locks."""
    try:
        yield
    except BaseException:
        db.close(True)
        raise


def _set_journal(db: apsw.Connection, path: Path, shared: bool) -> None:
    wanted = "delete" if shared else "wal"
    got = db.pragma("journal_mode", wanted)
    if shared and got != wanted:
        raise BrainError(
            "brain_busy",
            f"记忆文件在网络盘上，要改用回滚日志，但别的进程正开着它；请稍后再试：{path}",
            EXIT_BUSY,
        )


def _immutable(path: Path) -> apsw.Connection:
    _refuse_log(path)
    uri = "file:" + quote(str(path)) + "?mode=ro&immutable=1"
    db = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    with closed_on_error(db):
        _settle(db)
        schema.version(db)
    return db


def is_immutable(db: apsw.Connection) -> bool:
    """Whether a connection looks at the file alone, and so must not outlive a change of it."""
    return bool(db.open_flags & apsw.SQLITE_OPEN_URI)


def _refuse_log(path: Path) -> None:
    if wal.size(path) > 0:
        raise BrainError(
            "brain_db_read_only",
            "记忆文件旁边的 -wal 里还有没合并的内容，在只读的文件夹里或满了的磁盘上读不到；"
            f"请腾出地方，或把两个文件一起复制到可写的文件夹：{path}",
            EXIT_CANT_CREATE,
        )


def _settle(db: apsw.Connection) -> None:
    db.set_busy_timeout(BUSY_TIMEOUT_MS)
    db.pragma("trusted_schema", "OFF")
    db.pragma("cache_size", -16_000)
    db.pragma("mmap_size", MAPPED_BYTES)


@contextlib.contextmanager
def immediate(db: apsw.Connection) -> Iterator[None]:
    """A block as one ``BEGIN IMMEDIATE`` transaction; any exception undoes it all."""
    _begin(db)
    before = db.total_changes()
    try:
        yield
        if db.total_changes() != before:
            wal.add_link(db)
    except BaseException:
        # A full disk may have ended the transaction already.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _begin(db: apsw.Connection) -> None:
    """Takes the write lock, waiting as long as others that have it get on with their work.

    SQLite's own busy handler sleeps ever longer and gives up at a fixed time, which among many
    writers starves some. Here a writer gives up when nobody has committed anything for
    ``BUSY_TIMEOUT_MS``, or after ``LONGEST_WAIT_S`` in all.
    """
    start = progress = time.monotonic()
    seen = None
    db.set_busy_timeout(0)
    try:
        while True:
            try:
                db.execute("BEGIN IMMEDIATE")
                return
            except apsw.BusyError:
                now = time.monotonic()
                with contextlib.suppress(apsw.BusyError):
                    version = db.pragma("data_version")
                    if version != seen:
                        seen, progress = version, now
                if now - progress > BUSY_TIMEOUT_MS / 1000 or now - start > LONGEST_WAIT_S:
                    raise
            # Not all at the same moment: 1 to 10 ms, without importing random for it.
            time.sleep(0.001 + os.urandom(1)[0] / 256 * 0.009)
    finally:
        db.set_busy_timeout(BUSY_TIMEOUT_MS)


def identity(path: Path) -> tuple[int, int] | None:
    """Which file is at a path now: device and inode; None where there is none."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return info.st_dev, info.st_ino


def stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when the bytes of a file do: inode, size, time; None where there is none."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns


def check_version(db: apsw.Connection, path: Path) -> int:
    """The schema number of an open file of ours.

    Raises:
        BrainError: ``brain_db_not_ours`` (66) for another program's file,
            ``brain_schema_newer`` (78) for a file from a newer brain.
    """
    with translate_errors(path):
        db.execute("BEGIN")  # one moment of it: another process may be making it
        try:
            number = schema.version(db)
            ours = db.pragma("application_id") == schema.APPLICATION_ID
            empty = not db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        finally:
            # A full disk may have ended the transaction already.
            if db.in_transaction:
                db.execute("ROLLBACK")
    if number < 0:
        raise BrainError(
            "brain_db_damaged",
            f"记忆文件已损坏（格式版本 {number}）；请先复制一份，再用备份恢复：{path}",
            EXIT_IO,
        )
    if not ours and not (empty and number == 0):
        raise BrainError(
            "brain_db_not_ours", f"这是别的程序的 SQLite 文件，没有动它：{path}", EXIT_NO_INPUT
        )
    if number > schema.SCHEMA_VERSION:
        raise BrainError(
            "brain_schema_newer",
            f"记忆文件的格式（{number}）比这个程序（{schema.SCHEMA_VERSION}）新，"
            f"请升级 brain-memory：{path}",
            EXIT_CONFIG,
        )
    return number


def create(path: Path) -> None:
    """Makes an empty file with mode 0600, and its folder (0700) where it is missing.

    An empty file that is there already gets that mode, if it is this user's own and has no other
    name: whoever made it may have it open. What a deleted file left beside its place (its log and
    the map of it, perhaps still in use by a program that has not noticed) goes first.

    Raises:
        BrainError: ``brain_db_cannot_create`` (73), ``brain_db_unsafe`` (73).
    """
    try:
        folder.make(path.parent)
        with folder.locked(path.parent):
            if identity(path) is None:
                for suffix in ("-wal", "-shm"):
                    Path(f"{path}{suffix}").unlink(missing_ok=True)
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _SAFE, 0o600))
            except FileExistsError:
                with _looked_at(path) as (info, name):
                    if info.st_size == 0:
                        _require_private(path, info)
                        os.chmod(name, 0o600)
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise BrainError(
            "brain_db_cannot_create", f"不能建立记忆文件：{path}（{reason}）", EXIT_CANT_CREATE
        ) from None


def _require_private(path: Path, info: os.stat_result, owner: int | None = None) -> None:
    """Refuses a file that another user made, or that has another name, or is no plain file.

    Args:
        info: of its open descriptor, or of the name without following a link.
        owner: another user whose file it may be: that of the memory file it is beside.

    Raises:
        BrainError: ``brain_db_unsafe`` (73).
    """
    if os.name == "nt":
        return
    ours = folder.own(info) or info.st_uid == owner
    if not (stat.S_ISREG(info.st_mode) and ours and info.st_nlink == 1):
        raise BrainError(
            "brain_db_unsafe",
            f"这个文件不是自己的，或另有别名（链接），可能是同机的别人放的，没有用它：{path}；"
            "请换一个只有自己能写的文件夹。",
            EXIT_CANT_CREATE,
        )


def require_private_beside(path: Path) -> None:
    """Refuses a file whose log, map or journal somebody else has put beside it.

    SQLite would take them as they are and write the memories into them. Modes that let others in
    are mended.

    Raises:
        BrainError: ``brain_db_unsafe`` (73).
    """
    owner = None
    for suffix in ("-wal", "-shm", "-journal"):
        beside = Path(f"{path}{suffix}")
        with contextlib.suppress(OSError, ValueError), _looked_at(beside) as (info, name):
            if info.st_nlink == 0:
                continue  # the last to close it took it away while it was looked at
            if owner is None:
                owner = os.stat(path).st_uid
            _require_private(beside, info, owner)
            if stat.S_IMODE(info.st_mode) & 0o077 and folder.own(info) and os.name != "nt":
                os.chmod(name, 0o600)


@contextlib.contextmanager
def _looked_at(path: Path) -> Iterator[tuple[os.stat_result, str]]:
    """What a file is, and a name that means this very file whatever happens to its own.

    It is not opened for reading: closing such a descriptor would drop the locks that SQLite has on
    the file in this process (https://sqlite.org/howtocorrupt.html, 2.2). Linux knows a descriptor
    without (``O_PATH``); elsewhere the name must do.
    """
    if not _LOOK:
        yield os.lstat(path), str(path)
        return
    descriptor = os.open(path, _LOOK | _SAFE)
    try:
        yield os.fstat(descriptor), f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def vectors_extension() -> str | None:
    """Where sqlite-vec's loadable extension is; None where the package is not installed.

    Found without importing the package, which would import numpy for commands that need neither.
    """
    spec = find_spec("sqlite_vec")
    for place in (spec.submodule_search_locations or []) if spec else []:
        return str(Path(place, "vec0"))
    return None


def load_vectors(db: apsw.Connection) -> bool:
    """Loads sqlite-vec into a connection; False when this machine cannot."""
    extension = vectors_extension()
    if extension is None:
        return False
    try:
        db.enable_load_extension(True)
        try:
            db.load_extension(extension)
        finally:
            db.enable_load_extension(False)
    except (AttributeError, apsw.Error, OSError):
        return False
    return True


def require_fts5(db: apsw.Connection) -> None:
    """Raises ``brain_fts5_missing`` (69) where SQLite was built without FTS5."""
    names = {row[0] for row in db.execute("SELECT name FROM pragma_module_list")}
    if "fts5" not in names:
        raise BrainError(
            "brain_fts5_missing",
            "这个 apsw 的 SQLite 没有 FTS5，请重新安装官方的 apsw 轮子：pip install -U apsw。",
            EXIT_UNAVAILABLE,
        )
