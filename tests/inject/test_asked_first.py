"""What was asked comes first: in every form, at every budget from the least on, wherever it stands.

The mark takes what is left, and the other note of the block too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress.handles import handle_of
from brain.inject import pack
from brain.memory import Hit, Memory
from brain.recall.query import read
from brain.text.tokens import estimate

WHEN = datetime(2026, 3, 2, 4, tzinfo=UTC)
OTHER = "物业每周二上午来抄水表，记得提前把水表箱前面的自行车挪开，钥匙放在门卫那里。"
SMALL_TALK = (
    "今天天气不错，出去走走吧。",
    "午饭吃什么好呢？",
    "那部电影我看过，挺好看的。",
    "周末去爬山怎么样？",
    "好的，听你的安排。",
)
ASKED = [
    ("托盘 TP-8841 放到 C 区", "托盘放到哪个区", "TP-8841"),
    ("备用钥匙交给了门卫老韩", "备用钥匙交给了谁", "老韩"),
    ("仓库的密钥轮换改成九十天", "仓库的密钥轮换多久一次", "九十天"),
    ("展厅的投影机由小唐保管", "投影机由谁保管", "小唐"),
]


def log(told: str, count: int, at: int) -> str:
    lines = [
        f"2026-11-05 10:{n // 60 % 60:02d}:{n % 60:02d} INFO 取出任务 {n * 37} 耗时 {n % 9}ms"
        for n in range(count)
    ]
    lines.insert(at, f"2026-11-05 10:00:30 INFO {told}")
    return "\n".join(lines) + "\n"


def rows(told: str, count: int, at: int) -> list[dict[str, object]]:
    out: list[dict[str, object]] = [
        {"编号": n, "名称": f"条目{n}", "状态": "正常", "值": n * 3} for n in range(count)
    ]
    out.insert(at, {"编号": 9001, "名称": told, "状态": "正常", "值": 77})
    return out


def compact_json(told: str, count: int, at: int) -> str:
    return json.dumps(rows(told, count, at), ensure_ascii=False)


def indented_json(told: str, count: int, at: int) -> str:
    return json.dumps({"items": rows(told, count, at)}, ensure_ascii=False, indent=2)


def ndjson(told: str, count: int, at: int) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows(told, count, at))


def cells(told: str, count: int, at: int) -> list[list[str]]:
    return [[str(value) for value in row.values()] for row in rows(told, count, at)]


def csv(told: str, count: int, at: int) -> str:
    return "编号,名称,状态,值\n" + "".join(",".join(row) + "\n" for row in cells(told, count, at))


def markdown_table(told: str, count: int, at: int) -> str:
    body = "".join("| " + " | ".join(row) + " |\n" for row in cells(told, count, at))
    return "| 编号 | 名称 | 状态 | 值 |\n|---|---|---|---|\n" + body


def chat(told: str, count: int, at: int) -> str:
    turns = [f"{'用户助手'[n % 2 * 2 :][:2]}：{SMALL_TALK[n % 5]}" for n in range(count)]
    turns.insert(at, f"用户：{told}。")
    return "\n".join(turns)


def prose(told: str, count: int, at: int) -> str:
    said = [f"第{n}组汇报了日常的进度，{SMALL_TALK[n % 5]}" for n in range(count)]
    said.insert(at, f"{told}。")
    return "".join(said)


def code(told: str, count: int, at: int) -> str:
    parts = [f"def task_{n}(x):\n    y = x + {n}\n    return y\n" for n in range(count)]
    parts.insert(at, f"def special(x):\n    # {told}\n    return x * 77\n")
    return "import os\n\n" + "\n".join(parts)


def yaml(told: str, count: int, at: int) -> str:
    parts = [f"service{n}:\n  image: app-{n}\n  port: {8000 + n}\n" for n in range(count)]
    parts.insert(at, f"special:\n  note: {told}\n  port: 77\n")
    return "".join(parts)


def nested_yaml(told: str, count: int, at: int) -> str:
    inner = "".join(f"  {line}\n" for line in yaml(told, count, at).splitlines())
    return "version: 3\nservices:\n" + inner


def toml(told: str, count: int, at: int) -> str:
    parts = [f'[service{n}]\nimage = "app-{n}"\nport = {8000 + n}\n' for n in range(count)]
    parts.insert(at, f'[special]\nnote = "{told}"\nport = 77\n')
    return "\n".join(parts)


def ini(told: str, count: int, at: int) -> str:
    keys = [f"image{n} = app-{n}\n" for n in range(count)]
    keys.insert(at, f"note = {told}\n")
    return "[main]\n" + "".join(keys)


def sql(told: str, count: int, at: int) -> str:
    lines = [f"INSERT INTO items (id, name) VALUES ({n}, '条目{n}');\n" for n in range(count)]
    lines.insert(at, f"INSERT INTO items (id, name) VALUES (9001, '{told}');\n")
    return "CREATE TABLE items (id INT, name TEXT);\n" + "".join(lines)


def traceback(told: str, count: int, at: int) -> str:
    frames = [
        f'  File "/srv/app/m{n}.py", line {n + 10}, in step_{n}\n    call_{n}(x)\n'
        for n in range(count)
    ]
    frames.insert(at, f'  File "/srv/app/s.py", line 77, in special\n    check("{told}")\n')
    return "Traceback (most recent call last):\n" + "".join(frames) + "ValueError: bad value 12\n"


FORMS: Sequence[Callable[[str, int, int], str]] = (
    log,
    compact_json,
    indented_json,
    ndjson,
    csv,
    markdown_table,
    chat,
    prose,
    code,
    yaml,
    nested_yaml,
    toml,
    ini,
    sql,
    traceback,
)


def hit(text: str, number: int) -> Hit:
    day = "2026-03-01T00:00:00.000Z"
    memory = Memory(
        id=number,
        kind="note",
        text=text,
        scope="",
        source="user",
        importance=0.5,
        confidence=0.95,
        strength=1.0,
        pinned=False,
        valid_from=day,
        valid_to=None,
        recorded_at=day,
        retracted_at=None,
        supersedes=None,
        superseded_by=None,
        archived_at=None,
        evidence="",
        content_hash="",
        use_count=0,
        last_used_at=None,
    )
    return Hit(memory, text, 1.0)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_was_asked_comes_first(
    form: Callable[[str, int, int], str], data: st.DataObject
) -> None:
    told, question, key = data.draw(st.sampled_from(ASKED))
    count = data.draw(st.sampled_from([30, 80, 240]))
    place = data.draw(st.integers(0, count))
    budget = data.draw(st.integers(pack.LEAST_BUDGET, 460))
    beside = data.draw(st.booleans())
    text = form(told, count, place)
    hits = [hit(text, 1), *([hit(OTHER, 2)] if beside else [])]
    block = pack.block_of_hits(hits, read(question, WHEN)[0].narrowing, budget)
    assert key in block.text
    assert estimate(block.text) <= block.tokens <= budget
    if block.hits[0].recovery_handle:
        assert handle_of(text.encode()) in block.text


CALLS = [
    '[tool_use] recall {{"query": "{0}"}}',
    '助手：调用工具 search_memory(query="{0}")',
    '⏺ Search(pattern: "{0}")',
    '{{"name": "search", "arguments": {{"query": "{0}"}}}}',
    '$ grep -rn "{0}" notes/',
    "用户：{0}？",
]


@pytest.mark.parametrize("budget", [80, 120, 200, 420])
@pytest.mark.parametrize("call", CALLS)
def test_a_line_that_only_repeats_the_question_does_not_stand_above_the_answer(
    call: str, budget: int
) -> None:
    question = "投影机由谁保管"
    turns = chat("展厅的投影机一直由小唐保管", 80, 50).splitlines()
    turns[20:20] = [call.format(question)]
    terms = read(question, WHEN)[0].narrowing
    block = pack.block_of_hits([hit("\n".join(turns), 1)], terms, budget).text
    assert "小唐" in block
    if budget <= 120:
        assert call.format(question) not in block


@pytest.mark.parametrize("call", CALLS)
def test_what_follows_a_call_answers_where_nothing_else_does(call: str) -> None:
    question = "投影机由谁保管"
    turns = chat("下周三之前一直归小唐。", 80, 21).splitlines()
    turns[21:21] = [call.format(question)]
    terms = read(question, WHEN)[0].narrowing
    for budget in (80, 120, 200, 420):
        block = pack.block_of_hits([hit("\n".join(turns), 1)], terms, budget).text
        assert "小唐" in block
