"""Staging tables: what an import has met so far, in a database of its own that SQLite keeps in a
temporary file, so that any number of records needs bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from brain.store.sql import rows, stream


@dataclass(frozen=True, slots=True)
class Link:
    """The links of a record that came in, by the ids it came with.

    Args:
        line: where it stood, for messages.
        valid_to, retracted_at: how the record ended, UTC ISO.
    """

    line: int
    old: int
    supersedes: int | None
    superseded_by: int | None
    valid_to: str | None
    retracted_at: str | None


class Staging:
    """Which record that came in is which here, and the links that are to be made at the end."""

    def __init__(self) -> None:
        # An empty name is a private file that is gone when the connection is.
        self._db = apsw.Connection("")
        self._db.execute("""
        BEGIN;
        CREATE TABLE arrived (
          old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL
        );
        CREATE INDEX arrived_by_new ON arrived (new);
        CREATE TABLE links (
          line INTEGER, old INTEGER, supersedes INTEGER, superseded_by INTEGER,
          valid_to TEXT, retracted_at TEXT
        );
        """)

    def note(self, old: int, new: int, *, fresh: bool) -> None:
        """Notes which id a record that came in has here, and whether it is new here."""
        self._db.execute("INSERT INTO arrived VALUES (?, ?, ?)", (old, new, int(fresh)))

    def note_link(self, link: Link) -> None:
        """Notes links, to be made when every record is there."""
        self._db.execute(
            "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)",
            (
                link.line,
                link.old,
                link.supersedes,
                link.superseded_by,
                link.valid_to,
                link.retracted_at,
            ),
        )

    def found(self, old: int | None) -> tuple[int, bool] | None:
        """The id here of a record that came in, and whether it is new; None for unknown ones."""
        row = rows(self._db, "SELECT new, fresh FROM arrived WHERE old = ?", (old,))
        return (int(row[0][0]), bool(row[0][1])) if row else None

    def stands_for(self, new: int) -> bool:
        """Whether a record here is already one of those that came in."""
        return bool(rows(self._db, "SELECT 1 FROM arrived WHERE new = ? LIMIT 1", (new,)))

    def links(self) -> Iterator[Link]:
        """The links noted, in the order they came."""
        for row in stream(self._db, "SELECT * FROM links ORDER BY rowid"):
            yield Link(*row)
