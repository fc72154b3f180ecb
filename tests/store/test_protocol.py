"""The store interface: the rooms above use nothing of a store but :mod:`brain.store.protocol`."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.store import protocol

ROOT = Path(__file__).resolve().parents[2]
BRAIN = ROOT / "brain"
FILES = sorted(BRAIN.rglob("*.py"))
ABOVE = [file for file in FILES if file.relative_to(BRAIN).parts[0] != "store"]
MODULES = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in FILES}
NO_STORE = {
    "brain.store.chat_db",
    "brain.store.hermes_db",
    "brain.store.protocol",
    "brain.store.staging",
}
"""Other programs' files, the interface itself, and the scratch file an import counts on: what no
store of memories has to offer."""

CLASSES = {
    ("brain.store.memory_file", "Store"),
    ("brain.store.originals", "BudgetExceededError"),
    ("brain.store.view", "requested"),
    ("brain.store.view", "to_ms"),
}
"""The class that is a ``protocol.Store``, an error, pure functions."""


def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imported(parsed: ast.Module) -> Iterator[tuple[str, str, str]]:
    """(module, name, as what) of every ``from … import`` of the store."""
    for node in ast.walk(parsed):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("brain.store"):
            for alias in node.names:
                yield str(node.module), alias.name, alias.asname or alias.name


def parts() -> dict[str, set[str]]:
    """Module of the SQLite store → names of the protocols it is held to in store/sqlite.py."""
    parsed = tree(BRAIN / "store" / "sqlite.py")
    modules = {bound: f"{module}.{name}" for module, name, bound in imported(parsed)}
    found = defaultdict(set)
    for node in ast.walk(parsed):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Name):
            kind = node.annotation.value if isinstance(node.annotation, ast.Subscript) else None
            kind = kind or node.annotation
            assert isinstance(kind, ast.Attribute)
            found[modules[node.value.id]].add(kind.attr)
    return dict(found)


def members(names: set[str]) -> set[str]:
    """What some protocols offer."""
    return {
        member
        for name in names
        for member in (*vars(getattr(protocol, name)), *getattr(protocol, name).__annotations__)
        if not member.startswith("_")
    }


def data() -> set[tuple[str, str]]:
    """(module, name) of the plain data the interface speaks of."""
    found = {(module, name) for module, name, _ in imported(tree(BRAIN / "store" / "protocol.py"))}
    return found | CLASSES


def used(file: Path) -> set[tuple[str, str]]:
    """(module of the store, name) that a file uses."""
    parsed = tree(file)
    bound, out = {}, set()
    for module, name, as_what in imported(parsed):
        if f"{module}.{name}" in MODULES:
            bound[as_what] = f"{module}.{name}"
        else:
            out.add((module, name))
    for node in ast.walk(parsed):
        of = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Attribute) and isinstance(of, ast.Name) and of.id in bound:
            out.add((bound[of.id], node.attr))
    return {(module, name) for module, name in out if module not in NO_STORE}


OFFERED = {(module, name) for module, names in parts().items() for name in members(names)} | data()


def test_the_rooms_above_use_nothing_of_a_store_beyond_the_protocol() -> None:
    beyond = {
        str(file.relative_to(ROOT)): sorted(used(file) - OFFERED)
        for file in ABOVE
        if used(file) - OFFERED
    }
    assert beyond == {}


def test_the_protocol_offers_nothing_that_nobody_uses() -> None:
    wanted = {one for file in ABOVE for one in used(file)}
    offered = {(module, name) for module, names in parts().items() for name in members(names)}
    assert offered - wanted == set()


def test_a_transaction_is_opaque_above_the_store() -> None:
    """What ``read()`` and ``write()`` give is handed on and never looked into."""
    looked = []
    for file in ABOVE:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Attribute):
                of = node.value
                name = of.id if isinstance(of, ast.Name) else getattr(of, "attr", "")
                if name == "db":
                    looked.append(f"{file.relative_to(ROOT)}:{node.lineno} db.{node.attr}")
    assert looked == []


def test_apsw_and_statements_stand_in_the_store_alone() -> None:
    statement = re.compile(
        r"\s*(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA\s|BEGIN\b"
        r"|CREATE\s+(?:TABLE|VIRTUAL|INDEX|TEMP)\s)",
        re.DOTALL,
    )
    wrong = []
    for file in ABOVE:
        for node in ast.walk(tree(file)):
            where = f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                wrong += [where for alias in node.names if alias.name.split(".")[0] == "apsw"]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "apsw":
                # Its tables of Unicode have nothing to do with a database.
                wrong += [where for alias in node.names if alias.name != "unicode"]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                wrong += [where] if statement.match(node.value) else []
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                wrong += [where] if node.func.attr in {"execute", "executemany"} else []
    assert wrong == []


OPENS = {"engine.py", "file_model.py", "maintenance", "ingest", "exchange", "store"}
"""What opens transactions: the engine's verbs, maintenance, ingest and exchange."""


def test_only_the_verbs_maintenance_ingest_and_exchange_open_a_transaction() -> None:
    opened = set()
    for file in FILES:
        for node in ast.walk(tree(file)):
            if not isinstance(node, ast.With):
                continue
            for item in node.items:
                for call in ast.walk(item.context_expr):
                    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                        of = call.func.value
                        name = of.id if isinstance(of, ast.Name) else getattr(of, "attr", "")
                        if call.func.attr in {"read", "write", "snapshot"} and "store" in name:
                            opened.add(file.relative_to(BRAIN).parts[0])
    assert opened <= OPENS


def plain(doc: str) -> set[str]:
    return {" ".join(part.split()) for part in doc.split("\n\n")}


@pytest.mark.parametrize("module", sorted(parts()))
def test_the_protocol_says_what_the_functions_say(module: str) -> None:
    here = importlib.import_module(module)
    for name in sorted(parts()[module]):
        for member, promised in vars(getattr(protocol, name)).items():
            if inspect.isfunction(promised) and not member.startswith("_"):
                told = inspect.getdoc(getattr(here, member)) or ""
                assert plain(inspect.getdoc(promised) or "") <= plain(told), f"{module}.{member}"
