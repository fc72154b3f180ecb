"""Sentence segmentation and passages: where a text may be cut to fit an embedding model's window.

Both are lists of ``(start, end)`` offsets that cover the text without gap or overlap, so that
nothing is lost by cutting and every piece can be found again in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from brain.text import graphemes
from brain.text.regex import compiled

Span = tuple[int, int]

MAX_UNITS = 460
"""Most units of one passage, for models with a window of 512 tokens.

Measured on 9,221 passages (the shared evaluation texts, code, logs, JSON, gettext catalogues in 25
languages, Traditional Chinese, emoji, hashes, base64): at most 488 tokens for multilingual-e5-small
and 486 for bge-small-zh-v1.5, prefix and special tokens included.
"""

_BREAK = r"(?:\r\n?|[\n\x0b\x0c\x85\u2028\u2029])"
_BREAKS = rf"{_BREAK}(?:[ \t\u3000]*{_BREAK})*"
_MARK = (
    # An address is skipped whole: its dots and question marks end nothing.
    r"(?P<address>(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,15}://"
    r"[!#-;=?-~]*[A-Za-z0-9/=&#_~%+-])"
    r"|(?P<stop>[。！？；…｡!?]+)"
    r"|(?P<dots>\.+)"
    r'|(?P<quote>")'
    rf"|(?P<line>{_BREAKS})"
)
# Bounded, because what is looked at here may be looked at again when nothing ends here.
_CLOSERS = r"[”’」』】〗〉》）］｝\])}。！？；…｡!?]{0,16}"
_BLANKS = rf"[ \t\u00a0\u3000]*(?:{_BREAKS})?"
_OPENS_SENTENCE = r"[\"'“‘「『《（(\[]{0,4}[A-Z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_WORD_BEFORE = r"[A-Za-z0-9.]+\Z"
_MAX_ABBREVIATION = 6
_ABBREVIATION_LIST = (
    "e.g i.e etc cf vs al approx no nos vol fig eq sec ch pp ed eds dept est inc ltd co corp mr mrs"
    " ms dr prof st jr sr gen rep sen gov capt lt col sgt mt ave jan feb mar apr jun jul aug sep"
    " sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.k u.n ph.d b.c a.d"
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())


def sentences(text: str) -> list[Span]:
    """Splits a text into sentences, each with its closing quotes and trailing blanks.

    A sentence ends after 。！？；… (after ! ? where no ASCII letter, digit or operator follows at
    once), after a line break, and after an English full stop where a blank and a capital or Han
    follow and the word before is no abbreviation, initial or list number. Takes linear time.

    Args:
        text: any string.

    Returns:
        Character offsets that cover the text without gaps; empty for ''. No piece is blank unless
        the whole text is.
    """
    spans: list[Span] = []
    start = resume = quotes = 0
    for mark in compiled(_MARK).finditer(text):
        kind, end = mark.lastgroup, mark.end()
        if kind == "address" or mark.start() < resume:
            continue
        if kind == "quote":
            quotes += 1
            continue
        if kind != "line":
            end = _close(text, end, quotes)
            ends = _stop_ends if kind == "stop" else _dots_end
            if not ends(text, start, mark, end):
                continue
            quotes += text.count('"', mark.end(), end)
            blanks = compiled(_BLANKS).match(text, end)
            end = blanks.end() if blanks else end
        if text[end - 1].isspace() and text[end - 1] not in " \t\u00a0\u3000":
            quotes = 0  # a straight quote left open does not reach into the next line
        resume = end
        if not text[start:end].isspace():
            spans.append((start, end))
            start = end
    if start < len(text):
        if spans and text[start:].isspace():
            spans[-1] = (spans[-1][0], len(text))
        else:
            spans.append((start, len(text)))
    return spans


def _close(text: str, end: int, quotes: int) -> int:
    """Where a sentence's closing marks end; a straight quote closes when an odd one is open."""
    closers = compiled(_CLOSERS).match(text, end)
    end = closers.end() if closers else end
    if quotes % 2 and text.startswith('"', end):
        closers = compiled(_CLOSERS).match(text, end + 1)
        return closers.end() if closers else end + 1
    if text.startswith("'", end) and not text[end + 1 : end + 2].isalnum():
        return end + 1
    return end


def _stop_ends(text: str, start: int, mark: re.Match[str], end: int) -> bool:
    before = text[mark.start() - 1 : mark.start()]
    after = text[end : end + 1]
    if set(mark.group()) == {"…"}:
        return not (_is_ascii_word(before) and _is_ascii_word(after))
    if not mark.group().isascii() or not after or after.isspace() or not after.isascii():
        return True
    # 好吗?ok ends, page?id=3 does not; nor do != and ![image].
    return bool(before) and not before.isascii() and after.isalnum()


