"""Lunar dates, festivals and solar terms in Chinese text: 农历八月十五, 正月初三, 去年中秋, 冬至.

A lunar date is never one of the Gregorian calendar: what cannot be resolved (outside the table,
a leap month the year does not have) is read and means nothing. Festivals are the one day they are
named after; with 假期 behind them the three days around it; 春节 is the eve and seven days more.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from brain.text.dates import lunar, ordinals, words_zh
from brain.text.dates.periods import Clock, Reading, Span, Unit
from brain.text.dates.scan import (
    eat,
    first_of,
    inside_number,
    is_whole,
    past_blank,
    whole_number,
)
from brain.text.dates.tense import without_year

_Make = Callable[[int], Span | None]
_HAN_DAYS = "一二三四五六七八九十"
_HOLIDAY_WORDS = ("假期", "小长假", "长假", "放假", "期间", "前后")
_NAMED_DAY = (
    "那天",
    "这天",
    "当天",
    "当日",
    "节气",
    "时节",
    "那日",
    "前",
    "后",
    "之",
    "一过",
    "节",
)


class Festival(NamedTuple):
    """A festival or solar term at a place.

    Args:
        span: what it is in a year; raises ``ValueError`` outside the table.
        end: where it ends in the text.
        cycle: as of :class:`Reading`.
    """

    span: _Make
    end: int
    cycle: str


def festival(text: str, at: int, clock: Clock) -> Reading | None:
    """春节, 国庆节, 中秋, 冬至 without a year."""
    found = festival_of(text, at, told=clock.told)
    if found is None:
        return None
    reading = without_year(text, at, found.end, clock, found.span)
    return reading._replace(cycle=found.cycle)


def festival_of(text: str, at: int, *, told: bool) -> Festival | None:
    """A festival or solar term at a place, or a day in it or beside it: 国庆第二天, 冬至前一天.

    Args:
        told: as of :class:`Clock`.
    """
    found = _festival_of(text, at)
    if found is None:
        return None
    # A holiday's eve is not the first of its days.
    eves = text.startswith((*words_zh.SPRING_FESTIVALS, "圣诞"), at)
    return _placed(text, found, timedelta(days=eves and not text.startswith("圣诞前夜", at)), told)


def _placed(text: str, whole: Festival, eve: timedelta, told: bool) -> Festival:
    at = whole.end
    at += len(first_of(text, at, ("假期", "长假", "小长假", "黄金周")))
    at += text.startswith("的", at)

    def core(number: int) -> Span | None:
        span = whole.span(number)
        return span and span._replace(start=min(span.start + eve, span.stop - timedelta(days=1)))

    near = ordinals.beside_festival(text, at, told=told)
    if near is not None:
        cycle = "" if near.rough is False else whole.cycle
        return Festival(lambda n: (c := core(n)) and near.of(c), near.end, cycle)
    one = ordinals.of_festival(text, at)
    if one is None:
        return whole
    return Festival(lambda n: (c := core(n)) and ordinals.in_festival(c, one), one.end, "")


def _festival_of(text: str, at: int) -> Festival | None:
    if found := eat(text, at, words_zh.HOLIDAYS):
        word, (month, day, length) = found
        end = _past_jie(text, at + len(word), word)
        return Festival(lambda n: _days(date(n, month, day), length), end, word)
    if found_sunday := eat(text, at, words_zh.NTH_WEEKDAYS):
        word, rule = found_sunday
        return Festival(lambda n: _days(_nth_weekday(n, *rule), 1), at + len(word), word)
    if found_lunar := eat(text, at, words_zh.LUNAR_FESTIVALS):
        word, (month, day) = found_lunar
        end = _past_jie(text, at + len(word), word)
        return _one_day(text, end, lambda n: lunar.day(n - (month == 12), month, day), (month, day))
    if word := first_of(text, at, words_zh.NEW_YEAR_EVES):
        return _one_day(text, at + len(word), lunar.eve, (12, 30))
    if found_spring := eat(text, at, dict.fromkeys(words_zh.SPRING_FESTIVALS, "")):
        word = found_spring[0]
        # 去哪过年 names what people do.
        if word == "过年" and not (
            text[at - 1 : at] == "年" or text.startswith(_AS_TIME, at + len(word))
        ):
            return None
        # From New Year's Eve to the seventh day.
        return Festival(lambda n: _days(lunar.eve(n), 8, relative=True), at + len(word), word)
    found_term = eat(text, at, words_zh.SOLAR_TERMS)
    if found_term is None:
        return None
    word, index = found_term
    end = at + len(word)
    if word in words_zh.WEATHER_TERMS and not text.startswith(_NAMED_DAY, end):
        return None
    return _one_day(text, _past_jie(text, end, word), lambda n: lunar.solar_term(n, index), word)


_AS_TIME = ("的时候", "那", "期间", "前", "后", "时", "第", "头", "最后", "这几天")


def spoken(text: str, at: int, clock: Clock) -> Reading | None:
    """五一, 六一, 十一 without a year, where what stands around them leaves no number."""
    found = spoken_of(text, at, told=clock.told)
    if found is None or inside_number(text, at) or text[at - 1 : at] in words_zh.NOT_BEFORE_SPOKEN:
        return None
    after: tuple[str, ...] = words_zh.AFTER_SPOKEN
    if text[at] != "十":
        after = (*after, *words_zh.AFTER_SPOKEN_ALONE)
        if found.end == len(text):
            after = ("",)
    if found.end == at + 2 and not text.startswith(after, found.end):
        return None
    reading = without_year(text, at, found.end, clock, found.span)
    return reading._replace(cycle=found.cycle)


def spoken_of(text: str, at: int, *, told: bool) -> Festival | None:
    """A holiday called by its date, as 去年十一."""
    word = text[at : at + 2]
    if word not in words_zh.SPOKEN_HOLIDAYS:
        return None
    month, length = words_zh.SPOKEN_HOLIDAYS[word]
    whole = Festival(lambda n: _days(date(n, month, 1), length), at + 2, word)
    return _placed(text, whole, timedelta(), told)


def _past_jie(text: str, end: int, word: str) -> int:
    if not word.endswith("节"):
        end += text.startswith("节", end) and not text.startswith("节气", end)
    return end


def _one_day(
    text: str, end: int, day: Callable[[int], date], named: tuple[int, int] | str
) -> Festival:
    """One day, or with 假期 behind it the three around it."""
    cycle = named if isinstance(named, str) else _cycle(*named)
    holiday = first_of(text, end, _HOLIDAY_WORDS)
    if not holiday:
        return Festival(lambda n: _days(day(n), 1, relative=True), end, cycle)
    end += len(holiday)
    return Festival(lambda n: _days(day(n) - timedelta(days=1), 3, relative=True), end, cycle)


def _cycle(month: int, day: int) -> str:
    """A lunar day as :class:`Reading` keeps it, apart from those of the Gregorian year."""
    return f"lunar {month:02}-{day:02}"


def _days(first: date, length: int, *, relative: bool = False) -> Span:
    start = datetime.combine(first, time())
    unit: Unit = "day" if length == 1 else "range"
    return Span(start, start + timedelta(days=length), unit, relative)


def _nth_weekday(number: int, month: int, index: int, nth: int) -> date:
    first = date(number, month, 1)
    return first + timedelta(days=(index - first.weekday()) % 7 + 7 * (nth - 1))


# --- lunar dates ---------------------------------------------------------------------------------


def lunar_date(text: str, at: int, clock: Clock) -> Reading | None:
    """农历八月十五, 农历去年腊月廿三, 正月初三, 闰六月, 三月初三, 大年初一."""
    prefix = first_of(text, at, words_zh.LUNAR_PREFIXES)
    if not prefix:
        return None if inside_number(text, at) else lunar_in_year(text, at, at, None, clock)
    start = past_blank(text, at + len(prefix))
    start += len(first_of(text, start, ("的", "是", "为", ":", "：")))
    start = past_blank(text, start)
    year = _named_year(text, start, clock)
    if year is not None:
        start = past_blank(text, year.end)
    found = lunar_in_year(text, at, start, year, clock, certain=True)
    if found is None and (reading := festival(text, start, clock)):
        return reading._replace(begin=at)
    return found


class Year(NamedTuple):
    """A year that a phrase names.

    Args:
        number: of the Gregorian year.
        end: where it ends in the text.
        relative: 去年, which at the turn of the year a 腊月 counts from the lunar year.
    """

    number: int
    end: int
    relative: bool

    def lunar(self, month: int, clock: Clock) -> int:
        """The lunar year that is meant for a month."""
        now = clock.local.date()
        behind = self.relative and month > _BEFORE_NEW_YEAR and lunar.year_of(now) < now.year
        return self.number - behind


_BEFORE_NEW_YEAR = 10
"""The lunar months after it may lie in the next Gregorian year."""


def _named_year(text: str, at: int, clock: Clock) -> Year | None:
    """The year behind 农历: 2026年, 去年."""
    if found := eat(text, at, words_zh.YEAR_WORDS):
        return Year(clock.local.year + found[1], at + len(found[0]), relative=True)
    named = whole_number(text, at, 1000, 2999)
    if named is None or not text.startswith("年", named[1]):
        return None
    return Year(named[0], named[1] + 1, relative=False)


def lunar_named(text: str, at: int, year: Year, clock: Clock) -> Reading | None:
    """A lunar date behind a year: 去年正月初三, 2026年农历八月十五."""
    prefix = first_of(text, at, words_zh.LUNAR_PREFIXES)
    start = past_blank(text, at + len(prefix))
    return lunar_in_year(text, at, start, year, clock, certain=bool(prefix))


def said_lunar(
    text: str, begin: int, end: int, month: int, day: int | None, clock: Clock
) -> Reading | None:
    """八月十五（农历）: a date that is said to be lunar behind it."""
    at = end + text.startswith(("(", "（", " "), end)
    prefix = first_of(text, at, words_zh.LUNAR_PREFIXES)
    after = text[at + len(prefix) : at + len(prefix) + 1]
    if not prefix or not (after in _CLOSES or text.startswith("生日", at + len(prefix))):
        return None
    stop = at + len(prefix) + (after in (")", "）") and at > end)
    return _in_year(text, begin, stop, _Spans(month, day, leap=False), None, clock)


_CLOSES = ("", ")", "）", ",", "，", "。", "的", " ", "\n", "、")


def lunar_in_year(
    text: str, begin: int, at: int, year: Year | None, clock: Clock, *, certain: bool = False
) -> Reading | None:
    """A lunar month or day at a place.

    Args:
        begin: where the whole phrase begins.
        year: the year named before it, None where none is.
        certain: said to be lunar; otherwise only what no Gregorian date says is read (正月, 初三).
    """
    at += text.startswith("的", at)
    if word := first_of(text, at, ("大年", "年")):
        return _new_year_days(text, begin, at, word, year, clock, certain=certain)
    found = _lunar_month(text, at)
    if found is None:
        return _day_alone(text, begin, at, clock) if certain else None
    name, leap, end, named = found
    end = past_blank(text, end)
    day, end, marked = _lunar_day(text, end, certain=certain or named)
    if not (certain or named or marked):
        return None
    return _in_year(text, begin, end, _Spans(name, day, leap), year, clock)


_LEAP_REACH = 40
"""Years within which every leap month but the rarest comes again."""


def _in_year(
    text: str, begin: int, end: int, spans: _Spans, year: Year | None, clock: Clock
) -> Reading:
    if year is None:
        reach = _LEAP_REACH if spans.leap else 1
        reading = without_year(text, begin, end, clock, spans, reach)
        cycle = _cycle(spans.name, spans.day or 0)
        return reading._replace(cycle=cycle)
    with suppress(ValueError):
        return Reading(begin, end, (spans(year.lunar(spans.name, clock)),))
    return Reading(begin, end, ())


class _Spans:
    """A lunar month, or day of it, in the years it is asked for."""

    def __init__(self, name: int, day: int | None, leap: bool) -> None:
        self.name, self.day, self.leap = name, day, leap

    def __call__(self, number: int) -> Span:
        if self.day is not None:
            return _days(lunar.day(number, self.name, self.day, leap=self.leap), 1, relative=True)
        first, length = lunar.month(number, self.name, leap=self.leap)
        return _days(first, length, relative=True)


def _lunar_month(text: str, at: int) -> tuple[int, bool, int, bool] | None:
    """正月, 八月, 闰六月: the month, whether it is a leap one, its end, and whether only a lunar
    month is called so."""
    leap = text.startswith("闰", at)
    at += leap
    if found_name := eat(text, at, words_zh.LUNAR_MONTHS):
        return found_name[1], leap, at + len(found_name[0]), True
    found = whole_number(text, at, 1, 12)
    if found is None or not text.startswith("月", past_blank(text, found[1])):
        return None
    return found[0], leap, past_blank(text, found[1]) + 1, leap


def _lunar_day(text: str, at: int, *, certain: bool) -> tuple[int | None, int, bool]:
    """初三, 十五, 廿三: the day, where it ends, and whether only a lunar day is written so."""
    if text.startswith("初", at):
        index = _HAN_DAYS.find(text[at + 1 : at + 2] or "-")
        if index >= 0 and not text.startswith(words_zh.NOT_AFTER_LUNAR_DAY, at + 2):
            return index + 1, at + 2, True
        return None, at, False
    found = whole_number(text, at, 1, 30) if certain else None
    if found is None:
        return None, at, False
    day, end = found
    mark = first_of(text, end, ("日", "号"))
    if not mark and text.startswith(words_zh.NOT_AFTER_LUNAR_DAY, end):
        return None, at, False
    return day, end + len(mark), False


def _day_alone(text: str, begin: int, at: int, clock: Clock) -> Reading | None:
    """农历十五: of the lunar month now."""
    day, end, _ = _lunar_day(text, at, certain=True)
    if day is None:
        return None
    with suppress(ValueError):
        number, name, leap = lunar.month_at(clock.local.date())
        return Reading(begin, end, (_Spans(name, day, leap)(number),))
    return Reading(begin, end, ())


def _new_year_days(
    text: str, begin: int, at: int, word: str, year: Year | None, clock: Clock, *, certain: bool
) -> Reading | None:
    """大年三十, 年三十, 大年初一; with 农历 before them 年底 is the last month, 年初 the first."""
    if not is_whole(text, at, word):
        return None
    end = at + len(word)
    if text.startswith("三十", end):
        end += 2
        if text.startswith(words_zh.NOT_AFTER_LUNAR_DAY, end):
            return None
        # Of the lunar year that ends with it, but named after the Gregorian one it falls in.
        last = _Spans(12, 30, leap=False)
        before = None if year is None else year._replace(number=year.number - 1, relative=False)
        return _in_year(text, begin, end, last, before, clock)
    day, after, _ = _lunar_day(text, end, certain=False)
    if day is not None:
        return _in_year(text, begin, after, _Spans(1, day, leap=False), year, clock)
    month = {"底": 12, "末": 12, "初": 1}.get(text[end : end + 1]) if certain else None
    if month is None:
        return None
    return _in_year(text, begin, end + 1, _Spans(month, None, leap=False), year, clock)
