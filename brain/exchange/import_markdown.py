"""Markdown import: applying what was changed by hand in an exported folder.

A changed text corrects its record (or supersedes it), an entry without number is added, one that
is gone is told and, when asked, retracted. Everything is decided against the file as it is now;
what cannot be done is told with its line and the rest is done, in one transaction.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain import memory as m
from brain import validate
from brain.errors import BrainError
from brain.exchange import files, markdown
from brain.exchange.export_markdown import SUFFIX
from brain.lifecycle import lineage
from brain.maintenance import health_probe
from brain.memory import Memory
from brain.results import MOST_FAULTS, Change, Fault, ImportResult
from brain.store import insert, memories, memory_file, meta, probe
from brain.store.memories import Record
from brain.store.view import View
from brain.text.sentences import passages
from brain.text.timestamps import to_iso

if TYPE_CHECKING:
    from brain.store.protocol import Store, Transaction

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of a Markdown file; it is read as a whole."""

SUFFIXES = frozenset({SUFFIX, ".markdown"})

LINKED = "这是链接，通到别处，没有跟去；要导入它，请直接给出它通到的文件。"

_MEANT = {
    "confidence": "confidence",
    "importance": "importance",
    "scope": "scope",
    "source": "source",
    "valid_from": "since",
    "valid_to": "until",
    "pinned": "pinned",
    "evidence": "evidence",
    "tags": "tags",
}

Check = Callable[[m.Draft, datetime], Record]


@dataclass(frozen=True, slots=True)
class EditOptions:
    """How edits are to be understood.

    Args:
        supersede: a changed text means that the world changed, not that the old one was wrong.
        retract_missing: retract what was removed.
        why: kept in the journal.
    """

    supersede: bool = False
    retract_missing: bool = False
    why: str = ""


def is_markdown(source: Path) -> bool:
    """Whether a path is to be read as Markdown: a folder, or a file named so."""
    return os.path.isdir(source) or source.suffix.lower() in SUFFIXES


def run(
    store: Store,
    source: Path,
    settle: Callable[[], None],
    check: Check,
    wish: EditOptions,
    now: datetime,
    *,
    dry_run: bool = False,
) -> ImportResult:
    """Compares the Markdown with the file and does what follows from it.

    Args:
        settle: makes the file, with its model; called when there is something to do.
        check: completes a draft, or refuses it.
        dry_run: change nothing; ``changes`` is the plan.

    Raises:
        BrainError: ``brain_import_missing`` (66), ``brain_import_format`` (65) for a folder
            without Markdown, ``brain_why_invalid`` (65); ``brain_probe_failed`` (74) where the
            file would not give back what it holds.
    """
    validate.check_why(wish.why)
    paths, linked = _paths(source)
    planning = _Editing(check, wish, now, dry_run=True, linked=linked)
    with store.snapshot() as db:
        planning.go(db, paths)
    if dry_run or not planning.to_do:
        return replace(planning.result(source), dry_run=dry_run)
    settle()
    doing = _Editing(check, wish, now, dry_run=False, linked=linked)
    with store.write() as db:
        facts = memory_file.facts(db)
        had = probe.sums(db, facts.get(meta.VECTORS))
        doing.go(db, paths)
        expected = replace(had, records=memories.count(db))
        found = health_probe.run(db, facts, to_iso(now), expected=expected)
        health_probe.require(found, "什么也没有导入")
    return doing.result(source)


def _paths(source: Path) -> tuple[list[Path], list[Path]]:
    """The Markdown to read, and links in the folder that lead to what is not read.

    A link would bring in what the folder's maker has elsewhere, or another user's lure.
    """
    if not source.is_dir():
        return [source], []
    named = sorted(path for path in source.iterdir() if path.suffix.lower() in SUFFIXES)
    found = [path for path in named if path.is_file() and not path.is_symlink()]
    links = [path for path in named if path.is_symlink()]
    if links:
        read = {os.path.realpath(path) for path in found}
        links = [path for path in links if os.path.realpath(path) not in read]
    if not found and not links:
        raise BrainError("brain_import_format", f"文件夹里没有 Markdown 文件：{source}")
    return found, links


