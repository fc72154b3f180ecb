"""Table ``memories``: its rows, their passages and scopes, and what a row means."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from types import NoneType
from typing import TYPE_CHECKING, Any

import apsw

from brain.memory import (
    CLAIMED,
    DERIVED,
    FAILED,
    STALE,
    VERIFIED,
    Check,
    Memory,
    content_hash,
)
from brain.store import claims
from brain.store.claims import Claim
from brain.store.sql import one, rows, stream
from brain.store.view import Listed, Selection, View, with_tags

if TYPE_CHECKING:
    from brain.store.domains import Bad

_BESIDE = ("tags", *DERIVED)
_NAMES = tuple(f.name for f in fields(Memory) if f.name not in _BESIDE)
"""The columns of ``memories`` that a :class:`Memory` is made of, in its order; tags and claims
come last."""


def _tags_of(alias: str) -> str:
    """An expression for the tags of a record, a JSON array in the order given."""
    of = f"SELECT t.tag FROM tags t WHERE t.memory_id = {alias}.id ORDER BY t.id"
    return f"(SELECT json_group_array(tag) FROM ({of}))"


def _claims_of(alias: str) -> str:
    """An expression for the claims of a record, a JSON array in the order given."""
    of = f"SELECT * FROM claims c WHERE c.memory_id = {alias}.id ORDER BY c.id"
    # A damaged cell must not end the reading: JSON holds no blob.
    cells = ("kind", "claim", "result", "verified_at")
    told = f"json_array({', '.join(f'CAST({c} AS TEXT)' for c in cells)})"
    return f"(SELECT json_group_array({told}) FROM ({of}))"


_FIELDS = ", ".join((*_NAMES, _tags_of("memories"), _claims_of("memories")))
_M_FIELDS = ", ".join((*(f"m.{name}" for name in _NAMES), _tags_of("m"), _claims_of("m")))
_PINNED = _NAMES.index("pinned")


@dataclass(frozen=True, slots=True)
class Record:
    """A checked memory, ready to be stored: every default applied, every time UTC ISO."""

    text: str
    kind: str
    scope: str
    source: str
    importance: float
    confidence: float
    pinned: bool
    valid_from: str | None
    valid_to: str | None
    recorded_at: str
    evidence: str = ""
    supersedes: int | None = None
    tags: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "bool": (int,),
    "float": (int, float),
    "str": (str,),
    "str | None": (str, NoneType),
    "int | None": (int, NoneType),
}
_COLUMNS = (*(_TYPES[str(f.type)] for f in fields(Memory) if f.name in _NAMES), (str,), (str,))


def _memory(row: Sequence[Any]) -> Memory:
    if not all(map(isinstance, row, _COLUMNS)):
        raise apsw.CorruptError("a record holds what no record can")
    values = list(row)
    values[_PINNED] = bool(values[_PINNED])  # SQLite has no booleans
    # Most records have none, and reading JSON takes as long as all the rest.
    told = values.pop()
    values[-1] = () if values[-1] == "[]" else tuple(json.loads(values[-1]))
    if told != "[]":
        values += _state(json.loads(told))
    return Memory(*values)


def _state(told: list[list[str | None]]) -> tuple[tuple[Check, ...], str, str | None]:
    """The last fields of a memory, from its claims: kind, claim, result, when last found true."""
    checks = tuple(Check(str(kind), str(claim)) for kind, claim, _, _ in told)
    results = {result for _, _, result, _ in told}
    state = STALE if FAILED in results else CLAIMED if None in results else VERIFIED
    return checks, state, max((at for *_, at in told if at), default=None)


def _sha256(text: str) -> bytes:
    import hashlib  # three milliseconds, and whoever only reads needs none

    return hashlib.sha256(text.encode("utf-8")).digest()


def insert(db: apsw.Connection, record: Record) -> int:
    """Stores the record and gives its new id."""
    row = rows(
        db,
        "INSERT INTO memories (kind, text, scope, source, importance, confidence, pinned,"
        " valid_from, valid_to, recorded_at, evidence, supersedes, content_hash, text_sha256)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            record.kind,
            record.text,
            record.scope,
            record.source,
            record.importance,
            record.confidence,
            int(record.pinned),
            record.valid_from,
            record.valid_to,
            record.recorded_at,
            record.evidence,
            record.supersedes,
            content_hash(record.text),
            _sha256(record.text),
        ),
    )[0]
    add_tags(db, int(row[0]), record.tags)
    for claim in record.claims:
        claims.insert(db, replace(claim, memory_id=int(row[0])))
    return int(row[0])


def add_tags(db: apsw.Connection, memory_id: int, tags: Iterable[str]) -> None:
    """Files a record under some tags; under one that it has already it stays."""
    for tag in tags:
        db.execute("INSERT OR IGNORE INTO tags (memory_id, tag) VALUES (?, ?)", (memory_id, tag))


def set_tags(db: apsw.Connection, memory_id: int, tags: Iterable[str]) -> None:
    """Files a record under these tags and no others, in this order."""
    db.execute("DELETE FROM tags WHERE memory_id = ?", (memory_id,))
    add_tags(db, memory_id, tags)


def tagged(db: apsw.Connection, view: View) -> list[int]:
    """The ids of the records that a view with tags shows."""
    where, args = view.where()
    first = view.tags[0]
    found = rows(
        db,
        "SELECT m.id FROM tags f CROSS JOIN memories m ON m.id = f.memory_id"
        f" WHERE f.tag = ? AND {where} ORDER BY m.id",
        (first, *args),
    )
    return [int(row[0]) for row in found]


def from_record(record: Record, memory_id: int) -> Memory:
    """The memory :func:`insert` has just made of a record."""
    return Memory(
        id=memory_id,
        kind=record.kind,
        text=record.text,
        scope=record.scope,
        source=record.source,
        importance=record.importance,
        confidence=record.confidence,
        strength=1.0,
        pinned=record.pinned,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        recorded_at=record.recorded_at,
        retracted_at=None,
        supersedes=record.supersedes,
        superseded_by=None,
        archived_at=None,
        evidence=record.evidence,
        content_hash=content_hash(record.text),
        use_count=0,
        last_used_at=None,
        tags=record.tags,
        checks=tuple(Check(one.kind, one.claim) for one in record.claims),
        state=CLAIMED if record.claims else None,
    )


def insert_verbatim(db: apsw.Connection, memory: Memory, *, keep_id: bool) -> int:
    """Stores a record that another file held, every column as it was but its links, which are None.

    Args:
        keep_id: False gives it a new id.
    """
    values = {**memory.to_dict(), "supersedes": None, "superseded_by": None}
    values["content_hash"] = content_hash(memory.text)
    values["text_sha256"] = _sha256(memory.text)
    for name in _BESIDE:
        del values[name]
    if not keep_id:
        del values["id"]
    row = rows(
        db,
        f"INSERT INTO memories ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
        " RETURNING id",
        tuple(values.values()),
    )[0]
    add_tags(db, int(row[0]), memory.tags)
    return int(row[0])


def get(db: apsw.Connection, memory_id: int) -> Memory | None:
    """One record by id, whatever its state."""
    found = rows(db, f"SELECT {_FIELDS} FROM memories WHERE id = ?", (memory_id,))
    return _memory(found[0]) if found else None


def get_many(db: apsw.Connection, ids: Iterable[int]) -> dict[int, Memory]:
    """Records by id; unknown ids are missing from the result."""
    wanted = list(ids)
    if not wanted:
        return {}
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM memories WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(wanted),),
    )
    return {row[0]: _memory(row) for row in found}


def with_content(db: apsw.Connection, text: str, kind: str, scope: str) -> list[Memory]:
    """Believed, unarchived records with the same canonical text, kind and scope, oldest first."""
    digest = content_hash(text)
    # Nearly always there is none, and the short statement says so in a fraction of the time.
    if not rows(db, "SELECT 1 FROM memories WHERE content_hash = ? LIMIT 1", (digest,)):
        return []
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM memories INDEXED BY memories_by_content"
        " WHERE content_hash = ? AND kind = ? AND scope = ?"
        " AND retracted_at IS NULL AND archived_at IS NULL ORDER BY id",
        (digest, kind, scope),
    )
    return [_memory(row) for row in found]


def linked_to(db: apsw.Connection, memory_id: int) -> list[Memory]:
    """Records that name a record as the one they replaced or were replaced by."""
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM memories WHERE supersedes = ?1 OR superseded_by = ?1 ORDER BY id",
        (memory_id,),
    )
    return [_memory(row) for row in found]


def delete(db: apsw.Connection, memory_id: int) -> None:
    """Deletes one record with its passages. Nothing may link to it; its id is never used again."""
    db.execute("DELETE FROM memories WHERE id = ?", (memory_id,))


def passage_ids(db: apsw.Connection, memory_id: int) -> list[int]:
    """The ids of a record's passages."""
    found = rows(db, "SELECT id FROM passages WHERE memory_id = ? ORDER BY id", (memory_id,))
    return [int(row[0]) for row in found]


