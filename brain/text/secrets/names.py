"""Named secrets: a name that is bound to a value, ``password=…``, ``口令改成 …``, ``密码 …``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brain.text.regex import compiled
from brain.text.secrets.numbers import PROVINCES
from brain.text.secrets.values import Span, is_alnum_at, is_secret

NAMES: Mapping[str, str] = {
    **dict.fromkeys(("密码", "密碼", "口令", "通行码", "通行碼"), "password"),
    **dict.fromkeys(("密 码", "密\u3000码", "密 碼", "口 令", "口\u3000令"), "password"),
    **dict.fromkeys(("パスワード", "暗証番号", "비밀번호", "패스워드"), "password"),
    **dict.fromkeys(("提取码", "提取碼"), "share"),
    "pass": "pass",
    **dict.fromkeys(("password", "passwd", "passphrase", "passcode", "pwd"), "password"),
    **dict.fromkeys(("密钥", "密鑰", "秘钥", "金鑰", "私钥", "私鑰"), "key"),
    **dict.fromkeys(("令牌", "权杖", "權杖", "访问凭证", "访问凭据"), "key"),
    **dict.fromkeys(("secret", "token", "credential"), "key"),
    "key": "bare",
    "身份证": "identity",
    "身份證": "identity",
    "身分證": "identity",
}
"""Names a secret goes under, small letters, and how its value is judged."""

_ADVERB = (
    "(?:现在|現在|目前|如今|已经|已經|已|都|就|暂时|临时|统一|默认|最新|最近|后来|刚刚|刚|今天|昨天"
    "|上周|又|还|仍|我|他|她)"
)
_VERB = (
    "(?:是|为|為|改成|改为|改為|换成|换为|換成|換為|设成|设为|設成|設為|设置为|设置成|設定為|重置为"
    "|重置成|更新为|更新成|写成|用的是|叫做?|は|が|는|은|가)了?"
)
_BOUND = (
    r"(?:[_-][a-z0-9_-]{0,24}|s)?"  # DB_PASSWORD_PROD
    r"(?: ?[（(][^()（）\n]{0,16}[）)])?"  # 密码（测试库）
    r"[\"'`」』”’*]{0,3}(?:"
    rf"\s{{0,2}}{_ADVERB}{{0,3}}{_VERB}\s{{0,2}}[:：=＝]?"
    r"|\s{0,3}(?::=|=>|->|→|[:：=＝]{1,2})"
    r"|</t[dh]>\s{0,8}<t[dh]|(?=>)"  # <td>口令</td><td>…</td>, <password>…</password>
    r"|\s{1,2}(?:is|was|are)(?: now| set to| still)?:?(?=\s)"
    r"|\s{1,2}(?:set|changed|reset|updated) to(?=\s)"
    r")>?\s{0,3}([\"'`“‘「『*]{0,3})"
)
"""How a value is bound to the name in front; the group is what opens a quoted value."""

_BESIDE = r"[ \t]{0,2}(?=[A-Za-z0-9])"
_QUOTED = r"[^\"'`”’」』\n]{4,256}"
_BARE = (
    r"[!#-&(-;=?-_a-~]{1,256}(?:(?<=[-_])[\u4e00-\u9fff]{1,6}[-_][A-Za-z0-9]{1,64})?"
    r"[A-Za-z0-9+/=_-]*"
)
_NEXT_NAME = r"[,;&|](?=$|[A-Za-z_.-]{1,30}[=:])"
_ACCOUNT = (
    r"(?:账号|帐号|賬號|帳號|账户|用户名|用戶名|user(?:name)?|account|login)"
    r"(?:和|及|与|/|、|&| and )?\Z"
)
_FIRST_OF_TWO = r"[^\s/，、,|]{1,64}(?:\s{0,2}[/，、,|]\s{0,2}|\s)"
_COUNTED = r"\s?(?:[位个個年月次天字条元万%多秒分小文桁자회]|bit|char|digit)"
_AS_A_DATE = r"20[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])"
_DIALLED = r"[*#]{0,2}[0-9]{4,12}[*#]{1,2}"
"""What a lock takes: 4829#."""
_ON_KEYS = (
    r"(?:锁屏|解锁|开机|屏保|门锁|门禁|大门|支付|付款|取款|交易|提现|银行卡|手机|平板|保险[箱柜]|行李箱"
    r"|暗証番号|pin)的?\Z"
)
"""In front of a name: the password is typed on a number pad, four digits are usual."""
_USER_BEFORE = (
    r"(?:账号|帐号|賬號|帳號|账户|用户名?|用戶名|user(?:name)?|account|login)"
    r"[ \t]{0,2}(?:[:：=]|是|为)?[ \t]{0,2}[^\s，。；、]{1,32}[ \t,，、;；/]{1,3}\Z"
)
_NO_VALUE_BEHIND = r"(?:image_?pull_?|existing_?)\Z"
"""In front of ``secret``: what follows is the name of one."""
_SHARED = r"[A-Za-z0-9]{4,8}(?![A-Za-z0-9])"
_GIT_HASH = r"[0-9a-f]{40}|[0-9a-f]{64}"
_HASH_BEFORE = r"(?:提交|commit|哈希|hash|sha-?1|sha-?256)[^\n，。；]{0,16}\Z"
_HASH_BEHIND = (
    r"[ ]?(?:那个|那次|这个|这次|该|的|那|这|是)?[ ]?"
    r"(?:提交(?![时给到前后上])|commit|哈希|hash)"
)
_KEYED = r"(?:api|access|secret|private|account|auth|app|service|client|master)[ _-]?\Z"
_NO_SECRET_KEY = (
    r"(?:public|primary|foreign|cache|partition|sort|hot|map|dict|index|object|redis|缓存|主|外|公)"
    r"[ _-]?\Z"
)
_NO_WORD = "[0-9!@#$%^&*]"
_NEAR = 120
"""Characters behind a name within which a value has the first of its digits and signs."""


