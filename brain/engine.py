"""Brain: the one object every face talks to.

One ``Brain`` is one memory file. It checks and completes what it is given, embeds outside any
lock, and runs each write as one transaction that holds the record, its index rows and its vectors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from brain import memory as m
from brain.care import decay, feedback, reembedding
from brain.ccr import handles, narrow, originals
from brain.errors import EXIT_CONFIG, EXIT_NO, EXIT_NO_INPUT, EXIT_UNAVAILABLE, BrainError
from brain.exchange.outcome import ExportResult, ImportResult
from brain.inject import brief as briefing
from brain.inject import pack
from brain.recall import duplicates, explain, gate, question, search
from brain.recall.search import Ranked, Source
from brain.results import (
    BackupResult,
    CompressResult,
    CorrectResult,
    DecayResult,
    DoctorResult,
    ForgetResult,
    History,
    IngestResult,
    InitResult,
    OptimizeResult,
    OwnWord,
    Recovered,
    RestoreResult,
    ScopeCount,
    Stats,
    SupersedeResult,
)
from brain.store import file, folder, journal, memories, meta, terms, uses, vectors
from brain.store.view import Shown, View
from brain.text import likeness, secrets, sentences, suspect, words
from brain.text.fold import fold, simplify
from brain.text.times import now_utc, parse_time, to_iso
from brain.time import forgetting, history, lineage, replay

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder

INJECT_POOL = 5
"""How many hits ``inject`` considers: as many as ``recall`` shows when nothing else is asked."""

SKILL_PLACES = 2
"""Places of their own that skills have, beside the k hits."""

MAX_K = 1000
MAX_LIMIT = 1_000_000_000

When = str | datetime | None
Progress = Callable[[int, int], None]
StagedProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class _Found:
    """What one look at the file gave: hits, skills, the gate's answer, what could not take part."""

    hits: tuple[m.Hit, ...]
    skills: tuple[m.Hit, ...]
    decision: m.Gate
    degraded: tuple[str, ...]
    terms: tuple[str, ...]


def default_path() -> Path:
    """``BRAIN_DB``, else ``~/.brain/brain.db``."""
    given = os.environ.get("BRAIN_DB")
    return Path(given).expanduser() if given else Path.home() / ".brain" / "brain.db"


