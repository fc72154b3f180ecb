"""Intent: features that tell a question to a memory from work, general knowledge and talk."""

from __future__ import annotations

import pytest

from brain.text.fold import fold
from brain.text.intent import Intent, read


def _read(text: str) -> Intent:
    return read(fold(text))


@pytest.mark.parametrize(
    "text",
    [
        "帮我写个函数，把驼峰转成下划线",
        "把这个文件重构一下",
        "修复这个报错",
        "解释这段代码",
        "总结这篇文章",
        "润色",
        "run the tests",
        "Translate this paragraph into Japanese",
        "please refactor this component to use hooks",
        "给 OrderService 补几个单元测试",
        "你是一名资深律师，请起草一份租房合同",
        "下面这段翻译成法语：今天风很大",
        "表头加粗，再写个宏自动调列宽",
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'id'",
        "const a = () => {}; console.log(a === undefined)",
    ],
)
def test_work(text: str) -> None:
    found = _read(text)
    assert found.work >= 0.6
    assert found.talk == 0.0
    assert found.asks == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "牛顿第二定律是什么",
        "法国首都是哪",
        "咖啡和茶的区别",
        "推荐几本科幻小说",
        "苹果和安卓哪个好",
        "what is the difference between tcp and udp",
        "新手跑步要注意什么",
    ],
)
def test_general(text: str) -> None:
    found = _read(text)
    assert found.general >= 0.6
    assert found.about_self == found.recalls == 0.0


@pytest.mark.parametrize("text", ["唉，好烦", "今天好困啊", "哇塞太好了", "笑死", "lol thanks"])
def test_talk(text: str) -> None:
    found = _read(text)
    assert found.talk >= 0.5
    assert found.work == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "房东电话多少",
        "小雨的生日是哪天",
        "上次那个法国客户叫什么名字来着",
        "我们现在用哪个支付渠道",
        "我对什么过敏",
        "去不去北海定了吗",
        "老莫一天多少钱",
        "what did we decide about the database",
    ],
)
def test_a_question_to_a_memory_is_none_of_these(text: str) -> None:
    found = _read(text)
    assert found.work <= 0.5
    assert found.general == found.talk == 0.0
    assert found.asks == 1.0


def test_who_speaks_is_told_from_manners() -> None:
    assert _read("我的鞋码是多少").about_self == 1.0
    assert _read("what's our deploy window").about_self == 1.0
    assert _read("帮我查查北京天气").about_self == 0.0
    assert _read("告诉我怎么做红烧肉").about_self == 0.0


def test_what_was_told_before_is_pointed_at() -> None:
    assert _read("上次说的那家店叫什么来着").recalls == 1.0
    assert _read("豆腐怎么做").recalls == 0.0


def test_work_that_needs_the_memory_shows_both() -> None:
    found = _read("按我们的规范写提交信息")
    assert found.recalls > 0.0
    assert found.about_self == 1.0


@pytest.mark.parametrize("text", ["", " ", "？", "写" * 100_000, "a => " * 50_000, "我" * 100_000])
def test_any_text_is_read(text: str) -> None:
    assert all(0.0 <= value <= 1.0 for value in _read(text))
