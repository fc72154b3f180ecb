"""Doctor (check and repair): what is wrong with a memory file and around it, mended if it can be.

What is derived from the records is made anew from them without asking. What is not (who replaced
whom, a checksum that does not fit its text) is changed only with consent. A corrupt file is never
written to: what can be read of it goes into a new file beside it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from brain.errors import EXIT_IO, EXIT_UNAVAILABLE, BrainError
from brain.maintenance import health, health_probe, reembed
from brain.results import DoctorResult, Finding
from brain.store import (
    claims,
    connection,
    fts,
    integrity,
    journal,
    links,
    memories,
    memory_file,
    meta,
    observations,
    part_file,
    salvage,
    schema,
    wal,
)
from brain.store.vectors import vector_index
from brain.text import sentences
from brain.text.timestamps import to_iso

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder
    from brain.store.protocol import Store, Transaction

Progress = Callable[[int, int], None]

_PARTS = frozenset({"python", "fts5", "model"})
"""Findings about the program: an error among them alone is a missing part, no damage."""


_DAMAGED = frozenset({"brain_db_damaged", "brain_db_io"})
_CORRUPT = frozenset({"integrity", "unreadable", "header", "emptied"})
"""Findings that are not mended where the file is."""

_NO_LOG = frozenset({"brain_wal_missing", "brain_wal_not_copied"})
_STRANGE = frozenset({"brain_db_not_ours", "brain_schema_newer"})
"""What one wrong byte of the header makes a file of ours look like."""

LATEST_VERSION = 100
"""A number of the format beyond it is damage and no newer program's."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """One examination: what was found, and the file's model where it can be had."""

    findings: tuple[Finding, ...]
    embedder: Embedder | None


@dataclass(frozen=True, slots=True)
class _Salvage:
    """What became of a salvage: the new file, its records, and what did not come along."""

    path: str | None = None
    records: int | None = None
    findings: tuple[Finding, ...] = ()


def run(
    store: Store,
    *,
    now: datetime,
    repair: bool = False,
    consent: bool = False,
    progress: Progress | None = None,
) -> DoctorResult:
    """Examines a file and its surroundings; with ``repair`` mends it and examines it again.

    Args:
        now: the clock, for records from the future.
        consent: also change what is not derived from the records.
        progress: called with (done, total) while vectors are made.

    Raises:
        BrainError: ``brain_busy`` (75) when a repair cannot have the write lock, and those of a
            path that holds no file of ours; a damaged file is a finding, no error.
    """
    first = _examine(store, now, insist=repair)
    salvaged = _Salvage()
    mended: set[str] = set()
    if repair and _is_older_alone(first.findings):
        store.release()
        with store.write():  # opening it for writing migrates it
            mended = {"schema"}
        store.release()
        first = _examine(store, now)
    if repair:
        wrong = {f.code for f in first.findings if f.severity != "ok" and f.fixable}
        asks = {f.code for f in first.findings if f.asks and f.severity != "ok"}
        allowed = wrong if consent else wrong - asks
        store.release()
        if wrong & _CORRUPT and not _indexes_alone(store, first.findings):
            salvaged = _salvage(store, first.embedder, now, progress)
        elif allowed:
            try:
                _mend(store, allowed, first.embedder, now, progress)
                mended |= allowed
            except (BrainError, *integrity.UNREADABLE) as e:
                if isinstance(e, BrainError) and e.code not in _DAMAGED:
                    raise
                salvaged = _salvage(store, first.embedder, now, progress)
    last = _examine(store, now) if mended else first
    left = {f.code for f in last.findings if f.severity != "ok"}
    if mended and left & _CORRUPT:  # it was not the indexes after all
        store.release()
        salvaged = _salvage(store, last.embedder, now, progress)
    repaired = sorted(mended - left)
    proof = _probe(store, now) if repaired and not left & _CORRUPT else ()
    findings = (*last.findings, *proof, *salvaged.findings)
    return DoctorResult(
        str(store.path),
        findings,
        tuple(repaired),
        salvaged.path,
        salvaged.records,
        _exit_code(findings),
    )


def _probe(store: Store, now: datetime) -> tuple[Finding, ...]:
    """What the health probe says of a repaired file."""
    with store.snapshot() as db:
        loaded = connection.load_vectors(db)
        found = health_probe.run(db, memory_file.facts(db), to_iso(now), vectors=loaded)
    try:
        health_probe.require(found, "修好的都留着")
    except BrainError as e:
        return (Finding("probe_failed", "error", e.message),)
    return (Finding("probe", "ok", "修完之后自检通过"),)


def _is_older_alone(findings: Iterable[Finding]) -> bool:
    """Whether a file of an older format has sound pages."""
    wrong = {f.code for f in findings if f.severity != "ok"}
    return "schema" in wrong and not wrong & _CORRUPT


def _exit_code(findings: Iterable[Finding]) -> int:
    wrong = {f.code for f in findings if f.severity == "error"}
    if wrong - _PARTS:
        return EXIT_IO
    return EXIT_UNAVAILABLE if wrong else 0


def _examine(store: Store, now: datetime, *, insist: bool = False) -> _Seen:
    """One examination.

    Args:
        insist: whether a file of a newer format is looked into as well.
    """
    findings = [*health.program(), *health.environment(store)]
    try:
        if not store.exists():
            found, embedder = health.model({})
            file = Finding("file", "ok", "还没有记忆文件，add 或 init 会建立它")
            if store.path.exists():
                told = "文件是空的（0 字节），不是记忆文件；它若本来有记忆，请用备份恢复"
                file = Finding("file", "warn", told)
            return _Seen((*findings, found, file), embedder)
        if not wal.belongs_to(store.path):
            told = "旁边的 -wal 是另一个文件的（记忆文件被换过）；修复时把它挪开，不删除"
            return _Seen((*findings, Finding("wal_foreign", "error", told, fixable=True)), None)
        # A connection that has read an index before another changed it reports faults of its own.
        with store.snapshot() as db:
            loaded = connection.load_vectors(db)
            number = schema.version(db)
            if 0 < number < schema.SCHEMA_VERSION:
                told = (
                    f"格式版本 {number}，比现在的 {schema.SCHEMA_VERSION} 旧；修复或下次写入时升级"
                )
                findings.append(Finding("schema", "warn", told, fixable=True))
                # The other checks are of what this version has.
                return _Seen((*findings, *health.pages(db)), None)
            findings.append(Finding("schema", "ok", f"格式版本 {number}"))
            facts = memory_file.facts(db)
            found, embedder = health.model(facts)
            findings.append(found)
            findings += health.examine(health.Subject(db, facts, loaded, embedder, now))
            return _Seen(tuple(findings), embedder)
    except BrainError as e:
        if e.code in _NO_LOG:
            found = Finding(e.code.removeprefix("brain_"), "error", e.message)
            return _Seen((*findings, found), None)
        if e.code == "brain_db_emptied":
            found = Finding("emptied", "error", e.message, fixable=True)
            return _Seen((*findings, found), None)
        if e.code in _DAMAGED:
            return _Seen((*findings, Finding("integrity", "error", e.message, fixable=True)), None)
        if e.code not in _STRANGE:
            raise
        return _Seen(tuple(_strange(store, findings, e, insist)), None)


def _strange(
    store: Store, findings: Sequence[Finding], error: BrainError, insist: bool
) -> Iterator[Finding]:
    """What is told of a file whose header is not that of ours."""
    ours, number = False, 0
    path = store.path.absolute()
    if salvage.may_be_ours(path, wiped=insist):
        with (
            contextlib.suppress(*(() if insist else (BrainError,))),
            salvage.opened_broken(path) as db,
        ):
            if db is not None:
                ours, number = salvage.holds_no_more(db), schema.version(db)
    if error.code == "brain_schema_newer":
        if not ours:
            raise error
        if number <= LATEST_VERSION and not insist:
            told = "；没有用过更新的版本就是文件头坏了，用 brain doctor --repair 抢救"
            raise BrainError(error.code, error.message + told, error.exit_code)
    if ours:
        told = "。里面的表和记忆文件的一样，多半是文件头坏了；修复时把记录救进新文件"
        yield from findings
        yield Finding("header", "error", error.message + told, fixable=True)
        return
    # What is not ours has no modes to mend and no backup of ours.
    yield from (f for f in findings if f.code != "file_mode")
    yield Finding("header", "error", error.message)


def _indexes_alone(store: Store, findings: Sequence[Finding]) -> bool:
    """Whether only the text indexes are damaged, whose pages can be given up."""
    if any(f.code == "unreadable" and not f.message.startswith("索引") for f in findings):
        return False
    try:
        with store.read() as db:
            return integrity.integrity_without_text(db) == []
    except BrainError:
        return False


def _mend(
    store: Store,
    codes: set[str],
    embedder: Embedder | None,
    now: datetime,
    progress: Progress | None,
) -> None:
    if "wal_foreign" in codes:
        wal.move_aside(store.path.absolute())
        return
    if "part_files" in codes:
        part_file.clean(store.path.absolute().parent)
    if "file_mode" in codes:
        with contextlib.suppress(OSError):  # another user's
            health.restrict_modes(store.path.absolute())
    if codes <= {"file_mode", "part_files"}:
        return
    with store.write() as db:
        for code, mend in _MENDING.items():
            if code in codes:
                mend(db)
        if any(c.startswith((fts.GRAMS, fts.TRIGRAMS, "fold", "integrity")) for c in codes) or (
            codes & {"unreadable", "scopes"}
        ):
            fts.recreate(db)
            memory_file.reindex(db)
        _mend_passages(db, codes)
        _mend_vectors(db, codes)
        at = to_iso(now)
        if "decay_future" in codes:
            meta.put(db, **{meta.LAST_DECAY: at})
        journal.write(db, at, None, "repair", "", {"codes": [[], sorted(codes)]})
    if "erasing" in codes or any(code.endswith("_keys") for code in codes):
        store.finish_erasing()
    if embedder is not None and store.vectors_loaded:
        reembed.run(store, embedder.name, progress, probed=False)


def _mend_lineage(db: Transaction) -> None:
    integrity.repair_links(db)


def _mend_hashes(db: Transaction) -> None:
    integrity.rehash(db, integrity.bad_hashes(db))


def _mend_links(db: Transaction) -> None:
    links.drop(db, links.broken(db))


def _mend_claims(db: Transaction) -> None:
    claims.drop(db, claims.broken(db))


def _mend_observations(db: Transaction) -> None:
    observations.drop_broken(db)


_MENDING: dict[str, Callable[[Transaction], None]] = {
    "scopes": integrity.register_scopes,
    "text_hash": _mend_hashes,
    "lineage_dangling": _mend_lineage,
    "lineage_one_sided": _mend_lineage,
    "lineage_loop": _mend_lineage,
    "links": _mend_links,
    "claims": _mend_claims,
    "observations": _mend_observations,
}
"""What is mended in the records' own table, by finding, in this order."""


