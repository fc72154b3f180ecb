"""Erasure measured: every gram, encoding and vector of what was forgotten, in every file beside."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench import notes
from bench.tables import Row, table
from bench.write_speed import Beforehand
from brain import Brain
from brain.memory import Draft
from brain.store import erase, memories, memory_file, meta
from brain.store.sql import rows
from brain.text.fold import fold
from brain.text.tokenize import index_terms, trigram_windows

PIECE = 24
"""Bytes of a text that are looked for together."""


def _grams(text: str, others: str) -> set[str]:
    """The text's grams in either index that stand in no other record."""
    folded = fold(text)
    return {g for g in {*trigram_windows(folded), *index_terms(folded)} if g not in others}


def _stretches(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, max(1, len(data) - size + 1), size)]


def _wanted(brain: Brain, number: int, text: str, others: str) -> dict[str, list[bytes]]:
    """What is looked for of a record, by kind."""
    told = others.encode()
    out = {
        "grams": [g.encode() for g in _grams(text, others) if len(g.encode()) >= erase.LEAST_BYTES],
        "text, UTF-8": [p for p in _stretches(text.encode(), PIECE) if p not in told],
    }
    for name in ("utf-16-le", "utf-16-be"):
        wide = others.encode(name)
        pieces = _stretches(text.encode(name), PIECE)
        out["text, UTF-16"] = out.get("text, UTF-16", []) + [p for p in pieces if p not in wide]
    out["vectors"] = _vectors(brain, [number])
    return out


def _vectors(brain: Brain, numbers: Iterable[int]) -> list[bytes]:
    """The vectors of records, in stretches that fit between page borders."""
    out: list[bytes] = []
    with brain._store.read() as db:
        table = memory_file.facts(db)[meta.VECTORS]
        for number in numbers:
            for passage in memories.passage_ids(db, number):
                found = rows(db, f"SELECT embedding FROM {table} WHERE rowid = ?", (passage,))
                out += _stretches(bytes(found[0][0]), 64)
    return out


def _everything(folder: Path) -> tuple[bytes, int]:
    """The bytes of every file in a folder, one after the other, and how many files."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\0".join(path.read_bytes() for path in files), len(files)


def _in_index(brain: Brain, grams: Iterable[str]) -> int:
    """How many grams the vocabularies of the two text indexes hold."""
    held: set[str] = set()
    with brain._store.read() as db:
        for index in ("grams", "trigrams"):
            held |= {str(term) for (term,) in rows(db, f"SELECT term FROM {index}_vocab")}
    return len(held & set(grams))


def _texts(records: int) -> list[str]:
    short = notes.notes(records)
    long = ["".join(short[n : n + 12]) for n in range(0, records // 4, 12)]
    return [f"{text}。编号 ZQ-{n * 7919:06d} 只此一处" for n, text in enumerate(short + long)]


def _forgotten(texts: Sequence[str], count: int) -> list[int]:
    """Which records go, evenly over all of them: ids from 1."""
    step = max(1, len(texts) // count)
    return list(range(1, len(texts) + 1, step))[:count]


def run(records: int, count: int) -> str:
    """The table about ``count`` records forgotten one by one among others."""
    texts = _texts(records)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    looked: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "m.db"
        with Brain.open(path, model=Beforehand()) as brain:
            brain.add_many(Draft(text, evidence=f"会上第{n}项") for n, text in enumerate(texts))
            gone = _forgotten(texts, count)
            kept = [t for n, t in enumerate(texts, 1) if n not in gone]
            others = "\0".join([*kept, *map(fold, kept)])
            wanted: dict[str, list[bytes]] = {}
            for number in gone:
                for what, pieces in _wanted(brain, number, texts[number - 1], others).items():
                    wanted.setdefault(what, []).extend(pieces)
            # Texts may share a vector here: what a record that stays has is not looked for.
            rest = set(_vectors(brain, {*range(1, len(texts) + 1)} - {*gone}))
            wanted["vectors"] = [piece for piece in wanted["vectors"] if piece not in rest]
            data, _ = _everything(folder)
            for what, pieces in wanted.items():
                looked[what] = len(pieces)
                before[what] = sum(piece in data for piece in pieces)
            grams = {g for n in gone for g in _grams(texts[n - 1], others)}
            there = _in_index(brain, grams)
            for number in gone:
                brain.forget(number)
            left = _in_index(brain, grams)
            data, files = _everything(folder)
        for what, pieces in wanted.items():
            after[what] = sum(piece in data for piece in pieces)
    found: list[Row] = [[what, looked[what], before[what], after[what]] for what in looked]
    found.append(["words of the two indexes", len(grams), there, left])
    head = (f"{len(gone)} of {len(texts)} records forgotten, {files} files", "looked for")
    return table((*head, "there before", "there after"), found)
