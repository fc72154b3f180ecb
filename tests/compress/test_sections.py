"""Named parts of an original: lines A-B, the section under a heading; and compress --budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brain import Brain, BrainError
from brain.compress import handles, sections
from brain.inject import pack
from brain.text.tokens import estimate
from tests.support.cli import Cli

BOOK = (
    "# 手册\n前言。\n## 安装\n先装依赖。\n```sh\n# 不是标题\nmake\n```\n### 常见问题\n端口占用。\n"
    "## 验收标准\n三条都过。\n\n附\n===\n旧版说明\n"
)
PLAIN = (
    "第一章 总则\n为了规范。\n第二章 分则\n一、值班\n每天一人。\n二、交接\n写清楚。\n"
    "第三章 附则\n即日起。\n"
)


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("2-3", b"b\r\nc\n"),
        ("1", b"a\n"),
        ("3-", b"c\nd"),
        ("4-900", b"d"),
        (" 1 – 2 ", b"a\nb\r\n"),
    ],
)
def test_lines_count_from_one_and_hold_both_ends(wanted: str, shown: bytes) -> None:
    assert sections.lines(b"a\nb\r\nc\nd", wanted) == shown


@pytest.mark.parametrize("wanted", ["0-2", "3-2", "", "a-b", "-3", "1-2-3", "1.5"])
def test_what_is_no_range_is_wrong_use(wanted: str) -> None:
    with pytest.raises(BrainError) as caught:
        sections.lines(b"a\nb\n", wanted)
    assert (caught.value.code, caught.value.exit_code) == ("brain_usage", 2)


@pytest.mark.parametrize(("data", "wanted"), [(b"a\nb\n", "3-4"), (b"", "1"), (b"\0\1", "1")])
def test_beyond_the_last_line_there_is_nothing(data: bytes, wanted: str) -> None:
    with pytest.raises(BrainError) as caught:
        sections.lines(data, wanted)
    assert (caught.value.code, caught.value.exit_code) == ("brain_ccr_pointer_not_found", 1)


@pytest.mark.parametrize(
    ("text", "heading", "first", "last"),
    [
        (BOOK, "安装", "## 安装", "端口占用。"),
        (BOOK, "## 验收标准", "## 验收标准", ""),
        (BOOK, "常见", "### 常见问题", "端口占用。"),
        (BOOK, "附", "附", "旧版说明"),
        (BOOK, "手册", "# 手册", ""),
        (PLAIN, "第二章 分则", "第二章 分则", "写清楚。"),
        (PLAIN, "值班", "一、值班", "每天一人。"),
    ],
)
def test_a_section_goes_down_to_the_next_heading_of_its_level(
    text: str, heading: str, first: str, last: str
) -> None:
    shown = sections.section(text.encode(), heading).decode().splitlines()
    assert (shown[0], shown[-1]) == (first, last)


@pytest.mark.parametrize("heading", ["不是标题", "没有的", ""])
def test_no_such_heading(heading: str) -> None:
    with pytest.raises(BrainError) as caught:
        sections.section(BOOK.encode(), heading)
    assert caught.value.code == "brain_ccr_pointer_not_found"


def test_the_command_prints_the_lines_as_they_are(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    text = "".join(f"第{n}行\n" for n in range(1, 400))
    cli("add", "-", stdin=text.encode())
    handle = handles.handle_of(text.encode())
    assert cli("recover", handle, "--lines", "12-14").out == "第12行\n第13行\n第14行\n"
    assert cli("recover", handle, "--lines", "998-").code == 1
    both = cli("recover", handle, "--lines", "1", "--heading", "x", "--json")
    assert both.code == 2
    assert both.json["error"]["code"] == "brain_usage"


FORMS = {
    "yaml": "".join(f"service{n}:\n  image: app-{n}\n  port: {8000 + n}\n" for n in range(90)),
    "sql": "".join(f"INSERT INTO items VALUES ({n}, '第{n}件');\n" for n in range(90)),
    "python": "".join(f"def pour_{n}(x):\n    return x + {n}\n\n" for n in range(90)),
    "json": json.dumps([{"编号": n, "名称": f"第{n}件"} for n in range(90)], ensure_ascii=False),
    "prose": "".join(f"第{n}组汇报了日常的进度，没有新的问题。" for n in range(90)),
}


@pytest.mark.parametrize("query", [None, "第41件 8041 pour_41 第41组"])
@pytest.mark.parametrize("budget", [80, 120, 300])
@pytest.mark.parametrize("form", FORMS)
def test_compress_keeps_to_its_budget(
    brain: Brain, form: str, budget: int, query: str | None
) -> None:
    text = FORMS[form]
    done = brain.compress(text, query, budget=budget)
    assert estimate(done.text) == done.tokens_after <= budget
    assert done.handle is not None
    assert done.handle in done.text
    assert brain.recover(done.handle) == text.encode()
    if query:
        assert "41" in done.text


@pytest.mark.parametrize("form", FORMS)
def test_a_budget_of_nought_is_unlimited(brain: Brain, form: str) -> None:
    assert brain.compress(FORMS[form], budget=0).text == FORMS[form]


@pytest.mark.parametrize(
    ("budget", "code"),
    [(-1, "brain_budget_invalid"), (pack.LEAST_BUDGET - 1, "brain_budget_too_small")],
)
def test_budgets_are_refused_as_those_of_inject(brain: Brain, budget: int, code: str) -> None:
    with pytest.raises(BrainError) as caught:
        brain.compress("茶" * 900, budget=budget)
    assert (caught.value.code, caught.value.exit_code) == (code, 2)
