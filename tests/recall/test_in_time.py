"""Questions about a day: all ways of asking what happened, topic and time together, the gate."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.text.fold import fold
from brain.text.happenings import asks_what_happened, holds
from brain.text.stopwords import strip_function_words
from tests.support.engine import EVERYDAY, Make, ids, texts, told_apart

EAST_EIGHT = timezone(timedelta(hours=8))
FRIDAY = datetime(2026, 11, 27, 20, tzinfo=EAST_EIGHT)

LUNCHES = {
    "2026-11-20": "中午聚餐老郑请客",
    "2026-11-18": "中午聚餐小孟请客",
    "2026-11-25": "中午聚餐大鹏请客",
    "2026-11-27": "中午聚餐阿珂请客",
}
OTHERS = {
    "2026-10-27": "下午茶是老郑请客",
    "2026-08-01": "值班群是青鸟群",
    "2026-09-03": "每月25号发工资",
    "2026-09-11": "李梦琪的生日是三月九号",
    "2026-09-26": "中秋和爸妈去了天目湖",
    "2026-09-01": "体检约在12月8号，记得空腹",
    "2026-05-08": "和供应商谈妥了瓷砖的价钱",
}


@pytest.fixture(autouse=True)
def shanghai() -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("the zone cannot be set here")
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Shanghai"
    time.tzset()
    yield
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(params=["words", "meaning"])
def brain(request: pytest.FixtureRequest, make: Make) -> Brain:
    model: str | Embedder = "none"
    if request.param == "meaning":
        model = request.getfixturevalue("e5")
    brain = make(model=model)
    brain.add_many(told_apart(EVERYDAY, start=datetime(2026, 4, 1, tzinfo=EAST_EIGHT)))
    for day, text in (LUNCHES | OTHERS).items():
        brain.add(text, now=datetime.fromisoformat(f"{day}T13:00").replace(tzinfo=EAST_EIGHT))
    return brain


# --- what happened -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        *("做了什么", "搞了啥", "忙了些什么", "有哪些动静", "聊过什么", "都干嘛了", "折腾了些啥"),
        *("发生了什么事", "有什么新鲜事", "有啥值得一提的", "过得怎么样", "的情况", "有什么进展吗"),
        *(
            "我都记了些什么",
            "大家在忙活什么",
            "提到过哪些事情",
            "讨论了什么",
            "经历了啥",
            "有什么动静没",
        ),
    ],
)
def test_all_everyday_ways_ask_for_the_day(brain: Brain, asked: str) -> None:
    for phrase in ("11月25号", "2026-11-25", "20261125", "前天"):
        question = f"{phrase}{asked}"
        gate = brain.check(question, now=FRIDAY)
        assert [brain.get(one).text for one in gate.ids] == [LUNCHES["2026-11-25"]]
        assert texts(brain.recall(question, now=FRIDAY))[0] == LUNCHES["2026-11-25"]
    nothing = brain.check(f"昨天{asked}", now=FRIDAY)
    assert not nothing.answerable
    assert nothing.reasons == ("所问的时间（昨天）里没有记忆。",)
    assert brain.inject(f"昨天{asked}", now=FRIDAY).block == ""


def test_of_a_vague_time_only_what_lies_in_it_is_shown(brain: Brain) -> None:
    shown = {brain.get(one).text for one in brain.check("最近忙了些什么", now=FRIDAY).ids}
    assert shown & set(LUNCHES.values())
    assert not shown & set(OTHERS.values())


@pytest.mark.parametrize(
    ("question", "open_question"),
    [
        ("搞了啥", True),
        ("忙了些什么", True),
        ("有哪些动静", True),
        ("聊过什么", True),
        ("what happened", True),
        ("吃了什么", False),
        ("数据库出了什么问题", False),
        ("大会说了什么", False),
        ("谁请客", False),
        ("聊过什么电影", False),
    ],
)
def test_what_has_a_topic_of_its_own(question: str, open_question: bool) -> None:
    assert asks_what_happened(strip_function_words(fold(question))) is open_question


def test_a_long_run_is_a_topic() -> None:
    """Work by the square of the run would not end within the limit of a test."""
    assert not asks_what_happened(["忙" * 2_000_000])


# --- topic and time ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("上周周五中午聚餐谁请客", "2026-11-20"),
        ("这周周三聚餐谁请客", "2026-11-25"),
        ("今天中午聚餐谁请客", "2026-11-27"),
        ("2026-11-18聚餐是谁请客", "2026-11-18"),
        ("11月20号聚餐是哪个请客", "2026-11-20"),
        ("前天聚餐谁请客", "2026-11-25"),
    ],
)
def test_the_one_of_that_day_alone(brain: Brain, question: str, day: str) -> None:
    """shinyke/Time-NLP #19, xkzhangsan/xk-time #118: the wrong person came first."""
    assert texts(brain.recall(question, now=FRIDAY))[0] == LUNCHES[day]
    gate = brain.check(question, now=FRIDAY)
    assert gate.answerable
    shown = {brain.get(one).text for one in gate.ids}
    assert LUNCHES[day] in shown
    assert not shown & (set(LUNCHES.values()) - {LUNCHES[day]})


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("昨天聚餐谁请客", "昨天"),
        ("昨天中午聚餐是哪个请客", "昨天中午"),
        ("上个月今天聚餐谁请客", None),
        ("2026-11-19聚餐谁请客", "2026-11-19"),
        ("去年聚餐谁请客", "去年"),
        ("昨天下午茶谁请客", "昨天"),
        ("去年中秋去了哪里", "去年中秋"),
    ],
)
def test_the_gate_says_that_no_note_is_of_that_time(
    brain: Brain, question: str, asked: str | None
) -> None:
    gate = brain.check(question, now=FRIDAY)
    shown = {brain.get(one).text for one in gate.ids}
    assert not shown & set(LUNCHES.values())
    if asked is not None:
        assert not gate.answerable
        assert f"所问的时间（{asked}）" in gate.reasons[0]
        assert brain.inject(question, now=FRIDAY).block == ""
        # It hides nothing from who wants to look.
        assert texts(brain.recall(question, now=FRIDAY))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("今天值班群是哪个", "值班群是青鸟群"),
        ("昨天值班群是哪个", "值班群是青鸟群"),
        ("25号发什么", "每月25号发工资"),
        ("三月九号是谁的生日", "李梦琪的生日是三月九号"),
        ("12月8号有什么安排", "体检约在12月8号，记得空腹"),
        ("中秋去了哪里", "中秋和爸妈去了天目湖"),
        ("最近聚餐谁请客", LUNCHES["2026-11-20"]),
    ],
)
def test_what_holds_or_comes_round_answers_all_the_same(
    brain: Brain, question: str, text: str
) -> None:
    gate = brain.check(question, now=FRIDAY)
    assert gate.answerable
    assert text in {brain.get(one).text for one in gate.ids}


