"""Phone numbers of mainland China: one number, however it is spelled.

138-1234-5678, 138 1234 5678, +86 13812345678 and (86)138.1234.5678 are 13812345678; (010)6234-5678
and +86 10 62345678 are 01062345678. The forms are those of the numbering plan (mobile: 11 digits
from 13 to 19; fixed: an area code of 2 or 3 digits behind a 0, and 7 or 8 digits; 400 and 800: 10).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_GROUP = re.compile("[0-9]+")
_LIKELY = re.compile("[0-9](?:[ ().\u2010-\u2014-]{0,2}[0-9]){9,}")
_FEWEST = 10
"""Digits of the shortest form."""

_MOST_GROUPS = 6
_JOINTS = frozenset((*" .-\u2010\u2011\u2012\u2013\u2014", ")", ") ", ")-", "-(", " (", "("))
_TORN_BEFORE = frozenset("0123456789abcdefghijklmnopqrstuvwxyz_.-")
_TORN_AFTER = frozenset("0123456789abcdefghijklmnopqrstuvwxyz_")

_MOBILE = frozenset(
    map(tuple, ([11], [3, 4, 4], [3, 3, 5], [4, 3, 4], [4, 4, 3], [3, 8], [7, 4], [5, 3, 3]))
) | {(3, 2, 2, 4)}
_FIXED = frozenset(((7,), (8,), (4, 4), (3, 4)))
_FREE = frozenset(((10,), (3, 3, 4), (3, 4, 3), (3, 7), (4, 3, 3)))
"""How many figures are written together."""

_Span = tuple[int, int]


def phone_spans(folded: str) -> list[tuple[int, int, str]]:
    """Where phone numbers stand.

    Args:
        folded: text from :func:`brain.text.fold.fold`, or a piece of it.

    Returns:
        (start, end, its digits alone, without 86 and with an area code's 0) in text order.
    """
    if len(folded) < _FEWEST:
        return []
    out: list[tuple[int, int, str]] = []
    for region in _LIKELY.finditer(folded):
        groups = [match.span() for match in _GROUP.finditer(folded, *region.span())]
        _collect(folded, groups, out)
    return out


def join_phones(folded: str) -> str:
    """A query with each phone number as its digits alone, so that it is one word.

    Args:
        folded: text from :func:`brain.text.fold.fold`.
    """
    for start, end, digits in reversed(phone_spans(folded)):
        folded = folded[:start] + digits + folded[end:]
    return folded


def _collect(folded: str, groups: Sequence[_Span], out: list[tuple[int, int, str]]) -> None:
    at = 0
    after = False
    while at < len(groups):
        found = _longest_at(folded, groups[at : at + _MOST_GROUPS])
        amid = at > 0 and folded[groups[at - 1][1] : groups[at][0]] in _JOINTS
        # 6222 0212 3456 7890 is none; but what is mobile is so behind a date as well.
        if found is None or (amid and not found[2].startswith("1") and not after):
            at += 1
            after = False
            continue
        after = True
        count, start, digits = found
        out.append((start, groups[at + count - 1][1], digits))
        at += count


def _longest_at(text: str, groups: Sequence[_Span]) -> tuple[int, int, str] | None:
    """The number that begins with the first of some groups: of how many, where, its digits."""
    start = groups[0][0]
    plus = text[start - 1 : start] == "+"
    start -= plus
    start -= text[start - 1 : start] == "("
    if start > 0 and text[start - 1] in _TORN_BEFORE:
        return None
    count = 1
    while count < len(groups) and text[groups[count - 1][1] : groups[count][0]] in _JOINTS:
        count += 1
    for taken in range(count, 0, -1):
        stop = groups[taken - 1][1]
        if text[stop : stop + 1] in _TORN_AFTER:
            continue
        parts = [text[a:b] for a, b in groups[:taken]]
        if sum(map(len, parts)) >= _FEWEST and (digits := _digits(parts, plus=plus)):
            return taken, start, digits
    return None


def _digits(parts: list[str], *, plus: bool) -> str:
    """The digits of a number cut into parts, '' where it is none."""
    head = parts[0].removeprefix("00") if not plus else parts[0]
    abroad = head.startswith("86") and (plus or head != parts[0] or head in ("86", "+86"))
    if abroad or (head.startswith("86") and len(head) == 13):
        rest = [part for part in (head.removeprefix("86"), *parts[1:]) if part]
        return _domestic(rest, area_has_zero=not abroad) if rest else ""
    return _domestic(parts, area_has_zero=True)


def _domestic(parts: list[str], *, area_has_zero: bool) -> str:
    joined = "".join(parts)
    lengths = tuple(map(len, parts))
    if joined[0] == "1" and len(joined) == 11 and joined[1] in "3456789" and lengths in _MOBILE:
        return joined
    if joined[:3] in ("400", "800") and lengths in _FREE:
        return joined
    if not area_has_zero and joined[0] != "0":
        joined, parts = f"0{joined}", [f"0{parts[0]}", *parts[1:]]
    if joined[0] != "0" or len(joined) not in (10, 11, 12):
        return ""
    area = len(parts[0])
    if area in (3, 4) and tuple(map(len, parts[1:])) in _FIXED and parts[1][0] in "23456789":
        return joined
    return joined if len(parts) == 1 and joined[1] != "0" and len(joined) > _FEWEST else ""
