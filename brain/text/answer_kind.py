"""Answer kind: what kind of thing a question wants (who, when, how much, a port), and whether a
note holds one.

A question with most of its words in a note may still not be answered there: the price is asked,
and the note tells of a repair. Question classification is that of Li & Roth (2002, Learning
Question Classifiers), with the kinds people ask a memory for; both sides read word lists
(``answer_kinds``), and what a note may hold are shapes: a date, an amount, a number behind a word.
Where it can't be told the answer is :data:`UNKNOWN`: it is evidence, never a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from brain.text.lists import Lexicon, spoken, words
from brain.text.regex import compiled


class Kind(StrEnum):
    """What kind of thing answers."""

    WHO = "who"
    WHEN = "when"
    CLOCK = "clock"
    WEEKDAY = "weekday"
    DAY = "day"
    WHERE = "where"
    PRICE = "price"
    COUNT = "count"
    DURATION = "duration"
    MEASURE = "measure"
    AGE = "age"
    REASON = "reason"
    HOW_TO = "how_to"
    NAME = "name"
    COLOUR = "colour"
    PHONE = "phone"
    MAIL = "mail"
    LINK = "link"
    CODE = "code"
    VERSION = "version"
    PORT = "port"
    MODEL = "model"
    YES_NO = "yes_no"
    OPEN = "open"
    """Anything: 是什么, 怎么样."""


UNKNOWN = 0.5
"""What is said of kinds that no shape tells."""

REACH = 20
"""Characters from a matched place within which a value most likely belongs to it."""

FAR = 0.6
"""What a value counts that stands farther away than :data:`DISTANT`."""

DISTANT = 120

LONGEST = 2_000
"""Characters of a note that are looked at; of a longer one those around the matched places."""

LONGEST_QUESTION = 400

_MOST_NEAR = 64

_ARTICLE = 8
"""Characters of `` is the `` between an English word of asking and what it asks for."""

_WEAK = 0.6
"""What a shape counts that may be the thing, or something else: a bare number for a price."""

_ABSENT = {
    # The note's own day may be what is asked, and is in no text.
    Kind.WHEN: 0.3,
    Kind.DAY: 0.3,
    # Often told without any word for it.
    Kind.REASON: 0.4,
    Kind.HOW_TO: 0.35,
    Kind.MODEL: 0.35,
    Kind.NAME: 0.2,
    Kind.WHO: 0.1,
    Kind.WHERE: 0.15,
}
"""What a note without any such shape is still given."""

_ASKED = (
    Kind.WHO,
    Kind.WHEN,
    Kind.CLOCK,
    Kind.WEEKDAY,
    Kind.DAY,
    Kind.WHERE,
    Kind.PRICE,
    Kind.COUNT,
    Kind.DURATION,
    Kind.MEASURE,
    Kind.AGE,
    Kind.REASON,
    Kind.HOW_TO,
    Kind.NAME,
    Kind.COLOUR,
)
_ATTRIBUTES = (
    Kind.PHONE,
    Kind.MAIL,
    Kind.WHERE,
    Kind.LINK,
    Kind.DAY,
    Kind.CLOCK,
    Kind.PRICE,
    Kind.CODE,
    Kind.VERSION,
    Kind.PORT,
    Kind.MODEL,
    Kind.MEASURE,
    Kind.AGE,
    Kind.DURATION,
    Kind.REASON,
    Kind.HOW_TO,
    Kind.NAME,
    Kind.COLOUR,
    Kind.WHO,
)

# --- the question ---------------------------------------------------------------------------------

_ASKS, _ATTRIBUTE, _GENERIC, _YES_NO, _NOTHING = "asks", "attribute", "generic", "yes_no", "open"

_CHOICE = r"([\u4e00-\u9fff])[不没冇]\1|[是用给要选去吃喝买].{1,16}还是"
"""吃不吃, 来没来, 是你买的还是我买的."""

_UNCERTAIN_NUMBER = frozenset(("多少", "几多", "好多", "几"))
_CLAUSE_ENDS = frozenset(",;?!。、\n")
_WEAK_YES_NO = frozenset(("么", "嘛", "不", "没", "没有"))
"""Only at the end of a clause do these ask."""


def _list(heading: str) -> list[str]:
    return spoken(words("answer_kinds", heading))


@cache
def _phrases() -> Lexicon:
    entries: dict[str, str] = {}
    for kind in reversed(_ATTRIBUTES):
        entries |= dict.fromkeys(_list(f"attribute_{kind}"), f"{_ATTRIBUTE} {kind}")
    entries |= dict.fromkeys(_list("yes_no"), _YES_NO)
    entries |= dict.fromkeys(_list("generic"), _GENERIC)
    for kind in _ASKED:
        for phrase in _list(str(kind)):
            # 多大 asks for an age or a size.
            before = entries.get(phrase, "")
            entries[phrase] = f"{before if before.startswith(_ASKS) else _ASKS} {kind}"
    for counter in words("stop_words", "asked_counters"):
        entries.setdefault(f"几{counter}", f"{_ASKS} {Kind.COUNT}")
    return Lexicon.of(entries | dict.fromkeys(_list("open"), _NOTHING))


@cache
def _handed() -> Lexicon:
    return Lexicon.of(dict.fromkeys(_list("handed"), ""))


@lru_cache(maxsize=32)
def asked(folded: str) -> frozenset[Kind]:
    """The kinds of thing a question wants.

    A word of asking says it (谁, 多少钱, 几点), else the attribute it asks for (密码是什么, 房东的
    电话), clause by clause. 房租什么时候交 asks for a time, not for the rent.

    Args:
        folded: from :func:`brain.text.fold.fold`; beyond ``LONGEST_QUESTION`` its end is read.

    Returns:
        Nothing where nothing is asked; ``{OPEN}`` where anything would do.
    """
    folded = folded[-LONGEST_QUESTION:]
    kinds: set[Kind] = set()
    for start, end in _clauses(folded):
        kinds |= _clause(folded[start:end])
    telling = kinds - {Kind.YES_NO, Kind.OPEN}
    return frozenset(telling or kinds)


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for at, char in enumerate(text):
        if char in _CLAUSE_ENDS:
            yield start, at
            start = at + 1
    yield start, len(text)


def _clause(text: str) -> set[Kind]:
    text = text.strip()
    asks: set[Kind] = set()
    attributes: list[tuple[int, int, Kind]] = []
    generic: list[tuple[int, int]] = []
    yes_no = nothing = False
    for start, end, what in _phrases().found(text):
        sort, *kinds = what.split(" ")
        if sort == _ASKS:
            asks |= {_as_it_stands(text, start, end, Kind(kind)) for kind in kinds}
        elif sort == _ATTRIBUTE:
            attributes.append((start, end, Kind(kinds[0])))
        elif sort == _GENERIC:
            generic.append((start, end))
        elif sort == _YES_NO:
            yes_no = yes_no or text[start:end] not in _WEAK_YES_NO or end == len(text)
        else:
            nothing = True
    if asks - {Kind.OPEN}:
        return asks
    for start, end in generic:
        is_number = text[start:end] in _UNCERTAIN_NUMBER
        # What is the phone number: an article may stand between.
        reach = _ARTICLE if text[start:end].isascii() else 0
        after = [kind for begin, _, kind in attributes if 0 <= begin - end <= reach]
        before = [kind for _, stop, kind in attributes if stop <= start]
        if after:
            return {after[0]}
        # 密码设成什么了, but 六岁生日做的什么造型: only a number may be asked with more to come.
        if before and (is_number or _ends_there(text, end)):
            return {before[-1]}
        if is_number:
            return {Kind.COUNT}
    if generic or nothing or asks:
        return {Kind.OPEN}
    if yes_no or compiled(_CHOICE).search(text):
        return {Kind.YES_NO}
    if attributes and _ends_there(text, attributes[-1][1]):
        return {attributes[-1][2]}
    return set()


_COUNTED = frozenset("个家间所座条栋层幢")
_GROUPS = frozenset("组系班群部科队天年月次回种位些类样")


def _as_it_stands(text: str, start: int, end: int, kind: Kind) -> Kind:
    """What a phrase asks for where it stands."""
    if kind is Kind.HOW_TO and not text[start:end].isascii():
        # 进展如何, and 那事怎么处理的: how it stands, how it went, and no steps.
        return Kind.OPEN if end == len(text) or text[-1] == "的" else kind
    if kind is Kind.WHERE and text[end - 1 : end] == "哪":
        # 在哪个组, 到哪天: not a place.
        counted = text[end : end + 1] in _COUNTED and end < len(text)
        noun = text[end + counted : end + counted + 1]
        return Kind.OPEN if noun and noun in _GROUPS else kind
    return kind


def _ends_there(text: str, at: int) -> bool:
    """Whether nothing follows but what hands it over: 电话发我一下."""
    while at < len(text):
        if text[at] in " .~…":
            at += 1
            continue
        found = _handed().longest(text, at)
        if found is None:
            return False
        at += len(found[0])
    return True


# --- the note -------------------------------------------------------------------------------------

_DATE = (
    r"(?<!\d)\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?"
    r"|(?:\d|[一二三四五六七八九十廿卅])(?:年(?![级龄薪租卡])|月(?![薪租卡])|[日号](?![楼线机门床码栋]))"
    r"|(?<!\d)\d{1,2}/\d{1,2}(?!\d)|初[一二三四五六七八九十]|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6} \d"
)
_CLOCK = (
    r"(?<!\d)\d{1,2}:\d\d|[\d一二三四五六七八九十两]点(?!儿|[个子心]|\d)"
    r"|\d ?(?:am|pm|o'clock)\b"
)
_WEEKDAY = (
    r"(?:周|星期|礼拜)[一二三四五六日天末\d]|[单双]周|每周"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_NUMBER = (
    r"(?<![\d.,])\d[\d,]{0,12}(?:\.\d{1,4})?"
    r"|(?<![零一二三四五六七八九十百千万两])[零一二三四五六七八九十百千万两半几]{1,8}"
)


class _Shape(NamedTuple):
    """How a thing may look in a note.

    Args:
        worth: what one counts.
        pattern: a small one: each is compiled when a question first wants its kind.
        words: lists whose words are it.
        left, right: characters beside such a word that belong to it: 邹|医生, 叫|豆包.
        units: lists whose words make it of the number before them.
    """

    worth: float
    pattern: str = ""
    words: tuple[str, ...] = ()
    left: int = 0
    right: int = 0
    units: tuple[str, ...] = ()


_SHAPES: dict[Kind, tuple[_Shape, ...]] = {
    Kind.WHO: (
        _Shape(1.0, words=("persons",)),
        _Shape(1.0, words=("surnames",)),
        _Shape(1.0, words=("person_titles",), left=1),
        _Shape(1.0, r"[小老阿大][\u4e00-\u9fff]|[叫姓找由归][\u4e00-\u9fff]"),
        _Shape(_WEAK, r"[我你他她咱]|@\w|\b[a-z]{3}"),
    ),
    Kind.WHEN: (
        _Shape(1.0, f"{_DATE}|{_CLOCK}|{_WEEKDAY}"),
        _Shape(1.0, words=("time_words",)),
    ),
    Kind.CLOCK: (
        _Shape(1.0, _CLOCK),
        _Shape(_WEAK, r"早上|上午|中午|下午|晚上|凌晨|半夜|morning|noon|night|evening"),
    ),
    Kind.WEEKDAY: (_Shape(1.0, _WEEKDAY), _Shape(_WEAK, f"{_DATE}|每天|天天|daily")),
    Kind.DAY: (_Shape(1.0, f"{_DATE}|{_WEEKDAY}"), _Shape(_WEAK, words=("time_words",))),
    Kind.WHERE: (
        _Shape(1.0, words=("place_ends", "places"), left=2),
        _Shape(0.8, r"在\w{2}|[住搬放搁去到回][在到]?\w{2}|位于|藏|(?<![\w:/])/[\w.-]{1,64}/"),
        _Shape(0.8, r"\b[a-z]\d?-?\d{2,4}\b|\b(?:at|in|near|on|from|to) \w"),
    ),
    Kind.PRICE: (
        _Shape(1.0, units=("units_money",)),
        _Shape(1.0, r"[¥$€£]|\b(?:rmb|usd|eur) ?\d|\d(?:rmb|usd|eur)\b|免费|\bfree\b"),
        _Shape(
            1.0,
            r"[价费租金薪资钱款花付收卖报押赔退赢输赚欠奖涨降额][了到成是为:共约每]{0,3}[\d一二两三四五六七八九]",
        ),
        _Shape(
            _WEAK,
            r"(?<!\d,)(?<![\d.:/-])(?:\d{2,9}|\d(?=,))(?:[,.]\d{1,4}){0,3}k?"
            r"(?![\d.:-]|/\d|[年月日号点楼层室栋幢个位只天分秒度斤米张片])",
        ),
        _Shape(_WEAK, r"[一两二三四五六七八九十][百千万十折](?!个|人|张|只|岁)"),
    ),
    Kind.COUNT: (
        _Shape(1.0, r"[\d零一二三四五六七八九十百千万两半](?![年月日号点:/\d.-])[\u4e00-\u9fff%]"),
        _Shape(1.0, r"\d [a-z]{2}"),
        _Shape(_WEAK, r"[\d一二三四五六七八九十两双都全没]"),
    ),
    Kind.DURATION: (
        _Shape(1.0, units=("units_duration",)),
        _Shape(1.0, r"长期|永久|半年|一直|半天|半个月|forever"),
    ),
    Kind.MEASURE: (
        _Shape(1.0, units=("units_measure",)),
        _Shape(1.0, r"\d%|百分之|\b[smlx]{1,4}码"),
        _Shape(_WEAK, r"(?<![-/:\d])\d{1,12}(?:\.\d{1,4})?(?![-/:\d年月日])|\d:\d\d"),
    ),
    Kind.AGE: (
        _Shape(
            1.0,
            r"[\d一二三四五六七八九十]岁|[周虚]岁|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|years? old|\bborn\b",
        ),
        _Shape(_WEAK, r"\d{4}年|出生|生的|\d\d后|十[一二三四五六七八九]?|[一二两]个?多?月大"),
    ),
    Kind.REASON: (_Shape(1.0, words=("reason_words",)),),
    Kind.HOW_TO: (
        _Shape(1.0, words=("step_words",)),
        _Shape(1.0, r"(?<![\d.])\d{1,2} ?[.)、](?!\d)|[①②③]"),
    ),
    Kind.NAME: (
        _Shape(1.0, words=("name_words",), right=2),
        _Shape(1.0, r"[「《“\"'『【(]\w{1,24}[」》”\"'』】)]"),
        _Shape(_WEAK, words=("surnames",)),
        _Shape(_WEAK, r"\b[a-z]{3}"),
    ),
    Kind.COLOUR: (_Shape(1.0, words=("colours",)),),
    Kind.PHONE: (
        _Shape(
            1.0,
            r"(?!\d{4}[-/.]\d\d?[-/.]\d)(?<![\d.-])\+?\(?\d(?:[ ().-]{0,2}\d){6,14}(?![\d.])"
            r"|[\w+-]@\w|(?:微信|qq|wechat)号?[:是]? ?[\w-]{5}",
        ),
    ),
    Kind.MAIL: (_Shape(1.0, r"[\w+-]@[\w-]{1,64}\.\w"),),
    Kind.LINK: (
        _Shape(1.0, r"https?://|\bwww\.|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}|[a-z][\w-]?\.[a-z]{2}"),
    ),
    Kind.CODE: (
        _Shape(
            1.0,
            r"[码号令钥户名数][是为:改成了到叫 ]{0,4}[\x21-\x7e]{3}|尾[号数]?[是 ]{0,2}\d"
            r"|(?<![a-z\d#*-])(?=[a-z#*-]{0,12}\d)(?=\d{0,12}[a-z#*])[a-z\d#*-]{5}",
        ),
        _Shape(_WEAK, r"(?<!\d)\d{4,32}(?![年\d])|[四五六八]个?位?数"),
    ),
    Kind.VERSION: (
        _Shape(1.0, r"\bv\d|\d\.\d{1,4}\.\d|版本?[是为: ]?\d|\d ?版|[a-z]{2}[ -]?\d"),
        _Shape(_WEAK, r"\d\.\d|[升降换][级到成] ?\w"),
    ),
    Kind.PORT: (
        _Shape(
            1.0, r"(?:端口号?|port)[是为:改成到 ]{0,3}\d{2,5}|[a-z\d]:\d{3,5}(?!\d)|\d{2,5}端口"
        ),
        _Shape(_WEAK, r"(?<![\d.])\d{4,5}(?![\d.年])"),
    ),
    Kind.MODEL: (_Shape(1.0, r"[a-z][- ]?\d|[a-z]{2}|[「《“\"]\w|牌|型号|\d[a-z]"),),
}


@cache
def _lexicon(headings: tuple[str, ...]) -> Lexicon:
    return Lexicon.of(dict.fromkeys((w for h in headings for w in _list(h)), ""))


def _spans(shape: _Shape, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a shape stands within a part of a text."""
    if shape.words:
        for begin, stop, _ in _lexicon(shape.words).found(text[start:end]):
            begin, stop = start + begin - shape.left, start + stop + shape.right
            yield max(0, begin), min(len(text), stop)
    if shape.pattern:
        for match in compiled(shape.pattern).finditer(text, start, end):
            yield match.span()
    if shape.units:
        units = _lexicon(shape.units)
        for match in compiled(_NUMBER).finditer(text, start, end):
            at = match.end() + text.startswith(" ", match.end())
            unit = units.longest(text, at) if at < len(text) else None
            if unit:
                yield match.start(), at + len(unit[0])


