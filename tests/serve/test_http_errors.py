"""What is no HTTP request gets the error object of the contract, and the server goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import PATIENCE
from tests.support.servers import Web

HOST = b"Host: 127.0.0.1\r\n"
BODY = b"POST /recall HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"

REFUSED = {
    "noise": (400, "brain_request_invalid", b"\x00\x01\x02\r\n\r\n"),
    "half a request line": (400, "brain_request_invalid", b"GET\r\n\r\n"),
    "the first bytes of TLS": (400, "brain_request_invalid", bytes.fromhex("16030100a1010000")),
    "no Host": (400, "brain_request_invalid", b"GET /stats HTTP/1.1\r\n\r\n"),
    "two Hosts": (400, "brain_request_invalid", b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n"),
    "Han in the path": (
        400,
        "brain_request_invalid",
        "GET /记忆 HTTP/1.1\r\n".encode() + HOST + b"\r\n",
    ),
    "GBK in the path": (
        400,
        "brain_request_invalid",
        "GET /记忆 HTTP/1.1\r\n".encode("gbk") + HOST + b"\r\n",
    ),
    "a length that is none": (
        400,
        "brain_request_invalid",
        BODY + b"Content-Length: abc\r\n\r\n{}",
    ),
    "a length below 0": (400, "brain_request_invalid", BODY + b"Content-Length: -1\r\n\r\n{}"),
    "two lengths": (
        400,
        "brain_request_invalid",
        BODY + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    ),
    "an encoding nobody knows": (
        400,
        "brain_request_invalid",
        BODY + b"Transfer-Encoding: gzip\r\n\r\n{}",
    ),
    "a chunk without a length": (
        400,
        "brain_request_invalid",
        BODY + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    ),
    "endless headers": (
        431,
        "brain_head_too_large",
        b"GET /stats HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 400_000,
    ),
    "escapes that are no UTF-8": (
        404,
        "brain_route_unknown",
        b"GET /%FF%FE HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    ),
    "an id that is no UTF-8": (
        422,
        "brain_id_invalid",
        b"GET /memories/%CA%D6 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    ),
    "a method nobody knows": (
        405,
        "brain_method_refused",
        b"BREW /recall HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    home: Path = tmp_path_factory.mktemp("unreadable")
    with Web(home) as running:
        yield running


def exchanged(port: int, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Sends bytes as they are and reads until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        data = b""
        try:
            line.sendall(request)
            while piece := line.recv(65536):
                data += piece
        except ConnectionError:  # closed on what we have not finished saying
            pass
    head, _, body = data.partition(b"\r\n\r\n")
    first, *rest = head.decode("ascii").split("\r\n")
    headers = {k.lower(): v for k, _, v in (line_.partition(": ") for line_ in rest)}
    return int(first.split()[1]), headers, body


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_cannot_be_read_is_refused_with_the_error_object(server: Web, case: str) -> None:
    status, code, request = REFUSED[case]
    told, headers, body = exchanged(server.port, request)
    assert (told, headers["content-type"]) == (status, "application/json")
    assert int(headers["content-length"]) == len(body)
    error = json.loads(body)["error"]
    assert error["code"] == code
    assert any("\u4e00" <= c <= "\u9fff" for c in error["message"])
    assert headers["brain-exit-code"] == ("69" if status in {404, 405} else "65")


def test_the_server_goes_on_answering(server: Web) -> None:
    for _, _, request in REFUSED.values():
        exchanged(server.port, request)
    assert server.get("/healthz").json == {"status": "ok"}
