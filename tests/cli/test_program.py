"""The command line from end to end: real processes on real files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.cli.program import run
from brain.errors import EXIT_IO
from tests.support import PATIENCE, ROOT
from tests.support.cli import PROGRAM, Cli

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and devices")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A file that is only read."""
    cli = Cli(tmp_path_factory.mktemp("filled"))
    with Brain.open(cli.db, model="none") as brain:
        brain.add_many(
            [
                Draft("生产环境部署走蓝绿发布", kind="decision"),
                Draft("值班群是青鸟群", scope="web"),
                Draft("重跑gen-itgc后50条用例全绿🎉"),
                Draft("用户对花生过敏", kind="fact"),
                Draft("上线前先跑冒烟测试再切流量", kind="skill"),
            ]
        )
    return cli


# Adding and reading back ------------------------------------------------------------------


def test_add_says_the_id_and_the_same_text_gets_it_again(cli: Cli) -> None:
    assert cli("add", "用户喜欢深色主题", "--kind", "preference").out == "#1 已记住\n"
    assert cli("add", "用户喜欢深色主题", "--kind", "preference").out == "#1 已有相同的记忆\n"
    again = cli("add", "用户喜欢深色主题", "--json", "--kind=preference")
    assert again.json == {"id": 1, "created": False, "similar": []}
    assert again.code == 0


def test_add_names_what_it_seems_to_change_and_how_to_say_so(cli: Cli) -> None:
    cli("add", "周会每周五发到部门群")
    changed = cli("add", "周会不再发部门群，改发邮件")
    assert changed.out == "#2 已记住\n"
    assert "brain supersede 1 2" in changed.err
    assert "brain expire 1" in changed.err
    told = cli("add", "周会也不发邮件了", "--json").json["similar"]
    assert [one["id"] for one in told if one["changes"]] == [2]
    assert cli("supersede", "1", "2").code == 0


def test_text_may_begin_with_a_minus(cli: Cli) -> None:
    assert cli("add", "-5度以下改用备用机房").code == 0
    found = cli("recall", "-5度 备用机房", "--json")
    assert [hit["text"] for hit in found.json["hits"]] == ["-5度以下改用备用机房"]


def test_every_option_of_add_is_stored(cli: Cli) -> None:
    cli(
        "add", "合同到年底", "--kind", "fact", "--importance", "0.8", "--confidence", "0.6",
        "--scope", "web", "--source", "model", "--valid-from", "2026-01-01T00:00:00Z",
        "--valid-to", "2026-12-31T00:00:00Z", "--pin", "--evidence", "扫描件", "--why", "来信",
    )  # fmt: skip
    found = cli("show", "#1", "--json").json
    wanted = {
        "id": 1, "text": "合同到年底", "kind": "fact", "importance": 0.8, "confidence": 0.6,
        "scope": "web", "source": "model", "valid_from": "2026-01-01T00:00:00.000Z",
        "valid_to": "2026-12-31T00:00:00.000Z", "pinned": True, "evidence": "扫描件",
    }  # fmt: skip
    assert {key: found[key] for key in wanted} == wanted


def test_standard_input_is_kept_byte_for_byte(cli: Cli) -> None:
    text = "第一行\r\n  第二行🎉\n"
    assert cli("add", "-", stdin=b"\xef\xbb\xbf" + text.encode()).code == 0
    assert cli("show", "1", "--json").json["text"] == text
    assert cli("recall", "--stdin", "--json", stdin="第二行".encode()).json["hits"]


def test_standard_input_that_is_not_utf8_is_refused(cli: Cli) -> None:
    done = cli("add", "--stdin", "--json", stdin="青鸟".encode("gbk"))
    assert done.code == 65
    assert done.json["error"]["code"] == "brain_input_not_utf8"
    assert not cli.db.exists()


def test_a_nul_byte_is_refused_and_said_so(cli: Cli) -> None:
    done = cli("add", "--stdin", "--json", stdin="前\0后文青鸟".encode())
    assert (done.code, done.json["error"]["code"]) == (65, "brain_text_nul")
    assert not cli.db.exists()


