"""JSON compressor: arrays keep the records that matter, and the result is JSON again.

Keys keep their order, numbers their digits, ``&<>`` and Chinese stand as they are. In an array
``"……"`` stands where records are missing and its last element is the summary; an object with very
many members gets a member ``"……"`` that holds it; a long string ends in its own mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from brain.compress import markers, passages, prose, records, relevance, salience
from brain.compress.budget import Cut, LeftOut, facts_room
from brain.compress.detect import load
from brain.text.tokens import estimate

SHORTEST_ARRAY = 4
"""Elements up to which an array is left whole."""

LONGEST_STRING = 400
"""Characters of a string that is left whole when no budget is given."""

_LADDER: tuple[tuple[int, int, tuple[int | None, ...]], ...] = (
    (400, 10_000, (None, 16, 12, 9, 7, 5, 4, 3)),
    (160, 60, (None, 9, 6, 4, 3, 2)),
    (80, 24, (5, 3, 2, 1)),
    (40, 10, (2, 1, 0)),
    (16, 4, (1, 0)),
    (8, 1, (0,)),
)
"""From generous to tight: characters of a string, members of an object, records of an array."""

_LEAST_PROSE = 80
_CLAUSE = 8
"""Characters of a long string that have to be there for it to answer."""

_FLAT_DEPTH = 2
_WORDLESS = re.compile(r"[A-Za-z0-9+/_=\-.]{64,}")


class Number(str):
    """A number as it was written: 1.10 and 1e5 stay so."""

    __slots__ = ()


class Members(list[tuple[str, Any]]):
    """The members of an object in their order, a repeated key kept."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Limits:
    string: int
    members: int
    elements: int | None
    facts: int


def parse(text: str) -> Any:
    """JSON as :class:`Members`, lists, strings, :class:`Number`, booleans and None.

    Raises:
        ValueError: when it is none.
    """
    return load(text, parse_float=Number, parse_int=Number, object_pairs_hook=Members)


