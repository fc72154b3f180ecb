"""Deictic times in Chinese, those counted from now: 昨天, 上周, 周五, 月底, 三天前, 最近."""

from __future__ import annotations

from datetime import timedelta

from brain.text.dates import calendar_zh, durations, narrow, periods, words_zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.scan import (
    NUMERALS,
    day_part,
    eat,
    first_of,
    inside_number,
    is_han,
    weekday,
)


def day(text: str, at: int, clock: Clock) -> Reading | None:
    found = eat(text, at, words_zh.DAY_WORDS)
    if found is None:
        return None
    word, (first, after, part) = found
    span = periods.days(clock, first, after)
    if part:
        span = periods.part_of_day(span, periods.DAY_PARTS[part])
    return Reading(at, at + len(word), (span,))


def year(text: str, at: int, clock: Clock) -> Reading | None:
    found = eat(text, at, words_zh.YEAR_WORDS)
    if found is None:
        return None
    word, shift = found
    return Reading(at, at + len(word), (periods.year(clock.local.year + shift, relative=True),))


def shifted(text: str, at: int, clock: Clock) -> Reading | None:
    """上周, 上上个月, 这个星期五, 下季度, 上半年, 上一年."""
    begin, further = at, text.startswith(("大上", "再上"), at)
    at += further
    head = text[at]
    end = at + 1
    while head in words_zh.SHIFTS and text.startswith(head, end) and end - at < 3:
        end += 1
    # 大上周 is 上上周.
    shift = words_zh.SHIFTS.get(head, 0) * (end - at + further)
    if text[at - 1 : at] in tuple(words_zh.NOT_BEFORE.get(head, "")):
        return None
    if head in words_zh.SHIFTS and text.startswith(("半年", "半个月", "半月"), end):
        return calendar_zh.half(text, at, clock)
    one = text.startswith("一", end)
    end += one
    measured = text.startswith("个", end)
    end += measured
    if word := first_of(text, end, words_zh.WEEKS):
        end += len(word)
        if head == "前":
            # 前一个周五, and no 前一周.
            shift = -1
            if not measured or weekday(text, end) is None:
                return None
        if word == "周" and text.startswith(words_zh.NOT_AFTER_WEEK, end):
            return None
        return Reading(begin, end, (periods.week(clock, shift),))
    if head == "前":
        return None
    if text.startswith("月", end):
        if not measured and text.startswith(tuple("球台亮光饼薪"), end + 1):
            return None
        now = clock.local
        return Reading(
            begin, end + 1, (periods.months(now.year, now.month + shift, relative=True),)
        )
    if text.startswith("季度", end):
        first = (clock.local.month - 1) // 3 * 3 + 1 + 3 * shift
        return Reading(begin, end + 2, (periods.months(clock.local.year, first, 3, relative=True),))
    if one and text.startswith("年", end):
        return Reading(begin, end + 1, (periods.year(clock.local.year + shift, relative=True),))
    return None


def weekday_alone(text: str, at: int, clock: Clock) -> Reading | None:
    """周三, 星期三, 周末: this week's; a question may mean the last one when that is to come."""
    word = first_of(text, at, words_zh.WEEKS)
    before = text[at - 1 : at]
    if not word or before in tuple(NUMERALS + "几每半整数单双首第各逢"):
        return None
    found = weekday(text, at + len(word))
    if found is None:
        return None
    index, end = found
    after = text[end : end + 1]
    namelike = word == "周" and index != 7 and is_han(after) and after not in words_zh.AFTER_WEEKDAY
    goes_on = day_part(text, end) or text.startswith(words_zh.WORDS_AFTER_WEEKDAY, end)
    if namelike and not goes_on:
        return None
    this, last = (periods.weekday(periods.week(clock, n), index) for n in (0, -1))
    return _or_last(Reading(at, end, (this,), cycle=f"weekday {index}"), last, clock)


def _or_last(reading: Reading, last: Span, clock: Clock) -> Reading:
    if reading.spans[0].start <= clock.local:
        return reading
    return reading._replace(guess=last)


def part_alone(text: str, at: int, clock: Clock) -> Reading | None:
    """年底, 月初, of this year or month; a question may mean the last one."""
    word, now = text[at : at + 2], clock.local
    before, after = text[at - 1 : at], text[at + 2 : at + 3]
    if (
        word[1:] not in (periods.YEAR_PARTS if word[:1] == "年" else periods.MONTH_PARTS)
        or before in tuple(NUMERALS + "几每半整数这同当")
        or after in tuple("一二三声")
        or (word[1] == "头" and after in tuple("条两几个天"))
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


def ago(text: str, at: int, clock: Clock) -> Reading | None:
    """三天前, 两周之前, 半年后."""
    if inside_number(text, at):
        return None
    found = durations.length(text, at)
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
        same = narrow.same_day_away(text, end + 1, amount * sign, unit, clock)
        if same is not None:
            return same._replace(begin=at)
        of_it = _in_period_away(text, end + 1, amount * sign, unit, clock)
        if of_it is not None:
            return of_it._replace(begin=at)
    if side == "后":
        before = text[at - 1 : at]
        if is_han(before) and before not in words_zh.FREE_BEFORE:
            return None
    return Reading(at, end + 1, (periods.away(clock, amount, unit, sign),))


def _in_period_away(text: str, at: int, amount: int, unit: str, clock: Clock) -> Reading | None:
    """两周前的周五, 三年前的夏天, 两个月前的5号: in the week, year or month so far away."""
    now = clock.local
    of_the = text.startswith("的", at)
    at += of_the
    if unit == "week" and text.startswith((*words_zh.WEEKS, "那个"), at):
        span = periods.week(clock, amount)
    elif unit == "month" and of_the:
        span = periods.months(now.year, now.month + amount, relative=True)
    elif unit == "year":
        span = periods.year(now.year + amount, relative=True)
    else:
        return None
    found = narrow.finer(text, at, span, clock)
    return None if found is None or found[0] is None else Reading(at, found[1], (found[0],))


def stretch(text: str, at: int, clock: Clock) -> Reading | None:
    """最近三天, 过去两周, 这半年, 前几个月, 未来一周."""
    if word := first_of(text, at, ("最近", "过去", "近", "这", "前", "上")):
        sign = -1
    elif word := first_of(text, at, ("未来", "接下来", "今后", "下")):
        sign = 1
    else:
        return None
    before = text[at - 1 : at]
    if word in ("上", "下") and before in tuple(words_zh.NOT_BEFORE[word]):
        return None
    if word in ("近", "前") and before in tuple("最将附接靠临以之目面提门午从生当眼跟"):
        return None
    start = at + len(word)
    if len(word) > 1:
        start += text.startswith("的", start)
    found = durations.length(text, start)
    if found is None:
        return None
    amount, unit, end = found
    # 前三天 counts from something else as a rule; 这一天 and 这三小时 do too.
    if word == "前" and (amount != periods.FEW or unit == "day"):
        return None
    # 上两周; but 上一周 is the last one.
    if word in ("上", "下") and (amount in (0.5, 1) or unit not in ("week", "month", "year")):
        return None
    if word == "这" and (unit in ("hour", "minute") or (unit == "day" and amount == 1)):
        return None
    return Reading(at, end, (periods.stretch(clock, amount, unit, sign),))


def soft(text: str, at: int, clock: Clock) -> Reading | None:
    if text.startswith(("刚才", "刚刚"), at) and not text.startswith("刚刚好", at):
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
