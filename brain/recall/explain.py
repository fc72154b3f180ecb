"""Explanation of a result, in sentences and words: why the gate decides as it does, which words
of a question a hit holds (people read 成语接龙, the index holds 成语, 语接, 接龙), and whether a
scope is named that has no record.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from brain.memory import Hit, RecallResult
from brain.recall import gate
from brain.recall.query import LONG, Question
from brain.recall.retrieve import Ranked
from brain.store import memories
from brain.store.view import View
from brain.text import names, stopwords
from brain.text.bm25 import idf
from brain.text.dates.intervals import Interval, find_intervals
from brain.text.fold import fold
from brain.text.rewrite import Variant, phrase_terms, variants
from brain.text.timestamps import from_iso, local_day, local_time, now_utc, to_iso
from brain.text.tokenize import QueryTerms, count_terms, is_han, query_terms, stem
from brain.validate import clean_query

if TYPE_CHECKING:
    from brain.results import OwnWord
    from brain.store.protocol import Transaction


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
    pairs = other_words(folded, lane.terms, hit.memory.text)
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


_LATIN = re.compile(r"[a-z0-9]+")

_Span = tuple[int, int]


class Shared(NamedTuple):
    """What a question and a note have in common.

    Args:
        words: stretches of the question that the note holds as they are.
        otherwise: words of the question, each with what the note writes in its place.
    """

    words: tuple[str, ...] = ()
    otherwise: tuple[tuple[str, str], ...] = ()


def shared(
    folded: str,
    content: Collection[str],
    matched: Sequence[str],
    text: str,
    ways: Sequence[Variant] | None = None,
    *,
    elsewhere: bool = False,
) -> Shared:
    """The words a folded question shares with a note.

    Args:
        content: the question's content terms.
        matched: terms the note was found to hold, as they are or written otherwise.
        text: of the note, as stored.
        ways: :func:`brain.text.rewrite.variants` of the question, where they are known.
        elsewhere: the terms were found in an older version of the note: what the text lacks and
            does not write otherwise stands there.
    """
    note = fold(text)
    matched = [term for term in matched if term in content]
    if ways is None:
        # Of a message no other ways were looked for.
        ways = variants(folded) if len(folded) <= LONG else ()
    others = _otherwise(folded, ways, matched, note)
    literal = _literal(matched, note)
    if elsewhere:
        # What the older version may only write otherwise is not said to stand there.
        rewritten = {t for one in ways for t in phrase_terms(folded, one)}
        literal = [t for t in matched if t in literal or t not in rewritten]
    cut = [(one.start, one.end) for one in others]
    runs = list(_stretches(folded, content, cut))
    begins = [begin for begin, _ in runs]
    lone = {term[0] for term in content if term.endswith("*")}
    words: list[str] = []
    once = cache(partial(_goes_on, note=note))  # a word may stand a thousand times in a message
    for start, end in _stretches(folded, literal, cut):
        at = bisect_right(begins, start) - 1
        run = runs[at] if at >= 0 and end <= runs[at][1] else (start, end)
        start, end = _untorn(folded, (start, end), run, once)
        word = folded[start:end]
        if len(word) > 1 or word in lone or (word and not is_han(word)):
            words.append(word)
    pairs = dict.fromkeys((one.phrase, one.other) for one in others)
    return Shared(tuple(dict.fromkeys(words)), tuple(pairs))


def other_words(folded: str, matched: Sequence[str], text: str) -> tuple[tuple[str, str], ...]:
    """The words of a folded question that a note writes in another way, with that way.

    Args:
        matched: terms the note was found to hold, as they are or written otherwise.
    """
    if len(folded) > LONG:
        return ()
    found = _otherwise(folded, variants(folded), matched, fold(text))
    return tuple(dict.fromkeys((one.phrase, one.other) for one in found))


def _otherwise(
    folded: str, ways: Iterable[Variant], matched: Sequence[str], note: str
) -> list[Variant]:
    """Of each stretch the first other way that the note has, where it lacks the stretch itself."""
    out: dict[int, Variant] = {}
    found = frozenset(matched)
    stands = cache(partial(_stands, note=note))
    for one in ways:
        if one.start in out or found.isdisjoint(phrase_terms(folded, one)):
            continue
        if not stands(one.phrase) and stands(one.other):
            out[one.start] = one
    return list(out.values())


def _stands(phrase: str, note: str) -> bool:
    if not phrase.isascii() and phrase not in note:
        return False
    terms = [term for term in query_terms(phrase) if not term.endswith("*")]
    return len(_literal(terms, note)) == len(terms)


def _literal(terms: Sequence[str], note: str) -> list[str]:
    """The terms that a note holds as they are, in their order."""
    held, _ = count_terms(note, QueryTerms.of(terms))
    return [t for t in terms if t in held]


def _stretches(folded: str, terms: Iterable[str], cut: Sequence[_Span]) -> Iterator[_Span]:
    """Where terms stand in a question; those that overlap are one stretch, nothing of ``cut``."""
    joined = [False] * (len(folded) + 1)
    covered = [False] * (len(folded) + 1)
    words = _latin_words(folded)
    for term in terms:
        for start, end in words.get(term) or _places(folded, term):
            covered[start:end] = [True] * (end - start)
            joined[start + 1 : end] = [True] * (end - start - 1)
    for start, end in cut:
        covered[start:end] = [False] * (end - start)
        joined[start] = joined[end] = False
    begin: int | None = None
    for at in range(len(folded) + 1):
        if begin is not None and not (covered[at] and joined[at]):
            yield begin, at
            begin = None
        if begin is None and covered[at]:
            begin = at


def _latin_words(folded: str) -> dict[str, list[_Span]]:
    """Where the words of each stem stand in a question: a stem stands for the whole word."""
    out: dict[str, list[_Span]] = {}
    for match in _LATIN.finditer(folded):
        out.setdefault(stem(match.group()), []).append(match.span())
    return out


def _places(folded: str, term: str) -> Iterator[_Span]:
    """Where an index term stands in a question."""
    piece = term[0] if len(term) == 2 and term.endswith("*") else term
    at = folded.find(piece)
    while at >= 0:
        yield at, at + len(piece)
        at = folded.find(piece, at + 1)


def _untorn(folded: str, found: _Span, run: _Span, goes_on: Callable[[str, int], bool]) -> _Span:
    """A stretch of Han without the halves of words at its ends.

    Most Chinese words have two characters: an odd stretch beside an odd rest of its run (骑行路 of
    骑行路线) ends in half a word, and so do both ends of an even one between two odd rests. An end
    at which the note has a mark or a function word (会议室 of 大会议室) is the end of a word.
    """
    start, end = found
    word = folded[start:end]
    if not is_han(word):
        return found
    before = (start - run[0]) % 2 == 1 and goes_on(word, -1)
    after = (run[1] - end) % 2 == 1 and goes_on(word, 1)
    odd = len(word) % 2 == 1
    if odd and before != after:
        return (start + 1, end) if before else (start, end - 1)
    return (start + 1, end - 1) if not odd and before and after else found


def _goes_on(word: str, side: int, note: str) -> bool:
    """Whether a note has content beside a word wherever it stands: before it (−1) or after (1).

    The first :data:`MOST_PLACES` places tell.
    """
    at = note.find(word)
    for _ in range(MOST_PLACES):
        if at < 0:
            break
        place = at - 1 if side < 0 else at + len(word)
        beside = note[place : place + 1] if place >= 0 else ""
        if not beside or not is_han(beside) or beside in stopwords.SINGLES:
            return False
        at = note.find(word, at + 1)
    return True


def explained(result: RecallResult, own_words: Sequence[OwnWord]) -> RecallResult:
    """A recall with its matched terms as words; loads the segmenter (0.1 s once).

    Args:
        own_words: the user's own, which stay whole.
    """
    own = [" ".join(str(x) for x in (w.word, w.freq, w.tag) if x) for w in own_words]
    folded = fold(clean_query(result.query))
    cut = stopwords.content_words(folded, own)
    notes: tuple[str, ...] = (f"查询切成词：{'、'.join(cut)}。",) if cut else ()
    notes += asked_times(result.query)
    return replace(
        result,
        hits=tuple(by_words(hit, cut, folded) for hit in result.hits),
        skills=tuple(by_words(hit, cut, folded) for hit in result.skills),
        notes=(*notes, *result.notes),
    )


def asked_times(query: str, now: datetime | None = None) -> tuple[str, ...]:
    """How the times that a query names are read, a sentence for each."""
    moment = now or now_utc()
    text = clean_query(query)
    return tuple(f"「{one.phrase}」按 {_days(one)} 理解。" for one in find_intervals(text, moment))


def _days(asked: Interval) -> str:
    """The local days of an interval, with the hours where it is no whole days."""
    first, stop = local_time(asked.start_iso), local_time(asked.stop_iso)
    if first[11:19] != "00:00:00" or stop[11:19] != "00:00:00":
        return f"{first[:16]}～{stop[:16]}"
    last = local_day(to_iso(from_iso(asked.stop_iso) - timedelta(seconds=1)))
    return first[:10] if last == first[:10] else f"{first[:10]}～{last}"


def unknown_scope(db: Transaction, scope: str) -> str:
    """A Chinese sentence on a scope that never had a record, with the name that is nearest.

    '' for a scope that had one, for the global scope, and in a file that has nothing at all.
    """
    if not scope or memories.last_id(db) == 0:
        return ""
    names = memories.scope_names(db)
    if scope in names:
        return ""
    near = _nearest_name(scope, [name for name in names if name])
    hint = f"是不是「{near}」？" if near else "brain scopes 列出有哪些。"
    return f"范围「{scope}」里还没有记忆（全局的不算）；{hint}"


def without_model(degraded: Collection[str]) -> tuple[str, ...]:
    """That the model was not there in time, as a sentence: the same question may do better soon."""
    told = "模型还在装入，这一次只按字面回答；过几秒再问就是完整的。"
    return (told,) if "timeout" in degraded else ()


def unknown_scopes(db: Transaction, view: View) -> tuple[str, ...]:
    """:func:`unknown_scope` of the scopes a question looks into."""
    return tuple(filter(None, (unknown_scope(db, scope) for scope in view.scopes or ())))


def _nearest_name(scope: str, names: list[str]) -> str | None:
    from difflib import get_close_matches

    by_fold = {name.casefold(): name for name in names}
    near = get_close_matches(scope.casefold(), by_fold, n=1)
    return by_fold[near[0]] if near else None


MOST_PLACES = 200
"""Places of a word in a note that are looked at: a word that goes on in so many goes on."""

MOST_WORDS, MOST_OTHERWISE = 5, 3
"""How many words a reason names."""


def reasons(
    question: Question,
    notes: Ranked,
    skills: Ranked,
    model: str | gate.Weights | None,
    threshold: float | str | None,
) -> tuple[str, ...]:
    """Why :func:`brain.recall.gate.judge` decides so, as sentences; arguments as there.

    Apart from it, because wording them takes longer than deciding and ``inject`` shows none.
    """
    why = nothing(question, notes, skills)
    if why:
        return (why,)
    weights, _ = gate.weights_of(model)
    best = notes if notes.hits else skills
    if notes.hits and skills.hits:
        best = max((notes, skills), key=lambda group: _value(question, group, weights))
    told = _reasons(question, best, weights, gate.limit_of(weights, threshold))
    if not gate.in_asked_time(best).hits:
        return told
    return (*told, _of_limit(question, best, weights, threshold))


def _of_limit(
    question: Question, ranked: Ranked, weights: gate.Weights, threshold: float | str | None
) -> str:
    """How near the probability is to what is wanted, as a sentence."""
    limit = gate.limit_of(weights, threshold)
    value = _value(question, ranked, weights)
    named = "" if isinstance(threshold, float) else f"（{threshold or gate.DEFAULT}）"
    return f"概率 {value:.2f}，{'过了' if value >= limit else '没到'}门槛 {limit:.2f}{named}。"


def _value(question: Question, ranked: Ranked, weights: gate.Weights) -> float:
    return gate.likeliest(ranked, gate.own_probabilities(question, ranked, weights))


def _reasons(
    question: Question, ranked: Ranked, weights: gate.Weights, limit: float
) -> tuple[str, ...]:
    if not (timely := gate.in_asked_time(ranked)).hits:
        return (_of_another_time(question, ranked.hits[0]),)
    ranked = timely
    told = _carrier(question, ranked, weights, limit)
    found = ranked.evidence[told.id]
    out = [_of_words(question, ranked, told)]
    if ranked.evidence[ranked.hits[0].id].names.rival:
        out.append(_of_rival(question, ranked.hits[0]))
    near = [h for h in ranked.hits if ranked.evidence[h.id].similarity is not None]
    if near and weights.model != gate.NO_MODEL:
        best = max(near, key=lambda h: (ranked.evidence[h.id].similarity or 0.0, -h.id))
        if found.similarity is not None and found.similarity < (
            ranked.evidence[best.id].similarity or 0.0
        ):
            named = f"{_named(told, 'semantic')} 的语义"
            best = told
        else:
            named = f"语义最近的是 {_named(best, 'semantic')}，"
        background = weights.background(question.language)
        sigma = ((ranked.evidence[best.id].similarity or 0.0) - background) / weights.spread
        side = "高于" if sigma >= 0 else "低于"
        out.append(f"{named}{side}无关文本的背景 {abs(sigma):.1f}σ。")
    return tuple(out)


def _of_another_time(question: Question, best: Hit) -> str:
    """That no hit is of the time asked about, as a sentence."""
    asked = _asked_time(question)
    if question.time_alone:
        return f"所问的时间（{asked}）里没有记忆。"
    told = best.memory.valid_from or best.memory.recorded_at
    return f"所问的时间（{asked}）里没有相关的记忆；最接近的 #{best.id} 是 {local_day(told)} 的。"


def _of_rival(question: Question, hit: Hit) -> str:
    """That the nearest hit tells of another one, as a sentence."""
    folded = fold(hit.memory.text)
    asked = [one.text for one in question.names if names.match(one, folded) < 0.0]
    return f"问的是「{'、'.join(asked)}」，#{hit.id} 说的是别的。"


def _asked_time(question: Question) -> str:
    return "、".join(dict.fromkeys(one.phrase for one in question.times))


def _carrier(question: Question, ranked: Ranked, weights: gate.Weights, limit: float) -> Hit:
    """Of the hits held against a question the one that by itself speaks most to it."""
    own = gate.own_probabilities(question, ranked, weights)
    shown = gate.worth_showing(ranked, own, limit)
    head = [h for h in ranked.hits[: gate.HEAD] if h.id in shown] or ranked.hits[: gate.HEAD]
    return max(head, key=lambda h: own[h.id])


def _of_words(question: Question, ranked: Ranked, told: Hit) -> str:
    """Which words of a question a hit holds, the most telling ones, as a sentence."""
    share = ranked.evidence[told.id].content
    if question.time_alone and ranked.evidence[told.id].timely:
        return f"#{told.id} 在所问的时间里。"
    lane = told.lanes.get("lexical")
    # A hit that its words alone did not propose holds some all the same.
    matched = ranked.evidence[told.id].held if lane is None else lane.terms
    via = None if lane is None else lane.via
    asked = (question.folded, question.content, matched, told.memory.text, question.variants)
    found = shared(*asked)
    named = f"#{told.id}"
    if via is not None:
        older = shared(*asked, elsewhere=True)
        if older.words != found.words:
            found, named = older, _named(told, "lexical")
    parts = []
    if found.words:
        rare = sorted(found.words, key=lambda w: -_rarity(w, question, ranked))[:MOST_WORDS]
        parts.append(f"「{'、'.join(w for w in found.words if w in rare)}」被 {named} 覆盖")
    parts += [
        f"「{word}」在 #{told.id} 里写作「{other}」"
        for word, other in found.otherwise[:MOST_OTHERWISE]
    ]
    if parts:
        return f"查询里的{'，'.join(parts)}（占内容的 {share:.0%}）。"
    if via is not None:
        return f"最好的候选 #{told.id} 是由它的旧版 #{via} 找到的。"
    return f"最好的候选 #{told.id} 没有写出查询里的任何实词。"


def _rarity(word: str, question: Question, ranked: Ranked) -> float:
    terms = [t for t in query_terms(word) if t in question.content]
    return max((idf(ranked.frequency.get(t, 0), ranked.total) for t in terms), default=0.0)


def _named(hit: Hit, lane: str) -> str:
    """A hit, or the older version of it that a lane found."""
    via = hit.lanes[lane].via if lane in hit.lanes else None
    return f"#{hit.id}" if via is None else f"#{hit.id} 的旧版 #{via}"


def nothing(question: Question, notes: Ranked, skills: Ranked) -> str:
    """Why there is nothing to judge, as a sentence; '' where there is."""
    if question.chitchat:
        return "这是寒暄，没有要查的内容。"
    if not question.searchable:
        return "查询里没有可检索的字词。"
    if notes.hits or skills.hits:
        return ""
    if question.time_alone:
        return f"所问的时间（{_asked_time(question)}）里没有记忆。"
    return "记忆里没有任何相关的内容。"
