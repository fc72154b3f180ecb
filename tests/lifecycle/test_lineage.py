"""What replaces, corrects, ends and brings back: each change whole, repeatable, and told why."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import Brain, BrainError
from brain.cli.program import run
from brain.embed.protocol import Embedder
from brain.memory import Memory
from brain.store import journal
from brain.text.timestamps import to_iso
from tests.support import ROOT
from tests.support.cli import Cli, Done
from tests.support.engine import NOON, Make, refused, texts, vectors_out_of_step

DAY = timedelta(days=1)
LATER = NOON + DAY


def state(brain: Brain) -> list[dict[str, Any]]:
    """Every record of the file and every event, for "nothing changed"."""
    kept = [m.to_dict() for m in brain.list(all=True, all_scopes=True, limit=None)]
    with brain._store.read() as db:
        return [*kept, *(asdict(e) for e in journal.entries_of(db, [m["id"] for m in kept]))]


def events(brain: Brain, memory_id: int) -> list[tuple[str, str]]:
    with brain._store.read() as db:
        return [(e.what, e.why) for e in journal.entries_of(db, [memory_id])]


# Correcting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("valid_from", "valid_to"),
    [
        (None, None),
        ("unknown", None),
        ("2024-05-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        ("2027-05-01T00:00:00Z", None),
    ],
    ids=["since it was told", "since always", "over already", "planned"],
)
def test_a_correction_takes_over_exactly_the_time_of_what_was_wrong(
    brain: Brain, valid_from: str | None, valid_to: str | None
) -> None:
    old = brain.add("花店周一休息", valid_from=valid_from, valid_to=valid_to, now=NOON).id
    was = brain.get(old)
    new = brain.correct(old, "花店周二休息", now=LATER).new
    before, after = brain.get(old), brain.get(new)
    assert (before.valid_from, before.valid_to) == (was.valid_from, was.valid_to)
    assert (after.valid_from, after.valid_to) == (was.valid_from, was.valid_to)
    assert (before.retracted_at, before.superseded_by) == (to_iso(LATER), new)
    assert (after.supersedes, after.recorded_at) == (old, to_iso(LATER))


def test_a_correction_inherits_what_the_memory_is_and_is_believed_by_its_own_source(
    brain: Brain,
) -> None:
    old = brain.add(
        "客户姓章",
        kind="fact",
        scope="web",
        importance=0.9,
        pinned=True,
        source="chat",
        confidence=0.2,
        evidence="电话里听的",
    ).id
    after = brain.get(brain.correct(old, "客户姓张", source="model:抄写").new)
    assert (after.kind, after.scope, after.importance, after.pinned) == ("fact", "web", 0.9, True)
    assert (after.source, after.confidence, after.evidence) == ("model:抄写", 0.75, "")
    again = brain.get(brain.correct(after.id, "客户姓臧").new)
    assert (again.source, again.confidence) == ("user", 0.95)


def test_before_the_correction_we_believed_the_error(brain: Brain) -> None:
    old = brain.add("钥匙在物业", valid_from="2026-01-01", now=NOON).id
    brain.correct(old, "钥匙在门卫", now=LATER)
    after = LATER + DAY
    assert texts(brain.recall("钥匙在哪", now=after)) == ["钥匙在门卫"]
    assert texts(brain.recall("钥匙在哪", as_of="2026-02-01", now=after)) == ["钥匙在门卫"]
    known = brain.recall("钥匙在哪", known_at=NOON + timedelta(hours=1), now=after)
    assert texts(known) == ["钥匙在物业"]


@pytest.mark.parametrize("verb", ["correct", "supersede"])
def test_repeating_gives_the_same_and_another_replacement_is_refused(
    brain: Brain, verb: str
) -> None:
    act: Callable[..., Any] = getattr(brain, verb)
    old = brain.add("快递放驿站", now=NOON).id
    first = act(old, text="快递放柜子", now=LATER)
    before = state(brain)
    assert act(old, text="快递放柜子", now=LATER + DAY) == first
    assert act(f"#{old}", text="快递放柜子 \n", now=LATER + 2 * DAY) == first
    for other in ("correct", "supersede"):
        told = refused(
            "brain_not_current",
            65,
            lambda other=other: getattr(brain, other)(old, text="快递放门口", now=LATER + DAY),
        )
        assert f"#{first.new}" in told.message
    other = {"correct": brain.supersede, "supersede": brain.correct}[verb]
    refused("brain_not_current", 65, lambda: other(old, text="快递放柜子"))  # type: ignore[operator]
    assert state(brain) == before


@pytest.mark.parametrize("verb", ["correct", "supersede"])
@pytest.mark.parametrize(
    ("prepare", "code"),
    [
        (lambda b, i: b.retract(i), "brain_not_current"),
        (lambda b, i: b.supersede(i, text="别的"), "brain_not_current"),
        (lambda b, i: b.correct(i, "别的"), "brain_not_current"),
        (lambda b, i: archive(b, i), "brain_not_current"),
    ],
    ids=["retracted", "superseded", "corrected", "archived"],
)
def test_only_what_is_current_can_be_replaced(
    brain: Brain, verb: str, prepare: Callable[[Brain, int], object], code: str
) -> None:
    old = brain.add("门禁密码四位", now=NOON).id
    prepare(brain, old)
    before = state(brain)
    refused(code, 65, lambda: getattr(brain, verb)(old, text="门禁改刷脸", now=LATER))
    assert state(brain) == before


def archive(brain: Brain, memory_id: int) -> None:
    from brain.lifecycle import lineage

    with brain._store.write() as db:
        memory = lineage.require(db, memory_id)
        lineage.change(db, memory, to_iso(LATER), "archive", "", archived_at=to_iso(LATER))


@pytest.mark.parametrize("verb", ["correct", "supersede"])
@pytest.mark.parametrize("text", ["门禁密码四位", "门禁密码四位  \r\n"])
def test_the_text_must_differ(brain: Brain, verb: str, text: str) -> None:
    old = brain.add("门禁密码四位", now=NOON).id
    before = state(brain)
    refused("brain_supersede_same", 65, lambda: getattr(brain, verb)(old, text=text, now=LATER))
    assert state(brain) == before


def test_one_moves_away_and_back_again(brain: Brain) -> None:
    ids = [brain.add("林姐住北京", now=NOON).id]
    for n, text in enumerate(("林姐住上海", "林姐住北京", "林姐住上海"), start=1):
        ids.append(brain.supersede(ids[-1], text=text, now=NOON + n * DAY).new)
    assert ids == [1, 2, 3, 4]
    found = brain.history(2)
    assert [m.id for m in found.history] == ids
    assert [m.text for m in brain.list(now=NOON + 9 * DAY)] == ["林姐住上海"]
    for n, text in enumerate(("林姐住北京", "林姐住上海", "林姐住北京")):
        at = NOON + n * DAY + timedelta(hours=1)
        assert texts(brain.recall("林姐住哪", as_of=at, now=NOON + 9 * DAY)) == [text]


# A text that is there already -------------------------------------------------------------------


def twins(brain: Brain, at: datetime) -> list[str]:
    """Texts that two current records share."""
    shown = [m.text for m in brain.list(now=at, limit=None)]
    return [text for text in set(shown) if shown.count(text) > 1]


@pytest.mark.parametrize("verb", ["correct", "supersede"])
@pytest.mark.parametrize("start", [None, "2026-01-01", "2026-09-01"])
def test_replacing_by_what_is_known_already_makes_no_second_record(
    brain: Brain, verb: str, start: str | None
) -> None:
    old = brain.add("例会在周一", valid_from="2025-06-01", now=NOON).id
    known = brain.add("例会在周三", valid_from=start, now=NOON).id
    act: Callable[..., Any] = getattr(brain, verb)
    done = act(old, text="例会在周三", now=LATER)
    assert (done.old, done.new) == (old, known)
    assert act(old, text="例会在周三", now=LATER + DAY) == done
    assert brain.stats().total == 2
    assert not twins(brain, NOON + 400 * DAY)
    assert [m.id for m in brain.history(old).history] == [old, known]
    if verb == "correct":
        assert brain.get(known).valid_from == brain.get(old).valid_from


def test_what_has_a_predecessor_takes_no_second_one(brain: Brain) -> None:
    first = brain.add("例会在周一", now=NOON).id
    known = brain.supersede(first, text="例会在周三", now=LATER).new
    other = brain.add("例会改到周一早上", now=NOON).id
    before = state(brain)
    for verb in ("supersede", "correct"):
        told = refused(
            "brain_not_current",
            65,
            lambda verb=verb: getattr(brain, verb)(other, text="例会在周三", now=LATER + DAY),
        )
        assert f"#{known}" in told.message
    assert state(brain) == before


@pytest.mark.parametrize("scope", [{"kind": "fact"}, {"scope": "web"}])
def test_another_kind_or_scope_is_another_memory(brain: Brain, scope: dict[str, str]) -> None:
    old = brain.add("例会在周一", now=NOON).id
    other = brain.add("例会在周三", now=NOON, **scope).id  # type: ignore[arg-type]
    done = brain.supersede(old, text="例会在周三", now=LATER)
    assert done.new != other
    assert brain.get(other).supersedes is None


def test_a_plan_told_again_does_not_pile_up(brain: Brain) -> None:
    plan = brain.add("总部搬到滨江", valid_from="2027-01-01", now=NOON)
    for at in ("2027-01-01", "2027-01-01", "2027-03-01"):
        assert brain.add("总部搬到滨江", valid_from=at, now=LATER).id == plan.id
    assert brain.stats().total == 1
    assert brain.get(plan.id).valid_from == to_iso(datetime(2027, 1, 1).astimezone())
    now = brain.add("总部搬到滨江", now=LATER)
    assert now.created
    assert brain.add("总部搬到滨江", now=LATER + DAY).id == now.id
    assert texts(brain.recall("总部在哪", now=LATER + DAY)) == ["总部搬到滨江"]


def test_replaying_old_records_does_not_revive_what_ended(brain: Brain) -> None:
    dated = {"valid_from": "2024-03-01"}
    old = brain.add("供应商是甲厂", now=NOON, **dated).id  # type: ignore[arg-type]
    brain.supersede(old, text="供应商是乙厂", now=LATER)
    again = brain.add("供应商是甲厂", now=LATER + DAY, **dated)  # type: ignore[arg-type]
    assert (again.id, again.created) == (old, False)
    closed = {"valid_from": "2019-03-01", "valid_to": "2020-03-01"}
    past = brain.add("供应商是丙厂", now=NOON, **closed)  # type: ignore[arg-type]
    assert brain.add("供应商是丙厂", now=LATER, **closed).id == past.id  # type: ignore[arg-type]
    assert texts(brain.recall("供应商是哪家", now=LATER + 2 * DAY)) == ["供应商是乙厂"]


@pytest.mark.parametrize("how", ["expire", "supersede", "retract"])
def test_what_ended_and_is_told_as_true_now_is_a_new_record(brain: Brain, how: str) -> None:
    old = brain.add("健身房在二楼", now=NOON).id
    act = {
        "expire": lambda: brain.expire(old, now=LATER),
        "supersede": lambda: brain.supersede(old, text="健身房在地下", now=LATER),
        "retract": lambda: brain.retract(old, now=LATER),
    }
    act[how]()
    again = brain.add("健身房在二楼", now=LATER + DAY)
    assert again.created
    assert brain.add("健身房在二楼", now=LATER + 2 * DAY).id == again.id
    assert not twins(brain, LATER + 3 * DAY)


# Taking back and bringing back ------------------------------------------------------------------


def test_what_is_retracted_is_gone_until_it_is_restored(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    one = brain.add("停车月卡三百五", now=NOON).id
    was = brain.get(one)
    gone = brain.retract(one, why="听错了", now=LATER)
    assert gone.retracted_at == to_iso(LATER)
    assert brain.retract(one, now=LATER + DAY) == gone
    assert not brain.recall("停车月卡多少钱", now=LATER + DAY).hits
    assert not brain.inject("停车月卡多少钱", now=LATER + DAY).block
    assert brain.restore(one, why="没听错", now=LATER + DAY) == was
    assert brain.restore(one, now=LATER + 2 * DAY) == was
    assert texts(brain.recall("停车月卡多少钱", now=LATER + DAY)) == ["停车月卡三百五"]
    assert events(brain, one) == [("add", ""), ("retract", "听错了"), ("restore", "没听错")]
    assert not vectors_out_of_step(brain)


def test_restoring_never_touches_the_valid_time(brain: Brain) -> None:
    one = brain.add("展览开到五月", valid_to="2026-05-01", now=NOON).id
    brain.expire(one, now=LATER)
    archive(brain, one)
    brain.retract(one, now=LATER)
    back = brain.restore(one, now=LATER + DAY)
    assert (back.archived_at, back.retracted_at, back.valid_to) == (None, None, to_iso(LATER))
    old = brain.add("一", now=NOON).id
    brain.supersede(old, text="二", now=LATER)
    before = state(brain)
    assert brain.restore(old) == brain.get(old)
    assert state(brain) == before


def test_what_was_corrected_comes_back_only_when_its_correction_is_not_believed(
    brain: Brain,
) -> None:
    wrong = brain.add("会员日是八号", now=NOON).id
    right = brain.correct(wrong, "会员日是十八号", now=LATER).new
    third = brain.supersede(right, text="会员日是二十八号", now=LATER + DAY).new
    told = refused("brain_not_current", 65, lambda: brain.restore(wrong))
    assert f"#{right}" in told.message
    brain.retract(right)
    assert f"#{third}" in refused("brain_not_current", 65, lambda: brain.restore(wrong)).message
    brain.retract(third)
    back = brain.restore(wrong)
    assert (back.retracted_at, back.superseded_by) == (None, None)
    assert [m.id for m in brain.history(wrong).history] == [wrong]
    assert [m.id for m in brain.history(third).history] == [right, third]


def test_a_superseded_record_that_was_retracted_can_be_restored_into_history(brain: Brain) -> None:
    old = brain.add("一", now=NOON).id
    new = brain.supersede(old, text="二", now=LATER).new
    was = brain.get(old)
    brain.retract(old)
    assert brain.restore(old) == was
    assert brain.get(new).supersedes == old


def test_restoring_makes_no_second_copy(brain: Brain) -> None:
    old = brain.add("花名册在云盘", now=NOON).id
    brain.retract(old, now=LATER)
    again = brain.add("花名册在云盘", now=LATER).id
    told = refused("brain_duplicate", 65, lambda: brain.restore(old, now=LATER + DAY))
    assert f"#{again}" in told.message


@pytest.mark.parametrize("verb", ["expire", "retract", "forget"])
def test_a_pinned_memory_is_not_taken_away_without_force(brain: Brain, verb: str) -> None:
    one = brain.add("我对青霉素过敏", pinned=True, now=NOON).id
    before = state(brain)
    refused("brain_pinned", 65, lambda: getattr(brain, verb)(one))
    assert state(brain) == before
    getattr(brain, verb)(one, force=True)
    assert not brain.list()
    other = brain.add("我对花生过敏", now=NOON).id
    assert brain.pin(other, why="要命的").pinned
    refused("brain_pinned", 65, lambda: getattr(brain, verb)(other))
    assert not brain.unpin(other).pinned
    getattr(brain, verb)(other)


def test_small_changes_are_kept_with_their_reasons_and_only_once(brain: Brain) -> None:
    one = brain.add("服务器在东机房").id
    for _ in range(2):
        assert brain.set_importance(one, 0.9, why="出过事故").importance == 0.9
        assert brain.set_confidence(one, 0.3, why="用户说不确定").confidence == 0.3
        assert brain.pin(one, why="常问").pinned
    assert events(brain, one) == [
        ("add", ""),
        ("importance", "出过事故"),
        ("confidence", "用户说不确定"),
        ("pin", "常问"),
    ]
    assert brain.unpin(one).pinned is False


# History ------------------------------------------------------------------------------------


def test_history_is_the_same_from_every_record_of_the_line(brain: Brain) -> None:
    first = brain.add("报销找小周", now=NOON).id
    second = brain.supersede(first, text="报销找小何", why="小周调岗", now=LATER).new
    third = brain.correct(second, "报销找小贺", why="名字写错了", now=LATER + DAY).new
    brain.set_confidence(third, 0.8, why="听说的", now=LATER + 2 * DAY)
    alone = brain.add("报销找小周也行", now=NOON).id
    found = brain.history(first)
    assert brain.history(second) == brain.history(f"#{third}") == found
    assert [m.id for m in found.history] == [first, second, third]
    assert [m.id for m in brain.history(alone).history] == [alone]
    told = [(e.id, e.what, e.why) for e in found.events]
    assert told == [
        (first, "add", ""),
        (second, "add", "小周调岗"),
        (first, "superseded", "小周调岗"),
        (second, "supersedes", "小周调岗"),
        (third, "add", "名字写错了"),
        (second, "corrected", "名字写错了"),
        (third, "corrects", "名字写错了"),
        (third, "confidence", "听说的"),
    ]
    assert [e.at for e in found.events] == sorted(e.at for e in found.events)
    assert {"at", "what", "why"} <= found.to_dict()["events"][0].keys()
    refused("brain_not_found", 1, lambda: brain.history(99))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET superseded_by = 1 WHERE id = 3",
        "UPDATE memories SET supersedes = 3 WHERE id = 1",
        "UPDATE memories SET supersedes = NULL WHERE id = 2",
        "UPDATE memories SET superseded_by = 3 WHERE id = 1",
    ],
    ids=["a circle forward", "a circle back", "one way only", "a fork"],
)
def test_a_broken_line_is_an_error_and_nothing_hangs(brain: Brain, damage: str) -> None:
    first = brain.add("一", now=NOON).id
    second = brain.supersede(first, text="二", now=LATER).new
    third = brain.supersede(second, text="三", now=LATER + DAY).new
    with brain._store.write() as db:
        db.execute(damage)
    broken = set()
    for one in (first, second, third):
        try:
            brain.history(one)
        except BrainError as e:
            broken.add((e.code, e.exit_code))
    assert broken == {("brain_lineage_broken", 74)}


# Concurrency --------------------------------------------------------------------------------

RIVAL = """
import sys
from brain import Brain, BrainError
from brain.cli.program import run
path, verb, old, text = sys.argv[1:]
with Brain.open(path) as brain:
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        print(getattr(brain, verb)(int(old), text=text).new)
    except BrainError as e:
        print(e.code)
