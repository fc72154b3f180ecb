"""Ingest entries and faults: what a reader gives to store, and places it could not read; their
source, evidence and start as every reader writes them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from brain.errors import BrainError
from brain.memory import Draft, canonical
from brain.text.timestamps import now_utc, parse_time
from brain.validate import MAX_EVIDENCE_CHARS, MAX_LABEL_CHARS, MAX_TAGS, check_tags

SEPARATOR = "\x1f"

CHAT = 0.60
"""Confidence of what was said in a conversation."""

MODEL = 0.75
"""Confidence of what a model has distilled and written down."""

UNKNOWN = "unknown"
"""The word by which a draft says that it holds since always."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_SLACK = timedelta(days=1)
"""How far another machine's clock may be ahead."""

_DAY = re.compile(
    r"(?<!\d)((?:19|20)\d\d)"
    r"(?:([-_./])(\d{1,2})\2(\d{1,2})|年(\d{1,2})月(\d{1,2})日?|(\d\d)(\d\d))(?!\d)"
)
_MILLISECONDS_FROM = 1e11
"""Unix seconds reach this in the year 5138, Unix milliseconds did in 1973."""

_NO_TIME = 1e15
"""No number so large is a time in either; a larger integer need not even fit a float."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory to be.

    Args:
        key: names it in its source for good: where the text under a key changes, the memory does.
            What stands before a ``SEPARATOR`` is its group: its session or file.
        draft: the memory; its scope is set when it is taken in.
        place: the line (from 1), message id or element it begins at, for messages to a person.
        first, last: message ids it was made of, where a later run has to find it by them.
        alone: whether nothing else of the source has this key, so that a new text under it is a
            change; of a list (the bullets under a heading, lines without ids) the key is a place.
        at: how far into the file it lies, in the unit of the reading's total.
        ends: where in the text its turns end, of several that were packed into one.
        marks: by which its turns are known again in a copy of their session, where they are not
            noted yet.
        owner: the reader and the fingerprint of that session.
    """

    key: str
    draft: Draft
    place: int = 0
    first: int | None = None
    last: int | None = None
    at: int = 0
    alone: bool = True
    ends: tuple[int, ...] = ()
    marks: tuple[str, ...] = ()
    owner: tuple[str, bytes] | None = None

    def row_key(self) -> str:
        """The key as the memory file keeps it: group and key as fingerprints.

        A key may hold words of the text (a heading, an entity), which a forgotten memory must not
        leave behind.
        """
        return group_key(self.key.partition(SEPARATOR)[0]) + _fingerprint(self.key)

    def digest(self) -> bytes:
        """What the text and kind are told apart by: 16 bytes of SHA-256."""
        return self.digest_of(self.draft.text)

    def digest_of(self, text: str) -> bytes:
        """As :meth:`digest`, of another text of this entry's kind."""
        said = f"{self.draft.kind}\0{canonical(text)}"
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[:16]


def group_key(group: str) -> str:
    """What the row keys of a group begin with."""
    return _fingerprint(group) + ":"


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Fault:
    """A place that was passed over.

    Args:
        line: line number from 1, or the ordinal of the element, or the id of the message.
        reason: a Chinese sentence.
    """

    line: int
    reason: str
    at: int = 0


Found = Entry | Fault


def source(reader: str, where: str) -> str:
    """A record's source, ``reader:where``, made to fit; the end of ``where`` is what matters."""
    plain = "".join(c if c.isprintable() else "_" for c in where)
    room = MAX_LABEL_CHARS - len(reader) - 1
    return f"{reader}:{plain if len(plain) <= room else '…' + plain[1 - room :]}"


def evidence(ids: Sequence[object] = (), **facts: object) -> str:
    """Where a record comes from, as JSON.

    Args:
        ids: message ids; where all of them are too many, the first, the last and their number.
        facts: named values; None is left out.
    """
    told: dict[str, object] = {k: v for k, v in facts.items() if v is not None}
    if ids:
        told["messages"] = list(ids)
    text = _json(told)
    if len(text) > MAX_EVIDENCE_CHARS and ids:
        told["messages"] = [ids[0], ids[-1]]
        told["messages_count"] = len(ids)
        text = _json(told)
    return text if len(text) <= MAX_EVIDENCE_CHARS else ""


def _json(value: object) -> str:
    # Lone surrogates of a damaged name stay escaped, so that the result is always valid text.
    plain = json.dumps(value, ensure_ascii=False)
    return plain if plain.isascii() or _valid(plain) else json.dumps(value)


def _valid(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def with_tags(text: str, tags: Sequence[str]) -> str:
    """A text with tags where search finds them: behind it, as ``#tag``, those it does not have."""
    missing = [tag for tag in tags if f"#{tag}" not in text]
    return f"{text.rstrip()} {' '.join(f'#{tag}' for tag in missing)}" if missing else text


def filed_under(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags that a memory may be filed under; one that is no tag stays in the text alone."""
    kept: dict[str, None] = {}
    for tag in tags:
        with suppress(BrainError):
            kept |= dict.fromkeys(check_tags([tag]))
    return tuple(kept)[:MAX_TAGS]


def since(value: object, *, in_seconds: bool = False) -> datetime | str:
    """When something was said: Unix seconds or milliseconds, or a written time.

    What is no time, or lies outside 2000-2100 or in the future as damaged rows do, is unknown and
    never now.

    Args:
        in_seconds: a number is seconds, however large.

    Returns:
        An aware datetime, or ``UNKNOWN``.
    """
    moment: datetime | None = None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _NO_TIME:
        seconds = value / 1000 if not in_seconds and abs(value) >= _MILLISECONDS_FROM else value
        if abs(seconds) < _MILLISECONDS_FROM:
            moment = _EPOCH + timedelta(seconds=seconds)
    elif isinstance(value, str):
        moment = _written(value)
    if moment is None or not _FIRST <= moment < min(_LAST, now_utc() + _SLACK):
        return UNKNOWN
    return moment


def named_day(name: str) -> datetime | str:
    """The day a file is named by: 2026-05-08.md, 20260508-周会.md, 日记/2026/05/08.md.

    Args:
        name: of the file, with the folders it lies in where the reading began above it.

    Returns:
        As :func:`since`; of several days the last, ``UNKNOWN`` without one.
    """
    found = list(_DAY.finditer(name.rpartition(".")[0]))
    if not found:
        return UNKNOWN
    return since("-".join(part for part in found[-1].groups() if part and part.isdecimal()))


def _written(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(parse_time(text[:40], now=now_utc()))
    except BrainError:
        pass
    try:
        return _EPOCH + timedelta(seconds=float(text))
    except (ValueError, OverflowError):
        return None
