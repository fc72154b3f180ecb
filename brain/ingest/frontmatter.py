"""The ``---`` head of a Markdown file.

Such heads are YAML by name and hand-written in fact: ``description: Use when: …`` is common and no
valid YAML. So only what matters is read: top-level ``name: value`` lines, quoted or not, and block
texts (``>``, ``|``); everything else is passed over.
"""

from __future__ import annotations

import re

_HEAD = re.compile(
    r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")


def split(text: str) -> tuple[dict[str, str], str]:
    """The head's values by name, lower case, and the text behind it."""
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    values: dict[str, str] = {}
    name = ""
    for line in head.group(1).split("\n"):
        found = _LINE.match(line.rstrip())
        if found is not None:
            name = found.group(1).lower()
            values[name] = _unquoted((found.group(2) or "").strip())
        elif name and line[:1] in {" ", "\t"} and line.strip():
            before = "" if values[name] in {"|", ">", "|-", ">-", "|+", ">+"} else values[name]
            values[name] = f"{before} {line.strip()}".strip()
    return values, text[head.end() :]


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
