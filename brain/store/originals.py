"""Originals table ``ccr``: bytes from before anything was cut, by their handle; none is evicted."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from brain.store.sql import one, rows, stream

if TYPE_CHECKING:
    from brain.store.domains import Bad

PREFIX_BYTES = 16
"""First bytes of the SHA-256 that a handle is made of."""

_AROUND = 1024
"""Bytes of blanks that may stand around a text that is alone in its original."""

_HANDLE = re.compile("ccr_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Original:
    """Bytes as they were before anything was cut, and what was made of them.

    Args:
        content_type: media type.
        compressor: which one cut them, ``'none'`` where nothing was cut.
        tokens_before, tokens_after: estimates.
        stored_at: UTC ISO 8601.
    """

    data: bytes
    content_type: str
    compressor: str
    tokens_before: int
    tokens_after: int
    stored_at: str


@dataclass(frozen=True, slots=True)
class OriginalInfo:
    """An original without its bytes: ``size`` says how many; the rest as :class:`Original`."""

    handle: str
    content_type: str
    compressor: str
    size: int
    stored_at: str


class BudgetExceededError(Exception):
    """A new original does not fit. ``used`` and ``size`` are bytes."""

    def __init__(self, used: int, size: int) -> None:
        super().__init__(used, size)
        self.used = used
        self.size = size


def handle(sha256: bytes) -> str:
    """The key under which an original of that SHA-256 is kept."""
    return "ccr_" + sha256[:PREFIX_BYTES].hex()


def put(db: apsw.Connection, original: Original, most: int) -> bool:
    """Keeps an original; False where it is there already, which needs no room.

    A row whose bytes are no longer those of its handle is written anew.

    Args:
        most: bytes that all originals together may take.

    Raises:
        BudgetExceededError: nothing was changed.
    """
    sha256 = hashlib.sha256(original.data).digest()
    key = handle(sha256)
    there = rows(db, "SELECT original = ? FROM ccr WHERE handle = ?", (original.data, key))
    if there and there[0][0]:
        return False
    taken = used(db, but=key)
    if taken + len(original.data) > most:
        raise BudgetExceededError(taken, len(original.data))
    db.execute(
        "INSERT INTO ccr (handle, sha256, original, content_type, compressor,"
        " tokens_before, tokens_after, stored_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (handle) DO UPDATE SET sha256 = excluded.sha256,"
        " original = excluded.original, content_type = excluded.content_type,"
        " compressor = excluded.compressor, tokens_before = excluded.tokens_before,"
        " tokens_after = excluded.tokens_after, stored_at = excluded.stored_at",
        (
            key,
            sha256,
            original.data,
            original.content_type,
            original.compressor,
            original.tokens_before,
            original.tokens_after,
            original.stored_at,
        ),
    )
    return True


def get(db: apsw.Connection, prefix: bytes) -> Original | None:
    """The original under a handle's bytes, as it is in the file."""
    found = rows(
        db,
        "SELECT original, content_type, compressor, tokens_before, tokens_after, stored_at"
        " FROM ccr WHERE handle = ?",
        (handle(prefix),),
    )
    return Original(*found[0]) if found else None


def iter_originals(db: apsw.Connection, bad: Bad | None = None) -> Iterator[tuple[str, Original]]:
    """Every original with its handle, by handle, one at a time.

    Args:
        bad: called with the place of one that holds what none can, from 1, and the columns (the
            handle, where the bytes are others than its own), for each that is passed over; None
            has such a one end the reading.
    """
    from brain.store import domains  # only an export needs them

    names = ("handle", *(name for name in domains.ORIGINAL if name != "original"))
    found = stream(
        db,
        f"SELECT iif(typeof(original) = 'blob', original, NULL), {domains.undecoded(*names)}"
        " FROM ccr ORDER BY handle",
    )
    for place, (data, *cells) in enumerate(found, 1):
        values = domains.decoded(names, cells)
        key = values.pop("handle")
        wrong = domains.unsound(domains.ORIGINAL, {"original": data, **values})
        if not wrong and handle(hashlib.sha256(data).digest()) != key:
            wrong = ["handle"]
        if not wrong:
            yield key, Original(data, **values)
        elif bad is None:
            raise apsw.CorruptError("an original holds what none can")
        else:
            bad(place, "、".join(wrong))


