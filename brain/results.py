"""What the engine's verbs give back, where it is not a memory or a hit (:mod:`brain.memory`).

Every class is a frozen dataclass whose fields are the JSON fields of the contract; ``to_dict``
gives that JSON.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from brain.memory import Memory


@dataclass(frozen=True, slots=True)
class InitResult:
    """What ``create`` did. ``hint`` is a Chinese line for the person, or ''."""

    db: str
    model: str | None
    dim: int | None
    created: bool
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"db": self.db, "model": self.model, "dim": self.dim, "created": self.created}


@dataclass(frozen=True, slots=True)
class SupersedeResult:
    """Which record took over from which, and when."""

    old: int
    new: int
    at: str

    def to_dict(self) -> dict[str, Any]:
        return {"old": self.old, "new": self.new, "at": self.at}


@dataclass(frozen=True, slots=True)
class Faded:
    """A record that decay archives: the beginning of its text, its strength, days without use."""

    id: int
    head: str
    strength: float
    idle_days: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "head": self.head,
            "strength": round(self.strength, 6),
            "idle_days": round(self.idle_days, 3),
        }


@dataclass(frozen=True, slots=True)
class DecayResult:
    """What a run of decay did, or with ``dry_run`` would do.

    Args:
        days: from the last run, or from the oldest record before the first; 0: nothing was done.
        decayed: how many records lost strength.
        used: how many gained some for having been injected.
        archived: ids, with what is to know about each in ``records``.
        since, at: the last run's instant (None before the first) and this one's, UTC ISO.
    """

    days: float
    decayed: int
    used: int
    archived: tuple[int, ...]
    records: tuple[Faded, ...]
    since: str | None
    at: str
    dry_run: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "days": round(self.days, 6),
            "decayed": self.decayed,
            "used": self.used,
            "archived": list(self.archived),
            "records": [one.to_dict() for one in self.records],
            "since": self.since,
            "at": self.at,
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class CorrectResult:
    """Which record stands where another was wrong."""

    old: int
    new: int

    def to_dict(self) -> dict[str, Any]:
        return {"old": self.old, "new": self.new}


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """Which record was erased, and the user's own words that went with it."""

    id: int
    words: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"forgotten": True, "id": self.id, "words": list(self.words)}


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """What happened to a memory. ``detail``: field → [before, after]."""

    at: str
    id: int | None
    what: str
    why: str
    detail: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {
            "at": self.at,
            "what": self.what,
            "why": self.why,
            "id": self.id,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class History:
    """The records that replaced each other, oldest first, and their events, oldest first."""

    history: tuple[Memory, ...]
    events: tuple[HistoryEvent, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "history": [memory.to_dict() for memory in self.history],
            "events": [event.to_dict() for event in self.events],
        }


@dataclass(frozen=True, slots=True)
class IngestError:
    """A place that was passed over: file, line (or message, or element), and why in Chinese."""

    file: str
    line: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.file, "line": self.line, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class IngestPreview:
    """What a dry run would store."""

    text: str
    kind: str
    valid_from: str | None
    source: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "kind": self.kind,
            "valid_from": self.valid_from,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What taking in a path did; the first fields are those of the contract.

    Args:
        added: records made that replace none.
        skipped: entries that were there already.
        superseded: records a changed entry has replaced.
        expired: records whose source no longer has them.
        retracted: episodes that held turns the user took back.
        failed: places passed over; ``errors`` lists the first of them.
        pending: passages that still wait for their vector.
        preview: what a dry run would store, the first few.
        unchanged: files that are as they were when they were last read, and were passed over.
        held: entries that a source had when last read, where all its files are unchanged.
    """

    source: str
    format: str
    added: int
    skipped: int
    superseded: int
    expired: int
    retracted: int
    failed: int
    errors: tuple[IngestError, ...] = ()
    pending: int = 0
    preview: tuple[IngestPreview, ...] = ()
    dry_run: bool = False
    unchanged: int = 0
    held: int = 0

    @property
    def nothing_new(self) -> bool:
        """Whether every file is as it was when last read."""
        done = (self.added, self.skipped, self.superseded, self.expired, self.retracted)
        return self.unchanged > 0 and not any((*done, self.failed))

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "source": self.source,
            "format": self.format,
            "added": self.added,
            "skipped": self.skipped,
            "superseded": self.superseded,
            "expired": self.expired,
            "retracted": self.retracted,
            "unchanged": self.unchanged,
            "held": self.held,
            "failed": self.failed,
            "errors": [e.to_dict() for e in self.errors],
            "vectors_pending": self.pending,
            "dry_run": self.dry_run,
        }
        if self.dry_run:
            out["preview"] = [p.to_dict() for p in self.preview]
        return out


@dataclass(frozen=True, slots=True)
class ScopeCount:
    """A scope and how many records it has: current ones, and in whatever state."""

    scope: str
    current: int
    total: int

    def to_dict(self) -> dict[str, Any]:
        return {"scope": self.scope, "current": self.current, "total": self.total}


@dataclass(frozen=True, slots=True)
class OwnWord:
    """One of the user's own words, as in jieba's user dictionary."""

    word: str
    freq: int | None
    tag: str | None

    def to_dict(self) -> dict[str, Any]:
        return {"word": self.word, "freq": self.freq, "tag": self.tag}


@dataclass(frozen=True, slots=True)
class Recovered:
    """The bytes a handle stands for, or the part of them that was asked for.

    Args:
        content_type: media type of ``data``.
    """

    handle: str
    content_type: str
    data: bytes

    def to_dict(self) -> dict[str, Any]:
        out = {"handle": self.handle, "content_type": self.content_type, "bytes": len(self.data)}
        try:
            return {**out, "text": self.data.decode("utf-8")}
        except UnicodeDecodeError:
            return {**out, "base64": base64.b64encode(self.data).decode("ascii")}


@dataclass(frozen=True, slots=True)
class CompressResult:
    """A text made shorter, and the handle of the whole; ``compressor`` ``none`` is unchanged.

    Args:
        handle: None only where an unchanged text could not be kept.
        tokens_before, tokens_after: estimates.
    """

    text: str
    handle: str | None
    tokens_before: int
    tokens_after: int
    compressor: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "handle": self.handle,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "compressor": self.compressor,
            "basis": "inferred",
        }


@dataclass(frozen=True, slots=True)
class Stats:
    """What is in the file; the fields are those of the contract."""

    total: int
    current: int
    archived: int
    superseded: int
    expired: int
    retracted: int
    future: int
    by_kind: dict[str, int]
    by_scope: dict[str, int]
    model: str | None
    dim: int | None
    languages: tuple[str, ...]
    vectors_present: int
    vectors_missing: int
    bytes: int
    schema: int
    last_decay: str | None
    degraded: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "current": self.current,
            "archived": self.archived,
            "superseded": self.superseded,
            "expired": self.expired,
            "retracted": self.retracted,
            "future": self.future,
            "by_kind": dict(self.by_kind),
            "by_scope": dict(self.by_scope),
            "model": self.model,
            "dim": self.dim,
            "languages": list(self.languages),
            "vectors": {"present": self.vectors_present, "missing": self.vectors_missing},
            "bytes": self.bytes,
            "schema": self.schema,
            "last_decay": self.last_decay,
            "degraded": list(self.degraded),
        }


@dataclass(frozen=True, slots=True)
class BackupResult:
    """The copy that was written: where, its bytes, its records, its schema number."""

    path: str
    bytes: int
    records: int
    schema: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "bytes": self.bytes,
            "records": self.records,
            "schema": self.schema,
        }


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """What was put back; ``kept`` is where the file that was there is now, None without one."""

    db: str
    source: str
    bytes: int
    records: int
    schema: int
    kept: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "db": self.db,
            "source": self.source,
            "bytes": self.bytes,
            "records": self.records,
            "schema": self.schema,
            "kept": self.kept,
        }


@dataclass(frozen=True, slots=True)
class OptimizeResult:
    """What putting a file in order did.

    Args:
        bytes_before, bytes_after: of file and log together.
        segments_before, segments_after: of both text indexes.
        recoded: vectors whose codes were taken against a new centre.
        merged: False where a reader held the log.
    """

    db: str
    bytes_before: int
    bytes_after: int
    segments_before: int
    segments_after: int
    recoded: int
    merged: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "db": self.db,
            "bytes_before": self.bytes_before,
            "bytes_after": self.bytes_after,
            "segments_before": self.segments_before,
            "segments_after": self.segments_after,
            "recoded": self.recoded,
            "merged": self.merged,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor looked at.

    Args:
        code: stable English id, see docs/cli.md.
        severity: ``ok``, ``warn`` or ``error``.
        message: one Chinese sentence.
        fixable: whether ``--repair`` can do something about it.
        asks: whether it does so only with consent, since the records themselves would change.
    """

    code: str
    severity: str
    message: str
    fixable: bool = False
    asks: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "fixable": self.fixable,
            "asks": self.asks,
        }


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """What the doctor found, after whatever was repaired.

    Args:
        repaired: codes of what was found and repaired.
        salvaged: the new file that holds what could be read of a corrupt one, or None.
        salvaged_records: how many records those are; None where nothing was to be salvaged.
        exit_code: 0; 69 when a part of the program is missing, 74 when the file is damaged.
    """

    db: str
    findings: tuple[Finding, ...]
    repaired: tuple[str, ...]
    salvaged: str | None
    salvaged_records: int | None
    exit_code: int

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return self.exit_code == 0

    @property
    def asking(self) -> tuple[Finding, ...]:
        """What could be repaired with consent."""
        return tuple(f for f in self.findings if f.asks and f.severity != "ok")

    def to_dict(self) -> dict[str, Any]:
        return {
            "db": self.db,
            "ok": self.ok,
            "findings": [f.to_dict() for f in self.findings],
            "repaired": list(self.repaired),
            "needs_yes": [f.code for f in self.asking],
            "salvaged": self.salvaged,
            "salvaged_records": self.salvaged_records,
        }


