"""The Python face: what add, supersede, expire, list, brief and recall promise."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import Brain, Draft
from brain.embed import registry
from brain.embed.protocol import Embedder
from brain.text.timestamps import to_iso
from brain.validate import MAX_TEXT_BYTES
from tests.support.engine import (
    EVERYDAY,
    NOON,
    Make,
    fill,
    ids,
    proposed,
    refused,
    shares_no_word,
    texts,
    told_apart,
)

LATER = NOON + timedelta(days=30)


# Adding --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [
        "café 的\n第二行",
        unicodedata.normalize("NFD", "café 的\n第二行"),
        "café 的  \n第二行",
        "café 的\r\n第二行\r\n",
        "\n\ncafé 的\t\n第二行\n\n",
    ],
)
def test_the_same_text_gets_the_same_id(brain: Brain, again: str) -> None:
    first = brain.add("café 的\n第二行")
    assert (first.id, first.created) == (1, True)
    second = brain.add(again, importance=1, confidence=0, source="model", pinned=True)
    assert (second.id, second.created) == (1, False)
    kept = brain.get(1)
    assert kept.text == "café 的\n第二行"
    assert (kept.importance, kept.confidence, kept.source, kept.pinned) == (
        0.5,
        0.95,
        "user",
        False,
    )


@pytest.mark.parametrize(
    "options",
    [{"kind": "fact"}, {"scope": "web"}, {"kind": "fact", "scope": "web"}],
)
def test_another_kind_or_scope_is_another_memory(brain: Brain, options: dict[str, str]) -> None:
    brain.add("值班表每周一更新")
    assert brain.add("值班表每周一更新", **options).created
    assert not brain.add("值班表每周一更新", **options).created


@pytest.mark.parametrize(
    "other", ["截止十月15日", "截止十月16日 ", "  截止十月16日。", "截止10月16日"]
)
def test_a_text_that_differs_in_a_figure_or_a_mark_is_another_memory(
    brain: Brain, other: str
) -> None:
    brain.add("截止十月16日")
    made = brain.add(other)
    assert made.created == (other.rstrip() != "截止十月16日")


def test_what_is_no_longer_current_may_be_added_again(brain: Brain) -> None:
    first = brain.add("门禁密码是八个一", now=NOON).id
    brain.expire(first, now=LATER)
    again = brain.add("门禁密码是八个一", now=LATER + timedelta(days=1))
    assert (again.created, again.id) == (True, 2)
    brain.supersede(2, text="门禁改刷脸", now=LATER + timedelta(days=2))
    assert brain.add("门禁密码是八个一", now=LATER + timedelta(days=3)).id == 4


TRICKY = (
    "  前后都有空格  ",
    "\r\n第一行\r\n\t第二行\n\n",
    "混合漢字和汉字，ＦＵＬＬ width",
    unicodedata.normalize("NFD", "naïve ガ 한글"),
    "零宽\u200b与\ufeff方向\u202e标记",
    "表情👨\u200d👩\u200d👧🏽 国旗🇨🇳 ❤\ufe0f",
    "𠮷野家 𰻞𰻞面 \U0010ffff",
    "\x01\x1b[31m控制字符\x7f\x85\u2028\u2029",
    "\"quotes\" 'and' \\slashes\\ ${HOME} %s {0} <tag> </记忆> ⟦/记忆⟧",
)


@pytest.mark.parametrize("text", TRICKY)
def test_a_text_is_kept_byte_for_byte(make: Make, text: str) -> None:
    with make("one.db") as one:
        made = one.add(text)
        assert one.get(made.id).text == text
    assert make("one.db").get(made.id).text.encode() == text.encode()


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1))
def test_any_text_comes_back_as_it_was(any_brain: Brain, text: str) -> None:
    if text.strip():
        made = any_brain.add(text)
        kept = any_brain.get(made.id)
        assert kept.text == text or not made.created
        assert not any_brain.add(text).created
    else:
        refused("brain_text_empty", 65, lambda: any_brain.add(text))


@pytest.fixture(scope="module")
def any_brain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("any") / "brain.db", model="none") as brain:
        yield brain


def test_every_field_is_stored_and_read_back(brain: Brain) -> None:
    made = brain.add(
        "合同到年底",
        kind="fact",
        importance=0.8,
        confidence=0.25,
        scope="项目/云帆",
        source="chat:微信",
        valid_from="2026-01-01T00:00:00Z",
        valid_to="2026-12-31T16:00:00+08:00",
        pinned=True,
        evidence="扫描件第3页\n附函",
        tags=["合同", "年度"],
        now=NOON,
    )
    assert brain.get(made.id).to_dict() == {
        "id": 1,
        "kind": "fact",
        "text": "合同到年底",
        "scope": "项目/云帆",
        "source": "chat:微信",
        "importance": 0.8,
        "confidence": 0.25,
        "strength": 1.0,
        "pinned": True,
        "valid_from": "2026-01-01T00:00:00.000Z",
        "valid_to": "2026-12-31T08:00:00.000Z",
        "recorded_at": "2026-03-02T04:00:00.000Z",
        "retracted_at": None,
        "supersedes": None,
        "superseded_by": None,
        "archived_at": None,
        "evidence": "扫描件第3页\n附函",
        "content_hash": hashlib.sha256("合同到年底".encode()).hexdigest(),
        "tags": ["合同", "年度"],
        "use_count": 0,
        "last_used_at": None,
        "checks": [],
        "state": None,
        "verified_at": None,
    }


@pytest.mark.parametrize(
    ("source", "confidence"),
    [("user", 0.95), ("model", 0.75), ("chat", 0.60), ("chat:群聊", 0.60), ("扫描件", 0.95)],
)
def test_confidence_comes_from_the_source_unless_given(
    brain: Brain, source: str, confidence: float
) -> None:
    assert brain.get(brain.add("甲", source=source).id).confidence == confidence
    assert brain.get(brain.add("乙", source=source, confidence=0.0).id).confidence == 0.0


def test_defaults_are_those_of_the_contract(brain: Brain) -> None:
    kept = brain.get(brain.add("只有文本", now=NOON).id)
    assert (kept.kind, kept.source, kept.importance, kept.strength) == ("note", "user", 0.5, 1.0)
    assert kept.valid_from == kept.recorded_at == to_iso(NOON)
    assert (kept.valid_to, kept.scope, kept.pinned) == (None, "", False)
    assert brain.get(brain.add("一直如此", valid_from="unknown").id).valid_from is None


def test_a_batch_is_stored_in_order_and_repeats_within_it_are_one(brain: Brain) -> None:
    made = brain.add_many([Draft("甲"), Draft("乙"), Draft("甲"), Draft("甲", scope="web")])
    assert [(r.id, r.created) for r in made] == [(1, True), (2, True), (1, False), (3, True)]
    assert brain.add_many([]) == []


def test_two_hundred_fifty_six_kibibytes_are_taken_and_one_byte_more_is_not(brain: Brain) -> None:
    whole = "汉" * (MAX_TEXT_BYTES // 3) + "x"
    assert len(whole.encode()) == 256 * 1024
    error = refused("brain_memory_too_large", 65, lambda: brain.add(whole + "y"))
    assert str(256 * 1024 + 1) in error.message
    refused(
        "brain_memory_too_large", 65, lambda: brain.add_many([Draft("好的"), Draft(whole + "汉")])
    )
    assert not brain.path.exists()
    made = brain.add(whole)
    assert brain.get(made.id).text == whole
    assert ids(brain.recall("汉汉汉")) == [made.id]
    refused("brain_memory_too_large", 65, lambda: brain.supersede(made.id, text=whole + "y"))
    assert brain.stats().total == 1


# What is refused -----------------------------------------------------------------------------


BAD: dict[str, tuple[str, int, Callable[[Brain], object]]] = {
    "empty text": ("brain_text_empty", 65, lambda b: b.add("")),
    "blank text": ("brain_text_empty", 65, lambda b: b.add(" \t\r\n\u3000")),
    "NUL": ("brain_text_nul", 65, lambda b: b.add("前\0后文青鸟")),
    "a lone surrogate": ("brain_text_surrogate", 65, lambda b: b.add("半个\ud83d表情")),
    "confidence 1.5": ("brain_confidence_invalid", 65, lambda b: b.add("x", confidence=1.5)),
    "confidence NaN": (
        "brain_confidence_invalid",
        65,
        lambda b: b.add("x", confidence=float("nan")),
    ),
    "confidence -0.1": ("brain_confidence_invalid", 65, lambda b: b.add("x", confidence=-0.1)),
    "confidence text": ("brain_type_invalid", 2, lambda b: b.add("x", confidence="高")),  # type: ignore[arg-type]
    "importance inf": (
        "brain_importance_invalid",
        65,
        lambda b: b.add("x", importance=float("inf")),
    ),
    "importance 1.0001": ("brain_importance_invalid", 65, lambda b: b.add("x", importance=1.0001)),
    "kind with capitals": ("brain_kind_invalid", 65, lambda b: b.add("x", kind="Fact")),
    "kind in Chinese": ("brain_kind_invalid", 65, lambda b: b.add("x", kind="事实")),
    "kind empty": ("brain_kind_invalid", 65, lambda b: b.add("x", kind="")),
    "kind too long": ("brain_kind_invalid", 65, lambda b: b.add("x", kind="k" * 33)),
    "kind with a line end": ("brain_kind_invalid", 65, lambda b: b.add("x", kind="fact\n")),
    "scope with control": ("brain_scope_invalid", 65, lambda b: b.add("x", scope="we\x1bb")),
    "scope too long": ("brain_scope_invalid", 65, lambda b: b.add("x", scope="s" * 201)),
    "scope surrogate": ("brain_scope_invalid", 65, lambda b: b.add("x", scope="\udfff")),
    "source with line end": ("brain_source_invalid", 65, lambda b: b.add("x", source="a\nb")),
    "evidence too long": ("brain_evidence_invalid", 65, lambda b: b.add("x", evidence="e" * 2001)),
    "why surrogate": ("brain_why_invalid", 65, lambda b: b.add("x", why="\ud800")),
    "why too long": ("brain_why_invalid", 65, lambda b: b.add("x", why="w" * 2001)),
    "30 February": ("brain_date_invalid", 65, lambda b: b.add("x", valid_from="2026-02-30")),
    "a month 13": ("brain_date_invalid", 65, lambda b: b.add("x", valid_to="2026-13-01")),
    "25 o'clock": ("brain_date_invalid", 65, lambda b: b.add("x", valid_from="2026-03-01 25:00")),
    "a word as date": ("brain_date_invalid", 65, lambda b: b.add("x", valid_from="下辈子")),
    "an end before the start": (
        "brain_valid_range",
        65,
        lambda b: b.add("x", valid_from="2026-03-02", valid_to="2026-03-01"),
    ),
    "an end at the start": (
        "brain_valid_range",
        65,
        lambda b: b.add("x", valid_from="2026-03-02", valid_to="2026-03-02"),
    ),
    "an end before now": ("brain_valid_range", 65, lambda b: b.add("x", valid_to="2020-01-01")),
    "id 0": ("brain_id_invalid", 65, lambda b: b.get(0)),
    "id -1": ("brain_id_invalid", 65, lambda b: b.get(-1)),
    "id true": ("brain_type_invalid", 2, lambda b: b.get(True)),
    "id beyond 64 bits": ("brain_id_invalid", 65, lambda b: b.get(2**63)),
    "id words": ("brain_id_invalid", 65, lambda b: b.expire("第一条")),
    "id of another form": ("brain_id_invalid", 65, lambda b: b.set_confidence("1.0", 0.5)),
    "an id that is not there": ("brain_not_found", 1, lambda b: b.get(99)),
    "expire nothing": ("brain_not_found", 1, lambda b: b.expire("#99")),
    "confidence of nothing": ("brain_not_found", 1, lambda b: b.set_confidence(99, 0.5)),
    "supersede nothing": ("brain_not_found", 1, lambda b: b.supersede(99, text="y")),
    "supersede by nothing": ("brain_not_found", 1, lambda b: b.supersede(1, new=99)),
    "supersede without heir": ("brain_usage", 2, lambda b: b.supersede(1)),
    "supersede with two": ("brain_usage", 2, lambda b: b.supersede(1, new=2, text="y")),
    "supersede by blank": ("brain_text_empty", 65, lambda b: b.supersede(1, text=" ")),
    "supersede on no day": ("brain_date_invalid", 65, lambda b: b.supersede(1, text="y", at="昨")),
    "conf NaN": ("brain_confidence_invalid", 65, lambda b: b.set_confidence(1, float("nan"))),
    "conf 2": ("brain_confidence_invalid", 65, lambda b: b.set_confidence(1, 2)),
    "expire on no day": ("brain_date_invalid", 65, lambda b: b.expire(1, at="2026-02-30")),
    "k 0": ("brain_k_invalid", 2, lambda b: b.recall("一条", k=0)),
    "k -1": ("brain_k_invalid", 2, lambda b: b.recall("一条", k=-1)),
    "k 1001": ("brain_k_invalid", 2, lambda b: b.search("一条", k=1001)),
    "limit 0": ("brain_limit_invalid", 2, lambda b: b.list(limit=0)),
    "limit -5": ("brain_limit_invalid", 2, lambda b: b.list(limit=-5)),
    "recall of kind": ("brain_kind_invalid", 65, lambda b: b.recall("一条", kind="A B")),
    "recall of scope": ("brain_scope_invalid", 65, lambda b: b.recall("一条", scope="a\nb")),
    "recall as of": ("brain_date_invalid", 65, lambda b: b.recall("一条", as_of="2026-02-29")),
    "recall known at": ("brain_date_invalid", 65, lambda b: b.recall("一条", known_at="x")),
    "check as of": ("brain_date_invalid", 65, lambda b: b.check("一条", as_of="2026-04-31")),
    "threshold 1.1": ("brain_threshold_invalid", 65, lambda b: b.check("一条", threshold=1.1)),
    "threshold NaN": (
        "brain_threshold_invalid",
        65,
        lambda b: b.check("一条", threshold=float("nan")),
    ),
    "budget -1": ("brain_budget_invalid", 2, lambda b: b.inject("一条", budget=-1)),
    "brief budget -1": ("brain_budget_invalid", 2, lambda b: b.brief(-1)),
    "a naive now": ("brain_date_invalid", 65, lambda b: b.add("x", now=datetime(2026, 3, 1))),
    "a word of blanks": ("brain_word_invalid", 65, lambda b: b.add_word("  ")),
}


@pytest.mark.parametrize("what", list(BAD))
def test_bad_input_is_refused_with_its_code_and_nothing_is_written(brain: Brain, what: str) -> None:
    code, exit_code, act = BAD[what]
    brain.add("第一条", now=NOON)
    brain.add("第二条", now=NOON)
    before = [m.to_dict() for m in brain.list(all=True, all_scopes=True)]
    refused(code, exit_code, lambda: act(brain))
    assert [m.to_dict() for m in brain.list(all=True, all_scopes=True)] == before
    assert brain.add("之后照常").created


@pytest.mark.parametrize("given_id", [1, "1", "#1", " #1 ", "01"])
def test_an_id_may_be_written_in_several_ways(brain: Brain, given_id: int | str) -> None:
    brain.add("第一条")
    assert brain.get(given_id).id == 1


# Times ---------------------------------------------------------------------------------------


def test_what_holds_later_is_not_there_before_and_what_ended_not_after(brain: Brain) -> None:
    brain.add("春季班车七点发", valid_from="2026-03-01", valid_to="2026-06-01", now=NOON)
    brain.add("夏季班车六点半发", valid_from="2026-06-01", now=NOON)
    for day, holds in (
        ("2026-02-28", []),
        ("2026-03-01", ["春季班车七点发"]),
        ("2026-05-31 23:59", ["春季班车七点发"]),
        ("2026-06-01", ["夏季班车六点半发"]),
    ):
        assert [m.text for m in brain.list(as_of=day)] == holds
        assert proposed(brain.recall("班车几点发", as_of=day)) == holds
        assert texts(brain.search("班车")) == texts(brain.search("班车"))
    at = datetime(2026, 4, 1, tzinfo=timezone(timedelta(hours=8)))
    assert texts(brain.recall("班车", now=at)) == ["春季班车七点发"]
    assert texts(brain.recall("班车", now=at + timedelta(days=100))) == ["夏季班车六点半发"]
    both = proposed(brain.recall("班车", include_expired=True, now=at))
    assert sorted(both) == ["夏季班车六点半发", "春季班车七点发"]
    stats = brain.stats(now=at)
    assert (stats.total, stats.current, stats.future, stats.expired) == (2, 1, 1, 0)
    stats = brain.stats(now=at + timedelta(days=100))
    assert (stats.total, stats.current, stats.future, stats.expired) == (2, 1, 0, 1)


def test_what_was_recorded_later_was_not_known_before(brain: Brain) -> None:
    brain.add("外包合同签了", valid_from="2026-01-05", now=NOON)
    assert texts(brain.recall("合同", as_of="2026-01-10", now=LATER)) == ["外包合同签了"]
    early = brain.recall("合同", as_of="2026-01-10", known_at="2026-02-01", now=LATER)
    assert texts(early) == []
    assert brain.list(as_of="2026-01-10", known_at="2026-02-01", now=LATER) == []


def test_a_future_end_keeps_a_memory_until_then(brain: Brain) -> None:
    first = brain.add("工位在七楼", now=NOON).id
    after = brain.expire(first, at="2027-01-01", now=LATER)
    assert after.valid_to is not None
    assert texts(brain.recall("工位", now=LATER)) == ["工位在七楼"]
    assert texts(brain.recall("工位", as_of="2026-12-31", now=LATER)) == ["工位在七楼"]
    assert texts(brain.recall("工位", as_of="2027-01-02", now=LATER)) == []


def test_expiring_ends_it_now_and_again_changes_nothing(brain: Brain) -> None:
    first = brain.add("工位在七楼", now=NOON).id
    ended = brain.expire(first, now=LATER, why="搬了")
    assert ended.valid_to == to_iso(LATER)
    assert brain.expire(first, now=LATER + timedelta(days=9)) == ended
    assert brain.expire(first, at="2026-03-20", now=LATER).valid_to == to_iso(
        datetime(2026, 3, 20).astimezone()
    )


def test_an_end_before_the_beginning_is_refused(brain: Brain) -> None:
    first = brain.add("工位在七楼", now=NOON).id
    for at in ("2026-03-01", to_iso(NOON)):
        refused("brain_valid_range", 65, lambda at=at: brain.expire(first, at=at, now=LATER))
    always = brain.add("水在零度结冰", valid_from="unknown", now=NOON).id
    assert brain.expire(always, at="1990-01-01", now=LATER).valid_to is not None


def test_a_pinned_memory_does_not_expire_unless_forced(brain: Brain) -> None:
    pinned = brain.add("紧急联系人是外婆", pinned=True, now=NOON).id
    refused("brain_pinned", 65, lambda: brain.expire(pinned, now=LATER))
    assert brain.get(pinned).valid_to is None
    assert brain.expire(pinned, force=True, now=LATER).valid_to == to_iso(LATER)


def test_an_expired_memory_stays_in_the_file(brain: Brain) -> None:
    first = brain.add("工位在七楼", now=NOON).id
    brain.expire(first, now=LATER)
    after = LATER + timedelta(days=1)
    assert brain.list(now=after) == []
    assert [m.id for m in brain.list(all=True)] == [first]
    assert brain.get(first).text == "工位在七楼"
    assert texts(brain.recall("工位", include_expired=True, now=after)) == ["工位在七楼"]


# Superseding ---------------------------------------------------------------------------------


def test_superseding_by_text_makes_an_heir_at_one_instant(brain: Brain) -> None:
    old = brain.add(
        "机房在三楼", kind="fact", scope="web", importance=0.9, pinned=True, source="chat", now=NOON
    ).id
    done = brain.supersede(old, text="机房搬到五楼", now=LATER, why="扩容")
    assert done.to_dict() == {"old": 1, "new": 2, "at": to_iso(LATER)}
    before, after = brain.get(1), brain.get(2)
    assert (before.valid_to, before.superseded_by) == (to_iso(LATER), 2)
    assert (after.valid_from, after.supersedes, after.valid_to) == (to_iso(LATER), 1, None)
    assert (after.kind, after.scope, after.importance, after.pinned) == ("fact", "web", 0.9, True)
    assert (after.source, after.confidence) == ("user", 0.95)
    found = brain.recall("机房在几楼", scope="web", now=LATER + timedelta(seconds=1))
    assert texts(found) == ["机房搬到五楼"]
    assert texts(brain.recall("机房在几楼", scope="web", as_of=NOON)) == ["机房在三楼"]


def test_superseding_by_id_uses_the_heirs_own_date(brain: Brain) -> None:
    old = brain.add("值班群是老群", valid_from="2025-01-01", now=NOON).id
    new = brain.add("值班群换成青鸟群", valid_from="2026-02-01T00:00:00Z", now=NOON).id
    assert brain.supersede(old, new=new, now=LATER).at == "2026-02-01T00:00:00.000Z"
    assert brain.get(old).valid_to == brain.get(new).valid_from == "2026-02-01T00:00:00.000Z"
    plain = brain.add("值班群换成大鹏群", now=LATER).id
    done = brain.supersede(new, new=f"#{plain}", now=LATER + timedelta(days=1))
    assert done.at == to_iso(LATER + timedelta(days=1))


@pytest.mark.parametrize("by", ["text", "id"])
def test_repeating_a_supersede_gives_the_same_and_changes_nothing(brain: Brain, by: str) -> None:
    old = brain.add("甲方联系人是周立", valid_from="2025-01-01", valid_to="2026-01-01", now=NOON).id
    new = {"text": "甲方联系人是何敏"}
    if by == "id":
        new = {"new": brain.add("甲方联系人是何敏", valid_from="2020-01-01", now=NOON).id}  # type: ignore[dict-item]
    first = brain.supersede(old, at="2026-02-01", now=NOON, **new)  # type: ignore[arg-type]
    before = [m.to_dict() for m in brain.list(all=True)]
    for moment in (NOON, LATER):
        assert brain.supersede(old, at="2026-02-01", now=moment, **new) == first  # type: ignore[arg-type]
        assert brain.supersede(old, now=moment, **new) == first  # type: ignore[arg-type]
    assert [m.to_dict() for m in brain.list(all=True)] == before
    assert brain.get(old).valid_to == to_iso(datetime(2026, 1, 1).astimezone())


def test_a_second_replacement_is_refused_and_names_the_heir(brain: Brain) -> None:
    old = brain.add("甲方联系人是周立", now=NOON).id
    heir = brain.supersede(old, text="甲方联系人是何敏", now=LATER).new
    other = brain.add("甲方联系人是吴桐", now=NOON).id
    before = [m.to_dict() for m in brain.list(all=True)]
    for act in (
        lambda: brain.supersede(old, text="甲方联系人是吴桐", now=LATER),
        lambda: brain.supersede(old, new=other, now=LATER),
        lambda: brain.expire(old, at="2030-01-01"),
    ):
        assert f"#{heir}" in refused("brain_not_current", 65, act).message
    assert [m.to_dict() for m in brain.list(all=True)] == before


@pytest.mark.parametrize("text", ["机房在三楼", "机房在三楼  \r\n"])
def test_the_same_text_is_no_replacement(brain: Brain, text: str) -> None:
    old = brain.add("机房在三楼", now=NOON).id
    refused("brain_supersede_same", 65, lambda: brain.supersede(old, text=text, now=LATER))
    twin = brain.add("机房在三楼", kind="fact", now=NOON).id
    refused("brain_supersede_same", 65, lambda: brain.supersede(old, new=twin, now=LATER))
    assert brain.stats().total == 2


def test_nothing_replaces_itself_or_its_ancestor(brain: Brain) -> None:
    first = brain.add("一", now=NOON).id
    refused("brain_supersede_self", 65, lambda: brain.supersede(first, new=first, now=LATER))
    second = brain.supersede(first, text="二", now=LATER).new
    third = brain.supersede(second, text="三", now=LATER + timedelta(days=1)).new
    for ancestor in (first, second):
        with pytest.raises(Exception, match=r"brain_not_current|brain_supersede_loop"):
            brain.supersede(third, new=ancestor, now=LATER + timedelta(days=2))
    assert [brain.get(i).superseded_by for i in (first, second, third)] == [2, 3, None]


def test_an_instant_that_is_not_after_the_old_ones_beginning_is_refused(brain: Brain) -> None:
    old = brain.add("机房在三楼", valid_from="2026-01-01T00:00:00Z", now=NOON).id
    for at in ("2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z"):
        refused(
            "brain_supersede_time", 65, lambda at=at: brain.supersede(old, text="机房在五楼", at=at)
        )
    assert brain.stats().total == 1
    done = brain.supersede(old, text="机房在五楼", at="2026-01-01T00:00:00.001Z")
    assert brain.get(done.new).valid_from == "2026-01-01T00:00:00.001Z"


def test_a_heir_has_one_predecessor(brain: Brain) -> None:
    one, two = brain.add("甲说的", now=NOON).id, brain.add("乙说的", now=NOON).id
    heir = brain.supersede(one, text="后来定的", now=LATER).new
    refused("brain_not_current", 65, lambda: brain.supersede(two, new=heir, now=LATER))
    assert brain.get(heir).supersedes == one
    assert brain.get(two).superseded_by is None


def test_a_chain_has_one_live_end_and_the_counts_agree(brain: Brain) -> None:
    """1jehuang/jcode #960: edges existed, the old entries stayed active."""
    current = brain.add("抓取走甲服务", now=NOON).id
    for n, text in enumerate(("抓取走乙服务", "抓取走丙服务", "抓取走丁服务"), start=1):
        current = brain.supersede(current, text=text, now=NOON + timedelta(days=n)).new
    after = NOON + timedelta(days=9)
    assert texts(brain.recall("抓取走什么服务", now=after)) == ["抓取走丁服务"]
    stats = brain.stats(now=after)
    assert (stats.total, stats.current, stats.superseded, stats.expired) == (4, 1, 3, 0)
    assert [m.text for m in brain.list(now=after)] == ["抓取走丁服务"]


