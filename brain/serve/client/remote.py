"""HTTP client of a running server: the standard library alone, so that a command starts at once."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import threading
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from brain.errors import EXIT_UNAVAILABLE, EXIT_USAGE, BrainError
from brain.serve import token_file
from brain.serve.http.routes import TO_CALL, Route
from brain.text.controls import visible

URL = "BRAIN_URL"
TOKEN = "BRAIN_TOKEN"
EXIT_HEADER = "Brain-Exit-Code"
"""The header in which the server tells an error's exit code."""

CONNECT_SECONDS = 1.0
ANSWER_SECONDS = 15.0
"""Longer than the engine waits for another writer (5 s), twice over."""

WHOLE_SECONDS = 30.0
"""How long an answer may take to its last byte."""

MOST_ANSWER = 64 * 1024 * 1024
LONGEST_MESSAGE = 2_000
"""Bytes of an answer, characters of an error's message: a server is not trusted."""

_CODE = re.compile(r"brain_[a-z0-9_]{1,60}")


class UnreachableError(Exception):
    """No server of ours answers there; the message says why, in Chinese."""

    def as_error(self, url: str) -> BrainError:
        """``brain_server_unreachable`` (69), for where nothing else can answer."""
        told = f"{URL}={url} 连不上（{self}）；先启动 brain serve，或去掉这个环境变量。"
        return BrainError("brain_server_unreachable", told, EXIT_UNAVAILABLE)


class Remote:
    """The server at an address; may be used from several threads.

    Raises:
        BrainError: ``brain_url_invalid`` (2) for what is no ``http(s)://host[:port][/path]``.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.scheme not in ("http", "https") or not host:
            told = f"{URL}={url[:80]} 不是 http:// 开头的地址，如 http://127.0.0.1:8766。"
            raise BrainError("brain_url_invalid", told, EXIT_USAGE)
        self.host = host
        self._port = port
        self._secure = parts.scheme == "https"
        self._prefix = parts.path.rstrip("/")

    def call(self, name: str, args: Mapping[str, Any]) -> Any:
        """The JSON of a call.

        Raises:
            BrainError: what the call raises over there, and ``brain_server_unreachable`` (69).
        """
        try:
            return self.ask(name, args)
        except UnreachableError as error:
            raise error.as_error(self.url) from None

    def warm(self) -> None:
        """The server is warm, or will be."""

    def check(self) -> None:
        """The server says it itself."""
        self.call("stats", {})

    def rest(self) -> None:
        """The file is the server's."""

    def close(self) -> None:
        """Nothing is held."""

    def ask(self, name: str, args: Mapping[str, Any]) -> Any:
        """As :meth:`call`, but raises :class:`UnreachableError` where no server of ours answers."""
        path, body = _request(TO_CALL[name], args)
        try:
            status, exit_code, data = self._exchange(TO_CALL[name].method, path, body)
            answer = json.loads(data)
        except (OSError, HTTPException) as error:
            told = getattr(error, "strerror", None) or str(error)
            raise UnreachableError(_visible(told)) from None
        except (ValueError, RecursionError):
            raise UnreachableError("回答的不是 brain 服务器") from None
        if status == 200:
            return answer
        try:
            told = answer["error"]
            code, number = str(told["code"]), int(exit_code or "")
            if not (_CODE.fullmatch(code) and 0 < number < 128):
                raise ValueError(code)
            override = str(told.get("override", ""))
            message = _visible(str(told["message"]))
            refused = BrainError(
                code, message, number, override=override if override.isidentifier() else ""
            )
        except (KeyError, TypeError, ValueError):
            raise UnreachableError("回答的不是 brain 服务器") from None
        raise refused

    def _is_here(self) -> bool:
        """Whether it is a server of this machine: its token goes nowhere else."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")

    def _exchange(
        self, method: str, path: str, body: bytes | None
    ) -> tuple[int, str | None, bytes]:
        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self.host, self._port, timeout=CONNECT_SECONDS)
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        token = os.environ.get(TOKEN) or (token_file.read() if self._is_here() else None)
        if token:
            headers["Authorization"] = f"Bearer {token}".encode().decode("latin-1")
        try:
            connection.connect()
            sock = connection.sock
            sock.settimeout(ANSWER_SECONDS)
            # A server that says a byte now and then would never run into the time of a read.
            end = threading.Timer(WHOLE_SECONDS, _hang_up, [sock])
            end.daemon = True
            end.start()
            try:
                connection.request(method, self._prefix + path, body, headers)
                response = connection.getresponse()
                data = response.read(MOST_ANSWER + 1)
            finally:
                end.cancel()
            if len(data) > MOST_ANSWER:
                raise UnreachableError(f"回答超过 {MOST_ANSWER // 2**20} MiB")
            return response.status, response.getheader(EXIT_HEADER), data
        finally:
            connection.close()


def _hang_up(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def _visible(told: str) -> str:
    """What somebody else said, on one line, without what a terminal would obey, not too long."""
    return visible(" ".join(told[:LONGEST_MESSAGE].split()))


def _request(route: Route, args: Mapping[str, Any]) -> tuple[str, bytes | None]:
    """The path with its query, and the body."""
    rest = {name: value for name, value in args.items() if value is not None}
    path = route.path
    if "{id}" in path:
        path = path.replace("{id}", quote(str(rest.pop("id")), safe=""))
    if route.method != "GET":
        return path, json.dumps(rest).encode("ascii")
    told = {
        k: json.dumps(v)
        if isinstance(v, bool)
        else ",".join(v)
        if isinstance(v, list | tuple)
        else v
        for k, v in rest.items()
    }
    return (f"{path}?{urlencode(told, errors='replace')}" if told else path), None
