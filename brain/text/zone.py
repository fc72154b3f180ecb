"""Whether a value of ``TZ`` names a time zone that the C library of this machine knows."""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDERS = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo")
"""Where C libraries have the zones: glibc and macOS, older ones, Solaris, musl's second place."""

# POSIX 1003.1, 8.3: a name, hours to the west, and for summer a second name with its rules.
_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_HOURS = r"[+-]?\d{1,3}(?::\d{2}(?::\d{2})?)?"
_SPELLED = re.compile(rf"{_NAME}{_HOURS}(?:{_NAME}(?:{_HOURS})?(?:,[0-9JM.,/:+-]+)?)?", re.ASCII)

_UTC = frozenset({"UTC", "GMT", "UTC0", "GMT0"})


def is_known(value: str) -> bool:
    """Whether a value of ``TZ`` is understood; what is not counts as UTC there, silently.

    Args:
        value: not empty; an empty one is UTC by agreement.
    """
    name = value.removeprefix(":")
    if _SPELLED.fullmatch(name) or name in _UTC:
        return True
    if os.name == "nt":
        return False
    own = os.environ.get("TZDIR")
    # An absolute name stays what it is when it is joined to a folder.
    return any(_holds_zone(Path(folder, name)) for folder in ((own,) if own else FOLDERS))


def _holds_zone(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"TZif"  # RFC 9636, 3.1
    except OSError:
        return False
