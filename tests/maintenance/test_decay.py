"""Decay: strength follows elapsed time, the weak and idle rest, nothing is lost, nobody waits."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import Brain, Draft, drafts
from brain.lifecycle import lineage
from brain.lifecycle.strength import decayed
from brain.maintenance import decay, decay_undo
from brain.store import insert, meta
from brain.store.sql import one, rows
from brain.text.timestamps import to_iso
from tests.support import PATIENCE, ROOT
from tests.support.cli import Cli
from tests.support.engine import NOON, Make, indexes_are_whole, refused

ROUNDING = 1e-12
"""Factors of a month multiplied in another order differ by no more."""


def days(count: float) -> timedelta:
    return timedelta(days=count)


def file_bytes(folder: Path) -> dict[str, bytes]:
    """What the files hold: the shared memory has locks alone, and a reader leaves an empty log."""
    found = {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.endswith("-shm")}
    return {name: content for name, content in found.items() if content}


def many(brain: Brain, count: int, ages: float = 200) -> None:
    """Notes of spread importances and ages up to ``ages`` days before NOON."""
    brain._settle_model()
    for number in range(count):
        at = NOON - days(ages * (number % 97) / 97)
        with brain._store.write() as db:
            draft = Draft(f"第{number}号箱子放在{number * 7 % 89}排", importance=number % 10 / 10)
            insert.put(db, None, drafts.complete(draft, at), [(0, 4)], None, "")


def strengths(brain: Brain) -> dict[int, tuple[float, bool]]:
    return {m.id: (m.strength, m.archived_at is not None) for m in brain.list(limit=None, all=True)}


def replayed(brain: Brain) -> dict[int, float]:
    """Every strength computed again from the journal alone, with today's unchanging fields."""
    with brain._store.read() as db:
        journal = rows(db, "SELECT memory_id, what, detail FROM journal ORDER BY id")
        fixed = {r[0]: r[1:] for r in rows(db, "SELECT id, importance, recorded_at FROM memories")}
    out: dict[int, float] = {}
    resting: set[int] = set()
    for memory_id, what, text in journal:
        detail = json.loads(text)
        if what == "add":
            out[memory_id] = 1.0
        elif what == "decay":
            for i in out.keys() & fixed.keys() - resting:
                if detail["first"] <= i <= detail["last"]:
                    out[i] = decayed(
                        out[i], *fixed[i], detail["since"], detail["at"], detail["daily"]
                    )
        elif memory_id is not None:
            assert detail.get("strength", [out[memory_id]])[0] == out[memory_id]
            out[memory_id] = detail.get("strength", [0, out[memory_id]])[1]
            if what in {"archive", "superseded"}:
                resting.add(memory_id)
            if what == "restore" or ("archived_at" in detail and what == "undecay"):
                resting.remove(memory_id)
    return out


# The formula -------------------------------------------------------------------


@given(
    st.lists(st.floats(0, 40), min_size=1, max_size=30),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0.5, 1),
)
def test_the_same_time_in_any_number_of_runs_gives_the_same_strength(
    steps: list[float], strength: float, importance: float, daily: float
) -> None:
    born, total, since = to_iso(NOON), 0.0, None
    little_by_little = strength
    for step in steps:
        total += step
        at = to_iso(NOON + days(total))
        little_by_little = decayed(little_by_little, importance, born, since, at, daily)
        since = at
    at_once = decayed(strength, importance, born, None, to_iso(NOON + days(total)), daily)
    assert little_by_little == pytest.approx(at_once, rel=1e-9, abs=ROUNDING)
    assert min(strength, importance / 2) <= at_once <= strength


def test_the_factor_is_of_fractional_days_since_the_later_of_last_run_and_recording() -> None:
    born, noon = to_iso(NOON), to_iso(NOON + days(1.5))
    assert decayed(1.0, 0.0, born, None, noon, 0.99) == 0.99**1.5
    assert decayed(1.0, 0.0, born, to_iso(NOON - days(9)), noon, 0.99) == 0.99**1.5
    assert decayed(1.0, 0.0, born, to_iso(NOON + days(1)), noon, 0.99) == 0.99**0.5
    assert decayed(1.0, 0.5, born, None, to_iso(NOON + days(900)), 0.99) == 0.25
    # What somebody doubted lies under the floor already and is not lifted to it.
    assert decayed(0.1, 0.5, born, None, to_iso(NOON + days(900)), 0.99) == 0.1


# Runs --------------------------------------------------------------------------


