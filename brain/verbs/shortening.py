"""Verbs that make a text shorter, and give the original back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from brain import validate
from brain.compress import handles
from brain.errors import BrainError
from brain.text.timestamps import now_utc, to_iso
from brain.verbs.opened import Opened

if TYPE_CHECKING:
    from brain.results import CompressResult, Recovered


class Shortening(Opened):
    """Texts made shorter, with a way back."""

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
        from brain.compress import originals
        from brain.results import Recovered

        reference = handles.parse(handle)
        with self._store.read() as db:
            data, content_type = originals.find(db, reference)
        if reference.pointer:
            from brain.compress import json_pointer

            data, content_type = json_pointer.subtree(data, reference.pointer), "application/json"
        if query is not None:
            from brain.compress import excerpt

            data = excerpt.narrowed(data, self._terms(query), reference.handle)
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
        from brain.compress import document, originals
        from brain.results import CompressResult

        raw = validate.check_encodable(data) if isinstance(data, str) else bytes(data)
        most = originals.most_bytes()
        made = document.document(raw, self._terms(query) if query else ())
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
