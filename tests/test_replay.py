"""Two times together: what was believed then, with the values of then, in every lane."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Make
from engine_parts import EVERYDAY, NOON, fill, ids, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brain import Brain, BrainError, Draft
from brain.embed.protocol import Embedder
from brain.memory import Memory, RecallResult
from brain.recall import lexical
from brain.store import vectors
from brain.store.journal import Event
from brain.text.times import from_iso, to_iso
from brain.time import replay

DAY = timedelta(days=1)
EVERY = "灯塔"
"""A word all notes of the random histories hold, so that one question finds them all."""

# Random histories -----------------------------------------------------------------------------

STEP = st.sampled_from([0, 0, 1, 1000, 3_600_000, 86_400_000 * 3])
"""Milliseconds until the next operation: often none."""

SPAN = st.integers(-6, 6)
"""Days from now of a time that is given."""

PICK = st.integers(0, 30)

SCOPE = st.sampled_from(["", "甲", "乙"])
ADDITION = st.tuples(st.just("add"), st.none() | SPAN, st.none() | st.integers(1, 9), SCOPE)
OPERATION = st.one_of(
    ADDITION,
    st.tuples(st.just("supersede text"), PICK, st.none() | SPAN),
    st.tuples(st.just("supersede id"), PICK, PICK, st.none() | SPAN),
    st.tuples(st.just("expire"), PICK, st.none() | SPAN),
    st.tuples(st.just("confidence"), PICK, st.sampled_from([0.1, 0.4, 0.8])),
)
PLAIN = st.just((0, ("add", None, None, "")))
HISTORY = st.tuples(PLAIN, st.tuples(STEP, ADDITION)).flatmap(
    lambda first: st.lists(st.tuples(STEP, OPERATION), min_size=2, max_size=12).map(
        lambda rest: [*first, *rest]
    )
)


def perform(brain: Brain, operation: tuple[Any, ...], n: int, now: datetime) -> None:
    """One operation, the n-th. What the engine refuses changes nothing and is part of history."""
    what, *args = operation
    known = sorted(everything(brain))

    def one(pick: int) -> int:
        return known[pick % len(known)]

    def day(span: int | None) -> datetime | None:
        return None if span is None else now + span * DAY

    acts = {
        "add": lambda a, b, scope: brain.add(
            f"{EVERY}第{n}条", valid_from=day(a), valid_to=day(b), scope=scope, now=now
        ),
        "supersede text": lambda a, at: brain.supersede(
            one(a), text=f"{EVERY}改成第{n}条", at=day(at), now=now
        ),
        "supersede id": lambda a, b, at: brain.supersede(one(a), one(b), at=day(at), now=now),
        "expire": lambda a, at: brain.expire(one(a), at=day(at), now=now),
        "confidence": lambda a, value: brain.set_confidence(one(a), value, now=now),
    }
    try:
        acts[what](*args)
    except BrainError as e:
        assert e.exit_code == 65, e.code


def everything(brain: Brain) -> dict[int, Memory]:
    return {m.id: m for m in brain.list(all=True, all_scopes=True, limit=None)}


def lived(brain: Brain, history: list[tuple[int, tuple[Any, ...]]]) -> dict[datetime, Any]:
    """Runs a history; gives the whole state after each of its instants."""
    now = NOON
    states: dict[datetime, dict[int, Memory]] = {now - DAY: {}}
    for n, (wait, operation) in enumerate(history):
        now += timedelta(milliseconds=wait)
        perform(brain, operation, n, now)
        states[now] = everything(brain)
    return states


def true_then(state: dict[int, Memory], as_of: datetime) -> dict[int, Memory]:
    """Plain Python's idea of what is current in a state."""
    at = to_iso(as_of)
    return {
        i: m
        for i, m in state.items()
        if (m.valid_from is None or m.valid_from <= at)
        and (m.valid_to is None or m.valid_to > at)
        and m.retracted_at is None
        and m.archived_at is None
    }


def questions(states: dict[datetime, Any]) -> Iterator[tuple[datetime, datetime, Any]]:
    """(known at, as of, records to expect) of every instant, and of the moments between them."""
    instants = sorted(states)
    for place, known_at in enumerate(instants):
        after = instants[place + 1] if place + 1 < len(instants) else known_at + DAY
        between = max(known_at, after - timedelta(milliseconds=1))
        for asked in {known_at, between}:
            for as_of in (asked, NOON - 2 * DAY, NOON + 1.5 * DAY, instants[-1] + 5 * DAY):
                yield asked, as_of, true_then(states[known_at], as_of)


def lists_agree(brain: Brain, states: dict[datetime, Any]) -> None:
    """Every list of the past is the one of the past: the same records with the same values."""
    for known_at, as_of, expected in questions(states):
        listed = brain.list(all_scopes=True, limit=None, known_at=known_at, as_of=as_of)
        assert {m.id: m for m in listed} == expected, (known_at, as_of)
        assert [m.id for m in listed] == sorted(expected, reverse=True)


def answers_agree(brain: Brain, states: dict[datetime, Any], question: str, every: int) -> None:
    """As :func:`lists_agree`, for what a question finds; one of ``every`` moments is asked."""
    model = brain.stats().model
    for known_at, as_of, expected in list(questions(states))[::every]:
        times: dict[str, Any] = {"known_at": known_at, "as_of": as_of, "now": max(states)}
        seen = {i: m for i, m in expected.items() if m.scope in ("", "甲")}
        asks = (brain.recall,) if model else (brain.recall, brain.search)
        for ask in asks:
            found = ask(question, 50, scope="甲", **times)
            assert {h.id: h.memory for h in found.hits} == seen, (known_at, as_of)
        block = brain.inject(question, budget=0, scope="甲", **times)
        assert all(h.memory == seen[h.id] for h in block.hits)
        gate = brain.check(question, scope="甲", **times)
        assert gate.answerable == block.answerable
        assert {h.id for h in block.hits} == set(gate.ids)
        assert model or block.answerable == bool(seen)


@given(HISTORY)
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_every_earlier_instant_is_answered_as_it_was(history: list[Any]) -> None:
    """The promise of two times: replay any history, ask at any instant, get its records."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Brain.open(Path(folder) / "brain.db", model="none") as brain,
    ):
        lists_agree(brain, lived(brain, history))


@given(HISTORY)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
def test_words_find_exactly_the_records_of_the_instant(history: list[Any]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Brain.open(Path(folder) / "brain.db", model="none") as brain,
    ):
        answers_agree(brain, lived(brain, history), EVERY, 5)


@pytest.mark.parametrize("question", [EVERY, "海边给船指路的高楼"])
def test_meaning_finds_exactly_the_records_of_the_instant(e5: Embedder, question: str) -> None:
    @given(HISTORY)
    @settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
    def run(history: list[Any]) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            Brain.open(Path(folder) / "brain.db", model=e5) as brain,
        ):
            answers_agree(brain, lived(brain, history), question, 5)

    run()
