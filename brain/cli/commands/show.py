"""Commands that show what is there: show, list, history, stats, scopes, brief, recover.

They open the file read-only.
"""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.commands.causal import link_line
from brain.cli.console import note, out, out_bytes, out_json, visible
from brain.cli.options import (
    AsOf,
    Budget,
    Db,
    Json,
    Kind,
    KnownAt,
    MemoryId,
    Reveal,
    Scope,
    Tags,
    day,
    whole_number,
)
from brain.cli.render import event_line, memory_line, memory_lines, size, warn
from brain.cli.verbs import about
from brain.engine import Brain
from brain.memory import STALE
from brain.text.timestamps import local_time


@about("看一条记忆的全部", "brain show 12", "brain show '#12' --json", "brain show 12 --reveal")
def show(memory: MemoryId, reveal: Reveal = False, db: Db = None, as_json: Json = False) -> int:
    """Prints one record whole."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.get(memory, reveal=reveal)
        corrected = brain.corrected([found])
    if as_json:
        out_json(found.to_dict())
    else:
        for line in memory_lines(found, corrected):
            out(line)
    return 0


@about(
    "列出记忆，新的在前",
    "brain list",
    "brain list --kind decision --limit 10",
    "brain list --all --all-scopes --json",
    "brain list --since 上周一 --tag 部署 --source chat",
    "brain list --limit 50 --after 1234",
    more="只列当前有效的，除非要求更多。--since 和 --until 看的是什么时候记下的。",
)
def list_(
    kind: Kind = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    archived: Annotated[bool, typer.Option("--archived", help="只列已归档的")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="连同失效的、被取代的、撤回的、归档的")
    ] = False,
    all_scopes: Annotated[bool, typer.Option("--all-scopes", help="不论范围")] = False,
    tag: Tags = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="时间", parser=day, help="这个时间起记下的，如 上周一"),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="时间", parser=day, help="这个时间之前记下的，不含它"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="来源", help="只列这个来源的，如 chat、user"),
    ] = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="只列核对过、已经失效的（verify 标的）")
    ] = False,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="编号", help="下一页：上一页最后一条的编号"),
    ] = None,
    limit: Annotated[
        int,
        typer.Option("--limit", metavar="整数", parser=whole_number, help="最多几条；默认 50"),
    ] = 50,
    reveal: Reveal = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints records, newest first."""
    where = scopes.resolve(scope)
    with Brain.open(db, read_only=True) as brain:
        found = brain.list(
            limit=limit,
            scope=where,
            kind=kind,
            as_of=as_of,
            known_at=known_at,
            archived=archived,
            all=everything,
            all_scopes=all_scopes,
            reveal=reveal,
            tags=tag or (),
            since=since,
            until=until,
            source=source,
            after=after,
            stale=stale,
        )
        corrected = brain.corrected(found)
        nothing = brain.came_to_nothing(found)
        remark = "" if all_scopes or scopes.is_auto(scope) else brain.scope_remark(where)
    if remark:
        note(visible(remark))
    if as_json:
        out_json([memory.to_dict() for memory in found])
        return 0
    for memory in found:
        out(memory_line(memory, corrected, nothing))
    if not found:
        note("没有记忆。")
    return 0


@about(
    "一条记忆的来历：谁取代了谁，何时，为什么",
    "brain history 7",
    "brain history 7 --json",
    more="给这条线上的哪个编号都行，旧的在前。",
)
def history(memory: MemoryId, db: Db = None, as_json: Json = False) -> int:
    """Prints the line a record belongs to and its events."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.history(memory)
        corrected = brain.corrected(found.history)
    if as_json:
        out_json(found.to_dict())
        return 0
    for one in found.history:
        out(memory_line(one, corrected))
    out("")
    for event in found.events:
        out(event_line(event))
    for link in found.links:
        out(link_line(link))
    return 0


@about("这个文件里有什么、用什么模型", "brain stats", "brain stats --json")
def stats(db: Db = None, as_json: Json = False) -> int:
    """Prints counts, the model, and what is degraded."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.stats()
        where = brain.path
    if found.model is not None:
        warn(found.degraded)
    if as_json:
        out_json(found.to_dict())
        return 0
    out(f"文件    {where}（{size(found.bytes)}，格式版本 {found.schema}）")
    out(
        f"记忆    共 {found.total} 条：当前 {found.current}，被取代 {found.superseded}，"
        f"到期 {found.expired}，撤回 {found.retracted}，未生效 {found.future}，"
        f"归档 {found.archived}"
    )
    if found.claimed + found.verified + found.stale:
        out(f"核对    没看过 {found.claimed}，成立 {found.verified}，失效 {found.stale}")
    out(f"类型    {_counts(found.by_kind)}")
    out(f"范围    {_counts({name or '全局': n for name, n in found.by_scope.items()})}")
    if found.model is None:
        out("模型    无，只按字面检索")
    else:
        out(f"模型    {found.model}（{found.dim} 维；语言 {' '.join(found.languages)}）")
        out(f"向量    已有 {found.vectors_present}，缺 {found.vectors_missing}")
    if found.last_decay is None:
        out("衰减    还没有运行过")
    else:
        out(f"衰减    上次 {local_time(found.last_decay)}")
    return 0


