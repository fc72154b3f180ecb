"""Decay undone: a long run taken back, since the clock it went by may have been wrong.

A run over more than a month keeps the strengths it changes and what it archives in a table of their
own, until the next run (:mod:`brain.maintenance.decay`). Undoing goes through them in short
transactions, each record once; one that is killed is finished by the next.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from brain.errors import EXIT_NO, BrainError
from brain.lifecycle import lineage
from brain.maintenance.decay import HANDFUL, PAUSE_SECONDS, kept_run
from brain.store import decay, meta
from brain.text.secrets.mask import refuse
from brain.text.timestamps import to_iso
from brain.validate import check_why

if TYPE_CHECKING:
    from brain.memory import Memory
    from brain.results import DecayUndone
    from brain.store.decay import Kept
    from brain.store.protocol import Store

UNDECAY = "undecay"
"""What the journal calls it."""


def run(store: Store, why: str, now: datetime) -> DecayUndone:
    """Gives records the strength they had before the last run, and brings back what it archived.

    What was forgotten since is gone; what somebody has brought back stays so; what was said to be
    useful or wrong since counts as if it had been said of the former strength. The next run decays
    from the instant of the run before the one that is undone.

    Args:
        why: kept in the journal.

    Raises:
        BrainError: ``brain_decay_none_kept`` (1) where there is no such run; ``brain_why_invalid``
            (65); what a write raises.
    """
    from brain.results import DecayUndone

    check_why(why)
    refuse(why, "原因")
    with store.read() as db:
        noted = kept_run(meta.read(db))
    if noted is None:
        raise BrainError(
            "brain_decay_none_kept",
            "没有可以撤销的衰减：只留着最近一次、超过 31 天的那次改了什么，到下一次衰减为止。",
            EXIT_NO,
        )
    at = to_iso(now)
    strengthened = 0
    restored: list[int] = []
    while True:
        with store.write() as db:
            if kept_run(meta.read(db)) != noted:
                break  # another process has finished it
            meta.put(db, **{meta.DECAY_RUN: None})  # killed half-way, it is not gone on with
            some = decay.kept(db, HANDFUL)
            for one in some:
                memory = lineage.require(db, one.id)
                values = _former(memory, one)
                lineage.change(db, memory, at, UNDECAY, why, **values)
                strengthened += values["strength"] != memory.strength
                if "archived_at" in values:
                    restored.append(one.id)
            decay.drop_kept(db, [one.id for one in some])
            if len(some) < HANDFUL:
                meta.put(db, **{meta.LAST_DECAY: noted["since"], meta.DECAY_KEPT: None})
                break
        time.sleep(PAUSE_SECONDS)
    return DecayUndone(noted["days"], strengthened, tuple(restored), noted["since"], noted["at"])


def _former(memory: Memory, one: Kept) -> dict[str, object]:
    """What a record's fields are without the run."""
    values: dict[str, object] = {"strength": _without_run(memory.strength, one.before, one.after)}
    if one.archived_at is not None and memory.archived_at == one.archived_at:
        values["archived_at"] = None
    return values


def _without_run(now: float, before: float, after: float) -> float:
    """The strength a record would have had the run not been.

    ``useful`` and use go a share of the way to 1, ``wrong`` takes a share away
    (:mod:`brain.lifecycle.strength`); the same shares count from the former strength.

    Args:
        now: its strength today. before, after: those before and after the run, all in [0, 1].
    """
    if now > after:
        return 1.0 - (1.0 - before) * (1.0 - now) / (1.0 - after)
    return before * now / after if after else before
