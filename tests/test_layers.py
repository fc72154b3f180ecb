"""The house in order: imports run downward, every room ships, every dependency has a reason."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Mapping
from importlib.metadata import requires
from pathlib import Path
from typing import Any

from brain.cli.verbs import VERBS
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


def modules() -> dict[str, ast.Module]:
    """The modules of the package by name, parsed."""
    found = {}
    for file in (ROOT / "brain").rglob("*.py"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(file.read_text(encoding="utf-8"))
    return found


def imported(tree: ast.Module, names: Collection[str]) -> set[str]:
    """Which of some modules a module imports, in a function or for the type checker as well."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in names else node.module)
    return found & set(names)


def circles(imports: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Groups of modules each of which leads, import by import, to all the others."""
    reach: dict[str, set[str]] = {}
    for start in imports:
        seen: set[str] = set()
        ahead = [*imports[start]]
        while ahead:
            name = ahead.pop()
            if name not in seen:
                seen.add(name)
                ahead.extend(imports[name])
        reach[start] = seen
    found = {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in imports if a in reach[a]}
    return sorted(map(list, found))


def test_a_circle_is_seen() -> None:
    sources = {
        "a": "import b",
        "b": "def f() -> None:\n    from c import f",
        "c": "from d import e\nif X:\n    import a",
        "d": "",
    }
    imports = {name: imported(ast.parse(text), sources) for name, text in sources.items()}
    assert circles(imports) == [["a", "b", "c"]]


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Inside a room either, nor in a function, where it only shows when the function is called."""
    trees = modules()
    assert len(trees) > 150
    assert circles({name: imported(tree, trees) for name, tree in trees.items()}) == []


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
    assert "pyyaml" in declared
    assert imported - ours - declared <= {"opencc", "yaml"}


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


def rooms_of_the_map() -> dict[str, set[str]]:
    """The rows of docs/architecture.md: a room, and the names in backticks behind it."""
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)/` \| (.+) \|$", told, re.MULTILINE)
    return {room: set(re.findall(r"`([a-z0-9_]+)/?`", row)) for room, row in rows}


def test_the_map_names_every_room_and_every_file() -> None:
    house = ROOT / "brain"
    there = {
        room.name: {
            path.stem
            for path in room.rglob("*")
            if (path.suffix == ".py" and path.stem != "__init__")
            or (path.is_dir() and path.name != "__pycache__")
        }
        for room in house.iterdir()
        if (room / "__init__.py").is_file()
    }
    named = rooms_of_the_map()
    assert named.keys() == there.keys()
    wrong = {room: named[room] ^ files for room, files in there.items() if named[room] != files}
    assert wrong == {}


def test_the_map_names_every_module_beside_the_rooms() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    floors = told.split("```")[1]
    beside = {file.stem for file in (ROOT / "brain").glob("*.py")} - {"__init__", "__main__"}
    assert {name for name in beside if not re.search(rf"\b{name}\b", floors)} == set()


def test_the_map_says_in_which_file_a_verb_is() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    groups = {
        name: set(verbs.split()) for name, verbs in re.findall(r"`(\w+)`（([a-z -]+)）", told)
    }
    for verb, (group, _) in VERBS.items():
        assert verb.split()[0] in groups.get(group, {group}), verb
