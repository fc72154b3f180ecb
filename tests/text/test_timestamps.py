"""Points in time: what is understood, in whose zone, and what is refused."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.text.timestamps import from_iso, local_day, now_utc, parse_time, to_iso

NOW = datetime(2026, 11, 29, 8, 0, 0, 123_999, tzinfo=UTC)

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set here")


def _in_zone(name: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(autouse=True)
def shanghai() -> Iterator[None]:
    yield from _in_zone("Asia/Shanghai")


@pytest.fixture
def new_york(shanghai: None) -> Iterator[None]:
    yield from _in_zone("America/New_York")


def parse(value: str | datetime, *, end: bool = False) -> str:
    return parse_time(value, now=NOW, end=end)


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2026-03-01", "2026-02-28T16:00:00.000Z"),
        ("2026/3/1", "2026-02-28T16:00:00.000Z"),
        ("2026.03.01", "2026-02-28T16:00:00.000Z"),
        ("2026年3月1日", "2026-02-28T16:00:00.000Z"),
        ("2026年03月01号", "2026-02-28T16:00:00.000Z"),
        ("２０２６－０３－０１", "2026-02-28T16:00:00.000Z"),
        (" 2026-03-01\n", "2026-02-28T16:00:00.000Z"),
        ("2026-03", "2026-02-28T16:00:00.000Z"),
        ("2026年3月", "2026-02-28T16:00:00.000Z"),
        ("2026-03-01 08:00", "2026-03-01T00:00:00.000Z"),
        ("2026年3月1日 8:05", "2026-03-01T00:05:00.000Z"),
        ("2026年3月1日8:05", "2026-03-01T00:05:00.000Z"),
        ("2026-03-01T08:00:59", "2026-03-01T00:00:59.000Z"),
        ("2026-03-01T08:00:00Z", "2026-03-01T08:00:00.000Z"),
        ("2026-03-01t08:00:00z", "2026-03-01T08:00:00.000Z"),
        ("2026-03-01T08:00:00.9999+08:00", "2026-03-01T00:00:00.999Z"),
        ("2026-03-01 08:00:00,5 -0330", "2026-03-01T11:30:00.500Z"),
        ("2026-03-01T08:00+08", "2026-03-01T00:00:00.000Z"),
        ("2028-02-29", "2028-02-28T16:00:00.000Z"),
        ("1988-06-01", "1988-05-31T15:00:00.000Z"),
        ("0001-01-02", "0001-01-01T15:54:17.000Z"),
        ("9999-12-31T23:59:59", "9999-12-31T15:59:59.000Z"),
        ("now", "2026-11-29T08:00:00.123Z"),
        ("现在", "2026-11-29T08:00:00.123Z"),
        ("2026-11-29T08:00:00.000Z", "2026-11-29T08:00:00.000Z"),
    ],
)
def test_what_is_understood(value: str, iso: str) -> None:
    assert parse(value) == iso


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2026-03-01", "2026-03-01T15:59:59.999Z"),
        ("2026-12-31", "2026-12-31T15:59:59.999Z"),
        ("2026-02", "2026-02-28T15:59:59.999Z"),
        ("2026年12月", "2026-12-31T15:59:59.999Z"),
        ("9999-12-31", "9999-12-31T23:59:59.999Z"),
        ("9999-12", "9999-12-31T23:59:59.999Z"),
        ("2026-03-01 08:00", "2026-03-01T00:00:00.000Z"),
    ],
)
def test_the_end_of_a_day_or_month_is_its_last_moment(value: str, iso: str) -> None:
    assert parse(value, end=True) == iso


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-30",
        "2026-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026年2月30日",
        "0000-01-01",
        "2026-01-01 25:00",
        "2026-01-01 24:00",
        "2026-01-01 08:60",
        "2026-01-01 08:00:60",
        "2026-01-01 08:00+25:00",
        "2026-01-01 08:00+08:75",
        "2026-01/01",
        "26-01-01",
        "2026-01-011",
        "20260101",
        "2026",
        "12026-01-01",
        "昨天",
        "上周三",
        "",
        "  ",
        "2026-01-01; DROP TABLE",
        "2026-01-01T08:00[Asia/Shanghai]",
        "٢٠٢٦-٠١-٠١",
    ],
)
def test_what_is_refused(value: str) -> None:
    with pytest.raises(BrainError) as caught:
        parse(value)
    assert caught.value.code == "brain_date_invalid"
    assert caught.value.exit_code == 65
    assert f"「{value.strip()}" in caught.value.message


def test_moments_outside_the_calendar_are_refused() -> None:
    for value in ("0001-01-01", "9999-12-31T23:00-08:00"):
        with pytest.raises(BrainError, match="0001 年到 9999 年"):
            parse(value)


def test_the_message_is_one_short_printable_line() -> None:
    with pytest.raises(BrainError) as caught:
        parse("\ud800坏\n的\x1b[31m时间" * 100)
    message = caught.value.message
    assert len(message) < 160
    assert "\n" not in message
    message.encode("utf-8")


@pytest.mark.usefixtures("new_york")
@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2026-01-15", "2026-01-15T05:00:00.000Z"),
        ("2026-07-15", "2026-07-15T04:00:00.000Z"),
        # Clocks go from 02:00 to 03:00: half past two is half past three.
        ("2026-03-08 02:30", "2026-03-08T07:30:00.000Z"),
        ("2026-03-08 03:00", "2026-03-08T07:00:00.000Z"),
        # Clocks go from 02:00 back to 01:00: half past one comes twice, the first is meant.
        ("2026-11-01 01:30", "2026-11-01T05:30:00.000Z"),
        ("0001-01-01", "0001-01-01T05:00:00.000Z"),
    ],
)
def test_the_rules_of_the_zone_at_that_date(value: str, iso: str) -> None:
    assert parse(value) == iso


@pytest.mark.usefixtures("new_york")
def test_days_of_changing_length() -> None:
    assert parse("2026-03-08", end=True) == "2026-03-09T03:59:59.999Z"
    assert parse("2026-11-01", end=True) == "2026-11-02T04:59:59.999Z"


@pytest.mark.usefixtures("new_york")
def test_the_local_day_follows_the_date_not_todays_offset() -> None:
    assert local_day("2026-01-01T04:30:00.000Z") == "2025-12-31"
    assert local_day("2026-07-01T04:30:00.000Z") == "2026-07-01"
    assert local_day("2026-07-01T03:59:59.999Z") == "2026-06-30"


def test_the_small_hours_belong_to_the_users_day() -> None:
    assert local_day("2026-11-28T19:53:00.000Z") == "2026-11-29"
    assert local_day("0099-05-06T00:00:00.000Z") == "0099-05-06"


def test_the_last_moment_of_the_calendar_has_a_day() -> None:
    assert local_day("9999-12-31T23:59:59.999Z") == "9999-12-31"


def test_datetimes() -> None:
    assert parse(datetime(2026, 3, 1, 8, 0)) == "2026-03-01T00:00:00.000Z"
    assert parse(datetime(2026, 3, 1, 8, 0, 0, 999_999)) == "2026-03-01T00:00:00.999Z"
    west = timezone(-timedelta(hours=8))
    assert parse(datetime(2026, 3, 1, 20, 0, tzinfo=west)) == "2026-03-02T04:00:00.000Z"
    with pytest.raises(BrainError, match="0001 年到 9999 年"):
        parse(datetime(1, 1, 1))


def test_naive_datetimes_have_no_form() -> None:
    with pytest.raises(BrainError, match="没有时区"):
        to_iso(datetime(2026, 3, 1))
    with pytest.raises(BrainError, match="没有时区"):
        parse_time("now", now=datetime(2026, 3, 1))


@pytest.mark.parametrize(
    "iso", ["", "昨天", "2026-03-01", "2026-03-01T08:00:00", "0001-01-01T00+08"]
)
def test_from_iso_wants_a_moment_with_a_zone(iso: str) -> None:
    with pytest.raises(BrainError) as caught:
        from_iso(iso)
    assert caught.value.code == "brain_date_invalid"


def test_now_is_aware() -> None:
    assert now_utc().utcoffset() == timedelta(0)
    assert from_iso(to_iso(now_utc())) <= now_utc()


ZONES = st.integers(min_value=-1439, max_value=1439).map(lambda m: timezone(timedelta(minutes=m)))
MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES)


@given(MOMENTS)
def test_the_form_keeps_the_moment_to_the_millisecond(moment: datetime) -> None:
    iso = to_iso(moment)
    assert len(iso) == 24
    assert iso.endswith("Z")
    assert timedelta(0) <= moment - from_iso(iso) < timedelta(milliseconds=1)
    assert to_iso(from_iso(iso)) == iso
    assert parse(iso) == iso
    assert parse(moment.isoformat()) == iso


@given(MOMENTS, MOMENTS)
def test_the_form_sorts_as_time_does(left: datetime, right: datetime) -> None:
    if to_iso(left) < to_iso(right):
        assert left < right


@given(st.dates(datetime(1950, 1, 1).date(), datetime(2200, 1, 1).date()))
def test_a_date_is_the_local_day_it_names(day: object) -> None:
    start, end = parse(str(day)), parse(str(day), end=True)
    assert start < end
    assert local_day(start) == str(day)
    assert local_day(end) == str(day)
    assert local_day(to_iso(from_iso(end) + timedelta(milliseconds=1))) != str(day)
