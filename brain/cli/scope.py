"""Scope resolution for a command: ``--scope``, else ``BRAIN_SCOPE``, else '' (global)."""

from __future__ import annotations

import os
from pathlib import Path

AUTO = "auto"
"""The one value that is looked up: the git repository around the current folder."""


def is_auto(given: str | None) -> bool:
    """Whether the scope is looked up, and not one that somebody typed."""
    return (os.environ.get("BRAIN_SCOPE") if given is None else given) == AUTO


def resolve(given: str | None) -> str:
    """The scope to use; ``auto`` stands for the repository here, '' outside of one."""
    scope = os.environ.get("BRAIN_SCOPE", "") if given is None else given
    return of_repository(Path.cwd()) if scope == AUTO else scope


def of_repository(folder: Path) -> str:
    """Names the git repository a folder lies in, '' without one: see
    :func:`brain.repository.project`."""
    from brain.repository import project  # a call without auto does without

    return project(folder)
