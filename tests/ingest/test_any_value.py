"""Any JSON value in any field of any format costs at most its line: never a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.ingest.chat import Talk, cleaned, episodes, marked
from brain.ingest.entry import Entry, Fault
from brain.ingest.files import File
from brain.ingest.formats import FORMATS
from brain.memory import Draft
from tests.ingest import test_formats as shapes
from tests.ingest import test_transcripts as more

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    10**400,
    1e308,
    "",
    "字",
    "\ud83d",
    "前\0后",
    [],
    ["a"],
    [["a"], {"type": ["text"]}],
    {},
    {"a": 1},
    {"type": {"type": []}, "text": ["a"], "parts": [1, {"text": 3}]},
]
GEMINI = {
    "sessionId": "g",
    "projectHash": "h",
    "startTime": more.stamp(),
    "messages": [
        {"id": "m1", "timestamp": more.stamp(), "type": "user", "content": [{"text": "一"}]},
        {"id": "m2", "timestamp": more.stamp(), "type": "gemini", "content": "二"},
    ],
}
CLAUDE_AI = [
    {
        "uuid": "c1",
        "name": "租房",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "parent_message_uuid": "root",
                "text": "",
                "created_at": more.stamp(),
                "content": [{"type": "text", "text": "押金怎么算"}],
                "attachments": [{"file_name": "a", "extracted_content": "押金为两个月房租"}],
            },
            {"uuid": "m2", "sender": "assistant", "parent_message_uuid": "m1", "text": "两个月。"},
        ],
    }
]
NOTES = [
    {"conversations_memory": "记得", "project_memories": {"p": "项目"}, "account_uuid": "u"},
    {"uuid": "p", "name": "项目", "docs": [{"uuid": "d", "filename": "a.md", "content": "正文"}]},
]
CHERRY = {
    "time": 1,
    "localStorage": {"persist:cherry-studio": "{}"},
    "indexedDB": {
        "topics": [
            {
                "id": "t",
                "messages": [
                    {"id": "m", "role": "user", "createdAt": more.stamp(), "blocks": ["b"]},
                    {"id": "n", "role": "assistant", "askId": "m", "content": "答"},
                ],
            }
        ],
        "message_blocks": [{"id": "b", "messageId": "m", "type": "main_text", "content": "问"}],
    },
}
COMPOSER = {
    "composerId": "c",
    "createdAt": 1_772_424_000_000,
    "fullConversationHeadersOnly": [{"bubbleId": "b", "type": 1}],
    "conversationMap": {"b": {"type": 1, "text": "问", "createdAt": more.stamp()}},
}
LINES = {
    "claude-code": [*shapes.claude_rows(), more.queued("enqueue", "a"), more.attached("b")],
    "codex": more.CODEX,
    "openclaw": shapes.OPENCLAW,
    "cursor-cli": [{"role": "user", "message": {"content": [{"type": "text", "text": "问"}]}}],
    "mcp-memory": shapes.GRAPH,
    "jsonl": [{"text": "一", "id": 1, "tags": ["a"], "importance": 0.5, "date": "2026-01-01"}],
}
ARRAYS = {
    "chatgpt": [shapes.chatgpt()],
    "deepseek": [shapes.DEEPSEEK],
    "claude-ai": CLAUDE_AI,
    "claude-ai-notes": NOTES,
}
OBJECTS = {"mem0": shapes.MEM0, "gemini-cli": GEMINI, "cherry-studio": CHERRY}
GIVEN: dict[str, Any] = {**LINES, **ARRAYS, **OBJECTS, "cursor": COMPOSER}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value, everything."""
    yield path
    inner: Any = value.items() if isinstance(value, dict) else ()
    for key, each in enumerate(value) if isinstance(value, list) else inner:
        yield from places(each, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    out = copy.deepcopy(value)
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return out


def written(path: Path, name: str, value: Any) -> Path:
    path.unlink(missing_ok=True)
    if name == "cursor":
        db = apsw.Connection(str(path))
        db.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
        db.execute("INSERT INTO cursorDiskKV VALUES ('composerData:c', ?)", (json.dumps(value),))
        db.close()
        return path
    rows = value if name in LINES and isinstance(value, list) else [value]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def read(path: Path, name: str) -> list[Entry | Fault]:
    """All that a reader gives, its sessions packed."""
    reader = FORMATS[name].read
    assert reader is not None
    out: list[Entry | Fault] = []
    for told in reader(File(path, path.name)):
        if isinstance(told, Talk):
            turns = marked(told, cleaned(told))
            out += [*episodes(told.reader, told.session, turns)]
        else:
            out.append(told)
    return out


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_whatever_stands_in_a_field_is_read_or_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "given"
    whole = read(written(path, name, GIVEN[name]), name)
    assert any(isinstance(each, Entry) for each in whole)
    for number, place in enumerate(places(GIVEN[name])):
        # Two that no field can be, and of the others each in its turn: all of them took minutes.
        rest = [ODD[(3 * number + n) % len(ODD)] for n in range(3)]
        for odd in (["a"], {"a": 1}, *rest):
            for each in read(written(path, name, changed(GIVEN[name], place, odd)), name):
                if isinstance(each, Entry):
                    assert isinstance(each.draft, Draft)
                    assert isinstance(each.draft.text, str)
                    each.row_key(), each.digest()
                else:
                    assert each.reason


def test_every_format_of_json_is_tried() -> None:
    other = {"hermes", "skills", "markdown", "text", "csv"}
    assert set(GIVEN) == FORMATS.keys() - other


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@pytest.mark.parametrize("name", sorted(GIVEN))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere(tmp_path: Path, name: str, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(list(places(GIVEN[name]))))
    value = changed(GIVEN[name], place, data.draw(JSON))
    read(written(tmp_path / "given", name, value), name)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_a_row_of_notes_is_stored_or_told(
    make: Callable[..., Any], tmp_path: Path, odd: Any
) -> None:
    brain = make("b.db")
    fields = ("text", "kind", "type", "id", "tags", "importance", "confidence", "date")
    fields += ("valid_from", "valid_to", "scope", "source", "evidence")
    rows = [{"text": f"第{n}条", name: odd} for n, name in enumerate(fields)]
    path = tmp_path / "notes.jsonl"
    good = {"text": "投影仪找行政借"}
    path.write_text("\n".join(json.dumps(row) for row in (good, *rows)), encoding="utf-8")
    done = brain.ingest(path)
    assert done.added + done.skipped + done.superseded + done.failed == len(fields) + 1
    assert all(error.line and error.reason for error in done.errors)
