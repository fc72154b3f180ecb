"""JSON with comments: reading it, and changing one value while every other byte stays.

Comments (``//``, ``/* */``), trailing commas, single quotes and bare keys are read, as JSON5 and
the hosts have them; what is written is plain JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]

_GAP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
_BARE = re.compile(r"[A-Za-z_$][\w$]*")
_ATOM = re.compile(r"[^\s,:\[\]{}\"'/]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\n]*)?(?=\n|\Z)")

MOST_DEPTH = 200


@dataclass(slots=True)
class _Node:
    """A value and where it is.

    Args:
        start, end: characters of the text it takes.
        value: what it says.
        parts: of an object or array: key or index, where its entry starts, its value.
    """

    start: int
    end: int
    value: Any
    parts: list[tuple[str | int, int, _Node]] = field(default_factory=list)


def parse(text: str) -> Any:
    """What the text says; an empty one is an empty object.

    Raises:
        ValueError: it is no such JSON, or a key is there twice.
    """
    return _read(text).value


def set_value(text: str, path: Path, value: Any) -> str:
    """The text with a value put at a path; objects on the way are made."""
    return _put(text, path, value, append=False)


def append(text: str, path: Path, value: Any) -> str:
    """The text with a value at the end of the array at a path, which is made where it is not."""
    return _put(text, path, value, append=True)


def delete(text: str, path: Path) -> str:
    """The text without what is at a path."""
    parent = _at(_read(text), path[:-1])
    place = next(i for i, part in enumerate(parent.parts) if part[0] == path[-1])
    _, start, node = parent.parts[place]
    end, comma = node.end, None
    after = _gap(text, end)
    if text[after] == ",":
        if text[end:after].strip():
            comma = after
        else:
            end = after + 1
    elif place:
        comma = text.index(",", _gap(text, parent.parts[place - 1][2].end))
    begin = start
    while text[begin - 1] in " \t":
        begin -= 1
    if text[begin - 1] == "\n" and re.match(r"[ \t]*(?=\n)", text[end:]):
        end += re.match(r"[ \t]*", text[end:]).end()  # type: ignore[union-attr]
        begin -= 1
    else:
        # Within a line: what parts it from the next one goes, or from the one before.
        gap = re.match(r"[ \t]*", text[end:])
        assert gap
        begin, end = (start, end + gap.end()) if text[end - 1] == "," else (begin, end)
    if comma is None:
        return text[:begin] + text[end:]
    if comma >= end:
        return text[:begin] + text[end:comma] + text[comma + 1 :]
    return text[:comma] + text[comma + 1 : begin] + text[end:]


def _put(text: str, path: Path, value: Any, append: bool) -> str:
    if not text.strip():
        text = "{}\n"
    node, depth = _read(text), 0
    while depth < len(path):
        child = next((part[2] for part in node.parts if part[0] == path[depth]), None)
        if child is None:
            break
        node, depth = child, depth + 1
    rest = path[depth:]
    for key in reversed(rest[1:]) if rest else ():
        value = {key: [value] if append and key == rest[-1] else value}
    if len(rest) == 1 and append:
        value = [value]
    if not rest and not append:
        return text[: node.start] + _written(text, node.start, value) + text[node.end :]
    if not isinstance(node.value, dict if rest else list):
        raise ValueError(f"{'.'.join(map(str, path[:depth]))}: {text[node.start : node.end][:40]}")
    return _insert(text, node, value, rest[0] if rest else None)


def _insert(text: str, node: _Node, value: Any, key: str | int | None) -> str:
    """The text with one more entry at the end of an object or array."""
    head = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    inside = text[node.start + 1 : node.end - 1]
    if not node.parts:
        inner = _indent(text, node.start) + _unit(text)
        entry = head + _indented(value, inner, _unit(text))
        kept = inside.rstrip()
        close = _indent(text, node.start)
        return f"{text[: node.start + 1]}{kept}\n{inner}{entry}\n{close}{text[node.end - 1 :]}"
    last = node.parts[-1][2].end
    after = _gap(text, last)
    trailing = text[after] == ","
    if "\n" not in inside:
        entry = head + json.dumps(value, ensure_ascii=False)
        at = after + 1 if trailing else last
        return f"{text[:at]}{'' if trailing else ','} {entry}{text[at:]}"
    inner = _indent(text, node.parts[-1][1])
    entry = f"\n{inner}{head}{_indented(value, inner, _unit(text))}"
    # A comment behind the last entry stays with it.
    at = after + 1 if trailing else last
    rest = _REST_OF_LINE.match(text, at)
    end = rest.end() if rest else at
    if trailing:
        return f"{text[:end]}{entry},{text[end:]}"
    return f"{text[:last]},{text[last:end]}{entry}{text[end:]}"


def _written(text: str, place: int, value: Any) -> str:
    return _indented(value, _indent(text, place), _unit(text))


def _indented(value: Any, inner: str, unit: str) -> str:
    """A value as JSON whose further lines stand under an entry indented so."""
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{inner}")


def _indent(text: str, place: int) -> str:
    """The white space that begins the line of a place."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, as the text has it; two blanks where it has none."""
    found = re.search(r"^([ \t]+)\S", text, re.M)
    return found.group(1) if found else "  "


