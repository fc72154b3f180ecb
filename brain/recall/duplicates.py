"""Hits that say nothing a better hit has not said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.memory import Hit
from brain.text.likeness import repeats

MOST_MARKED = 50
"""Hits held against each other; beyond these nobody looks for repeats."""


def mark(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Sets ``duplicate_of`` on each hit that adds nothing to a better one."""
    out: list[Hit] = []
    for hit in hits[:MOST_MARKED]:
        better = next(
            (
                kept.id
                for kept in out
                if kept.duplicate_of is None and repeats(kept.memory.text, hit.memory.text)
            ),
            None,
        )
        out.append(hit if better == hit.duplicate_of else replace(hit, duplicate_of=better))
    return (*out, *hits[MOST_MARKED:])
