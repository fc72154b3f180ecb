"""Code blocks: what a search reads before any vector, each vector's code and filters.

Beside a vector table ``T`` stand three tables. ``T_blocks`` has a row for every 1,024 passage ids:
how many of them have a vector, a token that changes with every change of the block, and which
centre its codes are taken against (0: none yet). ``T_slots`` has the block itself: one record a
passage at the place its id gives, so that a change writes a page or two. ``T_centres`` has the
centres, one but for the time a new one takes to be applied.

A record is the memory's four instants in milliseconds (an open end is ``FOREVER_MS``, an open
start 0 minus that), its state, the scope's number, the kind's CRC-32, and the code.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from zlib import crc32

import apsw

from brain.memory import Memory
from brain.store.sql import one, rows
from brain.store.view import FOREVER_MS, to_ms

SLOTS = 1024
"""Passages in a block. A block is read and written whole only when centres change."""

EMPTY, LIVE, ARCHIVED = 0, 1, 2

_CHANGING = struct.Struct("<4qB7x")
"""Instants and state: what changes while a record lives."""

_FIXED = struct.Struct("<II")
"""Scope and kind."""

FILTERS = _CHANGING.size + _FIXED.size
"""Bytes of a record before its code."""


def words(dim: int) -> int:
    """How many 64-bit words the code of a vector of ``dim`` numbers takes: two bits a number."""
    return -(-2 * dim // 64)


def record_size(dim: int) -> int:
    """Bytes of a record."""
    return FILTERS + 8 * words(dim)


def create(db: apsw.Connection, table: str) -> None:
    """Makes the three tables beside a vector table; what one that is gone left is dropped."""
    drop(db, table)
    db.execute(
        f"CREATE TABLE {table}_blocks (block INTEGER PRIMARY KEY, token INTEGER NOT NULL,"
        " filled INTEGER NOT NULL, centre INTEGER NOT NULL)"
    )
    db.execute(f"CREATE TABLE {table}_slots (block INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    db.execute(
        f"CREATE TABLE {table}_centres (id INTEGER PRIMARY KEY, mean BLOB NOT NULL,"
        " spread REAL NOT NULL)"
    )


def drop(db: apsw.Connection, table: str) -> None:
    """Removes the three tables."""
    for part in ("blocks", "slots", "centres"):
        db.execute(f"DROP TABLE IF EXISTS {table}_{part}")


def kind_number(kind: str) -> int:
    """A kind as it stands in a record. Two kinds may share one: searches look at the record too."""
    return crc32(kind.encode())


def _changing(memory: Memory) -> bytes:
    return _CHANGING.pack(
        to_ms(memory.valid_from, -FOREVER_MS),
        to_ms(memory.valid_to, FOREVER_MS),
        to_ms(memory.recorded_at, 0),
        to_ms(memory.retracted_at, FOREVER_MS),
        LIVE if memory.archived_at is None else ARCHIVED,
    )


def filters(memory: Memory, scope_id: int) -> bytes:
    """The first ``FILTERS`` bytes of a record."""
    return _changing(memory) + _FIXED.pack(scope_id, kind_number(memory.kind))


def read_filters(record: bytes) -> tuple[int, int, int, int, int, int, int]:
    """(valid_from, valid_to, recorded_at, retracted_at, state, scope, kind) of a record."""
    return (*_CHANGING.unpack_from(record), *_FIXED.unpack_from(record, _CHANGING.size))


def listing(db: apsw.Connection, table: str) -> list[tuple[int, int, int]]:
    """(block, token, centre) of every block, in order."""
    return rows(db, f"SELECT block, token, centre FROM {table}_blocks ORDER BY block")


def read(db: apsw.Connection, table: str, block: int) -> bytes:
    """A block's records, one after the other.

    Raises:
        apsw.CorruptError: they are gone, or not of the length the newest centre's vectors give.
    """
    data = _read(db, table, block)
    known = centres(db, table)
    sound = len(data) == SLOTS * record_size(len(known[-1][1]) // 4) if known else _whole(len(data))
    if not sound:
        raise apsw.CorruptError("a block of codes is gone or cut short")
    return data


def _read(db: apsw.Connection, table: str, block: int) -> bytes:
    """What there is of a block; empty where there is nothing."""
    found = rows(db, f"SELECT data FROM {table}_slots WHERE block = ?", (block,))
    return found[0][0] if found and isinstance(found[0][0], bytes) else b""


def _whole(length: int) -> bool:
    """Whether a block of so many bytes can be whole records."""
    return length >= SLOTS * FILTERS and length % SLOTS == 0


def _record_bytes(blob: apsw.Blob) -> int:
    if not _whole(blob.length()):
        raise apsw.CorruptError("a block of codes is cut short")
    return blob.length() // SLOTS


def has(db: apsw.Connection, table: str, block: int) -> bool:
    """Whether a block has been begun."""
    return bool(rows(db, f"SELECT 1 FROM {table}_blocks WHERE block = ?", (block,)))


def count(db: apsw.Connection, table: str) -> int:
    """How many blocks have been begun."""
    return int(one(db, f"SELECT count(*) FROM {table}_blocks"))


def insert(
    db: apsw.Connection, table: str, block: int, data: bytes, filled: int, centre: int
) -> None:
    """Begins a block. ``filled``: how many of its records are not empty."""
    db.execute(f"INSERT INTO {table}_slots (block, data) VALUES (?, ?)", (block, data))
    db.execute(
        f"INSERT INTO {table}_blocks (block, token, filled, centre) VALUES (?, random(), ?, ?)",
        (block, filled, centre),
    )


def replace(db: apsw.Connection, table: str, block: int, data: bytes, centre: int) -> None:
    """Writes a whole block, of the same length as before."""
    with db.blob_open("main", f"{table}_slots", "data", block, True) as blob:
        blob.write(data)
    db.execute(
        f"UPDATE {table}_blocks SET token = random(), centre = ? WHERE block = ?", (centre, block)
    )


def put(db: apsw.Connection, table: str, block: int, records: Mapping[int, bytes]) -> None:
    """Writes the records of a block's passages that have none yet; the block must be there."""
    with db.blob_open("main", f"{table}_slots", "data", block, True) as blob:
        size = _record_bytes(blob)
        for passage_id, record in records.items():
            blob.seek(passage_id % SLOTS * size)
            blob.write(record)
    _changed(db, table, block, len(records))


