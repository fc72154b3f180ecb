"""The health probe: what is whole passes, each planted fault is found, and nothing stays of it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from bench.letters import Letters
from bench.planted import FAULTS
from brain import Brain
from brain.maintenance import health_probe
from brain.results import ProbeResult
from brain.store import memory_file, meta, probe
from brain.text.timestamps import to_iso
from tests.support.engine import EVERYDAY, NOON, fill

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
