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
    from brain.store.protocol import Store


def stats(store: Store, at: str, degraded_of: Callable[[dict[str, Any]], tuple[str, ...]]) -> Stats:
    """Counts records, vectors and bytes, and tells what cannot take part in recall.

    Args:
        at: UTC ISO; what is current then.
        degraded_of: codes of what the model lacks, from the file's facts.
    """
    everywhere = View(as_of=at, scopes=None)
    with store.read() as db:
        facts = memory_file.facts(db)
        states = memories.state_counts(db, at)
        by_kind = memories.counts_by(db, "kind", everywhere)
        by_scope = memories.counts_by(db, "scope", everywhere)
        present, missing = vector_index.counts(db, facts.get(meta.VECTORS))
        number = schema.version(db)
        looked_at = claims.state_counts(db, everywhere)
        trigrams = fts.has_trigrams(db)
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
    if not trigrams:
        degraded.append("no_trigram")
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


def bytes_on_disk(path: Path) -> int:
    """Bytes that the file and its log take together."""
    size = 0
    for suffix in ("", "-wal"):
        with suppress(OSError):
            size += Path(f"{path}{suffix}").stat().st_size
    return size
