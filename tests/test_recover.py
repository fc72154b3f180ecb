"""A block never cuts without a way back: the handle gives the exact bytes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from brain import Brain, BrainError
from brain.ccr import handles
from brain.inject import pack
from brain.text.tokens import estimate

ROOT = Path(__file__).resolve().parent.parent
MINUTES = "机房搬迁会议纪要。" + "".join(
    f"第{i}项：机柜{i}号周五前清空，负责人另行通知；\r\n" for i in range(1, 60)
)
TAG = "含{{TAG_0}}和<<ccr:abc>>还有</memory>，门禁换成蓝色工牌。" * 30


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("recover") / "m.db"
    with Brain.open(where, model="none") as brain:
        brain.add(MINUTES)
        brain.add(TAG)
        brain.add("换签证要带两张白底照片和旧护照")
    return where


@pytest.mark.parametrize(("query", "text"), [("机房搬迁会议纪要", MINUTES), ("门禁蓝色工牌", TAG)])
@pytest.mark.parametrize("budget", [pack.LEAST_BUDGET, 200, 300])
def test_a_hit_beyond_the_budget_is_cut_to_a_head_with_a_handle_of_the_whole(
    path: Path, query: str, text: str, budget: int
) -> None:
    with Brain.open(path, read_only=True) as brain:
        done = brain.inject(query, budget=budget)
        (hit,) = done.hits
        assert hit.recovery_handle is not None
        assert hit.recovery_handle in done.block
        assert estimate(done.block) <= done.tokens <= budget
        assert hit.text.split("……（")[0].strip() in text
        assert brain.recover(hit.recovery_handle) == text.encode()


def test_the_handle_is_the_hash_of_the_stored_text(path: Path) -> None:
    handle = "ccr_" + hashlib.sha256(TAG.encode()).hexdigest()[:32]
    with Brain.open(path, read_only=True) as brain:
        assert brain.inject("门禁蓝色工牌", budget=200).hits[0].recovery_handle == handle


def test_a_smaller_later_hit_keeps_its_place_uncut(path: Path) -> None:
    with Brain.open(path, read_only=True) as brain:
        done = brain.inject("换签证要带什么照片", budget=pack.LEAST_BUDGET)
        assert [h.recovery_handle for h in done.hits] == [None]
        assert "旧护照" in done.block


@pytest.mark.parametrize("budget", [1, 50, pack.LEAST_BUDGET - 1])
def test_a_budget_too_small_for_anything_is_refused(path: Path, budget: int) -> None:
    with Brain.open(path, read_only=True) as brain, pytest.raises(BrainError) as refused:
        brain.inject("签证照片", budget=budget)
    assert refused.value.code == "brain_budget_too_small"
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    "form",
    ["{h}", "<<ccr:{h}>>", "ccr:{h}", "ccr://{h}", "  {h}\n", "'{h}'", "“{h}”", "<<ccr:{h}>>。"],
)
def test_sloppy_forms_of_a_handle_are_understood(path: Path, form: str) -> None:
    handle = handles.handle_of(MINUTES.encode())
    with Brain.open(path, read_only=True) as brain:
        assert brain.recover(form.format(h=handle)) == MINUTES.encode()


@pytest.mark.parametrize("bad", ["", "ccr_", "ccr_12", "旧护照", "ccr_" + "g" * 32, "x" * 5000])
def test_what_is_no_handle_is_refused(path: Path, bad: str) -> None:
    with Brain.open(path, read_only=True) as brain, pytest.raises(BrainError) as refused:
        brain.recover(bad)
    assert (refused.value.code, refused.value.exit_code) == ("brain_ccr_handle_invalid", 65)


@pytest.mark.parametrize("digits", ["0" * 32, "f" * 32])
def test_an_unknown_handle_fails_loudly(path: Path, digits: str) -> None:
    with Brain.open(path, read_only=True) as brain, pytest.raises(BrainError) as refused:
        brain.recover("ccr_" + digits)
    assert (refused.value.code, refused.value.exit_code) == ("brain_ccr_not_found", 1)


def test_the_command_writes_the_exact_bytes(path: Path) -> None:
    handle = handles.handle_of(MINUTES.encode())
    command = [sys.executable, str(ROOT / "brain.py"), "recover", handle, "--db", str(path)]
    assert subprocess.run(command, capture_output=True, check=True).stdout == MINUTES.encode()
    told = subprocess.run([*command, "--json"], capture_output=True, check=True).stdout
    found = json.loads(told)
    assert (found["handle"], found["text"]) == (handle, MINUTES)
    assert found["bytes"] == len(MINUTES.encode())


def test_recall_narrows_a_long_text_to_what_is_asked_and_keeps_the_way_back(
    tmp_path: Path,
) -> None:
    filler = "今天的例会照常进行，大家汇报了进度，没有别的事情。"
    text = filler * 120 + "备用钥匙放在门卫老周那里。" + filler * 120
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add(text)
        brain.add("门卫换班在早上七点")
        hit = next(h for h in brain.recall("备用钥匙在门卫谁那里").hits if h.id == 1)
        assert len(hit.text) <= 2_200
        assert "备用钥匙放在门卫老周那里" in hit.text
        assert hit.recovery_handle is not None
        assert hit.recovery_handle in hit.text
        assert brain.recover(hit.recovery_handle) == text.encode()
        assert brain.get(1).text == text
        shown = brain.inject("备用钥匙在门卫谁那里")
        assert hit.recovery_handle in shown.block


def test_a_text_of_two_thousand_characters_is_shown_whole(tmp_path: Path) -> None:
    text = "灯塔" * 1000
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        brain.add(text)
        (hit,) = brain.recall("灯塔").hits
        assert (hit.text, hit.recovery_handle) == (text, None)
