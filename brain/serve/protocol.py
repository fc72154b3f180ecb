"""What is no HTTP request at all, answered as everything else is: the error object of the contract.

The application never sees such a request: h11 refuses it, and uvicorn would answer in plain text.
"""

from __future__ import annotations

import json
import sys
from http import HTTPStatus

from uvicorn.protocols.http.h11_impl import H11Protocol

from brain.errors import EXIT_DATA, BrainError
from brain.serve.remote import EXIT_HEADER
from brain.serve.statuses import status_of


class Protocol(H11Protocol):
    """uvicorn's protocol with our words for what cannot be read."""

    def send_400_response(self, msg: str) -> None:
        """Refuses the request that is being read and closes; called where h11 has refused it."""
        under_way = self.cycle is not None and self.cycle.response_started
        if not under_way or self.cycle.response_complete:
            self.transport.write(answer(refusal(sys.exc_info()[1])))
        self.transport.close()


def answer(error: BrainError) -> bytes:
    """A whole HTTP response, the last of its connection."""
    body = json.dumps(error.to_dict(), ensure_ascii=False).encode("utf-8")
    status = HTTPStatus(status_of(error))
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        f"{EXIT_HEADER}: {error.exit_code}",
        "\r\n",
    )
    return "\r\n".join(head).encode("ascii") + body


def refusal(reason: object) -> BrainError:
    """``brain_head_too_large`` or ``brain_request_invalid`` for h11's error."""
    if getattr(reason, "error_status_hint", 400) == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return BrainError("brain_head_too_large", "请求行和请求头太长。", EXIT_DATA)
    told = "这不是能读懂的 HTTP 请求：请求行、请求头或长度不对（地址里的汉字要编码成 %E8…）。"
    return BrainError("brain_request_invalid", told, EXIT_DATA)
