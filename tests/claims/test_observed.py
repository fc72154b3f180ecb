"""Originals that say what they are: kept once, observed by sessions, and found out of date."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from brain import Brain
from tests.support.cli import Cli
from tests.support.engine import Make, refused

SOURCE = "def run():\n    return 1\n"
HEAD, NEXT = "1" * 40, "2" * 40


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one file and one commit."""
    root = tmp_path / "web"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text(SOURCE)
    (root / ".git" / "refs" / "heads").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git" / "refs" / "heads" / "main").write_text(HEAD + "\n")
    return root


def keep(brain: Brain, text: str, **told: object) -> str:
    return str(brain.compress(text, **told).handle)  # type: ignore[arg-type]


def test_an_original_says_what_it_is(brain: Brain, root: Path) -> None:
    told = {"type": "file-observation", "revision": HEAD, "source": "src/main.py"}
    handle = keep(brain, SOURCE, session="s1", root=root, **told)
    assert keep(brain, SOURCE, session="s2", root=root, **told) == handle
    plain = keep(brain, "没有说类型的" * 100)
    found = brain.originals()
    assert [(one.handle, one.session, one.type) for one in found] == [
        (handle, "s1", "file-observation"),
        (handle, "s2", "file-observation"),
        (plain, "", "text/plain"),
    ]
    assert found[0].state == "current"
    assert [one.session for one in brain.originals(session="s2")] == ["s2"]
    assert len(brain.originals(type="file-observation", state="current")) == 2
    with brain._store.read() as db:
        assert db.execute("SELECT count(*) FROM ccr").fetchall() == [(2,)]
    # Another type under the same id is refused, and nothing is overwritten.
    refused(
        "brain_original_conflict",
        65,
        lambda: brain.compress(SOURCE, type="test-result", session="s1"),
    )
    assert brain.originals() == found
    seen = brain.recovered(handle).to_dict()["observed"]
    assert [(one["type"], one["session"], one["state"]) for one in seen] == [
        ("file-observation", "s1", "current"),
        ("file-observation", "s2", "current"),
    ]


def test_what_is_refused(brain: Brain) -> None:
    refused("brain_original_type_unknown", 65, lambda: brain.compress("x", type="poem"))
    refused("brain_usage", 2, lambda: brain.compress("x", source="a.py"))
    refused("brain_usage", 2, lambda: brain.originals(state="lost"))
    refused("brain_ccr_not_found", 1, lambda: brain.verify("ccr_" + "0" * 32))
    assert brain.originals() == ()


def test_a_file_that_changed_makes_its_observation_stale(brain: Brain, root: Path) -> None:
    told = {"type": "file-observation", "source": "src/main.py", "root": root}
    handle = keep(brain, SOURCE, **told)
    part = keep(
        brain, "    return 1\n", type="documentation-excerpt", source="src/main.py:2", root=root
    )
    assert {one.result for one in brain.verify(all=True, root=root).originals} == {"verified"}
    (root / "src" / "main.py").write_text(SOURCE.replace("1", "2"))
    done = brain.verify(handle, root=root)
    (one,) = done.originals
    assert (one.handle, one.result, one.reason) == (handle, "failed", "src/main.py 改过了")
    assert [(o.handle, o.reason) for o in brain.originals(state="stale")] == [
        (handle, "src/main.py 改过了")
    ]
    brain.verify(all=True, root=root)
    assert {o.handle for o in brain.originals(state="stale")} == {handle, part}
    # Observed anew, the former one is of the past and is not looked at any more.
    fresh = keep(brain, SOURCE.replace("1", "2"), **told)
    assert {o.handle: o.state for o in brain.originals()} == {
        handle: "archived",
        part: "stale",
        fresh: "current",
    }
    assert {o.handle for o in brain.verify(all=True, root=root).originals} == {part, fresh}


def test_a_result_of_another_revision_is_stale(brain: Brain, root: Path) -> None:
    told = {"type": "test-result", "root": root}
    by_hash = keep(brain, "3 passed", revision=HEAD[:8], source="pytest", **told)
    by_name = keep(brain, "4 passed", revision="main", source="pytest -x", **told)
    unsaid = keep(brain, "5 passed", source="pytest -q", **told)
    results = {o.handle: o.result for o in brain.verify(all=True, root=root).originals}
    assert results == {by_hash: "verified", by_name: "verified", unsaid: "unknown"}
    (root / ".git" / "refs" / "heads" / "main").write_text(NEXT + "\n")
    results = {o.handle: o.result for o in brain.verify(all=True, root=root).originals}
    assert results == {by_hash: "failed", by_name: "verified", unsaid: "unknown"}


