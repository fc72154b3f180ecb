"""Stale records: one of their claims was found to hold no more.

Where the look that found so saw it elsewhere and the text names the old place, a record that names
the new one is to take over; otherwise a person decides whether the record ends. Nothing is looked
at here: what stands in the plan is what ``verify`` noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from brain.claims import verify
from brain.consolidate.proposal import Proposal, head
from brain.memory import FAILED, STALE, Memory
from brain.store.claims import Claim
from brain.text import prompt_injection
from brain.text.secrets import mask


def find(records: Sequence[Memory], claims: Mapping[int, Sequence[Claim]]) -> Iterator[Proposal]:
    """Stale records among current ones; a pinned one is left alone where nothing can replace it.

    Args:
        claims: of the stale ones, by record.
    """
    told = {(m.scope, m.kind, m.text): m.id for m in reversed(records)}
    for one in records:
        if one.state != STALE:
            continue
        own = claims[one.id]
        failed = "；".join(mask.masked(c.reason) for c in own if c.result == FAILED)
        begins = f"#{one.id}（{head(one.text)}）核对失败：{failed}"
        text = rewritten(one, own)
        if text is None:
            if not one.pinned:
                moved = any(verify.moved_to(c) is not None for c in own)
                more = "；只是移了位置就用 verify 的 fix 改核对" if moved else ""
                reason = f"{begins}。不再成立就让它到期，要人来定{more}"
                yield Proposal("stale", reason, None, (one.id,), confirm=True)
            continue
        same = told.get((one.scope, one.kind, text))
        if same is not None:
            reason = f"{begins}。#{same} 已经这样说：由它取代"
            yield Proposal("stale", reason, same, (one.id,))
            continue
        # The new words are the name of a file on this disk, which nobody wrote as a memory.
        orders = prompt_injection.detect(text)
        odd = f"；像是{prompt_injection.RULES[orders]}，要人看过" if orders else ""
        reason = f"{begins}。由说新位置的一条取代{odd}"
        yield Proposal("stale", reason, None, (one.id,), text=text, confirm=bool(orders))


def rewritten(record: Memory, own: Sequence[Claim]) -> str | None:
    """What a stale record says once it names the places where its claims were last seen; None where
    none is known, the text names none of the old ones, or it would hold a secret."""
    fixes = verify.plan(verify.noted(own), {record.id: record})
    if not fixes or fixes[0].act != "supersede" or mask.find(fixes[0].after):
        return None
    return fixes[0].after


def carried(own: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims of the record that takes over: what moved is claimed where it was seen, and until
    somebody looks again it is no more than claimed."""
    out: dict[tuple[str, str], Claim] = {}
    for claim in own:
        moved = verify.moved_to(claim)
        if moved is not None:
            claim = Claim(0, claim.kind, moved, claim.origin, claim.project)
        out.setdefault((claim.kind, claim.claim), replace(claim, memory_id=0, id=0))
    return tuple(out.values())
