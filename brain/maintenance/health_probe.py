"""Health probe: whether a file still gives back what it holds, after something changed much of it.

Not the doctor's examination of everything, but a quick proof: the counts add up, each lane finds a
canary, current records are found by their own text, handles recover their bytes, and lineage is
whole. No model runs: in the semantic lane a record's own stored vector is the question. It looks at
a seeded sample, which is smaller where time runs short: whoever holds the write lock holds it no
longer than about :data:`SECONDS` for it.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brain.errors import EXIT_IO, BrainError
from brain.memory import DEFAULT_KIND, Memory
from brain.results import ProbePart, ProbeResult
from brain.store import fts, insert, integrity, links, memories, meta, originals, probe
from brain.store.memories import Record
from brain.store.vectors import vector_index
from brain.store.view import View
from brain.text.fold import fold
from brain.text.tokenize import index_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.probe import Sums
    from brain.store.protocol import Transaction

MOST = 200
"""Current records, and kept originals, that are looked at."""

LEAST_WORDS, LEAST_VECTORS = 50, 12
"""So many are looked at however little time is left; searching a million vectors takes 20 ms."""

SECONDS = 1.0
"""How long the write lock may be held for it, in all."""

SHARES = {"lexical": 0.3, "semantic": 0.75, "originals": 0.9}
"""By which share of :data:`SECONDS` a part that goes through a sample ends."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of kept originals that are read."""

TERMS = 6
"""Grams of each record that are looked up, spread over its text."""

NEAREST = 10
ALIKE = 0.9999
"""A record must be among so many nearest to its own vector, or all of those be as near as itself:
copies of one text have one vector."""

UNIT = 0.01
"""How far a stored vector's length may be from 1."""

CANARY = "探针金丝雀"
"""Stands in the canary's text before a number nobody has written."""

_PARTS = {
    "counts": "条数",
    "lexical": "字面检索",
    "semantic": "语义检索",
    "originals": "原文",
    "lineage": "取代关系",
}


@dataclass(frozen=True, slots=True)
class _Looked:
    """What is probed.

    Args:
        facts: the file's, as :func:`brain.store.memory_file.facts` gives them.
        now: UTC ISO; what is current then.
        table: the vector table whose vectors can be searched; None where there is none.
        writes: whether a canary can be tried: the transaction may write.
        end: when the whole of it ends, by the monotonic clock.
    """

    db: Transaction
    facts: dict[str, Any]
    now: str
    table: str | None
    seed: str
    writes: bool
    start: float

    def until(self, part: str) -> float:
        return self.start + SHARES[part] * SECONDS


def run(
    db: Transaction,
    facts: dict[str, Any],
    now: str,
    *,
    seed: str = "",
    vectors: bool = True,
    expected: Sums | None = None,
    first: Sequence[int] = (),
    table: str | None = None,
) -> ProbeResult:
    """Probes a file inside the caller's transaction.

    Args:
        facts: the file's, as :func:`brain.store.memory_file.facts` gives them.
        now: UTC ISO.
        seed: picks the sample and the canary; the same seed, the same ones.
        vectors: whether sqlite-vec is here.
        expected: how many records there are to be, and how much of the rest at least, in a
            transaction that may write; a canary is then put in and taken out again. None in one
            that only reads.
        first: ids of records that are looked at before all others.
        table: another vector table than the file's own, which is to become that.
    """
    table = table or facts.get(meta.VECTORS)
    usable = table is not None and vectors and probe.is_searched(db, table)
    looked = _Looked(
        db, facts, now, table if usable else None, seed, expected is not None, time.monotonic()
    )
    sample = _sample(looked, first)
    checks: dict[str, Callable[[], ProbePart]] = {
        "counts": lambda: _counts(looked, expected),
        "lexical": lambda: _lexical(looked, sample),
        "semantic": lambda: _semantic(looked, sample),
        "originals": lambda: _originals(looked, sample),
        "lineage": lambda: _lineage(looked),
    }
    return ProbeResult({name: _told(check) for name, check in checks.items()})


def require(found: ProbeResult, undone: str) -> None:
    """Raises ``brain_probe_failed`` (74) unless a probe went well; says which parts did not.

    Args:
        undone: a Chinese clause on what became of the change.
    """
    if found.ok:
        return
    told = "；".join(f"{_PARTS[n]}：{p.told}" for n, p in found.parts.items() if not p.ok)
    raise BrainError(
        "brain_probe_failed",
        f"自检没有通过（{told}），{undone}；请运行 brain doctor，能修的用 brain doctor --repair。",
        EXIT_IO,
    )


