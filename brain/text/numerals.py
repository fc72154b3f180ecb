"""Numeral normalisation: numbers written another way, 三月 and 3月, 两万 and 20000.

For the query side only: the index keeps what was written. A numeral character is a number where its
place says so: before a unit (五公里), after 第 (第三), in a date or a time of day, beside other
numeral characters (三百六十五). 一下, 三明治, 四川, 百度 and 万一 are words, and 一个 and 1个 are
left alone, because 一个 stands everywhere and means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from brain.text.tokenize import MEASURES

_MAX_CHARS = 40

_ROW = "零一二三四五六七八九"
_DIGITS = {char: value for row in (_ROW, "〇壹贰叁肆伍陆柒捌玖") for value, char in enumerate(row)}
_DIGITS |= {"两": 2, "幺": 1}
_STEPS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_SHORT_TENS = {"廿": "二十", "卅": "三十", "卌": "四十"}
"""One character for twenty, thirty, forty, as almanacs and headlines write them."""
_SCALES = (("亿", 10**8), ("万", 10**4))


# --- reading and writing -------------------------------------------------------------------------


def read_number(text: str) -> int | float | None:
    """The value of a numeral, Chinese (二十一, 两万, 一百二, 二〇二五) or mixed (1.5亿, 3千).

    百分之五 and 5% are .05, 三分之一 a third, 半 a half. Every unit but 十 needs a digit before it:
    百, 千万 are None, and so are two neighbouring digits (三四: three or four) and whatever else
    is no single number.

    Args:
        text: the numeral and nothing else, folded (:func:`brain.text.fold.fold`).
    """
    if not text or len(text) > _MAX_CHARS:
        return None
    for short, long in _SHORT_TENS.items():
        text = text.replace(short, long)
    if text.isascii() and text.isdecimal():
        return int(text)
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
    if len(tail) == 1 and _digit(tail) > 0:
        rest = (_digit(tail) * scale // 10, 1)  # 三万五
    elif tail:
        rest = _value(tail[1:] if tail[0] in "零〇" else tail)
        if rest is None or rest[0] >= scale * rest[1] or rest[1] != 1:
            return None
    return None if rest is None else (head[0] * scale + rest[0] * head[1], head[1])


def _digit(char: str) -> int:
    return _DIGITS.get(char, int(char) if char in _DIGIT_CHARS else 0)


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

_HAN = "零〇一二三四五六七八九十百千万亿两廿卅卌"
_DIGIT_CHARS = "0123456789"
_BEGINS = frozenset(_HAN + _DIGIT_CHARS)
_STEP_CHARS = "十百千万亿"

# Patterns hold no Han: a class of Han costs a millisecond to compile, and most queries need none.
_ASCII_NUMBER = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]{1,4}(?![0-9]))?|[0-9]+(?:\.[0-9]{1,4}(?![0-9.]))?"
)
_ISO = re.compile(r"([12][0-9]{3})([-/.])(1[0-2]|0?[1-9])\2(3[01]|[12][0-9]|0?[1-9])")
_COLON = re.compile(r"(2[0-3]|[01]?[0-9]):([0-5][0-9])")

_UNIT_LIST = """
年级 年代 周年 周岁 年 个月 个星期 个礼拜 个小时 季度 世纪 星期 礼拜 天 周 小时 分钟 秒钟 秒 岁
号线 号楼 号 公里 千米 厘米 毫米 平方米 平米 米 公斤 千克 斤 吨 毫升 升 元 块钱 块 毛钱 度 寸 亩
倍 折 个 人 名 位 次 遍 件 本 台 条 张 辆 份 页 级 路 楼 层 种 家 只 双 套 间 栋 集 章 节 届 期 班
步 口 杯 瓶 盒 箱 袋 颗 粒 支 部 首 篇 段 句 场 局 轮 项 款 单元 室 题 票 桌 环 成
"""
_AFTER_ONE_LIST = """
年级 周年 周岁 年 个月 个星期 个礼拜 个小时 季度 世纪 周 小时 分钟 秒钟 岁 号线 号楼 号 公里 千米
平方米 平米 公斤 千克 吨 毫升 元 块钱 级 楼 班 单元
"""
_AFTER_ONE = frozenset(_AFTER_ONE_LIST.split())
"""With 一 only these make a number: 一号, 一小时. 一次, 一天, 一块, 一路 are words."""

_RANKS = ("年级", "季度", "号线", "号楼", "号", "级", "路", "楼", "班", "单元", "室", "环")
_RANKS_AND_COUNTS = ("层", "期", "折", "段")
"""With the first it is 二 (二楼), with these 二 or 两, with all others 两."""

_METRIC = {"公里": "km", "千米": "km", "公斤": "kg", "千克": "kg", "厘米": "cm", "毫米": "mm"}
_FROM_METRIC = {"km": "公里", "kg": "公斤", "cm": "厘米", "mm": "毫米"}

_WORD_LIST = """
星期一 星期二 星期三 星期四 星期五 星期六 礼拜一 礼拜二 礼拜三 礼拜四 礼拜五 礼拜六 周一 周二 周三
周四 周五 周六 第三方 第三者 第三世界 第一时间 第六感 双十一 双十二 万一 十分 二百五 三轮车 三角
二人转 八路军 五月天 三天两头 三番五次 三番两次 一年到头 一年四季 千万 百万 万千 成千上万 三级片
"""
"""Words in which a numeral is none although a unit or 第 is beside it."""

_BUT_BEFORE = {"十分": "钟之", "二百五": "十"}
"""A character after such a word that makes it a number all the same."""

_NOT_TEN_AFTER = "几数"
_NOT_ONE_AFTER = "统唯单同之逐万任进专某每这那哪"
"""几十个, 数十人 and 统一, 这一年: after these a numeral is none."""

_EARLY = ("凌晨", "清晨", "早上", "早晨", "上午")
_LATE = ("下午", "傍晚", "晚上")
_NOON = "中午"

_Found = tuple[int, int, list[str]]
"""Start, end and the other ways to write what stands there."""


def _by_first(words: Iterable[str]) -> dict[str, list[str]]:
    """First character → words, the longest first."""
    out: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        out.setdefault(word[0], []).append(word)
    return out


@cache
def _words_by_first() -> dict[str, list[str]]:
    return _by_first(_WORD_LIST.split())


def _guarded(text: str) -> dict[int, int]:
    """Where words stand that only look like numbers: the place of each character → their end."""
    first = _words_by_first()
    out: dict[int, int] = {}
    for at, char in enumerate(text):
        for word in first.get(char, ()):
            end = at + len(word)
            lifted = _BUT_BEFORE.get(word, "")
            if text.startswith(word, at) and text[end : end + 1] not in [*lifted]:
                out.update((place, end) for place in range(at, end))
    return out


def numeral_spans(folded: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where numbers stand that have another way to be written.

    Args:
        folded: a query from :func:`brain.text.fold.fold`.

    Returns:
        (start, end, the other ways) in text order, without overlap.
    """
    out: list[tuple[int, int, tuple[str, ...]]] = []
    places = [at for at, char in enumerate(folded) if char in _BEGINS]
    guarded = _guarded(folded) if places else {}
    done = word_end = 0
    for at in places:
        if at < done:
            continue
        found = None if at in guarded else _number_at(folded, at, word_end)
        if found and found[0] >= done:
            start, done, written = found
            stands = folded[start:done]
            ways = tuple(way for way in dict.fromkeys(written) if not stands.startswith(way))
            if ways:
                out.append((start, done, ways))
        else:
            word_end = guarded.get(at, word_end)
            done = guarded.get(at) or at + (len(_numeral(folded, at)) or 1)
    return out


