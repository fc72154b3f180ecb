"""Help text for people: rich lays it out, and is imported here only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from brain.cli.console import is_terminal
from brain.cli.verbs import GROUPS, VERBS, About, about_of, load

STANDS_FOR = {"mcp_server.py": "mcp"}
"""Programs that are one verb, which is not typed after their name."""


def program_name() -> str:
    """How this program was called, as the reader would type it again."""
    name = Path(sys.argv[0]).name
    return f"python {name}" if name.endswith(".py") and name != "__main__.py" else "brain"


def invocation(verb: str) -> str:
    """How a verb is called, as the reader would type it again."""
    alone = STANDS_FOR.get(Path(sys.argv[0]).name) == verb
    return program_name() if alone else f"{program_name()} {verb}"


def overview() -> str:
    """The list of verbs."""
    name = program_name()
    table = Table.grid(padding=(0, 2))
    for verb in VERBS:
        if verb in GROUPS:
            table.add_row(Text(GROUPS[verb], style="bold"))
        table.add_row(f"  {verb}", about_of(load(verb)).summary)
    return _render(
        [
            Text("brain：给智能体用的中文长期记忆，全部在一个 SQLite 文件里。"),
            Text(),
            Text(f"用法：{name} 动词 [参数] [选项]"),
            Text(),
            table,
            Text(),
            Text(f"每个动词的用法和例子：{name} 动词 --help"),
            Text("选项写在动词后面；--db 路径、--scope 范围、--json 到处可用。"),
            Text("退出码和 JSON 格式见 docs/cli.md。"),
        ]
    )


def verb_help(path: str, about: About, params: Sequence[Any]) -> str:
    """The help of one verb.

    Args:
        path: the verb.
        about: summary, examples, further lines.
        params: the command's parameters, typer's own help option among them.
    """
    arguments = [p for p in params if p.param_type_name == "argument"]
    options = [p for p in params if p.param_type_name == "option"]
    pieces = [str(p.metavar) if p.required else f"[{p.metavar}]" for p in arguments]
    parts: list[Any] = [
        Text(" ".join([f"用法：{invocation(path)}", *pieces, "[选项]"])),
        Text(),
        Text(about.summary + "。"),
    ]
    if about.more:
        parts.append(Text(about.more))
    parts += [Text(), Text("例子：", style="bold")]
    parts += [Padding(Text(_typed(line, path)), (0, 0, 0, 2)) for line in about.examples]
    if arguments:
        rows = _table((p.metavar, p.help) for p in arguments)
        parts += [Text(), Text("参数：", style="bold"), rows]
    parts += [Text(), Text("选项：", style="bold"), _table(map(_option, options))]
    return _render(parts)


def _typed(line: str, verb: str) -> str:
    if line.startswith(f"brain {verb}"):
        return line.replace(f"brain {verb}", invocation(verb), 1)
    return line.replace("brain ", program_name() + " ", 1) if line.startswith("brain ") else line


def _option(param: Any) -> tuple[str, str]:
    names = ", ".join(sorted(param.opts, key=len))
    if "--help" in param.opts:
        return names, "显示这份说明"
    return (names if param.is_flag else f"{names} {param.metavar}"), param.help


def _table(rows: Iterable[tuple[Any, Any]]) -> Padding:
    table = Table.grid(padding=(0, 2))
    for left, right in rows:
        table.add_row(Text(str(left)), Text(str(right or "")))
    return Padding(table, (0, 0, 0, 2))


def _render(parts: Iterable[Any]) -> str:
    look = is_terminal()
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=look,
        width=None if look else 100,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for part in parts:
        console.print(part, soft_wrap=False)
    lines = buffer.getvalue().split("\n")
    return "\n".join(line.rstrip() for line in lines)
