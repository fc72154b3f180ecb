"""JSONL format: one object a line, what each must hold, and how a line is read.

The first line says what the file is, the last how much it holds. See docs/formats.md.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NoReturn

from brain import memory as m
from brain import validate
from brain.claims import forms
from brain.errors import EXIT_CONFIG, EXIT_DATA, BrainError
from brain.memory import Memory
from brain.store import schema
from brain.store.claims import Claim
from brain.store.journal import Event
from brain.store.links import Observation
from brain.store.observations import Seen
from brain.store.originals import Original
from brain.store.view import Selection
from brain.text.timestamps import from_iso

FORMAT = "brain"
VERSION = 1

HIGHEST_ID = 10**15
"""No file comes near it; a higher id would leave none for the next record."""

PART_BYTES = 3 * 1024 * 1024
"""Bytes of a recovery record on one line; a multiple of 3, so that base64 parts can be joined."""

LONGEST_LINE = 8 * 1024 * 1024
"""Bytes of a line beyond which it is passed over: none of ours comes near it."""

LINKS = frozenset({"supersedes", "superseded_by"})
"""Columns that name another record; the journal tells their changes as well."""

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_DEFAULTS: Mapping[str, Any] = {
    "kind": m.DEFAULT_KIND,
    "scope": "",
    "source": m.DEFAULT_SOURCE,
    "importance": m.DEFAULT_IMPORTANCE,
    "strength": 1.0,
    "pinned": False,
    "evidence": "",
    "reason": "",
    "project": "",
    "content_hash": "",
    "use_count": 0,
}


@dataclass(frozen=True, slots=True)
class Header:
    """The first line.

    Args:
        whole: whether the whole file was exported.
        last_id: the highest id the file ever gave; 0 where only a part was exported.
    """

    whole: bool
    last_id: int


@dataclass(frozen=True, slots=True)
class Word:
    """One of the user's own words."""

    word: str
    freq: int | None
    tag: str | None
    added_at: str


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a recovery record; ``size`` is of the whole, in bytes."""

    handle: str
    part: int
    size: int
    original: Original


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about the file as a whole."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class End:
    """The last line, with the number of lines before it."""

    lines: int


Found = Header | Memory | Observation | Claim | Seen | Event | Word | Part | Fact | End


def json_line(kind: str, /, **values: object) -> str:
    """A line, with its end."""
    told = {"type": kind, **values}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"


def header(shown: Selection, last_id: int) -> str:
    """The first line."""
    return json_line(
        "header",
        format=FORMAT,
        version=VERSION,
        schema=schema.SCHEMA_VERSION,
        scope=shown.scope,
        as_of=shown.as_of,
        last_id=last_id if shown.whole else None,
    )


def memory(record: Memory) -> str:
    """A record with every column."""
    told = record.to_dict()
    for name in m.DERIVED:  # its claims say them
        del told[name]
    return json_line("memory", **told)


def link(found: Observation) -> str:
    """An observation of what a decision led to, with every column."""
    return json_line("link", **asdict(found))


def claim(found: Claim) -> str:
    """What of a record can be looked at, and what came of that; its number is the line's place."""
    told = asdict(found)
    del told["id"]
    return json_line("claim", **told)


def event(entry: Event) -> str:
    """An entry of the journal."""
    detail = dict(sorted(entry.detail.items()))
    return json_line(
        "event",
        at=entry.at,
        memory_id=entry.memory_id,
        what=entry.what,
        why=entry.why,
        detail=detail,
    )


def parts(handle: str, original: Original) -> Iterator[str]:
    """A recovery record, on as many lines as it takes."""
    for number, start in enumerate(range(0, max(len(original.data), 1), PART_BYTES)):
        yield json_line(
            "original",
            handle=handle,
            content_type=original.content_type,
            compressor=original.compressor,
            tokens_before=original.tokens_before,
            tokens_after=original.tokens_after,
            stored_at=original.stored_at,
            bytes=len(original.data),
            part=number,
            base64=base64.b64encode(original.data[start : start + PART_BYTES]).decode("ascii"),
        )


def observation(seen: Seen) -> str:
    """What an original is, for a session, and what came of looking at it."""
    told = asdict(seen)
    del told["state"]
    return json_line("observation", what=told.pop("type"), **told)


def read(line: bytes) -> Found:
    """Reads a line.

    Raises:
        BrainError: ``brain_import_line`` (65) with what is wrong with it.
    """
    try:
        value = json.loads(line, parse_constant=_no_constant)
    except UnicodeDecodeError as e:
        raise _wrong(f"不是 UTF-8（从第 {e.start + 1} 个字节起）") from None
    except (ValueError, RecursionError):
        raise _wrong("不是完整的 JSON") from None
    if not isinstance(value, dict):
        raise _wrong("不是 JSON 对象")
    reader = _READERS.get(str(value.get("type")))
    if reader is None:
        raise _wrong(f"不认识类型「{str(value.get('type'))[:40]}」")
    return reader(value)


