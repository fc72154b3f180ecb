"""A document is cut into whole units by what it holds, and no unit is ever cut in two."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.compress.units import Unit, split, units

RECORDS = [{"编号": n, "名称": f"仪器{n}", "备注": "a,b\n{c}"} for n in range(6)]


def texts(data: str) -> list[str]:
    found = units(data.encode())
    check(data.encode(), found)
    return [u.text for u in found]


def check(data: bytes, found: list[Unit]) -> None:
    """Offsets are those of the bytes, in order, and only blanks or a frame lie outside."""
    at = 0
    for unit in found:
        assert unit.start >= at
        assert data[unit.start : unit.stop].decode() == unit.text
        assert unit.text
        at = unit.stop


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrap", [False, True])
def test_json_is_cut_into_the_records_of_its_array(indent: int | None, wrap: bool) -> None:
    value: object = {"总数": 6, "结果": {"items": RECORDS}, "下一页": None} if wrap else RECORDS
    data = json.dumps(value, ensure_ascii=False, indent=indent)
    assert [json.loads(text) for text in texts(data)] == RECORDS
    cut = split(data.encode())
    assert json.loads(cut.head + ",".join(u.text for u in cut.units[:2]) + cut.tail)
    assert cut.content_type == "application/json"


def test_a_json_object_without_records_is_cut_into_its_members() -> None:
    data = '{"名称": "青鸟", "端口": 8080, "标签": ["a"], "大数": ' + "9" * 6000 + "}"
    assert texts(data)[:3] == ['"名称": "青鸟"', '"端口": 8080', '"标签": ["a"]']


@pytest.mark.parametrize("broken", ["[1, 2", "{]", "[" * 100_000, '["a"] 之后'])
def test_what_is_not_json_is_text(broken: str) -> None:
    assert split(broken.encode()).content_type != "application/json"
    assert "".join(texts(broken)) == broken


def test_ndjson_is_cut_into_lines_also_while_it_is_being_written() -> None:
    lines = [json.dumps(r, ensure_ascii=False) + "\n" for r in RECORDS] + ['{"编号": 7, "名']
    assert texts("".join(lines)) == lines


@pytest.mark.parametrize(("mark", "end"), [(",", "\n"), ("\t", "\r\n")])
def test_a_table_is_its_header_and_its_rows(mark: str, end: str) -> None:
    header = mark.join(["日期", "门店", "备注"]) + end
    rows = [
        mark.join([f"2026-01-{n:02}", "城西", f'"多行{end}的，{mark}话"']) + end for n in (1, 2, 3)
    ]
    assert texts(header + "".join(rows)) == rows
    assert split((header + "".join(rows)).encode()).head == header


def test_a_markdown_table_is_its_two_header_lines_and_its_rows() -> None:
    rows = [f"| {n} | 货架{n} |\n" for n in range(5)]
    head = "| 号 | 名 |\n|---|:--|\n"
    assert texts(head + "".join(rows)) == rows
    assert split((head + "".join(rows)).encode()).head == head


def test_a_log_entry_keeps_its_stack_trace() -> None:
    entries = [
        "2026-03-01 10:00:00,123 INFO 启动, 端口 8080\n",
        "2026-03-01 10:00:01,007 ERROR 连接失败, 重试\nTraceback (most recent call last):\n"
        '  File "a.py", line 3, in f\nValueError: 拒绝\n',
        "2026-03-01 10:00:02,500 INFO 重试成功, 1 次\n",
        "2026-03-01 10:00:03,500 INFO 退出, 0 个\n",
    ]
    assert texts("".join(entries)) == entries


@pytest.mark.parametrize(
    "start", ["【错误】", "[WARN] ", "12:00:01 ", "Mar  3 10:00:01 ", "3-1 8:05 "]
)
def test_log_lines_are_known_by_how_they_begin(start: str) -> None:
    lines = [f"{start}第{n}次\n" for n in range(4)]
    assert texts("".join(lines)) == lines


def test_chinese_paragraphs_stand_alone_whether_or_not_blank_lines_part_them() -> None:
    paragraphs = ["甲方应按时付款。\n", "　　乙方应按时交货；\n", "第三条 违约者赔偿。\n"]
    assert texts("".join(paragraphs)) == paragraphs
    assert texts("\n".join(paragraphs)) == [p + "\n" for p in paragraphs[:2]] + paragraphs[2:]


def test_a_heading_stays_with_what_it_heads() -> None:
    assert texts("# 安装\n\n先装依赖。\n\n## 配置\n改端口。\n") == [
        "# 安装\n\n先装依赖。\n\n",
        "## 配置\n改端口。\n",
    ]


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_fenced_block_is_never_split(fence: str) -> None:
    block = f"{fence}sh\nmake 一\n\n# 不是标题\n" + "echo 好。\n" * 100 + f"{fence}\n"
    found = texts(f"先看说明。\n\n{block}\n然后重启。\n")
    assert sum(block in text for text in found) == 1


def test_code_is_cut_between_its_definitions() -> None:
    code = [
        "import os\nimport sys\n\n",
        "@cache\ndef f(x):\n    y = x\n\n    return y\n\n",
        "class A:\n    b = 1\n\n    def g(self):\n        return 2\n",
    ]
    assert texts("".join(code)) == code


def test_a_hunk_keeps_its_file_name() -> None:
    first = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-旧\n+新\n"
    assert texts(first + "@@ -9 +9 @@\n-甲\n+乙\n") == [first, "@@ -9 +9 @@\n-甲\n+乙\n"]


def test_a_long_paragraph_is_parted_between_sentences() -> None:
    text = "".join(f"第{n}天的晨会照常进行，没有别的事情。" for n in range(200))
    found = texts(text)
    assert len(found) > 5
    assert all(t.endswith("。") for t in found)
    assert "".join(found) == text


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"a\0b", "中文".encode("gbk")])
def test_bytes_that_are_no_text_have_no_units(data: bytes) -> None:
    assert split(data).content_type == "application/octet-stream"
    assert units(data) == []


@given(st.text(st.sampled_from('[]{}",: \n\r\t|-#`@+。；第条1a中\u2028\x0b\ufeff'), max_size=80))
def test_any_text_is_covered(text: str) -> None:
    data = text.encode()
    cut = split(data)
    check(data, list(cut.units))
    if cut.content_type == "text/plain" and text.strip():
        assert "".join(u.text for u in cut.units) == text


def test_statements_with_commas_are_no_rows_under_a_header() -> None:
    told = [f"INSERT INTO room VALUES ({n}, '第{n}间，温度{20 + n % 5}度');\n" for n in range(40)]
    found = units("".join(told).encode())
    assert "".join(unit.text for unit in found) == "".join(told)
    assert found[0].kind == "block"
    rows = ["编号,备注\n", *(f"{n},第{n}间\n" for n in range(40))]
    assert {unit.kind for unit in units("".join(rows).encode())} == {"row"}
