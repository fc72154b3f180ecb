"""Grapheme clusters: no cut splits a sign that is seen as one."""

from __future__ import annotations

import pytest
from apsw import unicode
from hypothesis import given
from hypothesis import strategies as st

from brain.compress import passages as snippets
from brain.inject import pack
from brain.text import graphemes
from brain.text.sentences import passages
from tests.inject.test_asked_first import hit

SIGNS = [
    "👨‍👩‍👧‍👦",
    "🇨🇳",
    "🇯🇵",
    "👍🏽",
    "e\u0301\u0323",
    "か\u3099",
    "क्षि",
    "각",
    "1\ufe0f\u20e3",
    "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "葛\U000e0100",
    "\r\n",
    "❤️‍🔥",
    "茶",
    "a",
    "，",
]
TEXT = st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)


def breaks(text: str) -> set[int]:
    """Where clusters begin and end, by the tables of Unicode."""
    out, at = {0, len(text)}, 0
    while at < len(text):
        at = unicode.grapheme_next_break(text, at)
        out.add(at)
    return out


@given(TEXT, st.integers(-2, 400))
def test_floor_and_ceiling_are_the_nearest_breaks(text: str, at: int) -> None:
    places = breaks(text)
    inside = max(0, min(at, len(text)))
    assert graphemes.floor(text, at) == max(p for p in places if p <= inside)
    assert graphemes.ceiling(text, at) == min(p for p in places if p >= inside)


@given(TEXT.filter(bool), st.integers(1, 30))
def test_passages_end_between_clusters_where_a_unit_does(text: str, most: int) -> None:
    spans = passages(text * 4, most)
    assert "".join((text * 4)[a:b] for a, b in spans) == text * 4


@pytest.mark.parametrize("sign", [s for s in SIGNS if s.strip()])
@pytest.mark.parametrize("budget", [80, 95, 120, 160, 300])
def test_a_cut_memory_ends_between_clusters(sign: str, budget: int) -> None:
    text = "值班表" + "".join(f"{sign}{sign}第{n}" for n in range(300))
    shown = pack.block_of_hits([hit(text, 1)], ("值班",), budget).hits[0].text
    places = breaks(text)
    parts = [p for p in shown.split("（")[0].split("ccr_")[0].split("……") if p]
    assert parts
    for part in parts:
        start = text.index(part)
        assert start in places
        assert start + len(part) in places


def test_a_cluster_without_end_is_cut_after_all() -> None:
    text = "e" + "\u0301" * 5_000
    assert graphemes.floor(text, 2_000) == 2_000
    span = snippets.window(text, (0, len(text)), (), lambda a, b: b - a <= 50)
    assert span[1] - span[0] <= 5_000
