"""Quantities: whether more or less of something is better, and which way it went."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from brain.text.polarity.lexicon import EVALUATING, Token, quantities
from brain.text.polarity.shapes import by_characters
from brain.text.regex import compiled

FAR = 8
"""Characters between a word and the direction that is about it (投诉比上个月少了)."""


_NUMBER = r"([0-9]+(?:\.[0-9]+)?|[零一二两三四五六七八九十百千万半]+)\s*"


_UNIT = (
    r"(%|ms|毫秒|s|秒钟?|min(?:utes?)?|分钟?|h(?:ours?)?|个?小时|天|周|个?月"
    r"|kb|mb|gb|tb|k|m|g|万|亿|元|块)?"
)


_FROM_TO = (
    rf"(?<![a-z0-9.零一二两三四五六七八九十百千万半])(?:从|由|from)?\s*{_NUMBER}{_UNIT}[^0-9,。;]{{0,4}}?"
    rf"(到|至|成|为|→|->|=>|to|拖到|降到|升到|涨到|跌到)\s*(?:了)?\s*(?:只要|只用)?\s*{_NUMBER}{_UNIT}"
)


_SECONDS = {
    "ms": 0.001, "毫秒": 0.001, "s": 1, "秒": 1, "秒钟": 1, "min": 60, "minute": 60, "minutes": 60,
    "分": 60, "分钟": 60, "h": 3600, "hour": 3600, "hours": 3600, "小时": 3600, "个小时": 3600,
    "天": 86400, "周": 604800,
}  # fmt: skip


_SIZES = {
    "kb": 1e3,
    "k": 1e3,
    "mb": 1e6,
    "m": 1e6,
    "gb": 1e9,
    "g": 1e9,
    "tb": 1e12,
    "万": 1e4,
    "亿": 1e8,
}


_SETTING = r"[改调设换挪](?:成|到|为|至)"
"""A setting that was changed tells nothing of how it ended (例会改到周三)."""


def adverbial(text: str, token: Token) -> bool:
    """Whether 少 and 减 are part of another word or say how little (少量)."""
    follower = text[token.stop : token.stop + 1]
    return (
        len(token.text) == 1
        and follower != ""
        and follower in "量数许见有年女儿主免肥负法价薪员得多"
    )


def wants_less(rest: str) -> bool:
    """Whether what is negated begins with a quantity of which less is better (没有蚊子了)."""
    latin = compiled(r"[a-z-]+").match(rest)
    if latin and quantities().get(latin.group(), 0) < 0:
        return True
    return any(quantities().get(rest[:n], 0) < 0 for n in range(1, 5))


def of_quantity(text: str, tokens: Sequence[Token], before: int) -> tuple[int, int]:
    """What the direction of a quantity says, and which direction is good for it."""
    metrics = [t for t in tokens if t.better]
    own = _counted(tokens) or (metrics[-1].better if metrics else _by_suffix(text))
    if not own and compiled(_OF_PEOPLE).search(text):
        bad = any(EVALUATING.get(t.kind, 0) < 0 for t in tokens)
        own, tokens = (-1 if bad else 1), [t for t in tokens if t.kind not in EVALUATING]
    if any(EVALUATING.get(t.kind, 0) < 0 and text[t.stop : t.stop + 1] == "的" for t in tokens):
        own, tokens = -1, [t for t in tokens if t.kind not in EVALUATING]
    better = own or before
    moved = _moved(text, tokens, metrics)
    if not moved:
        return 0, own
    if not better:
        return (-moved[0], 0) if moved[1] else (0, 0)
    if not own and any(t.kind in EVALUATING and t.kind != "few" for t in tokens):
        return 0, 0
    return better * moved[0], better


_OF_PEOPLE = (
    r"[\u4e00-\u9fff]的(?:人|客人|顾客|客户|家长|学生|用户|读者|同学|同事|员工|孩子|老人|游客|观众)"
    r"(?:[都也却就]|越来越|明显|比[^,]{1,4})?(?:更|变)?[多少]"
)
"""How many do something (来借书的人多了): good, unless what they do is told as bad."""


_RAISED = (
    r"[提拉冲带做](?:高)?到了?\s*[0-9]"
    r"|破了?(?:[0-9]+|[一二两三四五六七八九十几]*)(?:[十百千万亿]|[0-9])(?!个|只|块|处|条)"
)


_MEASURES = (
    r"(?:人数|次数|数量|件数|单数|户数|金额|总额|时间|时长|比例|占比|概率|人次|面积|频率|数)"
)


def _counted(tokens: Sequence[Token]) -> int:
    """Which direction is good where what is counted is good or bad (挂科人数); 0 for none."""
    for one, other in pairwise(tokens):
        told = EVALUATING.get(one.kind, 0) or one.better
        if (
            EVALUATING.get(one.kind, 0) < 0
            and one.stop == other.start
            and other.kind in ("up", "down")
            and other.text[0] in "多少增减"
            and not adverbial(one.text, other)
        ):
            return -1
        if told and one.stop == other.start and compiled(_MEASURES).fullmatch(other.text):
            return -1 if other.text in ("时间", "时长") else told
    return 0


_COSTS = (
    r"[耗费用][电水气油煤纸料粮药钱时工能]"
    r"|[\u4e00-\u9fff]{1,2}(?:费|税|租金|时间|时长|耗时|成本|噪音?|误差|延迟)"
)


_AMOUNTS = r"([\u4e00-\u9fff]{1,4})[量额]"
_SPENT = r"[耗费废弃欠错漏丢障诉怨罚病伤亡污噪烟糖脂盐压赔损退积工用剂单]"
_FAILED = r"[退漏误缺空拒弃失欠逾违差错废坏损亏断卡崩丢堵滞病死伤残旷辍][\u4e00-\u9fff]?$"
_RATES = r"([\u4e00-\u9fff]{1,4})率"


def _by_suffix(text: str) -> int:
    """Which direction is good for a quantity no list has, by how its name ends; 0 for none."""
    if compiled(_COSTS).search(text):
        return -1
    rate = compiled(_RATES).search(text)
    if rate:
        unwanted = by_characters(rate.group(1)) < 0 or compiled(_FAILED).search(rate.group(1))
        return -1 if unwanted else 1
    amount = compiled(_AMOUNTS).search(text)
    if amount:
        return -1 if compiled(_SPENT).search(amount.group(1)) else 1
    return 0


def _moved(text: str, tokens: Sequence[Token], metrics: Sequence[Token]) -> tuple[int, bool] | None:
    """Up (1) or down (-1), and whether what moved is a duration; None where nothing moved."""
    pair = compiled(_FROM_TO).search(text)
    if pair and not compiled(_SETTING).search(text):
        low, low_unit, _, high, high_unit = pair.groups()
        first, last = _amount(low, low_unit or high_unit), _amount(high, high_unit or low_unit)
        if first is not None and last is not None and first != last:
            timed = (high_unit or low_unit) in {*_SECONDS, "kb", "mb", "gb", "tb"}
            return (1 if last > first else -1), timed
    raised = compiled(_RAISED).search(text)
    if raised and metrics and raised.start() >= metrics[-1].stop:
        return 1, False
    negations = 0
    for token in tokens:
        if token.kind == "negators":
            negations += 1
        if token.kind in ("up", "down") and not adverbial(text, token):
            if metrics and token.start - metrics[-1].stop > 3 * FAR:
                continue
            way = 1 if token.kind == "up" else -1
            to_time = compiled(_TO_TIME).match(text, token.stop) is not None
            timed = not negations and (to_time or token.text == "缩短")
            return (-way if negations % 2 else way), timed
        if token.kind == "prevent" and token.text[:1] in "减降缩" and metrics:
            return (1 if negations % 2 else -1), False
    return None


_TO_TIME = (
    rf"(?:到|至|为|了)?\s*(?:to\s)?{_NUMBER}(?:ms|毫秒|s\b|秒|min|分钟|h\b|个?(?:小时|钟头)|天)"
)
"""A direction with a time behind it, which is how long something takes (压到两小时)."""


_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "半": 0.5}


def _amount(number: str, unit: str | None) -> float | None:
    """A number with its unit, in seconds or bytes; None for one that cannot be read."""
    try:
        value = float(number)
    except ValueError:
        if number == "半":
            value = 0.5
        else:
            value, part = 0.0, 0.0
            for c in number:
                if c in _DIGITS:
                    part = _DIGITS[c]
                elif c in "十百千万":
                    value += (part or 1) * 10 ** (1 + "十百千万".index(c))
                    part = 0.0
            value += part
    factor = _SECONDS.get(unit or "") or _SIZES.get(unit or "") or 1
    return value * factor