def test_twice_a_day_is_once(make: Make) -> None:
    once, twice = make("once.db"), make("twice.db")
    many(once, 50)
    many(twice, 50)
    for hour in (3, 3.01, 15):
        twice.decay(now=NOON + days(hour / 24))
    twice.decay(now=NOON + days(1))
    once.decay(now=NOON + days(1))
    for left, right in zip(strengths(once).values(), strengths(twice).values(), strict=True):
        assert left == (pytest.approx(right[0], abs=ROUNDING), right[1])


def test_a_missed_month_is_caught_up(make: Make) -> None:
    daily, missed = make("daily.db"), make("missed.db")
    for brain in (daily, missed):
        many(brain, 40)
        brain.decay(now=NOON)
    for day in range(1, 31):
        daily.decay(now=NOON + days(day))
    assert missed.decay(now=NOON + days(30)).days == 30.0
    for left, right in zip(strengths(daily).values(), strengths(missed).values(), strict=True):
        assert left == (pytest.approx(right[0], abs=ROUNDING), right[1])


def test_a_clock_that_goes_back_does_nothing(brain: Brain) -> None:
    many(brain, 20)
    brain.decay(now=NOON)
    before = strengths(brain)
    for back in (0, 1, 4000):
        done = brain.decay(now=NOON - days(back))
        assert (done.days, done.decayed, done.archived, done.since) == (0.0, 0, (), to_iso(NOON))
    assert strengths(brain) == before
    assert brain.stats().last_decay == to_iso(NOON)


def test_a_record_that_came_in_since_fades_from_its_own_time(brain: Brain) -> None:
    brain.add("老的一条", importance=0.0, now=NOON - days(60))
    brain.decay(now=NOON - days(10))
    brain.add("新的一条", importance=0.0, now=NOON - days(4))
    brain.decay(now=NOON)
    assert brain.get(2).strength == 0.99**4.0


@pytest.mark.parametrize("kept", ["preference", "skill", "pinned", "important", "future"])
def test_what_is_never_archived(brain: Brain, kept: str) -> None:
    kind = kept if kept in {"preference", "skill"} else "note"
    weak = 0.75 if kept == "important" else 0.05
    starts = {"valid_from": NOON + days(9)} if kept == "future" else {}
    old = NOON - days(3000)
    a = brain.add(
        "该留下的", kind=kind, importance=weak, pinned=kept == "pinned", now=old, **starts
    )  # type: ignore[arg-type]
    b = brain.add("平常的", importance=0.05, now=old)
    for memory in (a, b):
        for _ in range(6):
            brain.wrong(memory.id, now=old)
    done = brain.decay(now=NOON)
    assert done.archived == (b.id,)
    assert brain.get(a.id).strength < 0.1
    assert brain.get(b.id).archived_at == to_iso(NOON)
    assert brain.get(b.id).text == "平常的"


@pytest.mark.parametrize(
    ("importance", "age", "archived"),
    [(0.1, 230, True), (0.1, 89, False), (0.19, 231, True), (0.2, 5000, False), (0.1, 228, False)],
)
def test_archiving_needs_weakness_and_idleness(
    brain: Brain, importance: float, age: float, archived: bool
) -> None:
    """0.99^229.1 is a tenth; from an importance of .2 on the floor alone is not under it."""
    brain.add("抽屉里有备用钥匙", importance=importance, now=NOON - days(age))
    assert bool(brain.decay(now=NOON).archived) is archived


def test_the_thresholds_are_the_callers(brain: Brain) -> None:
    brain.add("抽屉里有备用钥匙", importance=0.4, now=NOON - days(10))
    assert not brain.decay(archive_below=0.95, idle_days=11, now=NOON).archived
    assert not brain.decay(
        archive_below=0.95, idle_days=5, keep_importance=0.4, now=NOON + days(0.1)
    ).archived
    done = brain.decay(archive_below=0.95, idle_days=5, now=NOON + days(0.2))
    assert [(r.id, r.head, round(r.idle_days, 1)) for r in done.records] == [
        (1, "抽屉里有备用钥匙", 10.2)
    ]


def test_what_was_brought_back_is_not_archived_again_at_once(brain: Brain) -> None:
    brain.add("抽屉里有备用钥匙", importance=0.1, now=NOON - days(400))
    assert brain.decay(now=NOON).archived == (1,)
    with brain._store.write() as db:
        at = to_iso(NOON + days(1))
        lineage.change(db, lineage.require(db, 1), at, "restore", "", archived_at=None)
    assert brain.decay(now=NOON + days(2)).archived == ()
    assert brain.decay(now=NOON + days(92)).archived == (1,)