def listed(db: apsw.Connection) -> list[OriginalInfo]:
    """Every original without its bytes, oldest first."""
    found = rows(
        db,
        "SELECT handle, content_type, compressor, length(original), stored_at FROM ccr"
        " ORDER BY stored_at, handle",
    )
    return [OriginalInfo(*row) for row in found]


def is_whole(db: apsw.Connection, key: str) -> bool:
    """Whether the original under a handle still has the bytes whose SHA-256 was noted."""
    found = rows(db, "SELECT sha256, original FROM ccr WHERE handle = ?", (key,))
    if not found:
        return False
    noted, data = found[0]
    digest = hashlib.sha256(data).digest() if isinstance(data, bytes) else b""
    return bool(digest == noted) and handle(digest) == key


def take(db: apsw.Connection, prefix: bytes) -> bytes | None:
    """Takes out the original under a handle's bytes and gives it; None where there is none."""
    found = rows(db, "DELETE FROM ccr WHERE handle = ? RETURNING original", (handle(prefix),))
    return bytes(found[0][0]) if found else None


def holding(db: apsw.Connection, *texts: str) -> list[str]:
    """The handles of originals that hold one of some texts, by handle. Reads every original.

    Looked for in the encodings of text files, as JSON strings write it, and with the line ends of
    Windows.
    """
    forms = {form for text in texts for form in _forms(text)}
    found = stream(db, "SELECT handle, original FROM ccr ORDER BY handle")
    return [key for key, data in found if any(form in bytes(data) for form in forms)]


def _forms(text: str) -> set[bytes]:
    """The bytes a text may stand as in a document."""
    text = text.strip()
    lines = "\r\n".join(text.splitlines())
    written = {text, lines, *(json.dumps(t)[1:-1] for t in (text, lines))}
    written |= {json.dumps(t, ensure_ascii=False)[1:-1] for t in (text, lines)}
    out = set()
    for form in written:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5"):
            with contextlib.suppress(UnicodeEncodeError):
                out.add(form.encode(encoding))
    return out - {b""}


def used(db: apsw.Connection, but: str = "") -> int:
    """Bytes that originals take, without the one under a handle."""
    return int(
        one(db, "SELECT coalesce(sum(length(original)), 0) FROM ccr WHERE handle <> ?", (but,))
    )


def count(db: apsw.Connection) -> int:
    """How many originals are kept."""
    return int(one(db, "SELECT count(*) FROM ccr"))


def _is_alone(data: bytes, text: str) -> bool:
    """Whether an original is a text and nothing else, but for its encoding and blanks around."""
    plain = text.split()
    for encoding in ("utf-8-sig", "utf-16", "gb18030"):
        with contextlib.suppress(UnicodeDecodeError):
            if data.decode(encoding).split() == plain:
                return True
    return False


def erase(db: apsw.Connection, sha256: bytes) -> bool:
    """Erases an original that no memory refers to, by its text or by naming the handle.

    Args:
        sha256: of the original's bytes.

    Returns:
        False where there is none or a memory still refers to it.
    """
    key = handle(sha256)
    if not rows(db, "SELECT 1 FROM ccr WHERE handle = ?", (key,)):
        return False
    if rows(
        db,
        "SELECT 1 FROM memories WHERE text_sha256 = ? OR instr(text, ?) LIMIT 1",
        (sha256, key),
    ):
        return False
    db.execute("DELETE FROM ccr WHERE handle = ?", (key,))
    return True


def erase_of(db: apsw.Connection, text: str) -> int:
    """Erases what was kept for a memory that is no longer there: originals that are its text and
    nothing else, and those whose handles its text names. Gives how many were erased; what another
    memory refers to stays.

    Call it after the memory's row is gone.
    """
    shas = {hashlib.sha256(text.encode("utf-8")).digest()}
    longest = 4 * len(text) + _AROUND  # no encoding takes more than four bytes a character
    for sha256, data in rows(
        db, "SELECT sha256, original FROM ccr WHERE length(original) <= ?", (longest,)
    ):
        if _is_alone(bytes(data), text):
            shas.add(sha256)
    for key in set(_HANDLE.findall(text)):
        shas.update(row[0] for row in rows(db, "SELECT sha256 FROM ccr WHERE handle = ?", (key,)))
    return sum(erase(db, sha256) for sha256 in shas)
