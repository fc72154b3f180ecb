"""Guards around the file and the input, each after a fault that somebody found by hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from engine_parts import refused

from brain import Brain


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
    from brain.recall import evidence

    cut: list[int] = []
    real = evidence.index_terms
    monkeypatch.setattr(evidence, "index_terms", lambda f: cut.append(len(f)) or real(f))
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for n in range(5):
            brain.add(f"第{n}份日志，" + "服务一切正常，没有告警。" * 2000 + f"末尾是灯塔{n}号")
        cut.clear()
        hits = brain.recall("灯塔3号").hits
    assert hits[0].id == 4
    assert max(cut, default=0) <= evidence.CUT_WHOLE


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
