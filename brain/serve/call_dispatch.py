"""Dispatch of calls to worker threads: reads run beside each other, writes in line.

What it asks is a memory file opened here, or another server (:mod:`brain.serve.client.remote`).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from brain.errors import EXIT_CANT_CREATE, BrainError
from brain.serve.catalog import CALLS
from brain.serve.client.remote import URL, Remote
from brain.serve.metrics import Metrics
from brain.serve.scope_bound import Backend, ScopeBound

if TYPE_CHECKING:
    from brain.engine import Brain

READERS = max(2, min(4, os.cpu_count() or 2))
"""Threads that read, each with a connection of its own; more would only wait for a core."""

IDLE_SECONDS = 180.0
"""Without a call for so long the file is let go: its log is merged, so that the file alone is whole
for who copies nothing else (a cloud drive, a backup of single files)."""

PATIENCE = 0.5
"""Seconds a question waits for the model: a client gives a call a few seconds in all."""


class LocalBackend:
    """Answers from a memory file of this machine, opened when it is first needed."""

    def __init__(self, path: str | Path | None, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._brain: Brain | None = None
        self._lock = Lock()

    def call(self, name: str, args: Mapping[str, Any]) -> Any:
        return CALLS[name].run(self._opened(), dict(args))

    def warm(self) -> None:
        """Opens the file and loads its model; what is wrong is told by the first call."""
        try:
            self._opened().warm()
        except BrainError:
            return

    def check(self) -> None:
        self._opened().check_file()

    def rest(self) -> None:
        with self._lock:
            brain = self._brain
        if brain is not None:
            brain.rest()

    def close(self) -> None:
        with self._lock:
            if self._brain is not None:
                self._brain.close()
                self._brain = None

    def _opened(self) -> Brain:
        with self._lock:
            if self._brain is None:
                from brain.engine import Brain

                self._brain = Brain.open(self._path, read_only=self._read_only, patience=PATIENCE)
            return self._brain


class Dispatcher:
    """Takes calls for an answerer.

    Args:
        scope: the scope of calls that name none.
        read_only: refuse every call that writes.
        idle: seconds without a call after which the file is let go; None is ``IDLE_SECONDS``.
    """

    def __init__(
        self,
        answerer: Backend,
        *,
        scope: str = "",
        read_only: bool = False,
        idle: float | None = None,
    ) -> None:
        self.metrics = Metrics()
        self.read_only = read_only
        self._answerer = answerer
        self._scope = scope
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")
        self._idle = IDLE_SECONDS if idle is None else idle
        self._last = time.monotonic()
        self._running = 0
        self._ended = Event()
        Thread(target=self._rest_when_idle, name="idle", daemon=True).start()

    def call(self, name: str, args: Mapping[str, Any]) -> Any:
        """Answers one call on this thread.

        Raises:
            BrainError: what the call raises, and ``brain_db_read_only`` (73).
        """
        call = CALLS[name]
        if call.writes and self.read_only:
            raise BrainError(
                "brain_db_read_only", "服务器以只读方式运行，不能写入。", EXIT_CANT_CREATE
            )
        if self._scope and "scope" not in args and any(f.name == "scope" for f in call.fields):
            args = {**args, "scope": self._scope}
        return self._answerer.call(name, args)

    async def run(self, name: str, work: Callable[[], Any], *, writes: bool) -> Any:
        """Does some work on a thread for readers or on the one for writers, and counts it.

        Args:
            name: what it is counted as.
        """
        asked = time.perf_counter()

        self._running += 1

        def timed() -> Any:
            begun = time.perf_counter()
            code = "brain_internal"
            try:
                answer = work()
                code = "ok"
                self.metrics.observe(answer)
                return answer
            except BrainError as error:
                code = error.code
                raise
            finally:
                ended = time.perf_counter()
                self.metrics.count(name, code, {"queue": begun - asked, "call": ended - begun})
                self._last = time.monotonic()
                self._running -= 1

        pool = self._writer if writes else self._readers
        return await asyncio.get_running_loop().run_in_executor(pool, timed)

    def warm(self) -> None:
        """Gets ready in the background."""
        Thread(target=self._answerer.warm, name="warm", daemon=True).start()

    def check(self) -> None:
        """Raises :class:`BrainError` where a call could not be answered now."""
        self._answerer.check()

    def _rest_when_idle(self) -> None:
        """Once after every stretch of calls, when nobody has asked for a while."""
        rested = self._last
        while not self._ended.wait(max(self._idle / 4, 0.05)):
            last = self._last
            if self._running <= 0 and last != rested and time.monotonic() - last >= self._idle:
                rested = last
                with suppress(BrainError):  # the next call tells what is wrong
                    self._answerer.rest()

    def close(self) -> None:
        """Ends: calls that wait are dropped, the one that runs is let finish."""
        self._ended.set()
        for pool in (self._readers, self._writer):
            pool.shutdown(wait=True, cancel_futures=True)
        self._answerer.close()


def open_dispatcher(
    db: str | None,
    *,
    scope: str = "",
    only: bool = False,
    read_only: bool = False,
    through: bool = False,
) -> Dispatcher:
    """A dispatcher over the file at ``db``; None is ``BRAIN_DB`` or the default.

    Args:
        scope: of calls that name none.
        only: answer for that scope alone.
        through: without ``db``, go through the server that ``BRAIN_URL`` names.

    Raises:
        BrainError: ``brain_url_invalid`` (2).
    """
    url = os.environ.get(URL) if through and db is None else None
    answerer: Backend = Remote(url) if url else LocalBackend(db, read_only=read_only)
    if only:
        answerer = ScopeBound(answerer, scope)
    return Dispatcher(answerer, scope=scope, read_only=read_only)
