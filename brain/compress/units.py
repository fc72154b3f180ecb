"""Segmentation of a document into whole units: what may be shown or left out, but never cut in two.

A unit is a record of JSON, a line of NDJSON, a row of a table, an entry of a log with its stack
trace, a paragraph of prose with its heading, a fenced block, a block of code, a hunk of a diff.
What stands around the units of a JSON array or a table (the brackets, the header) is told apart, so
that any choice of units can be shown as a document of the same type.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain.compress.json_text import elements, json_start, members
from brain.text.sentences import sentences

BINARY = "application/octet-stream"

LONGEST_PARAGRAPH = 600
"""Characters from which a paragraph is split further, between sentences."""

SENTENCE_GROUP = 300
"""Characters about which the sentences of such a paragraph are put together again."""

LEAST_RECORDS = 2
"""An array of fewer elements is no array of records."""

DEEPEST_ARRAY = 8
"""Objects inside each other that such an array is looked for in."""

DOMINANT_SHARE = 0.5
"""Of a JSON object's text that its longest array takes, to count as what the object is about."""

LEAST_ROWS = 3
"""Lines, the header among them, from which on lines with the same number of fields are a table."""

LOG_SHARE = 0.4
"""Of the lines that begin as log entries do; the rest are taken for their continuation."""

CODE_SHARE = 0.3

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(
    r" {0,3}#{1,6}[ \t]|第[0-9〇零一二三四五六七八九十百千]{1,6}[章节篇回部卷编][ \t\u3000]"
    r"|[一二三四五六七八九十]{1,3}、.{1,30}$"
)
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•·][ \t]|\d{1,4}[.)、．)][ \t]?|[(（][0-9一二三四五六七八九十]{1,4}[)）])"
    r"|\u3000|第[0-9〇零一二三四五六七八九十百千]{1,6}[条项款点]|[一二三四五六七八九十]{1,3}、"
)
_PARAGRAPH_END = re.compile(r"[。！？；…：!?;.:]['\"”’」』）)】》]{0,3}[ \t]*\Z")
_LOG_START = re.compile(
    r"(?:\x1b\[[0-9;]*m)*[\[【<(]?"
    r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[T \t]|[\]】]|\b)"
    r"|\d{1,2}[-/]\d{1,2}[ T]\d{1,2}:\d{2}"
    r"|\d{1,2}:\d{2}:\d{2}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} +\d{1,2} \d{1,2}:\d{2}"
    r"|\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \["
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b"
    r"|(?:调试|信息|提示|警告|错误|异常|严重|失败)[\]】：:|])"
)
_CODE_LINE = re.compile(
    r"\s*(?:def |class |async |import |from \S+ import|func |fn |pub |public |private |protected "
    r"|static |const |let |var |function |export |package |using |namespace |#include|#define"
    r"|return\b|if ?\(|for ?\(|while ?\(|else\b|elif |try[:{ ]|except|catch|switch|case |struct "
    r"|enum |interface |impl |type \w+ |@\w+|//|/\*|\*/|CREATE |SELECT |INSERT |UPDATE )"
    r"|.*[{};]\s*\Z|.*\)\s*(?:->.*)?:\s*\Z|\s*[\w.]+\s*(?:\[.*\])?\s*[-+*/|&]?=\s*\S"
)
_LOOKED_AT = 300
"""Characters of a line that tell whether it is code."""

