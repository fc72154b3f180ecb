"""The query in docs/formats.md: plain sqlite-vec reads the vectors of a file of ours."""

from __future__ import annotations

import re

import apsw
import pytest
import sqlite_vec

from brain import Brain
from brain.embed.protocol import Embedder
from brain.store.vectors import vector_index
from brain.store.view import View
from brain.text.timestamps import now_utc, to_iso
from tests.support import ROOT
from tests.support.engine import EVERYDAY, Make, fill

QUESTION = "新版本什么时候上线"


def documented() -> str:
    found = re.findall(
        r"```sql\n(.+?)```", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert len(found) == 1
    return str(found[0])


@pytest.fixture
def filled(make: Make, e5: Embedder) -> Brain:
    """Notes in every state, and one of several passages."""
    brain = make(model=e5)
    ids = fill(brain, [*EVERYDAY, "发版日记：" + "今天照常发版，没有出错。" * 80])
    brain.retract(ids[0])
    brain.expire(ids[1])
    brain.supersede(ids[2], text="发版窗口改到周五晚上")
    brain.correct(ids[3], "灰度要跑满两天")
    brain.add("明年三月才上线", valid_from="2099-03-01")
    return brain


def test_the_documented_query_finds_what_recall_finds(filled: Brain, e5: Embedder) -> None:
    vector = e5.embed_query(QUESTION).tobytes()
    now = to_iso(now_utc())
    with filled._store.read() as db:
        assert vector_index.tables(db) == ["vectors_1"]
        wanted = vector_index.search(db, "vectors_1", vector, View(now, scopes=None), None, 10)
    plain = apsw.Connection(str(filled.path), flags=apsw.SQLITE_OPEN_READONLY)
    plain.enable_load_extension(True)
    plain.load_extension(sqlite_vec.loadable_path())
    found = list(plain.execute(documented(), {"vector": vector, "now": now}))
    plain.close()
    assert [memory_id for memory_id, _, _ in found] == [memory_id for memory_id, _, _ in wanted]
    assert [1 - far for _, _, far in found] == pytest.approx([near for _, _, near in wanted], 1e-5)
    assert all(text == filled.get(memory_id).text for memory_id, text, _ in found)


def test_sqlite_vec_scores_what_the_words_found_as_exactly(filled: Brain, e5: Embedder) -> None:
    """``vec_distance_cosine`` of some records is what the search measures of them."""
    vector = e5.embed_query(QUESTION).tobytes()
    view = View(to_iso(now_utc()), scopes=None)
    with filled._store.read() as db:
        wanted = vector_index.search(db, "vectors_1", vector, view, None, 10)
        scored = vector_index.similarities(db, "vectors_1", vector, [m for m, _, _ in wanted])
    assert {m: value for m, (value, _) in scored.items()} == pytest.approx(
        {m: near for m, _, near in wanted}, rel=1e-5
    )
