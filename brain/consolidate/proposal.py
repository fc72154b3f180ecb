"""Proposals: what one finder of clean-ups hands to the plan, and a plan's line made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brain.memory import Memory
from brain.results import PlanLine
from brain.text.secrets import mask

HEAD = 40
"""Characters of a text that a reason shows."""

STATE = (
    "kind", "scope", "importance", "confidence", "pinned", "valid_from", "valid_to", "recorded_at",
    "retracted_at", "supersedes", "superseded_by", "archived_at", "content_hash", "tags", "links",
    "state",
)  # fmt: skip
"""What a record's state is: where one of these differs it has changed. Its strength and how often
it was used come and go by themselves."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A clean-up; the fields are those of :class:`brain.results.PlanLine`.

    Args:
        episode: the record that a new one is made from.
    """

    act: str
    reason: str
    keep: int | None = None
    drop: tuple[int, ...] = ()
    episode: int | None = None
    text: str = ""
    kind: str = ""
    quote: str = ""
    source: str = "rules"
    confirm: bool = False

    @property
    def changed(self) -> tuple[int, ...]:
        """The records it changes."""
        return self.drop if self.keep is None else (self.keep, *self.drop)


def line(
    one: Proposal, known: Mapping[int, Memory], links: Mapping[int, Sequence[int]]
) -> PlanLine:
    """The line of a plan.

    Args:
        known: records by id, those it rests on among them.
        links: id → the numbers of the current observations it stands in.
    """
    rests = sorted({*one.changed, *(() if one.episode is None else (one.episode,))})
    named = "\x1f".join([one.act, *map(str, rests), str(one.keep), one.text, one.kind])
    return PlanLine(
        f"{one.act[0]}{hashlib.sha256(named.encode()).hexdigest()[:8]}",
        one.act,
        one.reason,
        tuple(rests),
        tuple(shown(known[i], links.get(i, ())) for i in rests),
        one.keep,
        one.drop,
        one.text,
        one.kind,
        one.quote,
        one.source,
        one.confirm,
    )


def shown(memory: Memory, links: Sequence[int]) -> dict[str, Any]:
    """A record as a plan shows it: secrets masked, with its observations."""
    out = memory.to_dict()
    for name in ("text", "evidence", "source"):
        out[name] = mask.masked(out[name])
    return {**out, "links": sorted(links)}


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The fields of its state in which a record differs from what a plan says."""
    return [name for name in STATE if before.get(name) != now.get(name)]


def head(text: str) -> str:
    """The beginning of a text for a reason, secrets masked, on one line."""
    plain = " ".join(mask.masked(text).split())
    return plain if len(plain) <= HEAD else f"{plain[:HEAD]}…"