def test_what_was_replaced_is_at_rest(brain: Brain) -> None:
    old = brain.add("值班群是老群", now=NOON - days(100))
    brain.supersede(old.id, text="值班群换成青鸟群", now=NOON - days(50))
    brain.decay(now=NOON)
    assert brain.get(old.id).strength == 1.0
    assert brain.get(old.id).archived_at is None
    assert brain.get(2).strength < 1.0


def test_a_dry_run_tells_what_a_run_does_and_changes_nothing(brain: Brain, make: Make) -> None:
    many(brain, 120, ages=400)
    brain.inject("第7号箱子放在哪排", now=NOON - days(3))
    brain.inject("第3号箱子放在哪排", now=NOON - days(2))
    brain.close()
    before = file_bytes(brain.path.parent)
    told = make(read_only=True).decay(dry_run=True, now=NOON)
    assert file_bytes(brain.path.parent) == before
    done = make().decay(now=NOON)
    assert told.archived
    assert told.used
    assert {**told.to_dict(), "dry_run": False} == done.to_dict()


def test_every_strength_can_be_computed_again_from_the_journal(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decay, "STRETCH", 17)
    monkeypatch.setattr(decay, "PAUSE_SECONDS", 0)
    many(brain, 60, ages=400)
    for round_, at in enumerate((0, 0.3, 1, 31, 120)):
        now = NOON + days(at)
        brain.useful(5 + round_, now=now)
        brain.wrong(20 + round_, now=now)
        brain.inject(f"第{round_}号箱子放在哪排", now=now)
        if round_ == 2:
            brain.supersede(40, text="第40号箱子搬走了", now=now)
        brain.decay(daily=0.99 - round_ / 100, now=now)
    assert any(archived for _, archived in strengths(brain).values())
    assert replayed(brain) == {i: s for i, (s, _) in strengths(brain).items()}


def test_a_run_is_one_entry_of_the_journal(brain: Brain) -> None:
    many(brain, 100, ages=400)
    done = brain.decay(why="月底", now=NOON)
    with brain._store.read() as db:
        found = rows(db, "SELECT what, why, count(*) FROM journal WHERE what <> 'add' GROUP BY 1")
    assert found == [("archive", "月底", len(done.archived)), ("decay", "月底", 1)]


# A wrong clock -----------------------------------------------------------------

IN_2046 = NOON + days(20 * 365.25)


def test_a_jump_of_more_than_a_year_is_refused_unless_forced(brain: Brain) -> None:
    many(brain, 40)
    brain.decay(now=NOON - days(1))
    before = strengths(brain)
    for dry in (True, False):
        error = refused(
            "brain_decay_jump", 65, lambda dry=dry: brain.decay(dry_run=dry, now=IN_2046)
        )
        assert error.override == "force"
    assert (strengths(brain), brain.stats().last_decay) == (before, to_iso(NOON - days(1)))
    assert brain.decay(now=NOON + days(365)).decayed
    assert brain.decay(now=NOON + days(365 + 367), force=True, dry_run=True).days == 367
    assert brain.decay(now=NOON + days(365 + 367), force=True).days == 367


