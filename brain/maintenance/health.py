"""Health checks: of the program, of the file's place, and of the file itself, its pages, indexes,
vectors, lineage, times and journal.

Each check of a file is a function from an open file to findings; what is derived from the records
can be made anew (``fixable``), what is not is changed only with consent (``asks``).
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.embed import registry
from brain.embed.protocol import read_setup
from brain.errors import BrainError
from brain.results import Finding
from brain.store import (
    claims,
    folder,
    fts,
    integrity,
    links,
    meta,
    observations,
    part_file,
    probe,
    wal,
)
from brain.text.fold import FOLD_VERSION, simplify
from brain.text.timestamps import to_iso

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder
    from brain.store.protocol import Store, Transaction

CLOCK_GRACE = timedelta(minutes=5)
"""How far clocks of two machines that share a file may differ."""

SAMPLED_VECTORS = 3
LEAST_LIKENESS = 0.95
"""Cosine between a stored vector and the same text embedded now: kernels differ by far less."""

LEAST_PYTHON = (3, 11)
LEAST_FREE = 64 * 1024 * 1024
"""Bytes free on the disk below which the doctor warns: a log and a merge of the indexes."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined.

    Args:
        facts: the file's, as :func:`brain.store.memory_file.facts` gives them.
        vectors_loaded: whether sqlite-vec is here.
        embedder: the file's model, None where it cannot be had.
        now: the clock.
    """

    db: Transaction
    facts: dict[str, Any]
    vectors_loaded: bool
    embedder: Embedder | None
    now: datetime


def examine(subject: Subject) -> Iterator[Finding]:
    """All checks; one that cannot be made because of damage says so and the next goes on."""
    yield from pages(subject.db)
    for check in CHECKS:
        try:
            yield from check(subject)
        except integrity.UNREADABLE as e:
            told = f"{CHECKS[check]}查不下去（{e}）"
            yield Finding("unreadable", "error", told, fixable=True)


def pages(db: Transaction) -> Iterator[Finding]:
    """SQLite's own check, which a file of any version can be given."""
    faults = integrity.integrity(db)
    if faults:
        told = f"SQLite 说文件已损坏（{'；'.join(faults[:3])}）"
        yield Finding("integrity", "error", told, fixable=True)
    else:
        yield Finding("integrity", "ok", "SQLite 完整性检查通过")


def ids(numbers: Sequence[int]) -> str:
    """Ids as a sentence names them, the first :data:`brain.store.integrity.SHOWN` of them."""
    more = f" 等 {len(numbers)} 个" if len(numbers) > integrity.SHOWN else ""
    return "、".join(f"#{n}" for n in numbers[: integrity.SHOWN]) + more


def _all_or(
    code: str, wrong: Sequence[int], bad: str, good: str, *, error: bool = True, asks: bool = False
) -> Finding:
    """A finding about ids that should not be; ``bad`` is followed by them."""
    if not wrong:
        return Finding(code, "ok", good)
    severity = "error" if error else "warn"
    return Finding(code, severity, f"{bad}：{ids(wrong)}", fixable=True, asks=asks)


def _indexes(subject: Subject) -> Iterator[Finding]:
    db = subject.db
    if subject.facts.get(meta.FOLD) != FOLD_VERSION:
        told = "索引是按旧的写法折叠的，下次写入时会自动重做"
        yield Finding("fold_version", "warn", told, fixable=True)
    for index, name in ((fts.GRAMS, "字词索引"), (fts.TRIGRAMS, "子串索引")):
        if index == fts.TRIGRAMS and not fts.has_trigrams(db):
            continue
        fts.average_length(db, index)  # SQLite's own check does not look at it
        missing = integrity.unindexed(db, index)
        yield _all_or(f"{index}_missing", missing, f"{name}里没有", f"每条记忆都在{name}里")
        ghosts = integrity.orphaned_rows(db, index)
        yield _all_or(f"{index}_ghosts", ghosts, f"{name}里有已不存在的", f"{name}没有多余的行")
        wrong = [n for n in integrity.mismatched_rows(db, index) if n not in set(missing)]
        yield _all_or(f"{index}_words", wrong, f"{name}里的词对不上", f"{name}的词对得上")
        if fts.stale_keys(db, index):
            told = f"{name}的分隔键里还有已抹掉的字；修复时重做索引"
            yield Finding(f"{index}_keys", "warn", told, fixable=True)


def _passages(subject: Subject) -> Iterator[Finding]:
    yield _all_or(
        "passages_missing", integrity.without_passages(subject.db), "分段缺失或越界", "分段完整"
    )
    yield _all_or(
        "passages_orphan",
        integrity.ownerless_passages(subject.db),
        "有不属于任何记忆的分段",
        "没有多余的分段",
    )


