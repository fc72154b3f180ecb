"""The doctor finds each kind of damage, mends what is derived, asks before anything else."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.maintenance import doctor, health
from brain.results import DoctorResult
from brain.store import connection, memory_file
from brain.store.wal import size
from brain.text.timestamps import now_utc
from tests.support import ROOT
from tests.support.cli import Cli
from tests.support.engine import (
    EVERYDAY,
    fill,
    indexes_are_whole,
    refused,
    texts,
    vectors_out_of_step,
)

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and signals")


def wrong(found: DoctorResult) -> set[str]:
    return {f.code for f in found.findings if f.severity != "ok"}


def look(path: Path) -> DoctorResult:
    with Brain.open(path, checked=False) as brain:
        return brain.doctor()


def mend(path: Path, *, consent: bool = False) -> DoctorResult:
    with Brain.open(path, checked=False) as brain:
        return brain.doctor(repair=True, consent=consent)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Notes, an heir, several scopes; no model."""
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        fill(brain, EVERYDAY[:15])
        brain.add("家里的路由器密码贴在鞋柜里", scope="家")
        brain.supersede(1, text="物业改到周三抄水表")
        brain.supersede(3, text="外婆现在爱听越剧")
    return tmp_path / "m.db"


@pytest.fixture(scope="module")
def with_vectors(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> bytes:
    """The bytes of a file with vectors; each test has its own copy."""
    where = tmp_path_factory.mktemp("vectors") / "v.db"
    with Brain.open(where, model=e5) as brain:
        fill(brain, EVERYDAY[:6])
        brain.supersede(1, text="物业改到周三抄水表")
    return where.read_bytes()


def change(path: Path, *statements: str) -> None:
    """Changes a file behind our back, with the extension loaded and foreign keys off."""
    db = apsw.Connection(str(path))
    connection.load_vectors(db)
    for statement in statements:
        db.execute(statement).fetchall()
    db.close()


def test_a_sound_file_has_no_finding(path: Path) -> None:
    before = path.read_bytes()
    found = look(path)
    assert (wrong(found), found.exit_code, found.ok) == (set(), 0, True)
    assert {"python", "fts5", "integrity", "grams_words", "clock"} <= {
        f.code for f in found.findings
    }
    assert path.read_bytes() == before
    assert mend(path).repaired == ()


def test_a_missing_file_is_no_fault_and_is_not_made(tmp_path: Path) -> None:
    assert look(tmp_path / "none.db").exit_code == 0
    assert mend(tmp_path / "none.db").exit_code == 0
    assert not (tmp_path / "none.db").exists()


DERIVED: dict[str, tuple[list[str], set[str]]] = {
    "rows gone from the gram index": (
        ["DELETE FROM grams_docsize WHERE id IN (2, 7)"],
        {"grams_missing"},
    ),
    "rows gone from the trigram index": (
        ["DELETE FROM trigrams_docsize WHERE id > 4"],
        {"trigrams_missing"},
    ),
    "a row of no record": (
        ["INSERT INTO grams (rowid, body, scope) VALUES (900, '鬼影', '全')"],
        {"grams_ghosts"},
    ),
    "words of another record": (
        ["INSERT INTO grams (grams) VALUES ('delete-all')"]
        + [
            f"INSERT INTO grams (rowid, body, scope) VALUES ({n}, '别的词', '全')"
            for n in range(1, 19)
        ],
        {"grams_words"},
    ),
    "an empty index": (
        ["INSERT INTO trigrams (trigrams) VALUES ('delete-all')"],
        {"trigrams_missing"},
    ),
    "no passages": (["DELETE FROM passages WHERE memory_id < 5"], {"passages_missing"}),
    "a passage beyond the text": (
        ["UPDATE passages SET stop = 5000 WHERE memory_id = 4"],
        {"passages_missing"},
    ),
    "a passage of no record": (
        ["INSERT INTO passages (memory_id, start, stop) VALUES (700, 0, 3)"],
        {"passages_orphan"},
    ),
    "another folding": (["UPDATE meta SET value = 0 WHERE key = 'fold_version'"], {"fold_version"}),
    "a lost record": (
        ["DELETE FROM memories WHERE id = 16"],
        {"grams_ghosts", "trigrams_ghosts", "passages_orphan"},
    ),
}


@pytest.mark.parametrize("how", DERIVED)
def test_what_is_derived_is_found_and_made_anew_without_asking(path: Path, how: str) -> None:
    statements, expected = DERIVED[how]
    change(path, *statements)
    first = look(path)
    assert expected <= wrong(first)
    assert first.exit_code == (0 if how == "another folding" else 74)
    done = mend(path)
    assert (wrong(done), done.ok, done.salvaged) == (set(), True, None)
    assert expected <= set(done.repaired)
    with Brain.open(path) as brain:
        assert indexes_are_whole(brain)
        assert texts(brain.recall("水表周三"))[0] == "物业改到周三抄水表"
        assert brain.add("修好以后照常记").created
    assert look(path).ok


VECTORS: dict[str, tuple[list[str], str]] = {
    "missing": (["DELETE FROM vectors_1 WHERE rowid IN (2, 3)"], "vectors_missing"),
    "of no passage": (["DELETE FROM passages WHERE id = 4"], "vectors_orphan"),
    "filters of another time": (
        ["UPDATE vectors_1_slots SET data = zeroblob(length(data))"],
        "vectors_filters",
    ),
    "the record's times changed alone": (
        ["UPDATE memories SET retracted_at = '2099-01-01T00:00:00.000Z' WHERE id = 5"],
        "vectors_filters",
    ),
    "the table gone": (["DROP TABLE vectors_1"], "vectors_missing"),
}


@pytest.mark.parametrize("how", VECTORS)
def test_vectors_are_found_wrong_and_made_anew(
    tmp_path: Path, with_vectors: bytes, e5: Embedder, how: str
) -> None:
    path = tmp_path / "v.db"
    path.write_bytes(with_vectors)
    path.chmod(0o600)
    assert look(path).ok
    assert wrong(look(path)) == set()
    statements, code = VECTORS[how]
    change(path, *statements)
    assert code in wrong(look(path))
    done = mend(path)
    assert wrong(done) == set()
    assert code in done.repaired
    with Brain.open(path, model=e5) as brain:
        assert vectors_out_of_step(brain) == []
        assert brain.recall("煮咖啡").hits is not None


def test_vectors_of_another_model_under_the_same_name_are_found(
    tmp_path: Path, with_vectors: bytes
) -> None:
    import numpy as np

    path = tmp_path / "v.db"
    path.write_bytes(with_vectors)
    path.chmod(0o600)
    rng = np.random.default_rng(3)
    db = apsw.Connection(str(path))
    connection.load_vectors(db)
    for (rowid,) in db.execute("SELECT rowid FROM vectors_1").fetchall():
        other = rng.normal(size=384).astype(np.float32)
        vector = (other / np.linalg.norm(other)).tobytes()
        db.execute("UPDATE vectors_1 SET embedding = ? WHERE rowid = ?", (vector, rowid))
    db.close()
    found = look(path)
    assert ("vectors_model" in wrong(found), found.exit_code) == (True, 74)
    assert mend(path).repaired == ("vectors_model",)
    assert look(path).ok


ASKING: dict[str, tuple[list[str], str]] = {
    "an heir that is not there": (
        ["UPDATE memories SET superseded_by = 500 WHERE id = 2"],
        "lineage_dangling",
    ),
    "a predecessor that is not there": (
        ["UPDATE memories SET supersedes = 500 WHERE id = 9"],
        "lineage_dangling",
    ),
    "an heir that does not know": (
        ["UPDATE memories SET supersedes = NULL WHERE id = 17"],
        "lineage_one_sided",
    ),
    "a predecessor that does not know": (
        ["UPDATE memories SET superseded_by = NULL WHERE id = 1"],
        "lineage_one_sided",
    ),
    "two heirs": (["UPDATE memories SET supersedes = 1 WHERE id = 12"], "lineage_one_sided"),
    "a loop of two": (
        [
            "UPDATE memories SET supersedes = 6, superseded_by = 6 WHERE id = 5",
            "UPDATE memories SET supersedes = 5, superseded_by = 5 WHERE id = 6",
        ],
        "lineage_loop",
    ),
    "its own ancestor": (
        ["UPDATE memories SET supersedes = 8, superseded_by = 8 WHERE id = 8"],
        "lineage_loop",
    ),
    "a text that is not the one hashed": (
        ["UPDATE memories SET text = '被改过的文本，索引也旧了' WHERE id = 10"],
        "text_hash",
    ),
}


def records(path: Path) -> list[Any]:
    db = sqlite3.connect(path)
    try:
        return db.execute("SELECT * FROM memories ORDER BY id").fetchall()
    finally:
        db.close()


@pytest.mark.parametrize("how", ASKING)
def test_the_records_themselves_are_changed_only_with_consent(path: Path, how: str) -> None:
    statements, code = ASKING[how]
    change(path, *statements)
    before = records(path)
    assert code in wrong(look(path))
    without = mend(path)
    assert code in wrong(without)
    assert code in {f.code for f in without.needing_consent}
    assert without.exit_code == 74
    assert records(path) == before
    done = mend(path, consent=True)
    assert wrong(done) == set()
    assert code in done.repaired
    changed = [b for a, b in zip(before, records(path), strict=True) if a != b]
    assert 1 <= len(changed) <= 2
    with Brain.open(path) as brain:
        assert brain.stats().total == 18
        for memory in brain.list(all=True, all_scopes=True, limit=None):
            if memory.superseded_by is not None:
                assert brain.get(memory.superseded_by).supersedes == memory.id


def test_records_from_the_future_and_impossible_times_are_told_and_left_alone(path: Path) -> None:
    with Brain.open(path) as brain:
        brain.add("时钟快了两天时写的", now=now_utc() + timedelta(days=2))
    change(
        path,
        "UPDATE memories SET valid_to = '2001-01-01T00:00:00.000Z' WHERE id = 4",
        "UPDATE memories SET recorded_at = '昨天' WHERE id = 5",
    )
    found = look(path)
    assert {"clock", "times"} <= wrong(found)
    assert found.exit_code == 0
    told = {f.code: f.message for f in found.findings}
    assert "#19" in told["clock"]
    assert "#4、#5" in told["times"]
    before = records(path)
    mend(path, consent=True)
    assert records(path) == before


@posix
def test_modes_and_folder_are_told_and_the_file_made_the_owners(path: Path) -> None:
    path.chmod(0o644)
    path.parent.chmod(0o775)
    found = look(path)
    assert {"file_mode", "folder_mode"} <= wrong(found)
    assert found.ok
    assert mend(path).repaired == ("file_mode",)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_network_path_and_a_full_disk_are_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LEAST_FREE", 2**60)
    store = memory_file.Store(path, network=lambda where: "smb3")
    found = doctor.run(store, now=datetime.now(UTC))
    store.close()
    assert {"network_path", "disk_space"} <= wrong(found)
    assert found.ok


def test_a_model_that_is_missing_is_a_warning(tmp_path: Path, with_vectors: bytes) -> None:
    path = tmp_path / "v.db"
    path.write_bytes(with_vectors)
    change(path, "UPDATE meta SET value = 'bge-small-zh' WHERE key = 'model'")
    found = look(path)
    assert "model" in wrong(found) or "model_mismatch" in wrong(found)
    assert found.ok


def test_a_lost_extension_is_a_warning(
    tmp_path: Path, with_vectors: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "v.db"
    path.write_bytes(with_vectors)
    monkeypatch.setattr(connection, "vectors_extension", lambda: None)
    found = look(path)
    assert "sqlite_vec" in wrong(found)
    assert found.ok


# A corrupt file ------------------------------------------------------------------------------


def spoiled(path: Path, table: str, share: float, seed: int) -> None:
    """Overwrites some pages of one table, leaves and overflow, with noise."""
    pages = _pages(path, table)
    rnd = random.Random(seed)
    data = bytearray(path.read_bytes())
    for page in rnd.sample(sorted(pages), max(1, int(len(pages) * share))):
        data[(page - 1) * 4096 : page * 4096] = rnd.randbytes(4096)
    path.write_bytes(data)


def _pages(path: Path, table: str) -> list[int]:
    db = apsw.Connection(str(path))
    found = db.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype <> 'internal'", (table,)
    ).fetchall()
    db.close()
    return [int(n) for (n,) in found]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    with Brain.open(tmp_path / "many.db", model="none") as brain:
        fill(brain, [f"{text}，第{n}年的记录" * 4 for n in range(12) for text in EVERYDAY])
        brain.add_word("青鸟计划 10 n")
    return tmp_path / "many.db"


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("share", [0.02, 0.2])
def test_what_can_be_read_of_a_corrupt_file_goes_into_a_new_one(
    many: Path, share: float, seed: int
) -> None:
    with Brain.open(many) as brain:
        known = {m.id: m for m in brain.list(all=True, limit=None)}
    spoiled(many, "memories", share, seed)
    bytes_before = many.read_bytes()
    found = look(many)
    assert (found.exit_code, "integrity" in wrong(found)) == (74, True)
    done = mend(many)
    assert many.read_bytes() == bytes_before
    assert done.exit_code == 74
    assert done.salvaged is not None
    assert done.salvaged_records is not None
    saved = look(Path(done.salvaged))
    assert saved.ok, wrong(saved)
    with Brain.open(done.salvaged) as brain:
        kept = brain.list(all=True, limit=None)
        assert len(kept) == done.salvaged_records
        assert all(m == known[m.id] for m in kept)
        assert len(kept) >= len(known) * (1 - 2 * share) - 30
        assert texts(brain.recall(kept[0].text[:12], k=20))
        assert [w.word for w in brain.words()] == ["青鸟计划"]
        assert brain.add("新文件照常写").id > max(m.id for m in kept)
        assert indexes_are_whole(brain)
    with Brain.open(many, checked=False) as brain:
        assert brain.restore_backup(done.salvaged).records == len(kept) + 1
        assert brain.doctor().ok


@pytest.mark.parametrize("table", ["grams_data", "trigrams_data", "trigrams_docsize"])
def test_corrupt_pages_of_a_text_index_alone_cost_no_record(many: Path, table: str) -> None:
    spoiled(many, table, 0.1, 5)
    assert not look(many).ok
    done = mend(many)
    where = Path(done.salvaged or many)
    assert look(where).ok
    with Brain.open(where) as brain:
        assert brain.stats().total == 12 * len(EVERYDAY)
        assert brain.recall("物业抄水表").hits
        assert indexes_are_whole(brain)


@pytest.mark.parametrize("head", [0, 100])
def test_a_file_without_its_first_page_is_salvaged_whole(path: Path, head: int) -> None:
    """The first page only leads to the schema's others, and is made anew of them."""
    with Brain.open(path) as brain:
        told = brain.stats().total
    data = path.read_bytes()
    path.write_bytes(data[:head] + random.Random(1).randbytes(4096 - head) + data[4096:])
    before = path.read_bytes()
    found = mend(path)
    assert (found.exit_code, found.salvaged_records) == (74, told)
    assert look(Path(found.salvaged or path)).ok
    assert path.read_bytes() == before


def test_where_nothing_can_be_read_no_file_is_made(many: Path) -> None:
    db = apsw.Connection(str(many))
    (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memories'").fetchall()
    db.close()
    data = bytearray(many.read_bytes())
    data[(root[0] - 1) * 4096 : root[0] * 4096] = random.Random(8).randbytes(4096)
    many.write_bytes(data)
    done = mend(many)
    assert (done.exit_code, done.salvaged, done.salvaged_records) == (74, None, 0)
    assert [p.name for p in many.parent.iterdir()] == [many.name]


FOREIGN = """
import os, signal, sys
from brain import Brain
brain = Brain.open(sys.argv[1])
brain.add("进了日志就被杀掉")
os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_a_foreign_log_is_moved_aside_not_deleted(path: Path, many: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", FOREIGN, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    wal = Path(f"{path}-wal").read_bytes()
    assert len(wal) > 0
    os.replace(many, path)
    assert "wal_foreign" in wrong(look(path))
    done = mend(path)
    assert (done.repaired, done.ok) == (("wal_foreign",), True)
    (aside,) = path.parent.glob("m.db-wal.aside-*")
    assert aside.read_bytes() == wal
    assert size(path) == 0
    with Brain.open(path) as brain:
        assert brain.stats().total == 12 * len(EVERYDAY)


# A running server ----------------------------------------------------------------------------


def test_a_running_program_recovers_when_another_repairs_the_index(path: Path) -> None:
    """cq27-dev/rag-rat #582: integrity_check says ok, search says malformed, and after the repair
    it still did."""
    with Brain.open(path) as server:
        assert server.recall("水表").hits
        change(
            path,
            "DELETE FROM grams_docsize",
            "DELETE FROM trigrams_docsize",
            "DELETE FROM trigrams_data WHERE id > 10",
        )
        for _ in range(2):
            refused("brain_db_damaged", 74, lambda: server.recall("水表"))
        cli = Cli(path.parent)
        assert cli("doctor", "--db", str(path)).code == 74
        done = cli("doctor", "--repair", "--db", str(path), "--json")
        assert (done.code, done.json["ok"]) == (0, True)
        assert texts(server.recall("水表周三"))[0] == "物业改到周三抄水表"
        assert server.add("修好之后写").created
        assert texts(server.search("修好之后写"))[0] == "修好之后写"


# The command ---------------------------------------------------------------------------------


def test_the_command_tells_people_and_programs(path: Path) -> None:
    cli = Cli(path.parent)
    sound = cli("doctor", "--db", str(path))
    assert (sound.code, sound.err) == (0, "")
    change(path, *ASKING["an heir that does not know"][0])
    told = cli("doctor", "--db", str(path))
    assert (told.code, "lineage_one_sided" in told.out) == (74, True)
    assert "--repair" in told.err
    asked = cli("doctor", "--repair", "--db", str(path))
    assert (asked.code, "--yes" in asked.err) == (74, True)
    done = cli("doctor", "--repair", "--yes", "--db", str(path), "--json")
    assert (done.code, done.json["repaired"], done.json["needs_yes"]) == (
        0,
        ["lineage_one_sided"],
        [],
    )


def test_a_repair_waits_for_no_lock_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 150)
    change(path, "DELETE FROM grams_docsize WHERE id = 2")
    db = apsw.Connection(str(path))
    db.execute("BEGIN IMMEDIATE")
    with Brain.open(path) as brain:
        assert not brain.doctor().ok
        refused("brain_busy", 75, lambda: brain.doctor(repair=True))
    db.execute("ROLLBACK")
    db.close()
    assert mend(path).ok
