"""A model server on loopback that answers ``/v1/embeddings`` as a test wants: well, late, badly."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIM = 96


def vector(text: str, dim: int = DIM) -> list[float]:
    """A bag of characters: texts that share some lie near each other."""
    out = np.full(dim, 0.05)
    for char in text:
        rng = np.random.default_rng(zlib.crc32(char.encode()))
        out += rng.standard_normal(dim)
    return [float(x) for x in 3.0 * out / np.linalg.norm(out)]


def well(body: dict[str, Any]) -> tuple[int, Any]:
    """The right answer."""
    dim = body.get("dimensions", DIM)
    rows = [{"index": i, "embedding": vector(t, dim)} for i, t in enumerate(body["input"])]
    return 200, {"object": "list", "model": body["model"], "data": rows[::-1]}


Answer = Callable[[dict[str, Any]], tuple[int, Any] | None]


class ModelServer:
    """A server; set :attr:`answer` to change what it does. None from it drops the connection.

    Attributes:
        bodies: what it was sent.
        keys: the Authorization headers.
    """

    def __init__(self) -> None:
        self.answer: Answer = well
        self.headers: dict[str, str] = {}
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.release = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                body = json.loads(data)
                outer.bodies.append(body)
                outer.keys.append(self.headers["Authorization"])
                given = outer.answer(body)
                if given is None:
                    self.close_connection = True
                    return
                status, told = given
                out = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.origin = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http://{self.origin}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def texts(self) -> list[str]:
        """Every text it was sent."""
        return [text for body in self.bodies for text in body["input"]]

    def late(self, body: dict[str, Any]) -> tuple[int, Any]:
        """An answer that comes when the test is over."""
        self.release.wait(30)
        return well(body)

    def stop(self) -> None:
        """Nobody listens any more."""
        self.release.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server for the time of a test."""
    server = ModelServer()
    try:
        yield server
    finally:
        server.stop()