MOST_FAULTS = 1000
"""Faults that are listed one by one; the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A place that was not taken in.

    Args:
        line: from 1.
        reason: a Chinese sentence.
        file: its name within a folder; '' for a single file.
    """

    line: int
    reason: str
    file: str = ""

    def to_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {"line": self.line, "reason": self.reason}
        return {**told, "file": self.file} if self.file else told


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a plan.

    Args:
        what: ``add``, ``correct``, ``supersede``, ``missing`` or ``retract``.
        id: the record it is done to, None for a new one.
        new: the id of the record made, None where there is none (yet).
        before, after: texts.
        file, line: where it comes from.
    """

    what: str
    id: int | None
    new: int | None
    before: str
    after: str
    file: str
    line: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "id": self.id,
            "new": self.new,
            "before": self.before,
            "after": self.after,
            "file": self.file,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written.

    Args:
        source: the memory file.
        out: the file or folder written.
        added: records written.
        files: names of the files, of a folder.
    """

    source: str
    format: str
    out: str
    added: int
    files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "format": self.format,
            "out": self.out,
            "added": self.added,
            "skipped": 0,
            "superseded": 0,
            "errors": [],
            "files": list(self.files),
        }


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What came in, or would.

    Args:
        added: records that are new here.
        skipped: records that were here already, or need no change.
        superseded, corrected, retracted: records of this file that were changed so.
        missing: entries that were removed by hand and left in the file.
        failed: faults in all; ``errors`` lists the first ``MOST_FAULTS``.
        changes: the plan, for Markdown.
        words, originals: own words and recovery records that are new here.
        vectors: passages that were embedded.
        pending: passages that have no vector yet.
    """

    source: str
    format: str
    added: int = 0
    skipped: int = 0
    superseded: int = 0
    corrected: int = 0
    retracted: int = 0
    missing: int = 0
    failed: int = 0
    errors: tuple[Fault, ...] = ()
    changes: tuple[Change, ...] = ()
    words: int = 0
    originals: int = 0
    vectors: int = 0
    pending: int = 0
    dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "format": self.format,
            "added": self.added,
            "skipped": self.skipped,
            "superseded": self.superseded,
            "corrected": self.corrected,
            "retracted": self.retracted,
            "missing": self.missing,
            "failed": self.failed,
            "errors": [fault.to_dict() for fault in self.errors],
            "changes": [change.to_dict() for change in self.changes],
            "words": self.words,
            "originals": self.originals,
            "vectors": self.vectors,
            "vectors_pending": self.pending,
            "dry_run": self.dry_run,
        }