def _gap(text: str, place: int) -> int:
    """The place of the next character that is neither blank nor comment."""
    found = _GAP.match(text, place)
    assert found
    return found.end()


def _at(node: _Node, path: Path) -> _Node:
    for key in path:
        node = next(part[2] for part in node.parts if part[0] == key)
    return node


def _read(text: str) -> _Node:
    if not text.strip():
        return _Node(0, len(text), {})
    node = _value(text, _gap(text, 0), 0)
    if _gap(text, node.end) != len(text):
        raise ValueError(_where(text, node.end))
    return node


def _value(text: str, place: int, depth: int) -> _Node:
    first = text[place : place + 1]
    if depth > MOST_DEPTH:
        raise ValueError(_where(text, place))
    if first in ("{", "["):
        return _collection(text, place, depth)
    string = _STRING.match(text, place)
    if string:
        return _Node(place, string.end(), _string(string.group()))
    atom = _ATOM.match(text, place)
    if not atom:
        raise ValueError(_where(text, place))
    try:
        return _Node(place, atom.end(), json.loads(atom.group()))
    except ValueError:
        raise ValueError(_where(text, place)) from None


def _collection(text: str, place: int, depth: int) -> _Node:
    is_object = text[place] == "{"
    node = _Node(place, place, {} if is_object else [])
    at = _gap(text, place + 1)
    while text[at : at + 1] != ("}" if is_object else "]"):
        start, key = at, len(node.parts)
        name: str | int = key
        if is_object:
            found = _STRING.match(text, at) or _BARE.match(text, at)
            if not found:
                raise ValueError(_where(text, at))
            name = _string(found.group()) if text[at] in "\"'" else found.group()
            at = _gap(text, found.end())
            if text[at : at + 1] != ":" or name in node.value:
                raise ValueError(_where(text, at))
            at = _gap(text, at + 1)
        child = _value(text, at, depth + 1)
        node.parts.append((name, start, child))
        if is_object:
            node.value[name] = child.value
        else:
            node.value.append(child.value)
        at = _gap(text, child.end)
        if text[at : at + 1] == ",":
            at = _gap(text, at + 1)
        elif text[at : at + 1] not in ("}", "]"):
            raise ValueError(_where(text, at))
    node.end = at + 1
    return node


def _string(written: str) -> str:
    if written[0] == "'":
        inner = written[1:-1].replace("\\'", "'")
        written = '"' + re.sub(r'(?<!\\)"', '\\"', inner) + '"'
    read = json.loads(written)
    assert isinstance(read, str)
    return read


def _where(text: str, place: int) -> str:
    return f"第 {text.count(chr(10), 0, place) + 1} 行"
