"""POST /cache-event: what a host tells of its prompt cache, judged at once and counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.servers import Web

USED = {"input_tokens": 10, "cache_read_input_tokens": 30_000, "cache_creation_input_tokens": 500}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web(tmp_path_factory.mktemp("events"), "--read-only") as server:
        yield server


def test_a_drop_is_told_and_counted(web: Web) -> None:
    def told(minute: int, read: int, **more: Any) -> Any:
        at = f"2026-03-01T08:{minute:02}:00Z"
        used = {**USED, "cache_read_input_tokens": read, "at": at, "model": "m1", **more}
        return web.post("/cache-event", session="绝密的会话", **used).json

    first = told(0, 30_000, fingerprint="aa", tools="t1")
    assert first == {
        "session": "绝密的会话", "turn": 1, "hit_ratio": round(30_000 / 30_510, 4), "drop": None,
    }  # fmt: skip
    assert told(1, 28_001, fingerprint="aa", tools="t1")["drop"] is None
    changed = [
        (2, 20_000, {"fingerprint": "bb", "tools": "t1"}, "memory"),
        (3, 10_000, {"fingerprint": "bb", "tools": "t2"}, "tools"),
        (4, 8_000, {"fingerprint": "bb", "tools": "t2"}, "unexpected"),
        (5, 5_000, {"fingerprint": "bb", "tools": "t2", "compacted": True}, "compaction"),
        (40, 2_500, {"fingerprint": "bb", "tools": "t2"}, "idle"),
        (41, 0, {"fingerprint": "bb", "tools": "t2", "model": "m2"}, "model"),
    ]
    lost: dict[str, int] = {}
    before = 28_001
    for turn, (minute, read, more, cause) in enumerate(changed, start=3):
        answer = told(minute, read, **more)
        assert answer["turn"] == turn
        assert (answer["drop"]["cause"], answer["drop"]["tokens"]) == (cause, before - read)
        lost[cause], before = before - read, read
    lines = web.get("/metrics").body.decode().splitlines()
    for cause, tokens in lost.items():
        assert f'brain_cache_drops_total{{cause="{cause}"}} 1' in lines
        assert f'brain_cache_lost_tokens_total{{cause="{cause}"}} {tokens}' in lines
    assert 'brain_prompt_tokens_total{cache="written"} 4000' in lines
    assert not any("绝密" in line or "m1" in line for line in lines)
    assert "绝密" not in b"".join(web.errors).decode()


def test_openais_names_and_the_present_time(web: Web) -> None:
    used = {"session": "o", "input_tokens": 20_000, "cached_input_tokens": 15_000}
    assert web.post("/cache-event", **used).json["hit_ratio"] == 0.75
    assert (
        web.post("/cache-event", **{**used, "cached_input_tokens": 0}).json["drop"]["cause"]
        == "unexpected"
    )


@pytest.mark.parametrize(
    ("told", "status", "code"),
    [
        (USED, 422, "brain_usage"),
        ({"session": "s"}, 422, "brain_cache_event_invalid"),
        ({"session": " ", **USED}, 422, "brain_cache_event_invalid"),
        ({"session": "长" * 201, **USED}, 422, "brain_cache_event_invalid"),
        ({"session": "s", **USED, "input_tokens": -1}, 422, "brain_cache_event_invalid"),
        ({"session": "s", **USED, "input_tokens": "10"}, 422, "brain_usage"),
        ({"session": "s", **USED, "input_tokens": 10**30}, 422, "brain_cache_event_invalid"),
        ({"session": "s", **USED, "cached_input_tokens": 11}, 422, "brain_cache_event_invalid"),
        ({"session": "s", **USED, "at": "昨天"}, 422, "brain_cache_event_invalid"),
        ({"session": "s", **USED, "life": 0}, 422, "brain_cache_event_invalid"),
        ({"session": "s", **USED, "unknown": 1}, 422, "brain_usage"),
    ],
)
def test_bad_events(web: Web, told: dict[str, Any], status: int, code: str) -> None:
    before = web.get("/metrics").body
    reply = web.post("/cache-event", **told)
    assert (reply.status, reply.code) == (status, code)

    def counts(page: bytes) -> list[bytes]:
        return [line for line in page.splitlines() if b"cache" in line]

    assert counts(web.get("/metrics").body) == counts(before)


def test_what_is_no_event(web: Web) -> None:
    assert web.request("POST", "/cache-event", b"{").code == "brain_bad_json"
    assert web.request("POST", "/cache-event", b"[]").code == "brain_bad_json"
    assert web.get("/cache-event").status == 405


def test_the_brief_and_inject_take_their_new_arguments(web: Web) -> None:
    told = web.get("/brief").json
    assert web.get("/brief", if_changed=told["fingerprint"]).json["changed"] is False
    assert web.post("/inject", query="x", with_brief=True).json["block"] == told["block"]