def refresh(db: apsw.Connection, table: str, passage_id: int, memory: Memory) -> None:
    """Brings the instants and the state in a passage's record up to date."""
    _write(db, table, passage_id, _changing(memory))
    _changed(db, table, passage_id // SLOTS, 0)


def clear(db: apsw.Connection, table: str, passage_id: int, vectors: int) -> None:
    """Overwrites the record of a passage with zeros.

    Args:
        vectors: how many vectors have gone with it, 1 or 0.
    """
    block = passage_id // SLOTS
    if has(db, table, block):
        with db.blob_open("main", f"{table}_slots", "data", block, False) as blob:
            size = _record_bytes(blob)
        _write(db, table, passage_id, bytes(size))
        _changed(db, table, block, -vectors)


def _write(db: apsw.Connection, table: str, passage_id: int, data: bytes) -> None:
    block, slot = divmod(passage_id, SLOTS)
    with db.blob_open("main", f"{table}_slots", "data", block, True) as blob:
        blob.seek(slot * _record_bytes(blob))
        blob.write(data)


def _changed(db: apsw.Connection, table: str, block: int, more: int) -> None:
    db.execute(
        f"UPDATE {table}_blocks SET token = random(), filled = filled + ? WHERE block = ?",
        (more, block),
    )


def filled(db: apsw.Connection, table: str) -> int:
    """How many passages have a vector."""
    return int(one(db, f"SELECT coalesce(sum(filled), 0) FROM {table}_blocks"))


def recount(db: apsw.Connection, table: str) -> None:
    """Notes anew how many passages of each block have a vector."""
    db.execute(
        f"UPDATE {table}_blocks SET token = random(), filled = (SELECT count(*) FROM {table}"
        f" WHERE id >= block * {SLOTS} AND id < (block + 1) * {SLOTS})"
    )


def centre_of(db: apsw.Connection, table: str, block: int) -> tuple[bytes, float] | None:
    """(mean, spread) a block's codes are taken against; None where it has no codes yet.

    Raises:
        apsw.CorruptError: the centre is gone, or is one of vectors of another length.
    """
    found = rows(
        db,
        f"SELECT b.centre, c.mean, c.spread, length(s.data) FROM {table}_blocks b"
        f" LEFT JOIN {table}_centres c ON c.id = b.centre"
        f" LEFT JOIN {table}_slots s ON s.block = b.block WHERE b.block = ?",
        (block,),
    )
    if not found or found[0][0] == 0:
        return None
    _, mean, spread, length = found[0]
    _require_centre(mean, spread)
    if length != SLOTS * record_size(len(mean) // 4):
        raise apsw.CorruptError("a centre and the codes against it are of different lengths")
    return mean, spread


def _require_centre(mean: object, spread: object) -> None:
    if not (isinstance(mean, bytes) and len(mean) % 4 == 0 and isinstance(spread, float)):
        raise apsw.CorruptError("a centre is gone or cut short")


def centres(db: apsw.Connection, table: str) -> list[tuple[int, bytes, float]]:
    """(id, mean as packed float32, spread) of every centre, oldest first.

    Raises:
        apsw.CorruptError: one of them cannot be read.
    """
    found = rows(db, f"SELECT id, mean, spread FROM {table}_centres ORDER BY id")
    for _, mean, spread in found:
        _require_centre(mean, spread)
    return found


def newest_centre(db: apsw.Connection, table: str) -> int:
    """The id of the centre that new blocks are coded against; 0 for none."""
    return int(one(db, f"SELECT coalesce(max(id), 0) FROM {table}_centres"))


def add_centre(db: apsw.Connection, table: str, mean: bytes, spread: float) -> int:
    """Stores a centre; gives its id."""
    found = rows(
        db,
        f"INSERT INTO {table}_centres (mean, spread) VALUES (?, ?) RETURNING id",
        (mean, spread),
    )
    return int(found[0][0])


def outdated(db: apsw.Connection, table: str, most: int) -> list[int]:
    """Blocks whose codes are taken against an older centre, in order, at most so many."""
    found = rows(
        db,
        f"SELECT block FROM {table}_blocks WHERE centre <> ? ORDER BY block LIMIT ?",
        (newest_centre(db, table), most),
    )
    return [int(row[0]) for row in found]


def count_outdated(db: apsw.Connection, table: str) -> int:
    """How many vectors are in blocks whose codes are taken against an older centre."""
    newest = newest_centre(db, table)
    query = f"SELECT coalesce(sum(filled), 0) FROM {table}_blocks WHERE centre <> ?"
    return int(one(db, query, (newest,)))


def drop_old_centres(db: apsw.Connection, table: str) -> None:
    """Removes the centres that no block is coded against."""
    db.execute(
        f"DELETE FROM {table}_centres WHERE id <> ?"
        f" AND id NOT IN (SELECT centre FROM {table}_blocks)",
        (newest_centre(db, table),),
    )


def of_passages(
    db: apsw.Connection, table: str, passage_ids: Sequence[int]
) -> dict[int, tuple[int, int, int, int, int, int, int]]:
    """The filters each passage stands with, as :func:`read_filters`; empty slots are left out."""
    out = {}
    data: dict[int, bytes] = {}
    for passage_id in passage_ids:
        block, slot = divmod(passage_id, SLOTS)
        if block not in data:
            data[block] = _read(db, table, block)
        size = len(data[block]) // SLOTS
        record = data[block][slot * size :][:FILTERS]
        if len(record) == FILTERS and (found := read_filters(record))[4] != EMPTY:
            out[passage_id] = found
    return out