def _mend_passages(db: Transaction, codes: set[str]) -> None:
    if not codes & {"passages_missing", "passages_orphan"}:
        return
    integrity.drop_ownerless_passages(db)
    found = memories.get_many(db, integrity.without_passages(db))
    for memory_id, memory in sorted(found.items()):
        integrity.drop_passages(db, memory_id)
        memories.add_passages(db, memory_id, sentences.passages(memory.text))


def _mend_vectors(db: Transaction, codes: set[str]) -> None:
    """Takes out what is wrong; what is missing then is embedded afterwards."""
    facts = memory_file.facts(db)
    table, dim = facts.get(meta.VECTORS), int(facts.get(meta.DIM) or 0)
    if not facts.get(meta.MODEL) or not connection.load_vectors(db):
        return
    if table is None or "vectors_model" in codes:
        if table is not None:
            vector_index.drop_table(db, str(table))
        table = vector_index.next_name(db)
        vector_index.create_table(db, table, dim)
        meta.put(db, **{meta.VECTORS: table})
        return
    found = integrity.vector_faults(db, str(table), dim)
    vector_index.remove(db, str(table), found["vectors_orphan"] + found["vectors_broken"])
    if found["vectors_filters"]:
        for memory in memories.iter_all(db):
            vector_index.refresh(db, memory)
        # Scope and kind never change by themselves; where they differ the vector is made anew.
        stubborn = integrity.vector_faults(db, str(table), dim)["vectors_filters"]
        vector_index.remove(db, str(table), stubborn)
    vector_index.recount(db, str(table))