def holds_text(db: apsw.Connection, piece: str, but: int = 0) -> bool:
    """Whether any record but one holds a piece of text, in its text or its labels, to the letter.

    Reads every record.
    """
    found = rows(
        db,
        "SELECT 1 FROM memories WHERE id <> ?2 AND (instr(text, ?1) OR instr(evidence, ?1)"
        " OR instr(source, ?1) OR instr(scope, ?1)) LIMIT 1",
        (piece, but),
    )
    return bool(found)


def by_sha256(
    db: apsw.Connection, prefix: bytes, scopes: Sequence[str] | None = None
) -> Memory | None:
    """The oldest record whose text's SHA-256 begins with some bytes, in whatever state; with
    ``scopes``, of one of those."""
    after = (int.from_bytes(prefix, "big") + 1).to_bytes(len(prefix) + 1, "big")[1:]
    found = rows(
        db,
        f"SELECT {_FIELDS} FROM memories INDEXED BY memories_by_sha256"
        " WHERE text_sha256 >= ?1 AND (text_sha256 < ?2 OR ?2 = x'')"
        " AND (?3 IS NULL OR scope IN (SELECT value FROM json_each(?3))) ORDER BY id LIMIT 1",
        (prefix, after if any(after) else b"", None if scopes is None else json.dumps(scopes)),
    )
    return _memory(found[0]) if found else None


