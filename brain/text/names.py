"""Names: who and what a text calls by name, and whether another text names the same one.

A surname's character begins more words than names (周末, 高中, 安排). What tells them apart is read
from ``name_words.txt``: how far each character speaks for a name, as log odds, and which ordinary
words it could belong to. The rules add these up; nothing is learnt at run time. All texts are in
folded form (:func:`brain.text.fold.fold`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from brain.text import lists
from brain.text.lists import Lexicon
from brain.text.regex import compiled, holds_any

Kind = Literal["person", "title", "kin", "identifier"]

WHOLE, MAYBE, SILENT, RIVAL = 1.0, 0.5, 0.0, -1.0
"""What a note says of a name: holds it; may hold it in part; nothing; names another one instead."""

MOST_NAMES = 16
"""More names than that are a list or a log, not a question."""


@dataclass(frozen=True, slots=True)
class Name:
    """One that a text calls by name.

    Args:
        text: as it stands there.
        kind: ``person``: 李梦瑶, emily. ``title``: what is with a surname alone: 张总, 小周, 阿芬,
            dr. lim. ``kin``: 大舅, 我妈. ``identifier``: order-core, v1.2, a7m4.
        start, end: where, in characters.
        parts: what may stand for it: of a person the given name; of a title its surname and the
            title; of kin its other words; of an identifier its spelling without marks.
    """

    text: str
    kind: Kind
    start: int
    end: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    surname: dict[str, int]
    compound: frozenset[str]
    opening: frozenset[str]
    first: dict[str, int]
    last: dict[str, int]
    common: dict[str, int]
    long: frozenset[str]
    after: dict[str, str]
    before: dict[str, str]
    begins: dict[str, str]


@cache
def _words() -> _Words:
    sections = lists.lines("name_words")

    def table(heading: str) -> dict[str, str]:
        return dict(line.split(" ", 1) for line in sections[heading])

    def odds(heading: str) -> dict[str, int]:
        out: dict[str, int] = {}
        for level, held in table(heading).items():
            out |= dict.fromkeys(held, int(level))
        return out

    surnames = odds("surname")
    compound = lists.words("names", "compound_surnames")
    return _Words(
        surnames,
        frozenset(compound),
        frozenset(surnames).union(name[0] for name in compound),
        odds("first"),
        odds("last"),
        odds("common"),
        frozenset(lists.words("name_words", "long")),
        table("after"),
        table("before"),
        table("begins"),
    )


_BEHIND = frozenset(
    "的是在有和跟与同给来去回说讲问要想会能管写做请带送那这也都就才还又不没被把让叫对为从到上下了吗呢啊吧呀哪谁几负"
    "现今昨每住爱喜姓属一"
)
"""What goes on behind a name; a given name seldom ends in one."""
_AHEAD = frozenset("和跟与给叫带是由找问的让被把对喊请陪替为看名听约了过到见上天晚午年月日号")
"""What leads to a name."""
_PLACES = frozenset("路街村镇县市省区巷弄桥湖港寺庙乡湾岛站楼店园校院寨坡河")
"""What ends the name of a place: 江晖路 is no person."""

_ROLES = frozenset("友师生学事娘理员弟哥姐妹子儿工长公婆夫户母父者手")
"""How words for what somebody is end: 室友林沛瑶, 客户陈立."""
_MEASURES = frozenset("张段项包席房盘単单车万")
"""Surnames that count things: 60张精修."""

_UNSEEN = 2
"""Log odds of a character that neither names nor running text of the dictionary have: 砺, 婳."""

PLAIN, STRICT = 5, 8
"""Log odds that a person's name must reach: where one is asked for, and where one that has nothing
but the surname in common is to count against a note. At 5, of 96 names of people in the 495
questions of the fitted half of bench/people 88 are found, and 7 that are none (by eye)."""


def _is_han(c: str) -> bool:
    return "\u3400" <= c <= "\u9fff"


def _person(text: str, at: int, least: int) -> int:
    """Where the person's name that begins at a place ends; 0 where none begins."""
    w = _words()
    width = 2 if text[at : at + 2] in w.compound else 1
    odds = 6 if width == 2 else w.surname.get(text[at], -9)
    given = at + width
    b, c, d = text[given : given + 1], text[given + 1 : given + 2], text[given + 2 : given + 3]
    if odds < -1 or not _is_han(b) or text[at : at + 3] in w.long:
        return 0
    ahead = text[at - 1 : at] if at else ""
    if width == 1 and ahead:
        if ahead in w.before.get(text[at], ""):
            odds -= 3
        elif text[at] in _MEASURES and (
            ahead.isdigit() or ahead in "两几每这那一二三四五六七八九十"
        ):
            return 0
    opened = not _is_han(ahead) or ahead in _AHEAD
    if opened:
        odds += 1
    elif ahead in "名叫":
        odds += 3
    elif odds < 4 and ahead not in _ROLES:
        odds -= 1
    word = width == 1 and b in w.after.get(text[at], "")
    joined = bool(c) and c in w.begins.get(b, "")
    goes_on = _is_han(c)
    short = odds + _odds(w.last, b) - 9 * word - 4 * (b in _BEHIND)
    if not goes_on:
        return given + 1 if short + 1 >= least else 0
    short += (1 + opened) * (c in _BEHIND) - 3 * joined - 4 * (c in _PLACES)
    if _relative_words()[0].end(text, given + 1) > given + 2:
        # 汤敏老公.
        return given + 1 if short >= least else 0
    long = odds + _odds(w.first, b) + _odds(w.last, c) - 4 * word - 2 * (c in _BEHIND)
    long -= joined and odds < 4
    if d and d in w.begins.get(c, ""):
        long -= 3
    if not _is_han(d):
        long += 2
    elif d in _BEHIND:
        long += 1 + opened
    if c in _PLACES or d in _PLACES:
        long -= 4
    if long > least and long >= short:
        return given + 2
    return given + 1 if short >= least else 0


