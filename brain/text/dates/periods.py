"""Calendar arithmetic: the stretches of local time from which the grammars of
:mod:`brain.text.dates.intervals` build their readings.

Everything is on wall-clock times without a zone; only ``intervals`` knows the zone. Weeks begin
on Monday. Whatever leaves the years 1-9999 raises ``ValueError`` or ``OverflowError``, and
:func:`brain.text.dates.intervals.find_intervals` drops that phrase.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

Unit = Literal["moment", "part", "day", "week", "month", "year", "range"]

DAY_PARTS: dict[str, tuple[int, int]] = {
    "凌晨": (0, 6),
    "清晨": (5, 9),
    "清早": (5, 9),
    "早晨": (5, 10),
    "早上": (5, 11),
    "大早上": (5, 10),
    "大清早": (5, 9),
    "一早": (5, 10),
    "一大早": (5, 10),
    "上午": (6, 12),
    "中午": (11, 14),
    "正午": (11, 14),
    "晌午": (11, 14),
    "大中午": (11, 14),
    "午后": (12, 18),
    "下午": (12, 18),
    "傍晚": (17, 20),
    "黄昏": (17, 20),
    "晚上": (18, 28),
    "晚间": (18, 28),
    "大晚上": (18, 28),
    "当晚": (18, 28),
    "那晚": (18, 28),
    "前半夜": (20, 25),
    "上半夜": (20, 25),
    "后半夜": (24, 30),
    "下半夜": (24, 30),
    "夜里": (20, 30),
    "夜间": (20, 30),
    "深夜": (22, 30),
    "半夜": (22, 30),
    "大半夜": (22, 30),
    "白天": (6, 18),
    "morning": (5, 12),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 28),
}
"""Hours of the day a part of it runs from and to; beyond 24 is the next day."""

YEAR_PARTS = {"初": (1, 2), "中": (6, 2), **dict.fromkeys("底末尾", (11, 2))}
"""First month and number of months of 年初, 年中, 年底."""

MONTH_PARTS = {
    **dict.fromkeys(("初", "头", "上旬"), (1, 10)),
    **dict.fromkeys(("中", "中旬"), (11, 20)),
    **dict.fromkeys(("底", "末", "尾", "下旬"), (21, 31)),
}
"""First and last day of 月初, 中旬, 月底, as far as the month has them."""

YEAR_TURNS = {"开年": (1, 2), "开春": (2, 2), "入夏": (5, 2), "入秋": (8, 2), "入冬": (11, 2)}
"""First month and number of months of what a year is said to enter."""

SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
"""First month of each; three months long, so a winter ends in the next year."""

Amount = float | tuple[float, float]
"""So many, or from so many to so many: 两三天 is (1.5, 3.5)."""

FEW = (1.5, 6.5)
"""几天, a few weeks: two to six."""

_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "quarter": 91.3, "year": 365.25}
_LEAST_HALF = {"day": 0, "week": 3, "month": 7, "quarter": 20, "year": 60}
"""Days on each side that 「两周前」 may be off; a sixth of the distance where that is more."""

_SECONDS = {"minute": 60, "hour": 3600}
_LEAST_HALF_SECONDS = {"minute": 300, "hour": 1800}


class Clock(NamedTuple):
    """Now, twice: on the wall where the user is (no zone), and as an aware moment.

    Args:
        told: the text is a memory told then, not a question asked then.
        ahead: a date without a year is the next one, whatever its clause says.
    """

    local: datetime
    moment: datetime
    told: bool = False
    ahead: bool = False

    @property
    def today(self) -> datetime:
        """The day's first moment on the wall."""
        return self.local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


class Span(NamedTuple):
    """A half-open stretch of time.

    Args:
        start, stop: on the wall without a zone; aware for unit ``moment`` (两小时前).
        unit: what the phrase names; a ``part`` is one of a day.
        relative: counted from now, as 昨天 is and 2025年3月 is not.
        approximate: 两周前 is not the very day.
        soft: a word without a width of its own, 最近.
    """

    start: datetime
    stop: datetime
    unit: Unit
    relative: bool = False
    approximate: bool = False
    soft: bool = False


class Reading(NamedTuple):
    """A phrase in a text and what it can mean, the likeliest first.

    Args:
        begin, end: offsets in the text.
        spans: none when it names no possible time (2月30日).
        guess: a second meaning that only a question has: 周五 asked on a Wednesday can be the
            last one.
        cycle: of a day named without its year or week, what comes round: ``03-09``.
    """

    begin: int
    end: int
    spans: tuple[Span, ...]
    guess: Span | None = None
    cycle: str = ""


def days(clock: Clock, first: int, after: int) -> Span:
    """From ``first`` days after today up to ``after`` (half open); negative ones are before."""
    unit: Unit = "day" if after - first == 1 else "range"
    start = clock.today + timedelta(days=first)
    return Span(start, clock.today + timedelta(days=after), unit, relative=True)


def soft_days(clock: Clock, first: int, after: int) -> Span:
    """The stretch of a word without a width of its own."""
    return days(clock, first, after)._replace(unit="range", soft=True)


