"""docs/hosts.md tells the truth: what a reader copies from it parses, starts and answers."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from brain import Brain
from brain.cli.commands import hook
from examples.openai_chat import Chat
from tests.support import PATIENCE, ROOT
from tests.support.cli import PROGRAM, Cli
from tests.support.servers import Web

TEXT = (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
HOME = "/home/me"
SERVER = "http://127.0.0.1:8766"
READERS = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}


def blocks(title: str, *languages: str) -> list[str]:
    """The code blocks of a section in the languages given."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", SECTIONS[title], re.M | re.S)
    return [text for language, text in found if language in languages]


def configurations(title: str) -> list[Any]:
    """What the JSON, TOML and YAML blocks of a section say."""
    return [READERS[lang](text) for lang in READERS for text in blocks(title, lang)]


def within(value: Any, key: str) -> Iterator[Any]:
    """Every object in a value that has a key."""
    if isinstance(value, dict):
        if key in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from within(inner, key)


def launches() -> list[tuple[str, list[str], dict[str, str]]]:
    """Every way the page starts an MCP server over stdio: section, command, environment."""
    found = []
    for title in SECTIONS:
        for configuration in configurations(title):
            for one in within(configuration, "args"):
                command = [one["command"], *one["args"]]
                found.append((title, command, one.get("env", {})))
        for line in "\n".join(blocks(title, "sh")).splitlines():
            words = shlex.split(line, comments=True)
            if words[1:3] == ["mcp", "add"] and "--" in words:
                found.append((title, words[words.index("--") + 1 :], {}))
            elif words[1:3] == ["mcp", "add"] and "--command" in words:
                args = [words[i + 1] for i, word in enumerate(words) if word == "--arg"]
                found.append((title, [words[words.index("--command") + 1], *args], {}))
    return found


LAUNCHES = launches()


