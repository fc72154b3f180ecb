"""Integrity check and repair: whether a file's parts agree with each other and with themselves.

What checks only reads; the vocabulary tables of both text indexes are made in the connection's own
temporary database, which a reader may have. What repairs runs inside the caller's write
transaction.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import apsw

from brain.errors import BrainError
from brain.memory import content_hash
from brain.store import connection, fts, memories
from brain.store.fts import scope_term
from brain.store.sql import one, rows
from brain.store.vectors import blocks
from brain.store.vectors.vector_index import exists
from brain.text.fold import fold
from brain.text.tokenize import index_terms, quote

SHOWN = 20
"""How many ids a finding names at most."""

SAMPLED = 300
"""How many records have some of their words looked up in the indexes."""

_ISO = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].[0-9][0-9][0-9]Z"


UNREADABLE = (apsw.Error, UnicodeDecodeError, TypeError, ValueError)
"""What a check of a damaged file may raise."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this machine's SQLite can do.

    Args:
        sqlite, apsw: versions.
        fts5: '' where full-text indexes work, else what is missing, Chinese.
        trigram: the trigram tokenizer is there.
        vectors: sqlite-vec can be loaded.
    """

    sqlite: str
    apsw: str
    fts5: str
    trigram: bool
    vectors: bool


def capabilities() -> Capabilities:
    """Tries the parts of SQLite that a memory file needs, on a database in memory."""
    db = apsw.Connection(":memory:")
    fts5 = ""
    try:
        connection.require_fts5(db)
    except BrainError as e:
        fts5 = e.message
    try:
        db.execute("CREATE VIRTUAL TABLE temp.t USING fts5 (x, tokenize = 'trigram')")
        trigram = True
    except apsw.Error:
        trigram = False
    vectors = connection.load_vectors(db)
    db.close()
    return Capabilities(apsw.sqlite_lib_version(), apsw.apsw_version(), fts5, trigram, vectors)


def integrity(db: apsw.Connection) -> list[str]:
    """What SQLite finds wrong with its pages and indexes, both text indexes included."""
    try:
        found = rows(db, f"PRAGMA integrity_check({SHOWN})")
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError, UnicodeDecodeError) as e:
        return [str(e)]
    return [str(row[0]) for row in found if row[0] != "ok"]


def integrity_without_text(db: apsw.Connection) -> list[str]:
    """As :func:`integrity`, but of the pages and the ordinary tables alone."""
    try:
        # By name of a table the whole freelist and the other tables' pages are left out.
        found = []
        for (name,) in rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table'"):
            if not str(name).startswith((fts.GRAMS, fts.TRIGRAMS, "sqlite_")):
                found += rows(db, f"PRAGMA integrity_check('{name}')")
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError, UnicodeDecodeError) as e:
        return [str(e)]
    return [str(row[0]) for row in found if row[0] != "ok"]


def unindexed(db: apsw.Connection, index: str) -> list[int]:
    """Records without a row in a text index."""
    return _ids(
        db,
        f"SELECT id FROM memories WHERE id NOT IN (SELECT id FROM {index}_docsize) ORDER BY id",
    )


def orphaned_rows(db: apsw.Connection, index: str) -> list[int]:
    """Ids a text index knows, by a row or by a word, that no record has."""
    with _vocabulary(db, index) as words:
        return _ids(
            db,
            f"SELECT id FROM {index}_docsize WHERE id NOT IN (SELECT id FROM memories)"
            f" UNION SELECT doc FROM {words} WHERE doc NOT IN (SELECT id FROM memories)"
            " ORDER BY 1",
        )


def mismatched_rows(db: apsw.Connection, index: str) -> list[int]:
    """Records whose index rows do not hold them under their scope, or not under some words."""
    with _vocabulary(db, index) as words:
        held = dict(
            rows(
                db,
                f"SELECT doc, group_concat(term, ' ') FROM {words} WHERE col = 'scope'"
                " GROUP BY doc",
            )
        )
    numbers = dict(rows(db, "SELECT name, id FROM scopes"))
    step = max(1, memories.count(db) // SAMPLED)
    wrong = []
    for place, (memory_id, text, scope) in enumerate(memories.iter_texts_after(db, 0)):
        fine = scope in numbers and held.get(memory_id) == scope_term(numbers[scope])
        if fine and place % step == 0:
            fine = _found_by_its_words(db, index, memory_id, text)
        if not fine:
            wrong.append(memory_id)
    return wrong


def _found_by_its_words(db: apsw.Connection, index: str, memory_id: int, text: str) -> bool:
    folded = fold(text)
    if index == fts.GRAMS:
        known = [t for t in index_terms(folded) if not t.isspace()]
    else:
        known = [folded[at : at + 3] for at in range(len(folded) - 2)]
    chosen = {known[at] for at in (0, len(known) // 2, -1)} if known else set()
    return all(
        rows(
            db,
            f"SELECT 1 FROM {index} WHERE {index} MATCH ? AND rowid = ?",
            (f"body : {quote(term)}", memory_id),
        )
        for term in chosen
    )


@contextlib.contextmanager
def _vocabulary(db: apsw.Connection, index: str) -> Iterator[str]:
    """A temporary table of every word's every place: (term, doc, col, offset)."""
    name = f"temp.{index}_places"
    reading = db.pragma("query_only")
    db.pragma("query_only", "OFF")
    try:
        db.execute(f"CREATE VIRTUAL TABLE {name} USING fts5vocab ('main', '{index}', 'instance')")
        yield name
    finally:
        with contextlib.suppress(apsw.Error):
            db.execute(f"DROP TABLE IF EXISTS {name}")
        db.pragma("query_only", reading)


