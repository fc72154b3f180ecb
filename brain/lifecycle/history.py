"""Version history: the records that replaced each other, and what happened to them.

Short, and apart from ``lineage``, because nothing but ``history`` asks for it and it is cold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from brain.lifecycle import lineage
from brain.memory import Memory
from brain.results import History, HistoryEvent
from brain.store import journal, memories
from brain.store.journal import Event

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

_LINKS = ("supersedes", "superseded_by")


def trace(db: Transaction, memory: Memory) -> History:
    """The whole line a record belongs to, oldest first, and its events in the order they happened.

    Events of a forgotten record that stood in between are told too.

    Raises:
        BrainError: ``brain_lineage_broken`` (74).
    """
    line = [*reversed(lineage.predecessors(db, memory)), memory, *lineage.successors(db, memory)]
    ids = [m.id for m in line]
    events = journal.entries_of(db, ids)
    gone = _forgotten(db, events, ids)
    if gone:
        events = journal.entries_of(db, [*ids, *gone])
    told = [HistoryEvent(e.at, e.what, e.why, e.memory_id, e.detail) for e in events]
    return History(tuple(line), tuple(sorted(told, key=lambda e: e.at)))


def _forgotten(db: Transaction, events: Sequence[Event], known: Sequence[int]) -> list[int]:
    """Ids that links were once made to and that are not in the file any more."""
    named = {
        side
        for event in events
        for link in _LINKS
        for side in event.detail.get(link, ())
        if side is not None
    }
    others = sorted(named - set(known))
    there = memories.get_many(db, others)
    return [i for i in others if i not in there]