@dataclass(slots=True)
class _Editing:
    """One pass over the Markdown."""

    check: Check
    wish: EditOptions
    now: datetime
    dry_run: bool
    linked: list[Path]
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    exported: list[tuple[str, markdown.Kind]] = field(default_factory=list)
    file: str = ""
    anew: bool = False

    @property
    def at(self) -> str:
        return to_iso(self.now)

    @property
    def to_do(self) -> bool:
        return any(change.what != "missing" for change in self.changes)

    def result(self, source: Path) -> ImportResult:
        counts = self.counts
        return ImportResult(
            source=str(source),
            format="markdown",
            added=counts["add"],
            skipped=counts["skipped"],
            superseded=counts["supersede"],
            corrected=counts["correct"],
            retracted=counts["retract"],
            missing=counts["missing"],
            failed=counts["failed"],
            errors=tuple(self.faults),
            changes=tuple(self.changes),
        )

    def fault(self, line: int, reason: str) -> None:
        self.counts["failed"] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(Fault(line, reason, self.file))

    def go(self, db: Transaction, paths: list[Path]) -> None:
        self.anew = memories.last_id(db) == 0
        for path in self.linked:
            self.file = path.name
            self.fault(1, LINKED)
        for path in paths:
            self.file = path.name
            self._read(db, path)
        for name, heading in self.exported:
            self.file = name
            for stretch in heading.ids:
                self._missing(db, heading, stretch)

    def _read(self, db: Transaction, path: Path) -> None:
        headings: list[markdown.Kind] = []
        broken = False
        for found in self._found(path):
            match found:
                case markdown.Kind():
                    headings.append(found)
                case markdown.Broken():
                    broken = True
                    self.fault(found.line, found.reason)
                case markdown.Entry():
                    try:
                        self._entry(db, found)
                    except BrainError as e:
                        self.fault(found.line, e.message)
        # Under a heading that cannot be read stands an entry that only seems to be gone.
        if not broken:
            self.exported += [(path.name, heading) for heading in headings]

    def _found(self, path: Path) -> Iterator[markdown.Found]:
        with files.opened(path) as stream:
            data = stream.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            yield markdown.Broken(1, f"文件超过 {LARGEST_FILE // 1024 // 1024} MiB，没有读。")
            return
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as e:
            line = data.count(b"\n", 0, e.start) + 1
            yield markdown.Broken(line, "文件不是 UTF-8，整个文件没有读。")
            return
        yield from markdown.read(text, path.stem.lower())

    # One entry -----------------------------------------------------------------------------

    def _entry(self, db: Transaction, entry: markdown.Entry) -> None:
        if entry.id is None or self.anew:
            self._add(db, entry)
            return
        if entry.id in self.seen:
            raise _refused(f"#{entry.id} 出现了两次，这一处没有导入。")
        self.seen.add(entry.id)
        memory = lineage.require(db, entry.id)
        told = str(entry.told.get("hash", ""))
        if len(told) < markdown.HASH_DIGITS or not memory.content_hash.startswith(told):
            raise _refused(f"#{memory.id} 和导出时不是同一条（hash 不同），没有动它。")
        if memory.kind != entry.kind:
            raise _refused(
                f"#{memory.id} 的类型是 {memory.kind}，不是 {entry.kind}；导入不改类型。"
            )
        if not self._is_over(memory):
            self._tell_ignored(entry, memory)
        if m.content_hash(entry.text) == memory.content_hash:
            self.counts["skipped"] += 1
        else:
            self._edit(db, entry, memory)

    def _tell_ignored(self, entry: markdown.Entry, memory: Memory) -> None:
        facts = markdown.facts(memory)
        other = sorted(
            name
            for name in facts.keys() | entry.told.keys()
            if name != "hash" and facts.get(name) != entry.told.get(name)
        )
        if other:
            self.fault(
                entry.line,
                f"#{memory.id} 标题里的 {'、'.join(other)} 和记忆文件里的不同；"
                "导入只看正文，要改它请用 conf、importance 等动词。",
            )

    def _is_over(self, memory: Memory) -> bool:
        return memory.valid_to is not None and memory.valid_to <= self.at

    def _edit(self, db: Transaction, entry: markdown.Entry, memory: Memory) -> None:
        text = entry.text.strip("\n")
        if not text.strip():
            raise _refused(f"#{memory.id} 的正文是空的；要删掉它，请连标题整段删去。")
        record = self.check(m.Draft(text, kind=memory.kind, scope=memory.scope), self.now)
        heir = None if memory.superseded_by is None else lineage.require(db, memory.superseded_by)
        if heir is not None and heir.content_hash == m.content_hash(text):
            self.counts["skipped"] += 1
            return
        lineage.require_current(db, memory, "取代" if self.wish.supersede else "更正")
        if self._is_over(memory):
            raise _refused(f"#{memory.id} 在导出以后到期了，没有改它。")
        what = "supersede" if self.wish.supersede else "correct"
        new = None if self.dry_run else self._replace(db, memory, record.text)
        self._done(what, entry.line, memory.id, new, memory.text, text)

    def _replace(self, db: Transaction, old: Memory, text: str) -> int:
        """As ``Brain.correct`` and ``Brain.supersede`` do, all or nothing of it."""
        with db:
            source, why = m.DEFAULT_SOURCE, self.wish.why
            start = self.at if self.wish.supersede else old.valid_from
            new = lineage.find_restatement(db, old, text, self.at) or _put(
                db, lineage.replacement(old, text, source, self.at, valid_from=start), why
            )
            if self.wish.supersede:
                lineage.take_over(db, old, new, None, self.at, why)
            else:
                lineage.correct(db, old, new, self.at, why)
        return new.id

    def _add(self, db: Transaction, entry: markdown.Entry) -> None:
        told: dict[str, Any] = {
            name: entry.told[key] for name, key in _MEANT.items() if key in entry.told
        }
        if "since" in entry.told and entry.told["since"] is None:
            told["valid_from"] = "unknown"
        for name, kinds in (("scope", str), ("source", str), ("evidence", str), ("pinned", bool)):
            if name in told and not isinstance(told[name], kinds):
                raise _refused(f"标题里的 {name} 看不懂。")
        if "tags" in told:
            if not isinstance(told["tags"], list):
                raise _refused("标题里的 tags 看不懂。")
            told["tags"] = tuple(told["tags"])
        for name in ("valid_from", "valid_to"):
            if told.get(name) is not None and not isinstance(told[name], str):
                raise _refused(f"标题里的 {_MEANT[name]} 看不懂。")
        text = entry.text if entry.id is not None else entry.text.strip("\n")
        record = self.check(m.Draft(text, kind=entry.kind, **told), self.now)
        if lineage.find_duplicate(db, record, self.at) is not None:
            self.counts["skipped"] += 1
            return
        new = None if self.dry_run else _put(db, record, self.wish.why).id
        self._done("add", entry.line, None, new, "", record.text)

    # What is gone --------------------------------------------------------------------------

    def _missing(self, db: Transaction, heading: markdown.Kind, stretch: range) -> None:
        view = View(as_of=self.at, scopes=None, kind=heading.kind)
        gone = memories.iter_ids_between(db, view, stretch.start, stretch.stop - 1)
        for memory_id in [i for i in gone if i not in self.seen]:
            self.seen.add(memory_id)
            memory = lineage.require(db, memory_id)
            if not self.wish.retract_missing:
                self._done("missing", heading.line, memory_id, None, memory.text, "")
                continue
            try:
                lineage.require_unpinned(memory, "撤回", False)
            except BrainError:
                self.fault(heading.line, f"#{memory_id} 已钉住，没有撤回；请先 unpin。")
                continue
            if not self.dry_run:
                values = {"retracted_at": self.at}
                lineage.change(db, memory, self.at, "retract", self.wish.why, **values)
            self._done("retract", heading.line, memory_id, None, memory.text, "")

    def _done(
        self, what: str, line: int, old: int | None, new: int | None, before: str, after: str
    ) -> None:
        self.counts[what] += 1
        self.changes.append(Change(what, old, new, before, after, self.file, line))


def _put(db: Transaction, record: Record, why: str) -> Memory:
    """Stores a record whose vectors are to follow."""
    return insert.put(db, None, record, passages(record.text), None, why)


def _refused(reason: str) -> BrainError:
    return BrainError("brain_import_line", reason)
