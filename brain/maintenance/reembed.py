"""Re-embedding: every record gets vectors of another model, and never half of each.

The new vectors grow in a table of their own while the old ones serve. When none is missing, one
transaction makes the new table the file's own and drops the old one. A break leaves the growing
table; the next run for the same model goes on in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from brain.embed import registry
from brain.embed.protocol import Settings, canonical, read_setup, setup_of
from brain.errors import EXIT_UNAVAILABLE, BrainError
from brain.maintenance import health_probe
from brain.results import ReembedResult
from brain.store import journal, memories, memory_file, meta, probe
from brain.store.vectors import vector_index
from brain.text.fold import simplify
from brain.text.timestamps import now_utc, to_iso

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder
    from brain.store.protocol import Store, Transaction

BATCH = 64
"""Passages embedded and written at a time: a few seconds of work lost at most by a break."""

TOP_UP = 32
"""Passages embedded after a write: one request to a server."""

WINDOW = 1024
"""Passages looked at together, to be sorted by length: some hundred kilobytes of text."""

NO_MODEL = "none"


def run(
    store: Store,
    model: str,
    progress: Callable[[int, int], None] | None,
    calibration: Callable[[Embedder], str | None] | None = None,
    settings: Settings | None = None,
    *,
    probed: bool = True,
) -> ReembedResult:
    """Makes ``model`` the file's model. The same model only fills in what is missing.

    Args:
        model: a model's name, or ``'none'``.
        settings: for a model of the user's own; None takes what the file records of the same one.
        progress: called with (passages done, passages in all).
        calibration: measures what the gate needs to know of a model; None leaves it to the next
            write.
        probed: False leaves the health probe to the caller.

    Raises:
        BrainError: ``brain_model_unknown``, ``brain_model_missing`` before anything is changed;
            ``brain_vec_missing`` (69); ``brain_probe_failed`` (74), then the former vectors serve
            on.
    """
    if model == NO_MODEL:
        return _without(store, probed)
    if settings is None and registry.is_own(model):
        with store.read() as db:
            facts = memory_file.facts(db)
        if facts.get(meta.MODEL) == canonical(model):
            settings = Settings.of(read_setup(facts.get(meta.SETUP), facts.get(meta.DIM)))
    embedder = registry.open_embedder(model, settings)
    table = _target(store, embedder)
    with store.read() as db:
        facts = memory_file.facts(db)
    measured = facts.get(meta.CALIBRATION) if _is_own(facts, embedder) else None
    if measured is None and calibration is not None:
        measured = calibration(embedder)
    done = _fill(store, embedder, table, progress)
    if probed:
        _require_healthy(store, embedder, table)
    while not _switch(store, embedder, table, measured):
        done += _fill(store, embedder, table, progress)
    with store.read() as db:
        present, _ = vector_index.counts(db, table)
    return ReembedResult(embedder.name, embedder.dim, done, present)


def _require_healthy(store: Store, embedder: Embedder, table: str) -> None:
    """Probes a file with the vectors it is to have, outside the lock; drops them where they or the
    rest of it are not sound."""
    with store.read() as db:
        facts = memory_file.facts(db)
        ready = {**facts, meta.DIM: embedder.dim}
        found = health_probe.run(db, ready, to_iso(now_utc()), table=table)
    own = facts.get(meta.VECTORS) == table
    if not found.ok and not own:
        with store.write() as db:
            vector_index.drop_table(db, table)
            meta.put(db, **dict.fromkeys((meta.NEXT_MODEL, meta.NEXT_DIM, meta.NEXT_VECTORS)))
    health_probe.require(found, "补好的向量都在" if own else "没有换模型，原来的向量照旧用")


def complete(store: Store, embedder: Embedder, progress: Callable[[int, int], None] | None) -> int:
    """Makes the vectors that are missing in the file's own table.

    Args:
        embedder: the file's own model.
        progress: called with (passages done, passages in all).

    Returns:
        How many vectors were made.
    """
    with store.read() as db:
        facts = memory_file.facts(db)
    table = facts.get(meta.VECTORS)
    if table is None or facts.get(meta.MODEL) != embedder.name or not store.vectors_loaded:
        return 0
    return _fill(store, embedder, str(table), progress)


def top_up(store: Store, embedder: Embedder) -> None:
    """Makes one batch of the vectors that are missing, the newest first; after a write.

    What an embedder raises is left to the next write: the words are stored already.
    """
    with store.read() as db:
        facts = memory_file.facts(db)
        table = facts.get(meta.VECTORS)
        if table is None or facts.get(meta.MODEL) != embedder.name or not store.vectors_loaded:
            return
        batch = vector_index.newest_missing(db, str(table), TOP_UP)
        owners = memories.get_many(db, {owner for _, owner, _, _ in batch})
    if not batch:
        return
    texts = [simplify(owners[owner].text[start:stop]) for _, owner, start, stop in batch]
    with suppress(Exception):
        found = embedder.embed_documents(texts)
        with store.write() as db:
            _put(db, str(table), batch, found)


def catch_up(
    store: Store,
    embedder: Embedder | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[int, int]:
    """As :func:`complete`, whatever a native library raises: the words are stored already.

    Args:
        embedder: the file's own model, or None only to count.

    Returns:
        How many passages have got a vector, and how many a file with a model still lacks.
    """
    made = 0
    if embedder is not None:
        with suppress(Exception):
            made = complete(store, embedder, progress)
    with store.read() as db:
        facts = memory_file.facts(db)
        _, missing = vector_index.counts(db, facts.get(meta.VECTORS))
    return made, missing if facts.get(meta.MODEL) else 0


def _fill(
    store: Store,
    embedder: Embedder,
    table: str,
    progress: Callable[[int, int], None] | None,
) -> int:
    """Makes the vectors a table lacks; embeds outside the lock, a batch a transaction."""
    done = last = 0
    with store.read() as db:
        present, absent = vector_index.counts(db, table)
    if progress is not None:
        progress(present, present + absent)
    while True:
        with store.read() as db:
            window = vector_index.missing(db, table, last, WINDOW)
            owners = memories.get_many(db, {owner for _, owner, _, _ in window})
        if not window:
            return done
        last = window[-1][0]
        # A batch costs what its longest text costs for each: like beside like.
        window.sort(key=lambda row: row[3] - row[2])
        for at in range(0, len(window), BATCH):
            batch = window[at : at + BATCH]
            texts = [simplify(owners[owner].text[start:stop]) for _, owner, start, stop in batch]
            found = embedder.embed_documents(texts)
            with store.write() as db:
                done += _put(db, table, batch, found)
            if progress is not None:
                progress(present + done, max(present + absent, present + done))


def _put(
    db: Transaction,
    table: str,
    batch: Sequence[tuple[int, int, int, int]],
    found: NDArray[np.float32],
) -> int:
    """Stores the vectors of a batch; of records that are still there and have none."""
    done = 0
    if not vector_index.exists(db, table):
        return done  # re-embedded with another model meanwhile
    for (passage, owner, _, _), vector in zip(batch, found, strict=True):
        memory = memories.get(db, owner)
        if memory is None or vector_index.has_vector(db, table, passage):
            continue
        scope_id = memories.ensure_scope(db, memory.scope)
        vector_index.add(db, table, [passage], vector[None, :], memory, scope_id)
        done += 1
    return done


def _target(store: Store, embedder: Embedder) -> str:
    """The table to fill: the file's own, the one of a broken run, or a new one."""
    with store.write() as db:
        if not store.vectors_loaded:
            raise BrainError(
                "brain_vec_missing",
                "这台机器加载不了 sqlite-vec 扩展，无法嵌入。",
                EXIT_UNAVAILABLE,
            )
        facts = memory_file.facts(db)
        wanted = (embedder.name, embedder.dim, setup_of(embedder))
        if _is_own(facts, embedder) and facts.get(meta.VECTORS):
            return str(facts[meta.VECTORS])
        growing = facts.get(meta.NEXT_VECTORS)
        next_ = (facts.get(meta.NEXT_MODEL), facts.get(meta.NEXT_DIM), facts.get(meta.NEXT_SETUP))
        if growing and next_ == wanted:
            return str(growing)
        if growing:
            vector_index.drop_table(db, str(growing))
        table = vector_index.next_name(db)
        vector_index.create_table(db, table, embedder.dim)
        meta.put(
            db,
            **{
                meta.NEXT_MODEL: embedder.name,
                meta.NEXT_DIM: embedder.dim,
                meta.NEXT_SETUP: setup_of(embedder),
                meta.NEXT_VECTORS: table,
            },
        )
        return table


