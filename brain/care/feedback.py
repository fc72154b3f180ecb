"""What a person's word changes: ``useful`` and ``wrong`` move strength and confidence.

Both are linear operators (Bush and Mosteller, "A mathematical model for simple learning",
Psychological Review 58, 1951), the form that exponential moving averages have too: each word goes
a fixed share of the way to a bound, so no number of words passes it, and the first counts most.
"""

from __future__ import annotations

import apsw

from brain.memory import Memory
from brain.time import lineage

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


def give(db: apsw.Connection, memory_id: int, what: str, at: str, why: str) -> Memory:
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
