"""HTTP POST of JSON to a model server: bounded in time and size, redirected nowhere, not trusted.

What is sent goes to the address a person has set and to no other. Nothing of what the server says
beyond its status gets into a message, and the key gets into none at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import threading
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from brain.errors import EXIT_USAGE, BrainError

ALLOW_HTTP = "BRAIN_EMBED_ALLOW_HTTP"
"""Set to 1, texts may go over plain http to another machine."""

MOST_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer: 32 vectors of 4,096 numbers are about 3 MiB as JSON."""

_RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


class PostError(Exception):
    """A request that came to nothing.

    Args:
        why: ``timeout``, ``unreachable``, ``status`` or ``answer``.
        told: a Chinese clause.
        again: whether asking once more may help.
        pause: seconds the server asks to be left alone; 0 where it says nothing.
        status: of HTTP, or 0.
    """

    def __init__(
        self, why: str, told: str, *, again: bool = False, pause: float = 0.0, status: int = 0
    ) -> None:
        super().__init__(told)
        self.why, self.told, self.again = why, told, again
        self.pause, self.status = pause, status


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model server is: an origin and the path of one of its routes."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """``host``, with the port where it is not the scheme's own."""
        named = f"[{self.host}]" if ":" in self.host else self.host
        return named if self.port == (443 if self.secure else 80) else f"{named}:{self.port}"

    @property
    def here(self) -> bool:
        """Whether it is this machine."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")


def address(variable: str, url: str, route: str) -> Address:
    """Reads the address of a server out of an environment variable's value.

    Args:
        variable: its name, for the message.
        url: an origin (``/v1`` and the route follow), a base like ``…/v1`` (the route follows), or
            the whole address of the route.
        route: the last part of the path, ``embeddings``.

    Raises:
        BrainError: ``brain_embed_url`` (2): no http(s) address, one with a password in it, or
            plain http to another machine.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    bad = parts.scheme not in ("http", "https") or not host or "@" in parts.netloc
    if bad or not url.isascii() or any(c <= " " for c in url):
        raise BrainError(
            "brain_embed_url",
            f"{variable} 不是 http(s):// 开头、不带用户名和口令的地址，如 http://127.0.0.1:11434/v1。",
            EXIT_USAGE,
        )
    assert host is not None
    path = parts.path.rstrip("/")
    if not path:
        path = f"/v1/{route}"
    elif not path.endswith(f"/{route}"):
        path = f"{path}/{route}"
    if parts.query:
        path = f"{path}?{parts.query}"
    secure = parts.scheme == "https"
    found = Address(secure, host.lower(), port or (443 if secure else 80), path)
    if not secure and not found.here and os.environ.get(ALLOW_HTTP) != "1":
        raise BrainError(
            "brain_embed_url",
            f"{variable} 是明文的 http，而 {found.origin} 不是本机：文本会不加密地经过网络；"
            f"请用 https，或确认网络可信后设 {ALLOW_HTTP}=1。",
            EXIT_USAGE,
        )
    return found


def checked_key(variable: str) -> str | None:
    """The key in an environment variable, or None.

    Raises:
        BrainError: ``brain_embed_key`` (2) where it could not stand in a header; not shown.
    """
    key = os.environ.get(variable, "").strip()
    if any(not "!" <= c <= "~" for c in key):
        raise BrainError(
            "brain_embed_key",
            f"{variable} 里有空白、换行或非 ASCII 字符，不像一个密钥。",
            EXIT_USAGE,
        )
    return key or None


def post(where: Address, key: str | None, body: object, seconds: float) -> Any:
    """The JSON a server answers with.

    A socket's timeout counts anew for the name look-up, each address and each byte, so the whole
    runs in a thread that is left behind, its connection shut, when the time is up.

    Args:
        key: sent as a bearer token.
        body: what becomes JSON.
        seconds: for all of it.

    Raises:
        PostError: what came of it.
    """
    data = json.dumps(body).encode("ascii")
    seconds = max(seconds, 0.001)
    box: queue.SimpleQueue[Any] = queue.SimpleQueue()
    opened: list[HTTPConnection] = []

    def work() -> None:
        try:
            box.put((_exchange(where, key, data, seconds, opened),))
        except Exception as error:
            box.put(error)

    threading.Thread(target=work, daemon=True).start()
    late = PostError("timeout", f"{where.origin} 没有在 {seconds:.1f} 秒内答完")
    try:
        result = box.get(timeout=seconds)
    except queue.Empty:
        for one in opened:
            _hang_up(one)
        raise late from None
    if isinstance(result, tuple):
        return result[0]
    if isinstance(result, PostError):
        raise result
    if isinstance(result, TimeoutError):
        raise late
    if isinstance(result, ValueError | RecursionError):
        raise PostError("answer", f"{where.origin} 的回答不是 JSON")
    broken = isinstance(result, ConnectionResetError | HTTPException)
    raise PostError(
        "unreachable", f"{where.origin} {'断开了连接' if broken else '连不上'}", again=broken
    )


def _exchange(
    where: Address, key: str | None, data: bytes, seconds: float, opened: list[HTTPConnection]
) -> Any:
    connection = _connection(where, seconds)
    opened.append(connection)
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "brain-memory",
    }
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        connection.request("POST", where.path, data, headers)
        response = connection.getresponse()
        status = response.status
        if status != 200:
            # Its body is not looked at: it may repeat what was sent, the key among it.
            told = "要求转到别处，没有跟去" if 300 <= status < 400 else f"拒绝了（HTTP {status}）"
            raise PostError(
                "status",
                f"{where.origin} {told}",
                again=status in _RETRIED_STATUS,
                pause=_pause(response.getheader("Retry-After")),
                status=status,
            )
        found = response.read(MOST_ANSWER + 1)
        if len(found) > MOST_ANSWER:
            raise PostError("answer", f"{where.origin} 的回答超过 {MOST_ANSWER // 2**20} MiB")
        return json.loads(found)
    finally:
        connection.close()


def _connection(where: Address, seconds: float) -> HTTPConnection:
    if not where.secure:
        return HTTPConnection(where.host, where.port, timeout=seconds)
    proxy = None
    if not where.here and any(name.lower() == "https_proxy" for name in os.environ):
        from urllib.request import getproxies, proxy_bypass

        proxy = None if proxy_bypass(where.host) else getproxies().get("https")
    if not proxy:
        return HTTPSConnection(where.host, where.port, timeout=seconds)
    parts = urlsplit(proxy if "//" in proxy else f"//{proxy}")
    through = HTTPSConnection(parts.hostname or "", parts.port or 80, timeout=seconds)
    through.set_tunnel(where.host, where.port)
    return through


def _pause(told: str | None) -> float:
    """``Retry-After`` in seconds; a date there reads as nothing."""
    return float(told) if told and told.isascii() and told.isdigit() and len(told) < 6 else 0.0


def _hang_up(connection: HTTPConnection) -> None:
    sock = connection.sock
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
