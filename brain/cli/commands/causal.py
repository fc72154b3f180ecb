"""Commands on decisions and outcomes: record, before, why, compare, links, unlink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.console import note, out, out_json, visible
from brain.cli.inputs import outcome_or_stdin, text_or_stdin
from brain.cli.options import AllowSecrets, AsOf, Db, Json, K, KnownAt, Scope, Stdin, Why, day
from brain.cli.parse import usage
from brain.cli.render import local_day, warn
from brain.cli.target import ask, report_created
from brain.cli.verbs import about
from brain.memory import DEFAULT_SOURCE, RELATIONS, Reason

if TYPE_CHECKING:
    from brain.cli.target import Memory
    from brain.results import Link, RecordResult

Circumstances = Annotated[
    str | None,
    typer.Option("--context", metavar="情境", help="在什么情境下，如 大促前、凌晨低峰"),
]

SIGNS = {"good": "好", "bad": "不好", "mixed": "有好有坏", "neutral": "说不上好坏"}
RELATED = {"caused": "→", "enabled": "→", "prevented": "⊣ 没有发生：", "no_effect": "→ 没有影响："}

VERDICTS = {
    "danger": "危险：以前这样做，结果不好。",
    "warning": "小心：以前这样做，好坏都见过，或者误伤过好事。",
    "safe": "以前这样做，结果好。",
    "unclear": "说不准：以前做过，看不出好坏。",
    "no_precedent": "没有前例：记忆里没有这件事或差不多的事。",
}
NO_PROMISE = "这不是说它安全，只是没有记录；请自己判断。"

LONGEST = 40
"""Characters of a decision or an outcome on a line for people."""


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST else line[:LONGEST].rstrip() + "…"


def reason_line(reason: Reason) -> str:
    """One reason on one line: link, day, context, decision, outcome, sign."""
    where = f"〔{_short(reason.context)}〕" if reason.context else ""
    often = f" ×{reason.times}" if reason.times > 1 else ""
    return (
        f"L{reason.link}  {local_day(reason.observed_at)}{where}  {_short(reason.decision.text)}"
        f" {RELATED[reason.relation]} {_short(reason.outcome.text)}"
        f"（{SIGNS[reason.sign]}{often}）"
    )


@about(
    "记下一次决策和它的结果",
    "brain record 没跑测试就直接发布 --outcome 结算页白屏，半夜回滚",
    "brain record 给缓存过期时间加随机抖动 --outcome 缓存同时失效 --relation prevented",
    "brain record 考前通宵 --outcome 考了88分 --context 期末 --at 2026-01-12 --good",
    more="决策和结果各存成一条记忆，连成一次观察。prevented：结果写没有发生的那件事。"
    "同一次观察再记一遍，得到原来的编号。",
    served=True,
)
def record(
    outcome: Annotated[
        str, typer.Option("--outcome", metavar="结果", help="有了什么结果；- 表示从标准输入读")
    ],
    decision: Annotated[
        str | None, typer.Argument(metavar="决策", help="做了什么；- 表示从标准输入读")
    ] = None,
    relation: Annotated[
        str,
        typer.Option("--relation", metavar="关系", help="、".join(RELATIONS) + "；默认 caused"),
    ] = RELATIONS[0],
    context: Circumstances = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="时间", parser=day, help="何时看到的结果；不给时是现在"),
    ] = None,
    good: Annotated[bool, typer.Option("--good", help="结果算好，不由文字判断")] = False,
    bad: Annotated[bool, typer.Option("--bad", help="结果算坏，不由文字判断")] = False,
    scope: Scope = None,
    source: Annotated[
        str, typer.Option("--source", metavar="来源", help="user、model、chat 等；默认 user")
    ] = DEFAULT_SOURCE,
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="依据", help="出处，如文件名或链接")
    ] = "",
    why: Why = "",
    allow_secrets: AllowSecrets = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Stores what a decision led to."""
    if good and bad:
        raise usage("--good 和 --bad 只能给一个。")
    came = outcome_or_stdin(outcome, decision, stdin)
    text = text_or_stdin(decision, stdin, "决策")
    where = scopes.resolve(scope)

    def use(brain: Memory) -> tuple[RecordResult, tuple[str, ...]]:
        done = brain.record(
            text,
            came,
            relation=relation,
            context=context or "",
            at=at,
            good=True if good else False if bad else None,
            scope=where,
            source=source,
            evidence=evidence,
            why=why,
            allow_secrets=allow_secrets,
        )
        report_created(brain)
        return done, brain.degraded()

    done, degraded = ask(db, use, writes=True)
    warn(degraded)
    if as_json:
        out_json(done.to_dict())
    else:
        told = "已记下" if done.created else "已有同一次观察"
        out(f"L{done.link}  #{done.decision} → #{done.outcome} {told}")
    for similar in done.similar:
        note(f"和 #{similar.id} 很像（{similar.score:.2f}）。")
    return 0


