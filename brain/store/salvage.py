"""Salvage: a corrupt file read row by row, and as much of it as can be put into a new one."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import mmap
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from struct import pack, pack_into, unpack_from
from typing import Any

import apsw

from brain.errors import EXIT_CANT_CREATE, EXIT_IO, BrainError
from brain.memory import (
    CONFIDENCE_BY_SOURCE,
    DEFAULT_IMPORTANCE,
    DEFAULT_KIND,
    content_hash,
)
from brain.store import domains, journal, meta, part_file, schema, wal
from brain.store.sql import rows

BETWEEN = 1_000_000
"""Most numbers tried one by one where the damage is."""

_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError, UnicodeDecodeError)
_DERIVED = frozenset({meta.VECTORS, meta.NEXT_VECTORS, meta.NEXT_MODEL, meta.NEXT_DIM, meta.FOLD})
_OURS = frozenset({"memories", "scopes", "journal", "meta"})
"""Tables every file of ours has had since the first schema."""

_MAGIC = b"SQLite format 3\0"
_PAGE = 4096
_PAGES = frozenset(2**n for n in range(9, 17))
"""Bytes of a page: SQLite's default, which ours have, and all it allows."""

_PAGE_TYPE = 100
_TABLE_PAGES = (0x05, 0x0D)
_UTF_8 = 1
"""Where the first page's type stands, the two it may have, and the encoding's number."""

_MOST_CHILDREN = 100
"""Pages of the schema; ours have two or three."""

