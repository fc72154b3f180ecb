"""Authentication and origin checks: this machine by name, a bearer of the token, no web page.

A browser on this machine reaches loopback too. A page of another site is kept out by its Origin, a
rebound name by the Host, and a form or a "simple" request by its content type.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from brain.errors import EXIT_DATA, EXIT_UNAVAILABLE, EXIT_USAGE, BrainError
from brain.serve import token_file
from brain.serve.http.errors import error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "BRAIN_TOKEN"

MAX_BODY = 8 * 1024 * 1024
"""Largest request body in bytes: the longest query there is, with room for JSON's escapes."""

MAX_PORT = 65535

LEAST_TOKEN = 8
"""Characters of a token: each guess costs a request, and eight of a random one are enough."""

BODY_SECONDS = 20.0
"""How long a request's body may take to arrive."""

MOST_DRAINED = 8 * MAX_BODY
DRAIN_SECONDS = 5.0
"""How much of a refused body is read, and how long: a client that is still sending when the
connection closes never sees the answer (RFC 9112, 9.6)."""

# uri-host [":" port] of RFC 9110, 7.2: no user, no path, nothing beside.
_HOST = re.compile(
    r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s@/\\?#:\[\]]+))(?::(?P<port>[0-9]{0,5}))?"
)


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine and nobody else's."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token() -> str | None:
    """The token of this process's environment; None without one."""
    return os.environ.get(TOKEN) or None


def settle_token(host: str, wanted: bool) -> Path | None:
    """On loopback, without a token in the environment, takes that of the file.

    Args:
        wanted: False leaves the server open to whoever can reach it.

    Returns:
        The file whose token is asked for; None where none or that of the environment is.

    Raises:
        BrainError: ``brain_token_file`` (73), ``brain_token_missing`` (2).
    """
    require_token(host)
    if not wanted or token() is not None:
        return None
    os.environ[TOKEN] = token_file.ensure()
    return token_file.path()


def require_token(host: str) -> None:
    """Raises ``brain_token_missing`` (2) for a server others can reach, without a token, and
    ``brain_token_weak`` (2) for one that can be tried out."""
    given = token()
    if given is not None and len(given) < LEAST_TOKEN:
        raise BrainError(
            "brain_token_weak",
            f"{TOKEN} 太短，猜得出来；至少 {LEAST_TOKEN} 个字符，如 openssl rand -hex 16 生成的。",
            EXIT_USAGE,
        )
    if not is_loopback(host) and token() is None:
        raise BrainError(
            "brain_token_missing",
            f"在 {host} 上监听，别的机器也连得到；请先设环境变量 {TOKEN}。",
            EXIT_USAGE,
        )


class AuthMiddleware:
    """Lets a request pass to the application, or answers it with a error_response.

    Args:
        host: what the server listens on.
        names: further names it is reached by.
    """

    def __init__(self, app: ASGIApp, host: str, names: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._token = token()
        self._local = is_loopback(host)
        self._names = names | {host, "localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
            try:
                self.check(scope["method"], headers)
            except BrainError as error:
                await drain(receive)
                await error_response(error)(scope, receive, send)
                return
            receive = _in_time(receive)
        await self._app(scope, receive, send)

    def check(self, method: str, headers: Mapping[str, str]) -> None:
        """Raises ``brain_host_refused``, ``brain_origin_refused``, ``brain_token_refused``,
        ``brain_content_type`` or ``brain_body_too_large``."""
        host = headers.get("host", "")
        if not self._knows(_name(host)):
            raise BrainError(
                "brain_host_refused",
                f"不认识的 Host「{host[:80]}」；用域名访问时，"
                "启动服务器要写明它：brain serve --allow-host 域名。",
                EXIT_UNAVAILABLE,
            )
        origin = headers.get("origin")
        foreign = origin is not None and _netloc(origin) != host
        if foreign or headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
            raise BrainError("brain_origin_refused", "不接受来自网页的请求。", EXIT_UNAVAILABLE)
        if self._token is not None:
            scheme, _, given = headers.get("authorization", "").partition(" ")
            # The scheme is written in any case (RFC 9110, 11.1), the token as it is.
            right = hmac.compare_digest(given.strip().encode("latin-1"), self._token.encode())
            if scheme.lower() != "bearer" or not right:
                raise BrainError(
                    "brain_token_refused",
                    f"缺少令牌或令牌不对；请带上 Authorization: Bearer 和服务器的 {TOKEN}。",
                    EXIT_UNAVAILABLE,
                )
        if method in {"POST", "PUT", "PATCH"}:
            kind = headers.get("content-type", "").split(";")[0].strip().lower()
            if kind != "application/json":
                raise BrainError(
                    "brain_content_type", "Content-Type 应为 application/json。", EXIT_DATA
                )
            length = headers.get("content-length", "")
            if length.isdecimal() and int(length) > MAX_BODY:
                raise body_too_large()

    def _knows(self, name: str) -> bool:
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # A rebound name is a name: a bare address cannot be one.
        return address.is_loopback or not self._local


async def drain(receive: Receive) -> None:
    """Reads what is left of a body that was refused, as far as that is worth it."""
    read = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while read < MOST_DRAINED:
                message = await receive()
                read += len(message.get("body", b""))
                if not message.get("more_body"):
                    return


def _in_time(receive: Receive) -> Receive:
    """A body that does not come in :data:`BODY_SECONDS` is a client that has left."""
    end: float | None = None
    whole = False

    async def timed() -> Message:
        nonlocal end, whole
        if whole:
            return await receive()
        loop = asyncio.get_running_loop()
        end = end or loop.time() + BODY_SECONDS + 1.0  # the routes' own answer comes first
        try:
            message = await asyncio.wait_for(receive(), max(0.0, end - loop.time()))
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body")
        return message

    return timed


def body_too_large() -> BrainError:
    """The refusal of a body beyond :data:`MAX_BODY`."""
    told = f"请求体超过 {MAX_BODY // 2**20} MiB，请拆成几份。"
    return BrainError("brain_body_too_large", told, EXIT_DATA)


def _netloc(origin: str) -> str:
    """The host and port of an Origin; '' for ``null`` and what is no URL."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name(host: str) -> str:
    """The name in a Host header, without its port and brackets; '' for what is no Host at all."""
    parts = _HOST.fullmatch(host)
    if parts is None or int(parts["port"] or 0) > MAX_PORT:
        return ""
    return (parts["address"] or parts["name"]).lower()
