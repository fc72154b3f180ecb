"""Excerpt of an original for a question: whole units alone, and a marker for all the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence

from brain.compress import json_pointer, sections
from brain.compress.handles import Reference
from brain.compress.json_text import unescaped
from brain.compress.originals import TEXT
from brain.compress.units import Document, Unit, split
from brain.errors import EXIT_USAGE, BrainError
from brain.text.bm25 import scores

MOST = 20
"""Units shown for one question."""

LEAST_SHARE = 0.3
"""Of the best unit's score that a unit needs to be shown: one that shares a single common gram with
the question answers nothing where another holds all of it."""

LONGEST_FRAME = 600
"""Characters of what stands around the records of a JSON array up to which it is shown as well."""

_NAMES = {
    "record": "条记录",
    "member": "个字段",
    "line": "行",
    "row": "行",
    "entry": "条",
    "paragraph": "段",
    "fence": "段",
    "block": "段",
    "hunk": "处",
}


def excerpt(original: bytes, terms: Sequence[str], handle: str) -> bytes:
    """The units of an original that speak to a question, in their order.

    A marker stands wherever two of them are not adjacent and where the beginning or the end is
    missing; it says how many units and characters are left out there. A choice from a JSON array,
    an object or NDJSON is JSON again, its markers being strings.

    Args:
        terms: folded gram terms of the question.
        handle: of the whole, for the markers.

    Returns:
        The whole original where nothing matches or nothing is saved.
    """
    document = split(original)
    units = document.units
    found = scores([_plain(unit) for unit in units], terms)
    best = max(found, default=0.0)
    if best <= 0:
        return original
    order = sorted(range(len(units)), key=lambda place: (-found[place], place))
    kept = sorted(place for place in order[:MOST] if found[place] >= LEAST_SHARE * best)
    shown = _written(document, kept, handle).encode("utf-8")
    return shown if len(shown) < len(original) else original


def _plain(unit: Unit) -> str:
    escaped = unit.kind in {"record", "member", "line"} and "\\u" in unit.text
    return unescaped(unit.text) if escaped else unit.text


def _written(document: Document, kept: Sequence[int], handle: str) -> str:
    units = document.units
    pieces: list[str] = []
    before = -1
    for place in (*kept, len(units)):
        missing = units[before + 1 : place]
        if missing:
            pieces.append(_marker(document, missing, handle, len(pieces)))
        if place < len(units):
            pieces.append(units[place].text)
        before = place
    if units[0].kind in {"record", "member"}:
        head, tail = document.head, document.tail
        if len(head) + len(tail) > LONGEST_FRAME:
            head, tail = ("[", "]") if units[0].kind == "record" else ("{", "}")
        return head + ",\n".join(pieces) + tail
    return document.head + "".join(p if p.endswith(("\n", "\r")) else p + "\n" for p in pieces)


def _marker(document: Document, missing: Sequence[Unit], handle: str, number: int) -> str:
    kind = missing[0].kind
    characters = sum(len(unit.text) for unit in missing)
    told = f"（略 {len(missing)} {_NAMES[kind]}，{characters} 字；全文：<<ccr:{handle}>>）"
    if kind in {"record", "line"}:
        return json.dumps("……" + told, ensure_ascii=False)
    if kind == "member":
        # A key of its own for each, or a reader would keep only the last.
        return (
            json.dumps(f"……{number}", ensure_ascii=False)
            + ": "
            + json.dumps(told, ensure_ascii=False)
        )
    if document.content_type == "text/markdown" and kind == "row":
        return f"| ……{told} |"
    return "……" + told


def selected(
    data: bytes,
    content_type: str,
    handle: str,
    chosen: tuple[str, str],
    terms: Sequence[str] | None,
) -> tuple[bytes, str]:
    """What of an original a selector behind its handle names; see :func:`part`.

    Args:
        chosen: as :func:`brain.compress.handles.selector` gives it.
        terms: of its question, where it is one.

    Raises:
        BrainError: ``brain_ccr_pointer_invalid`` (65), ``brain_ccr_pointer_not_found`` (1).
    """
    name, value = chosen
    if name == "json":
        return json_pointer.subtree(data, value.replace("%", "%25")), "application/json"
    if name == "q":
        return excerpt(data, terms or (), handle), content_type
    try:
        cut = sections.lines(data, value) if name == "lines" else sections.section(data, value)
    except BrainError as error:
        if error.code != "brain_usage":
            raise
        raise BrainError("brain_ccr_pointer_invalid", error.message) from None
    return cut, TEXT


def part(
    data: bytes,
    content_type: str,
    reference: Reference,
    terms: Sequence[str] | None,
    lines: str | None = None,
    heading: str | None = None,
) -> tuple[bytes, str]:
    """What of an original is asked for: behind a JSON pointer, in some lines or under a heading,
    and of that what speaks to a question.

    Args:
        terms: the question's, or None for all of it.
        lines, heading: as :mod:`brain.compress.sections` reads them; at most one of them.

    Returns:
        The bytes and their media type.

    Raises:
        BrainError: those of :func:`brain.compress.json_pointer.subtree` and of
            :mod:`brain.compress.sections`; ``brain_usage`` (2) for lines and a heading at once.
    """
    if reference.pointer:
        data, content_type = json_pointer.subtree(data, reference.pointer), "application/json"
    if lines is not None and heading is not None:
        raise BrainError("brain_usage", "行号（lines）和标题（heading）只能给一个。", EXIT_USAGE)
    if lines is not None or heading is not None:
        data = sections.lines(data, lines) if lines is not None else data
        data = sections.section(data, heading) if heading is not None else data
        content_type = TEXT
    if terms is not None:
        data = excerpt(data, terms, reference.handle)
    return data, content_type
