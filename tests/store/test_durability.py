"""Real processes on a real file: crowds, kill -9, cut-off logs, full disks, one answer.

The programs are those of ``python -m bench.survive``, with smaller numbers.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import apsw
import pytest

from brain import Brain, BrainError, Draft
from brain.store.wal import belongs_to, peek
from brain.text import similarity
from tests.support.engine import EVERYDAY, Make, fill, indexes_are_whole, run

survive = pytest.importorskip("bench.survive")


pytestmark = pytest.mark.skipif(os.name == "nt", reason="forks processes and sends signals")


def test_a_crowd_of_writers_loses_nothing_and_sees_no_lock(tmp_path: Path) -> None:
    """mem0ai/mem0 #7196: 'database is locked' with two sessions; here nobody is turned away behind
    others."""
    done = survive.crowd(tmp_path / "m.db", 8, 12, 2)
    assert (done.found, done.lost, done.errors, done.faults) == (96, 0, (), ())
    assert done.reads > 0


def test_killed_at_any_moment_every_acknowledged_write_is_there(tmp_path: Path) -> None:
    done = survive.kill_writers(tmp_path / "m.db", 16, 0.12, seed=3)
    assert (done.errors, done.faults, done.reused) == ((), (), 0)
    # One in four may be killed before its first write, the others have told of one.
    assert done.acknowledged == done.found >= 12


ASKING = """
import sys
from brain import Brain
from brain.text.timestamps import from_iso
with Brain.open(sys.argv[1], read_only=True) as brain:
    for question in sys.argv[2:]:
        hits = brain.recall(question, k=20, now=from_iso("2026-03-03T00:00:00.000Z")).hits
        print([(hit.id, repr(hit.score)) for hit in hits])
"""


def test_one_question_has_one_answer_in_every_run_and_process(make: Make) -> None:
    brain = make()
    fill(brain, [f"{text}，{n}号记录" for n in range(4) for text in EVERYDAY])
    brain.close()
    questions = ("水表哪天抄", "会议室的投影仪和咖啡机", "号记录")
    told = {run(ASKING, brain.path, *questions, PYTHONHASHSEED=str(n)) for n in (0, 1, 42, 999)}
    assert len(told) == 1
    assert survive.answers(brain.path, "会议室的投影仪和咖啡机", 60) == 1


def test_ids_are_never_given_twice(make: Make) -> None:
    brain = make()
    fill(brain, EVERYDAY[:5])
    with brain._store.write() as db:
        db.execute("DELETE FROM passages WHERE memory_id >= 4; DELETE FROM memories WHERE id >= 4")
    assert brain.add("最后两条没了以后记的").id == 6
    brain.close()
    with Brain.open(brain.path) as again:
        assert again.add("重新打开以后记的").id == 7


# A log cut off ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torn(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes, list[list[int]]]:
    """A file, its log, and the ids each transaction in the log added, in order."""
    path = tmp_path_factory.mktemp("torn") / "m.db"
    with Brain.open(path, model="none") as brain:
        fill(brain, EVERYDAY[:4])
    with Brain.open(path) as brain:
        steps = []
        for n in range(7):
            if n % 3 == 2:
                steps.append(
                    [r.id for r in brain.add_many([Draft(f"{n}批之{i}") for i in range(3)])]
                )
            else:
                steps.append([brain.add(f"第{n}次泵房巡查，水压正常").id])
        return path.read_bytes(), Path(f"{path}-wal").read_bytes(), steps


@pytest.mark.parametrize("tail", ["cut", "zeros", "noise"])
def test_a_log_that_ends_anywhere_holds_a_prefix_of_the_transactions(
    tmp_path: Path, torn: tuple[bytes, bytes, list[list[int]]], tail: str
) -> None:
    """What a loss of power leaves: everything up to some transaction, never half of one."""
    data, wal, steps = torn
    rnd = random.Random(6)
    frame = 24 + 4096
    ends = {0, 1, 31, 32, 33, len(wal), len(wal) - 1}
    for n in range(1, (len(wal) - 32) // frame + 1):
        ends |= {
            32 + n * frame,
            *([32 + n * frame - rnd.randrange(1, frame)] if n % 4 == 0 else []),
        }
    prefixes = [sum(steps[:n], list(range(1, 5))) for n in range(len(steps) + 1)]
    seen = 0
    for n, end in enumerate(sorted(ends)):
        if tail != "cut" and n % 3:
            continue
        path = tmp_path / f"{n}.db"
        path.write_bytes(data)
        rest = {"cut": 0, "zeros": 3 * frame, "noise": 3 * frame}[tail]
        filling = bytes(rest) if tail == "zeros" else rnd.randbytes(rest)
        Path(f"{path}-wal").write_bytes(wal[:end] + filling)
        with Brain.open(path) as brain:
            kept = sorted(m.id for m in brain.list(limit=None, all=True))
            assert kept in prefixes, end
            assert prefixes.index(kept) >= seen
            seen = prefixes.index(kept)
            if n % 10 == 0:
                assert brain.add("断电之后照常记").created
                assert indexes_are_whole(brain)
    if tail == "cut":
        assert seen == len(steps)


# A disk that is full ------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A file system of two megabytes, where this user may make one."""
    place = tmp_path / "tiny"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user cannot mount")
    try:
        yield place  # type: ignore[misc]
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_fills_stores_whole_batches_and_goes_on_when_there_is_room(
    tiny: Path,
) -> None:
    """tinyhumansai/openhuman PR 3911: ten thousand lines onto a tiny disk; one clear error, a
    counted part stored."""
    path = tiny / "m.db"
    batches = [
        [Draft(f"第{b}箱第{n}件：" + "易碎品，轻放，朝上摆，" * 8) for n in range(50)]
        for b in range(200)
    ]
    with Brain.open(path, model="none") as brain:
        stored: list[int] = []
        with pytest.raises(BrainError) as full:
            stored.extend(len(brain.add_many(batch)) for batch in batches)
        assert (full.value.code, full.value.exit_code) in {
            ("brain_disk_full", 74),
            ("brain_db_io", 74),
        }
        done = len(stored)
        assert brain.stats().total == 50 * done > 0
        assert brain.recall("第0箱第3件").hits
        with pytest.raises(BrainError):
            brain.add_many(batches[done])
        subprocess.run(["mount", "-o", "remount,size=30m", str(tiny)], check=True)
        for batch in batches[done : done + 10]:
            brain.add_many(batch)
        assert brain.stats().total == 50 * (done + 10)
        assert indexes_are_whole(brain)
    with Brain.open(path) as brain:
        assert brain.doctor().ok


