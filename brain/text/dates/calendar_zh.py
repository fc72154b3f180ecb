"""Calendar dates in Chinese: 2025年, 3月5号, 三月十五, 8号, 第三季度, 上半年."""

from __future__ import annotations

from contextlib import suppress

from brain.text.dates import durations, festivals, periods, words_zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.scan import (
    NUMERALS,
    clause,
    first_of,
    inside_number,
    past_blank,
    whole_number,
)
from brain.text.dates.tense import tense, without_year
from brain.text.numerals import read_number

TO = ("到", "至", "-", "~", "—", "–")


def year_number(text: str, at: int, clock: Clock) -> Reading | None:
    """2025年, 二〇二五年, 25年3月."""
    if inside_number(text, at):
        return None
    end = at
    while end < len(text) and text[end] in NUMERALS and end - at < 5:
        end += 1
    word, after = text[at:end], past_blank(text, end)
    if not text.startswith("年", after) or any(c in "十百两" for c in word):
        return None
    after += 1
    number = read_number(word)
    if not isinstance(number, int):
        return None
    if len(word) == 2 and _goes_on(text, past_blank(text, after)):
        number += 2000 if number <= (clock.local.year + 10) % 100 else 1900
    elif len(word) != 4 or not 1000 <= number <= 2999:
        return None
    return Reading(at, after, (periods.year(number),))


def _goes_on(text: str, at: int) -> bool:
    """Whether what follows 23年 makes it a year: 23年3月, 23年夏天, 23年底; 23年 lasts long."""
    season = text.startswith(tuple(periods.SEASONS), at) and text.startswith(("天", "季"), at + 1)
    return season or text.startswith(_OF_YEAR, at) or month_number(text, at) is not None


_OF_YEAR = ("底", "年底", "末", "初夏", "年初", "上半年", "下半年", "春节", "国庆", "中秋", "元旦")


def month_number(text: str, at: int) -> tuple[int, int] | None:
    """三月, 12 月份 and where it ends."""
    found = whole_number(text, at, 1, 12)
    if found is None:
        return None
    month, end = found
    end = past_blank(text, end)
    if not text.startswith("月", end) or text.startswith(tuple("天亮光饼球薪嫂"), end + 1):
        return None
    end += 1
    return month, end + text.startswith("份", end)


def _numbers(text: str, at: int, things: tuple[str, ...]) -> bool:
    """Whether what stands behind 8号 has that number: 8号楼, but not 8号线上."""
    return text.startswith(things, at) and not text.startswith(words_zh.NOT_NUMBERED_AFTER, at)


def day_number(text: str, at: int) -> tuple[int, int] | None:
    """5号, 十五日 and where it ends; 5号楼 is none."""
    found = whole_number(text, at, 0, 99)
    if found is None:
        return None
    day, end = found
    end = past_blank(text, end)
    mark = first_of(text, end, ("号", "日"))
    if not mark or (mark == "号" and _numbers(text, end + 1, words_zh.NUMBERED_AFTER_DATE)):
        return None
    return day, end + 1


_MOST_YEARS = 8
"""Within so many years there is a 29 February."""


def month_day(text: str, at: int, clock: Clock, of_year: int | None = None) -> Reading | None:
    """三月, 3月5号, without a year: the latest that is not after now, in a plan the next."""
    if inside_number(text, at):
        return None
    found = month_number(text, at)
    if found is None:
        return None
    month, end = found
    day = None
    if of_year is None and (days := _days_of_month(text, end)):
        (first, last), end = days

        def both(year: int) -> Span | None:
            ends = [*_dated(year, month, first), *_dated(year, month, last)]
            return Span(ends[0].start, ends[1].stop, "range") if len(ends) == 2 else None

        reading = without_year(text, at, end, clock, both, _MOST_YEARS)
        return reading._replace(cycle=periods.day_of_year(month, first))
    if day_found := day_number(text, past_blank(text, end)) or bare_day_number(text, end):
        day, end = day_found
    if of_year is not None:
        return Reading(at, end, _dated(of_year, month, day))
    if text[max(0, at - 2) : at].strip("的)） ").endswith("年"):
        # Of a year that is not known: 同年三月, 昭和8年4月.
        return Reading(at, end, ())
    if lunar := festivals.said_lunar(text, at, end, month, day, clock):
        return lunar
    reading = without_year(
        text, at, end, clock, lambda n: next(iter(_dated(n, month, day)), None), _MOST_YEARS
    )
    return reading._replace(cycle=periods.day_of_year(month, day))


