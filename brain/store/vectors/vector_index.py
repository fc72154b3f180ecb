"""Vector index: one table of exact float32 a model, named in ``meta``, and codes in blocks beside.

A search goes in two stages. :func:`nearest` proposes, in memory and by numpy: it applies the view's
filters to the codes of every vector and keeps those nearest. :func:`exact_similarities` then
measures the proposals, reading their vectors alone, and the records have the last word on what is
visible. Nothing is filtered after the nearest have been chosen, so filters never empty the result.

sqlite-vec scores exactly what it is asked for, by ``vec_distance_cosine``: the records that the
words found (:func:`similarities`). It holds and scans nothing, but for the ``vec0`` tables of
schema 1, which it reads until the file is migrated. Its scan of float32 takes 11 times as long as
two stages at a hundred thousand vectors, 30 times at a million (docs/benchmarks.md); the plain
query for whoever reads the file without us is in docs/formats.md.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from brain.memory import Memory
from brain.store import memories, meta
from brain.store.sql import one, rows
from brain.store.vectors import blocks
from brain.store.view import FOREVER_MS, View, to_ms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.vectors.cache import CodeCache
    from brain.store.vectors.quantize import Centre

LEAST = 2
"""How many passages a search measures at least for each memory wanted."""

WIDER = 4
"""How much wider a search looks when a few long memories take most of the places."""

CENTRED_AT = (1, 4)
"""When a block is begun after so many, codes get a centre from the vectors there are: before the
first search that needs codes, and once more when chance has evened out. Later centres come from
:func:`recentre` alone: taking all codes anew takes seconds at a million."""

SAMPLED = 16
"""Blocks a centre is made from."""

MAX_K = 4096
"""vec0 refuses a larger k."""

KEPT = 4
"""Caches kept in memory: a server's one file, or the few of a program that opens several."""

MEASURED = 300
MEASURED_AT = 10_000
GROWTH = 0.3
"""How many vectors are measured exactly for a search: so many in a file of so many, and in a larger
one more by this power of its size. The nearest ten are among them in 98 of 100 cases at every size
(bench/scale.py prints it)."""

_digests: OrderedDict[tuple[str, str, int], CodeCache] = OrderedDict()
_lock = threading.Lock()


def create_table(db: apsw.Connection, table: str, dim: int) -> None:
    """Makes an empty vector table for vectors of ``dim`` numbers."""
    db.execute(
        f"CREATE TABLE {table} (id INTEGER PRIMARY KEY,"
        f" embedding BLOB NOT NULL CHECK (length(embedding) = {4 * dim}))"
    )
    blocks.create(db, table)


