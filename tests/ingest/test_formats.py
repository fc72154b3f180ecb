"""Every other format: recognised by content, read whole, and nothing of it stored twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain import Brain
from brain.ingest import formats
from brain.memory import Memory
from tests.support.engine import refused

AT = "2026-03-02T04:01:00.000Z"


def written(path: Path, *rows: Any) -> Path:
    """A JSON Lines file; a string is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def claude_rows(*extra: Any) -> list[Any]:
    common = {"sessionId": "c1", "cwd": "/work", "version": "2", "timestamp": AT}
    return [
        {"type": "summary", "summary": "讨论部署", "leafUuid": "x"},
        {
            **common,
            "type": "user",
            "uuid": "u1",
            "message": {"role": "user", "content": "分支策略怎么定"},
        },
        {
            **common,
            "type": "assistant",
            "uuid": "a1",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "想一想"},
                    {"type": "text", "text": "主干开发，发版打标签"},
                    {"type": "tool_use", "name": "Bash", "input": {}},
                ],
            },
        },
        {
            **common,
            "type": "user",
            "uuid": "u2",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]},
        },
        {**common, "type": "user", "uuid": "u3", "isMeta": True, "message": {"content": "元信息"}},
        {
            **common,
            "type": "user",
            "uuid": "u4",
            "isSidechain": True,
            "message": {"content": "子代理"},
        },
        {
            **common,
            "type": "user",
            "uuid": "u5",
            "isCompactSummary": True,
            "message": {"content": "摘要"},
        },
        {
            **common,
            "type": "user",
            "uuid": "u6",
            "message": {"content": "<command-name>/clear</command-name>"},
        },
        *extra,
    ]


CODEX = [
    {"timestamp": AT, "type": "session_meta", "payload": {"id": "x1", "cwd": "/work"}},
    {
        "timestamp": AT,
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [
                {
                    "type": "input_text",
                    "text": "<environment_context>\n<cwd>/</cwd>\n</environment_context>",
                }
            ],
        },
    },
    {
        "timestamp": AT,
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "分支策略怎么定"}],
        },
    },
    {
        "timestamp": AT,
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "分支策略怎么定"},
    },
    {"timestamp": AT, "type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {
        "timestamp": AT,
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "主干开发，发版打标签"}],
        },
    },
]
OPENCLAW = [
    {"type": "session", "version": 3, "id": "o1", "timestamp": AT, "cwd": "/work"},
    {"type": "model_change", "id": "m", "provider": "p", "modelId": "x"},
    {
        "type": "message",
        "id": "e1",
        "parentId": None,
        "timestamp": AT,
        "message": {"role": "user", "content": [{"type": "text", "text": "分支策略怎么定"}]},
    },
    {
        "type": "message",
        "id": "e2",
        "timestamp": AT,
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "…"},
                {"type": "text", "text": "主干开发，发版打标签"},
            ],
        },
    },
    {
        "type": "message",
        "id": "e3",
        "message": {"role": "toolResult", "content": [{"type": "text", "text": "ok"}]},
    },
]


def chatgpt(name: str = "g1", question: str = "分支策略怎么定") -> dict[str, Any]:
    def node(parent: str | None, *children: str, **message: Any) -> dict[str, Any]:
        return {"parent": parent, "children": list(children), "message": message or None}

    def said(role: str, text: str, kind: str = "text", **more: Any) -> dict[str, Any]:
        content = {"content_type": kind, "parts": [text]}
        return {"author": {"role": role}, "create_time": 1772424060.5, "content": content, **more}

    return {
        "title": "分支",
        "conversation_id": name,
        "create_time": 1772424000.0,
        "current_node": "n4",
        "mapping": {
            "root": node(None, "n1"),
            "n1": node("root", "n2", **said("system", "")),
            "n2": node("n1", "dead", "n3", **said("user", question)),
            "dead": node("n2", **said("assistant", "这个回答被重新生成了")),
            "n3": node("n2", "n4", **said("assistant", "search('x')", "code", recipient="browser")),
            "n4": node("n3", **said("assistant", "主干开发，发版打标签")),
        },
    }


