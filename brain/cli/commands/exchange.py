"""Commands by which memories leave and come in: export, import, ingest."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.console import note, out, out_json, visible
from brain.cli.options import AsOf, Db, Json, Scope, Tags, Why
from brain.cli.parse import STDIN, usage
from brain.cli.program import EXIT_INTERRUPTED
from brain.cli.progress import staged
from brain.cli.render import local_day
from brain.cli.target import report_created
from brain.cli.verbs import about
from brain.engine import Brain
from brain.errors import EXIT_DATA, EXIT_IO, BrainError
from brain.exchange import import_markdown
from brain.results import Change, ExportResult, Fault, ImportResult, IngestResult
from brain.typecheck import path_of

SHOWN = 20
"""Faults and changes that are listed for a person; ``--json`` has all of them."""

SHOWN_ERRORS = 10
"""As :data:`SHOWN`, of what ``ingest`` passed over."""

MANY_PASSAGES = 100
"""Vectors that take long enough to say that they are being made: seconds on a small machine."""

HEAD = 60
"""Characters of a text that a plan shows."""

_STAGES = {"read": "读入", "embed": "做向量"}

_DONE = {
    "add": "新增",
    "correct": "更正",
    "supersede": "取代",
    "retract": "撤回",
    "missing": "缺了",
}


@about(
    "把记忆导出来：JSONL 完整，Markdown 好读",
    "brain export > 备份.jsonl",
    "brain export --out 备份.jsonl --with-recovery",
    "brain export --format markdown --out 记忆/ --force",
    "brain export | brain import - --db 新的.db",
    more="JSONL 是每一条的每个字段，不论状态，还有经过和自己的词；import 进新文件，编号都不变。\n"
    "Markdown 是当前有效的，每类一个文件，可以放进 git、改好再 import。",
)
def export(
    format_: Annotated[
        str, typer.Option("--format", metavar="格式", help="jsonl 或 markdown；默认 jsonl")
    ] = "jsonl",
    target: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="路径", help="写到文件（markdown 是文件夹）；不给时是标准输出"
        ),
    ] = None,
    scope: Scope = None,
    all_scopes: Annotated[
        bool, typer.Option("--all-scopes", help="不论范围，设了 BRAIN_SCOPE 也是全部")
    ] = False,
    tag: Tags = None,
    as_of: AsOf = None,
    with_recovery: Annotated[
        bool, typer.Option("--with-recovery", help="连同 compress 存下的原文（base64）")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="覆盖先前导出的")] = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Writes the memories to stdout, a file or a folder."""
    if as_json and target is None:
        raise usage("标准输出就是导出的数据；要 JSON 回执，请用 --out 写到文件。")
    chosen = _scope(scope, all_scopes)
    with Brain.open(db, read_only=True) as brain:
        if chosen is not None and (remark := brain.scope_remark(chosen)):
            note(visible(remark))
        if target is None:
            faults: list[Fault] = []
            for line in brain.export(
                format=format_,
                scope=chosen,
                tags=tag or (),
                as_of=as_of,
                with_recovery=with_recovery,
                passed=faults.append,
            ):
                line = line.removesuffix("\n")
                # Into a file or a pipe byte for byte; a terminal would obey what a memory says.
                out(visible(line) if sys.stdout.isatty() else line)
            _tell_left_out(faults)
            return EXIT_IO if faults else 0
        done = brain.export_to(
            target,
            format=format_,
            scope=chosen,
            tags=tag or (),
            as_of=as_of,
            with_recovery=with_recovery,
            force=force,
        )
    if as_json:
        out_json(done.to_dict())
    else:
        _tell_export(done)
    return EXIT_IO if done.errors else 0


def _scope(given: str | None, all_scopes: bool) -> str | None:
    """None for all: an export is whole unless a scope was named, here or in ``BRAIN_SCOPE``."""
    if all_scopes:
        if given is not None:
            raise usage("--scope 和 --all-scopes 只能给一个。")
        return None
    if given is None:
        if not os.environ.get("BRAIN_SCOPE"):
            return None
        note("只导出 BRAIN_SCOPE 这个范围；要全部请加 --all-scopes。")
    return scopes.resolve(given)


def _tell_export(done: ExportResult) -> None:
    files = f"，{len(done.files)} 个文件" if done.format == "markdown" else ""
    out(f"已导出 {done.added} 条{files}：{visible(done.out)}")
    _tell_left_out(done.errors)


def _tell_left_out(faults: Sequence[Fault]) -> None:
    for fault in faults[:SHOWN]:
        note(fault.reason)
    if len(faults) > SHOWN:
        note(f"没有导出的一共 {len(faults)} 处")


