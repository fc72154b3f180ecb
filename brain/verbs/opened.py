"""An opened memory file: what every verb stands on."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain import drafts, validate
from brain.errors import EXIT_NO, BrainError
from brain.file_model import Model
from brain.recall.query import Question, read
from brain.store import insert, memory_file, meta
from brain.store.view import View
from brain.text.timestamps import now_utc, parse_time, to_iso

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder

When = str | datetime | None


class Opened:
    """A file, its model, and how a verb reads its arguments."""

    def __init__(
        self,
        store: memory_file.Store,
        embedder: Embedder | None,
        model: str | None,
        patience: float | None = None,
    ) -> None:
        self._store = store
        self._model = Model(store, embedder, model, patience)

    # How every verb checks what is to be stored, and stores it.
    _record = staticmethod(drafts.complete)
    _insert = staticmethod(insert.put)

    @property
    def path(self) -> Path:
        """Where the file is, or will be."""
        return self._store.path

    def _facts(self) -> dict[str, Any]:
        with self._store.read() as db:
            return memory_file.facts(db)

    def _settle_model(self) -> None:
        """Makes the file, where there is none, and settles its model."""
        self._model.settle()

    def _require_file(self, memory_id: int | str) -> None:
        """Only ``add`` and ``create`` make a file; without one, no record is there to change."""
        if not self._store.exists():
            number = validate.parse_id(memory_id)
            raise BrainError("brain_not_found", f"没有编号为 #{number} 的记忆。", EXIT_NO)

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
        validate.check_label(scope, "范围", "brain_scope_invalid")
        return View(
            as_of=to_iso(moment) if as_of is None else parse_time(as_of, now=moment),
            known_at=None if known_at is None else parse_time(known_at, now=moment),
            scopes=None if all_scopes else tuple(dict.fromkeys((scope, ""))),
            kind=None if kind is None else validate.check_kind(kind),
            include_expired=include_expired,
        )

    def _ask(self, query: str, context: str | None, now: datetime | None) -> tuple[Question, ...]:
        text = validate.clean_query(query)
        with self._store.read() as db:
            own = [word for word, _, _ in meta.words(db)]
        earlier = validate.clean_query(context) if context else ""
        return read(text, now or now_utc(), own, earlier)
