"""Vector search: filters act inside the scan, and nothing dead is left in it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, Draft
from brain.embed.protocol import Embedder
from brain.recall import lexical
from brain.store.vectors import vector_index
from tests.support.engine import (
    EVERYDAY,
    Make,
    fill,
    ids,
    indexes_are_whole,
    proposed,
    shares_no_word,
    texts,
    vectors_out_of_step,
)

NEAR = "车间的机油每运转三百小时换一次"
MEANT = "设备保养周期多长"


class Crowd:
    """The real model; a note that begins with 副本 gets the vector of NEAR, a hair beside it."""

    name, dim, max_tokens, languages = "e5-small", 384, 512, ("zh",)

    def __init__(self, real: Embedder) -> None:
        self.real = real
        self.near = real.embed_documents([NEAR])[0]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._embed(text) for text in texts])

    def _embed(self, text: str) -> NDArray[np.float32]:
        if not text.startswith("副本"):
            return self.real.embed_documents([text])[0]
        noise = np.random.default_rng(int(text[2:])).standard_normal(self.dim) * 0.001
        vector = self.near + noise
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.real.embed_query(text)


IN_B = ("叉车的充电桩在装卸口", "锅炉工每季度换岗", "铣床的冷却液用完就加")
DECISIONS = ("决定空压机外包维护", "决定行车停用检修")
LATER = ("新冲床一年大修一次", "新磨床的导轨要勤擦")


CROWD = 20 * vector_index.MEASURED
"""Several blocks, so that codes are compared."""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    """Notes nearer to the question than any other, all in scope a and valid this year.

    More of them than any search measures, so that no wider look makes up for a filter behind it.
    """
    with Brain.open(tmp_path_factory.mktemp("crowd") / "brain.db", model=Crowd(e5)) as brain:
        year = {"valid_from": "2026-01-01", "valid_to": "2027-01-01"}
        brain.add_many([Draft(f"副本{n}", scope="a", **year) for n in range(CROWD)])
        brain.add_many([Draft(text, scope="b") for text in IN_B])
        brain.add_many([Draft(text, scope="a", kind="decision") for text in DECISIONS])
        brain.add_many([Draft(text, scope="a", valid_from="2027-06-01") for text in LATER])
        yield brain


def by_meaning(brain: Brain, **options: object) -> set[str]:
    found = brain.recall(MEANT, **options)  # type: ignore[arg-type]
    assert all("lexical" not in hit.lanes for hit in found.hits)
    return {hit.text for hit in found.hits if "semantic" in hit.lanes}


def test_the_crowd_is_nearer_than_everything_else(crowded: Brain) -> None:
    """What the tests below rest on."""
    for text in (*IN_B, *DECISIONS, *LATER):
        assert shares_no_word(MEANT, text)
    assert all(text.startswith("副本") for text in by_meaning(crowded, scope="a", k=50))


def test_a_scope_of_three_is_found_behind_thousands_of_another(crowded: Brain) -> None:
    """asg017/sqlite-vec #152: nearest neighbours first and the filter after them gives nothing."""
    assert by_meaning(crowded, scope="b", k=5) == set(IN_B)


def test_a_kind_is_found_behind_thousands_of_another(crowded: Brain) -> None:
    assert by_meaning(crowded, scope="a", kind="decision", k=5) == set(DECISIONS)


def test_what_holds_later_is_found_behind_thousands_that_no_longer_hold(crowded: Brain) -> None:
    assert by_meaning(crowded, scope="a", as_of="2027-07-01", kind="note", k=5) == set(LATER)


def test_what_was_not_known_yet_does_not_fill_the_scan(crowded: Brain) -> None:
    assert by_meaning(crowded, scope="a", known_at="2020-01-01", k=5) == set()


