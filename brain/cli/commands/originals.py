"""Recovery store commands: originals list, originals forget."""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Db, Json
from brain.cli.verbs import about
from brain.engine import Brain

STATES = {"stale": "已过时", "archived": "后来又看过"}
"""What is said of an original that is no longer as it was seen."""


@about(
    "列出 compress 存下的原文",
    "brain originals list",
    "brain originals list --json",
    "brain originals list --type file-observation --state stale",
    more="从旧到新；看内容用 recover 句柄。",
)
def originals_list(
    session: Annotated[
        str | None, typer.Option("--session", metavar="会话", help="只列这个会话看到的")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--type", metavar="类型", help="只列这一种，如 test-result")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            "--state",
            metavar="状态",
            help="current 还是那样、stale 已过时（verify 看出的）、archived 后来又看过",
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints the kept originals without their bytes."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.originals(session=session, type=kind, state=state)
    if as_json:
        out_json([entry.to_dict() for entry in found])
        return 0
    for entry in found:
        kind = visible(entry.type)
        line = f"{entry.handle}  {entry.stored_at}  {kind}  {entry.bytes:,} 字节"
        marks = [entry.source, entry.session, STATES.get(entry.state, "")]
        out("  ".join([line, *(visible(mark) for mark in marks if mark)]))
    if not found:
        note("没有存下的原文。")
    return 0


@about(
    "彻底抹掉一份存下的原文",
    "brain originals forget ccr_0123456789abcdef0123456789abcdef",
    more="不能恢复。没有这份原文时退出码 1。",
)
def originals_forget(
    handle: Annotated[str, typer.Argument(metavar="句柄", help="ccr_ 开头的句柄")],
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Erases a kept original for good."""
    with Brain.open(db) as brain:
        done = brain.forget_original(handle)
    if as_json:
        out_json(done.to_dict())
    else:
        out(f"{done.handle} 的原文已抹掉")
    return 0