def _number_at(text: str, at: int, word_end: int) -> _Found | None:
    if not _may_begin(text, at, word_end):
        return None
    for rule in (_iso, _date, _year, _percent, _fraction, _ordinal, _clock, _amount):
        found = rule(text, at)
        if found:
            return found
    return None


# --- one rule each: what begins at a place, or None ----------------------------------------------


def _iso(text: str, at: int) -> _Found | None:
    """2025-03-15."""
    match = _ISO.match(text, at)
    if not match or not _may_end(text, match.end()):
        return None
    year, _, month, day = match.groups()
    return at, match.end(), _days(year, int(month), int(day))


def _date(text: str, at: int) -> _Found | None:
    """2025年3月15日, 三月十五号, 3月."""
    year, end = _part(text, at, "年")
    if year is None or not _is_year(year):
        year, end = None, at
    month, end = _part(text, _past_blank(text, end), "月")
    if month is None or not 1 <= _whole(month) <= 12 or text[end : end + 1] in [*"饼球亮薪"]:
        return None
    for unit in "日号":
        day, after = _part(text, _past_blank(text, end), unit)
        if day is not None and 1 <= _whole(day) <= 31 and text[after : after + 1] != "本":
            return at, after, _days(year, _whole(month), _whole(day))
    bare = _numeral(text, end)
    if _is_bare_day(text, bare, end + len(bare)):
        return at, end + len(bare), _days(year, _whole(month), _whole(bare))
    if year is not None:
        return None  # the year for itself, then the month
    m = _whole(month)
    return at, end, [f"{m}月", f"{write_number(m)}月", f"{m:02}月"]


