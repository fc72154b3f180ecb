"""Ordinals within a period in Chinese: 2025年最后一天, 六月最后那个周五, 7月第二周, 国庆前一天.

Weeks of a month or year are those with most of their days in it; the first reaches back to its
beginning, the last on to its end, and neither is shorter than seven days.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from brain.text.dates import durations, periods, words_zh
from brain.text.dates.periods import Span
from brain.text.dates.scan import first_of, weekday, whole_number

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_FEW_DAYS = 6
_FEW = 3
"""What 头几天 and 最后几周 reach to."""

_BARE_SIDE = timedelta(days=14)
"""国庆前, 春节后: so far before and after."""

_EVE = timedelta(days=3)
"""国庆前夕, and each side of 国庆前后."""

_AFTER_FIRST = timedelta(days=15)
"""A festival's days are counted so far: 中秋第二天 is the day after."""

_FROM_START = ("最初", "开头", "头", "首", "前")
_FROM_END = ("最后", "最末", "末尾", "末", "后")
_NEXT_DAY = ("第二天", "次日", "翌日", "转天", "隔天")
_MOST = 366


class Ordinal(NamedTuple):
    """A place in a period.

    Args:
        place: 1 is the first, -1 the last.
        many: how many from there on, towards the middle.
        unit: ``day``, ``week``, ``month``, ``quarter`` or ``weekday``.
        end: where it ends in the text.
        day: of the week as in ``words_zh.WEEKDAYS``; 7 is the weekend.
        rough: 几天 was said and not how many.
    """

    place: int
    many: int
    unit: str
    end: int
    day: int = 0
    rough: bool = False


def ordinal(text: str, at: int) -> Ordinal | None:
    """最后一天, 头几天, 第二周, 第一个周末, 最后那个周五, 倒数第二天 at a place."""
    if text.startswith(("第", "倒数第"), at):
        backwards = text.startswith("倒", at)
        found = whole_number(text, at + (3 if backwards else 1), 1, _MOST)
        if found is None:
            return None
        return _of_unit(text, found[1], -found[0] if backwards else found[0])
    start = first_of(text, at, _FROM_START)
    word = start or first_of(text, at, _FROM_END)
    if not word:
        return None
    place, end = 1 if start else -1, at + len(word)
    end += len(word) > 1 and text.startswith("的", end)
    pointed = text.startswith(("那", "这"), end)
    end += pointed
    amount = durations.amount(text, end)
    if amount is None:
        if pointed or word in ("首", "末") or (word == "最后" and _weekday(text, end)):
            return _of_unit(text, end, place)
        return None
    count, end = amount
    if isinstance(count, tuple):
        return _of_unit(text, end, place, int(count[1]), count == periods.FEW)
    return _of_unit(text, end, place, int(count)) if count >= 1 else None


def _of_unit(text: str, at: int, place: int, count: int = 1, rough: bool = False) -> Ordinal | None:
    measured = text.startswith("个", at)
    at += measured
    named = _weekday(text, at)
    if named is not None and (measured or not text[at - 1].isnumeric()) and count == 1:
        return Ordinal(place, 1, "weekday", named[1], named[0])
    for word, unit in words_zh.ORDINAL_UNITS.items():
        if not text.startswith(word, at):
            continue
        end = at + len(word)
        if text.startswith(words_zh.NOT_AFTER_ORDINAL.get(unit, ()), end):
            return None
        # 第三月 is no month of a year, 第三个月 is; but 首月.
        if unit == "month" and not measured and text[at - 1] not in "首末":
            return None
        if rough:
            count = _FEW_DAYS if unit == "day" else _FEW
        return Ordinal(place, count, unit, end, rough=rough)
    return None


def _weekday(text: str, at: int) -> tuple[int, int] | None:
    word = first_of(text, at, words_zh.WEEKS)
    return weekday(text, at + len(word)) if word else None


def within(of: Span, one: Ordinal) -> Span | None:
    """The span that an ordinal names in a period; None where the period has no such."""
    found = _within(of, one)
    if found is None or not of.start <= found.start < of.stop:
        return None
    return found._replace(relative=of.relative, approximate=one.rough)


