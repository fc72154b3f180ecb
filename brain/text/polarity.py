"""Sentiment polarity of an outcome: whether a text says that something ended well or badly.

Rules of the language over word lists (``data/polarity.txt``), for Chinese and English: the scope
of a negation (没有一个用例不通过), prevention (避免了停机), a near miss (差点没赶上), concession
(虽然…但是), directions of quantities (延迟降到 80ms), idiom. Signs are for the one who acted,
and go by how it ended. No model, no state: a better list changes the sign of every old record.

The composition follows the usual order of shift rules (Polanyi & Zaenen 2006, *Contextual Valence
Shifters*): words, then negation within a clause, then clauses by their connectives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from brain.text import lists
from brain.text.fold import fold
from brain.text.regex import compiled

Sign = Literal["good", "bad", "mixed", "neutral"]

MAX_CHARS = 2_000
"""Characters of a text that are read: an outcome says at its beginning how it ended."""

_LONGEST_WORDS = 4
"""English words of the longest entry."""

_AHEAD = 50
"""Words after one that prevents among which what it prevents is looked for."""

_FAR = 8
"""Characters between a word and the direction that is about it (投诉比上个月少了)."""

_CLAUSES = r"[,。.!?;、\n:]+(?![0-9])|[,.:](?=\s|$)|——|\s-\s|…+"
_ASCII_WORD = r"[a-z0-9][a-z0-9'_]*(?:-[a-z]+)*"

_COMPLEMENTS = (
    "起来|下来|出来|出去|进去|进来|过来|过去|回来|回去|上去|上来|下去|"
    "上|下|到|住|动|开|完|过|清|了|着|起|成|通|全|回|懂|透|好|稳|齐|准|够|牢|掉|出|进|见|灵|及|中|赢|足|满"
)
_POTENTIAL = rf"([\u4e00-\u9fff])不({_COMPLEMENTS})"
_ABLE = rf"[\u4e00-\u9fff]得({_COMPLEMENTS}|快|香|牢)"
_UNBREAKABLE = (
    r"[摔压用洗晒泡砸踩撞吹刮磨穿扯弄]不(?:坏|烂|破|碎|断|倒|变形|褪色)"
    r"|[坏丢错黄死烂垮崩]不了|难不倒"
)

_PASSED_NOT = (
    r"(?:没|未|没有|没能|未能)(?:考|通|审|验|评|面)?过(?![来去敏期几年一两三早高多分于度])"
)

_NUMBER = r"([0-9]+(?:\.[0-9]+)?|[零一二两三四五六七八九十百千万半]+)\s*"
_UNIT = (
    r"(%|ms|毫秒|s|秒钟?|min(?:utes?)?|分钟?|h(?:ours?)?|个?小时|天|周|个?月"
    r"|kb|mb|gb|tb|k|m|g|万|亿|元|块)?"
)
_FROM_TO = (
    rf"(?:从|由|from)?\s*{_NUMBER}{_UNIT}[^0-9,。;]{{0,4}}?"
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

_FEW_NUMBER = r"[^,。]{0,3}?(?:[0-9一二两三四五六七八九十半几])"
_ONLY_LESS = rf"[只仅才](?:耽误|[要用需花等排掉丢错漏罚赔坏跌降少差挨停])了?{_FEW_NUMBER}"
_ONLY_FEW = rf"(?:只|仅|才)(?:剩下?|有|够|[\u4e00-\u9fff]{{1,2}}了|卖出?|收|到|考|拿){_FEW_NUMBER}"


class _Token(NamedTuple):
    """A word of a list in a clause: its kind, where it stands, and what stands there.

    ``better`` is 1 for a quantity of which more is better, -1 for one of which more is worse.
    """

    kind: str
    start: int
    stop: int
    text: str
    better: int = 0


@cache
def _entries() -> dict[str, str]:
    """Word → kind; a later kind wins where a word stands under two."""
    order = (
        "achieve_en", "achieve", "expectation", "up", "down", "good_en", "good", "bad_en", "bad",
        "lose", "prevent", "idiom_good", "idiom_bad", "mixed", "neutral", "pending", "negators",
        "near", "blind",
    )  # fmt: skip
    out: dict[str, str] = {}
    for kind in order:
        for word in lists.words("polarity", kind):
            out[word.replace("_", " ")] = kind
    return out


@cache
def _among(heading: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in lists.words("polarity", heading))


@cache
def _quantities() -> dict[str, int]:
    """Quantity → 1 where more of it is better, -1 where more is worse."""
    out = dict.fromkeys(lists.words("polarity", "more_good"), 1)
    out |= dict.fromkeys(lists.words("polarity", "more_bad"), -1)
    return {word.replace("_", " "): better for word, better in out.items()}


@cache
def _lengths() -> dict[str, list[int]]:
    """First character → lengths of the words that begin with it, falling."""
    words = (w for w in (*_entries(), *_quantities()) if not w.isascii())
    return lists.Lexicon.of(dict.fromkeys(words, "")).lengths


@cache
def _marks(heading: str) -> re.Pattern[str]:
    """Any of the words under a heading; English ones as whole words."""
    found = sorted((w.replace("_", " ") for w in lists.words("polarity", heading)), key=len)
    parts = [rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in reversed(found)]
    return compiled("|".join(parts))


@lru_cache(maxsize=4096)
def sign(text: str) -> Sign:
    """Whether a text says that something ended well or badly.

    Args:
        text: an outcome, in Chinese or English; its first ``MAX_CHARS`` characters are read.

    Returns:
        ``good``, ``bad``, ``mixed`` (a gain and a loss both remain) or ``neutral`` (neither is
        said, or nothing is known yet).
    """
    folded = fold(text[:MAX_CHARS])[:MAX_CHARS]  # folded, one character may be eighteen
    value = _of_text(folded)
    return {1: "good", -1: "bad", 2: "mixed"}.get(value, "neutral")  # type: ignore[return-value]


_MIXED = 2


class _Clause(NamedTuple):
    """A clause's value (1, -1, ``_MIXED`` or 0), its text, and whether a contrast begins it."""

    value: int
    text: str
    contrast: bool


