"""Fork server: runs of the program that start from a process which has its modules loaded.

A start of Python and the imports are nine tenths of the processor time of most runs, and the tests
make some thousands. A run here is still a process of its own, with its own environment, folder,
streams and exit status, and goes through ``brain.py`` from its first line; what starting itself
does is tested with ``subprocess``, and so is every run whose environment steers Python or the C
library.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent.parent
CAN_FORK = sys.platform == "linux"


class Forked:
    """A process of the fork server, used as a :class:`subprocess.Popen` with three pipes.

    Args:
        args: the script and its arguments, as ``sys.argv`` has them.
        env: the whole environment.
        cwd: the folder.
    """

    def __init__(self, args: Sequence[str | bytes], env: Mapping[str, str], cwd: Path) -> None:
        self.args = args
        self.returncode: int | None = None
        given, self._told = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stdin, to_stdin = os.pipe()
        from_stdout, stdout = os.pipe()
        from_stderr, stderr = os.pipe()
        mask = os.umask(0)
        os.umask(mask)
        job = {"args": [*map(os.fsdecode, args)], "env": {**env}, "cwd": str(cwd), "umask": mask}
        with tempfile.TemporaryFile() as order:
            order.write(json.dumps(job).encode())
            order.flush()
            fds = [order.fileno(), given.fileno(), stdin, stdout, stderr]
            socket.send_fds(_server(os.getpid())[0], [b"."], fds)
            for fd in fds[2:]:
                os.close(fd)
            given.close()
            self.pid = int(self._told.recv(32))
        self.stdin: IO[bytes] = open(to_stdin, "wb")  # noqa: SIM115
        self.stdout: IO[bytes] = open(from_stdout, "rb")  # noqa: SIM115
        self.stderr: IO[bytes] = open(from_stderr, "rb")  # noqa: SIM115

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, as :meth:`subprocess.Popen.wait` gives it."""
        if self.returncode is None:
            self._told.settimeout(timeout)
            try:
                status = self._told.recv(32)
            except TimeoutError:
                raise subprocess.TimeoutExpired(list(self.args), timeout or 0) from None
            self._told.close()
            self.returncode = int(status or -signal.SIGKILL)
        return self.returncode

    def poll(self) -> int | None:
        """The exit status of a process that has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired, BlockingIOError):
            return self.wait(0)
        return None

    def send_signal(self, number: int) -> None:
        """Sends a signal to a process that has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, data: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Writes all of its input and reads all it says, to its end."""
        said: dict[str, bytes] = {}
        readers = [
            threading.Thread(target=lambda n=name, s=stream: said.update({n: s.read()}))
            for name, stream in (("out", self.stdout), ("err", self.stderr))
        ]
        writer = threading.Thread(target=self._write, args=(data,))
        limit = threading.Timer(timeout, self.kill) if timeout else None
        for thread in (*readers, writer, *filter(None, [limit])):
            thread.start()
        for thread in (*readers, writer):
            thread.join()
        self.wait()
        if limit is not None:
            assert limit.is_alive(), f"no end within {timeout} seconds: {self.args}"
            limit.cancel()
        self.stdout.close()
        self.stderr.close()
        return said["out"], said["err"]

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.stdin.write(data)
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()


def may_fork(env: Mapping[str, str]) -> bool:
    """Whether a run in an environment is the same from a fork: what libraries read as they are
    loaded, is read only once."""
    if not CAN_FORK:
        return False
    usual = _server(os.getpid())[1]
    changed = {k for k in {*env, *usual} if env.get(k) != usual.get(k)}
    return all(k.startswith(("BRAIN_", "PYTEST_")) or k in ("HOME", "USERPROFILE") for k in changed)


@cache
def _server(pid: int) -> tuple[socket.socket, dict[str, str]]:
    """The server of this process, which ends with it, and its environment."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BRAIN_", "PYTHON"))}
    with tempfile.TemporaryDirectory() as home:
        subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), home],
            env=kept,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        assert ours.recv(8) == b"ready"
    return ours, kept


def _serve(orders: socket.socket) -> None:
    """Forks for each order until its socket is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    orders.send(b"ready")
    while True:
        message, fds, _, _ = socket.recv_fds(orders, 8, 5)
        if not message:
            return
        with open(fds.pop(0), "rb") as file:
            file.seek(0)
            job = json.load(file)
        if {"serve", "mcp", "mcp_server.py"} & {Path(job["args"][0]).name, *job["args"][1:2]}:
            _load_servers()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            orders.close()
            _keep(job, *fds)
        for fd in fds:
            os.close(fd)


def _keep(job: dict[str, Any], told: int, stdin: int, stdout: int, stderr: int) -> None:
    """Forks the process itself, tells its id and then its exit status; it ends in that process."""
    pid = os.fork()
    if pid:
        for fd in (stdin, stdout, stderr):
            os.close(fd)
        os.write(told, b"%d" % pid)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with contextlib.suppress(OSError):
            os.write(told, b"%d" % status)
        os._exit(0)
    os.close(told)
    for number, fd in enumerate((stdin, stdout, stderr)):
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.environ.clear()
    os.environ.update(job["env"])
    os.umask(job["umask"])
    os.chdir(job["cwd"])
    sys.argv = job["args"]
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit()


@cache
def _load_servers() -> None:
    for name in ("call_dispatch", "http.server", "http.app", "mcp.stdio"):
        import_module(f"brain.serve.{name}")


def _load(home: str) -> None:
    """Loads what runs of the program load, word lists too, by making some."""
    from brain.cli import verbs
    from brain.cli.process import begin
    from brain.cli.program import run

    begin()
    for verb in verbs.VERBS:
        verbs.load(verb)
    env = {**os.environ}
    os.environ.update(BRAIN_DB=f"{home}/brain.db", BRAIN_MODEL="none", HOME=home)
    quiet = os.open(os.devnull, os.O_WRONLY)
    streams = os.dup(1), os.dup(2)
    for fd in (1, 2):
        os.dup2(quiet, fd)
    run(["add", "值班群是青鸟群，三月一日起"])
    for words in (["inject", "值班群是哪个"], ["list", "--json"], ["add", "--help"], ["--help"]):
        run(words)
    for fd, stream in zip((1, 2), streams, strict=True):
        os.dup2(stream, fd)
        os.close(stream)
    os.close(quiet)
    os.environ.clear()
    os.environ.update(env)
    assert "brain.embed.e5" not in sys.modules, "the model minds a fork"


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    _load(sys.argv[2])
    _serve(socket.socket(fileno=int(sys.argv[1])))