def bad_hashes(db: apsw.Connection) -> list[int]:
    """Records whose text is not the one its hashes were made of."""
    wrong = []
    query = "SELECT id, text, content_hash, text_sha256 FROM memories ORDER BY id"
    for memory_id, text, canonical, exact in cast(
        Iterable[tuple[int, Any, Any, Any]], db.execute(query)
    ):
        if not isinstance(text, str):
            wrong.append(memory_id)
            continue
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        if digest != exact or content_hash(text) != canonical:
            wrong.append(memory_id)
    return wrong


def scopeless(db: apsw.Connection) -> list[int]:
    """Records of a scope that has no number."""
    return _ids(
        db, "SELECT id FROM memories WHERE scope NOT IN (SELECT name FROM scopes) ORDER BY id"
    )


def without_passages(db: apsw.Connection) -> list[int]:
    """Records without a passage, or with one that reaches beyond their text."""
    return _ids(
        db,
        "SELECT m.id FROM memories m WHERE NOT EXISTS"
        " (SELECT 1 FROM passages p WHERE p.memory_id = m.id)"
        " UNION SELECT p.memory_id FROM passages p JOIN memories m ON m.id = p.memory_id"
        " WHERE p.start < 0 OR p.stop <= p.start OR p.stop > length(m.text) ORDER BY 1",
    )


def ownerless_passages(db: apsw.Connection) -> list[int]:
    """Passages of no record, by their own ids."""
    return _ids(
        db, "SELECT id FROM passages WHERE memory_id NOT IN (SELECT id FROM memories) ORDER BY id"
    )


def vector_faults(db: apsw.Connection, table: str, dim: int) -> dict[str, list[int]]:
    """What is wrong with a vector table, as finding's code → passage ids.

    ``vectors_orphan``: vectors of no passage; ``vectors_missing``: passages without one;
    ``vectors_broken``: vectors of another length; ``vectors_filters``: those that searches filter
    by other values than the record's, or do not see at all.
    """
    if not exists(db, table):
        return {"vectors_missing": _ids(db, "SELECT id FROM passages ORDER BY id")}
    stored = dict(rows(db, f"SELECT id, length(embedding) FROM {table} ORDER BY id"))
    owners = dict(rows(db, "SELECT id, memory_id FROM passages ORDER BY id"))
    numbers = dict(rows(db, "SELECT name, id FROM scopes"))
    right = {
        memory.id: blocks.read_filters(blocks.filters(memory, numbers[memory.scope]))
        for memory in memories.iter_all(db)
        if memory.scope in numbers
    }
    seen = blocks.of_passages(db, table, sorted({*stored, *owners}))
    return {
        "vectors_orphan": [i for i in stored if i not in owners],
        "vectors_missing": [i for i in owners if i not in stored],
        "vectors_broken": [i for i, length in stored.items() if length != 4 * dim],
        "vectors_filters": [
            i
            for i in sorted({*stored, *seen} & owners.keys())
            if i not in stored or seen.get(i) != right.get(owners[i])
        ],
    }


