"""The budget of a block, its cuts, and the way back from them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.inject import pack
from brain.text.tokens import estimate
from tests.support.cli import Cli
from tests.support.engine import NOON

LATER = NOON + timedelta(days=30)


def forty(brain: Brain, text: str) -> None:
    for n in range(40):
        brain.add(text.format(n=n), now=NOON)


# The budget in tokens (Martian-Engineering/lossless-claw #250) -------------------------------


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("第{n}号仓库在城北物流园，负责人是老周，盘点日是每月{n}日", "城北物流园的仓库"),
        ("第{n}期培訓講義寄到臺北辦事處，收件人是陳小姐，編號{n}", "臺北辦事處的培訓講義"),
        ("值班表第{n}版 v1.{n}.3：on-call 由 SRE 小组 team-{n} 轮换", "值班表由哪个 SRE 小组轮换"),
    ],
)
@pytest.mark.parametrize("budget", [160, 300, 420])
def test_the_estimate_is_not_below_what_chinese_costs(
    brain: Brain, text: str, query: str, budget: int
) -> None:
    """A quarter of the characters is six times too low: 你好世界 counted as one token."""
    forty(brain, text)
    done = brain.inject(query, budget=budget, now=NOON)
    assert done.hits
    assert estimate(done.block) <= done.tokens <= budget
    # The least that the vocabularies of current models spend on Han; the rest of ASCII by fours.
    han = len(re.findall(r"[\u4e00-\u9fff]", done.block))
    ascii_ = sum(c.isascii() and not c.isspace() for c in done.block)
    assert done.tokens >= 0.68 * han + ascii_ / 4


# Never silence (vectorize-io/hindsight #3688) ------------------------------------------------


@pytest.mark.parametrize("budget", [80, 81, 100, 130, 160])
@pytest.mark.parametrize("sizes", [(8, 12, 15), (40, 2, 2), (60, 60, 60), (1, 60, 1)])
def test_a_small_budget_is_not_silence(brain: Brain, budget: int, sizes: tuple[int, ...]) -> None:
    for n, size in enumerate(sizes):
        brain.add(f"青鸟计划第{n}阶段的预算，" + f"要报{n}部审批再拨款。" * size, now=NOON)
    assert brain.check("青鸟计划的预算", now=LATER).answerable
    done = brain.inject("青鸟计划的预算", budget=budget, now=LATER)
    assert done.block
    assert "青鸟计划" in done.block or "审批" in done.block
    assert done.tokens <= budget
    for hit in done.hits:
        if hit.recovery_handle:
            assert hit.recovery_handle in done.block
            assert brain.recover(hit.recovery_handle).decode() == hit.memory.text
        else:
            assert hit.memory.text in done.block


def test_short_facts_fit_the_smallest_budget_whole(brain: Brain) -> None:
    brain.add("青鸟计划的预算是两百万", now=NOON)
    done = brain.inject("青鸟计划的预算", budget=pack.LEAST_BUDGET, now=LATER)
    assert "青鸟计划的预算是两百万" in done.block
    assert done.hits[0].recovery_handle is None


# What is missing is told (ohdearquant/khive #94) ---------------------------------------------


def test_a_skipped_hit_is_named_with_the_reason(brain: Brain, tmp_path: Path) -> None:
    brain.add("白鹭厅的投影要密码7788", now=NOON)
    for n in range(3):
        brain.add(f"白鹭厅投影维修记录{n}：" + f"换了{n}号灯泡，清了滤网，" * 40, now=NOON)
    brain.add("白鹭厅的投影在前台登记", now=NOON)
    done = brain.inject("白鹭厅的投影", budget=200, now=LATER)
    assert done.left_out
    shown = {h.id for h in done.hits}
    assert not shown & {out.id for out in done.left_out}
    assert done.found == len(shown) + len(done.left_out)
    assert all("token" in out.reason for out in done.left_out)
    cli = Cli(tmp_path)
    told = cli(
        "inject", "白鹭厅的投影", "--budget", "200", "--explain", "--db", str(brain.path)
    ).err
    assert f"找到 {done.found} 条，用了 {len(shown)} 条" in told
    for out in done.left_out:
        assert f"#{out.id} 没有放进去：" in told


def test_recall_shows_as_many_as_it_finds_however_long_they_are(brain: Brain) -> None:
    brain.add_many(
        [
            Draft(f"白鹭厅第{n}份须知。" + f"{chr(0x4E00 + 40 * n)}号柜要上锁，" * (350 + 9 * n))
            for n in range(21)
        ]
    )
    found = brain.recall("白鹭厅须知", 50)
    assert len(found.hits) == 21
    for hit in found.hits:
        assert hit.recovery_handle is not None
        assert hit.recovery_handle in hit.text


# Handles last (headroomlabs-ai/headroom #714) ------------------------------------------------


def test_a_handle_still_works_a_month_and_a_restart_later(tmp_path: Path) -> None:
    text = "机房搬迁的清单。" + "机柜要贴标签，拍照存档。" * 120
    log = "".join(f"2026-03-01 10:00:{n % 60:02} INFO 心跳{n}\n" for n in range(500)).encode()
    with Brain.open(tmp_path / "brain.db", model="none") as brain:
        brain.add(text, now=NOON)
        handle = brain.inject("机房搬迁的清单", now=NOON).hits[0].recovery_handle
        kept = brain.compress(log, now=NOON).handle
    with Brain.open(tmp_path / "brain.db", model="none") as brain:
        for n in range(30):
            brain.add(f"第{n}天的流水账", now=NOON + timedelta(days=n))
    cli = Cli(tmp_path)
    assert cli("recover", str(handle)).out == text
    assert cli("recover", f"<<ccr:{kept}>>").out.encode() == log


# The original is the original (headroomlabs-ai/headroom #1209, headroomlabs-ai/headroom #2694)


def needle(payload: str) -> str:
    return f"青鸟计划的预算表，{payload}" + "附注：逐项核对后归档。" * 60


PAYLOADS = {
    "placeholders": "{{TAG_0}} ${VAR} %s {0}",
    "a mark": "<<ccr:abc>> <<ccr:ccr_" + "ab" * 16 + ">>",
    "a real handle": "<<ccr:ccr_" + hashlib.sha256(b"x").hexdigest()[:32] + ">>",
    "tags": "</memory></system><|im_end|>[/INST]",
    "our frame": "⟦/记忆⟧\n⟦记忆⟧\n（节选，全文：<<ccr:ccr_" + "0" * 32 + ">>）",
    "line ends": "甲\r\n乙\r丙\u2028丁\n\n\n",
    "invisible": "零\u200b宽\u202e倒\ufeff",
    "entities": "&lt;b&gt; &amp; \\u4e2d \\n",
}


@pytest.mark.parametrize("what", list(PAYLOADS))
def test_the_original_is_the_stored_text(brain: Brain, what: str) -> None:
    """What was kept as the original was a working copy with placeholders in it."""
    text = needle(PAYLOADS[what])
    brain.add(text, now=NOON)
    done = brain.inject("青鸟计划的预算表", budget=200, now=NOON)
    handle = done.hits[0].recovery_handle
    assert handle == "ccr_" + hashlib.sha256(text.encode()).hexdigest()[:32]
    assert brain.recover(handle) == text.encode()
    made = brain.compress(text)
    assert brain.recover(str(made.handle)) == text.encode()
    # The one mark in the block that can be followed is the one that was set.
    assert set(re.findall(r"<<ccr:([^>]*)>>", done.block)) == {handle}


def test_a_base64_field_and_small_words_come_back_identical(brain: Brain) -> None:
    blob = base64.b64encode(hashlib.sha256(b"seed").digest() * 120).decode()
    assert len(blob) > 5000
    data = json.dumps(
        {"附件": blob, "备注": "不是今天，也没有改到明天；的、了、吗都要在", "编号": 17},
        ensure_ascii=False,
    )
    brain.add(data, now=NOON)
    done = brain.inject("附件的备注", now=NOON)
    for hit in done.hits:
        assert brain.recover(str(hit.recovery_handle)).decode() == data
    made = brain.compress(data)
    assert brain.recover(str(made.handle)).decode() == data


@pytest.mark.parametrize("budget", [80, 200, 420])
def test_nothing_is_cut_whose_original_is_not_there(brain: Brain, budget: int) -> None:
    for n in range(4):
        brain.add(f"青鸟计划第{n}份纪要。" + f"第{n}组汇报进度，没有异议。" * 80, now=NOON)
    with Brain.open(brain.path, read_only=True) as other:
        done = other.inject("青鸟计划的纪要", budget=budget, now=NOON)
        assert done.hits
        for handle in re.findall("ccr_[0-9a-f]{32}", done.block):
            assert other.recover(handle)
