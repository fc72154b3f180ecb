"""Backup and restore: whole copies, taken while others write, put back without losing anything.

A copy is made under a name of its own, checked, and only then takes its place by one rename.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from brain.errors import EXIT_CANT_CREATE, EXIT_IO, EXIT_NO_INPUT, BrainError
from brain.maintenance import health_probe
from brain.results import BackupResult, RestoreResult
from brain.store import (
    connection,
    folder,
    integrity,
    memories,
    memory_file,
    part_file,
    schema,
    wal,
)
from brain.store.backup import copy_into, exclusive
from brain.text.timestamps import now_utc, to_iso

if TYPE_CHECKING:
    from brain.store.protocol import Store

_UNREADABLE = frozenset(
    {"brain_db_damaged", "brain_db_not_ours", "brain_db_io", "brain_db_emptied"}
)
"""What the file that a backup replaces may be: it is kept as it is, and nothing of it read."""


def backup(store: Store, target: Path, *, force: bool = False) -> BackupResult:
    """Writes one file that holds everything as of one moment, and checks it.

    Args:
        target: where to; the folder is made where it is missing.
        force: overwrite a memory file that is there.

    Raises:
        BrainError: ``brain_db_missing`` (66) without a file, ``brain_backup_exists`` (73),
            ``brain_backup_same`` (65), ``brain_db_damaged`` (74) when file or copy is not sound;
            and those of writing a file.
    """
    if not store.exists():
        raise BrainError(
            "brain_db_missing", f"还没有记忆文件，没有可以备份的：{store.path}", EXIT_NO_INPUT
        )
    target = target.absolute()
    _refuse_same(store.path, target)
    connection.check_file(target)
    if os.path.lexists(target) and not force:
        raise BrainError(
            "brain_backup_exists",
            f"已经有 {target}，没有覆盖。",
            EXIT_CANT_CREATE,
            override="force",
        )
    with _told(target), part_file.part(target) as part:
        with store.read() as db:
            records, number = memories.count(db), schema.version(db)
            copy_into(db, part)
        _verify(part, records)
        with folder.locked(target.parent):
            for suffix in part_file.BESIDE:
                Path(f"{target}{suffix}").unlink(missing_ok=True)
            os.replace(part, target)
    folder.sync(target.parent)
    return BackupResult(str(target), target.stat().st_size, records, number)


def restore(store: Store, source: Path) -> RestoreResult:
    """Puts a backup in the place of the file, which stays beside it under another name.

    Args:
        source: a file that :func:`backup` wrote, or any memory file.

    Raises:
        BrainError: ``brain_db_missing`` (66) when there is no such backup, ``brain_backup_same``
            (65), ``brain_db_damaged``, ``brain_probe_failed`` (74) for a backup that is not sound,
            ``brain_busy`` (75) while another program has the file open; nothing is changed then.
    """
    _refuse_same(store.path, source)
    with contextlib.closing(memory_file.Store(source, read_only=True)) as saved:
        if not saved.exists():
            raise BrainError("brain_db_missing", f"没有这个备份文件：{source}", EXIT_NO_INPUT)
        place = store.path.absolute()
        with _told(place), part_file.part(place) as part:
            with saved.read() as db:
                records, number = memories.count(db), schema.version(db)
                _require_sound(integrity.integrity(db), source)
                copy_into(db, part)
            _verify(part, records)
            _require_healthy(part)
            kept = _take_place(store, part)
    size = store.path.stat().st_size
    return RestoreResult(str(store.path), str(source), size, records, number, kept)


def _take_place(store: Store, part: Path) -> str | None:
    """Renames the part to the file's place; gives where the file that was there is now."""
    store.release()
    path = store.path.absolute()
    if not os.path.lexists(path):
        with _told(path), folder.locked(path.parent):
            for suffix in part_file.BESIDE:
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            os.replace(part, path)
        folder.sync(path.parent)
        return None
    with _told(path):
        wal.move_aside(path)
    kept = wal.free_name(Path(f"{path}.before-restore"))
    with _told(path), folder.locked(path.parent):
        try:
            connection.check_file(path)
            with exclusive(path):
                _link(path, kept)
                os.replace(part, path)
        except BrainError as e:
            if e.code not in _UNREADABLE:
                raise
            _link(path, kept)
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}-wal").rename(f"{kept}-wal")
            Path(f"{path}-shm").unlink(missing_ok=True)
            os.replace(part, path)
    folder.sync(path.parent)
    return str(kept)


def _link(path: Path, kept: Path) -> None:
    """A second name for a file, so that the first is never without one."""
    try:
        os.link(path, kept)
    except OSError:  # a file system without links
        import shutil

        shutil.copy2(path, kept)


def _verify(copy: Path, records: int) -> None:
    with contextlib.closing(memory_file.Store(copy, read_only=True)) as store, store.read() as db:
        _require_sound(integrity.integrity(db), copy)
        if memories.count(db) != records:
            raise BrainError("brain_db_damaged", f"复制出来的条数对不上，没有采用：{copy}", EXIT_IO)


def _require_healthy(copy: Path) -> None:
    """Probes a copy before it takes the file's place, so that there is nothing to put back."""
    with contextlib.closing(memory_file.Store(copy, read_only=True)) as store, store.read() as db:
        found = health_probe.run(
            db, memory_file.facts(db), to_iso(now_utc()), vectors=store.vectors_loaded
        )
    health_probe.require(found, "没有换上这份备份，原来的文件没有动")


def _require_sound(faults: list[str], path: Path) -> None:
    if faults:
        raise BrainError(
            "brain_db_damaged",
            f"文件已损坏（{faults[0]}），没有采用；brain doctor --repair 可救出一部分：{path}",
            EXIT_IO,
        )


def _refuse_same(path: Path, other: Path) -> None:
    with contextlib.suppress(OSError, ValueError):
        if os.path.samefile(path, other):
            raise BrainError("brain_backup_same", f"备份和记忆文件是同一个文件：{other}")


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise BrainError(
            "brain_db_cannot_create", f"写不了：{path}（{e.strerror or e}）", EXIT_CANT_CREATE
        ) from None
