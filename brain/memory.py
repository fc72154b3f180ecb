"""What a memory is, what comes back from the engine, and what input is refused.

Every class here is a frozen dataclass whose fields are the JSON fields of the contract;
``to_dict`` gives that JSON. Validation raises :class:`brain.errors.BrainError` with exit code 65.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from typing import Any

from brain.errors import EXIT_USAGE, BrainError

MAX_TEXT_BYTES = 256 * 1024
"""Largest memory, in bytes of UTF-8."""

MAX_QUERY_CHARS = 1_000_000
"""Longest query taken in, in characters; recall itself looks at a bounded part of it."""

MAX_LABEL_CHARS = 200
"""Longest scope, in characters."""

MAX_EVIDENCE_CHARS = 2000
"""Longest note on where a memory comes from or why it changed, in characters."""

DEFAULT_KIND = "note"
SKILL_KIND = "skill"
PREFERENCE_KIND = "preference"
KINDS_IN_CHINESE: Mapping[str, str] = {
    "事实": "fact",
    "偏好": "preference",
    "经历": "episode",
    "技能": "skill",
    "决定": "decision",
    "笔记": "note",
    "其他": "note",
}
"""The usual kinds as the documents translate them, for who writes them so."""

DEFAULT_SOURCE = "user"
DEFAULT_IMPORTANCE = 0.5

CONFIDENCE_BY_SOURCE: Mapping[str, float] = {"user": 0.95, "model": 0.75, "chat": 0.60}
"""How far a source is believed when the caller does not say: a person, a model, raw chat."""

_KIND = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z")
_ID = re.compile(r"#?([0-9]{1,18})\Z")


@dataclass(frozen=True, slots=True)
class Memory:
    """One record of the file, with every column a reader may see.

    Times are UTC ISO 8601 with milliseconds (``2026-11-29T08:00:00.000Z``) or None.
    ``importance``, ``confidence`` and ``strength`` lie in [0, 1].
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

    def to_dict(self) -> dict[str, Any]:
        """The Memory object of the JSON contract."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that is not stored yet, as a caller gives it. Times may be any accepted form."""

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


@dataclass(frozen=True, slots=True)
class Similar:
    """A current memory that says nearly the same as one just added.

    Args:
        score: likeness in [0, 1].
        differs: in what they differ: ``number``, ``negation``, ``name``, ``order``, ``words``.
    """

    id: int
    score: float
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddResult:
    """What ``add`` did: the id, whether a record was created, and near-duplicates of it."""

    id: int
    created: bool
    similar: tuple[Similar, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "created": self.created,
            "similar": [
                {"id": s.id, "score": s.score, "differs": list(s.differs)} for s in self.similar
            ],
        }


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
    an order to its reader, by ``suspect_rule`` of :mod:`brain.text.suspect`; a hint, no more.
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
class Gate:
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
    probability: float
    reasons: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    degraded: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "answerable": self.answerable,
            "probability": round(self.probability, 4),
            "reasons": list(self.reasons),
            "ids": list(self.ids),
            "degraded": list(self.degraded),
            **_remarks(self.remarks),
        }


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
    remarks: tuple[str, ...] = ()

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
class LeftOut:
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
    """

    block: str
    answerable: bool
    probability: float
    tokens: int
    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    degraded: tuple[str, ...] = ()
    found: int = 0
    remarks: tuple[str, ...] = ()

    def to_dict(self, explain: bool = False) -> dict[str, Any]:
        return {
            "block": self.block,
            "answerable": self.answerable,
            "probability": round(self.probability, 4),
            "tokens": self.tokens,
            "basis": "inferred",
            "found": self.found,
            "used": len(self.hits),
            "hits": [h.to_dict(explain) for h in self.hits],
            "left_out": [{"id": x.id, "reason": x.reason} for x in self.left_out],
            "degraded": list(self.degraded),
            **_remarks(self.remarks),
        }


def _remarks(told: tuple[str, ...]) -> dict[str, list[str]]:
    """The JSON field of remarks: there only when there is something to remark."""
    return {"remarks": list(told)} if told else {}


def parse_id(value: int | str) -> int:
    """Reads a memory id: ``12``, ``'12'`` or ``'#12'``, full-width as well.

    Raises:
        BrainError: ``brain_id_invalid`` (65) for anything else.
    """
    if isinstance(value, bool):
        raise BrainError("brain_id_invalid", "编号应为数字，如 12 或 '#12'。")
    if isinstance(value, int):
        if 0 < value < 2**63:
            return value
        raise BrainError("brain_id_invalid", "编号是从 1 起的整数（64 位以内），如 12 或 '#12'。")
    match = _ID.match(unicodedata.normalize("NFKC", value).strip())
    if match and int(match.group(1)) > 0:
        return int(match.group(1))
    raise BrainError("brain_id_invalid", f"看不懂编号「{str(value)[:40]}」，应为 12 或 '#12'。")


def check_text(text: str) -> str:
    """Accepts a memory's text exactly as it is.

    Raises:
        BrainError: ``brain_text_empty``, ``brain_text_nul``, ``brain_text_surrogate`` or
            ``brain_memory_too_large`` (all 65).
    """
    if "\0" in text:
        raise BrainError(
            "brain_text_nul", "文本里有 NUL 字节（\\0），全文索引读不到它后面的内容；请先去掉。"
        )
    size = len(check_encodable(text))
    if not text.strip():
        raise BrainError("brain_text_empty", "文本是空的，没有可以记住的内容。")
    if size > MAX_TEXT_BYTES:
        raise BrainError(
            "brain_memory_too_large",
            f"一条记忆最多 {MAX_TEXT_BYTES} 字节（256 KiB），这条有 {size} 字节；请拆成几条。",
        )
    return text


def check_encodable(text: str) -> bytes:
    """A text in UTF-8. Raises ``brain_text_surrogate`` (65)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise BrainError(
            "brain_text_surrogate",
            "文本里有不成对的代理码位，不是有效的 Unicode；请按 UTF-8 传入。",
        ) from None


