"""Commands that change memories: supersede, correct, expire, retract, restore, forget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.console import note, out, out_json, visible
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
)
from brain.cli.parse import ID, missing, usage
from brain.cli.render import memory_line
from brain.cli.verbs import about
from brain.engine import Brain
from brain.errors import BrainError
from brain.memory import DEFAULT_SOURCE, Memory
from brain.text.timestamps import local_time
from brain.validate import parse_id

if TYPE_CHECKING:
    from brain.results import BulkForgetResult, BulkRetractResult, ForgetResult

SomeId = Annotated[str | None, typer.Argument(metavar=ID, help="如 12 或 '#12'")]
Matching = Annotated[
    bool, typer.Option("--matching", help="不给编号，处理符合条件的全部；不加 --yes 只列出来")
]
MatchSource = Annotated[
    str | None,
    typer.Option("--source", metavar="来源", help="条件：这个来源的，如 chat、chat:codex"),
]
MatchScope = Annotated[
    str | None,
    typer.Option("--scope", metavar="范围", help="条件：恰好在这个范围的；BRAIN_SCOPE 不算数"),
]
MatchQuery = Annotated[
    str | None,
    typer.Option("--query", metavar="词", help="条件：文本里有这些词，用空格隔开，个个都要有"),
]
Yes = Annotated[bool, typer.Option("--yes", help="真的做，不只是列出来")]


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
    "原来就记错了：用对的代替错的",
    "brain correct 5 --text 其实他爱喝茶",
    "brain correct 5 其实他爱喝茶 --why 本人说的",
    "brain correct 5 - < 对的说法.txt",
    more="错的从此不算数，对的接过它的有效期。事情后来变了，用 supersede。重复同一次不会出错。",
)
def correct(
    old: Annotated[str, typer.Argument(metavar="旧编号", help="记错的，如 5 或 '#5'")],
    words: Annotated[
        str | None, typer.Argument(metavar="文本", help="对的说法；- 表示从标准输入读")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="文本", help="对的说法；- 表示从标准输入读")
    ] = None,
    source: NewSource = DEFAULT_SOURCE,
    why: Why = "",
    allow_secrets: AllowSecrets = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Puts a right record in the place of a wrong one."""
    if words is not None and text is not None:
        raise usage("文本只能给一个。")
    content = text_or_stdin(text if words is None else words, stdin, "--text")
    with Brain.open(db) as brain:
        done = brain.correct(old, content, source=source, why=why, allow_secrets=allow_secrets)
    if as_json:
        out_json(done.to_dict())
    else:
        out(f"#{done.old} 已更正为 #{done.new}")
    return 0


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


