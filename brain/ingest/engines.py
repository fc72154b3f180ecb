"""Other memory engines' exports: mem0's ``get_all`` and the MCP reference ``memory.jsonl``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.entry import (
    MODEL,
    SEPARATOR,
    UNKNOWN,
    Entry,
    Fault,
    Found,
    evidence,
    since,
    source,
)
from brain.ingest.files import File
from brain.ingest.records import Record, of_array, of_lines, of_object
from brain.memory import Draft

OWNERS = ("user_id", "agent_id", "app_id", "run_id")


def fits_mem0(value: dict[str, Any]) -> bool:
    """Whether an object is a memory of mem0."""
    return isinstance(value.get("memory"), str) and "id" in value


def fits_graph(value: dict[str, Any]) -> bool:
    """Whether a line is one of the MCP reference server's knowledge graph."""
    kind = value.get("type")
    return (kind == "entity" and "observations" in value) or (
        kind == "relation" and "relationType" in value
    )


def read_mem0(file: File) -> Iterator[Found]:
    """One memory an element, of an array or of ``{"results": […]}``."""
    with file.path.open("rb") as f:
        is_array = f.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["
    found = of_array(file.path) if is_array else of_object(file.path, "results", "memories")
    for record in found:
        yield record if isinstance(record, Fault) else _of_mem0(file, record)


def _of_mem0(file: File, record: Record) -> Found:
    row = record.value
    text = row.get("memory")
    if not isinstance(text, str) or not text.strip():
        return Fault(record.number, "这一项没有 memory，跳过了。", record.at)
    name = str(row.get("id") or record.number)
    ends = since(row.get("expiration_date")) if row.get("expiration_date") else UNKNOWN
    owners = {key: str(row[key]) for key in OWNERS if row.get(key)}
    draft = Draft(
        text,
        source=source("mem0", name),
        confidence=MODEL,
        valid_from=since(row.get("created_at")),
        valid_to=None if ends == UNKNOWN else ends,
        evidence=evidence(id=name, **owners),
    )
    return Entry(name, draft, record.number, at=record.at)


def read_graph(file: File) -> Iterator[Found]:
    """One memory an observation or relation; the entity's name and type stand before it."""
    for record in of_lines(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        if row.get("type") == "entity":
            yield from _of_entity(file, row, record)
        elif row.get("type") == "relation":
            yield _of_relation(file, row, record)


def _of_entity(file: File, row: dict[str, Any], record: Record) -> Iterator[Found]:
    name = str(row.get("name") or "").strip()
    observations = row.get("observations")
    if not name or not isinstance(observations, list):
        yield Fault(record.number, "这一行的实体没有名字或 observations，跳过了。", record.at)
        return
    kind = str(row.get("entityType") or "").strip()
    head = f"{name}（{kind}）" if kind else name
    for seen in observations:
        text = seen.get("content") if isinstance(seen, dict) else seen
        if isinstance(text, str) and text.strip():
            yield _entry(file, f"entity{SEPARATOR}{name}", f"{head}：{text.strip()}", name, record)


def _of_relation(file: File, row: dict[str, Any], record: Record) -> Found:
    ends = [str(row.get(key) or "").strip() for key in ("from", "relationType", "to")]
    if not all(ends):
        return Fault(record.number, "这一行的关系缺 from、to 或 relationType，跳过了。", record.at)
    return _entry(file, SEPARATOR.join(("relation", *ends)), " ".join(ends), ends[0], record)


def _entry(file: File, key: str, text: str, name: str, record: Record) -> Entry:
    draft = Draft(
        text,
        kind="fact",
        source=source("mcp-memory", name),
        confidence=MODEL,
        valid_from=UNKNOWN,
        evidence=evidence(entity=name[:200], line=record.number),
    )
    return Entry(f"{file.name}{SEPARATOR}{key}", draft, record.number, at=record.at, alone=False)
