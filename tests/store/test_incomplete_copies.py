"""Copies that are not whole: a file without its log, a garbled log; the copy kept beforehand."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from brain import Brain
from brain.store import schema
from tests.support.cli import Cli
from tests.support.engine import NOON, refused, take_back


def copied(source: Path, target: Path, *, log: bool) -> Path:
    shutil.copy(source, target)
    if log:
        shutil.copy(f"{source}-wal", f"{target}-wal")
    return target


def test_a_shell_without_its_log_is_said_to_be_one(brain: Brain, tmp_path: Path) -> None:
    brain.add("值班群是青鸟群")
    shell = copied(brain.path, tmp_path / "shell.db", log=False)
    before = shell.read_bytes()
    with Brain.open(shell, read_only=True) as reading:
        refused("brain_wal_not_copied", 74, lambda: reading.list())
        refused("brain_wal_not_copied", 74, lambda: reading.stats())
    with Brain.open(shell) as writing:
        refused("brain_wal_not_copied", 74, lambda: writing.add("新的一条"))
    with Brain.open(shell, checked=False) as looking:
        assert "wal_not_copied" in {f.code for f in looking.doctor(now=NOON).findings}
    assert shell.read_bytes() == before
    whole = copied(brain.path, tmp_path / "whole.db", log=True)
    with Brain.open(whole, read_only=True) as reading:
        assert len(reading.list()) == 1


def test_an_empty_file_beside_a_log_with_memories_is_no_new_memory(
    brain: Brain, tmp_path: Path
) -> None:
    brain.add("值班群是青鸟群", tags=["群"])
    emptied = copied(brain.path, tmp_path / "emptied.db", log=True)
    emptied.write_bytes(b"")
    log = Path(f"{emptied}-wal").read_bytes()
    for act in (Brain.list, Brain.stats, lambda b: b.recall("群"), lambda b: b.add("新的一条")):
        refused("brain_db_emptied", 74, lambda act=act: act(Brain.open(emptied)))  # type: ignore[misc]
    with Brain.open(emptied, checked=False) as looking:
        refused("brain_db_emptied", 74, lambda: looking.add("新的一条"))
        assert {f.code for f in looking.doctor(now=NOON).findings if f.severity == "error"} == {
            "emptied"
        }
        assert (emptied.read_bytes(), Path(f"{emptied}-wal").read_bytes()) == (b"", log)
        saved = looking.doctor(repair=True, now=NOON).salvaged
    assert (emptied.read_bytes(), Path(f"{emptied}-wal").read_bytes()) == (b"", log)
    assert saved is not None
    with Brain.open(saved) as new:
        assert [(m.text, m.tags) for m in new.list()] == [("值班群是青鸟群", ("群",))]
    with Brain.open(emptied, checked=False) as looking:
        looking.restore_backup(saved)
        assert [m.text for m in looking.list()] == ["值班群是青鸟群"]


def test_the_doctor_says_that_an_empty_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty.db").write_bytes(b"")
    with Brain.open(tmp_path / "empty.db") as empty:
        told = {f.code: f.severity for f in empty.doctor(now=NOON).findings}
    assert told["file"] == "warn"


@pytest.mark.parametrize("damage", [slice(0, 32), slice(0, 4), slice(24, 32)])
def test_a_garbled_log_beside_a_file_that_needs_it_is_refused(
    brain: Brain, tmp_path: Path, damage: slice
) -> None:
    brain.add("值班群是青鸟群")
    target = copied(brain.path, tmp_path / "garbled.db", log=True)
    log = bytearray(Path(f"{target}-wal").read_bytes())
    log[damage] = os.urandom(len(log[damage]))
    Path(f"{target}-wal").write_bytes(log)
    for read_only in (True, False):
        with Brain.open(target, read_only=read_only) as opened:
            refused("brain_wal_foreign", 74, lambda: opened.list())


def test_after_a_rest_the_file_alone_is_whole(brain: Brain, tmp_path: Path) -> None:
    brain.add("值班群是青鸟群")
    brain.rest()
    alone = copied(brain.path, tmp_path / "alone.db", log=False)
    with Brain.open(alone, read_only=True) as opened:
        assert [m.text for m in opened.list()] == ["值班群是青鸟群"]
    assert brain.add("歇过之后照样能写").created


def test_a_copy_is_kept_before_a_migration(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "旧格式里的一条")
    db = apsw.Connection(str(cli.db))
    take_back(db, schema.MIGRATIONS.index(schema._tags))
    number = int(db.pragma("user_version"))
    db.close()
    cli("add", "新格式里的一条")
    kept = apsw.Connection(f"{cli.db}.schema-{number}")
    assert kept.pragma("user_version") == number
    assert [row[0] for row in kept.execute("SELECT text FROM memories")] == ["旧格式里的一条"]
    kept.close()
    if os.name == "posix":
        assert Path(f"{cli.db}.schema-{number}").stat().st_mode & 0o777 == 0o600
    assert len(cli("list", "--json").json) == 2
