"""Transcripts as Claude Code and Codex write them, made up line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)


def at(minutes: float) -> str:
    return (START + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def claude(
    minutes: float,
    read: int,
    written: int = 0,
    fresh: int = 10,
    *,
    session: str = "s1",
    model: str = "claude-opus-4-5",
    hour: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """An answer with its usage."""
    lives = {"ephemeral_1h_input_tokens": written} if hour else {}
    usage = {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, **lives},
        "output_tokens": 99,
    }
    message = {
        "id": f"msg_{session}_{minutes}",
        "model": model,
        "role": "assistant",
        "content": [{"type": "text", "text": "好"}],
        "usage": usage,
    }
    row = {"type": "assistant", "sessionId": session, "uuid": f"u{minutes}"}
    return {**row, "timestamp": at(minutes), "message": message, **more}


def claude_row(kind: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    """Any other line."""
    return {"type": kind, "sessionId": session, "timestamp": at(0), **more}


def codex(
    minutes: float, prompt: int, cached: int, total: int | None = None, **info: Any
) -> dict[str, Any]:
    """A token count; ``total`` is that of the session, which tells a repeated one."""
    told = {
        "total_token_usage": {"input_tokens": minutes if total is None else total},
        "last_token_usage": {"input_tokens": prompt, "cached_input_tokens": cached},
        **info,
    }
    return codex_row("event_msg", minutes, type="token_count", info=told)


def codex_row(kind: str, minutes: float = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at(minutes), "type": kind, "payload": payload}


def write(path: Path, rows: Iterable[object], encoding: str = "utf-8", end: str = "\n") -> Path:
    """Writes a transcript; a string stands for itself."""
    lines = (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows)
    path.write_bytes(("\n".join(lines) + end).encode(encoding))
    return path
