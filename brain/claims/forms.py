"""Check syntax: ``file P``, ``text W in P``, ``symbol N``, ``version PKG SPEC``, ``ref N``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from brain import validate
from brain.errors import EXIT_DATA, BrainError
from brain.store.claims import Claim

FILE, TEXT, SYMBOL, VERSION, REF = "file", "text", "symbol", "version", "ref"
KINDS = (FILE, TEXT, SYMBOL, VERSION, REF)

GIVEN, READ_OFF = "given", "text"
"""Where a claim comes from: whoever stored the memory, or its text."""

MOST = 16
"""Claims of one memory."""

LONGEST = 1000
"""Characters of one claim."""

HOW = "写成 'file 路径'、'text 词句 in 路径'、'symbol 名字'、'version 包 版本' 或 'ref 分支或标签'"

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "「": "」"}
_SYMBOL = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*\Z")
_BAD_REF = re.compile(r"[\x00-\x20~^:?*\[\\\x7f]|\.\.|@\{|//|\A[/.-]|/\.|[/.]\Z|\.lock(?:/|\Z)")
"""What no name of a ref may hold (git-check-ref-format)."""


def read(written: str, origin: str = GIVEN, project: str = "") -> Claim:
    """Reads one check; its memory's number is still 0.

    Raises:
        BrainError: ``brain_check_invalid`` (65).
    """
    validate.check_encodable(written)
    if any(c < " " for c in written) or len(written) > LONGEST:
        raise _invalid(written, f"不能有控制字符，最多 {LONGEST} 字")
    kind, _, rest = written.strip().partition(" ")
    claim = " ".join(rest.split()) if kind in {SYMBOL, VERSION, REF} else rest.strip()
    if kind not in KINDS or not claim:
        raise _invalid(written, HOW)
    if kind == FILE:
        claim = _unquoted(claim)
    elif kind == TEXT:
        words, place = text_parts(claim)
        if not words or not place:
            raise _invalid(written, "text 后面写成：词句 in 路径")
        claim = f"{words} in {place}"
    elif kind == SYMBOL:
        claim = _unquoted(claim).removesuffix("()")
        if not _SYMBOL.match(claim):
            raise _invalid(written, "symbol 后面是一个名字，如 load_config 或 Store.open")
    elif kind == VERSION:
        package, spec = version_parts(claim)
        if not package or not spec:
            raise _invalid(written, "version 后面写成：包 版本，如 requests ==2.31.0")
        claim = f"{package} {spec}"
    elif _BAD_REF.search(claim):
        raise _invalid(written, "这不是 git 的分支名或标签名")
    return Claim(0, kind, claim, origin, project)


def read_all(written: Iterable[str], project: str = "") -> tuple[Claim, ...]:
    """Reads the checks that are given with a memory, each once.

    Raises:
        BrainError: ``brain_check_invalid`` (65), for more than ``MOST`` of them as well.
    """
    found = {(one.kind, one.claim): one for one in (read(w, GIVEN, project) for w in written)}
    if len(found) > MOST:
        told = f"一条记忆最多 {MOST} 个核对（check），这里有 {len(found)} 个。"
        raise BrainError("brain_check_invalid", told, EXIT_DATA)
    return tuple(found.values())


def text_parts(claim: str) -> tuple[str, str]:
    """The words of a ``text`` claim, and the path they are to be found in; '' for what is missing.

    The last `` in `` divides them, so that words may hold one.
    """
    words, _, place = claim.rpartition(" in ")
    return _unquoted(words.strip()), _unquoted(place.strip())


def version_parts(claim: str) -> tuple[str, str]:
    """The package of a ``version`` claim and what is said of its version."""
    package, _, spec = claim.partition(" ")
    if not spec:
        joined = re.match(r"(@?[^@=<>~^!]+)(?:@|(?=[=<>~^!]))(.+)", package)
        return (joined[1], joined[2]) if joined else (package, "")
    return package, spec.strip()


def _unquoted(text: str) -> str:
    """A text without the one pair of quotes around it."""
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        return text[1:-1]
    return text


def _invalid(written: str, how: str) -> BrainError:
    shown = " ".join(written.split())[:60]
    return BrainError("brain_check_invalid", f"看不懂核对「{shown}」：{how}。", EXIT_DATA)