def _odds(table: dict[str, int], c: str) -> int:
    found = table.get(c)
    return _words().common.get(c, _UNSEEN) if found is None else found


@cache
def _titles() -> dict[str, tuple[str, ...]]:
    """Title → those that may stand for it, itself among them."""
    groups = [tuple(line.split()) for line in lists.lines("names")["titles"]]
    return {word: group for group in groups for word in group}


@cache
def _title_words(titles: tuple[str, ...] = ()) -> Lexicon:
    return Lexicon.of(dict.fromkeys(titles or _titles(), ""))


def _ends_title(text: str, start: int, end: int) -> bool:
    """Whether a title goes no further than it seems to: 张总, and not 张总结."""
    behind = text[end : end + 1]
    if end - start > 1 or not _is_han(behind):
        return True
    if text[start] == "总" and behind == "是":
        return text[end + 1 : end + 2] in {*"谁哪什不怎干做男女几我"}
    return behind not in _words().begins.get(text[start], "")


def _head(text: str, title: int, end: int) -> int:
    """Where what a title belongs to begins: 骆, 小骆, 欧阳, 米米; -1 where nothing does."""
    w = _words()
    one, two = text[max(0, title - 1) : title], text[max(0, title - 2) : title]
    if not _is_han(one) or not _ends_title(text, title, end):
        return -1
    if end - title == 1 and text[title] in w.after.get(one, ""):
        return -1
    if two in w.compound:
        return title - 2
    odds = w.surname.get(one, -9)
    ahead = two[0] if len(two) == 2 else ""
    if odds >= -1:
        if ahead in ("小", "老", "大") and ahead not in w.before.get(one, ""):
            return title - 2
        if ahead == one or (ahead and ahead in w.before.get(one, "")):
            return title - 2 if ahead == one else -1
        alone = not _is_han(ahead) or ahead in _AHEAD
        if odds >= 2 or alone:
            return title - 1 if alone or end - title > 1 or odds >= 4 else -1
        return -1
    if ahead == one and _odds(w.last, one) >= 0 and end - title > 1:
        return title - 2
    # 禾总: of a given name, where nothing else stands beside it.
    lone = not _is_han(ahead) or ahead in "和跟给找问请"
    if end - title == 1 and text[title] in "总工" and lone and _odds(w.last, one) >= 2:
        return title - 1
    return -1


