"""What is told of an answer: words a person reads, the hit that carries it, what became of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain import Brain
from brain.cli.program import run
from brain.recall import explain
from brain.recall.query import read
from brain.text.timestamps import now_utc
from tests.support.cli import Done
from tests.support.engine import Make

NOTES = (
    "每周三晚上绕着护城河慢跑五公里",
    "老妈生日是三月初五",
    "周末常骑行，路上带两瓶水",
    "新版网关走蓝绿发布，先切一成流量",
    "橘猫两岁，只吃冻干",
    "报销要附 gen-itgc 的截图",
    "茶水间的咖啡机每周五保养",
    "租房合同明年四月到期",
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Brain.open(tmp_path_factory.mktemp("told") / "b.db") as brain:
        for text in NOTES:
            brain.add(text)
        yield brain


def _shared(question: str, note: str) -> explain.Shared:
    asked = read(question, now_utc())[0]
    return explain.shared(asked.folded, asked.content, asked.terms, note)


@pytest.mark.parametrize(
    ("question", "note", "words"),
    [
        ("护城河慢跑路线", "绕着护城河慢跑", ("护城河慢跑",)),
        ("骑行路线推荐", "周末常骑行，路上带水", ("骑行",)),
        ("骑行路线", "常走的骑行路过桥", ("骑行",)),
        ("大会议室在几楼", "会议室要提前订", ("会议室",)),
        ("大会议室在几楼", "大家都在会议室", ("会议室",)),
        ("gen-itgc 怎么跑", "跑 gen-itgc 之前先清缓存", ("gen-itgc",)),
        ("itgc 报告在哪", "跑 gen-itgc 之前先清缓存", ("itgc",)),
        ("deploying the gateway", "the gateway is deployed on Friday", ("deploying", "gateway")),
        ("合同和发票放哪", "发票在合同柜里", ("合同", "发票")),
    ],
)
def test_words_are_stretches_of_the_question_that_the_note_holds(
    question: str, note: str, words: tuple[str, ...]
) -> None:
    assert _shared(question, note).words == words


@pytest.mark.parametrize(
    ("question", "note", "otherwise"),
    [
        ("平时做什么运动", "每周三慢跑五公里", ("运动", "慢跑")),
        ("妈妈生日哪天", "老妈生日是三月初五", ("妈妈", "老妈")),
        ("家里的宠物吃什么", "橘猫只吃冻干", ("宠物", "橘猫")),
    ],
)
def test_what_a_note_writes_otherwise_is_told_as_that(
    question: str, note: str, otherwise: tuple[str, str]
) -> None:
    found = _shared(question, note)
    assert otherwise in found.otherwise
    assert not any(otherwise[0] in word for word in found.words)


def test_a_note_that_has_nothing_of_it_gets_no_word() -> None:
    assert _shared("吉他怎么换弦", "茶水间的咖啡机每周五保养") == explain.Shared()


QUESTIONS = (
    "平时做什么运动",
    "妈妈生日哪天",
    "骑行路线推荐",
    "网关怎么发布的",
    "家里的宠物吃什么",
    "房子租到什么时候",
    "gen-itgc 的截图有什么用",
    "咖啡机谁来保养",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_reasons_name_words_that_stand_there(told: Brain, question: str) -> None:
    """Whatever is quoted stands in the question, and in the note named, as it is or as is said."""
    for reason in told.check(question).reasons:
        for words, key in re.findall(r"「([^」]+)」被 #(\d+) 覆盖", reason):
            for word in words.split("、"):
                assert word in question
                assert word in told.get(key).text
        for word, key, other in re.findall(r"「([^」]+)」在 #(\d+) 里写作「([^」]+)」", reason):
            assert word in question
            assert other in told.get(key).text
            assert word not in told.get(key).text


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("threshold", [None, 0.0])
def test_a_yes_is_explained_by_a_hit_it_rests_on(
    told: Brain, question: str, threshold: float | None
) -> None:
    decision = told.check(question, threshold=threshold)
    if decision.answerable:
        for reason in decision.reasons[:1]:
            named = {int(key) for key in re.findall(r"#(\d+)", reason)}
            assert named & set(decision.ids), decision.reasons


@pytest.mark.parametrize("question", QUESTIONS)
def test_explained_terms_are_words_of_the_question(told: Brain, question: str) -> None:
    found = told.explained(told.recall(question))
    cut = next(n for n in found.notes if n.startswith("查询切成词")).split("：")[1].strip("。")
    for hit in found.hits:
        for term in hit.lanes["lexical"].terms if "lexical" in hit.lanes else ():
            word, _, other = term.partition("→")
            assert any(word in one for one in cut.split("、")) or other, (term, cut)
            assert (other or word) in hit.memory.text


Said = Callable[..., Done]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Said:
    """The command line, without a process of its own, and a file of two notes."""
    monkeypatch.setenv("BRAIN_MODEL", "none")

    def say(*args: str) -> Done:
        code = run([*args, "--db", str(tmp_path / "work.db")])
        return Done(code, *capfd.readouterr())

    say("add", "周会在周一")
    say("add", "班车七点发车", "--valid-from", "2026-01-01")
    return say


def test_a_correction_is_told_as_one_and_a_change_as_one(said: Said) -> None:
    said("correct", "1", "--text", "周会在周二")
    said("supersede", "2", "--text", "班车八点发车")
    for old, new, how in ((1, 3, "更正"), (2, 4, "取代")):
        other = {"更正": "取代", "取代": "更正"}[how]
        for shown in (
            said("show", str(old)).out,
            said("history", str(new)).out.split("\n\n")[0],
            next(x for x in said("list", "--all").out.splitlines() if x.startswith(f"#{old} ")),
        ):
            assert f"已被 #{new} {how}" in shown
            assert other not in shown
        assert f"{how}了 #{old}" in said("show", str(new)).out
        assert f"已被 #{new} {how}" in said("correct", str(old), "--text", "别的").err


def test_a_correction_with_an_end_of_its_own_and_a_change_taken_back_are_told_apart(
    make: Make,
) -> None:
    brain = make()
    one = brain.add("工位在三楼", valid_from="2026-01-01", valid_to="2026-06-01").id
    right = brain.correct(one, "工位在四楼").new
    two = brain.add("门禁密钥找前台", valid_from="2026-01-01").id
    brain.supersede(two, text="门禁找保安")
    brain.retract(two)
    records = [brain.get(i) for i in (one, two)]
    assert brain.corrected(records) == {one}
    assert brain.corrected([brain.get(right)]) == {one}
    assert brain.corrected([]) == frozenset()


@pytest.mark.parametrize(("verb", "word"), [("correct", "更正"), ("supersede", "取代")])
def test_the_refusal_names_what_was_asked_for(said: Said, verb: str, word: str) -> None:
    said("retract", "1")
    done = said(verb, "1", "--text", "周会在周三")
    assert (done.code, done.out) == (65, "")
    assert f"已撤回，不能再{word}它" in done.err


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (("expire", "2"), "有效期已过"),
        (("retract", "2"), "已撤回"),
        (("correct", "2", "--text", "班车九点发车"), "已被 #3 更正"),
        (("supersede", "2", "--text", "班车九点发车"), "已被 #3 取代"),
    ],
)
def test_pinning_what_no_question_finds_says_so(
    said: Said, before: tuple[str, ...], why: str
) -> None:
    said(*before)
    done = said("pin", "2")
    assert (done.code, "已钉住" in done.out) == (0, True)
    assert why in done.err
    assert "提问时不会用它" in done.err


def test_pinning_what_holds_says_nothing_more(said: Said) -> None:
    assert said("pin", "2").err == ""


@pytest.mark.parametrize("own", [(), ("货架层",)])
@pytest.mark.parametrize("chatter", ["", "我想了很久也没有想起来，" * 12])
def test_another_spelling_is_told_whatever_else_is_asked_or_known(
    tmp_path: Path, chatter: str, own: tuple[str, ...]
) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("服务器的登录账号由向晚保管")
        for word in own:
            brain.add_word(word)
        reason = brain.check(f"登陆帐号由谁保管？{chatter}").reasons[0]
    assert "「登陆」在 #1 里写作「登录」" in reason


def test_an_explained_result_speaks_in_words_and_keeps_own_words_whole(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("今天和同事玩成语接龙，输了三局")
        brain.add("青鸟湾工地的门禁卡在老周那里")
        plain = brain.recall("成语接龙")
        told = brain.explained(plain)
        assert "语接" in plain.hits[0].lanes["lexical"].terms
        assert "接龙" in "".join(told.hits[0].lanes["lexical"].terms)
        assert "语接" not in told.hits[0].lanes["lexical"].terms
        assert told.notes[0].startswith("查询切成词：")
        assert [h.id for h in told.hits] == [h.id for h in plain.hits]
        brain.add_word("青鸟湾工地")
        told = brain.explained(brain.recall("青鸟湾工地的门禁卡"))
        assert told.hits[0].lanes["lexical"].terms[0] == "青鸟湾工地"
