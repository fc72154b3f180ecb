"""A query, cut once into what the lanes and the gate need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.text.fold import fold
from brain.text.grams import query_terms, trigram_windows
from brain.text.words import is_chitchat, strip_function_words

MAX_CHARS = 20_000
"""Of a longer query only the head and the tail are looked at; what is asked stands there."""

MAX_TERMS = 600
"""Distinct terms of a query whose frequency is looked up, half from its head, half from its
tail."""


FUNCTION_WEIGHT = 0.4
"""What a term of function words (什么, 怎么) counts beside content words; measured: from .3 to .7
the shared sets agree within .003, at 0 paraphrases lose .02."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query ready for the lanes.

    Args:
        text: as given, bounded; what is embedded.
        folded: its folded form.
        terms: distinct gram-index terms in text order (``部*`` for a lone character).
        windows: distinct three-character windows in text order.
        content: those of the terms that are left when function words are taken out; what an
            answer should cover.
        chitchat: nothing but greetings and the like.
    """

    text: str
    folded: str
    terms: tuple[str, ...]
    windows: tuple[str, ...]
    content: tuple[str, ...]
    chitchat: bool

    def weight(self, term: str) -> float:
        """How much a term counts: function words less, where there is content beside them."""
        return 1.0 if not self.content or term in self.content else FUNCTION_WEIGHT

    @property
    def searchable(self) -> bool:
        """Whether there is anything a lane could look for."""
        return bool(self.terms)


def _ends(items: Sequence[str], most: int) -> tuple[str, ...]:
    if len(items) <= most:
        return tuple(items)
    return (*items[: most // 2], *items[-(most // 2) :])


MOST_LONE = 6
"""Up to so many content terms a lone character (龟 kubernetes) is looked up as well; in a longer
query it says too little for the prefix scan it costs."""


def _kept(terms: Sequence[str], content: Sequence[str]) -> list[str]:
    """Without lone characters, unless they are content of a short query or all there is."""
    lone = {t for t in content if t.endswith("*")} if len(content) <= MOST_LONE else set()
    return [t for t in terms if not t.endswith("*") or t in lone] or list(terms)


def read(text: str, own_words: Sequence[str] = (), context: str = "") -> Question:
    """Cuts a query.

    Args:
        text: from :func:`brain.memory.clean_query`.
        own_words: the user's own words, never taken for function words.
        context: the turns before; looked at when the query by itself asks for nothing.
    """
    asked = _read(text, own_words)
    if context.strip() and (asked.chitchat or not asked.content):
        return _read(f"{context}\n{text}", own_words)
    return asked


def _read(text: str, own_words: Sequence[str]) -> Question:
    if len(text) > MAX_CHARS:
        half = MAX_CHARS // 2
        text = text[:half] + "\n" + text[-half:]
    folded = fold(text)
    own = [fold(word) for word in own_words]
    found: dict[str, None] = {}
    for run in strip_function_words(folded, own):
        found.update(dict.fromkeys(query_terms(run)))
    content = list(found)
    terms = _ends(_kept(query_terms(folded), content), MAX_TERMS)
    return Question(
        text,
        folded,
        terms,
        _ends(trigram_windows(folded), MAX_TERMS),
        _ends(_kept(content, content), MAX_TERMS),
        is_chitchat(folded),
    )
