"""Scope resolution for a command: ``--scope``, else ``BRAIN_SCOPE``, else '' (global)."""

from __future__ import annotations

import os
import re
from pathlib import Path

AUTO = "auto"
"""The one value that is looked up: the git repository around the current folder."""

# A token in the URL of a build machine differs from run to run.
_LOGIN = re.compile(r"^(https?://)[^/@]*@")


def is_auto(given: str | None) -> bool:
    """Whether the scope is looked up, and not one that somebody typed."""
    return (os.environ.get("BRAIN_SCOPE") if given is None else given) == AUTO


def resolve(given: str | None) -> str:
    """The scope to use; ``auto`` stands for the repository here, '' outside of one."""
    scope = os.environ.get("BRAIN_SCOPE", "") if given is None else given
    return of_repository(Path.cwd()) if scope == AUTO else scope


def of_repository(folder: Path) -> str:
    """Names the git repository a folder lies in: ``root-1a2b3c``, or '' without one.

    The six hex digits are of the SHA-256 of the remote's URL (origin first), else of the path,
    so that two checkouts of one project share a scope and two projects of one name do not.
    """
    import hashlib

    answer = _git(folder, "rev-parse", "--show-toplevel", "--git-common-dir")
    if answer is None:
        return ""
    top, _, common = answer.partition("\n")
    root = Path(top)
    # All worktrees of a repository are one project: the folder that holds .git names it.
    shared = (folder / common).resolve()
    if shared.name == ".git":
        root = shared.parent
    identity = _LOGIN.sub(r"\1", _remote(folder) or str(root))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{root.name}-{digest[:6]}"


def _remote(folder: Path) -> str | None:
    origin = _git(folder, "config", "--get", "remote.origin.url")
    if origin:
        return origin
    others = _git(folder, "config", "--get-regexp", r"^remote\..*\.url$")
    return others.split("\n")[0].partition(" ")[2] if others else None


def _git(folder: Path, *args: str) -> str | None:
    import subprocess  # three milliseconds that a call without auto does without

    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *args], capture_output=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\r\n").replace("\r\n", "\n")
