"""The lexical lane: FTS5's bm25 over grams, with trigram windows proposing what grams miss.

A term that stands in a large part of all notes tells little and costs a scan of its whole posting
list. Terms are therefore taken rarest first until ``POSTINGS`` postings are to be read; a query of
frequent words alone looks at the newest notes that hold them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import apsw

from brain.recall.question import Question, Rewriting
from brain.store import terms as index
from brain.store.view import View

POSTINGS = 5_000
"""Postings one query may read in the gram index: about 2 ms of bm25 on a laptop core."""

OTHER_POSTINGS = 1_500
"""The same for other ways to write the query."""

WINDOW_POSTINGS = 1_500
"""The same for the trigram index, which only proposes what grams miss: rare windows."""

AGAIN_POSTINGS = 1_500
"""The same where a question is asked a second time, of another view."""

SAMPLE = 2_000
"""Newest ids a frequency is estimated on in a large file."""

EXACT_BELOW = 20_000
"""Files up to this many notes have every frequency looked up exactly."""

MOST_LOOKS = 4
"""Times a search goes on to more frequent terms when the rarer ones find nothing visible."""

FEW_NOTES = 3
"""A phrase that no more notes than these hold (or one in a hundred) is looked for in translation
as well."""

FREQUENT = 20
"""Hits in the sample from which the estimate is used; below it the posting list is short enough
to be counted."""


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate of the lane: bm25 in the gram index and in the trigram index, 0 where absent."""

    id: int
    score: float
    trigram: float


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the lane found.

    Args:
        found: candidates, best first.
        frequency: in how many notes each term of the query occurs (0: in none).
        total: how many notes there are to compare with.
        rewritings: those of the question that are of use in this file.
        windows: in how many notes each three-character window of the query occurs.
    """

    found: tuple[Found, ...] = ()
    frequency: Mapping[str, int] = field(default_factory=dict)
    total: int = 0
    rewritings: tuple[Rewriting, ...] = ()
    windows: Mapping[str, int] = field(default_factory=dict)

    def idf(self, term: str) -> float:
        """Inverse document frequency of a query term (BM25+ form, never negative)."""
        return idf(self.frequency.get(term, 0), self.total)


def idf(frequency: int, total: int) -> float:
    """log(1 + (N − n + ½) / (n + ½)), Robertson and Sparck Jones as used by Lucene's BM25."""
    n = min(frequency, total)
    return math.log(1.0 + (total - n + 0.5) / (n + 0.5))


def frequencies(
    db: apsw.Connection, name: str, terms: Sequence[str], highest: int
) -> dict[str, int]:
    """In how many notes each term occurs; an estimate for frequent terms of large files.

    Args:
        name: which index.
        highest: the highest memory id, standing in for the number of notes.
    """
    out: dict[str, int] = {}
    for term in terms:
        if term.endswith("*") and len(term) == 2:
            out[term] = index.frequency_between(db, name, term, highest - SAMPLE, highest)
            continue
        if highest > EXACT_BELOW:
            seen = index.frequency_between(db, name, term, highest - SAMPLE, highest)
            if seen >= FREQUENT:
                out[term] = seen * highest // SAMPLE
                continue
        out[term] = index.frequency(db, name, term)
    return out


def affordable(frequency: Mapping[str, int], postings: int) -> list[str]:
    """The rarest terms whose posting lists together stay within a budget; at least one."""
    chosen: list[str] = []
    used = 0
    present = sorted((n, t) for t, n in frequency.items() if n > 0)
    for n, term in present:
        if chosen and used + n > postings:
            break
        chosen.append(term)
        used += n
    return chosen


