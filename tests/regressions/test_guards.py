"""Guards around the file and the input, each after a fault that somebody found by hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from brain import Brain, BrainError
from brain.embed.protocol import Embedder
from brain.text import tokenize
from tests.support.engine import refused


def test_a_file_replaced_while_open_is_not_written_over(tmp_path: Path) -> None:
    """A backup put in place of a file in use must survive the process that had it open."""
    used, backup = tmp_path / "used.db", tmp_path / "backup.db"
    with Brain.open(backup, model="none") as brain:
        for n in range(5):
            brain.add(f"备份里的第{n}条")
    with Brain.open(used, model="none") as brain:
        brain.add("正在用的文件")
        os.replace(backup, used)
        refused("brain_db_replaced", 74, lambda: brain.add("换掉之后"))


def test_a_file_deleted_while_open_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Brain.open(path, model="none") as brain:
        brain.add("一")
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        refused("brain_db_replaced", 74, lambda: brain.add("二"))


CHANGES: dict[str, Callable[[Brain], object]] = {
    "expire": lambda b: b.expire(1),
    "conf": lambda b: b.set_confidence(1, 0.5),
    "supersede by id": lambda b: b.supersede(1, 2),
    "supersede by text": lambda b: b.supersede(1, text="新的说法"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_a_record_makes_no_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep" / "m.db"
    with Brain.open(path, model="none") as brain:
        refused("brain_not_found", 1, lambda: CHANGES[name](brain))
    assert not path.parent.exists()


@pytest.mark.parametrize("text", ["\u200b", "\ufeff \u2060", "\u00ad\n\u200d"])
def test_invisible_text_is_no_memory(tmp_path: Path, text: str) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        refused("brain_text_empty", 65, lambda: brain.add(text))


def test_search_shows_only_what_shares_a_word(tmp_path: Path) -> None:
    """Notes recorded beside a hit have their place in recall, not where a word is looked for."""
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for text in ("冰箱里有啤酒", "快递放在驿站", "猫要打疫苗"):
            brain.add(text)
        assert [h.text for h in brain.search("啤酒").hits] == ["冰箱里有啤酒"]


def test_a_note_of_the_user_is_no_turn_of_a_conversation(tmp_path: Path) -> None:
    """An episode told beside the one asked for is not injected with it."""
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("生产环境部署走蓝绿发布", kind="decision")
        brain.add("重跑用例全绿", kind="episode")
        assert [h.id for h in brain.inject("怎么部署").hits] == [1]


def test_a_file_with_an_impossible_format_number_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Brain.open(path, model="none") as brain:
        brain.add("一条")
    db = apsw.Connection(str(path))
    db.pragma("user_version", -5)
    db.close()
    with Brain.open(path) as brain:
        refused("brain_db_damaged", 74, lambda: brain.recall("一条"))
        refused("brain_db_damaged", 74, lambda: brain.add("两条"))


@pytest.mark.parametrize("limit", [0, -1, 2**63])
def test_a_limit_out_of_range_is_refused(tmp_path: Path, limit: int) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        refused("brain_limit_invalid", 2, lambda: brain.list(limit=limit))


def test_many_long_notes_are_weighed_without_cutting_them_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second stage looks for the question's words in a long text; it does not tokenize it."""
    cut: list[int] = []
    real = tokenize._runs
    monkeypatch.setattr(tokenize, "_runs", lambda f: cut.append(len(f)) or real(f))
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for n in range(5):
            brain.add(f"第{n}份日志，" + "服务一切正常，没有告警。" * 2000 + f"末尾是灯塔{n}号")
        cut.clear()
        hits = brain.recall("灯塔3号").hits
    assert hits[0].id == 4
    assert 0 < max(cut) <= tokenize.CUT_WHOLE


