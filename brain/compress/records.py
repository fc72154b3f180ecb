"""Record ranking: which of an array or table tell the most, and true facts about those left out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from brain.compress import markers, relevance
from brain.compress.salience import usual_range

HEAD, TAIL = 2, 1
FIRST = 3
"""So many matches, errors and odd records come before further matches: a word that many records
hold must not crowd out the one that failed."""

MOST_MATCHES = 12
MOST_ERRORS = 8
MOST_ODD = 6
MOST_EXTREME_FIELDS = 4
MOST_FIELDS = 24
"""Fields that facts are sought for, from the first."""

SHARE_OF_BEST = 0.5
"""A record with at least this share of the best one's weight matches the query."""

MINORITY = 0.3
"""Records with an error are told apart only where they are at most this share."""

RARE = 0.02
"""A value is odd that at most this share of the records have, or one of them."""

USUAL = 0.6
MOST_VALUES = 5
"""Different values of a field that are still counted one by one."""

_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LONGEST_NUMBER = 15
_MOMENT = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_ERROR_VALUE = re.compile(
    r"(?:error|err|fail(?:ed|ure)?|fatal|critical|crit|severe|exception|time(?:d[-_ ]?)?out"
    r"|denied|panic"
    r"|rejected|aborted|crashed)\Z|失败|错误|异常|超时|拒绝|故障|崩溃",
    re.IGNORECASE,
)
_ERROR_FIELD = re.compile(
    r"(?:^|[._-])(?:error|err|exception|failure|errmsg|error_?message)\Z|错误|异常原因|失败原因",
    re.I,
)
_STATUS_FIELD = re.compile(r"(?:^|[._-])(?:status|code|status_?code|http_?status)\Z|状态码", re.I)
_GOOD_FIELD = re.compile(
    r"(?:^|[._-])(?:ok|success|succeeded|passed|healthy)\Z|是否成功|成功", re.I
)
_NAME = re.compile("[A-Za-z_.\u4e00-\u9fff-]+")
_NOTHING = frozenset({"", "null", "none", "nil", "0", "-", "无", "false", "ok", "[]", "{}", "n/a"})
_LONGEST_VALUE = 80


@dataclass(frozen=True, slots=True)
class Ranking:
    """Places of records, the most telling first; the first ``natural`` of them say most.

    Args:
        asked: the record that has most to do with the question; None where none has.
    """

    order: tuple[int, ...]
    natural: int
    asked: int | None = None


Record = Mapping[str, str]
"""Field names and the text of their values; nested ones as ``a.b``."""


def number(text: str) -> float | None:
    """The value of a text that is a number and nothing else; None otherwise."""
    text = text.strip()
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", ""))
    return value if math.isfinite(value) else None


def rank(
    records: Sequence[Record],
    texts: Sequence[str],
    terms: Sequence[str],
    kept: Sequence[int] = (),
    *,
    extremes: bool = False,
) -> Ranking:
    """Ranks records: asked for, errors, odd ones, the largest and smallest, head and tail.

    Args:
        texts: each record as text, for the query's terms.
        kept: places that stay in any case.
        extremes: whether the records with a column's least and greatest number stay.
    """
    count = len(records)
    weights = relevance.term_weights(texts, terms)
    best = max(weights, default=0.0)
    matching: list[int] = []
    if best >= math.log(2):
        by_weight = sorted(range(count), key=lambda p: (-weights[p], p))
        matching = [p for p in by_weight if weights[p] >= SHARE_OF_BEST * best][:MOST_MATCHES]
    wrong = [p for p, record in enumerate(records) if is_error(record)]
    if len(wrong) > max(1, MINORITY * count):
        wrong = []
    columns = _columns(records)
    ends = [*range(min(HEAD, count)), *range(max(0, count - TAIL), count)]
    odd = _odd(records, columns)
    first = [
        *kept,
        *matching[:FIRST],
        *wrong[:FIRST],
        *odd[:FIRST],
        *matching,
        *wrong[:MOST_ERRORS],
    ]
    first += odd
    if extremes:
        first += _extremes(columns)
    natural = list(dict.fromkeys([*first, *ends]))
    asked = matching[0] if matching else None
    return Ranking(tuple(dict.fromkeys([*natural, *range(count)])), len(natural), asked)


def is_error(record: Record) -> bool:
    """Whether a record tells of something that went wrong."""
    for name, value in record.items():
        short = value.strip()[:_LONGEST_VALUE]
        if _ERROR_VALUE.search(short):
            return True
        if _ERROR_FIELD.search(name) and short.lower() not in _NOTHING:
            return True
        if _STATUS_FIELD.search(name) and re.fullmatch(r"5\d\d", short):
            return True
        if _GOOD_FIELD.search(name) and short.lower() in {"false", "否", "no"}:
            return True
    return False


