"""Memory strength: how it fades with time, and what the words ``useful`` and ``wrong`` do to it.

Decay and a replay of the journal use the one function :func:`decayed`. The rule's default numbers
stand here because whatever shows them must not import a run of decay.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from brain.lifecycle import lineage
from brain.memory import Memory
from brain.store.view import to_ms

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

DAY_MS = 86_400_000

FLOOR_SHARE = 0.5
"""The share of a record's importance below which time alone does not take its strength."""

USEFUL_STRENGTH = 0.2
"""Share of the way to strength 1."""

USEFUL_CONFIDENCE = 0.1
"""Share of the way to full confidence: being of use is weak evidence of being true."""

MOST_CONFIDENCE = 0.99
"""Confidence that words alone do not pass."""

WRONG_STRENGTH = 0.5
"""Share of the strength that goes."""

WRONG_CONFIDENCE = 0.3
"""Share of the confidence that goes: one word against it must not undo a sure source."""

LEAST = 0.05
"""Strength and confidence that words alone do not pass: what is doubted can still be found."""

DAILY = 0.99
ARCHIVE_BELOW = 0.1
IDLE_DAYS = 90.0
KEEP_IMPORTANCE = 0.7


def days_between(start: str, stop: str) -> float:
    """Days from one instant to another (both UTC ISO), 0 where the second is not the later one."""
    return max(0, to_ms(stop, 0) - to_ms(start, 0)) / DAY_MS


def decayed(
    strength: float,
    importance: float,
    recorded_at: str,
    since: str | None,
    at: str,
    daily: float,
) -> float:
    """The strength of a record after time has passed: ``strength × daily^days``, with a floor.

    Exponential forgetting over elapsed time. Because factors multiply and the floor is constant,
    thirty runs of a day give what one run of thirty days gives, up to rounding.

    Args:
        strength, importance: in [0, 1]. The floor is half the importance; a strength that is below
            it already (someone said the record was wrong) stays where it is.
        recorded_at: when the record came in, UTC ISO; time counts from the later of it and since.
        since: the instant of the last run, UTC ISO; None before the first.
        at: the instant decayed to, UTC ISO; an earlier one than the start changes nothing.
        daily: what is left after a day, in (0, 1].
    """
    start = recorded_at if since is None else max(since, recorded_at)
    return max(strength * _factor(start, at, daily), min(strength, importance * FLOOR_SHARE))


@lru_cache(maxsize=1024)
def _factor(start: str, at: str, daily: float) -> float:
    # Nearly every record of a file shares one start, the last run.
    factor: float = daily ** days_between(start, at)
    return factor


def useful(memory: Memory) -> dict[str, float]:
    """Strength and confidence after somebody said the record was useful."""
    stronger = memory.strength + USEFUL_STRENGTH * (1.0 - memory.strength)
    surer = memory.confidence + USEFUL_CONFIDENCE * (1.0 - memory.confidence)
    bound = max(MOST_CONFIDENCE, memory.confidence)
    return {"strength": min(1.0, stronger), "confidence": min(bound, surer)}


def wrong(memory: Memory) -> dict[str, float]:
    """Strength and confidence after somebody said the record was wrong; never raised by it."""
    weaker = max(LEAST, memory.strength * (1.0 - WRONG_STRENGTH))
    less_sure = max(LEAST, memory.confidence * (1.0 - WRONG_CONFIDENCE))
    return {
        "strength": min(memory.strength, weaker),
        "confidence": min(memory.confidence, less_sure),
    }


def apply_feedback(db: Transaction, memory_id: int, what: str, at: str, why: str) -> Memory:
    """Stores one word about a record, journaled under its name.

    Args:
        what: ``useful`` or ``wrong``.
        at: the instant, UTC ISO.

    Raises:
        BrainError: ``brain_not_found`` (1), ``brain_why_invalid`` (65).
    """
    memory = lineage.require(db, memory_id)
    after = useful(memory) if what == "useful" else wrong(memory)
    return lineage.change(db, memory, at, what, why, **after)
