"""Hits that say nothing a better hit has not said, and records a new one nearly repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from brain.memory import Hit, Memory, Similar
from brain.text.likeness import ALIKE, at_most, compare, letters, repeats

MOST_SIMILAR = 5
"""How many near-repeats are told when a record is added."""


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
        out.append(replace(hit, duplicate_of=better))
    return (*out, *hits[MOST_MARKED:])


def similar(text: str, others: Iterable[Memory]) -> tuple[Similar, ...]:
    """Which records say nearly what a text says, most alike first, ties by id."""
    found = []
    own = letters(text)
    for other in others:
        if at_most(own, letters(other.text)) < ALIKE:
            continue
        likeness = compare(text, other.text)
        if likeness.score >= ALIKE:
            found.append(Similar(other.id, round(likeness.score, 4), likeness.differs))
    found.sort(key=lambda s: (-s.score, s.id))
    return tuple(found[:MOST_SIMILAR])
