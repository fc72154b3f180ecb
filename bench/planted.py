"""Faults planted inside a transaction, for the health probe to find; each breaks one thing."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import apsw

from brain.store import fts, memories
from brain.store.sql import one, rows


def _some(db: apsw.Connection, chance: random.Random, where: str = "1") -> int:
    """A current record by chance."""
    found = rows(
        db,
        "SELECT id FROM memories WHERE retracted_at IS NULL AND archived_at IS NULL"
        f" AND superseded_by IS NULL AND valid_to IS NULL AND {where} ORDER BY id",
    )
    return int(chance.choice(found)[0])


def _passage(db: apsw.Connection, memory_id: int) -> int:
    return int(one(db, "SELECT min(id) FROM passages WHERE memory_id = ?", (memory_id,)))


def grams_emptied(db: apsw.Connection, table: str, chance: random.Random) -> None:
    db.execute("INSERT INTO grams (grams) VALUES ('delete-all')")


def trigrams_emptied(db: apsw.Connection, table: str, chance: random.Random) -> None:
    db.execute("INSERT INTO trigrams (trigrams) VALUES ('delete-all')")


def index_row_gone(db: apsw.Connection, table: str, chance: random.Random) -> None:
    memory = memories.get(db, _some(db, chance))
    assert memory is not None
    fts.remove(db, memory.id, memory.text, memories.ensure_scope(db, memory.scope))


def words_of_another(db: apsw.Connection, table: str, chance: random.Random) -> None:
    memory = memories.get(db, _some(db, chance))
    assert memory is not None
    scope = memories.ensure_scope(db, memory.scope)
    fts.remove(db, memory.id, memory.text, scope)
    fts.add(db, memory.id, "别的话，一个字也不一样", scope)


def vector_dropped(db: apsw.Connection, table: str, chance: random.Random) -> None:
    db.execute(f"DELETE FROM {table} WHERE id = ?", (_passage(db, _some(db, chance)),))


def vector_zeroed(db: apsw.Connection, table: str, chance: random.Random) -> None:
    db.execute(
        f"UPDATE {table} SET embedding = zeroblob(length(embedding)) WHERE id = ?",
        (_passage(db, _some(db, chance)),),
    )


def vectors_hidden(db: apsw.Connection, table: str, chance: random.Random) -> None:
    """The filters beside the vectors are blank: no view shows any."""
    db.execute(f"UPDATE {table}_slots SET data = zeroblob(length(data))")
    db.execute(f"UPDATE {table}_blocks SET token = random()")


def chain_cut(db: apsw.Connection, table: str, chance: random.Random) -> None:
    old = rows(db, "SELECT id FROM memories WHERE superseded_by IS NOT NULL ORDER BY id")
    memories.set_fields(db, int(chance.choice(old)[0]), superseded_by=None)


def chain_looped(db: apsw.Connection, table: str, chance: random.Random) -> None:
    pairs = rows(
        db, "SELECT id, superseded_by FROM memories WHERE superseded_by IS NOT NULL ORDER BY id"
    )
    old, new = chance.choice(pairs)
    memories.set_fields(db, old, supersedes=new)
    memories.set_fields(db, new, superseded_by=old)


def original_damaged(db: apsw.Connection, table: str, chance: random.Random) -> None:
    handles = rows(db, "SELECT handle FROM ccr ORDER BY handle")
    db.execute(
        "UPDATE ccr SET original = CAST(original || 'x' AS BLOB) WHERE handle = ?",
        chance.choice(handles),
    )


def text_changed(db: apsw.Connection, table: str, chance: random.Random) -> None:
    db.execute("UPDATE memories SET text = text || '不' WHERE id = ?", (_some(db, chance),))


def record_lost(db: apsw.Connection, table: str, chance: random.Random) -> None:
    """With its rows in both indexes, so that only the number of records tells."""
    memory = memories.get(db, _some(db, chance, "supersedes IS NULL"))
    assert memory is not None
    fts.remove(db, memory.id, memory.text, memories.ensure_scope(db, memory.scope))
    memories.delete(db, memory.id)


def passages_lost(db: apsw.Connection, table: str, chance: random.Random) -> None:
    db.execute("DELETE FROM passages WHERE memory_id = ?", (_some(db, chance),))


FAULTS: Mapping[str, Callable[[apsw.Connection, str, random.Random], None]] = {
    "the gram lane emptied": grams_emptied,
    "the trigram lane emptied": trigrams_emptied,
    "a row of the index gone": index_row_gone,
    "a record under the words of another": words_of_another,
    "a vector dropped": vector_dropped,
    "a vector zeroed": vector_zeroed,
    "every vector hidden by its filters": vectors_hidden,
    "a chain cut": chain_cut,
    "a chain in a loop": chain_looped,
    "an original damaged": original_damaged,
    "a text changed": text_changed,
    "a record lost": record_lost,
    "a record's passages lost": passages_lost,
}
"""What is planted, by what a report calls it."""
