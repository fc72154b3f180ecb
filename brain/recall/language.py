"""English among Chinese: how much lower a model puts a text of the other language.

A multilingual embedder keeps languages apart: e5-small gives an English question and unrelated
Chinese notes .70, Chinese to Chinese .83 (``bench/fit_gate.py`` measures it). Compared as they
are, every note of the question's own language comes before the one that answers it in the other.
"""

from __future__ import annotations

import re

from brain.text.regex import compiled

LOOKED_AT = 500
"""Characters of a text that tell its language."""

MOST_HAN = 0.05
"""Share of Han characters up to which a text may be English: a name, a quoted word."""

CHINESE, ENGLISH = "zh", "en"
OTHER = {CHINESE: ENGLISH, ENGLISH: CHINESE}

_WORD = r"[A-Za-z']+"
# The first bytes of U+3400 to U+9FFF and U+F900 to U+FAFF: as a set of characters it is looked
# through one by one while it is compiled, which takes two milliseconds.
_HAN = re.compile(rb"\xe3[\x90-\xbf]|[\xe4-\xe9]|\xef[\xa4-\xab]")
# fmt: off
_FUNCTION = frozenset(
    (
        "a", "an", "the", "is", "are", "was", "were", "be", "been", "am", "do", "does", "did",
        "has", "have", "had", "will", "would", "can", "could", "should", "may", "must", "to",
        "of", "in", "on", "at", "by", "for", "from", "with", "into", "about", "after", "before",
        "as", "and", "or", "but", "not", "no", "if", "when", "where", "who", "what", "which",
        "why", "how", "that", "this", "it", "its", "we", "our", "us", "you", "your", "they",
        "their", "he", "she", "his", "her", "i", "my", "me", "there", "than", "then", "so",
        "all", "any", "every", "only",
    )
)
# fmt: on

_LEAST_WORDS = 4
_LEAST_FUNCTION = 2


def of(text: str) -> str:
    """``en`` for running English, ``zh`` for everything else.

    Identifiers, paths, code and a bare Latin word or two are part of Chinese here: they stand in
    it untranslated.
    """
    head = text[:LOOKED_AT]
    if len(_HAN.findall(head.encode("utf-8", "surrogatepass"))) > MOST_HAN * len(head):
        return CHINESE
    words = compiled(_WORD).findall(head)
    # FROM and WHERE of a query are no English.
    told = sum(w.lower() in _FUNCTION for w in words if len(w) == 1 or not w.isupper())
    running = len(words) >= _LEAST_WORDS and told >= _LEAST_FUNCTION and told * 8 >= len(words)
    return ENGLISH if running else CHINESE


def pair(asked: str, told: str) -> str:
    """The key of a question's and a note's language in :attr:`brain.recall.gate.Weights.near`."""
    return f"{asked}-{told}"