def _vectors(subject: Subject) -> Iterator[Finding]:
    table, dim = subject.facts.get(meta.VECTORS), subject.facts.get(meta.DIM)
    if not subject.facts.get(meta.MODEL):
        return
    if not subject.vectors_loaded:
        yield Finding("vectors_missing", "warn", "没有 sqlite-vec 扩展，查不了向量")
        return
    found = integrity.vector_faults(subject.db, str(table or ""), int(dim or 0))
    told = {
        "vectors_missing": ("还没有向量的分段", "每个分段都有向量"),
        "vectors_orphan": ("有不属于任何分段的向量", "没有多余的向量"),
        "vectors_broken": ("长度不对的向量", "向量长度都对"),
        "vectors_filters": ("过滤列和记录不一致的向量", "向量的过滤列和记录一致"),
    }
    for code, passages in found.items():
        bad, good = told.get(code, (code, code))
        yield _all_or(code, passages, bad, good, error=code != "vectors_missing")
    stored, registered = probe.vector_counts(subject.db, table)
    if stored != registered:
        counted = f"有 {stored} 个向量，登记的是 {registered} 个"
        yield Finding("vectors_counted", "error", counted, fixable=True)
    if table and subject.embedder is not None:
        yield from _same_model(subject, subject.embedder, str(table))


def _same_model(subject: Subject, embedder: Embedder, table: str) -> Iterator[Finding]:
    """Embeds some texts again: a file can say one model and hold the vectors of another."""
    import numpy as np

    stored = integrity.stored_vectors(subject.db, table, SAMPLED_VECTORS)
    if not stored:
        return
    again = embedder.embed_documents([simplify(text) for text, _ in stored])
    kept = [np.frombuffer(vector, np.float32) for _, vector in stored]
    if any(len(v) != embedder.dim for v in kept):
        return  # told of as vectors_broken
    worst = min(float(a @ b) for a, b in zip(again, kept, strict=True))
    if worst < LEAST_LIKENESS:
        told = f"存着的向量不像是 {embedder.name} 做的（余弦 {worst:.2f}）"
        yield Finding("vectors_model", "error", told, fixable=True)
    else:
        yield Finding("vectors_model", "ok", f"存着的向量是 {embedder.name} 做的")


def _lineage(subject: Subject) -> Iterator[Finding]:
    db = subject.db
    yield _all_or(
        "lineage_dangling",
        integrity.dangling_links(db),
        "前身或后继已不存在",
        "前身后继都在",
        asks=True,
    )
    yield _all_or(
        "lineage_one_sided",
        integrity.one_sided_links(db),
        "前身和后继互相对不上",
        "前身后继互相对得上",
        asks=True,
    )
    yield _all_or(
        "lineage_loop", integrity.link_cycles(db), "取代关系成环", "取代关系没有环", asks=True
    )


def _records(subject: Subject) -> Iterator[Finding]:
    db = subject.db
    yield _all_or("scopes", integrity.scopeless(db), "范围没有登记", "范围都有登记")
    hashes = integrity.bad_hashes(db)
    yield _all_or("text_hash", hashes, "文本和它的校验和不符", "文本和校验和相符", asks=True)
    times = integrity.bad_times(db)
    if times:
        yield Finding("times", "warn", f"时间不合理：{ids(times)}；请用 brain show 看看")
    else:
        yield Finding("times", "ok", "时间都合理")
    latest = _latest(subject.now)
    future = integrity.recorded_after(db, latest)
    if future:
        told = f"记录时刻在将来：{ids(future)}；这台或写它的那台机器时钟不准"
        yield Finding("clock", "warn", told)
    else:
        yield Finding("clock", "ok", "没有来自将来的记录")
    last = subject.facts.get(meta.LAST_DECAY)
    if last is not None and last > latest:
        told = f"上次衰减的时刻（{last}）在将来，在那之前不会再衰减；修复时把它改成现在"
        if meta.DECAY_KEPT in subject.facts:
            told += "；减弱了的用 brain decay --undo 变回来"
        yield Finding("decay_future", "warn", told, fixable=True)


def _latest(now: datetime) -> str:
    """The latest instant another machine's clock may honestly show."""
    try:
        return to_iso(now + CLOCK_GRACE)
    except (OverflowError, BrainError):  # the calendar's last minutes
        return to_iso(now)


def _erasing(subject: Subject) -> Iterator[Finding]:
    if meta.ERASING in subject.facts:
        told = "有遗忘了的还没从文件和日志里抹干净；修复时，或再运行一次那条 forget 时做完"
        yield Finding("erasing", "warn", told, fixable=True)


def _journal(subject: Subject) -> Iterator[Finding]:
    silent = integrity.unjournaled(subject.db)
    if silent:
        yield Finding("journal", "warn", f"日志里没有提到：{ids(silent)}")
    broken = integrity.unreadable_journal(subject.db)
    if broken:
        yield Finding("journal_detail", "warn", f"日志里读不懂的条目：{ids(broken)}")
    if not silent and not broken:
        yield Finding("journal", "ok", "每条记忆在日志里都有来历")


