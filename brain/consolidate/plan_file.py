"""Plan file: JSONL with a head, a line a proposal, and an end, so that half of one is seen as half.

Lines may be taken out or put in another order by whoever looks at it. One JSON object, as the
command line prints it, is read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NoReturn

from brain.errors import BrainError
from brain.results import Plan, PlanLine

FORMAT = "brain-plan"
VERSION = 1

ACTS = ("merge", "skill", "contradiction", "stale", "archive", "remember")

_RUN = re.compile(r"[0-9a-z-]{1,40}\Z")
_ANCHOR = re.compile(r"[0-9]{1,15}:[0-9a-f]{16}\Z")
_HIGHEST = 10**15


def lines(plan: Plan) -> Iterator[str]:
    """A plan as the lines of a file, with their ends."""
    told = plan.to_dict()
    rest = {name: value for name, value in told.items() if name != "lines"}
    yield _line("header", format=FORMAT, version=VERSION, **rest)
    for one in told["lines"]:
        yield _line("line", **one)
    yield _line("end", lines=len(plan.lines))


def _line(kind: str, /, **values: object) -> str:
    return json.dumps({"type": kind, **values}, ensure_ascii=False, separators=(",", ":")) + "\n"


def is_plan(first: bytes) -> bool:
    """Whether a file that begins so is a plan of ours."""
    return first.startswith(b'{"type":"header","format":"brain-plan"')


def read(raw: Iterable[bytes | None]) -> Plan:
    """Reads a plan.

    Args:
        raw: the lines of a file without their ends; None for one that is too long.

    Raises:
        BrainError: ``brain_plan_invalid`` (65), with the line and what is wrong with it.
    """
    head: Mapping[str, Any] | None = None
    found: list[PlanLine] = []
    ended = False
    for number, data in enumerate(raw, start=1):
        value = _object(number, data)
        if number == 1 and isinstance(value.get("lines"), list):
            inner = [_proposal(1, one) for one in value["lines"]]
            return _plan(1, value, inner)
        kind = value.get("type")
        if (head is None) != (kind == "header") or ended:
            _wrong(number, "不在它该在的地方，这不是一份整理计划")
        if kind == "header":
            if (value.get("format"), value.get("version")) != (FORMAT, VERSION):
                _wrong(number, "不是这个程序写的整理计划，或是更新的版本写的")
            head = value
        elif kind == "line":
            found.append(_proposal(number, value))
        elif kind == "end":
            ended = True
        else:
            _wrong(number, "不是计划里的一行")
    if head is None:
        raise BrainError("brain_plan_invalid", "这个文件是空的，不是整理计划。")
    if not ended:
        raise BrainError(
            "brain_plan_invalid", "这份计划没有结束行，像是没写完；什么也没有做，请重新做一份。"
        )
    return _plan(1, head, found)


def _plan(number: int, head: Mapping[str, Any], found: list[PlanLine]) -> Plan:
    run, scope, since = head.get("run"), head.get("scope"), head.get("since")
    anchors = head.get("anchors")
    sound = (
        isinstance(run, str)
        and _RUN.match(run)
        and isinstance(scope, str | None)
        and isinstance(since, str | None)
        and isinstance(anchors, list)
        and all(isinstance(one, str) and _ANCHOR.match(one) for one in anchors)
    )
    if not sound:
        _wrong(number, "开头缺了什么或写错了")
    if len({one.id for one in found}) != len(found):
        raise BrainError("brain_plan_invalid", "计划里有两行的编号相同。")
    told = head.get("planned_at")
    when = told if isinstance(told, str) else ""
    return Plan(str(run), tuple(found), scope, since, when, tuple(anchors or ()))


def _object(number: int, data: bytes | None) -> dict[str, Any]:
    if data is None:
        _wrong(number, "太长了")
    try:
        value = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        _wrong(number, "不是 UTF-8，可能被别的编辑器存成了 GBK")
    except (ValueError, RecursionError):
        _wrong(number, "不是完整的 JSON，可能没写完")
    if not isinstance(value, dict):
        _wrong(number, "不是 JSON 对象")
    return value


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "id": str,
    "act": str,
    "reason": str,
    "records": list,
    "before": list,
    "keep": (int, type(None)),
    "drop": list,
    "text": str,
    "kind": str,
    "quote": str,
    "source": str,
    "confirm": bool,
}
_EMPTY: Mapping[str, Any] = {
    "keep": None, "drop": [], "text": "", "kind": "", "quote": "", "source": "rules",
    "confirm": False,
}  # fmt: skip


def _proposal(number: int, value: object) -> PlanLine:
    if not isinstance(value, dict):
        _wrong(number, "不是 JSON 对象")
    told: dict[str, Any] = {
        one.name: value.get(one.name, _EMPTY.get(one.name)) for one in fields(PlanLine)
    }
    for name, kind in _KINDS.items():
        if not isinstance(told[name], kind) or (name == "keep" and isinstance(told[name], bool)):
            _wrong(number, f"的 {name} 缺了或写错了")
    numbers = [*told["records"], *told["drop"], *([] if told["keep"] is None else [told["keep"]])]
    if not all(type(n) is int and 0 < n < _HIGHEST for n in numbers):
        _wrong(number, "里有不是编号的编号")
    if told["act"] not in ACTS or not _RUN.match(told["id"]):
        _wrong(number, "的 act 或 id 不认识")
    before = [one.get("id") if isinstance(one, dict) else None for one in told["before"]]
    if before != told["records"] or not set(numbers) <= set(told["records"]):
        _wrong(number, "说的几条记录前后对不上")
    if not _is_complete(told):
        _wrong(number, "没说清要做什么")
    given: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in told.items()
    }
    return PlanLine(**given)


def _is_complete(told: Mapping[str, Any]) -> bool:
    """Whether a line says all that its act needs."""
    drop, keep = told["drop"], told["keep"]
    if len(set(drop)) != len(drop) or keep in drop:
        return False
    if told["act"] == "remember":
        return len(told["records"]) == 1 and bool(told["text"] and told["kind"]) and not drop
    if told["act"] == "archive":
        return len(drop) == 1 and keep is None
    if told["act"] == "stale":
        return len(drop) == 1 and not (told["text"] and keep is not None)
    if told["act"] == "merge" and told["text"]:
        return len(drop) > 1 and keep is None
    return bool(drop) and keep is not None


def _wrong(number: int, told: str) -> NoReturn:
    raise BrainError("brain_plan_invalid", f"计划的第 {number} 行{told}；什么也没有做。")
