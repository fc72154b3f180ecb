"""Tokenising: folded text into index terms, and queries into FTS5 MATCH expressions.

Two indexes are served. The *gram* index holds, for every run of Han, kana or hangul, its
overlapping two-character grams and its last character (so that a prefix query on one character
finds every occurrence), and for other letters and digits whole words (English ones by their
Snowball stem) and the identifiers they form (``gen-itgc``, ``v1.2.3``, ``.env``, ``c++``,
``a@b.cn``). A measure (``3gb``) is there in its parts as well, a phone number as
its digits alone. The *trigram* index is FTS5's own tokenizer; only its query side is cut here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import repeat
from operator import add
from typing import Any

from brain.text.phones import phone_spans

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30ff\u3100-\u312f"
    "\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00016fe0-\U00018d8f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_HAN_RUNS = re.compile(f"([{_CJK}]+)")
_TOKEN = re.compile(
    # An identifier: words joined by the marks that join them in code, paths, mail addresses.
    r"(?<![^\W_])[.]?[^\W_]+(?:[-._/:@\\+#~]+[^\W_]+)*(?:[+#]{1,2})?"
    # A symbol.
    r"|[\u2190-\u2bff\U0001f000-\U0001faff]"
)
_PART = re.compile(r"[^\W_]+")
_WINDOW_RUN = re.compile(r"(?:[^\W_]|[-._/:@+#_])+")
_ENGLISH = re.compile(r"[a-z]{4,}\Z")

MEASURES = (
    "kb mb gb tb pb kib mib gib tib kbit mbit gbit kbps mbps gbps kg mg ml km cm mm nm hz khz mhz "
    "ghz kw mw kwh mah kv mv kpa mpa dpi fps rpm px pcs ms min hr qps tps rmb usd"
)
"""Units that are written close behind their number: 3gb, 5kg."""
_MEASURE = re.compile(rf"([0-9]+)({'|'.join(MEASURES.split())})\Z")


@cache
def _stemmer() -> Any:
    from py_rust_stemmers import SnowballStemmer

    return SnowballStemmer("english")


def stem(word: str) -> str:
    """The Snowball stem of an English word of four letters or more; any other word as it is."""
    if not _ENGLISH.match(word):
        return word
    return str(_stemmer().stem_word(word))


@lru_cache(maxsize=4096)
def _word_terms(token: str) -> tuple[str, ...]:
    """The terms of an identifier, its own first; of a symbol itself."""
    parts = _PART.findall(token)
    whole = () if parts == [token] else (token,)
    measures = [piece for match in map(_MEASURE.match, parts) if match for piece in match.groups()]
    return (*whole, *map(stem, parts), *measures)


def _phones(run: str) -> list[str]:
    """The phone numbers of a run, but those that are written as one word anyway."""
    found = phone_spans(run)
    return [digits for start, end, digits in found if digits not in _TOKEN.findall(run[start:end])]


def _runs(folded: str) -> Iterator[tuple[bool, str]]:
    """Stretches of text, in order: (whether Han, kana or hangul, the stretch)."""
    for place, piece in enumerate(_HAN_RUNS.split(folded)):
        if piece:
            yield place % 2 == 1, piece


def is_han(run: str) -> bool:
    """Whether a string is Han, kana or hangul through and through."""
    return _HAN_RUNS.fullmatch(run) is not None


def index_terms(folded: str) -> list[str]:
    """The terms of the gram index, in text order, repeats kept.

    Args:
        folded: text from :func:`brain.text.fold.fold`.
    """
    out: list[str] = []
    for han, run in _runs(folded):
        if han:
            out += map(add, run, run[1:])
            out.append(run[-1])
            continue
        for token in _TOKEN.findall(run):
            out += _word_terms(token)
        out += _phones(run)
    return out


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Query terms, by how they are counted in a text.

    Args:
        grams: of Han, kana or hangul, two characters each.
        lone: characters that count wherever they stand, as the terms name them (``部*``).
        words: all others.
    """

    grams: tuple[str, ...]
    lone: tuple[str, ...]
    words: tuple[str, ...]

    @staticmethod
    def of(terms: Iterable[str]) -> QueryTerms:
        """Sorts terms from :func:`query_terms`."""
        grams: list[str] = []
        lone: list[str] = []
        words: list[str] = []
        for term in dict.fromkeys(terms):
            if len(term) == 2 and term[1] == "*":
                lone.append(term)
            else:
                (grams if len(term) == 2 and is_han(term) else words).append(term)
        return QueryTerms(tuple(grams), tuple(lone), tuple(words))


