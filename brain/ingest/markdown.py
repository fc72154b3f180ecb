"""Markdown notes and skills: CLAUDE.md, MEMORY.md, notes with front matter, Obsidian vaults, task
lists, plain text, SKILL.md.

A skill is one memory. Of notes, one memory a bullet or paragraph group of a section; the headings
above stand before it, because a bullet alone (``- 用 pnpm``) does not say what it is about. A saved
conversation becomes episodes, as any other does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from brain.errors import BrainError
from brain.ingest import dialogue
from brain.ingest.chat import Talk, clean, cleaned, episodes
from brain.ingest.entry import (
    MODEL,
    SEPARATOR,
    UNKNOWN,
    Entry,
    Fault,
    Found,
    evidence,
    filed_under,
    named_day,
    since,
    source,
    with_tags,
)
from brain.ingest.files import File, unusable, whole
from brain.ingest.tables import tags_of
from brain.memory import DEFAULT_KIND, SKILL_KIND, Draft
from brain.validate import check_kind

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*\Z")
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)\Z")
_TASK = re.compile(r"\[(.)\][ \t]+(.*)\Z")
_NESTED_TASK = re.compile(r"^([ \t]+(?:[-*+]|\d{1,3}[.)])[ \t]+)\[(.)\][ \t]+(.*)$", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(```|~~~)[ \t]*([\w-]*)")
_RULE = re.compile(r"[-*_ ]{3,}\Z")
_LINK_ALONE = re.compile(r"(?:\[[^\]]*\]\([^)]*\)[ \t]*(?:[-—–:：].*)?|!?\[\[[^\]]*\]\]|@\S+)\Z")

STATES = {
    " ": "未完成",
    "x": "已完成",
    "X": "已完成",
    "-": "已取消",
    "/": "进行中",
    ">": "已推迟",
    "<": "已排期",
    "?": "待确认",
    "!": "重要，未完成",
}
"""What stands in a task's brackets, in words: the first two are Markdown's, the others in use."""

KINDS = {"feedback": "preference", "user": "fact", "project": "fact", "reference": DEFAULT_KIND}
"""What the ``type`` of a note in an agent's memory folder is among our kinds."""

LONG_BLOCK = 1200
"""Characters beyond which paragraphs of one section are no longer one memory."""

_GENERATED = frozenset({"dataview", "dataviewjs", "tasks", "query", "base", "button"})
"""Languages of fenced blocks that say what a program is to show there."""

_TEMPLATER = re.compile(r"<%[-_*+]? *(?:tp\.|await )")
_PLACE = re.compile(r"\{\{ *(?:title|date|time)(?::[^}\n]{0,40})? *\}\}")
_TEMPLATES = frozenset({"template", "templates", "模板", "範本"})
_COMMENT = re.compile(r"(?<![\d%])%%(?!%).*?%%", re.DOTALL)
_INLINE_QUERY = re.compile(r"`\$?= [^`\n]*`")
_FIELD = re.compile(r"(?<![\w:])([^\s\[\]()：:]{1,30})::[ \t]")
_EMBED = re.compile(r"!\[\[[^\]\n]*\]\]")
_WIKI = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+$", re.MULTILINE)
_CALLOUT = re.compile(r"^> ?\[![\w-]+\][+-]?[ \t]*", re.MULTILINE)

_HEAD = re.compile(
    r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(r"([A-Za-z\u4e00-\u9fff][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)\Z")
_BLOCK_MARKS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})

_YEAR = re.compile(r"(?<!\d)(20\d\d)(?!\d)")
_MONTH = re.compile(r"(?<!\d)(\d{1,2})月")
_OF_YEAR = re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})[日号]?(?!\d)")
_OF_MONTH = re.compile(r"(?:\D{0,3})?(\d{1,2})[日号]")


@dataclass(slots=True)
class _Block:
    """Lines that belong together, the headings above them, and where they begin.

    Args:
        state: what stands in the brackets, of a task.
    """

    headings: tuple[str, ...]
    line: int
    lines: list[str] = field(default_factory=list)
    state: str | None = None

    def text(self) -> str:
        return "\n".join(self.lines).strip()


@dataclass(frozen=True, slots=True)
class _Note:
    """What the head of a note says of all that stands in it."""

    file: File
    kind: str
    title: str
    tags: Sequence[str]
    when: datetime | str
    confidence: float | None


