"""Others on the wire measured: connections that never finish, and servers that do not tell the
truth to the client of ``BRAIN_URL``."""

from __future__ import annotations

import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from bench.tables import Row, table
from brain import Brain

PROGRAM = [sys.executable, "-m", "brain"]

TOKEN = "a long secret of the benchmark"


# Half open -----------------------------------------------------------------------------------


@contextmanager
def served(
    folder: Path, descriptors: int | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A real ``brain serve`` over a file in a folder, with its log beside, and its address.

    Args:
        descriptors: limit of open files of the process; None leaves it.
    """

    def limited() -> None:
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    env = {**os.environ, "BRAIN_DB": str(folder / "m.db"), "BRAIN_TOKEN": TOKEN}
    env |= {"BRAIN_MODEL": "none", "BRAIN_HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            stderr=log,
            env=env,
            preexec_fn=limited,
        )
        try:
            assert process.stdout
            yield process, str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()
            process.communicate()


def post(url: str, path: str, **body: object) -> tuple[int, float]:
    """The status of a request on a connection of its own, and its seconds."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(url).port, timeout=120)
    head = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    try:
        connection.request("POST", path, json.dumps(body).encode(), head)
        answer = connection.getresponse()
        answer.read()
        return answer.status, time.perf_counter() - began
    except OSError:
        return 0, time.perf_counter() - began
    finally:
        connection.close()


def processor(pid: int) -> float:
    """Seconds of processor a process has used; NaN without /proc."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


_UNFINISHED = {
    "no header's end": b"POST /recall HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "not a byte": b"",
    "no body's end": b"POST /recall HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n{",
    "refused and staying": b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
}


def half_open(count: int, descriptors: int, seconds: float) -> str:
    """A row for each kind of connection that is opened and never finished, ``count`` at once."""
    found: list[Row] = []
    for kind, sent in _UNFINISHED.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with Brain.open(folder / "m.db", model="none") as brain:
                brain.add("值班群是青鸟群")
            with served(folder, descriptors) as (process, url):
                post(url, "/recall", query="值班群")  # what is loaded once is loaded
                port = urlsplit(url).port
                held = []
                began, used = time.perf_counter(), processor(process.pid)
                for _ in range(count):
                    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
                    connection.sendall(sent)
                    held.append(connection)
                answers = []
                while time.perf_counter() - began < seconds or len(answers) < 5:
                    answers.append(post(url, "/recall", query="值班群"))
                    time.sleep(0.1)
                share = (processor(process.pid) - used) / (time.perf_counter() - began)
                for connection in held:
                    connection.close()
            times = [s for _, s in answers]
            wrong = sum(status != 200 for status, _ in answers)
            log = (folder / "log").stat().st_size
            row: Row = [f"{count} × {kind}", len(answers), wrong]
            row += [f"{1000 * median(times):.0f}", f"{1000 * max(times):.0f}"]
            found.append([*row, f"{100 * share:.0f} %", log])
    head = (f"half open, {descriptors} descriptors", "new clients meanwhile", "not answered")
    return table((*head, "ms, median", "ms, most", "of a processor", "bytes of log"), found)


# A lying server ------------------------------------------------------------------------------


def _answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""])
    return head.encode() + body


def _drip(taken: socket.socket) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000:
        taken.sendall(bytes([byte]))
        time.sleep(0.2)


def _endless(taken: socket.socket) -> None:
    taken.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        taken.sendall(b" " * 65536)


def _error(code: str, message: str) -> bytes:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    return _answer(body, "400 Bad Request", "Brain-Exit-Code: 65")


LIES: Mapping[str, Callable[[socket.socket], object]] = {
    "nothing at all": lambda s: time.sleep(300),
    "a byte every 0.2 s": _drip,
    "a body without end": _endless,
    "JSON 200,000 deep": lambda s: s.sendall(_answer(b"[" * 200_000 + b"]" * 200_000)),
    "another shape": lambda s: s.sendall(_answer(b'{"hits": 7, "query": []}')),
    "ESC in the code": lambda s: s.sendall(_error("brain_\x1b[2J", "m")),
    "ESC in the message": lambda s: s.sendall(_error("brain_x", "a\x1b[2J\x9b31m\u202e\nb")),
}


@contextmanager
def lying(lie: Callable[[socket.socket], object]) -> Iterator[str]:
    """A server that does with each connection what it likes."""

    def one(taken: socket.socket) -> None:
        try:
            with taken:
                taken.recv(65536)
                lie(taken)
        except OSError:
            return

    def run() -> None:
        while True:
            try:
                taken, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(taken,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=run, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that asked a lying server."""

    code: int
    seconds: float
    mib: float
    out: bytes
    err: bytes


def ask(url: str, folder: Path) -> Asked:
    """``brain recall`` in a process of its own, to its end."""
    env = {**os.environ, "BRAIN_URL": url, "BRAIN_HOME": str(folder), "BRAIN_MODEL": "none"}
    env.pop("BRAIN_DB", None)
    began = time.perf_counter()
    # Files, not pipes: whoever waits for the end by hand does not read meanwhile.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*PROGRAM, "recall", "值班群"], stdout=out, stderr=err, env=env, cwd=folder
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        for told in (out, err):
            told.seek(0)
        unit = 1 if sys.platform == "darwin" else 1024
        mib = usage.ru_maxrss * unit / 2**20
        return Asked(process.returncode, seconds, mib, out.read(), err.read())


def _raw(told: bytes) -> int:
    """Control characters that a terminal would obey, line ends left out."""
    text = told.decode("utf-8", "replace")
    bidi = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return sum((c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c in bidi for c in text)


def lies() -> str:
    """A row for each way of lying, all of them asked at once: some take half a minute."""
    found: dict[str, Asked] = {}

    def one(name: str) -> None:
        with tempfile.TemporaryDirectory() as folder, lying(LIES[name]) as url:
            found[name] = ask(url, Path(folder))

    threads = [threading.Thread(target=one, args=(name,)) for name in LIES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows: list[Row] = []
    for name in LIES:
        told = found[name]
        said = told.err.decode("utf-8", "replace")
        code = said.partition("[")[2].partition("]")[0] or "–"
        trace = "yes" if "Traceback" in said else "no"
        row: Row = [name, told.code, code, f"{told.seconds:.1f}", f"{told.mib:.0f}"]
        rows.append([*row, _raw(told.out + told.err), trace])
    head = ("a server that gives", "exit", "code", "seconds", "MiB, peak", "raw controls")
    return table((*head, "traceback"), rows)
