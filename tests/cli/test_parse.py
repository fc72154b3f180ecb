"""Sorting a command line, without running any."""

from __future__ import annotations

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from brain.cli.options import number, whole_number
from brain.cli.parse import Parsed, Signature, parse_words, repair_encoding, wants_json
from brain.cli.verbs import VERBS, find
from brain.errors import EXIT_USAGE, BrainError

RECALL = Signature(
    flags=frozenset({"--json", "--explain", "-h", "--help"}),
    valued=frozenset({"--scope", "--budget", "-k"}),
    optional=("问题",),
)
SHOW = Signature(frozenset({"--json"}), frozenset({"--db"}), required=("编号",))


@pytest.mark.parametrize(
    "text",
    [
        "-5度",
        "-h 选项是什么",
        "--json 怎么用",
        "-5",
        "-0.5",
        "-",
        "---",
        "-->",
        "-.env",
        "--是两个减号",
        "-e是什么意思",
        "－－ｊｓｏｎ",
        "—— 破折号",
        "",
        "a=b",
        "/etc/hosts",
        "-rf /tmp/x",
    ],
)
def test_a_positional_is_text_whatever_it_begins_with(text: str) -> None:
    assert parse_words([text], RECALL) == Parsed((), (text,))


@pytest.mark.parametrize("word", ["--foo", "-x", "--foo=bar", "-rf", "--scop", "--Json", "-kx"])
def test_an_unknown_option_is_wrong_use(word: str) -> None:
    with pytest.raises(BrainError) as caught:
        parse_words(["问题", word], RECALL)
    assert (caught.value.code, caught.value.exit_code) == ("brain_usage", EXIT_USAGE)
    assert word.split("=")[0] in caught.value.message


def test_a_mistyped_option_names_the_near_one() -> None:
    with pytest.raises(BrainError, match="--scope"):
        parse_words(["问题", "--scop", "web"], RECALL)


@pytest.mark.parametrize(
    ("args", "options"),
    [
        (["--budget", "-5", "问"], ("--budget", "-5")),
        (["--budget=-5", "问"], ("--budget", "-5")),
        (["--scope=我的 项目", "问"], ("--scope", "我的 项目")),
        (["--scope=", "问"], ("--scope", "")),
        (["问", "--scope", "-5度"], ("--scope", "-5度")),
        (["-k5", "问"], ("-k", "5")),
        (["-k=5", "问"], ("-k", "5")),
        (["-k", "5", "问", "--json"], ("-k", "5", "--json")),
    ],
)
def test_options_take_their_values_before_and_behind_the_text(
    args: list[str], options: tuple[str, ...]
) -> None:
    assert parse_words(args, RECALL) == Parsed(options, ("问",))


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["问", "--scope"], "--scope"),
        (["问", "--scope", "--json"], "--scope"),
        (["问", "--json=1"], "--json"),
        (["你好", "世界"], "世界"),
    ],
)
def test_wrong_use_is_named(args: list[str], says: str) -> None:
    with pytest.raises(BrainError, match=says) as caught:
        parse_words(args, RECALL)
    assert caught.value.exit_code == EXIT_USAGE


def test_a_missing_id_explains_the_shell_comment() -> None:
    with pytest.raises(BrainError, match="'#12'"):
        parse_words(["--json"], SHOW)


def test_a_missing_option_is_named() -> None:
    with pytest.raises(BrainError, match="--model"):
        parse_words([], Signature(frozenset(), frozenset({"--model"}), wanted=("--model",)))


def test_help_needs_no_arguments() -> None:
    shape = Signature(frozenset({"--help"}), frozenset(), required=("编号",))
    assert parse_words(["--help"], shape).options == ("--help",)


def test_behind_two_dashes_all_is_text() -> None:
    assert parse_words(["--json", "--", "--foo"], RECALL) == Parsed(("--json",), ("--foo",))


@given(st.text())
def test_behind_two_dashes_any_text_arrives(text: str) -> None:
    assert parse_words(["--", text], RECALL).texts == (text,)


@given(st.text().filter(lambda t: not t.isascii()))
def test_text_that_is_not_ascii_arrives_unless_a_known_option_names_it(text: str) -> None:
    if text.partition("=")[0] not in RECALL.valued | RECALL.flags:
        assert parse_words([text], RECALL).texts == (text,)


def test_json_is_seen_on_a_line_that_does_not_parse() -> None:
    assert wants_json(["recall", "--foo", "--json"])
    assert not wants_json(["add", "--", "--json"])
    assert not wants_json(["add", "--json 是什么"])


def test_arguments_of_a_locale_without_utf8_are_repaired() -> None:
    raw = "青鸟🎉".encode()
    for encoding in ("ascii", "iso8859-1"):
        assert repair_encoding(raw.decode(encoding, "surrogateescape"), encoding) == "青鸟🎉"
    assert repair_encoding("青鸟", "utf-8") == "青鸟"
    # Real GBK bytes under a GBK locale are not UTF-8 and stay what they are.
    assert repair_encoding("青鸟", "gbk") == "青鸟"
    # Bytes that are no UTF-8 either stay as they are, for the engine to refuse.
    assert (
        repair_encoding(b"\xff\xfe".decode("ascii", "surrogateescape"), "ascii") == "\udcff\udcfe"
    )


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_each_verb_is_found(verb: str) -> None:
    assert find([*verb.split(), "x"]) == (verb, ["x"])


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["recal", "x"], "recall"),
        (["完全不对"], "--help"),
        (["model"], "list、fetch"),
        (["model", "fetsh"], "list、fetch"),
        (["--json", "recall"], "动词后面"),
        ([""], "没有动词"),
    ],
)
def test_a_wrong_verb_gets_a_way_out(args: list[str], says: str) -> None:
    with pytest.raises(BrainError, match=says) as caught:
        find(args)
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize("bad", ["abc", "", "1.5", "一", "1e3"])
def test_a_whole_number_is_one(bad: str) -> None:
    with pytest.raises(typer.BadParameter, match="整数"):
        whole_number(bad)


@pytest.mark.parametrize("bad", ["abc", "", "nan", "inf", "0,5"])
def test_a_number_is_finite(bad: str) -> None:
    with pytest.raises(typer.BadParameter, match="数字"):
        number(bad)
