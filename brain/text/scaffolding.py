"""Host scaffolding: what a host wrote into a turn, told from what a person or a model said in it.

``data/scaffolding.txt`` holds one drawer a host; ingest, capture and the hooks read the same one.
What stands around a live prompt of whatever host is :mod:`brain.text.wrapping`'s.
A rule looks at where a line begins, so that who only talks about such a thing keeps the words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from brain.text.lists import lines

USER, ASSISTANT = "user", "assistant"

ANY = "any"
"""The drawer that every host's turns are held against."""

HOSTS = (
    "claude_code",
    "codex",
    "openclaw",
    "hermes",
    "cherry_studio",
    "cursor",
    "gemini_cli",
)

_MOST_STAMPS = 4
"""A channel's and a machine's, one within the other; more than hosts write."""

_TO = " ⇢ "
_FENCE = re.compile(r"[ \t]*```[\w-]*[ \t]*$")
_OWN_BLOCK = re.compile(
    r"⟦记忆⟧[^\n]*(?:\n(?:#\d+ \[| {4}|技能 #|类型：|范围：)[^\n]*)*(?:\n?⟦/记忆⟧)?\n?"
)


@dataclass(frozen=True, slots=True)
class _Drawer:
    """The rules for one host's turns, compiled; None where it has no such rule.

    Args:
        tags, thoughts: opening tags of elements that are no words of the user, the assistant.
        slash: the names of a command's elements: its name, its arguments, what only repeats them.
    """

    tags: re.Pattern[str] | None
    thoughts: re.Pattern[str] | None
    inside: tuple[str, ...]
    slash: tuple[str, ...]
    spans: tuple[tuple[re.Pattern[str], str], ...]
    after: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    blocks: re.Pattern[str] | None
    lines: re.Pattern[str] | None
    stamps: re.Pattern[str] | None
    turns: re.Pattern[str] | None
    replies: re.Pattern[str] | None
    marks: re.Pattern[str] | None


def spoken(text: str, host: str = "", role: str = USER) -> str:
    """What was said in a turn; '' for one that a machine wrote.

    Args:
        text: the turn as the host keeps it, or as it hands it to a hook.
        host: one of ``HOSTS``; '' for one that is not known: then elements of every host go, and
            whole turns of none.
        role: ``USER`` or ``ASSISTANT``.

    Returns:
        The words without blanks around them.
    """
    drawer = _drawer(host)
    if "⟦记忆⟧" in text:
        text = _OWN_BLOCK.sub("", text)
    if role == ASSISTANT:
        return _answered(text, drawer)
    for begin, mark in drawer.after:
        if begin.match(text.lstrip()):
            found = list(mark.finditer(text))
            text = text[found[-1].end() :] if found else text
    if "<" in text:
        text = _only_inside(text, drawer.inside)
        text = _without_elements(text, drawer.tags)
        text = _command(text, drawer.slash)
    for begin, end in drawer.spans:
        text = _without_spans(text, begin, end)
    if drawer.blocks is not None:
        text = _without_blocks(text, drawer.blocks)
    if drawer.lines is not None and drawer.lines.search(text):
        text = drawer.lines.sub("", text)
    text = text.strip()
    for _ in range(_MOST_STAMPS if drawer.stamps is not None else 0):
        stamp = drawer.stamps.match(text) if drawer.stamps is not None else None
        text = text[stamp.end() :].strip() if stamp else text
    return "" if drawer.turns is not None and drawer.turns.match(text) else text


def _answered(text: str, drawer: _Drawer) -> str:
    if "<" in text:
        text = _without_elements(text, drawer.tags)
        text = _without_elements(text, drawer.thoughts)
    if drawer.marks is not None:
        text = drawer.marks.sub("", text)
    text = text.strip()
    return "" if drawer.replies is not None and drawer.replies.fullmatch(text) else text


def _without_elements(text: str, opening: re.Pattern[str] | None) -> str:
    """A text without elements that begin a line, or follow another one.

    One that is never closed was cut off with its turn; it goes to the end where the turn begins
    with it and its name stands alone on its line.
    """
    if opening is None:
        return text
    kept: list[str] = []
    unclosed: set[str] = set()
    done = at = 0
    begins = blank = True  # nothing was said so far, or on this line
    while (found := opening.search(text, at)) is not None:
        between = text[at : found.start()]
        begins = begins and not between.strip()
        line = between.rfind("\n")
        blank = not between[line + 1 :].strip() and (blank or line >= 0)
        at = found.end()
        name = found.group(1)
        close = -1
        if blank and name.lower() not in unclosed:
            close = _closing(text, name, at)
            if close < 0:
                unclosed.add(name.lower())
                if begins and text[at : at + 1] in {"", "\n", "<"}:
                    return ""
        if close < 0:
            begins = blank = False
            continue
        kept.append(text[done : found.start()])
        done = at = close
    return "".join([*kept, text[done:]])


