"""Supersede, correct, expire, retract: a record replaced or ended; a repeat changes nothing.

Each function runs inside the caller's write transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import sleep
from typing import TYPE_CHECKING

from brain.errors import BrainError
from brain.lifecycle import lineage
from brain.memory import Memory
from brain.results import CorrectResult, SupersedeResult
from brain.store import journal
from brain.store.memories import Record
from brain.text.timestamps import local_time, now_utc, to_iso

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

Put = Callable[[Record], Memory]
"""Stores a record with its words, passages and vectors."""

_TRIES = 20
_TRY_S = 0.0002
"""Seconds between two looks at the clock; a clock that stands still is not waited for."""


def clock_after(record: Memory | None) -> datetime:
    """The clock's time, the next millisecond's where the record began in this one.

    Times are kept to the millisecond, and storing takes less: what was told just now may end.
    """
    for _ in range(_TRIES):
        moment = now_utc()
        if record is None or record.valid_from != to_iso(moment):
            break
        sleep(_TRY_S)
    return moment


def supersede(
    db: Transaction, old_id: int, new_id: int, given: str | None, now: str, why: str
) -> SupersedeResult:
    """Lets a record that is there take over from another.

    Args:
        given: the instant of the change, UTC ISO; None as for :func:`lineage.take_over`.
        now: UTC ISO.

    Raises:
        BrainError: ``brain_not_found`` (1); those of :func:`lineage.link` (65).
    """
    journal.check_reason(why)
    before = lineage.require(db, old_id)
    after = lineage.require(db, new_id)
    if before.superseded_by == new_id and not lineage.was_corrected(before, after):
        lineage.require_same_instant(after, given)
        return SupersedeResult(old_id, new_id, str(after.valid_from))
    instant = lineage.take_over(db, before, after, given, now, why)
    return SupersedeResult(old_id, new_id, instant)


def supersede_with(
    db: Transaction,
    old_id: int,
    text: str,
    source: str,
    put: Put,
    given: str | None,
    now: str,
    why: str,
) -> SupersedeResult:
    """As :func:`supersede`, by a record made from a text or one beside that already says it.

    Args:
        source: of a record that is made.
    """
    journal.check_reason(why)
    before = lineage.require(db, old_id)
    heir = lineage.existing_successor(db, before, text, corrected=False)
    if heir is not None:
        lineage.require_same_instant(heir, given)
        return SupersedeResult(old_id, heir.id, str(heir.valid_from))
    lineage.require_replaceable(db, before, text, "取代")
    after = lineage.find_restatement(db, before, text, now)
    if after is not None:
        instant = lineage.take_over(db, before, after, given, now, why)
        return SupersedeResult(old_id, after.id, instant)
    new = put(lineage.replacement(before, text, source, now, valid_from=now))
    lineage.link(db, before, new, given or now, now, why)
    return SupersedeResult(old_id, new.id, given or now)


def correct_with(
    db: Transaction, old_id: int, text: str, source: str, put: Put, now: str, why: str
) -> CorrectResult:
    """Lets a text stand where a record was wrong: a new record, or one beside that says it.

    Args:
        source: of a record that is made.
        now: UTC ISO.

    Raises:
        BrainError: ``brain_not_found`` (1); ``brain_not_current``, ``brain_supersede_same`` (65).
    """
    journal.check_reason(why)
    before = lineage.require(db, old_id)
    heir = lineage.existing_successor(db, before, text, corrected=True)
    if heir is not None:
        return CorrectResult(old_id, heir.id)
    lineage.require_replaceable(db, before, text, "更正")
    new = lineage.find_restatement(db, before, text, now)
    if new is None:
        new = put(lineage.replacement(before, text, source, now, valid_from=before.valid_from))
    lineage.correct(db, before, new, now, why)
    return CorrectResult(old_id, new.id)


def expire(
    db: Transaction, memory_id: int, at: str | None, now: str, why: str, force: bool
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


def retract(db: Transaction, memory_id: int, now: str, why: str, force: bool) -> Memory:
    """Takes a record out of what is believed; twice changes nothing.

    Args:
        now: UTC ISO.
        force: do it to a pinned record as well.

    Raises:
        BrainError: ``brain_not_found`` (1), ``brain_pinned`` (65).
    """
    journal.check_reason(why)
    memory = lineage.require(db, memory_id)
    if memory.retracted_at is not None:
        return memory
    lineage.require_unpinned(memory, "撤回", force)
    return lineage.change(db, memory, now, "retract", why, retracted_at=now)