_PREFIXED = r"[小老大阿](?:[a-z]{1,8}(?![a-z0-9-])|[\u3400-\u9fff])"


def _prefixed(text: str, at: int, end: int) -> bool:
    """Whether 小, 老, 大 or 阿 and what follows is somebody: 小谢, 老罗, 阿芬, 老k."""
    w = _words()
    prefix, one, behind = text[at], text[at + 1], text[end : end + 1]
    ahead = text[at - 1 : at] if at else ""
    if ahead and ahead in w.before.get(prefix, ""):
        return False
    if not _is_han(one):
        return prefix in "老阿小"
    word = one in w.after.get(prefix, "")
    joined = bool(behind) and (behind in w.after.get(one, "") or behind in w.begins.get(one, ""))
    closed = not _is_han(behind) or behind in _BEHIND
    odds = w.surname.get(one, -9)
    if prefix == "阿":
        return (
            not word
            and one not in _BEHIND
            and text[at:end] not in _titles()
            and (closed or not joined)
        )
    if prefix == "大":
        return odds >= 4 and not word and not joined and closed
    if odds >= 1:
        return (not word or odds >= 3) and not joined
    return prefix == "小" and closed and not word and _odds(w.last, one) >= 3


@dataclass(frozen=True, slots=True)
class _Relative:
    """One of a line of rivals: which line, which of them, and the count before it (大, 二 …)."""

    line: int
    place: int
    count: str


@cache
def _relatives() -> dict[str, tuple[int, int]]:
    """Word → its line, and which of the rivals there."""
    return {
        word: (line, place)
        for line, rivals in enumerate(lists.lines("names")["kin"])
        for place, one in enumerate(rivals.split("|"))
        for word in one.split()
    }


@cache
def _relative_words() -> tuple[Lexicon, Lexicon, frozenset[str], frozenset[str]]:
    """The words; those that hold one and are none; counts; characters without which none stands."""
    counts = frozenset(lists.words("names", "kin_counts"))
    blocked = Lexicon.of(dict.fromkeys(lists.words("names", "kin_words"), ""))
    # The character that tells most: 舅 of 舅舅, 叔 of 小叔子.
    telling = {word[-2:][0] if word[-1] in "子儿友生人咪比" else word[-1] for word in _relatives()}
    return Lexicon.of(dict.fromkeys(_relatives(), "")), blocked, counts, frozenset(telling)


_OWN = frozenset("我俺咱")
_OWNED = re.compile(r"(?:[他她你您]们?|[a-z])的? ?家?\Z")


def _relatives_in(text: str) -> Iterator[tuple[int, int, _Relative]]:
    """The speaker's own relatives that a text calls by what they are: where, and who."""
    words, blocked, counts, characters = _relative_words()
    if characters.isdisjoint(text):
        return
    end = 0
    opens = "".join(words.lengths.keys() | blocked.lengths.keys() | counts | _OWN)
    for found in compiled(f"[{opens}]").finditer(text):
        start = found.start()
        if start < end:
            continue
        if past := blocked.end(text, start):
            end = past
            continue
        past, word, count = _relative_at(text, start, words, counts)
        if not past or text[past : past + 1] in ("们", "妹", "弟"):
            continue
        end = past
        if text[start] in _OWN or not _OWNED.search(text[max(0, start - 4) : start]):
            yield start, end, _Relative(*_relatives()[word], count)


