"""Text similarity and near-duplicates: how alike two texts are, and whether they say the same.

Sentences built alike are not the same: a figure, a date, a negation, another name or a swapped
order makes another fact. So it is a number for "look at this one too", and *saying the same*
is a strict test on what is left when the common characters, in their order, are taken away.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from brain.text.fold import fold
from brain.text.regex import compiled

LONGEST = 400
"""Characters compared; the common subsequence takes time in the product of both lengths."""

SIMILAR = 0.6
"""Similarity from which a record is worth a look when another is stored."""

SAME_ORDER = 0.75
"""Share of the shorter text that must stand in the other in the same order."""

MOST_MOVED = 3
"""Content characters that may stand elsewhere. Two names that changed places are four or more."""

ORDER = "order"
NUMBER = "number"
NEGATION = "negation"
NAME = "name"
WORDS = "words"

_NUMBER = r"\d+(?:[.:/-]\d+)*|[零〇一二三四五六七八九十百千万亿两]{2,}"
_LATIN = r"[a-z][a-z0-9_.+#-]*"
_NEGATION = r"不|没|未|无|非|勿|别|莫|禁|停|取消|\bnot?\b|n't\b|\bnever\b"
# Characters that add, with others the same, nothing to what is said.
_LIGHT = frozenset(
    "的了呢吗吧啊呀哦嘛么地得着过是在有也都就还又再很把被给让用使来去个些这那其之与和及或等请要会能可"
    "以为于对从向到将已经一下上里中我你他她它们您咱自己说道而且并则即便"
)


@dataclass(frozen=True, slots=True)
class Similarity:
    """What comparing two texts gave.

    Args:
        score: in [0, 1]; 1 for the same folded text.
        differs: what kinds of thing differ: ``number``, ``negation``, ``name`` (Latin words and
            identifiers), ``order``, ``words``.
        first_adds, second_adds: whether that text says something the other does not.
    """

    score: float
    differs: tuple[str, ...]
    first_adds: bool
    second_adds: bool

    @property
    def same(self) -> bool:
        """Both say the same."""
        return not self.first_adds and not self.second_adds


def _letters(folded: str) -> str:
    return "".join(islice(filter(str.isalnum, folded), LONGEST))


class _Read(NamedTuple):
    """A text folded, its letters, which there are, and those of them that say something."""

    folded: str
    letters: str
    kinds: frozenset[str]
    telling: frozenset[str]


@lru_cache(maxsize=64)
def _read(text: str) -> _Read:
    """Kept for a moment: a text is held against many, one after the other."""
    folded = fold(text)
    letters = _letters(folded)
    kinds = frozenset(letters)
    return _Read(folded, letters, kinds, kinds - _LIGHT)


@lru_cache(maxsize=64)
def _bag(letters: str) -> Counter[str]:
    """How often each letter is there. Kept as :func:`_read` is."""
    return Counter(letters)


@lru_cache(maxsize=8)
def _places(text: str) -> dict[str, int]:
    """Where each letter stands, as a number with those bits set. Kept as :func:`_read` is."""
    out: dict[str, int] = {}
    for j, y in enumerate(text):
        out[y] = out.get(y, 0) | 1 << j
    return out


def _common_length(a: str, b: str) -> int:
    """Length of the longest common subsequence; as :func:`_common`, its last row alone."""
    places = _places(a)
    every = row = (1 << len(a)) - 1
    for y in b:
        met = row & places.get(y, 0)
        row = (row + met | row - met) & every
    return len(a) - row.bit_count()


def _common(a: str, b: str) -> tuple[int, str, str]:
    """Length of the longest common subsequence, and what is left of each text without it.

    The table's rows are bit vectors, a zero wherever a row's value rises (Hyyrö 2004, Bit-parallel
    LCS-length computation revisited): a row costs a few operations on one integer.
    """
    places = _places(b)
    every = (1 << len(b)) - 1
    rows = [every]
    for x in a:
        row = rows[-1]
        met = row & places.get(x, 0)
        rows.append((row + met | row - met) & every)

    def value(i: int, j: int) -> int:
        return j - (rows[i] & (1 << j) - 1).bit_count()

    left_a: list[str] = []
    left_b: list[str] = []
    i, j = len(a), len(b)
    while i and j:
        here, above = value(i, j), value(i - 1, j)
        if a[i - 1] == b[j - 1] and here == value(i - 1, j - 1) + 1:
            i, j = i - 1, j - 1
        elif above >= value(i, j - 1):
            i -= 1
            left_a.append(a[i])
        else:
            j -= 1
            left_b.append(b[j])
    left_a += reversed(a[:i])
    left_b += reversed(b[:j])
    return value(len(a), len(b)), "".join(left_a), "".join(left_b)


def score(first: str, second: str, least: float = 0.0) -> float:
    """How alike two texts are, as :func:`compare` says, at a fraction of its cost.

    Args:
        least: what is certain to be less alike than this is given as 0.
    """
    one, other = _read(first), _read(second)
    if one.folded == other.folded:
        return 1.0
    x, y = one.letters, other.letters
    # The common letters in their order are never more than the common letters.
    if not x or not y or 2 * min(len(x), len(y)) < least * (len(x) + len(y)):
        return 0.0
    shared = _shared(_bag(x), _bag(y))
    if 2 * shared < least * (len(x) + len(y)):
        return 0.0
    return _score(shared, _common_length(x, y), len(x) + len(y))


def _shared(first: Counter[str], second: Counter[str]) -> int:
    """How many letters two texts have in common, repeats counted."""
    return sum([min(n, second[c]) for c, n in first.items() if c in second])


def _score(shared: int, ordered: int, total: int) -> float:
    """The mean of two Dice coefficients: of the letters, and of the letters in their order."""
    return 0.5 * (2 * shared / total) + 0.5 * (2 * ordered / total)


def compare(first: str, second: str) -> Similarity:
    """Compares two texts, folded here. Texts beyond ``LONGEST`` letters are compared by their
    beginnings, and are never called the same unless they are equal."""
    one, other = _read(first), _read(second)
    a, b = one.folded, other.folded
    if a == b:
        return Similarity(1.0, (), False, False)
    x, y = one.letters, other.letters
    if not x or not y:
        return Similarity(0.0, (WORDS,), bool(x), bool(y))
    length, left_x, left_y = _common(x, y)
    order = length / min(len(x), len(y))
    found = _score(_shared(_bag(x), _bag(y)), length, len(x) + len(y))
    differs: list[str] = []
    if Counter(compiled(_NUMBER).findall(a)) != Counter(compiled(_NUMBER).findall(b)):
        differs.append(NUMBER)
    if len(compiled(_NEGATION).findall(a)) % 2 != len(compiled(_NEGATION).findall(b)) % 2:
        differs.append(NEGATION)
    if set(compiled(_LATIN).findall(a)) != set(compiled(_LATIN).findall(b)):
        differs.append(NAME)
    moved = Counter(left_x) & Counter(left_y)
    if sum(n for c, n in moved.items() if c not in _LIGHT) > MOST_MOVED or order < SAME_ORDER:
        differs.append(ORDER)
    extra_x = Counter(left_x) - Counter(left_y)
    extra_y = Counter(left_y) - Counter(left_x)
    adds_x = any(c not in _LIGHT for c in extra_x)
    adds_y = any(c not in _LIGHT for c in extra_y)
    if adds_x or adds_y:
        differs.append(WORDS)
    cut = max(len(a), len(b)) > LONGEST
    if cut or set(differs) - {WORDS}:
        adds_x = adds_y = True
    return Similarity(found, tuple(differs), adds_x, adds_y)


def repeats(first: str, second: str) -> bool:
    """Whether the second text says nothing the first does not. Cheap where the answer is no."""
    one, other = _read(first), _read(second)
    a, b = one.folded, other.folded
    if a == b:
        return True
    if max(len(a), len(b)) > LONGEST or not other.telling <= one.kinds:
        return False
    return not compare(first, second).second_adds
