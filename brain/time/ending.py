"""Records that hold no longer, or are no longer believed; inside the caller's transaction."""

from __future__ import annotations

import apsw

from brain.errors import BrainError
from brain.memory import Memory
from brain.text.times import local_time
from brain.time import lineage


def expire(
    db: apsw.Connection, memory_id: int, at: str | None, now: str, why: str, force: bool
) -> Memory:
    """Ends a record's valid time.

    Args:
        at: UTC ISO; None is ``now``, and then what is over already stays as it is.
        now: UTC ISO.
        force: do it to a pinned record as well.

    Raises:
        BrainError: ``brain_not_found`` (1); ``brain_pinned``, ``brain_not_current``,
            ``brain_valid_range`` (65).
    """
    instant = at or now
    memory = lineage.require(db, memory_id)
    lineage.require_unpinned(memory, "到期", force)
    if memory.superseded_by is not None:
        lineage.require_current(db, memory)
    if at is None and memory.valid_to is not None and memory.valid_to <= instant:
        return memory
    if memory.valid_from is not None and instant <= memory.valid_from:
        raise BrainError(
            "brain_valid_range",
            f"结束的时刻（{local_time(instant)}）必须晚于 #{memory.id} 开始的时刻"
            f"（{local_time(memory.valid_from)}）。",
        )
    return lineage.change(db, memory, now, "expire", why, valid_to=instant)


def retract(db: apsw.Connection, memory_id: int, now: str, why: str, force: bool) -> Memory:
    """Takes a record out of what is believed; twice changes nothing.

    Args:
        now: UTC ISO.
        force: do it to a pinned record as well.

    Raises:
        BrainError: ``brain_not_found`` (1), ``brain_pinned`` (65).
    """
    memory = lineage.require(db, memory_id)
    if memory.retracted_at is not None:
        return memory
    lineage.require_unpinned(memory, "撤回", force)
    return lineage.change(db, memory, now, "retract", why, retracted_at=now)