def read(file: File) -> Iterator[Found]:
    """The memories of one Markdown file."""
    text = whole(file.path)
    head, body = split(text)
    skipped = text[: len(text) - len(body)].count("\n")
    if _is_template(file, text[: len(text) - len(body)], body):
        return  # what notes are made from is none
    note = _note(file, head)
    turns = dialogue.turns(body, skipped, note.when)
    if turns:
        yield from episodes("markdown", file.name, cleaned(Talk("markdown", file.name, turns)))
        return
    yield from _notes(note, _blocks(_without_private(body), skipped))


def read_text(file: File) -> Iterator[Found]:
    """The memories of one text file: a conversation's turns, or its paragraphs."""
    text = whole(file.path)
    note = replace(_note(file, {}), title="")
    turns = dialogue.turns(text, 0, note.when)
    if turns:
        yield from episodes("text", file.name, cleaned(Talk("text", file.name, turns)))
        return
    yield from _notes(note, _blocks(text, 0, each_paragraph=True), reader="text")


def _note(file: File, head: dict[str, str]) -> _Note:
    written = head.get("created") or head.get("date") or head.get("日期")
    when = since(written) if written else UNKNOWN
    own = file.path.name in {"CLAUDE.md", "AGENTS.md", "GEMINI.md"}
    title = (head.get("name") or head.get("title") or head.get("标题") or "").strip()
    aliases = tags_of(head.get("aliases") or head.get("alias") or head.get("别名") or "")
    if aliases:
        title = f"{title or file.stem}（又名{'、'.join(aliases)}）"
    tags = tags_of(head.get("tags") or head.get("tag") or head.get("标签") or "")
    if len(tags) == 1:
        tags = tags[0].split()  # tags: a b
    return _Note(
        file,
        _kind(head),
        title,
        tags,
        named_day(file.name) if when == UNKNOWN else when,
        None if own else MODEL,
    )


def _notes(note: _Note, blocks: Iterator[_Block], reader: str = "markdown") -> Iterator[Found]:
    told: Counter[str] = Counter()
    file = note.file
    for block in blocks:
        content = _plain(clean(block.text()))
        if not content or _RULE.match(content):
            continue
        wrong = unusable(content)
        if wrong is not None:
            yield Fault(block.line, wrong)
            continue
        key = [file.name, *block.headings]
        if block.state is not None:
            # A task is the same one whatever its state, so that ticking it is a change of it.
            first, _, more = content.partition("\n")
            task = SEPARATOR.join((*key, "task", first))
            told[task] += 1
            key += ["task", first, str(told[task])]
            content = "\n".join(part for part in (_stated(first, block.state), more) if part)
        content = _NESTED_TASK.sub(lambda m: m[1] + _stated(m[3], m[2]), content)
        headings = [_plain(h) for h in (note.title, *block.headings) if h]
        path = " > ".join(dict.fromkeys(headings))
        yield Entry(
            SEPARATOR.join(key),
            Draft(
                with_tags(f"{path}：{content}" if path else content, note.tags),
                tags=filed_under(note.tags),
                kind=note.kind,
                source=source(reader, f"{file.name}#{block.line}"),
                confidence=note.confidence,
                valid_from=_day(block.headings, file.name, note.when),
                evidence=evidence(file=file.name, line=block.line, section=path or None),
            ),
            place=block.line,
            alone=block.state is not None,
        )


