"""Aliases: the pairs of names that a note gives to the same one, and none besides."""

from __future__ import annotations

import pytest

from brain.text import lists
from brain.text.aliases import MOST_PAIRS, aliases, called_also
from brain.text.fold import fold
from brain.text.names import asked


def pairs(note: str) -> list[tuple[str, str]]:
    return list(aliases(fold(note)))


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("汤圆大名陆知微，三岁", [("汤圆", "陆知微")]),
        ("方晓东写后端，大家叫他阿东", [("方晓东", "阿东")]),
        ("方曉東，網名「江南夜雨」，管論壇", [("方晓东", "江南夜雨")]),
        ("新同事崔浩，刚毕业。来的第一天摔了一跤，现在大家都叫他风火轮。", [("崔浩", "风火轮")]),
        ("何婉婷在班里外号叫小辣椒", [("何婉婷", "小辣椒")]),
        ("小辣椒是何婉婷的外号。", [("何婉婷", "小辣椒")]),
        ("点点老师（全名潘点）带小班", [("点点老师", "潘点")]),
        ("老赵（赵国庆，会开车）", [("老赵", "赵国庆")]),
        ("许佳宁（宁宁）写代码", [("许佳宁", "宁宁")]),
        ("二姐宋冬梅在株洲", [("二姐", "宋冬梅")]),
        ("我妈叫刘桂花", [("妈", "刘桂花")]),
        ("周航是我老公", [("老公", "周航")]),
        ("老鹿是哥哥陆明川，跑得快", [("老鹿", "陆明川"), ("哥哥", "陆明川")]),
        ("我们都管王磊叫石头", [("王磊", "石头")]),
        ("大名张可馨，英文名 Mia，我们家叫米粒", [("张可馨", "mia"), ("mia", "米粒")]),
        ("我家猫叫司令", [("我家猫", "司令")]),
        ("同屋林可欣，我叫她欣欣", [("林可欣", "欣欣")]),
        ("女儿学名李牧之，在家就叫她牧牧", [("女儿", "李牧之"), ("李牧之", "牧牧")]),
        ("合租的许文澜是福建人，平时都叫澜澜", [("许文澜", "澜澜")]),
        ("数据中台，内部代号 Neptune", [("数据中台", "neptune")]),
        ("群里的“夜猫子”就是测试组的韩雪", [("夜猫子", "韩雪")]),
        ("养了只仓鼠叫句号，笼子放阳台", [("我家仓鼠", "句号")]),
        ("捡了条小狗，叫来福", [("我家狗", "来福")]),
        ("启动“海葵”，就是权限系统重构：按冰箱授权", [("海葵", "权限系统重构")]),
        ("结算系统重构（内部代号北极星）由老周牵头", [("结算系统重构", "北极星")]),
        ("苏州岸图软件有限公司（以下简称岸图）", [("苏州岸图软件有限公司", "岸图")]),
        ("k8s 是 Kubernetes 的简称", [("kubernetes", "k8s")]),
        ("三楼会议室，大家叫它“冰窖”", [("三楼会议室", "冰窖")]),
        ("Elizabeth (nickname Liz) joined", [("elizabeth", "liz")]),
        ("My cat is called Mochi", [("my cat", "mochi")]),
    ],
)
def test_a_note_pairs(note: str, found: list[tuple[str, str]]) -> None:
    assert pairs(note) == found


@pytest.mark.parametrize(
    "note",
    [
        "大家叫他来开会，他没来",
        "大家都叫他去医院看看",
        "我们叫了外卖，家里叫外卖更快",
        "妈妈叫我早点回家",
        "我妈叫车去医院",
        "王经理叫小李改报表",
        "名字叫什么来着，忘了",
        "外号叫什么不知道",
        "合同简称按附件",
        "大名鼎鼎的陈老师来讲课",
        "本名单由李婷维护，全名单见附件",
        "这个项目的代号还没定",
        "李娜（HR）和王伟（PM）一起面试",
        "张伟（李娜）下周来",
        "陈立（实验室主管）离职",
        "他老婆叫李晴",
        "爷爷叫我石头",
        "小苏生了，女孩，取名顾念",
        "会议室：龙井在6楼（有投屏）",
        "部署在（杭州）机房",
        "",
    ],
)
def test_errands_and_ordinary_words_pair_nothing(note: str) -> None:
    assert pairs(note) == []


def test_other_names_are_followed_from_note_to_note() -> None:
    known = [
        pair
        for note in (
            "二姐宋冬梅在株洲",
            "宋冬梅，家里都喊她梅子",
            "安宁家里喊她年年",
            "豆豆（安然）",
        )
        for pair in pairs(note)
    ]
    (name,) = asked("宋冬梅带了什么")
    assert called_also(name, known) == ("二姐", "梅子")
    (sister,) = asked("我二姐带了什么")
    assert called_also(sister, known) == ("宋冬梅", "梅子")
    # By the given name alone.
    (child,) = asked("顾安宁几斤")
    assert called_also(child, known) == ("安宁", "年年")
    (other,) = asked("李冬梅在哪")
    assert called_also(other, known) == ()


def test_a_list_of_many_is_bounded() -> None:
    surnames = lists.words("names", "surnames")[: MOST_PAIRS * 2]
    note = "；".join(f"{surname}晓岚，外号大{surname}" for surname in surnames)
    assert len(pairs(note)) == MOST_PAIRS


@pytest.mark.parametrize(
    "text", ["(", "大名", "叫", "外号：", "\x00大名\ud800", "“”就是", "我家猫叫"]
)
def test_any_text_is_read(text: str) -> None:
    assert aliases(text) == ()
