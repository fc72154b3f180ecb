"""Records held against the times a question asks about: how well they fit, and whether they must.

For the order the fit is a preference, never a filter. For the gate a time that is asked about
counts like the topic: the lunch of last month answers nothing about today's. Exempt is what holds
beyond its day (值班群是青鸟群) and what is too long to be about one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from brain.memory import SKILL_KIND, Memory
from brain.recall.query import Question
from brain.text.dates import intervals
from brain.text.fold import fold
from brain.text.happenings import holds
from brain.text.regex import compiled
from brain.text.timestamps import from_iso

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
    if best >= 1.0 or len(record.text) > NAMES_TIME:
        return best, best >= IN_TIME or not question.time_alone
    said = from_iso(record.valid_from or record.recorded_at)
    named = intervals.find_intervals(record.text, said, told=True)
    if record.valid_from is None:
        # Nobody knows when it was said, and so not which day its 昨天 is.
        named = tuple(one for one in named if not one.relative)
    cycles = {one.cycle for one in times if one.cycle} & {one.cycle for one in named}
    if any(compiled(_NAMED_DAY).search(cycle) for cycle in cycles):
        return 1.0, True
    best = max(
        [best, *(intervals.preference(times, n.start_iso, n.stop_iso, n.start_iso) for n in named)]
    )
    if question.time_alone:
        return best, best >= IN_TIME
    return best, not _required(question) or best >= ENOUGH or bool(cycles) or _outlasts(
        record, times, named
    )


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
    length = from_iso(one.stop_iso) - from_iso(one.start_iso)
    return length > _MONTH and one.phrase[:4].isdigit()


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
