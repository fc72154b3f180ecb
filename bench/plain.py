"""What the engine's lexical lane is held against: FTS5 asked for every term, by its own bm25."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from brain.store.fts import scope_term
from brain.store.sql import rows
from brain.store.view import View
from brain.text.tokenize import quote


def search(
    db: apsw.Connection,
    index: str,
    terms: Sequence[str],
    view: View,
    scope_ids: Sequence[int] | None,
    limit: int,
) -> list[int]:
    """Visible memories holding any of the terms, best bm25 first, ties by id.

    Args:
        index: ``GRAMS`` or ``TRIGRAMS`` of :mod:`brain.store.fts`.
        scope_ids: numbers of the scopes seen, or None for all.
    """
    if not terms or scope_ids == []:
        return []
    match = f"body : ({' OR '.join(map(quote, terms))})"
    if scope_ids is not None:
        match = f"scope : ({' OR '.join(quote(scope_term(s)) for s in scope_ids)}) AND {match}"
    where, args = view.where()
    found = rows(
        db,
        f"SELECT f.rowid FROM {index} f CROSS JOIN memories m ON m.id = f.rowid"
        f" WHERE {index} MATCH ? AND {where} ORDER BY bm25({index}, 1.0, 0.0), f.rowid LIMIT ?",
        (match, *args, limit),
    )
    return [int(row[0]) for row in found]