def test_a_time_that_only_says_when_somebody_asks_is_no_condition(brain: Brain) -> None:
    made = brain.add("部署网关要先停值班告警", now=FRIDAY - timedelta(days=90)).id
    assert made in brain.check("今天要部署网关，要先停什么告警", now=FRIDAY).ids


@pytest.mark.parametrize(
    ("text", "lasting"),
    [
        ("值班群是青鸟群", True),
        ("备用机房在松江", True),
        ("每周五下班前发周报", True),
        ("发票抬头：云帆公司", True),
        ("中午聚餐老郑请客", False),
        ("下午茶是老郑请客", False),
        ("把网关的重试关了", False),
        ("we met at the harbour", False),
    ],
)
def test_what_outlasts_its_day(text: str, lasting: bool) -> None:
    assert holds(fold(text)) is lasting


# --- numbers -------------------------------------------------------------------------------------

SPELLINGS = (
    "13812345678",
    "138-1234-5678",
    "138 1234 5678",
    "+86 138 1234 5678",
    "+8613812345678",
    "１３８１２３４５６７８",
    "(86)138.1234.5678",
)


@pytest.mark.parametrize("stored", SPELLINGS)
def test_a_phone_number_is_found_in_every_spelling(make: Make, stored: str) -> None:
    brain = make()
    brain.add_many(told_apart(EVERYDAY[:8]))
    made = brain.add(f"老王的电话 {stored}").id
    other = brain.add("老李的电话 138-1234-9999").id
    for asked in SPELLINGS:
        found = ids(brain.search(f"{asked} 是谁的"))
        assert found[:1] == [made]
        assert other not in found
        assert brain.check(f"{asked} 是谁的电话").ids[0] == made


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("内存条是3GB的", ("GB", "3GB", "3 GB", "3gb", "３ＧＢ")),
        ("内存条是 3 GB 的", ("GB", "3GB", "3 GB")),
        ("哑铃5kg一对", ("kg", "5kg", "5 kg", "5公斤")),
        ("探头的延迟是20ms", ("ms", "20ms", "20 ms")),
    ],
)
def test_a_measure_is_found_by_its_unit_and_number(
    make: Make, stored: str, asked: tuple[str, ...]
) -> None:
    brain = make()
    brain.add_many(told_apart(EVERYDAY[:8]))
    made = brain.add(stored).id
    for query in asked:
        assert ids(brain.search(query))[:1] == [made]


