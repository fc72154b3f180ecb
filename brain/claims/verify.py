"""Verification: the claims of records looked at, and what comes of it for the records.

A record is ``claimed`` until somebody looks, ``verified`` while all of its claims hold, ``stale``
from the moment one does not. Only this changes that; reading a record never counts as looking.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from brain import repository
from brain.claims import forms, manifests, tree
from brain.claims.check import Checker, Finding, respelled, unknown
from brain.lifecycle import lineage
from brain.memory import FAILED, STALE, UNCHECKED, UNKNOWN, VERIFIED, Check, Memory
from brain.results import ClaimResult, PlannedFix, VerifyResult
from brain.store import claims, journal, memories
from brain.store.claims import Claim
from brain.text.secrets import mask

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

STEP = 0.2
"""What a failed claim takes from its record's confidence, once."""

LEAST = 0.05
"""Confidence that failing claims do not pass: what is doubted can still be found."""

OTHER_PROJECT = "另一个项目"
NO_PROJECT = "没有记下是哪个项目；用 brain verify 编号 --root 文件夹 核对"

VERIFY = "verify"
"""What the journal calls it."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A claim, and what looking at it gave."""

    claim: Claim
    finding: Finding


def look(
    found: Iterable[Claim], root: Path, *, unnamed: bool, work: tree.Work | None = None
) -> list[Looked]:
    """Looks at claims in a folder.

    Args:
        root: as :func:`brain.claims.tree.root_of` gives it.
        unnamed: whether claims that name no project are about this one.
        work: what looking may cost; None is enough for a large project.
    """
    project = repository.project_of_root(root)
    checker = Checker(tree.Tree(root, work or tree.Work()))
    return [Looked(one, _finding(checker, one, project, unnamed)) for one in found]


def _finding(checker: Checker, claim: Claim, project: str, unnamed: bool) -> Finding:
    if not claim.project and not unnamed:
        return unknown(NO_PROJECT)
    if claim.project not in ("", project):
        return unknown(OTHER_PROJECT)
    return checker.check(claim)


def stamp(db: Transaction, looked: Sequence[Looked], at: str) -> None:
    """Writes what was found, inside the caller's write transaction.

    A success stamps when and where; a failure makes the record stale and lowers its confidence by
    ``STEP``, never twice for the same claim. What cannot be told changes nothing.

    Args:
        at: UTC ISO.
    """
    told = {one.claim.id: one.finding for one in looked}
    current = claims.of(db, {one.claim.memory_id for one in looked})
    by_memory: dict[int, list[Claim]] = {}
    for claim in current:
        by_memory.setdefault(claim.memory_id, []).append(claim)
    for memory_id, own in by_memory.items():
        _stamp_record(db, lineage.require(db, memory_id), own, told, at)


def _stamp_record(
    db: Transaction, memory: Memory, own: Sequence[Claim], told: dict[int, Finding], at: str
) -> None:
    lowered = False
    changed = False
    for claim in own:
        finding = told.get(claim.id)
        if finding is None or finding.result not in (VERIFIED, FAILED):
            continue
        changed = True
        holds = finding.result == VERIFIED
        lowered = lowered or not (holds or claim.counted)
        claims.stamp(
            db,
            replace(
                claim,
                result=finding.result,
                checked_at=at,
                verified_at=at if holds else claim.verified_at,
                found_at=finding.found_at,
                evidence=finding.evidence,
                reason=finding.reason,
                counted=claim.counted or not holds,
            ),
        )
    if not changed:
        return
    if lowered:
        least = min(memory.confidence, LEAST)
        memories.set_fields(
            db, memory.id, confidence=max(least, round(memory.confidence - STEP, 6))
        )
    after = lineage.require(db, memory.id)
    names = ("confidence", "state", "verified_at")
    detail = {
        name: [getattr(memory, name), getattr(after, name)]
        for name in names
        if getattr(memory, name) != getattr(after, name)
    }
    # A look that finds what was known is no news; the claim itself says when that was.
    if detail.keys() - {"verified_at"}:
        failed = [told[c.id].reason for c in own if c.id in told and told[c.id].reason]
        why = mask.masked("；".join(failed)[:MOST_WHY]) if after.state == STALE else ""
        journal.write(db, at, memory.id, VERIFY, why, detail)


MOST_WHY = 500
"""Characters of a reason in the journal."""


def plan(looked: Iterable[Looked], records: dict[int, Memory]) -> list[PlannedFix]:
    """What would put the records right whose claims hold no more and stand elsewhere now.

    A text that names the old place is superseded by one that names the new; where it does not, the
    check alone is changed.
    """
    moved: dict[int, list[Looked]] = {}
    for one in looked:
        if one.finding.result == FAILED and one.finding.moved is not None:
            moved.setdefault(one.claim.memory_id, []).append(one)
    return [_fix(records[memory_id], found) for memory_id, found in sorted(moved.items())]


