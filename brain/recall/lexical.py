"""The lexical lane: BM25 over grams, with trigram windows proposing what grams miss.

A term that stands in a large part of all notes tells little and costs a scan of its whole posting
list. Terms are therefore taken rarest first until ``POSTINGS`` postings are to be read; a query of
frequent words alone looks at the newest notes that hold them.

The lane counts a term once however often a note holds it: posting lists alone are read, in a tenth
of the time FTS5's own bm25 takes. The second stage counts the best candidates' terms in full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from brain.recall.query import Question, Rewriting
from brain.store import fts
from brain.store.memories import visible
from brain.store.view import View
from brain.text.bm25 import idf, saturation
from brain.text.tokenize import index_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction


POSTINGS = 10_000
"""Postings one query may read in the gram index: about 2 ms on a laptop core."""

KIND_POSTINGS = 100_000
"""The same for the newest that hold a frequent word, where those of one kind alone are wanted."""

OTHER_POSTINGS = 1_500
"""The same for other ways to write the query."""

WINDOW_POSTINGS = 1_500
"""The same for the trigram index, which only proposes what grams miss: rare windows."""

AGAIN_POSTINGS = 1_500
"""The same where a question is asked a second time, of another view."""

SHORT = 500
"""Postings of each term that are read when its frequency is looked up, the newest."""

COUNTED = 20_000
"""Notes up to which the frequency of a term with more postings is counted. In a larger file it is
estimated: the newest postings are known, older ones are counted in a few stretches."""

STRETCHES = 2
STRETCH = 500
"""How many, spread evenly over the file, and of how many notes each."""

MOST_LOOKS = 4
"""Times a search goes on to more frequent terms when the rarer ones find nothing visible."""

RANKED = 200
"""How many notes have their length looked up, the best by their terms alone; at least twice as many
as are wanted."""

WIDER = 5
"""How many times more have it where too few of those are visible."""

FEW_NOTES = 3
"""A phrase that no more notes than these hold (or one in a hundred) is looked for in translation
as well."""


class Found(NamedTuple):
    """A candidate of the lane: BM25 in the gram index and in the trigram index, 0 where absent."""

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
        average: mean number of terms of a note.
        indexed: whether the index could be read; see :func:`without_index`.
    """

    found: tuple[Found, ...] = ()
    frequency: Mapping[str, int] = field(default_factory=dict)
    total: int = 0
    rewritings: tuple[Rewriting, ...] = ()
    windows: Mapping[str, int] = field(default_factory=dict)
    average: float = 0.0
    indexed: bool = True

    def idf(self, term: str) -> float:
        """Inverse document frequency of a query term in the file, above 0."""
        return idf(self.frequency.get(term, 0), self.total)


@dataclass(frozen=True, slots=True)
class Looked:
    """Terms looked up in an index.

    Args:
        frequency: in how many notes each occurs; an estimate for frequent terms of large files.
        held: the notes that hold them, as decimal text with commas between, of those terms whose
            lists were short and read whole.
    """

    frequency: dict[str, int] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)


Memo = dict[str, Looked]
"""What has been looked up in each index for one message: its parts ask for terms of the whole."""


def look_up(
    db: Transaction,
    name: str,
    terms: Sequence[str],
    scope_ids: Sequence[int] | None,
    highest: int,
    memo: Memo,
) -> Looked:
    """How frequent terms are, and which notes hold the rare ones; looks for those not in the memo.

    Args:
        name: which index.
        memo: of one moment of the file and one set of scopes; gains what is looked up.
    """
    known = memo.setdefault(name, Looked())
    new = _look_up(db, name, [t for t in terms if t not in known.frequency], scope_ids, highest)
    known.frequency.update(new.frequency)
    known.held.update(new.held)
    return Looked(
        {t: known.frequency[t] for t in terms},
        {t: known.held[t] for t in terms if t in known.held},
    )


def _look_up(
    db: Transaction,
    name: str,
    terms: Sequence[str],
    scope_ids: Sequence[int] | None,
    highest: int,
) -> Looked:
    """Looks terms up in an index.

    Args:
        scope_ids: None where all scopes are seen; a list of other notes' ids is of no use.
        highest: the highest memory id, standing in for the number of notes.
    """
    if not terms:
        return Looked()
    read = fts.postings(db, name, terms, None, SHORT)
    frequency = {t: size(ids) for t, ids in read.items()}
    held = {t: ids for t, ids in read.items() if frequency[t] < SHORT}
    longer = [t for t in read if t not in held]
    if highest > COUNTED:
        frequency |= _estimated(db, name, {t: oldest(read[t]) for t in longer})
    else:
        prefixes = {t for t in longer if t.endswith("*") and len(t) == 2}
        frequency |= fts.frequencies_between(db, name, prefixes, 0, highest)
        frequency |= fts.frequencies(db, name, [t for t in longer if t not in prefixes])
    return Looked(frequency, held if scope_ids is None else {})


