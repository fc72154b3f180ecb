"""bge-small-zh: loading it from any layout, its vectors, and what a bad copy says."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from brain.embed import registry
from brain.embed.bge import QUERY_INSTRUCTION, BgeSmallZh
from brain.embed.paths import BgeFiles
from brain.errors import BrainError
from tests.support.embed import (
    REAL,
    isolate,
    needs_model,
    onnx_bytes,
    run_offline,
    vocabulary,
    write_model,
)

ODD = {
    "empty": "",
    "blank": " \n\t",
    "nul": "a\0b",
    "surrogate": "a\ud800b",
    "ligatures": "\ufdfa" * 5000,
    "megabyte": "今天天气不错" * 60_000,
    "one long word": "x" * 1_000_000,
}


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> BgeSmallZh:
    return BgeSmallZh(write_model(tmp_path_factory.mktemp("tiny")))


@pytest.fixture(scope="module")
def real() -> BgeSmallZh:
    from brain.embed.paths import bge_in

    files = bge_in(Path(REAL or ""))
    assert files is not None, "BRAIN_MODEL_DIR holds no model"
    return BgeSmallZh(files)


def test_the_tiny_model_is_a_model(tmp_path: Path) -> None:
    embedder = BgeSmallZh(write_model(tmp_path))
    table = np.random.default_rng(7).standard_normal((len(vocabulary()), 512)).astype("f4")
    rows = [vocabulary()[t] for t in ("[CLS]", "花", "生", "[SEP]")]
    expected = table[rows].mean(axis=0)
    got = embedder.embed_documents(["花生"])[0]
    assert got == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert struct.calcsize("<f") * 512 == got.nbytes


def test_shapes_and_unit_length(tiny: BgeSmallZh) -> None:
    assert tiny.embed_documents([]).shape == (0, 512)
    documents = tiny.embed_documents(["备用钥匙", "花生过敏", ""])
    assert documents.shape == (3, 512)
    assert documents.dtype == np.float32
    assert np.linalg.norm(documents, axis=1) == pytest.approx(1, abs=1e-5)
    query = tiny.embed_query("花生")
    assert query.shape == (512,)
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_any_string_has_a_vector(tiny: BgeSmallZh, text: str) -> None:
    for vector in (tiny.embed_query(text), tiny.embed_documents([text])[0]):
        assert np.isfinite(vector).all()
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_text_behind_a_nul_counts(tiny: BgeSmallZh) -> None:
    one, other = tiny.embed_documents(["花生\0备用钥匙", "花生"])
    assert not np.allclose(one, other)


def test_capitals_and_full_width_are_read(tiny: BgeSmallZh) -> None:
    rows = tiny.embed_documents(["tidb", "TiDB", "ＴＩＤＢ", "mysql", "MySQL"])
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])
    assert np.array_equal(rows[3], rows[4])
    assert not np.allclose(rows[0], rows[3])


def test_a_short_query_carries_the_instruction(tiny: BgeSmallZh) -> None:
    plain, instructed = tiny.embed_documents(["花生", QUERY_INSTRUCTION + "花生"])
    both = plain + instructed
    assert tiny.embed_query("花生") == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
    long = "花生" * 40
    assert np.array_equal(tiny.embed_query(long), tiny.embed_documents([long])[0])


def test_a_document_is_its_first_window(tiny: BgeSmallZh) -> None:
    window = "花生" * 255
    one, other = tiny.embed_documents([window, window + "备用钥匙" * 500])
    assert np.array_equal(one, other)


def test_a_long_query_keeps_both_ends(tiny: BgeSmallZh) -> None:
    log = "今天天气不错" * 50_000
    asked = tiny.embed_query("花生过敏")
    plain = tiny.embed_query(log) @ asked
    assert tiny.embed_query(log + "花生过敏" * 40) @ asked > plain + 0.05
    assert tiny.embed_query("花生过敏" * 40 + log) @ asked > plain + 0.05


def test_threads_and_batches_change_nothing(tiny: BgeSmallZh) -> None:
    texts = ["备用钥匙放在门卫老周那里", "花生", "数据库密码每九十天换一次", ""] * 8
    alone = np.vstack([tiny.embed_documents([text]) for text in texts])
    assert np.array_equal(alone, tiny.embed_documents(texts))
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: tiny.embed_documents(texts), range(8)):
            assert np.array_equal(alone, result)


LAYOUTS = {
    "ours": ("", "model.onnx", "tokenizer.json"),
    "fastembed cache": (
        "models--Qdrant--bge-small-zh-v1.5/snapshots/46fbe35",
        "model_optimized.onnx",
        "tokenizer.json",
    ),
    "fastembed snapshot": ("", "model_optimized.onnx", "tokenizer.json"),
    "Xenova int8": ("", "onnx/model_quantized.onnx", "tokenizer.json"),
    "Xenova float": ("", "onnx/model.onnx", "tokenizer.json"),
    "Maven": ("", "bge-small-zh-v1.5-q.onnx", "bge-small-zh-v1.5-q-tokenizer.json"),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_every_layout_loads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, layout: tuple[str, str, str]
) -> None:
    folder = tmp_path / "model"
    write_model(folder / layout[0], layout[1], layout[2])
    monkeypatch.setenv("BRAIN_MODEL_DIR", str(folder))
    assert registry.is_available("bge-small-zh")
    assert registry.default_name() == "bge-small-zh"
    embedder = registry.open_embedder("bge-small-zh")
    assert embedder.embed_query("花生").shape == (embedder.dim,)


def _refused(files: BgeFiles) -> str:
    with pytest.raises(BrainError) as caught:
        BgeSmallZh(files)
    assert caught.value.code == "brain_model_broken"
    assert caught.value.exit_code == 69
    assert "\n" not in caught.value.message
    assert "model fetch" in caught.value.message
    return caught.value.message


def test_another_dimension_is_refused_by_name(tmp_path: Path) -> None:
    message = _refused(write_model(tmp_path, dim=384))
    assert "512" in message
    assert "384" in message


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    files = write_model(tmp_path)
    whole = files.model.read_bytes()
    for content in (b"", b"<html>login</html>", whole[: len(whole) // 2]):
        files.model.write_bytes(content)
        _refused(files)
    files.model.write_bytes(whole)
    for text in ("", "{}", '{"version": "1.0"'):
        files.tokenizer.write_text(text, encoding="utf-8")
        _refused(files)


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    files = write_model(tmp_path)
    files.model.write_bytes(onnx_bytes(inputs=("pixel_values",)))
    assert "pixel_values" in _refused(files)


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    files = write_model(tmp_path)
    text = files.tokenizer.read_text(encoding="utf-8")
    # A token id beyond the embedding table, as a larger vocabulary has.
    files.tokenizer.write_text(text.replace('"[UNK]": 1,', '"[UNK]": 99999,'), encoding="utf-8")
    _refused(files)


def test_no_socket_is_opened(tmp_path: Path) -> None:
    cache = tmp_path / "hub"
    write_model(cache / "models--Qdrant--bge-small-zh-v1.5/snapshots/1", "model_optimized.onnx")
    done = run_offline("bge-small-zh", HF_HUB_CACHE=str(cache))
    assert (done.returncode, done.stdout, done.stderr) == (0, "数据库密码每九十天换一次\n", "")


@needs_model
def test_real_no_socket_is_opened() -> None:
    done = run_offline("bge-small-zh", BRAIN_MODEL_DIR=str(REAL))
    assert (done.returncode, done.stdout, done.stderr) == (0, "数据库密码每九十天换一次\n", "")


@needs_model
@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("进不去家门找谁", 0),
        ("他不能吃什么坚果", 1),
        ("多久更换一次口令", 2),
        ("TIDB 升级", 3),
        ("mysql 复制延迟", 4),
    ],
)
def test_real_neighbours(real: BgeSmallZh, query: str, best: int) -> None:
    notes = [
        "备用钥匙放在门卫老周那里",
        "我对花生过敏，吃了会起疹子",
        "数据库密码每九十天换一次",
        "TiDB 集群升级失败",
        "MySQL 主从延迟",
    ]
    assert (real.embed_documents(notes) @ real.embed_query(query)).argmax() == best


@needs_model
def test_real_vectors(real: BgeSmallZh) -> None:
    texts = ["备用钥匙放在门卫老周那里", "猫", "数据库密码每九十天换一次，" * 20, *ODD.values()]
    alone = np.vstack([real.embed_documents([text]) for text in texts])
    assert np.array_equal(alone, real.embed_documents(texts))
    assert np.linalg.norm(alone, axis=1) == pytest.approx(1, abs=1e-5)
    with ThreadPoolExecutor(3) as pool:
        for result in pool.map(lambda _: real.embed_documents(texts[:3]), range(6)):
            assert np.allclose(alone[:3], result, atol=1e-6)
