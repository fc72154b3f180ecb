"""Background similarity: what an embedder gives texts that have nothing to do with each other.

A raw cosine means nothing across models: unrelated Chinese stands at .83 under e5-small and at .30
under bge-small-zh. Measured on neutral sentences that ship with the package, ours, each of a topic
of its own, it gives the gate the zero and the unit it needs for a model nobody has fitted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.text.fold import simplify

if TYPE_CHECKING:
    from brain.embed.protocol import Embedder

SENTENCES = Path(__file__).parent / "neutral.json"

LEAST_SPREAD = 1e-4
"""Below this all texts are alike to a model, and nothing can be told from its distances."""

STRETCH = 1.32
"""Sentences of a topic each lie closer together than what people write: their spread is .75 of that
over the calibration sets with e5-small (.0169 of .0225), .76 with bge-small-zh (.0701 of .0918);
the means are the same (.8283 and .8283, .289 and .300)."""


def measure(embedder: Embedder) -> dict[str, Any]:
    """Mean and spread of the similarity of questions and unrelated notes.

    Returns:
        ``near`` and ``spread`` where both are Chinese, and ``languages``: the mean where a question
        (named first) or a note is English or both are, as ``zh-en``. {} where they say nothing.

    Raises:
        Exception: whatever the embedder raises.
    """
    import numpy as np

    def questions(texts: list[str]) -> Any:
        many = getattr(embedder, "embed_queries", None)
        return many(texts) if many else np.array([embedder.embed_query(text) for text in texts])

    told = json.loads(SENTENCES.read_text(encoding="utf-8"))
    asked, notes = {}, {}
    for language, of in told.items():
        asked[language] = questions([simplify(q) for q in of["questions"]])
        notes[language] = embedder.embed_documents([simplify(n) for n in of["notes"]])
    found = {f"{a}-{b}": asked[a] @ notes[b].T for a in asked for b in notes}
    own = found.pop("zh-zh")
    near, spread = float(own.mean()), STRETCH * float(own.std())
    languages = {pair: round(float(values.mean()), 6) for pair, values in found.items()}
    if not all(map(math.isfinite, (near, spread, *languages.values()))) or spread < LEAST_SPREAD:
        return {}
    return {"near": round(near, 6), "spread": round(spread, 6), "languages": languages}


def read(recorded: str | None) -> tuple[float, float, Mapping[str, float]] | None:
    """What a file records of :func:`measure`, as (near, spread, languages); None where it has none
    or it cannot be right, whoever wrote it."""
    try:
        told = json.loads(recorded or "{}")
        near, spread = float(told["near"]), float(told["spread"])
        languages = {pair: float(told["languages"][pair]) for pair in ("zh-en", "en-zh", "en-en")}
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    sound = all(-1.0 <= value <= 1.0 for value in (near, *languages.values()))
    return (near, spread, languages) if sound and LEAST_SPREAD <= spread <= 1.0 else None
