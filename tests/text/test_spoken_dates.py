"""Everyday ways of naming a day: glued weeks, spans, the same day of another year, plans, 农历."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.text.dates import lunar
from brain.text.dates.intervals import anchor_note, find_intervals, preference, read_day
from brain.text.timestamps import from_iso, to_iso

SHANGHAI = ZoneInfo("Asia/Shanghai")
FRIDAY = datetime(2026, 11, 27, 20, tzinfo=SHANGHAI)
JANUARY = datetime(2026, 1, 20, 9, tzinfo=SHANGHAI)


def named(text: str, now: datetime = FRIDAY, *, told: bool = False) -> list[tuple[str, str, str]]:
    def shown(iso: str) -> str:
        moment = from_iso(iso).astimezone(SHANGHAI)
        return moment.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")

    return [
        (one.phrase, shown(one.start_iso), shown(one.stop_iso))
        for one in find_intervals(text, now, SHANGHAI, told=told)
    ]


def first_day(text: str, now: datetime = FRIDAY, *, told: bool = False) -> str:
    """The day that the first time of a text begins on."""
    return named(text, now, told=told)[0][1][:10]


# --- weeks and spans -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("上周周五中午聚餐谁请客", "2026-11-20"),
        ("这周周三聚餐谁请客", "2026-11-25"),
        ("下周周一体检", "2026-11-30"),
        ("本周周五", "2026-11-27"),
        ("上周星期五", "2026-11-20"),
        ("下星期星期二", "2026-12-01"),
        ("上个星期星期天", "2026-11-22"),
        ("上上周周日", "2026-11-15"),
        ("下礼拜礼拜四", "2026-12-03"),
        ("上週週五", "2026-11-20"),
        # Without the second 周, as before.
        ("上周五", "2026-11-20"),
        ("这周三", "2026-11-25"),
    ],
)
def test_the_second_week_word_is_glued(text: str, day: str) -> None:
    """shinyke/Time-NLP #19: 上周周五 was all of last week and this Friday."""
    found = named(text)
    assert len(found) == 1
    assert found[0][1][:10] == day
    assert anchor_note(text, FRIDAY, SHANGHAI) == f"{found[0][0]}={day}"


@pytest.mark.parametrize("text", ["这周周报", "上周周三丰来过", "下周周一鸣请客"])
def test_what_only_looks_like_a_second_week_word(text: str) -> None:
    assert [phrase for phrase, _, _ in named(text)] == [text[:2]]


@pytest.mark.parametrize(
    ("text", "start", "stop"),
    [
        ("上周三到周五", "2026-11-18", "2026-11-21"),
        ("上周三至五", "2026-11-18", "2026-11-21"),
        ("上周周三到周五", "2026-11-18", "2026-11-21"),
        ("上周五到周一", "2026-11-20", "2026-11-24"),
        ("下周二到星期四", "2026-12-01", "2026-12-04"),
        ("上周三上午到周五下午", "2026-11-18 06:00", "2026-11-20 18:00"),
        ("上个月28号到3号", "2026-10-28", "2026-11-04"),
        ("3月5到8号", "2026-03-05", "2026-03-09"),
        ("昨天上午到下午", "2026-11-26 06:00", "2026-11-26 18:00"),
        ("去年三月到五月", "2025-03-01", "2025-06-01"),
    ],
)
def test_the_second_half_of_a_span_keeps_the_first_halfs(text: str, start: str, stop: str) -> None:
    assert named(f"{text}在忙什么")[0][1:] == (start, stop)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("上周三和周五", ["2026-11-18", "2026-11-20"]),
        ("上周三、周五、周日", ["2026-11-18", "2026-11-20", "2026-11-22"]),
        ("5月8号、9号", ["2026-05-08", "2026-05-09"]),
        ("上周三到五点", ["2026-11-18"]),
    ],
)
def test_days_told_one_after_another(text: str, days: list[str]) -> None:
    assert [start[:10] for _, start, _ in named(text)] == days


# --- the same day of another time ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("去年今天", "2025-11-27"),
        ("去年的今天", "2025-11-27"),
        ("前年今日", "2024-11-27"),
        ("明年今天", "2027-11-27"),
        ("上个月今天", "2026-10-27"),
        ("下个月今天", "2026-12-27"),
        ("上个月昨天", "2026-10-26"),
        ("上周今天", "2026-11-20"),
        ("下周今天", "2026-12-04"),
        ("三年前的今天", "2023-11-27"),
        ("大大前天", "2026-11-23"),
        ("大大后天", "2026-12-01"),
        ("大前天", "2026-11-24"),
        ("大后天", "2026-11-30"),
    ],
)
def test_one_day_and_not_two_times(text: str, day: str) -> None:
    """livingmemory #74: the block said that the lease was signed in 2026."""
    assert [one[1] for one in named(f"{text}我们签的租房合同")] == [day]
    assert anchor_note(f"{text}我们签的租房合同", FRIDAY, SHANGHAI) == f"{text}={day}"


