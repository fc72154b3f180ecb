"""Setup of a host: its configuration with our MCP server and hooks in it, or without them."""

from __future__ import annotations

import copy
import difflib
import json
import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.errors import EXIT_DATA, BrainError
from brain.hosts import jsonc, registry, wiring
from brain.hosts.config_file import ConfigFile, read, refused
from brain.hosts.registry import PASTED, SERVER, File, Host
from brain.hosts.wiring import Wanted
from brain.results import HostFile, HostSetup, HostState

PATIENCE = 20.0
"""Seconds a server has for its greeting."""

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "brain-setup", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class _Change:
    """What becomes of one file."""

    file: ConfigFile
    data: bytes
    diff: str


def set_up(
    name: str,
    program: tuple[str, ...],
    options: tuple[str, ...],
    *,
    level: str,
    remove: bool,
    dry_run: bool,
    home: Path,
    project: Path,
) -> HostSetup:
    """Writes a host's configuration, all of its files or none.

    Args:
        name: the host.
        program: the words that start brain.
        options: ``--db`` and ``--scope`` with their values, as they are to be written.
        level: ``user`` or ``project``.
        remove: takes ours out again.
        dry_run: only says what would be.
        home, project: the person's folder and the project's.

    Raises:
        BrainError: ``brain_hook_unknown`` (65) for an unknown host, ``brain_setup_refused`` (73)
            where a file cannot be written safely.
    """
    if name in PASTED:
        return HostSetup(name, level, (), paste=PASTED[name])
    host = _host(name, home, project)
    if level not in host.files:
        raise refused(Path(host.title), "没有项目级的配置")
    wanted = Wanted(program, options, host.hook)
    if not host.spaces and " " in program[0]:
        raise refused(Path(host.title), "的 command 里不能有空格，请把 brain 装在没有空格的路径下")
    changes = [_change(file, host, None if remove else wanted) for file in host.files[level]]
    for one in changes:
        if one.data != one.file.data:
            one.file.check_writable()
    backups = [None] * len(changes) if dry_run else _write(changes)
    files = tuple(
        HostFile(
            str(one.file.path),
            bool(one.diff),
            one.file.data is None and bool(one.diff),
            None if backup is None else str(backup),
            one.diff,
        )
        for one, backup in zip(changes, backups, strict=True)
    )
    paste = ""
    if host.paste and level == registry.USER and not remove:
        entry = {"mcpServers": {SERVER: wanted.server()}}
        paste = f"{host.paste}\n{json.dumps(entry, ensure_ascii=False, indent=2)}"
    return HostSetup(name, level, files, removed=remove, dry_run=dry_run, paste=paste)


def states(home: Path, project: Path, *, probe: bool = True) -> tuple[HostState, ...]:
    """Which hosts are here, and whether brain is in their configuration and answers.

    Args:
        home, project: as in :func:`set_up`; either level counts.
        probe: starts each server that is configured and waits for its greeting.
    """
    answered: dict[str, bool] = {}
    return tuple(
        _state(name, registry.find(name, home, project), answered if probe else None)
        for name in registry.NAMES
    )


def _host(name: str, home: Path, project: Path) -> Host:
    if name not in registry.NAMES:
        known = "、".join((*registry.NAMES, *PASTED))
        told = f"不认识宿主「{name[:40]}」；有：{known}。"
        raise BrainError("brain_hook_unknown", told, EXIT_DATA)
    return registry.find(name, home, project)


