"""Word vectors: the shipped table, how words are found in a text, how a run is split."""

from __future__ import annotations

import numpy as np
import pytest

from brain.text import words


def _cosine(one: str, other: str) -> float:
    found = words.rows([one, other])
    assert (found >= 0).all(), (one, other)
    a, b = words.vectors(found)
    return float(a @ b)


def test_the_table_is_sorted_and_of_unit_vectors() -> None:
    table = words.table()
    assert (table.keys[1:] > table.keys[:-1]).all()
    assert len(table.keys) == len(table.vectors) == len(table.rarity) > 40_000
    lengths = np.linalg.norm(words.vectors(np.arange(0, len(table.keys), 97)), axis=1)
    assert np.allclose(lengths, 1.0, atol=0.05)


@pytest.mark.parametrize(
    ("one", "near", "far"),
    [
        ("宝宝", "婴儿", "合同"),
        ("薪水", "工资", "天气"),
        ("手提电脑", "笔记本", "医生"),
        ("医生", "doctor", "server"),
        ("服务器", "server", "doctor"),
    ],
)
def test_words_of_near_meaning_are_near(one: str, near: str, far: str) -> None:
    assert _cosine(one, near) > 0.5 > _cosine(one, far) + 0.2


def test_words_of_one_shape_are_not_near() -> None:
    assert _cosine("公司", "公式") < 0.3


@pytest.mark.parametrize("word", ["", "五个汉字多", "Abc", "a1", "thirteenletters", "あい", "a b"])
def test_what_is_no_word_has_no_row(word: str) -> None:
    assert words.key(word) == 0
    assert words.rows([word]).tolist() == [-1]


def test_keys_of_different_words_differ() -> None:
    some = ["a", "aa", "z", "人", "人人", "人人人", "zzzzzzzzzzzz", "龥龥龥龥", "abcdefghijkl"]
    assert len({words.key(word) for word in some}) == len(some)


def test_a_rare_word_is_rarer_than_a_frequent_one_and_an_unknown_one_rarest() -> None:
    rare, frequent = words.rows(["痛风", "时间"]).tolist()
    assert words.rarity(frequent) < words.rarity(rare) <= words.rarity(-1) == words.UNSEEN


def test_han_words_finds_the_longest_words_and_where_they_stand() -> None:
    text = "宝宝的生日,ok笔记本"
    place, row = words.han_words(text)
    found = {
        text[at : at + length]
        for at, r in zip(place.tolist(), row.tolist(), strict=True)
        for length in range(1, 5)
        if words.rows([text[at : at + length]]).tolist() == [r]
    }
    assert {"宝宝", "生日", "笔记本"} <= found
    assert not {"笔记", "宝", "生"} & found
    assert (np.diff(place) >= 0).all()


@pytest.mark.parametrize("text", ["", "abc", "\ud800", "😀😀", "人"])
def test_han_words_of_any_text(text: str) -> None:
    place, row = words.han_words(text)
    assert len(place) == len(row) == int("人" in text)


@pytest.mark.parametrize("run", ["", "人", "挖角公司薪水", "周启航", "龥龥龥龥龥龥"])
def test_split_loses_nothing(run: str) -> None:
    parts = words.split(run)
    assert "".join(parts) == run
    assert all(0 < len(part) <= words.MOST_HAN for part in parts)


def test_split_keeps_words_whole() -> None:
    assert words.split("公司肯出多少薪水") == ["公司", "肯", "出", "多少", "薪水"]
