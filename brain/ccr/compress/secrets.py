"""What no mark may quote: secrets, and whatever else is nobody's business outside its place.

A mark is a remark about what is missing, so it is more careful than storing is: a field's name is
enough, and phone numbers, one-time codes and long mixtures of letters and digits count as well.
What a secret is, :mod:`brain.text.secrets` says.
"""

from __future__ import annotations

import re

from brain.text.secret_names import NAMES
from brain.text.secrets import find

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
    r"\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8,}"
    r"|\b(?:AKIA|ASIA|LTAI|AIza)[A-Za-z0-9_-]{8,}"
    r"|(?<![0-9A-Za-z])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[0-9Xx](?![0-9A-Za-z])"
    r"|(?<!\d)1[3-9]\d{9}(?!\d)"
    r"|(?<!\d)\d{16,19}(?!\d)"
    # A key has letters of both cases and digits, mixed, and no words.
    r"|(?=[A-Za-z0-9+/_=-]*[0-9])(?=[A-Za-z0-9+/_=-]*[a-z])(?=[A-Za-z0-9+/_=-]*[A-Z])"
    r"[A-Za-z0-9+/_=-]{20,}"
    r"|(?<![0-9a-fA-F])[0-9a-fA-F]{32,}(?![0-9a-fA-F])"
)


def named(name: str) -> bool:
    """Whether a field's name says that its value is a secret: password, 口令, apiKey …"""
    return _NAME.search(name) is not None


def shaped(value: str) -> bool:
    """Whether a value looks like a key, a token, an identity number, a phone or card number."""
    return _CAREFUL.search(value) is not None or bool(find(value))


def speaks_of(text: str) -> bool:
    """Whether a stretch of running text names or holds a secret."""
    return named(text) or shaped(text)
