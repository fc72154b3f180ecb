"""Timestamps: what a person may type for a point in time, and the one form the file holds.

The file holds UTC in ISO 8601 with milliseconds, ``2026-11-29T08:00:00.000Z``, which sorts as text.
Whatever names no zone is meant in the user's zone (``TZ``, else the system's) by the rules of that
zone at that date, not by today's offset.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated

from brain.errors import EXIT_DATA, BrainError

When = Annotated[str | datetime | None, "时间（字符串或 datetime）"]
"""A time as a caller gives it (None is the default of the argument), and its name in a refusal."""

_DATE = (
    r"(?P<year>\d{4})(?:"
    r"(?P<mark>[-/.])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?"
    r"|年(?P<month_zh>\d{1,2})月(?:(?P<day_zh>\d{1,2})[日号號])?)"
)
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s*(?P<zone>Z|[+-]\d{2}(?::?[0-5]\d)?))?"
)
_TIME = rf"{_DATE}(?:(?:T|\s+|(?<=[日号號])){_CLOCK})?"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOW_WORDS = frozenset({"now", "现在", "現在"})


def now_utc() -> datetime:
    """The clock, as an aware datetime in UTC."""
    return datetime.now(UTC)


def to_iso(moment: datetime) -> str:
    """Writes a moment in the file's form, cut to milliseconds.

    Args:
        moment: an aware datetime of any zone.

    Raises:
        BrainError: ``brain_date_invalid`` (65) for a datetime without zone, or one outside the
            years 0001-9999 in UTC.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise _invalid(f"时间「{moment.isoformat()}」没有时区，请给出带时区的时间。")
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:
        raise _out_of_range(moment.isoformat()) from None
    return utc.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def from_iso(iso: str) -> datetime:
    """Reads a moment in the file's form as an aware datetime in UTC.

    Raises:
        BrainError: ``brain_date_invalid`` (65) for anything that names no moment with a zone.
    """
    try:
        moment = datetime.fromisoformat(iso)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise _invalid(f"看不懂时间「{_shown(iso)}」，应为 2026-03-01T08:00:00.000Z 这样的写法。")


def local_day(iso: str) -> str:
    """The calendar day (``YYYY-MM-DD``) of a stored moment where the user is, by that day's rules.

    Raises:
        BrainError: as :func:`from_iso`.
    """
    moment = from_iso(iso)
    try:
        return _to_local(moment).date().isoformat()
    except OverflowError:
        # The first or last hours of the calendar, often meant as "always": that day in UTC.
        return moment.date().isoformat()


def local_time(iso: str) -> str:
    """A stored moment where the user is, to the second and with its offset, to be read by people.

    Raises:
        BrainError: as :func:`from_iso`.
    """
    moment = from_iso(iso)
    with suppress(OverflowError):  # the calendar's first and last hours: in UTC
        moment = _to_local(moment)
    return moment.strftime("%Y-%m-%d %H:%M:%S %z")


