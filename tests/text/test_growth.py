"""Complexity: four times the text is about four times the work, whatever the text says.

Work is counted, not timed: the lines of Python that run and the C functions they call.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import brain.text
import brain.text.dates
import brain.text.secrets
from brain.compress import document
from brain.errors import BrainError
from brain.recall import explain, query
from brain.text import similarity
from brain.text.polarity import sign

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)

REPEATED = (
    *("ﷺ", "部署", "五号", "元旦三天", "四川", "Dec ", "ERR\n", "2024年", "3月", "周三", "三点"),
    *("密码是", "key=", "a.", "a@", "-----BEGIN ", "eyJa.", "“引”", "。", "13800138000 ", "一"),
    *("昨天", "春节", "第三", "三分之", "{", "[", "<", '"', "\n", " ", "e\u0301", "\u202e", "1-"),
    *("http://a.b/", "x=y&", "# a\n", "|a", "sk-", "2024-01-01 10:00:00 ERROR x\n", "\\", "9"),
)
SIZE = 300
LONG = frozenset({"document", "brain.text.sentences.passages"})
LONG_SIZE = 1_000
"""Characters of the smaller text; of those that let a short one through untouched, more."""

FACTOR = 4
MOST = 6.0
"""What four times the text may cost: linear is four, n log n a little more."""

FREE = 100
"""Steps a character that do not count: a short text may go through untouched, a longer not."""

_FILES = {"words", "lines", "groups", "opencc_dictionary"}
_NO_TEXT = {"compiled", "parse_time", "is_known_zone", "local_zone"}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function of text rooms that takes a text and nothing else that is needed."""
    for room in (brain.text, brain.text.dates, brain.text.secrets):
        for info in pkgutil.iter_modules(room.__path__):
            module = importlib.import_module(f"{room.__name__}.{info.name}")
            for name, of in vars(module).items():
                own = getattr(of, "__module__", "") == module.__name__
                if name[0] == "_" or not own or not callable(of) or inspect.isclass(of):
                    continue
                needed = [
                    p
                    for p in inspect.signature(of).parameters.values()
                    if p.default is p.empty and p.kind is not p.VAR_POSITIONAL
                ]
                if [p.annotation for p in needed] == ["str"] and name not in _FILES | _NO_TEXT:
                    yield f"{module.__name__}.{name}", of
    module = importlib.import_module("brain.text.dates.intervals")
    yield "intervals", lambda text: module.find_intervals(text, NOW)
    yield "compare", lambda text: similarity.compare(text, text[::-1])
    yield "question", lambda text: query.read(text, NOW)
    yield "document", lambda text: document.document(text.encode("utf-8", "replace"), ())
    yield "shared", _shared
    yield "sign", sign


def _shared(text: str) -> object:
    asked = query.read(text, NOW)[0]
    return explain.shared(asked.folded, asked.content, asked.content, "x " + text, asked.variants)


FUNCTIONS = dict(functions())


def steps(act: Callable[[], object]) -> int:
    """Lines of Python that run, and calls of C functions."""
    count = 0

    def line(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += 1
        return line

    def call(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event == "c_call"

    before = sys.gettrace()
    sys.settrace(line)
    sys.setprofile(call)
    try:
        run(act)
    finally:
        sys.setprofile(None)
        sys.settrace(before)
    return count


def run(act: Callable[[], object]) -> None:
    """Runs to the end, or to an error of our own."""
    with suppress(BrainError):
        found = act()
        if inspect.isgenerator(found):
            list(found)


def test_the_functions_are_found() -> None:
    assert len(FUNCTIONS) > 30


@pytest.mark.parametrize("name", FUNCTIONS)
def test_four_times_the_text_is_four_times_the_work(name: str) -> None:
    of = FUNCTIONS[name]
    size = LONG_SIZE if name in LONG else SIZE
    for piece in REPEATED:
        whole = piece * (size * FACTOR)
        small, large = whole[:size], whole[: size * FACTOR]
        steps(lambda text=small: of(text))  # what is kept from now on
        few = steps(lambda text=small + "。": of(text))
        many = steps(lambda text=large + "。": of(text))
        assert many <= MOST * few + FREE * len(large), (piece, few, many)


PIECES = st.sampled_from([*REPEATED, "年", "是", "不", "：", "=", "0", "a", "Z", "\0", "\ud800"])


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(pieces=st.lists(PIECES | st.text(max_size=4), min_size=1, max_size=6), seed=st.integers())
def test_no_text_is_too_much_for_it(name: str, pieces: list[str], seed: int) -> None:
    """Every function takes any text, and none takes more than so many steps a character."""
    rnd = random.Random(seed)
    text = "".join(rnd.choices(pieces, k=200))[:1200]
    of = FUNCTIONS[name]
    taken = 0
    try:
        run(lambda: of(text + "。"))  # what is kept from now on: lists, compiled patterns
        taken = steps(lambda: of(text))
    except UnicodeEncodeError:  # of a lone surrogate, which no verb lets through
        assert any("\ud800" <= c <= "\udfff" for c in text)
    assert taken <= 900 * len(text) + 60_000, taken
