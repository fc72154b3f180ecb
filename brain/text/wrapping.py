"""Wrapping: what a host puts around a prompt (message ids, sender lines, reminders), taken off.

A prompt reaches the engine as the host hands it over, and what stands around it is in no note: ids
and channel names would count as rare words of the question, and a reminder's text would be asked
for. What is known to be written by machines goes (``wrappings``); what is in doubt stays, since it
may be the question: ``[2026-05-08] 做了什么`` keeps its day. Turns of a conversation are
:mod:`brain.text.scaffolding`'s; the elements that hosts write are listed there for both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

from brain.text.lists import lines, words
from brain.text.regex import compiled, holds_any

LONGEST_LINE = 400
"""Characters of a line or a bracket that may be wrapping."""

_MOST_MARKS = 8
"""Characters around the words of a line that says that now the prompt comes."""

_MOST_PASSES = 16
"""Wrapping in wrapping; each pass takes at least one layer off."""

_DATE = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
_MOMENT = rf"(?:[a-z]{{2,9}},? )?{_DATE}[t ]\d{{1,2}}:\d\d(?::\d\d)?(?:\.\d{{1,6}})?[^\]\n]{{0,24}}"
_ELAPSED = r"\+\d{1,5}[smhdw]\b"
_CLOCK = r"\d{1,2}:\d\d"

_FENCE = r"```[a-z0-9]{0,12}[ \t]*\n(?P<body>[^`]{0,8000}?)\n?```[ \t]*(?:\n|\Z)"
_UNTRUSTED = (
    rf"[^\n\[{{(]{{0,80}}\((?:untrusted|不可信)[^)\n]{{0,80}}\)[:：]?[ \t]*\n\s{{0,4}}{_FENCE}"
)
_QUOTED = (
    r"on [^\n]{4,120} wrote:[ \t]*(?:\n|\Z)",
    r"在 ?[^\n]{4,80}写道[:：][ \t]*(?:\n|\Z)",
    r"-{2,} ?(?:原始邮件|original message|forwarded message|转发的?(?:邮件|消息)) ?-{2,}",
    r"(?:- ?){6,200}(?:\n|\Z)",
    r"\[/?(?:replying|引用)[^\]\n]{0,120}\]",
)
_SIGNED = r"(?:发自|来自)我的 ?[^\n]{1,24}|sent from my [^\n]{1,24}"
_SIGNATURES = ("发自", "来自", "ent from my ")
_BRACKET = rf"[\[【(（](?P<key>[\w-]{{1,24}})(?P<rest>[^\]】)）\n]{{0,{LONGEST_LINE}}})[\]】)）]"
_KEYED = r"[\[【]?(?P<key>[\w-]{1,24})[\]】]? ?(?P<sep>[:：=]?)"
_STAMPED = rf"[\[【(（]{_MOMENT}[\]】)）]|system: \[{_MOMENT}\][^\n]{{0,{LONGEST_LINE}}}\n"
_SENT = rf"[^\s:：，。？?]{{1,30}} {_DATE} {_CLOCK}(?::\d\d)?[ \t]*\n"
_IN_ENVELOPE = rf"{_CLOCK}|{_ELAPSED}|\bid[:=]"

_SIGNS = "<[【(（{`:：=-"
"""Wrapping has one of these, but for a signature; most prompts are told by that alone."""


@cache
def _names(heading: str) -> frozenset[str]:
    return frozenset(words("wrappings", heading))


@cache
def _machine_tags() -> frozenset[str]:
    """Names of elements that hosts write: the distinct ones of all their scaffolding, and more."""
    told = frozenset(
        name
        for rules in lines("scaffolding").values()
        for rule, *names in map(str.split, rules)
        if rule in ("tag", "slash")
        for name in names
    )
    distinct = {name for name in told if holds_any(name, "-_") and not holds_any(name, "*~")}
    return _names("machine_tags") | distinct


def unwrap(text: str) -> str:
    """A prompt without what its host put around it.

    Args:
        text: as the host gave it, any length; the time taken is linear in it.

    Returns:
        The text itself where nothing is wrapped, ``''`` where there is wrapping alone (a reminder,
        a message id). ``unwrap(unwrap(x)) == unwrap(x)``.
    """
    if not holds_any(text, (*_SIGNS, *_SIGNATURES)):
        return text
    for _ in range(_MOST_PASSES):
        inner = _once(text)
        if inner == text:
            break
        text = inner
    return text


def _once(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):
        # İ becomes two characters: places would not agree.
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if "<" in lowered and "</" in lowered:
        bare = _without_machine_tags(text, lowered)
        if bare != text:
            return bare.strip()
        said = _in_query_tag(text, lowered)
        if said is not None:
            return said
    asked = _behind_request_line(text, lowered)
    if asked is not None:
        return asked
    start, end = _past_head(lowered), len(text)
    if start < end:
        end = _before_tail(lowered, start)
    if start or end < len(text):
        return text[start:end].strip()
    if lowered.lstrip().startswith("{"):
        return _in_object(text)
    return text


def _without_machine_tags(text: str, lowered: str) -> str:
    """Without the elements a host wrote; one that is not closed stays. A break takes their place,
    so that what stood around them cannot make another."""
    tags = _machine_tags()
    out: list[str] = []
    unclosed: set[str] = set()
    kept = at = 0
    while (at := lowered.find("<", at)) >= 0:
        match = compiled(r"<([a-z][a-z_-]{1,40})(?:\s[^<>]{0,400})?>").match(lowered, at)
        name = match.group(1) if match else ""
        if match is None or name not in tags or name in unclosed:
            at += 1
            continue
        end = lowered.find(f"</{name}>", match.end())
        if end < 0:
            unclosed.add(name)
            at = match.end()
            continue
        out.append(text[kept:at])
        kept = at = end + len(name) + 3
    return "\n".join([*out, text[kept:]])


def _in_query_tag(text: str, lowered: str) -> str | None:
    """What the last element for the person's words holds; None where there is none or nothing."""
    best: tuple[int, int] | None = None
    for name in words("wrappings", "query_tags"):
        opening = lowered.rfind(f"<{name}>")
        end = lowered.find(f"</{name}>", opening) if opening >= 0 else -1
        if end >= 0 and text[opening + len(name) + 2 : end].strip():
            start = opening + len(name) + 2
            if best is None or start > best[0]:
                best = start, end
    return text[best[0] : best[1]].strip() if best else None


