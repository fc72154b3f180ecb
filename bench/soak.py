"""Memory of a server measured: rounds of recalls, injects and adds against one that stays up."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from bench import notes
from bench.hostile import post, served
from bench.servers import resident
from bench.tables import Row, table
from brain import Brain
from brain.memory import Draft


def run(requests: int, rounds: int, records: int) -> str:
    """A row for each round: resident memory, the file and its log.

    Args:
        requests: of each kind in a round.
        records: notes in the file before.
    """
    texts = notes.notes(records + requests * rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "m.db"
        with Brain.open(path, model="none") as brain:
            brain.add_many(Draft(text) for text in texts[:records])
        found: list[Row] = []
        with served(folder) as (process, url):
            for turn in range(rounds + 1):
                times = []
                for n in range(requests if turn else 10):
                    at = max(0, turn - 1) * requests + n
                    asked = texts[at][: 8 + at % 30]
                    for verb in ("/recall", "/inject"):
                        status, seconds = post(url, verb, query=asked)
                        times.append(seconds)
                        assert status == 200, status
                    post(url, "/memories", text=texts[records + at])
                log = Path(f"{path}-wal")
                found.append(
                    [
                        f"{turn}" if turn else "warm",
                        3 * (requests if turn else 10),
                        f"{resident(process.pid):.0f}",
                        f"{path.stat().st_size / 2**20:.1f}",
                        f"{log.stat().st_size / 2**20 if log.exists() else 0:.1f}",
                        f"{1000 * median(times):.0f}",
                    ]
                )
    head = (f"round, {records} notes at first", "requests", "MiB resident", "MiB file", "MiB log")
    return table((*head, "ms, median"), found)
