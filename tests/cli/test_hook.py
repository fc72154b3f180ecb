"""``brain hook``: a host's JSON in, its JSON out, and silence whatever goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brain.cli import program
from brain.cli.verbs import VERBS, about_of, load
from tests.support import PATIENCE
from tests.support.cli import PROGRAM, Cli
from tests.support.servers import Web


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    made = Cli(tmp_path_factory.mktemp("hook"))
    made("add", "值班群是青鸟群，三月一日起")
    made("add", "用户喜欢深色主题", "--kind", "preference", "--pin")
    return made


def event(prompt: Any = "值班群是哪个", **more: Any) -> bytes:
    """What Claude Code writes to a hook's stdin."""
    told = {
        "session_id": "5d3c",
        "transcript_path": "/home/u/.claude/projects/x/5d3c.jsonl",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }
    return json.dumps({**told, **more}, ensure_ascii=False).encode()


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_prompt_gets_the_block_as_context(cli: Cli, host: str) -> None:
    done = cli("hook", host, stdin=event())
    assert (done.code, done.err) == (0, "")
    told = done.json["hookSpecificOutput"]
    assert set(done.json) == {"hookSpecificOutput"}
    assert told["hookEventName"] == "UserPromptSubmit"
    assert told["additionalContext"] == cli("inject", "值班群是哪个").out.strip()


def test_a_session_begins_with_the_brief(cli: Cli) -> None:
    done = cli("hook", "claude-code", stdin=event(None, hook_event_name="SessionStart"))
    told = done.json["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert told["additionalContext"] == cli("brief").out.strip()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   ",
        b"{",
        b"null",
        b"[1]",
        b'"text"',
        b"\xff\xfe\x00",
        b"[" * 50_000,
        b"{}",
        event(None),
        event(5),
        event(""),
        event("  \n "),
        event("火星上有几座咖啡馆"),
        event("你好"),
        event("长" * 1_100_000),
        event("前\0后 \u200b"),
        event(hook_event_name="Stop"),
        event(hook_event_name=None),
        event("法国的首都", cwd=5),
    ],
    ids=range(20),
)
def test_nothing_to_say_is_silence(cli: Cli, data: bytes) -> None:
    done = cli("hook", "claude-code", stdin=data)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_lone_surrogate_in_a_prompt_is_no_obstacle(cli: Cli) -> None:
    data = '{"prompt": "\\ud800 值班群是哪个"}'.encode()
    assert "青鸟群" in cli("hook", "claude-code", stdin=data).out


@pytest.mark.parametrize("fault", ["damaged", "not ours", "a folder", "unreadable", "newer"])
def test_a_fault_of_the_memory_is_silence(tmp_path: Path, fault: str) -> None:
    cli = Cli(tmp_path)
    if fault == "a folder":
        cli.db.mkdir()
    elif fault == "not ours":
        cli.db.write_text("别的文件", encoding="utf-8")
    else:
        cli("add", "值班群是青鸟群")
        if fault == "damaged":
            data = bytearray(cli.db.read_bytes())
            data[4096:] = b"\x5a" * (len(data) - 4096)
            cli.db.write_bytes(data)
        elif fault == "newer":
            import apsw

            db = apsw.Connection(str(cli.db))
            db.pragma("user_version", 9999)
            db.close()
        else:
            cli.db.unlink()
            cli.db.symlink_to(tmp_path / "elsewhere.db")
    done = cli("hook", "claude-code", stdin=event())
    assert (done.code, done.out, done.err) == (0, "", "")