@posix
def test_an_argument_that_is_not_utf8_is_refused(cli: Cli) -> None:
    done = cli("add", "青鸟".encode("gbk"), "--json")
    assert (done.code, done.json["error"]["code"]) == (65, "brain_text_surrogate")
    assert not cli.db.exists()


def test_show_for_people(filled: Cli) -> None:
    done = filled("show", "'#3'".strip("'"))
    assert done.code == 0
    for part in ("#3", "note", "重跑gen-itgc后50条用例全绿🎉", "可信 0.95"):
        assert part in done.out


def test_an_unknown_id_is_a_no(filled: Cli) -> None:
    done = filled("show", "99", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "brain_not_found")
    assert "错误[brain_not_found]: " in done.err


def test_list_is_newest_first_and_knows_scopes(filled: Cli) -> None:
    assert [m["id"] for m in filled("list", "--json").json] == [5, 4, 3, 1]
    in_web = filled("list", env={"BRAIN_SCOPE": "web"})
    assert in_web.out.splitlines()[3].startswith("#2  note  ")
    assert "范围 web" in in_web.out
    assert len(filled("list", "--all-scopes", "--limit", "2", "--json").json) == 2


# Looking for an answer --------------------------------------------------------------------


def test_recall_for_people_and_programs(filled: Cli) -> None:
    done = filled("recall", "部署", "--explain")
    assert done.code == 0
    assert done.out.startswith("#1  decision  ")
    assert "依据：字面第 1" in done.out
    found = filled("recall", "部署", "--json", "-k1").json
    assert [hit["id"] for hit in found["hits"]] == [1]
    assert {"query", "hits", "degraded", "skills", "gate"} <= set(found)
    assert "lanes" not in found["hits"][0]
    assert "lanes" in filled("search", "部署", "--json", "--explain").json["hits"][0]


def test_no_hits_are_an_empty_stdout(filled: Cli) -> None:
    done = filled("recall", "？？")
    assert (done.code, done.out) == (0, "")
    assert "没有找到" in done.err
    assert filled("recall", "？？", "--json").json["hits"] == []


def test_an_empty_question(filled: Cli) -> None:
    done = filled("recall", "", "--json")
    assert (done.code, done.json["error"]["code"]) == (65, "brain_query_empty")
    silent = filled("inject", "")
    assert (silent.code, silent.out, silent.err) == (0, "", "")


def test_inject_prints_the_block_alone(filled: Cli) -> None:
    plain = filled("inject", "生产环境部署怎么发布")
    found = filled("inject", "生产环境部署怎么发布", "--json").json
    assert (plain.code, plain.err) == (0, "")
    assert plain.out == found["block"].removesuffix("\n") + "\n"
    assert found["answerable"]
    assert 0 < found["tokens"] <= 420
    assert plain == filled("inject", "生产环境部署怎么发布")


def test_inject_is_silent_when_nothing_answers(filled: Cli) -> None:
    for question in ("你好", "吉他换弦用什么型号"):
        done = filled("inject", question)
        assert (done.code, done.out, done.err) == (0, "", "")


def test_check_answers_with_its_exit_status(filled: Cli) -> None:
    yes = filled("check", "生产环境部署怎么发布")
    assert yes.code == 0
    assert yes.out.startswith("能回答（概率 ")
    no = filled("check", "吉他换弦用什么型号", "--json")
    assert (no.code, no.json["answerable"]) == (1, False)


def test_a_missing_file_is_an_empty_memory(cli: Cli) -> None:
    assert cli("recall", "部署", "--json").json["hits"] == []
    assert (cli("inject", "部署").out, cli("check", "部署").code) == ("", 1)
    assert cli("list", "--json").json == []
    assert cli("stats", "--json").json["total"] == 0
    assert list(cli.home.iterdir()) == []


# Changing ---------------------------------------------------------------------------------


