"""Sentence encoder of the user's own: ``onnx:FOLDER``, an ONNX export with its ``tokenizer.json``.

Pooling is that of ``1_Pooling/config.json``, prompts those of ``config_sentence_transformers.json``
(the layout sentence-transformers writes); what a person chooses goes before. A folder is used when
this person has named it here: one that only a file names is never opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from brain.embed import paths
from brain.embed.bge import open_session, unit
from brain.embed.encode import model_input
from brain.embed.protocol import MOST_DIM, Settings
from brain.errors import EXIT_UNAVAILABLE, BrainError
from brain.typecheck import path_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX = "onnx:"

MODEL_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model_optimized.onnx",
)
"""Where exports have the model, the first one there is taken; else the only ``*.onnx``."""

SENTENCE = "sentence_embedding"
"""The output that is pooled already, as optimum names it."""

WINDOW = 512
"""Tokens; passages are cut for it, and most encoders have no more."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
_SAMPLED = 64 * 1024
_MOST_CONFIG = 1 << 20


class SentenceOnnx:
    """The model loaded from a folder; may be used from several threads.

    Args:
        name: ``onnx:`` and the folder.
        settings: what the person has chosen for it.
        recorded: what a file says of it, or None to take it as it is.

    Raises:
        BrainError: ``brain_model_elsewhere`` (69) for a folder that nobody but the file has named,
            or one whose model is not the file's; ``brain_model_missing`` (69) without the two
            files; ``brain_model_settings`` (65) where neither the folder nor the person says how
            to pool; ``brain_model_broken`` (69).
    """

    languages: tuple[str, ...] = ()

    def __init__(
        self, name: str, settings: Settings, recorded: Mapping[str, Any] | None = None
    ) -> None:
        folder = path_of(name.removeprefix(PREFIX)).absolute()
        self.name = f"{PREFIX}{folder}"
        if recorded is not None and not _is_known(folder):
            raise BrainError(
                "brain_model_elsewhere",
                f"这个记忆文件说它的模型在 {folder}，而你在这台机器上还没有用过这个文件夹，"
                "没有打开它；"
                f"确实是你的，请设 BRAIN_MODEL={self.name}。",
                EXIT_UNAVAILABLE,
            )
        model, tokenizer = _model_file(folder), folder / paths.TOKENIZER_FILE
        if model is None or not tokenizer.is_file():
            raise BrainError(
                "brain_model_missing",
                f"{folder} 里要有一个 .onnx 文件和 tokenizer.json。",
                EXIT_UNAVAILABLE,
            )
        self._print = _fingerprint(model, tokenizer)
        if recorded is not None and recorded.get("fingerprint") != self._print:
            raise BrainError(
                "brain_model_elsewhere",
                f"{folder} 里的模型换过了，和这个记忆文件的向量不是同一个；"
                f"请运行 brain reembed --model {self.name}。",
                EXIT_UNAVAILABLE,
            )
        self._settings = _completed(folder, settings)
        self.max_tokens = _window(folder)
        self._load(model, tokenizer)
        if recorded is None:
            _remember(folder)

    def _load(self, model: Path, tokenizer: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(self.max_tokens)
            self._session = open_session(str(model))
            self._inputs = [entry.name for entry in self._session.get_inputs()]
            outputs = [entry.name for entry in self._session.get_outputs()]
        except Exception as error:  # both libraries raise bare Exception subclasses
            raise _broken(model, str(error).splitlines()[0][:200]) from error
        if not set(self._inputs) <= set(_INPUTS):
            raise _broken(model, f"输入是 {'、'.join(self._inputs)[:200]}，不是句子编码器")
        pooled = SENTENCE in outputs and self._settings.pooling is None
        self._output = SENTENCE if pooled else outputs[0]
        if not pooled and self._settings.pooling is None:
            raise BrainError(
                "brain_model_settings",
                f"{model.parent} 里没有 1_Pooling/config.json，请说明怎么池化：cls、mean 或 last。",
            )
        try:
            found = self._run("你好，hello")
        except BrainError:
            raise
        except Exception as error:
            raise _broken(model, str(error).splitlines()[0][:200]) from error
        self.dim = len(found)
        if not 1 < self.dim <= MOST_DIM or not np.isfinite(found).all() or not found.any():
            raise _broken(model, "算出的不是有限的向量")

    @property
    def setup(self) -> dict[str, Any]:
        """What the file records beside name and dimension."""
        return {"fingerprint": self._print, **self._settings.to_dict()}

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), dim), unit rows."""
        head = self._settings.document_prefix or ""
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            # One by one: what an int8 model gives a text depends on its neighbours in a batch.
            out[row] = unit(self._run(head + model_input(text)))
        return out

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,), unit length."""
        head = self._settings.query_prefix or ""
        return unit(self._run(head + model_input(text, keep_end=True)))

    def _run(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(text or " ").ids or [0]], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.arange(ids.shape[1], dtype=np.int64)[None, :],
        }
        given = {name: feed[name] for name in self._inputs}
        found: NDArray[np.float32] = self._session.run([self._output], given)[0][0]
        if self._output == SENTENCE:
            return found.ravel()
        if self._settings.pooling == "mean":
            mean: NDArray[np.float32] = found.mean(axis=0)
            return mean
        one: NDArray[np.float32] = found[0 if self._settings.pooling == "cls" else -1]
        return one


