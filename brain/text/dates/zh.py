"""Temporal expressions in Chinese: a small grammar over words, from the coarse to the fine.

A phrase opens with a head (去年, 上周, 3月, 昨天, 三天前, 最近) and is narrowed by what follows it:
去年 → 三月 → 五号 → 下午. The grammar eats words from tables at a place of the text; but for the
trigger there is no regular expression, since to compile a large one costs more than to read the
query. What may not stand before or after a word (以前|天天, 周三|丰, 后天|性) is in the tables too.

Texts are Simplified, digits ASCII; :mod:`brain.text.dates.intervals` sees to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from typing import TypeVar

from brain.text.dates import periods, words_zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.numerals import read_number

_T = TypeVar("_T")

_HAN_DIGITS = "零一两三四五六七八九"
_HAN_NUMERALS = "零〇一二两三四五六七八九十百"
_NUMERALS = "0123456789" + _HAN_NUMERALS
_TO = ("到", "至", "-", "~", "—", "–")


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
            while at < len(text) and text[at - 1] in _NUMERALS and text[at] in _NUMERALS:
                at += 1
            continue
        at = reading.end
        if reading.spans:
            found.append(reading)
    return found


def _may_begin(text: str, at: int) -> bool:
    """Whether the second character of a phrase is one that may follow the first."""
    seconds = _HEADS[text[at]][0]
    return not seconds or (at + 1 < len(text) and text[at + 1] in seconds)


def narrowed(text: str, reading: Reading) -> Reading:
    """A reading that names a day, with the part of the day that follows it: 3/5下午."""
    if len(reading.spans) != 1 or reading.guess is not None:
        return reading
    return _narrow(text, reading)


# --- eating words --------------------------------------------------------------------------------


def _eat(text: str, at: int, table: Mapping[str, _T]) -> tuple[str, _T] | None:
    """The longest of up to six characters that stands at a place and is whole there."""
    for length in range(min(6, len(text) - at), 0, -1):
        word = text[at : at + length]
        if word in table and _whole(text, at, word):
            return word, table[word]
    return None


def _whole(text: str, at: int, word: str) -> bool:
    """Whether a word is not torn out of its neighbours."""
    if text[at - 1 : at] in ("《", *words_zh.NOT_BEFORE.get(word, "")):
        return False
    return not text.startswith(words_zh.NOT_AFTER.get(word, ()), at + len(word))


def _any(text: str, at: int, choices: Iterable[str]) -> str:
    """The first of some words that stands at a place, '' for none."""
    for word in choices:
        if text.startswith(word, at):
            return word
    return ""


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def _blank(text: str, at: int) -> int:
    """Past one blank, which typography puts between digits and Han."""
    return at + 1 if text.startswith(" ", at) else at


def _number(text: str, at: int) -> tuple[int | float, int] | None:
    """A numeral and where it ends; 几 and 数 are not one."""
    end = at
    while end < len(text) and end - at < 8 and text[end] in _NUMERALS:
        end += 1
    if text.startswith(".", end) and text[end + 1 : end + 2].isdigit():
        end += 2
    value = read_number(text[at:end])
    return None if value is None else (value, end)


def _whole_number(text: str, at: int, least: int, most: int) -> tuple[int, int] | None:
    found = _number(text, at)
    if found is None or not isinstance(found[0], int) or not least <= found[0] <= most:
        return None
    return found[0], found[1]


def _amount(text: str, at: int) -> tuple[periods.Amount, int] | None:
    """三, 半, 几, 好几, 十几, 2.5 and where it ends."""
    at += len(_any(text, at, ("好", "大")))
    if word := _any(text, at, ("若干", "几", "数")):
        return periods.FEW, at + len(word)
    if word := _any(text, at, ("十几", "十来", "十多")):
        return (10.5, 19.5 if word == "十几" else 14.5), at + 2
    if text.startswith("半", at):
        return 0.5, at + 1
    pair = [_HAN_DIGITS.find(c) for c in text[at : at + 2]]
    if len(pair) == 2 and 0 < pair[0] < pair[1] <= pair[0] + 2:
        # 两三天, 三五个月.
        return (pair[0] - 0.5, pair[1] + 0.5), at + 2
    return _number(text, at)


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
    end = _blank(text, end)
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
    since = _any(text, first.end, ("以来", "至今"))
    tomorrow = clock.today + timedelta(days=1)
    if since and span.unit != "moment" and span.start < tomorrow:
        return Reading(at, first.end + len(since), (span._replace(stop=tomorrow, unit="range"),))
    joined = _any(text, first.end, _TO)
    if joined and span.unit != "moment" and not span.soft:
        return _joined(text, first, first.end + len(joined), clock)
    return first


def _every(text: str, at: int, clock: Clock) -> Reading | None:
    """每周三, 每年三月: read, so that nothing of it is taken for a time, and left out."""
    end = at + 1
    end += text.startswith("逢", end)
    end += text.startswith("个", end)
    if (reading := _head(text, end, clock)) is None:
        end += len(_any(text, end, ("年", "月", "周", "星期", "礼拜")))
        reading = _head(text, end, clock) if end < len(text) else None
    return Reading(at, end if reading is None else reading.end, ())


def _joined(text: str, first: Reading, at: int, clock: Clock) -> Reading:
    """From one phrase to the next, whose year is that of the first: 去年三月到五月, 3月5号到8号."""
    if at >= len(text):
        return first
    start = first.spans[0].start
    last = None
    with suppress(ValueError, OverflowError):
        last = _month_day(text, at, clock, of_year=start.year) or _head(text, at, clock)
        day = _day_number(text, at) if first.spans[0].unit == "day" else None
        if last is None and day is not None:
            last = Reading(at, day[1], (periods.date_of(start.year, start.month, day[0]),))
    if last is None or not last.spans or last.spans[0].unit in ("moment", "part"):
        return first
    stop = last.spans[0].stop
    if stop <= first.spans[0].stop:
        return first
    relative = first.spans[0].relative or last.spans[0].relative
    return Reading(first.begin, last.end, (Span(start, stop, "range", relative),))


def _head(text: str, at: int, clock: Clock) -> Reading | None:
    seconds, heads = _HEADS.get(text[at : at + 1], ("", ()))
    second = text[at + 1 : at + 2]
    if not second or second not in seconds:
        return None
    for read in heads:
        reading = read(text, at, clock)
        if reading is not None:
            return _narrow(text, reading)
    return None


# --- heads ---------------------------------------------------------------------------------------


def _day(text: str, at: int, clock: Clock) -> Reading | None:
    found = _eat(text, at, words_zh.DAY_WORDS)
    if found is None:
        return None
    word, (first, after, part) = found
    span = periods.days(clock, first, after)
    if part:
        span = periods.part_of_day(span, periods.DAY_PARTS[part])
    return Reading(at, at + len(word), (span,))


def _year(text: str, at: int, clock: Clock) -> Reading | None:
    found = _eat(text, at, words_zh.YEAR_WORDS)
    if found is None:
        return None
    word, shift = found
    return Reading(at, at + len(word), (periods.year(clock.local.year + shift, relative=True),))


def _year_number(text: str, at: int, clock: Clock) -> Reading | None:
    """2025年, 二〇二五年, 25年3月."""
    if _inside_number(text, at):
        return None
    end = at
    while end < len(text) and text[end] in _NUMERALS and end - at < 5:
        end += 1
    word, after = text[at:end], _blank(text, end)
    if not text.startswith("年", after) or any(c in "十百两" for c in word):
        return None
    after += 1
    number = read_number(word)
    if not isinstance(number, int):
        return None
    if len(word) == 2 and _month_number(text, _blank(text, after)):
        number += 2000 if number <= (clock.local.year + 10) % 100 else 1900
    elif len(word) != 4 or not 1000 <= number <= 2999:
        return None
    return Reading(at, after, (periods.year(number),))


def _month_number(text: str, at: int) -> tuple[int, int] | None:
    """三月, 12 月份 and where it ends."""
    found = _whole_number(text, at, 1, 12)
    if found is None:
        return None
    month, end = found
    end = _blank(text, end)
    if not text.startswith("月", end) or text.startswith(tuple("天亮光饼球薪嫂"), end + 1):
        return None
    end += 1
    return month, end + text.startswith("份", end)


def _day_number(text: str, at: int) -> tuple[int, int] | None:
    """5号, 十五日 and where it ends; 5号楼 is none."""
    found = _whole_number(text, at, 0, 99)
    if found is None:
        return None
    day, end = found
    end = _blank(text, end)
    mark = _any(text, end, ("号", "日"))
    if not mark or (mark == "号" and text.startswith(tuple("楼线院厅机位门店"), end + 1)):
        return None
    return day, end + 1


def _month_day(text: str, at: int, clock: Clock, of_year: int | None = None) -> Reading | None:
    """三月, 3月5号, without a year: the latest that is not after now."""
    if _inside_number(text, at):
        return None
    found = _month_number(text, at)
    if found is None:
        return None
    month, end = found
    day_found = _day_number(text, _blank(text, end))
    day = None
    if day_found is not None:
        day, end = day_found
    if of_year is not None:
        return Reading(at, end, _dated(of_year, month, day))
    if text[max(0, at - 2) : at].strip("的)） ").endswith("年"):
        # Of a year that is not known: 同年三月, 昭和8年4月.
        return Reading(at, end, ())
    # Within eight years there is a 29 February.
    for number in range(clock.local.year, clock.local.year - 9, -1):
        spans = _dated(number, month, day)
        if spans and spans[0].start <= clock.local:
            return Reading(at, end, spans)
    return Reading(at, end, ())


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
    while head in "上下" and text.startswith(head, end) and end - at < 3:
        end += 1
    shift = {"上": -1, "下": 1}.get(head, 0) * (end - at)
    if text[at - 1 : at] in tuple(words_zh.NOT_BEFORE.get(head, "")):
        return None
    if head in "上下" and text.startswith(("半年", "半个月", "半月"), end):
        return _half(text, at, clock)
    one = text.startswith("一", end)
    end += one
    measured = text.startswith("个", end)
    end += measured
    if word := _any(text, end, ("周", "星期", "礼拜")):
        end += len(word)
        if word == "周" and text.startswith(tuple("期边围折岁"), end):
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
    number = clock.local.year - (clock.local.month < first)
    return Reading(at, at + 3, (periods.months(number, first, 6),))


def _quarter(text: str, at: int, clock: Clock) -> Reading | None:
    """一季度, 第三季度: the latest begun."""
    found = _quarter_number(text, at)
    if found is None or _inside_number(text, at):
        return None
    first, end = found
    number = clock.local.year - (clock.local.month < first)
    return Reading(at, end, (periods.months(number, first, 3),))


def _quarter_number(text: str, at: int) -> tuple[int, int] | None:
    """The first month of 一季度, 第2季度, q3, and where it ends."""
    if text.startswith("q", at) and text[at + 1 : at + 2] in tuple("1234"):
        return int(text[at + 1]) * 3 - 2, at + 2
    at += text.startswith("第", at)
    found = _whole_number(text, at, 1, 4)
    if found is None or not text.startswith("季度", found[1]):
        return None
    return found[0] * 3 - 2, found[1] + 2


def _weekday_alone(text: str, at: int, clock: Clock) -> Reading | None:
    """周三, 星期三, 周末: this week's; a question may mean the last one when that is to come."""
    word = _any(text, at, ("周", "星期", "礼拜"))
    before = text[at - 1 : at]
    if not word or before in tuple(_NUMERALS + "几每半整数单双首第各逢"):
        return None
    found = _weekday(text, at + len(word))
    if found is None:
        return None
    index, end = found
    after = text[end : end + 1]
    namelike = (
        word == "周" and index != 7 and _is_han(after) and after not in words_zh.AFTER_WEEKDAY
    )
    if namelike and not _day_part(text, end):
        return None
    this, last = (periods.weekday(periods.week(clock, n), index) for n in (0, -1))
    return _or_last(Reading(at, end, (this,)), last, clock)


