"""Shell completion: the real shells complete, and installing keeps what else is in their files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brain.cli import completion
from brain.errors import BrainError
from tests.support import PATIENCE
from tests.support.cli import PROGRAM

ASK = {
    "bash": """source "$SCRIPT"
COMP_WORDS=(brain {words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_brain_complete; printf '%s\n' "${{COMPREPLY[@]}}" """,
    "zsh": """compdef() {{ :; }}; compadd() {{ shift; print -l -- "$@" }}; _files() {{ :; }}
source "$SCRIPT"; words=(brain {words}); CURRENT=$#words; _brain""",
    "fish": """source "$SCRIPT"; complete -C "brain {line}" """,
    "pwsh": """. $env:SCRIPT; $line = 'brain {line}'
(TabExpansion2 $line $line.Length).CompletionMatches | ForEach-Object {{ $_.CompletionText }}""",
}
"""How each shell is asked, without a terminal, what it would offer."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``PATH`` with the program in it."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "brain").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAM}" "$@"\n')
    (folder / "brain").chmod(0o755)
    return folder


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for the program is a shell script")
@pytest.mark.parametrize("shell", ASK)
def test_a_shell_completes_verbs_and_options(shell: str, program: Path, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    script = tmp_path / ("script.ps1" if shell == "pwsh" else "script")
    name = "powershell" if shell == "pwsh" else shell
    script.write_text(completion.SCRIPTS[name], encoding="utf-8")
    env = {
        **os.environ,
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    flag = "-Command" if shell == "pwsh" else "-c"

    def offered(*words: str) -> list[str]:
        asked = ASK[shell].format(
            words=" ".join(word or "''" for word in words), line=" ".join(words)
        )
        done = subprocess.run(
            [shell, flag, asked],
            capture_output=True,
            encoding="utf-8",
            env={**env, "SCRIPT": str(script)},
            timeout=PATIENCE,
            check=False,
        )
        return done.stdout.split() if done.returncode in (0, 1) else [done.stderr]

    assert set(offered("rec")) == {"recall", "record", "recover"}
    assert {"add", "model", "help"} <= set(offered(""))
    assert set(offered("words", "")) == {"add", "list", "remove"}
    assert offered("recall", "--exp") == ["--explain"]


def test_an_empty_word_may_come_in_quotes() -> None:
    assert completion.candidates(["words", '""']) == completion.candidates(["words", ""])


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_installing_twice_is_installing_once_and_keeps_other_bytes(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("ZDOTDIR", raising=False)
    other = "alias 好='ls'\r\n".encode("gbk")
    file = tmp_path / f".{shell}rc"
    file.write_bytes(other)
    assert completion.install(shell) == file
    once = file.read_bytes()
    assert once.startswith(other)
    file.write_bytes(once + b"# after\n")
    completion.install(shell)
    assert file.read_bytes() == once + b"# after\n"


def test_powershell_says_itself_where_its_profile_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.name == "nt":
        pytest.skip("the stand-in is a shell script")
    profile = tmp_path / "文档" / "profile.ps1"
    stand_in = tmp_path / "pwsh"
    stand_in.write_text(f"#!/bin/sh\necho '{profile}'\n", encoding="utf-8")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert completion.run(["--install-completion", "pwsh"])
    assert "Register-ArgumentCompleter" in profile.read_text(encoding="utf-8")
    profile.write_bytes("$x = 1".encode("utf-16"))
    with pytest.raises(BrainError) as refused:
        completion.run(["--install-completion", "powershell"])
    assert refused.value.code == "brain_completion"
    assert profile.read_bytes() == "$x = 1".encode("utf-16")
