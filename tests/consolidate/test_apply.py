"""Applying a plan and undoing it: in one transaction, refused where records changed, given back."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bench import clutter
from bench.consolidate import Tally, exported, kept, one_run, planting
from bench.letters import Letters
from bench.planted import FAULTS
from brain import Brain
from brain.maintenance import health_probe
from brain.results import ConsolidateResult, PlanLine
from tests.support.engine import NOON, refused, vectors_out_of_step

LATER = NOON + timedelta(hours=1)
TALK = "用户：我不吃香菜\n助手：好的"


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Brain]:
    """A file with something of each kind to clean up, with vectors, tags, words and originals."""
    with Brain.open(tmp_path / "m.db", model=Letters()) as brain:
        days = [NOON - timedelta(days=n) for n in range(9, 0, -1)]
        brain.add("站会十点开", tags=["会"], importance=0.3, now=days[0])
        brain.add("站会十点开。", tags=["团队"], importance=0.8, now=days[1])
        brain.add("值班群是老群", now=days[2])
        brain.add("值班群换成青鸟群", now=days[3])
        brain.add("我对花生过敏", now=days[4])
        brain.add("我对花生过敏，吃了会起疹子", now=days[5])
        brain.add(TALK, kind="episode", source="chat:codex", now=days[6])
        brain.add("车位券", now=NOON - timedelta(days=400), valid_to="2025-06-01")
        brain.record("跳过测试就发布", "线上白屏", now=days[7])
        brain.compress("我不吃香菜", now=days[8])
        brain.add_word("香菜 10 n", now=days[8])
        yield brain


def plan(brain: Brain, **options: object) -> tuple[Path, list[PlanLine]]:
    out = brain.path.parent / "plan.jsonl"
    made = brain.consolidate(out=out, now=NOON, **options)  # type: ignore[arg-type]
    return out, list(made.lines)


def of(lines: list[PlanLine], act: str) -> PlanLine:
    return next(line for line in lines if line.act == act)


def do(brain: Brain, **options: object) -> ConsolidateResult:
    out, _ = plan(brain)
    return brain.apply_plan(out, now=LATER, **options)  # type: ignore[arg-type]


def test_lines_are_done_and_those_for_a_person_wait(full: Brain) -> None:
    out, lines = plan(full)
    assert {line.act for line in lines} == {"merge", "contradiction", "archive", "remember"}
    done = full.apply_plan(out, now=LATER)
    assert done.probe.ok
    waiting = of(lines, "contradiction")
    assert [one.id for one in done.refused] == [waiting.id]
    assert set(done.applied) == {line.id for line in lines} - {waiting.id}
    kept, gone = full.get(1), full.get(2)
    assert (kept.tags, kept.importance) == (("会", "团队"), 0.8)
    assert gone.retracted_at is not None
    short = full.get(5)  # it said less, and that stays true of the time before
    assert (short.superseded_by, short.valid_to) == (6, full.get(6).valid_from)
    assert full.get(8).archived_at is not None
    (made,) = done.created
    record = full.get(made)
    assert (record.text, record.kind, record.source) == ("我不吃香菜", "preference", "chat:#7")
    assert record.confidence == 0.6
    assert record.valid_from == full.get(7).valid_from
    assert "#7" in record.evidence
    assert vectors_out_of_step(full) == []
    assert all(done.run in event.why for event in full.history(2).events[-1:])


def test_a_contradiction_is_settled_by_naming_it(full: Brain) -> None:
    out, lines = plan(full)
    line = of(lines, "contradiction")
    done = full.apply_plan(out, only=[line.id], now=LATER)
    assert done.applied == (line.id,)
    assert full.get(3).superseded_by == 4
    assert full.get(2).retracted_at is None


def test_applying_with_nothing_new_is_a_no_op_byte_for_byte(full: Brain) -> None:
    out, lines = plan(full)
    first = full.apply_plan(out, only=[line.id for line in lines], now=LATER)
    full.rest()
    before = full.path.read_bytes()
    again = full.apply_plan(out, now=LATER)
    full.rest()
    assert full.path.read_bytes() == before
    assert (again.applied, len(again.refused)) == ((), len(first.applied))
    assert again.probe.ok


CHANGES: dict[str, Callable[[Brain], object]] = {
    "retracted": lambda b: b.retract(2, now=LATER),
    "pinned": lambda b: b.pin(2, now=LATER),
    "superseded": lambda b: b.supersede(1, text="站会改到九点", now=LATER),
    "forgotten": lambda b: b.forget(2, now=LATER),
    "doubted": lambda b: b.wrong(1, now=LATER),
}


@pytest.mark.parametrize("how", CHANGES)
def test_lines_whose_records_have_changed_since_are_refused(full: Brain, how: str) -> None:
    out, lines = plan(full)
    line = next(one for one in lines if one.drop == (2,))
    CHANGES[how](full)
    done = full.apply_plan(out, now=LATER)
    assert line.id in [one.id for one in done.refused]
    assert full.apply_plan(out, now=LATER).applied == ()


def test_an_observation_since_is_a_change(full: Brain) -> None:
    full.add("跳过测试就发布。", kind="decision", now=NOON)
    out, lines = plan(full)
    line = next(one for one in lines if one.keep == 9)
    full.record("跳过测试就发布", "又白屏了", now=LATER)
    done = full.apply_plan(out, now=LATER)
    told = {one.id: one.reason for one in done.refused}
    assert "观察" in told[line.id]


def test_use_and_decay_are_no_change(full: Brain) -> None:
    out, _ = plan(full)
    full.inject("站会几点开", now=NOON + timedelta(days=1))
    full.decay(now=NOON + timedelta(days=2))
    assert len(full.apply_plan(out, now=NOON + timedelta(days=3)).applied) == 4


def test_a_plan_somebody_wrote_loses_nothing_either(full: Brain) -> None:
    out, _ = plan(full)
    head, *rest = out.read_text("utf-8").splitlines()
    line = next(json.loads(one) for one in rest if '"drop":[2]' in one)
    other = next(json.loads(one) for one in rest if '"drop":[5]' in one)
    forged = {
        **line,
        "keep": 1,
        "drop": [5],
        "records": [1, 5],
        "before": [line["before"][0], other["before"][0]],
    }
    end = json.dumps({"type": "end", "lines": 1})
    out.write_text("\n".join([head, json.dumps(forged), end]) + "\n", encoding="utf-8")
    done = full.apply_plan(out, now=LATER)
    assert done.applied == ()
    assert "不是同一句话" in done.refused[0].reason


def test_a_statement_that_is_not_in_its_episode_is_refused(full: Brain) -> None:
    out, _ = plan(full)
    told = out.read_text("utf-8").replace('"quote":"我不吃香菜"', '"quote":"我只吃香菜"')
    out.write_text(told, encoding="utf-8")
    done = full.apply_plan(out, now=LATER)
    assert any("不在 #7 里" in one.reason for one in done.refused)
    assert done.created == ()


@pytest.mark.parametrize("name", ["a vector dropped", "the gram lane emptied", "a chain cut"])
def test_a_failed_probe_rolls_all_back_and_says_which_part(full: Brain, name: str) -> None:
    full.supersede(4, text="值班群是白鹭群", now=NOON)
    out, _ = plan(full)
    before = list(full.export(with_recovery=True))
    with planting(name, random.Random(1)):
        error = refused("brain_probe_failed", 74, lambda: full.apply_plan(out, now=LATER))
    assert "：" in error.message
    assert list(full.export(with_recovery=True)) == before
    assert full.apply_plan(out, now=LATER).probe.ok


def test_undo_gives_everything_back(full: Brain) -> None:
    before = kept(exported(full))
    out, lines = plan(full)
    done = full.apply_plan(out, only=[line.id for line in lines], now=LATER)
    assert kept(exported(full)) != before
    undone = full.undo_run(done.run, now=LATER)
    assert undone.applied == done.applied
    assert kept(exported(full)) == before
    assert full.recover(full.originals()[0].handle).decode() == "我不吃香菜"
    assert full.words()[0].word == "香菜"
    assert vectors_out_of_step(full) == []
    refused("brain_not_found", 1, lambda: full.get(done.created[0]))
    assert full.add("新的一条", now=LATER).id > done.created[0]
    assert full.undo_run(done.run, now=LATER).applied == ()
    assert "撤销整理" in full.history(2).events[-1].why


SINCE: dict[str, tuple[Callable[[Brain, int], object], str]] = {
    "restored": (lambda b, made: b.restore(2, now=LATER), "#2"),
    "pinned": (lambda b, made: b.pin(made, now=LATER), "#11"),
    "forgotten": (lambda b, made: b.forget(2, now=LATER), "#2"),
    "made and forgotten": (lambda b, made: b.forget(made, now=LATER), "#11"),
    "superseded": (lambda b, made: b.supersede(made, text="我吃香菜了", now=LATER), "#11"),
}


@pytest.mark.parametrize("how", SINCE)
def test_undo_refuses_by_id_what_has_changed_since(full: Brain, how: str) -> None:
    done = do(full)
    change, named = SINCE[how]
    change(full, done.created[0])
    before = list(full.export(with_recovery=True))
    error = refused("brain_undo_changed", 65, lambda: full.undo_run(done.run, now=LATER))
    assert named in error.message
    assert list(full.export(with_recovery=True)) == before


def test_undo_refuses_what_has_been_observed_since(full: Brain) -> None:
    full.add("用户：我们决定用 PostgreSQL", kind="episode", now=NOON)
    done = do(full)
    made = next(i for i in done.created if full.get(i).kind == "decision")
    full.record("我们决定用 PostgreSQL", "查询快了", now=LATER)
    assert full.links(made)
    error = refused("brain_undo_changed", 65, lambda: full.undo_run(done.run, now=LATER))
    assert f"#{made}" in error.message


def test_undo_goes_on_after_use_and_decay(full: Brain) -> None:
    done = do(full)
    full.inject("站会几点开", now=NOON + timedelta(days=1))
    full.decay(now=NOON + timedelta(days=2))
    assert full.undo_run(done.run, now=NOON + timedelta(days=3)).applied == done.applied
    assert full.get(2).retracted_at is None


def test_an_unknown_run(full: Brain) -> None:
    refused("brain_not_found", 1, lambda: full.undo_run("nichts"))


def test_what_is_known_at_an_earlier_time_is_not_touched_by_the_undo(full: Brain) -> None:
    done = do(full)
    full.undo_run(done.run, now=LATER + timedelta(hours=1))
    then = full.list(known_at=LATER + timedelta(minutes=1), now=LATER + timedelta(hours=2))
    assert 2 not in {one.id for one in then}
    assert 2 in {one.id for one in full.list(now=LATER + timedelta(hours=2))}


@pytest.mark.parametrize("seed", range(3))
def test_random_stores_are_replayed_and_given_back(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bench/consolidate.py does a thousand. A slow machine may look at all the sample here."""
    monkeypatch.setattr(health_probe, "SECONDS", 60.0)
    seen = Tally()
    with Brain.open(tmp_path / "m.db", model=Letters()) as brain:
        clutter.fill(brain, seed)
        for n in range(4):
            one_run(tmp_path, brain, 4 * seed + n, seen)
    assert seen["runs"] == 4
    for what in ("replay gives the after-state", "undo gives the before-state"):
        assert seen[what] == 4 - seen["empty plans"]
    assert seen["a second time changes nothing"] == 4 - seen["empty plans"]
    assert seen["rolled back whole"] == seen["failed"] == seen.found.total()
    assert seen.found == +seen.planted
    assert len(FAULTS) >= 10
