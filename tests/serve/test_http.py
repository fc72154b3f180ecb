"""The HTTP server, as a real process: the contract's JSON, its statuses, and who may talk to it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from brain.serve.http.auth import MAX_BODY
from tests.support import PATIENCE, until
from tests.support.cli import PROGRAM, Cli
from tests.support.servers import Web, at_start

TOKEN = "令牌-0123456789abcdef"
BEARER = {"Authorization": f"Bearer {TOKEN}".encode().decode("latin-1")}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("web")
    cli = Cli(folder)
    cli("add", "值班群是青鸟群，三月一日起")
    cli("add", "生产环境部署走蓝绿发布，先跑十五分钟冒烟", "--kind", "decision")
    cli("add", "用户喜欢深色主题", "--kind", "preference", "--pin")
    with Web(folder) as server:
        yield server


@pytest.fixture(scope="module")
def leaving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web(tmp_path_factory.mktemp("leaving")) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web(tmp_path_factory.mktemp("guarded"), env={"BRAIN_TOKEN": TOKEN}) as server:
        yield server


@pytest.mark.parametrize("question", ["部署怎么发布", "值班群是哪个", "法国的首都是哪里", "C++ -k"])
@pytest.mark.parametrize("verb", ["inject", "recall", "check", "search"])
def test_the_json_is_the_command_lines(web: Web, verb: str, question: str) -> None:
    wanted = web.cli(verb, "--json", "--", question).json
    assert web.post(f"/{verb}", query=question).json == wanted
    assert web.get(f"/{verb}", q=question).json == wanted


def test_options_reach_the_engine(web: Web) -> None:
    wanted = web.cli("recall", "群", "-k", "1", "--explain", "--json").json
    assert web.post("/recall", query="群", k=1, explain=True).json == wanted
    assert web.get("/recall", q="群", k="1", explain="true").json == wanted
    assert web.get("/memories", kind="decision").json == (
        web.cli("list", "--kind", "decision", "--json").json
    )


def test_what_is_there_can_be_looked_at(web: Web) -> None:
    assert web.get("/memories/1").json == web.cli("show", "1", "--json").json
    assert web.get("/memories/%231").json["id"] == 1
    assert web.get("/memories").json == web.cli("list", "--json").json
    assert web.get("/brief").json == web.cli("brief", "--json").json
    assert web.get("/stats").json == web.cli("stats", "--json").json
    assert web.get("/healthz").json == {"status": "ok"}


def test_no_is_an_answer_and_not_an_error(web: Web) -> None:
    for path in ("/inject", "/check"):
        reply = web.post(path, query="火星上有几座咖啡馆")
        assert reply.status == 200
        assert reply.json["answerable"] is False


def test_writing(tmp_path: Path) -> None:
    with Web(tmp_path) as web:
        assert web.post("/memories", text="端口是 8080", kind="fact").json["id"] == 1
        again = web.post("/memories", text="端口是 8080", kind="fact")
        assert again.json == {"id": 1, "created": False, "similar": []}
        done = web.post("/memories/1/supersede", text="端口是 9090").json
        assert (done["old"], done["new"]) == (1, 2)
        assert web.post("/memories/%231/supersede", text="端口是 7070").status == 409
        expired = web.post("/memories/2/expire")
        assert expired.json["valid_to"] is not None
        assert web.post("/memories/2/conf", value=0.5).json["confidence"] == 0.5
        assert web.post("/memories/2/useful").json["confidence"] > 0.5
        assert web.post("/memories/2/importance", value=0.8).json["importance"] == 0.8
        assert web.post("/memories/2/pin").json["pinned"] is True
        assert web.post("/memories/2/forget").status == 409
        assert web.post("/memories/2/unpin").json["pinned"] is False
        assert web.post("/memories/2/wrong", why="过时了").status == 200
        shown = web.cli("show", "2", "--json").json
        assert shown == web.get("/memories/2").json


def test_lineage(tmp_path: Path) -> None:
    with Web(tmp_path) as web:
        web.post("/memories", text="老王的分机是 8001")
        assert web.post("/memories/1/correct", text="老王的分机是 8010").json["new"] == 2
        assert web.get("/memories/2/history").json == web.cli("history", "2", "--json").json
        assert web.post("/memories/2/retract", why="听错了").json["retracted_at"]
        assert web.post("/memories/2/restore").json["retracted_at"] is None
        assert web.post("/memories/2/forget").json["forgotten"] is True
        again = web.post("/memories/2/forget")
        assert (again.status, again.code) == (404, "brain_not_found")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/inject", b"{", 400, "brain_bad_json"),
        ("POST", "/inject", b"\xff\xfe", 400, "brain_bad_json"),
        ("POST", "/inject", b"[1]", 400, "brain_bad_json"),
        ("POST", "/inject", b"", 400, "brain_bad_json"),
        ("POST", "/inject", b"[" * 100_000, 400, "brain_bad_json"),
        ("POST", "/inject", {}, 422, "brain_usage"),
        ("POST", "/inject", {"query": 5}, 422, "brain_usage"),
        ("POST", "/inject", {"query": None}, 422, "brain_usage"),
        ("POST", "/inject", {"query": "群", "bugdet": 5}, 422, "brain_usage"),
        ("POST", "/inject", {"query": "群", "budget": -5}, 422, "brain_budget_invalid"),
        ("POST", "/recall", {"query": ""}, 422, "brain_query_empty"),
        ("POST", "/recall", {"query": " \u3000"}, 422, "brain_query_empty"),
        ("POST", "/recall", {"query": "\ud800"}, 422, "brain_text_surrogate"),
        ("POST", "/search", {"query": " \udfff\0"}, 422, "brain_text_surrogate"),
        ("POST", "/recall", {"query": "\0"}, 422, "brain_text_nul"),
        ("POST", "/recall", {"query": "群", "k": 10**400}, 422, "brain_k_invalid"),
        ("POST", "/recall", {"query": "群", "k": True}, 422, "brain_usage"),
        ("POST", "/recall", {"query": "群", "as_of": "\ud800"}, 422, "brain_date_invalid"),
        ("POST", "/memories", {"text": "前\0后"}, 422, "brain_text_nul"),
        ("POST", "/memories", {"text": "前\ud800后"}, 422, "brain_text_surrogate"),
        ("POST", "/memories", {"text": "长" * 100_000}, 422, "brain_memory_too_large"),
        ("POST", "/memories", {"text": "群", "importance": 7}, 422, "brain_importance_invalid"),
        (
            "POST",
            "/memories",
            {"text": "群", "importance": 10**400},
            422,
            "brain_importance_invalid",
        ),
        ("POST", "/memories/99/supersede", {"text": "新"}, 404, "brain_not_found"),
        ("POST", "/memories/1/supersede", {}, 422, "brain_usage"),
        ("POST", "/memories/1/supersede", {"new": 1}, 409, "brain_supersede_self"),
        ("POST", "/memories/3/expire", {}, 409, "brain_pinned"),
        ("POST", "/recover", {"handle": "ccr_x"}, 422, "brain_ccr_handle_invalid"),
        ("POST", "/recover", {"handle": "ccr_" + "0" * 32}, 404, "brain_ccr_not_found"),
        ("GET", "/memories/99", None, 404, "brain_not_found"),
        ("GET", "/memories/abc", None, 422, "brain_id_invalid"),
        ("GET", "/recall?q=x&k=many", None, 422, "brain_usage"),
        ("GET", "/recall?q=x&limit=3", None, 422, "brain_usage"),
        ("GET", "/shutdown", None, 404, "brain_route_unknown"),
        ("DELETE", "/memories/1", None, 405, "brain_method_refused"),
        ("PUT", "/inject", {"query": "群"}, 405, "brain_method_refused"),
    ],
)
def test_bad_requests_get_a_status_a_sentence_and_a_code(
    web: Web, method: str, path: str, body: Any, status: int, code: str
) -> None:
    before = web.get("/stats").json
    reply = web.request(method, path, body)
    assert (reply.status, reply.code) == (status, code)
    assert reply.headers["content-type"] == "application/json"
    assert any("一" <= c <= "鿿" for c in reply.json["error"]["message"])
    assert web.get("/stats").json == before


@pytest.mark.parametrize("path", ["/recall", "/search"])
@pytest.mark.parametrize("junk", ["\ud800", "\0", "\udc00\ud800"])
def test_a_question_comes_back_as_it_was_understood(web: Web, path: str, junk: str) -> None:
    reply = web.request("POST", path, {"query": f"{junk} 值班"})
    assert reply.status == 200
    assert reply.json["hits"]
    assert reply.json["query"] == " " * len(junk) + " 值班"


def test_a_get_takes_two_thousand_characters_and_a_post_any_number(web: Web) -> None:
    assert web.get("/recall", q="值" * 2000).status == 200
    reply = web.get("/recall", q="值" * 2001)
    assert (reply.status, reply.code) == (414, "brain_url_too_long")
    assert web.post("/recall", query="值班" * 200_000).status == 200


def test_bodies_have_a_limit(web: Web) -> None:
    reply = web.request("POST", "/inject", b" " * (MAX_BODY + 1))
    assert (reply.status, reply.code) == (413, "brain_body_too_large")
    # Without a length, as pieces.
    with socket.create_connection(("127.0.0.1", web.port or 0), timeout=PATIENCE) as client:
        head = "POST /inject HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode())
        piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        try:
            for _ in range(MAX_BODY // 0x100000 + 1):
                client.sendall(piece)
            answer = client.recv(100)
        except ConnectionError:
            answer = b" 413 "
    assert b" 413 " in answer


def test_the_token_is_required_of_every_route(guarded: Web) -> None:
    for method, path in (
        ("GET", "/healthz"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/stats"),
        ("POST", "/inject"),
        ("POST", "/memories"),
        ("POST", "/mcp"),
        ("GET", "/nothing"),
    ):
        body = {"query": "群"} if method == "POST" else None
        for wrong in ("", "Bearer no", BEARER["Authorization"].removeprefix("Bearer ")):
            reply = guarded.request(method, path, body, {"Authorization": wrong})
            assert (reply.status, reply.code) == (401, "brain_token_refused")
            assert reply.headers["www-authenticate"] == "Bearer"
    assert guarded.request("GET", "/healthz", headers=BEARER).status == 200


def test_others_can_reach_it_only_with_a_token(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        done = Cli(tmp_path)("serve", "--port", "0", "--host", host)
        assert done.code == 2
        assert "brain_token_missing" in done.err
    with Web(tmp_path, "--host", "0.0.0.0", env={"BRAIN_TOKEN": TOKEN}) as server:
        assert server.request("GET", "/stats").status == 401
        assert server.request("GET", "/stats", headers=BEARER).status == 200


def test_a_taken_port_is_told(web: Web, tmp_path: Path) -> None:
    done = Cli(tmp_path)("serve", "--port", str(web.port), "--json")
    assert done.code == 73
    assert done.json["error"]["code"] == "brain_port_taken"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "",
        "evil.example@127.0.0.1",
        "evil.example:80@localhost",
        "@127.0.0.1",
        "127.0.0.1:99999999999",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:80:80",
        "127.0.0.1/evil.example",
        "127.0.0.1?x",
        "127.0.0.1#x",
        "localhost localhost",
        "[::1",
        "[::1]x",
        "[127.0.0.1]x:1",
    ],
)
def test_a_rebound_name_is_refused(web: Web, host: str) -> None:
    reply = web.request("GET", "/stats", headers={"Host": host})
    assert (reply.status, reply.code) == (421, "brain_host_refused")


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8766",
        "LOCALHOST:1",
        "127.0.0.1:1",
        "127.0.0.1:65535",
        "[::1]:8766",
        "[::1]",
    ],
)
def test_its_own_names_are_taken(web: Web, host: str) -> None:
    assert web.request("GET", "/stats", headers={"Host": host}).status == 200


def test_a_name_that_was_allowed_is_taken(tmp_path: Path) -> None:
    with Web(tmp_path, "--allow-host", "brain.example.com, memory.lan") as web:
        assert web.request("GET", "/stats", headers={"Host": "memory.lan:8766"}).status == 200
        assert web.request("GET", "/stats", headers={"Host": "other.lan"}).status == 421


def test_a_slow_client_does_not_hold_the_others(tmp_path: Path) -> None:
    Cli(tmp_path)("add", "值班群是青鸟群")
    # The time a body is given never ends: what is answered was not answered after it.
    env = at_start(
        tmp_path / "site", "from brain.serve.http import app; app.BODY_SECONDS = 86_400.0"
    )
    head = b"POST /inject HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    slow = []
    with Web(tmp_path, env=env) as web:
        for n in range(40):
            client = socket.create_connection(("127.0.0.1", web.port or 0), timeout=PATIENCE)
            client.sendall(head[: 20 + n] if n % 2 else head + b'Content-Length: 9\r\n\r\n{"que')
            slow.append(client)
        assert web.post("/inject", query="值班群是哪个").json["answerable"] is True
        for client in slow:
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.recv(1)
            client.close()


@pytest.mark.parametrize("path", ["/recall", "/memories", "/mcp"])
@pytest.mark.parametrize("sent", [b"", b'{"query": "', b'{"query": "' + b"x" * 100_000])
def test_a_client_that_leaves_amid_its_body_is_not_worth_a_line(
    leaving: Web, path: str, sent: bytes
) -> None:
    assert leaving.port
    until(lambda: leaving.errors)  # what it says when it starts
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Length: 200000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", leaving.port)) as client:
        client.sendall(head.encode() + sent)
        time.sleep(0.1)
    time.sleep(0.2)
    assert leaving.get("/healthz").status == 200
    # What it said when it started is all it has said.
    assert len(leaving.errors) == 1, leaving.errors


def test_many_clients_get_what_one_gets(web: Web) -> None:
    questions = ["值班群是哪个", "部署怎么发布", "用户喜欢什么主题", "法国的首都是哪里"]
    wanted = {q: web.post("/inject", query=q).json for q in questions}

    def one(n: int) -> None:
        asked = questions[n % len(questions)]
        assert web.post("/inject", query=asked).json == wanted[asked]

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(one, range(160)))


def test_metrics_count_calls_gates_and_latencies(tmp_path: Path) -> None:
    with Web(tmp_path) as web:
        web.post("/memories", text="值班群是青鸟群")
        web.post("/inject", query="值班群是哪个")
        web.post("/check", query="火星上有几座咖啡馆")
        web.post("/memories", text=" ")
        reply = web.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = reply.body.decode().splitlines()
    assert 'brain_calls_total{call="add",code="ok"} 1' in lines
    assert 'brain_calls_total{call="add",code="brain_text_empty"} 1' in lines
    assert 'brain_gate_decisions_total{answer="yes"} 1' in lines
    assert 'brain_gate_decisions_total{answer="no"} 1' in lines
    assert 'brain_call_seconds_count{call="inject",stage="call"} 1' in lines
    assert 'brain_memories{state="current"} 1' in lines
    assert not any("青鸟" in line for line in lines)


def test_private_text_is_not_logged(tmp_path: Path) -> None:
    with Web(tmp_path) as web:
        web.get("/inject", q="绝密的问题")
        web.post("/memories", text="绝密的内容", kind="坏类型")
        web.request("POST", "/inject", "绝密的坏请求".encode())
        time.sleep(0.1)
        assert "绝密" not in b"".join(web.errors).decode()


def test_read_only(tmp_path: Path) -> None:
    Cli(tmp_path)("add", "值班群是青鸟群")
    with Web(tmp_path, "--read-only") as web:
        reply = web.post("/memories", text="不该记下的")
        assert (reply.status, reply.code) == (403, "brain_db_read_only")
        reply = web.post("/record", decision="不备份就升级", outcome="库没了")
        assert (reply.status, reply.code) == (403, "brain_db_read_only")
        assert web.post("/before", action="不备份就升级").json["verdict"] == "no_precedent"
        assert web.post("/inject", query="值班群是哪个").json["answerable"]


def test_a_file_that_others_lock_is_busy_and_try_again(tmp_path: Path) -> None:
    import apsw

    Cli(tmp_path)("add", "值班群是青鸟群")
    with Web(tmp_path) as web:
        other = apsw.Connection(str(web.cli.db))
        other.execute("BEGIN IMMEDIATE")
        try:
            with ThreadPoolExecutor(1) as pool:
                waits = pool.submit(web.post, "/memories", text="要等的一条")
                time.sleep(0.3)
                assert web.post("/inject", query="值班群是哪个").json["answerable"]
                reply = waits.result(timeout=PATIENCE)
        finally:
            other.execute("ROLLBACK")
            other.close()
        assert (reply.status, reply.code) == (503, "brain_busy")
        assert reply.headers["retry-after"] == "1"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_mcp_is_on_the_same_port(web: Web, mode: str) -> None:
    async def talk() -> None:
        async with Client(f"{web.url}/mcp", mode=mode) as client:  # type: ignore[arg-type]
            assert {"inject", "recall"} <= {t.name for t in (await client.list_tools()).tools}
            found = await client.call_tool("inject", {"query": "值班群是哪个"})
            assert found.structured_content == web.post("/inject", query="值班群是哪个").json
            failed = await client.call_tool("recall", {"query": ""})
            assert failed.is_error
            assert "brain_query_empty" in failed.content[0].text  # type: ignore[union-attr]

    asyncio.run(talk())


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: int) -> None:
    with Web(tmp_path) as web:
        web.post("/memories", text="值班群是青鸟群")
        web.process.send_signal(number)
        assert web.process.wait(timeout=PATIENCE) == 0
        assert b"Traceback" not in b"".join(web.errors)
        assert not Path(f"{web.cli.db}-wal").exists()


def test_started_without_a_terminal_stdout_has_one_line(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), "serve", "--port", "0", "--json", "--no-token"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=Cli(tmp_path).env(),
    )
    assert process.stdout
    first = process.stdout.readline()
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE)
    assert set(json.loads(first)) == {"url"}
    assert out == b""
    assert err.decode().startswith("在 http://127.0.0.1:")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--host", "no-such-host.invalid"), "认不出这个地址"),
        (("--host", "x" * 70), "认不出这个地址"),
        (("--host", "203.0.113.7"), "没有这个地址"),
        (("--host", "127.0.0.1"), "已经有程序占着"),
    ],
)
def test_a_port_that_cannot_be_had_is_told_in_chinese(
    tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = Cli(tmp_path)(
            "serve", *options, "--port", port, env={"BRAIN_TOKEN": "秘密的一串八个字"}
        )
    assert done.code == 73
    assert told in done.err
    assert not re.search(r"Errno|in use|known|assign", done.err)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (b"\x00\x01\r\n\r\n", "不是能读懂的 HTTP 请求"),
        (
            b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\n\r\n",
            "WebSocket",
        ),
    ],
)
def test_what_the_server_logs_is_chinese(tmp_path: Path, request_: bytes, told: str) -> None:
    with Web(tmp_path) as web:
        assert web.port
        with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE) as line:
            line.sendall(request_)
            assert line.recv(100)
        web.process.terminate()
        web.process.wait(timeout=PATIENCE)
    logged = [line for line in b"".join(web.errors).decode().splitlines() if "uvicorn" in line]
    assert len(logged) == 1
    assert logged[0].startswith("警告：")
    assert told in logged[0]
