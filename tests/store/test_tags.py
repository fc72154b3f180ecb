"""Tags: what a memory is filed under goes with it everywhere and narrows every question."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from brain import Brain, BrainError, Draft
from brain.embed.protocol import Embedder
from brain.store import schema
from tests.support.engine import EVERYDAY, NOON, Make, fill, refused, take_back


def test_a_memory_is_filed_under_what_was_given(brain: Brain) -> None:
    made = brain.add("发布前先跑冒烟", tags=["部署", " #值班 ", "部署"]).id
    assert brain.get(made).tags == ("部署", "值班")
    assert brain.get(made).to_dict()["tags"] == ["部署", "值班"]
    assert brain.get(brain.add("没有标签的一条").id).tags == ()


@pytest.mark.parametrize("bad", ["", "  ", "#", "a,b", "甲，乙", "x" * 65, "a\nb"])
def test_what_is_no_tag_is_refused(brain: Brain, bad: str) -> None:
    refused("brain_tag_invalid", 65, lambda: brain.add("一句话", tags=[bad]))
    refused("brain_tag_invalid", 65, lambda: brain.list(tags=[bad]))


def test_a_secret_is_no_tag(brain: Brain) -> None:
    refused("brain_secret", 65, lambda: brain.add("一句话", tags=["password=Zx81Qpq99a"]))


@pytest.mark.parametrize("with_model", [False, True])
def test_every_question_can_be_narrowed_to_tags(make: Make, e5: Embedder, with_model: bool) -> None:
    brain = make(model=e5 if with_model else "none")
    fill(brain, EVERYDAY)
    one = brain.add("发布窗口定在周四晚上", tags=["部署", "值班"]).id
    two = brain.add("发布窗口的会议室在三楼", tags=["部署"]).id
    three = brain.add("发布窗口没有标签的说法").id
    ask = "发布窗口"
    assert {one, two, three} <= {hit.id for hit in brain.recall(ask, 9).hits}
    assert {hit.id for hit in brain.recall(ask, 9, tags=["部署"]).hits} == {one, two}
    assert {hit.id for hit in brain.recall(ask, 9, tags=["部署", "值班"]).hits} == {one}
    assert {hit.id for hit in brain.search(ask, tags=["值班"]).hits} == {one}
    assert brain.recall(ask, 9, tags=["没有的"]).hits == ()
    assert brain.check("发布窗口定在什么时候", tags=["部署"]).answerable
    assert not brain.check("发布窗口定在什么时候", tags=["没有的"]).answerable
    assert f"#{one} " in brain.inject("发布窗口定在什么时候", tags=["值班"]).block
    assert [m.id for m in brain.list(tags=["部署"])] == [two, one]


def test_what_takes_over_keeps_the_tags(brain: Brain) -> None:
    old = brain.add("值班群是青鸟群", tags=["值班"]).id
    new = brain.supersede(old, text="值班群换成红鸟群").new
    assert brain.get(new).tags == ("值班",)
    right = brain.correct(new, text="值班群换成蓝鸟群").new
    assert brain.get(right).tags == ("值班",)


def test_forgetting_takes_the_tags_along(brain: Brain) -> None:
    made = brain.add("住院号在抽屉里", tags=["只此一条的标签"]).id
    brain.forget(made)
    brain.close()
    assert "只此一条的标签".encode() not in brain.path.read_bytes()


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_tags_leave_and_come_back(make: Make, tmp_path: Path, form: str) -> None:
    source = make("a.db")
    source.add("发布前先跑冒烟", tags=["部署", "值班"])
    source.add("没有标签的一条")
    out = tmp_path / ("out.jsonl" if form == "jsonl" else "out")
    assert source.export_to(out, format=form).added == 2
    target = make("b.db")
    target.import_(out)
    assert {m.text: m.tags for m in target.list()} == {
        "发布前先跑冒烟": ("部署", "值班"),
        "没有标签的一条": (),
    }
    only = tmp_path / ("only.jsonl" if form == "jsonl" else "only")
    assert source.export_to(only, format=form, tags=["值班"]).added == 1


def old_file(path: Path) -> int:
    """A file as it was before there were tags; gives the id of its one record."""
    with Brain.open(path, model="none") as brain:
        made = brain.add("旧格式里的一条").id
    db = apsw.Connection(str(path))
    take_back(db, schema.MIGRATIONS.index(schema._tags))
    db.pragma("wal_checkpoint(TRUNCATE)")
    db.close()
    return made


def test_an_older_file_is_read_as_it_is_and_gets_tags_with_the_first_write(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    made = old_file(path)
    with Brain.open(path, read_only=True) as brain:
        assert brain.get(made).tags == ()
        assert brain.list(tags=["x"]) == []
        assert [hit.id for hit in brain.recall("旧格式").hits] == [made]
    with Brain.open(path) as brain:
        assert brain.get(made).tags == ()
        new = brain.add("新的一条", tags=["x"]).id
        assert brain.get(new).tags == ("x",)
        assert [m.id for m in brain.list(tags=["x"])] == [new]
        assert brain.stats().schema == schema.SCHEMA_VERSION


def test_a_batch_may_have_tags(brain: Brain) -> None:
    ids = [r.id for r in brain.add_many([Draft("一", tags=("甲",)), Draft("二", tags=("乙",))])]
    assert [brain.get(i).tags for i in ids] == [("甲",), ("乙",)]


def test_too_many_tags_are_refused(brain: Brain) -> None:
    with pytest.raises(BrainError) as caught:
        brain.add("一句话", tags=[f"标签{n}" for n in range(33)])
    assert caught.value.code == "brain_tag_invalid"


def test_tags_of_a_stored_record_change_and_the_journal_says_why(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    made = brain.add("发布窗口定在周四晚上", tags=["部署", "旧"], now=NOON).id
    later, latest = NOON + timedelta(days=1), NOON + timedelta(days=2)
    after = brain.tag(made, ["值班", "#部署"], ["旧", "没有的"], why="换了组", now=later)
    assert after.tags == ("部署", "值班") == brain.get(made).tags
    assert [h.id for h in brain.recall("发布窗口", tags=["值班"]).hits] == [made]
    assert brain.recall("发布窗口", tags=["旧"]).hits == ()
    brain.tag(made, ["值班"], now=latest)  # the same again is no change
    told = [(e.what, e.why, e.detail.get("tags")) for e in brain.history(made).events]
    assert told[1:] == [("tag", "换了组", [["部署", "旧"], ["部署", "值班"]])]
    assert brain.list(known_at=NOON)[0].tags == ("部署", "旧")
    assert brain.list(known_at=latest)[0].tags == ("部署", "值班")
    assert brain.tag(made, remove=["部署", "值班"]).tags == ()


def test_what_cannot_be_done_to_tags_is_refused_and_changes_nothing(brain: Brain) -> None:
    made = brain.add("一句话", tags=["甲"]).id
    refused("brain_usage", 2, lambda: brain.tag(made))
    refused("brain_usage", 2, lambda: brain.tag(made, ["乙"], ["乙"]))
    refused("brain_not_found", 1, lambda: brain.tag(99, ["乙"]))
    refused("brain_tag_invalid", 65, lambda: brain.tag(made, ["a,b"]))
    refused("brain_tag_invalid", 65, lambda: brain.tag(made, [f"标签{n}" for n in range(32)]))
    refused("brain_secret", 65, lambda: brain.tag(made, ["password=Zx81Qpq99a"]))
    assert brain.get(made).tags == ("甲",)
    assert [e.what for e in brain.history(made).events] == ["add"]


def test_what_was_filed_elsewhere_is_forgotten_as_well(brain: Brain) -> None:
    made = brain.add("住院号在抽屉里", tags=["只此一条的标签"]).id
    brain.tag(made, ["另一处标签"], ["只此一条的标签"])
    brain.forget(made)
    brain.close()
    assert "一条的标签".encode() not in brain.path.read_bytes()
    assert "另一处标签".encode() not in brain.path.read_bytes()
