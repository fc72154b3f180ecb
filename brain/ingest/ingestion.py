"""Ingestion run: what the readers give, nothing twice, what changed replaced, what is gone ended.

Text is stored at once and can be found by its words; vectors follow outside any lock. Each batch
is one transaction together with the note of what was taken in, so a run that is killed has lost
its last batch at most and the next one goes on there.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.errors import BrainError
from brain.ingest import formats, hermes
from brain.ingest.archives import Unpacked
from brain.ingest.chat import (
    CHAINED,
    EPISODE,
    NAMED,
    Talk,
    Told,
    Turn,
    cleaned,
    episodes,
    marked,
    turn_passages,
)
from brain.ingest.entry import Entry, Fault, Found, group_key, since
from brain.ingest.files import File, binary
from brain.ingest.formats import Format, Part
from brain.lifecycle import add, lineage
from brain.memory import Draft
from brain.results import IngestError, IngestPreview, IngestResult
from brain.store import fts, hermes_db, memories, sources
from brain.store.memories import Record
from brain.text.scaffolding import ASSISTANT
from brain.text.sentences import passages
from brain.text.timestamps import from_iso, now_utc, to_iso

if TYPE_CHECKING:
    from brain.store.protocol import Store, Transaction

BATCH = 256
"""Entries a transaction: some tenths of a second under the lock."""

BATCH_CHARS = 500_000

MOST_ERRORS = 1000
"""Faults that are listed one by one; the rest is only counted."""

PREVIEW = 20
"""Entries a dry run shows."""

CHANGED = lineage.CHANGED_AT_SOURCE
GONE, REWOUND = "来源里没有了", "原对话撤回了"
REREAD = "换了读法，这些话现在在别的条里"
"""Why, in the journal."""

READERS = 2
"""Which readers took a source in: of others' sources each file is read again, and what they packed
otherwise goes. Counted up where what is taken for a person's words changes."""

TURNS = "turns"
"""The format of the source under which the turns of all sessions are known again."""

LOOKED_UP = 64
"""Turns whose marks are looked up at once."""

SECRET = "这里像是有密码、密钥一类，没有收。"
"""Conversations are read unattended, so there is no way to insist as ``add`` has one."""

NOTHING = "里面没有可收的内容：没有人说的话，也没有记下的事。"

READING = "read"
"""The stage of a progress report that :func:`run` makes."""

Span = tuple[int, int]
Check = Callable[[Draft, datetime], Record]
Progress = Callable[[str, int, int], None]


def run(
    store: Store,
    path: Path,
    name: str | None,
    scope: str,
    check: Check,
    *,
    every_session: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    now: datetime | None = None,
) -> IngestResult:
    """Reads a path and takes in what is new there.

    Args:
        name: a format, or None to tell by the content.
        scope: where entries go that name none.
        check: completes a draft, or refuses it.
        every_session: also conversations that tools and timers held.
        dry_run: write nothing.
        progress: called with (``READING``, done, total) in bytes or messages.

    Raises:
        BrainError: as :func:`brain.ingest.formats.parts`.
    """
    ingestion = _Ingestion(store, scope, check, dry_run, now)
    with Unpacked() as unpacked:
        found = formats.parts(path, name, unpacked)
        for part in found:
            ingestion.take(part, every_session, progress)
        ingestion.name_empty(found)
    names = "+".join(dict.fromkeys(part.format.name for part in found if part.files))
    return ingestion.result(str(path), names or found[0].format.name)


@dataclass(frozen=True, slots=True)
class _Ready:
    """An entry that is new and sound, with all that is made of it before the lock is taken."""

    entry: Entry
    key: str
    digest: bytes
    record: Record
    spans: list[Span]


