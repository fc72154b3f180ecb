"""Fetching a model, against a real HTTP server on this machine that breaks in the usual ways."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from brain.embed import download, paths, registry
from brain.embed.fetch import RELEASE, Release, RemoteFile, fetch, file_lock
from brain.errors import BrainError
from tests.support.embed import REAL, isolate, needs_model, onnx_bytes, tokenizer_json, write_model


class Hub(ThreadingHTTPServer):
    """Serves ``files`` with Range support; ``cut`` bytes of an answer at most, while given."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.cuts: list[int] = []
        self.statuses: list[int] = []
        self.ranges = True
        self.redirect = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the game."""


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        hub = self.server
        hub.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        if hub.redirect:
            self.send_response(302)
            self.send_header("Location", hub.redirect + self.path)
            self.end_headers()
            return
        content = hub.files.get(urlsplit(self.path).path)  # a proxy is asked for a whole URL
        status = hub.statuses.pop(0) if hub.statuses else (200 if content is not None else 404)
        if content is None or status >= 400:
            self.send_error(status)
            return
        begin = 0
        wanted = self.headers.get("Range")
        if wanted and hub.ranges:
            begin = int(wanted.removeprefix("bytes=").rstrip("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        body = content[begin:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: hub.cuts.pop(0)] if hub.cuts else body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""


def _release(files: dict[str, bytes]) -> Release:
    def remote(path: str, name: str) -> RemoteFile:
        content = files[path]
        return RemoteFile(path, name, len(content), hashlib.sha256(content).hexdigest())

    return Release(
        "Some/bge",
        "0123456789abcdef",
        (
            remote("tokenizer.json", paths.TOKENIZER_FILE),
            remote("onnx/model_quantized.onnx", paths.MODEL_FILE),
        ),
    )


FILES = {"tokenizer.json": tokenizer_json().encode(), "onnx/model_quantized.onnx": onnx_bytes()}
TINY = _release(FILES)
MODEL_PATH = "/Some/bge/resolve/0123456789abcdef/onnx/model_quantized.onnx"
MODEL = FILES["onnx/model_quantized.onnx"]


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    for path, content in FILES.items():
        server.files[f"/Some/bge/resolve/0123456789abcdef/{path}"] = content
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hub: Hub) -> Path:
    """The folder a fetched model ends in; no proxy, no waiting between tries."""
    isolate(monkeypatch, tmp_path)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "brain"))
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr(download, "_PAUSE_SECONDS", 0.001)
    return tmp_path / "brain/models/bge-small-zh"


def _fails(source: str | None = None, release: Release = TINY) -> BrainError:
    with pytest.raises(BrainError) as caught:
        fetch("bge-small-zh", source, release=release)
    assert "\n" not in caught.value.message
    return caught.value


def _ranges(hub: Hub) -> list[str | None]:
    return [headers.get("range") for path, headers in hub.requests if path == MODEL_PATH]


def test_a_fetched_model_is_there_for_good(
    hub: Hub, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    seen: list[tuple[int, int]] = []
    folder = fetch("bge-small-zh", None, lambda done, total: seen.append((done, total)), TINY)
    assert folder == own
    assert sorted(p.name for p in own.iterdir()) == ["model.onnx", "tokenizer.json"]
    total = sum(len(content) for content in FILES.values())
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)
    assert seen == sorted(seen)
    assert registry.default_name() == "bge-small-zh"
    assert registry.open_embedder("bge-small-zh").embed_query("花生").shape == (512,)
    asked = len(hub.requests)
    assert fetch("bge-small-zh", release=TINY) == own
    assert len(hub.requests) == asked == 2
    assert all("hf_secret" not in str(headers) for _, headers in hub.requests)
    assert all("authorization" not in headers for _, headers in hub.requests)


def test_a_cut_connection_is_resumed(hub: Hub, own: Path) -> None:
    hub.cuts = [len(FILES["tokenizer.json"]), 1000, 5000]
    fetch("bge-small-zh", release=TINY)
    assert _ranges(hub) == [None, "bytes=1000-", "bytes=6000-"]
    assert (own / "model.onnx").read_bytes() == MODEL


def test_a_failed_fetch_is_resumed_by_the_next(hub: Hub, own: Path) -> None:
    hub.cuts = [len(FILES["tokenizer.json"])] + [1000] * download.ATTEMPTS
    error = _fails()
    assert (error.code, error.exit_code) == ("brain_model_fetch_failed", 69)
    assert not own.exists()
    assert not registry.is_available("bge-small-zh")
    hub.requests.clear()
    fetch("bge-small-zh", release=TINY)
    assert [path for path, _ in hub.requests] == [MODEL_PATH]
    assert _ranges(hub) == [f"bytes={1000 * download.ATTEMPTS}-"]


def test_a_server_that_cannot_resume(hub: Hub, own: Path) -> None:
    hub.ranges = False
    hub.cuts = [len(FILES["tokenizer.json"]), 1000]
    fetch("bge-small-zh", release=TINY)
    assert (own / "model.onnx").read_bytes() == MODEL


def test_a_wrong_beginning_is_thrown_away(hub: Hub, own: Path) -> None:
    hub.cuts = [len(FILES["tokenizer.json"])] + [1000] * download.ATTEMPTS
    _fails()
    (part,) = own.parent.glob(".*.partial/model.onnx.part")
    part.write_bytes(b"x" * 2000)
    fetch("bge-small-zh", release=TINY)
    assert (own / "model.onnx").read_bytes() == MODEL


def test_another_content_is_refused(hub: Hub, own: Path) -> None:
    hub.files[MODEL_PATH] = b"x" * len(MODEL)
    error = _fails()
    assert error.code == "brain_model_fetch_failed"
    assert "SHA-256" in error.message
    assert not own.exists()
    assert not list(own.parent.glob(".*.partial/model.onnx*"))


def test_a_login_page_is_refused(hub: Hub, own: Path) -> None:
    hub.files[MODEL_PATH] = b"<html>login</html>"
    assert "登录页" in _fails().message
    assert not own.exists()


def test_the_right_bytes_of_a_useless_model(hub: Hub, own: Path) -> None:
    files = {**FILES, "onnx/model_quantized.onnx": onnx_bytes(dim=384)}
    hub.files[MODEL_PATH] = files["onnx/model_quantized.onnx"]
    error = _fails(release=_release(files))
    assert error.code == "brain_model_broken"
    assert not own.exists()
    assert not list(own.parent.glob(".*.partial"))


def test_a_refusal_is_final_and_a_busy_server_is_not(hub: Hub) -> None:
    hub.statuses = [403]
    assert "HTTP 403" in _fails().message
    assert len(hub.requests) == 1
    hub.statuses = [429, 503]
    fetch("bge-small-zh", release=TINY)


def test_an_unreachable_host(monkeypatch: pytest.MonkeyPatch, own: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}/")
    error = _fails()
    assert (error.code, error.exit_code) == ("brain_model_fetch_failed", 69)
    for word in (f"http://127.0.0.1:{port}", "HF_ENDPOINT", "hf-mirror", "BRAIN_MODEL_DIR"):
        assert word in error.message
    assert not own.exists()


def test_a_host_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "FIRST_ANSWER_SECONDS", 0.1)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{mute.getsockname()[1]}")
        assert "没有回应" in _fails().message


def test_a_redirect_to_another_host(hub: Hub, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    front = Hub()
    threading.Thread(target=front.serve_forever, kwargs={"poll_interval": 0.02}).start()
    try:
        front.redirect = hub.url
        monkeypatch.setenv("HF_ENDPOINT", front.url)
        hub.cuts = [len(FILES["tokenizer.json"]), 1000]
        fetch("bge-small-zh", release=TINY)
    finally:
        front.shutdown()
        front.server_close()
    assert _ranges(hub) == [None, "bytes=1000-"]
    assert (own / "model.onnx").read_bytes() == MODEL
    assert all("authorization" not in h for _, h in front.requests + hub.requests)


def test_proxies_are_honoured(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://models.invalid")
    monkeypatch.setenv("HTTP_PROXY", hub.url)
    monkeypatch.setenv("http_proxy", hub.url)
    fetch("bge-small-zh", release=TINY)
    assert hub.requests[1][0] == "http://models.invalid" + MODEL_PATH


def test_a_socks_proxy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1080")
    assert "SOCKS" in _fails().message


def test_only_http(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", tmp_path.as_uri())
    error = _fails()
    assert (error.code, error.exit_code) == ("brain_model_source", 65)


def test_from_a_folder(tmp_path: Path, own: Path, hub: Hub) -> None:
    write_model(tmp_path / "usb", "bge-small-zh-v1.5-q.onnx", "bge-small-zh-v1.5-q-tokenizer.json")
    assert fetch("bge-small-zh", str(tmp_path / "usb")) == own
    assert sorted(p.name for p in own.iterdir()) == ["model.onnx", "tokenizer.json"]
    assert registry.open_embedder("bge-small-zh").dim == 512
    broken = write_model(tmp_path / "broken")
    broken.model.write_bytes(b"half")
    assert _fails(str(tmp_path / "broken")).code == "brain_model_broken"
    (tmp_path / "empty").mkdir()
    for name in ("empty", "nowhere"):
        error = _fails(str(tmp_path / name))
        assert (error.code, error.exit_code) == ("brain_model_no_folder", 66)
    assert registry.open_embedder("bge-small-zh").dim == 512
    assert fetch("bge-small-zh", str(tmp_path / "usb")) == own
    assert [p.name for p in own.parent.iterdir() if p.is_dir()] == ["bge-small-zh"]
    assert not hub.requests


def test_a_broken_copy_is_replaced(own: Path) -> None:
    write_model(own).model.write_bytes(b"half")
    fetch("bge-small-zh", release=TINY)
    assert (own / "model.onnx").read_bytes() == MODEL


def test_one_process_at_a_time(own: Path) -> None:
    own.parent.mkdir(parents=True)
    with file_lock(own.parent / ".bge-small-zh.lock") as held:
        assert held
        error = _fails()
        assert (error.code, error.exit_code) == ("brain_busy", 75)
    fetch("bge-small-zh", release=TINY)


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "file"))
    error = _fails()
    assert (error.code, error.exit_code) == ("brain_model_write", 73)


def test_what_is_not_fetched() -> None:
    for name, code in (("e5-small", "brain_model_bundled"), ("nothing", "brain_model_unknown")):
        with pytest.raises(BrainError) as caught:
            fetch(name)
        assert (caught.value.code, caught.value.exit_code) == (code, 65)


@needs_model
def test_real_files_are_the_pinned_ones(hub: Hub, own: Path) -> None:
    folder = Path(os.path.abspath(str(REAL)))
    files = paths.bge_in(folder)
    assert files is not None
    if files.model.stat().st_size != RELEASE.files[1].size:
        pytest.skip("BRAIN_MODEL_DIR 里是另一个精度的模型，不是下载用的那一份")
    for file, path in zip(RELEASE.files, (files.tokenizer, files.model), strict=True):
        url = f"/{RELEASE.repo}/resolve/{RELEASE.revision}/{file.path}"
        hub.files[url] = path.read_bytes()
    hub.cuts = [RELEASE.files[0].size, 10_000_000]
    assert fetch("bge-small-zh") == own
    assert registry.open_embedder("bge-small-zh").embed_query("你好").shape == (512,)
