"""Codex CLI's sessions: ``~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl``.

A line is ``{timestamp, type, payload}``; what was said is in ``response_item`` rows of type
``message``. Older files hold the payloads alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.chat import SPEAKERS, Turn, episodes, said
from brain.ingest.entry import Fault, Found
from brain.ingest.files import File
from brain.ingest.records import of_lines
from brain.ingest.times import since

_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def fits(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    if isinstance(value.get("payload"), dict) and value.get("type") in _TYPES:
        return True
    return value.get("type") == "message" and "role" in value and "content" in value


def read(file: File) -> Iterator[Found]:
    """The episodes of one session."""
    yield from episodes("codex", file.path.stem, _turns(file))


def _turns(file: File) -> Iterator[Turn | Fault]:
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        nested = row.get("payload")
        item = nested if isinstance(nested, dict) else row
        if row.get("type") not in {"response_item", "message"} or item.get("type") != "message":
            continue
        role = item.get("role")
        if role not in SPEAKERS:
            continue
        text = said(item.get("content"))
        when = since(row.get("timestamp"))
        yield Turn(str(role), text, record.number, record.number, when, record.at)
