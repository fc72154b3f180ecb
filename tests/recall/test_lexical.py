"""The lexical lane: posting lists are added up exactly, frequencies of words are about right."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import Brain, Draft
from brain.recall import lexical
from brain.recall.lexical import DENSE, size, summed, topmost
from brain.store import fts

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


NOTES = 1_200


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a thousand notes is a large one."""
    monkeypatch.setattr(lexical, "COUNTED", 600)
    monkeypatch.setattr(lexical, "SHORT", 60)
    monkeypatch.setattr(lexical, "STRETCH", 100)


def _spread(n: int) -> bool:
    return random.Random(n).random() < 0.25


WHERE = {
    "每条都有": lambda n: True,
    "四条里有一条": _spread,
    "最近的八十条": lambda n: n >= NOTES - 80,
    "最近的三百条": lambda n: n >= NOTES - 300,
    "最早的四百条": lambda n: n < 400,
    "中间的一段": lambda n: 350 <= n < 850,
    "隔着的两段": lambda n: n < 350 or n >= NOTES - 350,
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("asked", ["网关", "網關", "gateway", "柚*"])
@pytest.mark.parametrize("where", WHERE)
def test_frequencies_are_about_right_wherever_the_notes_lie(
    tmp_path: Path, where: str, asked: str
) -> None:
    """Above all never far too high where the newest notes are full of a word: it is what is being
    talked about."""
    said = {"柚*": "柚"}.get(asked, asked)
    holds = WHERE[where]
    drafts = [Draft(f"第{n}条 {said if holds(n) else '别的'}") for n in range(NOTES)]
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add_many(drafts)
        with brain._store.read() as db:
            term = {"網關": "网关"}.get(asked, asked)
            looked = lexical.look_up(db, fts.GRAMS, [term], None, NOTES, {})
    actual = sum(map(holds, range(NOTES)))
    assert actual / 4 <= looked.frequency[term] <= actual * 1.6


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("scopes", [None, [1]])
def test_rare_words_are_counted_and_their_notes_kept_where_all_scopes_are_seen(
    tmp_path: Path, scopes: list[int] | None
) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add_many(
            [Draft(f"第{n}条 {'水表' if n % 100 == 7 else '别的'}") for n in range(NOTES)]
        )
        with brain._store.read() as db:
            looked = lexical.look_up(db, fts.GRAMS, ["水表", "从无"], scopes, NOTES, {})
    assert looked.frequency == {"水表": 12, "从无": 0}
    assert set(looked.held) == ({"水表", "从无"} if scopes is None else set())


@pytest.mark.usefixtures("small")
def test_what_the_newest_notes_are_full_of_still_finds_them(tmp_path: Path) -> None:
    """Taken for a word that every note holds, it would weigh nothing beside 安排."""
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add_many([Draft(f"第{n}次例会的安排") for n in range(NOTES - 90)])
        brain.add_many([Draft(f"网关第{n}号机柜的温度") for n in range(90)])
        hits = brain.recall("网关的安排", k=5).hits
    assert all("网关" in hit.text for hit in hits)
