"""What a host hands to a hook, and what it expects back. Pure functions.

Claude Code (docs: Hooks reference) gives the event as JSON on stdin and takes JSON on stdout whose
``hookSpecificOutput.additionalContext`` is put before the model; exit status 2 would block the
person's turn. Codex CLI took over both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from brain.errors import EXIT_DATA, BrainError

PROMPT = "UserPromptSubmit"
START = "SessionStart"

HOSTS = ("claude-code", "codex")


@dataclass(frozen=True, slots=True)
class Event:
    """What happened in the host.

    Args:
        name: ``UserPromptSubmit`` or ``SessionStart``.
        prompt: what the person said; '' at a session's start.
        folder: where the host works; '' when it did not say.
    """

    name: str
    prompt: str = ""
    folder: str = ""


def check_host(host: str) -> None:
    """Raises ``brain_hook_unknown`` (65) for a host whose hooks are not known here."""
    if host not in HOSTS:
        told = f"不认识宿主「{host[:40]}」；有：{'、'.join(HOSTS)}。"
        raise BrainError("brain_hook_unknown", told, EXIT_DATA)


def read(data: bytes) -> Event | None:
    """The event on a hook's stdin; None for what is none or concerns us not."""
    try:
        given = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    name = given.get("hook_event_name", PROMPT)
    prompt, folder = given.get("prompt"), given.get("cwd")
    folder = folder if isinstance(folder, str) else ""
    if name == START:
        return Event(START, "", folder)
    if name == PROMPT and isinstance(prompt, str) and prompt.strip():
        return Event(PROMPT, prompt, folder)
    return None


def answer(event: Event, block: str) -> str:
    """What the host reads; '' for nothing to say."""
    if not block:
        return ""
    told = {"hookEventName": event.name, "additionalContext": block}
    return json.dumps({"hookSpecificOutput": told}, ensure_ascii=False)
