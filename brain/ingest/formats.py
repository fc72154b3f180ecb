"""Format detection: the formats there are, and telling by a file's content which one it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brain.errors import EXIT_NO_INPUT, EXIT_USAGE, BrainError
from brain.ingest import apps, archives, conversations, engines, hermes, markdown, tables
from brain.ingest import transcripts as t
from brain.ingest.archives import Unpacked
from brain.ingest.chat import Told
from brain.ingest.entry import Fault
from brain.ingest.files import (
    COMPRESSED,
    File,
    binary,
    encoding_of,
    reading_errors,
    uncompressed_suffix,
)
from brain.ingest.records import of_array, of_lines
from brain.store import chat_db, hermes_db

SKILL_FILE = "SKILL.md"
_LOOKED_AT = 20
_START = 65536
_SUFFIXES = frozenset(
    {".md", ".markdown", ".txt", ".jsonl", ".ndjson", ".json", ".csv", ".tsv"}
    | {".db", ".sqlite", ".vscdb"}
)
_DOCUMENTS = frozenset(
    {".doc", ".docx", ".odt", ".rtf", ".pages", ".pdf", ".epub", ".html", ".htm", ".mht", ".enex"}
    | {".xls", ".xlsx", ".ods", ".ppt", ".pptx"}
)
"""Files that hold words in a form nothing here reads: of a folder they are named."""

UNREAD = "还不会读这种文件，跳过了；请先存成 .txt 或 .md。"
LINKED = "这是链接，通到要读的文件夹以外，没有跟去；要收它，请直接给出它通到的路径。"

_NO_MEMORIES = frozenset({"node_modules", "__pycache__", "tool-results"})
_NO_NOTES = re.compile(
    r"(?:(?:dev-|test-)?requirements[\w.-]*|constraints|robots|humans|license|licence|copying|notice"
    r"|cmakelists|manifest|version|sources|top_level|entry_points|dependency_links)\.txt",
    re.IGNORECASE,
)
"""Text files that programs write or read; as a folder's notes they would be noise."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Args:
        name: what ``--format`` takes.
        title: what a person calls it, Chinese.
        read: gives the entries of one file; None for Hermes, which is read by message ids.
        suffixes: names of files that ``--format`` takes out of a folder.
        state: the files say what holds, so that what is gone from them has expired.
        chat: a text that changed was told further, not replaced by the world.
    """

    name: str
    title: str
    read: Callable[[File], Iterator[Told]] | None
    suffixes: tuple[str, ...]
    state: bool = False
    chat: bool = False


_ALL = (
    Format(hermes.READER, "Hermes 的 state.db", None, (".db",), chat=True),
    Format("skills", "技能文件夹（SKILL.md）", markdown.read_skill, (SKILL_FILE,), state=True),
    Format("claude-code", "Claude Code 会话", t.read_claude, (".jsonl",), chat=True),
    Format(
        "markdown",
        "Markdown 笔记（CLAUDE.md、MEMORY.md、Obsidian）",
        markdown.read,
        (".md", ".markdown"),
        state=True,
    ),
    Format("text", "纯文本 .txt", markdown.read_text, (".txt",), state=True),
    Format("codex", "Codex CLI 会话", t.read_codex, (".jsonl",), chat=True),
    Format("openclaw", "OpenClaw 会话", t.read_openclaw, (".jsonl",), chat=True),
    Format("cursor", "Cursor 的 state.vscdb", apps.read_cursor_db, (".vscdb",), chat=True),
    Format("cursor-cli", "Cursor CLI 会话", t.read_cursor, (".jsonl",), chat=True),
    Format("gemini-cli", "Gemini CLI 会话", t.read_gemini, (".json", ".jsonl"), chat=True),
    Format(
        "cherry-studio",
        "Cherry Studio 的数据库或备份",
        apps.read_cherry,
        (".sqlite", ".db", ".json"),
        chat=True,
    ),
    Format(
        "chatgpt",
        "ChatGPT 导出的 conversations.json",
        conversations.read_chatgpt,
        (".json",),
        chat=True,
    ),
    Format(
        "deepseek",
        "DeepSeek 导出的 conversations.json",
        conversations.read_deepseek,
        (".json",),
        chat=True,
    ),
    Format(
        "claude-ai",
        "Claude.ai 导出的 conversations.json",
        conversations.read_claude_ai,
        (".json",),
        chat=True,
    ),
    Format(
        "claude-ai-notes",
        "Claude.ai 导出的 memories.json、projects",
        conversations.read_claude_ai_notes,
        (".json",),
        state=True,
    ),
    Format("mem0", "mem0 的 get_all", engines.read_mem0, (".json",)),
    Format(
        "mcp-memory",
        "MCP 参考实现的 memory.jsonl",
        engines.read_graph,
        (".jsonl", ".json"),
        state=True,
    ),
    Format("jsonl", "JSON Lines，每行 {text, kind?, …}", tables.read_jsonl, (".jsonl", ".ndjson")),
    Format("csv", "CSV 或 TSV，首行是列名", tables.read_csv, (".csv", ".tsv")),
)
FORMATS: Mapping[str, Format] = {f.name: f for f in _ALL}

Fits = Callable[[dict[str, Any]], bool]

_LINES: tuple[tuple[Fits, str], ...] = (
    (engines.fits_graph, "mcp-memory"),
    (t.fits_codex, "codex"),
    (t.fits_openclaw, "openclaw"),
    (t.fits_gemini, "gemini-cli"),
    (t.fits_claude, "claude-code"),
    (t.fits_cursor, "cursor-cli"),
    (tables.fits, "jsonl"),
)
_ELEMENTS: tuple[tuple[Fits, str], ...] = (
    (conversations.fits_deepseek, "deepseek"),
    (conversations.fits_chatgpt, "chatgpt"),
    (conversations.fits_claude_ai, "claude-ai"),
    (conversations.fits_claude_ai_notes, "claude-ai-notes"),
    (engines.fits_mem0, "mem0"),
    (t.fits_gemini_turn, "gemini-cli"),
)
_OBJECTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (('"sessionId"', '"projectHash"'), "gemini-cli"),
    (('"chat_messages"',), "claude-ai"),
    (('"conversations_memory"',), "claude-ai-notes"),
    (('"docs"', '"uuid"'), "claude-ai-notes"),
)
"""What stands in the first part of a file that is one object, over several lines or one."""


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one format, to be read together.

    Args:
        root: what the user gave; with the format it is the source's identity.
    """

    format: Format
    root: Path
    files: tuple[File, ...]
    faults: tuple[tuple[str, Fault], ...] = field(default=())


