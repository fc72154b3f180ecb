"""JSON Pointer (RFC 6901): a part of a JSON original, as it was written."""

from __future__ import annotations

import re
from urllib.parse import unquote

from brain.compress.json_text import elements, json_start, members, unescaped, value_end
from brain.compress.units import split
from brain.errors import EXIT_NO, BrainError

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,17})\Z")


def subtree(original: bytes, pointer: str) -> bytes:
    """The JSON text a pointer selects; Chinese stands unescaped, all else as it was written.

    The lines of an NDJSON original are the elements of an array.

    Args:
        pointer: ``/items/3/name``, percent-encoded or not (RFC 6901, section 6); '' is the whole.

    Raises:
        BrainError: ``brain_ccr_pointer_invalid`` (65) for what is no pointer or an original that
            is no JSON, ``brain_ccr_pointer_not_found`` (1) where nothing stands.
    """
    wanted = unquote(pointer)
    if wanted and not wanted.startswith("/"):
        raise _invalid(
            f"「{_short(wanted)}」不是 JSON 指针：# 后面应以 / 开头，如 #/items/3/name。"
        )
    if _BAD_ESCAPE.search(wanted):
        raise _invalid(f"JSON 指针「{_short(wanted)}」里的 ~ 应写成 ~0，/ 应写成 ~1。")
    tokens = [t.replace("~1", "/").replace("~0", "~") for t in wanted.split("/")[1:]]
    text, start = _document(original, tokens)
    for depth, token in enumerate(tokens):
        found = _step(text, start, token)
        if found is None:
            before = "/" + "/".join(tokens[:depth]) if depth else "最外层"
            raise BrainError(
                "brain_ccr_pointer_not_found",
                f"原文的 {before} 里没有「{_short(token)}」。",
                EXIT_NO,
            )
        start = found
    return unescaped(text[start : value_end(text, start)]).encode("utf-8")


def _document(original: bytes, tokens: list[str]) -> tuple[str, int]:
    """The JSON text to walk in, and where its value begins."""
    cut = split(original)
    if cut.content_type == "application/x-ndjson":
        text = "[" + ",".join(unit.text.strip() for unit in cut.units) + "]"
        start = json_start(text)
    elif cut.content_type == "application/json":
        text = original.decode("utf-8")
        start = json_start(text)
    else:
        start = None
    if start is None:
        raise _invalid("原文不是 JSON，不能用 # 后面的指针取其中一部分。")
    return text, start


def _step(text: str, start: int, token: str) -> int | None:
    """Where the member or element of that name begins; the last one where a key is repeated."""
    if text[start] == "{":
        named = [value for key, _, (value, _) in members(text, start) if key == token]
        return named[-1] if named else None
    if text[start] == "[" and _INDEX.match(token):
        spans = elements(text, start)
        return spans[int(token)][0] if int(token) < len(spans) else None
    return None


def _invalid(message: str) -> BrainError:
    return BrainError("brain_ccr_pointer_invalid", message)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"
