"""The MCP server over stdio: the SDK's own client, and raw JSON-RPC in both generations."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.support import PATIENCE, ROOT, until
from tests.support.cli import Cli
from tests.support.servers import ENVELOPE, MCP, MODERN, Stdio, at_start, text_of

READ_TOOLS = {"inject", "recall", "check", "recover", "history", "list"} | {
    "originals",
    "before_action",
    "trace_cause",
    "compare_options",
}
WRITE_TOOLS = {"remember", "supersede", "correct", "forget", "restore", "pin", "useful", "tag"} | {
    "verify",
    "compress",
    "record_decision",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stdio]:
    """One server with a small memory, for tests that only look."""
    folder = tmp_path_factory.mktemp("shared")
    cli = Cli(folder)
    cli("add", "值班群是青鸟群，三月一日起")
    cli("add", "生产环境部署走蓝绿发布，先跑十五分钟冒烟", "--kind", "decision")
    cli("add", "用户喜欢深色主题", "--kind", "preference", "--pin")
    with Stdio(folder) as server:
        yield server


def client_of(home: Path, *args: str, mode: str = "auto") -> Client:
    """The SDK's client with a server of its own."""
    parameters = StdioServerParameters(
        command=sys.executable, args=[str(MCP), *args], env=Cli(home).env(), cwd=home
    )
    return Client(parameters, mode=mode)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["auto", "legacy", MODERN])
def test_the_sdks_client_remembers_and_gets_it_back(home: Path, mode: str) -> None:
    async def talk() -> None:
        async with client_of(home, mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) >= READ_TOOLS | WRITE_TOOLS
            stored = await client.call_tool("remember", {"text": "值班群是青鸟群"})
            assert stored.structured_content == {"id": 1, "created": True, "similar": []}
            found = await client.call_tool("inject", {"query": "值班群是哪个"})
            assert found.structured_content
            assert found.structured_content["block"] == found.content[0].text  # type: ignore[union-attr]
            assert "青鸟群" in found.structured_content["block"]
            nothing = await client.call_tool("inject", {"query": "法国的首都是哪里"})
            assert not nothing.is_error
            assert nothing.content == []
            assert nothing.structured_content
            assert nothing.structured_content["block"] == ""
            failed = await client.call_tool("supersede", {"id": 99, "text": "别的"})
            assert failed.is_error
            assert "brain_not_found" in failed.content[0].text  # type: ignore[union-attr]
            prompts = (await client.list_prompts()).prompts
            told = await client.get_prompt(prompts[0].name)
            assert "inject" in told.messages[0].content.text  # type: ignore[union-attr]
            stats = await client.read_resource("brain://stats")
            assert json.loads(stats.contents[0].text)["total"] == 1  # type: ignore[union-attr]

    asyncio.run(talk())


def test_the_older_handshake(shared: Stdio) -> None:
    told = shared.hello["result"]
    assert told["protocolVersion"] == "2025-06-18"
    assert told["serverInfo"]["name"] == "brain"
    assert "inject" in told["instructions"]
    assert set(told["capabilities"]) >= {"tools", "resources", "prompts"}


def test_an_unknown_prompt_is_the_callers_mistake(home: Path) -> None:
    with Stdio(home) as server:
        for name in ("没有的", "x\x1b[2J", ""):
            error = server.ask("prompts/get", name=name)["error"]
            assert (error["code"], error["data"]) == (-32602, {"code": "brain_usage"})
            assert "use_memory" in error["message"]
            assert "\x1b" not in error["message"]
        assert "result" in server.ask("prompts/get", name="use_memory")
        assert server.close() == 0
        assert server.errors == []


def test_the_stateless_protocol_needs_no_handshake(home: Path) -> None:
    with Stdio(home, handshake=False, cold=True) as server:
        found = server.ask("server/discover", _meta=ENVELOPE)["result"]
        assert MODERN in found["supportedVersions"]
        stored = server.ask(
            "tools/call", name="remember", arguments={"text": "端口是八零八零"}, _meta=ENVELOPE
        )
        assert stored["result"]["structuredContent"]["id"] == 1
        listed = server.ask("tools/list", _meta=ENVELOPE)["result"]["tools"]
        assert {tool["name"] for tool in listed} >= READ_TOOLS | WRITE_TOOLS


