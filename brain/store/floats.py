"""Vector tables of schema 1, read as they are: one ``vec0`` table of float32 with filter columns.

A file that cannot be written cannot be migrated; its vectors are still searched. Everything else
about such a table is as with ours: ``rowid`` and ``embedding``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import apsw

from brain.store.sql import rows
from brain.store.view import FOREVER_MS, View, to_ms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_K = 4096
"""vec0 refuses a larger k."""


def nearest(
    db: apsw.Connection,
    table: str,
    vector: bytes,
    view: View,
    scope_ids: Sequence[int] | None,
    count: int,
) -> tuple[list[int], bool]:
    """As :func:`brain.store.digest.nearest`, by vec0's own scan."""
    where, args = _where(view, scope_ids)
    width = min(count, MAX_K)
    found = rows(
        db,
        f"SELECT rowid FROM {table} WHERE embedding MATCH ? AND k = ?{where}",
        (vector, width, *args),
    )
    return [int(row[0]) for row in found], len(found) < width or width == MAX_K


def read(
    db: apsw.Connection, table: str, passage_ids: Sequence[int], dim: int
) -> tuple[list[int], NDArray[np.float32]]:
    """Which of some passages have a vector, and the vectors, (n, dim)."""
    import numpy as np

    found = rows(
        db,
        "SELECT v.rowid, v.embedding FROM json_each(?) j"
        f" CROSS JOIN {table} v ON v.rowid = j.value ORDER BY v.rowid",
        (json.dumps(passage_ids),),
    )
    vectors = np.frombuffer(b"".join([row[1] for row in found]), dtype=np.float32)
    return [row[0] for row in found], vectors.reshape(len(found), dim)


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


def all_vectors(db: apsw.Connection, table: str) -> Iterator[tuple[int, bytes]]:
    """(passage id, packed float32) of every vector, by id.

    Read from the tables sqlite-vec 0.1 keeps under a ``vec0`` table: a hundred times as fast as
    asking for each, and possible where the extension cannot be loaded.
    """
    chunks: dict[int, bytes] = {}
    found = rows(db, f"SELECT rowid, chunk_id, chunk_offset FROM {table}_rowids ORDER BY rowid")
    size = int(rows(db, f"SELECT size FROM {table}_chunks LIMIT 1")[0][0]) if found else 1
    for passage_id, chunk, place in found:
        if chunk not in chunks:
            # Rows lie in the order they came in; a few chunks at hand are enough.
            if len(chunks) >= 8:
                del chunks[min(chunks)]
            chunks[chunk] = bytes(
                rows(db, f"SELECT vectors FROM {table}_vector_chunks00 WHERE rowid = ?", (chunk,))[
                    0
                ][0]
            )
        step = len(chunks[chunk]) // size
        yield int(passage_id), chunks[chunk][place * step : (place + 1) * step]


def drop(db: apsw.Connection, table: str) -> None:
    """Removes the table; where the extension cannot be loaded, all it holds."""
    try:
        db.execute(f"DROP TABLE {table}")
    except apsw.SQLError as e:
        if "no such module" not in str(e):
            raise
        for (part,) in rows(
            db,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?",
            (f"{table}_*",),
        ):
            db.execute(f"DELETE FROM {part}")
