"""What is damaged inside the indexes is told as damage, what is sound is not called damaged, and
every message can be printed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, BrainError
from brain.errors import EXIT_IO
from brain.store.sql import rows
from brain.store.vectors import vector_index
from brain.store.vectors.blocks import SLOTS
from tests.support.engine import EVERYDAY, fill, refused, run

DIM = 384


class Drawn:
    """A vector of its own for every text, drawn from it."""

    name, dim, max_tokens, languages = "e5-small", DIM, 512, ("zh",)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        drawn = np.random.default_rng(list(text.encode())).standard_normal(DIM) + 0.5
        return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose vectors fill more than one block."""
    path = tmp_path_factory.mktemp("sound") / "m.db"
    with Brain.open(path, model=Drawn()) as brain:
        fill(brain, [f"第{n}号仓库的钥匙在{EVERYDAY[n % 9]}" for n in range(SLOTS + 200)])
    return path


@pytest.fixture
def damaged(sound: Path, tmp_path: Path) -> Callable[[str], Path]:
    def change(statement: str) -> Path:
        path = tmp_path / "m.db"
        shutil.copy(sound, path)
        db = apsw.Connection(str(path))
        db.pragma("ignore_check_constraints", 1)
        db.execute(statement).fetchall()
        assert db.total_changes() > 0
        db.close()
        return path

    return change


def told(act: Callable[[], object]) -> None:
    refused("brain_db_damaged", EXIT_IO, act)


@pytest.mark.parametrize("length", ["x''", "x'ff'", "x'8080'", "'abc'", "''", "7", "NULL"])
def test_a_length_that_is_none_is_damage(damaged: Callable[[str], Path], length: str) -> None:
    path = damaged(f"UPDATE grams_docsize SET sz = {length}")
    with Brain.open(path, model=Drawn()) as brain:
        told(lambda: brain.search("仓库的钥匙"))
        assert brain.recall("仓库的钥匙").degraded == ("index_damaged",)


@pytest.mark.parametrize("record", ["x'05'", "x'ffffffffffffffffff'", "x'ff'", "'abc'", "NULL"])
def test_averages_that_are_none_are_damage(damaged: Callable[[str], Path], record: str) -> None:
    path = damaged(f"UPDATE grams_data SET block = {record} WHERE id = 1")
    with Brain.open(path, model=Drawn()) as brain:
        told(lambda: brain.search("仓库的钥匙"))
        assert brain.recall("仓库的钥匙").degraded == ("index_damaged",)


CODES = [
    "DELETE FROM vectors_1_centres",
    "UPDATE vectors_1_blocks SET centre = 99 WHERE block = 1",
    "UPDATE vectors_1_centres SET mean = x'00'",
    "UPDATE vectors_1_centres SET mean = zeroblob(4)",
    "UPDATE vectors_1_centres SET mean = 'abcd'",
    "UPDATE vectors_1_centres SET spread = 'wide'",
    "UPDATE vectors_1_slots SET data = substr(data, 1, 1000) WHERE block = 1",
    "UPDATE vectors_1_slots SET data = zeroblob(65536) WHERE block = 1",
    "UPDATE vectors_1_slots SET data = 'text' WHERE block = 1",
    "DELETE FROM vectors_1_slots WHERE block = 1",
]


@pytest.mark.parametrize("statement", CODES)
def test_codes_that_are_none_are_damage_to_readers_and_writers(
    damaged: Callable[[str], Path], statement: str
) -> None:
    path = damaged(statement)
    with Brain.open(path, model=Drawn(), read_only=True) as brain:
        told(lambda: brain.recall("仓库的钥匙"))
    with Brain.open(path, model=Drawn()) as brain:
        told(lambda: brain.add("新买的打印机放在走廊尽头"))
        assert brain.stats().total == SLOTS + 200


