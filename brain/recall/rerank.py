"""The second stage: how well each of the best candidates really answers.

The lanes' ranks say who comes first in a lane, not by how much. For the best candidates of both,
this stage puts three measures side by side, each scaled within the query: BM25 against the best
BM25, similarity against the best and the crowd, and the share of the query's IDF mass that the
candidate holds. Their sum gives an order, and only that order goes on into the fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from brain.recall import coverage
from brain.recall.query import Question, Rewriting
from brain.text import names, typos
from brain.text.bm25 import saturation
from brain.text.tokenize import QueryTerms, count_terms

SIMILARITY_WEIGHT = 1.4
COVERAGE_WEIGHT = 1.0
"""Picked on a grid over five sets with e5-small, BM25 at 1; near the pick the mean is flat
(bench/retrieval.py prints the result)."""

FAINT = 0.25
"""What a word that says little (问题, 处理) counts of what an answer should cover. Rare in a small
file, it would weigh as much as what is asked about; .25 and .5 differ by less than .001 AUROC."""

OTHERWISE = 0.25
"""Power of what another way to write a word counts, where it is asked whether a note covers the
query: .7 gives .91, .5 gives .84. In the order the note with the word itself should come first; as
an answer 橘猫 is nearly as good as 宠物 (on our own questions .02 of recall more than at .7, at
the same false injections)."""

APART = 0.5
"""What a gram counts whose two characters a note holds, but not side by side."""

BARE_SHARE = 0.5
"""Of its weight that similarity keeps for a bare word or two: one word has little meaning of its
own to be near to."""

TIME_WEIGHT = 1.0
"""What fitting the time asked about is worth, where a perfect match of words is 2: a preference
among what answers, never a filter."""

TIME_SHARPNESS = 3
"""Power of the fit: the day before the one asked about fits .8, and should count half."""

ALONE_SHARE = 0.2
"""Of its weight that similarity keeps where a time is all that is asked for, and words do too: 前天
means no more to one note than to another, and 11月25号 is no topic of 每月25号."""

CROWD_FROM = 20
"""Similarities from this place on are the crowd a near one is measured against."""

LEAST_SPREAD = 0.035
"""A best similarity nearer to the crowd than this is no evidence, and is not blown up to one."""


LEAST_WORDS = 0.3
"""Where the best BM25 rests on other wordings and is below this share of the query's IDF mass, it
is little evidence, and is not blown up to one either: a single synonym must not outweigh a meaning
that is near."""


NEIGHBOUR_SHARE = 0.4
"""Measured on the two conversation sets: from .3 to .5 the gain is nearly the same."""


OWN_FLOOR = 0.3
"""A neighbour needs this much of its own score for its full share."""


LETTERS = 2
"""Letters from which another identifier is another thing: 10.8.0.14 and v2.5 may be the new value
of what was 10.8.0.4 and v2.4."""


TYPED_NAME = 3
"""Characters of a name from which on one that sounds the same is a slip of the input method."""


class Named(NamedTuple):
    """How a note names those whom a question names.

    Args:
        best: the best match of one of them, in [0, 1].
        absent: the share of them of which it says nothing.
        rival: whether it names another in the place of one.
    """

    best: float = 0.0
    absent: float = 0.0
    rival: bool = False


NAMES_NOBODY = Named()
"""What is said where a question names nobody."""


class Evidence(NamedTuple):
    """What speaks for one candidate.

    Args:
        bm25: over grams, 0 where none matches.
        coverage: share of the query's IDF mass it holds, in [0, 1].
        content: the same over the query's content terms alone.
        similarity: cosine of its nearest passage, None without vectors.
        score: the weighted sum; good for order only.
        support: the part of the score that its neighbours gave it.
        held: the terms of the query it holds, as they are or written otherwise.
        timely: whether it may answer for the time asked about (:mod:`brain.recall.in_time`).
        fit: how well it fits that time, in [0, 1].
        soft: share of the question's words it holds, typed otherwise or as words of near meaning
            too (:mod:`brain.recall.coverage`).
        names: how it names whom the question names.
    """

    bm25: float
    coverage: float
    content: float
    similarity: float | None
    score: float
    support: float = 0.0
    held: tuple[str, ...] = ()
    timely: bool = True
    fit: float = 0.0
    soft: float = 0.0
    names: Named = NAMES_NOBODY


def written_otherwise(
    counts: Mapping[str, int],
    rewritings: Sequence[Rewriting],
    idf: Callable[[str], float],
) -> dict[str, float]:
    """Terms of the query a text lacks but writes in another way, with what each then counts.

    The other way counts its worth, and no more IDF than it has itself: a rare word is not found by
    a frequent one that may stand for it.
    """
    out: dict[str, float] = {}
    for one in rewritings:
        if one.other[0] not in counts or not all(term in counts for term in one.other):
            continue
        common = sum(idf(term) for term in one.other) / len(one.other)
        for term in one.phrase:
            if term not in counts:
                factor = one.worth * min(1.0, common / max(idf(term), 1e-9))
                out[term] = max(out.get(term, 0.0), factor)
    return out


class Text(NamedTuple):
    """A candidate's text, held against a question once.

    Args:
        folded: the folded text.
        held: how often it holds each term of the question, or of its other wordings, that it
            holds; a part of once where it writes a term otherwise.
        otherwise: those terms of ``held`` that it only writes otherwise.
        length: how many terms it has.
    """

    folded: str
    held: Mapping[str, float]
    otherwise: Mapping[str, float]
    length: int


def read(
    folded: str,
    question: Question,
    wanted: QueryTerms,
    idf: Callable[[str], float] = lambda term: 1.0,
) -> Text:
    """Counts the terms of a question in a candidate's text.

    Args:
        wanted: the question's terms, those of its other wordings among them.
        idf: of a term, for :func:`written_otherwise`.
    """
    counts, length = count_terms(folded, wanted)
    if not question.rewritings:
        return Text(folded, counts, {}, length)
    otherwise = written_otherwise(counts, question.rewritings, idf)
    held = {**counts, **otherwise} if otherwise else counts
    return Text(folded, held, otherwise, length)


def share(
    folded: str,
    held: Mapping[str, float],
    weights: Mapping[str, float],
    total: float,
    apart: Sequence[_Pair] = (),
) -> float:
    """Which share of weighted terms a text holds.

    Args:
        folded, held: as in :class:`Text`.
        total: the sum of the weights.
        apart: from :func:`_apart`: what a gram counts whose two characters stand in the text, but
            not side by side.
    """
    if total <= 0:
        return 0.0
    found = 0.0
    for term, often in held.items():
        if term in weights:
            found += weights[term] if often >= 1.0 else weights[term] * often
    if apart:
        for term, worth in [(t, w) for t, a, b, w in apart if a in folded and b in folded]:
            if (often := held.get(term, 0.0)) < APART:
                found += worth - weights[term] * often
    return found / total


_Pair = tuple[str, str, str, float]
"""A gram, its two characters, and what they count where they stand apart."""


def _apart(weights: Mapping[str, float]) -> tuple[_Pair, ...]:
    """The grams of Han among some terms.

    Most grams that no note holds lie across two words of the query (厅须 in 白鹭厅须知); a note
    that has both characters may well hold both words.
    """
    return tuple(
        (term, term[0], term[1], APART * weight)
        for term, weight in weights.items()
        if len(term) == 2 and not term.isascii()
    )


def bm25(
    text: Text, weights: Mapping[str, float], average: float, *, literal: bool = False
) -> float:
    """BM25 of one text, as :mod:`brain.text.bm25` has it.

    FTS5's own value cannot weigh terms; here a function word counts less than a content word.

    Args:
        weights: query term → IDF times its weight.
        average: mean number of terms of a note.
        literal: leaves out what the text writes otherwise.
    """
    total = 0.0
    once = saturation(1.0, text.length, average)
    for term, often in text.held.items():
        weight = weights.get(term)
        if weight is None or (literal and term in text.otherwise):
            continue
        if often > 1.0:
            total += weight * saturation(often, text.length, average)
        else:
            # Below one it is a word written otherwise, once: the weight is less, not the count.
            total += often * weight * once
    return total


def crowd(similarities: Sequence[float]) -> float:
    """What unrelated text of this file looks like to a query: the mean from place 20 on.

    Args:
        similarities: falling; with few of them the lowest stands for the crowd.
    """
    rest = similarities[CROWD_FROM:]
    if rest:
        return sum(rest) / len(rest)
    return similarities[-1] if similarities else 0.0


def weigh(
    folded: Mapping[int, str],
    similarity: Mapping[int, float],
    question: Question,
    idf: Callable[[str], float],
    background: float,
    average: float,
    in_time: Mapping[int, tuple[float, bool]],
    frequency: Mapping[str, int],
    total: int,
) -> dict[int, Evidence]:
    """The evidence for each candidate.

    Args:
        folded: candidate id → its folded text.
        similarity: candidate id → cosine, where it has one.
        idf: of a term.
        background: :func:`crowd` of the lane's similarities.
        average: mean number of terms of a note.
        in_time: candidate id → how well it fits the times asked about, in [0, 1], and whether it
            may answer for them.
        frequency: in how many notes each term of the question occurs.
        total: how many notes there are.
    """
    idfs = {t: idf(t) for t in question.known}
    all_terms = {t: idfs[t] * weight for t, weight in question.weights.items()}
    all_weight = sum(all_terms.values())
    content_terms = {t: idfs[t] * (FAINT if t in question.faint else 1.0) for t in question.content}
    content_weight = sum(content_terms.values())
    apart = _apart(content_terms)
    wanted = QueryTerms.of((*idfs, *question.others))
    texts = {key: read(text, question, wanted, idf) for key, text in folded.items()}
    words = {key: bm25(text, all_terms, average) for key, text in texts.items()}
    best = max(words.values(), default=0.0)
    if any(text.otherwise for text in texts.values()):
        literal = (
            bm25(text, all_terms, average, literal=True) if text.otherwise else words[key]
            for key, text in texts.items()
        )
        if max(literal) < best:
            best = max(best, LEAST_WORDS * all_weight)
    spread = max(max(similarity.values(), default=0.0) - background, LEAST_SPREAD)
    meaning = SIMILARITY_WEIGHT * (BARE_SHARE if question.bare else 1.0)
    share_kept = ALONE_SHARE if question.time_alone else 1.0
    meaning *= share_kept
    terms = question.terms
    asked = coverage.units(question.runs, frequency, total)
    answers = {key: _as_answer(text) for key, text in texts.items()}
    covered = coverage.cover(asked, folded, answers)
    out: dict[int, Evidence] = {}
    for key, cut in texts.items():
        own = cut.held
        whole = share(cut.folded, own, all_terms, all_weight)
        near = similarity.get(key)
        fit, timely = in_time.get(key, (0.0, True))
        score = COVERAGE_WEIGHT * whole + (words[key] / best if best > 0 else 0.0)
        score = share_kept * score + TIME_WEIGHT * fit**TIME_SHARPNESS
        if near is not None:
            score += meaning * (near - background) / spread
        if question.time_alone:
            # 昨天做了什么: the time is all that is asked for.
            content = soft = fit
        else:
            content = share(cut.folded, answers[key], content_terms, content_weight, apart)
            soft = covered[key]
        held = tuple([t for t in terms if t in own])
        called = _named(question, cut.folded) if question.names else NAMES_NOBODY
        out[key] = Evidence(
            words[key], whole, content, near, score, 0.0, held, timely, fit, soft, called
        )
    return out


def _named(question: Question, folded: str) -> Named:
    found = [_match(one, question.aliases.get(one.text, ()), folded) for one in question.names]
    if question.long:
        # Of a log's other identifiers no note has to speak.
        return Named(max(0.0, *found))
    absent = sum(one <= 0.0 for one in found) / len(found)
    rival = any(
        value < 0.0 and sum(map(str.isalpha, name.text)) >= LETTERS
        for name, value in zip(question.names, found, strict=True)
    )
    return Named(max(0.0, *found), absent, rival)


def _match(name: names.Name, others: Sequence[str], folded: str) -> float:
    """How a note names one: :func:`brain.text.names.match`, in full by another of its names."""
    if any(other in folded for other in others):
        return names.WHOLE
    found = names.match(name, folded)
    # 周启杭 is 周启航 mistyped; of 章总 and 张总 nobody knows.
    typed = found < 0.0 and name.kind == "person" and len(name.text) >= TYPED_NAME
    return names.MAYBE if typed and typos.slip(name.text, folded) else found


def _as_answer(text: Text) -> Mapping[str, float]:
    """What a text holds, with what it writes otherwise counted as an answer: ``OTHERWISE``."""
    if not text.otherwise:
        return text.held
    said = {term: factor**OTHERWISE for term, factor in text.otherwise.items()}
    return {**text.held, **said}


def support(
    weighed: Mapping[int, Evidence],
    neighbours: Mapping[int, Iterable[int]],
    turns: Collection[int],
) -> dict[int, Evidence]:
    """Lets a strong candidate speak for the notes recorded beside it.

    In a conversation the words of the question stand in one turn and the answer in the next, and
    facts about one person are told one after another. A note gets a share of its best neighbour's
    own score; what neighbours gave is not passed on. A note with nothing of its own gets nothing,
    a turn of a conversation gets its share all the same.

    Args:
        neighbours: candidate id → ids of the notes beside it.
        turns: ids of those that are turns of a conversation.
    """
    out = dict(weighed)
    for key in sorted(neighbours):
        given = NEIGHBOUR_SHARE * weighed[key].score
        for other in neighbours[key]:
            if other not in out:
                continue
            own = weighed[other].score
            share = given * (1.0 if other in turns else min(1.0, max(0.0, own) / OWN_FLOOR))
            if share > out[other].support:
                out[other] = out[other]._replace(score=own + share, support=share)
    return out
