"""Token estimates: at or above the true count, additive, linear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.text.tokens import estimate

# Our own sentences with their true o200k_base counts (package bpe-openai 0.1.4).
COUNTED = [
    ("今天和同事玩成语接龙，输了三局。", 14),
    ("每晚用脚本把数据备份到 GitHub，失败会重试三次，还不行就发邮件给值班的人。", 30),
    ("项目青鸟每周三发版，发版前一天下午四点封版，谁都不许再合代码。", 28),
    ("會議改到下週三下午兩點半，請通知所有參加的人帶上自己的筆記電腦。", 27),
    ("我覺得這個軟體的設定很複雜，請問怎麼調整？", 24),
    ("The backup runs every night and is retried three times before anyone is called.", 16),
    ("def estimate(text: str) -> int:\n    return len(text.encode('utf-8')) // 3\n", 23),
    ("2026-11-29 08:15:42,118 ERROR [pool-3] 支付回调超时 orderId=8f3a cost=3012ms", 38),
    ("週末にリンゴを食べます。とてもおいしいです。", 17),
    ("오늘 끝말잇기 게임을 했다. 정말 재미있었다.", 15),
    ("部署成功啦🎉🎉 大家辛苦了💪", 14),
    ("𠀀𠀁𠀂", 9),
    ("| 指标 | 一月 | 二月 |\n|---|---:|---:|\n| 营收 | 1,203.5 | 998.2 |\n", 36),
]


@pytest.mark.parametrize(("text", "true"), COUNTED)
def test_never_below_the_true_count_and_not_far_above(text: str, true: int) -> None:
    assert true <= estimate(text) <= 1.8 * true + 3


@pytest.mark.parametrize(
    ("text", "per_char"),
    [
        ("我们把数据库从旧机房搬到了新机房，用了两个周末，中间停机四个小时。" * 5, 0.83),
        ("我們把資料庫從舊機房搬到了新機房，用了兩個週末，中間停機四個鐘頭。" * 5, 1.1),
        ("We moved the database to the new rack; it took two weekends in all. " * 5, 0.22),
    ],
)
def test_not_below_the_measured_ratios(text: str, per_char: float) -> None:
    assert estimate(text) >= per_char * len(text)


def test_nothing_costs_nothing_and_anything_costs_something() -> None:
    assert estimate("") == 0
    for char in " \n\t\x00\x1b。a1é好中😀\u200d\ufffd\U000f0000":
        assert estimate(char) >= 1


@pytest.mark.parametrize(
    ("dear", "cheap"),
    [("漢語", "汉语"), ("𠀀𠀁", "一二"), ("犇骉", "牛马"), ("1234567", "1"), ("QxZjVk", "quick")],
)
def test_rare_forms_cost_more(dear: str, cheap: str) -> None:
    assert estimate(dear) > estimate(cheap)


def test_a_long_run_of_one_kind_grows_evenly() -> None:
    for unit in ("好", "word ", "😀", "かな", "12 "):
        hundred, thousand = estimate(unit * 100), estimate(unit * 1000)
        assert abs(thousand - 10 * hundred) <= 20


@given(st.text(max_size=200), st.text(max_size=200))
def test_joining_never_costs_more_and_hardly_less(left: str, right: str) -> None:
    apart = estimate(left) + estimate(right)
    joined = estimate(left + right)
    assert apart - 4 <= joined <= apart
    assert joined >= max(estimate(left), estimate(right)) - 1


@pytest.mark.parametrize("unit", ["数据库", "the database ", "　ё", "\ue000", "!a", " ", "QxZ"])
def test_the_largest_memory_takes_no_more_than_its_length(unit: str) -> None:
    """Work by the square of a megabyte would not end within the limit of a test."""
    assert estimate(unit * (1_048_576 // len(unit.encode()))) > 0