def paragraphs(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(headings, words) of each bullet or paragraph group of a Markdown text."""
    for block in _blocks(text.replace("\r\n", "\n"), 0):
        said = _NESTED_TASK.sub(lambda m: m[1] + _stated(m[3], m[2]), clean(block.text()))
        if said and not _RULE.match(said):
            yield block.headings, said if block.state is None else _stated(said, block.state)


def _stated(task: str, mark: str) -> str:
    state = STATES.get(mark)
    return f"{task}（{state}）" if state else f"[{mark}] {task}"


def _kind(head: dict[str, str]) -> str:
    given = head.get("kind") or KINDS.get(head.get("type", "").lower(), DEFAULT_KIND)
    try:
        return check_kind(given)
    except BrainError:
        return DEFAULT_KIND


def _day(headings: Sequence[str], name: str, when: datetime | str) -> datetime | str:
    """The day of what stands under some headings: the innermost that names one, else the note's.

    A heading may leave out what an outer one, the file's name or the note's date says: the year of
    5月8日, the month of 8日.
    """
    for depth in range(len(headings), 0, -1):
        heading = headings[depth - 1]
        full = named_day(f"{heading}.")
        if full != UNKNOWN:
            return full
        outer = [*reversed(headings[: depth - 1]), name.rpartition(".")[0]]
        year = _first_of(_YEAR, outer) or (str(when.year) if isinstance(when, datetime) else "")
        of_year = _OF_YEAR.search(heading)
        if of_year and year:
            return since(f"{year}-{int(of_year[1]):02}-{int(of_year[2]):02}")
        of_month = _OF_MONTH.match(heading)
        month = _first_of(_MONTH, outer)
        if of_month and month and year:
            return since(f"{year}-{int(month):02}-{int(of_month[1]):02}")
    return when


def _first_of(pattern: re.Pattern[str], texts: Sequence[str]) -> str:
    found = next((m for m in map(pattern.search, texts) if m), None)
    return found[1] if found else ""


def _blocks(body: str, before: int, *, each_paragraph: bool = False) -> Iterator[_Block]:
    """Cuts Markdown into bullets (with what is nested under them) and runs of paragraphs.

    Args:
        before: lines of the file that stand before it.
        each_paragraph: every paragraph is a block of its own.
    """
    headings: list[tuple[int, str]] = []
    block: _Block | None = None
    in_bullet = fenced = generated = False
    size = 0
    for number, line in enumerate(body.split("\n"), start=before + 1):
        inside = fenced
        fence = _FENCE.match(line)
        if fence:
            fenced = not fenced
            generated = generated if inside else fence[2].lower() in _GENERATED
        if generated and (inside or fenced):
            generated = fenced
            continue
        heading = None if inside else _HEADING.match(line)
        bullet = None if inside or line[:1] in {" ", "\t"} else _BULLET.match(line)
        ends_bullet = in_bullet and not inside and line[:1] not in {" ", "\t", ""} and not bullet
        ends_paragraph = (
            block is not None
            and not in_bullet
            and not fenced
            and not line.strip()
            and (each_paragraph or size > LONG_BLOCK)
        )
        if (heading or bullet or ends_bullet or ends_paragraph) and block is not None:
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
            size = 0
        task = _TASK.match(bullet.group(1)) if bullet else None
        if task is not None:
            block.state = task[1]
        block.lines.append(task[2] if task else bullet.group(1) if bullet else line)
        size += len(line)
    if block is not None:
        yield block


# Obsidian ----------------------------------------------------------------------------------------


def _without_code(body: str) -> str:
    parts = re.split(r"^ {0,3}(?:```|~~~).*$", body, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", "\n".join(parts[::2]))


def _without_private(body: str) -> str:
    """A body without comments (``%%…%%``); each line stays the line it is."""
    if "%%" not in body:
        return body
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), body)


def _plain(text: str) -> str:
    """Words as a reader sees them: links by what they show, nothing that points or computes."""
    if "[[" in text:
        text = _WIKI.sub(_shown, _EMBED.sub("", text))
    if "`" in text:
        text = _INLINE_QUERY.sub("", text)
    if "::" in text and "```" not in text:
        text = _FIELD.sub(r"\1：", text)
    if "[!" in text:
        text = _CALLOUT.sub("> ", text)
    return (_BLOCK_ID.sub("", text) if "^" in text else text).strip()


def _shown(link: re.Match[str]) -> str:
    return (link[2] or link[1].replace("#^", "#").replace("#", " > ")).strip()


def _is_template(file: File, head: str, body: str) -> bool:
    """Whether notes are made from it: it has places to be filled in where a note has its title and
    date, or lies in a vault where templates do."""
    plain = _without_code(body)
    headings = "\n".join(line for line in plain.split("\n") if line.startswith("#"))
    if _TEMPLATER.search(plain) or _PLACE.search(head) or _PLACE.search(headings):
        return True
    folders = file.name.split("/")[:-1]
    if not any(folder.lower().strip("_ ") in _TEMPLATES for folder in folders):
        return False
    return any((up / ".obsidian").is_dir() for up in file.path.parents[: len(folders) + 1])


# Front matter ------------------------------------------------------------------------------------


def split(text: str) -> tuple[dict[str, str], str]:
    """The head's values by name, lower case, and the text behind it; of a list, with commas."""
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    values: dict[str, str] = {}
    name = ""
    listed = False
    for line in head.group(1).split("\n"):
        found = _LINE.match(line.rstrip())
        item = _ITEM.match(line.rstrip()) if name else None
        if item is not None and (listed or not values[name]):
            listed = True
            values[name] = ",".join(p for p in (values[name], _unquoted(item[1].strip())) if p)
        elif found is not None:
            name, listed = found.group(1).lower(), False
            values[name] = _unquoted((found.group(2) or "").strip())
        elif name and line[:1] in {" ", "\t"} and line.strip():
            before = "" if values[name] in _BLOCK_MARKS else values[name]
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
