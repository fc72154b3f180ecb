"""In-memory cache of a vector table's code blocks: what a view shows, and which are near.

It is about 150 bytes a vector. It is read from the file when it is first asked for, and
block by block again wherever a block's token has changed. It may be newer than the transaction
that asks: what it proposes is held against the records by whoever asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw
import numpy as np

from brain.store.vectors import blocks, quantize
from brain.store.view import FOREVER_MS, View, to_ms

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPARSE = 0.25
"""Below this share of visible vectors only theirs are compared, above it all: picking costs too."""

ROUGHLY = 20
FEW_ROUGHLY = 4
"""Where more than so many times these are visible, the nearest by half of each code come first, so
many times as are wanted, and only those are compared whole: two thirds of the time at a million,
and .2 in a hundred fewer of the nearest ten found."""

_COLUMNS = (
    ("valid_from", "<i8"),
    ("valid_to", "<i8"),
    ("recorded_at", "<i8"),
    ("retracted_at", "<i8"),
    ("state", "u1"),
    ("scope", "<u4"),
    ("kind", "<u4"),
)
_OFFSETS = (0, 8, 16, 24, 32, 40, 44)


class CodeCache:
    """One vector table's blocks, for one thread at a time.

    Args:
        dim: numbers in a vector.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._words = blocks.words(dim)
        names, formats = zip(*_COLUMNS, strict=True)
        self._record = np.dtype(
            {
                "names": [*names, "code"],
                "formats": [*formats, ("<u8", (self._words,))],
                "offsets": [*_OFFSETS, blocks.FILTERS],
                "itemsize": blocks.record_size(dim),
            }
        )
        self._centres: dict[int, quantize.Centre] = {}
        self._clear()

    def _clear(self) -> None:
        self._seen: dict[int, tuple[int, int]] = {}
        self._numbers: list[int] = []
        self._codes = np.zeros((self._words, 0), dtype=np.uint64)
        self._filters = {name: np.zeros(0, dtype=kind) for name, kind in _COLUMNS}
        self._latest_start = -FOREVER_MS
        self._first_end = self._first_retraction = FOREVER_MS

    def refresh(self, db: apsw.Connection, table: str) -> None:
        """Reads the blocks that have changed since it was last asked.

        Raises:
            apsw.CorruptError: a centre or a block is gone or of another length.
        """
        listing = blocks.listing(db, table)
        numbers = [block for block, _, _ in listing]
        if numbers[: len(self._numbers)] != self._numbers:
            self._clear()  # a block in between, or another file in this one's place
        changed = [row for row in listing if self._seen.get(row[0]) != row[1:]]
        if not changed:
            return
        self._centres = {
            number: self._centre(mean, spread) for number, mean, spread in blocks.centres(db, table)
        }
        self._grow(len(numbers) * blocks.SLOTS)
        places = {block: place for place, block in enumerate(numbers)}
        for block, token, centre in changed:
            self._load(places[block] * blocks.SLOTS, blocks.read(db, table, block))
            self._seen[block] = (token, centre)
        self._numbers = numbers

    def _centre(self, mean: bytes, spread: float) -> quantize.Centre:
        if len(mean) != 4 * self._dim:
            raise apsw.CorruptError("a centre is cut short")
        return quantize.Centre(np.frombuffer(mean, dtype=np.float32), spread)

    def _grow(self, size: int) -> None:
        have = self._codes.shape[1]
        if size <= have:
            return
        # An eighth to spare once it is large, so that adding does not copy it all each time.
        room = size if have == 0 else size + size // 8 // blocks.SLOTS * blocks.SLOTS
        grown = np.zeros((self._words, room), dtype=np.uint64)
        grown[:, :have] = self._codes
        self._codes = grown
        for name, column in self._filters.items():
            self._filters[name] = np.zeros(room, dtype=column.dtype)
            self._filters[name][:have] = column

    def _load(self, start: int, data: bytes) -> None:
        if len(data) != blocks.SLOTS * self._record.itemsize:
            raise apsw.CorruptError("a block of codes is of another length than its vectors")
        records = np.frombuffer(data, dtype=self._record)
        stop = start + len(records)
        self._codes[:, start:stop] = records["code"].T
        for name, column in self._filters.items():
            column[start:stop] = records[name]
        filled = records[records["state"] != blocks.EMPTY]
        if len(filled):
            self._latest_start = max(self._latest_start, int(filled["valid_from"].max()))
            self._first_end = min(self._first_end, int(filled["valid_to"].min()))
            retracted = int(filled["retracted_at"].min())
            self._first_retraction = min(self._first_retraction, retracted)

    def shown(self, view: View, scope_ids: Sequence[int] | None) -> NDArray[np.bool_]:
        """For every place, whether the view shows the vector there."""
        column = self._filters
        if view.archived is None:
            shown: NDArray[np.bool_] = column["state"] != blocks.EMPTY
        else:
            shown = column["state"] == (blocks.ARCHIVED if view.archived else blocks.LIVE)
        if scope_ids is not None:
            shown &= np.isin(column["scope"], np.array(scope_ids, dtype=np.uint32))
        if not view.include_expired:
            at = to_ms(view.as_of, 0)
            # Columns that rule nothing out are not read: most files have no retracted records.
            if at < self._latest_start:
                shown &= column["valid_from"] <= at
            if at >= self._first_end:
                shown &= column["valid_to"] > at
        if view.known_at is None:
            if self._first_retraction != FOREVER_MS:
                shown &= column["retracted_at"] == FOREVER_MS
        else:
            known = to_ms(view.known_at, 0)
            shown &= column["recorded_at"] <= known
            shown &= column["retracted_at"] > known
        if view.kind is not None:
            shown &= column["kind"] == blocks.kind_number(view.kind)
        if view.not_kind is not None:
            shown &= column["kind"] != blocks.kind_number(view.not_kind)
        return shown

    def near(
        self, vector: NDArray[np.float32], shown: NDArray[np.bool_], count: int
    ) -> NDArray[np.intp]:
        """Of the places shown, the ``count`` whose codes are nearest to a vector's, ascending.

        Args:
            shown: from :meth:`shown`; more than ``count`` of them are true.
        """
        every = slice(0, self._words)
        hidden = 64 * self._words + 1  # further than any code
        visible = int(np.count_nonzero(shown))
        if visible < SPARSE * len(shown):
            places = np.flatnonzero(shown)
            return places[quantize.lowest(self._distances(vector, places, every), count)]
        if visible < FEW_ROUGHLY * ROUGHLY * count:
            found = self._distances(vector, None, every)
            np.putmask(found, ~shown, hidden)
            return quantize.lowest(found, count)
        first, rest = slice(0, self._words // 2), slice(self._words // 2, self._words)
        found = self._distances(vector, None, first)
        np.putmask(found, ~shown, hidden)
        places = quantize.lowest(found, ROUGHLY * count)
        whole = found[places] + self._distances(vector, places, rest)
        return places[quantize.lowest(whole, count)]

    def _distances(
        self, vector: NDArray[np.float32], places: NDArray[np.intp] | None, part: slice
    ) -> NDArray[np.uint16]:
        """How far some words of the codes at some places, or at all, are from a vector's."""
        used = {centre for _, centre in self._seen.values()}
        if len(used) == 1:
            return self._from(vector, used.pop(), places, part)
        # A new centre is being applied: each block is compared by its own.
        if places is None:
            places = np.arange(self._codes.shape[1])
        by_block = np.zeros(self._codes.shape[1] // blocks.SLOTS, dtype=np.int64)
        by_block[: len(self._numbers)] = [self._seen[block][1] for block in self._numbers]
        own = by_block[places // blocks.SLOTS]
        out = np.zeros(len(places), dtype=np.uint16)
        for centre in used:
            mine = own == centre
            out[mine] = self._from(vector, centre, places[mine], part)
        return out

    def _from(
        self,
        vector: NDArray[np.float32],
        centre: int,
        places: NDArray[np.intp] | None,
        part: slice,
    ) -> NDArray[np.uint16]:
        if centre not in self._centres:
            raise apsw.CorruptError("a block is coded against a centre that is gone")
        code = quantize.encode_query(vector, self._centres[centre])[part]
        some = self._codes[part] if places is None else self._codes[part, places]
        return quantize.distances(some, code)

    def passages(self, places: NDArray[np.intp]) -> list[int]:
        """The passage ids that stand at some places."""
        first = np.array(self._numbers, dtype=np.int64) * blocks.SLOTS
        found = first[places // blocks.SLOTS] + places % blocks.SLOTS
        passages: list[int] = found.tolist()
        return passages
