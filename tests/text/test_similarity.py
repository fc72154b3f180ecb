"""Near-repeats: told when stored, not shown twice; what differs in a fact is never a repeat."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import Brain
from brain.memory import Draft
from brain.text.similarity import SIMILAR, compare

SAME = [
    ("记忆引擎用单文件SQLite存储", "记忆引擎使用单个SQLite文件来存储"),
    ("每周三下午开周会", "每周三的下午要开周会"),
    ("晾衣架的遥控器在玄关抽屉", "晾衣架的遙控器在玄關抽屜"),
    ("ＵＳＢ转接头放在书桌上", "usb转接头就放在书桌上"),
]
DIFFERENT = [
    ("截止日期是10月15日", "截止日期是10月16日", "number"),
    ("预算定为¥500", "预算定为¥5000", "number"),
    ("前端用v1.2", "前端用v1.3", "number"),
    ("租金三千二一个月", "租金三千五一个月", "number"),
    ("决定周五上线", "决定周五不上线", "negation"),
    ("这个接口要鉴权", "这个接口无需鉴权", "negation"),
    ("日志用loguru打", "日志用structlog打", "name"),
    ("小王打败了小李", "小李打败了小王", "order"),
    ("他从北京搬到上海", "他从上海搬到北京", "order"),
    ("云帆总部在杭州", "云帆总部在苏州", "words"),
    ("陈岚是云帆公司的财务", "金晓是云帆公司的财务", "words"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_another_wording_of_one_fact_is_the_same(first: str, second: str) -> None:
    found = compare(first, second)
    assert found.same
    assert found.score >= SIMILAR
    assert found.differs == ()


@pytest.mark.parametrize(("first", "second", "what"), DIFFERENT)
def test_another_fact_in_like_words_is_alike_but_never_the_same(
    first: str, second: str, what: str
) -> None:
    for a, b in ((first, second), (second, first)):
        found = compare(a, b)
        assert not found.same
        assert found.first_adds
        assert found.second_adds
        assert what in found.differs
        assert found.score >= SIMILAR


def test_a_longer_text_adds_and_the_shorter_one_does_not() -> None:
    found = compare("部署走蓝绿发布", "部署走蓝绿发布，先跑冒烟")
    assert (found.first_adds, found.second_adds) == (False, True)


def test_two_long_texts_that_differ_only_at_their_ends_are_not_called_the_same() -> None:
    start = "会议纪要，" * 100
    assert not compare(start + "同意涨价", start + "反对涨价").same


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_a_share_and_does_not_depend_on_the_order(first: str, second: str) -> None:
    found, back = compare(first, second), compare(second, first)
    assert 0.0 <= found.score <= 1.0
    assert found.same == back.same
    assert compare(first, first).same


@pytest.fixture
def brain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("alike") / "m.db", model="none") as opened:
        yield opened


@pytest.mark.parametrize(("first", "second"), SAME[:3])
def test_a_near_repeat_is_told_at_add_and_injected_once(
    brain: Brain, first: str, second: str
) -> None:
    one = brain.add(first)
    two = brain.add(second)
    assert [(s.id, s.differs) for s in two.similar] == [(one.id, ())]
    assert two.to_dict()["similar"][0]["score"] >= SIMILAR
    done = brain.inject(first)
    assert len(done.hits) == 1
    assert "说的相同" in done.left_out[0].reason
    marked = [h.duplicate_of for h in brain.recall(first).hits]
    assert marked[0] is None
    assert marked[1] == done.hits[0].id


@pytest.mark.parametrize(("first", "second", "what"), DIFFERENT)
def test_like_facts_are_told_with_what_differs_and_neither_hides_the_other(
    brain: Brain, first: str, second: str, what: str
) -> None:
    one = brain.add(first)
    two = brain.add(second)
    assert [s.id for s in two.similar] == [one.id]
    assert what in two.similar[0].differs
    assert {h.duplicate_of for h in brain.recall(first).hits} == {None}
    assert not [x for x in brain.inject(first).left_out if "说的相同" in x.reason]


def test_unrelated_records_and_other_scopes_are_not_told(brain: Brain) -> None:
    brain.add("楼下的打印店周日不开门")
    brain.add("记忆引擎用单文件SQLite存储", scope="web")
    assert brain.add("记忆引擎使用单个SQLite文件来存储").similar == ()


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    """More records than every gram is looked up in, built of few words, in two scopes."""
    people, places = "甲乙丙丁戊己庚辛壬癸", ("东门", "西库", "南楼", "北站", "码头")
    texts = [
        f"{n}号单由{people[n % 10]}师傅送到{places[n % 5]}，{n % 12 + 1}点前签收"
        for n in range(2600)
    ]
    with Brain.open(tmp_path_factory.mktemp("crowded") / "m.db", model="none") as opened:
        opened.add_many([Draft(first) for first, _ in (*SAME, *((a, b) for a, b, _ in DIFFERENT))])
        opened.add_many([Draft(text) for text in texts])
        opened.add_many([Draft(text, scope="web") for text in texts[:100]])
        yield opened


@pytest.mark.parametrize(
    ("first", "second"), [*SAME, *((a, b) for a, b, _ in DIFFERENT)], ids=lambda text: text[:8]
)
def test_a_near_repeat_is_told_among_thousands(crowded: Brain, first: str, second: str) -> None:
    texts = {s.id: crowded.get(s.id).text for s in crowded.add(second).similar}
    assert first in texts.values()


def test_of_many_that_are_alike_the_most_alike_are_told(crowded: Brain) -> None:
    added = crowded.add("2077号单由辛师傅送到南楼，2点前已签收")
    told = [crowded.get(s.id).text for s in added.similar]
    assert told[0] == "2077号单由辛师傅送到南楼，2点前签收"
    assert len(told) == 5
    assert [s.score for s in added.similar] == sorted(
        (s.score for s in added.similar), reverse=True
    )


def test_another_scope_neither_hides_nor_shows(crowded: Brain) -> None:
    added = crowded.add("57号单由辛师傅送到南楼，10点前要签收", scope="web")
    found = [crowded.get(s.id) for s in added.similar]
    assert found[0].text == "57号单由辛师傅送到南楼，10点前签收"
    assert {m.scope for m in found} == {"web"}


@pytest.mark.parametrize("end", ["，记得拍照", "，已经和仓库说过了", "（急）"])
def test_a_record_with_something_added_is_told(crowded: Brain, end: str) -> None:
    text = "1234号单由戊师傅送到码头，11点前签收"
    told = [crowded.get(s.id).text for s in crowded.add(text + end).similar]
    assert text in told
