"""Helpers of the tests, imported as ``from tests.support.engine import …`` and in no other way."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The repository."""

PATIENCE = 240.0
"""Seconds for what happens at once on an idle machine: a limit for what never happens, no claim
about how long it takes."""


def until(happened: Callable[[], object]) -> None:
    """Waits for an event, however busy the machine is."""
    limit = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.02)
