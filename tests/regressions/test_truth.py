"""Old facts and corrections: what stands, what is gone, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from brain import Brain, Draft
from brain.embed.protocol import Embedder
from brain.text.timestamps import to_iso
from tests.support.engine import EVERYDAY, NOON, Make, fill, refused, texts, told_apart

DAY = timedelta(days=1)
AFTER = NOON + 30 * DAY


# The stale fact that matches better (410979729/scope-recall-hermes #35) ----------------------

STALE = [
    ("服务器SSH端口是22", "远程登录改走49222了", "服务器SSH端口是多少"),
    ("门诊挂号费是五元", "看病先交的钱涨到二十了", "门诊挂号费是多少"),
    ("staging database host is db-old", "the test store moved to pg-7", "staging database host"),
]


@pytest.mark.parametrize("model", ["none", "e5"])
@pytest.mark.parametrize(("old", "new", "question"), STALE)
def test_a_better_worded_stale_fact_never_comes_back(
    make: Make, e5: Embedder, model: str, old: str, new: str, question: str
) -> None:
    brain = make(model=e5 if model == "e5" else "none")
    fill(brain)
    first = brain.add(old, valid_from=NOON - 90 * DAY, now=NOON - 90 * DAY).id
    second = brain.supersede(first, text=new, now=NOON).new
    for found in (brain.recall(question, 20, now=AFTER), brain.search(question, 20, now=AFTER)):
        assert first not in [hit.id for hit in found.hits]
    assert old not in brain.inject(question, budget=0, now=AFTER).block
    asked = brain.recall(question, as_of=NOON - DAY, now=AFTER)
    assert asked.hits[0].id == first
    marked = asked.hits[0].memory
    assert (marked.superseded_by, marked.valid_to) == (second, to_iso(NOON))
    assert first in [hit.id for hit in brain.recall(question, include_expired=True).hits]


# Edges are there, old entries stay active (1jehuang/jcode #960) ------------------------------


@pytest.mark.parametrize("length", [2, 4, 9])
@pytest.mark.parametrize("verb", ["supersede", "correct"])
def test_a_chain_has_one_live_end_and_every_count_says_so(
    brain: Brain, length: int, verb: str
) -> None:
    act: Callable[..., Any] = getattr(brain, verb)
    ids = [brain.add("抓取默认用零号服务", now=NOON).id]
    for n in range(1, length):
        ids.append(act(ids[-1], text=f"抓取默认用{n}号服务", now=NOON + n * DAY).new)
    found = brain.recall("抓取默认服务", 20, now=AFTER)
    assert [hit.id for hit in found.hits] == [ids[-1]]
    stats = brain.stats(now=AFTER)
    assert (stats.total, stats.current, stats.superseded) == (length, 1, length - 1)
    assert stats.retracted == (length - 1 if verb == "correct" else 0)
    assert stats.by_kind == {"note": 1}
    assert [m.id for m in brain.list(now=AFTER)] == [ids[-1]]
    assert [m.id for m in brain.history(ids[length // 2]).history] == ids


# The correction vanishes with the error (spectrayan/spector #507) ----------------------------


@pytest.mark.parametrize(
    ("wrong", "right", "question"),
    [
        ("用户爱喝咖啡", "其实是爱喝茶", "喝什么"),
        ("老板对海鲜不过敏", "老板对海鲜过敏", "老板对海鲜过敏吗"),
        ("签证办了三个工作日", "签证办了十三个工作日", "签证办了几天"),
    ],
)
def test_the_correction_stands_at_full_rank_and_the_error_is_gone(
    make: Make, e5: Embedder, wrong: str, right: str, question: str
) -> None:
    brain = make(model=e5)
    fill(brain)
    old = brain.add(wrong, valid_from=NOON - DAY, now=NOON).id
    before = brain.recall(question, now=AFTER).hits
    assert before[0].id == old
    new = brain.correct(old, right, now=NOON + DAY).new
    found = brain.recall(question, now=AFTER).hits
    assert found[0].id == new
    assert old not in [hit.id for hit in found]
    memory = brain.get(new)
    assert (memory.strength, memory.confidence, memory.retracted_at) == (1.0, 0.95, None)
    assert memory.archived_at is None


# Forks, retries, end dates that come (denn-gubsky/loomcycle PR 918) --------------------------


@pytest.mark.parametrize(
    ("verb", "by"), [("supersede", "text"), ("supersede", "id"), ("correct", "text")]
)
def test_a_fork_is_refused_and_a_retry_is_a_clean_repeat(brain: Brain, verb: str, by: str) -> None:
    act: Callable[..., Any] = getattr(brain, verb)
    old = brain.add("合同归法务一组", now=NOON).id

    def give(text: str) -> dict[str, Any]:
        return {"text": text} if by == "text" else {"new": brain.add(text, now=NOON).id}

    one, two = give("合同归法务二组"), give("合同归法务三组")
    first = act(old, **one, now=NOON + DAY)
    told = refused("brain_not_current", 65, lambda: act(old, **two, now=NOON + 2 * DAY))
    assert f"#{first.new}" in told.message
    kept = [m.to_dict() for m in brain.list(all=True)]
    for n in range(3):
        assert act(old, **one, now=NOON + n * DAY) == first
    assert [m.to_dict() for m in brain.list(all=True)] == kept


@pytest.mark.parametrize("days", [1, 40, 400])
def test_a_future_end_keeps_it_until_then(make: Make, e5: Embedder, days: int) -> None:
    brain = make(model=e5)
    one = brain.add("停车位在乙区八号", now=NOON).id
    end = NOON + days * DAY
    for _ in range(2):
        assert brain.expire(one, at=end, now=NOON + timedelta(hours=1)).valid_to == to_iso(end)
    for moment, there in ((end - timedelta(milliseconds=1), True), (end, False)):
        for found in (
            brain.recall("停车位在哪", now=moment).hits,
            brain.search("停车位", now=moment).hits,
            brain.list(now=moment),
        ):
            assert bool(found) is there
        assert bool(brain.inject("停车位在哪", now=moment).block) is there


def test_a_replacement_planned_for_later_waits(brain: Brain) -> None:
    old = brain.add("值班看甲表", now=NOON).id
    at = NOON + 10 * DAY
    done = brain.supersede(old, text="值班看乙表", at=at, now=NOON)
    assert done.at == to_iso(at)
    assert texts(brain.recall("值班看哪张表", now=at - DAY)) == ["值班看甲表"]
    assert texts(brain.recall("值班看哪张表", now=at)) == ["值班看乙表"]


# The stale note retrieved alone (dcostenco/prism-coder #120) ---------------------------------


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("值班群是老群", "值班群换成青鸟群", "值班群是哪个"),
        ("年会场地定在旧礼堂", "年会场地改到河畔厅", "年会场地在哪"),
    ],
)
def test_among_many_old_notes_the_new_one_is_in_the_block_with_its_day(
    make: Make, e5: Embedder, old: str, new: str, question: str
) -> None:
    brain = make(model=e5)
    many = [f"{text}（第{n}次记）" for n in range(2) for text in EVERYDAY]
    brain.add_many(told_apart(many, NOON - 400 * DAY))
    brain.add_many(
        [
            Draft(old, valid_from=NOON - 730 * DAY),
            Draft(new, valid_from=NOON - 5 * DAY),
        ]
    )
    block = brain.inject(question, now=NOON).block
    assert new in block
    for line in block.splitlines():
        for text, since in ((old, NOON - 730 * DAY), (new, NOON - 5 * DAY)):
            if text in line:
                assert f"自{_day(since)}" in line


def _day(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d")


# A change of mind that nobody linked (CraftOS-dev/CraftBot #260) ---------------------------------

CHANGED = [
    ("订了十二月去三亚的机票", "三亚之行取消了，机票已退", "三亚的机票订了吗"),
    ("周报每周五发到部门群", "周报不再发部门群，改发邮件", "周报发到哪"),
    ("部署脚本用 deploy.sh", "部署改用 GitLab CI，deploy.sh 不用了", "部署用什么"),
]


# Words alone find no more than one shared character here, and stay silent.
BY_MEANING = [("我喜欢喝冰的", "现在冰的一口不碰", "我喝冰的还是热的")]


@pytest.mark.parametrize(
    ("model", "old", "new", "asked"),
    [(m, *one) for m in ("none", "e5") for one in CHANGED] + [("e5", *one) for one in BY_MEANING],
)
def test_what_says_that_something_changed_stands_before_the_old_note(
    make: Make,
    e5: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    old: str,
    new: str,
    asked: str,
) -> None:
    """Both were plainly added, as a chat does; with room for one it is the newer one."""
    brain = make(model=e5 if model == "e5" else "none")
    brain.add(old, now=NOON)
    for place, text in enumerate(EVERYDAY):
        brain.add(text, now=NOON + timedelta(hours=place))
    later = brain.add(new, now=NOON + 60 * DAY).id
    now = NOON + 70 * DAY
    assert brain.recall(asked, 1, now=now).hits[0].id == later
    monkeypatch.setenv("BRAIN_GATE", "0")
    assert brain.inject(asked, budget=80, now=now).hits[0].id == later
