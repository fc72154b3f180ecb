"""Table ``observations``: what an original is (a file seen, a test's result), for which session.

The bytes are kept once; each session that observed them has a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import apsw

from brain.memory import FAILED, STALE, VERIFIED
from brain.store.sql import rows, stream

CURRENT, ARCHIVED = "current", "archived"
"""States beside ``stale``: as it was seen, and seen again since by the same session."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One row of ``observations``.

    Args:
        type: one of :data:`brain.compress.originals.TYPES`.
        session: who observed it, '' for nobody in particular.
        revision, source: of what, and where from; '' where that was not said.
        project: the name of the project it is about, '' where that was not said.
        result: what the last look gave, as :class:`brain.store.claims.Claim` has it.
        state: ``current``, ``stale`` or ``archived``; derived.
    """

    handle: str
    session: str
    type: str
    revision: str
    source: str
    project: str
    stored_at: str
    result: str | None = None
    checked_at: str | None = None
    reason: str = ""
    state: str = CURRENT


_NAMES = tuple(f.name for f in fields(Seen) if f.name != "state")
_STATE = (
    f"CASE WHEN o.source <> '' AND EXISTS (SELECT 1 FROM observations n WHERE n.type = o.type"
    " AND n.session = o.session AND n.source = o.source AND n.project = o.project AND n.id > o.id)"
    f" THEN '{ARCHIVED}' WHEN o.result = '{FAILED}' THEN '{STALE}' ELSE '{CURRENT}' END"
)
_SELECT = f"SELECT {', '.join(f'o.{name}' for name in _NAMES)}, {_STATE} FROM observations o"


def _seen(row: Sequence[object]) -> Seen:
    return Seen(*row)  # type: ignore[arg-type]


def put(db: apsw.Connection, seen: Seen) -> str:
    """Notes what an original is; gives the type it has for that session, which stays as it is."""
    db.execute(
        f"INSERT OR IGNORE INTO observations ({', '.join(_NAMES)})"
        f" VALUES ({', '.join('?' * len(_NAMES))})",
        tuple(getattr(seen, name) for name in _NAMES),
    )
    found = rows(
        db,
        "SELECT type FROM observations WHERE handle = ? AND session = ?",
        (seen.handle, seen.session),
    )
    return str(found[0][0]) if found else seen.type


def of(db: apsw.Connection, handle: str | None = None) -> list[Seen]:
    """What an original is, for each session; of all originals for None, oldest first."""
    where = "" if handle is None else " WHERE o.handle = ?"
    args = () if handle is None else (handle,)
    return [_seen(row) for row in rows(db, f"{_SELECT}{where} ORDER BY o.id", args)]


def stale_among(db: apsw.Connection, handles: Sequence[str]) -> dict[str, Seen]:
    """Those of some handles whose originals are stale, with what they are."""
    found = (one for handle in dict.fromkeys(handles) for one in of(db, handle))
    return {one.handle: one for one in found if one.state == STALE}


def any_stale(db: apsw.Connection) -> bool:
    """Whether any original was found to hold no more."""
    return bool(rows(db, f"SELECT 1 FROM observations WHERE result = '{FAILED}' LIMIT 1"))


def stamp(db: apsw.Connection, seen: Seen) -> None:
    """Writes what looking at an original gave."""
    db.execute(
        "UPDATE observations SET result = ?, checked_at = ?, reason = ?"
        " WHERE handle = ? AND session = ?",
        (seen.result, seen.checked_at, seen.reason, seen.handle, seen.session),
    )


def iter_all(db: apsw.Connection) -> Iterator[Seen]:
    """Every row in the order they came, one at a time."""
    for row in stream(db, f"{_SELECT} ORDER BY o.id"):
        yield _seen(row)


_BROKEN = f"handle NOT IN (SELECT handle FROM ccr) OR result NOT IN ('{VERIFIED}', '{FAILED}')"


def broken(db: apsw.Connection) -> list[int]:
    """Numbers of rows whose original is not there, or that are not sound."""
    return [int(r[0]) for r in rows(db, f"SELECT id FROM observations WHERE {_BROKEN} ORDER BY id")]


def drop_broken(db: apsw.Connection) -> int:
    """Removes those rows; gives how many."""
    return len(rows(db, f"DELETE FROM observations WHERE {_BROKEN} RETURNING id"))
