"""YAML: reading it, and changing entries of block mappings while every other line stays."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

Path = tuple[str | int, ...]


def parse(text: str) -> Any:
    """What the text says; nothing is an empty mapping.

    Raises:
        ValueError: it is no YAML that is safe to read.
    """
    try:
        read = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise ValueError(f"第 {mark.line + 1} 行" if mark else "读不懂") from None
    return {} if read is None else read


def set_value(text: str, path: Path, value: Any) -> str:
    """The text with a value put at a path; mappings on the way are made."""
    return _put(text, path, value, as_item=False)


def append(text: str, path: Path, value: Any) -> str:
    """The text with a value at the end of the list at a path, which is made where it is not."""
    return _put(text, path, value, as_item=True)


def delete(text: str, path: Path) -> str:
    """The text without the lines of what is at a path."""
    parent = _follow(yaml.compose(text), path[:-1])
    first, node = next((key or one, one) for name, key, one in _entries(parent) if name == path[-1])
    lines = text.splitlines(keepends=True)
    del lines[first.start_mark.line : _last_line(node, text) + 1]
    return "".join(lines)


def _put(text: str, path: Path, value: Any, as_item: bool) -> str:
    root = yaml.compose(text)
    node, depth, key_node = root, 0, None
    while node is not None and depth < len(path):
        found = next((one for one in _entries(node) if one[0] == path[depth]), None)
        if found is None:
            break
        _, key_node, node = found
        depth += 1
    rest = path[depth:]
    lines = (text if not text or text.endswith("\n") else text + "\n").splitlines(keepends=True)
    if node is None:
        return "".join([*lines, *_block(_wrapped(rest, value, as_item), 0)])
    if not rest and not as_item:
        written = json.dumps(value, ensure_ascii=False)
        return text[: node.start_mark.index] + written + text[node.end_mark.index :]
    empty = isinstance(node, yaml.ScalarNode) or not node.value
    if empty and key_node is not None:
        # ``hooks: {}`` or ``hooks:`` becomes the head of a block.
        head = text[: key_node.end_mark.index] + ":"
        tail = text[node.end_mark.index :]
        tail = tail if tail.startswith("\n") else "\n" + tail.lstrip(" ")
        if node.start_mark.index == node.end_mark.index:
            tail = text[key_node.end_mark.index :].partition("\n")[2]
            tail = "\n" + tail
        made = _wrapped(rest, value, as_item) if rest else [value]
        block = "".join(_block(made, key_node.start_mark.column + 2)).rstrip("\n")
        return f"{head}\n{block}{tail}"
    if node.flow_style:
        inner = json.dumps(_wrapped(rest, value, as_item) if rest else value, ensure_ascii=False)
        inner = inner[1:-1] if rest else inner
        end = node.end_mark.index - 1
        return f"{text[:end].rstrip()}, {inner}{text[end:]}"
    column = node.start_mark.column
    at = _last_line(node, text) + 1
    made = _wrapped(rest, value, as_item) if rest else [value]
    return "".join([*lines[:at], *_block(made, column), *lines[at:]])


def _wrapped(rest: Path, value: Any, as_item: bool) -> Any:
    made = [value] if as_item else value
    for key in reversed(rest):
        made = {key: made}
    return made


def _block(value: Any, column: int) -> list[str]:
    """Lines of a mapping or list whose strings are all quoted, so that none is read otherwise."""
    pad = " " * column
    found: list[str] = []
    if isinstance(value, list):
        for one in value:
            inner = _block(one, column + 2) if isinstance(one, dict) else [json.dumps(one) + "\n"]
            found += [f"{pad}- {inner[0].lstrip()}", *inner[1:]]
        return found
    for key, one in value.items():
        plain = not isinstance(one, dict | list) or all(isinstance(x, str) for x in one)
        if plain and not isinstance(one, dict):
            found.append(f"{pad}{key}: {json.dumps(one, ensure_ascii=False)}\n")
        else:
            found += [f"{pad}{key}:\n", *_block(one, column + 2)]
    return found


def _entries(node: yaml.Node) -> list[tuple[str | int, yaml.Node | None, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), key, one) for key, one in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(place, None, one) for place, one in enumerate(node.value)]
    return []


def _follow(node: yaml.Node, path: Path) -> yaml.Node:
    for key in path:
        node = next(one for name, _, one in _entries(node) if name == key)
    return node


def _last_line(node: yaml.Node, text: str) -> int:
    """The line a value ends in; a block collection's own mark is past the comments behind it."""
    in_flow = isinstance(node, yaml.CollectionNode) and node.flow_style
    entries = [] if in_flow else _entries(node)
    if entries:
        return max(_last_line(one, text) for _, _, one in entries)
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        before = re.sub(r"\s+\Z", "", text[: node.end_mark.index])
        return before.count("\n")
    return int(node.end_mark.line)
