"""Recall: run the lanes, weigh the best candidates, fuse by rank, keep the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from brain.memory import Hit, LaneRank, Memory
from brain.recall import fusion, in_time, language, lexical, rerank, semantic, superseded
from brain.recall.fusion import quality, recency
from brain.recall.query import Question, also_called
from brain.store import fts, memories
from brain.store.vectors import vector_index
from brain.store.view import View, to_ms
from brain.text import changes
from brain.text.fold import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction

POOL = 100
"""How many candidates each lane may propose."""

WORDS_BESIDE = 50
"""How many the lexical lane may where the semantic lane proposes as well: what it puts behind them
is there more often by chance (measured: from 40 to 60 the mean of six sets is the same or higher,
on technical Chinese by .005)."""

SECOND_STAGE = 24
"""How many of them, by the lanes' fused rank, the second stage weighs."""

BARE_STAGE = 30
"""The same for a word or two by themselves: many notes may hold them, and half the places go to
what is only near."""

ALIASED = 12
"""How many of them are read for the other names they give to those whom the question names."""

IN_TIME = 20
"""How many records of each time asked about are weighed, the newest ones."""

NEIGHBOURLY = 5
"""How many of the best candidates bring in the notes recorded beside them."""

REACH = 2
"""How far beside: notes on each side."""

TOGETHER_MS = 12 * 3_600_000
"""Notes further apart in valid time than half a day do not belong together."""

NOT_TALK = frozenset({"user", "model"})
"""Sources of notes that stand for themselves; others (chat, hermes) record a conversation."""

CHANGED_AMONG = 8
"""Of how many of the best hits it is looked whether they change a better one."""

NEARLY = 0.25
"""Of the older note's score what the newer one needs to stand before it."""

SAME_THING = 0.25
"""Of what a change is about, how much the older note holds."""

EVIDENCE_WEIGHT = 1.0
QUALITY_WEIGHT = 0.03
"""The prior settles near-ties; it must not lift a poor match over a good one."""

QUALITY_STEP = 0.05
"""Differences of quality below this are none: a second of age must not be a rank."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where to look.

    Args:
        db: a connection inside one read transaction.
        vector: the embedded question, (dim,), or None to leave the semantic lane out.
        table: the vector table, or None.
        reference: the instant recency counts from, UTC ISO; None before the first decay.
        lift: what the similarity of a note gains that is not in the question's language.
        memo: what was looked up for other parts of the same message, in the same scopes.
    """

    db: Transaction
    vector: NDArray[np.float32] | None
    table: str | None
    reference: str | None
    lift: float = 0.0
    memo: lexical.Memo = field(default_factory=dict)


class Ranked(NamedTuple):
    """The fused order of a question's candidates, with what speaks for each.

    Args:
        hits: best first, each with its lanes; ``text`` is the whole memory.
        evidence: hit id → its evidence.
        frequency: in how many notes each term of the question occurs.
        total: how many notes there are to compare with.
        similarities: of the semantic lane, falling.
        degraded: codes of parts that could not run.
        told: how many notes began to hold in the times asked for, at most ``IN_TIME`` a time.
        named: the question with the other names that the notes give to those it names.
    """

    hits: tuple[Hit, ...] = ()
    evidence: Mapping[int, rerank.Evidence] = MappingProxyType({})
    frequency: Mapping[str, int] = MappingProxyType({})
    total: int = 0
    similarities: tuple[float, ...] = ()
    degraded: tuple[str, ...] = ()
    told: int = 0
    named: Question | None = None