def _of_text(folded: str) -> int:
    clauses: list[_Clause] = []
    metric = 0
    for text, contrast in _clauses(folded):
        value, metric = _of_clause(text, metric)
        clauses.append(_Clause(value, text, contrast))
    return _combined(clauses)


def _clauses(folded: str) -> Iterator[tuple[str, bool]]:
    """The clauses, and of each whether a contrast stands before it."""
    conceded = False
    for piece in compiled(_CLAUSES).split(folded):
        rest = piece.strip()
        if not rest:
            continue
        contrast = conceded
        conceded = bool(_marks("concession").match(rest)) and not _marks("contrast").match(rest[2:])
        if compiled(r"可(?![以能见靠用口爱怜观贵信惜是])").match(rest):
            rest, contrast = rest[1:], True
        first = _marks("contrast_first").match(rest)
        if first:
            rest, contrast = rest[first.end() :], True
        at = 0
        for mark in _marks("contrast").finditer(rest):
            before = rest[at : mark.start()].strip()
            if mark.group() == "但" and rest.endswith("不", 0, mark.start()):
                continue
            if before:
                yield before, contrast
            contrast, at = True, mark.end()
            conceded = False
        if rest[at:].strip():
            yield rest[at:].strip(), contrast


def _combined(clauses: Sequence[_Clause]) -> int:
    """What the clauses say together: see the module's head for the order of the rules."""
    if any(c.value == _MIXED and compiled(_any_mixed()).search(c.text) for c in clauses):
        return _MIXED
    told = False
    for place in range(len(clauses) - 1, 0, -1):
        text = clauses[place].text
        told = told or clauses[place].value != 0
        if _marks("final").match(text) or _marks("final").search(text[:6]):
            if _marks("lucky").search(text[:6]):
                return 1
            if told:
                return _plain(clauses[place:])
    return _contrasted(clauses)


