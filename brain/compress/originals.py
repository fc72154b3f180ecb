"""Originals for recovery: kept before anything cut from them goes out, and got back unharmed."""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING

from brain.compress.handles import Reference
from brain.errors import EXIT_DATA, EXIT_IO, EXIT_NO, EXIT_USAGE, BrainError
from brain.results import OriginalEntry
from brain.store import memories, originals
from brain.store.originals import Original

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

MAX_BYTES = 512 * 1024 * 1024
"""Bytes that kept originals may take together unless ``BRAIN_CCR_MAX_BYTES`` says otherwise."""

TEXT = "text/plain; charset=utf-8"

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


def entries(db: Transaction) -> tuple[OriginalEntry, ...]:
    """The kept originals, oldest first, without their bytes."""
    return tuple(
        OriginalEntry(kept.handle, kept.content_type, kept.compressor, kept.size, kept.stored_at)
        for kept in originals.listed(db)
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
