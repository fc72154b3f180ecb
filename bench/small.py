"""The same questions over fewer or more notes: a gate must hold at 2 notes and at 5,000.

``resized(task, n)`` makes memories of about ``n`` notes out of a set, each a task of its own (what
a file's size does to idf and to the nearest neighbour shows only in a file of that size), with the
answerable queries whose answer is still there and about as many that have none: the set's own
unanswerable ones whose topic is absent, or else queries whose answer was left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bench.data import FACT_MISSING, Doc, Query, Task

NOTES = 240
"""Notes all the memories of one small size have together: 120 memories of 2, 12 of 20."""

MOST_NOTES = 10_000
"""The same for large sizes, where a memory holds several scopes."""

QUERIES = 240
"""Most answerable queries of one set at one size, and as many unanswerable ones."""

ELSEWHERE = "left out"
"""Kind of a query whose answer was left out."""


def resized(task: Task, size: int, filler: Sequence[Doc]) -> list[Task]:
    """Memories of about ``size`` notes, the same for the same set and size.

    Args:
        filler: other people's notes, used in order when the set itself has too few.
    """
    rng = np.random.default_rng(size)
    make = _of_scopes if any(q.scope for q in task.queries) else _of_one_pool
    parts = list(make(task, size, filler, rng))
    return [replace(p, name=f"{task.name}@{size}#{i}") for i, p in enumerate(parts)]


def _shuffled(items: Sequence[Query], rng: np.random.Generator) -> list[Query]:
    return [items[i] for i in rng.permutation(len(items))]


def _absent(task: Task) -> list[Query]:
    return [q for q in task.queries if not q.answerable and (task.name, q.kind) not in FACT_MISSING]


def _of_one_pool(
    task: Task, size: int, filler: Sequence[Doc], rng: np.random.Generator
) -> Iterator[Task]:
    """Random notes, those that answer something first."""
    asked = _shuffled([q for q in task.queries if q.answerable], rng)
    absent = _shuffled(_absent(task), rng)
    wanted = list(dict.fromkeys(i for q in asked for i in sorted(task.relevant[q.id])))
    gone: set[str] = set()
    if not absent:
        gone = set(wanted[::2])
        left = [q for q in asked if task.relevant[q.id] <= gone]
        absent = [replace(q, answerable=False, kind=ELSEWHERE) for q in left]
    by_id = {d.id: d for d in task.docs}
    others = [d.id for d in task.docs if d.id not in set(wanted)]
    order = [i for i in wanted if i not in gone]
    order += [others[i] for i in rng.permutation(len(others))]
    groups = max(1, NOTES // size)
    for start in range(0, min(groups * size, len(order)), size):
        here = order[start : start + size]
        yes = [q for q in asked if task.relevant[q.id] & set(here)][: QUERIES // groups]
        no, absent = absent[: len(yes)], absent[len(yes) :] + absent[: len(yes)]
        padding = filler[: max(0, size - len(here))]
        yield _part(task, (*(by_id[i] for i in here), *padding), (*yes, *no))


def _of_scopes(
    task: Task, size: int, filler: Sequence[Doc], rng: np.random.Generator
) -> Iterator[Task]:
    """Each memory has the notes of a scope or, where the size allows, of several."""
    own: dict[str, list[Doc]] = {}
    for doc in task.docs:
        own.setdefault(doc.scope, []).append(doc)
    shared = [*own.pop("", []), *filler]
    names = list(own)
    yes = _shuffled([q for q in task.queries if q.answerable and q.scope in own], rng)[:QUERIES]
    no = _shuffled([q for q in _absent(task) if q.scope in own], rng)[: len(yes)]
    if not no:
        no = [_moved(q, names[(names.index(q.scope) + 1) % len(names)]) for q in yes]
    together = max(1, size // 40)
    scopes = list(dict.fromkeys(q.scope for pair in zip(yes, no, strict=False) for q in pair))
    scopes = scopes[: together * max(1, min(NOTES // 2, MOST_NOTES // size))]
    for start in range(0, len(scopes), together):
        part = scopes[start : start + together]
        asked = [q for q in (*yes, *no) if q.scope in part]
        wanted = {i for q in asked if q.answerable for i in task.relevant[q.id]}
        room = max(1, size // len(part))
        notes = [d for s in part for d in _some(own[s], wanted, room, rng)]
        here = {d.id for d in notes}
        asked = [q for q in asked if not q.answerable or task.relevant[q.id] <= here]
        padding = shared[: max(0, size - len(notes))]
        if asked:
            yield _part(task, (*notes, *padding), asked)


def _moved(query: Query, scope: str) -> Query:
    """A query asked where its answer is not."""
    return replace(query, id=f"{query.id}!", scope=scope, answerable=False, kind=ELSEWHERE)


def _some(notes: list[Doc], wanted: set[str], size: int, rng: np.random.Generator) -> list[Doc]:
    """At most ``size`` of some notes, those that answer before others, in their own order."""
    by_chance = [notes[i] for i in rng.permutation(len(notes))]
    chosen = sorted(by_chance, key=lambda d: d.id not in wanted)[:size]
    kept = {d.id for d in chosen}
    return [d for d in notes if d.id in kept]


def _part(task: Task, docs: Sequence[Doc], queries: Sequence[Query]) -> Task:
    here = {d.id for d in docs}
    relevant = {q.id: task.relevant.get(q.id, frozenset()) & here for q in queries if q.answerable}
    return replace(task, docs=tuple(docs), queries=tuple(queries), relevant=relevant)
