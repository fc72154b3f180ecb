"""Secure delete: what deleting leaves in the bytes of the file and its log, and getting rid of it.

SQLite's ``secure_delete`` overwrites a deleted cell where it stands. Two places it does not reach:
the write-ahead log holds earlier versions of pages until a checkpoint empties it, and a cell that a
balancing of the tree once moved to a neighbour page may have left a copy in the space that no cell
uses (https://sqlite.org/fileformat2.html#b_tree_pages: the gap between the cell pointers and the
cell content, and the free blocks). Both are cleared here, without the rewriting of the whole file
that VACUUM would be.

The file's own locks belong to the process (POSIX), and closing any other handle of the file gives
them up; so its bytes are read and written through SQLite's own file layer.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from brain.errors import EXIT_BUSY, BrainError
from brain.store import connection, journal, memories, meta, wal
from brain.store.sql import rows

PATIENCE_S = 5.0
"""How long a reader or writer that holds up the log is waited for."""

_TREE_PAGES = {2: 12, 5: 12, 10: 8, 13: 8}
"""First byte of a b-tree page to the length of its header."""

_MOST_PAGES = 2 << 24
"""From here on an overflow page's first byte, part of a page number, could be one of these."""

_READ = 1 << 20
_POINTERS_AT = 5


@contextlib.contextmanager
def _opened(path: Path, access: int) -> Iterator[apsw.VFSFile]:
    file = apsw.VFSFile("", str(path.absolute()), [apsw.SQLITE_OPEN_MAIN_DB | access, 0])
    try:
        yield file
    finally:
        file.xClose()


def clear(db: apsw.Connection, path: Path, patience: float = PATIENCE_S) -> None:
    """Empties the log and zeroes every byte of the file's trees that no cell uses.

    Other connections go on reading; the write lock is held only while pages are zeroed. The
    transaction that ends it makes every other connection read pages anew, so that none writes an
    old copy back.

    Args:
        db: a connection of its own, opened for this: its memory of pages must not be used after.
        patience: seconds to wait for readers and writers.

    Raises:
        BrainError: ``brain_wal_pending`` (75) when the log could not be emptied in that time.
    """
    db.set_busy_timeout(200)
    deadline = time.monotonic() + patience
    while not _cleared(db, path):
        if time.monotonic() > deadline:
            raise BrainError(
                "brain_wal_pending",
                "内容已从文件里抹掉，但有别的进程正在读，旧的日志还不能清空；"
                f"请等它结束后再运行一次 forget：{path}",
                EXIT_BUSY,
            )
        time.sleep(0.05)


def _cleared(db: apsw.Connection, path: Path) -> bool:
    try:
        if rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            return False
        with _opened(path, apsw.SQLITE_OPEN_READWRITE) as file:
            used = [n for n, page in _pages(file) if _unused(n, page)]
            with connection.immediate(db):
                # What others have written since stands in the log, perhaps on top of an old page.
                if wal.size(path):
                    return False
                _zero(file, used)
                meta.put(db, **{meta.ERASING: None})
    except apsw.BusyError:
        return False
    return True


def _page_size(file: apsw.VFSFile) -> int:
    size = int.from_bytes(file.xRead(2, 16), "big")
    return 65536 if size == 1 else size


def _pages(file: apsw.VFSFile) -> Iterator[tuple[int, bytes]]:
    """Every page of the file by its number, from 1 on; none where pages cannot be told apart."""
    size = _page_size(file)
    count = file.xFileSize() // size
    auto_vacuum = any(file.xRead(4, 52))  # such a file has pages of another make in between
    if count >= _MOST_PAGES or auto_vacuum:
        return
    step = max(1, _READ // size)
    for first in range(0, count, step):
        data = file.xRead(min(step, count - first) * size, first * size)
        for place in range(len(data) // size):
            yield first + place + 1, data[place * size : (place + 1) * size]


def unused_ranges(number: int, page: bytes) -> list[tuple[int, int]]:
    """The stretches of a page that no cell uses; none where it is no b-tree page.

    Args:
        number: of the page, from 1 on: the first has the file's header in front.
        page: its bytes.
    """
    at = 100 if number == 1 else 0
    header = _TREE_PAGES.get(page[at])
    if header is None:
        return []
    block, cells, content = (
        int.from_bytes(page[at + n : at + n + 2], "big") for n in (1, 3, _POINTERS_AT)
    )
    content = content or 65536
    pointers_end = at + header + 2 * cells
    if not pointers_end <= content <= len(page):
        return []
    out = [(pointers_end, content)]
    while block:
        following, length = (int.from_bytes(page[block + n : block + n + 2], "big") for n in (0, 2))
        if block < content or block + length > len(page) or 0 < following <= block:
            return []
        out.append((block + 4, block + length))
        block = following
    return out


def _unused(number: int, page: bytes) -> list[tuple[int, int]]:
    """The gaps of a page that hold something."""
    return [(a, b) for a, b in unused_ranges(number, page) if page.count(0, a, b) < b - a]


def _zero(file: apsw.VFSFile, numbers: Sequence[int]) -> None:
    size = _page_size(file)
    for number in numbers:
        offset = (number - 1) * size
        for start, stop in _unused(number, file.xRead(size, offset)):
            file.xWrite(bytes(stop - start), offset + start)
    file.xSync(apsw.SQLITE_SYNC_FULL)


def find_bytes(path: Path, pieces: Sequence[bytes]) -> set[bytes]:
    """Which of the pieces stand anywhere in the bytes of the file or its log."""
    out: set[bytes] = set()
    overlap = max((len(p) for p in pieces), default=0)
    with _opened(path, apsw.SQLITE_OPEN_READONLY) as file:
        size = file.xFileSize()
        for start in range(0, size, _READ):
            data = file.xRead(min(_READ + overlap, size - start), start)
            out.update(p for p in pieces if p not in out and p in data)
    with contextlib.suppress(OSError):
        log = Path(f"{path}-wal").read_bytes()
        out.update(p for p in pieces if p in log)
    return out


def still_stored(db: apsw.Connection, piece: str) -> bool:
    """Whether something that is still remembered holds a piece of text, to the letter."""
    if memories.holds_text(db, piece) or journal.holds_text(db, piece):
        return True
    found = rows(
        db,
        "SELECT 1 FROM ccr WHERE instr(original, ?1) UNION ALL"
        " SELECT 1 FROM words WHERE instr(word, ?2) UNION ALL"
        " SELECT 1 FROM tags WHERE instr(tag, ?2) UNION ALL"
        " SELECT 1 FROM scopes WHERE instr(name, ?2) LIMIT 1",
        (piece.encode("utf-8"), piece),
    )
    return bool(found)
