"""Forgetting is for real: looked for in the bytes of the file and of its log."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw
import pytest

from brain import Brain, BrainError, Draft
from brain.compress.handles import handle_of
from brain.embed.protocol import Embedder
from brain.lifecycle import forget
from brain.store import erase, fts, integrity, journal, memories, memory_file, meta
from brain.store.sql import rows
from brain.store.vectors import blocks, vector_index
from brain.text.fold import fold
from brain.text.tokenize import index_terms, trigram_windows
from tests.support import PATIENCE, ROOT
from tests.support.engine import (
    EVERYDAY,
    NOON,
    Make,
    fill,
    indexes_are_whole,
    refused,
    vector_of,
    vectors_out_of_step,
)

SECRET = "口令是ZEBRA-青-77，只有砚秋知道"
LONG = "".join(
    f"第{n}节：鹭鸶湾泵房的阀门编号 LSW-{n * 37:05d}，巡检员柏舟签字。\n" for n in range(32)
)


def bytes_of(brain: Brain) -> bytes:
    """The file and its log, as they are on the disk."""
    log = Path(f"{brain.path}-wal")
    return brain.path.read_bytes() + (log.read_bytes() if log.exists() else b"")


def grams_of(text: str) -> set[str]:
    folded = fold(text)
    return {*trigram_windows(folded), *index_terms(folded)}


def own_grams(text: str, others: Iterable[str]) -> set[bytes]:
    """Grams of a text that stand in no other text and are too long to stand there by chance."""
    rest = "\0".join([*others, *map(fold, others)])
    return {
        gram.encode()
        for gram in grams_of(text)
        if gram not in rest and len(gram.encode()) >= erase.LEAST_BYTES
    }


def pieces_of(text: str, size: int = 24) -> list[bytes]:
    data = text.encode()
    return [data[i : i + size] for i in range(0, max(1, len(data) - size + 1), size)]


def vector_pieces(brain: Brain, memory_id: int) -> list[bytes]:
    """Every vector of a memory, in stretches that fit between page borders."""
    out = []
    with brain._store.read() as db:
        table = memory_file.facts(db)[meta.VECTORS]
        for passage in memories.passage_ids(db, memory_id):
            found = rows(db, f"SELECT embedding FROM {table} WHERE rowid = ?", (passage,))
            whole = bytes(found[0][0])
            out += [whole[i : i + 64] for i in range(0, len(whole), 64)]
    return out


def indexed(brain: Brain, grams: Iterable[str]) -> set[str]:
    """Which of the terms any index still knows."""
    with brain._store.read() as db:
        return {
            gram
            for gram in grams
            for index in ("grams", "trigrams")
            if rows(db, f"SELECT 1 FROM {index}_vocab WHERE term = ?", (gram,))
        }


def tables_naming(brain: Brain, memory_id: int, passages: list[int]) -> set[str]:
    """Tables with a row for a memory or its passages, other than the journal."""
    out = set()
    with brain._store.read() as db:
        names = [row[0] for row in rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for name in names:
            if name.endswith("_docsize"):
                if rows(db, f"SELECT 1 FROM {name} WHERE id = ?", (memory_id,)):
                    out.add(name)
            elif name.removeprefix("vectors_").isdigit():
                marks = ", ".join(map(str, passages))
                if rows(db, f"SELECT 1 FROM {name} WHERE id IN ({marks})"):
                    out.add(name)
                if blocks.of_passages(db, name, passages):
                    out.add(f"{name}_slots")
        if rows(db, "SELECT 1 FROM memories WHERE id = ?", (memory_id,)):
            out.add("memories")
        if rows(db, "SELECT 1 FROM passages WHERE memory_id = ?", (memory_id,)):
            out.add("passages")
    return out


@pytest.mark.parametrize("text", [SECRET, LONG], ids=["short", "many passages"])
def test_nothing_of_it_is_left_in_the_file_or_its_log(make: Make, e5: Embedder, text: str) -> None:
    brain = make(model=e5)
    fill(brain)
    evidence = "抄自霁月档案第九卷"
    one = brain.add(text, evidence=evidence, allow_secrets=True, why="霜降会上交代的").id
    brain.add("泵房的钥匙在门卫")
    brain.set_confidence(one, 0.5, why="再确认过霜降纪要")
    with brain._store.read() as db:
        passages = memories.passage_ids(db, one)
        record = memories.get(db, one)
    assert record is not None
    assert len(passages) > 1 or text == SECRET
    others = [m.text for m in brain.list(limit=None) if m.id != one]
    kept_bytes = "\0".join(others).encode()
    wanted = {
        "text": [p for p in pieces_of(text) if p not in kept_bytes],
        "grams": list(own_grams(text, others)),
        "vectors": vector_pieces(brain, one),
        "evidence": pieces_of(evidence, 12),
        "reasons": pieces_of("霜降会上交代的", 9) + pieces_of("再确认过霜降纪要", 9),
        "hash": [record.content_hash.encode()],
        "sha256": [hashlib.sha256(text.encode()).digest()],
    }
    before = bytes_of(brain)
    for what, pieces in wanted.items():
        assert pieces, what
        there = sum(p in before for p in pieces)
        # Terms are stored without what they share with the one before; pieces may cross a page.
        assert there >= (0.05 if what == "grams" else 0.9) * len(pieces), what
    own = {g for g in grams_of(text) if g not in "\0".join(map(fold, others))}
    assert indexed(brain, own)
    assert tables_naming(brain, one, passages)

    assert brain.forget(one).to_dict() == {
        "forgotten": True,
        "id": one,
        "words": [],
        "originals": [],
        "copies": [],
    }

    after = bytes_of(brain)
    for what, pieces in wanted.items():
        assert [p for p in pieces if p in after] == [], what
    assert not indexed(brain, own)
    assert not tables_naming(brain, one, passages)
    assert indexes_are_whole(brain)
    assert not vectors_out_of_step(brain)
    refused("brain_not_found", 1, lambda: brain.get(one))
    assert not brain.search(text[:20]).hits or one not in [
        h.id for h in brain.search(text[:20]).hits
    ]
    assert brain.recall("抄水表是哪天").hits[0].text == EVERYDAY[0]


def test_copies_that_a_balanced_tree_left_behind_go_too(brain: Brain) -> None:
    """``secure_delete`` alone leaves what moving a cell to another page copied."""
    texts = [f"{n:03d}号柜：" + chr(0x4E00 + 7 * n) * 90 + "，柜门贴封条" for n in range(300)]
    ids = [r.id for r in brain.add_many([Draft(t) for t in texts], now=NOON)]
    for memory_id in ids[::2]:
        # Rows that grow push others to the next page.
        brain.expire(memory_id, at="2031-01-01")
    brain.close()
    with Brain.open(brain.path) as again:
        data = again.path.read_bytes()
        twice = [i for i, t in zip(ids, texts, strict=True) if data.count(t.encode()[:60]) > 1]
        assert twice
        for memory_id in twice:
            again.forget(memory_id)
        data = bytes_of(again)
        assert not [i for i in twice if texts[i - 1].encode()[:60] in data]
        assert again.stats().total == len(ids) - len(twice)
        assert indexes_are_whole(again)
        assert [m.text for m in again.list(limit=None)][::-1] == [
            t for i, t in zip(ids, texts, strict=True) if i not in twice
        ]


def test_what_another_connection_remembers_is_not_written_back(brain: Brain) -> None:
    """A second process that has the old pages in memory goes on writing."""
    drafts = [Draft(f"{n}号货架放{chr(0x5000 + n) * 30}") for n in range(60)]
    ids = [r.id for r in brain.add_many(drafts)]
    code = (
        "import sys\nfrom brain import Brain\nwith Brain.open(sys.argv[1]) as brain:\n"
        "    brain.add('先写一条')\n    brain.list(limit=None)\n    print('ready', flush=True)\n"
        "    sys.stdin.readline()\n"
        "    [brain.expire(i, at='2031-01-01') for i in range(2, 50, 2)]\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(brain.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        text = brain.get(ids[20]).text
        assert text.encode() in bytes_of(brain)
        brain.forget(ids[20])
        other.communicate("\n")
    assert other.returncode == 0
    assert text.encode() not in bytes_of(brain)
    assert indexes_are_whole(brain)


READER = """
import sys
import apsw
db = apsw.Connection(sys.argv[1])
db.execute("BEGIN")
print(db.execute("SELECT count(*) FROM memories").fetchall()[0][0], flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
"""


def test_a_reader_in_the_way_is_told_and_the_same_call_again_finishes(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "PATIENCE_S", 0.5)
    monkeypatch.setattr(erase.clear, "__defaults__", (0.5,))
    fill(brain)
    one = brain.add(SECRET, allow_secrets=True).id
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(brain.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        assert int(reader.stdout.readline()) == len(EVERYDAY) + 1
        for _ in range(2):
            refused("brain_wal_pending", 75, lambda: brain.forget(one))
            assert SECRET.encode() in bytes_of(brain)
            refused("brain_not_found", 1, lambda: brain.get(one))
        brain.add("读的人不挡写的人")
        reader.communicate("\n")
    assert brain.forget(one).to_dict()["forgotten"] is True
    data = bytes_of(brain)
    assert SECRET.encode() not in data
    assert not [g for g in own_grams(SECRET, EVERYDAY) if g in data]
    refused("brain_not_found", 1, lambda: brain.forget(one))
    with brain._store.read() as db:
        assert meta.ERASING not in meta.read(db)


def test_a_reader_that_ends_in_time_is_waited_for(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "PATIENCE_S", PATIENCE)
    monkeypatch.setattr(erase.clear, "__defaults__", (PATIENCE,))
    one = brain.add(SECRET, allow_secrets=True).id
    reader = READER.replace("sys.stdin.readline()", "import time; time.sleep(1)")
    with subprocess.Popen(
        [sys.executable, "-c", reader, str(brain.path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        brain.forget(one)
    assert SECRET.encode() not in bytes_of(brain)


# The line around it -----------------------------------------------------------------------------


def chain(brain: Brain) -> list[int]:
    first = brain.add("仓库在城南", valid_from="2025-01-01", now=NOON).id
    second = brain.supersede(first, text="仓库在城西", at="2025-06-01", why="城西便宜").new
    third = brain.supersede(second, text="仓库在城北", at="2025-12-01", why="城西拆了").new
    return [first, second, third]


def times(brain: Brain, ids: Iterable[int]) -> dict[int, Any]:
    return {m.id: (m.valid_from, m.valid_to, m.retracted_at) for m in map(brain.get, ids)}


@pytest.mark.parametrize("place", [0, 1, 2], ids=["the oldest", "the middle", "the newest"])
@pytest.mark.parametrize("corrected", [False, True])
def test_the_line_closes_and_nothing_old_comes_back(
    brain: Brain, place: int, corrected: bool
) -> None:
    ids = chain(brain)
    if corrected:
        ids[1:] = [ids[2], brain.correct(ids[2], "仓库在城东", why="写错").new]
        brain.forget(2)
    left = [i for i in ids if i != ids[place]]
    before = times(brain, left)
    current = {m.id for m in brain.list()}
    brain.forget(ids[place], why="用户要求")
    assert times(brain, left) == before
    assert {m.id for m in brain.list()} == current - {ids[place]}
    assert [m.id for m in brain.history(left[0]).history] == left
    assert brain.history(left[1]) == brain.history(left[0])
    stats = brain.stats()
    assert stats.total == 2
    assert stats.current == len(current - {ids[place]})


def test_a_tombstone_without_a_word_of_it_stays(brain: Brain) -> None:
    ids = chain(brain)
    brain.set_confidence(ids[1], 0.4, why="城西的人说的")
    brain.forget(ids[1], why="用户要求")
    with brain._store.read() as db:
        told = [(e.what, e.why, e.detail) for e in journal.entries_of(db, [ids[1]])]
        reasons = [row[0] for row in rows(db, "SELECT why FROM journal WHERE why <> ''")]
    assert told[-1] == ("forget", "用户要求", {})
    assert all(why == "" and detail == {} for _, why, detail in told[:-1])
    assert reasons == ["用户要求"]
    events = [(e.id, e.what) for e in brain.history(ids[0]).events]
    assert (ids[1], "forget") in events
    assert str(ids[1]) in refused("brain_not_found", 1, lambda: brain.get(ids[1])).message


def test_a_reason_that_quotes_it_is_not_kept(brain: Brain) -> None:
    said = "砚秋把ZEBRA的钥匙留给了柏舟"
    one = brain.add(said).id
    other = brain.add("别的事", why=f"和「{said}」一起听来的").id
    brain.forget(one, why=f"删掉 {said}")
    assert said.encode() not in bytes_of(brain)
    assert [e.why for e in brain.history(other).events] == [""]


def test_ids_are_never_used_again(brain: Brain) -> None:
    ids = [brain.add(f"第{n}件事").id for n in range(3)]
    for one in reversed(ids):
        brain.forget(one)
    assert brain.add("新的事").id == ids[-1] + 1


def test_a_recovery_copy_of_the_same_bytes_goes_too(brain: Brain) -> None:
    one = brain.add(SECRET, allow_secrets=True).id
    with brain._store.write() as db:
        for text in (SECRET, "另一份原文"):
            data = text.encode()
            digest = hashlib.sha256(data).digest()
            db.execute(
                "INSERT INTO ccr VALUES (?, ?, ?, 'text/plain', 'prose', 9, 3, '')",
                ("ccr_" + digest[:16].hex(), digest, data),
            )
    brain.forget(one)
    assert SECRET.encode() not in bytes_of(brain)
    with brain._store.read() as db:
        assert rows(db, "SELECT original FROM ccr") == [("另一份原文".encode(),)]


def test_own_words_go_with_the_last_memory_that_holds_them(brain: Brain) -> None:
    one = brain.add("青鸟计划由砚秋牵头").id
    two = brain.add("青鸟计划下周评审").id
    for word in ("青鸟计划", "砚秋", "无关词"):
        brain.add_word(word)
    assert brain.forget(one).words == ("砚秋",)
    assert {w.word for w in brain.words()} == {"青鸟计划", "无关词"}
    assert brain.forget(two).words == ("青鸟计划",)


def test_what_another_memory_also_says_is_no_remnant(brain: Brain) -> None:
    one = brain.add("会议纪要：青鸟计划下周评审，地点在二楼。").id
    two = brain.add("转述：青鸟计划下周评审，地点在二楼。").id
    brain.forget(one)
    assert "青鸟计划下周评审" in brain.get(two).text
    assert brain.recall("青鸟计划何时评审").hits[0].id == two


@pytest.mark.parametrize(
    "text", ["好", "a", "ok", "嗯嗯", "\U0001f600", "zebra", "甲" * 3000, "a" * 9]
)
def test_the_shortest_and_the_dullest_texts_are_forgotten_without_false_alarm(
    brain: Brain, text: str
) -> None:
    fill(brain)
    brain.add("好的，嗯嗯，ok，zebra 也行")
    one = brain.add(text).id
    brain.forget(one)
    refused("brain_not_found", 1, lambda: brain.get(one))
    assert indexes_are_whole(brain)


def test_a_remnant_that_cannot_be_cleared_is_never_called_success(brain: Brain) -> None:
    """Another program kept a copy of its own in our file."""
    one = brain.add(SECRET, allow_secrets=True).id
    with brain._store.write() as db:
        db.execute("CREATE TABLE another_programs_cache (body TEXT)")
        db.execute("INSERT INTO another_programs_cache VALUES (?)", (SECRET,))
    refused("brain_forget_incomplete", 74, lambda: brain.forget(one))


def test_a_failure_in_the_middle_forgets_nothing(
    make: Make, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain = make(model=e5)
    one = brain.add(SECRET, allow_secrets=True).id
    monkeypatch.setattr(memories, "delete", lambda db, i: (_ for _ in ()).throw(RuntimeError()))
    with pytest.raises(RuntimeError):
        brain.forget(one)
    monkeypatch.undo()
    assert brain.get(one, reveal=True).text == SECRET
    assert brain.recall("口令").hits[0].id == one
    assert not vectors_out_of_step(brain)
    assert indexes_are_whole(brain)


def test_where_sqlite_vec_is_missing_vectors_are_erased_all_the_same(
    make: Make, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain = make(model=e5)
    one = brain.add(SECRET, allow_secrets=True).id
    with brain._store.read() as db:
        mark = vector_of(db, memory_file.facts(db)[meta.VECTORS], one)
    assert mark is not None
    brain.close()
    assert mark in brain.path.read_bytes()
    monkeypatch.setattr("brain.store.connection.load_vectors", lambda db: False)
    without = make(model=None)
    without.forget(one)
    without.close()
    assert mark not in brain.path.read_bytes()


def test_the_vectors_of_a_reembedding_under_way_go_too(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    one, two = brain.add(SECRET, allow_secrets=True).id, brain.add("别的事").id
    with brain._store.write() as db:
        table = memory_file.facts(db)[meta.VECTORS]
        vector_index.create_table(db, "vectors_2", e5.dim)
        meta.put(db, **{meta.NEXT_VECTORS: "vectors_2"})
        for memory_id in (one, two):
            memory = memories.get(db, memory_id)
            assert memory is not None
            vector_index.add(
                db,
                "vectors_2",
                memories.passage_ids(db, memory_id),
                e5.embed_documents([memory.text]),
                memory,
                1,
            )
        assert vector_index.counts(db, table) == vector_index.counts(db, "vectors_2") == (2, 0)
    brain.forget(one)
    with brain._store.read() as db:
        assert vector_index.counts(db, table) == vector_index.counts(db, "vectors_2") == (1, 0)


# Pages ------------------------------------------------------------------------------------------


def test_gaps_are_told_from_cells(tmp_path: Path) -> None:
    """Whatever stands in gaps is free to go: SQLite finds a file whole whose gaps were zeroed."""
    path = tmp_path / "other.db"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE t (a TEXT, b BLOB); CREATE INDEX i ON t (a)")
    db.execute("BEGIN")
    for n in range(500):
        db.execute("INSERT INTO t VALUES (?, ?)", (f"{n * 7919 % 500:05d}" * 9, b"x" * (n % 90)))
    db.execute("UPDATE t SET a = a || 'longer' WHERE rowid % 3 = 0")
    db.execute("DELETE FROM t WHERE rowid % 5 = 0")
    db.execute("COMMIT")
    kept = db.execute("SELECT * FROM t ORDER BY rowid").fetchall()
    size = db.pragma("page_size")
    db.close()
    data = bytearray(path.read_bytes())
    cleared = 0
    for number in range(1, len(data) // size + 1):
        page = bytes(data[(number - 1) * size : number * size])
        for start, stop in erase.unused_ranges(number, page):
            at = (number - 1) * size
            data[at + start : at + stop] = b"\xff" * (stop - start)
            cleared += stop - start
    assert cleared > size
    path.write_bytes(data)
    db = apsw.Connection(str(path))
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert db.execute("SELECT * FROM t ORDER BY rowid").fetchall() == kept


def test_the_file_is_whole_for_readers_all_the_while(brain: Brain) -> None:
    drafts = [Draft(f"{n}号卷宗：{'甲乙丙丁'[n % 4] * 50}") for n in range(120)]
    ids = [r.id for r in brain.add_many(drafts)]
    code = (
        "import json, sys\nfrom brain import Brain\nseen = []\n"
        "with Brain.open(sys.argv[1], read_only=True) as brain:\n    print('ready', flush=True)\n"
        "    while not seen or seen[-1] > 100:\n        seen.append(len(brain.list(limit=None)))\n"
        "print(json.dumps(seen))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(brain.path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        for memory_id in ids[::6]:
            brain.forget(memory_id)
        seen = json.loads(reader.communicate()[0])
    assert seen == sorted(seen, reverse=True)
    assert indexes_are_whole(brain)


def test_a_forgetting_that_was_cut_short_is_finished_by_the_same_call(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = brain.add(SECRET, allow_secrets=True).id, brain.add("别的事").id
    monkeypatch.setattr(erase, "clear", lambda db, path: (_ for _ in ()).throw(SystemExit(9)))
    with pytest.raises(SystemExit):
        brain.forget(one)
    monkeypatch.undo()
    refused("brain_not_found", 1, lambda: brain.forget(99))
    assert brain.forget(one).to_dict()["forgotten"] is True
    assert SECRET.encode() not in bytes_of(brain)
    refused("brain_not_found", 1, lambda: brain.forget(one))
    assert brain.get(two).text == "别的事"


def test_forgetting_beside_busy_writers_succeeds_or_says_what_is_pending(brain: Brain) -> None:
    ids = [brain.add(f"{n}号机密 {SECRET}", allow_secrets=True).id for n in range(6)]
    code = (
        "import sys\nfrom brain import Brain\nwith Brain.open(sys.argv[1]) as brain:\n"
        "    print('ready', flush=True)\n"
        "    print(len({brain.add(f'流水第{n}笔，不相干').id for n in range(150)}))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(brain.path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        pending = []
        for memory_id in ids:
            try:
                brain.forget(memory_id)
            except BrainError as error:
                pending.append((error.code, memory_id))
        assert writer.communicate()[0] == "150\n"
    assert writer.returncode == 0
    assert {code for code, _ in pending} <= {"brain_wal_pending"}
    for _, memory_id in pending:
        with contextlib.suppress(BrainError):  # a later call may have finished it as well
            brain.forget(memory_id)
    assert SECRET.encode() not in bytes_of(brain)
    assert brain.stats().total == 150
    assert indexes_are_whole(brain)


def keys_of_the_indexes(brain: Brain) -> bytes:
    """Every separator key of both text indexes."""
    with brain._store.read() as db:
        return b"\0".join(
            row[0]
            for name in ("grams", "trigrams")
            for row in rows(db, f"SELECT term FROM {name}_idx")
        )


def test_no_separator_key_of_an_index_keeps_a_word(brain: Brain) -> None:
    """FTS5 notes the first term of each page apart, and leaves it when the term goes."""
    rnd = random.Random(8)
    han = [chr(0x4E00 + n) for n in range(0, 20_000, 7)]
    texts = ["".join(rnd.choices(han, k=120)) for _ in range(120)]
    ids = [done.id for done in brain.add_many([Draft(text) for text in texts])]
    own = [
        {t.encode() for name in ("grams", "trigrams") for t in fts.terms_of(name, text)}
        for text in texts
    ]
    before = keys_of_the_indexes(brain)
    betrayed = [n for n, terms in enumerate(own) if any(b"\0" + b"0" + t in before for t in terms)]
    assert betrayed, "no key holds a whole term: the test shows nothing"
    for n in betrayed:
        brain.forget(ids[n])
    left = set().union(*(own[n] for n in range(len(texts)) if n not in betrayed))
    after = keys_of_the_indexes(brain)
    gone = set().union(*(own[n] for n in betrayed)) - left
    assert not [t.decode() for t in gone if len(t) >= 6 and t in after]
    with brain._store.read() as db:
        assert integrity.integrity(db) == []
        assert not [name for name in ("grams", "trigrams") if fts.stale_keys(db, name)]
    indexes_are_whole(brain)


def test_a_key_that_was_left_by_an_older_version_is_told_and_mended(brain: Brain) -> None:
    fill(brain)
    with brain._store.write() as db:
        first = rows(db, "SELECT segid, pgno FROM grams_idx ORDER BY segid, term LIMIT 1")[0]
        db.execute(
            "UPDATE grams_idx SET term = ? WHERE segid = ? AND pgno = ?", (b"0\x01zz", *first)
        )
    assert "grams_keys" in {f.code for f in brain.doctor().findings if f.severity == "warn"}
    assert "grams_keys" in brain.doctor(repair=True).repaired
    assert b"zz" not in keys_of_the_indexes(brain)


def test_one_gram_that_is_left_in_the_bytes_is_found(brain: Brain) -> None:
    """Not a stretch at four places: every gram of the text is looked for."""
    one = brain.add("鹭鸶湾泵房的阀门编号写在柏舟的蓝皮本子里，霜降以后才换").id
    with brain._store.write() as db:
        db.execute("CREATE TABLE another_programs_cache (body TEXT)")
        db.execute("INSERT INTO another_programs_cache VALUES ('蓝皮')")
    refused("brain_forget_incomplete", 74, lambda: brain.forget(one))


def test_the_planners_samples_keep_no_hash_of_it(brain: Brain) -> None:
    fill(brain)
    one = brain.add("柏舟的生日在霜降").id
    with brain._store.write() as db:
        db.execute("ANALYZE")
        digest = memories.get(db, one)
        assert digest is not None
        samples = rows(db, "SELECT sample FROM sqlite_stat4")
    assert any(digest.content_hash.encode() in bytes(s) for (s,) in samples)
    brain.forget(one)
    assert digest.content_hash.encode() not in bytes_of(brain)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_an_original_that_is_the_text_alone_goes_with_it(brain: Brain, encoding: str) -> None:
    text = "鹭鸶湾泵房的钥匙在柏舟手里"
    one = brain.add(text).id
    brain.compress(f"  {text}\r\n".encode(encoding))
    assert len(brain.originals()) == 1
    assert brain.forget(one).originals == ()
    assert brain.originals() == ()


@pytest.mark.parametrize(
    "write",
    [
        lambda text, rest: f"{rest}\n{text}\n{rest}".encode(),
        lambda text, rest: f"{rest}\n{text}".encode("gb18030"),
        lambda text, rest: json.dumps([{"n": n, "said": text} for n in range(90)]).encode(),
        lambda text, rest: json.dumps({"a": rest, "said": text}, ensure_ascii=False).encode(),
        lambda text, rest: f"{rest}\n{text}".encode("utf-16"),
    ],
    ids=["in the middle", "gb18030", "escaped", "json", "utf-16"],
)
def test_an_original_that_holds_it_among_other_things_is_named(
    brain: Brain, write: Callable[[str, str], bytes]
) -> None:
    text = '他说"鹭鸶湾泵房的钥匙在柏舟手里"'
    rest = "\n".join(f"第{n}行：巡检正常，没有异常，记录完毕。" for n in range(200))
    one = brain.add(text).id
    data = write(text, rest)
    brain.compress(data)
    brain.compress(rest)
    named = brain.forget(one).originals
    assert [len(data)] == [entry.bytes for entry in brain.originals() if entry.handle in named]
    assert brain.forget_original(named[0]).to_dict() == {"forgotten": True, "handle": named[0]}
    assert [entry.handle for entry in brain.originals()] == [handle_of(rest.encode())]
    assert "鹭鸶湾泵房的钥匙".encode() not in bytes_of(brain)
    refused("brain_ccr_not_found", 1, lambda: brain.forget_original(named[0]))
    refused("brain_ccr_not_found", 1, lambda: brain.recover(named[0]))


def test_a_full_store_has_room_again(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_CCR_MAX_BYTES", "30000")
    one, other = ("\n".join(f"{w}第{n}行，巡检正常。" for n in range(900)) for w in "甲乙")
    kept = brain.compress(one[:9000]).handle
    refused("brain_ccr_budget_exceeded", 65, lambda: brain.compress(other[:9000]))
    assert kept is not None
    brain.forget_original(kept)
    assert brain.compress(other[:9000]).handle is not None


def test_a_pending_erasure_is_told_and_finished_by_repair(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = brain.add(SECRET, allow_secrets=True).id
    monkeypatch.setattr(memory_file.Store, "finish_erasing", lambda self: None)
    monkeypatch.setattr(forget, "verify", lambda *args: None)
    brain.forget(one)
    monkeypatch.undo()
    assert "erasing" in {f.code for f in brain.doctor().findings if f.severity == "warn"}
    assert "erasing" in brain.doctor(repair=True).repaired
    assert SECRET.encode() not in bytes_of(brain)
    assert "erasing" not in {f.code for f in brain.doctor().findings}
