"""Temporal expressions in Chinese: a small grammar over words, from the coarse to the fine.

A phrase opens with a head (去年, 上周, 3月, 昨天, 三天前, 最近) and is narrowed by what follows it:
去年 → 三月 → 五号 → 下午. The grammar eats words from tables at a place of the text; but for the
trigger there is no regular expression, since to compile a large one costs more than to read the
query. What may not stand before or after a word (以前|天天, 周三|丰, 后天|性) is in the tables too.

Texts are Simplified, digits ASCII; :mod:`brain.text.dates.intervals` sees to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache

from brain.text.dates import festivals, periods, words_zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.scan import (
    NUMERALS,
    clause,
    eat,
    first_of,
    inside_number,
    is_han,
    numeral,
    past_blank,
    whole_number,
)
from brain.text.dates.tense import tense, without_year
from brain.text.numerals import read_number

_HAN_DIGITS = "零一两三四五六七八九"
_TO = ("到", "至", "-", "~", "—", "–")
_AND = ("和", "与", "、", "跟", "及", "或")


def readings(text: str, clock: Clock) -> list[Reading]:
    """The times a text names in Chinese, in text order, without overlap."""
    found: list[Reading] = []
    at = 0
    while match := _first().search(text, at):
        at = match.start()
        if not _may_begin(text, at):
            at += 1
            continue
        reading = None
        with suppress(ValueError, OverflowError):
            reading = _phrase(text, at, clock)
        if reading is None or reading.end <= at:
            at += 1
            # No phrase begins within a number.
            while at < len(text) and text[at - 1] in NUMERALS and text[at] in NUMERALS:
                at += 1
            continue
        at = reading.end
        if reading.spans:
            found += _with_more(text, reading, clock)
            at = found[-1].end
    return found


def _may_begin(text: str, at: int) -> bool:
    """Whether the second character of a phrase is one that may follow the first."""
    seconds = _HEADS[text[at]][0]
    return not seconds or (at + 1 < len(text) and text[at + 1] in seconds)


def narrowed(text: str, reading: Reading, clock: Clock) -> Reading:
    """A reading that names a day, with the part of the day that follows it: 3/5下午."""
    if len(reading.spans) != 1 or reading.guess is not None:
        return reading
    return _narrow(text, reading, clock)


# --- amounts ------------------------------------------------------------------------------------


def _amount(text: str, at: int) -> tuple[periods.Amount, int] | None:
    """三, 半, 几, 好几, 十几, 2.5 and where it ends."""
    at += len(first_of(text, at, ("好", "大")))
    if word := first_of(text, at, ("若干", "几", "数")):
        return periods.FEW, at + len(word)
    if word := first_of(text, at, ("十几", "十来", "十多")):
        return (10.5, 19.5 if word == "十几" else 14.5), at + 2
    if text.startswith("半", at):
        return 0.5, at + 1
    pair = [_HAN_DIGITS.find(c) for c in text[at : at + 2]]
    if len(pair) == 2 and 0 < pair[0] < pair[1] <= pair[0] + 2:
        # 两三天, 三五个月.
        return (pair[0] - 0.5, pair[1] + 0.5), at + 2
    return numeral(text, at)


def _unit(text: str, at: int) -> tuple[str, int, bool] | None:
    """A unit of time with its 个, where it ends, and whether a half was named (一个半月)."""
    measured = text.startswith("个", at)
    at += measured
    half = text.startswith("半", at)
    at += half
    for word, unit in words_zh.UNITS.items():
        if text.startswith(word, at) and (
            not measured or word in words_zh.UNITS_WITH_GE or (half and word == "周")
        ):
            # 三月 is a month, 三个月 a length; but 半月.
            if word == "月" and not measured and text[at - 1] != "半":
                return None
            return unit, at + len(word), half
    return None


def _length(text: str, at: int) -> tuple[periods.Amount, str, int] | None:
    """An amount of a unit: 三天, 半年, 一个半月, 两年半, 好几周."""
    found = _amount(text, at)
    if found is None:
        return None
    amount, end = found
    end = past_blank(text, end)
    more = text.startswith("多", end)
    unit = _unit(text, end + more)
    if unit is None:
        return None
    name, end, half = unit
    if not half and text.startswith("半", end):
        half, end = True, end + 1
    end += text.startswith("多", end)
    if half and not isinstance(amount, tuple):
        amount += 0.5
    return amount, name, end


# --- the whole phrase ----------------------------------------------------------------------------


def _phrase(text: str, at: int, clock: Clock) -> Reading | None:
    """A phrase with what joins it to the next: 3月到5月, 去年以来; 每周三 is read and left out."""
    if text[at] in "每逢":
        return _every(text, at, clock)
    first = _head(text, at, clock)
    if first is None or len(first.spans) != 1:
        return first
    span = first.spans[0]
    since = first_of(text, first.end, ("以来", "至今"))
    tomorrow = clock.today + timedelta(days=1)
    if since and span.unit != "moment" and span.start < tomorrow:
        return Reading(at, first.end + len(since), (span._replace(stop=tomorrow, unit="range"),))
    joined = first_of(text, first.end, _TO)
    if joined and span.unit != "moment" and not span.soft:
        return _joined(text, first, first.end + len(joined), clock)
    return first


def _with_more(text: str, first: Reading, clock: Clock) -> list[Reading]:
    """A day with those that share its week or month: 上周三和周五, 5月8号、9号."""
    found = [first]
    while len(found[-1].spans) == 1 and found[-1].spans[0].unit in ("day", "part"):
        last = found[-1]
        mark = first_of(text, last.end, _AND)
        at = last.end + len(mark)
        more = _in_same(text, at, last, clock) if mark else None
        if more is None:
            break
        found.append(more)
    return found


def _in_same(text: str, at: int, first: Reading, clock: Clock) -> Reading | None:
    """A weekday of the week, or a day of the month, that the day before it has."""
    if at >= len(text):
        return None
    start = first.spans[0].start.replace(hour=0)
    with suppress(ValueError, OverflowError):
        if word := first_of(text, at, words_zh.WEEKS):
            found = _weekday(text, at + len(word)) if _names_weekday(text, first) else None
        else:
            found = _bare_weekday(text, at) if _names_weekday(text, first) else None
        if found is not None:
            index, end = found
            monday = start - timedelta(days=start.weekday())
            span = periods.weekday(Span(monday, monday + timedelta(days=7), "week"), index)
            return _narrow(text, Reading(at, end, (span,)), clock)
        day = _day_number(text, at)
        if day is not None and not _names_weekday(text, first):
            span = periods.date_of(
                start.year, start.month, day[0], relative=first.spans[0].relative
            )
            return _narrow(text, Reading(at, day[1], (span,)), clock)
    return None


def _names_weekday(text: str, reading: Reading) -> bool:
    """Whether a day is named by its place in the week."""
    phrase = text[reading.begin : reading.end]
    return any(word in phrase for word in words_zh.WEEKS)


def _bare_weekday(text: str, at: int) -> tuple[int, int] | None:
    """The 五 of 上周三到五; 到五点 and 到五月 are none."""
    found = _weekday(text, at)
    if found is None or text[at].isdigit() or text[at] == "天":
        return None
    after = text[found[1] : found[1] + 1]
    if is_han(after) and after not in words_zh.AFTER_WEEKDAY and not _day_part(text, found[1]):
        return None
    return found


def _every(text: str, at: int, clock: Clock) -> Reading | None:
    """每周三, 每年三月: read, so that nothing of it is taken for a time, and left out."""
    end = at + 1
    end += text.startswith("逢", end)
    end += text.startswith("个", end)
    if (reading := _head(text, end, clock)) is None:
        end += len(first_of(text, end, ("年", "月", *words_zh.WEEKS)))
        end += text.startswith("的", end)
        reading = _head(text, end, clock) if end < len(text) else None
    return Reading(at, end if reading is None else reading.end, ())


def _joined(text: str, first: Reading, at: int, clock: Clock) -> Reading:
    """From one phrase to the next, whose year, month or week is that of the first: 去年三月到五月,
    3月5号到8号, 上周三到周五."""
    if at >= len(text):
        return first
    span = first.spans[0]
    last = None
    with suppress(ValueError, OverflowError):
        last = (
            (_later(text, at, first, clock) if span.unit in ("day", "part") else None)
            or _month_day(text, at, clock, of_year=span.start.year)
            or _head(text, at, clock)
        )
    if last is None or not last.spans or last.spans[0].unit == "moment":
        return first
    stop = last.spans[0].stop
    if stop <= span.stop:
        return first
    relative = span.relative or last.spans[0].relative
    joined = Span(span.start, stop, "range", relative)
    guess = None
    if first.guess is not None:
        guess = Span(first.guess.start, first.guess.start + (stop - span.start), "range", relative)
    return Reading(first.begin, last.end, (joined,), guess)


def _later(text: str, at: int, first: Reading, clock: Clock) -> Reading | None:
    """The end of a span of days in the week, month or day of its beginning, else in the next."""
    if first.spans[0].unit == "part" and (part := _day_part(text, at)):
        day = first.spans[0].start.replace(hour=0)
        return Reading(at, part[1], (periods.part_of_day(Span(day, day, "day"), part[0]),))
    last = _in_same(text, at, first, clock)
    if last is None or last.spans[0].start >= first.spans[0].start:
        return last
    span = last.spans[0]
    if _names_weekday(text, first):
        week = timedelta(days=7)
        return last._replace(spans=(span._replace(start=span.start + week, stop=span.stop + week),))
    day = span.start
    following = periods.date_of(day.year + day.month // 12, day.month % 12 + 1, day.day)
    return last._replace(spans=(following._replace(relative=span.relative),))


def _head(text: str, at: int, clock: Clock) -> Reading | None:
    seconds, heads = _HEADS.get(text[at : at + 1], ("", ()))
    second = text[at + 1 : at + 2]
    if not second or second not in seconds:
        return None
    for read in heads:
        reading = read(text, at, clock)
        if reading is not None:
            return _narrow(text, reading, clock)
    return None


# --- heads ---------------------------------------------------------------------------------------


def _day(text: str, at: int, clock: Clock) -> Reading | None:
    found = eat(text, at, words_zh.DAY_WORDS)
    if found is None:
        return None
    word, (first, after, part) = found
    span = periods.days(clock, first, after)
    if part:
        span = periods.part_of_day(span, periods.DAY_PARTS[part])
    return Reading(at, at + len(word), (span,))


def _year(text: str, at: int, clock: Clock) -> Reading | None:
    found = eat(text, at, words_zh.YEAR_WORDS)
    if found is None:
        return None
    word, shift = found
    return Reading(at, at + len(word), (periods.year(clock.local.year + shift, relative=True),))


def _year_number(text: str, at: int, clock: Clock) -> Reading | None:
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
    if len(word) == 2 and _month_number(text, past_blank(text, after)):
        number += 2000 if number <= (clock.local.year + 10) % 100 else 1900
    elif len(word) != 4 or not 1000 <= number <= 2999:
        return None
    return Reading(at, after, (periods.year(number),))


def _month_number(text: str, at: int) -> tuple[int, int] | None:
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


def _day_number(text: str, at: int) -> tuple[int, int] | None:
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


def _month_day(text: str, at: int, clock: Clock, of_year: int | None = None) -> Reading | None:
    """三月, 3月5号, without a year: the latest that is not after now, in a plan the next."""
    if inside_number(text, at):
        return None
    found = _month_number(text, at)
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
    if day_found := _day_number(text, past_blank(text, end)) or _bare_day_number(text, end):
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
    mark = "" if first is None else first_of(text, first[1], _TO)
    if first is None or not mark:
        return None
    last = _day_number(text, first[1] + len(mark))
    if last is None or last[0] <= first[0]:
        return None
    return (first[0], last[0]), last[1]


def _bare_day_number(text: str, at: int) -> tuple[int, int] | None:
    """The 十五 of 三月十五; of one character it may count something (五月三亚)."""
    found = whole_number(text, at, 10, 31)
    if found is None or found[1] - at < 2 or text[at].isdigit():
        return None
    return None if text.startswith(words_zh.COUNTERS, found[1]) else found


def _bare_day(text: str, at: int, clock: Clock) -> Reading | None:
    """8号: of this month, in a plan the next to come; in a question about one to come the last."""
    before = text[at - 1 : at]
    if inside_number(text, at) or (before.isascii() and before.isalnum()):
        return None
    found = _day_number(text, at)
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
        small = not text[at].isdigit() and day <= len(_HAN_DIGITS)
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


def _shifted(text: str, at: int, clock: Clock) -> Reading | None:
    """上周, 上上个月, 这个星期五, 下季度, 上半年, 上一年."""
    head = text[at]
    end = at + 1
    while head in words_zh.SHIFTS and text.startswith(head, end) and end - at < 3:
        end += 1
    shift = words_zh.SHIFTS.get(head, 0) * (end - at)
    if text[at - 1 : at] in tuple(words_zh.NOT_BEFORE.get(head, "")):
        return None
    if head in words_zh.SHIFTS and text.startswith(("半年", "半个月", "半月"), end):
        return _half(text, at, clock)
    one = text.startswith("一", end)
    end += one
    measured = text.startswith("个", end)
    end += measured
    if word := first_of(text, end, words_zh.WEEKS):
        end += len(word)
        if word == "周" and text.startswith(words_zh.NOT_AFTER_WEEK, end):
            return None
        return Reading(at, end, (periods.week(clock, shift),))
    if text.startswith("月", end):
        if not measured and text.startswith(tuple("球台亮光饼薪"), end + 1):
            return None
        now = clock.local
        return Reading(at, end + 1, (periods.months(now.year, now.month + shift, relative=True),))
    if text.startswith("季度", end):
        first = (clock.local.month - 1) // 3 * 3 + 1 + 3 * shift
        return Reading(at, end + 2, (periods.months(clock.local.year, first, 3, relative=True),))
    if one and text.startswith("年", end):
        return Reading(at, end + 1, (periods.year(clock.local.year + shift, relative=True),))
    return None


def _half(text: str, at: int, clock: Clock) -> Reading | None:
    """上半年, 下半年: the latest begun."""
    if not text.startswith(("上半年", "下半年"), at):
        return None
    first = 1 if text[at] == "上" else 7
    reading = without_year(text, at, at + 3, clock, lambda n: periods.months(n, first, 6))
    return reading._replace(cycle=text[at : at + 3])


def _quarter(text: str, at: int, clock: Clock) -> Reading | None:
    """一季度, 第三季度: the latest begun."""
    found = _quarter_number(text, at)
    if found is None or inside_number(text, at):
        return None
    first, end = found
    reading = without_year(text, at, end, clock, lambda n: periods.months(n, first, 3))
    return reading._replace(cycle=f"quarter {first}")


def _quarter_number(text: str, at: int) -> tuple[int, int] | None:
    """The first month of 一季度, 第2季度, q3, and where it ends."""
    if text.startswith("q", at) and text[at + 1 : at + 2] in tuple("1234"):
        return int(text[at + 1]) * 3 - 2, at + 2
    at += text.startswith("第", at)
    found = whole_number(text, at, 1, 4)
    if found is None or not text.startswith("季度", found[1]):
        return None
    return found[0] * 3 - 2, found[1] + 2


def _weekday_alone(text: str, at: int, clock: Clock) -> Reading | None:
    """周三, 星期三, 周末: this week's; a question may mean the last one when that is to come."""
    word = first_of(text, at, words_zh.WEEKS)
    before = text[at - 1 : at]
    if not word or before in tuple(NUMERALS + "几每半整数单双首第各逢"):
        return None
    found = _weekday(text, at + len(word))
    if found is None:
        return None
    index, end = found
    after = text[end : end + 1]
    namelike = word == "周" and index != 7 and is_han(after) and after not in words_zh.AFTER_WEEKDAY
    if namelike and not _day_part(text, end):
        return None
    this, last = (periods.weekday(periods.week(clock, n), index) for n in (0, -1))
    return _or_last(Reading(at, end, (this,), cycle=f"weekday {index}"), last, clock)


