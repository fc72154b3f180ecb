"""Measures the servers: ``python -m bench.servers [--notes 10000] [--model …]``.

The same file and questions as ``bench.latency``, the model real and warm:

- one client: ``inject`` in this process, over MCP stdio and over HTTP, in turn for each question,
- the command line through the server as a whole process, beside the least a Python program takes
  and beside the same command on the file,
- many clients at once over HTTP, every answer compared with the one in this process,
- from a process's start to the handshake and to the first answer, and the memory it takes.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from bench import data, latency, notes, processes, vectors
from bench.tables import Row, number, publish, table
from brain import Brain

ROOT = Path(__file__).parent.parent
PERCENTILES = (50, 95)
MCP = [sys.executable, str(ROOT / "mcp_server.py")]
CLI = [sys.executable, str(ROOT / "brain.py")]


class Stdio:
    """One MCP server over stdio, spoken raw."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            MCP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env)
        )
        about = {"name": "bench", "version": "1"}
        self.ask(
            "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        )
        self.handshake = (time.perf_counter() - self.started) * 1000
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())["result"]

    def inject(self, question: str) -> Any:
        call = {"name": "inject", "arguments": {"query": question}}
        return self.ask("tools/call", call)["structuredContent"]

    def close(self) -> None:
        self.process.communicate()


