"""A long note in a small block: the sentence that answers stands, its heading alone does not.

And what a block leaves out: said in plain words, one example of each template.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from brain import Brain
from brain.compress import salience
from brain.compress.headings import heading_places
from tests.support.compress import INJECT, squeeze
from tests.support.engine import NOON

TALK = "大家对此没有异议，细节会后在群里再对一次。"
UNRELATED = (
    "夜间噪声每天四十三分贝，物业提出把限值从五十改到四十五，会上同意，当天生效。",
    "合唱团的演出服超出预算，决定取消租借，改用自备的白衬衫。",
    "通风管道检查发现异常，施工方承诺两周内返工。",
)
ASKED = [
    ("值班", "五、值班。", "元旦三天由刘洋、王强、陈静轮流，调休一换一。", "元旦谁值班"),
    ("车位", "（三）车位分配。", "东区归三号楼，西区先到先得，每户一辆。", "车位分配怎么定的"),
    ("食材", "2. 食材采购。", "青菜找城南老周，每天早上六点送到后门。", "食材采购找谁"),
    ("钥匙", "## 备用钥匙\n\n", "放在门卫室左边第二格，取用要签名。", "备用钥匙在哪里"),
    ("保洁", "四、保洁\n", "周二周五各来一次，擦玻璃另算八十元。", "保洁多久来一次"),
    ("疫苗", "【疫苗】\n", "小猫满八周打第一针，隔三周再打。", "疫苗什么时候打"),
]


def record(heading: str, answer: str) -> str:
    parts = ["2026年11月20日 例会记录\n主持：赵敏\n"]
    for name, told in zip(("一、邻里", "二、后勤", "三、工程"), UNRELATED, strict=True):
        parts.append(f"{name}。{told}\n")
        parts.append("讨论：" + TALK * 6 + "\n\n")
    parts.append(f"{heading}{answer}\n讨论：{TALK * 6}\n\n")
    parts.append("八、其他。食堂反馈不在本会范围内，转给行政。\n讨论：" + TALK * 6 + "\n")
    return "".join(parts)


@pytest.mark.parametrize("budget", [100, 130, 160, 200, 420])
@pytest.mark.parametrize(("heading", "answer", "query"), [a[1:] for a in ASKED], ids=lambda _: "")
def test_a_heading_that_is_asked_for_brings_what_stands_under_it(
    brain: Brain, heading: str, answer: str, query: str, budget: int
) -> None:
    brain.add(record(heading, answer), kind="episode", valid_from=NOON, now=NOON)
    done = brain.inject(query, budget=budget, now=NOON)
    assert answer in done.block
    assert done.tokens <= budget
    assert re.search(r"ccr_[0-9a-f]{32}", done.block), "cut without a way back"


@pytest.mark.parametrize("budget", [80, 100])
@pytest.mark.parametrize(("topic", "heading"), [a[:2] for a in ASKED], ids=lambda _: "")
def test_a_tiny_room_has_the_beginning_of_the_answer_not_the_heading_alone(
    brain: Brain, topic: str, heading: str, budget: int
) -> None:
    answer = "甲组负责东面的第一段，" + "接着是各段的先后次序和材料清单，" * 5 + "最后清场。"
    brain.add(record(heading, answer), kind="episode", valid_from=NOON, now=NOON)
    assert "甲组负责东面" in brain.inject(topic, budget=budget, now=NOON).block


@pytest.mark.parametrize("budget", [100, 130, 160, 200])
@pytest.mark.parametrize(
    ("told", "query"),
    [
        ("茶室的备用钥匙交给了门卫老韩。", "茶室的备用钥匙交给了谁"),
        ("茶室的热水器修理费是三百二十元。", "茶室热水器修理费"),
        ("茶室的租约明年六月到期。", "茶室的租约何时到期"),
        ("茶室的猫叫芝麻，怕吸尘器。", "茶室的猫叫什么"),
    ],
)
def test_the_rarer_word_of_the_question_decides_which_sentence_stands(
    brain: Brain, told: str, query: str, budget: int
) -> None:
    """The subject stands in every sentence, what is asked about it in one."""
    usual = [f"茶室第{n}天照常营业，{'晴雨雪风'[n % 4]}天客人不多。" for n in range(1, 40)]
    usual.insert(23, told)
    brain.add("\n".join(usual), kind="episode", now=NOON)
    assert told in brain.inject(query, budget=budget, now=NOON).block


TEMPLATES = [
    "各组同步了第{n}项日常工作，没有新的问题，按计划推进，下次会议再看。",
    "第{n}号柜机巡检完毕，温度{n}度，一切照旧。",
    "- 门店{n}盘点完成，账实相符，差额为零。",
    "Round {n} of the review went as planned, nothing to add.",
    "第{han}次例行排练按时开始，人都到齐。",
]


@pytest.mark.parametrize("budget", [160, 200, INJECT])
@pytest.mark.parametrize("template", TEMPLATES)
def test_one_example_of_a_template_is_enough(template: str, budget: int) -> None:
    told = [
        "登录页的改版由李雷负责前端，十二月五日提测。",
        "登录页的验收由韩梅梅负责，老周协助。",
        "登录页的文案找小吴要。",
    ]
    lines = [template.format(n=n, han="一二三四五六七八九"[n % 9]) for n in range(40)]
    for place, one in zip((9, 21, 33), told, strict=True):
        lines.insert(place, one)
    shown = squeeze("\n".join(lines), "登录页由谁负责", budget).text
    assert all(one in shown for one in told)
    masks = [salience.template(line) for line in shown.splitlines()]
    assert masks.count(salience.template(lines[0])) <= 1


@pytest.mark.parametrize("budget", [200, INJECT])
def test_look_alikes_that_are_asked_about_fill_the_room(budget: int) -> None:
    lines = [f"{n}日，早上血压{120 + n % 9}/{78 + n % 5}，散步半小时。" for n in range(1, 60)]
    text = "".join(f"{line}\n{UNRELATED[n % 3]}\n" for n, line in enumerate(lines))
    assert squeeze(text, "早上的血压", budget).text.count("血压") >= 3


MARKS = [
    ("部署失败，数据丢失，需要回滚。", ("失败", "丢失")),
    ("会上决定取消三号的发布。", ("决定", "取消")),
    ("合同作废，不再续签。", ("作废",)),
    ("预算同意加到37.5万元。", ("同意", "37.5万元")),
    ("旧网关六月底停用，数据迁移没有完成。", ("停用", "没有完成")),
    ("生产库禁止直连。", ("禁止直连",)),
    ("没有人反对，也别忘了关窗。", ("没有人反对",)),
    ("限值从五十改到四十五。", ()),
]


@pytest.mark.parametrize(("special", "words"), MARKS)
@pytest.mark.parametrize("query", ["丙组", "枇杷树"])
def test_a_mark_is_a_sentence_that_reads(special: str, words: tuple[str, ...], query: str) -> None:
    lines = [f"{'甲乙丙丁戊己庚辛'[n % 8]}组看了第{n}场演示，没有意见。" for n in range(80)]
    lines[41] = special
    found = re.search(r"（略[^）]*）", squeeze("\n".join(lines), query, 150).text)
    assert found
    counts = r"\d+ 句有(?:数字|否定|决定|故障)"
    named = r"提到(?:「[^「」]+」){1,8}"
    said = rf"(?:，其中 {counts}(?:、{counts})*(?:；{named})?|，{named})?"
    assert re.fullmatch(rf"（略 \d+ 句{said}；全文：<<ccr:ccr_[0-9a-f]{{32}}>>）", found[0]), found[
        0
    ]
    quoted = re.findall("「(.+?)」", found[0])
    assert set(quoted) <= set(words)


@pytest.mark.parametrize(
    ("pieces", "heads"),
    [
        (["五、值班。", "元旦轮流。\n", "讨论。"], {0}),
        (["先说一句。", "五、值班。", "元旦轮流。"], set()),
        (["## 钥匙\n", "在门卫室。"], {0}),
        (["值班：\n", "- 刘洋\n", "- 王强\n"], {0}),
        (["3. 买了葱，还买了姜。", "花了九元。"], set()),
        (["好的。", "明天见。"], set()),
        (["五、值班。"], set()),
    ],
)
def test_a_heading_is_a_line_of_its_own_or_a_numbered_name(
    pieces: list[str], heads: set[int]
) -> None:
    assert heading_places(pieces) == heads


def test_of_two_sections_the_one_of_the_day_asked_about_is_shown(
    make: Callable[..., Brain],
) -> None:
    """元旦 and 国庆 are times to the reader of questions; here they tell the sections apart."""
    brain = make()
    filler = "".join(
        f"第{n}组汇报了日常的进度，没有别的问题，下次会议再看一遍材料。" for n in range(40)
    )
    brain.add(
        f"值班安排。国庆值班由赵敏和孙浩负责，电话转到他们手机。{filler}"
        "元旦值班由刘洋和王强负责，调休一换一。"
    )
    block = brain.inject("元旦谁值班", budget=160).block
    assert "刘洋" in block
    block = brain.inject("国庆谁值班", budget=160).block
    assert "赵敏" in block
