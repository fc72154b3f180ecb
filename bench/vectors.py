"""An embedder that remembers: every text is embedded once and never again.

The cache is one SQLite file keyed by the model's name, the text's role and its SHA-256. After a
change of the model itself (another quantisation, another package version) delete the file.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
from numpy.typing import NDArray

from brain.embed import registry

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder

QUERY = "q"
DOCUMENT = "p"

NO_MODEL = "none"

_COMMIT_EVERY = 64


class CachedEmbedder:
    """A model of ours behind a cache; the model is loaded at the first text that is not in it.

    Args:
        name: of the model, as in the memory file.
        folder: where the cache file lies.
    """

    def __init__(self, name: str, folder: Path) -> None:
        info = registry.info(name)
        self.name = info.name
        self.dim = info.dim
        self.max_tokens = info.max_tokens
        self.languages = info.languages
        self.embedded = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._db = apsw.Connection(str(folder / "vectors.sqlite"))
        self._db.set_busy_timeout(60_000)
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "NORMAL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
            " WITHOUT ROWID"
        )
        self._lock = threading.RLock()
        self._pending: dict[bytes, bytes] = {}
        self._asked: dict[str, NDArray[np.float32]] = {}
        self._model: Embedder | None = None

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), dim)."""
        with self._lock:
            out = np.empty((len(texts), self.dim), dtype=np.float32)
            absent: list[int] = []
            for place, text in enumerate(texts):
                found = self._get(DOCUMENT, text)
                if found is None:
                    absent.append(place)
                else:
                    out[place] = found
            if absent:
                made = self._loaded().embed_documents([texts[i] for i in absent])
                for place, vector in zip(absent, made, strict=True):
                    out[place] = vector
                    self.put(DOCUMENT, texts[place], vector)
            return out

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,); a dictionary look-up from the second time on."""
        with self._lock:
            known = self._asked.get(text)
            if known is None:
                known = self._get(QUERY, text)
                if known is None:
                    known = self._loaded().embed_query(text)
                    self.put(QUERY, text, known)
                self._asked[text] = known
            return known

    def put(self, role: str, text: str, vector: NDArray[np.float32]) -> None:
        """Remembers a vector of this model."""
        with self._lock:
            data = np.ascontiguousarray(vector, dtype=np.float32).tobytes()
            self._pending[self._key(role, text)] = data
            self.embedded += 1
            if len(self._pending) >= _COMMIT_EVERY:
                self.flush()

    def flush(self) -> None:
        """Writes what was embedded to the file."""
        with self._lock, self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)",
                list(self._pending.items()),
            )
            self._pending.clear()

    def _get(self, role: str, text: str) -> NDArray[np.float32] | None:
        key = self._key(role, text)
        data = self._pending.get(key)
        if data is None:
            row: Any = self._db.execute(
                "SELECT vector FROM vectors WHERE key = ?", (key,)
            ).fetchone()
            if row is None:
                return None
            data = row[0]
        return np.frombuffer(data, dtype=np.float32)

    def _key(self, role: str, text: str) -> bytes:
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.sha256(f"{self.name}\0{role}\0".encode() + content).digest()

    def _loaded(self) -> Embedder:
        if self._model is None:
            print(f"loading {self.name}: some texts are not in the cache yet", file=sys.stderr)
            self._model = registry.open_embedder(self.name)
        return self._model


def embedder(name: str, folder: Path) -> CachedEmbedder | None:
    """The cached embedder of a name; None for ``none``."""
    return None if name == NO_MODEL else CachedEmbedder(name, folder)
