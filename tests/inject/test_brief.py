"""The brief as a prefix a prompt cache can hold: a new record comes last, idle turns change no
byte, and each kind of change moves its own fingerprint alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from brain import Brain
from brain.inject import brief, pack
from brain.results import Brief
from brain.text.tokens import estimate
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, NOON, Make

LATER = NOON + timedelta(days=30)
BUDGETS = (80, 160, 300, 420, 1500, 0)


def records(told: Brief) -> list[str]:
    """The lines between the opening and the names, those of one record apart as they stand."""
    lines = told.block.split("\n")[1:-1]
    ends = [n for n, line in enumerate(lines) if line.startswith(("技能 #", "类型：", "范围："))]
    return lines[: ends[0]] if ends else lines


def names(told: Brief) -> list[str]:
    return told.block.split("\n")[1 + len(records(told)) : -1]


def told(rng: random.Random, brain: Brain, n: int, kind: str | None = None) -> int:
    """Tells a random record of a new text; gives its id."""
    kind = kind or rng.choice(("preference", "note", "fact", "skill", "decision"))
    text = f"{rng.choice(EVERYDAY)}，第{n}件" + "，细节另说" * rng.choice((0, 0, 1, 5, 60))
    pinned = kind != "preference" and rng.random() < 0.3
    importance = rng.choice((0.2, 0.5, 0.9))
    return brain.add(text, kind=kind, pinned=pinned, importance=importance, now=NOON).id


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[random.Random, Path]]:
    """Random stores, some changed after they were told."""
    folder = tmp_path_factory.mktemp("stores")
    made = []
    for seed in range(8):
        rng = random.Random(seed)
        path = folder / f"{seed}.db"
        with Brain.open(path, model="none") as brain:
            ids = [told(rng, brain, n) for n in range(rng.choice((1, 4, 12, 24)))]
            for one in rng.sample(ids, len(ids) // 3):
                change = rng.choice(("pin", "unpin", "retract", "supersede"))
                if change == "supersede":
                    brain.supersede(one, text=f"#{one} 换了说法", now=LATER)
                elif change == "retract":
                    brain.retract(one, force=True, now=LATER)
                else:
                    getattr(brain, change)(one, now=LATER)
        made.append((rng, path))
    return made


def all_briefs(brain: Brain) -> list[Brief]:
    return [brain.brief(budget) for budget in BUDGETS]


def test_idle_turns_change_no_byte(stores: list[tuple[random.Random, Path]]) -> None:
    for rng, path in stores:
        with Brain.open(path, model="none") as brain:
            before = all_briefs(brain)
            for n in range(50):
                asked = f"{rng.choice(EVERYDAY)}第{n}件"
                read = rng.choice((brain.recall, brain.inject, brain.check, brain.search))
                read(asked)
            brain.stats()
            brain.doctor()
            brain.list()
            assert all_briefs(brain) == before
        with Brain.open(path, read_only=True) as brain:
            assert all_briefs(brain) == before
            for budget, one in zip(BUDGETS, before, strict=True):
                assert estimate(one.block) <= one.tokens
                assert not budget or one.tokens <= budget
                assert (one.block == "") == (not brain.list(limit=1))


def test_another_process_locale_and_hash_seed_give_the_same(
    stores: list[tuple[random.Random, Path]], tmp_path: Path
) -> None:
    cli = Cli(tmp_path)
    path = max(stores, key=lambda one: one[1].stat().st_size)[1]
    with Brain.open(path, read_only=True) as brain:
        here = brain.brief().to_dict()
    for env in (
        {"PYTHONHASHSEED": "1", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "LANG": "zh_CN.GB18030"},
    ):
        assert cli("brief", "--db", str(path), "--json", env=env).json == here


def test_a_new_pin_or_preference_comes_last_and_leaves_every_earlier_byte_alone(
    stores: list[tuple[random.Random, Path]], tmp_path: Path
) -> None:
    for n, (rng, path) in enumerate(stores):
        with Brain.open(path) as old:
            old.backup(tmp_path / f"{n}.db")
        with Brain.open(tmp_path / f"{n}.db", model="none") as brain:
            brain.add("先有一条偏好", kind="preference", now=NOON)
            for step in range(6):
                before = [brain.brief(budget) for budget in (300, 420, 1500, 0)]
                if step % 2:
                    new = told(rng, brain, 1000 + step, "preference")
                else:
                    new = told(rng, brain, 1000 + step, "note")
                    brain.pin(new, now=NOON - timedelta(days=3))  # a clock set back
                for was, budget in zip(before, (300, 420, 1500, 0), strict=True):
                    now = brain.brief(budget)
                    assert records(now)[: len(records(was))] == records(was)
                    stands = [line for line in records(now) if line.startswith(f"#{new} ")]
                    assert stands or new in [left.id for left in now.left_out]
                    assert now.format_fingerprint == was.format_fingerprint
                    moved = now.pinned_fingerprint != was.pinned_fingerprint
                    assert moved == (records(now) != records(was)) == bool(stands)


def test_an_unrelated_record_changes_nothing_but_a_new_name(
    stores: list[tuple[random.Random, Path]], tmp_path: Path
) -> None:
    for n, (_, path) in enumerate(stores):
        with Brain.open(path) as old:
            old.backup(tmp_path / f"{n}.db")
        with Brain.open(tmp_path / f"{n}.db", model="none") as brain:
            brain.add("先有一条", kind="note", now=NOON)
            before = all_briefs(brain)
            again = brain.add("再有一条，重要得多", kind="note", importance=1, now=LATER).id
            brain.add("别的范围里的", kind="kind-of-elsewhere", scope="别处", now=LATER)
            brain.set_importance(again, 0.1)
            brain.useful(again)
            assert all_briefs(brain) == before
            brain.add("新的一类", kind="zz-new", now=LATER)
            for was, now in zip(before, all_briefs(brain), strict=True):
                assert records(now) == records(was)
                assert now.pinned_fingerprint == was.pinned_fingerprint
                skills = [[n for n in names(b) if n.startswith("技能 ")] for b in (now, was)]
                assert skills[0] == skills[1]
            now = brain.brief(0)
            assert now.fingerprint != before[-1].fingerprint
            assert names(now)[-2] == names(before[-1])[-2] + "，zz-new"
            assert names(now)[-1] == names(before[-1])[-1]


CHANGES: dict[str, tuple[Callable[[Brain], object], bool, bool]] = {
    "a preference told": (lambda b: b.add("不用客套", kind="preference"), True, True),
    "a note pinned": (lambda b: b.pin(2), True, True),
    "a pin taken off": (lambda b: b.unpin(3), True, True),
    "a preference retracted": (lambda b: b.retract(1), True, True),
    "a preference that says another thing": (lambda b: b.correct(1, "先给理由"), True, True),
    "less sure of it": (lambda b: b.wrong(1), True, True),
    "a skill told": (lambda b: b.add("发版清单", kind="skill"), True, False),
    "a kind told": (lambda b: b.add("机房在三楼", kind="fact"), True, False),
    "a note told": (lambda b: b.add("机房在三楼"), False, False),
    "a preference pinned that stands already": (lambda b: b.pin(1), False, False),
    "nothing": (lambda b: b.brief(), False, False),
    "decay": (lambda b: b.decay(), False, False),
    "a note forgotten": (lambda b: b.forget(4), False, False),
}


@pytest.mark.parametrize("what", list(CHANGES))
def test_each_kind_of_change_moves_its_own_fingerprint_alone(brain: Brain, what: str) -> None:
    brain.add("回答先给结论", kind="preference")
    brain.add("值班群是青鸟群")
    brain.add("客户代号不得外传", pinned=True)
    brain.add("周报每周五发")
    before = brain.brief()
    act, whole, pinned = CHANGES[what]
    act(brain)
    after = brain.brief()
    assert (after.fingerprint != before.fingerprint) == (after.block != before.block) == whole
    assert (after.pinned_fingerprint != before.pinned_fingerprint) == pinned
    assert after.format_fingerprint == before.format_fingerprint


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (brief, "OPENING", "⟦记忆⟧ 别的开头"),
        (brief, "CLOSING", "⟦/记忆-2⟧"),
        (brief, "_KINDS", "种类："),
        (brief, "line", lambda hit: f"- {hit.text}"),
    ],
)
def test_another_format_moves_the_formats_fingerprint(
    brain: Brain, monkeypatch: pytest.MonkeyPatch, module: object, name: str, value: object
) -> None:
    brain.add("值班群是青鸟群")  # no record stands in the brief: the pinned part is empty
    before = brain.brief()
    monkeypatch.setattr(module, name, value)
    after = brain.brief()
    assert after.format_fingerprint != before.format_fingerprint
    assert after.pinned_fingerprint == before.pinned_fingerprint


def test_what_is_restored_comes_back_to_its_place(brain: Brain) -> None:
    for n in range(3):
        brain.add(f"第{n}条偏好", kind="preference")
    before = brain.brief()
    brain.retract(2)
    assert brain.brief() != before
    brain.restore(2)
    assert brain.brief() == before
    brain.pin(1)
    brain.unpin(1)
    assert brain.brief() == before


def test_the_order_comes_along_with_a_copy(brain: Brain, make: Make, tmp_path: Path) -> None:
    for n in range(4):
        brain.add(f"第{n}条", now=NOON)
    for one in (3, 1, 4):
        brain.pin(one, now=NOON)
    brain.add("一条偏好", kind="preference", now=NOON)
    brain.pin(2, now=NOON)
    told = [line[:2] for line in records(brain.brief(0))]
    assert told == ["#3", "#1", "#4", "#5", "#2"]
    (tmp_path / "out.jsonl").write_text("".join(brain.export()), encoding="utf-8")
    other = make("other.db")
    other.import_(tmp_path / "out.jsonl")
    assert other.brief(0) == brain.brief(0)


def test_the_same_brief_is_not_given_again(brain: Brain, make: Make) -> None:
    nothing = brain.brief()
    assert not brain.brief(if_changed=nothing.fingerprint).changed
    brain.add("回答先给结论", kind="preference")
    first = brain.brief(if_changed=nothing.fingerprint)
    assert first.changed
    assert first == brain.brief() == brain.brief(if_changed="") == brain.brief(if_changed="别的")
    same = brain.brief(if_changed=first.fingerprint)
    assert (same.block, same.tokens, same.changed) == ("", 0, False)
    assert same.fingerprint == first.fingerprint
    brain.add("无关的一条", kind="preference", scope="别处")
    assert not brain.brief(if_changed=first.fingerprint).changed


def test_the_brief_is_a_literal_prefix_of_inject(
    stores: list[tuple[random.Random, Path]], brain: Brain
) -> None:
    for rng, path in stores:
        with Brain.open(path, read_only=True) as one:
            told = one.brief()
            for n in range(5):
                asked = f"{rng.choice(EVERYDAY)}第{n}件"
                alone = one.inject(asked, budget=120)
                both = one.inject(asked, budget=120, with_brief=True)
                parts = [part for part in (told.block, alone.block) if part]
                assert both.block == "\n".join(parts)
                assert both.tokens == told.tokens + alone.tokens
                assert both.brief_fingerprint == told.fingerprint
                assert both.hits == alone.hits
    assert brain.inject("空的文件", with_brief=True).block == ""
    assert "brief_fingerprint" not in brain.inject("空的文件").to_dict()


def test_on_the_command_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "回答先给结论再给理由", "--kind", "preference")
    cli("add", "值班群是青鸟群")
    told = cli("brief", "--json").json
    same = cli("brief", "--if-changed", told["fingerprint"])
    assert (same.code, same.out, same.err) == (0, "", "")
    again = cli("brief", "--if-changed", told["fingerprint"], "--json").json
    assert (again["block"], again["changed"]) == ("", False)
    assert again["fingerprint"] == told["fingerprint"]
    both = cli("inject", "值班群是哪个", "--with-brief").out
    assert both.startswith(told["block"] + "\n" + pack.OPENING)
    assert cli("inject", "法国的首都", "--with-brief").out == told["block"] + "\n"
    event = json.dumps({"extra": {"user_message": "值班群是哪个"}}).encode()
    hooked = json.loads(cli("hook", "hermes", "--with-brief", stdin=event).out)
    assert hooked["context"] + "\n" == both
