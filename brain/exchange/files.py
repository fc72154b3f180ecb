"""Atomic file writes and bounded reads: an export is never half there, however long it is."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from brain.errors import EXIT_CANT_CREATE, EXIT_IO, EXIT_NO_INPUT, BrainError
from brain.store import part_file

HEAD_BYTES = 200
"""Bytes by which a file is told to be one of ours."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; ``data`` is None for one that is longer than allowed."""

    number: int
    data: bytes | None
    at: int


def write(path: Path, chunks: Iterable[str], *, force: bool) -> None:
    """Writes a file whole or not at all, readable by its owner alone (0600).

    Args:
        force: replace a file that is there.

    Raises:
        BrainError: those of :func:`require_place`; ``brain_export_write`` (73) when it cannot be
            written, ``brain_disk_full`` (74).
    """
    require_place(path, force=force)
    try:
        if not path.absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        with part_file.part(path) as temporary:
            with temporary.open("wb") as f:
                for chunk in chunks:
                    f.write(chunk.encode("utf-8"))
                f.flush()
                os.fsync(f.fileno())
            if force:
                temporary.replace(path)
            else:
                _give_name(temporary, path)
    except OSError as e:
        raise _not_written(path, e) from None


def begins(path: Path, wanted: Callable[[bytes], bool]) -> bool:
    """Whether a plain file is there that is empty or begins as is wanted."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as f:
            first = f.read(HEAD_BYTES)
    except (OSError, ValueError):
        return False
    return not first or wanted(first)


def _give_name(temporary: Path, path: Path) -> None:
    """Moves it to its name unless something has come to be there meanwhile."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise exists(path) from None
    except OSError:  # a file system without hard links
        require_place(path, force=False)
        temporary.replace(path)


def require_place(path: Path, *, force: bool) -> None:
    """Refuses a place that an export must not take.

    Raises:
        BrainError: ``brain_export_symlink``, ``brain_export_exists`` (73), ``brain_export_write``
            (73) for a folder or something that is no plain file.
    """
    try:
        info = path.lstat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as e:
        raise _not_written(path, e) from None
    refuse_symlink(path, info)
    if not stat.S_ISREG(info.st_mode):
        raise BrainError(
            "brain_export_write", f"这里有一个不是普通文件的东西：{path}", EXIT_CANT_CREATE
        )
    if not force:
        raise exists(path)


def refuse_symlink(path: Path, info: os.stat_result) -> None:
    """Refuses to write through a symbolic link (``brain_export_symlink``, 73)."""
    if stat.S_ISLNK(info.st_mode):
        raise BrainError(
            "brain_export_symlink",
            f"导出不能写到符号链接：{path}；请给出真正的路径。",
            EXIT_CANT_CREATE,
        )


def refuse_own(path: Path, memory_file: Path) -> None:
    """Refuses to write over the memory file itself (``brain_export_write``, 73)."""
    own = [Path(f"{memory_file}{end}").absolute() for end in ("", "-wal", "-shm", "-uses")]
    try:
        same = path.absolute() in own or (path.exists() and path.samefile(memory_file))
    except (OSError, ValueError):
        return
    if same:
        raise BrainError(
            "brain_export_write", f"这正是记忆文件本身，没有写：{path}", EXIT_CANT_CREATE
        )


def make_folder(path: Path) -> None:
    """Makes a folder, for its owner alone, or accepts the one that is there.

    Raises:
        BrainError: ``brain_export_symlink``, ``brain_export_write`` (73).
    """
    try:
        refuse_symlink(path, path.lstat())
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as e:
        raise _not_written(path, e) from None
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as e:
        raise _not_written(path, e) from None


def exists(path: Path) -> BrainError:
    """Something is there that only ``force`` replaces (``brain_export_exists``, 73)."""
    return BrainError(
        "brain_export_exists",
        f"已经有 {path}，没有覆盖。",
        EXIT_CANT_CREATE,
        override="force",
    )


def _not_written(path: Path, error: OSError | ValueError) -> BrainError:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BrainError("brain_disk_full", f"磁盘满了，没有导出：{path}", EXIT_IO)
    reason = getattr(error, "strerror", None) or str(error)
    return BrainError("brain_export_write", f"不能写到这里：{path}（{reason}）", EXIT_CANT_CREATE)


@contextlib.contextmanager
def opened(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    """A file, or a stream that is open already, for reading bytes.

    Raises:
        BrainError: ``brain_import_missing`` (66), ``brain_import_unreadable`` (74).
    """
    if not isinstance(source, Path):
        yield source
        return
    try:
        if source.exists() and not (source.is_file() or source.is_fifo()):
            # /dev/zero has no end.
            raise OSError(0, "不是普通文件")
        stream = source.open("rb")
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise missing(source) from None
    except OSError as e:
        raise _unreadable(source, e) from None
    with stream:
        yield stream


def missing(source: Path) -> BrainError:
    """Nothing is there (``brain_import_missing``, 66)."""
    return BrainError("brain_import_missing", f"没有这个文件：{source}", EXIT_NO_INPUT)


def _unreadable(source: Path, error: OSError) -> BrainError:
    reason = error.strerror or type(error).__name__
    return BrainError("brain_import_unreadable", f"读不了文件：{source}（{reason}）", EXIT_IO)


def lines(stream: BinaryIO, longest: int) -> Iterator[Line]:
    """The lines of a stream in bounded memory, without a byte order mark; blank ones left out.

    Args:
        longest: bytes beyond which a line is passed over.
    """
    number = at = 0
    try:
        while data := stream.readline(longest):
            number += 1
            at += len(data)
            whole: bytes | None = data
            while len(data) == longest and not data.endswith(b"\n"):
                whole = None
                data = stream.readline(longest)
                at += len(data)
            if number == 1 and whole is not None:
                whole = whole.removeprefix(b"\xef\xbb\xbf")
            if whole is None or whole.strip():
                yield Line(number, whole, at)
    except OSError as e:
        reason = e.strerror or type(e).__name__
        raise BrainError(
            "brain_import_unreadable", f"读到一半出错（{reason}）。", EXIT_IO
        ) from None


def size(stream: BinaryIO) -> int:
    """The bytes a stream has, 0 where that is unknown (a pipe)."""
    try:
        info = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return 0
    return info.st_size if stat.S_ISREG(info.st_mode) else 0
