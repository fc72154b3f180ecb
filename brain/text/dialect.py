"""Dialect: a question in Cantonese, in Taiwan's words or in regional speech, in standard Mandarin.

Only questions are read so, never what is stored. A word that Mandarin has as well (食, 系, 边) is
read as Cantonese only in a question that an unmistakable word makes Cantonese. All texts are in
folded form (:func:`brain.text.fold.fold`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from brain.text import lists
from brain.text.regex import compiled, holds_any

_MARKED = "cantonese_marked"
_NUMERALS = frozenset("0123456789零一二三四五六七八九十百两几半")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A word and what stands for it.

    Args:
        not_after, not_before: characters that may not stand beside it.
        needs: of what one must stand in the question, if any is given.
        heading: the section.
    """

    word: str
    standard: str
    not_after: frozenset[str]
    not_before: frozenset[str]
    needs: tuple[str, ...]
    heading: str


@cache
def _entries() -> dict[str, tuple[_Entry, ...]]:
    """First character → the entries that begin with it, the longest first."""
    found: dict[str, list[_Entry]] = {}
    for heading, lines in lists.lines("dialect").items():
        if heading in ("cantonese_marks", ""):
            continue
        for line in lines:
            words, _, rest = line.partition(">")
            fields = [field.split() for field in rest.split("|")]
            fields += [[] for _ in range(4 - len(fields))]
            standard = "".join(fields[0])
            not_after = set(fields[1])
            if "#" in not_after:
                not_after |= _NUMERALS
            for word in words.split():
                entry = _Entry(
                    word,
                    standard,
                    frozenset(not_after),
                    frozenset(fields[2]),
                    tuple(fields[3]),
                    heading,
                )
                found.setdefault(word[0], []).append(entry)
    return {
        first: tuple(sorted(entries, key=lambda entry: -len(entry.word)))
        for first, entries in found.items()
    }


def _found(text: str) -> Iterator[tuple[int, _Entry]]:
    """The entries that stand in a text, at each place the longest first."""
    entries = _entries()
    for match in compiled(f"[{''.join(entries)}]").finditer(text):
        at = match.start()
        for entry in entries[match[0]]:
            end = at + len(entry.word)
            if (
                text.startswith(entry.word, at)
                and text[at - 1 : at] not in entry.not_after
                and text[end : end + 1] not in entry.not_before
                and (not entry.needs or holds_any(text, entry.needs))
            ):
                yield at, entry


def standard(folded: str) -> str:
    """A question in standard Mandarin, as far as the lists reach.

    Args:
        folded: the question.

    Returns:
        The same object when no word of the lists stands in it.
    """
    found = list(_found(folded))
    if not found:
        return folded
    marks = lists.words("dialect", "cantonese_marks")
    cantonese = holds_any(folded, marks) or any(e.heading == "cantonese" for _, e in found)
    out: list[str] = []
    done = 0
    for at, entry in found:
        if at < done or (entry.heading == _MARKED and not cantonese):
            continue
        out += folded[done:at], entry.standard
        done = at + len(entry.word)
    if not done:
        return folded
    return "".join((*out, folded[done:]))