def _relative_at(
    text: str, start: int, words: Lexicon, counts: frozenset[str]
) -> tuple[int, str, str]:
    """Where a relative ends that begins at a place, or 0; the word; its count."""
    at = start
    if text[at] in _OWN and not words.end(text, at):
        at += 1
        while text[at : at + 1] in ("们", "家"):
            at += 1
    past = words.end(text, at)
    # 哥 alone is in too many words; 我哥, 大哥 are relatives.
    if past and (past - at > 1 or text[at] in "爸妈" or text[at - 1 : at] in _OWN):
        return past, text[at:past], ""
    if text[at : at + 1] in counts and (past := words.end(text, at + 1)):
        return past, text[at + 1 : past], text[at]
    return 0, "", ""


_MARKS = re.compile(r"[-_./ ]+")
_IDENTIFIER = (
    r"(?<![a-z0-9_])(?:[a-z][a-z0-9]*(?:[-_./][a-z0-9]+)+|v?[0-9]+(?:\.[0-9]+){2,3}"
    r"|(?:[a-z]+[0-9]|[0-9]+[a-z]+[0-9])[a-z0-9]*)(?![a-z0-9_])"
)
"""Words joined by marks, a version, letters and digits in one: gen-itgc, v1.2.0, a7m4."""
_LATIN_TITLE = r"(?<![a-z0-9])(?:{titles})(?:\. ?| )([a-z][a-z-]+)"
_LATIN_WORD = r"(?<![a-z0-9_./@-])[a-z]{2,}(?![a-z0-9_@/-]|\.[a-z])"


@cache
def _latin_titled() -> re.Pattern[str]:
    return compiled(_LATIN_TITLE.format(titles="|".join(lists.words("names", "titles_latin"))))


@cache
def _latin_names() -> frozenset[str]:
    return frozenset(lists.words("names", "latin_names"))


def _titled(text: str, titles: tuple[str, ...] = ()) -> Iterator[tuple[int, int, int]]:
    """Where a title with its head stands: start, start of the title, end.

    Args:
        titles: which ones; all when empty.
    """
    for at, end, _ in _title_words(titles).found(text):
        start = _head(text, at, end)
        if start >= 0:
            yield start, at, end


def _surname_width(text: str, at: int) -> int:
    """How many characters the surname at a place has; 0 where none stands."""
    w = _words()
    return 2 if text[at : at + 2] in w.compound else int(text[at] in w.surname)


def _read(text: str) -> Iterator[tuple[Kind, int, int, tuple[str, ...]]]:
    """What might be a name, what is surest first: kind, start, end, parts. Some overlap."""
    for start, title, end in _titled(text):
        yield "title", start, end, (text[start:title], text[title:end])
    for found in compiled(_PREFIXED).finditer(text):
        if _prefixed(text, *found.span()):
            yield "title", *found.span(), (found[0][0], found[0][1:])
    end = 0
    opening = _words().opening
    for at, c in enumerate(text):
        if c not in opening or at < end:
            continue
        width = _surname_width(text, at)
        if width and (reached := _person(text, at, PLAIN)):
            end = reached
            yield "person", at, end, (text[at + width : end],)
    for start, end, _ in _relatives_in(text):
        yield "kin", start, end, ()
    if compiled("[a-z0-9]").search(text):
        for found in _latin_titled().finditer(text):
            yield "title", *found.span(), ("", found[1])
        for found in compiled(_IDENTIFIER).finditer(text):
            yield "identifier", *found.span(), (_bare(found[0]),)
        for found in compiled(_LATIN_WORD).finditer(text):
            if found[0] in _latin_names():
                yield "person", *found.span(), ()


LONGEST = 2_000
"""Characters of a question that are looked at."""


@lru_cache(maxsize=64)
def asked(folded: str) -> tuple[Name, ...]:
    """The people and other proper names that a question calls, in its order, none twice.

    Args:
        folded: the question; its first ``LONGEST`` characters are looked at.

    Returns:
        At most ``MOST_NAMES``.
    """
    found: dict[str, Name] = {}
    for name in named(folded[:LONGEST]):
        found.setdefault(name.text, name)
    return tuple(found.values())[:MOST_NAMES]


