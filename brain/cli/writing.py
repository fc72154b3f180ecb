"""The verbs that change the file: init, supersede, expire, conf."""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli.arguments import usage
from brain.cli.command import about
from brain.cli.console import note, out, out_json
from brain.cli.inputs import text_or_stdin
from brain.cli.options import (
    AllowSecrets,
    At,
    Db,
    Force,
    Json,
    MemoryId,
    NewSource,
    Stdin,
    Why,
    number,
)
from brain.cli.render import memory_line
from brain.engine import Brain
from brain.errors import BrainError
from brain.memory import DEFAULT_SOURCE, parse_id
from brain.results import InitResult


@about(
    "新建记忆文件并选定向量模型；已有的文件不动",
    "brain init",
    "brain init --model bge-small-zh --db work.db",
    "brain init --model none",
    more="点名要 bge-small-zh 而机器上没有时，会先下载它；除此之外不联网。",
)
def init(
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="名字",
            help="bge-small-zh、e5-small 或 none；不给时用 BRAIN_MODEL，再不然选机器上最好的",
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Makes the file, or says what an existing one is."""
    made = _create(db, model)
    if as_json:
        out_json(made.to_dict())
    else:
        model_told = f"{made.model}，{made.dim} 维" if made.model else "无，只按字面检索"
        state = "已新建" if made.created else "已存在，没有改动"
        out(f"{state}：{made.db}（向量模型 {model_told}）")
    if made.hint:
        note(made.hint)
    return 0


def _create(db: str | None, model: str | None) -> InitResult:
    try:
        return Brain.create(db, model=model)
    except BrainError as error:
        # Naming a model is the consent to fetch it; a default never is.
        if model is None or error.code != "brain_model_missing":
            raise
        from brain.cli.models import fetch_with_progress
        from brain.embed.models import BGE_SMALL_ZH

        if model != BGE_SMALL_ZH.name:
            raise
        fetch_with_progress(model, None)
        return Brain.create(db, model=model)


@about(
    "世界变了：用新的取代旧的",
    "brain supersede 5 --text 值班群换成青鸟群",
    "brain supersede 5 9 --at 2026-03-01",
    "brain supersede 5 - --why 客户来信 < 新说法.txt",
    more="旧的留在历史里，--as-of 可以问到。原来就记错了，用 correct。重复同一次取代不会出错。",
)
def supersede(
    old: Annotated[str, typer.Argument(metavar="旧编号", help="被取代的，如 5 或 '#5'")],
    new: Annotated[
        str | None,
        typer.Argument(metavar="新编号", help="已经记下的新说法；- 表示从标准输入读新文本"),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="文本", help="新说法本身；- 表示从标准输入读")
    ] = None,
    at: At = None,
    source: NewSource = DEFAULT_SOURCE,
    why: Why = "",
    allow_secrets: AllowSecrets = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Lets one record take over from another."""
    if new == "-":
        new, stdin = None, True
    if new is not None and (text is not None or stdin):
        raise usage("新编号和新文本只能给一个。")
    if new is not None:
        _require_id(new)
    content = None if new is not None else text_or_stdin(text, stdin, "新编号或 --text")
    with Brain.open(db) as brain:
        done = brain.supersede(
            old, new, text=content, at=at, source=source, why=why, allow_secrets=allow_secrets
        )
    if as_json:
        out_json(done.to_dict())
    else:
        out(f"#{done.old} 已被 #{done.new} 取代")
    return 0


def _require_id(new: str) -> None:
    """Points to ``--text`` where the new words themselves stand for their number."""
    try:
        parse_id(new)
    except BrainError as error:
        told = f"{error.message}新说法本身请写在 --text 后面。"
        raise BrainError(error.code, told, error.exit_code) from None


@about(
    "让一条记忆到期",
    "brain expire 7",
    "brain expire '#7' --at 2027-01-01 --why 合同到期",
    more="不删除：到期之前的问题（--as-of）仍然找得到它。",
)
def expire(
    memory: MemoryId,
    at: At = None,
    why: Why = "",
    force: Force = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Ends a record's valid time."""
    with Brain.open(db) as brain:
        after = brain.expire(memory, at=at, why=why, force=force)
    if as_json:
        out_json(after.to_dict())
    else:
        out(memory_line(after))
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