def _or_last(reading: Reading, last: Span, clock: Clock) -> Reading:
    if reading.spans[0].start <= clock.local:
        return reading
    return reading._replace(guess=last)


def _part_alone(text: str, at: int, clock: Clock) -> Reading | None:
    """年底, 月初, of this year or month; a question may mean the last one."""
    word, now = text[at : at + 2], clock.local
    before, after = text[at - 1 : at], text[at + 2 : at + 3]
    if before in tuple(_NUMERALS + "几每半整数这同当") or after in tuple("一二三"):
        return None
    # 一年中, 十月中; and 年初一 above is a day of the lunar year.
    if word[1] == "中" and (word[0] == "月" or _is_han(before)):
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
    if _inside_number(text, at):
        return None
    found = _length(text, at)
    if found is None:
        return None
    amount, unit, end = found
    if unit == "year" and not isinstance(amount, tuple) and amount >= 1000:
        # 2006年后 is after the year 2006.
        return None
    end += len(_any(text, end, ("之", "以")))
    side = _any(text, end, ("前", "后"))
    if not side or text.startswith(words_zh.NOT_AFTER_AGO[side], end + 1):
        return None
    if side == "后":
        before = text[at - 1 : at]
        if _is_han(before) and before not in words_zh.FREE_BEFORE:
            return None
    return Reading(at, end + 1, (periods.away(clock, amount, unit, -1 if side == "前" else 1),))


