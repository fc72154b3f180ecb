"""Metrics, the counts and latencies of the calls, in Prometheus' text format (version 0.0.4)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain.prompt_cache.usage import Turn
    from brain.results import CacheDrop

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the latency buckets, in seconds; the last one is what a client waits."""

STAGES = ("queue", "call")
"""Waiting for a worker, and the call itself."""


class Metrics:
    """What the server has done since it started; may be used from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._buckets: dict[tuple[str, str], list[int]] = {}
        self._seconds: Counter[tuple[str, str]] = Counter()
        self._decisions: Counter[str] = Counter()
        self._degraded: Counter[str] = Counter()
        self._cache_tokens: Counter[str] = Counter()
        self._cache_drops: Counter[str] = Counter()
        self._cache_lost: Counter[str] = Counter()

    def count(self, call: str, code: str, seconds: Mapping[str, float]) -> None:
        """Notes one call.

        Args:
            code: ``ok``, or the error's code.
            seconds: how long each stage took.
        """
        with self._lock:
            self._calls[call, code] += 1
            for stage, value in seconds.items():
                row = self._buckets.setdefault((call, stage), [0] * (len(BOUNDS) + 1))
                row[bisect_left(BOUNDS, value)] += 1
                self._seconds[call, stage] += value  # type: ignore[assignment]

    def observe(self, answer: Any) -> None:
        """Notes what an answer says of the gate and of what could not take part."""
        if not isinstance(answer, dict):
            return
        gate = answer.get("gate", answer)
        with self._lock:
            if "answerable" in gate:
                self._decisions["yes" if gate["answerable"] else "no"] += 1
            self._degraded.update(answer.get("degraded", ()))

    def observe_cache(self, turn: Turn, drop: CacheDrop | None) -> None:
        """Notes what a request to a model read from its prompt cache, and a drop at it."""
        with self._lock:
            self._cache_tokens.update(read=turn.read, written=turn.written, fresh=turn.fresh)
            if drop is not None:
                self._cache_drops[drop.cause] += 1
                self._cache_lost[drop.cause] += drop.tokens

    def text(self) -> str:
        """The page for a scraper."""
        with self._lock:
            lines = [
                "# HELP brain_calls_total Calls by name and by how they ended.",
                "# TYPE brain_calls_total counter",
            ]
            lines += [
                f'brain_calls_total{{call="{call}",code="{code}"}} {n}'
                for (call, code), n in sorted(self._calls.items())
            ]
            lines += [
                "# HELP brain_call_seconds Latency by call and stage.",
                "# TYPE brain_call_seconds histogram",
            ]
            for (call, stage), row in sorted(self._buckets.items()):
                lines += self._histogram(call, stage, row)
            lines += _counter("gate_decisions_total", "answer", "The gate.", self._decisions)
            lines += _counter(
                "degraded_total", "code", "Parts that did not take part.", self._degraded
            )
            lines += _counter(
                "prompt_tokens_total", "cache", "Tokens of prompts.", self._cache_tokens
            )
            lines += _counter(
                "cache_drops_total", "cause", "Drops of the prompt cache.", self._cache_drops
            )
            lines += _counter(
                "cache_lost_tokens_total", "cause", "Tokens lost in drops.", self._cache_lost
            )
        return "\n".join(lines) + "\n"

    def _histogram(self, call: str, stage: str, row: list[int]) -> list[str]:
        labels = f'call="{call}",stage="{stage}"'
        lines, total = [], 0
        for bound, n in zip((*BOUNDS, "+Inf"), row, strict=True):
            total += n
            lines.append(f'brain_call_seconds_bucket{{{labels},le="{bound}"}} {total}')
        lines.append(f"brain_call_seconds_sum{{{labels}}} {self._seconds[call, stage]:.6f}")
        lines.append(f"brain_call_seconds_count{{{labels}}} {total}")
        return lines


def _counter(name: str, label: str, told: str, values: Mapping[str, int]) -> list[str]:
    head = [f"# HELP brain_{name} {told}", f"# TYPE brain_{name} counter"]
    return head + [f'brain_{name}{{{label}="{key}"}} {n}' for key, n in sorted(values.items())]