def _salvage(
    store: Store, embedder: Embedder | None, now: datetime, progress: Progress | None
) -> _Salvage:
    """Makes a new file beside a corrupt one of all that can be read, and tells what cannot."""
    path = store.path.absolute()
    with salvage.opened_broken(path) as broken:
        if broken is None:
            return _Salvage(None, 0)
        new = wal.free_name(Path(f"{path}.salvaged"))
        saved = memory_file.Store(new, network=store.network)
        try:
            found = _copy(broken, saved, now)
            _embed_anew(saved, embedder, progress)
        finally:
            saved.close()
    records = found.rows["memories"]
    if records == 0:
        new.unlink()
        return _Salvage(None, 0)
    return _Salvage(str(new), records, tuple(_not_salvaged(found)))


def _copy(broken: Transaction, saved: memory_file.Store, now: datetime) -> salvage.Salvaged:
    """Copies what can be read, in one transaction, and makes anew what is derived from it."""
    with saved.write() as db:
        at = to_iso(now)
        found = salvage.copy_rows(broken, db, at)
        integrity.register_scopes(db)
        integrity.repair_links(db)
        integrity.drop_ownerless_takings(db)
        integrity.drop_ownerless_tags(db)
        links.drop(db, links.broken(db))
        claims.drop(db, claims.broken(db))
        observations.drop_broken(db)
        memory_file.reindex(db)
        _mend_passages(db, {"passages_missing", "passages_orphan"})
        integrity.drop_ownerless(db)
        counts = {"records": found.rows["memories"], "lost": len(found.lost)}
        detail = {name: [None, number] for name, number in counts.items()}
        journal.write(db, at, None, "salvage", "", detail)
    return found


