"""Decay: what is neither used nor important fades, what is weak and idle is archived, and what the
use log says was used grows stronger.

A run goes through the file in short transactions, so that writers wait a fraction of a second at
most. What it has begun stands in ``meta``; a run that was killed is finished by the next one, each
record once. Every stretch of records leaves one journal entry with all that is needed to compute
their strengths again (:func:`brain.lifecycle.strength.decayed`); nothing is ever deleted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from brain.errors import EXIT_DATA, BrainError
from brain.lifecycle import lineage
from brain.lifecycle.strength import (
    ARCHIVE_BELOW,
    DAILY,
    IDLE_DAYS,
    KEEP_IMPORTANCE,
    days_between,
    decayed,
)
from brain.memory import PREFERENCE_KIND, SKILL_KIND, Memory
from brain.store import decay, journal, memories, meta, use_log
from brain.text.secrets.mask import masked, refuse
from brain.text.timestamps import from_iso, local_time, to_iso
from brain.validate import check_why

if TYPE_CHECKING:
    from brain.results import DecayedMemory, DecayResult
    from brain.store.protocol import Store, Transaction

STRETCH = 20_000
"""Ids that one transaction decays: about a quarter of a second on a slow machine."""

HANDFUL = 1000
"""Records that one transaction strengthens or archives, each with a journal entry of its own."""

PAUSE_SECONDS = 0.12
"""Rest between two transactions: a little more than SQLite's busy handler sleeps (0.1 s), so that
whoever waits for the lock gets it."""

KEPT_KINDS = (PREFERENCE_KIND, SKILL_KIND)
"""Never archived, as pinned records are not."""

MOST_DAYS = 100_000
"""Longest idle time that can be asked for, in days."""

USE_SHARE = 0.05
"""The share of the way to full strength that a day of use goes; the linear rule of
:mod:`brain.lifecycle.strength`, a quarter of what saying ``useful`` does."""

MOST_USE_DAYS = 7
"""Days of use that strengthen in one run of decay."""


JUMP_DAYS = 366
"""Days since the last run beyond which it is the clock that is doubted; issue 17, point 8."""

KEPT_DAYS = 31
"""A run over more days keeps what it changes for :mod:`brain.maintenance.decay_undo`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How fast strength fades and what is archived; the contract's numbers are the defaults.

    Args:
        daily: what is left of a strength after a day, in (0, 1].
        archive_below: strength under which an idle record is archived, in [0, 1].
        idle_days: days it must have been idle, in [0, ``MOST_DAYS``].
        keep_importance: importance from which a record is never archived, in [0, 1].

    Raises:
        BrainError: ``brain_decay_invalid`` (65) for a number out of its range.
    """

    daily: float = DAILY
    archive_below: float = ARCHIVE_BELOW
    idle_days: float = IDLE_DAYS
    keep_importance: float = KEEP_IMPORTANCE

    def __post_init__(self) -> None:
        if not (_within(self.daily, 1) and self.daily > 0):
            raise _invalid("每天剩下的比例（daily）应大于 0、不大于 1", self.daily)
        if not _within(self.archive_below, 1):
            raise _invalid("归档的强度（archive_below）应在 0 到 1 之间", self.archive_below)
        if not _within(self.idle_days, MOST_DAYS):
            raise _invalid(f"闲置的天数（idle_days）应在 0 到 {MOST_DAYS} 之间", self.idle_days)
        if not _within(self.keep_importance, 1):
            raise _invalid("保留的重要度（keep_importance）应在 0 到 1 之间", self.keep_importance)


def _within(value: float, most: float) -> bool:
    return isinstance(value, int | float) and 0 <= value <= most


def _invalid(told: str, value: object) -> BrainError:
    return BrainError("brain_decay_invalid", f"{told}，收到 {value}。")


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that has begun: from ``since`` to ``at``; ids up to ``done`` have been decayed."""

    at: str
    since: str | None
    rule: Rule
    why: str
    done: int = 0

    def strength(self, strength: float, importance: float, recorded_at: str) -> float:
        return decayed(
            strength, importance, recorded_at, self.since, self.at, float(self.rule.daily)
        )

    def detail(self) -> dict[str, Any]:
        rule = {f.name: getattr(self.rule, f.name) for f in fields(Rule)}
        return {"at": self.at, "since": self.since, **rule}

    def to_json(self) -> str:
        return json.dumps({**self.detail(), "why": self.why, "done": self.done})


def _read_run(noted: Any) -> _Run | None:
    if noted is None:
        return None
    try:
        facts = json.loads(noted)
        rule = Rule(**{f.name: facts[f.name] for f in fields(Rule)})
        return _Run(facts["at"], facts["since"], rule, facts["why"], int(facts["done"]))
    except (ValueError, KeyError, TypeError, BrainError):
        raise meta.UnreadableError("the note about a decay cannot be read") from None


