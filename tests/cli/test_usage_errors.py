"""What people type wrongly at the command line: each gets a sentence that leads on."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from brain.text.timestamps import is_known_zone
from tests.support.cli import Cli, Say
from tests.support.engine import Make


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A memory that these tests read and never change."""
    cli = Cli(tmp_path_factory.mktemp("filled"))
    cli("add", "班车七点半发车")
    cli("add", "值班群是青鸟群", "--scope", "青鸟后端")
    cli("add", "合同价八万", "--pin", "--scope", "web")
    return cli


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (("recal", "班车"), "recall"),
        (("supercede", "1", "2"), "supersede"),
        (("remember", "班车"), "add"),
        (("记住", "班车"), "add"),
        (("find", "班车"), "recall"),
        (("ls",), "list"),
        (("status",), "stats"),
        (("删除", "1"), "forget"),
        (("recall", "班车", "--scop", "web"), "--scope"),
        (("recall", "班车", "--limit", "3"), "-k"),
        (("recall", "班车", "--top-k", "3"), "-k"),
        (("recall", "班车", "-n", "3"), "-k"),
        (("recall", "班车", "-K", "3"), "-k"),
        (("recall", "班车", "--k", "3"), "-k"),
        (("list", "-k", "3"), "--limit"),
        (("list", "--type", "fact"), "--kind"),
        (("recall", "班车", "--KIND", "fact"), "--kind"),
        (("add", "班车", "--project", "web"), "--scope"),
        (("add", "班车", "--database", "x.db"), "--db"),
        (("expire", "1", "--reason", "到期"), "--why"),
        (("expire", "1", "--date", "2030-01-01"), "--at"),
        (("recall", "班车", "--date", "2030-01-01"), "--as-of"),
        (("doctor", "--fix"), "--repair"),
        (("recall", "班车", "——scope", "web"), "--scope"),
        (("recall", "班车", "－－kind=fact"), "--kind"),
        (("add", "班车", "--kind", "偏好"), "preference"),
        (("list", "--kind", "Fact"), "fact"),
        (("supersede", "1", "班车改到八点"), "--text"),
        (("correct", "1"), "缺少 --text"),
        (("help", "recal"), "recall"),
    ],
)
def test_what_was_meant_is_named(filled: Cli, line: tuple[str, ...], hint: str) -> None:
    done = filled(*line)
    assert (done.code, done.out) == (65 if "brain_usage" not in done.err else 2, "")
    assert re.search(rf"(?<![\w-]){re.escape(hint)}(?![\w-])", done.err), done.err


def test_a_dash_of_another_kind_is_text_where_no_option_is_called_so(cli: Cli) -> None:
    assert cli("add", "——摘自会议纪要").code == 0
    assert cli("add", "–5 度以下改用备用机房").code == 0


@pytest.mark.parametrize("verb", ["forget", "retract", "pin", "show", "history", "useful"])
def test_several_ids_are_not_taken_for_a_text_in_need_of_quotes(filled: Cli, verb: str) -> None:
    done = filled(verb, "9", "8")
    assert done.code == 2
    assert "一次只能给一个编号" in done.err
    assert "引号" not in done.err


def test_a_verb_without_arguments_says_so(filled: Cli) -> None:
    for verb in ("stats", "scopes", "list", "doctor"):
        assert "不带参数" in filled(verb, "web").err


def test_help_before_the_verb_is_help(filled: Cli) -> None:
    assert filled("help").out == filled("--help").out
    assert filled("help", "recall").out == filled("recall", "--help").out
    assert filled("help", "model", "fetch").code == 0


@pytest.mark.parametrize("written", ["２", "＃2", "＃２", " #2 "])
def test_an_id_may_be_full_width(filled: Cli, written: str) -> None:
    assert filled("show", written, "--json").json["id"] == 2


# A file that was not meant -----------------------------------------------------------------


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_file_made_just_now_is_named_once(cli: Cli, as_json: tuple[str, ...]) -> None:
    """On stderr with ``--json`` as well: stdout is the one JSON value."""
    first = cli("add", "班车七点半发车", "--db", "typo.db", *as_json)
    assert f"新建了记忆文件：{cli.home / 'typo.db'}" in first.err
    assert "新建了" not in first.out
    again = cli("add", "值班群是青鸟群", "--db", "typo.db", *as_json)
    assert again.err == ""


def test_every_verb_that_makes_a_file_says_so(cli: Cli, tmp_path: Path) -> None:
    note = tmp_path / "notes.jsonl"
    note.write_text('{"text": "班车七点半发车"}\n', encoding="utf-8")
    cli("add", "班车七点半发车", "--db", "one.db")
    (tmp_path / "export.jsonl").write_text(cli("export", "--db", "one.db").out, encoding="utf-8")
    lines = (
        ("ingest", str(note)),
        ("import", "export.jsonl"),
        ("compress", "-"),
        ("words", "add", "青鸟计划"),
    )
    for number, line in enumerate(lines):
        done = cli(*line, "--db", f"made{number}.db", stdin="一段话。".encode())
        assert done.code == 0
        assert "新建了记忆文件：" in done.err, line
    for line in (("list",), ("recall", "班车"), ("stats",), ("decay",), ("import", "no.jsonl")):
        done = cli(*line, "--db", "none.db")
        assert "新建了" not in done.err
    assert not (tmp_path / "none.db").exists()


