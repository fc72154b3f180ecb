"""Contradictions: two current records that give one thing different values; a person decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from brain.consolidate.proposal import Proposal, head
from brain.memory import Memory
from brain.text.attributes import Attribute, read
from brain.text.timestamps import local_day

MOST = 20
"""Values of one thing that a line names."""


def find(records: Sequence[Memory]) -> Iterator[Proposal]:
    """Contradictions among current records of one scope; the newest value is proposed.

    Args:
        records: no episodes or skills among them.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[tuple[Memory, Attribute]]] = defaultdict(list)
    for one in records:
        found = read(one.text)
        if found is not None:
            groups[(one.scope, found.subject)].append((one, found))
    for told in groups.values():
        told.sort(key=lambda pair: since(pair[0]))
        newest, value = told[-1]
        older = [(m, a) for m, a in told[:-1] if a.contradicts(value)][-MOST:]
        if older:
            yield _line(older, newest)


def since(memory: Memory) -> tuple[str, str, int]:
    """Orders records by when they began to hold, then by when they came in."""
    return memory.valid_from or "", memory.recorded_at, memory.id


def _line(older: Sequence[tuple[Memory, Attribute]], newest: Memory) -> Proposal:
    named = "；".join(_dated(m) for m in (*(m for m, _ in older), newest))
    more = [f"#{m.id}" for m, a in older if not a.whole]
    lost = f"；{'、'.join(more)} 还说了别的，会一起失效" if more else ""
    reason = f"同一件事有不同的说法：{named}。提议以较新的 #{newest.id} 为准，要人来定{lost}"
    return Proposal("contradiction", reason, newest.id, tuple(m.id for m, _ in older), confirm=True)


def _dated(memory: Memory) -> str:
    return (
        f"#{memory.id}（{local_day(memory.valid_from or memory.recorded_at)}）{head(memory.text)}"
    )
