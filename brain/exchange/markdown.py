r"""Markdown format: headings that name the records, the texts verbatim between them.

    # fact <!-- brain {"ids":"12-14","version":1} -->
    ## #12 <!-- brain {"confidence":0.95,"hash":"240c4c8d616e4e64",…} -->
    text, as many lines as it has

    ## 新
    a memory added by hand

A line of a text that reads like one of these headings gets a backslash in front, which Markdown
shows as the plain line; one that has backslashes there already gets one more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from brain.memory import Memory

VERSION = 1
NEW = "新"
HASH_DIGITS = 16
"""Hex digits of a content hash that stand in a heading: 64 bits, chance never makes two alike."""

GUIDE = (
    "<!-- 改一条：直接改正文。添一条：另起一行写“## 新”，下面写正文。删一条：连标题整段删掉。"
    "标题行里的编号和 hash 请勿改动。改完用 brain import 这个文件夹 --dry-run 看会做什么。 -->"
)

_MARK = re.compile(rf"(\\*)(?:#{{1,2}} .*<!-- brain\b.*|## {NEW}[ \t\r]*)")
_KIND = re.compile(r"# ([a-z][a-z0-9_-]{0,31}) <!-- brain (\{.*\}) -->[ \t\r]*")
_ENTRY = re.compile(r"## #([0-9]{1,15}) <!-- brain (\{.*\}) -->[ \t\r]*")
_NEW = re.compile(rf"## {NEW}(?: <!-- brain (\{{.*\}}) -->)?[ \t\r]*")


@dataclass(frozen=True, slots=True)
class Kind:
    """The heading of a kind, with the ids that were exported under it."""

    line: int
    kind: str
    ids: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory as it stands in the Markdown.

    Args:
        id: None for one added by hand.
        told: what its heading says besides.
    """

    line: int
    kind: str
    id: int | None
    told: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A heading that cannot be read; what stands under it is passed over."""

    line: int
    reason: str


Found = Kind | Entry | Broken


def ranges(ids: Iterable[int]) -> list[range]:
    """Ascending ids as stretches."""
    out: list[range] = []
    for i in ids:
        if out and out[-1].stop == i:
            out[-1] = range(out[-1].start, i + 1)
        else:
            out.append(range(i, i + 1))
    return out


def kind_heading(kind: str, ids: Iterable[range]) -> str:
    """The heading of a file, and the guide under it."""
    told = ",".join(str(r.start) if len(r) == 1 else f"{r.start}-{r.stop - 1}" for r in ids)
    return f"# {kind} <!-- brain {_json({'ids': told, 'version': VERSION})} -->\n{GUIDE}\n"


def entry(memory: Memory) -> str:
    """A record, with the blank line before it."""
    lines = (f"\\{line}" if _MARK.fullmatch(line) else line for line in memory.text.split("\n"))
    text = "\n".join(lines)
    return f"\n## #{memory.id} <!-- brain {_json(facts(memory))} -->\n{text}\n"


def facts(memory: Memory) -> dict[str, Any]:
    """What stands in a record's heading: what is not said is as it is by default."""
    told: dict[str, Any] = {
        "confidence": memory.confidence,
        "hash": memory.content_hash[:HASH_DIGITS],
        "importance": memory.importance,
        "scope": memory.scope,
        "since": memory.valid_from,
        "source": memory.source,
    }
    if memory.valid_to is not None:
        told["until"] = memory.valid_to
    if memory.pinned:
        told["pinned"] = True
    if memory.evidence:
        told["evidence"] = memory.evidence
    if memory.tags:
        told["tags"] = list(memory.tags)
    return told


def _json(value: Mapping[str, Any]) -> str:
    # No JSON outside of a string has a ``>``: escaped, nothing in it can end the comment.
    plain = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return plain.replace(">", "\\u003e")


def read(text: str, kind: str) -> Iterator[Found]:
    """Reads a file.

    Args:
        kind: of entries before the first heading of a kind.
    """
    if text.split("\n", 1)[0].endswith("\r"):
        text = text.replace("\r\n", "\n")  # a tool changed the ends of all lines
    # The last line end ends the last text; without it the text ends where the file does.
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    start: int | None = None
    for number, line in enumerate(lines):
        mark = _MARK.fullmatch(line)
        if mark is None or mark.group(1):
            continue
        if start is not None:
            yield _entry(lines, start, number, kind, last=False)
        start = number
        heading = _KIND.fullmatch(line)
        if heading is not None:
            kind = heading.group(1)
            yield _kind(number + 1, kind, heading.group(2))
            start = None
    if start is not None:
        yield _entry(lines, start, len(lines), kind, last=True)


def _kind(line: int, kind: str, told: str) -> Kind | Broken:
    facts_told = _object(told)
    stretches: list[range] = []
    if facts_told is None:
        return Broken(line, "标题行的注释不是完整的 JSON，查不出这里删掉了哪些。")
    for piece in str(facts_told.get("ids", "")).split(","):
        first, _, last = piece.partition("-")
        if not piece:
            continue
        if not (first.isascii() and first.isdigit() and (last or first).isdigit()):
            return Broken(line, "标题行的 ids 看不懂，查不出这里删掉了哪些。")
        stretches.append(range(int(first[:15]), int((last or first)[:15]) + 1))
    return Kind(line, kind, tuple(stretches))


def _entry(lines: list[str], start: int, stop: int, kind: str, *, last: bool) -> Entry | Broken:
    heading = lines[start]
    old, new = _ENTRY.fullmatch(heading), _NEW.fullmatch(heading)
    told = old.group(2) if old else new.group(1) or "{}" if new else ""
    facts_told = _object(told)
    if facts_told is None:
        return Broken(start + 1, "这个标题行看不懂，下面的正文没有动。")
    body = lines[start + 1 : stop]
    if not last and body and body[-1] == "":
        body.pop()
    text = "\n".join(line[1:] if _escaped(line) else line for line in body)
    return Entry(start + 1, kind, int(old.group(1)) if old else None, facts_told, text)


def _escaped(line: str) -> bool:
    mark = _MARK.fullmatch(line)
    return mark is not None and bool(mark.group(1))


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
