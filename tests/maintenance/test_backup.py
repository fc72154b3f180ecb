"""Backups are whole, taken while others write, and put back without losing what was there."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.store import wal
from brain.store.backup import exclusive
from tests.support import PATIENCE, ROOT
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, fill, indexes_are_whole, refused, vectors_out_of_step

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and signals")
LONG = "装修合同第{}款：" + "水电改造按实际米数结算，验收合格后付尾款；" * 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        fill(brain, EVERYDAY[:12])
        brain.add(LONG.format(3), kind="fact", scope="家")
        brain.supersede(1, text="物业改到周三抄水表")
        brain.add_word("青鸟计划 10 n")
    return tmp_path / "m.db"


def everything(path: Path) -> list[object]:
    """What a file answers, whoever asks."""
    with Brain.open(path, read_only=True) as brain:
        block = brain.inject("水电改造怎么结算", scope="家", budget=200)
        handles = [h.recovery_handle for h in block.hits if h.recovery_handle]
        return [
            brain.list(all=True, all_scopes=True, limit=None),
            brain.recall("水表"),
            block,
            [brain.recover(handle) for handle in handles],
            brain.words(),
        ]


def test_a_backup_gives_the_same_answers_and_handles(path: Path, tmp_path: Path) -> None:
    """rohitg00/agentmemory #1167: a folder named backups that never held a memory."""
    copy = tmp_path / "away" / "copy.db"
    with Brain.open(path) as brain:
        done = brain.backup(copy)
    assert (done.path, done.records, done.bytes) == (str(copy), 14, copy.stat().st_size)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600 or os.name == "nt"
    assert [p.name for p in copy.parent.iterdir()] == ["copy.db"]
    before = everything(path)
    assert before[3]
    assert everything(copy) == before
    elsewhere = tmp_path / "other machine" / "brain.db"
    with Brain.open(elsewhere) as brain:
        assert brain.restore_backup(copy).kept is None
        assert indexes_are_whole(brain)
    assert everything(elsewhere) == before


WRITING = """
import sys
from brain import Brain
with Brain.open(sys.argv[1]) as brain:
    for n in range(100_000):
        made = brain.add(f"第{n}趟货车出库，司机已签字")
        brain.supersede(made.id, text=f"第{n}趟货车改到下午出库")
        print(made.id, flush=True)
"""


