"""Signs of outcomes: the rules of negation, prevention, near misses, concession and quantities."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.text.polarity import MAX_CHARS, sign

SENTENCES = [
    line.split("\t")
    for line in (Path(__file__).with_name("polarity.tsv")).read_text(encoding="utf-8").splitlines()
    if line
]


def test_nearly_all_of_five_hundred_sentences_of_many_topics() -> None:
    wrong = [(text, given, sign(text)) for given, text in SENTENCES if sign(text) != given]
    assert len(SENTENCES) > 500
    assert len(wrong) <= 0.05 * len(SENTENCES), wrong


def test_good_and_bad_are_hardly_ever_taken_for_each_other() -> None:
    flipped = [t for given, t in SENTENCES if {given, sign(t)} == {"good", "bad"}]
    assert len(flipped) <= 0.02 * len(SENTENCES), flipped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("审计未通过", "bad"),
        ("没有成功", "bad"),
        ("没有一个零件不合格", "good"),
        ("没有一趟不晚点", "bad"),
        ("避免了一次漏水", "good"),
        ("没能避免漏水", "bad"),
        ("差点没赶上，好在车晚了两分钟", "good"),
        ("差一点就通过了，卡在口试", "bad"),
        ("虽然贵，但是修好了", "good"),
        ("修好了，可是花了三倍的钱，还漏油", "mixed"),
        ("延迟降到 80ms", "good"),
        ("错误率升到 5%", "bad"),
        ("成本没降，反而升了", "bad"),
        ("转化率掉了三成", "bad"),
        ("投诉少了一半", "good"),
        ("好评少了一半", "bad"),
        ("The build is no longer flaky", "good"),
        ("審計未通過", "bad"),
        ("没两天就裂了", "bad"),
        ("没到半年就回本", "good"),
        ("尽管缺人，还是按时交付", "good"),
        ("虽然请了人，依然一团糟", "bad"),
        ("便宜是便宜，就是太吵", "mixed"),
        ("楼道里顺顺当当，热热闹闹", "good"),
        ("几乎没有蚊子了", "good"),
        ("P99 冲到 2s", "bad"),
        ("没有谁不觉得这秤不准", "bad"),
        ("没有一间病房不安静", "good"),
        ("差三票没当选", "bad"),
        ("差点掉了队", "good"),
        ("没锁住", "bad"),
        ("压根没什么坏处", "good"),
        ("窗帘白了，但是变得很脆", "mixed"),
        ("虽然嗓子不好，但讲得很精彩", "good"),
        ("一半掌声一半嘘声", "mixed"),
        ("来借书的人多了", "good"),
        ("审核压到两小时", "good"),
        ("Almost everybody paid on time", "good"),
        ("例会改到周三", "neutral"),
        ("", "neutral"),
    ],
)
def test_rules(text: str, expected: str) -> None:
    assert sign(text) == expected


def test_a_long_text_is_read_at_its_beginning_and_ends() -> None:
    assert sign("构建失败。" + "无" * 300_000) == "bad"
    assert sign("构建失败。" + " " * MAX_CHARS + "修好了") == "bad"


@pytest.mark.parametrize(
    "piece", ["看不出", "没就", "好但", "没但", "避免", "终于，", "虽然好，", "ﷺ", "9", "半"]
)
def test_the_same_over_and_over_is_read_in_one_go(piece: str) -> None:
    """Neither clauses nor what cannot be found are read once more for each that follows."""
    assert sign(piece * MAX_CHARS) in ("good", "bad", "mixed", "neutral")
