"""Export and import by form: which one was asked for, and what writes or reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from brain.errors import EXIT_USAGE, BrainError
from brain.exchange import export_jsonl, export_markdown, files, import_jsonl, import_markdown
from brain.results import ExportResult, Fault, ImportResult
from brain.store.view import Selection
from brain.text.timestamps import parse_time, to_iso
from brain.validate import check_label, check_tags

if TYPE_CHECKING:
    from brain.store.protocol import Store

READING = "read"
"""The stage of a progress report that :func:`import_any` makes."""


def selection(
    form: str,
    scope: str | None,
    as_of: str | datetime | None,
    with_recovery: bool,
    now: datetime,
    tags: Sequence[str] = (),
) -> Selection:
    """Which records an export is about.

    Args:
        form: ``jsonl``, every record, or ``markdown``, the current ones.

    Raises:
        BrainError: ``brain_usage`` (2) for another form, or recovery records without the whole
            file as JSONL; ``brain_scope_invalid``, ``brain_tag_invalid``, ``brain_date_invalid``
            (65).
    """
    if form not in {"jsonl", "markdown"}:
        raise BrainError("brain_usage", "导出格式是 jsonl 或 markdown。", EXIT_USAGE)
    if scope is not None:
        scope = check_label(scope, "范围", "brain_scope_invalid")
    chosen = check_tags(tags)
    at = None if as_of is None else parse_time(as_of, now=now, end=True)
    if with_recovery and not (form == "jsonl" and scope is None and at is None and not chosen):
        raise BrainError(
            "brain_usage",
            "恢复记录不分范围，只能和全部记忆的 JSONL 一起导出。",
            EXIT_USAGE,
        )
    return Selection(scope, at or (to_iso(now) if form == "markdown" else None), tags=chosen)


def export_text(
    store: Store,
    form: str,
    shown: Selection,
    with_recovery: bool,
    passed: Callable[[Fault], None] | None = None,
) -> Iterator[str]:
    """The export as lines with their ends.

    Args:
        passed: called for each record that cannot be read; None has it end the export.
    """
    if form == "markdown":
        return export_markdown.text(store, shown, passed)
    return export_jsonl.lines(store, shown, with_recovery, passed=passed)


def export_to(
    store: Store,
    form: str,
    shown: Selection,
    with_recovery: bool,
    where: Path,
    *,
    force: bool,
) -> ExportResult:
    """The export into a file (JSONL) or a folder (Markdown), whole or not at all.

    Args:
        force: replace what an export wrote there before.

    Raises:
        BrainError: 73 where it cannot or must not be written.
    """
    files.refuse_own(where, store.path)
    records = 0

    def counted() -> None:
        nonlocal records
        records += 1

    names: tuple[str, ...] = ()
    faults: list[Fault] = []
    if form == "markdown":
        names = export_markdown.write(
            store, shown, where, force=force, counted=counted, passed=faults.append
        )
    else:
        lines = export_jsonl.lines(store, shown, with_recovery, counted, faults.append)
        files.write(where, lines, force=force)
    return ExportResult(str(store.path), form, str(where), records, tuple(faults), names)


def import_any(
    store: Store,
    source: Path | BinaryIO,
    settle: Callable[[], None],
    check: import_markdown.Check,
    wish: import_markdown.EditOptions,
    now: datetime,
    *,
    dry_run: bool,
    progress: Callable[[str, int, int], None] | None,
) -> ImportResult:
    """An export coming back, as JSONL or as Markdown that may have been edited.

    Args:
        settle: makes the file, with its model; called when there is something to store.
        check: completes a draft, or refuses it.
        wish: how edits of Markdown are to be understood.
        progress: called with (``READING``, done, total) in bytes.

    Raises:
        BrainError: those of :func:`brain.exchange.import_markdown.run` and
            :func:`brain.exchange.import_jsonl.run`.
    """
    if isinstance(source, Path) and import_markdown.is_markdown(source):
        return import_markdown.run(store, source, settle, check, wish, now, dry_run=dry_run)
    with files.opened(source) as stream:
        return import_jsonl.run(
            store,
            stream,
            str(source) if isinstance(source, Path) else "-",
            settle,
            now,
            dry_run=dry_run,
            progress=None if progress is None else partial(progress, READING),
        )
