"""Explaining a result in words: people read 成语接龙, the index holds 成语, 语接, 接龙."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.memory import Hit
from brain.text.fold import fold


def by_words(hit: Hit, words: Sequence[str]) -> Hit:
    """A hit whose matched terms are the question's words, as far as it holds them whole.

    Args:
        words: content words of the folded question; what none of them covers stays as it is.
    """
    lane = hit.lanes.get("lexical")
    if lane is None:
        return hit
    folded = fold(hit.memory.text)
    held = [word for word in words if word in folded]
    covered = set("".join(held))
    rest = [t for t in lane.terms if not set(t.rstrip("*")) <= covered]
    terms = tuple(dict.fromkeys((*held, *rest)))
    return replace(hit, lanes={**hit.lanes, "lexical": replace(lane, terms=terms)})
