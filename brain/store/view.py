"""Which records a question may see, as SQL on ``memories`` and on the vector table."""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace

FOREVER_MS = 2**62
"""Stands for an open end in the vector table, whose metadata columns refuse NULL."""


@dataclass(frozen=True, slots=True)
class View:
    """What is visible: scopes, kind, and the two clocks.

    Args:
        as_of: valid time asked about, UTC ISO 8601 with milliseconds.
        known_at: recorded time asked about; None means everything recorded so far.
        scopes: names seen; None for all of them. The global scope is not implied here.
        kind: one kind, or None for all.
        not_kind: a kind left out, or None.
        include_expired: True drops the condition on valid time.
        archived: False hides archived records, True shows only those, None shows both.
    """

    as_of: str
    known_at: str | None = None
    scopes: tuple[str, ...] | None = ("",)
    kind: str | None = None
    not_kind: str | None = None
    include_expired: bool = False
    archived: bool | None = False

    def with_archived(self, archived: bool | None) -> View:
        """The same view of archived records instead."""
        return replace(self, archived=archived)

    def where(self) -> tuple[str, list[object]]:
        """A condition on the table alias ``m`` and its parameters."""
        parts: list[str] = []
        args: list[object] = []
        if not self.include_expired:
            parts.append("(m.valid_from IS NULL OR m.valid_from <= ?)")
            parts.append("(m.valid_to IS NULL OR m.valid_to > ?)")
            args += [self.as_of, self.as_of]
        if self.known_at is None:
            parts.append("m.retracted_at IS NULL")
        else:
            parts.append("m.recorded_at <= ?")
            parts.append("(m.retracted_at IS NULL OR m.retracted_at > ?)")
            args += [self.known_at, self.known_at]
        if self.archived is False:
            parts.append("m.archived_at IS NULL")
        elif self.archived is True:
            parts.append("m.archived_at IS NOT NULL")
        if self.scopes is not None:
            parts.append(f"m.scope IN ({', '.join('?' * len(self.scopes))})")
            args += self.scopes
        if self.kind is not None:
            parts.append("m.kind = ?")
            args.append(self.kind)
        if self.not_kind is not None:
            parts.append("m.kind <> ?")
            args.append(self.not_kind)
        return " AND ".join(parts), args


def to_ms(iso: str | None, default: int) -> int:
    """UTC ISO 8601 with milliseconds as integer milliseconds since 1970; None gives ``default``."""
    if iso is None:
        return default
    date, clock = iso[:-1].split("T")
    year, month, day = (int(x) for x in date.split("-"))
    hour, minute, second = clock.split(":")
    whole, _, milli = second.partition(".")
    seconds = calendar.timegm((year, month, day, int(hour), int(minute), int(whole)))
    return seconds * 1000 + int(milli or 0)
