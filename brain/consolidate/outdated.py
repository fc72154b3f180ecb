"""Records to archive: those that were superseded or expired long ago.

Short, and a file of its own, as each kind of clean-up is; the others look at what is current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from brain.consolidate.proposal import Proposal, head
from brain.memory import Memory
from brain.text.timestamps import from_iso, local_day, to_iso

LONG = timedelta(days=180)
"""How long a record has been over before it is proposed: two of decay's rests of ninety days."""


def find(records: Sequence[Memory], now: str) -> Iterator[Proposal]:
    """What is over for long.

    Args:
        records: in whatever state.
        now: UTC ISO.
    """
    moment = from_iso(now)
    # Nothing is half a year old in the first days of the calendar.
    limit = to_iso(max(moment, datetime.min.replace(tzinfo=UTC) + LONG) - LONG)
    for one in records:
        if one.archived_at is not None or one.pinned:
            continue
        replaced = one.superseded_by is not None
        over = one.valid_to or (one.retracted_at if replaced else None)
        if over is None or over > limit or (one.retracted_at is not None and not replaced):
            continue
        how = f"已被 #{one.superseded_by} 取代" if replaced else "已经到期"
        reason = (
            f"#{one.id}（{head(one.text)}）{local_day(over)} 起{how}，超过 {LONG.days} 天：归档"
        )
        yield Proposal("archive", reason, None, (one.id,))
