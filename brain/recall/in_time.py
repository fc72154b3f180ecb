"""Records held against the times a question asks about: how well they fit, and whether they must.

For the order the fit is a preference, never a filter. For the gate a time that is asked about
counts like the topic: the lunch of last month answers nothing about today's. Exempt is what holds
beyond its day (值班群是青鸟群) and what is too long to be about one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from brain.errors import BrainError
from brain.memory import SKILL_KIND, Memory
from brain.recall.query import Question
from brain.text.dates import intervals
from brain.text.fold import fold
from brain.text.happenings import holds
from brain.text.regex import compiled
from brain.text.timestamps import from_iso, local_day, parse_time

NAMES_TIME = 200
"""Characters up to which a text is read for times it names itself."""

_MONTH = timedelta(days=27)

ENOUGH = intervals.HELD_THROUGH
"""How well a record must fit the time of a topic: that of its week or its validity will do."""

IN_TIME = 0.999
"""How well where a time is all that is asked for: the day after is another one."""

STANDING = frozenset({SKILL_KIND, "preference"})
"""Kinds that are of no day."""

_ASKS = r"谁|哪|什么|啥|几|多少|怎|如何|吗|呢|[?？]|\b(?:who|what|where|which|when|how)\b"
_NAMED_DAY = r"\d-\d|[\u4e00-\u9fff]{2}(?<!半年)"
"""A cycle that is a date or a festival, not a month or a weekday."""

_CLAUSE = r"[，。；！,.;!\n]"


def fit(question: Question, record: Memory) -> tuple[float, bool]:
    """How well a record fits the times asked about, and whether it may answer for them.

    Args:
        question: one that names times.

    Returns:
        The fit in [0, 1], and the gate's condition.
    """
    times = question.times
    best = intervals.preference(times, record.valid_from, record.valid_to, record.recorded_at)
    parts = [one for one in times if intervals.is_part_of_day(one)]
    if (best >= 1.0 and not parts) or len(record.text) > NAMES_TIME:
        return best, best >= IN_TIME or not question.time_alone
    said = from_iso(record.valid_from or record.recorded_at)
    named = intervals.find_intervals(record.text, said, told=True)
    if parts:
        named += intervals.parts_told(record.text, said)
    if record.valid_from is None:
        # Nobody knows when it was said, and so not which day its 昨天 is.
        named = tuple(one for one in named if not one.relative)
    if best >= 1.0:
        earlier = len(parts) == len(times) and _of_earlier(parts, named)
        if earlier:
            return intervals.OUTSIDE, not (question.time_alone or _required(question))
        return best, True
    cycles = {one.cycle for one in times if one.cycle} & {one.cycle for one in named}
    if any(compiled(_NAMED_DAY).search(cycle) for cycle in cycles):
        return 1.0, True
    best = max(
        [best, *(intervals.preference(times, n.start_iso, n.stop_iso, n.start_iso) for n in named)]
    )
    if best < IN_TIME and any(_told_of(part, record, named) for part in parts):
        best = IN_TIME
    if question.time_alone:
        return best, best >= IN_TIME
    return best, not _required(question) or best >= ENOUGH or bool(cycles) or _outlasts(
        record, times, named
    )


def day_of(one: intervals.Interval) -> tuple[str, str]:
    """Where notes about a time begin: a part of a day is told until the day is over."""
    if not intervals.is_part_of_day(one):
        return one.start_iso, one.stop_iso
    day, now = local_day(one.start_iso), from_iso(one.start_iso)
    with suppress(BrainError):  # the calendar's first and last days
        return parse_time(day, now=now), max(one.stop_iso, parse_time(day, now=now, end=True))
    return one.start_iso, one.stop_iso


def _told_of(
    part: intervals.Interval,
    record: Memory,
    named: Sequence[intervals.Interval],
) -> bool:
    """Whether a note can be about a part of the day though it was told later on that day.

    A day without an hour is all of it. A note that names other days or parts of them, and not this
    one, tells of those; what is still to come after the telling it may only mention.
    """
    told = record.valid_from
    if told is None:
        return False
    first, stop = day_of(part)
    if not (told == first or part.start_iso <= told < stop):
        return False
    days = [one for one in named if one.exact and _length(one) <= _DAY]
    over = [one for one in days if local_day(one.start_iso) <= local_day(told)]
    return not over or any(_meet(one, part) for one in over)


def _of_earlier(parts: Sequence[intervals.Interval], named: Sequence[intervals.Interval]) -> bool:
    """Whether a note told in a part of the day tells of earlier ones alone: 早上跑了五公里."""
    days = [one for one in named if one.exact and _length(one) <= _DAY]
    return bool(days) and all(one.stop_iso <= part.start_iso for one in days for part in parts)


def _meet(one: intervals.Interval, other: intervals.Interval) -> bool:
    return one.start_iso < other.stop_iso and other.start_iso < one.stop_iso


def _length(one: intervals.Interval) -> timedelta:
    return from_iso(one.stop_iso) - from_iso(one.start_iso)


_DAY = timedelta(hours=25)
"""The longest there is, when the clocks go back."""


def _required(question: Question) -> bool:
    """Whether an answer has to be of the time asked about.

    Not where the time is vague, comes round each year (情人节送什么), or only says when somebody
    asks (今天要部署网关，注意什么): the clause that names it has to be the one that asks.
    """
    times = [one for one in question.times if one.exact]
    if not times or len(times) < len(question.times):
        return False
    text = question.folded
    for one in times:
        before = text[: one.begin]
        cut = max([m.end() for m in compiled(_CLAUSE).finditer(before)], default=0)
        stop = compiled(_CLAUSE).search(text, one.end)
        clause = text[cut : stop.start() if stop else len(text)]
        alone = len(clause.strip()) >= len(text.strip().rstrip("?？。!！.")) - 1
        if not (alone or compiled(_ASKS).search(clause)):
            return False
    return not all(one.cycle and not _of_one_day(one.cycle) for one in times)


def _of_one_day(cycle: str) -> bool:
    """Whether a cycle is that of a date or weekday; a festival or month comes round as such."""
    return cycle.startswith("weekday") or compiled(r"\d\d-\d\d").fullmatch(cycle) is not None


def _names_year(one: intervals.Interval) -> bool:
    """Whether a time is a year, or months of it, in figures."""
    return _length(one) > _MONTH and one.phrase[:4].isdigit()


def _outlasts(
    record: Memory, times: Sequence[intervals.Interval], named: Sequence[intervals.Interval]
) -> bool:
    """Whether a record tells what held in the times asked about as well."""
    if record.kind in STANDING:
        return True
    text = fold(record.text)
    if any(_names_year(one) and one.phrase[:4] in text for one in times):
        return True
    if any(one.exact and not one.cycle for one in named) or not holds(text):
        return False
    since = record.valid_from
    return any(
        (since is None or since < one.stop_iso)
        and (record.valid_to is None or record.valid_to > one.start_iso)
        for one in times
    )
