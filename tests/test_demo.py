"""The demo runs and gets the answers it expects, with the bundled model and without any."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from brain import Draft
from tests.support import PATIENCE, ROOT
from tests.support.cli import Cli


@pytest.mark.parametrize("model", ["", "none"], ids=["default", "none"])
def test_the_demo_gets_what_it_expects(
    tmp_path_factory: pytest.TempPathFactory, model: str
) -> None:
    cli = Cli(tmp_path_factory.mktemp("demo"))
    done = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env=cli.env({"BRAIN_MODEL": model, "PYTHONIOENCODING": "gbk"}),
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "全部符合预期" in done.stdout
    assert not cli.db.exists()


def test_the_notes_are_drafts_of_every_kind() -> None:
    lines = (ROOT / "examples" / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    drafts = [Draft(**json.loads(line)) for line in lines]
    assert 30 <= len(drafts) <= 40
    kinds = {draft.kind for draft in drafts}
    assert kinds == {"fact", "preference", "decision", "episode", "skill", "note"}
    assert len({draft.text for draft in drafts}) == len(drafts)
