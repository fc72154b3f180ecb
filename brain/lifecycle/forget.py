"""Hard delete (forget): what a memory held leaves the file, and the line around it closes.

The record, its index rows, passages, vectors, recovery copies and the reasons noted beside it go in
one transaction; :func:`brain.store.memory_file.Store.finish_erasing` then clears the bytes. What
stays is an entry in the journal that says when an id was forgotten, without a word of what it said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from brain.errors import EXIT_IO, EXIT_NO, EXIT_UNAVAILABLE, BrainError
from brain.lifecycle import lineage
from brain.memory import Memory
from brain.store import (
    erase,
    fts,
    journal,
    links,
    memories,
    meta,
    originals,
    part_file,
    sources,
    wal,
)
from brain.store.vectors import vector_index
from brain.text.fold import fold
from brain.text.tokenize import index_terms
from brain.validate import check_why

if TYPE_CHECKING:
    from brain.store.protocol import Transaction

MOST_PROBED = 200_000
"""Characters whose pieces are looked for at once: 27 MB for 333 texts of 600."""

STRETCH = 12
"""Length of a stretch of text that is looked for, in characters; no index keeps as much in one."""

PIECE = 24
MOST_PIECES = 20_000
LEAST_DIFFERENT = 8
"""Bytes of each piece of an original looked for, how many pieces, how many different bytes each."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was taken out of the tables; no texts when that was done before.

    ``originals``: handles of what still holds it among other things; ``versions``: ids of earlier
    versions that went with it, whose texts are among the ``texts``.
    """

    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    originals: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()


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
        return Erased()
    return forget_all(db, [memory_id], now, why, force)


def forget_all(
    db: Transaction,
    memory_ids: Sequence[int],
    now: str,
    why: str,
    force: bool,
    *,
    copies: bool = True,
) -> Erased:
    """As :func:`forget`, of several records together.

    Args:
        copies: with kept originals that hold the text alone, and own words that stand nowhere
            else; False where those were there before the records.
    """
    check_why(why)
    asked = set(memory_ids)
    versions: list[int] = []
    texts: list[str] = []
    words: dict[str, None] = {}
    if not fts.has_trigrams(db):
        raise BrainError(
            "brain_fts5_missing",
            "这个 SQLite 没有 trigram 分词器，抹不掉索引里的内容；请重新安装 apsw。",
            EXIT_UNAVAILABLE,
        )
    for memory_id in memory_ids:
        memory = lineage.require(db, memory_id)
        lineage.require_unpinned(memory, "遗忘", force)
        earlier = [each for each in _earlier_versions(db, memory) if each.id not in asked]
        for each in (*earlier, memory):
            # Read anew: what went before it has changed its links.
            record = lineage.require(db, each.id)
            words |= dict.fromkeys(_erase(db, record, now, why, copies))
            texts.append(each.text)
        versions += [each.id for each in earlier]
    if not texts:
        return Erased()
    fts.rewrite_keys(db, *texts)
    erase.drop_samples(db)
    meta.put(db, **{meta.ERASING: 1})
    held = originals.holding(db, *texts)
    return Erased(tuple(texts), tuple(words), tuple(held), tuple(versions))


def _earlier_versions(db: Transaction, memory: Memory) -> list[Memory]:
    """What an episode was before more of its session was read, oldest first: copies of its text
    that no list shows. What a person corrected is a record of its own and stays."""
    found: list[Memory] = []
    older = memory.supersedes
    while older is not None:
        before = memories.get(db, older)
        if before is None or before.retracted_at is None or before.pinned:
            break
        told = journal.entries_of(db, [before.id])
        if not any(event.why == lineage.CHANGED_AT_SOURCE for event in told):
            break
        found.append(before)
        older = before.supersedes
    return found[::-1]


def _erase(db: Transaction, memory: Memory, now: str, why: str, copies: bool) -> tuple[str, ...]:
    """Takes one record out; gives the user's own words that went with it."""
    _close_line(db, memory, now)
    fts.remove(db, memory.id, memory.text, memories.ensure_scope(db, memory.scope))
    for outcome in links.left_alone(db, memory.id):
        # Without its link nothing says any more whether it came about.
        lineage.change(db, lineage.require(db, outcome), now, "retract", "", retracted_at=now)
    passages = memories.passage_ids(db, memory.id)
    for table in vector_index.tables(db):
        vector_index.remove(db, table, passages)
    sources.disguise(db, memory.id)
    memories.delete(db, memory.id)
    words: tuple[str, ...] = ()
    if copies:
        originals.erase_of(db, memory.text)
        words = _own_words(db, memory.text)
    for word in words:
        meta.remove_word(db, word)
    journal.redact(db, memory.id, memory.text)
    quoted = memory.text.strip() in why or memory.content_hash in why
    journal.write(db, now, memory.id, journal.FORGET, "" if quoted else why)
    return words


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
    """Looks for what was forgotten in the indexes, in the bytes of the file and in its log.

    Args:
        texts: the forgotten texts; '' looks for nothing.

    Raises:
        BrainError: ``brain_forget_incomplete`` (74) when a piece of it is there that nothing still
            remembered says.
    """
    if fts.stale_terms(db, *texts):
        raise incomplete(path)
    for some in _together(texts):
        left = erase.find_bytes(path, {piece for text in some for piece in probes(text)})
        if left and left - erase.held_pieces(db, left):
            raise incomplete(path)