@about(
    "导入 export 导出的：JSONL 原样收进，Markdown 按手改的办",
    "brain import 备份.jsonl",
    "brain import 记忆/ --dry-run",
    "brain import 记忆/ --as supersede --why 季度评审",
    "brain export | brain import - --db 新的.db",
    more="同一份再导入一次什么也不会多。别的程序的数据用 ingest。",
)
def import_(
    path: Annotated[
        str,
        typer.Argument(
            metavar="路径", help="JSONL 文件，或 Markdown 文件夹；- 表示从标准输入读 JSONL"
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="只说会做什么，什么也不改")] = False,
    meaning: Annotated[
        str,
        typer.Option(
            "--as", metavar="办法", help="Markdown 里改了正文算什么：correct（默认）或 supersede"
        ),
    ] = "correct",
    retract_missing: Annotated[
        bool, typer.Option("--retract-missing", help="Markdown 里删掉的，撤回；不给时只报告")
    ] = False,
    why: Why = "",
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Takes an export in."""
    if meaning not in {"correct", "supersede"}:
        raise usage("--as 是 correct 或 supersede。")
    if path == STDIN and sys.stdin is None:
        raise usage("没有标准输入可读。")
    source = sys.stdin.buffer if path == STDIN else path
    with Brain.open(db, read_only=dry_run) as brain, staged(_STAGES) as report:
        take = partial(
            brain.import_,
            supersede=meaning == "supersede",
            retract_missing=retract_missing,
            why=why,
        )
        if not (dry_run or as_json or path == STDIN) and import_markdown.is_markdown(path_of(path)):
            for line in _plan(take(path, dry_run=True).changes):
                out(line)
        done = take(source, dry_run=dry_run, progress=report)
        report_created(brain)
    if as_json:
        out_json(done.to_dict())
    else:
        if dry_run:
            for line in _plan(done.changes):
                out(line)
        _tell_import(done)
    if not done.failed:
        return 0
    would = "会" if done.dry_run else ""
    note(f"错误[brain_import_line]: {would}有 {done.failed} 处没有导入，其余的照常。")
    return EXIT_DATA


def _plan(changes: tuple[Change, ...]) -> Iterator[str]:
    for change in changes:
        where = f"{visible(change.file)}:{change.line}"
        number = "" if change.id is None else f" #{change.id}"
        yield f"{_DONE[change.what]}{number}（{where}）"
        if change.before:
            yield f"  - {_head(change.before)}"
        if change.after:
            yield f"  + {_head(change.after)}"


def _head(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    return f"{visible(first[:HEAD])}{' …' if rest or first[HEAD:] else ''}"


def _tell_import(done: ImportResult) -> None:
    counts = (
        (done.corrected, "更正"),
        (done.superseded, "取代"),
        (done.retracted, "撤回"),
        (done.words, "自己的词"),
        (done.originals, "恢复记录"),
    )
    told = "".join(f"，{what} {n}" for n, what in counts if n)
    would = "会" if done.dry_run else ""
    out(f"{would}新增 {done.added}{told}，不用改 {done.skipped}")
    if done.pending:
        note(f"还有 {done.pending} 段没有向量，reembed 会补上。")
    if done.missing:
        note(f"有 {done.missing} 条在 Markdown 里删掉了，没有动；要撤回请加 --retract-missing。")
    for fault in done.errors[:SHOWN]:
        where = f"{visible(fault.file)}:{fault.line}" if fault.file else f"第 {fault.line} 行"
        note(f"{where}  {visible(fault.reason)}")
    if done.failed > SHOWN:
        note(f"上面是前 {SHOWN} 处，用 --json 看全部。")


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
    told = False

    def watched(stage: str, done: int, total: int) -> None:
        nonlocal told
        if stage == "embed" and total >= MANY_PASSAGES and not told:
            told = True
            note(
                f"文本都收好了，现在就能按字面找到；还有 {total} 段向量要做，可以中断，下次接着做。"
            )
        report(stage, done, total)

    try:
        with Brain.open(db) as brain, staged(_STAGES) as report:
            done = brain.ingest(
                path,
                format_,
                scope=scopes.resolve(scope),
                every_session=all_sessions,
                dry_run=dry_run,
                embed=not no_embed,
                progress=watched,
            )
            report_created(brain)
    except KeyboardInterrupt:
        raise BrainError(
            "brain_interrupted",
            "已中断；已经收进的都在，再运行一次会接着做。",
            EXIT_INTERRUPTED,
        ) from None
    if as_json:
        out_json(done.to_dict())
        return 0
    _tell_ingest(done)
    return 0


def _tell_ingest(done: IngestResult) -> None:
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
