"""The scope of a command: given, from the environment, or that of the repository."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from brain.cli import scope


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "青鸟"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def six(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def test_the_scope_given_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_SCOPE", "web")
    assert scope.resolve(None) == "web"
    assert scope.resolve("api") == "api"
    assert scope.resolve("") == ""
    monkeypatch.delenv("BRAIN_SCOPE")
    assert scope.resolve(None) == ""


def test_auto_names_the_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = repository / "src"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert scope.resolve("auto") == f"青鸟-{six(str(repository))}"
    monkeypatch.setenv("BRAIN_SCOPE", "auto")
    assert scope.resolve(None) == scope.resolve("auto")


def test_the_remote_counts_before_the_path(repository: Path) -> None:
    git(repository, "remote", "add", "backup", "https://example.org/b.git")
    assert scope.of_repository(repository) == f"青鸟-{six('https://example.org/b.git')}"
    git(repository, "remote", "add", "origin", "https://token:secret@example.org/a.git")
    assert scope.of_repository(repository) == f"青鸟-{six('https://example.org/a.git')}"


def test_a_worktree_is_the_same_project(repository: Path, tmp_path: Path) -> None:
    git(repository, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit",
        "--allow-empty", "-qm", "x")  # fmt: skip
    git(repository, "worktree", "add", "-q", str(tmp_path / "side"))
    assert scope.of_repository(tmp_path / "side") == scope.of_repository(repository)


def test_outside_of_a_repository_auto_is_global(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scope.of_repository(tmp_path) == ""
    monkeypatch.setenv("PATH", "")
    assert scope.of_repository(tmp_path) == ""
