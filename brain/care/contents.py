"""What the doctor finds in a file: its pages, indexes, vectors, lineage, times and journal.

Each check is a function from an open file to findings; what is derived from the records can be
made anew (``fixable``), what is not is changed only with consent (``asks``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import apsw

from brain.errors import BrainError
from brain.results import Finding
from brain.store import audit, meta, terms
from brain.text.fold import FOLD_VERSION, simplify
from brain.text.times import to_iso

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder

CLOCK_GRACE = timedelta(minutes=5)
"""How far clocks of two machines that share a file may differ."""

SAMPLED_VECTORS = 3
LEAST_LIKENESS = 0.95
"""Cosine between a stored vector and the same text embedded now: kernels differ by far less."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined.

    Args:
        facts: the file's, as :func:`brain.store.file.facts` gives them.
        vectors_loaded: whether sqlite-vec is here.
        embedder: the file's model, None where it cannot be had.
        now: the clock.
    """

    db: apsw.Connection
    facts: dict[str, Any]
    vectors_loaded: bool
    embedder: Embedder | None
    now: datetime


def examine(subject: Subject) -> Iterator[Finding]:
    """All checks; one that cannot be made because of damage says so and the next goes on."""
    faults = audit.integrity(subject.db)
    if faults:
        told = f"SQLite 说文件已损坏（{'；'.join(faults[:3])}）"
        yield Finding("integrity", "error", told, fixable=True)
    else:
        yield Finding("integrity", "ok", "SQLite 完整性检查通过")
    for check in CHECKS:
        try:
            yield from check(subject)
        except (apsw.Error, UnicodeDecodeError, TypeError, ValueError) as e:
            told = f"{CHECKS[check]}查不下去（{e}）"
            yield Finding("unreadable", "error", told, fixable=True)


def _ids(numbers: Sequence[int]) -> str:
    more = f" 等 {len(numbers)} 个" if len(numbers) > audit.SHOWN else ""
    return "、".join(f"#{n}" for n in numbers[: audit.SHOWN]) + more


def _all_or(
    code: str, wrong: Sequence[int], bad: str, good: str, *, error: bool = True, asks: bool = False
) -> Finding:
    """A finding about ids that should not be; ``bad`` is followed by them."""
    if not wrong:
        return Finding(code, "ok", good)
    severity = "error" if error else "warn"
    return Finding(code, severity, f"{bad}：{_ids(wrong)}", fixable=True, asks=asks)


def _indexes(subject: Subject) -> Iterator[Finding]:
    db = subject.db
    if subject.facts.get(meta.FOLD) != FOLD_VERSION:
        told = "索引是按旧的写法折叠的，下次写入时会自动重做"
        yield Finding("fold_version", "warn", told, fixable=True)
    for index, name in ((terms.GRAMS, "字词索引"), (terms.TRIGRAMS, "子串索引")):
        if index == terms.TRIGRAMS and not terms.has_trigrams(db):
            continue
        missing = audit.unindexed(db, index)
        yield _all_or(f"{index}_missing", missing, f"{name}里没有", f"每条记忆都在{name}里")
        ghosts = audit.ghosts(db, index)
        yield _all_or(f"{index}_ghosts", ghosts, f"{name}里有已不存在的", f"{name}没有多余的行")
        wrong = [n for n in audit.misplaced(db, index) if n not in set(missing)]
        yield _all_or(f"{index}_words", wrong, f"{name}里的词对不上", f"{name}的词对得上")


def _passages(subject: Subject) -> Iterator[Finding]:
    yield _all_or(
        "passages_missing", audit.without_passages(subject.db), "分段缺失或越界", "分段完整"
    )
    yield _all_or(
        "passages_orphan",
        audit.ownerless_passages(subject.db),
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
    found = audit.vector_faults(subject.db, str(table or ""), int(dim or 0))
    told = {
        "vectors_missing": ("还没有向量的分段", "每个分段都有向量"),
        "vectors_orphan": ("有不属于任何分段的向量", "没有多余的向量"),
        "vectors_broken": ("长度不对的向量", "向量长度都对"),
        "vectors_filters": ("过滤列和记录不一致的向量", "向量的过滤列和记录一致"),
    }
    for code, passages in found.items():
        bad, good = told.get(code, (code, code))
        yield _all_or(code, passages, bad, good, error=code != "vectors_missing")
    if table and subject.embedder is not None:
        yield from _same_model(subject, subject.embedder, str(table))


def _same_model(subject: Subject, embedder: Embedder, table: str) -> Iterator[Finding]:
    """Embeds some texts again: a file can say one model and hold the vectors of another."""
    import numpy as np

    stored = audit.stored_vectors(subject.db, table, SAMPLED_VECTORS)
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
        "lineage_dangling", audit.dangling(db), "前身或后继已不存在", "前身后继都在", asks=True
    )
    yield _all_or(
        "lineage_one_sided",
        audit.one_sided(db),
        "前身和后继互相对不上",
        "前身后继互相对得上",
        asks=True,
    )
    yield _all_or("lineage_loop", audit.looped(db), "取代关系成环", "取代关系没有环", asks=True)


def _records(subject: Subject) -> Iterator[Finding]:
    db = subject.db
    yield _all_or("scopes", audit.scopeless(db), "范围没有登记", "范围都有登记")
    hashes = audit.bad_hashes(db)
    yield _all_or("text_hash", hashes, "文本和它的校验和不符", "文本和校验和相符", asks=True)
    times = audit.bad_times(db)
    if times:
        yield Finding("times", "warn", f"时间不合理：{_ids(times)}；请用 brain show 看看")
    else:
        yield Finding("times", "ok", "时间都合理")
    latest = _latest(subject.now)
    future = audit.recorded_after(db, latest)
    if future:
        told = f"记录时刻在将来：{_ids(future)}；这台或写它的那台机器时钟不准"
        yield Finding("clock", "warn", told)
    else:
        yield Finding("clock", "ok", "没有来自将来的记录")
    last = subject.facts.get(meta.LAST_DECAY)
    if last is not None and last > latest:
        told = f"上次衰减的时刻（{last}）在将来，在那之前不会再衰减；修复时把它改成现在"
        yield Finding("decay_future", "warn", told, fixable=True)


def _latest(now: datetime) -> str:
    """The latest instant another machine's clock may honestly show."""
    try:
        return to_iso(now + CLOCK_GRACE)
    except (OverflowError, BrainError):  # the calendar's last minutes
        return to_iso(now)


def _journal(subject: Subject) -> Iterator[Finding]:
    silent = audit.unjournaled(subject.db)
    if silent:
        yield Finding("journal", "warn", f"日志里没有提到：{_ids(silent)}")
    broken = audit.unreadable_journal(subject.db)
    if broken:
        yield Finding("journal_detail", "warn", f"日志里读不懂的条目：{_ids(broken)}")
    if not silent and not broken:
        yield Finding("journal", "ok", "每条记忆在日志里都有来历")


CHECKS: dict[Callable[[Subject], Iterator[Finding]], str] = {
    _indexes: "索引",
    _passages: "分段",
    _vectors: "向量",
    _lineage: "取代关系",
    _records: "记录",
    _journal: "日志",
}
"""Every check of a file whose pages are readable, and what it is about."""