_CODE_CLOSER = re.compile(r"[)}\]]|end\b|else\b|elif\b|except\b|finally\b|catch\b")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*\Z")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unit:
    """One whole unit.

    Args:
        start, stop: byte offsets into the original.
        text: what stands there; a unit of lines has its line end.
        kind: ``record``, ``member``, ``line``, ``row``, ``entry``, ``paragraph``, ``fence``,
            ``block`` or ``hunk``.
    """

    start: int
    stop: int
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its units.

    Args:
        content_type: the media type.
        head, tail: what stands before the first and behind the last unit: the brackets of a JSON
            array with all around it, the header of a table; '' elsewhere.
        units: in order, without overlap.
    """

    content_type: str
    head: str
    tail: str
    units: tuple[Unit, ...]


def text_of(data: bytes) -> str | None:
    """The text that bytes are in UTF-8; None for a picture, an archive, another encoding."""
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def units(data: bytes) -> list[Unit]:
    """The whole units of a document; none for bytes that are no UTF-8 text."""
    return list(split(data).units)


def split(data: bytes) -> Document:
    """A document cut into its whole units by what it holds."""
    text = text_of(data)
    if text is None:
        return Document(BINARY, "", "", ())
    if not text.strip():
        return Document("text/plain", "", "", ())
    cut = _json(text)
    if cut is None:
        lines = [match.span() for match in _LINE.finditer(text)]
        cut = _ndjson(text, lines) or _table(text, lines) or _text(text, lines)
    kind, content_type, spans, framed = cut
    first, last = (spans[0][0], spans[-1][1]) if spans else (0, 0)
    return Document(
        content_type,
        text[:first] if framed else "",
        text[last:] if framed else "",
        tuple(_placed(text, spans, kind)),
    )


_Cut = tuple[str, str, list[Span], bool]
"""Kind of unit, media type, character spans, whether what is around them frames them."""


def _placed(text: str, spans: Sequence[Span], kind: str) -> Iterable[Unit]:
    at = byte = 0
    for start, stop in spans:
        byte += len(text[at:start].encode("utf-8"))
        piece = text[start:stop]
        size = len(piece.encode("utf-8"))
        found = "fence" if kind == "paragraph" and _FENCE.match(piece) else kind
        yield Unit(byte, byte + size, piece, found)
        at, byte = stop, byte + size


# JSON ----------------------------------------------------------------------------------------


def _json(text: str) -> _Cut | None:
    start = json_start(text)
    if start is None:
        return None
    spans, kind = (elements(text, start), "record") if text[start] == "[" else ([], "record")
    if text[start] == "{":
        array = _longest_array(text, start)
        if array is not None and array[1] - array[0] >= DOMINANT_SHARE * len(text):
            spans = elements(text, array[0])
        if len(spans) < LEAST_RECORDS:
            spans, kind = [span for _, span, _ in members(text, start)], "member"
    return kind, "application/json", spans, True


def _longest_array(text: str, start: int) -> Span | None:
    """The longest array that is reached through objects alone, not inside another array."""
    best: Span | None = None
    waiting = [(start, 1)]
    while waiting:
        place, depth = waiting.pop()
        for _, _, (at, stop) in members(text, place):
            if text[at] == "{" and depth < DEEPEST_ARRAY:
                waiting.append((at, depth + 1))
            elif text[at] == "[" and (best is None or stop - at > best[1] - best[0]):
                best = (at, stop)
    return best


def _ndjson(text: str, lines: Sequence[Span]) -> _Cut | None:
    filled = [span for span in lines if text[span[0] : span[1]].strip()]
    if len(filled) < LEAST_RECORDS:
        return None
    whole = 0
    for start, stop in filled:
        line = text[start:stop]
        whole += json_start(line) is not None
    # The last line of a log that is being written may be half there.
    if whole < LEAST_RECORDS or whole < len(filled) - 1:
        return None
    return "line", "application/x-ndjson", filled, False


# Tables --------------------------------------------------------------------------------------


def _table(text: str, lines: Sequence[Span]) -> _Cut | None:
    filled = [span for span in lines if text[span[0] : span[1]].strip()]
    if len(filled) < LEAST_ROWS:
        return None
    if all(text[a:b].count("|") >= 1 for a, b in filled) and _RULE.match(
        text[slice(*filled[1])].rstrip("\r\n")
    ):
        return "row", "text/markdown", filled[2:], True
    if _LOG_START.match(text, filled[0][0]) or _is_code([text[a:b].rstrip() for a, b in filled]):
        return None
    for mark, content_type in (("\t", "text/tab-separated-values"), (",", "text/csv")):
        rows = _rows(text, lines, mark)
        if rows is not None:
            return "row", content_type, rows[1:], True
    return None


def _rows(text: str, lines: Sequence[Span], mark: str) -> list[Span] | None:
    """Rows with the same number of fields, a quoted field with line ends in one row."""
    rows: list[Span] = []
    width = 0
    begin: int | None = None
    for start, stop in lines:
        begin = start if begin is None else begin
        row = text[begin:stop]
        if row.count('"') % 2:
            continue
        if row.strip():
            fields = re.sub(r'"[^"]*"', "", row).count(mark)
            if not fields or (width and fields != width):
                return None
            width = fields
            rows.append((begin, stop))
        begin = None
    return rows if begin is None and len(rows) >= LEAST_ROWS else None


# Logs, diffs, code, prose --------------------------------------------------------------------


def _text(text: str, lines: Sequence[Span]) -> _Cut:
    filled = [text[a:b].rstrip() for a, b in lines if text[a:b].strip()]
    if any(_HUNK.match(line) for line in filled):
        return "hunk", "text/x-diff", _joined(lines, _hunk_starts(text, lines)), False
    starts = sum(bool(_LOG_START.match(line)) for line in filled)
    if starts >= LEAST_ROWS and starts >= LOG_SHARE * len(filled):
        begins = [bool(_LOG_START.match(text, a)) for a, _ in lines]
        return "entry", "text/plain", _joined(lines, begins), False
    fenced = any(_FENCE.match(line) for line in filled)
    if not fenced and len(filled) >= LEAST_ROWS and _is_code(filled):
        return "block", "text/plain", _joined(lines, _code_starts(text, lines)), False
    media = "text/markdown" if fenced or any(_is_heading(x) for x in filled) else "text/plain"
    spans = _joined(lines, _paragraph_starts(text, lines))
    return "paragraph", media, [part for span in spans for part in _shorter(text, span)], False


def _is_code(filled: Sequence[str]) -> bool:
    """Whether most lines look like code; statements with commas are no rows of a table."""
    code = sum(bool(_CODE_LINE.match(line[:_LOOKED_AT])) for line in filled)
    return code >= CODE_SHARE * len(filled)


def _is_heading(line: str) -> bool:
    return re.match(r" {0,3}#{1,6}[ \t]", line) is not None


def _joined(lines: Sequence[Span], begins: Sequence[bool]) -> list[Span]:
    """Lines put together into units; what stands before the first beginning goes with it."""
    out: list[Span] = []
    for (start, stop), begin in zip(lines, begins, strict=True):
        if out and not begin:
            out[-1] = (out[-1][0], stop)
        else:
            out.append((start, stop))
    return out


def _hunk_starts(text: str, lines: Sequence[Span]) -> list[bool]:
    out: list[bool] = []
    in_header = False
    for start, stop in lines:
        line = text[start:stop]
        if line.startswith(("diff ", "Index: ")) or (line.startswith("--- ") and not in_header):
            out.append(True)
            in_header = True
        elif _HUNK.match(line):
            # The first hunk of a file stays with the file's name.
            out.append(not in_header)
            in_header = False
        else:
            out.append(False)
    return out


def _code_starts(text: str, lines: Sequence[Span]) -> list[bool]:
    out: list[bool] = []
    before = ""
    for start, stop in lines:
        line = text[start:stop]
        flush = bool(line.strip()) and not line[0].isspace() and not _CODE_CLOSER.match(line)
        out.append(
            flush
            and (not before.strip() or before[0].isspace() or bool(_CODE_CLOSER.match(before)))
        )
        before = line
    return out


def _paragraph_starts(text: str, lines: Sequence[Span]) -> list[bool]:
    out: list[bool] = []
    fence = ""
    before = ""
    headed = False
    for start, stop in lines:
        line = text[start:stop].rstrip()
        mark = _FENCE.match(line)
        if fence:
            out.append(False)
            if mark and mark.group(1).startswith(fence) and not line[mark.end() :].strip():
                fence, before, headed = "", "", False
            continue
        if mark:
            out.append(not headed)
            fence, headed = mark.group(1), False
            continue
        if not line.strip():
            out.append(False)
            before = line
            continue
        ended = not before.strip() or bool(_PARAGRAPH_END.search(before))
        begins = ended or _ITEM.match(line) is not None or _HEADING.match(line) is not None
        out.append(begins and not headed)
        headed = _HEADING.match(line) is not None
        before = line
    return out


def _shorter(text: str, span: Span) -> list[Span]:
    """A paragraph, or groups of its sentences where it is long; a fenced block stays whole."""
    start, stop = span
    piece = text[start:stop]
    if stop - start <= LONGEST_PARAGRAPH or any(_FENCE.match(line) for line in piece.splitlines()):
        return [span]
    ends = [start + end for _, end in sentences(piece)]
    out: list[Span] = []
    at = start
    while at < stop:
        # The last sentence that still fits, or the first one where none does.
        last = max(bisect_left(ends, at + SENTENCE_GROUP + 1) - 1, bisect_left(ends, at + 1))
        out.append((at, ends[last]))
        at = ends[last]
    return out