def _contrasted(clauses: Sequence[_Clause]) -> int:
    """Stretches of clauses between which contrasts stand, each with all that was said before it."""
    places = [place for place in range(1, len(clauses)) if clauses[place].contrast]
    bounds = [0, *places, len(clauses)]
    stretches = [clauses[start:stop] for start, stop in pairwise(bounds)]
    first, steps = _plain(stretches[0]), _is_step(stretches[0])
    for before, stretch in pairwise(stretches):
        after = _plain(stretch)
        if after and (first in (0, after) or steps):
            gained = after == -1 and not first and _compared(before[-1].text)
            first = _MIXED if gained else after
        elif after:
            first = _MIXED
        steps = steps and _is_step(stretch)
    return first


@cache
def _any_mixed() -> str:
    return "|".join(re.escape(w.replace("_", " ")) for w in lists.words("polarity", "mixed"))


def _is_step(clauses: Sequence[_Clause]) -> bool:
    """Whether clauses are effort, expectation or an earlier step, or did not come about."""
    told = [c for c in clauses if c.value]
    return all(_marks("expectation").search(c.text) or _marks("near").search(c.text) for c in told)


def _compared(text: str) -> bool:
    """Whether a clause says that something became more or less, and no list knows what it is:
    before a loss that is told as a gain (声音大了，不过杂音也重了)."""
    return any(t.kind in ("up", "down") for t in _tokens(text)) and text.endswith(
        ("了", "倍", "半")
    )


_OPPOSED = r"有([\u4e00-\u9fff]{1,2})有([\u4e00-\u9fff]{1,2})"


def _opposed(text: str) -> bool:
    """Whether a clause sets two against each other: 有赚有亏."""
    pair = compiled(_OPPOSED).search(text)
    return pair is not None and _by_characters(pair.group(1)) * _by_characters(pair.group(2)) < 0


def _plain(clauses: Sequence[_Clause]) -> int:
    """Clauses one after the other without a contrast between them."""
    told = [c for c in clauses if c.value]
    values = {c.value for c in told}
    if len(values) <= 1:
        return told[-1].value if told else 0
    last = told[-1]
    if last.value == 1 and _marks("recovery").search(last.text):
        return 1
    if _marks("after").search(last.text[:8]) or _is_step(told[:-1]):
        return last.value
    if last.value == -1 and not any(c.contrast for c in told):
        weak = [c for c in told[:-1] if c.value == 1]
        return _MIXED if weak else -1
    return _MIXED


def _of_clause(text: str, metric: int) -> tuple[int, int]:
    """A clause's value, and the direction that is good for the quantity it is about (0: none).

    Args:
        metric: that of the clause before, for one that names none (成本没降，反而升了).
    """
    tokens = list(_tokens(text))
    kinds = {t.kind for t in tokens}
    near = "near" in kinds
    if "pending" in kinds or compiled(_NOT_YET_TIME).search(text):
        return 0, 0
    if _opposed(text):
        return _MIXED, 0
    if "mixed" in kinds:
        return (1 if any(t.text in _among("ended") for t in tokens) else _MIXED), 0
    quantity, own = _of_quantity(text, tokens, metric)
    words = _of_words(text, tokens)
    if quantity and not {"idiom_good", "idiom_bad"} & kinds:
        value = quantity
    elif compiled(_UNAFFECTED).search(text):
        value = 1
    elif "neutral" in kinds and all(t.better for t in tokens if t.kind in _EVALUATING):
        return 0, own
    else:
        value = words
    if near and value:
        negated = any(t.kind == "negators" for t in tokens if t.start >= _first(tokens, "near"))
        value = 1 if negated else -value
    return value, own


def _first(tokens: Sequence[_Token], kind: str) -> int:
    return next(t.start for t in tokens if t.kind == kind)