@pytest.mark.parametrize("question", ["盘点", "盘点 湿度计"])
def test_a_word_that_is_frequent_elsewhere_finds_the_few_of_this_scope(
    make: Make, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    """asg017/sqlite-vec #152, in the lexical lane: its bound on work must not spend itself on
    another scope."""
    monkeypatch.setattr(lexical, "POSTINGS", 40)
    monkeypatch.setattr(lexical, "WINDOW_POSTINGS", 40)
    brain = make()
    few = [brain.add(f"盘点{where}要两人签字", scope="b").id for where in ("酒窖", "茶库", "药柜")]
    brain.add_many([Draft(f"盘点甲仓第{n}排完毕", scope="a") for n in range(200)])
    brain.add_many([Draft(f"湿度计第{n}次校准", scope="a") for n in range(30)])
    found = brain.search(question, scope="b")
    assert sorted(ids(found)) == few


def test_the_global_scope_alone_sees_none_of_the_others(crowded: Brain) -> None:
    assert texts(crowded.recall(MEANT, k=100)) == []


def test_scopes_and_kinds_that_begin_alike_are_kept_apart(make: Make, e5: Embedder) -> None:
    """A kind stands in the index as a number, a scope as another."""
    brain = make(model=e5)
    names = (
        "architecture",
        "architecture-",
        "architecture-east",
        "architecture-west",
        "architectur",
    )
    for name in names:
        brain.add(f"机房空调设在{len(name)}度", kind=name)
        brain.add(f"机房空调设在{len(name)}度", scope=name.title(), kind="fact")
        brain.add(f"机房空调设在{len(name)}度", scope=name, kind="fact")
    for name in names:
        found = brain.recall("冷气开多少", kind=name, k=20)
        assert [hit.memory.kind for hit in found.hits] == [name]
        assert "semantic" in found.hits[0].lanes
        for scope in (name, name.title()):
            found = brain.recall("冷气开多少", kind="fact", scope=scope, k=20)
            assert [hit.memory.scope for hit in found.hits] == [scope]


def test_a_hundred_corrections_of_one_note_leave_one(make: Make, e5: Embedder) -> None:
    """oceanbase/powercontext #1469: old vectors piled up, filled k, and made another scope's search
    empty."""
    brain = make(model=e5)
    fill(brain, EVERYDAY[:6])
    for text in ("灯笼要挂在廊檐下", "鱼塘的增氧机夜里开"):
        brain.add(text, scope="b")
    before = brain.recall("池子里怎么补氧", scope="b")
    last = brain.add("印章放在一号抽屉", scope="a", valid_from="2020-01-01").id
    rnd = random.Random(3)
    for n in range(100):
        at = f"2021-01-01T{n // 60:02d}:{n % 60:02d}:00Z"
        drawer = rnd.choice("甲乙丙丁戊己庚辛")
        last = brain.supersede(last, text=f"印章放在{drawer}柜第{n}格", at=at).new
    after = brain.recall("池子里怎么补氧", scope="b")
    assert [h.to_dict(explain=True)["lanes"]["semantic"] for h in after.hits] == [
        h.to_dict(explain=True)["lanes"]["semantic"] for h in before.hits
    ]
    assert texts(after)[0] == "鱼塘的增氧机夜里开"
    found = brain.recall("公司的图章收在哪里", scope="a", k=100)
    assert [i for i in ids(found) if "印章" in brain.get(i).text] == [last]
    stats = brain.stats()
    assert (stats.total, stats.current, stats.superseded) == (109, 9, 100)
    assert (stats.vectors_present, stats.vectors_missing) == (109, 0)
    assert vectors_out_of_step(brain) == []
    assert indexes_are_whole(brain)


def test_what_ends_is_gone_by_meaning_at_once_and_still_there_for_its_time(
    make: Make, e5: Embedder
) -> None:
    brain = make(model=e5)
    fill(brain, EVERYDAY[:6])
    ended = brain.add(NEAR, valid_from="2024-01-01").id
    assert ids(brain.recall(MEANT))[0] == ended
    brain.expire(ended, at="2025-01-01")
    assert ended not in ids(brain.recall(MEANT, k=50))
    assert ended in ids(brain.recall(MEANT, as_of="2024-06-01"))
    assert ended in ids(brain.recall(MEANT, include_expired=True))
    assert vectors_out_of_step(brain) == []


def test_a_replaced_note_is_not_found_by_its_old_words_or_meaning(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    fill(brain, EVERYDAY[:6])
    old = brain.add("旺季的住宿定在白鹭酒店", valid_from="2024-01-01").id
    new = brain.supersede(old, text="旺季的住宿换到云杉民宿").new
    assert old not in ids(brain.recall("白鹭酒店", k=50))
    assert "旺季的住宿定在白鹭酒店" not in proposed(brain.search("白鹭酒店", k=50))
    assert ids(brain.recall("出差高峰期睡哪儿", k=50)).count(new) == 1
    assert old not in ids(brain.recall("出差高峰期睡哪儿", k=50))


def test_the_id_of_an_erased_record_is_not_given_again(make: Make, e5: Embedder) -> None:
    """langchain-ai/langgraph #8757: a reused key gets the dead record's vector, and an old meaning
    finds the new row."""
    brain = make(model=e5)
    fill(brain, EVERYDAY[:6])
    erased = brain.add(NEAR).id
    with brain._store.write() as db:
        # As a program before us might have done it: the row and its passages, nothing else.
        db.execute("DELETE FROM journal WHERE memory_id = ?", (erased,))
        db.execute("DELETE FROM memories WHERE id = ?", (erased,))
    added = brain.add("展会的海报印两百张")
    assert added.id > erased
    found = brain.recall(MEANT, k=50)
    assert erased not in ids(found)
    similar = {hit.id: hit.lanes["semantic"].score for hit in found.hits if "semantic" in hit.lanes}
    assert similar[added.id] < 0.86
    assert texts(brain.search("机油")) == []
