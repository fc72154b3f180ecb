"""Old words lead to the heir, and to nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.lifecycle import lineage
from brain.memory import Hit
from brain.recall import superseded
from brain.store import memories
from brain.text.timestamps import to_iso
from tests.support.engine import EVERYDAY, NOON, Make, fill, ids, shares_no_word, texts

DAY = timedelta(days=1)

CHANGED = {
    "服务器SSH端口是多少": ("服务器SSH端口是22", "远程登录改走49222了"),
    "茶话会在哪个厅办": ("茶话会在白鹭厅办", "以后每逢周一都到顶层露台碰头"),
    "报销单交给谁": ("报销单交给财务的林姐", "票据统一投进前台的蓝色信箱"),
    "用户一般几点睡觉": ("用户一般夜里十点睡觉", "他改成过了零点才躺下"),
    "Which port does Redis listen on": ("Redis listens on port 6379", "缓存服务搬到了 7001"),
}
"""Question → what was told first, and what took its place in other words."""


@pytest.fixture(params=["none", "e5-small"])
def full(request: pytest.FixtureRequest, make: Make, e5: Embedder) -> Brain:
    """A memory of everyday notes, by words alone and with the bundled model."""
    brain = make(model="none" if request.param == "none" else e5)
    fill(brain)
    return brain


def found_via(hit: Hit) -> set[int]:
    return {lane.via for lane in hit.lanes.values() if lane.via is not None}


@pytest.mark.parametrize("question", CHANGED)
def test_the_words_of_the_old_fact_find_the_new_one_alone(full: Brain, question: str) -> None:
    """410979729/scope-recall-hermes #35: the old port matches the question's words better, and an
    agent acts on it."""
    first, second = CHANGED[question]
    old = full.add(first, now=NOON).id
    assert ids(full.recall(question))[0] == old
    new = full.supersede(old, text=second).new
    found = full.recall(question, 50)
    assert ids(found)[0] == new
    assert old not in ids(found)
    assert ids(found).count(new) == 1
    block = full.inject(question)
    assert block.answerable == full.check(question).answerable
    assert [h.id for h in block.hits] == [new]
    assert second in block.block
    assert first not in block.block
    assert ids(full.search(question))[0] == new


@pytest.mark.parametrize("question", CHANGED)
def test_the_evidence_says_which_old_version_it_came_from(full: Brain, question: str) -> None:
    first, second = CHANGED[question]
    old = full.add(first, now=NOON).id
    new = full.supersede(old, text=second).new
    found = full.explained(full.recall(question))
    hit = found.hits[0]
    assert hit.text == hit.memory.text == second
    assert found_via(hit) == {old}
    assert hit.lanes["lexical"].terms
    assert hit.to_dict(explain=True)["lanes"]["lexical"]["via"] == old
    assert any(f"#{new} 的旧版 #{old}" in told for told in found.notes)
    assert all(not found_via(other) for other in found.hits[1:])


def test_a_fact_found_by_its_own_words_owes_nothing_to_its_past(full: Brain) -> None:
    old = full.add("晾衣架装在南阳台", now=NOON).id
    new = full.supersede(old, text="晾衣架装在北阳台").new
    hit = full.recall("晾衣架装在哪").hits[0]
    assert hit.id == new
    assert found_via(hit) == set()


def test_a_line_of_three_leads_to_its_end_from_every_version(full: Brain) -> None:
    told = ("抓取网页默认用海豚服务", "下载页面改走飞鱼代理", "以后一律调云雀接口取内容")
    first = full.add(told[0], now=NOON).id
    second = full.supersede(first, text=told[1], now=NOON + DAY).new
    third = full.supersede(second, text=told[2], now=NOON + 2 * DAY).new
    for question, via in (("抓取网页默认用什么", first), ("下载页面走哪个代理", second)):
        found = full.recall(question, 50)
        assert ids(found)[0] == third
        assert not {first, second} & set(ids(found))
        assert found_via(found.hits[0]) == {via}
        assert [h.id for h in full.inject(question).hits] == [third]
    # As of the second's days its words and the first's lead to the second.
    then = NOON + 1.5 * DAY
    for question in ("抓取网页默认用什么", "下载页面走哪个代理"):
        found = full.recall(question, 50, as_of=then)
        assert ids(found)[0] == second
        assert not {first, third} & set(ids(found))
    # And before anything changed, or was known to have changed, the first speaks for itself.
    for times in ({"as_of": NOON}, {"as_of": then, "known_at": NOON + 0.5 * DAY}):
        found = full.recall("抓取网页默认用什么", 50, **times)  # type: ignore[arg-type]
        assert ids(found)[0] == first
        assert found_via(found.hits[0]) == set()
        assert not {second, third} & set(ids(found))
        block = full.inject("抓取网页默认用什么", **times)  # type: ignore[arg-type]
        assert [h.id for h in block.hits] == [first]


def test_what_was_known_then_leads_where_it_led_then(full: Brain) -> None:
    """Between two changes, asked for what was believed then: the heir of then, from old words."""
    first = full.add("演练用的对讲机频道是三", valid_from=NOON - 9 * DAY, now=NOON).id
    second = full.supersede(first, text="大家统一调到七频", at=NOON - 5 * DAY, now=NOON + DAY).new
    full.supersede(second, text="通讯设备收归保卫科", at=NOON - DAY, now=NOON + 3 * DAY)
    question = "演练用的对讲机频道"
    found = full.recall(question, 50, known_at=NOON + 2 * DAY, as_of=NOON)
    assert ids(found)[0] == second
    assert found.hits[0].memory.superseded_by is None
    assert found_via(found.hits[0]) == {first}
    found = full.recall(question, 50, known_at=NOON + 2 * DAY, as_of=NOON - 6 * DAY)
    assert ids(found)[0] == first


@pytest.mark.parametrize("question", CHANGED)
def test_a_corrected_record_leads_to_the_correction(full: Brain, question: str) -> None:
    first, second = CHANGED[question]
    old = full.add(first, now=NOON).id
    new = full.correct(old, second, now=NOON + DAY).new
    found = full.recall(question, 50)
    assert ids(found)[0] == new
    assert old not in ids(found)
    assert [h.id for h in full.inject(question).hits] == [new]
    # Even where what is over is shown, what was wrong is not.
    assert old not in ids(full.recall(question, 50, include_expired=True))


@pytest.mark.parametrize("question", list(CHANGED)[:3])
def test_what_was_taken_back_leads_nowhere(full: Brain, question: str) -> None:
    first, second = CHANGED[question]
    old = full.add(first, now=NOON).id
    full.add(second, now=NOON + DAY)
    full.retract(old, now=NOON + DAY)
    assert not full.check(question).answerable
    assert old not in ids(full.recall(question, 50))


@pytest.mark.parametrize("ending", ["expired", "archived", "retracted", "another scope"])
def test_words_do_not_lead_to_an_heir_that_is_not_seen(full: Brain, ending: str) -> None:
    old = full.add("值夜班的同事领手电筒", now=NOON).id
    scope = "别处" if ending == "another scope" else ""
    new = full.add("巡逻改用头灯照明", now=NOON + DAY, scope=scope).id
    full.supersede(old, new, at=NOON + DAY, now=NOON + DAY)
    with full._store.write() as db:
        memory = memories.get(db, new)
        assert memory is not None
        column = {"expired": "valid_to", "archived": "archived_at", "retracted": "retracted_at"}
        if ending in column:
            values = {column[ending]: to_iso(NOON + 2 * DAY)}
            lineage.change(db, memory, to_iso(NOON + 2 * DAY), ending, "", **values)
    question = "值夜班的同事领什么"
    assert not {old, new} & set(ids(full.recall(question, 50)))
    assert not {old, new} & {h.id for h in full.inject(question).hits}


def test_meaning_alone_leads_to_the_heir(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    fill(brain)
    old = brain.add("车间的机油每运转三百小时换一次", now=NOON).id
    new = brain.supersede(old, text="厂家的人会按时来弄").new
    question = "设备保养周期多长"
    assert shares_no_word(question, "车间的机油每运转三百小时换一次")
    hit = brain.recall(question).hits[0]
    assert hit.id == new
    assert found_via(hit) == {old}
    assert hit.lanes["semantic"].via == old
    with pytest.MonkeyPatch.context() as without:
        without.setattr(superseded, "LOOK", 0)
        assert found_via(brain.recall(question).hits[0]) == set()


UNRELATED = (
    "怎么煮红烧肉",
    "明天会下雨吗",
    "护照什么时候到期",
    "这首诗是谁写的",
    "附近哪里能打印照片",
    "how do I bake bread",
)


@pytest.mark.parametrize("question", UNRELATED)
def test_an_unrelated_question_is_not_answered_through_the_past(full: Brain, question: str) -> None:
    for first, second in CHANGED.values():
        full.supersede(full.add(first, now=NOON).id, text=second, now=NOON + DAY)
    assert not full.check(question, now=NOON + 2 * DAY).answerable
    assert full.inject(question, now=NOON + 2 * DAY).block == ""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[tuple[Brain, Brain]]:
    """The same notes twice; in the second file the old facts have been replaced."""
    folder = tmp_path_factory.mktemp("both")
    with (
        Brain.open(folder / "before.db", model=e5) as before,
        Brain.open(folder / "after.db", model=e5) as after,
    ):
        for brain in (before, after):
            fill(brain)
            for first, second in CHANGED.values():
                old, new = (brain.add(text, now=NOON).id for text in (first, second))
                if brain is after:
                    brain.supersede(old, new, at=NOON + DAY, now=NOON + DAY)
        yield before, after


@pytest.mark.parametrize("question", [*CHANGED, *UNRELATED, "物业哪天抄水表", "读书会读什么"])
def test_the_past_answers_no_more_than_it_did_when_it_was_the_present(
    both: tuple[Brain, Brain], question: str
) -> None:
    """What old words decide, they decide as they did before they were replaced."""
    then, today = (brain.check(question, now=NOON + 2 * DAY) for brain in both)
    assert today.probability <= then.probability + 0.1
    assert today.answerable <= then.answerable


def test_many_old_versions_are_one_hit(full: Brain) -> None:
    last = full.add("印章放在一号抽屉", valid_from="2020-01-01").id
    for n in range(40):
        last = full.supersede(
            last, text=f"印章放在第{n}格", at=f"2021-01-01T00:{n:02d}:00Z", now=NOON
        ).new
    last = full.supersede(last, text="公章交给法务保管", now=NOON + DAY).new
    found = full.recall("印章放在哪", 50)
    assert ids(found)[0] == last
    assert ids(found).count(last) == 1
    assert [t for t in texts(found) if "印章" in t] == []


def test_a_file_without_a_past_is_searched_once(
    full: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing was replaced the search among the replaced does not even begin."""
    full.add("鱼缸每月换一半水", now=NOON)

    def never(*args: object, **options: object) -> None:
        raise AssertionError("looked for heirs where there are none")

    monkeypatch.setattr(memories, "successors", never)
    monkeypatch.setattr(memories, "superseded", never)
    assert texts(full.recall("鱼缸多久换水"))[0] == "鱼缸每月换一半水"


