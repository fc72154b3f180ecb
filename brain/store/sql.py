"""Query helpers: running a query for its rows.

Short because everything in the store stands on it, and it on apsw alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import apsw


def rows(db: apsw.Connection, query: str, args: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query; the columns' types are the schema's."""
    return cast(list[tuple[Any, ...]], db.execute(query, cast(Any, tuple(args))).fetchall())


def one(db: apsw.Connection, query: str, args: Sequence[object] = ()) -> Any:
    """The first column of the first row. The query must have a row."""
    return rows(db, query, args)[0][0]


def stream(
    db: apsw.Connection, query: str, args: Sequence[object] = ()
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query one after the other, never all of them in memory."""
    yield from cast(Iterator[tuple[Any, ...]], db.execute(query, cast(Any, tuple(args))))
