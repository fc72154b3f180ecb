"""HTTP error responses: the status of each of our errors, and its JSON; "no" is no error."""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

from starlette.responses import Response

from brain.errors import (
    EXIT_BUSY,
    EXIT_CANT_CREATE,
    EXIT_DATA,
    EXIT_NO,
    EXIT_UNAVAILABLE,
    EXIT_USAGE,
    BrainError,
)
from brain.serve.client.remote import EXIT_HEADER

CONFLICTS = frozenset(
    {
        "brain_duplicate",
        "brain_not_current",
        "brain_pinned",
        "brain_supersede_loop",
        "brain_supersede_same",
        "brain_supersede_self",
        "brain_supersede_time",
    }
)
"""Codes of what is right in itself and does not fit the records there are."""

_OWN = {
    "brain_bad_json": 400,
    "brain_request_invalid": 400,
    "brain_token_refused": 401,
    "brain_origin_refused": 403,
    "brain_route_unknown": 404,
    "brain_method_refused": 405,
    "brain_body_slow": 408,
    "brain_body_too_large": 413,
    "brain_url_too_long": 414,
    "brain_content_type": 415,
    "brain_host_refused": 421,
    "brain_head_too_large": 431,
    "brain_db_read_only": 403,
    "brain_scope_refused": 403,
}

_BY_EXIT = {
    EXIT_NO: 404,
    EXIT_USAGE: 422,
    EXIT_DATA: 422,
    EXIT_UNAVAILABLE: 503,
    EXIT_BUSY: 503,
    EXIT_CANT_CREATE: 500,
}

EXIT_INTERNAL = 70
"""EX_SOFTWARE of sysexits(3)."""

_RETRY_SECONDS = "1"


def status_of(error: BrainError) -> int:
    """400–422 for what the caller can change, 503 for "try again", 500 for the rest."""
    if error.code in _OWN:
        return _OWN[error.code]
    if error.code in CONFLICTS:
        return 409
    return _BY_EXIT.get(error.exit_code, 500)


def internal_error(error: Exception) -> BrainError:
    """``brain_internal`` for an error of ours; its trace goes to stderr."""
    traceback.print_exception(error, file=sys.stderr)
    told = f"内部错误（{type(error).__name__}）；详情在服务器的标准错误里。"
    return BrainError("brain_internal", told, EXIT_INTERNAL)


class Json(Response):
    """One JSON value; Chinese stays readable, a lone surrogate is escaped."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace")


def error_response(error: BrainError) -> Response:
    """The response of an error, with its exit code for a client that is a command line."""
    status = status_of(error)
    headers = {EXIT_HEADER: str(error.exit_code)}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if error.exit_code == EXIT_BUSY:
        headers["Retry-After"] = _RETRY_SECONDS
    body: dict[str, dict[str, str]] = error.to_dict()
    if error.override:
        body["error"]["override"] = error.override
    return Json(body, status, headers)
