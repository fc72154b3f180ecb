"""Savepoints and sums for the health probe: what is tried and undone inside a transaction.

What the probe asks of the lanes it asks of the modules the lanes use; here is only what no other
module counts, and the undoing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from brain.store import claims, fts, links, observations
from brain.store.sql import one, rows
from brain.store.vectors import blocks, vector_index


@dataclass(frozen=True, slots=True)
class Sums:
    """How much of everything a file holds.

    Args:
        records, grams, trigrams: records, and rows of each text index.
        bare: records without a passage.
        passages: all of them; ``strays``: those of no record.
        vectors: rows of the vector table; ``coded``: what its blocks say they hold.
        originals, links: kept originals; observations of what came of a decision.
        claims: what of the records can be looked at; ``described``: what originals are.
        loose: rows of those two that belong to nothing or are not sound.
    """

    records: int
    grams: int
    trigrams: int
    bare: int
    passages: int
    strays: int
    vectors: int
    coded: int
    originals: int
    links: int
    claims: int
    described: int
    loose: int


def vector_counts(db: apsw.Connection, table: str | None) -> tuple[int, int]:
    """(vectors that are stored, vectors that are registered as searched)."""
    if table is None or not is_searched(db, table):
        return 0, 0
    return _count(db, table), blocks.filled(db, table)


def sums(db: apsw.Connection, table: str | None) -> Sums:
    """Counts what is in a file.

    Args:
        table: the vector table; None where there is none.
    """
    looked_at = db.table_exists(None, "claims") and db.table_exists(None, "observations")
    stored, registered = vector_counts(db, table)
    return Sums(
        records=_count(db, "memories"),
        grams=_count(db, f"{fts.GRAMS}_docsize"),
        trigrams=_count(db, f"{fts.TRIGRAMS}_docsize"),
        bare=int(
            one(
                db,
                "SELECT count(*) FROM memories m WHERE NOT EXISTS"
                " (SELECT 1 FROM passages p WHERE p.memory_id = m.id)",
            )
        ),
        passages=_count(db, "passages"),
        strays=int(
            one(
                db,
                "SELECT count(*) FROM passages p WHERE NOT EXISTS"
                " (SELECT 1 FROM memories m WHERE m.id = p.memory_id)",
            )
        ),
        vectors=stored,
        coded=registered,
        originals=_count(db, "ccr"),
        links=_count(db, "links") if links.there(db) else 0,
        claims=_count(db, "claims") if looked_at else 0,
        described=_count(db, "observations") if looked_at else 0,
        loose=len(claims.broken(db)) + len(observations.broken(db)) if looked_at else 0,
    )


def is_searched(db: apsw.Connection, table: str) -> bool:
    """Whether a vector table is there, with blocks beside it; that of schema 1 has none."""
    return vector_index.exists(db, table) and not vector_index.of_schema_1(db, table)


def _count(db: apsw.Connection, table: str) -> int:
    return int(one(db, f"SELECT count(*) FROM {table}"))


def has_scope(db: apsw.Connection, name: str) -> int | None:
    """The number of a scope; None where it has none."""
    found = rows(db, "SELECT id FROM scopes WHERE name = ?", (name,))
    return int(found[0][0]) if found else None


@contextlib.contextmanager
def tried(db: apsw.Connection) -> Iterator[None]:
    """A block of a write transaction all of which is undone at its end."""
    db.execute("SAVEPOINT tried")
    try:
        yield
    finally:
        db.execute("ROLLBACK TO tried")
        db.execute("RELEASE tried")


@contextlib.contextmanager
def whole(db: apsw.Connection) -> Iterator[None]:
    """A block of a write transaction that is done whole or, on an exception, not at all."""
    db.execute("SAVEPOINT whole")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK TO whole")
        raise
    finally:
        if db.in_transaction:
            db.execute("RELEASE whole")