def test_the_better_worded_old_fact_does_not_come_back(make: Make, e5: Embedder) -> None:
    """410979729/scope-recall-hermes #35: down-ranking it was not enough."""
    brain = make(model=e5)
    fill(brain, EVERYDAY[:6])
    old = brain.add("网关的管理端口是8443", valid_from="2025-01-01").id
    brain.supersede(old, text="管理入口挪到19443了")
    for question in ("网关的管理端口是8443吗", "网关管理端口", "管理端口是多少"):
        found = texts(brain.recall(question, k=20))
        assert "网关的管理端口是8443" not in found
        assert "8443" not in brain.inject(question).block.replace("19443", "")
    assert "管理入口挪到19443了" in brain.inject("管理入口挪到哪了").block


def test_a_correction_of_confidence_is_kept_and_changes_nothing_else(brain: Brain) -> None:
    first = brain.add("可能要下雨", now=NOON).id
    before = brain.get(first).to_dict()
    for value in (0, 1, 0.3):
        after = brain.set_confidence(first, value, why="听说", now=LATER).to_dict()
        assert after == {**before, "confidence": value}
        assert brain.get(first).to_dict() == after


# Listing -------------------------------------------------------------------------------------


def test_listing_is_newest_first_and_shows_what_is_asked_for(brain: Brain) -> None:
    brain.add_many(
        [Draft(f"第{n}条", kind="fact" if n % 2 else "note") for n in range(6)], now=NOON
    )
    brain.add("别处的", scope="web", now=NOON)
    brain.expire(2, now=LATER)
    with brain._store.write() as db:
        db.execute("UPDATE memories SET archived_at = ? WHERE id = 3", (to_iso(LATER),))
    after = LATER + timedelta(days=1)
    assert [m.id for m in brain.list(now=after)] == [6, 5, 4, 1]
    assert [m.id for m in brain.list(limit=2, now=after)] == [6, 5]
    assert [m.id for m in brain.list(kind="fact", now=after)] == [6, 4]
    assert [m.id for m in brain.list(scope="web", now=after)] == [7, 6, 5, 4, 1]
    assert [m.id for m in brain.list(archived=True, now=after)] == [3]
    assert [m.id for m in brain.list(all=True, now=after)] == [6, 5, 4, 3, 2, 1]
    assert [m.id for m in brain.list(all=True, all_scopes=True)] == [7, 6, 5, 4, 3, 2, 1]
    assert [m.id for m in brain.list(as_of=NOON, now=after)] == [6, 5, 4, 2, 1]
    brain.add_many([Draft(f"更多第{n}条") for n in range(60)])
    assert len(brain.list()) == 50
    assert len(brain.list(limit=None)) == 64


