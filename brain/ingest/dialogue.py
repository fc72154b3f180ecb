"""Written dialogue: a conversation that somebody saved as Markdown or plain text, back into turns.

Told by the marks before each turn: a heading, bold words or a name with a colon, of a person on one
side and of an assistant on the other, by turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from brain.ingest.chat import Turn
from brain.ingest.entry import UNKNOWN, since
from brain.text.scaffolding import ASSISTANT, USER

_PERSON = r"user|human|you|you said|me|prompt|用户|使用者|我|你|你说|人类|提问者"
_MODEL = (
    r"assistant|ai|ai assistant|bot|model|response|llm|chatgpt|gpt[- ]?[\w.]{0,8}|claude(?: code)?"
    r"|claude[- ](?:opus|sonnet|haiku)[\w. -]{0,8}|gemini|gemini[- ][\w. -]{0,12}|deepseek"
    r"|deepseek[- ][\w.]{0,8}|kimi|qwen|copilot|github copilot|cursor|codex|grok|openclaw|hermes"
    r"|助手|助理|模型|机器人|回复|豆包|通义千问|千问|文心一言|智谱清言|元宝|小助手|ai ?助手"
)
_WHO = rf"(?:(?P<person>{_PERSON})|(?P<model>(?:{_MODEL})(?: said)?))"
_WHEN = (
    r"(?:[ \t]*[@·|,，(（\[-]?[ \t]*"
    r"(?P<when>\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[T ]\d{1,2}:\d\d(?::\d\d)?"
    r"(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}:\d\d(?::\d\d)?)[)）\]]?)?"
)
_SIGN = r"[^\w\s*_#>:：\[\](){}`'\"<|+•·-]{0,3}[ \t]*"
_MARKS = (
    re.compile(
        rf"#{{1,6}}[ \t]+[*_]{{0,3}}{_SIGN}{_WHO}{_WHEN}[:：]?[*_]{{0,3}}[:：]?[ \t]*$", re.I
    ),
    re.compile(
        rf"(?:>[ \t]*)?[*_]{{2,3}}{_SIGN}{_WHO}{_WHEN}[:：]?[*_]{{2,3}}"
        rf"{_WHEN.replace('<when>', '<at>')}[ \t]*[:：]?[ \t]*(?P<rest>.*)$",
        re.I,
    ),
    re.compile(rf"{_SIGN}{_WHO}{_WHEN}[ \t]*[:：][ \t]*(?P<rest>.*)$", re.I),
)
"""A heading; bold words; a name with a colon. A dialogue keeps to one of them."""

_FENCE = re.compile(r" {0,3}(```|~~~)")
_RULE = re.compile(r"[-*_ ]{3,}\Z")

_LEAST = (2, 2, 3)
"""Marks of each sort that a dialogue has at least; a name with a colon is also how a list looks."""

_MOST_BEFORE = 0.25
"""Share of the text that may stand before the first mark: a title, where it was exported from."""


@dataclass(frozen=True, slots=True)
class _Mark:
    line: int
    role: str
    rest: str
    when: str


def turns(text: str, before: int, day: datetime | str) -> list[Turn]:
    """The turns of a text that is a dialogue; none of any other text.

    Args:
        before: lines of the file that stand before the text.
        day: when it was held, where the marks do not say; ``UNKNOWN`` for not known.
    """
    rows = text.split("\n")
    for mark, least in zip(_MARKS, _LEAST, strict=True):
        found = list(_marks(rows, mark))
        if len(found) >= least and _is_dialogue(rows, found):
            return list(_turns(rows, found, before, day))
    return []


def _marks(rows: list[str], mark: re.Pattern[str]) -> Iterator[_Mark]:
    fenced = False
    for number, row in enumerate(rows):
        if _FENCE.match(row):
            fenced = not fenced
        found = None if fenced or len(row) > 4000 else mark.match(row.rstrip())
        if found is not None:
            parts = found.groupdict()
            role = USER if parts["person"] else ASSISTANT
            when = parts["when"] or parts.get("at") or ""
            yield _Mark(number, role, parts.get("rest") or "", when)


def _is_dialogue(rows: list[str], marks: list[_Mark]) -> bool:
    roles = [mark.role for mark in marks]
    if len(set(roles)) < 2:
        return False
    changes = sum(a != b for a, b in pairwise(roles))
    if 2 * changes < len(roles) - 1:
        return False
    total = sum(len(row) for row in rows)
    return sum(len(row) for row in rows[: marks[0].line]) <= max(200, _MOST_BEFORE * total)


def _turns(rows: list[str], marks: list[_Mark], before: int, day: datetime | str) -> Iterator[Turn]:
    ends = [mark.line for mark in marks[1:]] + [len(rows)]
    for mark, end in zip(marks, ends, strict=True):
        said = [mark.rest, *rows[mark.line + 1 : end]]
        while said and (not said[-1].strip() or _RULE.match(said[-1].strip())):
            said.pop()
        text = "\n".join(said).strip()
        if text:
            number = before + mark.line + 1
            yield Turn(mark.role, text, number, number, _moment(mark.when, day))


def _moment(told: str, day: datetime | str) -> datetime | str:
    """When a turn was said; an hour alone is of the day known otherwise."""
    if not told:
        return day
    if ":" in told and len(told) <= 8:
        return day
    found = since(told)
    return day if found == UNKNOWN else found
