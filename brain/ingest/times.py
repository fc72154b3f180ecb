"""The times other programs write, as a draft takes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from brain.errors import BrainError
from brain.text.times import now_utc, parse_time

UNKNOWN = "unknown"
"""The word by which a draft says that it holds since always."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_SLACK = timedelta(days=1)
"""How far another machine's clock may be ahead."""

_MILLISECONDS_FROM = 1e11
"""Unix seconds reach this in the year 5138, Unix milliseconds did in 1973."""


def since(value: object, *, in_seconds: bool = False) -> datetime | str:
    """When something was said: Unix seconds or milliseconds, or a written time.

    What is no time, or lies outside 2000-2100 or in the future as damaged rows do, is unknown and
    never now.

    Args:
        in_seconds: a number is seconds, however large.

    Returns:
        An aware datetime, or ``UNKNOWN``.
    """
    moment: datetime | None = None
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        seconds = value / 1000 if not in_seconds and abs(value) >= _MILLISECONDS_FROM else value
        if abs(seconds) < _MILLISECONDS_FROM:
            moment = _EPOCH + timedelta(seconds=seconds)
    elif isinstance(value, str):
        moment = _written(value)
    if moment is None or not _FIRST <= moment < min(_LAST, now_utc() + _SLACK):
        return UNKNOWN
    return moment


def _written(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(parse_time(text[:40], now=now_utc()))
    except BrainError:
        pass
    try:
        return _EPOCH + timedelta(seconds=float(text))
    except (ValueError, OverflowError):
        return None
