"""Whole processes, timed from outside, alternately so that a busy moment hits both. Unix only."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Run:
    """One run: wall and processor time in milliseconds, peak resident memory in MiB, output."""

    ms: float
    busy: float
    mib: float
    out: bytes


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs of one command."""

    each: tuple[Run, ...]

    @property
    def ms(self) -> tuple[float, float, float]:
        """Least, median and most."""
        times = [r.ms for r in self.each]
        return min(times), median(times), max(times)

    @property
    def busy(self) -> float:
        """Median processor time."""
        return median(r.busy for r in self.each)

    @property
    def mib(self) -> float:
        """Median peak."""
        return median(r.mib for r in self.each)


def run(command: Sequence[str], env: Mapping[str, str]) -> Run:
    """Runs a command to its end.

    Raises:
        RuntimeError: it ended with another status than 0.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(env))
    assert process.stdout is not None
    with process.stdout as stream:
        out = stream.read()
    _, status, usage = os.wait4(process.pid, 0)
    ms = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[:3]} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    busy = (usage.ru_utime + usage.ru_stime) * 1000
    return Run(ms, busy, usage.ru_maxrss * unit / 2**20, out)


def alternate(
    commands: Sequence[Sequence[str]], count: int, env: Mapping[str, str]
) -> tuple[Runs, ...]:
    """Runs commands A B A B …, ``count`` times each after one round that is not counted."""
    for command in commands:
        run(command, env)
    found: list[list[Run]] = [[] for _ in commands]
    for _ in range(count):
        for runs, command in zip(found, commands, strict=True):
            runs.append(run(command, env))
    return tuple(Runs(tuple(runs)) for runs in found)