def parse_time(value: str | datetime, *, now: datetime, end: bool = False) -> str:
    """Reads a moment as a person or program gives it.

    Accepted are dates (``2026-03-01``, ``2026/3/1``, ``2026年3月1日``), months (``2026-03``,
    ``2026年3月``), a date with a time (``2026-03-01 08:00``, ``2026-03-01T08:00:00.5+08:00``), the
    words ``now`` and 现在, and datetimes. Without a zone the user's own is meant. A local time
    that a change of clocks skips is moved past the gap; of one that comes twice the first is meant.

    Args:
        value: what was given. Full-width digits and marks are understood.
        now: the moment that ``now`` stands for, aware.
        end: a date or month alone stands for its last millisecond, not its first: who asks how
            things stood on a day means when it was over, with all that it brought.

    Returns:
        UTC, ISO 8601 with milliseconds, cut and not rounded.

    Raises:
        BrainError: ``brain_date_invalid`` (65) for what cannot be read, days and hours that do not
            exist, and moments outside the years 0001-9999 in UTC.
    """
    if isinstance(value, datetime):
        return to_iso(value if value.tzinfo is not None else _from_local(value, value.isoformat()))
    text = unicodedata.normalize("NFKC", value).strip()
    if text.lower() in _NOW_WORDS:
        return to_iso(now)
    match = re.fullmatch(_TIME, text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise _invalid(
            f"看不懂时间「{_shown(value)}」，"
            "应为 2026-03-01、2026年3月1日 或 2026-03-01T08:00:00+08:00 这样的写法。"
        )
    try:
        moment = _moment(match)
    except ValueError:
        raise _invalid(f"没有「{_shown(value)}」这个时间，请检查年、月、日和时、分、秒。") from None
    if end and match["hour"] is None:
        by_month = (match["day"] or match["day_zh"]) is None
        return to_iso(_last(moment, by_month=by_month, shown=value))
    return to_iso(moment if moment.tzinfo is not None else _from_local(moment, value))


def _moment(match: re.Match[str]) -> datetime:
    """The datetime of a match, naive where no zone is named. Raises ValueError if impossible."""
    fraction = (match["fraction"] or "").ljust(6, "0")[:6]
    moment = datetime(
        int(match["year"]),
        int(match["month"] or match["month_zh"]),
        int(match["day"] or match["day_zh"] or 1),
        int(match["hour"] or 0),
        int(match["minute"] or 0),
        int(match["second"] or 0),
        int(fraction),
    )
    zone = match["zone"]
    if zone is None:
        return moment
    if zone.upper() == "Z":
        return moment.replace(tzinfo=UTC)
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return moment.replace(tzinfo=timezone(-offset if zone[0] == "-" else offset))


def _last(day: datetime, *, by_month: bool, shown: str) -> datetime:
    """The last millisecond of a day or month in the user's zone."""
    try:
        after = (day + timedelta(days=31)).replace(day=1) if by_month else day + timedelta(days=1)
    except OverflowError:
        # The calendar's last, often meant as "always".
        return datetime.max.replace(tzinfo=UTC)
    return _from_local(after, shown) - timedelta(milliseconds=1)


def _from_local(naive: datetime, shown: str) -> datetime:
    """The moment in UTC of a datetime in the user's zone, by that zone's rules at that date."""
    try:
        # Not astimezone(), which lands before the gap when clocks go forward.
        seconds = int(naive.replace(microsecond=0).timestamp())
        return _EPOCH + timedelta(seconds=seconds, microseconds=naive.microsecond)
    except (OSError, OverflowError, ValueError):
        pass
    # The calendar's first and last day; on Windows all before 1970 and after 3000.
    try:
        return naive.replace(tzinfo=_standard_zone()).astimezone(UTC)
    except OverflowError:
        raise _out_of_range(shown) from None


def _to_local(moment: datetime) -> datetime:
    try:
        return moment.astimezone()
    except OSError:
        return moment.astimezone(_standard_zone())


def _standard_zone() -> timezone:
    return timezone(timedelta(seconds=-time.timezone))


def _shown(value: str) -> str:
    """A value as it may stand in a message: one short line of valid Unicode."""
    return " ".join(value.encode("utf-8", "replace").decode("utf-8").split())[:40]


def _invalid(message: str) -> BrainError:
    return BrainError("brain_date_invalid", message, EXIT_DATA)


def _out_of_range(shown: str) -> BrainError:
    return _invalid(f"时间「{_shown(shown)}」换算成 UTC 后不在 0001 年到 9999 年之间。")


ZONEINFO_FOLDERS = (
    "/usr/share/zoneinfo",
    "/usr/lib/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
)
"""Where C libraries have the zones: glibc and macOS, older ones, Solaris, musl's second place."""

# POSIX 1003.1, 8.3: a name, hours to the west, and for summer a second name with its rules.
_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_HOURS = r"[+-]?\d{1,3}(?::\d{2}(?::\d{2})?)?"
_SPELLED = re.compile(rf"{_NAME}{_HOURS}(?:{_NAME}(?:{_HOURS})?(?:,[0-9JM.,/:+-]+)?)?", re.ASCII)

_UTC = frozenset({"UTC", "GMT", "UTC0", "GMT0"})


def is_known_zone(value: str) -> bool:
    """Whether a value of ``TZ`` is understood; what is not counts as UTC there, silently.

    Args:
        value: not empty; an empty one is UTC by agreement.
    """
    name = value.removeprefix(":")
    if _SPELLED.fullmatch(name) or name in _UTC:
        return True
    if os.name == "nt":
        return False
    own = os.environ.get("TZDIR")
    # An absolute name stays what it is when it is joined to a folder.
    return any(_holds_zone(Path(folder, name)) for folder in ((own,) if own else ZONEINFO_FOLDERS))


def _holds_zone(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"TZif"  # RFC 9636, 3.1
    except OSError:
        return False
