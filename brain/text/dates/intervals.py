"""Temporal expressions: the times that a text names (上周三下午, 三天前, 最近, last Monday), as
intervals in UTC.

For two uses. A question with a time in it prefers records of that time (:func:`find_intervals`,
:func:`preference`): softly, never as a filter. A memory that says 昨天 keeps meaning the day it was
said (:func:`anchor_note`).

Days are the user's own, by the rules of the zone at that date; weeks begin on Monday. What every
phrase means stands in the tables of :mod:`brain.text.dates.zh` and :mod:`brain.text.dates.latin`,
the widths of the vague ones in :mod:`brain.text.dates.periods`. A date without a year is the latest
that is not after now, in a plan the next (:mod:`brain.text.dates.tense`). A phrase that can mean
two times (周五 asked on a Wednesday, last Monday) gives both, the likelier first, at the same
place. 每周三 and 30 February give nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from brain.errors import EXIT_DATA, BrainError
from brain.text.dates import latin, periods, zh
from brain.text.dates.periods import Clock, Reading, Span
from brain.text.dates.tense import is_yearly
from brain.text.fold import simplify
from brain.text.regex import compiled
from brain.text.timestamps import from_iso, parse_time, to_iso

MAX_INTERVALS = 16
"""Of more than these (a pasted log names thousands) the first and the last half are kept."""

MAX_CHARS = 4000
"""Of a longer text only the head and the tail are looked at; what is asked stands there."""

MAX_GLOSSES = 3

HELD_THROUGH = 0.8
"""Preference for a record whose bounded validity covers the time asked for but began before it."""

OUTSIDE = 0.75
"""Preference at most for a record from outside the time asked for: the midnight that ends a day is
the next one's, and a neighbouring day is not in time."""

HELD_OPEN = 0.2
"""Preference at least for what began before the time asked for and holds without an end: nearly
every fact does, so it says little."""

