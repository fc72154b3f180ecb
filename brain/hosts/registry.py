"""Registry of hosts: which files each reads, and what of ours goes where in them.

The places are those of docs/hosts.md, from each host's documentation or source.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

USER, PROJECT = "user", "project"
LEVELS = (USER, PROJECT)

SERVER = "brain"
"""The name our MCP server has in every host."""

TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit"
"""Of Claude Code: the tools before which ``before`` is asked."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of a host.

    Args:
        path: where it is.
        form: ``json``, ``toml`` or ``yaml``.
        servers: the keys that lead to the MCP servers; () where none are in this file.
        events: names of the events our hook is for.
        shape: of an event's entry: ``nested`` or ``flat``.
        typed: the MCP entry says ``"type": "stdio"``.
        timed: a hook's entry may say how many seconds it has.
        version: the number a new file begins with; None for none.
        instead: files whose hooks this host reads too: ours in one of them is enough.
    """

    path: Path
    form: str
    servers: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    shape: str = "nested"
    typed: bool = False
    timed: bool = True
    version: int | None = None
    instead: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Host:
    """A host.

    Args:
        title: its name for people, that of its section in docs/hosts.md.
        hook: what ``brain hook`` calls it; '' where it has none.
        home: the folder that shows it is here.
        files: by level; a level without files is one it does not have.
        paste: what a person does by hand at the level of the user, in Chinese; '' for nothing.
        spaces: whether the command of its MCP server may have blanks.
    """

    title: str
    hook: str
    home: Path
    files: Mapping[str, tuple[File, ...]]
    paste: str = ""
    spaces: bool = True


PASTED: Mapping[str, str] = {
    "dify": "Dify 只接 HTTP，没有可写的文件：运行 brain serve，"
    "再照 docs/hosts.md 的「Dify」填地址和令牌。",
    "python": "自己的程序里：from brain import Brain，每轮之前 brain.inject(…)，见 docs/hosts.md 的"
    "「Python 和 OpenAI SDK」。",
}

_PROMPT_AND_START = ("UserPromptSubmit", "SessionStart")


def find(name: str, home: Path, project: Path) -> Host:
    """A host by its name.

    Args:
        name: one of :data:`NAMES`.
        home: the person's home folder.
        project: the folder of the project, for its own level.
    """
    return _HOSTS[name](home, project)


def _claude_code(home: Path, project: Path) -> Host:
    given = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(given) if given else home / ".claude"
    state = folder / ".claude.json" if given else home / ".claude.json"
    events = (*_PROMPT_AND_START, "PreToolUse")
    user = (
        File(state, "json", ("mcpServers",), typed=True),
        File(folder / "settings.json", "json", events=events),
    )
    own = (
        File(project / ".mcp.json", "json", ("mcpServers",), typed=True),
        File(project / ".claude" / "settings.json", "json", events=events),
    )
    return Host("Claude Code", "claude-code", folder, {USER: user, PROJECT: own})


def _qoder(home: Path, project: Path) -> Host:
    folder = _first(home / ".qoder", home / ".qoder-cn")
    user = File(folder / "settings.json", "json", ("mcpServers",), _PROMPT_AND_START)
    own = (
        File(project / ".mcp.json", "json", ("mcpServers",)),
        File(project / ".qoder" / "settings.json", "json", events=_PROMPT_AND_START),
    )
    told = "命令行的 MCP 已写好；IDE 的在它的设置 → MCP → 我的服务 里添加，粘贴下面这一段。"
    return Host("Qoder", "qoder", folder, {USER: (user,), PROJECT: own}, told)


def _trae(home: Path, project: Path) -> Host:
    folder = _first(home / ".trae", home / ".trae-cn")
    claude = (home / ".claude" / "settings.json",)
    hooks = File(
        folder / "hooks.json", "json", events=_PROMPT_AND_START[::-1], version=1, instead=claude
    )
    own = (
        File(project / ".trae" / "mcp.json", "json", ("mcpServers",)),
        File(project / ".trae" / "hooks.json", "json", events=hooks.events, version=1),
    )
    told = "钩子要在设置 → Hooks 里启用；MCP 在设置 → MCP → 手动添加，粘贴下面这一段。"
    return Host("Trae", "trae", folder, {USER: (hooks,), PROJECT: own}, told, spaces=False)


def _codex(home: Path, project: Path) -> Host:
    given = os.environ.get("CODEX_HOME")
    folder = Path(given) if given else home / ".codex"

    def file(where: Path) -> File:
        return File(
            where / "config.toml",
            "toml",
            ("mcp_servers",),
            _PROMPT_AND_START,
            instead=(where / "hooks.json",),
        )

    files = {USER: (file(folder),), PROJECT: (file(project / ".codex"),)}
    return Host("Codex CLI", "codex", folder, files)


def _cursor(home: Path, project: Path) -> Host:
    def files(where: Path) -> tuple[File, ...]:
        events = ("sessionStart", "beforeSubmitPrompt")
        return (
            File(where / "mcp.json", "json", ("mcpServers",)),
            File(where / "hooks.json", "json", events=events, shape="flat", timed=False, version=1),
        )

    both = {USER: files(home / ".cursor"), PROJECT: files(project / ".cursor")}
    return Host("Cursor", "cursor", home / ".cursor", both)


def _hermes(home: Path, _: Path) -> Host:
    given = os.environ.get("HERMES_HOME")
    folder = Path(given) if given else home / ".hermes"
    file = File(folder / "config.yaml", "yaml", ("mcp_servers",), ("pre_llm_call",), shape="flat")
    return Host("Hermes Agent", "hermes", folder, {USER: (file,)})


def _openclaw(home: Path, _: Path) -> Host:
    folder = home / ".openclaw"
    given = os.environ.get("OPENCLAW_CONFIG_PATH")
    where = Path(given) if given else folder / "openclaw.json"
    file = File(where, "json", ("mcp", "servers"))
    return Host("OpenClaw", "", folder, {USER: (file,)})


def _claude_desktop(home: Path, _: Path) -> Host:
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support" / "Claude"
    elif os.name == "nt":
        folder = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming") / "Claude"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "Claude"
    file = File(folder / "claude_desktop_config.json", "json", ("mcpServers",))
    return Host("Claude Desktop", "", folder, {USER: (file,)})


def _cherry_studio(home: Path, _: Path) -> Host:
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support" / "CherryStudio"
    elif os.name == "nt":
        folder = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming") / "CherryStudio"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "CherryStudio"
    told = "它的配置在自己的库里，不能从外面写：设置 → MCP 服务器 → 添加 → 从 JSON 导入，"
    told += "粘贴下面这一段。"
    return Host("Cherry Studio", "", folder, {USER: ()}, told)


_HOSTS = {
    "claude-code": _claude_code,
    "codex": _codex,
    "cursor": _cursor,
    "qoder": _qoder,
    "trae": _trae,
    "hermes": _hermes,
    "openclaw": _openclaw,
    "claude-desktop": _claude_desktop,
    "cherry-studio": _cherry_studio,
}

NAMES = tuple(_HOSTS)
"""Hosts with a configuration of their own; for those of :data:`PASTED` there is none to write."""


def _first(*folders: Path) -> Path:
    """The folder that is there, else the first."""
    return next((folder for folder in folders if folder.is_dir()), folders[0])