def _stretch(text: str, at: int, clock: Clock) -> Reading | None:
    """最近三天, 过去两周, 这半年, 前几个月, 未来一周."""
    if word := _any(text, at, ("最近", "过去", "近", "这", "前")):
        sign = -1
    elif word := _any(text, at, ("未来", "接下来", "今后")):
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
    found = _eat(text, at, words_zh.SOFT_WORDS)
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


def _holiday(text: str, at: int, clock: Clock) -> Reading | None:
    """春节, 国庆节: the latest begun."""
    for number in (clock.local.year, clock.local.year - 1):
        found = _holiday_of(text, at, number)
        if found is None:
            return None
        if found[0].start <= clock.local:
            return Reading(at, found[1], (found[0],))
    return None


def _holiday_of(
    text: str, at: int, number: int, *, relative: bool = False
) -> tuple[Span, int] | None:
    if text.startswith("春节", at):
        if not 0 <= number - 2000 < len(words_zh.NEW_YEARS):
            return None
        first = words_zh.NEW_YEARS[number - 2000]
        # From New Year's Eve to the seventh day.
        start = datetime(number, int(first[:2]), int(first[2:])) - timedelta(days=1)
        return Span(start, start + timedelta(days=8), "range", relative), at + 2
    found = _eat(text, at, words_zh.HOLIDAYS)
    if found is None:
        return None
    word, (month, day, length) = found
    start = datetime(number, month, day)
    end = at + len(word)
    if not word.endswith("节"):
        end += text.startswith("节", end)
    return Span(start, start + timedelta(days=length), "range", relative), end


