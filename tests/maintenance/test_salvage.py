"""Salvage: whatever can be read of a corrupt file is kept, what cannot is counted and named."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from brain import Brain
from brain.results import DoctorResult
from brain.store import memories, schema
from brain.text.timestamps import now_utc
from tests.support import ROOT
from tests.support.cli import Cli
from tests.support.engine import (
    EVERYDAY,
    fill,
    indexes_are_whole,
    refused,
    texts,
    told_apart,
)

Rows = dict[Any, tuple[Any, ...]]

OWNED = {"tags": ("memory_id",), "links": ("decision", "outcome"), "faded": ("memory_id",)}
"""Tables whose rows go with the records they name."""

TABLES = ("memories", "scopes", "journal", "sources", "taken", "ccr", "words", *OWNED)
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
        told = [f"{text}，第{n}年的记录" for n in range(10) for text in EVERYDAY]
        brain.add_many(
            replace(draft, tags=("旧事", f"第{n % 7}格")[: n % 3])
            for n, draft in enumerate(told_apart(told))
        )
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
        for n in range(120):
            brain.add(f"第{n}扇门的钥匙换过了", tags=("钥匙", f"门{n % 7}"))
            brain.record(f"第{n}次跳过测试就发布", f"第{n}次线上白屏", relation="caused")
        brain.add("很早的一条", now=now_utc() - timedelta(days=100))
        assert brain.decay().decayed > 500
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
    for name, owners in OWNED.items():
        places = [columns(saved, name).index(owner) for owner in owners]
        gone = {k for k, row in before[name].items() if {row[at] for at in places} & set(lost)}
        assert gone or which != "every fifth"
        assert table(saved, name) == {k: r for k, r in before[name].items() if k not in gone}
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


# A truncated file, and one with a wrong byte in its header ------------------------------------


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    where = tmp_path_factory.mktemp("plain") / "p.db"
    with Brain.open(where, model="none") as brain:
        fill(brain, [f"{text}，第{n}年的记录" for n in range(5) for text in EVERYDAY])
        brain.supersede(1, text="物业改到周三抄水表")
    return where.read_bytes()


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_a_file_that_lost_its_last_page_loses_what_was_on_it(tmp_path: Path, plain: bytes) -> None:
    before = table(put(tmp_path / "m.db", plain), "memories")
    path = put(tmp_path / "m.db", plain[:-4096])
    done = mend(path)
    assert done.salvaged is not None
    kept = table(Path(done.salvaged), "memories")
    assert before.keys() - kept.keys() == {151}
    assert told(done)["salvage_lost"] == "有 1 条读不出来，没有救到：#151"
    assert all(kept[n] == before[n] for n in kept.keys() - {1})
    assert path.read_bytes() == plain[:-4096]
    assert {p.name for p in tmp_path.iterdir()} == {"m.db", Path(done.salvaged).name}


HEADER = {
    0: "header", 15: "header", 16: "header", 17: "header", 19: "header", 20: "integrity",
    21: "header", 23: "header", 28: "integrity", 36: "integrity", 47: "integrity",
    52: "integrity", 60: "header", 63: "header", 64: "integrity", 68: "header", 71: "header",
    100: "integrity", 101: "integrity", 103: "integrity", 104: "integrity", 108: "integrity",
    111: "integrity",
}  # fmt: skip
"""What the doctor says of one wrong byte, by its place in the file."""


@pytest.mark.parametrize("at", HEADER)
def test_one_wrong_byte_in_the_header_costs_no_record(
    tmp_path: Path, plain: bytes, at: int
) -> None:
    before = table(put(tmp_path / "m.db", plain), "memories")
    data = bytearray(plain)
    data[at] ^= 0x41
    path = put(tmp_path / "m.db", bytes(data))
    done = mend(path)
    assert (done.exit_code, HEADER[at] in told(done)) == (74, True)
    assert done.salvaged is not None
    assert table(Path(done.salvaged), "memories") == before
    with Brain.open(done.salvaged) as brain:
        assert brain.doctor().ok
    if HEADER[at] == "header":
        assert path.read_bytes() == data
        assert "文件头坏了" in told(done)["header"]
    if at == 60:  # no program will ever be that new
        with Brain.open(path, checked=False) as brain:
            assert "文件头坏了" in told(brain.doctor())["header"]
    if at == 63:
        with Brain.open(path, checked=False) as brain:
            assert "--repair" in refused("brain_schema_newer", 78, brain.doctor).message


def test_a_really_newer_file_and_anothers_stay_what_they_are(tmp_path: Path, plain: bytes) -> None:
    path = put(tmp_path / "m.db", plain)
    db = apsw.Connection(str(path))
    db.execute("ALTER TABLE memories ADD COLUMN mood TEXT")
    db.pragma("user_version", schema.SCHEMA_VERSION + 1)
    db.close()
    refused("brain_schema_newer", 78, lambda: mend(path))
    other = tmp_path / "other.db"
    db = apsw.Connection(str(other))
    db.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT)")
    db.close()
    for repair in (False, True):
        with Brain.open(other, checked=False) as brain:
            found = brain.doctor(repair=repair)
        assert (found.exit_code, found.salvaged, "header" in told(found)) == (74, None, True)
    assert {p.name for p in tmp_path.iterdir()} == {"m.db", "other.db"}


KILLED = """
import os, signal, sys
from brain import Brain
brain = Brain.open(sys.argv[1])
brain.add("进了日志就被杀掉")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_what_only_the_log_holds_is_salvaged_too(tmp_path: Path, plain: bytes) -> None:
    path = put(tmp_path / "m.db", plain)
    subprocess.run(
        [sys.executable, "-c", KILLED, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    data = bytearray(path.read_bytes())
    data[0] ^= 0x41
    path.write_bytes(data)
    done = mend(path)
    assert done.salvaged is not None
    assert "进了日志就被杀掉" in {row[2] for row in table(Path(done.salvaged), "memories").values()}


# Values no record can hold, and files of an older format --------------------------------------


def test_a_bad_cell_costs_its_value_not_its_record(tmp_path: Path, plain: bytes) -> None:
    path = put(tmp_path / "m.db", plain)
    before = table(path, "memories")
    names = columns(path, "memories")
    db = apsw.Connection(str(path))
    db.execute("PRAGMA ignore_check_constraints = ON")
    bad: dict[int, tuple[str, Any]] = {
        5: ("recorded_at", "昨天"),
        6: ("importance", 7.5),
        7: ("kind", b"\xff"),
        8: ("scope", b"\xfe\xff"),
        9: ("retracted_at", b"\x00"),
        10: ("confidence", "很高"),
        11: ("use_count", "三"),
        12: ("text_sha256", "not bytes"),
    }
    for number, (column, value) in bad.items():
        db.execute(f"UPDATE memories SET {column} = ? WHERE id = ?", (value, number))
    db.execute("DELETE FROM journal WHERE id = 1")
    db.close()
    done = mend(path)
    assert done.salvaged is not None
    kept = table(Path(done.salvaged), "memories")
    assert kept.keys() == before.keys()
    for number, (column, _) in bad.items():
        assert f"#{number} 的 {column}" in told(done)["salvage_cells"]
    for number, row in kept.items():
        changed = {n for n, a, b in zip(names, row, before[number], strict=True) if a != b}
        assert changed <= ({bad[number][0]} if number in bad else set())
    with Brain.open(done.salvaged) as brain:
        assert brain.doctor().ok
        shown = {m.id for m in brain.list(limit=None)}
    assert not {8, 9} & shown  # what was hidden, or may have been, stays so
    assert {5, 6, 7, 10, 11, 12} <= shown


def test_a_file_that_does_not_say_its_dimension_is_salvaged(tmp_path: Path, plain: bytes) -> None:
    path = put(tmp_path / "m.db", plain)
    db = apsw.Connection(str(path))
    db.execute("INSERT OR REPLACE INTO meta VALUES ('model', 'no-such-model')")
    db.execute("DELETE FROM meta WHERE key = 'dim'")
    db.close()
    data = bytearray(path.read_bytes())
    data[0] ^= 0x41
    path.write_bytes(data)
    assert mend(path).salvaged_records == 151


@pytest.mark.parametrize("version", range(1, schema.SCHEMA_VERSION))
def test_an_older_file_is_called_older_and_migrated(tmp_path: Path, version: int) -> None:
    path = put(tmp_path / "old.db", b"")
    db = apsw.Connection(str(path))
    for migrate in schema.MIGRATIONS[:version]:
        migrate(db)
    db.pragma("user_version", version)
    db.pragma("application_id", schema.APPLICATION_ID)
    for text in EVERYDAY:
        at = "2026-01-01T00:00:00.000Z"
        memories.insert(
            db, memories.Record(text, "note", "", "user", 0.5, 0.95, False, None, None, at)
        )
    db.close()
    with Brain.open(path, checked=False) as brain:
        found = brain.doctor()
    assert (found.exit_code, found.salvaged) == (0, None)
    assert told(found).keys() == {"schema"}
    assert f"格式版本 {version}，比现在的" in told(found)["schema"]
    before = table(path, "memories")
    done = mend(path)
    assert ("schema" in done.repaired, done.salvaged, done.exit_code) == (True, None, 0)
    assert table(path, "memories") == before
    with Brain.open(path) as brain:
        assert brain.recall("物业抄水表").hits


@pytest.mark.parametrize("value", ["x'e4b8ff41'", "CAST(x'e4b8ff41' AS TEXT)"])
def test_an_export_leaves_out_what_is_damaged_and_says_so(
    tmp_path: Path, plain: bytes, value: str
) -> None:
    path = put(tmp_path / "m.db", plain)
    db = apsw.Connection(str(path))
    for number in (5, 6, 151):
        db.execute(f"UPDATE memories SET evidence = {value} WHERE id = {number}")
    db.execute(f"UPDATE journal SET why = {value} WHERE id = 7")
    db.execute("UPDATE journal SET detail = '[' WHERE id = 8")
    db.close()
    with Brain.open(path) as brain:
        done = brain.export_to(tmp_path / "out.jsonl")
        assert done.added == 148
        reasons = [fault.reason for fault in done.errors]
        named = ["记忆 #5", "记忆 #6", "记忆 #151", "日志里的 #7", "日志里的 #8"]
        assert all(r.startswith(f"{n} ") for r, n in zip(reasons, named, strict=True))
        lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
        held = [json.loads(line) for line in lines]
        known = {one["id"] for one in held if one["type"] == "memory"}
        assert known == set(range(1, 151)) - {5, 6}
        assert held[-1]["lines"] == len(lines) - 1
        refused("brain_db_damaged", 74, lambda: list(brain.export()))
        marked = brain.export_to(tmp_path / "md", format="markdown")
        assert [fault.line for fault in marked.errors] == [5, 6, 151]
    shown = Cli(tmp_path)("export", "--db", str(path))
    assert (shown.code, shown.out.count('"type":"memory"'), "记忆 #5" in shown.err) == (
        74,
        148,
        True,
    )
