"""Words beside names: ``python -m bench.name_words`` writes ``brain/text/data/name_words.txt``.

From jieba's dictionary: how far a character speaks for a given name and against running text, and
which ordinary words a surname's character begins, ends, or a given name runs into. So the program
tells 周敏 from 周末 without the dictionary.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from brain.text import lists
from brain.text.fold import fold
from brain.text.tokenize import is_han

OUT = Path(lists.__file__).parent / "data" / "name_words.txt"

HEAD = """\
# Words beside names, from jieba's dictionary. Made by bench/name_words.py; read by
# brain.text.names.
# surname, first, last: characters of names by place, with their log odds against running text,
# those that speak most for a name first.
# common: the same for characters that stand in no name.
# after, before: what makes an ordinary word behind or before the character at the head of the line.
# long: the first three characters of longer words.
# begins: as after, for characters of given names and of titles.
"""

NAMES = 60_000
"""Names in the dictionary, about: of a character that stands in none."""

ENOUGH = 3
"""In how many names a character must stand to be known from them."""

AFTER_OFTEN, BEFORE_OFTEN, BEGINS_OFTEN = 5, 20, 200
"""How often a word must be counted in jieba's corpus to be listed."""


def _entries() -> list[tuple[str, int, str]]:
    spec = find_spec("jieba")
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).with_name("dict.txt").read_text(encoding="utf-8")
    rows = (line.split(" ") for line in text.splitlines())
    return [(fold(word), int(often), tag) for word, often, tag in rows]


def _log_odds(found: Counter[str], text: Counter[str]) -> dict[str, float]:
    """Of each character: log of its share in names over that in text, by add-half."""
    total, all_text = found.total() or NAMES, text.total()
    return {
        c: math.log((found[c] + 0.5) / total) - math.log((often + 20) / all_text)
        for c, often in ((c, text[c]) for c in text | found)
    }


def _levels(odds: Mapping[str, float], kept: Callable[[str], bool]) -> list[str]:
    """``LEVEL CHARACTERS``, the highest first."""
    by_level = defaultdict(list)
    for c in filter(kept, odds):
        by_level[min(5, max(-3, math.floor(odds[c] + 0.5)))].append(c)
    return [f"{k} {''.join(sorted(by_level[k]))}" for k in sorted(by_level, reverse=True)]


def _grouped(pairs: Mapping[str, set[str]]) -> list[str]:
    return [f"{c} {''.join(sorted(others))}" for c, others in sorted(pairs.items()) if others]


def _modern(odds: Mapping[str, float], given: frozenset[str]) -> dict[str, float]:
    return {c: max(value, 1.0) if c in given else value for c, value in odds.items()}


def main() -> None:
    given = frozenset(lists.words("names", "given"))
    surnames = {*lists.words("names", "surnames")}
    prefixes = {*lists.words("names", "prefixes")}
    titles = {title[0] for title in " ".join(lists.lines("names")["titles"]).split()}
    entries = _entries()
    text: Counter[str] = Counter()
    # Behind a surname's character that is no name another word begins.
    opening: Counter[str] = Counter()
    first: Counter[str] = Counter()
    last: Counter[str] = Counter()
    ordinary = {*lists.words("names", "words")}
    long: set[str] = set()
    surname: Counter[str] = Counter()
    after: defaultdict[str, set[str]] = defaultdict(set)
    before: defaultdict[str, set[str]] = defaultdict(set)
    words: list[tuple[str, int]] = []
    for word, often, tag in entries:
        if tag.startswith("nr"):
            if word in ordinary:
                after[word[0]].add(word[1])
            elif len(word) == 3 and word[0] in surnames and tag == "nr":
                surname[word[0]] += 1
                first[word[1]] += 1
                last[word[2]] += 1
            elif len(word) == 2 and word[0] in surnames and often < 200:
                last[word[1]] += 1
            continue
        opening[word[0]] += often
        for c in word:
            text[c] += often
        if len(word) == 2:
            words.append((word, often))
        if len(word) > 2 and word[0] in surnames and often >= AFTER_OFTEN:
            long.add(word[:3])
    for word in ordinary:
        if len(word) == 2:
            after[word[0]].add(word[1])
            before[word[1]].add(word[0])
        else:
            long.add(word)
    surname_odds = _log_odds(surname, text)
    first_odds, last_odds = _log_odds(first, opening), _log_odds(last, opening)
    begins: defaultdict[str, set[str]] = defaultdict(set)
    for word, often in words:
        if word[0] in surnames | prefixes and often >= AFTER_OFTEN:
            after[word[0]].add(word[1])
        if word[1] in surnames | prefixes and often >= BEFORE_OFTEN:
            before[word[1]].add(word[0])
        if often >= BEGINS_OFTEN and (word[0] in titles or last_odds.get(word[0], -9) > -1.5):
            begins[word[0]].add(word[1])
    # Only what else would look like a name.
    long = {
        word
        for word in long
        if word[1] not in after[word[0]]
        and surname_odds.get(word[0], -9) + first_odds.get(word[1], 0) + last_odds.get(word[2], 0)
        > 5
    }
    never = _log_odds(Counter(), opening)

    def strange(c: str) -> bool:
        return is_han(c) and c not in given and min(first[c], last[c]) < ENOUGH

    sections = {
        "surname": _levels(surname_odds, lambda c: surname[c] >= ENOUGH),
        "first": _levels(_modern(first_odds, given), lambda c: first[c] >= ENOUGH or c in given),
        "last": _levels(_modern(last_odds, given), lambda c: last[c] >= ENOUGH or c in given),
        "common": _levels(never, lambda c: strange(c) and never[c] < 0.5),
        "after": _grouped(after),
        "long": [" ".join(sorted(long))],
        "before": _grouped(before),
        "begins": _grouped(begins),
    }
    body = "".join(f"\n[{name}]\n" + "\n".join(rows) + "\n" for name, rows in sections.items())
    OUT.write_text(HEAD + body, encoding="utf-8")


if __name__ == "__main__":
    main()
