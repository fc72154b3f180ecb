"""Help: every verb and option is told, in Chinese, with examples that run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from brain.cli.command import build, signature_of
from brain.cli.help import overview, verb_help
from brain.cli.verbs import GROUPS, VERBS, about_of, load
from tests.support import PATIENCE
from tests.support.cli import Cli
from tests.support.servers import MCP


def test_the_overview_names_every_verb() -> None:
    text = overview()
    for verb in VERBS:
        assert f"  {verb} " in text


def test_the_overview_is_in_groups() -> None:
    lines = overview().splitlines()
    for verb, heading in GROUPS.items():
        assert lines[lines.index(heading) + 1].startswith(f"  {verb} ")


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_is_chinese_with_examples_that_parse(verb: str) -> None:
    function = load(verb)
    told = about_of(function)
    assert told.examples
    for line in told.examples:
        assert f"brain {verb}" in line
    command = build(function)
    text = verb_help(verb, told, command.params)
    assert "例子：" in text
    assert "--json" in text
    for english in ("Options", "Usage", "default:", "Show this", "None"):
        assert english not in text
    shape = signature_of(command)
    assert "--json" in shape.flags
    for param in command.params:
        assert param.param_type_name == "option" or param.metavar
        assert getattr(param, "help", None), param.name


def test_common_options_are_there() -> None:
    for verb in set(VERBS) - {"model list", "model fetch", "cache-audit"}:
        assert "--db" in signature_of(build(load(verb))).valued, verb
    for verb in ("add", "recall", "search", "check", "inject", "list", "brief"):
        assert "--scope" in signature_of(build(load(verb))).valued, verb


def test_the_mcp_program_shows_what_works(tmp_path: Path) -> None:
    env = Cli(tmp_path).env()

    def started(*args: str) -> subprocess.CompletedProcess[bytes]:
        line = [sys.executable, str(MCP), *args]
        return subprocess.run(line, env=env, capture_output=True, check=False, timeout=PATIENCE)

    told = started("--help").stderr.decode()  # on its stdout there is only the protocol
    assert "用法：python mcp_server.py [选项]" in told
    assert "mcp_server.py mcp" not in told
    examples = re.findall(r"^  python mcp_server\.py(.*)$", told, re.M)
    assert len(examples) == 3
    for words in examples:
        assert started(*words.split()).returncode == 0  # its input has ended