def test_supersede_by_text_by_id_and_from_stdin(cli: Cli) -> None:
    cli("add", "值班群是老群")
    first = cli("supersede", "1", "--text", "值班群换成青鸟群", "--json").json
    assert (first["old"], first["new"]) == (1, 2)
    assert cli("supersede", "2", "-", stdin="值班群换成飞鸟群".encode()).out == "#2 已被 #3 取代\n"
    cli("add", "值班群换成白鸟群")
    assert cli("supersede", "3", "4", "--why", "改名").code == 0
    assert [m["id"] for m in cli("list", "--json").json] == [4]
    refused = cli("supersede", "1", "--text", "另一个", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (65, "brain_not_current")
    both = cli("supersede", "3", "4", "--text", "x")
    assert both.code == 2


def test_expire_and_conf(cli: Cli) -> None:
    cli("add", "年卡还有效")
    assert cli("conf", "1", "0.3", "--json").json["confidence"] == 0.3
    assert cli("conf", "1", "1.5").code == 65
    assert cli("conf", "1", "一半").code == 2
    done = cli("expire", "1", "--at", "2099-01-01T00:00:00Z", "--json")
    assert done.json["valid_to"] == "2099-01-01T00:00:00.000Z"
    assert cli("list", "--json").json
    assert "有效至" in cli("expire", "#1").out
    assert cli("list", "--json").json == []


def test_init_makes_a_file_once(cli: Cli) -> None:
    made = cli("init", "--json")
    assert made.json == {"db": str(cli.db), "model": None, "dim": None, "created": True}
    again = cli("init", "--model", "e5-small")
    assert again.code == 0
    assert "已存在，没有改动" in again.out


def test_own_words(cli: Cli) -> None:
    assert cli("words", "list", "--json").json == {"words": []}
    assert cli("words", "add", "青鸟计划 100 n").code == 0
    assert cli("words", "list").out == "青鸟计划 100 n\n"
    assert cli("words", "remove", "青鸟计划", "--json").json == {"removed": True}
    assert cli("words", "remove", "青鸟计划").code == 1


# Models -----------------------------------------------------------------------------------


def test_models_are_listed_and_fetched_by_name(cli: Cli) -> None:
    models = {m["name"]: m for m in cli("model", "list", "--json").json["models"]}
    assert set(models) == {"bge-small-zh", "e5-small"}
    assert not models["bge-small-zh"]["available"]
    assert "model fetch bge-small-zh" in cli("model", "list").out
    for name in ("e5-small", "没有这个"):
        assert cli("model", "fetch", name).code == 65
    nowhere = cli("model", "fetch", "bge-small-zh", "--source", str(cli.home / "没有"))
    assert nowhere.code == 66


def test_init_with_a_model_that_cannot_be_had_makes_no_file(cli: Cli) -> None:
    done = cli(
        "init", "--model", "bge-small-zh", "--json", env={"HF_ENDPOINT": "http://127.0.0.1:9"}
    )
    assert done.code == 69
    assert not cli.db.exists()


def test_reembed_changes_the_model(filled: Cli, cli: Cli) -> None:
    cli("add", "生产环境部署走蓝绿发布")
    done = cli("reembed", "--model", "none", "--json")
    assert done.code == 0
    assert done.json["model"] in (None, "none")


# Wrong use and failures -------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ("recall", "--foo", "问题"),
        ("recall", "问题", "-x"),
        ("recall",),
        ("recall", "问题", "-k", "abc"),
        ("recall", "你好", "世界"),
        ("inject", "问题", "--budget", "-1"),
        ("show",),
        ("没有的动词",),
    ],
)
def test_wrong_use_is_told_in_chinese_and_exits_2(filled: Cli, args: tuple[str, ...]) -> None:
    plain = filled(*args)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("错误[brain_")
    assert plain.err.count("\n") == 1
    told = filled(*args, "--json")
    assert told.code == 2
    assert set(told.json["error"]) == {"code", "message"}
    assert f"错误[{told.json['error']['code']}]: {told.json['error']['message']}" in told.err