def _or_last(reading: Reading, last: Span, clock: Clock) -> Reading:
    if reading.spans[0].start <= clock.local:
        return reading
    return reading._replace(guess=last)


def _part_alone(text: str, at: int, clock: Clock) -> Reading | None:
    """年底, 月初, of this year or month; a question may mean the last one."""
    word, now = text[at : at + 2], clock.local
    before, after = text[at - 1 : at], text[at + 2 : at + 3]
    if (
        word[1:] not in periods.YEAR_PARTS
        or before in tuple(NUMERALS + "几每半整数这同当")
        or after in tuple("一二三")
    ):
        return None
    # 一年中, 十月中; and 年初一 above is a day of the lunar year.
    if word[1] == "中" and (word[0] == "月" or is_han(before)):
        return None
    if word[0] == "年":
        first, count = periods.YEAR_PARTS[word[1]]
        this, last = (periods.months(now.year - n, first, count, relative=True) for n in (0, 1))
    else:
        month, before_it = (periods.months(now.year, now.month - n, relative=True) for n in (0, 1))
        this, last = (
            periods.part_of_month(m, periods.MONTH_PARTS[word[1]]) for m in (month, before_it)
        )
    return _or_last(Reading(at, at + 2, (this,)), last, clock)


def _ago(text: str, at: int, clock: Clock) -> Reading | None:
    """三天前, 两周之前, 半年后."""
    if inside_number(text, at):
        return None
    found = _length(text, at)
    if found is None:
        return None
    amount, unit, end = found
    if unit == "year" and not isinstance(amount, tuple) and amount >= 1000:
        # 2006年后 is after the year 2006.
        return None
    end += len(first_of(text, end, ("之", "以")))
    side = first_of(text, end, ("前", "后"))
    if not side or text.startswith(words_zh.NOT_AFTER_AGO[side], end + 1):
        return None
    sign = -1 if side == "前" else 1
    if isinstance(amount, int):
        same = _same_day_away(text, end + 1, amount * sign, unit, clock)
        if same is not None:
            return same._replace(begin=at)
    if side == "后":
        before = text[at - 1 : at]
        if is_han(before) and before not in words_zh.FREE_BEFORE:
            return None
    return Reading(at, end + 1, (periods.away(clock, amount, unit, sign),))


