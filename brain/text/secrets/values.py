"""Secret values: whether what is bound to a secret's name looks like a secret itself."""

from __future__ import annotations

import re

from brain.text.regex import compiled


def _three_kinds(value: str) -> bool:
    return (
        any(c.isdigit() for c in value)
        and any("a" <= c <= "z" for c in value)
        and any("A" <= c <= "Z" for c in value)
    )


def is_secret(value: str, family: str, beside: bool = False) -> bool:
    """Whether a value behind a name looks like a secret and not like what is said of one."""
    if len(value) < 6 or is_placeholder(value) or _is_something_else(value):
        return False
    symbol = any(c in "!@#$%^&*" for c in value)
    if family == "bare":
        return has_mixed_run(value, 12) and not compiled(_IDENTIFIER).fullmatch(value)
    if family == "key":
        return has_mixed_run(value, 8) or (len(value) >= 12 and _three_kinds(value))
    letters = any(c.isascii() and c.isalpha() for c in value)
    if beside:
        strong = has_mixed_run(value, 8) or _three_kinds(value) or symbol
        return len(value) >= 8 and letters_and_digits(value) and strong
    return letters_and_digits(value) or (len(value) >= 8 and letters and symbol)


_IDENTIFIER = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|(?:0x)?[0-9a-fA-F]+"
"""UUIDs, hashes and encoded keys of a table, which a plain ``key`` has as often as not."""

_STANDS_FOR = (
    r"(?i)\$[A-Z_{(]|%[a-z({]|\{|\[|<|\(|\*+\Z|x{3,}|\.{3}"
    r"|(?:your|my|the|some|change|placeholder|example|todo|null|none|true|false|undefined)(?![0-9])"
    r"|(?:password|passwd|pass|pwd|secret|token|key|密码|口令)\Z"
    r"|[A-Za-z_][\w.]*[(\[]"
    r"|(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*\Z"
)
_HIDDEN_ALREADY = r"［已隐去：|\*{3}|x{4}|X{4}|…|•{2}"


def is_placeholder(value: str) -> bool:
    """Whether a value only says where the secret would stand: ``$PASSWORD``, ``your-key``, ``***``,
    an expression of a program."""
    if compiled(_HIDDEN_ALREADY).search(value):
        return True
    if compiled(_STANDS_FOR).match(value) and not has_mixed_run(value.partition("(")[0], 10):
        return True
    named = re.search("passw|secret|token|pwd", value, re.IGNORECASE)
    return bool(named and re.fullmatch(r"[A-Za-z_]\w*", value) and not has_mixed_run(value, 6))


_SOMETHING_ELSE = (
    r"(?i)[a-z][a-z0-9+.-]*://.*"
    r"|(?:~|\.{1,2})?/[A-Za-z_.~][\w.~-]*(?:/.*|\Z)|[A-Za-z]:\\.*"
    r"|[vV]?[0-9]+(?:\.[0-9]+)+(?:-?[a-z]+[0-9]*)?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{8}T[0-9]{4,6}Z?"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|[\w-]+(?:/[\w-]+)*\.(?:ya?ml|json|txt|md|pem|key|env|toml|ini|py|js|ts|go|sh|conf|cfg|db|kdbx"
    r"|csv|log|html?|png|jpe?g|xlsx?|docx?)"
    r"|1password|keepass(?:2|xc)?"
)
"""Addresses, paths, versions, dates, mail addresses, file names, programs."""

_ALGORITHM = (
    r"(?i)(?:(?:sha|aes|rsa|ecdsa|ecdh|des|md|crc|hs|rs|es|ps|ed|x|curve|base|sm|oauth|argon|bcrypt|scrypt"
    r"|pbkdf|hmac|chacha|poly|hkdf|utf|ascii|jwt|tls|ssl|gcm|cbc|ctr|pkcs|oaep|secp|id|with|v)"
    r"(?:[0-9]{1,5}|(?![0-9]))){1,3}[a-z]{0,2}[0-9]{0,2}|[0-9]{1,5}"
)


def _is_something_else(value: str) -> bool:
    if compiled(_SOMETHING_ELSE).fullmatch(value):
        return True
    parts = alnum_runs(value)
    return len(parts) <= 8 and all(
        len(p) <= 20 and compiled(_ALGORITHM).fullmatch(p) for p in parts
    )


Span = tuple[int, int, str]
"""Start and stop of a secret in a text, and its rule."""


def is_alnum_at(text: str, at: int) -> bool:
    """Whether an ASCII letter or digit stands at a place, which may lie outside."""
    return 0 <= at < len(text) and text[at].isascii() and text[at].isalnum()


def alnum_runs(value: str) -> list[str]:
    """The runs of letters and digits of a value."""
    return re.findall("[A-Za-z0-9]+", value)


def letters_and_digits(part: str) -> bool:
    """Whether there are letters and digits."""
    return any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def has_mixed_run(value: str, least: int) -> bool:
    """Whether letters and digits stand together in a run of some length, as in no word or name."""
    return any(len(p) >= least and letters_and_digits(p) for p in alnum_runs(value))
