"""Everything can leave the file: complete, in order, whole or not at all."""

from __future__ import annotations

import base64
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from brain import Brain, BrainError
from brain.store.sql import rows
from tests.support.cli import Cli
from tests.support.engine import Make
from tests.support.exchange import NOON, ODD_TEXTS, exported, lived, parsed


def test_every_record_leaves_with_every_column(brain: Brain) -> None:
    lived(brain)
    with brain._store.read() as db:
        columns = [row[1] for row in rows(db, "PRAGMA table_info(memories)")]
        stored = rows(db, "SELECT * FROM memories ORDER BY id")
    told = parsed(exported(brain), "memory")
    assert [one["id"] for one in told] == [row[0] for row in stored]
    derived = {"text_sha256"}
    beside = {"tags"}  # in a table of their own
    for one, row in zip(told, stored, strict=True):
        values = {**dict(zip(columns, row, strict=True)), "type": "memory"}
        assert {**values, "pinned": bool(values["pinned"])} == {
            **{name: value for name, value in one.items() if name not in beside},
            **{name: values[name] for name in derived},
        }


@pytest.mark.parametrize(
    ("option", "column", "value", "stored"),
    [
        ("--valid-from", "valid_from", "2024-12-09T00:00:00Z", "2024-12-09T00:00:00.000Z"),
        ("--valid-to", "valid_to", "2031-05-06T00:00:00Z", "2031-05-06T00:00:00.000Z"),
        ("--evidence", "evidence", "合同扫描件", "合同扫描件"),
        ("--source", "source", "chat:周会", "chat:周会"),
        ("--confidence", "confidence", "0.37", 0.37),
        ("--importance", "importance", "0.81", 0.81),
        ("--kind", "kind", "decision", "decision"),
        ("--scope", "scope", "采购", "采购"),
    ],
)
def test_what_was_said_of_a_record_can_be_read_back(
    tmp_path: Path, option: str, column: str, value: str, stored: Any
) -> None:
    cli = Cli(tmp_path)
    cli("add", "供货从十二月九日开始", option, value)
    (told,) = parsed(cli("export").out, "memory")
    assert told[column] == stored
    listed = cli("list", "--all-scopes", "--json").json[0]
    recalled = cli("recall", "供货", "--scope", told["scope"], "--json").json["hits"][0]
    assert listed[column] == recalled[column] == stored
    shown = cli("export", "--format", "markdown").out
    assert json.dumps(stored, ensure_ascii=False) in shown or f"# {stored} <!--" in shown


def test_journal_words_facts_and_spent_ids_leave_too(brain: Brain) -> None:
    ids = lived(brain)
    told = parsed(exported(brain))
    assert told[0]["type"] == "header"
    assert told[0]["last_id"] == ids["last_gone"]
    assert told[-1] == {"type": "end", "lines": len(told) - 1}
    with brain._store.read() as db:
        entries = rows(db, "SELECT at, memory_id, what, why FROM journal ORDER BY id")
    events = [one for one in told if one["type"] == "event"]
    assert [(e["at"], e["memory_id"], e["what"], e["why"]) for e in events] == entries
    assert {"法务发来", "群解散了", "本人更正", "听错了", "每年一次"} <= {e["why"] for e in events}
    words = {one["word"]: (one["freq"], one["tag"]) for one in told if one["type"] == "word"}
    assert words == {"青鸟计划": (100, "n"), "喜鹊": (None, None)}
    assert [one["key"] for one in told if one["type"] == "meta"] == ["last_decay"]


def test_forgotten_text_does_not_leave(brain: Brain) -> None:
    lived(brain)
    assert "马上要忘" not in exported(brain, with_recovery=True)


def test_recovery_records_leave_when_asked(brain: Brain) -> None:
    lived(brain)
    assert not parsed(exported(brain), "original")
    told = parsed(exported(brain, with_recovery=True), "original")
    assert len(told) == 2
    for one in told:
        assert base64.b64decode(one["base64"]) == brain.recover(one["handle"])