def find_named(seen: str, lowered: str) -> Iterator[Span]:
    """Values bound to a secret's name.

    Args:
        lowered: the text in small letters, of the same length.
    """
    for name, family in NAMES.items():
        at = lowered.find(name)
        while at >= 0:
            stop = at + len(name)
            if compiled(_NO_WORD).search(lowered, stop, stop + _NEAR):
                found = _bound_to(seen, lowered, at, stop, family)
                if found is not None:
                    yield found
                    stop = max(stop, found[1])
            at = lowered.find(name, stop)


def _bound_to(seen: str, lowered: str, start: int, stop: int, family: str) -> Span | None:
    """The secret that is bound to the name at a place, or None."""
    if family == "identity":
        return _old_identity(seen, stop)
    before = lowered[max(0, start - 16) : start]
    if family == "share":
        return _shared(seen, lowered, stop)
    if family == "key" and compiled(_NO_VALUE_BEHIND).search(before):
        return None
    if family == "bare":
        if compiled(_KEYED).search(before):
            family = "key"
        elif is_alnum_at(lowered, start - 1) or compiled(_NO_SECRET_KEY).search(before):
            return None
    bound = compiled(_BOUND).match(lowered, stop)
    if family == "pass":
        if is_alnum_at(lowered, start - 1) or bound is None or not set(":：=") & set(bound[0]):
            return None
    elif bound is None:
        return _beside(seen, lowered, start, stop, family)
    at = bound.end()
    quoted = bound[1].strip("*") != ""
    if compiled(_ACCOUNT).search(before) and (two := compiled(_FIRST_OF_TWO).match(seen, at)):
        at, quoted = two.end(), False
    end = _end(seen, at, quoted)
    value = seen[at:end]
    if family == "pass":
        return (at, end, "password") if is_secret(value, "password", beside=True) else None
    if family == "key" and _is_hash(seen, before, value, end):
        return None
    number = family == "password" and _is_number(seen, before, value, end)
    if number or is_secret(value, family):
        return (at, end, family if family == "password" else "key")
    return None


def _is_number(seen: str, before: str, value: str, end: int) -> bool:
    """Whether a password's value is one of digits alone, and no count of anything."""
    if compiled(_DIALLED).fullmatch(value):
        return True
    least = 4 if compiled(_ON_KEYS).search(before) else 6
    return value.isdigit() and len(value) >= least and not compiled(_COUNTED).match(seen, end)


def _is_hash(seen: str, before: str, value: str, end: int) -> bool:
    """Whether a value is the name of a commit, and called so."""
    return compiled(_GIT_HASH).fullmatch(value) is not None and (
        compiled(_HASH_BEFORE).search(before) is not None
        or compiled(_HASH_BEHIND).match(seen, end) is not None
    )


def _shared(seen: str, lowered: str, stop: int) -> Span | None:
    """The code that opens a shared file, which is short."""
    bound = compiled(_BOUND).match(lowered, stop) or compiled(_BESIDE).match(lowered, stop)
    value = bound and compiled(_SHARED).match(seen, bound.end())
    if value is None or compiled(_COUNTED).match(seen, value.end()):
        return None
    known = any(c.isdigit() for c in value[0]) or len(value[0]) == 4
    return (*value.span(), "password") if known else None


def _beside(seen: str, lowered: str, start: int, stop: int, family: str) -> Span | None:
    """A value right behind the name, without a word between: it must look all the more like one."""
    english = lowered[start].isascii()
    if english and family != "password":
        return None
    link = compiled(_BESIDE).match(lowered, stop)
    if link is None or (english and link.end() == stop):
        return None
    at = link.end()
    end = _end(seen, at, quoted=False)
    value = seen[at:end]
    before = lowered[max(0, start - 64) : start]
    login = family == "password" and compiled(_USER_BEFORE).search(before) is not None
    number = (
        family == "password"
        and not english
        and not (at > stop and compiled(_AS_A_DATE).fullmatch(value))
        and _is_number(seen, before, value, end)
    )
    if not number and not is_secret(value, family, beside=not login):
        return None
    return (at, end, family if family == "password" else "key")


def _end(seen: str, at: int, quoted: bool) -> int:
    """Where the value that begins at a place ends."""
    match = compiled(_QUOTED if quoted else _BARE).match(seen, at)
    if match is None:
        return at
    if quoted:
        return match.end()
    return at + len(re.split(_NEXT_NAME, match[0], maxsplit=1)[0].rstrip(",;.:)]}*"))


def _old_identity(seen: str, stop: int) -> Span | None:
    """A number of fifteen digits, as given out before 1999, behind its name; it has no check."""
    behind = compiled(r"[号號码碼]{0,2}\s?[:：=是为]?\s?([0-9]{15})(?![0-9A-Za-z])")
    match = behind.match(seen, stop)
    if match is None or match[1][:2] not in PROVINCES:
        return None
    return (*match.span(1), "identity")
