"""before, why and compare: verdicts, chains, contexts, and what reading leaves as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from brain import Brain, BrainError
from brain.memory import Draft

NOW = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)


@pytest.fixture
def brain(tmp_path: Path) -> Brain:
    return Brain.open(tmp_path / "b.db", model="none")


def verdict(brain: Brain, action: str, **options: str) -> str:
    return brain.before(action, now=NOW, **options).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("relation", "outcome", "expected"),
    [
        ("caused", "机器烧坏了", "danger"),
        ("enabled", "机器烧坏了", "danger"),
        ("caused", "一次成功", "safe"),
        ("prevented", "机器烧坏了", "safe"),
        ("prevented", "老客户续约", "warning"),
        ("caused", "速度快了一倍，但是费用也翻了一倍", "warning"),
        ("caused", "换了个位置", "unclear"),
        ("no_effect", "机器烧坏了", "unclear"),
    ],
)
def test_the_verdict_follows_relation_and_sign(
    brain: Brain, relation: str, outcome: str, expected: str
) -> None:
    brain.record("给电机换上大号保险丝", outcome, relation, now=NOW)
    assert verdict(brain, "给电机换上大号保险丝") == expected


def test_an_empty_memory_and_another_action_have_no_precedent(brain: Brain) -> None:
    assert verdict(brain, "给电机换上大号保险丝") == "no_precedent"
    brain.record("给电机换上大号保险丝", "机器烧坏了", now=NOW)
    for other in ("给电机写一份保养说明", "不给电机换大号保险丝", "学一道新菜"):
        assert verdict(brain, other) == "no_precedent"
    for blank in ("", "  "):
        with pytest.raises(BrainError) as refused:
            brain.before(blank)
        assert refused.value.code == "brain_query_empty"


def test_good_often_enough_since_outweighs_the_old_bad_one(brain: Brain) -> None:
    action = "雨季用防水水泥补屋顶"
    brain.record(action, "又漏水了", context="雨季", at="2025-01-01", now=NOW)
    assert verdict(brain, action) == "danger"
    brain.record(action, "没再漏水", context="雨季", at="2025-02-01", now=NOW)
    assert verdict(brain, action) == "warning"
    brain.record(action, "没再漏水", context="旱季", at="2025-03-01", now=NOW)
    assert verdict(brain, action) == "warning"
    brain.record(action, "没再漏水", context="雨 季".replace(" ", ""), at="2025-04-01", now=NOW)
    found = brain.before(action, now=NOW)
    assert found.verdict == "safe"
    assert "bad" in [reason.sign for reason in found.reasons]
    brain.record(action, "又漏水了", context="旱季", at="2025-03-15", now=NOW)
    assert verdict(brain, action) == "warning"


def test_good_first_and_bad_later_stays_a_warning(brain: Brain) -> None:
    for day in ("2025-01-01", "2025-02-01"):
        brain.record("把鱼缸放窗边", "鱼长得很好", at=day, now=NOW)
    brain.record("把鱼缸放窗边", "鱼全死了", at="2025-03-01", now=NOW)
    found = brain.before("把鱼缸放窗边", now=NOW)
    assert found.verdict == "warning"
    assert [reason.sign for reason in found.reasons] == ["bad", "good"]


def test_the_same_context_comes_first(brain: Brain) -> None:
    brain.record("在主干道摆摊", "被罚款", context="工作日", at="2025-05-01", now=NOW)
    brain.record("在主干道摆摊", "卖得很好", context="赶集", at="2025-01-01", now=NOW)
    found = brain.before("在主干道摆摊", "赶集", now=NOW)
    assert [reason.context for reason in found.reasons] == ["赶集", "工作日"]


def test_the_second_hop_decides_only_where_the_first_is_neutral(brain: Brain) -> None:
    brain.record("改了入库的流程", "标签换成了新格式", now=NOW)
    assert verdict(brain, "改了入库的流程") == "unclear"
    brain.record("标签换成了新格式", "扫码枪全部失灵", now=NOW)
    found = brain.before("改了入库的流程", now=NOW)
    assert found.verdict == "danger"
    assert [reason.path for reason in found.reasons] == [(1,), (1, 2)]
    brain.record("买了冰柜", "冰淇淋卖得很好", now=NOW)
    brain.record("冰淇淋卖得很好", "电费翻倍", now=NOW)
    found = brain.before("买了冰柜", now=NOW)
    assert found.verdict == "safe"
    assert (3, 4) in [reason.path for reason in found.reasons]


def test_what_was_prevented_leads_to_nothing(brain: Brain) -> None:
    brain.record("装了稳压器", "主机断电", relation="prevented", now=NOW)
    brain.record("主机断电", "数据全部丢失", now=NOW)
    found = brain.before("装了稳压器", now=NOW)
    assert (found.verdict, len(found.reasons)) == ("safe", 1)


def test_a_danger_names_the_protective_way(brain: Brain) -> None:
    brain.record("暴雨天不关地漏", "地下室被淹", now=NOW)
    brain.record("雨前堵上地漏", "地下室被淹", relation="prevented", now=NOW)
    found = brain.before("暴雨天不关地漏", now=NOW)
    assert found.verdict == "danger"
    assert found.alternative is not None
    assert found.alternative.decision.text == "雨前堵上地漏"


def test_causes_come_nearest_first_and_loops_end(brain: Brain) -> None:
    brain.record("没清理滤网", "水泵过热", now=NOW)
    brain.record("水泵过热", "灌溉中断", now=NOW)
    brain.record("灌溉中断", "菜苗枯死", now=NOW)
    brain.record("菜苗枯死", "没清理滤网", now=NOW)
    brain.record("装了备用水泵", "菜苗枯死", relation="prevented", now=NOW)
    found = brain.why("菜苗枯死", now=NOW)
    assert [reason.decision.text for reason in found.causes] == [
        "灌溉中断",
        "水泵过热",
        "没清理滤网",
    ]
    assert [len(reason.path) for reason in found.causes] == [1, 2, 3]
    assert [reason.decision.text for reason in found.preventers] == ["装了备用水泵"]
    strengths = [reason.strength for reason in found.causes]
    assert strengths == sorted(strengths, reverse=True)
    assert brain.why("屋顶的瓦松了", now=NOW).causes == ()


def test_a_hop_joins_a_clause_and_no_other_number(brain: Brain) -> None:
    brain.record("重试间隔调成零", "请求堆积，线程池耗尽", now=NOW)
    brain.record("线程池耗尽", "网关返回502", now=NOW)
    brain.record("第3号线程池耗尽", "报表空白", now=NOW)
    found = brain.why("网关返回502", now=NOW)
    assert [r.decision.text for r in found.causes] == ["线程池耗尽", "重试间隔调成零"]


def test_compare_counts_each_side(brain: Brain) -> None:
    brain.record("用竹竿搭架", "台风天架子倒了", now=NOW)
    brain.record("用钢管搭架", "台风天架子稳稳的", now=NOW)
    assert brain.compare("用竹竿搭架", "用钢管搭架", now=NOW).better == "b"
    assert brain.compare("用钢管搭架", "用竹竿搭架", now=NOW).better == "a"
    assert brain.compare("用钢管搭架", "用钢管搭架", now=NOW).better == "insufficient"
    assert brain.compare("用钢管搭架", "用木头做船", now=NOW).better == "insufficient"


def test_compare_says_when_contexts_say_the_contrary(brain: Brain) -> None:
    def told(action: str, context: str, good: int, bad: int) -> None:
        for n in range(good + bad):
            at = (datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=n)).date().isoformat()
            sign = n < good
            brain.record(action, f"{context}{'成' if sign else '败'}", context=context, at=at,
                         good=sign, now=NOW)  # fmt: skip

    told("走水路运货", "大件", 1, 4)
    told("走水路运货", "小件", 1, 0)
    told("走铁路运货", "大件", 0, 1)
    told("走铁路运货", "小件", 6, 1)
    found = brain.compare("走水路运货", "走铁路运货", now=NOW)
    assert (found.better, found.reversed) == ("b", True)


def test_reading_changes_no_byte_and_decay_no_verdict(brain: Brain) -> None:
    brain.record("不系安全绳上屋顶", "摔伤了腿", now=NOW)
    before = brain.path.read_bytes()
    first = brain.before("不系安全绳上屋顶", now=NOW).to_dict()
    for _ in range(100):
        assert brain.before("不系安全绳上屋顶", now=NOW).to_dict() == first
        brain.why("摔伤了腿", now=NOW)
    assert brain.path.read_bytes() == before
    for day in range(1, 31):
        brain.decay(now=NOW + timedelta(days=day))
    after = brain.before("不系安全绳上屋顶", now=NOW + timedelta(days=31)).to_dict()
    assert after == first


def test_a_thousand_links_stay_bounded(brain: Brain) -> None:
    start = datetime(2020, 1, 1, tzinfo=UTC)
    for n in range(300):
        brain.record("抄近路", f"第{n}次迟到", at=start + timedelta(days=n), now=NOW)
    found = brain.before("抄近路", now=NOW)
    assert found.verdict == "danger"
    assert len(found.reasons) <= 12
    assert len(brain.links()) == 200


def test_the_same_among_other_records(brain: Brain) -> None:
    brain.record("夜里给草莓浇冷水", "草莓烂根", now=NOW)
    brain.add_many([Draft(f"第{n}号货架放的是{n * 7}箱苹果", "decision") for n in range(2000)])
    found = brain.before("夜里给草莓浇冷水", now=NOW + timedelta(days=300))
    assert (found.verdict, len(found.reasons)) == ("danger", 1)
