"""Meaning: what a long text says at its end, and questions without a shared word."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.recall import retrieve
from brain.store.sql import rows
from brain.store.vectors import vector_index
from brain.text import sentences
from tests.support.engine import EVERYDAY, Make, fill, ids, shares_no_word, terms, texts


def passages_of(db: apsw.Connection, memory_id: int) -> list[tuple[int, int, int]]:
    """A memory's passages as they stand in the file: (id, start, stop)."""
    query = "SELECT id, start, stop FROM passages WHERE memory_id = ? ORDER BY start"
    return [(a, b, c) for a, b, c in rows(db, query, (memory_id,))]


SPEAKERS = ("市场部", "财务部", "行政部", "研发部", "客服部")
TOPICS = (
    "汇报了本季度的指标完成情况，并对下半年的节奏提出建议",
    "说明了供应商合同的进展，预计下周完成盖章和归档",
    "提到新员工培训的安排，希望各组在月底前报名",
    "反馈了系统响应偏慢的现象，已登记并排期处理",
    "介绍了年会筹备的分工，场地与预算待最后确认",
    "复述了上周遗留的事项，其中两项转入长期跟进",
)


def minutes(first: str = "", last: str = "", chars: int = 1300) -> str:
    """Minutes of a long meeting, with a line of our own at either end."""
    lines = [first] if first else []
    turn = 0
    while sum(map(len, lines)) < chars:
        lines.append(
            f"{turn + 1}. {SPEAKERS[turn % 5]}{TOPICS[turn % 6]}，第{turn + 3}号议题记录在案。"
        )
        turn += 1
    return "\n".join([*lines, last] if last else lines)


LAST = ("备份盘锁在财务室左边的铁皮柜里", "硬盘丢数据以后从哪恢复")
FIRST = ("阿岚对青霉素过敏，开药前要先说", "同事看病吃什么会出事")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    """Three long records among short ones; the first has neither line."""
    with Brain.open(tmp_path_factory.mktemp("long") / "brain.db", model=e5) as brain:
        fill(brain, (minutes(), minutes(last=LAST[0]), minutes(first=FIRST[0]), *EVERYDAY[:10]))
        yield brain


@pytest.mark.parametrize(
    ("line", "question", "memory_id", "passage"), [(*LAST, 2, -1), (*FIRST, 3, 0)]
)
def test_a_line_of_a_long_text_is_found_by_the_vector_of_its_own_passage(
    archive: Brain, line: str, question: str, memory_id: int, passage: int
) -> None:
    """raine/claude-history PR 77: a model reads 512 tokens; whatever stood behind them was in no
    vector."""
    text = archive.get(memory_id).text
    assert line in text
    assert shares_no_word(question, text)
    found = archive.recall(question)
    assert ids(found).count(memory_id) == 1
    hit = found.hits[ids(found).index(memory_id)]
    assert terms(hit) == ()
    with archive._store.read() as db:
        spans = passages_of(db, memory_id)
        assert len(spans) > 2
        vector = archive._model.embedder.embed_query(question)  # type: ignore[union-attr]
        near = vector_index.similarities(db, "vectors_1", vector.tobytes(), [memory_id, 1])
    assert near[memory_id][1] == spans[passage][0]
    assert hit.lanes["semantic"].score == pytest.approx(near[memory_id][0], abs=1e-5)
    # The same minutes without the line are further away.
    assert near[memory_id][0] > near[1][0] + 0.003


def test_every_character_of_a_long_text_is_in_a_passage(archive: Brain) -> None:
    text = archive.get(1).text
    with archive._store.read() as db:
        spans = [(start, stop) for _, start, stop in passages_of(db, 1)]
    assert "".join(text[a:b] for a, b in spans) == text
    assert spans == sentences.passages(text)


def test_a_long_text_on_the_subject_does_not_crowd_out_short_ones(
    make: Make, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """raine/claude-history PR 77: one record with more near passages than the scan returns is still
    one hit of many."""
    monkeypatch.setattr(retrieve, "POOL", 3)
    brain = make(model=e5)
    manual = "\n".join(
        f"第{i}步，给锅炉补水以前先看压力表，再慢慢拧开阀门排气。" * 7 for i in range(9)
    )
    fill(brain, (manual, "暖气不热多半是管道里有空气", "散热片要先放气", *EVERYDAY[:6]))
    assert len(sentences.passages(manual)) > 3
    found = texts(brain.recall("锅炉补水排气的步骤", k=9))
    assert found.count(manual) == 1
    assert {"暖气不热多半是管道里有空气", "散热片要先放气"} <= set(found)


PARAPHRASES = (
    ("每天下班去湖边骑车一小时", "他有什么健身习惯"),
    ("娃对牛奶过敏，喝了会起疹子", "小朋友饮食上有啥忌口"),
    ("老板只在早上九点前看邮件", "什么时段联系领导最合适"),
    ("车钥匙丢了，备用的在岳母家", "开不了锁该找谁帮忙"),
    ("系统一到整点就卡，是定时任务撞车", "周期性变慢的原因"),
    ("奶奶耳背，打电话要大声", "跟老人通话注意点啥"),
)


@pytest.fixture(scope="module")
def meanings(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("meaning") / "brain.db", model=e5) as brain:
        fill(brain, (*EVERYDAY[:24], *(note for note, _ in PARAPHRASES)))
        yield brain


@pytest.mark.parametrize(("note", "question"), PARAPHRASES)
def test_a_paraphrase_without_a_shared_word_is_found(
    meanings: Brain, note: str, question: str
) -> None:
    """plur-ai/plur #781: the meaning must carry where no word does."""
    assert shares_no_word(question, note)
    found = {hit.text: hit for hit in meanings.recall(question, k=3).hits}
    assert note in found
    assert found[note].lanes["semantic"].rank <= 3


def test_most_paraphrases_come_first(meanings: Brain) -> None:
    first = [texts(meanings.recall(question))[0] == note for note, question in PARAPHRASES]
    assert sum(first) >= len(PARAPHRASES) - 2


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("仓库里的灭火器十月要年检", "when do the fire extinguishers have to be inspected"),
        ("金曜日の午後はオフィスに誰もいません", "周五下午办公室有人吗"),
    ],
)
def test_a_note_is_found_across_languages(
    make: Make, e5: Embedder, note: str, question: str
) -> None:
    brain = make(model=e5)
    fill(brain, (*EVERYDAY[:8], note))
    assert note in texts(brain.recall(question))[:2]


def test_the_file_says_which_model_and_languages_it_has(meanings: Brain, make: Make) -> None:
    """plur-ai/plur #781: a weak model for the user's language must not go unnoticed."""
    stats = meanings.stats()
    assert (stats.model, stats.dim) == ("e5-small", 384)
    assert "zh" in stats.languages
    assert (stats.vectors_present, stats.vectors_missing) == (30, 0)
    bare = make("bare.db")
    bare.add("没有模型的文件")
    assert (bare.stats().model, bare.stats().dim, bare.stats().languages) == (None, None, ())
    assert bare.stats().to_dict()["vectors"] == {"present": 0, "missing": 0}
    assert bare.stats().degraded == ("no_model",)
