"""Tabular notes: JSON Lines ``{text, kind?, …}`` and CSV with a head line."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any

from brain.ingest.entry import (
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
from brain.ingest.files import LONGEST_LINE, File, opened, unusable
from brain.ingest.records import of_lines
from brain.memory import DEFAULT_IMPORTANCE, DEFAULT_KIND, Draft

TEXTS = ("text", "content", "memory", "内容", "文本", "记忆")
KINDS = ("kind", "type", "类型")
IDS = ("id", "编号")
STARTS = ("created_at", "timestamp", "date", "时间", "日期")
SOURCES = ("source", "来源")


def fits(value: Mapping[str, Any]) -> bool:
    """Whether a row names a text."""
    return any(isinstance(value.get(name), str) for name in TEXTS)


def read_jsonl(file: File) -> Iterator[Found]:
    """One memory a line."""
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
        else:
            yield _entry(file, record.value, record.number, record.at)


def read_csv(file: File) -> Iterator[Found]:
    """One memory a row; the head line names the columns, in English or Chinese."""
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
                yield Fault(rows.line_num + 1, f"这一行不是完整的 CSV（{e}），跳过了。", text.at())
                continue
            if row:
                value = {name.strip().lower(): cell for name, cell in zip(names, row, strict=False)}
                yield _entry(file, value, rows.line_num + 1, text.at())


def _entry(file: File, row: Mapping[str, Any], number: int, at: int) -> Found:
    text = _first(row, TEXTS)
    if not isinstance(text, str) or not text.strip():
        return Fault(number, "这一行没有 text（内容），跳过了。", at)
    wrong = unusable(json.dumps(row, ensure_ascii=False, default=str))
    if "\0" in text:
        wrong = unusable(text)
    if wrong is not None:
        return Fault(number, wrong, at)
    name = _first(row, IDS)
    start = row.get("valid_from")
    if start in {None, ""}:
        told = _first(row, STARTS)
        start = named_day(file.name) if told is None else since(_number(told))
        if told is None and start == UNKNOWN:
            start = None
    given = str(_first(row, SOURCES) or "")
    try:
        draft = Draft(
            text,
            kind=str(_first(row, KINDS) or DEFAULT_KIND).lower(),
            scope=str(row.get("scope") or ""),
            source=given or source("file", f"{file.name}#{number}"),
            importance=float(row.get("importance") or DEFAULT_IMPORTANCE),
            confidence=float(row["confidence"])
            if row.get("confidence") not in {None, ""}
            else None,
            valid_from=start,
            valid_to=row.get("valid_to") or None,
            evidence=str(row.get("evidence") or "")
            or evidence(file=file.name, line=number, id=name),
        )
    except (TypeError, ValueError):
        return Fault(number, "这一行的 importance 或 confidence 不是数字，跳过了。", at)
    key = (
        f"{file.name}{SEPARATOR}#{name}"
        if name not in {None, ""}
        else f"{file.name}{SEPARATOR}:{number}"
    )
    return Entry(key, draft, number, at=at, alone=name not in {None, ""})


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) not in {None, ""}), None)


def _number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
