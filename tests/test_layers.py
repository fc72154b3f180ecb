"""The house in order: imports run downward, every room ships, every dependency has a reason."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import Any

from tests.support import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def name_of(requirement: str) -> str:
    """The package a requirement is about."""
    return re.split(r"[ <>=!~;\[]", requirement)[0]


def test_imports_run_downward_only() -> None:
    check = "import sys; from importlinter.cli import lint_imports as l; sys.exit(l(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def rooms() -> set[Path]:
    """The folders that hold code."""
    return {file.parent for file in (ROOT / "brain").rglob("*.py")}


def test_every_room_is_packaged() -> None:
    """setuptools finds a package by its ``__init__.py``."""
    assert PROJECT["tool"]["setuptools"]["packages"]["find"]["include"] == ["brain*"]
    assert {room for room in rooms() if not (room / "__init__.py").is_file()} == set()


def test_every_data_file_is_packaged() -> None:
    globs = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    shipped = {file for room in rooms() for glob in globs for file in room.glob(glob)}
    files = {file for file in (ROOT / "brain").rglob("*") if file.is_file()}
    assert {file for file in files if file.suffix not in {".py", ".pyc"}} <= shipped


def test_every_import_is_declared() -> None:
    imported: set[str] = set()
    for file in (ROOT / "brain").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    declared = {name.replace("-", "_") for name in map(name_of, PROJECT["project"]["dependencies"])}
    ours = {"brain", *sys.stdlib_module_names}
    assert imported - ours - declared <= {"opencc"}


def test_fastembed_says_which_versions_go_together() -> None:
    """It is not imported: its constraints on what we do import are what it is there for."""
    wanted = {name_of(one): one for one in requires("fastembed") or ()}
    for name in ("onnxruntime", "tokenizers"):
        assert ">=" in wanted[name]


def test_every_dependency_has_a_reason_and_no_other() -> None:
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = [*PROJECT["project"]["dependencies"], *(one for extra in extras for one in extra)]
    names = set(map(name_of, wanted))
    told = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([^`]+)` \| .{4,} \|$", told, re.MULTILINE)) == names