def write(value: Any) -> str:
    """JSON without blanks."""
    if isinstance(value, Members):
        return "{" + ",".join(f"{_string(k)}:{write(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    if isinstance(value, Number):
        return str(value)
    return _string(value) if isinstance(value, str) else json.dumps(value)


def _string(text: str) -> str:
    # A lone surrogate has no bytes; escaped it has.
    whole = not any("\ud800" <= c <= "\udfff" for c in text)
    return json.dumps(text, ensure_ascii=not whole)


def flat(value: Any) -> dict[str, str]:
    """A value as a record: field names, nested ones with dots, and their values as text."""
    if isinstance(value, Members):
        return dict(_fields(value, "", 0))
    if isinstance(value, list):
        return {f"列{n}": _text(v) for n, v in enumerate(value[: records.MOST_FIELDS], start=1)}
    return {"值": _text(value)}


def _fields(members: Members, above: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, value in members:
        if isinstance(value, Members) and depth < _FLAT_DEPTH:
            yield from _fields(value, f"{above}{name}.", depth + 1)
        else:
            yield above + name, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    return write(value)


def cut(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts JSON; see the module. The mark of a fallback is JSON as well.

    Raises:
        ValueError: when the text is no JSON.
    """
    tree = parse(text)
    room = facts_room(budget)
    shrinking = _Shrinking(terms, handle, len(text))
    if budget is None:
        return shrinking.cut(tree, _Limits(LONGEST_STRING, 10_000, None, room))
    asked = _asked(tree, terms, budget // 2)
    for string, members, counts in _LADDER:
        bare: Cut | None = None
        for elements in counts:
            limits = _Limits(string, members, elements, 0)
            cut = shrinking.cut(tree, limits)
            if estimate(cut.text) > budget or not all(part in cut.text for part in asked):
                continue
            told = shrinking.cut(tree, replace(limits, facts=room))
            if estimate(told.text) <= budget:
                return told
            bare = bare or cut  # facts are worth a record or two, but not tighter strings
        if bare is not None:
            return bare
    mark = markers.summary(1, "项", (), handle)
    return Cut(write([mark]), (LeftOut("项", 1),), answers=not asked)


def _asked(tree: Any, terms: Sequence[str], room: int) -> tuple[str, ...]:
    """What of a tree answers, as it is written: of the object or element that has most to do with
    the question its members, those with the question's words first, as far as the room goes."""
    found = list(_leaves(tree, "")) if terms else []
    weights = relevance.term_weights([f"{name} {_said(own)}" for name, own in found], terms)
    best = max(range(len(found)), key=lambda p: (weights[p], -p), default=0)
    if not found or weights[best] <= 0:
        return ()
    own = found[best][1]
    weights = relevance.term_weights([_said([one]) for one in own], terms)
    parts: list[str] = []
    for place in sorted(range(len(own)), key=lambda p: (-weights[p], p)):
        name, value = own[place]
        part = f"{_string(name)}:{write(value)}" if name else write(value)
        cost = estimate(part)
        if cost > room and not parts and weights[place] > 0:
            # Of a long string the words of the question, wherever it is cut.
            text = _text(value)
            span = passages.window(text, (0, len(text)), terms, lambda a, b: b - a <= _CLAUSE)
            part = _string(text[slice(*span)])[1:-1]
            cost = estimate(part)
        if cost <= room:
            room -= cost
            parts.append(part)
    return tuple(parts)


def _said(members: Sequence[tuple[str, Any]]) -> str:
    return " ".join(f"{name} {_text(value)}" for name, value in members)


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Members]]:
    """Objects and elements of a tree with the name they stand under; arrays by themselves."""
    if isinstance(value, Members):
        own = Members((k, v) for k, v in value if not isinstance(v, list))
        if own:
            yield name, own
        for key, child in value:
            if isinstance(child, list):
                yield from _leaves(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child, name)
    else:
        yield name, Members([("", value)])


_Ranked = tuple[records.Ranking, list[dict[str, str]], salience.Named]


@dataclass(slots=True)
class _Shrinking:
    """One document being cut: rankings of its arrays are made once.

    ``length`` is the original's in characters, 0 where its blanks are of no concern.
    """

    terms: Sequence[str]
    handle: str
    length: int = 0
    ranked: dict[str, _Ranked] = field(default_factory=dict)
    members: dict[str, list[int]] = field(default_factory=dict)
    left: list[LeftOut] = field(default_factory=list)
    told: bool = False

    def cut(self, tree: Any, limits: _Limits) -> Cut:
        self.left, self.told = [], False
        small = self._small(tree, "", limits)
        if self.left and not self.told:
            small = _with_handle(small, self.handle)
        text = write(small)
        blanks = self.length - len(text)
        if not self.left and blanks > 0:
            mark = markers.summary(blanks, "个空白", (), self.handle)
            small.append((markers.GAP, mark) if isinstance(small, Members) else mark)
            self.left.append(LeftOut("个空白", blanks))
            text = write(small)
        return Cut(text, tuple(self.left))

    def _small(self, value: Any, where: str, limits: _Limits) -> Any:
        if isinstance(value, Members):
            return self._object(value, where, limits)
        if isinstance(value, list):
            return self._array(value, where, limits)
        if isinstance(value, str) and not isinstance(value, Number):
            return self._text(value, where, limits)
        return value

    def _object(self, value: Members, where: str, limits: _Limits) -> Members:
        count = len(value)
        if count <= limits.members + 1:
            kept = list(range(count))
        else:
            if where not in self.members:
                weights = relevance.term_weights([f"{k} {_text(v)}" for k, v in value], self.terms)
                self.members[where] = sorted(range(count), key=lambda p: (-weights[p], p))
            kept = sorted(self.members[where][: limits.members])
        out = Members(
            (name, self._small(child, f"{where}/{_escape(name)}", limits))
            for name, child in (value[p] for p in kept)
        )
        missing = tuple(sorted(set(range(count)) - set(kept)))
        if missing:
            out.append((markers.GAP, self._summary(missing, "项", where, ())))
        return out

    def _array(self, value: list[Any], where: str, limits: _Limits) -> list[Any]:
        count = len(value)
        most = limits.elements
        if count <= SHORTEST_ARRAY and (most is None or count <= most):
            return [self._small(v, f"{where}/{n}", limits) for n, v in enumerate(value)]
        ranking, rows, named = self._ranking(value, where)
        stay = ranking.natural if most is None else min(most, ranking.natural)
        kept = sorted(ranking.order[:stay])
        missing = tuple(sorted(set(range(count)) - set(kept)))
        if not missing:
            return [self._small(v, f"{where}/{n}", limits) for n, v in enumerate(value)]
        out: list[Any] = []
        before = -1
        for place in kept:
            if place != before + 1:
                out.append(markers.GAP)
            out.append(self._small(value[place], f"{where}/{place}", limits))
            before = place
        facts: tuple[str, ...] = ()
        if limits.facts and not markers.names_secret(where):
            said = records.facts([rows[p] for p in missing])
            said.append(named.fact(missing, limits.facts // 2))
            facts = markers.fitting_facts(said, limits.facts)
        end = markers.GAP if before != count - 1 else ""
        out.append(end + self._summary(missing, "条", where, facts))
        return out

    def _ranking(self, value: list[Any], where: str) -> _Ranked:
        if where not in self.ranked:
            rows = [flat(v) for v in value]
            texts = [_text(v) for v in value]
            own = [p for p, v in enumerate(value) if isinstance(v, str) and markers.is_mark(v)]
            ranking = records.rank(rows, texts, self.terms, own)
            self.ranked[where] = ranking, rows, salience.Named(texts)
        return self.ranked[where]

    def _summary(
        self, missing: tuple[int, ...], unit: str, where: str, facts: tuple[str, ...]
    ) -> str:
        self.told = True
        self.left.append(LeftOut(unit, len(missing), where, missing, facts))
        return markers.summary(len(missing), unit, facts, self.handle)

    def _text(self, value: str, where: str, limits: _Limits) -> str:
        if len(value) <= limits.string + 20 or markers.is_mark(value):
            return value
        wordless = _WORDLESS.search(value) or markers.names_secret(where)
        if limits.string >= _LEAST_PROSE and not wordless:
            small = prose.cut(value, self.terms, limits.string, self.handle)
            if small.left_out and len(small.text) < len(value):
                self.told = True
                self.left += [
                    LeftOut(one.unit, one.count, where, one.places, one.facts)
                    for one in small.left_out
                ]
                return small.text
        start, stop = passages.window(
            value, (0, len(value)), self.terms, lambda a, b: b - a <= limits.string
        )
        self.left.append(LeftOut("字", len(value) - (stop - start), where))
        return markers.clipped(value, (start, stop))


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _with_handle(value: Any, handle: str) -> Any:
    """The same with the handle added to the first mark of a string that was cut."""
    done = False

    def walk(one: Any) -> Any:
        nonlocal done
        if done:
            return one
        if isinstance(one, Members):
            return Members([(k, walk(v)) for k, v in one])
        if isinstance(one, list):
            return [walk(v) for v in one]
        if isinstance(one, str) and not isinstance(one, Number) and one.endswith("字）"):
            done = True
            return f"{one[:-1]}；全文：<<ccr:{handle}>>）"
        return one

    return walk(value)


def squeeze(value: Any, terms: Sequence[str], limit: int, handle: str) -> str:
    """One record on one line, with its strings and arrays cut to about ``limit`` characters."""
    return _Shrinking(terms, handle).cut(value, _Limits(limit, 24, 3, 0)).text
