"""Schema and migrations, numbered.

Each migration is a function that takes the file from one version to the next; all that are due run
in one transaction. ``PRAGMA user_version`` holds the number, ``PRAGMA application_id`` says the
file is ours. Virtual tables for vectors are made by :mod:`brain.store.vectors.vector_index`,
because their dimension depends on the model.
"""

from __future__ import annotations

from collections.abc import Callable

import apsw

from brain.store import fts, meta
from brain.store.vectors import vector_index

APPLICATION_ID = 0x42_52_4E_4D
"""'BRNM', in the SQLite header; `file` and other programs can tell our files by it."""


def _v1(db: apsw.Connection) -> None:
    fts.make(db)
    db.execute("""
    CREATE TABLE meta (
      key   TEXT PRIMARY KEY,
      value ANY
    ) WITHOUT ROWID;

    -- A scope's number stands for its name inside the text and vector indexes.
    CREATE TABLE scopes (
      id   INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    );
    INSERT INTO scopes (id, name) VALUES (1, '');

    CREATE TABLE memories (
      id            INTEGER PRIMARY KEY AUTOINCREMENT,
      kind          TEXT    NOT NULL,
      text          TEXT    NOT NULL,
      scope         TEXT    NOT NULL REFERENCES scopes (name),
      source        TEXT    NOT NULL,
      importance    REAL    NOT NULL CHECK (importance BETWEEN 0 AND 1),
      confidence    REAL    NOT NULL CHECK (confidence BETWEEN 0 AND 1),
      strength      REAL    NOT NULL DEFAULT 1 CHECK (strength BETWEEN 0 AND 1),
      pinned        INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
      valid_from    TEXT,
      valid_to      TEXT,
      recorded_at   TEXT    NOT NULL,
      retracted_at  TEXT,
      supersedes    INTEGER REFERENCES memories (id),
      superseded_by INTEGER REFERENCES memories (id),
      archived_at   TEXT,
      evidence      TEXT    NOT NULL DEFAULT '',
      content_hash  TEXT    NOT NULL,
      text_sha256   BLOB    NOT NULL,
      use_count     INTEGER NOT NULL DEFAULT 0,
      last_used_at  TEXT
    );
    CREATE INDEX memories_by_content ON memories (content_hash);
    CREATE INDEX memories_by_sha256 ON memories (text_sha256);
    CREATE INDEX memories_by_scope ON memories (scope);
    CREATE INDEX memories_by_kind ON memories (kind);
    CREATE INDEX memories_by_start ON memories (valid_from);
    CREATE INDEX memories_pinned ON memories (id) WHERE pinned = 1;

    -- One row for each stretch of a memory's text that has a vector of its own.
    CREATE TABLE passages (
      id        INTEGER PRIMARY KEY AUTOINCREMENT,
      memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      start     INTEGER NOT NULL,
      stop      INTEGER NOT NULL
    );
    CREATE INDEX passages_by_memory ON passages (memory_id);

    -- What changed when and why. Holds no memory text.
    CREATE TABLE journal (
      id        INTEGER PRIMARY KEY AUTOINCREMENT,
      at        TEXT    NOT NULL,
      memory_id INTEGER,
      what      TEXT    NOT NULL,
      why       TEXT    NOT NULL DEFAULT '',
      detail    TEXT    NOT NULL DEFAULT '{}'
    );
    CREATE INDEX journal_by_memory ON journal (memory_id, id);

    CREATE TABLE ccr (
      handle        TEXT PRIMARY KEY,
      sha256        BLOB    NOT NULL,
      original      BLOB    NOT NULL,
      content_type  TEXT    NOT NULL,
      compressor    TEXT    NOT NULL,
      tokens_before INTEGER NOT NULL,
      tokens_after  INTEGER NOT NULL,
      stored_at     TEXT    NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE words (
      word     TEXT PRIMARY KEY,
      freq     INTEGER,
      tag      TEXT,
      added_at TEXT NOT NULL
    ) WITHOUT ROWID;
    """)


