"""Bi-temporal view: which records a question may see, as a condition on ``memories``."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from brain import validate
from brain.memory import CAME_ABOUT, FAILED, OUTCOME_KIND
from brain.text.timestamps import When, now_utc, parse_time, to_iso

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
        replayed: the connection holds how records stood at ``known_at``
            (:mod:`brain.store.journal`).
        replaced: only records that have a successor and that the view itself does not show, of
            whatever kind.
        happened: leaves out outcomes that links are about and none says came about.
        tags: only records filed under every one of these.
    """

    as_of: str
    known_at: str | None = None
    scopes: tuple[str, ...] | None = ("",)
    kind: str | None = None
    not_kind: str | None = None
    include_expired: bool = False
    archived: bool | None = False
    replayed: bool = False
    replaced: bool = False
    happened: bool = False
    tags: tuple[str, ...] = ()

    def with_archived(self, archived: bool | None) -> View:
        """The same view of archived records instead."""
        return replace(self, archived=archived)

    def where(self, alias: str = "m") -> tuple[str, list[object]]:
        """A condition on a table alias of ``memories`` and its parameters."""
        holds, args = self._holds(alias)
        if self.replayed:
            then, more = self._holds("r")
            past = f"(SELECT {then} FROM temp.past r WHERE r.id = {alias}.id)"
            holds = f"coalesce({past}, {holds})"
            args = more + args
        parts = [f"({holds})"]
        if self.replaced:
            parts = [f"{self.successor(alias)} IS NOT NULL", f"NOT ({holds})"]
        if self.known_at is not None:
            parts.append(f"{alias}.recorded_at <= ?")
            args.append(self.known_at)
        if self.scopes is not None:
            parts.append(f"{alias}.scope IN ({', '.join('?' * len(self.scopes))})")
            args += self.scopes
        if self.kind is not None and not self.replaced:
            parts.append(f"{alias}.kind = ?")
            args.append(self.kind)
        if self.not_kind is not None and not self.replaced:
            parts.append(f"{alias}.kind <> ?")
            args.append(self.not_kind)
        if self.happened:
            told, more = self._came_about(alias)
            parts.append(told)
            args += more
        if not self.replaced:
            more_parts, more_args = with_tags(self.tags, alias)
            parts += more_parts
            args += more_args
        return " AND ".join(parts), args

    def link(self, alias: str) -> tuple[str, list[object]]:
        """A condition on a table alias of ``links``: observed by then, and believed."""
        parts = [f"{alias}.observed_at <= ?"]
        args: list[object] = [self.as_of]
        if self.known_at is None:
            parts.append(f"{alias}.retracted_at IS NULL")
        else:
            parts.append(f"{alias}.recorded_at <= ?")
            parts.append(f"({alias}.retracted_at IS NULL OR {alias}.retracted_at > ?)")
            args += [self.known_at, self.known_at]
        return " AND ".join(parts), args

    def _came_about(self, alias: str) -> tuple[str, list[object]]:
        """No outcome that links are about and no current one says was caused or enabled."""
        ends = replace(
            self, archived=None, scopes=None, kind=None, not_kind=None, replaced=False,
            happened=False,
        )  # fmt: skip
        current, args = self.link("l")
        decided, more = ends.where("d")
        relations = ", ".join(f"'{name}'" for name in CAME_ABOUT)
        return (
            f"({alias}.kind <> '{OUTCOME_KIND}' OR NOT EXISTS"
            f" (SELECT 1 FROM links x WHERE x.outcome = {alias}.id) OR EXISTS"
            f" (SELECT 1 FROM links l JOIN memories d ON d.id = l.decision"
            f" WHERE l.outcome = {alias}.id AND l.relation IN ({relations})"
            f" AND {current} AND {decided}))",
            [*args, *more],
        )

    def _holds(self, alias: str) -> tuple[str, list[object]]:
        """The part of the condition on columns that change, which may be those of the past."""
        parts: list[str] = []
        args: list[object] = []
        if not self.include_expired:
            parts.append(f"({alias}.valid_from IS NULL OR {alias}.valid_from <= ?)")
            parts.append(f"({alias}.valid_to IS NULL OR {alias}.valid_to > ?)")
            args += [self.as_of, self.as_of]
        if self.known_at is None:
            parts.append(f"{alias}.retracted_at IS NULL")
        else:
            parts.append(f"({alias}.retracted_at IS NULL OR {alias}.retracted_at > ?)")
            args.append(self.known_at)
        if self.archived is False:
            parts.append(f"{alias}.archived_at IS NULL")
        elif self.archived is True:
            parts.append(f"{alias}.archived_at IS NOT NULL")
        return " AND ".join(parts), args

    def successor(self, alias: str = "m") -> str:
        """An expression for the id of the record that took over from one, or NULL."""
        today = f"{alias}.superseded_by"
        if not self.replayed:
            return today
        past = f"FROM temp.past r WHERE r.id = {alias}.id"
        return f"iif(EXISTS (SELECT 1 {past}), (SELECT r.superseded_by {past}), {today})"


