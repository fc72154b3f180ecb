"""Valence of one clause: its words, with negations, preventions and quantities applied."""

from __future__ import annotations

from collections.abc import Sequence

from brain.text.polarity.lexicon import EVALUATING, Token, among, first, words_of
from brain.text.polarity.quantities import FAR, adverbial, of_quantity, wants_less
from brain.text.polarity.shapes import by_characters, by_shape, opposed
from brain.text.regex import compiled

_AHEAD = 50
"""Words after one that prevents among which what it prevents is looked for."""


_PASSED_NOT = (
    r"(?:没|未|没有|没能|未能)(?:考|通|审|验|评|面)?过(?![来去敏期几年一两三早高多分于度])"
)


MIXED = 2


_SOONER = (
    r"(?:没|不)(?:有)?(?:到|过|用|等|出|满|重启|怎么)?[^,不没]{0,6}?就(?!是|算|可|能|会|行|好|要)"
)
"""A negation that ends before what came about: 没两天就坏了, 没重启就生效."""


def of_clause(text: str, metric: int) -> tuple[int, int]:
    """A clause's value, and the direction that is good for the quantity it is about (0: none).

    Args:
        metric: that of the clause before, for one that names none (成本没降，反而升了).
    """
    sooner = list(compiled(_SOONER).finditer(text))
    if sooner:
        value, own = _valued(text[sooner[-1].end() :], metric)
        if value:
            return value, own
    return _valued(text, metric)


def _valued(text: str, metric: int) -> tuple[int, int]:
    """As :func:`of_clause`, a negation taken to reach to the end."""
    tokens = list(words_of(text))
    kinds = {t.kind for t in tokens}
    near = "near" in kinds
    if "pending" in kinds or compiled(_NOT_YET_TIME).search(text):
        return 0, 0
    if opposed(text):
        return MIXED, 0
    if "mixed" in kinds:
        return (1 if any(t.text in among("ended") for t in tokens) else MIXED), 0
    quantity, own = of_quantity(text, tokens, metric)
    words = _of_words(text, tokens)
    if quantity and not {"idiom_good", "idiom_bad"} & kinds:
        value = quantity
    elif compiled(_UNAFFECTED).search(text):
        value = 1
    elif "neutral" in kinds and all(t.better for t in tokens if t.kind in EVALUATING):
        return 0, own
    else:
        value = words
    if near and value:
        negated = any(t.kind == "negators" for t in tokens if t.start >= first(tokens, "near"))
        value = 1 if negated else -value
    return value, own


def _of_words(text: str, tokens: Sequence[Token]) -> int:
    """What the words of a clause say, negations and preventions applied; the last one decides."""
    parity, value, raw_before = 1, 0, 0
    fresh = prevented = lost = False
    negation: Token | None = None
    used = True
    for place, token in enumerate(tokens):
        if token.kind == "negators":
            if token.text in _BOUND and not _touches(tokens, place):
                continue
            parity = -parity if fresh or not raw_before else -1
            raw_before, fresh, negation, used = 0, True, token, False
            continue
        if token.text in _GONE and _is_of_bad(text, tokens, place):
            value, raw_before, fresh, used = 1, 1, False, True
            continue
        if token.kind == "prevent":
            if _next_value(tokens, place) < 0:
                prevented = True
                continue
            raw = 1
        elif token.kind in EVALUATING:
            raw = EVALUATING[token.kind]
            if prevented and raw < 0:
                value, raw_before, used = parity, -1, True
                continue
            if lost and raw > 0:
                continue
            raw = _turned(text, tokens, place, raw)
        elif token.kind in ("achieve", "achieve_en"):
            if parity < 0 and not raw_before and _next_value(tokens, place) >= 0:
                over = value < 0 and token.text in _COMING
                value, used, raw_before = (1 if over else -1), True, 1
            elif parity > 0 and fresh and negation is not None:  # 没有哪位家长不点头
                value, used, raw_before = 1, True, 1
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
    return value or by_shape(text)


def _next_value(tokens: Sequence[Token], place: int) -> int:
    """What the next word after a place that evaluates says; 0 where none follows."""
    later = tokens[place + 1 : place + 1 + _AHEAD]
    return next((EVALUATING[t.kind] for t in later if t.kind in EVALUATING), 0)


