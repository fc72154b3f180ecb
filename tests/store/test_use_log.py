"""Being injected strengthens a little, and noting it never stands in the way of an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from brain import Brain
from brain.maintenance import decay
from brain.store import connection, journal, use_log
from brain.text.timestamps import to_iso
from tests.support import PATIENCE, ROOT
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, NOON, Make, fill, ids, told_apart

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX links and modes")

ASKED = "物业周几来抄水表"


def log(brain: Brain) -> Path:
    return Path(f"{brain.path}-uses")


def injected(brain: Brain, day: float = 0.0) -> tuple[int, ...]:
    """The ids of a block that is not empty."""
    found = brain.inject(ASKED, now=NOON + timedelta(days=day))
    assert found.block
    return tuple(h.id for h in found.hits)


@pytest.fixture
def filled(brain: Brain) -> Brain:
    """EVERYDAY, recorded the day before."""
    brain.add_many(told_apart(EVERYDAY), now=NOON - timedelta(days=1))
    return brain


# What is noted -----------------------------------------------------------------


def test_a_block_is_noted_with_ids_and_time_alone(filled: Brain) -> None:
    noted = injected(filled)
    line = " ".join((to_iso(NOON), *map(str, noted))) + "\n"
    assert log(filled).read_text("utf-8") == line
    injected(filled, 0.5)
    assert log(filled).read_text("utf-8").count("\n") == 2


OTHER: dict[str, Callable[[Brain], object]] = {
    "recall": lambda b: b.recall(ASKED),
    "search": lambda b: b.search("水表"),
    "check": lambda b: b.check(ASKED),
    "a silent inject": lambda b: b.inject("你好"),
    "as-of": lambda b: b.inject(ASKED, as_of="2026-03-01"),
    "known-at": lambda b: b.inject(ASKED, known_at="2027-03-01"),
    "list": lambda b: b.list(),
    "brief": lambda b: b.brief(),
}


@pytest.mark.parametrize("act", OTHER.values(), ids=OTHER.keys())
def test_nothing_else_is_use(filled: Brain, act: Callable[[Brain], object]) -> None:
    act(filled)
    assert not log(filled).exists()


def test_a_read_only_caller_notes_nothing(filled: Brain, make: Make) -> None:
    injected(make(read_only=True))
    assert not log(filled).exists()


@posix
def test_the_log_is_the_users_own(filled: Brain) -> None:
    before = os.umask(0)
    try:
        injected(filled)
    finally:
        os.umask(before)
    assert log(filled).stat().st_mode & 0o777 == 0o600


def test_the_command_line_notes_use(tmp_path: Path) -> None:
    run = Cli(tmp_path)
    run("add", "青鸟群是值班群")
    assert "青鸟群" in run("inject", "值班群是哪个").out
    assert (tmp_path / "brain.db-uses").read_text().endswith(" 1\n")
    time.sleep(0.01)
    done = run("decay", "--json").json
    assert done["used"] == 1
    assert not (tmp_path / "brain.db-uses").exists()
    after = run("show", "1", "--json").json
    assert after["use_count"] == 1
    assert after["last_used_at"][:10] == after["recorded_at"][:10]


# Never in the way --------------------------------------------------------------


def a_link(path: Path) -> None:
    path.symlink_to(path.parent / "别的文件")


def a_second_name(path: Path) -> None:
    os.link(path.parent / "别的文件", path)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def a_full_log(path: Path) -> None:
    path.write_bytes(b"\n" * use_log.MAX_BYTES)


@posix
@pytest.mark.parametrize("put", [a_link, a_second_name, a_pipe, a_folder, a_full_log])
def test_whatever_lies_in_its_place_inject_answers_and_harms_nothing(
    filled: Brain, put: Callable[[Path], None]
) -> None:
    block = filled.inject(ASKED, now=NOON).block
    log(filled).unlink()
    other = filled.path.parent / "别的文件"
    other.write_text("不许动", "utf-8")
    put(log(filled))
    size = log(filled).stat().st_size
    assert filled.inject(ASKED, now=NOON).block == block
    assert filled.decay(now=NOON + timedelta(days=1)).used == 0
    assert other.read_text("utf-8") == "不许动"
    if put is not a_full_log:
        assert log(filled).stat().st_size == size
    else:
        assert injected(filled)  # decay took it, a new one begins


def test_a_locked_file_is_no_reason_to_wait(filled: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waited for the lock here would wait for ever."""
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 86_400_000)
    monkeypatch.setattr(connection, "LONGEST_WAIT_S", 86_400.0)
    script = (
        "import sys, apsw; db = apsw.Connection(sys.argv[1]); db.execute('BEGIN EXCLUSIVE');"
        "print('locked', flush=True); sys.stdin.read()"
    )
    args = [sys.executable, "-c", script, str(filled.path)]
    with subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline() == "locked\n"
        injected(filled)
        assert log(filled).exists()
        other.stdin.close()