def require_str(value: object, name: str) -> None:
    """Raises ``brain_type_invalid`` (2) for anything but a string."""
    if not isinstance(value, str):
        told = f"{name}应是字符串，收到 {type(value).__name__}。"
        raise BrainError("brain_type_invalid", told, EXIT_USAGE)


def clean_query(query: str) -> str:
    """Makes any string usable as a query: NUL bytes and lone surrogates become spaces.

    Raises:
        BrainError: ``brain_query_too_large`` (65) beyond ``MAX_QUERY_CHARS`` characters,
            ``brain_type_invalid`` (2).
    """
    require_str(query, "查询")
    if len(query) > MAX_QUERY_CHARS:
        raise BrainError(
            "brain_query_too_large", f"查询最多 {MAX_QUERY_CHARS} 个字符，这条有 {len(query)} 个。"
        )
    return "".join(" " if c == "\0" or 0xD800 <= ord(c) <= 0xDFFF else c for c in query)


def unreadable(query: str) -> tuple[str, ...]:
    """The remark on what :func:`clean_query` takes for spaces; none where it takes nothing."""
    bad = sum(c == "\0" or 0xD800 <= ord(c) <= 0xDFFF for c in query)
    told = f"问题里有 {bad} 个字符不是文字（NUL 或不成对的代理码位），按空格读。"
    return (told,) if bad else ()


def blank_query(query: str) -> BrainError:
    """Why nothing is left of a query: ``brain_text_surrogate``, ``brain_text_nul`` or
    ``brain_query_empty`` (all 65)."""
    if any(0xD800 <= ord(c) <= 0xDFFF for c in query):
        return BrainError(
            "brain_text_surrogate",
            "查询里只有不成对的代理码位，不是有效的 Unicode；请按 UTF-8 传入。",
        )
    if "\0" in query:
        return BrainError("brain_text_nul", "查询里只有 NUL 字节（\\0）；请给出要找的内容。")
    return BrainError("brain_query_empty", "查询是空的，请给出要找的内容。")


def check_kind(kind: str) -> str:
    """Accepts a kind name. Raises ``brain_kind_invalid`` (65)."""
    if not _KIND.match(kind):
        told = f"类型「{kind[:40]}」不合规：小写字母开头，只含小写字母、数字、_、-，最长 32 字符。"
        meant = KINDS_IN_CHINESE.get(kind.strip(), kind.strip().lower())
        hint = f"是不是 {meant}？" if _KIND.match(meant) else ""
        raise BrainError("brain_kind_invalid", told + hint)
    return kind


def check_label(value: str, what: str, code: str) -> str:
    """Accepts a scope or source label: printable, bounded. Raises ``code`` (65)."""
    limit = MAX_LABEL_CHARS
    if len(value) > limit or any(unicodedata.category(c) in {"Cc", "Cs"} for c in value):
        raise BrainError(code, f"{what}最长 {limit} 个字符，且不能含控制字符。")
    return value


def check_evidence(value: str) -> str:
    """Accepts a note on where a memory comes from. Raises ``brain_evidence_invalid`` (65)."""
    return _check_remark(value, "依据", "brain_evidence_invalid")


def check_why(value: str) -> str:
    """Accepts the reason of a change. Raises ``brain_why_invalid`` (65)."""
    return _check_remark(value, "原因", "brain_why_invalid")


def _check_remark(value: str, what: str, code: str) -> str:
    limit = MAX_EVIDENCE_CHARS
    if len(value) > limit or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        raise BrainError(code, f"{what}最长 {limit} 个字符，且须是有效的文本。")
    return value


def check_unit(value: float, what: str, code: str) -> float:
    """Accepts a number in [0, 1]. Raises ``code`` (65) otherwise, NaN included."""
    if not isinstance(value, int | float) or math.isnan(value) or not 0.0 <= value <= 1.0:
        raise BrainError(code, f"{what}应在 0 到 1 之间，收到 {value}。")
    return float(value)


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
