"""What the engine asks of a text-to-vector model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy costs 0.1 s to import, too much for commands that never embed
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine similarity.

    Any string is accepted: an empty one has a vector too, NUL and lone surrogates read as
    spaces, and no text costs more than one model window. The vector of a text depends on that
    text alone, never on what is embedded beside it. Calls may come from several threads.

    Attributes:
        name: stable id, recorded in the file (``e5-small``, ``bge-small-zh``).
        dim: length of a vector.
        max_tokens: the model's window in its own tokens, special ones included; what a document
            has beyond it is in no vector, so longer ones are embedded passage by passage.
        languages: ISO 639-1 codes of the languages it was trained for, the strongest first.
    """

    name: str
    dim: int
    max_tokens: int
    languages: tuple[str, ...]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), dim); of a long text its first window."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,); of a long one its beginning and its end."""
