"""Patterns compiled when they are first needed: a run of the program needs few of them."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern, compiled once."""
    return re.compile(pattern, flags)
