"""Scope bound to a server: nothing of another scope is found, over any of its faces."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from brain import Brain
from brain.compress.handles import handle_of
from tests.support.cli import Cli
from tests.support.servers import Reply, Web

MINE, THEIRS = "青鸟", "白鹭"
LONG = "白鹭项目的长文。" + "每一段都不一样，第{}段说的是机房的门禁。" * 40
ORIGINAL = "\n".join(f"2026-03-01 12:00:{n % 60:02} INFO 白鹭第{n}步完成" for n in range(900))


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A file with records, links and originals of two scopes and of none."""
    folder = tmp_path_factory.mktemp("bound")
    with Brain.open(Cli(folder).db, model="none") as brain:
        mine = brain.record("青鸟周五发布", "青鸟线上白屏", scope=MINE)
        theirs = brain.record("白鹭周五发布", "白鹭线上白屏", scope=THEIRS)
        return {
            "folder": folder,
            "global": brain.add("全公司三月一日放假").id,
            "mine": brain.add("青鸟的值班群是甲群", scope=MINE).id,
            "theirs": brain.add("白鹭的值班群是乙群，端口八零八零", scope=THEIRS).id,
            "long": brain.add(LONG, scope=THEIRS).id,
            "link": mine.link,
            "their_link": theirs.link,
            "original": brain.compress(ORIGINAL).handle,
        }


@pytest.fixture(scope="module")
def web(ids: dict[str, Any]) -> Iterator[Web]:
    with Web(ids["folder"], "--only-scope", MINE) as server:
        yield server


def hides(reply: Reply) -> bool:
    return "白鹭" not in reply.body.decode()


def test_lists_and_questions_show_its_own_and_the_global(web: Web, ids: dict[str, Any]) -> None:
    shown = web.get("/memories", all="true", all_scopes="true", limit="100")
    assert {one["scope"] for one in shown.json} == {"", MINE}
    assert {ids["mine"], ids["global"]} <= {one["id"] for one in shown.json}
    for verb in ("recall", "search", "inject", "check"):
        assert hides(web.post(f"/{verb}", query="值班群是哪个，端口八零八零是谁的，线上白屏"))
    assert "青鸟" in web.post("/recall", query="值班群").body.decode()
    asks = {"before": "action", "why": "outcome"}
    for verb, name in asks.items():
        assert hides(web.post(f"/{verb}", **{name: "线上白屏，周五发布"}))
    assert hides(web.post("/compare", a="周五发布", b="周一发布"))
    stats = web.get("/stats")
    assert set(stats.json["by_scope"]) == {"", MINE}
    assert stats.json["total"] == 4
    assert hides(web.get("/brief"))
    assert hides(web.get("/metrics"))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", {}),
        ("GET", "/history", {}),
        ("POST", "/supersede", {"text": "换成丙群"}),
        ("POST", "/correct", {"text": "其实是丙群"}),
        ("POST", "/expire", {}),
        ("POST", "/conf", {"value": 0.1}),
        ("POST", "/importance", {"value": 0.1}),
        ("POST", "/pin", {}),
        ("POST", "/unpin", {}),
        ("POST", "/useful", {}),
        ("POST", "/wrong", {}),
        ("POST", "/retract", {}),
        ("POST", "/restore", {}),
        ("POST", "/forget", {"force": True}),
    ],
)
def test_the_number_of_anothers_record_is_as_one_that_nobody_has(
    web: Web, ids: dict[str, Any], method: str, path: str, body: dict[str, Any]
) -> None:
    sent = body if method == "POST" else None
    told = [
        web.request(method, f"/memories/{number}{path}", sent) for number in (ids["theirs"], 9999)
    ]
    assert [one.status for one in told] == [404, 404]
    assert told[0].body.replace(str(ids["theirs"]).encode(), b"9999") == told[1].body
    if method == "POST":
        kept = web.request("POST", f"/memories/{ids['global']}{path}", sent)
        assert (kept.status, kept.code) == (403, "brain_scope_refused")


def test_other_scopes_links_and_handles_are_not_found(web: Web, ids: dict[str, Any]) -> None:
    for scope in (THEIRS, "没有过的"):
        assert web.post("/recall", query="值班群", scope=scope).code == "brain_not_found"
        assert web.post("/memories", text="写进别处", scope=scope).code == "brain_not_found"
    assert web.post("/memories", text="写进全局", scope="").code == "brain_scope_refused"
    assert [one["link"] for one in web.get("/links").json] == [ids["link"]]
    assert web.get("/links", id=str(ids["theirs"])).status == 404
    assert web.post(f"/links/{ids['their_link']}/unlink").status == 404
    for handle in (handle_of(LONG.encode()), ids["original"]):
        assert web.post("/recover", handle=handle).code == "brain_ccr_not_found"
    new = web.post(f"/memories/{ids['mine']}/supersede", new=ids["theirs"])
    assert (new.status, new.code) == (404, "brain_not_found")
    own = web.post("/memories", text="青鸟的周会改到周四").json["id"]
    assert web.get(f"/memories/{own}").json["scope"] == MINE
    assert web.post("/recover", handle=handle_of("青鸟的周会改到周四".encode())).status == 200
    assert web.post(f"/memories/{own}/forget").status == 200


def test_over_mcp_as_well(web: Web, ids: dict[str, Any]) -> None:
    async def talk() -> None:
        async with Client(f"{web.url}/mcp") as client:
            for tool in ("history", "forget", "pin", "useful", "restore"):
                failed = await client.call_tool(tool, {"id": ids["theirs"]})
                assert failed.is_error
                assert "brain_not_found" in str(failed.content)
            listed = await client.call_tool("list", {"all": True})
            assert listed.structured_content
            assert {m["scope"] for m in listed.structured_content["memories"]} == {"", MINE}
            for uri in ("brain://stats", "brain://brief", "brain://recall/端口八零八零"):
                found = await client.read_resource(uri)
                assert "白鹭" not in json.dumps(found.model_dump(mode="json"), ensure_ascii=False)

    asyncio.run(talk())


def test_an_empty_scope_is_told_nothing_of_those_that_are_like_it(ids: dict[str, Any]) -> None:
    with Web(ids["folder"], "--only-scope", THEIRS + "二", "--read-only") as web:
        for verb in ("recall", "inject", "check", "search"):
            told = web.post(f"/{verb}", query="值班群", explain=verb != "check" or None)
            assert f"「{THEIRS}」" not in told.body.decode()


def test_it_is_bound_to_one_scope_that_is_not_the_global(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    for args in (("--only-scope", ""), ("--only-scope", "甲", "--scope", "乙")):
        done = cli("serve", "--port", "0", "--no-token", *args, "--json")
        assert (done.code, done.json["error"]["code"]) == (2, "brain_usage")
