"""Query rewriting: other ways to write what a query says, so that words find a memory that says it
otherwise.

Only the query is widened; index and stored text stay as they are. What stands in place of what:

- ``numeral``: 三月 and 3月, 两万 and 20000 (:mod:`brain.text.numerals`)
- ``homophone``: slips of the input method and double spellings, 帐号 and 账号, 登陆 and 登录
- ``region``: Taiwan's words and the Mainland's, 印表机 and 打印机 (OpenCC's phrase table)
- ``colloquial``: everyday and trade words for one thing, 老婆 and 妻子, 部署 and 上线
- ``translation``: 部署 and deploy, where the query has one and the memory the other
- ``narrower``: 橘猫 for 宠物, never the other way (``data/narrower.txt``)

The stretches of one query are equal or disjoint, each the longest word that stands there, so that a
caller can count a stretch and all its other ways as one unit of the query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from brain.text.fold import fold
from brain.text.numerals import numeral_spans
from brain.text.stopwords import parse_own_word
from brain.text.synonyms import KINDS, Kind, compounds, latin_links, links
from brain.text.tokenize import query_terms, stem


@dataclass(frozen=True, slots=True)
class Variant:
    """One other way to write a stretch of a query.

    Args:
        start, end: where the stretch stands in the folded query.
        phrase: what stands there, ``folded[start:end]``.
        other: what a memory may have instead, in folded form; of one character only as a
            translation of an English word.
        kind: what makes them the same.
    """

    start: int
    end: int
    phrase: str
    other: str
    kind: Kind


_Others = tuple[tuple[str, Kind], ...]
_Found = tuple[int, _Others]
"""Where a stretch ends, and what may stand instead."""

_LATIN_WORD = re.compile(r"[a-z0-9]+")
_JOINERS = "-./:@\\+#~"

QUOTED_FROM = 3
"""In a query with Han, this many English words in a row are a quotation and not translated."""


def variants(folded: str, own_words: Iterable[str] = ()) -> list[Variant]:
    """The other ways to write what a query says.

    Args:
        folded: a query from :func:`brain.text.fold.fold`.
        own_words: the user's words, as lines of jieba's format; nothing inside one is replaced.

    Returns:
        In text order; of one stretch in the order of ``KINDS``. A phrase that stands twice comes
        twice, with its places.

    Raises:
        BrainError: as :func:`brain.text.stopwords.parse_own_word`.
    """
    own = _spans(folded, own_words)
    numerals = _numerals(folded)
    latin = _latin_spans(folded)
    table = {} if folded.isascii() else _han_table()
    out: list[Variant] = []
    done = 0
    for at, char in enumerate(folded):
        if at < done or not (char in table or at in numerals or at in latin):
            continue
        every = (numerals.get(at), _han_at(table, folded, at), latin.get(at))
        found = [one for one in every if one and _keeps_whole(own, at, one[0])]
        if not found:
            continue
        done = max([end for end, _ in found])
        ways: dict[str, Kind] = {}
        for end, others in found:
            if end == done:
                ways = dict(others) | ways
        phrase = folded[at:done]
        for other, kind in sorted(ways.items(), key=lambda way: KINDS.index(way[1])):
            out.append(Variant(at, done, phrase, other, kind))
    return out


def _numerals(folded: str) -> dict[int, _Found]:
    spans = numeral_spans(folded)
    return {start: (end, tuple([(way, "numeral") for way in ways])) for start, end, ways in spans}


def phrase_terms(folded: str, variant: Variant) -> list[str]:
    """The gram-index terms a stretch takes part in.

    Han beside the stretch lends its character, so that 子资 and 讯工 count in 电子资讯工程 as 子信
    and 息工 do for 信息. Lone characters (``月*``) come only where there is nothing longer.

    Args:
        folded: the query that the variant was found in.
        variant: one of :func:`variants`.
    """
    return _in_place(folded, variant, variant.phrase)


def other_terms(folded: str, variant: Variant) -> list[str]:
    """Those of the other way in the stretch's place; arguments as for :func:`phrase_terms`."""
    return _in_place(folded, variant, variant.other)


def _in_place(folded: str, variant: Variant, text: str) -> list[str]:
    before = folded[max(0, variant.start - 1) : variant.start]
    after = folded[variant.end : variant.end + 1]
    head = before if before and _is_han(before) and _is_han(text[0]) else ""
    tail = after if after and _is_han(after) and _is_han(text[-1]) else ""
    terms = query_terms(f"{head}{text}{tail}")
    return [term for term in terms if not term.endswith("*")] or terms


def _spans(folded: str, own_words: Iterable[str]) -> list[tuple[int, int]]:
    words = {fold(parse_own_word(line)[0]) for line in own_words}
    return [
        (match.start(), match.end())
        for word in words
        if word
        for match in re.finditer(re.escape(word), folded)
    ]


