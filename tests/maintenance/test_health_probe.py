"""The health probe: what is whole passes, each planted fault is found, and nothing stays of it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from bench.letters import Letters
from bench.planted import FAULTS
from brain import Brain
from brain.embed import registry
from brain.maintenance import health_probe
from brain.results import ProbeResult
from brain.store import memory_file, meta, probe
from brain.text.timestamps import to_iso
from tests.support.engine import EVERYDAY, NOON, Make, fill, refused

NOW = to_iso(NOON)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine may look at all the sample."""
    monkeypatch.setattr(health_probe, "SECONDS", 60.0)


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Brain]:
    """A file with records, a chain, an original and vectors."""
    with Brain.open(tmp_path / "m.db", model=Letters()) as brain:
        fill(brain)
        brain.add("构建用的是 make，入口在 Makefile", scope="web", now=NOON)
        old = brain.add("值班群是老群", valid_from="2026-01-01", now=NOON).id
        brain.supersede(old, text="值班群换成青鸟群", now=NOON)
        brain.record("跳过测试就发布", "线上白屏", now=NOON)
        brain.compress("\n".join(f"第 {n} 行：{EVERYDAY[n % 30]}" for n in range(400)), budget=200)
        yield brain


def probed(db: apsw.Connection, expected: probe.Sums | None) -> ProbeResult:
    return health_probe.run(db, memory_file.facts(db), NOW, seed="7", expected=expected)


class Undone(Exception):  # noqa: N818
    """Ends a write so that nothing of it stays."""


def test_a_whole_file_passes_and_the_canary_leaves_nothing(full: Brain) -> None:
    before = list(full.export(with_recovery=True))
    with full._store.write() as db:
        found = probed(db, probe.sums(db, memory_file.facts(db)[meta.VECTORS]))
    assert found.ok, found
    assert {name: part.ok for name, part in found.parts.items()} == dict.fromkeys(
        ("counts", "lexical", "semantic", "originals", "lineage"), True
    )
    assert min(part.checked for part in found.parts.values()) > 0
    assert list(full.export(with_recovery=True)) == before
    with full._store.read() as db:
        assert probed(db, None).ok


@pytest.mark.parametrize("name", FAULTS)
def test_each_planted_fault_is_found(full: Brain, name: str) -> None:
    found = None
    with contextlib.suppress(Undone), full._store.write() as db:
        table = memory_file.facts(db)[meta.VECTORS]
        before = probe.sums(db, table)
        FAULTS[name](db, table, random.Random(3))
        found = probed(db, before)
        raise Undone
    assert found is not None
    assert not found.ok
    assert all(part.told for part in found.parts.values() if not part.ok)
    with full._store.read() as db:
        assert probed(db, None).ok


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("DELETE FROM claims", "核对应有 1 个，实有 0 个"),
        ("UPDATE claims SET checked_at = 'x'", "1 行不属于任何东西或不完整"),
        ("DELETE FROM observations", "原文的说明应有 1 个，实有 0 个"),
        ("UPDATE observations SET handle = 'ccr_0'", "1 行不属于任何东西或不完整"),
    ],
)
def test_claims_and_what_originals_are_are_counted(full: Brain, fault: str, named: str) -> None:
    full.add("入口文件是 src/main.py", now=NOON)
    full.compress("三个测试没过", type="test-result", session="甲", now=NOON)
    found = None
    with contextlib.suppress(Undone), full._store.write() as db:
        before = probe.sums(db, memory_file.facts(db)[meta.VECTORS])
        db.pragma("defer_foreign_keys", 1)
        db.execute(fault)
        found = probed(db, before)
        raise Undone
    assert found is not None
    assert named in found.parts["counts"].told
    with full._store.read() as db:
        assert probed(db, None).ok


def test_an_empty_file_and_one_without_vectors_pass(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "none.db", model="none") as brain:
        brain.add("一条就够")
        with brain._store.write() as db:
            found = probed(db, probe.sums(db, None))
        assert found.ok
        assert found.parts["semantic"].checked == 0


def test_copies_of_one_text_hide_none_of_them(tmp_path: Path) -> None:
    """They share one vector, so that ten others stand before the eleventh."""
    with Brain.open(tmp_path / "m.db", model=Letters()) as brain:
        for n in range(15):
            brain.add("同一句话", kind=f"kind{n}", now=NOON)
        with brain._store.read() as db:
            assert probed(db, None).ok


def emptied(path: Path) -> None:
    """Takes the words of all records out of a file, behind the program's back."""
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO grams (grams) VALUES ('delete-all')")
    db.close()


def test_a_backup_that_fails_the_probe_does_not_take_the_files_place(
    tmp_path: Path, make: Make
) -> None:
    brain = make()
    brain.add("原来的一条", now=NOON)
    brain.backup(tmp_path / "copy.db")
    brain.add("后来的一条", now=NOON)
    emptied(tmp_path / "copy.db")
    error = refused("brain_probe_failed", 74, lambda: brain.restore_backup(tmp_path / "copy.db"))
    assert "条数" in error.message
    assert [one.text for one in brain.list()] == ["后来的一条", "原来的一条"]
    assert not list(tmp_path.glob("*before-restore*"))


def test_an_import_that_fails_the_probe_imports_nothing(tmp_path: Path, make: Make) -> None:
    source, target = make("a.db"), make("b.db")
    source.add("要导入的一条", now=NOON)
    target.add("原来的一条", now=NOON)
    target.export_to(tmp_path / "记忆", format="markdown")
    note = tmp_path / "记忆" / "note.md"
    note.write_text(note.read_text("utf-8") + "\n## 新\n班车七点\n", encoding="utf-8")
    target.rest()
    emptied(target.path)
    source.export_to(tmp_path / "a.jsonl")
    before = list(target.export())
    refused("brain_probe_failed", 74, lambda: target.import_(tmp_path / "a.jsonl"))
    refused("brain_probe_failed", 74, lambda: target.import_(tmp_path / "记忆"))
    assert list(target.export()) == before


def test_optimize_says_what_failed_and_the_doctor_mends_it(make: Make) -> None:
    brain = make()
    brain.add("原来的一条", now=NOON)
    brain.rest()
    emptied(brain.path)
    error = refused("brain_probe_failed", 74, brain.optimize)
    assert "条数" in error.message
    found = {one.code: one.severity for one in brain.doctor(repair=True, now=NOON).findings}
    assert found["probe"] == "ok"
    assert brain.optimize().db


def test_reembed_keeps_the_former_vectors(full: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Letters):
        name = "broken"

        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return super().embed_documents(texts) * 3

    monkeypatch.setattr(registry, "open_embedder", lambda *_: Broken())
    refused("brain_probe_failed", 74, lambda: full.reembed("broken"))
    stats = full.stats(now=NOON)
    assert (stats.model, stats.vectors_missing) == ("letters", 0)
    with full._store.read() as db:
        assert meta.read(db).get(meta.NEXT_VECTORS) is None
        assert probed(db, None).ok


def test_vectors_that_are_counted_wrong_are_mended(full: Brain) -> None:
    with full._store.write() as db:
        db.execute(f"UPDATE {memory_file.facts(db)[meta.VECTORS]}_blocks SET filled = filled + 1")
    refused("brain_probe_failed", 74, full.optimize)
    codes = {f.code for f in full.doctor(now=NOON).findings if f.severity == "error"}
    assert "vectors_counted" in codes
    full.doctor(repair=True, now=NOON)
    assert full.optimize().db