def list_visible(
    db: apsw.Connection, view: View | None, limit: int | None, listed: Listed | None = None
) -> list[Memory]:
    """Records a view shows (all of the file for None), newest first."""
    where, args = view.where() if view else ("1", [])
    if listed:
        more, more_args = listed.where()
        where, args = f"{where} AND {more}", [*args, *more_args]
    found = rows(
        db,
        f"SELECT {_M_FIELDS} FROM memories m WHERE {where} ORDER BY m.id DESC LIMIT ?",
        (*args, -1 if limit is None else limit),
    )
    return [_memory(row) for row in found]


def list_any_state(
    db: apsw.Connection, view: View, limit: int | None, listed: Listed | None = None
) -> list[Memory]:
    """Records in whatever state of the scopes, kind and tags of a view, newest first; those that
    had been recorded by its ``known_at``."""
    parts, args = with_tags(view.tags)
    if view.scopes is not None:
        parts.append("m.scope IN (SELECT value FROM json_each(?))")
        args.append(json.dumps(list(view.scopes)))
    for condition, value in (("m.kind = ?", view.kind), ("m.recorded_at <= ?", view.known_at)):
        if value is not None:
            parts.append(condition)
            args.append(value)
    if listed:
        more, more_args = listed.where()
        parts.append(more)
        args += more_args
    found = rows(
        db,
        f"SELECT {_M_FIELDS} FROM memories m WHERE {' AND '.join(parts) or '1'}"
        " ORDER BY m.id DESC LIMIT ?",
        (*args, -1 if limit is None else limit),
    )
    return [_memory(row) for row in found]


def list_matching(db: apsw.Connection, scope: str | None, listed: Listed) -> list[Memory]:
    """Records in whatever state of exactly one scope, or of any for None, oldest first."""
    more, args = listed.where()
    found = rows(
        db,
        f"SELECT {_M_FIELDS} FROM memories m WHERE (?1 IS NULL OR m.scope = ?1) AND {more}"
        " ORDER BY m.id",
        (scope, *args),
    )
    return [_memory(row) for row in found]


