"""Explaining a result in words: people read 成语接龙, the index holds 成语, 语接, 接龙."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.memory import Hit
from brain.recall import wording
from brain.text.fold import fold
from brain.text.grams import is_han


def by_words(hit: Hit, words: Sequence[str], folded: str) -> Hit:
    """A hit whose matched terms are the question's words, as far as it holds them.

    A word that it writes otherwise is told with that (``运动→慢跑``). Of a word that it holds only
    a part of, that part stays (成语 of 成语接龙); a term across two words is none and goes.

    Args:
        words: content words of the folded question.
        folded: the folded question.
    """
    lane = hit.lanes.get("lexical")
    if lane is None:
        return hit
    text = fold(hit.memory.text)
    held = [word for word in words if word in text]
    covered = set("".join(held))
    pairs = wording.otherwise(folded, lane.terms, hit.memory.text)
    covered |= set("".join(phrase for phrase, _ in pairs))
    rest = [
        term
        for term in lane.terms
        if not set(term.rstrip("*")) <= covered
        and (lane.via is not None or not is_han(term) or term in text)
        and (not is_han(term) or any(term in word for word in words))
    ]
    otherwise = (f"{phrase}→{other}" for phrase, other in pairs)
    terms = tuple(dict.fromkeys((*held, *otherwise, *rest)))
    return replace(hit, lanes={**hit.lanes, "lexical": replace(lane, terms=terms)})