def test_of_another_project_nothing_is_said(brain: Brain, root: Path, tmp_path: Path) -> None:
    keep(brain, SOURCE, type="file-observation", source="src/main.py", root=root)
    other = tmp_path / "other"
    other.mkdir()
    (one,) = brain.verify(all=True, root=other).originals
    assert (one.result, one.reason) == ("unknown", "另一个项目")


def test_a_block_says_that_its_original_is_out_of_date(brain: Brain, root: Path) -> None:
    handle = keep(brain, SOURCE, type="file-observation", source="src/main.py", root=root)
    brain.add(f"网站启动函数的全文在 {handle}")
    plain = brain.inject("网站启动函数的全文在哪").block
    assert "过时" not in brain.inject("网站启动函数的全文在哪", root=root).block
    (root / "src" / "main.py").write_text("")
    brain.verify(all=True, root=root)
    assert (
        "原文过时了：src/main.py 改过了" in brain.inject("网站启动函数的全文在哪", root=root).block
    )
    assert brain.inject("网站启动函数的全文在哪").block == plain


def test_what_originals_are_goes_with_an_export(make: Make, root: Path) -> None:
    brain = make()
    told = {"type": "file-observation", "source": "src/main.py", "root": root}
    handle = keep(brain, SOURCE, session="s1", **told)
    keep(brain, SOURCE, session="s2", **told)
    (root / "src" / "main.py").write_text("")
    brain.verify(all=True, root=root)
    text = "".join(brain.export(with_recovery=True))
    other = make("other.db")
    assert other.import_(io.BytesIO(text.encode())).failed == 0
    assert "".join(other.export(with_recovery=True)) == text
    assert other.originals() == brain.originals()
    brain.forget_original(handle)
    assert brain.originals() == ()
    with brain._store.read() as db:
        assert db.execute("SELECT count(*) FROM observations").fetchall() == [(0,)]


GUIDE = "# 说明\n\n## 安装\n\npip install brain\n\n## 用法\n\n问就是了\n"


def test_a_handle_may_name_a_part(brain: Brain) -> None:
    guide = keep(brain, GUIDE)
    items = keep(brain, json.dumps({"items": ["a", {"键 1": "值"}]}, ensure_ascii=False))
    assert brain.recover(f"ccr://{guide}#lines=3-5") == brain.recover(guide, lines="3-5")
    assert brain.recover(f"ccr://{guide}#lines=3") == "## 安装\n".encode()
    assert brain.recover(f"<<ccr:{guide}#heading=安装>>") == brain.recover(guide, heading="安装")
    encoded = "%E5%AE%89%E8%A3%85"
    assert brain.recover(f"{guide}#heading={encoded}") == brain.recover(guide, heading="安装")
    assert brain.recover(f"{guide}#q=安装") == brain.recover(guide, query="安装")
    assert brain.recover(f"{items}#json=/items/1/键%201") == '"值"'.encode()
    assert brain.recover(f"{items}#/items/0") == b'"a"'
    assert brain.recovered(f"{items}#json=/items").content_type == "application/json"
    for both in ({"query": "安装"}, {"lines": "1"}, {"heading": "安装"}):
        refused("brain_usage", 2, lambda one=both: brain.recover(f"{guide}#lines=1-2", **one))
    for bad in (
        "lines=",
        "lines=abc",
        "lines=5-2",
        "lines=0",
        "heading=",
        "q=",
        "json=items",
        "x=1",
    ):
        refused("brain_ccr_pointer_invalid", 65, lambda one=bad: brain.recover(f"{guide}#{one}"))
    for none in ("lines=99-100", "heading=没有的"):
        refused("brain_ccr_pointer_not_found", 1, lambda one=none: brain.recover(f"{guide}#{one}"))
    refused("brain_ccr_pointer_not_found", 1, lambda: brain.recover(f"{items}#json=/items/9"))


def test_the_command_line_does_the_same(tmp_path: Path, root: Path) -> None:
    cli = Cli(tmp_path)
    options = ("--type", "file-observation", "--session", "s1", "--source", "src/main.py")
    done = cli("compress", "-", *options, "--json", stdin=SOURCE.encode(), cwd=root)
    handle = done.json["handle"]
    (root / "src" / "main.py").write_text("x")
    done = cli("verify", "--all", "--root", str(root), "--json")
    assert (done.code, done.json["originals"][0]["result"]) == (1, "failed")
    (one,) = cli("originals", "list", "--state", "stale", "--json").json
    assert (one["handle"], one["session"], one["state"]) == (handle, "s1", "stale")
    done = cli("recover", f"ccr://{handle}#lines=1")
    assert done.out == "def run():\n"
    assert "已过时：src/main.py 改过了" in done.err
    bad = cli("compress", "-", "--type", "poem", "--json", stdin=b"x")
    assert (bad.code, bad.json["error"]["code"]) == (65, "brain_original_type_unknown")