def run(source: Source, question: Question, view: View, limit: int) -> Ranked:
    """The visible memories a question finds, best first, at most ``limit``."""
    db = source.db
    scope_ids = memories.scope_ids(db, view.scopes)
    highest = memories.highest_id(db)
    pool = max(POOL, limit)
    near: tuple[semantic.Near, ...] | None = None
    if source.vector is not None and source.table is not None:
        near = semantic.lane(db, source.table, source.vector, view, scope_ids, pool)
        near = semantic.lifted(near, _foreign(source, question, [n.id for n in near]), source.lift)
    most = pool if near is None else max(WORDS_BESIDE, limit)
    words, degraded = _by_words(source, question, view, scope_ids, highest, most, near)
    near = near or ()
    many = max(BARE_STAGE if question.bare else SECOND_STAGE, limit)
    first = _first(words, near, many)
    read = memories.get_many(db, first)
    # Where what has expired is asked for as well, it still leads to what took its place.
    standing = replace(view, include_expired=False)
    old = superseded.find(db, question, words, standing, scope_ids, source.vector, source.table)
    # What an old version calls somebody still holds.
    told_by = (*(read[i] for i in first[:ALIASED] if i in read), *old.records.values())
    named = also_called(question, (fold(record.text) for record in told_by))
    if named.aliases and words.indexed:
        # Asked once more under the other names: the notes that hold them have not been proposed.
        words, degraded = _by_words(source, named, view, scope_ids, highest, most, near)
        first = _first(words, near, many)
    question = replace(named, rewritings=words.rewritings)
    # A time that is asked for already says which notes belong together.
    beside = {} if question.times else memories.neighbours(db, first[:NEIGHBOURLY], view, REACH)
    absent = {*first, *chain.from_iterable(beside.values())} - read.keys()
    read |= memories.get_many(db, absent)
    beside = {i: [n for n in group if _together(read[i], read[n])] for i, group in beside.items()}
    kept = {*first, *chain.from_iterable(beside.values())}
    records = {i: record for i, record in read.items() if i in kept}
    told: set[int] = set()
    for time in question.times:
        begun = memories.starting_within(db, view, *in_time.day_of(time), IN_TIME)
        records |= {m.id: m for m in begun}
        told |= {m.id for m in begun}
    seen = set(records)
    records |= memories.get_many(db, set(old.heir_of.values()) - records.keys())
    each = _weigh(source, question, words, near, records, old)
    own, via = superseded.inherit(each, old, seen)
    weighed = rerank.support(
        own,
        beside,
        {i for i, record in records.items() if is_turn(record)},
    )
    hits = _fuse(question, words, near, records, weighed, source.reference, limit)
    if not question.times:
        # A time that is asked for says itself which of two is meant.
        hits = _newer_first(hits, weighed)
    for place, hit in enumerate(hits):
        if hit.id in via:
            ancestor = old.records[via[hit.id]]
            lanes = old.lanes(ancestor.id, _matched(question, each[ancestor.id], ancestor))
            hits[place] = replace(hit, lanes={**hit.lanes, **lanes})
    return Ranked(
        tuple(hits),
        {h.id: weighed[h.id] for h in hits},
        words.frequency,
        highest,
        tuple(n.similarity for n in near),
        degraded,
        len(told),
        named,
    )


def _by_words(
    source: Source,
    question: Question,
    view: View,
    scope_ids: Sequence[int] | None,
    highest: int,
    most: int,
    near: Sequence[semantic.Near] | None,
) -> tuple[lexical.Lexical, tuple[str, ...]]:
    """The lexical lane, without those of its indexes that are missing or damaged, and what to say.

    Args:
        near: what the semantic lane found; None where it takes no part.

    Raises:
        fts.DamagedIndex: neither words nor meaning can answer.
    """
    db = source.db
    degraded: tuple[str, ...] = ()
    known = [n.id for n in near or ()] or [highest][: bool(highest)]
    for trigrams in (True, False):
        try:
            if trigrams and question.windows and not fts.has_trigrams(db):
                trigrams, degraded = False, ("no_trigram",)
            fts.require(db, known)
            found = lexical.lane(
                db, question, view, scope_ids, highest, most, source.memo, use_trigrams=trigrams
            )
        except fts.DamagedIndex:
            degraded = ("index_damaged",)
            if near is None and not trigrams:
                raise
        else:
            return found, degraded
    texts = memories.get_many(db, known[:SECOND_STAGE]).values()
    told = [fold(record.text) for record in texts]
    return lexical.without_index(question, told, highest), degraded


def _first(words: lexical.Lexical, near: Sequence[semantic.Near], most: int) -> list[int]:
    """The candidates of both lanes that the second stage weighs, by their fused ranks."""
    by_words = {f.id: place for place, f in enumerate(words.found, start=1)}
    by_meaning = {n.id: place for place, n in enumerate(near, start=1)}
    votes = [(1.0, by_words), (1.0, by_meaning)]
    return fusion.ordered(fusion.rrf(votes, by_words.keys() | by_meaning.keys()))[:most]


def is_turn(record: Memory) -> bool:
    """Whether a record is a turn of a conversation and not a note that stands for itself."""
    return record.source.split(":", 1)[0] not in NOT_TALK


def _together(one: Memory, other: Memory) -> bool:
    """Told within half a day; a batch stored in one go counts only within a scope of its own."""
    if one.scope == "" and one.recorded_at == other.recorded_at and _undated(one, other):
        return False
    first, second = (to_ms(m.valid_from or m.recorded_at, 0) for m in (one, other))
    return abs(first - second) <= TOGETHER_MS


def _undated(*records: Memory) -> bool:
    return all(m.valid_from == m.recorded_at for m in records)


