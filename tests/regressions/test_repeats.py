"""Repeats: what we handed out comes back, and like texts that are not the same.

The kinds of likeness themselves are in tests/text/test_similarity.py.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.embed.protocol import Embedder
from brain.inject import brief, pack
from tests.support.cli import Cli
from tests.support.engine import NOON, Make, refused

LATER = NOON + timedelta(days=30)

FACTS = (
    "青苗班的家长会改到周五晚上七点",
    "青苗班的班主任是何老师",
    "青苗班的校车停在南门",
)
QUESTION = "青苗班的家长会什么时候"


@pytest.fixture(params=["meaning", "words"])
def model(request: pytest.FixtureRequest) -> str | Embedder:
    if request.param == "words":
        return "none"
    embedder: Embedder = request.getfixturevalue("e5")
    return embedder


# Our own block (vectorize-io/hindsight #826) -------------------------------------------------


def test_what_was_injected_is_not_stored_again(make: Make, model: str | Embedder) -> None:
    """vectorize-io/hindsight #826: recall, answer, retain: one fact 31 times."""
    brain = make(model=model)
    brain.add_many([Draft(text, kind="preference") for text in FACTS], now=NOON)
    for _ in range(5):
        block = brain.inject(QUESTION, now=LATER).block
        assert block
        told = refused("brain_own_block", 65, lambda text=block: brain.add(text))
        assert "记忆块" in told.message
    assert brain.stats().total == 3


@pytest.mark.parametrize(
    "wrapped",
    ["{}", "\n\n  {}\n", "{}\n\n" + QUESTION, "\u3000{}", "{}\n⟦/记忆⟧"],
    ids=["as it is", "blanks", "with the prompt behind it", "wide blank", "closed twice"],
)
@pytest.mark.parametrize("kind", ["inject", "brief", "cut"])
def test_a_block_is_known_by_its_opening(brain: Brain, kind: str, wrapped: str) -> None:
    brain.add(FACTS[0] * 60 if kind == "cut" else FACTS[0], kind="preference")
    block = brain.brief().block if kind == "brief" else brain.inject(QUESTION, budget=200).block
    assert block.startswith(brief.OPENING if kind == "brief" else pack.OPENING)
    refused("brain_own_block", 65, lambda: brain.add(wrapped.format(block)))
    refused("brain_own_block", 65, lambda: brain.supersede(1, text=wrapped.format(block)))
    assert brain.stats().total == 1
    assert brain.get(1).superseded_by is None


def test_a_batch_that_holds_a_block_stores_nothing(brain: Brain) -> None:
    brain.add(FACTS[0])
    block = brain.inject(QUESTION).block
    refused("brain_own_block", 65, lambda: brain.add_many([Draft(FACTS[1]), Draft(block)]))
    assert brain.stats().total == 1


@pytest.mark.parametrize(
    "text",
    [
        "记忆块以 ⟦记忆⟧ 开头，以 ⟦/记忆⟧ 结尾",
        "⟦记忆⟧ 这个括号是谁想出来的",
        "以下是过去存下的笔记，仅供参考",
        f"框的第一行写的是：{pack.OPENING}",
        "⟦/记忆⟧",
    ],
)
def test_a_note_about_the_frame_is_a_note(brain: Brain, text: str) -> None:
    assert brain.add(text).created
    assert brain.get(1).text == text


def test_the_piped_block_is_refused_on_the_command_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    with Brain.open(cli.db, model="none") as brain:
        brain.add_many([Draft(text) for text in FACTS])
    block = cli("inject", QUESTION).out
    assert FACTS[0] in block
    done = cli("add", "-", "--json", stdin=block.encode())
    assert (done.code, done.json["error"]["code"]) == (65, "brain_own_block")
    assert "错误[brain_own_block]" in done.err
    assert cli("stats", "--json").json["total"] == 3


# Texts that differ in a figure (buildingjoshbetter/TrueMemory #687) --------------------------


