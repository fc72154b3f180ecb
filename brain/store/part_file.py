"""Part files: private files and folders that something is written to before it takes its place.

Their names cannot be guessed, they are made anew (``O_EXCL``) and readable by their owner alone, so
that nobody who may write to the same folder can put a file or a link there before. While its maker
lives each is locked (``flock``); one that is not was left by a process that was killed, and goes
with the next that works in the folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from brain.store import folder

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite puts beside a file."""

_MARK = "brain-part"
_RANDOM_BYTES = 8
_LONGEST = 100
"""Characters of the target's name that a part's name begins with."""

_NAME = re.compile(rf"\..+\.{_MARK}-[0-9a-f]{{{2 * _RANDOM_BYTES}}}\Z", re.DOTALL)
_OLD_NAME = re.compile(r"\..+\.(?:part-([0-9]{1,9})|salvage-[a-z0-9_]{8})\Z", re.DOTALL)
"""Names that versions before gave, the number of the process in some."""

OLD_AFTER_S = 24 * 3600.0
"""Age from which what cannot be locked is taken for left behind."""

_CLOSED = getattr(os, "O_CLOEXEC", 0)
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _CLOSED


@contextlib.contextmanager
def part(target: Path) -> Iterator[Path]:
    """An empty private file beside the target, until the end of the block or its renaming.

    What earlier processes left for the same target is removed first.

    Raises:
        OSError: the folder cannot be made or written.
    """
    place = target.absolute()
    folder.make(place.parent)
    clean(place.parent, place.name)
    path = _free_name(place)
    with folder.locked(place.parent):
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0) | _SAFE
        descriptor = os.open(path, flags, 0o600)
        _lock(descriptor)
    try:
        yield path
    finally:
        os.close(descriptor)
        for suffix in ("", *BESIDE):
            with contextlib.suppress(OSError):
                Path(f"{path}{suffix}").unlink()


@contextlib.contextmanager
def part_folder(target: Path) -> Iterator[Path]:
    """As :func:`part`, a private folder, removed with what is in it."""
    place = target.absolute()
    clean(place.parent, place.name)
    path = _free_name(place)
    descriptor = None
    with folder.locked(place.parent):
        path.mkdir(mode=0o700)
        with contextlib.suppress(OSError):  # Windows opens no folder
            descriptor = os.open(path, os.O_RDONLY | _SAFE)
            _lock(descriptor)
    try:
        yield path
    finally:
        if descriptor is not None:
            os.close(descriptor)
        shutil.rmtree(path, ignore_errors=True)


def left_behind(place: Path, name: str | None = None) -> list[Path]:
    """The parts in a folder whose makers are gone, by name.

    Args:
        name: only those of a target of that name.
    """
    try:
        entries = sorted(entry.name for entry in os.scandir(place) if entry.name[:1] == ".")
    except OSError:
        return []
    head = None if name is None else f".{name[:_LONGEST]}."
    found = [place / entry for entry in entries if head is None or entry.startswith(head)]
    return [path for path in found if _is_dead(path)]


def clean(place: Path, name: str | None = None) -> list[Path]:
    """Removes what :func:`left_behind` finds; gives what is gone."""
    gone = []
    for path in left_behind(place, name):
        with contextlib.suppress(OSError), folder.locked(place):
            if not _is_dead(path):
                continue
            if stat.S_ISDIR(path.lstat().st_mode):
                shutil.rmtree(path)
            else:
                for suffix in BESIDE:
                    Path(f"{path}{suffix}").unlink(missing_ok=True)
                path.unlink()
            gone.append(path)
    return gone


def _free_name(target: Path) -> Path:
    random = os.urandom(_RANDOM_BYTES).hex()
    return target.with_name(f".{target.name[:_LONGEST]}.{_MARK}-{random}")


def _is_dead(path: Path) -> bool:
    """Whether it is a part of ours and nobody works on it."""
    old = _OLD_NAME.match(path.name)
    if old is None and not _NAME.match(path.name):
        return False
    try:
        info = path.lstat()
        if not (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)) or not folder.own(info):
            return False
        if old is not None:
            return _is_old(info) if old[1] is None else not _runs(int(old[1]))
        descriptor = os.open(path, os.O_RDONLY | _SAFE)
    except OSError:
        return False
    try:
        return _is_old(info) if (free := _lock(descriptor)) is None else free
    finally:
        os.close(descriptor)


def _is_old(info: os.stat_result) -> bool:
    return time.time() - info.st_mtime > OLD_AFTER_S


def _runs(process: int) -> bool:
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _lock(descriptor: int) -> bool | None:
    """Locks a file for as long as it is open; False where another has it, None where none can."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
