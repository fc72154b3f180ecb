"""Dataclasses of the hot path: a memory, a draft, a hit, and what a question and ``add`` give.

Every class here is frozen, and its fields are the JSON fields of the contract; ``to_dict`` gives
that JSON. What other verbs give stands in :mod:`brain.results`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

DEFAULT_KIND = "note"
SKILL_KIND = "skill"
PREFERENCE_KIND = "preference"

DECISION_KIND = "decision"
OUTCOME_KIND = "outcome"
"""What a decision led to: its text is a fact only where a link says that it came about."""

CAME_ABOUT = ("caused", "enabled")
RELATIONS = (*CAME_ABOUT, "prevented", "no_effect")
"""How a decision and an outcome are related, those first that say the outcome came about."""

CLAIMED, VERIFIED, STALE = "claimed", "verified", "stale"
"""States of a record with claims: not looked at, found true, found to hold no more."""

FAILED, UNKNOWN, UNCHECKED = "failed", "unknown", "unchecked"
"""What looking at a claim gives beside ``verified``: not so; cannot be told; not looked at."""

DEFAULT_SOURCE = "user"
DEFAULT_IMPORTANCE = 0.5

CONFIDENCE_BY_SOURCE: Mapping[str, float] = {"user": 0.95, "model": 0.75, "chat": 0.60}
"""How far a source is believed when the caller does not say: a person, a model, raw chat."""


JsonKey = tuple[str, str, str, int | None, str]
"""How a field stands in JSON: its name in the dataclass, the object within that it belongs to
('' for none), its key there, the decimals it is rounded to, and the field by whose truth it is
there at all ('' for always)."""


@cache
def json_keys(of: Any) -> tuple[JsonKey, ...]:
    """The JSON keys of a dataclass, in order, by its fields and their metadata."""
    keys = []
    for one in fields(of):
        name = one.metadata.get("key", one.name)
        if name is not None:
            within, _, key = name.rpartition(".")
            digits, when = one.metadata.get("digits"), one.metadata.get("when", "")
            keys.append((one.name, within, key, digits, when))
    return tuple(keys)


class JsonObject:
    """Serialisation: the JSON object of a dataclass, made from its fields in their order.

    Metadata of a field says where its JSON is another: ``key`` the name there (a dot leads into an
    object of its own, None leaves it out), ``digits`` the decimals, ``when`` the field by whose
    truth it is there at all. A constant is a field with ``init=False``.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The object of the JSON contract."""
        out: dict[str, Any] = {}
        of: Any = type(self)
        for name, within, key, digits, when in json_keys(of):
            if when and not getattr(self, when):
                continue
            value = getattr(self, name)
            inner = out.setdefault(within, {}) if within else out
            inner[key] = _json(value) if digits is None else round(value, digits)
        return out


def _json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_json(one) for one in value]
    if isinstance(value, JsonObject):
        return value.to_dict()
    return value


@dataclass(frozen=True, slots=True)
class Check(JsonObject):
    """What of a memory can be looked at.

    Args:
        kind: ``file``, ``text``, ``symbol``, ``version`` or ``ref``.
        claim: what it says of that, as ``add --check`` takes it behind the kind.
    """

    kind: str
    claim: str


@dataclass(frozen=True, slots=True)
class Seen(JsonObject):
    """What looking at a claim gave.

    Args:
        result: ``verified``, ``failed``, ``unknown`` or ``unchecked``.
        found_at: where it stands now; None where that is not known.
        reason: a Chinese sentence on why it is not verified, '' where it is.
    """

    kind: str
    claim: str
    result: str
    found_at: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Memory(JsonObject):
    """One record of the file, with every column a reader may see.

    Times are UTC ISO 8601 with milliseconds (``2026-11-29T08:00:00.000Z``) or None.
    ``importance``, ``confidence`` and ``strength`` lie in [0, 1]. ``tags`` is what it is filed
    under, in the order given. ``checks`` is what of it can be looked at, ``state`` what came of
    that (None without any) and ``verified_at`` when it was last found true.
    """

    id: int
    kind: str
    text: str
    scope: str
    source: str
    importance: float
    confidence: float
    strength: float
    pinned: bool
    valid_from: str | None
    valid_to: str | None
    recorded_at: str
    retracted_at: str | None
    supersedes: int | None
    superseded_by: int | None
    archived_at: str | None
    evidence: str
    content_hash: str
    use_count: int
    last_used_at: str | None
    tags: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    state: str | None = None
    verified_at: str | None = None


DERIVED = ("checks", "state", "verified_at")
"""Fields of a memory that are no columns of its own row: its claims say them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that is not stored yet, as a caller gives it. Times may be any accepted form.

    Args:
        checks: claims as ``add --check`` takes them: ``file src/main.py``.
        project: the name of the project they are about, '' for none.
    """

    text: str
    kind: str = DEFAULT_KIND
    scope: str = ""
    source: str = DEFAULT_SOURCE
    importance: float = DEFAULT_IMPORTANCE
    confidence: float | None = None
    valid_from: str | datetime | None = None
    valid_to: str | datetime | None = None
    pinned: bool = False
    evidence: str = ""
    tags: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    project: str = ""


@dataclass(frozen=True, slots=True)
class Similar(JsonObject):
    """A current memory that says nearly the same as one just added, or that it seems to change.

    Args:
        score: likeness in [0, 1].
        differs: in what they differ: ``number``, ``negation``, ``name``, ``order``, ``words``.
        changes: the new one seems to say that this one holds no more.
    """

    id: int
    score: float
    differs: tuple[str, ...] = ()
    changes: bool = False


@dataclass(frozen=True, slots=True)
class AddResult(JsonObject):
    """What ``add`` did: the id, whether a record was created, near-duplicates of it and what it
    seems to change."""

    id: int
    created: bool
    similar: tuple[Similar, ...] = ()


@dataclass(frozen=True, slots=True)
class LaneRank:
    """Where one lane put a hit.

    Args:
        rank: 1-based place in that lane.
        score: the lane's own raw value (bm25, cosine similarity, quality), never compared
            across lanes.
        terms: what matched, for the lexical lane.
        recency: the factor in [0, 1] that age is, for the quality lane.
        via: id of the older version of the memory that the lane found, None where it found the
            memory itself.
    """

    rank: int
    score: float
    terms: tuple[str, ...] = ()
    recency: float | None = None
    via: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory found by a query, with the evidence for it.

    ``text`` is what a face shows (it may be narrowed, then ``recovery_handle`` is set);
    ``score`` is the fused rank score, good for order only. ``suspect`` says that the text reads as
    an order to its reader, by ``suspect_rule`` of :mod:`brain.text.prompt_injection`; a hint, no
    more. ``claims`` is what looking at the memory's claims just gave; None where nobody looked.
    """

    memory: Memory
    text: str
    score: float
    lanes: Mapping[str, LaneRank] = field(default_factory=dict)
    tokens_added: int = 0
    recovery_handle: str | None = None
    duplicate_of: int | None = None
    suspect: bool = False
    suspect_rule: str = ""
    claims: tuple[Seen, ...] | None = None

    @property
    def id(self) -> int:
        return self.memory.id

    def to_dict(self, explain: bool = False) -> dict[str, Any]:
        """The Hit object of the JSON contract; ``explain`` adds ``lanes``."""
        out = self.memory.to_dict()
        out["text"] = self.text
        out["score"] = round(self.score, 9)
        out["tokens_added"] = self.tokens_added
        out["basis"] = "inferred"
        out["recovery_handle"] = self.recovery_handle
        out["duplicate_of"] = self.duplicate_of
        out["suspect"] = self.suspect
        out["suspect_rule"] = self.suspect_rule or None
        if self.claims is not None:
            out["claims"] = [seen.to_dict() for seen in self.claims]
        if explain:
            out["lanes"] = {name: _lane_dict(name, lane) for name, lane in self.lanes.items()}
        return out


