"""Two times together: what was believed then, with the values of then, in every lane."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brain import Brain, BrainError, Draft
from brain.embed.protocol import Embedder
from brain.lifecycle import replay
from brain.memory import Memory
from brain.recall import lexical
from brain.store import schema
from brain.store.journal import Event
from brain.store.sql import rows
from brain.store.vectors import vector_index
from brain.text.timestamps import from_iso, to_iso
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, NOON, Make, fill, ids

DAY = timedelta(days=1)
FIRST = schema.MIGRATIONS[0]
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
    st.tuples(st.sampled_from(["useful", "wrong", "pin", "unpin", "retract", "restore"]), PICK),
    st.tuples(st.just("importance"), PICK, st.sampled_from([0.0, 0.3, 1.0])),
    st.tuples(st.just("correct"), PICK),
    st.tuples(st.just("forget"), PICK),
    st.tuples(st.just("decay"), st.sampled_from([0.4, 0.9]), st.sampled_from([0.0, 0.6])),
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
    if not known and what not in ("add", "decay"):
        return

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
        "correct": lambda a: brain.correct(one(a), f"{EVERY}其实是第{n}条", now=now),
        "retract": lambda a: brain.retract(one(a), force=True, now=now),
        "restore": lambda a: brain.restore(one(a), now=now),
        "forget": lambda a: brain.forget(one(a), force=True, now=now),
        "pin": lambda a: brain.pin(one(a), now=now),
        "unpin": lambda a: brain.unpin(one(a), now=now),
        "importance": lambda a, value: brain.set_importance(one(a), value, now=now),
        "useful": lambda a: brain.useful(one(a), now=now),
        "wrong": lambda a: brain.wrong(one(a), now=now),
        "decay": lambda daily, below: brain.decay(
            daily=daily, archive_below=below, idle_days=0, now=now
        ),
        "confidence": lambda a, value: brain.set_confidence(one(a), value, now=now),
    }
    with suppress(BrainError):
        acts[what](*args)


def everything(brain: Brain) -> dict[int, Memory]:
    return {m.id: m for m in brain.list(all=True, all_scopes=True, limit=None)}


def lived(brain: Brain, history: list[tuple[int, tuple[Any, ...]]]) -> dict[datetime, Any]:
    """Runs a history; gives the whole state after each of its instants."""
    now = NOON
    states: dict[datetime, dict[int, Memory]] = {now - DAY: {}}
    for n, (wait, operation) in enumerate(history):
        now += timedelta(milliseconds=wait)
        before = everything(brain)
        perform(brain, operation, n, now)
        after = everything(brain)
        states[now] = after
        for one in before.keys() - after.keys():
            states = {at: without(state, before[one], before) for at, state in states.items()}
    return states


def without(state: dict[int, Memory], gone: Memory, last: dict[int, Memory]) -> dict[int, Memory]:
    """A state as if a record had never been: what it stood between is linked as it went."""

    def link(memory: Memory, name: str) -> int | None:
        value: int | None = getattr(memory, name)
        if value != gone.id:
            return value
        return getattr(gone, name) if getattr(last[memory.id], name) == gone.id else None

    return {
        i: replace(m, **{name: link(m, name) for name in ("supersedes", "superseded_by")})
        for i, m in state.items()
        if i != gone.id
    }


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
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_every_earlier_instant_is_answered_as_it_was(history: list[Any]) -> None:
    """The promise of two times: replay any history, ask at any instant, get its records."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Brain.open(Path(folder) / "brain.db", model="none") as brain,
    ):
        lists_agree(brain, lived(brain, history))


@given(HISTORY)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_words_find_exactly_the_records_of_the_instant(history: list[Any]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Brain.open(Path(folder) / "brain.db", model="none") as brain,
    ):
        answers_agree(brain, lived(brain, history), EVERY, 5)


@pytest.mark.parametrize("question", [EVERY, "海边给船指路的高楼"])
def test_meaning_finds_exactly_the_records_of_the_instant(e5: Embedder, question: str) -> None:
    @given(HISTORY)
    @settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
    def run(history: list[Any]) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            Brain.open(Path(folder) / "brain.db", model=e5) as brain,
        ):
            answers_agree(brain, lived(brain, history), question, 5)

    run()


# Single promises ------------------------------------------------------------------------------


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def events(*entries: tuple[float, str, object, object]) -> list[Event]:
    return [Event(to_iso(at(m)), 1, "x", "", {name: [a, b]}) for m, name, a, b in entries]


