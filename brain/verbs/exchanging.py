"""Verbs by which memories come in from elsewhere, leave, and come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from brain import validate
from brain.text.timestamps import now_utc
from brain.typecheck import path_of
from brain.verbs.opened import Opened, When

if TYPE_CHECKING:
    from brain.results import ExportResult, ImportResult, IngestResult

StagedProgress = Callable[[str, int, int], None]


class Exchanging(Opened):
    """Other programs' memories taken in; this file's own exported and imported."""

    def ingest(
        self,
        path: str | Path,
        format: str | None = None,
        *,
        scope: str = "",
        every_session: bool = False,
        dry_run: bool = False,
        embed: bool = True,
        progress: StagedProgress | None = None,
        now: datetime | None = None,
    ) -> IngestResult:
        """Takes in another program's memories or conversations; again: only what is new.

        The text is stored first and can be found by its words at once; then what has no vector
        gets one. Either may be broken off: the next run, or :meth:`reembed`, goes on there.

        Args:
            path: a file or folder; see docs/formats.md.
            format: a format's name; None to tell by the content.
            scope: for entries that name none themselves.
            every_session: of Hermes also the sessions that tools and timers held.
            dry_run: write nothing; the result shows what would come.
            embed: make the vectors in this run.
            progress: called with (stage, done, total); the stage is ``read`` or ``embed``.

        Raises:
            BrainError: ``brain_ingest_…`` for what cannot be read: see docs/cli.md.
        """
        from brain.ingest import ingestion  # the readers, which no other verb needs

        validate.check_label(scope, "范围", "brain_scope_invalid")
        if not dry_run:
            self._settle_model()
        done = ingestion.run(
            self._store,
            path_of(path),
            format,
            scope,
            self._record,
            every_session=every_session,
            dry_run=dry_run,
            progress=progress,
            now=now,
        )
        if dry_run:
            return done
        _, pending = self._catch_up(progress, embed)
        return replace(done, pending=pending)

    def export(
        self,
        *,
        format: str = "jsonl",
        scope: str | None = None,
        as_of: When = None,
        with_recovery: bool = False,
        now: datetime | None = None,
    ) -> Iterator[str]:
        """The memories leaving the file, as lines with their ends; one moment of it throughout.

        Args:
            format: ``jsonl``, complete, every record in whatever state; or ``markdown``, the
                current records, to be read and edited.
            scope: that scope alone; None for all of them.
            as_of: only what was current then.
            with_recovery: recovery records as well; only with the whole file as JSONL.

        Raises:
            BrainError: ``brain_usage`` (2), ``brain_scope_invalid``, ``brain_date_invalid`` (65).
        """
        from brain.exchange import api

        shown = api.leaves(format, scope, as_of, with_recovery, now or now_utc())
        return api.text(self._store, format, shown, with_recovery)

    def export_to(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",
        scope: str | None = None,
        as_of: When = None,
        with_recovery: bool = False,
        force: bool = False,
        now: datetime | None = None,
    ) -> ExportResult:
        """As :meth:`export`, into a file (JSONL) or a folder (Markdown), whole or not at all.

        Args:
            force: replace what an export wrote there before.

        Raises:
            BrainError: those of :meth:`export`; 73 where it cannot or must not be written.
        """
        from brain.exchange import api

        shown = api.leaves(format, scope, as_of, with_recovery, now or now_utc())
        where = path_of(path)
        return api.write(self._store, format, shown, with_recovery, where, force=force)

    def import_(
        self,
        source: str | Path | BinaryIO,
        *,
        dry_run: bool = False,
        supersede: bool = False,
        retract_missing: bool = False,
        why: str = "",
        progress: StagedProgress | None = None,
        now: datetime | None = None,
    ) -> ImportResult:
        """Takes in an export: JSONL as it was, or a Markdown folder with what was edited by hand.

        Args:
            source: a JSONL file, a folder or file of Markdown, or a binary stream of JSONL.
            dry_run: change nothing; the result says what would be done.
            supersede: for Markdown: a changed text supersedes instead of correcting.
            retract_missing: for Markdown: retract what was removed.
            why: for Markdown: kept in the journal.
            progress: called with (stage, done, total): ``read`` in bytes, ``embed`` in passages.

        Raises:
            BrainError: ``brain_import_missing`` (66), ``brain_import_format`` (65),
                ``brain_import_newer`` (78), ``brain_import_unreadable`` (74), 73-75 when it
                cannot be written. Either all of it is stored or nothing.
        """
        from brain.exchange import api, import_markdown

        given = path_of(source) if isinstance(source, str | Path) else source
        result = api.take_in(
            self._store,
            given,
            self._settle_model,
            self._record,
            import_markdown.Wish(supersede, retract_missing, why),
            now or now_utc(),
            dry_run=dry_run,
            progress=progress,
        )
        if dry_run or not (result.added or result.corrected or result.superseded):
            return result
        made, pending = self._catch_up(progress, True)
        return replace(result, vectors=made, pending=pending)

    def _catch_up(self, progress: StagedProgress | None, embed: bool) -> tuple[int, int]:
        """Makes the vectors still missing, or only counts them."""
        from brain.maintenance import reembed

        embedder = self._model.load(self._facts()) if embed else None
        told = None if progress is None else partial(progress, "embed")
        return reembed.catch_up(self._store, embedder, told)