def _links(subject: Subject) -> Iterator[Finding]:
    wrong = links.broken(subject.db)
    if wrong:
        told = f"决策和结果的观察不完整：{ids(wrong).replace('#', 'L')}"
        yield Finding("links", "error", told, fixable=True, asks=True)
    else:
        yield Finding("links", "ok", "决策和结果的观察两头都在")


def _claims(subject: Subject) -> Iterator[Finding]:
    wrong = claims.broken(subject.db)
    if wrong:
        told = f"要核对的里有 {len(wrong)} 行不完整；修复时删掉"
        yield Finding("claims", "error", told, fixable=True)
    else:
        yield Finding("claims", "ok", "要核对的都有它的记忆")


def _observations(subject: Subject) -> Iterator[Finding]:
    wrong = observations.broken(subject.db)
    if wrong:
        told = f"原文的说明里有 {len(wrong)} 行没有它的原文或不完整；修复时删掉"
        yield Finding("observations", "error", told, fixable=True)
    else:
        yield Finding("observations", "ok", "说明了是什么的原文都在")


CHECKS: dict[Callable[[Subject], Iterator[Finding]], str] = {
    _indexes: "索引",
    _passages: "分段",
    _vectors: "向量",
    _lineage: "取代关系",
    _records: "记录",
    _erasing: "遗忘",
    _links: "决策和结果",
    _claims: "核对",
    _observations: "原文是什么",
    _journal: "日志",
}
"""Every check of a file whose pages are readable, and what it is about."""


def program() -> Iterator[Finding]:
    """Python, SQLite and its parts."""
    version = platform.python_version()
    if sys.version_info >= LEAST_PYTHON:
        yield Finding("python", "ok", f"Python {version}")
    else:
        yield Finding("python", "error", f"Python {version} 太旧，需要 3.11 以上")
    can = integrity.capabilities()
    yield Finding("sqlite", "ok", f"SQLite {can.sqlite}（apsw {can.apsw}）")
    if can.fts5:
        yield Finding("fts5", "error", can.fts5)
    else:
        yield Finding("fts5", "ok", "全文索引 FTS5 可用")
    if can.trigram:
        yield Finding("trigram", "ok", "trigram 分词器可用")
    else:
        yield Finding("trigram", "warn", "这个 SQLite 没有 trigram 分词器，词的一部分可能找不到")
    if can.vectors:
        yield Finding("sqlite_vec", "ok", "sqlite-vec 扩展可用")
    else:
        yield Finding("sqlite_vec", "warn", "加载不了 sqlite-vec 扩展，只能按字面检索")


def model(facts: dict[str, Any]) -> tuple[Finding, Embedder | None]:
    """Whether the file's model (for no file, the one it would get) is here and really embeds."""
    named = facts.get(meta.MODEL) if meta.MODEL in facts else registry.default_name()
    if not named:
        return Finding("model", "ok", "不用向量模型，只按字面检索"), None
    try:
        setup = read_setup(facts.get(meta.SETUP), facts.get(meta.DIM))
        own = setup if meta.MODEL in facts and registry.is_own(str(named)) else None
        found = registry.open_embedder(str(named), None, own)
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


def environment(store: Store) -> Iterator[Finding]:
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
    yield from _left_beside(path)
    above = next((p for p in (path.parent, *path.parents) if p.is_dir()), path.parent)
    try:
        free = shutil.disk_usage(above).free
    except OSError as e:
        yield Finding("disk_space", "warn", f"看不到磁盘还有多少空间（{e.strerror}）")
        return
    severity = "warn" if free < LEAST_FREE else "ok"
    yield Finding("disk_space", severity, f"磁盘还有 {free // 2**20} MiB 可用")
    size = wal.size(path)
    if size:
        yield Finding("wal", "ok", f"-wal 里有 {size // 1024} KiB 还没合并，最后一个关闭的会合并它")


def _left_beside(path: Path) -> Iterator[Finding]:
    """Whole copies of memories in the file's folder that nobody may know of."""
    left = part_file.left_behind(path.parent)
    if left:
        told = f"被打断的备份、导出或抢救留下了 {len(left)} 个半成品，里面有记忆：{left[0].name}"
        more = " 等" if len(left) > 1 else ""
        yield Finding("part_files", "warn", f"{told}{more}；修复时删掉", fixable=True)
    copies = wal.copies_beside(path)
    if copies:
        names = "、".join(copy.name for copy in copies[:3]) + (" 等" if len(copies) > 3 else "")
        told = f"旁边有 {len(copies)} 份以前的整份副本：{names}；遗忘了的可能还在里面，不要了就删掉"
        yield Finding("copies", "warn", told)


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


def restrict_modes(path: Path) -> None:
    """Makes the file and what is beside it the owner's alone. Raises OSError."""
    for suffix in ("", "-wal", "-shm"):
        beside = Path(f"{path}{suffix}")
        if beside.exists():
            beside.chmod(0o600)