def _estimated(db: Transaction, name: str, since: Mapping[str, int]) -> dict[str, int]:
    """About how many notes hold each of some terms.

    What lies further back is counted apart: a word of the last weeks is not a frequent one because
    the newest notes are full of it.

    Args:
        since: term → the note from which on ``SHORT`` notes hold it.
    """
    asked = [
        (term, low, high) for term, first in since.items() for low, high in _stretches(first - 1)
    ]
    counts = fts.counted(db, name, asked)
    held = dict.fromkeys(since, 0)
    read = dict.fromkeys(since, 0)
    for (term, low, high), count in zip(asked, counts, strict=True):
        held[term] += count
        read[term] += high - low
    return {
        term: SHORT + held[term] * (first - 1) // max(read[term], 1)
        for term, first in since.items()
    }


def _stretches(size: int) -> list[tuple[int, int]]:
    """Evenly spread stretches of the first ``size`` ids; all of them where those are few."""
    if size <= STRETCHES * STRETCH:
        return [(0, size)]
    starts = ((2 * i + 1) * size // (2 * STRETCHES) - STRETCH // 2 for i in range(STRETCHES))
    return [(start, start + STRETCH) for start in starts]


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
    db: Transaction,
    name: str,
    looked: Looked,
    view: View,
    scope_ids: Sequence[int] | None,
    highest: int,
    limit: int,
    postings: int,
    looks: int = MOST_LOOKS,
) -> list[tuple[int, float]]:
    """What the rarest terms find. Frequencies are those of the whole file: where a view sees
    nothing of the rarest, the next ones are asked."""
    frequency = looked.frequency
    rest = dict(frequency)
    for _ in range(looks):
        chosen = affordable(rest, postings)
        if not chosen:
            return []
        held = {t: looked.held[t] for t in chosen if t in looked.held}
        unread = [t for t in chosen if t not in held]
        # Several together are within the budget, but where an estimate is too low.
        read = fts.postings(db, name, unread, scope_ids, postings)
        cut = any(size(ids) == postings for ids in read.values())
        held |= read
        worth = {t: idf(frequency[t], highest) for t in chosen}
        found = _best(db, name, [(held[t], worth[t]) for t in chosen], view, limit)
        if not found and cut and looks > 1:
            # None of the newest is seen: what is asked about lies further back in time. Skills are
            # looked for with every question, so of a kind not all are.
            more = None if view.kind is None else KIND_POSTINGS
            held = fts.postings(db, name, unread, scope_ids, more)
            found = _best(db, name, [(held[t], worth[t]) for t in unread], view, limit)
        if found:
            return found
        rest = {term: n for term, n in rest.items() if term not in chosen}
    return []


def _best(
    db: Transaction,
    name: str,
    lists: Sequence[tuple[str, float]],
    view: View,
    limit: int,
) -> list[tuple[int, float]]:
    """The visible notes of the highest BM25, best first, ties by id.

    Args:
        lists: the notes that hold each term, and its IDF. Lengths are looked up for those alone
            that are the highest without them.
    """
    import numpy as np

    notes, sums = summed(lists)
    average = fts.average_length(db, name)
    count = max(RANKED, 2 * limit)
    while True:
        ids, scores = topmost(notes, sums, count)
        found = fts.lengths(db, name, ids.tolist())
        lengths = np.array([found[i] for i in ids.tolist()], dtype=np.float64)
        scores = scores * saturation(1.0, lengths, average)
        order = np.lexsort((ids, -scores))
        best = list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))
        kept: list[tuple[int, float]] = []
        # Records lie far apart in the file: no more are looked at than are wanted.
        for start in range(0, len(best), limit):
            some = best[start : start + limit]
            shown = visible(db, [i for i, _ in some], view)
            kept += [(i, score) for i, score in some if i in shown]
            if len(kept) >= limit:
                return kept[:limit]
        if count >= len(notes):
            return kept
        count *= WIDER