def test_each_line_is_one_object_whatever_the_text_holds(brain: Brain) -> None:
    lived(brain)
    text = exported(brain)
    assert text.endswith("\n")
    told = {one["text"] for one in parsed(text, "memory")}
    assert set(ODD_TEXTS) <= told


def test_the_same_file_gives_the_same_bytes(brain: Brain) -> None:
    lived(brain)
    assert exported(brain, with_recovery=True) == exported(brain, with_recovery=True)
    moment = {"format": "markdown", "now": NOON}
    assert exported(brain, **moment) == exported(brain, **moment)


def test_an_export_is_one_moment_and_hinders_nobody(make: Make) -> None:
    brain = make()
    for n in range(50):
        brain.add(f"第 {n} 件小事")
    lines = brain.export()
    first = next(lines)
    brain.add("导出开始以后才说的")
    other = threading.Thread(target=lambda: brain.retract(3))
    other.start()
    other.join()
    told = parsed(first + "".join(lines), "memory")
    assert len(told) == 50
    assert all(one["retracted_at"] is None for one in told)
    assert brain.get(3).retracted_at is not None


def test_an_empty_memory_and_a_missing_file_leave_as_nothing(make: Make, tmp_path: Path) -> None:
    brain = make()
    assert [one["type"] for one in parsed(exported(brain))] == ["header", "end"]
    assert exported(brain, format="markdown") == ""
    assert not (tmp_path / "brain.db").exists()


def test_a_scope_leaves_alone(brain: Brain) -> None:
    lived(brain)
    text = exported(brain, scope="采购")
    (only,) = parsed(text, "memory")
    assert only["scope"] == "采购"
    assert {one["memory_id"] for one in parsed(text, "event")} == {only["id"]}
    assert not parsed(text, "word")
    everyone = {one["scope"] for one in parsed(exported(brain), "memory")}
    assert everyone == {"", "采购", "办公"}


def test_as_of_leaves_what_was_current_then(brain: Brain) -> None:
    ids = lived(brain)
    then = {one["id"] for one in parsed(exported(brain, as_of="2024-06-01"), "memory")}
    assert then == {ids["over"], ids["always"]}
    told = parsed(exported(brain, as_of="2027-06-01"), "memory")
    assert {ids["future"], ids["newest"], ids["right"]} <= {one["id"] for one in told}
    assert not {ids["old"], ids["wrong"], ids["retracted"]} & {one["id"] for one in told}
    newest = next(one for one in told if one["id"] == ids["newest"])
    assert newest["supersedes"] is None  # it names nobody who is not there


def test_markdown_is_one_file_a_kind_in_a_stable_order(brain: Brain, tmp_path: Path) -> None:
    ids = lived(brain)
    done = brain.export_to(tmp_path / "记忆", format="markdown")
    assert done.files == ("episode.md", "fact.md", "note.md", "skill.md")
    notes = (tmp_path / "记忆" / "note.md").read_text(encoding="utf-8")
    assert "仓库的门禁卡在前台登记" in notes.split("\n")
    assert notes.index(f"## #{ids['plain']} ") < notes.index(f"## #{ids['always']} ")
    assert f"## #{ids['retracted']} " not in notes
    before = {p.name: p.read_bytes() for p in (tmp_path / "记忆").iterdir()}
    brain.useful(ids["skill"])
    brain.export_to(tmp_path / "记忆", format="markdown", force=True)
    after = {p.name: p.read_bytes() for p in (tmp_path / "记忆").iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"skill.md"}


def test_a_kind_that_has_gone_takes_its_file_along(brain: Brain, tmp_path: Path) -> None:
    brain.add("先擦镜头再开机", kind="skill")
    brain.add("镜头在左边柜子")
    brain.export_to(tmp_path / "md", format="markdown")
    (tmp_path / "md" / "README.md").write_text("# 我们的记忆\n", encoding="utf-8")
    brain.retract(1)
    brain.export_to(tmp_path / "md", format="markdown", force=True)
    assert sorted(p.name for p in (tmp_path / "md").iterdir()) == ["README.md", "note.md"]


def refused(brain: Brain, path: Path, **how: Any) -> str:
    with pytest.raises(BrainError) as caught:
        brain.export_to(path, **how)
    assert caught.value.exit_code == 73
    return caught.value.code