def test_every_tool_teaches_and_is_typed(shared: Stdio) -> None:
    tools = shared.ask("tools/list")["result"]["tools"]
    for tool in tools:
        assert len(tool["description"]) > 30
        assert any("一" <= c <= "鿿" for c in tool["description"])
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        for field in tool["inputSchema"]["properties"].values():
            assert field["description"]
            assert "type" in field or "anyOf" in field
        hints = tool["annotations"]
        assert hints["readOnlyHint"] is (tool["name"] in READ_TOOLS)
        assert {"destructiveHint", "idempotentHint", "openWorldHint"} <= set(hints)
        assert hints["destructiveHint"] is (tool["name"] == "forget")


def test_what_a_tool_gives_is_what_the_command_line_gives(shared: Stdio) -> None:
    for verb, question in (
        ("inject", "部署怎么发布"),
        ("inject", "法国的首都是哪里"),
        ("recall", "值班群"),
        ("check", "值班群是哪个"),
    ):
        given = shared.tool(verb, query=question)["structuredContent"]
        assert given == shared.cli(verb, question, "--json").json


@pytest.mark.parametrize("number", [1, "1", "#1"])
def test_a_number_is_taken_however_it_is_written(home: Path, number: object) -> None:
    with Stdio(home) as server:
        server.tool("remember", text="端口是 8080")
        done = server.tool("supersede", id=number, text="端口是 9090")
        assert done["structuredContent"]["old"] == 1
        assert not done["isError"]


def test_numbers_in_strings_and_null_are_what_models_send(shared: Stdio) -> None:
    found = shared.tool("recall", query="值班群", k="1", scope=None, as_of=None)
    assert len(found["structuredContent"]["hits"]) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("recall", {}, "brain_usage"),
        ("recall", {"query": ""}, "brain_query_empty"),
        ("recall", {"query": "群", "k": 0}, "brain_k_invalid"),
        ("recall", {"query": "群", "limit": 3}, "brain_usage"),
        ("recall", {"query": ["群"]}, "brain_usage"),
        ("recall", {"query": "群", "k": "三"}, "brain_usage"),
        ("recall", {"query": "群", "as_of": "去年秋天的某天"}, "brain_date_invalid"),
        ("inject", {"query": "群", "budget": -1}, "brain_budget_invalid"),
        ("remember", {"text": "   "}, "brain_text_empty"),
        ("remember", {"text": "群", "kind": "Bad Kind"}, "brain_kind_invalid"),
        ("remember", {"text": "新的一条", "supersedes": 999}, "brain_not_found"),
        ("supersede", {"id": "十二", "text": "新"}, "brain_id_invalid"),
        ("supersede", {"id": 1}, "brain_usage"),
        ("recover", {"handle": "ccr_"}, "brain_ccr_handle_invalid"),
        ("recover", {"handle": "ccr_" + "0" * 32}, "brain_ccr_not_found"),
        ("frobnicate", {}, "brain_usage"),
    ],
)
def test_bad_arguments_get_a_sentence_and_a_code(
    shared: Stdio, tool: str, arguments: dict[str, Any], code: str
) -> None:
    before = json.loads(read(shared, "brain://stats"))["total"]
    failed = shared.tool(tool, **arguments)
    assert failed["isError"] is True
    assert text_of(failed).startswith(f"错误[{code}]: ")
    assert failed["structuredContent"]["error"]["code"] == code
    assert json.loads(read(shared, "brain://stats"))["total"] == before


def read(server: Stdio, uri: str) -> str:
    text = server.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]
    assert isinstance(text, str)
    return text


def test_resources(shared: Stdio) -> None:
    listed = shared.ask("resources/list")["result"]["resources"]
    assert {item["uri"] for item in listed} == {"brain://stats", "brain://brief"}
    templates = shared.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert [item["uriTemplate"] for item in templates] == ["brain://recall/{query}"]
    assert "深色主题" in read(shared, "brain://brief")
    quoted = "brain://recall/%E5%80%BC%E7%8F%AD%E7%BE%A4"
    assert "青鸟群" in json.loads(read(shared, quoted))["hits"][0]["text"]


