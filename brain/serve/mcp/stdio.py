"""MCP stdio server of ``brain mcp``: one client over stdin and stdout."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from brain.serve.mcp import handshake

if TYPE_CHECKING:
    from brain.serve.call_dispatch import Dispatcher
    from brain.serve.mcp.tools import MemoryServer

EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

LOOKED_AT_PARENT = 1.0
"""Seconds between two looks at whether the host is still there."""


def serve(db: str | None, *, version: str, scope: str = "", read_only: bool = False) -> int:
    """Serves one client until its end of the pipe closes, or it is gone; gives the exit status.

    Args:
        db: the file; None for ``BRAIN_URL``'s server, else ``BRAIN_DB`` or the default.
        version: ours, told to the client.
        scope: of calls that name none.
    """
    early = handshake.begin(version)
    threading.Thread(target=_watch_parent, args=(early.parent,), daemon=True).start()
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    for number, code in ((signal.SIGINT, EXIT_INTERRUPTED), (signal.SIGTERM, EXIT_TERMINATED)):
        signal.signal(number, _ending(code))
    # Thousands of classes are made while the SDK loads, and none of them is garbage.
    gc.disable()
    import asyncio

    from brain.serve.call_dispatch import open_dispatcher
    from brain.serve.mcp import tools

    gc.enable()
    gc.freeze()
    desk = open_dispatcher(db, scope=scope, read_only=read_only, through=True)
    try:
        asyncio.run(_serve(tools.MemoryServer(desk, version), desk, early))
    except BaseExceptionGroup as group:
        if group.split(OSError)[1] is not None:
            raise
    except OSError:
        pass  # the client is gone
    desk.close()
    return 0


async def _serve(server: MemoryServer, desk: Dispatcher, early: handshake.Early) -> None:
    import asyncio

    from brain.serve.mcp.wire import StdioTransport

    wire = StdioTransport(early.source, early.sink, early, ended=_end_soon)

    async def warm() -> None:
        await wire.begun.wait()
        desk.warm()

    warming = asyncio.create_task(warm())
    await server.run_over(wire)
    warming.cancel()


def _watch_parent(parent: int) -> None:
    """Ends the process when its parent has ended, though somebody else holds the pipe open: a child
    of the host has inherited it, or another server. On Windows a parent's number never changes;
    there the pipe alone tells.
    """
    while os.getppid() == parent:
        time.sleep(LOOKED_AT_PARENT)
    _end_soon()


def _end_soon() -> None:
    """Ends the process a little after its input, whatever still runs: nobody reads the answers,
    and embedding a long note takes minutes. A write that is not committed never was."""
    from brain.serve.mcp.wire import LAST_ANSWERS

    timer = threading.Timer(LAST_ANSWERS, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _ending(code: int) -> Any:
    """Ends at once: a write that is not committed never was."""

    def end(number: int, frame: FrameType | None) -> None:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)

    return end
