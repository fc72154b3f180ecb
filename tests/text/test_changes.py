"""Changes: which notes say that something changed, and by which words the older one is found."""

from __future__ import annotations

import pytest

from brain.text.changes import changed, cues, topic
from brain.text.fold import fold


@pytest.mark.parametrize(
    "note",
    [
        "现在冰的一口不碰",
        "三亚之行取消了，机票已退",
        "周报不再发部门群，改发邮件",
        "站会挪到十点",
        "组会改到周五",
        "供应商换成鸿达了",
        "办公室搬到九楼",
        "瑜伽课停了",
        "健身卡退了",
        "猫不养了",
        "烟戒了",
        "小赵离职，接手的是小钱",
        "和阿杰分手了",
        "小林转岗去了数据组",
        "更正：合同是18.6万",
        "我记错了，是四号楼",
        "不是芒果，是猕猴桃",
        "房租涨到五千五",
        "We switched from Kafka to NATS",
        "I no longer drink coffee",
        "The trip was cancelled",
        "standup moved to 11am",
    ],
)
def test_a_note_that_says_something_changed(note: str) -> None:
    assert changed(fold(note))


@pytest.mark.parametrize(
    "note",
    [
        "我喜欢喝冰的",
        "房东姓褚，月租六千八",
        "今天天气不错，出去走了走",
        "周末和爸妈吃了火锅",
        "月饼卖了四百一十个",
        "别写错名字，是石字旁的砺",
        "现在住在三楼",
        "绝对不能停电瓶车",
        "the rent is due on friday",
        "",
    ],
)
def test_a_note_that_does_not(note: str) -> None:
    assert not changed(fold(note))
    assert topic(fold(note)) == {}


def test_the_topic_is_what_changed_and_not_how_or_when() -> None:
    found = topic(fold("组会从下周起改到周五上午九点半"))
    assert found["组会"] == 1.0
    assert not any("改" in term or "九" in term or "周" in term for term in found)


def test_the_clause_that_says_so_counts_most() -> None:
    found = topic(fold("膝盖疼，游泳课退了，晚上吃了酸菜鱼，回家看电影"))
    assert found["游泳"] == 1.0
    assert 0 < found["膝盖"] < 1.0
    assert 0 < found["电影"] < found["膝盖"]


def test_what_follows_a_bare_announcement_is_the_topic() -> None:
    assert topic(fold("更正：启明检测是18.6万"))["启明"] == 1.0


def test_a_place_with_a_numeral_in_its_name_is_no_amount() -> None:
    assert "三亚" in topic(fold("三亚之行取消了"))


@pytest.mark.parametrize("text", ["取消" * 100_000, "不是" * 50_000, "不养了，" * 50_000, "改" * 9])
def test_long_text_is_looked_at_in_part(text: str) -> None:
    assert len(cues(text)) <= 200
    assert all(0 < weight <= 1 for weight in topic(text).values())