def _stretch(text: str, at: int, clock: Clock) -> Reading | None:
    """最近三天, 过去两周, 这半年, 前几个月, 未来一周."""
    if word := first_of(text, at, ("最近", "过去", "近", "这", "前")):
        sign = -1
    elif word := first_of(text, at, ("未来", "接下来", "今后")):
        sign = 1
    else:
        return None
    before = text[at - 1 : at]
    if word in ("近", "前") and before in tuple("最将附接靠临以之目面提门午从生当眼跟"):
        return None
    start = at + len(word)
    if len(word) > 1:
        start += text.startswith("的", start)
    found = _length(text, start)
    if found is None:
        return None
    amount, unit, end = found
    # 前三天 counts from something else as a rule; 这一天 and 这三小时 do too.
    if word == "前" and (amount != periods.FEW or unit == "day"):
        return None
    if word == "这" and (unit in ("hour", "minute") or (unit == "day" and amount == 1)):
        return None
    return Reading(at, end, (periods.stretch(clock, amount, unit, sign),))


def _soft(text: str, at: int, clock: Clock) -> Reading | None:
    if text.startswith("刚才", at):
        start, stop = (clock.moment + timedelta(minutes=m) for m in (-120, 5))
        return Reading(at, at + 2, (Span(start, stop, "moment", True, soft=True),))
    found = eat(text, at, words_zh.SOFT_WORDS)
    if found is None:
        return None
    word, (first, after) = found
    # 离公司最近的 is about places.
    clause = text[max(0, at - 12) : at]
    for mark in "，。！？,.!?\n":
        clause = clause.rpartition(mark)[2]
    if word == "最近" and ("离" in clause or "距" in clause):
        return None
    return Reading(at, at + len(word), (periods.soft_days(clock, first, after),))