def named(folded: str) -> list[Name]:
    """All places where a text calls somebody or something by name, in its order."""
    taken = bytearray(len(folded) + 1)
    found = []
    for kind, start, end, parts in _read(folded):
        if any(taken[start:end]) or (kind == "kin" and _is_anothers(folded, start, taken)):
            continue
        taken[start:end] = b"\x01" * (end - start)
        found.append(Name(folded[start:end], kind, start, end, parts))
    return sorted(found, key=lambda name: name.start)


def _is_anothers(text: str, start: int, taken: bytearray) -> bool:
    """Whether a relative is one of somebody named: 周敏的妈妈, 小苏妈妈."""
    before = start - 1
    while before >= 0 and text[before] in " 的家她他":
        before -= 1
    return before >= 0 and taken[before] == 1


def match(name: Name, folded_note: str) -> float:
    """What a note says of a name that was asked for.

    Args:
        name: from :func:`asked`.

    Returns:
        ``WHOLE``: it holds the name, or other words for the same (周大夫 for 周医生). ``MAYBE``:
        the given name alone, a surname with a title, a full name beside the title asked for, a
        relative without the count. ``RIVAL``: none of these, and one that could be mistaken for it:
        李梦琪 for 李梦瑶, 章总 for 张总, 二舅 for 大舅, order-api for order-core. Else ``SILENT``.
    """
    return _MATCH[name.kind](name, folded_note)


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


def _match_person(name: Name, note: str) -> float:
    if not name.parts:
        return _match_latin(name.text, note)
    given = name.parts[0]
    surname = name.text[: -len(given)]
    rival = False
    for at in _places(note, name.text):
        # 王伟 does not stand in 王伟明.
        if len(given) > 1 or _person(note, at, STRICT) <= at + len(name.text):
            return WHOLE
        rival = True
    if len(given) > 1 and given[1] not in _words().begins.get(given[0], ""):
        for at in _places(note, given):
            before = at - 1
            if before >= 0 and _surname_width(note, before) and _person(note, before, PLAIN):
                rival = True
            else:
                return MAYBE
    if holds_any(note, ("阿" + given[-1], given[-1] * 2)):
        return MAYBE
    if rival or _has_rival(surname, given, note):
        return RIVAL
    for at in _places(note, surname):
        behind = at + len(surname)
        if at and note[at - 1] in "老小" and _prefixed(note, at - 1, behind):
            return MAYBE
        title = _title_words().end(note, behind)
        if title and _head(note, behind, title) in (at, at - 1):
            return MAYBE
    return SILENT


def _has_rival(surname: str, given: str, note: str) -> bool:
    """Whether a note names one with this surname, or with this given name and another surname."""
    width = len(surname)
    for at in _places(note, surname):
        behind = note[at + width : at + width + 2]
        alike = len(given) == 2 and (behind[:1] == given[0] or behind[1:] == given[1])
        if _person(note, at, PLAIN - 2 if alike else STRICT):
            return True
    for at in _places(note, given):
        other = at > 0 and note[at - 1] != surname[-1] and _surname_width(note, at - 1)
        if other and _person(note, at - 1, STRICT) == at + len(given):
            return True
    return False


def _match_latin(word: str, note: str) -> float:
    words = compiled(r"[a-z]+").findall(note)
    if word in words:
        return WHOLE
    if any(_one_edit(word, other) for other in words if len(word) > 3 < len(other)):
        return MAYBE
    return RIVAL if any(other in _latin_names() for other in words) else SILENT


