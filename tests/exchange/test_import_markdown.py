"""Memory edited by hand as Markdown: what was changed is applied, what cannot be is told."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import Brain, BrainError
from brain.embed.protocol import Embedder
from brain.exchange import markdown
from brain.inject import pack
from brain.memory import Memory
from tests.support.cli import Cli
from tests.support.engine import Make
from tests.support.exchange import NOON, ODD_TEXTS, exported, lived

LATER = NOON + timedelta(days=3)


class Folder:
    """An exported folder, and edits in it."""

    def __init__(self, brain: Brain, path: Path) -> None:
        self.brain = brain
        self.path = path
        brain.export_to(path, format="markdown", now=LATER)

    def replace(self, name: str, old: str, new: str) -> None:
        file = self.path / name
        text = file.read_bytes().decode("utf-8")
        assert old in text
        file.write_bytes(text.replace(old, new).encode("utf-8"))

    def append(self, name: str, text: str) -> None:
        with (self.path / name).open("ab") as f:
            f.write(text.encode("utf-8"))

    def drop(self, name: str, number: int) -> None:
        """Removes an entry with its heading."""
        file = self.path / name
        head, *entries = file.read_text(encoding="utf-8").split("\n## ")
        kept = [one for one in entries if not one.startswith(f"#{number} ")]
        assert len(kept) == len(entries) - 1
        file.write_text("\n## ".join([head, *kept]), encoding="utf-8")

    def apply(self, **how: Any) -> Any:
        return self.brain.import_(self.path, now=LATER + timedelta(hours=1), **how)


@pytest.fixture
def folder(brain: Brain, tmp_path: Path) -> Folder:
    for text in ("班车七点半发车", "他住在南门", "打印机在三楼\n\n按两次电源键"):
        brain.add(text, kind="fact", now=NOON)
    brain.add("先擦镜头再开机", kind="skill", scope="相机", importance=0.9, now=NOON)
    return Folder(brain, tmp_path / "记忆")


def entries(text: str, kind: str = "note") -> list[markdown.Entry]:
    return [one for one in markdown.read(text, kind) if isinstance(one, markdown.Entry)]


# The form ------------------------------------------------------------------------------------


def test_every_odd_text_is_in_the_markdown_verbatim(brain: Brain, tmp_path: Path) -> None:
    lived(brain)
    made = Folder(brain, tmp_path / "md")
    told = {
        one.id: one.text
        for path in made.path.iterdir()
        for one in entries(path.read_bytes().decode("utf-8"))
    }
    current = {m.id: m.text for m in brain.list(limit=None, all_scopes=True, now=LATER)}
    assert told == current
    assert len(set(ODD_TEXTS) & set(told.values())) >= len(ODD_TEXTS) - 2
    done = made.apply()
    assert (done.skipped, done.failed, done.changes) == (len(current), 0, ())


ONE = Memory(
    id=1,
    kind="note",
    text="",
    scope="范围 -->",
    source="user",
    importance=0.5,
    confidence=0.5,
    strength=1.0,
    pinned=False,
    valid_from=None,
    valid_to=None,
    recorded_at="",
    retracted_at=None,
    supersedes=None,
    superseded_by=None,
    archived_at=None,
    evidence="依据 --> \n",
    content_hash="0" * 64,
    use_count=0,
    last_used_at=None,
)
PIECES = st.sampled_from(
    ["## 新", "# fact <!-- brain {} -->", "## #1 <!-- brain {} -->", "\\", "\r", "\n", "-->", "文",
     " ", "\ufeff", "\u2028", "##", "<!-- brain", "```"]
)  # fmt: skip


@given(st.lists(st.lists(PIECES, min_size=1, max_size=12).map("".join), min_size=1, max_size=5))
def test_any_mixture_of_marks_reads_back(texts: list[str]) -> None:
    memories = [replace(ONE, id=n, text=text) for n, text in enumerate(texts, 1)]
    heading = markdown.kind_heading("note", markdown.ranges(range(1, len(texts) + 1)))
    text = heading + "".join(map(markdown.entry, memories))
    found = list(markdown.read(text, "x"))
    assert isinstance(found[0], markdown.Kind)
    assert found[0].ids == (range(1, len(texts) + 1),)
    assert [one.text for one in found[1:] if isinstance(one, markdown.Entry)] == texts
    assert all(one.told["scope"] == "范围 -->" for one in entries(text))


def test_all_kinds_on_one_stream_read_back(brain: Brain, tmp_path: Path) -> None:
    lived(brain)
    whole = tmp_path / "全部.md"
    whole.write_bytes(exported(brain, format="markdown", now=LATER).encode("utf-8"))
    done = brain.import_(whole, now=LATER)
    assert (done.failed, done.changes) == (0, ())
    assert done.skipped == len(brain.list(limit=None, all_scopes=True, now=LATER))


# Edits ---------------------------------------------------------------------------------------


def test_a_changed_text_corrects_its_record(folder: Folder) -> None:
    folder.replace("fact.md", "他住在南门", "他住在北门，三单元")
    done = folder.apply(why="当面问的")
    assert (done.corrected, done.skipped, done.failed) == (1, 3, 0)
    (change,) = done.changes
    old, new = folder.brain.get(2), folder.brain.get(change.new)
    assert (old.superseded_by, new.supersedes, new.text) == (new.id, 2, "他住在北门，三单元")
    assert old.retracted_at is not None
    assert (new.valid_from, new.kind) == (old.valid_from, "fact")
    assert {e.why for e in folder.brain.history(2).events} == {"", "当面问的"}
    assert folder.brain.search("北门 三单元", now=LATER + timedelta(days=1)).hits[0].id == new.id


def test_a_changed_text_supersedes_when_the_world_changed(folder: Folder) -> None:
    folder.replace("fact.md", "班车七点半发车", "班车七点发车")
    done = folder.apply(supersede=True)
    (change,) = done.changes
    old, new = folder.brain.get(1), folder.brain.get(change.new)
    assert (done.superseded, old.retracted_at) == (1, None)
    assert old.valid_to == new.valid_from == "2026-03-05T05:00:00.000Z"
    assert old.superseded_by == new.id


def test_a_new_entry_is_added_with_what_its_heading_says(folder: Folder) -> None:
    folder.append("fact.md", "\n## 新\n\n食堂周五有面\n两个窗口\n\n")
    folder.append(
        "skill.md",
        '\n## 新 <!-- brain {"scope":"相机","importance":0.8,"since":"2026-01-01",'
        '"pinned":true,"evidence":"说明书"} -->\n换电池先关机\n',
    )
    done = folder.apply()
    assert (done.added, done.failed) == (2, 0)
    plain, full = (folder.brain.get(change.new) for change in done.changes)
    assert (plain.text, plain.kind, plain.scope) == ("食堂周五有面\n两个窗口", "fact", "")
    assert (full.text, full.kind, full.scope) == ("换电池先关机", "skill", "相机")
    assert (full.importance, full.pinned, full.evidence) == (0.8, True, "说明书")
    assert full.valid_from == "2026-01-01T00:00:00.000Z" or full.valid_from is not None


def test_a_removed_entry_is_told_and_retracted_only_when_asked(folder: Folder) -> None:
    folder.drop("fact.md", 2)
    done = folder.apply()
    assert (done.missing, done.retracted, done.skipped) == (1, 0, 3)
    assert folder.brain.get(2).retracted_at is None
    done = folder.apply(retract_missing=True, why="评审删掉")
    assert (done.missing, done.retracted) == (0, 1)
    assert folder.brain.get(2).retracted_at is not None
    assert folder.apply(retract_missing=True).changes == ()


def test_what_came_after_the_export_is_not_missing(folder: Folder) -> None:
    folder.brain.add("导出以后记的", kind="fact", now=LATER)
    folder.brain.add("另一类的", kind="note", now=LATER)
    done = folder.apply(retract_missing=True)
    assert (done.missing, done.retracted, done.failed) == (0, 0, 0)


def test_what_another_scope_has_is_not_missing(brain: Brain, tmp_path: Path) -> None:
    brain.add("网站的", scope="web", now=NOON)
    brain.add("全局的", now=NOON)
    brain.add("网站的另一条", scope="web", now=NOON)
    brain.export_to(tmp_path / "md", format="markdown", scope="web", now=LATER)
    done = brain.import_(tmp_path / "md", retract_missing=True, now=LATER)
    assert (done.skipped, done.retracted) == (2, 0)


def test_a_pinned_record_is_not_retracted(folder: Folder) -> None:
    folder.brain.pin(2, now=LATER)
    folder.drop("fact.md", 2)
    done = folder.apply(retract_missing=True)
    assert (done.retracted, done.failed) == (0, 1)
    assert "钉住" in done.errors[0].reason
    assert folder.brain.get(2).retracted_at is None


def test_applying_twice_changes_nothing_the_second_time(folder: Folder) -> None:
    folder.replace("fact.md", "他住在南门", "他住在北门")
    folder.append("fact.md", "\n## 新\n食堂周五有面\n")
    first = folder.apply()
    assert (first.corrected, first.added) == (1, 1)
    held = exported(folder.brain)
    again = folder.apply()
    assert (again.changes, again.failed) == ((), 0)
    assert exported(folder.brain) == held


def test_the_dry_run_is_the_plan_and_changes_nothing(folder: Folder) -> None:
    folder.replace("fact.md", "他住在南门", "他住在北门")
    folder.append("fact.md", "\n## 新\n食堂周五有面\n")
    folder.drop("skill.md", 4)
    held = exported(folder.brain)
    planned = folder.apply(dry_run=True, retract_missing=True)
    assert exported(folder.brain) == held
    done = folder.apply(retract_missing=True)
    said = [(c.what, c.id, c.before, c.after, c.file, c.line) for c in planned.changes]
    assert said == [(c.what, c.id, c.before, c.after, c.file, c.line) for c in done.changes]
    assert [what for what, *_ in said] == ["correct", "add", "retract"]


def conflicting(what: str, brain: Brain) -> None:
    match what:
        case "superseded":
            brain.supersede(2, text="他搬走了", now=LATER)
        case "corrected":
            brain.correct(2, "他住在西门", now=LATER)
        case "retracted":
            brain.retract(2, now=LATER)
        case "expired":
            brain.expire(2, now=LATER)
        case "forgotten":
            brain.forget(2, now=LATER)


@pytest.mark.parametrize("what", ["superseded", "corrected", "retracted", "expired", "forgotten"])
def test_a_record_that_changed_since_is_a_conflict_and_the_rest_is_done(
    folder: Folder, what: str
) -> None:
    folder.replace("fact.md", "他住在南门", "他住在北门")
    folder.replace("fact.md", "班车七点半发车", "班车七点发车")
    conflicting(what, folder.brain)
    done = folder.apply()
    assert (done.corrected, done.failed) == (1, 1)
    fault = done.errors[0]
    assert (fault.file, "#2" in fault.reason) == ("fact.md", True)
    heading = (folder.path / "fact.md").read_text(encoding="utf-8").split("\n")[fault.line - 1]
    assert heading.startswith("## #2 ")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"hash":"', '"hash":"0', "hash"),
        ('"hash":"', '"other":"', "hash"),
        ("## #2 <!-- brain {", "## #2 <!-- brain ", "看不懂"),
        ("## #2 <!-- brain", "## #99 <!-- brain", "#99"),
        ("## #2 <!-- brain", "## #1 <!-- brain", "两次"),
        ("他住在南门", "  \n", "空的"),
        ("他住在南门", pack.OPENING, "brain"),
        ("他住在南门", "长" * 90_000, "256 KiB"),
        ("他住在南门", "a\0b", "NUL"),
    ],
)
def test_an_entry_that_cannot_be_applied_is_told_with_its_line(
    folder: Folder, old: str, new: str, told: str
) -> None:
    file = folder.path / "fact.md"
    head, middle, tail = file.read_text(encoding="utf-8").partition("## #2 ")
    file.write_text(head + (middle + tail).replace(old, new, 1), encoding="utf-8")
    before = {m.id: m for m in folder.brain.list(all=True, all_scopes=True)}
    done = folder.apply(retract_missing=False)
    assert any(told in fault.reason and fault.line > 1 for fault in done.errors), done.errors
    assert (done.corrected, done.added, done.retracted) == (0, 0, 0)
    assert {m.id: m for m in folder.brain.list(all=True, all_scopes=True)} == before


def test_under_a_broken_heading_nothing_is_taken_for_removed(folder: Folder) -> None:
    folder.replace("fact.md", "## #2 <!-- brain {", "## #2 <!-- brain ")
    done = folder.apply(retract_missing=True)
    assert (done.failed, done.retracted, done.missing) == (1, 0, 0)
    assert folder.brain.get(2).retracted_at is None


def test_a_broken_list_of_ids_takes_nothing_for_removed(folder: Folder) -> None:
    folder.replace("fact.md", '"ids":"1-3"', '"ids":"1-x"')
    folder.drop("fact.md", 2)
    done = folder.apply(retract_missing=True)
    assert (done.failed, done.retracted) == (1, 0)


def test_an_entry_moved_to_another_kind_or_copied_is_told(folder: Folder) -> None:
    text = (folder.path / "skill.md").read_text(encoding="utf-8")
    entry = text[text.index("## #4 ") :]
    folder.append("fact.md", "\n" + entry)
    done = folder.apply()
    assert (done.failed, done.changes) == (2, ())
    assert "类型" in done.errors[0].reason
    assert "两次" in done.errors[1].reason


def test_an_edited_heading_is_told_not_taken(folder: Folder) -> None:
    folder.replace("skill.md", '"importance":0.9', '"importance":0.1')
    done = folder.apply()
    assert (done.failed, done.skipped) == (1, 4)
    assert "importance" in done.errors[0].reason
    assert folder.brain.get(4).importance == 0.9


@pytest.mark.parametrize("tool", ["crlf", "bom", "trimmed", "no_end"])
def test_what_editors_do_to_a_file_is_no_edit(folder: Folder, tool: str) -> None:
    for path in folder.path.iterdir():
        data = path.read_bytes()
        match tool:
            case "crlf":
                data = data.replace(b"\n", b"\r\n")
            case "bom":
                data = b"\xef\xbb\xbf" + data
            case "trimmed":
                data = b"\n".join(line.rstrip() for line in data.split(b"\n"))
            case "no_end":
                data = data.rstrip(b"\n")
        path.write_bytes(data)
    done = folder.apply(retract_missing=True)
    assert (done.skipped, done.failed, done.changes) == (4, 0, ())


def test_an_edit_in_a_file_of_crlf_stores_plain_newlines(folder: Folder) -> None:
    folder.replace("fact.md", "\n按两次电源键", "\n按一次\n电源键")
    path = folder.path / "fact.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (change,) = folder.apply().changes
    assert folder.brain.get(change.new).text == "打印机在三楼\n\n按一次\n电源键"


def test_a_file_that_is_not_utf8_is_told_and_not_read(folder: Folder) -> None:
    path = folder.path / "fact.md"
    path.write_bytes(path.read_text(encoding="utf-8").encode("gb18030"))
    done = folder.apply(retract_missing=True)
    assert (done.failed, done.retracted, done.skipped) == (1, 0, 1)
    assert "UTF-8" in done.errors[0].reason


def test_other_files_in_the_folder_do_no_harm(folder: Folder) -> None:
    (folder.path / "README.md").write_text("# 说明\n\n这里是记忆。\n", encoding="utf-8")
    (folder.path / ".git").mkdir()
    (folder.path / "图.png").write_bytes(b"\x89PNG")
    done = folder.apply(retract_missing=True)
    assert (done.skipped, done.failed, done.changes) == (4, 0, ())


@pytest.mark.skipif(os.name == "nt", reason="needs a privilege there")
def test_a_link_that_leads_out_is_named_and_the_rest_is_done(
    folder: Folder, tmp_path: Path
) -> None:
    away = tmp_path / "别处.md"
    away.write_text("## 新\n别处的一条\n", encoding="utf-8")
    (folder.path / "lure.md").symlink_to(away)
    (folder.path / "gone.md").symlink_to(tmp_path / "没有.md")
    (folder.path / "same.md").symlink_to(folder.path / "fact.md")
    folder.append("fact.md", "\n## 新\n食堂在二楼\n")
    done = folder.apply()
    assert (done.added, done.failed) == (1, 2)
    assert [(e.file, "链接" in e.reason) for e in done.errors] == [
        ("gone.md", True),
        ("lure.md", True),
    ]
    assert "别处的一条" not in {m.text for m in folder.brain.list(limit=None)}
    linked = folder.path / "only"
    linked.mkdir()
    (linked / "lure.md").symlink_to(away)
    alone = folder.brain.import_(linked, now=LATER)
    assert (alone.added, alone.failed) == (0, 1)


def test_a_folder_without_markdown_is_refused(make: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BrainError) as caught:
        make().import_(tmp_path / "empty")
    assert (caught.value.code, caught.value.exit_code) == ("brain_import_format", 65)


def test_into_an_empty_file_every_entry_is_new(folder: Folder, make: Make) -> None:
    new = make("new.db")
    done = new.import_(folder.path, now=LATER)
    assert (done.added, done.failed) == (4, 0)
    told = {m.text: m for m in new.list(all_scopes=True, now=LATER)}
    for memory in folder.brain.list(all_scopes=True, now=LATER):
        other = told[memory.text]
        assert (other.kind, other.scope, other.importance, other.valid_from) == (
            memory.kind, memory.scope, memory.importance, memory.valid_from
        )  # fmt: skip


def test_all_of_it_is_one_transaction(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    from brain.lifecycle import lineage

    folder.append("fact.md", "\n## 新\n食堂周五有面\n")
    folder.replace("skill.md", "先擦镜头再开机", "先擦镜头")
    held = exported(folder.brain)

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lineage, "correct", broken)
    with pytest.raises(KeyboardInterrupt):
        folder.apply()
    assert exported(folder.brain) == held


def test_what_was_edited_gets_vectors(make: Make, tmp_path: Path, e5: Embedder) -> None:
    brain = make(model=e5)
    brain.add("班车七点半发车", kind="fact", now=NOON)
    folder = Folder(brain, tmp_path / "md")
    folder.replace("fact.md", "七点半", "八点")
    assert folder.apply().vectors == 1
    assert brain.stats().vectors_missing == 0


def test_the_command_line_shows_the_plan_first(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "班车七点半发车", "--kind", "fact")
    cli("export", "--format", "markdown", "--out", "记忆")
    file = tmp_path / "记忆" / "fact.md"
    file.write_text(file.read_text(encoding="utf-8").replace("七点半", "七点"), encoding="utf-8")
    told = ["更正 #1（fact.md:4）", "  - 班车七点半发车", "  + 班车七点发车"]
    planned = cli("import", "记忆", "--dry-run")
    assert planned.out.splitlines() == [*told, "会新增 0，更正 1，不用改 0"]
    assert cli("show", "1", "--json").json["retracted_at"] is None
    done = cli("import", "记忆")
    assert done.out.splitlines() == [*told, "新增 0，更正 1，不用改 0"]
    assert cli("show", "1", "--json").json["superseded_by"] == 2
    assert cli("import", "记忆", "--json").json["changes"] == []
