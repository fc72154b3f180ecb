"""Omission markers: what stands for what was left out, and what may not be quoted in them.

``……`` stands where units are missing; one summary, ``（略 24 条：状态 都是 好；全文：<<ccr:…>>）``,
ends the text, the table or the array: how many are missing from it, facts about exactly those, and
the handle under which the whole is found. ``……（略 900 字）`` stands inside a string that was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from brain.text.secrets.forms import begins_like_token
from brain.text.secrets.mask import find
from brain.text.secrets.names import NAMES
from brain.text.tokens import estimate

GAP = "……"

_SUMMARY = re.compile(r"（(?:略 \d|节选，|只到这里，)[^（）\n]*全文：<<ccr:ccr_[0-9a-f]{32}>>）")
_ANY = re.compile(_SUMMARY.pattern + r"|（略 \d+ [^\s（）：；<>\"|]{1,8}）")
_UNQUOTABLE = re.compile(r"[（）；：、～<>⟦⟧\"'`|\\\x00-\x1f\x7f-\x9f\u2028\u2029]|……|ccr_|略 ")
LONGEST_QUOTE = 24

_NAME = re.compile(
    "|".join(re.escape(name) for name in NAMES if name.isascii() is False)
    + r"|pass(?:word|wd|phrase|code)?(?![a-z])|\bpwd|token|secret|credential|api[-_ ]?key"
    r"|access[-_ ]?key"
    r"|private[-_ ]?key|(?:^|[^a-z])(?:ak|sk|pin|otp|cvv|ssn)(?![a-z])|auth(?:orization"
    r"|[-_ ]?code)?"
    r"(?![a-z])|cookie|session[-_ ]?id|bearer|signature|salt(?![a-z])"
    r"|公钥|凭证|凭据|证件号|护照号|验证码|校验码|动态码|授权码"
    r"|银行卡|卡号|安全码|暗号|手机号|电话号码|社保号",
    re.IGNORECASE,
)

_CAREFUL = re.compile(
    r"(?<![0-9A-Za-z])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[0-9Xx](?![0-9A-Za-z])"
    r"|(?<!\d)1[3-9]\d{9}(?!\d)"
    r"|(?<!\d)\d{16,19}(?!\d)"
    # A key has letters of both cases and digits, mixed, and no words.
    r"|(?=[A-Za-z0-9+/_=-]*[0-9])(?=[A-Za-z0-9+/_=-]*[a-z])(?=[A-Za-z0-9+/_=-]*[A-Z])"
    r"[A-Za-z0-9+/_=-]{20,}"
    r"|(?<![0-9a-fA-F])[0-9a-fA-F]{32,}(?![0-9a-fA-F])"
)


def summary(count: int, unit: str, facts: Sequence[str], handle: str, lead: str = "：") -> str:
    """The mark that counts what is missing and carries the handle of the whole.

    Args:
        lead: the mark of punctuation before the first fact.
    """
    told = f"{lead}{'；'.join(facts)}" if facts else ""
    return f"（略 {count} {unit}{told}；全文：<<ccr:{handle}>>）"


def inline_mark(count: int, unit: str) -> str:
    """The mark inside a cut string or line; the handle stands in the text's summary."""
    return f"{GAP}（略 {count} {unit}）"


def clipped(text: str, span: tuple[int, int]) -> str:
    """A span of a string, with a mark that counts the rest where it is not all of it."""
    start, stop = span
    gone = len(text) - (stop - start)
    before = GAP if start else ""
    return before + text[start:stop] + inline_mark(gone, "字") if gone else text


def holds_summary(text: str) -> bool:
    """Whether a text carries a mark with a handle: it was cut before."""
    return _SUMMARY.search(text) is not None


def holds_mark(text: str) -> bool:
    """Whether a text holds a mark that counts something."""
    return _ANY.search(text) is not None


def is_mark(text: str) -> bool:
    """Whether a row, line or element holds a mark of ours, ``……`` included."""
    return holds_mark(text) or text.strip().strip(",|\t \"'") == GAP


def split_at_marks(text: str) -> list[tuple[int, int]]:
    """Spans that cover a text: its marks, each by itself, and what stands between them."""
    spans: list[tuple[int, int]] = []
    at = 0
    for mark in _ANY.finditer(text):
        spans += [(at, mark.start())] if mark.start() > at else []
        spans.append(mark.span())
        at = mark.end()
    return [*spans, (at, len(text))] if at < len(text) else spans


def quotable(value: str) -> bool:
    """Whether a value may stand in a summary: short, one line, and no mark of its own."""
    return 0 < len(value) <= LONGEST_QUOTE and not _UNQUOTABLE.search(value)


def fitting_facts(facts: Iterable[str], room: int) -> tuple[str, ...]:
    """The first facts that together take at most ``room`` tokens; one too long is passed over."""
    kept: list[str] = []
    for fact in facts:
        cost = estimate(fact) + 1
        if fact and cost <= room:
            room -= cost
            kept.append(fact)
    return tuple(kept)


def names_secret(name: str) -> bool:
    """Whether a field's name says that its value is a secret: password, 口令, apiKey …"""
    return _NAME.search(name) is not None


def looks_secret(value: str) -> bool:
    """Whether a value looks like a key, a token, an identity number, a phone or card number."""
    return _CAREFUL.search(value) is not None or begins_like_token(value) or bool(find(value))


def mentions_secret(text: str) -> bool:
    """Whether a stretch of running text names or holds a secret."""
    return names_secret(text) or looks_secret(text)
