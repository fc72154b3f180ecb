"""Commands that make a memory file and keep it sound: init, doctor, backup, optimize, …."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli.console import note, out, out_json, visible
from brain.cli.options import (
    Db,
    Dimensions,
    DocumentPrefix,
    Json,
    Pooling,
    QueryPrefix,
    model_settings,
)
from brain.cli.progress import progress
from brain.cli.render import size
from brain.cli.verbs import about
from brain.engine import Brain
from brain.errors import BrainError
from brain.results import DoctorResult, InitResult

if TYPE_CHECKING:
    from brain.embed.protocol import Settings


@about(
    "新建记忆文件并选定向量模型；已有的文件不动",
    "brain init",
    "brain init --model bge-small-zh --db work.db",
    "brain init --model none",
    more="点名要 bge-small-zh 而机器上没有时，会先下载它；openai:名字 会去问 BRAIN_EMBED_URL；"
    "除此之外不联网。",
)
def init(
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="名字",
            help="bge-small-zh、e5-small、openai:名字、onnx:文件夹 或 none；"
            "不给时用 BRAIN_MODEL，再不然选机器上最好的",
        ),
    ] = None,
    dimensions: Dimensions = None,
    query_prefix: QueryPrefix = None,
    document_prefix: DocumentPrefix = None,
    pooling: Pooling = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Makes the file, or says what an existing one is."""
    settings = model_settings(
        dimensions=dimensions,
        query_prefix=query_prefix,
        document_prefix=document_prefix,
        pooling=pooling,
    )
    made = _create(db, model, settings)
    if as_json:
        out_json(made.to_dict())
    else:
        model_told = f"{made.model}，{made.dim} 维" if made.model else "无，只按字面检索"
        state = "已新建" if made.created else "已存在，没有改动"
        out(f"{state}：{made.db}（向量模型 {model_told}）")
    if made.hint:
        note(made.hint)
    return 0


def _create(db: str | None, model: str | None, settings: Settings | None) -> InitResult:
    try:
        return Brain.create(db, model=model, settings=settings)
    except BrainError as error:
        # Naming a model is the consent to fetch it; a default never is.
        if model is None or error.code != "brain_model_missing":
            raise
        from brain.cli.commands.models import fetch_with_progress
        from brain.embed.protocol import BGE_SMALL_ZH

        if model != BGE_SMALL_ZH.name:
            raise
        fetch_with_progress(model, None)
        return Brain.create(db, model=model)


_MARKS = {"ok": "好", "warn": "注意", "error": "坏"}


@about(
    "检查记忆文件和它需要的一切；--repair 修复",
    "brain doctor",
    "brain doctor --repair",
    "brain doctor --repair --yes --json",
    more="索引和向量由记忆重做，不用问；要改记忆本身的（取代关系、校验和）先问，或用 --yes 同意。\n"
    "文件坏了不在原处修：还读得到的救进旁边的新文件。",
)
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="修复能修的")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="同意修改不能由记忆重做的部分")] = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Examines, and with consent mends."""
    with Brain.open(db, checked=False) as brain, progress("重做向量") as report:
        found = brain.doctor(repair=repair, consent=yes, progress=report)
        if repair and not yes and not as_json and found.needing_consent and _agrees(found):
            found = brain.doctor(repair=True, consent=True, progress=report)
    if as_json:
        out_json(found.to_dict())
    else:
        _tell(found, repair)
    return found.exit_code


def _agrees(found: DoctorResult) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    for finding in found.needing_consent:
        note(f"{finding.code}  {visible(finding.message)}")
    note("要修这些得改记忆本身，改吗？[y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes", "是"}


def _tell(found: DoctorResult, repair: bool) -> None:
    for finding in found.findings:
        out(f"{_MARKS[finding.severity]}  {finding.code}  {visible(finding.message)}")
    if found.repaired:
        out(f"已修复：{'、'.join(found.repaired)}")
    if found.salvaged is not None:
        saved = f"还读得到的 {found.salvaged_records} 条已救进新文件"
        out(f"原文件没有动；{saved}：{found.salvaged}")
        out(f"看过之后用 brain restore-backup {found.salvaged} 换上它。")
    elif found.salvaged_records == 0:
        out("文件里已经没有读得到的记忆；原文件没有动，请用 brain restore-backup 换上备份。")
    if repair and found.needing_consent:
        note(f"要改记忆本身才能修的没有动：{'、'.join(found.needs_yes)}；同意请加 --yes")
    elif not repair and any(f.fixable and f.severity != "ok" for f in found.findings):
        note("能修的请运行 brain doctor --repair")
    out(f"结论：{_verdict(found)}")


def _verdict(found: DoctorResult) -> str:
    bad = sum(f.severity == "error" for f in found.findings)
    odd = sum(f.severity == "warn" for f in found.findings)
    if bad:
        return f"有 {bad} 处坏了" + (f"，{odd} 处要注意" if odd else "") + "。"
    return f"没有坏的，{odd} 处要注意。" if odd else "一切正常。"


Where = Annotated[str, typer.Argument(metavar="路径", help="备份文件")]


@about(
    "把整个记忆文件备份成一个文件，别的程序正在写也行",
    "brain backup ~/备份/brain.db",
    "brain backup ~/备份/brain.db --force",
    more="备份是某一时刻的全部，写完核对过才出现在那里。",
)
def backup(
    path: Where,
    force: Annotated[bool, typer.Option("--force", help="覆盖已有的备份")] = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Writes a checked copy."""
    with Brain.open(db, read_only=True) as brain:
        done = brain.backup(path, force=force)
    if as_json:
        out_json(done.to_dict())
    else:
        out(f"已备份 {done.records} 条记忆（{size(done.bytes)}），核对无误：{done.path}")
    return 0


@about(
    "用备份换下现在的记忆文件，原来的留在旁边",
    "brain restore-backup ~/备份/brain.db",
    more="先核对备份；有别的程序开着记忆文件时不换。",
)
def restore_backup(path: Where, db: Db = None, as_json: Json = False) -> int:
    """Puts a backup in the file's place."""
    with Brain.open(db, checked=False) as brain:
        done = brain.restore_backup(path)
    if as_json:
        out_json(done.to_dict())
        return 0
    out(f"已换上备份，{done.records} 条记忆：{done.db}")
    if done.kept is not None:
        out(f"原来的文件在：{done.kept}")
    return 0


@about(
    "整理索引、合并日志，让检索快一些",
    "brain optimize",
    more="一次存进很多条之后用；分小步做，别的程序照常读写。",
)
def optimize(db: Db = None, as_json: Json = False) -> int:
    """Merges index segments and the log, and re-centres vector codes."""
    with Brain.open(db) as brain:
        done = brain.optimize()
    if as_json:
        out_json(done.to_dict())
        return 0
    out(f"已整理：{size(done.bytes_before)} → {size(done.bytes_after)}")
    out(f"全文索引：{done.segments_before} 段 → {done.segments_after} 段")
    if done.recoded:
        out(f"向量的短码：按现在的中心重取了 {done.recoded} 条")
    if not done.merged:
        note("有别的程序在读，日志没有全部合并；下次会合并。")
    return 0
