"""Verifying records: state, confidence, projects, fixes; and what carries claims along."""

from __future__ import annotations

import io
import os
import subprocess
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from brain import Brain
from brain.claims import verify
from brain.store import claims
from tests.support.engine import NOON, Make, refused

ENTRY = "入口文件是 src/main.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one file and a manifest, not in git."""
    root = tmp_path / "web"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text("def run_server():\n    pass\n")
    (root / "uv.lock").write_text('[[package]]\nname = "requests"\nversion = "2.31.0"\n')
    return root


def move(root: Path) -> None:
    (root / "src" / "app").mkdir()
    (root / "src" / "main.py").rename(root / "src" / "app" / "main.py")


def states(brain: Brain, number: int) -> tuple[str | None, float, str | None]:
    found = brain.get(number)
    return found.state, found.confidence, found.verified_at


def test_a_claim_is_claimed_then_verified_then_stale(brain: Brain, root: Path) -> None:
    one = brain.add(ENTRY, root=root, now=NOON).id
    found = brain.get(one)
    assert [check.to_dict() for check in found.checks] == [{"kind": "file", "claim": "src/main.py"}]
    assert states(brain, one) == ("claimed", 0.95, None)
    done = brain.verify(one, root=root, now=NOON + timedelta(hours=1))
    assert (done.verified, done.failed, done.unknown) == (1, 0, 0)
    assert done.claims[0].found_at == "src/main.py"
    assert states(brain, one) == ("verified", 0.95, "2026-03-02T05:00:00.000Z")
    move(root)
    done = brain.verify(one, root=root, now=NOON + timedelta(hours=2))
    (claim,) = done.claims
    assert (claim.result, claim.found_at, claim.relocated) == ("failed", *["src/app/main.py"] * 2)
    assert "src/main.py 不在了，现为 src/app/main.py" in claim.reason
    lowered = 0.95 - verify.STEP
    assert states(brain, one) == ("stale", lowered, "2026-03-02T05:00:00.000Z")
    assert [m.id for m in brain.list(stale=True)] == [one]
    # Never twice for the same finding, whatever was found in between.
    brain.verify(all=True, root=root)
    (root / "src" / "main.py").write_text("")
    assert brain.verify(all=True, root=root).verified == 1
    assert states(brain, one)[:2] == ("verified", lowered)
    (root / "src" / "main.py").unlink()
    brain.verify(all=True, root=root)
    assert states(brain, one)[:2] == ("stale", lowered)
    told = brain.history(one).events
    assert [e.detail["state"] for e in told if e.what == "verify"] == [
        ["claimed", "verified"],
        ["verified", "stale"],
        ["stale", "verified"],
        ["verified", "stale"],
    ]
    assert brain.list(known_at=NOON + timedelta(hours=1, minutes=30))[0].state == "verified"
    assert brain.list(known_at=NOON + timedelta(minutes=30))[0].state == "claimed"


def test_only_verify_verifies(brain: Brain, root: Path) -> None:
    one = brain.add(ENTRY, root=root, checks=["file src/main.py", "ref main"]).id
    brain.recall("入口文件")
    brain.inject("入口文件是哪个")
    brain.get(one)
    brain.list()
    assert states(brain, one) == ("claimed", 0.95, None)
    done = brain.verify(one, root=root)
    assert [(c.kind, c.result) for c in done.claims] == [("file", "verified"), ("ref", "unknown")]
    # One of the two could not be told.
    assert brain.get(one).state == "claimed"
    assert brain.get(one).verified_at is not None
    assert brain.stats().to_dict()["claims"] == {"claimed": 1, "verified": 0, "stale": 0}


def test_a_claim_belongs_to_its_project(brain: Brain, root: Path, tmp_path: Path) -> None:
    here = brain.add(ENTRY, root=root).id
    nowhere = brain.add("配置在 conf/app.toml").id
    other = tmp_path / "other"
    other.mkdir()
    done = brain.verify(all=True, root=other)
    assert {c.id: (c.result, c.reason) for c in done.claims} == {
        here: ("unknown", verify.OTHER_PROJECT),
        nowhere: ("unknown", verify.NO_PROJECT),
    }
    assert brain.verify(nowhere, root=other).failed == 1
    assert brain.verify(here, root=other).unknown == 1
    assert brain.get(here).state == "claimed"


