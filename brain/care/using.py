"""What being used does: a memory that ``inject`` put into a prompt gets a little stronger.

Uses come from a log (:mod:`brain.store.uses`) and are applied by decay. Of a day one use counts,
however often a memory came up: counting every retrieval would entrench what is on top already.
"""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from brain.memory import Memory
from brain.store import memories
from brain.time import lineage

USE_SHARE = 0.05
"""The share of the way to full strength that a day of use goes; the linear rule of
:mod:`brain.care.feedback`, a quarter of what saying ``useful`` does."""

MOST_DAYS = 7
"""Days of use that strengthen in one run of decay."""


def counted(memory: Memory, days: Mapping[str, str], at: str) -> dict[str, object]:
    """What the uses of some days change of a record; nothing when they were counted before.

    Args:
        days: day (UTC) → last use on it, UTC ISO.
        at: the instant of the run, UTC ISO; days after it are a wrong clock's.
    """
    known = (memory.last_used_at or "")[:10]
    fresh = sorted(day for day in days if known < day <= at[:10])
    if not fresh or not is_current(memory):
        return {}
    strength = memory.strength
    for _ in fresh[:MOST_DAYS]:
        strength += USE_SHARE * (1.0 - strength)
    return {
        "strength": strength,
        "use_count": memory.use_count + len(fresh),
        "last_used_at": days[fresh[-1]],
    }


def is_current(memory: Memory) -> bool:
    """Whether a record takes part in decay: neither replaced, retracted nor archived."""
    return memory.superseded_by is None and not (memory.retracted_at or memory.archived_at)


def apply(db: apsw.Connection, uses: Mapping[int, Mapping[str, str]], at: str) -> int:
    """Stores what uses change, journaled as ``use`` at an instant (UTC ISO).

    Returns:
        How many records it was.
    """
    done = 0
    found = memories.get_many(db, uses)
    for memory_id in sorted(found):
        changes = counted(found[memory_id], uses[memory_id], at)
        if changes:
            lineage.change(db, found[memory_id], at, "use", "", **changes)
            done += 1
    return done