def run(store: Store, rule: Rule, why: str, now: datetime, *, force: bool = False) -> DecayResult:
    """Decays every current record to an instant, and archives what is due.

    A broken run is finished first, by its own rule. An instant that is not after the last run's
    (the clock went back) changes nothing. A run over more than :data:`KEPT_DAYS` keeps what it
    changes, until the next.

    Args:
        why: kept in the journal.
        force: run though more than :data:`JUMP_DAYS` have passed since the last run.

    Raises:
        BrainError: ``brain_why_invalid``, ``brain_decay_jump`` (65); what a write raises.
    """
    from brain.results import DecayResult

    check_why(why)
    refuse(why, "原因")
    at = to_iso(now)
    result = DecayResult(0.0, 0, 0, (), (), None, at, False)
    first = True
    while (begun := _begin(store, rule, why, at, force)) is not None:
        if first:
            result = replace(result, days=_days(store, begun.since, at), since=begun.since)
            first = False
        used = _strengthen(store, at)
        changed = _fade(store, begun, at)
        archived = _archive(store, begun, at)
        _finish(store, begun)
        # A broken run and the one after it decay the same records: counted once.
        result = replace(
            result,
            decayed=max(result.decayed, changed),
            used=result.used + used,
            archived=result.archived + tuple(one.id for one in archived),
            records=result.records + archived,
        )
    if first:
        with store.read() as db:
            result = replace(result, since=meta.read(db).get(meta.LAST_DECAY))
    return result


def preview(store: Store, rule: Rule, now: datetime, *, force: bool = False) -> DecayResult:
    """What :func:`run` would do now; nothing is changed, and a read-only file will do.

    Raises:
        BrainError: as :func:`run`.
    """
    from brain.results import DecayResult

    at = to_iso(now)
    noted = use_log.waiting(store.path)
    with store.read() as db:
        facts = meta.read(db)
        last = facts.get(meta.LAST_DECAY)
        broken = _read_run(facts.get(meta.DECAY_RUN))
        runs = [] if broken is None else [broken]
        reached = last if broken is None else broken.at
        _refuse_jump(reached, at, force)
        if reached is None or at > reached:
            runs.append(_Run(at, reached, rule, ""))
        if not runs:
            return DecayResult(0.0, 0, 0, (), (), last, at, True)
        found = memories.get_many(db, noted)
        used = {i: strengthened(found[i], noted[i], at) for i in found}
        stronger = {i: float(str(c["strength"])) for i, c in used.items() if c}

        def after(memory_id: int, strength: float, importance: float, recorded_at: str) -> float:
            strength = stronger.get(memory_id, strength)
            for one in runs:
                if memory_id > one.done:
                    strength = one.strength(strength, importance, recorded_at)
            return strength

        changed = decay.would_fade(db, after)
        final = runs[-1]
        due = decay.due(db, after, *_conditions(final))
        since = runs[0].since
        days = days_between(since or decay.oldest(db) or at, at)
    limit = _idle_since(final)
    rests = tuple(
        _faded(one, final.at)
        for one in due
        if one.id not in stronger or str(used[one.id]["last_used_at"]) <= limit
    )
    ids = tuple(one.id for one in rests)
    return DecayResult(days, changed, len(stronger), ids, rests, since, at, True)


def _begin(store: Store, rule: Rule, why: str, at: str, force: bool) -> _Run | None:
    """The run to go on with, a new one, or None where no time has passed."""
    with store.write() as db:
        facts = meta.read(db)
        broken = _read_run(facts.get(meta.DECAY_RUN))
        last = facts.get(meta.LAST_DECAY)
        _refuse_jump(last if broken is None else broken.at, at, force)
        if broken is not None:
            return broken
        if last is not None and at <= last:
            return None
        begun = _Run(at, last, rule, why)
        decay.drop_kept(db)
        passed = days_between(last or decay.oldest(db) or at, at)
        note = json.dumps({"at": at, "since": last, "days": passed}) if passed > KEPT_DAYS else None
        meta.put(db, **{meta.DECAY_RUN: begun.to_json(), meta.DECAY_KEPT: note})
        return begun


def _refuse_jump(last: str | None, at: str, force: bool) -> None:
    """Refuses to decay over years at once: it is likelier that the clock is wrong.

    A first run has nothing to go by: what was read in from elsewhere is honestly old.
    """
    if last is None or force or days_between(last, at) <= JUMP_DAYS:
        return
    raise BrainError(
        "brain_decay_jump",
        f"离上次衰减（{local_time(last)}）有 {days_between(last, at):.0f} 天，超过 {JUMP_DAYS} 天，"
        "没有衰减：请先看看这台机器的时钟对不对。",
        EXIT_DATA,
        override="force",
    )