def _is_own(facts: dict[str, Any], embedder: Embedder) -> bool:
    """Whether an embedder is the file's own model, in every respect that is recorded."""
    recorded = (facts.get(meta.MODEL), facts.get(meta.DIM), facts.get(meta.SETUP))
    return recorded == (embedder.name, embedder.dim, setup_of(embedder))


def _switch(store: Store, embedder: Embedder, table: str, measured: str | None) -> bool:
    """Makes a whole table the file's own; False when a record has come in meanwhile."""
    with store.write() as db:
        if vector_index.missing(db, table, 0, 1):
            return False
        facts = memory_file.facts(db)
        old = facts.get(meta.VECTORS)
        meta.put(db, **{meta.CALIBRATION: measured})
        if old != table:
            if old:
                vector_index.drop_table(db, str(old))
            meta.put(
                db,
                **{
                    meta.MODEL: embedder.name,
                    meta.DIM: embedder.dim,
                    meta.SETUP: setup_of(embedder),
                    meta.VECTORS: table,
                    meta.NEXT_MODEL: None,
                    meta.NEXT_DIM: None,
                    meta.NEXT_SETUP: None,
                    meta.NEXT_VECTORS: None,
                },
            )
            detail = {"model": [facts.get(meta.MODEL), embedder.name]}
            journal.write(db, to_iso(now_utc()), None, "reembed", "", detail)
        return True


def _without(store: Store, probed: bool) -> ReembedResult:
    with store.write() as db:
        facts = memory_file.facts(db)
        had = probe.sums(db, None)
        for table in (facts.get(meta.VECTORS), facts.get(meta.NEXT_VECTORS)):
            if table:
                vector_index.drop_table(db, str(table))
        meta.put(
            db,
            **{
                meta.MODEL: "",
                meta.DIM: None,
                meta.SETUP: None,
                meta.CALIBRATION: None,
                meta.VECTORS: None,
                meta.NEXT_MODEL: None,
                meta.NEXT_DIM: None,
                meta.NEXT_SETUP: None,
                meta.NEXT_VECTORS: None,
            },
        )
        journal.write(
            db, to_iso(now_utc()), None, "reembed", "", {"model": [facts.get(meta.MODEL), None]}
        )
        _, absent = vector_index.counts(db, None)
        if probed:
            found = health_probe.run(db, meta.read(db), to_iso(now_utc()), expected=had)
            health_probe.require(found, "没有换模型，原来的向量照旧用")
    return ReembedResult(None, None, 0, absent)
