"""Query commands: recall, search, check, inject.

They change no memory and open read-only; ``inject`` alone may note uses beside the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli import options
from brain.cli import scope as scopes
from brain.cli.console import note, out, out_json, visible
from brain.cli.inputs import context_or_stdin, text_or_stdin
from brain.cli.options import (
    AsOf,
    Budget,
    Context,
    Db,
    Explain,
    IncludeExpired,
    Json,
    K,
    Kind,
    KnownAt,
    Question,
    Root,
    Scope,
    Stdin,
    Tags,
    WithBrief,
)
from brain.cli.render import gate_lines, hit_lines, warn
from brain.cli.target import ask
from brain.cli.verbs import about
from brain.errors import EXIT_NO

if TYPE_CHECKING:
    from brain.cli.target import Memory
    from brain.memory import RecallResult


@about(
    "找出和问题最有关的记忆",
    "brain recall 数据库选型",
    "brain recall '-h 选项是什么' -k 3 --explain",
    "brain recall 值班群 --as-of 2026-01-01 --json",
    "git log -1 --format=%B | brain recall --stdin",
    more="不经过闸门：有多少相关的就给多少，由你判断。一条也没有时标准输出为空，退出码 0。",
    served=True,
)
def recall(
    question: Question = None,
    k: K = 5,
    kind: Kind = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include_expired: IncludeExpired = False,
    context: Context = None,
    tag: Tags = None,
    explain: Explain = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints the k best memories for a question."""
    context = context_or_stdin(context, question, stdin)
    query = text_or_stdin(question, stdin, "问题")
    where = scopes.resolve(scope)

    nothing: dict[int, str] = {}

    def use(brain: Memory) -> RecallResult:
        found = brain.recall(
            query,
            k,
            scope=where,
            kind=kind,
            as_of=as_of,
            known_at=known_at,
            include_expired=include_expired,
            context=context,
            **options.given(tags=tag),
        )
        nothing.update(brain.came_to_nothing([hit.memory for hit in found.hits]))
        return brain.explained(found) if explain else found

    found = ask(db, use, explain=explain)
    _print_found(found, explain, as_json, nothing)
    if found.hits and found.gate is not None and not found.gate.answerable:
        note(
            f"闸门认为这些答不了这个问题（概率 {found.gate.probability:.2f}），"
            "inject 什么也不会给；为什么，用 check 看。"
        )
    _tell_remarks(found.remarks, scope, nothing=not found.hits)
    return 0


