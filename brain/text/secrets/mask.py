"""Secret detection and masking: by the shape of a value and never by a mere mention.

``密码在保险柜里`` holds no secret, ``密码是 …`` with a password behind it does. Known tokens are
told by the form their issuers document (:mod:`brain.text.secrets.forms`), numbers by their
checksums (:mod:`brain.text.secrets.numbers`), everything else by a name that is bound to a value
that looks like no word (:mod:`brain.text.secrets.names`). A password of letters alone looks like
one.

These are our own patterns, not detect-secrets': that package takes half a second to import, brings
requests and PyYAML, reads lines of code one by one, and knows neither Chinese names nor the cloud
keys, identity numbers and bank cards of this country.

A text is looked at as it would read in plain ASCII: full-width and other compatibility forms of
letters and digits count, characters of no width do not; positions are those of the text given.
Every pattern is bounded, so the time grows with the length and no input makes it explode.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from brain.errors import BrainError
from brain.text.regex import compiled, holds_any
from brain.text.secrets.forms import (
    COMMANDS,
    PASSPORT_NAMES,
    PHRASE_NAMES,
    commands,
    logins,
    passports,
    phrases,
    private_keys,
    sessions,
    tokens,
)
from brain.text.secrets.names import NAMES, find_named
from brain.text.secrets.numbers import GROUPED, numbers
from brain.text.secrets.values import Span

RULES: Mapping[str, str] = {
    "private_key": "私钥",
    "aws_key": "AWS 密钥",
    "aliyun_key": "阿里云密钥",
    "tencent_key": "腾讯云密钥",
    "baidu_key": "百度云密钥",
    "volcengine_key": "火山引擎密钥",
    "google_key": "Google 密钥",
    "github_token": "GitHub 令牌",
    "gitlab_token": "GitLab 令牌",
    "slack_token": "Slack 令牌",
    "model_key": "模型服务密钥",
    "huggingface_token": "Hugging Face 令牌",
    "payment_key": "支付密钥",
    "package_token": "软件源令牌",
    "mail_key": "邮件服务密钥",
    "bot_token": "机器人令牌",
    "jwt": "JWT 令牌",
    "http_login": "HTTP 凭证",
    "url_password": "连接串口令",
    "password": "口令",
    "key": "密钥或令牌",
    "session": "登录会话",
    "signed_url": "签名链接",
    "passport": "护照号",
    "identity": "身份证号",
    "bank_card": "银行卡号",
}
"""Every rule and what a person calls it."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where in a text a secret stands (``text[start:stop]``) and the rule that says so."""

    start: int
    stop: int
    rule: str


def find(text: str) -> tuple[Secret, ...]:
    """The secrets of a text, in order, none overlapping another. Never raises."""
    if not text:
        return ()
    seen, places = _plain(text)
    if not compiled(_RUN).search(seen):
        return ()
    lowered = seen.lower() if "İ" not in seen else seen.replace("İ", "I").lower()
    if not _may_hold(seen, lowered):
        return ()
    found = [
        *tokens(seen),
        *private_keys(seen),
        *logins(seen, lowered),
        *commands(seen),
        *phrases(seen, lowered),
        *sessions(seen, lowered),
        *passports(seen, lowered),
        *numbers(seen),
        *find_named(seen, lowered),
    ]
    if not found:
        return ()
    apart = _apart(found)
    if places is not None:
        apart = [(places[start], places[stop - 1] + 1, rule) for start, stop, rule in apart]
    return tuple(Secret(*span) for span in apart)


def masked(text: str) -> str:
    """A text with a mark in place of each secret that names the rule and nothing of the value.

    The same string when there is none.
    """
    found = find(text)
    if not found:
        return text
    parts: list[str] = []
    at = 0
    for secret in found:
        parts += [text[at : secret.start], mark(secret)]
        at = secret.stop
    return "".join([*parts, text[at:]])


def mark(secret: Secret) -> str:
    """What stands in a masked text in place of a secret."""
    return f"［已隐去：{RULES[secret.rule]}］"


def refuse(text: str, what: str, override: str = "") -> None:
    """Refuses a text that holds a secret; the error names rule and place, never the value.

    Args:
        what: Chinese name of the text, for the message.
        override: the argument that has it stored nevertheless, where there is one.

    Raises:
        BrainError: ``brain_secret`` (65).
    """
    found = find(text)
    if not found:
        return
    told = "、".join(f"{RULES[s.rule]}（{_place(text, s.start)}）" for s in found[:_TOLD])
    more = f"等 {len(found)} 处" if len(found) > _TOLD else ""
    message = f"{what}里像是有{told}{more}，没有存；请去掉它。"
    raise BrainError("brain_secret", message, override=override)


_TOLD = 3


def _place(text: str, start: int) -> str:
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return f"第 {line} 行第 {column} 个字起" if "\n" in text else f"第 {column} 个字起"


def _apart(found: list[Span]) -> list[Span]:
    """Secrets in order; those that overlap become one, with the rule of the one that begins."""
    out: list[Span] = []
    for start, stop, rule in sorted(found, key=lambda s: (s[0], -s[1])):
        if not out or start >= out[-1][1]:
            out.append((start, stop, rule))
        elif stop > out[-1][1]:
            out[-1] = (out[-1][0], stop, out[-1][2])
    return out


_RUN = r"[!-~]{4}"
"""Without four ASCII characters in a row no rule below can say anything."""

_LONG_RUN = r"[!-~]{13}"
"""A token, a private key, an Authorization header and a number in one piece hold such a run."""

_HINTS = ("://", *COMMANDS, *PHRASE_NAMES, *PASSPORT_NAMES, *NAMES)
_ASCII_HINTS = tuple(hint for hint in _HINTS if hint.isascii())
"""All other secrets stand behind one of these, but for a number in groups."""


def _may_hold(seen: str, lowered: str) -> bool:
    """Whether a closer look is worth while; most texts need none."""
    hints = _ASCII_HINTS if seen.isascii() else _HINTS
    return (
        compiled(_LONG_RUN).search(seen) is not None
        or compiled(GROUPED).search(seen) is not None
        or holds_any(lowered, hints)
    )


_ODD = (
    "[０-９Ａ-Ｚａ-ｚ＿－．＋＠／！＃＄％＆＊\u2070-\u209c\u2460-\u24ff\U0001d400-\U0001d7ff"
    "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_NO_WIDTH = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"


def _plain(text: str) -> tuple[str, list[int] | None]:
    """A text as it reads in ASCII, and where each character stands in the text (None: the same)."""
    if text.isascii() or not compiled(_ODD).search(text):
        return text, None
    seen = compiled(_ODD).sub(_in_ascii, text)
    if not compiled(_NO_WIDTH).search(seen):
        return seen, None
    gone = {match.start() for match in compiled(_NO_WIDTH).finditer(seen)}
    return compiled(_NO_WIDTH).sub("", seen), [i for i in range(len(seen)) if i not in gone]


def _in_ascii(match: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", match[0])
    return plain if len(plain) == 1 and plain.isascii() else match[0]
