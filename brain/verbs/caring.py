"""Verbs that look after the file: its vectors, strengths, health and copies, the user's words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from brain import validate
from brain.errors import EXIT_NO_INPUT, BrainError
from brain.lifecycle import strength
from brain.store import meta
from brain.text import stopwords
from brain.text.secrets import mask
from brain.text.timestamps import now_utc, to_iso
from brain.typecheck import path_of
from brain.verbs.opened import Opened

if TYPE_CHECKING:
    from brain.maintenance.reembed import ReembedResult
    from brain.results import (
        BackupResult,
        DecayResult,
        DoctorResult,
        OptimizeResult,
        OwnWord,
        RestoreResult,
    )

Progress = Callable[[int, int], None]


class Caring(Opened):
    """The file looked after as a whole."""

    def reembed(self, model: str, *, progress: Progress | None = None) -> ReembedResult:
        """Gives every record vectors of another (or the same) model; resumable after a break.

        The old vectors serve until the new set is whole.

        Args:
            model: a model's name, or ``'none'`` to do without vectors.
            progress: called with (done, total) passages.
        """
        from brain.maintenance import reembed

        self._require_any("嵌入")
        result = reembed.run(self._store, model, progress)
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
        why: str = "",
        now: datetime | None = None,
    ) -> DecayResult:
        """Lets strengths fade by the days since the last run, and archives what is weak and idle.

        Twice a day does no harm, a missed month is caught up, nothing is deleted; a run that was
        killed is finished by the next one.

        Args:
            daily, archive_below, idle_days, keep_importance: see
            :class:`brain.maintenance.decay.Rule`. dry_run: say what would be done, and change
            nothing.

        Raises:
            BrainError: ``brain_decay_invalid`` (65), ``brain_db_missing`` (66).
        """
        from brain.maintenance import decay

        rule = decay.Rule(daily, archive_below, idle_days, keep_importance)
        self._require_any("衰减")
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

    def _require_any(self, deed: str) -> None:
        """Raises ``brain_db_missing`` (66) without a file; ``deed`` is a Chinese verb."""
        if not self._store.exists():
            raise BrainError(
                "brain_db_missing",
                f"还没有记忆文件，没有可以{deed}的：{self.path}",
                EXIT_NO_INPUT,
            )

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