DEEPSEEK = {
    "id": "d1",
    "title": "分支",
    "inserted_at": "2026-03-02T12:01:00.000000+08:00",
    "updated_at": "2026-03-02T12:02:00.000000+08:00",
    "mapping": {
        "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
        "1": {
            "id": "1",
            "parent": "root",
            "children": ["2"],
            "message": {
                "model": "deepseek-chat",
                "inserted_at": "2026-03-02T12:01:00.000000+08:00",
                "fragments": [{"type": "REQUEST", "content": "分支策略怎么定"}],
            },
        },
        "2": {
            "id": "2",
            "parent": "1",
            "children": [],
            "message": {
                "model": "deepseek-chat",
                "inserted_at": "2026-03-02T12:01:30.000000+08:00",
                "fragments": [
                    {"type": "THINK", "content": "想一想"},
                    {"type": "RESPONSE", "content": "主干开发，发版打标签"},
                ],
            },
        },
    },
}
MEM0 = {
    "results": [
        {
            "id": "m-1",
            "memory": "喜欢主干开发",
            "hash": "9f",
            "metadata": {"a": 1},
            "created_at": "2026-03-02T04:01:00Z",
            "user_id": "lin",
        },
        {"id": "m-2", "memory": "发版打标签", "created_at": "2026-03-02T04:01:00Z", "later": []},
    ],
    "relations": [],
}
GRAPH = [
    {
        "type": "entity",
        "name": "青鸟项目",
        "entityType": "项目",
        "observations": ["主干开发", "发版打标签"],
    },
    {"type": "relation", "from": "青鸟项目", "to": "林工", "relationType": "负责人是"},
]

EPISODE = "用户：分支策略怎么定\n助手：主干开发，发版打标签"
CASES: dict[str, tuple[str, Callable[[Path], object], list[str], str]] = {
    "claude-code": (
        "c1.jsonl",
        lambda p: written(p, *claude_rows()),
        [EPISODE],
        "claude-code:c1#u1-a1",
    ),
    "codex": ("rollout-x1.jsonl", lambda p: written(p, *CODEX), [EPISODE], "codex:rollout-x1#3-6"),
    "openclaw": ("o1.jsonl", lambda p: written(p, *OPENCLAW), [EPISODE], "openclaw:o1#e1-e2"),
    "chatgpt": (
        "conversations.json",
        lambda p: p.write_text(json.dumps([chatgpt()])),
        [EPISODE],
        "chatgpt:g1#n2-n4",
    ),
    "deepseek": (
        "conversations.json",
        lambda p: p.write_text(json.dumps([DEEPSEEK])),
        [EPISODE],
        "deepseek:d1#1-2",
    ),
    "mem0": (
        "all.json",
        lambda p: p.write_text(json.dumps(MEM0, indent=2)),
        ["喜欢主干开发", "发版打标签"],
        "mem0:m-1",
    ),
    "mcp-memory": (
        "memory.jsonl",
        lambda p: written(p, *GRAPH),
        ["青鸟项目（项目）：主干开发", "青鸟项目（项目）：发版打标签", "青鸟项目 负责人是 林工"],
        "mcp-memory:青鸟项目",
    ),
    "jsonl": (
        "notes.jsonl",
        lambda p: written(
            p, {"text": "主干开发"}, {"text": "发版打标签", "kind": "decision", "x": 1}
        ),
        ["主干开发", "发版打标签"],
        "file:notes.jsonl#1",
    ),
    "csv": (
        "notes.csv",
        lambda p: p.write_text('文本,类型\n"主干开发，不开长分支",decision\n发版打标签,\n'),
        ["主干开发，不开长分支", "发版打标签"],
        "file:notes.csv#2",
    ),
}


def everything(brain: Brain) -> list[Memory]:
    return brain.list(limit=None)[::-1]


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_format_is_recognised_by_its_content_and_read_once(
    brain: Brain, tmp_path: Path, name: str
) -> None:
    file, write, texts, source = CASES[name]
    path = tmp_path / file
    write(path)
    assert formats.recognise(path) == name
    done = brain.ingest(path)
    assert (done.format, done.added, done.failed) == (name, len(texts), 0)
    assert [m.text for m in everything(brain)] == texts
    assert everything(brain)[0].source == source
    assert json.loads(everything(brain)[0].evidence)
    # Another modification time, so that it is read again and not only passed over.
    path.touch()
    again = brain.ingest(path)
    assert (again.added, again.superseded, again.expired) == (0, 0, 0)
    assert again.skipped == len(texts)
    # The name says nothing: a copy called otherwise is the same format.
    other = tmp_path / "elsewhere" / "export.txt"
    other.parent.mkdir()
    other.write_bytes(path.read_bytes())
    assert formats.recognise(other) == name
    assert brain.ingest(other).added == 0


@pytest.mark.parametrize("name", ["claude-code", "codex", "openclaw", "chatgpt", "deepseek"])
def test_what_was_said_keeps_its_time_and_chat_confidence(
    brain: Brain, tmp_path: Path, name: str
) -> None:
    file, write, _, _ = CASES[name]
    write(tmp_path / file)
    brain.ingest(tmp_path / file)
    (episode,) = everything(brain)
    assert (episode.kind, episode.confidence) == ("episode", 0.60)
    assert episode.valid_from is not None
    assert episode.valid_from.startswith("2026-03-02T04:01:00")