def _is_bare_day(text: str, number: str, end: int) -> bool:
    """三月十五 and 3月5 are days; 五月三亚, 三月两次 and 3月5个 are not."""
    if _unit_at(text, end) or not _may_end(text, end) or text[end : end + 1] in [*"点多几"]:
        return False
    return (len(number) > 1 or number.isdecimal()) and 1 <= _whole(number) <= 31


def _days(written_year: str | None, month: int, day: int) -> list[str]:
    """A day without its last 日 or 号, because both are written."""
    han = f"{write_number(month)}月{write_number(day)}"
    ways = [f"{month}月{day}", han]
    if short := _in_short_tens(day):
        ways.append(f"{write_number(month)}月{short}")
    if written_year:
        year = str(_whole(written_year))
        ways = [f"{year}年{ways[0]}", f"{year}-{month:02}-{day:02}", f"{_row(year)}年{han}", *ways]
    if month < 10:
        ways.append(f"{month:02}月{day:02}")
    return [*ways, f"{month}/{day}"]


def _year(text: str, at: int) -> _Found | None:
    """2025年, 二〇二五年, 九八年, 九零后."""
    for unit in "年后":
        year, end = _part(text, at, unit)
        if year is None or text[end : end + 1] == "级":
            continue
        if unit == "年" and _is_year(year):
            if text[end : end + 1] == "代":
                unit, end = "年代", end + 1
            digits = str(_whole(year))
            zeros = "〇零" if "0" in digits else "〇"
            return at, end, [f"{digits}{unit}", *(f"{_row(digits, zero)}{unit}" for zero in zeros)]
        if text[end : end + 1] == "代":
            continue
        if len(year) == 2 and year[0] in "〇零四五六七八九" and all(c in _DIGITS for c in year):
            return at, end, [f"{_DIGITS[year[0]]}{_DIGITS[year[1]]}{unit}"]
        if len(year) == 2 and year.isdecimal() and year[0] in "6789":
            row = f"{_row(year, '零')}{unit}"
            return at, end, [row] if unit == "后" else [row, f"{write_number(int(year))}{unit}"]
    return None


def _percent(text: str, at: int) -> _Found | None:
    """百分之二十, 20%."""
    if text.startswith("百分之百", at):
        return at, at + 4, ["100%"]
    if text.startswith("百分之", at):
        number, end = _decimal(text, at + 3)
        value = read_number(number)
        return None if value is None else (at, end, [f"{_plain(value)}%"])
    number = _numeral(text, at)
    end = _past_blank(text, at + len(number))
    if text[end : end + 1] != "%":
        return None
    value = read_number(number)
    return None if value is None else (at, end + 1, [f"百分之{way}" for way in _in_han(value)])


def _fraction(text: str, at: int) -> _Found | None:
    """三分之一."""
    under = _han_run(text, at)
    middle = at + len(under)
    if not under or not text.startswith("分之", middle):
        return None
    over = _han_run(text, middle + 2)
    values = read_number(over), read_number(under)
    if None in values or under in ("百", "千", "万"):
        return at, middle + 2 + len(over), []
    return at, middle + 2 + len(over), [f"{values[0]}/{values[1]}"]


