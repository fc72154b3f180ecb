"""Rankings of each lane alone and of lanes fused plainly, all from the same candidate lists.

The only module here that reaches into the engine's rooms.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench import files
from bench.data import Query, Task
from bench.vectors import CachedEmbedder
from brain.recall import fusion, lexical, semantic
from brain.recall import question as questions
from brain.store import file, memories, meta
from brain.text.fold import simplify

DEPTH = 100
"""Candidates a lane may propose, as in the engine."""

BIGRAM = "bigram BM25 alone"
TRIGRAM = "trigram BM25 alone"
LEXICAL = "lexical lane (bigram, then trigram)"
SEMANTIC = "semantic alone"
BIGRAM_TRIGRAM = "bigram + trigram, plain RRF"
BIGRAM_SEMANTIC = "bigram + semantic, plain RRF"
TRIGRAM_SEMANTIC = "trigram + semantic, plain RRF"
LEXICAL_SEMANTIC = "lexical lane + semantic, plain RRF"
ALL_THREE = "bigram + trigram + semantic, plain RRF"

ALONE = (BIGRAM, TRIGRAM, LEXICAL, SEMANTIC)
"""The single lanes; an engine must not lose to the best of them."""

NAMES = (*ALONE, BIGRAM_TRIGRAM, BIGRAM_SEMANTIC, TRIGRAM_SEMANTIC, LEXICAL_SEMANTIC, ALL_THREE)
WITH_VECTORS = frozenset(n for n in NAMES if "semantic" in n)

Rankings = dict[str, list[int]]


class Lanes:
    """The lanes of one memory file.

    Args:
        built: the file.
        embedder: of its vectors; None leaves out every ranking that needs them.
    """

    def __init__(self, task: Task, built: files.Built, embedder: CachedEmbedder | None) -> None:
        self._task = task
        self._embedder = embedder
        self._store = file.Store(built.path, read_only=True)

    def close(self) -> None:
        """Closes the file."""
        self._store.close()

    def rankings(self, query: Query) -> Rankings:
        """Memory ids, best first, under each name of ``NAMES`` that can be had."""
        asked = questions.read(query.text)
        view = files.view(query.scope, self._task.asked_at(query))
        near: Sequence[int] | None = None
        with self._store.read() as db:
            scopes = memories.scope_ids(db, view.scopes or ())
            highest = memories.highest_id(db)
            words = lexical.lane(db, asked, view, scopes, highest, DEPTH)
            if self._embedder is not None:
                vector = self._embedder.embed_query(simplify(asked.text))
                table = file.facts(db)[meta.VECTORS]
                near = [n.id for n in semantic.lane(db, table, vector, view, scopes, DEPTH)]
        grams = [f.id for f in words.found if f.score > 0]
        trigrams = [f for f in words.found if f.trigram > 0]
        windows = [f.id for f in sorted(trigrams, key=lambda f: (-f.trigram, f.id))]
        both = [f.id for f in words.found]
        out = {
            BIGRAM: grams,
            TRIGRAM: windows,
            LEXICAL: both,
            BIGRAM_TRIGRAM: fused(grams, windows),
        }
        if near is not None:
            out |= {
                SEMANTIC: list(near),
                BIGRAM_SEMANTIC: fused(grams, near),
                TRIGRAM_SEMANTIC: fused(windows, near),
                LEXICAL_SEMANTIC: fused(both, near),
                ALL_THREE: fused(grams, windows, near),
            }
        return out


def fused(*rankings: Sequence[int]) -> list[int]:
    """Plain reciprocal rank fusion, equal weights, ties by id."""
    lanes = [(1.0, {i: place for place, i in enumerate(r, start=1)}) for r in rankings]
    return fusion.ordered(fusion.rrf(lanes, sorted(set().union(*rankings))))
