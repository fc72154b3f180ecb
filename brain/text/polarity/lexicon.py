"""Lexicon of outcomes: the words that say how something ended, found in a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from brain.text import lists
from brain.text.regex import compiled

_LONGEST_WORDS = 4
"""English words of the longest entry."""


_ASCII_WORD = r"[a-z0-9][a-z0-9'_]*(?:-[a-z]+)*"


_COMPLEMENTS = (
    "起来|下来|出来|出去|进去|进来|过来|过去|回来|回去|上去|上来|下去|"
    "上|下|到|住|动|开|完|过|清|了|着|起|成|通|全|回|懂|透|好|稳|齐|准|够|牢|掉|出|进|见|灵|及|中|赢|足|满"
)


_POTENTIAL = rf"([\u4e00-\u9fff])不({_COMPLEMENTS})"


_ABLE = rf"[\u4e00-\u9fff]得({_COMPLEMENTS}|快|香|牢)"


_UNBREAKABLE = (
    r"[摔压用洗晒泡砸踩撞吹刮磨穿扯弄]不(?:坏|烂|破|碎|断|倒|变形|褪色)"
    r"|[坏丢错黄死烂垮崩]不了|难不倒"
)


_NOT_HELD = r"没(?:有|能)?[关锁粘贴钉绑系捆夹焊拴按握抓拉扶抱记坐站立定接捂盖护保守留撑挺稳封]住"
"""What did not hold, also where what holds may be a failure (锁住)."""


_FEW_NUMBER = r"[^,。]{0,3}?(?:[0-9一二两三四五六七八九十半几])"


_ONLY_LESS = rf"[只仅才](?:耽误|[要用需花等排掉丢错漏罚赔坏跌降少差挨停])了?{_FEW_NUMBER}"


_ONLY_FEW = (
    rf"(?:只|仅|才)(?:剩下?|有(?!原|以前|之前|过去)|够|[\u4e00-\u9fff]{{1,2}}了|卖出?|收|到|考|拿)"
    rf"{_FEW_NUMBER}"
)


class Token(NamedTuple):
    """A word of a list in a clause: its kind, where it stands, and what stands there.

    ``better`` is 1 for a quantity of which more is better, -1 for one of which more is worse.
    """

    kind: str
    start: int
    stop: int
    text: str
    better: int = 0


@cache
def _entries() -> dict[str, str]:
    """Word → kind; a later kind wins where a word stands under two."""
    order = (
        "achieve_en", "achieve", "expectation", "up", "down", "good_en", "good", "bad_en", "bad",
        "lose", "prevent", "idiom_good", "idiom_bad", "mixed", "neutral", "pending", "negators",
        "near", "blind",
    )  # fmt: skip
    out: dict[str, str] = {}
    for kind in order:
        for word in (*lists.words("polarity", kind), *_topical(kind)):
            out[word.replace("_", " ")] = kind
    for kind in ("good", "bad"):
        for word in lists.words("polarity", f"separable_{kind}"):
            for between in ("", *_BETWEEN):
                out.setdefault(word[0] + between + word[1:], kind)
    return out


_BETWEEN = ("了", "过", "着", "了个", "了大", "了点", "了次", "了一次", "了不少")
"""What stands within a separable verb: 涨粉, 涨了粉."""


def _topical(kind: str) -> tuple[str, ...]:
    """The words of a kind that belong to one topic or another."""
    return lists.words("outcomes", kind) if kind in lists.lines("outcomes") else ()


@cache
def among(heading: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in lists.words("polarity", heading))


@cache
def quantities() -> dict[str, int]:
    """Quantity → 1 where more of it is better, -1 where more is worse."""
    out = dict.fromkeys(lists.words("polarity", "more_good"), 1)
    out |= dict.fromkeys(lists.words("polarity", "more_bad"), -1)
    return {word.replace("_", " "): better for word, better in out.items()}


@cache
def _lengths() -> dict[str, list[int]]:
    """First character → lengths of the words that begin with it, falling."""
    words = (w for w in (*_entries(), *quantities()) if not w.isascii())
    return lists.Lexicon.of(dict.fromkeys(words, "")).lengths


@cache
def marks(heading: str) -> re.Pattern[str]:
    """Any of the words under a heading; English ones as whole words."""
    found = sorted((w.replace("_", " ") for w in lists.words("polarity", heading)), key=len)
    parts = [rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in reversed(found)]
    return compiled("|".join(parts))


def first(tokens: Sequence[Token], kind: str) -> int:
    return next(t.start for t in tokens if t.kind == kind)


EVALUATING = {
    "good": 1, "good_en": 1, "idiom_good": 1, "able": 1, "less": 1,
    "bad": -1, "bad_en": -1, "idiom_bad": -1, "unable": -1, "few": -1, "lose": -1,
}  # fmt: skip


def words_of(text: str) -> Iterator[Token]:
    """The words of the lists in a clause that say something."""
    return (token for token in scan(text) if token.kind != "blind")


@lru_cache(maxsize=16)
def scan(text: str) -> Sequence[Token]:
    """The words of the lists in a clause, the longest at each place, in order."""
    tokens = list(_read(text))
    ahead: list[int] = []  # what the words behind say, the next one last
    for place in range(len(tokens) - 1, -1, -1):
        kind = tokens[place].kind
        if kind == "seeming":  # not to be found: something bad, or something that was looked for
            of_bad = any(value < 0 for value in ahead[-2:]) or any(
                t.better < 0 or EVALUATING.get(t.kind, 0) < 0 for t in tokens[:place]
            )
            kind = "negators" if of_bad else "unable"
            tokens[place] = tokens[place]._replace(kind=kind)
        if kind != "blind":
            ahead.append(EVALUATING.get(kind, 0) or min(tokens[place].better, 0))
    return tokens


_DOUBLED = ("good", "bad", "idiom_good", "idiom_bad")
"""Kinds of words that mean the same when doubled: 热闹, 热热闹闹."""


def _read(text: str) -> Iterator[Token]:
    """As :func:`scan`, with the kind ``seeming`` for 看不出 and its like."""
    entries, metrics, lengths = _entries(), quantities(), _lengths()
    ascii_words = list(compiled(_ASCII_WORD).finditer(text))
    starts = {m.start(): n for n, m in enumerate(ascii_words)}
    potential = {m.start(): m for m in compiled(_POTENTIAL).finditer(text)}
    able = {m.start(): m for m in compiled(_ABLE).finditer(text)}
    special = {m.start(): ("able", m) for m in compiled(_UNBREAKABLE).finditer(text)}
    special |= {m.start(): ("less", m) for m in compiled(_ONLY_LESS).finditer(text)}
    special |= {m.start(): ("few", m) for m in compiled(_ONLY_FEW).finditer(text)}
    special |= {m.start(): ("unable", m) for m in compiled(_NOT_HELD).finditer(text)}
    at = 0
    while at < len(text):
        if at in starts:
            token = _english(text, ascii_words, starts[at])
            if token:
                yield token
                at = token.stop
            else:
                at = ascii_words[starts[at]].end()
            continue
        if at in special:
            kind, shape = special[at]
            yield Token(kind, at, shape.end(), shape.group())
            at = shape.end()
            continue
        found = None
        for length in lengths.get(text[at], ()):
            word = text[at : at + length]
            if word in entries or word in metrics:
                better = metrics.get(word, 0)
                found = Token(entries.get(word, "quantity"), at, at + len(word), word, better)
                break
        doubled = text[at : at + 4 : 2]
        if found is None and len(doubled) == 2 and doubled == text[at + 1 : at + 4 : 2]:
            kind = entries.get(doubled, "")
            if kind in _DOUBLED:
                found = Token(kind, at, at + 4, text[at : at + 4])
        match = potential.get(at)
        if match and (found is None or found.stop <= match.end()):
            if match.group()[:3] in among("seeming"):
                yield Token("seeming", at, match.end(), match.group())
                at = match.end()
                continue
            failing = any(
                entries.get(text[at + 2 : stop]) == "bad" for stop in range(match.end() + 1, at + 6)
            )
            if failing and at and found is None:  # 直播不掉线
                at += 1
                continue
            idle = any(text.startswith(word, at) for word in among("idle"))
            kind = "blind" if idle else "unable"
            if match.group(1) not in "的了都也就还是又并可再从毫很太":
                yield Token(kind, at, match.end(), match.group())
                at = match.end()
                continue
        match = able.get(at)
        if (
            match
            and (found is None or found.stop <= match.end())
            and match.group()[0] not in "觉值获取懒显舍记使群人猫狗鸡猪牛羊他她它娃"
        ):
            yield Token("able", at, match.end(), match.group())
            at = match.end()
            continue
        if found:
            match = potential.get(found.stop - 1)
            if match and match.group(2) != "出" and found.kind in ("achieve", "quantity", "good"):
                yield Token("unable", at, match.end(), text[at : match.end()])
                at = match.end()
                continue
            yield found
            at = found.stop
        else:
            at += 1


def _english(text: str, words: Sequence[re.Match[str]], place: int) -> Token | None:
    """The longest entry of English words that begins at a word; None where there is none."""
    entries, metrics = _entries(), quantities()
    for count in range(min(_LONGEST_WORDS, len(words) - place), 0, -1):
        chosen = words[place : place + count]
        phrase = " ".join(m.group() for m in chosen)
        start, stop = chosen[0].start(), chosen[-1].end()
        if len(phrase) == stop - start and (phrase in entries or phrase in metrics):
            kind = entries.get(phrase, "quantity")
            if kind == "blind":
                return None
            return Token(kind, start, stop, phrase, metrics.get(phrase, 0))
    return None
