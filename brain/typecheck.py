"""What callers hand to the engine, held against what its methods say they take.

The annotations are the one place where types stand: a method that is written is checked.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from brain import memory as m
from brain.errors import EXIT_USAGE, BrainError

Checked = TypeVar("Checked", bound=type)


def _a(*types: type, but: tuple[type, ...] = ()) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types) and not isinstance(value, but)


def _has(*names: str) -> Callable[[object], bool]:
    return lambda value: all(hasattr(value, name) for name in names)


MOST_BITS = 1000
"""Of an integer that is to count as a float, which holds fewer than 1024."""

KINDS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "None": ("None", _a(type(None))),
    "str": ("字符串", _a(str)),
    "bytes": ("字节串", _a(bytes, bytearray, memoryview)),
    "bool": ("True 或 False", _a(bool)),
    "int": ("整数", _a(int, but=(bool,))),
    "float": ("数", _a(int, float, but=(bool,))),
    "datetime": ("datetime", _a(datetime)),
    "When": ("时间（字符串或 datetime）", _a(str, datetime, type(None))),
    "Path": ("路径", _a(PathLike)),
    "BinaryIO": ("打开的二进制文件", _has("read")),
    "Progress": ("函数", callable),
    "StagedProgress": ("函数", callable),
    "Embedder": ("Embedder", _has("name", "dim", "embed_query", "embed_documents")),
    "Iterable[Draft]": ("Draft 的列表", _a(Iterable, but=(str, bytes))),
    "Iterable[Memory]": ("Memory 的列表", _a(Iterable, but=(str, bytes))),
    "RecallResult": ("RecallResult", _a(m.RecallResult)),
}
"""A type as an annotation writes it, to its name in a sentence and whether a value is one."""


def checked(owner: Checked) -> Checked:
    """Makes every public method of a class refuse arguments that are not what it takes.

    The methods then raise, beside what they say themselves, ``brain_type_invalid`` (2) for a value
    of another type and ``brain_usage`` (2) for a missing or unknown argument.
    """
    for name in dir(owner):
        if name.startswith("_"):
            continue
        held = inspect.getattr_static(owner, name)
        if inspect.isfunction(held):
            setattr(owner, name, _guarded(held))
        elif isinstance(held, classmethod):
            setattr(owner, name, classmethod(_guarded(held.__func__)))
    return owner


def path_of(given: str | PathLike[str]) -> Path:
    """A path as somebody wrote it, ``~`` replaced; a home that nobody has stays a name."""
    path = Path(given)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def check_draft(draft: object) -> m.Draft:
    """Accepts a draft whose fields have their types. Raises ``brain_type_invalid`` (2)."""
    if not isinstance(draft, m.Draft):
        raise _wrong("drafts 里的每一项", "Draft", draft)
    for name, annotation in m.Draft.__annotations__.items():
        _check(f"Draft 的 {name} ", annotation, getattr(draft, name))
    return draft


def check_memory(memory: object) -> m.Memory:
    """Accepts a record. Raises ``brain_type_invalid`` (2)."""
    if not isinstance(memory, m.Memory):
        raise _wrong("records 里的每一项", "Memory", memory)
    return memory


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **options: Any) -> Any:
        signature = _signature(method)
        try:
            given = signature.bind(*args, **options).arguments
        except TypeError:
            raise _wrong_call(method.__name__, signature, options) from None
        for name, value in given.items():
            annotation = signature.parameters[name].annotation
            if annotation is not inspect.Parameter.empty:
                _check(f"{name} ", annotation, value)
        return method(*args, **options)

    return call


# At the first call of each: a command line calls two or three of them.
@functools.cache
def _signature(method: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(method)


@functools.cache
def kinds(annotation: str) -> tuple[str, ...]:
    """The types of an annotation, without the names of the modules they come from."""
    return tuple(re.sub(r"\w+\.", "", annotation).split(" | "))


def _check(what: str, annotation: str, value: object) -> None:
    if "float" in kinds(annotation) and isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise BrainError("brain_type_invalid", f"{what}的整数太大，不能当作数。", EXIT_USAGE)
    allowed = [KINDS[kind] for kind in kinds(annotation)]
    if not any(fits(value) for _, fits in allowed):
        told = "、".join(name for name, _ in allowed if name != "None")
        raise _wrong(what, told, value)


def _wrong(what: str, wanted: str, value: object) -> BrainError:
    told = f"{what}应是{wanted}，收到 {type(value).__name__}。"
    return BrainError("brain_type_invalid", told, EXIT_USAGE)


def _wrong_call(
    name: str, signature: inspect.Signature, options: Mapping[str, object]
) -> BrainError:
    takes = [p for p in signature.parameters if p not in ("self", "cls")]
    unknown = [option for option in options if option not in takes]
    told = f"没有参数 {'、'.join(unknown)}" if unknown else "参数多了、少了或重复了"
    return BrainError("brain_usage", f"{name} {told}；它有：{'、'.join(takes)}。", EXIT_USAGE)