def _days_of_month(text: str, at: int) -> tuple[tuple[int, int], int] | None:
    """The 5到8号 of 3月5到8号, whose first day has no 号 of its own."""
    first = whole_number(text, past_blank(text, at), 1, 31)
    mark = "" if first is None else first_of(text, first[1], TO)
    if first is None or not mark:
        return None
    last = day_number(text, first[1] + len(mark))
    if last is None or last[0] <= first[0]:
        return None
    return (first[0], last[0]), last[1]


def bare_day_number(text: str, at: int) -> tuple[int, int] | None:
    """The 十五 of 三月十五; of one character it may count something (五月三亚)."""
    found = whole_number(text, at, 10, 31)
    if found is None or found[1] - at < 2 or text[at].isdigit():
        return None
    return None if text.startswith(words_zh.COUNTERS, found[1]) else found


def bare_day(text: str, at: int, clock: Clock) -> Reading | None:
    """8号: of this month, in a plan the next to come; in a question about one to come the last."""
    before = text[at - 1 : at]
    if inside_number(text, at) or (before.isascii() and before.isalnum()):
        return None
    found = day_number(text, at)
    if found is None or not 1 <= found[0] <= 31:
        return None
    day, end = found
    if "每" in clause(text, at, end)[0]:
        return None
    if text[end - 1] == "号":
        counts = text.endswith(words_zh.NUMBERED_BEFORE, 0, at) or _numbers(
            text, end, words_zh.NUMBERED_AFTER
        )
    else:
        # 三日 is three days as well.
        small = not text[at].isdigit() and day <= len(durations.HAN_DIGITS)
        counts = small or text.startswith(words_zh.AFTER_DAYS, end)
    return None if counts else _of_this_month(text, at, end, day, clock)


def _of_this_month(text: str, at: int, end: int, day: int, clock: Clock) -> Reading:
    now = clock.local

    def of_month(shift: int) -> Span | None:
        index = now.year * 12 + now.month - 1 + shift
        with suppress(ValueError, OverflowError):
            return periods.date_of(index // 12, index % 12 + 1, day, relative=True)
        return None

    this, last, coming = (of_month(shift) for shift in (0, -1, 1))
    if this is None:
        # 31号 in November.
        found = coming if tense(text, at, end, clock) == "future" else last
        return Reading(at, end, () if found is None else (found,))
    named = tense(text, at, end, clock)
    if this.stop <= now and named == "future":
        spans = (coming,) if clock.told and coming else (this,)
        return Reading(at, end, spans, None if clock.told else coming)
    if this.start > now and named == "past":
        spans = (last,) if clock.told and last else (this,)
        return Reading(at, end, spans, None if clock.told else last)
    return Reading(at, end, (this,))


def _dated(number: int, month: int, day: int | None) -> tuple[Span, ...]:
    try:
        one = periods.months(number, month) if day is None else periods.date_of(number, month, day)
    except ValueError:
        return ()
    return (one,)


def half(text: str, at: int, clock: Clock) -> Reading | None:
    """上半年, 下半年: the latest begun."""
    if not text.startswith(("上半年", "下半年"), at):
        return None
    first = 1 if text[at] == "上" else 7
    reading = without_year(text, at, at + 3, clock, lambda n: periods.months(n, first, 6))
    return reading._replace(cycle=text[at : at + 3])


def quarter(text: str, at: int, clock: Clock) -> Reading | None:
    """一季度, 第三季度: the latest begun."""
    found = quarter_number(text, at)
    if found is None or inside_number(text, at):
        return None
    first, end = found
    reading = without_year(text, at, end, clock, lambda n: periods.months(n, first, 3))
    return reading._replace(cycle=f"quarter {first}")


def quarter_number(text: str, at: int) -> tuple[int, int] | None:
    """The first month of 一季度, 第2季度, q3, and where it ends."""
    if text.startswith("q", at) and text[at + 1 : at + 2] in tuple("1234"):
        return int(text[at + 1]) * 3 - 2, at + 2
    at += text.startswith("第", at)
    found = whole_number(text, at, 1, 4)
    if found is None or not text.startswith("季度", found[1]):
        return None
    return found[0] * 3 - 2, found[1] + 2
