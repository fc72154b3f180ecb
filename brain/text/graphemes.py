"""Grapheme clusters (UAX #29): where a text may be cut without splitting what is seen as one sign.

An emoji family, a flag, a skin tone and a letter with its marks are one cluster each. The breaks
are those of APSW, which brings the tables of Unicode with it; most cuts fall between plain
characters and need no table.
"""

from __future__ import annotations

from brain.text.regex import compiled

_PLAIN = "[\t -~\u3001-\u3029\u3040-\u3096\u30a1-\u30fa\u3400-\u9fff\uff01-\uff5e]"
"""Characters that begin a cluster and are joined to nothing before them."""

_LOOKED_BACK = 128
"""Characters that a cluster may reach back before a cut falls inside it after all."""


def floor(text: str, at: int) -> int:
    """The last place at or before ``at`` where no cluster is split; ``at`` itself where it can be.

    Args:
        at: a character offset; beyond the ends it is the end.
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    plain = compiled(_PLAIN)
    if plain.match(text, at):
        return at
    start = at - 1
    least = max(0, at - _LOOKED_BACK)
    while start > least and not plain.match(text, start):
        start -= 1
    from apsw import unicode  # ten milliseconds, and most cuts need none

    stop = start
    while stop < at:
        start, stop = stop, unicode.grapheme_next_break(text, stop)
    return at if stop == at or start == least > 0 else start


def ceiling(text: str, at: int) -> int:
    """The first place at or behind ``at`` where no cluster is split."""
    place = floor(text, at)
    if place in (at, len(text)) or at <= 0:
        return place
    from apsw import unicode

    return int(unicode.grapheme_next_break(text, place))
