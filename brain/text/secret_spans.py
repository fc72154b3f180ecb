"""What the parts of :mod:`brain.text.secrets` have in common."""

from __future__ import annotations

import re

Span = tuple[int, int, str]
"""Start and stop of a secret in a text, and its rule."""


def letter_or_digit(text: str, at: int) -> bool:
    """Whether an ASCII letter or digit stands at a place, which may lie outside."""
    return 0 <= at < len(text) and text[at].isascii() and text[at].isalnum()


def runs(value: str) -> list[str]:
    """The runs of letters and digits of a value."""
    return re.findall("[A-Za-z0-9]+", value)


def both(part: str) -> bool:
    """Whether there are letters and digits."""
    return any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def mixed(value: str, least: int) -> bool:
    """Whether letters and digits stand together in a run of some length, as in no word or name."""
    return any(len(p) >= least and both(p) for p in runs(value))
