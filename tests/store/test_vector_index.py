"""Vector search in two stages: it finds what an exact search finds, under every filter, in every
state of the file."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, BrainError, Draft, drafts
from brain.embed.protocol import Embedder
from brain.store import connection, insert, memories, memory_file, meta, schema
from brain.store.sql import one, rows
from brain.store.vectors import blocks, cache, quantize, vector_index
from brain.store.view import FOREVER_MS, View, to_ms
from brain.text.timestamps import to_iso
from tests.support import ROOT
from tests.support.engine import (
    EVERYDAY,
    NOON,
    Make,
    fill,
    ids,
    indexes_are_whole,
    take_back,
    texts,
    vector_of,
    vectors_out_of_step,
)

DIM = 384
TOPICS = 150
NOW = "2026-06-01T00:00:00.000Z"


class Topics:
    """Vectors as e5's are: one large common part, few directions with most of the rest, topics.

    A text ``话题T号N`` has a vector near the middle of topic T.
    """

    name, dim, max_tokens, languages = "e5-small", DIM, 512, ("zh",)

    def __init__(self) -> None:
        draw = np.random.default_rng(5)
        self.scale = 1.0 / np.sqrt(np.arange(DIM) + 4.0)
        self.turn = np.linalg.qr(draw.standard_normal((DIM, DIM)))[0]
        common = draw.standard_normal(DIM)
        self.common = 7.0 * common / np.linalg.norm(common)
        self.middles = draw.standard_normal((TOPICS, DIM)) * self.scale

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        topic, number = (int(part) for part in text.removeprefix("话题").split("号"))
        draw = np.random.default_rng((topic, number))
        own = draw.standard_normal(DIM) * self.scale
        vector = self.common + (0.7 * self.middles[topic] + 0.7 * own) @ self.turn
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def written(count: int, first: int = 0) -> list[str]:
    return [f"话题{n % TOPICS}号{n}" for n in range(first, first + count)]


def asked(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [f"话题{draw.randrange(TOPICS)}号{10**6 + n}" for n in range(count)]


@pytest.fixture(scope="module")
def model() -> Topics:
    return Topics()


def store(brain: Brain, written: Iterable[str], **options: object) -> list[int]:
    drafts = [Draft(text, **options) for text in written]  # type: ignore[arg-type]
    return [r.id for r in brain.add_many(drafts, now=NOON)]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, model: Topics) -> Iterator[Brain]:
    """Six blocks of notes in every state: two scopes, kinds, ended, later, withdrawn, put away."""
    path = tmp_path_factory.mktemp("large") / "brain.db"
    with Brain.open(path, model=model) as brain:
        store(brain, written(4000))
        store(brain, written(1500, 4000), scope="项目")
        store(brain, written(40, 5500), scope="少")
        store(brain, written(300, 6000), kind="decision")
        store(brain, written(300, 6300), valid_from="2020-01-01", valid_to="2021-01-01")
        store(brain, written(300, 6600), valid_from="2027-01-01")
        with brain._store.write() as db:
            for memory_id in range(100, 6000, 7):
                field = {"retracted_at": NOW} if memory_id % 2 else {"archived_at": NOW}
                memories.set_fields(db, memory_id, **field)
                memory = memories.get(db, memory_id)
                assert memory is not None
                vector_index.refresh(db, memory)
        assert vectors_out_of_step(brain) == []
        yield brain


def table_of(brain: Brain) -> str:
    with brain._store.read() as db:
        return str(memory_file.facts(db)[meta.VECTORS])


def near(brain: Brain, vector: NDArray[np.float32], view: View, k: int = 10) -> list[int]:
    table = table_of(brain)
    with brain._store.read() as db:
        scope_ids = memories.scope_ids(db, view.scopes)
        found = vector_index.search(db, table, vector.tobytes(), view, scope_ids, k)
    assert [s for _, _, s in found] == sorted((s for _, _, s in found), reverse=True)
    return [memory_id for memory_id, _, _ in found]


def all_near(brain: Brain, vector: NDArray[np.float32], view: View, k: int = 10) -> list[int]:
    """By numpy over every vector of what the view shows."""
    where, args = view.where()
    with brain._store.read() as db:
        found = rows(
            db,
            f"SELECT m.id, v.embedding FROM {table_of(brain)} v JOIN passages p ON p.id = v.rowid"
            f" JOIN memories m ON m.id = p.memory_id WHERE {where} ORDER BY m.id",
            args,
        )
    if not found:
        return []
    matrix = np.frombuffer(b"".join(row[1] for row in found), dtype=np.float32)
    similarities = matrix.reshape(len(found), -1) @ vector
    return [found[i][0] for i in np.argsort(-similarities, kind="stable")[:k]]


def agreement(brain: Brain, model: Topics, view: View, k: int = 10, questions: int = 40) -> float:
    shares = []
    for text in asked(questions):
        vector = model.embed_query(text)
        exact = all_near(brain, vector, view, k)
        found = near(brain, vector, view, k)
        assert len(found) == len(exact)
        shares.append(len({*found} & {*exact}) / len(exact) if exact else 1.0)
    return float(np.mean(shares))


# What it finds -------------------------------------------------------------------------------

ALL = View(as_of=NOW, scopes=None)


def test_the_nearest_ten_are_those_of_an_exact_search(large: Brain, model: Topics) -> None:
    assert agreement(large, model, ALL) >= 0.98


def test_the_nearest_fifty_nearly_are(large: Brain, model: Topics) -> None:
    assert agreement(large, model, ALL, k=50) >= 0.9


def test_the_order_and_the_similarities_are_exact(large: Brain, model: Topics) -> None:
    table = table_of(large)
    for text in asked(10, seed=2):
        vector = model.embed_query(text)
        with large._store.read() as db:
            found = vector_index.search(db, table, vector.tobytes(), ALL, None, 20)
            stored = {i: vector_of(db, table, i) for i, _, _ in found}
        for memory_id, _, similarity in found:
            own = np.frombuffer(stored[memory_id] or b"", dtype=np.float32)
            assert similarity == pytest.approx(float(own @ vector), abs=1e-5)


def test_the_same_search_gives_the_same_again(large: Brain, model: Topics) -> None:
    vector = model.embed_query("话题3号1000001")
    first = near(large, vector, ALL, 50)
    assert all(near(large, vector, ALL, 50) == first for _ in range(3))
    with Brain.open(large.path, model=model, read_only=True) as other:
        assert near(other, vector, ALL, 50) == first


VIEWS = {
    "as everybody": View(as_of=NOW),
    "a scope and the global one": View(as_of=NOW, scopes=("项目", "")),
    "a scope alone": View(as_of=NOW, scopes=("项目",)),
    "a small scope": View(as_of=NOW, scopes=("少",)),
    "a scope that is not there": View(as_of=NOW, scopes=("没有",)),
    "a kind": View(as_of=NOW, scopes=None, kind="decision"),
    "all but a kind": View(as_of=NOW, scopes=None, not_kind="note"),
    "a kind that is not there": View(as_of=NOW, scopes=None, kind="skill"),
    "years ago": View(as_of="2020-06-01T00:00:00.000Z", scopes=None),
    "next year": View(as_of="2027-06-01T00:00:00.000Z", scopes=None),
    "whatever it held": View(as_of=NOW, scopes=None, include_expired=True),
    "as it was known before": View(
        as_of=NOW, scopes=None, known_at=to_iso(datetime(2026, 4, 1, tzinfo=UTC))
    ),
    "before anything was known": View(
        as_of=NOW, scopes=None, known_at=to_iso(NOON - timedelta(days=1))
    ),
    "what is put away": View(as_of=NOW, scopes=None, archived=True),
    "put away or not": View(as_of=NOW, scopes=None, archived=None),
    "put away, in a small scope": View(as_of=NOW, scopes=("少",), archived=True),
}


@pytest.mark.parametrize("name", VIEWS)
def test_no_filter_empties_the_result(large: Brain, model: Topics, name: str) -> None:
    """As many are found as an exact search of what the view shows finds, and nearly the same."""
    assert agreement(large, model, VIEWS[name], questions=12) >= 0.97


def test_a_long_memory_takes_one_place_and_hides_nothing(make: Make, model: Topics) -> None:
    brain = make(model=model)
    store(brain, written(3000))
    (long,) = store(brain, ["话题7号500"])
    middle = model.embed_query("话题7号2000000")
    with brain._store.write() as db:
        memory = memories.get(db, long)
        assert memory is not None
        passages = memories.add_passages(db, long, [(n, n + 1) for n in range(2000)])
        noise = np.random.default_rng(1).standard_normal((2000, DIM)) * 1e-4
        crowd = np.asarray(middle + noise, dtype=np.float32)
        vector_index.add(db, table_of(brain), passages, crowd, memory, 1)
    found = near(brain, middle, ALL, 100)
    assert found[0] == long
    assert found.count(long) == 1
    assert len(found) >= 50


# What it costs -------------------------------------------------------------------------------


def test_a_note_takes_no_more_than_it_says(large: Brain) -> None:
    """Exact vectors, codes and filters: beside 1.5 KB of numbers at most half as much again."""
    names = {table_of(large), *(f"{table_of(large)}_{p}" for p in ("blocks", "slots", "centres"))}
    with large._store.read() as db:
        pages = dict(rows(db, "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        held = blocks.filled(db, table_of(large))
    assert sum(pages.get(name, 0) for name in names) / held < 1.5 * 4 * DIM


def test_a_small_file_stays_small(make: Make, model: Topics) -> None:
    brain = make(model=model)
    store(brain, written(1))
    brain.close()
    assert brain.path.stat().st_size < 400_000


# Centres -------------------------------------------------------------------------------------


def centres_used(brain: Brain) -> tuple[int, list[int]]:
    with brain._store.read() as db:
        table = table_of(brain)
        return len(blocks.centres(db, table)), [c for _, _, c in blocks.listing(db, table)]


def test_codes_get_their_centre_when_a_search_first_needs_them(make: Make, model: Topics) -> None:
    brain = make(model=model)
    store(brain, written(blocks.SLOTS - 1))
    assert centres_used(brain) == (0, [0])
    assert agreement(brain, model, ALL, questions=10) == 1.0
    store(brain, written(10, 2000))
    assert centres_used(brain) == (1, [1, 1])
    store(brain, written(3 * blocks.SLOTS, 3000))
    assert centres_used(brain) == (1, [2] * 5)
    assert agreement(brain, model, ALL, questions=20) >= 0.97


def test_a_new_centre_is_applied_a_few_blocks_at_a_time(
    large: Brain, model: Topics, tmp_path: Path
) -> None:
    """Searches in between, writes in between, a break in between: nothing is lost."""
    shutil.copy(large.path, tmp_path / "brain.db")
    shutil.copy(f"{large.path}-wal", tmp_path / "brain.db-wal")
    brain = Brain.open(tmp_path / "brain.db", model=model)
    table = table_of(brain)
    with brain._store.write() as db:
        vector_index.recentre(db, table)
    left, turns = True, 0
    while left:
        with brain._store.write() as db:
            left = vector_index.requantize(db, table, 2)
        turns += 1
        store(brain, [f"话题{turns}号{8000 + turns}"])
        assert agreement(brain, model, ALL, questions=10) >= 0.97
        if turns == 2:
            brain.close()
            brain = Brain.open(brain.path, model=model)
    number, used = centres_used(brain)
    assert turns >= 3
    assert number == 1
    assert len(set(used)) == 1
    assert vectors_out_of_step(brain) == []
    brain.close()


def test_a_code_says_which_is_nearer_for_every_length_of_vector() -> None:
    draw = np.random.default_rng(2)
    for dim in (3, 32, 100, 384, 512):
        found = np.asarray(draw.standard_normal((500, dim)) + 3, dtype=np.float32)
        made = quantize.encode(found, quantize.centre(found))
        assert made.shape == (500, blocks.words(dim))
        apart = quantize.distances(np.ascontiguousarray(made.T), made[17])
        assert apart[17] == 0
        assert (
            apart == [bin(int.from_bytes((m ^ made[17]).tobytes())).count("1") for m in made]
        ).all()


def test_the_lowest_are_chosen_with_ties_by_place() -> None:
    draw = np.random.default_rng(3)
    for _ in range(50):
        values = draw.integers(0, 9, size=int(draw.integers(1, 60))).astype(np.uint16)
        count = int(draw.integers(1, 70))
        right = sorted(sorted(range(len(values)), key=lambda i: (values[i], i))[:count])
        assert quantize.lowest(values, count).tolist() == right


# Changes are seen ----------------------------------------------------------------------------


def test_what_another_process_writes_is_found_by_the_next_search(make: Make, model: Topics) -> None:
    brain = make(model=model)
    store(brain, written(1500))
    vector = model.embed_query("话题9号3000000")
    before = near(brain, vector, ALL)
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from tests.store.test_vector_index import Topics, store\n"
        "from brain import Brain\n"
        "with Brain.open(sys.argv[1], model=Topics()) as brain:\n"
        "    store(brain, ['话题9号3000000'])\n"
        f"    brain.expire({before[0]})\n"
    )
    subprocess.run([sys.executable, "-c", code, brain.path, ROOT], check=True)
    after = near(brain, vector, View(as_of=to_iso(datetime.now(UTC) + timedelta(days=1))))
    assert after[0] == 1501
    assert before[0] not in after


def test_what_is_undone_is_not_found(make: Make, model: Topics) -> None:
    brain = make(model=model)
    store(brain, written(1500))
    vector = model.embed_query("话题9号3000000")
    before = near(brain, vector, ALL)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            break_while_storing(brain, "话题9号3000000")
        assert near(brain, vector, ALL) == before
    store(brain, ["话题9号3000000"])
    assert near(brain, vector, ALL)[0] == 1501
    assert vectors_out_of_step(brain) == []


def break_while_storing(brain: Brain, text: str) -> None:
    with brain._store.write() as db:
        record = drafts.complete(Draft(text), NOON)
        found = Topics().embed_documents([text])
        insert.put(db, table_of(brain), record, [(0, len(text))], found, "")
        raise RuntimeError


def test_an_older_copy_put_in_the_files_place_is_noticed(
    make: Make, model: Topics, tmp_path: Path
) -> None:
    """Two files that were one may have the same counts and differ in every block."""
    brain = make(model=model)
    store(brain, written(1500))
    brain.close()
    copy = shutil.copy(brain.path, tmp_path / "copy.db")
    with Brain.open(brain.path, model=model) as first:
        store(first, ["话题9号3000000"])
        assert near(first, model.embed_query("话题9号3000000"), ALL)[0] == 1501
    with Brain.open(brain.path, model=model) as first:
        near(first, model.embed_query("话题9号3000000"), ALL)
        shutil.copy(copy, brain.path)
        with Brain.open(brain.path, model=model) as second:
            store(second, ["话题4号3000000"])
            assert near(second, model.embed_query("话题4号3000000"), ALL)[0] == 1501


def test_threads_that_search_and_write_do_not_disturb_each_other(make: Make, model: Topics) -> None:
    brain = make(model=model)
    store(brain, written(1500))
    wrong: list[str] = []

    def search(seed: int) -> None:
        for text in asked(30, seed=seed):
            if len(near(brain, model.embed_query(text), ALL)) != 10:
                wrong.append(text)

    def write() -> None:
        for n in range(40):
            store(brain, written(20, 5000 + 20 * n))

    threads = [threading.Thread(target=search, args=(n,)) for n in range(3)]
    threads.append(threading.Thread(target=write))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert agreement(brain, model, ALL, questions=10) >= 0.97


# Removal -------------------------------------------------------------------------------------


def test_a_removed_vector_leaves_no_byte_behind(make: Make, model: Topics) -> None:
    """Neither its numbers nor its code, in the file or beside it."""
    brain = make(model=model)
    store(brain, written(2600))
    table = table_of(brain)
    removed = [5, 1024, 1500, 2600]
    with brain._store.read() as db:
        marks = [bytes(vector_of(db, table, i) or b"") for i in removed]
        size = blocks.record_size(DIM)
        for i in removed:
            record = blocks.read(db, table, i // blocks.SLOTS)[(i % blocks.SLOTS) * size :][:size]
            assert any(record[blocks.FILTERS :])
            marks.append(record[blocks.FILTERS :])
    assert all(mark in whole_file(brain) for mark in marks)
    with brain._store.write() as db:
        vector_index.remove(db, table, removed)
        vector_index.remove(db, table, [5, 99_999])  # gone already, never there
        assert vector_index.counts(db, table) == (2596, 4)
    assert not any(mark in whole_file(brain) for mark in marks)
    assert not any(mark[:64] in whole_file(brain) for mark in marks)
    found = near(brain, model.embed_documents([written(2600)[1499]])[0], ALL)
    assert 1500 not in found
    assert len(found) == 10
    assert indexes_are_whole(brain)


def whole_file(brain: Brain) -> bytes:
    assert brain._store.merge_log()
    log = Path(f"{brain.path}-wal")
    return brain.path.read_bytes() + (log.read_bytes() if log.exists() else b"")


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("dim", [32, 384, 512])
def test_what_a_view_hides_stands_behind_the_furthest_it_shows(
    monkeypatch: pytest.MonkeyPatch, dim: int, count: int
) -> None:
    """Every code differs from the question's in every bit."""

    many = np.arange(4_000) >= 1_000
    few = np.arange(160) >= 100

    def opposite(
        held: cache.CodeCache, vector: object, places: NDArray[np.intp] | None, part: slice
    ) -> NDArray[np.uint16]:
        found = len(shown) if places is None else len(places)
        return np.full(found, 64 * (part.stop - part.start), dtype=np.uint16)

    monkeypatch.setattr(cache.CodeCache, "_distances", opposite)
    for shown in (many, few):
        near = cache.CodeCache(dim).near(np.zeros(dim, dtype=np.float32), shown, count)
        assert len(near) == count
        assert shown[near].all()