_EVALUATING = {
    "good": 1, "good_en": 1, "idiom_good": 1, "able": 1, "less": 1,
    "bad": -1, "bad_en": -1, "idiom_bad": -1, "unable": -1, "few": -1, "lose": -1,
}  # fmt: skip


def _of_words(text: str, tokens: Sequence[_Token]) -> int:
    """What the words of a clause say, negations and preventions applied; the last one decides."""
    parity, value, raw_before = 1, 0, 0
    fresh = prevented = lost = False
    negation: _Token | None = None
    used = True
    for place, token in enumerate(tokens):
        if token.kind == "negators":
            if token.text in _BOUND and not _touches(tokens, place):
                continue
            parity = -parity if fresh or not raw_before else -1
            raw_before, fresh, negation, used = 0, True, token, False
            continue
        if token.kind == "prevent":
            if _next_value(tokens, place) < 0:
                prevented = True
                continue
            raw = 1
        elif token.kind in _EVALUATING:
            raw = _EVALUATING[token.kind]
            if prevented and raw < 0:
                value, raw_before, used = parity, -1, True
                continue
            if lost and raw > 0:
                continue
            raw = _turned(text, tokens, place, raw)
        elif token.kind in ("achieve", "achieve_en"):
            if parity < 0 and not raw_before:
                over = value < 0 and token.text in _COMING
                value, used, raw_before = (1 if over else -1), True, 1
            elif not value and token.kind == "achieve" and _came_about(text, token):
                value = parity
            continue
        else:
            continue
        if raw_before and raw != raw_before:
            parity = 1
        value, raw_before, fresh, used = parity * raw, raw, False, True
        lost = token.kind == "lose" and parity > 0
    if not value or not used:
        value = _unfulfilled(text, negation, used, parity, value) or value
    return value or _by_shape(text)


def _next_value(tokens: Sequence[_Token], place: int) -> int:
    """What the next word after a place that evaluates says; 0 where none follows."""
    later = tokens[place + 1 : place + 1 + _AHEAD]
    return next((_EVALUATING[t.kind] for t in later if t.kind in _EVALUATING), 0)


_BOUND = frozenset("零无不")
"""Negations only of the very next word: 零差评, 无报错; 零食 and 无线 are none."""


def _touches(tokens: Sequence[_Token], place: int) -> bool:
    after = tokens[place + 1 : place + 2]
    return bool(after) and after[0].start - tokens[place].stop <= (
        1 if tokens[place].text == "不" else 0
    )


_CAME_TRUE = r"(?:总算|终于|好不容易|可算)[^没不未无]+了?$"
_CEASED = r"不[\u4e00-\u9fff]{1,2}了$"
_SUFFERED = r"(?:被|遭)[\u4e00-\u9fff]{1,4}了"
_CAME_OFF = r"^(?:[\u4e00-\u9fff]{0,4}(?:事|单|这下|总算|终于|一次|一次就|一试就))?成了$"