def held(kind: Kind, folded_note: str, near: Sequence[tuple[int, int]] = ()) -> float:
    """How likely, by its shapes alone, a note holds a thing of a kind that could answer.

    A shape that is nothing but a matched place is what the question already has, and no answer.

    Args:
        kind: from :func:`asked`.
        folded_note: the note in folded form.
        near: spans (begin, end) of the note where the question's content words stand; a thing
            within ``REACH`` characters of one counts in full, one far away :data:`FAR`.

    Returns:
        In [0, 1]; :data:`UNKNOWN` for kinds that no shape tells (a yes or no, anything).
    """
    shapes = _SHAPES.get(kind)
    if shapes is None:
        return UNKNOWN
    places = _merged(near)
    windows = _windows(len(folded_note), places)
    best = _ABSENT.get(kind, 0.0)
    for shape in shapes:
        if shape.worth <= best:
            continue
        for start, end in windows:
            for span in _spans(shape, folded_note, start, end):
                best = max(best, shape.worth * _nearness(span, places))
                if best >= shape.worth:
                    break
    return best


def answers(kinds: Iterable[Kind], folded_note: str, near: Sequence[tuple[int, int]] = ()) -> float:
    """The best :func:`held` of the kinds a question wants; :data:`UNKNOWN` where it wants none."""
    return max((held(kind, folded_note, near) for kind in kinds), default=UNKNOWN)


def _merged(near: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Matched places in order, those that touch as one: grams overlap."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(near):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif len(out) < _MOST_NEAR:
            out.append((start, end))
    return out


def _windows(length: int, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where to look: all of a note, of a long one around its matched places, or its head."""
    if length <= LONGEST:
        return [(0, length)]
    around = [(max(0, a - DISTANT), min(length, b + DISTANT)) for a, b in places]
    out: list[tuple[int, int]] = []
    left = LONGEST
    for start, end in _merged(around) or [(0, LONGEST)]:
        out.append((start, min(end, start + left)))
        left -= out[-1][1] - start
        if left <= 0:
            break
    return out


def _nearness(span: tuple[int, int], places: Sequence[tuple[int, int]]) -> float:
    if not places:
        return 1.0
    start, end = span
    away = DISTANT
    for begin, stop in places:
        if begin <= start and end <= stop:
            return 0.0
        away = min(away, max(begin - end, start - stop, 0))
    if away <= REACH:
        return 1.0
    return 1.0 - (1.0 - FAR) * (away - REACH) / (DISTANT - REACH)
