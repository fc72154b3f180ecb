"""What the libraries under the server log, on standard error in our words."""

from __future__ import annotations

import logging

from starlette.requests import ClientDisconnect

SAID = {
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


def begin() -> None:
    """Sends warnings and errors of every logger of this process to standard error."""
    for level, name in _LEVELS.items():
        logging.addLevelName(level, name)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s：%(message)s（%(name)s）")
    for handler in logging.getLogger().handlers:
        handler.addFilter(reworded)


def reworded(record: logging.LogRecord) -> bool:
    """Puts a record in our words; gives whether it is told at all.

    The MCP SDK logs a client that leaves as an error of its own.
    """
    told = str(record.msg)
    record.msg = SAID.get(told, record.msg)
    left = record.exc_info and isinstance(record.exc_info[1], ClientDisconnect)
    return not left and not told.startswith(_ADVICE)