def test_a_session_told_further_is_one_episode_still(brain: Brain, tmp_path: Path) -> None:
    path = written(tmp_path / "c1.jsonl", *claude_rows())
    brain.ingest(path)
    more = {
        "sessionId": "c1",
        "type": "user",
        "uuid": "u9",
        "timestamp": AT,
        "message": {"content": "标签谁来打"},
    }
    written(path, *claude_rows(more))
    done = brain.ingest(path)
    assert (done.added, done.superseded) == (0, 1)
    (episode,) = everything(brain)
    assert episode.text == f"{EPISODE}\n用户：标签谁来打"
    assert episode.valid_from == AT
    assert episode.supersedes == 1


# Broken, foreign and large input ---------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        '{"text": "少了引号}',
        '["不是对象"]',
        '{"内部编号": 3}',
        '{"text": "前\\u0000后"}',
        '{"text": "半个\\ud83d字符"}',
        '{"text": "可信度不对", "confidence": "很高"}',
        '{"text": "类型不对", "kind": "不行"}',
        '{"text": "时间不对", "valid_from": "2026-13-45"}',
        '{"text": "   "}',
    ],
)
def test_a_broken_line_is_told_with_its_number_and_costs_only_itself(
    brain: Brain, tmp_path: Path, bad: str
) -> None:
    rows = [{"text": f"第{n}条说的是走廊的灯"} for n in range(100)]
    path = written(tmp_path / "notes.jsonl", *rows[:41], bad, *rows[41:])
    done = brain.ingest(path, "jsonl")
    assert (done.added, done.failed) == (100, 1)
    assert [e.line for e in done.errors] == [42]
    assert brain.ingest(path, "jsonl").added == 0


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be"]
)
@pytest.mark.parametrize("kind", ["jsonl", "csv", "markdown", "chatgpt"])
def test_an_encoding_is_found_out(brain: Brain, tmp_path: Path, encoding: str, kind: str) -> None:
    text = {
        "jsonl": '{"id": 1, "text": "会议室在三楼靠窗"}\n{"id": 2, "text": "投影仪找行政借"}\n',
        "csv": "内容,类型\n会议室在三楼靠窗,fact\n投影仪找行政借,fact\n",
        "markdown": "# 办公室\n\n- 会议室在三楼靠窗\n- 投影仪找行政借\n",
        "chatgpt": json.dumps([chatgpt("g1", "会议室在三楼靠窗还是靠门")], ensure_ascii=False),
    }[kind]
    name = {"jsonl": "a.jsonl", "csv": "a.csv", "markdown": "a.md", "chatgpt": "c.json"}[kind]
    (tmp_path / name).write_bytes(text.encode(encoding))
    done = brain.ingest(tmp_path / name)
    assert (done.format, done.failed) == (kind, 0)
    assert any("会议室在三楼靠窗" in m.text for m in everything(brain))


def test_one_line_in_another_encoding_does_not_turn_the_file(brain: Brain, tmp_path: Path) -> None:
    good = [json.dumps({"text": f"第{n}条：水杯在茶水间"}, ensure_ascii=False) for n in range(9)]
    lines = [line.encode() for line in good]
    lines.insert(4, '{"text": "这一行是另一种编码"}'.encode("gbk"))
    path = tmp_path / "mixed.jsonl"
    path.write_bytes(b"\n".join(lines))
    done = brain.ingest(path)
    assert (done.added, [e.line for e in done.errors]) == (9, [5])


def test_a_conversation_that_is_broken_costs_only_itself(brain: Brain, tmp_path: Path) -> None:
    parts = [json.dumps(chatgpt(f"g{n}", f"第{n}个项目的分支")) for n in range(4)]
    parts[2] = parts[2].replace('"title":', '"title"', 1)
    path = tmp_path / "conversations.json"
    path.write_text("[" + ",\n".join(parts) + "]")
    done = brain.ingest(path)
    assert (done.added, [e.line for e in done.errors]) == (3, [3])
    path.write_text("[" + ",".join(parts[:2]) + "," + parts[3][:200])
    cut_short = brain.ingest(path)
    assert [e.line for e in cut_short.errors] == [3]


