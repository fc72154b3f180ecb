"""Small conversation stores in the shape of Hermes Agent's ``state.db``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

START = 1_772_424_000.0
"""2026-03-02T04:00:00Z."""

FULL = (
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL, ended_at REAL,"
    " end_reason TEXT, parent_session_id TEXT, title TEXT, archived INTEGER, hidden INTEGER);"
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT,"
    " content TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, active INTEGER DEFAULT 1,"
    " compacted INTEGER DEFAULT 0, _compressed_summary INTEGER, display_kind TEXT,"
    " observed INTEGER, later_column TEXT)"
)
OLD = (
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at REAL);"
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT,"
    " content TEXT, timestamp REAL)"
)


@dataclass
class Hermes:
    """A store that can be written to; each call opens and closes the file."""

    path: Path
    schema: str = FULL
    wal: bool = True
    clock: float = field(default=START)

    def __post_init__(self) -> None:
        db = apsw.Connection(str(self.path))
        if self.wal:
            db.pragma("journal_mode", "wal")
        db.execute(self.schema)
        db.close()

    def say(self, session: str, *turns: tuple[str, object], **columns: object) -> list[int]:
        """Appends turns, a minute apart; gives their ids."""
        db = apsw.Connection(str(self.path))
        source = columns.pop("source", "cli")
        names = ", source" if "source" in self.schema else ""
        values = (session, START, source)[: 3 if names else 2]
        marks = ", ".join("?" * len(values))
        db.execute(
            f"INSERT OR IGNORE INTO sessions (id, started_at{names}) VALUES ({marks})", values
        )
        out = []
        for role, content in turns:
            self.clock += 60
            row = {"session_id": session, "role": role, "content": content}
            row |= {"timestamp": self.clock, **columns}
            db.execute(
                f"INSERT INTO messages ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
                tuple(row.values()),  # type: ignore[arg-type]
            )
            out.append(db.last_insert_rowid())
        db.close()
        return out

    def rewind(self, ids: Iterable[int], compacted: int = 0) -> None:
        """Takes messages back, or only moves them out of the context."""
        db = apsw.Connection(str(self.path))
        for message in ids:
            db.execute(
                "UPDATE messages SET active = 0, compacted = ? WHERE id = ?", (compacted, message)
            )
        db.close()

    def run(self, statement: str) -> None:
        """Any statement."""
        db = apsw.Connection(str(self.path))
        db.execute(statement)
        db.close()


def asked(question: str, answer: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """A question of the user with its answer."""
    return ("user", question), ("assistant", answer)
