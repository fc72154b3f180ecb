"""Lineage (version chain): how records replace each other, change and return.

Each function runs inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from brain.errors import EXIT_DATA, EXIT_IO, EXIT_NO, BrainError
from brain.memory import Memory, content_hash, default_confidence
from brain.store import journal, memories
from brain.store.memories import Record
from brain.store.vectors import vector_index
from brain.text.timestamps import local_time

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

FILTERED = frozenset({"valid_from", "valid_to", "retracted_at", "archived_at"})
"""Columns that stand beside the vectors as well."""

CHANGED_AT_SOURCE = "来源里改了"
"""Why a record that was read in has made room for another that was read in the same place."""


def require(db: Transaction, memory_id: int) -> Memory:
    """The record with this id. Raises ``brain_not_found`` (1)."""
    memory = memories.get(db, memory_id)
    if memory is not None:
        return memory
    gone = journal.forgotten_at(db, memory_id)
    told = f"没有编号为 #{memory_id} 的记忆。"
    if gone is not None:
        told = f"#{memory_id} 已经遗忘（{local_time(gone)}）。"
    raise BrainError("brain_not_found", told, EXIT_NO)


def change(
    db: Transaction,
    memory: Memory,
    at: str,
    what: str,
    why: str,
    **values: object,
) -> Memory:
    """Sets columns of a record, or its tags (a list), journals them before and after, and refreshes
    its vectors.

    Raises:
        BrainError: ``brain_why_invalid``, ``brain_secret`` (65), also where nothing changes.
    """
    journal.check_reason(why)
    before = memory.to_dict()
    changed = {name: value for name, value in values.items() if before.get(name) != value}
    if not changed:
        return memory
    columns = {name: value for name, value in changed.items() if name != "tags"}
    if columns:
        memories.set_fields(db, memory.id, **columns)
    if len(columns) < len(changed):
        memories.set_tags(db, memory.id, cast(list[str], changed["tags"]))
    after = require(db, memory.id)
    now = after.to_dict()
    detail = {name: [before[name], now[name]] for name in changed}
    journal.write(db, at, memory.id, what, why, detail)
    if changed.keys() & FILTERED:
        vector_index.refresh(db, after)
    return after


def require_unpinned(memory: Memory, deed: str, force: bool) -> None:
    """Refuses to take away a pinned record (``brain_pinned``, 65) unless ``force``.

    Args:
        deed: what is about to be done, as a Chinese verb.
    """
    if memory.pinned and not force:
        raise BrainError("brain_pinned", f"#{memory.id} 已钉住，没有{deed}。", override="force")


def require_current(db: Transaction, memory: Memory, deed: str = "取代") -> None:
    """Refuses a record that was replaced, retracted or archived (``brain_not_current``, 65).

    Args:
        deed: what is about to be done to it, as a Chinese verb.
    """
    if memory.superseded_by is not None:
        how = "更正" if corrected(db, [memory]) else "取代"
        raise BrainError(
            "brain_not_current",
            f"#{memory.id} 已被 #{memory.superseded_by} {how}；请改用 #{memory.superseded_by}。",
        )
    if memory.retracted_at is not None:
        raise BrainError("brain_not_current", f"#{memory.id} 已撤回，不能再{deed}它。")
    if memory.archived_at is not None:
        raise BrainError("brain_not_current", f"#{memory.id} 已归档，请先恢复它。")


def link(
    db: Transaction,
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
    require_current(db, old)
    if new.supersedes is not None and new.supersedes != old.id:
        raise BrainError(
            "brain_not_current", f"#{new.id} 已经取代了 #{new.supersedes}，不能再取代 #{old.id}。"
        )
    require_current(db, new)
    if old.content_hash == new.content_hash:
        raise BrainError("brain_supersede_same", f"新旧两条的内容相同，#{old.id} 没有变。")
    _refuse_loop(db, old, new)
    if old.valid_from is not None and at <= old.valid_from:
        raise BrainError(
            "brain_supersede_time",
            f"取代的时刻（{local_time(at)}）不晚于 #{old.id} 开始成立的时刻"
            f"（{local_time(old.valid_from)}）。",
        )
    if new.valid_to is not None and at >= new.valid_to:
        raise BrainError(
            "brain_supersede_time",
            f"取代的时刻（{local_time(at)}）不早于 #{new.id} 结束的时刻"
            f"（{local_time(new.valid_to)}）。",
            EXIT_DATA,
        )
    ends = at if old.valid_to is None else min(at, old.valid_to)
    change(db, old, now, "superseded", why, valid_to=ends, superseded_by=new.id)
    change(db, new, now, "supersedes", why, valid_from=at, supersedes=old.id)


def existing_successor(
    db: Transaction, old: Memory, text: str, *, corrected: bool
) -> Memory | None:
    """The record that took over from another, when its text is the one given and it did so the
    same way: the repeat of a change that was made."""
    if old.superseded_by is None:
        return None
    new = require(db, old.superseded_by)
    same = new.content_hash == content_hash(text)
    return new if same and was_corrected(old, new) == corrected else None


def was_corrected(old: Memory, new: Memory) -> bool:
    """Whether an heir took over the very time of a record; one that superseded it begins after."""
    starts_before_its_end = old.valid_to is None or (new.valid_from or "") < old.valid_to
    return old.retracted_at is not None and starts_before_its_end


def corrected(db: Transaction, records: Sequence[Memory]) -> frozenset[int]:
    """Which of some records, and of those they took over from, were corrected and not superseded.

    Returns:
        The ids of the wrong ones.
    """
    near = {m.id: m for m in records}
    linked = {link for m in records for link in (m.supersedes, m.superseded_by)} - near.keys()
    if linked - {None}:
        near |= memories.get_many(db, [i for i in linked if i is not None])
    return frozenset(
        old.id
        for old in near.values()
        if old.superseded_by in near and was_corrected(old, near[old.superseded_by])
    )


def find_duplicate(db: Transaction, record: Record, now: str) -> Memory | None:
    """The record that ``add`` would only repeat: the same text, kind and scope, believed, and

    - current, whatever time is given; or
    - holding at the future instant given as the start (a plan told twice); or
    - with the very start that is given: something known to have ended is not news again.

    Args:
        now: UTC ISO; what is current then.
    """
    explicit = record.valid_from != record.recorded_at
    found: Memory | None = None
    for memory in memories.with_content(db, record.text, record.kind, record.scope):
        if _holds(memory, now):
            return memory
        planned = record.valid_from is not None and record.valid_from > now
        if explicit and (
            memory.valid_from == record.valid_from
            or (planned and _holds(memory, str(record.valid_from)))
        ):
            found = found or memory
    return found


def find_restatement(db: Transaction, old: Memory, text: str, now: str) -> Memory | None:
    """A record beside another that already says what is to replace it, now or from some day on."""
    for memory in memories.with_content(db, text, old.kind, old.scope):
        over = memory.valid_to is not None and memory.valid_to <= now
        if memory.superseded_by is None and not over:
            return memory
    return None


def _holds(memory: Memory, at: str) -> bool:
    begun = memory.valid_from is None or memory.valid_from <= at
    return begun and (memory.valid_to is None or memory.valid_to > at)


def require_replaceable(db: Transaction, old: Memory, text: str, deed: str) -> None:
    """Refuses to replace a record that is not current, or by what it says itself (65).

    Args:
        deed: as for :func:`require_current`.
    """
    require_current(db, old, deed)
    if old.content_hash == content_hash(text):
        raise BrainError("brain_supersede_same", f"新旧两条的内容相同，#{old.id} 没有变。")


def replacement(old: Memory, text: str, source: str, now: str, *, valid_from: str | None) -> Record:
    """What is to take over from a record: its kind, scope, tags, importance and pin, a text of its
    own.

    Its confidence is that of its source. It ends when the old one does where it begins with it,
    as a correction does; what the world changed to has no end yet.
    """
    return Record(
        text=text,
        kind=old.kind,
        scope=old.scope,
        source=source,
        importance=old.importance,
        confidence=default_confidence(source),
        pinned=old.pinned,
        valid_from=valid_from,
        valid_to=old.valid_to if valid_from == old.valid_from else None,
        recorded_at=now,
        tags=old.tags,
    )


def correct(db: Transaction, old: Memory, new: Memory, now: str, why: str) -> None:
    """Makes ``new`` stand where ``old`` was wrong: it holds for all of the old one's time.

    One made for this has that time already; one that was there before keeps its own beside it.

    Raises:
        BrainError: ``brain_not_current`` when ``new`` has replaced another record (65).
    """
    if new.supersedes is not None:
        raise BrainError(
            "brain_not_current",
            f"#{new.id} 说的正是这句，而它已经取代了 #{new.supersedes}；"
            f"请改用 retract {old.id} 撤回 #{old.id}。",
        )
    open_start = old.valid_from is None or new.valid_from is None
    open_end = old.valid_to is None or new.valid_to is None
    change(db, old, now, "corrected", why, retracted_at=now, superseded_by=new.id)
    change(
        db,
        new,
        now,
        "corrects",
        why,
        valid_from=None if open_start else min(str(old.valid_from), str(new.valid_from)),
        valid_to=None if open_end else max(str(old.valid_to), str(new.valid_to)),
        supersedes=old.id,
    )


def restore(db: Transaction, memory: Memory, now: str, why: str) -> Memory:
    """Believes a retracted record again, takes an archived one back; its valid time stays.

    What replaced it as a correction and was itself retracted is let go.

    Raises:
        BrainError: ``brain_not_current`` (65) for one whose correction is still believed,
            ``brain_duplicate`` (65) when another current record says the same.
    """
    journal.check_reason(why)
    if memory.retracted_at is None and memory.archived_at is None:
        return memory
    values: dict[str, object] = {"retracted_at": None, "archived_at": None}
    if memory.superseded_by is not None:
        first = require(db, memory.superseded_by)
        if was_corrected(memory, first):
            _refuse_living(db, memory, first)
            values["superseded_by"] = None
            change(db, first, now, "unlink", why, supersedes=None)
    for other in memories.with_content(db, memory.text, memory.kind, memory.scope):
        if other.id != memory.id and _holds(other, now) and _holds(memory, now):
            raise BrainError(
                "brain_duplicate", f"#{other.id} 说的就是这句，不用恢复 #{memory.id}。"
            )
    return change(db, memory, now, "restore", why, **values)


def _refuse_living(db: Transaction, memory: Memory, first: Memory) -> None:
    for later in (first, *successors(db, first)):
        if later.retracted_at is None:
            raise BrainError(
                "brain_not_current",
                f"#{memory.id} 已更正为 #{later.id}；要改回来，"
                f"请对 #{later.id} 用 correct，或先 retract {later.id}。",
            )


def successors(db: Transaction, memory: Memory) -> list[Memory]:
    """The records that took over one after the other, the next one first.

    Raises:
        BrainError: ``brain_lineage_broken`` (74) where links run in a circle or point one way only.
    """
    return _line(db, memory, "superseded_by", "supersedes")


def predecessors(db: Transaction, memory: Memory) -> list[Memory]:
    """The records it goes back to, the nearest first. Raises as :func:`successors` does."""
    return _line(db, memory, "supersedes", "superseded_by")


def _line(db: Transaction, memory: Memory, onward: str, back: str) -> list[Memory]:
    out: list[Memory] = []
    seen = {memory.id}
    here = memory
    while (following := getattr(here, onward)) is not None:
        found = memories.get(db, following)
        if found is None or found.id in seen or getattr(found, back) != here.id:
            raise BrainError(
                "brain_lineage_broken",
                f"#{here.id} 和 #{following} 的取代关系对不上；请先备份，再运行 brain doctor。",
                EXIT_IO,
            )
        seen.add(found.id)
        out.append(found)
        here = found
    return out


def take_over(
    db: Transaction, old: Memory, new: Memory, given: str | None, now: str, why: str
) -> str:
    """As :func:`link`, at the instant given, else the new record's explicit start, else now.

    Returns:
        That instant.
    """
    explicit = new.valid_from if new.valid_from != new.recorded_at else None
    at = given or explicit or now
    link(db, old, new, at, now, why)
    return at


def require_same_instant(heir: Memory, given: str | None) -> None:
    """Refuses to repeat a replacement at another instant (``brain_supersede_time``, 65)."""
    if given is not None and given != heir.valid_from:
        since = "一直" if heir.valid_from is None else local_time(heir.valid_from)
        raise BrainError(
            "brain_supersede_time",
            f"#{heir.supersedes} 已被 #{heir.id} 取代（{since}），"
            f"时刻没有改成 {local_time(given)}。",
        )


def _refuse_loop(db: Transaction, old: Memory, new: Memory) -> None:
    if any(ancestor.id == new.id for ancestor in predecessors(db, old)):
        raise BrainError(
            "brain_supersede_loop", f"#{new.id} 是 #{old.id} 的旧版，不能反过来取代它。"
        )
