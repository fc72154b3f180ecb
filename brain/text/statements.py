"""Statements worth a record, in what a person says in a conversation (记住…, 以后都…, 我叫…).

Deterministic patterns, a list (``data/statements.txt``). A statement stands at the beginning of a
sentence of the person's own; questions, conditions, doubts, quotations and code are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from re import IGNORECASE, Match, Pattern

from brain.text.fold import fold
from brain.text.lists import lines
from brain.text.regex import compiled
from brain.text.sentences import sentences

SHORTEST, LONGEST = 4, 160
"""Characters of a statement: fewer name nothing, more are a text of their own."""

_CUES = "remember"
_NOTE = "note"
_LEAD = "lead"
_NOT = "not"
_KINDS = ("preference", "decision", "fact")
"""Headings of the list that are kinds of memories, in the order in which they are tried."""

_SPEAKER = r"(?m)^(?P<who>用户|助手|我|user|human|assistant|ai|system)\s*[:：]\s*"
_OURS = frozenset({"用户", "我", "user", "human"})
_FENCE = r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)"
_QUOTED = r"(?m)^[ \t]*>.*$"


@dataclass(frozen=True, slots=True)
class Statement:
    """What was said: ``text[start:stop]`` of the episode, and the kind of memory it would be."""

    kind: str
    start: int
    stop: int


def find(episode: str) -> list[Statement]:
    """The statements of an episode's text, in order.

    Args:
        episode: turns as ``用户：…`` and ``助手：…``, one after the other; a text without such
            marks is the person's own.
    """
    return [one for start, stop in _own_turns(episode) for one in _in_turn(episode, start, stop)]


def _own_turns(text: str) -> Iterator[tuple[int, int]]:
    """Where the person speaks."""
    marks = list(compiled(_SPEAKER, IGNORECASE).finditer(text))
    if not marks:
        yield 0, len(text)
        return
    for here, following in zip(marks, [*marks[1:], None], strict=True):
        if here["who"].lower() in _OURS:
            yield here.end(), len(text) if following is None else following.start()


def _in_turn(text: str, start: int, stop: int) -> Iterator[Statement]:
    said = text[start:stop]
    for pattern in (_FENCE, _QUOTED):
        said = compiled(pattern).sub(lambda m: "\n" * len(m.group()), said)
    for first, last in sentences(said):
        for a, b in _lines(said, first, last):
            found = _read(said[a:b])
            if found is not None:
                kind, begin, end = found
                yield Statement(kind, start + a + begin, start + a + end)


def _lines(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """A sentence's lines without blanks and list marks around them."""
    for match in compiled(r"[^\n]+").finditer(text, start, stop):
        inner = compiled(r"^[\s>*•-]*(?P<it>.*?)\s*$").match(match.group())
        if inner and inner["it"]:
            yield match.start() + inner.start("it"), match.start() + inner.end("it")


def _read(sentence: str) -> tuple[str, int, int] | None:
    """The kind of a sentence, and what of it is to be kept; None for no statement."""
    if not SHORTEST <= len(sentence) <= 2 * LONGEST:
        return None
    # Character by character, so that places in it are places in the sentence.
    folded = "".join(one if len(one := fold(c)) == 1 else c for c in sentence)
    if any(p.search(folded) for p in _patterns(_NOT)):
        return None
    start = _after(folded, 0, _LEAD)
    cue = _after(folded, start, _CUES)
    kind = next((k for k in _KINDS if _match(folded, cue, k)), None)
    if kind is None and cue > start:
        kind = _NOTE
    end = len(sentence.rstrip("。！!.～~ \t"))
    if kind is None or not SHORTEST <= end - cue <= LONGEST:
        return None
    return kind, cue, end


def _after(folded: str, at: int, heading: str) -> int:
    """Where what stands under a heading ends, as often as it stands there one after the other."""
    while found := _match(folded, at, heading):
        if found.end() == at:
            break
        at = found.end()
    return at


def _match(folded: str, at: int, heading: str) -> Match[str] | None:
    return next((m for p in _patterns(heading) if (m := p.match(folded, at))), None)


@cache
def _patterns(heading: str) -> tuple[Pattern[str], ...]:
    return tuple(compiled(line) for line in lines("statements")[heading])
