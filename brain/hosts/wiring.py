"""Wiring: which changes put our MCP server and hooks into a configuration, or take them out."""

from __future__ import annotations

import copy
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from brain.hosts import jsonc, toml_tables
from brain.hosts.registry import SERVER, TOOLS, File

HOOK_SECONDS = 5

Keys = tuple[str | int, ...]

_OURS = r"""(?:^|[\s"'/\\])brain(?:\.exe|\.py)?["']?\s+hook\s+["']?"""
_PROGRAM = re.compile(r"(?:^|[/\\])brain(?:\.exe|\.py)?$")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: ``op`` is ``set``, ``append`` or ``delete``."""

    op: str
    keys: Keys
    value: Any = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be in a host's configuration.

    Args:
        program: the words that start brain.
        options: the words behind the verb, as ``--db`` and a path.
        hook: what ``brain hook`` calls the host.
    """

    program: tuple[str, ...]
    options: tuple[str, ...]
    hook: str

    def server(self) -> dict[str, Any]:
        """The entry of the MCP server."""
        first, *rest = self.program
        return {"command": first, "args": [*rest, "mcp", *self.options]}

    def command(self, old: str = "") -> str:
        """The hook's command line, with the options of an older one that are not set anew."""
        return " ".join(map(_quoted, (*self.program, "hook", self.hook))) + "".join(
            f" {_quoted(word)}" for word in (*self.options, *_further(old))
        )


def form_of(file: File) -> ModuleType:
    """The module that reads and changes this file's form."""
    if file.form == "yaml":
        from brain.hosts import yaml_blocks

        return yaml_blocks
    return toml_tables if file.form == "toml" else jsonc


def is_our_server(entry: Any) -> bool:
    """Whether an MCP entry starts this program, or asks a server of it."""
    if not isinstance(entry, dict):
        return False
    words = [entry.get("command"), *(entry.get("args") or ())]
    told = [word for word in words if isinstance(word, str)]
    if "mcp" in told:
        before = told[: told.index("mcp")]
        return bool(_PROGRAM.search(before[-1])) if before else False
    return isinstance(entry.get("url"), str) and entry["url"].rstrip("/").endswith("/mcp")


def is_our_hook(command: Any, hook: str) -> bool:
    """Whether a hook's command line is ours for this host (a regular expression)."""
    pattern = rf"{_OURS}{hook}(?![\w-])"
    named = rf"-m\s+brain\s+hook\s+{hook}(?![\w-])"
    return isinstance(command, str) and bool(re.search(f"{pattern}|{named}", command))


def server_edits(data: Any, file: File, wanted: Wanted | None) -> list[Edit]:
    """The changes that put our server in; None takes it out.

    Raises:
        ValueError: another program's server has our name.
    """
    keys: Keys = (*file.servers, SERVER)
    there = _at(data, keys)
    if there is not None and not is_our_server(there):
        if wanted is None:
            return []
        raise ValueError(f"里面已有一个别的 MCP 服务器叫 {SERVER}，先给它改个名字")
    if wanted is None:
        return [] if there is None else [Edit("delete", _shallowest(data, keys))]
    entry = wanted.server()
    if there is None:
        more = {"type": "stdio"} if file.typed else {}
        return [Edit("set", keys, {**more, **entry})]
    if "url" in there:
        return []
    return [Edit("set", (*keys, key), one) for key, one in entry.items() if there.get(key) != one]


def server_of(data: Any, file: File) -> dict[str, Any] | None:
    """The entry of our server in a configuration; None where there is none."""
    there = _at(data, (*file.servers, SERVER))
    return there if is_our_server(there) else None


def hook_edits(data: Any, file: File, hook: str, wanted: Wanted | None) -> list[Edit]:
    """The changes that put our hook behind each of its events; None takes it out."""
    if wanted is None:
        return _removals(data, hook)
    edits = []
    for event in file.events:
        found = list(_commands(_at(data, ("hooks", event)), hook))
        for keys, command in found:
            told = wanted.command(command)
            if command != told:
                edits.append(Edit("set", ("hooks", event, *keys, "command"), told))
        if not found:
            edits.append(Edit("append", ("hooks", event), _hook_entry(file, event, wanted)))
    return edits


