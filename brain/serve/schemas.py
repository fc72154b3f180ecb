"""JSON schemas of the answers, derived from the dataclasses that make them.

Objects are open, since fields may be added.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from brain import memory as m
from brain import results as r
from brain.memory import JsonObject, json_keys

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_SCALARS: Mapping[Any, Schema] = {
    str: _TEXT,
    int: _WHOLE,
    float: _NUMBER,
    bool: {"type": "boolean"},
    Any: {},
}

_TIME = "UTC，如 2026-11-29T08:00:00.000Z"
_TOLD: Mapping[str, str] = {
    **dict.fromkeys(("valid_from", "valid_to", "retracted_at", "archived_at"), _TIME),
    "verified_at": f"上次核对成立：{_TIME}",
    **dict.fromkeys(("recorded_at", "last_used_at", "last_decay", "at"), _TIME),
    "degraded": "没能参加的部分，见 docs/cli.md",
    "remarks": "关于这一问要知道的；没有时不在",
}
"""What is told of a field, by its name."""


def _of(hint: Any) -> Schema:
    """The schema of a type as a dataclass of ours may name it."""
    if hint in _SCALARS:
        return dict(_SCALARS[hint])
    if hint is m.Hit:
        return _HIT
    args = get_args(hint)
    if NoneType in args:
        (known,) = (arg for arg in args if arg is not NoneType)
        schema = _of(known)
        return {**schema, "type": [schema["type"], "null"]}
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _of(args[0])}
    if get_origin(hint) is dict:
        values = _of(args[1])
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    assert issubclass(hint, JsonObject), hint
    return _object(hint)


def _object(
    of: Any,
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
    optional: Mapping[str, Schema] | None = None,
    **more: Schema,
) -> Schema:
    """The schema of a dataclass's JSON.

    Args:
        of: the dataclass.
        only: its fields to take; None for all of them.
        without: its fields to leave out.
        optional: what may stand beside its fields.
        more: what does, or stands in the place of one.
    """
    hints = get_type_hints(of)
    out: Schema = {"type": "object", "properties": {}, "required": []}
    for name, within, key, _, when in json_keys(of):
        if name in without or name in more or not (only is None or name in only):
            continue
        inner = out
        if within:
            empty: Schema = {"type": "object", "properties": {}, "required": []}
            inner = out["properties"].setdefault(within, empty)
            if within not in out["required"]:
                out["required"].append(within)
        told = {"description": _TOLD[name]} if name in _TOLD else {}
        inner["properties"][key] = {**_of(hints[name]), **told}
        if not when:
            inner["required"].append(key)
    out["properties"] |= {**more, **(optional or {})}
    out["required"] += more
    return out


_TEXTS: Schema = {"type": "array", "items": _TEXT}
_WHOLES: Schema = {"type": "array", "items": _WHOLE}
_TEXT_OR_NONE: Schema = {"type": ["string", "null"]}
_MEMORY = _object(m.Memory)
_LANE: Schema = _object(
    m.LaneRank,
    only=("rank",),
    optional={
        "score": _NUMBER,
        "similarity": _NUMBER,
        "terms": _TEXTS,
        "recency": _NUMBER,
        "via": _WHOLE,
    },
)


def _hit() -> Schema:
    """A hit stands in its memory's JSON, with the text that is shown."""
    beside = _object(
        m.Hit,
        without=("memory", "lanes", "claims"),
        optional={"lanes": {"type": "object", "additionalProperties": _LANE}},
        basis=_TEXT,
        suspect_rule=_TEXT_OR_NONE,
    )
    return {
        "type": "object",
        "properties": {**_MEMORY["properties"], **beside["properties"]},
        "required": list(dict.fromkeys((*_MEMORY["required"], *beside["required"]))),
    }


_HIT = _hit()
_LOOKED_AT: Schema = {
    **_HIT,
    "properties": {
        **_HIT["properties"],
        "claims": {"type": "array", "items": _object(m.Seen)},
    },
}
"""A hit of ``inject``, whose claims were looked at where a root was given."""

SCHEMAS: Mapping[str, Schema] = {
    "Memory": _MEMORY,
    "Memories": {"type": "array", "items": _MEMORY},
    "Listing": {
        "type": "object",
        "properties": {"memories": {"type": "array", "items": _MEMORY}},
        "required": ["memories"],
    },
    "Hit": _HIT,
    "Recall": _object(
        m.RecallResult,
        without=("gate", "notes"),
        optional={
            "gate": _object(m.Gate, only=("answerable", "probability")),
            "notes": _TEXTS,
        },
        suspects=_WHOLE,
    ),
    "Injection": _object(
        m.InjectResult,
        basis=_TEXT,
        used=_WHOLE,
        hits={"type": "array", "items": _LOOKED_AT},
    ),
    "Check": _object(m.Gate),
    "Added": _object(m.AddResult, optional={"superseded": _WHOLE}),
    "Superseded": _object(r.SupersedeResult),
    "Corrected": _object(r.CorrectResult),
    "Forgotten": _object(r.ForgetResult, without=("versions",), optional={"versions": _WHOLES}),
    "TakenAway": _object(
        r.ForgetResult,
        without=("words", "originals", "copies", "versions"),
        optional={
            "words": _TEXTS,
            "originals": _TEXTS,
            "copies": _TEXTS,
            "versions": _WHOLES,
            "retracted_at": {**_TEXT_OR_NONE, "description": _TIME},
        },
    ),
    "History": _object(r.History),
    "Recorded": _object(r.RecordResult),
    "Before": _object(r.BeforeResult),
    "Causes": _object(r.WhyResult),
    "Comparison": _object(r.CompareResult),
    "Link": _object(r.Link),
    "Links": {"type": "array", "items": _object(r.Link)},
    "Unlinked": _object(r.UnlinkResult),
    "Verified": _object(r.VerifyResult),
    "Stats": _object(r.Stats),
    "Brief": _object(r.Brief),
    "CacheEvent": {
        "type": "object",
        "properties": {
            "session": _TEXT,
            "turn": _WHOLE,
            "hit_ratio": _NUMBER,
            "drop": {"anyOf": [_object(r.CacheDrop), {"type": "null"}]},
        },
        "required": ["session", "turn", "hit_ratio", "drop"],
    },
    "Compressed": _object(r.CompressResult, basis=_TEXT),
    "Originals": {
        "type": "object",
        "properties": {"originals": {"type": "array", "items": _object(r.OriginalEntry)}},
        "required": ["originals"],
    },
    "Recovered": _object(r.Recovered, optional={"text": _TEXT, "base64": _TEXT}, bytes=_WHOLE),
    "Error": {
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": _TEXT,
                    "message": _TEXT,
                    "override": {**_TEXT, "description": "设为 true 就照做的参数"},
                },
                "required": ["code", "message"],
            }
        },
        "required": ["error"],
    },
}
"""By the names :mod:`brain.serve.catalog` uses."""
