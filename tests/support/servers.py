"""Real servers in processes of their own: MCP over stdio, spoken raw, and HTTP."""

from __future__ import annotations

import http.client
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.support import PATIENCE, ROOT
from tests.support.cli import PROGRAM, Cli
from tests.support.fork_server import Forked, may_fork

MCP = ROOT / "mcp_server.py"
MODERN = "2026-07-28"

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def at_start(folder: Path, code: str) -> dict[str, str]:
    """An environment in which Python runs some code before the program."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


def _started(
    words: list[str], env: Mapping[str, str], cwd: Path, *, cold: bool = False
) -> Forked | subprocess.Popen[bytes]:
    """A server's process; ``cold``, or with an environment of its own for Python, by ``exec``."""
    if not cold and words[0].endswith(".py") and may_fork(env):
        return Forked(words, env, cwd)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *words], stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd
    )


class Stdio:
    """An MCP server over stdio and the raw JSON-RPC that is spoken with it."""

    def __init__(
        self,
        home: Path,
        *args: str,
        model: str = "none",
        env: Mapping[str, str] | None = None,
        command: tuple[str, ...] = (str(MCP),),
        handshake: bool = True,
        cold: bool = False,
    ) -> None:
        self.cli = Cli(home, model)
        self.process = _started([*command, *args], self.cli.env(dict(env or {})), home, cold=cold)
        self.lines: list[bytes] = []
        self.errors: list[bytes] = []
        self._arrived: queue.Queue[bytes] = queue.Queue()
        self._next = 1
        ways = ((self.process.stdout, self._arrive), (self.process.stderr, self._err))
        self._drains = [threading.Thread(target=self._drain, args=way, daemon=True) for way in ways]
        for drain in self._drains:
            drain.start()
        self.hello: dict[str, Any] = {}
        if handshake:
            self.hello = self.initialize()

    def _arrive(self, line: bytes) -> None:
        self.lines.append(line)
        self._arrived.put(line)

    def _err(self, line: bytes) -> None:
        self.errors.append(line)

    @staticmethod
    def _drain(stream: Any, keep: Any) -> None:
        for line in iter(stream.readline, b""):
            keep(line)

    def initialize(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The older handshake."""
        about = {"name": "raw", "version": "1"}
        answer = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=about)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def send(self, message: Any) -> None:
        """One message; bytes go as they are."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next message from the server."""
        message = json.loads(self._arrived.get(timeout=timeout).decode("utf-8"))
        assert isinstance(message, dict)
        return message

    def request(self, method: str, **params: Any) -> int:
        """Sends a request and gives its id."""
        number, self._next = self._next, self._next + 1
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a request and waits for its answer."""
        number = self.request(method, **params)
        answer = self.receive()
        assert answer["id"] == number
        return answer

    def tool(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert isinstance(result, dict)
        return result

    def close(self) -> int:
        """Closes the server's input, waits for its end and has read all it said."""
        assert self.process.stdin
        self.process.stdin.close()
        code = self.process.wait(timeout=PATIENCE)
        for drain in self._drains:
            drain.join(PATIENCE)
        return code

    def __enter__(self) -> Stdio:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                try:
                    stream.close()
                except OSError:
                    continue


def text_of(result: Mapping[str, Any]) -> str:
    """The text of a tool's result."""
    return "".join(block["text"] for block in result["content"])


@dataclass(frozen=True)
class Reply:
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body.decode("utf-8"))

    @property
    def code(self) -> str:
        """The error's code."""
        code = self.json["error"]["code"]
        assert isinstance(code, str)
        return code


class Web:
    """``brain serve`` on a free port."""

    def __init__(
        self,
        home: Path,
        *args: str,
        model: str = "none",
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.cli = Cli(home, model)
        words = [str(PROGRAM), "serve", "--port", "0", "--json", "--no-token", *args]
        self.process = _started(words, self.cli.env(dict(env or {})), home)
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1].decode()
        self.url = json.loads(line)["url"]
        self.port = urlsplit(self.url).port
        self.errors: list[bytes] = []
        self._drain = threading.Thread(
            target=Stdio._drain, args=(self.process.stderr, self.errors.append), daemon=True
        )
        self._drain.start()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request on a connection of its own; bytes go as they are."""
        assert self.port
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {k.lower(): v for k, v in (headers or {}).items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("content-type", "application/json")
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            told = {k.lower(): v for k, v in response.getheaders()}
            return Reply(response.status, told, response.read())
        finally:
            connection.close()

    def post(self, path: str, **body: Any) -> Reply:
        return self.request("POST", path, body)

    def get(self, path: str, **query: str) -> Reply:
        return self.request("GET", f"{path}?{urlencode(query)}" if query else path)

    def __enter__(self) -> Web:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._drain.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