def _v2(db: apsw.Connection) -> None:
    """Vectors move from ``vec0`` tables to tables of exact vectors with blocks of codes beside.

    What was changed after an instant, and what was replaced, is found by index.
    """
    found = meta.read(db)
    for name, dim in ((meta.VECTORS, meta.DIM), (meta.NEXT_VECTORS, meta.NEXT_DIM)):
        old = found.get(name)
        if old is not None and vector_index.exists(db, old):
            stand_in(db)  # records are read as they are today
            meta.put(db, **{name: vector_index.from_schema_1(db, old, found[dim])})
    for name in _SINCE:  # before the real one, which it would hide
        db.execute(f"DROP TABLE IF EXISTS temp.{name}")
    meta.put(db, vectors_behind=None)
    db.execute("""
    -- What was changed after an instant. Additions stay out: they are most of a journal, and the
    -- records say themselves when they came.
    CREATE INDEX IF NOT EXISTS journal_changes ON journal (at, memory_id) WHERE what <> 'add';
    CREATE INDEX IF NOT EXISTS memories_replaced ON memories (superseded_by)
      WHERE superseded_by IS NOT NULL;
    """)


def _v3(db: apsw.Connection) -> None:
    db.execute("""
    -- Where memories were taken in from: a file or folder, read in one format for one scope.
    CREATE TABLE sources (
      id     INTEGER PRIMARY KEY,
      format TEXT NOT NULL,
      path   TEXT NOT NULL,
      scope  TEXT NOT NULL,
      state  TEXT NOT NULL DEFAULT '{}',
      UNIQUE (path, format, scope)
    );

    -- One row for each thing a source held; without a memory where that was erased, so that the
    -- next run does not bring it back.
    CREATE TABLE taken (
      id        INTEGER PRIMARY KEY AUTOINCREMENT,
      source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
      key       TEXT    NOT NULL,
      digest    BLOB    NOT NULL,
      memory_id INTEGER REFERENCES memories (id) ON DELETE SET NULL,
      first     INTEGER,
      last      INTEGER,
      UNIQUE (source_id, key, digest)
    );
    CREATE INDEX taken_by_memory ON taken (memory_id);
    CREATE INDEX taken_by_digest ON taken (source_id, digest);
    """)


def _v4(db: apsw.Connection) -> None:
    fts.set_merge_threshold(db)


def _v5(db: apsw.Connection) -> None:
    db.execute("""
    -- What a decision led to: one row an observation. It goes with either of its records.
    CREATE TABLE links (
      id           INTEGER PRIMARY KEY AUTOINCREMENT,
      decision     INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      outcome      INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      relation     TEXT    NOT NULL
                   CHECK (relation IN ('caused', 'enabled', 'prevented', 'no_effect')),
      context      TEXT    NOT NULL DEFAULT '',
      good         INTEGER CHECK (good IN (0, 1)),
      observed_at  TEXT    NOT NULL,
      recorded_at  TEXT    NOT NULL,
      retracted_at TEXT,
      source       TEXT    NOT NULL,
      evidence     TEXT    NOT NULL DEFAULT ''
    );
    CREATE INDEX links_by_decision ON links (decision, observed_at);
    CREATE INDEX links_by_outcome ON links (outcome, observed_at);
    """)


def _tags(db: apsw.Connection) -> None:
    db.execute("""
    -- What a memory is filed under; in the order given.
    CREATE TABLE tags (
      id        INTEGER PRIMARY KEY,
      memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      tag       TEXT    NOT NULL,
      UNIQUE (memory_id, tag)
    );
    CREATE INDEX tags_by_name ON tags (tag, memory_id);
    """)


def _v7(db: apsw.Connection) -> None:
    """Fingerprints of what was forgotten are keyed from now on, and those of before as well."""
    from brain.store import sources  # its hashes, which no question needs

    sources.disguise(db, None)


def _v8(db: apsw.Connection) -> None:
    db.execute("""
    -- What the last long run of decay changed, until the next run: the strength before and after
    -- it, and when it archived the record, if it did.
    CREATE TABLE faded (
      memory_id   INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
      before      REAL NOT NULL,
      after       REAL NOT NULL,
      archived_at TEXT
    );
    """)


