"""Unicode normalisation and case folding: one for index and query, so that both always agree.

The order is NFKC (Unicode UAX #15), full case folding, NFKC again (case folding can undo it), then
a per-character table: Traditional to Simplified by OpenCC's single-character dictionary
(``TSCharacters``; its phrase rules depend on context, so two sides would disagree) and invisible
characters to nothing. The stored text itself is never folded.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from brain.errors import EXIT_UNAVAILABLE, BrainError
from brain.text.regex import holds_any

FOLD_VERSION = 2
"""Raised whenever the folding or the grams change: an index built by another version is rebuilt."""

_INVISIBLE = (
    *(0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xE0000, 0xE0200),
)


_ALSO = {ord("著"): "着", ord("暱"): "昵"}
"""Written for each other in Traditional text; OpenCC's table keeps them apart."""


def opencc_dictionary(name: str) -> Path:
    """The path of one of OpenCC's text dictionaries, without importing its converter.

    Raises:
        BrainError: ``brain_opencc_missing`` (69) when the package's data is not installed.
    """
    spec = find_spec("opencc")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder, "dictionary", f"{name}.txt")
        if path.is_file():
            return path
    raise BrainError(
        "brain_opencc_missing",
        "缺少繁简字表，请重新安装：pip install opencc-python-reimplemented。",
        EXIT_UNAVAILABLE,
    )


@cache
def _simplified() -> dict[int, str]:
    table: dict[int, str] = {}
    for line in opencc_dictionary("TSCharacters").read_text(encoding="utf-8").splitlines():
        source, _, targets = line.partition("\t")
        first = targets.split(" ", 1)[0]
        if len(source) == 1 and len(first) == 1 and source != first:
            table[ord(source)] = first
    # 薴 becomes 苧, and that, read as Traditional, 苎: all three are one.
    return {source: table.get(ord(target), target) for source, target in table.items()}


@cache
def _folding() -> dict[int, str]:
    return _simplified() | _ALSO | dict.fromkeys(_INVISIBLE, "")


_WIDE_MARKS = (
    ("，", ","),
    ("？", "?"),
    ("！", "!"),
    ("：", ":"),
    ("；", ";"),
    ("（", "("),
    ("）", ")"),
)
"""Marks of nearly every Chinese text, with what NFKC makes of them: without them most texts are
NFKC as they stand, and to find that out takes far less time than to make them so."""

TRADITIONAL_IN_GB2312 = "乾吒夥後徵捱摺於榘甯菸薹醣麴麽著"
"""The only characters that the table changes and GB 2312, the Simplified set, holds."""


def _is_simplified(text: str) -> bool:
    """Whether the table surely leaves a text as it is, in a third of the time it takes to try."""
    try:
        text.encode("gb2312")
    except (UnicodeEncodeError, LookupError):
        # Or a Python lacks the codec, or the right to read it.
        return False
    return not holds_any(text, TRADITIONAL_IN_GB2312)


@lru_cache(maxsize=32)
def fold(text: str) -> str:
    """The form under which texts are indexed and compared. Kept for a moment: each way into the
    engine asks several times.

    Args:
        text: any string, NUL and surrogates included.

    Returns:
        The folded string; ``fold(fold(x)) == fold(x)``.
    """
    if text.isascii():
        return text.lower()
    for wide, narrow in _WIDE_MARKS:
        text = text.replace(wide, narrow)
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    if _is_simplified(folded):
        return folded
    folded = folded.translate(_folding())
    # Removing an invisible character can bring a base and its mark together.
    return unicodedata.normalize("NFKC", folded)


def simplify(text: str) -> str:
    """Traditional characters to Simplified and nothing else, for a model that knows Simplified."""
    return text if text.isascii() or _is_simplified(text) else text.translate(_simplified())