def _counts(counts: dict[str, int]) -> str:
    return "，".join(f"{visible(name)} {n}" for name, n in counts.items()) or "无"


@about("有哪些范围，各有多少记忆", "brain scopes", "brain scopes --json")
def scopes_(db: Db = None, as_json: Json = False) -> int:
    """Prints the scopes with their counts."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.scopes()
    if as_json:
        out_json({"scopes": [scope.to_dict() for scope in found]})
        return 0
    for scope in found:
        out(f"{visible(scope.scope) or '（全局）'}  当前 {scope.current}，共 {scope.total}")
    if not found:
        note("还没有记忆。")
    return 0


@about(
    "对话开始时给智能体的概要",
    "brain brief",
    "brain brief --scope auto --budget 300",
    "brain brief --if-changed f598acd30537ff30",
    more="钉住的记忆和偏好，按钉住、说下的先后；然后是技能、类型、范围的名字。\n"
    "没有变化就逐字节相同，新的总在后面。",
)
def brief(
    budget: Budget = None,
    scope: Scope = None,
    if_changed: Annotated[
        str | None,
        typer.Option(
            "--if-changed",
            metavar="指纹",
            help="上次的 fingerprint：整块和那时一样就什么也不输出，退出码 0",
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints the overview block."""
    where = scopes.resolve(scope)
    with Brain.open(db, read_only=True) as brain:
        found = brain.brief(budget, scope=where, if_changed=if_changed)
        remark = "" if scopes.is_auto(scope) else brain.scope_remark(where)
    if remark:
        note(visible(remark))
    if as_json:
        out_json(found.to_dict())
    elif found.block:
        out(found.block.removesuffix("\n"))
    return 0


@about(
    "按句柄取回全文",
    "brain recover ccr_0123456789abcdef0123456789abcdef",
    "brain recover '<<ccr:ccr_0123456789abcdef0123456789abcdef>>' > 全文.txt",
    "brain recover ccr_0123456789abcdef0123456789abcdef --query 退款失败的订单",
    "brain recover ccr_0123456789abcdef0123456789abcdef --lines 120-160",
    "brain recover ccr_0123456789abcdef0123456789abcdef --heading 验收标准",
    "brain recover 'ccr://ccr_0123456789abcdef0123456789abcdef#/items/3/name'",
    "brain recover 'ccr://ccr_0123456789abcdef0123456789abcdef#lines=10-20'",
    more="逐字节原样写到标准输出，末尾不加换行，口令、密钥也不隐去。",
)
def recover(
    handle: Annotated[str, typer.Argument(metavar="句柄", help="注入块里的 ccr_…")],
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="问题", help="只取和它有关的整条、整行、整段"),
    ] = None,
    lines: Annotated[
        str | None,
        typer.Option("--lines", metavar="起-止", help="只取这几行，从 1 数起，两头都算；如 12-30"),
    ] = None,
    heading: Annotated[
        str | None,
        typer.Option("--heading", metavar="标题", help="只取这个标题下的一节，到下一个同级标题"),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Writes the original bytes a handle stands for."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.recovered(handle, query, lines=lines, heading=heading)
    for one in found.observed:
        if one.state == STALE:
            source = f"（{visible(one.source)}）" if one.source else ""
            note(f"这份 {one.type}{source} 已过时：{visible(one.reason)}。")
    if as_json:
        out_json(found.to_dict())
    else:
        out_bytes(found.data)
    return 0