def test_while_another_process_writes_a_backup_is_of_one_moment(path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert writer.stdout is not None
    try:
        confirmed = []
        for n in range(6):
            confirmed.append(int(writer.stdout.readline()))
            with Brain.open(path, read_only=True) as brain:
                done = brain.backup(path.with_name(f"copy{n}.db"))
            with Brain.open(path.with_name(f"copy{n}.db")) as copy:
                assert copy.stats().total == done.records
                assert copy.get(confirmed[-1]).id == confirmed[-1]
                assert copy.doctor().ok
    finally:
        writer.kill()
        writer.communicate()


def test_the_vectors_come_along(tmp_path: Path, e5: Embedder) -> None:
    with Brain.open(tmp_path / "m.db", model=e5) as brain:
        fill(brain, EVERYDAY[:5])
        brain.backup(tmp_path / "copy.db")
    with Brain.open(tmp_path / "copy.db", model=e5) as brain:
        assert vectors_out_of_step(brain) == []
        assert brain.recall("查水表的哪天上门").hits[0].id == 1
        assert brain.doctor().ok


def test_what_is_there_is_not_written_over_unless_forced(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Brain.open(path) as brain:
        brain.backup(copy)
        brain.add("备份之后的一条")
        before = copy.read_bytes()
        refused("brain_backup_exists", 73, lambda: brain.backup(copy))
        assert copy.read_bytes() == before
        assert brain.backup(copy, force=True).records == 15
        for force in (False, True):
            refused("brain_backup_same", 65, lambda f=force: brain.backup(path, force=f))
            (tmp_path / "letter.txt").write_text("不是记忆文件", encoding="utf-8")
            refused(
                "brain_db_not_ours",
                66,
                lambda f=force: brain.backup(tmp_path / "letter.txt", force=f),
            )
            refused("brain_db_not_file", 66, lambda f=force: brain.backup(tmp_path, force=f))
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "不是记忆文件"
    assert [p.name for p in tmp_path.iterdir() if ".part" in p.name] == []
    with Brain.open(tmp_path / "none.db") as brain:
        refused("brain_db_missing", 66, lambda: brain.backup(tmp_path / "x.db"))
        refused("brain_db_missing", 66, lambda: brain.restore_backup(tmp_path / "y.db"))
    assert not (tmp_path / "none.db").exists()


@posix
@pytest.mark.parametrize("which", ["link", "dangling link"])
def test_a_symbolic_link_is_no_place_for_a_backup(path: Path, tmp_path: Path, which: str) -> None:
    target = tmp_path / "target"
    if which == "link":
        target.write_bytes(b"keep")
    (tmp_path / "link.db").symlink_to(target)
    with Brain.open(path) as brain:
        refused("brain_db_symlink", 73, lambda: brain.backup(tmp_path / "link.db", force=True))
    assert target.exists() is (which == "link")


def test_a_damaged_backup_is_refused_and_nothing_is_changed(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Brain.open(path) as brain:
        brain.backup(copy)
    data = bytearray(copy.read_bytes())
    rnd = random.Random(4)
    for page in range(4, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = rnd.randbytes(64)
    copy.write_bytes(data)
    before = everything(path)
    with Brain.open(path) as brain:
        refused("brain_db_damaged", 74, lambda: brain.restore_backup(copy))
    for content, code in ((b"", "brain_db_missing"), (b"no database" * 99, "brain_db_not_ours")):
        copy.write_bytes(content)
        with Brain.open(path) as brain:
            refused(code, 66, lambda: brain.restore_backup(copy))
    assert everything(path) == before
    assert {p.name for p in tmp_path.iterdir()} == {"m.db", "copy.db"}


def test_a_damaged_file_gives_no_backup(path: Path, tmp_path: Path) -> None:
    data = bytearray(path.read_bytes())
    for page in range(4, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = bytes(range(64))
    path.write_bytes(data)
    with Brain.open(path) as brain:
        refused("brain_db_damaged", 74, lambda: brain.backup(tmp_path / "copy.db"))
    assert {p.name for p in tmp_path.iterdir()} == {"m.db"}


@pytest.mark.parametrize("state", ["whole", "with a log", "damaged", "no database at all"])
def test_what_was_there_is_kept_beside(path: Path, tmp_path: Path, state: str) -> None:
    copy = tmp_path / "copy.db"
    with Brain.open(path) as brain:
        brain.backup(copy)
    before = everything(path)
    with Brain.open(path) as brain:
        brain.add("备份以后记下的")
        if state == "with a log":
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", f"{tmp_path / 'killed.db'}{suffix}")
    if state == "with a log":
        for suffix in ("", "-wal"):
            os.replace(f"{tmp_path / 'killed.db'}{suffix}", f"{path}{suffix}")
        assert wal.size(path) > 0
    if state == "damaged":
        path.write_bytes(path.read_bytes()[:20_000] + b"\xaa" * 30_000)
    if state == "no database at all":
        path.write_bytes(b"\0" * 9_000)
    bytes_before = path.read_bytes()
    done = Cli(tmp_path)("restore-backup", str(copy), "--db", str(path), "--json")
    assert done.code == 0, done.err
    kept = Path(done.json["kept"])
    assert everything(path) == before
    if state in ("whole", "with a log"):
        with Brain.open(kept) as brain:
            assert brain.list()[0].text == "备份以后记下的"
    else:
        assert kept.read_bytes() == bytes_before
    assert not list(tmp_path.glob("m.db-*"))


def test_a_file_another_program_has_open_is_not_replaced(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Brain.open(path) as server:
        server.backup(copy)
        server.add("还在用")
        with Brain.open(path) as brain:
            refused("brain_busy", 75, lambda: brain.restore_backup(copy))
        assert server.add("照常用").created
        assert indexes_are_whole(server)
    with Brain.open(path) as brain:
        assert brain.restore_backup(copy).records == 14
        assert brain.stats().total == 14
        assert brain.add("换上之后照常写").created


@posix
def test_a_program_that_waited_for_the_lock_does_not_write_into_the_old_file(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with Brain.open(path) as brain:
        brain.backup(copy)
    said: list[str] = []
    waiting = Brain.open(path)

    def write() -> None:
        try:
            waiting.add("等锁的人写的")
            said.append("written")
        except Exception as e:
            said.append(getattr(e, "code", repr(e)))

    with exclusive(path):
        thread = threading.Thread(target=write)
        thread.start()
        os.replace(copy, path)
    thread.join(PATIENCE)
    assert said[-1] in {"written", "brain_db_replaced"}
    with Brain.open(path) as brain:
        assert brain.stats().total == (15 if said[-1] == "written" else 14)
        assert indexes_are_whole(brain)
    waiting.close()


def test_the_commands(path: Path, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    done = cli("backup", "备份.db", "--db", str(path))
    assert (done.code, done.err) == (0, "")
    assert "14 条" in done.out
    again = cli("backup", "备份.db", "--db", str(path), "--json")
    assert (again.code, again.json["error"]["code"]) == (73, "brain_backup_exists")
    back = cli("restore-backup", "备份.db", "--db", str(path))
    assert back.code == 0
    assert "before-restore" in back.out
    tidied = cli("optimize", "--db", str(path), "--json")
    assert tidied.json["merged"] is True
    assert cli("optimize", "--db", "none.db").code == 66