def read_header(line: bytes | None) -> Header:
    """Reads the first line.

    Raises:
        BrainError: ``brain_import_format`` (65) when it is none of ours, ``brain_import_newer``
            (78) when a newer program wrote it.
    """
    try:
        value = json.loads(line or b"")
        ours = isinstance(value, dict) and value.get("type") == "header"
    except (ValueError, RecursionError):
        ours = False
    if not ours or value.get("format") != FORMAT or not isinstance(value.get("version"), int):
        raise BrainError(
            "brain_import_format",
            "第一行不是 brain 导出的文件头，没有导入；别的程序的数据请用 brain ingest。",
        )
    if value["version"] > VERSION:
        raise BrainError(
            "brain_import_newer",
            f"这份导出的格式（{value['version']}）比这个程序（{VERSION}）新，请升级 brain-memory。",
            EXIT_CONFIG,
        )
    last = value.get("last_id")
    known = isinstance(last, int) and not isinstance(last, bool) and 0 <= last <= HIGHEST_ID
    return Header(known, int(last) if known else 0)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _wrong(what: str) -> BrainError:
    return BrainError("brain_import_line", f"这一行{what}，跳过了。", EXIT_DATA)


def _text(value: Mapping[str, Any], name: str) -> str:
    given = value.get(name, _DEFAULTS.get(name))
    if not isinstance(given, str):
        raise _wrong(f"的 {name} 应为字符串")
    validate.check_encodable(given)
    return given


def _time(value: Mapping[str, Any], name: str) -> str | None:
    given = value.get(name)
    if given is None:
        return None
    if not isinstance(given, str) or not _TIME.fullmatch(given):
        raise _wrong(f"的 {name} 应为 2026-03-01T08:00:00.000Z 这样的时间或 null")
    from_iso(given)
    return given


def _instant(value: Mapping[str, Any], name: str) -> str:
    given = _time(value, name)
    if given is None:
        raise _wrong(f"缺少 {name}")
    return given


def _whole(value: Mapping[str, Any], name: str, low: int, high: int = HIGHEST_ID) -> int:
    given = value.get(name, _DEFAULTS.get(name))
    if not isinstance(given, int) or isinstance(given, bool) or not low <= given <= high:
        raise _wrong(f"的 {name} 应为整数，从 {low} 到 {high}")
    return given


def _whole_or_none(value: Mapping[str, Any], name: str, low: int) -> int | None:
    return None if value.get(name) is None else _whole(value, name, low)


def _unit(value: Mapping[str, Any], name: str, default: float | None = None) -> float:
    given = value.get(name, _DEFAULTS.get(name, default))
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _wrong(f"的 {name} 应为 0 到 1 之间的数")
    return validate.check_unit(given, name, "brain_import_line")


def _memory(value: Mapping[str, Any]) -> Memory:
    text = validate.check_text(_text(value, "text"))
    source = validate.check_label(_text(value, "source"), "来源", "brain_source_invalid")
    pinned = value.get("pinned", False)
    if not isinstance(pinned, bool):
        raise _wrong("的 pinned 应为 true 或 false")
    told, right = _text(value, "content_hash"), m.content_hash(text)
    if told not in {"", right}:
        raise _wrong(
            "的文本和它的 content_hash 对不上，是损坏了还是改过？确实要改，请把 content_hash 删掉"
        )
    return Memory(
        id=_whole(value, "id", 1),
        kind=validate.check_kind(_text(value, "kind")),
        text=text,
        scope=validate.check_label(_text(value, "scope"), "范围", "brain_scope_invalid"),
        source=source,
        importance=_unit(value, "importance"),
        confidence=_unit(value, "confidence", m.default_confidence(source)),
        strength=_unit(value, "strength"),
        pinned=pinned,
        valid_from=_time(value, "valid_from"),
        valid_to=_time(value, "valid_to"),
        recorded_at=_instant(value, "recorded_at"),
        retracted_at=_time(value, "retracted_at"),
        supersedes=_whole_or_none(value, "supersedes", 1),
        superseded_by=_whole_or_none(value, "superseded_by", 1),
        archived_at=_time(value, "archived_at"),
        evidence=validate.check_evidence(_text(value, "evidence")),
        content_hash=right,
        use_count=_whole(value, "use_count", 0),
        last_used_at=_time(value, "last_used_at"),
        tags=_tags(value),
    )


