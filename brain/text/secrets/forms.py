"""Secret patterns: tokens of known issuers, private keys, logins in addresses, by their form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from brain.text.regex import compiled
from brain.text.secrets.values import Span, has_mixed_run, is_alnum_at, is_placeholder


def _any(_: str) -> bool:
    return True


def _has_digit(value: str) -> bool:
    return any(c.isdigit() for c in value)


def _model_key(value: str) -> bool:
    """Not sk-learn-pipeline-v2: one part is long and has digits, or the whole is very long."""
    parts = re.split("[-_]", value)
    return any(len(p) >= 12 and any(c.isdigit() for c in p) for p in parts) or len(value) >= 60


_Check = Callable[[str], bool]


_TOKENS: tuple[tuple[str, str, str, str, _Check], ...] = (
    ("AKIA", "AKIA", "[A-Z0-9]{16}", "aws_key", _any),
    ("ASIA", "ASIA", "[A-Z0-9]{16}", "aws_key", _any),
    ("ABIA", "ABIA", "[A-Z0-9]{16}", "aws_key", _any),
    ("LTAI", "LTAI", "[A-Za-z0-9]{12,26}", "aliyun_key", _has_digit),
    ("AKID", "AKID", "[A-Za-z0-9]{13,40}", "tencent_key", _has_digit),
    ("ALTAK", "ALTAK", "[A-Za-z0-9-]{20,40}(?:/[0-9a-f]{32,64})?", "baidu_key", _any),
    ("AKLT", "AKLT", "[A-Za-z0-9+=]{30,80}", "volcengine_key", _any),
    ("AIza", "AIza", "[A-Za-z0-9_-]{35}", "google_key", _any),
    ("GOCSPX-", "GOCSPX-", "[A-Za-z0-9_-]{20,40}", "google_key", _any),
    ("ya29.", r"ya29\.", "[A-Za-z0-9_-]{20,}", "google_key", _any),
    *((f"gh{c}_", f"gh{c}_", "[A-Za-z0-9]{30,}", "github_token", _any) for c in "pousr"),
    ("github_pat_", "github_pat_", "[A-Za-z0-9_]{22,}", "github_token", _any),
    ("gl", "gl(?:pat|dt|rt|ft|soat|cbt|ptt|agent)-", "[A-Za-z0-9_-]{20,}", "gitlab_token", _any),
    ("xox", "xox[abeoprs]-", "[A-Za-z0-9-]{10,}", "slack_token", _has_digit),
    ("xapp-", "xapp-", "[0-9]-[A-Za-z0-9-]{10,}", "slack_token", _any),
    ("hooks.slack.com", "", "hooks.slack.com/services/[A-Za-z0-9/]{20,200}", "slack_token", _any),
    ("sk-", "sk-", "[A-Za-z0-9_-]{16,}", "model_key", _model_key),
    ("hf_", "hf_", "[A-Za-z0-9]{30,60}", "huggingface_token", _any),
    *((f"{c}k_{w}_", f"{c}k_{w}_", "[A-Za-z0-9]{16,}", "payment_key", _any)
      for c in "sr" for w in ("live", "test")),
    ("npm_", "npm_", "[A-Za-z0-9]{36}", "package_token", _any),
    ("pypi-AgE", "pypi-AgE", "[A-Za-z0-9_-]{40,}", "package_token", _any),
    ("SG.", r"SG\.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", "mail_key", _any),
    (":AA", "", "[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}", "bot_token", _any),
    ("webhook/send?key=", "", "webhook/send\\?key=[0-9A-Za-z-]{20,64}", "bot_token", _any),
    ("robot/send?access_token=", "", "robot/send\\?access_token=[0-9a-f]{32,80}",
     "bot_token", _any),
    ("bot/v2/hook/", "", "bot/v2/hook/[0-9A-Za-z-]{20,64}", "bot_token", _any),
    (".eyJ", "", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{6,8000}"
     r"(?:\.[A-Za-z0-9_-]{0,2000})?", "jwt", _any),
)  # fmt: skip
"""Tokens as their issuers document them: a string that every such token holds, what it begins with
(where that names the issuer), what follows, its rule, and a further look at the value."""

_ORDINARY_PREFIXES = frozenset({"hf_", "npm_"})
"""Names begin so as well: hf_hub_download, npm_config_registry."""


@cache
def _begun() -> re.Pattern[str]:
    prefixes = [prefix for _, prefix, *_ in _TOKENS if prefix and prefix not in _ORDINARY_PREFIXES]
    # A dash and an underscore are taken for each other; pk_ keys stand beside the secret ones.
    either = "|".join(re.sub("[-_]$", "[-_]", prefix) for prefix in ("[pr]k-", *prefixes))
    return re.compile(rf"\b(?:{either})[A-Za-z0-9_-]{{8,}}")


def begins_like_token(value: str) -> bool:
    """Whether a value has the prefix of a token and eight characters more, whatever its length.

    Less than :func:`tokens` asks, for a value that one can do without.
    """
    return _begun().search(value) is not None


def tokens(seen: str) -> Iterator[Span]:
    """Tokens in the form their issuers document."""
    for literal, prefix, rest, rule, check in _TOKENS:
        if literal not in seen:
            continue
        for match in compiled(prefix + rest).finditer(seen):
            start, stop = match.span()
            apart = not (is_alnum_at(seen, start - 1) or is_alnum_at(seen, stop))
            if apart and check(match[0]):
                yield (start, stop, rule)


_PEM_BODY = r"[A-Za-z0-9+/=]{16}"
_PEM_REST = r"[A-Za-z0-9+/=\s\\]{16,20000}"


def private_keys(seen: str) -> Iterator[Span]:
    """PEM (RFC 7468), OpenSSH and PGP blocks, PuTTY and age keys, whole or cut off."""
    end = 0
    at = seen.find("PRIVATE KEY")
    while at >= 0:
        begin = seen.rfind("-----BEGIN ", max(0, at - 40), at)
        dashes = seen.find("-----", at, at + 40)
        after = at + 11
        if begin >= 0 and dashes >= 0:
            body = dashes + 5
            if 0 <= end < body:
                end = seen.find("-----END ", body)
            following = seen.find("-----BEGIN ", body)
            stop = body
            if end >= 0 and not body <= following < end:
                last = seen.find("-----", end + 9, end + 60)
                stop = last + 5 if last >= 0 else end + 9
            elif rest := compiled(_PEM_REST).match(seen, body):
                stop = rest.end()
            if compiled(_PEM_BODY).search(seen, body, stop):
                yield (begin, stop, "private_key")
                after = stop
        at = seen.find("PRIVATE KEY", after)
    if "Private-Lines:" in seen:
        form = r"Private-Lines: ?[0-9]{1,3}\s{1,2}(?:[A-Za-z0-9+/=]{1,80}\s{1,2}){1,100}"
        for match in compiled(form).finditer(seen):
            yield (*match.span(), "private_key")
    if "AGE-SECRET-KEY-1" in seen:
        for match in compiled("AGE-SECRET-KEY-1[A-Z0-9]{40,80}").finditer(seen):
            yield (*match.span(), "private_key")


_COOKIE = (
    r"(?i)(?<![A-Za-z0-9])(?:phpsessid|jsessionid|asp\.net_sessionid|aspsessionid[a-z]{8}"
    r"|connect\.sid|laravel_session|ci_session|(?:session|sess|sid)(?:[-_]?id)?|csrftoken|sessdata"
    r"|bduss|stoken|[a-z]{1,20}[-_](?:session|sessid|sid))"
    r"\s?[=:：]\s?[\"']?((?:s%3a|s:)?[A-Za-z0-9%._~+/=|!-]{16,512})"
)
"""Session cookies by the names that servers give them (RFC 6265, name=value)."""

_SIGNED = (
    r"(?i)[?&;](?:x-(?:amz|goog|oss|cos|tos)-(?:signature|security-token|credential)|signature|sig"
    r"|sign|x-oss-signature|q-signature|security-token|awsaccesskeyid|ossaccesskeyid|hmac)"
    r"=([A-Za-z0-9%._~+/=-]{16,2048})"
)
"""What makes a link one that anybody may use who has it: S3, OSS, COS, GCS, Azure (SAS)."""

_PASSPORT = (
    r"(?i)(?:护照|護照|passport|通行证|通行證)(?:号码|號碼|号|號|编号)?(?:\s?(?:no|number|#)\.?)?"
    r"\s{0,2}(?:[:：=]|是|为|為|is)?\s{0,2}([A-Z]{1,2}[0-9]{7,8}|[A-Z][A-Z0-9][0-9]{7})(?![A-Za-z0-9])"
)
"""A passport's or travel permit's number behind its name (ICAO 9303: up to nine characters)."""


def sessions(seen: str, lowered: str) -> Iterator[Span]:
    """Session cookies and the signatures of signed links."""
    if "=" not in seen and ":" not in seen and "：" not in seen:
        return
    if "s" in lowered and (
        "sess" in lowered or "sid" in lowered or "token" in lowered or "bduss" in lowered
    ):
        for match in compiled(_COOKIE).finditer(seen):
            value = match[1]
            if has_mixed_run(value, 16) and not is_placeholder(value):
                yield (*match.span(1), "session")
    if (
        "sig" in lowered
        or "credential" in lowered
        or "-token=" in lowered
        or "hmac" in lowered
        or "accesskeyid" in lowered
    ):
        for match in compiled(_SIGNED).finditer(seen):
            if has_mixed_run(match[1], 8) and not is_placeholder(match[1]):
                yield (*match.span(1), "signed_url")


def passports(seen: str, lowered: str) -> Iterator[Span]:
    """Passport numbers with their name before them."""
    if any(name in lowered for name in PASSPORT_NAMES):
        for match in compiled(_PASSPORT).finditer(seen):
            yield (*match.span(1), "passport")


PASSPORT_NAMES = ("护照", "護照", "passport", "通行证", "通行證")


_USER_INFO = (
    r"[^\s/:@'\"<>]{0,80}:([^\s/@'\"<>]{1,128}(?:@[^\s/@'\"<>]{1,64})?)"
    r"@(?=[A-Za-z0-9\[\u4e00-\u9fff])"
)
_OWN_MACHINE = (
    r"(?:localhost|127\.[0-9.]{1,12}|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?![\w.-])"
)
_VALUE = r"(?:'([^'\n]{1,128})'|\"([^\"\n]{1,128})\"|([^\s'\"]{1,128}))"
_COMMAND_FORMS = (
    (
        "curl",
        r"curl\s[^\n|;]{0,200}?(?<=\s)(?:-u|-U|--user|--proxy-user)[ =]{0,2}"
        r"(?:'[^\s:']{0,64}:([^'\n]{1,128})'|\"[^\s:\"]{0,64}:([^\"\n]{1,128})\""
        r"|[^\s:'\"]{0,64}:([^\s'\"]{1,128}))",
    ),
    ("wget", r"wget\s[^\n|;]{0,200}?--(?:http-|ftp-|proxy-)?password[ =]" + _VALUE),
    ("sshpass", r"sshpass\s{1,3}-p ?" + _VALUE),
)
"""A command that takes a password, and where it stands."""
COMMANDS = tuple(word for word, _ in _COMMAND_FORMS)

_AUTHORIZED = r"(?:bearer|basic)\s{1,3}(?=[A-Za-z0-9._~+/=-]{16})"
_CREDENTIALS = r"[A-Za-z0-9._~+/=-]{16,}"


def logins(seen: str, lowered: str) -> Iterator[Span]:
    """Passwords in connection strings (RFC 3986, userinfo) and Authorization headers (RFC 7617)."""
    at = seen.find("://")
    while at >= 0:
        match = compiled(_USER_INFO).match(seen, at + 3)
        if match and not is_placeholder(match[1]) and not _as_installed(seen, at + 3, match):
            yield (*match.span(1), "url_password")
        at = seen.find("://", at + 3)
    for word in ("bearer", "basic"):
        at = lowered.find(word)
        while at >= 0:
            match = compiled(_AUTHORIZED).match(lowered, at)
            if match and (value := compiled(_CREDENTIALS).match(seen, match.end())):
                ok = _is_login(value[0]) if word == "basic" else has_mixed_run(value[0], 8)
                if ok:
                    yield (*value.span(), "http_login")
            at = lowered.find(word, at + len(word))


def _as_installed(seen: str, start: int, match: re.Match[str]) -> bool:
    """Whether a login is that of a database as it comes: the user's name, on the machine itself."""
    user = seen[start : match.start(1) - 1]
    return user == match[1] and compiled(_OWN_MACHINE).match(seen, match.end()) is not None


