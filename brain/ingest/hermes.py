"""Hermes Agent's conversations: the messages of its ``state.db``, packed into episodes.

The file itself is read by :mod:`brain.store.hermes_db`, while Hermes goes on writing it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from brain.ingest.chat import LONGEST_TURN, Talk, Told, Turn, content_text
from brain.ingest.entry import since
from brain.store import hermes_db

READER = "hermes"

_PAGE = 500
_MOST_BYTES = 4 * LONGEST_TURN


@dataclass(frozen=True, slots=True)
class Head:
    """What is new in a file: each session's message ids, and the newest id there is."""

    sessions: dict[str, array[int]]
    newest: int

    @property
    def count(self) -> int:
        return sum(len(ids) for ids in self.sessions.values())


def head(path: Path, after: int, *, every_session: bool) -> Head:
    """The ids of messages worth reading beyond an id.

    Args:
        every_session: also those of sessions that tools and timers held.
    """
    sessions: dict[str, array[int]] = {}
    newest = after
    while found := hermes_db.heads(path, newest, every_session=every_session):
        newest = found[-1][0]
        for message, session, wanted in found:
            if wanted:
                sessions.setdefault(session, array("q")).append(message)
    return Head(sessions, newest)


def read(path: Path, found: Head, begun: Collection[str]) -> Iterator[Told]:
    """What is new, session by session.

    Args:
        begun: sessions of which an earlier run has read the beginning.
    """
    ids = [message for group in found.sessions.values() for message in group]
    for session, turns in groupby(_turns(path, ids), key=lambda pair: pair[0]):
        said = (turn for _, turn in turns)
        yield Talk(READER, session, said, READER, whole=session not in begun)


def one_session(path: Path, session: str, first: int, last: int) -> Iterator[Told]:
    """Some messages of a session, as they stand now."""
    turns = _turns(path, hermes_db.ids_between(path, session, first, last))
    yield Talk(READER, session, (turn for _, turn in turns), READER, whole=False)


def _turns(path: Path, ids: Sequence[int]) -> Iterator[tuple[str, Turn]]:
    """(session, turn) of messages, in the order of the ids."""
    for start in range(0, len(ids), _PAGE):
        page = ids[start : start + _PAGE]
        found = hermes_db.contents(path, page, _MOST_BYTES)
        for number, message in enumerate(page, start=start + 1):
            if message in found:
                session, role, size, content, when = found[message]
                text = _text(content, cut=size > _MOST_BYTES)
                when = since(when, in_seconds=True)
                yield session, Turn(role, text, message, message, when, number)


def _text(content: bytes, *, cut: bool) -> str:
    text = content.decode("utf-8", "ignore" if cut else "surrogateescape")
    if text[:1] not in {"[", "{"}:
        return text
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return text
    first = parts[0] if isinstance(parts, list) and parts else parts
    return content_text(parts) if isinstance(first, dict) and "type" in first else text
