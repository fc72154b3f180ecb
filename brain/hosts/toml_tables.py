"""TOML: reading it, and adding, changing and taking out whole tables while other lines stay.

A table is put at the end of the file, where it is always allowed; what cannot be found again line
by line is left, and whoever asked sees by reading the result that it was.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")


def parse(text: str) -> Any:
    """What the text says.

    Raises:
        ValueError: it is no TOML.
    """
    return tomllib.loads(text)


def set_value(text: str, path: Path, value: Any) -> str:
    """The text with a table added at the end, or with one value of a table changed in its line."""
    if isinstance(value, dict):
        return _added(text, f"[{_name(path)}]\n{_lines(value)}")
    old = parse(text)
    for key in path[:-1]:
        old = old[key]
    was = old.get(path[-1])
    names = [key for key in path[:-1] if isinstance(key, str)]
    lines = text.splitlines(keepends=True)
    last = None
    for place, (inside, line) in enumerate(_by_table(lines)):
        if inside == names and _HEADER.match(line):
            last = place
        found = re.match(rf"^\s*{re.escape(str(path[-1]))}\s*=\s*(.*?)(\s*#.*)?$", line.rstrip())
        if inside == names and found and was is not None and _says(found.group(1), was):
            lines[place] = line.replace(found.group(1), _literal(value), 1)
            return "".join(lines)
    if was is None and last is not None:
        lines.insert(last + 1, f"{path[-1]} = {_literal(value)}\n")
    return "".join(lines)


def append(text: str, path: Path, value: Any) -> str:
    """The text with one more table of an array of tables at the end."""
    plain = {key: one for key, one in value.items() if not isinstance(one, list) or key == "args"}
    made = f"[[{_name(path)}]]\n{_lines(plain)}"
    for key, inner in value.items():
        if key not in plain:
            made += "".join(f"[[{_name((*path, key))}]]\n{_lines(one)}" for one in inner)
    return _added(text, made)


def delete(text: str, path: Path) -> str:
    """The text without a table and those within it; in an array of tables the one of that index."""
    names = [key for key in path if isinstance(key, str)]
    index = path[-1] if isinstance(path[-1], int) else None
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    seen, taken, gap = -1, False, False
    for inside, line in _by_table(lines):
        if _HEADER.match(line):
            seen += inside == names
            was, taken = taken, inside[: len(names)] == names and index in (None, seen)
            if taken and not was and kept and not kept[-1].strip():
                kept.pop()
                gap = True
            elif was and not taken and gap:
                kept.append("\n")
        if not taken:
            kept.append(line)
        elif line.lstrip().startswith("#"):
            kept.append(line)  # it may be about what comes next
    return "".join(kept)


def _by_table(lines: list[str]) -> list[tuple[list[str], str]]:
    """Each line with the names of the table it is in."""
    found, inside = [], list[str]()
    for line in lines:
        header = _HEADER.match(line)
        if header:
            inside = [part.strip().strip("\"'") for part in header.group(2).split(".")]
        found.append((inside, line))
    return found


def _added(text: str, made: str) -> str:
    text = text if not text or text.endswith("\n") else text + "\n"
    return f"{text}\n{made}" if text and not text.endswith("\n\n") else text + made


def _lines(value: dict[str, Any]) -> str:
    return "".join(f"{key} = {_literal(one)}\n" for key, one in value.items())


def _literal(value: Any) -> str:
    # A JSON string, number or array of strings is one of TOML too, but for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _says(written: str, value: Any) -> bool:
    try:
        return bool(tomllib.loads(f"x = {written}")["x"] == value)
    except ValueError:
        return False


def _name(path: Path) -> str:
    return ".".join(str(key) for key in path if isinstance(key, str))