def _embed_anew(
    saved: memory_file.Store, embedder: Embedder | None, progress: Progress | None
) -> None:
    """Makes the vectors of a salvaged file, whose model it may not say any more."""
    with saved.write() as db:
        facts = meta.read(db)
        if embedder is None:
            embedder = health.model(facts)[1] if facts.get(meta.MODEL) else None
        dim = embedder.dim if embedder is not None else facts.get(meta.DIM)
        if not facts.get(meta.MODEL) or not saved.vectors_loaded or not isinstance(dim, int):
            return
        table = vector_index.next_name(db)
        vector_index.create_table(db, table, dim)
        meta.put(db, **{meta.VECTORS: table, meta.DIM: dim})
    if embedder is not None:
        reembed.run(saved, embedder.name, progress, probed=False)


def _not_salvaged(found: salvage.Salvaged) -> Iterator[Finding]:
    if found.lost:
        told = f"有 {len(found.lost)} 条读不出来，没有救到：{health.ids(found.lost)}"
        yield Finding("salvage_lost", "error", told)
    if found.cells:
        named = [f"#{number} 的 {column}" for number, column in found.cells]
        more = f" 等 {len(named)} 处" if len(named) > integrity.SHOWN else ""
        told = f"读不懂的值换成了默认的：{'、'.join(named[: integrity.SHOWN])}{more}"
        yield Finding("salvage_cells", "error", told)
    for name in sorted({*found.incomplete, *found.refused} - {"memories", "passages", "meta"}):
        told = f"{_TABLES.get(name, name)}里有读不出来的，救到 {found.rows[name]} 条"
        yield Finding("salvage_incomplete", "error", told)


_TABLES = {
    "ccr": "恢复用的原文",
    "observations": "原文是什么",
    "claims": "核对",
    "journal": "日志",
    "faded": "可以撤销的衰减",
    "links": "决策和结果的观察",
    "scopes": "范围",
    "sources": "来源",
    "tags": "标签",
    "taken": "已读入的登记",
    "words": "自己的词",
}
"""What a table holds, in the words of who uses it."""