_BY_SHAPE: tuple[tuple[str, int], ...] = (
    (_CAME_TRUE, 1),
    (_CAME_OFF, 1),
    (r"(?:考|过|通)过?了[^,]{0,6}(?:级|关|线|审|检|试|考|证|赛)", 1),
    (r"进了?(?:榜|前[一二三四五六七八九十0-9]|决赛|复赛|面试|名校|大厂|终面|总决赛)", 1),
    (r"(?:[0-9一二两三几半]|当)[个]?(?:天|小时|分钟|秒|周|月)?就(?:能|可以|够|好|行)", 1),
    (_CEASED, 1),
    (r"(?:拿|考|得|打)了?\s*(?:[89][0-9]|1[0-9]{2})\s*(?:多)?分", 1),
    (r"(?:拿|考|得|打)了?\s*[1-5]?[0-9]\s*(?:多)?分", -1),
    (r"(?:build|ci|pipeline|流水线|用例|测试|检查)[^,]{0,6}红了?$", -1),
    (r"(?:build|ci|pipeline|流水线|用例|测试|检查)[^,]{0,6}绿了?$", 1),
    (r"(?<![0-9a-z.])5[0-9]{2}(?![0-9]|\s*(?:个|元|块|ms|人|份|条|次|mb|k|米|克|天))", -1),
    (
        r"(?:客户|员工|读者|会员|用户|学员|粉丝|队员|学生|同事|店员|骨干|阿姨|保姆|租客|老师|人)[^,]{0,6}(?:跑|走)(?:了|光)",
        -1,
    ),
    (r"把.{1,8}当(?:成|作|做)?.{1,8}[\u4e00-\u9fff]了", -1),
    (r"(?:掉|跌|降)了?[0-9一二两三四五六七八九十几半百]+(?:多|来)?(?:个)?(?:点|名|位|档|级)", -1),
    (
        r"(?:涨|升|进步|前进)了?[0-9一二两三四五六七八九十几半百]+(?:多|来)?(?:个)?(?:点|名|位|档|级)",
        1,
    ),
    (_SUFFERED, -1),
)
"""Shapes of clauses whose words are in no list, with what each says; the first that fits counts."""

_CHANGED = (
    r"(?:[换改挪搬调移转并拆分存放排定约录写贴抄交发送设标]|登记|归档)(?:约|期|签)?"
    r"(?:[成到为在进给至]|了(?:一?[个家种款]|一遍|一下|位置|名字|地方|方向))|换了[一个]|加了[一个两]"
    r"|还在[谈等看写做改审测查走]"
    r"|\b(?:renamed|moved|switched|now lives|reorganized|rescheduled)\b"
)
"""What was only changed, which tells nothing of how it ended."""


def _by_shape(text: str) -> int:
    """What the shape of a clause says whose words are in no list, else its characters."""
    for shape, value in _BY_SHAPE:
        if compiled(shape).search(text):
            return value
    return 0 if compiled(_CHANGED).search(text) else _by_characters(text)


@cache
def _characters() -> dict[str, int]:
    """Character → 1 or -1."""
    out = {c: -1 for line in lists.lines("polarity")["bad_chars"] for c in line}
    return out | {c: 1 for line in lists.lines("polarity")["good_chars"] for c in line}


def _by_characters(text: str) -> int:
    """The sign most of a text's telling characters have; 0 for none or as many of both.

    The weakest evidence there is: characters within a word that is known to mean something else
    do not count.
    """
    hidden = {
        at
        for t in _scan(text)
        if t.kind in ("blind", "expectation")
        for at in range(t.start, t.stop)
    }
    total = sum(_characters().get(c, 0) for at, c in enumerate(text) if at not in hidden)
    return (total > 0) - (total < 0)


_COMING = ("come", "came", "appear", "return", "show")
"""What has not come back was not wanted, where it is bad (the bug has not come back)."""


def _turned(text: str, tokens: Sequence[_Token], place: int, raw: int) -> int:
    """A word's sign where a direction is about it: 投诉少了, 好评少了."""
    token = tokens[place]
    for later in tokens[place + 1 :]:
        if later.start - token.stop > _FAR or later.kind in _EVALUATING:
            break
        if later.kind == "down" and not _adverbial(text, later):
            return -raw
    return raw


def _adverbial(text: str, token: _Token) -> bool:
    """Whether 少 and 减 are part of another word or say how little (少量)."""
    follower = text[token.stop : token.stop + 1]
    return (
        len(token.text) == 1
        and follower != ""
        and follower in "量数许见有年女儿主免肥负法价薪员得多"
    )


def _came_about(text: str, token: _Token) -> bool:
    return token.text[-1] in "完好通到着掉满" and text[token.stop : token.stop + 1] in ("了", "")


