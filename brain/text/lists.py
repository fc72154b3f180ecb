"""Word lists: the text files under ``data/``, each read when it is first needed.

UTF-8, one entry or group a line, or several words with blanks between. A line that begins with
``#`` is a remark; ``[heading]`` on a line of its own begins a section. The remark at the head of a
file says what it is, where it is from and who reads it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

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


def _text(name: str) -> str:
    # Decoded at once, not line by line: these files are read at every start.
    return (_FOLDER / f"{name}.txt").read_bytes().decode("utf-8")
