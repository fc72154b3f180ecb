"""Similar: what ``add`` tells of older records, that they say nearly the same or hold no more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain import Brain
from brain.memory import AddResult

OTHERS = (
    "路由器放在电视柜后面",
    "今晚要给绿萝浇水",
    "爸爸的血压计在抽屉里",
    "隔壁王阿姨会修水管",
    "the spare keys are in the blue box",
)


@pytest.fixture
def brain(tmp_path: Path) -> Iterator[Brain]:
    with Brain.open(tmp_path / "b.db", model="none") as opened:
        for other in OTHERS:
            opened.add(other)
        yield opened


def _changed(added: AddResult) -> list[int]:
    return [one.id for one in added.similar if one.changes]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("我喜欢喝冰的", "现在冰的一口不碰"),
        ("周报每周五发到部门群", "周报不再发部门群，改发邮件"),
        ("订了十二月去三亚的机票", "三亚之行取消了，机票已退"),
        ("小赵在财务部", "小赵转岗去了法务"),
        ("健身房办了年卡", "健身房的卡退了"),
        ("猫粮买皇家的", "猫粮换成渴望了"),
        ("站会每天九点半", "站会挪到十点"),
        ("部署用 Jenkins", "Jenkins 下线了，现在用 GitHub Actions"),
        ("We use Kafka for events", "We switched from Kafka to NATS"),
        ("I drink coffee every morning", "I no longer drink coffee"),
    ],
)
def test_what_changed_names_the_older_record(brain: Brain, before: str, after: str) -> None:
    old = brain.add(before)
    assert _changed(old) == []
    assert _changed(brain.add(after)) == [old.id]


@pytest.mark.parametrize(
    "after",
    ["取消明天的会议", "现在没时间，回头再说", "今天出去走了走", "咖啡换成燕麦奶的", "小钱离职了"],
)
def test_what_concerns_no_record_names_none(brain: Brain, after: str) -> None:
    brain.add("我爱吃苹果")
    brain.add("小赵在财务部")
    assert _changed(brain.add(after)) == []


def test_what_says_no_change_names_none(brain: Brain) -> None:
    brain.add("猫粮买皇家的，一袋三百二")
    assert _changed(brain.add("猫粮快吃完，周六去买")) == []


def test_a_near_repeat_says_also_that_it_changes(brain: Brain) -> None:
    old = brain.add("妈妈爱吃辣的火锅")
    (one,) = brain.add("妈妈不再爱吃辣的火锅").similar
    assert (one.id, one.changes) == (old.id, True)
    assert one.score >= 0.6


def test_only_what_is_current_and_in_the_same_scope(brain: Brain) -> None:
    gone = brain.add("健身房办了年卡，三千六")
    brain.expire(gone.id)
    elsewhere = brain.add("健身房办了月卡", scope="work")
    assert _changed(brain.add("健身房的卡退了")) == []
    assert _changed(brain.add("健身房的月卡退了", scope="work")) == [elsewhere.id]


def test_a_note_of_an_earlier_day_changes_nothing_later(brain: Brain) -> None:
    brain.add("猫粮买皇家的", now=datetime(2026, 5, 1, tzinfo=UTC))
    earlier = brain.add(
        "猫粮换成渴望了", valid_from="2025-01-01", now=datetime(2026, 5, 2, tzinfo=UTC)
    )
    assert _changed(earlier) == []


def test_at_most_two_are_named(brain: Brain) -> None:
    for month in range(1, 7):
        brain.add(f"羽毛球课第{month}期，场地在体育馆{month}号")
    assert len(_changed(brain.add("羽毛球课不上了，都取消"))) <= 2


def test_what_is_not_stored_yet_may_say_that_something_changed(brain: Brain) -> None:
    """``record`` asks before it stores: what it asks about is the newest."""
    brain.add("构建工具是 make", kind="decision")
    done = brain.record("构建工具换成 ninja，不再用 make", "构建快了一半")
    assert done.created
