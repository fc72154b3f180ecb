"""A block never cuts without a way back: the handle gives the exact bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brain import Brain, BrainError
from brain.compress import handles
from brain.inject import pack
from brain.text.tokens import estimate
from tests.support import ROOT
from tests.support.cli import Cli
from tests.support.engine import refused

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
        told = re.sub(r"（[^（]*全文：<<ccr:.*>>）$|ccr_[0-9a-f]{32}$", "", hit.text)
        parts = [part.strip() for part in told.split("……") if part.strip()]
        assert parts
        assert all(part in text for part in parts)
        assert brain.recover(hit.recovery_handle) == text.encode()


def test_the_handle_is_the_hash_of_the_stored_text(path: Path) -> None:
    handle = "ccr_" + hashlib.sha256(TAG.encode()).hexdigest()[:32]
    with Brain.open(path, read_only=True) as brain:
        assert brain.inject("门禁蓝色工牌", budget=200).hits[0].recovery_handle == handle


def test_a_smaller_later_hit_keeps_its_place_uncut(path: Path) -> None:
    with Brain.open(path, read_only=True) as brain:
        done = brain.inject("换签证要带什么照片", budget=160)
        assert [h.recovery_handle for h in done.hits] == [None]
        assert "旧护照" in done.block


@pytest.mark.parametrize("budget", [1, 50, pack.LEAST_BUDGET - 1])
@pytest.mark.parametrize("verb", ["inject", "brief"])
def test_a_budget_too_small_for_anything_is_refused(path: Path, budget: int, verb: str) -> None:
    with Brain.open(path, read_only=True) as brain, pytest.raises(BrainError) as caught:
        brain.inject("签证照片", budget=budget) if verb == "inject" else brain.brief(budget)
    assert caught.value.code == "brain_budget_too_small"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{h}",
            "<<ccr:{h}>>",
            "ccr:{h}",
            "ccr://{h}",
            "  {h}\n",
            "'{h}'",
            "“{h}”",
            "<<ccr:{h}>>。",
        ),
        *("「{h}」，", "（<<ccr:{h}>>）", "《{h}》", "‹‹ccr:{h}››", "ccr：{h}", "【{h}】", "……{h}"),
        *("<<CCR:{h}>>", "\u3000{h}", "{h}#", "`ccr://{h}`、"),
    ],
)
def test_sloppy_forms_of_a_handle_are_understood(path: Path, form: str) -> None:
    handle = handles.handle_of(MINUTES.encode())
    with Brain.open(path, read_only=True) as brain:
        assert brain.recover(form.format(h=handle)) == MINUTES.encode()


def test_letters_of_either_case_are_read(path: Path) -> None:
    handle = handles.handle_of(MINUTES.encode())
    with Brain.open(path, read_only=True) as brain:
        assert brain.recover(handle.upper()) == MINUTES.encode()


@pytest.mark.parametrize(
    "bad",
    [
        "ccr_" + "0" * 33,
        "0" * 31,
        "ccr://x/" + "0" * 32,
        "",
        "ccr_",
        "ccr_12",
        "旧护照",
        "ccr_" + "g" * 32,
        "x" * 5000,
    ],
)
def test_what_is_no_handle_is_refused(path: Path, bad: str) -> None:
    with Brain.open(path, read_only=True) as brain, pytest.raises(BrainError) as caught:
        brain.recover(bad)
    assert (caught.value.code, caught.value.exit_code) == ("brain_ccr_handle_invalid", 65)


@pytest.mark.parametrize("digits", ["0" * 32, "f" * 32])
def test_an_unknown_handle_fails_loudly(path: Path, digits: str) -> None:
    with Brain.open(path, read_only=True) as brain, pytest.raises(BrainError) as caught:
        brain.recover("ccr_" + digits)
    assert (caught.value.code, caught.value.exit_code) == ("brain_ccr_not_found", 1)


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


# Part of an original -------------------------------------------------------------------------

ITEMS: dict[str, Any] = {
    "items": [{"name": f"仪器{n}", "a/b": n, "m~n": {"": "空键"}, "价": 0.10} for n in range(200)],
    "总数": 200,
    "100%": "满",
    "深": [[[1, 2], {"x": None}]],
}
RAW = json.dumps(ITEMS, ensure_ascii=True).replace("0.1}", "0.10}").replace("200,", "2.00E2,")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Brain, str]]:
    where = tmp_path_factory.mktemp("pointer") / "m.db"
    with Brain.open(where, model="none") as brain:
        handle = brain.compress(RAW).handle
        assert handle is not None
        yield brain, handle


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("/items/3/name", '"仪器3"'),
        ("/items/0/a~1b", "0"),
        ("/items/9/m~0n/", '"空键"'),
        ("/items/9/m~0n", '{"": "空键"}'),
        ("/items/5/价", "0.10"),
        ("/items/5/%E4%BB%B7", "0.10"),
        ("/总数", "2.00E2"),
        ("/100%25", '"满"'),
        ("/深/0/1/x", "null"),
        ("/深/0/0", "[1, 2]"),
    ],
)
@pytest.mark.parametrize("form", ["ccr://{h}#{p}", "<<ccr:{h}#{p}>>", "'{h}#{p}'", " {h}#{p} "])
def test_a_pointer_selects_the_json_as_it_was_written(
    kept: tuple[Brain, str], pointer: str, text: str, form: str
) -> None:
    brain, handle = kept
    if form.startswith("<<") and pointer.endswith("%"):
        return
    assert brain.recover(form.format(h=handle, p=pointer)).decode() == text


@pytest.mark.parametrize(
    ("pointer", "code", "exit_code"),
    [
        ("items", "brain_ccr_pointer_invalid", 65),
        ("/items/~", "brain_ccr_pointer_invalid", 65),
        ("/items/~2", "brain_ccr_pointer_invalid", 65),
        ("/items/200", "brain_ccr_pointer_not_found", 1),
        ("/items/-", "brain_ccr_pointer_not_found", 1),
        ("/items/-1", "brain_ccr_pointer_not_found", 1),
        ("/items/01", "brain_ccr_pointer_not_found", 1),
        ("/items/" + "9" * 40, "brain_ccr_pointer_not_found", 1),
        ("/没有", "brain_ccr_pointer_not_found", 1),
        ("/items/3/name/0", "brain_ccr_pointer_not_found", 1),
        ("/", "brain_ccr_pointer_not_found", 1),
    ],
)
def test_a_bad_pointer_is_told(
    kept: tuple[Brain, str], pointer: str, code: str, exit_code: int
) -> None:
    brain, handle = kept
    refused(code, exit_code, lambda: brain.recover(f"ccr://{handle}#{pointer}"))


def test_an_empty_pointer_is_the_whole_byte_for_byte(kept: tuple[Brain, str]) -> None:
    brain, handle = kept
    assert brain.recover(f"ccr://{handle}#") == RAW.encode()


def test_a_pointer_into_what_is_no_json_is_told(path: Path) -> None:
    handle = handles.handle_of(MINUTES.encode())
    with Brain.open(path, read_only=True) as brain:
        refused("brain_ccr_pointer_invalid", 65, lambda: brain.recover(f"{handle}#/a"))


def test_lines_of_ndjson_are_counted_as_elements(brain: Brain) -> None:
    data = "".join(f'{{"n": {n}, "名": "甲{n}"}}\n' for n in range(100))
    handle = brain.compress(data).handle
    assert brain.recover(f"{handle}#/42/名").decode() == '"甲42"'


def test_a_pointer_and_a_question_go_together(kept: tuple[Brain, str]) -> None:
    brain, handle = kept
    shown = json.loads(brain.recover(f"{handle}#/items", query="仪器42"))
    assert ITEMS["items"][42] in shown
    assert len(shown) == 3


# A question to an original -------------------------------------------------------------------


def test_a_question_narrows_a_memory_to_whole_paragraphs(path: Path) -> None:
    handle = handles.handle_of(MINUTES.encode())
    with Brain.open(path, read_only=True) as brain:
        shown = brain.recover(handle, query="机柜37号").decode()
        assert "第37项：机柜37号周五前清空，负责人另行通知；\r\n" in shown
        assert len(shown) < len(MINUTES) / 2
        assert handle in shown
        assert brain.recover(handle, query="光合作用") == MINUTES.encode()
        assert brain.recover(handle, query="") == MINUTES.encode()


def test_a_date_asked_for_is_looked_for_in_the_text(brain: Brain) -> None:
    log = "".join(f"2026-03-{d:02} 08:00:00 INFO 开门\n" for d in range(1, 31))
    handle = str(brain.compress(log * 3).handle)
    assert "2026-03-17" in brain.recover(handle, query="2026-03-17").decode()
    assert "2026-03-18" not in brain.recover(handle, query="2026-03-17 开门").decode()


def test_the_verb_takes_a_question_and_tells_json(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    handle = cli("compress", "-", "--json", stdin=RAW.encode()).json["handle"]
    told = cli("recover", handle, "--query", "仪器42", "--json").json
    assert told.keys() == {"handle", "content_type", "bytes", "text"}
    assert told["bytes"] == len(told["text"].encode()) < len(RAW)
    assert cli("recover", handle, "--query", "仪器42").out == told["text"]
    part = cli("recover", f"ccr://{handle}#/items/3", "--json").json
    assert part["content_type"] == "application/json"
    assert json.loads(part["text"]) == ITEMS["items"][3]
    picture = bytes(range(256)) * 20
    handle = cli("compress", "-", "--json", stdin=picture).json["handle"]
    told = cli("recover", handle, "--json").json
    assert told.keys() == {"handle", "content_type", "bytes", "base64"}
    assert base64.b64decode(told["base64"]) == picture
    gone = cli("recover", "ccr_" + "0" * 32, "--json")
    assert (gone.code, gone.json["error"]["code"]) == (1, "brain_ccr_not_found")
