"""Decay and feedback commands: useful, wrong, decay make a memory stronger or weaker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from brain.cli.console import out, out_json, visible
from brain.cli.options import Db, Json, MemoryId, Why, number
from brain.cli.render import memory_line
from brain.cli.verbs import about
from brain.engine import Brain
from brain.errors import EXIT_USAGE, BrainError
from brain.lifecycle import strength
from brain.memory import Memory
from brain.results import DecayResult
from brain.text.timestamps import local_time

SOON_DAYS = 0.05
"""Below it a run's days print as 0.0, and no strength has lost a two-thousandth."""

USUAL = (strength.DAILY, strength.ARCHIVE_BELOW, strength.IDLE_DAYS, strength.KEEP_IMPORTANCE)
"""The rules of a run that names none."""

LISTED = 20
"""Archived records that are listed for a person; ``--json`` has all of them."""


@about(
    "这条有用：记得牢一些，也更可信一点",
    "brain useful 7",
    "brain useful '#7' --why 照着做成了",
    more="说多少次都有上限；只改这一条。",
)
def useful(memory: MemoryId, why: Why = "", db: Db = None, as_json: Json = False) -> int:
    """Strengthens a record."""
    with Brain.open(db) as brain:
        after = brain.useful(memory, why=why)
    _print(after, as_json)
    return 0


@about(
    "这条不对：记得弱一些，也不那么可信",
    "brain wrong 7",
    "brain wrong '#7' --why 端口早就换了",
    more="说多少次都不会让它消失；知道正确的说法时，请改用 correct（世界变了用 supersede）。",
)
def wrong(memory: MemoryId, why: Why = "", db: Db = None, as_json: Json = False) -> int:
    """Weakens a record."""
    with Brain.open(db) as brain:
        after = brain.wrong(memory, why=why)
    _print(after, as_json)
    return 0


def _print(after: Memory, as_json: bool) -> None:
    if as_json:
        out_json(after.to_dict())
    else:
        out(memory_line(after))
        out(f"强度 {after.strength:.3f} · 可信 {after.confidence:.3f}")


@about(
    "久不用的记忆变弱，又弱又闲置的归档；从不删除",
    "brain decay",
    "brain decay --dry-run",
    "brain decay --daily 0.98 --idle-days 180",
    "brain decay --undo",
    more="按离上次运行的天数算：一天跑两次无妨，漏一个月会补上。每天用 cron 跑一次即可。",
)
def decay(
    daily: Annotated[
        float,
        typer.Option("--daily", metavar="0~1", parser=number, help="过一天剩几成；默认 0.99"),
    ] = strength.DAILY,
    archive_below: Annotated[
        float,
        typer.Option(
            "--archive-below", metavar="0~1", parser=number, help="强度低于它才归档；默认 0.1"
        ),
    ] = strength.ARCHIVE_BELOW,
    idle_days: Annotated[
        float,
        typer.Option("--idle-days", metavar="天数", parser=number, help="闲置满多少天；默认 90"),
    ] = strength.IDLE_DAYS,
    keep_importance: Annotated[
        float,
        typer.Option(
            "--keep-importance",
            metavar="0~1",
            parser=number,
            help="重要度到了它就不归档；默认 0.7",
        ),
    ] = strength.KEEP_IMPORTANCE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="只说会做什么，什么也不改")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="离上次超过 366 天也照做；先看看时钟对不对")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="撤销最近一次衰减，它跨了 31 天以上才行")
    ] = False,
    why: Why = "",
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Lets strengths fade."""
    if undo:
        rules = (daily, archive_below, idle_days, keep_importance)
        if dry_run or force or rules != USUAL:
            raise BrainError("brain_usage", "--undo 只能和 --why 一起用。", EXIT_USAGE)
        with Brain.open(db) as brain:
            undone = brain.undo_decay(why=why)
        if as_json:
            out_json(undone.to_dict())
        else:
            out(
                f"撤销了 {local_time(undone.at)} 的衰减（跨 {undone.days:.0f} 天）："
                f"{undone.strengthened} 条的强度变回来，{len(undone.restored)} 条从归档里取回。"
            )
        return 0
    with Brain.open(db, read_only=dry_run) as brain:
        done = brain.decay(
            daily=daily,
            archive_below=archive_below,
            idle_days=idle_days,
            keep_importance=keep_importance,
            dry_run=dry_run,
            force=force,
            why=why,
        )
    if as_json:
        out_json(done.to_dict())
    else:
        for line in _report(done):
            out(line)
    return 0


def _report(done: DecayResult) -> Iterator[str]:
    if done.since is not None and done.at <= done.since:
        yield (
            f"上次衰减是 {local_time(done.since)}，不早于现在，这次什么也没做；"
            "若那个时刻不对，请检查系统时钟；那次减弱的可以用 decay --undo 变回来。"
        )
        return
    if done.dry_run:
        yield "只是试算，没有改动。"
    if done.since is not None and done.days < SOON_DAYS and not (done.used or done.archived):
        yield f"上次衰减是 {local_time(done.since)}，才过去不久，还没有要减弱的。"
        return
    since = "最早的记忆" if done.since is None else "上次衰减"
    would = "会" if done.dry_run else ""
    yield (
        f"离{since} {done.days:.1f} 天：{would}减弱 {done.decayed} 条，"
        f"{would}因用过而加强 {done.used} 条，{would}归档 {len(done.archived)} 条。"
    )
    for one in done.records[:LISTED]:
        head = visible(one.head.strip().partition("\n")[0])
        yield f"  #{one.id}  强度 {one.strength:.2f}，闲置 {one.idle_days:.0f} 天  {head}"
    if len(done.records) > LISTED:
        yield f"  另有 {len(done.records) - LISTED} 条，用 --json 看全部。"
    if done.archived and not done.dry_run:
        yield "归档的没有删除：list --archived 看得到，restore 取得回。"
