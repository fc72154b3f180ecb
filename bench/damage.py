"""Salvage measured: many copies of a file damaged at random, compared with the file row by row."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from bench import notes
from bench.tables import Row, table
from brain import Brain, BrainError
from brain.memory import Draft

PAGE = 4096

TABLES = ("memories", "scopes", "journal", "sources", "taken", "ccr", "words", "tags", "links")
"""Tables of what cannot be made anew."""

Rows = Mapping[str, Mapping[Any, tuple[Any, ...]]]


def make(path: Path, records: int) -> None:
    """A file with lines of two and three, corrected, retracted and forgotten records, links,
    sources, originals, tags, scopes, long texts and own words."""
    texts = [f"{text}，第{n}条" for n, text in enumerate(notes.notes(records))]
    with Brain.open(path, model="none") as brain:
        brain.add_many(
            Draft(t, scope="家" if n % 5 == 0 else "", tags=("旧事", f"格{n % 3}")[: n % 3])
            for n, t in enumerate(texts)
        )
        third = records // 3
        for n in range(1, third):
            brain.supersede(n, text=f"{texts[n]}，后来变了")
        for n in range(1, third // 2):
            brain.supersede(records + n, text=f"{texts[n]}，又变了一次")
        for n in range(third, third + third // 3):
            brain.correct(n, text=f"{texts[n]}，上次记错了")
        brain.retract(records - 1)
        brain.forget(records - 2, force=True)
        brain.add("\n\n".join(f"第{n}段。" + "".join(texts[:6]) for n in range(8)), scope="长文")
        for n in range(10):
            brain.record(f"第{n}次跳过测试就发布", f"第{n}次线上白屏", relation="caused")
        source = path.with_name("from.jsonl")
        lines = (json.dumps({"text": f"{text}，来自别处"}, ensure_ascii=False) for text in texts)
        source.write_text("\n".join(lines), encoding="utf-8")
        brain.ingest(source, scope="读入")
        for n in range(3):
            brain.compress("\n".join(f"2026-03-0{n + 1} INFO 第{i}步完成" for i in range(400)))
        for n in range(5):
            brain.add_word(f"青鸟{n}号 10 n")


def rows_of(path: Path) -> dict[str, dict[Any, tuple[Any, ...]]]:
    """Every row of :data:`TABLES` by its first column."""
    found = {}
    with closing(sqlite3.connect(path)) as db:
        for name in TABLES:
            rows = db.execute(f"SELECT * FROM {name}").fetchall()
            found[name] = {row[0]: tuple(row) for row in rows}
    return found


# Damage --------------------------------------------------------------------------------------


def spoil(data: bytearray, rnd: random.Random) -> str:
    """Damages a file's bytes in one of the ways files are damaged; says in which."""
    pages = len(data) // PAGE
    way = rnd.choice(list(_WAYS))
    _WAYS[way](data, rnd, pages)
    return way


def _one_byte(data: bytearray, rnd: random.Random, pages: int) -> None:
    data[rnd.randrange(PAGE, len(data))] ^= 1 << rnd.randrange(8)


def _header_byte(data: bytearray, rnd: random.Random, pages: int) -> None:
    data[rnd.randrange(112)] ^= 1 << rnd.randrange(8)


def _bytes(data: bytearray, rnd: random.Random, pages: int) -> None:
    for _ in range(rnd.randrange(10, 100)):
        data[rnd.randrange(PAGE, len(data))] = rnd.randrange(256)


def _noise(data: bytearray, rnd: random.Random, pages: int) -> None:
    for page in rnd.sample(range(1, pages), rnd.randrange(1, 6)):
        data[page * PAGE : (page + 1) * PAGE] = rnd.randbytes(PAGE)


def _zeros(data: bytearray, rnd: random.Random, pages: int) -> None:
    first = rnd.randrange(1, pages - 4)
    data[first * PAGE : (first + rnd.randrange(1, 5)) * PAGE] = b""
    data.extend(bytes(pages * PAGE - len(data)))


def _blank(data: bytearray, rnd: random.Random, pages: int) -> None:
    for page in rnd.sample(range(1, pages), rnd.randrange(1, 6)):
        data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)