def _read(path: Path) -> dict[str, Any]:
    """A small JSON file of the folder; {} where there is none or it is something else."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST_CONFIG))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _model_file(folder: Path) -> Path | None:
    for name in MODEL_FILES:
        if (folder / name).is_file():
            return folder / name
    found = sorted(folder.glob("*.onnx"))
    return found[0] if len(found) == 1 else None


def _completed(folder: Path, chosen: Settings) -> Settings:
    """What was chosen, and for the rest what the folder says."""
    if chosen.dimensions is not None:
        raise BrainError("brain_model_settings", "onnx: 的模型有自己的维度，不能指定。")
    pooling = chosen.pooling
    told = _read(folder / "1_Pooling" / "config.json")
    if pooling is None and told:
        modes = {"cls": "cls_token", "mean": "mean_tokens", "last": "lasttoken"}
        on = [ours for ours, theirs in modes.items() if told.get(f"pooling_mode_{theirs}") is True]
        named = {"lasttoken": "last"}.get(str(told.get("pooling_mode")), told.get("pooling_mode"))
        pooling = on[0] if len(on) == 1 else named if named in modes else None
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}

    def prompt(own: str | None, *names: str) -> str | None:
        if own is not None:
            return own
        return next((p for name in names if isinstance(p := prompts.get(name), str) and p), None)

    return Settings(
        None,
        prompt(chosen.query_prefix, "query"),
        prompt(chosen.document_prefix, "document", "passage"),
        pooling,
    )


def _window(folder: Path) -> int:
    told = _read(folder / "sentence_bert_config.json").get("max_seq_length")
    return told if isinstance(told, int) and 8 <= told <= WINDOW else WINDOW


def _fingerprint(*files: Path) -> str:
    """Tells a model from another by sizes and both ends: reading gigabytes takes seconds."""
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        with file.open("rb") as source:
            digest.update(b"%d:" % size + source.read(_SAMPLED))
            source.seek(max(size - _SAMPLED, 0))
            digest.update(source.read(_SAMPLED))
    return digest.hexdigest()[:32]


def _known_file() -> Path:
    return paths.home() / "models" / "folders.json"


def _known() -> list[str]:
    found = _read(_known_file()).get("folders")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _is_known(folder: Path) -> bool:
    """Whether this person has named the folder: now by ``BRAIN_MODEL``, or once before."""
    named = os.environ.get("BRAIN_MODEL", "")
    if named.startswith(PREFIX) and path_of(named.removeprefix(PREFIX)).absolute() == folder:
        return True
    return str(folder) in _known()


def _remember(folder: Path) -> None:
    """Notes a folder as named by this person; as far as their home can be written."""
    known = _known()
    if str(folder) in known:
        return
    where = _known_file()
    beside = where.with_name(f"{where.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(beside, flags, stat.S_IRUSR | stat.S_IWUSR), "w") as file:
            json.dump({"folders": [*known, str(folder)]}, file)
        beside.replace(where)


def _broken(model: Path, reason: str) -> BrainError:
    return BrainError(
        "brain_model_broken", f"{model} 用不了（{reason}）；请换一份完好的导出。", EXIT_UNAVAILABLE
    )
