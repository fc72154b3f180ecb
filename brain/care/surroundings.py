"""What a memory file needs around it: SQLite's parts, the model, permissions, room on the disk."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from brain.embed import models
from brain.errors import BrainError
from brain.results import Finding
from brain.store import connection, file, folder, log, meta

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder

LEAST_PYTHON = (3, 11)

LEAST_FREE = 64 * 1024 * 1024
"""Bytes free on the disk below which the doctor warns: a log and a merge of the indexes."""


def program() -> Iterator[Finding]:
    """Python, SQLite and its parts."""
    version = platform.python_version()
    if sys.version_info >= LEAST_PYTHON:
        yield Finding("python", "ok", f"Python {version}")
    else:
        yield Finding("python", "error", f"Python {version} 太旧，需要 3.11 以上")
    yield Finding(
        "sqlite", "ok", f"SQLite {apsw.sqlite_lib_version()}（apsw {apsw.apsw_version()}）"
    )
    db = apsw.Connection(":memory:")
    try:
        connection.require_fts5(db)
        yield Finding("fts5", "ok", "全文索引 FTS5 可用")
    except BrainError as e:
        yield Finding("fts5", "error", e.message)
    try:
        db.execute("CREATE VIRTUAL TABLE temp.t USING fts5 (x, tokenize = 'trigram')")
        yield Finding("trigram", "ok", "trigram 分词器可用")
    except apsw.Error:
        yield Finding("trigram", "warn", "这个 SQLite 没有 trigram 分词器，词的一部分可能找不到")
    loaded = connection.load_vectors(db)
    db.close()
    if loaded:
        yield Finding("sqlite_vec", "ok", "sqlite-vec 扩展可用")
    else:
        yield Finding("sqlite_vec", "warn", "加载不了 sqlite-vec 扩展，只能按字面检索")


def model(facts: dict[str, Any]) -> tuple[Finding, Embedder | None]:
    """Whether the file's model (for no file, the one it would get) is here and really embeds."""
    named = facts.get(meta.MODEL) if meta.MODEL in facts else models.default_name()
    if not named:
        return Finding("model", "ok", "不用向量模型，只按字面检索"), None
    try:
        found = models.open_embedder(str(named))
        dims = len(found.embed_query("今天的天气")), len(found.embed_documents(["晴，微风"])[0])
    except BrainError as e:
        return Finding("model", "warn", f"模型 {named} 用不了，只按字面检索：{e.message}"), None
    except Exception as e:  # whatever a native library raises
        return Finding("model", "warn", f"模型 {named} 装着但不能嵌入（{e}）"), None
    wanted = facts.get(meta.DIM, found.dim)
    if dims != (wanted, wanted):
        told = f"模型 {named} 现在是 {dims[0]} 维，文件记下的是 {wanted} 维；请运行 brain reembed"
        return Finding("model_mismatch", "warn", f"{told} --model {named}"), None
    return Finding("model", "ok", f"模型 {named} 可用，{wanted} 维"), found


def place(store: file.Store) -> Iterator[Finding]:
    """The file's modes, its folder, its file system and disk."""
    path = store.path.absolute()
    yield from _modes(path)
    told = folder.warning(path.parent)
    yield Finding("folder_mode", "warn" if told else "ok", told or "文件夹只有自己能改")
    kind = store.network(path)
    if kind is None:
        yield Finding("network_path", "ok", "文件在本机磁盘上")
    else:
        yield Finding(
            "network_path",
            "warn",
            f"文件在网络盘（{kind}）上，用不了 WAL，改用回滚日志：能用，但慢，读写会互相等待",
        )
    above = next((p for p in (path.parent, *path.parents) if p.is_dir()), path.parent)
    try:
        free = shutil.disk_usage(above).free
    except OSError as e:
        yield Finding("disk_space", "warn", f"看不到磁盘还有多少空间（{e.strerror}）")
        return
    severity = "warn" if free < LEAST_FREE else "ok"
    yield Finding("disk_space", severity, f"磁盘还有 {free // 2**20} MiB 可用")
    size = log.size(path)
    if size:
        yield Finding("wal", "ok", f"-wal 里有 {size // 1024} KiB 还没合并，最后一个关闭的会合并它")


def _modes(path: Path) -> Iterator[Finding]:
    if os.name == "nt":
        return
    wide = []
    for suffix in ("", "-wal", "-shm"):
        try:
            mode = stat.S_IMODE(os.stat(f"{path}{suffix}").st_mode)
        except OSError:
            continue
        if mode & 0o077:
            wide.append(f"{path.name}{suffix}（{mode:o}）")
    if wide:
        told = f"同机的其他用户读得到 {'、'.join(wide)}，应当是 600"
        yield Finding("file_mode", "warn", told, fixable=True)
    else:
        yield Finding("file_mode", "ok", "文件只有自己读得到")
    if path.exists() and not os.access(path, os.W_OK):
        yield Finding("read_only", "warn", "没有写这个文件的权限，只能读")


def narrow(path: Path) -> None:
    """Makes the file and what is beside it the owner's alone. Raises OSError."""
    for suffix in ("", "-wal", "-shm"):
        beside = Path(f"{path}{suffix}")
        if beside.exists():
            beside.chmod(0o600)
