"""What the engine's verbs give back, where it is not a memory or a hit (:mod:`brain.memory`).

Every class is a frozen dataclass whose fields are the JSON fields of the contract; ``to_dict``
gives that JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class InitResult:
    """What ``create`` did. ``hint`` is a Chinese line for the person, or ''."""

    db: str
    model: str | None
    dim: int | None
    created: bool
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"db": self.db, "model": self.model, "dim": self.dim, "created": self.created}


@dataclass(frozen=True, slots=True)
class SupersedeResult:
    """Which record took over from which, and when."""

    old: int
    new: int
    at: str

    def to_dict(self) -> dict[str, Any]:
        return {"old": self.old, "new": self.new, "at": self.at}


@dataclass(frozen=True, slots=True)
class OwnWord:
    """One of the user's own words, as in jieba's user dictionary."""

    word: str
    freq: int | None
    tag: str | None

    def to_dict(self) -> dict[str, Any]:
        return {"word": self.word, "freq": self.freq, "tag": self.tag}


@dataclass(frozen=True, slots=True)
class Stats:
    """What is in the file; the fields are those of the contract."""

    total: int
    current: int
    archived: int
    superseded: int
    expired: int
    retracted: int
    future: int
    by_kind: dict[str, int]
    by_scope: dict[str, int]
    model: str | None
    dim: int | None
    languages: tuple[str, ...]
    vectors_present: int
    vectors_missing: int
    bytes: int
    schema: int
    last_decay: str | None
    degraded: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "current": self.current,
            "archived": self.archived,
            "superseded": self.superseded,
            "expired": self.expired,
            "retracted": self.retracted,
            "future": self.future,
            "by_kind": dict(self.by_kind),
            "by_scope": dict(self.by_scope),
            "model": self.model,
            "dim": self.dim,
            "languages": list(self.languages),
            "vectors": {"present": self.vectors_present, "missing": self.vectors_missing},
            "bytes": self.bytes,
            "schema": self.schema,
            "last_decay": self.last_decay,
            "degraded": list(self.degraded),
        }
