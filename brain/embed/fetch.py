"""Model fetch: the only code that touches a network, and only when asked.

The files are pinned by SHA-256, so that a mirror can be slow but not wrong. They are taken from
``Xenova/bge-small-zh-v1.5`` (int8) and not from fastembed's ``Qdrant/bge-small-zh-v1.5``: it is on
ModelScope too, 24 MB instead of 95, and byte for byte the file of the Maven artifact, so that
every source gives the same vectors. No token is ever sent: the model is public.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from brain.embed import paths
from brain.embed.download import DownloadError, download
from brain.embed.protocol import BGE_SMALL_ZH, E5_SMALL
from brain.embed.registry import info
from brain.errors import (
    EXIT_BUSY,
    EXIT_CANT_CREATE,
    EXIT_DATA,
    EXIT_IO,
    EXIT_NO_INPUT,
    EXIT_UNAVAILABLE,
    BrainError,
)
from brain.typecheck import path_of

Progress = Callable[[int, int], None]
"""Told the bytes present and the bytes in all."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a model: its path in the repository, our name for it, length and checksum."""

    path: str
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Release:
    """One revision of a model repository, and what we take from it."""

    repo: str
    revision: str
    files: tuple[RemoteFile, ...]


RELEASE = Release(
    repo="Xenova/bge-small-zh-v1.5",
    revision="75c43b069aac4d136ba6bc1122f995fedcfd2781",
    files=(
        RemoteFile(
            "tokenizer.json",
            paths.TOKENIZER_FILE,
            439_125,
            "48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26",
        ),
        RemoteFile(
            "onnx/model_quantized.onnx",
            paths.MODEL_FILE,
            24_010_842,
            "15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc",
        ),
    ),
)

DEFAULT_SOURCE = "hf"

_HUB = "{endpoint}/{repo}/resolve/{revision}/{path}"

SOURCES = {
    "hf": ("https://huggingface.co", _HUB),
    "hf-mirror": ("https://hf-mirror.com", _HUB),
    # ModelScope has its own commit ids; the checksums pin the content.
    "modelscope": ("https://modelscope.cn", "{endpoint}/models/{repo}/resolve/master/{path}"),
}
"""Name → (endpoint, URL template); ``HF_ENDPOINT`` replaces the endpoint of ``hf``."""


def fetch(
    name: str,
    source: str | None = None,
    progress: Progress | None = None,
    release: Release = RELEASE,
) -> Path:
    """Brings a model into our own folder; a good copy that is there already is left alone.

    Whatever breaks, the folder holds the old copy or the new one, whole. A download that broke
    is resumed by the next call.

    Args:
        name: ``bge-small-zh``.
        source: ``hf`` (the default; ``HF_ENDPOINT`` is honoured), ``hf-mirror``, ``modelscope``,
            or a local folder in any layout ``BRAIN_MODEL_DIR`` accepts.
        progress: called with (bytes present, bytes in all).
        release: which files; the pinned ones.

    Returns:
        The folder with the model.

    Raises:
        BrainError: ``brain_model_unknown``, ``brain_model_bundled``, ``brain_model_source`` (65);
            ``brain_model_no_folder`` (66); ``brain_model_fetch_failed``, ``brain_model_broken``,
            ``brain_model_missing`` (69); ``brain_model_write`` (73), ``brain_disk_full`` (74);
            ``brain_busy`` (75) while another process fetches it.
    """
    if info(name) is E5_SMALL:
        raise BrainError(
            "brain_model_bundled", f"{name} 不用下载：{E5_SMALL.how_to_get}", EXIT_DATA
        )
    if not paths.onnx_installed():
        raise BrainError(
            "brain_model_missing",
            "bge-small-zh 需要 onnxruntime 和 tokenizers 两个包："
            "请运行 pip install onnxruntime tokenizers。",
            EXIT_UNAVAILABLE,
        )
    chosen = source or DEFAULT_SOURCE
    url = _url_template(chosen) if chosen in SOURCES else None
    folder = paths.own_folder(paths.BGE_FOLDER)
    if url is not None and _is_good(folder):
        return folder
    with _disk_errors(folder):
        paths.home().mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.parent.mkdir(exist_ok=True)
        with file_lock(folder.with_name(f".{folder.name}.lock")) as held:
            if not held:
                raise BrainError(
                    "brain_busy", "另一个进程正在取这个模型，等它结束再试。", EXIT_BUSY
                )
            if url is None:
                staging = _copied(path_of(chosen), folder)
            else:
                report = progress or (lambda done, total: None)
                staging = _downloaded(url, release, folder, report, chosen)
            _check(staging)
            _activate(staging, folder)
    return folder


