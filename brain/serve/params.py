"""Parameters of a call: names, JSON types, Chinese descriptions, their schema and validation."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brain.errors import EXIT_USAGE, BrainError

Kind = Literal["string", "integer", "number", "boolean", "id", "ids", "strings"]

LARGEST_INTEGER = 2**63 - 1
"""SQLite's largest integer."""

_TOLD: Mapping[Kind, str] = {
    "string": "文本",
    "integer": "整数",
    "number": "数",
    "boolean": "true 或 false",
    "id": '编号，如 12 或 "#12"',
    "ids": "编号的数组",
    "strings": "文本的数组",
}


def _id_forms(required: bool = True) -> list[dict[str, Any]]:
    """The JSON schema of an id; '' is as good as not given, where it may be left out."""
    number = "^#?[0-9]{1,18}$" if required else "^(#?[0-9]{1,18})?$"
    return [
        {"type": "integer", "minimum": 1, "maximum": LARGEST_INTEGER},
        {"type": "string", "pattern": number},
    ]


_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a call.

    Args:
        name: as in JSON, and as the engine calls it.
        kind: its JSON type; ``id`` takes ``12``, ``"12"`` and ``"#12"``; ``strings`` is an array,
            in a query separated by commas, and so is ``ids``.
        about: one Chinese sentence for a model or a person.
        required: must be given.
        least, most: range of a number, told in the schema; the engine holds to it.
        alias: what the query of a GET calls it.
        blank: '' stands for not given: models and forms fill in what they leave open.
    """

    name: str
    kind: Kind
    about: str
    required: bool = False
    least: float | None = None
    most: float | None = None
    alias: str = ""
    blank: bool = False

    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""
        if self.kind == "id":
            return {"description": self.about, "anyOf": _id_forms(self.required)}
        if self.kind == "ids":
            return {
                "type": "array",
                "items": {"anyOf": _id_forms()},
                "description": self.about,
            }
        if self.kind == "strings":
            return {
                "type": "array",
                "items": {"type": "string"},
                "description": self.about,
            }
        out: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.least is not None:
            out["minimum"] = self.least
        if self.most is not None:
            out["maximum"] = self.most
        return out


def object_schema(fields: Sequence[Field]) -> dict[str, Any]:
    """The JSON schema of an object with these fields and no others."""
    out: dict[str, Any] = {
        "type": "object",
        "properties": {f.name: f.schema() for f in fields},
        "additionalProperties": False,
    }
    required = [f.name for f in fields if f.required]
    if required:
        out["required"] = required
    return out


def validated(
    fields: Sequence[Field], given: Mapping[str, Any], *, loose: bool = False
) -> dict[str, Any]:
    """The arguments that were given, each of its type; the rest is left to the engine's defaults.

    Args:
        loose: take numbers and truth values written as strings (a query has nothing else, and
            models do it), and null as not given.

    Raises:
        BrainError: ``brain_usage`` (2) for an unknown, missing or mistyped argument.
    """
    known = {f.name: f for f in fields}
    out: dict[str, Any] = {}
    for name, value in given.items():
        field = known.get(name)
        if field is None:
            told = "、".join(known) or "无"
            raise _usage(f"没有参数 {str(name)[:40]}；可用的参数：{told}。")
        if value is None and loose:
            continue
        if value == "" and not field.required and (field.blank or field.kind != "string"):
            continue
        out[name] = _typed(field, value, loose)
    for field in fields:
        if field.required and field.name not in out:
            raise _usage(f"缺少参数 {field.name}：{field.about}")
    return out


def _typed(field: Field, value: Any, loose: bool) -> Any:
    if loose and isinstance(value, str):
        value = _from_text(field.kind, value)
    if field.kind == "boolean":
        right = isinstance(value, bool)
    elif isinstance(value, bool):
        right = False
    elif field.kind == "string":
        right = isinstance(value, str)
    elif field.kind == "strings":
        right = isinstance(value, list) and all(isinstance(one, str) for one in value)
    elif field.kind == "ids":
        right = isinstance(value, list) and all(
            isinstance(one, int | str) and not isinstance(one, bool) for one in value
        )
    elif field.kind == "integer":
        right = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    elif field.kind == "number":
        right = isinstance(value, int | float) and abs(value) < math.inf
    else:
        right = isinstance(value, int | str)
    if not right:
        raise _usage(f"参数 {field.name} 应为{_TOLD[field.kind]}。")
    if field.kind == "integer":
        return int(value)
    if field.kind == "number" and isinstance(value, int):
        # An integer may be beyond any float; what is beyond these bounds is refused alike.
        return float(max(-LARGEST_INTEGER, min(value, LARGEST_INTEGER)))
    return value


def _from_text(kind: Kind, text: str) -> Any:
    """A value written as text; what cannot be one stays text and is refused by its type."""
    if kind == "boolean":
        return _TRUTH.get(text.lower(), text)
    if kind in ("strings", "ids"):
        return [one.strip() for one in re.split("[,，]", text) if one.strip()]
    if kind == "integer" and _WHOLE.match(text):
        return int(text)
    if kind == "number":
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _usage(message: str) -> BrainError:
    return BrainError("brain_usage", message, EXIT_USAGE)
