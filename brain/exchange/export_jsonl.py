"""JSONL export: one moment of the file, line by line, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from brain.exchange import jsonl
from brain.results import Fault
from brain.store import claims, journal, links, memories, meta, observations, originals
from brain.store.view import Selection

if TYPE_CHECKING:
    from brain.store.domains import Bad
    from brain.store.protocol import Store, Transaction

KEPT_FACTS = (meta.DECAY_RUN, meta.LAST_DECAY)
"""Facts that say how records came to be as they are; the others are about indexes and vectors."""


def lines(
    store: Store,
    shown: Selection,
    with_recovery: bool = False,
    counted: Callable[[], None] | None = None,
    passed: Callable[[Fault], None] | None = None,
) -> Iterator[str]:
    """The lines of an export, each with its end.

    Args:
        shown: which records, with their journal; facts about the file and what was forgotten
            leave only with the whole.
        with_recovery: recovery records as well.
        counted: called for each record.
        passed: called for each row (record, link, word, original, entry of the journal) that
            cannot be read, which is left out; None has such a one end the export.
    """
    number = 0
    with store.snapshot() as db:
        for line in _body(db, shown, with_recovery, counted, passed):
            number += 1
            yield line
    yield jsonl.json_line("end", lines=number)


def _body(
    db: Transaction,
    shown: Selection,
    with_recovery: bool,
    counted: Callable[[], None] | None,
    passed: Callable[[Fault], None] | None,
) -> Iterator[str]:
    yield jsonl.header(shown, memories.last_id(db))
    if shown.whole:
        facts = meta.read(db)
        for key in KEPT_FACTS:
            if isinstance(facts.get(key), str):
                yield jsonl.json_line("meta", key=key, value=facts[key])
            elif key in facts and passed is not None:
                passed(Fault(0, f"文件的 {key} 读不懂，没有导出"))
        for word, freq, tag, at in meta.iter_words(db, unreadable(passed, "自己的词里第 {} 个")):
            yield jsonl.json_line("word", word=word, freq=freq, tag=tag, added_at=at)
    for memory in memories.iter_selected(db, shown, unreadable(passed, "记忆 #{}")):
        if counted is not None:
            counted()
        yield jsonl.memory(memory)
    for found in links.iter_selected(db, shown, unreadable(passed, "L{}")):
        yield jsonl.link(found)
    for claim in claims.iter_selected(db, shown):
        yield jsonl.claim(claim)
    for event in journal.iter_selected(db, shown, unreadable(passed, "日志里的 #{}")):
        yield jsonl.event(event)
    if with_recovery:
        for handle, original in originals.iter_originals(
            db, unreadable(passed, "恢复记录里第 {} 份")
        ):
            yield from jsonl.parts(handle, original)
        for seen in observations.iter_all(db):
            yield jsonl.observation(seen)


def unreadable(passed: Callable[[Fault], None] | None, what: str) -> Bad | None:
    """What tells of rows that are left out.

    Args:
        what: what such a row is called, with ``{}`` for its number.
    """
    if passed is None:
        return None

    def tell(number: int, columns: str) -> None:
        where = f"的 {columns} " if columns else "里有的值"
        passed(Fault(number, f"{what.format(number)} {where}读不懂，没有导出"))

    return tell
