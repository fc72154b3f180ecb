"""Command verify: looks at what memories claim about a project's files; runs nothing there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Db, Json, Root
from brain.cli.parse import ID
from brain.cli.verbs import about
from brain.engine import Brain
from brain.errors import EXIT_NO
from brain.memory import FAILED, UNKNOWN, VERIFIED

if TYPE_CHECKING:
    from brain.results import ClaimResult, PlannedFix

RESULTS = {VERIFIED: "已核对", FAILED: "已失效", UNKNOWN: "不知道"}


@about(
    "核对记忆里说的文件、词句、符号、版本、分支还在不在",
    "brain verify 12 --root ~/code/web",
    "brain verify --all",
    "brain verify --all --fix",
    "brain verify --all --fix --yes",
    more="只看文件，什么都不执行。成立的记下时刻，不成立的标成失效、可信度降一档。"
    "--fix 给出改法，加上 --yes 才写。有一条不成立时退出码 1。",
)
def verify(
    memories: Annotated[
        list[str] | None,
        typer.Argument(metavar=ID, help="如 12 或 '#12'，可以给几个；原文给句柄"),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="所有当前有效、有核对的记忆")] = False,
    root: Root = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="移了位置、换了版本的，给出怎样改；只看不写")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="和 --fix 一起：照着写")] = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints what looking at claims gave; exit 1 when one failed."""
    with Brain.open(db) as brain:
        found = brain.verify(memories or (), all=everything, root=root, fix=fix, yes=yes)
    if as_json:
        out_json(found.to_dict())
    else:
        for one in found.claims:
            out(_claim_line(one))
        for kept in found.originals:
            told = kept.reason or kept.found_at or ""
            source = visible(kept.source or kept.session)
            out(f"{kept.handle}  {RESULTS[kept.result]}  {kept.type} {source}  {visible(told)}")
        for planned in found.plan:
            for line in _plan_lines(planned):
                out(line)
        note(f"成立 {found.verified}，失效 {found.failed}，不知道 {found.unknown}。")
        if found.plan and not yes:
            note("只看没写；照着写用 --fix --yes。")
    outdated = any(kept.result == FAILED for kept in found.originals)
    return EXIT_NO if found.failed or outdated else 0


def _claim_line(one: ClaimResult) -> str:
    told = one.reason or one.found_at or ""
    return f"#{one.id}  {RESULTS[one.result]}  {one.kind} {visible(one.claim)}  {visible(told)}"


def _plan_lines(planned: PlannedFix) -> list[str]:
    if planned.act == "check":
        checks = "；".join(f"{one.kind} {one.claim}" for one in planned.checks)
        lines = [f"#{planned.id}  改核对：{visible(checks)}"]
    else:
        head = f"#{planned.id}  取代为"
        lines = [f"{head} #{planned.new}" if planned.new is not None else head]
        lines += [f"    - {line}" for line in visible(planned.before).split("\n")]
        lines += [f"    + {line}" for line in visible(planned.after).split("\n")]
    return [*lines, f"    原因：{visible(planned.reason)}"]
