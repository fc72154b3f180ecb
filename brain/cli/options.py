"""Option declarations that several verbs share, as annotated types for typer."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from brain.cli.console import note, visible
from brain.cli.parse import ID
from brain.errors import BrainError

if TYPE_CHECKING:
    from brain.embed.protocol import Settings


Dimensions = Annotated[
    int | None,
    typer.Option(
        "--dimensions",
        metavar="数",
        help="向服务器要多少维的向量",
        parser=lambda v: whole_number(v),
    ),
]
QueryPrefix = Annotated[
    str | None,
    typer.Option("--query-prefix", metavar="文本", help="加在问题前面的指令或前缀"),
]
DocumentPrefix = Annotated[
    str | None,
    typer.Option("--document-prefix", metavar="文本", help="加在记忆前面的前缀"),
]


Pooling = Annotated[
    str | None,
    typer.Option("--pooling", metavar="方式", help="onnx: 的模型怎么池化：cls、mean 或 last"),
]


def model_settings(**chosen: Any) -> Settings | None:
    """What was chosen for a model of the user's own; None where nothing was."""
    if all(value is None for value in chosen.values()):
        return None
    from brain.embed.protocol import Settings

    return Settings(**chosen)


def whole_path(given: str | None) -> str | None:
    """A folder as a server elsewhere on this machine finds it."""
    return None if given is None else os.path.abspath(os.path.expanduser(given))


def given(**options: list[str] | bool | str | None) -> dict[str, Any]:
    """Options that were given: an older server knows nothing of those that came since."""
    return {name: value for name, value in options.items() if value}


def whole_number(value: str) -> int:
    """Reads an integer; whether it is in range, the engine says. Wrong use otherwise."""
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(f"「{value[:40]}」不是整数") from None


def number(value: str) -> float:
    """Reads a finite number; its range is the engine's matter. Wrong use otherwise."""
    try:
        read = float(value)
    except ValueError:
        read = math.nan
    if not math.isfinite(read):
        raise typer.BadParameter(f"「{value[:40]}」不是数字")
    return read


def day(value: str, *, ahead: bool = False) -> str:
    """Reads a point in time: a day in words (昨天) becomes one in digits, and stderr says so.

    Args:
        ahead: of a date that comes round the next is meant.

    Raises:
        BrainError: ``brain_date_invalid`` (65) for words that name no single day.
    """
    from brain.text.timestamps import now_utc, parse_time

    now = now_utc()
    try:
        parse_time(value, now=now)
        return value
    except BrainError:
        pass
    from brain.text.dates.intervals import read_day

    read = read_day(value, now, ahead=ahead)
    if read is None:
        # The engine says what is wrong with it, or knows it (unknown).
        return value
    note(f"时间「{visible(value)}」按 {read} 理解。")
    return read


def day_ahead(value: str) -> str:
    """As :func:`day`, for an end: 12月31号 is the next one."""
    return day(value, ahead=True)


Db = Annotated[
    str | None,
    typer.Option(
        "--db", metavar="路径", help="记忆文件；不给时用 BRAIN_DB，再不然 ~/.brain/brain.db"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="标准输出只有一个 JSON 值，出错时也是")]
Scope = Annotated[
    str | None,
    typer.Option(
        "--scope",
        metavar="范围",
        help="项目或命名空间；不给时用 BRAIN_SCOPE，再不然全局；auto 取当前 git 仓库",
    ),
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="标签", help="只看有这个标签的；给几次就几个都要有"),
]
NewTags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="标签", help="归在这个标签下；几个标签给几次"),
]
Kind = Annotated[str | None, typer.Option("--kind", metavar="类型", help="只看这一类，如 fact")]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="时间", parser=day, help="问那个时刻什么为真，如 2026-03-01、上周三"
    ),
]
KnownAt = Annotated[
    str | None,
    typer.Option("--known-at", metavar="时间", parser=day, help="问那个时刻我们相信什么"),
]
IncludeExpired = Annotated[bool, typer.Option("--include-expired", help="已失效和已被取代的也找")]
Explain = Annotated[bool, typer.Option("--explain", help="给出每条记忆的检索依据")]
Context = Annotated[
    str | None,
    typer.Option(
        "--context", metavar="前文", help="前几轮对话，问题离开它说不清时用；- 表示从标准输入读"
    ),
]
Stdin = Annotated[bool, typer.Option("--stdin", help="从标准输入读文本（UTF-8），同 -")]
Why = Annotated[str, typer.Option("--why", metavar="原因", help="为什么改，记入日志")]
NewSource = Annotated[
    str,
    typer.Option("--source", metavar="来源", help="新文本的来源，定它的可信度；默认 user"),
]
Force = Annotated[bool, typer.Option("--force", help="钉住的记忆也照办")]
AllowSecrets = Annotated[
    bool, typer.Option("--allow-secrets", help="有口令、密钥、证件号、卡号也存；输出时照样隐去")
]
Reveal = Annotated[bool, typer.Option("--reveal", help="口令、密钥等照原文显示，不隐去")]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="时间", parser=day, help="从何时起，如 2026-03-01、昨天；不给时是现在"
    ),
]
Root = Annotated[
    str | None,
    typer.Option(
        "--root", metavar="文件夹", help="项目的文件夹；verify 不给时取当前文件夹所在的 git 仓库"
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="整数",
        parser=whole_number,
        help="最多多少个词元（估计值）；不给时 420，0 表示不限",
    ),
]
WithBrief = Annotated[
    bool,
    typer.Option("--with-brief", help="前面带上整块 brief（不算在预算里）；记忆答不了时也有这一块"),
]
K = Annotated[int, typer.Option("-k", metavar="整数", parser=whole_number, help="最多几条")]
Question = Annotated[
    str | None, typer.Argument(metavar="问题", help="要问的话；- 表示从标准输入读")
]
MemoryId = Annotated[str, typer.Argument(metavar=ID, help="如 12 或 '#12'")]
