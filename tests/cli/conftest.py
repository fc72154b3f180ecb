"""What the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.cli.program import run
from tests.support.cli import Done, Say


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Say:
    """The command line in this process, with a home of its own and no file named."""
    for name in ("BRAIN_DB", "BRAIN_URL", "BRAIN_SCOPE", "BRAIN_MODEL_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BRAIN_MODEL", "none")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def ask(*args: str) -> Done:
        capfd.readouterr()
        code = run(args)
        return Done(code, *capfd.readouterr())

    return ask
