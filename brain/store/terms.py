"""The two text indexes: grams (short words, identifiers) and trigrams (substrings).

Neither keeps the text. bm25 is FTS5's own (k1 1.2, b 0.75, https://sqlite.org/fts5.html); the
``scope`` column holds one term naming the scope and weighs nothing in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from brain.store import meta
from brain.store.memories import visible
from brain.store.sql import one, rows
from brain.store.view import View
from brain.text.fold import fold
from brain.text.grams import any_of, index_terms, quote

FILTERED = 3
"""How many times the rows wanted are ranked before the view is asked about them."""

GRAMS = "grams"
TRIGRAMS = "trigrams"

_SCOPE_BASE = 0xE100
_SCOPE_DIGIT = 4096


def scope_term(scope_id: int) -> str:
    """A scope's number as three private-use characters: one trigram, and no text's gram."""
    high, low = divmod(scope_id, _SCOPE_DIGIT)
    return chr(0xE000) + chr(_SCOPE_BASE + high) + chr(_SCOPE_BASE + low)


def add(db: apsw.Connection, memory_id: int, text: str, scope_id: int) -> None:
    """Indexes a memory's text in both indexes.

    Where SQLite lacks the trigram tokenizer that index waits: the file is marked to be indexed anew
    by the next writer that has it.
    """
    folded = fold(text)
    scope = scope_term(scope_id)
    db.execute(
        "INSERT INTO grams (rowid, body, scope) VALUES (?, ?, ?)",
        (memory_id, " ".join(index_terms(folded)), scope),
    )
    try:
        db.execute(
            "INSERT INTO trigrams (rowid, body, scope) VALUES (?, ?, ?)", (memory_id, folded, scope)
        )
    except apsw.SQLError as e:
        if "no such tokenizer" not in str(e):
            raise
        meta.put(db, **{meta.FOLD: 0})


def has_trigrams(db: apsw.Connection) -> bool:
    """Whether this SQLite can use the trigram index."""
    try:
        rows(db, "SELECT 1 FROM trigrams WHERE trigrams MATCH ? LIMIT 1", (quote("abc"),))
    except apsw.SQLError as e:
        if "no such tokenizer" not in str(e):
            raise
        return False
    return True


def remove(db: apsw.Connection, memory_id: int, text: str, scope_id: int) -> None:
    """Takes a memory out of both indexes; ``text`` must be what :func:`add` was given."""
    folded = fold(text)
    scope = scope_term(scope_id)
    db.execute(
        "INSERT INTO grams (grams, rowid, body, scope) VALUES ('delete', ?, ?, ?)",
        (memory_id, " ".join(index_terms(folded)), scope),
    )
    db.execute(
        "INSERT INTO trigrams (trigrams, rowid, body, scope) VALUES ('delete', ?, ?, ?)",
        (memory_id, folded, scope),
    )


def clear(db: apsw.Connection) -> None:
    """Empties both indexes."""
    db.execute("INSERT INTO grams (grams) VALUES ('delete-all')")
    db.execute("INSERT INTO trigrams (trigrams) VALUES ('delete-all')")


def merge(db: apsw.Connection) -> None:
    """Merges the segments of each index into one (FTS5's 'optimize')."""
    db.execute("INSERT INTO grams (grams) VALUES ('optimize')")
    db.execute("INSERT INTO trigrams (trigrams) VALUES ('optimize')")


def remake(db: apsw.Connection) -> None:
    """Drops both indexes, in whatever state, and makes them again as they were made, empty."""
    names = (GRAMS, TRIGRAMS, f"{GRAMS}_vocab", f"{TRIGRAMS}_vocab")
    made = dict(rows(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"))
    for name in reversed(names):
        db.execute(f"DROP TABLE {name}")
    for name in names:
        db.execute(made[name])
    for index in (GRAMS, TRIGRAMS):
        db.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('secure-delete', 1)")


def _match(terms: Iterable[str], scope_ids: Sequence[int] | None) -> str:
    body = f"body : ({any_of(terms)})"
    if scope_ids is None:
        return body
    scopes = " OR ".join(quote(scope_term(s)) for s in scope_ids)
    return f"scope : ({scopes}) AND {body}"


def search(
    db: apsw.Connection,
    index: str,
    terms: Sequence[str],
    view: View,
    scope_ids: Sequence[int] | None,
    limit: int,
    newer_than: int = 0,
) -> list[tuple[int, float]]:
    """Memories holding any of the terms, best bm25 first, ties by id.

    Args:
        index: ``GRAMS`` or ``TRIGRAMS``.
        terms: query terms (a lone character with ``*`` is a prefix, in the gram index).
        scope_ids: numbers of the scopes seen, or None for all.
        newer_than: only memories with a higher id than this.

    Returns:
        (memory id, bm25 as a positive number, larger is better).
    """
    if not terms or scope_ids == []:
        return []
    match = _match(terms, scope_ids)
    # Most files show most of their records: the best few by bm25 alone are enough to filter.
    best = _first(db, index, match, newer_than, FILTERED * limit)
    kept = _visible(db, best, view, limit)
    if len(kept) == limit or len(best) < FILTERED * limit:
        return kept
    where, args = view.where()
    found = rows(
        db,
        f"SELECT f.rowid, -bm25({index}, 1.0, 0.0) AS score FROM {index} f"
        " CROSS JOIN memories m ON m.id = f.rowid"
        f" WHERE {index} MATCH ? AND f.rowid > ? AND {where}"
        " ORDER BY score DESC, f.rowid LIMIT ?",
        (match, newer_than, *args, limit),
    )
    return [(int(a), float(b)) for a, b in found]


def _first(
    db: apsw.Connection, index: str, match: str, newer_than: int, limit: int
) -> list[tuple[int, float]]:
    found = rows(
        db,
        f"SELECT rowid, -bm25({index}, 1.0, 0.0) AS score FROM {index}"
        f" WHERE {index} MATCH ? AND rowid > ? ORDER BY score DESC, rowid LIMIT ?",
        (match, newer_than, limit),
    )
    return [(int(a), float(b)) for a, b in found]


def _visible(
    db: apsw.Connection, best: Sequence[tuple[int, float]], view: View, limit: int
) -> list[tuple[int, float]]:
    shown = visible(db, [i for i, _ in best], view)
    return [(i, score) for i, score in best if i in shown][:limit]


def frequency(db: apsw.Connection, index: str, term: str) -> int:
    """In how many memories a term occurs, exactly; costs a read of its whole posting list."""
    found = rows(db, f"SELECT doc FROM {index}_vocab WHERE term = ?", (term,))
    return int(found[0][0]) if found else 0


def frequency_between(db: apsw.Connection, index: str, term: str, low: int, high: int) -> int:
    """In how many memories with low < id <= high a term occurs."""
    return int(
        one(
            db,
            f"SELECT count(*) FROM {index} WHERE {index} MATCH ? AND rowid > ? AND rowid <= ?",
            (_match([term], None), low, high),
        )
    )


def nth_newest(
    db: apsw.Connection,
    index: str,
    term: str,
    scope_ids: Sequence[int] | None,
    n: int,
) -> int:
    """The id of the n-th newest memory that holds the term; 0 when there are fewer."""
    found = rows(
        db,
        f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
        (_match([term], scope_ids), n),
    )
    return int(found[0][0]) if found else 0


def average_length(db: apsw.Connection) -> float:
    """Mean number of gram terms a note has; 0 for an empty index.

    FTS5 keeps it in its "averages record" (row 1 of the data table: the number of rows, then the
    number of tokens in each column, as SQLite varints; see fts5_index.c).
    """
    found = rows(db, "SELECT block FROM grams_data WHERE id = 1")
    if not found or not found[0][0]:
        return 0.0
    count, tokens = _varints(found[0][0])[:2]
    return tokens / count if count else 0.0


def _varints(data: bytes) -> list[int]:
    """SQLite's variable-length integers (https://sqlite.org/fileformat2.html#varint)."""
    out: list[int] = []
    value = 0
    length = 0
    for byte in data:
        length += 1
        value = (value << 8) | byte if length == 9 else (value << 7) | (byte & 0x7F)
        if length == 9 or byte < 0x80:
            out.append(value)
            value = length = 0
    return out
