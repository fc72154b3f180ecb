"""How records replace, end and change: each function runs inside the caller's transaction."""

from __future__ import annotations

import apsw

from brain.errors import EXIT_DATA, EXIT_NO, BrainError
from brain.memory import Memory
from brain.store import journal, memories, vectors

FILTERED = frozenset({"valid_from", "valid_to", "retracted_at", "archived_at"})
"""Columns that stand beside the vectors as well."""


def require(db: apsw.Connection, memory_id: int) -> Memory:
    """The record with this id. Raises ``brain_not_found`` (1)."""
    memory = memories.get(db, memory_id)
    if memory is None:
        raise BrainError("brain_not_found", f"没有编号为 #{memory_id} 的记忆。", EXIT_NO)
    return memory


def change(
    db: apsw.Connection,
    memory: Memory,
    at: str,
    what: str,
    why: str,
    **values: object,
) -> Memory:
    """Sets columns of a record, journals them before and after, and refreshes its vectors."""
    before = memory.to_dict()
    changed = {name: value for name, value in values.items() if before.get(name) != value}
    if not changed:
        return memory
    memories.set_fields(db, memory.id, **changed)
    after = require(db, memory.id)
    detail = {name: [before[name], getattr(after, name)] for name in changed}
    journal.write(db, at, memory.id, what, why, detail)
    if changed.keys() & FILTERED:
        vectors.refresh(db, after)
    return after


def require_current(memory: Memory) -> None:
    """Refuses a record that was replaced, retracted or archived (``brain_not_current``, 65)."""
    if memory.superseded_by is not None:
        raise BrainError(
            "brain_not_current",
            f"#{memory.id} 已被 #{memory.superseded_by} 取代；请改用 #{memory.superseded_by}。",
        )
    if memory.retracted_at is not None:
        raise BrainError("brain_not_current", f"#{memory.id} 已撤回，不能再取代它。")
    if memory.archived_at is not None:
        raise BrainError("brain_not_current", f"#{memory.id} 已归档，请先恢复它。")


def link(
    db: apsw.Connection,
    old: Memory,
    new: Memory,
    at: str,
    now: str,
    why: str,
) -> None:
    """Makes ``new`` take over from ``old`` at an instant: the world changed then.

    Raises:
        BrainError: ``brain_not_current`` when either side already has another partner,
            ``brain_supersede_self``, ``brain_supersede_same``, ``brain_supersede_loop``,
            ``brain_supersede_time`` (all 65).
    """
    if old.id == new.id:
        raise BrainError("brain_supersede_self", f"#{old.id} 不能取代它自己。")
    require_current(old)
    if new.supersedes is not None and new.supersedes != old.id:
        raise BrainError(
            "brain_not_current", f"#{new.id} 已经取代了 #{new.supersedes}，不能再取代 #{old.id}。"
        )
    require_current(new)
    if old.content_hash == new.content_hash:
        raise BrainError("brain_supersede_same", f"新旧两条的内容相同，#{old.id} 没有变。")
    _refuse_loop(db, old, new)
    if old.valid_from is not None and at <= old.valid_from:
        raise BrainError(
            "brain_supersede_time",
            f"取代的时刻（{at}）不晚于 #{old.id} 开始成立的时刻（{old.valid_from}）。",
        )
    if new.valid_to is not None and at >= new.valid_to:
        raise BrainError(
            "brain_supersede_time",
            f"取代的时刻（{at}）不早于 #{new.id} 结束的时刻（{new.valid_to}）。",
            EXIT_DATA,
        )
    ends = at if old.valid_to is None else min(at, old.valid_to)
    change(db, old, now, "superseded", why, valid_to=ends, superseded_by=new.id)
    change(db, new, now, "supersedes", why, valid_from=at, supersedes=old.id)


def _refuse_loop(db: apsw.Connection, old: Memory, new: Memory) -> None:
    ancestor = old.supersedes
    while ancestor is not None:
        if ancestor == new.id:
            raise BrainError(
                "brain_supersede_loop", f"#{new.id} 是 #{old.id} 的旧版，不能反过来取代它。"
            )
        ancestor = require(db, ancestor).supersedes
