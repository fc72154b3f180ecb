"""The first stage of a vector search, on digests that the threads of a process share."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from brain.store import blocks
from brain.store.view import View

if TYPE_CHECKING:
    from brain.store.digest import Digest

KEPT = 4
"""Digests kept in memory: a server's one file, or the few of a program that opens several."""

MEASURED = 300
MEASURED_AT = 10_000
GROWTH = 0.3
"""How many vectors are measured exactly for a search: so many in a file of so many, and in a larger
one more by this power of its size. The nearest ten are among them in 98 of 100 cases at every size
(bench/scale.py prints it)."""

_digests: OrderedDict[tuple[str, str, int], Digest] = OrderedDict()
_lock = threading.Lock()


def nearest(
    db: apsw.Connection,
    table: str,
    vector: bytes,
    view: View,
    scope_ids: Sequence[int] | None,
    least: int,
) -> tuple[list[int], bool]:
    """The passages a view shows whose codes are nearest to a vector's.

    All of them, where the view shows no more than a block holds: those are as quickly measured
    exactly.

    Args:
        vector: float32, packed.
        least: how many at least, where the view shows as many.

    Returns:
        Their ids, and whether they are all that the view shows.
    """
    import numpy as np

    from brain.store.digest import Digest

    unpacked = np.frombuffer(vector, dtype=np.float32)
    key = (str(db.filename), table, len(unpacked))
    with _lock:
        digest = _digests.pop(key, None) or Digest(len(unpacked))
        digest.refresh(db, table)
        _digests[key] = digest
        while len(_digests) > KEPT:
            _digests.popitem(last=False)
        shown = digest.shown(view, scope_ids)
        total = int(np.count_nonzero(shown))
        count = max(least, int(MEASURED * (total / MEASURED_AT) ** GROWTH))
        whole = total <= max(blocks.SLOTS, count)
        found = np.flatnonzero(shown) if whole else digest.near(unpacked, shown, count)
        return digest.passages(found), whole


def forget(path: Path) -> None:
    """Frees what is kept of a file that is being closed."""
    with _lock:
        for key in [k for k in _digests if k[0] == str(path.absolute())]:
            del _digests[key]
