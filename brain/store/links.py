"""Table ``links``: what a decision led to, one row an observation (source, target, relation).

Rows are never changed but for ``retracted_at``, and go with either of the records they join.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import apsw

from brain.memory import OUTCOME_KIND
from brain.store.sql import one, rows, stream
from brain.store.view import Selection, View

if TYPE_CHECKING:
    from brain.store.domains import Bad


@dataclass(frozen=True, slots=True)
class Observation:
    """One row of ``links``.

    Args:
        id: its number, printed as ``L12``.
        decision, outcome: ids of the records it joins.
        relation: one of :data:`brain.memory.RELATIONS`.
        context: free text, may be ''.
        good: the sign the user gave; None where it is computed.
        observed_at: valid time, ``recorded_at``, ``retracted_at``: recorded time; UTC ISO.
    """

    id: int
    decision: int
    outcome: int
    relation: str
    context: str
    good: bool | None
    observed_at: str
    recorded_at: str
    retracted_at: str | None
    source: str
    evidence: str


_NAMES = tuple(f.name for f in fields(Observation))
_FIELDS = ", ".join(f"l.{name}" for name in _NAMES)
_TYPES: tuple[tuple[type, ...], ...] = (
    *((int,),) * 3,
    *((str,),) * 2,
    (int, type(None)),
    *((str,),) * 2,
    (str, type(None)),
    *((str,),) * 2,
)


def _observation(row: Sequence[object]) -> Observation:
    if not all(map(isinstance, row, _TYPES)):
        raise apsw.CorruptError("a link holds what no link can")
    found = Observation(*row)  # type: ignore[arg-type]
    return found if found.good is None else replace(found, good=bool(found.good))


def there(db: apsw.Connection) -> bool:
    """Whether the file has any link; one of an earlier schema has none."""
    if not rows(db, "SELECT 1 FROM sqlite_schema WHERE name = 'links'"):
        return False
    return bool(rows(db, "SELECT 1 FROM links LIMIT 1"))


def any_current(db: apsw.Connection) -> bool:
    """Whether the file has a link that is not retracted."""
    return there(db) and bool(rows(db, "SELECT 1 FROM links WHERE retracted_at IS NULL LIMIT 1"))


def insert(db: apsw.Connection, found: Observation, *, keep_id: bool = False) -> int:
    """Stores a row and gives its number.

    Args:
        keep_id: False gives it a new one.
    """
    names = _NAMES if keep_id else _NAMES[1:]
    row = rows(
        db,
        f"INSERT INTO links ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        " RETURNING id",
        tuple(getattr(found, name) for name in names),
    )[0]
    return int(row[0])


def get(db: apsw.Connection, link_id: int) -> Observation | None:
    """One row by its number, whatever its state."""
    if not there(db):
        return None
    found = rows(db, f"SELECT {_FIELDS} FROM links l WHERE l.id = ?", (link_id,))
    return _observation(found[0]) if found else None


def same(
    db: apsw.Connection, wanted: Observation, start: str | None = None, stop: str | None = None
) -> int | None:
    """The number of a current row that is the same observation; None where there is none.

    Args:
        wanted: with the ends, relation, context, source and time to look for.
        start, stop: where any time in [start, stop) is as good, UTC ISO.
    """
    found = one(
        db,
        "SELECT min(id) FROM links WHERE decision = ? AND outcome = ? AND relation = ?"
        " AND context = ? AND source = ? AND retracted_at IS NULL"
        " AND observed_at >= ? AND (observed_at < ? OR observed_at = ?)",
        (
            wanted.decision,
            wanted.outcome,
            wanted.relation,
            wanted.context,
            wanted.source,
            start or wanted.observed_at,
            stop or wanted.observed_at,
            wanted.observed_at,
        ),
    )
    return None if found is None else int(found)


def known(db: apsw.Connection, found: Observation) -> bool:
    """Whether the file has a row that says the same, in the same state, under any number."""
    if not there(db):
        return False
    names = _NAMES[1:]
    asked = " AND ".join(f"{name} IS ?" for name in names)
    values = tuple(getattr(found, name) for name in names)
    return bool(rows(db, f"SELECT 1 FROM links WHERE {asked} LIMIT 1", values))


def retract(db: apsw.Connection, link_id: int, at: str) -> None:
    """Marks a row as not believed any more, UTC ISO."""
    db.execute("UPDATE links SET retracted_at = ? WHERE id = ?", (at, link_id))


def of(db: apsw.Connection, memory_ids: Sequence[int] | None, limit: int) -> list[Observation]:
    """The rows of some memories, on either side, in whatever state, newest first.

    Args:
        memory_ids: None for every row of the file.
    """
    if not there(db):
        return []
    ids = json.dumps(list(memory_ids or ()))
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM links l WHERE ?1 OR l.decision IN (SELECT value FROM json_each(?2))"
        " OR l.outcome IN (SELECT value FROM json_each(?2))"
        " ORDER BY l.observed_at DESC, l.id DESC LIMIT ?3",
        (memory_ids is None, ids, limit),
    )
    return [_observation(row) for row in found]


def first_recorded(db: apsw.Connection, memory_id: int) -> str | None:
    """When the first row of a memory was recorded, UTC ISO; None without any."""
    found = one(
        db,
        "SELECT min(recorded_at) FROM links WHERE decision = ?1 OR outcome = ?1",
        (memory_id,),
    )
    return None if found is None else str(found)


def _current(view: View) -> tuple[str, list[object]]:
    """A condition on ``l``, ``d`` and ``o``: the row is believed, and both its ends are seen."""
    ends = replace(view, archived=None, happened=False, kind=None, not_kind=None)
    parts, args = view.link("l")
    for alias in ("d", "o"):
        where, more = ends.where(alias)
        parts += f" AND {where}"
        args += more
    return parts, args


def seen(
    db: apsw.Connection,
    view: View,
    *,
    decisions: Iterable[int] | None = None,
    outcomes: Iterable[int] | None = None,
    limit: int,
) -> list[Observation]:
    """The rows a view shows of some decisions or some outcomes, the newest first.

    A row goes with its records: retracted, superseded or expired ones take it along. An archived
    record keeps it.
    """
    column = "decision" if decisions is not None else "outcome"
    ids = sorted(set(decisions if decisions is not None else outcomes or ()))
    where, args = _current(view)
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM links l CROSS JOIN memories d ON d.id = l.decision"
        " CROSS JOIN memories o ON o.id = l.outcome"
        f" WHERE l.{column} IN (SELECT value FROM json_each(?)) AND {where}"
        " ORDER BY l.observed_at DESC, l.id DESC LIMIT ?",
        (json.dumps(ids), *args, limit),
    )
    return [_observation(row) for row in found]


def ends(db: apsw.Connection, view: View, side: str, limit: int) -> list[int]:
    """Ids of the records on one side of the rows a view shows, the newest first.

    Args:
        side: ``decision`` or ``outcome``.
    """
    where, args = _current(view)
    found = rows(
        db,
        f"SELECT DISTINCT l.{side} FROM links l CROSS JOIN memories d ON d.id = l.decision"
        f" CROSS JOIN memories o ON o.id = l.outcome WHERE {where} ORDER BY 1 DESC LIMIT ?",
        (*args, limit),
    )
    return [int(row[0]) for row in found]


def left_alone(db: apsw.Connection, memory_id: int) -> list[int]:
    """Outcomes of a decision that no other row is about."""
    if not there(db):
        return []
    found = rows(
        db,
        "SELECT DISTINCT l.outcome FROM links l JOIN memories m ON m.id = l.outcome"
        " WHERE l.decision = ?1 AND m.kind = ?2 AND m.retracted_at IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM links x WHERE x.outcome = l.outcome AND x.decision <> ?1) ORDER BY 1",
        (memory_id, OUTCOME_KIND),
    )
    return [int(row[0]) for row in found]


def iter_selected(
    db: apsw.Connection, shown: Selection, bad: Bad | None = None
) -> Iterator[Observation]:
    """The rows both of whose records are shown, by number, one at a time.

    Args:
        bad: called with the number of a row that holds what none can, and the columns, for each
            one that is passed over; None has such a one end the reading.
    """
    from brain.store import domains  # only an export needs them

    if not there(db):
        return
    decision, args = shown.where("d")
    outcome, more = shown.where("o")
    names = _NAMES[1:]
    for number, *cells in stream(
        db,
        f"SELECT l.id, {domains.undecoded(*(f'l.{name}' for name in names))}"
        " FROM links l CROSS JOIN memories d ON d.id = l.decision"
        f" CROSS JOIN memories o ON o.id = l.outcome WHERE ({decision}) AND ({outcome})"
        " ORDER BY l.id",
        (*args, *more),
    ):
        values = domains.decoded(names, cells)
        wrong = domains.unsound(domains.LINK, values)
        if not wrong:
            yield _observation((number, *values.values()))
        elif bad is None:
            raise apsw.CorruptError("a link holds what no link can")
        else:
            bad(int(number), "、".join(wrong))
    if bad is not None and shown.whole:
        gone = "NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = l.{0})"
        ends = " OR ".join(gone.format(side) for side in ("decision", "outcome"))
        for (number,) in stream(db, f"SELECT l.id FROM links l WHERE {ends} ORDER BY l.id"):
            bad(int(number), "decision、outcome")


def broken(db: apsw.Connection) -> list[int]:
    """Numbers of rows one of whose records is not there, or that are not sound themselves."""
    found = rows(
        db,
        "SELECT id FROM links WHERE decision NOT IN (SELECT id FROM memories)"
        " OR outcome NOT IN (SELECT id FROM memories) OR decision = outcome"
        " OR retracted_at < recorded_at ORDER BY id",
    )
    return [int(row[0]) for row in found]


def drop(db: apsw.Connection, link_ids: Iterable[int]) -> None:
    """Removes rows."""
    db.execute(
        "DELETE FROM links WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(link_ids)),),
    )