def _change(file: File, host: Host, wanted: Wanted | None) -> _Change:
    """One file with ours in it, or without; proven by reading it again."""
    held = read(file.path)
    form = wiring.form_of(file)
    try:
        data = form.parse(held.text)
    except (ValueError, RecursionError) as error:
        raise refused(file.path, f"读不懂（{error}），先改好它") from None
    try:
        edits = wiring.server_edits(data, file, wanted) if file.servers else []
        if host.hook and file.events and not (wanted and _is_elsewhere(file)):
            edits += wiring.hook_edits(data, file, host.hook, wanted)
        if edits and held.data is None and file.version is not None:
            edits.insert(0, wiring.Edit("set", ("version",), file.version))
        text, meant = held.text, copy.deepcopy(data)
        change = {"set": form.set_value, "append": form.append}
        for edit in edits:
            if edit.op == "delete":
                text = form.delete(text, edit.keys)
            else:
                text = change[edit.op](text, edit.keys, edit.value)
            wiring.apply(meant, edit)
        whole = form.parse(text) == meant
    except ValueError as error:
        raise refused(file.path, f"写不进去：{error}") from None
    except (KeyError, IndexError, TypeError, AttributeError, StopIteration):
        # A list where a table belongs, or the like: the host itself could not read it.
        whole = False
    if not whole:
        raise refused(file.path, "的写法不能只改这几处而不动别的，请照 docs/hosts.md 手工改")
    if not edits:
        return _Change(held, held.data or b"", "")
    old, new = (one.splitlines(keepends=True) for one in (held.text, text))
    lines = difflib.unified_diff(old, new, str(file.path), str(file.path))
    diff = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    return _Change(held, held.encoded(text), diff)


def _is_elsewhere(file: File) -> bool:
    """Whether our hooks are in another file this host reads: twice would be two blocks a turn."""
    for path in file.instead:
        try:
            if wiring.has_our_hook(jsonc.parse(read(path).text), "[a-z-]+"):
                return True
        except (BrainError, ValueError):
            continue
    return False


def _write(changes: list[_Change]) -> list[Path | None]:
    """Writes every file that changes; after a failure those before are as they were."""
    backups: list[Path | None] = []
    for place, one in enumerate(changes):
        try:
            backups.append(one.file.write(one.data) if one.diff else None)
        except BaseException:
            for before, backup in zip(changes[:place], backups, strict=True):
                if before.diff:
                    before.file.put_back(backup)
            raise
    return backups


def _state(name: str, host: Host, answered: dict[str, bool] | None) -> HostState:
    files = [file for level in host.files.values() for file in level]
    there = tuple(str(file.path) for file in files if file.path.exists())
    entries, hooked, broken = [], False, False
    for file in files:
        if not file.path.exists():
            continue
        try:
            data = wiring.form_of(file).parse(read(file.path).text)
        except (BrainError, ValueError, RecursionError):
            broken = True
            continue
        entry = wiring.server_of(data, file) if file.servers else None
        if entry is not None:
            entries.append(entry)
        hooked = hooked or bool(host.hook and wiring.has_our_hook(data, host.hook))
    hooked = hooked or any(_is_elsewhere(file) for file in files if file.events)
    answers = None
    if answered is not None and entries:
        known = [_answers(entry, answered) for entry in entries]
        answers = None if None in known else all(known)
    return HostState(
        name,
        host.home.is_dir() or bool(there),
        bool(entries),
        hooked if host.hook else None,
        answers,
        not broken,
        there,
    )


def _answers(entry: dict[str, Any], answered: dict[str, bool]) -> bool | None:
    """Whether a configured server greets; None for one at an address, which is asked nothing."""
    command, args = entry.get("command"), entry.get("args") or []
    words = [command, *args]
    if not all(isinstance(word, str) for word in words):
        return None
    env = entry.get("env") or {}
    key = json.dumps([words, env], sort_keys=True, default=str)
    if key not in answered:
        answered[key] = _greets(words, env if isinstance(env, dict) else {})
    return answered[key]


def _greets(words: list[str], env: dict[str, Any]) -> bool:
    told = {k: v for k, v in env.items() if isinstance(k, str) and isinstance(v, str)}
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **told},
        )
    except (OSError, ValueError):
        return False
    limit = threading.Timer(PATIENCE, process.kill)
    limit.start()
    try:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        return bool(answer["result"]["serverInfo"]["name"] == "brain")
    except (OSError, ValueError, KeyError, TypeError):
        return False
    finally:
        limit.cancel()
        process.kill()
        process.communicate()
