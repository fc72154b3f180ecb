"""Servers and clients that do not keep to the rules: nobody is kept busy, nobody is believed."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from brain.errors import BrainError
from brain.serve.call_dispatch import Dispatcher, LocalBackend
from brain.serve.client import remote
from brain.serve.client.remote import Remote, UnreachableError
from brain.serve.client.results import RemoteBrain
from brain.serve.http import app, auth, server
from tests.support import PATIENCE
from tests.support.cli import Cli
from tests.support.servers import Web


@contextmanager
def lying(answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """A server that does with each connection what it likes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            while True:
                try:
                    taken, _ = listening.accept()
                except OSError:
                    return
                with taken:
                    try:
                        taken.recv(65536)
                        answer(taken)
                    except OSError:
                        pass

        threading.Thread(target=run, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def response(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""])
    return head.encode() + body


def drip(taken: socket.socket) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"a" * 10_000:
        taken.sendall(bytes([byte]))
        time.sleep(0.02)


def endless(taken: socket.socket) -> None:
    taken.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        taken.sendall(b" " * 65536)


LIES: dict[str, Callable[[socket.socket], object]] = {
    "a drip": drip,
    "no end": endless,
    "deep": lambda s: s.sendall(response(b"[" * 200_000 + b"]" * 200_000)),
    "another shape": lambda s: s.sendall(response(b'{"hits": 7, "query": []}')),
    "a list": lambda s: s.sendall(response(b"[1]")),
    "no status": lambda s: s.sendall(b"\x1b[31m nonsense\r\n\r\n"),
    "an error of no code": lambda s: s.sendall(
        response(
            b'{"error": {"code": "\\u001b[31m", "message": "m"}}', "400 X", "Brain-Exit-Code: 65"
        )
    ),
    "an exit code of success": lambda s: s.sendall(
        response(b'{"error": {"code": "brain_x", "message": "m"}}', "400 X", "Brain-Exit-Code: 0")
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_is_no_server(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "WHOLE_SECONDS", 1.0)
    monkeypatch.setattr(remote, "MOST_ANSWER", 1024 * 1024)
    with lying(LIES[lie]) as url, pytest.raises(UnreachableError) as caught:
        RemoteBrain(Remote(url)).recall("值班群是哪个")
    assert "\x1b" not in str(caught.value)


def test_what_a_server_says_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    told = {"error": {"code": "brain_refused", "message": "不行\x1b[2J\n错误[x]: \u202e假的"}}
    body = json.dumps(told).encode()
    with lying(lambda s: s.sendall(response(body, "400 X", "Brain-Exit-Code: 65"))) as url:
        done = Cli(tmp_path)("recall", "值班群", env={"BRAIN_URL": url})
    assert done.code == 65
    assert "\\x1b[2J" in done.err
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err
    assert len(done.err.splitlines()) == 1


UNFINISHED = {
    "nothing": b"",
    "a head": b"POST /recall HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "a body without token": b"POST /recall HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n{",
    "a body": (
        b"POST /recall HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n"
        b"Content-Type: application/json\r\nAuthorization: Bearer a long secret\r\n\r\n{"
    ),
    "a goodbye": b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
}


def half_open(url: str, sent: bytes, count: int) -> list[socket.socket]:
    port = int(url.rsplit(":", 1)[1])
    out = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        connection.sendall(sent)
        out.append(connection)
    return out


def test_connections_that_never_finish_keep_nobody_out(tmp_path: Path) -> None:
    with Web(tmp_path, env={"BRAIN_TOKEN": "a long secret"}) as web:
        bearer = {"Authorization": "Bearer a long secret"}
        for kind, sent in UNFINISHED.items():
            held = half_open(web.url, sent, server.MAX_CONNECTIONS + 20)
            try:
                assert web.request("GET", "/healthz", None, bearer).status == 200, kind
                held[0].settimeout(PATIENCE)
                with suppress(ConnectionResetError):
                    while held[0].recv(4096):
                        continue
            finally:
                for connection in held:
                    connection.close()


def test_a_body_too_large_is_told_while_it_is_still_being_sent(tmp_path: Path) -> None:
    with Web(tmp_path) as web:
        port = int(web.url.rsplit(":", 1)[1])
        for known in (True, False):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            body = b" " * (auth.MAX_BODY + 3_000_000)
            headers = {"Content-Type": "application/json"}
            given = body if known else iter([body[:1_000_000]] * 11)
            connection.request("POST", "/recall", given, headers, encode_chunked=not known)
            answer = connection.getresponse()
            assert answer.status == 413
            assert json.loads(answer.read())["error"]["code"] == "brain_body_too_large"
            connection.close()


@pytest.mark.parametrize("given", ["§", "zwxyq42"])
def test_a_token_that_can_be_guessed_is_refused(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_TOKEN", given)
    for host in ("127.0.0.1", "0.0.0.0"):
        with pytest.raises(BrainError) as caught:
            auth.require_token(host)
        assert (caught.value.code, caught.value.exit_code) == ("brain_token_weak", 2)
        assert given not in caught.value.message


def test_a_message_again_and_again_is_told_a_few_times() -> None:
    now = 0.0
    flood = server.Flood(lambda: now)

    def told(message: str) -> str | None:
        record = logging.LogRecord("asyncio", logging.ERROR, "f", 1, message, None, None)
        return str(record.msg) if flood.filter(record) else None

    assert [told("没有描述符了") is not None for _ in range(100)].count(True) == 5
    assert told("另一句") == "另一句"
    now = 61.0
    assert told("没有描述符了") == "没有描述符了（之前同样的还有 95 次，没有记）"


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose clock can be put forward: whatever waits for a time waits for this."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    async def pass_over(self, seconds: float) -> None:
        self.ahead += seconds
        for _ in range(20):  # what was due runs, and what that wakes up
            await asyncio.sleep(0)


def test_sessions_that_were_never_closed_end_and_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_SESSIONS", 3)
    desk = Dispatcher(LocalBackend(tmp_path / "m.db"))
    built = app.build(desk, "1")
    statuses: dict[str, list[int]] = {}

    async def told(status: str, **about: Any) -> str:
        """The session of a message that is posted; its status is noted."""
        head = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-session-id": about.pop("session", None),
        }
        body = json.dumps({"jsonrpc": "2.0", "id": 1, **about}).encode()
        arriving = [{"type": "http.request", "body": body}]
        answer: dict[str, Any] = {}

        async def receive() -> dict[str, Any]:
            return arriving.pop() if arriving else await asyncio.Future()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.update(message)

        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "path": "/mcp",
            "raw_path": b"/mcp", "query_string": b"", "root_path": "", "scheme": "http",
            "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "state": {},
            "headers": [(k.encode(), v.encode()) for k, v in head.items() if v is not None],
        }  # fmt: skip
        await built(scope, receive, send)
        statuses.setdefault(status, []).append(answer["status"])
        return dict(answer["headers"]).get(b"mcp-session-id", b"").decode()

    hello = {
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    ping = {"method": "ping", "params": {}}

    async def run() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Clock)
        async with built.router.lifespan_context(built):
            first, second, _ = [await told("opened", **hello) for _ in range(3)]
            await told("one too many", **hello)
            await loop.pass_over(app.SESSION_SECONDS - 60)
            await told("in use", session=first, **ping)
            await loop.pass_over(120)
            await told("in use", session=first, **ping)
            await told("ended", session=second, **ping)
            await told("opened", **hello)
            await told("opened", **hello)
            await loop.pass_over(app.SESSION_SECONDS + 1)
            await told("ended", session=first, **ping)
            for _ in range(3):
                await told("opened", **hello)

    with asyncio.Runner(loop_factory=Clock) as runner:
        runner.run(run())
    desk.close()
    assert statuses == {
        "opened": [200] * 8,
        "one too many": [503],
        "in use": [200] * 2,
        "ended": [404] * 2,
    }
