"""Temporal expressions in English, and dates in figures (2025-03-05, 3/5, 2025Q1).

English is read word by word over tables; words glued to others (yesterday.log, last_week) are names
and no times. Texts are in lower case with ASCII digits; :mod:`brain.text.dates.intervals` sees to
that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from brain.text.dates import ordinals, ordinals_en, periods
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.tense import without_year

_WORD = re.compile(r"[a-z0-9_]+(?:[-./@:+][a-z0-9_]+)*")
_FIGURES = re.compile(
    r"(?<![0-9a-z_./:-])(?:(?P<year>(?:19|20)\d\d)"
    r"(?:(?P<mark>[-/.])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?|-?q(?P<quarter>[1-4]))"
    r"(?![0-9a-su-z_/]|[.-]\d)"
    r"|(?P<whole>(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?![0-9a-z_/%]|[.-]\d)"
    r"|(?P<mm>0[1-9])-(?P<dd>0[1-9]|[12]\d|3[01])(?![0-9a-z_/%]|[.-]\d)"
    r"|(?P<m>\d{1,2})/(?P<d>\d{1,2})(?![0-9a-z_/%]|[.-]\d))"
)
_FREE_BEFORE_FIGURES = frozenset("在于从到至自的了那我你他她们和与、，。：；（")
_COUNTED = ("进度", "比例", "完成", "概率", "评分", "得分", "打分", "score", "page", "step", "part")
"""Before 3/5 these make it a share and no date."""

_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
MONTHS: Mapping[str, int] = {
    **{name: i for i, name in enumerate(_MONTH_NAMES.split(), start=1)},
    **{name[:3]: i for i, name in enumerate(_MONTH_NAMES.split(), start=1)},
    "sept": 9,
}
_ORDINARY = frozenset(("may", "march", "mar", "jan"))
"""Words and names besides: they need more than a number beside them."""

_WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
WEEKDAYS: Mapping[str, int] = {name: i for i, name in enumerate(_WEEKDAY_NAMES.split())}
SEASONS: Mapping[str, str] = {
    "spring": "春",
    "summer": "夏",
    "autumn": "秋",
    "fall": "秋",
    "winter": "冬",
}
_UNITS = ("day", "week", "month", "quarter", "year", "hour", "minute")
UNITS: Mapping[str, str] = {form: unit for unit in _UNITS for form in (unit, unit + "s")}
_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS: Mapping[str, int] = {
    **{word: n for n, word in enumerate(_NUMBER_WORDS.split(), start=1)},
    **dict.fromkeys(("a", "an"), 1),
}
_SHIFTS: Mapping[str, int] = {"last": -1, "previous": -1, "this": 0, "next": 1}
_DAYS: Mapping[str, int] = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SOFT: tuple[tuple[list[str], tuple[int, int]], ...] = (
    (["recently"], (-30, 1)),
    (["lately"], (-30, 1)),
    (["these", "days"], (-30, 1)),
    (["the", "other", "day"], (-10, 0)),
    (["a", "while", "ago"], (-90, -7)),
    (["a", "while", "back"], (-90, -7)),
    (["just", "now"], (0, 1)),
)
_BEFORE_DATE = frozenset(("in", "since", "during", "of", "by", "until", "till", "from"))
_BEFORE_WEEKDAY = frozenset(("on", "by", "until", "till", "from"))
_THINGS = "ms users rows tokens items words chars files lines people dollars"
_COUNTABLE = frozenset(_THINGS.split())
"""After a figure from 1900 to 2099 they make it a number of things."""
_PARTS_OF = {"early": "初", "mid": "中", "late": "底"}
_PARTS_OF_THE = {"beginning": "初", "start": "初", "middle": "中", "end": "底"}
_OTHER_KEYS = "tonight ago back past coming recently lately these other in since just q1 q2 q3 q4"
_KEYS = frozenset((*MONTHS, *WEEKDAYS, *_DAYS, *_SHIFTS, *ordinals_en.PLACES, *_OTHER_KEYS.split()))
"""A text with none of these names no time."""
_OPENING_WORDS = "every each the day tonight past coming half couple few several q1 q2 q3 q4"
_OPENING = frozenset(
    (
        *_OPENING_WORDS.split(),
        *_BEFORE_DATE,
        *_BEFORE_WEEKDAY,
        *(phrase[0] for phrase, _ in _SOFT),
        *_DAYS,
        *_SHIFTS,
        *_NUMBERS,
        *_PARTS_OF,
        *_PARTS_OF_THE,
        *MONTHS,
        *ordinals_en.PLACES,
    )
)
"""A phrase begins with one of these or with a digit."""


class _Words(NamedTuple):
    """The words of a text with their offsets; '' wherever more than a blank or comma is between."""

    words: list[str]
    spans: Sequence[tuple[int, int]]
    text: str

    def at(self, place: int) -> str:
        """The word at a place, '' outside."""
        return self.words[place] if 0 <= place < len(self.words) else ""


class _Found(NamedTuple):
    """The place after a phrase, what it can mean, and what only a question can mean by it."""

    place: int
    spans: tuple[Span, ...]
    guess: Span | None = None
    cycle: str = ""


def figures(text: str, clock: Clock) -> Iterator[Reading]:
    """Dates in figures, in text order; impossible ones are read and mean nothing."""
    for match in _FIGURES.finditer(text):
        reading = Reading(match.start(), match.end(), ())
        with suppress(ValueError, OverflowError):
            reading = _figure(match, text, clock)
        if reading.spans or match["year"]:
            yield reading


def _figure(match: re.Match[str], text: str, clock: Clock) -> Reading:
    nothing = Reading(match.start(), match.end(), ())
    if match["quarter"]:
        quarter = periods.months(int(match["year"]), int(match["quarter"]) * 3 - 2, 3)
        return nothing._replace(spans=(quarter,))
    if whole := match["whole"]:
        return nothing._replace(
            spans=(periods.date_of(int(whole[:4]), int(whole[4:6]), int(whole[6:])),)
        )
    if match["year"]:
        year, month = int(match["year"]), int(match["month"])
        if match["day"]:
            return nothing._replace(spans=(periods.date_of(year, month, int(match["day"])),))
        # 2025.3 is a version.
        if 1 <= month <= 12 and match["mark"] != ".":
            return nothing._replace(spans=(periods.months(year, month),))
        return nothing
    if match["mm"]:
        return _without_year(
            text, match.start(), match.end(), int(match["mm"]), int(match["dd"]), clock
        )
    return _month_and_day(match, text, clock)


def _month_and_day(match: re.Match[str], text: str, clock: Clock) -> Reading:
    """3/5, where nothing says that it is a share."""
    month, day = int(match["m"]), int(match["d"])
    before = text[: match.start()].rstrip()[-8:]
    free = match.start() == 0 or text[match.start() - 1] in _FREE_BEFORE_FIGURES | set(" \n,(:")
    if before.endswith(_COUNTED) or (month < day <= 4) or not free:
        return Reading(match.start(), match.end(), ())
    return _without_year(text, match.start(), match.end(), month, day, clock)


_MOST_YEARS = 8
"""Within so many years there is a 29 February."""


def _without_year(
    text: str, begin: int, end: int, month: int, day: int | None, clock: Clock
) -> Reading:
    """A month or day without a year."""

    def make(year: int) -> Span:
        return periods.months(year, month) if day is None else periods.date_of(year, month, day)

    reading = without_year(text, begin, end, clock, make, _MOST_YEARS)
    return reading._replace(cycle=periods.day_of_year(month, day))


def readings(text: str, clock: Clock) -> list[Reading]:
    """The times a text names in English, in text order, without overlap."""
    if _KEYS.isdisjoint(_WORD.findall(text)) and "mid-" not in text:
        return []
    row = _cut(text)
    if _KEYS.isdisjoint(row.words):
        return []
    out: list[Reading] = []
    at = 0
    while at < len(row.words):
        if not _may_begin(row.words[at]):
            at += 1
            continue
        found = None
        with suppress(ValueError, OverflowError):
            found = _phrase(row, at, clock)
        if found is None:
            at += 1
            continue
        if found.spans:
            begin, end = row.spans[at][0], row.spans[found.place - 1][1]
            out.append(Reading(begin, end, found.spans, found.guess, found.cycle))
        at = found.place
    return out


def _may_begin(word: str) -> bool:
    return word in _OPENING or word[:1].isdigit()


def _cut(text: str) -> _Words:
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    end = 0
    for match in _WORD.finditer(text):
        if text[end : match.start()] not in (" ", ", ", ",", "  "):
            words.append("")
            spans.append((end, end))
        parts = match.group().split("-") if match.group().startswith("mid-") else [match.group()]
        begin, end = match.span()
        words += parts
        spans += [(begin, end)] * len(parts)
    return _Words(words, spans, text)


def _phrase(row: _Words, at: int, clock: Clock) -> _Found | None:
    word, after = row.at(at), row.at(at + 1)
    if word in ("every", "each"):
        found = _simple(row, at + 1, clock) or _bare(row, at + 1, clock)
        return found and _Found(found.place, ())
    if word == "since":
        found = _simple(row, at + 1, clock) or _bare(row, at + 1, clock)
        tomorrow = clock.today + timedelta(days=1)
        if found is None or not found.spans or found.spans[0].unit == "moment":
            return None
        span = found.spans[0]._replace(stop=tomorrow, unit="range")
        return _Found(found.place, (span,)) if span.start < tomorrow else None
    if found := _ordinal(row, at + (word in _BEFORE_WEEKDAY or word == "in"), clock):
        return found
    if after in WEEKDAYS and word not in _BEFORE_WEEKDAY:
        return _shifted(row, at, clock)
    if word in _BEFORE_DATE or word in _BEFORE_WEEKDAY:
        found = _dated(row, at + 1, clock) or _bare(row, at + 1, clock)
        if found is not None:
            return found
    return _simple(row, at, clock)


def _bare(row: _Words, at: int, clock: Clock) -> _Found | None:
    """What only a word before it makes a time: in March, since 2024, by Friday."""
    word = row.at(at)
    if word in MONTHS:
        return _of_some_year(row, at, at + 1, MONTHS[word], None, clock)
    if word in WEEKDAYS:
        this, last = (periods.weekday(periods.week(clock, n), WEEKDAYS[word]) for n in (0, -1))
        return _with_part(row, at + 1, (this,), last if this.start > clock.local else None)
    year = _year(word)
    if year is None or row.at(at + 1) in _COUNTABLE:
        return None
    return _Found(at + 1, (periods.year(year),))


def _year(word: str) -> int | None:
    return int(word) if len(word) == 4 and word.isdigit() and word[:2] in ("19", "20") else None


def _with_part(
    row: _Words, place: int, spans: tuple[Span, ...], guess: Span | None = None
) -> _Found:
    """Days, with the part of the day that follows them: yesterday afternoon."""
    hours = periods.DAY_PARTS.get(row.at(place))
    if hours is None:
        return _Found(place, spans, guess)
    parts = tuple(periods.part_of_day(span, hours) for span in spans)
    return _Found(place + 1, parts, guess and periods.part_of_day(guess, hours))


def _simple(row: _Words, at: int, clock: Clock) -> _Found | None:
    for read in (_soft, _days, _shifted, _ago, _part_of, _dated, _quarter):
        if found := read(row, at, clock):
            return found
    return None


def _soft(row: _Words, at: int, clock: Clock) -> _Found | None:
    word = row.at(at)
    for phrase, (first, after) in _SOFT:
        place = at + len(phrase)
        if word == phrase[0] and row.words[at:place] == phrase:
            return _Found(place, (periods.soft_days(clock, first, after),))
    return None


def _days(row: _Words, at: int, clock: Clock) -> _Found | None:
    """Yesterday afternoon, tonight, the day after tomorrow, last night."""
    word, after = row.at(at), row.at(at + 1)
    start = at + (word == "the")
    three = row.words[start : start + 3]
    if three == ["day", "before", "yesterday"]:
        return _Found(start + 3, (periods.days(clock, -2, -1),))
    if three == ["day", "after", "tomorrow"]:
        return _Found(start + 3, (periods.days(clock, 2, 3),))
    if word == "tonight":
        return _Found(
            at + 1, (periods.part_of_day(periods.days(clock, 0, 1), periods.DAY_PARTS["night"]),)
        )
    if word == "last" and after == "night":
        return _with_part(row, at + 1, (periods.days(clock, -1, 0),))
    if word == "this" and after in periods.DAY_PARTS:
        return _with_part(row, at + 1, (periods.days(clock, 0, 1),))
    if word not in _DAYS:
        return None
    return _with_part(row, at + 1, (periods.days(clock, _DAYS[word], _DAYS[word] + 1),))


def _shifted(row: _Words, at: int, clock: Clock) -> _Found | None:
    """Last week, this month, next Friday, last March, the past two weeks."""
    word, after = row.at(at), row.at(at + 1)
    if word in ("last", "past", "next", "coming", "previous"):
        amount, place = _amount(row, at + 1) or (1, at + 1)
        unit = UNITS.get(row.at(place))
        if unit is not None and (place > at + 1 or word in ("past", "coming")):
            sign = 1 if word in ("next", "coming") else -1
            return _Found(place + 1, (periods.stretch(clock, amount, unit, sign),))
    if word not in _SHIFTS:
        return None
    shift, now = _SHIFTS[word], clock.local
    span: Span | None = None
    if after == "week":
        span = periods.week(clock, shift)
    elif after == "weekend":
        span = periods.weekday(periods.week(clock, shift), 7)
    elif after == "month":
        span = periods.months(now.year, now.month + shift, relative=True)
    elif after == "quarter":
        span = periods.months(now.year, (now.month - 1) // 3 * 3 + 1 + 3 * shift, 3, relative=True)
    elif after == "year":
        span = periods.year(now.year + shift, relative=True)
    elif after in WEEKDAYS:
        return _with_part(row, at + 2, _shifted_weekday(after, shift, clock))
    elif after in SEASONS:
        span = _shifted_months(periods.SEASONS[SEASONS[after]], 3, shift, clock)
    elif after in MONTHS and (shift or after != "may"):
        span = _shifted_months(MONTHS[after], 1, shift, clock)
    return None if span is None else _Found(at + 2, (span,))


def _shifted_weekday(word: str, shift: int, clock: Clock) -> tuple[Span, ...]:
    """Last Monday: the latest before today, or that of last week; next Monday: the same ahead."""
    this, other = (periods.weekday(periods.week(clock, n), WEEKDAYS[word]) for n in (0, shift))
    if shift < 0 and this.start < clock.today:
        return this, other
    if shift > 0 and this.start > clock.today:
        return other, this
    return (other,)


def _shifted_months(month: int, count: int, shift: int, clock: Clock) -> Span:
    """Last March is the latest that is over, next March the first that has not begun."""
    year = clock.local.year
    if shift > 0:
        year += periods.months(year, month, count).start <= clock.local
    while shift < 0 and periods.months(year, month, count).stop > clock.local:
        year -= 1
    return periods.months(year, month, count, relative=True)


def _amount(row: _Words, at: int) -> tuple[periods.Amount, int] | None:
    """A number of something and the place after it: 3, two, a couple of, a few, half a."""
    word, after = row.at(at), row.at(at + 1)
    if word == "half" and after in ("a", "an"):
        return 0.5, at + 2
    if word == "a" and after in ("couple", "few"):
        at, word, after = at + 1, after, row.at(at + 2)
    if word == "couple":
        return 2, at + 1 + (after == "of")
    if word in ("few", "several"):
        return periods.FEW, at + 1
    if word in _NUMBERS:
        return _NUMBERS[word], at + 1
    return (int(word), at + 1) if word.isdigit() and len(word) < 5 else None


def _ago(row: _Words, at: int, clock: Clock) -> _Found | None:
    """Three days ago, a couple of weeks ago, in two months."""
    ahead = row.at(at) == "in"
    amount, place = _amount(row, at + ahead) or (0, at)
    unit = UNITS.get(row.at(place))
    ago = row.at(place + 1) in ("ago", "back")
    if unit is None or amount == 0 or not (ahead or ago):
        return None
    return _Found(place + 1 + ago, (periods.away(clock, amount, unit, -1 if ago else 1),))


def _part_of(row: _Words, at: int, clock: Clock) -> _Found | None:
    """Early March, late 2025, the end of last year."""
    start = at + (row.at(at) == "the")
    part, after = _PARTS_OF.get(row.at(start)), start + 1
    if part is None and row.at(after) == "of":
        part, after = _PARTS_OF_THE.get(row.at(start)), after + 1
    if part is None:
        return None
    found = _shifted(row, after, clock) or _dated(row, after, clock) or _bare(row, after, clock)
    if found is None or not found.spans:
        return None
    span = found.spans[0]
    if span.unit == "month":
        return _Found(found.place, (periods.part_of_month(span, periods.MONTH_PARTS[part]),))
    if span.unit == "year":
        first, count = periods.YEAR_PARTS[part]
        finer = periods.months(span.start.year, first, count, relative=span.relative)
        return _Found(found.place, (finer,))
    return None


def _dated(row: _Words, at: int, clock: Clock) -> _Found | None:
    """March 2025, March 5th, Mar 5 2025, 5 March, 5th of March 2025."""
    name, after = row.at(at), at + 1
    if name in MONTHS:
        year = _year(row.at(after))
        if year is not None:
            return _Found(after + 1, (periods.months(year, MONTHS[name]),))
        number = row.at(after)
    else:
        number = name
        after += row.at(after) == "of"
        name = row.at(after)
    day = _day(number)
    if day is None or name not in MONTHS:
        return None
    year = _year(row.at(after + 1))
    if year is not None:
        return _Found(after + 2, (periods.date_of(year, MONTHS[name], day),))
    prepared = row.at(at - 1) in _BEFORE_DATE or row.at(at - 1) in _BEFORE_WEEKDAY
    if name in _ORDINARY and number.isdigit() and not prepared:
        return None
    return _of_some_year(row, at, after + 1, MONTHS[name], day, clock)


def _of_some_year(
    row: _Words, at: int, place: int, month: int, day: int | None, clock: Clock
) -> _Found:
    begin, end = row.spans[at][0], row.spans[place - 1][1]
    found = _without_year(row.text, begin, end, month, day, clock)
    return _Found(place, found.spans, found.guess, found.cycle)


def _day(word: str) -> int | None:
    digits = word[:-2] if word.endswith(("st", "nd", "rd", "th")) else word
    return int(digits) if digits.isdigit() and len(digits) <= 2 and int(digits) > 0 else None


def _ordinal(row: _Words, at: int, clock: Clock) -> _Found | None:
    """The last Friday of June, the first week of the year, the second half of 2025."""
    place = ordinals_en.place(row.words, at) if at < len(row.words) else None
    if place is None:
        return None
    start = place.after
    found = _simple(row, start, clock) or _bare(row, start, clock) or _this(row, start, clock)
    if found is None or len(found.spans) != 1:
        return None
    span = found.spans[0]
    finer = _half_of(span, place.half) if place.one is None else ordinals.within(span, place.one)
    return None if finer is None else _Found(found.place, (finer,))


def _this(row: _Words, at: int, clock: Clock) -> _Found | None:
    """The month, the year: this one."""
    if row.at(at) != "the" or row.at(at + 1) not in ("month", "year"):
        return None
    now = clock.local
    if row.at(at + 1) == "year":
        return _Found(at + 2, (periods.year(now.year, relative=True),))
    return _Found(at + 2, (periods.months(now.year, now.month, relative=True),))


def _half_of(span: Span, half: int) -> Span | None:
    if span.unit == "year":
        return periods.months(span.start.year, 6 * half - 5, 6, relative=span.relative)
    if span.unit == "month":
        return periods.part_of_month(span, (1, 15) if half == 1 else (16, 31))
    return None


def _quarter(row: _Words, at: int, clock: Clock) -> _Found | None:
    """Q1, Q3 2025: without a year the latest begun; Q1: at a line's head is a question's number."""
    word = row.at(at)
    if len(word) != 2 or word[0] != "q" or word[1] not in "1234":
        return None
    first = int(word[1]) * 3 - 2
    place = at + 1 + (row.at(at + 1) == "of")
    year = _year(row.at(place))
    if year is not None:
        return _Found(place + 1, (periods.months(year, first, 3),))
    end = row.spans[at][1]
    if row.text[end : end + 1] in tuple(":：.、)"):
        return None
    begin = row.spans[at][0]
    reading = without_year(row.text, begin, end, clock, lambda n: periods.months(n, first, 3))
    return _Found(at + 1, reading.spans, reading.guess)
