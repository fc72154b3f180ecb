"""Polarity of a text: its clauses, put together by their connectives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from brain.text import lists
from brain.text.fold import fold
from brain.text.polarity.clause import MIXED, of_clause
from brain.text.polarity.lexicon import marks, words_of
from brain.text.regex import compiled

Sign = Literal["good", "bad", "mixed", "neutral"]


MAX_CHARS = 2_000
"""Characters of a text that are read: an outcome says at its beginning how it ended."""


_CLAUSES = r"[,。.!?;、\n:]+(?![0-9])|[,.:](?=\s|$)|——|\s-\s|…+"


@lru_cache(maxsize=4096)
def sign(text: str) -> Sign:
    """Whether a text says that something ended well or badly.

    Args:
        text: an outcome, in Chinese or English; its first ``MAX_CHARS`` characters are read.

    Returns:
        ``good``, ``bad``, ``mixed`` (a gain and a loss both remain) or ``neutral`` (neither is
        said, or nothing is known yet).
    """
    folded = fold(text[:MAX_CHARS])[:MAX_CHARS]  # folded, one character may be eighteen
    value = _of_text(folded)
    return {1: "good", -1: "bad", 2: "mixed"}.get(value, "neutral")  # type: ignore[return-value]


class _Clause(NamedTuple):
    """A clause's value (1, -1, ``MIXED`` or 0), its text, and whether a contrast begins it."""

    value: int
    text: str
    contrast: bool


def _of_text(folded: str) -> int:
    clauses: list[_Clause] = []
    metric = 0
    for text, contrast in _clauses(folded):
        value, metric = of_clause(text, metric)
        if not value and compiled(_EVEN_IF_SO).match(text):
            value = 1
        clauses.append(_Clause(value, text, contrast))
    return _combined(clauses)


_EVEN_IF_SO = r"([\u4e00-\u9fff]{1,3})(?:是|归|倒是)\1"
"""A concession: 便宜是便宜, 就是太吵."""


def _clauses(folded: str) -> Iterator[tuple[str, bool]]:
    """The clauses, and of each whether a contrast stands before it."""
    conceded = False
    for piece in compiled(_CLAUSES).split(folded):
        rest = piece.strip()
        if not rest:
            continue
        contrast = conceded
        conceded = bool(marks("concession").match(rest)) and not marks("contrast").match(rest[2:])
        if compiled(r"可(?![以能见靠用口爱怜观贵信惜是])").match(rest):
            rest, contrast = rest[1:], True
        even = compiled(_EVEN_IF_SO).match(rest)
        if even:
            conceded = True
        first = marks("contrast_first").match(rest)
        if first:
            rest, contrast = rest[first.end() :], True
        at = 0
        for mark in marks("contrast").finditer(rest):
            before = rest[at : mark.start()].strip()
            if rest[mark.start() - 1 : mark.end()] in _NO_CONTRAST:
                continue
            if before:
                yield before, contrast
            contrast, at = True, mark.end()
            conceded = False
        if rest[at:].strip():
            yield rest[at:].strip(), contrast


_NO_CONTRAST = ("不但", "省却", "冷却", "退却", "忘却", "推却", "抛却", "失却")


def _combined(clauses: Sequence[_Clause]) -> int:
    """What the clauses say together: see the module's head for the order of the rules."""
    if any(c.value == MIXED and compiled(_any_mixed()).search(c.text) for c in clauses):
        return MIXED
    told = False
    for place in range(len(clauses) - 1, -1, -1):
        text = clauses[place].text
        told = told or clauses[place].value != 0
        if marks("lucky").match(text) and not any(c.contrast for c in clauses[place:]):
            return 1
        if marks("final").match(text) or marks("final").search(text[:6]):
            if marks("lucky").search(text[:6]):
                return 1
            if told:
                return _plain(clauses[place:])
    return _contrasted(clauses)


_STILL = r".{0,4}?(?:还是|照样|依然|依旧|仍然|仍旧)"
"""Whatever stood before: 尽管预算砍半, 还是按时完工."""


def _contrasted(clauses: Sequence[_Clause]) -> int:
    """Stretches of clauses between which contrasts stand, each with all that was said before it."""
    places = [place for place in range(1, len(clauses)) if clauses[place].contrast]
    bounds = [0, *places, len(clauses)]
    stretches = [clauses[start:stop] for start, stop in pairwise(bounds)]
    first, steps = _plain(stretches[0]), _is_step(stretches[0])
    for before, stretch in pairwise(stretches):
        after = _plain(stretch)
        if after and (first in (0, after) or steps or compiled(_STILL).match(stretch[0].text)):
            gained = after == -1 and not first and _compared(before[-1].text)
            first = MIXED if gained else after
        elif (
            after
            or (first == 1 and not steps)
            or (not first and compiled(_BETTER).search(before[-1].text))
        ):
            first = MIXED
        steps = steps and _is_step(stretch)
    return first


@cache
def _any_mixed() -> str:
    return "|".join(re.escape(w.replace("_", " ")) for w in lists.words("polarity", "mixed"))


def _is_step(clauses: Sequence[_Clause]) -> bool:
    """Whether clauses are effort, expectation or an earlier step, or did not come about."""
    told = [c for c in clauses if c.value]
    return all(
        compiled(_FORMER).match(c.text)
        or compiled(_SLIGHT).match(c.text)
        or (c.value == -1 and compiled(_HARDSHIP).match(c.text))
        or marks("expectation").search(c.text)
        or marks("near").search(c.text)
        for c in told
    )


_SLIGHT = r"(?:虽然|虽说|虽|尽管)[^,]{0,8}(?:了|有)(?:一?点|些)"
"""A loss that is conceded as a small one: 虽然慢了点, 但一个没错."""


_HARDSHIP = r"(?:虽然|虽说|虽|尽管)[^了]*$"
"""A state that is conceded, not a loss that came about: 虽然语言不通, 但聊得愉快."""


_FORMER = r"(?:前|头)[一二两三四五六七八九几半0-9]|第一[批次轮天年周个]"
"""What was first, and not how it ended: 前两轮都顺, 终面挂了."""


def _compared(text: str) -> bool:
    """Whether a clause says that something became more or less, and no list knows what it is:
    before a loss that is told as a gain (声音大了，不过杂音也重了)."""
    if compiled(_BETTER).search(text):
        return True
    return any(t.kind in ("up", "down") for t in words_of(text)) and text.endswith(
        ("了", "倍", "半")
    )


_BETTER = (
    r"^[\u4e00-\u9fff]{1,6}"
    r"(?:[好大多高快亮白甜香软稳轻省齐净近宽厚壮瘦准顺]|免费|漂亮|方便|简单)了$"
)


_AS_SOON_AS = r"一[\u4e00-\u9fff]{1,2}就"
"""What came at the first use is how it ended: 看着挺结实, 一压就断."""


def _plain(clauses: Sequence[_Clause]) -> int:
    """Clauses one after the other without a contrast between them."""
    told = [c for c in clauses if c.value]
    ended = [c for c in told if not _is_step([c])]
    if ended and ended[-1] is told[-1]:
        told = ended
    values = {c.value for c in told}
    if len(values) <= 1:
        return told[-1].value if told else 0
    last = told[-1]
    if last.value == 1 and marks("recovery").search(last.text):
        return 1
    if (
        marks("after").search(last.text[:8])
        or compiled(_AS_SOON_AS).search(last.text)
        or _is_step(told[:-1])
    ):
        return last.value
    if last.value == -1 and not any(c.contrast for c in told):
        weak = [c for c in told[:-1] if c.value == 1]
        return MIXED if weak else -1
    return MIXED
