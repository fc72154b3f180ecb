"""Forgetting: no trace is left, and one command does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.text.fold import fold
from tests.support import ROOT
from tests.support.cli import Cli
from tests.support.engine import Make

SECRETS = [
    ("口令是ZEBRA-青-77", ("ZEBRA", "zebra", "zeb", "青-77", "口令是Z")),
    ("王工的身份证尾号 4411X，别外传", ("4411X", "4411x", "王工的", "身份证")),
    ("保險櫃密碼是左三圈右七圈", ("保險櫃", "保险柜", "密码是", "左三圈")),
    ("api key: sk-Qv9TmXw2LrKd", ("sk-Qv9TmXw2LrKd", "sk-qv9tmxw2lrkd", "qv9", "mxw")),
    ("ＶＩＰ通道暗号：ﾎﾟﾝﾎﾟｺ狸", ("ＶＩＰ", "vip", "通道暗", "暗号")),
]


def disk(path: Path) -> bytes:
    """Every byte beside the path that belongs to the file."""
    return b"".join(p.read_bytes() for p in sorted(path.parent.glob(path.name + "*")))


@pytest.mark.parametrize("ending", ["supersede", "correct", "retract", "expire", "plain"])
@pytest.mark.parametrize(("secret", "traces"), SECRETS)
def test_no_trace_is_left_whatever_happened_to_it_before(
    brain: Brain, secret: str, traces: tuple[str, ...], ending: str
) -> None:
    """akitaonrails/ai-memory #387: deleting left the text in the segments of the index."""
    for n in range(40):
        brain.add(f"第{n}件杂事，没有特别的内容")
    one = brain.add(secret, evidence=f"原话：{secret}", allow_secrets=True).id
    change: dict[str, Callable[[], Any]] = {
        "supersede": lambda: brain.supersede(one, text="已经作废"),
        "correct": lambda: brain.correct(one, "记错了，没有这回事"),
        "retract": lambda: brain.retract(one),
        "expire": lambda: brain.expire(one, at="2031-01-01"),
        "plain": lambda: None,
    }
    change[ending]()
    brain.set_importance(one, 0.9)
    before = disk(brain.path)
    assert secret.encode() in before
    assert any(t.encode() in before for t in traces)
    brain.forget(one)
    after = disk(brain.path)
    assert secret.encode() not in after
    assert fold(secret).encode() not in after
    assert [t for t in traces if t.encode() in after] == []
    assert not brain.search(secret, include_expired=True).hits


def test_writing_on_afterwards_brings_nothing_back(make: Make, e5: Embedder) -> None:
    """akitaonrails/ai-memory #387: deleting left the text in the segments of the index."""
    brain = make(model=e5)
    secret, traces = SECRETS[0]
    for n in range(12):
        brain.add(f"第{n}件杂事")
    one = brain.add(secret, allow_secrets=True).id
    brain.forget(one)
    for n in range(12):
        brain.add(f"后来的第{n}件杂事")
    brain.forget(3)
    brain.close()
    assert [t for t in (secret, *traces) if t.encode() in disk(brain.path)] == []


def test_the_documentation_says_what_stays() -> None:
    """akitaonrails/ai-memory #387: deleting left the text in the segments of the index."""
    told = (ROOT / "docs" / "cli.md").read_text("utf-8")
    section = told[told.index("### `forget ") :].split("\n### ")[0]
    for word in ("备份", "日志", "brain_wal_pending", "编号"):
        assert word in section


def test_one_command_takes_back_and_one_erases(tmp_path: Path) -> None:
    """thedotmack/claude-mem #1292: nothing removed one bad entry."""
    cli = Cli(tmp_path)
    assert cli("add", "错把测试口令 QUOKKA 记成了正式的").code == 0
    back = cli("retract", "1", "--why", "记错了")
    assert back.code == 0
    assert "QUOKKA" not in cli("recall", "QUOKKA").out
    assert "QUOKKA" in cli("show", "1").out
    assert cli("restore", "1").code == 0
    assert "QUOKKA" in cli("recall", "QUOKKA").out
    gone = cli("forget", "#1", "--json")
    assert (gone.code, gone.json["forgotten"]) == (0, True)
    assert cli("show", "1").code == 1
    assert b"QUOKKA" not in disk(cli.db)
    assert b"quokka" not in disk(cli.db)
    assert cli("list", "--all", "--json").json == []