def test_what_a_model_remembers_is_marked_as_a_models(home: Path) -> None:
    with Stdio(home) as server:
        number = server.tool("remember", text="接口超时设为三秒")["structuredContent"]["id"]
    record = Cli(home)("show", str(number), "--json").json
    assert (record["source"], record["confidence"]) == ("model", 0.75)


def test_remember_can_take_over_from_an_older_one(home: Path) -> None:
    with Stdio(home) as server:
        server.tool("remember", text="值班群是老群")
        done = server.tool("remember", text="值班群是青鸟群", supersedes="#1", importance=0.9)
        assert done["structuredContent"]["superseded"] == 1
    assert Cli(home)("show", "1", "--json").json["superseded_by"] == 2


def test_a_part_of_what_was_cut_is_recovered(home: Path) -> None:
    text = "\n\n".join(f"第 {n} 节：{'甲乙丙丁戊己庚辛' * 30} 机房{n}" for n in range(30))
    with Stdio(home) as server:
        server.tool("remember", text=text)
        handle = "ccr_" + hashlib.sha256(text.encode()).hexdigest()[:32]
        whole = server.tool("recover", handle=handle)["structuredContent"]
        assert whole["text"] == text
        part = server.tool("recover", handle=handle, query="机房7")["structuredContent"]
        assert part == Cli(home)("recover", handle, "--query", "机房7", "--json").json
        assert "机房7" in part["text"]


def test_what_was_wrong_is_corrected_and_has_a_history(home: Path) -> None:
    with Stdio(home) as server:
        server.tool("remember", text="老王的分机是 8001")
        done = server.tool("correct", id="#1", text="老王的分机是 8010")["structuredContent"]
        assert (done["old"], done["new"]) == (1, 2)
        told = server.tool("history", id=2)["structuredContent"]
        assert [m["id"] for m in told["history"]] == [1, 2]
        assert told == Cli(home)("history", "2", "--json").json
        shown = told["history"][1]
        assert (shown["source"], shown["confidence"]) == ("model", 0.75)


def test_forget_takes_back_and_erases_only_when_told_to(home: Path) -> None:
    with Stdio(home) as server:
        for text in ("老王的分机是 8001", "小李的分机是 8002"):
            server.tool("remember", text=text)
        taken = server.tool("forget", id=1)["structuredContent"]
        assert taken["forgotten"] is True
        assert taken["retracted_at"] is not None
        assert server.tool("recall", query="老王的分机")["structuredContent"]["hits"] != []
        assert "8001" not in text_of(server.tool("recall", query="老王的分机"))
        assert Cli(home)("restore", "1").code == 0
        erased = server.tool("forget", id="#2", erase=True)["structuredContent"]
        assert erased["forgotten"] is True
        assert "brain_not_found" in text_of(server.tool("forget", id=2, erase=True))
        assert "brain_not_found" in text_of(server.tool("history", id=2))
    assert Cli(home)("show", "2").code == 1


def test_a_pinned_record_is_not_forgotten(home: Path) -> None:
    Cli(home)("add", "用户对花生过敏", "--pin")
    with Stdio(home) as server:
        for erase in (False, True):
            assert "brain_pinned" in text_of(server.tool("forget", id=1, erase=erase))
    assert Cli(home)("show", "1", "--json").json["retracted_at"] is None


def test_read_only_offers_no_tool_that_writes(home: Path) -> None:
    Cli(home)("add", "值班群是青鸟群")
    with Stdio(home, "--read-only") as server:
        listed = server.ask("tools/list")["result"]["tools"]
        assert {tool["name"] for tool in listed} == READ_TOOLS
        assert "record_decision" not in READ_TOOLS
        assert {"before_action", "trace_cause", "compare_options"} <= READ_TOOLS
        denied = server.tool("record_decision", decision="不备份就升级", outcome="库没了")
        assert "brain_db_read_only" in text_of(denied)
        refused = server.tool("remember", text="不该记下的")
        assert "brain_db_read_only" in text_of(refused)
        assert "青鸟群" in text_of(server.tool("inject", query="值班群是哪个"))
    assert Cli(home)("stats", "--json").json["total"] == 1