def test_when_the_old_one_was_told_says_nothing_about_the_new_one(brain: Brain) -> None:
    """A time that is asked for is compared with the record's own, not with its ancestor's."""
    fill(brain, EVERYDAY[:5])
    old = brain.add("苗圃的锄头放西屋", valid_from=NOON - 200 * DAY, now=NOON).id
    new = brain.supersede(old, text="农具都归仓库管理员", at=NOON - DAY, now=NOON).new
    day = (NOON - 200 * DAY).strftime("%Y年%-m月%-d日")
    assert new not in {h.id for h in brain.inject(f"{day}记了什么", now=NOON).hits}


@pytest.mark.parametrize("gap", [timedelta(milliseconds=5), timedelta(hours=1), timedelta(days=1)])
def test_what_has_expired_comes_beside_what_took_its_place(
    make: Callable[..., Brain], gap: timedelta
) -> None:
    """A flag that shows more must not lose the current answer."""
    brain = make()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    old = brain.add("抓取默认用甲服务器青鸟", now=start).id
    new = brain.supersede(old, text="现在走乙", now=start + gap).new
    later = start + timedelta(days=9)
    assert [h.id for h in brain.recall("抓取默认服务器", now=later).hits] == [new]
    both = brain.recall("抓取默认服务器", include_expired=True, now=later)
    assert {h.id for h in both.hits} == {old, new}
