"""Claude Code plugin: the folder holds what the page of the hosts says, and is one version."""

from __future__ import annotations

import json
from typing import Any

import yaml

from brain import __version__
from tests.support import ROOT
from tests.test_hosts import HOME, configurations

PLUGINS = ROOT / "plugins"
PLUGIN = PLUGINS / "claude-code"


def read(*parts: str) -> Any:
    return json.loads(PLUGINS.joinpath(*parts).read_text(encoding="utf-8"))


def test_the_marketplace_leads_to_the_plugin() -> None:
    (one,) = read(".claude-plugin", "marketplace.json")["plugins"]
    assert (PLUGINS / one["source"]).resolve() == PLUGIN.resolve()
    manifest = read("claude-code", ".claude-plugin", "plugin.json")
    assert manifest["name"] == one["name"] == "brain"
    assert manifest["version"] == __version__


def test_the_hooks_and_the_server_are_those_of_the_page() -> None:
    told = json.dumps(configurations("Claude Code")[0]).replace(f"{HOME}/brain/.venv/bin/", "")
    assert read("claude-code", "hooks", "hooks.json") == json.loads(told)
    server = read("claude-code", ".mcp.json")["mcpServers"]["brain"]
    assert server == {"command": "brain", "args": ["mcp"]}


def test_the_skill_names_tools_there_are() -> None:
    (skill,) = PLUGIN.glob("skills/*/SKILL.md")
    _, head, body = skill.read_text(encoding="utf-8").split("---\n", 2)
    assert yaml.safe_load(head)["name"] == skill.parent.name
    tools = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    for name in ("recall", "remember", "correct"):
        assert f"`{name}`" in body
        assert f"`{name}`" in tools
