"""The journal: what changed when and why, appended and never rewritten. It holds no text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import apsw

from brain.memory import check_why
from brain.store.sql import rows


@dataclass(frozen=True, slots=True)
class Event:
    """One entry: ``what`` is a verb, ``detail`` the fields it changed, before and after."""

    at: str
    memory_id: int | None
    what: str
    why: str
    detail: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {
            "at": self.at,
            "id": self.memory_id,
            "what": self.what,
            "why": self.why,
            "detail": self.detail,
        }


def write(
    db: apsw.Connection,
    at: str,
    memory_id: int | None,
    what: str,
    why: str = "",
    detail: dict[str, Any] | None = None,
) -> None:
    """Appends one entry. Raises ``brain_why_invalid`` (65)."""
    check_why(why)
    db.execute(
        "INSERT INTO journal (at, memory_id, what, why, detail) VALUES (?, ?, ?, ?, ?)",
        (at, memory_id, what, why, json.dumps(detail or {}, ensure_ascii=False, sort_keys=True)),
    )


def of(db: apsw.Connection, memory_ids: list[int]) -> list[Event]:
    """The entries about some memories, oldest first."""
    found = rows(
        db,
        "SELECT at, memory_id, what, why, detail FROM journal"
        " WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(memory_ids),),
    )
    return [Event(at, mid, what, why, json.loads(detail)) for at, mid, what, why, detail in found]
