"""Originals verified: whether what was observed (a file, a test's result) is still so."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from brain import repository
from brain.claims import forms
from brain.claims.check import Checker, Finding, unknown
from brain.claims.tree import Tree, UnknownError
from brain.claims.verify import OTHER_PROJECT
from brain.errors import EXIT_NO, BrainError
from brain.memory import FAILED, VERIFIED
from brain.results import OriginalLooked
from brain.store import observations, originals
from brain.store.observations import ARCHIVED, Seen
from brain.text.secrets import mask

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

OF_A_FILE = frozenset({"file-observation", "documentation-excerpt"})
"""Types whose source is a file: they hold while it does."""

_HANDLE = re.compile(r"(?:ccr_)?([0-9a-f]{32})", re.IGNORECASE)
_PLACE = re.compile(r"[:#](?:L?\d+(?:[-:]L?\d+)?)\Z")


@dataclass(frozen=True, slots=True)
class Original:
    """An observation and the bytes that were observed."""

    seen: Seen
    data: bytes


def wanted(db: Transaction, handles: Sequence[str], *, all: bool) -> list[Original]:
    """The originals to look at: those of some handles, or all that nobody has observed since.

    Raises:
        BrainError: ``brain_ccr_not_found`` (1) for a handle without a kept original.
    """
    found = observations.of(db) if all else []
    for given in handles:
        match = _HANDLE.search(given)
        own = observations.of(db, f"ccr_{match[1].lower()}") if match else []
        if not own:
            told = f"没有句柄为 {given[:60]} 的、说明了类型的原文。"
            raise BrainError("brain_ccr_not_found", told, EXIT_NO)
        found += own
    out = []
    for seen in found:
        kept = originals.get(db, bytes.fromhex(seen.handle.removeprefix("ccr_")))
        if kept is not None and seen.state != ARCHIVED:
            out.append(Original(seen, kept.data if seen.type in OF_A_FILE else b""))
    return out


def look(found: Iterable[Original], root: Path, *, unnamed: bool) -> list[tuple[Seen, Finding]]:
    """Looks at originals in a folder; arguments as :func:`brain.claims.verify.look` has them."""
    project = repository.project_of_root(root)
    checker = Checker(Tree(root))
    out = []
    for one in found:
        if one.seen.project != project and (one.seen.project or not unnamed):
            out.append((one.seen, unknown(OTHER_PROJECT)))
        else:
            out.append((one.seen, _finding(checker, one)))
    return out


def _finding(checker: Checker, one: Original) -> Finding:
    seen = one.seen
    if seen.type in OF_A_FILE and seen.source:
        try:
            return _file(checker, one)
        except UnknownError as e:
            return unknown(str(e))
    if not seen.revision:
        return unknown("没有记下是哪个版本的")
    now = repository.revision(checker.tree.root)
    if now is None or now == "":
        return unknown("看不到现在是哪个版本")
    named = repository.revision(checker.tree.root, seen.revision) if _is_name(seen.revision) else ""
    if now.startswith(seen.revision.lower()) or (named and named == now):
        return Finding(VERIFIED, now[:12], evidence=".git")
    return Finding(FAILED, now[:12], f"是 {seen.revision[:40]} 的，现在是 {now[:12]}", ".git")


def _is_name(revision: str) -> bool:
    """Whether a revision may be the name of a branch or tag."""
    try:
        forms.read(f"{forms.REF} {revision}")
    except BrainError:
        return False
    return True


def _file(checker: Checker, one: Original) -> Finding:
    """Whether a file still holds what was seen of it: all of it, or an excerpt."""
    tree = checker.tree
    path = tree.relative(one.seen.source)
    if tree.stat(path) is None:
        path = tree.relative(_PLACE.sub("", one.seen.source))
    try:
        data = tree.bytes(path)
    except FileNotFoundError:
        gone = checker.check(forms.read(f"{forms.FILE} {path}"))
        return replace(gone, moved=None)
    same = hashlib.sha256(data).digest() == hashlib.sha256(one.data).digest()
    if same or (one.data.strip() and one.data.strip() in data):
        return Finding(VERIFIED, path, evidence=path)
    return Finding(FAILED, path, f"{path} 改过了", path)


def stamp(db: Transaction, looked: Iterable[tuple[Seen, Finding]], at: str) -> None:
    """Writes what was found, inside the caller's write transaction; what cannot be told changes
    nothing. ``at`` is UTC ISO."""
    for seen, finding in looked:
        if finding.result in (VERIFIED, FAILED):
            told = replace(seen, result=finding.result, checked_at=at, reason=finding.reason)
            observations.stamp(db, told)


def result(looked: Iterable[tuple[Seen, Finding]]) -> tuple[OriginalLooked, ...]:
    """What ``verify`` gives of originals."""
    return tuple(
        OriginalLooked(
            seen.handle,
            seen.session,
            seen.type,
            mask.masked(seen.source),
            finding.result,
            finding.found_at,
            mask.masked(finding.reason),
        )
        for seen, finding in looked
    )