def lane(
    db: Transaction,
    question: Question,
    view: View,
    scope_ids: Sequence[int] | None,
    highest: int,
    limit: int,
    memo: Memo,
    use_trigrams: bool = True,
) -> Lexical:
    """The notes whose words a question shares, best first.

    Grams order them; notes that write it otherwise come next. A note that only the trigram index
    finds (a piece of a longer identifier, a script without grams of its own) comes after those.

    Args:
        highest: the highest memory id.
        limit: how many candidates each index may propose.
        memo: of what was looked up for the same message before.
    """
    own = look_up(db, fts.GRAMS, question.terms, scope_ids, highest, memo)
    by_gram = _ranked(db, fts.GRAMS, own, view, scope_ids, highest, limit, POSTINGS)
    question = usable(question, own.frequency, highest)
    other = look_up(db, fts.GRAMS, question.others, scope_ids, highest, memo)
    by_other = _ranked(db, fts.GRAMS, other, view, scope_ids, highest, limit // 2, OTHER_POSTINGS)
    windows = Looked()
    if use_trigrams:
        windows = look_up(db, fts.TRIGRAMS, question.windows, scope_ids, highest, memo)
    by_trigram = _ranked(
        db, fts.TRIGRAMS, windows, view, scope_ids, highest, limit, WINDOW_POSTINGS
    )
    found = _joined(by_gram, by_other, by_trigram)
    frequency = {**own.frequency, **other.frequency}
    average = fts.average_length(db)
    return Lexical(found, frequency, highest, question.rewritings, windows.frequency, average)


def without_index(question: Question, folded: Sequence[str], highest: int) -> Lexical:
    """What stands in for the lane where its index is damaged: how often terms occur among the
    notes that the semantic lane found, and how long those are.

    Args:
        folded: their texts.
        highest: as for :func:`lane`.
    """
    terms = {*question.known, *question.terms, *question.others}
    held = {term: sum(term.rstrip("*") in text for text in folded) for term in terms}
    average = sum(len(index_terms(text)) for text in folded) / max(len(folded), 1)
    return Lexical((), held, highest, question.rewritings, average=average, indexed=False)


def again(
    db: Transaction,
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
    groups: tuple[tuple[str, dict[str, int]], ...] = (
        (fts.GRAMS, {t: first.frequency[t] for t in question.terms}),
        (fts.GRAMS, {t: first.frequency.get(t, 0) for t in question.others}),
        (fts.TRIGRAMS, dict(first.windows)),
    )
    return _joined(
        *(
            _ranked(
                db, name, Looked(counts), view, scope_ids, first.total, limit, AGAIN_POSTINGS, 1
            )
            for name, counts in groups
        )
    )


def _joined(
    by_gram: Sequence[tuple[int, float]],
    by_other: Sequence[tuple[int, float]],
    by_trigram: Sequence[tuple[int, float]],
) -> tuple[Found, ...]:
    second = dict(by_trigram)
    first = dict(by_gram)
    first |= {i: score for i, score in by_other if i not in first}
    found = [Found(i, score, second.get(i, 0.0)) for i, score in first.items()]
    found += [Found(i, 0.0, score) for i, score in by_trigram if i not in first]
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


DENSE = 16
"""Where ids span at most so many times the postings, they index an array of sums as they are; where
they lie further apart, sorting them is cheaper than touching so much memory."""


def size(ids: str) -> int:
    """How many ids a list holds, as :func:`brain.store.fts.postings` gives it."""
    return ids.count(",") + 1 if ids else 0


def oldest(ids: str) -> int:
    """The lowest id of a list that has any."""
    import numpy as np

    return int(np.fromstring(ids, dtype=np.int64, sep=",").min())


def summed(
    lists: Sequence[tuple[str, float]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The notes of some posting lists, and the sum of what their lists are worth.

    Args:
        lists: (ids as decimal text with commas between, what a note gains that is in the list);
            added in this order, so that the same lists give the same float.

    Returns:
        Ids, ascending, (n,), and their sums, (n,).
    """
    import numpy as np

    given = [(ids, worth) for ids, worth in lists if ids]
    if not given:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    # Parsing all of them at once takes a tenth of the time of splitting and adding up in a dict.
    every = np.fromstring(",".join([ids for ids, _ in given]), dtype=np.int64, sep=",")
    worth = np.repeat([worth for _, worth in given], [size(ids) for ids, _ in given])
    low, high = int(every.min()), int(every.max())
    if high - low < DENSE * len(every):
        places = every - low
        # What is worth nothing is found all the same.
        found = np.flatnonzero(np.bincount(places))
        return found + low, _sums(places, worth)[found]
    notes, places = np.unique(every, return_inverse=True)
    return notes, _sums(places, worth)


def _sums(places: NDArray[np.intp], worth: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.bincount(places, worth).astype(np.float64, copy=False)


def topmost(
    ids: NDArray[np.int64], sums: NDArray[np.float64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The notes with the highest sums, at most ``count``; of equal ones the newest.

    Args:
        ids: ascending.
    """
    import numpy as np

    if len(ids) <= count:
        return ids, sums
    least = np.partition(sums, len(sums) - count)[len(sums) - count]
    above = np.flatnonzero(sums > least)
    level = np.flatnonzero(sums == least)
    kept = np.concatenate([above, level[len(level) - (count - len(above)) :]])
    return ids[kept], sums[kept]
