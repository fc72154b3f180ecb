"""Verbs that look at what is there, without a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from brain import memory as m
from brain import redact, typecheck, validate
from brain.errors import EXIT_USAGE, BrainError
from brain.inject import pack
from brain.lifecycle import lineage, replay
from brain.recall import naming
from brain.store import memories
from brain.store.view import View
from brain.text.secrets import mask
from brain.text.timestamps import now_utc, to_iso
from brain.verbs.opened import Opened, When

if TYPE_CHECKING:
    from brain.inject.brief import Brief
    from brain.results import History, ScopeCount, Stats

MAX_LIMIT = 1_000_000_000


class Looking(Opened):
    """Records by number and by list, their history, and what the whole of them is like."""

    def get(self, memory_id: int | str, *, reveal: bool = False) -> m.Memory:
        """One record by id, whatever its state.

        Args:
            reveal: show the text as it is stored; otherwise secrets in it are masked.

        Raises:
            BrainError: ``brain_not_found`` (1).
        """
        with self._store.read() as db:
            found = lineage.require(db, validate.parse_id(memory_id))
        return found if reveal else redact.discreet(found)

    def corrected(self, records: Iterable[m.Memory]) -> frozenset[int]:
        """Which of some records, and of those they took over from, were wrong and corrected.

        The others among them were superseded: the world changed.
        """
        known = [typecheck.check_memory(record) for record in records]
        with self._store.read() as db:
            return lineage.corrected(db, known)

    def history(self, memory_id: int | str) -> History:
        """What replaced what, oldest first, for any record of the line, and what happened when.

        Raises:
            BrainError: ``brain_not_found`` (1), ``brain_lineage_broken`` (74).
        """
        from brain.lifecycle import history
        from brain.results import History

        with self._store.read() as db:
            found = history.of(db, lineage.require(db, validate.parse_id(memory_id)))
        return History(
            tuple(map(redact.discreet, found.history)),
            tuple(replace(event, why=mask.masked(event.why)) for event in found.events),
        )

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
            raise BrainError(
                "brain_limit_invalid", f"条数（limit）应在 1 到 {MAX_LIMIT} 之间。", EXIT_USAGE
            )
        view = self._view(scope, kind, as_of, known_at, now, all_scopes=all_scopes)
        with self._store.read() as db:
            if all:
                found = memories.everything(db, view.scopes, kind, limit, view.known_at)
            else:
                view = replay.prepare(db, view.with_archived(archived))
                found = memories.listing(db, view, limit)
            found = replay.records(db, found, view.known_at)
        return found if reveal else [redact.discreet(memory) for memory in found]

    def stats(self, *, now: datetime | None = None) -> Stats:
        """What is in the file."""
        from brain.maintenance import stats

        at = to_iso(now or now_utc())
        return stats.stats(self._store, at, self._model.degraded_unloaded)

    def scopes(self, *, now: datetime | None = None) -> tuple[ScopeCount, ...]:
        """Every scope that has records, the global one ('') first, then by name."""
        from brain.results import ScopeCount

        everywhere = View(as_of=to_iso(now or now_utc()), scopes=None)
        with self._store.read() as db:
            current = memories.counts_by(db, "scope", everywhere)
            total = memories.scope_totals(db)
        return tuple(ScopeCount(name, current.get(name, 0), n) for name, n in total.items())

    def scope_remark(self, scope: str) -> str:
        """A Chinese sentence on a scope that never had a record; see :mod:`brain.recall.naming`."""
        with self._store.read() as db:
            return naming.remark(db, scope)

    def brief(
        self, budget: int | None = None, *, scope: str = "", now: datetime | None = None
    ) -> Brief:
        """What an agent should know before any question: pinned records, preferences, an overview.

        Args:
            budget: estimated tokens; None is 420, 0 is unlimited.

        Raises:
            BrainError: as :meth:`inject` does for a budget.
        """
        from brain.inject import brief

        limit = pack.checked_budget(budget)
        view = self._view(scope, None, None, None, now)
        with self._store.read() as db:
            return brief.write(db, view, limit)
