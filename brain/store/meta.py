"""Key–value table ``meta``, facts about the file; and the user's own dictionary words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import apsw

from brain.store.sql import rows, stream

if TYPE_CHECKING:
    from brain.store.domains import Bad

MODEL = "model"
DIM = "dim"
SETUP = "model_setup"
"""What is recorded of a model of the user's own beside name and dimension, as JSON."""
CALIBRATION = "gate_calibration"
"""What a model nobody has fitted gives unrelated texts, as JSON: brain/embed/background.py."""
VECTORS = "vectors_table"
FOLD = "fold_version"
NEXT_MODEL = "next_model"
NEXT_DIM = "next_dim"
NEXT_SETUP = "next_model_setup"
NEXT_VECTORS = "next_vectors_table"
ERASING = "erasing"
"""Set from the moment a record is forgotten until its bytes are out of the file and its log."""
DIGEST_KEY = "digest_key"
"""What the fingerprints of forgotten things are keyed with, see :mod:`brain.store.sources`."""
LAST_DECAY = "last_decay"
DECAY_RUN = "decay_run"
"""A decay that has begun and is not done, as JSON; removed when it is."""
DECAY_KEPT = "decay_kept"
"""The run of decay that can be undone, as JSON; what it changed is in the table ``faded``."""
LINK = "link"
"""Ties the write-ahead log to its file, see :mod:`brain.store.wal`."""

UnreadableError = apsw.CorruptError
"""For whoever finds that a fact is not what was written: the file is damaged."""


def read(db: apsw.Connection) -> dict[str, Any]:
    """Every fact, by key."""
    return dict(rows(db, "SELECT key, value FROM meta"))


def put(db: apsw.Connection, **facts: object) -> None:
    """Writes facts; None removes one."""
    for key, value in facts.items():
        if value is None:
            db.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            db.execute(
                "INSERT INTO meta (key, value) VALUES (?, ?)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )


def words(db: apsw.Connection) -> list[tuple[str, int | None, str | None]]:
    """The user's own words as (word, frequency, tag), by word."""
    return rows(db, "SELECT word, freq, tag FROM words ORDER BY word")


def iter_words(
    db: apsw.Connection, bad: Bad | None = None
) -> Iterator[tuple[str, int | None, str | None, str]]:
    """As :func:`words`, with the instant each was added, one at a time.

    Args:
        bad: called with the place of one that holds what none can, from 1, and the columns, for
            each that is passed over; None has such a one end the reading.
    """
    from brain.store import domains  # only an export needs them

    names = tuple(domains.WORD)
    found = stream(db, f"SELECT {domains.undecoded(*names)} FROM words ORDER BY word")
    for place, cells in enumerate(found, 1):
        values = domains.decoded(names, cells)
        wrong = domains.unsound(domains.WORD, values)
        if not wrong:
            yield values["word"], values["freq"], values["tag"], values["added_at"]
        elif bad is None:
            raise apsw.CorruptError("a word holds what none can")
        else:
            bad(place, "、".join(wrong))


def own_words(db: apsw.Connection) -> list[str]:
    """The user's own words without their frequencies and tags."""
    return [word for word, _, _ in words(db)]


def add_word(db: apsw.Connection, word: str, freq: int | None, tag: str | None, at: str) -> None:
    """Adds or replaces one of the user's own words."""
    db.execute(
        "INSERT INTO words (word, freq, tag, added_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (word) DO UPDATE SET freq = excluded.freq, tag = excluded.tag",
        (word, freq, tag, at),
    )


def remove_word(db: apsw.Connection, word: str) -> bool:
    """Removes one of the user's own words; False when it was not there."""
    found = rows(db, "DELETE FROM words WHERE word = ? RETURNING word", (word,))
    return bool(found)
