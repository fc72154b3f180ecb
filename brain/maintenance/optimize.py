"""Optimize: text indexes, vector codes, statistics and log in order after much was stored.

Done in steps of their own transactions, so that nobody who writes meanwhile waits for long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain.maintenance import health_probe, stats
from brain.results import OptimizeResult
from brain.store import fts, memory_file
from brain.store.vectors import vector_index
from brain.text.timestamps import now_utc, to_iso

if TYPE_CHECKING:
    from brain.store.protocol import Store

PAGES = 256
"""Index pages merged in one transaction: some tens of milliseconds."""

BLOCKS = 8
"""Blocks of 1,024 codes taken anew in one transaction: some tens of milliseconds."""

SPARE = 4
"""A merge is given up after so many times the steps it needs: others write faster than it goes."""


def run(store: Store) -> OptimizeResult:
    """Merges each text index into one segment, re-centres the vector codes, merges the log.

    Codes are taken anew only where the vectors have another centre by now. Broken off, it goes on
    where it was the next time.

    Raises:
        BrainError: ``brain_probe_failed`` (74) where the file does not give back what it holds
            afterwards, ``brain_busy`` (75), and as :meth:`brain.store.memory_file.Store.write`.
    """
    bytes_before = stats.bytes_on_disk(store.path)
    segments_before = _segments(store)
    for index in (fts.GRAMS, fts.TRIGRAMS):
        _merge(store, index)
    coded = _recentre(store)
    with store.write() as db:
        memory_file.renew_statistics(db)
    merged = store.merge_log()
    with store.read() as db:
        found = health_probe.run(
            db, memory_file.facts(db), to_iso(now_utc()), vectors=store.vectors_loaded
        )
    health_probe.require(found, "整理已经做完，没有退回")
    return OptimizeResult(
        str(store.path),
        bytes_before,
        stats.bytes_on_disk(store.path),
        segments_before,
        _segments(store),
        coded,
        merged,
    )


def _merge(store: Store, index: str) -> None:
    with store.read() as db:
        steps = fts.pages(db, index) // PAGES + 1
    for _ in range(SPARE * steps):
        with store.write() as db:
            if not fts.merge(db, index, PAGES):
                return


def _recentre(store: Store) -> int:
    """Gives how many vectors' codes were taken anew."""
    with store.write() as db:
        tables = [
            table for table in vector_index.tables(db) if vector_index.is_quantized(db, table)
        ]
        for table in tables:
            vector_index.recentre(db, table)
        due = sum(vector_index.count_outdated(db, table) for table in tables)
    for table in tables:
        left = True
        while left:
            with store.write() as db:
                # A re-embedding may have ended meanwhile and taken its old table away.
                left = vector_index.exists(db, table) and vector_index.requantize(db, table, BLOCKS)
    return due


def _segments(store: Store) -> int:
    with store.read() as db:
        return sum(fts.segments(db, index) for index in (fts.GRAMS, fts.TRIGRAMS))
