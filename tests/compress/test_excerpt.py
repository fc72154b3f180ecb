"""Narrowing an original to a question: whole units, in their order, every gap told."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.compress import excerpt
from brain.compress.handles import handle_of
from brain.compress.units import units
from brain.text.fold import fold
from brain.text.tokenize import query_terms

MARK = re.compile(r"（略 (\d+) [^，；]+，(\d+) 字；全文：<<ccr:(ccr_[0-9a-f]{32})>>）")


def ask(data: str, query: str) -> str:
    raw = data.encode()
    return excerpt.excerpt(raw, query_terms(fold(query)), handle_of(raw)).decode()


def accounted(data: str, shown: str, kept: int) -> None:
    """The markers count exactly what is missing, and each carries the handle of the whole."""
    marks = MARK.findall(shown)
    all_units = units(data.encode())
    assert sum(int(n) for n, _, _ in marks) == len(all_units) - kept
    left = sum(len(u.text) for u in all_units if u.text.strip() not in shown)
    assert sum(int(n) for _, n, _ in marks) == left
    assert {h for _, _, h in marks} == {handle_of(data.encode())}


RECORDS = [
    {
        "编号": f"ORD-{n:04}",
        "客户": {"姓名": f"客户{n}", "城市": "杭州" if n % 2 else "苏州"},
        "状态": "退款失败" if n in (7, 8, 61) else "已完成",
    }
    for n in range(120)
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("escaped", [False, True])
def test_records_stay_whole_with_their_id(indent: int | None, escaped: bool) -> None:
    data = json.dumps(RECORDS, ensure_ascii=escaped, indent=indent)
    shown = json.loads(ask(data, "退款失败的订单"))
    assert [r for r in shown if isinstance(r, dict)] == [RECORDS[n] for n in (7, 8, 61)]
    assert [isinstance(r, str) for r in shown] == [True, False, False, True, False, True]
    assert [MARK.search(r)[1] for r in shown if isinstance(r, str)] == ["7", "52", "58"]  # type: ignore[index]


def test_records_inside_an_object_keep_what_stands_around_them() -> None:
    data = json.dumps({"总数": 120, "结果": {"列表": RECORDS}, "页": 1}, ensure_ascii=False)
    shown = json.loads(ask(data, "ORD-0042"))
    assert (shown["总数"], shown["页"]) == (120, 1)
    assert [r for r in shown["结果"]["列表"] if isinstance(r, dict)] == [RECORDS[42]]
    around = json.dumps({"说明": "很长" * 600, "列表": RECORDS * 2}, ensure_ascii=False)
    assert RECORDS[42] in json.loads(ask(around, "ORD-0042"))


def test_an_object_keeps_whole_members() -> None:
    data = json.dumps({f"服务{n}": {"端口": 8000 + n, "备注": "无" * 50} for n in range(30)},
                      ensure_ascii=False)  # fmt: skip
    shown = json.loads(ask(data, "服务17"))
    assert shown["服务17"] == {"端口": 8017, "备注": "无" * 50}
    assert sum("略" in str(v) for v in shown.values()) == 2


def test_lines_of_ndjson_stay_ndjson() -> None:
    data = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in RECORDS)
    shown = [json.loads(line) for line in ask(data, "退款失败").splitlines()]
    assert [r["编号"] for r in shown if isinstance(r, dict)] == ["ORD-0007", "ORD-0008", "ORD-0061"]
    accounted(data, ask(data, "退款失败"), 3)


def test_rows_have_their_header_once() -> None:
    rows = [
        f"2026-01-{n:02},城西店,{n * 10},{'缺货' if n == 20 else '正常'}\n" for n in range(1, 32)
    ]
    data = "日期,门店,销量,备注\n" + "".join(rows)
    shown = ask(data, "哪天缺货")
    assert shown.startswith("日期,门店,销量,备注\n……（略 19 行，")
    assert shown.count("日期,门店") == 1
    assert rows[19] in shown
    accounted(data, shown, 1)
    assert ["2026-01-20", "城西店", "200", "缺货"] in list(csv.reader(io.StringIO(shown)))


def test_rows_of_a_markdown_table_stay_a_table() -> None:
    data = "| 机柜 | 状态 |\n|---|---|\n" + "".join(
        f"| {n}号 | {'掉电' if n == 30 else '正常运行'} |\n" for n in range(60)
    )
    shown = ask(data, "掉电").splitlines()
    assert shown[:2] == ["| 机柜 | 状态 |", "|---|---|"]
    assert "| 30号 | 掉电 |" in shown
    assert all(line.startswith("| ") and line.endswith(" |") for line in shown[2:])


def test_a_log_entry_comes_with_its_stack_trace() -> None:
    trace = (
        "2026-03-01 10:00:30 ERROR 扣款失败\n"
        'Traceback (most recent call last):\n  File "pay.py", line 9\nTimeoutError: 网关超时\n'
    )
    calm = [f"2026-03-01 10:00:{n:02} INFO 心跳正常\n" for n in range(60)]
    data = "".join([*calm[:30], trace, *calm[30:]])
    shown = ask(data, "扣款失败")
    assert trace in shown
    accounted(data, shown, 1)


PARAGRAPHS = [f"第{n}条 乙方应在收到通知后{n}日内答复，逾期视为同意。\n" for n in range(60)]


def test_paragraphs_stay_whole_and_in_their_order() -> None:
    special = {
        12: "第12条 违约金为合同总额的百分之三。\n",
        45: "第45条 违约金由仲裁委裁定后支付。\n",
    }
    data = "".join(special.get(n, p) for n, p in enumerate(PARAGRAPHS))
    shown = ask(data, "违约金是多少")
    assert shown.index(special[12]) < shown.index(special[45])
    assert len(MARK.findall(shown)) == 3
    accounted(data, shown, 2)


def test_no_marker_stands_where_nothing_is_missing() -> None:
    data = "甲方是云帆公司。\n乙方是青鸟公司。\n" + "".join(PARAGRAPHS)
    shown = ask(data, "甲方乙方公司")
    assert shown.startswith("甲方是云帆公司。\n乙方是青鸟公司。\n……")
    assert len(MARK.findall(shown)) == 1
    assert len(MARK.findall(ask("".join(PARAGRAPHS) + "附件一份。\n", "附件"))) == 1


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_fenced_block_comes_whole(fence: str) -> None:
    block = f"{fence}sh\nexport PORT=1\n\n# 改端口\nmake run\n{fence}\n"
    data = "\n".join([*PARAGRAPHS[:20], block, *PARAGRAPHS[20:]])
    assert block in ask(data, "make run")


def test_at_most_twenty_units_come_the_best_of_them() -> None:
    data = "".join(
        f'{{"id": {n}, "标题": "{"回滚手册" if n % 10 == 0 else "手册"}"}}\n' for n in range(300)
    )
    shown = [json.loads(line) for line in ask(data, "回滚手册").splitlines()]
    found = [r["id"] for r in shown if isinstance(r, dict)]
    assert len(found) == excerpt.MOST
    assert all(n % 10 == 0 for n in found)
    assert found == sorted(found)


@pytest.mark.parametrize("query", ["光合作用", "", "？！", "的", "zzz"])
@pytest.mark.parametrize("kind", ["json", "csv", "prose"])
def test_without_a_match_the_whole_comes(kind: str, query: str) -> None:
    data = {
        "json": json.dumps(RECORDS[20:40]),
        "csv": "a,b\n" + "1,2\n" * 50,
        "prose": "".join(PARAGRAPHS).replace("的", ""),
    }[kind]
    assert ask(data, query) == data


@pytest.mark.parametrize("data", ["短短一句。", "甲。\n乙。\n", "[1, 2, 3]", '{"a": "甲"}'])
def test_without_a_saving_the_whole_comes(data: str) -> None:
    assert ask(data, "甲 1 短句") == data


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\x01" * 500, "中文".encode("gbk") * 500, b"\0"])
def test_bytes_that_are_no_text_come_whole(data: bytes) -> None:
    assert excerpt.excerpt(data, ("中文",), handle_of(data)) == data


@pytest.mark.parametrize(
    ("query", "text"),
    [("門禁碼", "门禁码"), ("ＰＯＲＴ", "port"), ("Deploying", "deployed"), ("龟", "海龟")],
)
def test_spelling_is_folded_as_in_the_index(query: str, text: str) -> None:
    data = "".join([*PARAGRAPHS[:30], f"要看{text}。\n", *PARAGRAPHS[30:]])
    assert f"要看{text}。\n" in ask(data, query)
    assert len(ask(data, query)) < len(data) / 4


@given(
    st.lists(
        st.text(st.sampled_from("甲乙丙丁 a1\"'{},:|`#。；\t"), min_size=1, max_size=30),
        max_size=40,
    ),
    st.sampled_from(["甲乙", "丙", "a1", "丁甲"]),
)
def test_what_is_shown_is_whole_units_of_the_original(lines: list[str], query: str) -> None:
    data = "\n".join(lines)
    shown = ask(data, query)
    assert len(shown.encode()) <= len(data.encode())
    if shown != data:
        assert MARK.search(shown)
        wholes = [u.text.strip() for u in units(data.encode())]
        rest = MARK.sub("", shown)
        assert any(w and w in rest for w in wholes)