# Locks of one process -----------------------------------------------------------------------


ONE_MORE = """
import sys
from brain import Brain
with Brain.open(sys.argv[1]) as brain:
    print(brain.add("另一个进程记的").id, brain.stats().total)
"""


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="looks at /proc/locks")
def test_looking_at_a_file_in_use_drops_none_of_its_locks(make: Make) -> None:
    """Closing any descriptor of a file drops a process's locks on it; then another program that
    closes last takes the log away while it is in use, and what is written after goes nowhere."""
    brain = make()
    brain.add("开着的进程记的")

    def locks() -> int:
        inode = f":{brain.path.stat().st_ino} "
        return sum(inode in line for line in Path("/proc/locks").read_text().splitlines())

    before = locks()
    assert before > 0
    assert brain._store.exists()
    with Brain.open(brain.path) as other:
        other._store.exists()
        assert belongs_to(brain.path)
        peek(brain.path, 0, 100)
        assert locks() == before
    run(ONE_MORE, brain.path)
    assert Path(f"{brain.path}-wal").exists()
    brain.add("之后又记的")
    assert run(ONE_MORE, brain.path).split()[1] == "3"
    db = apsw.Connection(str(brain.path))
    assert db.execute("SELECT count(*) FROM memories").fetchall() == [(3,)]
    db.close()


# What makes adding fast ----------------------------------------------------------------------


def test_the_quick_comparison_says_what_the_exact_one_does() -> None:
    rnd = random.Random(9)
    for _ in range(400):
        words = "".join(rnd.sample("".join(EVERYDAY), rnd.randrange(1, 14)))
        first = "".join(rnd.choices(words, k=rnd.randrange(0, 40)))
        second = "".join(rnd.choices(words, k=rnd.randrange(0, 40)))
        exact = similarity.compare(first, second).score
        assert similarity.score(first, second) == pytest.approx(exact)
        for least in (0.3, 0.6, 0.9):
            quick = similarity.score(first, second, least)
            assert quick == pytest.approx(exact) or (quick == 0 and exact < least)
