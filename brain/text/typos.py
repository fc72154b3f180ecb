"""Typos: slips of the input method, of the eye and of the keyboard.

A word typed by sound (房祖 for 房租: same syllable without tone, n/l, z/zh, in/ing as one), by
shape (末 for 未) or with one edit in a Latin word (kubernets; Damerau, CACM 1964) is looked for in
a note that does not hold it as written. Syllables are a table made by ``bench/pinyin_table.py``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from brain.text.lists import groups

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SYLLABLES = Path(__file__).with_name("data") / "syllables.npy"
_FIRST, _LAST = 0x4E00, 0x9FFF

LEAST_LATIN = 5
"""Letters from which one edit leaves a word recognisable: cat is not a typo of car."""


@cache
def _syllables() -> NDArray[np.uint16]:
    import numpy as np

    table: NDArray[np.uint16] = np.load(_SYLLABLES)
    return table


@cache
def _alike() -> dict[str, frozenset[str]]:
    """Character → those that look like it."""
    out: dict[str, set[str]] = {}
    for group in groups("lookalike"):
        for char in group.strip():
            out.setdefault(char, set()).update(group.strip())
    return {char: frozenset(others) for char, others in out.items()}


def _sound(char: str) -> int:
    code = ord(char)
    return int(_syllables()[code - _FIRST]) if _FIRST <= code <= _LAST else 0


def confusable(one: str, other: str) -> bool:
    """Whether two characters sound or look nearly the same."""
    if one == other:
        return True
    sound = _sound(one)
    return (sound > 0 and sound == _sound(other)) or other in _alike().get(one, ())


def slip(word: str, text: str) -> str | None:
    """What stands in a text where a word was meant that was typed by sound or shape.

    At least one of the word's characters stands there as typed, so that only short texts of other
    words agree by chance.

    Args:
        word: two or more Han, folded.
        text: folded, without the word itself.

    Returns:
        The stretch of the text, or None.
    """
    length = len(word)
    for anchor, char in enumerate(word):
        at = text.find(char)
        while at >= 0:
            start = at - anchor
            if start >= 0 and start + length <= len(text):
                there = text[start : start + length]
                if all(map(confusable, word, there)):
                    return there
            at = text.find(char, at + 1)
    return None


def one_edit(one: str, other: str) -> bool:
    """Whether one letter inserted, left out, changed, or swapped with the next makes two words one.

    Words shorter than ``LEAST_LATIN``, and ones that differ in their first letter, do not count.
    """
    if one[:1] != other[:1] or min(len(one), len(other)) < LEAST_LATIN - 1:
        return False
    if max(len(one), len(other)) < LEAST_LATIN or abs(len(one) - len(other)) > 1:
        return False
    head = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if head is None:
        return len(one) != len(other)
    a, b = one[head:], other[head:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
