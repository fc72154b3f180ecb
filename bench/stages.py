"""Where the time of a recall goes: functions of the engine's rooms, listened to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from bench import spies
from brain.recall import gate, lexical, query, rerank, retrieve, semantic
from brain.store import memories

STAGES: tuple[tuple[str, ModuleType, str], ...] = (
    ("cutting the question", query, "read"),
    ("lexical lane", lexical, "lane"),
    ("semantic lane", semantic, "lane"),
    ("reading candidates", memories, "get_many"),
    ("notes beside candidates", memories, "beside"),
    ("weighing candidates", rerank, "weigh"),
    ("terms to show", retrieve, "matched"),
    ("gate", gate, "judge"),
)


@contextmanager
def listening() -> Iterator[dict[str, float]]:
    """Sums up the processor time of each stage, in milliseconds.

    A stage the engine no longer has stays out.
    """
    spent: dict[str, float] = {}
    with ExitStack() as stack:
        for label, module, name in STAGES:
            if hasattr(module, name):
                spent[label] = 0.0
                stack.enter_context(spies.replaced(module, name, _stopwatch(label, spent)))
        yield spent


def _stopwatch(label: str, spent: dict[str, float]) -> Callable[[spies.Function], spies.Function]:
    def make(real: spies.Function) -> spies.Function:
        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.thread_time()
            try:
                return real(*args, **kwargs)
            finally:
                spent[label] += (time.thread_time() - start) * 1000

        return timed

    return make
