"""The target of a command: the file that is named, or the server in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.cli.command import build
from brain.cli.verbs import VERBS, about_of, load
from tests.support.cli import Cli, Say
from tests.support.servers import Web

SERVED = {"inject", "recall", "check", "add", "hook", "mcp", "serve", "setup"}
SERVED |= {"record", "before", "why", "compare"}
WITHOUT_FILE = {"model list", "model fetch", "cache-audit"}
ELSEWHERE = "http://127.0.0.1:9"
WORDS = {
    "supersede": ("1", "--text", "换成青鸟群"),
    "correct": ("1", "换成青鸟群"),
    "conf": ("1", "0.5"),
    "importance": ("1", "0.5"),
    "tag": ("1", "--add", "部署"),
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
    "originals forget": ("ccr_0123456789abcdef0123456789abcdef",),
    "unlink": ("L1",),
    **dict.fromkeys(
        ("show", "expire", "retract", "restore", "pin", "unpin", "forget", "history"), ("1",)
    ),
    **dict.fromkeys(("useful", "wrong"), ("1",)),
}
OWN_FILE = sorted(VERBS.keys() - SERVED - WITHOUT_FILE)


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