_Read = Callable[[str, int, Clock], Reading | None]
_AFTER_NUMBER = NUMERALS + " .来几个多年月天日号周小星礼钟季分半"
_FESTIVALS = (
    *words_zh.HOLIDAYS,
    *words_zh.NTH_WEEKDAYS,
    *words_zh.LUNAR_FESTIVALS,
    *words_zh.NEW_YEAR_EVES,
    *words_zh.SPRING_FESTIVALS,
    *words_zh.SOLAR_TERMS,
)
_ROWS: tuple[tuple[str, str, tuple[_Read, ...]], ...] = (
    ("今", "天日儿早晨晚夜年明后", (_day, _year, _stretch)),
    ("昨明后", "天日儿个早晨晚夜年", (_day, _year)),
    ("前", "天晚年几两些阵段一", (_day, _year, _soft, _stretch)),
    ("大", "大前后半", (_day, _year, _ago)),
    ("去", "年", (_year,)),
    ("上下本", "上下一个半周星礼月季年", (_shifted, _year)),
    ("这", NUMERALS + "个周星礼月季几半段些阵", (_soft, _shifted, _stretch)),
    ("周星礼", "期拜末天日" + NUMERALS, (_weekday_alone,)),
    ("最近过未接", NUMERALS + "近去来下期日几两半", (_stretch, _soft)),
    ("刚", "才", (_soft,)),
    ("大年", "年三初", (festivals.lunar_date,)),
    ("年月", "初中底末", (_part_alone,)),
    ("农阴旧古夏", "历", (festivals.lunar_date,)),
    ("正冬腊", "月", (festivals.lunar_date,)),
    ("闰", NUMERALS, (festivals.lunar_date,)),
    *((name[0], name[1], (festivals.festival,)) for name in _FESTIVALS),
    ("第", NUMERALS, (_quarter,)),
    ("几半数好若", _AFTER_NUMBER + "干", (_ago,)),
    (
        NUMERALS,
        _AFTER_NUMBER,
        (_ago, _year_number, festivals.lunar_date, _month_day, _quarter, _bare_day),
    ),
    ("每逢", "", (_every,)),
)


