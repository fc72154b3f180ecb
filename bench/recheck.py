"""Deriving every fact of a mark again, from the original alone and by other code than wrote it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from brain.compress.budget import Compressed, LeftOut
from brain.compress.salience import KINDS
from brain.text.fold import fold
from brain.text.sentences import sentences

_MARK = re.compile(r"（略 (\d+) ([^\s：，；]+)(?:[：，](.*?))?；全文：<<ccr:(ccr_[0-9a-f]{32})>>）")


def marks(text: str) -> list[tuple[int, str, list[str], str]]:
    """Count, unit, facts and handle of every summary in a compressed text."""
    return [(int(m[1]), m[2], m[3].split("；") if m[3] else [], m[4]) for m in _MARK.finditer(text)]


def wrong(done: Compressed, original: str) -> list[str]:
    """What a compressed text states that does not follow from its original; empty when all does."""
    found: list[str] = []
    told = marks(done.text)
    for one in done.left_out:
        if one.unit in {"字", "处控制码", "处", "个空白"}:
            continue
        if not any(
            (count, unit, tuple(facts)) == (one.count, one.unit, one.facts)
            for count, unit, facts, _ in told
        ):
            found.append(f"no mark says {one}")
        if one.places and len(one.places) != one.count:
            found.append(f"{one.count} counted, {len(one.places)} placed")
        if one.unit in {"条", "行"} and done.compressor in {"json", "ndjson", "csv", "table"}:
            rows = _missing(done.compressor, original, one)
            if len(rows) != one.count:
                found.append(f"{one.count} counted, {len(rows)} missing")
            found += [fact for fact in one.facts if not _holds(fact, rows)]
        elif one.unit == "句" and not re.search(r"```|~~~|（略 |（节选|（只到", original):
            units = [fold(original[a:b]) for a, b in sentences(original)]
            found += [
                x for x in one.facts if not _holds_in_prose(x, [units[p] for p in one.places])
            ]
        elif one.unit == "小句":
            found += _clauses_wrong(one, done, original)
        elif one.unit == "条" and done.compressor == "log":
            found += [fact for fact in one.facts if not _holds_in_log(fact, original, one)]
    return found


def _clauses_wrong(one: LeftOut, done: Compressed, original: str) -> list[str]:
    """Clauses are counted as those of the original less those shown; one cut in two is in both.

    In JSON they are those of one string.
    """
    whole, shown = original, [done.text]
    if done.compressor == "json":
        whole = _at(original, one.where)
        said = (one.count, one.unit, list(one.facts))
        strings = _strings(json.loads(done.text))
        shown = [text for text in strings if said in [mark[:3] for mark in marks(text)]]
    wrong: list[str] = []
    for text in shown:
        body = _MARK.sub("", text)
        left = _count_clauses(whole) - _count_clauses(body)
        if abs(left - one.count) <= body.count("……") + 1:
            return []
        wrong.append(f"{one.count} counted, {left} missing")
    return wrong


def _strings(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [text for child in value for text in _strings(child)]
    return [value] if isinstance(value, str) else []


def _at(original: str, where: str) -> Any:
    """What a JSON text holds at a pointer."""
    value = json.loads(original, parse_float=_Literal, parse_int=_Literal)
    for part in where.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def _count_clauses(text: str) -> int:
    return sum(bool(re.search(r"\w", x)) for x in re.split(r"[，,；;。！？!?：:…\n]+", text))


def _missing(compressor: str, original: str, one: LeftOut) -> list[dict[str, str]]:
    if compressor == "json":
        value = _at(original, one.where)
        return [_flat(value[place]) for place in one.places]
    if compressor == "ndjson":
        lines = [line for line in re.split("\r\n|\n|\r", original) if line.strip()]
        return [
            _flat(json.loads(lines[p], parse_float=_Literal, parse_int=_Literal))
            for p in one.places
        ]
    if compressor == "csv":
        mark = max("\t,;", key=original.split("\n")[0].count)
        rows = [row for row in csv.reader(io.StringIO(original, newline=""), delimiter=mark) if row]
    else:
        lines = [line for line in re.split("\r\n|\n|\r", original) if line.strip()]
        rule = next(n for n, line in enumerate(lines) if re.fullmatch(r"[\s|:-]+", line))
        cells = [[c.strip() for c in line.strip().strip("|").split("|")] for line in lines]
        rows = [cells[rule - 1], *cells[rule + 1 :]]
    return [dict(zip(rows[0], rows[1 + place], strict=False)) for place in one.places]


class _Literal(str):
    __slots__ = ()


def _flat(value: Any, above: str = "", depth: int = 0) -> dict[str, str]:
    if isinstance(value, list):
        return {f"列{n}": _written(one) for n, one in enumerate(value[:24], start=1)}
    if not isinstance(value, Mapping):
        return {"值": _written(value)}
    out: dict[str, str] = {}
    for name, child in value.items():
        if isinstance(child, Mapping) and depth < 2:
            out |= _flat(child, f"{above}{name}.", depth + 1)
        else:
            out[above + name] = _written(child)
    return out


def _written(value: Any) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _holds(fact: str, rows: Sequence[Mapping[str, str]]) -> bool:
    if fact.startswith("提到"):
        return _named(fact, [" ".join(f"{k} {v}" for k, v in row.items()) for row in rows])
    if found := re.fullmatch(r"(.+?) 都是 (.+)", fact):
        return {row.get(found[1]) for row in rows} == {found[2]}
    if found := re.fullmatch(r"(.+?)：(.+)", fact):
        counted = Counter(row.get(found[1], "") for row in rows)
        return counted == _counts(found[2])
    if found := re.fullmatch(r"(.+?) (\S+(?: \S+)?)～(\S+(?: \S+)?)", fact):
        values = [row.get(found[1], "") for row in rows]
        return _spans(values, found[2], found[3])
    return False


def _counts(listed: str) -> Counter[str]:
    pairs = (one.rsplit(" ", 1) for one in listed.split("、"))
    return Counter({name: int(n) for name, n in pairs})


def _spans(values: Sequence[str], least: str, most: str) -> bool:
    try:
        numbers = [float(v.replace(",", "")) for v in values]
    except ValueError:
        return (min(values), max(values)) == (least, most)
    ends = (float(least.replace(",", "")), float(most.replace(",", "")))
    return (min(numbers), max(numbers)) == ends


def _holds_in_prose(fact: str, missing: Sequence[str]) -> bool:
    if fact.startswith("提到"):
        return _named(fact, missing)
    counts = Counter({kind: int(n) for n, kind in re.findall(r"(\d+) 句有(\w\w)", fact)})
    again = {k: sum(bool(p.search(unit)) for unit in missing) for k, p in KINDS.items()}
    return counts == Counter({kind: n for kind, n in again.items() if n})


def _named(fact: str, missing: Sequence[str]) -> bool:
    words = re.findall(r"「(.+?)」", fact)
    return bool(words) and all(any(word in fold(unit) for unit in missing) for word in words)


def _holds_in_log(fact: str, original: str, one: LeftOut) -> bool:
    entries = _entries(original)
    missing = [entries[place] for place in one.places]
    if fact.startswith("提到"):
        return _named(fact, missing)
    if fact.startswith("级别："):
        levels = Counter(m[0].strip("【】[]").upper() for e in missing if (m := _LEVEL.search(e)))
        return levels == _counts(fact[3:])
    if found := re.fullmatch(r"时间 (.+)～(.+)", fact):
        moments = [m[0] for e in missing if (m := re.search(r"(?:\S+ )?\d\d:\d\d:\d\d", e))]
        moments = [m.strip("[]【】") for m in moments]
        return (min(moments), max(moments)) == (found[1], found[2])
    if found := re.fullmatch(r"报错 (\d+) 条", fact):
        return int(found[1]) <= one.count
    if found := re.fullmatch(r"重复 (.+) (\d+) 次", fact):
        return sum(_words(found[1]) in _words(e) for e in missing) >= int(found[2])
    return False


_LEVEL = re.compile(r"\b(?:DEBUG|INFO|WARN|ERROR)\b|[【\[](?:信息|警告|错误|调试)[】\]]")


def _entries(original: str) -> list[str]:
    """The generated logs' entries: each begins with a time or a bracket, the rest is indented."""
    entries: list[str] = []
    for line in re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", original).split("\n"):
        shown = [state for state in line.split("\r") if state.strip()]
        if not shown:
            continue
        if entries and re.match(r"\s|Traceback|Caused by|[\w.]*(?:Error|Exception): ", shown[-1]):
            entries[-1] += "\n" + shown[-1]
        else:
            entries.append(shown[-1])
    return entries


def _words(text: str) -> str:
    return "".join(re.findall(r"[A-Za-z\u4e00-\u9fff]", text))
