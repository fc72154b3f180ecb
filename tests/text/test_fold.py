"""The folding: what is one word for a reader is one word for index and query."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.text import fold as folding
from brain.text.fold import TRADITIONAL_IN_GB2312, fold, opencc_dictionary, simplify
from tests.support import ROOT

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Any string Python can hold, lone surrogates and NUL among it."""

CHANGING_TEXT = st.text(
    st.sampled_from(
        "aAéÉßẞİıſ\u0301\u0308\u0345\u200b\u200d\ufe0f\u00adㄱᄀ각が\u3099ｶﾞ後臺齣①㎏ﬁⅣΣς乾"
    )
)
"""Characters that fold, compose, vanish or exchange places with each other."""

CHINESE_TEXT = st.text(
    st.sampled_from(
        "部署会议数据库，。？！：；（）ａＢ12 =<>\u0338\u0301é🔥" + TRADITIONAL_IN_GB2312
    )
)
"""What notes are written in, and what makes such a text one that has to be looked at closely."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("漢語拼音輸入法", "汉语拼音输入法"),
        ("臺灣颱風", "台湾台风"),
        ("後臺管理介面", "后台管理介面"),
        ("鬱金香與蘋果", "郁金香与苹果"),
        ("ＡＰＩ　ｖ２", "api v2"),
        ("５０％", "50%"),
        ("ﾊﾟｿｺﾝ", "パソコン"),
        ("が", "か\u3099"),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("café", "cafe\u0301"),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("第Ⅳ章", "第IV章"),
        ("⑫号楼", "12号楼"),
        ("５㎏", "5kg"),
        ("ﬁle", "file"),
        ("e\u200b\u0301", "é"),
        ("か\ufeff\u3099", "が"),
        ("\u1112\u2060\u1161", "하"),
        ("青\u200b鸟", "青鸟"),
        ("青\ufeff鸟\u2060", "青鸟"),
        ("co\u00adoperate", "cooperate"),
        ("❤\ufe0f", "❤"),
        ("\u202e青鸟\u202c", "青鸟"),
        ("\uf900", "\u8c48"),
    ],
)
def test_two_spellings_of_one_text_fold_to_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("己", "已"), ("未来", "末来"), ("v1.2", "v1.3"), ("10月15日", "10月16日"), ("cafe", "café")],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize("text", ["", "abc", "ABC_1", "部署", "\0前\0后", "\ud800半个"])
def test_folding_takes_any_string(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_every_character_folds_in_one_step() -> None:
    wrong = [
        f"{code:04x}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(c := chr(code)) not in {"Cn", "Co", "Cs"}
        and fold(fold(c)) != fold(c)
    ]
    assert wrong == []


def test_every_traditional_character_meets_its_simplified_one() -> None:
    lines = opencc_dictionary("TSCharacters").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if "\t" in line]
    assert len(pairs) > 3000
    apart = [f"{old} {new}" for old, new in pairs if fold(old) != fold(new.split(" ")[0])]
    assert apart == []


@given(ANY_TEXT | CHANGING_TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text() | CHANGING_TEXT)
def test_how_a_text_is_composed_makes_no_difference(text: str) -> None:
    forms = {fold(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert forms == {fold(text)}


@given(
    st.text(st.characters(max_codepoint=0x24F)),
    st.integers(0),
    st.sampled_from("\u200b\u2060\ufeff"),
)
def test_an_invisible_character_makes_no_difference(text: str, at: int, char: str) -> None:
    at %= len(text) + 1
    assert fold(text[:at] + char + text[at:]) == fold(text)


@given(ANY_TEXT)
def test_folding_makes_no_white_space_but_blanks(text: str) -> None:
    """Terms are stored with blanks between them: none may come out of anything else."""
    if not any(c.isspace() or unicodedata.normalize("NFKC", c)[:1].isspace() for c in text):
        assert not any(c.isspace() for c in fold(text))


@pytest.mark.parametrize("text", ["ＵＳＢ　Café", "e\u0301\u200b", "ABC", "①㎏"])
def test_simplifying_alone_changes_nothing_but_the_script(text: str) -> None:
    assert simplify(text) == text


def test_simplifying_alone_keeps_every_place() -> None:
    """Passages are cut by offsets in the stored text."""
    text = "後臺ＡＰＩ的錯誤訊息，請見第Ⅳ章\u200b。"
    assert simplify(text) == "后台ＡＰＩ的错误讯息，请见第Ⅳ章\u200b。"


@given(ANY_TEXT | CHANGING_TEXT | CHINESE_TEXT)
def test_the_short_ways_of_folding_lead_where_the_long_one_leads(text: str) -> None:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    expected = unicodedata.normalize("NFKC", folded.translate(folding._folding()))
    assert fold(text) == expected
    assert simplify(text) == text.translate(folding._simplified())


def test_which_characters_of_gb2312_are_changed_is_the_whole_list() -> None:
    changed = {chr(c) for c in folding._folding() if chr(c).encode("gb2312", "ignore")}
    assert changed == set(TRADITIONAL_IN_GB2312)


@pytest.mark.parametrize("why", ["None", "types.ModuleType('encodings.gb2312')"])
def test_a_python_without_gb2312_folds_the_same(why: str) -> None:
    """The codec is a short cut; some builds of Python leave it out."""
    code = (
        f"import sys, types; sys.modules['encodings.gb2312'] = {why}\n"
        "from brain.text.fold import fold, simplify\n"
        "assert fold('後臺ＡＰＩ部署，著') == '后台api部署,着', fold('後臺ＡＰＩ部署，著')\n"
        "assert fold('部署在后台。') == simplify('部署在後臺。') == '部署在后台。'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
