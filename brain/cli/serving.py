"""The verbs that stay up or stand between: mcp."""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli import scope as scopes
from brain.cli.command import about
from brain.cli.options import Db, Scope

ReadOnly = Annotated[bool, typer.Option("--read-only", help="只读：不提供会改动记忆的工具")]


@about(
    "MCP 服务器（标准输入输出），给智能体的宿主启动",
    "brain mcp",
    "brain mcp --read-only --db work.db",
    "brain mcp --scope auto",
    more="等同 python mcp_server.py。对方关掉标准输入就结束；配置方法见 docs/mcp.md。",
)
def mcp(read_only: ReadOnly = False, scope: Scope = None, db: Db = None) -> int:
    """Serves one MCP client."""
    from brain import __version__
    from brain.serve import stdio

    return stdio.serve(db, version=__version__, scope=scopes.resolve(scope), read_only=read_only)
