"""How frequent a word is, in a file too large to count: about right, wherever its notes lie."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.recall import lexical
from brain.store import fts

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