_NOTHING_MISSING = r"(?:没|不|未)(?:有)?(?:少|缺|落|差|丢)(?:了|过|一[\u4e00-\u9fff]{1,3})?$"
_OCCURRED = r"(?:再)?(?:出现|发生|犯|冒|碰上|遇上|遇到|撞上|赶上|happen|recur|come back|occur)"
_NOT_YET_TIME = r"(?:还没|还不|没)到.{0,8}(?:时候|时间|日子|期)"
_UNAFFECTED = r"没(?:有)?影响(?:到)?[^,]"
_NEVER = r"^(?:再)?[^来回见赢成去开用睡吃卖出动涨做看问夸笑管给交还露好到]{1,3}过(?:了|一次|一回)?$"


def _unfulfilled(text: str, negation: _Token | None, used: bool, parity: int, before: int) -> int:
    """What a negation says of something no list has.

    What one tells of an outcome and negates is nearly always a result that was wanted (没签下来,
    无法存取, 没人来); what has ended, one that was not (不再抓沙发).
    """
    if compiled(_NOTHING_MISSING).search(text):
        return 1
    if compiled(_PASSED_NOT).search(text):
        return -1
    if negation is None or used:
        return 0
    rest = compiled(r"[了过呢啦的\s]+$").sub("", text[negation.stop :]).strip()
    if not rest and ("没" in negation.text or "未" in negation.text):
        return -before if before else -1
    if not rest or negation.text in _among("degree"):
        return 0
    if negation.text in _among("ended"):
        return 1
    if compiled(_NEVER).search(text[negation.stop :]) or compiled(_OCCURRED).match(rest):
        return -parity
    if parity < 0 and _by_characters(rest[:3]) < 0:
        return 1
    return 1 if parity > 0 else -1


def _of_quantity(text: str, tokens: Sequence[_Token], before: int) -> tuple[int, int]:
    """What the direction of a quantity says, and which direction is good for it."""
    metrics = [t for t in tokens if t.better]
    own = metrics[-1].better if metrics else _by_suffix(text)
    better = own or before
    moved = _moved(text, tokens, metrics)
    if not moved:
        return 0, own
    if not better:
        return (-moved[0], 0) if moved[1] else (0, 0)
    if not own and any(t.kind in _EVALUATING and t.kind != "few" for t in tokens):
        return 0, 0
    return better * moved[0], better


_COSTS = r"[\u4e00-\u9fff]{1,2}(?:费|税|租金|时间|时长|耗时|成本|噪音?|误差|延迟)"
_RATES = r"([\u4e00-\u9fff]{1,4})率"


def _by_suffix(text: str) -> int:
    """Which direction is good for a quantity no list has, by how its name ends; 0 for none."""
    if compiled(_COSTS).search(text):
        return -1
    rate = compiled(_RATES).search(text)
    if rate:
        return -1 if _by_characters(rate.group(1)) < 0 else 1
    return 0


def _moved(
    text: str, tokens: Sequence[_Token], metrics: Sequence[_Token]
) -> tuple[int, bool] | None:
    """Up (1) or down (-1), and whether what moved is a duration; None where nothing moved."""
    pair = compiled(_FROM_TO).search(text)
    if pair and not compiled(_SETTING).search(text):
        low, low_unit, _, high, high_unit = pair.groups()
        first, last = _amount(low, low_unit or high_unit), _amount(high, high_unit or low_unit)
        if first is not None and last is not None and first != last:
            timed = (high_unit or low_unit) in {*_SECONDS, "kb", "mb", "gb", "tb"}
            return (1 if last > first else -1), timed
    negations = 0
    for token in tokens:
        if token.kind == "negators":
            negations += 1
        if token.kind in ("up", "down") and not _adverbial(text, token):
            if metrics and token.start - metrics[-1].stop > 3 * _FAR:
                continue
            way = 1 if token.kind == "up" else -1
            return (-way if negations % 2 else way), False
        if token.kind == "prevent" and token.text[:1] in "减降缩" and metrics:
            return (1 if negations % 2 else -1), False
    return None


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


