"""``brain serve``: the HTTP server."""

from __future__ import annotations

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from brain.errors import EXIT_CANT_CREATE, EXIT_DATA, BrainError
from brain.serve import app, log_words
from brain.serve.desk import Desk
from brain.serve.guard import Guard, require_token
from brain.serve.protocol import Protocol

MAX_HEAD = 64 * 1024
"""Largest request line with headers in bytes: 2,000 Han characters are 18,000 of them."""

KEEP_SECONDS = 75
"""How long a connection that says nothing is kept, as nginx does."""

SHUTDOWN_SECONDS = 3

_REASONS = {
    errno.EADDRINUSE: "端口已经有程序占着，请换一个，或先停掉那个程序",
    errno.EACCES: "没有权限用这个端口，请换一个 1024 以上的",
    errno.EADDRNOTAVAIL: "这台机器没有这个地址，请核对它",
}
"""Why a port cannot be had, in words."""
BACKLOG = 128


def serve(
    desk: Desk,
    *,
    version: str,
    host: str,
    port: int,
    names: frozenset[str],
    ready: Callable[[str], None],
) -> int:
    """Serves until an interrupt or SIGTERM; gives the exit status.

    Args:
        port: 0 for any that is free.
        names: names it is reached by, beside ``host`` and loopback's.
        ready: told the address when connections are taken.

    Raises:
        BrainError: ``brain_token_missing`` (2), ``brain_port_invalid`` (65), ``brain_port_taken``
            (73).
    """
    require_token(host)
    listening = _listen(host, port)
    log_words.begin()
    config = uvicorn.Config(
        Guard(app.build(desk, version), host, names),
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
    ready(f"http://{shown}:{listening.getsockname()[1]}")
    server.run(sockets=[listening])
    desk.close()
    return 0


class _Server(uvicorn.Server):
    """uvicorn's server, its signals handled from before the first connection to the end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals as they are: :func:`serve` has set them."""
        yield


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