def test_no_memory_yet_is_silence_and_makes_none(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    done = cli("hook", "claude-code", stdin=event())
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not cli.db.exists()


@pytest.mark.parametrize(
    "words",
    [("hook",), ("hook", "claud-code"), ("hook", "claude-code", "--bogus"), ("hook", "a", "b")],
)
def test_wrong_use_is_told_with_a_status_that_blocks_nobody(
    cli: Cli, words: tuple[str, ...]
) -> None:
    done = cli(*words, stdin=event())
    assert done.code not in (0, 2)
    assert done.out == ""
    assert "错误[brain_" in done.err


def test_auto_scope_is_the_hosts_folder(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    project = tmp_path / "web"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    cli("add", "前端端口是 5173", "--scope", "auto", cwd=project)
    asked = event("前端端口是多少", cwd=str(project))
    assert "5173" in cli("hook", "claude-code", "--scope", "auto", stdin=asked, cwd=Path("/")).out
    elsewhere = event("前端端口是多少", cwd="/")
    assert cli("hook", "claude-code", "--scope", "auto", stdin=elsewhere).out == ""


def test_it_goes_through_the_server(cli: Cli, tmp_path: Path) -> None:
    with Web(cli.home) as web:
        away = Cli(tmp_path)
        url = {"BRAIN_URL": web.url}
        near = cli("hook", "claude-code", stdin=event()).out
        assert away("hook", "claude-code", stdin=event(), env=url).out == near
        start = event(None, hook_event_name="SessionStart")
        assert "深色主题" in away("hook", "claude-code", stdin=start, env=url).out
    down = cli("hook", "claude-code", stdin=event(), env=url)
    assert (down.out, down.err) == (near, "")


def test_a_host_is_told_nothing_of_a_zone_nobody_knows(cli: Cli) -> None:
    """Such verbs say so themselves; the program knows none of them by name."""
    done = cli("hook", "claude-code", stdin=event(), env={"TZ": "Mars/Olympus"})
    assert (done.code, done.err) == (0, "")
    assert "brain_tz_unknown" in cli("inject", "值班群", env={"TZ": "Mars/Olympus"}).err
    assert [verb for verb in VERBS if about_of(load(verb)).for_host] == ["hook"]
    assert "hook" not in Path(program.__file__).read_text(encoding="utf-8").replace("its hook", "")


NOBODY_TYPED = {
    "claude-code": [
        "<task-notification>\n<task-id>b1</task-id>\n<result>值班群没有变，是青鸟群。</result>\n"
        "</task-notification>",
        "This session is being continued from a previous conversation. 值班群是哪个",
        "Another Claude session sent a message:\n<agent-message>值班群是哪个</agent-message>",
        "[Request interrupted by user]",
    ],
    "codex": ["<turn_aborted>\n值班群是哪个\n</turn_aborted>", "<skill>\n值班群是哪个\n</skill>"],
    "hermes": ["[IMPORTANT: Background process proc_1 completed.\nOutput: 值班群是哪个]"],
}


@pytest.mark.parametrize(
    ("host", "prompt"), [(h, prompt) for h, prompts in NOBODY_TYPED.items() for prompt in prompts]
)
def test_what_nobody_typed_gets_silence_and_counts_no_use(
    tmp_path: Path, host: str, prompt: str
) -> None:
    cli = Cli(tmp_path)
    cli("add", "值班群是青鸟群，三月一日起")
    given = {"hook_event_name": "pre_llm_call", "extra": {"user_message": prompt}}
    data = json.dumps(given).encode() if host == "hermes" else event(prompt)
    done = cli("hook", host, stdin=data)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not Path(f"{cli.db}-uses").exists()


def test_what_a_person_typed_among_it_is_answered(cli: Cli) -> None:
    prompt = "<system-reminder>\n只读模式\n</system-reminder>\n值班群是哪个"
    assert "青鸟群" in cli("hook", "claude-code", stdin=event(prompt)).out
    command = "<command-name>/ask</command-name>\n<command-args>值班群是哪个</command-args>"
    assert "青鸟群" in cli("hook", "claude-code", stdin=event(command)).out


def running(cli: Cli) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), "hook", "claude-code"],
        env=cli.env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("step", [1 << 20, 40], ids=["at once", "in pieces"])
def test_it_answers_though_its_input_is_never_closed(cli: Cli, step: int) -> None:
    data = event('值班群是哪个 }{"')
    with running(cli) as process:
        assert process.stdin is not None
        for start in range(0, len(data), step):
            process.stdin.write(data[start : start + step])
            process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None
        told = json.loads(process.stdout.read())
        assert "青鸟群" in told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("data", [b"", b"{", event()[:-1], b"[1"])
def test_it_falls_silent_when_the_object_never_ends(cli: Cli, data: bytes) -> None:
    with running(cli) as process:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
