"""What a reader is told: which memory a verb means, what happened, what to type, in Chinese."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.cli.command import build
from brain.cli.program import run
from brain.cli.verbs import VERBS, about_of, load
from tests.support import ROOT
from tests.support.cli import Cli, Done
from tests.support.servers import MCP, Web

SERVED = {"inject", "recall", "check", "add", "hook", "mcp", "serve"}
WITHOUT_FILE = {"model list", "model fetch"}
ELSEWHERE = "http://127.0.0.1:9"
WORDS = {
    "supersede": ("1", "--text", "换成青鸟群"),
    "correct": ("1", "换成青鸟群"),
    "conf": ("1", "0.5"),
    "importance": ("1", "0.5"),
    "search": ("值班群",),
    "recover": ("ccr_0123456789abcdef0123456789abcdef",),
    "compress": ("-",),
    "import": ("备份.jsonl",),
    "ingest": ("记录.jsonl",),
    "backup": ("备份.db",),
    "restore-backup": ("备份.db",),
    "reembed": ("--model", "none"),
    "words add": ("青鸟",),
    "words remove": ("青鸟",),
    **dict.fromkeys(
        ("show", "expire", "retract", "restore", "pin", "unpin", "forget", "history"), ("1",)
    ),
    **dict.fromkeys(("useful", "wrong"), ("1",)),
}
OWN_FILE = sorted(VERBS.keys() - SERVED - WITHOUT_FILE)

Say = Callable[..., Done]


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Say:
    """The command line in this process, with a home of its own and no file named."""
    for name in ("BRAIN_DB", "BRAIN_URL", "BRAIN_SCOPE", "BRAIN_MODEL_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BRAIN_MODEL", "none")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def ask(*args: str) -> Done:
        capfd.readouterr()
        code = run(args)
        return Done(code, *capfd.readouterr())

    return ask


# A server is named and no file ---------------------------------------------------------------


def test_the_verbs_that_are_served_say_so() -> None:
    assert {verb for verb in VERBS if about_of(load(verb)).served} == SERVED
    for verb in WITHOUT_FILE:
        assert "db" not in {p.name for p in build(load(verb)).params}


@pytest.mark.parametrize("verb", OWN_FILE)
def test_a_verb_that_is_not_served_refuses_the_default_file(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    say("add", "值班群是老群")
    file = tmp_path / ".brain" / "brain.db"
    before = file.read_bytes()
    monkeypatch.setenv("BRAIN_URL", ELSEWHERE)
    done = say(*verb.split(), *WORDS.get(verb, ()), "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "brain_url_verb")
    assert verb in done.json["error"]["message"]
    assert "--db" in done.json["error"]["message"]
    assert file.read_bytes() == before
    assert say(*verb.split(), "--help").code == 0


@pytest.mark.parametrize("how", ["--db", "BRAIN_DB"])
@pytest.mark.parametrize("verb", ["list", "show", "retract", "stats"])
def test_a_named_file_is_worked_on(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, how: str
) -> None:
    file = str(tmp_path / "work.db")
    say("add", "值班群是老群", "--db", file)
    monkeypatch.setenv("BRAIN_URL", ELSEWHERE)
    if how == "BRAIN_DB":
        monkeypatch.setenv("BRAIN_DB", file)
        assert say(verb, *WORDS.get(verb, ())).code == 0
    else:
        assert say(verb, *WORDS.get(verb, ()), "--db", file).code == 0


def test_an_id_of_the_server_takes_no_other_record_back(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    cli = Cli(here)
    cli("add", "护照在抽屉里", env={"BRAIN_DB": ""})
    with Web(there) as web:
        env = {"BRAIN_URL": web.url, "BRAIN_DB": ""}
        assert cli("add", "值班群是老群", env=env).out == "#1 已记住\n"
        assert cli("retract", "1", env=env).code == 2
        assert web.post("/memories/1/retract").json["retracted_at"]
    assert "护照" in cli("list", env={"BRAIN_DB": ""}).out


# What to type --------------------------------------------------------------------------------


def test_the_mcp_program_shows_what_works(tmp_path: Path) -> None:
    env = Cli(tmp_path).env()

    def started(*args: str) -> subprocess.CompletedProcess[bytes]:
        line = [sys.executable, str(MCP), *args]
        return subprocess.run(line, env=env, capture_output=True, check=False, timeout=30)

    told = started("--help").stderr.decode()  # on its stdout there is only the protocol
    assert "用法：python mcp_server.py [选项]" in told
    assert "mcp_server.py mcp" not in told
    examples = re.findall(r"^  python mcp_server\.py(.*)$", told, re.M)
    assert len(examples) == 3
    for words in examples:
        assert started(*words.split()).returncode == 0  # its input has ended


def test_no_readme_gives_ingest_an_option_it_refuses() -> None:
    refused = {"--valid-from", "--valid-to"}
    for name, heading in (("README.md", "## 把已有的收进来"), ("README.en.md", "## Taking in")):
        text = (ROOT / name).read_text(encoding="utf-8")
        part = text[text.index(heading) :].split("\n## ")[0]
        for sentence in re.split(r"[。；;]|\. ", part):
            if refused & set(re.findall(r"--[a-z-]+", sentence)):
                assert "`add`" in sentence


# What happened -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "entries"),
    [
        ("记录.jsonl", '{"text": "班车七点"}\n{"text": "班车八点换线"}\n', 2),
        ("坏行.jsonl", '{"text": "班车七点"}\n{"text": \n', 1),
        ("表.csv", "text\n班车七点\n食堂十一点开门\n", 2),
    ],
)
def test_a_second_reading_says_that_nothing_changed(
    say: Say, tmp_path: Path, name: str, text: str, entries: int
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    first = say("ingest", name)
    assert (first.code, f"新增 {entries}" in first.out) == (0, True)
    second = say("ingest", name)
    assert "没有变化" in second.out
    assert f"共有 {entries} 条" in second.out
    told = say("ingest", name, "--json").json
    assert (told["unchanged"], told["held"], told["skipped"]) == (1, entries, 0)
    with (tmp_path / name).open("a", encoding="utf-8") as more:
        more.write('{"text": "车库在地下二层"}\n' if name.endswith("l") else "车库在地下二层\n")
    assert "新增 1" in say("ingest", name).out


def test_a_folder_says_how_many_files_are_unchanged(say: Say, tmp_path: Path) -> None:
    folder = tmp_path / "记录"
    folder.mkdir()
    for day in ("一", "二"):
        (folder / f"{day}.jsonl").write_text(f'{{"text": "周{day}开会"}}\n', encoding="utf-8")
    say("ingest", "记录")
    assert "共有 2 条" in say("ingest", "记录").out
    (folder / "二.jsonl").write_text('{"text": "周二不开会了"}\n', encoding="utf-8")
    assert "没有变化的文件 1 个" in say("ingest", "记录").out


def test_changes_say_what_they_did(say: Say) -> None:
    say("add", "值班群是老群")
    assert "没有什么要恢复的" in say("restore", "1").err
    assert say("conf", "1", "0.3").out.splitlines()[-1] == "可信度现在是 0.3"
    assert say("importance", "1", "0.85").out.splitlines()[-1] == "重要度现在是 0.85"
    assert re.fullmatch(
        r"已撤回：从 \d{4}-\d\d-\d\d.* 起不再相信；恢复用 restore 1。",
        say("retract", "1").out.splitlines()[-1],
    )
    assert say("restore", "1").err == ""


def test_the_doctor_ends_with_a_verdict(say: Say, tmp_path: Path) -> None:
    say("add", "值班群是老群")
    told = say("doctor").out.splitlines()
    assert told[-1].startswith("结论：")
    assert sum(line.startswith("结论：") for line in told) == 1


@pytest.mark.parametrize(
    "content",
    ["会议纪要\n".encode() * 60, b"\x89PNG\r\n" + bytes(9000), b"{}"],
    ids=["text", "picture", "json"],
)
def test_of_what_is_no_database_the_doctor_says_what_list_says(
    say: Say, tmp_path: Path, content: bytes
) -> None:
    other = tmp_path / "纪要.db"
    other.write_bytes(content)
    other.chmod(0o644)
    listed, examined = say("list", "--db", str(other)), say("doctor", "--db", str(other))
    sentence = listed.err.partition(": ")[2].strip()
    assert "不是 SQLite 文件" in sentence
    assert sentence in examined.out
    assert examined.code == 74
    # The folder's own name may hold any figures.
    said = (examined.out + examined.err).replace(str(tmp_path), "")
    for word in ("backup", "repair", "600"):
        assert word not in said
    assert other.read_bytes() == content


# The server's own words -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--host", "no-such-host.invalid"), "认不出这个地址"),
        (("--host", "x" * 70), "认不出这个地址"),
        (("--host", "203.0.113.7"), "没有这个地址"),
        (("--host", "127.0.0.1"), "已经有程序占着"),
    ],
)
def test_a_port_that_cannot_be_had_is_told_in_chinese(
    tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = Cli(tmp_path)("serve", *options, "--port", port, env={"BRAIN_TOKEN": "秘"})
    assert done.code == 73
    assert told in done.err
    assert not re.search(r"Errno|in use|known|assign", done.err)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (b"\x00\x01\r\n\r\n", "不是能读懂的 HTTP 请求"),
        (
            b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\n\r\n",
            "WebSocket",
        ),
    ],
)
def test_what_the_server_logs_is_chinese(tmp_path: Path, request_: bytes, told: str) -> None:
    with Web(tmp_path) as web:
        assert web.port
        with socket.create_connection(("127.0.0.1", web.port), timeout=10) as line:
            line.sendall(request_)
            assert line.recv(100)
        web.process.terminate()
        web.process.wait(timeout=20)
    logged = [line for line in b"".join(web.errors).decode().splitlines() if "uvicorn" in line]
    assert len(logged) == 1
    assert logged[0].startswith("警告：")
    assert told in logged[0]