_UNDECODABLE = object()


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What came of copying the rows of a corrupt file.

    Args:
        rows: rows copied, by table.
        lost: ids of records that were there and could not be read.
        cells: (id, column) of what a record could not hold and was given another value.
        refused: rows read that hold what their table cannot, by table.
        incomplete: tables some of whose pages could not be read.
    """

    rows: Mapping[str, int]
    lost: tuple[int, ...]
    cells: tuple[tuple[int, str], ...]
    refused: Mapping[str, int]
    incomplete: tuple[str, ...]


def copy_rows(broken: apsw.Connection, new: apsw.Connection, at: str) -> Salvaged:
    """Copies the rows that can be read, of every table that both files have.

    Call inside a write transaction of the new file, which must be freshly made. Foreign keys are
    left to the transaction's end (https://sqlite.org/pragma.html#pragma_defer_foreign_keys), since
    a row often comes before the one it refers to; whatever refers to a row that never came must be
    settled by then.

    Args:
        at: now, UTC ISO: when a record ended that says it did, but not readably when.
    """
    new.execute("PRAGMA defer_foreign_keys = ON")
    done: dict[str, int] = {}
    refused: dict[str, int] = {}
    incomplete: list[str] = []
    cells: list[tuple[int, str]] = []
    last = _last_ids(broken)
    for name in sorted(_tables(new)):
        columns = [row[1] for row in rows(new, f"PRAGMA table_info({name})")]
        statement = (
            f"INSERT OR REPLACE INTO {name} ({', '.join(columns)})"
            f" VALUES ({', '.join('?' * len(columns))})"
        )
        table = _Table(broken, name, columns, last.get(name, 0))
        done[name] = refused[name] = 0
        for values in table:
            if name == "memories":
                cells += [(values["id"], column) for column in _make_sound(values, at)]
            try:
                new.execute(statement, tuple(values.values()))
            except (apsw.ConstraintError, TypeError):  # a cell that is no UTF-8 has no SQL type
                refused[name] += 1
            else:
                done[name] += 1
        if table.damaged:
            incomplete.append(name)
    marks = ", ".join("?" * len(_DERIVED))
    new.execute(f"DELETE FROM meta WHERE key IN ({marks})", tuple(sorted(_DERIVED)))
    there = {number for (number,) in rows(new, "SELECT id FROM memories")}
    known = _known_ids(broken, new)
    for name, number in last.items():
        _raise_last_id(new, name, max(number, *known, 0) if name == "memories" else number)
    return Salvaged(
        done,
        tuple(sorted(known - there)),
        tuple(cell for cell in cells if cell[0] in there),
        {name: number for name, number in refused.items() if number},
        tuple(incomplete),
    )


def _last_ids(db: apsw.Connection) -> dict[str, int]:
    """The highest number each table has given; what is no number of ours is left out."""
    try:
        found = rows(db, "SELECT name, seq FROM sqlite_sequence")
    except _BROKEN:
        return {}
    return {
        name: number
        for name, number in found
        if isinstance(name, str) and isinstance(number, int) and 0 < number <= domains.HIGHEST
    }


def _raise_last_id(db: apsw.Connection, table: str, number: int) -> None:
    """A number once given is not given again, though its row be lost."""
    if rows(db, "SELECT 1 FROM sqlite_sequence WHERE name = ?", (table,)):
        db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, table))
    elif table in _tables(db):
        db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def _known_ids(broken: apsw.Connection, new: apsw.Connection) -> set[int]:
    """Ids of records that were there, as far as indexes and other rows tell; none of forgotten."""
    found: set[Any] = set()
    for query in (
        "SELECT id FROM memories INDEXED BY memories_by_content ORDER BY content_hash",
        "SELECT id FROM memories INDEXED BY memories_by_sha256 ORDER BY text_sha256",
        "SELECT memory_id FROM passages",
    ):
        with contextlib.suppress(*_BROKEN):
            found.update(number for (number,) in broken.execute(query))
    for query in (
        "SELECT memory_id FROM journal",
        "SELECT memory_id FROM taken",
        "SELECT supersedes FROM memories",
        "SELECT superseded_by FROM memories",
    ):
        found.update(number for (number,) in rows(new, query))
    gone = rows(new, "SELECT memory_id FROM journal WHERE what = ?", (journal.FORGET,))
    found -= {number for (number,) in gone}
    return {number for number in found if isinstance(number, int) and 0 < number <= domains.HIGHEST}


def _tables(db: apsw.Connection) -> list[str]:
    """Ordinary tables, without those that are the inside of a virtual one."""
    found = rows(db, "SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    return [str(n) for n, kind in found if kind == "table" and not str(n).startswith("sqlite_")]


class _Table:
    """The rows of a corrupt table that can be read, each once, in any order.

    Args:
        columns: those wanted; what the file lacks is NULL.
        last: the highest number the table has given, 0 where that is unknown.

    A cell that is no UTF-8 is an object that is nothing else. ``damaged`` says afterwards whether
    some page could not be read.
    """

    def __init__(self, db: apsw.Connection, name: str, columns: list[str], last: int) -> None:
        self.damaged = False
        self._db = db
        self._name = name
        self._columns = columns
        self._last = last
        self._seen: set[Any] = set()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        name = self._name
        try:
            held = {row[1]: row[5] for row in rows(self._db, f"PRAGMA table_info({name})")}
        except _BROKEN:
            self.damaged = True
            return
        if not held:
            return
        # As bytes, since a text that cannot be decoded would end the whole scan.
        wanted = ", ".join(
            f"CASE typeof({c}) WHEN 'text' THEN CAST({c} AS BLOB) ELSE {c} END, typeof({c})"
            if c in held
            else "NULL, 'null'"
            for c in self._columns
        )
        numbered = [c for c in self._columns if held.get(c) == 1]
        key = numbered[0] if numbered else "rowid"
        select = f"SELECT {key}, {wanted} FROM {name} NOT INDEXED"
        for order in ("ASC", "DESC"):
            try:
                for number, *cells in self._db.execute(f"{select} ORDER BY {key} {order}"):
                    if number in self._seen:
                        break
                    yield from self._row(number, cells)
                else:
                    break  # read to its end
            except _BROKEN:
                self.damaged = True
        if self.damaged:
            yield from self._one_by_one(f"{select} WHERE {key} = ?")

    def _one_by_one(self, select: str) -> Iterator[dict[str, Any]]:
        numbers = {n for n in self._seen if isinstance(n, int) and n <= domains.HIGHEST}
        if len(numbers) != len(self._seen):
            return
        last = max(self._last, *numbers, 0)
        gaps = (n for n in range(1, last + 1) if n not in numbers)
        for number in itertools.islice(gaps, BETWEEN):
            try:
                found = rows(self._db, select, (number,))
            except _BROKEN:
                continue
            for _, *cells in found:
                yield from self._row(number, cells)

    def _row(self, number: Any, cells: list[Any]) -> Iterator[dict[str, Any]]:
        self._seen.add(number)
        pairs = zip(cells[::2], cells[1::2], strict=True)
        values = [_decoded(value) if kind == "text" else value for value, kind in pairs]
        yield dict(zip(self._columns, values, strict=True))


def _decoded(value: bytes) -> Any:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return _UNDECODABLE


def _make_sound(values: dict[str, Any], at: str) -> list[str]:
    """Gives what no record can hold another value, where there is one; says which columns.

    A text has no other value. What hides a record keeps hiding it: an unreadable scope becomes one
    of its own, and what ended at an unreadable instant ends now.
    """
    text = values["text"]
    if not isinstance(text, str) or not isinstance(values["id"], int):
        return []
    bad = domains.unsound(domains.MEMORY, values)
    for name in bad:
        values[name] = at if name in _ENDS else _INSTEAD.get(name)
    if "recorded_at" in bad:
        values["recorded_at"] = values["valid_from"] or at
    if "content_hash" in bad:
        values["content_hash"] = content_hash(text)
    if "text_sha256" in bad:
        values["text_sha256"] = hashlib.sha256(text.encode()).digest()
    return bad


_INSTEAD: Mapping[str, Any] = {
    "kind": DEFAULT_KIND,
    "scope": "抢救",
    "source": "unknown",
    "importance": DEFAULT_IMPORTANCE,
    "confidence": min(CONFIDENCE_BY_SOURCE.values()),
    "strength": 1.0,
    "pinned": 0,
    "evidence": "",
    "use_count": 0,
}
"""What is taken instead; NULL for the others."""

_ENDS = frozenset({"valid_to", "retracted_at", "archived_at"})


@contextlib.contextmanager
def opened_broken(path: Path) -> Iterator[apsw.Connection | None]:
    """A corrupt file for reading; None where nothing that looks like ours can be read of it.

    What is read is a copy, in a folder of its own beside the file, with the log that belongs to it
    and a header as ours have it: pages that are all there are no use to SQLite behind one wrong
    byte of the first hundred (https://sqlite.org/fileformat2.html#the_database_header).

    Raises:
        BrainError: ``brain_db_cannot_create`` (73), ``brain_disk_full`` (74) where no copy can be
            made.
    """
    with contextlib.ExitStack() as stack:
        try:
            copied = stack.enter_context(part_file.part_folder(path)) / "copy.db"
        except OSError as e:
            raise _no_copy(path, e) from None
        try:
            shutil.copyfile(path, copied)
            logged = wal.size(path) > 0 and wal.belongs_to(path)
            if logged:
                shutil.copyfile(f"{path}-wal", f"{copied}-wal")
            head, size = wal.peek(copied, 0, _PAGE_TYPE + 1), copied.stat().st_size
        except OSError as e:
            raise _no_copy(path, e) from None
        db = None
        for wanted in _first_pages(copied, head, size, logged=logged):
            with copied.open("r+b") as f:
                f.write(wanted)
            db = _open_any(copied)
            if db is not None:
                break
        try:
            yield db
        finally:
            if db is not None:
                db.close(True)


def _no_copy(path: Path, error: OSError) -> BrainError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BrainError("brain_disk_full", f"磁盘满了，没有抢救：{path}", EXIT_IO)
    told = f"不能在旁边抢救：{path}（{error.strerror}）"
    return BrainError("brain_db_cannot_create", told, EXIT_CANT_CREATE)


def _headers(head: bytes, size: int, *, logged: bool) -> Iterator[bytes]:
    """The first bytes of the file as they should be: one proposal, or several.

    Args:
        size: of the file, in bytes.
        logged: whether a log is to be read with it.
    """
    given = unpack_from(">H", head, 16)[0]
    sizes = [n for n in (65536 if given == 1 else given, _PAGE) if n in _PAGES]
    types = [t for t in (head[_PAGE_TYPE], *_TABLE_PAGES) if t in _TABLE_PAGES]
    for page in dict.fromkeys(sizes):
        for kind in dict.fromkeys(types):
            new = bytearray(head)
            new[:16] = _MAGIC
            pack_into(
                ">H6B", new, 16, 1 if page == 65536 else page, *[1 + logged] * 2, 0, 64, 32, 32
            )
            pack_into(">I", new, 28, size // page)
            pack_into(">2I", new, 32, 0, 0)  # no free pages
            pack_into(">I", new, 44, 4)
            pack_into(">2I", new, 52, 0, _UTF_8)
            pack_into(">2I", new, 64, 0, schema.APPLICATION_ID)
            new[92:96] = new[24:28]  # the number of pages counts
            new[_PAGE_TYPE] = kind
            yield bytes(new)


def _first_pages(path: Path, head: bytes, size: int, *, logged: bool) -> Iterator[bytes]:
    """Beginnings of the file as they should be, the likeliest first; see :func:`_headers`."""
    wanted = b""
    for wanted in _headers(head, size, logged=logged):
        yield wanted
    if size > _PAGE:
        with path.open("rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
            whole = _with_root(wanted, data)
        yield whole


def _with_root(head: bytes, data: mmap.mmap) -> bytes:
    """A first page whose tree leads to every page of the schema that is in the file, whatever is
    left of its own counts and pointers (https://sqlite.org/fileformat2.html#b_tree_pages)."""
    size = unpack_from(">H", head, 16)[0]
    size = 65536 if size == 1 else size
    found = sorted(
        (row, number)
        for number in range(2, len(data) // size + 1)
        if (row := _schema_row(data[(number - 1) * size : number * size])) is not None
    )
    page = bytearray(size)
    page[:_PAGE_TYPE] = head[:_PAGE_TYPE]
    children = [number for _, number in found][:_MOST_CHILDREN] or [1]
    content = size - 5 * (len(children) - 1)
    pack_into(">B3HBI", page, _PAGE_TYPE, 5, 0, len(children) - 1, content % 65536, 0, children[-1])
    for place, child in enumerate(children[:-1]):
        at = size - 5 * (place + 1)
        pack_into(">H", page, _PAGE_TYPE + 12 + 2 * place, at)
        pack_into(">IB", page, at, child, place + 1)
    return bytes(page)


def _schema_row(page: bytes) -> int | None:
    """The first row number of a leaf that holds rows of ``sqlite_schema``; None for any other."""
    if page[0] != 0x0D or not unpack_from(">H", page, 3)[0]:
        return None
    try:
        at = unpack_from(">H", page, 8)[0]
        _, at = _varint(page, at)
        row, at = _varint(page, at)
        length, types = _varint(page, at)
        kinds = []
        while types < at + length:
            kind, types = _varint(page, types)
            kinds.append(kind)
        first = page[types : types + (kinds[0] - 13) // 2]
    except (IndexError, ValueError):
        return None
    return row if len(kinds) == 5 and first in (b"table", b"index") else None


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | page[place] & 0x7F
        if page[place] < 0x80:
            return value, place + 1
    return value << 8 | page[at + 8], at + 9


def _open_any(path: Path) -> apsw.Connection | None:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        # Tables whose first page is beyond the end are no reason to give up the others.
        db.pragma("writable_schema", "ON")
        db.pragma("query_only", "ON")
        db.pragma("cell_size_check", "ON")
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        if set(_tables(db)) >= _OURS:
            return db
    except _BROKEN:
        pass
    db.close(True)
    return None


def may_be_ours(path: Path, *, wiped: bool) -> bool:
    """Whether a file with a strange header is worth a copy: not another program's database.

    Args:
        wiped: also one that does not even begin as an SQLite file.
    """
    try:
        head = wal.peek(path, 0, _PAGE_TYPE)
    except OSError:
        return False
    own = pack(">I", schema.APPLICATION_ID)
    alike = sum(a == b for a, b in zip(head[68:72], own, strict=True))
    return alike >= len(own) // 2 or (wiped and head[:16] != _MAGIC)


def holds_no_more(broken: apsw.Connection) -> bool:
    """Whether a file has no table or column but those of this program's files.

    All rows of such a file can be copied, whatever number its format claims to have.
    """
    fresh = apsw.Connection(":memory:")
    try:
        schema.migrate(fresh)
        known = set(_tables(fresh))
        for name in _tables(broken):
            if name.startswith(meta.VECTORS):
                continue
            if name not in known or _columns(broken, name) - _columns(fresh, name):
                return False
    except _BROKEN:
        return False
    finally:
        fresh.close(True)
    return True


def _columns(db: apsw.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in rows(db, f"PRAGMA table_info({table})")}
