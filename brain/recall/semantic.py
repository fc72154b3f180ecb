"""The semantic lane: nearest passages by cosine similarity, one place a memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from brain.store import memories
from brain.store.vectors import vector_index
from brain.store.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction


class Near(NamedTuple):
    """A candidate of the lane: its nearest passage and the cosine similarity to it."""

    id: int
    passage: int
    similarity: float


def lane(
    db: Transaction,
    table: str,
    vector: NDArray[np.float32],
    view: View,
    scope_ids: Sequence[int] | None,
    limit: int,
) -> tuple[Near, ...]:
    """The nearest visible memories, nearest first.

    Args:
        table: the file's vector table.
        vector: the embedded query, (dim,), unit length.
        limit: how many passages the scan returns.
    """
    packed = vector.tobytes()
    if view.tags:
        # The index knows no tags: the few that have them are measured one by one.
        shown = memories.tagged(db, view)
        among = vector_index.nearest_among(db, table, packed, shown, limit)
        return tuple(Near(m, passage, near) for m, (near, passage) in among.items())
    rows = vector_index.search(db, table, packed, view, scope_ids, limit)
    return tuple(Near(memory_id, passage, similarity) for memory_id, passage, similarity in rows)


def lifted(near: Sequence[Near], foreign: Collection[int], lift: float) -> tuple[Near, ...]:
    """The lane with some memories' similarities raised; nearest first, ties by id."""
    if not foreign:
        return tuple(near)
    raised = (n._replace(similarity=n.similarity + lift) if n.id in foreign else n for n in near)
    return tuple(sorted(raised, key=lambda n: (-n.similarity, n.id)))
