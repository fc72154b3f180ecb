"""Seeded long Chinese documents of every type, each with an answer planted that a question asks
for, something telling that it does not ask for, and secrets that no mark may quote."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass

_PEOPLE = (
    *("陈静", "王磊", "李娜", "赵强", "周敏", "吴迪", "郑洁", "孙涛"),
    *("马丽", "胡斌", "林悦", "何俊", "高远", "罗琳", "梁栋", "宋佳"),
)
_PARTS = (
    *("支付", "登录", "搜索", "报表", "网关", "缓存", "推送", "结算"),
    *("库存", "客服", "风控", "画像", "短信", "存储", "监控", "调度"),
)
_CITIES = (
    *("杭州", "成都", "武汉", "西安", "苏州", "长沙", "青岛", "厦门"),
    *("昆明", "大连", "合肥", "郑州", "宁波", "无锡", "佛山", "济南"),
)
_ROOMS = ("青松厅", "白鹭厅", "云岭厅", "海棠厅", "竹溪厅", "望江厅")
_TALK = (
    "{who}介绍了{part}模块的进展，大家看了演示，没有提出新的问题。",
    "{part}模块的接口文档由{who}整理，放在团队的共享目录里。",
    "关于{part}模块的人手，{who}说目前的安排可以继续。",
    "{who}和{other}讨论了{part}模块的测试，用例覆盖了主要流程。",
    "会上还看了{part}模块的页面，{who}收集了大家的建议。",
    "{part}模块的同事分享了最近的经验，{who}做了记录。",
)


@dataclass(frozen=True, slots=True)
class Document:
    """A generated document.

    Args:
        text: the document.
        question: what is asked of it.
        answer: the string that has to be in what is shown.
        telling: a string that nobody asked for and that must not vanish unseen.
        secrets: strings that no mark may quote.
    """

    text: str
    question: str
    answer: str
    telling: str
    secrets: tuple[str, ...] = ()


def _pick(r: random.Random, count: int) -> tuple[list[str], list[str]]:
    return r.sample(_PEOPLE, count), r.sample(_PARTS, count)


def _minutes(r: random.Random) -> Document:
    paragraphs = []
    for _ in range(16):
        (who, other), (part, _) = _pick(r, 2)
        lines = r.sample(_TALK, 4)
        paragraphs.append("".join(x.format(who=who, other=other, part=part) for x in lines))
    room, price = r.choice(_ROOMS), r.randint(1000, 9000)
    answer = f"{room}的投影仪报价{price}元"
    decided = f"经过表决，决定不上线{r.choice(_PARTS)}的新版本。"
    for said in (f"{answer}，由行政付款。", decided):
        place = r.randrange(3, 15)
        paragraphs[place] += said
    text = f"# 第{r.randint(2, 40)}次周会纪要\n\n" + "\n\n".join(paragraphs) + "\n"
    return Document(text, f"{room}的投影仪要多少钱？", answer, decided)


def _diary(r: random.Random) -> Document:
    lines = []
    for day in range(1, 32):
        high, low, rate = r.randint(118, 132), r.randint(76, 86), r.randint(64, 76)
        walk = r.choice(("散步半小时", "在阳台浇花", "去菜场买菜"))
        lines.append(f"{day}日，早上血压{high}/{low}，心率{rate}，{walk}，晚上睡得安稳。")
    worst, asked = r.sample(range(5, 29), 2)
    lines[worst] = f"{worst + 1}日，早上血压192/125，心率71，散步半小时，晚上睡得安稳。"
    shop = r.choice(("济仁堂", "百草堂", "同安堂"))
    lines[asked] += f"下午在{shop}买了降压药。"
    return Document("\n".join(lines) + "\n", "降压药是在哪里买的？", shop, "192/125")


def _machines(r: random.Random, count: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for n in range(count):
        row: dict[str, object] = {
            "编号": n + 1,
            "主机": f"节点{n + 1:03d}",
            "城市": r.choice(_CITIES),
        }
        row |= {
            "状态": "正常",
            "耗时": r.randint(20, 90),
            "机房": "东区",
            "密码": f"Pw{r.random():.9f}",
        }
        rows.append(row)
    odd, bad, asked = r.sample(range(4, count - 3), 3)
    rows[odd]["耗时"] = 98765
    rows[bad]["状态"] = "磁盘失败"
    rows[asked]["主机"] = "鲲鹏甲机"
    rows[asked]["耗时"] = 47
    return rows


def _planted(rows: list[dict[str, object]], text: str) -> Document:
    asked = next(row for row in rows if row["主机"] == "鲲鹏甲机")
    secrets = tuple(str(row["密码"]) for row in rows)
    return Document(text, "鲲鹏甲机在哪个城市？", str(asked["城市"]), "98765", secrets)


def _json(r: random.Random) -> Document:
    rows = _machines(r, 60)
    return _planted(rows, json.dumps(rows, ensure_ascii=False, indent=2))


def _nested(r: random.Random) -> Document:
    rows = _machines(r, 50)
    blob = "".join(r.choices("ABCDEFabcdef0123456789+/", k=3000))
    page = {"页": 1, "签名图": blob, "数据": {"items": rows, "总数": len(rows)}, "备注": "A&B <c>"}
    return _planted(rows, json.dumps(page, ensure_ascii=False))


def _ndjson(r: random.Random) -> Document:
    rows = _machines(r, 80)
    return _planted(rows, "\n".join(json.dumps(x, ensure_ascii=False) for x in rows) + "\n")


def _csv(r: random.Random, mark: str = ",") -> Document:
    rows = _machines(r, 80)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=mark, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return _planted(rows, out.getvalue())


def _tsv(r: random.Random) -> Document:
    return _csv(r, "\t")


def _table(r: random.Random) -> Document:
    rows = _machines(r, 60)
    head = "| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]) + "\n"
    body = "".join("| " + " | ".join(map(str, row.values())) + " |\n" for row in rows)
    return _planted(rows, head + body)


def _log(r: random.Random) -> Document:
    lines = []
    for n in range(240):
        at = f"2026-03-{r.randint(1, 9):02d} {n // 60 + 8:02d}:{n % 60:02d}:{r.randint(0, 59):02d}"
        what = r.choice(
            (f"处理请求 {r.randint(1000, 9999)} 完成 耗时：{r.randint(3, 90)}ms", "心跳正常")
        )
        lines.append(f"{at} INFO 【{r.choice(_PARTS)}】{what}")
    bad, asked, key = r.sample(range(20, 220), 3)
    lines[bad] += (
        "\n2026-03-09 11:59:59 ERROR 【结算】写入对账文件失败\nTraceback (most recent call last):\n"
        '  File "settle.py", line 88, in write\nOSError: 磁盘已满'
    )
    ticket = f"GD{r.randint(10000, 99999)}"
    lines[asked] += f"\n2026-03-05 10:00:00 INFO 【客服】转交工单 {ticket} 给{r.choice(_PEOPLE)}"
    lines[key] += f"\n2026-03-05 10:00:01 INFO 【登录】下发验证码 code={r.randint(100000, 999999)}"
    secret = lines[key].rsplit("=", 1)[1]
    return Document("\n".join(lines) + "\n", "客服转交的工单号", ticket, "磁盘已满", (secret,))


def _terminal(r: random.Random) -> Document:
    lines = [
        f"\x1b[32m[信息]\x1b[0m 安装依赖包 lib{n} 版本 1.{r.randint(0, 9)}" for n in range(120)
    ]
    lines.insert(30, "\r".join(f"下载中 {n}%" for n in range(0, 101, 2)))
    size = f"{r.randint(100, 900)}.{r.randint(1, 9)}MB"
    lines.insert(r.randrange(40, 110), f"[信息] 镜像包 brain-web 大小 {size}")
    lines.insert(r.randrange(60, 110), "\x1b[31m[错误]\x1b[0m 链接 libssl 失败：找不到符号 SSL_new")
    return Document("\n".join(lines) + "\n", "brain-web 镜像包大小", size, "找不到符号")


def _diff(r: random.Random) -> Document:
    files = []
    for n in range(8):
        part = _PARTS[n]
        context = "".join(f" 第{k}行没有变化的说明文字，{part}模块照旧\n" for k in range(12))
        files.append(
            f"diff --git a/m{n}.py b/m{n}.py\n--- a/m{n}.py\n+++ b/m{n}.py\n@@ -1,13 +1,13 @@\n"
            f"{context}-{part}_超时 = {r.randint(3, 9)}\n+{part}_超时 = {r.randint(10, 99)}\n"
        )
    asked = r.randrange(8)
    answer = next(x for x in files[asked].splitlines() if x.startswith("+" + _PARTS[asked]))
    return Document("".join(files), f"{_PARTS[asked]}的超时改成多少", answer, f"m{asked}.py")


def _code(r: random.Random) -> Document:
    parts = ['"""结算任务。"""', "import json", "from pathlib import Path", ""]
    for n in range(24):
        parts += [f"def step_{n}(rows):", f'    """第 {n} 步，处理{_PARTS[n % 16]}数据。"""']
        parts += [f"    total_{k} = sum(row[{k}] for row in rows)" for k in range(6)]
        parts += ["    return total_0", ""]
    limit = r.randint(1000, 9999)
    parts += ["def refund_limit():", '    """退款上限，单位元。"""', f"    return {limit}", ""]
    return Document("\n".join(parts), "退款上限是多少", str(limit), "def refund_limit")


def _config(r: random.Random) -> Document:
    sections = []
    for n, part in enumerate(_PARTS):
        keys = "".join(f"option_{k} = {r.randint(1, 99)}\n" for k in range(10))
        sections.append(f'[module_{n}]\nname = "{part}"\n{keys}')
    port = r.randint(20000, 60000)
    at = r.randrange(len(sections))
    sections.insert(at, f'[replica]\ntitle = "只读副本"\nport = {port}\n')
    return Document("\n".join(sections), "只读副本的端口", f"port = {port}", "[replica]")


KINDS: dict[str, Callable[[random.Random], Document]] = {
    "minutes": _minutes,
    "diary": _diary,
    "JSON": _json,
    "JSON, nested": _nested,
    "NDJSON": _ndjson,
    "CSV": _csv,
    "TSV": _tsv,
    "Markdown table": _table,
    "log": _log,
    "terminal": _terminal,
    "diff": _diff,
    "code": _code,
    "TOML": _config,
}
"""A maker of documents for every type."""


def make(kind: str, count: int, seed: int = 5) -> list[Document]:
    """``count`` documents of one kind, the same for the same seed."""
    return [KINDS[kind](random.Random(f"{kind} {seed} {n}")) for n in range(count)]