# Files of schema 1 ---------------------------------------------------------------------------


def make_schema_1(path: Path) -> None:
    """Turns a closed file into what the first schema's program would have written."""
    db = apsw.Connection(str(path))
    assert connection.load_vectors(db)
    with db:
        scopes = dict(rows(db, "SELECT name, id FROM scopes"))
        stored = rows(db, "SELECT id, embedding FROM vectors_1")
        owners = dict(rows(db, "SELECT id, memory_id FROM passages"))
        records = memories.get_many(db, owners.values())
        vector_index.drop_table(db, "vectors_1")
        db.execute(
            f"CREATE VIRTUAL TABLE vectors_1 USING vec0 (embedding float[{DIM}]"
            " distance_metric=cosine, scope integer, kind text, valid_from integer,"
            " valid_to integer, recorded_at integer, retracted_at integer, archived integer)"
        )
        for passage, vector in stored:
            memory = records[owners[passage]]
            db.execute(
                "INSERT INTO vectors_1 (rowid, embedding, scope, kind, valid_from, valid_to,"
                " recorded_at, retracted_at, archived) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    passage,
                    vector,
                    scopes[memory.scope],
                    memory.kind,
                    to_ms(memory.valid_from, -FOREVER_MS),
                    to_ms(memory.valid_to, FOREVER_MS),
                    to_ms(memory.recorded_at, 0),
                    to_ms(memory.retracted_at, FOREVER_MS),
                    int(memory.archived_at is not None),
                ),
            )
        take_back(db, 1)
    db.close()


