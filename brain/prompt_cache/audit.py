"""Cache audit: how much of each prompt came from the cache, where that broke off, and why.

A drop is a request that read at least :data:`LEAST_DROP` tokens less from the cache than the one
before it. A cause is what changed between the two; where several did, the one that alone would have
emptied the cache. A ratio says nothing by being steady: a session that never reads from the cache
has no drop at all, and is not healthy.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from brain.prompt_cache.usage import Reading, Session, Turn
from brain.results import CacheAudit, CacheCost, CacheDrop, CacheFault, CacheSession, Prices
from brain.text.timestamps import to_iso

LEAST_DROP = 2_000
"""Tokens. Below it the end of a cached prefix moves by itself: providers cache in steps of 128
(OpenAI) or at up to four marks (Anthropic)."""

COMPACTION, MODEL, IDLE, MEMORY, TOOLS, UNEXPECTED = CAUSES = (
    "compaction",
    "model",
    "idle",
    "memory",
    "tools",
    "unexpected",
)

_EXPLAINED = frozenset({COMPACTION, MODEL, IDLE})
"""What a session cannot do without, or a person chose."""

FEWEST = 3
"""Requests behind the first below which a session is not judged."""

LEAST_PROMPT = 1_024
"""Tokens below which providers cache nothing (OpenAI, most of Anthropic's models)."""

HEALTHY = 0.5
"""Share of the prompt that a request reads from the cache in a session that works. An agent's
request repeats all of the one before, so that even answers as long as all before leave a half."""

MOST_SESSIONS = 1_000
"""Sessions a server keeps the last request of."""


def cause_of(before: Turn, turn: Turn, life: float | None = None) -> tuple[str, str]:
    """The cause of a drop between two requests, and what was seen of it (Chinese).

    Args:
        life: seconds the cache lives without use; None for what the requests say.
    """
    if turn.compacted:
        return COMPACTION, "之前压缩或回退过对话"
    if before.model and turn.model and before.model != turn.model:
        return MODEL, f"{before.model} → {turn.model}"
    gap = (turn.at - before.at).total_seconds() if turn.at and before.at else 0.0
    lives = before.life if life is None else life
    if gap > lives:
        return IDLE, f"隔了 {gap / 60:.0f} 分钟，缓存只留 {lives / 60:.0f} 分钟"
    if before.memory != turn.memory:
        return MEMORY, f"brief {before.memory or '无'} → {turn.memory or '无'}"
    if before.tools != turn.tools:
        return TOOLS, "给模型的工具变了"
    return UNEXPECTED, ""


def drop_of(before: Turn, turn: Turn, number: int, life: float | None = None) -> CacheDrop | None:
    """The drop at a request, None where there is none.

    Args:
        number: the request's, from 1.
    """
    lost = before.read - turn.read
    if lost < LEAST_DROP:
        return None
    cause, seen = cause_of(before, turn, life)
    at = to_iso(turn.at) if turn.at else None
    return CacheDrop(number, lost, cause, seen, at, before.read, turn.read)


def audit(
    paths: Iterable[Path], *, prices: Prices | None = None, life: float | None = None
) -> CacheAudit:
    """Audits transcripts.

    Args:
        paths: files or folders.
        prices: what the tokens cost; None leaves money out.
        life: as for :func:`cause_of`.

    Raises:
        BrainError: those of :meth:`brain.prompt_cache.usage.Reading.read`.
    """
    reading = Reading()
    for path in paths:
        reading.read(path)
    told = [_judged(one, prices, life) for one in reading.sessions.values() if one.turns]
    turns = [turn for one in reading.sessions.values() for turn in one.turns]
    drops = [drop for one in told for drop in one.drops]
    counted = Counter(drop.cause for drop in drops)
    return CacheAudit(
        tuple(told),
        len(turns),
        ratio(turns),
        {cause: counted[cause] for cause in CAUSES},
        sum(drop.tokens for drop in drops),
        tuple(CacheFault(file, fault.line, fault.reason) for file, fault in reading.faults),
        _cost(turns, drops, prices) if prices else None,
    )


def ratio(turns: Sequence[Turn]) -> float:
    """The share of all prompts' tokens that came from the cache; 0 without any."""
    prompt = sum(turn.prompt for turn in turns)
    return sum(turn.read for turn in turns) / prompt if prompt else 0.0


def _judged(session: Session, prices: Prices | None, life: float | None) -> CacheSession:
    turns = session.turns
    found = (drop_of(a, b, n, life) for n, (a, b) in enumerate(pairwise(turns), start=2))
    drops = tuple(drop for drop in found if drop is not None)
    healthy, remark = _health(turns, drops)
    return CacheSession(
        session.id,
        session.host,
        len(turns),
        ratio(turns),
        sum(turn.read for turn in turns),
        sum(turn.written for turn in turns),
        sum(turn.fresh for turn in turns),
        drops,
        healthy,
        remark,
        _cost(turns, drops, prices) if prices else None,
        tuple(ratio([turn]) for turn in turns),
    )


def _health(turns: Sequence[Turn], drops: Sequence[CacheDrop]) -> tuple[bool | None, str]:
    """Whether a session makes good use of the cache (None: too little to say), and a sentence."""
    broken = [drop for drop in drops if drop.cause not in _EXPLAINED]
    if broken:
        return (
            False,
            f"{len(broken)} 处掉落本可避免（{'、'.join(sorted({d.cause for d in broken}))}）",
        )
    cold = {1, *(drop.turn for drop in drops)}
    steady = [turn for n, turn in enumerate(turns, start=1) if n not in cold]
    share = ratio(steady)
    if max(turn.prompt for turn in turns) < LEAST_PROMPT:
        return None, f"提示词不足 {LEAST_PROMPT} 个词元，本来就不缓存"
    if len(steady) < FEWEST:
        return None, "轮数太少"
    if share < HEALTHY:
        return False, f"没有掉落，但一直只有 {share:.0%} 来自缓存：缓存没有起作用"
    return True, f"除去不可避免的，{share:.0%} 来自缓存"


def _cost(turns: Sequence[Turn], drops: Iterable[CacheDrop], prices: Prices) -> CacheCost:
    """What the prompts cost; a price is of a million tokens, answers are left out."""
    write = prices.input if prices.write is None else prices.write
    spent = sum(
        turn.fresh * prices.input + turn.written * write + turn.read * prices.cached
        for turn in turns
    )
    plain = sum(turn.prompt for turn in turns) * prices.input
    lost = sum(drop.tokens for drop in drops) * (write - prices.cached)
    million = 1_000_000
    return CacheCost(spent / million, plain / million, (plain - spent) / million, lost / million)


class Watch:
    """Sessions as a host tells of them, one request after the other."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[int, Turn]] = OrderedDict()

    def note(self, session: str, turn: Turn) -> tuple[int, CacheDrop | None]:
        """Takes in a request; gives its number in the session, and the drop at it.

        Of a session not heard of for long the numbers begin anew.
        """
        number, before = self._last.pop(session, (0, None))
        self._last[session] = (number + 1, turn)
        while len(self._last) > MOST_SESSIONS:
            self._last.popitem(last=False)
        drop = drop_of(before, turn, number + 1) if before else None
        return number + 1, drop