def _hook_entry(file: File, event: str, wanted: Wanted) -> dict[str, Any]:
    one: dict[str, Any] = {"command": wanted.command()}
    if file.timed:
        one["timeout"] = HOOK_SECONDS
    if file.shape == "flat":
        return one
    matcher = {"matcher": TOOLS} if event == "PreToolUse" else {}
    return {**matcher, "hooks": [{"type": "command", **one}]}


def _removals(data: Any, hook: str) -> list[Edit]:
    """Takes our commands out, and what holds nothing else any more."""
    edits, left = [], copy.deepcopy(data)
    for event in _events(data):
        # From the last one, so that those before keep their places.
        for keys, _ in reversed(list(_commands(_at(left, ("hooks", event)), hook))):
            edits.append(Edit("delete", _shallowest(left, ("hooks", event, *keys))))
            apply(left, edits[-1])
    return edits


def _shallowest(data: Any, keys: Keys) -> Keys:
    """The keys of the largest value that holds nothing but what is at ``keys``."""
    while len(keys) > 1:
        holder = _at(data, keys[:-1])
        if isinstance(holder, dict):
            holder = [key for key in holder if key != "matcher"]
        if len(holder) > 1:
            break
        keys = keys[:-1]
    return keys


def _events(data: Any) -> list[str]:
    hooks = _at(data, ("hooks",))
    return list(hooks) if isinstance(hooks, dict) else []


def _commands(entries: Any, hook: str) -> Iterator[tuple[Keys, str]]:
    """Where under an event a command of ours is."""
    for place, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        if is_our_hook(entry.get("command"), hook):
            yield (place,), entry["command"]
        inner = entry.get("hooks")
        for at, one in enumerate(inner if isinstance(inner, list) else ()):
            if isinstance(one, dict) and is_our_hook(one.get("command"), hook):
                yield (place, "hooks", at), one["command"]


def has_our_hook(data: Any, hook: str) -> bool:
    """Whether any event has our hook (a regular expression, as ``[a-z-]+`` for any host's)."""
    return any(any(_commands(_at(data, ("hooks", one)), hook)) for one in _events(data))


def apply(data: Any, edit: Edit) -> None:
    """Makes a change in the data itself: what the text has to say afterwards."""
    *way, last = edit.keys
    for key in way:
        data = _descend(data, key)
    if edit.op == "delete":
        del data[last]
    elif edit.op == "set":
        data[last] = edit.value
    else:
        if data.get(last) is None:
            data[last] = []
        data[last].append(edit.value)


def _descend(data: Any, key: str | int) -> Any:
    if isinstance(data, list):
        return data[int(key)]
    if data.get(key) is None:
        data[key] = {}
    return data[key]


def _at(data: Any, keys: Keys) -> Any:
    for key in keys:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data


def _further(command: str) -> list[str]:
    """The options of a hook's command line but ``--db`` and ``--scope``."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    behind = words[words.index("hook") + 2 :] if "hook" in words else []
    kept: list[str] = []
    rest = iter(behind)
    for word in rest:
        if word in ("--db", "--scope"):
            next(rest, None)
        elif not word.startswith(("--db=", "--scope=")):
            kept.append(word)
    return kept


def _quoted(word: str) -> str:
    if os.name != "nt":
        return shlex.quote(word)
    # Forward slashes: a backslash is an escape in half of the shells a host may use there.
    plain = word.replace("\\", "/")
    return f'"{plain}"' if " " in plain else plain


def program_here(argv0: str, executable: str, package: Path) -> tuple[str, ...]:
    """The words that start this very program from anywhere.

    Args:
        argv0: what this process was called as.
        executable: its Python.
        package: the folder of this package.
    """
    called = Path(os.path.abspath(argv0))
    for one in (called, called.with_suffix(".exe")):
        if one.stem == "brain" and one.suffix in ("", ".exe") and one.is_file():
            return (str(one),)
    script = package.parent / "brain.py"
    if called == script and script.is_file():
        return (executable, str(script))
    beside = Path(executable).with_name("brain.exe" if os.name == "nt" else "brain")
    return (str(beside),) if beside.is_file() else (executable, "-m", "brain")
