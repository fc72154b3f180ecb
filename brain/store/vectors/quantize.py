"""Quantization to two bits a number: a short code whose distance roughly follows the cosine.

Each number is held against two thresholds, :data:`STEP` spreads above and below the mean of the
vectors in the file, and their answers are packed. Two codes differ in more bits the further two
vectors lie apart. Taking the mean away first matters: e5's vectors share a large common part, and
without that the best ten of 28,000 are among the nearest 400 codes in 88 % of cases, with it in
99 % (one bit a number, its sign: 91 %). Thresholds from 1,024 vectors do as well as from all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from brain.store.vectors.blocks import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP = 0.7
"""From .6 to .8 nothing changes; a third of all numbers lies between the thresholds' outer sides
each."""

QUERY_SHARE = 0.8
"""Share of the mean that is taken from a question's vector. Its own common part is not quite the
notes': the best ten of a million are among the nearest 1,000 codes in 98.1 % of cases, with the
whole mean in 97.1 %; .6 does worse (at 100,000, of 600: 98.5, 98.2 and 96.8 %)."""

_TILE = 32_768
"""Codes compared at a time: what lies between is kept in the processor's cache."""


class Centre(NamedTuple):
    """What codes are taken against.

    Args:
        mean: of the vectors, (dim,).
        spread: root mean square distance of a number from its mean.
    """

    mean: NDArray[np.float32]
    spread: float


def centre(vectors: NDArray[np.float32]) -> Centre:
    """The centre of some vectors, (n, dim)."""
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    return Centre(mean, float(np.sqrt(np.mean((vectors - mean) ** 2))))


def encode(vectors: NDArray[np.float32], around: Centre) -> NDArray[np.uint64]:
    """The codes of vectors: (n, dim) → (n, words)."""
    return _encoded(vectors - around.mean, around)


def encode_query(vector: NDArray[np.float32], around: Centre) -> NDArray[np.uint64]:
    """The code of a question's vector, (dim,) → (words,)."""
    away = (vector - QUERY_SHARE * around.mean).astype(np.float32)
    code: NDArray[np.uint64] = _encoded(away[None, :], around)[0]
    return code


def _encoded(away: NDArray[np.float32], around: Centre) -> NDArray[np.uint64]:
    count, dim = away.shape
    step = np.float32(STEP * around.spread)
    bits = np.zeros((count, 64 * words(dim)), dtype=np.bool_)
    np.greater(away, step, out=bits[:, :dim])
    np.greater(away, -step, out=bits[:, dim : 2 * dim])
    packed: NDArray[np.uint64] = np.packbits(bits, axis=1).view("<u8")
    return packed


def distances(codes: NDArray[np.uint64], code: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many bits each code differs from one.

    Args:
        codes: (words, n): one word of all codes after the other, which is four times as fast as
            one code after the other.
        code: (words,).
    """
    count = codes.shape[1]
    out = np.zeros(count, dtype=np.uint16)
    differs = np.empty(min(count, _TILE), dtype=np.uint64)
    bits = np.empty(min(count, _TILE), dtype=np.uint8)
    for start in range(0, count, _TILE):
        total = out[start : start + _TILE]
        size = len(total)
        for word, own in zip(codes, code, strict=True):
            np.bitwise_xor(word[start : start + size], own, out=differs[:size])
            np.bitwise_count(differs[:size], out=bits[:size])
            np.add(total, bits[:size], out=total)
    return out


def lowest(values: NDArray[np.uint16], count: int) -> NDArray[np.intp]:
    """The places of the ``count`` lowest values, ascending; of equal ones the first."""
    if len(values) <= count:
        return np.arange(len(values))
    # Distances are small whole numbers: counting them takes a third of the time of a partition.
    upto = np.bincount(values).cumsum()
    limit = int(np.searchsorted(upto, count))
    level = np.flatnonzero(values == limit)
    below = np.flatnonzero(values < limit)
    return np.sort(np.concatenate([below, level[: count - len(below)]]))
