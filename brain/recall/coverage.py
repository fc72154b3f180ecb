"""Coverage: which share of what a question asks about a note holds, word by word.

Each word of a question's content counts by its rarity. A word that a note lacks may stand there
typed otherwise (:mod:`brain.text.typos`) or as a word of nearly the same meaning
(:mod:`brain.text.words`); the nearest counts for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from brain.text import lists, typos, words
from brain.text.tokenize import is_han, query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_UNITS = 24
"""Words of a question that are looked at, the first ones."""

MOST_CHARS = 800
"""Characters of a note whose words are compared by meaning."""

NOTE_WORDS = 40
"""Words of a usual note: what its chance to hold a word is reckoned from."""

LANGUAGE_NOTES = 200
"""As many notes the language's own frequencies count for, beside the file's."""

FAINT = 0.25

NEAR, SAME = 0.35, 0.8
"""Cosines of word vectors from which on two words have to do with each other, and mean the same."""

TYPO = 0.9

_LATIN = re.compile(r"[a-z][a-z0-9]*")
_HAN_OR_NOT = re.compile(r"[\u4e00-\u9fff]+|[^\u4e00-\u9fff]+")


class Unit(NamedTuple):
    """A word of a question.

    Args:
        text: folded.
        terms: its grams in the index.
        row: in the table of word vectors, −1 where it has none.
        weight: its rarity, as −ln of the chance that a note holds it.
        known: whether any note of the file holds it.
    """

    text: str
    terms: tuple[str, ...]
    row: int
    weight: float
    known: bool


def units(
    runs: Sequence[str],
    frequency: Mapping[str, int],
    total: int,
) -> tuple[Unit, ...]:
    """The words of a question's content with their weights.

    Args:
        runs: stretches of content, folded.
        frequency: in how many notes each term of the question occurs.
        total: how many notes there are.
    """
    texts: list[str] = []
    for run in runs:
        for piece in _HAN_OR_NOT.findall(run):
            texts += words.split(piece) if is_han(piece) else piece.split()
    texts = [t for t in dict.fromkeys(texts) if t][:MOST_UNITS]
    out = []
    little = frozenset(lists.words("stop_words", "faint"))
    for text, row in zip(texts, words.rows(texts).tolist(), strict=True):
        terms = tuple(query_terms(text))
        held = min((frequency.get(t, 0) for t in terms), default=0)
        rarity = words.rarity(row)
        if len(text) == 1 and rarity < words.LONE and is_han(text):
            continue
        if row < 0 and len(text) > 1 and is_han(text):
            rarity = words.UNSEEN
        chance = -math.expm1(NOTE_WORDS * math.log1p(-min(10**-rarity, 0.5)))
        mixed = (LANGUAGE_NOTES * chance + held) / (LANGUAGE_NOTES + total)
        weight = -math.log(min(max(mixed, 1e-6), 0.9))
        out.append(Unit(text, terms, row, weight * (FAINT if text in little else 1.0), held > 0))
    return tuple(out)


def _sure(cosine: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    scaled: NDArray[np.float32] = np.clip((cosine - NEAR) / (SAME - NEAR), 0.0, 1.0)
    return scaled


def cover(
    asked: Sequence[Unit], folded: Mapping[int, str], held: Mapping[int, Mapping[str, float]]
) -> dict[int, float]:
    """Which share of the weight of a question's words each of some notes holds, in [0, 1].

    Args:
        folded: id → text.
        held: id → the question's terms it holds, each at most 1 for what is written otherwise.
    """
    import numpy as np

    total = sum(u.weight for u in asked)
    if not folded or total <= 0:
        return dict.fromkeys(folded, 0.0)
    ids = list(folded)
    literal = np.array([[_literal(u, folded[i], held[i]) for u in asked] for i in ids])
    soft = np.maximum(literal, _meaning(asked, [folded[i] for i in ids]))
    for row, column in np.argwhere(soft < TYPO).tolist():
        if _slipped(asked[column], folded[ids[row]]):
            soft[row, column] = TYPO
    shares = soft @ np.array([u.weight for u in asked]) / total
    return dict(zip(ids, shares.tolist(), strict=True))


def _literal(unit: Unit, text: str, held: Mapping[str, float]) -> float:
    if unit.text in text:
        return 1.0
    if not unit.terms:
        return 0.0
    return sum(min(1.0, held.get(t, 0.0)) for t in unit.terms) / len(unit.terms)


def _slipped(unit: Unit, text: str) -> bool:
    if unit.text.isascii():
        return len(unit.text) >= typos.LEAST_LATIN - 1 and any(
            typos.one_edit(unit.text, word) for word in _LATIN.findall(text)
        )
    common = unit.row >= 0 and unit.known
    return len(unit.text) > 1 and not common and typos.slip(unit.text, text) is not None


def _meaning(asked: Sequence[Unit], texts: Sequence[str]) -> NDArray[np.float32]:
    """How near the nearest word of each text is to each word asked, shape (texts, words)."""
    import numpy as np

    out = np.zeros((len(texts), len(asked)), dtype=np.float32)
    mine = np.array([u.row for u in asked], dtype=np.intp)
    some = np.flatnonzero(mine >= 0)
    if not len(some):
        return out
    joined = "\n".join(t[:MOST_CHARS] for t in texts)
    ends = np.cumsum([len(t[:MOST_CHARS].encode("utf-16-le", "replace")) // 2 + 1 for t in texts])
    place, row = words.han_words(joined)
    latin = [(m.start(), m.group()) for m in _LATIN.finditer(joined)]
    if latin:
        their = words.rows([w for _, w in latin])
        keep = their >= 0
        place = np.concatenate([place, np.array([p for p, _ in latin], dtype=np.intp)[keep]])
        row = np.concatenate([row, their[keep]])
    if not len(row):
        return out
    owner = np.searchsorted(ends, place, side="right")
    distinct, back = np.unique(row, return_inverse=True)
    near = words.vectors(distinct) @ words.vectors(mine[some]).T
    for column, unit in enumerate(some):
        best = np.zeros(len(texts), dtype=np.float32)
        np.maximum.at(best, np.minimum(owner, len(texts) - 1), near[back, column])
        out[:, unit] = _sure(best)
    return out
