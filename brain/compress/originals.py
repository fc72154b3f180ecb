"""Originals for recovery: kept before anything cut from them goes out, and got back unharmed."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from brain import validate
from brain.compress.handles import Reference
from brain.errors import EXIT_DATA, EXIT_IO, EXIT_NO, EXIT_USAGE, BrainError
from brain.results import Observed, OriginalEntry
from brain.store import memories, observations, originals
from brain.store.observations import Seen
from brain.store.originals import Original, OriginalInfo
from brain.text.secrets import mask

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

MAX_BYTES = 512 * 1024 * 1024
"""Bytes that kept originals may take together unless ``BRAIN_CCR_MAX_BYTES`` says otherwise."""

TEXT = "text/plain; charset=utf-8"

TYPES = (
    *("file-observation", "search-result", "command-result", "test-result", "build-result"),
    *("diff-snapshot", "task-contract", "task-decision", "execution-state"),
    *("documentation-excerpt", "browser-snapshot", "repository-map", "evidence-bundle"),
)
"""What an original may be said to be."""

_WHOLE = re.compile(r"[0-9]{1,18}\Z")


def most_bytes() -> int:
    """Bytes that originals may take: ``BRAIN_CCR_MAX_BYTES``, else 512 MiB.

    Raises:
        BrainError: ``brain_ccr_max_bytes_invalid`` (2) unless it is a positive integer.
    """
    given = os.environ.get("BRAIN_CCR_MAX_BYTES")
    if given is None:
        return MAX_BYTES
    if not (given.isascii() and _WHOLE.match(given) and int(given) > 0):
        raise BrainError(
            "brain_ccr_max_bytes_invalid",
            f"环境变量 BRAIN_CCR_MAX_BYTES 应为正整数（字节数），现在是「{given[:40]}」。",
            EXIT_USAGE,
        )
    return int(given)


def keep(db: Transaction, original: Original, most: int) -> None:
    """Keeps an original; the same bytes once.

    Raises:
        BrainError: ``brain_ccr_budget_exceeded`` (65); nothing is evicted to make room.
    """
    try:
        originals.put(db, original, most)
    except originals.BudgetExceededError as full:
        raise BrainError(
            "brain_ccr_budget_exceeded",
            f"原文库放不下了：已用 {full.used} 字节，这份 {full.size} 字节，"
            f"上限 {most} 字节（BRAIN_CCR_MAX_BYTES）；没有截短，也没有删掉旧的。",
            EXIT_DATA,
        ) from None


def checked(type: str, session: str, revision: str, source: str) -> None:
    """Refuses what no original can be.

    Raises:
        BrainError: ``brain_original_type_unknown``, ``brain_source_invalid`` (65), ``brain_usage``
            (2) for a session, revision or source without a type.
    """
    if not type and (session or revision or source):
        told = "给了 session、revision 或 source，就要说是哪种原文（type）。"
        raise BrainError("brain_usage", told, EXIT_USAGE)
    if type and type not in TYPES:
        told = f"没有原文类型「{type[:40]}」；有：{'、'.join(TYPES)}。"
        raise BrainError("brain_original_type_unknown", told, EXIT_DATA)
    for value, name in ((session, "会话"), (revision, "版本"), (source, "来源")):
        validate.check_label(value, name, "brain_source_invalid")
        mask.refuse(value, name)


def observe(db: Transaction, seen: Seen) -> None:
    """Notes what a kept original is; the same again changes nothing.

    Raises:
        BrainError: ``brain_original_conflict`` (65) where the session called it something else.
    """
    there = observations.put(db, seen)
    if there != seen.type:
        raise BrainError(
            "brain_original_conflict",
            f"{seen.handle} 在这个会话里已经是 {there}，不能又是 {seen.type}；没有改。",
            EXIT_DATA,
        )


def observed(db: Transaction, handle: str) -> tuple[Observed, ...]:
    """What an original is, for each session that said so."""
    return tuple(
        Observed(one.type, one.session, one.revision, one.source, one.state, one.reason)
        for one in observations.of(db, handle)
    )


def entries(
    db: Transaction, session: str | None = None, type: str | None = None, state: str | None = None
) -> tuple[OriginalEntry, ...]:
    """The kept originals, oldest first, without their bytes: one a session that observed it.

    Args:
        session, type, state: those alone; None for all of them.
    """
    seen: dict[str, list[Seen]] = {}
    for one in observations.of(db):
        seen.setdefault(one.handle, []).append(one)
    out = [
        entry for kept in originals.listed(db) for entry in _entries(kept, seen.get(kept.handle))
    ]
    return tuple(
        entry
        for entry in out
        if session in (None, entry.session)
        and type in (None, entry.type)
        and state in (None, entry.state)
    )


def _entries(kept: OriginalInfo, seen: list[Seen] | None) -> Iterator[OriginalEntry]:
    plain = OriginalEntry(
        kept.handle,
        kept.content_type,
        kept.compressor,
        kept.size,
        kept.stored_at,
        content_type=kept.content_type,
    )
    if not seen:
        yield plain
    for one in seen or ():
        yield replace(
            plain,
            type=one.type,
            stored_at=one.stored_at,
            session=one.session,
            revision=one.revision,
            source=one.source,
            state=one.state,
            reason=one.reason,
        )


def find(db: Transaction, reference: Reference, scope: str | None = None) -> tuple[bytes, str]:
    """The bytes a handle stands for and their media type: a memory's text, or what was kept.

    Args:
        scope: look among the texts of records that it sees alone.

    Raises:
        BrainError: ``brain_ccr_not_found`` (1); ``brain_ccr_damaged`` (74) where the bytes are no
            longer those that the handle was made of.
    """
    found: list[tuple[bytes, str]] = []
    memory = memories.by_sha256(db, reference.prefix, None if scope is None else (scope, ""))
    if memory is not None:
        found.append((memory.text.encode("utf-8"), TEXT))
    kept = originals.get(db, reference.prefix) if scope is None else None
    if kept is not None:
        found.append((kept.data, kept.content_type))
    if not found:
        raise BrainError("brain_ccr_not_found", f"没有句柄为 {reference.handle} 的原文。", EXIT_NO)
    for data, content_type in found:
        if hashlib.sha256(data).digest().startswith(reference.prefix):
            return data, content_type
    raise BrainError(
        "brain_ccr_damaged",
        f"句柄 {reference.handle} 的原文已损坏：内容和它的 SHA-256 对不上，没有输出。",
        EXIT_IO,
    )