def _ranked(
    db: apsw.Connection,
    name: str,
    frequency: Mapping[str, int],
    view: View,
    scope_ids: Sequence[int] | None,
    limit: int,
    postings: int,
    looks: int = MOST_LOOKS,
) -> list[tuple[int, float]]:
    """What the rarest terms find. Frequencies are those of the whole file: where a view sees
    nothing of the rarest, the next ones are asked."""
    rest = dict(frequency)
    for _ in range(looks):
        chosen = affordable(rest, postings)
        if not chosen:
            return []
        newer_than = 0
        if len(chosen) == 1 and frequency[chosen[0]] > postings:
            newer_than = index.nth_newest(db, name, chosen[0], scope_ids, postings)
        found = index.search(db, name, chosen, view, scope_ids, limit, newer_than)
        if not found and newer_than and view.kind is None and looks > 1:
            # None of the newest is seen: what is asked about lies further back in time.
            found = index.search(db, name, chosen, view, scope_ids, limit)
        if found:
            return found
        rest = {term: n for term, n in rest.items() if term not in chosen}
    return []


def lane(
    db: apsw.Connection,
    question: Question,
    view: View,
    scope_ids: Sequence[int] | None,
    highest: int,
    limit: int,
    use_trigrams: bool = True,
) -> Lexical:
    """The notes whose words a question shares, best first.

    Grams order them; notes that write it otherwise come next. A note that only the trigram index
    finds (a piece of a longer identifier, a     script without grams of its own) comes after those.

    Args:
        highest: the highest memory id.
        limit: how many candidates each index may propose.
    """
    frequency = frequencies(db, index.GRAMS, question.terms, highest)
    by_gram = _ranked(db, index.GRAMS, frequency, view, scope_ids, limit, POSTINGS)
    question = usable(question, frequency, highest)
    other = frequencies(db, index.GRAMS, question.others, highest)
    by_other = _ranked(db, index.GRAMS, other, view, scope_ids, limit // 2, OTHER_POSTINGS)
    windows = frequencies(db, index.TRIGRAMS, question.windows, highest) if use_trigrams else {}
    by_trigram = _ranked(db, index.TRIGRAMS, windows, view, scope_ids, limit, WINDOW_POSTINGS)
    found = _joined(by_gram, by_other, by_trigram)
    return Lexical(found, frequency | other, highest, question.rewritings, windows)


def again(
    db: apsw.Connection,
    first: Lexical,
    question: Question,
    view: View,
    scope_ids: Sequence[int] | None,
    limit: int,
) -> tuple[Found, ...]:
    """What the terms of a question find in another view of the file, at one look and cheaply.

    Args:
        first: what :func:`lane` found for the same question, whose frequencies are used again.
    """
    groups = (
        (index.GRAMS, {t: first.frequency[t] for t in question.terms}),
        (index.GRAMS, {t: first.frequency.get(t, 0) for t in question.others}),
        (index.TRIGRAMS, first.windows),
    )
    return _joined(
        *(
            _ranked(db, name, frequency, view, scope_ids, limit, AGAIN_POSTINGS, looks=1)
            for name, frequency in groups
        )
    )


def _joined(
    by_gram: Sequence[tuple[int, float]],
    by_other: Sequence[tuple[int, float]],
    by_trigram: Sequence[tuple[int, float]],
) -> tuple[Found, ...]:
    second = dict(by_trigram)
    found = [Found(i, score, second.get(i, 0.0)) for i, score in by_gram]
    for i, score in by_other:
        if i not in {f.id for f in found}:
            found.append(Found(i, score, second.get(i, 0.0)))
    known = {f.id for f in found}
    found += [Found(i, 0.0, score) for i, score in by_trigram if i not in known]
    return tuple(found)


def usable(question: Question, frequency: Mapping[str, int], total: int) -> Question:
    """The question without translations of phrases that enough notes hold as they are.

    A translated word in a file that has the word itself draws in notes of another language
    (measured: −.005 nDCG@10 on technical Chinese).
    """
    few = max(FEW_NOTES, total // 100)
    kept = tuple(
        r
        for r in question.rewritings
        if not r.translated or min(frequency.get(t, 0) for t in r.phrase) <= few
    )
    return replace(question, rewritings=kept)
