"""Encoding detection and bounded reads of text files of any size."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from brain.errors import EXIT_IO, EXIT_NO_INPUT, BrainError

LONGEST_LINE = 16 * 1024 * 1024
"""Characters of a line beyond which it is passed over instead of read into memory."""

_SAMPLE = 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNUSABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it is, and what it is called from where the reading began."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; ``text`` is None for one that is longer than ``LONGEST_LINE``."""

    number: int
    text: str | None
    at: int


def is_within(path: Path, root: Path) -> bool:
    """Whether what a name in a folder means lies in that folder: a link may lead out of it."""
    return not path.is_symlink() or path.resolve().is_relative_to(root.resolve())


def encoding_of(path: Path) -> str:
    """The encoding of a text file: by its byte order mark, else UTF-8, UTF-16 or GB18030.

    Without a mark the first megabyte that is not plain ASCII decides. A file is UTF-8 when most of
    its lines are, so that a single broken line does not turn the others into GB18030.
    """
    with path.open("rb") as f:
        block = f.read(_SAMPLE)
        for mark, name in _BOMS:
            if block.startswith(mark):
                return name
        if not block:
            return "utf-8"
        for zeros, name in ((block[1::2], "utf-16-le"), (block[::2], "utf-16-be")):
            if zeros.count(0) > len(zeros) // 4 and block.count(0) < 0.6 * len(block):
                return name
        while block and block.isascii():
            block = f.read(_SAMPLE)
    lines = [line for line in block.split(b"\n") if not line.isascii()]
    as_utf8 = sum(_decodes(line, "utf-8") for line in lines)
    as_gb = sum(_decodes(line, "gb18030") for line in lines)
    return "gb18030" if 2 * as_utf8 < len(lines) and as_gb > as_utf8 else "utf-8"


def _decodes(line: bytes, name: str) -> bool:
    try:
        # Not final: the sample may end inside a character.
        codecs.getincrementaldecoder(name)().decode(line)
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Text:
    """A text file being read."""

    stream: io.TextIOWrapper
    raw: io.BufferedReader

    def at(self) -> int:
        """How many bytes of it have been read."""
        return self.raw.tell()


@contextmanager
def opened(path: Path) -> Iterator[Text]:
    """A text file, decoded; what is not valid in its encoding becomes lone surrogates.

    Raises:
        BrainError: as :func:`reading_errors`.
    """
    with reading_errors(path):
        name = encoding_of(path)
        lax = "replace" if name.startswith(("utf-16", "utf-32")) else "surrogateescape"
        with (
            path.open("rb") as raw,
            io.TextIOWrapper(raw, encoding=name, errors=lax, newline="\n") as stream,
        ):
            yield Text(stream, raw)


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Turns failures of reading a file into ours.

    Raises:
        BrainError: ``brain_ingest_missing`` (66), ``brain_ingest_unreadable`` (74).
    """
    shown = str(path).encode("utf-8", "replace").decode("utf-8")
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise BrainError("brain_ingest_missing", f"没有这个文件：{shown}", EXIT_NO_INPUT) from None
    except OSError as e:
        reason = e.strerror or type(e).__name__
        raise BrainError(
            "brain_ingest_unreadable", f"读不了文件：{shown}（{reason}）", EXIT_IO
        ) from None


def lines(path: Path) -> Iterator[Line]:
    """The lines of a text file, in bounded memory; blank ones are left out. Raises as `opened`."""
    with opened(path) as text:
        stream = text.stream
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            whole: str | None = line
            while len(line) == LONGEST_LINE and not line.endswith("\n"):
                whole = None
                line = stream.readline(LONGEST_LINE)
            if whole is None or whole.strip():
                yield Line(number, None if whole is None else whole.rstrip("\r\n"), text.at())


def unusable(text: str) -> str | None:
    """Why a text cannot be taken in, as a Chinese sentence; None when it can."""
    found = _UNUSABLE.search(text)
    if found is None:
        return None
    if found.group() == "\0":
        return "这里有 NUL 字节，跳过了。"
    return "这里有不成对的代理码位或不合编码的字节，跳过了。"


def whole(path: Path) -> str:
    """A small text file at once, with plain newlines. Raises as `opened`."""
    with opened(path) as text:
        return text.stream.read().replace("\r\n", "\n")
