"""Full-text indexes (FTS5), two: grams (short words, identifiers) and trigrams (substrings).

Neither keeps the text (https://sqlite.org/fts5.html#contentless_tables). The ``scope`` column holds
one term naming the scope.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import apsw

from brain.store import meta
from brain.store.sql import one, rows
from brain.text.fold import fold
from brain.text.tokenize import index_terms, quote

MERGE_THRESHOLD = 2
"""Segments of a level from which a merge begins (FTS5's own is 4). Each one a look-up goes through
costs as much as the look-up itself: filled by single adds, a file stays near 5 instead of 7, by
batches near 3 instead of 5, and adds take a tenth longer."""

MERGED_PAGES = 16
MERGED_PAGES_A_NOTE = 0.4
"""Pages each index may merge after a write, and how many more for each note of a batch."""

GRAMS = "grams"
TRIGRAMS = "trigrams"

_KEY = b"0"
"""Stands before each term of the main index (FTS5_MAIN_PREFIX in fts5_index.c)."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


class DamagedIndex(apsw.CorruptError):
    """A text index cannot be read, or lacks records; the records themselves may be sound."""


def _look_up(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A look-up that raises ``DamagedIndex`` for whatever it meets in a damaged index."""

    @wraps(function)
    def looked_up(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except (apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as e:
            if isinstance(e, DamagedIndex) or "no such module" in str(e):
                raise
            # The statements are fixed: one fails only where a table is not as it was made.
            raise DamagedIndex(str(e)) from e

    return looked_up


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


@_look_up
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


def rewrite_keys(db: apsw.Connection, *texts: str) -> int:
    """Rewrites the separator keys of both indexes that begin no term any more; gives how many.

    The first term of each leaf page is noted, cut short, in the ``_idx`` table as the key that
    finds the page (fts5_index.c, "Segment B-Tree Format"); secure-delete leaves that key when the
    term goes. Any key does that is above all terms of the pages before and not above the page's
    own, so it becomes the least remembered term that is not below it.

    Args:
        texts: only keys that begin a term of these are looked at; none looks at all.
    """
    done = 0
    for index in (GRAMS, TRIGRAMS):
        for segment, key, page in stale_keys(db, index, *texts):
            least = _least_term(db, index, key)
            above = rows(
                db,
                f"SELECT term FROM {index}_idx WHERE segid = ? AND term > ? ORDER BY term LIMIT 1",
                (segment, key),
            )
            if least is None or (above and _KEY + least >= above[0][0]):
                # No term of the page is left: FTS5 itself drops the key then.
                db.execute(f"DELETE FROM {index}_idx WHERE segid = ? AND term = ?", (segment, key))
            else:
                db.execute(
                    f"UPDATE {index}_idx SET term = ? WHERE segid = ? AND pgno = ?",
                    (_KEY + least, segment, page),
                )
            done += 1
    return done


def stale_keys(db: apsw.Connection, index: str, *texts: str) -> list[tuple[int, bytes, int]]:
    """The separator keys that begin no term any more, as (segment, key, page).

    Args:
        texts: as for :func:`rewrite_keys`.
    """
    terms = sorted({term.encode() for text in texts for term in terms_of(index, text)})
    out = []
    for segment, key, page in rows(db, f"SELECT segid, term, pgno FROM {index}_idx"):
        begins = bytes(key)[len(_KEY) :]
        if not begins:
            continue
        if texts:
            at = bisect_left(terms, begins)
            if at == len(terms) or not terms[at].startswith(begins):
                continue
        least = _least_term(db, index, bytes(key))
        if least is None or not least.startswith(begins):
            out.append((int(segment), bytes(key), int(page)))
    return out


def stale_terms(db: apsw.Connection, *texts: str) -> list[str]:
    """Terms of texts that an index still keeps though no record has them: none, once forgotten."""
    out: list[str] = []
    for index in (GRAMS, TRIGRAMS) if texts else ():
        out += [key[1:].decode("utf-8", "replace") for _, key, _ in stale_keys(db, index, *texts)]
    return out


def _least_term(db: apsw.Connection, index: str, key: bytes) -> bytes | None:
    # The vocabulary gives its terms in order. A key may end inside a character.
    found = rows(
        db,
        f"SELECT CAST(term AS BLOB) FROM {index}_vocab WHERE term >= CAST(? AS TEXT) LIMIT 1",
        (key[len(_KEY) :],),
    )
    return bytes(found[0][0]) if found else None


def terms_of(index: str, text: str) -> set[str]:
    """All terms an index holds of a text."""
    folded = fold(text)
    if index == GRAMS:
        return set(index_terms(folded))
    return {folded[at : at + 3] for at in range(len(folded) - 2)}


def clear(db: apsw.Connection) -> None:
    """Empties both indexes."""
    db.execute("INSERT INTO grams (grams) VALUES ('delete-all')")
    db.execute("INSERT INTO trigrams (trigrams) VALUES ('delete-all')")


def merge_some(db: apsw.Connection, notes: int) -> None:
    """Merges a little of each index after a write: what it added, and its share of older segments.

    FTS5 lets sixteen segments gather on a level where each transaction writes little, and every
    look-up goes through all of them. What it costs does not grow with the file.

    Args:
        notes: how many were added.
    """
    pages = MERGED_PAGES + int(MERGED_PAGES_A_NOTE * notes)
    for index in (GRAMS, TRIGRAMS):
        db.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))


def set_merge_threshold(db: apsw.Connection) -> None:
    """Lets merges begin with ``MERGE_THRESHOLD`` segments; the file keeps it; no tokenizer used."""
    for index in (GRAMS, TRIGRAMS):
        db.execute(
            f"INSERT INTO {index} ({index}, rank) VALUES ('usermerge', ?)", (MERGE_THRESHOLD,)
        )


def merge(db: apsw.Connection, index: str, pages: int) -> bool:
    """Goes a step towards one segment: merges so many pages of an index.

    A negative number makes FTS5 gather all segments on one level first, and go on with a merge that
    has been begun (https://sqlite.org/fts5.html#the_merge_command).

    Returns:
        Whether it found anything to do.
    """
    before = db.total_changes()
    db.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (-pages,))
    # The command itself counts as one change.
    return db.total_changes() - before > 1


def segments(db: apsw.Connection, index: str) -> int:
    """How many segments an index is in; each costs every look-up a little."""
    return int(one(db, f"SELECT count(DISTINCT segid) FROM {index}_idx"))


def pages(db: apsw.Connection, index: str) -> int:
    """About how many leaf pages an index has, in all its segments."""
    return int(one(db, f"SELECT count(*) FROM {index}_idx"))


def make(db: apsw.Connection) -> None:
    """Makes both indexes, empty, and their vocabularies.

    Both keep no copy of the text; a row leaves by an explicit 'delete' with the same folded text,
    and secure-delete then leaves none of its terms behind.
    """
    db.execute("""
    CREATE VIRTUAL TABLE grams USING fts5 (
      body, scope, content = '',
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
    );
    CREATE VIRTUAL TABLE trigrams USING fts5 (
      body, scope, content = '', tokenize = 'trigram case_sensitive 1'
    );
    INSERT INTO grams (grams, rank) VALUES ('secure-delete', 1);
    INSERT INTO trigrams (trigrams, rank) VALUES ('secure-delete', 1);
    CREATE VIRTUAL TABLE grams_vocab USING fts5vocab (grams, 'row');
    CREATE VIRTUAL TABLE trigrams_vocab USING fts5vocab (trigrams, 'row');
    """)


def recreate(db: apsw.Connection) -> None:
    """Drops both indexes, in whatever state, and makes them again, empty."""
    for name in (f"{GRAMS}_vocab", f"{TRIGRAMS}_vocab", GRAMS, TRIGRAMS):
        db.execute(f"DROP TABLE IF EXISTS {name}")
    make(db)
    set_merge_threshold(db)


def _match(term: str, scope_ids: Sequence[int] | None) -> str:
    """A term as a MATCH expression; a lone character with ``*`` is a prefix, in the gram index."""
    body = f"body : {quote(term)}"
    if scope_ids is None:
        return body
    scopes = " OR ".join(quote(scope_term(s)) for s in scope_ids)
    return f"scope : ({scopes}) AND {body}"


@_look_up
def postings(
    db: apsw.Connection,
    index: str,
    terms: Sequence[str],
    scope_ids: Sequence[int] | None,
    newest: int | None = None,
) -> dict[str, str]:
    """The ids of the memories that hold each term, as decimal text with commas between.

    Args:
        index: ``GRAMS`` or ``TRIGRAMS``.
        terms: query terms (a lone character with ``*`` is a prefix, in the gram index).
        scope_ids: numbers of the scopes seen, or None for all.
        newest: only so many of each, the newest.
    """
    if scope_ids == [] or not terms:
        return dict.fromkeys(terms, "")
    ids = f"SELECT rowid FROM {index} WHERE {index} MATCH j.value"
    if newest is not None:
        ids += f" ORDER BY rowid DESC LIMIT {int(newest)}"
    found = rows(
        db,
        # One text a term instead of a row a posting: reading rows takes three times as long.
        f"SELECT (SELECT group_concat(rowid) FROM ({ids})) FROM json_each(?) j ORDER BY j.key",
        (json.dumps([_match(term, scope_ids) for term in terms]),),
    )
    return {term: ids or "" for term, (ids,) in zip(terms, found, strict=True)}


def finds(
    db: apsw.Connection, index: str, terms: Sequence[str], scope_id: int, memory_id: int
) -> bool:
    """Whether an index finds one memory by each of some terms, under its scope."""
    body = " AND ".join(map(quote, terms)) if terms else None
    match = f"scope : {quote(scope_term(scope_id))}" + (f" AND body : ({body})" if body else "")
    query = f"SELECT 1 FROM {index} WHERE {index} MATCH ? AND rowid = ?"
    return bool(rows(db, query, (match, memory_id)))


@_look_up
def lengths(db: apsw.Connection, index: str, ids: Sequence[int]) -> dict[int, int]:
    """How many terms each memory's text has in an index.

    FTS5 keeps the number of tokens in each column, as SQLite varints (``columnsize``, see
    https://sqlite.org/fts5.html#the_columnsize_option).

    Raises:
        apsw.CorruptError: one of them has none, or one that is no number.
    """
    found = rows(
        db,
        f"SELECT id, sz FROM {index}_docsize WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    if len(found) != len(ids):
        raise apsw.CorruptError("an index holds a memory without its length")
    try:
        return {i: _varint(sz) for i, sz in found}
    except (IndexError, TypeError):
        raise apsw.CorruptError("a memory's length in an index cannot be read") from None


@_look_up
def require(db: apsw.Connection, ids: Sequence[int]) -> None:
    """Raises ``DamagedIndex`` where the gram index lacks one of these records."""
    lengths(db, GRAMS, ids)


@_look_up
def frequencies(db: apsw.Connection, index: str, terms: Sequence[str]) -> dict[str, int]:
    """In how many memories each term occurs, exactly; reads the whole posting list of each."""
    if not terms:
        return {}
    found = rows(
        db,
        f"SELECT j.value, v.doc FROM json_each(?) j CROSS JOIN {index}_vocab v ON v.term = j.value",
        (json.dumps(list(terms)),),
    )
    return dict.fromkeys(terms, 0) | dict(found)


def frequencies_between(
    db: apsw.Connection, index: str, terms: Collection[str], low: int, high: int
) -> dict[str, int]:
    """In how many memories with low < id <= high each term occurs."""
    counts = counted(db, index, [(term, low, high) for term in terms])
    return dict(zip(terms, counts, strict=True))


@_look_up
def counted(db: apsw.Connection, index: str, asked: Sequence[tuple[str, int, int]]) -> list[int]:
    """For each (term, low, high), in how many memories with low < id <= high the term occurs."""
    if not asked:
        return []
    found = rows(
        db,
        f"SELECT (SELECT count(*) FROM {index} WHERE {index} MATCH j.value ->> 0"
        " AND rowid > j.value ->> 1 AND rowid <= j.value ->> 2) FROM json_each(?) j ORDER BY j.key",
        (json.dumps([(_match(term, None), low, high) for term, low, high in asked]),),
    )
    return [int(row[0]) for row in found]


@_look_up
def average_length(db: apsw.Connection, index: str = GRAMS) -> float:
    """Mean number of terms a note has in an index; 0 for an empty one.

    FTS5 keeps it in its "averages record" (row 1 of the data table: the number of rows, then the
    number of tokens in each column, as SQLite varints; see fts5_index.c). It is there from the
    first, and has no bytes while the index is empty.

    Raises:
        apsw.CorruptError: the record is gone, or is none.
    """
    found = rows(db, f"SELECT block FROM {index}_data WHERE id = 1")
    if not found or not isinstance(found[0][0], bytes):
        raise apsw.CorruptError("an index is without its averages")
    if not found[0][0]:
        return 0.0
    values = _varints(found[0][0])
    if len(values) < 2:
        raise apsw.CorruptError("an index's averages cannot be read")
    return values[1] / values[0] if values[0] else 0.0


def _varint(data: bytes) -> int:
    """The first of :func:`_varints`."""
    return data[0] if data[0] < 0x80 else _varints(data)[0]


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