def _one_edit(one: str, other: str) -> bool:
    """Whether a letter added, left out, changed or swapped with its neighbour makes them equal."""
    if abs(len(one) - len(other)) > 1:
        return False
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    a, b = one[shared:], other[shared:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def _match_title(name: Name, note: str) -> float:
    head, title = name.parts
    if head in ("小", "老", "大", "阿"):
        return _match_prefixed(name, note)
    if not head:
        return _match_latin_title(title, note)
    group = _titles()[title]
    surname = head[1:] if len(head) > 1 and head not in _words().compound else head
    rival = maybe = False
    for start, at, _ in _titled(note, group):
        other = note[start:at]
        if other.endswith(head):
            return WHOLE
        # 李师傅 may be 小李师傅, and 大李师傅 is not.
        maybe = maybe or other == surname
        rival = rival or other != surname
    if maybe:
        return MAYBE
    if holds_any(note, group) and any(_person(note, at, PLAIN) for at in _places(note, surname)):
        return MAYBE
    return RIVAL if rival else SILENT


def _match_prefixed(name: Name, note: str) -> float:
    prefix, one = name.parts
    rival = False
    for found in compiled(_PREFIXED).finditer(note):
        if not _prefixed(note, *found.span()):
            continue
        if found[0] == name.text:
            return WHOLE
        rival = rival or found[0][0] == prefix or found[0][1:] == one
    if prefix == "阿":
        full = any(
            _person(note, start, PLAIN) == at + 1
            for at in _places(note, one)
            for start in (at - 1, at - 2)
            if start >= 0
        )
    else:
        full = any(_person(note, at, STRICT) for at in _places(note, one))
    if full:
        return MAYBE
    return RIVAL if rival else SILENT


def _match_latin_title(word: str, note: str) -> float:
    if word in compiled(r"[a-z][a-z-]*").findall(note):
        return WHOLE
    return RIVAL if _latin_titled().search(note) else SILENT


def _match_kin(name: Name, note: str) -> float:
    mine = next((who for _, _, who in _relatives_in(name.text)), None)
    if mine is None:
        return SILENT
    best = SILENT
    for _, _, who in _relatives_in(note):
        if who == mine:
            return WHOLE
        if (who.line, who.place) == (mine.line, mine.place) and "" in (who.count, mine.count):
            best = MAYBE
        elif who.line == mine.line and best != MAYBE:
            best = RIVAL
    return best


def calls_relatives(folded: str) -> bool:
    """Whether a character of a word for a relative stands in a text: quickly told."""
    return not _relative_words()[3].isdisjoint(folded)


def same_words(name: Name, other: str) -> bool:
    """Whether a text by itself is the name asked for: 梦瑶 for 李梦瑶, 母亲 for 我妈."""
    if other == name.text or (name.kind == "person" and other in name.parts and len(other) > 1):
        return True
    if name.kind != "kin":
        return False
    mine, others = (next(iter(_relatives_in(text)), None) for text in (name.text, other))
    return mine is not None and others is not None and mine[2] == others[2]


def _bare(identifier: str) -> str:
    """An identifier without its marks, a version without its v: order_core and order-core."""
    bare = _MARKS.sub("", identifier)
    return bare[1:] if compiled("v[0-9]").match(bare) else bare


def _match_identifier(name: Name, note: str) -> float:
    best = SILENT
    for found in compiled(_IDENTIFIER).finditer(note):
        other = found[0]
        if _bare(other) == name.parts[0]:
            return WHOLE
        mine, others = _pieces(name.text), _pieces(other)
        shorter = min(len(mine), len(others))
        if mine[:shorter] == others[:shorter]:
            best = MAYBE
        elif best != MAYBE and (mine[0] == others[0] or min(map(_is_version, (mine, others)))):
            best = RIVAL
    if best != MAYBE and len(name.parts[0]) > 3 and name.parts[0] in _MARKS.sub("", note):
        return WHOLE
    return best


def _pieces(identifier: str) -> list[str]:
    """Runs of letters and runs of digits, in order, a version's v left out."""
    pieces = compiled("[a-z]+|[0-9]+").findall(identifier)
    return pieces[1:] if pieces[0] == "v" and len(pieces) > 1 else pieces


def _is_version(pieces: list[str]) -> bool:
    return len(pieces) > 1 and all(piece.isdigit() for piece in pieces)


_MATCH: dict[Kind, Callable[[Name, str], float]] = {
    "person": _match_person,
    "title": _match_title,
    "kin": _match_kin,
    "identifier": _match_identifier,
}
