"""The verb that takes in what other programs have: ingest."""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.command import about
from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Db, Json, Scope
from brain.cli.progress import staged
from brain.cli.reaching import tell_made
from brain.cli.render import local_day
from brain.cli.run import EXIT_INTERRUPTED
from brain.engine import Brain
from brain.errors import BrainError
from brain.results import IngestResult

STAGES = {"read": "读入", "embed": "做向量"}
SHOWN_ERRORS = 10


@about(
    "读入别的程序的记忆和对话",
    "brain ingest ~/.hermes",
    "brain ingest ~/.claude/projects --scope auto",
    "brain ingest CLAUDE.md --dry-run",
    "brain ingest 导出/conversations.json --format deepseek",
    more="再运行一次只收新的；中断了再运行会接着做。格式见 docs/formats.md。",
)
def ingest(
    path: Annotated[str, typer.Argument(metavar="路径", help="文件或文件夹")],
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="格式", help="不给时看内容认；见 docs/formats.md"),
    ] = None,
    scope: Scope = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="只看会收进什么，不写")] = False,
    all_sessions: Annotated[
        bool, typer.Option("--all-sessions", help="Hermes 里工具和定时任务的会话也收")
    ] = False,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="只存文本，向量以后再做（再 ingest 或 reembed）")
    ] = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Takes in a file or folder."""
    try:
        with Brain.open(db) as brain, staged(STAGES) as report:
            done = brain.ingest(
                path,
                format_,
                scope=scopes.resolve(scope),
                every_session=all_sessions,
                dry_run=dry_run,
                embed=not no_embed,
                progress=report,
            )
            tell_made(brain)
    except KeyboardInterrupt:
        raise BrainError(
            "brain_interrupted",
            "已中断；已经收进的都在，再运行一次会接着做。",
            EXIT_INTERRUPTED,
        ) from None
    if as_json:
        out_json(done.to_dict())
        return 0
    _tell(done)
    return 0


def _tell(done: IngestResult) -> None:
    for seen in done.preview:
        first, _, rest = seen.text.strip().partition("\n")
        day = local_day(seen.valid_from) or "时间不明"
        out(f"{seen.kind}  {day}  {visible(first[:80])}{' …' if rest or first[80:] else ''}")
    counts = [(done.superseded, "更新"), (done.expired, "到期"), (done.retracted, "撤回")]
    told = "".join(f"，{what} {n}" for n, what in counts if n)
    verb = "会新增" if done.dry_run else "新增"
    if done.nothing_new:
        out(f"{done.format}：上次读入之后没有变化，那时共有 {done.held} 条")
    else:
        same = f"，没有变化的文件 {done.unchanged} 个" if done.unchanged else ""
        out(f"{done.format}：{verb} {done.added}{told}，已有 {done.skipped}{same}")
    for error in done.errors[:SHOWN_ERRORS]:
        where = f"{visible(error.file)}:{error.line}" if error.line else visible(error.file)
        note(f"{where}  {visible(error.reason)}")
    if done.failed:
        more = "" if done.failed <= SHOWN_ERRORS else f"，上面是前 {SHOWN_ERRORS} 处"
        note(f"有 {done.failed} 处读不了，跳过了{more}。")
    if done.pending:
        note(f"还有 {done.pending} 段没有向量；再运行一次 ingest 或 reembed 会接着做。")
