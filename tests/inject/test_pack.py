"""Packing: rank order within a budget, cuts that say so, and a place for what is short."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import Brain
from brain.compress.handles import handle_of
from brain.compress.passages import sentence, within
from brain.inject import pack
from brain.memory import Hit
from brain.text.tokens import estimate
from tests.support.engine import NOON, refused
from tests.support.inject import hit


def sized(number: int, tokens: int) -> Hit:
    """A hit whose entry costs about so many tokens."""
    text = f"第{number}库，"
    short = pack.cost(pack.line(hit(number, text)))
    return hit(number, text + "领用要登记签字。" * max(0, round((tokens - short) / 8)))


def ids(block: pack.Block) -> list[int]:
    return [h.id for h in block.hits]


FRAME = pack.cost(pack.OPENING) + pack.cost(pack.CLOSING)


def test_everything_fits_or_it_is_told_what_does_not() -> None:
    hits = [sized(n, 100) for n in range(1, 6)]
    assert ids(pack.block(hits, 0)) == ids(pack.block(hits, 10_000)) == [1, 2, 3, 4, 5]
    tight = pack.block(hits, FRAME + 250)
    assert ids(tight) == [1, 2]
    assert [out.id for out in tight.left_out] == [3, 4, 5]
    assert all(re.search(r"需要约 \d+ token，还剩约 \d+", out.reason) for out in tight.left_out)


def test_a_short_hit_behind_a_long_one_keeps_its_place() -> None:
    for sizes in ([2000, 30, 30], [60, 2000, 30], [300, 400, 25], [2000, 2000, 30]):
        hits = [sized(n, size) for n, size in enumerate(sizes, start=1)]
        done = pack.block(hits, 420)
        assert 3 in ids(done), sizes
        assert 1 in ids(done), sizes
        assert done.tokens <= 420
        assert next(h for h in done.hits if h.id == 3).recovery_handle is None


def test_a_first_hit_that_fits_alone_stands_whole() -> None:
    hits = [sized(1, 330), sized(2, 200), sized(3, 25)]
    done = pack.block(hits, 420)
    assert ids(done) == [1, 3]
    assert done.hits[0].recovery_handle is None


def test_a_long_first_hit_gets_what_the_others_leave() -> None:
    alone = pack.block([sized(1, 3000)], 420)
    beside = pack.block([sized(1, 3000), sized(2, 60)], 420)
    assert alone.tokens >= 400
    assert beside.tokens >= 400
    assert beside.hits[0].tokens_added < alone.hits[0].tokens_added


def test_a_further_long_hit_is_cut_where_there_is_room_for_a_sentence() -> None:
    done = pack.block([sized(1, 60), sized(2, 3000)], 420)
    assert ids(done) == [1, 2]
    assert done.hits[1].recovery_handle is not None
    short = pack.block([sized(1, 300), sized(2, 3000)], 420)
    assert ids(short) == [1]
    assert [out.id for out in short.left_out] == [2]


@pytest.mark.parametrize("budget", [80, 90, 120, 159, 160, 200, 420, 1000])
@pytest.mark.parametrize("asking", [False, True])
def test_a_cut_is_visible_ends_at_a_sentence_and_names_the_whole(budget: int, asking: bool) -> None:
    text = "".join(f"第{n}条：进门要登记，离开要锁窗。" for n in range(300))

    def shorten(one: Hit, room: int, tight: bool) -> str | None:
        cutting = sentence if tight else within
        return cutting(one.memory.text, ("登记",), room)

    done = pack.block([hit(1, text)], budget, shorten if asking else None)
    (one,) = done.hits
    assert one.recovery_handle == handle_of(text.encode())
    assert one.recovery_handle in done.text
    assert "……" in done.text
    assert estimate(done.text) <= done.tokens <= budget
    if budget >= 160:
        assert f"<<ccr:{one.recovery_handle}>>" in done.text
        assert re.search(r"。(?:……)?（", one.text)
    body = one.text.split("……")[0].split("（节选")[0]
    assert len(body) >= 10
    assert body in text


@pytest.mark.parametrize("number", [1, 12, 999_999])
@pytest.mark.parametrize(
    "text",
    ["字" * 5000, "龘靐齉爩" * 200, "a" * 9000, "\n" * 50 + "甲" * 3000, "😀" * 900, "\x1b" * 900],
)
def test_the_least_budget_always_shows_something(number: int, text: str) -> None:
    """Whatever the handle's digits cost and the text is made of."""
    done = pack.block([hit(number, text, kind="preference")], pack.LEAST_BUDGET)
    assert ids(done) == [number]
    assert handle_of(text.encode()) in done.text
    assert done.tokens <= pack.LEAST_BUDGET