def test_the_root_is_that_of_the_repository_here(
    brain: Brain, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    one = brain.add(ENTRY, root=root).id
    monkeypatch.chdir(root / "src")
    done = brain.verify(one)
    assert (done.root, done.verified) == (os.path.realpath(root), 1)


def test_what_verify_refuses(brain: Brain, root: Path, tmp_path: Path) -> None:
    one = brain.add(ENTRY, root=root).id
    refused("brain_usage", 2, lambda: brain.verify())
    refused("brain_usage", 2, lambda: brain.verify(one, all=True))
    refused("brain_not_found", 1, lambda: brain.verify(99, root=root))
    for missing in (tmp_path / "none", root / "src" / "main.py"):
        refused("brain_root_missing", 66, lambda at=missing: brain.verify(one, root=at))
        refused("brain_root_missing", 66, lambda at=missing: brain.add("x", root=at))
    refused("brain_check_invalid", 65, lambda: brain.add("x", checks=["run me"]))
    assert brain.stats().total == 1


def test_no_program_is_started(brain: Brain, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    with (root / ".git" / "config").open("a") as config:
        config.write('[core]\n\tfsmonitor = "touch owned"\n[alias]\n\tx = "!touch owned"\n')

    def never(*args: object, **options: object) -> None:
        raise AssertionError(args)

    monkeypatch.setattr(subprocess, "Popen", never)
    monkeypatch.setattr(os, "system", never)
    monkeypatch.setattr(os, "posix_spawn", never)
    checks = ["file src/main.py", "text $(touch owned) in src/main.py", "symbol run_server"]
    one = brain.add("x", root=root, checks=[*checks, "version requests 2", "ref main"]).id
    done = brain.verify(one, root=root)
    assert [c.result for c in done.claims] == ["verified", "failed", *["verified"] * 3]
    assert not list(root.rglob("owned"))


def test_a_fix_is_shown_and_then_written(brain: Brain, root: Path) -> None:
    one = brain.add(ENTRY, root=root, importance=0.8, tags=["代码"]).id
    two = brain.add("启动看这里", root=root, checks=["file src/main.py"]).id
    three = brain.add(
        "requests 锁在 2.28.0，别的不动", root=root, checks=["version requests 2.28.0"]
    ).id
    four = brain.add("文档在 docs/a.md", root=root).id
    move(root)
    shown = brain.verify(all=True, root=root, fix=True)
    assert [(p.id, p.act, p.after, p.done) for p in shown.plan] == [
        (one, "supersede", "入口文件是 src/app/main.py", False),
        (two, "check", "启动看这里", False),
        (three, "supersede", "requests 锁在 2.31.0，别的不动", False),
    ]
    assert brain.get(one).superseded_by is None
    done = brain.verify(all=True, root=root, fix=True, yes=True)
    assert all(p.done for p in done.plan)
    new = brain.get(done.plan[0].new or 0)
    assert (new.text, new.state, new.supersedes, new.importance) == (
        "入口文件是 src/app/main.py",
        "verified",
        one,
        0.8,
    )
    assert any("现为 src/app/main.py" in event.why for event in brain.history(new.id).events)
    assert brain.get(two).state == "verified"
    assert brain.get(two).checks[0].claim == "src/app/main.py"
    again = brain.verify(all=True, root=root, fix=True, yes=True)
    assert (again.verified, again.failed, again.plan) == (3, 1, ())
    assert [m.id for m in brain.list(stale=True)] == [four]


def test_a_correction_keeps_the_project(brain: Brain, root: Path) -> None:
    one = brain.add("入口文件是 src/mian.py", root=root).id
    new = brain.correct(one, ENTRY).new
    assert brain.verify(all=True, root=root).verified == 1
    assert brain.get(new).state == "verified"


def test_claims_go_with_an_export_to_the_byte(make: Make, root: Path) -> None:
    brain = make()
    one = brain.add(ENTRY, root=root, checks=["file src/main.py", "ref main"]).id
    brain.add("没有核对的一条")
    brain.verify(one, root=root)
    move(root)
    brain.verify(one, root=root)
    told = "".join(brain.export())
    other = make("other.db")
    other.import_(io.BytesIO(told.encode()))
    assert "".join(other.export()) == told
    assert other.get(one) == brain.get(one)
    assert other.verify(one, root=root).failed == 1
    again = other.import_(io.BytesIO(told.encode()))
    assert (again.added, again.failed) == (0, 0)
    assert "".join(brain.export(scope="none")).count('"claim"') == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"result":"failed"', '"result":"maybe"'),
        ('"kind":"file"', '"kind":"run"'),
        ('"memory_id":1,"kind"', '"memory_id":9,"kind"'),
        ('"counted":true', '"counted":2'),
    ],
)
def test_a_bad_claim_of_an_export_is_passed_over(
    make: Make, root: Path, old: str, new: str
) -> None:
    brain = make()
    brain.add(ENTRY, root=root)
    move(root)
    brain.verify(1, root=root)
    told = "".join(brain.export())
    assert old in told
    done = make("other.db").import_(io.BytesIO(told.replace(old, new).encode()))
    assert (done.added, done.failed) == (1, 1)


def test_forgetting_takes_claims_along(brain: Brain, root: Path) -> None:
    one = brain.add("启动看这里", root=root, checks=["file secret-place/zanzibar.py"]).id
    brain.verify(one, root=root)
    brain.forget(one)
    assert b"zanzibar" not in brain.path.read_bytes()
    with brain._store.read() as db:
        assert claims.of(db, [one]) == []


def test_the_doctor_knows_claims(brain: Brain, root: Path) -> None:
    brain.add(ENTRY, root=root)
    assert brain.doctor().ok
    with brain._store.write() as db:
        db.execute("UPDATE claims SET checked_at = 'x'")
    found = brain.doctor()
    assert "claims" in {f.code for f in found.findings if f.severity == "error"}
    assert "claims" in brain.doctor(repair=True).repaired
    assert brain.get(1).checks == ()


def test_the_doctor_knows_what_originals_are(brain: Brain) -> None:
    """Rows whose original is gone: another program took it out without what belongs to it."""
    brain.compress("三个测试没过", type="test-result", session="甲")
    assert brain.doctor().ok
    brain.rest()
    db = apsw.Connection(str(brain.path))
    db.execute("DELETE FROM ccr")
    db.close()
    found = brain.doctor()
    assert "observations" in {f.code for f in found.findings if f.severity == "error"}
    assert "observations" in brain.doctor(repair=True).repaired
    assert brain.doctor().ok
    assert list(brain.originals()) == []


def test_secrets_are_no_claims(brain: Brain) -> None:
    word = "password = " + "hunter2" + "Zq9xT4" + "!k"
    refused("brain_secret", 65, lambda: brain.add("x", checks=[f"text {word} in a.toml"]))
    one = brain.add("x", checks=[f"text {word} in a.toml"], allow_secrets=True).id
    assert "hunter2" not in brain.get(one).checks[0].claim
