"""Runs the real command line in a process of its own, away from the user's files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import PATIENCE, ROOT
from tests.support.fork_server import Forked, may_fork

PROGRAM = ROOT / "brain.py"


@dataclass(frozen=True)
class Done:
    """What a run left behind; the bytes are decoded as UTF-8, strictly."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on stdout."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Cli:
    """The command line in a home folder of its own, with one memory file."""

    home: Path
    model: str = "none"

    @property
    def db(self) -> Path:
        return self.home / "brain.db"

    def env(self, extra: dict[str, str] | None = None) -> dict[str, str]:
        """Our environment without what steers the program."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("BRAIN_", "PYTHON"))}
        ours = {"HOME": str(self.home), "USERPROFILE": str(self.home), "BRAIN_DB": str(self.db)}
        return {**kept, **ours, "BRAIN_MODEL": self.model, **(extra or {})}

    def __call__(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Done:
        words, where, whole = [str(PROGRAM), *args], cwd or self.home, self.env(env)
        if may_fork(whole):
            process = Forked(words, whole, where)
            told = process.communicate(stdin, PATIENCE)
            code = process.wait()
        else:
            done = subprocess.run(
                [sys.executable, *words],
                input=stdin,
                capture_output=True,
                env=whole,
                cwd=where,
                timeout=PATIENCE,
                check=False,
            )
            told, code = (done.stdout, done.stderr), done.returncode
        out, err = told[0].decode("utf-8"), told[1].decode("utf-8")
        assert "Traceback" not in err, err
        return Done(code, out, err)


Say = Callable[..., Done]
"""The command line in this process: the fixture ``say``."""