def _by_head(
    rows: tuple[tuple[str, str, tuple[_Read, ...]], ...],
) -> dict[str, tuple[str, tuple[_Read, ...]]]:
    found: dict[str, tuple[str, tuple[_Read, ...]]] = {}
    for chars, seconds, heads in rows:
        for char in chars:
            known, before = found.get(char, ("", ()))
            found[char] = (known + seconds, tuple(dict.fromkeys((*before, *heads))))
    return found


_HEADS = _by_head(_ROWS)
"""First character of a phrase → which may come second, and what to try to read there."""


@cache
def _first() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_HEADS)}]")


# --- narrowing -----------------------------------------------------------------------------------


def _narrow(text: str, reading: Reading, clock: Clock) -> Reading:
    """The reading with all that makes it finer: 去年 → 去年三月 → 去年三月五号 → … 下午."""
    while reading.spans:
        span = reading.spans[0]
        narrow = _NARROWER.get(span.unit)
        if narrow is None or len(reading.spans) > 1:
            return reading
        at = reading.end
        at += text.startswith(("的", " "), at)
        found = _same_day(text, at, span, clock) or narrow(text, at, span, clock)
        if found is None:
            return reading
        finer, end = found
        guess = reading.guess
        if guess is not None and (of_guess := narrow(text, at, guess, clock)) is not None:
            guess = of_guess[0]
        reading = reading._replace(end=end, spans=() if finer is None else (finer,), guess=guess)
    return reading