@given(
    st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=5),
    st.integers(pack.LEAST_BUDGET, 700),
)
def test_any_texts_keep_the_budget_and_every_hit_is_accounted_for(
    texts: list[str], budget: int
) -> None:
    texts = [t.encode("utf-8", "ignore").decode() + "甲" for t in texts]
    hits = [hit(n, text) for n, text in enumerate(texts, start=1)]
    done = pack.block(hits, budget)
    assert estimate(done.text) <= done.tokens <= budget
    assert sorted([*ids(done), *(out.id for out in done.left_out)]) == [h.id for h in hits]
    assert ids(done) == sorted(ids(done))
    assert ids(done)
    assert pack.block(hits, budget) == done
    for one in done.hits:
        whole = one.recovery_handle is None
        assert whole == (one.text == one.memory.text)


@pytest.mark.parametrize("budget", [80, 120, 160, 200, 420])
def test_the_answer_deep_in_a_long_text_comes_even_in_the_smallest_block(
    brain: Brain, budget: int
) -> None:
    talk = "".join(f"第{n}次例会汇报了进度，下周再议。" for n in range(400))
    brain.add(talk + "备用钥匙在老周那里。" + talk, now=NOON)
    done = brain.inject("备用钥匙在谁那里", budget=budget, now=NOON)
    assert "老周" in done.block
    assert done.tokens <= budget
    assert brain.recover(str(done.hits[0].recovery_handle)).decode() == brain.get(1).text


def test_no_hits_make_no_block() -> None:
    assert pack.block([], 420) == pack.Block("", 0, (), ())


# In the engine -------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [-1, -420])
@pytest.mark.parametrize("verb", ["inject", "brief"])
def test_a_negative_budget_is_refused(brain: Brain, verb: str, budget: int) -> None:
    act = {
        "inject": lambda: brain.inject("门禁", budget=budget),
        "brief": lambda: brain.brief(budget),
    }
    refused("brain_budget_invalid", 2, act[verb])


def test_zero_is_unlimited_and_nothing_is_cut(brain: Brain) -> None:
    text = "白鹭厅须知。" + "进门先登记，离开要关灯。" * 900
    brain.add(text, now=NOON)
    done = brain.inject("白鹭厅须知", budget=0, now=NOON)
    assert [h.recovery_handle for h in done.hits] == [None]
    assert text in done.block
    assert brain.inject("白鹭厅须知", now=NOON).tokens <= 420


def test_found_used_and_left_out_add_up(brain: Brain) -> None:
    for n in range(5):
        brain.add(f"白鹭厅第{n}份须知：" + "进门登记。" * (5 + 30 * n) + f"编号{n}", now=NOON)
    done = brain.inject("白鹭厅须知", budget=200, now=NOON)
    told = done.to_dict(explain=True)
    assert told["found"] == 5
    assert told["used"] == len(done.hits) == 5 - len(done.left_out)
    assert told["basis"] == "inferred"
    assert all("lanes" in h for h in told["hits"])


@pytest.mark.parametrize("budget", [80, 120, 160, 300, 420, 5000])
def test_the_brief_keeps_its_budget_and_tells_what_does_not_fit(brain: Brain, budget: int) -> None:
    for n in range(40):
        brain.add(f"回答里要写清第{n}个依据，" * 3, kind="preference", scope="", now=NOON)
        brain.add(f"第{n}个项目", kind=f"kind{n}", scope=f"项目{n}", now=NOON)
    brain.add("用户对花生过敏。" + "就餐前要提醒。" * 200, pinned=True, importance=1, now=NOON)
    done = brain.brief(budget)
    assert estimate(done.block) <= done.tokens <= budget
    assert "#81" in done.block, "what is pinned comes first"
    assert "花生" in done.block
    assert handle_of(brain.get(81).text.encode()) in done.block or budget == 5000
    if budget < 5000:
        assert done.left_out
    assert brain.brief(budget) == done
    assert brain.brief(0).left_out == ()