def stored_vectors(db: apsw.Connection, table: str, count: int) -> list[tuple[str, bytes]]:
    """Some passages spread over the file, as (text, its vector as packed float32)."""
    total = int(one(db, "SELECT count(*) FROM passages"))
    step = max(1, total // count) if count else 1
    found = rows(
        db,
        "SELECT substr(m.text, p.start + 1, p.stop - p.start), v.embedding FROM passages p"
        f" JOIN memories m ON m.id = p.memory_id CROSS JOIN {table} v ON v.rowid = p.id"
        " WHERE p.id % ? = 0 ORDER BY p.id LIMIT ?",
        (step, count),
    )
    return [(str(text), bytes(vector)) for text, vector in found]


def dangling_links(db: apsw.Connection) -> list[int]:
    """Records that name a predecessor or an heir that is not there."""
    return _ids(
        db,
        "SELECT id FROM memories WHERE supersedes NOT IN (SELECT id FROM memories)"
        " OR superseded_by NOT IN (SELECT id FROM memories) ORDER BY id",
    )


def one_sided_links(db: apsw.Connection) -> list[int]:
    """Records whose predecessor or heir is there and does not name them back."""
    return _ids(
        db,
        "SELECT m.id FROM memories m JOIN memories o ON o.id = m.superseded_by"
        " WHERE o.supersedes IS NOT m.id"
        " UNION SELECT m.id FROM memories m JOIN memories o ON o.id = m.supersedes"
        " WHERE o.superseded_by IS NOT m.id ORDER BY 1",
    )


def link_cycles(db: apsw.Connection) -> list[int]:
    """Records that are their own ancestors."""
    before = dict(rows(db, "SELECT id, supersedes FROM memories WHERE supersedes IS NOT NULL"))
    safe: set[int] = set()
    loops: set[int] = set()
    for start in before:
        path: list[int] = []
        at: int | None = start
        while at is not None and at not in safe and at not in path:
            path.append(at)
            at = before.get(at)
        if at is not None and at in path:
            loops.update(path[path.index(at) :])
        safe.update(path)
    return sorted(loops)


def bad_times(db: apsw.Connection) -> list[int]:
    """Records with a time that is none, or an interval that ends before it begins."""
    columns = ("valid_from", "valid_to", "recorded_at", "retracted_at", "archived_at")
    wrong = " OR ".join(f"{c} NOT GLOB '{_ISO}'" for c in columns)
    return _ids(
        db,
        f"SELECT id FROM memories WHERE {wrong} OR valid_to <= valid_from"
        " OR retracted_at < recorded_at ORDER BY id",
    )


def recorded_after(db: apsw.Connection, at: str) -> list[int]:
    """Records made later than an instant, UTC ISO."""
    return _ids(db, "SELECT id FROM memories WHERE recorded_at > ? ORDER BY id", (at,))


def unjournaled(db: apsw.Connection) -> list[int]:
    """Records the journal says nothing about."""
    return _ids(
        db,
        "SELECT id FROM memories WHERE id NOT IN"
        " (SELECT memory_id FROM journal WHERE memory_id IS NOT NULL) ORDER BY id",
    )


def unreadable_journal(db: apsw.Connection) -> list[int]:
    """Journal entries, by their own ids, whose detail is no JSON object."""
    return _ids(
        db,
        "SELECT id FROM journal WHERE NOT json_valid(detail) OR json_type(detail) <> 'object'"
        " ORDER BY id",
    )


# Repair -------------------------------------------------------------------------------------------


def register_scopes(db: apsw.Connection) -> None:
    """Gives a number to every scope some record has."""
    db.execute(
        "INSERT OR IGNORE INTO scopes (name) SELECT DISTINCT scope FROM memories ORDER BY scope"
    )


def drop_passages(db: apsw.Connection, memory_id: int) -> list[int]:
    """Removes the passages of a record; gives their ids."""
    found = rows(db, "DELETE FROM passages WHERE memory_id = ? RETURNING id", (memory_id,))
    return [int(row[0]) for row in found]


def drop_ownerless_passages(db: apsw.Connection) -> None:
    """Removes the passages of no record."""
    db.execute("DELETE FROM passages WHERE memory_id NOT IN (SELECT id FROM memories)")


def drop_ownerless(db: apsw.Connection) -> None:
    """Removes the rows of any table that refer to a lost record."""
    for table, row, *_ in rows(db, "PRAGMA foreign_key_check"):
        db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))


