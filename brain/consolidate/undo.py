"""Undoing a run: every record gets back the state it had, and what the run made is erased.

It goes by the journal: what a run changed stands between two of its entries. All or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from brain.consolidate.apply import file_under
from brain.errors import EXIT_NO, BrainError
from brain.lifecycle import forget, lineage
from brain.maintenance import health_probe
from brain.memory import Memory
from brain.results import ConsolidateResult
from brain.store import claims, journal, links, memories, meta, probe, runs

if TYPE_CHECKING:
    from brain.lifecycle.forget import Erased
    from brain.store.journal import Event
    from brain.store.protocol import Transaction
    from brain.store.runs import Run

SHOWN = 10
"""Ids that a refusal names."""

_OWN_ACCORD = "use"
"""The entry of what changes by itself: that a record was used."""


def require(db: Transaction, name: str) -> Run:
    """A run by its name. Raises ``brain_not_found`` (1)."""
    # A name that is no valid Unicode is none that a run has.
    known = name.encode("utf-8", "replace").decode("utf-8") == name
    found = runs.get(db, name) if known else None
    if found is None:
        raise BrainError("brain_not_found", f"没有名为 {name[:40]} 的整理。", EXIT_NO)
    return found


def undo(
    db: Transaction, facts: Mapping[str, Any], found: Run, now: str, *, vectors: bool
) -> tuple[ConsolidateResult, Erased]:
    """Undoes a run that stands, inside the caller's write transaction.

    Args:
        facts: the file's.
        now: UTC ISO.
        vectors: whether sqlite-vec is here.

    Returns:
        What was done, and what was erased, whose bytes the caller gets out of the file.

    Raises:
        BrainError: ``brain_undo_changed`` (65) where a record has changed or been forgotten since,
            ``brain_probe_failed`` (74); the transaction is to be undone then.
    """
    had = probe.sums(db, facts.get(meta.VECTORS))
    had = replace(had, claims=had.claims - len(claims.of(db, found.created)))
    events = journal.between(db, found.first, found.last)
    _refuse_changed(db, found, events)
    made = set(found.created)
    why = f"撤销整理 {found.name}"
    for number, values in _before(events).items():
        if number not in made:
            _give_back(db, lineage.require(db, number), values, now, why)
    erased = forget.forget_all(db, found.created, now, "", True, copies=False)
    journal.write(db, now, None, "undo", "", {"run": [found.name, None]})
    runs.set_undone(db, found.name, now)
    expected = replace(
        had, records=had.records - len(made), vectors=had.vectors - _vectors_gone(had, db, facts)
    )
    told = health_probe.run(
        db,
        dict(facts),
        now,
        seed=found.name,
        vectors=vectors,
        expected=expected,
        first=sorted({e.memory_id for e in events if e.memory_id is not None} - made),
    )
    health_probe.require(told, "撤销全部退回，记忆没有变")
    return ConsolidateResult(found.name, found.lines, (), told, found.created), erased


def _vectors_gone(had: probe.Sums, db: Transaction, facts: Mapping[str, Any]) -> int:
    """How many vectors went with the records that were erased: as many as passages, at most."""
    now = probe.sums(db, facts.get(meta.VECTORS))
    return min(had.vectors, had.passages - now.passages)


def _before(events: Iterable[Event]) -> dict[int, dict[str, Any]]:
    """Record → field → what it was before the run."""
    out: dict[int, dict[str, Any]] = {}
    for event in events:
        assert event.memory_id is not None
        values = out.setdefault(event.memory_id, {})
        for name, (before, _) in event.detail.items():
            values.setdefault(name, before)
    return out


def _give_back(
    db: Transaction, memory: Memory, values: Mapping[str, Any], now: str, why: str
) -> None:
    if "tags" in values:
        file_under(db, memory, values["tags"], now, "undo", why)
    rest = {name: value for name, value in values.items() if name != "tags"}
    lineage.change(db, memory, now, "undo", why, **rest)


def _refuse_changed(db: Transaction, found: Run, events: Sequence[Event]) -> None:
    touched = {e.memory_id for e in events if e.memory_id is not None} | set(found.created)
    there = memories.get_many(db, sorted(touched))
    wrong = touched - there.keys()
    later = journal.between(db, found.last, None)
    wrong |= {
        e.memory_id
        for e in later
        if e.memory_id in touched and e.what not in (_OWN_ACCORD, journal.FORGET)
    }
    after: dict[tuple[int, str], Any] = {}
    for event in events:
        assert event.memory_id is not None
        for name, (_, value) in event.detail.items():
            after[(event.memory_id, name)] = value
    for (number, name), value in after.items():
        if number in there and there[number].to_dict()[name] != value:
            wrong.add(number)
    for one in links.of(db, sorted(found.created), 10**6):
        wrong |= {one.decision, one.outcome} & set(found.created)
    if wrong:
        named = sorted(n for n in wrong if n is not None)
        more = f" 等 {len(named)} 条" if len(named) > SHOWN else ""
        told = "、".join(f"#{n}" for n in named[:SHOWN])
        raise BrainError(
            "brain_undo_changed",
            f"整理 {found.name} 之后，{told}{more} 又变了或已经遗忘；什么也没有撤销。",
        )
