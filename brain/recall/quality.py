"""The quality lane: a prior over what other lanes proposed. It proposes nothing itself."""

from __future__ import annotations

from brain.memory import Memory
from brain.store.view import to_ms

HALF_LIFE_DAYS = 365.0
"""After how many days recency counts half as much; gentle, so that age alone hides nothing."""

RECENCY_SHARE = 0.2
"""The largest share of the score that age can take away."""

_DAY_MS = 86_400_000


def quality(memory: Memory, reference: str | None) -> float:
    """importance × confidence × strength, times a gentle recency.

    Args:
        reference: the instant recency counts from, UTC ISO (last decay, so that an order stays the
            same between two runs of it); None before the first: no age counts.

    Returns:
        A value in [0, 1].
    """
    return memory.importance * memory.confidence * memory.strength * recency(memory, reference)


def recency(memory: Memory, reference: str | None) -> float:
    """The factor of :func:`quality` that age is: 1 for a new record, never below 1 minus its share.

    Args:
        reference: as for :func:`quality`.
    """
    if reference is None:
        return 1.0
    age = max(0, to_ms(reference, 0) - to_ms(memory.recorded_at, 0)) / _DAY_MS
    faded: float = 1.0 - 0.5 ** (age / HALF_LIFE_DAYS)
    return 1.0 - RECENCY_SHARE * faded
