"""Rankings of each lane alone and of lanes fused plainly, all from the engine's own candidates.

The lanes are listened to while the engine answers, so they get the very question the engine makes
of a query. Of a long message the engine asks parts as well; the lanes here are those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bench import files, spies
from bench.data import Query, Task
from brain.recall import fusion, lexical, semantic
from brain.store import file, memories, terms
from brain.text.fold import fold
from brain.text.grams import query_terms

DEPTH = 100
"""Candidates of the baseline, as many as a lane of the engine proposes."""

BASELINE = "character bigrams, BM25, nothing else"
BIGRAM = "bigram lane alone"
TRIGRAM = "trigram lane alone"
LEXICAL = "lexical lane (bigram, then trigram)"
SEMANTIC = "semantic lane alone"
BIGRAM_TRIGRAM = "bigram + trigram, plain RRF"
BIGRAM_SEMANTIC = "bigram + semantic, plain RRF"
TRIGRAM_SEMANTIC = "trigram + semantic, plain RRF"
LEXICAL_SEMANTIC = "lexical lane + semantic, plain RRF"
ALL_THREE = "bigram + trigram + semantic, plain RRF"

ALONE = (BASELINE, BIGRAM, TRIGRAM, LEXICAL, SEMANTIC)
"""The single lanes; an engine must not lose to the best of them."""

NAMES = (*ALONE, BIGRAM_TRIGRAM, BIGRAM_SEMANTIC, TRIGRAM_SEMANTIC, LEXICAL_SEMANTIC, ALL_THREE)

Rankings = dict[str, list[int]]


class Heard:
    """What the lanes said of the last question."""

    def __init__(self, words: list[Any], near: list[Any]) -> None:
        self._words = words
        self._near = near

    def clear(self) -> None:
        """Forgets; to be called before each question."""
        self._words.clear()
        self._near.clear()

    def rankings(self) -> Rankings:
        """Memory ids, best first, under each name of ``NAMES`` that took part."""
        found = self._words[0].found if self._words else ()
        grams = [f.id for f in found if f.score > 0]
        windows = [f.id for f in sorted(found, key=lambda f: (-f.trigram, f.id)) if f.trigram > 0]
        both = [f.id for f in found]
        out = {
            BIGRAM: grams,
            TRIGRAM: windows,
            LEXICAL: both,
            BIGRAM_TRIGRAM: fused(grams, windows),
        }
        if self._near:
            near = [n.id for n in self._near[0]]
            out |= {
                SEMANTIC: near,
                BIGRAM_SEMANTIC: fused(grams, near),
                TRIGRAM_SEMANTIC: fused(windows, near),
                LEXICAL_SEMANTIC: fused(both, near),
                ALL_THREE: fused(grams, windows, near),
            }
        return out


@contextmanager
def listening() -> Iterator[Heard]:
    """Listens to the lanes while the engine answers."""
    with spies.results((lexical, "lane"), (semantic, "lane")) as (words, near):
        yield Heard(words, near)


def baseline(store: file.Store, task: Task, query: Query) -> list[int]:
    """FTS5's BM25 over every character bigram (and word) of the query as it stands."""
    view = files.view(query.scope, task.asked_at(query))
    with store.read() as db:
        scopes = memories.scope_ids(db, view.scopes or ())
        asked = list(dict.fromkeys(query_terms(fold(query.text))))
        return [i for i, _ in terms.search(db, terms.GRAMS, asked, view, scopes, DEPTH)]


def fused(*rankings: Sequence[int]) -> list[int]:
    """Plain reciprocal rank fusion, equal weights, ties by id."""
    lanes = [(1.0, {i: place for place, i in enumerate(r, start=1)}) for r in rankings]
    return fusion.ordered(fusion.rrf(lanes, sorted(set().union(*rankings))))
