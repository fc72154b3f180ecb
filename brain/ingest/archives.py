"""Archives: the files of a ``.zip`` export, unpacked into a private folder while they are read."""

from __future__ import annotations

import lzma
import os
import shutil
import tempfile
import time
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path, PurePosixPath

from brain.errors import EXIT_DATA, EXIT_IO, BrainError
from brain.ingest.entry import Fault
from brain.ingest.files import COMPRESSED, File, uncompressed_suffix

SUFFIX = ".zip"

MOST_BYTES = 16 * 1024**3
"""Of one archive's files together: far beyond any export, below what fills a disk unseen."""

MOST_RATIO = 1100
"""Bytes that one compressed byte may become; deflate reaches 1,032, text about 20."""

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    NotImplementedError,
    ValueError,
)
_NOT_UTF8 = ("utf-8", "gb18030", "big5")
_ENCRYPTED, _UTF8 = 0x1, 0x800
"""Bits of a member's flags: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.4.4."""

_CHUNK = 1024 * 1024


def is_archive(path: Path) -> bool:
    """Whether a file is a zip, by its name and its content."""
    return path.suffix.lower() == SUFFIX and zipfile.is_zipfile(path)


class Unpacked:
    """Folders of what was unpacked, gone when the run is over."""

    def __init__(self) -> None:
        self._folders: list[tempfile.TemporaryDirectory[str]] = []

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        for folder in self._folders:
            folder.cleanup()

    def members(
        self, path: Path, prefix: str, suffixes: frozenset[str]
    ) -> tuple[list[File], list[tuple[str, Fault]]]:
        """An archive's files that may hold memories, and those that could not be unpacked.

        Args:
            prefix: what their names begin with.

        Raises:
            BrainError: ``brain_ingest_unreadable`` (74) for an archive that is damaged,
                ``brain_ingest_archive`` (65) for one that holds more than ``MOST_BYTES``.
        """
        folder = tempfile.TemporaryDirectory(prefix="brain-")
        self._folders.append(folder)
        files: list[File] = []
        faults: list[tuple[str, Fault]] = []
        left = min(MOST_BYTES, shutil.disk_usage(folder.name).free // 2)
        try:
            with zipfile.ZipFile(path) as archive:
                for number, member in enumerate(archive.infolist()):
                    name = _name(member)
                    if member.is_dir() or not _wanted(name, suffixes):
                        continue
                    if name.lower().endswith(SUFFIX):
                        told = "压缩包里的压缩包没有读，请先解开。"
                        faults.append((prefix + name, Fault(0, told)))
                        continue
                    if member.flag_bits & _ENCRYPTED:
                        told = "压缩包有密码，没有读，请先解开。"
                        faults.append((prefix + name, Fault(0, told)))
                        continue
                    target = Path(folder.name, str(number), PurePosixPath(name).name)
                    target.parent.mkdir(mode=0o700)
                    left -= self._unpack(archive, member, target, left, path)
                    files.append(File(target, prefix + name))
        except _DAMAGED as e:
            told = f"压缩包坏了，或是不认得的压法：{path.name}（{e}）"
            raise BrainError("brain_ingest_unreadable", told, EXIT_IO) from None
        return files, faults

    @staticmethod
    def _unpack(
        archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int, path: Path
    ) -> int:
        most = min(left, (member.compress_size + 1) * MOST_RATIO)
        size = 0
        with archive.open(member) as packed, target.open("xb") as plain:
            while chunk := packed.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    told = f"压缩包解开太大，没有读：{path.name}"
                    raise BrainError("brain_ingest_archive", told, EXIT_DATA)
                plain.write(chunk)
        with suppress(ValueError, OverflowError, OSError):
            # The same file of the same archive looks unchanged to the next run.
            made = time.mktime((*member.date_time, 0, 0, -1))
            os.utime(target, (made, made))
        return size


def _name(member: zipfile.ZipInfo) -> str:
    """A member's name; without the mark for UTF-8 it is in whatever the packer's system used."""
    name = member.filename
    if not member.flag_bits & _UTF8:
        with suppress(UnicodeEncodeError):
            raw = name.encode("cp437")
            for encoding in _NOT_UTF8:
                with suppress(UnicodeDecodeError):
                    return raw.decode(encoding)
    return name


def _wanted(name: str, suffixes: frozenset[str]) -> bool:
    parts = PurePosixPath(name).parts
    if not parts or any(part.startswith((".", "__MACOSX")) for part in parts):
        return False
    path = Path(parts[-1])
    return uncompressed_suffix(path) in suffixes or path.suffix.lower() in (*COMPRESSED, SUFFIX)
