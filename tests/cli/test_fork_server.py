"""Fork server of the tests: a forked run says and leaves what a cold one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Cli
from tests.support.fork_server import CAN_FORK, may_fork

COLD = {"PYTHONHASHSEED": "7"}
"""What steers Python is read at its start: such a run is never forked."""


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--json"),
        ("inject", "值班群是哪个"),
        ("add", "--valid-from", "瞎写的", "规矩", "--json"),
        ("show", "99"),
        ("nonsense",),
    ],
)
def test_it_is_what_a_cold_run_is(tmp_path: Path, words: tuple[str, ...]) -> None:
    cli = Cli(tmp_path)
    assert cli("add", "值班群是青鸟群").code == 0
    assert cli(*words) == cli(*words, env=COLD)


def test_input_of_any_length_arrives(tmp_path: Path) -> None:
    given = "\n".join(f"第{n}号仓库的管理员是第{n}组" for n in range(9_000)).encode()
    warm, cold = (Cli(tmp_path)("compress", "-", stdin=given, env=e) for e in (None, COLD))
    assert (warm.code, warm.out) == (0, cold.out)


def test_usual_runs_are_forked_and_those_with_a_zone_are_not(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    assert may_fork(cli.env({"BRAIN_SCOPE": "web"})) is CAN_FORK
    assert not may_fork(cli.env({"TZ": "Asia/Shanghai"}))
    assert not may_fork(cli.env(COLD))
