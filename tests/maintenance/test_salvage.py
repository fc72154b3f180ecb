"""Salvage: whatever can be read of a corrupt file is kept, what cannot is counted and named."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from brain import Brain
from brain.results import DoctorResult
from tests.support.engine import EVERYDAY, fill, indexes_are_whole, texts

Rows = dict[Any, tuple[Any, ...]]

TABLES = ("memories", "scopes", "journal", "sources", "taken", "ccr", "words")
"""Tables of what cannot be made anew."""

LINKS = ("supersedes", "superseded_by")


def mend(path: Path) -> DoctorResult:
    with Brain.open(path, checked=False) as brain:
        return brain.doctor(repair=True)


def table(path: Path, name: str) -> Rows:
    """The rows of a table by their first column."""
    db = sqlite3.connect(path)
    try:
        return {row[0]: row for row in db.execute(f"SELECT * FROM {name}")}
    finally:
        db.close()


def columns(path: Path, name: str) -> list[str]:
    db = sqlite3.connect(path)
    try:
        return [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
    finally:
        db.close()


def told(found: DoctorResult) -> dict[str, str]:
    return {f.code: f.message for f in found.findings if f.severity != "ok"}


def spoil(path: Path, name: str, choose: Callable[[list[int]], list[int]]) -> None:
    """Overwrites pages of a table or index, its root left out, with noise."""
    db = apsw.Connection(str(path))
    found = db.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' AND pageno NOT IN"
        " (SELECT rootpage FROM sqlite_schema) ORDER BY path",
        (name,),
    ).fetchall()
    db.close()
    rnd = random.Random(7)
    data = bytearray(path.read_bytes())
    for page in choose([int(n) for (n,) in found]):
        data[(page - 1) * 4096 : page * 4096] = rnd.randbytes(4096)
    path.write_bytes(data)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Lines of two and of three, corrected, retracted and forgotten records, several scopes, long
    texts of many passages, sources, originals and own words."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "m.db"
    with Brain.open(path, model="none") as brain:
        fill(brain, [f"{text}，第{n}年的记录" for n in range(10) for text in EVERYDAY])
        for n in range(1, 101):
            brain.supersede(n, text=f"第{n}条后来变了：{EVERYDAY[n % 30]}，改到明天")
        for n in range(301, 341):
            brain.supersede(n, text=f"又变了一次：{EVERYDAY[n % 30]}，原编号{n}")
        for n in range(101, 141):
            brain.correct(n, text=f"记错了，第{n}条其实是：{EVERYDAY[n % 30]}，没有例外")
        for n in range(141, 151):
            brain.retract(n)
        brain.forget(160, force=True)
        brain.add("家里的路由器密码贴在鞋柜里", scope="家")
        brain.add(
            "\n\n".join(f"第{n}段。" + "".join(EVERYDAY[:6]) for n in range(12)), scope="长文"
        )
        lines = [{"text": f"{text}，来自别处"} for text in EVERYDAY]
        (folder / "a.jsonl").write_text(
            "\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8"
        )
        assert brain.ingest(folder / "a.jsonl", scope="读入").added == len(EVERYDAY)
        for n in range(3):
            log = "\n".join(
                f"2026-03-0{n + 1} 12:00:{i % 60:02} INFO 第{i}步完成" for i in range(900)
            )
            assert brain.compress(log).handle
        brain.add_word("青鸟计划 10 n")
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    (tmp_path / "m.db").write_bytes(whole)
    (tmp_path / "m.db").chmod(0o600)
    return tmp_path / "m.db"


def test_where_every_row_can_be_read_none_is_lost(path: Path) -> None:
    before = {name: table(path, name) for name in TABLES}
    spoil(path, "memories_by_scope", lambda pages: pages[:1])
    done = mend(path)
    assert done.salvaged is not None
    assert done.salvaged_records == len(before["memories"]) > 500
    assert not {"salvage_lost", "salvage_incomplete"} & told(done).keys()
    saved = Path(done.salvaged)
    for name in TABLES:
        after = table(saved, name)
        assert before[name].items() <= after.items(), name
        assert len(after) == len(before[name]) + (name == "journal")
    with Brain.open(saved) as brain:
        assert brain.doctor().ok
        assert indexes_are_whole(brain)
        assert [m.id for m in brain.history(1).history] == [1, 301, 401]
        for handle in before["ccr"]:
            assert "步完成" in brain.recover(handle).decode()


@pytest.mark.parametrize("which", ["first", "middle", "last", "every fifth"])
def test_what_is_lost_is_named_and_the_rest_kept_record_by_record(path: Path, which: str) -> None:
    before = {name: table(path, name) for name in TABLES}
    spoil(
        path,
        "memories",
        {
            "first": lambda pages: pages[:1],
            "middle": lambda pages: pages[len(pages) // 2 :][:2],
            "last": lambda pages: pages[-1:],
            "every fifth": lambda pages: pages[::5],
        }[which],
    )
    done = mend(path)
    assert done.salvaged is not None
    saved = Path(done.salvaged)
    kept = table(saved, "memories")
    lost = sorted(before["memories"].keys() - kept.keys())
    assert kept.keys() < before["memories"].keys()
    assert done.salvaged_records == len(kept)
    assert f"有 {len(lost)} 条" in told(done)["salvage_lost"]
    assert f"#{lost[0]}" in told(done)["salvage_lost"]
    at = [columns(saved, "memories").index(name) for name in LINKS]
    for number, row in kept.items():
        expected = list(before["memories"][number])
        for place in at:
            if expected[place] in lost:
                expected[place] = None
        assert list(row) == expected
    for name in ("scopes", "journal", "sources", "ccr", "words"):
        assert before[name].items() <= table(saved, name).items(), name
    takings = table(saved, "taken")
    memory = columns(saved, "taken").index("memory_id")
    assert takings == {k: row for k, row in before["taken"].items() if row[memory] not in lost}
    with Brain.open(saved) as brain:
        assert brain.doctor().ok
        assert brain.add("新的编号不和丢掉的相同").id > max(before["memories"])
        some = next(row for row in kept.values() if row[13] is None and row[14] is None)
        assert texts(brain.recall(str(some[2]), k=20))


def test_a_text_that_is_no_utf8_costs_no_other_record(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP INDEX memories_by_scope")
    for number in (5, 200, max(table(path, "memories"))):
        db.execute("UPDATE memories SET text = CAST(x'e4b8ff41' AS TEXT) WHERE id = ?", (number,))
    db.close()
    spoil(path, "memories_by_kind", lambda pages: pages[:1])
    before = table_ids(path)
    done = mend(path)
    assert done.salvaged_records == len(before) - 3
    assert "有 3 条" in told(done)["salvage_lost"]


def table_ids(path: Path) -> list[int]:
    db = sqlite3.connect(path)
    try:
        return [n for (n,) in db.execute("SELECT id FROM memories NOT INDEXED")]
    finally:
        db.close()