def _told(check: Callable[[], ProbePart]) -> ProbePart:
    try:
        return check()
    except (BrainError, *integrity.UNREADABLE) as e:
        return ProbePart(False, 0, (), f"读不下去（{e}）")


def _part(checked: int, wrong: Sequence[int], told: str) -> ProbePart:
    """A part about records; ``told`` is said of the wrong ones."""
    if not wrong:
        return ProbePart(True, checked)
    named = "、".join(f"#{n}" for n in wrong[:3]) + (f" 等 {len(wrong)} 条" if wrong[3:] else "")
    return ProbePart(False, checked, tuple(wrong[: integrity.SHOWN]), f"{named} {told}")


def _sample(looked: _Looked, first: Sequence[int]) -> list[Memory]:
    """Current records in the order they are to be looked at: some that are asked for, the newest,
    others by chance."""
    view = View(as_of=looked.now, scopes=None)
    highest = memories.highest_id(looked.db)
    if highest <= 20 * MOST:
        ids = list(range(1, highest + 1))
    else:
        chance = random.Random(looked.seed)
        ids = [chance.randint(1, highest) for _ in range(10 * MOST)]
    there = sorted(memories.visible(looked.db, ids, view))
    chosen = random.Random(looked.seed).sample(there, min(MOST, len(there)))
    asked = sorted(memories.visible(looked.db, list(first)[:MOST], view))
    order = list(dict.fromkeys([*asked, *there[-1:], *chosen]))[:MOST]
    found = memories.get_many(looked.db, order)
    return [found[i] for i in order]


def _counts(looked: _Looked, expected: Sums | None) -> ProbePart:
    now = probe.sums(looked.db, looked.table)
    wrong = [f"有 {now.records} 条记忆，字词索引里是 {now.grams} 条"] * (now.grams != now.records)
    if fts.has_trigrams(looked.db) and now.trigrams != now.records:
        wrong.append(f"有 {now.records} 条记忆，子串索引里是 {now.trigrams} 条")
    if now.bare or now.strays:
        wrong.append(f"{now.bare} 条记忆没有分段，{now.strays} 个分段没有记忆")
    if now.vectors != now.coded or now.vectors > now.passages:
        told = f"{now.passages} 个分段有 {now.vectors} 个向量，登记的是 {now.coded} 个"
        wrong.append(told)
    if now.loose:
        wrong.append(f"核对和原文的说明里有 {now.loose} 行不属于任何东西或不完整")
    if expected is not None:
        if now.records != expected.records:
            wrong.append(f"应有 {expected.records} 条记忆，实有 {now.records} 条")
        for name, least, held in (
            ("向量", expected.vectors, now.vectors),
            ("原文", expected.originals, now.originals),
            ("观察", expected.links, now.links),
            ("核对", expected.claims, now.claims),
            ("原文的说明", expected.described, now.described),
        ):
            if held < least:
                wrong.append(f"{name}应有 {least} 个，实有 {held} 个")
    return ProbePart(not wrong, now.records, (), "；".join(wrong))


def _lexical(looked: _Looked, sample: Sequence[Memory]) -> ProbePart:
    missed = []
    checked = 0
    if looked.writes:
        checked += 1
        if not _canary_by_words(looked):
            return ProbePart(False, checked, (), "放进去的一条试验记忆找不到")
    for memory in sample:
        if checked >= LEAST_WORDS and time.monotonic() > looked.until("lexical"):
            break
        checked += 1
        scope_id = probe.has_scope(looked.db, memory.scope)
        if scope_id is None or not _found_by_words(looked.db, memory.id, memory.text, scope_id):
            missed.append(memory.id)
    return _part(checked, missed, "用它自己的话找不到")


def _found_by_words(db: Transaction, memory_id: int, text: str, scope_id: int) -> bool:
    folded = fold(text)
    grams = _spread([term for term in index_terms(folded) if not term.isspace()])
    if not fts.finds(db, fts.GRAMS, grams, scope_id, memory_id):
        return False
    windows = _spread([folded[at : at + 3] for at in range(len(folded) - 2)])
    return not fts.has_trigrams(db) or fts.finds(db, fts.TRIGRAMS, windows, scope_id, memory_id)