@pytest.mark.parametrize(
    ("entries", "asked", "value"),
    [
        ([(5, "confidence", 0.5, 0.6)], 4, 0.5),
        ([(5, "confidence", 0.5, 0.6)], 5, 0.6),
        ([(5, "confidence", 0.5, 0.6), (5, "confidence", 0.6, 0.7)], 5, 0.7),
        ([(5, "confidence", 0.5, 0.6), (9, "confidence", 0.6, 0.7)], 8.9, 0.6),
        # The clock went back between the two, or forward by mistake before the second.
        ([(9, "confidence", 0.5, 0.6), (5, "confidence", 0.6, 0.7)], 9, 0.7),
        ([(9, "confidence", 0.5, 0.6), (5, "confidence", 0.6, 0.7)], 5, 0.7),
        ([(9, "confidence", 0.5, 0.6), (5, "confidence", 0.6, 0.7)], 4, 0.5),
        ([(5, "valid_to", None, "2026"), (6, "valid_to", "2026", None)], 5, "2026"),
        ([(5, "no field of a record", 1, 2)], 4, None),
    ],
)
def test_the_value_of_an_instant(entries: list[Any], asked: float, value: object) -> None:
    found = replay.values_at(events(*entries), to_iso(at(asked)))
    assert found.get(entries[0][1]) == value


def test_a_detail_that_is_no_change_of_a_field_is_passed_over() -> None:
    entry = Event(to_iso(NOON), 1, "x", "", {"heir": 4, "text": "x", "strength": [1]})
    assert replay.values_at([entry], to_iso(NOON)) == {}


def test_what_was_done_at_the_instant_counts_and_the_millisecond_before_not(brain: Brain) -> None:
    one = brain.add("门禁卡放在前台", now=NOON).id
    brain.supersede(one, text="门禁卡放在保安室", now=at(60))
    before = at(60) - timedelta(milliseconds=1)
    assert [m.text for m in brain.list(known_at=at(60), as_of=at(60))] == ["门禁卡放在保安室"]
    (then,) = brain.list(known_at=before, as_of=at(60))
    assert (then.text, then.valid_to, then.superseded_by) == ("门禁卡放在前台", None, None)
    # Believed now: until the change it lay at the desk.
    (today,) = brain.list(as_of=before)
    assert (today.id, today.superseded_by) == (one, one + 1)


def test_a_clock_that_goes_back_leaves_every_answer_whole(brain: Brain) -> None:
    one = brain.add("备份盘在机房", now=at(0), valid_from="2026-01-01").id
    brain.set_confidence(one, 0.5, now=at(20))
    two = brain.supersede(one, text="备份盘在库房", now=at(10), at=at(10)).new
    brain.set_confidence(two, 0.3, now=at(5))

    def seen(
        minutes: float, as_of: datetime = NOON + timedelta(minutes=15)
    ) -> list[tuple[int, float]]:
        found = brain.list(known_at=at(minutes), as_of=as_of)
        assert found == [
            h.memory for h in brain.search("备份盘", known_at=at(minutes), as_of=as_of).hits
        ]
        return [(m.id, m.confidence) for m in found]

    assert seen(-1) == []
    assert seen(4) == seen(9) == [(one, 0.95)]
    assert seen(10) == seen(19) == [(two, 0.3)]
    assert seen(20) == [(two, 0.3)]
    assert seen(20, at(1)) == [(one, 0.5)]


