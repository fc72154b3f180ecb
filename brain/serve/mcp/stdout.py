"""Stdout redirection: its descriptor is kept for the protocol, before anything else is loaded.

From then on descriptor 1 is stderr, so that whatever prints, a C library too, does no harm.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

_taken: list[BinaryIO] = []


def take() -> BinaryIO:
    """The stream of the real stdout; the same one each time."""
    if not _taken:
        wire = os.dup(1)
        try:
            os.dup2(2, 1)
        except OSError:  # started without a stderr
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.close(null)
        sys.stdout = sys.stderr
        _taken.append(os.fdopen(wire, "wb"))
    return _taken[0]
