"""The Chinese lunisolar calendar: its dates, festivals and solar terms as Gregorian days.

The table (``brain/text/data/lunar.txt``, which says where it comes from) covers the lunar years
1900 to 2100. It is read when a text names such a day, not before. Whatever lies outside raises
``ValueError``.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parents[1] / "data" / "lunar.txt"


class LunarYear(NamedTuple):
    """One lunar year.

    Args:
        first: the Gregorian day of its new year.
        leap: the month that a leap month follows, 0 for none.
        lengths: days of its months in order, the leap month among them.
        terms: the days of the month on which the solar terms of the Gregorian year of the same
            number fall, two a month.
    """

    first: date
    leap: int
    lengths: tuple[int, ...]
    terms: tuple[int, ...]


@cache
def _lines() -> dict[int, str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {int(line[:4]): line for line in lines if line[:1] != "#"}


@cache
def lunar_year(number: int) -> LunarYear:
    """The lunar year that begins in a Gregorian year.

    Raises:
        ValueError: outside the table.
    """
    line = _lines().get(number)
    if line is None:
        raise ValueError(f"no lunar year {number}")
    _, first, leap, lengths, terms = line.split()
    return LunarYear(
        date(number, int(first[:2]), int(first[2:])),
        int(leap),
        tuple(29 + int(long) for long in lengths),
        tuple(int(terms[at : at + 2]) for at in range(0, len(terms), 2)),
    )


def year_of(day: date) -> int:
    """The number of the lunar year a Gregorian day lies in. Raises as :func:`lunar_year`."""
    return day.year - (day < lunar_year(day.year).first)


def month(number: int, name: int, *, leap: bool = False) -> tuple[date, int]:
    """The first day of a lunar month, and how many days it has.

    Args:
        number: the lunar year.
        name: 1 to 12.
        leap: the leap month of that name.

    Raises:
        ValueError: for a month that year does not have, or outside the table.
    """
    year = lunar_year(number)
    if not 1 <= name <= 12 or (leap and name != year.leap):
        raise ValueError(f"lunar year {number} has no such month")
    place = name - 1 + (leap or 0 < year.leap < name)
    return year.first + timedelta(days=sum(year.lengths[:place])), year.lengths[place]


def day(number: int, name: int, nth: int, *, leap: bool = False) -> date:
    """A day of a lunar month; 三十 of a month of 29 days is its last. Raises as :func:`month`."""
    first, length = month(number, name, leap=leap)
    if not 1 <= nth <= 30:
        raise ValueError(f"no day {nth} in a lunar month")
    return first + timedelta(days=min(nth, length) - 1)


def eve(number: int) -> date:
    """The eve of the new year that falls in a Gregorian year. Raises as :func:`lunar_year`."""
    return lunar_year(number).first - timedelta(days=1)


def solar_term(number: int, index: int) -> date:
    """A solar term of a Gregorian year, 0 is the minor cold. Raises as :func:`lunar_year`."""
    return date(number, index // 2 + 1, lunar_year(number).terms[index])


def month_at(day: date) -> tuple[int, int, bool]:
    """The lunar year, the month and whether it is a leap one, of a Gregorian day.

    Raises:
        ValueError: as :func:`lunar_year`.
    """
    number = year_of(day)
    year = lunar_year(number)
    left = (day - year.first).days
    place = 0
    while left >= year.lengths[place]:
        left -= year.lengths[place]
        place += 1
    name = place + 1 - (0 < year.leap <= place)
    return number, name, 0 < year.leap == place
