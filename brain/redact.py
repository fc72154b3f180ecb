"""Records and hits as they leave the engine: no secret in them, long texts narrowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.compress import handles, passages
from brain.memory import Hit, Memory
from brain.text import prompt_injection
from brain.text.secrets import mask


def discreet(memory: Memory) -> Memory:
    """A record as it may leave the engine: secrets in its text and its remarks masked."""
    whole = (memory.text, memory.evidence, memory.source)
    masked = tuple(map(mask.masked, whole))
    if masked == whole:
        return memory
    text, evidence, source = masked
    return replace(memory, text=text, evidence=evidence, source=source)


def told(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits as they leave the engine; until then records are whole, for handles and likeness."""
    return tuple(map(_told, hits))


def _told(hit: Hit) -> Hit:
    memory = discreet(hit.memory)
    return hit if memory is hit.memory else replace(hit, memory=memory)


def shown(hit: Hit, terms: Sequence[str]) -> Hit:
    """A hit as ``recall`` shows it: secrets masked, then a long text narrowed to what is asked.

    Args:
        hit: as it was found.
        terms: the question's telling terms.
    """
    whole = hit.memory.text
    masked = mask.masked(whole)
    own = None if masked is whole else handles.handle_of(whole.encode("utf-8"))
    text, handle = passages.narrowed(masked, terms, handle=own)
    suspected = prompt_injection.rule(whole)
    if text is hit.text and not suspected:
        return hit
    return replace(
        hit,
        text=text,
        recovery_handle=handle,
        suspect=bool(suspected),
        suspect_rule=suspected,
    )
