"""Statements worth a record: what people say of themselves, and what looks like it and is none."""

from __future__ import annotations

import pytest

from brain.text.statements import find


def said(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.stop]) for one in find(text)]


@pytest.mark.parametrize(
    ("text", "kind", "kept"),
    [
        ("用户：记住：部署前先跑测试！", "note", "部署前先跑测试"),
        ("用户：请记住，我对花生过敏", "fact", "我对花生过敏"),
        ("用户：以後都用中文回答我。", "preference", "以後都用中文回答我"),
        ("用户：对了，我叫李雷，住在杭州。", "fact", "我叫李雷，住在杭州"),
        ("用户：我不吃香菜……", "preference", "我不吃香菜"),
        ("用户：我们决定用 PostgreSQL", "decision", "我们决定用 PostgreSQL"),
        ("我讨厌周一开会", "preference", "我讨厌周一开会"),
        ("User: My name is Bob", "fact", "My name is Bob"),
        ("User: Please remember that the API port is 8080.", "note", "the API port is 8080."),
        ("User: from now on, answer in English", "preference", "from now on, answer in English"),
        ("User: We decided to ship on Friday", "decision", "We decided to ship on Friday"),
    ],
)
def test_what_is_worth_a_record(text: str, kind: str, kept: str) -> None:
    (found,) = said(text)
    assert (found[0], found[1].rstrip("….")) == (kind, kept.rstrip("."))


@pytest.mark.parametrize(
    "text",
    [
        "助手：我叫小助，以后都用中文回答",
        "用户：我叫什么",
        "用户：我不吃香菜吗？",
        "用户：如果我不吃香菜会怎样",
        "用户：我可能不吃辣",
        "用户：他说我叫李雷",
        "用户：> 我叫引用的人",
        "用户：看这段\n```\n我叫代码里的人\n```",
        "用户：把“我叫李雷”翻译成英文",
        "用户：你记住了吗",
        "用户：你以后还记得我吗",
        "User: do I live in Paris?",
        "用户：记住",
        "用户：" + "我叫" + "长" * 500,
        "",
    ],
)
def test_what_is_none(text: str) -> None:
    assert said(text) == []


def test_places_are_those_of_the_text() -> None:
    text = "用户：①好的。\r\n　我叫Ⅳ号选手\n助手：记下了\n用户：我不吃㎏级的辣椒"
    assert [kept for _, kept in said(text)] == ["我叫Ⅳ号选手", "我不吃㎏级的辣椒"]
