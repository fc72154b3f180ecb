"""Configuration blocks: where YAML, TOML, INI and ``.env`` may be cut and the rest still parses.

A block is a section, or a key with all that is indented or listed under it. One too large is
divided into its own line and the blocks inside it, which need that line above them. A string or an
array over several lines, a block scalar and a folded value are never divided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.compress import detect
from brain.text.tokens import estimate

_SECTION = re.compile(r"\s*\[{1,2}[^\[\]\n]+\]{1,2}\s*(?:[#;].*)?$")
_ASSIGNED = re.compile(r"\s*[\w.\"'-]+\s*[=:]")
_OPENS_INSIDE = re.compile(r"\s*(?:-\s+\S.*|(?:-\s+)*[^\s#][^#]*:\s*(?:#.*)?)$")
"""A line of YAML under which more keys or a list may stand: ``key:``, ``- name: value``."""

_CHILD = re.compile(r"\s*(?:-(?:\s|$)|[\w\"'./*-][^:#]*:(?:\s|$))")
_BLOCK_SCALAR = re.compile(r".*[:-]\s+[|>][-+0-9]*\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Block:
    """A block.

    Args:
        text: its lines, without the last end.
        above: places of the blocks it stands under, from the outermost in.
    """

    text: str
    above: tuple[int, ...] = ()


def split(text: str, most: int) -> list[Block]:
    """The blocks of a configuration, in order; together they are all of it.

    Args:
        most: estimated tokens from which a block is divided where it can be.
    """
    lines = detect.split(text)
    sectioned = any(_SECTION.match(line) for line in lines)
    out: list[Block] = []

    def add(part: Sequence[str], above: tuple[int, ...]) -> None:
        whole = "\n".join(part)
        inner = _inside(part, sectioned) if len(part) > 1 and estimate(whole) > most else []
        if not inner:
            out.append(Block(whole, above))
            return
        first = inner[0][0]
        if first:
            out.append(Block("\n".join(part[:first]), above))
            above = (*above, len(out) - 1)
        for start, stop in inner:
            add(part[start:stop], above)

    for start, stop in _ranges([*_tops(lines, sectioned)], len(lines)):
        add(lines[start:stop], ())
    return out


def _ranges(starts: Sequence[int], end: int) -> list[tuple[int, int]]:
    return list(zip(starts, [*starts[1:], end], strict=True))


def _tops(lines: Sequence[str], sectioned: bool) -> Iterator[int]:
    """Where a top-level block begins."""
    listed = False
    for place, (line, free) in enumerate(zip(lines, _free(lines, sectioned), strict=True)):
        opens = bool(_SECTION.match(line)) if sectioned else _opens(line, listed)
        if place == 0:
            # A list at the key's own depth belongs to the key.
            listed = line.startswith("- ")
            yield place
        elif opens and free:
            yield place


def _free(lines: Sequence[str], sectioned: bool) -> list[bool]:
    """Whether each line begins outside brackets and strings that lines above it opened."""
    out: list[bool] = []
    depth = 0
    quoted = False
    for line in lines:
        out.append(depth <= 0 and not quoted)
        quoted ^= (line.count('"""') + line.count("'''")) % 2 == 1
        if not sectioned or _ASSIGNED.match(line):
            depth += sum(line.count(c) for c in "[{") - sum(line.count(c) for c in "]}")
        elif depth > 0:
            depth -= sum(line.count(c) for c in "]}")
        if out[-1] and not quoted and _SECTION.match(line):
            depth = 0
    return out


def _opens(line: str, listed: bool) -> bool:
    if not line.strip() or line[:1].isspace() or line[:1] in "]})#":
        return False
    return listed or not line.startswith("- ")


def _inside(part: Sequence[str], sectioned: bool) -> list[tuple[int, int]]:
    """The blocks inside a block as line ranges; none where it has none that stand by themselves."""
    if sectioned:
        head = 1 if _SECTION.match(part[0]) else 0
        free = _free(part, sectioned)
        starts = [
            p
            for p in range(head, len(part))
            if free[p] and _ASSIGNED.match(part[p]) and (p == head or not part[p][:1].isspace())
        ]
        return _ranges(starts, len(part)) if len(starts) > 1 else []
    if not _OPENS_INSIDE.match(part[0]) or _BLOCK_SCALAR.match(part[0]):
        return []
    filled = [p for p in range(1, len(part)) if part[p].strip() and part[p].lstrip()[0] != "#"]
    if not filled or not _CHILD.match(part[filled[0]]):
        return []
    depth = _indent(part[filled[0]])
    starts = [p for p in filled if _indent(part[p]) == depth and _CHILD.match(part[p])]
    even = all(_indent(part[p]) >= depth for p in filled)
    return _ranges(starts, len(part)) if even else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
