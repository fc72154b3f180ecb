"""Command add, in a file of its own: it may go to a server and then needs no engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.console import note, out, out_json
from brain.cli.inputs import text_or_stdin
from brain.cli.options import (
    AllowSecrets,
    Db,
    Json,
    NewTags,
    Root,
    Scope,
    Stdin,
    Why,
    day,
    day_ahead,
    given,
    number,
    whole_path,
)
from brain.cli.render import warn
from brain.cli.target import ask, report_created
from brain.cli.verbs import about
from brain.memory import DEFAULT_IMPORTANCE, DEFAULT_KIND, DEFAULT_SOURCE, AddResult

if TYPE_CHECKING:
    from brain.cli.target import Memory


@about(
    "记住一条",
    "brain add 用户喜欢用深色主题 --kind preference",
    "brain add '-5度以下改用备用机房' --importance 0.8",
    "brain add 值班群是青鸟群 --scope web --valid-from 2026-03-01",
    "brain add 发布前先跑冒烟 --tag 部署 --tag 值班",
    "brain add 入口在 src/main.py --check 'file src/main.py' --root ~/code/web",
    "cat 会议纪要.txt | brain add --stdin --source model",
    more="同样的文本、类型、范围再加一次，得到原来的编号。文件不存在时会新建。"
    "文本里有口令、密钥、身份证号、银行卡号时不存（brain_secret）。",
    served=True,
)
def add(
    text: Annotated[
        str | None, typer.Argument(metavar="文本", help="要记住的话；- 表示从标准输入读")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="类型",
            help="fact、preference、episode、skill、decision、note 或自定的小写名字；默认 note",
        ),
    ] = DEFAULT_KIND,
    importance: Annotated[
        float,
        typer.Option("--importance", metavar="0~1", parser=number, help="有多重要；默认 0.5"),
    ] = DEFAULT_IMPORTANCE,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", metavar="0~1", parser=number, help="有多可信；不给时按来源定"),
    ] = None,
    scope: Scope = None,
    source: Annotated[
        str, typer.Option("--source", metavar="来源", help="user、model、chat 等；默认 user")
    ] = DEFAULT_SOURCE,
    valid_from: Annotated[
        str | None,
        typer.Option(
            "--valid-from",
            metavar="时间",
            parser=day,
            help="从何时起为真，如 2026-03-01、昨天；不给时是现在，unknown 表示一直",
        ),
    ] = None,
    valid_to: Annotated[
        str | None,
        typer.Option(
            "--valid-to", metavar="时间", parser=day_ahead, help="到何时为止；不给时一直有效"
        ),
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="钉住：不会被归档、到期、撤回或遗忘")] = False,
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="依据", help="出处，如文件名或链接")
    ] = "",
    tag: NewTags = None,
    check: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            metavar="核对",
            help="这条说的可以看什么：'file 路径'、'text 词句 in 路径'、'symbol 名字'、"
            "'version 包 版本'、'ref 分支'；几个给几次。不给时从文本里读",
        ),
    ] = None,
    root: Root = None,
    why: Why = "",
    allow_secrets: AllowSecrets = False,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Stores one memory."""
    content = text_or_stdin(text, stdin, "文本")
    if root is None and scopes.is_auto(scope):
        from brain.repository import top  # as the scope does

        above = top(Path.cwd())
        root = None if above is None else str(above)
    scope = scopes.resolve(scope)

    def use(brain: Memory) -> tuple[AddResult, tuple[str, ...]]:
        added = brain.add(
            content,
            kind=kind,
            importance=importance,
            confidence=confidence,
            scope=scope,
            source=source,
            valid_from=valid_from,
            valid_to=valid_to,
            pinned=pin,
            evidence=evidence,
            why=why,
            allow_secrets=allow_secrets,
            **given(tags=tag, checks=check, root=whole_path(root)),
        )
        report_created(brain)
        return added, brain.degraded()

    added, degraded = ask(db, use, writes=True)
    warn(degraded)
    if as_json:
        out_json(added.to_dict())
    else:
        out(f"#{added.id} {'已记住' if added.created else '已有相同的记忆'}")
    options = {
        "--valid-from": valid_from is not None,
        "--valid-to": valid_to is not None,
        "--importance": importance != DEFAULT_IMPORTANCE,
        "--confidence": confidence is not None,
        "--source": source != DEFAULT_SOURCE,
        "--pin": pin,
        "--evidence": bool(evidence),
        "--why": bool(why),
        "--check": bool(check),
    }
    unused = [name for name, used in options.items() if used and not added.created]
    if unused:
        note(f"#{added.id} 没有变，这次给的 {'、'.join(unused)} 不起作用。")
    for similar in added.similar:
        if similar.changes:
            note(
                f"看来 #{similar.id} 说的变了。是的话：brain supersede {similar.id} {added.id}；"
                f"只是取消、没有新的说法：brain expire {similar.id}"
            )
        else:
            note(
                f"和 #{similar.id} 很像（{similar.score:.2f}）。"
                f"旧的变了：supersede {similar.id} {added.id}；旧的记错了：retract {similar.id}；"
                f"这条多余：retract {added.id}；都对就不用管。"
            )
    return 0