def _weigh(
    source: Source,
    question: Question,
    words: lexical.Lexical,
    near: Sequence[semantic.Near],
    records: Mapping[int, Memory],
    old: superseded.Ancestors,
) -> dict[int, rerank.Evidence]:
    similarity = {n.id: n.similarity for n in near}
    absent = [i for i in records if i not in similarity]
    if absent and len(near) >= POOL:
        # Further than the furthest of the nearest hundred: how much further changes nothing.
        similarity |= dict.fromkeys(absent, near[-1].similarity)
    elif absent and source.vector is not None and source.table is not None:
        exact = vector_index.similarities(source.db, source.table, source.vector.tobytes(), absent)
        similarity |= _lifted(source, question, {i: value for i, (value, _) in exact.items()})
    similarity = {i: s for i, s in similarity.items() if i in records}
    similarity |= _lifted(source, question, old.similarity)
    fits: dict[int, tuple[float, bool]] = {}
    if question.times:
        fits = {i: in_time.fit(question, record) for i, record in records.items()}
        # When an old version held says nothing about the new one.
        fits |= {i: fits[heir] for i, heir in old.heir_of.items()}
    return rerank.weigh(
        {i: fold(record.text) for i, record in {**records, **old.records}.items()},
        similarity,
        question,
        words.idf,
        rerank.crowd([n.similarity for n in near]),
        words.average,
        fits,
        words.frequency,
        words.total,
    )


def _lifted(
    source: Source, question: Question, similarity: Mapping[int, float]
) -> dict[int, float]:
    foreign = _foreign(source, question, list(similarity))
    return {i: s + (source.lift if i in foreign else 0.0) for i, s in similarity.items()}


def _foreign(source: Source, question: Question, ids: Sequence[int]) -> set[int]:
    """Which of the memories are not in the question's language; none where that makes no odds."""
    if not source.lift or not ids:
        return set()
    heads = memories.latin_heads(source.db, ids, language.LOOKED_AT)
    if question.language == language.CHINESE:
        return {i for i, head in heads.items() if language.of(head) == language.ENGLISH}
    # What is neither (a name, 🔥, half a sentence) is left as it is.
    return set(ids) - heads.keys()


def _fuse(
    question: Question,
    words: lexical.Lexical,
    near: Sequence[semantic.Near],
    records: Mapping[int, Memory],
    weighed: Mapping[int, rerank.Evidence],
    reference: str | None,
    limit: int,
) -> list[Hit]:
    found = {f.id: (place, f) for place, f in enumerate(words.found, start=1)}
    meant = {n.id: (place, n) for place, n in enumerate(near, start=1)}
    worth = {i: quality(record, reference) for i, record in records.items()}
    by_evidence = fusion.competition_ranks({i: round(e.score, 9) for i, e in weighed.items()})
    by_quality = fusion.competition_ranks(
        {i: round(w / QUALITY_STEP) * QUALITY_STEP for i, w in worth.items()}
    )
    scores = fusion.rrf([(EVIDENCE_WEIGHT, by_evidence), (QUALITY_WEIGHT, by_quality)], records)
    hits: list[Hit] = []
    for i in fusion.ordered(scores)[:limit]:
        lanes: dict[str, LaneRank] = {}
        if i in found:
            place, candidate = found[i]
            terms = _matched(question, weighed[i], records[i])
            lanes["lexical"] = LaneRank(place, candidate.score or candidate.trigram, terms)
        if i in meant:
            place, neighbour = meant[i]
            lanes["semantic"] = LaneRank(place, neighbour.similarity)
        lanes["quality"] = LaneRank(by_quality[i], worth[i], recency=recency(records[i], reference))
        lanes["evidence"] = LaneRank(by_evidence[i], weighed[i].score)
        hits.append(Hit(records[i], records[i].text, scores[i], lanes))
    return hits


def _newer_first(hits: Sequence[Hit], weighed: Mapping[int, rerank.Evidence]) -> list[Hit]:
    """The hits with what says that something changed before the older one of the same thing.

    现在冰的一口不碰 belongs before 我喜欢喝冰的 where nobody has linked them, if it matches nearly
    as well.
    """
    out = list(hits)
    for new in hits[:CHANGED_AMONG]:
        about = changes.topic(fold(new.memory.text))
        if not about:
            continue
        for old in out[: out.index(new)]:
            if (
                _since(old) < _since(new)
                and weighed[new.id].score >= NEARLY * weighed[old.id].score
                and _share(about, fold(old.memory.text)) >= SAME_THING
            ):
                out.remove(new)
                out.insert(out.index(old), new)
                break
    return out


def _since(hit: Hit) -> str:
    return hit.memory.valid_from or hit.memory.recorded_at


def _share(terms: Mapping[str, float], folded: str) -> float:
    """Which share of weighted terms a text holds."""
    held = sum(weight for term, weight in terms.items() if term.rstrip("*") in folded)
    return held / sum(terms.values())


def _matched(question: Question, found: rerank.Evidence, record: Memory) -> tuple[str, ...]:
    """Which terms of a question a record holds; its windows where no term matches."""
    if found.held or not question.windows:
        return found.held
    folded = fold(record.text)
    return tuple(w for w in question.windows if w in folded)