def iter_selected(
    db: apsw.Connection, shown: Selection, bad: Bad | None = None
) -> Iterator[Memory]:
    """Every record that is shown, in id order, one at a time. Links to others are None.

    Args:
        bad: called with the id of a record that holds what none can, and the columns, for each one
            that is passed over; None has such a one end the reading.
    """
    where, args = shown.where()
    columns = {name: f"m.{name}" for name in _NAMES}
    columns |= {"tags": _tags_of("m"), "claims": _claims_of("m")}
    if bad is not None:  # JSON holds no blob, and would end the statement
        tag = "iif(typeof(tag) = 'text', tag, NULL)"
        columns["tags"] = columns["tags"].replace("(tag)", f"({tag})", 1)
    given: list[object] = []
    if not shown.whole:
        inner, inner_args = shown.where("x")
        for link in ("supersedes", "superseded_by"):
            columns[link] = f"(SELECT x.id FROM memories x WHERE x.id = m.{link} AND {inner})"
            given += inner_args
    select = f"SELECT {', '.join(columns.values())} FROM memories m WHERE ({where}) AND m.id > ?"
    last: int | None = 0
    while last is not None:
        try:
            for row in stream(db, f"{select} ORDER BY m.id", (*given, *args, last)):
                last = int(row[0])
                if bad is not None and (wrong := _unsound(row)):
                    bad(last, "、".join(wrong))
                    continue
                yield _memory(row)
            return
        except UnicodeDecodeError:  # ends the statement: go on behind the record
            if bad is None:
                raise
            last = _next_selected(db, shown, last)
            if last is not None:
                bad(last, "")


def _unsound(row: Sequence[Any]) -> list[str]:
    """The columns of a record that hold what none can."""
    from brain.store import domains  # only an export needs them

    *cells, tags, _ = row
    values = dict(zip(_NAMES, cells, strict=True))
    wrong = domains.unsound(domains.MEMORY, values)
    if not isinstance(values["text"], str):
        wrong.append("text")
    if tags != "[]" and not all(isinstance(tag, str) for tag in json.loads(tags)):
        wrong.append("tags")
    return wrong


def _next_selected(db: apsw.Connection, shown: Selection, after: int) -> int | None:
    where, args = shown.where()
    query = f"SELECT min(m.id) FROM memories m WHERE ({where}) AND m.id > ?"
    found = one(db, query, (*args, after))
    return None if found is None else int(found)


def iter_ids_between(db: apsw.Connection, view: View, first: int, last: int) -> Iterator[int]:
    """The ids from first to last, both included, of the records a view shows."""
    where, args = view.where()
    query = f"SELECT m.id FROM memories m WHERE m.id BETWEEN ? AND ? AND {where} ORDER BY m.id"
    for (memory_id,) in stream(db, query, (first, last, *args)):
        yield int(memory_id)


_TOLD = "(SELECT min(j.id) FROM journal j WHERE j.memory_id = m.id)"
_STOOD = (
    f"iif(m.kind = ?, {_TOLD}, coalesce("
    "(SELECT max(j.id) FROM journal j WHERE j.memory_id = m.id AND j.what = 'pin'), "
    f"{_TOLD}))"
)
"""The entry of the journal from which on a record has stood in the brief: a preference's first one,
else the last one that pinned it, else (pinned when it was told) its first one as well."""


def standing(
    db: apsw.Connection, view: View, preference: str, but: str, limit: int | None
) -> list[Memory]:
    """Pinned records and preferences a view shows, in the order in which they were pinned or told.

    A preference keeps the place it was told at when it is pinned, and one that is restored comes
    back to its place.

    Args:
        preference: the kind that stands without a pin.
        but: a kind left out.
        limit: of the pinned records and, apart, of the others; None is all of them.
    """
    where, args = view.where()
    found: dict[int, tuple[int, Memory]] = {}
    for which, more in (("m.pinned = 1 AND m.kind <> ?", [but]), ("m.kind = ?", [preference])):
        for row in rows(
            db,
            f"SELECT {_STOOD} AS stood, {_M_FIELDS} FROM memories m"
            f" WHERE {which} AND {where} ORDER BY stood, m.id LIMIT ?",
            (preference, *more, *args, -1 if limit is None else limit),
        ):
            memory = _memory(row[1:])
            found[memory.id] = (row[0] or 0, memory)
    ordered = sorted(found.values(), key=lambda each: (each[0], each[1].id))
    return [memory for _, memory in ordered]