def _columns(records: Sequence[Record]) -> dict[str, list[tuple[int, str]]]:
    columns: dict[str, list[tuple[int, str]]] = {}
    for place, record in enumerate(records):
        for name, value in record.items():
            if name in columns or len(columns) < MOST_FIELDS:
                columns.setdefault(name, []).append((place, value))
    return columns


def _odd(records: Sequence[Record], columns: Mapping[str, list[tuple[int, str]]]) -> list[int]:
    """Records that have a number far off, a value nearly none has, or a field nearly none has."""
    count = len(records)
    few = max(1, int(RARE * count))
    found: Counter[int] = Counter()
    if count < 5:
        return []
    for cells in columns.values():
        if len(cells) <= few and count >= 10:
            found.update(place for place, _ in cells)
            continue
        numbers = [(p, n) for p, value in cells if (n := number(value)) is not None]
        if len(numbers) == len(cells):
            low, high = usual_range([n for _, n in numbers])
            found.update(p for p, n in numbers if not low <= n <= high)
            continue
        spread = Counter(value for _, value in cells)
        if count >= 10 and spread.most_common(1)[0][1] >= USUAL * len(cells):
            found.update(p for p, value in cells if spread[value] <= few)
    ranked = sorted(found, key=lambda p: (-found[p], p))
    return ranked[:MOST_ODD]


def _extremes(columns: Mapping[str, list[tuple[int, str]]]) -> list[int]:
    places: list[int] = []
    used = 0
    for cells in columns.values():
        numbers = [(n, -p) for p, value in cells if (n := number(value)) is not None]
        if len(numbers) < max(2, len(cells) * USUAL) or used == MOST_EXTREME_FIELDS:
            continue
        if len({n for n, _ in numbers}) == 1 or _counts_up([n for n, _ in numbers]):
            continue
        used += 1
        places += [-max(numbers)[1], -min(numbers, key=lambda one: (one[0], -one[1]))[1]]
    return places


def _counts_up(values: Sequence[float]) -> bool:
    """Whether a column only counts the rows: its ends are head and tail."""
    steps = {round(b - a, 9) for a, b in pairwise(values)}
    return len(steps) == 1


def facts(records: Sequence[Record]) -> list[str]:
    """True statements about every one of some records, the most telling first.

    A field is stated only when every record has it: counts of its values where they are few,
    else the least and the greatest of its numbers or times, else its one value. A field that may
    be a secret, by name or by any of its values, is never mentioned.
    """
    if not records:
        return []
    if any(_names_secret(value) for record in records for value in record.values()):
        return []  # 名称,值 in two columns: the secret's name is a value itself
    counted: list[str] = []
    ranges: list[str] = []
    constant: list[str] = []
    for name, cells in _columns(records).items():
        values = [value for _, value in cells]
        if len(values) != len(records) or not markers.quotable(name) or _secret(name, values):
            continue
        spread = Counter(values)
        if len(spread) == 1 and len(values) > 1:
            constant += [f"{name} 都是 {value}" for value in spread if markers.quotable(value)]
        elif len(spread) <= MOST_VALUES and len(spread) * 2 <= len(values):
            if all(markers.quotable(value) for value in spread):
                listed = "、".join(
                    f"{value} {n}"
                    for value, n in sorted(spread.items(), key=lambda x: (-x[1], x[0]))
                )
                counted.append(f"{name}：{listed}")
        else:
            ranges += _range(name, values)
    return [*counted, *ranges, *constant]


def _range(name: str, values: Sequence[str]) -> Iterator[str]:
    numbers = [(n, value) for value in values if (n := number(value)) is not None]
    if len(numbers) == len(values):
        least, most = min(numbers), max(numbers)
        yield f"{name} {least[1].strip()}～{most[1].strip()}"
    elif all(_MOMENT.fullmatch(value) for value in values) and len({len(v) for v in values}) == 1:
        yield f"{name} {min(values)}～{max(values)}"


def _names_secret(value: str) -> bool:
    return (
        len(value) <= markers.LONGEST_QUOTE
        and bool(_NAME.fullmatch(value))
        and markers.names_secret(value)
    )


def _secret(name: str, values: Sequence[str]) -> bool:
    return markers.names_secret(name) or any(markers.looks_secret(value) for value in set(values))