def test_a_day_the_other_month_lacks_is_its_last() -> None:
    leap = datetime(2024, 2, 29, 12, tzinfo=SHANGHAI)
    assert first_day("去年今天", leap) == "2023-02-28"
    assert first_day("上个月今天", datetime(2026, 3, 31, 12, tzinfo=SHANGHAI)) == "2026-02-28"


def test_about_the_same_time_is_rough() -> None:
    for text in ("去年这个时候", "去年同期"):
        assert anchor_note(f"{text}在装修", FRIDAY, SHANGHAI) == f"{text}≈2025-11"
        assert not find_intervals(text, FRIDAY, SHANGHAI)[0].exact


# --- days without a month, dates without a year --------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("8号的体检", "2026-11-08"),
        ("15日的会", "2026-11-15"),
        ("廿五号的会", "2026-11-25"),
        ("8号线上开会说了什么", "2026-11-08"),
        ("8号门诊看了什么", "2026-11-08"),
        # November has no 31st.
        ("31号做了什么", "2026-10-31"),
    ],
)
def test_a_bare_day_is_this_months(text: str, day: str) -> None:
    assert first_day(text) == day
    assert first_day(text, told=True) == day


def test_a_bare_day_to_come_may_be_the_last_one_in_a_question() -> None:
    assert [one[1] for one in named("28号开会说了什么")] == ["2026-11-28", "2026-10-28"]
    assert [one[1] for one in named("体检要改到8号", told=True)] == ["2026-12-08"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "8号楼",
            "8号线坏了",
            "中山路8号",
            "地铁8号",
            "1号店",
            "5号电池",
            "A8号",
            "第8号",
            "3号选手",
        ),
        *("每月8号", "每月的8号", "每个月8号和25号", "每月廿五", "三日内", "5日游", "35号", "0号"),
    ],
)
def test_a_number_of_something_is_no_day(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12月20号要去体检", "2026-12-20"),
        ("体检约在12月20号", "2026-12-20"),
        ("12月20日截止", "2026-12-20"),
        ("记得3月5号续签", "2027-03-05"),
        ("订了十二月去三亚的机票", "2026-12-01"),
        ("12-20 前", "2026-12-20"),
        ("due Dec 20", "2026-12-20"),
        ("春节打算回老家", "2027-02-05"),
        # It says neither: the nearer one.
        ("12月20号体检", "2026-12-20"),
        ("10月8号聚餐", "2026-10-08"),
        # What is over is the last one.
        ("12月20号去了体检", "2025-12-20"),
        ("三月定了用松木", "2026-03-01"),
        ("on Dec 20 we visited Rome", "2025-12-20"),
    ],
)
def test_a_date_without_a_year_in_a_note(text: str, day: str) -> None:
    text = text.replace("12-20", "12/20")
    assert first_day(text, told=True) == day


def test_a_question_asks_about_the_last_one_unless_about_a_plan() -> None:
    assert [one[1] for one in named("12月20号做了什么")] == ["2025-12-20"]
    assert [one[1] for one in named("12月20号有什么安排")] == ["2026-12-20", "2025-12-20"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("20260508做了什么", "2026-05-08"),
        ("2026.05.08 做了什么", "2026-05-08"),
        ("05-08做了什么", "2026-05-08"),
        ("5/8做了什么", "2026-05-08"),
        ("三月十五做了什么", "2026-03-15"),
        ("三月廿五号做了什么", "2026-03-25"),
    ],
)
def test_dates_in_figures(text: str, day: str) -> None:
    assert first_day(text) == day


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("10-12人", []),
        ("订单202605081234", []),
        ("v05-08", []),
        ("五月三亚", ["五月"]),
        ("三月二十人", ["三月"]),
    ],
)
def test_figures_that_are_no_day(text: str, phrases: list[str]) -> None:
    assert [phrase for phrase, _, _ in named(text)] == phrases