def test_a_killed_run_is_not_gone_on_with_where_the_next_would_jump(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(brain, 60)
    monkeypatch.setattr(decay, "STRETCH", 30)
    monkeypatch.setattr(time, "sleep", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        brain.decay(now=NOON)
    monkeypatch.undo()
    before = strengths(brain)
    refused("brain_decay_jump", 65, lambda: brain.decay(now=IN_2046))
    assert strengths(brain) == before


def test_a_long_run_can_be_undone_until_the_next(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undone, what was said meanwhile counts as if the run had never been."""
    brain, never = make(), make("never.db")
    for each in (brain, never):
        many(each, 100, ages=400)
        each.decay(now=NOON)
        each.inject("第7号箱子放在哪排", now=NOON + days(1))
    monkeypatch.setattr(decay, "STRETCH", 30)
    monkeypatch.setattr(decay, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(decay_undo, "HANDFUL", 7)
    monkeypatch.setattr(decay_undo, "PAUSE_SECONDS", 0)
    wrong = brain.decay(archive_below=0.6, force=True, now=IN_2046)
    assert len(wrong.archived) > 20
    never.decay(now=NOON + days(2), daily=1.0)  # notes the use alone
    awake = next(i for i in range(60, 90) if i not in wrong.archived)
    for each in (brain, never):
        each.useful(awake, now=NOON + days(3))
        each.wrong(awake + 1, now=NOON + days(3))
        each.forget(20)
    held = len([i for i in wrong.archived if i != 20])
    done = brain.undo_decay(why="时钟错了", now=NOON + days(4))
    assert (done.at, done.since) == (to_iso(IN_2046), to_iso(NOON))
    assert len(done.restored) == held
    back, wanted = strengths(brain), strengths(never)
    assert back.keys() == wanted.keys()
    for i, (strength, archived) in wanted.items():
        if i != awake + 1:  # doubted at the floor, where there is no more to take away
            assert back[i] == (pytest.approx(strength, abs=ROUNDING), archived)
    assert brain.stats().last_decay == to_iso(NOON)
    assert replayed(brain).items() >= {(i, s) for i, (s, _) in back.items()}
    assert brain.recall("第45号箱子放在哪排", now=NOON + days(5)).hits
    with brain._store.read() as db:
        assert one(db, "SELECT count(*) FROM faded") == 0
    refused("brain_decay_none_kept", 1, brain.undo_decay)
    # What is back has been idle as long as before.
    again, anew = (b.decay(dry_run=True, now=NOON + days(5)) for b in (brain, never))
    assert again.archived == anew.archived


@pytest.mark.parametrize(("passed", "kept"), [(31, False), (32, True)])
def test_a_run_over_a_month_is_kept_until_the_next_alone(
    brain: Brain, passed: int, kept: bool
) -> None:
    many(brain, 40)
    brain.decay(now=NOON)
    before = strengths(brain)
    brain.decay(now=NOON + days(passed))
    brain.decay(now=NOON + days(passed - 1))  # the clock went back: no run
    if kept:
        brain.undo_decay()
        assert strengths(brain) == {
            i: (pytest.approx(s, abs=ROUNDING), a) for i, (s, a) in before.items()
        }
        brain.decay(now=NOON + days(passed))
        brain.decay(now=NOON + days(passed + 1))
    refused("brain_decay_none_kept", 1, brain.undo_decay)


def test_the_first_run_under_a_wrong_clock_is_undone_and_told(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    brain = Brain.open(cli.db, model="none")
    many(brain, 40)
    before = strengths(brain)
    brain.decay(now=IN_2046)
    told = {f.code: f.message for f in brain.doctor().findings}
    assert "--undo" in told["decay_future"]
    brain.doctor(repair=True)  # a new instant of the last run takes nothing back
    for other in (["--dry-run"], ["--force"], ["--daily", "0.9"]):
        usage = cli("decay", "--undo", *other)
        assert usage.code == 2
        assert "--undo" in usage.err
    assert "撤销了" in cli("decay", "--undo", "--why", "时钟错了").out
    again = cli("decay", "--undo", "--json")
    assert (again.code, again.json["error"]["code"]) == (1, "brain_decay_none_kept")
    assert brain.stats().last_decay is None
    assert strengths(brain) == before
    brain.close()


# Other processes, and sudden ends ----------------------------------------------

CHILD = """
import sys
from datetime import datetime
from pathlib import Path
from brain import Brain
from brain.maintenance import decay
decay.STRETCH, decay.HANDFUL, decay.PAUSE_SECONDS = 40, 5, float(sys.argv[3])
with Brain.open(Path(sys.argv[1])) as brain:
    brain.decay(now=datetime.fromisoformat(sys.argv[2]))
"""

WRITER = """
import sys
from pathlib import Path
from brain import Brain
number = 0
with Brain.open(Path(sys.argv[1])) as brain:
    while not Path(sys.argv[2]).exists():
        brain.add(f"边写边衰减的第{number}条")
        number += 1
print(number)
"""


def child(script: str, *args: object) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )


def progress(brain: Brain) -> int:
    with brain._store.read() as db:
        noted = meta.read(db).get(meta.DECAY_RUN)
    return int(json.loads(noted)["done"]) if noted else 0


@pytest.mark.skipif(os.name == "nt", reason="needs kill -9")
@pytest.mark.parametrize("stretches", [1, 5, 12])
def test_a_killed_run_is_finished_once(make: Make, tmp_path: Path, stretches: int) -> None:
    brain = make()
    many(brain, 600, ages=400)
    brain.close()
    shutil.copy(brain.path, tmp_path / "whole.db")
    whole = make("whole.db")
    whole.decay(now=NOON)
    broken = make()
    process = child(CHILD, broken.path, NOON.isoformat(), 0.03)
    while progress(broken) < 40 * stretches:
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert broken.stats().last_decay is None
    foreseen = broken.decay(dry_run=True, now=NOON)
    done = broken.decay(now=NOON)
    assert foreseen.archived == done.archived
    assert strengths(broken) == strengths(whole)
    assert replayed(broken) == {i: s for i, (s, _) in strengths(whole).items()}
    with broken._store.read() as db:
        told = rows(db, "SELECT detail FROM journal WHERE what = 'decay' ORDER BY id")
        assert meta.read(db)[meta.LAST_DECAY] == to_iso(NOON)
        assert meta.DECAY_RUN not in meta.read(db)
    ends = [(d["first"], d["last"]) for d in (json.loads(t) for (t,) in told)]
    assert [a for a, _ in ends] == [1, *(b + 1 for _, b in ends[:-1])]


def test_a_killed_run_is_finished_by_a_later_one_at_its_own_time_first(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = make("whole.db"), make("broken.db")
    for brain in (whole, broken):
        many(brain, 100)
    monkeypatch.setattr(decay, "STRETCH", 30)

    def die(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", die)
    with pytest.raises(KeyboardInterrupt):
        broken.decay(daily=0.9, now=NOON)
    monkeypatch.undo()
    broken.decay(now=NOON + days(3))
    whole.decay(daily=0.9, now=NOON)
    whole.decay(now=NOON + days(3))
    assert {i: s for i, (s, _) in strengths(broken).items()} == {
        i: s for i, (s, _) in strengths(whole).items()
    }


def test_two_processes_that_decay_at_once_decay_once(make: Make, tmp_path: Path) -> None:
    both, alone = make("both.db"), make("alone.db")
    for brain in (both, alone):
        many(brain, 400)
    both.close()
    alone.decay(now=NOON)
    processes = [child(CHILD, tmp_path / "both.db", NOON.isoformat(), 0.01) for _ in range(2)]
    assert [p.wait(PATIENCE) for p in processes] == [0, 0]
    assert strengths(make("both.db")) == strengths(alone)


def test_others_write_and_read_while_a_file_decays(make: Make, tmp_path: Path) -> None:
    brain = make()
    many(brain, 800)
    stop = tmp_path / "stop"
    writer = child(WRITER, brain.path, stop)
    run = child(CHILD, brain.path, (NOON + days(9000)).isoformat(), 0.02)
    while run.poll() is None:
        assert brain.recall("第7号箱子", now=NOON).hits
        time.sleep(0.01)
    stop.touch()
    told, _ = writer.communicate(timeout=PATIENCE)
    assert run.returncode == writer.returncode == 0
    number = int(told)  # of those who wait too long for their turn, none comes so far
    assert number > 5
    with brain._store.read() as db:
        kept = one(db, "SELECT count(*) FROM memories WHERE text LIKE '边写边衰减%'")
        assert one(db, "SELECT count(*) FROM journal WHERE what = 'decay'") > 15
    assert kept == number
    # A connection of its own: one that has read before checks FTS5 by a structure of that time.
    assert indexes_are_whole(make())


# Feedback ----------------------------------------------------------------------


def test_useful_and_wrong_move_one_record_within_bounds(brain: Brain) -> None:
    brain.add("青鸟群是值班群", importance=0.2, confidence=0.6, now=NOON - days(100))
    other = brain.add("物业周二来抄表", now=NOON - days(100))
    brain.decay(now=NOON)
    untouched = brain.get(other.id)
    before = brain.get(1)
    after = brain.useful("#1", why="照着找到了", now=NOON)
    assert after.strength == pytest.approx(before.strength + 0.2 * (1 - before.strength))
    assert after.confidence == pytest.approx(0.64)
    for _ in range(200):
        after = brain.useful(1, now=NOON)
    assert after.confidence == 0.99
    assert 0.999 < after.strength <= 1.0
    after = brain.wrong(1, now=NOON)
    assert (after.strength, after.confidence) == (pytest.approx(0.5), pytest.approx(0.693))
    for _ in range(200):
        after = brain.wrong(1, now=NOON)
    assert (after.strength, after.confidence) == (0.05, 0.05)
    assert brain.get(other.id) == untouched
    with brain._store.read() as db:
        assert one(db, "SELECT why FROM journal WHERE what = 'useful' ORDER BY id") == "照着找到了"


def test_words_do_not_pull_back_what_is_beyond_their_bounds(brain: Brain) -> None:
    brain.add("一加一等于二", confidence=1.0)
    assert brain.useful(1).confidence == 1.0
    brain.add("听来的", confidence=0.01)
    assert brain.wrong(2).confidence == 0.01


def test_feedback_on_nothing_is_refused(brain: Brain) -> None:
    refused("brain_not_found", 1, lambda: brain.useful(7))
    assert not brain.path.exists()
    brain.add("一条")
    refused("brain_not_found", 1, lambda: brain.wrong(7))
    refused("brain_id_invalid", 65, lambda: brain.wrong("七"))
    refused("brain_why_invalid", 65, lambda: brain.useful(1, why="长" * 2001))


# What is asked wrongly, and the command line -----------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"daily": 0},
        {"daily": 1.01},
        {"daily": -0.5},
        {"daily": float("nan")},
        {"archive_below": -0.1},
        {"archive_below": 1.5},
        {"idle_days": -1},
        {"idle_days": 1e9},
        {"keep_importance": 2},
        {"keep_importance": float("inf")},
    ],
)
def test_numbers_out_of_range_are_refused_and_change_nothing(
    brain: Brain, options: dict[str, Any]
) -> None:
    brain.add("一条", now=NOON - days(500))
    refused("brain_decay_invalid", 65, lambda: brain.decay(**options))
    assert brain.stats().last_decay is None


def test_bounds_themselves_are_accepted(brain: Brain) -> None:
    brain.add("一条", importance=0.0, now=NOON - days(500))
    brain.decay(daily=1, archive_below=0, idle_days=100_000, keep_importance=0, now=NOON)
    assert brain.get(1).strength == 1.0
    brain.decay(daily=1e-300, archive_below=1, idle_days=0, keep_importance=1, now=NOON + days(9))
    assert (brain.get(1).strength, brain.get(1).archived_at is None) == (0.0, False)


def test_a_file_that_is_not_there_or_cannot_be_written(make: Make) -> None:
    refused("brain_db_missing", 66, lambda: make("none.db").decay())
    refused("brain_db_missing", 66, lambda: make("none.db").decay(dry_run=True))
    make("there.db").add("一条", now=NOON)
    closed = make("there.db", read_only=True)
    refused("brain_db_read_only", 73, lambda: closed.decay(now=NOON + days(3)))


def test_the_command_line_tells_it_in_words_and_json(tmp_path: Path) -> None:
    run = Cli(tmp_path)
    assert run("decay").code == 66
    with Brain.open(run.db, model="none") as brain:
        brain.add("抽屉里有\n备用钥匙", importance=0.1, now=NOON - days(400))
        brain.add("外婆爱听评弹", now=NOON)
    told = run("decay", "--dry-run")
    assert "试算" in told.out
    assert "会归档 1 条" in told.out
    assert "#1  强度 0.05" in told.out
    assert "抽屉里有\n" in told.out
    assert run("stats", "--json").json["last_decay"] is None
    done = run("decay", "--why", "试一次", "--json").json
    assert (done["archived"], done["dry_run"], done["decayed"]) == ([1], False, 2)
    assert done["days"] > 400
    assert run("stats", "--json").json["archived"] == 1
    assert "上次 " in run("stats").out
    again = run("decay")
    assert again.code == 0
    assert "还没有要减弱的" in again.out
    assert run("decay", "--daily", "abc").code == 2
    assert run("decay", "--daily", "1.5", "--json").json["error"]["code"] == "brain_decay_invalid"
    assert run("decay", "第二").code == 2
    after = run("useful", "2", "--json").json
    assert after["strength"] > 0.25
    assert "强度" in run("wrong", "#2", "--why", "听错了").out
    with Brain.open(run.db) as brain:
        brain.decay(now=NOON + days(40_000), force=True)
    assert "系统时钟" in run("decay").out


def test_a_run_under_a_wrong_clock_is_found_and_mended(make: Callable[..., Brain]) -> None:
    brain = make()
    brain.add("值班群换成青鸟群", now=datetime(2026, 1, 1, tzinfo=UTC))
    brain.decay(now=datetime(2099, 1, 1, tzinfo=UTC))
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert brain.decay(now=now).days == 0
    assert "decay_future" in {f.code for f in brain.doctor(now=now).findings}
    assert "decay_future" in brain.doctor(repair=True, now=now).repaired
    assert brain.decay(now=datetime(2026, 12, 3, tzinfo=UTC)).days == pytest.approx(2)