@pytest.mark.parametrize(
    ("make", "codes"),
    [
        (lambda db: db.mkdir(), {66, 73}),
        (lambda db: db.write_text("只是一篇文字，不是数据库。" * 40, encoding="utf-8"), {66}),
        (lambda db: db.symlink_to(db.with_name("别处")), {73}),
    ],
    ids=["folder", "text", "link"],
)
@posix
def test_what_is_no_memory_file_is_refused_whole(cli: Cli, make: object, codes: set[int]) -> None:
    make(cli.db)  # type: ignore[operator]
    before = sorted(p.name for p in cli.home.iterdir())
    for args in (("add", "青鸟"), ("recall", "青鸟")):
        done = cli(*args, "--json")
        assert done.code in codes
        assert done.json["error"]["code"].startswith("brain_")
    assert sorted(p.name for p in cli.home.iterdir()) == before


def test_what_nobody_foresaw_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(verb: str) -> object:
        raise ZeroDivisionError("x/0")

    monkeypatch.setattr("brain.cli.verbs.load", broken)
    monkeypatch.delenv("BRAIN_DEBUG", raising=False)
    assert run(["list", "--json"]) == 70
    told = capfd.readouterr()
    assert json.loads(told.out)["error"]["code"] == "brain_internal"
    assert told.err.count("\n") == 1
    monkeypatch.setenv("BRAIN_DEBUG", "1")
    assert run(["list"]) == 70
    assert "ZeroDivisionError" in capfd.readouterr().err


# Streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "gbk"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["gbk", "C", "ascii"],
)
def test_output_is_utf8_on_every_console(cli: Cli, env: dict[str, str]) -> None:
    assert cli("add", "🎉完成，café", env=env).out == "#1 已记住\n"
    assert cli("show", "1", "--json", env=env).json["text"] == "🎉完成，café"
    assert "🎉完成" in cli("recall", "完成", env=env).out


@posix
def test_a_closed_pipe_is_no_error(cli: Cli) -> None:
    with Brain.open(cli.db, model="none") as brain:
        brain.add_many([Draft(f"第{n}条" + "很长的一行" * 400) for n in range(50)])
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), "list", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=cli.env(),
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 141


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told(filled: Cli) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=filled.env(),
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == EXIT_IO
    assert done.stderr.startswith("错误[brain_output_failed]: ")
    assert done.stderr.count("\n") == 1


@posix
def test_an_interrupt_is_one_line(cli: Cli) -> None:
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), "add", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=cli.env(),
        # A shell's background jobs, and so their children, ignore the signal.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdin
        process.stdin.write(b"x" * 200_000)  # more than a pipe holds: it has begun to read
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
        assert told.decode() == "错误[brain_interrupted]: 已中断。\n"
        assert process.returncode == 130


# Starting ---------------------------------------------------------------------------------


def test_other_ways_in(filled: Cli) -> None:
    for command in (["-m", "brain"], ["-c", "from brain.cli import main; main()"]):
        done = subprocess.run(
            [sys.executable, *command, "--version"],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            env=filled.env(),
            check=True,
        )
        assert done.stdout.startswith("brain ")


def test_help_goes_to_stdout(filled: Cli) -> None:
    for args in (("--help",), ("inject", "--help"), ("model", "fetch", "-h")):
        done = filled(*args)
        assert (done.code, done.err) == (0, "")
        assert "用法：" in done.out


def test_the_mcp_server_ends_with_its_input_and_says_nothing_unasked(cli: Cli) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "mcp_server.py")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env=cli.env({"PYTHONIOENCODING": "gbk"}),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@posix
@pytest.mark.parametrize("verb", ["recall", "search", "inject", "check"])
@pytest.mark.parametrize("junk", [b"\xff", b"\xc3", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_in_a_question_give_json_that_is(
    cli: Cli, verb: str, junk: bytes
) -> None:
    cli("add", "发布会在周五")
    done = cli(verb, junk + "发布会".encode(), "--json")
    assert done.code in {0, 1}
    json.dumps(done.json, ensure_ascii=False).encode("utf-8")


@posix
@pytest.mark.parametrize("verb", ["recall", "search"])
@pytest.mark.parametrize("junk", [b"\xff", b" \xff\xfe "])
def test_a_question_of_nothing_but_such_bytes_is_refused(cli: Cli, verb: str, junk: bytes) -> None:
    done = cli(verb, junk, "--json")
    assert (done.code, done.json["error"]["code"]) == (65, "brain_text_surrogate")
    assert not cli.db.exists()
