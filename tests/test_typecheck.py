"""Whatever is handed to a method of Brain, the answer is a result or a BrainError."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from brain import Brain, BrainError, Draft, typecheck
from tests.support.engine import Make

METHODS = {
    name: function
    for name, function in inspect.getmembers(Brain, callable)
    if not name.startswith("_") and name not in {"close", "warm"}
}
PARAMETERS = [
    (name, parameter.name)
    for name, function in METHODS.items()
    for parameter in inspect.signature(function).parameters.values()
    if parameter.name != "self"
]

WRONG: dict[str, Any] = {
    "an int": 5,
    "a float": 2.5,
    "a bool": True,
    "None": None,
    "a string": "四",
    "bytes": b"\xe5\x9b\x9b",
    "a list": ["四"],
    "a dict": {"text": "四"},
    "an object": object(),
    "a datetime": datetime(2026, 3, 1, tzinfo=UTC),
    "a path": Path("四"),
    "a class": Brain,
}
TEXTS = ["", " ", "\0", "\ud800", "一\ud800二", "x" * 300_000, "-1", "~no-such-user/x", "#12"]
EXTREME: dict[str, list[Any]] = {
    "字符串": TEXTS,
    "整数": [0, -1, 10**30, 10**5000],
    "数": [float("nan"), float("inf"), float("-inf"), -0.5, 10**400, 10**5000],
    "datetime": [
        datetime(2026, 3, 1),
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
    ],
    "字节串": [b"", b"\xff" * 9, bytearray(b"abc")],
    "Draft 的列表": [[5], ["四"], [None], [Draft("四"), 5], [Draft(5)], [Draft("四", kind=3)]],  # type: ignore[arg-type]
    "路径": [Path("a\0b"), Path("\udc80"), Path("x" * 5000), Path("/dev/null/x")],
}
EXTREME["时间（字符串或 datetime）"] = TEXTS + EXTREME["datetime"]


@pytest.fixture
def call(make: Make, tmp_path: Path) -> Callable[..., Any]:
    """Calls a method with what it must have, and with what is given instead."""
    brain = make()
    brain.add("值班群是青鸟群")
    brain.add("班车七点半发车")
    brain.record("合并前不看评审", outcome="主干编译不过")
    backup = tmp_path / "kept.db"
    brain.backup(backup)
    export = tmp_path / "kept.jsonl"
    export.write_text("".join(brain.export()), encoding="utf-8")
    plan = tmp_path / "plan.jsonl"
    proposed = brain.consolidate(out=plan)
    brain.apply_plan(plan)
    usual: dict[str, Any] = {
        "run": proposed.run,
        "text": "值班群换成青鸟二群",
        "query": "值班群是哪个",
        "memory_id": 1,
        "old": 1,
        "handle": "ccr_0123456789abcdef0123456789abcdef",
        "drafts": [Draft("食堂在一楼")],
        "model": "none",
        "line": "青鸟计划",
        "word": "青鸟计划",
        "value": 0.5,
        "data": "一段话",
        "result": brain.recall("值班群"),
        "records": [brain.get(1)],
        "scope": "web",
        "source": export,
        "decision": "跳过测试直接发布",
        "outcome": "线上白屏半小时",
        "action": "跳过测试",
        "a": "跳过测试直接发布",
        "b": "先跑测试再发布",
        "link": 1,
    }
    paths = {"backup": tmp_path / "new.db", "restore_backup": backup, "ingest": export}
    paths |= {"export_to": tmp_path / "out.jsonl", "apply_plan": plan}

    def _call(name: str, **instead: Any) -> Any:
        method = getattr(brain, name)
        needed = {
            p.name: paths[name] if p.name == "path" else usual[p.name]
            for p in inspect.signature(method).parameters.values()
            if p.default is inspect.Parameter.empty
        }
        if name == "supersede" and "new" not in instead:
            needed["text"] = usual["text"]
        done = method(**{**needed, **instead})
        if isinstance(done, Iterator):
            done = list(done)
        if isinstance(done, Brain):
            done.close()
        return done

    return _call


def answered(call: Callable[..., Any], name: str, parameter: str, value: Any) -> BrainError | None:
    """The refusal, if it is one; whatever else is raised fails."""
    try:
        call(name, **{parameter: value})
    except BrainError as refused:
        error = refused
    else:
        return None
    assert re.fullmatch("brain_[a-z0-9_]+", error.code)
    assert re.search("[\u4e00-\u9fff]", error.message), error.message
    return error


def kinds(name: str, parameter: str) -> tuple[typecheck.Kind, ...]:
    method = METHODS[name]
    return typecheck.kinds_of(inspect.signature(method).parameters[parameter], method.__module__)


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_every_parameter_of_every_public_method_is_checked(name: str, parameter: str) -> None:
    """An annotation the check cannot read lets everything pass: it gets a kind in typecheck."""
    assert inspect.signature(METHODS[name]).parameters[parameter].annotation is not (
        inspect.Parameter.empty
    )
    assert typecheck.ANYTHING not in kinds(name, parameter)


def test_every_field_of_a_draft_is_checked() -> None:
    for name, annotation in Draft.__annotations__.items():
        field = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
        assert typecheck.ANYTHING not in typecheck.kinds_of(field, Draft.__module__)


def test_an_annotation_nobody_has_thought_of_is_no_error_of_the_caller() -> None:
    @typecheck.checked
    class New:
        def take(self, one: Fraction | None, two: Unheard = None, three: Any = None) -> str:  # type: ignore[name-defined]  # noqa: F821
            return "taken"

    assert New().take(Fraction(1, 2), two=5, three="x") == "taken"
    with pytest.raises(BrainError, match="one 应是Fraction，收到 str。"):
        New().take("四")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda b: b.recall("四", as_of=5), "as_of 应是时间（字符串或 datetime），收到 int。"),
        (lambda b: b.check("四", threshold=[]), "threshold 应是数、字符串，收到 list。"),
        (lambda b: b.backup(5), "path 应是字符串、路径，收到 int。"),
        (lambda b: b.add_many(5), "drafts 应是Draft 的列表，收到 int。"),
        (lambda b: b.import_(5), "source 应是字符串、路径、打开的二进制文件，收到 int。"),
        (lambda b: b.reembed("none", progress=5), "progress 应是函数，收到 int。"),
        (lambda b: b.explained(5), "result 应是RecallResult，收到 int。"),
        (lambda b: Brain.open(b.path, model=5), "model 应是字符串、Embedder，收到 int。"),
        (lambda b: b.compress(5), "data 应是字节串、字符串，收到 int。"),
        (lambda b: b.set_confidence(1, 10**400), "value 的整数太大，不能当作数。"),
        (lambda b: b.add("四", pinned=1), "pinned 应是True 或 False，收到 int。"),
        (
            lambda b: b.add_many([Draft("四", valid_from=5)]),  # type: ignore[arg-type]
            "Draft 的 valid_from 应是字符串、datetime，收到 int。",
        ),
    ],
)
def test_the_sentence_says_what_is_taken(
    make: Make, act: Callable[[Any], object], told: str
) -> None:
    with pytest.raises(BrainError) as refused:
        act(make())
    assert refused.value.message == told


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_a_value_of_another_type_is_refused_by_code(
    call: Callable[..., Any], name: str, parameter: str
) -> None:
    """``brain_type_invalid``, exit 2, for each parameter there is: a new one is covered at once."""
    takes = [fits for _, fits in kinds(name, parameter)]
    tried = 0
    for value in WRONG.values():
        if any(fits(value) for fits in takes):
            continue
        error = answered(call, name, parameter, value)
        assert error is not None
        assert (error.code, error.exit_code) == ("brain_type_invalid", 2)
        assert parameter in error.message
        tried += 1
    assert tried >= 5


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_an_extreme_value_of_the_right_type_has_an_answer(
    call: Callable[..., Any], name: str, parameter: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BRAIN_MODEL", "none")
    monkeypatch.setenv("BRAIN_DB", str(tmp_path / "else.db"))
    for told, _ in kinds(name, parameter):
        for value in EXTREME.get(told, []):
            answered(call, name, parameter, value)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_an_argument_that_is_not_there_is_told_with_those_that_are(
    call: Callable[..., Any], name: str
) -> None:
    error = answered(call, name, "limits", 3)
    assert error is not None
    assert (error.code, error.exit_code) == ("brain_usage", 2)
    assert "limits" in error.message


def test_a_call_with_too_little_or_too_much_is_wrong_use(make: Make) -> None:
    brain: Any = make()
    for act in (brain.add, brain.recall, lambda: brain.get(1, 2, 3), lambda: brain.stats(1)):
        with pytest.raises(BrainError) as refused:
            act()
        assert (refused.value.code, refused.value.exit_code) == ("brain_usage", 2)


def test_what_is_refused_changes_nothing(make: Make) -> None:
    brain: Any = make()
    brain.add("值班群是青鸟群")
    before = list(brain.export())
    for act in (
        lambda: brain.add(5),
        lambda: brain.add_many([Draft("好的一条"), "不是 Draft"]),
        lambda: brain.add_many([Draft("好的一条"), Draft("坏的一条", importance="高")]),  # type: ignore[arg-type]
        lambda: brain.pin(True),
        lambda: brain.correct(1, b"bytes"),
        lambda: brain.set_confidence(1, float("nan")),
        lambda: brain.decay(daily=float("nan")),
    ):
        with pytest.raises(BrainError):
            act()
    assert list(brain.export()) == before


def test_drafts_may_come_one_by_one(make: Make) -> None:
    """A generator is read once, by the call itself."""
    brain = make()
    added = brain.add_many(Draft(f"第 {n} 条") for n in range(3))
    assert [one.id for one in added] == [1, 2, 3]


@pytest.mark.parametrize("wrong", [5, None, b"bytes", ["a"], 2.5])
def test_a_wrong_python_type_is_refused_by_code(make: Callable[..., Brain], wrong: object) -> None:
    brain = make()
    for call in (brain.add, brain.recall, brain.check, brain.inject, brain.search):
        with pytest.raises(BrainError) as refused:
            call(wrong)  # type: ignore[operator]
        assert refused.value.code == "brain_type_invalid"
