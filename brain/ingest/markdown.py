"""Markdown notes and skills: CLAUDE.md, MEMORY.md, notes with front matter, SKILL.md.

A skill is one memory. Of notes, one memory a bullet or paragraph group of a section; the headings
above stand before it, because a bullet alone (``- 用 pnpm``) does not say what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from brain.errors import BrainError
from brain.ingest.chat import clean
from brain.ingest.entry import (
    MODEL,
    SEPARATOR,
    UNKNOWN,
    Entry,
    Fault,
    Found,
    evidence,
    named_day,
    since,
    source,
)
from brain.ingest.files import File, unusable, whole
from brain.memory import DEFAULT_KIND, SKILL_KIND, Draft
from brain.validate import check_kind

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*\Z")
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)\Z")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_RULE = re.compile(r"[-*_ ]{3,}\Z")
_LINK_ALONE = re.compile(r"\[[^\]]*\]\([^)]*\)[ \t]*(?:[-—–:：].*)?\Z|@\S+\Z")

KINDS = {"feedback": "preference", "user": "fact", "project": "fact", "reference": DEFAULT_KIND}
"""What the ``type`` of a note in an agent's memory folder is among our kinds."""

_HEAD = re.compile(
    r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)

_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")


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
    head, body = split(text)
    skipped = text[: len(text) - len(body)].count("\n")
    kind = _kind(head)
    confidence = MODEL if file.path.name != "CLAUDE.md" and file.path.name != "AGENTS.md" else None
    title = (head.get("name") or head.get("title") or "").strip()
    written = head.get("created") or head.get("date")
    when = since(written) if written else UNKNOWN
    if when == UNKNOWN:
        when = named_day(file.name)
    for block in _blocks(body, skipped):
        content = clean(block.text())
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
                valid_from=when,
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


def read_skill(file: File) -> Iterator[Found]:
    """The one skill of a ``SKILL.md``: its name, its description, its body."""
    text = whole(file.path)
    wrong = unusable(text)
    if wrong is not None:
        yield Fault(1, wrong)
        return
    head, body = split(text)
    folder = file.path.parent.name
    name = head.get("name") or folder
    parts = [name, head.get("description", ""), body.strip()]
    if not any(parts[1:]):
        yield Fault(1, "这个技能没有说明也没有正文，跳过了。")
        return
    yield Entry(
        file.name,
        Draft(
            "\n\n".join(part for part in parts if part),
            kind=SKILL_KIND,
            source=source("skill", name),
            valid_from=UNKNOWN,
            evidence=evidence(file=file.name),
        ),
        place=1,
    )
