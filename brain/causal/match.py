"""Matching actions: whether two texts are about nearly the same action.

The evidence is of the kind the gate has: which share of the content one holds of the other, word by
word and by words near in meaning, how near the whole is against what this embedder gives unrelated
text, what one does and the other leaves undone. A small logistic model weighs it, with one file of
weights for each embedder and one for none (``bench/fit_before.py``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain.recall import gate
from brain.text import lists, opposites, words
from brain.text.fold import fold
from brain.text.stopwords import strip_function_words
from brain.text.tokenize import query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WEIGHTS = Path(__file__).parent / "weights"

MAX_CHARS = 2_000
"""Characters of a text that are looked at: an action says what it does at its beginning."""


NEAR_WORD = 0.35
"""Cosine of two words' vectors up to which they have nothing to do with each other."""

_COMMON = 2.0
"""Rarity (−log10 of a word's share) below which a word says nothing."""


class Weights(NamedTuple):
    """A fitted model of what counts as nearly the same action.

    Args:
        model: the embedder it belongs to, or ``none``.
        thresholds: probabilities from which two are: ``action`` for an action and a decision,
            ``hop`` for an outcome and the decision that says the same.
        near, spread: mean and deviation of the similarity of a question and unrelated text.
        near_stored, spread_stored: the same between two stored texts.
    """

    model: str
    bias: float
    weights: Mapping[str, float]
    thresholds: Mapping[str, float]
    near: float
    spread: float
    near_stored: float
    spread_stored: float


@cache
def load(model: str | None) -> Weights:
    """The weights of an embedder, those for none where it has none of its own."""
    path = _WEIGHTS / f"{model}.json"
    if model is None or "/" in model or not path.is_file():
        path = _WEIGHTS / f"{gate.NO_MODEL}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return Weights(
        data["model"], data["bias"], data["weights"], data["thresholds"], data["near"],
        data["spread"],
        data["near_stored"],
        data["spread_stored"],
    )  # fmt: skip


class Cut(NamedTuple):
    """A text, cut once for all it is held against.

    Args:
        grams: its content in two-character grams and Latin words, each once.
        characters: the Han of its content.
        latin: its Latin words and options.
        length: characters.
        denies: whether it says of some of its content that it is not done.
        words: (n, 64), unit vectors of its words.
        weight: (n,), how telling each word is.
    """

    grams: frozenset[str]
    characters: frozenset[str]
    latin: frozenset[str]
    length: int
    denies: bool
    words: NDArray[np.float32]
    weight: NDArray[np.float32]


@cache
def _names() -> tuple[dict[str, str], int]:
    """Word → the word that stands for its group; and the longest word."""
    out: dict[str, str] = {}
    for line in lists.lines("actions")["groups"]:
        first, *rest = (word.replace("_", " ") for word in line.split())
        out.update((word, first) for word in (first, *rest) if word not in out)
    return out, max(map(len, out))


def named(folded: str) -> str:
    """A folded text with each word of a group replaced by the one that stands for it."""
    names, longest = _names()
    out = []
    at = 0
    while at < len(folded):
        for length in range(min(longest, len(folded) - at), 0, -1):
            word = folded[at : at + length]
            if word in names and _apart(folded, at, at + length):
                out.append(f" {names[word]} ")
                at += length
                break
        else:
            out.append(folded[at])
            at += 1
    return "".join(out)


def _apart(folded: str, start: int, stop: int) -> bool:
    """Whether a stretch is not the inside of a longer Latin word."""
    if not folded[start].isascii():
        return True
    before, after = folded[start - 1 : start], folded[stop : stop + 1]
    return not (before.isascii() and before.isalnum()) and not (after.isascii() and after.isalnum())


@lru_cache(maxsize=2048)
def cut(text: str) -> Cut:
    """Cuts a text into what it is compared by."""
    folded = fold(text[:MAX_CHARS])
    runs = strip_function_words(named(folded))
    plain = [run for run in strip_function_words(folded) if run]
    grams: set[str] = set()
    for run in runs:
        found = [t.rstrip("*") for t in query_terms(run)]
        grams.update(found)
    characters = {c for run in (*runs, *plain) for c in run if "\u4e00" <= c <= "\u9fff"}
    latin = {t for t, _ in opposites.terms(folded) if t[:1].isascii() and not t[:1].isdigit()}
    stance = opposites.denials(folded)
    denies = any(no and c in characters for c, no in zip(folded, stance, strict=True))
    vectors, weight = _words(runs)
    return Cut(
        frozenset(grams), frozenset(characters), frozenset(latin), len(folded), denies,
        vectors, weight,
    )  # fmt: skip


def _words(runs: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vectors of the words of a text's content, and how telling each is."""
    import numpy as np

    _, han = words.han_words(" ".join(runs))
    latin = words.rows([word for run in runs for word in run.split() if word.isascii()])
    found = np.unique(np.concatenate([han, latin[latin >= 0]]))
    rarity = [max(words.rarity(row) - _COMMON, 0.0) for row in found.tolist()]
    return words.vectors(found), np.array(rarity, dtype=np.float32)


def _near_share(of: Cut, other: Cut) -> float:
    """The share of one's words that the other holds, each as far as a near one is there."""
    total = float(of.weight.sum())
    if not total or not len(other.weight):
        return 0.0
    best = (of.words @ other.words.T).max(axis=1)
    held = (best - NEAR_WORD).clip(0.0) / (1.0 - NEAR_WORD)
    return float(held @ of.weight) / total


def _share(of: frozenset[str], other: frozenset[str]) -> float:
    return len(of & other) / len(of) if of else 0.0


def features(
    action: str, decision: str, similarity: float | None, near: float, spread: float
) -> dict[str, float]:
    """What the model looks at.

    ``nearness``: standard deviations of the similarity above unrelated text. ``forward``,
    ``back``: the shares of content each holds of the other, by grams; ``letters_…`` by characters.
    ``near_…`` by words near in meaning. ``latin_…``: the shares of Latin words and options that
    one has alone. ``denies_alone``: whether only one says that something is not done.
    """
    a, b = cut(action), cut(decision)
    out = {
        "forward": _share(a.grams, b.grams),
        "back": _share(b.grams, a.grams),
        "letters_forward": _share(a.characters, b.characters),
        "letters_back": _share(b.characters, a.characters),
        "latin_lacking": _share(b.latin, b.latin - a.latin),
        "latin_strange": _share(a.latin, a.latin - b.latin),
        "near_forward": _near_share(a, b),
        "near_back": _near_share(b, a),
        "denies_alone": float(a.denies != b.denies),
        "length": abs(math.log(max(a.length, 1) / max(b.length, 1))),
    }
    if similarity is not None:
        out["nearness"] = (similarity - near) / spread
    return out


def probability(weights: Weights, found: Mapping[str, float]) -> float:
    """The logistic model's value, in (0, 1)."""
    z = weights.bias + sum(weights.weights.get(name, 0.0) * x for name, x in found.items())
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, z))))


def opposed(first: str, second: str) -> bool:
    """Whether one does what the other leaves undone, however many words they share."""
    against = opposites.opposition(first[:MAX_CHARS], second[:MAX_CHARS])
    return against.denied > 0 or against.antonyms > 0
