"""Posting lists are added up as a plain dictionary would add them."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from brain.recall.lexical import DENSE, size, summed, topmost

IDS = st.lists(st.integers(1, 400), unique=True, max_size=60)
FAR_IDS = st.lists(st.integers(1, 10**12), unique=True, max_size=60)
WORTH = st.floats(0.0, 20.0)
LISTS = st.lists(st.tuples(IDS | FAR_IDS, WORTH), max_size=8)


def _text(ids: list[int]) -> str:
    return ",".join(map(str, ids))


def _plainly(lists: list[tuple[list[int], float]]) -> dict[int, float]:
    out: dict[int, float] = defaultdict(float)
    for ids, worth in lists:
        for i in ids:
            out[i] += worth
    return dict(out)


@settings(max_examples=300)
@given(LISTS)
def test_sums_are_those_of_a_dictionary_to_the_last_bit(
    lists: list[tuple[list[int], float]],
) -> None:
    ids, sums = summed([(_text(held), worth) for held, worth in lists])
    assert ids.tolist() == sorted(_plainly(lists))
    assert dict(zip(ids.tolist(), sums.tolist(), strict=True)) == _plainly(lists)


@settings(max_examples=300)
@given(LISTS, st.integers(1, 30))
def test_the_topmost_are_the_highest_and_of_equal_ones_the_newest(
    lists: list[tuple[list[int], float]], count: int
) -> None:
    # Few different sums, so that many are level.
    rough = [(held, float(round(worth / 7))) for held, worth in lists]
    ids, sums = topmost(*summed([(_text(held), worth) for held, worth in rough]), count)
    best = sorted(_plainly(rough).items(), key=lambda note: (-note[1], -note[0]))[:count]
    assert dict(zip(ids.tolist(), sums.tolist(), strict=True)) == dict(best)


@given(IDS)
def test_the_size_of_a_list_is_known_without_reading_it(ids: list[int]) -> None:
    assert size(_text(ids)) == len(ids)


def test_ids_that_lie_far_apart_take_no_memory_of_their_span() -> None:
    """A span that no array could index; the sums are those of near ones."""
    near, far = [1, 5, 9], [1, 5, 10**15]
    assert DENSE * len(far) < 10**15
    for held in (near, far):
        ids, sums = summed([(_text(held), 1.5), (_text(held[1:]), 2.0)])
        assert ids.tolist() == held
        assert sums.tolist() == [1.5, 3.5, 3.5]


def test_nothing_adds_up_to_nothing() -> None:
    for lists in ([], [("", 1.0)], [("", 1.0), ("", 2.0)]):
        ids, sums = topmost(*summed(lists), 5)
        assert ids.tolist() == sums.tolist() == []