def test_a_home_that_nobody_has_is_a_name(cli: Cli) -> None:
    assert cli("list", "--db", "~no-such-user/x.db").code == 0


# A scope that was not meant ----------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        ("recall", "班车"),
        ("search", "班车"),
        ("check", "班车"),
        ("inject", "班车"),
        ("list",),
        ("brief",),
        ("export",),
    ],
)
def test_a_scope_nobody_used_is_remarked_on(filled: Cli, line: tuple[str, ...]) -> None:
    """stdout and the exit status are those of the same call without a remark."""
    done = filled(*line, "--scope", "wbe")
    assert "范围「wbe」里还没有记忆" in done.err
    assert "是不是「web」" in done.err
    if line[0] != "export":
        plain = filled(*line)
        assert (done.code, done.out) == (plain.code, plain.out)
    assert "范围「" not in filled(*line, "--scope", "web").err


@pytest.mark.parametrize(
    ("asked", "near"),
    [("青鸟后瑞", "青鸟后端"), ("WEB", "web"), ("webs", "web"), ("前端", None), ("zzzz", None)],
)
def test_the_nearest_name_is_told_when_one_is_near(
    make: Make, asked: str, near: str | None
) -> None:
    brain = make()
    assert brain.scope_remark(asked) == ""
    for scope in ("", "web", "青鸟后端"):
        brain.add("班车七点半发车", scope=scope)
        assert brain.scope_remark(scope) == ""
    told = brain.scope_remark(asked)
    assert f"「{asked}」" in told
    assert (f"是不是「{near}」" if near else "brain scopes") in told
    assert brain.recall("班车", scope=asked).remarks == (told,)


def test_the_remark_is_in_the_json_and_only_then(filled: Cli) -> None:
    for verb in ("recall", "search", "check", "inject"):
        told = filled(verb, "班车", "--scope", "wbe", "--json").json
        assert len(told["remarks"]) == 1
        assert "wbe" in told["remarks"][0]
        assert told["degraded"] == []
        assert "remarks" not in filled(verb, "班车", "--scope", "web", "--json").json


def test_a_scope_whose_memories_are_gone_was_no_mistake(cli: Cli) -> None:
    cli("add", "班车七点半发车")
    cli("add", "合同价八万", "--scope", "web")
    cli("forget", "2")
    assert "范围" not in cli("recall", "班车", "--scope", "web").err


def test_an_empty_file_has_nothing_to_remark(cli: Cli) -> None:
    assert cli("inject", "班车", "--scope", "web").err == ""


def test_a_scope_looked_up_by_auto_is_remarked_on_only_when_nothing_is_found(
    cli: Cli, tmp_path: Path
) -> None:
    import subprocess

    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    cli("add", "班车七点半发车")
    assert "范围" not in cli("recall", "班车", "--scope", "auto", cwd=folder).err
    assert "范围" in cli("recall", "打印机", "--scope", "auto", cwd=folder).err
    assert cli("inject", "打印机", "--scope", "auto", cwd=folder).err == ""


@pytest.mark.parametrize("query", [b"\xe7\x8f\xad\xed\xa0\x80\xe8\xbd\xa6", b"\xff\xe7\x8f\xad"])
@pytest.mark.skipif(os.name == "nt", reason="arguments are Unicode there")
def test_characters_that_are_none_are_remarked_on(filled: Cli, query: bytes) -> None:
    done = filled("recall", query, "--json")
    assert done.code == 0
    assert "按空格读" in done.json["remarks"][0]
    assert "remarks" not in filled("recall", "班车", "--json").json


# The user's clock --------------------------------------------------------------------------

KNOWN = ("UTC", "GMT", "CST-8", "<+08>-8", "EST5EDT", "EST5EDT,M3.2.0,M11.1.0", "UTC0")
UNKNOWN = ("Asia/Shanghaii", "shanghai/asia", "+8", "8", "北京", "../../../etc/passwd", "UTC+8x")


@pytest.mark.parametrize("name", [*KNOWN, pytest.param(":Asia/Shanghai"), "Asia/Shanghai"])
def test_a_zone_that_is_known_is_taken_without_a_word(filled: Cli, name: str) -> None:
    if "/" in name and not Path("/usr/share/zoneinfo/Asia/Shanghai").exists():
        pytest.skip("this machine has no zones")
    assert is_known_zone(name)
    assert filled("list", env={"TZ": name}).err == ""


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_zone_nobody_knows_is_said_and_counts_as_utc(filled: Cli, name: str) -> None:
    done = filled("show", "1", env={"TZ": name})
    assert "警告[brain_tz_unknown]" in done.err
    assert done.code == 0
    assert "+0000" in done.out
    assert done.err.count("\n") == 1


