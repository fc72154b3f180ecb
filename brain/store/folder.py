"""The folder a memory file is in: one maker at a time, and who else may write there."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Lets one process at a time make or move files in a folder, as far as the system can.

    Windows has no such lock, but there a file in use cannot be moved or deleted anyway.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def others_may_write(folder: Path) -> bool:
    """Whether other users may put files into a folder, and so exchange ours.

    False where the sticky bit keeps them to their own files, and where modes mean nothing.
    """
    if os.name == "nt":
        return False
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not mode & stat.S_ISVTX


def warning(folder: Path) -> str:
    """A Chinese line for the person when :func:`others_may_write`, else ''."""
    if not others_may_write(folder):
        return ""
    return f"同机的其他用户也能改这个文件夹，可以换掉记忆文件；建议运行 chmod go-w {folder}"


def sync(folder: Path) -> None:
    """Puts the folder's entries on the disk, where the system can; a rename is safe after it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
