"""Intent: whether a message asks what a memory could answer.

Much of what an agent is told is no question to a memory: work on text and code (写个正则, translate
this), what anybody could look up (牛顿第二定律), talk beyond the greetings of
:func:`brain.text.stopwords.is_chitchat`. None of it is a verdict: 按我们的规范写提交 is work and
needs the memory. So these are features, each in [0, 1], for a model that has the evidence beside
them; the lists (``intents``) are of words, the shapes of sentences are here.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from brain.text.answer_kind import Kind, asked
from brain.text.lists import Lexicon, spoken, words
from brain.text.regex import compiled

LONGEST = 1_000
"""Characters of a message that are looked at: half from its head, half from its tail."""

LONG = 120
"""From so many characters on a message is more than a question: with a verb of work at its head it
is an instruction."""

MOST_TALK = 24
"""Characters of talk; what is longer tells something."""

_ENOUGH = 2
"""So many marks of a kind are as sure as more."""

_ONE = 0.6
"""What one of them says."""

_VERB_ALONE = 0.5
"""A verb of work at the head and nothing it would be done on: 用, 列出 begin questions as well.
Behind 帮我 or please it says more."""

MOST_CLAUSES = 24

MOST_BESIDE = 4
"""Letters beside a verb of work in a message that is nothing else: 润色一下, 继续翻译."""

_DIRECT = frozenset(("用", "把", "将", "根据", "按照", "基于", "参考"))
"""Heads of a request only where a verb of work follows."""


class Intent(NamedTuple):
    """What a message shows of what it is for; each in [0, 1].

    Args:
        work: work on text or code is wanted.
        general: what is the same for everybody is asked.
        talk: greeting, mood, assent, and nothing asked.
        about_self: it speaks of its writer, or of those the writer speaks for.
        recalls: it points at something told or known before (来着, 上次, 还在, 那家).
        asks: something is asked or wanted.
    """

    work: float = 0.0
    general: float = 0.0
    talk: float = 0.0
    about_self: float = 0.0
    recalls: float = 0.0
    asks: float = 0.0


def _list(heading: str) -> list[str]:
    return spoken(words("intents", heading))


@cache
def _lexicon(heading: str) -> Lexicon:
    return Lexicon.of(dict.fromkeys(_list(heading), ""))


@cache
def _selves() -> Lexicon:
    return Lexicon.of(dict.fromkeys(_list("self"), "self") | dict.fromkeys(_list("not_self"), ""))


@lru_cache(maxsize=32)
def read(folded: str) -> Intent:
    """What a message is for.

    Args:
        folded: from :func:`brain.text.fold.fold`.
    """
    text = folded.strip()
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    kinds = asked(text)
    asks = bool(kinds) or "?" in text
    work = _work(text)
    own = any(what for _, _, what in _selves().found(text))
    general = _share(len({text[a:b] for a, b, _ in _lexicon("general_marks").found(text)}))
    recalls = _share(len({text[a:b] for a, b, _ in _lexicon("recalling").found(text)}))
    return Intent(
        work=work,
        general=general,
        talk=0.0 if work >= _ONE else _talk(text, asks=asks and kinds != {Kind.YES_NO}),
        about_self=float(own),
        recalls=recalls,
        asks=float(asks or work >= _ONE or general > 0),
    )


def _share(marks: int) -> float:
    if marks == 0:
        return 0.0
    return 1.0 if marks >= _ENOUGH else _ONE


def _work(text: str) -> float:
    """How surely work on text or code is wanted: by a verb at the head of a clause, what it is done
    on, and pasted code."""
    verbs = _lexicon("work_verbs")
    things = _lexicon("work_objects").found(text)
    code = sum(mark in text for mark in _list("code_marks"))
    score = 0.0
    if code:
        score = 0.9 if code >= _ENOUGH or text.count("\n") >= _ENOUGH else _VERB_ALONE
    for clause in _clauses(text):
        opened, end, verb = _head(clause)
        rest = clause[end:]
        if not verb:
            # 给 OrderService 补单测: whom it is for stands before the verb.
            wanted = opened and any(
                _lexicon("work_objects").found(rest[b:]) for _, b, _ in verbs.found(rest)
            )
            score = max(score, 0.8 if wanted else 0.0)
        elif verb not in _DIRECT or verbs.found(rest):
            nothing_else = sum(c.isalnum() for c in text) - len(verb) <= MOST_BESIDE
            sure = things or code or len(text) >= LONG or nothing_else
            asked_for = 0.8 if opened and verb not in _DIRECT else _VERB_ALONE
            score = max(score, 1.0 if sure else asked_for)
    if not score and things:
        end = things[-1][1]
        after = (text[end + a : end + b] for a, b, _ in verbs.found(text[end:]))
        score = _ONE if any(verb not in _DIRECT for verb in after) else 0.0
    return score


def _clauses(text: str) -> list[str]:
    return [c.strip() for c in compiled(r"[,;。!?\n:]").split(text) if c.strip()][:MOST_CLAUSES]


def _head(clause: str) -> tuple[bool, int, str]:
    """What a clause begins with: whether with an opening (请, 帮我, 给), where that and a verb of
    work behind it end, and the verb, or ''."""
    verbs, openings = _lexicon("work_verbs"), _lexicon("openings")
    at = 0
    opened = False
    while at < len(clause):
        if clause[at] in " \"'":
            at += 1
            continue
        verb = verbs.longest_whole(clause, at)
        opening = openings.longest_whole(clause, at)
        if opening and (verb is None or len(opening[0]) >= len(verb[0])):
            opened = True
            at += len(opening[0])
            continue
        return (opened, at, "") if verb is None else (opened, at + len(verb[0]), verb[0])
    return opened, at, ""


def _talk(text: str, *, asks: bool) -> float:
    """How surely a message only talks: short, with a word of mood or assent, and nothing asked."""
    if asks or len(text) > MOST_TALK:
        return 0.0
    found = _lexicon("moods").found(text)
    if not found:
        return 0.0
    covered = sum(b - a for a, b, _ in found) / max(1, sum(c.isalnum() for c in text))
    return min(1.0, 0.5 + covered)
