"""Numerals: their value, and the other ways to write them where they are numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.text.fold import fold
from brain.text.numerals import numeral_spans, read_number, write_number


def numeral_variants(folded: str) -> list[tuple[str, str]]:
    """The numbers of a query as they stand there, each with another way to write it."""
    return [(folded[a:b], other) for a, b, ways in numeral_spans(folded) for other in ways]


CHARS = "零〇一二三两九十百千万亿半点年月日号后个岁第周01679.,:%-/ 分之楼kmv刻钟上下午壹拾几"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("零", 0),
        ("两", 2),
        ("十", 10),
        ("十五", 15),
        ("二十一", 21),
        ("一百一十", 110),
        ("一百零五", 105),
        ("一百二", 120),
        ("两千三", 2300),
        ("一千零一十", 1010),
        ("两万", 20_000),
        ("三万五", 35_000),
        ("一万零三百", 10_300),
        ("十二万三千四百五十六", 123_456),
        ("一亿五千万", 150_000_000),
        ("三万亿", 3 * 10**12),
        ("二〇二五", 2025),
        ("一九九八", 1998),
        ("零零七", 7),
        ("幺幺零", 110),
        ("三点五", 3.5),
        ("一点五亿", 150_000_000),
        ("1.5亿", 150_000_000),
        ("3千", 3000),
        ("20万", 200_000),
        ("1亿2000万", 120_000_000),
        ("3万5", 35_000),
        ("20,000", 20_000),
        ("2.5", 2.5),
        ("007", 7),
        ("百分之五", 0.05),
        ("百分之五十", 0.5),
        ("5%", 0.05),
        ("三分之一", 1 / 3),
        ("半", 0.5),
        ("壹万贰仟", 12_000),
        (fold("兩萬"), 20_000),
    ],
)
def test_read_number(text: str, value: float) -> None:
    read = read_number(text)
    assert read is not None
    assert math.isclose(read, value)
    assert isinstance(read, int) == (value == int(value))


@pytest.mark.parametrize(
    "text",
    [
        *["", "百", "千万", "万", "点", "三点", "点五", "三四", "七八", "十百", "二十三十", "两两"],
        *["五三百", "一百百", "abc", "1.2.3", "三个", "-5", "1,23", "一万零", "三零百", "九" * 50],
        *["9" * 5000, "零分之三", "百分之", "%", "\ud800"],
    ],
)
def test_read_number_of_what_is_no_number(text: str) -> None:
    assert read_number(text) is None


@given(st.integers(min_value=0, max_value=10**12 - 1))
def test_what_is_written_reads_back(value: int) -> None:
    assert read_number(write_number(value)) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "零"),
        (10, "十"),
        (19, "十九"),
        (20, "二十"),
        (101, "一百零一"),
        (110, "一百一十"),
        (2000, "两千"),
        (2222, "两千二百二十二"),
        (10_010, "一万零一十"),
        (20_000, "两万"),
        (100_000_001, "一亿零一"),
        (150_000_000, "一亿五千万"),
    ],
)
def test_write_number(value: int, written: str) -> None:
    assert write_number(value) == written


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        # Months and days.
        ("三月的账单", ["三月>3月"]),
        ("3月份的预算", ["3月>三月"]),
        ("03月的预算", ["03月>3月", "03月>三月"]),
        ("2月17日生日", ["2月17日>二月十七", "2月17日>02月17"]),
        ("三月十五号开会", ["三月十五号>3月15", "三月十五号>3/15"]),
        ("三月十五那天", ["三月十五>3月15"]),
        ("3月15交房租", ["3月15>三月十五"]),
        ("十五号交房租", ["十五号>15号"]),
        ("15号交房租", ["15号>十五号"]),
        ("2025年3月15日", ["2025年3月15日>2025-03-15", "2025年3月15日>三月十五"]),
        ("2025-03-15 的会", ["2025-03-15>2025年3月15", "2025-03-15>三月十五"]),
        ("二〇二五年三月", ["二〇二五年>2025年", "三月>3月"]),
        # Years.
        ("二零二五年的计划", ["二零二五年>2025年"]),
        ("2025年的计划", ["2025年>二〇二五年", "2025年>二零二五年"]),
        ("九八年的照片", ["九八年>98年"]),
        ("98年的照片", ["98年>九八年", "98年>九十八年"]),
        ("九零后同事", ["九零后>90后"]),
        ("90后同事", ["90后>九零后"]),
        ("八十年代的歌", ["八十年代>80年代"]),
        ("90年代的歌", ["90年代>九十年代"]),
        ("1970年代的歌", ["1970年代>一九七〇年代"]),
        # Times of day.
        ("下午三点的会", ["下午三点>下午3点", "下午三点>15点", "下午三点>15:00"]),
        ("15:00的会", ["15:00>15点", "15:00>下午3点", "15:00>下午三点"]),
        ("早上8点", ["早上8点>早上八点", "早上8点>08:00", "早上8点>8:00"]),
        ("两点半见", ["两点半>2点半", "两点半>2:30", "两点半>14:30"]),
        ("3点15分的车", ["3点15分>三点十五分", "3点15分>3:15"]),
        ("三点有空", ["三点>3点"]),
        ("下午一点", ["下午一点>13点"]),
        # Large and many-digit numbers.
        ("预算两万", ["两万>20000", "两万>20,000", "两万>2万"]),
        ("预算20000", ["20000>2万", "20000>两万", "20000>20,000"]),
        ("预算20,000元", ["20,000元>20000", "20,000元>两万元", "20,000元>2万"]),
        ("营收1.5亿", ["1.5亿>150000000", "1.5亿>一亿五千万"]),
        ("营收一点五亿", ["一点五亿>1.5亿", "一点五亿>150000000"]),
        ("人口64820人", ["64820人>64,820"]),
        ("3千块", ["3千块>3000", "3千块>三千块"]),
        ("规模是900人", ["900人>九百人"]),
        ("规模是九百人", ["九百人>900"]),
        ("三百六十五天", ["三百六十五天>365"]),
        ("今年二十一了", ["二十一>21"]),
        ("一万二的电脑", ["一万二>12000", "一万二>1.2万"]),
        ("九九六", ["九九六>996"]),
        ("零零七", ["零零七>007"]),
        # With units.
        ("跑五公里", ["五公里>5公里", "五公里>5km"]),
        ("跑5公里", ["5公里>五公里", "5公里>5km"]),
        ("跑5 km", ["5 km>5公里", "5 km>五公里"]),
        ("三点五公里", ["三点五公里>3.5公里"]),
        ("2.5倍", ["2.5倍>二点五倍"]),
        ("两个月", ["两个月>2个月"]),
        ("2个月", ["2个月>两个月"]),
        ("二楼", ["二楼>2楼"]),
        ("2楼", ["2楼>二楼"]),
        ("2层", ["2层>二层", "2层>两层"]),
        ("一号线", ["一号线>1号线"]),
        ("保修一年", ["一年>1年"]),
        ("十分钟", ["十分钟>10分钟"]),
        ("二十多岁", ["二十>20"]),
        # Ordinals, shares.
        ("第三章", ["第三>第3"]),
        ("第3章", ["第3>第三"]),
        ("第 12 期", ["第 12>第十二"]),
        ("百分之二十", ["百分之二十>20%"]),
        ("20%", ["20%>百分之二十"]),
        ("33.3%", ["33.3%>百分之三十三点三"]),
        ("百分之百", ["百分之百>100%"]),
        ("三分之一", ["三分之一>1/3"]),
        # Beside words that hold a numeral.
        ("周三三点", ["三点>3点"]),
        ("统一3月", ["3月>三月"]),
        ("四川三个人", ["三个>3个"]),
    ],
)
def test_numbers_written_another_way(query: str, pairs: list[str]) -> None:
    found = [f"{phrase}>{other}" for phrase, other in numeral_variants(fold(query))]
    assert set(pairs) <= set(found)
    stretches = {pair.split(">")[0] for pair in pairs}
    assert {pair.split(">")[0] for pair in found} == stretches


NO_NUMBERS = """
一下 一些 一起 一样 一直 一个 1个 一次 一天 一点 一块 一路 统一 唯一 万一 千万 百万富翁 三明治
四川 百度 七夕 双十一 十分好吃 十足 二百五 四面八方 乱七八糟 三三两两 五花八门 三角形 五行 六合
八卦 九州 第三方 第三者 第六感 星期三 周五 礼拜六 几十个 数十人 十几个 三四个 七八年 三轮车 二人转
三天两头 一年到头 三月饼 百年 千年 万元户 v1.2.3 10.0.0.1 k8s py3 8080 端口3306 1236 log4j 2.3.1
abc123 13800138000 gen-20 一
"""


@pytest.mark.parametrize("query", [*NO_NUMBERS.split(), "", " ", "月", "第", "%", "点"])
def test_no_numbers(query: str) -> None:
    assert numeral_spans(fold(query)) == []


@given(st.text(CHARS, max_size=30) | st.text(max_size=20))
def test_spans_stand_in_the_query_in_order(query: str) -> None:
    folded = fold(query)
    at = 0
    for start, end, ways in numeral_spans(folded):
        assert at <= start < end <= len(folded)
        at = end
        assert ways
        assert len(set(ways)) == len(ways)
        assert all(way and not folded[start:end].startswith(way) for way in ways)
    read_number(folded)


@given(st.integers(min_value=1, max_value=12), st.integers(min_value=1, max_value=31))
def test_a_day_is_found_in_either_writing(month: int, day: int) -> None:
    han = f"{write_number(month)}月{write_number(day)}号"
    assert (han, f"{month}月{day}") in numeral_variants(han)
    digits = f"{month}月{day}日"
    assert (digits, f"{write_number(month)}月{write_number(day)}") in numeral_variants(digits)


def test_a_long_text_is_read_in_linear_time() -> None:
    """Work by the square of the texts would not end within the limit of a test."""
    numeral_spans("三月十五号下午三点开了五公里的会，预算两万，" * 4000)
    numeral_spans("一" * 160_000)
    numeral_spans("1,111" * 32_000)
