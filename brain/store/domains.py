"""Column domains: what each column of a row can hold, for whoever reads a damaged file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from brain.memory import RELATIONS
from brain.validate import is_kind

HIGHEST = 10**15
"""A number beyond it is damage: no file comes near it."""

Bad = Callable[[int, str], None]
"""Told of a row that holds what none can: its number, and its columns ('' where unknown)."""


def is_time(value: Any) -> bool:
    """Whether it is an instant as the file writes them, UTC ISO 8601 with milliseconds."""
    if not isinstance(value, str) or len(value) != 24 or value[-1] != "Z":
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_time_or_none(value: Any) -> bool:
    """As :func:`is_time`, or nothing."""
    return value is None or is_time(value)


def is_text(value: Any) -> bool:
    """Whether it is a text that could be decoded."""
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    """Whether it is a whole number that a file may come to."""
    return isinstance(value, int) and 0 <= value <= HIGHEST


def is_number(value: Any) -> bool:
    """Whether it is the number of a row."""
    return is_count(value) and value > 0


def _is_number_or_none(value: Any) -> bool:
    return value is None or is_number(value)


def _is_unit(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _is_bool(value: Any) -> bool:
    return isinstance(value, int) and value in (0, 1)


Domains = Mapping[str, Callable[[Any], bool]]

MEMORY: Domains = {
    "kind": lambda value: isinstance(value, str) and is_kind(value),
    "scope": is_text,
    "source": is_text,
    "importance": _is_unit,
    "confidence": _is_unit,
    "strength": _is_unit,
    "pinned": _is_bool,
    "valid_from": is_time_or_none,
    "valid_to": is_time_or_none,
    "recorded_at": is_time,
    "retracted_at": is_time_or_none,
    "supersedes": _is_number_or_none,
    "superseded_by": _is_number_or_none,
    "archived_at": is_time_or_none,
    "evidence": is_text,
    "content_hash": is_text,
    "text_sha256": lambda value: isinstance(value, bytes) and len(value) == 32,
    "use_count": is_count,
    "last_used_at": is_time_or_none,
}
"""What each column of a record can hold, beside its id and text."""

LINK: Domains = {
    "decision": is_number,
    "outcome": is_number,
    "relation": lambda value: value in RELATIONS,
    "context": is_text,
    "good": lambda value: value is None or _is_bool(value),
    "observed_at": is_time,
    "recorded_at": is_time,
    "retracted_at": is_time_or_none,
    "source": is_text,
    "evidence": is_text,
}
"""As :data:`MEMORY`, of an observation beside its number."""

ORIGINAL: Domains = {
    "original": lambda value: isinstance(value, bytes),
    "content_type": is_text,
    "compressor": is_text,
    "tokens_before": is_count,
    "tokens_after": is_count,
    "stored_at": is_time,
}
"""As :data:`MEMORY`, of an original beside its handle."""

WORD: Domains = {
    "word": lambda value: isinstance(value, str) and value.split() == [value],
    "freq": lambda value: value is None or is_count(value),
    "tag": lambda value: value is None or is_text(value),
    "added_at": is_time,
}
"""As :data:`MEMORY`, of one of the user's own words."""


def unsound(domains: Domains, values: Mapping[str, Any]) -> list[str]:
    """The columns that hold what they cannot; one that is not among the values is not looked at."""
    return [n for n, sound in domains.items() if n in values and not sound(values[n])]


def undecoded(*columns: str) -> str:
    """Expressions by which a query gives texts as bytes, for :func:`decoded`: one that is no UTF-8
    would end the statement. A blob is given as -1, which no column of texts or counts can hold.
    """
    return ", ".join(
        f"CASE typeof({c}) WHEN 'text' THEN CAST({c} AS BLOB) WHEN 'blob' THEN -1 ELSE {c} END"
        for c in columns
    )


def decoded(names: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    """Values by column; a text that cannot be decoded stays bytes."""
    return {name: _decoded(cell) for name, cell in zip(names, cells, strict=True)}


def _decoded(cell: Any) -> Any:
    try:
        return cell.decode() if isinstance(cell, bytes) else cell
    except UnicodeDecodeError:
        return cell