_Read = Callable[[str, int, Clock], Reading | None]
_AFTER_NUMBER = _NUMERALS + " .来几个多年月天日周小星礼钟季分半"
_HEADS: Mapping[str, tuple[str, tuple[_Read, ...]]] = {
    char: (seconds, tuple(heads))
    for chars, seconds, *heads in (
        ("今", "天日儿早晨晚夜年明后", _day, _year, _stretch),
        ("昨明后", "天日儿个早晨晚夜年", _day, _year),
        ("前", "天晚年几两些阵段一", _day, _year, _soft, _stretch),
        ("大", "前后半", _day, _year, _ago),
        ("去", "年", _year),
        ("上下本", "上下一个半周星礼月季年", _shifted, _year),
        ("这", _NUMERALS + "个周星礼月季几半段些阵", _soft, _shifted, _stretch),
        ("周星礼", "期拜末天日" + _NUMERALS, _weekday_alone),
        ("最近过未接", _NUMERALS + "近去来下期日几两半", _stretch, _soft),
        ("刚", "才", _soft),
        ("年月", "初中底末", _part_alone),
        ("春元国劳圣", "节旦庆动诞", _holiday),
        ("第", _NUMERALS, _quarter),
        ("几半数好若", _AFTER_NUMBER + "干", _ago),
        (_NUMERALS, _AFTER_NUMBER, _ago, _year_number, _month_day, _quarter, _holiday),
        ("每逢", "", _every),
    )
    for char in chars
}
"""First character of a phrase → which may come second, and what to try to read there."""


@cache
def _first() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_HEADS)}]")