@pytest.fixture(scope="module")
def first_schema(tmp_path_factory: pytest.TempPathFactory, model: Topics) -> Path:
    path = tmp_path_factory.mktemp("first") / "brain.db"
    with Brain.open(path, model=model) as brain:
        store(brain, written(2100))
        store(brain, written(60, 3000), scope="项目")
        store(brain, written(60, 3100), kind="decision")
        for memory_id in range(1, 200, 3):
            brain.expire(memory_id, now=NOON + timedelta(days=1))
        # Gaps between passages, as `forget` leaves them.
        with brain._store.write() as db:
            for memory_id in range(500, 520):
                vector_index.remove(db, "vectors_1", [memory_id])
                db.execute("DELETE FROM memories WHERE id = ?", (memory_id,))
    make_schema_1(path)
    return path


@pytest.fixture
def old(first_schema: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(first_schema, tmp_path / "brain.db"))


def version(path: Path) -> int:
    db = apsw.Connection(str(path))
    try:
        return schema.version(db)
    finally:
        db.close()


OLD_VIEWS = {name: VIEWS[name] for name in ("as everybody", "a scope alone", "a kind")}


def test_a_file_of_schema_1_is_read_as_it_is(old: Path, model: Topics) -> None:
    before = old.read_bytes()
    with Brain.open(old, model=model, read_only=True) as brain:
        for view in OLD_VIEWS.values():
            assert agreement(brain, model, view, questions=10) == 1.0
        stats = brain.stats()
        assert (stats.vectors_present, stats.vectors_missing, stats.schema) == (2200, 0, 1)
        assert brain.recall("话题9号3000000").degraded == ()
    assert old.read_bytes() == before


