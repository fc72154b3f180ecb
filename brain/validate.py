"""Input validation: texts, queries, ids, kinds, labels and numbers as a caller gives them.

Each check accepts the value or raises :class:`brain.errors.BrainError`, mostly with exit code 65.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

from brain.errors import EXIT_USAGE, BrainError

MAX_TEXT_BYTES = 256 * 1024
"""Largest memory, in bytes of UTF-8."""

MAX_QUERY_CHARS = 1_000_000
"""Longest query taken in, in characters; recall itself looks at a bounded part of it."""

MAX_LABEL_CHARS = 200
"""Longest scope, in characters."""

MAX_EVIDENCE_CHARS = 2000
"""Longest note on where a memory comes from or why it changed, in characters."""

KINDS_IN_CHINESE: Mapping[str, str] = {
    "事实": "fact",
    "偏好": "preference",
    "经历": "episode",
    "技能": "skill",
    "决定": "decision",
    "笔记": "note",
    "其他": "note",
}
"""The usual kinds as the documents translate them, for who writes them so."""

_KIND = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z")

_ID = re.compile(r"#?([0-9]{1,18})\Z")


def parse_id(value: int | str) -> int:
    """Reads a memory id: ``12``, ``'12'`` or ``'#12'``, full-width as well.

    Raises:
        BrainError: ``brain_id_invalid`` (65) for anything else.
    """
    if isinstance(value, bool):
        raise BrainError("brain_id_invalid", "编号应为数字，如 12 或 '#12'。")
    if isinstance(value, int):
        if 0 < value < 2**63:
            return value
        raise BrainError("brain_id_invalid", "编号是从 1 起的整数（64 位以内），如 12 或 '#12'。")
    match = _ID.match(unicodedata.normalize("NFKC", value).strip())
    if match and int(match.group(1)) > 0:
        return int(match.group(1))
    raise BrainError("brain_id_invalid", f"看不懂编号「{str(value)[:40]}」，应为 12 或 '#12'。")


def check_text(text: str) -> str:
    """Accepts a memory's text exactly as it is.

    Raises:
        BrainError: ``brain_text_empty``, ``brain_text_nul``, ``brain_text_surrogate`` or
            ``brain_memory_too_large`` (all 65).
    """
    if "\0" in text:
        raise BrainError(
            "brain_text_nul", "文本里有 NUL 字节（\\0），全文索引读不到它后面的内容；请先去掉。"
        )
    size = len(check_encodable(text))
    if not text.strip():
        raise BrainError("brain_text_empty", "文本是空的，没有可以记住的内容。")
    if size > MAX_TEXT_BYTES:
        raise BrainError(
            "brain_memory_too_large",
            f"一条记忆最多 {MAX_TEXT_BYTES} 字节（256 KiB），这条有 {size} 字节；请拆成几条。",
        )
    return text


def check_encodable(text: str) -> bytes:
    """A text in UTF-8. Raises ``brain_text_surrogate`` (65)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise BrainError(
            "brain_text_surrogate",
            "文本里有不成对的代理码位，不是有效的 Unicode；请按 UTF-8 传入。",
        ) from None


def require_str(value: object, name: str) -> None:
    """Raises ``brain_type_invalid`` (2) for anything but a string."""
    if not isinstance(value, str):
        told = f"{name}应是字符串，收到 {type(value).__name__}。"
        raise BrainError("brain_type_invalid", told, EXIT_USAGE)


def clean_query(query: str) -> str:
    """Makes any string usable as a query: NUL bytes and lone surrogates become spaces.

    Raises:
        BrainError: ``brain_query_too_large`` (65) beyond ``MAX_QUERY_CHARS`` characters,
            ``brain_type_invalid`` (2).
    """
    require_str(query, "查询")
    if len(query) > MAX_QUERY_CHARS:
        raise BrainError(
            "brain_query_too_large", f"查询最多 {MAX_QUERY_CHARS} 个字符，这条有 {len(query)} 个。"
        )
    return "".join(" " if c == "\0" or 0xD800 <= ord(c) <= 0xDFFF else c for c in query)


def unreadable_remark(query: str) -> tuple[str, ...]:
    """The remark on what :func:`clean_query` takes for spaces; none where it takes nothing."""
    bad = sum(c == "\0" or 0xD800 <= ord(c) <= 0xDFFF for c in query)
    told = f"问题里有 {bad} 个字符不是文字（NUL 或不成对的代理码位），按空格读。"
    return (told,) if bad else ()