_Finer = tuple[Span | None, int] | None


def _same_day(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    """去年今天, 上个月昨天, 上周今天: the same day of another year, month or week."""
    if not span.relative:
        return None
    now, start = clock.local, span.start
    if span.unit == "year":
        return _moved(text, at, clock, 12 * (start.year - now.year))
    if span.unit == "month":
        return _moved(text, at, clock, 12 * (start.year - now.year) + start.month - now.month)
    if span.unit == "week":
        return _moved(text, at, clock, days=(start - periods.week(clock, 0).start).days)
    return None


def _same_day_away(text: str, at: int, amount: int, unit: str, clock: Clock) -> Reading | None:
    """三年前的今天."""
    at += text.startswith("的", at)
    months = {"month": 1, "quarter": 3, "year": 12}.get(unit, 0) * amount
    days = {"week": 7}.get(unit, 0) * amount
    if not (months or days):
        return None
    found = _moved(text, at, clock, months, days)
    return None if found is None or found[0] is None else Reading(at, found[1], (found[0],))


def _moved(text: str, at: int, clock: Clock, months: int = 0, days: int = 0) -> _Finer:
    """A day like 今天 at a place, so many months and days away; of 这个时候 the days around it."""
    about = first_of(text, at, words_zh.SAME_TIME)
    if about:
        shift, end = 0, at + len(about)
    else:
        found = eat(text, at, words_zh.DAY_WORDS)
        if found is None or found[1][1] - found[1][0] != 1 or found[1][2]:
            return None
        shift, end = found[1][0], at + len(found[0])
    day = periods.months_later(clock.today + timedelta(days=shift), months) + timedelta(days=days)
    if not about:
        return Span(day, day + timedelta(days=1), "day", relative=True), end
    half = timedelta(days=15 if abs(months) >= 12 else 4 if months else 1)
    return Span(day - half, day + half + timedelta(days=1), "range", True, approximate=True), end


def _in_year(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    number = span.start.year
    named = festivals.Year(number, at, span.relative)
    if lunar := festivals.lunar_named(text, at, named, clock):
        return next(iter(lunar.spans), None), lunar.end
    if found := _month_number(text, at):
        month, end = found
        return periods.months(number, month, relative=span.relative), end
    if found := _quarter_number(text, at):
        first, end = found
        return periods.months(number, first, 3, relative=span.relative), end
    if text.startswith(("上半年", "下半年"), at):
        first = 1 if text[at] == "上" else 7
        return periods.months(number, first, 6, relative=span.relative), at + 3
    season = first_of(text, at, periods.SEASONS)
    if season and text.startswith(("天", "季"), at + 1):
        return _season(number, season, relative=span.relative), at + 2
    if holiday := festivals.festival_of(text, at):
        of_year = holiday.span(number)
        relative = span.relative or (of_year is not None and of_year.relative)
        return of_year and of_year._replace(relative=relative), holiday.end
    spoken = words_zh.SPOKEN_HOLIDAYS.get(text[at : at + 2])
    if spoken and text[at + 2 : at + 3] not in tuple(NUMERALS + "月点号日个"):
        start = datetime(number, spoken, 1)
        return Span(start, start + timedelta(days=7), "range", span.relative), at + 2
    full = text.startswith("年", at)
    part = text[at + full : at + full + 1]
    after = text[at + full + 1 : at + full + 2]
    if part in periods.YEAR_PARTS and (full or (part != "中" and text[at - 1] not in "的 ")):
        if part == "初" and after in tuple("中一二三级恋步次衷期"):
            return None
        if part in "底末" and after in tuple("层薪线日尾"):
            return None
        first, count = periods.YEAR_PARTS[part]
        return periods.months(number, first, count, relative=span.relative), at + full + 1
    return None


def _season(number: int, name: str, *, relative: bool) -> Span:
    return periods.months(number, periods.SEASONS[name], 3, relative=relative)


def _in_month(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    if found := _day_number(text, at) or _bare_day_number(text, at):
        day, end = found
        start = span.start
        try:
            return periods.date_of(start.year, start.month, day, relative=span.relative), end
        except ValueError:
            return None, end
    full = text.startswith("月", at)
    at += full
    part = first_of(text, at, ("上旬", "中旬", "下旬", *"初底末中"))
    if not part or (len(part) == 1 and not full and text[at - 1] in "的 "):
        return None
    end = at + len(part)
    after = text[end : end + 1]
    if part == "初" and after in tuple("一二三四五六七八九十中级步"):
        return None
    if part in "底末" and after in tuple("层薪线日"):
        return None
    if part == "中" and is_han(after) and after != "的":
        return None
    return periods.part_of_month(span, periods.MONTH_PARTS[part]), end


def _in_week(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    # The second 周 of 上周周五 and 上周的周五; but 上周的三个.
    word = first_of(text, at, words_zh.WEEKS)
    if not word and text[at - 1] in "的 ":
        return None
    at += len(word)
    found = _weekday(text, at)
    if found is None or (word and text.startswith(words_zh.NAMES_AFTER_WEEK, at)):
        return None
    return periods.weekday(span, found[0]), found[1]


def _weekday(text: str, at: int) -> tuple[int, int] | None:
    """The 三 of 周三 and where it ends."""
    char = text[at : at + 1]
    index = words_zh.WEEKDAYS.get(char)
    if index is None:
        return None
    after = text[at + 1 : at + 2]
    torn = after in tuple(words_zh.NOT_AFTER_WEEKDAY.get(char, ""))
    if torn and not text.startswith("天气", at + 1):
        return None
    if char.isdigit() and after in tuple(NUMERALS + ".个次"):
        return None
    return index, at + 1


def _in_day(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    found = _day_part(text, at)
    return None if found is None else (periods.part_of_day(span, found[0]), found[1])


def _day_part(text: str, at: int) -> tuple[tuple[int, int], int] | None:
    """下午, 晚上, or 早, 晚 where no word goes on after them."""
    for length in (3, 2):
        hours = periods.DAY_PARTS.get(text[at : at + length])
        if hours is not None and len(text) - at >= length:
            torn = text.startswith(words_zh.NOT_AFTER_PART, at + length)
            return None if torn else (hours, at + length)
    char = text[at : at + 1]
    if char in tuple("早晚") and not text.startswith(words_zh.NOT_AFTER_EARLY_LATE, at + 1):
        return periods.DAY_PARTS["早上" if char == "早" else "晚上"], at + 1
    return None


_NARROWER: Mapping[str, Callable[[str, int, Span, Clock], _Finer]] = {
    "year": _in_year,
    "month": _in_month,
    "week": _in_week,
    "day": _in_day,
}
