"""Agent transcripts as JSON Lines, one session a file: Claude Code, Codex, OpenClaw, Cursor and
Gemini CLI.

Claude Code keeps them in ``~/.claude/projects/**/*.jsonl``, Codex in
``~/.codex/sessions/**/rollout-*.jsonl`` (older ones compressed as ``.jsonl.zst``), OpenClaw in
``~/.openclaw/agents/*/sessions/*.jsonl``, Cursor's CLI in
``~/.cursor/projects/*/agent-transcripts/**/*.jsonl``, Gemini CLI in ``~/.gemini/tmp/*/chats/``.
Kept are the words of the user and of the assistant. Tool calls and results, thinking, side chains
of subagents, meta rows and summaries of compaction are no memories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from brain.ingest.chat import SPEAKERS, Talk, Told, Turn, content_text
from brain.ingest.entry import Fault, since
from brain.ingest.files import File
from brain.ingest.records import Record, label, name_of, of_array, of_lines, one_object
from brain.text.scaffolding import ASSISTANT, USER, spoken

_NOT_SAID = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)
_SYNTHETIC = "<synthetic>"
"""The model that Claude Code names for an answer it wrote itself."""

_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


# Claude Code -------------------------------------------------------------------------------------


def fits_claude(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    return "sessionId" in value and label(value.get("type")) != "" and "payload" not in value


def read_claude(file: File) -> Iterator[Told]:
    """The session of one transcript."""
    yield Talk("claude-code", file.stem, _claude_turns(file), "claude_code")


class _Queue:
    """Prompts typed while the host was busy, until it is clear what became of each.

    They stand in the file when they are queued (``enqueue``) and again when they leave the queue:
    as a turn of their own (``dequeue``, then a ``user`` row), or folded into the running turn
    (``remove``, an ``attachment`` row, or both, and never a ``user`` row).
    """

    def __init__(self) -> None:
        self.waiting: dict[str, Turn] = {}
        self.removed: Counter[str] = Counter()
        self.attached: Counter[str] = Counter()
        self.given: set[str] = set()

    def operate(self, row: dict[str, Any], record: Record) -> Turn | None:
        """The turn that a ``queue-operation`` row gives, if any."""
        text = content_text(row.get("content")).strip()
        what = row.get("operation")
        if what == "enqueue" and text:
            self.waiting[text] = _said(row, USER, text, record)
        elif what == "dequeue" and self.waiting:
            self.waiting.pop(text if text in self.waiting else next(iter(self.waiting)))
        elif what == "popAll":
            self.waiting.clear()  # back into the input line, to be sent again or not at all
        elif what == "remove" and text:
            if self.attached[text]:
                self.attached[text] -= 1
            else:
                self.removed[text] += 1
                return self._leave(text, _said(row, USER, text, record))
        return None

    def attach(self, row: dict[str, Any], attached: dict[str, Any], record: Record) -> Turn | None:
        """The turn that a ``queued_command`` gives, if any."""
        text = content_text(attached.get("prompt")).strip()
        mode = attached.get("commandMode")
        if not text or mode not in (None, "prompt") or not _of_a_person(attached):
            self.waiting.pop(text, None)
            return None
        if self.removed[text]:
            self.removed[text] -= 1
            return None
        self.attached[text] += 1
        return self._leave(text, _said(row, USER, text, record))

    def _leave(self, text: str, turn: Turn) -> Turn:
        self.waiting.pop(text, None)
        self.given.add(text)
        return turn

    def typed(self, text: str) -> bool:
        """Whether a ``user`` row says something new, not what was given from the queue just now."""
        self.waiting.pop(text.strip(), None)
        return text.strip() not in self.given

    def answered(self) -> None:
        """From an answer on, the same words are said again."""
        self.given.clear()


def _said(row: dict[str, Any], role: str, text: str, record: Record) -> Turn:
    name = name_of(row.get("uuid")) or str(record.number)
    return Turn(role, text, name, record.number, since(row.get("timestamp")), record.at)


def _of_a_person(row: dict[str, Any]) -> bool:
    """Whether nothing says that a machine sent it: a task, another session, a timer."""
    origin = row.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return kind in (None, "human")


def _claude_turns(file: File) -> Iterator[Turn | Fault]:
    told: set[str] = set()
    queue = _Queue()
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        role = label(row.get("type"))
        queued: Turn | None = None
        if role == "queue-operation":
            queued = queue.operate(row, record)
        elif role == "attachment":
            attached = row.get("attachment")
            if isinstance(attached, dict) and attached.get("type") == "queued_command":
                queued = queue.attach(row, attached, record)
        if queued is not None:
            yield queued
            continue
        message = row.get("message")
        if role not in SPEAKERS or not isinstance(message, dict):
            continue
        if any(row.get(name) for name in _NOT_SAID) or not _of_a_person(row):
            continue
        if message.get("model") == _SYNTHETIC:
            continue
        turn = _said(row, role, content_text(message.get("content")), record)
        if turn.id in told:  # a resumed session repeats what it was resumed from
            continue
        told.add(str(turn.id))
        if role == ASSISTANT and turn.text.strip():
            queue.answered()
        elif role == USER and turn.text.strip() and not queue.typed(turn.text):
            continue
        yield turn
    # Typed and never sent: the host was still busy, or it ended.
    yield from queue.waiting.values()


# Codex -------------------------------------------------------------------------------------------


def fits_codex(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    if isinstance(value.get("payload"), dict) and label(value.get("type")) in _TYPES:
        return True
    return value.get("type") == "message" and "role" in value and "content" in value


def read_codex(file: File) -> Iterator[Told]:
    """The session of one rollout."""
    yield Talk("codex", file.stem, _codex_turns(file), "codex")


def _codex_turns(file: File) -> Iterator[Turn | Fault]:
    turns: list[Turn] = []
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        nested = row.get("payload")
        item = nested if isinstance(nested, dict) else row
        kind = label(row.get("type"))
        if kind == "session_meta" and _of_a_subagent(item):
            return
        if kind == "event_msg" and item.get("type") == "thread_rolled_back":
            turns = _rolled_back(turns, item.get("num_turns"))
        if kind not in {"response_item", "message"} or item.get("type") != "message":
            continue
        role = label(item.get("role"))
        if role in SPEAKERS:
            when = since(row.get("timestamp"))
            text = _codex_text(item.get("content"), role)
            turns.append(Turn(role, text, record.number, record.number, when, record.at))
    yield from turns


def _codex_text(content: object, role: str) -> str:
    # Part by part: the host's parts stand beside the user's, and not all of them are closed.
    parts = content if isinstance(content, list) else [content]
    texts = (spoken(content_text([part]), "codex", role) for part in parts)
    return "\n\n".join(text for text in texts if text)


def _of_a_subagent(meta: dict[str, Any]) -> bool:
    source = meta.get("source")
    return isinstance(source, dict) and "subagent" in source


def _rolled_back(turns: list[Turn], count: object) -> list[Turn]:
    """Turns without the last ones that the user took back, each with what was answered to it."""
    starts = [n for n, turn in enumerate(turns) if turn.role == USER and turn.text]
    if not isinstance(count, int) or count < 1 or not starts:
        return turns
    return turns[: starts[-min(count, len(starts))]]


# OpenClaw ----------------------------------------------------------------------------------------


def fits_openclaw(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    head = value.get("type") == "session" and "id" in value
    return head or (value.get("type") == "message" and isinstance(value.get("message"), dict))


def read_openclaw(file: File) -> Iterator[Told]:
    """The session of one file."""
    yield Talk("openclaw", file.stem, _openclaw_turns(file), "openclaw")


def _openclaw_turns(file: File) -> Iterator[Turn | Fault]:
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        message = row.get("message")
        if row.get("type") != "message" or not isinstance(message, dict):
            continue
        role = label(message.get("role"))
        if role not in SPEAKERS or _of_the_gateway(row) or _of_the_gateway(message):
            continue
        when = since(row.get("timestamp") or message.get("timestamp"))
        name = name_of(row.get("id")) or str(record.number)
        text = content_text(message.get("content"))
        yield Turn(role, text, name, record.number, when, record.at)


def _of_the_gateway(row: dict[str, Any]) -> bool:
    told = row.get("provenance") or row.get("inputProvenance")
    return isinstance(told, dict) and told.get("kind") == "internal_system"


# Cursor's CLI ------------------------------------------------------------------------------------


def fits_cursor(value: dict[str, Any]) -> bool:
    """Whether a line is one of such a file."""
    inner = value.get("message")
    return label(value.get("role")) in SPEAKERS and isinstance(inner, dict) and "content" in inner


def read_cursor(file: File) -> Iterator[Told]:
    """The session of one transcript."""
    yield Talk("cursor", file.stem, _cursor_turns(file), "cursor")


def _cursor_turns(file: File) -> Iterator[Turn | Fault]:
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        message = row.get("message")
        role = label(row.get("role"))
        if role in SPEAKERS and isinstance(message, dict):
            text = content_text(message.get("content"))
            when = since(row.get("timestamp"))
            yield Turn(role, text, record.number, record.number, when, record.at)


# Gemini CLI --------------------------------------------------------------------------------------

_GEMINI = {"user": USER, "gemini": ASSISTANT, "model": ASSISTANT}


def fits_gemini(value: dict[str, Any]) -> bool:
    """Whether a line, or a file that is one object, is such a session's."""
    return "sessionId" in value and "projectHash" in value


