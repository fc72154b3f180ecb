"""Chinese words whose hits never came, all of it without any model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from tests.support.engine import EVERYDAY, fill, proposed, terms, texts

NOTES = (
    "昨晚陪表弟玩数独接力，差一格没填完",
    "系统迁移选灰度切换",
    "billing 对账放在月末",
    "系统日志保留九十天",
    "端午去泉州，土楼门票订了三张",
    "每天用定时任务把报表同步到 Dropbox，超时会告警",
    "冒烟测试早上跑完，三条黄",
    "流水线换成每晚自动触发",
    "週末に友達とカレーを作りました",
    "데이터 백업은 매주 금요일에 한다",
    "stop or go 两个按钮在操作台左边",
    "供应商发来的报价单有效期十五天",
    "合同续签前先找法务盖章",
    "养了一只乌龟，冬天放进纸箱",
    "打印机 PIN 码是行政给的",
    "数据库连接池上限设为八十",
)


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    """A file without a model, only read."""
    with Brain.open(tmp_path_factory.mktemp("words") / "brain.db", model="none") as brain:
        fill(brain, (*EVERYDAY, *NOTES))
        yield brain


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("数独接力", NOTES[0]),
        ("数独", NOTES[0]),
        ("表弟", NOTES[0]),
        ("连接池", NOTES[15]),
        ("法务", NOTES[12]),
        ("盖章", NOTES[12]),
        ("报价单", NOTES[11]),
        ("有效期", NOTES[11]),
        ("土楼门票", NOTES[4]),
        ("乌龟", NOTES[13]),
    ],
)
def test_a_word_inside_a_chinese_sentence_is_found_first(
    notes: Brain, question: str, answer: str
) -> None:
    """openclaw/openclaw #20730: a whole sentence became one token."""
    first = notes.recall(question).hits[0]
    assert first.text == answer
    assert terms(first)


def test_the_word_is_found_first_beside_vectors_as_well(
    tmp_path_factory: pytest.TempPathFactory, e5: Embedder
) -> None:
    """openclaw/openclaw #20730: with a model too it is the lexical lane that shows the word."""
    with Brain.open(tmp_path_factory.mktemp("words") / "brain.db", model=e5) as brain:
        fill(brain, (*EVERYDAY[:10], NOTES[0], NOTES[15]))
        for question, answer in (("数独接力", NOTES[0]), ("连接池", NOTES[15])):
            first = brain.recall(question).hits[0]
            assert first.text == answer
            assert first.lanes["lexical"].rank == 1
            assert first.lanes["semantic"].rank >= 1


@pytest.mark.parametrize(
    ("question", "answer", "counted"),
    [
        ("系统 迁移 billing", "系统迁移选灰度切换", {"系统", "迁移"}),
        ("billing 系统 迁移", "系统迁移选灰度切换", {"系统", "迁移"}),
        ("系统 日志 authentication", "系统日志保留九十天", {"系统", "日志"}),
        ("同步 报表 scheduler", NOTES[5], {"同步", "报表"}),
        ("法务 有没有空看一下 renewal", NOTES[12], {"法务"}),
        ("PIN 打印机 kubernetes", NOTES[14], {"pin", "打印", "印机"}),
    ],
)
def test_short_words_count_beside_long_ones(
    notes: Brain, question: str, answer: str, counted: set[str]
) -> None:
    """CherryHQ/cherry-studio PR 17511: one long term in the query and every two-character word was
    dropped."""
    near = notes.recall(question).hits[:2]
    found = {hit.text: hit for hit in near}
    assert answer in found
    assert counted <= set(terms(found[answer]))


@pytest.mark.parametrize("question", ["龟 kubernetes", "龟 纽约", "hamster 龟", "龟 或者 hamster"])
def test_a_word_of_one_character_counts_beside_longer_ones(notes: Brain, question: str) -> None:
    """CherryHQ/cherry-studio PR 17511, one size smaller: 龟 must not be dropped because another
    word of the query is longer."""
    assert "养了一只乌龟，冬天放进纸箱" in proposed(notes.search(question))


@pytest.mark.parametrize(
    "question",
    [
        "福建 OR 泉州 OR 厦门 OR 景点",
        "泉州 OR 厦门",
        "(泉州 OR 漳州) AND 住宿",
        "厦门 or 泉州 or 景点",
        "泉州 NOT 厦门",
        "泉州 NEAR 厦门",
        "泉州|厦门|景点",
    ],
)
def test_operators_between_short_words_are_neither_operators_nor_content(
    notes: Brain, question: str
) -> None:
    """NousResearch/hermes-agent #20494: OR-joined words found nothing, and OR must not outrank what
    is asked for."""
    first = notes.recall(question).hits[0]
    assert first.text == NOTES[4]
    assert "泉州" in terms(first)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Dropbox同步报表超时失败", NOTES[5]),
        ("dropbox上的报表", NOTES[5]),
        ("月末billing怎么对账", "billing 对账放在月末"),
        ("PIN码忘了", NOTES[14]),
    ],
)
def test_english_glued_to_han_is_no_phrase(notes: Brain, question: str, answer: str) -> None:
    """openclaw/openclaw #110500: the query as a whole stands in no note, its words do."""
    assert texts(notes.recall(question))[0] == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("冒烟测试情况", NOTES[6]),
        ("冒烟测试报告在哪", NOTES[6]),
        ("流水线构建产物", NOTES[7]),
        ("流水线多久跑一次", NOTES[7]),
        ("连接池大小", NOTES[15]),
        ("报价单过期了吗", NOTES[11]),
        ("合同续签流程", NOTES[12]),
    ],
)
def test_a_phrase_with_another_tail_is_found_first(
    notes: Brain, question: str, answer: str
) -> None:
    """Martian-Engineering/lossless-claw PR 219: what was meant is in the note, the substring that
    was typed is not."""
    assert texts(notes.recall(question))[0] == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("カレー", NOTES[8]),
        ("作り", NOTES[8]),
        ("友達", NOTES[8]),
        ("ｶﾚｰ", NOTES[8]),
        ("カレーを作りました", NOTES[8]),
        ("백업", NOTES[9]),
        ("데이터", NOTES[9]),
        ("금요일 백업", NOTES[9]),
    ],
)
def test_japanese_and_korean_are_found_without_a_setting(
    notes: Brain, question: str, answer: str
) -> None:
    """streetwriters/sqlite-better-trigram PR 9: kana and kanji, hangul and its particles are
    treated alike."""
    first = notes.recall(question).hits[0]
    assert first.text == answer
    assert terms(first)


@pytest.mark.parametrize("question", ["Cyberpunk 海报", "望远镜", "ウクレレ", "기타"])
def test_a_word_that_is_nowhere_finds_nothing(notes: Brain, question: str) -> None:
    """What keeps the tests above honest."""
    assert texts(notes.search(question)) == []