def _ordinal(text: str, at: int) -> _Found | None:
    """第三, 第3."""
    start = at - 2 if text[at - 1 : at] == " " else at - 1
    if start < 0 or text[start] != "第":
        return None
    number = _numeral(text, at)
    value = read_number(number)
    if not isinstance(value, int) or value > 9999:
        return None
    return start, at + len(number), [f"第{value}", f"第{write_number(value).replace('两', '二')}"]


def _clock(text: str, at: int) -> _Found | None:
    """下午三点, 三点半, 3点15分, 15:00."""
    start, period = _period_before(text, at)
    colon = _COLON.match(text, at)
    if colon and _may_end(text, colon.end()) and text[colon.end() : colon.end() + 1] != ":":
        return start, colon.end(), _hours(int(colon[1]), int(colon[2]), period)
    hour, end = _part(text, at, "点")
    if hour is None or not 0 <= _whole(hour) <= 24:
        return None
    minute, after = _minute(text, end)
    if minute is None and not period and "点" in _decimal(text, at)[0]:
        return None
    if minute is None and not period and hour in ("一", "1"):
        return None  # 一点: a little
    if minute is None and not period:
        return at, end, [f"{_whole(hour)}点", f"{_hour_in_han(_whole(hour))}点"]
    ways = _hours(_whole(hour), minute or 0, period)
    if not period and 0 < _whole(hour) < 12:
        ways.append(f"{_whole(hour) + 12}:{minute:02}")
    return start, after, ways


def _period_before(text: str, at: int) -> tuple[int, str]:
    at -= text[at - 1 : at] == " "
    for period in (*_EARLY, _NOON, *_LATE):
        if text.endswith(period, 0, at):
            return at - len(period), period
    return at + (text[at : at + 1] == " "), ""


def _minute(text: str, at: int) -> tuple[int | None, int]:
    """What follows 点: the minute and where it ends; None where nothing tells a time of day."""
    for word, minute in (("半", 30), ("钟", 0), ("整", 0), ("一刻", 15), ("三刻", 45)):
        if text.startswith(word, at):
            return minute, at + len(word)
    number = _numeral(text, at)
    value = read_number(number)
    if not isinstance(value, int) or value > 59:
        return None, at
    end = at + len(number)
    if text[end : end + 1] == "分" and text[end + 1 : end + 2] not in [*"钟之"]:
        return value, end + 1
    is_time = number[0] in "零〇" or "十" in number or number.isdecimal()
    is_alone = is_time and len(number) > 1 and not _unit_at(text, end)
    return (value, end) if is_alone else (None, at)


def _hours(hour: int, minute: int, period: str) -> list[str]:
    """A time of day by both clocks."""
    if period in _LATE or (period == _NOON and hour < 3):
        full = hour + 12 if hour < 12 else hour
    else:
        full = hour
    half = full - 12 if full > 12 else full
    if not period and full > 12:
        period = "下午" if full < 18 else "晚上"
    tail = {0: "", 30: "半"}.get(minute, f"{minute}分")
    han_tail = {0: "", 30: "半"}.get(minute, f"{write_number(minute)}分")
    ways = [f"{half}点{tail}", f"{_hour_in_han(half)}点{han_tail}"]
    ways = [f"{period}{way}" for way in ways]
    if full != half:
        ways.append(f"{full}点{tail}")
    if full < 24:
        ways.append(f"{full:02}:{minute:02}")
        if full < 10:
            ways.append(f"{full}:{minute:02}")
    return ways


def _hour_in_han(hour: int) -> str:
    return "两" if hour == 2 else write_number(hour)


