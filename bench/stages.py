"""Where the time of a recall goes: functions of the engine's rooms, listened to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from brain.recall import evidence, gate, lexical, question, semantic
from brain.store import memories

STAGES: tuple[tuple[str, ModuleType, str], ...] = (
    ("cutting the question", question, "read"),
    ("lexical lane", lexical, "lane"),
    ("semantic lane", semantic, "lane"),
    ("reading candidates", memories, "get_many"),
    ("weighing candidates", evidence, "weigh"),
    ("gate", gate, "judge"),
)


@contextmanager
def listening() -> Iterator[dict[str, float]]:
    """Sums up the milliseconds of each stage; a stage the engine no longer has stays out."""
    spent: dict[str, float] = {}
    real: list[tuple[ModuleType, str, Callable[..., Any]]] = []
    for label, module, name in STAGES:
        function = getattr(module, name, None)
        if function is None:
            continue
        spent[label] = 0.0
        real.append((module, name, function))
        setattr(module, name, _timed(function, label, spent))
    try:
        yield spent
    finally:
        for module, name, function in real:
            setattr(module, name, function)


def _timed(function: Callable[..., Any], label: str, spent: dict[str, float]) -> Callable[..., Any]:
    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            spent[label] += (time.perf_counter() - start) * 1000

    return timed