_PLAIN = str.maketrans(
    {chr(c): chr(c + 32) for c in range(ord("A"), ord("Z") + 1)}
    | {chr(0xFF10 + n): str(n) for n in range(10)}
    | {"／": "/", "－": "-", "\u3000": " ", "\u00a0": " "}
)
_NOT_PLAIN = frozenset(map(chr, _PLAIN))
_DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A time that a text names.

    Args:
        start_iso, stop_iso: half open, UTC as in :mod:`brain.text.timestamps`.
        begin, end: offsets of the phrase in the text.
        phrase: ``text[begin:end]``.
        relative: counted from now, as 昨天 is; 2025年3月 stands for itself.
        exact: its ends are meant; 最近 has none of its own, 两周前 is about then.
        cycle: of a day named without its year or week (3月9号, 农历三月初三, 周五) what comes
            round, else ''.
    """

    start_iso: str
    stop_iso: str
    begin: int
    end: int
    phrase: str
    relative: bool = False
    exact: bool = True
    cycle: str = ""


def find_intervals(
    text: str, now: datetime, tz: tzinfo | None = None, *, told: bool = False
) -> tuple[Interval, ...]:
    """The times a question or a memory names.

    Args:
        text: any string, folded or not (Traditional, full-width digits and capitals are read
            too); of a very long one the head and the tail.
        now: what 昨天 is counted from; without a zone it is taken in ``tz``.
        tz: the user's zone; None is the process's own (``TZ``, else the system's).
        told: the text is a memory told then: a date without a year in a plan is the next one.

    Returns:
        At most ``MAX_INTERVALS`` in text order; a phrase with two meanings twice, the likelier
        first. Empty when the text names none. Nothing raises.
    """
    clock = _clock(now, tz, told)
    if clock is None:
        return ()
    found: list[Interval] = []
    for reading in _readings(text, clock):
        guesses = () if reading.guess is None else (reading.guess,)
        phrase = text[reading.begin : reading.end]
        for span in (*reading.spans, *guesses):
            ends = _ends(span, tz)
            if ends is not None:
                exact = not (span.soft or span.approximate)
                found.append(
                    Interval(
                        *(*ends, reading.begin, reading.end, phrase),
                        *(span.relative, exact, reading.cycle),
                    )
                )
    if len(found) > MAX_INTERVALS:
        found[MAX_INTERVALS // 2 : -MAX_INTERVALS // 2] = []
    return tuple(found)


_MORNING = 5
"""Hours after midnight up to which 晚上 told then is the evening of the day before."""

_DAY_LONG = timedelta(hours=20)
_NOT_TOLD = ("当晚", "那晚")
_EACH = r"(?<![每天])(?<!每天的)(?<!每[周逢].)(?<!每星期.)(?<!每个周.)(?<!every )(?<!each )"
_NO_PART = r"(?![好茶安]| ?每)"


def is_part_of_day(one: Interval) -> bool:
    """Whether an interval is a part of a day, as 昨天下午 is."""
    length = from_iso(one.stop_iso) - from_iso(one.start_iso)
    return one.exact and length < _DAY_LONG


def parts_told(text: str, said: datetime, tz: tzinfo | None = None) -> tuple[Interval, ...]:
    """The parts of a day that a memory names without one: 下午跟老莫喝茶.

    They are of the day named last before them, else of the day it was told; told in the small hours
    下午 is of the day before.

    Args:
        said: when it was told.
        tz: the user's zone; None is the process's own.
    """
    clock = _clock(said, tz, told=True)
    if clock is None:
        return ()
    named = list(_readings(text, clock))
    found: list[Interval] = []
    for match in compiled(_parts()).finditer(_plain(text[:MAX_CHARS])):
        if any(one.begin <= match.start() < one.end for one in named):
            continue
        hours = periods.DAY_PARTS[match.group()]
        before = [one.spans[0] for one in named if one.end <= match.start()]
        days = [span.start for span in before if span.unit in ("day", "part")]
        day = days[-1].replace(hour=0) if days else clock.today
        # A day alone is kept as its first moment: that is not the night before.
        if not days and clock.today < clock.local and clock.local.hour < _MORNING <= hours[0]:
            day -= timedelta(days=1)
        ends = _ends(periods.part_of_day(Span(day, day, "day", relative=True), hours), tz)
        if ends is not None:
            found.append(Interval(*ends, *match.span(), text[slice(*match.span())], relative=True))
    return tuple(found[:MAX_INTERVALS])


@cache
def _parts() -> str:
    words = sorted(periods.DAY_PARTS.keys() - set(_NOT_TOLD), key=len, reverse=True)
    each = [rf"\b{word}\b" if word.isascii() else word for word in words]
    return f"{_EACH}(?:{'|'.join(each)}){_NO_PART}"


HEADING = 40
"""Characters in which a text may name the day it tells of, as a heading does."""

_HEADS = r"[)）\]】]?\s*(?:[(（]?(?:周|星期|礼拜)[一二三四五六日天][)）]?)?\s*[：:\n]"

_BARE_WEEKDAY = "周[一二三四五六日天末]|(?:星期|礼拜)[一二三四五六日天]"


def anchor_note(text: str, at: datetime | str | None, tz: tzinfo | None = None) -> str | None:
    """What the relative words of a memory mean, counted from when it was said.

    Args:
        text: the memory as stored.
        at: when it was said (valid from or recorded), a datetime or the stored form; a text headed
            by a day counts from that day instead. None where nobody knows: then only such a text
            has anything to count from.
        tz: the user's zone; None is the process's own.

    Returns:
        ``昨天=2026-03-02，下周三=2026-03-11``; months and years as ``2026-02``, ``2025``, longer
        stretches as ``2026-02-23~2026-03-01``, rough ones with ≈ (两周前≈2026-02-18), what can be
        either with 或. At most ``MAX_GLOSSES``; None without such a word. Dates that stand for
        themselves, vague words (最近) and hours (两小时前) get none.
    """
    try:
        said = _SOME_DAY if at is None else from_iso(at) if isinstance(at, str) else at
    except BrainError:
        return None
    some = _clock(said, tz, told=True)
    clock = None if some is None else _headed(text, some)
    if clock is None or (at is None and clock is some):
        return None
    glosses: dict[str, str] = {}
    for reading in _readings(text, clock):
        spans = [s for s in reading.spans if s.relative and not s.soft and s.unit != "moment"]
        # 周二下午 by itself may be every Tuesday's; and a birthday is every year's.
        weekly = compiled(_BARE_WEEKDAY).match(text, reading.begin)
        yearly = reading.cycle and is_yearly(text, reading.begin, reading.end)
        if spans and not (weekly or yearly):
            mark = "≈" if spans[0].approximate else "="
            phrase = text[reading.begin : reading.end]
            days = dict.fromkeys(_shown(span) for span in spans)
            glosses.setdefault(phrase, f"{phrase}{mark}{'或'.join(days)}")
        if len(glosses) == MAX_GLOSSES:
            break
    return "，".join(glosses.values()) or None


_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)


def _headed(text: str, clock: Clock) -> Clock:
    """The clock of the day a text is headed by (会议纪要2026-11-20：昨天……), else the one given."""
    first = next(_readings(text[:HEADING], clock), None)
    if first is None or not compiled(_HEADS).match(text, first.end):
        return clock
    span = first.spans[0]
    if span.unit != "day" or span.relative:
        return clock
    return clock._replace(local=span.start.replace(hour=12))


_CLOCK_BEHIND = r"(?:\s*|T)([0-2]?\d[:：][0-5]\d(?:[:：][0-5]\d)?)\s*$"


def read_day(
    text: str, now: datetime, tz: tzinfo | None = None, *, ahead: bool = False
) -> str | None:
    """A day in words, in digits: 昨天 is ``2026-11-26``, 上周三 8:30 is ``2026-11-18 8:30``.

    Args:
        text: what was typed, the day and nothing else, perhaps with a time of day in digits.
        now, tz: as for :func:`find_intervals`.
        ahead: of a date that comes round (12月31号, 周五) the next is meant, else the nearest.

    Returns:
        None where it names no time in words.

    Raises:
        BrainError: ``brain_date_invalid`` (65) where it names a time that is no single day (上周,
            最近, 昨天下午), or could be either of two.
    """
    day = text.strip()
    behind = compiled(_CLOCK_BEHIND).search(day)
    if behind is not None:
        day = day[: behind.start()]
    clock = _clock(now, tz, told=True)
    if clock is None:
        return None
    found = list(_readings(day, clock._replace(ahead=ahead)))
    if len(found) != 1 or (found[0].begin, found[0].end) != (0, len(day)):
        return None
    reading = found[0]
    days = [_shown(span) for span in reading.spans if span.unit == "day" and not span.approximate]
    if reading.guess is not None and not ahead:
        days.append(_shown(reading.guess))
    if len(days) == 1 and len(reading.spans) == 1:
        clock_time = "" if behind is None else f" {behind[1].replace('：', ':')}"
        return f"{days[0]}{clock_time}"
    told = f"可能是 {' 或 '.join(days)}" if len(days) > 1 else "说的不是某一天"
    raise BrainError(
        "brain_date_invalid", f"「{day[:40]}」{told}，请写成 2026-03-01 这样的日期。", EXIT_DATA
    )


def preference(
    intervals: Iterable[Interval],
    valid_from_iso: str | None,
    valid_to_iso: str | None,
    recorded_iso: str,
) -> float:
    """How well a record's times fit the times that a question names.

    1 where the record began to hold or was recorded inside one of them, or held for a stretch at
    most twice as long that overlaps it; ``HELD_THROUGH`` where a longer, bounded validity overlaps
    it. Else it is ``OUTSIDE`` at most and halves with every half-width of distance to the nearest
    end: half the interval's length up to a day (at least an hour), and a quarter of what is beyond
    (上周: 2 days; 去年: 3 months). What began before and holds without an end gets ``HELD_OPEN`` at
    least.

    Args:
        intervals: from :func:`find_intervals`; the one that fits best counts.
        valid_from_iso, valid_to_iso, recorded_iso: the record's times as stored.

    Returns:
        In [0, 1]; 0 without intervals. For ranking beside other evidence, never for leaving out.
    """
    recorded = _seconds(recorded_iso)
    start = recorded if valid_from_iso is None else _seconds(valid_from_iso)
    stop = None if valid_to_iso is None else _seconds(valid_to_iso)
    best = 0.0
    for interval in intervals:
        asked = (_seconds(interval.start_iso), _seconds(interval.stop_iso))
        best = max(best, _fit(asked, start, stop, valid_from_iso is not None, recorded))
    return best


def _fit(
    asked: tuple[float, float], start: float, stop: float | None, dated: bool, recorded: float
) -> float:
    first, last = asked
    length = max(last - first, 1.0)
    half = max(min(length, _DAY_SECONDS) / 2, 3600.0) + max(length - _DAY_SECONDS, 0.0) / 4
    gap = min(max(first - at, at - last, 0.0) for at in (start, recorded))
    inside = any(first <= at < last for at in (start, recorded))
    fit = 1.0 if inside else _fallen(gap, half)
    if not dated or start >= last:
        return fit
    if stop is None:
        return max(fit, HELD_OPEN)
    if stop <= first:
        return max(fit, _fallen(first - stop, half))
    return 1.0 if stop - start <= 2 * length else max(fit, HELD_THROUGH)


def _fallen(gap: float, half: float) -> float:
    return min(OUTSIDE, float(0.5 ** (gap / half)))


def _seconds(iso: str) -> float:
    return from_iso(iso).timestamp()


def _readings(text: str, clock: Clock) -> Iterator[Reading]:
    """All phrases in text order; where two overlap, the one that begins first or is longer."""
    half = MAX_CHARS // 2
    pieces = [(0, text)]
    if len(text) > MAX_CHARS:
        pieces = [(0, text[:half]), (len(text) - half, text[-half:])]
    for offset, piece in pieces:
        for one in _read(_plain(piece), clock):
            yield one._replace(begin=one.begin + offset, end=one.end + offset)


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    simplified = simplify(text)
    return simplified if _NOT_PLAIN.isdisjoint(simplified) else simplified.translate(_PLAIN)


def _read(plain: str, clock: Clock) -> Iterator[Reading]:
    dates = [zh.narrowed(plain, date, clock) for date in latin.figures(plain, clock)]
    others = (*zh.readings(plain, clock), *latin.readings(plain, clock))
    taken = 0
    for reading in sorted((*dates, *others), key=lambda r: (r.begin, -r.end)):
        if reading.begin >= taken:
            taken = reading.end
            if reading.spans:
                yield reading


def _clock(now: datetime, tz: tzinfo | None, told: bool = False) -> Clock | None:
    try:
        aware = from_iso(_utc(now, tz)) if now.tzinfo is None else now.astimezone(UTC)
        return Clock(aware.astimezone(tz).replace(tzinfo=None), aware, told)
    except (BrainError, ValueError, OverflowError, OSError):
        return None


def _utc(moment: datetime, tz: tzinfo | None) -> str:
    """The stored form of a moment on the wall. A skipped hour is moved past the gap."""
    if moment.tzinfo is not None:
        return to_iso(moment)
    return parse_time(moment, now=moment) if tz is None else to_iso(moment.replace(tzinfo=tz))


def _ends(span: Span, tz: tzinfo | None) -> tuple[str, str] | None:
    try:
        start, stop = _utc(span.start, tz), _utc(span.stop, tz)
    except (BrainError, ValueError, OverflowError):
        return None
    return (start, stop) if start < stop else None


def _shown(span: Span) -> str:
    """The day, month, year or stretch of days that a span is, where the user is."""
    start, stop = span.start, span.stop
    if span.approximate:
        return _middle(start, stop)
    if span.unit == "year":
        return f"{start.year:04d}"
    if span.unit == "month":
        return f"{start.year:04d}-{start.month:02d}"
    last = (stop - timedelta(microseconds=1)).date()
    if span.unit in ("day", "part") or last == start.date():
        return start.date().isoformat()
    return f"{start.date().isoformat()}~{last.isoformat()}"


def _middle(start: datetime, stop: datetime) -> str:
    middle = (start + (stop - start) / 2).date()
    width = stop - start
    if width > timedelta(days=200):
        return f"{middle.year:04d}"
    return middle.isoformat()[: 7 if width > timedelta(days=20) else 10]
