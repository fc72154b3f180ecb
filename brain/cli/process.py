"""Process set-up and exit: what is set before anything large is imported, and how it ends."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

OBJECTS_OF_A_START = 100_000
"""More objects than starting makes: they stay, and looking for cycles among them finds none."""

_USUAL = gc.get_threshold()


def begin() -> None:
    """Readies the process.

    numpy's BLAS starts a thread for every core, and each spins for a tenth of a second of processor
    time; the largest product here is a few hundred rows by one vector.
    """
    gc.set_threshold(OBJECTS_OF_A_START)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def stay() -> None:
    """For a process that goes on: cycles are looked for as usual, among what comes from now on."""
    gc.freeze()
    gc.set_threshold(*_USUAL)


def end(code: int) -> None:
    """Ends the process at once: what is left to do is taking modules apart, a tenth of a run."""
    if os.environ.get("BRAIN_DEBUG") == "1":
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
