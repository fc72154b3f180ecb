"""Listening to functions of the engine while it runs: no benchmark repeats what the engine does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

Function = Callable[..., Any]


@contextmanager
def replaced(module: ModuleType, name: str, make: Callable[[Function], Function]) -> Iterator[None]:
    """Puts ``make(the function)`` in the place of a module's function."""
    real = getattr(module, name)
    setattr(module, name, make(real))
    try:
        yield
    finally:
        setattr(module, name, real)


@contextmanager
def results(*functions: tuple[ModuleType, str]) -> Iterator[list[list[Any]]]:
    """What each function returns, call by call; the lists may be cleared between runs."""
    heard: list[list[Any]] = [[] for _ in functions]

    def listener(kept: list[Any]) -> Callable[[Function], Function]:
        def make(real: Function) -> Function:
            def listening(*args: Any, **kwargs: Any) -> Any:
                out = real(*args, **kwargs)
                kept.append(out)
                return out

            return listening

        return make

    with ExitStack() as stack:
        for (module, name), kept in zip(functions, heard, strict=True):
            stack.enter_context(replaced(module, name, listener(kept)))
        yield heard