def _closing(text: str, name: str, start: int) -> int:
    """Where the element ends: behind its closing tag; -1 when it has none."""
    close = f"</{name}>"
    at = text.find(close, start)
    if at < 0:
        return -1
    end = at + len(close)
    return end + 1 if text[end : end + 1] == "\n" else end


def _only_inside(text: str, names: Sequence[str]) -> str:
    for name in names:
        opened, closed = f"<{name}>", f"</{name}>"
        parts: list[str] = []
        at = 0
        while (begin := text.find(opened, at)) >= 0:
            end = text.find(closed, begin)
            at = len(text) if end < 0 else end
            parts.append(text[begin + len(opened) : at].strip())
        if parts:
            text = "\n\n".join(parts)
    return text


def _command(text: str, names: Sequence[str]) -> str:
    """A slash command as it was typed; nothing of one without arguments."""
    if not names or f"<{names[0]}>" not in text:
        return text
    found: list[str] = []
    for name in names:
        begin = text.find(f"<{name}>")
        end = text.find(f"</{name}>", begin)
        if begin < 0 or end < 0:
            found.append("")
            continue
        found.append(text[begin + len(name) + 2 : end].strip())
        text = text[:begin] + text[end + len(name) + 3 :]
    typed = f"{found[0]} {found[1]}" if found[1] else ""
    return f"{typed}\n{text.strip()}".strip()


def _without_spans(text: str, begin: re.Pattern[str], end: str) -> str:
    kept: list[str] = []
    done = 0
    while (found := begin.search(text, done)) is not None:
        kept.append(text[done : found.start()])
        at = -1 if end in {"", "$"} else text.find(end, found.end())
        if at < 0:
            return "".join(kept)
        done = at + len(end)
    return "".join([*kept, text[done:]])


def _without_blocks(text: str, heading: re.Pattern[str]) -> str:
    if heading.search(text) is None:
        return text
    kept: list[str] = []
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        if not heading.match(rows[at].strip()):
            kept.append(rows[at])
            at += 1
            continue
        at += 1
        fenced = at < len(rows) and _FENCE.match(rows[at]) is not None
        at += fenced
        while at < len(rows) and (rows[at].strip() != "```" if fenced else rows[at].strip()):
            at += 1
        at += fenced
    return "\n".join(kept)


@cache
def _drawer(host: str) -> _Drawer:
    found: dict[str, list[str]] = {}
    known = lines("scaffolding")
    for name in (ANY, host) if host else (ANY, *HOSTS):
        for line in known.get(name, ()):
            rule, _, rest = line.partition(" ")
            found.setdefault(rule, []).append(rest)
    if not host:
        # Whose turns they are is not known: sentences might be anybody's, elements are not.
        found = {rule: found[rule] for rule in ("tag", "slash", "thought") if rule in found}
        distinct = (name for name in " ".join(found["tag"]).split() if "-" in name or "_" in name)
        found["tag"] = list(distinct)
    return _Drawer(
        tags=_opening(found.get("tag", [])),
        thoughts=_opening(found.get("thought", [])),
        inside=tuple(name for rest in found.get("inside", []) for name in rest.split()),
        slash=tuple(" ".join(found.get("slash", [])).split()),
        spans=tuple(
            (re.compile(f"^(?:{a})", re.MULTILINE), b)
            for a, _, b in (rest.partition(_TO) for rest in found.get("span", []))
        ),
        after=tuple(
            (re.compile(a), re.compile(b, re.MULTILINE))
            for a, _, b in (rest.partition(_TO) for rest in found.get("after", []))
        ),
        blocks=_any_of(found.get("block", []), "^(?:{})", re.MULTILINE),
        lines=_any_of(found.get("line", []), r"^[ \t]*(?:{}).*\n?", re.MULTILINE),
        stamps=_any_of(found.get("stamp", []), "(?:{})", re.NOFLAG),
        turns=_any_of(found.get("turn", []), "(?:{})", re.NOFLAG),
        replies=_any_of(found.get("reply", []), "(?:{})", re.IGNORECASE | re.DOTALL),
        marks=_any_of(found.get("mark", []), "(?:{})", re.NOFLAG),
    )


def _any_of(patterns: Sequence[str], frame: str, flags: re.RegexFlag) -> re.Pattern[str] | None:
    if not patterns:
        return None
    return re.compile(frame.replace("{}", "|".join(f"(?:{p})" for p in patterns)), flags)


def _opening(rest: Sequence[str]) -> re.Pattern[str] | None:
    names = [
        re.escape(name).replace(r"\*", r"[\w-]*").replace(r"\~", " ").replace("~", " ")
        for name in " ".join(rest).split()
    ]
    return re.compile(rf"<({'|'.join(names)})(?=[\s>/])[^<>]*>", re.IGNORECASE) if names else None
