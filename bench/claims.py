"""Claims in 40 made projects: verified right, moved files found, false alarms; what a look costs.

    python -m bench.claims

Each project (seeded) has modules, settings and manifests; memories are told of it, then it changes:
files move and go, words move, versions rise, functions are renamed, and most stays as it is. Every
claim is then looked at, and what comes of it held against what was done. The cost is that of
``inject --root`` over ``inject`` in processor time, in one process, over many questions.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from brain import Brain
from brain.memory import FAILED, UNKNOWN, VERIFIED

SEED = 20260301
PROJECTS = 40
WORDS = (
    *("order", "user", "cart", "price", "stock", "mail", "audit", "report", "token", "cache"),
    *("queue", "login", "search", "image", "export", "import", "sync", "batch", "rate", "route"),
    *("ledger", "invoice", "coupon", "address", "refund", "notice"),
)
FOLDERS = ("src", "app", "lib", "services/api", "pkg/core", "web/pages")


@dataclass
class Told:
    """A claim, and what is true of it after the changes: the result, and where it has gone."""

    id: int
    wanted: str
    place: str | None = None


def _source(rng: random.Random, word: str) -> str:
    return (
        f"LIMIT_{word.upper()} = {rng.randrange(9999)}\n\n\ndef load_{word}_rows(path):\n"
        f"    return open(path).read()\n\n\nclass {word.title()}Service:\n    pass\n"
    )


def make(rng: random.Random, root: Path, brain: Brain) -> list[Told]:
    """Makes a project, tells of it, changes it; gives what is true then."""
    words = rng.sample(WORDS, 14)
    files = {word: f"{rng.choice(FOLDERS)}/{word}_{rng.randrange(100)}.py" for word in words}
    for word, path in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(_source(rng, word))
    versions = {
        f"lib-{w}": f"{rng.randrange(1, 5)}.{rng.randrange(20)}.{rng.randrange(9)}" for w in words
    }
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    for word in words[:4]:  # copies that git ignores are no new place
        (root / "build" / Path(files[word]).name).write_text("")
    _lock(root, versions)
    told: list[Told] = []
    for place, word in enumerate(words):
        path, name = files[word], f"load_{word}_rows"
        package, version = f"lib-{word}", versions[f"lib-{word}"]
        fate = rng.random()
        moved = f"{rng.choice(FOLDERS)}/moved{place}/{Path(path).name}"
        line = f"class {word.title()}Service:"
        given = {
            "file": f"file {path}",
            "text": f"text {line} in {path}",
            "symbol": f"symbol {name}",
            "version": f"version {package} {version}",
        }
        ids = {
            "file": brain.add(f"{word} 的代码在 {path}", root=root).id,
            "text": brain.add(f"{word} 一", root=root, checks=[given["text"]]).id,
            "symbol": brain.add(f"函数 {name} 读 {word} 表", root=root).id,
            "version": brain.add(f"{word} 用 {package}=={version}", root=root).id,
        }
        wanted = dict.fromkeys(given, VERIFIED)
        gone: dict[str, str | None] = dict.fromkeys(given)
        if fate < 0.25:
            (root / moved).parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(root / moved)
            wanted |= {"file": FAILED, "text": FAILED}
            gone |= {"file": moved, "text": f"{moved}:8"}
        elif fate < 0.4:
            (root / path).unlink()
            wanted |= {"file": FAILED, "text": FAILED, "symbol": FAILED}
        elif fate < 0.5:
            text = (root / path).read_text().replace(name, f"read_{word}_rows")
            (root / path).write_text(text)
            wanted["symbol"] = FAILED
        if rng.random() < 0.3:
            head, _, tail = version.rpartition(".")
            versions[package] = f"{head}.{int(tail) + 1}"
            wanted["version"] = FAILED
            gone["version"] = f"uv.lock: {package} {versions[package]}"
        told += [Told(ids[kind], wanted[kind], gone[kind]) for kind in given]
    _lock(root, versions)
    return told


def _lock(root: Path, versions: dict[str, str]) -> None:
    blocks = (f'[[package]]\nname = "{n}"\nversion = "{v}"\n' for n, v in versions.items())
    (root / "uv.lock").write_text("\n".join(blocks))


def verified(folder: Path) -> dict[str, float]:
    """Makes all projects and verifies what was told of them."""
    rng = random.Random(SEED)
    right = claims = moved = found = held = alarms = undecided = 0
    for number in range(PROJECTS):
        root = folder / f"project{number}"
        root.mkdir()
        with Brain.open(folder / f"{number}.db", model="none") as brain:
            told = make(rng, root, brain)
            seen = {one.id: one for one in brain.verify(all=True, root=root).claims}
        for one in told:
            got = seen[one.id]
            claims += 1
            right += got.result == one.wanted
            undecided += got.result == UNKNOWN
            if one.place is not None:
                moved += 1
                found += got.found_at == one.place
            if one.wanted == VERIFIED:
                held += 1
                alarms += got.result == FAILED
    return {
        "projects": PROJECTS,
        "claims": claims,
        "right": round(right / claims, 4),
        "unknown": undecided,
        "moved": moved,
        "moved_found": round(found / moved, 4),
        "false_stale": round(alarms / held, 4),
    }


def cost(folder: Path) -> dict[str, float]:
    """What ``--root`` adds to a question, where what is shown holds and where it has moved."""
    rng = random.Random(SEED)
    root = folder / "cost"
    root.mkdir()
    with Brain.open(folder / "cost.db", model="none") as brain:
        make(rng, root, brain)
        asked = [f"{word} 的代码在哪" for word in WORDS] * 4
        added = []
        for query in asked:
            times = []
            for given in (None, root):
                begun = time.process_time()
                brain.inject(query, root=given)
                times.append(time.process_time() - begun)
            added.append((times[1] - times[0]) * 1000)
    added.sort()
    return {
        "questions": len(added),
        "added_ms_median": round(statistics.median(added), 2),
        "added_ms_p95": round(added[int(len(added) * 0.95)], 2),
    }


def main() -> None:
    """Prints both as JSON."""
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps({**verified(Path(name)), **cost(Path(name))}, indent=1))


if __name__ == "__main__":
    main()
