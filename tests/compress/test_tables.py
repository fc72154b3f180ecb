"""Tables stay tables: the header, what is asked, extremes and errors, true facts of the rest."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress import detect
from tests.support.compress import INJECT, squeeze, told

HEADER = ("日期", "门店", "销售额", "客流", "备注")
BUDGETS = [None, INJECT, 200]


def sales(count: int = 60, **changed: str) -> list[dict[str, str]]:
    rows = [
        {
            "日期": f"2026-0{n % 2 + 1}-{n % 27 + 1:02d}",
            "门店": ("湖滨店", "西溪店")[n % 2],
            "销售额": str(1200 + 7 * (n * 13 % 40)),
            "客流": str(80 + n * 11 % 30),
            "备注": "无",
        }
        for n in range(count)
    ]
    rows[20] |= changed
    return rows


def as_csv(rows: list[dict[str, str]], mark: str = ",", end: str = "\n") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=mark, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_markdown(rows: list[dict[str, str]]) -> str:
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def parsed(text: str, mark: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(
    ("mark", "kind"), [(",", detect.CSV), ("\t", detect.TSV), (";", detect.CSV)]
)
def test_every_row_keeps_the_columns_of_the_header(
    mark: str, kind: str, budget: int | None
) -> None:
    text = as_csv(sales(备注='含逗号,和\n换行，“引号”"x"'), mark)
    done = squeeze(text, "湖滨店", budget)
    assert (done.content_type, done.compressor) == (kind, "csv")
    rows = parsed(done.text, mark)
    assert rows[0] == list(HEADER)
    assert {len(row) for row in rows} == {len(HEADER)}
    original = parsed(text, mark)
    kept = [row for row in rows[1:] if not row[0].startswith(("……", "（略"))]
    assert all(row in original for row in kept)
    assert len(kept) + done.left_out[0].count == len(original) - 1


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("form", [as_csv, as_markdown])
@pytest.mark.parametrize(
    "changed",
    [
        {"销售额": "98000"},
        {"客流": "0"},
        {"备注": "收银机故障"},
        {"备注": "盘点"},
        {"门店": "鲸落店"},
    ],
)
def test_the_row_that_differs_stays(
    changed: dict[str, str], form: object, budget: int | None
) -> None:
    rows = sales(**changed)
    text = as_csv(rows) if form is as_csv else as_markdown(rows)
    done = squeeze(text, "鲸落店", budget)
    mark = "," if form is as_csv else " | "
    assert mark.join(rows[20].values()) in done.text


@pytest.mark.parametrize("form", [as_csv, as_markdown])
def test_the_largest_and_the_smallest_stay(form: object) -> None:
    rows = sales()
    text = as_csv(rows) if form is as_csv else as_markdown(rows)
    done = squeeze(text, "", None)
    sold = [int(row["销售额"]) for row in rows]
    assert str(max(sold)) in done.text
    assert str(min(sold)) in done.text


def test_the_mark_states_facts_of_the_rows_left_out() -> None:
    rows = sales()
    done = squeeze(as_csv(rows), "", None)
    gone = [rows[p] for p in done.left_out[0].places]
    sold = sorted(int(row["销售额"]) for row in gone)
    assert f"销售额 {sold[0]}～{sold[-1]}" in told(done)
    assert "备注 都是 无" in told(done)
    assert "门店：" in told(done)


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_markdown_table_stays_one(budget: int | None) -> None:
    text = "下面是销售表：\n\n" + as_markdown(sales(备注="甲\\|乙"))
    lines = squeeze(as_markdown(sales(备注="甲\\|乙")), "西溪店", budget).text.splitlines()
    assert detect.content_type(text) == detect.PROSE or lines
    assert lines[1].replace(" ", "") == "|---|---|---|---|---|"
    assert {line.replace("\\|", "").count("|") for line in lines} == {6}


def test_line_ends_stay() -> None:
    done = squeeze(as_csv(sales(), end="\r\n"), "湖滨店")
    assert done.text.count("\n") == done.text.count("\r\n") > 3


@pytest.mark.parametrize("name", ["密码", "api_key", "身份证号", "token", "银行卡号", "口令"])
@pytest.mark.parametrize("form", [as_csv, as_markdown])
def test_no_mark_quotes_a_secret_column(name: str, form: object) -> None:
    rows = [row | {name: str(5000 + n % 3)} for n, row in enumerate(sales())]
    text = as_csv(rows) if form is as_csv else as_markdown(rows)
    done = squeeze(text, "", None)
    assert done.left_out
    assert name not in told(done)
    assert "500" not in told(done).replace("销售额 1500", "")


@pytest.mark.parametrize("shape", ["13912345678", "11010519491231002X", "sk-abcd1234efgh5678"])
def test_no_mark_quotes_a_value_of_secret_shape(shape: str) -> None:
    rows = [row | {"联系": shape} for row in sales()]
    assert shape not in told(squeeze(as_csv(rows), "", None))


CELLS = ("无", "正常", "失败", "a,b", 'x"y', "1,200", "行\n行", "（略 3 行）", "……", "", "密码")
CELL = st.sampled_from(CELLS) | (
    st.integers(-999, 9999).map(str)
) | st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    st.integers(2, 6).flatmap(
        lambda wide: st.lists(st.lists(CELL, min_size=wide, max_size=wide), min_size=8, max_size=60)
    ),
    st.sampled_from(["", "正常", "200"]),
    st.sampled_from([None, 120, INJECT]),
    st.sampled_from([",", "\t"]),
)
def test_any_csv_keeps_its_columns(
    rows: list[list[str]], query: str, budget: int | None, mark: str
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, lineterminator="\n")
    writer.writerow([f"列{n}" for n in range(len(rows[0]))])
    writer.writerows(rows)
    done = squeeze(out.getvalue(), query, budget)
    if done.compressor == "csv":
        assert {len(row) for row in parsed(done.text, mark) if row} == {len(rows[0])}
