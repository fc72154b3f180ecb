"""Checksums of secret numbers: citizens' numbers (ISO 7064) and bank cards (Luhn)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from brain.text.regex import compiled
from brain.text.secrets.values import Span, is_alnum_at

_DIGITS = r"[0-9]{13,}[Xx]?"
_GROUPS = r"[0-9]{4,6}(?:[ -][0-9]{3,13}){1,4}[Xx]?"
GROUPED = "[0-9]{4}[ -][0-9]{4}"
"""Every number in groups has two such groups side by side."""
_GROUPED = {(4, 4, 4, 4), (4, 6, 5), (6, 13), (6, 8, 4), *((4, 4, 4, 4, n) for n in (1, 2, 3))}
_OTHER_NUMBER = (
    r"(?i)(?:单号|單號|流水号?|编号|編號|订单|訂單|运单|快递|工号|条码|条形码|发票号?"
    r"|时间戳|時間戳|毫秒|微秒|纳秒|timestamp|epoch"
    r"|order|serial|tracking|isbn|sku|trace|(?<![a-z])u?id)"
    r"[\w 号號码碼.:：=#为是/-]{0,4}\Z"
)
"""In front of a number: it is one of those, whatever its last digit. A tenth of all numbers passes
the check of a card."""

_UNIT = r"(?i)\s?(?:毫秒|微秒|纳秒|ms|us|ns)(?![A-Za-z])"
_CARD_BEFORE = r"(?i)(?:卡|卡号|卡號|card|card no\.?|card number)[ :：=是为#]{0,4}\Z"
_CARD_NAMED = r"(?i)(?:卡|card|账号|帳號|账户|pan)[^，。；\n]{0,8}\Z"


PROVINCES = frozenset(
    str(code)
    for first, last in ((11, 15), (21, 23), (31, 37), (41, 46), (50, 54), (61, 65), (81, 83))
    for code in (*range(first, last + 1), 71, 91)
)
"""First two digits of the division codes (GB/T 2260), with Taiwan, Hong Kong, Macao, 83 for
residence permits of Taiwan's people and 91 for foreigners'."""

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


_IINS: tuple[tuple[str, frozenset[int]], ...] = tuple(
    (begin, frozenset(lengths))
    for begin, lengths in (
        ("62", range(16, 20)),  # UnionPay
        ("4", (13, 16, 19)),  # Visa
        ("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),  # Mastercard
        ("3[47]", (15,)),  # American Express
        ("35(?:2[89]|[3-8])", (16,)),  # JCB
        ("6011|64[4-9]|65", (16, 19)),  # Discover
        ("30[0-5]|36|38", (14,)),  # Diners Club
    )
)
"""What the numbers of the card organisations begin with, and their lengths (ISO/IEC 7812)."""


def numbers(seen: str) -> Iterator[Span]:
    """Citizens' numbers and bank cards, also in groups as they are printed."""
    grouped = compiled(GROUPED).search(seen)
    for pattern in (_DIGITS, _GROUPS) if grouped else (_DIGITS,):
        for match in compiled(pattern).finditer(seen):
            start, stop = match.span()
            if is_alnum_at(seen, start - 1) or is_alnum_at(seen, stop):
                continue
            if start and seen[start - 1] in "._-":
                continue
            value = match[0]
            if pattern is _GROUPS:
                parts = value.replace("-", " ").split(" ")
                if tuple(map(len, parts)) not in _GROUPED:
                    continue
                value = "".join(parts)
            if is_identity(value):
                yield (start, stop, "identity")
            elif (
                is_card(value)
                and _may_be_card(value, seen[max(0, start - 16) : start])
                and not compiled(_UNIT).match(seen, stop)
            ):
                yield (start, stop, "bank_card")


def _may_be_card(value: str, before: str) -> bool:
    """Whether what stands in front allows it; thirteen digits are a bar code unless named."""
    if compiled(_CARD_BEFORE).search(before):
        return True
    if compiled(_OTHER_NUMBER).search(before):
        return False
    return len(value) > 13 or compiled(_CARD_NAMED).search(before) is not None


def is_identity(number: str) -> bool:
    """Whether eighteen characters are a citizen's number: division, birthday and check character
    as in GB 11643-1999 (ISO 7064, MOD 11-2)."""
    if len(number) != 18 or not number[:17].isdigit() or number[:2] not in PROVINCES:
        return False
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(w * int(c) for w, c in zip(_WEIGHTS, number, strict=False))
    return 1880 <= born.year <= 2100 and "10X98765432"[total % 11] == number[17].upper()


def is_card(number: str) -> bool:
    """Whether digits are a bank card's: a known beginning of its length and the check digit of
    Luhn (ISO/IEC 7812-1, annex B)."""
    if not number.isdigit() or not any(
        len(number) in lengths and compiled(begin).match(number) for begin, lengths in _IINS
    ):
        return False
    digits = [int(c) for c in reversed(number)]
    doubled = (d * 2 - 9 * (d > 4) for d in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
