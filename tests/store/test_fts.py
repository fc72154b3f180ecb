"""The text indexes are kept in few segments: each one is gone through by every look-up."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from brain import Brain, Draft
from brain.embed.protocol import Embedder
from brain.store import fts, schema
from brain.store.sql import rows
from tests.support.engine import EVERYDAY, NOON, Make, fill, refused


def merges(path: Path) -> list[int | None]:
    """From how many segments each index merges; None where the file does not say."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    told = [
        dict(rows(db, f"SELECT k, v FROM {index}_config")).get("usermerge")
        for index in (fts.GRAMS, fts.TRIGRAMS)
    ]
    db.close()
    return told


def written_by(version: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file as the program of an earlier schema left it."""
    with monkeypatch.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:version])
        older.setattr(schema, "SCHEMA_VERSION", version)
        with Brain.open(path, model="none") as brain:
            brain.add_many([Draft(f"水表{n}号在地下室") for n in range(20)])
    assert merges(path) == [None, None]


def with_tokenizer(path: Path, old: str, new: str) -> None:
    """Has the trigram index ask for another tokenizer, such as this SQLite lacks."""
    db = apsw.Connection(str(path))
    db.pragma("writable_schema", 1)
    db.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'trigrams'",
        (f"'{old} case", f"'{new} case"),
    )
    db.close()


@pytest.mark.parametrize("version", range(2, 4))
def test_a_file_of_an_earlier_schema_merges_by_pairs_once_it_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    path = tmp_path / "m.db"
    written_by(version, path, monkeypatch)
    before = path.read_bytes()
    with Brain.open(path, read_only=True) as brain:
        assert brain.recall("水表7号").hits[0].id == 8
    assert path.read_bytes() == before
    with Brain.open(path) as brain:
        brain.add("水表都换过了")
        assert brain.recall("水表7号").hits[0].id == 8
    assert merges(path) == [2, 2]


def test_an_earlier_file_is_written_to_where_a_tokenizer_is_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    written_by(3, path, monkeypatch)
    with_tokenizer(path, "trigram", "lacking")
    with Brain.open(path) as brain:
        brain.add("水表都换过了")
        assert brain.recall("水表7号").hits[0].id == 8
    assert merges(path) == [2, 2]
    with_tokenizer(path, "lacking", "trigram")
    with Brain.open(path) as brain:
        brain.add("换表的人姓季")
        assert brain.doctor().exit_code == 0


def test_indexes_made_anew_merge_by_pairs(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Brain.open(path, model="none") as brain:
        brain.add("水表在地下室")
        with brain._store.write() as db:
            fts.recreate(db)
    assert merges(path) == [2, 2]


@pytest.mark.parametrize("batch", [1, 40, 400])
def test_a_file_stays_in_few_segments(tmp_path: Path, batch: int) -> None:
    most = 0
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for start in range(0, 60 * batch if batch == 1 else 12 * batch, batch):
            brain.add_many(
                [
                    Draft(f"{n * 7919}号水表在{n * 104729 % 977}栋的{n % 31}层")
                    for n in range(start, start + batch)
                ]
            )
            with brain._store.read() as db:
                most = max(most, fts.segments(db, fts.GRAMS), fts.segments(db, fts.TRIGRAMS))
    assert most <= 3


DAMAGES = {
    "a table is gone": "DROP TABLE grams",
    "rows are gone": "DELETE FROM grams_data WHERE id > 10",
    "its structure is gone": "DELETE FROM grams_data",
    "pages are garbled": "UPDATE grams_data SET block = zeroblob(length(block)) WHERE id > 10",
    "averages are garbled": "UPDATE grams_data SET block = x'ff' WHERE id = 1",
    "lengths are gone": "DELETE FROM grams_docsize WHERE id % 2",
    "it was emptied": "INSERT INTO grams (grams) VALUES ('delete-all')",
    "the wrong type": "UPDATE grams_data SET block = 'abc'",
    "the other index": "DELETE FROM trigrams_data",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_index_leaves_questions_to_meaning_and_says_so(
    make: Make, e5: Embedder, damage: str
) -> None:
    brain = make(model=e5)
    fill(brain, EVERYDAY[:12])
    old = brain.add("服务器密码每季度换一次").id
    brain.supersede(old, text="服务器密码改成每月换一次")
    brain.close()
    db = apsw.Connection(str(brain.path))
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    db.execute(damage)
    db.close()
    brain = make(model=e5)
    found = brain.recall("谁来抄水表，哪天来", k=3)
    assert found.hits[0].text == EVERYDAY[0]
    block = brain.inject("服务器密码多久换一次")
    assert "每月换一次" in block.block
    assert brain.check("物业周几来抄水表").answerable
    assert not brain.check("吉他怎么换弦").answerable
    if "trigrams" in damage:
        # Only windows of three characters go without it.
        assert brain.search("抄水表").hits
        assert brain.stats().degraded == ("index_damaged",)
    else:
        assert found.degraded == block.degraded == ("index_damaged",)
        refused("brain_db_damaged", 74, lambda: brain.search("抄水表"))
    with Brain.open(brain.path, model=e5, checked=False) as opened:
        assert opened.doctor(repair=True, now=NOON).ok
    brain = make(model=e5)
    assert brain.recall("谁来抄水表，哪天来").degraded == ()
    assert brain.search("抄水表").hits[0].text == EVERYDAY[0]