def _tokens(text: str) -> Iterator[_Token]:
    """The words of the lists in a clause that say something."""
    return (token for token in _scan(text) if token.kind != "blind")


@lru_cache(maxsize=16)
def _scan(text: str) -> Sequence[_Token]:
    """The words of the lists in a clause, the longest at each place, in order."""
    tokens = list(_read(text))
    ahead: list[int] = []  # what the words behind say, the next one last
    for place in range(len(tokens) - 1, -1, -1):
        kind = tokens[place].kind
        if kind == "seeming":  # not to be found: something bad, or something that was looked for
            kind = "negators" if any(value < 0 for value in ahead[-2:]) else "unable"
            tokens[place] = tokens[place]._replace(kind=kind)
        if kind != "blind":
            ahead.append(_EVALUATING.get(kind, 0))
    return tokens


def _read(text: str) -> Iterator[_Token]:
    """As :func:`_scan`, with the kind ``seeming`` for 看不出 and its like."""
    entries, quantities, lengths = _entries(), _quantities(), _lengths()
    ascii_words = list(compiled(_ASCII_WORD).finditer(text))
    starts = {m.start(): n for n, m in enumerate(ascii_words)}
    potential = {m.start(): m for m in compiled(_POTENTIAL).finditer(text)}
    able = {m.start(): m for m in compiled(_ABLE).finditer(text)}
    special = {m.start(): ("able", m) for m in compiled(_UNBREAKABLE).finditer(text)}
    special |= {m.start(): ("less", m) for m in compiled(_ONLY_LESS).finditer(text)}
    special |= {m.start(): ("few", m) for m in compiled(_ONLY_FEW).finditer(text)}
    at = 0
    while at < len(text):
        if at in starts:
            token = _english(text, ascii_words, starts[at])
            if token:
                yield token
                at = token.stop
            else:
                at = ascii_words[starts[at]].end()
            continue
        if at in special:
            kind, shape = special[at]
            yield _Token(kind, at, shape.end(), shape.group())
            at = shape.end()
            continue
        found = None
        for length in lengths.get(text[at], ()):
            word = text[at : at + length]
            if word in entries or word in quantities:
                better = quantities.get(word, 0)
                found = _Token(entries.get(word, "quantity"), at, at + len(word), word, better)
                break
        match = potential.get(at)
        if match and (found is None or found.stop <= match.end()):
            if match.group()[:3] in _among("seeming"):
                yield _Token("seeming", at, match.end(), match.group())
                at = match.end()
                continue
            idle = any(text.startswith(word, at) for word in _among("idle"))
            kind = "blind" if idle else "unable"
            if match.group(1) not in "的了都也就还是又并可再从毫很太":
                yield _Token(kind, at, match.end(), match.group())
                at = match.end()
                continue
        match = able.get(at)
        if (
            match
            and (found is None or found.stop <= match.end())
            and match.group()[0] not in "觉值获取懒显舍记使"
        ):
            yield _Token("able", at, match.end(), match.group())
            at = match.end()
            continue
        if found:
            match = potential.get(found.stop - 1)
            if match and match.group(2) != "出" and found.kind in ("achieve", "quantity", "good"):
                yield _Token("unable", at, match.end(), text[at : match.end()])
                at = match.end()
                continue
            yield found
            at = found.stop
        else:
            at += 1


def _english(text: str, words: Sequence[re.Match[str]], place: int) -> _Token | None:
    """The longest entry of English words that begins at a word; None where there is none."""
    entries, quantities = _entries(), _quantities()
    for count in range(min(_LONGEST_WORDS, len(words) - place), 0, -1):
        chosen = words[place : place + count]
        phrase = " ".join(m.group() for m in chosen)
        start, stop = chosen[0].start(), chosen[-1].end()
        if len(phrase) == stop - start and (phrase in entries or phrase in quantities):
            kind = entries.get(phrase, "quantity")
            if kind == "blind":
                return None
            return _Token(kind, start, stop, phrase, quantities.get(phrase, 0))
    return None