@about(
    "做之前看前例：这件事或差不多的事，以前结果怎样",
    "brain before 没跑测试就发布",
    "brain before 'git push --force origin main' --json",
    "brain before 在主库加字段 --context 凌晨低峰",
    more="danger、warning、safe、unclear、no_precedent；退出码总是 0。没有前例不等于安全。",
    served=True,
)
def before(
    action: Annotated[
        str | None, typer.Argument(metavar="动作", help="准备做的事或命令；- 表示从标准输入读")
    ] = None,
    context: Circumstances = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints what an action led to."""
    text = text_or_stdin(action, stdin, "动作")
    where = scopes.resolve(scope)
    found = ask(
        db,
        lambda brain: brain.before(
            text, context=context, scope=where, as_of=as_of, known_at=known_at
        ),
    )
    warn(found.degraded)
    if as_json:
        out_json(found.to_dict())
        return 0
    out(VERDICTS[found.verdict])
    if not found.reasons:
        out(NO_PROMISE)
        return 0
    out(reason_line(found.reasons[0]))
    if found.alternative is not None:
        out(f"防住过它的做法：{reason_line(found.alternative)}")
    elif len(found.reasons) > 1:
        out(reason_line(found.reasons[1]))
    return 0


@about(
    "追问一个结果：由什么引起，什么防住过它",
    "brain why 下单接口超时",
    "brain why 磁盘写满 -k 3 --json",
    more="往回最多三步，近的在前；防住过它的另列。没有记录时标准输出为空，退出码 0。",
    served=True,
)
def why(
    outcome: Annotated[
        str | None, typer.Argument(metavar="结果", help="要追问的结果；- 表示从标准输入读")
    ] = None,
    k: K = 5,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints what an outcome came from."""
    text = text_or_stdin(outcome, stdin, "结果")
    where = scopes.resolve(scope)
    found = ask(db, lambda brain: brain.why(text, k=k, scope=where, as_of=as_of, known_at=known_at))
    warn(found.degraded)
    if as_json:
        out_json(found.to_dict())
        return 0
    for reason in found.causes:
        out("  " * (len(reason.path) - 1) + reason_line(reason))
    for reason in found.preventers:
        out(f"防住过：{reason_line(reason)}")
    if not found.causes and not found.preventers:
        note("没有记录说它是怎么来的。")
    return 0


@about(
    "比一比：两种做法哪种结果好",
    "brain compare 提前订酒店 到了再找",
    "brain compare 全量发布 灰度发布 --context 大促前 --json",
    more="a、b 或 insufficient（记录不够，或两边是同一件事）。",
    served=True,
)
def compare(
    a: Annotated[str, typer.Argument(metavar="做法甲", help="一种做法")],
    b: Annotated[str, typer.Argument(metavar="做法乙", help="另一种做法")],
    context: Circumstances = None,
    scope: Scope = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints which of two actions went better."""
    where = scopes.resolve(scope)
    found = ask(
        db,
        lambda brain: brain.compare(
            a, b, context=context, scope=where, as_of=as_of, known_at=known_at
        ),
    )
    warn(found.degraded)
    if as_json:
        out_json(found.to_dict())
        return 0
    told = {"a": f"甲更好：{_short(a)}", "b": f"乙更好：{_short(b)}"}
    out(told.get(found.better, "记录不够，比不出来。"))
    for name, side in (("甲", found.a), ("乙", found.b)):
        out(
            f"{name}  好 {side.good}  不好 {side.bad}  有好有坏 {side.mixed}  说不上 {side.neutral}"
        )
    if found.reversed:
        out("注意：分情境看，结论相反（辛普森悖论）。")
    return 0


@about(
    "列出看到过的观察",
    "brain links",
    "brain links 12 --json",
    more="给一条记忆的编号，就只列它的；新的在前，撤回的也列。",
)
def links(
    memory: Annotated[
        str | None, typer.Argument(metavar="编号", help="只看这条记忆的，如 12 或 '#12'")
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Prints observations, newest first."""
    from brain.engine import Brain

    with Brain.open(db, read_only=True) as brain:
        found = brain.links(memory)
    if as_json:
        out_json([link.to_dict() for link in found])
        return 0
    for link in found:
        out(link_line(link))
    if not found:
        note("没有观察。")
    return 0


def link_line(link: Link) -> str:
    """One observation on one line."""
    where = f"〔{_short(link.context)}〕" if link.context else ""
    gone = f"  {local_day(link.retracted_at)} 撤回" if link.retracted_at else ""
    return (
        f"L{link.link}  {local_day(link.observed_at)}{where}  #{link.decision}"
        f" {link.relation} #{link.outcome}（{SIGNS[link.sign]}）{gone}"
    )


@about(
    "撤回一次观察",
    "brain unlink L12",
    "brain unlink 12 --why 记错了",
    more="两头的记忆都还在。#12 是记忆的编号，这里不收。",
)
def unlink(
    link: Annotated[str, typer.Argument(metavar="观察", help="如 L12 或 12")],
    why: Why = "",
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Stops believing an observation."""
    from brain.engine import Brain

    with Brain.open(db) as brain:
        done = brain.unlink(link, why=why)
    if as_json:
        out_json(done.to_dict())
    else:
        out(f"L{done.link} 已撤回")
    return 0
