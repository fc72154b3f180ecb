"""Replay (point-in-time reconstruction): how records stood at an instant, from the journal.

The journal holds every change of a record's fields, before and after. A change counts at an instant
when it is dated at or before it. Among the changes that count, the order is the journal's own, so
that a clock that went back, or many changes in one millisecond, leave no doubt. With a clock that
never goes back this is: the value before the first later change, else today's.

Decay leaves one entry for a stretch of records instead of one each; strength is therefore computed
again, from the beginning, by the function that decay itself uses.

Looking back costs a pass over the later changes (not over later additions), and some memory and
time for each record whose visibility they changed; the values of a record that is shown cost a pass
over its own changes and over the runs of decay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from brain.lifecycle.strength import decayed
from brain.memory import Memory
from brain.store import journal, memories
from brain.store.journal import Event
from brain.store.view import View

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

BATCH = 10_000
"""Records replayed at a time, so that a long history needs little memory."""

NEW_STRENGTH = 1.0
"""The strength of a record that was just added, as in the schema."""

UNLINK = "unlink"
"""What the journal calls a link that was let go."""

_LINKS = ("supersedes", "superseded_by")
_FIELDS = frozenset(f.name for f in fields(Memory))
_AT_REST = ("retracted_at", "archived_at", "superseded_by")
"""Decay passes over a record that has one of these."""


def values_at(events: Iterable[Event], known_at: str) -> dict[str, Any]:
    """The journaled fields of one record as they stood at an instant.

    Args:
        events: the record's entries in the journal's order.
        known_at: UTC ISO 8601 with milliseconds; what was done at that instant counts.

    Returns:
        Field → value, of the fields that were ever changed; the others stand as they are today.
    """
    out: dict[str, Any] = {}
    for event in events:
        for name, before, after in _changed(event):
            if event.at <= known_at:
                out[name] = after
            else:
                out.setdefault(name, before)
    return out


def _changed(event: Event) -> Iterator[tuple[str, Any, Any]]:
    """(field, before, after) of an entry; whatever else it tells is no change of a field."""
    for name, change in event.detail.items():
        if name in _FIELDS and isinstance(change, list) and len(change) == 2:
            yield name, change[0], change[1]


def without_forgotten_links(
    values: Mapping[str, Any], events: Iterable[Event], gone: Collection[int]
) -> dict[str, Any]:
    """Values of an instant without links to records that were forgotten since.

    A forgotten record is gone from all of the past: its neighbours are linked to each other, as
    they were when it went.

    Args:
        values: field → value.
        events: the record's entries in the journal's order.
        gone: ids that are no longer in the file.
    """
    out = dict(values)
    links = [name for name in _LINKS if out.get(name) in gone]
    for event in events:
        for name, before, after in _changed(event):
            if name in links and before == out[name] and event.what == UNLINK:
                out[name] = after
    return out | {name: None for name in links if out[name] in gone}


def _gone(db: Transaction, linked: Iterable[Mapping[str, Any]]) -> set[int]:
    ids = {one[name] for one in linked for name in _LINKS if one.get(name) is not None}
    return ids - memories.existing(db, ids)


def strength_at(memory: Memory, events: Sequence[Event], known_at: str) -> float:
    """The strength of a record at an instant, where decay has been at work.

    Args:
        memory: the record as it is today.
        events: its entries and those of decay that are about it, in the journal's order.
        known_at: as for :func:`values_at`.
    """
    state = {**memory.to_dict(), **values_at(events, "")}
    first = next((e for e in events if _is_decay(e) or "strength" in e.detail), None)
    if first is not None and _is_decay(first):
        state["strength"] = NEW_STRENGTH
    for event in events:
        if event.at > known_at:
            continue
        if not _is_decay(event):
            state.update((name, after) for name, _, after in _changed(event))
        elif all(state[name] is None for name in _AT_REST):
            run = event.detail
            state["strength"] = decayed(
                state["strength"],
                state["importance"],
                memory.recorded_at,
                run["since"],
                run["at"],
                run["daily"],
            )
    return float(state["strength"])


def _is_decay(event: Event) -> bool:
    return event.memory_id is None


def prepare(db: Transaction, view: View) -> View:
    """The view made to go by how records stood at its ``known_at``.

    Call it inside the read transaction in which the view is used.
    """
    if view.known_at is None:
        return view
    touched = journal.touched_after(db, view.known_at, journal.COLUMNS)
    if not touched:
        return view
    journal.load_past(db, _stood(db, touched, view.known_at))
    return replace(view, replayed=True)


def _stood(
    db: Transaction, ids: Sequence[int], known_at: str
) -> Iterator[tuple[int, dict[str, object]]]:
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        histories = _histories(journal.changes(db, batch, decay=False), batch)
        changed = {i: values_at(history, known_at) for i, history in histories.items()}
        gone = _gone(db, changed.values())
        for memory_id, today in journal.current_values(db, batch):
            then = without_forgotten_links(changed[memory_id], histories[memory_id], gone)
            yield memory_id, {name: then.get(name, value) for name, value in today.items()}


def records(db: Transaction, found: Sequence[Memory], known_at: str | None) -> list[Memory]:
    """Records with the field values of an instant, in the given order.

    Args:
        known_at: UTC ISO; None leaves them as they are.
    """
    if known_at is None or not journal.changed_after(db, known_at):
        return list(found)
    out: list[Memory] = []
    for start in range(0, len(found), BATCH):
        batch = found[start : start + BATCH]
        ids = [m.id for m in batch]
        histories = _histories(journal.changes(db, ids, decay=True), ids)
        changed = {m.id: _values(m, histories[m.id], known_at) for m in batch}
        gone = _gone(db, changed.values())
        for m in batch:
            values = without_forgotten_links(changed[m.id], histories[m.id], gone)
            if "tags" in values:
                values["tags"] = tuple(values["tags"])
            out.append(replace(m, **values))
    return out


def _values(memory: Memory, events: Sequence[Event], known_at: str) -> dict[str, Any]:
    values = values_at(events, known_at)
    if any(_is_decay(e) for e in events):
        values["strength"] = strength_at(memory, events, known_at)
    return values


def _histories(events: Iterable[Event], ids: Sequence[int]) -> Mapping[int, list[Event]]:
    """Id → the entries about that record, in the journal's order."""
    out: dict[int, list[Event]] = {i: [] for i in ids}
    for event in events:
        if event.memory_id is not None:
            out[event.memory_id].append(event)
            continue
        for i in ids:
            if event.detail["first"] <= i <= event.detail["last"]:
                out[i].append(event)
    return out