def parts(path: Path, name: str | None, unpacked: Unpacked) -> list[Part]:
    """What is to be read at a path.

    Args:
        path: a file, an archive or a folder.
        name: a format, or None to tell by the content.
        unpacked: where archives go while they are read.

    Raises:
        BrainError: ``brain_ingest_format_unknown`` (2), ``brain_ingest_missing`` (66),
            ``brain_ingest_unreadable`` (74), ``brain_ingest_encoding`` (65),
            ``brain_ingest_zstd`` (69), ``brain_ingest_format`` (65) when it is none we know, or
            not the one that was named.
    """
    if name is not None and name not in FORMATS:
        names = "、".join(FORMATS)
        raise BrainError(
            "brain_ingest_format_unknown", f"没有格式「{name[:40]}」；可选：{names}。", EXIT_USAGE
        )
    root = Path(os.path.abspath(path))
    with reading_errors(path):
        is_folder = root.is_dir()
        if not is_folder and not root.is_file():
            shown = str(path).encode("utf-8", "replace").decode("utf-8")
            raise BrainError(
                "brain_ingest_missing", f"没有这个文件或文件夹：{shown}", EXIT_NO_INPUT
            )
        if is_folder or archives.is_archive(root):
            return _of_many(root, name, unpacked)
        found = recognise(root)
        if name is not None and found != name and not _may_be(root, name):
            like = f"，像是 {found}" if found else ""
            kind = f"{name}（{FORMATS[name].title}）"
            told = f"{path} 不是 {kind}{like}；不指明格式（format）时看内容认。"
            raise BrainError("brain_ingest_format", told)
    if name is None and found is None:
        raise BrainError(
            "brain_ingest_format",
            f"认不出 {path} 是什么格式；请指明格式（format）：{'、'.join(FORMATS)}。",
        )
    return [Part(FORMATS[name or found or ""], root, (File(root, root.name),))]


