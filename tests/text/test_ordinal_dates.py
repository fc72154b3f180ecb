"""Ordinals within a period, days beside another, and other everyday ways of naming a day."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from brain.text.dates.intervals import anchor_note, find_intervals, parts_told
from brain.text.timestamps import from_iso

SHANGHAI = ZoneInfo("Asia/Shanghai")
FRIDAY = datetime(2026, 11, 27, 20, tzinfo=SHANGHAI)


def named(text: str, *, told: bool = False) -> list[tuple[str, str, str]]:
    def shown(iso: str) -> str:
        moment = from_iso(iso).astimezone(SHANGHAI)
        return moment.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")

    return [
        (one.phrase, shown(one.start_iso), shown(one.stop_iso))
        for one in find_intervals(text, FRIDAY, SHANGHAI, told=told)
    ]


IN_A_PERIOD = """
2025年最后一天|2025-12-31|2026-01-01
去年最后一天|2025-12-31|2026-01-01
去年的最后一天|2025-12-31|2026-01-01
今年第一天|2026-01-01|2026-01-02
明年第一天|2027-01-01|2027-01-02
六月最后那个周五|2026-06-26|2026-06-27
六月最后一个星期五|2026-06-26|2026-06-27
上个月第一个周末|2026-10-03|2026-10-05
上个月最后一天|2026-10-31|2026-11-01
上个月倒数第二天|2026-10-30|2026-10-31
上个月头几天|2026-10-01|2026-10-07
3月头一个星期一|2026-03-02|2026-03-03
三月的第二个周六|2026-03-14|2026-03-15
2025年3月第一个周一|2025-03-03|2025-03-04
1月的第一个星期天|2026-01-04|2026-01-05
7月第二周|2026-07-06|2026-07-13
7月第二周周三|2026-07-08|2026-07-09
六月最后一周|2026-06-22|2026-07-01
上个月第三周|2026-10-12|2026-10-19
11月前三天|2026-11-01|2026-11-04
本月头三天|2026-11-01|2026-11-04
十月的最后两天|2026-10-30|2026-11-01
上周头两天|2026-11-16|2026-11-18
上周最后一天|2026-11-22|2026-11-23
这个月最后一个周末|2026-11-28|2026-11-30
下个月第一个周一|2026-12-07|2026-12-08
今年第三周|2026-01-12|2026-01-19
2026年第12周|2026-03-16|2026-03-23
去年最后一周|2025-12-22|2026-01-01
年初第一周|2026-01-01|2026-01-08
去年最后一个月|2025-12-01|2026-01-01
去年前三个月|2025-01-01|2025-04-01
今年最后三个月|2026-10-01|2027-01-01
今年第一个季度|2026-01-01|2026-04-01
2025年第三季度最后一天|2025-09-30|2025-10-01
上半年最后一周|2026-06-22|2026-07-01
上个月上半月|2026-10-01|2026-10-16
五月后半个月|2026-05-16|2026-06-01
上周后半段|2026-11-19|2026-11-23
月底那天|2026-11-30|2026-12-01
上个月月底那天|2026-10-31|2026-11-01
年初那天|2026-01-01|2026-01-02
去年最后一天晚上|2025-12-31 18:00|2026-01-01 04:00
2025年最後一天|2025-12-31|2026-01-01
六月最後那個週五|2026-06-26|2026-06-27
上個月第一個週末|2026-10-03|2026-10-05
上個禮拜頭兩天|2026-11-16|2026-11-18
三月的第一個禮拜天|2026-03-01|2026-03-02
"""
FESTIVALS = """
国庆第二天|2026-10-02|2026-10-03
国庆第三天|2026-10-03|2026-10-04
国庆最后一天|2026-10-07|2026-10-08
国庆假期最后一天|2026-10-07|2026-10-08
十一假期最后一天|2026-10-07|2026-10-08
国庆前一天|2026-09-30|2026-10-01
国庆节前一周|2026-09-24|2026-10-01
国庆头三天|2026-10-01|2026-10-04
國慶第二天|2026-10-02|2026-10-03
去年国庆第二天|2025-10-02|2025-10-03
元旦前一天|2025-12-31|2026-01-01
元旦前夕|2025-12-29|2026-01-01
冬至前一天|2025-12-20|2025-12-21
中秋第二天|2026-09-26|2026-09-27
中秋前一晚|2026-09-24 18:00|2026-09-25 04:00
中秋那天晚上|2026-09-25 18:00|2026-09-26 04:00
中秋当晚|2026-09-25 18:00|2026-09-26 04:00
春节第一天|2026-02-17|2026-02-18
春节前一天|2026-02-16|2026-02-17
春节最后一天|2026-02-23|2026-02-24
春节后第一个周末|2026-02-28|2026-03-02
过年那几天|2026-02-16|2026-02-24
去年过年|2025-01-28|2025-02-05
大年初三|2026-02-19|2026-02-20
正月初八|2026-02-24|2026-02-25
跨年夜|2025-12-31|2026-01-01
圣诞前夜|2025-12-24|2025-12-25
五一那天|2026-05-01|2026-05-08
五一去哪玩了|2026-05-01|2026-05-08
十一去哪玩了|2026-10-01|2026-10-08
五一第二天|2026-05-02|2026-05-03
3月5号前一天|2026-03-04|2026-03-05
3月5号第二天|2026-03-06|2026-03-07
3月5号前三天|2026-03-02|2026-03-05
上周五前一天|2026-11-19|2026-11-20
"""
SPOKEN = """
周三一早|2026-11-25 05:00|2026-11-25 10:00
昨天大清早|2026-11-26 05:00|2026-11-26 09:00
昨天晌午|2026-11-26 11:00|2026-11-26 14:00
昨天后半夜|2026-11-27|2026-11-27 06:00
昨晚上|2026-11-26 18:00|2026-11-27 04:00
今早上|2026-11-27 05:00|2026-11-27 11:00
双11当天晚上|2026-11-11 18:00|2026-11-12 04:00
前儿个|2026-11-25|2026-11-26
前日|2026-11-25|2026-11-26
上周的那个周五|2026-11-20|2026-11-21
前一个周五|2026-11-20|2026-11-21
再上个周末|2026-11-14|2026-11-16
大上周|2026-11-09|2026-11-16
上周六日|2026-11-21|2026-11-23
两周前的周五|2026-11-13|2026-11-14
三周前的周末|2026-11-07|2026-11-09
三个星期前的周一|2026-11-02|2026-11-03
两个月前的5号|2026-09-05|2026-09-06
三年前的夏天|2023-06-01|2023-09-01
去年这一天|2025-11-27|2025-11-28
去年年尾|2025-11-01|2026-01-01
上月头|2026-10-01|2026-10-11
今年开春|2026-02-01|2026-04-01
去年入冬|2025-11-01|2026-01-01
23年夏天|2023-06-01|2023-09-01
"""


@pytest.mark.parametrize("row", (IN_A_PERIOD + FESTIVALS + SPOKEN).split("\n")[1:-1])
def test_everyday_days(row: str) -> None:
    if not row:
        return
    text, start, stop = row.split("|")
    for asked in (f"{text}跟谁吃的饭", f"我{text}，在忙什么"):
        found = named(asked)
        assert [one[1:] for one in found] == [(start, stop)], asked
        assert text.startswith(found[0][0])


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("上周第一次去", ["上周"]),
        ("去年第一名", ["去年"]),
        ("三月第一版", ["三月"]),
        ("公司第一周年庆", []),
        ("去年第一个月饼", ["去年"]),
        ("今年第一天上班", ["今年"]),
        ("去年最后一天上班", ["去年"]),
        ("昨天第二天打卡", ["昨天"]),
        ("入职第一天", []),
        ("每个月最后一个周五", []),
        ("今天在哪过年", ["今天"]),
        ("周五一起吃饭", ["周五"]),
        ("五一广场", []),
        ("十一个人", []),
        ("下午十一点", []),
        ("上两级台阶", []),
        ("前儿子的学校", []),
        ("街头几天没人", []),
        ("2月第三十天", ["2月"]),
        ("国庆第一站", ["国庆"]),
    ],
)
def test_what_only_looks_like_one(text: str, phrases: list[str]) -> None:
    assert [phrase for phrase, _, _ in named(text)] == phrases


def test_days_without_a_mark_between_them() -> None:
    assert [one[1] for one in named("周一周二在忙什么")] == ["2026-11-23", "2026-11-24"]


def test_before_and_after_a_festival_are_rough_and_a_note_keeps_its_day() -> None:
    for text, start in (("春节前买了什么", "2026-02-03"), ("国庆后去了哪", "2026-10-08")):
        (one,) = find_intervals(text, FRIDAY, SHANGHAI)
        assert not one.exact
        assert named(text)[0][1] == start
    assert anchor_note("中秋前交货", FRIDAY, SHANGHAI) == "中秋=2027-09-15"


def test_a_few_are_rough() -> None:
    assert not find_intervals("上个月头几天", FRIDAY, SHANGHAI)[0].exact
    assert find_intervals("上个月头三天", FRIDAY, SHANGHAI)[0].exact


def test_the_last_friday_of_a_month_no_longer_comes_round() -> None:
    assert find_intervals("六月", FRIDAY, SHANGHAI)[0].cycle == "06"
    assert find_intervals("六月最后那个周五", FRIDAY, SHANGHAI)[0].cycle == ""
    assert find_intervals("国庆第二天", FRIDAY, SHANGHAI)[0].cycle == ""


def test_a_note_is_glossed_with_the_day() -> None:
    assert anchor_note("上个月最后一天交房", FRIDAY, SHANGHAI) == "上个月最后一天=2026-10-31"


@pytest.mark.parametrize(
    ("text", "at", "starts"),
    [
        ("下午跟老莫喝茶", "2026-11-27 19:02", ["2026-11-27 12:00"]),
        ("下午跟老莫喝茶", "2026-11-27 00:30", ["2026-11-26 12:00"]),
        ("下午跟老莫喝茶", "2026-11-27 00:00", ["2026-11-27 12:00"]),
        (
            "上午陪妈量血压，下午逛花市",
            "2026-11-27 20:00",
            ["2026-11-27 06:00", "2026-11-27 12:00"],
        ),
        ("周三去了杭州，晚上住在西湖边", "2026-11-27 20:00", ["2026-11-25 18:00"]),
        ("tea with Mo in the afternoon", "2026-11-27 20:00", ["2026-11-27 12:00"]),
        ("昨天下午喝茶", "2026-11-27 20:00", []),
        ("每天早上喝一杯水", "2026-11-27 20:00", []),
        ("每周三晚上打球", "2026-11-27 20:00", []),
        ("下午茶券还剩两张", "2026-11-27 20:00", []),
        ("晚上好", "2026-11-27 20:00", []),
    ],
)
def test_parts_of_a_day_in_a_note(text: str, at: str, starts: list[str]) -> None:
    said = datetime.fromisoformat(at).replace(tzinfo=SHANGHAI)
    found = [
        from_iso(one.start_iso).astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M")
        for one in parts_told(text, said, SHANGHAI)
    ]
    assert found == starts


ENGLISH = """
the last Friday of June|2026-06-26|2026-06-27
the first Monday in March|2026-03-02|2026-03-03
the third Sunday of May 2025|2025-05-18|2025-05-19
the last day of 2025|2025-12-31|2026-01-01
the first day of 2026|2026-01-01|2026-01-02
last day of last year|2025-12-31|2026-01-01
the second week of July|2026-07-06|2026-07-13
the second week of July 2025|2025-07-07|2025-07-14
the last week of 2025|2025-12-22|2026-01-01
the last weekend of last month|2026-10-31|2026-11-02
the last two days of October|2026-10-30|2026-11-01
the first few days of this month|2026-11-01|2026-11-07
the first week of the year|2026-01-01|2026-01-08
the last day of the month|2026-11-30|2026-12-01
first day of last week|2026-11-16|2026-11-17
last Friday of last month|2026-10-30|2026-10-31
the first quarter of 2025|2025-01-01|2025-04-01
the second half of 2025|2025-07-01|2026-01-01
first half of June|2026-06-01|2026-06-16
the last three months of 2025|2025-10-01|2026-01-01
"""


@pytest.mark.parametrize("row", ENGLISH.split("\n")[1:-1])
def test_ordinals_in_english(row: str) -> None:
    text, start, stop = row.split("|")
    for asked in (f"who came on {text}?", f"{text}, what did I do"):
        assert [one[1:] for one in named(asked)] == [(start, stop)], asked


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("the first day of school", []),
        ("the last Friday in the office", ["last Friday"]),
        ("the first time in my life", []),
        ("last week of work", ["last week"]),
    ],
)
def test_what_only_looks_like_one_in_english(text: str, phrases: list[str]) -> None:
    assert [phrase for phrase, _, _ in named(text)] == phrases