def test_an_explained_result_speaks_in_words_and_keeps_own_words_whole(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("今天和同事玩成语接龙，输了三局")
        brain.add("青鸟湾工地的门禁卡在老周那里")
        plain = brain.recall("成语接龙")
        told = brain.explained(plain)
        assert "语接" in plain.hits[0].lanes["lexical"].terms
        assert "接龙" in "".join(told.hits[0].lanes["lexical"].terms)
        assert "语接" not in told.hits[0].lanes["lexical"].terms
        assert told.notes[0].startswith("查询切成词：")
        assert [h.id for h in told.hits] == [h.id for h in plain.hits]
        brain.add_word("青鸟湾工地")
        told = brain.explained(brain.recall("青鸟湾工地的门禁卡"))
        assert told.hits[0].lanes["lexical"].terms[0] == "青鸟湾工地"


HEADED = (
    ("会议纪要2026-11-20：下周三前给出新稿，昨天上线失败了", "昨天=2026-11-19"),
    ("2026年11月20日（周五）\n昨天和供应商谈妥了", "昨天=2026-11-19"),
    ("周会记录 2026/3/4：前天改了网关", "前天=2026-03-02"),
    ("合同2027-03-01到期，昨天续签了", "昨天=2026-11-29"),
    ("昨天定了2026-12-15上线", "昨天=2026-11-29"),
)


@pytest.mark.parametrize(("text", "gloss"), HEADED)
def test_a_text_headed_by_a_day_counts_from_that_day(text: str, gloss: str) -> None:
    """Minutes of last week are pasted today: the block must not give their 昨天 a wrong date."""
    from brain.text.dates.intervals import anchor_note

    said = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    assert gloss in (anchor_note(text, said, UTC) or "")


def test_a_time_alone_brings_out_only_what_is_of_that_time(
    make: Callable[..., Brain], e5: Embedder
) -> None:
    now = datetime(2026, 11, 30, 12, 0).astimezone()
    brain = make(model=e5)
    last_week = brain.add("和供应商谈妥了价格", valid_from="2026-11-25", now=now).id
    others = [
        brain.add("所有项目都用pnpm", now=now).id,
        brain.add("团建去了郊区的农庄", valid_from="2026-09-12", now=now).id,
        brain.add("会议室的投影仪坏了", valid_from="2026-10-12", now=now).id,
    ]
    shown = [h.id for h in brain.inject("上周做了什么", now=now).hits]
    assert shown == [last_week]
    assert not set(others) & set(shown)
    assert any(
        f"#{last_week} 在所问的时间里" in r for r in brain.check("上周做了什么", now=now).reasons
    )


@pytest.mark.parametrize("wrong", [5, None, b"bytes", ["a"], 2.5])
def test_a_wrong_python_type_is_refused_by_code(make: Callable[..., Brain], wrong: object) -> None:
    brain = make()
    for call in (brain.add, brain.recall, brain.check, brain.inject, brain.search):
        with pytest.raises(BrainError) as refused:
            call(wrong)  # type: ignore[operator]
        assert refused.value.code == "brain_type_invalid"


def test_a_gate_variable_that_is_wrong_is_named(
    make: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_GATE", "loud")
    brain = make()
    brain.add("值班群换成青鸟群")
    with pytest.raises(BrainError, match="BRAIN_GATE"):
        brain.check("值班群是哪个")


def test_a_run_under_a_wrong_clock_is_found_and_mended(make: Callable[..., Brain]) -> None:
    brain = make()
    brain.add("值班群换成青鸟群", now=datetime(2026, 1, 1, tzinfo=UTC))
    brain.decay(now=datetime(2099, 1, 1, tzinfo=UTC))
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert brain.decay(now=now).days == 0
    assert "decay_future" in {f.code for f in brain.doctor(now=now).findings}
    assert "decay_future" in brain.doctor(repair=True, now=now).repaired
    assert brain.decay(now=datetime(2026, 12, 3, tzinfo=UTC)).days == pytest.approx(2)


@pytest.mark.parametrize("gap", [timedelta(milliseconds=5), timedelta(hours=1), timedelta(days=1)])
def test_what_has_expired_comes_beside_what_took_its_place(
    make: Callable[..., Brain], gap: timedelta
) -> None:
    """A flag that shows more must not lose the current answer."""
    brain = make()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    old = brain.add("抓取默认用甲服务器青鸟", now=start).id
    new = brain.supersede(old, text="现在走乙", now=start + gap).new
    later = start + timedelta(days=9)
    assert [h.id for h in brain.recall("抓取默认服务器", now=later).hits] == [new]
    both = brain.recall("抓取默认服务器", include_expired=True, now=later)
    assert {h.id for h in both.hits} == {old, new}


def test_a_replacement_is_not_repeated_at_another_instant(make: Callable[..., Brain]) -> None:
    brain = make()
    old = brain.add("值班群是老群", valid_from="2025-01-01").id
    first = brain.supersede(old, text="值班群换成青鸟群", at="2026-03-01")
    assert brain.supersede(old, text="值班群换成青鸟群", at="2026-03-01") == first
    assert brain.supersede(old, text="值班群换成青鸟群") == first
    refused(
        "brain_supersede_time",
        65,
        lambda: brain.supersede(old, text="值班群换成青鸟群", at="2026-04-01"),
    )
    refused("brain_supersede_time", 65, lambda: brain.supersede(old, first.new, at="2026-04-01"))


def test_a_device_is_no_export(make: Callable[..., Brain]) -> None:
    refused("brain_import_unreadable", 74, lambda: make().import_("/dev/zero"))
