"""Numbers written another way: 三月 and 3月, 二〇二五年 and 2025年, 两万 and 20000, 20% and 百分之二十.

For the query side only: the index keeps what was written. A numeral character is a number where its
place says so: before a unit (五公里), after 第 (第三), in a date or a time of day, beside other
numeral characters (三百六十五). 一下, 三明治, 四川, 百度 and 万一 are words, and 一个 and 1个 are
left alone, because 一个 stands everywhere and means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

_MAX_CHARS = 40

_DIGITS = {c: n for n, chars in enumerate("零〇 一幺壹 二两贰 三叁 四肆 五伍 六陆 七柒 八捌 九玖".split()) for c in chars}
_STEPS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_SCALES = (("亿", 10**8), ("万", 10**4))

_ROW = "零一二三四五六七八九"


# --- reading and writing -------------------------------------------------------------------------


def read_number(text: str) -> int | float | None:
    """The value of a numeral, Chinese (二十一, 两万, 一百二, 二〇二五, 三点五) or mixed (1.5亿, 3千).

    百分之五 and 5% are .05, 三分之一 a third, 半 a half. Every unit but 十 needs a digit before it:
    百, 千万 are None, and so are two neighbouring digits (三四: three or four) and whatever else
    is no single number.

    Args:
        text: the numeral and nothing else, folded (:func:`brain.text.fold.fold`).
    """
    if not text or len(text) > _MAX_CHARS:
        return None
    if text in ("半", "一半"):
        return 0.5
    if text.endswith("%"):
        return _ratio(_value(text[:-1]), (100, 1))
    whole, is_fraction, part = text.partition("分之")
    if is_fraction:
        return _ratio(_value(part), (100, 1) if whole == "百" else _value(whole))
    return _ratio(_value(text), (1, 1))


_Exact = tuple[int, int]
"""A number as numerator and denominator."""


def _ratio(part: _Exact | None, whole: _Exact | None) -> int | float | None:
    if part is None or whole is None or whole[0] == 0:
        return None
    over, under = part[0] * whole[1], part[1] * whole[0]
    return over // under if over % under == 0 else over / under


def _value(text: str) -> _Exact | None:
    if re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3})+", text):
        return int(text.replace(",", "")), 1
    if len(text) > 1 and all(c in _DIGITS for c in text):
        return _digit_by_digit(text)
    for scale_char, scale in _SCALES:
        head, found, tail = text.rpartition(scale_char)
        if found:
            return _scaled(_value(head), tail, scale)
    return _below_scales(text)


def _digit_by_digit(text: str) -> _Exact | None:
    if "两" in text or (len(text) == 2 and _is_about(text)):
        return None
    return int("".join(str(_DIGITS[c]) for c in text)), 1


def _is_about(text: str) -> bool:
    """三四, 四五六: neighbouring digits in a row name no number."""
    values = [_DIGITS[c] for c in text]
    return values[0] > 0 and values == list(range(values[0], values[0] + len(values)))


def _scaled(head: _Exact | None, tail: str, scale: int) -> _Exact | None:
    """``head`` 万 ``tail``."""
    if head is None or head[0] == 0:
        return None
    rest: _Exact | None = (0, 1)
    if len(tail) == 1 and (tail in _DIGITS or tail in "0123456789"):
        rest = (_digit(tail) * scale // 10, 1)  # 三万五
    elif tail:
        rest = _value(tail.removeprefix("零").removeprefix("〇"))
        if rest is None or rest[0] >= scale * rest[1] or rest[1] != 1:
            return None
    return None if rest is None else (head[0] * scale + rest[0] * head[1], head[1])


def _digit(char: str) -> int:
    return _DIGITS[char] if char in _DIGITS else int(char)


def _below_scales(text: str) -> _Exact | None:
    """A number without 万 and 亿: 3千, 2.5, 三点五, 一千零五, 十五."""
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?([十百千])?", text)
    if match:
        fraction = match[2] or ""
        step = _STEPS[match[3]] if match[3] else 1
        return int(match[1] + fraction) * step, 10 ** len(fraction)
    whole, is_decimal, fraction = text.partition("点")
    value = _steps(whole)
    if value is None or not is_decimal:
        return None if value is None else (value, 1)
    if not fraction or any(c not in _DIGITS or c == "两" for c in fraction):
        return None
    digits = "".join(str(_DIGITS[c]) for c in fraction)
    return int(f"{value}{digits}"), 10 ** len(digits)


def _steps(text: str) -> int | None:
    """一千零五, 二十, 十五, 一百二: falling steps, each with its digit."""
    total = 0
    digit: int | None = None
    last = 10_000
    zero = False
    for at, char in enumerate(text):
        if char in _STEPS:
            step = _STEPS[char]
            if digit is None and not (step == 10 and (at == 0 or zero)):
                return None
            if step >= last or digit == 0:
                return None
            total += (1 if digit is None else digit) * step
            digit, last, zero = None, step, False
        elif char in _DIGITS and digit is None:
            if _DIGITS[char] == 0 and at > 0:
                if zero:
                    return None
                zero = True
            else:
                digit = _DIGITS[char]
        else:
            return None
    if digit is None:
        return total if total and not zero else None
    if last in (100, 1000) and not zero:
        return total + digit * last // 10
    return total + digit


def write_number(value: int) -> str:
    """A whole number as it is written in Chinese: 二十一, 一百一十, 一千零五, 两万, 一亿五千万.

    Args:
        value: from 0 to below 10¹².
    """
    if value < 10:
        return _ROW[value]
    if value < 20:
        return "十" + (_ROW[value - 10] if value > 10 else "")
    out = ""
    for char, scale in (*_SCALES, ("", 1)):
        group, value = divmod(value, scale)
        if group == 0:
            continue
        if out and group < 1000:
            out += "零"
        out += "两" if group == 2 and char else _group(group)
        out += char
    return out


def _group(value: int) -> str:
    out = ""
    gap = False
    for char, step in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit, value = divmod(value, step)
        if digit == 0:
            gap = bool(out)
            continue
        out += ("零" if gap else "") + ("两" if digit == 2 and step == 1000 else _ROW[digit]) + char
        gap = False
    return out


def _row(digits: str, zero: str = "〇") -> str:
    """Digit by digit, as years are written."""
    return "".join(_ROW[int(c)] if c != "0" else zero for c in digits)


# --- where numbers stand -------------------------------------------------------------------------

_HAN = "零〇一二三四五六七八九十百千万亿两"
_UNITS = (
    "年级 年代 周年 周岁 年 个月 个星期 个礼拜 个小时 季度 世纪 星期 礼拜 天 周 小时 分钟 秒钟 秒 岁 号线 号楼 号 "
    "公里 千米 厘米 毫米 平方米 平米 米 公斤 千克 斤 吨 毫升 升 元 块钱 块 毛钱 度 寸 亩 倍 折 "
    "个 人 名 位 次 遍 件 本 台 条 张 辆 份 页 级 路 楼 层 种 家 只 双 套 间 栋 集 章 节 届 期 班 步 口 杯 瓶 盒 箱 袋 "
    "颗 粒 支 部 首 篇 段 句 场 局 轮 项 款 单元 室 题 票 桌 字"
).split()
_ONE_UNITS = frozenset(
    "年级 周年 周岁 年 个月 个星期 个礼拜 个小时 季度 世纪 周 小时 分钟 秒钟 岁 号线 号楼 号 公里 千米 "
    "平方米 平米 公斤 千克 吨 毫升 元 块钱 级 楼 班 单元".split()
)
"""With 一 only these make a number: 一号, 一小时; but 一次, 一天, 一块, 一路 are words."""
_RANK_UNITS = frozenset("年级 季度 号线 号楼 号 级 路 楼 班 单元 室".split())
"""二楼, 二号; of all others it is 两."""
_BOTH_UNITS = frozenset("层 期 折 段 寸".split())
_METRIC = {"公里": "km", "千米": "km", "公斤": "kg", "千克": "kg", "厘米": "cm", "毫米": "mm", "毫升": "ml"}
_FROM_METRIC = {"km": "公里", "kg": "公斤", "cm": "厘米", "mm": "毫米", "ml": "毫升"}

_GUARDS = (
    "星期[一二三四五六] 礼拜[一二三四五六] 周[一二三四五六](?!次|遍) 万一 [千万]万 统一 唯一 单一 同一 双十[一二] "
    "第[一二三]方 第三者 第三世界 第[一二三]产业 第一手 第一时间 第六感 十分(?!钟|之) 二百五(?!十) 三轮车 三角 二人转 "
    "八路军 [三七八九]分[球裤] 三天两头 三番[五两]次 三五[成个] 八字 一字 "
    "一[下些起样直般定旦向律共贯概并经味半致再次] 三明治 四川 五行 六合 七夕 八卦 九州 十足 百度 "
    "[几数][十百千万亿]+ 千[家百千] 三言两语 乱七八糟 七七八八 七上八下 四面八方 五花八门 三三两两 一五一十"
).split()
_EARLY = "凌晨 清晨 早上 早晨 上午".split()
_LATE = "下午 傍晚 晚上".split()
_ASCII_HEAD = r"(?<![0-9a-z_])(?<![0-9a-z][-._/:@#,+~\\])(?<![.])"
_ASCII_TAIL = r"(?![0-9a-z_%]|[-._/:@,+~][0-9a-z])"
_ASCII = rf"{_ASCII_HEAD}[0-9]{{1,3}}(?:,[0-9]{{3}})+|{_ASCII_HEAD}[0-9]{{1,15}}(?:\.[0-9]{{1,4}})?"
_HAN_HEAD = rf"(?<![{_HAN}0-9])"
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))

_MASTER = rf"""
  (?P<guard>{"|".join(_GUARDS)})
