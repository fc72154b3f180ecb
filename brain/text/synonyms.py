"""Synonyms: which words stand for which, from the lists, the best evidence first.

The lists are data (:mod:`brain.text.lists`): ``homophones``, ``synonyms`` (everyday and trade
words), ``translations``, ``narrower``, and ``compounds``, which hold such words only by their
characters. Taiwan's words come from OpenCC's phrase table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from brain.text import lists
from brain.text.fold import fold, opencc_dictionary
from brain.text.regex import compiled

Kind = Literal["numeral", "homophone", "region", "colloquial", "translation", "narrower"]
"""Why one may stand for the other; see :mod:`brain.text.rewrite`."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""By worth: where two kinds lead from one phrase to the same other, the first one counts."""

Link = tuple[str, Sequence[str], Kind]
"""A phrase, what may stand in its place (itself may be among it), and why."""


def compounds() -> tuple[str, ...]:
    """Words inside which nothing is replaced, though an entry's characters stand there."""
    return lists.words("compounds")


def links() -> Iterator[Link]:
    """All lists, in the order of ``KINDS``; the same phrase may come several times.

    Raises:
        BrainError: as :func:`brain.text.fold.opencc_dictionary`.
    """
    yield from _grouped(lists.groups("homophones"), "homophone")
    yield from _region()
    yield from _grouped(lists.groups("synonyms"), "colloquial")
    yield from _translations()
    yield from _grouped(lists.groups("narrower"), "narrower")


def latin_links() -> Iterator[Link]:
    """Those of :func:`links` that may begin at a Latin word; narrower ones never do."""
    latin = [line for line in lists.groups("synonyms") if compiled("[a-z]").search(line)]
    yield from _grouped(latin, "colloquial")
    yield from _translations()


def _grouped(groups: Sequence[str], kind: Kind) -> Iterator[Link]:
    for line in groups:
        both_ways, _, one_way = line.partition(">")
        group = _phrases(both_ways)
        others = _phrases(one_way) if kind == "narrower" else group + _phrases(one_way)
        for one in group:
            yield one, others, kind


def _translations() -> Iterator[Link]:
    for line in lists.groups("translations"):
        chinese, english = map(_phrases, line.split("|"))
        for one in chinese:
            yield one, english, "translation"
        for one in english:
            yield one, chinese, "translation"


def _phrases(line: str) -> list[str]:
    phrases = line.split()
    return [phrase.replace("_", " ") for phrase in phrases] if "_" in line else phrases


def _region() -> Iterator[Link]:
    """OpenCC's phrases of the Mainland and Taiwan, both ways, where folding leaves a difference."""
    for line in fold(opencc_dictionary("TWPhrases").read_text(encoding="utf-8")).splitlines():
        mainland, _, taiwan = line.partition("\t")
        others = [other for other in taiwan.split(" ") if len(other) > 1]
        if len(mainland) > 1:
            yield mainland, others, "region"
            for other in others:
                yield other, [mainland], "region"