class Web:
    """One ``brain serve``."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [*CLI, "serve", "--port", "0", "--json", "--no-token"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
        )
        assert self.process.stdout
        self.url = str(json.loads(self.process.stdout.readline())["url"])
        with self.client() as client:
            client.get("/healthz")
        self.handshake = (time.perf_counter() - self.started) * 1000

    def client(self) -> Client:
        return Client(self.url)

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate()


class Client:
    """A connection that is kept."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, path: str) -> Any:
        self._connection.request("GET", path)
        return json.loads(self._connection.getresponse().read())

    def inject(self, question: str) -> Any:
        body = json.dumps({"query": question})
        self._connection.request("POST", "/inject", body, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {answer}")
        return answer


def resident(pid: int) -> float:
    """Resident memory of a process in MiB; NaN where there is no /proc."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def timed(function: Any, question: str) -> tuple[float, Any]:
    """Milliseconds, and the answer."""
    start = time.perf_counter()
    answer = function(question)
    return (time.perf_counter() - start) * 1000, answer


def one_client(
    brain: Brain, stdio: Stdio, web: Web, questions: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """The table of one client, and every question's answer in this process."""
    right = {q: brain.inject(q).to_dict() for q in questions}
    with web.client() as client:
        ways: dict[str, Any] = {
            "in this process": lambda q: brain.inject(q).to_dict(),
            "MCP over stdio": stdio.inject,
            "HTTP": client.inject,
        }
        for way in ways.values():
            for question in questions[:20]:
                way(question)
        times: dict[str, list[float]] = {name: [] for name in ways}
        wrong: dict[str, int] = dict.fromkeys(ways, 0)
        for question in questions:
            for name, way in ways.items():
                ms, answer = timed(way, question)
                times[name].append(ms)
                wrong[name] += answer != right[question]
    base = np.percentile(times["in this process"], PERCENTILES)
    rows: list[Row] = []
    for name, ms in times.items():
        at = np.percentile(ms, PERCENTILES)
        more = at - base
        rows.append([name, len(ms), wrong[name], *(f"{x:.1f}" for x in (*at, *more))])
    head = ("warm inject, one client, ms", "n", "wrong", "p50", "p95", "p50 more", "p95 more")
    return table(head, rows), right


def command_line(path: Path, url: str, question: str, count: int, env: Mapping[str, str]) -> str:
    """The table of whole processes."""
    commands = [
        [*CLI, "inject", question],
        [*CLI, "inject", question, "--db", str(path)],
        [sys.executable, "-c", "pass"],
    ]
    runs = processes.alternate(commands, count, {**env, "BRAIN_URL": url})
    if runs[0].each[0].out != runs[1].each[0].out:
        raise RuntimeError("the command line says something else through the server")
    labels = ("inject through the server", "inject on the file", "python -c pass")
    rows: list[Row] = [
        [label, *(f"{x:.0f}" for x in (*r.ms, r.busy))]
        for label, r in zip(labels, runs, strict=True)
    ]
    head = (f"whole process, {count} runs, ms", "min", "median", "max", "processor")
    return table(head, rows)


def many_clients(web: Web, right: Mapping[str, Any], clients: int, calls: int) -> str:
    """The table of many clients at once."""
    questions = list(right)
    before = resident(web.process.pid)

    def one(first: int) -> tuple[list[float], int, int]:
        times, wrong, failed = [], 0, 0
        with web.client() as client:
            for n in range(calls):
                question = questions[(first * 31 + n) % len(questions)]
                try:
                    ms, answer = timed(client.inject, question)
                except (OSError, RuntimeError, http.client.HTTPException):
                    failed += 1
                    continue
                times.append(ms)
                wrong += answer != right[question]
        return times, wrong, failed

    rows: list[Row] = []
    for turn in (1, 2):
        start = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            done = list(pool.map(one, range(clients)))
        seconds = time.perf_counter() - start
        times = [ms for each, _, _ in done for ms in each]
        rows.append(
            [
                f"round {turn}",
                len(times),
                sum(failed for _, _, failed in done),
                sum(wrong for _, wrong, _ in done),
                f"{len(times) / seconds:.0f}",
                *(f"{x:.0f}" for x in np.percentile(times, PERCENTILES)),
                f"{before:.0f}",
                f"{resident(web.process.pid):.0f}",
            ]
        )
        before = resident(web.process.pid)
    head = (
        f"HTTP, {clients} clients × {calls} calls",
        *("answered", "failed", "wrong", "a second", "p50 ms", "p95 ms"),
        *("MiB before", "MiB after"),
    )
    return table(head, rows)


def starts(question: str, count: int, env: Mapping[str, str]) -> str:
    """The table of starts."""
    rows: list[Row] = []
    for label, kind in (("MCP over stdio", Stdio), ("HTTP", Web)):
        found: list[list[float]] = []
        degraded = 0
        for _ in range(count):
            server: Any = kind(env)
            shaken = resident(server.process.pid)
            asked = server if kind is Stdio else server.client()
            _, answer = timed(asked.inject, question)
            first = (time.perf_counter() - server.started) * 1000
            degraded += bool(answer["degraded"])
            while asked.inject(question)["degraded"]:
                time.sleep(0.02)
            whole = (time.perf_counter() - server.started) * 1000
            row = [server.handshake, first, whole, shaken, resident(server.process.pid)]
            found.append(row)
            server.close()
        columns = [f"{median(column):.0f}" for column in zip(*found, strict=True)]
        rows.append([label, *columns[:2], f"{degraded} of {count}", *columns[2:]])
    head = (
        f"from the start, medians of {count}, ms",
        *("handshake", "first answer", "by words alone", "first with the model"),
        *("MiB at the handshake", "MiB with the model"),
    )
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--model", default="e5-small", help="e5-small, bge-small-zh or none")
    parser.add_argument("--each", type=int, default=40, help="questions of each kind")
    parser.add_argument("--runs", type=int, default=11, help="whole processes and starts")
    parser.add_argument("--clients", type=int, default=16, help="default: %(default)s")
    parser.add_argument("--calls", type=int, default=200, help="of each client")
    data.add_cache(parser)
    data.add_out(parser)
    args = parser.parse_args()
    path = latency.build(args.notes, vectors.embedder(args.model, args.cache), args.cache)
    asked = notes.questions(args.each)
    answered = next(q.text for q in asked if q.kind == "question")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BRAIN_")}
    env = {**kept, "PYTHONPATH": str(ROOT), "BRAIN_DB": str(path)}
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    parts = [
        f"{args.notes} notes, model {args.model}; {platform.machine()}, "
        f"{os.cpu_count()} cores{load}, Python {platform.python_version()}.",
        starts(answered, args.runs, env),
    ]
    stdio, web = Stdio(env), Web(env)
    try:
        with Brain.open(path, read_only=True) as brain:
            brain.warm()
            first, right = one_client(brain, stdio, web, [q.text for q in asked])
        parts += [
            first,
            command_line(path, web.url, answered, args.runs, env),
            many_clients(web, right, args.clients, args.calls),
        ]
        used = number(resident(stdio.process.pid), 0)
        parts.append(f"The MCP server after {len(asked)} calls: {used} MiB resident.")
    finally:
        stdio.close()
        web.close()
    text = "\n\n".join(parts) + "\n"
    print(text)
    if args.out:
        publish(args.out, f"servers {args.model} {args.notes}", text)


if __name__ == "__main__":
    main()