def week(clock: Clock, shift: int) -> Span:
    """The week ``shift`` weeks after this one."""
    start = clock.today + timedelta(days=7 * shift - clock.today.weekday())
    return Span(start, start + timedelta(days=7), "week", relative=True)


def weekday(of: Span, index: int) -> Span:
    """A day of a week, 0 is Monday; 7 is its weekend."""
    first, length = (5, 2) if index == 7 else (index, 1)
    start = of.start + timedelta(days=first)
    unit: Unit = "range" if length == 2 else "day"
    return Span(start, start + timedelta(days=length), unit, relative=True)


def months(year: int, month: int, count: int = 1, *, relative: bool = False) -> Span:
    """``count`` months from a month on; the month may lie outside 1-12 and is carried over."""
    start = _first_of(year, month)
    unit: Unit = "month" if count == 1 else "range"
    return Span(start, _first_of(year, month + count), unit, relative)


def _first_of(year: int, month: int) -> datetime:
    return datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def year(number: int, *, relative: bool = False) -> Span:
    """A calendar year."""
    return Span(datetime(number, 1, 1), datetime(number + 1, 1, 1), "year", relative)


def date_of(number: int, month: int, day: int, *, relative: bool = False) -> Span:
    """A calendar day; ValueError for one that does not exist."""
    start = datetime(number, month, day)
    return Span(start, start + timedelta(days=1), "day", relative)


def day_of_year(month: int, day: int | None) -> str:
    """A day, or month, as the ``cycle`` of a reading: ``03-09``, ``03``."""
    return f"{month:02}" if day is None else f"{month:02}-{day:02}"


def months_later(day: datetime, count: int) -> datetime:
    """The same day of another month, the last where that month is shorter."""
    first = _first_of(day.year, day.month + count)
    last = _first_of(day.year, day.month + count + 1) - timedelta(days=1)
    return first.replace(day=min(day.day, last.day))


def part_of_day(of: Span, hours: tuple[int, int]) -> Span:
    """A part of a day."""
    start, stop = (of.start + timedelta(hours=h) for h in hours)
    return Span(start, stop, "part", of.relative)


def part_of_month(of: Span, part: tuple[int, int]) -> Span:
    """The days of a month from the first to the last of ``part``."""
    first, last = part
    start = of.start + timedelta(days=first - 1)
    return Span(start, min(of.start + timedelta(days=last), of.stop), "range", of.relative)


def away(clock: Clock, amount: Amount, unit: str, sign: int) -> Span:
    """So many units before (``sign`` -1) or after (+1) now: 三天前, 两周前, in 2 hours.

    Days are calendar days, exact up to nine. What is longer is meant roughly: a sixth of the
    distance on each side, at least 3 days for weeks, 7 for months, 60 for years.
    """
    if unit in _SECONDS:
        return _moments_away(clock, amount, unit, sign)
    size = _DAYS[unit]
    if isinstance(amount, tuple):
        least, most = amount
        if unit == "day":
            ends = (sign * math.ceil(least), sign * math.floor(most))
        else:
            ends = (sign * round(size * least), sign * round(size * most))
        start, stop = clock.today + timedelta(days=min(ends)), max(ends) + 1
        return Span(start, clock.today + timedelta(days=stop), "range", True, approximate=True)
    distance = size * amount
    half = round(distance / 10) if unit == "day" else round(distance / 6)
    half = max(round(_LEAST_HALF[unit] * min(1, amount)), half if distance >= 10 else 0)
    middle = clock.today + timedelta(days=sign * round(distance))
    start = middle - timedelta(days=half)
    kind: Unit = "day" if half == 0 else "range"
    return Span(start, middle + timedelta(days=half + 1), kind, True, approximate=half > 0)


def _moments_away(clock: Clock, amount: Amount, unit: str, sign: int) -> Span:
    size = _SECONDS[unit]
    if isinstance(amount, tuple):
        ends = [clock.moment + timedelta(seconds=sign * size * n) for n in amount]
        return Span(min(ends), max(ends), "moment", relative=True, approximate=True)
    middle = clock.moment + timedelta(seconds=sign * size * amount)
    half = timedelta(seconds=max(_LEAST_HALF_SECONDS[unit], size * amount / 6))
    return Span(middle - half, middle + half, "moment", relative=True, approximate=True)


def stretch(clock: Clock, amount: Amount, unit: str, sign: int) -> Span:
    """The last (-1) or next (+1) so many units, today included: 最近三天, the next two weeks."""
    count = amount[1] if isinstance(amount, tuple) else amount
    if unit in _SECONDS:
        reach = clock.moment + timedelta(seconds=sign * _SECONDS[unit] * count)
        ends = sorted((reach, clock.moment))
        stop = ends[1] + timedelta(minutes=5)
        return Span(ends[0], stop, "moment", relative=True, soft=True)
    reach_days = max(1, round(_DAYS[unit] * count))
    return soft_days(clock, -reach_days, 1) if sign < 0 else soft_days(clock, 0, reach_days + 1)
