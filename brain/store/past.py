"""How changed records stood at an earlier instant: a temporary table of one read transaction.

A record is in it when a column that decides whether a view shows it was changed after the instant.
:meth:`brain.store.view.View.where` then goes by its row here, for every other record by the
record's own. The table is gone when the transaction ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import apsw

from brain.store.sql import rows

COLUMNS = ("valid_from", "valid_to", "retracted_at", "archived_at", "superseded_by")
"""Columns that decide whether a view shows a record, or which record stands in for it."""


def today(db: apsw.Connection, ids: Sequence[int]) -> Iterator[tuple[int, dict[str, object]]]:
    """(id, today's values of ``COLUMNS``) of those ids that are in the file, in id order."""
    found = rows(
        db,
        f"SELECT id, {', '.join(COLUMNS)} FROM memories"
        " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(ids)),),
    )
    for row in found:
        yield row[0], dict(zip(COLUMNS, row[1:], strict=True))


def fill(db: apsw.Connection, stood: Iterable[tuple[int, dict[str, object]]]) -> None:
    """Makes the table. Call inside a transaction that is rolled back.

    Args:
        stood: (id, values of ``COLUMNS`` at the instant).
    """
    # A reader's connection refuses every write; this one is to memory of its own.
    guarded = db.pragma("query_only")
    db.pragma("query_only", "OFF")
    try:
        _fill(db, stood)
    finally:
        db.pragma("query_only", "ON" if guarded else "OFF")


def _fill(db: apsw.Connection, stood: Iterable[tuple[int, dict[str, object]]]) -> None:
    db.execute("DROP TABLE IF EXISTS temp.past")
    db.execute(
        "CREATE TEMP TABLE past (id INTEGER PRIMARY KEY, valid_from TEXT, valid_to TEXT,"
        " retracted_at TEXT, archived_at TEXT, superseded_by INTEGER)"
    )
    db.execute("CREATE INDEX temp.past_by_start ON past (valid_from)")
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    db.executemany(
        f"INSERT INTO temp.past (id, {', '.join(COLUMNS)}) VALUES ({marks})",
        ((i, *(values[name] for name in COLUMNS)) for i, values in stood),
    )
