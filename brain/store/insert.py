"""Insert: a record enters the file with all that belongs to it, words, passages, vectors, journal.

Short, and apart from ``memories``, because it needs every index and ``memories`` none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from brain.memory import Memory
from brain.store import fts, journal, memories
from brain.store.vectors import vector_index

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def put(
    db: apsw.Connection,
    table: str | None,
    record: memories.Record,
    spans: Sequence[tuple[int, int]],
    found: NDArray[np.float32] | None,
    why: str,
    *,
    index: bool = True,
) -> Memory:
    """Stores a record inside the caller's write transaction.

    Args:
        table: the vector table; None leaves the vectors to follow.
        spans: the text's passages as character ranges.
        found: a vector for each passage, (passages, dim), or None.
        why: kept in the journal.
        index: False leaves the words to the caller, who adds those of a whole batch at its end.
    """
    scope_id = memories.ensure_scope(db, record.scope)
    memory_id = memories.insert(db, record)
    if index:
        fts.add(db, memory_id, record.text, scope_id)
    passages = memories.add_passages(db, memory_id, spans)
    memory = memories.from_record(record, memory_id)
    if table is not None and found is not None:
        vector_index.add(db, table, passages, found, memory, scope_id)
    journal.write(db, record.recorded_at, memory_id, "add", why)
    return memory
