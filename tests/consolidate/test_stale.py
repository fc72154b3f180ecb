"""Records whose claims fail: what a plan proposes, what is done, and what is given back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bench.consolidate import exported, kept
from brain import Brain
from brain.results import PlanLine
from brain.store import claims
from tests.support.engine import NOON, refused

ENTRY = "入口文件是 src/main.py"
LATER = NOON + timedelta(hours=1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose file is about to move."""
    root = tmp_path / "web"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text("# 监听 8080\n", encoding="utf-8")
    (root / "uv.lock").write_text('[[package]]\nname = "requests"\nversion = "2.31.0"\n')
    return root


def told(brain: Brain, root: Path, text: str, *checks: str, **more: object) -> int:
    """Stores a record a week ago."""
    at = NOON - timedelta(days=7)
    return brain.add(text, root=root, checks=checks, now=at, **more).id  # type: ignore[arg-type]


def moved(brain: Brain, root: Path) -> None:
    """Has the file stand elsewhere and the version be another, and has that noted."""
    (root / "src" / "app").mkdir()
    (root / "src" / "main.py").rename(root / "src" / "app" / "main.py")
    (root / "uv.lock").write_text('[[package]]\nname = "requests"\nversion = "2.32.3"\n')
    brain.verify(all=True, root=root, now=NOON - timedelta(days=1))


def planned(brain: Brain) -> tuple[Path, list[PlanLine]]:
    out = brain.path.parent / "plan.jsonl"
    return out, list(brain.consolidate(out=out, now=NOON).lines)


def test_what_moved_is_superseded_by_what_names_the_new_place(brain: Brain, root: Path) -> None:
    one = told(brain, root, ENTRY, "file src/main.py", "version requests 2.31.0")
    sure = brain.get(one).confidence
    moved(brain, root)
    before = kept(exported(brain))
    out, (line,) = planned(brain)
    assert (line.act, line.drop, line.keep, line.confirm) == ("stale", (one,), None, False)
    assert line.text == "入口文件是 src/app/main.py"
    assert "src/main.py 不在了" in line.reason
    assert line.before[0]["state"] == "stale"
    done = brain.apply_plan(out, now=LATER)
    (made,) = done.created
    new = brain.get(made)
    assert (new.text, new.supersedes, new.confidence) == (line.text, one, sure)
    assert brain.get(one).superseded_by == made
    # Nobody has looked since: what is claimed anew is claimed and no more.
    assert [c.claim for c in new.checks] == ["src/app/main.py", "requests 2.32.3"]
    assert (new.state, new.verified_at) == ("claimed", None)
    assert brain.verify(made, root=root).verified == 2
    refused("brain_undo_changed", 65, lambda: brain.undo_run(done.run))
    brain.forget(made)
    assert kept(exported(brain)) != before


@pytest.mark.parametrize("only", [False, True])
def test_undo_gives_records_and_claims_the_state_they_had(
    brain: Brain, root: Path, only: bool
) -> None:
    told(brain, root, ENTRY, "file src/main.py", "ref main")
    told(brain, root, "服务监听 8080", "text 监听 8080 in src/main.py")
    told(brain, root, "配置在 conf/app.toml", "file conf/app.toml")
    moved(brain, root)
    before = kept(exported(brain))
    out, lines = planned(brain)
    assert [line.confirm for line in lines] == [False, True, True]
    done = brain.apply_plan(out, only=[one.id for one in lines] if only else [], now=LATER)
    assert len(done.applied) == (3 if only else 1)
    assert done.probe.ok
    assert (brain.get(3).valid_to is not None) == only
    undone = brain.undo_run(done.run, now=LATER)
    assert undone.probe.ok
    assert kept(exported(brain)) == before
    with brain._store.read() as db:
        assert [c.memory_id for c in claims.of(db, range(1, 9))] == [1, 1, 2, 3]


def test_a_person_decides_where_no_new_place_is_known(brain: Brain, root: Path) -> None:
    gone = told(brain, root, "配置在 conf/app.toml", "file conf/app.toml")
    told(brain, root, "密文在 conf/key.pem", "file conf/key.pem", pinned=True)
    unnamed = told(brain, root, "启动看这里", "file src/main.py")
    moved(brain, root)
    out, lines = planned(brain)
    assert {one.drop for one in lines} == {(gone,), (unnamed,)}
    assert all(one.confirm and not one.text for one in lines)
    fixable = next(one for one in lines if one.drop == (unnamed,))
    assert "verify 的 fix" in fixable.reason
    assert brain.apply_plan(out, now=LATER).applied == ()
    # Taking the mark out of the file is no way around naming it.
    out.write_text(out.read_text("utf-8").replace('"confirm":true', '"confirm":false'), "utf-8")
    assert brain.apply_plan(out, now=LATER).applied == ()
    line = next(one for one in lines if one.drop == (gone,))
    assert brain.apply_plan(out, only=[line.id], now=LATER).applied == (line.id,)
    assert gone not in {one.id for one in brain.list(now=LATER + timedelta(days=1))}


def test_a_record_that_says_so_already_takes_over(brain: Brain, root: Path) -> None:
    old = told(brain, root, "主入口的代码放在 src/main.py 里", "file src/main.py")
    at = NOON - timedelta(days=2)
    new = brain.add("主入口的代码放在 src/app/main.py 里", now=at).id
    moved(brain, root)
    before = kept(exported(brain))
    out, (line,) = planned(brain)
    assert (line.act, line.keep, line.drop) == ("stale", new, (old,))
    done = brain.apply_plan(out, now=LATER)
    assert brain.get(old).superseded_by == new
    brain.undo_run(done.run, now=LATER)
    assert kept(exported(brain)) == before


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ("src/app/main.py", "src/evil/main.py", "看到的不是这样"),
        ('"state":"stale"', '"state":"verified"', "核对的结果"),
    ],
)
def test_a_plan_somebody_wrote_names_no_other_place(
    brain: Brain, root: Path, was: str, now: str, why: str
) -> None:
    told(brain, root, ENTRY, "file src/main.py")
    moved(brain, root)
    out, _ = planned(brain)
    out.write_text(out.read_text("utf-8").replace(was, now), "utf-8")
    done = brain.apply_plan(out, now=LATER)
    assert done.applied == ()
    assert why in done.refused[0].reason


def test_what_was_looked_at_again_since_is_left(brain: Brain, root: Path) -> None:
    one = told(brain, root, ENTRY, "file src/main.py")
    moved(brain, root)
    out, _ = planned(brain)
    (root / "src" / "main.py").write_text("")
    brain.verify(one, root=root, now=LATER)
    (refusal,) = brain.apply_plan(out, now=LATER).refused
    assert "核对的结果" in refusal.reason
    assert planned(brain)[1] == []