def _behind_request_line(text: str, lowered: str) -> str | None:
    """What stands behind the last line that says that now the prompt comes."""
    for heading in lines("wrappings")["requests"]:
        at = lowered.rfind(heading)
        if at < 0:
            continue
        begin, end = lowered.rfind("\n", 0, at) + 1, lowered.find("\n", at)
        marks = lowered[begin:at] + lowered[at + len(heading) : end]
        if end < 0 or len(marks) > _MOST_MARKS or any(map(str.isalnum, marks)) or not marks.strip():
            continue
        said = text[end:].strip()
        if said:
            return said
    return None


def _past_head(lowered: str) -> int:
    """Where the prompt begins, behind all wrapping at its head."""
    at = _past_blank(lowered, 0)
    begun = 0
    while at < len(lowered):
        end = _longest_head(lowered, at)
        if end == at:
            break
        at = begun = _past_blank(lowered, end)
    return begun


def _longest_head(lowered: str, at: int) -> int:
    """Where a piece of wrapping that begins at a place ends; the place itself for none."""
    if lowered[at] in "[【(（":
        end = _past_bracket(lowered, at)
        if end > at:
            return end
    for pattern in _likely(lowered, at):
        match = compiled(pattern).match(lowered, at)
        if match and (pattern != _FENCE or _is_metadata(match["body"])):
            return match.end()
    return _past_label(lowered, at)


def _likely(lowered: str, at: int) -> Iterator[str]:
    """The patterns that may match at a place: to compile one takes longer than to look."""
    first, head = lowered[at], lowered[at : at + 100]
    if first in "[【(（s":
        yield _STAMPED
    if first in "-[o在":
        yield from _QUOTED
    if first == "`":
        yield _FENCE
    if holds_any(head, ("(untrusted", "(不可信")):
        yield _UNTRUSTED
    if ":" in head and "\n" in head and holds_any(head, ("-", "/", "年")):
        yield _SENT


def _past_bracket(lowered: str, at: int) -> int:
    """Past [message_id: …] or an envelope, [Telegram Alice +2m …]."""
    match = compiled(_BRACKET).match(lowered, at)
    if match is None:
        return at
    key, rest = match["key"], match["rest"]
    named = key in _names("keys") and rest.lstrip()[:1] in tuple(":=：")
    enveloped = key in _names("channels") and compiled(_IN_ENVELOPE).search(rest) is not None
    return match.end() if named or enveloped else at


def _past_label(lowered: str, at: int) -> int:
    """Past who speaks (用户：), a line with an id, or one with the sender."""
    match = compiled(_KEYED).match(lowered, at)
    if match is None:
        return at
    key, end = match["key"], match.end()
    bracketed = lowered[at] in "[【"
    if key in _names("labels") and (bracketed or match["sep"] in tuple(":：")):
        asked = _past_blank(lowered, end) < len(lowered)
        return end if asked and not lowered.startswith("//", end) else at
    if bracketed or not match["sep"]:
        return at
    stop = lowered.find("\n", end, end + LONGEST_LINE)
    rest = lowered[end : stop if stop >= 0 else end + LONGEST_LINE].strip()
    if key in _names("id_keys") and rest and not compiled(r"[\s，。]").search(rest):
        return stop + 1 if stop >= 0 else min(len(lowered), end + LONGEST_LINE)
    return stop + 1 if key in _names("sender_keys") and stop >= 0 and rest else at


def _past_blank(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _before_tail(lowered: str, start: int) -> int:
    """Where the prompt ends, before lines of wrapping at its tail."""
    end = len(lowered)
    while True:
        stop = end
        while stop > start and lowered[stop - 1].isspace():
            stop -= 1
        begin = lowered.rfind("\n", start, stop) + 1
        line = lowered[max(begin, start) : stop]
        if begin <= start or len(line) > LONGEST_LINE or not _is_tail(line):
            break
        end = begin
    return end


def _is_tail(line: str) -> bool:
    line = line.strip()
    if line[:1] in tuple("[【(（"):
        return _past_bracket(line, 0) == len(line)
    if holds_any(line, _SIGNATURES) and compiled(_SIGNED).fullmatch(line):
        return True
    match = compiled(_KEYED).match(line)
    rest = line[match.end() :].strip() if match else ""
    ids = _names("id_keys")
    return bool(match and match["key"] in ids and match["sep"] and rest and " " not in rest)


def _is_metadata(body: str) -> bool:
    """Whether a fenced object tells of a message and its sender."""
    given = _object(body)
    return given is not None and not _names("keys").isdisjoint(key.lower() for key in given)


def _in_object(text: str) -> str:
    """What was said in a message that is a JSON object with its metadata; else the text itself."""
    given = _object(text)
    if given is None or not _is_metadata(text):
        return text
    for key in words("wrappings", "text_keys"):
        said = given.get(key)
        if isinstance(said, str) and said.strip():
            return said.strip()
    return text


def _object(text: str) -> dict[str, object] | None:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None
