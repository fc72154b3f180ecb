"""onnx:FOLDER with a tiny encoder that is exported here: its layout, pooling, prompts, trust."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from brain import Brain
from brain.embed import registry
from brain.embed.protocol import Settings
from brain.store import meta
from tests.support.embed import isolate, onnx_bytes, tokenizer_json
from tests.support.engine import refused

DIM = 48
NOTES = ("备用钥匙放在门卫老周那里", "我对花生过敏吃了会起疹子", "数据库密码每九十天换一次")
ASKED = "花生过敏吃了会怎样"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path)
    monkeypatch.delenv("BRAIN_MODEL", raising=False)


def export(folder: Path, pooling: object = None, prompts: object = None, **model: str) -> str:
    """A sentence-transformers export; its name as a model."""
    (folder / "onnx").mkdir(parents=True)
    data = onnx_bytes(DIM, output=model.get("output", "tokens"))
    (folder / "onnx" / "model.onnx").write_bytes(data)
    (folder / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    if pooling is not None:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    if prompts is not None:
        told = json.dumps({"prompts": prompts})
        (folder / "config_sentence_transformers.json").write_text(told, encoding="utf-8")
    return f"onnx:{folder}"


def test_pooling_is_the_folder_s_or_the_person_s(tmp_path: Path) -> None:
    modes = ("cls_token", "mean_tokens", "lasttoken")
    own = {f"pooling_mode_{mode}": mode == "mean_tokens" for mode in modes}
    mean = registry.open_embedder(export(tmp_path / "a", own))
    newer = registry.open_embedder(export(tmp_path / "b", {"pooling_mode": "lasttoken"}))
    cls = registry.open_embedder(f"onnx:{tmp_path / 'a'}", Settings(pooling="cls"))
    pooled = registry.open_embedder(export(tmp_path / "c", output="sentence_embedding"))
    refused("brain_model_settings", 65, lambda: registry.open_embedder(export(tmp_path / "d")))
    vectors = {
        "mean": mean.embed_query(NOTES[0]),
        "cls": cls.embed_query(NOTES[0]),
        "last": newer.embed_query(NOTES[0]),
    }
    # Of a bag of characters the first and the last token, [CLS] and [SEP], are always the same.
    assert np.allclose(vectors["cls"], cls.embed_query(NOTES[1]))
    assert np.allclose(vectors["last"], newer.embed_query(NOTES[1]))
    assert not np.allclose(vectors["mean"], mean.embed_query(NOTES[1]))
    assert all(abs(np.linalg.norm(v) - 1) < 1e-5 for v in vectors.values())
    assert pooled.dim == DIM


def test_prompts_are_the_folder_s_and_kept(tmp_path: Path) -> None:
    prompts = {"query": "花生", "passage": "数据库"}
    name = export(tmp_path / "m", {"pooling_mode": "mean"}, prompts)
    plain = registry.open_embedder(name, Settings(query_prefix="", document_prefix=""))
    model = registry.open_embedder(name)
    assert np.allclose(model.embed_query("老周"), plain.embed_query("花生老周"))
    assert np.allclose(model.embed_documents(["老周"])[0], plain.embed_query("数据库老周"))
    assert model.setup["query_prefix"] == "花生"  # type: ignore[attr-defined]


def test_any_text_has_a_vector(tmp_path: Path) -> None:
    model = registry.open_embedder(export(tmp_path / "m", {"pooling_mode": "mean"}))
    texts = ["", "\0", "\ud800", "字" * 100_000, NOTES[0]]
    found = model.embed_documents(texts)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
    assert np.allclose(found[-1], model.embed_documents([NOTES[0]])[0])


def test_it_takes_part_in_recall_of_a_later_process(tmp_path: Path) -> None:
    name = export(tmp_path / "m", {"pooling_mode": "mean"})
    made = Brain.create(tmp_path / "b.db", model=name)
    assert (made.model, made.dim) == (name, DIM)
    with Brain.open(tmp_path / "b.db") as brain:
        for note in NOTES:
            brain.add(note)
        assert brain.stats().vectors_missing == 0
    with Brain.open(tmp_path / "b.db", model=name) as brain:
        found = brain.recall(ASKED)
        assert found.hits[0].text == NOTES[1]
        assert "semantic" in found.hits[0].lanes


def test_a_folder_that_only_the_file_names_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = export(tmp_path / "m", {"pooling_mode": "mean"})
    Brain.create(tmp_path / "b.db", model=name)
    with Brain.open(tmp_path / "b.db") as brain:
        brain.add(NOTES[1])
    # Somebody else's machine: the folder is there, but this person has never named it.
    (tmp_path / "home" / ".brain" / "models" / "folders.json").unlink()
    with Brain.open(tmp_path / "b.db") as brain:
        assert "model_mismatch" in brain.recall(ASKED).degraded
        assert brain.recall(ASKED).hits
    monkeypatch.setenv("BRAIN_MODEL", name)
    with Brain.open(tmp_path / "b.db") as brain:
        assert "semantic" in brain.recall(ASKED).hits[0].lanes


def test_another_model_in_the_folder_is_noticed(tmp_path: Path) -> None:
    name = export(tmp_path / "m", {"pooling_mode": "mean"})
    Brain.create(tmp_path / "b.db", model=name)
    with Brain.open(tmp_path / "b.db") as brain:
        brain.add(NOTES[1])
    file = tmp_path / "m" / "onnx" / "model.onnx"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    with Brain.open(tmp_path / "b.db") as brain:
        assert "model_mismatch" in brain.recall(ASKED).degraded
        brain.reembed(name)
        assert "model_mismatch" not in brain.recall(ASKED).degraded
        assert meta.SETUP in brain._facts()


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    def opened() -> object:
        return registry.open_embedder(f"onnx:{tmp_path / 'm'}", Settings(pooling="mean"))

    refused("brain_model_missing", 69, opened)
    export(tmp_path / "m")
    (tmp_path / "m" / "tokenizer.json").write_text("{}")
    refused("brain_model_broken", 69, opened)
    (tmp_path / "m" / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    (tmp_path / "m" / "onnx" / "model.onnx").write_bytes(b"no model")
    refused("brain_model_broken", 69, opened)
