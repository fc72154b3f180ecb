"""Phone numbers in running text: every spelling one number, and nothing else one."""

from __future__ import annotations

import pytest

from brain.text.fold import fold
from brain.text.phones import join_phones, phone_spans
from brain.text.tokenize import QueryTerms, count_terms, index_terms, query_terms


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("13812345678", "13812345678"),
        ("138-1234-5678", "13812345678"),
        ("138 1234 5678", "13812345678"),
        ("138.1234.5678", "13812345678"),
        ("138–1234–5678", "13812345678"),
        ("138 123 45678", "13812345678"),
        ("1381234 5678", "13812345678"),
        ("+86 138 1234 5678", "13812345678"),
        ("+86-138-1234-5678", "13812345678"),
        ("+8613812345678", "13812345678"),
        ("8613812345678", "13812345678"),
        ("0086 13812345678", "13812345678"),
        ("(+86)13812345678", "13812345678"),
        ("１３８－１２３４－５６７８", "13812345678"),
        ("010-62345678", "01062345678"),
        ("(010)6234-5678", "01062345678"),
        ("010 6234 5678", "01062345678"),
        ("+86 10 6234 5678", "01062345678"),
        ("0571-87654321", "057187654321"),
        ("0755 2345678", "07552345678"),
        ("400-800-1234", "4008001234"),
        ("4008001234", "4008001234"),
    ],
)
def test_one_number(text: str, digits: str) -> None:
    for around in ("{}", "电话{}，", "打 {} 找老王", "({})"):
        assert [found for _, _, found in phone_spans(fold(around.format(text)))] == [digits]


@pytest.mark.parametrize(
    "text",
    [
        *("2026-05-08 10:00:00", "202605081234", "1700000000000", "1 3 5 7 9 11 13 15"),
        *("138 1234 56789", "v138.1234.5678", "0.138 1234 5678", "12812345678", "192.168.10.1"),
        *("2026-2027-2028", "11010519491231002X", "6222 0212 3456 7890", "a13812345678", ""),
    ],
)
def test_no_phone_number(text: str) -> None:
    assert phone_spans(fold(text)) == []


def test_several_in_a_row() -> None:
    found = phone_spans("138-1234-5678、139 1234 5678 2026-05-08")
    assert [digits for _, _, digits in found] == ["13812345678", "13912345678"]


@pytest.mark.parametrize("filler", ["1", "12 ", "1 ", "138 1234 5678 ", "(010)", "+86 "])
def test_no_text_takes_more_than_its_length(filler: str) -> None:
    """Work by the square of the text would not end within the limit of a test."""
    phone_spans((filler * 500_000)[:500_000])


@pytest.mark.parametrize("length", [0, 5000])
def test_counting_agrees_with_the_index(length: int) -> None:
    text = fold("电话 138-1234-5678 或 010-62345678，内存 3GB。" + "水" * length)
    wanted = QueryTerms.of((*query_terms("13812345678"), *query_terms("3 gb")))
    terms = index_terms(text)
    counts, _ = count_terms(text, wanted)
    assert counts["13812345678"] == terms.count("13812345678") == 1
    assert counts["gb"] == terms.count("gb") == 1


def test_the_parts_stay_findable() -> None:
    assert {"138", "1234", "5678", "3gb", "3", "gb"} <= set(index_terms("138-1234-5678 3gb"))
    assert query_terms(join_phones("138-1234-5678 3gb")) == ["13812345678", "3gb", "3", "gb"]
    assert join_phones("打 138-1234-5678 或 010-62345678") == "打 13812345678 或 01062345678"
