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
    near = any(t.kind == "near" and not _of_all(text, t) for t in tokens)
    if "pending" in kinds or compiled(_NOT_YET_TIME).search(text):
        return 0, 0
    if opposed(text):
        return MIXED, 0
    if compiled(_ON_SCHEDULE).search(text):
        return 0, 0
    if compiled(_SHORT_BY).search(text):
        return -1, 0
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
        start = first(tokens, "near")
        negated = any(t.kind == "negators" for t in tokens if t.start >= start)
        short = any(t.kind == "near" and t.text in _SHORT_OF for t in tokens)
        value = -1 if short else 1 if negated else -value
    return value, own


def _of_words(text: str, tokens: Sequence[Token]) -> int:
    """What the words of a clause say, negations and preventions applied; the last one decides."""
    parity, value, raw_before = 1, 0, 0
    fresh = prevented = lost = False
    negation: Token | None = None
    used = True
    for place, token in enumerate(tokens):
        if token.kind == "negators":
            if token.text in _BOUND and not (
                _touches(tokens, place)
                or (token.text == "不" and negation and compiled(_NONE).match(text, negation.start))
            ):
                continue
            if value and compiled(_OF_WHICH).match(text, token.stop):
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
            if negation and negation.text in among("ended") and token.start > negation.stop:
                continue
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


_OF_WHICH = r"[^,的]{1,4}的[\u4e00-\u9fff]"
"""What a negation is within that only says which one is meant (救回了没存的稿子)."""

_NONE = r"没(?:有)?(?:任何)?[一哪谁几]"
"""None of several; a 不 behind is a second negation however far (没有谁不觉得它硌)."""


def _of_all(text: str, token: Token) -> bool:
    """Whether a word like almost is about how many (almost everyone), and nothing was missed."""
    return bool(compiled(_MANY).match(text, token.stop))


_MANY = (
    r"\s+(?:every\w*|all|half|no|none|nobody|zero|twice|double\w*|triple\w*|any\w*|always|never"
    r"|perfect\w*|[0-9])"
)


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


_UNWANTED = (
    r"[染沾惹摊撞缠]上|[走散逃退跑丢坏死伤乱慌倒停断掉错]了?$|排(?:过|了)?(?:一次|一回)?队|"
    r"[扣卡堵塞漏磨伤蹭刮淋湿晃抖闹犯超欠返硌勒呛熏烫]"
)
"""Verbs of what nobody wants: 没扣手续费."""

_NOTHING_EXTRA = r"(?:没|没有|未)(?:多|乱|白|瞎|再)[收花付交扣要算涨跑等加]"
_OCCURRED = (
    r"(?:再)?(?:出现|发生|发现|查出|检出|查到|测出|留下(?!来)|引起|造成|犯|冒"
    r"|碰上|遇上|遇到|撞上|赶上|happen|recur|come back|occur)"
)


_SHORT_BY = r"差了?(?!一?点|不多)(?:[0-9一二两三四五六七八九十几半]+)[^,没未]{0,4}(?:没|未|不)"
"""By how much something did not come about: 差三分钟没赶上."""

_ON_SCHEDULE = (
    r"\b(?:is|are) now \w+ (?:on|every|at|in|by|from|to|as) (?:the )?"
    r"(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekdays|weekends"
    r"|mornings?|evenings?|afternoons?|noon|midnight|month|week|day|[0-9])"
)
"""When something is done from now on, which tells nothing of how it ended."""

_DROPPED = r"\b(?:dropped|lost|cut|down|fell)\b"
"""What nobody wants, though of a quantity it says a direction (not a packet was dropped)."""

_NOT_MUCH = ("没什么", "没有什么", "没啥", "没怎么", "没有任何", "没任何")

_TIRESOME = (
    r"(?:想|要|愿意?)?(?:走|离|辞|逃|放弃)"
    r"|[停断改剩欠拖晚迟漏丢返加熬吵哭抖晃磕碰超挤闹换退撤涨催罚扣]"
)

_NONE_NOT = r"没(?:有)?(?:任何)?[一哪谁几][^,不没]{0,8}?不(?![是再])(.+)"
"""A double negation of what no list has: 没有一只羊不肥, 没有一次搬运不磕碰."""


_NOT_YET_TIME = r"(?:还没|还不|没)到.{0,8}(?:时候|时间|日子|期)"


_UNAFFECTED = r"没(?:有)?影响(?:到)?[^,]"


_SHORT_OF = ("就差", "只差", "差半步", "差一步")
"""What is said to be missing, so that a negation behind says the same again (就差一票没选上)."""


_NEVER = (
    r"^(?:再)?[^来回见赢成去开用睡吃卖出动涨做看问夸笑管给交还露好到]{1,3}"
    r"过(?:了|一?[\u4e00-\u9fff]{1,2})?$"
)


def _unfulfilled(text: str, negation: Token | None, used: bool, parity: int, before: int) -> int:
    """What a negation says of something no list has.

    What one tells of an outcome and negates is nearly always a result that was wanted (没签下来,
    无法存取, 没人来); what has ended, one that was not (不再抓沙发).
    """
    twice = compiled(_NONE_NOT).search(text)
    if twice:
        rest = twice.group(1)
        unwanted = by_characters(rest) < 0 or wants_less(rest) or compiled(_TIRESOME).match(rest)
        return -1 if unwanted else 1
    if compiled(_NOTHING_MISSING).search(text) or compiled(_NOTHING_EXTRA).search(text):
        return 1
    if compiled(_PASSED_NOT).search(text):
        return -1
    if negation is None or used:
        return 0
    if negation.text in _NOT_MUCH:
        return -by_characters(text[negation.stop :])
    if parity < 0 and compiled(_DROPPED).search(text, negation.stop):
        return 1
    rest = compiled(r"[了过呢啦的\s]+$").sub("", text[negation.stop :]).strip()
    if not rest and ("没" in negation.text or "未" in negation.text):
        return -before if before else -1
    if negation.text in ("零", "zero", "no", "无", "not a single") and wants_less(rest):
        return 1
    if not rest or negation.text in among("degree"):
        return 0
    if negation.text in among("ended") or wants_less(rest):
        return 1
    if compiled(_NEVER).search(text[negation.stop :]) or compiled(_OCCURRED).match(rest):
        return -parity
    if parity < 0 and (by_characters(rest[:3]) < 0 or compiled(_UNWANTED).match(rest)):
        return 1
    return 1 if parity > 0 else -1
