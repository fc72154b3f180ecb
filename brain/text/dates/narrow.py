"""Narrowing of a time by what stands behind it: 去年 → 去年三月 → 去年三月五号 → … 下午."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from brain.text.dates import calendar_zh, festivals, ordinals, periods, words_zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.scan import NUMERALS, day_part, eat, first_of, is_han, weekday


def narrow(text: str, reading: Reading, clock: Clock) -> Reading:
    """The reading with all that makes it finer: 去年 → 去年三月 → 去年三月五号 → … 下午."""
    while reading.spans:
        span = reading.spans[0]
        if len(reading.spans) > 1:
            return reading
        at = reading.end
        at += text.startswith(("的", " "), at)
        found = _same_day(text, at, span, clock) or finer(text, at, span, clock)
        if found is None:
            placed = _by_ordinal(text, at, span)
            if placed is None:
                return reading
            # What comes round is the month, and no longer its last Friday.
            second = None if reading.guess is None else _by_ordinal(text, at, reading.guess)
            reading = Reading(reading.begin, placed[1], (placed[0],), second and second[0])
            continue
        one, end = found
        guess = reading.guess
        if guess is not None and (of_guess := finer(text, at, guess, clock)) is not None:
            guess = of_guess[0]
        reading = reading._replace(end=end, spans=() if one is None else (one,), guess=guess)
    return reading


_Finer = tuple[Span | None, int] | None


def _by_ordinal(text: str, at: int, span: Span) -> tuple[Span, int] | None:
    """最后一天 behind 去年, 第二周 behind 7月, 前一天 behind 3月5号."""
    if span.soft or span.approximate or span.unit in ("part", "moment"):
        return None
    if span.unit == "day":
        # 昨天第二天 is nobody's day, 3月5号第二天 is.
        counted = span.relative and text.startswith("第二天", at)
        near = None if counted else ordinals.beside(text, at)
        found = near and near.of(span)
        return (found, near.end) if near and found else None
    if span.unit == "range" and (last := ordinals.end_of(text, at, span)):
        return last
    if part := ordinals.half(text, at, span):
        return part
    # 月底前三天 is before the month's end.
    if span.unit == "range" and text.startswith(("前", "后"), at):
        return None
    one = ordinals.ordinal(text, at)
    placed = one and ordinals.within(span, one)
    return (placed, one.end) if one and placed else None


def finer(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    """What stands at a place in a year, month or week: the 夏天 of 三年前的夏天."""
    finer_of = _NARROWER.get(span.unit)
    return None if finer_of is None else finer_of(text, at, span, clock)


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


def same_day_away(text: str, at: int, amount: int, unit: str, clock: Clock) -> Reading | None:
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
        same = first_of(text, at, words_zh.SAME_DAY)
        found = (same, (0, 1, "")) if same else eat(text, at, words_zh.DAY_WORDS)
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
    if found := calendar_zh.month_number(text, at):
        month, end = found
        return periods.months(number, month, relative=span.relative), end
    if found := calendar_zh.quarter_number(text, at):
        first, end = found
        return periods.months(number, first, 3, relative=span.relative), end
    if text.startswith(("上半年", "下半年"), at):
        first = 1 if text[at] == "上" else 7
        return periods.months(number, first, 6, relative=span.relative), at + 3
    season = first_of(text, at, periods.SEASONS)
    if season and text.startswith(("天", "季"), at + 1):
        return _season(number, season, relative=span.relative), at + 2
    if holiday := festivals.festival_of(text, at, told=clock.told):
        of_year = holiday.span(number)
        relative = span.relative or (of_year is not None and of_year.relative)
        return of_year and of_year._replace(relative=relative), holiday.end
    spoken = festivals.spoken_of(text, at, told=clock.told)
    if spoken and text[at + 2 : at + 3] not in tuple(NUMERALS + "月点号日个"):
        of_year = spoken.span(number)
        return of_year and of_year._replace(relative=span.relative), spoken.end
    if turn := periods.YEAR_TURNS.get(text[at : at + 2]):
        return periods.months(number, *turn, relative=span.relative), at + 2
    full = text.startswith("年", at)
    part = text[at + full : at + full + 1]
    after = text[at + full + 1 : at + full + 2]
    if part in periods.YEAR_PARTS and (full or (part != "中" and text[at - 1] not in "的 ")):
        if part == "初" and after in tuple("中一二三级恋步次衷期"):
            return None
        if part in "底末尾" and after in tuple("层薪线日尾声款号"):
            return None
        first, count = periods.YEAR_PARTS[part]
        return periods.months(number, first, count, relative=span.relative), at + full + 1
    return None


def _season(number: int, name: str, *, relative: bool) -> Span:
    return periods.months(number, periods.SEASONS[name], 3, relative=relative)


def _in_month(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    if found := calendar_zh.day_number(text, at) or calendar_zh.bare_day_number(text, at):
        day, end = found
        start = span.start
        try:
            return periods.date_of(start.year, start.month, day, relative=span.relative), end
        except ValueError:
            return None, end
    full = text.startswith("月", at)
    at += full
    part = first_of(text, at, ("上旬", "中旬", "下旬", *"初底末中尾头"))
    if not part or (len(part) == 1 and not full and text[at - 1] in "的 "):
        return None
    end = at + len(part)
    after = text[end : end + 1]
    if part == "初" and after in tuple("一二三四五六七八九十中级步"):
        return None
    if part == "头" and after in tuple(NUMERALS + "条几个天"):
        return None
    if part in "底末尾" and after in tuple("层薪线日声款号"):
        return None
    if part == "中" and is_han(after) and after != "的":
        return None
    return periods.part_of_month(span, periods.MONTH_PARTS[part]), end


def _in_week(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    # The second 周 of 上周周五 and 上周的周五; but 上周的三个.
    pointed = first_of(text, at, ("那个", "这个"))
    at += len(pointed) if text.startswith(words_zh.WEEKS, at + len(pointed)) else 0
    word = first_of(text, at, words_zh.WEEKS)
    if not word and text[at - 1] in "的 ":
        return None
    at += len(word)
    found = weekday(text, at)
    if found is None or (word and text.startswith(words_zh.NAMES_AFTER_WEEK, at)):
        return None
    return periods.weekday(span, found[0]), found[1]


def _in_day(text: str, at: int, span: Span, clock: Clock) -> _Finer:
    same = first_of(text, at, ("那一天", "那天", "当天", "当日", "这天"))
    same += "的" * text.startswith("的", at + len(same)) if same else ""
    found = day_part(text, at + len(same))
    return None if found is None else (periods.part_of_day(span, found[0]), found[1])


_NARROWER: Mapping[str, Callable[[str, int, Span, Clock], _Finer]] = {
    "year": _in_year,
    "month": _in_month,
    "week": _in_week,
    "day": _in_day,
}
