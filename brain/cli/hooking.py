"""The verb hook: between a host's hook and the memory. A fault of ours blocks nobody's turn."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.command import about
from brain.cli.console import note, out
from brain.cli.options import Budget, Db, Json, Scope
from brain.cli.reaching import ask
from brain.serve import hooks

if TYPE_CHECKING:
    from brain.cli.reaching import Memory

MAX_BYTES = 16 * 1024 * 1024


@about(
    "给宿主的钩子用：读它的 JSON，给它要的上下文",
    "brain hook claude-code",
    "brain hook cursor --scope auto --budget 300",
    more="一轮开始之前得到 inject 的那一段，会话开始时得到 brief；"
    "没有可说的、输入不对、记忆出错时都安静地以 0 退出，绝不拦住人的话。",
    served=True,
)
def hook(
    host: Annotated[str, typer.Argument(metavar="宿主", help="、".join(hooks.HOSTS))],
    budget: Budget = None,
    scope: Scope = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints what a host's hook is to print."""
    hooks.check_host(host)
    told = ""
    try:
        event = hooks.read(host, sys.stdin.buffer.read(MAX_BYTES)) if sys.stdin else None
        if event is not None:
            told = hooks.answer(host, event, _block(event, db, scope, budget))
    except Exception as error:  # whatever it is: the person's turn goes on
        if os.environ.get("BRAIN_DEBUG") == "1":
            note(f"{type(error).__name__}: {error}")
        return 0
    if told:
        out(told)
    return 0


def _block(event: hooks.Event, db: str | None, scope: str | None, budget: int | None) -> str:
    where = _scope(scope, event.folder)

    def use(brain: Memory) -> str:
        if event.name == hooks.START:
            return brain.brief(budget, scope=where).block
        return brain.inject(event.prompt, budget=budget, scope=where).block

    return ask(db, use, read_only=False, quiet=True)


def _scope(given: str | None, folder: str) -> str:
    """As :func:`brain.cli.scope.resolve`, with the folder the host works in."""
    scope = os.environ.get("BRAIN_SCOPE", "") if given is None else given
    if scope == scopes.AUTO and folder:
        return scopes.of_repository(Path(folder))
    return scopes.resolve(scope)
