"""What a host hands to a hook, and what it expects back. Pure functions.

Claude Code (docs: Hooks reference) gives the event as JSON on stdin and takes JSON on stdout whose
``hookSpecificOutput.additionalContext`` is put before the model; exit status 2 would block the
person's turn. Codex CLI, Qoder and Trae took over both. Cursor (docs: Hooks) has events and a flat
answer of its own; that ``additional_context`` is taken at ``beforeSubmitPrompt`` too is what its
client does, the docs name it at ``sessionStart`` alone. Hermes Agent (docs: Event Hooks, "Shell
Hooks") keeps the prompt in ``extra.user_message`` and takes ``{"context": …}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from brain.errors import EXIT_DATA, BrainError

PROMPT = "prompt"
START = "start"


@dataclass(frozen=True, slots=True)
class Event:
    """What happened in the host.

    Args:
        name: ``PROMPT`` or ``START``.
        prompt: what the person said; '' at a session's start.
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
    """

    prompt_event: str
    start_event: str | None
    prompt: tuple[str, ...]
    folder: tuple[str, ...]
    answer: Callable[[str, str], dict[str, object]]


def _nested(name: str, block: str) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": block}}


def _flat(name: str, block: str) -> dict[str, object]:
    told: dict[str, object] = {"additional_context": block}
    return {"continue": True, **told} if name == "beforeSubmitPrompt" else told


def _context(_: str, block: str) -> dict[str, object]:
    return {"context": block}


_CLAUDE = _Dialect("UserPromptSubmit", "SessionStart", ("prompt",), ("cwd",), _nested)

_DIALECTS: Mapping[str, _Dialect] = {
    "claude-code": _CLAUDE,
    "codex": _CLAUDE,
    "qoder": _CLAUDE,
    "trae": _CLAUDE,
    "cursor": _Dialect(
        "beforeSubmitPrompt", "sessionStart", ("prompt",), ("workspace_roots",), _flat
    ),
    "hermes": _Dialect("pre_llm_call", None, ("extra", "user_message"), ("cwd",), _context),
}

HOSTS = tuple(_DIALECTS)


def check_host(host: str) -> None:
    """Raises ``brain_hook_unknown`` (65) for a host whose hooks are not known here."""
    if host not in HOSTS:
        told = f"不认识宿主「{host[:40]}」；有：{'、'.join(HOSTS)}。"
        raise BrainError("brain_hook_unknown", told, EXIT_DATA)


def read(host: str, data: bytes) -> Event | None:
    """The event on a hook's stdin; None for what is none or concerns us not."""
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
    prompt = _text(_at(given, dialect.prompt))
    if name == dialect.prompt_event and prompt.strip():
        return Event(PROMPT, prompt, folder)
    return None


def answer(host: str, event: Event, block: str) -> str:
    """What the host reads; '' for nothing to say."""
    if not block:
        return ""
    dialect = _DIALECTS[host]
    name = dialect.start_event if event.name == START else dialect.prompt_event
    return json.dumps(dialect.answer(name or "", block), ensure_ascii=False)


def _at(given: Any, keys: tuple[str, ...]) -> object:
    for key in keys:
        given = given.get(key) if isinstance(given, dict) else None
    return given[0] if isinstance(given, list) and given else given


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
