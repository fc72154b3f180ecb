"""Change: whether a note says that something is over, became something else, or was wrong.

What people tell later often takes the place of what they told before (现在冰的一口不碰, 站会挪到
十点, switched to tea) and does not say of which note. The words that show it are a list
(``changes``); which older note is meant is for :mod:`brain.recall.similar`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

from brain.text.dates.intervals import find_intervals
from brain.text.lists import Lexicon, spoken, words
from brain.text.regex import compiled, holds_any
from brain.text.stopwords import strip_function_words, strong_runs
from brain.text.tokenize import query_terms

LONGEST = 160
"""Characters of a note that are looked at: what changes a thing says so soon."""

_OVER, _NEW, _CORRECTED, _NOW = "over", "new", "corrected", "now"

_DENIED = r"[^,。;!?\n]{0,12}?(?:不(?![错同仅只但管过])|没(?!问题))"
_DENIED_BEHIND = (
    r"(?<![来坐站吃喝听看走拿抱记睡])不[^是会能错过同仅但稳住到清下上动起了完得,。;!?\n]"
    r"[^,。;!?\n]{0,6}?了(?=[,。;!?\n]|\Z)"
)
_COUNTED = r"[\d一二两三四五六七八九十百几]"
_WARNED = 4
_RATHER = r"不是[^,。;!?\n]{1,16}[,，]?(?:而?是)|是[^。;!?\n]{1,24},?不是"


@cache
def _cues() -> Lexicon:
    entries: dict[str, str] = {}
    for heading in (_NOW, _CORRECTED, _NEW, _OVER):
        entries |= dict.fromkeys(spoken(words("changes", heading)), heading)
    return Lexicon.of(entries)


def cues(folded_note: str) -> list[tuple[int, int]]:
    """Where a note says that something changed, in order.

    Args:
        folded_note: from :func:`brain.text.fold.fold`; only its first ``LONGEST`` characters.
    """
    head = folded_note[:LONGEST]
    return sorted((*_words(head), *_turns(head)))


def _words(head: str) -> list[tuple[int, int]]:
    """Where words of the list stand and say so."""
    return [(a, b) for a, b, sort in _cues().found(head) if _holds(head, a, b, sort)]


def _turns(head: str) -> list[tuple[int, int]]:
    """Where a turn of phrase says so: 不养了, 不是三斤七，是三公斤七. It holds what it is about."""
    return [
        match.span()
        for pattern in (_DENIED_BEHIND, _RATHER)
        for match in compiled(pattern).finditer(head)
    ]


def _holds(text: str, start: int, end: int, sort: str) -> bool:
    """Whether a cue says so where it stands: 别写错 warns, 退了三十盒 counts."""
    if sort == _NOW:
        return compiled(_DENIED).match(text, end) is not None
    if holds_any(
        text[max(0, start - _WARNED) : start], ("别", "省得", "免得", "差点", "半年", "以防")
    ):
        return False
    return sort != _OVER or text[end - 1] != "了" or compiled(_COUNTED).match(text, end) is None


def changed(folded_note: str) -> bool:
    """Whether a note says that something changed.

    Args:
        folded_note: from :func:`brain.text.fold.fold`.
    """
    return bool(cues(folded_note))


BESIDE = 0.5
"""What a clause's words count that stands beside one that says so."""

ELSEWHERE = 0.35
"""What the words of other clauses count."""

LONE = 0.5
"""What a lone character counts, 冰 in 冰的戒了: it stands in many other words."""

COMMON = 0.2
"""What a word counts that is said of anything."""

_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
"""Times are only taken out; which day they mean does not matter."""

_NUMBERED = "0123456789零一二两三四五六七八九十百千万半几"


def topic(folded_note: str) -> dict[str, float]:
    """The terms by which an older note of the same thing is found, with what each counts.

    Those of the clause that says what changed, and of its neighbours, count most; words of the
    change, times and amounts do not: they are what is new.

    Args:
        folded_note: as for :func:`cues`.

    Returns:
        Gram terms (``冰*`` for a lone character) → weight in (0, 1]; empty where nothing changed.
    """
    head = folded_note[:LONGEST]
    places = cues(head)
    if not places:
        return {}
    blank = [(one.begin, one.end) for one in find_intervals(head, _ANY_DAY)]
    body = head
    for start, end in (*_words(head), *blank):
        body = body[:start] + "\n" * (end - start) + body[end:]
    clauses = list(_clauses(head))
    says = [i for i, (a, b) in enumerate(clauses) if any(a <= start < b for start, _ in places)]
    out: dict[str, float] = {}
    held = [_terms(body[start:end]) for start, end in clauses]
    for i, terms in enumerate(held):
        weight = ELSEWHERE
        for place in says:
            if i == place:
                weight = 1.0
            elif abs(i - place) == 1:
                # 更正：启明检测是18.6万, 想通了，商演可以接: what it is about comes behind.
                alone = i > place and not held[place]
                weight = max(weight, 1.0 if alone else BESIDE)
        for term, counts in terms.items():
            out[term] = max(out.get(term, 0.0), weight * counts)
    return out


@cache
def _common() -> frozenset[str]:
    return frozenset(words("changes", "common"))


def _terms(text: str) -> dict[str, float]:
    """The terms of a clause, with what each says of what it is about."""
    return {
        term: LONE if term.endswith("*") else COMMON if term in _common() else 1.0
        for run in strong_runs(strip_function_words(text))
        for term in query_terms(run)
        if not _is_amount(term)
    }


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in compiled(r"[,。;:!?\n(){}《》]").finditer(text):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)


@cache
def _counted() -> frozenset[str]:
    """What follows a number in an amount: 三|年, 七|十; 三亚 is none."""
    counters = (*words("stop_words", "counters"), *words("stop_words", "asked_counters"))
    return frozenset((*_NUMBERED, *(c[0] for c in counters), *"块元斤两米克升寸度分成折周晚夜针"))


def _is_amount(term: str) -> bool:
    if term[0].isascii():
        return term[0] in _NUMBERED
    return term[0] in _NUMBERED and (term[1:] in ("", "*") or term[1] in _counted())
