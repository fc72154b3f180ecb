"""Part files: private, of names nobody can guess, and gone after whoever made them was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.store import part_file
from tests.support import PATIENCE, ROOT, until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and signals")

WORKING = """
import sys, time
from pathlib import Path
from brain.store import part_file
make = part_file.part_folder if sys.argv[2] == "folder" else part_file.part
with make(Path(sys.argv[1])) as path:
    (path / "copy.db" if path.is_dir() else path).write_text("整份记忆")
    print(path, flush=True)
    time.sleep(600)
"""


def working(target: Path, kind: str) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORKING, str(target), kind],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_goes_and_what_a_living_one_makes_stays(
    tmp_path: Path, kind: str
) -> None:
    target = tmp_path / "b.db"
    dead, left = working(target, kind)
    alive, used = working(target, kind)
    try:
        assert left != used
        dead.send_signal(signal.SIGKILL)
        dead.communicate(timeout=PATIENCE)
        assert part_file.left_behind(tmp_path) == [left]
        assert part_file.left_behind(tmp_path, "other.db") == []
        assert part_file.clean(tmp_path, "b.db") == [left]
        assert not left.exists()
        assert used.exists()
        assert part_file.clean(tmp_path) == []
    finally:
        alive.kill()
        alive.communicate(timeout=PATIENCE)


def test_a_part_is_its_owners_alone_and_of_another_name_each_time(tmp_path: Path) -> None:
    names = set()
    before = os.umask(0)
    try:
        for _ in range(3):
            with part_file.part(tmp_path / "b.db") as path:
                names.add(path.name)
                assert path.stat().st_mode & 0o777 == 0o600
            with part_file.part_folder(tmp_path / "b.db") as place:
                names.add(place.name)
                assert place.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
    assert len(names) == 6
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_with_such_names_stay(tmp_path: Path) -> None:
    kept = [".b.db.part-abc", "b.db.brain-part-0123456789abcdef", ".b.db.brain-part-xyz"]
    old = tmp_path / ".b.db.part-999999999"  # a number no process has
    link = tmp_path / ".b.db.brain-part-0123456789abcdef"
    for name in kept:
        (tmp_path / name).touch()
    (tmp_path / "elsewhere").write_text("留着")
    link.symlink_to(tmp_path / "elsewhere")
    old.write_text("旧版本留下的")
    assert part_file.clean(tmp_path) == [old]
    assert {p.name for p in tmp_path.iterdir()} == {*kept, link.name, "elsewhere"}
    assert (tmp_path / "elsewhere").read_text() == "留着"


COPYING = """
import sys
from brain import Brain
brain = Brain.open(sys.argv[1])
print("begun", flush=True)
while True:
    getattr(brain, sys.argv[2])(sys.argv[3], force=True)
"""


@pytest.mark.parametrize("verb", ["backup", "export_to"])
def test_killed_backups_and_exports_leave_nothing_for_long(tmp_path: Path, verb: str) -> None:
    path, target = tmp_path / "m.db", tmp_path / "copy"
    with Brain.open(path, model="none") as brain:
        brain.add_many([Draft(f"第{n}号仓库的钥匙在第{n % 7}组") for n in range(1500)])
    for n in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", COPYING, str(path), verb, str(target)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert process.stdout is not None
        assert process.stdout.readline()
        if n == 0:
            until(lambda: any(p.name.startswith(".copy.") for p in tmp_path.iterdir()))
        time.sleep(0.01 * n)
        process.kill()
        process.communicate(timeout=PATIENCE)
    with Brain.open(path) as brain:
        left = part_file.left_behind(tmp_path)
        told = {f.code for f in brain.doctor().findings if f.severity == "warn"}
        assert ("part_files" in told) == bool(left)
        one = brain.add("要忘掉的一条").id
        brain.forget(one)
        assert part_file.left_behind(tmp_path) == []
        assert not [p for p in tmp_path.iterdir() if "brain-part" in p.name]


def test_a_copy_beside_that_holds_what_was_forgotten_is_named(tmp_path: Path) -> None:
    path, saved = tmp_path / "m.db", tmp_path / "saved.db"
    with Brain.open(path, model="none") as brain:
        one = brain.add("鹭鸶湾泵房的钥匙在柏舟手里").id
        other = brain.add("每周三交房租").id
        brain.backup(saved)
        kept = brain.restore_backup(saved).kept
    with Brain.open(path) as brain:
        assert "copies" in {f.code for f in brain.doctor().findings if f.severity == "warn"}
        assert brain.forget(one).copies == (kept,)
        Path(str(kept)).unlink()
        assert brain.forget(other).copies == ()