def _dots_end(text: str, start: int, mark: re.Match[str], end: int) -> bool:
    blanks = compiled(_BLANKS).match(text, end)
    next_at = blanks.end() if blanks else end
    if not compiled(_OPENS_SENTENCE).match(text, next_at):
        return False
    if len(mark.group()) >= 3:
        return next_at > end or not text[end].isascii()
    if next_at == end:
        return False
    near = max(start, mark.start() - _MAX_ABBREVIATION - 1)
    word = compiled(_WORD_BEFORE).search(text, near, mark.start())
    if word is None:
        return True
    if word.group().isdigit() and len(word.group()) <= 3:
        return not _is_blank(text[start : word.start()])
    lone_capital = len(word.group()) == 1 and word.group().isupper()
    return not lone_capital and word.group().lower() not in _ABBREVIATIONS


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


_UNIT = (
    # Keys, hashes and base64 have no words: a character each.
    r"(?=[A-Za-z0-9+/=_-]{40})[A-Za-z0-9]"
    r"|[A-Z]{1,2}(?![a-z])|[A-Z]?[a-z]{1,3}|[0-9]{1,2}"
    # In tables: SentencePiece has no token for a blank and a bar, so e5 spends two.
    r"|[ \t](?=[|\\])|\S"
)
_CLAUSE_END = r"[，、：,;:|]\s*|\s+"
_MAX_CLUSTER = 32


_Atom = tuple[int, int, int]
"""A piece that is not cut further: start, end, units."""


def units(text: str) -> int:
    """Counts a text in units of about one model token each, rather too many than too few.

    A unit is one character of Han, kana, hangul or another script, one mark, two digits, three
    Latin letters, or one character of a key-like run of 40 and more.
    """
    return len(compiled(_UNIT).findall(text))


def passages(text: str, max_units: int = MAX_UNITS) -> list[Span]:
    """Splits a text into contiguous passages for embedding, on sentence boundaries.

    A sentence beyond the limit is cut into even parts, at the end of a clause where one is near,
    and never between a character and its combining marks if that can be helped. A short last
    passage takes sentences over from the one before it.

    Args:
        text: any string.
        max_units: most :func:`units` of one passage, at least 1.

    Returns:
        Character offsets that cover the text without gaps: one passage for a text within the
        limit, none for ''.

    Raises:
        ValueError: ``max_units`` below 1.
    """
    if max_units < 1:
        raise ValueError("max_units must be at least 1")
    if not text:
        return []
    if len(text) <= max_units:
        return [(0, len(text))]
    ends = [match.end() for match in compiled(_UNIT).finditer(text)]
    if len(ends) <= max_units:
        return [(0, len(text))]
    groups: list[list[_Atom]] = []
    filled = 0
    for atom in _atoms(text, ends, max_units):
        if not groups or filled + atom[2] > max_units:
            groups.append([])
            filled = 0
        groups[-1].append(atom)
        filled += atom[2]
    _fill_tail(groups, max_units)
    return [(group[0][0], group[-1][1]) for group in groups]


def _atoms(text: str, ends: list[int], max_units: int) -> list[_Atom]:
    """Sentences, and the parts of those beyond the limit; ``ends`` is where each unit ends."""
    atoms: list[_Atom] = []
    first = 0
    for start, end in sentences(text):
        last = bisect_right(ends, end, first)
        while last - first > max_units:
            left = last - first
            share = -(-left // -(-left // max_units))
            cut = _cut(text, ends[first + (share - 1) * 3 // 4 : first + share])
            after = bisect_right(ends, cut, first)
            atoms.append((start, cut, after - first))
            start, first = cut, after
        atoms.append((start, end, last - first))
        first = last
    return atoms


def _cut(text: str, ends: list[int]) -> int:
    """The last good place to cut among unit ends: after a clause, else before a whole character.

    Only the end of a unit will do, else both halves of a split unit would count.
    """
    clause = 0
    for match in compiled(_CLAUSE_END).finditer(text, ends[0], ends[-1]):
        clause = match.end()
    if clause:
        return clause
    for cut in ends[: -_MAX_CLUSTER - 1 : -1]:
        if graphemes.floor(text, cut) == cut:
            return cut
    return ends[-1]


def _fill_tail(groups: list[list[_Atom]], max_units: int) -> None:
    """Evens out the last two passages when the last is shorter than a quarter of the limit."""
    if len(groups) < 2:
        return
    before, tail = groups[-2:]
    filled = sum(count for _, _, count in tail)
    half = (filled + sum(count for _, _, count in before)) // 2
    if 4 * filled >= max_units:
        return
    while len(before) > 1 and filled + before[-1][2] <= half:
        filled += before[-1][2]
        tail.insert(0, before.pop())