def test_scope_is_the_default_of_every_call(home: Path) -> None:
    with Stdio(home, "--scope", "web") as server:
        server.tool("remember", text="前端端口是 5173")
        server.tool("remember", text="后端端口是 9000", scope="api")
    cli = Cli(home)
    assert [m["text"] for m in cli("list", "--scope", "web", "--json").json] == ["前端端口是 5173"]
    assert [m["text"] for m in cli("list", "--scope", "api", "--json").json] == ["后端端口是 9000"]


def test_the_verb_is_the_same_server(home: Path) -> None:
    with Stdio(home, command=(str(ROOT / "brain.py"), "mcp"), cold=True) as server:
        assert server.hello["result"]["serverInfo"]["name"] == "brain"


def test_the_file_may_come_and_be_changed_by_others(home: Path) -> None:
    with Stdio(home) as server:
        assert server.tool("inject", query="值班群是哪个")["content"] == []
        assert not Cli(home).db.exists()
        Cli(home)("add", "值班群是青鸟群")
        assert "青鸟群" in text_of(server.tool("inject", query="值班群是哪个"))


def test_a_file_that_is_not_ours_is_told_and_the_server_stays(home: Path) -> None:
    Cli(home).db.write_text("不是数据库，只是一个文本文件而已", encoding="utf-8")
    with Stdio(home) as server:
        for _ in range(2):
            assert "brain_db_not_ours" in text_of(server.tool("recall", query="群"))


def test_parallel_calls_are_all_answered(home: Path) -> None:
    with Stdio(home) as server:
        wanted: dict[int, str] = {}
        for n in range(20):
            arguments = {"text": f"第 {n} 号机房的负责人是工号 {1000 + n}"}
            wanted[server.request("tools/call", name="remember", arguments=arguments)] = "id"
            wanted[server.request("tools/call", name="recall", arguments={"query": "负责人"})] = (
                "hits"
            )
        for _ in range(len(wanted)):
            answer = server.receive()
            assert wanted.pop(answer["id"]) in answer["result"]["structuredContent"]
    assert Cli(home)("stats", "--json").json["total"] == 20


def test_a_read_does_not_wait_for_a_write(home: Path) -> None:
    Cli(home)("add", "值班群是青鸟群")
    import apsw

    with Stdio(home) as server:
        server.tool("recall", query="值班群")
        other = apsw.Connection(str(Cli(home).db))
        other.execute("BEGIN IMMEDIATE")
        try:
            waits = server.request("tools/call", name="remember", arguments={"text": "要等的一条"})
            # The next answer is that of the read: it came before that of the write.
            answer = server.ask("tools/call", name="recall", arguments={"query": "值班群"})
            assert answer["result"]["structuredContent"]["hits"]
        finally:
            other.execute("ROLLBACK")
            other.close()
        stored = server.receive()
        assert stored["id"] == waits
        assert stored["result"]["structuredContent"]["created"]


def test_requests_before_the_end_of_input_are_answered(home: Path) -> None:
    with Stdio(home) as server:
        numbers = [
            server.request("tools/call", name="remember", arguments={"text": f"第 {n} 条记录"})
            for n in range(5)
        ]
        assert server.close() == 0
        answered = [json.loads(line)["id"] for line in server.lines]
        assert set(numbers) <= set(answered)


MALFORMED: list[tuple[bytes, int, int | str | None]] = [
    (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}', -32602, 4),
    (b'{"jsonrpc":"2.0","id":"q","method":"tools/call","params":"x"}', -32602, "q"),
    (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', -32602, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":false}', -32602, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":"\\ud800"}}', -32602, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":null}', -32600, 4),
    (b'{"jsonrpc":"2.0","id":4}', -32600, 4),
    (b'{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4),
    (b'{"id":4,"method":"ping"}', -32600, 4),
    (b'{"id":1.5,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":[4],"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32602, None),
    (b'[{"jsonrpc":"2.0","id":4,"method":"ping"}]', -32600, None),
    (b"[]", -32600, None),
    (b"null", -32600, None),
    (b'"ping"', -32600, None),
    (b"{}", -32600, None),
    (b'{"jsonrpc":"2.0","id":4,"method":"ping"', -32700, None),
    (
        b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":' + b"[" * 400 + b"]" * 400 + b"}}",
        -32600,
        4,
    ),
]


