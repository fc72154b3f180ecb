"""Query relevance: how much each part of a text has to do with what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.text.bm25 import idf
from brain.text.fold import fold
from brain.text.tokenize import is_han

MOST_TERMS = 120
"""Terms that are looked for; a longer question is a pasted text."""

LONE = 0.3
"""What a single character of a term that the text nowhere has counts: 颜色 is asked, 绿色 told."""


COVERED = 0.1
"""What a term still counts once a chosen part holds it: the next part should answer the rest of
the question, not name its subject again."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a question has to do with the parts of a text.

    Args:
        weights: one for each part.
        holding: for each term that occurs, what it counts and the places of the parts it is in.
    """

    weights: tuple[float, ...]
    holding: tuple[tuple[float, tuple[int, ...]], ...]

    def chosen(self, most: int, share: float) -> list[int]:
        """The parts that answer together: each one adds most to those before it.

        Args:
            most: how many at most.
            share: of the first one's weight that a part has to add.
        """
        left = list(self.weights)
        out: list[int] = []
        terms = list(self.holding)
        best = max(left, default=0.0)
        while best > 0 and len(out) < most:
            place = max(range(len(left)), key=lambda p: (left[p], -p))
            if left[place] < share * best:
                break
            out.append(place)
            left[place] = -1.0
            open_terms = []
            for worth, places in terms:
                if place not in places:
                    open_terms.append((worth, places))
                    continue
                for p in places:
                    left[p] -= (1 - COVERED) * worth
            terms = open_terms
        return out


def term_weights(parts: Sequence[str], terms: Sequence[str]) -> list[float]:
    """A weight for every part; see :func:`match`."""
    return list(match(parts, terms).weights)


def match(parts: Sequence[str], terms: Sequence[str]) -> Relevance:
    """Weighs every part: the sum over the terms it holds, a rarer term counting more.

    A term counts its :func:`brain.text.bm25.idf` with the parts as documents: the title's word that
    stands in every sentence says little about which of them answers.

    Args:
        parts: the text's units.
        terms: folded, as :class:`brain.recall.query.Question` has them; ``部*`` for a lone
            character.
    """
    wanted = [term.rstrip("*") for term in terms[:MOST_TERMS]]
    wanted = list(dict.fromkeys(term for term in wanted if term))
    folded = [fold(part) for part in parts] if wanted else []
    holding: list[tuple[float, tuple[int, ...]]] = []
    met: set[str] = set()
    unmet: list[str] = []

    def look(term: str, worth: float) -> bool:
        places = tuple(place for place, text in enumerate(folded) if term in text)
        if places:
            holding.append((worth * idf(len(places), len(parts)), places))
        return bool(places)

    for term in wanted:
        if look(term, 1.0):
            met.update(term)
        elif is_han(term):
            unmet += term
    for char in dict.fromkeys(c for c in unmet if c not in met):
        look(char, LONE)
    total = [0.0] * len(parts)
    for worth, places in holding:
        for place in places:
            total[place] += worth
    return Relevance(tuple(total), tuple(holding))
