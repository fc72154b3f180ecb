"""Setup command: writes brain into a host's configuration, or lists the hosts that are here."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Db, Json, Scope
from brain.cli.parse import usage
from brain.cli.verbs import about

if TYPE_CHECKING:
    from brain.results import HostSetup, HostState

LEVELS = ("user", "project")


@about(
    "把 brain 写进宿主的配置；不写宿主就列出这里有哪些、接上没有",
    "brain setup",
    "brain setup claude-code --dry-run",
    "brain setup cursor --level project --scope auto",
    "brain setup codex --remove",
    more="先给出差异；注释和别的条目原样留着，旁边留一份备份，再运行一次什么也不变。"
    "--db、--scope 就是写进配置的那两个选项。",
    served=True,
)
def setup(
    host: Annotated[
        str | None, typer.Argument(metavar="宿主", help="如 claude-code；不给就列出全部")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="只看差异，什么也不写")] = False,
    level: Annotated[
        str, typer.Option("--level", metavar="层", help="user（默认）或 project：当前文件夹的项目")
    ] = "user",
    remove: Annotated[bool, typer.Option("--remove", help="把 brain 从配置里去掉")] = False,
    scope: Scope = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Sets one host up, or lists them all."""
    from brain.hosts import setup as hosts
    from brain.hosts.wiring import program_here
    from brain.validate import check_label

    if level not in LEVELS:
        raise usage(f"选项 --level 的值「{visible(level[:40])}」应是 user 或 project。")
    home, project = Path.home(), Path.cwd()
    if host is None:
        if dry_run or remove:
            raise usage("要写明宿主，如 brain setup claude-code --dry-run。")
        found = hosts.states(home, project)
        if as_json:
            out_json({"hosts": [one.to_dict() for one in found]})
        else:
            for state in found:
                out(_state_line(state))
        return 0
    options: tuple[str, ...] = ()
    if db is not None:
        options += ("--db", os.path.abspath(os.path.expanduser(db)))
    if scope is not None:
        # Before it is written where nobody looks.
        options += ("--scope", check_label(scope, "范围", "brain_scope_invalid"))
    package = Path(hosts.__file__).parent.parent
    program = program_here(sys.argv[0], sys.executable, package)
    done = hosts.set_up(
        host,
        program,
        options,
        level=level,
        remove=remove,
        dry_run=dry_run,
        home=home,
        project=project,
    )
    if as_json:
        out_json(done.to_dict())
    else:
        _tell(done)
    return 0


def _state_line(state: HostState) -> str:
    if not state.found:
        return f"{state.host}  这里没有"
    told = ["MCP 已接" if state.mcp else "MCP 没接"]
    if state.hook is not None:
        told.append("钩子已接" if state.hook else "钩子没接")
    if state.answers is not None:
        told.append("答话正常" if state.answers else "启动了但不答话")
    if not state.readable:
        told.append("有配置读不懂")
    if not state.mcp and not state.hook:
        told.append(f"brain setup {state.host} 接上")
    return f"{state.host}  {'，'.join(told)}"


def _tell(done: HostSetup) -> None:
    changed = [one for one in done.files if one.changed]
    for one in changed:
        out("\n".join(visible(line) for line in one.diff.rstrip("\n").split("\n")))
    for one in changed:
        verb = "会写" if done.dry_run else "已写"
        kept = f"；原来的在 {visible(one.backup)}" if one.backup else ""
        note(f"{verb} {visible(one.path)}{kept}")
    if done.files and not changed:
        note("里面没有 brain，什么也不用改。" if done.removed else "已经接好，什么也不用改。")
    elif changed and not done.dry_run:
        note("重新启动宿主后生效。")
    if done.paste:
        out(done.paste)