@pytest.mark.parametrize(("line", "number", "request_id"), MALFORMED)
def test_a_malformed_message_is_answered(
    shared: Stdio, line: bytes, number: int, request_id: int | str | None
) -> None:
    shared.send(line + b"\n")
    answer = shared.receive()
    assert (answer["id"], answer["error"]["code"]) == (request_id, number)
    assert answer["error"]["data"]["code"].startswith("brain_")
    assert any("一" <= c <= "鿿" for c in answer["error"]["message"])
    assert shared.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"notifications/none","params":[]}',
        b'{"jsonrpc":"2.0","method":"notifications/none","params":{"x":"\\ud800"}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        b'{"jsonrpc":"2.0","id":7,"result":5}',
        b'{"jsonrpc":"2.0","id":null,"error":{}}',
    ],
)
def test_what_asks_nothing_is_not_answered(shared: Stdio, line: bytes) -> None:
    shared.send(line + b"\n")
    assert shared.ask("ping")["result"] == {}


def test_malformed_messages_do_not_keep_it_from_ending(home: Path) -> None:
    # The time that requests which are still running are given never ends.
    env = at_start(home / "site", "from brain.serve.mcp import wire; wire.LAST_ANSWERS = 86_400.0")
    with Stdio(home, env=env) as server:
        for line, _, _ in MALFORMED:
            server.send(line + b"\n")
        last = server.request("ping")
        while server.receive().get("id") != last:
            continue
        assert server.close() == 0
        assert server.errors == []


def test_a_byte_order_mark_before_the_first_line_is_no_obstacle(home: Path) -> None:
    with Stdio(home, handshake=False, cold=True) as server:
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "1"},
            },
        }
        server.send(codecs.BOM_UTF8 + json.dumps(hello).encode() + b"\n")
        assert server.receive()["result"]["serverInfo"]["name"] == "brain"
        server.send(codecs.BOM_UTF8 + b"{}\n")
        assert server.receive()["error"]["code"] == -32700


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_at_once_without_a_trace(home: Path, number: int, code: int) -> None:
    with Stdio(home) as server:
        server.tool("remember", text="值班群是青鸟群")
        server.process.send_signal(number)
        assert server.process.wait(timeout=PATIENCE) == code
        assert b"Traceback" not in b"".join(server.errors)
    assert Cli(home)("stats", "--json").json["total"] == 1


@pytest.mark.skipif(os.name == "nt", reason="POSIX processes")
def test_it_ends_when_the_program_that_started_it_is_killed(home: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, {str(MCP)!r}], stdin=subprocess.PIPE)\n"
        "print(p.pid, flush=True)\ntime.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=Cli(home).env()
    )
    assert parent.stdout
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    until(lambda: not _alive(child))
    parent.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="POSIX processes")
def test_it_ends_with_its_parent_though_somebody_holds_its_input_open(home: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, {str(MCP)!r}])\n"
        "print(p.pid, flush=True)\ntime.sleep(600)"
    )
    taken, held = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=taken, stdout=subprocess.PIPE, env=Cli(home).env()
    )
    os.close(taken)
    assert parent.stdout
    child = int(parent.stdout.readline())
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "raw", "version": "1"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    os.write(held, json.dumps(asked).encode() + b"\n")
    assert json.loads(parent.stdout.readline())["id"] == 1
    parent.kill()
    parent.wait()
    until(lambda: not _alive(child))
    os.close(held)
    parent.stdout.close()


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_nothing_else_imports_the_sdk() -> None:
    code = (
        "import sys; import brain.engine, brain.cli.program\n"
        "import brain.cli.commands.ask, brain.cli.commands.change\n"
        "from brain.cli.verbs import VERBS, load\n"
        "for verb in VERBS: load(verb)\n"
        "print([m for m in ('mcp', 'starlette', 'uvicorn', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
