"""Word lists: the text files under ``data/``, each read when it is first needed.

UTF-8, one entry or group a line, or several words with blanks between. A line that begins with
``#`` is a remark; ``[heading]`` on a line of its own begins a section. The remark at the head of a
file says what it is, where it is from and who reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).with_name("data")


@cache
def lines(name: str) -> dict[str, tuple[str, ...]]:
    """Heading → the lines under it, in the order of the file; what has no heading is under ``''``.

    Args:
        name: of the file, without its ``.txt``.

    Raises:
        OSError: the file is not there: the installation is broken.
    """
    out: dict[str, list[str]] = {"": []}
    add = out[""].append
    for line in _text(name).splitlines():
        first = line[:1]
        if first == "[" and line[-1] == "]" and line[1:-1].isidentifier():
            add = out.setdefault(line[1:-1], []).append
        elif first and first != "#":
            add(line)
    return {heading: tuple(found) for heading, found in out.items() if found}


@cache
def groups(name: str) -> tuple[str, ...]:
    """All lines of a file, whatever their heading; arguments and errors of :func:`lines`."""
    return tuple([line for line in _text(name).splitlines() if line[:1] not in "#["])


@cache
def words(name: str, heading: str = "") -> tuple[str, ...]:
    """The words under a heading, in order; ``_`` within one stays.

    Raises:
        KeyError: no such heading.
        OSError: as :func:`lines`.
    """
    return tuple(" ".join(lines(name)[heading]).split())


class Lexicon(NamedTuple):
    """Entries to look for in a text, the longest first.

    Args:
        lengths: first character → lengths of the entries that begin with it, falling.
        entries: entry → what it stands for.
    """

    lengths: dict[str, list[int]]
    entries: dict[str, str]

    @classmethod
    def of(cls, entries: Mapping[str, str]) -> Lexicon:
        """Makes one of entries and what they stand for."""
        lengths: dict[str, set[int]] = {}
        for entry in entries:
            lengths.setdefault(entry[0], set()).add(len(entry))
        falling = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        return cls(falling, dict(entries))

    def longest(self, text: str, at: int) -> tuple[str, str] | None:
        """The longest entry that stands at a place, with what it stands for."""
        end = self.end(text, at)
        return (text[at:end], self.entries[text[at:end]]) if end else None

    def end(self, text: str, at: int) -> int:
        """Where the longest entry ends that stands at a place; 0 where none does."""
        for length in self.lengths.get(text[at : at + 1], ()):
            if text[at : at + length] in self.entries:
                return at + length
        return 0

    def longest_whole(self, text: str, at: int) -> tuple[str, str] | None:
        """As :meth:`longest`, but Latin words and numbers only as a whole: hi is not in history."""
        for length in self.lengths.get(text[at], ()):
            piece = text[at : at + length]
            if piece in self.entries and not (
                (is_ascii_word(piece[-1]) and is_ascii_word(text[at + length : at + length + 1]))
                or (at and is_ascii_word(piece[0]) and is_ascii_word(text[at - 1]))
            ):
                return piece, self.entries[piece]
        return None

    def found(self, text: str) -> list[tuple[int, int, str]]:
        """Where entries stand whole and what they stand for, leftmost and longest first."""
        out: list[tuple[int, int, str]] = []
        end = 0
        for at, char in enumerate(text):
            if at >= end and char in self.lengths and (one := self.longest_whole(text, at)):
                end = at + len(one[0])
                out.append((at, end, one[1]))
        return out


def spoken(entries: Iterable[str]) -> list[str]:
    """Entries as they are said: with a blank for each ``_``."""
    return [entry.replace("_", " ") for entry in entries]


def is_ascii_word(char: str) -> bool:
    """Whether a character, or '' for none, is a Latin letter or a digit."""
    return char.isascii() and char.isalnum()


def _text(name: str) -> str:
    # Decoded at once, not line by line: these files are read at every start.
    return (_FOLDER / f"{name}.txt").read_bytes().decode("utf-8")
