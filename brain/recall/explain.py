"""Explaining a result in words: people read 成语接龙, the index holds 成语, 语接, 接龙."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from brain.memory import Hit, RecallResult
from brain.store import memories
from brain.store.view import View
from brain.text import stopwords
from brain.text.fold import fold
from brain.text.rewrite import Variant, phrase_terms, variants
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
    ways = variants(folded) if ways is None else ways
    others = _otherwise(folded, ways, matched, note)
    literal = _literal(matched, note)
    if elsewhere:
        # What the older version may only write otherwise is not said to stand there.
        rewritten = {t for one in ways for t in phrase_terms(folded, one)}
        literal = [t for t in matched if t in literal or t not in rewritten]
    cut = [(one.start, one.end) for one in others]
    runs = list(_stretches(folded, content, cut))
    lone = {term[0] for term in content if term.endswith("*")}
    words: list[str] = []
    for start, end in _stretches(folded, literal, cut):
        run = next((r for r in runs if r[0] <= start and end <= r[1]), (start, end))
        start, end = _untorn(folded, (start, end), run, note)
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
    found = _otherwise(folded, variants(folded), matched, fold(text))
    return tuple(dict.fromkeys((one.phrase, one.other) for one in found))


def _otherwise(
    folded: str, ways: Iterable[Variant], matched: Sequence[str], note: str
) -> list[Variant]:
    """Of each stretch the first other way that the note has, where it lacks the stretch itself."""
    out: dict[int, Variant] = {}
    found = frozenset(matched)
    for one in ways:
        if one.start in out or found.isdisjoint(phrase_terms(folded, one)):
            continue
        if not _stands(one.phrase, note) and _stands(one.other, note):
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


def _untorn(folded: str, found: _Span, run: _Span, note: str) -> _Span:
    """A stretch of Han without the halves of words at its ends.

    Most Chinese words have two characters: an odd stretch beside an odd rest of its run (骑行路 of
    骑行路线) ends in half a word, and so do both ends of an even one between two odd rests. An end
    at which the note has a mark or a function word (会议室 of 大会议室) is the end of a word.
    """
    start, end = found
    word = folded[start:end]
    if not is_han(word):
        return found
    before = (start - run[0]) % 2 == 1 and _goes_on(word, note, -1)
    after = (run[1] - end) % 2 == 1 and _goes_on(word, note, 1)
    odd = len(word) % 2 == 1
    if odd and before != after:
        return (start + 1, end) if before else (start, end - 1)
    return (start + 1, end - 1) if not odd and before and after else found


def _goes_on(word: str, note: str, side: int) -> bool:
    """Whether a note has content beside a word wherever it stands: before it (−1) or after (1)."""
    at = note.find(word)
    while at >= 0:
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
    notes = (f"查询切成词：{'、'.join(cut)}。",) if cut else ()
    return replace(
        result,
        hits=tuple(by_words(hit, cut, folded) for hit in result.hits),
        skills=tuple(by_words(hit, cut, folded) for hit in result.skills),
        notes=(*notes, *result.notes),
    )


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


def unknown_scopes(db: Transaction, view: View) -> tuple[str, ...]:
    """:func:`unknown_scope` of the scopes a question looks into."""
    return tuple(filter(None, (unknown_scope(db, scope) for scope in view.scopes or ())))


def _nearest_name(scope: str, names: list[str]) -> str | None:
    from difflib import get_close_matches

    by_fold = {name.casefold(): name for name in names}
    near = get_close_matches(scope.casefold(), by_fold, n=1)
    return by_fold[near[0]] if near else None
