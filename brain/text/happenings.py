"""What happened, and what holds: how people ask for a day, and which notes outlast theirs.

What is looked at is in folded form (Simplified, lower case).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from brain.text.regex import compiled

_WORDS = Path(__file__).parent / "data" / "happenings.txt"

_LONGEST_RUN = 24
"""A longer run of content names a topic."""


@cache
def _happenings() -> tuple[frozenset[str], int]:
    lines = _WORDS.read_text(encoding="utf-8").splitlines()
    entries = frozenset(word for line in lines if line[:1] != "#" for word in line.split())
    return entries, max(map(len, entries))


def asks_what_happened(runs: Iterable[str]) -> bool:
    """Whether what a question asks beside its time is only what happened then.

    Args:
        runs: its runs of content (:func:`brain.text.stopwords.strip_function_words`), without its
            times.
    """
    return all(_is_made_of_them(run) for run in runs)


def _is_made_of_them(run: str) -> bool:
    if len(run) > _LONGEST_RUN:
        return False
    entries, longest = _happenings()
    reached = {0}
    for end in range(1, len(run) + 1):
        if any(
            at in reached and run[at:end] in entries for at in range(max(0, end - longest), end)
        ):
            reached.add(end)
    return len(run) in reached


_HOLDS = (
    r"是(?!否)|叫|姓|[住归属为等]于?|每|总是|一直|一般|通常|平时|习惯|喜欢|喜爱|讨厌|爱吃|不吃|过敏|规定|必须|"
    r"[不只]能|不准|禁止|可以|应该|需要|要(?!了)|负责|密码|口令|端口|地址|电话|手机|邮箱|账号|编号|生日|使用|采用|"
    r"默认|支持|[:：=→]|在(?!.{0,8}了)|有(?!.{0,8}了)|\b(?:is|are|always|every|usually|must|should|lives?|likes?|uses?|has)\b"
)
"""What a note says that holds beyond its day."""

_OVER = (
    r"了(?!解)|过(?!期|敏|户|滤|程|年|节|道|路)|完成|刚|曾|(?:请|做|买|吃|去|来|开)的|请客|买单|结账|"
    r"值班(?![群室表电手])|值日|主持|发言|迟到|请假|来访|聚餐|加班|出差|带队|驻场|轮值|缺席|到场|"
    r"\b(?:was|were|did|had|went|met|made|(?!need|bas|call|nam|locat|requir|us)[a-z]{2,}ed)\b"
)
"""What a note says that is over with it."""


def holds(text: str) -> bool:
    """Whether a note tells what holds, as 值班群是青鸟群 does, and not what happened on a day.

    Args:
        text: folded.
    """
    return compiled(_HOLDS).search(text) is not None and compiled(_OVER).search(text) is None
