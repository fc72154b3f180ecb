"""A first look before a pattern: most texts hold none of the words without which it says nothing.

Looking for some dozens of words takes a fraction of what a regular expression of many alternatives
takes, and milliseconds less at the first time, when that is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable


def holds_any(text: str, pieces: Iterable[str]) -> bool:
    """Whether any of some strings stands in a text."""
    return any(map(text.__contains__, pieces))
