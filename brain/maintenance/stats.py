"""Statistics: what is in a file, counted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.embed import registry
from brain.results import Stats
from brain.store import claims, fts, memories, memory_file, meta, schema
from brain.store.vectors import vector_index
from brain.store.view import View

if TYPE_CHECKING:
    from brain.store.protocol import Store, Transaction


def stats(
    store: Store,
    at: str,
    degraded_of: Callable[[dict[str, Any]], tuple[str, ...]],
    scope: str | None = None,
) -> Stats:
    """Counts records, vectors and bytes, and tells what cannot take part in recall.

    Args:
        at: UTC ISO; what is current then.
        degraded_of: codes of what the model lacks, from the file's facts.
        scope: count the records it sees; None counts all. Vectors and bytes are the file's.
    """
    scopes = None if scope is None else (scope, "")
    everywhere = View(as_of=at, scopes=scopes)
    with store.read() as db:
        facts = memory_file.facts(db)
        states = memories.state_counts(db, at, scopes)
        by_kind = memories.counts_by(db, "kind", everywhere)
        by_scope = memories.counts_by(db, "scope", everywhere)
        present, missing = vector_index.counts(db, facts.get(meta.VECTORS))
        number = schema.version(db)
        text_indexes = _text_indexes(db)
        looked_at = claims.state_counts(db, everywhere)
    name = facts.get(meta.MODEL) or None
    languages: tuple[str, ...] = next(
        (info.languages for info in registry.known() if info.name == name), ()
    )
    degraded = list(degraded_of(facts))
    if name is None:
        # Without a model nothing is missing, but whoever asks should see what cannot be found.
        missing = 0
        degraded += ["no_model"] if states["total"] else []
    elif missing and "no_vec" not in degraded:
        degraded.append("vectors_pending")
    degraded += text_indexes
    return Stats(
        total=states["total"],
        current=sum(by_kind.values()),
        archived=states["archived"],
        superseded=states["superseded"],
        expired=states["expired"],
        retracted=states["retracted"],
        future=states["future"],
        by_kind=by_kind,
        by_scope=by_scope,
        model=name,
        dim=facts.get(meta.DIM),
        languages=languages,
        vectors_present=present,
        vectors_missing=missing,
        bytes=bytes_on_disk(store.path),
        schema=number,
        last_decay=facts.get(meta.LAST_DECAY),
        degraded=tuple(degraded),
        **looked_at,
    )


def _text_indexes(db: Transaction) -> tuple[str, ...]:
    """The code of what is wrong with the text indexes, as far as one look at each shows."""
    try:
        fts.average_length(db)
        return () if fts.has_trigrams(db) else ("no_trigram",)
    except fts.DamagedIndex:
        return ("index_damaged",)


def bytes_on_disk(path: Path) -> int:
    """Bytes that the file and its log take together."""
    size = 0
    for suffix in ("", "-wal"):
        with suppress(OSError):
            size += Path(f"{path}{suffix}").stat().st_size
    return size