@pytest.mark.parametrize("value", ["x''", "x'00'", "zeroblob(1532)", "zeroblob(1540)", "'a'", "7"])
def test_vectors_that_are_none_are_damage(damaged: Callable[[str], Path], value: str) -> None:
    path = damaged(f"UPDATE vectors_1 SET embedding = {value}")
    with Brain.open(path, model=Drawn(), read_only=True) as brain:
        told(lambda: brain.recall("仓库的钥匙"))


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ([], [1, 2, 3, 4, 5]),
        ([1], [2, 3, 4, 5]),
        ([2, 3], [1, 4, 5]),
        ([1, 3, 5], [2, 4]),
        ([4, 5], [1, 2, 3]),
        ([1, 2, 3, 4, 5], []),
    ],
)
def test_what_is_proposed_and_has_no_vector_is_left_out(
    damaged: Callable[[str], Path], gone: list[int], left: list[int]
) -> None:
    """What proposes is shared by a process and may be ahead of a reader's moment of the file."""
    path = damaged(f"DELETE FROM vectors_1 WHERE id IN ({', '.join(map(str, gone)) or '9'})")
    asked = Drawn().embed_query("仓库的钥匙")
    with Brain.open(path, model=Drawn(), read_only=True) as brain, brain._store.read() as db:
        found = vector_index.exact_similarities(db, "vectors_1", asked.tobytes(), [5, 3, 1, 4, 2])
        assert sorted(i for i, _ in found) == left
        held = rows(db, "SELECT id, embedding FROM vectors_1 WHERE id <= 5")
    expected = {i: float(np.frombuffer(blob, dtype=np.float32) @ asked) for i, blob in held}
    assert dict(found) == pytest.approx(expected)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)


def test_of_equally_near_ones_the_lowest_id_comes_first(damaged: Callable[[str], Path]) -> None:
    path = damaged(f"UPDATE vectors_1 SET embedding = zeroblob({4 * DIM})")
    asked = Drawn().embed_query("仓库的钥匙").tobytes()
    with Brain.open(path, model=Drawn(), read_only=True) as brain, brain._store.read() as db:
        found = vector_index.exact_similarities(db, "vectors_1", asked, [5, 3, 1, 4, 2])
    assert [i for i, _ in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("statement", [s for s in CODES if "_slots" in s])
def test_blocks_that_are_none_are_damage_to_what_codes_them_anew(
    damaged: Callable[[str], Path], statement: str
) -> None:
    path = damaged(statement)
    db = apsw.Connection(str(path))
    db.execute("UPDATE vectors_1_blocks SET centre = 0 WHERE block = 1")
    db.close()
    with Brain.open(path, model=Drawn()) as brain:
        told(brain.optimize)


ADDING = """
import sys
from brain import Brain
with Brain.open(sys.argv[1]) as brain:
    for n in range(100):
        brain.add(f"打印机{n}号墨盒放在走廊第{n * 7}格柜子里")
"""


def test_a_program_that_has_read_does_not_take_what_others_add_for_damage(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Brain.open(path, model="none") as brain:
        for n in range(40):
            fill(brain, [f"第{n}年{i}月，{EVERYDAY[i]}" for i in range(12)])
        brain.recall("第5年")
        brain.recall("打印机的墨盒")
        run(ADDING, path)
        found = brain.doctor()
        assert [f for f in found.findings if f.severity == "error"] == []
        assert brain.recall("打印机的墨盒").hits


@pytest.mark.parametrize("before", [timedelta(0), timedelta(minutes=1), timedelta(days=1)])
def test_the_doctor_may_be_asked_at_the_calendars_end(tmp_path: Path, before: timedelta) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        fill(brain)
        brain.decay()
        assert brain.doctor(now=datetime.max.replace(tzinfo=UTC) - before).ok


@pytest.mark.parametrize(
    "act",
    [
        lambda brain: brain.get("a\ud800b"),
        lambda brain: brain.add("书架上的花瓶", kind="\udcff"),
        lambda brain: brain.recover("ccr_\ud800"),
        lambda brain: brain.add_word("\ud800 10 n"),
        lambda brain: brain.ingest("没有.md", format="\udfff"),
        lambda brain: Brain.open(brain.path, model="\ud800").add("书"),
    ],
)
def test_every_message_can_be_printed(tmp_path: Path, act: Callable[[Brain], object]) -> None:
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        with pytest.raises(BrainError) as caught:
            act(brain)
        for shown in (str(caught.value), caught.value.message, *caught.value.args):
            assert shown.encode()
