"""The engine: Brain, the one object every face talks to.

One ``Brain`` is one memory file. Each method validates what it is given, opens a transaction, calls
one function of a room and wraps the result; it embeds before a write begins, and each write holds
the record, its index rows and its vectors. What a question loads is imported at the top, what other
verbs need in their bodies: a command line starts with every turn of a conversation.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from brain import drafts, file_model, redact, typecheck, validate
from brain import memory as m
from brain.compress import handles
from brain.embed.encode import encode_passages
from brain.errors import EXIT_NO, EXIT_NO_INPUT, EXIT_USAGE, BrainError
from brain.file_model import Model
from brain.inject import pack
from brain.lifecycle import add, lineage, replay, strength
from brain.recall import explain, gate, pipeline, similar
from brain.recall.query import read as read_query
from brain.recall.query import require_content
from brain.store import claims, folder, links, memories, memory_file, meta, observations, use_log
from brain.store.view import Listed, View, requested
from brain.text import stopwords
from brain.text.secrets import mask
from brain.text.timestamps import When, now_utc, parse_time, to_iso
from brain.typecheck import path_of

if TYPE_CHECKING:
    from brain.causal.graph import Asked, Graph
    from brain.claims.verify import Looked
    from brain.consolidate.proposal import Proposal
    from brain.embed.protocol import Embedder, Settings
    from brain.lifecycle.forget import Erased
    from brain.recall.query import Question
    from brain.results import (
        BackupResult,
        BeforeResult,
        Brief,
        BulkForgetResult,
        BulkRetractResult,
        CompareResult,
        CompressResult,
        ConsolidateResult,
        CorrectResult,
        DecayResult,
        DecayUndone,
        DoctorResult,
        ExportResult,
        Fault,
        ForgetResult,
        History,
        ImportResult,
        IngestResult,
        InitResult,
        Link,
        OptimizeResult,
        OriginalEntry,
        OriginalForgotten,
        OwnWord,
        Plan,
        PlannedFix,
        RecordResult,
        Recovered,
        ReembedResult,
        RestoreResult,
        ScopeCount,
        Stats,
        SupersedeResult,
        UnlinkResult,
        VerifyResult,
        WhyResult,
    )
    from brain.store.protocol import Store, Transaction

Progress = Callable[[int, int], None]
StagedProgress = Callable[[str, int, int], None]


def default_path() -> Path:
    """``BRAIN_DB``, else ``~/.brain/brain.db``."""
    given = os.environ.get("BRAIN_DB")
    return path_of(given) if given else Path.home() / ".brain" / "brain.db"


@typecheck.checked
class Brain:
    """A memory file, opened. Use :meth:`open`; one object may be used from several threads."""

    # Opening and closing ------------------------------------------------------------------------

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        model: str | None,
        patience: float | None = None,
    ) -> None:
        """Takes an opened file; :meth:`open` and :meth:`create` are the ways in."""
        self._store = store
        self._model = Model(store, embedder, model, patience)

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
            patience: seconds a question waits for the model to be loaded and for its vectors;
                beyond them words alone answer, marked ``timeout``. None is as long as it takes (a
                server's model has limits of its own).

        Raises:
            BrainError: for a path that cannot be a memory file (65–78, see docs/cli.md), and
                ``brain_model_mismatch`` (78) when the file was made with another model.
        """
        where = path_of(path) if path is not None else default_path()
        store = memory_file.Store(where, read_only=read_only)
        embedder = None if model is None or isinstance(model, str) else model
        name = model if isinstance(model, str) else (embedder.name if embedder else None)
        brain = cls(store, embedder, name, patience)
        if checked and store.exists():
            brain._model.refuse_other()
        return brain

    @classmethod
    def create(
        cls,
        path: str | Path | None = None,
        *,
        model: str | None = None,
        settings: Settings | None = None,
    ) -> InitResult:
        """Makes a memory file and settles its model; an existing file is left as it is.

        Args:
            model: a model's name, ``'none'``, or None for ``BRAIN_MODEL``, else the best one on
                this machine.
            settings: for a model of the user's own (``openai:NAME``).
        """
        with cls.open(path) as brain:
            existed = brain._store.exists()
            facts = brain._model.settle(model, settings)
            hint = file_model.hint(facts, existed or model is not None, brain.warning)
            return file_model.created(brain.path, facts, existed, hint)

    @property
    def path(self) -> Path:
        """Where the file is, or will be."""
        return self._store.path

    @property
    def made(self) -> Path | None:
        """The file, when this object has made it."""
        return self.path if self._store.made else None

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

    def warm(self) -> None:
        """Loads the file's model now, so that the first question need not wait for it."""
        if self._store.exists():
            self._model.load(self._facts())

    def check_file(self) -> None:
        """Looks whether the file can be read; one that is not there yet is no fault.

        Raises:
            BrainError: what keeps it from being read (66-78).
        """
        with self._store.read() as db:
            memory_file.facts(db)

    def rest(self) -> None:
        """Lets go of the file until the next call: its log is merged into it where nobody else
        uses it, so that the file alone is whole."""
        if self._store.exists() and not self._store.read_only:
            self._store.merge_log()
        self._store.release()

    def degraded(self) -> tuple[str, ...]:
        """Codes of what cannot take part in recall: see docs/cli.md. Loads the model."""
        if not self._store.exists():
            return ()
        facts = self._facts()
        return self._model.degraded(facts, self._model.load(facts))

    # Adding -------------------------------------------------------------------------------------

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
        tags: Sequence[str] = (),
        why: str = "",
        allow_secrets: bool = False,
        checks: Sequence[str] = (),
        root: str | Path | None = None,
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
            tags: what it is filed under, at most 32.
            why: kept in the journal.
            allow_secrets: store it though it holds a key, a password, a card or identity number.
            checks: what of it can be looked at, as ``file src/main.py``
                (:mod:`brain.claims.forms`); without any, what the text itself names.
            root: the folder of the project it is about; None says none.
            now: the instant of recording; None is the clock.

        Raises:
            BrainError: 65 for data that is refused (``brain_secret``, ``brain_check_invalid`` among
                it), ``brain_root_missing`` (66), 73–75 when it cannot be written.
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
            tuple(tags),
            tuple(checks),
            "" if root is None else drafts.project_of(root),
        )
        result = self._add([draft], why, now, allow_secrets)[0]
        if not result.created:
            return result
        with self._store.read() as db:
            view = View(as_of=to_iso(now or now_utc()), scopes=(scope,))
            return replace(result, similar=similar.find(db, result.id, text, view))

    def add_many(
        self,
        drafts: Iterable[m.Draft],
        *,
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> builtins.list[m.AddResult]:
        """Stores a batch in one transaction: all of it or, on an error, nothing."""
        return self._add([typecheck.check_draft(d) for d in drafts], "", now, allow_secrets)

    def record(
        self,
        decision: str,
        outcome: str,
        relation: str = m.RELATIONS[0],
        context: str = "",
        at: When = None,
        good: bool | None = None,
        *,
        scope: str = "",
        source: str = m.DEFAULT_SOURCE,
        evidence: str = "",
        why: str = "",
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> RecordResult:
        """Stores what a decision led to: both as memories, and the link between them.

        The same observation again gives the old one's number and changes nothing.

        Args:
            relation: ``caused``, ``enabled``, ``prevented`` (the outcome did not come about) or
                ``no_effect``.
            context: under what circumstances.
            at: when it was observed; None is now.
            good: how it ended, where the words do not say; None has it computed when read.
            allow_secrets: as for :meth:`add`.

        Raises:
            BrainError: ``brain_link_self``, ``brain_relation_invalid`` and those of :meth:`add`
                (65).
        """
        from brain.causal import record

        moment = now or now_utc()
        mask.refuse(why, "原因")
        if not allow_secrets:
            mask.refuse(context, "情境", drafts.ALLOWED)
            mask.refuse(evidence, "依据", drafts.ALLOWED)
        label = drafts.label(source, allow_secrets)
        told = record.Told(relation, context, None, good, label, evidence, why)
        told = record.checked(told, at, moment)
        sides = [
            drafts.complete(
                m.Draft(text, kind, scope, source, valid_from=told.at), moment, allow_secrets
            )
            for text, kind in ((decision, m.DECISION_KIND), (outcome, m.OUTCOME_KIND))
        ]
        record.require_two(decision, outcome)
        embedder = self._model.for_writing()
        ready = [(side, *encode_passages(side.text, embedder)) for side in sides]
        with self._store.write() as db:
            table = file_model.table_for(db, embedder)
            done = record.store(db, table, ready[0], ready[1], told, moment)
        self._top_up(embedder)
        return done

    # Asking -------------------------------------------------------------------------------------

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
        tags: Sequence[str] = (),
        now: datetime | None = None,
    ) -> m.RecallResult:
        """The k best memories for a query, whatever the gate thinks of them.

        Args:
            scope: seen beside the global scope.
            context: the previous turns, looked at when the query leans on them.
            tags: only what is filed under every one of these.

        Raises:
            BrainError: :func:`brain.validate.blank_query_error` (65), ``brain_k_invalid`` (2).
        """
        text = require_content(query, context)
        view = requested(
            scope, kind, as_of, known_at, now, include_expired=include_expired, tags=tags
        )
        found = self._find(query, view, validate.check_k(k), context=context, now=now)
        return m.RecallResult(
            text,
            redact.snippets(similar.mark(found.hits[:k]), found.terms),
            redact.snippets(found.skills, found.terms),
            found.decision,
            found.decision.degraded,
            found.decision.reasons,
            found.decision.remarks,
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
        tags: Sequence[str] = (),
        now: datetime | None = None,
    ) -> m.RecallResult:
        """As :meth:`recall`, with the lexical lane alone; for looking into why a word misses."""
        text = require_content(query, None)
        view = requested(
            scope, kind, as_of, known_at, now, include_expired=include_expired, tags=tags
        )
        found = self._find(query, view, validate.check_k(k), now=now, semantic=False, told=False)
        held = [hit for hit in found.hits if "lexical" in hit.lanes]
        return m.RecallResult(
            text,
            redact.snippets(held[:k], found.terms),
            redact.snippets(found.skills, found.terms),
            degraded=found.decision.degraded,
            remarks=found.decision.remarks,
        )

    def explained(self, result: m.RecallResult) -> m.RecallResult:
        """The same result with its matched terms as words; loads the segmenter (0.1 s once).

        The user's own words stay whole.
        """
        return explain.explained(result, self.words())

    def check(
        self,
        query: str,
        *,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        threshold: float | str | None = None,
        context: str | None = None,
        tags: Sequence[str] = (),
        now: datetime | None = None,
    ) -> m.Gate:
        """Whether this memory can answer a query.

        Args:
            threshold: probability from which the answer is yes, or ``quiet``, ``balanced``,
                ``eager``; None is ``BRAIN_GATE``, else ``balanced``.

        Raises:
            BrainError: ``brain_threshold_invalid`` (65).
        """
        view = requested(scope, None, as_of, known_at, now, tags=tags)
        found = self._find(query, view, context=context, now=now, threshold=threshold)
        return found.decision

    def inject(
        self,
        query: str,
        *,
        budget: int | None = None,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        context: str | None = None,
        tags: Sequence[str] = (),
        with_brief: bool = False,
        root: str | Path | None = None,
        stale: str = "show",
        now: datetime | None = None,
    ) -> m.InjectResult:
        """The block for an agent's prompt; '' when the gate says no.

        What is in the block is noted as used, for the next decay, where that can be done at once;
        not when another time is asked about, nor by a read-only Brain.

        Args:
            budget: estimated tokens the block may take; None is 420, 0 is unlimited.
            with_brief: put the whole block of :meth:`brief` before it, with a budget of its own.
            root: the project's folder: what the hits claim about it is looked at, within limits
                (:mod:`brain.claims.marks`), and nothing about that is written.
            stale: ``show`` what holds no more last and marked, or ``drop`` it.

        Raises:
            BrainError: ``brain_budget_invalid`` (2) for a negative budget,
                ``brain_budget_too_small`` (2) below ``pack.LEAST_BUDGET``, ``brain_usage`` (2),
                ``brain_root_missing`` (66).
        """
        limit = pack.checked_budget(budget)
        if stale not in ("show", "drop"):
            told = f"stale 只能是 show 或 drop，不是「{stale[:40]}」。"
            raise BrainError("brain_usage", told, EXIT_USAGE)
        view = requested(scope, None, as_of, known_at, now, tags=tags)
        found = self._find(query, view, context=context, now=now, told=False)
        hits = redact.suspects(found.answering)
        all_found = len(hits)
        dropped: tuple[m.LeftOut, ...] = ()
        if root is not None:
            hits, dropped = self._looked_at(hits, root, stale)
        warnings = self._warnings(query, view, now)
        block, warned = pack.with_warnings(hits, found.terms, limit, warnings)
        if as_of is None and known_at is None and not self._store.read_only:
            use_log.note(self.path, to_iso(now or now_utc()), [hit.id for hit in block.hits])
        done = pack.result(
            found.decision, block, redact.hits(block.hits), all_found, warnings[:warned]
        )
        if dropped:
            done = replace(done, answerable=True, left_out=done.left_out + dropped)
        return pack.behind(self.brief(scope=scope, now=now), done) if with_brief else done

    def _looked_at(
        self, hits: tuple[m.Hit, ...], root: str | Path, stale: str
    ) -> tuple[tuple[m.Hit, ...], tuple[m.LeftOut, ...]]:
        """Hits with what looking at their claims gave, and those dropped for it."""
        from brain.claims import tree

        where = tree.root_of(path_of(root))
        asked = [hit.id for hit in hits if hit.memory.checks]
        hits = tuple(replace(hit, claims=()) for hit in hits)
        with self._store.read() as db:
            found = claims.of(db, asked) if asked else []
            outdated = observations.any_stale(db)
            if not asked and not outdated:
                return hits, ()
            from brain.claims import marks

            said = marks.of_originals(db, hits) if outdated else {}
        marked = marks.mark(hits, found, where, said)
        if stale == "show":
            return marked, ()
        gone = tuple(m.LeftOut(hit.id, m.STALE) for hit in marked if marks.is_stale(hit))
        return tuple(hit for hit in marked if not marks.is_stale(hit)), gone

    def before(
        self,
        action: str,
        context: str | None = None,
        *,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        now: datetime | None = None,
    ) -> BeforeResult:
        """What an action, or nearly the same, led to before.

        Args:
            action: what is about to be done; a command line as well.
            context: under what circumstances; what was seen under the same comes first.

        Raises:
            BrainError: :func:`brain.validate.blank_query_error` (65).
        """
        from brain.results import BeforeResult

        text = require_content(action, None)
        view = requested(scope, None, as_of, known_at, now)
        with self._store.read() as db:
            if not links.any_current(db) and known_at is None:
                return BeforeResult("no_precedent", (), None)
            from brain.causal import precedent

            graph, asked, degraded = self._graph(db, (text,), view, now)
            found = precedent.before(graph, asked[0], context or "", degraded)
        alternative = found.alternative
        return replace(
            found,
            reasons=tuple(map(redact.reason, found.reasons)),
            alternative=None if alternative is None else redact.reason(alternative),
        )

    def why(
        self,
        outcome: str,
        k: int = 5,
        *,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        now: datetime | None = None,
    ) -> WhyResult:
        """What an outcome came from, nearest first, and what has prevented it.

        Raises:
            BrainError: as :meth:`before`; ``brain_k_invalid`` (2).
        """
        from brain.causal import trace
        from brain.results import WhyResult

        text = require_content(outcome, None)
        most = validate.check_k(k)
        view = requested(scope, None, as_of, known_at, now)
        with self._store.read() as db:
            if not links.any_current(db) and known_at is None:
                return WhyResult((), ())
            graph, asked, degraded = self._graph(db, (text,), view, now)
            found = trace.why(graph, asked[0], most, degraded)
        causes, preventers = (
            tuple(map(redact.reason, part)) for part in (found.causes, found.preventers)
        )
        return replace(found, causes=causes, preventers=preventers)

    def compare(
        self,
        a: str,
        b: str,
        context: str | None = None,
        *,
        scope: str = "",
        as_of: When = None,
        known_at: When = None,
        now: datetime | None = None,
    ) -> CompareResult:
        """Which of two actions went better.

        Args:
            context: observations in it count first, where both sides have some.

        Raises:
            BrainError: as :meth:`before`.
        """
        from brain.causal import comparison
        from brain.results import CompareResult, Tally

        texts = [require_content(text, None) for text in (a, b)]
        view = requested(scope, None, as_of, known_at, now)
        with self._store.read() as db:
            if not links.any_current(db) and known_at is None:
                none = Tally(0, 0, 0, 0, ())
                return CompareResult("insufficient", none, none, False)
            graph, asked, degraded = self._graph(db, texts, view, now)
            found = comparison.compare(graph, asked[0], asked[1], context or "", degraded)
        one, other = (
            replace(side, reasons=tuple(map(redact.reason, side.reasons)))
            for side in (found.a, found.b)
        )
        return replace(found, a=one, b=other)

    # Looking ------------------------------------------------------------------------------------

    def get(self, memory_id: int | str, *, reveal: bool = False) -> m.Memory:
        """One record by id, whatever its state.

        Args:
            reveal: show the text as it is stored; otherwise secrets in it are masked.

        Raises:
            BrainError: ``brain_not_found`` (1).
        """
        with self._store.read() as db:
            found = lineage.require(db, validate.parse_id(memory_id))
        return found if reveal else redact.memory(found)

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
        tags: Sequence[str] = (),
        since: When = None,
        until: When = None,
        source: str | None = None,
        after: int | str | None = None,
        stale: bool = False,
        now: datetime | None = None,
    ) -> builtins.list[m.Memory]:
        """Records, newest first: the current ones unless asked otherwise.

        Args:
            archived: only archived records.
            as_of: what was true then; None is now.
            known_at: what was believed then, with the field values of then; None is now.
            all: every record of the scopes, whatever its state.
            all_scopes: do not look at the scope.
            reveal: as for :meth:`get`.
            tags: only what is filed under every one of these.
            since, until: half open, when they were recorded.
            source: that source, or any of its kind (``chat`` of ``chat:codex``).
            after: an id: the page that follows it, which is what was stored before it.
            stale: only records one of whose claims was found to hold no more.
        """
        validate.check_limit(limit)
        moment = now or now_utc()
        listed = Listed(
            None if since is None else parse_time(since, now=moment),
            None if until is None else parse_time(until, now=moment),
            None
            if source is None
            else validate.check_label(source, "来源", "brain_source_invalid"),
            None if after is None else validate.parse_id(after),
            stale,
        )
        view = requested(scope, kind, as_of, known_at, now, all_scopes=all_scopes, tags=tags)
        with self._store.read() as db:
            if all:
                found = memories.list_any_state(db, view, limit, listed)
            else:
                view = replay.prepare(db, view.with_archived(archived))
                found = memories.list_visible(db, view, limit, listed)
            found = replay.records(db, found, view.known_at)
        return found if reveal else [redact.memory(record) for record in found]

    def history(self, memory_id: int | str) -> History:
        """What replaced what, oldest first, for any record of the line, and what happened when.

        Raises:
            BrainError: ``brain_not_found`` (1), ``brain_lineage_broken`` (74).
        """
        from brain.causal import record
        from brain.lifecycle import history
        from brain.results import History

        with self._store.read() as db:
            found = history.trace(db, lineage.require(db, validate.parse_id(memory_id)))
            observed = record.of_memories(db, [one.id for one in found.history])
        return History(
            tuple(map(redact.memory, found.history)),
            tuple(replace(event, why=mask.masked(event.why)) for event in found.events),
            tuple(map(redact.link, observed)),
        )

    def links(self, memory_id: int | str | None = None) -> builtins.list[Link]:
        """What was observed of a memory (None: of all), on either side, newest first.

        Raises:
            BrainError: ``brain_not_found`` (1).
        """
        from brain.causal import record

        with self._store.read() as db:
            wanted = None
            if memory_id is not None:
                wanted = [lineage.require(db, validate.parse_id(memory_id)).id]
            return [redact.link(found) for found in record.of_memories(db, wanted)]

    def came_to_nothing(self, records: Iterable[m.Memory]) -> dict[int, str]:
        """Of some records the outcomes that did not come about: id → ``prevented`` or
        ``no_effect``."""
        known = [typecheck.check_memory(one) for one in records]
        outcomes = [one.id for one in known if one.kind == m.OUTCOME_KIND]
        if not outcomes:
            return {}
        from brain.causal import record

        with self._store.read() as db:
            return record.came_to_nothing(db, outcomes)

    def corrected(self, records: Iterable[m.Memory]) -> frozenset[int]:
        """Which of some records, and of those they took over from, were wrong and corrected.

        The others among them were superseded: the world changed.
        """
        known = [typecheck.check_memory(record) for record in records]
        with self._store.read() as db:
            return lineage.corrected(db, known)

    def stats(self, *, scope: str | None = None, now: datetime | None = None) -> Stats:
        """What is in the file, or what of it a scope sees.

        Raises:
            BrainError: ``brain_scope_invalid`` (65).
        """
        from brain.maintenance import stats

        at = to_iso(now or now_utc())
        if scope is not None:
            validate.check_label(scope, "范围", "brain_scope_invalid")
        return stats.stats(self._store, at, self._model.degraded_unloaded, scope)

    def scopes(self, *, now: datetime | None = None) -> tuple[ScopeCount, ...]:
        """Every scope that has records, the global one ('') first, then by name."""
        from brain.results import ScopeCount

        everywhere = View(as_of=to_iso(now or now_utc()), scopes=None)
        with self._store.read() as db:
            current = memories.counts_by(db, "scope", everywhere)
            total = memories.scope_totals(db)
        return tuple(ScopeCount(name, current.get(name, 0), n) for name, n in total.items())

    def scope_remark(self, scope: str) -> str:
        """A Chinese sentence on a scope that never had a record, else ''."""
        with self._store.read() as db:
            return explain.unknown_scope(db, scope)

    def brief(
        self,
        budget: int | None = None,
        *,
        scope: str = "",
        if_changed: str | None = None,
        now: datetime | None = None,
    ) -> Brief:
        """What an agent should know before any question: pinned records and preferences in the
        order pinned or told, then the names of skills, kinds and scopes.

        Args:
            budget: estimated tokens; None is 420, 0 is unlimited.
            if_changed: a ``fingerprint`` of an earlier brief; while it is the same the block is ''.

        Raises:
            BrainError: as :meth:`inject` does for a budget.
        """
        from brain.inject import brief

        limit = pack.checked_budget(budget)
        view = requested(scope, None, None, None, now)
        with self._store.read() as db:
            told = brief.write(db, _happened(db, view), limit)
        if if_changed == told.fingerprint:
            return replace(told, block="", tokens=0, changed=False)
        return told

    # Changing -----------------------------------------------------------------------------------

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
                :func:`brain.lifecycle.lineage.link` (65); ``brain_not_found`` (1).
        """
        from brain.lifecycle import supersede

        if (new is None) == (text is None):
            raise BrainError("brain_usage", "取代要有新的编号或新的文本，二者给一个。", EXIT_USAGE)
        old_id = self._existing(old)
        moment = now or self._after_it_began(old_id)
        given, stamp = at if at is None else parse_time(at, now=moment), to_iso(moment)
        if text is None:
            new_id = validate.parse_id(new if new is not None else "")
            with self._store.write() as db:
                return supersede.supersede(db, old_id, new_id, given, stamp, why)
        made = self._prepare(text, source, why, allow_secrets)
        with self._store.write() as db:
            put = made.put_in(db)
            done = supersede.supersede_with(db, old_id, text, made.source, put, given, stamp, why)
            claims.adopt(db, old_id, done.new)
        self._top_up(made.embedder)
        return done

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
        from brain.lifecycle import supersede

        at = to_iso(now or now_utc())
        old_id = self._existing(old)
        made = self._prepare(text, source, why, allow_secrets)
        with self._store.write() as db:
            put = made.put_in(db)
            done = supersede.correct_with(db, old_id, text, made.source, put, at, why)
            claims.adopt(db, old_id, done.new)
        self._top_up(made.embedder)
        return done

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
        from brain.lifecycle import supersede

        number = self._existing(memory_id)
        moment = now or self._after_it_began(number)
        given = None if at is None else parse_time(at, now=moment)
        with self._store.write() as db:
            ended = supersede.expire(db, number, given, to_iso(moment), why, force)
        return redact.memory(ended)

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
        from brain.lifecycle import supersede

        number = self._existing(memory_id)
        with self._store.write() as db:
            at = to_iso(now or now_utc())
            return redact.memory(supersede.retract(db, number, at, why, force))

    def restore(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Takes a retracted or archived record back; its valid time stays as it is.

        Raises:
            BrainError: ``brain_not_found`` (1), those of :func:`brain.lifecycle.lineage.restore`
            (65).
        """
        number = self._existing(memory_id)
        with self._store.write() as db:
            record = lineage.require(db, number)
            return redact.memory(lineage.restore(db, record, to_iso(now or now_utc()), why))

    def verify(
        self,
        ids: int | str | Sequence[int | str] = (),
        *,
        all: bool = False,
        root: str | Path | None = None,
        fix: bool = False,
        yes: bool = False,
        now: datetime | None = None,
    ) -> VerifyResult:
        """Looks at the claims of records in a project's folder; runs nothing in it.

        A success is noted with its time and place; a failure makes the record stale and a little
        less sure. What cannot be told, and a claim of another project, changes nothing.

        Args:
            ids: records; a claim that names no project is looked at only so, with a ``root``. Also
                handles of originals that say what they are.
            all: every current record that has claims, and every such original.
            root: None is the git root of the current folder, else that folder.
            fix: also say what would put the records right whose claims stand elsewhere now.
            yes: do that.

        Raises:
            BrainError: ``brain_usage`` (2) for neither ids nor ``all``; ``brain_root_missing``
                (66), ``brain_not_found`` (1).
        """
        from brain.claims import observed, tree, verify

        given = [ids] if isinstance(ids, int | str) else builtins.list(ids)
        kept = [one for one in given if isinstance(one, str) and "ccr" in one]
        asked = [one for one in given if one not in kept]
        if bool(given) == all:
            told = "verify 要有编号，或者 all，二者给一个。"
            raise BrainError("brain_usage", told, EXIT_USAGE)
        where = tree.root_of(tree.default_root() if root is None else path_of(root))
        numbers = [self._existing(one) for one in asked]
        moment = now or now_utc()
        with self._store.read() as db:
            if all:
                everywhere = View(as_of=to_iso(moment), scopes=None)
                numbers = claims.ids_with_claims(db, everywhere)
            records = {n: lineage.require(db, n) for n in dict.fromkeys(numbers)}
            found = claims.of(db, records)
            originals = observed.wanted(db, kept, all=all)
        looked = verify.look(found, where, unnamed=not all and root is not None)
        seen = observed.look(originals, where, unnamed=root is not None)
        if looked or seen:
            with self._store.write() as db:
                verify.stamp(db, looked, to_iso(moment))
                observed.stamp(db, seen, to_iso(moment))
        fixes = verify.plan(looked, records) if fix else []
        if yes:
            fixes = [self._put_right(one, records[one.id], looked, moment) for one in fixes]
        done = verify.result(where, looked, fixes)
        return replace(done, originals=observed.result(seen)) if seen else done

    def _put_right(
        self, fix: PlannedFix, record: m.Memory, looked: Sequence[Looked], now: datetime
    ) -> PlannedFix:
        """Writes one line of a plan; what has changed meanwhile is left, and the line says so."""
        from brain.claims import verify
        from brain.lifecycle import supersede

        at = to_iso(now)
        try:
            if fix.act == "check":
                with self._store.write() as db:
                    verify.recheck(db, fix, looked, at)
                return replace(fix, done=True)
            why = mask.masked(fix.reason)
            made = self._prepare(fix.after, record.source, why, False)
            at = max(at, to_iso(self._after_it_began(fix.id)))
            with self._store.write() as db:
                fresh = tuple(verify.new_claims(db, fix, looked, at))
                put = replace(made, claims=fresh).put_in(db)
                done = supersede.supersede_with(
                    db, fix.id, fix.after, record.source, put, None, at, why
                )
            return replace(fix, done=True, new=done.new)
        except BrainError as error:
            return replace(fix, reason=f"{fix.reason}；没有写：{error.message}")

    def unlink(
        self, link: int | str, *, why: str = "", now: datetime | None = None
    ) -> UnlinkResult:
        """Stops believing one observation; the records stay. Twice changes nothing.

        Args:
            link: its number, ``L12`` or ``12``.

        Raises:
            BrainError: ``brain_id_invalid`` (65) for ``#12``, ``brain_not_found`` (1).
        """
        from brain.causal import record
        from brain.results import UnlinkResult

        number = record.parse_link(link)
        mask.refuse(why, "原因")
        if not self._store.exists():
            raise BrainError("brain_not_found", f"没有编号为 L{number} 的观察。", EXIT_NO)
        with self._store.write() as db:
            record.unlink(db, number, to_iso(now or now_utc()), why)
        return UnlinkResult(number)

    def forget(
        self,
        memory_id: int | str,
        *,
        force: bool = False,
        why: str = "",
        now: datetime | None = None,
    ) -> ForgetResult:
        """Erases a record for good: text, index rows, vectors, recovery copies, reasons noted.

        Earlier versions of a conversation that grew go with it; the result names them.

        Args:
            force: do it to a pinned record as well.

        Raises:
            BrainError: those of :func:`brain.lifecycle.forget.forget`; ``brain_wal_pending`` (75)
                when it is erased but the log still holds it, then the same call again finishes;
                ``brain_forget_incomplete`` (74).
        """
        from brain.lifecycle import forget
        from brain.results import ForgetResult

        number = self._existing(memory_id)
        with self._store.write() as db:
            erased = forget.forget(db, number, to_iso(now or now_utc()), why, force)
        copies = self._finish_forgetting(erased, [number])
        return ForgetResult(number, erased.words, erased.originals, copies, erased.versions)

    def forget_matching(
        self,
        *,
        scope: str | None = None,
        source: str | None = None,
        query: str | None = None,
        yes: bool = False,
        force: bool = False,
        why: str = "",
        now: datetime | None = None,
    ) -> BulkForgetResult:
        """Erases all records that match, in whatever state; without ``yes`` it only lists them.

        Args:
            scope: that scope alone, '' the global one; None for any.
            source: that source, or any of its kind (``chat`` of ``chat:codex``).
            query: words that all have to stand in the text, with blanks between them.
            yes: do it, in one transaction.
            force: take pinned ones as well; otherwise they are left and named.

        Raises:
            BrainError: ``brain_usage`` (2) without a criterion, and those of :meth:`forget`.
        """
        from brain.lifecycle import forget, matching
        from brain.results import BulkForgetResult

        wanted = matching.criteria(scope, source, query)
        if not yes or not self._store.exists():
            with self._store.read() as db:
                taken, left = matching.find(db, wanted, believed=False, force=force)
            return BulkForgetResult(
                False, *_counted(taken, left), records=tuple(map(redact.memory, taken))
            )
        with self._store.write() as db:
            taken, left = matching.find(db, wanted, believed=False, force=force)
            at = to_iso(now or now_utc())
            erased = forget.forget_all(db, [one.id for one in taken], at, why, force)
        copies = self._finish_forgetting(erased, [one.id for one in taken]) if taken else ()
        return BulkForgetResult(
            True,
            *_counted(taken, left),
            words=erased.words,
            originals=erased.originals,
            copies=copies,
            versions=erased.versions,
        )

    def _finish_forgetting(self, erased: Erased, ids: Sequence[int]) -> tuple[str, ...]:
        """After the transaction: the bytes go and are looked for; gives the copies that hold it."""
        from brain.lifecycle import forget

        with suppress(OSError):  # the log of uses holds ids alone
            for each in (*ids, *erased.versions):
                use_log.forget(self.path, each)
        self._store.finish_erasing()
        with self._store.read() as db:
            forget.verify(db, self.path, *erased.texts)
        return forget.in_copies(self.path, *erased.texts)

    def retract_matching(
        self,
        *,
        scope: str | None = None,
        source: str | None = None,
        query: str | None = None,
        yes: bool = False,
        force: bool = False,
        why: str = "",
        now: datetime | None = None,
    ) -> BulkRetractResult:
        """Retracts all records that match and are not retracted; arguments and errors as those of
        :meth:`forget_matching`."""
        from brain.lifecycle import matching, supersede
        from brain.results import BulkRetractResult

        wanted = matching.criteria(scope, source, query)
        validate.check_why(why)
        if not yes or not self._store.exists():
            with self._store.read() as db:
                taken, left = matching.find(db, wanted, believed=True, force=force)
            records = tuple(map(redact.memory, taken))
            return BulkRetractResult(False, *_counted(taken, left), records=records)
        with self._store.write() as db:
            taken, left = matching.find(db, wanted, believed=True, force=force)
            at = to_iso(now or now_utc())
            for record in taken:
                supersede.retract(db, record.id, at, why, force)
        return BulkRetractResult(True, *_counted(taken, left))

    def pin(self, memory_id: int | str, *, why: str = "", now: datetime | None = None) -> m.Memory:
        """Keeps it from being archived, expired, retracted or forgotten without force."""
        return self._set(memory_id, "pin", why, now, pinned=True)

    def unpin(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Undoes :meth:`pin`."""
        return self._set(memory_id, "unpin", why, now, pinned=False)

    def set_confidence(
        self, memory_id: int | str, value: float, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """How likely it is true, in [0, 1]. Raises ``brain_not_found``, ``brain_confidence_…``."""
        checked = validate.check_unit(value, "置信度", "brain_confidence_invalid")
        return self._set(memory_id, "confidence", why, now, confidence=checked)

    def set_importance(
        self, memory_id: int | str, value: float, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """How much it matters, in [0, 1]. Raises ``brain_not_found``, ``brain_importance_…``."""
        checked = validate.check_unit(value, "重要度", "brain_importance_invalid")
        return self._set(memory_id, "importance", why, now, importance=checked)

    def tag(
        self,
        memory_id: int | str,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        *,
        why: str = "",
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> m.Memory:
        """Files a record under more tags, behind those it has, or under fewer; the same again
        changes nothing.

        Raises:
            BrainError: ``brain_usage`` (2) without any tag, and for one to be added and removed;
                ``brain_not_found`` (1), ``brain_tag_invalid``, ``brain_secret`` (65).
        """
        number = self._existing(memory_id)
        more, fewer = drafts.tags(add, allow_secrets), validate.check_tags(remove)
        if (not more and not fewer) or set(more) & set(fewer):
            told = "要加上（add）或去掉（remove）的标签至少给一个，同一个不能又加又去。"
            raise BrainError("brain_usage", told, EXIT_USAGE)
        with self._store.write() as db:
            record = lineage.require(db, number)
            kept = (tag for tag in record.tags if tag not in fewer)
            tags = builtins.list(validate.check_tags((*kept, *more)))
            at = to_iso(now or now_utc())
            return redact.memory(lineage.change(db, record, at, "tag", why, tags=tags))

    def useful(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Somebody says it was useful: stronger and a little surer
        (:mod:`brain.lifecycle.strength`).

        Raises:
            BrainError: ``brain_not_found`` (1), ``brain_id_invalid``, ``brain_why_invalid`` (65).
        """
        return self._feedback(memory_id, "useful", why, now)

    def wrong(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Somebody says it is wrong: weaker and less sure, never gone. Raises as :meth:`useful`."""
        return self._feedback(memory_id, "wrong", why, now)

    # Shortening ---------------------------------------------------------------------------------

    def recover(
        self,
        handle: str,
        query: str | None = None,
        *,
        lines: str | None = None,
        heading: str | None = None,
    ) -> bytes:
        """The exact bytes a recovery handle stands for, or what of them speaks to a question.

        Nothing in them is masked: whoever asks for the original gets it.

        Args:
            handle: with ``#/items/3/name`` behind it, that part of a JSON original; with
                ``#lines=10-20``, ``#heading=…``, ``#json=/…`` or ``#q=…`` (percent-encoded where
                needed) what the options of those names give.
            query: whole units alone (records, rows, log entries, paragraphs), with markers; the
                whole where none matches or nothing is saved.
            lines: ``12-30``, from 1, both ends in: those lines alone.
            heading: the words of one: its section alone.

        Raises:
            BrainError: ``brain_ccr_handle_invalid``, ``brain_ccr_pointer_invalid`` (65),
                ``brain_ccr_not_found``, ``brain_ccr_pointer_not_found`` (1),
                ``brain_ccr_damaged`` (74), ``brain_usage`` (2) for what are no lines, or both.
        """
        return self.recovered(handle, query, lines=lines, heading=heading).data

    def recovered(
        self,
        handle: str,
        query: str | None = None,
        *,
        lines: str | None = None,
        heading: str | None = None,
        scope: str | None = None,
    ) -> Recovered:
        """As :meth:`recover`, with the handle as it is written and the media type.

        Args:
            scope: give the text of a record that it sees alone: kept originals are of no scope.
        """
        from brain.compress import excerpt, originals
        from brain.results import Recovered

        reference = handles.parse(handle)
        chosen = handles.selector(reference)
        if chosen is not None:
            if query is not None or lines is not None or heading is not None:
                told = f"句柄后面已有 #{chosen[0]}=，不能再给 query、lines、heading。"
                raise BrainError("brain_usage", told, EXIT_USAGE)
            query = chosen[1] if chosen[0] == "q" else None
        with self._store.read() as db:
            data, content_type = originals.find(db, reference, scope)
            observed = originals.observed(db, reference.handle)
        terms = None if query is None else self._terms(query)
        if chosen is None:
            data, content_type = excerpt.part(data, content_type, reference, terms, lines, heading)
        else:
            data, content_type = excerpt.selected(
                data, content_type, reference.handle, chosen, terms
            )
        return Recovered(reference.handle, content_type, data, observed)

    def compress(
        self,
        data: bytes | str,
        query: str | None = None,
        *,
        budget: int | None = None,
        type: str = "",
        session: str = "",
        revision: str = "",
        source: str = "",
        root: str | Path | None = None,
        now: datetime | None = None,
    ) -> CompressResult:
        """Makes a text shorter by what it holds; the original is kept before the rest goes out.

        Args:
            data: any bytes; those that are no text give a line that says so, with the handle.
            query: what should be kept first.
            budget: estimated tokens the result may take, its mark among them; None leaves it to
                the rules of each kind of text, 0 is unlimited.
            type: what it is, as ``file-observation`` (:data:`brain.compress.originals.TYPES`); ''
                says nothing.
            session, revision, source: who observed it, of which revision, and from where.
            root: the folder of the project it is about.

        Raises:
            BrainError: ``brain_budget_invalid``, ``brain_budget_too_small`` (2) as :meth:`inject`,
                ``brain_text_surrogate``, ``brain_ccr_budget_exceeded``,
                ``brain_original_type_unknown``, ``brain_original_conflict`` (65),
                ``brain_ccr_max_bytes_invalid`` (2), 73-75 where the original cannot be kept. A text
                that stays as it is goes through whatever the store says.
        """
        from brain.compress import document, originals
        from brain.store.observations import Seen

        originals.checked(type, session, revision, source)
        project = "" if root is None else drafts.project_of(root)
        limit = None if budget is None else pack.checked_budget(budget)
        raw = validate.check_encodable(data) if isinstance(data, str) else bytes(data)
        most = originals.most_bytes()
        made = document.document(raw, self._terms(query) if query else (), limit)
        at, handle = to_iso(now or now_utc()), handles.handle_of(raw)
        try:
            with self._store.write() as db:
                originals.keep(db, made.original(raw, at), most)
                if type:
                    seen = Seen(handle, session, type, revision, source, project, at)
                    originals.observe(db, seen)
        except BrainError:
            if type or not made.whole:
                raise
            return made.result(None)
        return made.result(handle)

    def originals(
        self, *, session: str | None = None, type: str | None = None, state: str | None = None
    ) -> tuple[OriginalEntry, ...]:
        """The kept originals, oldest first, without their bytes: one a session that observed it.

        Args:
            session, type: those alone; None for all of them.
            state: ``current``, ``stale`` (found to hold no more) or ``archived`` (observed again
                since).

        Raises:
            BrainError: ``brain_usage`` (2) for another state.
        """
        from brain.compress import originals

        if state not in (None, "current", "stale", "archived"):
            told = f"state 只能是 current、stale、archived，不是「{state[:40]}」。"
            raise BrainError("brain_usage", told, EXIT_USAGE)
        with self._store.read() as db:
            return originals.entries(db, session, type, state)

    def forget_original(self, handle: str) -> OriginalForgotten:
        """Erases a kept original for good, whatever memory names its handle.

        Raises:
            BrainError: ``brain_ccr_handle_invalid`` (65), ``brain_ccr_not_found`` (1), and
                ``brain_wal_pending``, ``brain_forget_incomplete`` as :meth:`forget`.
        """
        from brain.lifecycle import forget
        from brain.results import OriginalForgotten

        reference = handles.parse(handle)
        if not self._store.exists():
            raise BrainError(
                "brain_ccr_not_found", f"没有句柄为 {reference.handle} 的原文。", EXIT_NO
            )
        with self._store.write() as db:
            data = forget.forget_original(db, reference.prefix)
        self._store.finish_erasing()
        with self._store.read() as db:
            forget.verify_original(db, self.path, data)
        return OriginalForgotten(reference.handle)

    # Caring for the file ------------------------------------------------------------------------

    def reembed(
        self,
        model: str,
        *,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> ReembedResult:
        """Gives every record vectors of another (or the same) model; resumable after a break.

        The old vectors serve until the new set is whole.

        Args:
            model: a model's name, or ``'none'`` to do without vectors.
            settings: for a model of the user's own; None keeps those the file has for it.
            progress: called with (done, total) passages.
        """
        from brain.maintenance import reembed

        self._require_any("嵌入")
        result = reembed.run(self._store, model, progress, file_model.calibration, settings)
        self._model.forget()
        return result

    def decay(
        self,
        *,
        daily: float = strength.DAILY,
        archive_below: float = strength.ARCHIVE_BELOW,
        idle_days: float = strength.IDLE_DAYS,
        keep_importance: float = strength.KEEP_IMPORTANCE,
        dry_run: bool = False,
        force: bool = False,
        why: str = "",
        now: datetime | None = None,
    ) -> DecayResult:
        """Lets strengths fade by the days since the last run, and archives what is weak and idle.

        Twice a day does no harm, a missed month is caught up, nothing is deleted; a run that was
        killed is finished by the next one.

        Args:
            daily, archive_below, idle_days, keep_importance: see
            :class:`brain.maintenance.decay.Rule`. dry_run: say what would be done, and change
            nothing. force: do it though more than 366 days have passed since the last run.

        Raises:
            BrainError: ``brain_decay_invalid``, ``brain_decay_jump`` (65), ``brain_db_missing``
                (66).
        """
        from brain.maintenance import decay

        rule = decay.Rule(daily, archive_below, idle_days, keep_importance)
        self._require_any("衰减")
        if dry_run:
            return decay.preview(self._store, rule, now or now_utc(), force=force)
        return decay.run(self._store, rule, why, now or now_utc(), force=force)

    def undo_decay(self, *, why: str = "", now: datetime | None = None) -> DecayUndone:
        """Takes back the last run of decay, where it went over more than 31 days.

        Raises:
            BrainError: ``brain_decay_none_kept`` (1), ``brain_why_invalid`` (65),
                ``brain_db_missing`` (66).
        """
        from brain.maintenance import decay_undo

        self._require_any("撤销衰减")
        return decay_undo.run(self._store, why, now or now_utc())

    def doctor(
        self,
        *,
        repair: bool = False,
        consent: bool = False,
        progress: Progress | None = None,
        now: datetime | None = None,
    ) -> DoctorResult:
        """Examines the file and what it needs; see :func:`brain.maintenance.doctor.run`.

        Args:
            repair: make anew what is derived from the records; salvage a corrupt file.
            consent: with ``repair``, change what is not derived from them as well.
        """
        from brain.maintenance import doctor

        return doctor.run(
            self._store, now=now or now_utc(), repair=repair, consent=consent, progress=progress
        )

    def backup(self, path: str | Path, *, force: bool = False) -> BackupResult:
        """Writes a whole, checked copy while others write; see
        :func:`brain.maintenance.backup.backup`."""
        from brain.maintenance import backup

        return backup.backup(self._store, path_of(path), force=force)

    def restore_backup(self, path: str | Path) -> RestoreResult:
        """Puts a backup in the file's place; see :func:`brain.maintenance.backup.restore`."""
        from brain.maintenance import backup

        return backup.restore(self._store, path_of(path))

    def optimize(self) -> OptimizeResult:
        """Puts the file in order after much was stored; see :func:`brain.maintenance.optimize.run`.

        Raises:
            BrainError: ``brain_db_missing`` (66) without a file, ``brain_busy`` (75).
        """
        from brain.maintenance import optimize

        self._require_any("整理")
        return optimize.run(self._store)

    # Consolidating ------------------------------------------------------------------------------

    def consolidate(
        self,
        *,
        scope: str = "",
        all_scopes: bool = False,
        since: When = None,
        out: str | Path | None = None,
        llm: str | None = None,
        llm_model: str | None = None,
        now: datetime | None = None,
    ) -> Plan:
        """What could be cleaned up, as a plan for a person; nothing of the memory is changed.

        Args:
            scope: exactly that one is looked at.
            all_scopes: look at all of them.
            since: only what came in from then on.
            out: also write the plan to that file; an earlier plan there is replaced.
            llm, llm_model: an OpenAI-compatible endpoint, which is sent the episodes of the scope
                with secrets masked, and the model to ask there; without them nothing is sent.

        Raises:
            BrainError: ``brain_scope_invalid``, ``brain_date_invalid`` (65); 73 where ``out``
                cannot or must not be written; ``brain_usage``, ``brain_url_invalid`` (2),
                ``brain_llm_unreachable``, ``brain_llm_answer`` (69), then there is no plan.
        """
        from brain.consolidate import plan, plan_file
        from brain.exchange import files

        if (llm is None) != (llm_model is None):
            raise BrainError("brain_usage", "模型接口的地址和模型名要一起给。", EXIT_USAGE)
        moment = now or now_utc()
        chosen = validate.check_label(scope, "范围", "brain_scope_invalid")
        start = None if since is None else parse_time(since, now=moment)
        with self._store.read() as db:
            about = plan.subject(db, None if all_scopes else chosen, start, to_iso(moment))
        more: builtins.list[Proposal] = []
        dropped = 0
        if llm is not None and llm_model is not None:
            from brain.consolidate import endpoint
            from brain.consolidate import llm as model

            asked = endpoint.Endpoint(llm, llm_model)
            more, dropped = model.propose(about, asked.ask, asked.model)
        with self._store.read() as db:
            made = plan.build(db, about, more, dropped)
        if out is not None:
            where = path_of(out)
            files.refuse_own(where, self.path)
            force = files.begins(where, plan_file.is_plan)
            files.write(where, plan_file.lines(made), force=force)
        return made

    def apply_plan(
        self, path: str | Path, *, only: Sequence[str] = (), now: datetime | None = None
    ) -> ConsolidateResult:
        """Does what a plan proposes, in one transaction that ends with the health probe.

        Lines whose records have changed since are refused, and so are those that a person has to
        name. Where nothing is left to do the file is not touched.

        Args:
            path: a plan that :meth:`consolidate` wrote.
            only: ids of the lines to do; none for all.

        Raises:
            BrainError: ``brain_import_missing`` (66), ``brain_plan_invalid``,
                ``brain_plan_foreign`` (65), ``brain_probe_failed`` (74) and 73-75 when it cannot
                be written; nothing is changed then.
        """
        from brain.consolidate import apply, plan_file
        from brain.exchange import files, jsonl
        from brain.results import ConsolidateResult, ProbeResult, RefusedLine

        self._require_any("整理")
        with files.opened(path_of(path)) as stream:
            lines = files.lines(stream, jsonl.LONGEST_LINE)
            asked = plan_file.read(line.data for line in lines)
        chosen = apply.chosen(asked, only)
        with self._store.read() as db:
            ready, refused = apply.sift(db, asked, chosen, only)
            known = memories.get_many(db, {i for line in ready for i in line.records})
        moment = now or now_utc()
        prepared = {}
        for line in ready:
            draft = apply.draft(line, known)
            if draft is None:
                continue
            why = f"整理 {asked.run} {line.id}"
            try:
                record = drafts.complete(draft, moment)
                prepared[line.id] = record, self._prepare(record.text, record.source, why, False)
            except BrainError as e:
                refused.append(RefusedLine(line.id, e.message))
        stopped = {one.id for one in refused}
        left = [line for line in ready if line.id not in stopped]
        if not left:
            return ConsolidateResult(asked.run, (), tuple(refused), ProbeResult())
        with self._store.write() as db:
            ready, again = apply.sift(db, asked, left, only)
            made = {name: (record, text.put_in(db)) for name, (record, text) in prepared.items()}
            return apply.run(
                db,
                memory_file.facts(db),
                asked,
                ready,
                [*refused, *again],
                made,
                to_iso(now or now_utc()),
                vectors=self._store.vectors_loaded,
            )

    def undo_run(self, run: str, *, now: datetime | None = None) -> ConsolidateResult:
        """Undoes what applying a plan did: every record as it was, what was made erased.

        Twice changes nothing.

        Args:
            run: what :meth:`apply_plan` called it.

        Raises:
            BrainError: ``brain_not_found`` (1) for an unknown run, ``brain_undo_changed`` (65)
                where a record of it has changed or been forgotten since,
                ``brain_probe_failed`` (74), and those of :meth:`forget`.
        """
        from brain.consolidate import undo
        from brain.results import ConsolidateResult, ProbeResult

        with self._store.read() as db:
            found = undo.require(db, run)
            pending = meta.ERASING in meta.read(db)
        if found.undone is not None:
            if pending:
                self._store.finish_erasing()
            return ConsolidateResult(run, (), (), ProbeResult())
        with self._store.write() as db:
            result, erased = undo.undo(
                db,
                memory_file.facts(db),
                undo.require(db, run),
                to_iso(now or now_utc()),
                vectors=self._store.vectors_loaded,
            )
        if result.created:
            self._finish_forgetting(erased, result.created)
        return result

    def words(self) -> tuple[OwnWord, ...]:
        """The user's own words."""
        from brain.results import OwnWord

        with self._store.read() as db:
            return tuple(OwnWord(*row) for row in meta.words(db))

    def add_word(self, line: str, *, now: datetime | None = None) -> OwnWord:
        """Adds one of the user's own words: ``词 [词频] [词性]``, jieba's dictionary format."""
        from brain.results import OwnWord

        word = OwnWord(*stopwords.parse_own_word(line))
        mask.refuse(word.word, "词")
        with self._store.write() as db:
            meta.add_word(db, word.word, word.freq, word.tag, to_iso(now or now_utc()))
        return word

    def remove_word(self, word: str) -> bool:
        """Removes one of the user's own words; False when it was not there."""
        if not self._store.exists():
            return False
        with self._store.write() as db:
            return meta.remove_word(db, validate.clean_query(word))

    # Exchanging ---------------------------------------------------------------------------------

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
        from brain.ingest import ingestion  # the readers, which no other verb needs

        validate.check_label(scope, "范围", "brain_scope_invalid")
        if not dry_run:
            self._settle_model()
        done = ingestion.run(
            self._store,
            path_of(path),
            format,
            scope,
            drafts.complete,
            every_session=every_session,
            dry_run=dry_run,
            progress=progress,
            now=now,
        )
        if dry_run:
            return done
        _, pending = self._catch_up(progress, embed)
        return replace(done, pending=pending)

    def export(
        self,
        *,
        format: str = "jsonl",
        scope: str | None = None,
        tags: Sequence[str] = (),
        as_of: When = None,
        with_recovery: bool = False,
        passed: Callable[[Fault], None] | None = None,
        now: datetime | None = None,
    ) -> Iterator[str]:
        """The memories leaving the file, as lines with their ends; one moment of it throughout.

        Args:
            format: ``jsonl``, complete, every record in whatever state; or ``markdown``, the
                current records, to be read and edited.
            scope: that scope alone; None for all of them.
            tags: only what is filed under every one of these.
            as_of: only what was current then.
            with_recovery: recovery records as well; only with the whole file as JSONL.
            passed: called for each damaged record, link, word, original or entry of the journal,
                which is left out; None has it raise ``brain_db_damaged`` (74).

        Raises:
            BrainError: ``brain_usage`` (2), ``brain_scope_invalid``, ``brain_date_invalid`` (65).
        """
        from brain.exchange import api

        shown = api.selection(format, scope, as_of, with_recovery, now or now_utc(), tags)
        return api.export_text(self._store, format, shown, with_recovery, passed)

    def export_to(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",
        scope: str | None = None,
        tags: Sequence[str] = (),
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
        from brain.exchange import api

        shown = api.selection(format, scope, as_of, with_recovery, now or now_utc(), tags)
        where = path_of(path)
        return api.export_to(self._store, format, shown, with_recovery, where, force=force)

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
        from brain.exchange import api, import_markdown

        given = path_of(source) if isinstance(source, str | Path) else source
        result = api.import_any(
            self._store,
            given,
            self._settle_model,
            drafts.complete,
            import_markdown.EditOptions(supersede, retract_missing, why),
            now or now_utc(),
            dry_run=dry_run,
            progress=progress,
        )
        if dry_run or not (result.added or result.corrected or result.superseded):
            return result
        made, pending = self._catch_up(progress, True)
        return replace(result, vectors=made, pending=pending)

    # What the verbs share -----------------------------------------------------------------------

    def _find(
        self,
        query: str,
        view: View,
        k: int = pipeline.POOL,
        *,
        context: str | None = None,
        now: datetime | None = None,
        semantic: bool = True,
        threshold: float | str | None = None,
        told: bool = True,
    ) -> pipeline.Found:
        """Reads a question, embeds it, runs lanes and gate: all on one moment of the file.

        Args:
            told: False leaves the decision's reasons unworded, where nobody reads them.
        """
        limit = gate.checked_threshold(threshold)
        text, before = validate.clean_query(query), validate.clean_query(context or "")
        with self._store.read() as db:
            asked = read_query(text, now or now_utc(), meta.own_words(db), before)
            facts = memory_file.facts(db)
            view = _happened(db, view)
            vectors = (
                self._model.embed_questions(facts, asked) if semantic else pipeline.WORDS_ALONE
            )
            remarks = (
                *validate.unreadable_remark(query),
                *explain.unknown_scopes(db, view),
                *explain.without_model(vectors.degraded),
            )
            return pipeline.answer(
                db, facts, asked, vectors, view, k, threshold=limit, told=told, remarks=remarks
            )

    def _warnings(self, query: str, view: View, now: datetime | None) -> tuple[m.Reason, ...]:
        """What went badly before, where a turn announces an action that is nearly the same."""
        with self._store.read() as db:
            if not links.any_current(db):
                return ()
            from brain.causal import announce, precedent

            if not announce.announced(query):
                return ()
            graph, asked, degraded = self._graph(db, (validate.clean_query(query),), view, now)
            found = precedent.before(graph, asked[0], "", degraded)
        return tuple(map(redact.reason, precedent.warned_of(found)))

    def _graph(
        self, db: Transaction, texts: Sequence[str], view: View, now: datetime | None
    ) -> tuple[Graph, builtins.list[Asked], tuple[str, ...]]:
        """What links say, what is asked of them, and the codes of what cannot take part."""
        from brain.causal import graph

        moment = now or now_utc()
        facts = memory_file.facts(db)
        own = meta.own_words(db)
        degraded: tuple[str, ...] = ()

        def read(text: str) -> Question:
            return read_query(text[: graph.MAX_CHARS], moment, own)[0]

        asked = []
        for text in texts:
            question = read(text)
            found = self._model.embed_questions(facts, (question,))
            degraded = tuple(dict.fromkeys((*degraded, *found.degraded)))
            vector = found.found[0] if found.found else None
            asked.append(graph.Asked(text, question, vector))
        model = None if degraded else facts.get(meta.MODEL) or None
        shown = replay.prepare(db, view)
        return graph.Graph(db, shown, facts.get(meta.VECTORS), model, read), asked, degraded

    def _terms(self, query: str) -> tuple[str, ...]:
        """The terms by which an original is narrowed to a question."""
        with self._store.read() as db:
            own = meta.own_words(db)
        return read_query(validate.clean_query(query), now_utc(), own)[0].narrowing

    def _add(
        self, given: Sequence[m.Draft], why: str, now: datetime | None, allow_secrets: bool
    ) -> builtins.list[m.AddResult]:
        """Checks, embeds and stores drafts in one transaction."""
        at = now or now_utc()
        mask.refuse(why, "原因")
        records = [
            drafts.with_claims(drafts.complete(draft, at, allow_secrets), draft.project)
            for draft in given
        ]
        embedder = self._model.for_writing()
        prepared = [(record, *encode_passages(record.text, embedder)) for record in records]
        with self._store.write() as db:
            # Another process may have stored the same after our clock was read.
            seen = to_iso(now or now_utc())
            done = add.add(db, file_model.table_for(db, embedder), prepared, why, seen)
        self._top_up(embedder)
        return done

    def _top_up(self, embedder: Embedder | None) -> None:
        """After a write, one batch of vectors from a server; others were made before it."""
        if embedder is not None and file_model.is_remote(embedder):
            from brain.maintenance import reembed

            reembed.top_up(self._store, embedder)

    def _prepare(self, text: str, source: str, why: str, allow_secrets: bool) -> drafts.Prepared:
        """A replacing text, checked and embedded before its transaction begins."""
        label = drafts.label(source, allow_secrets)
        checked = drafts.storable(text, allow_secrets)
        embedder = self._model.load(self._facts())
        return drafts.Prepared(label, why, embedder, *encode_passages(checked, embedder))

    def _set(
        self, memory_id: int | str, what: str, why: str, now: datetime | None, **values: object
    ) -> m.Memory:
        """One record with one thing about it set; the same value again changes nothing."""
        number = self._existing(memory_id)
        with self._store.write() as db:
            record = lineage.require(db, number)
            at = to_iso(now or now_utc())
            return redact.memory(lineage.change(db, record, at, what, why, **values))

    def _feedback(
        self, memory_id: int | str, what: str, why: str, now: datetime | None
    ) -> m.Memory:
        validate.check_why(why)
        number = self._existing(memory_id)
        with self._store.write() as db:
            after = strength.apply_feedback(db, number, what, to_iso(now or now_utc()), why)
        return redact.memory(after)

    def _after_it_began(self, memory_id: int) -> datetime:
        """The clock's time, later than the beginning of a record told in this millisecond."""
        from brain.lifecycle import supersede

        with self._store.read() as db:
            record = memories.get(db, memory_id)
        return supersede.clock_after(record)

    def _existing(self, memory_id: int | str) -> int:
        """A record's number; only ``add`` and ``create`` make a file, without one none is there."""
        number = validate.parse_id(memory_id)
        if not self._store.exists():
            raise BrainError("brain_not_found", f"没有编号为 #{number} 的记忆。", EXIT_NO)
        return number

    def _facts(self) -> dict[str, Any]:
        with self._store.read() as db:
            return memory_file.facts(db)

    def _settle_model(self) -> None:
        """Makes the file, where there is none, and settles its model."""
        self._model.settle()

    def _require_any(self, deed: str) -> None:
        """Raises ``brain_db_missing`` (66) without a file; ``deed`` is a Chinese verb."""
        if not self._store.exists():
            raise BrainError(
                "brain_db_missing",
                f"还没有记忆文件，没有可以{deed}的：{self.path}",
                EXIT_NO_INPUT,
            )

    def _catch_up(self, progress: StagedProgress | None, embed: bool) -> tuple[int, int]:
        """Makes the vectors still missing, or only counts them."""
        from brain.maintenance import reembed

        embedder = self._model.load(self._facts()) if embed else None
        told = None if progress is None else partial(progress, "embed")
        return reembed.catch_up(self._store, embedder, told)


def _happened(db: Transaction, view: View) -> View:
    """A view for facts: what a link says did not come about is none, unless outcomes are asked
    for."""
    hides = view.kind != m.OUTCOME_KIND and links.there(db)
    return replace(view, happened=True) if hides else view


def _counted(
    taken: Sequence[m.Memory], left: Sequence[m.Memory]
) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """Ids taken, how many, and ids left, as bulk results have them."""
    return tuple(one.id for one in taken), len(taken), tuple(one.id for one in left)