def blank_query_error(query: str) -> BrainError:
    """Why nothing is left of a query: ``brain_text_surrogate``, ``brain_text_nul`` or
    ``brain_query_empty`` (all 65)."""
    if any(0xD800 <= ord(c) <= 0xDFFF for c in query):
        return BrainError(
            "brain_text_surrogate",
            "查询里只有不成对的代理码位，不是有效的 Unicode；请按 UTF-8 传入。",
        )
    if "\0" in query:
        return BrainError("brain_text_nul", "查询里只有 NUL 字节（\\0）；请给出要找的内容。")
    return BrainError("brain_query_empty", "查询是空的，请给出要找的内容。")


def check_kind(kind: str) -> str:
    """Accepts a kind name. Raises ``brain_kind_invalid`` (65)."""
    if not _KIND.match(kind):
        told = f"类型「{kind[:40]}」不合规：小写字母开头，只含小写字母、数字、_、-，最长 32 字符。"
        meant = KINDS_IN_CHINESE.get(kind.strip(), kind.strip().lower())
        hint = f"是不是 {meant}？" if _KIND.match(meant) else ""
        raise BrainError("brain_kind_invalid", told + hint)
    return kind


def is_kind(kind: str) -> bool:
    """Whether it is the name of a kind."""
    return bool(_KIND.match(kind))


def check_label(value: str, what: str, code: str) -> str:
    """Accepts a scope or source label: printable, bounded; without the blanks around it, which
    nobody sees. Raises ``code`` (65)."""
    limit = MAX_LABEL_CHARS
    value = value.strip()
    if len(value) > limit or any(unicodedata.category(c) in {"Cc", "Cs"} for c in value):
        raise BrainError(code, f"{what}最长 {limit} 个字符，且不能含控制字符。")
    return value


MAX_TAGS = 32
"""Tags that one memory may have."""

MAX_TAG_CHARS = 64


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Accepts tags, without the ``#`` and the blanks around them, each once in the order given.

    Raises:
        BrainError: ``brain_tag_invalid`` (65) for an empty one, one beyond 64 characters, one with
            a comma or a control character, and more than 32 of them.
    """
    out: dict[str, None] = {}
    for given in tags:
        require_str(given, "标签")
        tag = unicodedata.normalize("NFC", given).strip().lstrip("#").strip()
        bad = any(unicodedata.category(c) in {"Cc", "Cs"} or c in ",，" for c in tag)
        if not tag or len(tag) > MAX_TAG_CHARS or bad:
            raise BrainError(
                "brain_tag_invalid",
                f"标签「{given[:40]}」不合规：最长 {MAX_TAG_CHARS} 个字符，不能是空的，"
                "也不能含逗号和控制字符；几个标签请分几次给。",
            )
        out[tag] = None
    if len(out) > MAX_TAGS:
        raise BrainError("brain_tag_invalid", f"一条记忆最多 {MAX_TAGS} 个标签。")
    return tuple(out)


def check_evidence(value: str) -> str:
    """Accepts a note on where a memory comes from. Raises ``brain_evidence_invalid`` (65)."""
    return _check_remark(value, "依据", "brain_evidence_invalid")


def check_why(value: str) -> str:
    """Accepts the reason of a change. Raises ``brain_why_invalid`` (65)."""
    return _check_remark(value, "原因", "brain_why_invalid")


def _check_remark(value: str, what: str, code: str) -> str:
    limit = MAX_EVIDENCE_CHARS
    if len(value) > limit or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        raise BrainError(code, f"{what}最长 {limit} 个字符，且须是有效的文本。")
    return value


def check_unit(value: float, what: str, code: str) -> float:
    """Accepts a number in [0, 1]. Raises ``code`` (65) otherwise, NaN included."""
    if not isinstance(value, int | float) or math.isnan(value) or not 0.0 <= value <= 1.0:
        raise BrainError(code, f"{what}应在 0 到 1 之间，收到 {value}。")
    return float(value)


MAX_K = 1000
"""Hits a question may ask for."""

MAX_LIMIT = 1_000_000_000
"""Records a list may ask for."""


def check_k(k: int) -> int:
    """Accepts a number of hits from 1 to ``MAX_K``. Raises ``brain_k_invalid`` (2)."""
    if not 1 <= k <= MAX_K:
        raise BrainError("brain_k_invalid", f"条数（k）应在 1 到 {MAX_K} 之间。", EXIT_USAGE)
    return k


def check_limit(limit: int | None) -> None:
    """Accepts a number of records, or None for all. Raises ``brain_limit_invalid`` (2)."""
    if limit is not None and not 1 <= limit <= MAX_LIMIT:
        raise BrainError(
            "brain_limit_invalid", f"条数（limit）应在 1 到 {MAX_LIMIT} 之间。", EXIT_USAGE
        )
