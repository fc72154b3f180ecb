"""The small parts of the command line: input, scope, streams, help. No process is started."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
import typer

from brain.cli import scope
from brain.cli.command import build, signature_of
from brain.cli.console import visible
from brain.cli.help import overview, verb_help
from brain.cli.inputs import MAX_STDIN_BYTES, context_or_stdin, decode, text_or_stdin
from brain.cli.options import number, whole_number
from brain.cli.render import SENTENCES, local_day, memory_line, memory_lines, size
from brain.cli.verbs import VERBS, about_of, load
from brain.errors import EXIT_DATA, EXIT_USAGE, BrainError
from brain.memory import Memory, content_hash

MEMORY = Memory(
    id=12,
    kind="decision",
    text="数据库选型定为 PostgreSQL\n因为要用部分索引",
    scope="web",
    source="user",
    importance=0.5,
    confidence=0.95,
    strength=1.0,
    pinned=True,
    valid_from="2026-03-02T04:00:00.000Z",
    valid_to="2027-03-02T04:00:00.000Z",
    recorded_at="2026-03-02T04:00:00.000Z",
    retracted_at=None,
    supersedes=3,
    superseded_by=None,
    archived_at=None,
    evidence="评审纪要",
    content_hash=content_hash("x"),
    use_count=0,
    last_used_at=None,
)


# Input ------------------------------------------------------------------------------------


def test_standard_input_is_utf8_without_a_byte_order_mark() -> None:
    assert decode("\ufeff青鸟\r\n\0".encode()) == "青鸟\r\n\0"


@pytest.mark.parametrize("data", ["青鸟".encode("gbk"), b"\xed\xa0\x80", b"ok\xff"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BrainError) as caught:
        decode(data)
    assert (caught.value.code, caught.value.exit_code) == ("brain_input_not_utf8", EXIT_DATA)


def test_endless_input_is_refused() -> None:
    with pytest.raises(BrainError, match="MiB") as caught:
        decode(b"x" * (MAX_STDIN_BYTES + 1))
    assert caught.value.code == "brain_input_too_large"


def test_one_source_of_text_only() -> None:
    assert text_or_stdin("青鸟", False, "文本") == "青鸟"
    assert text_or_stdin("", False, "文本") == ""
    assert context_or_stdin("刚才", "-", True) == "刚才"
    for wrong in (
        lambda: text_or_stdin(None, False, "文本"),
        lambda: text_or_stdin("青鸟", True, "文本"),
        lambda: context_or_stdin("-", "-", False),
        lambda: context_or_stdin("-", None, True),
    ):
        with pytest.raises(BrainError) as caught:
            wrong()
        assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize("bad", ["abc", "", "1.5", "一", "1e3"])
def test_a_whole_number_is_one(bad: str) -> None:
    with pytest.raises(typer.BadParameter, match="整数"):
        whole_number(bad)


@pytest.mark.parametrize("bad", ["abc", "", "nan", "inf", "0,5"])
def test_a_number_is_finite(bad: str) -> None:
    with pytest.raises(typer.BadParameter, match="数字"):
        number(bad)


# Scope ------------------------------------------------------------------------------------


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "青鸟"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def six(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def test_the_scope_given_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_SCOPE", "web")
    assert scope.resolve(None) == "web"
    assert scope.resolve("api") == "api"
    assert scope.resolve("") == ""
    monkeypatch.delenv("BRAIN_SCOPE")
    assert scope.resolve(None) == ""


def test_auto_names_the_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = repository / "src"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert scope.resolve("auto") == f"青鸟-{six(str(repository))}"
    monkeypatch.setenv("BRAIN_SCOPE", "auto")
    assert scope.resolve(None) == scope.resolve("auto")


def test_the_remote_counts_before_the_path(repository: Path) -> None:
    git(repository, "remote", "add", "backup", "https://example.org/b.git")
    assert scope.of_repository(repository) == f"青鸟-{six('https://example.org/b.git')}"
    git(repository, "remote", "add", "origin", "https://token:secret@example.org/a.git")
    assert scope.of_repository(repository) == f"青鸟-{six('https://example.org/a.git')}"


def test_a_worktree_is_the_same_project(repository: Path, tmp_path: Path) -> None:
    git(repository, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit",
        "--allow-empty", "-qm", "x")  # fmt: skip
    git(repository, "worktree", "add", "-q", str(tmp_path / "side"))
    assert scope.of_repository(tmp_path / "side") == scope.of_repository(repository)


def test_outside_of_a_repository_auto_is_global(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scope.of_repository(tmp_path) == ""
    monkeypatch.setenv("PATH", "")
    assert scope.of_repository(tmp_path) == ""


# What people read -------------------------------------------------------------------------


def test_control_characters_are_shown_and_not_sent() -> None:
    assert visible("红\x1b[31m\x07\x9b字\n\t尾🎉") == "红\\x1b[31m\\x07\\x9b字\n\t尾🎉"


def test_a_memory_for_people() -> None:
    line = memory_line(MEMORY)
    assert "\n" not in line
    for part in ("#12", "decision", "范围 web", "已钉住", "有效至", "PostgreSQL …"):
        assert part in line
    whole = "\n".join(memory_lines(MEMORY))
    assert MEMORY.text in whole
    for part in ("可信 0.95", "取代了 #3", "评审纪要"):
        assert part in whole


@pytest.mark.skipif(os.name == "nt", reason="Windows takes no zone from TZ")
def test_days_are_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    for zone, day in (("Asia/Shanghai", "2026-01-01"), ("America/New_York", "2025-12-31")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert local_day("2026-01-01T04:30:00.000Z") == day
    monkeypatch.undo()
    time.tzset()
    assert local_day(None) == ""
    assert local_day("9999-12-31T23:59:59.999Z").startswith(("9999", "10000"))


def test_sizes() -> None:
    assert [size(n) for n in (0, 1023, 1536, 24_449_967)] == [
        "0 字节", "1023 字节", "1.5 KiB", "23.3 MiB"
    ]  # fmt: skip


# Help -------------------------------------------------------------------------------------


def test_the_overview_names_every_verb() -> None:
    text = overview()
    for verb in VERBS:
        assert f"  {verb} " in text


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_is_chinese_with_examples_that_parse(verb: str) -> None:
    function = load(verb)
    told = about_of(function)
    assert told.examples
    for line in told.examples:
        assert f"brain {verb}" in line
    command = build(function)
    text = verb_help(verb, told, command.params)
    assert "例子：" in text
    assert "--json" in text
    for english in ("Options", "Usage", "default:", "Show this", "None"):
        assert english not in text
    shape = signature_of(command)
    assert "--json" in shape.flags
    for param in command.params:
        assert param.param_type_name == "option" or param.metavar
        assert getattr(param, "help", None), param.name


def test_common_options_are_there() -> None:
    for verb in set(VERBS) - {"model list", "model fetch"}:
        assert "--db" in signature_of(build(load(verb))).valued, verb
    for verb in ("add", "recall", "search", "check", "inject", "list", "brief"):
        assert "--scope" in signature_of(build(load(verb))).valued, verb


def test_every_degraded_code_has_a_sentence() -> None:
    contract = {"no_model", "model_mismatch", "no_vec", "vectors_pending", "timeout"}
    contract |= {"no_trigram", "uncalibrated"}
    assert set(SENTENCES) == contract


def test_json_can_carry_what_is_not_unicode() -> None:
    written = json.dumps("\udc80", ensure_ascii=False).encode("utf-8", "backslashreplace")
    assert json.loads(written) == "\udc80"
