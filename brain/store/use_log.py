"""The use log: which memories ``inject`` put into a prompt, and when. It holds ids and times alone.

A file of its own beside the memory file (``brain.db-uses``), because noting a use must never wait
for a lock, fail or slow down an answer: one short append, given up at the first difficulty. Losing
the file costs nothing but a little strength; a copy of the memory file is whole without it.

One line a use: ``2026-11-29T08:00:00.000Z 12 5``. A line that was cut short, by a full disk say, is
no line and is passed over.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from brain.errors import BrainError
from brain.store import folder
from brain.text.timestamps import from_iso

MAX_BYTES = 512 * 1024
"""Beyond this nothing is noted until the next decay: about ten thousand blocks."""

MAX_IDS = 64
"""Most ids noted of one block; keeps a line within one short write."""

_LINE = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)((?: [1-9][0-9]{0,17})+)\Z")
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)

Uses = Mapping[int, Mapping[str, str]]
"""Memory id → day (UTC) → the last use on that day, UTC ISO."""


def log_path(database: Path) -> Path:
    """Where the log of a memory file is."""
    return Path(f"{database}-uses")


def _taken_path(database: Path) -> Path:
    return Path(f"{database}-uses-taken")


def note(database: Path, at: str, ids: Sequence[int]) -> None:
    """Notes a use, where that is possible at once; never raises and never waits.

    Args:
        at: the instant, UTC ISO.
        ids: the memories, best first; at most ``MAX_IDS`` of them are noted.
    """
    line = " ".join((at, *map(str, ids[:MAX_IDS]))) + "\n"
    with suppress(OSError, ValueError):
        # Who may not write the memories has no business leaving files beside them.
        if ids and os.access(database, os.W_OK):
            _append(log_path(database), line.encode("ascii"))


def _append(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | _SAFE
    with _opened(path, flags) as (descriptor, size):
        if size + len(data) <= MAX_BYTES:
            os.write(descriptor, data)


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[tuple[int, int]]:
    """A descriptor and its size. Raises OSError for anything but a plain file of one name."""
    descriptor = os.open(path, flags, 0o600)
    try:
        info = os.fstat(descriptor)
        if not _plain(info):
            raise OSError("not a plain file")
        yield descriptor, info.st_size
    finally:
        os.close(descriptor)


def _plain(info: os.stat_result) -> bool:
    return stat.S_ISREG(info.st_mode) and info.st_nlink == 1 and folder.own(info)


def waiting(database: Path) -> Uses:
    """The uses noted since the last decay, also those that a broken run took; changes nothing."""
    return _parsed(b"".join(_content(p) for p in (_taken_path(database), log_path(database))))


def take(database: Path) -> Uses:
    """Sets the log aside, so that new uses begin another, and gives what is in it.

    What a broken run set aside comes first. Call :func:`drop` once the uses are stored. Taking the
    same uses twice is harmless to one who counts a day once.
    """
    taken = _taken_path(database)
    if not os.path.lexists(taken):
        with suppress(OSError):
            if _plain(log_path(database).lstat()):
                log_path(database).rename(taken)
    return _parsed(_content(taken))


def drop(database: Path) -> None:
    """Removes what :func:`take` set aside."""
    with suppress(OSError):
        _taken_path(database).unlink()


def forget(database: Path, memory_id: int) -> None:
    """Takes a memory's id out of the log.

    Raises:
        OSError: when the log cannot be rewritten.
    """
    for path in (_taken_path(database), log_path(database)):
        if not path.is_file() or path.is_symlink():
            continue
        # Set aside first: whoever appends meanwhile begins a new log.
        aside = Path(f"{database}-uses-forget")
        path.rename(aside)
        kept = b"".join(_without(line, memory_id) for line in _content(aside).splitlines())
        aside.unlink()
        if kept:
            _append(path, kept)


def _without(line: bytes, memory_id: int) -> bytes:
    found = _LINE.match(line)
    ids = [i for i in found[2].split() if int(i) != memory_id] if found else []
    return b" ".join((found[1], *ids)) + b"\n" if found and ids else b""


def _content(path: Path) -> bytes:
    with suppress(OSError), _opened(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | _SAFE) as f:
        return os.read(f[0], 2 * MAX_BYTES)
    return b""


def _parsed(content: bytes) -> dict[int, dict[str, str]]:
    out: dict[int, dict[str, str]] = {}
    whole, _, _ = content.rpartition(b"\n")
    for line in whole.split(b"\n"):
        found = _LINE.match(line)
        if found is None:
            continue
        at = found[1].decode("ascii")
        try:
            from_iso(at)
        except BrainError:
            continue
        for number in found[2].split():
            days = out.setdefault(int(number), {})
            days[at[:10]] = max(at, days.get(at[:10], ""))
    return out
