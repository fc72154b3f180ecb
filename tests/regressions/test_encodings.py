"""Encodings, as the servers meet them: text is UTF-8 and exact in every locale."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.support.cli import Cli
from tests.support.servers import Stdio, text_of

LOCALES = [
    {"PYTHONIOENCODING": "gbk"},
    {"PYTHONIOENCODING": "cp950:strict"},
    {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LANG": "zh_CN.GB18030", "LC_ALL": "zh_CN.GB18030"},
]
TEXTS = [
    "🎉完成：发布 2.0 ✓",
    "繁體字與𠮷野家、①②③",
    "e\u0301cole — 中文\u3000全角",
    "行一\n行二\t制表",
]


@pytest.mark.parametrize("locale", LOCALES, ids=lambda e: next(iter(e.values())))
def test_mcp_stores_and_gives_text_exactly_in_every_locale(
    tmp_path: Path, locale: dict[str, str]
) -> None:
    """HKUDS/CLI-Anything #418 and MemPalace/mempalace #503: text arrived as surrogates, answers
    died on a pipe of another encoding."""
    with Stdio(tmp_path, env=locale) as server:
        for n, text in enumerate(TEXTS, 1):
            # As a client writes it: plain UTF-8, not escaped.
            message = {
                "jsonrpc": "2.0",
                "id": 100 + n,
                "method": "tools/call",
                "params": {"name": "remember", "arguments": {"text": text}},
            }
            server.send(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")
            assert server.receive()["result"]["structuredContent"]["id"] == n
        handle = "ccr_" + hashlib.sha256(TEXTS[0].encode()).hexdigest()[:32]
        assert server.tool("recover", handle=handle)["structuredContent"]["text"] == TEXTS[0]
        assert "完成" in text_of(server.tool("recall", query="发布"))
        assert b"Traceback" not in b"".join(server.errors)
    stored = [m["text"] for m in reversed(Cli(tmp_path)("list", "--json").json)]
    assert stored == TEXTS


@pytest.mark.parametrize(
    ("escaped", "code"),
    [
        ("前\\ud800后文", "brain_text_surrogate"),
        ("\\udc80青鸟", "brain_text_surrogate"),
        ("前\\u0000后文青鸟", "brain_text_nul"),
    ],
)
def test_one_bad_text_is_refused_and_the_others_are_stored(
    tmp_path: Path, escaped: str, code: str
) -> None:
    """frappe/frappe #41128 and python/cpython #153731: one bad text took the others with it."""
    with Stdio(tmp_path) as server:
        for n in range(10):
            text = escaped if n == 4 else f"第 {n} 条好的记录"
            line = (
                f'{{"jsonrpc":"2.0","id":{n + 50},"method":"tools/call","params":'
                f'{{"name":"remember","arguments":{{"text":"{text}"}}}}}}\n'
            )
            server.send(line.encode("utf-8"))
            answer = server.receive()
            assert answer["id"] == n + 50
            if n == 4:
                assert code in json.dumps(answer, ensure_ascii=False)
            else:
                assert answer["result"]["isError"] is False
    assert Cli(tmp_path)("stats", "--json").json["total"] == 9


GBK = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"值":"班"}}\n'.encode("gbk")


@pytest.mark.parametrize("line", [b"{\n", b"\xff\xfe{}\n", b"[1, 2\n", b"nonsense\n", GBK])
def test_a_line_that_is_no_json_is_answered_and_the_next_one_served(
    tmp_path: Path, line: bytes
) -> None:
    with Stdio(tmp_path) as server:
        server.send(line)
        refused = server.receive()
        assert refused["error"]["code"] == -32700
        assert refused["error"]["data"]["code"] == "brain_bad_json"
        assert server.tool("check", query="有吗")["isError"] is False
