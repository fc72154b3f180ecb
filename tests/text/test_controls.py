"""Control characters are shown, on a terminal and by every verb that prints a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain import Brain
from brain.text.controls import visible
from tests.support.cli import Cli

TURNING = [*"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]


@pytest.mark.parametrize("char", ["\x1b", "\x07", "\x9b", "\x7f", "\r", *TURNING, "\u2028"])
def test_it_is_written_out(char: str) -> None:
    shown = visible(f"前{char}后")
    assert char not in shown
    assert shown in {f"前\\x{ord(char):02x}后", f"前\\u{ord(char):04x}后"}


@pytest.mark.parametrize("text", ["平常的字", "一\t二\n三", "👨\u200d👩\u200d👧", "全角\u3000空格"])
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("verb", [("list",), ("recall", "转账"), ("search", "转账"), ("show", "1")])
def test_a_turned_line_is_not_printed_as_one(tmp_path: Path, verb: tuple[str, ...]) -> None:
    cli = Cli(tmp_path)
    with Brain.open(cli.db, model="none") as brain:
        brain.add("转账给\u202e甲乙丙\u202c的账号 \u2066后三位\u2069")
    done = cli(*verb)
    assert "甲乙丙" in done.out
    assert not set(TURNING) & set(done.out)
    assert "\\u202e" in done.out