def test_a_day_without_a_time_is_the_readers_day(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A date is that day's last moment in the reader's zone, by the rules of that day."""
    brain.add("柜台周末不开", valid_from="2026-03-29T00:00:00+01:00", now=NOON - 300 * DAY)
    for zone, day, seen in (
        ("Europe/Berlin", "2026-03-29 00:00", 1),
        ("Europe/Berlin", "2026-03-28", 0),
        ("Asia/Shanghai", "2026-03-28", 0),
        ("Asia/Shanghai", "2026-03-29 06:59", 0),
        ("Asia/Shanghai", "2026-03-29", 1),
        ("America/New_York", "2026-03-27", 0),
        ("America/New_York", "2026-03-28", 1),
        ("America/New_York", "2026-03-28 18:59", 0),
        ("America/New_York", "2026-03-28 19:00", 1),
    ):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert len(brain.list(as_of=day)) == seen, (zone, day)
        assert len(brain.list(as_of=day, known_at=day)) == seen
    monkeypatch.undo()
    time.tzset()


def test_all_records_of_an_instant_have_their_values_of_then(brain: Brain) -> None:
    one = brain.add("备用钥匙在信箱", confidence=0.9, now=at(0)).id
    brain.expire(one, now=at(5))
    brain.set_confidence(one, 0.2, now=at(6))
    brain.add("备用钥匙在花盆下", now=at(7))
    (then,) = brain.list(all=True, known_at=at(4))
    assert (then.id, then.valid_to, then.confidence) == (one, None, 0.9)
    (then,) = brain.list(all=True, known_at=at(5))
    assert (then.valid_to, then.confidence) == (to_iso(at(5)), 0.9)
    assert len(brain.list(all=True, known_at=at(7))) == 2


def test_a_time_that_is_asked_for_is_looked_up_by_the_values_of_then(brain: Brain) -> None:
    """Superseding moves the new one's beginning: before that it began when it was told."""
    fill(brain, EVERYDAY[:8])
    now = at(60 * 24 * 40)
    old = brain.add("大门口令是青松", valid_from=NOON - 90 * DAY, now=at(0)).id
    new = brain.add("大门口令是白桦", now=at(1), valid_from=NOON - 60 * DAY).id
    brain.supersede(old, new, at=now - DAY, now=now)
    asked = "2026年1月1日记了什么"
    then = {"known_at": at(2), "as_of": at(2), "now": now}
    assert new in ids(brain.recall(asked, 50, **then))  # type: ignore[arg-type]
    assert new not in ids(brain.recall("2026年1月1日记了什么口令", 50, as_of=at(2), now=now))
    assert ids(brain.recall("口令", **then))[:2] in ([old, new], [new, old])  # type: ignore[arg-type]


def test_what_only_lies_further_back_is_found_by_a_frequent_word(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound on the newest notes of a frequent word must not hide a whole past."""
    monkeypatch.setattr(lexical, "POSTINGS", 40)
    first = [brain.add(f"盘点第{n}仓", now=at(n)).id for n in range(3)]
    brain.add_many([Draft(f"盘点第{n}货架") for n in range(100)], now=at(10))
    assert sorted(ids(brain.search("盘点", known_at=at(5), as_of=at(5)))) == first


class Noise:
    """A model whose vectors are all alike, in the order the texts are numbered."""

    name, dim, max_tokens, languages = "e5-small", 384, 512, ("zh",)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = [1 + int("".join(c for c in text if c.isdigit()) or 0) for text in texts]
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        out[:, 0], out[:, 1] = 1, np.array(found) * 1e-4
        return out / np.linalg.norm(out, axis=1, keepdims=True)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.asarray(np.eye(1, self.dim)[0], dtype=np.float32)


@pytest.mark.parametrize("measured", [300, 40, 4])
def test_no_scan_is_empty_because_its_filter_goes_by_today(
    make: Make, monkeypatch: pytest.MonkeyPatch, measured: int
) -> None:
    """All that was true then has ended since, and what is nearest now was not true then."""
    monkeypatch.setattr(vector_index, "MEASURED", measured)
    brain = make(model=Noise())
    near = [brain.add(f"夜班表{n}", valid_to=at(5), now=at(0)).id for n in range(20)]
    far = [brain.add(f"排班表{n + 100}", now=at(0)).id for n in range(12)]
    for one in near:
        # Extended later: then, at the instant asked about, they had long ended.
        brain.expire(one, at=at(900), now=at(30))
    for one in far:
        brain.expire(one, at=at(12), now=at(40))
    asked = {"known_at": at(20), "as_of": at(15), "now": at(50)}
    found = brain.recall("谁上夜里的班", 8, **asked)  # type: ignore[arg-type]
    assert ids(found) == far[:8]
    assert all("semantic" in h.lanes and h.memory.valid_to is None for h in found.hits)
    assert set(ids(brain.recall("谁上夜里的班", 8, as_of=at(15), now=at(50)))) == set(near[:8])


@pytest.mark.parametrize("lane", ["words", "meaning", "both"])
def test_the_same_old_facts_come_from_every_lane(make: Make, e5: Embedder, lane: str) -> None:
    """joshuaswarren/remnic PR 713: one candidate path dropped replaced rows before the as-of
    test."""
    brain = make(model="none" if lane == "words" else e5)
    fill(brain, EVERYDAY[:10])
    old = brain.add("冬天的取暖炉烧松木颗粒", valid_from="2024-01-01").id
    brain.supersede(old, text="家里改用空气源热泵供热", at="2025-01-01")
    question = "屋里靠什么变暖和" if lane == "meaning" else "取暖炉烧什么"
    for when in ("2024-01-01", "2024-06-01", "2024-12-31"):
        found = brain.recall(question, as_of=when)
        assert found.hits[0].text == "冬天的取暖炉烧松木颗粒", when
        assert ("lexical" in found.hits[0].lanes) == (lane != "meaning")
        assert ("semantic" in found.hits[0].lanes) == (lane != "words")
        block = brain.inject(question, as_of=when)
        assert [h.id for h in block.hits] == [old] * block.answerable
        assert block.answerable or lane == "meaning"
    assert old not in ids(brain.recall(question, 50, as_of="2025-01-01"))
    assert old not in ids(brain.recall(question, 50, as_of="2023-12-31"))


def test_looking_back_leaves_the_reader_a_reader_and_the_file_as_it_was(tmp_path: Path) -> None:
    """The table of the past is the connection's own and gone with the look."""
    path = tmp_path / "brain.db"
    with Brain.open(path, model="none") as brain:
        one = brain.add("工牌放在抽屉", now=NOON).id
        brain.expire(one, now=at(10))
    before = path.read_bytes()
    with Brain.open(path, model="none", read_only=True) as brain:
        for known_at in (at(5), at(15), at(5)):
            found = brain.list(known_at=known_at, as_of=at(12))
            assert [m.id for m in found] == [one] * (known_at == at(5))
        with brain._store.read() as db:
            assert db.pragma("query_only") or db.readonly("main")
            assert rows(db, "SELECT name FROM temp.sqlite_schema") == []
    assert path.read_bytes() == before


def test_the_command_line_asks_both_times_everywhere(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    with Brain.open(cli.db, model="none") as brain:
        one = brain.add("会议改在三楼", confidence=0.9, now=NOON).id
        brain.expire(one, now=at(10))
        brain.set_confidence(one, 0.1, now=at(20))
    for known_at, expected in ((at(5), [0.9]), (at(25), [])):
        times = ["--known-at", to_iso(known_at), "--as-of", to_iso(at(15)), "--json"]
        assert [m["confidence"] for m in cli("list", *times).json] == expected
        for verb in ("recall", "search", "inject"):
            found = cli(verb, "会议改在三楼", *times).json
            assert [h["confidence"] for h in found["hits"]] == expected
        checked = cli("check", "会议改在三楼", *times)
        assert checked.code == (0 if expected else 1)
        assert checked.json["ids"] == [one] * len(expected)


def _first_format(db: apsw.Connection) -> None:
    """The first format, with what today's code looks for beside it for this connection alone."""
    FIRST(db)
    schema.stand_in(db)


def test_a_file_of_the_first_format_is_read_as_it_is_and_migrated_by_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "brain.db"
    with monkeypatch.context() as older:
        older.setattr(schema, "MIGRATIONS", (_first_format,))
        older.setattr(schema, "SCHEMA_VERSION", 1)
        with Brain.open(path, model="none") as brain:
            one = brain.add("水表在井盖下", now=NOON).id
            new = brain.supersede(one, text="表井挪到墙边的箱子里", now=at(5)).new
    times = {"known_at": at(1), "as_of": at(1)}
    with Brain.open(path, read_only=True) as brain:
        assert brain.stats().schema == 1
        assert [m.id for m in brain.list(**times)] == [one]  # type: ignore[arg-type]
        assert ids(brain.recall("水表在哪")) == [new]
    with Brain.open(path) as brain:
        brain.set_confidence(new, 0.5)
        assert brain.stats().schema == schema.SCHEMA_VERSION
        assert [m.id for m in brain.list(**times)] == [one]  # type: ignore[arg-type]


# Every stored field --------------------------------------------------------------------------


def test_every_stored_field_can_be_read_back_everywhere(tmp_path: Path) -> None:
    """getzep/graphiti #1661: a time field was written on every record and returned by no reader."""
    cli = Cli(tmp_path)
    given = ("--valid-from", "2024-12-09", "--valid-to", "2030-01-01", "--evidence", "合同扫描件")
    one = cli("add", "甲方是云帆公司", *given, "--source", "chat", "--json").json["id"]
    with Brain.open(cli.db) as brain, brain._store.read() as db:
        stored = {row[1] for row in rows(db, "PRAGMA table_info(memories)")}
    # A digest of the text for looking up handles; content_hash is the one that is shown.
    stored.discard("text_sha256")
    read = (
        cli("show", str(one), "--json").json,
        cli("list", "--json").json[0],
        *(cli(v, "甲方是谁", "--json").json["hits"][0] for v in ("recall", "search", "inject")),
    )
    for found in read:
        assert stored <= found.keys()
        assert found["evidence"] == "合同扫描件"
        assert from_iso(found["valid_from"]) == datetime(2024, 12, 9).astimezone()
        assert from_iso(found["valid_to"]) == datetime(2030, 1, 1).astimezone()
        assert found["source"] == "chat"
        assert (found["use_count"], found["last_used_at"]) == (0, None)
        assert len(found["content_hash"]) == 64
