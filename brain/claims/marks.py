"""Marking hits: what they claim is looked at before they are shown, within a fixed amount of work.

Nothing is written. The same file, tree and question give the same marks; a clock only stops a file
system that hangs, and then nothing is marked.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from brain import repository
from brain.claims import tree
from brain.claims.check import Checker
from brain.claims.verify import NO_PROJECT, OTHER_PROJECT
from brain.errors import EXIT_USAGE, BrainError
from brain.memory import FAILED, STALE, UNCHECKED, UNKNOWN, VERIFIED, Hit, Seen
from brain.store import observations, originals
from brain.store.claims import Claim
from brain.text.secrets import mask

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

LIMITS = "BRAIN_CHECK_LIMITS"
"""The environment's: claims, directory entries, bytes read, with commas between."""

PATIENCE = 2.0
"""Seconds after which a file system hangs."""


MOST_HANDLES = 4
"""Handles of originals in one memory that are looked up."""

_HANDLE = re.compile("ccr_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Limits:
    """What marking the hits of one question may cost.

    Args:
        claims: how many are looked at; the rest is ``unchecked``.
        entries, bytes: as :class:`brain.claims.tree.Work` has them.
    """

    claims: int = 12
    entries: int = 200
    bytes: int = 2_000_000


def limits() -> Limits:
    """``BRAIN_CHECK_LIMITS``, else the limits that hold without it.

    Raises:
        BrainError: ``brain_check_limits_invalid`` (2).
    """
    given = os.environ.get(LIMITS)
    if given is None:
        return Limits()
    parts = [part.strip() for part in given.split(",")]
    if len(parts) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 16 for p in parts):
        raise BrainError(
            "brain_check_limits_invalid",
            f"环境变量 {LIMITS} 应为三个整数：核对数,目录项数,字节数，现在是「{given[:40]}」。",
            EXIT_USAGE,
        )
    return Limits(*map(int, parts))


def of_originals(db: Transaction, hits: Sequence[Hit]) -> dict[int, tuple[Seen, ...]]:
    """What is to be said of hits that are cuts of originals found to hold no more, or name them."""
    named = {
        hit.id: [
            *dict.fromkeys(_HANDLE.findall(hit.memory.text)),
            originals.handle(hashlib.sha256(hit.memory.text.encode("utf-8")).digest()),
        ][-MOST_HANDLES:]
        for hit in hits
    }
    gone = observations.stale_among(db, [one for some in named.values() for one in some])
    return {
        number: tuple(
            Seen("original", one, FAILED, None, mask.masked(f"原文过时了：{gone[one].reason}"))
            for one in some
            if one in gone
        )
        for number, some in named.items()
    }


def mark(
    hits: Sequence[Hit],
    found: Iterable[Claim],
    root: Path,
    said: Mapping[int, tuple[Seen, ...]] | None = None,
) -> tuple[Hit, ...]:
    """Hits with what looking at their claims gave, those that hold no more last.

    Args:
        found: the claims of the hits, by memory, in order.
        root: as :func:`brain.claims.tree.root_of` gives it.
        said: what is known of hits beside that, as :func:`of_originals` gives it.

    Raises:
        BrainError: as :func:`limits`.
    """
    allowed = limits()
    own: dict[int, list[Claim]] = {}
    for claim in found:
        own.setdefault(claim.memory_id, []).append(claim)
    seen: list[dict[int, tuple[Seen, ...]]] = []
    looking = Thread(target=lambda: seen.append(_look(hits, own, root, allowed)), daemon=True)
    looking.start()
    looking.join(PATIENCE)
    if not seen:
        return tuple(hits)
    more = said or {}
    marked = [_marked(hit, seen[0].get(hit.id, ()) + more.get(hit.id, ())) for hit in hits]
    return tuple(sorted(marked, key=is_stale))


def is_stale(hit: Hit) -> bool:
    """Whether one of a hit's claims was just found to hold no more."""
    return any(one.result == FAILED for one in hit.claims or ())


def _look(
    hits: Sequence[Hit], own: dict[int, list[Claim]], root: Path, allowed: Limits
) -> dict[int, tuple[Seen, ...]]:
    project = repository.project_of_root(root)
    checker = Checker(tree.Tree(root, tree.Work(allowed.entries, allowed.bytes)))
    left = allowed.claims
    out: dict[int, tuple[Seen, ...]] = {}
    for hit in hits:
        seen = []
        for claim in own.get(hit.id, ()):
            text = mask.masked(claim.claim)
            if claim.project != project:
                reason = OTHER_PROJECT if claim.project else NO_PROJECT
                seen.append(Seen(claim.kind, text, UNKNOWN, None, reason))
            elif left <= 0:
                seen.append(Seen(claim.kind, text, UNCHECKED, None, tree.NO_WORK_LEFT))
            else:
                left -= 1
                gave = checker.check(claim)
                place = None if gave.found_at is None else mask.masked(gave.found_at)
                reason = mask.masked(gave.reason)
                seen.append(Seen(claim.kind, text, gave.result, place, reason))
        out[hit.id] = tuple(seen)
    return out


def _marked(hit: Hit, seen: tuple[Seen, ...]) -> Hit:
    """A hit whose state is the one that was just seen, where that could be told."""
    results = {one.result for one in seen}
    state = hit.memory.state
    if FAILED in {one.result for one in seen if one.kind != "original"}:
        state = STALE
    elif results == {VERIFIED}:
        state = VERIFIED
    return replace(hit, claims=seen, memory=replace(hit.memory, state=state))
