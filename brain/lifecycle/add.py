"""Add with deduplication: what only repeats a record gives that one's id back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from brain.lifecycle import lineage
from brain.memory import AddResult, Memory
from brain.store import fts, insert, memories
from brain.store.memories import Record
from brain.store.vectors import vector_index

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction

    Prepared = tuple[Record, Sequence[tuple[int, int]], NDArray[np.float32] | None]


def add(
    db: Transaction, table: str | None, prepared: Iterable[Prepared], why: str, seen: str
) -> list[AddResult]:
    """Stores a batch inside the caller's write transaction.

    Args:
        table: the vector table, or None to store no vectors.
        prepared: records, each with its passages and their vectors.
        why: kept in the journal.
        seen: UTC ISO; what is current then is not stored again.
    """
    out: list[AddResult] = []
    stored: list[Memory] = []
    ready: list[tuple[Memory, NDArray[np.float32]]] = []
    for record, spans, found in prepared:
        same = lineage.find_duplicate(db, record, seen)
        if same is not None:
            out.append(AddResult(same.id, False))
            continue
        new = insert.put(db, None, record, spans, None, why, index=False)
        stored.append(new)
        if found is not None:
            ready.append((new, found))
        out.append(AddResult(new.id, True))
    if table is not None:
        vector_index.add_several(db, table, ready)
    # All at the end: each statement on another table makes FTS5 write what it has gathered.
    for memory in stored:
        fts.add(db, memory.id, memory.text, memories.ensure_scope(db, memory.scope))
    if stored:
        fts.merge_some(db, len(stored))
    return out


def add_unindexed(
    db: Transaction, record: Record, spans: Sequence[tuple[int, int]], seen: str
) -> AddResult:
    """Stores a record whose words and vectors are to follow, or finds the one that says it.

    Args:
        seen: as for :func:`add`.
    """
    same = lineage.find_duplicate(db, record, seen)
    if same is not None:
        return AddResult(same.id, False)
    return AddResult(insert.put(db, None, record, spans, None, "", index=False).id, True)
