"""Times that a text names: what each phrase means, where, and what is no time at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from unittest import mock
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brain.text.dates import intervals, latin, zh
from brain.text.dates.intervals import (
    HELD_OPEN,
    HELD_THROUGH,
    MAX_CHARS,
    MAX_INTERVALS,
    Interval,
    anchor_note,
    find_intervals,
    preference,
)
from brain.text.fold import fold
from brain.text.timestamps import from_iso, to_iso

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
WEDNESDAY = datetime(2026, 3, 4, 15, 0, tzinfo=SHANGHAI)


def local(iso: str, tz: tzinfo) -> str:
    """A stored moment on the wall: a day alone when it is midnight."""
    moment = from_iso(iso).astimezone(tz)
    return moment.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


Named = tuple[str, str, str]
"""A phrase with its start and stop on the wall."""


def named(text: str, now: datetime = WEDNESDAY, tz: tzinfo = SHANGHAI) -> list[Named]:
    return [
        (i.phrase, local(i.start_iso, tz), local(i.stop_iso, tz))
        for i in find_intervals(text, now, tz)
    ]


DAYS = """
今天|2026-03-04|2026-03-05
今日|2026-03-04|2026-03-05
今儿个|2026-03-04|2026-03-05
昨天|2026-03-03|2026-03-04
昨日|2026-03-03|2026-03-04
前天|2026-03-02|2026-03-03
大前天|2026-03-01|2026-03-02
明天|2026-03-05|2026-03-06
后天|2026-03-06|2026-03-07
大后天|2026-03-07|2026-03-08
今明两天|2026-03-04|2026-03-06
今早|2026-03-04 05:00|2026-03-04 11:00
今晚|2026-03-04 18:00|2026-03-05 04:00
昨晚|2026-03-03 18:00|2026-03-04 04:00
前晚|2026-03-02 18:00|2026-03-03 04:00
明早|2026-03-05 05:00|2026-03-05 11:00
昨天凌晨|2026-03-03|2026-03-03 06:00
昨天上午|2026-03-03 06:00|2026-03-03 12:00
昨天中午|2026-03-03 11:00|2026-03-03 14:00
昨天的下午|2026-03-03 12:00|2026-03-03 18:00
前天傍晚|2026-03-02 17:00|2026-03-02 20:00
"""
WEEKS = """
这周|2026-03-02|2026-03-09
本周|2026-03-02|2026-03-09
这个星期|2026-03-02|2026-03-09
上周|2026-02-23|2026-03-02
上个礼拜|2026-02-23|2026-03-02
上一周|2026-02-23|2026-03-02
上上周|2026-02-16|2026-02-23
下周|2026-03-09|2026-03-16
下下周|2026-03-16|2026-03-23
上周三|2026-02-25|2026-02-26
上周的周三|2026-02-25|2026-02-26
上个星期三|2026-02-25|2026-02-26
上礼拜天|2026-03-01|2026-03-02
上周日|2026-03-01|2026-03-02
上周三下午|2026-02-25 12:00|2026-02-25 18:00
上周五晚|2026-02-27 18:00|2026-02-28 04:00
上上周五|2026-02-20|2026-02-21
本周一|2026-03-02|2026-03-03
下周三|2026-03-11|2026-03-12
上周末|2026-02-28|2026-03-02
下个周末|2026-03-14|2026-03-16
周三|2026-03-04|2026-03-05
星期一|2026-03-02|2026-03-03
礼拜二|2026-03-03|2026-03-04
周一到周三|2026-03-02|2026-03-05
"""
MONTHS = """
上个月|2026-02-01|2026-03-01
上月|2026-02-01|2026-03-01
上上个月|2026-01-01|2026-02-01
这个月|2026-03-01|2026-04-01
本月|2026-03-01|2026-04-01
下个月|2026-04-01|2026-05-01
上个月5号|2026-02-05|2026-02-06
本月15日|2026-03-15|2026-03-16
上月底|2026-02-21|2026-03-01
这个月初|2026-03-01|2026-03-11
下月中旬|2026-04-11|2026-04-21
月初|2026-03-01|2026-03-11
今年|2026-01-01|2027-01-01
去年|2025-01-01|2026-01-01
前年|2024-01-01|2025-01-01
大前年|2023-01-01|2024-01-01
明年|2027-01-01|2028-01-01
去年三月|2025-03-01|2025-04-01
去年的3月份|2025-03-01|2025-04-01
去年 3 月|2025-03-01|2025-04-01
去年三月五号下午|2025-03-05 12:00|2025-03-05 18:00
去年三月到五月|2025-03-01|2025-06-01
去年年底|2025-11-01|2026-01-01
去年底|2025-11-01|2026-01-01
今年初|2026-01-01|2026-03-01
去年夏天|2025-06-01|2025-09-01
去年冬天|2025-12-01|2026-03-01
去年春节|2025-01-28|2025-02-05
春节|2026-02-16|2026-02-24
国庆节|2025-10-01|2025-10-08
去年十一|2025-10-01|2025-10-08
去年上半年|2025-01-01|2025-07-01
今年一季度|2026-01-01|2026-04-01
上季度|2025-10-01|2026-01-01
三季度|2025-07-01|2025-10-01
Q1|2026-01-01|2026-04-01
q3|2025-07-01|2025-10-01
上半年|2026-01-01|2026-07-01
下半年|2025-07-01|2026-01-01
去年以来|2025-01-01|2026-03-05
"""
AGO = """
一天前|2026-03-03|2026-03-04
三天前|2026-03-01|2026-03-02
3天前|2026-03-01|2026-03-02
3 天之前|2026-03-01|2026-03-02
三天以前|2026-03-01|2026-03-02
两三天前|2026-03-01|2026-03-03
几天前|2026-02-26|2026-03-03
十几天前|2026-02-13|2026-02-22
两周前|2026-02-15|2026-02-22
两个星期前|2026-02-15|2026-02-22
半个月前|2026-02-13|2026-02-22
一个月前|2026-01-26|2026-02-10
一个半月前|2026-01-09|2026-01-26
半年前|2025-08-03|2025-10-03
两年前|2023-11-03|2024-07-05
两小时前|2026-03-04 12:30|2026-03-04 13:30
十分钟前|2026-03-04 14:45|2026-03-04 14:55
三天后|2026-03-07|2026-03-08
最近|2026-02-02|2026-03-05
近来|2026-02-02|2026-03-05
近期|2026-02-02|2026-03-05
这几天|2026-02-27|2026-03-06
这两天|2026-03-02|2026-03-06
前几天|2026-02-22|2026-03-04
前段时间|2025-12-04|2026-02-25
最近三天|2026-03-01|2026-03-05
过去一周|2026-02-25|2026-03-05
近一个月|2026-02-02|2026-03-05
这半年|2025-09-02|2026-03-05
未来三天|2026-03-04|2026-03-08
"""
ABSOLUTE = """
2025年|2025-01-01|2026-01-01
二〇二五年|2025-01-01|2026-01-01
二零二五年三月|2025-03-01|2025-04-01
2025年3月|2025-03-01|2025-04-01
2025年3月5日|2025-03-05|2025-03-06
2025 年 3 月 5 日|2025-03-05|2025-03-06
二〇二五年三月五日|2025-03-05|2025-03-06
25年3月|2025-03-01|2025-04-01
1886年6月29日|1886-06-29|1886-06-30
3月4号|2026-03-04|2026-03-05
3月5号|2025-03-05|2025-03-06
明年3月5号|2027-03-05|2027-03-06
3月5号到8号|2025-03-05|2025-03-09
十月一号|2025-10-01|2025-10-02
三月|2026-03-01|2026-04-01
十二月|2025-12-01|2026-01-01
2月29日|2024-02-29|2024-03-01
2024年到2025年|2024-01-01|2026-01-01
2025-03-05|2025-03-05|2025-03-06
2025/3/5|2025-03-05|2025-03-06
2025.3.5|2025-03-05|2025-03-06
2025-03|2025-03-01|2025-04-01
2025Q2|2025-04-01|2025-07-01
2025年Q2|2025-04-01|2025-07-01
3/5|2025-03-05|2025-03-06
3/1|2026-03-01|2026-03-02
3/5下午|2025-03-05 12:00|2025-03-05 18:00
"""
ENGLISH = """
yesterday|2026-03-03|2026-03-04
Yesterday afternoon|2026-03-03 12:00|2026-03-03 18:00
the day before yesterday|2026-03-02|2026-03-03
today|2026-03-04|2026-03-05
tomorrow|2026-03-05|2026-03-06
tonight|2026-03-04 18:00|2026-03-05 04:00
last night|2026-03-03 18:00|2026-03-04 04:00
this morning|2026-03-04 05:00|2026-03-04 12:00
last week|2026-02-23|2026-03-02
next week|2026-03-09|2026-03-16
last weekend|2026-02-28|2026-03-02
last Friday|2026-02-27|2026-02-28
last month|2026-02-01|2026-03-01
last year|2025-01-01|2026-01-01
last quarter|2025-10-01|2026-01-01
last summer|2025-06-01|2025-09-01
last March|2025-03-01|2025-04-01
3 days ago|2026-03-01|2026-03-02
a couple of weeks ago|2026-02-15|2026-02-22
half a year ago|2025-08-03|2025-10-03
a few days ago|2026-02-26|2026-03-03
in 3 days|2026-03-07|2026-03-08
past two weeks|2026-02-18|2026-03-05
in March|2026-03-01|2026-04-01
in March 2025|2025-03-01|2025-04-01
March 5th, 2025|2025-03-05|2025-03-06
5 April|2025-04-05|2025-04-06
in 2025|2025-01-01|2026-01-01
since last week|2026-02-23|2026-03-05
end of last year|2025-11-01|2026-01-01
mid-August 2023|2023-08-11|2023-08-21
Q3 2025|2025-07-01|2025-10-01
recently|2026-02-02|2026-03-05
lately|2026-02-02|2026-03-05
the other day|2026-02-22|2026-03-04
"""


def rows(*tables: str) -> list[Named]:
    out: list[Named] = []
    for line in "".join(tables).split("\n"):
        if line:
            phrase, start, stop = line.split("|")
            out.append((phrase, start, stop))
    return out


@pytest.mark.parametrize(("phrase", "start", "stop"), rows(DAYS, WEEKS, MONTHS, AGO, ABSOLUTE))
@pytest.mark.parametrize("sentence", ["{}", "{}定的方案是什么", "我们 {} 说的那个", "（{}）"])
def test_chinese(sentence: str, phrase: str, start: str, stop: str) -> None:
    assert named(sentence.format(phrase)) == [(phrase, start, stop)]


@pytest.mark.parametrize(("phrase", "start", "stop"), rows(ENGLISH))
@pytest.mark.parametrize("sentence", ["{}", "what did we do {}?", "{}, they met", "我们 {} 聊过"])
def test_english(sentence: str, phrase: str, start: str, stop: str) -> None:
    assert named(sentence.format(phrase)) == [(phrase, start, stop)]


NO_TIME = """
月亮真圆 月光宝盒 三个月的宝宝 五月天的歌 年终奖怎么发 三年级二班 过年 前天线坏了 后天性免疫
以前天天加班 之后天气转凉 提前两天通知 如今天下太平 聪明天使 今日头条的账号 明日方舟 明天系列
《今天》这首歌 周三丰是谁 周一鸣的电话 周六福 一周三次 每周三下午开会 每年三月 逢周五 每个月5号
晚上周杰伦开唱 本周期的指标 这周边有什么 日本周刊 上周围了一圈 一天到晚 一日三餐 四季都可以
第二季在哪看 星期八 十三月 第三天前 20年前端经验 两年后端开发 三天前后 三五成群 好几个人 将近三天
手术三天后拆线 离公司最近的地铁站 最近的医院在哪 2月30日 2025年2月30日 2025-02-30 2025-13-01 13/45
2025.3 192.168.3.5 v2025.3.5 CVE-2025-03-05 比例是3/4 1/2 王国庆是谁 国庆路 圣诞老人 5号楼
同年3月 昭和8年4月 yesterday.log last_week Chicago 今 上 三 每 周 2025 年 月 \x00 昨\x00天
"""
NO_TIME_ENGLISH = """
may I ask|march on|a second opinion|this may be wrong|every Monday|in 2000 ms|the last of us
May 2 users|Q1: 怎么安装|进度 3/5|nginx 怎么配置
"""


@pytest.mark.parametrize(
    "text", ["", " ", *NO_TIME.split(), *NO_TIME_ENGLISH.strip().replace("\n", "|").split("|")]
)
def test_no_time(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("上周一直在忙", "上周"),
        ("上周一会议说了什么", "上周一"),
        ("上周三个bug", "上周"),
        ("上周的五大问题", "上周"),
        ("上周日程", "上周"),
        ("上周天气", "上周"),
        ("今年初中毕业", "今年"),
        ("去年底薪多少", "去年"),
        ("去年的初衷", "去年"),
        ("3月5号楼的事", "3月"),
        ("2005年终于", "2005年"),
    ],
)
def test_the_next_word_keeps_its_characters(text: str, phrase: str) -> None:
    assert [i.phrase for i in find_intervals(text, WEDNESDAY, SHANGHAI)] == [phrase]


def test_a_day_to_come_can_be_the_last_one_in_a_question() -> None:
    assert named("周五说了什么") == [
        ("周五", "2026-03-06", "2026-03-07"),
        ("周五", "2026-02-27", "2026-02-28"),
    ]
    assert named("年底的总结") == [
        ("年底", "2026-11-01", "2027-01-01"),
        ("年底", "2025-11-01", "2026-01-01"),
    ]
    assert named("what happened last Monday") == [
        ("last Monday", "2026-03-02", "2026-03-03"),
        ("last Monday", "2026-02-23", "2026-02-24"),
    ]


def test_several_times_in_text_order() -> None:
    found = named("昨天和去年三月，还有 2025-01-02 与 last week")
    assert [phrase for phrase, _, _ in found] == ["昨天", "去年三月", "2025-01-02", "last week"]
    assert named("2006年后改为轨道交通") == [("2006年", "2006-01-01", "2007-01-01")]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("上週三開會", "上週三"),
        ("後天下午", "後天下午"),
        ("三個月前", "三個月前"),
        ("３天前", "３天前"),
        ("去年３月", "去年３月"),
        ("2025／3／5", "2025／3／5"),
        ("Last Week", "Last Week"),
    ],
)
def test_raw_text_is_read_like_its_folded_form(text: str, phrase: str) -> None:
    raw = find_intervals(text, WEDNESDAY, SHANGHAI)
    folded = find_intervals(fold(text), WEDNESDAY, SHANGHAI)
    assert [i.phrase for i in raw] == [phrase]
    assert [(i.start_iso, i.stop_iso) for i in raw] == [(i.start_iso, i.stop_iso) for i in folded]


# --- zones and borders ---------------------------------------------------------------------------


def test_days_are_the_users_own() -> None:
    # 03:53 in Shanghai, still the day before in UTC.
    now = datetime(2026, 3, 3, 19, 53, tzinfo=UTC)
    assert named("今天", now) == [("今天", "2026-03-04", "2026-03-05")]
    assert named("今天", now, NEW_YORK) == [("今天", "2026-03-03", "2026-03-04")]
    (shanghai,) = find_intervals("今天", now, SHANGHAI)
    assert (shanghai.start_iso, shanghai.stop_iso) == (
        "2026-03-03T16:00:00.000Z",
        "2026-03-04T16:00:00.000Z",
    )


@pytest.mark.parametrize(
    ("now", "text", "hours"),
    [
        (datetime(2026, 3, 9, 12, tzinfo=NEW_YORK), "昨天", 23),
        (datetime(2026, 11, 2, 12, tzinfo=NEW_YORK), "昨天", 25),
        (datetime(2026, 3, 9, 12, tzinfo=NEW_YORK), "上周", 167),
        (datetime(2026, 11, 2, 12, tzinfo=NEW_YORK), "last week", 169),
        (datetime(2026, 7, 1, 12, tzinfo=NEW_YORK), "今年三月", 743),
    ],
)
def test_days_when_clocks_change(now: datetime, text: str, hours: int) -> None:
    (one,) = find_intervals(text, now, NEW_YORK)
    length = from_iso(one.stop_iso) - from_iso(one.start_iso)
    assert length == timedelta(hours=hours)
    assert " " not in local(one.start_iso, NEW_YORK)


def test_a_january_day_read_in_summer_keeps_winter_time() -> None:
    (one,) = find_intervals("2026年1月1日", datetime(2026, 7, 1, tzinfo=UTC), NEW_YORK)
    assert one.start_iso == "2026-01-01T05:00:00.000Z"


def test_hours_ago_across_a_change_of_clocks() -> None:
    # 03:30 EDT, an hour and a half of real time after 01:00 EST.
    now = datetime(2026, 3, 8, 7, 30, tzinfo=UTC)
    (one,) = find_intervals("两小时前", now, NEW_YORK)
    assert one.start_iso == "2026-03-08T05:00:00.000Z"
    assert one.stop_iso == "2026-03-08T06:00:00.000Z"


@pytest.mark.parametrize(
    ("now", "text", "start", "stop"),
    [
        ((2026, 1, 1), "昨天", "2025-12-31", "2026-01-01"),
        ((2026, 1, 1), "上周", "2025-12-22", "2025-12-29"),
        ((2026, 1, 1), "这周", "2025-12-29", "2026-01-05"),
        ((2026, 1, 1), "上个月", "2025-12-01", "2026-01-01"),
        ((2026, 1, 1), "上上个月", "2025-11-01", "2025-12-01"),
        ((2026, 1, 1), "上季度", "2025-10-01", "2026-01-01"),
        ((2025, 12, 31), "下个月", "2026-01-01", "2026-02-01"),
        ((2025, 12, 31), "明天", "2026-01-01", "2026-01-02"),
        ((2025, 12, 31), "next month", "2026-01-01", "2026-02-01"),
        ((2024, 3, 1), "昨天", "2024-02-29", "2024-03-01"),
        ((2024, 2, 29), "去年2月", "2023-02-01", "2023-03-01"),
        ((2026, 3, 1), "上周日", "2026-02-22", "2026-02-23"),
        ((2026, 3, 1), "这周日", "2026-03-01", "2026-03-02"),
        ((2026, 3, 2), "上周日", "2026-03-01", "2026-03-02"),
    ],
)
@pytest.mark.parametrize("zone", [SHANGHAI, NEW_YORK], ids=str)
def test_borders(
    zone: ZoneInfo, now: tuple[int, int, int], text: str, start: str, stop: str
) -> None:
    for hour in (0, 12, 23):
        moment = datetime(*now, hour, 30, tzinfo=zone)
        assert named(text, moment, zone) == [(text, start, stop)]


@pytest.fixture
def new_york_process() -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("the zone cannot be set here")
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("new_york_process")
@pytest.mark.parametrize("text", ["昨天下午", "上周三", "去年七月", "两小时前", "最近", "3月8日"])
def test_without_a_zone_the_process_has_one(text: str) -> None:
    now = datetime(2026, 3, 9, 3, tzinfo=UTC)
    assert find_intervals(text, now) == find_intervals(text, now, NEW_YORK)
    assert anchor_note(text, now) == anchor_note(text, now, NEW_YORK)


def test_a_now_without_zone_is_on_the_users_wall() -> None:
    naive = WEDNESDAY.replace(tzinfo=None)
    assert find_intervals("昨天", naive, SHANGHAI) == find_intervals("昨天", WEDNESDAY, SHANGHAI)


@pytest.mark.parametrize("now", [datetime.min, datetime.max])
@pytest.mark.parametrize("text", ["昨天", "明天", "上周三", "去年", "明年", "十年前", "刚才"])
def test_the_ends_of_the_calendar(now: datetime, text: str) -> None:
    for zone in (UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))):
        for one in find_intervals(text, now.replace(tzinfo=zone), zone):
            assert one.start_iso < one.stop_iso
        anchor_note(text, now.replace(tzinfo=zone), zone)


# --- any text ------------------------------------------------------------------------------------

PIECES = (
    "今昨前明后大上下这本个一二三五十百〇零半几多年月日号天周星期礼拜末初底中旬季度之以来的到至"
    "-/. 0123459春夏秋冬早晚午每逢第最近过去未段时间《》qQ"
)
ENGLISH_PIECES = """
yesterday today last this next past week month year monday may march mar 5th 2025 3 days ago in on
since the other day q1 early end of every mid-march a few couple half , . -
"""
TEXTS = (
    st.text(st.sampled_from(PIECES), max_size=30)
    | st.lists(st.sampled_from(ENGLISH_PIECES.split()), max_size=10).map(" ".join)
    | st.text(max_size=40)
)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, SHANGHAI, NEW_YORK]))


@settings(max_examples=600, deadline=None)
@given(TEXTS, MOMENTS, st.sampled_from([SHANGHAI, NEW_YORK, UTC]))
@example("2025年2月30日到99日", WEDNESDAY, SHANGHAI)
@example("9999年12月31日", WEDNESDAY, SHANGHAI)
@example("0000-00-00 " * 9, WEDNESDAY, SHANGHAI)
@example("每" * 50, WEDNESDAY, SHANGHAI)
def test_any_text(text: str, now: datetime, tz: tzinfo) -> None:
    found = find_intervals(text, now, tz)
    assert len(found) <= MAX_INTERVALS
    places = [(i.begin, i.end) for i in found]
    assert places == sorted(places)
    for (_, end), (begin, later) in pairwise(places):
        assert begin >= end or later == end
    for one in found:
        assert text[one.begin : one.end] == one.phrase != ""
        assert from_iso(one.start_iso) < from_iso(one.stop_iso)
        assert (to_iso(from_iso(one.start_iso)), to_iso(from_iso(one.stop_iso))) == (
            one.start_iso,
            one.stop_iso,
        )
    note = anchor_note(text, now, tz)
    assert note is None or "=" in note or "≈" in note


@settings(max_examples=200, deadline=None)
@given(TEXTS, MOMENTS)
def test_the_same_text_means_the_same(text: str, now: datetime) -> None:
    assert find_intervals(text, now, SHANGHAI) == find_intervals(text, now, SHANGHAI)


@pytest.mark.parametrize("filler", ["三", "一二", "上", "每", "2025-03-05 8:00 ", "last ", "3/"])
def test_long_texts_are_read_at_their_ends_alone(
    filler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []
    plain = intervals._plain
    monkeypatch.setattr(
        intervals, "_plain", lambda text: looked_at.append(len(text)) or plain(text)
    )
    text = "昨天" + "，" + (filler * 40_000)[:40_000] + "。上周三说的"
    found = find_intervals(text, WEDNESDAY, SHANGHAI)
    assert sum(looked_at) <= intervals.MAX_CHARS
    assert len(found) <= MAX_INTERVALS
    assert (found[0].phrase, found[-1].phrase) == ("昨天", "上周三")
    for one in found:
        assert text[one.begin : one.end] == one.phrase
        assert one.begin < MAX_CHARS / 2 or one.begin >= len(text) - MAX_CHARS / 2


# --- anchors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("昨天定了用 PostgreSQL", "昨天=2026-03-03"),
        ("下周三上线", "下周三=2026-03-11"),
        ("昨天开会，下周三上线", "昨天=2026-03-03，下周三=2026-03-11"),
        ("明晚吃饭", "明晚=2026-03-05"),
        ("周五交报告", None),
        ("yesterday we met", "yesterday=2026-03-03"),
        ("due next Friday", "next Friday=2026-03-13或2026-03-06"),
        ("上周很忙", "上周=2026-02-23~2026-03-01"),
        ("上个月搬家了", "上个月=2026-02"),
        ("去年结婚", "去年=2025"),
        ("去年三月结婚", "去年三月=2025-03"),
        ("三天前发烧", "三天前=2026-03-01"),
        ("两周前入职", "两周前≈2026-02-18"),
        ("三个月前入职", "三个月前≈2025-12"),
        ("两年前毕业", "两年前≈2024"),
        ("上週三開會", "上週三=2026-02-25"),
        ("昨天昨天昨天", "昨天=2026-03-03"),
        ("今天、昨天、前天、明天", "今天=2026-03-04，昨天=2026-03-03，前天=2026-03-02"),
        ("2025年3月5日签合同", None),
        ("3月5号签合同", None),
        ("2025-03-05 release", None),
        ("最近在学吉他", None),
        ("两小时前重启过", None),
        ("每周三开会", None),
        ("喜欢月亮", None),
        ("", None),
    ],
)
def test_anchors(text: str, note: str | None) -> None:
    assert anchor_note(text, WEDNESDAY, SHANGHAI) == note
    assert anchor_note(text, to_iso(WEDNESDAY), SHANGHAI) == note


def test_an_anchor_is_counted_from_the_day_where_the_user_is() -> None:
    said = "2026-03-03T19:53:00.000Z"
    assert anchor_note("今天改了网关", said, SHANGHAI) == "今天=2026-03-04"
    assert anchor_note("今天改了网关", said, NEW_YORK) == "今天=2026-03-03"
    assert anchor_note("今天改了网关", "没有时间", SHANGHAI) is None


# --- preference ----------------------------------------------------------------------------------


def at(day: str, hour: int = 12) -> str:
    return to_iso(datetime.fromisoformat(f"{day}T{hour:02d}:00").replace(tzinfo=SHANGHAI))


def fit(text: str, valid_from: str | None, valid_to: str | None, recorded: str) -> float:
    return preference(
        find_intervals(text, WEDNESDAY, SHANGHAI),
        valid_from and at(valid_from),
        valid_to and at(valid_to),
        at(recorded),
    )


def test_inside_is_one() -> None:
    assert fit("上周三", "2026-02-25", None, "2026-02-25") == 1
    assert fit("上周三", None, None, "2026-02-25") == 1
    # Said later about that day, and said on that day about another.
    assert fit("上周三", "2026-02-25", None, "2026-03-04") == 1
    assert fit("上周三", "2020-01-01", None, "2026-02-25") == 1


def test_it_falls_gently_outside() -> None:
    days = [f"2026-02-{day}" for day in (26, 27, 28)] + ["2026-03-04"]
    after = [fit("上周三", day, None, day) for day in days]
    assert after == sorted(after, reverse=True)
    assert after[0] == pytest.approx(0.5)
    assert 0 < after[-1] < 0.001
    # A year is blunter than a day.
    assert fit("去年", "2026-02-01", None, "2026-02-01") > 0.7
    assert fit("昨天", "2026-02-01", None, "2026-02-01") < 0.3


def test_what_held_through_the_time_asked_for() -> None:
    assert fit("2021年", "2018-01-01", "2023-01-01", "2026-01-01") == HELD_THROUGH
    assert fit("2021年3月", "2021-02-20", "2021-03-20", "2026-01-01") == 1
    assert fit("2021年", "2018-01-01", None, "2026-01-01") == HELD_OPEN
    assert fit("2021年", "2018-01-01", "2019-01-01", "2026-01-01") < HELD_OPEN


def test_the_best_of_several_times_counts() -> None:
    assert fit("昨天还是上周三", "2026-02-25", None, "2026-02-25") == 1
    assert fit("周五说的", "2026-02-27", None, "2026-02-27") == 1
    assert fit("没有时间", "2026-02-25", None, "2026-02-25") == 0


ISO = st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)).map(
    lambda d: to_iso(d.replace(tzinfo=UTC))
)


@settings(deadline=None)
@given(st.lists(st.tuples(ISO, ISO)), st.none() | ISO, st.none() | ISO, ISO)
def test_a_preference_is_a_share(
    ends: list[tuple[str, str]], valid_from: str | None, valid_to: str | None, recorded: str
) -> None:
    intervals = [Interval(min(pair), max(pair), 0, 1, "x") for pair in ends]
    assert 0 <= preference(intervals, valid_from, valid_to, recorded) <= 1


def test_an_interval_is_fixed() -> None:
    (one,) = find_intervals("昨天", WEDNESDAY, SHANGHAI)
    with pytest.raises(FrozenInstanceError):
        one.phrase = "今天"  # type: ignore[misc]


@settings(max_examples=600, deadline=None)
@given(TEXTS)
def test_where_no_phrase_can_begin_none_is_passed_over(text: str) -> None:
    found = find_intervals(text, WEDNESDAY, SHANGHAI)
    with (
        mock.patch.object(zh, "_may_begin", return_value=True),
        mock.patch.object(latin, "_may_begin", return_value=True),
    ):
        assert find_intervals(text, WEDNESDAY, SHANGHAI) == found


HEADED = (
    ("会议纪要2026-11-20：下周三前给出新稿，昨天上线失败了", "昨天=2026-11-19"),
    ("2026年11月20日（周五）\n昨天和供应商谈妥了", "昨天=2026-11-19"),
    ("周会记录 2026/3/4：前天改了网关", "前天=2026-03-02"),
    ("合同2027-03-01到期，昨天续签了", "昨天=2026-11-29"),
    ("昨天定了2026-12-15上线", "昨天=2026-11-29"),
)


@pytest.mark.parametrize(("text", "gloss"), HEADED)
def test_a_text_headed_by_a_day_counts_from_that_day(text: str, gloss: str) -> None:
    """Minutes of last week are pasted today: the block must not give their 昨天 a wrong date."""
    from brain.text.dates.intervals import anchor_note

    said = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    assert gloss in (anchor_note(text, said, UTC) or "")
