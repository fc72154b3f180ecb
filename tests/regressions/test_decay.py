"""Decay: founding notes lost, age that hides, guards that stand in the wrong place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from brain import Brain, Draft
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, NOON, Make, ids, refused, told_apart

ASKED = (
    "物业周几来抄水表",
    "投影仪的接口怎么了",
    "外婆爱听什么",
    "车位租到什么时候",
    "绿萝多久浇一次水",
    "体检报告寄到哪里了",
    "钢琴课改到周几",
    "蛋糕是给谁留的",
    "发票抬头写什么",
    "健身卡还剩几次",
    "早餐店几点要排队",
    "团建去了哪里",
)
"""A question for each of the first notes in EVERYDAY."""


def stored(brain: Brain, age: float) -> None:
    """EVERYDAY, each recorded some days before NOON."""
    born = NOON - timedelta(days=age)
    brain.add_many(told_apart(EVERYDAY, born), now=born)


# Importance only delays the end (P0luz/Ombre-Brain #81) --------------------------------------


@pytest.mark.parametrize(("importance", "every"), [(0.95, 1), (0.7, 9), (0.5, 30), (0.2, 400)])
def test_what_matters_lives_on_unused(brain: Brain, importance: float, every: int) -> None:
    brain.add("公司创立于2011年，最初三个人", importance=importance, now=NOON)
    for day in range(every, 401, every):
        assert not brain.decay(now=NOON + timedelta(days=day)).archived
    late = NOON + timedelta(days=400)
    memory = brain.get(1)
    assert memory.archived_at is None
    assert memory.strength == importance / 2
    assert ids(brain.recall("公司创立于哪一年", now=late)) == [1]


@pytest.mark.parametrize("importance", [0.0, 0.1, 0.19])
def test_what_is_archived_was_listed_before_and_can_be_seen_after(
    brain: Brain, importance: float
) -> None:
    brain.add("楼下便利店的雨伞三十元", importance=importance, now=NOON)
    listed: tuple[int, ...] = ()
    for day in range(1, 401, 7):
        now = NOON + timedelta(days=day)
        told = brain.decay(dry_run=True, now=now)
        done = brain.decay(now=now)
        assert done.archived == told.archived
        listed += told.archived
    assert listed == (1,)
    assert [m.id for m in brain.list(archived=True, now=NOON + timedelta(days=401))] == [1]


# Age hides the whole corpus, silently (kirodotdev/KiroCrew #12154) ---------------------------


def test_a_corpus_of_three_hundred_days_is_found_as_a_fresh_one(make: Make) -> None:
    fresh, old = make("fresh.db"), make("old.db")
    stored(fresh, 0)
    stored(old, 300)
    old.decay(now=NOON)
    assert max(m.strength for m in old.list(now=NOON)) < 0.3
    for number, question in enumerate(ASKED, start=1):
        new, aged = (b.recall(question, now=NOON) for b in (fresh, old))
        assert ids(aged) == ids(new)
        assert ids(aged)[0] == number
        assert old.check(question, now=NOON) == fresh.check(question, now=NOON)


@pytest.mark.parametrize("number", [1, 3, 6, 9])
def test_an_old_answer_among_fresh_notes_stays_first(brain: Brain, number: int) -> None:
    born = NOON - timedelta(days=700)
    brain.add(EVERYDAY[number - 1], importance=0.3, now=born)
    others = [t for i, t in enumerate(EVERYDAY, start=1) if i != number]
    drafts = [Draft(t, importance=0.9, confidence=0.99) for t in others]
    brain.add_many(drafts, now=NOON - timedelta(hours=1))
    brain.decay(now=NOON)
    found = brain.recall(ASKED[number - 1], now=NOON)
    assert ids(found)[0] == 1
    assert brain.inject(ASKED[number - 1], now=NOON).hits[0].id == 1


def test_explain_shows_the_age(tmp_path: Path) -> None:
    run = Cli(tmp_path)
    with Brain.open(run.db, model="none") as brain:
        stored(brain, 300)
        fresh = brain.recall("外婆爱听什么", now=NOON).hits[0]
        assert fresh.lanes["quality"].recency == 1.0
        brain.decay(now=NOON)
    told = run("recall", "外婆爱听什么", "-k", "1", "--explain", "--json").json["hits"][0]
    assert told["lanes"]["quality"]["recency"] == pytest.approx(1 - 0.2 * (1 - 0.5 ** (300 / 365)))
    assert told["lanes"]["quality"]["score"] < 0.5 * fresh.lanes["quality"].score
    assert told["strength"] == 0.25
    assert "时近 ×0.91，强度 0.25" in run("recall", "外婆爱听什么", "-k", "1", "--explain").out


def test_between_two_runs_age_moves_nothing(brain: Brain) -> None:
    stored(brain, 30)
    brain.decay(now=NOON)
    asked = [brain.inject(ASKED[2], now=NOON + timedelta(days=d)) for d in (0, 0.5, 29, 4000)]
    assert asked[0].block
    assert len({found.block for found in asked}) == 1
    assert all(found == asked[0] for found in asked)


# Clearing up takes what was pinned (constant-itis/mycelium-memory PR 5) ----------------------


TIDYING: dict[str, Callable[[Brain], object]] = {
    "decay": lambda b: b.decay(now=NOON + timedelta(days=4000)),
    "decay at its hardest": lambda b: b.decay(
        daily=1e-9,
        archive_below=1,
        idle_days=0,
        keep_importance=1,
        now=NOON + timedelta(days=4000),
    ),
    "wrong, then decay": lambda b: (
        [b.wrong(1) for _ in range(20)] and b.decay(now=NOON + timedelta(days=40_000))
    ),
}


@pytest.mark.parametrize("tidy", TIDYING.values(), ids=TIDYING.keys())
def test_what_is_pinned_stays_whoever_tidies(brain: Brain, tidy: Callable[[Brain], object]) -> None:
    brain.add("对花生过敏", importance=0.0, pinned=True, now=NOON)
    brain.add("便利店的雨伞", importance=0.0, now=NOON)
    tidy(brain)
    assert brain.get(1).archived_at is None
    assert brain.get(2).archived_at is not None
    assert 1 in [m.id for m in brain.list()]


def test_the_guard_is_in_the_engine_and_gives_way_to_an_explicit_word_alone(brain: Brain) -> None:
    brain.add("对花生过敏", pinned=True, now=NOON)
    later = NOON + timedelta(days=1)
    refused("brain_pinned", 65, lambda: brain.expire(1, now=later))
    assert brain.get(1).valid_to is None
    assert brain.expire(1, force=True, now=later).valid_to is not None