def _link(value: Mapping[str, Any]) -> Observation:
    relation = _text(value, "relation")
    if relation not in m.RELATIONS:
        raise _wrong(f"的 relation 应为 {'、'.join(m.RELATIONS)} 之一")
    good = value.get("good")
    if good is not None and not isinstance(good, bool):
        raise _wrong("的 good 应为 true、false 或 null")
    return Observation(
        id=_whole(value, "id", 1),
        decision=_whole(value, "decision", 1),
        outcome=_whole(value, "outcome", 1),
        relation=relation,
        context=validate.check_evidence(_text({"context": "", **value}, "context")),
        good=good,
        observed_at=_instant(value, "observed_at"),
        recorded_at=_instant(value, "recorded_at"),
        retracted_at=_time(value, "retracted_at"),
        source=validate.check_label(_text(value, "source"), "来源", "brain_source_invalid"),
        evidence=validate.check_evidence(_text(value, "evidence")),
    )


def _claim(value: Mapping[str, Any]) -> Claim:
    result, counted = value.get("result"), value.get("counted", False)
    if result not in (None, m.VERIFIED, m.FAILED):
        raise _wrong("的 result 应为 verified、failed 或 null")
    if not isinstance(counted, bool):
        raise _wrong("的 counted 应为 true 或 false")
    place = None if value.get("found_at") is None else _text(value, "found_at")
    written = forms.read(
        f"{_text(value, 'kind')} {_text(value, 'claim')}",
        forms.READ_OFF if value.get("origin") == forms.READ_OFF else forms.GIVEN,
        validate.check_label(_text(value, "project"), "项目", "brain_import_line"),
    )
    return replace(
        written,
        memory_id=_whole(value, "memory_id", 1),
        result=result,
        checked_at=None if result is None else _instant(value, "checked_at"),
        verified_at=_time(value, "verified_at"),
        found_at=place,
        evidence=validate.check_evidence(_text(value, "evidence")),
        reason=validate.check_evidence(_text(value, "reason")),
        counted=counted,
    )


def _seen(value: Mapping[str, Any]) -> Seen:
    result = value.get("result")
    if result not in (None, m.VERIFIED, m.FAILED):
        raise _wrong("的 result 应为 verified、failed 或 null")
    told = {
        name: validate.check_label(_text({name: "", **value}, name), name, "brain_import_line")
        for name in ("session", "what", "revision", "source", "project")
    }
    kind = told.pop("what")
    return Seen(
        handle=_text(value, "handle"),
        type=kind,
        **told,
        stored_at=_instant(value, "stored_at"),
        result=result,
        checked_at=_time(value, "checked_at"),
        reason=validate.check_evidence(_text(value, "reason")),
    )


def _tags(value: Mapping[str, Any]) -> tuple[str, ...]:
    given = value.get("tags", [])
    if not isinstance(given, list) or not all(isinstance(tag, str) for tag in given):
        raise _wrong("的 tags 应为字符串的数组")
    return validate.check_tags(given)


def _event(value: Mapping[str, Any]) -> Event:
    detail = value.get("detail", {})
    if not isinstance(detail, dict):
        raise _wrong("的 detail 应为 JSON 对象")
    for name in LINKS & detail.keys():
        sides = detail[name]
        if not isinstance(sides, list) or not all(s is None or type(s) is int for s in sides):
            raise _wrong(f"的 detail 里 {name} 应为编号的前后值")
    try:
        json.dumps(detail, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise _wrong("的 detail 里有不能存的值") from None
    return Event(
        at=_instant(value, "at"),
        memory_id=_whole_or_none(value, "memory_id", 1),
        what=validate.check_label(_text(value, "what"), "动作", "brain_import_line"),
        why=validate.check_why(_text({"why": "", **value}, "why")),
        detail=detail,
    )


def _word(value: Mapping[str, Any]) -> Word:
    tag = None if value.get("tag") is None else _text(value, "tag")
    word = validate.check_label(_text(value, "word"), "词", "brain_import_line")
    if not word or any(c.isspace() for c in word):
        raise _wrong("的 word 是空的或含空白")
    return Word(
        word,
        _whole_or_none(value, "freq", 0),
        tag,
        _instant(value, "added_at"),
    )


def _part(value: Mapping[str, Any]) -> Part:
    try:
        data = base64.b64decode(_text(value, "base64"), validate=True)
    except binascii.Error:
        raise _wrong("的 base64 不完整") from None
    original = Original(
        data,
        validate.check_label(_text(value, "content_type"), "content_type", "brain_import_line"),
        validate.check_label(_text(value, "compressor"), "compressor", "brain_import_line"),
        _whole(value, "tokens_before", 0),
        _whole(value, "tokens_after", 0),
        _instant(value, "stored_at"),
    )
    return Part(
        _text(value, "handle"), _whole(value, "part", 0), _whole(value, "bytes", 0), original
    )


def _fact(value: Mapping[str, Any]) -> Fact:
    return Fact(_text(value, "key"), _text(value, "value"))


def _end(value: Mapping[str, Any]) -> End:
    return End(_whole(value, "lines", 1))


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Found]] = {
    "memory": _memory,
    "link": _link,
    "claim": _claim,
    "observation": _seen,
    "event": _event,
    "word": _word,
    "original": _part,
    "meta": _fact,
    "end": _end,
}
