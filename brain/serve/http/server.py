"""HTTP server process of ``brain serve``: its socket, signals, log and refusals."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import socket
import sys
import time
from asyncio import TimerHandle, Transport
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar

import uvicorn
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from brain.errors import EXIT_CANT_CREATE, EXIT_DATA, BrainError
from brain.serve.call_dispatch import Dispatcher
from brain.serve.client.remote import EXIT_HEADER
from brain.serve.http import app
from brain.serve.http.auth import AuthMiddleware, settle_token
from brain.serve.http.errors import status_of

MAX_HEAD = 64 * 1024
"""Largest request line with headers in bytes: 2,000 Han characters are 18,000 of them."""

KEEP_SECONDS = 75
"""How long a connection that says nothing is kept, as nginx does."""

SHUTDOWN_SECONDS = 3

HEAD_SECONDS = 10.0
"""How long the headers of a request may take to arrive."""


def _most_connections() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 512
    return max(16, min(512, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED))


RESERVED = 96
"""Descriptors kept for the memory file, the model, the log and the threads' connections."""

MAX_CONNECTIONS = _most_connections()

REPEATED_S = 60.0
MOST_REPEATED = 5
"""So many times in so many seconds a message is told; then how many more there were."""

BACKLOG = 128
"""Connections the system holds until they are taken."""


def serve(
    desk: Dispatcher,
    *,
    version: str,
    host: str,
    port: int,
    names: frozenset[str],
    ready: Callable[[str, Path | None], None],
    with_token: bool = True,
) -> int:
    """Serves until an interrupt or SIGTERM; gives the exit status.

    Args:
        port: 0 for any that is free.
        names: names it is reached by, beside ``host`` and loopback's.
        ready: told the address when connections are taken, and the file with the token, if any.
        with_token: on loopback too, ask for the token of the environment or of the file.

    Raises:
        BrainError: ``brain_token_missing`` (2), ``brain_token_file`` (73),
            ``brain_port_invalid`` (65), ``brain_port_taken`` (73).
    """
    kept = settle_token(host, with_token)
    listening = _listen(host, port)
    set_up_logging()
    config = uvicorn.Config(
        AuthMiddleware(app.build(desk, version), host, names),
        http=Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        h11_max_incomplete_event_size=MAX_HEAD,
    )
    server = _Server(config)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    shown = f"[{host}]" if ":" in host else host
    ready(f"http://{shown}:{listening.getsockname()[1]}", kept)
    server.run(sockets=[listening])
    desk.close()
    return 0


class _Server(uvicorn.Server):
    """uvicorn's server, its signals handled from before the first connection to the end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals as they are: :func:`serve` has set them."""
        yield


