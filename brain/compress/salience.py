"""Salience: what in a unit of prose must not vanish unseen, numbers, negation, decisions, failures.

A unit is judged against its look-alikes, the units that are the same but for their numbers or a
few words: in a month of blood-pressure lines the one with 192/125 differs, though all have
numbers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from brain.compress import markers
from brain.text import lists
from brain.text.fold import fold
from brain.text.tokens import estimate

_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
NUMBER = re.compile(
    r"\d+(?:[.,:/：．-]\d+)*\s?(?:%|％|[万亿千百]?(?:元|块|年|月|日|号|点|人|次|倍|岁|天|周|小时|分钟|秒|公里|米|吨|度|个|件|台|页))?"
    rf"|[{_NUMERAL}]+(?:元|块|年|月|日|号|点|人|次|倍|岁|天|周|小时|分钟|公里|米|吨|度|成)"
    rf"|百分之[{_NUMERAL}点]+"
)
_NEGATION = (
    r"不(?!过|仅|但|同|断|管|论|久|禁|愧|妨|止|单|光|只|错|等式|少)\w?|没有?|(?:尚|从|并|仍|还)?未(?!来|央|免)\w?|勿|莫(?=要)"
    r"|(?<![特区级性类分个辨识差告鉴派离永])别(?!人|的|墅|处|名|称|致|针|扭|看|说)|无法|无需|无须|无权|无效|禁止|拒绝|\bnot\b|n't\b|\bnever\b|\bno\b"
)
_DECISION = (
    r"决定|决议|拍板|敲定|定为|定于|同意|批准|否决|驳回|通过了|取消|改为|改成|改用|改到|推迟|延期|提前到|暂停|终止|停止|撤销|撤回"
    r"|停用|停产|停售|停业|停机|禁用|启用|废弃|废止|封存|上线|下线|承诺|务必|必须|作废|更正|约定|\bdecided?\b|\bapproved?\b|\bcancel"
)
_FAILURE = (
    r"失败|错误|出错|报错|异常|超时|故障|事故|崩溃|宕机|泄露|丢失|中断|报警|告警|超标|逾期|投诉|漏洞|损坏|受伤|过敏|急诊|住院|晕倒"
    r"|\berror|\bfail|\bexception|\btimeout|\bdenied|\bfatal|\bpanic|\bcritical"
)
KINDS: dict[str, re.Pattern[str]] = {
    "数字": NUMBER,
    "否定": re.compile(_NEGATION),
    "决定": re.compile(_DECISION),
    "故障": re.compile(_FAILURE),
}
"""What a mark says of units left out, by kind."""

_QUOTED = re.compile(
    r"(?!改|定|提前到|通过了)(?:" + KINDS["决定"].pattern + "|" + KINDS["故障"].pattern + ")"
)

MOST_NAMED = 8
"""Words that one mark names."""

RARE = 0.05
"""A word in at most this share of the units, or in one, is one that its look-alikes lack."""

ALIKE = 0.55
"""Jaccard similarity of character bigrams, numbers masked, from which units are look-alikes."""

FEWEST = 4
"""Look-alikes from which a unit can differ from the rest."""

FAR = 5.0
"""Distance from the median in median absolute deviations, scaled to standard deviations by
1.4826 (Rousseeuw & Croux 1993), from which a number is an outlier."""

_COMPARED = 400
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_NUMERALS = re.compile(rf"\d+(?:[.,]\d+)*|[{_NUMERAL}]+")


@dataclass(frozen=True, slots=True)
class Salience:
    """What a unit tells.

    Args:
        strength: how strongly it speaks for staying.
        words: the words and numbers that others do not have.
        kinds: of all its telling words and numbers, those shared with others too.
    """

    strength: int
    words: tuple[str, ...]
    kinds: frozenset[str]


def salience(units: Sequence[str]) -> list[Salience]:
    """What each unit says that its look-alikes, or nearly all other units, do not.

    Strength is one for each kind of rare word (two for a decision, which reads as one only with
    what is decided), one more where nearly no other unit has any of that kind, and two for a
    number far from its look-alikes'. Numbers are telling in themselves only where few units have
    any.
    """
    folded = [fold(unit) for unit in units]
    found = [_words(text) for text in folded]
    spread = Counter(word for words in found for word in {w for _, w in words})
    having = Counter(kind for words in found for kind in {k for k, _ in words})
    few = max(1, int(len(units) * RARE))
    kinds = [frozenset(kind for kind, _ in words) for words in found]
    if len(units) < FEWEST or having["数字"] > few:
        found = [[one for one in words if one[0] != "数字"] for words in found]
    out = _outliers(folded)
    result = []
    for place, words in enumerate(found):
        rare = [(kind, word) for kind, word in words if spread[word] <= few]
        strength = len({kind for kind, _ in rare})
        strength += any(having[kind] <= few for kind, _ in rare)
        strength += any(kind == "决定" for kind, _ in rare)
        strength += 2 * bool(out[place])
        said = tuple(dict.fromkeys((*out[place], *(word for _, word in rare))))
        result.append(Salience(strength, said, kinds[place]))
    return result


def _words(folded: str) -> list[tuple[str, str]]:
    return [
        (kind, match.group())
        for kind, pattern in KINDS.items()
        for match in pattern.finditer(folded)
    ]


def _outliers(folded: Sequence[str]) -> list[tuple[str, ...]]:
    """For each unit the numbers that stand far from those of its look-alikes."""
    out: list[tuple[str, ...]] = [()] * len(folded)
    for group in _groups(folded):
        if len(group) < FEWEST:
            continue
        numbers = {place: _DIGITS.findall(folded[place]) for place in group}
        usual = Counter(len(found) for found in numbers.values()).most_common(1)[0][0]
        same = [place for place in group if len(numbers[place]) == usual]
        if len(same) < FEWEST:
            continue
        for column in range(usual):
            values = [_value(numbers[place][column]) for place in same]
            low, high = usual_range(values)
            for place, value in zip(same, values, strict=True):
                if not low <= value <= high:
                    out[place] = (*out[place], numbers[place][column])
    return out


class Named:
    """What a mark should name of units left out: bans, refusals, decisions, failures, and numbers
    of a form that hardly any other unit has.

    Args:
        units: all units of the text.
    """

    def __init__(self, units: Sequence[str]) -> None:
        found = [_nameable(fold(unit)) for unit in units]
        spread = Counter(form for words in found for form in {form for form, _ in words})
        few = max(1, int(len(units) * RARE))
        self._words = [
            tuple(dict.fromkeys(word for form, word in words if spread[form] <= few))
            for words in found
        ]
        self._units = units

    def fact(self, missing: Sequence[int], room: int, first: Sequence[str] = ()) -> str:
        """``提到「停用」「没有完成」`` within so many tokens; '' where there is nothing to name.

        Args:
            missing: places of the units left out, those that tell most first.
            first: words of theirs that go before all others.
        """
        telling = (
            word
            for place in missing
            if self._words[place] and not markers.mentions_secret(self._units[place])
            for word in self._words[place]
        )
        told = ""
        for word in islice(dict.fromkeys((*first, *telling)), 4 * MOST_NAMED):
            more = f"{told}「{word}」" if told else f"提到「{word}」"
            if markers.quotable(word) and estimate(more) < room:
                told = more
            if told.count("「") == MOST_NAMED:
                break
        return told


@cache
def _refused() -> re.Pattern[str]:
    """A short phrase is told whole, of a longer one the verb where it is a known one, or a ban."""
    refusing, verbs, bans = (
        "|".join(lists.words("shortening", name)) for name in ("refusing", "refused", "bans")
    )
    han = "[\u4e00-\u9fff]"
    return re.compile(rf"(?:{refusing}){han}{{1,4}}(?!{han})|(?:{refusing})(?:{verbs})|{bans}")


def _nameable(folded: str) -> list[tuple[str, str]]:
    """Words that may be named, each with the form by which it counts as rare."""
    out = [(m.group(), m.group()) for m in _refused().finditer(folded)]
    for kind in ("决定", "故障"):
        out += [(m.group(), m.group()) for m in KINDS[kind].finditer(folded) if quoted(m.group())]
    for match in NUMBER.finditer(folded):
        number = match.group().strip()
        # A bare digit says nothing by itself.
        if len(number) > 1:
            out.append((_NUMERALS.sub("0", number), number))
    return out


def quoted(word: str) -> bool:
    """Whether a word of a unit says something by itself: 取消 and 失败 do, 没 and 改到 do not."""
    return _QUOTED.fullmatch(word) is not None


def template(unit: str) -> str:
    """A unit with its numbers masked: the same for units that differ in nothing else."""
    return _NUMERALS.sub("0", fold(unit)).strip()


def usual_range(values: Sequence[float]) -> tuple[float, float]:
    """Least and greatest value that is no outlier, by median and median absolute deviation.

    Where most values are the same, another one is an outlier if nearly none differ.
    """
    middle = _median(values)
    scale = 1.4826 * _median([abs(v - middle) for v in values])
    if scale == 0:
        few = sum(v != middle for v in values) <= max(1, len(values) // 20)
        return (middle, middle) if few else (min(values), max(values))
    return middle - FAR * scale, middle + FAR * scale


def _median(values: Sequence[float]) -> float:
    # The library's own takes 15 ms to import.
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _value(digits: str) -> float:
    try:
        return float(digits.replace(",", ""))
    except ValueError:
        return float(digits.replace(",", "").replace(".", ""))


def _groups(folded: Sequence[str]) -> list[list[int]]:
    """Units in groups of look-alikes."""
    exact: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(folded):
        exact[_DIGITS.sub("0", text).strip()].append(place)
    if len(exact) > _COMPARED:
        return list(exact.values())
    groups: list[list[int]] = []
    leaders: list[set[str]] = []
    for mask, places in exact.items():
        grams = {mask[i : i + 2] for i in range(len(mask) - 1)}
        for number, leader in enumerate(leaders):
            if len(grams & leader) >= ALIKE * len(grams | leader) > 0:
                groups[number] += places
                break
        else:
            groups.append(list(places))
            leaders.append(grams)
    return [sorted(group) for group in groups]
