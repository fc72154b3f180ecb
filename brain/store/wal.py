"""Write-ahead log: whether the one beside a file belongs to that file.

SQLite ties a log to its own salts, not to the database: put another file in the place of one that
a process has open, or had open when it died, and the next to open it applies the old file's pages
to the new one (https://sqlite.org/howtocorrupt.html, 1.4 and 2.4). So every transaction of ours
writes a link into ``meta``: the mark of the transaction before it, then its own. A log belongs to
a file when the file, taken alone, bears the mark before the log's first or one of the log's.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from struct import unpack, unpack_from

import apsw

from brain.errors import EXIT_BUSY, EXIT_IO, BrainError
from brain.store import folder, meta
from brain.store.sql import rows

_MAGIC = b"\xff\xfebrain\xff"
_MARK = 8
_LINK = len(_MAGIC) + 2 * _MARK
_LEAF = 0x0A
"""Page type of a leaf of an index b-tree, which is where ``meta`` lives (fileformat2, 1.6)."""

_HEADER = 32
_FRAME = 24
"""Sizes of the log's header and of a frame's (https://sqlite.org/fileformat2.html, 4.1)."""

_MAGICS = (0x377F0682, 0x377F0683)
"""Of a log whose checksums are little and big endian."""

_VERSION = 3007000
_INDEX = 100
"""Bytes of the log's map that say how many frames there are and how many are merged."""

_LARGEST_PAGE = 65536

_SHELL_PAUSE = 0.25
"""Seconds between two looks at a file that may just be being made."""

_TRIES = 5
_PAUSE = 0.02
"""A checkpoint between two looks can show an old file and a new log: look again."""

_LOCK_TRIES = 100
_VERSIONS_AT = 18
_IN_WAL = b"\x02\x02"
"""The header's write and read version of a file in WAL mode (fileformat2, 1.3)."""


def add_link(db: apsw.Connection) -> None:
    """Writes the transaction's link. Call inside a write transaction, once."""
    last = meta.read(db).get(meta.LINK)
    before = bytes(_MARK)
    if isinstance(last, bytes) and len(last) == _LINK:
        before = last[-_MARK:]
    meta.put(db, **{meta.LINK: _MAGIC + before + os.urandom(_MARK)})


def size(path: Path) -> int:
    """Bytes in the log beside a file; 0 where there is none."""
    try:
        return Path(f"{path}-wal").stat().st_size
    except OSError:
        return 0


def has_frames(path: Path) -> bool:
    """Whether the log beside a file holds any page."""
    return size(path) > _HEADER + _FRAME


def has_journal(path: Path) -> bool:
    """Whether there is a rollback journal beside a file with anything in it."""
    try:
        return Path(f"{path}-journal").stat().st_size > 0
    except OSError:
        return False


def belongs_to(path: Path) -> bool:
    """Whether the log beside a file may be applied to it; also True where nothing can be told.

    Costs a stat where the log is empty, else a look at the frames up to the one that settles it.
    """
    if size(path) <= _HEADER:
        return True
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        try:
            if _fits(path):
                return True
        except OSError:
            return True  # gone meanwhile, or not for us to read: SQLite will say
    return False


def require_own(path: Path) -> None:
    """Refuses a file whose log is another file's: ``brain_wal_foreign`` (74)."""
    if not belongs_to(path):
        if _lost_its_header(path):
            raise BrainError(
                "brain_wal_foreign",
                "旁边的 -wal 坏了，读不懂，里面可能有还没合进来的记忆；请先把两个文件一起复制一份，"
                f"有备份就用备份恢复，没有就运行 brain doctor --repair（把它挪开，不删）：{path}",
                EXIT_IO,
            )
        raise BrainError(
            "brain_wal_foreign",
            "记忆文件被换过，旁边的 -wal 是原来那个文件的，合进来会弄坏现在的文件；"
            f"请先停掉还开着旧文件的程序，再运行 brain doctor --repair：{path}",
            EXIT_IO,
        )


def require_log(path: Path) -> None:
    """Refuses a file that another program has open whose log, or the map of it, was deleted.

    SQLite would make new ones, and each side would write to its own without the other's knowledge;
    whoever closes last deletes what the other has stored. While anybody has a file in WAL mode
    open, both are there; where one is not, the file must be nobody's.

    Raises:
        BrainError: ``brain_wal_missing`` (75).
    """
    for attempt in range(_LOCK_TRIES):
        if attempt:
            time.sleep(_PAUSE)  # somebody may be opening it now, or closing
        try:
            there = [os.path.lexists(f"{path}{suffix}") for suffix in ("-wal", "-shm")]
            if all(there) or os.name == "nt" or not _is_in_use(path):
                return
        except (OSError, apsw.Error):
            return  # not there, or not for us to lock: SQLite will say
    raise BrainError(
        "brain_wal_missing",
        "别的程序正开着这个记忆文件，但它旁边的 -wal 或 -shm 被删了；现在写会丢。"
        f"请先停掉那个程序（它停下时会把没合并的写回文件），再试：{path}",
        EXIT_BUSY,
    )


def _is_in_use(path: Path) -> bool:
    """Whether anybody has a file in WAL mode open; who has holds a lock all the time.

    Raises:
        apsw.Error: the file cannot be opened for writing.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    file = apsw.VFSFile("", str(path.absolute()), flags)
    try:
        if file.xFileSize() == 0 or file.xRead(2, _VERSIONS_AT) != _IN_WAL:
            return False
        try:
            file.xLock(apsw.SQLITE_LOCK_SHARED)
            file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
        except apsw.BusyError:
            return True
        finally:
            file.xUnlock(apsw.SQLITE_LOCK_NONE)
        return False
    finally:
        file.xClose()


def beside(path: Path) -> tuple[tuple[int, int], ...] | None:
    """Which files the log and the map of it are; None where one is not there."""
    try:
        found = [os.stat(f"{path}{suffix}") for suffix in ("-wal", "-shm")]
    except (OSError, ValueError):
        return None
    return tuple((info.st_dev, info.st_ino) for info in found)


def is_content_ours(db: apsw.Connection, path: Path) -> bool:
    """Whether a file still holds what a connection has of it, and not bytes copied over them.

    Such a copy keeps the file's inode; SQLite goes on with the pages it remembers, and the log is
    merged into the copy. Told by the transactions' links. True where nothing can be told.

    Args:
        db: a connection of ours, in a transaction.
    """
    if size(path) > _HEADER:
        return belongs_to(path)
    try:
        found = rows(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'meta'")
        link = meta.read(db).get(meta.LINK)
        if not found or not isinstance(link, bytes) or len(link) != _LINK:
            return True
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_PAUSE)
            own = _own_mark(path, int(found[0][0]))
            # A checkpoint may have come between, or a new log.
            if own is None or own == link[-_MARK:] or size(path) > _HEADER:
                return True
    except OSError:
        return True
    return False


def require_whole(path: Path) -> None:
    """Refuses a file whose records all stand in a log that is not there.

    Until its first checkpoint a file is one page, and everything is in the log: who copies the
    file alone has a shell. Another process may be making it just now, so it is looked at again.

    Raises:
        BrainError: ``brain_wal_not_copied`` (74).
    """
    for attempt in range(_TRIES):
        if not _is_shell(path):
            return
        if attempt:
            time.sleep(_SHELL_PAUSE)
    raise BrainError(
        "brain_wal_not_copied",
        f"这个文件只有一个空壳，内容在原来旁边的 {path.name}-wal 里，没有一起复制过来；"
        "请到原处把两个文件一起复制，或用 brain backup 做一份完整的。"
        f"它若本来就没有内容，删掉它再来：{path}",
        EXIT_IO,
    )


def _is_shell(path: Path) -> bool:
    """Whether a file is the one page of a file in WAL mode without a table, and has no log."""
    return not Path(f"{path}-wal").exists() and _is_one_page(path)


def _is_one_page(path: Path) -> bool:
    """Whether a file is the one page of a file in WAL mode without a table."""
    try:
        whole = path.stat().st_size
        if not 0 < whole <= _LARGEST_PAGE:
            return False
        head = peek(path, 0, 100 + 8)
    except OSError:
        return False
    page = unpack_from(">H", head, 16)[0]
    one_page = whole == (_LARGEST_PAGE if page == 1 else page)
    # Bytes 18 and 19 are 2 in WAL mode; page 1 begins at 100 with its type, cells at 103.
    return one_page and head[18:20] == b"\x02\x02" and unpack_from(">H", head, 103)[0] == 0


def _lost_its_header(path: Path) -> bool:
    """Whether a log is garbled whose frames a file needs: it has nothing by itself, or the map of
    the log says that some were never merged."""
    return _is_garbled(path) and (_is_one_page(path) or _unmerged(path))


def _unmerged(path: Path) -> bool:
    """Whether the map beside a log counts frames that are not in the file yet
    (https://sqlite.org/walformat.html#the_wal_index_file_format)."""
    try:
        index = Path(f"{path}-shm").read_bytes()[:_INDEX]
    except OSError:
        return False
    if len(index) < _INDEX or not index[12]:
        return False
    frames, merged = unpack_from("=I", index, 16)[0], unpack_from("=I", index, 96)[0]
    return bool(frames > merged)


def _is_garbled(path: Path) -> bool:
    """Whether a log that holds frames has a header that is none, which SQLite takes for an empty
    log (https://sqlite.org/fileformat2.html#the_write_ahead_log)."""
    try:
        with Path(f"{path}-wal").open("rb") as log:
            head = log.read(_HEADER)
    except OSError:
        return False
    if not has_frames(path) or len(head) < _HEADER:
        return False
    magic, version = unpack_from(">II", head)
    if magic not in _MAGICS or version != _VERSION:
        return True
    order = ">" if magic == _MAGICS[1] else "<"
    words = unpack(f"{order}6I", head[:24])
    first = second = 0
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return (first, second) != unpack_from(">II", head, 24)


def move_aside(path: Path) -> Path | None:
    """Moves a log that is another file's out of the way, and drops the map of it.

    Who still has the old file open keeps both by their descriptors.

    Returns:
        where the log is now; None where it belongs to the file and stayed.

    Raises:
        OSError: it could not be moved.
    """
    with folder.locked(path.absolute().parent):
        if belongs_to(path):
            return None
        aside = free_name(Path(f"{path}-wal.aside"))
        Path(f"{path}-wal").rename(aside)
        Path(f"{path}-shm").unlink(missing_ok=True)
    return aside


ASIDE = (".before-restore-", ".salvaged-", ".aside-", "-wal.aside-", ".schema-")
"""What follows a memory file's name in those of the copies that were set aside, with their time or
schema."""


def copies_beside(path: Path) -> list[Path]:
    """The copies of a file that a restore, salvage, migration or lost log left beside it."""
    try:
        names = sorted(entry.name for entry in os.scandir(path.absolute().parent))
    except OSError:
        return []
    heads = tuple(f"{path.name}{mark}" for mark in ASIDE)
    return [path.with_name(name) for name in names if name.startswith(heads)]


def free_name(path: Path) -> Path:
    """The path with the moment behind it, and a number where that is taken."""
    base = f"{path}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    names = [Path(base), *(Path(f"{base}-{n}") for n in range(2, 1000))]
    return next(name for name in names if not os.path.lexists(name))


def _fits(path: Path) -> bool:
    if _lost_its_header(path):
        return False
    own: dict[int, bytes | None] = {}
    first = True
    for page, before, mark in _links(path):
        if page not in own:
            own[page] = _own_mark(path, page)
        bears = own[page]
        if bears == mark or (first and (bears or bytes(_MARK)) == before):
            return True
        first = False
    return first


def _links(path: Path) -> Iterator[tuple[int, bytes, bytes]]:
    """(page number, mark before, mark) of the log's frames that hold a link, in order."""
    with Path(f"{path}-wal").open("rb") as wal:
        header = wal.read(_HEADER)
        if len(header) < _HEADER:
            return
        page_size, salts = unpack(">I", header[8:12])[0], header[16:24]
        if not 512 <= page_size <= 65536:
            return
        while len(frame := wal.read(_FRAME + page_size)) == _FRAME + page_size:
            if frame[8:16] != salts:
                return
            found = _link(frame[_FRAME:])
            if found is not None:
                yield (unpack_from(">I", frame)[0], *found)


def _own_mark(path: Path, page: int) -> bytes | None:
    """The mark a page of the file bears, the log left out."""
    page_size = unpack(">H", peek(path, 16, 2))[0]
    page_size = 65536 if page_size == 1 else page_size
    found = _link(peek(path, (page - 1) * page_size, page_size))
    return found[1] if found else None


def peek(path: Path, offset: int, count: int) -> bytes:
    """Bytes of a database file; zeros beyond its end.

    Read through SQLite: a process that closes any descriptor of a file of its own drops all the
    POSIX locks it has on that file (https://sqlite.org/howtocorrupt.html, 2.2), and the next
    program to close the file would take away a log still in use. SQLite knows which not to close.

    Raises:
        OSError: the file is not there (``FileNotFoundError``) or cannot be read.
    """
    with _opened(path) as file:
        return bytes(file.xRead(count, offset)).ljust(count, b"\0")


def peek_settled(path: Path, count: int) -> bytes:
    """The first bytes of a database file as they are while nobody writes it.

    A file's first page comes into it after its size does, and goes again where that transaction is
    undone, so who reads without a lock may see zeros. SQLite writes a file under an exclusive lock:
    under a shared one it is as its last transaction left it. Where nobody lets it go for
    :data:`_LOCK_TRIES` looks, the bytes are given as they are.

    Returns:
        the bytes; none where the file is empty.

    Raises:
        OSError: as :func:`peek`.
    """
    for attempt in range(_LOCK_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        with _opened(path) as file:
            try:
                file.xLock(apsw.SQLITE_LOCK_SHARED)
            except apsw.BusyError:
                continue
            try:
                if path.stat().st_size == 0:  # SQLite calls one byte none as well
                    return b""
                return bytes(file.xRead(count, 0)).ljust(count, b"\0")
            finally:
                file.xUnlock(apsw.SQLITE_LOCK_NONE)
    return peek(path, 0, count)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[apsw.VFSFile]:
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    try:
        file = apsw.VFSFile("", str(path.absolute()), flags)
        try:
            yield file
        finally:
            file.xClose()
    except apsw.Error as e:
        if not os.path.lexists(path):
            raise FileNotFoundError(str(e)) from None
        raise OSError(str(e)) from None


def _link(page: bytes) -> tuple[bytes, bytes] | None:
    """(mark before, mark) of a page that holds a link."""
    if page[:1] != bytes((_LEAF,)):
        return None
    at = page.rfind(_MAGIC)
    if at < 0 or at + _LINK > len(page):
        return None
    return page[at + len(_MAGIC) : at + len(_MAGIC) + _MARK], page[at + _LINK - _MARK : at + _LINK]
