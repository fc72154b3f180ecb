"""Log compressor, for NDJSON and terminal output too: errors with their surroundings, and repeats
counted.

Terminal control sequences go, of a line that was overwritten (``\\r``) the last state stays. A
stack trace belongs to the line above it. Lines that differ only in numbers, times and identifiers
are repeats: one stays and the summary says how many more there were.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from brain.compress import detect, json_tree, markers, passages, records, relevance, salience
from brain.compress.budget import Cut, LeftOut, fit
from brain.compress.detect import ESCAPES, LEVELS
from brain.text.tokens import estimate

MOST_MATCHES = 12
MOST_ERRORS = 24
FIRST = 4
"""So many matches and errors come before further ones."""

SHARE_OF_BEST = 0.5
MINORITY = 0.3
"""Errors are told apart by what they say, not by being errors, where they are more than this."""

LONGEST_LINE = 240
"""Tokens of a line that stays whole when no budget is given."""

RARE = 1
_LABEL = 32
_SHORT_TRACE = 8
"""Lines of an entry of which all stay, the long ones cut."""

_MARK = 45
"""Tokens of the mark behind an entry that is all there is."""

_TRACE_MARK = 9
"""Tokens set aside for a mark inside a trace."""


_ERROR = re.compile(
    r"\b(?:ERROR|ERR|FATAL|CRIT|CRITICAL|SEVERE|PANIC|FAILED|FAILURE|Traceback)\b|\b(?:error|failed|failure|fatal"
    r"|panic|exception|timed out|timeout|refused|denied|unreachable|segfault|killed|OOM)\b"
    r"|[A-Z]\w+(?:Error|Exception)\b"
    r"|失败|错误|异常|超时|拒绝|崩溃|宕机|致命|故障|丢失|中断|告警",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\b0 (?:errors?|failed|failures)|(?:errors?|failed|失败|错误|异常)\s*[:：=]?\s*0\b"
    r"|无异常|没有(?:错误|异常)|未(?:见|发现)异常"
    r"|\b(?:INFO|DEBUG|TRACE)\b(?!.*(?:exception|traceback))|【(?:信息|调试)】",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\bWARN(?:ING)?\b|警告|【警", re.IGNORECASE)
_LEVEL = re.compile(
    rf"\b(?:{LEVELS})\b|[【\[](?:错误|警告|信息|调试|致命|异常|严重)[】\]]", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"\s+\S|Traceback \(most recent|Caused by:|\.\.\. \d+ more|[\w.]+(?:Error|Exception)(?:: "
    r"|$)|\}|\)|\]"
)
_CAUSE = re.compile(r"Caused by:|Traceback \(most recent|[\w.]+(?:Error|Exception)\b|panic:")
_PYTHON_TRACE = re.compile(r"[\s|+]*(?:Exception Group )?Traceback \(most recent call last\)")
_MOMENT = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|(?<!\d)\d\d:\d\d:\d\d(?!\d)")
_VARIABLE = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\b0x[0-9a-fA-F]+\b|(?=[0-9a-fA-F]*\d)\b[0-9a-fA-F]{7,}\b"
    r"|\d+(?:[.:,/_-]\d+)*"
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A log entry: its lines, and whether it tells of an error or a warning."""

    text: str
    label: str
    error: bool
    warning: bool
    level: str
    moment: str


def clean(text: str) -> tuple[str, int]:
    """A text without control sequences and overwritten states, and how many of them went."""
    plain, count = ESCAPES.subn("", text)
    lines = []
    for line in plain.replace("\r\n", "\n").split("\n"):
        states = [state for state in line.split("\r") if state.strip()]
        count += max(0, len(states) - 1)
        lines.append(states[-1] if states else "")
    return "\n".join(lines), count


