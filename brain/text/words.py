"""Word vectors: frequent Chinese and English words with their nearness in meaning and their rarity.

The table is made by ``bench/word_table.py`` and mapped when first asked for. A word is found by its
key: the code points of up to four Han, sixteen bits each, or up to twelve Latin letters, five bits
each; both are exact, and no two words share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).with_name("data")

MOST_HAN = 4
MOST_LATIN = 12

LONE = 3.2
"""Rarity below which a character carries grammar: 几, 由, 要, 上 lie below, 王, 路, 马 above."""

UNSEEN = 8.5
"""Rarity of a word that the table lacks: once in 300 million characters, about the rarest there."""

_RARITY_STEPS = 20.0
_SCALE = 127.0


class Table(NamedTuple):
    """Words, by ascending key.

    Args:
        keys: (n,) uint64.
        vectors: (n, 64) int8, unit rows times 127.
        rarity: (n,) uint8, −log10 of the word's share of a large corpus, in twentieths.
    """

    keys: NDArray[np.uint64]
    vectors: NDArray[np.int8]
    rarity: NDArray[np.uint8]


@cache
def table() -> Table:
    """The table, mapped: what is not looked at is not read."""
    import numpy as np

    keys = np.load(DATA / "word_keys.npy")
    vectors = np.load(DATA / "word_vectors.npy", mmap_mode="r")
    return Table(keys, vectors, np.load(DATA / "word_rarity.npy"))


def key(word: str) -> int:
    """The key of a word of one to four Han or one to twelve letters a–z; 0 for any other."""
    out = 0
    if word.isascii():
        if not (word.isalpha() and word.islower() and len(word) <= MOST_LATIN):
            return 0
        for char in word:
            out = out << 5 | ord(char) - 96
        return out
    if len(word) > MOST_HAN or not all("\u4e00" <= char <= "\u9fff" for char in word):
        return 0
    for char in word:
        out = out << 16 | ord(char)
    return out << 16 * (MOST_HAN - len(word))


def rows(words: Sequence[str]) -> NDArray[np.intp]:
    """The row of each word in the table, −1 where it has none; shape (len(words),)."""
    import numpy as np

    return _rows(np.array([key(word) for word in words], dtype=np.uint64))


def _rows(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    import numpy as np

    known = table().keys
    place = np.searchsorted(known, keys)
    place[place == len(known)] = 0
    return np.where(known[place] == keys, place, -1)


def rarity(row: int) -> float:
    """−log10 of a word's share of a large corpus; :data:`UNSEEN` for row −1."""
    return float(table().rarity[row]) / _RARITY_STEPS if row >= 0 else UNSEEN


def vectors(found: NDArray[np.intp]) -> NDArray[np.float32]:
    """Unit vectors of rows, shape (len(found), 64)."""
    import numpy as np

    return np.asarray(table().vectors[found], dtype=np.float32) / _SCALE


def han_words(text: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The Chinese words of the table that stand in a text, none inside a longer one of them.

    Args:
        text: folded.

    Returns:
        Where each begins, ascending, and its row; a character in no word stands for itself.
    """
    import numpy as np

    codes = np.frombuffer(text.encode("utf-16-le", "replace"), dtype=np.uint16).astype(np.uint64)
    codes = np.where((codes >= 0x4E00) & (codes <= 0x9FFF), codes, 0)
    n = len(codes)
    if n == 0:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    starts: list[NDArray[np.intp]] = []
    found: list[NDArray[np.intp]] = []
    reach = np.zeros(n, dtype=np.int8)
    for length in range(min(MOST_HAN, n), 0, -1):
        size = n - length + 1
        packed = np.zeros(size, dtype=np.uint64)
        whole = np.ones(size, dtype=bool)
        for i in range(length):
            part = codes[i : size + i]
            packed |= part << np.uint64(16 * (MOST_HAN - 1 - i))
            whole &= part > 0
        # How far the longest word over a character reaches from it: what ends sooner lies in it.
        whole &= reach[:size] < length
        place = np.flatnonzero(whole)
        row = _rows(packed[place])
        place, row = place[row >= 0], row[row >= 0]
        starts.append(place)
        found.append(row)
        for offset in range(length):
            reach[place + offset] = np.maximum(reach[place + offset], length - offset)
    place, row = np.concatenate(starts), np.concatenate(found)
    order = np.argsort(place, kind="stable")
    return place[order], row[order]


def split(run: str) -> list[str]:
    """Splits a run of Han into words by the highest product of their frequencies (unigram model).

    Characters without a word of the table stand alone; those in a row are taken together, at most
    four: they are a name, a slip or a word that the table lacks. What carries grammar (由, 几, 要)
    stays by itself.
    """
    n = len(run)
    pieces = [(i, length) for i in range(n) for length in range(1, min(MOST_HAN, n - i) + 1)]
    found = rows([run[i : i + length] for i, length in pieces]).tolist()
    cost = {p: rarity(r) if r >= 0 else None for p, r in zip(pieces, found, strict=True)}
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, n + 1):
        options = []
        for length in range(1, min(MOST_HAN, end) + 1):
            one = cost[(end - length, length)]
            if one is None and length > 1:
                continue
            options.append((best[end - length][0] + (UNSEEN if one is None else one), length))
        best.append(min(options))
    out: list[str] = []
    at = n
    while at:
        out.append(run[at - best[at][1] : at])
        at -= best[at][1]
    out.reverse()
    joined: list[str] = []
    lone = False
    for start, word in zip(accumulate(map(len, out), initial=0), out, strict=False):
        rare = cost[(start, 1)]
        single = len(word) == 1 and (rare is None or rare >= LONE)
        if single and lone and len(joined[-1]) < MOST_HAN:
            joined[-1] += word
        else:
            joined.append(word)
        lone = single
    return joined