def kept_run(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """What ``meta`` says of the run that can be undone: ``at``, ``since`` and ``days``; None where
    there is none.

    Raises:
        UnreadableError: it cannot be read.
    """
    noted = facts.get(meta.DECAY_KEPT)
    if noted is None:
        return None
    try:
        found = json.loads(noted)
        return {"at": str(found["at"]), "since": found["since"], "days": float(found["days"])}
    except (ValueError, KeyError, TypeError):
        raise meta.UnreadableError("the note about a decay cannot be read") from None


def _is_kept(facts: Mapping[str, Any], begun: _Run) -> bool:
    noted = kept_run(facts)
    return noted is not None and noted["at"] == begun.at


def _days(store: Store, since: str | None, at: str) -> float:
    with store.read() as db:
        return days_between(since or decay.oldest(db) or at, at)


def _strengthen(store: Store, at: str) -> int:
    noted = use_log.take(store.path)
    done = 0
    for some in _handfuls(sorted(noted)):
        with store.write() as db:
            done += apply_uses(db, {i: noted[i] for i in some}, at)
    use_log.drop(store.path)
    return done


def _fade(store: Store, begun: _Run, now: str) -> int:
    """Decays stretch after stretch; another process may have taken some of them, or all."""

    def formula(_: int, strength: float, importance: float, recorded_at: str) -> float:
        return begun.strength(strength, importance, recorded_at)

    changed = 0
    while True:
        with store.write() as db:
            facts = meta.read(db)
            under_way = _read_run(facts.get(meta.DECAY_RUN))
            highest = memories.highest_id(db)
            if under_way is None or under_way.at != begun.at or under_way.done >= highest:
                return changed
            first, last = under_way.done + 1, min(under_way.done + STRETCH, highest)
            if _is_kept(facts, begun):
                decay.keep(db, first, last, formula)
            changed += decay.fade(db, first, last, formula)
            detail = {**begun.detail(), "first": first, "last": last}
            journal.write(db, now, None, "decay", begun.why, detail)
            meta.put(db, **{meta.DECAY_RUN: replace(under_way, done=last).to_json()})
        if last == highest:
            return changed
        time.sleep(PAUSE_SECONDS)


def _archive(store: Store, begun: _Run, now: str) -> tuple[DecayedMemory, ...]:
    with store.read() as db:
        due = decay.due(db, _as_stored, *_conditions(begun))
    out: list[DecayedMemory] = []
    for some in _handfuls([one.id for one in due]):
        with store.write() as db:
            facts = meta.read(db)
            under_way = _read_run(facts.get(meta.DECAY_RUN))
            if under_way is None or under_way.at != begun.at:
                break  # another process has finished it, or undone it
            kept = _is_kept(facts, begun)
            # Looked at again: it may have been used or changed since.
            for one in decay.due(db, _as_stored, *_conditions(begun), some):
                memory = lineage.require(db, one.id)
                if kept:
                    decay.keep_archived(db, one.id, one.strength, now)
                lineage.change(db, memory, now, "archive", begun.why, archived_at=now)
                out.append(_faded(one, begun.at))
    return tuple(out)


def _finish(store: Store, begun: _Run) -> None:
    with store.write() as db:
        under_way = _read_run(meta.read(db).get(meta.DECAY_RUN))
        if under_way is not None and under_way.at == begun.at:
            meta.put(db, **{meta.LAST_DECAY: begun.at, meta.DECAY_RUN: None})


def _as_stored(_: int, strength: float, importance: float, recorded_at: str) -> float:
    return strength


def _conditions(begun: _Run) -> tuple[float, str, float, tuple[str, str]]:
    rule = begun.rule
    return rule.archive_below, _idle_since(begun), rule.keep_importance, KEPT_KINDS


def _idle_since(begun: _Run) -> str:
    """The instant by which a record's rest must have begun."""
    try:
        return to_iso(from_iso(begun.at) - timedelta(days=begun.rule.idle_days))
    except OverflowError:
        return ""  # before the calendar begins: no record is that old


def _faded(one: decay.Due, at: str) -> DecayedMemory:
    from brain.results import DecayedMemory

    head = masked(one.head)[: decay.HEAD_CHARS]
    return DecayedMemory(one.id, head, one.strength, days_between(one.idle_since, at))


def _handfuls(ids: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), HANDFUL):
        if start:
            time.sleep(PAUSE_SECONDS)
        yield list(ids[start : start + HANDFUL])


def strengthened(memory: Memory, days: Mapping[str, str], at: str) -> dict[str, object]:
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
    for _ in fresh[:MOST_USE_DAYS]:
        strength += USE_SHARE * (1.0 - strength)
    return {
        "strength": strength,
        "use_count": memory.use_count + len(fresh),
        "last_used_at": days[fresh[-1]],
    }


def is_current(memory: Memory) -> bool:
    """Whether a record takes part in decay: neither replaced, retracted nor archived."""
    return memory.superseded_by is None and not (memory.retracted_at or memory.archived_at)


def apply_uses(db: Transaction, uses: Mapping[int, Mapping[str, str]], at: str) -> int:
    """Stores what uses change, journaled as ``use`` at an instant (UTC ISO).

    Returns:
        How many records it was.
    """
    done = 0
    found = memories.get_many(db, uses)
    for memory_id in sorted(found):
        changes = strengthened(found[memory_id], uses[memory_id], at)
        if changes:
            lineage.change(db, found[memory_id], at, "use", "", **changes)
            done += 1
    return done
