"""Regular expressions, compiled when they are first needed: a run of the program needs few of them.

With the test for plain strings that saves most texts from a pattern. Both rooms below and above use
this, so it is a small file of its own.
"""

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