def has_kind(db: apsw.Connection, kind: str) -> bool:
    """Whether any record, in whatever state, is of a kind."""
    return bool(rows(db, "SELECT 1 FROM memories WHERE kind = ? LIMIT 1", (kind,)))


def oldest(db: apsw.Connection, view: View, limit: int | None) -> list[Memory]:
    """Records a view shows, by id."""
    where, args = view.where()
    found = rows(
        db,
        f"SELECT {_M_FIELDS} FROM memories m WHERE {where} ORDER BY m.id LIMIT ?",
        (*args, -1 if limit is None else limit),
    )
    return [_memory(row) for row in found]


def visible(db: apsw.Connection, ids: Sequence[int], view: View) -> set[int]:
    """Which of the ids the view shows."""
    where, args = view.where()
    found = rows(
        db,
        f"SELECT m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND {where}",
        (json.dumps(list(ids)), *args),
    )
    return {row[0] for row in found}


def texts(db: apsw.Connection, ids: Sequence[int], view: View) -> list[tuple[int, str]]:
    """(id, text) of those of the ids the view shows."""
    where, args = view.where()
    return rows(
        db,
        "SELECT m.id, m.text FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value"
        f" WHERE {where}",
        (json.dumps(list(ids)), *args),
    )


def latin_heads(db: apsw.Connection, ids: Sequence[int], length: int) -> dict[int, str]:
    """The beginnings, in characters, of those memories that begin with hardly any Han."""
    found = rows(
        db,
        "SELECT id, head FROM (SELECT id, substr(text, 1, ?1) AS head FROM memories"
        " WHERE id IN (SELECT value FROM json_each(?2)))"
        " WHERE octet_length(head) < 1.2 * length(head)",
        (length, json.dumps(list(ids))),
    )
    return dict(found)


