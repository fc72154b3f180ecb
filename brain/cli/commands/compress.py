"""Compression command: makes any document shorter, with a way back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from brain.cli.console import out_bytes, out_json
from brain.cli.inputs import stdin_bytes
from brain.cli.options import Db, Json, Root, Stdin, whole_number
from brain.cli.parse import STDIN, missing, usage
from brain.cli.target import report_created
from brain.cli.verbs import about
from brain.engine import Brain


@about(
    "把标准输入的内容压短，原文留着可以取回",
    "brain compress --stdin < 会议纪要.md",
    "kubectl logs web-0 | brain compress --stdin --query 连接超时",
    "brain compress - --json < 订单.json",
    "brain compress - --type file-observation --source src/main.py --session s1 < src/main.py",
    "brain compress - --budget 300 --query 端口 < compose.yaml",
    more="按内容取舍：JSON、表格、日志、代码、中文文章各有各的办法。原文先存进记忆文件，"
    "再输出压短的；短的、压不短的原样输出。",
)
def compress(
    given: Annotated[str | None, typer.Argument(metavar="-", help="从标准输入读")] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="问题", help="和它有关的先留下")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            metavar="整数",
            parser=whole_number,
            help="最多多少个词元（估计值），记号也算在内；不给时按内容取舍，0 表示不限",
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option("--type", metavar="类型", help="这是什么，如 file-observation、test-result"),
    ] = "",
    session: Annotated[str, typer.Option("--session", metavar="会话", help="哪个会话看到的")] = "",
    revision: Annotated[
        str, typer.Option("--revision", metavar="版本", help="哪个版本的：提交号、分支或标签")
    ] = "",
    source: Annotated[
        str, typer.Option("--source", metavar="来源", help="从哪里来：文件的路径、命令、网址")
    ] = "",
    root: Root = None,
    stdin: Stdin = False,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Keeps what stands on standard input and prints it made shorter."""
    if given not in (None, STDIN):
        raise usage("compress 只从标准输入读：brain compress --stdin < 文件。")
    if given is None and not stdin:
        raise usage(missing("- 或 --stdin"))
    data = stdin_bytes()
    if root is None and kind:
        from brain.repository import top

        above = top(Path.cwd())
        root = None if above is None else str(above)
    with Brain.open(db) as brain:
        made = brain.compress(
            data,
            query,
            budget=budget,
            type=kind,
            session=session,
            revision=revision,
            source=source,
            root=root,
        )
        report_created(brain)
    if as_json:
        out_json(made.to_dict())
    else:
        out_bytes(made.text.encode("utf-8"))
    return 0
