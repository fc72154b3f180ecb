"""Aliases: the two names that a note itself gives to the same one.

豆包大名沈知夏; 柯俊写前端，大家叫他老K; 米米老师（全名米嘉怡）; “海葵”，就是权限系统重构. Only what
the note says in so many words counts: a cue between the two, a name in brackets behind a name, a
relative with the name beside it. What is called a name by its cue alone (石头, 司令) may be any
word; the one that has it must be a name itself, or stand where one does. All texts are in folded
form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from brain.text import lists
from brain.text.names import Name, calls_relatives, named, same_words
from brain.text.regex import compiled

MOST_PAIRS = 24
LONGEST = 4_000
"""Characters of a note that are looked at."""

_HAN = "\u3400-\u9fff"
_LATIN = r"[a-z][a-z0-9]*(?:[-_.'][a-z0-9]+)*"
_OPEN, _CLOSE = "\"'“‘「『《<", "\"'”’」』》>"
_QUOTED = rf"[{_OPEN}]([^{_OPEN}{_CLOSE}\n]{{1,16}})[{_CLOSE}]"
_LINK = r" ?(?:就是|[改换](?:成|为|叫)了?|[叫是为做作]了?)? ?[:=]? ?"
_CALLS = (
    r"(?P<callers>大家|我们|咱们?|家里|屋里|师门|同[事学]们?|朋友们?|[群圈组队班店村系院厂]里|街坊|邻居们?|别人|人家|外面|私下|背地里"
    r"|平时|内部|客户|网上|江湖|都|习惯|一律|统一|一般)[^,。;!?\n]{0,6}?"
    r"[叫喊称唤]呼?(?:[他她它其]|ta(?![a-z]))(?:们|一声)?[作做为叫]?"
)
"""大家叫他, 屋里都喊她. Who calls must be many: one who calls him may want him to come."""
_TERMED = rf"(?:大家|我们|咱们?|家里|都|人家)[都也]?管(?:那个|这个)?([{_HAN}a-z0-9]{{2,6}}?)(?=叫)"
"""我们都管王磊叫石头."""
_STRETCH = r"[^,。;:!?()\n]"
_IS_ONE = rf"(?:^|[,。;:!?(\n、 ])({_STRETCH}{{1,8}}?)是({_STRETCH}{{0,20}}?)的?\Z"
"""What stands before a cue without a name behind it: 大喇叭是王桂兰的外号."""
_SIGNS = (
    r"[叫喊称唤(]|[”\"」』],?(?:也就是|就是|其实是|即|指)|[总工师生姐哥嫂叔婆公]是|[小老阿].是"
    r"|aka|a\.k\.a|nickname|called|named|known as|goes by|real name"
)
"""One of these or a cue stands in every note with a pair, but those of relatives."""
_MEANS = (
    rf"{_QUOTED},?(?:也就是|就是|其实是|即|指的是)"
    rf"([{_HAN}a-z0-9][{_HAN}a-z0-9 _-]{{1,13}})(?=[,。;:!?()\n]|$)"
)
_MY_PET = (
    r"(?:(?:我|我们|咱)家(?:里)?的?(?:那只|这只|那条)?|(?:养|捡|领养|收养|添|买)了?一?(?:只|条|头)?小?)"
    r"(?P<animal>{animals})(?:,?(?:名字|名|取名|起名)?叫|,?[取起]名)(?:了|做)?"
)
_ENGLISH = (
    rf"(?P<one>(?:my |our |[a-z]+'s )?{_LATIN}),? \(?(?:is |was |are )?(?:also )?"
    rf"(?:called|named|nicknamed|known as|goes by|aka|a\.k\.a\.|real name(?: is)?):? "
    rf"[\"'“]?(?P<other>{_LATIN})"
)
_DOUBLED = rf"(?<![{_HAN}])([{_HAN}])\1\Z"
_SHORT = rf"([{_HAN}]{{2,3}})[),]"
"""豆豆（安然）, 许佳宁（宁宁）: one of the two is a doubled character."""

_ERRANDS = frozenset(
    "来去别不吃给帮在把先快回过到再等打发看拿买送带开关上下进出睡洗写交改查注走让有没一"
)
"""What an errand begins with: 大家叫他去开会."""
_BREAKS = frozenset("的是在有和跟与同了吧呢啊吗就也都很把被给对从但而或及以用向由")
"""What a name does not go on over."""
_PRONOUNS = frozenset("我你他她它您咱这那哪谁其")


@cache
def _cues() -> re.Pattern[str]:
    words = sorted((*lists.words("aliases", "cues"), *lists.words("aliases", "called")), key=len)
    either = "|".join(re.escape(word.replace("_", " ")) for word in reversed(words))
    # 本名单, 大名额.
    return compiled(f"(?:{either})(?![单额次片义声气誉])")


@cache
def _common() -> frozenset[str]:
    return frozenset((*lists.words("aliases", "common"), *lists.words("aliases", "animals")))


@cache
def _pets() -> re.Pattern[str]:
    animals = sorted(lists.words("aliases", "animals"), key=len, reverse=True)
    return compiled(_MY_PET.format(animals="|".join(animals)))


@lru_cache(maxsize=1024)
def aliases(folded_note: str) -> tuple[tuple[str, str], ...]:
    """The pairs of names that a note says are of the same one.

    Args:
        folded_note: its first ``LONGEST`` characters are looked at.

    Returns:
        At most ``MOST_PAIRS``, none twice; what has the other name stands first.
    """
    if not (
        compiled(_SIGNS).search(folded_note)
        or calls_relatives(folded_note)
        or _cues().search(folded_note)
    ):
        return ()
    note = _Note(folded_note[:LONGEST])
    found: dict[tuple[str, str], None] = {}
    for one, other in note.pairs():
        if one != other and (other, one) not in found and min(map(_may_be, (one, other))):
            found.setdefault((one, other))
    return tuple(found)[:MOST_PAIRS]


def called_also(name: Name, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """By what other names notes call the one that a question names, the nearest first.

    Args:
        name: from :func:`brain.text.names.asked`, or a text of the question that stands in a pair.
        pairs: of :func:`aliases`, of all notes.
    """
    linked: dict[str, list[str]] = {}
    for one, other in pairs:
        linked.setdefault(one, []).append(other)
        linked.setdefault(other, []).append(one)
    found = dict.fromkeys(known for known in linked if same_words(name, known))
    start = len(found)
    for known in (waiting := list(found)):
        for other in linked[known]:
            if other not in found and len(found) - start < MOST_PAIRS:
                found[other] = None
                waiting.append(other)
    kin = name.kind == "kin"
    return tuple(o for o in found if o != name.text and not (kin and same_words(name, o)))


def _may_be(name: str) -> bool:
    if name in _common() or name.isdigit():
        return False
    return len(name) > 1 or name in ("爸", "妈")


class _Note:
    """A note, where its names stand, and what it has called by a cue so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = named(text)
        self.starts = {name.start: name for name in self.names}
        self.ends = {name.end: name for name in self.names}
        self.said: list[tuple[int, str]] = []

    def pairs(self) -> Iterator[tuple[str, str]]:
        yield from self._beside()
        found = sorted(
            (*compiled(_CALLS).finditer(self.text), *_cues().finditer(self.text)),
            key=re.Match.start,
        )
        end = 0
        for cue in found:
            if cue.start() >= end:
                end = cue.end()
                yield from self._cued(cue)
        for termed in compiled(_TERMED).finditer(self.text):
            if called := self._called(termed.end()):
                yield termed[1], called
        for means in compiled(_MEANS).finditer(self.text):
            yield means[1], means[2].strip()
        for pet in _pets().finditer(self.text):
            if called := self._called(pet.end(), sure=True):
                yield f"我家{pet['animal']}", called
        for english in compiled(_ENGLISH).finditer(self.text):
            yield english["one"], english["other"]

    def _beside(self) -> Iterator[tuple[str, str]]:
        """Names that stand side by side: 二姐宋春燕, 老莫（莫建军）, 老鹿是哥哥陆明川."""
        for name in self.names:
            behind = self.text[name.end : name.end + 1]
            if name.kind == "kin":
                yield from self._of_relative(name, behind)
            elif behind == "是" and name.kind == "title":
                other = self.starts.get(name.end + 1)
                if other and other.kind == "kin":
                    other = self.starts.get(other.end)
                if other and other.kind == "person" and self._ends(other.end):
                    yield name.text, other.text

        yield from self._in_brackets()

    def _of_relative(self, name: Name, behind: str) -> Iterator[tuple[str, str]]:
        own = name.text.lstrip("我俺咱")
        other = self.starts.get(name.end)
        if other and other.kind == "person":
            yield own, other.text
        elif behind == "叫":
            called = self._called(name.end)
            if called and (len(called) <= 3 or self._whole(called)):
                yield own, called
        before = self.ends.get(name.start - 1)
        if before and before.kind == "person" and self.text[name.start - 1] == "是":
            yield own, before.text

    def _in_brackets(self) -> Iterator[tuple[str, str]]:
        for bracket in compiled(r"\(").finditer(self.text):
            before, other = self.ends.get(bracket.start()), self.starts.get(bracket.end())
            doubled = compiled(_DOUBLED).search(
                self.text[max(0, bracket.start() - 3) : bracket.start()]
            )
            inside = compiled(_SHORT).match(self.text, bracket.end())
            if before and other and self.text[other.end : other.end + 1] in {*"),、;"}:
                # 张伟（李娜） are two.
                kinds = {before.kind, other.kind}
                if kinds != {"person"} or before.text.isascii() != other.text.isascii():
                    yield before.text, other.text
            elif (
                before
                and before.kind == "person"
                and inside
                and compiled(_DOUBLED).search(inside[1])
            ):
                yield before.text, inside[1]
            elif doubled and inside:
                yield doubled[0], inside[1]

    def _cued(self, cue: re.Match[str]) -> Iterator[tuple[str, str]]:
        called = self._called(cue.end())
        if not called:
            # 豆豆是家里叫的小名.
            stated = compiled(_IS_ONE).search(self.text, max(0, cue.start() - 32), cue.start())
            if stated and self._ends(cue.end()):
                has = self._whole(stated[2]) or self._subject(stated.start(1))
                if stated[2].strip().isascii() and stated[2].strip():
                    has = stated[2].strip()
                if has and not _PRONOUNS.intersection(stated[1]):
                    yield has, stated[1].strip()
            return
        many = cue["callers"] if "callers" in cue.re.groupindex else ""
        has = None
        if "它" in cue[0]:
            clause = max(self.text.rfind(c, 0, cue.start()) for c in ",。;\n")
            has = self._holder(clause) if clause > 0 else None
        elif many in ("", "家里", "屋里"):
            has = self._holder(cue.start())
        if not has and cue[0].rstrip("叫") not in ("取名", "起名", "改名", "更名为"):
            has = self._subject(cue.start(), everywhere=bool(many))
        self.said.append((cue.end(), called))
        if has:
            yield has, called

    def _called(self, at: int, *, sure: bool = False) -> str | None:
        """The name that begins behind a cue, or None where none does.

        Args:
            sure: nothing but a name can stand there: 来福.
        """
        link = compiled(_LINK).match(self.text, at)
        at = link.end() if link else at
        if quoted := compiled(_QUOTED).match(self.text, at):
            return quoted[1].strip()
        if name := self.starts.get(at):
            return name.text if name.kind != "kin" else None
        if latin := compiled(_LATIN).match(self.text, at):
            return latin[0]
        run = compiled(rf"[{_HAN}a-z0-9]{{2,9}}").match(self.text, at)
        if not run:
            return None
        word = run[0]
        end = next((i for i, c in enumerate(word) if i and c in _BREAKS), len(word))
        whole = end < len(word) or self._ends(run.end())
        word = word[:end]
        if not whole or not 2 <= len(word) <= 6 or word[0] in _PRONOUNS | _BREAKS:
            return None
        if word[0] in _ERRANDS and not sure:
            return None
        return word

    def _ends(self, at: int) -> bool:
        """Whether a word ends for sure at a place."""
        return not compiled(rf"[{_HAN}a-z0-9]").match(self.text, at)

    def _whole(self, piece: str) -> str | None:
        """A piece of the note, if it is a name of it."""
        return piece if any(name.text == piece for name in self.names) else None

    def _holder(self, at: int) -> str | None:
        """What stands right before a cue or before the bracket it opens, and has the name."""
        before = self.text[:at].rstrip(" 的")
        longest = 5
        if before.endswith("("):
            before, longest = before[:-1].rstrip(), 14
        if name := self.ends.get(len(before)):
            return name.text
        window = before[-16:]
        if quoted := compiled(_QUOTED + r"\Z").search(window):
            return quoted[1]
        if latin := compiled(rf"(?<![a-z0-9]){_LATIN}\Z").search(window):
            return latin[0]
        run = compiled(rf"(?:^|[^{_HAN}a-z0-9])([{_HAN}]{{2,{longest}}})\Z").search(window)
        if not run:
            return None
        word = run[1]
        if (
            _PRONOUNS.intersection(word)
            or _BREAKS.intersection(word.replace("有限", ""))
            or word in _common()
        ):
            return None
        return word

    def _subject(self, at: int, *, everywhere: bool = False) -> str | None:
        """Who is spoken of at a place: the name or the called one nearest before it.

        Args:
            everywhere: also in the sentences before.
        """
        begin = 0 if everywhere else 1 + max(self.text.rfind(c, 0, at) for c in "。;!?\n")
        nearest = [
            (name.end, name.text)
            for name in self.names
            if begin <= name.start and name.end <= at and name.kind in ("person", "title")
        ]
        nearest += [(end, said) for end, said in self.said if begin <= end <= at]
        return max(nearest)[1] if nearest else None