def test_archived_records_are_out_of_recall(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    fill(brain, EVERYDAY[:4])
    put_away = brain.add("旧宿舍的暖瓶在床底").id
    assert put_away in ids(brain.recall("暖瓶", k=20))
    from brain.lifecycle import lineage

    with brain._store.write() as db:
        lineage.change(
            db, lineage.require(db, put_away), to_iso(NOON), "x", "", archived_at=to_iso(NOON)
        )
    assert put_away not in ids(brain.recall("暖瓶", k=20))
    assert put_away not in ids(brain.recall("开水壶放哪儿了", k=20))
    assert brain.stats().archived == 1


# Statistics ----------------------------------------------------------------------------------


def test_statistics_count_what_is_there(brain: Brain) -> None:
    empty = brain.stats()
    assert (empty.total, empty.current, empty.by_kind, empty.by_scope) == (0, 0, {}, {})
    brain.add_many([Draft("甲", kind="fact"), Draft("乙", scope="web"), Draft("丙", scope="web")])
    found = brain.stats().to_dict()
    assert found["by_kind"] == {"fact": 1, "note": 2}
    assert found["by_scope"] == {"": 1, "web": 2}
    assert found.keys() >= {
        "total", "current", "archived", "by_kind", "by_scope", "model", "dim", "bytes", "schema",
        "degraded", "superseded", "expired", "retracted", "future", "vectors", "languages",
        "last_decay",
    }  # fmt: skip
    size = sum(Path(f"{brain.path}{suffix}").stat().st_size for suffix in ("", "-wal"))
    assert found["bytes"] == size
    json.dumps(found)


# Recall --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    """Global notes, two projects and three skills; only read."""
    with Brain.open(tmp_path_factory.mktemp("office") / "brain.db", model=e5) as brain:
        fill(brain, EVERYDAY)
        projects = (
            ("web", "login.vue 的跳转死循环已修"),
            ("api", "login.py 的限流阈值改成每分钟六十"),
            ("", "login 页面的文案由市场部定"),
            ("web", "打包体积超标先查图标库"),
            ("api", "打包镜像用瘦身的基础镜像"),
        )
        for n, (scope, text) in enumerate(projects):
            brain.add(text, scope=scope, valid_from=NOON - timedelta(days=100 + n))
        skills = (
            "打印机卡纸：先断电，再从后盖取纸",
            "打印机连不上：重启打印服务",
            "打印机换墨盒：开前盖等停稳",
        )
        brain.add_many(told_apart(skills, start=NOON - timedelta(days=300), kind="skill"))
        yield brain


def test_the_same_question_gives_the_same_bytes(office: Brain) -> None:
    for question in ("打印机卡纸怎么办", "login 限流", "打包", "他爱听什么", "第一条"):
        for scope in ("", "api"):
            once, again = (
                json.dumps(office.recall(question, scope=scope, now=LATER).to_dict(explain=True))
                for _ in range(2)
            )
            assert once == again
    with Brain.open(office.path) as other:
        one, two = (b.recall("打印机卡纸怎么办", now=LATER) for b in (office, other))
        assert one.to_dict(explain=True) == two.to_dict(explain=True)


def _bytes(path: Path) -> list[str | None]:
    files = (Path(f"{path}{suffix}") for suffix in ("", "-wal"))
    return [hashlib.sha256(f.read_bytes()).hexdigest() if f.exists() else None for f in files]


def test_plain_reading_changes_no_byte_of_the_file(office: Brain) -> None:
    """caura-ai/caura PR 411: counting what was returned as used entrenches what is already on
    top."""
    before = _bytes(office.path)
    for question in ("打印机卡纸怎么办", "login 限流", "你好", "没有的东西"):
        office.recall(question, scope="api", k=20, include_expired=True)
        office.search(question)
        office.check(question)
    office.list(all=True)
    office.stats()
    office.brief()
    office.words()
    office.get(1)
    assert _bytes(office.path) == before


def test_being_recalled_often_lifts_nothing(brain: Brain) -> None:
    """caura-ai/caura PR 411: 200 times the old note, then a clearly better one."""
    fill(brain, EVERYDAY[:5])
    brain.add("部署的事问平台组")
    for _ in range(200):
        brain.recall("部署")
    better = brain.add("部署步骤：先发预发，看五分钟曲线，再分三批上线").id
    assert ids(brain.recall("部署步骤"))[0] == better


@pytest.mark.parametrize(
    ("scope", "seen"),
    [("", set()), ("web", {"web"}), ("api", {"api"}), ("we", set()), ("API", set())],
)
def test_a_scope_sees_itself_and_the_global_one(office: Brain, scope: str, seen: set[str]) -> None:
    """rohitg00/agentmemory PR 662 and straff2002/OpenGlasses PR 193: similar file names of another
    project; and no scope is not every scope."""
    everything = office.list(all=True, all_scopes=True, limit=None)
    hidden = [m.id for m in everything if m.scope not in {"", *seen}]
    for question in ("login", "login 跳转 限流 文案", "打包", "登录页为什么一直转圈"):
        found = {hit.memory.scope for hit in office.recall(question, scope=scope, k=50).hits}
        assert found <= {"", *seen}
        assert all(h.memory.scope in {"", *seen} for h in office.search(question, scope=scope).hits)
        block = office.inject(question, scope=scope).block
        assert not any(f"#{i} [" in block for i in hidden)
    logins = {h.memory.scope for h in office.recall("login", scope=scope, k=50).hits
              if "login" in h.text}  # fmt: skip
    assert logins == {"", *seen}


def test_skills_have_places_of_their_own(office: Brain) -> None:
    found = office.recall("打印机", k=3)
    assert len(found.skills) == 2
    assert all(hit.memory.kind == "skill" for hit in found.skills)
    assert all(hit.memory.kind != "skill" for hit in found.hits)
    assert "打印机" in found.skills[0].text
    for k in (1, 2, 30):
        assert [h.id for h in office.recall("打印机", k=k).skills] == [h.id for h in found.skills]
    only = office.recall("打印机", k=10, kind="skill")
    assert (len(only.hits), only.skills) == (3, ())


def test_skills_do_not_crowd_out_notes(brain: Brain) -> None:
    fill(brain, [f"导出报表第{n}步的按钮在右上角" for n in range(4)])
    brain.add_many(
        told_apart((f"导出报表的第{n}种办法" for n in range(30)), kind="skill", start=NOON)
    )
    found = brain.recall("导出报表", k=4)
    assert [h.memory.kind for h in found.hits] == ["note"] * 4
    assert len(found.skills) == 2


def test_a_kind_is_a_filter(office: Brain) -> None:
    assert proposed(office.recall("打印机", kind="decision")) == []
    assert {h.memory.kind for h in office.recall("水表", kind="note").hits} == {"note"}


@pytest.mark.parametrize("question", ["打印机 水表 login", "每周 下午 第二", "钢琴课改到什么时候"])
def test_a_longer_list_begins_with_the_shorter_one(office: Brain, question: str) -> None:
    longest = ids(office.recall(question, k=60))
    for k in (1, 3, 8, 30):
        found = ids(office.recall(question, k=k))
        assert found == longest[:k]
        assert len(found) <= k


def test_k_up_to_a_thousand_gives_as_many_as_there_are(brain: Brain) -> None:
    brain.add_many(told_apart(f"第{n}号货架的盘点表，已经签字" for n in range(260)))
    for k in (1, 100, 101, 250, 1000):
        assert len(brain.recall("货架盘点表", k=k).hits) == min(k, 260)


def test_hits_carry_the_whole_record_and_the_lanes(office: Brain) -> None:
    hit = office.recall("物业什么时候抄水表", now=LATER).hits[0]
    found = hit.to_dict(explain=True)
    assert found.keys() >= {
        "id", "text", "kind", "scope", "score", "tokens_added", "basis", "recovery_handle",
        "confidence", "valid_from", "recorded_at", "source", "evidence", "content_hash",
        "importance", "strength", "pinned", "valid_to", "duplicate_of", "suspect", "lanes",
        "use_count", "last_used_at", "supersedes", "superseded_by", "archived_at", "retracted_at",
    }  # fmt: skip
    assert found["basis"] == "inferred"
    assert found["lanes"]["lexical"].keys() >= {"rank", "score", "terms"}
    assert set(found["lanes"]["lexical"]["terms"]) >= {"水表"}
    assert found["lanes"]["semantic"].keys() >= {"rank", "similarity"}
    assert found["lanes"]["quality"].keys() >= {"rank", "score"}
    assert "lanes" not in hit.to_dict()
    assert office.recall("水表").to_dict().keys() >= {"query", "hits", "degraded", "gate", "skills"}
    with pytest.raises(FrozenInstanceError):
        hit.score = 1.0  # type: ignore[misc]


def test_every_hit_was_proposed_by_words_meaning_or_a_neighbour(office: Brain) -> None:
    """Quality proposes nothing: an important note that has nothing to do with it stays away."""
    with Brain.open(office.path.with_name("own.db"), model="none") as brain:
        fill(brain, EVERYDAY)
        brain.add("全公司最重要的事", importance=1, confidence=1, pinned=True)
        assert texts(brain.recall("水表")) == [EVERYDAY[0]]


def test_searching_uses_words_alone(office: Brain) -> None:
    found = office.search("水表")
    assert texts(found)[0] == EVERYDAY[0]
    assert all("semantic" not in hit.lanes for hit in found.hits)
    assert found.gate is None
    assert shares_no_word("老太太拿什么打发时间", EVERYDAY[2])
    assert EVERYDAY[2] in proposed(office.recall("老太太拿什么打发时间"))
    assert EVERYDAY[2] not in proposed(office.search("老太太拿什么打发时间"))


def test_own_words_are_added_listed_and_removed(brain: Brain) -> None:
    assert brain.words() == ()
    brain.add_word("青鸟计划 10 n")
    brain.add_word("在吗系统")
    brain.add_word("青鸟计划 20")
    assert [w.to_dict() for w in brain.words()] == [
        {"word": "在吗系统", "freq": None, "tag": None},
        {"word": "青鸟计划", "freq": 20, "tag": None},
    ]
    assert brain.remove_word("青鸟计划")
    assert not brain.remove_word("青鸟计划")
    assert [w.word for w in brain.words()] == ["在吗系统"]


def test_a_question_that_leans_on_the_turn_before_looks_there(brain: Brain) -> None:
    fill(brain, EVERYDAY)
    assert not brain.inject("那个呢").block
    assert not brain.check("继续").answerable
    with_turn = brain.inject("那个呢", context="用户：物业哪天来抄水表？")
    assert EVERYDAY[0] in with_turn.block
    assert brain.check("继续", context="小区北门几点以后不开？").answerable
    assert texts(brain.recall("它呢", context="绿萝多久浇一次水"))[0] == EVERYDAY[4]


# Brief ---------------------------------------------------------------------------------------


def test_the_brief_of_an_empty_memory_is_empty(brain: Brain) -> None:
    assert brain.brief().block == ""
    assert brain.brief().tokens == 0
    assert brain.brief().fingerprint


def test_the_brief_holds_what_stands_in_the_order_told_and_names_what_else_there_is(
    brain: Brain,
) -> None:
    brain.add_many(
        [
            Draft("用户爱喝凉白开", kind="preference", importance=0.4),
            Draft("回答先给结论", kind="preference", importance=0.9),
            Draft("客户代号不得外传", pinned=True, importance=0.7),
            Draft("发版清单：\n一、冻结\n二、回归", kind="skill"),
            Draft("没什么要紧的一条"),
            Draft("别处的偏好", kind="preference", scope="web"),
        ],
        now=NOON,
    )
    block = brain.brief(now=LATER).block
    places = [
        block.index(x)
        for x in (
            "用户爱喝凉白开",
            "回答先给结论",
            "客户代号不得外传",
            "发版清单",
            "类型：",
            "范围：",
        )
    ]
    assert places == sorted(places)
    assert "没什么要紧的一条" not in block
    assert "回归" not in block
    assert "别处的偏好" not in block
    assert "类型：note，preference，skill\n范围：全局\n" in block
    assert "别处的偏好" in brain.brief(scope="web", now=LATER).block
    assert brain.brief(now=LATER).to_dict().keys() >= {"block", "fingerprint", "tokens"}


def test_the_brief_changes_when_its_content_does_and_only_then(brain: Brain) -> None:
    brain.add("回答先给结论", kind="preference", now=NOON)
    first = brain.brief(now=LATER)
    assert brain.brief(now=LATER + timedelta(days=400)) == first
    brain.recall("结论")
    brain.inject("回答先给什么")
    with Brain.open(brain.path) as other:
        assert other.brief() == first
    brain.add("回答不用客套", kind="preference", now=NOON)
    second = brain.brief(now=LATER)
    assert second.fingerprint != first.fingerprint
    brain.expire(2, now=LATER)
    assert brain.brief(now=LATER + timedelta(days=1)) == first


def test_the_brief_keeps_its_budget(brain: Brain) -> None:
    brain.add_many(
        [Draft(f"第{n}条长期偏好，说得稍微长一点点", kind="preference") for n in range(60)],
        now=NOON,
    )
    for budget in (200, 420, 800):
        assert brain.brief(budget).tokens <= budget
    assert brain.brief() == brain.brief(420)
    assert brain.brief(0).block.count("长期偏好") == 60


# Opening -------------------------------------------------------------------------------------


def test_creating_settles_the_model_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_MODEL", "none")
    path = tmp_path / "brain.db"
    made = Brain.create(path)
    assert made.to_dict() == {"db": str(path), "model": None, "dim": None, "created": True}
    before = path.read_bytes()
    again = Brain.create(path, model="e5-small")
    assert (again.created, again.model, path.read_bytes()) == (False, None, before)
    monkeypatch.delenv("BRAIN_MODEL")
    with Brain.open(path) as brain:
        brain.add("一条")
        assert brain.stats().model is None


def test_the_variable_chooses_the_model_of_a_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, e5: Embedder
) -> None:
    monkeypatch.setenv("BRAIN_MODEL", "e5-small")
    with Brain.open(tmp_path / "brain.db") as brain:
        brain.add("一条")
        assert (brain.stats().model, brain.stats().dim) == ("e5-small", 384)
    assert os.path.exists(tmp_path / "brain.db")


