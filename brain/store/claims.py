"""Table ``claims``: what of a memory can be looked at, and what came of looking at it.

A row goes with its memory. What it claims never changes; what was found does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import apsw

from brain.memory import CLAIMED, FAILED, STALE, VERIFIED
from brain.store.sql import rows, stream
from brain.store.view import Selection, View


@dataclass(frozen=True, slots=True)
class Claim:
    """One row of ``claims``.

    Args:
        kind: ``file``, ``text``, ``symbol``, ``version`` or ``ref``.
        claim: what is claimed, as :mod:`brain.claims.forms` writes it.
        origin: ``given`` by whoever stored the memory, or read off its ``text``.
        project: the name of the project it is about; '' where that was not said.
        result: what the last look that could tell gave: ``verified`` or ``failed``; None before.
        checked_at, verified_at: of the last such look, and of the last success, UTC ISO.
        found_at: where it stands now, as far as is known.
        evidence: what was looked at.
        reason: a Chinese sentence on why it failed.
        counted: whether its failing has lowered its memory's confidence.
    """

    memory_id: int
    kind: str
    claim: str
    origin: str
    project: str = ""
    result: str | None = None
    checked_at: str | None = None
    verified_at: str | None = None
    found_at: str | None = None
    evidence: str = ""
    reason: str = ""
    counted: bool = False
    id: int = 0


_NAMES = tuple(f.name for f in fields(Claim) if f.name != "id")
_FIELDS = ", ".join((*(f"c.{name}" for name in _NAMES), "c.id"))
_TYPES: tuple[tuple[type, ...], ...] = (
    (int,),
    *((str,),) * 4,
    *((str, type(None)),) * 4,
    *((str,),) * 2,
    *((int,),) * 2,
)


def _claim(row: Sequence[object]) -> Claim:
    if not all(map(isinstance, row, _TYPES)):
        raise apsw.CorruptError("a claim holds what no claim can")
    found = Claim(*row)  # type: ignore[arg-type]
    return replace(found, counted=bool(found.counted))


def insert(db: apsw.Connection, found: Claim) -> None:
    """Stores a row; the same claim of the same memory once."""
    marks = ", ".join("?" * len(_NAMES))
    db.execute(
        f"INSERT OR IGNORE INTO claims ({', '.join(_NAMES)}) VALUES ({marks})",
        tuple(getattr(found, name) for name in _NAMES),
    )


def of(db: apsw.Connection, memory_ids: Iterable[int]) -> list[Claim]:
    """The claims of some memories, by memory, in the order given."""
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM claims c WHERE c.memory_id IN (SELECT value FROM json_each(?))"
        " ORDER BY c.memory_id, c.id",
        (json.dumps(sorted(set(memory_ids))),),
    )
    return [_claim(row) for row in found]


def ids_with_claims(db: apsw.Connection, view: View) -> list[int]:
    """The ids of the records a view shows that have claims, in order."""
    where, args = view.where()
    found = rows(
        db,
        f"SELECT m.id FROM memories m WHERE {where}"
        " AND EXISTS (SELECT 1 FROM claims c WHERE c.memory_id = m.id) ORDER BY m.id",
        args,
    )
    return [int(row[0]) for row in found]


def stamp(db: apsw.Connection, found: Claim) -> None:
    """Writes what was found about a claim, by its number."""
    told = ("result", "checked_at", "verified_at", "found_at", "evidence", "reason", "counted")
    db.execute(
        f"UPDATE claims SET {', '.join(f'{name} = ?' for name in told)} WHERE id = ?",
        (*(getattr(found, name) for name in told), found.id),
    )


def adopt(db: apsw.Connection, old: int, new: int) -> None:
    """Gives claims without a project the one that the record before theirs was about."""
    db.execute(
        "UPDATE claims SET project = coalesce((SELECT o.project FROM claims o"
        " WHERE o.memory_id = ?1 AND o.project <> '' ORDER BY o.id LIMIT 1), '')"
        " WHERE memory_id = ?2 AND project = ''",
        (old, new),
    )


def state_counts(db: apsw.Connection, view: View) -> dict[str, int]:
    """How many of the records a view shows are in each state; those without claims in none."""
    where, args = view.where()
    found = rows(
        db,
        f"SELECT {state_of('m')}, count(*) FROM memories m WHERE m.id IN"
        f" (SELECT memory_id FROM claims) AND {where} GROUP BY 1",
        args,
    )
    return {CLAIMED: 0, VERIFIED: 0, STALE: 0} | {str(state): int(n) for state, n in found}


def state_of(alias: str) -> str:
    """An expression for the state of a record: stale where one claim failed, verified where all
    hold, else claimed; NULL without any."""
    return (
        f"(SELECT CASE WHEN count(*) = 0 THEN NULL"
        f" WHEN max(c.result = '{FAILED}') THEN '{STALE}'"
        f" WHEN count(*) = count(c.result) THEN '{VERIFIED}' ELSE '{CLAIMED}' END"
        f" FROM claims c WHERE c.memory_id = {alias}.id)"
    )


def iter_selected(db: apsw.Connection, shown: Selection) -> Iterator[Claim]:
    """The claims of the records that are shown, by record, one at a time."""
    where, args = shown.where()
    for row in stream(
        db,
        f"SELECT {_FIELDS} FROM memories m CROSS JOIN claims c ON c.memory_id = m.id"
        f" WHERE {where} ORDER BY m.id, c.id",
        args,
    ):
        yield _claim(row)


def broken(db: apsw.Connection) -> list[int]:
    """Numbers of rows whose memory is not there, or that are not sound themselves."""
    found = rows(
        db,
        "SELECT id FROM claims WHERE memory_id NOT IN (SELECT id FROM memories)"
        f" OR (result IS NOT NULL AND result NOT IN ('{VERIFIED}', '{FAILED}'))"
        " OR (result IS NULL) <> (checked_at IS NULL) OR claim = '' ORDER BY id",
    )
    return [int(row[0]) for row in found]


def drop(db: apsw.Connection, claim_ids: Iterable[int]) -> None:
    """Removes rows."""
    db.execute(
        "DELETE FROM claims WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(claim_ids)),),
    )