CUT_WHOLE = 4_000
"""Characters up to which a text is cut into words."""


def count_terms(folded: str, wanted: QueryTerms) -> tuple[dict[str, int], int]:
    """How often some terms stand in a text, those that do, and how many terms it has in all.

    The same as counting them in :func:`index_terms`, in a third of the time: a gram of Han is
    looked for where it stands, only other words are cut. In a text longer than ``CUT_WHOLE`` those
    are looked for as well, and its length is that in characters: that takes a hundredth of the
    time, and only a Latin word inside another one is miscounted.

    Args:
        folded: text from :func:`brain.text.fold.fold`.
    """
    if len(folded) > CUT_WHOLE:
        found = {t: folded.count(t[0]) for t in wanted.lone}
        found |= {t: folded.count(t) for t in (*wanted.grams, *wanted.words)}
        if any(map(phone_spans, wanted.words)):
            for phone in _phones(_HAN_RUNS.sub("\n", folded)):
                if phone in found:
                    found[phone] += 1
        return {t: n for t, n in found.items() if n}, len(folded)
    other, runs = _HAN_RUNS.subn("\n", folded)
    words = [term for token in _TOKEN.findall(other) for term in _word_terms(token)]
    words += _phones(other)
    out: dict[str, int] = {}
    for gram in [gram for gram in wanted.grams if gram in folded]:
        # str.count passes over what overlaps: 哈哈哈 holds 哈哈 twice.
        same = gram[0] == gram[1]
        out[gram] = _overlapping(folded, gram) if same else folded.count(gram)
    for term in wanted.lone:
        if often := folded.count(term[0]):
            out[term] = often
    held = set(words)
    for term in [term for term in wanted.words if term in held]:
        out[term] = words.count(term)
    return out, len(folded) - len(other) + runs + len(words)


def _overlapping(text: str, piece: str) -> int:
    return sum(map(text.startswith, repeat(piece), range(len(text))))


def query_terms(folded: str) -> list[str]:
    """The distinct terms a query looks up in the gram index, in text order.

    A lone character of Han, kana or hangul comes back with a trailing ``*``: it is a prefix.
    """
    out: list[str] = []
    for place, piece in enumerate(_HAN_RUNS.split(folded)):
        if place % 2:
            out += map(add, piece, piece[1:]) if len(piece) > 1 else (piece + "*",)
        elif piece:
            for token in _TOKEN.findall(piece):
                out += _word_terms(token)
    return list(dict.fromkeys(out))


def _without_phones(run: str) -> str:
    """A run whose phone numbers are blanked: a third of one is another one's as well."""
    for start, end, _ in phone_spans(run):
        run = run[:start] + " " * (end - start) + run[end:]
    return run


def trigram_windows(folded: str, *, han: bool = True) -> list[str]:
    """The distinct three-character windows of a query, inside each run, in text order.

    Args:
        han: False leaves out those of Han, kana or hangul.
    """
    out: list[str] = []
    for is_han_run, piece in _runs(folded):
        if is_han_run and not han:
            continue
        for run in (piece,) if is_han_run else _WINDOW_RUN.findall(_without_phones(piece)):
            out += [run[i : i + 3] for i in range(len(run) - 2)]
    return list(dict.fromkeys(out))


def quote(term: str) -> str:
    """One term as an FTS5 string; a trailing ``*`` of a query term stays a prefix mark."""
    prefix = len(term) > 1 and term.endswith("*") and len(term) == 2
    body = term[:-1] if prefix else term
    quoted = '"' + body.replace('"', '""') + '"'
    return f"{quoted} *" if prefix else quoted