def cut(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts a log or terminal output; see the module."""
    plain, codes = clean(text)
    entries = [_entry(piece) for piece in _pieces(plain)]
    most = LONGEST_LINE if budget is None else max(24, budget // 2)
    if budget is not None and len(entries) == 1:
        most = max(most, budget - _MARK)
    order, asked = _order(entries, relevance.term_weights([one.text for one in entries], terms))

    named = salience.Named([one.text for one in entries])

    def facts(missing: Sequence[int], room: int) -> list[str]:
        return [*_facts([entries[p] for p in missing]), named.fact(missing, room // 2)]

    @cache
    def shown(place: int) -> str:
        return _shortened(entries[place].text, terms, most)

    return _fitted(len(entries), shown, order, facts, str, budget, handle, codes, asked)


def cut_lines(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts NDJSON: the lines are records, and every line of the result is JSON."""
    lines = [line.strip() for line in detect.split(text) if line.strip()]
    parsed = [_parsed(line) for line in lines]
    rows = [json_tree.flat(value) for value in parsed]
    most = LONGEST_LINE if budget is None else max(24, budget // 2)
    own = [p for p, line in enumerate(lines) if line.startswith('"') and markers.is_mark(line)]
    ranking = records.rank(rows, lines, terms, own)

    named = salience.Named(lines)

    def facts(missing: Sequence[int], room: int) -> list[str]:
        return [*records.facts([rows[p] for p in missing]), named.fact(missing, room // 2)]

    @cache
    def shown(place: int) -> str:
        line, value = lines[place], parsed[place]
        if value is None or estimate(line) <= most:
            return line
        return json_tree.squeeze(value, terms, most // 3, handle)

    def quoted(told: str) -> str:
        return json.dumps(told, ensure_ascii=False)

    order = ranking.order[: ranking.natural]
    return _fitted(len(lines), shown, order, facts, quoted, budget, handle, 0, ranking.asked)


def _parsed(line: str) -> json_tree.Members | None:
    try:
        value = json_tree.parse(line)
    except ValueError:
        return None
    return value if isinstance(value, json_tree.Members) else None


def _pieces(plain: str) -> list[str]:
    """Entries: a line with what goes on below it, such as a stack trace."""
    pieces: list[list[str]] = []
    for line in plain.split("\n"):
        if not line.strip():
            continue
        if pieces and _GOES_ON.match(line) and not _LEVEL.match(line.strip()):
            pieces[-1].append(line)
        else:
            pieces.append([line])
    return ["\n".join(lines) for lines in pieces]


def _entry(piece: str) -> _Entry:
    first = piece.split("\n", 1)[0]
    error = bool(_ERROR.search(piece)) and not _NO_ERROR.search(first)
    level, moment = _LEVEL.search(piece), _MOMENT.search(first)
    return _Entry(
        piece,
        _VARIABLE.sub("#", first).strip(),
        error,
        bool(_WARNING.search(first)),
        level.group().strip("【】[]").upper() if level else "",
        moment.group() if moment else "",
    )


def _order(entries: Sequence[_Entry], weights: Sequence[float]) -> tuple[list[int], int | None]:
    """What stays: matches, errors and beside them, single lines, the ends, one of each repeat; and
    which of them is asked for."""
    count = len(entries)
    best = max(weights, default=0.0)
    matching: list[int] = []
    if best >= math.log(2):
        by_weight = sorted(range(count), key=lambda p: (-weights[p], p))
        matching = [p for p in by_weight if weights[p] >= SHARE_OF_BEST * best][:MOST_MATCHES]
    kept_marks = [p for p, one in enumerate(entries) if markers.is_mark(one.text)]
    first: dict[str, int] = {}
    for place, one in enumerate(entries):
        first.setdefault(one.label, place)
    wrong = [p for p, one in enumerate(entries) if one.error]
    once = [p for p in wrong if first[entries[p].label] == p]
    last = wrong[-1:]
    again = [p for p in wrong if p not in set(once)] if len(wrong) <= MINORITY * count else []
    near = [q for p in once[:4] for q in (p - 1, p + 1) if 0 <= q < count]
    warnings = [p for p, one in enumerate(entries) if one.warning and first[one.label] == p]
    spread = Counter(one.label for one in entries)
    single = [p for p, one in enumerate(entries) if spread[one.label] <= RARE]
    if len(single) > count // 4:
        single = []
    each = sorted(first.values())
    few = each if len(each) <= max(8, count // 10) else []
    wrongs = [*once, *last, *again][:MOST_ERRORS]
    ends = [0, count - 1]
    order = [
        *kept_marks,
        *matching[:FIRST],
        *wrongs[:FIRST],
        *matching,
        *wrongs,
        *near,
        *warnings[:8],
        *single,
        *ends,
        *few,
    ]
    return list(dict.fromkeys(order)), matching[0] if matching else None


def _shortened(piece: str, terms: Sequence[str], most: int) -> str:
    """A piece within ``most`` tokens: of a long trace what tells most, of a long line what is
    asked."""
    if estimate(piece) <= most or markers.holds_summary(piece):
        return piece
    lines = piece.split("\n")
    if len(lines) > _SHORT_TRACE:
        lines = _trace(lines, relevance.term_weights(lines, terms), most)
    costs = sorted(estimate(line) for line in lines)
    share, left = most, most
    for place, cost in enumerate(costs):
        # What short lines do not use is for the long ones.
        share = max(8, left // (len(costs) - place))
        if cost > share:
            break
        left -= cost
    return "\n".join(_clipped(line, terms, share) for line in lines)


def _clipped(line: str, terms: Sequence[str], most: int) -> str:
    """A line within about ``most`` tokens, around what is asked."""
    span = passages.window(line, (0, len(line)), terms, lambda a, b: estimate(line[a:b]) <= most)
    return markers.clipped(line, span)


def _trace(lines: Sequence[str], weights: Sequence[float], most: int) -> list[str]:
    """The lines of a stack trace that fit: what is asked, the message and the causes, then frames
    from the innermost outwards.

    Python's innermost frame stands last and others' first, so that the message is beside it.
    """
    count = len(lines)
    best = max(range(count), key=lambda p: (weights[p], -p))
    causes = [p for p, line in enumerate(lines) if _CAUSE.match(line)]
    last_first = any(_PYTHON_TRACE.match(line) for line in lines)
    inner = range(count - 1, 0, -1) if last_first else range(1, count)
    asked = [best] if weights[best] > 0 else []
    ends = [count - 1, 0] if last_first else [0, count - 1]
    order = [*asked, *ends, *causes[-3:], *inner]
    kept: set[int] = set()
    room = most
    for place in dict.fromkeys(order):
        cost = min(estimate(lines[place]) + 1, most // 3)
        gaps = sum(b > a + 1 for a, b in pairwise([-1, *sorted({*kept, place}), count]))
        if cost + gaps * _TRACE_MARK > room and len(kept) > 1:
            break
        room -= cost
        kept.add(place)
    out: list[str] = []
    before = -1
    for place in [*sorted(kept), count]:
        if place != before + 1:
            out.append(markers.inline_mark(place - before - 1, "行"))
        out += lines[place : place + 1]
        before = place
    return out


def _facts(missing: Sequence[_Entry]) -> list[str]:
    """Levels and times of the missing entries, and the commonest repeats among them."""
    facts = []
    levels = Counter(one.level for one in missing if one.level)
    if levels:
        ranked = sorted(levels.items(), key=lambda x: (-x[1], x[0]))
        facts.append("级别：" + "、".join(f"{name} {n}" for name, n in ranked))
    wrong = sum(one.error for one in missing)
    if wrong:
        facts.append(f"报错 {wrong} 条")
    moments = [one.moment for one in missing if one.moment]
    if len(moments) == len(missing) > 1 and len({len(m) for m in moments}) == 1:
        facts.append(f"时间 {min(moments)}～{max(moments)}")
    labels = Counter(one.label for one in missing)
    first = {one.label: one for one in reversed(missing)}
    repeats: Counter[str] = Counter()
    for label, n in labels.items():
        # All entries of one label have the same words, so the first speaks for them.
        name = "" if markers.mentions_secret(first[label].text) else _name(label)
        if name:
            repeats[name] += n
    facts += [f"重复 {name} {n} 次" for name, n in repeats.most_common(3) if n > 2]
    return facts


def _name(label: str) -> str:
    """What a repeat is called in a mark: the words of its line, without time and level."""
    words = _LEVEL.sub("", label).replace("#", " ").strip(" -:：[]【】|.TZ/,")
    words = (
        re.sub(r"[\s\[\]【】|\"'：:、，,；;（）()<>～`\\]+", " ", words).strip()[:_LABEL].strip()
    )
    words = words[: markers.LONGEST_QUOTE].strip()
    return words if markers.quotable(words) else ""


def _fitted(
    count: int,
    shown: Callable[[int], str],
    order: Sequence[int],
    facts: Callable[[Sequence[int], int], list[str]],
    quoted: Callable[[str], str],
    budget: int | None,
    handle: str,
    codes: int,
    asked: int | None,
) -> Cut:
    def render(kept: Collection[int], room: int) -> Cut:
        missing = tuple(p for p in range(count) if p not in kept)
        out: list[str] = []
        before = -1
        for place in sorted(kept):
            if place != before + 1:
                out.append(quoted(markers.GAP))
            out.append(shown(place))
            before = place
        told = markers.fitting_facts(facts(missing, room), room) if room and missing else ()
        gone = [LeftOut("条", len(missing), "", missing, told)] if missing else []
        if codes:
            gone.append(LeftOut("处控制码", codes))
        inside = any(shown(p).find(markers.GAP + "（略 ") >= 0 for p in kept)
        if gone or inside:
            first = gone[0] if gone else LeftOut("处", sum(markers.GAP in shown(p) for p in kept))
            end = markers.summary(first.count, first.unit, first.facts, handle)
            out.append(quoted((markers.GAP if before != count - 1 else "") + end))
            gone = gone or [first]
        return Cut("\n".join(out) + "\n", tuple(gone))

    def cost(place: int) -> int:
        return estimate(shown(place)) + 1

    return fit(order, cost, render, budget, asked=asked)