def _keeps_whole(own: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a stretch holds each of the user's words that it touches from end to end."""
    return all(end <= a or b <= start or (start <= a and b <= end) for a, b in own)


# --- Han -----------------------------------------------------------------------------------------


def _han_at(table: _HanTable, folded: str, at: int) -> _Found | None:
    """The longest entry that stands at a place."""
    for phrase, others in table.get(folded[at], ()):
        if not folded.startswith(phrase, at):
            continue
        end = at + len(phrase)
        if not (_joined(folded, at) or _joined(folded, end)):
            return end, _others(phrase, tuple(others.items()))
    return None


def _is_han(char: str) -> bool:
    """Han, kana and their marks; what needs no blank beside it."""
    return "\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7ff" or char >= "\U00020000"


def _joined(folded: str, at: int) -> bool:
    """Whether a Latin word or number goes on across a place."""
    return 0 < at < len(folded) and _is_latin(folded[at - 1]) and _is_latin(folded[at])


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


_HanTable = dict[str, list[tuple[str, dict[str, Kind]]]]
"""First character → phrases with what may stand instead, the longest phrase first."""


@cache
def _han_table() -> _HanTable:
    entries: dict[str, dict[str, Kind]] = {word: {} for word in compounds()}
    for phrase, others, kind in links():
        if len(phrase) > 1 and not phrase.isascii():
            ways = entries.setdefault(phrase, {})
            for other in others:
                ways.setdefault(other, kind)
    table: _HanTable = {}
    for phrase in sorted(entries, key=len, reverse=True):
        table.setdefault(phrase[0], []).append((phrase, entries[phrase]))
    return table


@lru_cache(maxsize=1024)
def _others(phrase: str, others: _Others) -> _Others:
    """Without what is found anyhow: Han that is a part of the other, a stem that came before."""
    by_stem: dict[str, tuple[str, Kind]] = {_stems(phrase): (phrase, "translation")}
    for other, kind in others:
        is_part = not phrase.isascii() and (phrase in other or other in phrase)
        if not is_part:
            by_stem.setdefault(_stems(other), (other, kind))
    return tuple(by_stem.values())[1:]


def _stems(phrase: str) -> str:
    return " ".join(map(stem, phrase.split()))


# --- Latin ---------------------------------------------------------------------------------------

_LatinTable = dict[str, list[tuple[tuple[str, ...], dict[str, Kind]]]]
"""Stem of the first word → the stems of the phrase with what may stand instead."""


def _latin_spans(folded: str) -> dict[int, _Found]:
    """Where English words of the lists stand, by their stems, but not inside identifiers."""
    out: dict[int, _Found] = {}
    for words, amid_han in _latin_runs(folded):
        quoted = amid_han and sum(folded[a].isalpha() for a, _ in words) >= QUOTED_FROM
        stems = [stem(folded[start:end]) for start, end in words]
        for i, (start, _) in enumerate(words):
            for phrase, others in _latin_table().get(stems[i], ()):
                stands = words[i : i + len(phrase)]
                if tuple(stems[i : i + len(phrase)]) == phrase and _stand_alone(folded, stands):
                    end = stands[-1][1]
                    found = _others(folded[start:end], tuple(others.items()))
                    out[start] = end, tuple(o for o in found if not quoted or o[1] != "translation")
                    break
    return out


def _latin_runs(folded: str) -> Iterator[tuple[list[tuple[int, int]], bool]]:
    """The Latin words of a text that no Han stands between, and whether there is Han at all."""
    amid_han = any(map(_is_han, folded))
    run: list[tuple[int, int]] = []
    for match in _LATIN_WORD.finditer(folded):
        if run and any(map(_is_han, folded[run[-1][1] : match.start()])):
            yield run, amid_han
            run = []
        run.append(match.span())
    if run:
        yield run, amid_han


def _stand_alone(folded: str, words: Sequence[tuple[int, int]]) -> bool:
    """Whether words are joined by one blank each, and to nothing else."""
    if any(folded[a[1] : b[0]] != " " for a, b in pairwise(words)):
        return False
    start, end = words[0][0], words[-1][1]
    before, after = folded[max(0, start - 1) : start], folded[end : end + 2]
    if before and (before in _JOINERS or _goes_on(before)):
        return False
    return not _goes_on(after[:1]) and not (
        len(after) == 2 and after[0] in _JOINERS and _is_latin(after[1])
    )


def _goes_on(char: str) -> bool:
    """Whether a word goes on with a character: letters with accents, underscores."""
    return char == "_" or (char.isalnum() and not _is_han(char))


@cache
def _latin_table() -> _LatinTable:
    entries: dict[tuple[str, ...], dict[str, Kind]] = {}
    for phrase, others, kind in latin_links():
        if phrase.isascii():
            ways = entries.setdefault(tuple(map(stem, phrase.split())), {})
            for other in others:
                ways.setdefault(other, kind)
    table: _LatinTable = {}
    for stems in sorted(entries, key=len, reverse=True):
        table.setdefault(stems[0], []).append((stems, entries[stems]))
    return table
