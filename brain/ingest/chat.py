"""Chat turns and episodes: which turns are worth keeping, and how they are packed into episodes.

A question and its answer stand in one episode, so that whoever finds the question has the decision
too. An episode ends at a turn of the user once it is long enough, and where the day changes: words
like 今天 are read from its date.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from brain.ingest.entry import CHAT, SEPARATOR, UNKNOWN, Entry, Fault, Found, evidence, source
from brain.ingest.files import unusable
from brain.memory import Draft
from brain.text import scaffolding
from brain.text.fold import fold
from brain.text.scaffolding import ASSISTANT, USER
from brain.text.sentences import passages, sentences
from brain.text.stopwords import is_chitchat
from brain.text.timestamps import local_day, to_iso

EPISODE = "episode"
SPEAKERS = {USER: "用户", ASSISTANT: "助手"}

_SPOKEN = re.compile(rf"^(?:{'|'.join(SPEAKERS.values())})：", re.MULTILINE)

LONG_ENOUGH = 600
"""Characters from which an episode takes no further exchange: about one passage of a model."""

LONGEST = 4000
"""Characters beyond which even a single exchange is cut, at a sentence."""

LONGEST_TURN = 32_000
"""Characters of one turn that are taken in; what is longer is pasted data, not talk."""

PASSAGE = 160
"""Characters of turns up to which they share a passage: a vector of one thing that was said is
nearer to the question about it than one of all that was said around it."""

SAME_EVENING = timedelta(hours=1)
"""An answer that comes so soon after midnight stays with its question."""

CHAINED, NAMED = "c", "i"
"""What a mark begins with: of a turn after all those before it, of a turn by its id."""

LEAST_NAME = 8
"""Characters of a message id that no other session's has by chance (shorter ones count lines)."""


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said once.

    Args:
        id: as the source names it; ``number`` where it has to be found by number again.
        place: for messages to a person.
        when: as :func:`brain.ingest.entry.since` gives it.
        marks: fingerprints by which it is known again in another file; see :func:`marked`.
    """

    role: str
    text: str
    id: str | int
    place: int = 0
    when: datetime | str = UNKNOWN
    at: int = 0
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """One session as a reader gives it.

    Args:
        reader: the format's short name, the first part of the source.
        session: names it among the reader's.
        turns: in order; faults are handed through.
        host: whose scaffolding stands in the turns; see :mod:`brain.text.scaffolding`.
        whole: whether the turns begin with the session's first.
    """

    reader: str
    session: str
    turns: Iterable[Turn | Fault] = field(repr=False)
    host: str = ""
    whole: bool = True


Told = Talk | Found
"""What a reader gives."""


def content_text(content: object) -> str:
    """The words of a message: a string, or the text parts of a list; nothing of tools."""
    if isinstance(content, dict):
        inner = content.get("parts") or content.get("text")
        # No host nests them; somebody's file may, as deep as JSON can be read.
        return "" if isinstance(inner, dict) else content_text(inner)
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part if isinstance(part, str) else _part(part) for part in content]
    return "\n\n".join(text for text in texts if text.strip())


_TEXT_PARTS = ("text", "input_text", "output_text", "audio_transcription")


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    kind = part.get("type") or part.get("content_type") or "text"
    text = part.get("text")
    return text if kind in _TEXT_PARTS and isinstance(text, str) else ""


def clean(text: str) -> str:
    """A text of nobody known without what machines put into it."""
    return scaffolding.spoken(text)


def turn_or_fault(turn: Turn, host: str) -> Turn | Fault | None:
    """A turn cleaned; None when nothing worth keeping is left, a fault when it is damaged."""
    wrong = unusable(turn.text)
    if wrong is not None:
        return Fault(turn.place, wrong, turn.at)
    text = scaffolding.spoken(turn.text, host, turn.role)
    if not text or (len(text) <= 40 and is_chitchat(fold(text))):
        return None
    return replace(turn, text=text)


def cleaned(talk: Talk) -> Iterator[Turn | Fault]:
    """The turns of a session that are worth keeping, as they were said."""
    for turn in talk.turns:
        given = turn if isinstance(turn, Fault) else turn_or_fault(turn, talk.host)
        if given is not None:
            yield given


def marked(talk: Talk, turns: Iterable[Turn | Fault]) -> Iterator[Turn | Fault]:
    """Turns with their marks: what tells a copied session's turns from others.

    The first is a chain over the session so far, where it is known from its beginning: equal where
    two sessions began with the same turns, whatever their ids and times are. The second is of the
    turn and its id, where ids are more than numbers.
    """
    chain = hashlib.sha256(talk.reader.encode())
    for turn in turns:
        if isinstance(turn, Fault):
            yield turn
            continue
        said = f"\0{turn.role}\0{turn.text}".encode("utf-8", "surrogatepass")
        chain.update(said)
        marks = [f"{CHAINED}{chain.hexdigest()[:24]}"] if talk.whole else []
        if isinstance(turn.id, str) and len(turn.id) >= LEAST_NAME:
            named = hashlib.sha256(f"{talk.reader}\0{turn.id}".encode("utf-8", "replace") + said)
            marks.append(f"{NAMED}{named.hexdigest()[:24]}")
        yield replace(turn, marks=tuple(marks))


def episodes(reader: str, session: str, turns: Iterable[Turn | Fault]) -> Iterator[Found]:
    """Packs one session's turns, in order, into episodes.

    Args:
        reader: the format's short name, the first part of the source.
        turns: of the user and the assistant, cleaned; faults are handed through.
    """
    held: list[Turn] = []
    length = 0
    for given in turns:
        if isinstance(given, Fault):
            yield given
            continue
        turn = given
        if len(turn.text) > LONGEST_TURN:
            told = f"这条消息超过 {LONGEST_TURN} 个字符，只收了前面这些。"
            yield Fault(turn.place, told, turn.at)
            turn = replace(turn, text=turn.text[:LONGEST_TURN])
        full = length >= LONG_ENOUGH and turn.role == USER
        if held and (full or length + len(turn.text) > LONGEST or _another_day(held, turn)):
            yield from _pack(reader, session, held)
            held, length = [], 0
        held.append(turn)
        length += len(turn.text)
    if held:
        yield from _pack(reader, session, held)


def _another_day(held: list[Turn], turn: Turn) -> bool:
    """Whether a turn was said on another day than what it would stand with."""
    before = next((t.when for t in reversed(held) if isinstance(t.when, datetime)), None)
    if before is None or not isinstance(turn.when, datetime):
        return False
    if local_day(to_iso(before)) == local_day(to_iso(turn.when)):
        return False
    soon = timedelta(0) <= turn.when - before <= SAME_EVENING
    return not (soon and turn.role == ASSISTANT and held[-1].role == USER)


def _pack(reader: str, session: str, turns: list[Turn]) -> Iterator[Entry]:
    first, last = turns[0], turns[-1]
    told = [f"{SPEAKERS[turn.role]}：{turn.text}" for turn in turns]
    text = "\n".join(told)
    known = [turn.when for turn in turns if isinstance(turn.when, datetime)]
    draft = Draft(
        text,
        kind=EPISODE,
        source=source(reader, f"{session}#{first.id}-{last.id}"),
        confidence=CHAT,
        valid_from=known[0] if known else UNKNOWN,
        evidence=evidence([turn.id for turn in turns], session=session),
    )
    numbered = isinstance(first.id, int) and isinstance(last.id, int)
    ends: list[int] = []
    for one in told:
        ends.append(len(one) + (ends[-1] + 1 if ends else 0))
    whole = Entry(
        f"{session}{SEPARATOR}{first.id}",
        draft,
        first.place,
        first.id if numbered and isinstance(first.id, int) else None,
        last.id if numbered and isinstance(last.id, int) else None,
        last.at,
        ends=tuple(ends),
        marks=tuple(mark for turn in turns for mark in turn.marks),
    )
    pieces = list(_cut(text))
    if len(pieces) == 1:
        yield whole
        return
    for number, piece in enumerate(pieces, start=1):
        key = whole.key if number == 1 else f"{whole.key}/{number}"
        marks = whole.marks if number == 1 else ()
        yield replace(whole, key=key, draft=replace(draft, text=piece), ends=(), marks=marks)


def turn_passages(text: str) -> list[Span]:
    """As :func:`brain.text.sentences.passages`, of an episode: short turns together, a longer one
    by itself."""
    starts = [found.start() for found in _SPOKEN.finditer(text)]
    bounds = [0, *(start for start in starts if start), len(text)]
    joined = [0]
    for start, stop in pairwise(bounds):
        if start > joined[-1] and stop - joined[-1] > PASSAGE:
            joined.append(start)
    spans: list[Span] = []
    for start, stop in pairwise([*joined, len(text)]):
        spans += [(start + a, start + b) for a, b in passages(text[start:stop])]
    return spans


def _cut(text: str) -> Iterator[str]:
    """A text in pieces of at most ``LONGEST`` characters, cut where a sentence ends if one does."""
    start = 0
    ends = [stop for _, stop in sentences(text)] if len(text) > LONGEST else []
    while len(text) - start > LONGEST:
        within = [stop for stop in ends if start + LONGEST // 2 < stop <= start + LONGEST]
        stop = within[-1] if within else start + LONGEST
        yield text[start:stop].strip("\n")
        start = stop
    yield text[start:].strip("\n")