def test_adding_makes_the_file_as_init_would(tmp_path: Path, e5: Embedder) -> None:
    made = Brain.create(tmp_path / "init.db", model="e5-small")
    with Brain.open(tmp_path / "add.db", model="e5-small") as brain:
        brain.add("一条")
        stats = brain.stats()
    assert (made.model, made.dim) == (stats.model, stats.dim)


@pytest.mark.parametrize("text", ["\u200b", "\ufeff \u2060", "\u00ad\n\u200d"])
def test_invisible_text_is_no_memory(tmp_path: Path, text: str) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        refused("brain_text_empty", 65, lambda: brain.add(text))


def test_search_shows_only_what_shares_a_word(tmp_path: Path) -> None:
    """Notes recorded beside a hit have their place in recall, not where a word is looked for."""
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for text in ("冰箱里有啤酒", "快递放在驿站", "猫要打疫苗"):
            brain.add(text)
        assert [h.text for h in brain.search("啤酒").hits] == ["冰箱里有啤酒"]


@pytest.mark.parametrize("limit", [0, -1, 2**63])
def test_a_limit_out_of_range_is_refused(tmp_path: Path, limit: int) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        refused("brain_limit_invalid", 2, lambda: brain.list(limit=limit))


def test_a_question_before_the_model_is_loaded_is_answered_by_words_and_says_so(
    make: Make, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(model=e5)
    made.add("值班群是青鸟群")
    made.close()
    loaded = threading.Event()

    def slow(*_: object) -> Embedder:
        loaded.wait()
        return e5

    monkeypatch.setattr(registry, "open_embedder", slow)
    with Brain.open(made.path, patience=0.0) as brain:
        asks = (brain.recall, brain.inject, brain.check, brain.search)
        for ask in asks[:3]:
            early = ask("值班群是哪个群").to_dict()
            assert early["degraded"] == ["timeout"]
            (remark,) = early["remarks"]
            assert "模型还在装入" in remark
        # Words alone were asked for: there is nothing to wait for, and nothing to say.
        assert "remarks" not in brain.search("值班群").to_dict()
        loaded.set()
        brain.warm()
        for ask in asks:
            late = ask("值班群是哪个群").to_dict()
            assert "remarks" not in late
            assert late["degraded"] == []
