"""Content-type detection by form, and lines with their ends; what is surely nothing else is prose.

Every kind has to hold for nearly all of the text: prose that begins with a bracket, has commas, or
quotes one table stays prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

JSON = "application/json"
NDJSON = "application/x-ndjson"
CSV = "text/csv"
TSV = "text/tab-separated-values"
TABLE = "text/markdown; table"
LOG = "text/x-log"
DIFF = "text/x-diff"
CODE = "text/x-code"
CONFIG = "text/x-config"
PROSE = "text/plain"
BINARY = "application/octet-stream"

_SAMPLE = 400
"""Lines looked at; the beginning tells."""

DEEPEST = 100
"""Brackets inside each other up to which JSON is handled as such."""

_MOST = 0.9
_HALF = 0.5
_WIDEST_CELL = 60
_HAN = re.compile("[\u3400-\u9fff]")
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?)?\s*\|?\s*$")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_]|[ -/]+[0-~])"
)
"""Terminal control sequences of ECMA-48: CSI, OSC and two-character ones."""

LEVELS = r"TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRIT(?:ICAL)?|SEVERE|PANIC"
_TIME = (
    r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[T ]?\s*\d{1,2}[:：]\d{2}|\d{1,2}:\d{2}:\d{2}"
    r"|\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}|\d{10}(?:\.\d+)?\s)"
)
LOG_HEAD = re.compile(
    rf"[\[【(<]?\s*(?:{_TIME}|(?:{LEVELS}|[EWIDF]\d{{4}})\b|(?:错误|警告|信息|调试|致命|异常"
    rf"|严重)[\]】：: ])"
    rf"|\S+ \S+ \S+ \[\d{{2}}/[A-Z][a-z]{{2}}/\d{{4}}"
    r"|(?:npm|yarn|pip|make|gcc|error|warning)\b\S*[:!\[ ]"
)
"""How a line of a log begins: a time or a level, in brackets or not."""

_TRACE_HEAD = re.compile(
    r"[\s|+]*(?:Exception Group )?Traceback \(most recent call last\):"
    r"|\s+at [\w.$<>\[\] ]+\(.*\)$|\s+at .+:\d+:\d+\)?$|goroutine \d+ \["
)
"""A line that only a stack trace has: of Python, of the JVM, of JavaScript, of Go."""

_CODE_LINE = re.compile(
    r"\s*(?:(?:async\s+)?def \w+\(|class \w+[(:{ ]|from [\w.]+ import |import [\w.{*\"' ]"
    r"|return\b|@\w+"
    r"|(?:public|private|protected|static|final|export|const|let|var|func|fn|struct|enum|impl|package"
    r"|using|namespace|type|interface)\s+\w|#include|if\s*\(|(?:el)?if .*:$|for\s*[( ].*[:{]$"
    r"|while\s*[( ]"
    r"|else\b|try\b|except\b|catch\b|\}|\w[\w.\[\]]* [-+*/|&]?= .+|.*[;{]\s*$|[\w.]+\(.*\)[;,]?$"
    r"|SELECT\b|INSERT\b|CREATE\b|\s+\w+ .*[,(]$|(?://|/\*|\*/|\#|\"\"\"|'''))"
)
_CODE_SURE = re.compile(
    r"^\s*(?:(?:async\s+)?def \w+\(|class \w+[(:{ ]|from [\w.]+ import |import [\w.]+;?$|#include\b"
    r"|(?:public|private|protected|export|static)\s+\w+|func \w+|func \(|fn \w+|package \w+;?$|#!/"
    r"|(?:const|let|var) \w+ =|function\s+\w+\("
    r"|CREATE (?:TABLE|INDEX|VIEW)\b|INSERT INTO\b|SELECT\b.*\bFROM\b)",
    re.MULTILINE,
)
_CONFIG_LINE = re.compile(
    r"\s*(?:[#;].*|\[{1,2}[\w.\"' :-]+\]{1,2}|---|\.\.\.|-\s+\S.*|-"
    r"|(?:export\s+)?[\"']?[\w./*-]+[\"']?"
    r"\s*(?:=|:(?=\s|$)).*|[\]}),]+)\s*$"
)
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_SECTION = re.compile(r"\s*\[{1,2}[\w.\"' -]+\]{1,2}\s*$")
_KEY = re.compile(r"(?:export\s+)?[\"']?([A-Za-z_][\w./-]*)[\"']?\s*(?:=|:(?=\s|$))")

_END = re.compile("\r\n|\n|\r")
_LINE = re.compile("[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def content_type(text: str) -> str:
    """The kind of a text, one of the constants of this module."""
    stripped = text.strip()
    if stripped[:1] in ("{", "[") and _is_json(stripped):
        return JSON
    lines = [line for line in split(text) if line.strip()]
    if len(lines) < 3:
        return LOG if ESCAPES.search(text) else PROSE
    sample = lines[:_SAMPLE]
    if _is_ndjson(sample):
        return NDJSON
    if any(_HUNK.match(line) for line in sample) or any(
        line.startswith("diff --git ") for line in sample
    ):
        return DIFF
    if _is_table(sample):
        return TABLE
    separator = delimiter(text)
    if separator:
        return TSV if separator == "\t" else CSV
    if _is_trace(sample):
        return LOG
    if ESCAPES.search(text) or _share(sample, LOG_HEAD) >= _HALF or _is_progress(text):
        return LOG
    if _is_config(sample) or _is_toml(text, sample):
        return CONFIG
    if _is_code(sample):
        return CODE
    return PROSE


def _share(lines: Sequence[str], pattern: re.Pattern[str]) -> float:
    return sum(pattern.match(line) is not None for line in lines) / len(lines)


def _depth(text: str) -> int:
    """The deepest nesting of brackets outside strings."""
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        mark = found.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest


def load(text: str, **hooks: Any) -> Any:
    """Parses JSON strictly: no NaN, no Infinity.

    Raises:
        ValueError: for anything else, and for what is nested too deep to be handled.
    """

    def refuse(name: str) -> None:
        raise ValueError(name)

    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise ValueError("nested too deep")
    try:
        return json.loads(text, parse_constant=refuse, **hooks)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _is_json(text: str) -> bool:
    try:
        load(text)
    except ValueError:
        return False
    return True


def _is_ndjson(lines: Sequence[str]) -> bool:
    if sum(line.lstrip()[:1] == "{" for line in lines) < _MOST * len(lines):
        return False
    return sum(_is_json(line.strip()) for line in lines) >= _MOST * len(lines)


def _is_table(lines: Sequence[str]) -> bool:
    if not any(_RULE.match(line) for line in lines[:3]):
        return False
    return sum("|" in line for line in lines) >= _MOST * len(lines)


def is_rule(line: str) -> bool:
    """Whether a line is the rule under a Markdown table's header."""
    return _RULE.match(line) is not None


