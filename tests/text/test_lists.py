"""Word lists: the data files are well formed, hold each word once, and are read as they stand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from brain.text import lists
from brain.text.fold import fold
from brain.text.stopwords import strip_function_words

DATA = Path(lists.__file__).parent / "data"
OURS = (
    "aliases",
    "chitchat",
    "compounds",
    "dialect",
    "homophones",
    "names",
    "narrower",
    "stop_words",
    "synonyms",
    "translations",
)

NEVER_MET = {"哪吒"}
"""What folding writes otherwise (哪咤), so that no query has it."""


@pytest.mark.parametrize("name", OURS)
def test_a_file_begins_with_what_it_is_and_who_reads_it(name: str) -> None:
    text = (DATA / f"{name}.txt").read_bytes().decode("utf-8")
    head = text.partition("\n\n")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    assert "urated by hand" in head
    assert "Read by brain.text." in text.replace("\n# ", " ")
    assert "\r" not in text
    assert all(line == line.strip() for line in text.splitlines())


@pytest.mark.parametrize("name", OURS)
def test_entries_are_folded(name: str) -> None:
    for word in " ".join(lists.groups(name)).split():
        assert fold(word) == word or word in NEVER_MET, word


def test_lines_stand_under_their_headings() -> None:
    found = lists.lines("chitchat")
    assert list(found) == ["phrases", "intensifiers", "tails"]
    assert found["intensifiers"][0].startswith("非常 十分")
    assert sum(map(len, lists.lines("synonyms").values())) == len(lists.groups("synonyms"))
    assert lists.lines("compounds")[""] == lists.groups("compounds")


def test_remarks_headings_and_brackets_of_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "# remark\none two\n\n[first]\n# remark\nthree\n[?？]|吗\n[second]\r\nfour_five > six\r\n"
    )
    (tmp_path / "some.txt").write_bytes(text.encode())
    monkeypatch.setattr(lists, "_FOLDER", tmp_path)
    try:
        assert lists.lines("some") == {
            "": ("one two",),
            "first": ("three", "[?？]|吗"),
            "second": ("four_five > six",),
        }
        assert lists.words("some") == ("one", "two")
        assert lists.words("some", "second") == ("four_five", ">", "six")
        with pytest.raises(KeyError):
            lists.words("some", "third")
        with pytest.raises(OSError, match="other"):
            lists.words("other")
    finally:
        for cached in (lists.lines, lists.groups, lists.words):
            cached.cache_clear()


def test_stop_words_stand_once_in_their_section() -> None:
    # Some endings are phrases of chit-chat as well, but in one section nothing stands twice.
    for name in ("stop_words", "chitchat", "compounds"):
        for heading, found in lists.lines(name).items():
            words = " ".join(found).split()
            if heading != "kept_after":
                assert [w for w, n in Counter(words).items() if n > 1] == [], (name, heading)


def test_what_is_kept_after_a_head_is_written_once() -> None:
    pairs = Counter(
        (head, tail)
        for heads, tails in (line.split(" > ") for line in lists.lines("stop_words")["kept_after"])
        for head in heads.split()
        for tail in tails.split()
    )
    assert [pair for pair, n in pairs.items() if n > 1] == []
    tails = Counter(
        w
        for line in lists.lines("stop_words")["kept_after"]
        for w in set(line.partition(">")[2].split())
    )
    assert tails["天津"] == tails["项目"] == 1
    for head in "这那哪":
        assert strip_function_words(f"{head}项目谁管") == ["项目", "管"]
    assert strip_function_words("那天津谁管") == ["天津", "管"]
