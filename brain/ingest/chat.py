"""Chat turns and episodes: which turns are worth keeping, and how they are packed into episodes.

A question and its answer stand in one episode, so that whoever finds the question has the decision
too. An episode ends at a turn of the user once it is long enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from brain.ingest.entry import CHAT, SEPARATOR, UNKNOWN, Entry, Fault, Found, evidence, source
from brain.ingest.files import unusable
from brain.memory import Draft
from brain.text.fold import fold
from brain.text.sentences import sentences
from brain.text.stopwords import is_chitchat

EPISODE = "episode"
USER, ASSISTANT = "user", "assistant"
SPEAKERS = {USER: "用户", ASSISTANT: "助手"}

LONG_ENOUGH = 600
"""Characters from which an episode takes no further exchange: about one passage of a model."""

LONGEST = 4000
"""Characters beyond which even a single exchange is cut, at a sentence."""

LONGEST_TURN = 32_000
"""Characters of one turn that are taken in; what is longer is pasted data, not talk."""

_OWN_BLOCK = re.compile(
    r"⟦记忆⟧[^\n]*(?:\n(?:#\d+ \[| {4}|技能 #|类型：|范围：)[^\n]*)*(?:\n?⟦/记忆⟧)?\n?"
)
_MACHINE = re.compile(
    r"<(system-reminder|environment_context|user_instructions|local-command-caveat|"
    r"local-command-stdout|command-message|command-name|command-args|relevant[-_]memories|"
    r"memory-context|ide_opened_file|ide_selection|task-notification)\b[^>]*>.*?(?:</\1>|\Z)\n?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said once.

    Args:
        id: as the source names it; ``number`` where it has to be found by number again.
        place: for messages to a person.
        when: as :func:`brain.ingest.entry.since` gives it.
    """

    role: str
    text: str
    id: str | int
    place: int = 0
    when: datetime | str = UNKNOWN
    at: int = 0


def content_text(content: object) -> str:
    """The words of a message: a string, or the text parts of a list; nothing of tools."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return content_text(content.get("parts") or content.get("text") or "")
    if not isinstance(content, list):
        return ""
    texts = [part if isinstance(part, str) else _part(part) for part in content]
    return "\n\n".join(text for text in texts if text.strip())


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    kind = part.get("type", "text")
    text = part.get("text")
    return text if kind in {"text", "input_text", "output_text"} and isinstance(text, str) else ""


def clean(text: str) -> str:
    """A turn without what machines put into it: our own blocks, reminders, command echoes."""
    if "⟦" in text:
        text = _OWN_BLOCK.sub("", text)
    if "<" in text:
        text = _MACHINE.sub("", text)
    return text.strip()


def turn_or_fault(turn: Turn) -> Turn | Fault | None:
    """A turn cleaned; None when nothing worth keeping is left, a fault when it is damaged."""
    wrong = unusable(turn.text)
    if wrong is not None:
        return Fault(turn.place, wrong, turn.at)
    text = clean(turn.text)
    if not text or (len(text) <= 40 and is_chitchat(fold(text))):
        return None
    return replace(turn, text=text)


def episodes(
    reader: str,
    session: str,
    turns: Iterable[Turn | Fault],
) -> Iterator[Found]:
    """Packs one session's turns, in order, into episodes.

    Args:
        reader: the format's short name, the first part of the source.
        turns: of the user and the assistant; faults are handed through.
    """
    held: list[Turn] = []
    length = 0
    for turn in turns:
        given = turn if isinstance(turn, Fault) else turn_or_fault(turn)
        if given is None:
            continue
        if isinstance(given, Fault):
            yield given
            continue
        if len(given.text) > LONGEST_TURN:
            told = f"这条消息超过 {LONGEST_TURN} 个字符，只收了前面这些。"
            yield Fault(given.place, told, given.at)
            given = replace(given, text=given.text[:LONGEST_TURN])
        full = length >= LONG_ENOUGH and given.role == USER
        if held and (full or length + len(given.text) > LONGEST):
            yield from _pack(reader, session, held)
            held, length = [], 0
        held.append(given)
        length += len(given.text)
    if held:
        yield from _pack(reader, session, held)


def _pack(reader: str, session: str, turns: list[Turn]) -> Iterator[Entry]:
    first, last = turns[0], turns[-1]
    text = "\n".join(f"{SPEAKERS[turn.role]}：{turn.text}" for turn in turns)
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
    whole = Entry(
        f"{session}{SEPARATOR}{first.id}",
        draft,
        first.place,
        first.id if numbered and isinstance(first.id, int) else None,
        last.id if numbered and isinstance(last.id, int) else None,
        last.at,
    )
    pieces = list(_cut(text))
    if len(pieces) == 1:
        yield whole
        return
    for number, piece in enumerate(pieces, start=1):
        key = whole.key if number == 1 else f"{whole.key}/{number}"
        yield replace(whole, key=key, draft=replace(draft, text=piece))


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
