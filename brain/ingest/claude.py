"""Claude Code's transcripts: ``~/.claude/projects/**/*.jsonl``, one session a file.

Kept are the words of the user and of the assistant. Tool calls and results, thinking, side chains
of subagents, meta rows and summaries of compaction are no memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.chat import SPEAKERS, Turn, episodes, said
from brain.ingest.entry import Fault, Found
from brain.ingest.files import File
from brain.ingest.records import of_lines
from brain.ingest.times import since

_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")


def fits(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    return "sessionId" in value and "type" in value and "payload" not in value


def read(file: File) -> Iterator[Found]:
    """The episodes of one transcript."""
    yield from episodes("claude-code", file.path.stem, _turns(file))


def _turns(file: File) -> Iterator[Turn | Fault]:
    told: set[str] = set()
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        message = row.get("message")
        role = row.get("type")
        if role not in SPEAKERS or not isinstance(message, dict):
            continue
        if any(row.get(name) for name in _NOT_SAID):
            continue
        name = str(row.get("uuid") or record.number)
        if name in told:  # a resumed session repeats what it was resumed from
            continue
        told.add(name)
        text = said(message.get("content"))
        when = since(row.get("timestamp"))
        yield Turn(str(role), text, name, record.number, when, record.at)
