"""A memory with a record in every state, and what the tests of export and import share."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from brain import Brain

NOON = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)

ODD_TEXTS = (
    "行末有空格  \n下一行\t\n",
    "\n\n前后都有空行\n\n",
    "回车在里面\r换行也在\r\n末尾也是\r",
    "分行符\u2028段落符\u2029下一行\u0085再下一行",
    "字节顺序标记\ufeff在中间",
    "\ufeff字节顺序标记在最前",
    "表情🀄️家庭👨‍👩‍👧‍👦旗帜🇨🇳",
    "控制字符\x01\x1b[31m\x7f和\x0b\x0c",
    "# 标题\n## 二级\n```\n代码 --> <!-- 注释 -->\n```\n---\n- 列表",
    "## 新",
    "第一行\n## 新\n\\## 新\n\\\\## 新\n最后",
    '## #1 <!-- brain {"hash":"x"} -->\n不是标题\n\\## #1 <!-- brain {} -->',
    '# note <!-- brain {"ids":"1-9","version":1} -->\n也不是',
    "<!-- brain 单独的注释 -->\n--> 结束\n<!--",
    '{"type":"memory","id":1}\n{"type":"end","lines":1}',
    "引用：⟦记忆⟧ 里写着 ⟦/记忆⟧ 和 <<ccr:ccr_0123456789abcdef0123456789abcdef>>",
    "反斜杠 \\n \\u2028 \\",
    "e\u0301 与 é，Å 与 Å",
)
"""Texts that some form of text file would lose or take for its own marks."""


def lived(brain: Brain) -> dict[str, int]:
    """Fills a memory so that every state, link, column and table is there; gives ids by name."""
    at = NOON
    ids: dict[str, int] = {}

    def add(name: str, text: str, **how: Any) -> int:
        nonlocal at
        at += timedelta(minutes=1)
        ids[name] = brain.add(text, now=at, **how).id
        return ids[name]

    add("plain", "仓库的门禁卡在前台登记")
    add("full", "合同写明十二月九日起供货", kind="fact", importance=0.81, confidence=0.37,
        scope="采购", source="model:qwen", valid_from="2024-12-09", valid_to="2030-01-01",
        pinned=True, evidence="合同扫描件", why="法务发来")  # fmt: skip
    add("always", "公司注册地在苏州", valid_from="unknown")
    add("future", "新办公室五月启用", valid_from="2026-05-01")
    add("over", "旧车位租到去年", valid_from="2024-01-01", valid_to="2025-01-01")
    add("old", "值班群是老群", kind="fact")
    ids["new"] = brain.supersede(
        ids["old"], text="值班群换成青鸟群", why="群解散了", now=at + timedelta(seconds=9)
    ).new
    ids["newest"] = brain.supersede(
        ids["new"], text="值班群换成喜鹊群", now=at + timedelta(days=1)
    ).new
    add("wrong", "他对花生不过敏")
    ids["right"] = brain.correct(ids["wrong"], "他对花生过敏", why="本人更正", now=at).new
    add("retracted", "电梯周三检修")
    brain.retract(ids["retracted"], why="听错了", now=at)
    add("archived", "临时的取件码贴在门上", importance=0.1)
    add("told", "打印机在三楼")
    brain.useful(ids["told"], why="照着找到了", now=at)
    brain.wrong(ids["plain"], now=at)
    add("gone", "马上要忘的一句")
    brain.forget(ids["gone"])
    add("skill", "换墨盒：先开盖，等托架停下", kind="skill", scope="办公")
    for number, text in enumerate(ODD_TEXTS):
        add(f"odd{number}", text, kind="note" if number % 2 else "episode")
    brain.add_word("青鸟计划 100 n", now=at)
    brain.add_word("喜鹊", now=at)
    brain.compress("\n".join(f"第 {n} 行日志，耗时 {n * 7} 毫秒" for n in range(400)), now=at)
    brain.compress(bytes(range(256)) * 40, now=at)
    brain.decay(now=NOON + timedelta(days=400), why="每年一次")
    add("last_gone", "最后一条也忘掉")
    brain.forget(ids["last_gone"])
    return ids


def exported(brain: Brain, **how: Any) -> str:
    """The whole export as one string."""
    return "".join(brain.export(**how))


def parsed(text: str, kind: str | None = None) -> list[dict[str, Any]]:
    """The lines of an export as objects, of one type."""
    found = [json.loads(line) for line in text.split("\n") if line]
    return [one for one in found if kind is None or one["type"] == kind]
