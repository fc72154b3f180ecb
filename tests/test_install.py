"""Installing: one version everywhere, an image whose health check asks the server it runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from brain import __version__
from tests.support import PATIENCE, ROOT
from tests.support.servers import Web
from tests.test_layers import PROJECT

TOKEN = "a long secret"


def lines_of_the_image() -> list[str]:
    """The instructions of the Dockerfile, each on one line."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_version_is_one() -> None:
    assert PROJECT["project"]["version"] == __version__
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([^\]]+)\](?: - \d{4}-\d\d-\d\d)?$", log, re.M)
    assert released[:2] == ["未发布", __version__]


def test_the_image_runs_as_nobody_special_on_what_is_locked() -> None:
    told = lines_of_the_image()
    assert any("--require-hashes --no-deps -r constraints.txt" in line for line in told)
    user = next(i for i, line in enumerate(told) if line.startswith("USER "))
    assert told[user] != "USER root"
    assert user < next(i for i, line in enumerate(told) if line.startswith("ENTRYPOINT "))
    assert "VOLUME /data" in told
    assert "ENV BRAIN_DB=/data/brain.db" in told


def test_the_health_check_asks_the_server(tmp_path: Path) -> None:
    (line,) = [line for line in lines_of_the_image() if line.startswith("HEALTHCHECK ")]
    words = json.loads(line[line.index("[") :])
    assert words[0] == "python"
    with Web(tmp_path, env={"BRAIN_TOKEN": TOKEN}) as web:
        code = words[2].replace("http://127.0.0.1:8766", web.url)
        assert code != words[2]
        for token, healthy in ((TOKEN, True), ("another", False)):
            done = subprocess.run(
                [sys.executable, words[1], code],
                env={"BRAIN_TOKEN": token},
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
            assert (done.returncode == 0) == healthy, done.stderr


def test_the_tests_run_on_every_system_and_python_that_is_promised() -> None:
    told: Any = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    matrix = told["jobs"]["test"]["strategy"]["matrix"]
    assert {one.split("-")[0] for one in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["project"]["requires-python"] == ">=3.11"
