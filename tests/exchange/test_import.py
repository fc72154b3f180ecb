"""What left the file comes back as it was, once, and says where it could not."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import Brain, BrainError
from brain.embed.protocol import Embedder
from brain.exchange import export_jsonl, jsonl
from brain.memory import DERIVED, Memory
from brain.store.sql import rows
from tests.support.cli import PROGRAM, Cli
from tests.support.engine import Make, refused
from tests.support.exchange import NOON, ODD_TEXTS, exported, lived, parsed

Edit = Callable[[list[dict[str, Any]]], None]


def stream(text: str | bytes) -> io.BytesIO:
    return io.BytesIO(text if isinstance(text, bytes) else text.encode("utf-8"))


def lines(*values: dict[str, Any], last_id: int | None = None) -> str:
    """An export made by hand: header, the values, end."""
    head = {"type": "header", "format": "brain", "version": 1, "last_id": last_id}
    body = [head, *values, {"type": "end", "lines": len(values) + 1}]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in body)


def record(number: int, text: str, **more: Any) -> dict[str, Any]:
    at = "2026-01-05T08:00:00.000Z"
    return {"type": "memory", "id": number, "text": text, "recorded_at": at, **more}


# Into a file that never held a record -------------------------------------------------------


@pytest.mark.parametrize("with_recovery", [True, False])
def test_export_import_export_is_byte_identical(make: Make, with_recovery: bool) -> None:
    old, new = make("old.db"), make("new.db")
    lived(old)
    text = exported(old, with_recovery=with_recovery)
    done = new.import_(stream(text))
    assert (done.failed, done.skipped, done.words) == (0, 0, 2)
    assert done.added == len(parsed(text, "memory"))
    assert exported(new, with_recovery=with_recovery) == text


@pytest.mark.parametrize(
    "how", [{"scope": "采购"}, {"as_of": "2027-06-01"}, {"as_of": "2024-06-01"}]
)
def test_a_part_comes_back_byte_identical_too(make: Make, how: dict[str, str]) -> None:
    old, new = make("old.db"), make("new.db")
    lived(old)
    text = exported(old, **how)
    assert new.import_(stream(text)).failed == 0
    assert exported(new, **how) == text


def test_every_state_and_its_history_are_what_they_were(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    ids = lived(old)
    new.import_(stream(exported(old, with_recovery=True)))
    assert new.stats(now=NOON).to_dict() == {
        **old.stats(now=NOON).to_dict(),
        "bytes": new.stats(now=NOON).bytes,
    }
    for name, number in ids.items():
        if "gone" in name:
            with pytest.raises(BrainError, match="已经遗忘"):
                new.get(number)
            continue
        assert new.get(number) == old.get(number)
        assert new.history(number) == old.history(number)
    assert [m.id for m in new.history(ids["old"]).history] == [
        ids["old"], ids["new"], ids["newest"]
    ]  # fmt: skip
    assert new.doctor().exit_code == 0


def test_the_same_questions_get_the_same_answers_and_handles(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    old.add("长长的操作手册：" + "先关总闸再开柜门，等指示灯灭。" * 200, now=NOON)
    lived(old)
    new.import_(stream(exported(old, with_recovery=True)))
    for question in ("值班群是哪个群", "操作手册 指示灯", "花生", "合同几号供货", "没人问过的事"):
        asked = {"scope": "采购", "now": NOON + timedelta(days=2)}
        assert new.inject(question, **asked) == old.inject(question, **asked)
    hit = old.recall("操作手册 指示灯").hits[0]
    assert hit.recovery_handle is not None
    assert new.recover(hit.recovery_handle) == old.recover(hit.recovery_handle)


def test_no_forgotten_id_is_given_again(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    ids = lived(old)
    new.import_(stream(exported(old)))
    assert new.add("导入以后才记的").id == ids["last_gone"] + 1
    empty = make("empty.db")
    only = make("only.db")
    only.forget(only.add("唯一的一条").id)
    empty.import_(stream(exported(only)))
    assert empty.add("头一条").id == 2


def test_through_a_pipe_between_two_processes(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    with Brain.open(cli.db, model="none") as brain:
        lived(brain)
        text = exported(brain)
    out = subprocess.Popen(
        [sys.executable, str(PROGRAM), "export"], stdout=subprocess.PIPE, env=cli.env()
    )
    new = tmp_path / "new.db"
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "import", "-", "--db", str(new), "--json"],
        stdin=out.stdout, capture_output=True, env=cli.env(), check=True,
    )  # fmt: skip
    assert out.wait() == 0
    assert json.loads(done.stdout)["added"] == len(parsed(text, "memory"))
    assert cli("export", "--db", str(new)).out == text


@settings(max_examples=25)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
        .filter(lambda t: bool(t.strip())),
        min_size=1, max_size=8,
    ),
    number=st.floats(0, 1),
)  # fmt: skip
def test_any_text_and_number_survives(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], number: float
) -> None:
    folder = tmp_path_factory.mktemp("any")
    with (
        Brain.open(folder / "a.db", model="none") as old,
        Brain.open(folder / "b.db", model="none") as new,
    ):
        for text in texts:
            with suppress(BrainError):  # of invisible characters alone
                old.add(text, importance=number, confidence=number)
        line = exported(old)
        assert new.import_(stream(line)).failed == 0
        assert exported(new) == line
        assert [m.text for m in new.list()] == [m.text for m in old.list()]


# Into a file that has memories --------------------------------------------------------------


def test_beside_other_memories_ids_change_and_links_hold(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    ids = lived(old)
    for n in range(3):
        new.add(f"本来就有的第 {n} 条", now=NOON)
    text = exported(old, with_recovery=True)
    done = new.import_(stream(text))
    assert (done.added, done.failed) == (len(parsed(text, "memory")), 0)
    moved = {m.text: m for m in new.list(all=True, all_scopes=True, limit=None)}
    assert len(moved) == done.added + 3
    for name, number in ids.items():
        if "gone" in name:
            continue
        before = old.get(number)
        after = moved[before.text]
        links = ("id", "supersedes", "superseded_by")
        assert {k: v for k, v in after.to_dict().items() if k not in links} == {
            k: v for k, v in before.to_dict().items() if k not in links
        }
        lines_before, lines_after = old.history(number), new.history(after.id)
        assert [m.text for m in lines_after.history] == [m.text for m in lines_before.history]
        assert [(e.at, e.what, e.why) for e in lines_after.events] == [
            (e.at, e.what, e.why) for e in lines_before.events
        ]
    assert new.doctor().exit_code == 0


@pytest.mark.parametrize("before", [0, 3])
def test_the_same_export_twice_adds_nothing_twice(make: Make, before: int) -> None:
    old, new = make("old.db"), make("new.db")
    lived(old)
    for n in range(before):
        new.add(f"本来就有的第 {n} 条", now=NOON)
    text = exported(old, with_recovery=True)
    added = new.import_(stream(text)).added
    held = exported(new, with_recovery=True)
    again = new.import_(stream(text))
    assert (again.added, again.skipped, again.words, again.originals) == (0, added, 0, 0)
    assert (again.superseded, again.corrected, again.failed) == (0, 0, 0)
    assert exported(new, with_recovery=True) == held


def test_several_records_alike_stay_several(make: Make) -> None:
    twice = [record(n, "同一刻说了两遍", valid_to="2026-02-01T00:00:00.000Z") for n in (1, 2)]
    text = lines(*twice, record(3, "同一刻说了两遍", kind="fact"))
    new = make()
    new.add("别的")
    assert new.import_(stream(text)).added == 3
    assert new.import_(stream(text)).skipped == 3
    assert new.stats().total == 4


def test_what_is_current_here_already_is_not_added_again(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    old.add("门禁密码贴在抽屉里")
    mine = new.add("门禁密码贴在抽屉里").id
    done = new.import_(stream(exported(old)))
    assert (done.added, done.skipped) == (0, 1)
    assert [m.id for m in new.list()] == [mine]


def test_a_newer_export_goes_on_where_the_last_one_ended(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    new.add("别的")
    for name in ("班车七点半发车", "他住在南门", "没变的一条"):
        old.add(name, now=NOON)
    new.import_(stream(exported(old)))
    old.supersede(1, text="班车改到七点发车", now=NOON + timedelta(days=1))
    old.correct(2, "他住在北门", now=NOON + timedelta(days=1))
    done = new.import_(stream(exported(old)))
    assert (done.added, done.superseded, done.corrected, done.failed) == (2, 1, 1, 0)
    told = {m.text: m for m in new.list(all=True)}
    for before, after in (("班车七点半发车", "班车改到七点发车"), ("他住在南门", "他住在北门")):
        assert told[before].superseded_by == told[after].id
        assert told[after].supersedes == told[before].id
    assert told["班车七点半发车"].valid_to == "2026-03-03T04:00:00.000Z"
    assert told["他住在南门"].retracted_at == "2026-03-03T04:00:00.000Z"
    assert new.import_(stream(exported(old))).skipped == 5
    assert new.doctor().exit_code == 0


def test_two_heirs_of_one_record_are_told_and_not_joined(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    old.add("班车七点半发车", now=NOON)
    new.add("别的")
    new.import_(stream(exported(old)))
    old.supersede(1, text="班车改到七点发车", now=NOON + timedelta(days=1))
    mine = new.supersede(2, text="班车停运了", now=NOON + timedelta(days=2)).new
    done = new.import_(stream(exported(old)))
    assert (done.added, done.superseded, done.failed) == (1, 0, 1)
    assert done.errors[0].line > 1
    assert new.get(2).superseded_by == mine
    assert new.doctor().exit_code == 0


def test_what_was_forgotten_here_does_not_come_back(make: Make) -> None:
    brain = make()
    brain.add("留着的一句", now=NOON)
    brain.add("要忘掉的一句", now=NOON + timedelta(seconds=1))
    text = exported(brain)
    brain.forget(2)
    done = brain.import_(stream(text))
    assert (done.added, done.skipped, done.failed) == (0, 1, 1)
    assert "遗忘" in done.errors[0].reason
    assert "要忘掉" not in exported(brain)


# Vectors --------------------------------------------------------------------------------------


def test_vectors_follow_an_import(make: Make, e5: Embedder) -> None:
    old = make("old.db")
    lived(old)
    new = make("new.db", model=e5)
    done = new.import_(stream(exported(old)))
    assert done.vectors > 0
    assert new.stats().vectors_missing == 0
    hits = new.recall("同事都在哪个群里值班", now=NOON + timedelta(days=3)).hits
    assert "semantic" in hits[0].lanes
    assert hits[0].text == "值班群换成喜鹊群"
    assert exported(new) == exported(old)
    assert new.import_(stream(exported(old))).vectors == 0


class Failing:
    """A model that breaks after its first batch."""

    name = "failing"
    dim = 4

    def embed_documents(self, texts: list[str]) -> Any:
        raise RuntimeError("native library")

    def embed_query(self, text: str) -> Any:
        raise RuntimeError("native library")


def test_a_model_that_breaks_costs_no_text(make: Make) -> None:
    old = make("old.db")
    lived(old)
    new = make("new.db", model=Failing())  # type: ignore[arg-type]
    done = new.import_(stream(exported(old)))
    assert (done.failed, done.vectors) == (0, 0)
    assert done.pending == new.stats().vectors_missing > 0
    assert new.search("门禁卡 前台", now=NOON + timedelta(days=2)).hits[0].id == 1


def test_text_is_found_without_a_model(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    lived(old)
    new.import_(stream(exported(old)))
    assert new.stats().model is None
    assert new.search("门禁卡 前台", now=NOON + timedelta(days=2)).hits[0].id == 1


# Dry runs and breaks ----------------------------------------------------------------------------


@pytest.mark.parametrize("before", [0, 2])
def test_a_dry_run_says_the_same_and_changes_nothing(make: Make, before: int) -> None:
    old, new = make("old.db"), make("new.db")
    lived(old)
    for n in range(before):
        new.add(f"本来就有的第 {n} 条", now=NOON)
    text = exported(old, with_recovery=True)
    held = exported(new)
    planned = new.import_(stream(text), dry_run=True)
    assert exported(new) == held
    assert new.path.exists() == bool(before)
    done = new.import_(stream(text))
    told = {**done.to_dict(), "dry_run": True, "vectors": 0}
    assert planned.to_dict() == told


def test_a_break_leaves_the_file_as_it_was(make: Make, tmp_path: Path) -> None:
    old, new = make("old.db"), make("new.db")
    lived(old)
    new.add("本来就有的")
    held = exported(new)
    for n in range(600):
        old.add(f"第 {n} 件小事")
    out = tmp_path / "x.jsonl"
    old.export_to(out)

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "read" and done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        new.import_(out, progress=stop)
    assert exported(new) == held
    assert new.import_(out).failed == 0


# Bad input ------------------------------------------------------------------------------------


GOOD = lines(record(1, "好的一条"), record(2, "另一条"))


@pytest.mark.parametrize(
    ("text", "code", "exit_code"),
    [
        (b"", "brain_import_format", 65),
        (b"\n\n", "brain_import_format", 65),
        (b"\xff\xfe\x00", "brain_import_format", 65),
        (b"not json\n", "brain_import_format", 65),
        (b"[1, 2]\n", "brain_import_format", 65),
        (b'{"text": "mem0"}\n', "brain_import_format", 65),
        (b'{"type": "header", "format": "other", "version": 1}\n', "brain_import_format", 65),
        (b'{"type": "header", "format": "brain", "version": "1"}\n', "brain_import_format", 65),
        (b"[" * 100_000, "brain_import_format", 65),
        (b'{"type": "header", "format": "brain", "version": 2}\n', "brain_import_newer", 78),
    ],
)
def test_what_is_no_export_is_refused_and_makes_no_file(
    make: Make, text: bytes, code: str, exit_code: int
) -> None:
    brain = make()
    with pytest.raises(BrainError) as caught:
        brain.import_(stream(text))
    assert (caught.value.code, caught.value.exit_code) == (code, exit_code)
    assert not brain.path.exists()


BAD_LINES: tuple[bytes, ...] = (
    b"{",
    b"nonsense",
    b"[]",
    b"42",
    b'"text"',
    b"\xff\xfe\xfa",
    b"[" * 50_000,
    b'{"type": "unheard of"}',
    b'{"type": ["memory"]}',
    b"9" * 10_000,
    *(
        json.dumps({**record(9, "坏的一条"), name: value}).encode()
        for name, value in (
            ("id", 0), ("id", -1), ("id", True), ("id", "9"), ("id", 2**62), ("id", 1.5),
            ("text", ""), ("text", "  "), ("text", None), ("text", "a\0b"), ("text", "\ud800"),
            ("text", "长" * 100_000), ("kind", "Bad Kind"), ("kind", 7), ("scope", "a\nb"),
            ("importance", 2), ("importance", "1"), ("confidence", -0.1), ("strength", True),
            ("pinned", 1), ("valid_from", "昨天"), ("valid_to", "2026-13-01T00:00:00.000Z"),
            ("recorded_at", None), ("recorded_at", "2026-01-05"), ("supersedes", "1"),
            ("use_count", -1), ("content_hash", "0" * 64), ("evidence", "长" * 3000),
        )
    ),
    b'{"type": "memory", "id": 9, "text": "x", "recorded_at": "2026-01-05T08:00:00.000Z",'
    b' "importance": NaN}',
    b'{"type": "event", "at": "2026-01-05T08:00:00.000Z", "what": "add", "detail": []}',
    b'{"type": "event", "at": "2026-01-05T08:00:00.000Z", "what": "add",'
    b' "detail": {"supersedes": 3}}',
    b'{"type": "event", "at": "2026-01-05T08:00:00.000Z", "what": "add", "detail": {"x": 1e999}}',
    b'{"type": "event", "what": "add"}',
    b'{"type": "word", "word": "", "added_at": "2026-01-05T08:00:00.000Z"}',
    b'{"type": "word", "word": "a b", "added_at": "2026-01-05T08:00:00.000Z"}',
    b'{"type": "meta", "key": "last_decay", "value": 5}',
    b'{"type": "original", "handle": "ccr_x", "base64": "***"}',
)  # fmt: skip


@pytest.mark.parametrize("bad", BAD_LINES, ids=range(len(BAD_LINES)))
@pytest.mark.parametrize("before", [0, 1])
def test_a_bad_line_is_told_with_its_number_and_the_rest_comes_in(
    make: Make, bad: bytes, before: int
) -> None:
    brain = make()
    for n in range(before):
        brain.add(f"本来就有的第 {n} 条")
    given = GOOD.encode().split(b"\n")
    given[-2] = b'{"type":"end","lines":4}'
    given.insert(2, bad)
    done = brain.import_(stream(b"\n".join(given)))
    assert [fault.line for fault in done.errors] == [3]
    assert done.errors[0].reason.endswith("。")
    assert done.added == 2
    assert brain.stats().total == before + 2
    assert brain.history(1 + before).history
    assert brain.add("往后照常").id == before + 3


def test_a_line_too_long_is_passed_over(make: Make) -> None:
    given = GOOD.encode().split(b"\n")
    given[-2] = b'{"type":"end","lines":4}'
    given.insert(2, b'{"type":"memory","text":"' + b"x" * jsonl.LONGEST_LINE * 2 + b'"}')
    brain = make()
    done = brain.import_(stream(b"\n".join(given)))
    assert [fault.line for fault in done.errors] == [3]
    assert (done.added, brain.stats().total) == (2, 2)


@pytest.mark.parametrize("cut", [-1, -2, -3])
def test_a_file_cut_short_is_told(make: Make, cut: int) -> None:
    text = "".join(GOOD.splitlines(keepends=True)[:cut])
    done = make().import_(stream(text))
    assert any("不完整" in fault.reason for fault in done.errors)


def test_a_line_lost_in_the_middle_is_told(make: Make) -> None:
    kept = GOOD.splitlines(keepends=True)
    done = make().import_(stream("".join(kept[:1] + kept[2:])))
    assert any("结束行" in fault.reason for fault in done.errors)


def test_bom_crlf_and_blank_lines_do_no_harm(make: Make) -> None:
    brain = make()
    text = "\ufeff" + GOOD.replace("\n", "\r\n\r\n")
    assert brain.import_(stream(text)).failed == 0
    assert brain.get(1).text == "好的一条"


def test_the_same_number_twice_is_told(make: Make) -> None:
    done = make().import_(stream(lines(record(1, "头一条"), record(1, "又一条"))))
    assert (done.added, [fault.line for fault in done.errors]) == (1, [3])


def test_a_link_to_nobody_is_cut_and_told(make: Make) -> None:
    brain = make()
    done = brain.import_(stream(lines(record(5, "接着谁的", supersedes=4), last_id=5)))
    assert [fault.line for fault in done.errors] == [2]
    assert brain.get(5).supersedes is None


def test_recovery_records_in_parts_and_broken_ones(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "PART_BYTES", 300)
    old = make("old.db")
    done = old.compress("\n".join(f"第 {n} 行" for n in range(300)), now=NOON)
    assert done.handle is not None
    text = exported(old, with_recovery=True)
    assert len(parsed(text, "original")) > 3
    new = make("new.db")
    assert new.import_(stream(text)).originals == 1
    assert new.recover(done.handle) == old.recover(done.handle)
    kept = text.splitlines(keepends=True)
    for broken in (kept[:2] + kept[3:], kept[:-2] + kept[-1:], kept[:1] + kept[2:]):
        other = make(f"broken{len(broken)}{broken[1][-20:-3]}.db".replace("/", "_"))
        told = other.import_(stream("".join(broken)))
        assert (told.originals, told.failed > 0) == (0, True)


def test_a_full_recovery_store_is_told(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    old = make("old.db")
    old.compress("\n".join(f"第 {n} 行" for n in range(300)), now=NOON)
    text = exported(old, with_recovery=True)
    monkeypatch.setenv("BRAIN_CCR_MAX_BYTES", "100")
    done = make("new.db").import_(stream(text))
    assert (done.originals, done.failed) == (0, 1)


def test_an_original_of_no_bytes_survives(make: Make) -> None:
    old, new = make("old.db"), make("new.db")
    old.compress(b"", now=NOON)
    text = exported(old, with_recovery=True)
    assert new.import_(stream(text)).failed == 0
    assert exported(new, with_recovery=True) == text


def test_no_file_no_folder(make: Make, tmp_path: Path) -> None:
    for missing in (tmp_path / "none.jsonl", tmp_path / "none.md", tmp_path / "a" / "b"):
        with pytest.raises(BrainError) as caught:
            make().import_(missing)
        assert (caught.value.code, caught.value.exit_code) == ("brain_import_missing", 66)


def test_every_column_is_read_back(make: Make) -> None:
    """A column that is added to a record and forgotten here would be lost in silence."""
    old, new = make("old.db"), make("new.db")
    lived(old)
    told = parsed(exported(old), "memory")
    # What was looked at has lines of its own.
    columns = set(Memory.__dataclass_fields__) - set(DERIVED)
    assert all(one.keys() - {"type"} == columns for one in told)
    new.import_(stream(exported(old)))
    with old._store.read() as a, new._store.read() as b:
        query = "SELECT * FROM memories ORDER BY id"
        assert rows(a, query) == rows(b, query)
    assert set(ODD_TEXTS) <= {m.text for m in new.list(all=True, limit=None)}
    assert export_jsonl.KEPT_FACTS


def test_the_command_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / "x.jsonl").write_text(GOOD, encoding="utf-8")
    planned = cli("import", "x.jsonl", "--dry-run", "--json")
    assert (planned.json["added"], planned.json["dry_run"]) == (2, True)
    assert not cli.db.exists()
    done = cli("import", "x.jsonl", "--json").json
    assert {"source", "format", "added", "skipped", "superseded", "errors"} <= done.keys()
    assert (done["format"], done["added"]) == ("jsonl", 2)
    again = cli("import", "x.jsonl")
    assert (again.code, again.out) == (0, "新增 0，不用改 2\n")
    assert cli("import", "none.jsonl").code == 66
    assert cli("import", "x.jsonl", "--as", "anything").code == 2
    assert cli("import").code == 2
    (tmp_path / "new.jsonl").write_text(GOOD.replace('"version": 1', '"version": 9'), "utf-8")
    newer = cli("import", "new.jsonl", "--json")
    assert (newer.code, newer.json["error"]["code"]) == (78, "brain_import_newer")
    other = cli("import", "-", "--db", "other.db", stdin=GOOD.encode())
    assert other.out == "新增 2，不用改 0\n"


def test_a_device_is_no_export(make: Callable[..., Brain]) -> None:
    refused("brain_import_unreadable", 74, lambda: make().import_("/dev/zero"))