def next_name(db: apsw.Connection) -> str:
    """A name no vector table of the file has."""
    found = rows(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'vectors_[0-9]*'")
    used = [int(name[8:]) for (name,) in found if name[8:].isdigit()]
    return f"vectors_{max(used, default=0) + 1}"


def has_vector(db: apsw.Connection, table: str, passage_id: int) -> bool:
    """Whether a passage has its vector."""
    return bool(rows(db, f"SELECT 1 FROM {table} WHERE id = ?", (passage_id,)))


def drop_table(db: apsw.Connection, table: str) -> None:
    """Removes a vector table with all it holds."""
    if of_schema_1(db, table):
        drop(db, table)
    else:
        db.execute(f"DROP TABLE IF EXISTS {table}")
        blocks.drop(db, table)


def exists(db: apsw.Connection, table: str) -> bool:
    """Whether the vector table is in the file."""
    found = rows(db, "SELECT 1 FROM sqlite_schema WHERE name = ?", (table,))
    return bool(found)


def of_schema_1(db: apsw.Connection, table: str) -> bool:
    """Whether it is a ``vec0`` table of a file that has not been migrated."""
    return exists(db, f"{table}_rowids")


def add(
    db: apsw.Connection,
    table: str,
    passage_ids: Sequence[int],
    vectors: NDArray[np.float32],
    memory: Memory,
    scope_id: int,
) -> None:
    """Stores a memory's vectors, one a passage. ``vectors``: (len(passage_ids), dim), unit rows."""
    filters = blocks.filters(memory, scope_id)
    _store(db, table, passage_ids, vectors, [filters] * len(passage_ids))


def add_several(
    db: apsw.Connection, table: str, given: Sequence[tuple[Memory, NDArray[np.float32]]]
) -> None:
    """Stores the vectors of memories that have their passages, one a passage, in order of id."""
    import numpy as np

    ids: list[int] = []
    filters: list[bytes] = []
    for memory, _ in given:
        own = memories.passage_ids(db, memory.id)
        ids += own
        scope_id = memories.ensure_scope(db, memory.scope)
        filters += [blocks.filters(memory, scope_id)] * len(own)
    if ids:
        _store(db, table, ids, np.concatenate([found for _, found in given]), filters)


def _store(
    db: apsw.Connection,
    table: str,
    passage_ids: Sequence[int],
    vectors: NDArray[np.float32],
    filters: Sequence[bytes],
) -> None:
    for block, group in groupby(range(len(passage_ids)), lambda i: passage_ids[i] // blocks.SLOTS):
        places = list(group)
        if not blocks.has(db, table, block):
            _begin_block(db, table, block, vectors.shape[1])
        db.executemany(
            f"INSERT INTO {table} (id, embedding) VALUES (?, ?)",
            [(passage_ids[i], vectors[i].tobytes()) for i in places],
        )
        codes = _codes(db, table, block, vectors[places])
        blocks.put(
            db,
            table,
            block,
            {passage_ids[i]: filters[i] + code for i, code in zip(places, codes, strict=True)},
        )


def _begin_block(db: apsw.Connection, table: str, block: int, dim: int) -> None:
    begun = blocks.count(db, table)
    if begun in CENTRED_AT or (begun and not is_quantized(db, table)):
        recentre(db, table)
        requantize(db, table)
    empty = bytes(blocks.SLOTS * blocks.record_size(dim))
    blocks.insert(db, table, block, empty, 0, blocks.newest_centre(db, table))


def _codes(
    db: apsw.Connection, table: str, block: int, vectors: NDArray[np.float32]
) -> list[bytes]:
    from brain.store.vectors import quantize

    centre = _centre(blocks.centre_of(db, table, block))
    if centre is None:
        return [b""] * len(vectors)
    return [code.tobytes() for code in quantize.encode(vectors, centre)]


def _centre(found: tuple[bytes, float] | None) -> Centre | None:
    import numpy as np

    from brain.store.vectors.quantize import Centre

    return None if found is None else Centre(np.frombuffer(found[0], dtype=np.float32), found[1])


def recentre(db: apsw.Connection, table: str) -> None:
    """Makes a new centre from a sample of the vectors; :func:`requantize` then applies it.

    None is made where the sample's is the one there is.
    """
    from brain.store.vectors import quantize

    numbers = [block for block, _, _ in blocks.listing(db, table)]
    step = max(1, len(numbers) // SAMPLED)
    sample = [
        vectors for block in numbers[::step] if len(vectors := _of_block(db, table, block)[1])
    ]
    if sample:
        import numpy as np

        found = quantize.centre(np.concatenate([some for some in sample if len(some)]))
        made = found.mean.tobytes(), found.spread
        if made not in [centre[1:] for centre in blocks.centres(db, table)[-1:]]:
            blocks.add_centre(db, table, *made)


def requantize(db: apsw.Connection, table: str, most: int = blocks.SLOTS) -> bool:
    """Takes the codes of blocks against the newest centre, at most so many blocks.

    Searches in between compare each block by its own centre, so it may be done a few blocks at a
    time.

    Returns:
        Whether any blocks are left.
    """
    import numpy as np

    from brain.store.vectors import quantize

    newest = blocks.newest_centre(db, table)
    centre = next((c for c in blocks.centres(db, table) if c[0] == newest), None)
    around = _centre(centre[1:] if centre else None)
    if around is None:
        return False
    for block in blocks.outdated(db, table, most):
        data = np.frombuffer(bytearray(blocks.read(db, table, block)), dtype=np.uint8)
        ids, vectors = _of_block(db, table, block)
        if len(ids):
            found = quantize.encode(vectors, around).view(np.uint8)
            places = np.array(ids) - block * blocks.SLOTS
            data.reshape(blocks.SLOTS, -1)[places, blocks.FILTERS :] = found
        blocks.replace(db, table, block, data.tobytes(), newest)
    left = bool(blocks.outdated(db, table, 1))
    if not left:
        blocks.drop_old_centres(db, table)
    return left


def is_quantized(db: apsw.Connection, table: str) -> bool:
    """Whether there are enough vectors that they have been given codes."""
    return blocks.newest_centre(db, table) > 0


def count_outdated(db: apsw.Connection, table: str) -> int:
    """How many vectors have codes against an older centre."""
    return blocks.count_outdated(db, table)


def _of_block(db: apsw.Connection, table: str, block: int) -> tuple[list[int], NDArray[np.float32]]:
    """The passage ids of a block and their vectors, (n, dim)."""
    import numpy as np

    first = block * blocks.SLOTS
    found = rows(
        db,
        f"SELECT id, embedding FROM {table} WHERE id >= ? AND id < ? ORDER BY id",
        (first, first + blocks.SLOTS),
    )
    vectors = np.frombuffer(b"".join(row[1] for row in found), dtype=np.float32)
    # A block whose vectors are all gone has no row to tell how many numbers there are.
    return [int(row[0]) for row in found], vectors.reshape(len(found), -1 if found else 0)


def tables(db: apsw.Connection) -> list[str]:
    """The vector tables of the file: its own, and the one a re-embedding is filling."""
    found = meta.read(db)
    named = (found.get(meta.VECTORS), found.get(meta.NEXT_VECTORS))
    return [table for table in named if table is not None and exists(db, table)]


def refresh(db: apsw.Connection, memory: Memory) -> None:
    """Brings the filters beside a memory's vectors up to date with its record."""
    found = rows(db, "SELECT id FROM passages WHERE memory_id = ?", (memory.id,))
    for table in tables(db):
        for (passage_id,) in found:
            if has_vector(db, table, passage_id):
                blocks.refresh(db, table, passage_id, memory)


def remove(db: apsw.Connection, table: str, passage_ids: Sequence[int]) -> None:
    """Deletes vectors by passage id; what they were made of is overwritten."""
    for passage_id in passage_ids:
        db.execute(f"DELETE FROM {table} WHERE id = ?", (passage_id,))
        blocks.clear(db, table, passage_id, db.changes())


def search(
    db: apsw.Connection,
    table: str,
    vector: bytes,
    view: View,
    scope_ids: Sequence[int] | None,
    k: int,
) -> list[tuple[int, int, float]]:
    """The nearest visible memories.

    Args:
        vector: dim float32 numbers, packed; unit length.
        k: how many memories. Where a few long ones take most of the places measured, more are
            measured, so that they do not hide the rest.

    Returns:
        (memory id, passage id, cosine similarity) of each memory's nearest passage, nearest
        first, ties by id.
    """
    if scope_ids == []:
        return []
    propose = nearest_schema_1 if of_schema_1(db, table) else nearest
    width = LEAST * k
    while True:
        near, whole = propose(db, table, vector, view, scope_ids, width)
        best = _best(db, exact_similarities(db, table, vector, near), view, k)
        if whole or 2 * len(best) >= k:
            break
        width *= WIDER
    if view.replayed:
        # Proposals go by today's values; what changed since is held against the question itself.
        crowded = not whole and len(best) < k
        shown = memories.visible_ids(db, view, changed=not crowded)
        best |= nearest_among(db, table, vector, shown, k)
        best = dict(sorted(best.items(), key=lambda found: (-found[1][0], found[0]))[:k])
    return [(m, best[m][1], best[m][0]) for m in best]


def nearest_among(
    db: apsw.Connection, table: str, vector: bytes, memory_ids: Sequence[int], k: int
) -> dict[int, tuple[float, int]]:
    """The k nearest of given memories, every one measured: id → (similarity, passage id)."""
    found = similarities(db, table, vector, memory_ids)
    nearest = sorted(found, key=lambda m: (-found[m][0], m))[:k]
    return {m: found[m] for m in nearest}


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

    from brain.store.vectors.cache import CodeCache

    unpacked = np.frombuffer(vector, dtype=np.float32)
    key = (str(db.filename), table, len(unpacked))
    with _lock:
        digest = _digests.pop(key, None) or CodeCache(len(unpacked))
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


def drop_cache(path: Path) -> None:
    """Frees what is kept of a file that is being closed."""
    with _lock:
        for key in [k for k in _digests if k[0] == str(path.absolute())]:
            del _digests[key]


def of_memory(db: apsw.Connection, table: str, memory_id: int) -> NDArray[np.float32] | None:
    """The vector of a memory's first passage, (dim,), as it is stored; None without one."""
    import numpy as np

    found = rows(
        db,
        f"SELECT v.embedding FROM passages p CROSS JOIN {table} v ON v.rowid = p.id"
        " WHERE p.memory_id = ? ORDER BY p.id LIMIT 1",
        (memory_id,),
    )
    return np.frombuffer(found[0][0], np.float32) if found else None


def exact_similarities(
    db: apsw.Connection, table: str, vector: bytes, passage_ids: Sequence[int]
) -> list[tuple[int, float]]:
    """(passage id, cosine similarity) of given passages, nearest first, ties by id.

    Only the vectors asked for are read, and let go again. Those that have none are left out: what
    proposes them may have seen a newer state of the file.
    """
    import numpy as np

    query = np.frombuffer(vector, dtype=np.float32)
    read = read_schema_1 if of_schema_1(db, table) else _read
    ids, found = read(db, table, sorted(passage_ids), len(query))
    similarity = found @ query
    order = np.argsort(-similarity, kind="stable").tolist()
    values = similarity.tolist()
    return [(ids[place], values[place]) for place in order]


def _read(
    db: apsw.Connection, table: str, passage_ids: Sequence[int], dim: int
) -> tuple[list[int], NDArray[np.float32]]:
    """Which of some passages have a vector, and the vectors, (n, dim).

    They are read into one array, row by row: half the time of a query for them.

    Raises:
        apsw.CorruptError: one is of another length.
        apsw.SQLError: one is no blob.
    """
    import numpy as np

    size = 4 * dim
    out = np.empty((len(passage_ids), dim), dtype=np.float32)
    room = out.reshape(-1).view(np.uint8).data
    ids: list[int] = []
    blob: apsw.Blob | None = None
    try:
        for passage_id in passage_ids:
            try:
                if blob is None:
                    blob = db.blob_open("main", table, "embedding", passage_id, False)
                else:
                    blob.reopen(passage_id)
            except apsw.SQLError as e:
                if "no such rowid" not in str(e):
                    raise
                if blob is not None:
                    blob.close(True)  # of no use any more once it has missed a row
                    blob = None
                continue
            if blob.length() != size:
                raise apsw.CorruptError("a vector is of another length")
            blob.read_into(room, len(ids) * size, size)
            ids.append(passage_id)
    finally:
        if blob is not None:
            blob.close(True)
    return ids, out[: len(ids)]


def _best(
    db: apsw.Connection, near: Sequence[tuple[int, float]], view: View, k: int
) -> dict[int, tuple[float, int]]:
    """The k nearest visible memories: memory id → (similarity, passage id), nearest first.

    Args:
        near: passages with their similarity, nearest first.
    """
    best: dict[int, tuple[float, int]] = {}
    for start in range(0, len(near), k):
        some = dict(near[start : start + k])
        owners = _owners(db, list(some), view)
        for passage_id, similarity in some.items():
            memory_id = owners.get(passage_id)
            if memory_id is not None and memory_id not in best:
                best[memory_id] = (similarity, passage_id)
        if len(best) >= k:
            break
    order = sorted(best, key=lambda m: (-best[m][0], m))[:k]
    return {m: best[m] for m in order}


def _owners(db: apsw.Connection, passage_ids: Sequence[int], view: View) -> dict[int, int]:
    """Passage id → memory id of passages whose memory the view shows."""
    where, args = view.where()
    found = rows(
        db,
        "SELECT p.id, p.memory_id FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value"
        f" CROSS JOIN memories m ON m.id = p.memory_id WHERE {where}",
        (json.dumps(passage_ids), *args),
    )
    return {int(a): int(b) for a, b in found}


def similarities(
    db: apsw.Connection, table: str, vector: bytes, memory_ids: Sequence[int]
) -> dict[int, tuple[float, int]]:
    """Cosine similarity of given memories: id → (best passage's similarity, its passage id).

    Args:
        vector: as for :func:`search`.
    """
    found = rows(
        db,
        "SELECT p.memory_id, p.id, 1.0 - vec_distance_cosine(v.embedding, ?)"
        " FROM passages p"
        f" CROSS JOIN {table} v ON v.rowid = p.id"
        " WHERE p.memory_id IN (SELECT value FROM json_each(?)) ORDER BY p.id",
        (vector, json.dumps(list(memory_ids))),
    )
    out: dict[int, tuple[float, int]] = {}
    for memory_id, passage_id, similarity in found:
        if memory_id not in out or similarity > out[memory_id][0]:
            out[int(memory_id)] = (float(similarity), int(passage_id))
    return out


def recount(db: apsw.Connection, table: str) -> None:
    """Notes anew how many vectors there are."""
    blocks.recount(db, table)


def missing(
    db: apsw.Connection, table: str, after: int, limit: int
) -> list[tuple[int, int, int, int]]:
    """Passages without a vector, as (passage id, memory id, start, stop), in id order."""
    found = rows(
        db,
        "SELECT p.id, p.memory_id, p.start, p.stop FROM passages p WHERE p.id > ?"
        # Whole blocks are passed over without a look at their vectors, which fill half a page each.
        f" AND NOT EXISTS (SELECT 1 FROM {table}_blocks b WHERE b.block = p.id / ?"
        " AND b.filled = ?)"
        f" AND NOT EXISTS (SELECT 1 FROM {table} v WHERE v.id = p.id)"
        " ORDER BY p.id LIMIT ?",
        (after, blocks.SLOTS, blocks.SLOTS, limit),
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in found]


def newest_missing(db: apsw.Connection, table: str, limit: int) -> list[tuple[int, int, int, int]]:
    """As :func:`missing`, the newest first."""
    found = rows(
        db,
        "SELECT p.id, p.memory_id, p.start, p.stop FROM passages p"
        f" WHERE NOT EXISTS (SELECT 1 FROM {table}_blocks b WHERE b.block = p.id / ?"
        " AND b.filled = ?)"
        f" AND NOT EXISTS (SELECT 1 FROM {table} v WHERE v.id = p.id)"
        " ORDER BY p.id DESC LIMIT ?",
        (blocks.SLOTS, blocks.SLOTS, limit),
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in found]


def counts(db: apsw.Connection, table: str | None) -> tuple[int, int]:
    """(passages with a vector, passages without)."""
    total = int(one(db, "SELECT count(*) FROM passages"))
    if table is None or not exists(db, table):
        return 0, total
    if of_schema_1(db, table):
        present = int(one(db, f"SELECT count(*) FROM {table}_rowids"))
    else:
        present = blocks.filled(db, table)
    return present, total - present


# vec0 tables of schema 1 --------------------------------------------------------------------------


def from_schema_1(db: apsw.Connection, old: str, dim: int) -> str:
    """Copies a ``vec0`` table of schema 1 into a table of ours and removes it; gives its name."""
    table = next_name(db)
    create_table(db, table, dim)
    scopes: dict[str, int] = {}
    for block, group in groupby(all_vectors(db, old), lambda v: v[0] // blocks.SLOTS):
        found = dict(group)
        owners = memories.owners(db, list(found))
        records = memories.get_many(db, owners.values())
        size = blocks.record_size(dim)
        data = bytearray(blocks.SLOTS * size)
        for passage_id, owner in owners.items():
            memory = records[owner]
            if memory.scope not in scopes:
                scopes[memory.scope] = memories.ensure_scope(db, memory.scope)
            place = (passage_id - block * blocks.SLOTS) * size
            filters = blocks.filters(memory, scopes[memory.scope])
            data[place : place + len(filters)] = filters
        db.executemany(
            f"INSERT INTO {table} (id, embedding) VALUES (?, ?)", [(p, found[p]) for p in owners]
        )
        blocks.insert(db, table, block, bytes(data), len(owners), 0)
    drop(db, old)
    recentre(db, table)
    requantize(db, table)
    return table


def nearest_schema_1(
    db: apsw.Connection,
    table: str,
    vector: bytes,
    view: View,
    scope_ids: Sequence[int] | None,
    count: int,
) -> tuple[list[int], bool]:
    """As :func:`brain.store.vectors.cache.nearest`, by vec0's own scan."""
    where, args = _where(view, scope_ids)
    width = min(count, MAX_K)
    found = rows(
        db,
        f"SELECT rowid FROM {table} WHERE embedding MATCH ? AND k = ?{where}",
        (vector, width, *args),
    )
    return [int(row[0]) for row in found], len(found) < width or width == MAX_K


def read_schema_1(
    db: apsw.Connection, table: str, passage_ids: Sequence[int], dim: int
) -> tuple[list[int], NDArray[np.float32]]:
    """Which of some passages have a vector, and the vectors, (n, dim)."""
    import numpy as np

    found = rows(
        db,
        "SELECT v.rowid, v.embedding FROM json_each(?) j"
        f" CROSS JOIN {table} v ON v.rowid = j.value ORDER BY v.rowid",
        (json.dumps(passage_ids),),
    )
    vectors = np.frombuffer(b"".join([row[1] for row in found]), dtype=np.float32)
    return [row[0] for row in found], vectors.reshape(len(found), dim)


def _where(view: View, scope_ids: Sequence[int] | None) -> tuple[str, list[object]]:
    parts: list[str] = []
    args: list[object] = []
    if scope_ids is not None:
        parts.append(f"scope IN ({', '.join(str(int(s)) for s in scope_ids)})")
    if not view.include_expired:
        at = to_ms(view.as_of, 0)
        parts += ["valid_from <= ?", "valid_to > ?"]
        args += [at, at]
    if view.known_at is None:
        parts.append("retracted_at = ?")
        args.append(FOREVER_MS)
    else:
        known = to_ms(view.known_at, 0)
        parts += ["recorded_at <= ?", "retracted_at > ?"]
        args += [known, known]
    if view.archived is not None:
        parts.append("archived = ?")
        args.append(int(view.archived))
    if view.kind is not None:
        parts.append("kind = ?")
        args.append(view.kind)
    if view.not_kind is not None:
        parts.append("kind <> ?")
        args.append(view.not_kind)
    return "".join(f" AND {p}" for p in parts), args


def all_vectors(db: apsw.Connection, table: str) -> Iterator[tuple[int, bytes]]:
    """(passage id, packed float32) of every vector, by id.

    Read from the tables sqlite-vec 0.1 keeps under a ``vec0`` table: a hundred times as fast as
    asking for each, and possible where the extension cannot be loaded.
    """
    chunks: dict[int, bytes] = {}
    found = rows(db, f"SELECT rowid, chunk_id, chunk_offset FROM {table}_rowids ORDER BY rowid")
    size = int(rows(db, f"SELECT size FROM {table}_chunks LIMIT 1")[0][0]) if found else 1
    for passage_id, chunk, place in found:
        if chunk not in chunks:
            # Rows lie in the order they came in; a few chunks at hand are enough.
            if len(chunks) >= 8:
                del chunks[min(chunks)]
            chunks[chunk] = bytes(
                rows(db, f"SELECT vectors FROM {table}_vector_chunks00 WHERE rowid = ?", (chunk,))[
                    0
                ][0]
            )
        step = len(chunks[chunk]) // size
        yield int(passage_id), chunks[chunk][place * step : (place + 1) * step]


def drop(db: apsw.Connection, table: str) -> None:
    """Removes the table; where the extension cannot be loaded, all it holds."""
    try:
        db.execute(f"DROP TABLE {table}")
    except apsw.SQLError as e:
        if "no such module" not in str(e):
            raise
        for (part,) in rows(
            db,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?",
            (f"{table}_*",),
        ):
            db.execute(f"DELETE FROM {part}")