FIGURES = (
    ("体检约在9月15日", "体检约在9月16日", "体检约在哪天"),
    ("装修尾款是¥800", "装修尾款是¥8000", "装修尾款是多少"),
    ("打包工具用 v2.4", "打包工具用 v2.5", "打包工具用哪个版本"),
    ("门禁密码尾号是 3317", "门禁密码尾号是 3371", "门禁密码尾号是多少"),
    ("跳板机地址是 10.8.0.4", "跳板机地址是 10.8.0.14", "跳板机地址是多少"),
    ("早会从9:15开始", "早会从9:45开始", "早会几点开始"),
    ("会费涨了百分之五", "会费涨了百分之十五", "会费涨了多少"),
    ("押一付三，月租两千六", "押一付三，月租两千八", "月租多少"),
    ("奶奶的药一天3次", "奶奶的药一天2次", "奶奶的药一天几次"),
    ("快递柜在B栋", "快递柜在D栋", "快递柜在哪一栋"),
    ("水温调到38.5度", "水温调到39.5度", "水温调到多少度"),
    ("复查约在三月初五", "复查约在三月初六", "复查约在哪天"),
)


@pytest.mark.parametrize(("first", "second", "question"), FIGURES)
def test_texts_that_differ_in_a_figure_are_both_kept_and_both_shown(
    make: Make, model: str | Embedder, first: str, second: str, question: str
) -> None:
    """buildingjoshbetter/TrueMemory #687: cosine .99 between the 15th and the 16th, and the second
    was dropped."""
    brain = make(model=model)
    one, two = (brain.add(text, now=NOON) for text in (first, second))
    assert (one.created, two.created) == (True, True)
    assert [s.id for s in two.similar] == [one.id]
    assert two.similar[0].differs
    assert {h.text for h in brain.recall(question, now=LATER).hits} == {first, second}
    assert {h.duplicate_of for h in brain.recall(question, now=LATER).hits} == {None}
    block = brain.inject(first, now=LATER).block
    assert first in block
    assert second in block


# Sentences built alike (yantrikos/yantrikdb-server #1) ---------------------------------------


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (("岑月是白鹭书店的店长", "卢野是白鹭书店的采购"), "白鹭书店有哪些人"),
        (("白鹭书店开在成都", "白鹭书店开在重庆"), "白鹭书店开在哪里"),
        (("阿禾养了一只橘猫", "阿拓养了一只橘猫"), "谁养了橘猫"),
        (("小棠把钥匙给了阿禾", "阿禾把钥匙给了小棠"), "钥匙给了谁"),
        (("岑月会说法语", "岑月不会说法语"), "岑月会说法语吗"),
    ],
)
def test_sentences_built_alike_remain_apart_and_are_told(
    make: Make, model: str | Embedder, texts: tuple[str, str], question: str
) -> None:
    """yantrikos/yantrikdb-server #1: different people were merged because their sentences are built
    alike."""
    brain = make(model=model)
    added = [brain.add(text, now=NOON) for text in texts]
    assert all(a.created for a in added)
    assert [s.id for s in added[1].similar] == [added[0].id]
    assert added[1].similar[0].differs
    assert brain.stats().current == 2
    block = brain.inject(question, now=LATER).block
    for text in texts:
        assert text in block


# Near-repeats in Chinese (Chasen-Liao/pi-agent-desktop PR 23) --------------------------------


NEAR = (
    ("备份脚本每天凌晨两点跑", "备份脚本在每天凌晨两点跑"),
    ("周报用模板写，周五交", "周报使用模板来写，周五交"),
    ("部署文档放在共享盘的运维目录", "部署文檔就放在共享盤的運維目錄"),
    ("客户电话要录音并保存半年", "客户的电话要录音，并且保存半年"),
)


@pytest.mark.parametrize(("first", "second"), NEAR)
def test_a_chinese_near_repeat_is_told_and_its_place_is_given_to_another(
    make: Make, model: str | Embedder, first: str, second: str
) -> None:
    """Chasen-Liao/pi-agent-desktop PR 23: likeness by blanks is nothing in Chinese."""
    brain = make(model=model)
    brain.add("与此无关：鱼缸的水泵有异响", now=NOON)
    one = brain.add(first, now=NOON)
    two = brain.add(second, now=NOON)
    assert two.created
    assert [(s.id, s.differs) for s in two.similar] == [(one.id, ())]
    shown = {h.id for h in brain.inject(first, now=LATER).hits}
    assert len(shown & {one.id, two.id}) == 1


def test_the_command_line_tells_a_near_repeat(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    with Brain.open(cli.db, model="none") as brain:
        brain.add(NEAR[0][0])
    done = cli("add", NEAR[0][1], "--json")
    assert [s["id"] for s in json.loads(done.out)["similar"]] == [1]
    assert "#1" in done.err
