"""The block made of the hits the gate chose: repeats left out, secrets masked, long texts cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.ccr import handles, narrow
from brain.inject import pack
from brain.memory import Hit, LeftOut
from brain.recall import duplicates
from brain.text import secrets


def block(hits: Sequence[Hit], terms: Sequence[str], budget: int) -> pack.Block:
    """Packs what a memory has to say to a question.

    Args:
        hits: best first.
        terms: the question's telling terms, by which long texts are cut.
        budget: estimated tokens, as :func:`brain.inject.pack.checked_budget` gives them.
    """
    fitting = duplicates.mark(hits)
    # Masked before anything is cut: half a key is a secret still.
    whole = [
        replace(h, text=secrets.masked(h.memory.text), recovery_handle=None)
        for h in fitting
        if h.duplicate_of is None
    ]

    def shortened(hit: Hit, room: int, tight: bool) -> str | None:
        handle = handles.handle_of(hit.memory.text.encode("utf-8"))
        if tight:
            return narrow.sentence(hit.text, terms, room, handle)
        from brain.ccr import shorten

        return shorten.excerpt(hit.text, terms, room, handle)

    packed = pack.block(whole, budget, shortened)
    repeated = tuple(
        LeftOut(h.id, f"与 #{h.duplicate_of} 说的相同") for h in fitting if h.duplicate_of
    )
    return replace(packed, left_out=packed.left_out + repeated)