def test_elements_are_cut_anywhere_alike(tmp_path: Path) -> None:
    from brain.ingest.records import _elements

    values = [{"a": '引号"和\\反斜杠\\\\', "b": [1, {"c": "]}["}]}, {}, {"d": "终"}]
    text = json.dumps(values, ensure_ascii=False, indent=1)
    for size in range(1, 40):
        chunks = [text[i : i + size] for i in range(0, len(text), size)]
        assert [json.loads(e or "") for e in _elements(chunks)] == values


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8),
        ("empty.json", b""),
        ("plain.rtf", "只是一段话，没有列名".encode()),
        ("config.json", b'{"debug": true}'),
        ("list.json", b"[1, 2, 3]"),
    ],
)
def test_what_is_no_format_of_ours_is_refused_and_nothing_is_made(
    make: Callable[..., Brain], tmp_path: Path, name: str, content: bytes
) -> None:
    brain = make("none.db")
    (tmp_path / name).write_bytes(content)
    refused("brain_ingest_format", 65, lambda: brain.ingest(tmp_path / name, dry_run=True))
    refused("brain_ingest_format", 65, lambda: brain.ingest(tmp_path / name))


def test_bad_use_is_answered(brain: Brain, tmp_path: Path) -> None:
    refused("brain_ingest_missing", 66, lambda: brain.ingest(tmp_path / "none.jsonl"))
    refused("brain_ingest_format_unknown", 2, lambda: brain.ingest(tmp_path, "word"))
    refused("brain_ingest_format", 65, lambda: brain.ingest(tmp_path))


# Lists, files and folders that change ---------------------------------------------------------


def test_a_record_with_an_id_that_changed_is_superseded(brain: Brain, tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.jsonl", {"id": "x", "text": "值班群是老群"}, {"id": "y", "text": "周报周五交"}
    )
    brain.ingest(path)
    written(path, {"id": "x", "text": "值班群换成青鸟群"}, {"id": "y", "text": "周报周五交"})
    done = brain.ingest(path)
    assert (done.added, done.superseded, done.skipped) == (0, 1, 1)
    assert {m.text for m in everything(brain)} == {"值班群换成青鸟群", "周报周五交"}
    assert brain.get(1).superseded_by == 3


def test_a_list_without_ids_may_be_edited_reordered_and_added_to(
    brain: Brain, tmp_path: Path
) -> None:
    texts = ["门卡在前台领", "停车在地下二层", "食堂十二点开"]
    path = written(tmp_path / "a.jsonl", *({"text": t} for t in texts))
    brain.ingest(path)
    written(path, {"text": "新来的先签到"}, *({"text": t} for t in texts[::-1]))
    done = brain.ingest(path)
    assert (done.added, done.superseded, done.skipped) == (1, 0, 3)
    written(path, {"text": "新来的先签到"}, *({"text": t} for t in [*texts[:0:-1], "门卡去三楼领"]))
    done = brain.ingest(path)
    assert (done.added, done.superseded, done.skipped) == (0, 1, 3)
    # Quite another list in its place: the old one is not touched.
    written(path, *({"text": f"另一批的第{n}条"} for n in range(7)))
    done = brain.ingest(path)
    assert (done.added, done.superseded, done.expired) == (7, 0, 0)
    assert len(everything(brain)) == 11


def test_notes_in_markdown_follow_their_file(brain: Brain, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(
        "# 约定\n\n写代码之前先读一遍测试。\n\n## 提交\n\n- 用中文写说明\n  - 不超过五十字\n"
        "- 一次只做一件事\n\n```sh\n# 不是标题\nmake test\n```\n\n- [索引](other.md)\n"
    )
    assert brain.ingest(path).added == 4
    assert [m.text for m in everything(brain)] == [
        "约定：写代码之前先读一遍测试。",
        "约定 > 提交：用中文写说明\n  - 不超过五十字",
        "约定 > 提交：一次只做一件事",
        "约定 > 提交：```sh\n# 不是标题\nmake test\n```",
    ]
    assert everything(brain)[0].confidence == 0.95
    path.write_text(path.read_text().replace("一次只做一件事", "一次提交只做一件事"))
    done = brain.ingest(path)
    assert (done.added, done.superseded, done.expired, done.skipped) == (0, 1, 0, 3)
    path.write_text("# 约定\n\n写代码之前先读一遍测试。\n")
    done = brain.ingest(path)
    assert (done.added, done.expired, done.skipped) == (0, 3, 1)
    # What comes back after it was gone is there again.
    path.write_text("# 约定\n\n写代码之前先读一遍测试。\n\n## 提交\n\n- 一次提交只做一件事\n")
    assert brain.ingest(path).added == 1


def test_a_memory_folder_says_what_kind_its_notes_are(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "feedback.md").write_text(
        "---\nname: 回答方式\ndescription: 用户的要求: 简短\ntype: feedback\n---\n"
        "先说结论再说理由。\n"
    )
    (tmp_path / "MEMORY.md").write_text("- [回答方式](feedback.md) — 先说结论\n")
    done = brain.ingest(tmp_path)
    assert (done.format, done.added) == ("markdown", 1)
    (note,) = everything(brain)
    assert (note.kind, note.confidence) == ("preference", 0.75)
    assert note.text == "回答方式：先说结论再说理由。"
    (tmp_path / "feedback.md").unlink()
    assert brain.ingest(tmp_path, "markdown").expired == 1


def skill(folder: Path, name: str, body: str) -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"---\nname: {name}\ndescription: 何时用: {name}\nlicense: MIT\n---\n\n{body}\n"
    )
    return path


