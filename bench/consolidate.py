"""Consolidation on random stores: replay, undo, and what the health probe finds.

``python -m bench.consolidate [--runs 1000] [--out docs/benchmarks.md]``. A run makes a plan of
a random part of a random store, applies it, applies the same plan to a copy of the store from
before (which must come out the same), applies it again (which must change nothing) and undoes it
(which must give the former export, save ``event`` lines, ``last_id`` and the count in ``end``). On
another copy one fault is planted before the probe looks; all of it must be rolled back.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import clutter, tables
from bench.letters import Letters
from bench.planted import FAULTS
from brain import Brain, BrainError
from brain.consolidate import apply
from brain.results import Plan, ProbeResult
from brain.store import meta

RUNS_A_STORE = 8
"""Runs on one random store, each of another part of it: filling one costs more than all of them."""


def kept(lines: list[str]) -> list[str]:
    """What of an export an undo has to give back."""
    out = []
    for line in lines:
        told = json.loads(line)
        if told["type"] == "event":
            continue
        told.pop("last_id", None)
        out.append("end" if told["type"] == "end" else json.dumps(told, ensure_ascii=False))
    return out


def exported(brain: Brain) -> list[str]:
    """All of a store."""
    return list(brain.export(with_recovery=True))


def planned(brain: Brain, out: Path, chance: random.Random) -> tuple[Plan, list[str]]:
    """A plan of some part of a store, and the lines of it that are to be done."""
    plan = brain.consolidate(
        all_scopes=chance.random() < 0.7,
        since="2025-06-01" if chance.random() < 0.2 else None,
        out=out,
        now=clutter.NOW,
    )
    ids = [line.id for line in plan.lines]
    return plan, ids if chance.random() < 0.5 else chance.sample(ids, (len(ids) + 1) // 2)


@contextmanager
def planting(name: str, chance: random.Random) -> Iterator[None]:
    """Has a fault come to be after a plan is applied and before the probe looks."""
    real = apply.health_probe.run

    def run(db: Any, facts: dict[str, Any], *args: Any, **options: Any) -> ProbeResult:
        FAULTS[name](db, facts[meta.VECTORS], chance)
        return real(db, facts, *args, **options)

    apply.health_probe.run = run  # type: ignore[assignment]
    try:
        yield
    finally:
        apply.health_probe.run = real


class Tally(Counter[str]):
    """What came of the runs."""

    planted: Counter[str]
    found: Counter[str]
    acts: Counter[str]

    def __init__(self) -> None:
        super().__init__()
        self.planted, self.found, self.acts = Counter(), Counter(), Counter()


def one_run(folder: Path, brain: Brain, number: int, seen: Tally) -> None:
    """See the module."""
    chance = random.Random(number)
    out = folder / "plan.jsonl"
    before = exported(brain)
    plan, only = planned(brain, out, chance)
    seen["plans that changed nothing"] += exported(brain) == before
    seen["runs"] += 1
    if not only:
        seen["empty plans"] += 1
        return
    brain.rest()
    copied, replayed = folder / "broken.db", folder / "replayed.db"
    for place in (copied, replayed):
        shutil.copy2(brain.path, place)
    name = list(FAULTS)[number % len(FAULTS)]
    with Brain.open(copied, model=Letters()) as broken:
        seen.planted[name] += 1
        try:
            with planting(name, chance):
                broken.apply_plan(out, only=only, now=clutter.NOW)
        except IndexError:  # a store without a chain, which none can be cut of
            seen.planted[name] -= 1
        except BrainError as error:
            seen.found[name] += error.code == "brain_probe_failed"
            seen["failed"] += 1
            seen["rolled back whole"] += exported(broken) == before
    copied.unlink()
    done = brain.apply_plan(out, only=only, now=clutter.NOW)
    after = exported(brain)
    seen.acts.update(line.act for line in plan.lines if line.id in done.applied)
    seen["lines"] += len(done.applied)
    seen["lines refused"] += len(done.refused)
    with Brain.open(replayed, model=Letters()) as copy:
        copy.apply_plan(out, only=only, now=clutter.NOW)
        seen["replay gives the after-state"] += kept(exported(copy)) == kept(after)
    replayed.unlink()
    again = brain.apply_plan(out, only=only, now=clutter.NOW)
    seen["a second time changes nothing"] += not again.applied and exported(brain) == after
    if done.applied:
        brain.undo_run(done.run, now=clutter.NOW)
    seen["undo gives the before-state"] += kept(exported(brain)) == kept(before)


def measure(runs: int, seed: int) -> tuple[Tally, float]:
    """Runs them all; gives what came of it and the seconds it took."""
    seen = Tally()
    start = time.monotonic()
    for store in range(-(-runs // RUNS_A_STORE)):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            with Brain.open(folder / "m.db", model=Letters()) as brain:
                clutter.fill(brain, seed + store)
                for n in range(RUNS_A_STORE):
                    one_run(folder, brain, seed + store * RUNS_A_STORE + n, seen)
        if (store + 1) % 20 == 0:
            print(f"{told(seen)}\n\n{time.monotonic() - start:.0f} s so far\n", flush=True)
    return seen, time.monotonic() - start


def told(seen: Tally) -> str:
    """The tables of a report."""
    applied = seen["runs"] - seen["empty plans"]
    head = [
        ("runs", seen["runs"], seen["runs"]),
        ("a plan changes nothing", seen["plans that changed nothing"], seen["runs"]),
        *(
            (name, seen[name], applied)
            for name in (
                "replay gives the after-state",
                "a second time changes nothing",
                "undo gives the before-state",
            )
        ),
        ("a failed probe rolls all back", seen["rolled back whole"], seen["failed"]),
    ]
    acts = "、".join(f"{act} {n}" for act, n in sorted(seen.acts.items()))
    return "\n\n".join(
        [
            tables.table(["", "right", "of"], head),
            f"{seen['lines']} lines applied ({acts}), {seen['lines refused']} refused;"
            f" {seen['empty plans']} plans were empty.",
            tables.table(
                ["planted fault", "found", "of"],
                [(name, seen.found[name], seen.planted[name]) for name in FAULTS],
            ),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    seen, seconds = measure(given.runs, given.seed)
    text = told(seen)
    print(text)
    print(f"{seconds:.0f} s")
    if given.out:
        tables.publish(given.out, "consolidate", text)


if __name__ == "__main__":
    main()