def _lane_dict(name: str, lane: LaneRank) -> dict[str, Any]:
    measure = "similarity" if name == "semantic" else "score"
    out: dict[str, Any] = {"rank": lane.rank, measure: round(lane.score, 6)}
    if lane.terms:
        out["terms"] = list(lane.terms)
    if lane.recency is not None:
        out["recency"] = round(lane.recency, 6)
    if lane.via is not None:
        out["via"] = lane.via
    return out


@dataclass(frozen=True, slots=True)
class Gate(JsonObject):
    """The gate's answer: can this memory answer this?

    Args:
        answerable: the decision at the operating point.
        probability: calibrated estimate in [0, 1].
        reasons: Chinese sentences a person understands.
        ids: the best memories behind the decision, best first.
        degraded: codes of the parts that could not take part (see docs/cli.md).
        remarks: Chinese sentences on what was asked: a scope never used, characters that are none.
    """

    answerable: bool
    probability: float = field(metadata={"digits": 4})
    reasons: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    degraded: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=(), metadata={"when": "remarks"})


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Hits of a query, best first; skills stand apart and are not counted in k.

    Args:
        notes: the gate's reasons, for ``explain``.
        remarks: as those of :class:`Gate`.
    """

    query: str
    hits: tuple[Hit, ...]
    skills: tuple[Hit, ...] = ()
    gate: Gate | None = None
    degraded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=(), metadata={"when": "remarks"})

    def to_dict(self, explain: bool = False) -> dict[str, Any]:
        out: dict[str, Any] = {
            "query": self.query,
            "hits": [h.to_dict(explain) for h in self.hits],
            "skills": [h.to_dict(explain) for h in self.skills],
            "suspects": sum(h.suspect for h in (*self.hits, *self.skills)),
            "degraded": list(self.degraded),
            **_remarks(self.remarks),
        }
        if self.gate is not None:
            out["gate"] = {
                "answerable": self.gate.answerable,
                "probability": round(self.gate.probability, 4),
            }
        if explain:
            out["notes"] = list(self.notes)
        return out


@dataclass(frozen=True, slots=True)
class Side(JsonObject):
    """The record at one end of a link."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Reason(JsonObject):
    """What one decision led to, in one context.

    Args:
        link: the number of the newest observation.
        relation: one of :data:`RELATIONS`.
        sign: of the outcome's text, or as the user gave it: ``good``, ``bad``, ``mixed`` or
            ``neutral``.
        observed_at: of the newest observation, UTC ISO.
        times: current observations of this pair, relation and context.
        strength: in [0, 1]; how well the link, and the way to it, is borne out.
        path: links from what was asked about to this one, in order; one where it is direct.
    """

    link: int
    decision: Side
    outcome: Side
    relation: str
    sign: str
    context: str
    observed_at: str
    times: int
    strength: float = field(metadata={"digits": 4})
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LeftOut(JsonObject):
    """A hit that is not in the block, and why."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class InjectResult:
    """The block for the prompt ('' on no), and the account of it.

    Args:
        tokens: of the whole block, its frame included; an estimate.
        found: how many memories were to be packed: those used (``hits``) and those left out.
        remarks: as those of :class:`Gate`.
        warnings: what an announced action led to before, where that was bad; also when there are no
            hits.
        brief_fingerprint: of the brief that stands before it, where one was asked for.
    """

    block: str
    answerable: bool
    probability: float
    tokens: int
    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    degraded: tuple[str, ...] = ()
    found: int = 0
    remarks: tuple[str, ...] = field(default=(), metadata={"when": "remarks"})
    warnings: tuple[Reason, ...] = field(default=(), metadata={"when": "warnings"})
    brief_fingerprint: str = field(default="", metadata={"when": "brief_fingerprint"})

    def to_dict(self, explain: bool = False) -> dict[str, Any]:
        warned = [one.to_dict() for one in self.warnings]
        brief = self.brief_fingerprint
        return {
            "block": self.block,
            "answerable": self.answerable,
            "probability": round(self.probability, 4),
            "tokens": self.tokens,
            "basis": "inferred",
            "found": self.found,
            "used": len(self.hits),
            "hits": [h.to_dict(explain) for h in self.hits],
            "left_out": [left.to_dict() for left in self.left_out],
            "degraded": list(self.degraded),
            **_remarks(self.remarks),
            **({"warnings": warned} if warned else {}),
            **({"brief_fingerprint": brief} if brief else {}),
        }


def _remarks(told: tuple[str, ...]) -> dict[str, list[str]]:
    """The JSON field of remarks: there only when there is something to remark."""
    return {"remarks": list(told)} if told else {}


def default_confidence(source: str) -> float:
    """The confidence of a source: its part before the first colon decides, unknown ones as user."""
    return CONFIDENCE_BY_SOURCE.get(source.split(":", 1)[0], CONFIDENCE_BY_SOURCE["user"])


def canonical(text: str) -> str:
    """The form under which two texts are the same memory: NFC, trailing blanks of lines gone."""
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


@lru_cache(maxsize=4)
def content_hash(text: str) -> str:
    """SHA-256 (hex) of the canonical form of a text."""
    import hashlib  # three milliseconds, and a question needs none

    return hashlib.sha256(canonical(text).encode("utf-8")).hexdigest()
