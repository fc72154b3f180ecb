"""Encoding: a text as its passages, with a vector for each, and what a tokenizer may be given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from brain.text import sentences
from brain.text.fold import simplify

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder


def encode_passages(
    text: str, embedder: Embedder | None
) -> tuple[list[tuple[int, int]], NDArray[np.float32] | None]:
    """A text's passages as character ranges and, with an embedder that works, a vector for each."""
    spans = sentences.passages(text)
    if embedder is None or getattr(embedder, "remote", False):
        # What a server is to embed is stored first: it may be late, or not there.
        return spans, None
    try:
        return spans, embedder.embed_documents([simplify(text[a:b]) for a, b in spans])
    except Exception:  # whatever a native library raises: the words are kept, vectors pend
        return spans, None


MAX_CHARS = 4096
"""Characters a tokenizer gets to see: eight for each token of a 512-token window, more than any
script needs (Chinese about 1.6, English 4.5), so nothing the window could hold is lost."""

_UNREADABLE = re.compile("[\0\ud800-\udfff]")


def model_input(text: str, keep_end: bool = False) -> str:
    """Replaces NUL and lone surrogates by spaces and bounds the length.

    Args:
        text: any string, of any length.
        keep_end: of a text longer than ``MAX_CHARS`` keep both ends (a pasted log has its
            question before or behind it) instead of the beginning.

    Returns:
        At most ``MAX_CHARS`` characters that encode as UTF-8.
    """
    if len(text) > MAX_CHARS:
        text = head_and_tail(text, MAX_CHARS) if keep_end else text[:MAX_CHARS]
    return _UNREADABLE.sub(" ", text)


def head_and_tail(text: str, chars: int) -> str:
    """The first and the last half of ``chars`` characters, a line break between them."""
    half = (chars - 1) // 2
    return text[:half] + "\n" + text[len(text) - half :]
