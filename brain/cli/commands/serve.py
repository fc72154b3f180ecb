"""Server commands, which stay up: mcp and serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from brain.cli import process
from brain.cli import scope as scopes
from brain.cli.console import flush, note, out_json, visible
from brain.cli.options import Db, Json, Scope, whole_number
from brain.cli.verbs import about
from brain.errors import EXIT_USAGE, BrainError
from brain.validate import check_label

ReadOnly = Annotated[bool, typer.Option("--read-only", help="只读：不提供会改动记忆的工具")]


@about(
    "MCP 服务器（标准输入输出），给智能体的宿主启动",
    "brain mcp",
    "brain mcp --read-only --db work.db",
    "brain mcp --scope auto",
    more="等同 python mcp_server.py。对方关掉标准输入就结束；配置方法见 docs/mcp.md。",
    served=True,
)
def mcp(
    read_only: ReadOnly = False, scope: Scope = None, db: Db = None, as_json: Json = False
) -> int:
    """Serves one MCP client."""
    from brain import __version__
    from brain.serve.mcp import stdio

    process.stay()
    return stdio.serve(db, version=__version__, scope=scopes.resolve(scope), read_only=read_only)


@about(
    "HTTP 服务器，一份模型给所有客户端用",
    "brain serve",
    "brain serve --port 8766 --db work.db",
    "brain serve --only-scope 青鸟",
    "BRAIN_TOKEN=… brain serve --host 0.0.0.0",
    more="默认只听本机，要带 ~/.brain/token 里的令牌（第一次启动时生成）。"
    "别的机器连得到时必须设 BRAIN_TOKEN。路由见 docs/http.md；Ctrl-C 结束。",
    served=True,
)
def serve(
    port: Annotated[
        int,
        typer.Option("--port", metavar="端口", parser=whole_number, help="默认 8766；0 是任选一个"),
    ] = 8766,
    host: Annotated[
        str, typer.Option("--host", metavar="地址", help="监听的地址；默认 127.0.0.1")
    ] = "127.0.0.1",
    allow_host: Annotated[
        str,
        typer.Option("--allow-host", metavar="域名", help="用域名访问时写上它；几个用逗号隔开"),
    ] = "",
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="只听本机时不要令牌；这台机器的别的用户就都能读写这份记忆"),
    ] = False,
    only_scope: Annotated[
        str | None,
        typer.Option(
            "--only-scope",
            metavar="范围",
            help="只给这个范围用：看得到它的和全局的，只改它的；auto 取当前 git 仓库",
        ),
    ] = None,
    read_only: ReadOnly = False,
    scope: Scope = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Serves HTTP until it is interrupted."""
    wanted = scopes.resolve(scope if only_scope is None else only_scope)
    if only_scope is not None and (not wanted or scope not in (None, only_scope)):
        told = "--only-scope 要给一个范围（不是全局的），也不能和另一个 --scope 一起用。"
        raise BrainError("brain_usage", told, EXIT_USAGE)
    check_label(wanted, "范围", "brain_scope_invalid")
    from brain import __version__
    from brain.serve.call_dispatch import open_dispatcher
    from brain.serve.http import server

    process.stay()

    def ready(url: str, kept: Path | None) -> None:
        if as_json:
            out_json({"url": url})
            flush()
        note(f"在 {url} 提供服务；Ctrl-C 结束。")
        if kept is not None:
            note(
                f"要带令牌，在 {visible(str(kept))}（只有你能读）；"
                "本机的 brain 命令自己会带，别的客户端用 Authorization: Bearer。"
            )

    return server.serve(
        open_dispatcher(db, scope=wanted, only=only_scope is not None, read_only=read_only),
        version=__version__,
        host=host,
        port=port,
        names=frozenset(name.strip() for name in allow_host.split(",") if name.strip()),
        ready=ready,
        with_token=not no_token,
    )
