"""Options that take a time: a day in words is that day in digits, and stderr says so."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from brain.text.timestamps import parse_time
from tests.support.cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    cli = Cli(tmp_path)
    assert cli("init", "--model", "none").code == 0
    return cli


def day(shift: int) -> str:
    """A day as it is typed in digits."""
    return (datetime.now().astimezone() + timedelta(days=shift)).date().isoformat()


def last_wednesday() -> str:
    today = datetime.now().astimezone()
    return (today - timedelta(days=today.weekday() + 5)).date().isoformat()


def stored(digits: str) -> str:
    return parse_time(digits, now=datetime.now().astimezone())


def test_a_day_in_words_is_the_day_in_digits(cli: Cli) -> None:
    days = {"昨天": day(-1), "上周三": last_wednesday(), "三天前": day(-3), "大大前天": day(-4)}
    for spoken, digits in days.items():
        done = cli("add", f"{spoken}起的规矩", "--valid-from", spoken, "--json")
        assert done.code == 0
        assert f"时间「{spoken}」按 {digits} 理解。" in done.err
        shown = cli("show", str(done.json["id"]), "--json")
        assert shown.json["valid_from"] == stored(digits)
    in_digits = cli("add", "数字写的", "--valid-from", day(-1), "--json")
    assert in_digits.err == ""


def test_every_option_understands_it(cli: Cli) -> None:
    assert cli("add", "旧规矩", "--valid-from", "三天前", "--valid-to", "明天").code == 0
    for verb, text in (("recall", "旧规矩"), ("check", "旧规矩"), ("inject", "旧规矩")):
        done = cli(verb, text, "--as-of", "昨天")
        assert done.code == 0
        assert f"时间「昨天」按 {day(-1)} 理解。" in done.err
    known = cli("list", "--known-at", "昨天", "--json")
    assert (known.code, known.json) == (0, [])
    assert cli("list", "--as-of", "前天", "--json").json[0]["text"] == "旧规矩"
    changed = cli("supersede", "1", "--text", "新规矩", "--at", "昨天")
    assert changed.code == 0
    assert cli("show", "1", "--json").json["valid_to"] == stored(day(-1))
    assert cli("expire", "2", "--at", "明天").code == 0


@pytest.mark.parametrize("spoken", ["上周", "最近", "昨天下午", "去年", "这几天", "瞎写的"])
@pytest.mark.parametrize(
    "words",
    [
        ("add", "规矩", "--valid-from"),
        ("add", "规矩", "--valid-to"),
        ("recall", "规矩", "--as-of"),
        ("list", "--known-at"),
        ("expire", "1", "--at"),
    ],
)
def test_what_names_no_day_is_refused(cli: Cli, words: tuple[str, ...], spoken: str) -> None:
    done = cli(*words, spoken, "--json")
    assert done.code == 65
    assert done.json["error"]["code"] == "brain_date_invalid"
    assert "理解" not in done.err


def test_the_words_that_were_known_stay(cli: Cli) -> None:
    for value in ("unknown", "now", "现在", "2026-03", "2026年3月1日", "2026-03-01 08:00"):
        done = cli("add", f"从{value}起", "--valid-from", value)
        assert (done.code, "理解" in done.err) == (0, False)


def test_a_day_that_is_asked_for_is_over(cli: Cli) -> None:
    assert cli("add", "值班群是青鸟群").code == 0
    today = day(0)
    for option in ("--as-of", "--known-at"):
        for spoken in (today, today.replace("-", "/"), "今天", today[:7]):
            done = cli("list", option, spoken, "--json")
            assert [memory["text"] for memory in done.json] == ["值班群是青鸟群"], (option, spoken)
        assert cli("list", option, day(-1), "--json").json == []
        # A moment is that moment.
        assert cli("list", option, f"{today} 00:00", "--json").json == []
    assert cli("check", "值班群是哪个", "--as-of", today).code == 0
    exported = cli("export", "--format", "markdown", "--as-of", today)
    assert "值班群是青鸟群" in exported.out


def test_what_begins_the_next_day_is_not_there_yet(cli: Cli) -> None:
    assert cli("add", "值班群是青鸟群", "--valid-from", day(-9)).code == 0
    assert cli("supersede", "1", "--text", "值班群是白鹭群", "--at", day(-3)).code == 0
    before = cli("list", "--as-of", day(-4), "--json")
    assert [memory["text"] for memory in before.json] == ["值班群是青鸟群"]
    on_it = cli("list", "--as-of", day(-3), "--json")
    assert [memory["text"] for memory in on_it.json] == ["值班群是白鹭群"]


def test_the_same_text_again_says_which_options_did_nothing(cli: Cli) -> None:
    assert cli("add", "周报发到部门群", "--valid-from", day(-9)).err == ""
    again = cli("add", "周报发到部门群", "--valid-from", day(-2), "--pin", "--json")
    assert (again.code, again.json["id"], again.json["created"]) == (0, 1, False)
    assert "#1 没有变，这次给的 --valid-from、--pin 不起作用。" in again.err
    assert cli("show", "1", "--json").json["valid_from"] == stored(day(-9))
    assert cli("add", "周报发到部门群").err == ""
