"""Eating words from tables at a place of a Chinese text: the tools of the grammars of times.

There is no regular expression here: to compile a large one costs more than to read the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from brain.text.dates import periods, words_zh
from brain.text.numerals import read_number

_T = TypeVar("_T")

NUMERALS = "0123456789零〇一二两三四五六七八九十百廿卅"
_LEFT_OF_NUMBER = frozenset(NUMERALS + "第.几")
_CLAUSE_ENDS = "，。；！？,.;!?\n"
_CLAUSE_REACH = 24


def eat(text: str, at: int, table: Mapping[str, _T]) -> tuple[str, _T] | None:
    """The longest entry of up to six characters that stands at a place and is whole there."""
    for length in range(min(6, len(text) - at), 0, -1):
        word = text[at : at + length]
        if word in table and is_whole(text, at, word):
            return word, table[word]
    return None


def is_whole(text: str, at: int, word: str) -> bool:
    """Whether a word is not torn out of its neighbours."""
    if text[at - 1 : at] in ("《", *words_zh.NOT_BEFORE.get(word, "")):
        return False
    return not text.startswith(words_zh.NOT_AFTER.get(word, ()), at + len(word))


def first_of(text: str, at: int, choices: Iterable[str]) -> str:
    """The first of some words that stands at a place, '' for none."""
    for word in choices:
        if text.startswith(word, at):
            return word
    return ""


def is_han(char: str) -> bool:
    """Whether a character is a common Han one."""
    return "\u3400" <= char <= "\u9fff"


def past_blank(text: str, at: int) -> int:
    """Past one blank, which typography puts between digits and Han."""
    return at + 1 if text.startswith(" ", at) else at


def numeral(text: str, at: int) -> tuple[int | float, int] | None:
    """A numeral and where it ends; 几 and 数 are not one."""
    end = at
    while end < len(text) and end - at < 8 and text[end] in NUMERALS:
        end += 1
    if text.startswith(".", end) and text[end + 1 : end + 2].isdigit():
        end += 2
    value = read_number(text[at:end])
    return None if value is None else (value, end)


def whole_number(text: str, at: int, least: int, most: int) -> tuple[int, int] | None:
    """A whole number within bounds and where it ends."""
    found = numeral(text, at)
    if found is None or not isinstance(found[0], int) or not least <= found[0] <= most:
        return None
    return found[0], found[1]


def inside_number(text: str, at: int) -> bool:
    """Whether a number goes on to the left, or a rank or version does: 第三天前, v1.3."""
    return text[at - 1 : at] in _LEFT_OF_NUMBER


def clause(text: str, begin: int, end: int) -> tuple[str, str]:
    """What stands before and after a phrase in its clause, some two dozen characters of each."""
    before = text[max(0, begin - _CLAUSE_REACH) : begin]
    after = text[end : end + _CLAUSE_REACH]
    for mark in _CLAUSE_ENDS:
        before = before.rpartition(mark)[2]
        after = after.partition(mark)[0]
    return before, after


def weekday(text: str, at: int) -> tuple[int, int] | None:
    """The 三 of 周三 and where it ends."""
    if text.startswith("六日", at) and text[at + 2 : at + 3] not in tuple(
        words_zh.NOT_AFTER_WEEKDAY["日"]
    ):
        return 7, at + 2
    char = text[at : at + 1]
    index = words_zh.WEEKDAYS.get(char)
    if index is None:
        return None
    after = text[at + 1 : at + 2]
    torn = after in tuple(words_zh.NOT_AFTER_WEEKDAY.get(char, ""))
    if torn and not text.startswith("天气", at + 1):
        return None
    if char.isdigit() and after in tuple(NUMERALS + ".个次"):
        return None
    return index, at + 1


def day_part(text: str, at: int) -> tuple[tuple[int, int], int] | None:
    """下午, 晚上, or 早, 晚 where no word goes on after them."""
    for length in (3, 2):
        hours = periods.DAY_PARTS.get(text[at : at + length])
        if hours is not None and len(text) - at >= length:
            torn = text.startswith(words_zh.NOT_AFTER_PART, at + length)
            return None if torn else (hours, at + length)
    char = text[at : at + 1]
    if char in tuple("早晚") and not text.startswith(words_zh.NOT_AFTER_EARLY_LATE, at + 1):
        return periods.DAY_PARTS["早上" if char == "早" else "晚上"], at + 1
    return None
