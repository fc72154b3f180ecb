"""Ingest sources: what was taken in from where, in the tables ``sources`` and ``taken``.

A row of ``taken`` outlives its memory without naming it: what a person had erased must not come
back with the next run over the same file. It holds no text, but fingerprints of it, which are keyed
then (HMAC-SHA-256, RFC 2104) with a key that is in this file and in no other: nobody finds in a
table of hashes what was erased. Who has the file has the key too, and can test a guess. What is
noted of turns, which any memory may have been made of, is keyed from the start.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import apsw

from brain.store import meta
from brain.store.sql import rows

_KEY_BYTES = 32

_Keyed = Callable[[str, bytes], tuple[str, bytes]]


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
    given = list(wanted)
    keyed = _keyer(db)
    plain = {each: each for each in given}
    if keyed is not None:
        plain |= {keyed(*each): each for each in given}
    asked = json.dumps([[key, digest.hex()] for key, digest in plain])
    found = rows(
        db,
        "SELECT t.key, t.digest, t.id FROM json_each(?2) w CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = w.value ->> 0 AND t.digest = unhex(w.value ->> 1)",
        (source_id, asked),
    )
    return {plain[key, bytes(digest)]: int(row) for key, digest, row in found}


def _keyer(db: apsw.Connection, *, make: bool = False) -> _Keyed | None:
    """What keys a (key, digest); None where nothing in the file is keyed.

    Args:
        make: make the file's key where there is none.
    """
    secret = meta.read(db).get(meta.DIGEST_KEY)
    if not isinstance(secret, bytes) and make:
        secret = os.urandom(_KEY_BYTES)
        meta.put(db, **{meta.DIGEST_KEY: secret})
    if not isinstance(secret, bytes):
        return None
    own: bytes = secret

    def keyed(key: str, digest: bytes) -> tuple[str, bytes]:
        group, colon, rest = key.rpartition(":")
        name = hmac.digest(own, b"key:" + rest.encode(), "sha256").hex()[: len(rest)]
        return group + colon + name, hmac.digest(own, digest, "sha256")[: len(digest)]

    return keyed


def disguise(db: apsw.Connection, memory_id: int | None) -> None:
    """Keys the fingerprints of what a memory was made of. Call it before the memory is deleted.

    Args:
        memory_id: None for those of all memories that were forgotten; once, in a migration.
    """
    found = rows(
        db, "SELECT id, key, digest FROM taken WHERE memory_id IS ? ORDER BY id", (memory_id,)
    )
    if not found:
        return
    keyed = _keyer(db, make=True)
    assert keyed is not None
    for row, key, digest in found:
        db.execute(
            "UPDATE OR REPLACE taken SET key = ?, digest = ? WHERE id = ?",
            (*keyed(key, bytes(digest)), row),
        )


def find_moved(db: apsw.Connection, source_id: int, digest: bytes, group: str) -> list[int]:
    """Rows of a digest whose key begins with a group."""
    keyed = _keyer(db)
    either = (digest, digest if keyed is None else keyed("", digest)[1])
    found = rows(
        db,
        "SELECT id FROM taken WHERE source_id = ? AND digest IN (?, ?) AND substr(key, 1, ?) = ?",
        (source_id, *either, len(group), group),
    )
    return [int(row) for (row,) in found]


def rename(db: apsw.Connection, row: int, key: str) -> None:
    """Gives a row another key; a row of what was forgotten the keyed form of it."""
    keyed = _keyer(db)
    if keyed is not None and rows(
        db, "SELECT 1 FROM taken WHERE id = ? AND memory_id IS NULL", (row,)
    ):
        key = keyed(key, b"")[0]
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
    keyed = _keyer(db, make=True)
    assert keyed is not None
    db.executemany(
        "INSERT OR IGNORE INTO taken (source_id, key, digest) VALUES (?, ?, ?)",
        [(source_id, keyed(key, b"")[0], digest) for key in keys],
    )


def noted(db: apsw.Connection, source_id: int, keys: Iterable[str]) -> dict[str, set[bytes]]:
    """The digests that were noted under some keys."""
    keyed = _keyer(db)
    if keyed is None:
        return {}
    plain = {keyed(key, b"")[0]: key for key in keys}
    found = rows(
        db,
        "SELECT t.key, t.digest FROM json_each(?2) k CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = k.value",
        (source_id, json.dumps(list(plain))),
    )
    out: dict[str, set[bytes]] = {}
    for key, digest in found:
        out.setdefault(plain[str(key)], set()).add(bytes(digest))
    return out


def erased_keys(db: apsw.Connection, source_id: int, keys: Iterable[str]) -> set[str]:
    """The keys under which a source has had something that was erased."""
    keyed = _keyer(db)
    if keyed is None:
        return set()
    plain = {keyed(key, b"")[0]: key for key in keys}
    found = rows(
        db,
        "SELECT DISTINCT t.key FROM json_each(?2) k CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = k.value WHERE t.memory_id IS NULL",
        (source_id, json.dumps(list(plain))),
    )
    return {plain[str(key)] for (key,) in found}


def erased(
    db: apsw.Connection, source_id: int, wanted: Iterable[tuple[str, bytes]]
) -> set[tuple[str, bytes]]:
    """Which of (key, digest) a source has had that were erased."""
    keyed = _keyer(db)
    if keyed is None:
        return set()
    plain = {keyed(*each): each for each in wanted}
    found = rows(
        db,
        "SELECT t.key, t.digest FROM json_each(?2) w CROSS JOIN taken t"
        " ON t.source_id = ?1 AND t.key = w.value ->> 0 AND t.digest = unhex(w.value ->> 1)"
        " WHERE t.memory_id IS NULL",
        (source_id, json.dumps([[key, digest.hex()] for key, digest in plain])),
    )
    return {plain[key, bytes(digest)] for key, digest in found}


def rows_of(db: apsw.Connection, source_id: int) -> list[tuple[int, str, int | None]]:
    """Every row of a source as (row, key, memory id), in the order they came."""
    found = rows(
        db, "SELECT id, key, memory_id FROM taken WHERE source_id = ? ORDER BY id", (source_id,)
    )
    return [(int(row), str(key), memory_id) for row, key, memory_id in found]


def rows_of_keys(
    db: apsw.Connection, source_id: int, keys: Sequence[str]
) -> list[tuple[int, str, int | None]]:
    """The rows under some keys, as :func:`rows_of` gives them; none of what was forgotten."""
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