def _of_many(root: Path, name: str | None, unpacked: Unpacked) -> list[Part]:
    found: dict[str, list[File]] = {}
    unknown: list[tuple[str, Fault]] = []
    others: list[str] = []
    for file, fault in _files(root, unpacked):
        if fault is not None:
            unknown.append((file.name, fault))
            continue
        path = file.path
        if name is not None and not _bare(path.name).endswith(FORMATS[name].suffixes):
            continue
        if path.suffix.lower() in _DOCUMENTS:
            unknown.append((file.name, Fault(0, UNREAD)))
            continue
        try:
            with reading_errors(path):
                told = recognise(path)
                if name is not None and told != name and _may_be(path, name):
                    told = name
        except BrainError as e:
            unknown.append((file.name, Fault(0, e.message)))
            continue
        if told is not None and name in (None, told):
            found.setdefault(told, []).append(file)
        elif not path.stat().st_size:
            continue
        elif name is not None:
            unknown.append((file.name, Fault(0, f"这个文件不是 {name}，跳过了。")))
        elif uncompressed_suffix(path) == ".jsonl":
            unknown.append((file.name, Fault(0, "认不出这个文件的格式，跳过了。")))
        else:
            others.append(file.name)
    if not found and not unknown:
        some = f"；看过的有 {'、'.join(others[:5])}" if others else ""
        kind = "压缩包" if root.is_file() else "文件夹"
        raise BrainError("brain_ingest_format", f"这个{kind}里没有认得出的文件：{root}{some}")
    if not found:
        # Never a plain success with nothing: whatever could not be read is named.
        unknown += [(each, Fault(0, "认不出这个文件的格式，跳过了。")) for each in others]
    made = [Part(FORMATS[n], root, tuple(files)) for n, files in sorted(found.items())]
    if unknown:
        rest = Part(FORMATS[name or "jsonl"], root, (), tuple(unknown))
        made = [*made, rest]
    return made


def _files(root: Path, unpacked: Unpacked) -> Iterator[tuple[File, Fault | None]]:
    """What a folder or archive holds, archives in a folder opened too; faults for the others."""
    paths = [root] if root.is_file() else _walk(root)
    for path in paths:
        inner = "" if path == root else path.relative_to(root).as_posix()
        if path != root and path.is_symlink():
            yield File(path, inner), Fault(0, LINKED)
            continue
        if path.suffix.lower() != archives.SUFFIX:
            yield File(path, inner), None
            continue
        try:
            files, faults = unpacked.members(path, f"{inner}/" if inner else "", _SUFFIXES)
        except BrainError as e:
            if path == root:
                raise
            yield File(path, inner), Fault(0, e.message)
            continue
        yield from ((file, None) for file in files)
        yield from ((File(path, where), fault) for where, fault in faults)


def _walk(root: Path) -> Iterator[Path]:
    """The files of a folder that may hold memories, in a stable order.

    Links are not followed: they would bring in what the folder's maker has elsewhere, or another
    user's lure. Those that lead to what the walk does not come by are given too.
    """
    real = Path(os.path.realpath(root))
    for folder, folders, names in os.walk(root):  # follows no link to a folder
        folders[:] = sorted(f for f in folders if _holds_memories(f))
        if SKILL_FILE in names:
            # What lies beside a skill belongs to it.
            folders[:] = []
            names = [SKILL_FILE]
        yield from (p for p in (Path(folder, f) for f in folders) if _leads_away(p, real))
        for name in sorted(names):
            path = Path(folder, name)
            suffix = uncompressed_suffix(path)
            wanted = suffix in _SUFFIXES | _DOCUMENTS or suffix == archives.SUFFIX
            if not wanted or _NO_NOTES.match(name):
                continue
            if _leads_away(path, real) or (path.is_file() and not path.is_symlink()):
                yield path


