"""Ordinals within a period in English: the last Friday of June, the second week of July."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from brain.text.dates.ordinals import Ordinal

_RANKS = "first second third fourth fifth"
PLACES: Mapping[str, int] = {
    **{word: n for n, word in enumerate(_RANKS.split(), start=1)},
    **dict(zip(["1st", "2nd", "3rd", "4th", "5th"], range(1, 6), strict=True)),
    **dict.fromkeys(("last", "final"), -1),
}
"""Words that open such a phrase; 2nd week, but 2nd of July is a date."""

_NUMBERS: Mapping[str, int] = {
    word: n for n, word in enumerate(["two", "three", "four", "five", "six", "seven"], start=2)
}
_FEW_DAYS = 6
_UNITS = ("day", "week", "month", "quarter")
_UNIT_OF: Mapping[str, str] = {form: unit for unit in _UNITS for form in (unit, unit + "s")}
_WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday weekend"
_WEEKDAYS: Mapping[str, int] = {
    name: 7 if name == "weekend" else n for n, name in enumerate(_WEEKDAY_NAMES.split())
}


class Place(NamedTuple):
    """An ordinal with its ``of``, or a half of what follows.

    Args:
        after: the place in the words where the period begins.
        one: the ordinal; its ``end`` says nothing here.
        half: 1 for the first half, 2 for the second.
    """

    after: int
    one: Ordinal | None
    half: int = 0


def place(words: Sequence[str], at: int) -> Place | None:
    """The last Friday of, the first two weeks in, the second half of at a place in the words."""
    at += words[at] == "the"
    rest = [*words[at : at + 5], "", "", "", "", ""]
    if rest[0] not in PLACES:
        return None
    number, skip = PLACES[rest[0]], 1
    many, rough = 1, False
    if rest[1] in _NUMBERS or (rest[1].isdigit() and len(rest[1]) < 3):
        many, skip = _NUMBERS.get(rest[1]) or int(rest[1]), 2
    elif rest[1] == "few":
        many, rough, skip = _FEW_DAYS, True, 2
    name = rest[skip]
    if rest[skip + 1] not in ("of", "in") or not many:
        return None
    after = at + skip + 2
    if name == "half" and number in (1, 2):
        return Place(after, None, number)
    if name in _WEEKDAYS and many == 1:
        return Place(after, Ordinal(number, 1, "weekday", 0, _WEEKDAYS[name]))
    if name in _UNIT_OF:
        return Place(after, Ordinal(number, many, _UNIT_OF[name], 0, rough=rough))
    return None
