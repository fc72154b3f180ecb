"""Lines as files have them: ended by LF, CR LF or CR.

``str.splitlines`` also cuts at U+2028, form feeds and the like, which stand inside the strings of
JSON and the cells of CSV.
"""

from __future__ import annotations

import re

_END = re.compile("\r\n|\n|\r")
_LINE = re.compile("[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def split(text: str) -> list[str]:
    """The lines of a text without their ends; a final end makes no empty line."""
    lines = _END.split(text)
    return lines[:-1] if not lines[-1] else lines


def with_ends(text: str) -> list[str]:
    """The lines of a text, each with its end."""
    return _LINE.findall(text)
