"""Hook command: reads a host's JSON event, prints the context its hook is to give.

A fault of ours blocks nobody's turn.
"""

from __future__ import annotations

import json
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from brain.cli import scope as scopes
from brain.cli.console import note, out
from brain.cli.options import Budget, Db, Json, Scope, WithBrief, given
from brain.cli.target import ask
from brain.cli.verbs import about
from brain.errors import EXIT_DATA, BrainError
from brain.text.scaffolding import spoken

if TYPE_CHECKING:
    from brain.cli.target import Memory

MAX_BYTES = 16 * 1024 * 1024

SILENCE = 1.0
"""Seconds without a byte after which no more will come: some hosts never close the pipe."""

PATIENCE = 5.0
"""Seconds after which a host that goes on dripping has none."""

_CHUNK = 65536

PROMPT = "prompt"
START = "start"
TOOL = "tool"

TOOL_EVENT = "PreToolUse"

COMMAND_KEYS = ("command", "cmd", "script")
PATH_KEYS = ("file_path", "path", "notebook_path", "target_file")
"""Where a tool's input says what is run, and which file is edited."""

EDITING = r"(?i)edit|write|patch|replace|create|notebook"
"""Names of tools that change files; reading ones are not asked about."""

MOST_ACTION = 2_000
"""Characters of an action that are asked about."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened in the host.

    Args:
        name: ``PROMPT``, ``START`` or ``TOOL``.
        prompt: what the person said, or what a tool is about to do; '' at a session's start.
        folder: where the host works; '' when it did not say.
    """

    name: str
    prompt: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How a host speaks.

    Args:
        prompt_event: its name for what comes before a turn; meant when none is given.
        start_event: its name for a session's start; None when it takes no context there.
        prompt: the keys that lead to what the person said.
        folder: the keys that lead to where it works; of a list the first.
        answer: from its name of the event and the block to what it reads.
        drawer: whose scaffolding its turns carry; see :mod:`brain.text.scaffolding`.
        tools: whether it also tells of a tool about to be used.
        asks: whether it can be told to ask the person first.
    """

    prompt_event: str
    start_event: str | None
    prompt: tuple[str, ...]
    folder: tuple[str, ...]
    answer: Callable[[str, str], dict[str, object]]
    drawer: str = "claude_code"
    tools: bool = False
    asks: bool = False


def _nested(name: str, block: str) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": block}}


def _flat(name: str, block: str) -> dict[str, object]:
    told: dict[str, object] = {"additional_context": block}
    return {"continue": True, **told} if name == "beforeSubmitPrompt" else told


def _context(_: str, block: str) -> dict[str, object]:
    return {"context": block}


_CLAUDE = _Dialect(
    "UserPromptSubmit", "SessionStart", ("prompt",), ("cwd",), _nested, tools=True, asks=True
)
_CODEX = replace(_CLAUDE, asks=False)
"""It refuses ``ask`` as unknown and runs the tool: there the reason is context alone."""

_DIALECTS: Mapping[str, _Dialect] = {
    "claude-code": _CLAUDE,
    "codex": replace(_CODEX, drawer="codex"),
    "qoder": _CLAUDE,
    "trae": _CLAUDE,
    "cursor": _Dialect(
        "beforeSubmitPrompt", "sessionStart", ("prompt",), ("workspace_roots",), _flat, "cursor"
    ),
    "hermes": _Dialect(
        "pre_llm_call", None, ("extra", "user_message"), ("cwd",), _context, "hermes"
    ),
}

HOSTS = tuple(_DIALECTS)


def check_host(host: str) -> None:
    """Raises ``brain_hook_unknown`` (65) for a host whose hooks are not known here."""
    if host not in HOSTS:
        told = f"不认识宿主「{host[:40]}」；有：{'、'.join(HOSTS)}。"
        raise BrainError("brain_hook_unknown", told, EXIT_DATA)


def parse_event(host: str, data: bytes) -> Event | None:
    """The event on a hook's stdin; None for what is none, concerns us not, or nobody typed."""
    dialect = _DIALECTS[host]
    try:
        given = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    name = given.get("hook_event_name", dialect.prompt_event)
    folder = _text(_at(given, dialect.folder))
    if name is not None and name == dialect.start_event:
        return Event(START, "", folder)
    if name == TOOL_EVENT and dialect.tools:
        action = _action(given)
        return Event(TOOL, action, folder) if action.strip() else None
    prompt = spoken(_text(_at(given, dialect.prompt)), dialect.drawer)
    if name == dialect.prompt_event and prompt.strip():
        return Event(PROMPT, prompt, folder)
    return None


def _action(given: dict[str, Any]) -> str:
    """What a tool is about to do: the command line, or an editing tool's name and path."""
    tool, asked = _text(given.get("tool_name")), given.get("tool_input")
    if not isinstance(asked, dict):
        return ""
    command = next((asked[key] for key in COMMAND_KEYS if asked.get(key)), None)
    if isinstance(command, list):
        command = " ".join(part for part in command if isinstance(part, str))
    if isinstance(command, str):
        return command[:MOST_ACTION]
    path = next((_text(asked[key]) for key in PATH_KEYS if asked.get(key)), "")
    return f"{tool} {path}"[:MOST_ACTION] if path and re.search(EDITING, tool) else ""