def drop_ownerless_takings(db: apsw.Connection) -> None:
    """Removes what says of a lost source or record that it was taken in.

    The next run over the source then brings the record back, which a row without its record (one
    that a person had erased) would keep from happening.
    """
    db.execute(
        "DELETE FROM taken WHERE source_id NOT IN (SELECT id FROM sources)"
        " OR memory_id NOT IN (SELECT id FROM memories)"
    )


def drop_ownerless_tags(db: apsw.Connection) -> None:
    """Removes the tags of no record, and those that are no text."""
    db.execute(
        "DELETE FROM tags WHERE memory_id NOT IN (SELECT id FROM memories) OR typeof(tag) <> 'text'"
    )


def rehash(db: apsw.Connection, memory_ids: list[int]) -> None:
    """Makes the hashes of records anew from their texts."""
    for memory_id in memory_ids:
        for (text,) in rows(db, "SELECT text FROM memories WHERE id = ?", (memory_id,)):
            memories.set_fields(
                db,
                memory_id,
                content_hash=content_hash(text),
                text_sha256=hashlib.sha256(text.encode("utf-8")).digest(),
            )


def repair_links(db: apsw.Connection) -> list[int]:
    """Makes predecessors and heirs name each other; gives the records that were changed.

    A pointer to nothing goes. One that is not returned is completed where the other side is free
    and the heir the later record, else it goes. A loop is cut between its latest and earliest.
    """
    before = _pointers(db)
    now = dict(before)
    for key, (old, new) in before.items():
        now[key] = (old if old in before else None, new if new in before else None)
    for key in sorted(now):
        heir = now[key][1]
        if heir is None or now[heir][0] == key:
            continue
        if now[heir][0] is None and heir > key:
            now[heir] = (key, now[heir][1])
        else:
            now[key] = (now[key][0], None)
    for key in sorted(now):
        old = now[key][0]
        if old is None or now[old][1] == key:
            continue
        if now[old][1] is None and old < key:
            now[old] = (now[old][0], key)
        else:
            now[key] = (None, now[key][1])
    changed = [key for key in sorted(now) if now[key] != before[key]]
    for key in changed:
        memories.set_fields(db, key, supersedes=now[key][0], superseded_by=now[key][1])
    while loop := link_cycles(db):
        first = loop[0]
        old = _pointers(db)[first][0]
        memories.set_fields(db, first, supersedes=None)
        if old is not None:
            memories.set_fields(db, old, superseded_by=None)
        changed += [first, *([old] if old is not None else [])]
    return sorted(set(changed))


def _pointers(db: apsw.Connection) -> dict[int, tuple[int | None, int | None]]:
    return {a: (b, c) for a, b, c in rows(db, "SELECT id, supersedes, superseded_by FROM memories")}


def _ids(db: apsw.Connection, query: str, args: Sequence[object] = ()) -> list[int]:
    return [int(row[0]) for row in rows(db, query, args)]
