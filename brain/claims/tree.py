"""Directory tree below a root: paths that never leave it, a bounded walk, files read as text.

What is looked at is bounded by work and not by time, so that the same tree gives the same answer.
Nothing is written and no program is started; what git ignores is left out by a library.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from brain import repository
from brain.errors import EXIT_NO_INPUT, BrainError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a file beyond which it is not read."""

MOST_HELD = 64 * 1024 * 1024
"""Characters of files that are kept for the next claim."""

_IGNORED = ".gitignore"
_NEVER = frozenset({".git", ".hg", ".svn"})
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

OUTSIDE = "在项目之外"
NOT_THERE = "不在了"
TOO_LARGE = "文件太大，没有读"
BINARY = "不是文本"
UNREADABLE = "读不了"
SPECIAL = "不是普通文件"
NO_WORK_LEFT = "超出了这一次查看的上限"


class UnknownError(Exception):
    """It cannot be told; the message is a Chinese reason."""


class ExhaustedError(UnknownError):
    """It would take more work than is allowed."""


@dataclass(slots=True)
class Work:
    """What looking may still cost.

    Args:
        entries: directory entries.
        bytes: bytes of files read.
    """

    entries: int = 200_000
    bytes: int = 512 * 1024 * 1024


def root_of(given: str | Path) -> Path:
    """A root as it is used, with no link in it.

    Raises:
        BrainError: ``brain_root_missing`` (66) for what is no folder.
    """
    try:
        found = Path(os.path.realpath(given))
        there = found.is_dir()
    except (OSError, ValueError):
        there = False
    if not there:
        told = f"项目的文件夹不在，或者不是文件夹：{given}"
        raise BrainError("brain_root_missing", told, EXIT_NO_INPUT)
    return found


def default_root() -> Path:
    """The git root of the current folder, else that folder."""
    here = Path.cwd()
    return repository.top(here) or here


