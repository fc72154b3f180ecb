"""Formats that people ask for: chat programs' stores, vaults, task lists, tables, archives."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import apsw
import pytest

from brain import Brain
from brain.ingest import formats
from brain.ingest.files import encoding_of
from brain.memory import Memory
from brain.text.timestamps import local_day
from tests.ingest import test_any_value as shapes
from tests.ingest.test_transcripts import SHARED, claude, stamp, written
from tests.support.cli import Cli
from tests.support.engine import Make, refused


def live(brain: Brain) -> list[Memory]:
    return brain.list(limit=None)[::-1]


def texts(brain: Brain) -> list[str]:
    return [m.text for m in live(brain)]


# Claude.ai ---------------------------------------------------------------------------------------


def claude_ai(folder: Path) -> Path:
    """An export as it is unpacked: branches, a long text that was pasted, memory, a project."""

    def said(name: str, up: str, sender: str, text: str, n: int, **more: Any) -> dict[str, Any]:
        return {
            "uuid": f"0000000{name}-aaaa",
            "parent_message_uuid": f"0000000{up}-aaaa",
            "sender": sender,
            "text": "",
            "content": [
                {"type": "thinking", "thinking": "想"},
                {"type": "text", "text": text},
                {"type": "tool_use", "name": "search", "input": {}},
            ],
            "created_at": stamp(n),
            "attachments": [],
            **more,
        }

    pasted = {
        "file_name": "",
        "file_type": "txt",
        "extracted_content": "押金为两个月房租，退租时退",
    }
    messages = [
        said("1", "0", "human", "", 1, attachments=[pasted], content=[]),
        said("2", "1", "assistant", "押金两个月，先不用急着签。", 2),
        said("3", "1", "assistant", "押金两个月，可以签。", 3),
        said("4", "3", "human", "那就签一年", 4),
    ]
    talk = {"uuid": "c1", "name": "租房", "created_at": stamp(), "chat_messages": messages}
    notes = [
        {
            "conversations_memory": "**工作**\n\n在做租房小程序\n\n- 喜欢简短的回答",
            "project_memories": {"p1": "项目用 uniapp 写"},
            "account_uuid": "u",
        }
    ]
    project = {
        "uuid": "p1",
        "name": "小程序",
        "prompt_template": "先给结论",
        "created_at": stamp(),
        "docs": [{"uuid": "d", "filename": "接口.md", "content": "# 登录\n\n- 令牌放请求头"}],
    }
    (folder / "projects").mkdir(parents=True)
    for name, value in (
        ("conversations.json", [talk]),
        ("memories.json", notes),
        ("users.json", [{"uuid": "u", "full_name": "林"}]),
        ("projects/p1.json", project),
    ):
        (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return folder


CLAUDE_AI = [
    "用户：押金为两个月房租，退租时退\n助手：押金两个月，可以签。\n用户：那就签一年",
    "**工作**\n\n在做租房小程序",
    "喜欢简短的回答",
    "项目用 uniapp 写",
    "小程序：先给结论",
    "小程序 > 接口.md > 登录：令牌放请求头",
]


def test_an_export_of_claude_ai(brain: Brain, tmp_path: Path) -> None:
    folder = claude_ai(tmp_path / "export")
    done = brain.ingest(folder)
    assert (done.format, done.failed) == ("claude-ai+claude-ai-notes", 0)
    assert texts(brain) == CLAUDE_AI
    assert live(brain)[0].valid_from == stamp(1).replace("Z", ".000Z")
    again = brain.ingest(folder)
    assert (again.added, again.superseded, again.expired, again.retracted) == (0, 0, 0, 0)


def zipped(path: Path, folder: Path, encoding: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            if encoding:
                name = name.encode(encoding).decode("cp437")
            archive.write(file, name)
    return path


def test_a_zip_is_read_as_its_folder_is(brain: Brain, tmp_path: Path) -> None:
    folder = claude_ai(tmp_path / "export")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "a.md").write_text("- 不该读到")
    path = zipped(tmp_path / "data.zip", folder)
    assert brain.ingest(path).added == len(CLAUDE_AI)
    assert texts(brain) == CLAUDE_AI
    again = brain.ingest(path)
    assert (again.added, again.superseded, again.expired) == (0, 0, 0)
    # One that lies in a folder is opened as well.
    (tmp_path / "downloads").mkdir()
    path.rename(tmp_path / "downloads" / "data.zip")
    assert brain.ingest(tmp_path / "downloads").added == 0


def test_names_in_a_zip_may_be_in_another_encoding(brain: Brain, tmp_path: Path) -> None:
    path = tmp_path / "old.zip"
    raw = "日记/2026年5月8日.md".encode("gbk")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("n" * len(raw), "今天把网关改了。\n")
    # As old Windows tools do: no mark that the name is in UTF-8.
    path.write_bytes(path.read_bytes().replace(b"n" * len(raw), raw))
    brain.ingest(path)
    assert live(brain)[0].source == "markdown:日记/2026年5月8日.md#1"
    assert local_day(live(brain)[0].valid_from or "") == "2026-05-08"


def test_archives_that_cannot_be_read_are_named(brain: Brain, tmp_path: Path) -> None:
    bad = tmp_path / "p" / "bad.zip"
    bad.parent.mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.md").write_text("- 会议室在三楼\n" * 40)
    data = zipped(tmp_path / "good.zip", tmp_path / "src").read_bytes()
    at = data.index(b"a.md") + 4
    bad.write_bytes(data[:at] + b"\xff" * 20 + data[at + 20 :])
    refused("brain_ingest_unreadable", 74, lambda: brain.ingest(bad))
    (bad.parent / "b.md").write_text("- 打印机在二楼\n")
    inner = zipfile.ZipFile(bad.parent / "outer.zip", "w")
    with inner:
        inner.write(tmp_path / "good.zip", "inner.zip")
        inner.writestr("c.md", "- 饮水机在四楼\n")
    locked = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[data.index(mark) + offset] |= 1
    (bad.parent / "locked.zip").write_bytes(bytes(locked))
    done = brain.ingest(bad.parent)
    assert {e.file for e in done.errors} == {
        "bad.zip",
        "outer.zip/inner.zip",
        "locked.zip/a.md",
    }
    assert sorted(texts(brain)) == ["打印机在二楼", "饮水机在四楼"]


# Cursor, Cherry Studio, Gemini CLI ---------------------------------------------------------------


def vscdb(path: Path) -> Path:
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "wal")
    for table in ("ItemTable", "cursorDiskKV"):
        db.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")

    def put(table: str, key: str, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        db.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, text))

    heads = [{"bubbleId": f"b{n}", "type": 1 + n % 2} for n in range(4)]
    put(
        "cursorDiskKV",
        "composerData:c1",
        {"composerId": "c1", "createdAt": 1_772_424_000_000, "fullConversationHeadersOnly": heads},
    )
    rich = {"root": {"children": [{"type": "paragraph", "children": [{"text": "按自然月算"}]}]}}
    for n, bubble in enumerate(
        [
            {"type": 1, "text": "优惠券的过期时间怎么算"},
            {"type": 2, "text": "按领取日加三十天。", "createdAt": "2026-03-02T04:05:00.000Z"},
            {"type": 1, "text": "", "richText": json.dumps(rich, ensure_ascii=False)},
            {"type": 2, "text": "", "toolFormerData": {"name": "edit_file"}},
        ]
    ):
        put("cursorDiskKV", f"bubbleId:c1:b{n}", {"bubbleId": f"b{n}", **bubble})
    put("cursorDiskKV", "composerData:empty", "null")
    put("cursorDiskKV", "bubbleId:other:b9", {"type": 1, "text": "没有头的不收"})
    tabs = [
        {
            "tabId": "t1",
            "lastSendTime": 1_772_424_000_000,
            "bubbles": [
                {"type": "user", "text": "旧面板里问的日志级别"},
                {"type": "ai", "rawText": "默认是 info。"},
            ],
        }
    ]
    put("ItemTable", "workbench.panel.aichat.view.aichat.chatdata", {"tabs": tabs})
    db.close()
    return path


def test_a_state_of_cursor(brain: Brain, tmp_path: Path) -> None:
    path = vscdb(tmp_path / "state.vscdb")
    done = brain.ingest(path)
    assert (done.format, done.added, done.failed) == ("cursor", 2, 0)
    assert texts(brain) == [
        "用户：优惠券的过期时间怎么算\n助手：按领取日加三十天。\n用户：按自然月算",
        "用户：旧面板里问的日志级别\n助手：默认是 info。",
    ]
    assert live(brain)[0].valid_from == "2026-03-02T04:00:00.000Z"
    assert brain.ingest(tmp_path).added == 0
    assert sorted(p.name for p in tmp_path.glob("state*")) == ["state.vscdb"]


@pytest.mark.parametrize("style", ["snake", "camel"])
def test_a_database_of_cherry_studio(brain: Brain, tmp_path: Path, style: str) -> None:
    def name(column: str) -> str:
        return column if style == "snake" else re.sub(r"_(.)", lambda m: m[1].upper(), column)

    path = tmp_path / "cherrystudio.sqlite"
    db = apsw.Connection(str(path))
    db.execute(f"CREATE TABLE topic (id TEXT, {name('active_node_id')} TEXT)")
    db.execute(
        f"CREATE TABLE message (id TEXT, {name('parent_id')} TEXT, {name('topic_id')} TEXT,"
        f" role TEXT, data TEXT, {name('created_at')} INTEGER, {name('deleted_at')} INTEGER)"
    )
    db.execute("INSERT INTO topic VALUES ('t', 'm3')")
    when = 1_772_424_060_000
    blocks = [{"type": "thinking", "content": "想"}, {"type": "main_text", "content": "三点半散场"}]
    for row in (
        ("m1", None, "t", "user", {"blocks": [{"type": "main_text", "content": "散场几点"}]}),
        ("m2", "m1", "t", "assistant", {"blocks": [{"type": "main_text", "content": "没选的"}]}),
        ("m3", "m1", "t", "assistant", {"parts": [{"type": "text", "text": "三点半散场"}]}),
        ("m4", "m3", "t", "user", {"blocks": blocks}),
    ):
        db.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, NULL)",
            (*row[:4], json.dumps(row[4], ensure_ascii=False), when),
        )
    db.close()
    done = brain.ingest(path)
    assert (done.format, done.failed) == ("cherry-studio", 0)
    assert texts(brain) == ["用户：散场几点\n助手：三点半散场"]
    assert live(brain)[0].valid_from == "2026-03-02T04:01:00.000Z"


def test_a_backup_of_cherry_studio(brain: Brain, tmp_path: Path) -> None:
    def answer(name: str, text: str, **more: Any) -> dict[str, Any]:
        return {"id": name, "role": "assistant", "askId": "m1", "content": text, **more}

    topic = {
        "id": "t",
        "messages": [
            {"id": "m1", "role": "user", "createdAt": stamp(), "blocks": ["b1"]},
            answer("m2", "没选的回答"),
            answer("m3", "", foldSelected=True, blocks=["b2", "b3"]),
            {"id": "m4", "role": "user", "type": "clear", "content": "清空"},
        ],
    }
    blocks = [
        {"id": "b1", "messageId": "m1", "type": "main_text", "content": "散场几点"},
        {"id": "b2", "messageId": "m3", "type": "thinking", "content": "想"},
        {"id": "b3", "messageId": "m3", "type": "main_text", "content": "三点半散场"},
    ]
    value = {
        "time": 1,
        "version": 5,
        "localStorage": {"persist:cherry-studio": "{}"},
        "indexedDB": {"topics": [topic], "message_blocks": blocks},
    }
    (tmp_path / "backup").mkdir()
    (tmp_path / "backup" / "data.json").write_text(json.dumps(value), encoding="utf-8")
    done = brain.ingest(zipped(tmp_path / "cherry-studio.zip", tmp_path / "backup"))
    assert (done.format, done.failed) == ("cherry-studio", 0)
    assert texts(brain) == ["用户：散场几点\n助手：三点半散场"]


def test_sessions_of_gemini_cli(brain: Brain, tmp_path: Path) -> None:
    whole = shapes.GEMINI
    (tmp_path / "a.json").write_text(json.dumps(whole, indent=1), encoding="utf-8")

    def turn(name: str, sort: str, text: Any, n: int) -> dict[str, Any]:
        return {"id": name, "type": sort, "content": text, "timestamp": stamp(n)}

    rows = [
        {"sessionId": "s", "projectHash": "h", "startTime": stamp()},
        turn("m1", "user", [{"text": "把日志级别调成警告"}], 1),
        turn("m2", "gemini", "", 2),
        turn("m2", "gemini", "调好了。", 2),
        turn("m3", "user", "这一问撤回了", 3),
        turn("m4", "info", "更新可用", 4),
        {"$rewindTo": "m3"},
        {"$set": {"lastUpdated": stamp(5)}},
        turn("m5", "user", "再把轮转设成每天", 6),
    ]
    written(tmp_path / "session-b.jsonl", rows)
    saved = [{"role": "user", "parts": [{"text": "存下的一段"}]}]
    (tmp_path / "checkpoint-x.json").write_text(json.dumps(saved), encoding="utf-8")
    done = brain.ingest(tmp_path)
    assert (done.format, done.failed) == ("gemini-cli", 0)
    assert sorted(texts(brain)) == [
        "用户：一\n助手：二",
        "用户：存下的一段",
        "用户：把日志级别调成警告\n助手：调好了。\n用户：再把轮转设成每天",
    ]


# Notes -------------------------------------------------------------------------------------------


def test_a_vault_of_obsidian(brain: Brain, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "模板").mkdir()
    (vault / "模板" / "周报.md").write_text("# 周报\n\n- 本周完成的\n", encoding="utf-8")
    (vault / "新建.md").write_text("# {{title}}\n\n- 待填\n", encoding="utf-8")
    (vault / "张三.md").write_text(
        "---\naliases:\n  - 老张\n  - Zhang\ntags: [同事, 后端]\ncreated: 2026-05-08\n---\n"
        "# 张三\n\n- 负责[[支付网关|网关]]，工位在 [[三楼#东区]]\n- [[首页]]\n"
        "%%他要离职了%%\n\n```dataview\nTABLE 状态\nFROM #同事\n```\n\n"
        "![[头像.png]]喜欢早上开会 ^abc1\n\n%%\n两行的\n私事\n%%\n生日:: 三月九号\n"
        "今天是 `= this.day`",
        encoding="utf-8",
    )
    done = brain.ingest(vault)
    assert (done.format, done.failed) == ("markdown", 0)
    tail = " #同事 #后端"
    head = "张三（又名老张、Zhang） > 张三："
    assert texts(brain) == [
        f"{head}负责网关，工位在 三楼 > 东区{tail}",
        f"{head}喜欢早上开会\n\n\n\n\n\n生日：三月九号\n今天是{tail}",
    ]
    assert all(local_day(m.valid_from or "") == "2026-05-08" for m in live(brain))
    assert "网关" in brain.recall("老张负责什么").hits[0].text
    assert brain.recall("后端同事").hits[0].text.endswith(tail)
    assert all(m.tags == ("同事", "后端") for m in live(brain))
    again = brain.ingest(vault)
    assert (again.added, again.superseded, again.expired) == (0, 0, 0)


def test_percent_signs_and_other_programs_text_are_no_comments(
    brain: Brain, tmp_path: Path
) -> None:
    said = "- 通过率从 50%% 涨到 80%%，第二周\n- 用 std::vector 存\n- 模板里写 `{{title}}`\n"
    (tmp_path / "a.md").write_text(said, encoding="utf-8")
    brain.ingest(tmp_path / "a.md")
    assert texts(brain) == [line[2:] for line in said.splitlines()]


def test_the_state_of_a_task_counts_and_ticking_it_is_a_change(
    brain: Brain, tmp_path: Path
) -> None:
    path = tmp_path / "上线清单.md"
    tasks = [
        "- [ ] 压测报告",
        "- [x] 域名备案",
        "- [-] 短信通道换供应商",
        "- [/] 灰度",
        "- [ ] 文档\n  - [x] 接口\n  - [ ] 部署",
    ]
    path.write_text("# 青鸟上线清单\n\n" + "\n".join(tasks) + "\n", encoding="utf-8")
    assert brain.ingest(path).added == 5
    head = "青鸟上线清单："
    assert texts(brain) == [
        f"{head}压测报告（未完成）",
        f"{head}域名备案（已完成）",
        f"{head}短信通道换供应商（已取消）",
        f"{head}灰度（进行中）",
        f"{head}文档（未完成）\n  - 接口（已完成）\n  - 部署（未完成）",
    ]
    tasks[0] = "- [x] 压测报告"
    tasks[4] = "- [ ] 文档\n  - [x] 接口\n  - [x] 部署"
    tasks.insert(0, "- [ ] 买域名")
    path.write_text("# 青鸟上线清单\n\n" + "\n".join(tasks) + "\n", encoding="utf-8")
    done = brain.ingest(path)
    assert (done.added, done.superseded, done.expired) == (1, 2, 0)
    assert f"{head}压测报告（已完成）" in texts(brain)
    assert f"{head}文档（未完成）\n  - 接口（已完成）\n  - 部署（已完成）" in texts(brain)
    done_one = next(m for m in live(brain) if "压测报告（已完成）" in m.text)
    assert brain.get(done_one.supersedes or 0).text == f"{head}压测报告（未完成）"
    assert brain.ingest(path).superseded == 0


def test_headings_that_name_a_day_date_what_stands_under_them(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "日志.md").write_text(
        "# 2026年5月\n\n## 8日 周五\n\n- 今天换了网关\n\n## 5月9日\n\n- 今天修了灯\n\n"
        "# 2026-06-01\n\n今天发版。\n\n# 杂\n\n- 没有日子\n",
        encoding="utf-8",
    )
    brain.ingest(tmp_path / "日志.md")
    days = {m.text.rpartition("：")[2]: m.valid_from for m in live(brain)}
    told = {text: local_day(day) if day else None for text, day in days.items()}
    assert told == {
        "今天换了网关": "2026-05-08",
        "今天修了灯": "2026-05-09",
        "今天发版。": "2026-06-01",
        "没有日子": None,
    }
    assert "今天=2026-05-08" in brain.inject("网关换了吗").block


def test_rows_without_a_date_have_no_day_of_their_own(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("内容\n今天买了伞\n", encoding="utf-8")
    brain.ingest(tmp_path / "a.csv")
    assert live(brain)[0].valid_from is None
    assert "今天=" not in brain.inject("买伞了吗").block


def test_a_plain_text_is_its_paragraphs(brain: Brain, tmp_path: Path) -> None:
    path = tmp_path / "2026-05-08 记事.txt"
    path.write_bytes("会议室在三楼靠窗。\r\n\r\n投影仪找行政借，\r\n要登记。\r\n".encode("gbk"))
    done = brain.ingest(path)
    assert (done.format, done.added) == ("text", 2)
    assert texts(brain) == ["会议室在三楼靠窗。", "投影仪找行政借，\n要登记。"]
    assert local_day(live(brain)[0].valid_from or "") == "2026-05-08"
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "requirements.txt").write_text("apsw>=3.50\n")
    (folder / "CLAUDE.md").write_text("- 用中文\n")
    assert brain.ingest(folder).format == "markdown"


DIALOGUES = {
    "headings": "# 和 Claude 的对话\n\n## User\n\n{q}\n\n## Assistant\n\n{a}\n\n---\n\n"
    "## User\n\n{r}\n",
    "signs": "## 👤 User\n\n{q}\n\n## 🤖 Claude\n\n{a}\n\n## 👤 User\n\n{r}\n",
    "bold": "**User:** {q}\n\n**Assistant:** {a}\n\n**User:** {r}\n",
    "bold alone": "_**User**_\n\n{q}\n\n---\n\n_**Cursor**_\n\n{a}\n\n---\n\n_**User**_\n\n{r}\n",
    "said": "**You said:**\n{q}\n\n**ChatGPT said:**\n{a}\n\n**You said:**\n{r}\n",
    "names": "用户：{q}\n\n助手：{a}\n\n用户：{r}\n",
    "with times": "### user @ 2026-09-09T04:05:37Z\n\n{q}\n\n"
    "### assistant @ 2026-09-09T04:06:00Z\n\n{a}\n\n### user @ 2026-09-09T04:07:00Z\n\n{r}\n",
}


@pytest.mark.parametrize("suffix", [".md", ".txt"])
@pytest.mark.parametrize("style", sorted(DIALOGUES))
def test_a_saved_conversation_becomes_turns(
    brain: Brain, tmp_path: Path, style: str, suffix: str
) -> None:
    said = {"q": "班车几点发", "a": "早上七点半，\n\n- 东门一班\n- 西门一班", "r": "那晚上呢"}
    path = tmp_path / f"talk{suffix}"
    path.write_text(DIALOGUES[style].format(**said), encoding="utf-8")
    brain.ingest(path)
    (one,) = live(brain)
    assert one.text == f"用户：{said['q']}\n助手：{said['a']}\n用户：{said['r']}"
    assert one.kind == "episode"
    assert (one.valid_from is not None) == (style == "with times")
    # It goes on: one episode still, and its date stays what it was.
    path.write_text(DIALOGUES[style].format(**{**said, "r": "那晚上呢，几点回"}), encoding="utf-8")
    assert brain.ingest(path).superseded == 1
    (grown,) = live(brain)
    assert (grown.supersedes, grown.valid_from) == (one.id, one.valid_from)


def test_a_long_saved_conversation_is_many_episodes(brain: Brain, tmp_path: Path) -> None:
    turns = [
        f"## User\n\n第{n}问：{'柜子里的东西' * 20}\n\n## Assistant\n\n第{n}答：{'放好了' * 60}\n"
        for n in range(120)
    ]
    path = tmp_path / "long.md"
    path.write_text("\n".join(turns), encoding="utf-8")
    assert len(path.read_text(encoding="utf-8")) > 36_000
    brain.ingest(path)
    assert len(live(brain)) > 30
    assert max(len(m.text) for m in live(brain)) < 2000


@pytest.mark.parametrize(
    "note",
    [
        "# 常见问题\n\n**问：** 几点开门\n\n**答：** 九点\n",
        "- 用户：张三\n- 助手：李四\n- 模型：bge\n",
        "# 角色\n\n## User\n\n能登录的人。\n\n## Admin\n\n能删除的人。\n",
        "用户：林工\n电话：没有\n",
    ],
    ids=range(4),
)
def test_other_notes_are_no_conversation(brain: Brain, tmp_path: Path, note: str) -> None:
    (tmp_path / "a.md").write_text(note, encoding="utf-8")
    brain.ingest(tmp_path / "a.md")
    assert {m.kind for m in live(brain)} == {"note"}


def test_a_long_section_of_prose_is_not_one_memory(brain: Brain, tmp_path: Path) -> None:
    rows = [f"第{n}段说的是仓库里的{'货架和标签' * 12}。" for n in range(60)]
    (tmp_path / "a.md").write_text("# 仓库\n\n" + "\n\n".join(rows), encoding="utf-8")
    brain.ingest(tmp_path / "a.md")
    assert max(len(m.text) for m in live(brain)) < 1500
    assert all(sum(row in m.text for m in live(brain)) == 1 for row in rows)


# Tables ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "cells", "wanted"),
    [
        ("importance", ["0.9", "", "1"], [0.9, 0.5, 1.0]),
        ("重要度", ["高", "中", "低"], [0.9, 0.5, 0.2]),
        ("重要性", ["5", "1", "3"], [1.0, 0.2, 0.6]),
        ("优先级", ["8", "10", "2"], [0.8, 1.0, 0.2]),
        ("重要程度", ["80%", "20%", "100%"], [0.8, 0.2, 1.0]),
    ],
)
def test_a_column_of_importance(
    brain: Brain, tmp_path: Path, column: str, cells: list[str], wanted: list[float]
) -> None:
    rows = "".join(f"第{n}条说走廊,{cell}\n" for n, cell in enumerate(cells))
    (tmp_path / "a.csv").write_text(f"内容,{column}\n{rows}", encoding="utf-8")
    assert brain.ingest(tmp_path / "a.csv").failed == 0
    assert [m.importance for m in live(brain)] == pytest.approx(wanted)


def test_a_column_of_tags_is_searchable(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        '内容,标签\n门卡在前台领,"办公、门禁"\n食堂十二点开,#吃饭 #食堂\n没有标签的,\n',
        encoding="utf-8",
    )
    brain.ingest(tmp_path / "a.csv")
    assert texts(brain) == ["门卡在前台领 #办公 #门禁", "食堂十二点开 #吃饭 #食堂", "没有标签的"]
    assert brain.recall("门禁").hits[0].text.startswith("门卡")
    assert [m.text[:2] for m in brain.list(tags=["食堂"])] == ["食堂"]
    assert [m.tags for m in live(brain)] == [("办公", "门禁"), ("吃饭", "食堂"), ()]


def test_what_is_no_tag_stays_in_the_text_and_the_row_is_taken(
    brain: Brain, tmp_path: Path
) -> None:
    long = "长" * 65
    row = {"text": "门卡在前台领", "tags": ["办公", long, "", "#"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    assert brain.ingest(tmp_path / "a.jsonl").failed == 0
    (one,) = live(brain)
    assert one.tags == ("办公",)
    assert long in one.text


# Encodings ---------------------------------------------------------------------------------------

SIMPLE = "会议室在三楼靠窗，投影仪找行政借。\n打印机在二楼，没纸了找前台。\n"
TRADITIONAL = "會議室在三樓靠窗，投影機找行政借。\n印表機在二樓，沒紙了找前台。\n"
JAPANESE = "会議室は三階にあります。プロジェクターは総務に借りてください。\n"
KOREAN = "회의실은 삼층에 있습니다. 프로젝터는 총무팀에서 빌리세요.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((SIMPLE, e) for e in ("utf-8", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be")),
        *((TRADITIONAL, e) for e in ("utf-8", "big5", "cp950", "gbk", "utf-16-le")),
    ],
)
@pytest.mark.parametrize("kind", ["md", "txt", "csv", "jsonl"])
def test_an_encoding_is_recognised(
    brain: Brain, tmp_path: Path, text: str, encoding: str, kind: str
) -> None:
    lines = text.splitlines()
    said = {
        "csv": "内容\n" + text,
        "jsonl": "".join(json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in lines),
    }.get(kind, text)
    said = said.replace("内容", "text")
    path = tmp_path / f"a.{kind}"
    path.write_bytes(said.encode(encoding))
    assert brain.ingest(path).failed == 0
    told = "\n".join(texts(brain))
    assert all(line in told for line in lines)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(JAPANESE, "shift-jis"), (JAPANESE, "euc-jp"), (KOREAN, "euc-kr"), ("Café déjà\n", "latin-1")],
)
@pytest.mark.parametrize("kind", ["md", "txt", "csv"])
def test_one_that_nothing_makes_sense_of_is_refused(
    brain: Brain, tmp_path: Path, text: str, encoding: str, kind: str
) -> None:
    path = tmp_path / "p" / f"a.{kind}"
    path.parent.mkdir()
    path.write_bytes(("text\n" + text if kind == "csv" else text).encode(encoding))
    error = refused("brain_ingest_encoding", 65, lambda: brain.ingest(path))
    assert "编码" in error.message
    (path.parent / "b.md").write_text("- 会议室在三楼\n", encoding="utf-8")
    done = brain.ingest(path.parent)
    assert [e.file for e in done.errors] == [path.name]
    assert texts(brain) == ["会议室在三楼"]


def test_the_first_words_of_a_file_are_enough(tmp_path: Path) -> None:
    for text, encoding in (("周五开会\n", "gbk"), ("週五開會\n", "big5"), ("明天下雨\n", "gbk")):
        (tmp_path / "a").write_bytes(text.encode(encoding))
        assert text.encode(encoding).decode(encoding_of(tmp_path / "a")) == text


# Named by hand, named when unread ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("codex", b'{"debug": true}\n{"debug": false}\n'),
        ("claude-code", "只是一段话\n".encode()),
        ("chatgpt", b'[{"a": 1}]'),
        ("cursor", b"not a database"),
        ("csv", b"no, such, column\n1,2,3\n"),
        ("claude-code", b""),
    ],
)
def test_a_format_named_by_hand_is_checked(
    brain: Brain, tmp_path: Path, name: str, data: bytes
) -> None:
    path = tmp_path / "p" / f"a{formats.FORMATS[name].suffixes[0]}"
    path.parent.mkdir()
    path.write_bytes(data)
    error = refused("brain_ingest_format", 65, lambda: brain.ingest(path, name))
    assert name in error.message
    if data:
        done = brain.ingest(path.parent, name)
        assert (done.added, [e.file for e in done.errors]) == (0, [path.name])


def test_files_that_could_not_be_read_are_named_one_by_one(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    written(folder / "a.jsonl", SHARED)
    (folder / "odd.jsonl").write_text('{"n": 1}\n')
    (folder / "gone.zip").write_bytes(b"PK\x03\x04" + bytes(60))
    done = cli("ingest", "p")
    assert "odd.jsonl" in done.err
    assert done.code == 0
    (folder / "a.jsonl").unlink()
    (folder / "odd.jsonl").unlink()
    (folder / "config.json").write_text("{}")
    alone = cli("ingest", "p")
    assert (alone.code, alone.out) != (0, "")
    assert "config.json" in alone.err


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def test_what_earlier_readers_took_in_is_mended(make: Make, tmp_path: Path) -> None:
    """A file read by a version that took scaffolding for words is read again, once."""
    brain = make("b.db")
    path = written(tmp_path / "s.jsonl", SHARED)
    brain.ingest(path)
    with brain._store.write() as db:
        db.execute("UPDATE sources SET state = json_remove(state, '$.readers')")
        # As that version packed it: a turn of a machine's first, under a key of its own.
        db.execute(
            "UPDATE taken SET key = substr(key, 1, 25) || 'older' WHERE memory_id IS NOT NULL"
        )
        db.execute("UPDATE taken SET digest = zeroblob(16) WHERE memory_id IS NOT NULL")
    before = live(brain)
    done = brain.ingest(path)
    assert [m.text for m in live(brain)] == [m.text for m in before]
    assert done.retracted <= 1
    assert brain.ingest(path).unchanged == 1


# What could not be read --------------------------------------------------------------------------


def test_documents_nothing_here_reads_are_named_one_by_one(brain: Brain, tmp_path: Path) -> None:
    folder = tmp_path / "资料"
    (folder / "旧").mkdir(parents=True)
    (folder / "车位.md").write_text("- 停车位 B2-17\n", encoding="utf-8")
    for name in ("合同.docx", "旧/说明书.PDF", "网页.html", "图.png", "脚本.py"):
        (folder / name).write_bytes(b"%PDF-1.7 \x00\x01")
    done = brain.ingest(folder)
    assert (done.added, done.failed) == (1, 3)
    assert sorted(e.file for e in done.errors) == ["合同.docx", "旧/说明书.PDF", "网页.html"]


def test_nothing_taken_in_is_no_plain_success(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "空.md").write_text("", encoding="utf-8")
    (tmp_path / "只有标题.md").write_text("# 标题\n\n\n", encoding="utf-8")
    written(tmp_path / "空话.jsonl", [claude("user", "好的", 1), claude("assistant", "", 2)])
    for name, form in (("空.md", "markdown"), ("只有标题.md", None), ("空话.jsonl", None)):
        done = brain.ingest(tmp_path / name, form)
        assert (done.added, [e.file for e in done.errors]) == (0, [name])
    again = brain.ingest(tmp_path / "空话.jsonl")
    assert (again.unchanged, again.failed) == (1, 0)
