"""Ingest sources: what was taken in from where, in the tables ``sources`` and ``taken``.

A row of ``taken`` outlives its memory without naming it: what a person had erased must not come
back with the next run over the same file. It holds no text, but a fingerprint of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from brain.store.sql import rows


def ensure(db: apsw.Connection, reader: str, path: str, scope: str) -> int:
    """The number of a source, made when it is new."""
    db.execute(
        "INSERT OR IGNORE INTO sources (format, path, scope) VALUES (?, ?, ?)",
        (reader, path, scope),
    )
    return int(find(db, reader, path, scope) or 0)


def find(db: apsw.Connection, reader: str, path: str, scope: str) -> int | None:
    """The number of a source; None where there is none, as in a file of the first schema."""
    if not rows(db, "SELECT 1 FROM sqlite_schema WHERE name = 'sources'"):
        return None
    found = rows(
        db,
        "SELECT id FROM sources WHERE format = ? AND path = ? AND scope = ?",
        (reader, path, scope),
    )
    return int(found[0][0]) if found else None


def state(db: apsw.Connection, source_id: int) -> dict[str, Any]:
    """What a reader noted when it last came to a source's end."""
    found = rows(db, "SELECT state FROM sources WHERE id = ?", (source_id,))
    value = json.loads(found[0][0]) if found else {}
    return value if isinstance(value, dict) else {}


def set_state(db: apsw.Connection, source_id: int, value: dict[str, Any]) -> None:
    """Notes what the next run over a source has to know."""
    text = json.dumps(value, ensure_ascii=False)
    db.execute("UPDATE sources SET state = ? WHERE id = ?", (text, source_id))


def known(
    db: apsw.Connection, source_id: int, wanted: Iterable[tuple[str, bytes]]
) -> dict[tuple[str, bytes], int]:
    """Which of (key, digest) a source has had: to the row's number."""
    asked = json.dumps([[key, digest.hex()] for key, digest in wanted])
    found = rows(
        db,
        "SELECT t.key, t.digest, t.id FROM json_each(?2) w CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = w.value ->> 0 AND t.digest = unhex(w.value ->> 1)",
        (source_id, asked),
    )
    return {(key, bytes(digest)): int(row) for key, digest, row in found}


def find_moved(db: apsw.Connection, source_id: int, digest: bytes, group: str) -> list[int]:
    """Rows of a digest whose key begins with a group."""
    found = rows(
        db,
        "SELECT id FROM taken WHERE source_id = ? AND digest = ? AND substr(key, 1, ?) = ?",
        (source_id, digest, len(group), group),
    )
    return [int(row) for (row,) in found]


def rename(db: apsw.Connection, row: int, key: str) -> None:
    """Gives a row another key."""
    db.execute("UPDATE OR IGNORE taken SET key = ? WHERE id = ?", (key, row))


def put(
    db: apsw.Connection,
    source_id: int,
    key: str,
    digest: bytes,
    memory_id: int,
    first: int | None,
    last: int | None,
) -> int:
    """Notes what was taken in and which memory it became; gives the row's number."""
    found = rows(
        db,
        "INSERT INTO taken (source_id, key, digest, memory_id, first, last)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source_id, key, digest)"
        " DO UPDATE SET memory_id = excluded.memory_id RETURNING id",
        (source_id, key, digest, memory_id, first, last),
    )
    return int(found[0][0])


def note(db: apsw.Connection, source_id: int, keys: Iterable[str], digest: bytes) -> None:
    """Notes keys that stand for no memory."""
    db.executemany(
        "INSERT OR IGNORE INTO taken (source_id, key, digest) VALUES (?, ?, ?)",
        [(source_id, key, digest) for key in keys],
    )


def digests(
    db: apsw.Connection, source_id: int, keys: Sequence[str], *, erased: bool = False
) -> dict[str, set[bytes]]:
    """The digests a source has had under some keys.

    Args:
        erased: only of what stands for no memory (any more).
    """
    found = rows(
        db,
        "SELECT t.key, t.digest FROM json_each(?2) k CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = k.value"
        + (" WHERE t.memory_id IS NULL" if erased else ""),
        (source_id, json.dumps(list(keys))),
    )
    out: dict[str, set[bytes]] = {}
    for key, digest in found:
        out.setdefault(str(key), set()).add(bytes(digest))
    return out


def rows_of(db: apsw.Connection, source_id: int) -> list[tuple[int, str, int | None]]:
    """Every row of a source as (row, key, memory id), in the order they came."""
    found = rows(
        db, "SELECT id, key, memory_id FROM taken WHERE source_id = ? ORDER BY id", (source_id,)
    )
    return [(int(row), str(key), memory_id) for row, key, memory_id in found]


def rows_of_keys(
    db: apsw.Connection, source_id: int, keys: Sequence[str]
) -> list[tuple[int, str, int | None]]:
    """The rows under some keys, as :func:`rows_of` gives them."""
    found = rows(
        db,
        "SELECT t.id, t.key, t.memory_id FROM json_each(?2) k CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = k.value ORDER BY t.id",
        (source_id, json.dumps(list(keys))),
    )
    return [(int(row), str(key), memory_id) for row, key, memory_id in found]


def last_of(db: apsw.Connection, source_id: int, prefix: str) -> tuple[str, int, int] | None:
    """The newest row whose key begins with something: its key, first and last message id."""
    found = rows(
        db,
        "SELECT key, first, last FROM taken WHERE source_id = ?1 AND key >= ?2 AND key < ?3"
        " AND last IS NOT NULL ORDER BY last DESC, first DESC LIMIT 1",
        (source_id, prefix, prefix + "\U0010ffff"),
    )
    return (str(found[0][0]), int(found[0][1]), int(found[0][2])) if found else None


def covering(
    db: apsw.Connection, source_id: int, prefix: str, number: int
) -> list[tuple[int, int, int, int]]:
    """Rows whose messages may include a number: row, memory id, first, last."""
    found = rows(
        db,
        "SELECT id, memory_id, first, last FROM taken WHERE source_id = ?1 AND key >= ?2"
        " AND key < ?3 AND first <= ?4 AND last >= ?4 AND memory_id IS NOT NULL",
        (source_id, prefix, prefix + "\U0010ffff", number),
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in found]


def forget(db: apsw.Connection, row: int) -> None:
    """Drops one row: the source no longer has it."""
    db.execute("DELETE FROM taken WHERE id = ?", (row,))


def in_other_rows(db: apsw.Connection, memory_id: int, gone: Iterable[int]) -> bool:
    """Whether a memory also stands in a row that is not among those gone."""
    found = rows(db, "SELECT id FROM taken WHERE memory_id = ?", (memory_id,))
    return not {int(row) for (row,) in found} <= set(gone)