@about(
    "撤回一条：不再相信它，还能恢复",
    "brain retract 7",
    "brain retract '#7' --why 听错了",
    "brain retract --matching --source chat:codex --query 优惠券",
    more="彻底抹掉用 forget；有对的说法用 correct。"
    "成批：--matching 加条件，先列出来，加 --yes 才做。",
)
def retract(
    memory: SomeId = None,
    matching: Matching = False,
    source: MatchSource = None,
    scope: MatchScope = None,
    query: MatchQuery = None,
    yes: Yes = False,
    why: Why = "",
    force: Force = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Stops believing a record, or all that match."""
    number = _one_or_many(memory, matching, source, scope, query, yes)
    with Brain.open(db) as brain:
        if number is None:
            done = brain.retract_matching(
                scope=_named_scope(scope), source=source, query=query, yes=yes, force=force, why=why
            )
            return _print_bulk(done, done.retracted, "撤回", as_json)
        after = brain.retract(number, why=why, force=force)
        corrected = brain.corrected([after])
    _print(after, corrected, as_json)
    if not as_json and after.retracted_at is not None:
        out(f"已撤回：从 {local_time(after.retracted_at)} 起不再相信；恢复用 restore {after.id}。")
    return 0


@about(
    "恢复撤回或归档的一条",
    "brain restore 7",
    more="只去掉撤回和归档，不动有效期；已被更正、而更正还算数的不能恢复。",
)
def restore(memory: MemoryId, why: Why = "", db: Db = None, as_json: Json = False) -> int:
    """Takes a record back."""
    with Brain.open(db) as brain:
        before = brain.get(memory)
        after = brain.restore(memory, why=why)
        corrected = brain.corrected([after])
    if before.retracted_at is None and before.archived_at is None:
        note(f"#{after.id} 没有撤回，也没有归档，没有什么要恢复的。")
    return _print(after, corrected, as_json)


@about(
    "彻底遗忘一条：文件里不再有它的内容",
    "brain forget 7",
    "brain forget '#7' --force --why 用户要求删除",
    "brain forget --matching --source chat --query '住院号 ZYH'",
    more="不能恢复；只是不再相信它用 retract。旧的备份里的，要另外删。"
    "成批：--matching 加条件，先列出来，加 --yes 才做；失效的、被取代的、归档的也算。",
)
def forget(
    memory: SomeId = None,
    matching: Matching = False,
    source: MatchSource = None,
    scope: MatchScope = None,
    query: MatchQuery = None,
    yes: Yes = False,
    why: Why = "",
    force: Force = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Erases a record for good, or all that match."""
    number = _one_or_many(memory, matching, source, scope, query, yes)
    with Brain.open(db) as brain:
        if number is None:
            many = brain.forget_matching(
                scope=_named_scope(scope), source=source, query=query, yes=yes, force=force, why=why
            )
            _print_bulk(many, many.forgotten, "遗忘", as_json)
            if not as_json:
                _tell_rest(many)
            return 0
        done = brain.forget(number, why=why, force=force)
    if as_json:
        out_json(done.to_dict())
        return 0
    out(f"#{done.id} 已遗忘")
    _tell_rest(done)
    return 0


def _tell_rest(done: ForgetResult | BulkForgetResult) -> None:
    """What went with what was erased, and where it still stands."""
    if done.versions:
        told = "、".join(f"#{each}" for each in done.versions)
        note(f"这段对话较早的 {len(done.versions)} 份也一同抹掉了：{told}")
    if done.words:
        note(f"只在它里面出现的自定词也删了：{visible('、'.join(done.words))}")
    if done.originals:
        note("下面存下的原文里还有它（和别的内容一起），要抹掉整份就运行：")
    for handle in done.originals:
        note(f"  brain originals forget {handle}")
    if done.copies:
        note("旁边的整份副本里还有它，不要了就删掉：")
    for copy in done.copies:
        note(f"  {visible(copy)}")


def _one_or_many(
    memory: str | None,
    matching: bool,
    source: str | None,
    scope: str | None,
    query: str | None,
    yes: bool,
) -> str | None:
    """The one id that was given, None for all that match. Raises ``brain_usage`` (2)."""
    if matching:
        if memory is not None:
            raise usage("编号和 --matching 只能给一个。")
        return None
    if memory is None:
        raise usage(missing(ID))
    if source is not None or query is not None or yes:
        raise usage("--source、--query、--yes 是成批处理的条件，要和 --matching 一起给。")
    return memory


def _named_scope(scope: str | None) -> str | None:
    """The scope that was written out; ``BRAIN_SCOPE`` never selects what is taken away."""
    return None if scope is None else scopes.resolve(scope)


def _print_bulk(
    done: BulkForgetResult | BulkRetractResult, was_done: bool, deed: str, as_json: bool
) -> int:
    if as_json:
        out_json(done.to_dict())
    else:
        for record in done.records:
            out(memory_line(record))
        if was_done:
            out(f"已{deed} {done.count} 条" + (f"：{_ids(done.ids)}" if done.ids else "。"))
        else:
            out(f"符合条件的有 {done.count} 条，还没有动；加 --yes 才{deed}。")
    if done.pinned:
        note(f"已钉住的 {len(done.pinned)} 条不动：{_ids(done.pinned)}；要连它们一起请加 --force。")
    return 0


def _ids(ids: Sequence[int]) -> str:
    return "、".join(f"#{number}" for number in ids)


def _print(memory: Memory, corrected: frozenset[int], as_json: bool) -> int:
    if as_json:
        out_json(memory.to_dict())
    else:
        out(memory_line(memory, corrected))
    return 0
