"""Hits made by hand, for what packs them."""

from __future__ import annotations

from dataclasses import replace

from brain.memory import Hit, Memory


def hit(number: int, text: str, **fields: object) -> Hit:
    memory = Memory(
        number, "note", text, "", "user", 0.5, 0.95, 1.0, False, "2026-03-02T04:00:00.000Z", None,
        "2026-03-02T04:00:00.000Z", None, None, None, None, "", "", 0, None,
    )  # fmt: skip
    return Hit(replace(memory, **fields), text, 1.0 / number)  # type: ignore[arg-type]