def test_skills_follow_their_folder(brain: Brain, tmp_path: Path) -> None:
    skill(tmp_path, "发版", "先跑冒烟，再打标签。")
    gone = skill(tmp_path, "deep/排障", "先看大屏，再看日志。")
    (tmp_path / "发版" / "references.md").write_text("不是技能")
    done = brain.ingest(tmp_path)
    assert (done.format, done.added) == ("skills", 2)
    first = everything(brain)[-1]
    assert (first.kind, first.text) == ("skill", "发版\n\n何时用: 发版\n\n先跑冒烟，再打标签。")
    assert brain.ingest(tmp_path).skipped == 2
    skill(tmp_path, "发版", "先跑冒烟，再打标签，最后通知群里。")
    gone.unlink()
    planned = brain.ingest(tmp_path, "skills", dry_run=True)
    done = brain.ingest(tmp_path, "skills")
    for counted in (planned, done):
        assert (counted.added, counted.superseded, counted.expired) == (0, 1, 1)
    (left,) = everything(brain)
    assert left.text.endswith("最后通知群里。")


def test_a_pinned_note_outlives_its_file(brain: Brain, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("- 生产库只读账号找老周要\n- 别的\n")
    brain.ingest(path)
    with brain._store.write() as db:
        db.execute("UPDATE memories SET pinned = 1 WHERE id = 1")
    path.write_text("- 别的\n")
    assert brain.ingest(path).expired == 0
    assert len(everything(brain)) == 2


def test_a_note_that_two_files_hold_ends_with_the_last_of_them(
    brain: Brain, tmp_path: Path
) -> None:
    one, two = tmp_path / "a" / "MEMORY.md", tmp_path / "b" / "MEMORY.md"
    for path in (one, two):
        path.parent.mkdir()
        path.write_text("- 堡垒机走二号线\n- 其他\n")
        brain.ingest(path)
    assert len(everything(brain)) == 2
    one.write_text("- 其他\n")
    assert brain.ingest(one).expired == 0
    two.write_text("- 其他\n")
    assert brain.ingest(two).expired == 1


def test_a_folder_of_many_kinds_is_read_in_one_go(brain: Brain, tmp_path: Path) -> None:
    for n in range(30):
        rows = [{**r, "sessionId": f"p{n}"} if "sessionId" in r else r for r in claude_rows()]
        rows[1]["message"] = {"content": f"第{n}个仓库的分支策略"}
        written(tmp_path / "projects" / f"p{n}.jsonl", *rows)
    skill(tmp_path / "skills", "发版", "先跑冒烟。")
    (tmp_path / "projects" / "sessions.json").write_text('{"a": {"sessionId": "x"}}')
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "notes.md").write_text("- 不该读到")
    written(tmp_path / "odd.jsonl", {"n": 1})
    done = brain.ingest(tmp_path)
    assert (done.format, done.added) == ("claude-code+skills", 31)
    assert [e.file for e in done.errors] == ["odd.jsonl"]
    again = brain.ingest(tmp_path)
    assert (again.added, again.superseded, again.expired) == (0, 0, 0)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak")
def test_a_large_file_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    filler = "这段回答很长，一直说到天亮。" * 2_000
    with path.open("w", encoding="utf-8") as f:
        f.write("[")
        for n in range(1200):
            one = json.dumps(chatgpt(f"g{n}", f"第{n}问{filler}"), ensure_ascii=False)
            f.write(("," if n else "") + one)
        f.write("]")
    assert path.stat().st_size > 90_000_000
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from brain.ingest.records import of_array, Record\n"
        "n = sum(isinstance(r, Record) for r in of_array(Path(sys.argv[1])))\n"
        "status = Path('/proc/self/status').read_text()\n"
        "print(n, re.search(r'VmHWM:\\s*(\\d+) kB', status).group(1))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    count, peak = map(int, done.stdout.split())
    assert count == 1200
    assert peak * 1024 < 60_000_000
