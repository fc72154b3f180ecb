"""Sections and line ranges of an original: a part of it that is named, not searched for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain.compress import compressor, detect
from brain.errors import EXIT_NO, EXIT_USAGE, BrainError
from brain.text.fold import fold

_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:[-–—~～]\s*(\d{1,9})?\s*)?\Z")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NUMERAL = "[0-9〇零一二两三四五六七八九十百千]{1,6}"
_CHINESE = (
    (1, re.compile(rf"第{_NUMERAL}[编部卷篇](?:\s|[:：]|$)")),
    (2, re.compile(rf"第{_NUMERAL}章(?:\s|[:：]|$)")),
    (3, re.compile(rf"第{_NUMERAL}节(?:\s|[:：]|$)")),
    (4, re.compile(r"[一二三四五六七八九十]{1,3}、[^。；]{1,30}$")),
    (5, re.compile(r"[（(][一二三四五六七八九十]{1,3}[）)][^。；]{1,30}$")),
    (6, re.compile(r"【[^】]{1,24}】$|\*\*[^*]{1,40}\*\*[:：]?$")),
)
"""Headings of plain text by level, outside Markdown's own."""


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading: the line it stands in, its level from 1, its words."""

    line: int
    level: int
    words: str


def lines(data: bytes, wanted: str) -> bytes:
    """The lines ``A-B`` of a text, both ends in, with their ends.

    Args:
        wanted: ``12-30``, ``12`` for one line, ``12-`` to the end; the first line is 1. A range
            that goes beyond the last line ends there.

    Raises:
        BrainError: ``brain_usage`` (2) for what is no range, ``brain_ccr_pointer_not_found`` (1)
            where the text has no such line.
    """
    found = _RANGE.match(wanted)
    first = int(found[1]) if found else 0
    last = first
    if found and "".join(wanted.split()) != found[1]:
        last = int(found[2]) if found[2] else 10**9
    if not found or first < 1 or last < first:
        told = f"看不懂行号「{wanted[:40]}」：写成 12-30，从 1 数起，两头都算。"
        raise BrainError("brain_usage", told, EXIT_USAGE)
    parts = _split(data)
    if first > len(parts):
        told = f"原文只有 {len(parts)} 行，没有第 {first} 行。"
        raise BrainError("brain_ccr_pointer_not_found", told, EXIT_NO)
    return b"".join(parts[first - 1 : last])


def section(data: bytes, heading: str) -> bytes:
    """The section under a heading, its own line first, down to the next heading of its level or a
    higher one.

    Args:
        heading: its words, without the marks of Markdown; of several equal ones the first, else
            the first that holds the words.

    Raises:
        BrainError: ``brain_ccr_pointer_not_found`` (1) where no heading is meant.
    """
    parts = _split(data)
    heads = _headings([part.decode("utf-8", "replace") for part in parts])
    wanted = _plain(heading)
    start = next((h for h in heads if _plain(h.words) == wanted), None)
    start = start or next((h for h in heads if wanted and wanted in _plain(h.words)), None)
    if start is None:
        names = "、".join(f"「{h.words[:20]}」" for h in heads[:8])
        told = f"原文里没有标题「{heading[:40]}」；有：{names or '没有标题'}。"
        raise BrainError("brain_ccr_pointer_not_found", told, EXIT_NO)
    after = (h.line for h in heads if h.line > start.line and h.level <= start.level)
    return b"".join(parts[start.line : next(after, len(parts))])


def _split(data: bytes) -> list[bytes]:
    """The lines of a text in UTF-8 with their ends; bytes that are no text are refused."""
    text = compressor.decode(data)
    if text is None:
        told = "原文不是文本，没有行和标题。"
        raise BrainError("brain_ccr_pointer_not_found", told, EXIT_NO)
    return [line.encode("utf-8") for line in detect.with_ends(text)]


def _headings(parts: list[str]) -> list[_Heading]:
    """The headings of Markdown or plain text, those inside fenced code left out."""
    out: list[_Heading] = []
    fence = ""
    before = ""
    for place, part in enumerate(parts):
        line = part.rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence or mark:
            if not fence and mark:
                fence = mark[1]
            elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            before = ""
            continue
        under = _UNDERLINE.match(line)
        atx = _ATX.match(line)
        if atx:
            out.append(_Heading(place, len(atx[1]), atx[2] or ""))
        elif under and before.strip() and not before.lstrip().startswith(("-", "|", ">", "*")):
            out.append(_Heading(place - 1, 1 if under[1][0] == "=" else 2, before.strip()))
        else:
            shown = line.strip()
            # Below Markdown's six levels, so that a ## ends what stands under a 一、.
            level = next((n for n, form in _CHINESE if form.match(shown)), 0)
            if level:
                out.append(_Heading(place, 6 + level, shown))
        before = line
    return out


def _plain(words: str) -> str:
    """A heading as it is compared: folded, without marks around it and blanks in it."""
    return "".join(fold(words).strip("#*【】[]：: \t").split())
