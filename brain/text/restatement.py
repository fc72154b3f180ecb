"""Restatement: two texts that say the same in the same order, save for particles and punctuation.

Stricter than :mod:`brain.text.similarity`, which says where a second look is worth it: what is
called a restatement here may be merged. Every figure with its sign and unit, every Latin word,
every negation, every pronoun and direction (我 and 他, 上 and 下) counts, and so does their order.
"""

from __future__ import annotations

from functools import cache, lru_cache

from brain.text.fold import fold
from brain.text.lists import words
from brain.text.numerals import read_number
from brain.text.regex import compiled

LONGEST = 20_000
"""Characters that are read; longer texts are the same only where they are equal."""

_TOKEN = (
    r"(?P<number>(?<![0-9a-z])[-+]?\d+(?:[.:/-]\d+)*)"
    r"|(?P<word>[a-z0-9_][a-z0-9_.+#/@-]*[a-z0-9_+#]|[a-z0-9_])"
    r"|(?P<han>[零〇一二三四五六七八九十百千万亿两]{2,})"
    r"|(?P<clause>[,;。！!\n]+)"
    r"|(?P<other>\S)"
)
_SILENT = frozenset("、:.\"'`“”‘’「」『』()（）[]【】《》<>{}*_~·…—-|")
"""Marks that say nothing by themselves."""


@cache
def _particles() -> frozenset[str]:
    return frozenset((*words("restatement", "particles"), *words("restatement", "articles")))


@cache
def _limits() -> tuple[str, ...]:
    return words("restatement", "limits")


@lru_cache(maxsize=64)
def clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """What a text says, clause by clause: its words, figures and characters that count, in order.

    Empty where nothing is left of it, or where it is longer than ``LONGEST``.
    """
    if len(text) > LONGEST:
        return ()
    out: list[tuple[str, ...]] = []
    here: list[str] = []
    for match in compiled(_TOKEN).finditer(fold(text)):
        token, kind = match.group(), match.lastgroup
        if kind == "clause":
            if here and here[-1] in words("restatement", "negations"):
                here.append(",")  # 不，可以 is not 不可以
            elif here:
                out.append(tuple(here))
                here = []
            continue
        if kind == "han":
            value = read_number(token)
            here.append(token if value is None else str(value))
        elif token not in _particles() and token not in _SILENT:
            here.append(token)
    if here:
        out.append(tuple(here))
    return tuple(out)


def key(text: str) -> tuple[str, ...]:
    """What is equal for two texts that restate each other; empty where nothing can be said."""
    return tuple(token for clause in clauses(text) for token in clause)


def says_first(longer: str, shorter: str) -> bool:
    """Whether a text begins by saying all that another does, and nothing behind it limits that.

    我对花生过敏，吃了会起疹子 says all that 我对花生过敏 does; 活动取消，如果下雨 does not say that
    活动取消.
    """
    all_of, part = clauses(longer), clauses(shorter)
    if not part or len(all_of) <= len(part) or all_of[: len(part)] != part:
        return False
    rest = "".join(token for clause in all_of[len(part) :] for token in f" {' '.join(clause)} ")
    joined = rest.replace(" ", "") + rest
    return not any(limit in joined for limit in _limits())


def loses(kept: str, dropped: str) -> tuple[str, ...]:
    """The figures, Latin words and negations of a text that another does not have."""
    negations = words("restatement", "negations")
    have = list(key(kept))
    lost = []
    for token in key(dropped):
        counts = token.isascii() or token in negations or any(c.isdigit() for c in token)
        if not counts:
            continue
        if token in have:
            have.remove(token)
        else:
            lost.append(token)
    return tuple(lost)