@dataclass
class Tree:
    """A folder that is looked into.

    Args:
        root: as :func:`root_of` gives it.
        work: what looking may still cost; it is used up.
        complete: whether :attr:`files`, once walked, holds all there are.
    """

    root: Path
    work: Work = field(default_factory=Work)
    complete: bool = True
    _texts: dict[str, str] = field(default_factory=dict)
    _held: int = 0

    def relative(self, path: str) -> str:
        """A path as it stands below the root, with ``/`` between its parts.

        Raises:
            UnknownError: for a path that leads out of the root, by its words alone.
        """
        written = path.replace("\\", "/").strip()
        if written.startswith("~") or not written:
            raise UnknownError(OUTSIDE)
        if written.startswith("/") or written[1:2] == ":":
            inside = os.path.relpath(written, self.root) if os.path.isabs(written) else ".."
            written = inside.replace("\\", "/")
        parts = [part for part in written.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise UnknownError(OUTSIDE)
        return "/".join(parts) or "."

    def stat(self, path: str) -> os.stat_result | None:
        """What stands at a path below the root; None for nothing.

        Raises:
            UnknownError: where the path leads out of the root, by a link as well, or cannot be
                looked at.
        """
        place = self.root / path
        try:
            real = os.path.realpath(place)
            if real != str(self.root) and not real.startswith(
                str(self.root).rstrip(os.sep) + os.sep
            ):
                raise UnknownError(OUTSIDE)
            return os.stat(real)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            raise UnknownError(UNREADABLE) from None

    def text(self, path: str) -> str:
        """The text of a file below the root: UTF-8, UTF-16 with its mark, or GB 18030.

        Raises:
            FileNotFoundError: where none is there.
            ExhaustedError: where no work is left for it.
            UnknownError: for a special file, a large one, no text, and what :meth:`stat` raises.
        """
        if path in self._texts:
            return self._texts[path]
        data = self.bytes(path)
        if data[:2] in _UTF_16:
            found = _decoded(data, "utf-16")
        elif b"\0" in data:
            found = None
        else:
            found = _decoded(data, "utf-8-sig")
            found = _decoded(data, "gb18030") if found is None else found
        if found is None:
            raise UnknownError(BINARY)
        if self._held + len(found) <= MOST_HELD:
            self._held += len(found)
            self._texts[path] = found
        return found

    def bytes(self, path: str) -> bytes:
        """The bytes of a file below the root; raises as :meth:`text` does."""
        about = self.stat(path)
        if about is None:
            raise FileNotFoundError(path)
        if not stat.S_ISREG(about.st_mode):
            raise UnknownError(SPECIAL)
        if about.st_size > LARGEST_FILE:
            raise UnknownError(TOO_LARGE)
        if about.st_size > self.work.bytes:
            raise ExhaustedError(NO_WORK_LEFT)
        self.work.bytes -= about.st_size
        # Opened without waiting: what was a file a moment ago may be a pipe by now.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(os.path.realpath(self.root / path), flags)
            with os.fdopen(handle, "rb") as source:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise UnknownError(SPECIAL)
                return source.read(about.st_size)
        except OSError:
            raise UnknownError(UNREADABLE) from None

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files below the root that git does not ignore, nearest first, then by name; as many
        as there was work for. ``complete`` says afterwards whether that is all of them."""
        self.complete = True
        found: list[str] = []
        waiting: deque[tuple[str, tuple[_Rules, ...]]] = deque([("", self._outer_rules())])
        while waiting:
            folder, rules = waiting.popleft()
            entries = self._entries(folder)
            if entries is None:
                self.complete = False
                continue
            own = self._rules(folder, _IGNORED) if any(n == _IGNORED for n, _ in entries) else None
            rules = (*rules, own) if own else rules
            for name, is_folder in entries:
                path = f"{folder}/{name}" if folder else name
                if name in _NEVER or _is_ignored(path + "/" if is_folder else path, rules):
                    continue
                if is_folder:
                    waiting.append((path, rules))
                else:
                    found.append(path)
        return tuple(found)

    @cached_property
    def top(self) -> tuple[str, ...]:
        """The names of the files in the root itself, by name; none where there are too many."""
        return tuple(name for name, is_folder in self._entries("") or () if not is_folder)

    def _entries(self, folder: str) -> list[tuple[str, bool]] | None:
        """(name, whether a folder) of a folder's files and folders, by name; None where there are
        more than work is left for, or it cannot be read. Links are left out."""
        out: list[tuple[str, bool]] = []
        try:
            with os.scandir(self.root / folder) as entries:
                for number, entry in enumerate(entries, start=1):
                    # More than that and which of them come first is the file system's whim.
                    if number > self.work.entries:
                        return None
                    if any("\ud800" <= c <= "\udfff" or c < " " for c in entry.name):
                        continue  # no claim can name it
                    if entry.is_dir(follow_symlinks=False):
                        out.append((entry.name, True))
                    elif entry.is_file(follow_symlinks=False):
                        out.append((entry.name, False))
        except OSError:
            return None
        self.work.entries -= len(out)
        return sorted(out)

    def _outer_rules(self) -> tuple[_Rules, ...]:
        found = self._rules("", ".git/info/exclude")
        return (found,) if found else ()

    def _rules(self, folder: str, name: str) -> _Rules | None:
        try:
            text = self.text(f"{folder}/{name}" if folder else name)
        except (FileNotFoundError, UnknownError):
            return None
        from pathspec import GitIgnoreSpec  # only who looks for a file needs it

        try:
            return _Rules(folder, GitIgnoreSpec.from_lines(text.splitlines()))
        except ValueError:  # a pattern that is none
            return None

    def named(self, name: str) -> list[str]:
        """The files of a name, in the order of :attr:`files`."""
        return [path for path in self.files if path.rpartition("/")[2] == name]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a folder's file says is ignored, of the paths below it."""

    folder: str
    spec: GitIgnoreSpec

    def about(self, path: str) -> bool | None:
        """Whether a path is ignored; None where nothing is said of it."""
        return self.spec.check_file(
            path.removeprefix(f"{self.folder}/" if self.folder else "")
        ).include


def _is_ignored(path: str, rules: tuple[_Rules, ...]) -> bool:
    """As git has it: the nearest folder that says something decides."""
    told = (each.about(path) for each in reversed(rules))
    return next((said for said in told if said is not None), False)


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of a text."""
    yield from enumerate(text.split("\n"), start=1)