class _Ingestion:
    """One run over one path: its counts, and what it has met so far."""

    def __init__(
        self,
        store: Store,
        scope: str,
        check: Check,
        dry_run: bool,
        now: datetime | None,
    ) -> None:
        self.store = store
        self.scope = scope
        self.check = check
        self.dry_run = dry_run
        self.now = now
        self.counts: Counter[str] = Counter()
        self.errors: list[IngestError] = []
        self.preview: list[IngestPreview] = []
        # Of the source being read:
        self.seen: set[int] = set()
        self.fresh: Counter[str] = Counter()
        self.groups: set[str] = set()
        self.file = ""
        # Marks of turns that a dry run would have noted.
        self.foreseen: dict[str, bytes] = {}

    def clock(self) -> datetime:
        return self.now or now_utc()

    def result(self, path: str, name: str) -> IngestResult:
        return IngestResult(
            path,
            name,
            added=self.counts["added"],
            skipped=self.counts["skipped"],
            superseded=self.counts["superseded"],
            expired=self.counts["expired"],
            retracted=self.counts["retracted"],
            failed=self.counts["failed"],
            errors=tuple(self.errors),
            preview=tuple(self.preview),
            dry_run=self.dry_run,
            unchanged=self.counts["unchanged"],
            held=self.counts["held"],
        )

    def fault(self, fault: Fault) -> None:
        self.counts["failed"] += 1
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(IngestError(self.file, fault.line, fault.reason))

    def name_empty(self, parts: Sequence[Part]) -> None:
        """Names the files, where nothing at all came of them: that is no plain success."""
        if any(self.counts.values()):
            return
        for part in parts:
            for each in part.files:
                self.file = each.name
                self.fault(Fault(0, NOTHING))

    # A source from end to end ----------------------------------------------------------------

    def take(self, part: Part, every_session: bool, progress: Progress | None) -> None:
        """Takes in one part and, when it came to its end, notes what the next run has to know."""
        self.seen, self.fresh, self.groups = set(), Counter(), set()
        for self.file, fault in part.faults:
            self.fault(fault)
        source = self._source(part)
        if part.format.read is None:
            for each in part.files:
                self.file = each.name
                self._take_hermes(part, each, source, every_session, progress)
            return
        known = self._state(source)
        again = known.get("readers") != READERS
        state = {} if again else known.get("files", {})
        held: set[str] = set()
        same: list[File] = []
        stats: dict[str, list[int]] = {}
        total = sum(_size(f) for f in part.files)
        done = 0
        files = sorted(part.files, key=_first_moment) if part.format.chat else part.files
        for each in files:
            self.file = each.name
            before = done
            done += _size(each)
            now_is = _stat(each)
            if now_is is not None and state.get(each.name) == now_is and not part.format.state:
                held.add(group_key(each.name))
                stats[each.name] = now_is
                same.append(each)
                continue
            try:
                told = self._packed(part.format.read(each))
                self._take_all(part, source, self._reported(told, progress, before, total))
            except BrainError as e:
                if len(part.files) == 1:
                    raise
                held.add(group_key(each.name))
                self.fault(Fault(0, e.message))
                continue
            if now_is is not None and not part.format.state:
                stats[each.name] = now_is
        self._pass_over(part, source, same)
        self._finish(part, source, held, {"files": stats, "readers": READERS}, again)
        if progress is not None:
            progress(READING, total, total)

    def _pass_over(self, part: Part, source: int | None, same: Sequence[File]) -> None:
        """Counts files that have not changed, and what their source has where none has."""
        self.counts["unchanged"] += len(same)
        if source is not None and len(same) == len(part.files):
            with self.store.read() as db:
                self.counts["held"] += len(sources.rows_of(db, source))

    def _source(self, part: Part) -> int | None:
        args = (part.format.name, str(part.root), self.scope)
        if self.dry_run:
            with self.store.read() as db:
                return sources.find(db, *args)
        with self.store.write() as db:
            return sources.ensure(db, *args)

    def _state(self, source: int | None) -> dict[str, Any]:
        if source is None:
            return {}
        with self.store.read() as db:
            return sources.state(db, source)

    # A session -------------------------------------------------------------------------------

    def _packed(self, told: Iterator[Told]) -> Iterator[Found]:
        """What a reader gives, its sessions packed into episodes without what others hold."""
        for each in told:
            if not isinstance(each, Talk):
                yield each
                continue
            self.groups.add(group_key(each.session))
            named = f"{each.reader}\0{each.session}".encode("utf-8", "surrogatepass")
            owner = hashlib.sha256(named).digest()[:16]
            turns = self._own(each.reader, owner, marked(each, cleaned(each)))
            for entry in episodes(each.reader, each.session, turns):
                if isinstance(entry, Entry):
                    yield replace(entry, owner=(each.reader, owner))
                else:
                    yield entry

    def _own(
        self, reader: str, owner: bytes, turns: Iterator[Turn | Fault]
    ) -> Iterator[Turn | Fault]:
        """A session's turns without those that were taken in from another one.

        A fork or a resumed session begins with a copy of what it came from, under another file
        name, and often with other ids and times. Turns are the same when their ids are, or when
        all turns before them are and a question was answered alike among them: two people who
        begin with the same question have not copied each other.

        Returns:
            The rest, with the marks that are not noted yet.
        """
        held: list[Turn] = []  # like another's so far, but nothing was answered
        chained, proved = True, False
        dropped = 0
        while batch := list(islice(turns, LOOKED_UP)):
            owners = self._owners(reader, batch)
            for turn in batch:
                if isinstance(turn, Fault):
                    yield turn
                    continue
                same = [m[0] for m in turn.marks if owners.get(m, set()) - {owner}]
                chained = chained and CHAINED in same
                new = tuple(m for m in turn.marks if owner not in owners.get(m, set()))
                held.append(replace(turn, marks=new))
                proved = proved or NAMED in same or (chained and turn.role == ASSISTANT)
                if proved and same and (chained or NAMED in same):
                    dropped += len(held)
                    held = []
                elif not chained:
                    yield from held
                    held = []
        yield from held
        self.counts["skipped"] += bool(dropped)

    def _owners(self, reader: str, turns: Sequence[Turn | Fault]) -> dict[str, set[bytes]]:
        """The sessions that hold turns with some marks."""
        marks = [mark for turn in turns if isinstance(turn, Turn) for mark in turn.marks]
        found: dict[str, set[bytes]] = {}
        if marks:
            with self.store.read() as db:
                source = sources.find(db, TURNS, reader, self.scope)
                found = sources.noted(db, source, marks) if source is not None else {}
        for mark in marks:
            if mark in self.foreseen:
                found.setdefault(mark, set()).add(self.foreseen[mark])
        return found

    def _note_turns(self, db: Transaction, entries: Iterable[Entry]) -> None:
        """Notes which session holds the turns of entries that are in the file now."""
        for entry in entries:
            if entry.marks and entry.owner is not None:
                reader, owner = entry.owner
                source = sources.ensure(db, TURNS, reader, self.scope)
                sources.note(db, source, entry.marks, owner)

    def _reported(
        self, found: Iterator[Found], progress: Progress | None, before: int, total: int
    ) -> Iterator[Found]:
        for each in found:
            yield each
            if progress is not None:
                progress(READING, before + each.at, total)

    def _take_all(self, part: Part, source: int | None, found: Iterator[Found]) -> None:
        batch: list[Entry] = []
        size = 0
        for each in found:
            if isinstance(each, Fault):
                self.fault(each)
                continue
            batch.append(each)
            size += len(each.draft.text)
            if len(batch) >= BATCH or size >= BATCH_CHARS:
                self._flush(part.format, source, batch)
                batch, size = [], 0
        self._flush(part.format, source, batch)

    # A batch -----------------------------------------------------------------------------------

    def _flush(self, form: Format, source: int | None, batch: list[Entry]) -> None:
        """Stores what of a batch is new, in one transaction."""
        if not batch:
            return
        keyed = {(e.row_key(), e.digest()): e for e in batch}
        known: dict[tuple[str, bytes], int] = {}
        if source is not None:
            with self.store.read() as db:
                known = sources.known(db, source, keyed)
        self.seen.update(known.values())
        self.counts["skipped"] += len(batch) - len(keyed) + len(known)
        new = {each: entry for each, entry in keyed.items() if each not in known}
        erased = self._erased(source, new)
        ready: list[_Ready] = []
        for (key, digest), entry in keyed.items():
            if (key, digest) in known:
                continue
            draft = _without_erased(entry, erased.get((key, digest), 0))
            try:
                record = self.check(self._scoped(draft), self.clock())
            except BrainError as e:
                reason = SECRET if e.code == "brain_secret" else e.message
                self.fault(Fault(entry.place, reason))
            else:
                ready.append(_Ready(entry, key, digest, record, _passages(record)))
        if self.dry_run or source is None:
            self._foresee(source, ready)
            self.foreseen |= {m: e.owner[1] for e in batch if e.owner for m in e.marks}
            return
        marked_anew = any(entry.marks for entry in batch)
        if ready or marked_anew:
            with self.store.write() as db:
                counted = self.counts.copy()
                try:
                    self._note_turns(db, keyed.values())
                    made = [self._take_one(db, form, source, each) for each in ready]
                    # At the end: each statement on another table makes FTS5 write what it has.
                    for memory_id, record in filter(None, made):
                        scope_id = memories.ensure_scope(db, record.scope)
                        fts.add(db, memory_id, record.text, scope_id)
                except BaseException:
                    self.counts = counted
                    raise

    def _erased(
        self, source: int | None, new: Mapping[tuple[str, bytes], Entry]
    ) -> dict[tuple[str, bytes], int]:
        """How much of some entries' texts a person had erased before more was said: to there."""
        packed = {each: entry for each, entry in new.items() if len(entry.ends) > 1}
        if source is None or not packed:
            return {}
        out: dict[tuple[str, bytes], int] = {}
        with self.store.read() as db:
            touched = sources.erased_keys(db, source, [key for key, _ in packed])
            for (key, digest), entry in packed.items():
                if key in touched:
                    text = entry.draft.text
                    ends = {(key, entry.digest_of(text[:end])): end for end in entry.ends[:-1]}
                    gone = sources.erased(db, source, ends)
                    out[key, digest] = max((ends[each] for each in gone), default=0)
        return out

    def _scoped(self, draft: Draft) -> Draft:
        return draft if draft.scope else replace(draft, scope=self.scope)

    def _take_one(
        self, db: Transaction, form: Format, source: int, each: _Ready
    ) -> tuple[int, Record] | None:
        """Stores one entry; gives what is still to be indexed."""
        entry, key = each.entry, each.key
        again = sources.known(db, source, [(key, each.digest)])
        if not again and not entry.alone:
            again = self._moved(db, source, each)
        if again:
            # Another run over the same source was faster, or a line has moved.
            self.seen.update(again.values())
            self.counts["skipped"] += 1
            return None
        before = sources.rows_of_keys(db, source, [key]) if entry.alone else []
        # Another process may have stored the same after the record's clock was read.
        seen = max(each.record.recorded_at, to_iso(now_utc()))
        kept = add.add_unindexed(db, each.record, each.spans, seen)
        memory_id, made = kept.id, kept.created
        row = sources.put(db, source, key, each.digest, memory_id, entry.first, entry.last)
        self.seen.add(row)
        self.fresh[key] += not entry.alone
        at = to_iso(self.clock())
        replaced = [
            old for old in before if old[0] != row and self._replace(db, form, old, memory_id, at)
        ]
        if replaced:
            self.counts["superseded"] += 1
        else:
            self.counts["added" if made else "skipped"] += 1
        return (memory_id, each.record) if made else None

    def _moved(self, db: Transaction, source: int, each: _Ready) -> dict[tuple[str, bytes], int]:
        """The row of a line that only stands elsewhere in its file now."""
        group = each.key.partition(":")[0] + ":"
        for row in sources.find_moved(db, source, each.digest, group):
            if row not in self.seen:
                sources.rename(db, row, each.key)
                return {(each.key, each.digest): row}
        return {}

    def _foresee(self, source: int | None, ready: Sequence[_Ready]) -> None:
        """Counts what storing would do."""
        with self.store.read() as db:
            for each in ready:
                entry, record = each.entry, each.record
                at = to_iso(self.clock())
                old = sources.rows_of_keys(db, source, [each.key]) if source and entry.alone else []
                same = lineage.find_duplicate(db, record, at)
                self.seen.update(row for row, _, _ in old)
                self.fresh[each.key] += not entry.alone
                if old:
                    self.counts["superseded"] += 1
                else:
                    self.counts["skipped" if same is not None else "added"] += 1
                if same is None and len(self.preview) < PREVIEW:
                    self.preview.append(
                        IngestPreview(record.text, record.kind, record.valid_from, record.source)
                    )

    # What changed, what is gone ------------------------------------------------------------------

    def _finish(
        self,
        part: Part,
        source: int | None,
        held: set[str],
        state: dict[str, object],
        again: bool,
    ) -> None:
        """Relates what is gone from a source to what has come, and notes its state.

        Args:
            held: groups of files that were not read in this run; their rows still stand.
            again: whether other readers took the source in before.
        """
        if source is None:
            return
        with self.store.read() if self.dry_run else self.store.write() as db:
            rows = sources.rows_of(db, source) if again or not part.format.chat else []
            gone = [
                row
                for row in rows
                if row[0] not in self.seen and row[1].partition(":")[0] + ":" not in held
            ]
            if part.format.chat:
                of_read = [r for r in gone if r[1].partition(":")[0] + ":" in self.groups]
                self._take_out(db, of_read)
            else:
                self._relate(db, part.format, rows, gone)
            if not self.dry_run:
                sources.set_state(db, source, state)

    def _take_out(self, db: Transaction, rows: Sequence[tuple[int, str, int | None]]) -> None:
        """Retracts what earlier readers packed of sessions that were read now."""
        at = to_iso(self.clock())
        for row, _, memory_id in rows:
            memory = None if memory_id is None else memories.get(db, memory_id)
            if (
                memory is None
                or memory.pinned
                or memory.retracted_at is not None
                or memory.superseded_by is not None
                or sources.in_other_rows(db, memory.id, [row])
            ):
                continue
            self.counts["retracted"] += 1
            if not self.dry_run:
                sources.forget(db, row)
                lineage.change(db, memory, at, "retract", REREAD, retracted_at=at)

    def _relate(
        self,
        db: Transaction,
        form: Format,
        rows: Sequence[tuple[int, str, int | None]],
        gone: Sequence[tuple[int, str, int | None]],
    ) -> None:
        at = to_iso(self.clock())
        of_key = Counter(row[1] for row in gone)
        fresh = sum(self.fresh.values())
        stayed = len(self.seen) - (0 if self.dry_run else fresh)
        # Of a list without ids, line n stands for line n only where the list is the same one.
        same_list = form.state or stayed > 0 or len(gone) == fresh
        for row in gone:
            key = row[1]
            one_for_one = of_key[key] == 1 and self.fresh[key] == 1 and same_list
            if one_for_one and self.dry_run:
                self.counts["superseded"] += 1
                self.counts["added"] -= 1
            elif one_for_one:
                heirs = [r for r in rows if r[1] == key and r[0] in self.seen and r[0] > row[0]]
                if heirs and heirs[-1][2] and self._replace(db, form, row, heirs[-1][2], at):
                    self.counts["superseded"] += 1
                    self.counts["added"] -= 1
            elif form.state and self._end(db, row, at, [r[0] for r in gone]):
                self.counts["expired"] += 1

    def _replace(
        self,
        db: Transaction,
        form: Format,
        old: tuple[int, str, int | None],
        new_id: int,
        at: str,
    ) -> bool:
        """Lets a new record take over from the one of an old row, unless somebody was faster."""
        row, _, old_id = old
        if old_id is None:
            return False  # erased by a person: the row stays, so that it does not come back
        sources.forget(db, row)
        before = None if old_id == new_id else memories.get(db, old_id)
        after = memories.get(db, new_id)
        if before is None or after is None or sources.in_other_rows(db, before.id, [row]):
            return False
        if form.chat or after.kind == EPISODE:
            if before.retracted_at is None and before.superseded_by is None:
                if after.supersedes is None:
                    lineage.correct(db, before, after, at, CHANGED)
                else:
                    lineage.change(db, before, at, "retract", CHANGED, retracted_at=at)
            return True
        begins = before.valid_from or ""
        told = after.valid_from if after.valid_from != after.recorded_at else None
        instant = next((t for t in (told, at) if t is not None and t > begins), None)
        if instant is None:
            instant = to_iso(from_iso(begins) + timedelta(milliseconds=1))
        try:
            lineage.link(db, before, after, instant, at, CHANGED)
        except BrainError:
            return self._end(db, old, at, [row])
        return True

    def _end(
        self,
        db: Transaction,
        row: tuple[int, str, int | None],
        at: str,
        gone: Sequence[int],
    ) -> bool:
        """Ends a record whose source no longer has it; a pinned one and another's stay."""
        number, _, memory_id = row
        if memory_id is None:
            return False
        memory = memories.get(db, memory_id)
        current = (
            memory is not None
            and memory.superseded_by is None
            and memory.retracted_at is None
            and (memory.valid_to is None or memory.valid_to > at)
            and not memory.pinned
            and not sources.in_other_rows(db, memory_id, gone)
        )
        if self.dry_run:
            return current
        sources.forget(db, number)
        if memory is None or not current:
            return False
        end = at
        if memory.valid_from is not None and memory.valid_from >= at:
            end = to_iso(from_iso(memory.valid_from) + timedelta(milliseconds=1))
        lineage.change(db, memory, at, "expire", GONE, valid_to=end)
        return True

    # Hermes ------------------------------------------------------------------------------------

    def _take_hermes(
        self,
        part: Part,
        each: File,
        source: int | None,
        every_session: bool,
        progress: Progress | None,
    ) -> None:
        """Takes in the messages beyond the last run's, and takes back what was rewound."""
        state: dict[str, object] = {}
        if source is not None:
            with self.store.read() as db:
                found = sources.state(db, source).get(each.name)
            state = found if isinstance(found, dict) else {}
        cursor = state.get("cursor")
        after = cursor if isinstance(cursor, int) else 0
        if after and hermes_db.mark(each.path, after) != state.get("mark"):
            after = 0  # another file has taken the place of the one that was read
        if bool(state.get("every_session")) != every_session:
            after = 0
        if after and source is not None:
            self._take_back(part, each, source, after)
        new = hermes.head(each.path, after, every_session=every_session)
        begun = self._begun(source, new) if after and source is not None else set()
        if after and source is not None:
            self._reopen(each, source, new)
        total = new.count
        if after and total == 0:
            self._pass_over(part, source, [each])
        self._take_all(
            part,
            source,
            self._reported(self._packed(hermes.read(each.path, new, begun)), progress, 0, total),
        )
        if self.dry_run or source is None:
            return
        with self.store.write() as db:
            kept = sources.state(db, source)
            kept[each.name] = {
                "cursor": new.newest,
                "mark": hermes_db.mark(each.path, new.newest) if new.newest else None,
                "every_session": every_session,
            }
            sources.set_state(db, source, kept)

    def _begun(self, source: int, new: hermes.Head) -> set[str]:
        """The sessions of which an earlier run has read the beginning."""
        with self.store.read() as db:
            return {s for s in new.sessions if sources.last_of(db, source, group_key(s))}

    def _reopen(self, each: File, source: int, new: hermes.Head) -> None:
        """Puts an exchange's beginning before its end where the last run came between them."""
        for session, ids in new.sessions.items():
            if hermes_db.role_of(each.path, ids[0]) != "assistant":
                continue
            with self.store.read() as db:
                last = sources.last_of(db, source, group_key(session))
            if last is not None:
                earlier = hermes_db.ids_between(each.path, session, last[1], ids[0] - 1)
                ids[:0] = array("q", earlier)

    def _take_back(self, part: Part, each: File, source: int, upto: int) -> None:
        """Retracts episodes with turns the user rewound; what is left of them is packed anew."""
        stale: dict[int, tuple[int, str, int, int]] = {}
        with self.store.read() as db:
            for message, session in hermes_db.rewound(each.path, upto):
                for row, memory_id, first, last in sources.covering(
                    db, source, group_key(session), message
                ):
                    memory = memories.get(db, memory_id)
                    if memory is not None and _holds(memory.evidence, message):
                        stale[row] = (memory_id, session, first, last)
        if self.dry_run:
            self.counts["retracted"] += len(stale)
            return
        for row, (memory_id, session, first, last) in stale.items():
            at = to_iso(self.clock())
            with self.store.write() as db:
                sources.forget(db, row)
                memory = memories.get(db, memory_id)
                told = sources.in_other_rows(db, memory_id, [row])
                if memory is not None and memory.retracted_at is None and not told:
                    lineage.change(db, memory, at, "retract", REWOUND, retracted_at=at)
                    self.counts["retracted"] += 1
            again = hermes.one_session(each.path, session, first, last)
            self._take_all(part, source, self._packed(again))