def _at(given: Any, keys: tuple[str, ...]) -> object:
    for key in keys:
        given = given.get(key) if isinstance(given, dict) else None
    return given[0] if isinstance(given, list) and given else given


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_event() -> bytes:
    """What a host writes to stdin: until its object is complete, or it falls silent."""
    if sys.stdin is None:
        return b""
    try:
        source = sys.stdin.fileno()
    except (OSError, ValueError):  # no file: whoever runs us within a program of theirs
        return sys.stdin.buffer.read(MAX_BYTES)
    chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        data = b"?"
        while data:
            try:
                data = os.read(source, _CHUNK)
            except OSError:
                data = b""
            chunks.put(data)

    # Not by select: it knows no pipes on Windows. The thread ends with us.
    threading.Thread(target=read, daemon=True).start()
    held = bytearray()
    until = time.monotonic() + PATIENCE
    while len(held) < MAX_BYTES and time.monotonic() < until:
        try:
            data = chunks.get(timeout=SILENCE)
        except queue.Empty:
            break
        held += data
        if not data or _is_whole(held):
            break
    return bytes(held)


def _is_whole(data: bytes | bytearray) -> bool:
    """Whether the bytes so far are one complete JSON value that closes with a brace."""
    if not data.rstrip().endswith(b"}"):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def format_answer(host: str, event: Event, block: str) -> str:
    """What the host reads; '' for nothing to say."""
    if not block:
        return ""
    dialect = _DIALECTS[host]
    name = dialect.start_event if event.name == START else dialect.prompt_event
    return json.dumps(dialect.answer(name or "", block), ensure_ascii=False)


@about(
    "给宿主的钩子用：读它的 JSON，给它要的上下文",
    "brain hook claude-code",
    "brain hook cursor --scope auto --budget 300",
    "brain hook hermes --with-brief",
    more="一轮开始之前得到 inject 的那一段，会话开始时得到 brief，用工具之前（PreToolUse）看前例；"
    "没有可说的、输入不对、记忆出错时都安静地以 0 退出，绝不拦住人的话。",
    served=True,
    for_host=True,
)
def hook(
    host: Annotated[str, typer.Argument(metavar="宿主", help="、".join(HOSTS))],
    budget: Budget = None,
    scope: Scope = None,
    with_brief: WithBrief = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints what a host's hook is to print."""
    check_host(host)
    told = ""
    try:
        event = parse_event(host, read_event())
        if event is not None and event.name == TOOL:
            told = _before(_DIALECTS[host], event, db, scope)
        elif event is not None:
            told = format_answer(host, event, _block(event, db, scope, budget, with_brief))
    except Exception as error:  # whatever it is: the person's turn goes on
        if os.environ.get("BRAIN_DEBUG") == "1":
            note(f"{type(error).__name__}: {error}")
        return 0
    if told:
        out(told)
    return 0


def _block(
    event: Event, db: str | None, scope: str | None, budget: int | None, with_brief: bool
) -> str:
    where = _scope(scope, event.folder)

    def use(brain: Memory) -> str:
        if event.name == START:
            return brain.brief(budget, scope=where).block
        more = given(with_brief=with_brief)
        root = _root(event.folder)
        try:
            return brain.inject(event.prompt, budget=budget, scope=where, **more, **root).block
        except BrainError as error:
            # A server elsewhere has no such folder, an older one no such argument.
            if not root or error.code not in ("brain_usage", "brain_root_missing"):
                raise
            return brain.inject(event.prompt, budget=budget, scope=where, **more).block

    return ask(db, use, read_only=False, quiet=True)


def _before(dialect: _Dialect, event: Event, db: str | None, scope: str | None) -> str:
    """What is said before a tool is used; '' where nothing speaks against it."""
    where = _scope(scope, event.folder)
    found = ask(db, lambda brain: brain.before(event.prompt, scope=where), quiet=True)
    if found.verdict not in ("danger", "warning"):
        return ""
    from brain.inject.pack import MOST_WARNINGS, warning_line

    reasons = list(found.reasons[:MOST_WARNINGS])
    if found.alternative is not None:
        reasons = [*reasons[:1], found.alternative]
    told = "\n".join(warning_line(reason) for reason in reasons)
    body: dict[str, object] = {"hookEventName": TOOL_EVENT}
    if found.verdict == "danger" and dialect.asks:
        body |= {"permissionDecision": "ask", "permissionDecisionReason": told}
    else:
        body["additionalContext"] = told
    return json.dumps({"hookSpecificOutput": body}, ensure_ascii=False)


def _root(folder: str) -> dict[str, Any]:
    """The project the host works in, whose files memories may speak of; nothing without one."""
    if not folder or not os.path.isdir(folder):
        return {}
    from brain.repository import top

    return {"root": str(top(Path(folder)) or os.path.abspath(folder))}


def _scope(given: str | None, folder: str) -> str:
    """As :func:`brain.cli.scope.resolve`, with the folder the host works in."""
    scope = os.environ.get("BRAIN_SCOPE", "") if given is None else given
    if scope == scopes.AUTO and folder:
        return scopes.of_repository(Path(folder))
    return scopes.resolve(scope)
