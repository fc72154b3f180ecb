"""Control characters shown visibly: what a terminal obeys, and what turns a line's order round.

A file of its own because both sides need it: what is printed here, and what a server is believed.
"""

from __future__ import annotations

import re

# C0 without tab and newline, DEL and C1; the marks, embeddings, overrides and isolates of UAX #9.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]"
)


def visible(text: str) -> str:
    r"""Shows control characters as ``\x1b`` and ``\u202e``: stored text steers no terminal, and
    does not make a line read as another one."""
    return text if text.isprintable() else _OBEYED.sub(_written, text)


def _written(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