def _together(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in lists that are looked for in one reading of the file."""
    some: list[str] = []
    size = 0
    for text in texts:
        if some and size + len(text) > MOST_PROBED:
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text)
    if some:
        yield some


def in_copies(path: Path, *texts: str) -> tuple[str, ...]:
    """The whole copies beside a file that hold a forgotten text; broken-off ones are removed.

    Args:
        texts: '' is in none.
    """
    part_file.clean(path.absolute().parent)
    pieces: set[bytes] = set()
    for text in filter(None, texts):
        pieces.update([text.encode()] if len(text) < STRETCH else _stretches(text))
    copies = wal.copies_beside(path) if pieces else []
    return tuple(str(copy) for copy in copies if erase.find_bytes(copy, pieces))


def _stretches(text: str) -> Iterator[bytes]:
    return (text[at : at + STRETCH].encode() for at in range(len(text) - STRETCH + 1))


def incomplete(path: Path) -> BrainError:
    """``brain_forget_incomplete`` (74)."""
    return BrainError(
        "brain_forget_incomplete",
        f"已遗忘，但文件的字节里还有它的片段，可能有别的程序改过这个文件；"
        f"运行 brain optimize 会重写整个文件：{path}",
        EXIT_IO,
    )


def probes(text: str) -> set[bytes]:
    """Every piece of a text that may be left of it: every stretch, every gram, every index term.

    Those too short to be told from numbers by their bytes are for the index's own check alone.
    """
    folded = fold(text)
    grams = {folded[at : at + width] for width in (2, 3) for at in range(len(folded) - width + 1)}
    grams.update(index_terms(folded), (text, folded) if len(text) < STRETCH else ())
    return {*_stretches(text), *_stretches(folded), *(gram.encode() for gram in grams)}


def forget_original(db: Transaction, prefix: bytes) -> bytes:
    """Takes a kept original out of the table; gives its bytes.

    Args:
        prefix: the handle's bytes.

    Raises:
        BrainError: ``brain_ccr_not_found`` (1).
    """
    data = originals.take(db, prefix)
    if data is None:
        handle = originals.handle(prefix)
        raise BrainError("brain_ccr_not_found", f"没有句柄为 {handle} 的原文。", EXIT_NO)
    erase.drop_samples(db)
    meta.put(db, **{meta.ERASING: 1})
    return data


def verify_original(db: Transaction, path: Path, data: bytes) -> None:
    """As :func:`verify`, of the bytes of an original: stretches of it, evenly spread.

    Raises:
        BrainError: ``brain_forget_incomplete`` (74).
    """
    step = max(PIECE, len(data) // MOST_PIECES)
    pieces = {data[at : at + PIECE] for at in range(0, len(data) - PIECE + 1, step)}
    # Of a stretch that says nothing, such as zeros or dashes, any other may be found.
    pieces = {piece for piece in pieces if len(set(piece)) >= LEAST_DIFFERENT}
    left = erase.find_bytes(path, pieces)
    if left and left - erase.held_pieces(db, left):
        raise incomplete(path)