def test_the_first_write_migrates_it_with_every_vector(old: Path, model: Topics) -> None:
    with Brain.open(old, model=model, read_only=True) as brain:
        vector = model.embed_query("话题9号3000000")
        expected = {name: near(brain, vector, view) for name, view in OLD_VIEWS.items()}
    with Brain.open(old, model=model) as brain:
        brain.add("话题1号9000000")
        stats = brain.stats()
        assert (stats.schema, stats.degraded) == (schema.SCHEMA_VERSION, ())
        assert (stats.vectors_present, stats.vectors_missing) == (2201, 0)
        assert vectors_out_of_step(brain) == []
        for name, view in OLD_VIEWS.items():
            assert len({*near(brain, vector, view)} & {*expected[name]}) >= 9
            assert agreement(brain, model, view, questions=10) >= 0.97
        assert indexes_are_whole(brain)
        with brain._store.read() as db:
            names = {n for (n,) in rows(db, "SELECT name FROM sqlite_schema")}
        assert not any(n.startswith("vectors_1") for n in names)


def test_a_break_in_the_migration_leaves_the_file_as_it_was(
    old: Path, model: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(vector_index, "requantize", lambda *_: 1 / 0)
        with Brain.open(old, model=model) as brain, pytest.raises(ZeroDivisionError):
            brain.add("话题1号9000000")
    assert version(old) == 1
    with Brain.open(old, model=model) as brain:
        assert brain.stats().vectors_present == 2200
        brain.add("话题1号9000000")
        assert brain.stats().vectors_present == 2201


def test_two_processes_migrate_it_once(old: Path, model: Topics) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from tests.store.test_vector_index import Topics\n"
        "from brain import Brain\n"
        "with Brain.open(sys.argv[1], model=Topics()) as brain:\n"
        "    brain.add(sys.argv[3])\n"
    )
    command = [sys.executable, "-c", code, str(old), str(ROOT)]
    running = [subprocess.Popen([*command, f"话题1号{9_000_000 + n}"]) for n in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    with Brain.open(old, model=model) as brain:
        assert brain.stats().vectors_present == 2203
        assert vectors_out_of_step(brain) == []


def test_it_is_migrated_where_sqlite_vec_is_missing(
    old: Path, model: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(connection, "vectors_extension", lambda: None)
        with Brain.open(old, model=model) as brain:
            brain.add("没有扩展时写的一条")
            assert "no_vec" in brain.stats().degraded
            assert brain.stats().vectors_present == 2200
    with Brain.open(old, model=model) as brain:
        assert agreement(brain, model, ALL, questions=10) >= 0.97
        removed = near(brain, model.embed_query("话题9号3000000"), ALL)[0]
        with brain._store.write() as db:
            table = table_of(brain)
            mark = vector_of(db, table, removed)
            vector_index.remove(db, table, [removed])
        assert mark is not None
        assert mark not in whole_file(brain)  # nor in what is left of the old table


def test_a_re_embedding_that_was_under_way_goes_on_after_the_migration(
    tmp_path: Path, e5: Embedder
) -> None:
    path = tmp_path / "brain.db"
    with Brain.open(path, model=e5) as brain:
        fill(brain)
    make_schema_1(path)
    db = apsw.Connection(str(path))
    assert connection.load_vectors(db)
    with db:
        # The file says another model; e5's table has been half filled.
        rows(db, "DELETE FROM vectors_1 WHERE rowid > 10")
        facts = {meta.NEXT_MODEL: "e5-small", meta.NEXT_DIM: DIM, meta.NEXT_VECTORS: "vectors_1"}
        meta.put(db, **{meta.MODEL: "bge-small-zh", meta.DIM: 512, meta.VECTORS: None}, **facts)
    db.close()
    with Brain.open(path) as brain:
        result = brain.reembed("e5-small")
        assert (result.embedded, result.total) == (len(EVERYDAY) - 10, len(EVERYDAY))
        assert texts(brain.recall("水表哪天抄"))[0] == EVERYDAY[0]
        assert vectors_out_of_step(brain) == []


# Re-embedding --------------------------------------------------------------------------------


def test_old_vectors_serve_until_the_new_set_is_whole(
    make: Make, model: Topics, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain.embed import registry
    from brain.maintenance import reembed

    class Other(Topics):
        name = "bge-small-zh"
        calls = 0

        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            Other.calls += 1
            if Other.calls == 20:
                raise BrainError("brain_model_missing", "断在半路")
            return super().embed_documents(texts)

    brain = make(model=model)
    store(brain, written(2300))
    vector = model.embed_query("话题9号3000000")
    before = near(brain, vector, ALL)
    monkeypatch.setattr(registry, "open_embedder", lambda *_: Other())
    with pytest.raises(BrainError):
        reembed.run(brain._store, "bge-small-zh", None)
    assert near(brain, vector, ALL) == before
    store(brain, ["话题9号3000000"])
    result = reembed.run(brain._store, "bge-small-zh", None)
    assert (result.embedded, result.total) == (2301 - 19 * reembed.BATCH, 2301)
    assert table_of(brain) == "vectors_2"
    assert near(brain, vector, ALL)[0] == 2301
    assert agreement(brain, model, ALL, questions=10) >= 0.97
    with brain._store.read() as db:
        assert int(one(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'vectors_1*'")) == 0
    assert vectors_out_of_step(brain) == []
    assert ids(brain.recall("话题9号3000000", k=1)) == [2301]


def test_half_of_each_code_sorts_out_first_in_a_large_file(
    large: Brain, model: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a million notes need is the same search: whole codes choose among what halves leave."""
    count = 300
    held = cache.CodeCache(DIM)
    with large._store.read() as db:
        held.refresh(db, table_of(large))
    shown = held.shown(ALL, None)
    assert not shown.all()
    vectors = [model.embed_query(f"话题{n}号3000000") for n in range(12)]
    direct = [held.near(vector, shown, count).tolist() for vector in vectors]
    monkeypatch.setattr(cache, "FEW_ROUGHLY", 1)
    monkeypatch.setattr(cache, "ROUGHLY", 6)
    compared: list[int] = []
    real = quantize.distances
    monkeypatch.setattr(
        quantize, "distances", lambda some, code: compared.append(len(some)) or real(some, code)
    )
    for vector, expected in zip(vectors, direct, strict=True):
        found = held.near(vector, shown, count).tolist()
        assert found == sorted(found)
        assert shown[found].all()
        assert len({*found} & {*expected}) >= 0.95 * count
    assert set(compared) == {blocks.words(DIM) // 2}
    assert agreement(large, model, ALL) >= 0.95


DAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("at", [0, 3, 6, 40])
@pytest.mark.parametrize("known", [None, 2, 20])
@pytest.mark.parametrize("archived", [False, True, None])
@pytest.mark.parametrize("retracting", [True, False])
def test_the_first_stage_shows_what_the_records_show(
    make: Make, at: int, known: int | None, archived: bool | None, retracting: bool
) -> None:
    """Columns that rule nothing out are not read; those that rule something out are."""

    def day(n: int) -> datetime:
        return DAY + timedelta(days=n)

    brain = make(model=Topics())
    for n in range(12):
        start = day(5 * (n % 3)) if n % 2 else None
        stop = day(5 * (n % 3) + 4) if n % 4 == 1 else None
        brain.add(f"话题{n}号{n}", valid_from=start, valid_to=stop, now=day(n % 4))
    if retracting:
        brain.retract(3, now=day(10))
    with brain._store.write() as db:
        memories.set_fields(db, 8, archived_at=to_iso(day(9)))
        record = memories.get(db, 8)
        assert record is not None
        vector_index.refresh(db, record)
    view = View(
        as_of=to_iso(day(at)),
        known_at=None if known is None else to_iso(day(known)),
        archived=archived,
    )
    held = cache.CodeCache(DIM)
    with brain._store.read() as db:
        held.refresh(db, table_of(brain))
        shown = held.passages(np.flatnonzero(held.shown(view, None)))
        owners = memories.owners(db, shown)
        assert sorted(owners.values()) == sorted(memories.visible(db, range(1, 13), view))