def commands(seen: str) -> Iterator[Span]:
    """Passwords among the arguments of ``curl``, ``wget`` and ``sshpass``."""
    for word, form in _COMMAND_FORMS:
        at = seen.find(word)
        while at >= 0:
            match = None if is_alnum_at(seen, at - 1) else compiled(form).match(seen, at)
            if match and match.lastindex and not is_placeholder(match[match.lastindex]):
                yield (*match.span(match.lastindex), "password")
            at = seen.find(word, at + len(word))


_PHRASE = (
    r"(?i)(?:助记词|助記詞|恢复词|种子短语|(?:seed|recovery) phrase|mnemonic(?: phrase)?)"
    r"(?: ?[（(][^()（）\n]{0,16}[）)])?(?:\s{0,2}(?:[:：=]|是|为|is)|(?<=[词詞语]))"
    r"[\s\"'`“「]{0,4}"
    r"((?:(?:[0-9]{1,2}[.、)] ?)?[a-z]{3,8}[\s,，、]{1,3}){11,23}(?:[0-9]{1,2}[.、)] ?)?[a-z]{3,8})"
    r"(?![A-Za-z])"
)
"""Twelve to twenty-four words of three to eight letters, as in BIP 39."""


def phrases(seen: str, lowered: str) -> Iterator[Span]:
    """The words that restore a wallet, behind their name."""
    if any(name in lowered for name in PHRASE_NAMES):
        for match in compiled(_PHRASE).finditer(seen):
            yield (*match.span(1), "key")


PHRASE_NAMES = ("助记词", "助記詞", "恢复词", "种子短语", "phrase", "mnemonic")


def _is_login(value: str) -> bool:
    from base64 import b64decode  # most texts hold no login

    try:
        return b":" in b64decode(value, validate=True)
    except ValueError:
        return False
