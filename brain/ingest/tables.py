"""Tabular notes: JSON Lines ``{text, kind?, …}`` and CSV with a head line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from brain.ingest.entry import (
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
from brain.ingest.files import LONGEST_LINE, File, opened, unusable
from brain.ingest.records import label, name_of, of_lines
from brain.memory import DEFAULT_IMPORTANCE, DEFAULT_KIND, Draft

TEXTS = ("text", "content", "memory", "内容", "文本", "记忆", "內容", "記憶")
KINDS = ("kind", "type", "类型", "類型", "类别")
IDS = ("id", "编号", "編號")
STARTS = ("created_at", "timestamp", "date", "时间", "日期", "時間")
SOURCES = ("source", "来源", "來源")
IMPORTANCES = ("importance", "priority", "重要度", "重要性", "重要程度", "优先级", "優先級")
CONFIDENCES = ("confidence", "可信度", "置信度")
TAGS = ("tags", "tag", "labels", "label", "keywords", "标签", "標籤", "关键词")

_LEVELS = {
    0.9: "最高 很高 高 重要 很重要 紧急 p0 p1 high highest critical urgent 是",
    0.5: "中 中等 一般 普通 p2 medium normal",
    0.2: "低 较低 不重要 p3 p4 low lowest minor 否",
}
_LEVEL = {word: level for level, words in _LEVELS.items() for word in words.split()}
_SCALES = (1, 5, 10, 100)
"""What the highest importance of a table may mean: the least of these that is not below it."""

_BETWEEN_TAGS = re.compile(r"[,;|、，；\n]|\s+(?=#)|\s{2,}")


def fits(value: Mapping[str, Any]) -> bool:
    """Whether a row names a text."""
    return any(isinstance(value.get(name), str) for name in TEXTS)


def read_jsonl(file: File) -> Iterator[Found]:
    """One memory a line."""
    for record in of_lines(file.path, mend=False):
        if isinstance(record, Fault):
            yield record
        else:
            yield _entry(file, record.value, record.number, record.at, 1)


def read_csv(file: File) -> Iterator[Found]:
    """One memory a row; the head line names the columns, in English or Chinese."""
    scale = _scale(file)
    for row, number, at in _rows(file):
        yield row if isinstance(row, Fault) else _entry(file, row, number, at, scale)


def _rows(file: File) -> Iterator[tuple[dict[str, str] | Fault, int, int]]:
    csv.field_size_limit(LONGEST_LINE)
    with opened(file.path) as text:
        stream = text.stream
        head = stream.readline(LONGEST_LINE)
        delimiter = max(",\t;", key=head.count)
        names = next(csv.reader([head], delimiter=delimiter), [])
        rows = csv.reader(stream, delimiter=delimiter)
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as e:
                told = f"这一行不是完整的 CSV（{e}），跳过了。"
                yield Fault(rows.line_num + 1, told, text.at()), 0, 0
                continue
            if row:
                value = {name.strip().lower(): cell for name, cell in zip(names, row, strict=False)}
                yield value, rows.line_num + 1, text.at()


def _scale(file: File) -> int:
    """What the importances of a table are out of, by the highest of them."""
    highest = 0.0
    for row, _, _ in _rows(file):
        told = None if isinstance(row, Fault) else _first(row, IMPORTANCES)
        if told is not None:
            highest = max(highest, _float(told) or 0.0)
    return next((scale for scale in _SCALES if highest <= scale), 1)


def importance(told: object, scale: int) -> float:
    """An importance as a person writes it: a number out of ``scale``, 80%, or a word like 高.

    Raises:
        ValueError: it is none of these.
    """
    word = told.strip().lower() if isinstance(told, str) else ""
    return _LEVEL[word] if word in _LEVEL else _part(told, scale)


def _part(told: object, scale: int = 1) -> float:
    if isinstance(told, str) and told.strip().endswith("%"):
        told, scale = told.strip()[:-1], 100
    number = _float(told)
    if number is None:
        raise ValueError(told)
    return number / scale


def _float(told: object) -> float | None:
    if isinstance(told, bool) or not isinstance(told, int | float | str):
        return None
    try:
        return float(told)
    except (ValueError, OverflowError):
        return None


def tags_of(told: object) -> list[str]:
    """Tags as a person writes them: a list, or words with commas, 、 or # between."""
    if isinstance(told, str) and told.strip()[:1] == "[":
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            told = str(told).strip("[] \t")
    given = told if isinstance(told, list) else _BETWEEN_TAGS.split(label(told))
    names = (label(each).strip(" \t#\"'") for each in given)
    return list(dict.fromkeys(name for name in names if name))


def _entry(file: File, row: Mapping[str, Any], number: int, at: int, scale: int) -> Found:
    text = _first(row, TEXTS)
    if not isinstance(text, str) or not text.strip():
        return Fault(number, "这一行没有 text（内容），跳过了。", at)
    wrong = unusable(json.dumps(row, ensure_ascii=False, default=str))
    if "\0" in text:
        wrong = unusable(text)
    if wrong is not None:
        return Fault(number, wrong, at)
    name = _name(_first(row, IDS))
    start = row.get("valid_from")
    if _empty(start):
        told = _first(row, STARTS)
        start = named_day(file.name) if told is None else since(_number(told))
    tags = tags_of(_first(row, TAGS))
    rank, sure = _first(row, IMPORTANCES), _first(row, CONFIDENCES)
    try:
        draft = Draft(
            with_tags(text, tags),
            tags=filed_under(tags),
            kind=str(_first(row, KINDS) or DEFAULT_KIND).lower(),
            scope=str(row.get("scope") or ""),
            source=str(_first(row, SOURCES) or "") or source("file", f"{file.name}#{number}"),
            importance=DEFAULT_IMPORTANCE if rank is None else importance(rank, scale),
            confidence=None if sure is None else _part(sure),
            valid_from=_moment(start),
            valid_to=_moment(row.get("valid_to")) or None,
            evidence=str(row.get("evidence") or "")
            or evidence(file=file.name, line=number, id=name or None),
        )
    except ValueError:
        return Fault(number, "这一行的 importance 或 confidence 不是数字，跳过了。", at)
    key = f"{file.name}{SEPARATOR}#{name}" if name else f"{file.name}{SEPARATOR}:{number}"
    return Entry(key, draft, number, at=at, alone=bool(name))


def _empty(value: object) -> bool:
    return value is None or value == ""


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if not _empty(row.get(name))), None)


def _name(value: object) -> str:
    return name_of(value) or ("" if value is None else json.dumps(value, ensure_ascii=False))


def _moment(value: Any) -> Any:
    """A time as a draft takes it; any other value as its text, which is then refused by name."""
    if _empty(value) or value == UNKNOWN:
        return value
    return value if not isinstance(value, bool | list | dict | int | float) else _told(value)


def _told(value: object) -> Any:
    found = since(value)
    return json.dumps(value, ensure_ascii=False) if found == UNKNOWN else found


def _number(value: Any) -> Any:
    if isinstance(value, str):
        number = _float(value)
        return value if number is None else number
    return value
