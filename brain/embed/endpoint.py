"""Embedding endpoint: ``openai:NAME``, a model behind any server that speaks ``/v1/embeddings``.

Texts go to ``BRAIN_EMBED_URL`` alone. The file records the server's host only to be compared: where
the two differ nothing is sent, whoever has written the file. Secrets are masked before a text
leaves; the key (``BRAIN_EMBED_KEY``) is in a header and nowhere else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from brain.embed import post
from brain.embed.encode import model_input
from brain.embed.protocol import MOST_DIM, Settings
from brain.errors import EXIT_DATA, EXIT_UNAVAILABLE, BrainError
from brain.text.secrets import mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX = "openai:"
URL = "BRAIN_EMBED_URL"
KEY = "BRAIN_EMBED_KEY"

BATCH = 32
"""Texts a request: the least of the limits of common servers is 10 (DashScope's newer models, which
are asked again in tens), of most 32 or more."""

SMALL_BATCH = 10

QUESTION_SECONDS = 3.0
"""How long a question waits for its vectors, tries again and pauses included."""

BATCH_SECONDS = 30.0
"""The same for a batch of stored texts."""

ATTEMPTS = 5
PAUSE_SECONDS = 0.25
"""Between the first two attempts; doubled for each further one."""

_TOO_MANY = frozenset({400, 413, 422})
"""With what servers refuse a request of more texts than they take."""

_UNIT = 1e-3
"""How far from 1 the length of a vector may be that was normalised over there: float16 is."""


class Endpoint:
    """A model on a server; may be used from several threads.

    Args:
        name: as recorded, ``openai:NAME``.
        settings: what the person has chosen for it.
        recorded: what a file says of it (``host``, ``dim``), or None to measure it by a request.

    Raises:
        BrainError: ``brain_model_unknown`` (65) for a name that is none;
            ``brain_model_elsewhere`` (69) where ``BRAIN_EMBED_URL`` is not set or names another
            host than the file; ``brain_embed_url``, ``brain_embed_key`` (2); and those of
            embedding.
    """

    max_tokens = 512
    """What passages are cut for; what such a server runs seldom has a smaller window."""
    languages: tuple[str, ...] = ()
    remote = True

    def __init__(
        self, name: str, settings: Settings, recorded: Mapping[str, Any] | None = None
    ) -> None:
        self.name = name
        self._model = name.removeprefix(PREFIX)
        if not self._model or len(name) > 200 or not self._model.isprintable():
            raise BrainError(
                "brain_model_unknown", "openai: 后面要写模型的名字，如 openai:bge-m3。", EXIT_DATA
            )
        self._settings = settings
        url = os.environ.get(URL, "").strip()
        if not url:
            raise BrainError(
                "brain_model_elsewhere",
                f"{name[:60]} 在一个服务器上，请用 {URL} 说它在哪（如 http://127.0.0.1:11434/v1），"
                f"要密钥的再设 {KEY}。",
                EXIT_UNAVAILABLE,
            )
        self._where = post.address(URL, url, "embeddings")
        self._key = post.checked_key(KEY)
        if recorded is not None:
            if recorded.get("host") != self._where.origin:
                raise BrainError(
                    "brain_model_elsewhere",
                    f"这个记忆文件的向量是另一个服务器做的，不是 {URL} 的 "
                    f"{self._where.origin}，没有发送任何内容；确实要换，请运行 brain reembed "
                    f"--model {name[:60]}。",
                    EXIT_UNAVAILABLE,
                )
            self.dim = int(recorded["dim"])
            self._unit = bool(recorded.get("normalized"))
            return
        self.dim = 0
        found = self._ask(["今天的天气", "a quiet afternoon"], BATCH_SECONDS)
        self.dim = found.shape[1]
        lengths = np.linalg.norm(found, axis=1)
        self._unit = bool((abs(lengths - 1.0) <= _UNIT).all())

    @property
    def setup(self) -> dict[str, Any]:
        """What the file records beside name and dimension."""
        return {
            "host": self._where.origin,
            "normalized": self._unit,
            **self._settings.to_dict(),
        }

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), dim), unit rows."""
        head = self._settings.document_prefix or ""
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        for at in range(0, len(texts), BATCH):
            batch = [head + model_input(text) for text in texts[at : at + BATCH]]
            out[at : at + len(batch)] = _rows(self._ask(batch, BATCH_SECONDS))
        return out

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,), unit length."""
        found: NDArray[np.float32] = self.embed_queries([text])[0]
        return found

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of a message's questions by one request, shape (len(texts), dim)."""
        head = self._settings.query_prefix or ""
        given = [head + model_input(text, keep_end=True) for text in texts]
        if len(given) <= SMALL_BATCH:
            return _rows(self._ask(given, QUESTION_SECONDS))
        parts = [given[at : at + BATCH] for at in range(0, len(given), BATCH)]
        return np.concatenate([_rows(self._ask(part, BATCH_SECONDS)) for part in parts])

    def _ask(self, texts: Sequence[str], seconds: float) -> NDArray[np.float64]:
        """The server's vectors as it gives them, tried again where that may help.

        Raises:
            BrainError: ``brain_embed_timeout``, ``brain_embed_unreachable``,
                ``brain_embed_refused``, ``brain_embed_answer``, ``brain_embed_dimension`` (69).
        """
        body: dict[str, Any] = {"model": self._model}
        body["input"] = [mask.masked(text) or " " for text in texts]
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        until = time.monotonic() + seconds
        attempt = 0
        while True:
            try:
                left = until - time.monotonic()
                answer = post.post(self._where, self._key, body, left)
                break
            except post.PostError as error:
                pause = max(PAUSE_SECONDS * 2**attempt, error.pause)
                attempt += 1
                in_time = time.monotonic() + pause < until
                if error.again and in_time and attempt < ATTEMPTS:
                    time.sleep(pause)
                    continue
                if error.status in _TOO_MANY and len(texts) > SMALL_BATCH:
                    return self._in_tens(texts, until)
                raise _failed(self.name, error) from None
        return self._vectors(answer, len(texts))

    def _in_tens(self, texts: Sequence[str], until: float) -> NDArray[np.float64]:
        parts = []
        for at in range(0, len(texts), SMALL_BATCH):
            left = until - time.monotonic()
            parts.append(self._ask(texts[at : at + SMALL_BATCH], left))
        return np.concatenate(parts)

    def _vectors(self, answer: object, wanted: int) -> NDArray[np.float64]:
        """What an answer holds, in the order of the texts, believed only when it is whole."""
        try:
            rows = answer["data"]  # type: ignore[index]
            order = [row.get("index", at) for at, row in enumerate(rows)]
            if sorted(order) != list(range(wanted)):
                told = f"要 {wanted} 个向量，给了 {len(rows)} 个"
                raise post.PostError("answer", f"{self._where.origin} 的回答不完整（{told}）")
            dim = len(rows[0]["embedding"])
            self._check(dim)
            found = np.empty((wanted, dim))
            for at, row in zip(order, rows, strict=True):
                one = np.array(row["embedding"], dtype=np.float64)
                if one.shape != (dim,):
                    raise ValueError(one.shape)
                found[at] = one
        except post.PostError as error:
            raise _failed(self.name, error) from None
        except BrainError:
            raise
        except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError):
            nonsense = post.PostError("answer", f"{self._where.origin} 的回答里没有能用的向量")
            raise _failed(self.name, nonsense) from None
        if not np.isfinite(found).all() or not found.any(axis=1).all():
            broken = post.PostError("answer", f"{self._where.origin} 给的向量不是有限的数")
            raise _failed(self.name, broken)
        return found

    def _check(self, dim: int) -> None:
        if not 1 < dim <= MOST_DIM or (self.dim and dim != self.dim):
            told = f"应为 {self.dim} 维" if self.dim else f"最多 {MOST_DIM} 维"
            raise BrainError(
                "brain_embed_dimension",
                f"{self.name[:60]} 给出 {dim} 维的向量，{told}。",
                EXIT_UNAVAILABLE,
            )


def _rows(found: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


_CODES = {
    "timeout": "brain_embed_timeout",
    "unreachable": "brain_embed_unreachable",
    "status": "brain_embed_refused",
    "answer": "brain_embed_answer",
}


def _failed(name: str, error: post.PostError) -> BrainError:
    return BrainError(
        _CODES[error.why], f"{name[:60]} 没有给出向量：{error.told}。", EXIT_UNAVAILABLE
    )