def test_nothing_is_overwritten_unasked(brain: Brain, tmp_path: Path) -> None:
    brain.add("备用钥匙在花盆下面")
    out = tmp_path / "out.jsonl"
    brain.export_to(out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600 or os.name == "nt"
    before = out.read_bytes()
    brain.add("花盆搬走了")
    assert refused(brain, out) == "brain_export_exists"
    assert out.read_bytes() == before
    brain.export_to(out, force=True)
    assert len(out.read_bytes()) > len(before)
    brain.export_to(tmp_path / "md", format="markdown")
    assert refused(brain, tmp_path / "md", format="markdown") == "brain_export_exists"


def test_what_no_export_wrote_is_never_overwritten_by_markdown(
    brain: Brain, tmp_path: Path
) -> None:
    brain.add("备用钥匙在花盆下面")
    (tmp_path / "md").mkdir()
    (tmp_path / "md" / "note.md").write_text("我自己的笔记\n", encoding="utf-8")
    assert refused(brain, tmp_path / "md", format="markdown", force=True) == "brain_export_exists"
    assert (tmp_path / "md" / "note.md").read_text(encoding="utf-8") == "我自己的笔记\n"


@pytest.mark.parametrize("force", [False, True])
def test_places_that_are_refused(brain: Brain, tmp_path: Path, force: bool) -> None:
    brain.add("备用钥匙在花盆下面")
    target = tmp_path / "real.jsonl"
    target.write_text("别人的", encoding="utf-8")
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    assert refused(brain, link, force=force) == "brain_export_symlink"
    assert target.read_text(encoding="utf-8") == "别人的"
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "to_folder").symlink_to(folder)
    where = tmp_path / "to_folder"
    assert refused(brain, where, format="markdown", force=force) == "brain_export_symlink"
    assert refused(brain, folder, force=force) == "brain_export_write"
    assert refused(brain, tmp_path / "none" / "x.jsonl", force=force) == "brain_export_write"
    assert refused(brain, brain.path, force=force) == "brain_export_write"
    assert refused(brain, Path(f"{brain.path}-wal"), force=force) == "brain_export_write"
    assert brain.get(1).text == "备用钥匙在花盆下面"


def test_an_export_that_breaks_leaves_nothing_behind(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain.exchange import jsonl

    out = tmp_path / "out" / "x.jsonl"
    out.parent.mkdir()
    brain.add("第一条")
    brain.export_to(out)
    before = out.read_bytes()

    def broken(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jsonl, "memory", broken)
    with pytest.raises(BrainError) as caught:
        brain.export_to(out, force=True)
    assert (caught.value.code, caught.value.exit_code) == ("brain_disk_full", 74)
    assert out.read_bytes() == before
    assert [p.name for p in out.parent.iterdir()] == ["x.jsonl"]


def test_the_command_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "全局的一条")
    cli("add", "网站的一条", "--scope", "web")
    whole = cli("export")
    assert (whole.code, whole.err, len(parsed(whole.out, "memory"))) == (0, "", 2)
    here = cli("export", env={"BRAIN_SCOPE": "web"})
    assert [one["scope"] for one in parsed(here.out, "memory")] == ["web"]
    assert "--all-scopes" in here.err
    both = cli("export", "--all-scopes", env={"BRAIN_SCOPE": "web"})
    assert both.out == whole.out
    done = cli("export", "--out", str(tmp_path / "x.jsonl"), "--json")
    assert done.json["added"] == 2
    assert (tmp_path / "x.jsonl").read_text(encoding="utf-8") == whole.out
    assert cli("export", "--out", str(tmp_path / "x.jsonl")).code == 73
    for wrong in (
        ("--format", "xml"),
        ("--json",),
        ("--scope", "web", "--with-recovery"),
        ("--as-of", "2026-01-01", "--with-recovery"),
        ("--scope", "web", "--all-scopes"),
    ):
        assert cli("export", *wrong).code == 2, wrong
    assert cli("export", "--as-of", "去年某天").code == 65
