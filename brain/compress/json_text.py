"""JSON scanner: where its values stand, so that they can be shown as they were written.

Numbers, the order of keys and repeated keys survive, which reading and writing again would change.
"""

from __future__ import annotations

import json
import re
import unicodedata

_BOM = "\ufeff"
_BLANKS = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(
    r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u(?P<code>[0-9a-fA-F]{4})|\\."
)

Span = tuple[int, int]

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
"""Numbers are not read: only where a value ends matters, and a long one is refused otherwise."""


def value_end(text: str, start: int) -> int:
    """Where the JSON value that begins at ``start`` ends. Raises ValueError where none does."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except RecursionError:
        raise ValueError("nested too deeply") from None


def skip_blanks(text: str, start: int) -> int:
    """The first place from ``start`` on that JSON does not take for white space."""
    match = _BLANKS.match(text, start)
    assert match is not None
    return match.end()


def elements(text: str, start: int) -> list[Span]:
    """The spans of the elements of the JSON array that begins at ``start``."""
    out: list[Span] = []
    at = skip_blanks(text, start + 1)
    while text[at] != "]":
        stop = value_end(text, at)
        out.append((at, stop))
        at = skip_blanks(text, stop)
        if text[at] == ",":
            at = skip_blanks(text, at + 1)
    return out


def members(text: str, start: int) -> list[tuple[str, Span, Span]]:
    """Key, span of the whole member, span of the value, of the JSON object at ``start``."""
    out: list[tuple[str, Span, Span]] = []
    at = skip_blanks(text, start + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = skip_blanks(text, skip_blanks(text, end) + 1)
        stop = value_end(text, value)
        out.append((key, (at, stop), (value, stop)))
        at = skip_blanks(text, stop)
        if text[at] == ",":
            at = skip_blanks(text, at + 1)
    return out


def json_start(text: str) -> int | None:
    """Where the JSON object or array that a whole text consists of begins; None for other text."""
    start = skip_blanks(text, 1 if text.startswith(_BOM) else 0)
    if text[start : start + 1] not in ("[", "{"):
        return None
    try:
        stop = value_end(text, start)
    except ValueError:
        return None
    return start if skip_blanks(text, stop) == len(text) else None


def unescaped(text: str) -> str:
    r"""The same JSON with ``\u4e2d`` written as the character it stands for, where that is visible.

    What JSON needs escaped (quotes, the backslash, controls) and lone surrogates stay as they are.
    """
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match["high"]:
        high, low = int(match["high"], 16), int(match["low"], 16)
        char = chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    elif match["code"]:
        char = chr(int(match["code"], 16))
    else:
        return match[0]
    hidden = unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return match[0] if hidden or char in '"\\' else char
