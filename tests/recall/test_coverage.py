"""Coverage: the share of a question's words that a note holds, by rarity, typo and meaning."""

from __future__ import annotations

import pytest

from brain.recall.coverage import cover, units

NOTES = 100


def _covered(run: str, note: str, frequency: dict[str, int] | None = None) -> float:
    asked = units([run], frequency or {}, NOTES)
    return cover(asked, {1: note}, {1: {}})[1]


@pytest.mark.parametrize(
    ("run", "near", "far"),
    [
        ("宝宝", "婴儿车放在楼下", "合同放在楼下"),
        ("薪水", "工资十号发", "快递十号到"),
        ("手提电脑", "笔记本是前年买的", "沙发是前年买的"),
        ("doctor", "医生姓骆", "房东姓褚"),
    ],
)
def test_a_word_of_near_meaning_counts(run: str, near: str, far: str) -> None:
    assert _covered(run, near) > 0.5
    assert _covered(run, far) < 0.3


@pytest.mark.parametrize(
    ("run", "note"),
    [("房祖", "房租每月六千八"), ("kubernets", "用 kubernetes 部署"), ("周启杭", "周启航管库存")],
)
def test_a_word_typed_otherwise_counts_nearly_as_the_word(run: str, note: str) -> None:
    assert _covered(run, note) >= 0.85


def test_a_word_the_file_knows_is_not_taken_for_a_slip() -> None:
    assert _covered("公司", "公式写在白板上", {"公司": 3}) < 0.3


def test_rarity_comes_from_the_language_and_from_a_large_file_the_file_itself() -> None:
    few = {u.text: u.weight for u in units(["痛风", "时间"], {}, 5)}
    assert few["痛风"] > few["时间"]
    many = {u.text: u.weight for u in units(["痛风", "时间"], {"痛风": 90_000}, 100_000)}
    assert many["痛风"] < many["时间"]


def test_words_of_asking_count_little() -> None:
    asked = {u.text: u.weight for u in units(["安排", "体检"], {}, 50)}
    assert asked["安排"] < asked["体检"] / 2


def test_nothing_asked_and_nothing_told() -> None:
    assert cover((), {1: "房租"}, {1: {}}) == {1: 0.0}
    assert cover(units(["房租"], {}, 3), {}, {}) == {}
    assert _covered("房租", "") == 0.0


def test_a_long_text_and_odd_characters() -> None:
    assert _covered("房租", "\ud800😀" + "云" * 5000 + "房租") == 1.0


@pytest.mark.parametrize(
    ("run", "own"),
    [("值班表由", {"值班", "表"}), ("江辉路要", {"江辉路"}), ("high school", {"high", "school"})],
)
def test_what_carries_grammar_is_no_part_of_a_word(run: str, own: set[str]) -> None:
    """表由 was taken for a rare word that no note has, and sank right answers."""
    assert {u.text for u in units([run], {}, NOTES)} == own


def test_english_words_have_a_rarity_of_their_own() -> None:
    weight = {u.text: u.weight for u in units(["good peanut"], {}, NOTES)}
    assert weight["good"] < weight["peanut"]
