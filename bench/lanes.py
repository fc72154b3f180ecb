"""Rankings of each index and lane alone, and of them fused plainly.

The two indexes are asked for every gram of the query as it stands: plain BM25, the baseline. The
lexical and the semantic lane are listened to while the engine answers, so they get the very
question the engine makes of a query (of a long message, the whole of it).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bench import files, plain, spies
from bench.data import Query, Task
from brain.recall import fusion, lexical, semantic
from brain.store import fts, memories, memory_file
from brain.text.fold import fold
from brain.text.tokenize import query_terms, trigram_windows

DEPTH = 100
"""Candidates of an index asked plainly, as many as a lane of the engine proposes."""

BIGRAM = "bigram BM25 alone"
TRIGRAM = "trigram BM25 alone"
LEXICAL = "lexical lane alone"
SEMANTIC = "semantic lane alone"
BIGRAM_TRIGRAM = "bigram + trigram, plain RRF"
BIGRAM_SEMANTIC = "bigram + semantic, plain RRF"
TRIGRAM_SEMANTIC = "trigram + semantic, plain RRF"
LEXICAL_SEMANTIC = "lexical lane + semantic, plain RRF"
ALL_THREE = "bigram + trigram + semantic, plain RRF"

ALONE = (BIGRAM, TRIGRAM, LEXICAL, SEMANTIC)
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
        """Memory ids, best first, of each lane that took part."""
        found = self._words[0].found if self._words else ()
        out = {LEXICAL: [f.id for f in found]}
        if self._near:
            out[SEMANTIC] = [n.id for n in self._near[0]]
        return out


@contextmanager
def listening() -> Iterator[Heard]:
    """Listens to the lanes while the engine answers."""
    with spies.results((lexical, "lane"), (semantic, "lane")) as (words, near):
        yield Heard(words, near)


class Lanes:
    """The rankings of one memory file.

    Args:
        store: the file.
        heard: the lanes of the engine, having answered the same question.
    """

    def __init__(self, task: Task, store: memory_file.Store, heard: Heard) -> None:
        self._task = task
        self._store = store
        self._heard = heard

    def rankings(self, query: Query) -> Rankings:
        """Memory ids, best first, under each name of ``NAMES`` that took part."""
        folded = fold(query.text)
        grams = self._plain(fts.GRAMS, query_terms(folded), query)
        windows = self._plain(fts.TRIGRAMS, trigram_windows(folded), query)
        out = self._heard.rankings()
        words, near = out[LEXICAL], out.get(SEMANTIC)
        out |= {BIGRAM: grams, TRIGRAM: windows, BIGRAM_TRIGRAM: fused(grams, windows)}
        if near is not None:
            out |= {
                BIGRAM_SEMANTIC: fused(grams, near),
                TRIGRAM_SEMANTIC: fused(windows, near),
                LEXICAL_SEMANTIC: fused(words, near),
                ALL_THREE: fused(grams, windows, near),
            }
        return out

    def _plain(self, index: str, asked: Sequence[str], query: Query) -> list[int]:
        view = files.view(query.scope, self._task.asked_at(query))
        with self._store.read() as db:
            scopes = memories.scope_ids(db, view.scopes or ())
            grams = list(dict.fromkeys(asked))
            return plain.search(db, index, grams, view, scopes, DEPTH)


def fused(*rankings: Sequence[int]) -> list[int]:
    """Plain reciprocal rank fusion, equal weights, ties by id."""
    lanes = [(1.0, {i: place for place, i in enumerate(r, start=1)}) for r in rankings]
    return fusion.ordered(fusion.rrf(lanes, sorted(set().union(*rankings))))
