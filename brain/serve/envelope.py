"""Whether a JSON-RPC message is one the SDK will answer, told before the SDK sees it.

The SDK drops what is no message of JSON-RPC 2.0 without a word, and its client waits for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602


@dataclass(frozen=True, slots=True)
class Fault:
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


def fault(message: Any) -> Fault | None:
    """What keeps a decoded line from being a request, a notification or a response."""
    if isinstance(message, list):
        return _invalid("不接受成批的请求（JSON 数组），请一行发一个。")
    if not isinstance(message, dict):
        return _invalid("这一行应为一个 JSON 对象。")
    given = message.get("id")
    request = given if usable(given) else None
    if not encodable(message):
        told = "文本里有不成对的代理码位，不是有效的 Unicode。"
        return Fault(INVALID_PARAMS, "brain_text_surrogate", told, request, "id" not in message)
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
        return Fault(INVALID_PARAMS, "brain_usage", told, request, "id" not in message)
    return None


def unreadable(message: dict[str, Any]) -> Fault:
    """The fault of a message that is sound by :func:`fault` and that the SDK cannot read."""
    given = message.get("id")
    request = given if usable(given) else None
    told = "读不了这个请求：嵌套太深，或有不合规的数。"
    asks = "method" in message and "id" in message
    return Fault(INVALID_REQUEST, "brain_bad_json", told, request, not asks)


def usable(request: object) -> bool:
    """Whether an id is one MCP allows: an integer or a string that is Unicode."""
    if isinstance(request, bool):
        return False
    return isinstance(request, int) or (isinstance(request, str) and encodable(request))


def encodable(value: Any) -> bool:
    """Whether every text of a JSON value has UTF-8: lone surrogates have not."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return False
        return True
    if isinstance(value, dict):
        return all(encodable(key) and encodable(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(encodable, value))


def _invalid(told: str, request: int | str | None = None) -> Fault:
    return Fault(INVALID_REQUEST, "brain_bad_json", told, request)
