"""A real model small enough to make here: real ONNX, real tokenizer, a bag of characters.

Nothing in it is a stand-in for our own code, and it needs neither the 24 MB model nor a network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from brain.embed.paths import BgeFiles
from tests.support import PATIENCE, ROOT

REAL = os.environ.get("BRAIN_MODEL_DIR")
needs_model = pytest.mark.skipif(
    not REAL, reason="需要真的 bge-small-zh：把 BRAIN_MODEL_DIR 指向它的文件夹"
)

_WORDS = ["tidb", "mysql", "api", "15", "，", "。", "？"]
_CHARS = "备用钥匙放在门卫老周那里我对花生过敏吃了会起疹子数据库密码每九十天换一次多久更今气不错"

MODEL_VARIABLES = (
    "BRAIN_MODEL_DIR",
    "BRAIN_HOME",
    "FASTEMBED_CACHE_PATH",
    "HF_HUB_CACHE",
    "HF_HOME",
    "HF_ENDPOINT",
    "HF_TOKEN",
    "XDG_CACHE_HOME",
)


def isolate(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A machine without any model: an empty home and temporary folder, no variable set."""
    for name in MODEL_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("USERPROFILE", str(folder / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "tmp"))


def vocabulary() -> dict[str, int]:
    """Token → row; as in bge-small-zh's, no upper-case letter is in it."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS, *dict.fromkeys(_CHARS)]
    return {token: row for row, token in enumerate(tokens)}


def tokenizer_json() -> str:
    """A tokenizer.json with the normalizer, splitter and frame of bge-small-zh's own."""
    vocab = vocabulary()
    special = [
        {"id": vocab[t], "content": t, "single_word": False, "lstrip": False, "rstrip": False}
        | {"normalized": False, "special": True}
        for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
    ]
    frame = {t: {"id": t, "ids": [vocab[t]], "tokens": [t]} for t in ("[CLS]", "[SEP]")}
    cls = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
    sep = {"SpecialToken": {"id": "[SEP]", "type_id": 0}}
    body = {"Sequence": {"id": "A", "type_id": 0}}
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": special,
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": False,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [cls, body, sep],
                "pair": [cls, body, sep],
                "special_tokens": frame,
            },
            "decoder": None,
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": vocab,
            },
        },
        ensure_ascii=False,
    )


def onnx_bytes(
    dim: int = 512, inputs: tuple[str, ...] | None = None, output: str = "last_hidden_state"
) -> bytes:
    """An ONNX model that averages the rows of its tokens, written out as protobuf by hand.

    With ``tokens`` as output it gives the rows themselves.
    """
    names = inputs or ("input_ids", "attention_mask", "token_type_ids")
    rows = len(vocabulary())
    table = np.random.default_rng(7).standard_normal((rows, dim)).astype("<f4")
    axes = _text(1, "axes") + _number(8, 1) + _number(20, 7)
    keep = _text(1, "keepdims") + _number(3, 1) + _number(20, 2)
    gather = _text(1, "table") + _text(1, names[0]) + _text(2, "rows") + _text(4, "Gather")
    mean = _text(1, "rows") + _text(2, output) + _text(4, "ReduceMean")
    mean += _field(5, axes) + _field(5, keep)
    weights = _number(1, rows) + _number(1, dim) + _number(2, 1) + _text(8, "table")
    weights += _field(9, table.tobytes())
    if output == "tokens":
        gather = _text(1, "table") + _text(1, names[0]) + _text(2, output) + _text(4, "Gather")
        mean = b""
    graph = (
        _field(1, gather)
        + (_field(1, mean) if mean else b"")
        + _text(2, "tiny")
        + _field(5, weights)
    )
    for name in names:
        graph += _field(11, _tensor(name, 7, ("batch", "sequence")))
    graph += _field(12, _tensor(output, 1, ("batch", "one", dim)))
    return _number(1, 8) + _field(7, graph) + _field(8, _text(1, "") + _number(2, 13))


def write_model(
    folder: Path,
    model: str = "model.onnx",
    tokenizer: str = "tokenizer.json",
    dim: int = 512,
) -> BgeFiles:
    """Writes the tiny model under the given names."""
    files = BgeFiles(folder / model, folder / tokenizer)
    files.model.parent.mkdir(parents=True, exist_ok=True)
    files.tokenizer.parent.mkdir(parents=True, exist_ok=True)
    files.model.write_bytes(onnx_bytes(dim))
    files.tokenizer.write_text(tokenizer_json(), encoding="utf-8")
    return files


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, payload: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(payload)) + payload


def _text(field: int, value: str) -> bytes:
    return _field(field, value.encode())


def _tensor(name: str, kind: int, shape: tuple[int | str, ...]) -> bytes:
    dims = b"".join(_field(1, _number(1, d) if isinstance(d, int) else _text(2, d)) for d in shape)
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, dims)))


_OFFLINE = """
import sys
sys.addaudithook(lambda name, args: name.startswith("socket.") and sys.exit("opened a socket"))
from brain.embed import registry
name, query, *documents = sys.argv[1:]
embedder = registry.open_embedder(name)
best = (embedder.embed_documents(documents) @ embedder.embed_query(query)).argmax()
print(documents[best])
"""


def run_offline(name: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Opens a model and asks it, in a process that ends at the first socket."""
    notes = ["备用钥匙放在门卫老周那里", "我对花生过敏，吃了会起疹子", "数据库密码每九十天换一次"]
    return subprocess.run(
        [sys.executable, "-c", _OFFLINE, name, "密码多久更换一次", *notes],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8", **env},
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
