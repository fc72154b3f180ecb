"""JSON-RPC messages over the two pipes of an MCP server, between the SDK and the descriptors.

What the SDK would drop without a word (a line that is no JSON, no JSON-RPC, or no Unicode) gets an
answer here, and requests that were read before the end of input are answered.
"""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from brain.serve.mcp.handshake import Early

LAST_ANSWERS = 4.5
"""Seconds that requests still running have when the input has ended: the process is gone within
five."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602


@dataclass(frozen=True, slots=True)
class MessageError:
    """What is wrong with a message.

    Args:
        number: JSON-RPC's own code (https://www.jsonrpc.org/specification, section 5.1).
        code: ours.
        told: one Chinese sentence.
        request: the id to answer with; None when the message has none that can be used.
        silent: a notification, which JSON-RPC never answers.
    """

    number: int
    code: str
    told: str
    request: int | str | None = None
    silent: bool = False


def message_error(message: Any) -> MessageError | None:
    """What keeps a decoded line from being a request, a notification or a response."""
    if isinstance(message, list):
        return _invalid("不接受成批的请求（JSON 数组），请一行发一个。")
    if not isinstance(message, dict):
        return _invalid("这一行应为一个 JSON 对象。")
    given = message.get("id")
    request = given if is_valid_id(given) else None
    if not is_encodable(message):
        told = "文本里有不成对的代理码位，不是有效的 Unicode。"
        return MessageError(
            INVALID_PARAMS, "brain_text_surrogate", told, request, "id" not in message
        )
    if message.get("jsonrpc") != "2.0":
        return _invalid('jsonrpc 应为 "2.0"。', request)
    if "method" not in message:
        # An answer to a question of ours is never answered itself, whatever it looks like.
        if "result" in message or "error" in message:
            return None
        return _invalid("缺少 method。", request)
    if "id" in message and request is None:
        return _invalid("id 应为整数或文本。")
    if not isinstance(message["method"], str):
        return _invalid("method 应为文本。", request)
    if not isinstance(message.get("params"), dict | None):
        told = "params 应为一个 JSON 对象。"
        return MessageError(INVALID_PARAMS, "brain_usage", told, request, "id" not in message)
    return None


def _invalid(told: str, request: int | str | None = None) -> MessageError:
    return MessageError(INVALID_REQUEST, "brain_bad_json", told, request)


def is_valid_id(request: object) -> bool:
    """Whether an id is one MCP allows: an integer or a string that is Unicode."""
    if isinstance(request, bool):
        return False
    return isinstance(request, int) or (isinstance(request, str) and is_encodable(request))


def is_encodable(value: Any) -> bool:
    """Whether every text of a JSON value has UTF-8: lone surrogates have not."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return False
        return True
    if isinstance(value, dict):
        return all(is_encodable(key) and is_encodable(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(is_encodable, value))


def _readable(line: bytes) -> bool:
    """Whether the SDK's own parser takes a line: its depth and numbers have narrower bounds."""
    from mcp.types import jsonrpc_message_adapter

    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return False
    return True


def unparsable(message: dict[str, Any]) -> MessageError:
    """What is wrong with a sound message (:func:`message_error`) that the SDK cannot read."""
    given = message.get("id")
    request = given if is_valid_id(given) else None
    told = "读不了这个请求：嵌套太深，或有不合规的数。"
    asks = "method" in message and "id" in message
    return MessageError(INVALID_REQUEST, "brain_bad_json", told, request, not asks)


class StdioTransport:
    """What the SDK reads lines from and writes lines to.

    Args:
        source: the bytes of stdin.
        sink: where answers go.
        early: what has read and answered the first line.
        ended: called when the input has ended, from the thread that reads.
    """

    def __init__(
        self,
        source: BinaryIO,
        sink: BinaryIO,
        early: Early | None = None,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._source = source
        self._sink = sink
        self._early = early
        self._ended = ended
        self._lock = Lock()
        self._out = ThreadPoolExecutor(1, thread_name_prefix="out")
        self._open: set[str] = set()
        self._answered = asyncio.Event()
        self.begun = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        # A thread that reads cannot be interrupted: a daemon does not hold the end up.
        Thread(target=self._read, args=(loop, lines), name="in", daemon=True).start()
        first = True
        while line := await lines.get():
            if first:
                line = line.removeprefix(codecs.BOM_UTF8)
                first = False
            if line.strip() and await self._is_sound(line):
                yield line.decode("utf-8")
        await self._finish()

    def _read(self, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
        try:
            line = self._early.first() if self._early else self._source.readline()
            while line:
                loop.call_soon_threadsafe(lines.put_nowait, line)
                line = self._source.readline()
            self._ended()
            loop.call_soon_threadsafe(lines.put_nowait, b"")
        except (OSError, ValueError):
            self._ended()
            loop.call_soon_threadsafe(lines.put_nowait, b"")
        except RuntimeError:
            return  # the loop has ended

    async def _is_sound(self, line: bytes) -> bool:
        """Whether the SDK can read a line; answers it otherwise."""
        try:
            message = json.loads(line.decode("utf-8"))
            wrong = message_error(message)
        except (ValueError, RecursionError):
            told = "这一行不是 JSON（UTF-8）。"
            wrong = MessageError(PARSE_ERROR, "brain_bad_json", told)
        if wrong is None and not _readable(line):
            wrong = unparsable(message)
        if wrong is not None:
            await self._refuse(wrong)
            return False
        if "method" in message and "id" in message:
            self._open.add(_key(message["id"]))
        elif message.get("method") == "notifications/cancelled":
            self._open.discard(_key((message.get("params") or {}).get("requestId")))
        return True

    async def _refuse(self, wrong: MessageError) -> None:
        if wrong.silent:
            return
        text = f"错误[{wrong.code}]: {wrong.told}"
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": wrong.request}
        answer["error"] = {"code": wrong.number, "message": text, "data": {"code": wrong.code}}
        await self._send(json.dumps(answer, ensure_ascii=False) + "\n")

    async def write(self, text: str) -> int:
        """Sends one line of the SDK."""
        message = json.loads(text)
        said = "method" not in message and "id" in message
        if not (said and self._early and self._early.is_repeated(message["id"])):
            await self._send(text)
        if "method" not in message:
            self._open.discard(_key(message.get("id")))
            if not self._open:
                self._answered.set()
            self.begun.set()
        return len(text)

    async def flush(self) -> None:
        """Nothing is held back."""

    async def _send(self, text: str) -> None:
        await asyncio.get_running_loop().run_in_executor(self._out, self._put, text.encode("utf-8"))

    def _put(self, data: bytes) -> None:
        with self._lock:
            self._sink.write(data)
            self._sink.flush()

    async def _finish(self) -> None:
        """Lets the requests that were read be answered."""
        if self._open:
            self._answered.clear()
            try:
                await asyncio.wait_for(self._answered.wait(), LAST_ANSWERS)
            except TimeoutError:
                return


def _key(request: Any) -> str:
    return json.dumps(request)
