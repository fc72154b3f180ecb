"""Durations in Chinese: 三天, 半年, 一个半月, 两年多, 好几周."""

from __future__ import annotations

from brain.text.dates import periods, words_zh
from brain.text.dates.scan import first_of, numeral, past_blank

HAN_DIGITS = "零一两三四五六七八九"


def amount(text: str, at: int) -> tuple[periods.Amount, int] | None:
    """三, 半, 几, 好几, 十几, 2.5 and where it ends."""
    at += len(first_of(text, at, ("好", "大")))
    if word := first_of(text, at, ("若干", "几", "数")):
        return periods.FEW, at + len(word)
    if word := first_of(text, at, ("十几", "十来", "十多")):
        return (10.5, 19.5 if word == "十几" else 14.5), at + 2
    if text.startswith("半", at):
        return 0.5, at + 1
    pair = [HAN_DIGITS.find(c) for c in text[at : at + 2]]
    if len(pair) == 2 and 0 < pair[0] < pair[1] <= pair[0] + 2:
        # 两三天, 三五个月.
        return (pair[0] - 0.5, pair[1] + 0.5), at + 2
    return numeral(text, at)


def _unit(text: str, at: int) -> tuple[str, int, bool] | None:
    """A unit of time with its 个, where it ends, and whether a half was named (一个半月)."""
    measured = text.startswith("个", at)
    at += measured
    # 一个多月.
    at += measured and text.startswith(("多", "来"), at)
    half = text.startswith("半", at)
    at += half
    for word, unit in words_zh.UNITS.items():
        if text.startswith(word, at) and (
            not measured or word in words_zh.UNITS_WITH_GE or (half and word == "周")
        ):
            # 三月 is a month, 三个月 a length; but 半月.
            if word == "月" and not measured and text[at - 1] != "半":
                return None
            return unit, at + len(word), half
    return None


def length(text: str, at: int) -> tuple[periods.Amount, str, int] | None:
    """An amount of a unit: 三天, 半年, 一个半月, 两年半, 好几周."""
    found = amount(text, at)
    if found is None:
        return None
    number, end = found
    end = past_blank(text, end)
    more = text.startswith("多", end)
    unit = _unit(text, end + more)
    if unit is None:
        return None
    name, end, half = unit
    if not half and text.startswith("半", end):
        half, end = True, end + 1
    end += text.startswith("多", end)
    if half and not isinstance(number, tuple):
        number += 0.5
    return number, name, end