_REASONS = {
    errno.EADDRINUSE: "端口已经有程序占着，请换一个，或先停掉那个程序",
    errno.EACCES: "没有权限用这个端口，请换一个 1024 以上的",
    errno.EADDRNOTAVAIL: "这台机器没有这个地址，请核对它",
}
"""Why a port cannot be had, in words."""


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise BrainError(
            "brain_port_invalid", f"端口应在 0 到 65535 之间，收到 {port}。", EXIT_DATA
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if host:  # asked first: create_server hides that it is the name that is unknown
            socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        told = f"不能在 {host[:80]}:{port} 上监听：{_why_not(error)}。"
        raise BrainError("brain_port_taken", told, EXIT_CANT_CREATE) from None


def _why_not(error: OSError | UnicodeError) -> str:
    if isinstance(error, (socket.gaierror, UnicodeError)):
        return "认不出这个地址，请核对它"
    number = error.errno or 0
    return _REASONS.get(number) or f"系统不允许，请换一个端口或地址（{os.strerror(number)}）"


_LOG_MESSAGES = {
    "Invalid HTTP request received.": "收到的不是能读懂的 HTTP 请求，已经拒绝。",
    "Unsupported upgrade request.": "有客户端要换成 WebSocket 一类，这里没有，按普通请求回答。",
    "Exception in ASGI application\n": "处理一个请求时出错：",
    "Cancel %s running task(s), timeout graceful shutdown exceeded": (
        "结束时还有 %s 个请求没做完，已经放弃。"
    ),
}
"""uvicorn's message to ours; what is not here is told as it is."""

_ADVICE = "No supported WebSocket library detected."
"""uvicorn's second line about an upgrade, which tells the reader to install what we do not use."""

_LEVELS = {logging.WARNING: "警告", logging.ERROR: "错误", logging.CRITICAL: "错误"}


def set_up_logging() -> None:
    """Sends warnings and errors of every logger of this process to standard error."""
    for level, name in _LEVELS.items():
        logging.addLevelName(level, name)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s：%(message)s（%(name)s）")
    for handler in logging.getLogger().handlers:
        handler.addFilter(translate)
        handler.addFilter(Flood())


class Flood(logging.Filter):
    """Rate limit of the log: a message again and again does not fill the disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is told; the first after a pause says how many were not."""
        key = (record.name, str(record.msg)[:200])
        now = self._clock()
        since, count = self._told.pop(key, (now, 0))
        if now - since >= REPEATED_S:
            if count > MOST_REPEATED:
                record.msg = f"{record.msg}（之前同样的还有 {count - MOST_REPEATED} 次，没有记）"
            since, count = now, 0
        self._told[key] = (since, count + 1)
        while len(self._told) > _KINDS_KEPT:
            self._told.popitem(last=False)
        return count < MOST_REPEATED


_KINDS_KEPT = 256


def translate(record: logging.LogRecord) -> bool:
    """Puts a record in our words; gives whether it is told at all.

    The MCP SDK logs a client that leaves as an error of its own.
    """
    told = str(record.msg)
    record.msg = _LOG_MESSAGES.get(told, record.msg)
    left = record.exc_info and isinstance(record.exc_info[1], ClientDisconnect)
    return not left and not told.startswith(_ADVICE)


class Protocol(H11Protocol):
    """uvicorn's protocol with our words for what cannot be read, and with an end to waiting.

    Who connects and does not finish a request's headers in :data:`HEAD_SECONDS` is let go. Where
    all places are taken, the oldest connection that has no whole request in hand makes room for
    whoever comes: one that says nothing, that is still sending, or that was answered and stays.
    """

    waiting: ClassVar[OrderedDict[Protocol, None]] = OrderedDict()
    """Connections whose next request has not all come, the oldest first."""

    places: ClassVar[int] = MAX_CONNECTIONS
    _timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Takes a connection, if need be in the place of one that says nothing."""
        super().connection_made(transport)
        if len(self.connections) > self.places:
            if not self.waiting:
                transport.abort()
                return
            # It leaves the set of connections only when the loop comes round.
            oldest, _ = self.waiting.popitem(last=False)
            oldest._let_go()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Reads on; a request that has begun to be answered waits for nothing."""
        super().data_received(data)
        state = repr(self.conn.their_state)  # h11 is uvicorn's, not ours
        if state != "IDLE":
            self._stop_waiting()
            if state == "SEND_BODY":  # that has a time of its own, see auth.BODY_SECONDS
                self.waiting[self] = None
        elif self._timer is None and self.conn.trailing_data[0]:
            self._wait()

    def on_response_complete(self) -> None:
        """Ends a request; the connection may stay, as long as nobody else needs its place."""
        super().on_response_complete()
        if repr(self.conn.their_state) == "IDLE" and not self.transport.is_closing():
            self.waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self.waiting[self] = None
        self._timer = self.loop.call_later(HEAD_SECONDS, self._let_go)

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _let_go(self) -> None:
        self._stop_waiting()
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuses the request that is being read and closes; called where h11 has refused it."""
        under_way = self.cycle is not None and self.cycle.response_started
        if not under_way or self.cycle.response_complete:
            self.transport.write(raw_response(protocol_error(sys.exc_info()[1])))
        self.transport.close()


def raw_response(error: BrainError) -> bytes:
    """A whole HTTP response, the last of its connection."""
    body = json.dumps(error.to_dict(), ensure_ascii=False).encode("utf-8")
    status = HTTPStatus(status_of(error))
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        f"{EXIT_HEADER}: {error.exit_code}",
        "\r\n",
    )
    return "\r\n".join(head).encode("ascii") + body


def protocol_error(reason: object) -> BrainError:
    """``brain_head_too_large`` or ``brain_request_invalid`` for h11's error."""
    if getattr(reason, "error_status_hint", 400) == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return BrainError("brain_head_too_large", "请求行和请求头太长。", EXIT_DATA)
    told = "这不是能读懂的 HTTP 请求：请求行、请求头或长度不对（地址里的汉字要编码成 %E8…）。"
    return BrainError("brain_request_invalid", told, EXIT_DATA)
