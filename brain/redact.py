"""Redaction: records and hits as they leave the engine, secrets masked and long texts narrowed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from brain.compress import handles, passages
from brain.memory import Hit, Memory, Reason, Side
from brain.text import prompt_injection
from brain.text.secrets import mask

if TYPE_CHECKING:
    from brain.results import Link

MOST_SIDE_CHARS = 300
"""Characters of a decision or an outcome that a reason shows; ``show`` has the whole."""


def memory(record: Memory) -> Memory:
    """A record with the secrets in its text and its remarks masked."""
    whole = (record.text, record.evidence, record.source, *(c.claim for c in record.checks))
    masked = tuple(map(mask.masked, whole))
    if masked == whole:
        return record
    text, evidence, source, *claims = masked
    pairs = zip(record.checks, claims, strict=True)
    checks = tuple(replace(check, claim=claim) for check, claim in pairs)
    return replace(record, text=text, evidence=evidence, source=source, checks=checks)


def link(observed: Link) -> Link:
    """An observation with the secrets in its remarks masked."""
    whole = (observed.context, observed.source, observed.evidence)
    masked = tuple(map(mask.masked, whole))
    if masked == whole:
        return observed
    context, source, evidence = masked
    return replace(observed, context=context, source=source, evidence=evidence)


def reason(found: Reason) -> Reason:
    """A reason with the secrets in its texts masked, and long texts cut to their beginning."""
    return replace(
        found,
        decision=_side(found.decision),
        outcome=_side(found.outcome),
        context=mask.masked(found.context),
    )


def _side(side: Side) -> Side:
    text = mask.masked(side.text)
    if len(text) > MOST_SIDE_CHARS:
        text = text[:MOST_SIDE_CHARS].rstrip() + "……"
    return side if text == side.text else replace(side, text=text)


def hits(found: Iterable[Hit]) -> tuple[Hit, ...]:
    """Hits with their records masked; until then records are whole, for handles and likeness."""
    return tuple(map(_hit, found))


def _hit(hit: Hit) -> Hit:
    masked = memory(hit.memory)
    return hit if masked is hit.memory else replace(hit, memory=masked)


def suspects(found: Iterable[Hit]) -> tuple[Hit, ...]:
    """Hits, those marked whose text reads as an order to its reader."""
    return tuple(map(_suspect, found))


def _suspect(hit: Hit) -> Hit:
    rule = prompt_injection.detect(hit.memory.text)
    return replace(hit, suspect=True, suspect_rule=rule) if rule else hit


def snippets(found: Iterable[Hit], terms: Iterable[str]) -> tuple[Hit, ...]:
    """Hits as ``recall`` shows them: masked, long texts narrowed to a snippet, suspects marked.

    Args:
        terms: the question's telling terms.
    """
    wanted = tuple(terms)
    return tuple(_hit(_snippet(_suspect(hit), wanted)) for hit in found)


def _snippet(hit: Hit, terms: tuple[str, ...]) -> Hit:
    whole = hit.memory.text
    masked = mask.masked(whole)
    own = None if masked is whole else handles.handle_of(whole.encode("utf-8"))
    text, handle = passages.narrow(masked, terms, handle=own)
    return hit if text is hit.text else replace(hit, text=text, recovery_handle=handle)
