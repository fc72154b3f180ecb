"""The JSON the calls give, as JSON schemas; objects are open, since fields may be added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_TRUTH: Schema = {"type": "boolean"}
_TIME: Schema = {"type": ["string", "null"], "description": "UTC，如 2026-11-29T08:00:00.000Z"}
_WHOLE_OR_NONE: Schema = {"type": ["integer", "null"]}
_TEXT_OR_NONE: Schema = {"type": ["string", "null"]}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _object(optional: Mapping[str, Schema] | None = None, /, **fields: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**fields, **(optional or {})},
        "required": list(fields),
    }


_COUNTS: Schema = {"type": "object", "additionalProperties": _WHOLE}
_CODES: Schema = {**_list(_TEXT), "description": "没能参加的部分，见 docs/cli.md"}

_MEMORY_FIELDS: dict[str, Schema] = {
    "id": _WHOLE,
    "kind": _TEXT,
    "text": _TEXT,
    "scope": _TEXT,
    "source": _TEXT,
    "importance": _NUMBER,
    "confidence": _NUMBER,
    "strength": _NUMBER,
    "pinned": _TRUTH,
    "valid_from": _TIME,
    "valid_to": _TIME,
    "recorded_at": {"type": "string"},
    "retracted_at": _TIME,
    "supersedes": _WHOLE_OR_NONE,
    "superseded_by": _WHOLE_OR_NONE,
    "archived_at": _TIME,
    "evidence": _TEXT,
    "content_hash": _TEXT,
    "use_count": _WHOLE,
    "last_used_at": _TIME,
}
_MEMORY = _object(**_MEMORY_FIELDS)
_HIT = _object(
    {"lanes": {"type": "object"}},
    **_MEMORY_FIELDS,
    score=_NUMBER,
    tokens_added=_WHOLE,
    basis=_TEXT,
    recovery_handle=_TEXT_OR_NONE,
    duplicate_of=_WHOLE_OR_NONE,
    suspect=_TRUTH,
    suspect_rule=_TEXT_OR_NONE,
)
_REMARKS: dict[str, Schema] = {
    "remarks": {**_list(_TEXT), "description": "关于这一问要知道的；没有时不在"}
}
_GATE = _object(answerable=_TRUTH, probability=_NUMBER)

SHAPES: Mapping[str, Schema] = {
    "Memory": _MEMORY,
    "Memories": _list(_MEMORY),
    "Hit": _HIT,
    "Recall": _object(
        {"gate": _GATE, "notes": _list(_TEXT), **_REMARKS},
        query=_TEXT,
        hits=_list(_HIT),
        skills=_list(_HIT),
        suspects=_WHOLE,
        degraded=_CODES,
    ),
    "Injection": _object(
        _REMARKS,
        block=_TEXT,
        answerable=_TRUTH,
        probability=_NUMBER,
        tokens=_WHOLE,
        basis=_TEXT,
        hits=_list(_HIT),
        left_out=_list(_object(id=_WHOLE, reason=_TEXT)),
        degraded=_CODES,
    ),
    "Check": _object(
        _REMARKS,
        answerable=_TRUTH,
        probability=_NUMBER,
        reasons=_list(_TEXT),
        ids=_list(_WHOLE),
        degraded=_CODES,
    ),
    "Added": _object(
        {"superseded": _WHOLE},
        id=_WHOLE,
        created=_TRUTH,
        similar=_list(_object(id=_WHOLE, score=_NUMBER)),
    ),
    "Superseded": _object(old=_WHOLE, new=_WHOLE, at=_TEXT),
    "Corrected": _object(old=_WHOLE, new=_WHOLE),
    "Forgotten": _object(forgotten=_TRUTH),
    "TakenAway": _object(
        {"id": _WHOLE, "retracted_at": _TIME, "words": _list(_TEXT)}, forgotten=_TRUTH
    ),
    "History": _object(
        history=_list(_MEMORY), events=_list(_object(at=_TEXT, what=_TEXT, why=_TEXT))
    ),
    "Stats": _object(
        total=_WHOLE,
        current=_WHOLE,
        archived=_WHOLE,
        by_kind=_COUNTS,
        by_scope=_COUNTS,
        model=_TEXT_OR_NONE,
        dim=_WHOLE_OR_NONE,
        vectors=_object(present=_WHOLE, missing=_WHOLE),
        bytes=_WHOLE,
        schema=_WHOLE,
        degraded=_CODES,
    ),
    "Brief": _object(block=_TEXT, fingerprint=_TEXT, tokens=_WHOLE),
    "Recovered": _object(
        {"text": _TEXT, "base64": _TEXT}, handle=_TEXT, content_type=_TEXT, bytes=_WHOLE
    ),
    "Error": _object(
        error=_object(
            {"override": {**_TEXT, "description": "设为 true 就照做的参数"}},
            code=_TEXT,
            message=_TEXT,
        )
    ),
}
"""By the names :mod:`brain.serve.catalog` uses."""
