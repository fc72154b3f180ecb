"""Runtime type checking of what callers hand to the engine, by its methods' annotations.

The annotations are the one place where types stand: a method that is written is checked.
"""

from __future__ import annotations

import builtins
import collections.abc
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, BinaryIO, TypeVar, Union, get_args, get_origin

from brain import memory as m
from brain.errors import EXIT_USAGE, BrainError

Checked = TypeVar("Checked", bound=type)

Kind = tuple[str, Callable[[object], bool]]
"""A type: its name in a sentence, and whether a value is one."""


def _a(*types: type, but: tuple[type, ...] = ()) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types) and not isinstance(value, but)


def _has(*names: str) -> Callable[[object], bool]:
    return lambda value: all(hasattr(value, name) for name in names)


MOST_BITS = 1000
"""Of an integer that is to count as a float, which holds fewer than 1024."""

NONE: Kind = ("None", _a(NoneType))
NUMBER: Kind = ("数", _a(int, float, but=(bool,)))
ANYTHING: Kind = ("任何值", lambda value: True)
"""Of an annotation that says nothing that could be checked."""

KINDS: Mapping[Any, Kind] = {
    NoneType: NONE,
    str: ("字符串", _a(str)),
    bytes: ("字节串", _a(bytes, bytearray, memoryview)),
    bool: ("True 或 False", _a(bool)),
    int: ("整数", _a(int, but=(bool,))),
    float: NUMBER,
    Path: ("路径", _a(PathLike)),
    BinaryIO: ("打开的二进制文件", _has("read")),
}
"""Types that a value is of in another way than by its class, or that have a Chinese name."""

ABOVE: Mapping[str, Kind] = {
    "Embedder": ("Embedder", _has("name", "dim", "embed_query", "embed_documents")),
    "Settings": ("Settings", _has("dimensions", "query_prefix", "document_prefix", "pooling")),
}
"""Types of rooms above this one, which methods import for the type checker alone: by name."""


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
        kinds = _kinds_in(annotation, m.Draft.__module__)
        _check(f"Draft 的 {name} ", kinds, getattr(draft, name))
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
            _check(f"{name} ", kinds_of(signature.parameters[name], method.__module__), value)
        return method(*args, **options)

    return call


# At the first call of each: a command line calls two or three of them.
@functools.cache
def _signature(method: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(method)


def kinds_of(parameter: inspect.Parameter, module: str) -> tuple[Kind, ...]:
    """What a method's parameter takes.

    Args:
        module: the name of the method's module, in which its annotation is read.
    """
    if parameter.annotation is inspect.Parameter.empty:
        return (ANYTHING,)
    return _kinds_in(parameter.annotation, module)


@functools.cache
def _kinds_in(annotation: Any, module: str) -> tuple[Kind, ...]:
    if isinstance(annotation, str):
        names = _Names({**vars(builtins), **vars(sys.modules[module])})
        annotation = eval(annotation, {}, names)
    return tuple(_members(annotation))


class _Unseen:
    """A class that its module imports for the type checker alone."""


class _Names(dict[str, Any]):
    """The names of a module, and of what it imports for the type checker alone."""

    def __missing__(self, name: str) -> type:
        return type(name, (_Unseen,), {})


def _members(hint: Any) -> Iterable[Kind]:
    """The kinds of a type; those of a union one by one, unless it has a name of its own."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kinds = tuple(_members(args[0]))
        yield args[1], lambda value: any(fits(value) for _, fits in kinds)
    elif origin in (Union, UnionType):
        for arg in args:
            yield from _members(arg)
    elif hint in KINDS:
        yield KINDS[hint]
    elif origin is collections.abc.Callable:
        yield "函数", callable
    elif origin is collections.abc.Iterable:
        yield f"{args[0].__name__} 的列表", _a(Iterable, but=(str, bytes))
    elif isinstance(hint, type) and hint.__name__ in ABOVE:
        yield ABOVE[hint.__name__]
    else:
        of = origin or hint
        seen = isinstance(of, type) and of is not Any and not issubclass(of, _Unseen)
        # A protocol cannot be asked for its instances; those there are stand in ABOVE.
        seen = seen and not getattr(of, "_is_protocol", False)
        yield (of.__name__, _a(of)) if seen else ANYTHING


def _check(what: str, kinds: tuple[Kind, ...], value: object) -> None:
    if NUMBER in kinds and isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise BrainError("brain_type_invalid", f"{what}的整数太大，不能当作数。", EXIT_USAGE)
    if not any(fits(value) for _, fits in kinds):
        raise _wrong(what, "、".join(name for name, _ in kinds if name != NONE[0]), value)


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