@pytest.mark.parametrize("stored", ["每月25号发工资", "每月二十五发工资", "每月廿五发工资"])
def test_short_tens_are_twenty_and_thirty(make: Make, stored: str) -> None:
    """qhwa/chinese_number #2: 每月廿五 was no 每月25号."""
    brain = make()
    brain.add_many(told_apart(EVERYDAY[:8]))
    made = brain.add(stored).id
    gates = [brain.check(f"每月{day}是什么日子") for day in ("廿五", "二十五", "25号")]
    assert all(gate.ids[:1] == (made,) for gate in gates)
    there = brain.add("公司的卅周年庆典在秋天").id
    assert ids(brain.search("30周年"))[:1] == [there]
    assert ids(brain.search("三十周年"))[:1] == [there]


# --- parts of a day ------------------------------------------------------------------------------

TOLD = (
    ("2026-11-20T19:02", "跟老莫喝了普洱，聊了装修的事"),
    ("2026-11-20T23:59", "早上陪妈去社区医院量血压"),
    ("2026-11-24T22:30", "上午陪娃打疫苗，下午和小唐逛花市"),
    ("2026-11-26T00:40", "晚上吃的酸菜鱼，阿珂买的单"),
    ("2026-05-20T23:10", "中午聚餐是老郑请的客"),
    ("2026-05-21T00:00", "在江边骑车遇到了老同学"),
    ("2026-11-23T20:15", "昨天下午修好了阳台的水龙头"),
)


@pytest.fixture
def told(make: Make) -> Brain:
    brain = make(model="none")
    brain.add_many(told_apart(EVERYDAY, start=datetime(2026, 4, 1, tzinfo=EAST_EIGHT)))
    for at, text in TOLD:
        brain.add(text, now=datetime.fromisoformat(at).replace(tzinfo=EAST_EIGHT))
    return brain


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("上周五下午跟谁喝的普洱", 0),
        ("上周五下午干嘛了", 0),
        ("上周五早上陪谁去的医院", 1),
        ("上周五上午做了什么", 1),
        ("这周二上午陪谁打疫苗", 2),
        ("这周二下午和谁逛花市", 2),
        ("11月25号晚上吃的什么鱼", 3),
        ("前天晚上谁买的单", 3),
        ("5月20号中午谁请的客", 4),
        ("5月21号下午骑车遇到谁", 5),
        ("上周日下午修好了什么", 6),
        ("上周日下午干嘛了", 6),
    ],
)
def test_a_part_of_a_day_may_be_told_later_that_day(told: Brain, question: str, place: int) -> None:
    gate = told.check(question, now=FRIDAY)
    assert gate.answerable
    assert told.get(gate.ids[0]).text == TOLD[place][1]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("上周五下午陪谁去的医院", 1),
        ("上周五上午跟谁喝的普洱", 6),
        ("这周二晚上陪谁打疫苗", 2),
        ("5月20号早上谁请的客", 4),
        ("这周一下午修好了什么", 6),
        ("这周一晚上修好了什么", 6),
        ("昨天下午谁买的单", 3),
    ],
)
def test_a_note_of_another_part_or_day_does_not_answer(
    told: Brain, question: str, place: int
) -> None:
    shown = {told.get(one).text for one in told.check(question, now=FRIDAY).ids}
    assert TOLD[place][1] not in shown


def test_what_was_told_in_the_part_fits_better_than_what_was_told_later(told: Brain) -> None:
    said = datetime(2026, 11, 20, 15, tzinfo=EAST_EIGHT)
    made = told.add("跟老莫喝了龙井", now=said).id
    assert told.recall("上周五下午跟老莫喝了什么", now=FRIDAY).hits[0].id == made