class Brain:
    """A memory file, opened. Use :meth:`open`; one object may be used from several threads."""

    def __init__(
        self,
        store: file.Store,
        embedder: Embedder | None,
        model: str | None,
        patience: float | None = None,
    ) -> None:
        self._store = store
        self._asked_model = model
        self._embedder = embedder
        self._given = embedder is not None
        self._embedder_lock = Lock()
        self._missing_model: str | None = None
        self._patience = patience
        self._loading: Thread | None = None
        self._loading_lock = Lock()

    # Opening ------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        model: str | Embedder | None = None,
        read_only: bool = False,
        checked: bool = True,
        patience: float | None = None,
    ) -> Brain:
        """Opens a memory file; a missing one reads as empty and is made by the first write.

        Args:
            path: the file; None for ``BRAIN_DB`` or ``~/.brain/brain.db``.
            model: a model's name (``'none'`` for no model) or an Embedder, used when the file is
                made and held against what an existing file says; None takes what the file says.
            read_only: refuse every write.
            checked: False takes whatever is at the path, for :meth:`doctor` and
                :meth:`restore_backup`, which say or replace what is wrong with it.
            patience: seconds a question waits for the model to be loaded; beyond them words alone
                answer, marked ``timeout``. None is as long as it takes.

        Raises:
            BrainError: for a path that cannot be a memory file (65–78, see docs/cli.md), and
                ``brain_model_mismatch`` (78) when the file was made with another model.
        """
        where = Path(path).expanduser() if path is not None else default_path()
        store = file.Store(where, read_only=read_only)
        embedder = None if model is None or isinstance(model, str) else model
        name = model if isinstance(model, str) else (embedder.name if embedder else None)
        brain = cls(store, embedder, name, patience)
        if checked and store.exists():
            brain._refuse_other_model()
        return brain

    @classmethod
    def create(cls, path: str | Path | None = None, *, model: str | None = None) -> InitResult:
        """Makes a memory file and settles its model; an existing file is left as it is.

        Args:
            model: a model's name, ``'none'``, or None for ``BRAIN_MODEL``, else the best one on
                this machine.
        """
        with cls.open(path) as brain:
            existed = brain._store.exists()
            facts = brain._facts()
            if meta.MODEL not in facts:
                name = brain._choose(model)
                brain._asked_model = name or "none"
                brain._settle_model()
                facts = brain._facts()
            hint = brain.warning
            if not existed and model is None and facts.get(meta.MODEL) != "bge-small-zh":
                hint += "\n" * bool(hint) + (
                    "想用中文模型 bge-small-zh（512 维）：先 brain model fetch bge-small-zh，"
                    "再 brain reembed --model bge-small-zh。"
                )
            return InitResult(
                str(brain.path),
                facts.get(meta.MODEL) or None,
                facts.get(meta.DIM),
                not existed,
                hint,
            )

    @property
    def path(self) -> Path:
        """Where the file is, or will be."""
        return self._store.path

    @property
    def warning(self) -> str:
        """A Chinese line for the person about the place of a file this object has made, or ''."""
        return folder.warning(self.path.absolute().parent) if self._store.made else ""

    def close(self) -> None:
        """Closes the file's connections; what other threads read now may end in an error."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # The model ----------------------------------------------------------------------------

    def _facts(self) -> dict[str, Any]:
        with self._store.read() as db:
            return file.facts(db)

    def _refuse_other_model(self) -> None:
        if self._asked_model is None:
            return
        facts = self._facts()
        recorded = facts.get(meta.MODEL) or "none"
        if meta.MODEL in facts and recorded != self._asked_model:
            raise BrainError(
                "brain_model_mismatch",
                f"这个记忆文件用的是模型 {recorded}，不能和 {self._asked_model} 混用；"
                f"要换模型请运行 brain reembed --model {self._asked_model}。",
                EXIT_CONFIG,
            )

    @staticmethod
    def _choose(model: str | None) -> str | None:
        """The model's name for a new file; None for no model."""
        from brain.embed import models

        name = model or os.environ.get("BRAIN_MODEL") or models.default_name()
        return None if name == "none" else name

    def _settle_model(self) -> None:
        """Records the model in a file that has none recorded yet, and makes its vector table."""
        if meta.MODEL in self._facts():
            return
        embedder = self._embedder
        if embedder is None:
            name = self._choose(self._asked_model)
            if name is not None:
                from brain.embed import models

                embedder = models.open_embedder(name)
        with self._store.write() as db:
            if meta.MODEL in meta.read(db):
                return
            if embedder is None:
                meta.put(db, **{meta.MODEL: ""})
                return
            if not self._store.vectors_loaded:
                raise BrainError(
                    "brain_vec_missing",
                    "这台机器加载不了 sqlite-vec 扩展；可用 --model none 只做词法检索。",
                    EXIT_UNAVAILABLE,
                )
            table = "vectors_1"
            vectors.create_table(db, table, embedder.dim)
            meta.put(db, **{meta.MODEL: embedder.name, meta.DIM: embedder.dim, meta.VECTORS: table})
        self._embedder = embedder

    def _load_embedder(self, facts: dict[str, Any]) -> Embedder | None:
        """The file's embedder, or None where it cannot be had; loaded once for each model."""
        name = facts.get(meta.MODEL)
        if not name or not self._store.vectors_loaded or facts.get(meta.VECTORS) is None:
            return None
        with self._embedder_lock:
            if self._embedder is not None and self._embedder.name != name and not self._given:
                # Another process has re-embedded the file.
                self._embedder = None
            if self._embedder is None and self._missing_model != name:
                from brain.embed import models

                try:
                    self._embedder = models.open_embedder(name)
                except BrainError:
                    self._missing_model = name
            if self._embedder is not None and (
                self._embedder.name != name or self._embedder.dim != facts.get(meta.DIM)
            ):
                return None
            return self._embedder

    def warm(self) -> None:
        """Loads the file's model now, so that the first question need not wait for it."""
        if self._store.exists():
            self._load_embedder(self._facts())

    def _within_patience(self, facts: dict[str, Any]) -> bool:
        """Whether the model is there, or was loaded in the seconds a question waits for it."""
        name = facts.get(meta.MODEL)
        here = self._embedder is not None and self._embedder.name == name
        if self._patience is None or not name or here or self._given:
            return True
        with self._loading_lock:
            if self._loading is None or not self._loading.is_alive():
                if self._missing_model == name:
                    return True
                self._loading = Thread(target=self._load_embedder, args=(facts,), daemon=True)
                self._loading.start()
            loading = self._loading
        loading.join(self._patience)
        return not loading.is_alive()

    def degraded(self) -> tuple[str, ...]:
        """Codes of what cannot take part in recall: see docs/cli.md. Loads the model."""
        if not self._store.exists():
            return ()
        facts = self._facts()
        return self._degraded(facts, self._load_embedder(facts))

    def _degraded_unloaded(self, facts: dict[str, Any]) -> tuple[str, ...]:
        """As :meth:`degraded`, judged without loading a model only to look."""
        from brain.embed import models

        name = facts.get(meta.MODEL)
        if self._embedder is not None or not name or not self._store.vectors_loaded:
            return self._degraded(facts, self._load_embedder(facts))
        if not models.is_available(name):
            return ("no_model",)
        return () if models.info(name).dim == facts.get(meta.DIM) else ("model_mismatch",)

    def _degraded(self, facts: dict[str, Any], embedder: Embedder | None) -> tuple[str, ...]:
        if not facts.get(meta.MODEL):
            return ()
        if not self._store.vectors_loaded:
            return ("no_vec",)
        if embedder is None:
            wrong = self._embedder is not None
            return ("model_mismatch",) if wrong else ("no_model",)
        return ()

    # Writing ------------------------------------------------------------------------------

    def add(
        self,
        text: str,
        *,
        kind: str = m.DEFAULT_KIND,
        importance: float = m.DEFAULT_IMPORTANCE,
        confidence: float | None = None,
        scope: str = "",
        source: str = m.DEFAULT_SOURCE,
        valid_from: When = None,
        valid_to: When = None,
        pinned: bool = False,
        evidence: str = "",
        why: str = "",
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> m.AddResult:
        """Stores one memory; what it only repeats gives the old id back.

        That is the same text, kind and scope as a current record's, as one planned for the same
        future, or as one with the very ``valid_from`` given, though it may have ended since.

        Args:
            text: kept byte for byte; at most 256 KiB of UTF-8.
            importance, confidence: in [0, 1]; confidence None is taken from the source.
            valid_from, valid_to: when it holds in the world, half open; None is now and for ever,
                ``'unknown'`` as valid_from is since always.
            why: kept in the journal.
            allow_secrets: store it though it holds a key, a password, a card or identity number.
            now: the instant of recording; None is the clock.

        Raises:
            BrainError: 65 for data that is refused (``brain_secret`` among it), 73–75 when it
                cannot be written.
        """
        draft = m.Draft(
            text,
            kind,
            scope,
            source,
            importance,
            confidence,
            valid_from,
            valid_to,
            pinned,
            evidence,
        )
        result = self._add([draft], why, now, allow_secrets)[0]
        if not result.created:
            return result
        return replace(result, similar=self._similar(self.get(result.id, reveal=True)))

    def _similar(self, memory: m.Memory) -> tuple[m.Similar, ...]:
        """Current records of the same scope that say nearly what a new one says."""
        asked = question.for_comparison(memory.text[: likeness.LONGEST], now_utc())
        view = View(as_of=to_iso(now_utc()), scopes=(memory.scope,))
        with self._store.read() as db:
            facts = file.facts(db)
            table = facts.get(meta.VECTORS) if self._store.vectors_loaded else None
            found = search.alike(db, table, asked, memory, view)
        return duplicates.similar(memory.text, found)

    def add_many(
        self,
        drafts: Iterable[m.Draft],
        *,
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> list[m.AddResult]:
        """Stores a batch in one transaction: all of it or, on an error, nothing."""
        return self._add(list(drafts), "", now, allow_secrets)

    def _add(
        self,
        drafts: Sequence[m.Draft],
        why: str,
        now: datetime | None,
        allow_secrets: bool,
    ) -> list[m.AddResult]:
        at = now or now_utc()
        secrets.refuse(why, "原因")
        records = [self._record(draft, at, allow_secrets) for draft in drafts]
        self._settle_model()
        embedder = self._load_embedder(self._facts())
        prepared = [self._embed(r.text, embedder) for r in records]
        out: list[m.AddResult] = []
        stored: list[m.Memory] = []
        with self._store.write() as db:
            table = _table_for(db, embedder)
            # Another process may have stored the same after our clock was read.
            seen = to_iso(now or now_utc())
            for record, (spans, found) in zip(records, prepared, strict=True):
                same = lineage.told_already(db, record, seen)
                if same is not None:
                    out.append(m.AddResult(same.id, False))
                    continue
                new = self._insert(db, table, record, spans, found, why, index=False)
                stored.append(new)
                out.append(m.AddResult(new.id, True))
            # All at the end: each statement on another table makes FTS5 write what it has gathered.
            for memory in stored:
                terms.add(db, memory.id, memory.text, memories.ensure_scope(db, memory.scope))
        return out

    @staticmethod
    def _insert(
        db: apsw.Connection,
        table: str | None,
        record: memories.Record,
        spans: Sequence[tuple[int, int]],
        found: NDArray[np.float32] | None,
        why: str,
        *,
        index: bool = True,
    ) -> m.Memory:
        """Stores a record with all that belongs to it; ``index`` False leaves the words out."""
        scope_id = memories.ensure_scope(db, record.scope)
        memory_id = memories.insert(db, record)
        if index:
            terms.add(db, memory_id, record.text, scope_id)
        passages = memories.add_passages(db, memory_id, spans)
        memory = memories.of(record, memory_id)
        if table is not None and found is not None:
            vectors.add(db, table, passages, found, memory, scope_id)
        journal.write(db, record.recorded_at, memory_id, "add", why)
        return memory

    @staticmethod
    def _record(draft: m.Draft, now: datetime, allow_secrets: bool = False) -> memories.Record:
        """Checks a draft and fills in what it leaves open."""
        text = _storable(draft.text, allow_secrets)
        if not allow_secrets:
            secrets.refuse(draft.evidence, "依据", _ALLOWED)
        source = _label(draft.source, allow_secrets)
        confidence = draft.confidence
        if confidence is None:
            confidence = m.default_confidence(source)
        at = to_iso(now)
        valid_from: str | None = at
        if draft.valid_from == "unknown":
            valid_from = None
        elif draft.valid_from is not None:
            valid_from = parse_time(draft.valid_from, now=now)
        valid_to = None if draft.valid_to is None else parse_time(draft.valid_to, now=now)
        if valid_to is not None and valid_from is not None and valid_to <= valid_from:
            raise BrainError(
                "brain_valid_range",
                f"有效期的结束（{valid_to}）必须晚于开始（{valid_from}）。",
            )
        return memories.Record(
            text=text,
            kind=m.check_kind(draft.kind),
            scope=m.check_label(draft.scope, "范围", "brain_scope_invalid"),
            source=source,
            importance=m.check_unit(draft.importance, "重要度", "brain_importance_invalid"),
            confidence=m.check_unit(confidence, "置信度", "brain_confidence_invalid"),
            pinned=draft.pinned,
            valid_from=valid_from,
            valid_to=valid_to,
            recorded_at=at,
            evidence=m.check_evidence(draft.evidence),
        )

    @staticmethod
    def _embed(
        text: str, embedder: Embedder | None
    ) -> tuple[list[tuple[int, int]], NDArray[np.float32] | None]:
        """A text's passages and, with an embedder that works, a vector for each."""
        spans = sentences.passages(text)
        if embedder is None:
            return spans, None
        try:
            return spans, embedder.embed_documents([simplify(text[a:b]) for a, b in spans])
        except Exception:  # whatever a native library raises: the words are kept, vectors pend
            return spans, None

    def ingest(
        self,
        path: str | Path,
        format: str | None = None,
        *,
        scope: str = "",
        every_session: bool = False,
        dry_run: bool = False,
        embed: bool = True,
        progress: StagedProgress | None = None,
        now: datetime | None = None,
    ) -> IngestResult:
        """Takes in another program's memories or conversations; again: only what is new.

        The text is stored first and can be found by its words at once; then what has no vector
        gets one. Either may be broken off: the next run, or :meth:`reembed`, goes on there.

        Args:
            path: a file or folder; see docs/formats.md.
            format: a format's name; None to tell by the content.
            scope: for entries that name none themselves.
            every_session: of Hermes also the sessions that tools and timers held.
            dry_run: write nothing; the result shows what would come.
            embed: make the vectors in this run.
            progress: called with (stage, done, total); the stage is ``read`` or ``embed``.

        Raises:
            BrainError: ``brain_ingest_…`` for what cannot be read: see docs/cli.md.
        """
        from brain.ingest import intake  # the readers, which no other verb needs

        m.check_label(scope, "范围", "brain_scope_invalid")
        if not dry_run:
            self._settle_model()
        done = intake.run(
            self._store,
            Path(path).expanduser(),
            format,
            scope,
            self._record,
            self._keep,
            every_session=every_session,
            dry_run=dry_run,
            progress=progress,
            now=now,
        )
        if dry_run:
            return done
        _, pending = self._complete_vectors(progress, later=not embed)
        return replace(done, pending=pending)

    @classmethod
    def _keep(
        cls, db: apsw.Connection, record: memories.Record, spans: Sequence[tuple[int, int]]
    ) -> tuple[int, bool]:
        """Stores a record whose words and vectors are to follow, or finds the one that says it."""
        # Another process may have stored the same after the record's clock was read.
        seen = max(record.recorded_at, to_iso(now_utc()))
        same = lineage.told_already(db, record, seen)
        if same is not None:
            return same.id, False
        return cls._insert(db, None, record, spans, None, "", index=False).id, True

    def supersede(
        self,
        old: int | str,
        new: int | str | None = None,
        *,
        text: str | None = None,
        at: When = None,
        source: str = m.DEFAULT_SOURCE,
        why: str = "",
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> SupersedeResult:
        """The world changed: ``new`` (or a record made from ``text``) holds from ``at`` on.

        Where a record beside the old one already says ``text``, that one takes over. Repeating a
        call that was done gives the same result and changes nothing.

        Args:
            at: the instant of the change; None is the new record's own explicit valid_from, else
                now.
            source: of a record made from ``text``; its confidence follows from it.
            allow_secrets: as for :meth:`add`.

        Raises:
            BrainError: ``brain_usage`` (2) unless exactly one of new and text is given; those of
                :func:`brain.time.lineage.link` (65); ``brain_not_found`` (1).
        """
        if (new is None) == (text is None):
            raise BrainError("brain_usage", "supersede 需要新编号或 --text，二者给一个。", 2)
        moment = now or now_utc()
        old_id = m.parse_id(old)
        self._require_file(old_id)
        given = None if at is None else parse_time(at, now=moment)
        if text is not None:
            return self._supersede_with_text(
                old_id, text, given, source, why, moment, allow_secrets
            )
        new_id = m.parse_id(new if new is not None else "")
        with self._store.write() as db:
            before = lineage.require(db, old_id)
            after = lineage.require(db, new_id)
            if before.superseded_by == new_id and not lineage.was_corrected(before, after):
                lineage.require_same_instant(after, given)
                return SupersedeResult(old_id, new_id, str(after.valid_from))
            instant = lineage.take_over(db, before, after, given, to_iso(moment), why)
        return SupersedeResult(old_id, new_id, instant)

    def _supersede_with_text(
        self,
        old_id: int,
        text: str,
        given: str | None,
        source: str,
        why: str,
        moment: datetime,
        allow_secrets: bool,
    ) -> SupersedeResult:
        label = _label(source, allow_secrets)
        embedder = self._load_embedder(self._facts())
        spans, found = self._embed(_storable(text, allow_secrets), embedder)
        at = to_iso(moment)
        with self._store.write() as db:
            table = _table_for(db, embedder)
            before = lineage.require(db, old_id)
            heir = lineage.heir(db, before, text, corrected=False)
            if heir is not None:
                lineage.require_same_instant(heir, given)
                return SupersedeResult(old_id, heir.id, str(heir.valid_from))
            lineage.require_replaceable(before, text)
            after = lineage.twin(db, before, text, at)
            if after is not None:
                instant = lineage.take_over(db, before, after, given, at, why)
                return SupersedeResult(old_id, after.id, instant)
            record = lineage.replacement(before, text, label, at, valid_from=at)
            new = self._insert(db, table, record, spans, found, why)
            lineage.link(db, before, new, given or at, at, why)
        return SupersedeResult(old_id, new.id, given or at)

    def correct(
        self,
        old: int | str,
        text: str,
        *,
        source: str = m.DEFAULT_SOURCE,
        why: str = "",
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> CorrectResult:
        """We were wrong: a record made from ``text`` stands for all of the old one's valid time.

        It has the old one's kind, scope, importance and pin, and the confidence of its source. The
        old one is retracted. Where a record beside it already says ``text``, that one takes over
        and holds for its own time and the old one's. Repeating a call that was done gives the same
        result and changes nothing.

        Args:
            allow_secrets: as for :meth:`add`.

        Raises:
            BrainError: ``brain_not_found`` (1); ``brain_not_current``, ``brain_supersede_same``
                and those of :meth:`add` (65).
        """
        moment = now or now_utc()
        old_id = m.parse_id(old)
        self._require_file(old_id)
        label = _label(source, allow_secrets)
        embedder = self._load_embedder(self._facts())
        spans, found = self._embed(_storable(text, allow_secrets), embedder)
        at = to_iso(moment)
        with self._store.write() as db:
            table = _table_for(db, embedder)
            before = lineage.require(db, old_id)
            heir = lineage.heir(db, before, text, corrected=True)
            if heir is not None:
                return CorrectResult(old_id, heir.id)
            lineage.require_replaceable(before, text)
            new = lineage.twin(db, before, text, at)
            if new is None:
                record = lineage.replacement(before, text, label, at, valid_from=before.valid_from)
                new = self._insert(db, table, record, spans, found, why)
            lineage.correct(db, before, new, at, why)
        return CorrectResult(old_id, new.id)

    def expire(
        self,
        memory_id: int | str,
        *,
        at: When = None,
        why: str = "",
        force: bool = False,
        now: datetime | None = None,
    ) -> m.Memory:
        """It holds no longer from ``at`` (None: now) on; a future instant keeps it until then.

        What is over already stays as it is unless ``at`` is given.

        Args:
            force: do it to a pinned record as well.

        Raises:
            BrainError: ``brain_not_found`` (1); ``brain_pinned``, ``brain_not_current`` for one
                that was replaced, ``brain_valid_range`` (65).
        """
        moment = now or now_utc()
        instant = to_iso(moment) if at is None else parse_time(at, now=moment)
        self._require_file(memory_id)
        with self._store.write() as db:
            memory = lineage.require(db, m.parse_id(memory_id))
            lineage.require_unpinned(memory, "到期", force)
            if memory.superseded_by is not None:
                lineage.require_current(memory)
            if at is None and memory.valid_to is not None and memory.valid_to <= instant:
                return _discreet(memory)
            if memory.valid_from is not None and instant <= memory.valid_from:
                raise BrainError(
                    "brain_valid_range",
                    f"结束的时刻（{instant}）必须晚于 #{memory.id} 开始的时刻"
                    f"（{memory.valid_from}）。",
                )
            return _discreet(
                lineage.change(db, memory, to_iso(moment), "expire", why, valid_to=instant)
            )

    def retract(
        self,
        memory_id: int | str,
        *,
        why: str = "",
        force: bool = False,
        now: datetime | None = None,
    ) -> m.Memory:
        """We do not believe it any more; :meth:`restore` undoes that. Twice changes nothing.

        Args:
            force: do it to a pinned record as well.

        Raises:
            BrainError: ``brain_not_found`` (1), ``brain_pinned`` (65).
        """
        self._require_file(memory_id)
        with self._store.write() as db:
            memory = lineage.require(db, m.parse_id(memory_id))
            if memory.retracted_at is not None:
                return _discreet(memory)
            lineage.require_unpinned(memory, "撤回", force)
            at = to_iso(now or now_utc())
            return _discreet(lineage.change(db, memory, at, "retract", why, retracted_at=at))

    def restore(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Takes a retracted or archived record back; its valid time stays as it is.

        Raises:
            BrainError: ``brain_not_found`` (1), those of :func:`brain.time.lineage.restore` (65).
        """
        self._require_file(memory_id)
        with self._store.write() as db:
            memory = lineage.require(db, m.parse_id(memory_id))
            return _discreet(lineage.restore(db, memory, to_iso(now or now_utc()), why))

    def forget(
        self,
        memory_id: int | str,
        *,
        force: bool = False,
        why: str = "",
        now: datetime | None = None,
    ) -> ForgetResult:
        """Erases a record for good: text, index rows, vectors, recovery copies, reasons noted.

        Args:
            force: do it to a pinned record as well.

        Raises:
            BrainError: those of :func:`brain.time.forgetting.erase`; ``brain_wal_pending`` (75)
                when it is erased but the log still holds it, then the same call again finishes;
                ``brain_forget_incomplete`` (74).
        """
        number = m.parse_id(memory_id)
        self._require_file(number)
        with self._store.write() as db:
            erased = forgetting.erase(db, number, to_iso(now or now_utc()), why, force)
        with suppress(OSError):  # the log of uses holds ids alone
            uses.forget(self.path, number)
        self._store.finish_erasing()
        with self._store.read() as db:
            forgetting.verify(db, self.path, erased.text)
        return ForgetResult(number, erased.words)

    def pin(self, memory_id: int | str, *, why: str = "", now: datetime | None = None) -> m.Memory:
        """Keeps it from being archived, expired, retracted or forgotten without force."""
        return self._set(memory_id, "pin", why, now, pinned=True)

    def unpin(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Undoes :meth:`pin`."""
        return self._set(memory_id, "unpin", why, now, pinned=False)

    def _require_file(self, memory_id: int | str) -> None:
        """Only ``add`` and ``create`` make a file; without one, no record is there to change."""
        if not self._store.exists():
            number = m.parse_id(memory_id)
            raise BrainError("brain_not_found", f"没有编号为 #{number} 的记忆。", EXIT_NO)

    def set_confidence(
        self, memory_id: int | str, value: float, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """How likely it is true, in [0, 1]. Raises ``brain_not_found``, ``brain_confidence_…``."""
        checked = m.check_unit(value, "置信度", "brain_confidence_invalid")
        return self._set(memory_id, "confidence", why, now, confidence=checked)

    def set_importance(
        self, memory_id: int | str, value: float, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """How much it matters, in [0, 1]. Raises ``brain_not_found``, ``brain_importance_…``."""
        checked = m.check_unit(value, "重要度", "brain_importance_invalid")
        return self._set(memory_id, "importance", why, now, importance=checked)

    def _set(
        self, memory_id: int | str, what: str, why: str, now: datetime | None, **values: object
    ) -> m.Memory:
        """One record with one thing about it set; the same value again changes nothing."""
        self._require_file(memory_id)
        with self._store.write() as db:
            memory = lineage.require(db, m.parse_id(memory_id))
            at = to_iso(now or now_utc())
            return _discreet(lineage.change(db, memory, at, what, why, **values))

    def useful(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Somebody says it was useful: stronger and a little surer (:mod:`brain.care.feedback`).

        Raises:
            BrainError: ``brain_not_found`` (1), ``brain_id_invalid``, ``brain_why_invalid`` (65).
        """
        return self._feedback(memory_id, "useful", why, now)

    def wrong(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Somebody says it is wrong: weaker and less sure, never gone. Raises as :meth:`useful`."""
        return self._feedback(memory_id, "wrong", why, now)

    def _feedback(
        self, memory_id: int | str, what: str, why: str, now: datetime | None
    ) -> m.Memory:
        m.check_why(why)
        self._require_file(memory_id)
        with self._store.write() as db:
            after = feedback.give(db, m.parse_id(memory_id), what, to_iso(now or now_utc()), why)
        return _discreet(after)

    # Reading ------------------------------------------------------------------------------

    def get(self, memory_id: int | str, *, reveal: bool = False) -> m.Memory:
        """One record by id, whatever its state.

        Args:
            reveal: show the text as it is stored; otherwise secrets in it are masked.

        Raises:
            BrainError: ``brain_not_found`` (1).
        """
        with self._store.read() as db:
            found = lineage.require(db, m.parse_id(memory_id))
        return found if reveal else _discreet(found)

    def history(self, memory_id: int | str) -> History:
        """What replaced what, oldest first, for any record of the line, and what happened when.

        Raises:
            BrainError: ``brain_not_found`` (1), ``brain_lineage_broken`` (74).
        """
        with self._store.read() as db:
            found = history.of(db, lineage.require(db, m.parse_id(memory_id)))
        return History(
            tuple(map(_discreet, found.history)),
            tuple(replace(event, why=secrets.masked(event.why)) for event in found.events),
        )

    def recover(self, handle: str, query: str | None = None) -> bytes:
        """The exact bytes a recovery handle stands for, or what of them speaks to a question.

        Nothing in them is masked: whoever asks for the original gets it.

        Args:
            handle: with ``#/items/3/name`` behind it, that part of a JSON original.
            query: whole units alone (records, rows, log entries, paragraphs), with markers; the
                whole where none matches or nothing is saved.

        Raises:
            BrainError: ``brain_ccr_handle_invalid``, ``brain_ccr_pointer_invalid`` (65),
                ``brain_ccr_not_found``, ``brain_ccr_pointer_not_found`` (1),
                ``brain_ccr_damaged`` (74).
        """
        return self.recovered(handle, query).data

    def recovered(self, handle: str, query: str | None = None) -> Recovered:
        """As :meth:`recover`, with the handle as it is written and the media type."""
        reference = handles.parse(handle)
        with self._store.read() as db:
            data, content_type = originals.find(db, reference)
        if reference.pointer:
            from brain.ccr import pointer

            data, content_type = pointer.subtree(data, reference.pointer), "application/json"
        if query is not None:
            from brain.ccr import select

            data = select.narrowed(data, self._terms(query), reference.handle)
        return Recovered(reference.handle, content_type, data)

    def compress(
        self, data: bytes | str, query: str | None = None, *, now: datetime | None = None
    ) -> CompressResult:
        """Makes a text shorter by what it holds; the original is kept before the rest goes out.

        Args:
            data: any bytes; those that are no text give a line that says so, with the handle.
            query: what should be kept first.

        Raises:
            BrainError: ``brain_text_surrogate``, ``brain_ccr_budget_exceeded`` (65),
                ``brain_ccr_max_bytes_invalid`` (2), 73-75 where the original cannot be kept. A text
                that stays as it is goes through whatever the store says.
        """
        from brain.ccr import shorten

        raw = m.check_encodable(data) if isinstance(data, str) else bytes(data)
        most = originals.most_bytes()
        made = shorten.document(raw, self._terms(query) if query else ())
        handle: str | None = handles.handle_of(raw)
        try:
            with self._store.write() as db:
                originals.keep(db, made.original(raw, to_iso(now or now_utc())), most)
        except BrainError:
            if not made.whole:
                raise
            handle = None
        return CompressResult(
            made.text, handle, made.tokens_before, made.tokens_after, made.compressor
        )

    def _terms(self, query: str) -> tuple[str, ...]:
        """The gram terms of a question: content, other ways to write it, numbers and dates."""
        asked = self._ask(query, None, None)[0]
        told = [t for t in asked.terms if any(c.isdigit() for c in t)]
        return tuple(dict.fromkeys((*(asked.content or asked.terms), *told, *asked.others)))

    def list(
        self,
        *,
        limit: int | None = 50,
        scope: str = "",
        kind: str | None = None,
        as_of: When = None,
        known_at: When = None,
        archived: bool = False,
        all: bool = False,
        all_scopes: bool = False,
        reveal: bool = False,
        now: datetime | None = None,
    ) -> list[m.Memory]:
        """Records, newest first: the current ones unless asked otherwise.

        Args:
            archived: only archived records.
            as_of: what was true then; None is now.
            known_at: what was believed then, with the field values of then; None is now.
            all: every record of the scopes, whatever its state.
            all_scopes: do not look at the scope.
            reveal: as for :meth:`get`.
        """
        if limit is not None and not 1 <= limit <= MAX_LIMIT:
            raise BrainError("brain_limit_invalid", f"--limit 应在 1 到 {MAX_LIMIT} 之间。", 2)
        view = self._view(scope, kind, as_of, known_at, now, all_scopes=all_scopes)
        with self._store.read() as db:
            if all:
                found = memories.everything(db, view.scopes, kind, limit, view.known_at)
            else:
                view = replay.prepare(db, view.with_archived(archived))
                found = memories.listing(db, view, limit)
            found = replay.records(db, found, view.known_at)
        return found if reveal else [_discreet(memory) for memory in found]

    def _view(
        self,
        scope: str,
        kind: str | None,
        as_of: When,
        known_at: When,
        now: datetime | None,
        *,
        include_expired: bool = False,
        all_scopes: bool = False,
    ) -> View:
        moment = now or now_utc()
        m.check_label(scope, "范围", "brain_scope_invalid")
        return View(
            as_of=to_iso(moment) if as_of is None else parse_time(as_of, now=moment),
            known_at=None if known_at is None else parse_time(known_at, now=moment),
            scopes=None if all_scopes else tuple(dict.fromkeys((scope, ""))),
            kind=None if kind is None else m.check_kind(kind),
            include_expired=include_expired,
        )

    def recall(
        self,
        query: str,
        k: int = 5,
        *,
        scope: str = "",
        kind: str | None = None,
        as_of: When = None,
        known_at: When = None,
        include_expired: bool = False,
        context: str | None = None,
        now: datetime | None = None,
    ) -> m.RecallResult:
        """The k best memories for a query, whatever the gate thinks of them.

        Args:
            scope: seen beside the global scope.
            context: the previous turns, looked at when the query leans on them.

        Raises:
            BrainError: :func:`brain.memory.blank_query` (65), ``brain_k_invalid`` (2).
        """
        asked = self._ask(query, context, now)
        if not asked[0].folded.strip():
            raise m.blank_query(query)
        view = self._view(scope, kind, as_of, known_at, now, include_expired=include_expired)
        _check_k(k)
        found = self._find(asked, view, k, semantic=True)
        decision = found.decision
        return m.RecallResult(
            m.clean_query(query),
            _told(duplicates.mark(found.hits[:k])),
            _told(found.skills),
            decision,
            found.degraded,
            decision.reasons,
        )

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        scope: str = "",
        kind: str | None = None,
        as_of: When = None,
        known_at: When = None,
        include_expired: bool = False,
        now: datetime | None = None,
    ) -> m.RecallResult:
        """As :meth:`recall`, with the lexical lane alone; for looking into why a word misses."""
        asked = self._ask(query, None, now)
        if not asked[0].folded.strip():
            raise m.blank_query(query)
        view = self._view(scope, kind, as_of, known_at, now, include_expired=include_expired)
        _check_k(k)
        found = self._find(asked, view, k, semantic=False)
        held = [h for h in found.hits if "lexical" in h.lanes]
        told = m.clean_query(query)
        return m.RecallResult(told, _told(held[:k]), _told(found.skills), None, found.degraded)

    def explained(self, result: m.RecallResult) -> m.RecallResult:
        """The same result with its matched terms as words; loads the segmenter (0.1 s once).

        The user's own words stay whole.
        """
        own = [" ".join(str(x) for x in (w.word, w.freq, w.tag) if x) for w in self.words()]
        cut = words.content_words(fold(m.clean_query(result.query)), own)
        told = (f"查询切成词：{'、'.join(cut)}。",) if cut else ()
        return replace(
            result,
            hits=tuple(explain.by_words(h, cut) for h in result.hits),
            skills=tuple(explain.by_words(h, cut) for h in result.skills),
            notes=(*told, *result.notes),
        )

    def check(
        self,
        query: str,
        *,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        threshold: float | str | None = None,
        context: str | None = None,
        now: datetime | None = None,
    ) -> m.Gate:
        """Whether this memory can answer a query.

        Args:
            threshold: probability from which the answer is yes, or ``quiet``, ``balanced``,
                ``eager``; None is ``BRAIN_GATE``, else ``balanced``.

        Raises:
            BrainError: ``brain_threshold_invalid`` (65).
        """
        asked = self._ask(query, context, now)
        view = self._view(scope, None, as_of, known_at, now)
        return self._find(asked, view, INJECT_POOL, semantic=True, threshold=threshold).decision

    def inject(
        self,
        query: str,
        *,
        budget: int | None = None,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        context: str | None = None,
        now: datetime | None = None,
    ) -> m.InjectResult:
        """The block for an agent's prompt; '' when the gate says no.

        What is in the block is noted as used, for the next decay, where that can be done at once;
        not when another time is asked about, nor by a read-only Brain.

        Args:
            budget: estimated tokens the block may take; None is 420, 0 is unlimited.

        Raises:
            BrainError: ``brain_budget_invalid`` (2) for a negative budget,
                ``brain_budget_too_small`` (2) below ``pack.LEAST_BUDGET``.
        """
        limit = pack.checked_budget(budget)
        asked = self._ask(query, context, now)
        view = self._view(scope, None, as_of, known_at, now)
        found = self._find(asked, view, INJECT_POOL, semantic=True)
        decision = found.decision
        if not decision.answerable:
            return m.InjectResult("", False, decision.probability, 0, degraded=found.degraded)
        fitting = duplicates.mark([h for h in (*found.hits, *found.skills) if h.id in decision.ids])
        chosen = [h for h in fitting if h.duplicate_of is None]
        # Masked before anything is cut: half a key is a secret still.
        whole = [
            replace(h, text=secrets.masked(h.memory.text), recovery_handle=None) for h in chosen
        ]

        def shortened(hit: m.Hit, room: int, tight: bool) -> str | None:
            handle = handles.handle_of(hit.memory.text.encode("utf-8"))
            if tight:
                return narrow.sentence(hit.text, found.terms, room, handle)
            from brain.ccr import shorten

            return shorten.excerpt(hit.text, found.terms, room, handle)

        block = pack.block(whole, limit, shortened)
        repeated = tuple(
            m.LeftOut(h.id, f"与 #{h.duplicate_of} 说的相同") for h in fitting if h.duplicate_of
        )
        if as_of is None and known_at is None and not self._store.read_only:
            uses.note(self.path, to_iso(now or now_utc()), [h.id for h in block.hits])
        return m.InjectResult(
            block.text,
            bool(block.text),
            decision.probability,
            block.tokens,
            _told(block.hits),
            block.left_out + repeated,
            found.degraded,
            found=len(fitting),
        )

    def _ask(
        self, query: str, context: str | None, now: datetime | None
    ) -> tuple[question.Question, ...]:
        text = m.clean_query(query)
        own: list[str] = []
        if self._store.exists():
            with self._store.read() as db:
                own = [word for word, _, _ in meta.words(db)]
        earlier = m.clean_query(context) if context else ""
        return question.read(text, now or now_utc(), own, earlier)

    def _find(
        self,
        asked: Sequence[question.Question],
        view: View,
        k: int,
        *,
        semantic: bool,
        threshold: float | str | None = None,
    ) -> _Found:
        """Runs the lanes and the gate on one moment of the file.

        A long message is asked as a whole and by its questions; the one best answered counts.
        """
        wanted = gate.checked_threshold(threshold)
        facts = self._facts()
        embedder: Embedder | None = None
        degraded: tuple[str, ...] = ()
        found: list[NDArray[np.float32] | None] = [None] * len(asked)
        if semantic and asked[0].searchable and not asked[0].chitchat:
            if self._within_patience(facts):
                embedder = self._load_embedder(facts)
                degraded = self._degraded(facts, embedder)
            else:
                degraded = ("timeout",)
            if embedder is not None:
                try:
                    found = [embedder.embed_query(simplify(q.text)) for q in asked]
                except Exception:  # whatever a native library raises: words still answer
                    embedder, degraded = None, (*degraded, "no_model")
        with self._store.read() as db:
            facts = file.facts(db)
            if embedder is not None and facts.get(meta.MODEL) != embedder.name:
                # Re-embedded by another process between the two looks.
                embedder, degraded = None, (*degraded, "model_mismatch")
            model = None if embedder is None else embedder.name
            view = replay.prepare(db, view)
            best: _Found | None = None
            for one, vector in zip(asked, found, strict=True):
                source = Source(
                    db,
                    None if embedder is None else vector,
                    facts.get(meta.VECTORS),
                    facts.get(meta.LAST_DECAY),
                    gate.lift(model, one.language),
                )
                look = self._look(source, one, view, k, model, wanted, degraded)
                if best is None or look.decision.probability > best.decision.probability:
                    best = look
        assert best is not None
        return best

    @staticmethod
    def _look(
        source: Source,
        asked: question.Question,
        view: View,
        k: int,
        model: str | None,
        threshold: float | str | None,
        degraded: tuple[str, ...],
    ) -> _Found:
        pool = max(k, INJECT_POOL)
        skills = Ranked()
        if view.kind is None:
            ranked = search.run(source, asked, replace(view, not_kind=m.SKILL_KIND), pool)
            if memories.has_kind(source.db, m.SKILL_KIND):
                of_kind = replace(view, kind=m.SKILL_KIND)
                skills = search.run(source, asked, of_kind, SKILL_PLACES)
        else:
            ranked = search.run(source, asked, view, pool)
        skills = gate.relevant(asked, skills, model)
        marks = tuple(dict.fromkeys((*degraded, *ranked.degraded, *skills.degraded)))
        decision = gate.judge(asked, ranked, skills, model, threshold, marks)
        told = asked.telling
        hits, found = (
            tuple(_shown(h, told) for h in _as_known(source.db, group, view))
            for group in (ranked.hits, skills.hits)
        )
        return _Found(hits, found, decision, decision.degraded, told)

    # The file as a whole --------------------------------------------------------------------

    def stats(self, *, now: datetime | None = None) -> Stats:
        """What is in the file."""
        from brain.embed import models
        from brain.store import schema

        at = to_iso(now or now_utc())
        everywhere = View(as_of=at, scopes=None)
        with self._store.read() as db:
            facts = file.facts(db)
            states = memories.state_counts(db, at)
            by_kind = memories.counts_by(db, "kind", everywhere)
            by_scope = memories.counts_by(db, "scope", everywhere)
            present, missing = vectors.counts(db, facts.get(meta.VECTORS))
            number = schema.version(db)
            trigrams = terms.has_trigrams(db)
        name = facts.get(meta.MODEL) or None
        languages: tuple[str, ...] = next(
            (info.languages for info in models.known() if info.name == name), ()
        )
        degraded = list(self._degraded_unloaded(facts))
        if name is None:
            # Without a model nothing is missing, but whoever asks should see what cannot be found.
            missing = 0
            degraded += ["no_model"] if states["total"] else []
        elif missing and "no_vec" not in degraded:
            degraded.append("vectors_pending")
        if not trigrams:
            degraded.append("no_trigram")
        return Stats(
            total=states["total"],
            current=sum(by_kind.values()),
            archived=states["archived"],
            superseded=states["superseded"],
            expired=states["expired"],
            retracted=states["retracted"],
            future=states["future"],
            by_kind=by_kind,
            by_scope=by_scope,
            model=name,
            dim=facts.get(meta.DIM),
            languages=languages,
            vectors_present=present,
            vectors_missing=missing,
            bytes=self._bytes(),
            schema=number,
            last_decay=facts.get(meta.LAST_DECAY),
            degraded=tuple(degraded),
        )

    def scopes(self, *, now: datetime | None = None) -> tuple[ScopeCount, ...]:
        """Every scope that has records, the global one ('') first, then by name."""
        everywhere = View(as_of=to_iso(now or now_utc()), scopes=None)
        with self._store.read() as db:
            current = memories.counts_by(db, "scope", everywhere)
            total = memories.scope_totals(db)
        return tuple(ScopeCount(name, current.get(name, 0), n) for name, n in total.items())

    def scope_is_empty(self, scope: str) -> bool:
        """Whether a scope has no record, in whatever state."""
        with self._store.read() as db:
            return not memories.everything(db, (scope,), None, 1)

    def brief(
        self, budget: int | None = None, *, scope: str = "", now: datetime | None = None
    ) -> briefing.Brief:
        """What an agent should know before any question: pinned records, preferences, an overview.

        Args:
            budget: estimated tokens; None is 420, 0 is unlimited.

        Raises:
            BrainError: as :meth:`inject` does for a budget.
        """
        limit = pack.checked_budget(budget)
        view = self._view(scope, None, None, None, now)
        with self._store.read() as db:
            return briefing.write(db, view, limit)

    def reembed(self, model: str, *, progress: Progress | None = None) -> reembedding.ReembedResult:
        """Gives every record vectors of another (or the same) model; resumable after a break.

        The old vectors serve until the new set is whole.

        Args:
            model: a model's name, or ``'none'`` to do without vectors.
            progress: called with (done, total) passages.
        """
        if not self._store.exists():
            raise BrainError(
                "brain_db_missing", f"还没有记忆文件，没有可以嵌入的：{self.path}", EXIT_NO_INPUT
            )
        result = reembedding.run(self._store, model, progress)
        with self._embedder_lock:
            self._embedder = None
            self._given = False
            self._missing_model = None
            self._asked_model = None
        return result

    def decay(
        self,
        *,
        daily: float = decay.DAILY,
        archive_below: float = decay.ARCHIVE_BELOW,
        idle_days: float = decay.IDLE_DAYS,
        keep_importance: float = decay.KEEP_IMPORTANCE,
        dry_run: bool = False,
        why: str = "",
        now: datetime | None = None,
    ) -> DecayResult:
        """Lets strengths fade by the days since the last run, and archives what is weak and idle.

        Twice a day does no harm, a missed month is caught up, nothing is deleted; a run that was
        killed is finished by the next one.

        Args:
            daily, archive_below, idle_days, keep_importance: see :class:`brain.care.decay.Rule`.
            dry_run: say what would be done, and change nothing.

        Raises:
            BrainError: ``brain_decay_invalid`` (65), ``brain_db_missing`` (66).
        """
        rule = decay.Rule(daily, archive_below, idle_days, keep_importance)
        if not self._store.exists():
            raise BrainError(
                "brain_db_missing", f"还没有记忆文件，没有可以衰减的：{self.path}", EXIT_NO_INPUT
            )
        if dry_run:
            return decay.foreseen(self._store, rule, now or now_utc())
        return decay.run(self._store, rule, why, now or now_utc())

    def doctor(
        self,
        *,
        repair: bool = False,
        consent: bool = False,
        progress: Progress | None = None,
        now: datetime | None = None,
    ) -> DoctorResult:
        """Examines the file and what it needs; see :func:`brain.care.doctor.run`.

        Args:
            repair: make anew what is derived from the records; salvage a corrupt file.
            consent: with ``repair``, change what is not derived from them as well.
        """
        from brain.care import doctor

        return doctor.run(
            self._store, now=now or now_utc(), repair=repair, consent=consent, progress=progress
        )

    def backup(self, path: str | Path, *, force: bool = False) -> BackupResult:
        """Writes a whole, checked copy while others write; see :func:`brain.care.backup.backup`."""
        from brain.care import backup

        return backup.backup(self._store, Path(path).expanduser(), force=force)

    def restore_backup(self, path: str | Path) -> RestoreResult:
        """Puts a backup in the file's place; see :func:`brain.care.backup.restore`."""
        from brain.care import backup

        return backup.restore(self._store, Path(path).expanduser())

    def optimize(self) -> OptimizeResult:
        """Merges the text indexes' segments and the log.

        Raises:
            BrainError: ``brain_db_missing`` (66) without a file, ``brain_busy`` (75).
        """
        if not self._store.exists():
            raise BrainError(
                "brain_db_missing", f"还没有记忆文件，没有可以整理的：{self.path}", EXIT_NO_INPUT
            )
        before = self._bytes()
        with self._store.write() as db:
            file.tidy(db)
        merged = self._store.merge_log()
        return OptimizeResult(str(self.path), before, self._bytes(), merged)

    def _bytes(self) -> int:
        """What file and log take together."""
        size = 0
        for suffix in ("", "-wal"):
            with suppress(OSError):
                size += Path(f"{self.path}{suffix}").stat().st_size
        return size

    def export(
        self,
        *,
        format: str = "jsonl",
        scope: str | None = None,
        as_of: When = None,
        with_recovery: bool = False,
        now: datetime | None = None,
    ) -> Iterator[str]:
        """The memories leaving the file, as lines with their ends; one moment of it throughout.

        Args:
            format: ``jsonl``, complete, every record in whatever state; or ``markdown``, the
                current records, to be read and edited.
            scope: that scope alone; None for all of them.
            as_of: only what was current then.
            with_recovery: recovery records as well; only with the whole file as JSONL.

        Raises:
            BrainError: ``brain_usage`` (2), ``brain_scope_invalid``, ``brain_date_invalid`` (65).
        """
        from brain.exchange import folder, leaving

        shown = self._leaving(format, scope, as_of, with_recovery, now)
        if format == "markdown":
            return folder.text(self._store, shown)
        return leaving.lines(self._store, shown, with_recovery)

    def export_to(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",
        scope: str | None = None,
        as_of: When = None,
        with_recovery: bool = False,
        force: bool = False,
        now: datetime | None = None,
    ) -> ExportResult:
        """As :meth:`export`, into a file (JSONL) or a folder (Markdown), whole or not at all.

        Args:
            force: replace what an export wrote there before.

        Raises:
            BrainError: those of :meth:`export`; 73 where it cannot or must not be written.
        """
        from brain.exchange import files, folder, leaving

        shown = self._leaving(format, scope, as_of, with_recovery, now)
        where = Path(path).expanduser()
        files.refuse_own(where, self.path)
        records = 0

        def counted() -> None:
            nonlocal records
            records += 1

        names: tuple[str, ...] = ()
        if format == "markdown":
            names = folder.write(self._store, shown, where, force=force, counted=counted)
        else:
            lines = leaving.lines(self._store, shown, with_recovery, counted)
            files.write(where, lines, force=force)
        return ExportResult(str(self.path), format, str(where), records, names)

    @staticmethod
    def _leaving(
        format: str, scope: str | None, as_of: When, with_recovery: bool, now: datetime | None
    ) -> Shown:
        if format not in {"jsonl", "markdown"}:
            raise BrainError("brain_usage", "导出格式是 jsonl 或 markdown。", 2)
        moment = now or now_utc()
        if scope is not None:
            m.check_label(scope, "范围", "brain_scope_invalid")
        at = None if as_of is None else parse_time(as_of, now=moment)
        if with_recovery and not (format == "jsonl" and scope is None and at is None):
            raise BrainError(
                "brain_usage",
                "--with-recovery 只能和全部记忆的 JSONL 一起导出：恢复记录不分范围。",
                2,
            )
        return Shown(scope, at or (to_iso(moment) if format == "markdown" else None))

    def import_(
        self,
        source: str | Path | BinaryIO,
        *,
        dry_run: bool = False,
        supersede: bool = False,
        retract_missing: bool = False,
        why: str = "",
        progress: StagedProgress | None = None,
        now: datetime | None = None,
    ) -> ImportResult:
        """Takes in an export: JSONL as it was, or a Markdown folder with what was edited by hand.

        Args:
            source: a JSONL file, a folder or file of Markdown, or a binary stream of JSONL.
            dry_run: change nothing; the result says what would be done.
            supersede: for Markdown: a changed text supersedes instead of correcting.
            retract_missing: for Markdown: retract what was removed.
            why: for Markdown: kept in the journal.
            progress: called with (stage, done, total): ``read`` in bytes, ``embed`` in passages.

        Raises:
            BrainError: ``brain_import_missing`` (66), ``brain_import_format`` (65),
                ``brain_import_newer`` (78), ``brain_import_unreadable`` (74), 73-75 when it
                cannot be written. Either all of it is stored or nothing.
        """
        moment = now or now_utc()
        given = Path(source).expanduser() if isinstance(source, str | Path) else source
        result = self._take_in(given, dry_run, supersede, retract_missing, why, progress, moment)
        if dry_run or not (result.added or result.corrected or result.superseded):
            return result
        made, pending = self._complete_vectors(progress)
        return replace(result, vectors=made, pending=pending)

    def _take_in(
        self,
        source: Path | BinaryIO,
        dry_run: bool,
        supersede: bool,
        retract_missing: bool,
        why: str,
        progress: StagedProgress | None,
        now: datetime,
    ) -> ImportResult:
        from brain.exchange import edits, files, restoring

        if isinstance(source, Path) and edits.is_markdown(source):
            wish = edits.Wish(supersede, retract_missing, why)
            return edits.run(
                self._store,
                source,
                self._settle_model,
                self._record,
                lambda db, record, why: self._insert(
                    db, None, record, sentences.passages(record.text), None, why
                ),
                wish,
                now,
                dry_run=dry_run,
            )
        with files.opened(source) as stream:
            return restoring.run(
                self._store,
                stream,
                str(source) if isinstance(source, Path) else "-",
                self._settle_model,
                now,
                dry_run=dry_run,
                progress=None if progress is None else partial(progress, "read"),
            )

    def _complete_vectors(
        self, progress: StagedProgress | None, *, later: bool = False
    ) -> tuple[int, int]:
        """Embeds what has no vector yet, outside the lock; ``later`` only counts it.

        Returns:
            How many passages have got one, and how many have none.
        """
        embedder = None if later else self._load_embedder(self._facts())
        told = None if progress is None else partial(progress, "embed")
        made = 0
        if embedder is not None:
            # The words are stored whatever a native library raises: vectors wait for a reembed.
            with suppress(Exception):
                made = reembedding.complete(self._store, embedder, told)
        with self._store.read() as db:
            facts = file.facts(db)
            _, missing = vectors.counts(db, facts.get(meta.VECTORS))
        return made, missing if facts.get(meta.MODEL) else 0

    def words(self) -> tuple[OwnWord, ...]:
        """The user's own words."""
        with self._store.read() as db:
            return tuple(OwnWord(*row) for row in meta.words(db))

    def add_word(self, line: str, *, now: datetime | None = None) -> OwnWord:
        """Adds one of the user's own words: ``词 [词频] [词性]``, jieba's dictionary format."""
        word = OwnWord(*words.parse_own_word(line))
        secrets.refuse(word.word, "词")
        with self._store.write() as db:
            meta.add_word(db, word.word, word.freq, word.tag, to_iso(now or now_utc()))
        return word

    def remove_word(self, word: str) -> bool:
        """Removes one of the user's own words; False when it was not there."""
        if not self._store.exists():
            return False
        with self._store.write() as db:
            return meta.remove_word(db, m.clean_query(word))


def _table_for(db: apsw.Connection, embedder: Embedder | None) -> str | None:
    """The vector table for what an embedder made; None where the file's model is another by now."""
    facts = file.facts(db)
    if embedder is None or facts.get(meta.MODEL) != embedder.name:
        return None
    return facts.get(meta.VECTORS) if facts.get(meta.DIM) == embedder.dim else None


def _shown(hit: m.Hit, terms: Sequence[str]) -> m.Hit:
    """A hit as ``recall`` shows it: secrets masked, then a long text narrowed to what is asked."""
    whole = hit.memory.text
    masked = secrets.masked(whole)
    own = None if masked is whole else handles.handle_of(whole.encode("utf-8"))
    text, handle = narrow.narrowed(masked, terms, handle=own)
    suspected = suspect.rule(whole)
    return replace(
        hit,
        text=text,
        recovery_handle=handle,
        suspect=bool(suspected),
        suspect_rule=suspected,
    )


def _as_known(db: apsw.Connection, hits: Sequence[m.Hit], view: View) -> list[m.Hit]:
    """Hits whose records have the field values of the instant a view asks about."""
    then = replay.records(db, [h.memory for h in hits], view.known_at)
    return [replace(h, memory=memory) for h, memory in zip(hits, then, strict=True)]


def _discreet(memory: m.Memory) -> m.Memory:
    """A record as it may leave the engine: secrets in its text and its remarks masked."""
    text, evidence, source = map(secrets.masked, (memory.text, memory.evidence, memory.source))
    return replace(memory, text=text, evidence=evidence, source=source)


def _told(hits: Sequence[m.Hit]) -> tuple[m.Hit, ...]:
    """Hits as they leave the engine; until then records are whole, for handles and likeness."""
    return tuple(replace(hit, memory=_discreet(hit.memory)) for hit in hits)


def _label(source: str, allow_secrets: bool) -> str:
    """A source as it may be stored: an address with a password in it may not."""
    if not allow_secrets:
        secrets.refuse(source, "来源", _ALLOWED)
    return m.check_label(source, "来源", "brain_source_invalid")


_ALLOWED = "；确实要存请加 --allow-secrets（Python：allow_secrets=True）"


def _storable(text: str, allow_secrets: bool) -> str:
    """The one gate every text goes through before it is stored.

    As :func:`brain.memory.check_text`; what we handed out ourselves is no new memory either, and
    what holds a secret none unless that is wanted.
    """
    m.require_str(text, "文本")
    if text.lstrip().startswith((pack.OPENING, pack.SHORT_OPENING, *briefing.OPENINGS)):
        raise BrainError(
            "brain_own_block",
            "这是 brain 自己给出的记忆块，里面的内容已经存着；请去掉这一块，只存新的内容。",
        )
    checked = m.check_text(text)
    if not fold(checked).strip():
        raise BrainError("brain_text_empty", "文本里只有看不见的字符，没有可以记住的内容。")
    if not allow_secrets:
        secrets.refuse(checked, "文本", _ALLOWED)
    return checked


def _check_k(k: int) -> None:
    if not 1 <= k <= MAX_K:
        raise BrainError("brain_k_invalid", f"-k 应在 1 到 {MAX_K} 之间。", 2)