def fits_gemini_turn(value: dict[str, Any]) -> bool:
    """Whether an element is a turn of a chat that was saved by name (``/chat save``)."""
    return label(value.get("role")) in _GEMINI and isinstance(value.get("parts"), list)


def read_gemini(file: File) -> Iterator[Told]:
    """The session of one file: an object, JSON Lines, or an array of turns."""
    yield Talk("gemini-cli", file.stem, _gemini_turns(file), "gemini_cli")


def _gemini_turns(file: File) -> Iterator[Turn | Fault]:
    """Of a message that was written again the last form counts; what was rewound does not."""
    turns: dict[str, Turn] = {}
    for record in _gemini_records(file):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        back = row.get("$rewindTo")
        if isinstance(back, str):
            names = list(turns)
            gone = names[names.index(back) :] if back in turns else names
            for name in gone:
                del turns[name]
            continue
        role = _GEMINI.get(label(row.get("type")) or label(row.get("role")))
        if role is None:
            continue
        content = row.get("content") if "content" in row else row.get("parts")
        name = name_of(row.get("id")) or str(record.number)
        when = since(row.get("timestamp"))
        turns[name] = Turn(role, content_text(content), name, record.number, when, record.at)
    yield from turns.values()


def _gemini_records(file: File) -> Iterable[Record | Fault]:
    found = one_object(file.path, "messages")
    if found is not None:
        return found
    with file.path.open("rb") as f:
        is_array = f.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["
    return of_array(file.path) if is_array else of_lines(file.path)
