"""JSON stream parsing: records out of a file, one a line, or the elements of one long array."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from brain.ingest.entry import Fault
from brain.ingest.files import LONGEST_LINE, joined, lines, opened, unusable, whole

LARGEST_ELEMENT = 64 * 1024 * 1024
"""Characters of an array's element (one conversation) beyond which it is passed over."""

_CHUNK = 1024 * 1024
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARK = re.compile(r'["\[\]{}]')
_IN_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object and where it stands: its line, or its ordinal in the array, from 1."""

    number: int
    value: dict[str, Any]
    at: int


UNFINISHED = "最后一行还没有写完，下次再读。"


def label(value: object) -> str:
    """A string of a record, or '' for any other value: of a name or type only these mean any."""
    return value if isinstance(value, str) else ""


def name_of(value: object) -> str:
    """A record's id, a string or a whole number, as text; '' for any other value."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return str(value)
    return label(value)


def mended(value: Any) -> Any:
    """A JSON value whose unpaired surrogates have become U+FFFD, one a character."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [mended(each) for each in value]
    if isinstance(value, dict):
        return {mended(name): mended(each) for name, each in value.items()}
    return value


def parsed_bytes(data: bytes, number: int) -> dict[str, Any] | Fault:
    """The JSON object that a value of a database is; a fault of the ``number``-th for any other."""
    found = _parsed(data.decode("utf-8", "surrogateescape"), number, number, "项")
    return found if isinstance(found, Fault) else found.value


def of_lines(path: Path, *, mend: bool = True) -> Iterator[Record | Fault]:
    """The objects of a JSON Lines file; what is no object is a fault of its line.

    Args:
        mend: an unpaired surrogate costs its character; else it stays for the reader to refuse.
    """
    for line in lines(path):
        if line.text is None:
            limit = LONGEST_LINE // 1024 // 1024
            yield Fault(line.number, f"这一行超过 {limit} Mi 个字符，跳过了。", line.at)
            continue
        text = line.text.removeprefix("\ufeff")
        found = _parsed(text, line.number, line.at, "行", mend=mend)
        if isinstance(found, Fault) and not line.ended:
            found = replace(found, reason=UNFINISHED)  # its host is writing it just now
        yield found


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


def _parsed(text: str, number: int, at: int, unit: str, *, mend: bool = True) -> Record | Fault:
    text = joined(text)
    wrong = unusable(text)
    if wrong is not None:
        return Fault(number, wrong, at)
    try:
        value = json.loads(text)
        if mend and ("\\ud" in text or "\\uD" in text):
            value = mended(value)
    except (ValueError, RecursionError) as e:
        column = f"，第 {e.colno} 个字符处" if isinstance(e, json.JSONDecodeError) else ""
        return Fault(number, f"这一{unit}不是完整的 JSON{column}，跳过了。", at)
    if not isinstance(value, dict):
        return Fault(number, f"这一{unit}不是 JSON 对象，跳过了。", at)
    return Record(number, value, at)


def of_either(path: Path) -> Iterator[Record | Fault]:
    """The elements of a file that is an array, or the one object that a file is."""
    with opened(path) as file:
        start = file.stream.read(64).lstrip("\ufeff \t\r\n")
    if start.startswith("["):
        yield from of_array(path)
        return
    text = whole(path)
    if len(text) > LARGEST_ELEMENT:
        yield _too_large()
    else:
        yield _parsed(text, 1, len(text), "个文件")


def _too_large() -> Fault:
    limit = LARGEST_ELEMENT // 1024 // 1024
    return Fault(1, f"文件超过 {limit} Mi 个字符，又不是 JSON 数组或 JSON Lines，读不了。")


def one_object(path: Path, *names: str) -> Iterator[Record | Fault] | None:
    """As :func:`of_object`; None for a file that is more, or something else, than one object."""
    with opened(path) as file:
        start = file.stream.read(_CHUNK).lstrip("\ufeff \t\r\n")
    first = start.partition("\n")[0]
    if not start.startswith("{"):
        return None
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return of_object(path, *names)  # its first line is not all of it
    more = start[len(first) :].strip()
    return None if more else of_object(path, *names)


def of_object(path: Path, *names: str) -> Iterator[Record | Fault]:
    """The objects of the first of some named lists in a file that is one JSON object."""
    text = whole(path)
    if len(text) > LARGEST_ELEMENT:
        yield _too_large()
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
