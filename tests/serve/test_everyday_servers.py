"""Servers on an ordinary machine: who may ask, what '' stands for, how soon a host is greeted."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.serve.call_dispatch import Dispatcher
from brain.serve.catalog import CALLS
from brain.serve.mcp import handshake
from brain.serve.params import validated
from tests.support import PATIENCE, until
from tests.support.cli import PROGRAM, Cli


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Cli, str]]:
    """A server as anybody starts it, on a port of its own."""
    cli = Cli(tmp_path)
    cli("add", "值班群是青鸟群", "--tag", "值班")
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), "serve", "--port", "0", "--json"],
        env=cli.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    yield cli, json.loads(process.stdout.readline())["url"]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)


def status(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_loopback_asks_for_the_token_that_the_local_client_has(served: tuple[Cli, str]) -> None:
    cli, url = served
    kept = cli.home / ".brain" / "token"
    if os.name == "posix":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    token = kept.read_text().strip()
    assert status(f"{url}/stats") == 401
    assert status(f"{url}/stats", Authorization="Bearer wrong") == 401
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert status(f"{url}/stats", Authorization=f"{scheme} {token}") == 200
    found = cli("recall", "值班群", "--tag", "值班", "--json", env={"BRAIN_URL": url})
    assert [hit["tags"] for hit in found.json["hits"]] == [["值班"]]
    if os.name == "posix":
        kept.chmod(0o644)
        open_to_all = cli("recall", "值班群", "--json", env={"BRAIN_URL": url})
        assert open_to_all.code != 0 or "brain_token_refused" in open_to_all.err


def test_health_is_the_files(served: tuple[Cli, str]) -> None:
    cli, url = served
    bearer = "Bearer " + (cli.home / ".brain" / "token").read_text().strip()
    assert status(f"{url}/healthz", Authorization=bearer) == 200
    cli.db.write_bytes(b"no database at all" * 500)
    assert status(f"{url}/healthz", Authorization=bearer) == 503


BLANK = {
    "recall": {"query": "值班", "k": "", "kind": "", "as_of": "", "known_at": "", "tags": ""},
    "list": {"kind": "", "since": "", "until": "", "after": "", "limit": "", "source": ""},
    "add": {"text": "一句", "importance": "", "confidence": "", "valid_from": "", "valid_to": ""},
    "supersede": {"id": 1, "text": "新的", "new": "", "at": ""},
}


@pytest.mark.parametrize("name", BLANK)
@pytest.mark.parametrize("loose", [True, False])
def test_an_empty_string_is_as_good_as_not_given(name: str, loose: bool) -> None:
    given = BLANK[name]
    left = {k: v for k, v in given.items() if v != ""}
    assert validated(CALLS[name].fields, given, loose=loose) == left


def line(**params: object) -> bytes:
    usual = {"protocolVersion": "2025-06-18", "capabilities": {}}
    about = {"clientInfo": {"name": "host", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "initialize"}
    return json.dumps({**message, "params": {**usual, **about, **params}}).encode() + b"\n"


def test_the_handshake_says_what_the_sdk_would() -> None:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    assert handshake.VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    for asked, told in (("2024-11-05", "2024-11-05"), ("2099-01-01", handshake.VERSIONS[-1])):
        found = handshake.answer_to(line(protocolVersion=asked), "1")
        assert found is not None
        assert json.loads(found[1])["result"]["protocolVersion"] == told
    for other in (b"", b"{}", b"[]\n", b"\xff\n", line(clientInfo=3), line(capabilities=None)):
        assert handshake.answer_to(other, "1") is None


def test_a_host_is_greeted_before_the_sdk_is_there(tmp_path: Path) -> None:
    """Where the SDK cannot even be imported, the handshake is answered all the same."""
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("import time; time.sleep(3600)")
    cli = Cli(tmp_path)
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), "mcp"],
        env=cli.env({"PYTHONPATH": f"{tmp_path}{os.pathsep}{PROGRAM.parent}"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(line())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 7
    finally:
        process.kill()
        process.communicate()


class Resting:
    """A backend that notes when it is told to rest."""

    def __init__(self) -> None:
        self.rested = 0

    def call(self, name: str, args: object) -> object:
        return {}

    def warm(self) -> None: ...

    def check(self) -> None: ...

    def rest(self) -> None:
        self.rested += 1

    def close(self) -> None: ...


def test_a_server_that_nobody_asks_lets_the_file_go_once() -> None:
    import asyncio

    backend = Resting()
    desk = Dispatcher(backend, idle=0.2)  # type: ignore[arg-type]
    try:
        asyncio.run(desk.run("stats", lambda: desk.call("stats", {}), writes=False))
        until(lambda: backend.rested == 1)
        time.sleep(0.6)
        assert backend.rested == 1
    finally:
        desk.close()
