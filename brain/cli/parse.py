"""Argument parsing, from the raw list to options and texts: pure functions, no library.

A positional is always text, also with a leading ``-`` (``-5度``, ``-h 选项是什么``). What looks
like an option and is none is wrong use. Both at once is beyond a usual parser, so the words are
sorted here and handed on as ``options -- texts``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from brain.errors import EXIT_USAGE, BrainError

STDIN = "-"
"""The positional that stands for standard input."""

HELP_FLAGS = frozenset({"-h", "--help"})

ID = "编号"
"""What the positional for one memory is called."""

_NUMBERS = frozenset({"可信度", "重要度", "新编号"})

_WIDE_DASHES = re.compile(r"^[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+-?")
"""What an input method makes of ``--``."""

_OPTION_LIKE = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]*(=[!-~]*)?\Z")
_SHORT_WITH_NUMBER = re.compile(r"(-[A-Za-z])=?([+-]?[0-9]+)\Z")


class Signature(NamedTuple):
    """What a verb takes.

    Args:
        flags: options without a value.
        valued: options with one.
        required: display names of the positionals that must be there.
        optional: display names of those that may.
        wanted: options that must be there.
        repeated: the last positional may be given several times.
    """

    flags: frozenset[str]
    valued: frozenset[str]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    repeated: bool = False


class Parsed(NamedTuple):
    """The words of a command line, sorted. ``options`` has each value behind its option."""

    options: tuple[str, ...]
    texts: tuple[str, ...]


def usage(message: str) -> BrainError:
    """The error of wrong use: exit 2."""
    return BrainError("brain_usage", message, EXIT_USAGE)


def parse_words(args: Sequence[str], shape: Signature) -> Parsed:
    """Sorts words into options and texts.

    Raises:
        BrainError: ``brain_usage`` (2) for an unknown or missing option, a missing value, a value
            where none belongs, and too few or too many texts.
    """
    options: list[str] = []
    texts: list[str] = []
    known = shape.flags | shape.valued
    words = list(args)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        short = _SHORT_WITH_NUMBER.match(word)
        if word == "--":
            texts.extend(words)
            break
        if word in shape.flags:
            options.append(word)
        elif word in shape.valued:
            if not words or words[0] in known:
                raise usage(f"选项 {word} 后面缺少值。")
            options += [word, words.pop(0)]
        elif equals and name in shape.valued:
            options += [name, value]
        elif equals and name in shape.flags:
            raise usage(f"选项 {name} 不带值。")
        elif short and short.group(1) in shape.valued:
            options += [short.group(1), short.group(2)]
        elif _OPTION_LIKE.match(word):
            raise usage(_unknown_option(name, known))
        elif (plain := _WIDE_DASHES.sub("--", name)) in known:
            raise usage(f"「{name}」里的横线不是减号，是不是 {plain}？")
        else:
            texts.append(word)
    if not HELP_FLAGS.intersection(options):
        _count(texts, shape)
        for option in shape.wanted:
            if option not in options:
                raise usage(f"缺少选项 {option}。")
    return Parsed(tuple(options), tuple(texts))


def _unknown_option(name: str, known: Collection[str]) -> str:
    near = suggest_option(name, known) or next(
        iter(get_close_matches(name, sorted(known), n=1)), None
    )
    hint = f"，是不是 {near}？" if near else "；用 --help 看这个动词有哪些。"
    return f"没有选项 {name}{hint}若它是文本，请在前面单独加一个 --。"


def _count(texts: Sequence[str], shape: Signature) -> None:
    names = shape.required + shape.optional
    if len(texts) < len(shape.required):
        raise usage(missing(shape.required[len(texts)]))
    if len(texts) > len(names) and not shape.repeated:
        from brain.text.secrets.mask import find

        extra = texts[len(names)]
        shown = extra if len(extra) <= 20 else extra[:20] + "…"
        # A password behind a blank is an argument of its own: 密码是 …
        quoted = "" if find(" ".join(texts)) else f"「{shown}」"
        raise usage(f"多出参数{quoted}{_why_too_many(names)}")


def _why_too_many(names: Sequence[str]) -> str:
    if not names:
        return "；这个动词不带参数。"
    if names == (ID,):
        return "；一次只能给一个编号，几条请分几次。"
    return "；带空格的文本请用引号括起来。" if names[-1] not in _NUMBERS else "。"


def missing(name: str) -> str:
    """The sentence for a positional that is not there."""
    if "编号" in name:
        return f"缺少{name}；没加引号的 #12 会被 shell 当成注释，请写 12 或 '#12'。"
    return f"缺少{' ' if name[:1] == '-' else ''}{name}。"


def wants_json(args: Sequence[str]) -> bool:
    """Whether ``--json`` was asked for, also on a line that cannot be parsed."""
    words = list(args)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def repair_encoding(argument: str, encoding: str | None = None) -> str:
    """Undoes a decoding by a locale that is not UTF-8, when the bytes are UTF-8.

    Under ``LC_ALL=C`` without UTF-8 mode Python hands Chinese arguments on as lone surrogates.
    """
    encoding = encoding or sys.getfilesystemencoding()
    if os.name == "nt" or argument.isascii() or encoding.lower().replace("-", "") == "utf8":
        return argument
    try:
        return argument.encode(encoding, "surrogateescape").decode("utf-8")
    except UnicodeError:
        return argument


_MEANT: Mapping[str, str] = {
    "-k --limit": "-k -n --limit --top --top-k --count --num --max",
    "--kind": "-t --type --category",
    "--tag": "--tags --label --labels",
    "--scope": "-s --project --namespace --ns",
    "--db": "-d --database --file --path",
    "--why": "-m --reason --because --comment",
    "--since --as-of --at --valid-from": "--date --time --when --since --from",
    "--until --valid-to --at": "--until --expires --expire --to --before",
    "--budget": "--tokens --max-tokens",
    "--text": "--content --new",
    "--importance": "--priority --weight",
    "--pin": "--pinned",
    "--yes --force": "-y -f --yes",
    "--out": "-o --output",
    "--explain": "-v --verbose --debug",
    "--all": "-a --everything",
    "--repair": "--fix",
}
"""Our options, the likeliest first, to what may be typed for them."""


def suggest_option(name: str, known: Collection[str]) -> str | None:
    """The option of a verb that a name stands for; None where it is a guess.

    Args:
        known: the options the verb has.
    """
    low = name.lower()
    others = [ours for ours, typed in _MEANT.items() if low in typed.split()]
    options = [low, f"-{low}", *" ".join(others).split()]
    return next((option for option in options if option in known), None)
