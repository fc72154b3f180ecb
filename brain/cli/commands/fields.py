"""Commands that set one field of a record: pin, unpin, conf, importance, tag."""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli.console import note, out, out_json
from brain.cli.options import AllowSecrets, Db, Json, MemoryId, Why, number
from brain.cli.parse import usage
from brain.cli.render import memory_line, why_past
from brain.cli.verbs import about
from brain.engine import Brain
from brain.memory import Memory
from brain.text.timestamps import now_utc, to_iso


@about("钉住一条：不会被归档、到期、撤回或遗忘，除非加 --force", "brain pin 7")
def pin(memory: MemoryId, why: Why = "", db: Db = None, as_json: Json = False) -> int:
    """Pins a record."""
    with Brain.open(db) as brain:
        after = brain.pin(memory, why=why)
        corrected = brain.corrected([after])
    past = why_past(after, corrected, to_iso(now_utc()))
    if past:
        note(f"#{after.id} 已钉住，但它{past}，提问时不会用它；钉住只保证它不被归档或遗忘。")
    return _print(after, corrected, as_json)


@about("取消钉住", "brain unpin 7")
def unpin(memory: MemoryId, why: Why = "", db: Db = None, as_json: Json = False) -> int:
    """Unpins a record."""
    with Brain.open(db) as brain:
        after = brain.unpin(memory, why=why)
        corrected = brain.corrected([after])
    return _print(after, corrected, as_json)


@about("改一条记忆的重要度", "brain importance 7 0.9 --why 出过事故")
def importance(
    memory: MemoryId,
    value: Annotated[
        float, typer.Argument(metavar="重要度", parser=number, help="0 到 1 之间的数")
    ],
    why: Why = "",
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Sets a record's importance."""
    with Brain.open(db) as brain:
        after = brain.set_importance(memory, value, why=why)
        corrected = brain.corrected([after])
    _print(after, corrected, as_json)
    if not as_json:
        out(f"重要度现在是 {after.importance:g}")
    return 0


@about("改一条记忆的可信度", "brain conf 7 0.3 --why 用户说不确定")
def conf(
    memory: MemoryId,
    value: Annotated[
        float, typer.Argument(metavar="可信度", parser=number, help="0 到 1 之间的数")
    ],
    why: Why = "",
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Sets a record's confidence."""
    with Brain.open(db) as brain:
        after = brain.set_confidence(memory, value, why=why)
    if as_json:
        out_json(after.to_dict())
    else:
        out(memory_line(after))
        out(f"可信度现在是 {after.confidence:g}")
    return 0


@about(
    "给一条记忆加上或去掉标签",
    "brain tag 7 --add 部署 --add 值班",
    "brain tag 7 --remove 旧 --why 已经归档",
)
def tag(
    memory: MemoryId,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="标签", help="加上这个标签；几个标签给几次"),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="标签", help="去掉这个标签；几个标签给几次"),
    ] = None,
    why: Why = "",
    allow_secrets: AllowSecrets = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Files a record under more tags, or fewer."""
    if not add and not remove:
        raise usage("要加上或去掉的标签用 --add、--remove 给，如 brain tag 7 --add 部署。")
    with Brain.open(db) as brain:
        after = brain.tag(memory, add or (), remove or (), why=why, allow_secrets=allow_secrets)
        corrected = brain.corrected([after])
    return _print(after, corrected, as_json)


def _print(memory: Memory, corrected: frozenset[int], as_json: bool) -> int:
    if as_json:
        out_json(memory.to_dict())
    else:
        out(memory_line(memory, corrected))
    return 0
