"""Verbs that change what is remembered: replace, end, take back, erase, mark, weigh."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from time import sleep
from typing import TYPE_CHECKING

from brain import drafts, redact, validate
from brain import memory as m
from brain.embed.encode import embedded
from brain.errors import BrainError
from brain.file_model import table_for
from brain.lifecycle import lineage, strength
from brain.store import memories, use_log
from brain.text.timestamps import now_utc, parse_time, to_iso
from brain.verbs.opened import Opened, When

if TYPE_CHECKING:
    import apsw

    from brain.lifecycle.supersede import Put
    from brain.results import CorrectResult, ForgetResult, SupersedeResult


_TRIES = 20
_TRY_S = 0.0002
"""Seconds between two looks at the clock; a clock that stands still is not waited for."""


class Changing(Opened):
    """One record changed: its place in the line, its time, its weight."""

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
            raise BrainError("brain_usage", "取代要有新的编号或新的文本，二者给一个。", 2)
        old_id = validate.parse_id(old)
        self._require_file(old_id)
        moment = now or self._after_it_began(old_id)
        given = None if at is None else parse_time(at, now=moment)
        stamp = to_iso(moment)
        if text is None:
            new_id = validate.parse_id(new if new is not None else "")
            with self._store.write() as db:
                return supersede.supersede(db, old_id, new_id, given, stamp, why)
        label = drafts.label(source, allow_secrets)
        put = self._putting(drafts.storable(text, allow_secrets), why)
        with self._store.write() as db:
            return supersede.supersede_with(db, old_id, text, label, put(db), given, stamp, why)

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
        old_id = validate.parse_id(old)
        self._require_file(old_id)
        label = drafts.label(source, allow_secrets)
        put = self._putting(drafts.storable(text, allow_secrets), why)
        with self._store.write() as db:
            return supersede.correct_with(db, old_id, text, label, put(db), at, why)

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

        self._require_file(memory_id)
        number = validate.parse_id(memory_id)
        moment = now or self._after_it_began(number)
        given = None if at is None else parse_time(at, now=moment)
        with self._store.write() as db:
            return redact.discreet(supersede.expire(db, number, given, to_iso(moment), why, force))

    def _after_it_began(self, memory_id: int) -> datetime:
        """The clock's time, the next millisecond's where the record began in this one.

        Times are kept to the millisecond, and storing takes less: what was told just now may end.
        """
        with self._store.read() as db:
            record = memories.get(db, memory_id)
        for _ in range(_TRIES):
            moment = now_utc()
            if record is None or record.valid_from != to_iso(moment):
                break
            sleep(_TRY_S)
        return moment

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

        self._require_file(memory_id)
        number = validate.parse_id(memory_id)
        with self._store.write() as db:
            at = to_iso(now or now_utc())
            return redact.discreet(supersede.retract(db, number, at, why, force))

    def restore(
        self, memory_id: int | str, *, why: str = "", now: datetime | None = None
    ) -> m.Memory:
        """Takes a retracted or archived record back; its valid time stays as it is.

        Raises:
            BrainError: ``brain_not_found`` (1), those of :func:`brain.lifecycle.lineage.restore`
            (65).
        """
        self._require_file(memory_id)
        with self._store.write() as db:
            memory = lineage.require(db, validate.parse_id(memory_id))
            return redact.discreet(lineage.restore(db, memory, to_iso(now or now_utc()), why))

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
            BrainError: those of :func:`brain.lifecycle.forget.forget`; ``brain_wal_pending`` (75)
                when it is erased but the log still holds it, then the same call again finishes;
                ``brain_forget_incomplete`` (74).
        """
        from brain.lifecycle import forget
        from brain.results import ForgetResult

        number = validate.parse_id(memory_id)
        self._require_file(number)
        with self._store.write() as db:
            erased = forget.forget(db, number, to_iso(now or now_utc()), why, force)
        with suppress(OSError):  # the log of uses holds ids alone
            use_log.forget(self.path, number)
        self._store.finish_erasing()
        with self._store.read() as db:
            forget.verify(db, self.path, erased.text)
        return ForgetResult(number, erased.words)

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

    def _set(
        self, memory_id: int | str, what: str, why: str, now: datetime | None, **values: object
    ) -> m.Memory:
        """One record with one thing about it set; the same value again changes nothing."""
        self._require_file(memory_id)
        with self._store.write() as db:
            memory = lineage.require(db, validate.parse_id(memory_id))
            at = to_iso(now or now_utc())
            return redact.discreet(lineage.change(db, memory, at, what, why, **values))

    def _feedback(
        self, memory_id: int | str, what: str, why: str, now: datetime | None
    ) -> m.Memory:
        validate.check_why(why)
        self._require_file(memory_id)
        with self._store.write() as db:
            after = strength.give(
                db, validate.parse_id(memory_id), what, to_iso(now or now_utc()), why
            )
        return redact.discreet(after)

    def _putting(self, text: str, why: str) -> Callable[[apsw.Connection], Put]:
        """What stores a record of a text, embedded now, inside a transaction begun later."""
        embedder = self._model.load(self._facts())
        spans, found = embedded(text, embedder)
        return lambda db: partial(
            self._insert, db, table_for(db, embedder), spans=spans, found=found, why=why
        )
