"""What is old, rare of its kind or stands among many hidden records is found all the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench import spies
from brain import Brain, Draft
from brain.recall import lexical

NEAR = ("小区北门晚上十点以后关门不开", "小区北门晚上十点以后不开")


class Drawn:
    """Vectors that mean nothing, for files where only their number matters."""

    name = "drawn"
    dim = 32
    max_tokens = 512
    languages = ("zh",)

    def __init__(self) -> None:
        self._draw = np.random.default_rng(3)

    def embed_documents(self, texts: list[str]) -> NDArray[np.float32]:
        out = self._draw.standard_normal((len(texts), self.dim))
        return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_documents([text])[0]


def notes(count: int, word: str = "货架") -> list[Draft]:
    return [Draft(f"{word}{n}号在第{n % 40}排，由第{n % 9}组照看") for n in range(count)]


@pytest.mark.parametrize("asked", ["猫", "貓"])
def test_a_lone_character_finds_what_only_an_old_note_holds(tmp_path: Path, asked: str) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("猫爱睡在窗台上")
        brain.add_many(notes(2_500))
        assert brain.recall(asked).hits[0].id == 1
        assert brain.search(asked).hits[0].id == 1


def test_an_old_record_of_a_kind_is_reached_by_a_frequent_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "POSTINGS", 300)
    monkeypatch.setattr(lexical, "SHORT", 50)
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("部署要先备份", kind="preference")
        brain.add("部署的步骤：先打包", kind="skill")
        brain.add_many(notes(700, "部署"))
        assert [h.id for h in brain.recall("部署", kind="preference").hits] == [1]
        assert [h.id for h in brain.recall("部署", kind="skill").hits] == [2]
        assert [h.id for h in brain.recall("部署").skills] == [2]


@pytest.mark.parametrize("asked", ["部署", "部署 备份"])
@pytest.mark.parametrize("view", ["kind", "known_at", "as_of", "today"])
def test_what_a_too_low_estimate_hides_is_reached_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str, asked: str
) -> None:
    """Both words stand in a stretch of the file that no sample meets: their lists are far longer
    than they are taken for, and of the newest in them the view shows none."""
    monkeypatch.setattr(lexical, "COUNTED", 200)
    monkeypatch.setattr(lexical, "POSTINGS", 150)
    monkeypatch.setattr(lexical, "SHORT", 50)
    monkeypatch.setattr(lexical, "STRETCH", 50)
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add_many(notes(900))
        first = brain.add("部署前的备份由门卫收着", kind="preference").id
        then = datetime.now(UTC)
        over = str(then.date() - timedelta(days=1)) if view == "today" else None
        brain.add_many(
            [
                replace(n, valid_from="2026-01-01" if over else None, valid_to=over)
                for n in notes(300, "部署备份")
            ]
        )
        brain.add_many(notes(100))
        options = {"kind": {"kind": "preference"}, "today": {}}.get(view, {view: then})
        assert first in [h.id for h in brain.recall(asked, **options).hits]


def test_a_near_repeat_is_told_beside_any_number_of_hidden_copies(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add(NEAR[0])
        for _ in range(30):
            brain.retract(brain.add(NEAR[1]).id)
        assert [s.id for s in brain.add(NEAR[1]).similar] == [1]


def test_near_repeats_are_told_as_of_the_instant_given(tmp_path: Path) -> None:
    day = datetime(2031, 1, 1, tzinfo=UTC)
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add(NEAR[0], now=day)
        assert [s.id for s in brain.add(NEAR[1], now=day + timedelta(days=1)).similar] == [1]


@pytest.mark.parametrize(
    ("first", "gone"), [(1_023, range(1, 1_024)), (2_200, range(1_024, 2_048))]
)
def test_a_block_of_vectors_may_be_forgotten_whole(tmp_path: Path, first: int, gone: range) -> None:
    """Adding goes on, codes are made, and what is left is found."""
    from brain.lifecycle import forget

    with Brain.open(tmp_path / "m.db", model=Drawn()) as brain:
        brain.add_many(notes(first))
        with brain._store.write() as db:
            for one in gone:
                forget.forget(db, one, "2026-01-01T00:00:00.000Z", "", False)
        brain.add_many(notes(1_100, "托盘"))
        brain.add_many(notes(1_100, "叉车"))
        brain.optimize()
        assert brain.recall("叉车7号").hits[0].text.startswith("叉车7号")
        assert brain.recall("托盘1099号").hits[0].text.startswith("托盘1099号")
        assert brain.stats().vectors_present == first - len(gone) + 2_200


def test_of_notes_with_the_same_words_the_lane_puts_the_shortest_first(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add("部署看板")
        for n in range(8):
            brain.add(f"部署以外还说了许多别的，比如第{n}排的货架、托盘和值班的人" * (n % 3 + 1))
        with spies.results((lexical, "lane")) as (heard,):
            brain.recall("部署")
        scores = [f.score for f in heard[0].found]
    assert heard[0].found[0].id == 1
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4