def _is_trace(lines: Sequence[str]) -> bool:
    """Whether it is a stack trace and little else."""
    if not any(_TRACE_HEAD.match(line) for line in lines):
        return False
    return sum(line[0] in " \t" for line in lines) >= _HALF * len(lines)


def _is_progress(text: str) -> bool:
    return text.replace("\r\n", "").count("\r") >= 3


def delimiter(text: str) -> str:
    """What separates the columns of a table in CSV form; '' where it is none.

    The columns are as many in every row, the header's cells short and no numbers, and the cells
    no sentences.
    """
    for mark in ("\t", ",", ";"):
        lines = with_ends(text.lstrip("\ufeff"))
        if mark not in lines[0]:
            continue
        import csv

        try:
            rows = [row for row in csv.reader(lines[:_SAMPLE], delimiter=mark, strict=True) if row]
        except csv.Error:
            if len(lines) <= _SAMPLE:
                continue
            rows = [row for row in csv.reader(lines[:_SAMPLE], delimiter=mark) if row][:-1]
        if len(rows) < 3 or len(rows[0]) < 2:
            continue
        wide = len(rows[0])
        if sum(len(row) == wide for row in rows) < 0.95 * len(rows):
            continue
        if all(_is_header(cell) for cell in rows[0]) and len(set(rows[0])) == wide:
            cells = [cell for row in rows for cell in row]
            if wide > 2 or sum(map(len, cells)) <= _WIDEST_CELL / 2 * len(cells):
                return mark
    return ""


def _is_header(cell: str) -> bool:
    cell = cell.strip()
    return (
        0 < len(cell) <= _WIDEST_CELL / 2
        and not re.fullmatch(r"[-+\d.,:/ ]+", cell)
        and not re.search(r"[。！？；，]|[.!?]$|\d{4}-\d\d|\n", cell)
        and len(cell.split()) <= 4
    )


def _is_config(lines: Sequence[str]) -> bool:
    if _share(lines, _CONFIG_LINE) < _MOST:
        return False
    keys = [m.group(1) for line in lines if (m := _KEY.match(line.strip()))]
    top = [m.group(1) for line in lines if (m := _KEY.match(line))]
    listed = sum(line.lstrip().startswith("- ") for line in lines)
    sections = any(_SECTION.match(line) for line in lines)
    sentences = sum(line.rstrip().endswith(("。", "！", "？")) for line in lines)
    return (
        len(keys) >= 3
        and len(keys) + listed >= 0.3 * len(lines)
        and (listed < 0.9 * len(lines))
        and (sections or len(set(top)) >= 0.8 * len(top))
        and sentences <= 0.1 * len(lines)
    )


def _is_toml(text: str, lines: Sequence[str]) -> bool:
    """Whether it parses as TOML with sections; strings over several lines hide its form."""
    if not any(_SECTION.match(line) for line in lines):
        return False
    import tomllib

    try:
        return bool(tomllib.loads(text))
    except ValueError:
        return False


def _is_code(lines: Sequence[str]) -> bool:
    sure = len(_CODE_SURE.findall("\n".join(lines)))
    ended = sum(line.rstrip().endswith(("。", "！", "？", "；", "，")) for line in lines)
    if ended > 0.2 * len(lines):
        return False
    share = _share(lines, _CODE_LINE)
    return (sure >= 2 and share >= 0.3) or (sure >= 1 and share >= _HALF)


def split(text: str) -> list[str]:
    """The lines of a text without their ends; a final end makes no empty line."""
    lines = _END.split(text)
    return lines[:-1] if not lines[-1] else lines


def with_ends(text: str) -> list[str]:
    """The lines of a text, each with its end."""
    return _LINE.findall(text)
