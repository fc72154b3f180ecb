"""A generated conversation store of Hermes: the same bytes for the same numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import apsw

from bench import notes

START = 1_767_225_600.0
"""2026-01-01T00:00:00Z."""

SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, started_at REAL NOT NULL,
  ended_at REAL, title TEXT, parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
  role TEXT NOT NULL, content TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
  active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0,
  display_kind TEXT, _compressed_summary INTEGER);
CREATE INDEX idx_messages_session ON messages (session_id, timestamp);
"""

AT_ONCE = 8
"""Sessions that go on at the same time, so that their messages lie mixed."""


def build(path: Path, messages: int, sessions: int) -> None:
    """Writes a store: of five messages two the user's, two the assistant's, one a tool's."""
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "wal")
    with db:
        db.execute(SCHEMA)
        db.executemany(
            "INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', ?)",
            ((f"s{n:05}", START + n * 3600) for n in range(sessions)),
        )
        db.executemany(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
            _rows(messages, sessions),
        )
    db.close()


def _rows(messages: int, sessions: int) -> Iterator[tuple[str, str, str, float]]:
    rng = random.Random(7)
    texts = notes.notes(20_000)
    each = messages // sessions
    for group in range(0, sessions, AT_ONCE):
        names = [f"s{n:05}" for n in range(group, min(group + AT_ONCE, sessions))]
        for turn in range(each):
            for offset, name in enumerate(names):
                role = ("user", "assistant", "tool", "user", "assistant")[turn % 5]
                count = 1 if role == "user" else rng.randint(1, 4)
                text = "。".join(rng.choice(texts) for _ in range(count))
                at = START + (group + offset) * 3600 + turn * 30
                yield name, role, f"{text}（{name}第 {turn} 句）", at