def test_no_zone_at_all_is_the_systems(filled: Cli) -> None:
    assert filled("list", env={"TZ": ""}).err == ""
    hook = filled("hook", "claude-code", stdin=b"{}", env={"TZ": "Asia/Shanghaii"})
    assert (hook.out, hook.err) == ("", "")


@pytest.mark.skipif(os.name == "nt", reason="Windows takes no zone from TZ")
def test_times_in_sentences_are_the_readers_own(cli: Cli) -> None:
    cli("add", "班车七点半发车", "--valid-from", "2026-03-01T00:00:00Z")
    cli("add", "食堂在一楼")
    zone = {"TZ": "CST-8"}
    for line in (
        ("expire", "1", "--at", "2026-02-01T00:00:00Z"),
        ("supersede", "1", "--text", "班车八点发车", "--at", "2026-02-01T00:00:00Z"),
        ("add", "x", "--valid-from", "2026-03-01T00:00:00Z", "--valid-to", "2026-02-01T00:00:00Z"),
    ):
        told = cli(*line, env=zone).err
        assert "2026-03-01 08:00:00 +0800" in told, told
        assert "2026-02-01 08:00:00 +0800" in told
    cli("forget", "2")
    told = cli("show", "2", env=zone).err
    assert re.search(r"已经遗忘（\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0800）", told), told


# What was done -----------------------------------------------------------------------------


def test_a_decay_right_after_another_says_that_nothing_was_due(cli: Cli) -> None:
    cli("add", "班车七点半发车")
    assert "减弱" in cli("decay").out
    for dry in ((), ("--dry-run",)):
        again = cli("decay", *dry)
        assert again.code == 0
        assert "还没有要减弱的" in again.out
        assert "0.0 天" not in again.out
    cli("inject", "班车几点发车")
    assert "加强 1 条" in cli("decay").out


def cut_short(text: str) -> list[str]:
    """An export broken off in a line, between two, and with a line damaged in the middle."""
    lines = text.splitlines(keepends=True)
    middle = len(lines) // 2
    half = lines[middle][: len(lines[middle]) // 2] + "\n"
    damaged = "".join([*lines[:middle], half, *lines[middle + 1 :]])
    return [text[: len(text) - 20], "".join(lines[:-1]), damaged]


def test_an_import_that_is_not_whole_says_what_came_and_what_did_not(cli: Cli) -> None:
    for text in ("班车七点半发车", "值班群是青鸟群", "合同价八万"):
        cli("add", text, "--db", "from.db")
    whole = cli("export", "--db", "from.db").out
    for number, text in enumerate(cut_short(whole)):
        (cli.home / "cut.jsonl").write_text(text, encoding="utf-8")
        db = ("--db", f"into{number}.db")
        done = cli("import", "cut.jsonl", *db)
        assert done.code == 65
        assert re.match(r"新增 [1-3]，", done.out)
        assert re.search(r"第 \d+ 行  ", done.err)
        assert re.search(r"错误\[brain_import_line\]: 有 \d 处没有导入", done.err)
        kept = len(cli("list", "--json", *db).json)
        assert done.out.startswith(f"新增 {kept}，")
    again = cli("import", "cut.jsonl", "--json", *db)
    assert (again.code, again.json["added"], again.json["failed"] > 0) == (65, 0, True)
    dry = cli("import", "cut.jsonl", "--dry-run", *db)
    assert dry.code == 65
    assert "会有" in dry.err
    assert cli("import", "-", "--db", "whole.db", stdin=whole.encode()).code == 0


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_our_own_export_is_not_read_as_another_programs(cli: Cli, form: str) -> None:
    """Read so, what was replaced or retracted would come back as current."""
    cli("add", "班车七点半发车")
    cli("supersede", "1", "--text", "班车八点发车")
    cli("export", "--format", form, "--out", "out")
    single = "out" if form == "jsonl" else "out/note.md"
    done = cli("ingest", single, "--db", "new.db")
    assert done.code == 65
    assert "brain import" in done.err
    assert not (cli.home / "new.db").exists() or cli("list", "--db", "new.db").out == ""
    (cli.home / "folder").mkdir()
    (cli.home / out_name(form)).write_bytes((cli.home / single).read_bytes())
    told = cli("ingest", "folder", "--json", "--db", "new.db").json
    assert (told["added"], told["failed"]) == (0, 1)


def out_name(form: str) -> str:
    return "folder/export.jsonl" if form == "jsonl" else "folder/note.md"


def test_an_error_is_one_line_whatever_was_typed(say: Say) -> None:
    say("add", "班车七点半发车")
    odd = "甲\n错误[brain_busy]: 乙"
    for line in (
        ("tag", "1", "--add", odd),
        ("show", odd),
        ("unlink", odd),
        (odd,),
        ("add", "一句", "--kind", odd),
        ("record", "一句", "--outcome", "另一句", "--relation", odd),
        ("recall", "班车", "--as-of", odd),
        ("cache-audit", odd),
    ):
        wrong = say(*line)
        assert wrong.code
        assert len(wrong.err.splitlines()) == 1, line
