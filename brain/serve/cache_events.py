"""Prompt cache telemetry: requests that a host tells of one by one, judged as an audit judges them.

Nothing of it is stored: the counts live as long as the server, and no name of a session or a model
becomes a metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from brain.errors import EXIT_DATA, BrainError
from brain.prompt_cache.audit import Watch
from brain.prompt_cache.usage import Turn, moment
from brain.serve.metrics import Metrics
from brain.serve.params import Field
from brain.text.timestamps import now_utc

ABOUT = "一次请求用了多少提示词缓存：命中率，和这次有没有掉落、为什么"
ANSWER = "CacheEvent"

_LONGEST = 200
"""Characters of a name of a session or a model."""

_MOST = 10**12

FIELDS = (
    Field("session", "string", "会话的名字", required=True),
    Field("input_tokens", "integer", "提示词里没有走缓存的词元", least=0, most=_MOST),
    Field("cache_read_input_tokens", "integer", "从缓存读的", least=0, most=_MOST),
    Field("cache_creation_input_tokens", "integer", "写进缓存的", least=0, most=_MOST),
    Field(
        "cached_input_tokens",
        "integer",
        "从缓存读的，已算在 input_tokens 里（OpenAI 的记法）",
        least=0,
        most=_MOST,
    ),
    Field("model", "string", "哪个模型"),
    Field("at", "string", "什么时候答完的，如 2026-03-01T08:00:00Z；不给时是现在", blank=True),
    Field("life", "number", "缓存不用能留多少秒；默认 300", least=1, most=_MOST),
    Field("compacted", "boolean", "这次之前压缩或回退过对话"),
    Field("fingerprint", "string", "提示词里那块 brief 的 fingerprint"),
    Field("tools", "string", "那时工具的指纹，随便怎么算，变了就行"),
)
"""Named as Anthropic's and OpenAI's usage is, so that a host passes on what it was given."""


class CacheEvents:
    """Takes in requests, and counts them. One may be used from several threads."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._watch = Watch()
        self._lock = Lock()

    def note(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Takes in a request.

        Args:
            told: validated by :data:`FIELDS`.

        Raises:
            BrainError: ``brain_cache_event_invalid`` (65) for one without a session or a prompt,
                with more from the cache than there is, or of a time that is none.
        """
        turn = _turn(told)
        with self._lock:
            number, drop = self._watch.note(told["session"], turn)
        self._metrics.observe_cache(turn, drop)
        return {
            "session": told["session"],
            "turn": number,
            "hit_ratio": round(turn.read / turn.prompt, 4),
            "drop": None if drop is None else drop.to_dict(),
        }


def _turn(told: Mapping[str, Any]) -> Turn:
    for name in ("session", "model", "fingerprint", "tools"):
        if len(told.get(name, "")) > _LONGEST:
            raise _invalid(f"{name} 最多 {_LONGEST} 个字符。")
    for field in FIELDS:
        if field.most is not None and not _within(field, told.get(field.name)):
            raise _invalid(f"{field.name} 应在 {field.least} 到 {field.most} 之间。")
    if not told["session"].strip():
        raise _invalid("session 是空的。")
    fresh = told.get("input_tokens", 0)
    within = told.get("cached_input_tokens", 0)
    if within > fresh:
        raise _invalid("cached_input_tokens 是 input_tokens 的一部分，不能比它大。")
    at = moment(told["at"]) if "at" in told else now_utc()
    if at is None:
        raise _invalid("at 不是 ISO 时间，如 2026-03-01T08:00:00Z。")
    turn = Turn(
        at=at,
        model=told.get("model", ""),
        read=told.get("cache_read_input_tokens", 0) + within,
        written=told.get("cache_creation_input_tokens", 0),
        fresh=fresh - within,
        compacted=told.get("compacted", False),
        memory=told.get("fingerprint", ""),
        tools=told.get("tools", ""),
        **({"life": told["life"]} if "life" in told else {}),
    )
    if not turn.prompt:
        raise _invalid("一个词元也没有。")
    return turn


def _within(field: Field, value: float | None) -> bool:
    assert field.least is not None
    assert field.most is not None
    return value is None or field.least <= value <= field.most


def _invalid(told: str) -> BrainError:
    return BrainError("brain_cache_event_invalid", told, EXIT_DATA)
