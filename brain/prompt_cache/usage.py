"""Token usage: what each request of a session read from the cache, out of hosts' transcripts.

Claude Code writes ``message.usage`` with every answer, where ``input_tokens`` is what neither came
from the cache nor went into it; a message of several parts stands on several lines, each with the
same usage. Codex writes ``token_count`` events, where ``cached_input_tokens`` is a part of
``input_tokens``, and writes one again when only the rate limits have changed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from brain.errors import EXIT_NO_INPUT, BrainError
from brain.ingest import transcripts
from brain.ingest.entry import Fault
from brain.ingest.files import COMPRESSED, reading_errors, uncompressed_suffix
from brain.ingest.records import label, name_of, of_lines
from brain.inject import pack
from brain.inject.brief import fingerprint

CLAUDE, CODEX = "claude-code", "codex"

SHORT_LIFE, LONG_LIFE = 300.0, 3600.0
"""Seconds without use after which a provider may let a cached prompt go: five minutes, or an hour
where it was written for one (Anthropic's "Prompt caching"; OpenAI's says 5 to 10 minutes)."""

MOST_FAULTS = 1000
"""Lines passed over that are told one by one."""

_LARGEST = 10**12
_BLOCK = re.compile("⟦记忆⟧.*?⟦/记忆⟧", re.DOTALL)
_TURN_OPENINGS = (pack.OPENING, pack.SHORT_OPENING)
"""A block that begins so answers one question and stands behind the prefix."""

_COMPACTED = frozenset({"compact_boundary", "microcompact_boundary"})
_SHORTENED = frozenset({"compacted", "context_compacted", "compaction", "thread_rolled_back"})
_TOOL_CHANGES = frozenset({"deferred_tools_delta", "mcp_instructions_delta", "agent_listing_delta"})
_CHANGED = ("addedNames", "removedNames")
_READ_BY_THE_MODEL = frozenset({"user", "system", "attachment"})


@dataclass(frozen=True, slots=True)
class Turn:
    """One request to a model.

    Args:
        at: when it was answered; None when that is not told.
        read, written, fresh: tokens of the prompt that came from the cache, that went into it, and
            that did neither.
        life: seconds the cache lives without use.
        compacted: the conversation before it was made shorter since the request before.
        memory: the fingerprint of the brief that stands in it, '' for none seen.
        tools: a fingerprint of the tools it was given, '' when that is not told.
    """

    at: datetime | None = None
    model: str = ""
    read: int = 0
    written: int = 0
    fresh: int = 0
    life: float = SHORT_LIFE
    compacted: bool = False
    memory: str = ""
    tools: str = ""

    @property
    def prompt(self) -> int:
        """Tokens of the whole prompt."""
        return self.read + self.written + self.fresh


@dataclass(slots=True)
class Session:
    """The requests of one session, in order, and what holds for its next one."""

    id: str
    host: str
    turns: list[Turn] = field(default_factory=list)
    next: Turn = field(default_factory=Turn)
    total: object = None

    def answered(self, turn: Turn) -> None:
        """Notes a request."""
        self.turns.append(turn)
        self.next = replace(self.next, compacted=False)


class Reading:
    """Transcripts being read: their sessions in the order met, and the lines passed over."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.faults: list[tuple[str, Fault]] = []
        self._messages: set[str] = set()

    def read(self, path: Path) -> None:
        """Reads a transcript, or every one of a folder; what a resumed session repeats counts once.

        Raises:
            BrainError: ``brain_transcript_invalid`` (65) for a file that is none, and for a folder
                without one; those of :func:`brain.ingest.files.opened`.
        """
        with reading_errors(path):
            if path.is_dir():
                self._folder(path)
                return
            if not path.is_file():
                raise BrainError(
                    "brain_ingest_missing", f"没有这个文件或文件夹：{path}", EXIT_NO_INPUT
                )
        if not self._file(path):
            raise _no_transcript(path)

    def _folder(self, root: Path) -> None:
        found = False
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(folder, name)
                if uncompressed_suffix(path) == ".jsonl" and path.is_file():
                    if self._file(path):
                        found = True
                    else:
                        self._fault(path, Fault(0, "不是会话记录，跳过了。"))
        if not found:
            raise _no_transcript(root)

    def _file(self, path: Path) -> bool:
        """Reads one file; False when no line of it is one of a transcript."""
        session: Session | None = None
        for record in of_lines(path):
            if isinstance(record, Fault):
                self._fault(path, record)
                continue
            row = record.value
            if transcripts.fits_codex(row):
                session = self._codex(row, session, path)
            elif transcripts.fits_claude(row) or _usage(row):
                session = self._claude(row, path) or session
        return session is not None

    def _fault(self, path: Path, fault: Fault) -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append((str(path), fault))

    def _session(self, name: str, host: str) -> Session:
        return self.sessions.setdefault(name, Session(name, host))

    # Claude Code ---------------------------------------------------------------------------------

    def _claude(self, row: Mapping[str, Any], path: Path) -> Session:
        name = name_of(row.get("sessionId")) or _stem(path)
        if row.get("isSidechain"):
            # A subagent has a prompt of its own.
            name = f"{name}/{name_of(row.get('agentId')) or 'sidechain'}"
        session = self._session(name, CLAUDE)
        kind = label(row.get("type"))
        told = session.next
        if row.get("isCompactSummary") or label(row.get("subtype")) in _COMPACTED:
            told = replace(told, compacted=True)
        if kind in _READ_BY_THE_MODEL:
            told = replace(told, memory=_standing(row) or told.memory)
        session.next = replace(told, tools=_claude_tools(row, told.tools))
        usage = _usage(row)
        if usage and not row.get("isApiErrorMessage"):
            self._claude_turn(session, row, usage)
        return session

    def _claude_turn(
        self, session: Session, row: Mapping[str, Any], usage: Mapping[str, Any]
    ) -> None:
        message = row["message"]
        name = name_of(message.get("id"))
        if name in self._messages:
            return
        lives = usage.get("cache_creation")
        for_an_hour = isinstance(lives, dict) and _count(lives.get("ephemeral_1h_input_tokens"))
        turn = replace(
            session.next,
            at=moment(row.get("timestamp")),
            model=label(message.get("model")),
            read=_count(usage.get("cache_read_input_tokens")),
            written=_count(usage.get("cache_creation_input_tokens")),
            fresh=_count(usage.get("input_tokens")),
            life=LONG_LIFE if for_an_hour else session.next.life,
        )
        if not turn.prompt:  # an answer the host wrote itself
            return
        if name:
            self._messages.add(name)
        session.next = replace(session.next, life=turn.life)
        session.answered(turn)

    # Codex ---------------------------------------------------------------------------------------

    def _codex(self, row: Mapping[str, Any], session: Session | None, path: Path) -> Session:
        inner = row.get("payload")
        item: Mapping[str, Any] = inner if isinstance(inner, dict) else row
        kind = label(row.get("type"))
        if session is None or kind == "session_meta":
            name = name_of(item.get("id")) if kind == "session_meta" else ""
            session = self._session(name or _stem(path), CODEX)
        told = session.next
        if kind in _SHORTENED or (kind == "event_msg" and label(item.get("type")) in _SHORTENED):
            told = replace(told, compacted=True)
        if kind == "turn_context":
            told = replace(told, model=label(item.get("model")) or told.model)
        if kind == "session_meta" or item.get("role") in ("user", "developer"):
            told = replace(told, memory=_standing(item) or told.memory)
        tools = item.get("tools") or item.get("dynamic_tools")
        if isinstance(tools, list):
            told = replace(told, tools=_digest(tools))
        session.next = told
        if item.get("type") == "token_count" and isinstance(item.get("info"), dict):
            _codex_turn(session, row, item["info"])
        return session


