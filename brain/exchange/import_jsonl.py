"""JSONL import: as it was into a file that never held a record, else beside what is there.

One transaction: all of it or, on an error or a break, nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO

from brain.compress import originals
from brain.errors import BrainError
from brain.exchange import files, jsonl
from brain.exchange.export_jsonl import KEPT_FACTS
from brain.lifecycle import lineage
from brain.maintenance import health_probe
from brain.memory import Memory
from brain.results import MOST_FAULTS, Fault, ImportResult
from brain.store import (
    claims,
    fts,
    journal,
    links,
    memories,
    memory_file,
    meta,
    observations,
    probe,
)
from brain.store import originals as stored
from brain.store.claims import Claim
from brain.store.journal import Event
from brain.store.links import Observation
from brain.store.observations import Seen
from brain.store.staging import Link, Staging
from brain.text.sentences import passages
from brain.text.timestamps import to_iso

if TYPE_CHECKING:
    from brain.store.protocol import Store, Transaction

INDEX_RECORDS = 1000
INDEX_CHARS = 2_000_000
"""How much text waits for being indexed, in records and characters."""

REPORTED = 256
"""Lines between two reports of progress."""

Progress = Callable[[int, int], None]


def run(
    store: Store,
    stream: BinaryIO,
    name: str,
    settle: Callable[[], None],
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Reads an export and takes in what is not here yet.

    Args:
        name: what the stream is called.
        settle: makes the file, with its model; called when the first line is one of ours.
        dry_run: change nothing; the result says what would be done.
        progress: called with (bytes read, bytes in all).

    Raises:
        BrainError: those of :func:`brain.exchange.jsonl.read_header`; ``brain_import_unreadable``
            (74); ``brain_ccr_max_bytes_invalid`` (2); ``brain_probe_failed`` (74) where the file
            would not give back what it holds.
    """
    lines = files.lines(stream, jsonl.LONGEST_LINE)
    first = next(lines, None)
    header = jsonl.read_header(None if first is None else first.data)
    total = files.size(stream)
    if not dry_run:
        settle()
    with store.snapshot() if dry_run else store.write() as db:
        running = _Import(db, header, to_iso(now), dry_run, originals.most_bytes())
        for line in lines:
            running.take(line)
            if progress is not None and line.number % REPORTED == 0:
                progress(line.at, total or line.at)
        running.finish()
        if not dry_run:
            running.require_healthy()
    return running.result(name)


