"""A first look before a pattern: most texts hold none of the words without which it says nothing.

``str.__contains__`` takes .04 μs a word on a note of usual length, a regular expression of many
alternatives many times that, and a millisecond more to compile.
"""

from __future__ import annotations

from collections.abc import Iterable


def holds_any(text: str, pieces: Iterable[str]) -> bool:
    """Whether any of some strings stands in a text."""
    return any(map(text.__contains__, pieces))
