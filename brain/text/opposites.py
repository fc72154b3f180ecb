"""Antonymy and negation between two actions: whether one does what the other leaves undone.

Two texts that share nearly all their words may be each other's contrary (没摘流量就重启网关,
先摘流量再重启网关). What is denied is found by the scope of the negation within its clause,
antonyms by a list (``data/opposites.txt``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from brain.text import lists
from brain.text.fold import fold
from brain.text.regex import compiled

_CLAUSE = r"[,。.;!?、:\n]+(?![0-9a-z])|[,。;!?\n]|(?<![0-9a-z-])[,.](?=\s)"
_ENDS = r"时|就|便|直接|再(?!现)|才|而是|后|然后|照样|照旧|先|把|,| and | then | but "
"""What ends the scope of a negation within a clause: 没跑测试就直接发布."""

_FORMER = r"从(.{1,12}?)(?:改|调|换|降|升|变|挪|搬|迁)(?:成|到|为)"
"""What is no more: 从每天改成每周."""

_BARE_VERB = r"(?:[做跑买要看写签弄管装订查测用吃喝睡搞办来去等带]|检查)?[了过]?"
"""With no more than this behind it a negation denies what stands before: 测试先不跑了, 热身省了."""

_LACKING = frozenset(("没", "没有", "无"))
_LACKS = r"(?:没有?|无)[\u4e00-\u9fff]{1,3}(?=的[\u4e00-\u9fff])"
"""What something lacks, told before its name: 没牌子的充电器."""

_WITHOUT = r"未经[\u4e00-\u9fff]{2}"
"""The condition that was not met, and no more: 未经许可转载了别人的文章."""

_TERM = r"[a-z0-9_]+(?:[-./:][a-z0-9_]+)*|--?[a-z][a-z-]*|[\u4e00-\u9fff]+"


class Opposition(NamedTuple):
    """How two actions contradict each other.

    Args:
        denied: the share of what both name that one does and the other leaves undone, in [0, 1].
        antonyms: how many words of one have their contrary in the other.
    """

    denied: float
    antonyms: int


@cache
def _words(heading: str) -> dict[str, list[str]]:
    """First character → the words that begin with it, the longest first."""
    out: dict[str, list[str]] = {}
    for word in sorted(lists.spoken(lists.words("opposites", heading)), key=len, reverse=True):
        out.setdefault(word[0], []).append(word)
    return out


@cache
def _pairs() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    out = []
    for line in lists.lines("opposites")["pairs"]:
        left, right = (
            frozenset(w.replace("_", " ") for w in half.split()) for half in line.split("|")
        )
        out.append((left, right))
    return tuple(out)


@lru_cache(maxsize=2048)
def denials(folded: str) -> bytes:
    """For each character of a folded text, 1 where it stands in what is denied, else 0."""
    out = bytearray(len(folded))
    for left in compiled(_FORMER).finditer(folded):
        out[left.start(1) : left.end(1)] = bytes([1]) * (left.end(1) - left.start(1))
    start = 0
    for piece in (*compiled(_CLAUSE).finditer(folded), None):
        stop = len(folded) if piece is None else piece.start()
        _deny(folded, start, stop, out)
        if piece is not None:
            start = piece.end()
    return bytes(out)


def _deny(folded: str, start: int, stop: int, out: bytearray) -> None:
    idle, negators = _words("idle"), _words("negators")
    at = start
    while at < stop:
        char = folded[at]
        passed = next((w for w in idle.get(char, ()) if folded.startswith(w, at)), None)
        if passed is not None:
            at += len(passed)
            continue
        word = next((w for w in negators.get(char, ()) if _stands(folded, w, at)), None)
        if word is None:
            at += 1
            continue
        after = at + len(word)
        end = compiled(_ENDS).search(folded, after, stop)
        till = end.start() if end else stop
        close = compiled(_LACKS if word in _LACKING else _WITHOUT).match(folded, at, till)
        if close:
            till = close.end()
        elif "把" in folded[start:at] and not compiled(_BARE_VERB).fullmatch(folded, after, till):
            at = after  # 把缓存层去掉直连数据库: what follows is done
            continue
        if at > start and compiled(_BARE_VERB).fullmatch(folded, after, till):
            begin = max(start, folded.rfind("的", start, at) + 1)
        else:
            begin = after
        for place in range(begin, till):
            if not at <= place < after:
                out[place] ^= 1
        at = after


def _stands(folded: str, word: str, at: int) -> bool:
    if not folded.startswith(word, at):
        return False
    if not word.isascii():
        return True
    before, after = folded[at - 1 : at], folded[at + len(word) : at + len(word) + 1]
    return not (before.isalnum() or before in "-_'") and not (after.isalnum() or after in "-_'")


def terms(folded: str) -> Iterator[tuple[str, int]]:
    """The two-character grams and Latin words of a text, with where they stand."""
    for match in compiled(_TERM).finditer(folded):
        run = match.group()
        if "\u4e00" <= run[0] <= "\u9fff":
            for at in range(len(run) - 1):
                yield run[at : at + 2], match.start() + at
        else:
            yield run, match.start()


@lru_cache(maxsize=2048)
def _stances(folded: str) -> dict[str, frozenset[bool]]:
    """Each term of a text, with whether it stands in what is denied, or in both."""
    denied = denials(folded)
    out: dict[str, set[bool]] = {}
    for term, at in terms(folded):
        out.setdefault(term, set()).add(bool(denied[at]))
    return {term: frozenset(found) for term, found in out.items()}


def opposition(first: str, second: str) -> Opposition:
    """How far two actions are each other's contrary.

    Args:
        first, second: texts as given.
    """
    a, b = fold(first), fold(second)
    one, other = _stances(a), _stances(b)
    shared = one.keys() & other.keys()
    against = [t for t in shared if not one[t] & other[t]]
    denied = len(against) / len(shared) if shared else 0.0
    return Opposition(denied, _antonyms(a, b))


def _antonyms(a: str, b: str) -> int:
    one, other = _sides(a), _sides(b)
    return sum({one[pair], other[pair]} == {1, -1} for pair in one.keys() & other.keys())


@lru_cache(maxsize=2048)
def _sides(folded: str) -> dict[int, int]:
    """Pair → which side of it a text has: 1 the left, -1 the right, 0 both; none: not there."""
    out = {}
    for number, (left, right) in enumerate(_pairs()):
        has_left, has_right = _held(folded, left), _held(folded, right)
        if has_left or has_right:
            out[number] = has_left - has_right
    return out


def _held(folded: str, words: frozenset[str]) -> bool:
    """Whether a text has one of some words outside what it denies."""
    denied = denials(folded)
    for word in words:
        at = folded.find(word)
        while at >= 0:
            if not denied[at] and _whole(folded, word, at):
                return True
            at = folded.find(word, at + 1)
    return False


def _whole(folded: str, word: str, at: int) -> bool:
    if len(word) > 1 and not word.isascii():
        return True
    if word.isascii():
        return _stands(folded, word, at)
    # One character is a word only where none of the usual compounds is made with it.
    return folded[at + 1 : at + 2] in (
        "",
        "了",
        "到",
        "个",
        "的",
        "上",
        "满",
        "放",
        "给",
        "着",
        " ",
    )