| (?P<iso>{_ASCII_HEAD}(?P<iy>[12][0-9]{{3}})(?P<sep>[-/.])(?P<im>1[0-2]|0?[1-9])(?P=sep)
    (?P<id>3[01]|[12][0-9]|0?[1-9])(?![0-9a-z_]|[-./:][0-9]))
| (?P<date>(?:(?P<y>{_ASCII_HEAD}[12][0-9]{{3}}|{_HAN_HEAD}[一二][{_HAN[:10]}]{{3}})\ ?年\ ?)?
    (?P<m>{_ASCII_HEAD}(?:1[0-2]|0?[1-9])|{_HAN_HEAD}(?:十[一二]?|[一二三四五六七八九]))\ ?月(?![饼球亮薪])
    (?:\ ?(?P<d>3[01]|[12][0-9]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])\ ?(?P<day>[日号])(?!本))?)
| (?P<year>(?P<yy>{_ASCII_HEAD}(?:[12][0-9]{{3}}|[0-9]{{2}})
    |{_HAN_HEAD}(?:[一二][{_HAN[:10]}]{{3}}|[零〇四五六七八九][{_HAN[:10]}]))\ ?年(?![级代]))
| (?P<time>(?P<tp>{"|".join([*_EARLY, "中午", *_LATE])})?\ ?
    {_ASCII_HEAD}(?P<th>2[0-3]|1[0-9]|0?[0-9]):(?P<tm>[0-5][0-9])(?![0-9:.]))