@dataclass(slots=True)
class _Import:
    """One import under way."""

    db: Transaction
    header: jsonl.Header
    now: str
    dry_run: bool
    most_bytes: int
    arrived: Staging = field(default_factory=Staging)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    highest: int = 0
    anew: bool = False
    seen: int = 1
    ended: bool = False
    line: int = 1
    unfinished: list[jsonl.Part] = field(default_factory=list)
    unindexed: list[tuple[int, str, str]] = field(default_factory=list)
    unindexed_chars: int = 0
    scopes: dict[str, int] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    before: probe.Sums = field(init=False)
    kept: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.before = probe.sums(self.db, memory_file.facts(self.db).get(meta.VECTORS))
        self.highest = memories.last_id(self.db)
        self.anew = self.highest == 0
        self.forgotten = set() if self.anew else journal.forgotten_times(self.db)
        self.words = {word for word, _, _ in meta.words(self.db)}

    def result(self, name: str) -> ImportResult:
        return ImportResult(
            source=name,
            format="jsonl",
            added=self.counts["added"],
            skipped=self.counts["skipped"],
            superseded=self.counts["superseded"],
            corrected=self.counts["corrected"],
            failed=self.counts["failed"],
            errors=tuple(self.faults),
            words=self.counts["words"],
            originals=self.counts["originals"],
            links=self.counts["links"],
            dry_run=self.dry_run,
        )

    def fault(self, line: int, reason: str) -> None:
        self.counts["failed"] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(Fault(line, reason))

    def take(self, line: files.Line) -> None:
        self.line = line.number
        if self.ended:
            self.fault(line.number, "结束行之后还有内容，没有导入。")
            return
        if line.data is None:
            self.seen += 1
            most = jsonl.LONGEST_LINE // 1024 // 1024
            self.fault(line.number, f"这一行超过 {most} MiB，跳过了。")
            return
        try:
            found = jsonl.read(line.data)
            self._take(found)
        except BrainError as e:
            self.fault(line.number, e.message)
        self.seen += 1

    def _take(self, found: jsonl.Found) -> None:
        match found:
            case Memory():
                self._memory(found)
            case Observation():
                self._observation(found)
            case Claim():
                self._claim(found)
            case Seen():
                self._seen(found)
            case Event():
                self._event(found)
            case jsonl.Word():
                self._word(found)
            case jsonl.Part():
                self._part(found)
            case jsonl.Fact():
                if self.anew and not self.dry_run and found.key in KEPT_FACTS:
                    meta.put(self.db, **{found.key: found.value})
            case jsonl.End():
                self.ended = True
                if found.lines != self.seen:
                    told = f"结束行说前面有 {found.lines} 行，读到的是 {self.seen} 行"
                    self.fault(self.line, f"{told}：缺了内容或多了内容。")

    def _memory(self, memory: Memory) -> None:
        if self.arrived.found(memory.id) is not None:
            raise BrainError(
                "brain_import_line", f"编号 #{memory.id} 在这份导出里出现了两次，跳过了。"
            )
        here = None if self.anew else self._here(memory)
        if here is None and memory.recorded_at in self.forgotten:
            raise BrainError("brain_import_line", f"#{memory.id} 在这里已经遗忘，没有再收进来。")
        if here is None:
            self.counts["added"] += 1
            new = self._store(memory)
        else:
            self.counts["skipped"] += 1
            new = here
        self.arrived.note(memory.id, new, fresh=here is None)
        if memory.supersedes is not None or memory.superseded_by is not None:
            link = Link(
                self.line,
                memory.id,
                memory.supersedes,
                memory.superseded_by,
                memory.valid_to,
                memory.retracted_at,
            )
            self.arrived.note_link(link)

    def _here(self, memory: Memory) -> int | None:
        alike = memories.iter_identical(self.db, memory, self.highest)
        same = next((i for i in alike if not self.arrived.stands_for(i)), None)
        if same is not None or memory.supersedes or memory.superseded_by:
            return same
        if not self._current(memory):
            return None
        told = memories.with_content(self.db, memory.text, memory.kind, memory.scope)
        return next((o.id for o in told if o.id <= self.highest and self._current(o)), None)

    def _current(self, memory: Memory) -> bool:
        begun = memory.valid_from is None or memory.valid_from <= self.now
        lasts = memory.valid_to is None or memory.valid_to > self.now
        return memory.retracted_at is None and memory.archived_at is None and begun and lasts

    def _store(self, memory: Memory) -> int:
        if self.dry_run:
            return memory.id if self.anew else self.highest + self.counts["added"]
        if memory.scope not in self.scopes:
            self.scopes[memory.scope] = memories.ensure_scope(self.db, memory.scope)
        new = memories.insert_verbatim(self.db, memory, keep_id=self.anew)
        memories.add_passages(self.db, new, passages(memory.text))
        self.unindexed.append((new, memory.text, memory.scope))
        self.unindexed_chars += len(memory.text)
        if self.unindexed_chars > INDEX_CHARS or len(self.unindexed) == INDEX_RECORDS:
            self._index()
        return new

    def _index(self) -> None:
        """Many at once: each statement on another table makes FTS5 write what it has gathered."""
        for memory_id, text, scope in self.unindexed:
            fts.add(self.db, memory_id, text, self.scopes[scope])
        self.unindexed.clear()
        self.unindexed_chars = 0

    def _observation(self, told: Observation) -> None:
        ends = [self.arrived.found(told.decision), self.arrived.found(told.outcome)]
        for number, end in zip((told.decision, told.outcome), ends, strict=True):
            if end is None:
                raise BrainError(
                    "brain_import_line", f"L{told.id} 连着的 #{number} 没有导入，跳过了。"
                )
        here = replace(told, decision=ends[0][0], outcome=ends[1][0])  # type: ignore[index]
        if here.decision == here.outcome:
            raise BrainError("brain_import_line", f"L{told.id} 的两头是同一条，跳过了。")
        if self.dry_run:
            fresh = any(end is not None and end[1] for end in ends)
            self.counts["links"] += fresh or not links.known(self.db, here)
        elif self.anew:
            if links.get(self.db, here.id) is not None:
                raise BrainError(
                    "brain_import_line", f"编号 L{here.id} 在这份导出里出现了两次，跳过了。"
                )
            links.insert(self.db, here, keep_id=True)
            self.counts["links"] += 1
        elif not links.known(self.db, here):
            links.insert(self.db, here)
            self.counts["links"] += 1

    def _claim(self, told: Claim) -> None:
        """A record that was here before keeps the claims it has here."""
        about = self.arrived.found(told.memory_id)
        if about is None:
            raise BrainError("brain_import_line", f"要核对的 #{told.memory_id} 没有导入，跳过了。")
        if not self.dry_run and about[1]:
            claims.insert(self.db, replace(told, memory_id=about[0]))

    def _seen(self, told: Seen) -> None:
        if self.dry_run:
            return
        if told.handle not in self.kept:
            raise BrainError("brain_import_line", f"{told.handle[:40]} 的原文没有导入，跳过了。")
        observations.put(self.db, told)

    def _event(self, event: Event) -> None:
        """What is told about a record that was here before, this file's journal tells already."""
        if self.dry_run:
            return
        if self.anew:
            journal.append(self.db, event)
            return
        about = self.arrived.found(event.memory_id)
        if about is not None and about[1]:
            detail = {k: self._mapped(k, v) for k, v in event.detail.items()}
            journal.append(self.db, Event(event.at, about[0], event.what, event.why, detail))

    def _mapped(self, name: str, change: Any) -> Any:
        """Ids in an entry as they are here; None for those of records that did not come along."""
        if name not in jsonl.LINKS or not isinstance(change, list):
            return change
        found = [self.arrived.found(old) if isinstance(old, int) else None for old in change]
        return [None if here is None else here[0] for here in found]

    def _word(self, word: jsonl.Word) -> None:
        if word.word in self.words:
            return
        self.words.add(word.word)
        self.counts["words"] += 1
        if not self.dry_run:
            meta.add_word(self.db, word.word, word.freq, word.tag, word.added_at)

    def _part(self, part: jsonl.Part) -> None:
        waiting = self.unfinished
        if part.part != len(waiting) or any(p.handle != part.handle for p in waiting):
            self.unfinished = []
            if part.part != 0:
                raise BrainError("brain_import_line", f"{part.handle[:40]} 的前一段不在，跳过了。")
        self.unfinished.append(part)
        size = sum(len(p.original.data) for p in self.unfinished)
        if size > min(part.size, self.most_bytes):
            self.unfinished = []
            raise BrainError("brain_import_line", f"{part.handle[:40]} 比它说的大，跳过了。")
        if size == part.size:
            data = b"".join(p.original.data for p in self.unfinished)
            self.unfinished = []
            self._original(part, data)

    def _original(self, part: jsonl.Part, data: bytes) -> None:
        if stored.handle(hashlib.sha256(data).digest()) != part.handle:
            raise BrainError(
                "brain_import_line", f"{part.handle[:40]} 的内容和句柄对不上，跳过了。"
            )
        if self.dry_run:
            known = stored.get(self.db, bytes.fromhex(part.handle.removeprefix("ccr_")))
            self.counts["originals"] += known is None
            return
        told = part.original
        whole = stored.Original(
            data,
            told.content_type,
            told.compressor,
            told.tokens_before,
            told.tokens_after,
            told.stored_at,
        )
        try:
            new = stored.put(self.db, whole, self.most_bytes)
        except stored.BudgetExceededError:
            raise BrainError(
                "brain_import_line",
                f"原文库放不下 {part.handle} 了（上限 {self.most_bytes} 字节），跳过了。",
            ) from None
        self.counts["originals"] += new
        self.kept.add(part.handle)

    def finish(self) -> None:
        """Makes the links, now that every record is there."""
        self._index()
        for part in self.unfinished[:1]:
            self.fault(self.line, f"{part.handle[:40]} 不完整，没有导入。")
        if not self.ended:
            self.fault(self.line, "没有结束行：这份导出不完整，后面的内容丢了。")
        for link in self.arrived.links():
            self._link(link)
        if self.anew and not self.dry_run:
            memories.reserve_ids(self.db, self.header.last_id)

    def require_healthy(self) -> None:
        """Probes the file as it is to be. Raises ``brain_probe_failed`` (74)."""
        expected = replace(self.before, records=self.before.records + self.counts["added"])
        facts = memory_file.facts(self.db)
        found = health_probe.run(self.db, facts, self.now, expected=expected)
        health_probe.require(found, "什么也没有导入")

    def _link(self, link: Link) -> None:
        about = self.arrived.found(link.old)
        assert about is not None
        here, fresh = about
        for name in ("supersedes", "superseded_by"):
            wanted = getattr(link, name)
            partner = self.arrived.found(wanted)
            if wanted is None:
                continue
            if partner is None:
                if self.header.whole:
                    self.fault(link.line, f"它连着的 #{wanted} 没有导入，这一头断开了。")
            elif self.anew:
                if not self.dry_run:
                    memories.set_fields(self.db, here, **{name: partner[0]})
            elif name == "superseded_by":
                self._join(link, here, fresh, *partner)

    def _join(self, link: Link, old: int, old_fresh: bool, new: int, fresh: bool) -> None:
        """Links two records unless one that was here before has another partner by now."""
        before = None if old_fresh else lineage.require(self.db, old)
        after = None if fresh else lineage.require(self.db, new)
        if before is not None and before.superseded_by == new:
            return
        heir = None if before is None else before.superseded_by
        forebear = None if after is None else after.supersedes
        if heir is not None or forebear is not None:
            other = f"#{old} 已被 #{heir} 取代" if heir else f"#{new} 已取代了 #{forebear}"
            self.fault(link.line, f"{other}，和这份导出说的不同，没有连上。")
            return
        if before is not None:
            self.counts["superseded" if link.retracted_at is None else "corrected"] += 1
        if self.dry_run:
            return
        if before is None:
            memories.set_fields(self.db, old, superseded_by=new)
        else:
            what = "superseded" if link.retracted_at is None else "corrected"
            ends = {"valid_to": link.valid_to, "retracted_at": link.retracted_at}
            lineage.change(self.db, before, self.now, what, "", superseded_by=new, **ends)
        if after is None:
            memories.set_fields(self.db, new, supersedes=old)
        else:
            lineage.change(self.db, after, self.now, "supersedes", "", supersedes=old)
