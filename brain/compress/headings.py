"""Heading detection: pieces that name what stands under them and tell nothing alone.

Short, because prose and units both ask and neither may import the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain.text.regex import compiled

_NUMBER = (
    r"(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十\d]{1,3}[）)]|\d{1,2}[.、)）]\s*)"
)
_LINE = (
    r"#{1,6}\s+\S|[一二三四五六七八九十]{1,3}、\S{1,20}$"
    r"|第[一二三四五六七八九十\d]{1,3}[章节部]\s*\S{0,24}$"
    r"|[^\s，。；：:|]{1,8}[：:]$|【[^】\n]{1,16}】$|\*\*[^*\n]{1,24}\*\*[：:]?$"
)
_LABEL = rf"(?:[-*]\s+)?{_NUMBER}[^，；、]{{1,16}}[。．.]$"


def heading_places(pieces: Sequence[str]) -> frozenset[int]:
    """Places of the headings: a line by itself (``## 值班``, ``五、值班``, ``值班：``), or a
    numbered name that opens a line and goes on behind it (``五、值班。元旦三天由……``).

    Args:
        pieces: a text in consecutive pieces, sentences or smaller, that cover it.
    """
    found = []
    for place, piece in enumerate(pieces):
        shown = piece.strip()
        last = place + 1 == len(pieces)
        opens = place == 0 or pieces[place - 1].endswith("\n")
        if piece.endswith("\n"):
            heading = compiled(_LINE).match(shown) is not None
        else:
            heading = opens and not last and compiled(_LABEL).match(shown) is not None
        if heading:
            found.append(place)
    return frozenset(found)