def with_tags(tags: tuple[str, ...], alias: str = "m") -> tuple[list[str], list[object]]:
    """The conditions that a record is filed under some tags, and their parameters."""
    has = f"EXISTS (SELECT 1 FROM tags t WHERE t.memory_id = {alias}.id AND t.tag = ?)"
    return [has] * len(tags), list(tags)


@dataclass(frozen=True, slots=True)
class Listed:
    """Which records of a view a list shows.

    Args:
        since, until: UTC ISO, half open: when they were recorded.
        source: that source, or one of its kind (``chat`` of ``chat:codex``).
        after: only records before this id in a list with the newest first.
        stale: only records one of whose claims was found to hold no more.
    """

    since: str | None = None
    until: str | None = None
    source: str | None = None
    after: int | None = None
    stale: bool = False

    def where(self, alias: str = "m") -> tuple[str, list[object]]:
        """A condition on a table alias of ``memories`` and its parameters."""
        parts: list[str] = []
        args: list[object] = []
        for condition, value in (
            ("recorded_at >= ?", self.since),
            ("recorded_at < ?", self.until),
            ("id < ?", self.after),
        ):
            if value is not None:
                parts.append(f"{alias}.{condition}")
                args.append(value)
        if self.source is not None:
            parts.append(
                f"({alias}.source = ? OR substr({alias}.source, 1, length(?) + 1) = ? || ':')"
            )
            args += [self.source] * 3
        if self.stale:
            parts.append(
                "EXISTS (SELECT 1 FROM claims c"
                f" WHERE c.memory_id = {alias}.id AND c.result = '{FAILED}')"
            )
        return " AND ".join(parts) or "1", args


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records of the file leave it: all of them, or those of one scope, kind or moment.

    Args:
        scope: that scope alone; None for all of them.
        as_of: UTC ISO; what was current then, None for every record in whatever state.
        kind: one kind, or None for all.
        tags: only records filed under every one of these.
    """

    scope: str | None = None
    as_of: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether that is the whole file."""
        return self == Selection()

    def where(self, alias: str = "m") -> tuple[str, list[object]]:
        """A condition on a table alias of ``memories`` and its parameters."""
        if self.as_of is not None:
            scopes = None if self.scope is None else (self.scope,)
            return View(self.as_of, scopes=scopes, kind=self.kind, tags=self.tags).where(alias)
        wanted = {"scope": self.scope, "kind": self.kind}
        given = {name: value for name, value in wanted.items() if value is not None}
        tagged, tags = with_tags(self.tags, alias)
        condition = " AND ".join([*(f"{alias}.{name} = ?" for name in given), *tagged]) or "1"
        return condition, [*given.values(), *tags]


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


def requested(
    scope: str,
    kind: str | None,
    as_of: When,
    known_at: When,
    now: datetime | None,
    *,
    include_expired: bool = False,
    all_scopes: bool = False,
    tags: Sequence[str] = (),
) -> View:
    """The view a caller asks for: a scope beside the global one, at a moment of both clocks.

    Args:
        as_of, known_at: times as people write them, a day or month alone as its last moment; None
            is now, and everything recorded so far.
        now: the clock; None looks at it.
        all_scopes: do not look at the scope.
        tags: only records filed under every one of these.

    Raises:
        BrainError: ``brain_scope_invalid``, ``brain_kind_invalid``, ``brain_tag_invalid``,
            ``brain_date_invalid`` (65).
    """
    moment = now or now_utc()
    scope = validate.check_label(scope, "范围", "brain_scope_invalid")
    return View(
        as_of=to_iso(moment) if as_of is None else parse_time(as_of, now=moment, end=True),
        known_at=None if known_at is None else parse_time(known_at, now=moment, end=True),
        scopes=None if all_scopes else tuple(dict.fromkeys((scope, ""))),
        kind=None if kind is None else validate.check_kind(kind),
        include_expired=include_expired,
        tags=validate.check_tags(tags),
    )