def _spread(terms: list[str]) -> list[str]:
    if len(terms) <= TERMS:
        return terms
    return [terms[i * (len(terms) - 1) // (TERMS - 1)] for i in range(TERMS)]


def _canary_by_words(looked: _Looked) -> bool:
    with probe.tried(looked.db):
        memory, scope_id = _hatch(looked, None)
        return _found_by_words(looked.db, memory.id, memory.text, scope_id)


def _hatch(looked: _Looked, vector: NDArray[np.float32] | None) -> tuple[Memory, int]:
    """Puts a canary in, with a vector for each passage where one is given."""
    text = f"{CANARY} {random.Random(looked.seed).getrandbits(48):012x}"
    record = Record(text, DEFAULT_KIND, "", "user", 0.5, 0.5, False, looked.now, None, looked.now)
    memory = insert.put(looked.db, looked.table, record, [(0, len(text))], vector, "")
    return memory, memories.ensure_scope(looked.db, "")


def _semantic(looked: _Looked, sample: Sequence[Memory]) -> ProbePart:
    if looked.table is None:
        return ProbePart(True, 0)
    import numpy as np

    vectors = {}
    for memory in sample:
        vector = vector_index.of_memory(looked.db, looked.table, memory.id)
        if vector is not None:  # it may have none yet; how many have is counted
            vectors[memory.id] = vector
    missed = [i for i, vector in vectors.items() if abs(float(np.linalg.norm(vector)) - 1) > UNIT]
    checked = 0
    for memory in sample:
        if checked >= LEAST_VECTORS and time.monotonic() > looked.until("semantic"):
            break
        if memory.id in vectors and memory.id not in missed:
            checked += 1
            if not _found_by_vector(looked, vectors[memory.id], memory):
                missed.append(memory.id)
    if looked.writes:
        checked += 1
        if not _canary_by_vector(looked):
            return ProbePart(False, checked, (), "放进去的一条试验记忆找不到")
    return _part(checked, missed, "用它自己的向量找不到，或向量坏了")


def _found_by_vector(looked: _Looked, vector: NDArray[np.float32], memory: Memory) -> bool:
    assert looked.table is not None
    scopes = memories.scope_ids(looked.db, (memory.scope,))
    view = View(as_of=looked.now, scopes=(memory.scope,))
    near = vector_index.search(looked.db, looked.table, vector.tobytes(), view, scopes, NEAREST)
    if any(found == memory.id for found, _, _ in near):
        return True
    return len(near) == NEAREST and near[-1][2] >= ALIKE


def _canary_by_vector(looked: _Looked) -> bool:
    import numpy as np

    dim = int(looked.facts.get(meta.DIM) or 0)
    if not dim:
        return True
    chance = random.Random(looked.seed)
    drawn = np.array([chance.gauss(0, 1) for _ in range(dim)], dtype=np.float32)
    vector = drawn / np.linalg.norm(drawn)
    with probe.tried(looked.db):
        memory, _ = _hatch(looked, vector[None, :])
        return _found_by_vector(looked, vector, memory)


def _originals(looked: _Looked, sample: Sequence[Memory]) -> ProbePart:
    """Handles recover their bytes: those of kept originals, and those of the records themselves."""
    known = originals.listed(looked.db)
    random.Random(looked.seed).shuffle(known)
    broken = []
    checked = size = 0
    for one in known[:MOST]:
        size += one.size
        late = time.monotonic() > looked.until("originals")
        if checked and (late or size > MOST_BYTES):
            break
        checked += 1
        if not originals.is_whole(looked.db, one.handle):
            broken.append(one.handle)
    if broken:
        more = f" 等 {len(broken)} 份" if broken[1:] else ""
        return ProbePart(False, checked, (), f"{broken[0]}{more}取不回原来的字节")
    lost = []
    for memory in sample:
        checked += 1
        digest = hashlib.sha256(memory.text.encode("utf-8")).digest()
        if memories.by_sha256(looked.db, digest) is None:
            lost.append(memory.id)
    return _part(checked, lost, "按句柄取不回")


def _lineage(looked: _Looked) -> ProbePart:
    db = looked.db
    cut = sorted({*integrity.dangling_links(db), *integrity.one_sided_links(db)})
    if cut:
        return _part(0, cut, "的前身和后继对不上")
    loops = integrity.link_cycles(db)
    if loops:
        return _part(0, loops, "的取代关系成环")
    if links.there(db) and (loose := links.broken(db)):
        named = "、".join(f"L{n}" for n in loose[:3])
        return ProbePart(False, 0, (), f"观察 {named} 的两头不全")
    return ProbePart(True, memories.count(db))
