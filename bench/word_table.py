"""Makes the table of word vectors: ``python -m bench.word_table``.

Static vectors of frequent Chinese words (jieba's dictionary), single characters, and frequent
English words (of wordfreq, which this alone needs installed), from the bundled model and
bge-small-zh together: each model's vectors without their mean and first components (Mu and
Viswanath, "All-but-the-Top", ICLR 2018), side by side, reduced by PCA and quantised to int8.
Written to ``brain/text/data/word_*.npy``, read by :mod:`brain.text.words`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import data, vectors
from brain.text import lists
from brain.text.fold import fold
from brain.text.words import DATA, key

WORDS = 40_000
"""Chinese words of two to four characters, the most frequent of jieba's dictionary."""

ENGLISH = 12_000
"""English words, the most frequent."""

CHARACTERS = 4_000
"""Single ones, of which words that the table lacks are made."""

MODERN = Path(__file__).with_name("modern_words.txt")
"""Words younger than jieba's dictionary."""

DIM = 64
FIRST = 3
"""Principal components taken away: what all words share."""

_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}")


def jieba_words() -> dict[str, int]:
    """Jieba's dictionary, folded: word → how often it was seen in the corpus of its authors."""
    import jieba

    out: dict[str, int] = {}
    with jieba.get_dict_file() as file:
        for line in file.read().decode("utf-8").splitlines():
            word, count, *_ = line.split(" ")
            folded = fold(word)
            out[folded] = out.get(folded, 0) + int(count)
    return out


def english_words() -> dict[str, float]:
    """The most frequent English words, and ours: word → its share of a large corpus."""
    from wordfreq import top_n_list, word_frequency

    own = {
        w
        for ws in lists.lines("translations").values()
        for line in ws
        for w in re.findall("[a-z]{3,}", line)
    }
    frequent = (w for w in top_n_list("en", 2 * ENGLISH) if re.fullmatch("[a-z]{2,12}", w))
    words = sorted({*list(frequent)[:ENGLISH], *own})
    return {word: word_frequency(word, "en") for word in words}


def reduced(made: NDArray[np.float32], latin: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Without each language's mean and the first components, unit rows."""
    centred = made.copy()
    for here in (latin, ~latin):
        centred[here] -= made[here].mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    centred -= centred @ axes[:FIRST].T @ axes[:FIRST]
    unit: NDArray[np.float32] = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return unit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data.add_cache(parser)
    args = parser.parse_args()
    counts = jieba_words()
    frequent = sorted((w for w in counts if _HAN.fullmatch(w)), key=lambda w: (-counts[w], w))
    single = [w for w in counts if len(w) == 1 and "\u4e00" <= w <= "\u9fff"]
    single.sort(key=lambda w: (-counts[w], w))
    modern = fold(MODERN.read_text(encoding="utf-8")).split()
    english = english_words()
    words = list(dict.fromkeys([*frequent[:WORDS], *single[:CHARACTERS], *modern, *english]))
    words = [w for w in words if key(w)]
    latin = np.array([w.isascii() for w in words])
    parts = []
    for name in ("bge-small-zh", "e5-small"):
        embedder = vectors.CachedEmbedder(name, args.cache)
        made = embedder.embed_documents(words)
        embedder.flush()
        print(name, made.shape, flush=True)
        parts.append(reduced(made, latin))
    joined = np.hstack(parts)
    _, _, axes = np.linalg.svd(joined - joined.mean(axis=0), full_matrices=False)
    small = (joined - joined.mean(axis=0)) @ axes[:DIM].T
    small /= np.linalg.norm(small, axis=1, keepdims=True)
    total = sum(counts.values())
    share = {w: max(count, 1) / total for w, count in counts.items()} | english
    rarity = np.array([-np.log10(max(share.get(w, 0.0), 1 / total)) for w in words])
    keys = np.array([key(w) for w in words], dtype=np.uint64)
    order = np.argsort(keys)
    DATA.mkdir(exist_ok=True)
    np.save(DATA / "word_keys.npy", keys[order])
    np.save(DATA / "word_vectors.npy", np.rint(small[order] * 127).astype(np.int8))
    np.save(DATA / "word_rarity.npy", np.rint(rarity[order] * 20).clip(0, 255).astype(np.uint8))
    print(f"{len(words)} words written")


if __name__ == "__main__":
    main()