"""


@pytest.mark.parametrize("verbs", [("supersede", "supersede"), ("correct", "supersede")])
def test_of_rival_processes_one_replaces_and_the_other_changes_nothing(
    brain: Brain, verbs: tuple[str, str]
) -> None:
    old = brain.add("周报交给老严").id
    rivals = [
        subprocess.Popen(
            [sys.executable, "-c", RIVAL, str(brain.path), verb, str(old), f"周报交给{n}号"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for n, verb in enumerate(verbs)
    ]
    for rival in rivals:
        assert rival.stdout is not None
        assert rival.stdout.readline() == "ready\n"
    said = [rival.communicate("\n")[0].strip() for rival in rivals]
    assert sorted(said) == ["2", "brain_not_current"]
    kept = [(m.id, m.supersedes, m.superseded_by) for m in brain.list(all=True)]
    assert kept == [(2, 1, None), (1, None, 2)]


def test_of_rival_threads_exactly_one_wins(brain: Brain) -> None:
    old = brain.add("周报交给老严").id

    def act(n: int) -> str:
        try:
            return str(brain.supersede(old, text=f"周报交给{n}号").new)
        except BrainError as e:
            return e.code

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(act, range(16)))
    assert sorted(said) == ["2", *["brain_not_current"] * 15]
    assert brain.stats().total == 2


@pytest.mark.parametrize("fails_at", ["corrected", "corrects", "superseded", "supersedes"])
def test_a_change_that_fails_in_the_middle_leaves_nothing(
    make: Make, e5: Embedder, monkeypatch: pytest.MonkeyPatch, fails_at: str
) -> None:
    brain = make(model=e5)
    old = brain.add("打印机在走廊", now=NOON).id
    before = state(brain)
    write = journal.write

    def failing(db: Any, at: str, memory_id: int, what: str, *rest: Any) -> None:
        if what == fails_at:
            raise RuntimeError(what)
        write(db, at, memory_id, what, *rest)

    monkeypatch.setattr(journal, "write", failing)
    verb = "correct" if fails_at.startswith("correct") else "supersede"
    with pytest.raises(RuntimeError):
        getattr(brain, verb)(old, text="打印机在前台", now=LATER)
    assert state(brain) == before
    assert not vectors_out_of_step(brain)
    assert texts(brain.recall("打印机在哪", now=LATER)) == ["打印机在走廊"]


# Any sequence ---------------------------------------------------------------------------------

OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["add", "supersede", "link", "correct", "retract", "restore", "expire"]),
        st.integers(1, 6),
        st.integers(1, 6),
    ),
    max_size=25,
)


@settings(max_examples=25)
@given(OPERATIONS)
def test_whatever_is_done_lines_are_whole_and_nothing_current_is_told_twice(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, int, int]]
) -> None:
    with Brain.open(tmp_path_factory.mktemp("any") / "brain.db", model="none") as brain:
        codes: set[int] = set()
        for n, (what, one, other) in enumerate(operations):
            now = NOON + n * DAY
            text = f"第{other}种说法"
            try:
                match what:
                    case "add":
                        brain.add(text, now=now)
                    case "supersede":
                        brain.supersede(one, text=text, now=now)
                    case "link":
                        brain.supersede(one, new=other, now=now)
                    case "correct":
                        brain.correct(one, text, now=now)
                    case _:
                        getattr(brain, what)(one, now=now)
            except BrainError as error:
                codes.add(error.exit_code)
            assert codes <= {1, 65}
            assert not twins(brain, now)
            _lines_are_whole(brain.list(all=True, limit=None))
            for memory in brain.list(all=True, limit=None):
                line = [m.id for m in brain.history(memory.id).history]
                assert memory.id in line
                assert len(set(line)) == len(line)


def _lines_are_whole(kept: list[Memory]) -> None:
    by_id = {m.id: m for m in kept}
    for memory in kept:
        if memory.superseded_by is not None:
            heir = by_id[memory.superseded_by]
            assert heir.supersedes == memory.id
            closed = memory.valid_to is not None and memory.valid_to <= str(heir.valid_from)
            assert memory.retracted_at is not None or closed
        if memory.supersedes is not None:
            assert by_id[memory.supersedes].superseded_by == memory.id


# The command line -------------------------------------------------------------------------------


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Callable[..., Done]:
    """The command line, without a process of its own."""
    monkeypatch.setenv("BRAIN_MODEL", "none")

    def say(*args: str) -> Done:
        code = run([*args, "--db", str(tmp_path / "work.db")])
        return Done(code, *capfd.readouterr())

    return say


def test_the_verbs_say_what_they_did(said: Callable[..., Done]) -> None:
    assert said("add", "周会在周一", "--json").json["id"] == 1
    done = said("correct", "1", "--text", "周会在周二", "--why", "看错了", "--json")
    assert (done.code, done.json) == (0, {"old": 1, "new": 2})
    assert said("correct", "2", "周会在周四", "--source", "model").out == "#2 已更正为 #3\n"
    assert said("show", "3", "--json").json["confidence"] == 0.75
    assert said("pin", "3", "--json").json["pinned"] is True
    done = said("retract", "3", "--json")
    assert (done.code, done.json["error"]["code"]) == (65, "brain_pinned")
    assert said("unpin", "3", "--json").json["pinned"] is False
    assert said("importance", "3", "0.75", "--why", "常问", "--json").json["importance"] == 0.75
    assert said("retract", "#3", "--why", "停了", "--json").json["retracted_at"]
    assert said("restore", "3", "--json").json["retracted_at"] is None
    told = said("history", "1", "--json").json
    assert [m["id"] for m in told["history"]] == [1, 2, 3]
    assert ("corrected", "看错了") in {(e["what"], e["why"]) for e in told["events"]}
    assert "原因：看错了" in said("history", "2").out
    assert said("forget", "3", "--json").json["forgotten"] is True
    assert said("forget", "3", "--json").code == 1
    assert said("forget", "99", "--json").json["error"]["code"] == "brain_not_found"
    assert said("history", "3").code == 1
    assert said("correct", "2").code == 2
    assert said("correct", "2", "甲", "--text", "乙").code == 2


def test_a_correction_comes_from_standard_input_byte_for_byte(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "周会在周一")
    text = "周会在周二\n地点：二楼  \n"
    assert cli("correct", "1", "-", "--json", stdin=text.encode()).json == {"old": 1, "new": 2}
    assert cli("show", "2", "--json").json["text"] == text


@pytest.mark.parametrize("verb", ["correct", "retract", "restore", "pin", "forget", "history"])
def test_without_a_file_no_verb_makes_one(
    said: Callable[..., Done], tmp_path: Path, verb: str
) -> None:
    done = said(verb, "1", *(["--text", "甲"] if verb == "correct" else []), "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "brain_not_found")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("delete", ("forget", "retract")),
        ("rm", ("forget", "retract")),
        ("purge", ("forget",)),
        ("update", ("supersede", "correct")),
        ("edit", ("supersede", "correct")),
        ("undo", ("restore",)),
        ("log", ("history",)),
    ],
)
def test_a_verb_of_another_name_is_answered_with_ours(
    said: Callable[..., Done], typed: str, named: tuple[str, ...]
) -> None:
    done = said(typed, "1")
    assert done.code == 2
    assert all(name in done.err for name in named)


@pytest.mark.parametrize("ending", ["supersede", "supersede by another", "expire"])
def test_what_was_told_in_this_very_millisecond_may_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """Times are kept to the millisecond, and a program may be faster."""
    ticks = iter(range(10**6))

    def clock() -> datetime:
        return datetime(2031, 1, 1, tzinfo=UTC) + timedelta(microseconds=100 * next(ticks))

    monkeypatch.setattr("brain.engine.now_utc", clock)
    monkeypatch.setattr("brain.lifecycle.supersede.now_utc", clock)
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for n in range(30):
            one = brain.add(f"第{n}号仓库在东门").id
            if ending == "expire":
                after = brain.expire(one)
                assert after.valid_to is not None
                assert str(after.valid_from) < after.valid_to
                continue
            other = brain.add(f"第{n}号仓库搬到西门").id if "another" in ending else None
            text = None if other else f"第{n}号仓库搬到西门"
            done = brain.supersede(one, other, text=text)
            old = brain.get(one)
            assert old.superseded_by == done.new
            assert str(old.valid_from) < str(old.valid_to)


def test_a_replacement_is_not_repeated_at_another_instant(make: Callable[..., Brain]) -> None:
    brain = make()
    old = brain.add("值班群是老群", valid_from="2025-01-01").id
    first = brain.supersede(old, text="值班群换成青鸟群", at="2026-03-01")
    assert brain.supersede(old, text="值班群换成青鸟群", at="2026-03-01") == first
    assert brain.supersede(old, text="值班群换成青鸟群") == first
    refused(
        "brain_supersede_time",
        65,
        lambda: brain.supersede(old, text="值班群换成青鸟群", at="2026-04-01"),
    )
    refused("brain_supersede_time", 65, lambda: brain.supersede(old, first.new, at="2026-04-01"))


def test_a_reason_that_is_none_is_refused_where_nothing_would_change(brain: Brain) -> None:
    one = brain.add("班车七点半发车", tags=["班车"]).id
    two = brain.add("班车改在八点发车").id
    brain.pin(one)
    gone = brain.add("食堂周一休息").id
    brain.retract(gone)
    brain.supersede(one, two)
    before = state(brain)
    for change in (
        lambda why: brain.tag(one, add=["班车"], why=why),
        lambda why: brain.pin(one, why=why),
        lambda why: brain.unpin(two, why=why),
        lambda why: brain.set_importance(two, 0.5, why=why),
        lambda why: brain.set_confidence(two, 0.95, why=why),
        lambda why: brain.retract(gone, why=why),
        lambda why: brain.restore(two, why=why),
        lambda why: brain.supersede(one, two, why=why),
    ):
        for bad in ("\0", "\ud800", "长" * 2001):
            refused("brain_why_invalid", 65, partial(change, bad))
        refused("brain_secret", 65, partial(change, "password=Zx81Qpq99a"))
    assert state(brain) == before
