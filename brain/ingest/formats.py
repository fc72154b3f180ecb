"""Format detection: the formats there are, and telling by a file's content which one it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brain.errors import EXIT_NO_INPUT, EXIT_USAGE, BrainError
from brain.ingest import conversations, engines, hermes, markdown, tables, transcripts
from brain.ingest.entry import Fault, Found
from brain.ingest.files import File, encoding_of, is_within, reading_errors
from brain.ingest.records import of_array, of_lines
from brain.store import hermes_db

SKILL_FILE = "SKILL.md"
_LOOKED_AT = 20
_SUFFIXES = frozenset({".md", ".markdown", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".db"})
_NO_MEMORIES = frozenset({"node_modules", "__pycache__"})


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
    read: Callable[[File], Iterator[Found]] | None
    suffixes: tuple[str, ...]
    state: bool = False
    chat: bool = False


_ALL = (
    Format(hermes.READER, "Hermes 的 state.db", None, (".db",), chat=True),
    Format("skills", "技能文件夹（SKILL.md）", markdown.read_skill, (SKILL_FILE,), state=True),
    Format("claude-code", "Claude Code 会话", transcripts.read_claude, (".jsonl",), chat=True),
    Format(
        "markdown",
        "Markdown 笔记（CLAUDE.md、MEMORY.md、记忆文件夹）",
        markdown.read,
        (".md", ".markdown"),
        state=True,
    ),
    Format("codex", "Codex CLI 会话", transcripts.read_codex, (".jsonl",), chat=True),
    Format("openclaw", "OpenClaw 会话", transcripts.read_openclaw, (".jsonl",), chat=True),
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

_LINES: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...] = (
    (engines.fits_graph, "mcp-memory"),
    (transcripts.fits_codex, "codex"),
    (transcripts.fits_openclaw, "openclaw"),
    (transcripts.fits_claude, "claude-code"),
    (tables.fits, "jsonl"),
)
_ELEMENTS: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...] = (
    (conversations.fits_deepseek, "deepseek"),
    (conversations.fits_chatgpt, "chatgpt"),
    (engines.fits_mem0, "mem0"),
)


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


def parts(path: Path, name: str | None) -> list[Part]:
    """What is to be read at a path.

    Args:
        path: a file or folder.
        name: a format, or None to tell by the content.

    Raises:
        BrainError: ``brain_ingest_format_unknown`` (2), ``brain_ingest_missing`` (66),
            ``brain_ingest_unreadable`` (74), ``brain_ingest_format`` (65) when it is none we know.
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
        if is_folder:
            return _of_folder(root, name)
        found = name or recognise(root)
    if found is None:
        raise BrainError(
            "brain_ingest_format",
            f"认不出 {path} 是什么格式；请指明格式（format）：{'、'.join(FORMATS)}。",
        )
    return [Part(FORMATS[found], root, (File(root, root.name),))]


def _of_folder(root: Path, name: str | None) -> list[Part]:
    found: dict[str, list[File]] = {}
    unknown: list[tuple[str, Fault]] = []
    for path in _walk(root):
        file = File(path, path.relative_to(root).as_posix())
        if name is not None:
            if path.name.endswith(FORMATS[name].suffixes):
                found.setdefault(name, []).append(file)
            continue
        try:
            with reading_errors(path):
                told = recognise(path)
        except BrainError as e:
            unknown.append((file.name, Fault(0, e.message)))
            continue
        if told is not None:
            found.setdefault(told, []).append(file)
        elif path.suffix == ".jsonl" and path.stat().st_size:
            unknown.append((file.name, Fault(0, "认不出这个文件的格式，跳过了。")))
    if not found and not unknown:
        raise BrainError("brain_ingest_format", f"这个文件夹里没有认得出的文件：{root}")
    made = [Part(FORMATS[n], root, tuple(files)) for n, files in sorted(found.items())]
    if unknown:
        rest = Part(FORMATS["jsonl"], root, (), tuple(unknown))
        made = [*made, rest]
    return made


def _walk(root: Path) -> Iterator[Path]:
    """The files of a folder that may hold memories, in a stable order; links are not followed."""
    for folder, folders, names in os.walk(root):  # follows no link to a folder
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _NO_MEMORIES)
        if SKILL_FILE in names:
            # What lies beside a skill belongs to it.
            folders[:] = []
            names = [SKILL_FILE]
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix.lower() in _SUFFIXES and path.is_file() and is_within(path, root):
                yield path


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
            it would come in without its ids, its history, and what has been retracted since.
    """
    if path.name == SKILL_FILE:
        return "skills"
    with path.open("rb") as f:
        if _OURS.match(f.read(512)):
            told = f"这是 brain 自己导出的，没有收；请用 brain import：{path.name}"
            raise BrainError("brain_ingest_format", told)
    if hermes_db.fits(path):
        return hermes.READER
    suffix = path.suffix.lower()
    if suffix in {".md", ".markdown"}:
        return "markdown"
    with path.open("rb") as f:
        start = f.read(65536).decode(encoding_of(path), "replace").lstrip("\ufeff \t\r\n")
    if start.startswith("["):
        return _first_fit(of_array(path), _ELEMENTS)
    if start.startswith("{"):
        return _first_fit(of_lines(path), _LINES) or _of_object(start)
    named = {
        cell.strip().strip('"').lower()
        for cell in start.partition("\n")[0].replace("\t", ",").replace(";", ",").split(",")
    }
    return "csv" if named & set(tables.TEXTS) else None


def _first_fit(
    records: Iterator[Any], tests: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...]
) -> str | None:
    for _, record in zip(range(_LOOKED_AT), records, strict=False):
        if not isinstance(record, Fault):
            for fits, name in tests:
                if fits(record.value):
                    return name
    return None


def _of_object(start: str) -> str | None:
    listed = '"results"' in start or '"memories"' in start
    return "mem0" if listed and '"memory"' in start else None
