"""How records stood at an earlier instant, replayed from the journal.

The journal holds every change of a record's fields, before and after. A change counts at an instant
when it is dated at or before it. Among the changes that count, the order is the journal's own, so
that a clock that went back, or many changes in one millisecond, leave no doubt. With a clock that
never goes back this is: the value before the first later change, else today's.

Looking back costs a pass over the later changes (not over later additions) and a row in memory for
each record whose visibility they changed. The strength of a record is replayed like any other
field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import apsw

from brain.memory import Memory
from brain.store import journal, past
from brain.store.journal import Event
from brain.store.view import View

BATCH = 10_000
"""Records replayed at a time, so that a long history needs little memory."""

_FIELDS = frozenset(f.name for f in fields(Memory))


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
        for name, change in event.detail.items():
            if name not in _FIELDS or not isinstance(change, list) or len(change) != 2:
                continue
            before, after = change
            if event.at <= known_at:
                out[name] = after
            else:
                out.setdefault(name, before)
    return out


def prepare(db: apsw.Connection, view: View) -> View:
    """The view made to go by how records stood at its ``known_at``.

    Call it inside the read transaction in which the view is used.
    """
    if view.known_at is None:
        return view
    touched = journal.touched_after(db, view.known_at, past.COLUMNS)
    if not touched:
        return view
    past.fill(db, _stood(db, touched, view.known_at))
    return replace(view, replayed=True)


def _stood(
    db: apsw.Connection, ids: Sequence[int], known_at: str
) -> Iterator[tuple[int, dict[str, object]]]:
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        events = journal.changes(db, batch)
        for memory_id, today in past.today(db, batch):
            then = values_at(events.get(memory_id, ()), known_at)
            yield memory_id, {name: then.get(name, value) for name, value in today.items()}


def records(db: apsw.Connection, memories: Sequence[Memory], known_at: str | None) -> list[Memory]:
    """Records with the field values of an instant, in the given order.

    Args:
        known_at: UTC ISO; None leaves them as they are.
    """
    if known_at is None or not journal.changed_after(db, known_at):
        return list(memories)
    out: list[Memory] = []
    for start in range(0, len(memories), BATCH):
        batch = memories[start : start + BATCH]
        events = journal.changes(db, [m.id for m in batch])
        out += [replace(m, **values_at(events.get(m.id, ()), known_at)) for m in batch]
    return out