def _amount(text: str, at: int) -> _Found | None:
    """五公里, 两万, 三百六十五, 1.5亿, 20000, 5km."""
    number, end = _decimal(text, at)
    value = read_number(number)
    is_row = len(number) > 2 and all(c in _DIGITS for c in number)
    if value is None or (is_row and _is_about(number)):
        return None
    unit_at = _past_blank(text, end)
    unit = _unit_at(text, unit_at)
    if not unit and number[0] in _DIGIT_CHARS and (measure := _measure_at(text, end)):
        return at, end + len(measure), [f"{number} {measure}"]
    if is_row:
        return at, end, ["".join(str(_DIGITS[c]) for c in number)]
    if value < 100 and unit:
        return _with_unit(text, at, number, unit, unit_at + len(unit))
    is_ascii = number[0] in _DIGIT_CHARS
    if is_ascii and not _may_end(text, end):
        return None
    if isinstance(value, float):
        return None if is_ascii else (at, end, [_plain(value)])
    if (value < 100 and is_ascii) or len(number) == 1 or (number == "十一" and not unit):
        return None
    is_round = len(str(value).rstrip("0")) <= (2 if value < 10_000 and not unit else 3)
    if number.isdecimal() and not unit and not is_round:
        return None  # a port, a code
    in_han = _in_han(value) if is_round or not is_ascii else []  # nobody spells 5,128 out
    if unit and unit not in _FROM_METRIC:
        # 九百人 has one gram more than 九百; in digits the number is enough.
        in_han = [*(f"{way}{unit}" for way in in_han), *in_han]
        end = unit_at + len(unit)
    short = _in_short_tens(value) if not unit else ""
    return at, end, [*_in_digits(value), *in_han, *([short] if short else [])]


def _with_unit(text: str, at: int, number: str, unit: str, end: int) -> _Found | None:
    """A small number means something only with its unit."""
    value = read_number(number)
    if value is None or (value == 1 and unit not in _AFTER_ONE) or text[end : end + 1] == "之":
        return None
    unit_in_han = _FROM_METRIC.get(unit, unit)
    ways = [f"{way}{unit_in_han}" for way in _in_han(value, unit_in_han)]
    ways.append(f"{_plain(value)}{unit_in_han}")
    metric = unit if unit in _FROM_METRIC else _METRIC.get(unit)
    if metric:
        ways += [f"{_plain(value)}{metric}", f"{_plain(value)} {metric}"]
    if (short := _in_short_tens(value)) and unit in _SHORT_WITH:
        # 每月廿五 goes without 号, 卅周年 with its unit.
        ways += [short, write_number(int(value))] if unit == "号" else [f"{short}{unit}"]
    return at, end, ways


# --- pieces --------------------------------------------------------------------------------------


def _may_begin(text: str, at: int, word_end: int) -> bool:
    """Whether a number may begin here: not inside a word, an identifier or another number."""
    before = text[max(word_end, at - 2) : at]
    if text[at] in _HAN:
        last = before[-1:]
        if not last:
            return True
        if last in _HAN or last in _DIGIT_CHARS or (text[at] == "十" and last in _NOT_TEN_AFTER):
            return False
        return last not in _NOT_ONE_AFTER or _han_run(text, at) != "一"
    if not before:
        return True
    if _is_ascii_word(before[-1]) or before[-1] == ".":
        return False
    return not (before[-1] in "-/:@#,+~\\" and len(before) == 2 and _is_ascii_word(before[0]))


def _may_end(text: str, at: int) -> bool:
    """Whether a number in digits may end here."""
    after = text[at : at + 2]
    if after and (_is_ascii_word(after[0]) or after[0] == "%"):
        return False
    return not (len(after) == 2 and after[0] in "-./:@,+~" and _is_ascii_word(after[1]))


def _is_ascii_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def _past_blank(text: str, at: int) -> int:
    return at + (text[at : at + 1] == " ")


def _numeral(text: str, at: int) -> str:
    """The longest run of numeral characters that begins at a place: 2,000 or 1亿2000万 or 三百."""
    match = _ASCII_NUMBER.match(text, at)
    if not match:
        return _run(text, at, _HAN)
    steps = _run(text, match.end(), _STEP_CHARS)
    if not steps:
        return match.group()
    rest = _run(text, match.end() + len(steps), _DIGIT_CHARS + _STEP_CHARS)
    return match.group() + steps + rest


def _run(text: str, at: int, chars: str) -> str:
    end = at
    while end < len(text) and text[end] in chars:
        end += 1
    return text[at:end]


