"""Patterns compiled when they are first needed: a run of the program needs few of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


@cache
def compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern, compiled once."""
    return re.compile(pattern, flags)


def holds_any(text: str, pieces: Iterable[str]) -> bool:
    """Whether any of some strings stands in a text."""
    return any(map(text.__contains__, pieces))
