"""Circuit breaker: a model server that fails again and again is left alone for a while.

Its state is a small file beside the memory (``brain.db-embed``, mode 0600), so that each of the
cold processes a host starts with every turn knows of it. It is best effort: unreadable or not
writable, each process counts for itself. It holds no text and no key.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from brain.errors import EXIT_UNAVAILABLE, BrainError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder

FAILURES = 3
"""Failures in a row after which it opens."""

FIRST_WAIT, LONGEST_WAIT = 60.0, 960.0
"""Seconds it stays open at first, doubled after each trial that fails, up to the second."""

_MOST_BYTES = 1000


def path_of(database: Path) -> Path:
    """Where the state of a memory file's breaker is."""
    return Path(f"{database}-embed")


class _State(NamedTuple):
    host: str = ""
    failures: int = 0
    until: float = 0.0
    wait: float = 0.0
    code: str = ""


class Guarded:
    """A remote embedder behind a breaker, with the Embedder's face.

    Args:
        embedder: what is asked.
        database: the memory file the state lies beside.
    """

    remote = True

    def __init__(self, embedder: Embedder, database: Path) -> None:
        self.embedder = embedder
        self.name, self.dim = embedder.name, embedder.dim
        self.max_tokens, self.languages = embedder.max_tokens, embedder.languages
        self.setup: dict[str, Any] = getattr(embedder, "setup", {})
        self._path = path_of(database)
        self._own = _State()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the embedder's; raises at once while the breaker is open."""
        return self._guarded(lambda: self.embedder.embed_documents(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """As the embedder's; raises at once while the breaker is open."""
        return self._guarded(lambda: self.embedder.embed_query(text))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the embedder's; raises at once while the breaker is open."""
        many: Callable[[Sequence[str]], NDArray[np.float32]] = self.embedder.embed_queries  # type: ignore[attr-defined]
        return self._guarded(lambda: many(texts))

    def refuse_open(self) -> None:
        """Raises the code of the last failure while the breaker is open."""
        state = self._read()
        left = state.until - time.time()
        if state.failures >= FAILURES and 0 < left <= LONGEST_WAIT:
            raise BrainError(
                state.code,
                f"{self.name[:60]} 连着 {state.failures} 次没有给出向量，"
                f"{left:.0f} 秒内不再去问它。",
                EXIT_UNAVAILABLE,
            )

    def failed(self, code: str) -> None:
        """Counts a failure; the last of :data:`FAILURES` in a row opens the breaker."""
        state = self._read()
        failures = state.failures + 1
        wait = until = 0.0
        if failures >= FAILURES:
            wait = min(state.wait * 2 or FIRST_WAIT, LONGEST_WAIT)
            until = time.time() + wait
        self._write(_State(self._host, failures, until, wait, code))

    def succeeded(self) -> None:
        """Closes the breaker."""
        if self._read().failures:
            self._own = _State()
            with contextlib.suppress(OSError):
                self._path.unlink()

    @property
    def _host(self) -> str:
        return str(self.setup.get("host", ""))

    def _guarded(self, ask: Callable[[], NDArray[np.float32]]) -> NDArray[np.float32]:
        self.refuse_open()
        try:
            found = ask()
        except BrainError as error:
            self.failed(error.code)
            raise
        self.succeeded()
        return found

    def _read(self) -> _State:
        try:
            with self._path.open("rb") as file:
                info = os.fstat(file.fileno())
                if os.name == "posix" and (info.st_uid != os.getuid() or info.st_mode & 0o077):
                    return self._own
                told = json.loads(file.read(_MOST_BYTES))
            state = _State(
                str(told["host"]), int(told["failures"]), float(told["until"]),
                float(told["wait"]), str(told["code"]),
            )  # fmt: skip
        except FileNotFoundError:
            # Another process has closed it; what could not be written is in memory alone.
            return self._own
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return self._own
        return state if state.host == self._host else _State()

    def _write(self, state: _State) -> None:
        beside = Path(f"{self._path}.{os.getpid()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            with os.fdopen(os.open(beside, flags, stat.S_IRUSR | stat.S_IWUSR), "w") as file:
                json.dump(state._asdict(), file)
            beside.replace(self._path)
        except OSError:
            self._own = state
            with contextlib.suppress(OSError):
                beside.unlink()
        else:
            self._own = _State()
