"""How strength fades with time. Decay and a replay of the journal use this one function."""

from __future__ import annotations

from functools import lru_cache

from brain.store.view import to_ms

DAY_MS = 86_400_000

FLOOR_SHARE = 0.5
"""The share of a record's importance below which time alone does not take its strength."""


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
