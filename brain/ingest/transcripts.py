"""Agent transcripts as JSON Lines, one session a file: Claude Code, Codex CLI, OpenClaw.

Claude Code keeps them in ``~/.claude/projects/**/*.jsonl``, Codex in
``~/.codex/sessions/**/rollout-*.jsonl``, OpenClaw in ``~/.openclaw/agents/*/sessions/*.jsonl``.
Kept are the words of the user and of the assistant. Tool calls and results, thinking, side chains
of subagents, meta rows and summaries of compaction are no memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.chat import SPEAKERS, Turn, content_text, episodes
from brain.ingest.entry import Fault, Found, since
from brain.ingest.files import File
from brain.ingest.records import of_lines

_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")

_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def fits_claude(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    return "sessionId" in value and "type" in value and "payload" not in value


def read_claude(file: File) -> Iterator[Found]:
    """The episodes of one transcript."""
    yield from episodes("claude-code", file.path.stem, _claude_turns(file))


def _claude_turns(file: File) -> Iterator[Turn | Fault]:
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
        text = content_text(message.get("content"))
        when = since(row.get("timestamp"))
        yield Turn(str(role), text, name, record.number, when, record.at)


def fits_codex(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    if isinstance(value.get("payload"), dict) and value.get("type") in _TYPES:
        return True
    return value.get("type") == "message" and "role" in value and "content" in value


def read_codex(file: File) -> Iterator[Found]:
    """The episodes of one session."""
    yield from episodes("codex", file.path.stem, _codex_turns(file))


def _codex_turns(file: File) -> Iterator[Turn | Fault]:
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
        text = content_text(item.get("content"))
        when = since(row.get("timestamp"))
        yield Turn(str(role), text, record.number, record.number, when, record.at)


def fits_openclaw(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    head = value.get("type") == "session" and "id" in value
    return head or (value.get("type") == "message" and isinstance(value.get("message"), dict))


def read_openclaw(file: File) -> Iterator[Found]:
    """The episodes of one session."""
    yield from episodes("openclaw", file.path.stem, _openclaw_turns(file))


def _openclaw_turns(file: File) -> Iterator[Turn | Fault]:
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
        text = content_text(message.get("content"))
        yield Turn(str(role), text, name, record.number, when, record.at)