# --- 农历 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("农历八月十五", "2026-09-25"),
        ("阴历二月初二", "2026-03-20"),
        ("農曆八月十五", "2026-09-25"),
        ("农历3月3", "2026-04-19"),
        ("农历腊月二十三", "2026-02-10"),
        ("腊月廿三", "2026-02-10"),
        ("正月初五", "2026-02-21"),
        ("三月初三", "2026-04-19"),
        ("八月十五（农历）", "2026-09-25"),
        ("大年三十", "2026-02-16"),
        ("大年初一", "2026-02-17"),
        ("2026年农历三月初三", "2026-04-19"),
        ("去年正月十五", "2025-02-12"),
        ("农历去年三月初三", "2025-03-31"),
        ("农历2025年闰六月初一", "2025-07-25"),
    ],
)
def test_a_lunar_date_is_never_gregorian(text: str, day: str) -> None:
    assert [one[1] for one in named(f"{text}去了哪里")] == [day]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("中秋", "2026-09-25"),
        ("端午节", "2026-06-19"),
        ("清明", "2026-04-05"),
        ("除夕", "2026-02-16"),
        ("春节", "2026-02-16"),
        ("元宵节", "2026-03-03"),
        ("七夕", "2026-08-19"),
        ("重阳节", "2026-10-18"),
        ("腊八", "2026-01-26"),
        ("冬至", "2025-12-21"),
        ("立秋", "2026-08-07"),
        ("大雪那天", "2025-12-07"),
        ("去年中秋", "2025-10-06"),
        ("明年端午", "2027-06-09"),
        ("2024年清明", "2024-04-04"),
        ("今年冬至", "2026-12-22"),
        ("教师节", "2026-09-10"),
        ("母亲节", "2026-05-10"),
        ("双十一", "2026-11-11"),
    ],
)
def test_festivals_and_solar_terms(text: str, day: str) -> None:
    assert first_day(f"{text}去了哪里") == day


def test_a_holiday_is_the_days_around_it() -> None:
    assert named("中秋假期去了哪")[0][1:] == ("2026-09-24", "2026-09-27")
    assert named("春节去了哪")[0][1:] == ("2026-02-16", "2026-02-24")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "清明上河图",
            "青春分享会",
            "下了大雪",
            "雨水很多",
            "小年轻",
            "农历生日",
            "反正月底",
            "初中",
        ),
        *("圣诞老人", "年三十岁", "三月初一次性付清", "大暑假", "腊八粥", "农历1899年八月十五"),
    ],
)
def test_words_that_only_look_like_them(text: str) -> None:
    assert all(phrase in ("三月", "月底", "三月初") for phrase, _, _ in named(text))


def test_a_leap_month_the_year_lacks_means_nothing() -> None:
    assert named("2026年农历闰六月") == [("2026年", "2026-01-01", "2027-01-01")] or not named(
        "2026年农历闰六月"
    )


def test_the_last_month_of_last_year_at_the_turn_of_the_year() -> None:
    """In January the lunar year before has not ended."""
    assert first_day("去年腊月二十三", JANUARY) == "2025-01-22"
    assert first_day("去年腊月二十三", FRIDAY) == "2026-02-10"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("中秋去了天目湖", "中秋=2026-09-25"),
        ("农历八月十五聚了餐", "农历八月十五=2026-09-25"),
        ("下周周三下午开会", "下周周三下午=2026-12-02"),
        ("8号的体检", "8号=2026-11-08"),
        # It comes round every year.
        ("奶奶的生日是农历三月初三", None),
        ("每年中秋发月饼", None),
        ("3月5号签了合同", None),
    ],
)
def test_glosses(text: str, note: str | None) -> None:
    assert anchor_note(text, FRIDAY, SHANGHAI) == note


def test_no_gloss_where_nobody_knows_when_it_was_said() -> None:
    for text in ("今天把网关改了", "下周三上线", "8号的体检", "yesterday we met"):
        assert anchor_note(text, None, SHANGHAI) is None
    assert anchor_note("会议纪要2026-11-20：昨天定了", None, SHANGHAI) == "昨天=2026-11-19"


# --- the table -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "first", "leap"),
    [
        (1900, "1900-01-31", 8),
        (1984, "1984-02-02", 10),
        (2023, "2023-01-22", 2),
        (2024, "2024-02-10", 0),
        (2025, "2025-01-29", 6),
        (2026, "2026-02-17", 0),
        (2033, "2033-01-31", 11),
        (2100, "2100-02-09", 0),
    ],
)
def test_new_years_and_leap_months(number: int, first: str, leap: int) -> None:
    year = lunar.lunar_year(number)
    assert (year.first.isoformat(), year.leap) == (first, leap)


@pytest.mark.parametrize("number", range(1900, 2100))
def test_a_lunar_year_ends_where_the_next_begins(number: int) -> None:
    year = lunar.lunar_year(number)
    assert len(year.lengths) == 12 + (year.leap > 0)
    assert year.first + timedelta(days=sum(year.lengths)) == lunar.lunar_year(number + 1).first
    terms = [lunar.solar_term(number, index) for index in range(24)]
    assert all(14 <= (b - a).days <= 16 for a, b in pairwise(terms))
    # GB/T 33661-2017: the winter solstice is always in the eleventh month.
    first, length = lunar.month(number, 11)
    assert first <= lunar.solar_term(number, 23) < first + timedelta(days=length)


