"""Shapes of clauses: what one says whose words are in no list, by its form or its characters."""

from __future__ import annotations

import re
from functools import cache

from brain.text import lists
from brain.text.polarity.lexicon import scan
from brain.text.regex import compiled

_OPPOSED = r"有([\u4e00-\u9fff]{1,2})有([\u4e00-\u9fff]{1,2})"

_HALVES = r"一半[\u4e00-\u9fff]{1,3}一半[\u4e00-\u9fff]"


def opposed(text: str) -> bool:
    """Whether a clause sets two against each other: 有赚有亏."""
    if compiled(_HALVES).search(text):
        return True
    pair = compiled(_OPPOSED).search(text)
    return pair is not None and by_characters(pair.group(1)) * by_characters(pair.group(2)) < 0


@cache
def _shapes() -> tuple[tuple[re.Pattern[str], int], ...]:
    """The shapes in their order, each with what it says."""
    told = lists.lines("outcome_shapes")["shapes"]
    return tuple((compiled(line[2:]), 1 if line[0] == "+" else -1) for line in told)


_CHANGED = (
    r"(?:[换改挪搬调移转并拆分存放排定约录写贴抄交发送设标]|登记|归档)(?:约|期|签)?"
    r"(?:[成到为在进给至]|了(?:一?[个家种款]|一遍|一下|位置|名字|地方|方向))|加了[一个两]"
    r"|换了|还在[谈等看写做改审测查走]|换[大小宽窄长短厚薄]了?一[号圈点]"
    r"|\b(?:renamed|moved|switched|now lives|reorganized|rescheduled)\b"
)
"""What was only changed, which tells nothing of how it ended."""


def by_shape(text: str) -> int:
    """What the shape of a clause says whose words are in no list, else its characters."""
    for shape, value in _shapes():
        if shape.search(text):
            return value
    return 0 if compiled(_CHANGED).search(text) else by_characters(text)


@cache
def _characters() -> dict[str, int]:
    """Character → 1 or -1."""
    out = {c: -1 for line in lists.lines("polarity")["bad_chars"] for c in line}
    return out | {c: 1 for line in lists.lines("polarity")["good_chars"] for c in line}


def by_characters(text: str) -> int:
    """The sign most of a text's telling characters have; 0 for none or as many of both.

    The weakest evidence there is: characters within a word that is known to mean something else
    do not count.
    """
    hidden = {
        at
        for t in scan(text)
        if t.kind in ("blind", "expectation")
        for at in range(t.start, t.stop)
    }
    total = sum(_characters().get(c, 0) for at, c in enumerate(text) if at not in hidden)
    return (total > 0) - (total < 0)
