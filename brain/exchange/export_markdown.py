"""Markdown export: one file a kind, in a folder that can live in git."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from brain.errors import EXIT_CANT_CREATE, BrainError
from brain.exchange import export_jsonl, files, markdown
from brain.results import Fault
from brain.store import memories
from brain.store.view import Selection

if TYPE_CHECKING:
    from brain.store.protocol import Store

SUFFIX = ".md"


def text(
    store: Store, shown: Selection, passed: Callable[[Fault], None] | None = None
) -> Iterator[str]:
    """All kinds one after the other, with a blank line between them.

    Args:
        passed: as of :func:`brain.exchange.export_jsonl.lines`.
    """
    gap = ""
    for _, chunks in _by_kind(store, shown, lambda: None, passed):
        yield gap
        yield from chunks
        gap = "\n"


def write(
    store: Store,
    shown: Selection,
    folder: Path,
    *,
    force: bool,
    counted: Callable[[], None],
    passed: Callable[[Fault], None] | None = None,
) -> tuple[str, ...]:
    """Writes one file a kind; a file of ours whose kind has no more records is removed.

    Args:
        force: replace files that an export wrote before; others are never replaced.
        counted: called for each record.
        passed: as of :func:`brain.exchange.export_jsonl.lines`.

    Returns:
        The names of the files.

    Raises:
        BrainError: those of :func:`brain.exchange.files.write`; ``brain_export_exists`` (73).
    """
    files.make_folder(folder)
    stale = [path for path in sorted(folder.glob(f"*{SUFFIX}")) if _is_ours(path)]
    if stale and not force:
        raise files.exists(stale[0])
    names: list[str] = []
    for kind, chunks in _by_kind(store, shown, counted, passed):
        path = folder / f"{kind}{SUFFIX}"
        if path.exists() and not _is_ours(path):
            raise BrainError(
                "brain_export_exists",
                f"这个文件不是 brain 导出的，没有覆盖：{path}；请换一个文件夹。",
                EXIT_CANT_CREATE,
            )
        files.write(path, chunks, force=force)
        names.append(path.name)
    for path in stale:
        if path.name not in names:
            path.unlink(missing_ok=True)
    return tuple(names)


def _by_kind(
    store: Store,
    shown: Selection,
    counted: Callable[[], None],
    passed: Callable[[Fault], None] | None,
) -> Iterator[tuple[str, Iterator[str]]]:
    ids: dict[str, list[int]] = {}
    with store.snapshot() as db:
        # What is left out must not stand in a heading: it would seem to be removed by hand.
        told = export_jsonl.unreadable(passed, "记忆 #{}")
        for memory in memories.iter_selected(db, shown, told):
            ids.setdefault(memory.kind, []).append(memory.id)
        silent = None if passed is None else lambda number, columns: None

        def chunks(kind: str) -> Iterator[str]:
            yield markdown.kind_heading(kind, markdown.ranges(ids[kind]))
            for memory in memories.iter_selected(db, replace(shown, kind=kind), silent):
                counted()
                yield markdown.entry(memory)

        for kind in sorted(ids):
            yield kind, chunks(kind)


def _is_ours(path: Path) -> bool:
    """Whether a file begins as those that :func:`write` makes do."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as f:
            first = next(iter(markdown.read(f.readline(), path.stem)), None)
    except OSError:
        return False
    return isinstance(first, markdown.Kind) or (
        isinstance(first, markdown.Broken) and first.line == 1
    )
