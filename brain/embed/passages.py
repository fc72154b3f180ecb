"""A text as its passages, with a vector for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain.text import sentences
from brain.text.fold import simplify

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder


def embedded(
    text: str, embedder: Embedder | None
) -> tuple[list[tuple[int, int]], NDArray[np.float32] | None]:
    """A text's passages as character ranges and, with an embedder that works, a vector for each."""
    spans = sentences.passages(text)
    if embedder is None:
        return spans, None
    try:
        return spans, embedder.embed_documents([simplify(text[a:b]) for a, b in spans])
    except Exception:  # whatever a native library raises: the words are kept, vectors pend
        return spans, None
