"""Which year a date without one is of: 12月20号 in a plan is the next, in a report the last.

A question asks about the last one unless it asks for a plan. A memory that says neither means the
nearer one: 体检12月20号, told in November, is three weeks ahead and not eleven months ago.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal

from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.scan import clause
from brain.text.regex import compiled

Tense = Literal["past", "near", "future"]

_FIRM = (
    r"打算|计划|预计|预定|预约|准备|即将|将于|将要|别忘|记得|提醒|到期|截止|截至|截稿|期限|约[在好定]|"
    r"安排在|[定订排改推延]在|[定改推延]到|定于|(?<![重主纪摘只首必概简紧需扼])要(?!求|点|素|领|紧|害|了|么|是|不是)|"
    r"\b(?:will|due|by|deadline|plan(?:s|ned)?|going to|scheduled|booked|until|appointment|upcoming"
    r"|ddl)\b"
)
"""In a clause they make its date one to come."""

_BOOKED = r"[订约定买抢报挂][了好到过]|预[订约]|booked|bought"
"""Before a date they do too: 订了十二月的票. 三月定了方案 is over."""

_DONE = (
    r"了(?!解|结)|过(?!期|敏|户|滤|程|年|节|生日|来|去|关|夜)|已经?|曾|刚|上次|当时|那天|完成|"
    r"\b(?:was|were|did|had|ago|last|went|met|has been|have been|"
    r"(?!scheduled|booked|planned|need|expected)[a-z]{3,}ed)\b"
)
"""They make it one that is over."""

_LOOSE = (
    r"去(?!年|世)|交(?!流|通|互|情|易)|参加|出发|启程|开学|放假|上线|开始|搬家|续费|"
    r"有(?:什么|啥|哪些)?(?:安排|计划|打算|事|会)|之前|以前"
)
"""They do where nothing says that it is over."""

_YEARLY = r"生日|诞辰|忌日|纪念日|周年|每年|年年|每逢|birthday|anniversary|every year"


def tense(text: str, begin: int, end: int, clock: Clock) -> Tense:
    """Whether the clause around a date tells of what is over or to come.

    Args:
        text: plain, as the grammars read it.
        begin, end: where the date stands.
        clock: of a memory (``told``) or of a question.
    """
    if clock.ahead:
        return "future"
    before, after = clause(text, begin, end)
    both = f"{before} {after}"
    done = compiled(_DONE).search(both) is not None
    if compiled(_BOOKED).search(before) or (compiled(_FIRM).search(both) and not done):
        return "future"
    if done:
        return "past"
    if compiled(_LOOSE).search(both):
        return "future"
    return "near" if clock.told else "past"


def is_yearly(text: str, begin: int, end: int) -> bool:
    """Whether a date comes round every year: 生日是三月九号."""
    before, after = clause(text, begin, end)
    return compiled(_YEARLY).search(f"{before} {after}") is not None


def without_year(
    text: str,
    begin: int,
    end: int,
    clock: Clock,
    make: Callable[[int], Span | None],
    reach: int = 1,
) -> Reading:
    """A phrase that names no year, in the year its clause means.

    Args:
        make: the span in a year of that number; None or ``ValueError`` where it has none.
        reach: how many years away it may have to be sought: 29 February is there in eight.

    Returns:
        A reading without spans where no year has it. In a question about a plan the last one
        is a second guess.
    """
    found = tense(text, begin, end, clock)
    now = clock.local
    last = _first(make, range(now.year, now.year - reach - 1, -1), lambda s: s.start <= now)
    if found == "past":
        return Reading(begin, end, () if last is None else (last,))
    # A winter, or a lunar year, that began last year may go on.
    coming = _first(make, range(now.year - 1, now.year + reach + 1), lambda s: s.stop > now)
    if coming is None or last is None:
        chosen = coming or last
        return Reading(begin, end, () if chosen is None else (chosen,))
    if found == "future":
        return Reading(begin, end, (coming,), None if clock.told or last == coming else last)
    ahead, behind = coming.start - now, now - last.stop
    return Reading(begin, end, (coming if ahead <= behind else last,))


def _first(
    make: Callable[[int], Span | None], years: Iterable[int], fits: Callable[[Span], bool]
) -> Span | None:
    for number in years:
        with suppress(ValueError, OverflowError):
            span = make(number)
            if span is not None and fits(span):
                return span
    return None
