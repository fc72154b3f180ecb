"""Compressor dispatch by content type, and the rules that hold for all of them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from brain.compress import detect, markers
from brain.compress.budget import Compressed, Cut, LeftOut
from brain.text.tokens import estimate

SHORT = 400
"""Characters below which a text passes through when no budget is given."""

NONE = "none"

_Compressor = Callable[[str, Sequence[str], int | None, str], Cut | None]

_LEFT_WHOLE = frozenset({detect.CODE, detect.CONFIG})

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def compress(
    data: bytes, terms: Sequence[str], budget_tokens: int | None, handle: str
) -> Compressed:
    """Compresses a text for a question.

    Args:
        data: UTF-8, UTF-16 with its mark, or GB 18030; anything else is named, not shown.
        terms: folded terms of the question; none keeps what tells most by itself.
        budget_tokens: most estimated tokens of the result. None keeps what the compressor's rules
            keep. The mark with its handle takes about 50, so less than that cannot be met.
        handle: under which the whole is found, ``ccr_`` and 32 hexadecimal digits.

    Returns:
        The text and the account; the same arguments always give the same. A text that is not the
        original carries the handle.
    """
    text = decode(data)
    if text is None:
        mark = markers.summary(len(data), "字节", (), handle)
        before = -(-len(data) // 2)
        gone = (LeftOut("字节", len(data)),)
        return Compressed(mark, "binary", detect.BINARY, gone, before, estimate(mark))
    before = estimate(text)
    kind = detect.content_type(text)
    unchanged = Compressed(text, NONE, kind, (), before, before)
    if before <= budget_tokens if budget_tokens is not None else _passes(text):
        return unchanged
    name, cutting = _compressor(kind)
    cut = cutting(text, terms, budget_tokens, handle)
    if budget_tokens is None:
        if cut is None:
            return unchanged
    elif kind in _LEFT_WHOLE:
        over = cut is None or estimate(cut.text) > budget_tokens
        if over or not (cut and cut.answers):
            other = _prose(text, terms, budget_tokens, handle)
            if over or other.answers:
                name, cut = "prose", other
    assert cut is not None
    after = estimate(cut.text)
    if after >= before:
        return unchanged
    return Compressed(cut.text, name, kind, cut.left_out, before, after, cut.answers)


def _prose(text: str, terms: Sequence[str], budget: int, handle: str) -> Cut:
    from brain.compress import prose

    return prose.cut(text, terms, budget, handle)


def _compressor(kind: str) -> tuple[str, _Compressor]:
    """The name of a compressor and the function; only that one is imported."""
    if kind == detect.JSON:
        from brain.compress import json_tree

        return "json", json_tree.cut
    if kind in {detect.CSV, detect.TSV, detect.TABLE}:
        from brain.compress import tables

        return ("table", tables.cut_markdown) if kind == detect.TABLE else ("csv", tables.cut_csv)
    if kind in {detect.LOG, detect.NDJSON}:
        from brain.compress import logs

        return ("log", logs.cut) if kind == detect.LOG else ("ndjson", logs.cut_lines)
    if kind in {detect.CODE, detect.CONFIG, detect.DIFF}:
        from brain.compress import code

        if kind == detect.DIFF:
            return "diff", code.cut_diff
        return ("code", code.cut_code) if kind == detect.CODE else ("config", code.cut_config)
    from brain.compress import prose

    return "prose", prose.cut


def _passes(text: str) -> bool:
    return len(text) < SHORT or markers.holds_summary(text)


def decode(data: bytes) -> str | None:
    """The text of some bytes; None where they are none."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    if b"\0" in data:
        return None
    text = _decoded(data, "utf-8")
    return _decoded(data, "gb18030") if text is None else text


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