def _cut(data: bytearray, rnd: random.Random, pages: int) -> None:
    del data[-rnd.randrange(1, pages // 4) * PAGE - rnd.choice((0, 0, 700)) :]


_WAYS = {
    "one bit": _one_byte,
    "one bit of the header": _header_byte,
    "10–99 bytes": _bytes,
    "1–5 pages of noise": _noise,
    "1–5 pages of zeros": _blank,
    "pages missing inside": _zeros,
    "the end cut off": _cut,
}


# Comparison ----------------------------------------------------------------------------------


def compare(seed: int, whole: bytes, before: Rows) -> Counter[str]:
    """Damages a copy, repairs it and counts what became of its records and other rows."""
    rnd = random.Random(seed)
    data = bytearray(whole)
    out: Counter[str] = Counter()
    way = spoil(data, rnd)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.db")
        path.write_bytes(data)
        path.chmod(0o600)
        try:
            with Brain.open(path, checked=False) as brain:
                done = brain.doctor(repair=True)
        except BrainError as error:
            return Counter({f"way {way}": 1, f"refused {error.code}": 1, "refused": 1})
        except Exception as error:  # what must never be is counted, not hidden
            return Counter({f"way {way}": 1, f"crash {error!r:.90}": 1, "crashed": 1})
        told = {f.code: f.message for f in done.findings if f.severity != "ok"}
        saved = Path(done.salvaged) if done.salvaged else path
        out["salvaged"] = done.salvaged is not None
        out["in place"] = done.salvaged is None and bool(told)
        try:
            after: Rows = rows_of(saved)
            with Brain.open(saved) as brain:
                out["sound"] = brain.doctor().ok
        except (sqlite3.DatabaseError, UnicodeDecodeError, BrainError):
            after = {name: {} for name in TABLES}
            out["nothing to read"] = 1
    out[f"way {way}"] = 1
    _records(before["memories"], after["memories"], told, out)
    for name in TABLES[1:]:
        gone = before[name].keys() - after[name].keys()
        out["rows"] += len(before[name])
        out["rows kept"] += len(before[name]) - len(gone)
    return out


def _records(
    before: Mapping[Any, tuple[Any, ...]],
    after: Mapping[Any, tuple[Any, ...]],
    told: Mapping[str, str],
    out: Counter[str],
) -> None:
    lost = before.keys() - after.keys()
    out["records"] += len(before)
    out["lost"] += len(lost)
    # The sentence says how many and lists the first of them; a file that could not be opened at
    # all is one sentence about the whole.
    if lost and not told:
        out["lost without a word"] += len(lost)
    elif lost and f"有 {len(lost)} 条" not in told.get("salvage_lost", ""):
        out["lost, another number told"] += len(lost)
    out["strangers"] += len(after.keys() - before.keys())
    for number, row in after.items():
        old = before.get(number)
        if old is None or row == old:
            out["kept as they were"] += old is not None
            continue
        changed = [(a, b) for a, b in zip(old, row, strict=True) if a != b]
        # A link to what is lost is let go; use counts and strengths are no words of anybody's.
        if all(b is None and a in lost for a, b in changed):
            out["kept, a link to a lost one let go"] += 1
        elif told:
            out["kept, a damaged value replaced or as damaged"] += 1
        else:
            out["changed without a word"] += 1


def run(files: int, records: int, seed: int = 1) -> str:
    """The tables about that many damaged files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.db")
        make(path, records)
        whole, before = path.read_bytes(), rows_of(path)
    work = partial(compare, whole=whole, before=before)
    total: Counter[str] = Counter()
    for one in _each(work, range(seed, seed + files)):
        total.update(one)
    ways = ", ".join(f"{way} {total[f'way {way}']}" for way in _WAYS)
    head = ("damaged files", "salvaged", "mended in place", "refused", "crashed", "sound after")
    names = ("salvaged", "in place", "refused", "crashed", "sound")
    files_row: Row = [f"{files} × {len(whole) // 1024} KB", *(total[n] for n in names)]
    kept = [
        "kept as they were",
        "kept, a link to a lost one let go",
        "kept, a damaged value replaced or as damaged",
        "lost",
        "lost, another number told",
        "lost without a word",
        "changed without a word",
        "strangers",
    ]
    share = total["records"] or 1
    rows: list[Row] = [["records", total["records"], "100.00 %"]]
    rows += [[name, total[name], f"{100 * total[name] / share:.2f} %"] for name in kept]
    rest = total["rows"] or 1
    rows.append(
        [
            "rows of other tables kept",
            total["rows kept"],
            f"{100 * total['rows kept'] / rest:.2f} %",
        ]
    )
    odd = sorted(k for k in total if k.startswith(("crash ", "refused ")))
    told = "".join(f"\n\n{name}: {total[name]}" for name in odd)
    return f"{table(head, [files_row])}\n\nDamage: {ways}.{told}\n\n" + table(
        ("compared row by row", "rows", "share"), rows
    )


def _each(work: Any, seeds: range) -> Iterator[Counter[str]]:
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        yield from pool.imap_unordered(work, seeds, chunksize=4)
