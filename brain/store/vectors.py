"""Vectors in sqlite-vec: one ``vec0`` table a model, named in ``meta``.

What a search filters by stands beside each vector as a metadata column, so that filters act inside
the scan and never empty the result. Metadata columns refuse NULL: an open end is ``FOREVER_MS``,
an open start 0 minus that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from brain.memory import Memory
from brain.store import meta
from brain.store.sql import one, rows
from brain.store.view import FOREVER_MS, View, to_ms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_K = 4096
"""vec0 refuses a larger k."""


def create_table(db: apsw.Connection, table: str, dim: int) -> None:
    """Makes an empty vector table for vectors of ``dim`` numbers."""
    db.execute(
        f"CREATE VIRTUAL TABLE {table} USING vec0 (embedding float[{dim}] distance_metric=cosine,"
        " scope integer, kind text, valid_from integer, valid_to integer, recorded_at integer,"
        " retracted_at integer, archived integer)"
    )


def next_name(db: apsw.Connection) -> str:
    """A name no vector table of the file has."""
    found = rows(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'vectors_[0-9]*'")
    used = [int(name[8:]) for (name,) in found if name[8:].isdigit()]
    return f"vectors_{max(used, default=0) + 1}"


def holds(db: apsw.Connection, table: str, passage_id: int) -> bool:
    """Whether a passage has its vector."""
    found = rows(db, f"SELECT 1 FROM {table}_rowids WHERE rowid = ?", (passage_id,))
    return bool(found)


def drop_table(db: apsw.Connection, table: str) -> None:
    """Removes a vector table with all it holds."""
    db.execute(f"DROP TABLE IF EXISTS {table}")


def exists(db: apsw.Connection, table: str) -> bool:
    """Whether the vector table is in the file."""
    found = rows(db, "SELECT 1 FROM sqlite_schema WHERE name = ?", (table,))
    return bool(found)


def add(
    db: apsw.Connection,
    table: str,
    passage_ids: Sequence[int],
    vectors: NDArray[np.float32],
    memory: Memory,
    scope_id: int,
) -> None:
    """Stores a memory's vectors, one a passage. ``vectors``: (len(passage_ids), dim), unit rows."""
    for passage_id, vector in zip(passage_ids, vectors, strict=True):
        db.execute(
            f"INSERT INTO {table} (rowid, embedding, scope, kind, valid_from, valid_to,"
            " recorded_at, retracted_at, archived) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (passage_id, vector.tobytes(), scope_id, memory.kind, *_times(memory)),
        )


def _times(memory: Memory) -> tuple[int, int, int, int, int]:
    return (
        to_ms(memory.valid_from, -FOREVER_MS),
        to_ms(memory.valid_to, FOREVER_MS),
        to_ms(memory.recorded_at, 0),
        to_ms(memory.retracted_at, FOREVER_MS),
        int(memory.archived_at is not None),
    )


def tables(db: apsw.Connection) -> list[str]:
    """The vector tables of the file: its own, and the one a re-embedding is filling."""
    found = meta.read(db)
    named = (found.get(meta.VECTORS), found.get(meta.NEXT_VECTORS))
    return [table for table in named if table is not None and exists(db, table)]


def refresh(db: apsw.Connection, memory: Memory) -> None:
    """Brings the filter columns of a memory's vectors up to date with its record.

    Without the extension that is put off: the file says so, and the next writer that has it does
    it for all records. Until then :func:`search` still goes by the records.
    """
    found = rows(db, "SELECT id FROM passages WHERE memory_id = ?", (memory.id,))
    for table in tables(db):
        try:
            for (passage_id,) in found:
                db.execute(
                    f"UPDATE {table} SET valid_from = ?, valid_to = ?, recorded_at = ?,"
                    " retracted_at = ?, archived = ? WHERE rowid = ?",
                    (*_times(memory), passage_id),
                )
        except apsw.SQLError as e:
            if "no such module" not in str(e):
                raise
            meta.put(db, **{meta.VECTORS_BEHIND: 1})


def remove(db: apsw.Connection, table: str, passage_ids: Sequence[int]) -> None:
    """Deletes vectors by passage id."""
    for passage_id in passage_ids:
        db.execute(f"DELETE FROM {table} WHERE rowid = ?", (passage_id,))


def _where(view: View, scope_ids: Sequence[int] | None) -> tuple[str, list[object]]:
    parts: list[str] = []
    args: list[object] = []
    if scope_ids is not None:
        parts.append(f"scope IN ({', '.join(str(int(s)) for s in scope_ids)})")
    if not view.include_expired:
        at = to_ms(view.as_of, 0)
        parts += ["valid_from <= ?", "valid_to > ?"]
        args += [at, at]
    if view.known_at is None:
        parts.append("retracted_at = ?")
        args.append(FOREVER_MS)
    else:
        known = to_ms(view.known_at, 0)
        parts += ["recorded_at <= ?", "retracted_at > ?"]
        args += [known, known]
    if view.archived is not None:
        parts.append("archived = ?")
        args.append(int(view.archived))
    if view.kind is not None:
        parts.append("kind = ?")
        args.append(view.kind)
    if view.not_kind is not None:
        parts.append("kind <> ?")
        args.append(view.not_kind)
    return "".join(f" AND {p}" for p in parts), args


