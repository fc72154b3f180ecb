"""Brain: the one object every face talks to.

One ``Brain`` is one memory file. It checks and completes what it is given, embeds outside any
lock, and runs each write as one transaction that holds the record, its index rows and its vectors.

Here stand opening and closing, and the verbs used most: adding, and asking. The others are in
:mod:`brain.verbs`, a class for each subject.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from brain import memory as m
from brain import redact, typecheck, validate
from brain.embed.encode import embedded
from brain.errors import EXIT_USAGE, BrainError
from brain.file_model import table_for
from brain.inject import pack
from brain.lifecycle import add
from brain.recall import explain, gate, naming, pipeline, similar
from brain.recall.query import Question
from brain.store import folder, memory_file, meta, use_log
from brain.store.view import View
from brain.text import stopwords
from brain.text.fold import fold
from brain.text.secrets import mask
from brain.text.timestamps import now_utc, to_iso
from brain.verbs.caring import Caring
from brain.verbs.changing import Changing
from brain.verbs.exchanging import Exchanging
from brain.verbs.looking import Looking
from brain.verbs.opened import When
from brain.verbs.shortening import Shortening

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder
    from brain.results import InitResult

MAX_K = 1000


def default_path() -> Path:
    """``BRAIN_DB``, else ``~/.brain/brain.db``."""
    given = os.environ.get("BRAIN_DB")
    return typecheck.path_of(given) if given else Path.home() / ".brain" / "brain.db"


@typecheck.checked
class Brain(Changing, Looking, Shortening, Caring, Exchanging):
    """A memory file, opened. Use :meth:`open`; one object may be used from several threads."""

    # Opening and closing --------------------------------------------------------------------

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
        where = typecheck.path_of(path) if path is not None else default_path()
        store = memory_file.Store(where, read_only=read_only)
        embedder = None if model is None or isinstance(model, str) else model
        name = model if isinstance(model, str) else (embedder.name if embedder else None)
        brain = cls(store, embedder, name, patience)
        if checked and store.exists():
            brain._model.refuse_other()
        return brain

    @classmethod
    def create(cls, path: str | Path | None = None, *, model: str | None = None) -> InitResult:
        """Makes a memory file and settles its model; an existing file is left as it is.

        Args:
            model: a model's name, ``'none'``, or None for ``BRAIN_MODEL``, else the best one on
                this machine.
        """
        from brain.results import InitResult

        with cls.open(path) as brain:
            existed = brain._store.exists()
            facts = brain._facts()
            if meta.MODEL not in facts:
                brain._model.settle(model)
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

    def degraded(self) -> tuple[str, ...]:
        """Codes of what cannot take part in recall: see docs/cli.md. Loads the model."""
        if not self._store.exists():
            return ()
        facts = self._facts()
        return self._model.degraded(facts, self._model.load(facts))

    # Adding ---------------------------------------------------------------------------------

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
        with self._store.read() as db:
            view = View(as_of=to_iso(now or now_utc()), scopes=(scope,))
            return replace(result, similar=similar.find(db, result.id, text, view))

    def add_many(
        self,
        drafts: Iterable[m.Draft],
        *,
        allow_secrets: bool = False,
        now: datetime | None = None,
    ) -> list[m.AddResult]:
        """Stores a batch in one transaction: all of it or, on an error, nothing."""
        return self._add([typecheck.check_draft(d) for d in drafts], "", now, allow_secrets)

    def _add(
        self,
        drafts: Sequence[m.Draft],
        why: str,
        now: datetime | None,
        allow_secrets: bool,
    ) -> list[m.AddResult]:
        at = now or now_utc()
        mask.refuse(why, "原因")
        records = [self._record(draft, at, allow_secrets) for draft in drafts]
        embedder = self._model.load(self._model.settle())
        prepared = [(record, *embedded(record.text, embedder)) for record in records]
        with self._store.write() as db:
            # Another process may have stored the same after our clock was read.
            seen = to_iso(now or now_utc())
            return add.add(db, table_for(db, embedder), prepared, why, seen)

    # Asking ---------------------------------------------------------------------------------

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
            BrainError: :func:`brain.validate.blank_query` (65), ``brain_k_invalid`` (2).
        """
        asked = self._ask(query, context, now)
        if not asked[0].folded.strip():
            raise validate.blank_query(query)
        view = self._view(scope, kind, as_of, known_at, now, include_expired=include_expired)
        _check_k(k)
        found = self._find(query, asked, view, k, semantic=True)
        decision = found.decision
        return m.RecallResult(
            validate.clean_query(query),
            redact.told(similar.mark(found.hits[:k])),
            redact.told(found.skills),
            decision,
            decision.degraded,
            decision.reasons,
            decision.remarks,
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
            raise validate.blank_query(query)
        view = self._view(scope, kind, as_of, known_at, now, include_expired=include_expired)
        _check_k(k)
        found = self._find(query, asked, view, k, semantic=False, told=False)
        held = [h for h in found.hits if "lexical" in h.lanes]
        return m.RecallResult(
            validate.clean_query(query),
            redact.told(held[:k]),
            redact.told(found.skills),
            degraded=found.decision.degraded,
            remarks=found.decision.remarks,
        )

    def explained(self, result: m.RecallResult) -> m.RecallResult:
        """The same result with its matched terms as words; loads the segmenter (0.1 s once).

        The user's own words stay whole.
        """
        own = [" ".join(str(x) for x in (w.word, w.freq, w.tag) if x) for w in self.words()]
        folded = fold(validate.clean_query(result.query))
        cut = stopwords.content_words(folded, own)
        told = (f"查询切成词：{'、'.join(cut)}。",) if cut else ()
        return replace(
            result,
            hits=tuple(explain.by_words(h, cut, folded) for h in result.hits),
            skills=tuple(explain.by_words(h, cut, folded) for h in result.skills),
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
        return self._find(
            query, asked, view, pipeline.POOL, semantic=True, threshold=threshold
        ).decision

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
        found = self._find(query, asked, view, pipeline.POOL, semantic=True, told=False)
        decision = found.decision
        if not decision.answerable:
            return m.InjectResult(
                "",
                False,
                decision.probability,
                0,
                degraded=decision.degraded,
                remarks=decision.remarks,
            )
        fitting = [h for h in (*found.hits, *found.skills) if h.id in decision.ids]
        block = pack.block_of_hits(fitting, found.terms, limit)
        if as_of is None and known_at is None and not self._store.read_only:
            use_log.note(self.path, to_iso(now or now_utc()), [h.id for h in block.hits])
        return m.InjectResult(
            block.text,
            bool(block.text),
            decision.probability,
            block.tokens,
            redact.told(block.hits),
            block.left_out,
            decision.degraded,
            found=len(fitting),
            remarks=decision.remarks,
        )

    def _find(
        self,
        query: str,
        asked: Sequence[Question],
        view: View,
        k: int,
        *,
        semantic: bool,
        threshold: float | str | None = None,
        told: bool = True,
    ) -> pipeline.Found:
        """Embeds the questions, then runs the lanes and the gate on one moment of the file.

        A long message is asked as a whole and by its questions; the one best answered counts.
        Where its reasons are not shown (``told``) they are not worded either.
        """
        wanted = gate.checked_threshold(threshold)
        remarks = validate.unreadable(query)
        facts = self._facts()
        model: str | None = None
        vectors: list[NDArray[np.float32] | None] = [None] * len(asked)
        degraded: tuple[str, ...] = ()
        if semantic and asked[0].searchable and not asked[0].chitchat:
            texts = [q.text for q in asked]
            model, vectors, degraded = self._model.of_questions(facts, texts)
        with self._store.read() as db:
            facts = memory_file.facts(db)
            if model is not None and facts.get(meta.MODEL) != model:
                # Re-embedded by another process between the two looks.
                model, degraded = None, (*degraded, "model_mismatch")
            remarks += naming.of_view(db, view)
            found = pipeline.answer(
                db,
                facts,
                asked,
                vectors,
                view,
                k,
                model=model,
                threshold=wanted,
                degraded=degraded,
                told=told,
            )
        hits, skills = (
            tuple(redact.shown(hit, found.terms) for hit in group)
            for group in (found.hits, found.skills)
        )
        decision = replace(found.decision, remarks=remarks)
        return replace(found, hits=hits, skills=skills, decision=decision)


def _check_k(k: int) -> None:
    if not 1 <= k <= MAX_K:
        raise BrainError("brain_k_invalid", f"条数（k）应在 1 到 {MAX_K} 之间。", EXIT_USAGE)
