"""A question in other words than the note: what word knowledge finds, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.embed.protocol import Embedder
from brain.memory import RecallResult
from brain.recall.query import read
from brain.text.fold import fold
from brain.text.rewrite import variants
from brain.text.stopwords import strip_function_words, strong_runs

NOTES = (
    "每周二和周四下班后去体育馆打羽毛球",
    "家里养了一只橘猫，叫团子，三岁",
    "二姐在苏州当会计，两个孩子",
    "每天早上一杯手冲，不加糖",
    "去年体检查出甲状腺结节，每半年复诊一次",
    "订单服务用 postgres 存，分库按月",
    "儿子小学三年级，班主任姓祁",
    "周末常去水库钓鱼，带折叠椅",
    "房贷还有十七年，每月二十号扣",
    "冬天总穿那件藏青羽绒服",
    "前端用 vue 写，组件库自己维护",
    "主机房的交换机半夜重启过，原因是电源老化",
    "扁桃体割过，吃辣容易咳",
    "新合同的初稿在法务那里，周五前回",
    "网盘额度只剩 3G，行政说下月扩",
    "去年在京东买的投影仪，遥控器丢了",
    "小区东门晚上十一点锁，回来晚走西门",
    "老家亲戚寄来的腊肉放在冰箱冷冻层",
    "外婆腰疼，每周去推拿两次",
    "研发部的站会改到九点四十",
    "上次宕机是因为证书没续",
    "驾照扣了六分，十一月清零",
    "跟装修师傅约好下周量尺寸",
    "学了两年吉他，只会弹民谣",
)

NOW = datetime(2026, 3, 2, 12).astimezone()


@pytest.fixture(scope="module")
def told(e5: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    path = tmp_path_factory.mktemp("words") / "memory.db"
    with Brain.open(path, model=e5) as brain:
        for day, note in enumerate(NOTES):
            brain.add_many([Draft(note)], now=NOW - timedelta(days=100 - day))
        yield brain


def asked(brain: Brain, query: str) -> RecallResult:
    return brain.recall(query, 3, now=NOW)


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        # A wider word in the question, a narrower one in the note.
        ("家里有什么宠物", "家里养了一只橘猫"),
        ("会什么乐器", "学了两年吉他"),
        ("做什么锻炼", "每周二和周四下班后"),
        ("订单服务用的什么数据库", "订单服务用 postgres"),
        ("前端用什么框架", "前端用 vue"),
        ("贷款还要还多久", "房贷还有十七年"),
        ("孩子上几年级", "儿子小学三年级"),
        ("姐姐的职业", "二姐在苏州当会计"),
        ("投影仪是在哪个购物平台买的", "去年在京东买的投影仪"),
        ("有什么病史", "去年体检查出甲状腺结节"),
        # Another word for the same thing.
        ("云盘空间还剩多少", "网盘额度只剩 3G"),
        ("驾驶证扣了几分", "驾照扣了六分"),
        ("合约草稿在谁那里", "新合同的初稿"),
        ("外婆腰痛怎么办", "外婆腰疼"),
        ("研发部的晨会几点", "研发部的站会"),
    ],
)
def test_other_words_find_the_note_and_the_gate_says_yes(
    told: Brain, query: str, begins: str
) -> None:
    result = asked(told, query)
    assert result.hits[0].memory.text.startswith(begins)
    assert result.gate is not None
    assert result.gate.answerable, result.gate


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("平时做什么运动", "每周二和周四下班后"),
        ("业余爱好是什么", "周末常去水库钓鱼"),
        ("喜欢喝什么咖啡", "每天早上一杯手冲"),
        ("服务挂了是什么原因", "上次宕机"),
    ],
)
def test_other_words_find_the_note_where_the_gate_may_doubt(
    told: Brain, query: str, begins: str
) -> None:
    assert asked(told, query).hits[0].memory.text.startswith(begins)


BESIDE = (
    # Beside what a note has: another animal, instrument, sport, database, framework.
    "金毛一天喂几顿",
    "小提琴怎么调音",
    "瑜伽垫买哪种",
    "mysql 怎么备份",
    "react 的 hooks 怎么用",
    "狗几个月打疫苗",
    "怎么学跳舞",
    # Of a kind with a wider word that some note could answer.
    "榴莲怎么挑",
    "宝马多少钱",
    "大学学费多少",
    "股票今天涨了吗",
    "英语四级报名时间",
    "奶茶店几点关门",
    "咖啡豆怎么保存",
    "儿童感冒吃什么药",
    "上海有什么好玩的",
)


def test_of_what_is_merely_related_at_most_one_passes(told: Brain) -> None:
    """A wider word is only an offer; at ``quiet`` none of it passes."""
    passed = [q for q in BESIDE if told.check(q).answerable]
    assert len(passed) <= 1, passed
    assert not any(told.check(q, threshold="quiet").answerable for q in passed)


def test_the_word_itself_comes_before_a_narrower_one(e5: Embedder, tmp_path: Path) -> None:
    with Brain.open(tmp_path / "memory.db", model=e5) as brain:
        brain.add("阳台上的橘猫又在睡觉")
        brain.add("带宠物坐高铁要提前托运")
        brain.add("仓鼠的笼子该换垫料了")
        assert "宠物" in brain.recall("宠物").hits[0].memory.text
        assert brain.recall("橘猫").hits[0].memory.text.startswith("阳台")


@pytest.mark.parametrize(
    ("wider", "narrower", "beside"),
    [
        ("宠物", "橘猫", "金毛"),
        ("乐器", "吉他", "钢琴"),
        ("数据库", "mysql", "redis"),
        ("交通工具", "地铁", "飞机"),
        ("家人", "妹妹", "爷爷"),
    ],
)
def test_only_from_the_wider_word_to_the_narrower(wider: str, narrower: str, beside: str) -> None:
    assert (narrower, "narrower") in {(v.other, v.kind) for v in variants(fold(wider))}
    others = {v.other for v in variants(fold(narrower))}
    assert wider not in others
    assert beside not in others


@pytest.mark.parametrize(
    ("query", "strong"),
    [
        ("漏水的问题处理了吗", ["漏水"]),
        ("平时考虑哪些保险", ["保险"]),
        ("为什么打算换工作", ["换工作"]),
        ("具体情况", []),
    ],
)
def test_what_says_little_falls_out_of_what_is_asked(query: str, strong: list[str]) -> None:
    assert strong_runs(strip_function_words(fold(query))) == strong
    asked = read(query, NOW)[0]
    assert bool(asked.faint) == bool(strong)
    assert asked.faint <= set(asked.content)


CHATTER = (
    "今天忙得脚不沾地，早上开会讲了哪些指标要改，中午又有人问我什么时候团建，我说还没定。"
    "楼下新开的店排了很长的队，不知道是不是真的好吃，改天去试试，顺便买点水果回来分给大家吃一吃。"
)


@pytest.mark.parametrize(
    ("announced", "question_asked"),
    [
        ("对了，我想问一下，会议室的投影密码是多少？", "会议室的投影密码是多少？"),
        ("抱歉扯远了，其实我想知道的是：水表在哪一层？", "水表在哪一层？"),
        ("哦，请问停车卡找谁办？", "停车卡找谁办？"),
        ("其实问题是，退租要提前几天说？", "退租要提前几天说？"),
        ("顺便请教一下 nginx 的日志放哪？", "nginx 的日志放哪？"),
    ],
)
def test_of_a_long_message_only_what_it_announces_is_asked(
    announced: str, question_asked: str
) -> None:
    parts = read(CHATTER * 2 + announced, NOW)
    assert [p.text for p in parts[1:]] == [question_asked]
    after = read(announced + CHATTER * 2, NOW)
    assert after[1].text == question_asked


def test_an_announcement_that_asks_nothing_is_none() -> None:
    parts = read("水表在哪一层？" + CHATTER * 2 + "我想问问他。", NOW)
    assert "水表在哪一层？" in [p.text for p in parts]