def _han_run(text: str, at: int) -> str:
    return _run(text, at, _HAN)


def _part(text: str, at: int, unit: str) -> tuple[str | None, int]:
    """A whole number and its unit: the number and where the unit ends."""
    number = _numeral(text, at)
    end = _past_blank(text, at + len(number))
    if text.startswith(unit, end) and isinstance(read_number(number), int):
        return number, end + len(unit)
    return None, at


def _decimal(text: str, at: int) -> tuple[str, int]:
    """A number, with 三点五 where its point is written out."""
    number = _numeral(text, at)
    end = at + len(number)
    if number.endswith("千") and number[0] in _DIGIT_CHARS and text[end : end + 1] in [*"米克瓦"]:
        return number[:-1], end - 1  # 5千米
    if number and text[end : end + 1] == "点" and number[0] in _HAN:
        fraction = _han_run(text, end + 1)
        whole = f"{number}点{fraction}"
        if fraction and read_number(whole) is not None:
            return whole, at + len(whole)
    return number, end


@cache
def _units_by_first() -> dict[str, list[str]]:
    return _by_first([*_UNIT_LIST.split(), *_FROM_METRIC])


def _unit_at(text: str, at: int) -> str:
    """The unit that stands at a place, or ""."""
    for unit in _units_by_first().get(text[at : at + 1], ()):
        is_metric = unit in _FROM_METRIC
        if text.startswith(unit, at) and not (is_metric and not _may_end(text, at + len(unit))):
            return unit
    return ""


_MEASURES = frozenset(MEASURES.split())


def _measure_at(text: str, at: int) -> str:
    """The unit of 3gb, written close behind its number, or ""."""
    end = at
    while end < len(text) and text[end].isascii() and text[end].isalpha():
        end += 1
    measure = text[at:end]
    return measure if measure in _MEASURES and _may_end(text, end) else ""


def _whole(number: str) -> int:
    value = read_number(number)
    return value if isinstance(value, int) else -1


def _is_year(number: str) -> bool:
    if len(number) != 4:
        return False
    return 1000 <= _whole(number) <= 2999 and (number.isdecimal() or number[0] in "一二")


def _plain(value: int | float) -> str:
    """In digits, without a float's tail."""
    return str(value) if isinstance(value, int) else f"{value:.6f}".rstrip("0").rstrip(".")


def _in_digits(value: int) -> list[str]:
    """20000, 20,000 and 2万; 3000 and 3千."""
    ways = [str(value)]
    if value >= 1000:
        ways.append(f"{value:,}")
    for char, scale in (("亿", 10**8), ("万", 10**4), ("千", 1000)):
        if value >= scale:
            short = f"{value / scale:.6f}".rstrip("0").rstrip(".")
            if len(short.replace(".", "")) <= 4 and (char != "千" or "." not in short):
                ways.append(f"{short}{char}")
            break
    return ways


_SHORT_WITH = ("号", "周年", "年", "岁")


def _in_short_tens(value: int | float) -> str:
    """廿五 for 25, 卅 for 30; "" for what is not written so."""
    if not isinstance(value, int) or not 20 <= value < 40:
        return ""
    return "廿卅"[value // 10 - 2] + (_ROW[value % 10] if value % 10 else "")


def _in_han(value: int | float, unit: str = "") -> list[str]:
    """Chinese numerals for a value; for a 2 by what it counts."""
    if isinstance(value, float):
        whole, _, fraction = _plain(value).partition(".")
        if not fraction or len(whole) > 12:
            return []
        return [f"{write_number(int(whole))}点{_row(fraction, '零')}"]
    if not 0 <= value < 10**12:
        return []
    if value == 2 and unit and unit not in _RANKS:
        return ["两", "二"] if unit in _RANKS_AND_COUNTS else ["两"]
    ways = [write_number(value)]
    if 200 <= value < 300:
        ways.append("两" + ways[0][1:])
    if 10_000 < value < 100_000 and value % 10_000 and value % 1000 == 0:
        ways.append(f"{ways[0][:2]}{_ROW[value // 1000 % 10]}")
    return ways
