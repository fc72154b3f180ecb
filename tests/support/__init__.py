"""Helpers of the tests, imported as ``from tests.support.engine import …`` and in no other way."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The repository."""