def _fix(memory: Memory, found: Sequence[Looked]) -> PlannedFix:
    text = memory.text
    instead: dict[tuple[str, str], Check] = {}
    for one in found:
        assert one.finding.moved is not None
        text = _rewritten(text, one.claim, one.finding.moved)
        instead[one.claim.kind, one.claim.claim] = Check(one.claim.kind, one.finding.moved)
    checks = tuple(instead.get((c.kind, c.claim), c) for c in memory.checks)
    act = "supersede" if text != memory.text else "check"
    why = "；".join(one.finding.reason for one in found)[:MOST_WHY]
    return PlannedFix(memory.id, act, memory.text, text, tuple(dict.fromkeys(checks)), why)


def _rewritten(text: str, claim: Claim, moved: str) -> str:
    """A text that names the new place instead of the old one."""
    if claim.kind == forms.VERSION:
        old, new = (
            forms.version_parts(said)[1].lstrip("=^~<>!vV ") for said in (claim.claim, moved)
        )
        form = rf"(?<![\w.]){re.escape(old)}(?![\w]|\.\d)|(?<=[vV]){re.escape(old)}(?![\w]|\.\d)"
    else:
        old, new = claim.claim, moved
        if claim.kind == forms.TEXT:
            old, new = (forms.text_parts(said)[1] for said in (claim.claim, moved))
        form = rf"(?<![\w/.-]){re.escape(old)}(?![\w/-]|\.\w)"
    return re.sub(form, lambda _: new, text, flags=re.ASCII)


def noted(own: Iterable[Claim]) -> list[Looked]:
    """What the last look at some claims gave, as far as their rows say; only of those that
    failed."""
    return [
        Looked(c, Finding(FAILED, c.found_at, c.reason, c.evidence, moved_to(c)))
        for c in own
        if c.result == FAILED
    ]


def moved_to(claim: Claim) -> str | None:
    """What is to be claimed instead of a failed claim, by where its row says it stands now; None
    where nothing can be proposed."""
    place = claim.found_at
    if claim.result != FAILED or place is None:
        return None
    if claim.kind == forms.FILE:
        return place
    if claim.kind == forms.TEXT:
        return f"{forms.text_parts(claim.claim)[0]} in {_LINE.sub('', place)}"
    if claim.kind == forms.VERSION and manifests.is_lock(claim.evidence):
        package, written = forms.version_parts(claim.claim)
        return f"{package} {respelled(written, place.rpartition(' ')[2])}"
    return None


_LINE = re.compile(r":\d+\Z")


def new_claims(db: Transaction, fix: PlannedFix, looked: Iterable[Looked], at: str) -> list[Claim]:
    """The claims of a record as they are after a fix: those that moved hold where they are now."""
    findings = {one.claim.id: one.finding for one in looked}
    out: dict[tuple[str, str], Claim] = {}
    for claim in claims.of(db, [fix.id]):
        finding = findings.get(claim.id)
        if finding is not None and finding.moved is not None and finding.result == FAILED:
            claim = replace(
                claim,
                claim=finding.moved,
                result=VERIFIED,
                checked_at=at,
                verified_at=at,
                found_at=finding.found_at,
                evidence=finding.found_at or "",
                reason="",
                counted=False,
            )
        out.setdefault((claim.kind, claim.claim), claim)
    return list(out.values())


def recheck(db: Transaction, fix: PlannedFix, looked: Sequence[Looked], at: str) -> None:
    """Changes the checks of a record whose text stays as it is."""
    before = lineage.require(db, fix.id)
    fresh = new_claims(db, fix, looked, at)
    claims.drop(db, [claim.id for claim in claims.of(db, [fix.id])])
    for claim in fresh:
        claims.insert(db, claim)
    after = lineage.require(db, fix.id)
    detail = {"state": [before.state, after.state], "verified_at": [before.verified_at, at]}
    journal.write(db, at, fix.id, VERIFY, mask.masked(fix.reason), detail)


def result(root: Path, looked: Sequence[Looked], fixes: Sequence[PlannedFix]) -> VerifyResult:
    """What ``verify`` gives; what was not looked at counts as unknown."""
    told = [_told(one) for one in looked]
    counted = Counter(one.result for one in told)
    return VerifyResult(
        mask.masked(str(root)),
        counted[VERIFIED],
        counted[FAILED],
        counted[UNKNOWN],
        tuple(told),
        tuple(fixes),
    )


def _told(one: Looked) -> ClaimResult:
    claim, finding = one.claim, one.finding
    named = UNKNOWN if finding.result == UNCHECKED else finding.result
    place = None if finding.found_at is None else mask.masked(finding.found_at)
    return ClaimResult(
        claim.memory_id,
        claim.kind,
        mask.masked(claim.claim),
        named,
        place,
        mask.masked(finding.reason),
        place if named == FAILED else None,
        mask.masked(finding.evidence),
    )
