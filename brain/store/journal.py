"""Journal (audit trail): what changed when and why. It holds no memory text.

It is appended to and never rewritten, but for what forgetting a memory takes out of it. How records
stood at an earlier instant is computed from it (:mod:`brain.lifecycle.replay`) and put into a
temporary table, ``temp.past``, that a replayed view goes by.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from brain.store.sql import one, rows, stream
from brain.store.view import Selection
from brain.text.secrets.mask import refuse
from brain.validate import check_why

if TYPE_CHECKING:
    from brain.store.domains import Bad

FORGET = "forget"
"""The entry that stays of a forgotten memory."""

COLUMNS = ("valid_from", "valid_to", "retracted_at", "archived_at", "superseded_by")
"""Columns that decide whether a view shows a record, or which record stands in for it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One entry: ``what`` is a verb, ``detail`` the fields it changed, before and after."""

    at: str
    memory_id: int | None
    what: str
    why: str
    detail: dict[str, Any]


def check_reason(why: str) -> None:
    """Refuses what no entry may hold, also for a change that turns out to be none.

    Raises:
        BrainError: ``brain_why_invalid``, ``brain_secret`` (65).
    """
    check_why(why)
    refuse(why, "原因")


def write(
    db: apsw.Connection,
    at: str,
    memory_id: int | None,
    what: str,
    why: str = "",
    detail: dict[str, Any] | None = None,
) -> None:
    """Appends one entry. Raises ``brain_why_invalid``, ``brain_secret`` (65)."""
    check_reason(why)
    noted = json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else "{}"
    db.execute(
        "INSERT INTO journal (at, memory_id, what, why, detail) VALUES (?, ?, ?, ?, ?)",
        (at, memory_id, what, why, noted),
    )


def redact(db: apsw.Connection, memory_id: int, text: str) -> None:
    """Takes out what entries say about a forgotten memory; that they happened stays.

    Its own entries lose reason and detail. Entries of others lose the reason when it was noted
    together with one of those or of a link with it (one change writes the same reason to every
    record it touches), or quotes its whole text.
    """
    links = ", ".join(
        f"json_extract(detail, '$.{name}[{side}]')"
        for name in ("supersedes", "superseded_by")
        for side in (0, 1)
    )
    db.execute(
        "UPDATE journal SET why = '' WHERE why <> '' AND (instr(why, ?1) OR (at, why) IN"
        f" (SELECT at, why FROM journal WHERE memory_id = ?2 OR ?2 IN ({links})))",
        (text, memory_id),
    )
    db.execute("UPDATE journal SET detail = '{}' WHERE memory_id = ?", (memory_id,))


def last_number(db: apsw.Connection) -> int:
    """The number of the newest entry, 0 where there is none."""
    return int(one(db, "SELECT coalesce(max(id), 0) FROM journal"))


def between(db: apsw.Connection, first: int, last: int | None) -> list[Event]:
    """The entries about records with first < number <= last, oldest first; None for no end."""
    found = rows(
        db,
        "SELECT at, memory_id, what, why, detail FROM journal"
        " WHERE id > ?1 AND (?2 IS NULL OR id <= ?2) AND memory_id IS NOT NULL ORDER BY id",
        (first, last),
    )
    return [Event(at, mid, what, why, json.loads(detail)) for at, mid, what, why, detail in found]


def forgotten_at(db: apsw.Connection, memory_id: int) -> str | None:
    """When a memory was forgotten; None when it was not."""
    found = rows(
        db,
        "SELECT at FROM journal WHERE memory_id = ? AND what = ? ORDER BY id LIMIT 1",
        (memory_id, FORGET),
    )
    return str(found[0][0]) if found else None


def forgotten_times(db: apsw.Connection) -> set[str]:
    """The instants at which records were noted that have been forgotten since, UTC ISO."""
    found = rows(
        db,
        "SELECT a.at FROM journal f CROSS JOIN journal a ON a.memory_id = f.memory_id"
        " WHERE f.what = ? AND a.what = 'add'",
        (FORGET,),
    )
    return {str(at) for (at,) in found}


def holds_text(db: apsw.Connection, piece: str) -> bool:
    """Whether any reason holds a piece of text. Reads every entry."""
    return bool(rows(db, "SELECT 1 FROM journal WHERE instr(why, ?) LIMIT 1", (piece,)))


def entries_of(db: apsw.Connection, memory_ids: Sequence[int]) -> list[Event]:
    """The entries about some memories, oldest first."""
    found = rows(
        db,
        "SELECT at, memory_id, what, why, detail FROM journal"
        " WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(memory_ids)),),
    )
    return [Event(at, mid, what, why, json.loads(detail)) for at, mid, what, why, detail in found]


def changes(db: apsw.Connection, memory_ids: Sequence[int], *, decay: bool) -> list[Event]:
    """The entries that changed some memories, oldest first: no additions.

    Args:
        decay: with the runs of decay, whose entries are about all memories of a stretch of ids.
    """
    found = rows(
        db,
        "SELECT id, at, memory_id, what, why, detail FROM journal"
        " WHERE memory_id IN (SELECT value FROM json_each(?1)) AND what <> 'add'"
        " UNION ALL SELECT id, at, memory_id, what, why, detail FROM journal"
        " WHERE memory_id IS NULL AND what = 'decay' AND ?2 ORDER BY id",
        (json.dumps(list(memory_ids)), decay),
    )
    return [
        Event(at, mid, what, why, json.loads(detail)) for _, at, mid, what, why, detail in found
    ]


def changed_after(db: apsw.Connection, at: str) -> bool:
    """Whether anything but an addition is dated after an instant."""
    return bool(rows(db, "SELECT 1 FROM journal WHERE what <> 'add' AND at > ? LIMIT 1", (at,)))


def touched_after(db: apsw.Connection, at: str, columns: Sequence[str]) -> list[int]:
    """Ids of the records one of whose columns was changed after an instant.

    Reads every entry dated after it that is no addition.
    """
    named = " OR ".join("instr(detail, ?)" for _ in columns)
    found = rows(
        db,
        "SELECT DISTINCT memory_id FROM journal"
        f" WHERE what <> 'add' AND at > ? AND memory_id IS NOT NULL AND ({named}) ORDER BY 1",
        (at, *(f'"{name}": ' for name in columns)),
    )
    return [row[0] for row in found]


def iter_selected(db: apsw.Connection, shown: Selection, bad: Bad | None = None) -> Iterator[Event]:
    """The entries about the records that are shown, oldest first, one at a time.

    The whole file's also hold those about the file itself and about what was forgotten.

    Args:
        bad: called with the number of an entry that holds what none can, which is passed over;
            None has such a one end the reading.
    """
    from brain.store import domains  # only an export needs them

    condition = "1"
    args: list[object] = []
    if not shown.whole:
        where, args = shown.where()
        condition = f"EXISTS (SELECT 1 FROM memories m WHERE m.id = j.memory_id AND {where})"
    # As bytes: a text that cannot be decoded would end the statement.
    texts = ", ".join(
        f"iif(typeof(j.{c}) = 'text', CAST(j.{c} AS BLOB), NULL)"
        for c in ("at", "what", "why", "detail")
    )
    for number, memory_id, *cells in stream(
        db,
        f"SELECT j.id, j.memory_id, {texts} FROM journal j WHERE {condition} ORDER BY j.id",
        args,
    ):
        try:
            at, what, why, told = (bytes(cell).decode() for cell in cells)
            detail = json.loads(told)
            told_of = memory_id is None or domains.is_number(memory_id)
            if not isinstance(detail, dict) or not told_of or not domains.is_time(at):
                raise TypeError("an entry holds what none can")
        except (TypeError, ValueError):
            if bad is None:
                raise apsw.CorruptError("an entry of the journal cannot be read") from None
            bad(int(number), "")
            continue
        yield Event(at, memory_id, what, why, detail)


def append(db: apsw.Connection, event: Event) -> None:
    """Appends an entry as another file had it."""
    write(db, event.at, event.memory_id, event.what, event.why, event.detail)


def current_values(
    db: apsw.Connection, ids: Sequence[int]
) -> Iterator[tuple[int, dict[str, object]]]:
    """(id, today's values of ``COLUMNS``) of those ids that are in the file, in id order."""
    found = rows(
        db,
        f"SELECT id, {', '.join(COLUMNS)} FROM memories"
        " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(ids)),),
    )
    for row in found:
        yield row[0], dict(zip(COLUMNS, row[1:], strict=True))


def load_past(db: apsw.Connection, stood: Iterable[tuple[int, dict[str, object]]]) -> None:
    """Makes the table. Call inside a transaction that is rolled back.

    Args:
        stood: (id, values of ``COLUMNS`` at the instant).
    """
    # A reader's connection refuses every write; this one is to memory of its own.
    guarded = db.pragma("query_only")
    db.pragma("query_only", "OFF")
    try:
        _fill(db, stood)
    finally:
        db.pragma("query_only", "ON" if guarded else "OFF")


def _fill(db: apsw.Connection, stood: Iterable[tuple[int, dict[str, object]]]) -> None:
    db.execute("DROP TABLE IF EXISTS temp.past")
    db.execute(
        "CREATE TEMP TABLE past (id INTEGER PRIMARY KEY, valid_from TEXT, valid_to TEXT,"
        " retracted_at TEXT, archived_at TEXT, superseded_by INTEGER)"
    )
    db.execute("CREATE INDEX temp.past_by_start ON past (valid_from)")
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    db.executemany(
        f"INSERT INTO temp.past (id, {', '.join(COLUMNS)}) VALUES ({marks})",
        ((i, *(values[name] for name in COLUMNS)) for i, values in stood),
    )
