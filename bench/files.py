"""Real memory files made from the sets, kept under the cache until the indexing code changes."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from bench.data import UNDATED, Doc, Task
from bench.vectors import NO_MODEL, CachedEmbedder
from brain import Brain
from brain.memory import Draft
from brain.store.view import View

BATCH = 500
"""Most documents of one ``add_many``."""

_ROOT = Path(__file__).parent.parent / "brain"
_INDEXING = (
    "text/fold.py",
    "text/tokenize.py",
    "text/sentences.py",
    "store/schema.py",
    "memory.py",
)
"""The sources that decide what is in a memory file."""


@dataclass(frozen=True, slots=True)
class Built:
    """A memory file and what its records are.

    Args:
        path: the file.
        docs: memory id → the set's documents with that text (several where a text repeats:
            the engine keeps one record of it).
    """

    path: Path
    docs: dict[int, tuple[str, ...]]

    def ranking(self, ids: Sequence[int]) -> list[tuple[str, float]]:
        """Memory ids, best first, as the scorer's (document, score) rows."""
        names = [name for i in ids for name in self.docs[i]]
        return [(name, 1.0 / place) for place, name in enumerate(names, start=1)]


def sources(patterns: Sequence[str]) -> str:
    """A fingerprint of source files under ``brain/``; each pattern names some."""
    digest = hashlib.sha256()
    found = [list(_ROOT.glob(pattern)) for pattern in patterns]
    assert all(found), patterns
    for path in sorted({p for some in found for p in some}):
        digest.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def indexing() -> str:
    """A fingerprint of all code that decides what a built file holds."""
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    return f"{sources(_INDEXING)}-{own}"


def iso(moment: datetime) -> str:
    """UTC ISO 8601 with milliseconds, as the store has it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def view(scope: str, moment: datetime) -> View:
    """What the engine shows a question of a scope at a moment."""
    return View(as_of=iso(moment), scopes=tuple(dict.fromkeys((scope, ""))))


def open_file(path: Path, embedder: CachedEmbedder | None, *, read_only: bool = True) -> Brain:
    """The engine on a built file, with the cached vectors in place of the model."""
    return Brain.open(path, model=embedder or NO_MODEL, read_only=read_only)


def build(task: Task, embedder: CachedEmbedder | None, cache: Path) -> Built:
    """The set's memory file, made through ``Brain.add_many`` unless it is there already."""
    model = embedder.name if embedder else NO_MODEL
    stamp = f"{task.fingerprint}-{indexing()}"
    folder = cache / "files" / model
    path = folder / f"{task.name}-{stamp}.db"
    listing = path.with_suffix(".json")
    if not (path.is_file() and listing.is_file()):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(f"{task.name}-????????????????-*"):
            old.unlink()
        _fill(task, embedder, path, listing)
    known = json.loads(listing.read_text(encoding="utf-8"))
    return Built(path, {int(i): tuple(names) for i, names in known.items()})


def _fill(task: Task, embedder: CachedEmbedder | None, path: Path, listing: Path) -> None:
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    known: dict[int, list[str]] = {}
    done = 0
    with open_file(part, embedder, read_only=False) as brain:
        for moment, batch in _batches(task.docs):
            drafts = [Draft(doc.text, scope=doc.scope) for doc in batch]
            stored = brain.add_many(drafts, allow_secrets=True, now=moment)
            for doc, result in zip(batch, stored, strict=True):
                known.setdefault(result.id, []).append(doc.id)
            done += len(batch)
            _progress(f"{task.name}: {done}/{len(task.docs)} notes")
    _progress("")
    if embedder:
        embedder.flush()
    listing.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    part.rename(path)


def _batches(docs: Sequence[Doc]) -> Iterator[tuple[datetime, list[Doc]]]:
    """Documents in the order they were told, each batch at one instant."""

    def instant(doc: Doc) -> datetime:
        return doc.time or UNDATED

    for moment, group in groupby(sorted(docs, key=instant), key=instant):
        same = list(group)
        for start in range(0, len(same), BATCH):
            yield moment, same[start : start + BATCH]


def _progress(line: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