_BOUND = frozenset("零无不")
"""Negations only of the very next word: 零差评, 无报错; 零食 and 无线 are none."""


def _touches(tokens: Sequence[Token], place: int) -> bool:
    after = tokens[place + 1 : place + 2]
    return bool(after) and after[0].start - tokens[place].stop <= (
        1 if tokens[place].text == "不" else 0
    )


def _is_of_bad(text: str, tokens: Sequence[Token], place: int) -> bool:
    """Whether something bad stands right before a word."""
    before = tokens[place - 1] if place else None
    if before is None or "被" in text:
        return False
    bad = EVALUATING.get(before.kind, 0) < 0 or before.better < 0
    return bad and not text[before.stop : tokens[place].start].strip()


_GONE = ("没了", "不见了", "消失了", "消了", "散了", "退了", "好了", "停了",
    "gone", "is gone", "are gone", "was gone", "disappeared", "has disappeared", "vanished",
    "has vanished", "cleared up",
)  # fmt: skip
"""Good where what is gone was bad: 霉味没了."""

_COMING = ("come", "came", "appear", "return", "show")
"""What has not come back was not wanted, where it is bad (the bug has not come back)."""


def _turned(text: str, tokens: Sequence[Token], place: int, raw: int) -> int:
    """A word's sign where a direction is about it: 投诉少了, 好评少了."""
    token = tokens[place]
    for later in tokens[place + 1 :]:
        if later.start - token.stop > FAR or later.kind in EVALUATING:
            break
        if later.kind == "down" and not adverbial(text, later):
            return -raw
    return raw


def _came_about(text: str, token: Token) -> bool:
    return token.text[-1] in "完好通到着掉满" and text[token.stop : token.stop + 1] in ("了", "")


_NOTHING_MISSING = r"(?:没|不|未)(?:有)?(?:少|缺|落|差|丢)(?:了|过|一[\u4e00-\u9fff]{1,3})?$"


_UNWANTED = r"[走散逃退跑丢坏死伤乱慌]了?$|[扣漏磨伤蹭刮淋湿晃抖闹犯超欠返硌勒呛熏烫]"
"""Verbs of what nobody wants: 没扣手续费."""

_NOTHING_EXTRA = r"(?:没|没有|未)(?:多|乱|白|瞎|再)[收花付交扣要算涨跑等加]"
_OCCURRED = (
    r"(?:再)?(?:出现|发生|发现|查出|检出|查到|测出|留下(?!来)|引起|造成|犯|冒"
    r"|碰上|遇上|遇到|撞上|赶上|happen|recur|come back|occur)"
)


_NOT_YET_TIME = r"(?:还没|还不|没)到.{0,8}(?:时候|时间|日子|期)"


_UNAFFECTED = r"没(?:有)?影响(?:到)?[^,]"


_NEVER = r"^(?:再)?[^来回见赢成去开用睡吃卖出动涨做看问夸笑管给交还露好到]{1,3}过(?:了|一次|一回)?$"


def _unfulfilled(text: str, negation: Token | None, used: bool, parity: int, before: int) -> int:
    """What a negation says of something no list has.

    What one tells of an outcome and negates is nearly always a result that was wanted (没签下来,
    无法存取, 没人来); what has ended, one that was not (不再抓沙发).
    """
    if compiled(_NOTHING_MISSING).search(text) or compiled(_NOTHING_EXTRA).search(text):
        return 1
    if compiled(_PASSED_NOT).search(text):
        return -1
    if negation is None or used:
        return 0
    rest = compiled(r"[了过呢啦的\s]+$").sub("", text[negation.stop :]).strip()
    if not rest and ("没" in negation.text or "未" in negation.text):
        return -before if before else -1
    if not rest or negation.text in among("degree"):
        return 0
    if negation.text in among("ended") or wants_less(rest):
        return 1
    if compiled(_NEVER).search(text[negation.stop :]) or compiled(_OCCURRED).match(rest):
        return -parity
    if parity < 0 and (by_characters(rest[:3]) < 0 or compiled(_UNWANTED).match(rest)):
        return 1
    return 1 if parity > 0 else -1