def existing(db: apsw.Connection, ids: Iterable[int]) -> set[int]:
    """Which of the ids are in the file."""
    found = rows(
        db,
        "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {row[0] for row in found}


def visible_ids(db: apsw.Connection, view: View, *, changed: bool) -> list[int]:
    """Ids of the records a replayed view shows; ``changed``: of those that stood otherwise then."""
    where, args = view.where()
    start = "temp.past x CROSS JOIN memories m ON m.id = x.id" if changed else "memories m"
    return [row[0] for row in rows(db, f"SELECT m.id FROM {start} WHERE {where}", args)]


def has_superseded(db: apsw.Connection, view: View) -> bool:
    """Whether any record has, or at the view's instant had, a successor."""
    return bool(rows(db, f"SELECT 1 FROM ({_with_successor(view)}) LIMIT 1"))


def superseded(db: apsw.Connection, view: View, look: int) -> list[int]:
    """Ids of records that have a successor and that a view does not show.

    Args:
        look: at how many records with a successor to look, those with the newest ones first.
    """
    where, args = replace(view, replaced=True).where()
    found = rows(
        db,
        f"SELECT m.id FROM ({_with_successor(view)} ORDER BY superseded_by DESC LIMIT ?) x"
        f" CROSS JOIN memories m ON m.id = x.id WHERE {where}",
        (look, *args),
    )
    return [row[0] for row in found]


def _with_successor(view: View) -> str:
    today = "SELECT id, superseded_by FROM memories WHERE superseded_by IS NOT NULL"
    if not view.replayed:
        return today
    then = "SELECT id, superseded_by FROM temp.past WHERE superseded_by IS NOT NULL"
    return f"{today} UNION ALL {then}"


def successors(db: apsw.Connection, ids: Sequence[int], view: View, most: int) -> dict[int, int]:
    """Id → id of the first record a view shows among those that took over from it, one after
    the other.

    Args:
        most: steps followed; an id whose line is longer or ends unseen is missing.
    """
    where, args = view.where()
    found = rows(
        db,
        "WITH RECURSIVE line (first, id, step) AS ("
        f" SELECT m.id, {view.successor()}, 1 FROM memories m"
        " WHERE m.id IN (SELECT value FROM json_each(?))"
        f" UNION ALL SELECT line.first, {view.successor()}, line.step + 1"
        f" FROM line CROSS JOIN memories m ON m.id = line.id WHERE line.step < ? AND NOT ({where}))"
        f" SELECT line.first, m.id FROM line CROSS JOIN memories m ON m.id = line.id WHERE {where}",
        (json.dumps(list(ids)), most, *args, *args),
    )
    return {row[0]: row[1] for row in found}


def count(db: apsw.Connection, view: View | None = None) -> int:
    """How many records a view shows; all of the file for None."""
    where, args = view.where() if view else ("1", [])
    return int(one(db, f"SELECT count(*) FROM memories m WHERE {where}", args))


def counts_by(db: apsw.Connection, column: str, view: View) -> dict[str, int]:
    """Counts of visible records by ``kind`` or ``scope``, by name."""
    if column not in {"kind", "scope"}:
        raise ValueError(column)
    where, args = view.where()
    found = rows(
        db, f"SELECT m.{column}, count(*) FROM memories m WHERE {where} GROUP BY 1 ORDER BY 1", args
    )
    return dict(found)


def scope_names(db: apsw.Connection) -> list[str]:
    """The scopes that have or had records, '' among them where some are global."""
    return [row[0] for row in rows(db, "SELECT name FROM scopes ORDER BY id")]


def scope_totals(db: apsw.Connection) -> dict[str, int]:
    """How many records of each scope the file has, in whatever state, by name."""
    return dict(rows(db, "SELECT scope, count(*) FROM memories GROUP BY scope ORDER BY scope"))


def state_counts(
    db: apsw.Connection, now: str, scopes: Sequence[str] | None = None
) -> dict[str, int]:
    """How many records of the file, or of some scopes, are in each state; one record may be in
    several."""
    row = rows(
        db,
        "SELECT count(*), count(archived_at), count(superseded_by), count(retracted_at),"
        " count(*) FILTER (WHERE valid_to <= ?1 AND superseded_by IS NULL),"
        " count(*) FILTER (WHERE valid_from > ?1)"
        " FROM memories WHERE ?2 IS NULL OR scope IN (SELECT value FROM json_each(?2))",
        (now, None if scopes is None else json.dumps(scopes)),
    )[0]
    names = ("total", "archived", "superseded", "retracted", "expired", "future")
    return dict(zip(names, row, strict=True))


def highest_id(db: apsw.Connection) -> int:
    """The highest id in the file, 0 for an empty one; a cheap stand-in for the count."""
    return int(one(db, "SELECT coalesce(max(id), 0) FROM memories"))


def iter_identical(db: apsw.Connection, memory: Memory, highest: int) -> Iterator[int]:
    """Records recorded at the same instant, saying the same, up to an id; the oldest first."""
    for (memory_id,) in stream(
        db,
        "SELECT id FROM memories INDEXED BY memories_by_content WHERE content_hash = ?"
        " AND kind = ? AND scope = ? AND recorded_at = ? AND id <= ? ORDER BY id",
        (content_hash(memory.text), memory.kind, memory.scope, memory.recorded_at, highest),
    ):
        yield int(memory_id)


def last_id(db: apsw.Connection) -> int:
    """The highest id the file ever gave, to a record that is still there or not."""
    found = rows(db, "SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
    return int(found[0][0]) if found else 0


def reserve_ids(db: apsw.Connection, last: int) -> None:
    """Makes the file give no id up to ``last`` any more."""
    if last > last_id(db):
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'memories'")
        db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', ?)", (last,))


def set_fields(db: apsw.Connection, memory_id: int, **values: object) -> None:
    """Updates columns of one record."""
    assignments = ", ".join(f"{name} = ?" for name in values)
    db.execute(f"UPDATE memories SET {assignments} WHERE id = ?", (*values.values(), memory_id))


def add_passages(
    db: apsw.Connection, memory_id: int, spans: Sequence[tuple[int, int]]
) -> list[int]:
    """Stores the stretches (character offsets) of a memory's text; gives their ids."""
    out: list[int] = []
    for start, stop in spans:
        row = rows(
            db,
            "INSERT INTO passages (memory_id, start, stop) VALUES (?, ?, ?) RETURNING id",
            (memory_id, start, stop),
        )[0]
        out.append(int(row[0]))
    return out


def owners(db: apsw.Connection, passage_ids: Sequence[int]) -> dict[int, int]:
    """Passage id → memory id, of those that have both, by passage id."""
    found = rows(
        db,
        "SELECT p.id, p.memory_id FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value"
        " CROSS JOIN memories m ON m.id = p.memory_id ORDER BY p.id",
        (json.dumps(list(passage_ids)),),
    )
    return {int(a): int(b) for a, b in found}


def iter_texts_after(db: apsw.Connection, last_id: int) -> Iterator[tuple[int, str, str]]:
    """(id, text, scope) of every record with a higher id, in id order, read one by one."""
    query = "SELECT id, text, scope FROM memories WHERE id > ? ORDER BY id"
    yield from db.execute(query, (last_id,))


def iter_all(db: apsw.Connection) -> Iterator[Memory]:
    """Every record in whatever state, in id order, read one by one."""
    for row in db.execute(f"SELECT {_FIELDS} FROM memories ORDER BY id"):
        yield _memory(row)


def starting_within(
    db: apsw.Connection, view: View, start: str, stop: str, most: int
) -> list[Memory]:
    """The newest visible records that began to hold in [start, stop), UTC ISO."""
    where, args = view.where()
    begun = (
        f"SELECT {_M_FIELDS}, m.valid_from AS begun FROM memories m INDEXED BY memories_by_start"
        f" WHERE m.valid_from >= ? AND m.valid_from < ? AND {where}"
    )
    values = [start, stop, *args]
    if view.replayed:
        begun += (
            " AND m.id NOT IN (SELECT id FROM temp.past)"
            f" UNION ALL SELECT {_M_FIELDS}, x.valid_from FROM temp.past x"
            " CROSS JOIN memories m ON m.id = x.id"
            f" WHERE x.valid_from >= ? AND x.valid_from < ? AND {where}"
        )
        values *= 2
    found = rows(db, f"{begun} ORDER BY begun DESC, id DESC LIMIT ?", (*values, most))
    return [_memory(row[:-1]) for row in found]


def neighbours(
    db: apsw.Connection, ids: Sequence[int], view: View, reach: int
) -> dict[int, list[int]]:
    """For each of some records, the visible ones recorded just before and after it in its scope.

    Args:
        reach: how many on each side.
    """
    where, args = view.where()
    sides = (
        "(SELECT group_concat(id) FROM (SELECT m.id FROM memories m INDEXED BY memories_by_scope"
        f" WHERE m.scope = o.scope AND m.id {side} o.id AND {where} ORDER BY m.id {order} LIMIT ?))"
        for side, order in (("<", "DESC"), (">", "ASC"))
    )
    found = rows(
        db,
        f"SELECT o.id, {', '.join(sides)} FROM json_each(?) j"
        " CROSS JOIN memories o ON o.id = j.value",
        (*args, reach, *args, reach, json.dumps(list(ids))),
    )
    return {
        row[0]: [int(i) for side in row[1:] if side is not None for i in side.split(",")]
        for row in found
    }


def ensure_scope(db: apsw.Connection, name: str) -> int:
    """The number of a scope, made when it is new."""
    query = "SELECT id FROM scopes WHERE name = ?"
    found = rows(db, query, (name,))
    if not found:
        found = rows(db, "INSERT INTO scopes (name) VALUES (?) RETURNING id", (name,))
    return int(found[0][0])


def scope_ids(db: apsw.Connection, names: Sequence[str] | None) -> list[int] | None:
    """The numbers of those scopes that exist; None where nothing has to be left out."""
    if names is None:
        return None
    found = rows(db, "SELECT id, name FROM scopes ORDER BY id LIMIT ?", (len(names) + 1,))
    if {name for _, name in found} <= set(names):
        return None
    marks = ", ".join("?" * len(names))
    found = rows(db, f"SELECT id FROM scopes WHERE name IN ({marks}) ORDER BY id", names)
    return [int(row[0]) for row in found]
