"""What people read: memories, days, sizes, and what a command did, in Chinese."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from brain.cli.console import visible
from brain.cli.render import SENTENCES, local_day, memory_line, memory_lines, size
from brain.memory import Memory, content_hash
from tests.support.cli import Cli, Say

MEMORY = Memory(
    id=12,
    kind="decision",
    text="数据库选型定为 PostgreSQL\n因为要用部分索引",
    scope="web",
    source="user",
    importance=0.5,
    confidence=0.95,
    strength=1.0,
    pinned=True,
    valid_from="2026-03-02T04:00:00.000Z",
    valid_to="2027-03-02T04:00:00.000Z",
    recorded_at="2026-03-02T04:00:00.000Z",
    retracted_at=None,
    supersedes=3,
    superseded_by=None,
    archived_at=None,
    evidence="评审纪要",
    content_hash=content_hash("x"),
    use_count=0,
    last_used_at=None,
)


def test_control_characters_are_shown_and_not_sent() -> None:
    assert visible("红\x1b[31m\x07\x9b字\n\t尾🎉") == "红\\x1b[31m\\x07\\x9b字\n\t尾🎉"


def test_a_memory_for_people() -> None:
    line = memory_line(MEMORY)
    assert "\n" not in line
    for part in ("#12", "decision", "范围 web", "已钉住", "有效至", "PostgreSQL …"):
        assert part in line
    whole = "\n".join(memory_lines(MEMORY))
    assert MEMORY.text in whole
    for part in ("可信 0.95", "取代了 #3", "评审纪要"):
        assert part in whole


def test_a_long_memory_is_shortened_with_the_way_to_the_rest(tmp_path: Path) -> None:
    text = "".join(f"第{n}步拧紧螺丝再转半圈；" for n in range(1, 130))
    assert 1_500 < len(text) < 2_000
    cli = Cli(tmp_path)
    cli("add", text)
    for words in (("list",), ("recall", "拧紧螺丝"), ("search", "拧紧螺丝")):
        shown = cli(*words)
        assert f"共 {len(text)} 字，全文：brain show 1" in shown.out
        assert "第129步" not in shown.out
        assert text in json.dumps(cli(*words, "--json").json, ensure_ascii=False)
    assert text in cli("show", "1").out
    cli("add", "短的一条：螺丝在工具箱")
    assert "短的一条：螺丝在工具箱\n" in cli("recall", "螺丝在哪").out


@pytest.mark.skipif(os.name == "nt", reason="Windows takes no zone from TZ")
def test_days_are_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    for zone, day in (("Asia/Shanghai", "2026-01-01"), ("America/New_York", "2025-12-31")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert local_day("2026-01-01T04:30:00.000Z") == day
    monkeypatch.undo()
    time.tzset()
    assert local_day(None) == ""
    assert local_day("9999-12-31T23:59:59.999Z").startswith(("9999", "10000"))


def test_sizes() -> None:
    assert [size(n) for n in (0, 1023, 1536, 24_449_967)] == [
        "0 字节", "1023 字节", "1.5 KiB", "23.3 MiB"
    ]  # fmt: skip


def test_every_degraded_code_has_a_sentence() -> None:
    contract = {"no_model", "model_mismatch", "no_vec", "vectors_pending", "timeout"}
    contract |= {"no_trigram", "uncalibrated", "index_damaged"}
    assert set(SENTENCES) == contract


@pytest.mark.parametrize(
    ("name", "text", "entries"),
    [
        ("记录.jsonl", '{"text": "班车七点"}\n{"text": "班车八点换线"}\n', 2),
        ("坏行.jsonl", '{"text": "班车七点"}\n{"text": \n', 1),
        ("表.csv", "text\n班车七点\n食堂十一点开门\n", 2),
    ],
)
def test_a_second_reading_says_that_nothing_changed(
    say: Say, tmp_path: Path, name: str, text: str, entries: int
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    first = say("ingest", name)
    assert (first.code, f"新增 {entries}" in first.out) == (0, True)
    second = say("ingest", name)
    assert "没有变化" in second.out
    assert f"共有 {entries} 条" in second.out
    told = say("ingest", name, "--json").json
    assert (told["unchanged"], told["held"], told["skipped"]) == (1, entries, 0)
    with (tmp_path / name).open("a", encoding="utf-8") as more:
        more.write('{"text": "车库在地下二层"}\n' if name.endswith("l") else "车库在地下二层\n")
    assert "新增 1" in say("ingest", name).out


def test_a_folder_says_how_many_files_are_unchanged(say: Say, tmp_path: Path) -> None:
    folder = tmp_path / "记录"
    folder.mkdir()
    for day in ("一", "二"):
        (folder / f"{day}.jsonl").write_text(f'{{"text": "周{day}开会"}}\n', encoding="utf-8")
    say("ingest", "记录")
    assert "共有 2 条" in say("ingest", "记录").out
    (folder / "二.jsonl").write_text('{"text": "周二不开会了"}\n', encoding="utf-8")
    assert "没有变化的文件 1 个" in say("ingest", "记录").out


def test_changes_say_what_they_did(say: Say) -> None:
    say("add", "值班群是老群")
    assert "没有什么要恢复的" in say("restore", "1").err
    assert say("conf", "1", "0.3").out.splitlines()[-1] == "可信度现在是 0.3"
    assert say("importance", "1", "0.85").out.splitlines()[-1] == "重要度现在是 0.85"
    assert re.fullmatch(
        r"已撤回：从 \d{4}-\d\d-\d\d.* 起不再相信；恢复用 restore 1。",
        say("retract", "1").out.splitlines()[-1],
    )
    assert say("restore", "1").err == ""


def test_the_doctor_ends_with_a_verdict(say: Say, tmp_path: Path) -> None:
    say("add", "值班群是老群")
    told = say("doctor").out.splitlines()
    assert told[-1].startswith("结论：")
    assert sum(line.startswith("结论：") for line in told) == 1


@pytest.mark.parametrize(
    "content",
    ["会议纪要\n".encode() * 60, b"\x89PNG\r\n" + bytes(9000), b"{}"],
    ids=["text", "picture", "json"],
)
def test_of_what_is_no_database_the_doctor_says_what_list_says(
    say: Say, tmp_path: Path, content: bytes
) -> None:
    other = tmp_path / "纪要.db"
    other.write_bytes(content)
    other.chmod(0o644)
    listed, examined = say("list", "--db", str(other)), say("doctor", "--db", str(other))
    sentence = listed.err.partition(": ")[2].strip()
    assert "不是 SQLite 文件" in sentence
    assert sentence in examined.out
    assert examined.code == 74
    # The folder's own name may hold any figures.
    said = (examined.out + examined.err).replace(str(tmp_path), "")
    for word in ("backup", "repair", "600"):
        assert word not in said
    assert other.read_bytes() == content