class House:
    """A stand-in for the reader's home, with the program where the page says it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cli = Cli(folder)
        program = Path(self.own(f"{HOME}/brain/.venv/bin/brain"))
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAM}" "$@"\n')
        program.chmod(0o755)
        (folder / "notes").mkdir()

    def own(self, text: str) -> str:
        """A line of the page with the reader's own folder in it."""
        return text.replace(HOME, str(self.folder))

    def run(
        self, command: list[str], data: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a command of the page with no more of an environment than a host gives."""
        told = {name: self.own(value) for name, value in (env or {}).items()}
        given = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "BRAIN_MODEL": "none"}
        return subprocess.run(
            [self.own(word) for word in command],
            input=data,
            capture_output=True,
            env={**given, **told},
            cwd=self.folder,
            timeout=PATIENCE,
            check=False,
        )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    made = House(tmp_path_factory.mktemp("home"))
    default = {"BRAIN_DB": str(made.folder / ".brain" / "brain.db")}
    for db in (default, {"BRAIN_DB": str(made.folder / "notes" / "work.db")}):
        made.cli("add", "值班群是青鸟群，三月一日起", env=db)
    made.cli("add", "用户喜欢深色主题", "--kind", "preference", "--pin", env=default)
    return made


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    home = tmp_path_factory.mktemp("server")
    Cli(home)("add", "值班群是青鸟群，三月一日起")
    token = {"BRAIN_TOKEN": "a long secret"}
    with Web(home, "--allow-host", "host.docker.internal", env=token) as server:
        yield server


def message(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


HELLO = message(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "host", "version": "1"},
)
ASK = message(2, "tools/call", name="inject", arguments={"query": "值班群是哪个"})


def test_every_host_has_a_section_and_every_section_is_linked() -> None:
    hosts = "Claude Code|Codex CLI|Cursor|Claude Desktop|Cherry Studio|Trae|Qoder|Hermes Agent"
    assert {*hosts.split("|"), "OpenClaw", "Dify", "Python 和 OpenAI SDK"} <= set(SECTIONS)
    anchors = {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in SECTIONS}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / "docs" / link).exists(), link


def test_every_block_parses() -> None:
    for title in SECTIONS:
        configurations(title)
        for code in blocks(title, "python"):
            compile(code, title, "exec")
    languages = set(re.findall(r"^```(\w+)$", TEXT, re.M))
    assert languages == {"json", "toml", "yaml", "python", "sh", "ini", "js"}


def test_every_command_is_the_program_by_its_full_path() -> None:
    assert len(LAUNCHES) >= 12
    for title, command, _ in LAUNCHES:
        if title == "Windows":
            assert command == [r"C:\Users\me\brain\.venv\Scripts\brain.exe", "mcp"]
        else:
            assert command == [f"{HOME}/brain/.venv/bin/brain", "mcp"], title


ENVIRONMENTS = {json.dumps(env, sort_keys=True): env for _, _, env in LAUNCHES}.values()


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=lambda env: "+".join(env) or "none")
def test_the_mcp_server_starts_as_written_and_answers(
    house: House, web: Web, env: dict[str, str]
) -> None:
    if "BRAIN_URL" in env:
        assert env["BRAIN_URL"] == SERVER
        env = {"BRAIN_URL": web.url, "BRAIN_TOKEN": "a long secret"}
    command = next(command for title, command, _ in LAUNCHES if title != "Windows")
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    sent = "".join(json.dumps(one) + "\n" for one in (HELLO, ready, ASK))
    done = house.run(command, sent.encode(), env)
    hello, answer = map(json.loads, done.stdout.decode("utf-8").splitlines())
    assert hello["result"]["serverInfo"]["name"] == "brain"
    assert "青鸟群" in answer["result"]["structuredContent"]["block"], done.stderr


def prompted(name: str, **more: Any) -> dict[str, Any]:
    return {"session_id": "5d3c", "cwd": "/", "hook_event_name": name, **more}


SAID = "值班群是哪个"

EVENTS: dict[str, dict[str, dict[str, Any]]] = {
    "Claude Code": {
        "UserPromptSubmit": {
            "transcript_path": "/x.jsonl",
            "permission_mode": "default",
            "prompt": SAID,
        },
        "SessionStart": {"transcript_path": "/x.jsonl", "source": "startup", "model": "m"},
    },
    "Codex CLI": {
        "UserPromptSubmit": {
            "transcript_path": None,
            "turn_id": "t",
            "model": "m",
            "permission_mode": "default",
            "prompt": SAID,
        },
        "SessionStart": {"transcript_path": None, "source": "startup", "model": "m"},
    },
    "Qoder": {"UserPromptSubmit": {"prompt": SAID}, "SessionStart": {"source": "startup"}},
    "Trae": {
        "UserPromptSubmit": {"workspace_roots": ["/"], "prompt": SAID},
        "SessionStart": {"workspace_roots": ["/"]},
    },
    "Cursor": {
        "beforeSubmitPrompt": {
            "conversation_id": "c",
            "generation_id": "g",
            "model": "m",
            "cursor_version": "3.20.17",
            "workspace_roots": ["/"],
            "prompt": SAID,
            "attachments": [],
        },
        "sessionStart": {"conversation_id": "c", "workspace_roots": ["/"]},
    },
    "Hermes Agent": {
        "pre_llm_call": {
            "tool_name": None,
            "tool_input": None,
            "profile": "default",
            "extra": {"user_message": SAID, "conversation_history": [], "is_first_turn": True},
        },
    },
}
"""What each host writes to a hook's stdin, by its documentation."""


def told_by(title: str, event: str, answer: Any) -> str:
    """The context in an answer, taken out of exactly the form the host reads."""
    if title == "Cursor":
        expected = {"continue", "additional_context"}
        assert set(answer) == (
            expected if event == "beforeSubmitPrompt" else expected - {"continue"}
        )
        assert answer.get("continue", True) is True
        return str(answer["additional_context"])
    if title == "Hermes Agent":
        assert set(answer) == {"context"}
        return str(answer["context"])
    assert set(answer) == {"hookSpecificOutput"}
    inner = answer["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext"}
    assert inner["hookEventName"] == event
    return str(inner["additionalContext"])


def hook_command(title: str, event: str) -> list[str]:
    """The command the page has the host run at an event."""
    (entries,) = [one[event] for one in within(configurations(title), event)]
    (command,) = {one["command"] for one in within(entries, "command")}
    return shlex.split(command)


@pytest.mark.parametrize(
    ("title", "event"), [(title, event) for title, events in EVENTS.items() for event in events]
)
def test_a_hook_answers_in_its_hosts_form(house: House, title: str, event: str) -> None:
    command = hook_command(title, event)
    given = prompted(event, **EVENTS[title][event])
    done = house.run(command, json.dumps(given, ensure_ascii=False).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    told = told_by(title, event, json.loads(done.stdout))
    assert ("深色主题" if "tart" in event else "青鸟群") in told


@pytest.mark.parametrize("title", ["Cursor", "Hermes Agent", "Trae"])
@pytest.mark.parametrize(
    "data", [b"", b"[1]", b'{"extra": "x", "prompt": ["x"], "workspace_roots": {}}', None]
)
def test_a_hook_with_nothing_to_say_is_silent(house: House, title: str, data: bytes | None) -> None:
    event = next(iter(EVENTS[title]))
    if data is None:
        given = json.dumps(prompted(event, **EVENTS[title][event]), ensure_ascii=False)
        data = given.replace(SAID, "火星上有几座咖啡馆").encode()
    done = house.run(hook_command(title, event), data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("host", hook.HOSTS)
@pytest.mark.parametrize("name", ["Stop", "afterFileEdit", "on_session_start", "", None, 5, ["x"]])
def test_other_events_concern_no_hook(host: str, name: object) -> None:
    given = {"hook_event_name": name, "prompt": SAID, "extra": {"user_message": SAID}}
    assert hook.parse_event(host, json.dumps(given).encode()) is None


@pytest.mark.parametrize("host", hook.HOSTS)
def test_the_page_and_the_reference_name_every_host(host: str) -> None:
    assert f"`brain hook {host}`" in TEXT
    assert f"`{host}`" in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_auto_scope_is_the_first_workspace_of_cursor(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    project = tmp_path / "web"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    cli("add", "前端端口是 5173", "--scope", "auto", cwd=project)
    for roots, found in ([str(project), "/"], True), (["/"], False), ([], False):
        event = {"prompt": "前端端口是多少", "workspace_roots": roots}
        done = cli("hook", "cursor", "--scope", "auto", stdin=json.dumps(event).encode())
        assert ("5173" in done.out) is found


def send(web: Web, method: str, path: str, body: Any, host: str) -> tuple[int, bytes]:
    """A request as from a container: by the host's name, with the token."""
    assert web.port
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)
    headers = {
        "Host": f"{host}:{web.port}",
        "Authorization": "Bearer a long secret",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    try:
        connection.request(method, path, json.dumps(body) if body else None, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_hosts_that_take_an_address_reach_the_shared_server(web: Web) -> None:
    urls = [one["url"] for title in SECTIONS for one in within(configurations(title), "url")]
    lines = "\n".join(blocks("一个服务器，许多窗口", "sh"))
    urls += re.findall(r"http://\S+/mcp", lines)
    assert len(urls) >= 6
    assert set(urls) == {f"{SERVER}/mcp"}
    status, body = send(web, "POST", "/mcp", HELLO, "127.0.0.1")
    assert status == 200
    assert b'"serverInfo"' in body


def test_dify_reaches_it_from_a_container(web: Web) -> None:
    (line,) = blocks("Dify", "sh")
    assert "--allow-host host.docker.internal" in line
    told = SECTIONS["Dify"]
    assert "http://host.docker.internal:8766/mcp" in told
    assert send(web, "POST", "/mcp", HELLO, "host.docker.internal")[0] == 200
    assert send(web, "POST", "/mcp", HELLO, "elsewhere.example")[0] == 421
    query = "%E5%80%BC%E7%8F%AD%E7%BE%A4%E6%98%AF%E5%93%AA%E4%B8%AA"
    status, body = send(web, "GET", f"/inject?q={query}", None, "host.docker.internal")
    assert status == 200
    (node,) = blocks("Dify", "python")
    names: dict[str, Any] = {}
    exec(compile(node, "node", "exec"), names)
    assert "青鸟群" in names["main"](body.decode("utf-8"))["block"]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_openclaw_plugin_brings_the_block_and_fails_softly(web: Web, tmp_path: Path) -> None:
    package, manifest = blocks("OpenClaw", "json")
    (code,) = blocks("OpenClaw", "js")
    entry = json.loads(package)["openclaw"]["extensions"][0]
    (tmp_path / "package.json").write_text(package, encoding="utf-8")
    (tmp_path / entry).write_text(code, encoding="utf-8")
    sdk = tmp_path / "node_modules" / "openclaw"
    sdk.mkdir(parents=True)
    sdk.joinpath("package.json").write_text(
        '{"type": "module", "exports": {"./plugin-sdk/plugin-entry": "./entry.js"}}'
    )
    sdk.joinpath("entry.js").write_text("export const definePluginEntry = (entry) => entry;")
    (tmp_path / "host.js").write_text(
        'import plugin from "./index.js";\n'
        "const on = {};\n"
        "plugin.register({ on: (name, handler) => { on[name] = handler; } });\n"
        "const told = [];\n"
        "for (const event of JSON.parse(process.argv[2]))\n"
        "  told.push((await on.before_prompt_build(event)) ?? null);\n"
        "console.log(JSON.stringify([plugin.id, ...told]));\n"
    )
    asked = [
        {"prompt": "旧话\n" + SAID, "currentUserMessage": SAID, "messages": []},
        {"prompt": SAID, "messages": []},
        {"prompt": "火星上有几座咖啡馆"},
        {"prompt": SAID, "currentUserMessage": ""},
    ]

    def run(url: str) -> list[Any]:
        env = {**os.environ, "BRAIN_URL": url, "BRAIN_TOKEN": "a long secret"}
        done = subprocess.run(
            ["node", "host.js", json.dumps(asked)],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        told = json.loads(done.stdout)
        assert isinstance(told, list)
        return told

    name, *told = run(web.url)
    assert name == json.loads(manifest)["id"]
    assert [one and set(one) for one in told] == [{"appendContext"}, {"appendContext"}, None, None]
    assert "青鸟群" in told[0]["appendContext"]
    assert run("http://127.0.0.1:9")[1:] == [None] * 4


def unit(house: House) -> str:
    (text,) = blocks("一个服务器，许多窗口", "ini")
    return house.own(text)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd")
def test_the_unit_is_one_systemd_takes(house: House, tmp_path: Path) -> None:
    file = tmp_path / "brain.service"
    file.write_text(unit(house), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(file)],
        capture_output=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        timeout=PATIENCE,
        check=False,
    )
    assert b"brain.service" not in done.stderr, done.stderr


def test_the_units_command_serves(house: House) -> None:
    (line,) = re.findall(r"^ExecStart=(.+)$", unit(house), re.M)
    command = [word.replace("8766", "0") for word in shlex.split(line)]
    env = {"HOME": str(house.folder), "PATH": os.environ["PATH"], "BRAIN_MODEL": "none"}
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    ) as process:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        process.terminate()
    assert told["url"].startswith("http://127.0.0.1:")
    assert process.returncode == 0


@pytest.mark.parametrize("verb", ["stats", "hook"])
def test_what_to_try_first_works(house: House, verb: str) -> None:
    (text,) = blocks("接不上时", "sh")
    (line,) = [line for line in text.splitlines() if f"brain {verb}" in line]
    done = house.run(["sh", "-c", line])
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout


class Endpoint:
    """A tiny OpenAI-compatible endpoint that says what it is told to and keeps what it is asked."""

    def __init__(self, *replies: str) -> None:
        self.asked: list[dict[str, Any]] = []
        left = list(replies)
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked.append({"path": self.path, **body})
                said = {"role": "assistant", "content": left.pop(0)}
                choice = {"index": 0, "message": said, "finish_reason": "stop"}
                told = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
                data = json.dumps({**told, "choices": [choice]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Keeps the test's output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_the_example_asks_the_memory_before_and_keeps_after(tmp_path: Path) -> None:
    openai = pytest.importorskip("openai")
    kept = "- 会议改到每周四\n无\n"
    with (
        Endpoint("在青鸟群。", kept, "周四。", "无") as endpoint,
        Brain.open(tmp_path / "chat.db", model="none") as brain,
    ):
        brain.add("值班群是青鸟群，三月一日起")
        client = openai.OpenAI(base_url=endpoint.url, api_key="none", max_retries=0)
        chat = Chat(brain, client, "m")
        assert chat.say("值班群是哪个") == "在青鸟群。"
        assert chat.keep() == ["会议改到每周四"]
        assert chat.say("会议改到每周几") == "周四。"
        assert chat.keep() == []
        stored = {m.text: m.source for m in brain.list()}
    assert stored["会议改到每周四"] == "model"
    first, keeping, second, _ = (one["messages"] for one in endpoint.asked)
    assert {one["path"] for one in endpoint.asked} == {"/v1/chat/completions"}
    assert first[-1]["content"].startswith("值班群是哪个\n\n⟦记忆⟧")
    assert first[-1]["content"].endswith("⟦/记忆⟧")
    assert "⟦记忆⟧ 以下" not in keeping[-1]["content"]
    assert second[:-1] == [
        first[0],
        {"role": "user", "content": "值班群是哪个"},
        {"role": "assistant", "content": "在青鸟群。"},
    ]
    assert "会议改到每周四" in second[-1]["content"]


def test_the_example_runs_on_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    cli = Cli(tmp_path)
    cli("add", "值班群是青鸟群，三月一日起")
    with Endpoint("在青鸟群。", "无") as endpoint:
        told = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "m"}
        done = subprocess.run(
            [sys.executable, "-m", "examples.openai_chat"],
            input=f"{SAID}\n".encode(),
            capture_output=True,
            cwd=ROOT,
            env={**cli.env(told), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
            | {"PYTHONIOENCODING": "utf-8"},
            timeout=PATIENCE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "在青鸟群。" in done.stdout.decode("utf-8")