@settings(max_examples=300)
@given(st.dates(date(1900, 1, 31), date(2100, 12, 31)))
def test_a_day_and_its_lunar_date(day: date) -> None:
    number, name, leap = lunar.month_at(day)
    first, length = lunar.month(number, name, leap=leap)
    assert 0 <= (day - first).days < length
    assert lunar.day(number, name, (day - first).days + 1, leap=leap) == day


@pytest.mark.parametrize("make", [lambda: lunar.lunar_year(1899), lambda: lunar.day(2026, 13, 1)])
def test_outside_the_table(make: object) -> None:
    with pytest.raises(ValueError, match="lunar year"):
        make()  # type: ignore[operator]


def test_the_table_is_read_only_for_a_lunar_word() -> None:
    lunar._lines.cache_clear()
    for text in ("昨天做了什么", "三月五号做了什么", "国庆做了什么", "数据库为什么选 PostgreSQL"):
        find_intervals(text, FRIDAY, SHANGHAI)
    assert lunar._lines.cache_info().misses == 0


# --- a day typed for an option -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("昨天", "2026-11-26"),
        ("上周三", "2026-11-18"),
        ("上周周三", "2026-11-18"),
        ("三天前", "2026-11-24"),
        (" 明天 ", "2026-11-28"),
        ("去年今天", "2025-11-27"),
        ("农历八月十五", "2026-09-25"),
        ("8号", "2026-11-08"),
        ("12月20号", "2026-12-20"),
        ("昨天 08:30", "2026-11-26 08:30"),
        ("yesterday", "2026-11-26"),
    ],
)
def test_a_day_in_words(text: str, day: str) -> None:
    assert read_day(text, FRIDAY, SHANGHAI) == day


@pytest.mark.parametrize("text", ["上周", "最近", "这个月", "昨天下午", "两周前", "去年", "周日"])
def test_words_that_name_no_single_day(text: str) -> None:
    with pytest.raises(BrainError) as error:
        read_day(text, FRIDAY, SHANGHAI)
    assert (error.value.code, error.value.exit_code) == ("brain_date_invalid", 65)


@pytest.mark.parametrize("text", ["", "unknown", "瞎写", "昨天和今天", "昨天的会", "2月30日"])
def test_words_that_name_no_time(text: str) -> None:
    assert read_day(text, FRIDAY, SHANGHAI) is None


def test_an_end_is_the_next_one() -> None:
    assert read_day("3月1号", FRIDAY, SHANGHAI, ahead=True) == "2027-03-01"
    assert read_day("周日", FRIDAY, SHANGHAI, ahead=True) == "2026-11-29"
    assert read_day("8号", FRIDAY, SHANGHAI, ahead=True) == "2026-12-08"
    assert read_day("昨天", FRIDAY, SHANGHAI, ahead=True) == "2026-11-26"


# --- in time -------------------------------------------------------------------------------------


def at(day: str, clock: str = "12:00") -> str:
    return to_iso(datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=SHANGHAI))


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        ("2026-11-27T00:00", None),
        ("2026-11-27T00:01", None),
        ("2026-11-25T23:59", None),
        ("2026-11-01T00:00", "2026-11-26T00:00"),
    ],
)
def test_a_neighbouring_day_is_not_in_time(start: str, stop: str | None) -> None:
    """0.5 ** 0 is 1: what began at the midnight that ends a day was of that day."""
    times = find_intervals("昨天", FRIDAY, SHANGHAI)
    valid_from = at(*start.split("T"))
    valid_to = None if stop is None else at(*stop.split("T"))
    assert preference(times, valid_from, valid_to, valid_from) < 0.8
    for clock in ("00:00", "12:00", "23:59"):
        assert preference(times, at("2026-11-26", clock), None, at("2026-11-26", clock)) == 1


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        st.sampled_from("农历阴正腊冬闰年月初一二三十廿卅大八五日号中秋清明端午到和去今周 "),
        max_size=14,
    )
)
def test_any_lunar_text(text: str) -> None:
    for told in (False, True):
        for one in find_intervals(text, FRIDAY, SHANGHAI, told=told):
            assert text[one.begin : one.end] == one.phrase
            assert one.start_iso < one.stop_iso
    anchor_note(text, datetime(1900, 1, 2, tzinfo=UTC), SHANGHAI)