def _within(of: Span, one: Ordinal) -> Span | None:
    if one.unit == "weekday":
        return _nth_weekday(of, one)
    if one.unit == "day":
        return _steps(of, one, _DAY)
    if one.unit == "week":
        return _nth_week(of, one) if one.many == 1 else _steps(of, one, _WEEK)
    size = 3 if one.unit == "quarter" else 1
    first = _months_of(of.start) + size * (one.place - 1)
    if one.place < 0:
        first = _months_of(of.stop - _DAY) + 1 + size * (one.place - one.many + 1)
    span = periods.months(first // 12, first % 12 + 1, size * one.many)
    return span if of.start <= span.start and span.stop <= of.stop else None


def _months_of(day: datetime) -> int:
    return day.year * 12 + day.month - 1


def _steps(of: Span, one: Ordinal, size: timedelta) -> Span | None:
    """So many days, or times seven of them, from the start on or up to the end."""
    length = size * one.many
    if one.place > 0:
        start = of.start + size * (one.place - 1)
        stop = min(start + length, of.stop)
    else:
        stop = of.stop + size * (one.place + 1)
        start = max(stop - length, of.start)
    return Span(start, stop, "day" if stop - start == _DAY else "range") if start < stop else None


def _nth_weekday(of: Span, one: Ordinal) -> Span | None:
    index = 5 if one.day == 7 else one.day
    if one.place > 0:
        first = of.start + timedelta(days=(index - of.start.weekday()) % 7)
        start = first + _WEEK * (one.place - 1)
    else:
        last = of.stop - _DAY
        start = last - timedelta(days=(last.weekday() - index) % 7) + _WEEK * (one.place + 1)
    if not of.start <= start < of.stop:
        return None
    weekend = one.day == 7
    return Span(start, start + _DAY * (1 + weekend), "range" if weekend else "day")


def _nth_week(of: Span, one: Ordinal) -> Span | None:
    thursday = _nth_weekday(of, Ordinal(one.place, 1, "weekday", 0, 3))
    if thursday is None or of.stop - of.start < _WEEK:
        return None
    start = thursday.start - 3 * _DAY
    stop = start + _WEEK
    if one.place == 1:
        start, stop = of.start, max(stop, of.start + _WEEK)
    elif one.place == -1:
        start, stop = min(start, of.stop - _WEEK), of.stop
    return Span(start, min(stop, of.stop), "week")


def half(text: str, at: int, of: Span) -> tuple[Span, int] | None:
    """The 上半月, 后半年, 前半段 of a period."""
    word = first_of(text, at, ("上半", "前半", "下半", "后半"))
    end = at + len(word)
    unit = first_of(text, end, words_zh.HALVES.get(of.unit, ())) if word else ""
    if not unit:
        return None
    first = word[0] in "上前"
    if of.unit == "year":
        span = periods.months(of.start.year, 1 if first else 7, 6)
    elif of.unit == "month":
        middle = of.start + 15 * _DAY
        span = Span(of.start, middle, "range") if first else Span(middle, of.stop, "range")
    else:
        middle = of.start + timedelta(days=(of.stop - of.start).days // 2)
        span = Span(of.start, middle + _DAY, "range") if first else Span(middle, of.stop, "range")
    return span._replace(relative=of.relative), end + len(unit)


def end_of(text: str, at: int, of: Span) -> tuple[Span, int] | None:
    """The 那天 of 月底那天 and 年初那天: the last day or the first."""
    if not text.startswith(("那天", "那一天", "当天"), at):
        return None
    part = text[at - 1 : at] if text[at - 1] != "的" else text[at - 2 : at - 1]
    end = text.index("天", at) + 1
    if part in tuple("底末尾"):
        return Span(of.stop - _DAY, of.stop, "day", of.relative), end
    if part in tuple("初头"):
        return Span(of.start, of.start + _DAY, "day", of.relative), end
    return None


class Beside(NamedTuple):
    """What lies before or after a day or festival.

    Args:
        end: where it ends in the text.
        sign: -1 before, 1 after, 0 on both sides.
        size: how far it reaches.
        one: a place in what reaches so far, None for all of it.
        night: the night of the day.
    """

    end: int
    sign: int
    size: timedelta
    one: Ordinal | None = None
    night: bool = False
    rough: bool = False

    def of(self, span: Span) -> Span | None:
        """The span that is meant beside one."""
        start, stop = span.start - self.size, span.stop + self.size
        start = span.stop if self.sign > 0 else start
        stop = span.start if self.sign < 0 else stop
        unit: periods.Unit = "day" if stop - start == _DAY else "range"
        found = Span(start, stop, unit, span.relative, approximate=self.rough)
        if self.one is not None:
            return within(found, self.one)
        return periods.part_of_day(found, periods.DAY_PARTS["晚上"]) if self.night else found


def beside(text: str, at: int) -> Beside | None:
    """前一天, 前三天, 后一周, 次日, 前一晚, 后第一个周末 behind a day."""
    if word := first_of(text, at, _NEXT_DAY):
        return Beside(at + len(word), 1, _DAY)
    if word := first_of(text, at, ("前一晚", "前一夜", "头天晚上", "前一天晚上")):
        return Beside(at + len(word), -1, _DAY, night=True)
    side = first_of(text, at, ("之前", "之后", "以前", "以后", "前", "后"))
    if not side:
        return None
    sign = 1 if side[-1] == "后" else -1
    end = at + len(side)
    end += text.startswith("的", end)
    one = ordinal(text, end) if text.startswith("第" if sign > 0 else "最后", end) else None
    if one is not None:
        return Beside(one.end, sign, timedelta(days=62), one)
    length = durations.length(text, end)
    if length is None or length[1] not in _SIZES:
        return None
    amount, unit, end = length
    rough = isinstance(amount, tuple)
    most = int(amount[1]) if isinstance(amount, tuple) else int(amount)
    return Beside(end, sign, _SIZES[unit] * most, rough=rough) if most else None


_SIZES = {"day": _DAY, "week": _WEEK, "month": timedelta(days=30)}


def beside_festival(text: str, at: int, *, told: bool) -> Beside | None:
    """What :func:`beside` reads, and 前夕, 前后; in a question also 前 and 后 alone."""
    if text.startswith("前夕", at):
        return Beside(at + 2, -1, _EVE)
    if text.startswith("前后", at):
        return Beside(at + 2, 0, _EVE, rough=True)
    found = None if text.startswith("第二天", at) else beside(text, at)
    side = first_of(text, at, ("之前", "之后", "前", "后"))
    if found is not None or told or not side:
        return found
    return Beside(at + len(side), 1 if side[-1] == "后" else -1, _BARE_SIDE, rough=True)


def of_festival(text: str, at: int) -> Ordinal | None:
    """The 第二天 of 国庆第二天, the 最后一天 of 春节最后一天."""
    one = ordinal(text, at)
    return None if one and one.unit == "day" and one.place > _AFTER_FIRST.days else one


def in_festival(core: Span, one: Ordinal) -> Span | None:
    """The span of such an ordinal.

    Args:
        core: the festival from its first day on, without its eve.
    """
    stop = max(core.stop, core.start + _AFTER_FIRST) if one.place > 0 else core.stop
    return within(core._replace(stop=stop), one)
