"""Decisions and outcomes on the command line, in the hook and in the block: real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    made = Cli(tmp_path)
    done = made(
        "record", "阴雨天晒腊肉", "--outcome", "腊肉全发霉了", "--at", "2025-11-03", "--json"
    )
    assert done.json == {"link": 1, "decision": 1, "outcome": 2, "created": True, "similar": []}
    return made


def hook(cli: Cli, host: str, name: str, **asked: str) -> str:
    event = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": asked}
    done = cli("hook", host, stdin=json.dumps(event).encode())
    assert (done.code, done.err) == (0, "")
    return done.out


def test_before_is_three_lines_and_always_0(cli: Cli) -> None:
    done = cli("before", "阴雨天晒腊肉")
    assert done.code == 0
    assert done.out.startswith("危险")
    assert len(done.out.splitlines()) <= 3
    none = cli("before", "给腊肉拍一张照片")
    assert none.code == 0
    assert "没有前例" in none.out
    assert "不是说它安全" in none.out


def test_what_is_refused_leaves_stdout_clean(cli: Cli) -> None:
    for args, code, told in (
        (("record", "晒", "--outcome", "晒"), 65, "brain_link_self"),
        (("record", "晒", "--outcome", "干", "--good", "--bad"), 2, "brain_usage"),
        (("record", "晒"), 2, "brain_usage"),
        (("unlink", "#1"), 65, "brain_id_invalid"),
        (("before", ""), 65, "brain_query_empty"),
    ):
        done = cli(*args)
        assert (done.code, done.out) == (code, ""), args
        assert told in done.err


def test_either_side_is_read_from_standard_input_but_not_both(cli: Cli) -> None:
    done = cli("record", "腊肉抹两遍盐", "--outcome", "-", "--json", stdin="咸得\n没法吃".encode())
    assert done.json["created"]
    assert cli("show", str(done.json["outcome"]), "--json").json["text"] == "咸得\n没法吃"
    for args in (("record", "-", "--outcome", "-"), ("record", "--stdin", "--outcome", "-")):
        refused = cli(*args, stdin=b"x")
        assert (refused.code, refused.out) == (2, "")
        assert "不能都从标准输入读" in refused.err
    empty = cli("record", "腊肉切薄片", "--outcome", "-", stdin=b"")
    assert (empty.code, empty.out) == (65, "")
    assert "brain_text_empty" in empty.err


ANSWERS = """
import json, sys
from brain import Brain
from datetime import UTC, datetime
now = datetime(2026, 3, 2, tzinfo=UTC)
with Brain.open(sys.argv[1], read_only=True) as brain:
    print(json.dumps(brain.before("阴雨天晾腊肉", now=now).to_dict()))
    print(json.dumps(brain.why("腊肉发霉", now=now).to_dict()))
    print(json.dumps(brain.compare("阴雨天晒腊肉", "腊肉挂进烘干房", now=now).to_dict()))
"""


def test_three_processes_answer_with_the_same_bytes(cli: Cli) -> None:
    """However each process hashes its strings."""
    cli("record", "腊肉挂进烘干房", "--outcome", "腊肉发霉", "--relation", "prevented")
    cli("record", "腊肉全发霉了", "--outcome", "年货不够分", "--at", "2025-12-01")
    told = set()
    for seed in "123":
        env = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", ANSWERS, str(cli.db)]
        told.add(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    (answer,) = told
    assert "danger" in answer.decode()


def test_an_outcome_that_did_not_come_about_is_marked(cli: Cli) -> None:
    cli("record", "腊肉挂进烘干房", "--outcome", "招来苍蝇", "--relation", "prevented")
    assert "没有发生  招来苍蝇" in cli("list").out
    assert "没有发生" in cli("recall", "招来苍蝇", "--kind", "outcome").out
    assert "招来苍蝇" not in cli("recall", "招来苍蝇").out


def test_the_hook_asks_before_a_danger_and_is_silent_else(cli: Cli) -> None:
    told = json.loads(hook(cli, "claude-code", "Bash", command="echo 阴雨天晒腊肉"))
    body = told["hookSpecificOutput"]
    assert body["hookEventName"] == "PreToolUse"
    assert body["permissionDecision"] == "ask"
    assert "腊肉全发霉了" in body["permissionDecisionReason"]
    assert hook(cli, "claude-code", "Bash", command="ls -la") == ""
    assert hook(cli, "claude-code", "Read", file_path="阴雨天晒腊肉") == ""
    assert hook(cli, "claude-code", "Write", content="阴雨天晒腊肉", file_path="a.md") == ""
    context = json.loads(hook(cli, "codex", "Bash", command="echo 阴雨天晒腊肉"))
    assert "permissionDecision" not in context["hookSpecificOutput"]
    assert "腊肉全发霉了" in context["hookSpecificOutput"]["additionalContext"]


def test_a_turn_that_announces_an_action_is_warned(cli: Cli) -> None:
    block = cli("inject", "我打算阴雨天晒腊肉", "--json").json
    assert "前车之鉴 L1" in block["block"]
    assert [one["link"] for one in block["warnings"]] == [1]
    assert block["tokens"] <= 420
    quiet = cli("inject", "腊肉放在哪里", "--json").json
    assert "warnings" not in quiet
    assert "前车之鉴" not in quiet["block"]
