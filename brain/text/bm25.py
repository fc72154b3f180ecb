"""BM25: the weight of a term (IDF), the saturation of its frequency, and ranking a few texts by it.

Robertson and Zaragoza, The Probabilistic Relevance Framework (2009); k1 1.2 and b .75 as in FTS5.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from brain.text.fold import fold
from brain.text.tokenize import index_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75

Numbers = TypeVar("Numbers", float, "NDArray[np.float64]")


def saturation(often: float, length: Numbers, average: float) -> Numbers:
    """What a term counts that stands in a text ``often`` times; once in an average text is 1.

    Args:
        often: how often, above 0.
        length: terms of the text, or an array of those of several.
        average: mean number of terms of a text.
    """
    return often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length / max(average, 1.0)))


def idf(holding: int, texts: int) -> float:
    """Inverse document frequency: how telling a term is, in nats, above 0 for every term.

    log(1 + (N − n + ½) / (n + ½)) = log((N + 1) / (n + ½)): Robertson and Spärck Jones (1976)
    with the 1 that Lucene's BM25Similarity adds, so that no frequent term counts against a text.

    Args:
        holding: how many texts hold the term (n); an estimate may exceed ``texts``.
        texts: how many there are (N): notes of a file, passages or lines of one text.
    """
    n = min(holding, texts)
    return math.log(1.0 + (texts - n + 0.5) / (n + 0.5))


def scores(texts: Sequence[str], terms: Sequence[str]) -> list[float]:
    """How well each text answers the terms, by BM25 with these texts as the collection.

    Args:
        texts: as they are; they are folded and cut into the index's own terms here.
        terms: folded gram terms of a query (:func:`brain.text.tokenize.query_terms`); a lone
            character (``部*``) counts wherever it stands.
    """
    wanted = list(dict.fromkeys(terms))
    lone = {term for term in wanted if len(term) == 2 and term.endswith("*")}
    counted: list[tuple[dict[str, int], int]] = []
    for text in texts:
        folded = fold(text)
        counts = Counter(index_terms(folded))
        held = {t: folded.count(t[0]) if t in lone else counts[t] for t in wanted}
        counted.append((held, counts.total()))
    average = sum(length for _, length in counted) / max(len(counted), 1)
    worth = {t: idf(sum(held[t] > 0 for held, _ in counted), len(counted)) for t in wanted}
    return [
        sum(worth[t] * saturation(n, length, average) for t, n in held.items() if n)
        for held, length in counted
    ]
