"""Dialect: questions in Cantonese, Taiwan's words and regional speech, in standard Mandarin."""

from __future__ import annotations

import pytest

from brain.text import dialect, lists, synonyms
from brain.text.dialect import standard
from brain.text.fold import fold


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("邊個負責倉庫盤點", "谁负责仓库盘点"),
        ("佢琴晚食咗咩嘢", "他昨晚吃了什么"),
        ("屋企嘅密碼係乜嘢", "家里的密码是什么"),
        ("聽日要帶啲乜嘢返學", "明天要带些什么上学"),
        ("細佬喺邊度返工", "弟弟在哪里上班"),
        ("我泊咗車喺邊層", "我停了车在哪层"),
        ("點解唔去日本", "为什么不去日本"),
        ("嗰晚喺邊間餐廳食飯", "那晚在哪家餐厅吃饭"),
        ("你知唔知佢電話幾多號", "你知不知道他电话几号"),
        ("食咗飯未", "吃了饭没有"),
        ("係咪下個禮拜搬屋", "是不是下个礼拜搬家"),
        ("而家幾多錢一個月人工", "现在多少钱一个月工资"),
        ("去機場搭邊班車", "去机场坐哪班车"),
        ("呢間鋪幾點收鋪", "这家铺几点关店"),
        ("雪櫃保養到幾時", "冰箱保养到什么时候"),
        ("邊個教佢游水㗎", "谁教他游泳"),
        ("班上的導師是哪位老師", "班上的班主任是哪位老师"),
        ("去捷運站要走多久", "去地铁站要走多久"),
        ("停車格租金多少", "停车位租金多少"),
        ("行動電源放在哪", "充电宝放在哪"),
        ("健保卡掛失打給誰", "医保卡挂失打给谁"),
        ("國小幾點放學", "小学几点放学"),
        ("公車要坐到哪一站", "公交车要坐到哪一站"),
        ("特休還剩幾天", "年假还剩几天"),
        ("啥时候交房租", "什么时候交房租"),
        ("那药咋吃啊", "那药怎么吃啊"),
        ("充电器搁哪儿了", "充电器在哪里了"),
        ("俺娘生日是哪天", "我娘生日是哪天"),
        ("咱家钥匙在哪旮旯呢", "咱家钥匙在哪里呢"),
        ("甭管了，那事儿多咱办", "不用管了,那事儿什么时候办"),
        ("他昨儿嘎哈去了", "他昨天做什么去了"),
        ("你晓得啷个去机场不", "你知道怎么去机场不"),
        ("昨天你搞么子去了", "昨天你做什么去了"),
        ("堂客的生日是几号", "老婆的生日是几号"),
        ("阿拉小囡啥辰光开学", "我们孩子什么时候开学"),
        ("侬晓得伊拉电话吗", "你知道他们电话吗"),
        ("上次买菜用了几钿", "上次买菜用了多少钱"),
    ],
)
def test_a_question_in_standard_mandarin(question: str, said: str) -> None:
    assert standard(fold(question)) == said


@pytest.mark.parametrize(
    "question",
    [
        "那边个别同事没来",
        "在海边度假花了多少",
        "周边度假村怎么样",
        "三点解散后去哪",
        "几点样品到",
        "从而家庭关系更好",
        "然而家里没人",
        "明天去听日语课",
        "钢琴晚会几点开始",
        "他的关系和联系方式",
        "食物中毒怎么办",
        "粮食和饮料放哪",
        "这批货返工了几次",
        "你呢个人觉得怎样",
        "身边班长是谁",
        "路边条幅写了什么",
        "我国中部的省份有哪些",
        "中国小麦产量",
        "公车私用怎么处理",
        "研究生导师是谁",
        "定存单在哪",
        "阿拉伯语课几点",
        "伊拉克的首都是哪",
        "什么子弹能用",
        "产品质量怎么样",
        "如何解决超时",
        "唯利是图是什么意思",
        "平面纸样放哪",
        "安排电话会议",
        "成日志的脚本在哪",
        "分钟意味着什么",
        "what time is the standup",
        "",
    ],
)
def test_mandarin_stays_the_same_object(question: str) -> None:
    folded = fold(question)
    assert standard(folded) is folded


def test_words_of_both_are_cantonese_only_beside_an_unmistakable_one() -> None:
    assert standard(fold("我系主任")) == "我系主任"
    assert standard(fold("佢系咪系主任")) == "他是不是系主任"
    assert standard(fold("敏感肌用什么")) == "敏感肌用什么"
    assert standard(fold("我對啲咩敏感")) == "我对些什么过敏"


@pytest.mark.parametrize("text", ["\x00", "喺", "㗎", "啥", "\ud800嘅", "边", "点解" * 3000])
def test_any_text_is_read(text: str) -> None:
    once = standard(text)
    assert standard(once) == once


def test_no_standard_word_is_dialect_again() -> None:
    for entries in dialect._entries().values():
        for entry in entries:
            assert standard(entry.standard) == entry.standard, entry


def test_what_synonyms_have_is_not_here_again() -> None:
    known = {(one, other) for one, others, _ in synonyms.links() for other in others}
    for entries in dialect._entries().values():
        for entry in entries:
            assert (entry.word, entry.standard) not in known, entry


def test_the_lists_are_well_formed() -> None:
    words = [
        word
        for heading, lines in lists.lines("dialect").items()
        if heading != "cantonese_marks"
        for line in lines
        for word in line.partition(">")[0].split()
    ]
    assert sorted({word for word in words if words.count(word) > 1}) == []
    assert all(len(mark) == 1 for mark in lists.words("dialect", "cantonese_marks"))
