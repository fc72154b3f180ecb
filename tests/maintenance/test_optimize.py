"""Putting a file in order after much was stored: in short steps, with others at work meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain
from brain.maintenance import optimize
from brain.memory import Draft
from brain.store import fts, integrity, memory_file, meta
from brain.store.vectors import blocks, vector_index

DIM = 32
TEXTS = [f"{n}号柜第{n % 7}层放着{name}" for n in range(450) for name in ("图纸", "样品", "量具")]


class Drifting:
    """Vectors whose middle moves as more of them are made."""

    name = "drifting"
    dim = DIM
    max_tokens = 512
    languages = ("zh",)

    def __init__(self) -> None:
        self._draw = np.random.default_rng(5)
        self._made = 0

    def embed_documents(self, texts: list[str]) -> NDArray[np.float32]:
        out = self._draw.standard_normal((len(texts), DIM))
        out[:, 0] += (self._made + np.arange(len(texts))) / 100
        self._made += len(texts)
        unit = out / np.linalg.norm(out, axis=1, keepdims=True)
        return np.asarray(unit, dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_documents([text])[0]


@pytest.fixture
def brain(tmp_path: Path) -> Iterator[Brain]:
    with Brain.open(tmp_path / "m.db", model=Drifting()) as opened:
        for start in range(0, len(TEXTS), 50):
            opened.add_many([Draft(text) for text in TEXTS[start : start + 50]])
        yield opened


def segments(brain: Brain) -> int:
    with brain._store.read() as db:
        return sum(fts.segments(db, index) for index in (fts.GRAMS, fts.TRIGRAMS))


def whole(brain: Brain) -> bool:
    with brain._store.read() as db:
        table = str(memory_file.facts(db)[meta.VECTORS])
        faults = integrity.integrity(db)
        for index in (fts.GRAMS, fts.TRIGRAMS):
            faults += integrity.unindexed(db, index) + integrity.orphaned_rows(db, index)
            faults += integrity.mismatched_rows(db, index)
        faults += [n for ids in integrity.vector_faults(db, table, DIM).values() for n in ids]
    return not faults


def test_it_leaves_one_segment_an_index_and_says_what_it_did(brain: Brain) -> None:
    before = segments(brain)
    assert before > 2
    done = brain.optimize()
    assert (done.segments_before, done.segments_after) == (before, 2)
    assert segments(brain) == 2
    assert done.merged
    assert done.bytes_after == brain.path.stat().st_size
    assert whole(brain)
    assert brain.recall("7号柜放着什么").hits


def test_codes_are_taken_anew_once_and_then_only_where_the_centre_has_moved(brain: Brain) -> None:
    assert brain.optimize().recoded == len(TEXTS)
    assert brain.optimize().recoded == 0
    brain.add_many([Draft(f"{n}号门的门禁卡交给了前台") for n in range(300)])
    assert brain.optimize().recoded == len(TEXTS) + 300
    assert whole(brain)


def test_no_step_takes_more_than_its_share_and_others_write_in_between(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimize, "BLOCKS", 1)
    monkeypatch.setattr(optimize, "PAGES", 4)
    coded: list[int] = []
    really = vector_index.requantize

    def counted(db: apsw.Connection, table: str, most: int) -> bool:
        before = len(blocks.outdated(db, table, 99))
        left = really(db, table, most)
        coded.append(before - len(blocks.outdated(db, table, 99)))
        return left

    monkeypatch.setattr(vector_index, "requantize", counted)
    stored: list[int] = []
    write = brain._store.write

    @contextmanager
    def interrupted() -> Iterator[apsw.Connection]:
        with write() as db:
            yield db
        if len(stored) < 6:
            stored.append(0)
            with Brain.open(brain.path, model=Drifting()) as other:
                stored[-1] = other.add(f"整理到第{len(stored)}步时记下的一条").id

    monkeypatch.setattr(brain._store, "write", interrupted)
    done = brain.optimize()
    assert max(coded) == 1
    assert len(stored) == 6
    assert done.segments_after < done.segments_before
    assert all(brain.get(i) for i in stored)
    assert whole(brain)


def test_what_was_broken_off_is_finished_by_the_next_run(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimize, "BLOCKS", 1)
    with monkeypatch.context() as patched:
        really = vector_index.requantize
        turns = iter((really, lambda *_: 1 / 0))
        patched.setattr(vector_index, "requantize", lambda *args: next(turns)(*args))
        with pytest.raises(ZeroDivisionError):
            brain.optimize()
    assert whole(brain)
    assert 0 < brain.optimize().recoded < len(TEXTS)
    assert brain.optimize().recoded == 0
    assert whole(brain)


def test_a_file_with_nothing_to_put_in_order_stays_as_it_is(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("玻璃杯在第二层")
        first, second = brain.optimize(), brain.optimize()
    assert first.recoded == second.recoded == 0
    assert second.segments_before == second.segments_after == 2
    assert first.bytes_after == second.bytes_after


def test_single_adds_leave_few_segments(tmp_path: Path) -> None:
    """Each look-up goes through every segment, so one add after the other must not pile them up."""
    most = 0
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for n in range(60):
            brain.add(f"第{n}号仓库的温度计在{n}号货架")
            with brain._store.read() as db:
                most = max(most, *(fts.segments(db, name) for name in (fts.GRAMS, fts.TRIGRAMS)))
        assert brain.recall("第37号仓库").hits[0].text == "第37号仓库的温度计在37号货架"
    assert most <= 6
