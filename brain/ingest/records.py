"""JSON stream parsing: records out of a file, one a line, or the elements of one long array."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.ingest.entry import Fault
from brain.ingest.files import LONGEST_LINE, lines, opened, unusable, whole

LARGEST_ELEMENT = 64 * 1024 * 1024
"""Characters of an array's element (one conversation) beyond which it is passed over."""

_CHUNK = 1024 * 1024
_MARK = re.compile(r'["\[\]{}]')
_IN_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object and where it stands: its line, or its ordinal in the array, from 1."""

    number: int
    value: dict[str, Any]
    at: int


def of_lines(path: Path) -> Iterator[Record | Fault]:
    """The objects of a JSON Lines file; what is no object is a fault of its line."""
    for line in lines(path):
        if line.text is None:
            limit = LONGEST_LINE // 1024 // 1024
            yield Fault(line.number, f"这一行超过 {limit} Mi 个字符，跳过了。", line.at)
            continue
        text = line.text.removeprefix("\ufeff")
        yield _parsed(text, line.number, line.at, "行")


def of_array(path: Path) -> Iterator[Record | Fault]:
    """The objects of a file that is one JSON array.

    The array is cut into its elements by its brackets, so that memory is bounded by the largest
    element and a broken one costs only itself; a streaming parser would end there.
    """
    with opened(path) as file:
        elements = _elements(iter(lambda: file.stream.read(_CHUNK), ""))
        for number, text in enumerate(elements, start=1):
            if text is None:
                limit = LARGEST_ELEMENT // 1024 // 1024
                yield Fault(number, f"第 {number} 项超过 {limit} Mi 个字符，跳过了。", file.at())
            else:
                yield _parsed(text, number, file.at(), "项")


def _parsed(text: str, number: int, at: int, unit: str) -> Record | Fault:
    wrong = unusable(text)
    if wrong is not None:
        return Fault(number, wrong, at)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as e:
        column = f"，第 {e.colno} 个字符处" if isinstance(e, json.JSONDecodeError) else ""
        return Fault(number, f"这一{unit}不是完整的 JSON{column}，跳过了。", at)
    if not isinstance(value, dict):
        return Fault(number, f"这一{unit}不是 JSON 对象，跳过了。", at)
    return Record(number, value, at)


def of_object(path: Path, *names: str) -> Iterator[Record | Fault]:
    """The objects of the first of some named lists in a file that is one JSON object."""
    text = whole(path)
    if len(text) > LARGEST_ELEMENT:
        limit = LARGEST_ELEMENT // 1024 // 1024
        yield Fault(1, f"文件超过 {limit} Mi 个字符，又不是 JSON 数组或 JSON Lines，读不了。")
        return
    found = _parsed(text, 1, len(text), "个文件")
    if isinstance(found, Fault):
        yield found
        return
    lists = (found.value[name] for name in names if isinstance(found.value.get(name), list))
    for number, value in enumerate(next(lists, []), start=1):
        if isinstance(value, dict):
            yield Record(number, value, found.at)
        else:
            yield Fault(number, "这一项不是 JSON 对象，跳过了。", found.at)


def _elements(chunks: Iterable[str]) -> Iterator[str | None]:
    """The texts of the elements of a JSON array; None for one that is too large.

    Args:
        chunks: the file's text in pieces; nothing of it is scanned twice.
    """
    held: list[str] = []  # the current element's text from earlier chunks
    size = 0
    depth = -1  # brackets open inside the array; -1 before it
    in_string = False
    rest = ""
    for chunk in chunks:
        text, rest = rest + chunk, ""
        at = begin = 0
        while at < len(text):
            if in_string:
                ends = _IN_STRING.match(text, at)
                assert ends is not None
                at = ends.end()
                if at < len(text) and text[at] == '"':
                    in_string = False
                    at += 1
                elif at < len(text):  # a backslash whose character is in the next chunk
                    text, rest = text[:at], text[at:]
                continue
            token = _MARK.search(text, at)
            if token is None:
                break
            at = token.end()
            mark = token.group()
            if mark == '"':
                in_string = True
                if depth == 0:
                    yield mark * 2  # an element, but no object
            elif depth < 0:
                depth = 0 if mark == "[" else depth
            elif mark in "[{":
                begin = token.start() if depth == 0 else begin
                depth += 1
            elif depth == 0:
                return
            else:
                depth -= 1
                if depth == 0:
                    too_large = size + at - begin > LARGEST_ELEMENT
                    yield None if too_large else "".join([*held, text[begin:at]])
                    held, size = [], 0
        if depth > 0:
            size += len(text) - begin
            held = [*held, text[begin:]] if size <= LARGEST_ELEMENT else []
    if depth > 0:
        yield None if size > LARGEST_ELEMENT else "".join(held)
