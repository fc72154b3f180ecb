"""Sanitizing: a memory's text as it may stand inside the frame of a block.

What could end the frame, forge an entry, a handle or another program's tags, or steer a terminal is
shown instead of sent. The stored text stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from brain.text import lists
from brain.text.fold import fold
from brain.text.regex import compiled

INDENT = "\n    "

_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_FRAME = str.maketrans({"⟦": "〔", "⟧": "〕", "〚": "〔", "〛": "〕"})
_HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f\ud800-\udfff\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
    "]"
)
"""Control characters, bidirectional ones, lone surrogates, blanks without width, letters nobody
sees. The joiners of emoji and of Persian and Indian words (U+200C, U+200D) stay."""

_OPENERS = re.compile("[<＜﹤]")
_CLOSERS = str.maketrans({">": "›", "＞": "›", "﹥": "›"})
_TAG = (
    r"<\s*(?:/\s*[^\W\d]"
    r"|[|｜]"
    r"|<\s*(?:/?\s*sys\b|ccr\b)"
    r"|[!?]\s*(?:\[cdata|doctype|--)"
    r"|(?:system|user|assistant|human|developer|tool|function|instruction|prompt|memor|context"
    r"|antml|anthropic|im_|bos\b|eos\b|s>|think|reminder|secret|admin|brain|记忆|系统|指令|用户|助手)"
    r")"
)
_TAG_LOOKED_AT = 40
_TAG_END = "[^>＞﹥\n]{0,120}[>＞﹥]{1,2}"
_MARK = re.compile(r"<<ccr:(ccr_[0-9a-f]{32})>>")


def _tokens(brackets: str) -> str:
    """What may stand between brackets in a special token of some tokenizer, as a pattern."""
    found = map(fold, lists.words("frame_tokens", brackets))
    return "|".join(re.escape(t).replace(r"\#", "[0-9]{1,6}") for t in dict.fromkeys(found))


@cache
def _token() -> re.Pattern[str]:
    return re.compile(rf"<\s*/?\s*(?:{_tokens('angle')})\s*>")


@cache
def _turn() -> re.Pattern[str]:
    return re.compile(rf"\[(?=\s*/?\s*(?:{_tokens('square')}|SYS|SYSTEM)\s*\])", re.IGNORECASE)


def sanitize(text: str, handle: str | None = None) -> str:
    """A text as it may stand inside the frame.

    Args:
        handle: of the text's own original; a mark that names it stays, every other one is shown as
            ``‹‹ccr:…››``.
    """
    parts: list[str] = []
    at = 0
    for mark in _MARK.finditer(text):
        if mark[1] == handle:
            parts += [_neutral(text[at : mark.start()]), mark[0]]
            at = mark.end()
    parts.append(_neutral(text[at:]))
    return "".join(parts).rstrip()


def _neutral(text: str) -> str:
    lines = _LINE_ENDS.split(_without_tags(text.translate(_FRAME)))
    return INDENT.join(_HIDDEN.sub(_shown, line) for line in lines)


def _without_tags(text: str) -> str:
    """Tags that a host or a model may take for its own, with ‹ › in place of their brackets."""
    if "[" in text:
        text = _turn().sub("〔", text)
    parts: list[str] = []
    at = 0
    for opener in _OPENERS.finditer(text):
        if opener.start() < at:
            continue
        seen = fold(text[opener.start() : opener.start() + _TAG_LOOKED_AT])
        if not (compiled(_TAG).match(seen) or _token().match(seen)):
            continue
        end = compiled(_TAG_END).match(text, opener.end())
        stop = end.end() if end else opener.end()
        inside = text[opener.end() : stop].translate(_CLOSERS)
        parts += [text[at : opener.start()], "‹", _OPENERS.sub("‹", inside)]
        at = stop
    return "".join([*parts, text[at:]])


def _shown(match: re.Match[str]) -> str:
    char = match[0]
    if char == "\t":
        return " "
    return f"\\u{ord(char):04x}" if char < "\U00010000" else f"\\U{ord(char):08x}"
