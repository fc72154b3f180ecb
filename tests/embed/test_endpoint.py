"""openai:NAME against a real server on loopback: right, late, busy, broken, hostile."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from brain import Brain, BrainError, Draft
from brain.embed import breaker, endpoint, registry
from brain.embed.protocol import Settings
from brain.store import meta
from tests.support.engine import refused
from tests.support.model_server import DIM, ModelServer, model_server, vector, well

NAME = "openai:stub-m3"
KEY = "sk-sEcReT0123456789abcdefKEY"
NOTES = ("备用钥匙放在门卫老周那里", "我对花生过敏，吃了会起疹子", "周报每周五下班前发给主管")
ASKED = "花生过敏吃了会怎样"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setattr(endpoint, "PAUSE_SECONDS", 0.001)
    with model_server() as found:
        monkeypatch.setenv(endpoint.URL, found.url)
        monkeypatch.setenv(endpoint.KEY, KEY)
        yield found


def made(path: Path, **settings: object) -> Brain:
    """A file with three notes, made with the server's model."""
    Brain.create(path, model=NAME, settings=Settings(**settings) if settings else None)  # type: ignore[arg-type]
    brain = Brain.open(path)
    for note in NOTES:
        brain.add(note)
    return brain


def lanes(brain: Brain) -> set[str]:
    found = brain.recall(ASKED)
    return {lane for hit in found.hits for lane in hit.lanes}


def test_a_server_s_model_takes_part_in_recall(server: ModelServer, tmp_path: Path) -> None:
    with made(tmp_path / "b.db") as brain:
        found = brain.recall(ASKED)
        assert found.hits[0].text == NOTES[1]
        assert "semantic" in lanes(brain)
        stats = brain.stats()
        assert (stats.model, stats.dim, stats.vectors_missing) == (NAME, DIM, 0)
        facts = brain._facts()
    setup = json.loads(facts[meta.SETUP])
    assert setup == {"host": server.origin, "normalized": False}
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert all(body["model"] == "stub-m3" for body in server.bodies)


def test_vectors_are_normalised_in_the_texts_order(server: ModelServer) -> None:
    model = registry.open_embedder(NAME)
    many = [f"第{i}条记录说的是事情{i * 7}" for i in range(endpoint.BATCH + 3)]
    found = model.embed_documents(many)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)
    wanted = np.array([vector(text) for text in many])
    assert np.allclose(found, wanted / np.linalg.norm(wanted, axis=1)[:, None], atol=1e-5)
    assert [len(body["input"]) for body in server.bodies[-2:]] == [endpoint.BATCH, 3]


def test_dimensions_and_prefixes_are_asked_for_and_kept(
    server: ModelServer, tmp_path: Path
) -> None:
    chosen = {"dimensions": 64, "query_prefix": "问：", "document_prefix": "文："}
    with made(tmp_path / "b.db", **chosen) as brain:
        assert brain.stats().dim == 64
    server.bodies.clear()
    with Brain.open(tmp_path / "b.db") as brain:
        brain.recall(ASKED)
        brain.add("绿萝半个月浇一次水")
        brain.reembed(NAME)
    assert server.texts[:2] == [f"问：{ASKED}", "文：绿萝半个月浇一次水"]
    assert all(body["dimensions"] == 64 for body in server.bodies)


def test_a_server_that_takes_ten_texts_gets_ten(server: ModelServer) -> None:
    def narrow(body: dict[str, object]) -> tuple[int, object]:
        return well(body) if len(body["input"]) <= 10 else (400, {})  # type: ignore[arg-type]

    server.answer = narrow
    found = registry.open_embedder(NAME).embed_documents([f"记录{i}" for i in range(25)])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("status", [429, 503])
def test_busy_then_well(server: ModelServer, status: int) -> None:
    model = registry.open_embedder(NAME)
    busy = [(status, {}), (status, {}), None]

    def answer(body: dict[str, object]) -> tuple[int, object] | None:
        return busy.pop() if busy else well(body)

    server.answer = answer
    assert model.embed_query("天气").shape == (DIM,)
    assert not busy


def rows(*values: object) -> dict[str, object]:
    return {"data": [{"index": i, "embedding": v} for i, v in enumerate(values)]}


BAD = {
    "no json": (b"<html>", "brain_embed_answer"),
    "another shape": ([1, 2], "brain_embed_answer"),
    "deep": (b"[" * 100_000, "brain_embed_answer"),
    "half a batch": (rows([1.0] * DIM), "brain_embed_answer"),
    "twice the same": (
        {"data": [{"index": 0, "embedding": [1.0] * DIM}] * 2},
        "brain_embed_answer",
    ),
    "text": (rows("AAAA", "AAAA"), "brain_embed_dimension"),
    "ragged": (rows([1.0] * DIM, [1.0]), "brain_embed_answer"),
    "not finite": (rows([float("nan")] * DIM, [1.0] * DIM), "brain_embed_answer"),
    "all zero": (rows([0.0] * DIM, [1.0] * DIM), "brain_embed_answer"),
    "another dimension": (rows([1.0] * 7, [1.0] * 7), "brain_embed_dimension"),
}


