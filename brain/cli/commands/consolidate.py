"""Command that cleans a memory up by a plan that a person looks at first: consolidate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Db, Json, Scope, day
from brain.cli.parse import usage
from brain.cli.verbs import about
from brain.engine import Brain
from brain.results import ConsolidateResult, Plan, PlanLine

_HEADINGS = {
    "merge": "说了两遍的",
    "skill": "说了两遍的技能",
    "contradiction": "互相矛盾的（要人来定）",
    "stale": "核对失败的",
    "archive": "早已过去的",
    "remember": "对话里值得记的",
}
"""What a kind of clean-up is called, in the order in which a plan shows them."""


@about(
    "整理记忆：先出一份计划给人看，再照做，还能撤销",
    "brain consolidate",
    "brain consolidate --scope auto --since 2026-01-01 --out 计划.jsonl",
    "brain consolidate --apply 计划.jsonl",
    "brain consolidate --apply 计划.jsonl --only m1a2b3c4d,c5e6f7a8b",
    "brain consolidate --undo 78a62e206ffc",
    more="出计划不改任何东西。照做在一个事务里，做完自检，没通过就全部退回。\n"
    "互相矛盾的和可疑的要用 --only 点名才做。给了 --llm 才会把对话发出去。",
)
def consolidate(
    scope: Scope = None,
    all_scopes: Annotated[bool, typer.Option("--all-scopes", help="整理所有范围")] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="时间", parser=day, help="只看从那时起记下的"),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--out", metavar="文件", help="把计划写成 JSONL 文件")
    ] = None,
    apply: Annotated[
        str | None, typer.Option("--apply", metavar="文件", help="照这份计划做")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="编号", help="只做这几行，编号之间用逗号")
    ] = None,
    undo: Annotated[
        str | None, typer.Option("--undo", metavar="整理", help="撤销照做过的一次整理")
    ] = None,
    llm: Annotated[
        str | None,
        typer.Option("--llm", metavar="网址", help="兼容 OpenAI 的接口；密钥在 BRAIN_LLM_KEY 里"),
    ] = None,
    llm_model: Annotated[
        str | None, typer.Option("--llm-model", metavar="模型", help="接口上的模型名")
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Plans, applies or undoes."""
    if apply is not None and undo is not None:
        raise usage("--apply 和 --undo 一次用一个。")
    planning = (since, target, llm, llm_model)
    if (apply is not None or undo is not None) and any(planning):
        raise usage("--since、--out、--llm 是出计划用的，不能和 --apply、--undo 一起用。")
    if only is not None and apply is None:
        raise usage("--only 要和 --apply 一起用。")
    if apply is None and undo is None:
        with Brain.open(db, read_only=True) as brain:
            plan = brain.consolidate(
                scope=scopes.resolve(scope),
                all_scopes=all_scopes,
                since=since,
                out=target,
                llm=llm,
                llm_model=llm_model,
            )
        _tell_plan(plan, target, as_json)
        return 0
    with Brain.open(db) as brain:
        if apply is not None:
            names = [name.strip() for name in (only or "").split(",") if name.strip()]
            if only is not None and not names:
                raise usage("--only 后面要有编号。")
            done = brain.apply_plan(apply, only=names)
        else:
            done = brain.undo_run(undo or "")
    _tell(done, undo is not None, as_json)
    return 0


def _tell_plan(plan: Plan, target: str | None, as_json: bool) -> None:
    if as_json:
        out_json(plan.to_dict())
    else:
        for line in markdown(plan):
            out(line)
    if plan.dropped:
        note(f"模型的 {plan.dropped} 条提议没有采用：引文对不上、数字对不上或不能存。")
    if target is not None:
        note(f"计划写在：{visible(target)}；看过之后：brain consolidate --apply {visible(target)}")


def markdown(plan: Plan) -> Iterator[str]:
    """A plan for people."""
    yield f"# 整理计划 {plan.run}"
    yield ""
    if not plan.lines:
        yield "没有要整理的。"
        return
    for act, heading in _HEADINGS.items():
        found = [line for line in plan.lines if line.act == act]
        if not found:
            continue
        yield f"## {heading}"
        yield ""
        for line in found:
            yield from _item(line)
        yield ""


def _item(line: PlanLine) -> Iterator[str]:
    mark = "（要点名）" if line.confirm else ""
    who = f"（{visible(line.source)}）" if line.source != "rules" else ""
    yield f"- `{line.id}` {visible(line.reason)}{mark}{who}"
    if line.text and line.text != line.quote:
        yield f"  - 记成：{visible(line.text)}"
        if line.quote:
            yield f"  - 依据：「{visible(line.quote)}」"


def _tell(done: ConsolidateResult, undone: bool, as_json: bool) -> None:
    if as_json:
        out_json(done.to_dict())
        return
    for one in done.refused:
        note(f"没有做 {one.id}：{visible(one.reason)}")
    if undone:
        told = f"已撤销整理 {done.run}" if done.applied else f"整理 {done.run} 已经撤销过，没有变"
        out(f"{told}（{len(done.applied)} 行）")
    elif done.applied:
        out(f"已做 {len(done.applied)} 行，自检通过；撤销用 brain consolidate --undo {done.run}")
    else:
        out("没有要做的，什么也没有变。")