def _runs(db: apsw.Connection) -> None:
    db.execute("""
    -- Consolidations that were applied. What each changed is in the journal, between two entries of
    -- it; the entries of a record that was forgotten since say nothing any more.
    CREATE TABLE runs (
      id      INTEGER PRIMARY KEY AUTOINCREMENT,
      name    TEXT    NOT NULL UNIQUE,
      at      TEXT    NOT NULL,
      first   INTEGER NOT NULL,
      last    INTEGER NOT NULL,
      lines   TEXT    NOT NULL,
      created TEXT    NOT NULL,
      undone  TEXT
    );
    """)


def _claims(db: apsw.Connection) -> None:
    db.execute("""
    -- What of a memory can be looked at, and what came of looking at it.
    CREATE TABLE claims (
      id          INTEGER PRIMARY KEY,
      memory_id   INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      kind        TEXT    NOT NULL,
      claim       TEXT    NOT NULL,
      origin      TEXT    NOT NULL CHECK (origin IN ('given', 'text')),
      project     TEXT    NOT NULL DEFAULT '',
      result      TEXT    CHECK (result IN ('verified', 'failed')),
      checked_at  TEXT,
      verified_at TEXT,
      found_at    TEXT,
      evidence    TEXT    NOT NULL DEFAULT '',
      reason      TEXT    NOT NULL DEFAULT '',
      counted     INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
      UNIQUE (memory_id, kind, claim)
    );

    -- What an original is, for which session.
    CREATE TABLE observations (
      id         INTEGER PRIMARY KEY,
      handle     TEXT NOT NULL REFERENCES ccr (handle) ON DELETE CASCADE,
      session    TEXT NOT NULL DEFAULT '',
      type       TEXT NOT NULL,
      revision   TEXT NOT NULL DEFAULT '',
      source     TEXT NOT NULL DEFAULT '',
      project    TEXT NOT NULL DEFAULT '',
      stored_at  TEXT NOT NULL,
      result     TEXT CHECK (result IN ('verified', 'failed')),
      checked_at TEXT,
      reason     TEXT NOT NULL DEFAULT '',
      UNIQUE (handle, session)
    );
    CREATE INDEX observations_by_source ON observations (source, type, session);
    """)


_SINCE = {
    "tags": "id INTEGER PRIMARY KEY, memory_id INTEGER, tag TEXT",
    "claims": "id INTEGER PRIMARY KEY, memory_id INTEGER, kind TEXT, claim TEXT, origin TEXT,"
    " project TEXT, result TEXT, checked_at TEXT, verified_at TEXT, found_at TEXT, evidence TEXT,"
    " reason TEXT, counted INTEGER",
    "observations": "id INTEGER PRIMARY KEY, handle TEXT, session TEXT, type TEXT, revision TEXT,"
    " source TEXT, project TEXT, stored_at TEXT, result TEXT, checked_at TEXT, reason TEXT",
}
"""Tables that records and originals are read with and that an older file lacks: their columns."""


def stand_in(db: apsw.Connection) -> None:
    """Gives a connection to an older file, which it may only read, the tables that came since."""
    missing = [name for name in _SINCE if not db.table_exists(None, name)]
    if not missing:
        return
    guarded = db.pragma("query_only")
    db.pragma("query_only", "OFF")
    for name in missing:
        db.execute(f"CREATE TEMP TABLE {name} ({_SINCE[name]})")
    db.pragma("query_only", "ON" if guarded else "OFF")


MIGRATIONS: tuple[Callable[[apsw.Connection], None], ...] = (
    _v1,
    _v2,
    _v3,
    _v4,
    _v5,
    _tags,
    _v7,
    _v8,
    _claims,
    _runs,
)
SCHEMA_VERSION = len(MIGRATIONS)


def version(db: apsw.Connection) -> int:
    """The schema number of an open file; 0 for a new one."""
    return int(db.pragma("user_version") or 0)


def migrate(db: apsw.Connection) -> None:
    """Brings an open, writable file to ``SCHEMA_VERSION``. Call inside a write transaction."""
    for number in range(version(db), SCHEMA_VERSION):
        MIGRATIONS[number](db)
        db.pragma("user_version", number + 1)
    db.pragma("application_id", APPLICATION_ID)