def test_nonsense_is_refused_whatever_it_is(server: ModelServer) -> None:
    model = registry.open_embedder(NAME)
    for what, (told, code) in BAD.items():
        server.answer = lambda body, told=told: (200, told)  # type: ignore[misc]
        with pytest.raises(BrainError) as caught:
            model.embed_documents(["甲", "乙"])
        assert (caught.value.code, caught.value.exit_code) == (code, 69), what


def test_a_file_that_names_another_server_sends_nothing(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.db"
    made(path).close()
    with model_server() as other:
        monkeypatch.setenv(endpoint.URL, other.url)
        server.bodies.clear()
        with Brain.open(path) as brain:
            found = brain.recall(ASKED)
            assert found.hits[0].text == NOTES[1]
            assert "model_mismatch" in found.degraded
            number = brain.add("绿萝半个月浇一次水，别放窗边").id
            assert brain.get(number).text.startswith("绿萝")
            assert {"model_mismatch", "vectors_pending"} <= set(brain.stats().degraded)
            told = next(f.message for f in brain.doctor().findings if f.code == "model")
            assert other.origin in told
        assert (other.bodies, server.bodies) == ([], [])
        monkeypatch.delenv(endpoint.URL)
        with Brain.open(path) as brain:
            assert "model_mismatch" in brain.check(ASKED).degraded
        assert (other.bodies, server.bodies) == ([], [])


def test_a_redirect_is_not_followed(server: ModelServer) -> None:
    with model_server() as other:
        server.headers = {"Location": f"{other.url}/embeddings"}
        server.answer = lambda body: (307, {})
        with pytest.raises(BrainError, match="没有跟去"):
            registry.open_embedder(NAME)
        assert other.bodies == []


@pytest.mark.parametrize(
    "url",
    [
        "http://models.example.com/v1",
        "ftp://127.0.0.1/v1",
        "https://user:pass@models.example.com",
        "models",
        "http://[::1",
        "https://a b/",
    ],
)
def test_addresses_that_are_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv(endpoint.URL, url)
    with pytest.raises(BrainError) as caught:
        registry.open_embedder(NAME)
    assert (caught.value.code, caught.value.exit_code) == ("brain_embed_url", 2)
    assert "pass" not in caught.value.message


def test_a_key_that_is_no_header_is_not_shown(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(endpoint.KEY, f"{KEY}\nX-Evil: 1")
    with pytest.raises(BrainError) as caught:
        registry.open_embedder(NAME)
    assert caught.value.code == "brain_embed_key"
    assert KEY not in caught.value.message
    assert server.bodies == []


def test_secrets_are_masked_before_a_text_is_sent(server: ModelServer, tmp_path: Path) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    with made(tmp_path / "b.db") as brain:
        brain.add(f"部署用的令牌是 {secret}", allow_secrets=True)
        brain.recall(f"谁还在用 {secret}")
    assert not any(secret in text for text in server.texts)


def test_the_key_is_in_no_file_error_or_export(
    server: ModelServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda body: (401, {"error": {"message": f"bad key {KEY}"}})
    with pytest.raises(BrainError) as caught:
        Brain.create(tmp_path / "b.db", model=NAME)
    assert KEY not in str(caught.value)
    server.answer = well
    with made(tmp_path / "b.db") as brain:
        server.answer = lambda body: (401, {"error": {"message": f"bad key {KEY}"}})
        brain.recall(ASKED)
        brain.add("绿萝半个月浇一次水，别放窗边")
        brain.export_to(tmp_path / "out.jsonl")
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
    said = capfd.readouterr()
    assert KEY not in said.out + said.err


def test_a_write_keeps_its_note_and_a_later_one_fills_a_batch(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "FAILURES", 100)
    with made(tmp_path / "b.db") as brain:
        server.answer = lambda body: (500, {})
        brain.add_many([Draft(f"第{i}号仓库的钥匙在{i}楼") for i in range(70)])
        number = brain.add("会议室的投影仪接口松了").id
        assert "vectors_pending" in brain.stats().degraded
        assert brain.stats().vectors_missing == 71
        assert brain.search("投影仪").hits[0].id == number
        server.answer = well
        server.bodies.clear()
        brain.add("外婆爱听评弹，收音机在她床头")
        assert [len(body["input"]) for body in server.bodies] == [32]
        assert brain.stats().vectors_missing == 72 - 32
        brain.reembed(NAME)
        assert brain.stats().vectors_missing == 0


def test_three_failures_open_the_breaker_for_every_process(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.db"
    made(path).close()
    server.answer = lambda body: (401, {})
    server.bodies.clear()
    for _ in range(6):  # each as a cold process: nothing but the file beside is shared
        with Brain.open(path) as brain:
            found = brain.recall(ASKED)
            assert "no_model" in found.degraded
            assert found.hits[0].text == NOTES[1]
    assert len(server.bodies) == breaker.FAILURES
    beside = breaker.path_of(path)
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert json.loads(beside.read_text())["failures"] == breaker.FAILURES
    # A write does not ask either, and its note is kept.
    with Brain.open(path) as brain:
        brain.add("绿萝半个月浇一次水，别放窗边")
    assert len(server.bodies) == breaker.FAILURES
    # When its time is over one question is a trial; a failure doubles the wait, a success ends it.
    real = time.time
    monkeypatch.setattr(breaker.time, "time", lambda: real() + breaker.FIRST_WAIT + 1)
    with Brain.open(path) as brain:
        brain.recall(ASKED)
        brain.recall(ASKED)
    assert len(server.bodies) == breaker.FAILURES + 1
    assert json.loads(beside.read_text())["wait"] == 2 * breaker.FIRST_WAIT
    monkeypatch.setattr(breaker.time, "time", lambda: real() + 10 * breaker.FIRST_WAIT)
    server.answer = well
    with Brain.open(path) as brain:
        assert "semantic" in lanes(brain)
    assert not beside.exists()


def test_a_breaker_file_of_nonsense_is_none(server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    made(path).close()
    for told in (b"", b"{", b"[1]", b'{"failures": "x"}', b"\xff" * 5000):
        breaker.path_of(path).write_bytes(told)
        breaker.path_of(path).chmod(0o600)
        with Brain.open(path) as brain:
            assert "semantic" in lanes(brain)


def test_a_late_server_costs_no_more_than_patience(server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    made(path).close()
    server.answer = server.late
    with Brain.open(path, patience=0.05) as brain:
        began = time.monotonic()
        found = [brain.recall(ASKED) for _ in range(5)]
        assert time.monotonic() - began < 2.0
        assert all("timeout" in one.degraded for one in found)
        assert found[-1].hits[0].text == NOTES[1]
    # One is at work, or the breaker is open: nobody piles up requests behind it.
    assert len([b for b in server.bodies if ASKED in b["input"]]) <= breaker.FAILURES


def test_without_patience_a_question_has_a_limit_of_its_own(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.db"
    made(path).close()
    monkeypatch.setattr(endpoint, "QUESTION_SECONDS", 0.05)
    server.answer = server.late
    with Brain.open(path) as brain:
        assert "timeout" in brain.recall(ASKED).degraded


def test_a_server_that_dies(server: ModelServer, tmp_path: Path) -> None:
    with made(tmp_path / "b.db") as brain:
        server.answer = lambda body: None
        assert "no_model" in brain.recall(ASKED).degraded
        server.stop()
        found = brain.recall(ASKED)
        assert "no_model" in found.degraded
        assert found.hits[0].text == NOTES[1]


def test_any_embedder_is_bound_by_patience(tmp_path: Path) -> None:
    class Slow:
        name, dim, max_tokens, languages = "slow", 8, 512, ("zh",)
        asleep = False

        def embed_documents(self, texts: list[str]) -> np.ndarray:
            return np.eye(8, dtype=np.float32)[[len(t) % 8 for t in texts]]

        def embed_query(self, text: str) -> np.ndarray:
            if self.asleep:
                time.sleep(1.0)
            return np.eye(8, dtype=np.float32)[len(text) % 8]

    slow = Slow()
    with Brain.open(tmp_path / "s.db", model=slow, patience=0.05) as brain:  # type: ignore[arg-type]
        brain.add(NOTES[1])
        slow.asleep = True
        began = time.monotonic()
        found = [brain.recall(ASKED) for _ in range(3)]
        assert time.monotonic() - began < 0.9
        assert all("timeout" in one.degraded and one.hits for one in found)


def test_vectors_of_four_thousand_numbers(server: ModelServer, tmp_path: Path) -> None:
    with made(tmp_path / "b.db", dimensions=4096) as brain:
        assert "semantic" in lanes(brain)
        assert brain.stats().dim == 4096
    refused("brain_model_settings", 65, lambda: Settings(dimensions=4097))


def test_settings_belong_to_models_that_have_them() -> None:
    chosen = Settings(dimensions=64)
    refused("brain_model_settings", 65, lambda: registry.open_embedder("e5-small", chosen))
    refused("brain_model_unknown", 65, lambda: registry.open_embedder("openai:"))