@posix
def test_a_full_disk_costs_the_note_not_the_answer(filled: Brain) -> None:
    block = filled.inject(ASKED, now=NOON).block
    whole = log(filled).read_bytes()
    script = f"""
import resource, sys
from datetime import datetime
from pathlib import Path
from brain import Brain
with Brain.open(Path(sys.argv[1])) as brain:
    resource.setrlimit(resource.RLIMIT_FSIZE, ({len(whole) + 9}, {len(whole) + 9}))
    for _ in range(3):
        print(brain.inject({ASKED!r}, now=datetime.fromisoformat({NOON.isoformat()!r})).block)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(filled.path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "\n".join([block.strip()] * 3)
    assert len(log(filled).read_bytes()) == len(whole) + 9
    assert use_log.waiting(filled.path) == {
        i: {"2026-03-02": to_iso(NOON)} for i in injected(filled)
    }


def test_a_hundred_blocks_are_the_same_block_and_leave_the_memories_alone(filled: Brain) -> None:
    filled.decay(now=NOON)
    before = filled.path.read_bytes(), Path(f"{filled.path}-wal").read_bytes()
    blocks = {filled.inject(ASKED, now=NOON + timedelta(days=d)).block for d in range(100)}
    assert len(blocks) == 1
    assert (filled.path.read_bytes(), Path(f"{filled.path}-wal").read_bytes()) == before


@pytest.mark.parametrize("asked", ["水表", "会议室投影仪", "体检报告寄到哪里"])
def test_plain_recall_changes_neither_order_nor_file(filled: Brain, asked: str) -> None:
    filled.close()
    with Brain.open(filled.path) as brain:
        first = brain.recall(asked, now=NOON)
        before = {p.name: p.read_bytes() for p in brain.path.parent.iterdir() if p.suffix == ".db"}
        for _ in range(200):
            assert brain.recall(asked, now=NOON) == first
        brain.check(asked)
        names = {p.name for p in brain.path.parent.iterdir()}
        assert names <= {"brain.db", "brain.db-wal", "brain.db-shm"}
        assert {n: (brain.path.parent / n).read_bytes() for n in before} == before
        assert brain.decay(now=NOON).used == 0
        assert all(m.use_count == 0 for m in brain.list())


def test_recalling_the_old_does_not_keep_the_better_from_the_first_place(brain: Brain) -> None:
    fill(brain)
    old = brain.add("部署的事问过一次，没有下文", now=NOON).id
    for _ in range(200):
        brain.recall("部署", now=NOON)
    better = brain.add("部署步骤：先冒烟，再切流量，最后看监控", now=NOON).id
    brain.decay(now=NOON + timedelta(days=1))
    found = ids(brain.recall("部署 步骤", now=NOON + timedelta(days=1)))
    assert found[0] == better
    assert old in found


# What decay makes of it --------------------------------------------------------


def test_of_a_day_one_use_counts_and_of_a_run_a_week(filled: Brain) -> None:
    noted = injected(filled)
    filled.decay(now=NOON + timedelta(days=60))
    for day in range(60, 90):
        for hour in (0.0, 0.1, 0.2):
            injected(filled, day + hour)
    before = filled.get(noted[0])
    later = NOON + timedelta(days=90)
    filled.decay(now=later, daily=1.0)
    after = filled.get(noted[0])
    expected = before.strength
    for _ in range(decay.MOST_USE_DAYS):
        expected += decay.USE_SHARE * (1 - expected)
    assert after.strength == expected
    assert before.strength < after.strength < 1
    assert (before.use_count, after.use_count) == (1, 31)
    assert after.last_used_at == to_iso(NOON + timedelta(days=89.2))


def test_a_log_that_comes_twice_counts_once(filled: Brain) -> None:
    noted = injected(filled, 1)
    content = log(filled).read_bytes()
    filled.decay(now=NOON + timedelta(days=2))
    once = filled.get(noted[0])
    # As after a run that was killed between storing the uses and removing the log.
    Path(f"{filled.path}-uses-taken").write_bytes(content)
    done = filled.decay(now=NOON + timedelta(days=2.0001), daily=1.0)
    assert done.used == 0
    assert filled.get(noted[0]) == once
    assert not Path(f"{filled.path}-uses-taken").exists()


def test_a_broken_runs_log_and_the_new_one_are_both_counted(filled: Brain) -> None:
    noted = injected(filled, 1)
    log(filled).rename(f"{filled.path}-uses-taken")
    injected(filled, 2)
    assert filled.decay(dry_run=True, now=NOON + timedelta(days=3)).used == len(noted)
    for day in (3, 4):
        filled.decay(now=NOON + timedelta(days=day))
    assert filled.get(noted[0]).use_count == 2


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-03T04:00:00.000Z 1",  # no line end: cut short
        "2026-03-03T04:00:00.000Z 1 2026-03-03T05:00:00.000Z 2\n",  # one cut short, one behind it
        "2026-13-43T04:00:00.000Z 1\n",
        "2026-03-03T04:00:00.000Z\n",
        "2026-03-03T04:00:00.000Z 0\n",
        "2026-03-03T04:00:00.000Z -1\n",
        "2026-03-03T04:00:00.000Z 99999999\n",  # nobody has this id
        "2099-03-03T04:00:00.000Z 1\n",  # a clock that was wrong
        "\0\0\0\n\xff\n",
    ],
)
def test_a_line_that_is_none_is_passed_over(filled: Brain, line: str) -> None:
    good = "2026-03-03T04:00:00.000Z 2\n"
    log(filled).write_bytes((good + line).encode("latin-1"))
    assert filled.decay(now=NOON + timedelta(days=2)).used == 1
    assert filled.get(1).use_count == 0
    assert filled.get(2).use_count == 1


def test_use_keeps_the_weak_from_being_archived(brain: Brain) -> None:
    fill(brain, EVERYDAY[1:])
    brain.add("物业每周二上午来抄水表", importance=0.1, now=NOON - timedelta(days=400))
    rested = brain.add("抽屉里有备用钥匙", importance=0.1, now=NOON - timedelta(days=400)).id
    injected(brain, -30)
    told = brain.decay(dry_run=True, now=NOON)
    done = brain.decay(now=NOON)
    assert told.archived == done.archived == (rested,)


def test_forgetting_takes_an_id_out_of_the_log(filled: Brain) -> None:
    for text in ("brain.db-uses", "brain.db-uses-taken"):
        (filled.path.parent / text).write_text(
            "2026-03-03T04:00:00.000Z 12 1 2\n2026-03-03T04:00:00.000Z 1\n"
        )
    use_log.forget(filled.path, 1)
    assert use_log.waiting(filled.path).keys() == {12, 2}
    left = {p.name: p.read_text() for p in filled.path.parent.iterdir() if "-uses" in p.name}
    assert all(" 1" not in text.replace(" 12", "") for text in left.values())
    use_log.forget(filled.path, 2)
    use_log.forget(filled.path, 12)
    assert not use_log.waiting(filled.path)


def test_many_processes_note_at_once_and_no_line_is_torn(tmp_path: Path) -> None:
    database = tmp_path / "brain.db"
    database.touch()
    script = (
        "import sys; from pathlib import Path; from brain.store import use_log\n"
        "for n in range(300):\n"
        "    use_log.note(Path(sys.argv[1]), '2026-03-03T04:00:00.000Z', [int(sys.argv[2])] * 5)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    args = [[sys.executable, "-c", script, str(database), str(n)] for n in range(1, 5)]
    running = [subprocess.Popen(a, env=env) for a in args]
    assert [p.wait(PATIENCE) for p in running] == [0] * 4
    lines = (tmp_path / "brain.db-uses").read_text().splitlines()
    assert len(lines) == 1200
    assert all(len(set(line.split()[1:])) == 1 and len(line.split()) == 6 for line in lines)


def test_history_says_that_it_was_used(filled: Brain) -> None:
    noted = injected(filled, 1)
    filled.decay(now=NOON + timedelta(days=2))
    with filled._store.read() as db:
        (event,) = [e for e in journal.entries_of(db, [noted[0]]) if e.what == "use"]
    assert event.detail["use_count"] == [0, 1]
    assert json.dumps(event.detail, ensure_ascii=False).find("水表") < 0