def search(
    db: apsw.Connection,
    table: str,
    vector: bytes,
    view: View,
    scope_ids: Sequence[int] | None,
    k: int,
) -> list[tuple[int, int, float]]:
    """The nearest visible memories.

    Args:
        vector: dim float32 numbers, packed; unit length.
        k: how many vectors the scan returns. Where a few long memories take most of those places
            it is widened, so that they do not hide the rest.

    Returns:
        (memory id, passage id, cosine similarity) of each memory's nearest passage, nearest
        first, ties by id.
    """
    if scope_ids == []:
        return []
    where, args = _where(view, scope_ids)
    width = min(k, MAX_K)
    while True:
        found = rows(
            db,
            f"SELECT rowid, distance FROM {table} WHERE embedding MATCH ? AND k = ?{where}",
            (vector, width, *args),
        )
        best = _best(db, {int(a): 1.0 - float(b) for a, b in found}, view)
        if len(found) < width or 2 * len(best) >= k or width == MAX_K:
            break
        width = min(4 * width, MAX_K)
    order = sorted(best, key=lambda m: (-best[m][0], m))[:k]
    return [(m, best[m][1], best[m][0]) for m in order]


def of_memory(db: apsw.Connection, table: str, memory_id: int) -> bytes | None:
    """The vector of a memory's first passage as packed float32, None where it has none."""
    found = rows(
        db,
        f"SELECT v.embedding FROM passages p CROSS JOIN {table} v ON v.rowid = p.id"
        " WHERE p.memory_id = ? ORDER BY p.id LIMIT 1",
        (memory_id,),
    )
    return bytes(found[0][0]) if found else None


def _best(db: apsw.Connection, near: dict[int, float], view: View) -> dict[int, tuple[float, int]]:
    """Each visible memory's nearest passage: memory id → (similarity, passage id)."""
    best: dict[int, tuple[float, int]] = {}
    for passage_id, memory_id in _owners(db, list(near), view):
        similarity = near[passage_id]
        if memory_id not in best or similarity > best[memory_id][0]:
            best[memory_id] = (similarity, passage_id)
    return best


def _owners(db: apsw.Connection, passage_ids: Sequence[int], view: View) -> list[tuple[int, int]]:
    """(passage id, memory id) of passages whose memory the view shows."""
    marks = ", ".join(str(int(p)) for p in passage_ids)
    where, args = view.where()
    return rows(
        db,
        "SELECT p.id, p.memory_id FROM passages p CROSS JOIN memories m ON m.id = p.memory_id"
        f" WHERE p.id IN ({marks}) AND {where} ORDER BY p.id",
        args,
    )


def similarities(
    db: apsw.Connection, table: str, vector: bytes, memory_ids: Sequence[int]
) -> dict[int, tuple[float, int]]:
    """Cosine similarity of given memories: id → (best passage's similarity, its passage id).

    Args:
        vector: as for :func:`search`.
    """
    marks = ", ".join(str(int(m)) for m in memory_ids)
    found = rows(
        db,
        "SELECT p.memory_id, p.id, 1.0 - vec_distance_cosine(v.embedding, ?)"
        " FROM passages p"
        f" CROSS JOIN {table} v ON v.rowid = p.id WHERE p.memory_id IN ({marks}) ORDER BY p.id",
        (vector,),
    )
    out: dict[int, tuple[float, int]] = {}
    for memory_id, passage_id, similarity in found:
        if memory_id not in out or similarity > out[memory_id][0]:
            out[int(memory_id)] = (float(similarity), int(passage_id))
    return out


def missing(
    db: apsw.Connection, table: str, after: int, limit: int
) -> list[tuple[int, int, int, int]]:
    """Passages without a vector, as (passage id, memory id, start, stop), in id order."""
    found = rows(
        db,
        "SELECT p.id, p.memory_id, p.start, p.stop FROM passages p"
        f" WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM {table}_rowids r WHERE r.rowid = p.id)"
        " ORDER BY p.id LIMIT ?",
        (after, limit),
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in found]


def counts(db: apsw.Connection, table: str | None) -> tuple[int, int]:
    """(passages with a vector, passages without)."""
    total = int(one(db, "SELECT count(*) FROM passages"))
    if table is None or not exists(db, table):
        return 0, total
    # Counting the shadow table works where the extension itself cannot be loaded.
    present = int(one(db, f"SELECT count(*) FROM {table}_rowids"))
    return present, total - present