def _codex_turn(session: Session, row: Mapping[str, Any], info: Mapping[str, Any]) -> None:
    total, last = info.get("total_token_usage"), info.get("last_token_usage")
    same = total if isinstance(total, dict) else (row.get("timestamp"), last)
    if not isinstance(last, dict) or same == session.total:
        return
    session.total = same
    prompt = _count(last.get("input_tokens"))
    read = min(_count(last.get("cached_input_tokens")), prompt)
    written = _count(last.get("cache_write_input_tokens") or last.get("cache_write_tokens"))
    written = min(written, prompt - read)
    if prompt:
        session.answered(
            replace(
                session.next,
                at=moment(row.get("timestamp")),
                model=label(info.get("model")) or session.next.model,
                read=read,
                written=written,
                fresh=prompt - read - written,
            )
        )


def moment(value: object) -> datetime | None:
    """A written time, UTC where it names no zone; None for anything else."""
    try:
        at = datetime.fromisoformat(label(value))
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _usage(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    message = row.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    return usage if isinstance(usage, dict) else None


def _count(value: object) -> int:
    """A number of tokens; 0 for what is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < _LARGEST else 0  # type: ignore[operator,return-value]


def _stem(path: Path) -> str:
    name = path.name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name.removesuffix(".jsonl")


def _standing(value: Any) -> str:
    """The fingerprint of the last brief in what a model reads, '' without one.

    What a tool gave is passed over: a page about memories is none.
    """
    found = ""
    for text in _texts(value):
        if "⟦记忆⟧" not in text:
            continue
        for block in _BLOCK.findall(text):
            if not block.startswith(_TURN_OPENINGS):
                found = fingerprint(block)
    return found


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if one.startswith("{") and "⟦记忆⟧" in one:  # what a hook printed
                try:
                    waiting.append(json.loads(one))
                    continue
                except (ValueError, RecursionError):
                    pass
            yield one
        elif isinstance(one, list):
            waiting += reversed(one)
        elif isinstance(one, dict) and one.get("type") != "tool_result":
            waiting += reversed([v for k, v in one.items() if k != "toolUseResult"])


def _claude_tools(row: Mapping[str, Any], before: str) -> str:
    tools = row.get("tools")
    if isinstance(tools, list):
        return _digest(tools)
    attached = row.get("attachment")
    if isinstance(attached, dict) and label(attached.get("type")) in _TOOL_CHANGES:
        names = [attached.get(name) for name in _CHANGED]
        if any(names):
            return _digest([before, *names])
    return before


def _digest(value: object) -> str:
    told = json.dumps(value, ensure_ascii=True, sort_keys=True)
    return sha256(told.encode()).hexdigest()[:16]


def _no_transcript(path: Path) -> BrainError:
    return BrainError(
        "brain_transcript_invalid",
        f"{path} 不是 Claude Code 或 Codex 的会话记录（.jsonl）。",
    )
