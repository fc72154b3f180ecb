"""Query relevance: how much each part of a text has to do with what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.text import lists
from brain.text.bm25 import idf
from brain.text.fold import fold
from brain.text.regex import compiled
from brain.text.tokenize import is_han

MOST_TERMS = 120
"""Terms that are looked for; a longer question is a pasted text."""

LONE = 0.3
"""What a single character of a term that the text nowhere has counts: 颜色 is asked, 绿色 told."""


LONGEST_ECHO = 400
"""Characters of a part that may be no more than the question again."""

COVERED = 0.1
"""What a term still counts once a chosen part holds it: the next part should answer the rest of
the question, not name its subject again."""


ECHO = 0.2
"""What a part counts that only repeats the question: a tool was called with it, somebody asked."""

ECHOED = 0.7
"""Share of such a part's words that are the question's."""

_SPEAKER = r"[\s>*•⏺●→-]*(?:(?:用户|助手|模型|系统|user|assistant|ai|tool|system)\s*[:]\s*)?"
_CALL = (
    _SPEAKER + r"[\[【(<{`\"'⟦]{0,3}\s*(?:"
    r"(?:tool|function)[ _-]?(?:use|call|input|request)?s?\b|<?(?:invoke|parameter)\b"
    r"|(?:正在|已)?(?:调用|使用)了?(?:工具|函数|技能)|(?:工具|函数)(?:调用|输入|参数)?[:\]】)]"
    r"|(?:正在)?(?:搜索|检索|查询|查找|search(?:ing)?|recall|grep|query|lookup)\s*"
    r"(?:[:(\]】]|[\"'“「]|\s\S)"
    r"|[a-z_][\w.]*\s*\(.*\)\s*[;`\]】)]*\s*$|\"?(?:query|input|arguments|pattern|q)\"?\s*:"
    r"|\"(?:name|tool|type|id)\"\s*:\s*\".*\"(?:query|input|arguments|pattern|q)\"\s*:|\$\s+\w)"
)
"""How a line begins that calls a tool, folded: as agents' transcripts write it."""

_ASKS = r"\?\s*[\"'”」]?\s*$|(?:吗|呢|么)\s*$"
_SAID = r"[\"'“「『](?P<said>[^\"'”」』]{2,})[\"'”」』]"
_WORDS = r"[\u3400-\u9fff]|[a-z0-9]+"


def is_echo(part: str, terms: Sequence[str]) -> bool:
    """Whether a part only repeats the question: a call of a tool with it, or the question itself.

    Args:
        part: folded.
        terms: folded terms of the question.
    """
    if len(part) > LONGEST_ECHO:
        return False
    line = part.strip()
    calls = compiled(_CALL).match(line) is not None
    if not calls and not compiled(_ASKS).search(line):
        return False
    said = line
    if calls:
        quoted = [found["said"] for found in compiled(_SAID).finditer(line)]
        said = max(
            quoted,
            key=lambda one: (sum(term.rstrip("*") in one for term in terms), len(one)),
            default=line.rpartition(":")[2] or line,
        )
    else:
        said = line[len(compiled(_SPEAKER).match(line)[0]) :]  # type: ignore[index]
    held = [False] * len(said)
    for term in terms:
        at = said.find(term := term.rstrip("*"))
        while term and at >= 0:
            held[at : at + len(term)] = [True] * len(term)
            at = said.find(term, at + 1)
    words = [word.span() for word in compiled(_WORDS).finditer(said)]
    asking = lists.words("shortening", "asking")
    known = sum(any(held[a:b]) or said[a:b] in asking for a, b in words)
    return bool(words) and any(held) and known >= ECHOED * len(words)


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a question has to do with the parts of a text.

    Args:
        weights: one for each part.
        holding: for each term that occurs, what it counts and the places of the parts it is in.
    """

    weights: tuple[float, ...]
    holding: tuple[tuple[float, tuple[int, ...]], ...]

    def chosen(self, most: int, share: float) -> list[int]:
        """The parts that answer together: each one adds most to those before it.

        Args:
            most: how many at most.
            share: of the first one's weight that a part has to add.
        """
        left = list(self.weights)
        out: list[int] = []
        terms = list(self.holding)
        best = max(left, default=0.0)
        while best > 0 and len(out) < most:
            place = max(range(len(left)), key=lambda p: (left[p], -p))
            if left[place] < share * best:
                break
            out.append(place)
            left[place] = -1.0
            open_terms = []
            for worth, places in terms:
                if place not in places:
                    open_terms.append((worth, places))
                    continue
                for p in places:
                    left[p] -= (1 - COVERED) * worth
            terms = open_terms
        return out


def term_weights(parts: Sequence[str], terms: Sequence[str]) -> list[float]:
    """A weight for every part; see :func:`match`."""
    return list(match(parts, terms).weights)


def match(parts: Sequence[str], terms: Sequence[str]) -> Relevance:
    """Weighs every part: the sum over the terms it holds, a rarer term counting more.

    A term counts its :func:`brain.text.bm25.idf` with the parts as documents: the title's word that
    stands in every sentence says little about which of them answers.

    Args:
        parts: the text's units.
        terms: folded, as :class:`brain.recall.query.Question` has them; ``部*`` for a lone
            character.
    """
    wanted = [term.rstrip("*") for term in terms[:MOST_TERMS]]
    wanted = list(dict.fromkeys(term for term in wanted if term))
    folded = [fold(part) for part in parts] if wanted else []
    holding: list[tuple[float, tuple[int, ...]]] = []
    met: set[str] = set()
    unmet: list[str] = []

    def look(term: str, worth: float) -> bool:
        places = tuple(place for place, text in enumerate(folded) if term in text)
        if places:
            holding.append((worth * idf(len(places), len(parts)), places))
        return bool(places)

    for term in wanted:
        if look(term, 1.0):
            met.update(term)
        elif is_han(term):
            unmet.append(term)
    # 看管 where 保管 is found: its 看 would find 看过.
    for char in dict.fromkeys("".join(term for term in unmet if met.isdisjoint(term))):
        look(char, LONE)
    total = [0.0] * len(parts)
    for worth, places in holding:
        for place in places:
            total[place] += worth
    for place, text in enumerate(folded):
        if total[place] and is_echo(text, wanted):
            total[place] *= ECHO
    return Relevance(tuple(total), tuple(holding))