def _url_template(source: str) -> str:
    endpoint, template = SOURCES[source]
    if source == "hf":
        endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or endpoint
    if not endpoint.startswith(("https://", "http://")):
        raise BrainError(
            "brain_model_source",
            f"HF_ENDPOINT 应以 https:// 开头，现在是「{endpoint[:80]}」。",
            EXIT_DATA,
        )
    return template.replace("{endpoint}", endpoint)


def _downloaded(
    template: str, release: Release, folder: Path, progress: Progress, source: str
) -> Path:
    # Named after the revision, so that no half of an older one is taken up.
    staging = folder.with_name(f".{folder.name}.{release.revision[:12]}.partial")
    staging.mkdir(exist_ok=True)
    total = sum(file.size for file in release.files)
    before = 0
    for file in release.files:
        target = staging / file.name
        if not target.is_file():
            url = template.format(repo=release.repo, revision=release.revision, path=file.path)

            def report(done: int, start: int = before) -> None:
                progress(start + done, total)

            try:
                download(url, target, file.size, file.sha256, report)
            except DownloadError as error:
                raise _fetch_failed(source, template, str(error)) from error
        before += file.size
        progress(before, total)
    return staging


def _copied(source: Path, folder: Path) -> Path:
    if not source.is_dir():
        names = "、".join(SOURCES)
        raise BrainError(
            "brain_model_no_folder",
            f"来源「{source}」既不是 {names} 之一，也不是一个文件夹。",
            EXIT_NO_INPUT,
        )
    files = paths.bge_in(source)
    if files is None:
        raise BrainError(
            "brain_model_no_folder",
            f"{source} 里没有 bge-small-zh 的模型：需要一个 .onnx 文件和 tokenizer.json。",
            EXIT_NO_INPUT,
        )
    _load(files)
    staging = folder.with_name(f".{folder.name}.copy.partial")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    shutil.copyfile(files.tokenizer, staging / paths.TOKENIZER_FILE)
    shutil.copyfile(files.model, staging / paths.MODEL_FILE)
    return staging


def _is_good(folder: Path) -> bool:
    files = paths.bge_in(folder)
    if files is None:
        return False
    try:
        _load(files)
    except BrainError:
        return False
    return True


def _check(staging: Path) -> None:
    try:
        _load(paths.BgeFiles(staging / paths.MODEL_FILE, staging / paths.TOKENIZER_FILE))
    except BrainError:
        # What does not load now never will: the next call starts clean.
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _load(files: paths.BgeFiles) -> None:
    from brain.embed.bge import BgeSmallZh

    BgeSmallZh(files)


def _activate(staging: Path, folder: Path) -> None:
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    staging.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.ENOSPC:
            raise BrainError(
                "brain_disk_full", f"磁盘满了，模型没有放进 {folder}。", EXIT_IO
            ) from error
        raise BrainError(
            "brain_model_write", f"写不了模型文件夹 {folder}（{reason}）。", EXIT_CANT_CREATE
        ) from error


def _fetch_failed(source: str, url: str, reason: str) -> BrainError:
    host = url.split("/{repo}", 1)[0]
    return BrainError(
        "brain_model_fetch_failed",
        f"没能从 {host}（来源 {source}）取到 {BGE_SMALL_ZH.name}：{reason}。可以换镜像："
        "设置 HF_ENDPOINT=https://hf-mirror.com，或加 --source hf-mirror、--source modelscope；"
        "不能联网时在别的机器上下载好，用 --source 文件夹 放进来，"
        "或让 BRAIN_MODEL_DIR 指向它。已下载的部分会保留，重试时接着下。",
        EXIT_UNAVAILABLE,
    )


@contextmanager
def file_lock(lock: Path) -> Iterator[bool]:
    """Tries to hold the lock file for the time of the block; gives whether that worked.

    The file is created where needed and stays: removing it would let two processes hold two
    different files of one name.

    Raises:
        OSError: the file cannot be made.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        yield _take(descriptor)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
