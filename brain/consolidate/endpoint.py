"""OpenAI-compatible endpoint: one chat completion, over the standard library's HTTP client.

The other side is not trusted: it may hang, drip, answer without end or answer nonsense. Redirects
are not followed, so that what is sent and the key go nowhere but where the person said.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from brain.errors import EXIT_UNAVAILABLE, EXIT_USAGE, BrainError
from brain.text.controls import visible

KEYS = ("BRAIN_LLM_KEY", "OPENAI_API_KEY")
"""Environment variables with the key, the first that is set; none where the endpoint needs none."""

TIMEOUT = "BRAIN_LLM_TIMEOUT"
WHOLE_SECONDS = 60.0
"""How long one answer may take to its last byte, unless the environment says otherwise."""

CONNECT_SECONDS = 5.0
MOST_ANSWER = 1024 * 1024
"""Bytes of an answer: some hundred proposals are a few dozen kilobytes."""

LONGEST_REASON = 200


class Endpoint:
    """A model behind an address.

    Args:
        url: ``http(s)://host[:port][/path]``; without a path it is ``/v1``.
        model: its name there.

    Raises:
        BrainError: ``brain_url_invalid``, ``brain_usage`` (2).
    """

    def __init__(self, url: str, model: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.scheme not in ("http", "https") or not host or parts.username is not None:
            told = f"模型接口的地址「{url[:80]}」应为 http://127.0.0.1:8080/v1 这样的写法。"
            raise BrainError("brain_url_invalid", told, EXIT_USAGE)
        if not model.strip():
            raise BrainError("brain_usage", "给了模型接口，也要给模型名。", EXIT_USAGE)
        self.model = model.strip()
        self._host, self._port, self._secure = host, port, parts.scheme == "https"
        path = parts.path.rstrip("/") or "/v1"
        self._path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
        self._seconds = _seconds()

    def ask(self, system: str, user: str) -> str:
        """What the model answers.

        Raises:
            BrainError: ``brain_llm_unreachable`` (69) where nothing answers in time or it says no,
                ``brain_llm_answer`` (69) for what is no answer.
        """
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = json.dumps({"model": self.model, "messages": messages, "temperature": 0})
        try:
            status, data = self._exchange(body.encode("ascii"))
        except (OSError, HTTPException, ValueError) as error:
            told = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise self._unreachable(visible(" ".join(told.split())[:LONGEST_REASON])) from None
        if status != 200:
            raise self._unreachable(f"回答是 HTTP {status}")
        try:
            said = json.loads(data)["choices"][0]["message"]["content"]
        except (ValueError, RecursionError, KeyError, IndexError, TypeError):
            said = None
        if not isinstance(said, str):
            raise nonsense()
        return said

    def _unreachable(self, told: str) -> BrainError:
        where = f"{self._host}:{self._port}" if self._port else self._host
        return BrainError(
            "brain_llm_unreachable",
            f"模型接口 {where} 用不了（{told}）；没有出计划。",
            EXIT_UNAVAILABLE,
        )

    def _exchange(self, body: bytes) -> tuple[int, bytes]:
        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=min(CONNECT_SECONDS, self._seconds))
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        key = next((os.environ[name] for name in KEYS if os.environ.get(name)), None)
        if key:
            headers["Authorization"] = f"Bearer {key}".encode().decode("latin-1")
        try:
            connection.connect()
            sock = connection.sock
            sock.settimeout(self._seconds)
            # A server that says a byte now and then would never run into the time of a read.
            late = threading.Event()
            end = threading.Timer(self._seconds, _hang_up, [sock, late])
            end.daemon = True
            end.start()
            try:
                connection.request("POST", self._path, body, headers)
                response = connection.getresponse()
                data = response.read(MOST_ANSWER + 1)
            finally:
                end.cancel()
            if late.is_set():
                raise TimeoutError(f"{self._seconds:g} 秒里没有答完")
            if len(data) > MOST_ANSWER:
                raise ValueError(f"回答超过 {MOST_ANSWER // 1024} KiB")
            return response.status, data
        finally:
            connection.close()


def nonsense() -> BrainError:
    """``brain_llm_answer`` (69)."""
    return BrainError(
        "brain_llm_answer", "模型的回答读不懂，没有出计划；可以再试一次。", EXIT_UNAVAILABLE
    )


def _hang_up(sock: socket.socket, late: threading.Event) -> None:
    late.set()
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def _seconds() -> float:
    given = os.environ.get(TIMEOUT)
    if not given:
        return WHOLE_SECONDS
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        told = f"环境变量 {TIMEOUT} 应为秒数（不超过 3600），现在是「{visible(given[:40])}」。"
        raise BrainError("brain_usage", told, EXIT_USAGE)
    return seconds
