"""Bulk selection: the records that ``forget`` and ``retract`` take away together.

Apart from both, as they have to choose alike: what is listed first is what is then taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain import validate
from brain.errors import EXIT_USAGE, BrainError
from brain.memory import Memory
from brain.store import memories
from brain.store.view import Listed
from brain.text.fold import fold

if TYPE_CHECKING:
    from brain.store.protocol import Transaction


@dataclass(frozen=True, slots=True)
class Criteria:
    """What records have to be like, all of it at once.

    Args:
        scope: that scope alone, '' the global one; None for any.
        source: that source, or any of its kind (``chat`` of ``chat:codex``); None for any.
        words: folded; each has to stand in the text as it is written.
    """

    scope: str | None
    source: str | None
    words: tuple[str, ...]


def criteria(scope: str | None, source: str | None, query: str | None) -> Criteria:
    """Checks what a caller gives.

    Args:
        query: words with blanks between them.

    Raises:
        BrainError: ``brain_usage`` (2) without any criterion, ``brain_scope_invalid``,
            ``brain_source_invalid``, ``brain_query_empty`` (65).
    """
    if scope is None and source is None and query is None:
        told = "成批处理要有条件：来源（source）、范围（scope）、词（query）至少给一个。"
        raise BrainError("brain_usage", told, EXIT_USAGE)
    words: tuple[str, ...] = ()
    if query is not None:
        words = tuple(fold(validate.clean_query(query)).split())
        if not words:
            raise validate.blank_query_error(query)
    if scope is not None:
        scope = validate.check_label(scope, "范围", "brain_scope_invalid")
    if source is not None:
        source = validate.check_label(source, "来源", "brain_source_invalid")
    return Criteria(scope, source, words)


def find(
    db: Transaction, wanted: Criteria, *, believed: bool, force: bool
) -> tuple[list[Memory], list[Memory]]:
    """The records that match, and those of them that are left because they are pinned; oldest
    first.

    Args:
        believed: only records that are not retracted; False is whatever state they are in.
        force: pinned ones are taken as well.
    """
    taken: list[Memory] = []
    left: list[Memory] = []
    found = memories.list_matching(db, wanted.scope, Listed(source=wanted.source))
    for memory in found:
        if believed and memory.retracted_at is not None:
            continue
        if wanted.words:
            text = fold(memory.text)
            if not all(word in text for word in wanted.words):
                continue
        (left if memory.pinned and not force else taken).append(memory)
    return taken, left