| (?P<clock>(?P<cp>{"|".join([*_EARLY, "中午", *_LATE])})?\ ?
    (?P<ch>{_ASCII_HEAD}(?:2[0-4]|1[0-9]|0?[0-9])|{_HAN_HEAD}(?:二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九]))\ ?点
    (?!(?:[零〇一二三四五六七八九]+)(?:{_UNIT}|[万亿]))
    (?P<rest>半|钟|整|一刻|三刻|\ ?(?P<cm>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?|零?[一二三四五六七八九])\ ?分(?!钟|之)
      |(?P<cn>[0-5][0-9](?![0-9])|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九]))?)
| (?P<percent>百分之(?P<pc>[{_HAN}]+(?:点[{_HAN[:10]}]+)?|[0-9]{{1,9}}(?:\.[0-9]{{1,4}})?)|(?P<pa>{_ASCII})\ ?%)
| (?P<fraction>{_HAN_HEAD}(?P<under>[{_HAN}]+)分之(?P<over>[{_HAN}]+))
| (?P<ordinal>第\ ?(?P<on>[{_HAN}]+|[0-9]{{1,5}}(?![0-9.])))
| (?P<metric>(?P<mn>{_ASCII})\ ?(?P<mu>km|kg|cm|mm|ml)(?![0-9a-z_]))
| (?P<amount>(?P<an>(?:{_ASCII})[十百千万亿]*|{_HAN_HEAD}[{_HAN}]+(?:点[{_HAN[:10]}]+(?=[万亿]|{_UNIT})[万亿]?)?)
    (?:\ ?(?P<au>{_UNIT}))?)
| (?P<formal>[壹贰叁肆伍陆柒捌玖拾佰仟零万亿]*[拾佰仟][壹贰叁肆伍陆柒捌玖拾佰仟零万亿]*)
"""

_HINT = re.compile(rf"[0-9{_HAN}拾佰仟]")


@cache
def _master() -> re.Pattern[str]:
    return re.compile(_MASTER, re.VERBOSE)


def numeral_spans(folded: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where numbers stand that have another way to be written.

    Args:
        folded: a query from :func:`brain.text.fold.fold`.

    Returns:
        (start, end, the other ways) in text order, without overlap.
    """
    if not _HINT.search(folded):
        return []
    out: list[tuple[int, int, tuple[str, ...]]] = []
    for match in _master().finditer(folded):
        write = _WRITERS.get(match.lastgroup or "")
        if write is None:
            continue
        ways = dict.fromkeys(write(match))
        ways.pop(match.group(), None)
        if ways:
            out.append((match.start(), match.end(), tuple(ways)))
    return out


def numeral_variants(folded: str) -> list[tuple[str, str]]:
    """The numbers of a query as they stand there, each with another way to write it.

    Args:
        folded: a query from :func:`brain.text.fold.fold`.

    Returns:
        Pairs in text order; a number with several other ways comes several times.
    """
    return [(folded[a:b], other) for a, b, ways in numeral_spans(folded) for other in ways]
