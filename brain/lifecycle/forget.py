"""Hard delete (forget): what a memory held leaves the file, and the line around it closes.

The record, its index rows, passages, vectors, recovery copies and the reasons noted beside it go in
one transaction; :func:`brain.store.memory_file.Store.finish_erasing` then clears the bytes. What
stays is an entry in the journal that says when an id was forgotten, without a word of what it said.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from brain.errors import EXIT_IO, EXIT_UNAVAILABLE, BrainError
from brain.lifecycle import lineage
from brain.memory import Memory
from brain.store import fts, journal, memories, meta, originals
from brain.store.erase import find_bytes, still_stored
from brain.store.vectors import vector_index
from brain.text.fold import fold
from brain.text.tokenize import trigram_windows
from brain.validate import check_why

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

PROBES = 4
"""How many stretches of the text, and how many of its trigrams, are looked for afterwards."""

MOST_PROBED = 100
"""Texts forgotten together that are looked for: each is a search of the whole file."""

STRETCH = 12
"""Length of such a stretch in characters; no index keeps as much in one piece."""

LEAST_BYTES = 6
"""Shorter pieces stand in the bytes of numbers by chance."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was taken out of the tables; ``text`` is '' when that was done before."""

    text: str
    words: tuple[str, ...]


def forget(db: Transaction, memory_id: int, now: str, why: str, force: bool) -> Erased:
    """Takes a record and everything made from it out of the tables.

    The line closes around it: what it had replaced is now replaced by what replaced it. Nobody's
    valid time changes and nothing retracted is believed again, so no older version comes back.

    One that was forgotten before while the log could not be emptied is no error: there is only the
    rest to do.

    Args:
        now: UTC ISO.
        why: noted with the entry that stays, unless it quotes the text.
        force: do it to a pinned record as well.

    Raises:
        BrainError: ``brain_not_found`` (1), ``brain_pinned`` (65), ``brain_fts5_missing`` (69)
            where the text index that must be cleared cannot be.
    """
    check_why(why)
    pending = meta.ERASING in meta.read(db) and journal.forgotten_at(db, memory_id) is not None
    if pending:
        return Erased("", ())
    memory = lineage.require(db, memory_id)
    lineage.require_unpinned(memory, "遗忘", force)
    _close_line(db, memory, now)
    if not fts.has_trigrams(db):
        raise BrainError(
            "brain_fts5_missing",
            "这个 SQLite 没有 trigram 分词器，抹不掉索引里的内容；请重新安装 apsw。",
            EXIT_UNAVAILABLE,
        )
    fts.remove(db, memory.id, memory.text, memories.ensure_scope(db, memory.scope))
    passages = memories.passage_ids(db, memory.id)
    for table in vector_index.tables(db):
        vector_index.remove(db, table, passages)
    memories.delete(db, memory.id)
    originals.erase_of(db, memory.text)
    words = _own_words(db, memory.text)
    for word in words:
        meta.remove_word(db, word)
    journal.redact(db, memory.id, memory.text)
    quoted = memory.text.strip() in why or memory.content_hash in why
    journal.write(db, now, memory.id, journal.FORGET, "" if quoted else why)
    meta.put(db, **{meta.ERASING: 1})
    return Erased(memory.text, words)


def _close_line(db: Transaction, memory: Memory, now: str) -> None:
    for other in memories.linked_to(db, memory.id):
        values: dict[str, object] = {}
        if other.superseded_by == memory.id:
            values["superseded_by"] = memory.superseded_by
        if other.supersedes == memory.id:
            values["supersedes"] = memory.supersedes
        lineage.change(db, other, now, "unlink", "", **values)


def _own_words(db: Transaction, text: str) -> tuple[str, ...]:
    """The user's own words that stand in a forgotten text and in no other record."""
    folded = fold(text)
    return tuple(
        word
        for word, _, _ in meta.words(db)
        if fold(word) in folded and not memories.holds_text(db, word)
    )


def verify(db: Transaction, path: Path, *texts: str) -> None:
    """Looks for what was forgotten in the bytes of the file and its log.

    Args:
        texts: the forgotten texts; '' looks for nothing. Of very many some are looked for.

    Raises:
        BrainError: ``brain_forget_incomplete`` (74) when a piece of it is there that nothing still
            remembered says.
    """
    looked = [texts[place] for place in _spread(range(len(texts)), MOST_PROBED)]
    wanted = {piece.encode("utf-8"): piece for text in looked for piece in probes(text)}
    for left in find_bytes(path, list(wanted)):
        piece = wanted[left]
        in_index = len(piece) == 3 and fts.frequencies(db, fts.TRIGRAMS, [piece])[piece] > 0
        if not in_index and not still_stored(db, piece):
            raise BrainError(
                "brain_forget_incomplete",
                f"已遗忘，但文件的字节里还有它的片段，可能有别的程序改过这个文件；"
                f"运行 brain optimize 会重写整个文件：{path}",
                EXIT_IO,
            )


def probes(text: str) -> list[str]:
    """A few stretches of a text and a few of its trigrams, spread evenly over it."""
    starts = range(max(1, len(text) - STRETCH + 1))
    stretches = [text[i : i + STRETCH] for i in _spread(starts)]
    grams = trigram_windows(fold(text))
    pieces = [*stretches, *(grams[i] for i in _spread(range(len(grams))))]
    return [piece for piece in pieces if len(piece.encode("utf-8")) >= LEAST_BYTES]


def _spread(places: range, most: int = PROBES) -> list[int]:
    last = len(places) - 1
    return sorted({places[last * n // (most - 1)] for n in range(most)}) if places else []
