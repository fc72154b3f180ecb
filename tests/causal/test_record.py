"""Recording decisions and outcomes: what is stored, what is the same, what is refused."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain import Brain, BrainError

NOW = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)


@pytest.fixture
def brain(tmp_path: Path) -> Brain:
    return Brain.open(tmp_path / "b.db", model="none")


def test_an_observation_is_two_memories_and_a_link(brain: Brain) -> None:
    done = brain.record("涂了两层底漆", "墙面一年没开裂", context="南墙", at="2025-04-01", now=NOW)
    assert done.created
    assert brain.get(done.decision).kind == "decision"
    assert brain.get(done.outcome).kind == "outcome"
    assert brain.get(done.decision).valid_from == "2025-04-01T00:00:00.000Z"
    (link,) = brain.links()
    assert (link.relation, link.context, link.sign) == ("caused", "南墙", "good")
    assert [one.link for one in brain.links(done.outcome)] == [done.link]
    assert brain.history(done.decision).links == (link,)


def test_the_same_call_is_the_same_observation_and_another_day_another(brain: Brain) -> None:
    first = brain.record("空腹跑步", "跑到一半头晕", now=NOW)
    again = brain.record("空腹跑步", "跑到一半头晕", now=NOW.replace(hour=5))
    assert (again.link, again.created) == (first.link, False)
    later = brain.record("空腹跑步", "跑到一半头晕", now=NOW.replace(day=4))
    assert later.created
    assert later.decision == first.decision
    assert brain.record("空腹跑步", "跑到一半头晕", context="雨天", now=NOW).created


def test_a_side_folded_alike_is_the_record_that_is_there(brain: Brain) -> None:
    first = brain.record("把庫存清空", "Cash 回來了", now=NOW)
    second = brain.record("cash 回来了", "敢进新货了", now=NOW)
    third = brain.record("把库存清空", "仓库租金省了一半", now=NOW)
    assert second.decision == first.outcome
    assert third.decision == first.decision


def test_an_older_observation_moves_the_beginning_back(brain: Brain) -> None:
    done = brain.record("换了供应商", "破损少了", at="2025-05-01", now=NOW)
    brain.record("换了供应商", "破损少了", at="2025-02-01", now=NOW)
    assert brain.get(done.decision).valid_from == "2025-02-01T00:00:00.000Z"
    assert any(e.what == "observed_earlier" for e in brain.history(done.decision).events)


def test_a_side_that_says_that_something_changed_is_stored_like_any_other(brain: Brain) -> None:
    """Such a text is held against older records before it is a record itself."""
    brain.record("原料改成每周少量进货", "几乎没有报废", at="2025-07-01", now=NOW)
    for text in ("原料不再每周少量进货，改成每月一次", "以后不喝冰的，改喝热的"):
        assert brain.record(text, f"{text}之后亏了", now=NOW).created


@pytest.mark.parametrize(
    ("call", "code", "status"),
    [
        ({"decision": "关窗", "outcome": "關窗"}, "brain_link_self", 65),
        (
            {"decision": "关窗", "outcome": "屋里闷", "relation": "made"},
            "brain_relation_invalid",
            65,
        ),
        ({"decision": " ", "outcome": "屋里闷"}, "brain_text_empty", 65),
        ({"decision": "关窗", "outcome": ""}, "brain_text_empty", 65),
        ({"decision": "关窗", "outcome": "屋里闷", "at": "2099-01-01"}, "brain_date_invalid", 65),
        ({"decision": "关窗" * 90_000, "outcome": "闷"}, "brain_memory_too_large", 65),
        ({"decision": "关窗", "outcome": "闷", "context": "\0"}, "brain_context_invalid", 65),
        ({"decision": "关窗", "outcome": "密码：hunter2Xy99"}, "brain_secret", 65),
        ({"decision": "关窗", "outcome": "闷", "context": "密码：hunter2Xy99"}, "brain_secret", 65),
        ({"decision": "关窗", "outcome": "闷", "why": "密码：hunter2Xy99"}, "brain_secret", 65),
    ],
)
def test_bad_input_writes_nothing(
    brain: Brain, call: dict[str, str], code: str, status: int
) -> None:
    brain.record("浇水", "花开了", now=NOW)
    before = brain.path.read_bytes()
    with pytest.raises(BrainError) as refused:
        brain.record(**call, now=NOW)  # type: ignore[arg-type]
    assert (refused.value.code, refused.value.exit_code) == (code, status)
    assert len(brain.list(all=True)) == 2
    assert brain.path.read_bytes() == before


def test_what_did_not_come_about_is_no_fact(brain: Brain) -> None:
    brain.record("装了漏水报警器", "地下室被淹", relation="prevented", now=NOW)
    brain.record("换了新拖把", "地板发黏", relation="no_effect", now=NOW)
    for asked in ("地下室被淹", "地板发黏"):
        assert asked not in [hit.text for hit in brain.recall(asked, now=NOW).hits]
        assert asked not in [hit.text for hit in brain.search(asked, now=NOW).hits]
        assert asked not in brain.inject(asked, now=NOW).block
        shown = brain.recall(asked, kind="outcome", now=NOW).hits
        assert asked in [hit.text for hit in shown]
    assert {"地下室被淹", "地板发黏"} <= {one.text for one in brain.list(now=NOW)}
    assert brain.came_to_nothing(brain.list(now=NOW)) == {2: "prevented", 4: "no_effect"}
    brain.record("排水泵停电", "地下室被淹", now=NOW)
    assert "地下室被淹" in [hit.text for hit in brain.recall("地下室被淹", now=NOW).hits]


def test_unlink_takes_back_one_observation(brain: Brain) -> None:
    done = brain.record("熬夜赶稿", "第二天走神", now=NOW)
    assert brain.before("熬夜赶稿", now=NOW).verdict == "danger"
    for wrong in ("#1", "L", "0", "x"):
        with pytest.raises(BrainError) as refused:
            brain.unlink(wrong)
        assert refused.value.code == "brain_id_invalid"
    brain.unlink(f"L{done.link}", why="记错了", now=NOW.replace(hour=6))
    brain.unlink(f"Ｌ{done.link}".translate({ord("1"): "１"}))
    assert brain.before("熬夜赶稿", now=NOW.replace(hour=7)).verdict == "no_precedent"
    assert brain.before("熬夜赶稿", known_at="2026-03-02T05:00Z", now=NOW).verdict == "danger"
    assert brain.links()[0].retracted_at is not None


def test_a_retracted_superseded_or_expired_record_takes_its_links_along(brain: Brain) -> None:
    for number, end in enumerate(("retract", "supersede", "expire")):
        done = brain.record(f"第{number}号机器超频运行", "主板烧毁", at="2026-01-01", now=NOW)
        action = f"第{number}号机器超频运行"
        assert brain.before(action, now=NOW).verdict == "danger"
        later = NOW.replace(day=3)
        if end == "retract":
            brain.retract(done.decision, now=later)
        elif end == "supersede":
            brain.supersede(done.decision, text="机器改回默认频率", now=later)
        else:
            brain.expire(done.decision, at="2026-03-03T00:00Z", now=later)
        reasons = brain.before(action, now=NOW.replace(day=5)).reasons
        assert done.link not in [reason.link for reason in reasons]
        known = brain.before(action, as_of="2026-02-01", known_at="2026-03-02T12:00Z", now=later)
        assert done.link in [reason.link for reason in known.reasons]


def test_forgetting_erases_the_links_from_the_bytes(brain: Brain) -> None:
    done = brain.record(
        "蓝莓树移到北坡", "果子酸涩", context="霜降之后", evidence="园丁日志", now=NOW
    )
    brain.record("蓝莓树铺松针", "根部冻坏", relation="prevented", now=NOW)
    brain.forget(done.decision)
    data = brain.path.read_bytes()
    for piece in ("霜降之后", "园丁日志", "蓝莓树移到北坡"):
        assert piece.encode() not in data
    assert [one.link for one in brain.links()] == [2]
    # What nothing says any more to have come about is believed no longer.
    assert brain.get(done.outcome).retracted_at is not None


def test_an_export_brings_the_links_back_byte_for_byte(brain: Brain, tmp_path: Path) -> None:
    brain.record("提前订位", "周末有座", context="周末", good=True, at="2025-01-01", now=NOW)
    brain.record("提前订位", "白跑一趟", relation="prevented", at="2025-02-01", now=NOW)
    brain.unlink(1, now=NOW.replace(hour=9))
    text = "".join(brain.export())
    with Brain.open(tmp_path / "c.db", model="none") as other:
        done = other.import_(io.BytesIO(text.encode()))
        assert (done.links, done.failed) == (2, 0)
        assert "".join(other.export()) == text
        assert other.links() == brain.links()
        assert other.import_(io.BytesIO(text.encode())).links == 0
    with Brain.open(tmp_path / "d.db", model="none") as third:
        third.add("别的一条")
        third.import_(io.BytesIO(text.encode()))
        assert [(one.relation, one.decision) for one in third.links()] == [
            ("prevented", 2),
            ("caused", 2),
        ]


def test_the_doctor_sees_a_link_without_its_record(brain: Brain) -> None:
    import apsw

    brain.record("晒被子", "被子松软", now=NOW)
    brain.close()
    db = apsw.Connection(str(brain.path))
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("UPDATE links SET outcome = 99")
    db.close()
    with Brain.open(brain.path) as again:
        found = {f.code: f.severity for f in again.doctor().findings}
        assert found["links"] == "error"
        again.doctor(repair=True, consent=True)
        assert {f.code: f.severity for f in again.doctor().findings}["links"] == "ok"
