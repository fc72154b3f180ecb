"""Configuration file of a host: written whole or not at all, a copy kept beside it."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from brain.errors import EXIT_CANT_CREATE, BrainError

MOST_BYTES = 16 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def refused(path: Path, why: str) -> BrainError:
    """The error for a file that cannot be written safely; nothing was changed."""
    told = f"{path} {why}；什么都没有改。"
    return BrainError("brain_setup_refused", told, EXIT_CANT_CREATE)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file as it was read.

    Args:
        path: as the host names it; may be a symbolic link.
        target: what is written: the file a link leads to.
        data: its bytes; None where there is none yet.
        text: what they say, without byte order mark and with plain line ends.
    """

    path: Path
    target: Path
    data: bytes | None
    text: str

    def encoded(self, text: str) -> bytes:
        """New text with the byte order mark and line ends the file has."""
        old = self.data or b""
        if b"\r\n" in old:
            text = text.replace("\n", "\r\n")
        return (_BOM if old.startswith(_BOM) else b"") + text.encode("utf-8")

    def check_writable(self) -> None:
        """Raises ``brain_setup_refused`` (73) where writing would fail or hurt somebody."""
        if self.data is None:
            return
        held = self.target.stat()
        if not held.st_mode & 0o222 or not os.access(self.target, os.W_OK):
            raise refused(self.path, "是只读的")
        if hasattr(os, "geteuid") and held.st_uid != os.geteuid():
            raise refused(self.path, "是另一个用户的文件")
        if held.st_nlink > 1:
            raise refused(self.path, "有别的硬链接，换掉它会把它们分开")

    def write(self, data: bytes) -> Path | None:
        """Replaces the file in one step; gives the copy of the old one, None where there was none.

        Raises:
            BrainError: ``brain_setup_refused`` (73): it changed since it was read, or the folder
                takes no file.
        """
        backup = None
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            if self.data is not None:
                backup = self._copy(self.data)
            handle, name = tempfile.mkstemp(prefix=".brain-", dir=self.target.parent)
            fresh = Path(name)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(data)
                    out.flush()
                    os.fsync(out.fileno())
                if self.data is not None:
                    fresh.chmod(stat.S_IMODE(self.target.stat().st_mode))
                if _bytes(self.target) != self.data:
                    raise refused(self.path, "刚刚被别的程序改过，请再运行一次")
                fresh.replace(self.target)
            except BaseException:
                fresh.unlink(missing_ok=True)
                raise
        except (OSError, BrainError) as error:
            if backup is not None:
                backup.unlink(missing_ok=True)
            if isinstance(error, BrainError):
                raise
            raise refused(self.path, f"写不进去（{error.strerror}）") from None
        return backup

    def put_back(self, backup: Path | None) -> None:
        """Undoes :meth:`write`."""
        if self.data is None:
            self.target.unlink(missing_ok=True)
        else:
            self.target.write_bytes(self.data)
        if backup is not None:
            backup.unlink(missing_ok=True)

    def _copy(self, data: bytes) -> Path:
        """A copy beside the name the host knows, so that a dotfiles repository gets none."""
        name = f"{self.path.name}.brain-{datetime.now():%Y%m%d-%H%M%S}"
        for more in ("", *(f"-{n}" for n in range(2, 100))):
            where = self.path.with_name(name + more)
            try:
                handle = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            return where
        raise refused(self.path, "旁边的备份太多了")


def read(path: Path) -> ConfigFile:
    """Reads a host's file.

    Raises:
        BrainError: ``brain_setup_refused`` (73): no plain file, too large, or no UTF-8.
    """
    try:
        target = Path(os.path.realpath(path))
        if path.is_symlink() and not target.exists():
            raise refused(path, "是指向不存在的文件的符号链接")
        if target.exists() and not target.is_file():
            raise refused(path, "不是普通文件")
        data = _bytes(target)
    except OSError as error:
        raise refused(path, f"读不了（{error.strerror}）") from None
    if data is not None and len(data) > MOST_BYTES:
        raise refused(path, "太大")
    try:
        text = (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused(path, "不是 UTF-8") from None
    plain = text.replace("\r\n", "\n")
    if "\r\n" in text and plain.count("\n") != text.count("\r\n"):
        raise refused(path, "里面两种换行混着")
    return ConfigFile(path, target, data, plain)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
