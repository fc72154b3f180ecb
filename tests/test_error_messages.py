"""A sentence from below makes sense wherever it is read; only the command line names options."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain import Brain, BrainError
from tests.support import ROOT
from tests.support.cli import Cli
from tests.support.engine import Make
from tests.support.servers import Stdio, Web, text_of

OPTION = re.compile(r"(?<![\w-])(?:--[a-z][a-z-]*|-[a-z]\b)")
COMMAND = re.compile(r"(?:brain|pip) [a-z]+[^；。，）]*")
"""A whole command may be named anywhere: it is typed at a shell, whatever said so."""

HAN = re.compile("[\u4e00-\u9fff]")

TYPED_ONLY = {"brain/embed/registry.py", "brain/embed/fetch.py"}
"""Sentences about ``brain model fetch``, which they name before its option."""


def sentences(path: Path) -> list[str]:
    """The Chinese string literals of a module, f-strings with holes in them."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            found.append(
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "□"
                    for part in node.values
                )
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return [text for text in found if HAN.search(text)]


def test_no_sentence_below_the_command_line_names_its_options() -> None:
    below = [p for p in (ROOT / "brain").rglob("*.py") if "cli" not in p.parts]
    assert len(below) > 100
    wrong = [
        (path.relative_to(ROOT).as_posix(), text)
        for path in below
        if path.relative_to(ROOT).as_posix() not in TYPED_ONLY
        for text in sentences(path)
        if OPTION.search(COMMAND.sub("", text))
    ]
    assert wrong == []


SECRET = "后台的密码是 Tr0ub4dor&3xyz9"
REFUSED: dict[str, tuple[str, str, Callable[[Brain, Path], object]]] = {
    "a secret": ("brain_secret", "allow_secrets", lambda b, p: b.add(SECRET)),
    "a secret that corrects": ("brain_secret", "allow_secrets", lambda b, p: b.correct(1, SECRET)),
    "a pinned one retracted": ("brain_pinned", "force", lambda b, p: b.retract(2)),
    "a pinned one forgotten": ("brain_pinned", "force", lambda b, p: b.forget(2)),
    "a pinned one expired": ("brain_pinned", "force", lambda b, p: b.expire(2)),
    "a backup that is there": ("brain_backup_exists", "force", lambda b, p: b.backup(p)),
    "an export that is there": ("brain_export_exists", "force", lambda b, p: b.export_to(p)),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_the_error_names_the_argument_that_overrides_it(
    make: Make, tmp_path: Path, case: str
) -> None:
    brain = make()
    brain.add("班车七点半发车")
    brain.add("合同价八万", pinned=True)
    there = tmp_path / "there"
    there.write_bytes(b"")
    code, override, act = REFUSED[case]
    with pytest.raises(BrainError) as refused:
        act(brain, there)
    assert (refused.value.code, refused.value.override) == (code, override)
    assert f"{override}=True" in str(refused.value)
    assert override not in refused.value.message


def test_a_secret_in_a_reason_has_no_way_in(make: Make) -> None:
    with pytest.raises(BrainError) as refused:
        make().add("班车七点半发车", why=SECRET)
    assert (refused.value.code, refused.value.override) == ("brain_secret", "")


def test_each_face_says_it_in_its_own_words(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "合同价八万", "--pin")
    typed = cli("forget", "1", "--json")
    assert typed.err.rstrip().endswith("确定要这样做请加 --force。")
    assert typed.json["error"]["message"].endswith("--force。")
    assert "--allow-secrets" in cli("add", SECRET).err
    with Web(tmp_path) as web:
        error = web.post("/memories/1/forget").json["error"]
        assert (error["code"], error["override"]) == ("brain_pinned", "force")
        assert "--" not in error["message"]
        assert web.post("/memories", text=SECRET).json["error"]["override"] == "allow_secrets"
        assert "override" not in web.get("/memories/99").json["error"]
        far = {"BRAIN_URL": f"http://127.0.0.1:{web.port}"}
        env = {**far, "BRAIN_DB": ""}
        assert "--allow-secrets" in cli("add", SECRET, env=env).err
        assert web.post("/memories/1/forget", force=True).status == 200
    with Stdio(tmp_path) as mcp:
        told: Any = mcp.tool("remember", text=SECRET)
        assert told["isError"]
        assert "--" not in text_of(told)
        assert "allow" not in text_of(told)


@pytest.mark.parametrize("face", ["http", "mcp"])
def test_a_scope_nobody_used_is_remarked_on_by_the_servers(tmp_path: Path, face: str) -> None:
    cli = Cli(tmp_path)
    cli("add", "班车七点半发车")
    cli("add", "合同价八万", "--scope", "web")
    if face == "http":
        with Web(tmp_path) as web:
            told = web.post("/recall", query="班车", scope="wbe").json
            assert "是不是「web」" in told["remarks"][0]
            assert "remarks" not in web.post("/recall", query="班车", scope="web").json
            env = {"BRAIN_URL": f"http://127.0.0.1:{web.port}", "BRAIN_DB": ""}
            for verb in ("recall", "check", "inject"):
                assert "是不是「web」" in cli(verb, "班车", "--scope", "wbe", env=env).err
    else:
        with Stdio(tmp_path) as mcp:
            for tool in ("recall", "check", "inject"):
                told = mcp.tool(tool, query="班车", scope="wbe")["structuredContent"]
                assert "是不是「web」" in told["remarks"][0]


def test_a_file_without_a_model_is_told_the_same_by_stats_and_the_documents(make: Make) -> None:
    """``none`` is no lack to whoever asks a question; ``stats`` says what cannot be found."""
    brain = make()
    assert brain.stats().degraded == ()
    brain.add("班车七点半发车")
    assert brain.stats().degraded == ("no_model",)
    for ask in (brain.recall, brain.check, brain.inject, brain.search):
        assert ask("班车").degraded == ()
    told = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert "提问时不算缺" in told
    assert "只有 `stats`" in told
