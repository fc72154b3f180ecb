"""Markdown that holds memories: CLAUDE.md, MEMORY.md, folders of notes with front matter.

One memory a bullet or paragraph group of a section; the headings above stand before it, because a
bullet alone (``- 用 pnpm``) does not say what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from brain.errors import BrainError
from brain.ingest import frontmatter
from brain.ingest.chat import cleaned
from brain.ingest.entry import MODEL, SEPARATOR, Entry, Fault, Found, evidence, source
from brain.ingest.files import File, unusable, whole
from brain.ingest.times import UNKNOWN, since
from brain.memory import DEFAULT_KIND, Draft, check_kind

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*\Z")
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)\Z")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_RULE = re.compile(r"[-*_ ]{3,}\Z")
_LINK_ALONE = re.compile(r"\[[^\]]*\]\([^)]*\)[ \t]*(?:[-—–:：].*)?\Z|@\S+\Z")

KINDS = {"feedback": "preference", "user": "fact", "project": "fact", "reference": DEFAULT_KIND}
"""What the ``type`` of a note in an agent's memory folder is among our kinds."""


@dataclass(slots=True)
class _Block:
    """Lines that belong together, the headings above them, and where they begin."""

    headings: tuple[str, ...]
    line: int
    lines: list[str] = field(default_factory=list)

    def text(self) -> str:
        return "\n".join(self.lines).strip()


def read(file: File) -> Iterator[Found]:
    """The memories of one Markdown file."""
    text = whole(file.path)
    head, body = frontmatter.split(text)
    skipped = text[: len(text) - len(body)].count("\n")
    kind = _kind(head)
    confidence = MODEL if file.path.name != "CLAUDE.md" and file.path.name != "AGENTS.md" else None
    title = (head.get("name") or head.get("title") or "").strip()
    when = head.get("created") or head.get("date")
    for block in _blocks(body, skipped):
        content = cleaned(block.text())
        if not content or _RULE.match(content):
            continue
        wrong = unusable(content)
        if wrong is not None:
            yield Fault(block.line, wrong)
            continue
        headings = [h for h in (title, *block.headings) if h]
        path = " > ".join(dict.fromkeys(headings))
        yield Entry(
            SEPARATOR.join((file.name, *block.headings)),
            Draft(
                f"{path}：{content}" if path else content,
                kind=kind,
                source=source("markdown", f"{file.name}#{block.line}"),
                confidence=confidence,
                valid_from=since(when) if when else UNKNOWN,
                evidence=evidence(file=file.name, line=block.line, section=path or None),
            ),
            place=block.line,
            alone=False,
        )


def _kind(head: dict[str, str]) -> str:
    given = head.get("kind") or KINDS.get(head.get("type", "").lower(), DEFAULT_KIND)
    try:
        return check_kind(given)
    except BrainError:
        return DEFAULT_KIND


def _blocks(body: str, before: int) -> Iterator[_Block]:
    """Cuts Markdown into bullets (with what is nested under them) and runs of paragraphs."""
    headings: list[tuple[int, str]] = []
    block: _Block | None = None
    in_bullet = fenced = False
    for number, line in enumerate(body.split("\n"), start=before + 1):
        inside = fenced
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if inside else _HEADING.match(line)
        bullet = None if inside or line[:1] in {" ", "\t"} else _BULLET.match(line)
        ends_bullet = in_bullet and not inside and line[:1] not in {" ", "\t", ""} and not bullet
        if (heading or bullet or ends_bullet) and block is not None:
            yield block
            block = None
        if heading:
            level = len(heading.group(1))
            headings = [(n, h) for n, h in headings if n < level] + [(level, heading.group(2))]
            in_bullet = False
            continue
        in_bullet = bool(bullet) or (in_bullet and not ends_bullet)
        if bullet and _LINK_ALONE.match(bullet.group(1)):
            # A table of contents: what it points to is a memory, the pointer is none.
            in_bullet = False
            continue
        if block is None:
            if not line.strip():
                continue
            block = _Block(tuple(h for _, h in headings if h), number)
        block.lines.append(bullet.group(1) if bullet else line)
    if block is not None:
        yield block