_LEFT_OF_NUMBER = frozenset(_NUMERALS + "第.几")


def _inside_number(text: str, at: int) -> bool:
    """Whether a number goes on to the left, or a rank or version does: 第三天前, v1.3."""
    return text[at - 1 : at] in _LEFT_OF_NUMBER


# --- narrowing -----------------------------------------------------------------------------------


def _narrow(text: str, reading: Reading) -> Reading:
    """The reading with all that makes it finer: 去年 → 去年三月 → 去年三月五号 → … 下午."""
    while reading.spans:
        span = reading.spans[0]
        narrow = _NARROWER.get(span.unit)
        if narrow is None:
            return reading
        at = reading.end
        at += text.startswith(("的", " "), at)
        found = narrow(text, at, span)
        if found is None:
            return reading
        finer, end = found
        guess = reading.guess
        if guess is not None and (of_guess := narrow(text, at, guess)) is not None:
            guess = of_guess[0]
        reading = Reading(reading.begin, end, () if finer is None else (finer,), guess)
    return reading


_Finer = tuple[Span | None, int] | None


def _in_year(text: str, at: int, span: Span) -> _Finer:
    number = span.start.year
    if found := _month_number(text, at):
        month, end = found
        return periods.months(number, month, relative=span.relative), end
    if found := _quarter_number(text, at):
        first, end = found
        return periods.months(number, first, 3, relative=span.relative), end
    if text.startswith(("上半年", "下半年"), at):
        first = 1 if text[at] == "上" else 7
        return periods.months(number, first, 6, relative=span.relative), at + 3
    season = _any(text, at, periods.SEASONS)
    if season and text.startswith(("天", "季"), at + 1):
        return _season(number, season, relative=span.relative), at + 2
    if holiday := _holiday_of(text, at, number, relative=span.relative):
        return holiday
    spoken = words_zh.SPOKEN_HOLIDAYS.get(text[at : at + 2])
    if spoken and text[at + 2 : at + 3] not in tuple(_NUMERALS + "月点号日个"):
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


def _in_month(text: str, at: int, span: Span) -> _Finer:
    if found := _day_number(text, at):
        day, end = found
        start = span.start
        try:
            return periods.date_of(start.year, start.month, day, relative=span.relative), end
        except ValueError:
            return None, end
    full = text.startswith("月", at)
    at += full
    part = _any(text, at, ("上旬", "中旬", "下旬", *"初底末中"))
    if not part or (len(part) == 1 and not full and text[at - 1] in "的 "):
        return None
    end = at + len(part)
    after = text[end : end + 1]
    if part == "初" and after in tuple("一二三四五六七八九十中级步"):
        return None
    if part in "底末" and after in tuple("层薪线日"):
        return None
    if part == "中" and _is_han(after) and after != "的":
        return None
    return periods.part_of_month(span, periods.MONTH_PARTS[part]), end


def _in_week(text: str, at: int, span: Span) -> _Finer:
    if text[at - 1] in "的 ":
        word = _any(text, at, ("周", "星期", "礼拜"))
        if not word:
            return None
        at += len(word)
    found = _weekday(text, at)
    return None if found is None else (periods.weekday(span, found[0]), found[1])


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
    if char.isdigit() and after in tuple(_NUMERALS + ".个次"):
        return None
    return index, at + 1


def _in_day(text: str, at: int, span: Span) -> _Finer:
    found = _day_part(text, at)
    return None if found is None else (periods.part_of_day(span, found[0]), found[1])


def _day_part(text: str, at: int) -> tuple[tuple[int, int], int] | None:
    """下午, 晚上, or 早, 晚 where no word goes on after them."""
    for length in (3, 2):
        hours = periods.DAY_PARTS.get(text[at : at + length])
        if hours is not None and len(text) - at >= length:
            return hours, at + length
    char = text[at : at + 1]
    if char in tuple("早晚") and not text.startswith(words_zh.NOT_AFTER_EARLY_LATE, at + 1):
        return periods.DAY_PARTS["早上" if char == "早" else "晚上"], at + 1
    return None


_NARROWER: Mapping[str, Callable[[str, int, Span], _Finer]] = {
    "year": _in_year,
    "month": _in_month,
    "week": _in_week,
    "day": _in_day,
}