def _passages(record: Record) -> list[Span]:
    """What of a record gets a vector of its own."""
    return turn_passages(record.text) if record.kind == EPISODE else passages(record.text)


def _without_erased(entry: Entry, end: int) -> Draft:
    """A session's entry without the turns that were erased, up to ``end`` in its text."""
    draft = entry.draft
    return replace(draft, text=draft.text[end:].lstrip("\n")) if end else draft


_MOMENT = re.compile(
    rb'"(?:timestamp|startTime|createdAt|created_at)" ?: ?(?:"([^"]{8,40})"|(\d{9,14}))'
)


def _first_moment(each: File) -> tuple[float, str]:
    """When what a transcript tells began: of copied sessions the first comes first.

    Read off its beginning; of files that do not say, or cannot be read, their names decide.
    """
    with suppress(OSError, BrainError), binary(each.path) as (f, _):
        found = _MOMENT.search(f.read(65536))
        if found is not None:
            when = since(found[1].decode() if found[1] else int(found[2]))
            if isinstance(when, datetime):
                return when.timestamp(), each.name
    return float("inf"), each.name


def _holds(evidence: str, message: int) -> bool:
    """Whether an episode was made of a message, among others."""
    with suppress(ValueError, AttributeError):
        told = json.loads(evidence)
        if "messages_count" not in told:
            return message in told["messages"]
    return True


def _size(each: File) -> int:
    stat = _stat(each)
    return stat[0] if stat else 0


def _stat(each: File) -> list[int] | None:
    try:
        info = each.path.stat()
    except OSError:
        return None
    return [info.st_size, info.st_mtime_ns]
