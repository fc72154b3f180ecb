"""What an export and an import report; ``to_dict`` gives the JSON of the contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
