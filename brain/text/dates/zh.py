"""Temporal expressions in Chinese: a small grammar over words, from the coarse to the fine.

A phrase opens with a head (去年, 上周, 3月, 昨天, 三天前, 最近) and is narrowed by what follows it:
去年 → 三月 → 五号 → 下午. The grammar eats words from tables at a place of the text; but for the
trigger there is no regular expression, since to compile a large one costs more than to read the
query. What may not stand before or after a word (以前|天天, 周三|丰, 后天|性) is in the tables too.

Texts are Simplified, digits ASCII; :mod:`brain.text.dates.intervals` sees to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import cache

from brain.text.dates import calendar_zh, deictic, festivals, narrow, ordinals, periods, words_zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.scan import NUMERALS, day_part, first_of, is_han, weekday

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
    return narrow.narrow(text, reading, clock)


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
    joined = first_of(text, first.end, calendar_zh.TO)
    if joined and span.unit != "moment" and not span.soft:
        return _joined(text, first, first.end + len(joined), clock)
    return first


def _with_more(text: str, first: Reading, clock: Clock) -> list[Reading]:
    """A day with those that share its week or month: 上周三和周五, 5月8号、9号."""
    found = [first]
    while len(found[-1].spans) == 1 and found[-1].spans[0].unit in ("day", "part"):
        last = found[-1]
        mark = first_of(text, last.end, _AND)
        beside = not mark and text.startswith(words_zh.WEEKS, last.end)
        at = last.end + len(mark)
        more = _in_same(text, at, last, clock) if mark or beside else None
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
            found = weekday(text, at + len(word)) if _names_weekday(text, first) else None
        else:
            found = _bare_weekday(text, at) if _names_weekday(text, first) else None
        if found is not None:
            index, end = found
            monday = start - timedelta(days=start.weekday())
            span = periods.weekday(Span(monday, monday + timedelta(days=7), "week"), index)
            return narrow.narrow(text, Reading(at, end, (span,)), clock)
        day = calendar_zh.day_number(text, at)
        if day is not None and not _names_weekday(text, first):
            span = periods.date_of(
                start.year, start.month, day[0], relative=first.spans[0].relative
            )
            return narrow.narrow(text, Reading(at, day[1], (span,)), clock)
    return None


def _names_weekday(text: str, reading: Reading) -> bool:
    """Whether a day is named by its place in the week."""
    phrase = text[reading.begin : reading.end]
    return any(word in phrase for word in words_zh.WEEKS)


def _bare_weekday(text: str, at: int) -> tuple[int, int] | None:
    """The 五 of 上周三到五; 到五点 and 到五月 are none."""
    found = weekday(text, at)
    if found is None or text[at].isdigit() or text[at] == "天":
        return None
    after = text[found[1] : found[1] + 1]
    if is_han(after) and after not in words_zh.AFTER_WEEKDAY and not day_part(text, found[1]):
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
    if reading is not None:
        return Reading(at, reading.end, ())
    last = ordinals.ordinal(text, end)
    return Reading(at, end if last is None else last.end, ())


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
            or calendar_zh.month_day(text, at, clock, of_year=span.start.year)
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
    if first.spans[0].unit == "part" and (part := day_part(text, at)):
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
            return narrow.narrow(text, reading, clock)
    return None


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
    ("今", "天日儿早晨晚夜年明后", (deictic.day, deictic.year, deictic.stretch)),
    ("昨明后", "天日儿个早晨晚夜年", (deictic.day, deictic.year)),
    (
        "前",
        "天日儿晚年几两些阵段一个",
        (deictic.day, deictic.year, deictic.soft, deictic.shifted, deictic.stretch),
    ),
    ("大", "大前后半上", (deictic.day, deictic.year, deictic.ago, deictic.shifted)),
    ("再", "上", (deictic.shifted,)),
    ("去", "年", (deictic.year,)),
    (
        "上下本",
        NUMERALS + "上下个半周星礼月季年几",
        (deictic.shifted, deictic.year, deictic.stretch),
    ),
    ("这", NUMERALS + "个周星礼月季几半段些阵", (deictic.soft, deictic.shifted, deictic.stretch)),
    ("周星礼", "期拜末天日" + NUMERALS, (deictic.weekday_alone,)),
    ("最近过未接", NUMERALS + "近去来下期日几两半", (deictic.stretch, deictic.soft)),
    ("刚", "才刚", (deictic.soft,)),
    ("头", NUMERALS + "几", (deictic.soft,)),
    ("大年", "年三初", (festivals.lunar_date,)),
    ("年月", "初中底末尾头", (deictic.part_alone,)),
    ("农阴旧古夏", "历", (festivals.lunar_date,)),
    ("正冬腊", "月", (festivals.lunar_date,)),
    ("闰", NUMERALS, (festivals.lunar_date,)),
    *((name[0], name[1], (festivals.festival,)) for name in _FESTIVALS),
    ("第", NUMERALS, (calendar_zh.quarter,)),
    ("几半数好若", _AFTER_NUMBER + "干", (deictic.ago,)),
    (
        NUMERALS,
        _AFTER_NUMBER,
        (
            deictic.ago,
            calendar_zh.year_number,
            festivals.lunar_date,
            calendar_zh.month_day,
            calendar_zh.quarter,
            calendar_zh.bare_day,
            festivals.spoken,
        ),
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
