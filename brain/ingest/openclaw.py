"""OpenClaw's sessions: ``~/.openclaw/agents/*/sessions/*.jsonl``, the first line ``session``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.chat import SPEAKERS, Turn, episodes, said
from brain.ingest.entry import Fault, Found
from brain.ingest.files import File
from brain.ingest.records import of_lines
from brain.ingest.times import since


def fits(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    head = value.get("type") == "session" and "id" in value
    return head or (value.get("type") == "message" and isinstance(value.get("message"), dict))


def read(file: File) -> Iterator[Found]:
    """The episodes of one session."""
    yield from episodes("openclaw", file.path.stem, _turns(file))


def _turns(file: File) -> Iterator[Turn | Fault]:
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        message = row.get("message")
        if row.get("type") != "message" or not isinstance(message, dict):
            continue
        role = message.get("role")
        if role not in SPEAKERS:
            continue
        when = since(row.get("timestamp") or message.get("timestamp"))
        name = str(row.get("id") or record.number)
        text = said(message.get("content"))
        yield Turn(str(role), text, name, record.number, when, record.at)