@about(
    "只按字面找记忆（查一个词为什么找得到或找不到）",
    "brain search 蓝绿发布",
    "brain search C++ -k 20 --explain",
)
def search(
    question: Question = None,
    k: K = 10,
    kind: Kind = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include_expired: IncludeExpired = False,
    tag: Tags = None,
    explain: Explain = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints what the lexical lane alone finds."""
    from brain.engine import Brain

    query = text_or_stdin(question, stdin, "问题")
    where = scopes.resolve(scope)
    with Brain.open(db, read_only=True) as brain:
        found = brain.search(
            query,
            k,
            scope=where,
            kind=kind,
            as_of=as_of,
            known_at=known_at,
            include_expired=include_expired,
            tags=tag or (),
        )
        if explain:
            found = brain.explained(found)
    _print_found(found, explain, as_json)
    _tell_remarks(found.remarks, scope, nothing=not found.hits)
    return 0


def _tell_remarks(remarks: Sequence[str], scope: str | None, *, nothing: bool) -> None:
    """Says what to know about what was asked.

    Args:
        scope: as it was given: the name of a repository is nobody's typing, and worth a word only
            when nothing was found.
    """
    if nothing or not scopes.is_auto(scope):
        for told in remarks:
            note(visible(told))


def _print_found(
    found: RecallResult, explain: bool, as_json: bool, nothing: Mapping[int, str] | None = None
) -> None:
    warn(found.degraded)
    if as_json:
        out_json(found.to_dict(explain))
        return
    for hit in found.hits:
        for line in hit_lines(hit, explain, nothing):
            out(line)
    if found.skills:
        out("技能：")
        for hit in found.skills:
            for line in hit_lines(hit, explain):
                out(line)
    if explain:
        for told in found.notes:
            note(visible(told))
    if not found.hits and not found.skills:
        note("没有找到相关的记忆。")


@about(
    "判断这份记忆能不能回答一个问题",
    "brain check 用户住在哪个城市",
    "brain check 端口是多少 --json && echo 可以问",
    more="退出码 0 表示能，1 表示不能。",
    served=True,
)
def check(
    question: Question = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            "--threshold",
            metavar="0~1",
            help="概率到多少算能，或 quiet、balanced、eager；不给时看 BRAIN_GATE",
        ),
    ] = None,
    context: Context = None,
    tag: Tags = None,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints the gate's answer; exit 0 is yes, 1 is no."""
    context = context_or_stdin(context, question, stdin)
    query = text_or_stdin(question, stdin, "问题")
    where = scopes.resolve(scope)
    gate = ask(
        db,
        lambda brain: brain.check(
            query,
            scope=where,
            as_of=as_of,
            known_at=known_at,
            threshold=threshold,
            context=context,
            **options.given(tags=tag),
        ),
    )
    warn(gate.degraded)
    if as_json:
        out_json(gate.to_dict())
    else:
        for line in gate_lines(gate):
            out(line)
    _tell_remarks(gate.remarks, scope, nothing=not gate.answerable)
    return 0 if gate.answerable else EXIT_NO


@about(
    "给智能体的提示词一段记忆；答不了就什么都不输出",
    "brain inject 数据库为什么选 PostgreSQL",
    "brain inject 它怎么配 --context 刚才在说流水线",
    "brain inject 值班群是哪个 --budget 200 --scope auto",
    "brain inject 值班群是哪个 --with-brief",
    "brain inject 入口文件是哪个 --root . --stale drop",
    more="标准输出只有这一段，或者什么都没有；两种情况退出码都是 0。",
    served=True,
)
def inject(
    question: Question = None,
    budget: Budget = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    context: Context = None,
    tag: Tags = None,
    with_brief: WithBrief = False,
    root: Root = None,
    stale: Annotated[
        str | None,
        typer.Option(
            "--stale",
            metavar="show|drop",
            help="和 --root 一起：看过、不成立的放在最后并注明（show，默认），还是不放（drop）",
        ),
    ] = None,
    explain: Explain = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints the block for a prompt, or nothing."""
    context = context_or_stdin(context, question, stdin)
    query = text_or_stdin(question, stdin, "问题")
    where = scopes.resolve(scope)
    found = ask(
        db,
        lambda brain: brain.inject(
            query,
            budget=budget,
            scope=where,
            as_of=as_of,
            known_at=known_at,
            context=context,
            **options.given(
                tags=tag, with_brief=with_brief, root=options.whole_path(root), stale=stale
            ),
        ),
        explain=explain,
        read_only=False,  # the use is noted
    )
    warn(found.degraded)
    _tell_remarks(found.remarks, scope, nothing=False)
    if as_json:
        out_json(found.to_dict(explain))
        return 0
    if explain:
        from brain.recall import explain as explanation
    if found.block:
        out(found.block.removesuffix("\n"))
    if explain:
        for told in explanation.asked_times(query):
            note(visible(told))
        note(
            f"概率 {found.probability:.2f}；找到 {found.found} 条，用了 {len(found.hits)} 条，"
            f"约 {found.tokens} 个词元（估计值，含首尾两行）。"
        )
        for hit in found.hits:
            for line in hit_lines(hit, explain=True):
                note(line)
        for hit in found.hits:
            if hit.recovery_handle:
                note(f"#{hit.id} 截短了，全文：{hit.recovery_handle}")
        for left in found.left_out:
            note(f"#{left.id} 没有放进去：{left.reason}")
    return 0