def _holds_memories(folder: str) -> bool:
    return not folder.startswith(".") and folder not in _NO_MEMORIES


def _leads_away(path: Path, root: Path) -> bool:
    """Whether it is a link to something that is not read anyway, as a part of the folder.

    Args:
        root: the folder's real path.
    """
    if not path.is_symlink():
        return False
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(root):
        return True
    return not all(_holds_memories(part) for part in target.relative_to(root).parts)


def _bare(name: str) -> str:
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name


_OURS = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:"
    rb'\{"type": ?"header", ?"format": ?"brain"'
    rb"|# [a-z][a-z0-9_-]* <!-- brain \{)"
)
"""How both kinds of export begin; see docs/formats.md."""


def recognise(path: Path) -> str | None:
    """The format of a file, by its content first; None when it is none we know.

    Raises:
        BrainError: ``brain_ingest_format`` (65) for an export of ours: read as another program's
            it would come in without its ids, its history, and what has been retracted since; as
            :func:`brain.ingest.files.encoding_of`.
    """
    if path.name == SKILL_FILE:
        return "skills"
    with binary(path) as (f, _):
        if _OURS.match(f.read(512)):
            told = f"这是 brain 自己导出的，没有收；请用 brain import：{path.name}"
            raise BrainError("brain_ingest_format", told)
    if hermes_db.is_sqlite(path):
        return _of_database(path)
    suffix = uncompressed_suffix(path)
    if suffix in {".md", ".markdown"}:
        return "markdown"
    try:
        encoding = encoding_of(path)
    except BrainError:
        if suffix in _SUFFIXES:
            raise
        return None
    with binary(path) as (f, _):
        start = f.read(_START).decode(encoding, "replace").lstrip("\ufeff \t\r\n")
    told_by_content = _of_text(path, start)
    return told_by_content or ("text" if suffix == ".txt" and start.strip() else None)


def _of_text(path: Path, start: str) -> str | None:
    if start.startswith("["):
        return _first_fit(of_array(path), _ELEMENTS)
    if start.startswith("{"):
        return _first_fit(of_lines(path), _LINES) or _of_object(start)
    named = {
        cell.strip().strip('"').lower()
        for cell in start.partition("\n")[0].replace("\t", ",").replace(";", ",").split(",")
    }
    return "csv" if named & set(tables.TEXTS) else None


def _of_database(path: Path) -> str | None:
    if hermes_db.fits(path):
        return hermes.READER
    if chat_db.fits_cherry(path):
        return "cherry-studio"
    return "cursor" if chat_db.fits_cursor(path) else None


def _first_fit(records: Iterator[Any], tests: tuple[tuple[Fits, str], ...]) -> str | None:
    for _, record in zip(range(_LOOKED_AT), records, strict=False):
        if not isinstance(record, Fault):
            for fits, name in tests:
                if fits(record.value):
                    return name
    return None


def _of_object(start: str) -> str | None:
    if apps.fits_cherry(start):
        return "cherry-studio"
    for wanted, name in _OBJECTS:
        if all(key in start for key in wanted):
            return name
    listed = '"results"' in start or '"memories"' in start
    return "mem0" if listed and '"memory"' in start else None


def _may_be(path: Path, name: str) -> bool:
    """Whether a file may be read in a format that its content does not show at once."""
    if name == hermes.READER:
        return True  # says itself what is wrong with it
    if hermes_db.is_sqlite(path) or not path.stat().st_size:
        return False
    if name in {"markdown", "text", "skills"}:
        return bool(encoding_of(path))
    if {name, recognise(path)} == {"chatgpt", "deepseek"}:
        return True  # trees alike
    tests = [fits for fits, n in _LINES if n == name]
    if not tests:
        return False
    for number, record in enumerate(of_lines(path)):
        if not isinstance(record, Fault) and any(fits(record.value) for fits in tests):
            return True
        if number >= 50 * _LOOKED_AT:
            break
    return False
