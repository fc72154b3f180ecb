"""What a user types is data, never the syntax of a search."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain import Brain, BrainError
from brain.embed.protocol import Embedder
from brain.recall import lexical, query
from brain.recall.lexical import size
from brain.store import fts
from brain.text.fold import fold
from brain.validate import clean_query
from tests.support.engine import EVERYDAY, fill, proposed, refused, texts

NOTES = (
    "ADR-042 决定日志只写本地盘",
    "ADR-024 决定消息走队列",
    "RFC-7519 说的是令牌格式",
    "工单 INC-20931 等运维复盘",
    "构建机装的是 debian 12.5",
    "125 号档案柜的钥匙在前台",
    "客户端发到 v3.8.1 就冻结",
    "v3.8 之前的包都删了",
    "we can't merge 报销单 before Friday",
    'she said "先别上线" 然后去吃饭了',
    "发布 回滚 都要两人确认",
    "折扣是 100%，只限会员",
    "路径写成 C:\\data\\导出",
    "a/b 测试先放量一成",
)


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("syntax") / "brain.db", model="none") as brain:
        fill(brain, (*EVERYDAY, *NOTES))
        yield brain


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("ADR-042", NOTES[0]),
        ("ADR-042 日志", NOTES[0]),
        ("adr-042写在哪", NOTES[0]),
        ("ADR-024", NOTES[1]),
        ("RFC-7519", NOTES[2]),
        ("INC-20931", NOTES[3]),
        ("INC-20931 复盘", NOTES[3]),
        ("a/b 测试", NOTES[13]),
        ("C:\\data\\导出", NOTES[12]),
    ],
)
def test_an_id_with_a_hyphen_is_found_and_excludes_nothing(
    notes: Brain, question: str, answer: str
) -> None:
    """ohdearquant/khive #1064: -016 read as "without 016" gives only misses, never an error."""
    assert texts(notes.recall(question))[0] == answer


@pytest.mark.parametrize(
    "question",
    [
        '说 "先别上线',
        "(回滚",
        "回滚)",
        "回滚 AND",
        "/ NOT 回滚",
        "发布 OR /",
        "NEAR(发布 回滚)",
        "NEAR(发布 回滚, 5)",
        "body : 回滚",
        "{body scope} : 回滚",
        "-scope : 回滚",
        "回滚 *",
        "回*",
        "^回滚",
        '"回滚" + "确认"',
        "回滚; DROP TABLE memories; --",
        "回滚'; --",
        "grams MATCH '回滚'",
        "回滚\\",
        "``回滚``",
        "回滚\0确认",
        "回滚 \ud800",
        "[回滚](http://x.y/z?k=v&w)",
        '{"query": "回滚"}',
        "<回滚/>",
        "回滚 %s %d {0} $1 ?1 :name @x",
    ],
)
def test_broken_syntax_is_only_text(notes: Brain, question: str) -> None:
    """NousResearch/hermes-agent PR 43435: models write unclosed quotes and stray operators all the
    time."""
    wanted = '"先别上线" 然后去吃饭了' if "上线" in question else "回滚 都要两人确认"
    assert wanted in texts(notes.recall(question))[0]
    assert notes.search(question).hits
    notes.check(question)
    notes.inject(question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("we can't merge", NOTES[8]),
        ("can't merge 报销单", NOTES[8]),
        ("we can’t merge", NOTES[8]),
        ("'报销单'", NOTES[8]),
        ("o'clock 报销单 '", NOTES[8]),
    ],
)
def test_an_apostrophe_is_plain_english(notes: Brain, question: str, answer: str) -> None:
    """spences10/ccrecall #29: an apostrophe in plain English was a syntax error."""
    assert texts(notes.recall(question))[0] == answer


NOTHING_LEFT = {"\0": "brain_text_nul", "\ud800": "brain_text_surrogate"}
"""What is told of a question that is nothing but this."""


@pytest.mark.parametrize("question", ["", " ", "\t\n", "\u3000", "\u200b\ufeff", "\0", "\ud800"])
def test_an_empty_question_is_refused_by_recall_and_search(notes: Brain, question: str) -> None:
    """sqldelight/sqldelight #3566: an empty string reached MATCH and raised."""
    code = NOTHING_LEFT.get(question, "brain_query_empty")
    refused(code, 65, lambda: notes.recall(question))
    refused(code, 65, lambda: notes.search(question))


@pytest.mark.parametrize(
    "question", ["", "   ", "%", "？？", "。", '"', "*", "()", "-", "_", "…", "'", "\\", "%%%"]
)
def test_a_question_without_words_is_answered_with_nothing(notes: Brain, question: str) -> None:
    """sqldelight/sqldelight #3566: punctuation alone is no error, and no key to all notes
    either."""
    if question.strip():
        assert texts(notes.recall(question)) == []
        assert texts(notes.search(question)) == []
    assert not notes.check(question).answerable
    assert notes.inject(question).block == ""


@pytest.mark.parametrize(
    ("question", "first", "not_above"),
    [
        ("debian 12.5", NOTES[4], NOTES[5]),
        ("12.5", NOTES[4], NOTES[5]),
        ("v3.8.1", NOTES[6], NOTES[7]),
        ("v3.8", NOTES[7], NOTES[5]),
        ("100%", NOTES[11], NOTES[5]),
    ],
)
def test_a_version_matches_itself_before_its_digits(
    notes: Brain, question: str, first: str, not_above: str
) -> None:
    """mitre/cis-bench PR 12: 20.04 must not be read as 20 and anything beginning with 04."""
    found = proposed(notes.recall(question, k=20))
    assert found[0] == first
    assert not_above not in found[:1]


# Bounded work (openobserve/openobserve #12398) -----------------------------------------------


class Work:
    """What a query asked of the indexes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looked_up = 0
        self.read = 0
        counted, among, lists = fts.frequencies, fts.counted, fts.postings

        def exactly(db, name, terms):  # type: ignore[no-untyped-def]
            self.looked_up += len(terms)
            return counted(db, name, terms)

        def among_some(db, name, asked):  # type: ignore[no-untyped-def]
            self.looked_up += len(asked)
            return among(db, name, asked)

        def read(db, name, terms, *rest):  # type: ignore[no-untyped-def]
            self.looked_up += len(terms)
            found = lists(db, name, terms, *rest)
            self.read += sum(map(size, found.values()))
            return found

        monkeypatch.setattr(fts, "frequencies", exactly)
        monkeypatch.setattr(fts, "counted", among_some)
        monkeypatch.setattr(fts, "postings", read)


def _log(size: int, tail: str) -> str:
    rnd = random.Random(7)
    lines = []
    while sum(map(len, lines)) < size:
        lines.append(
            f"2026-03-0{rnd.randint(1, 9)} 10:{rnd.randint(10, 59)}:07 WARN worker-{rnd.random()}"
            f" 上游{rnd.choice('甲乙丙丁')}节点{rnd.randint(1, 9999)}超时，"
            f"重试第{rnd.randint(1, 9)}次\n"
        )
    return "".join(lines) + tail


HUGE = {
    "a pasted log": _log(200_000, "灯塔服务的限流阈值改过吗"),
    "ten thousand Han": "".join(chr(0x4E00 + i) for i in range(10_000)) + "\n灯塔服务限流",
    "a hundred thousand characters": "超时重试" * 25_000 + "，灯塔服务限流",
    "one endless word": "a" * 200_000 + " 灯塔服务限流",
    "a million blanks": " " * 999_000 + "灯塔服务限流",
    "ten thousand words": " ".join(f"w{i}x" for i in range(10_000)) + " 灯塔服务限流",
    "ten thousand operators": '" OR (NEAR ' * 10_000 + "灯塔服务限流",
}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    """Three thousand notes that nearly all hold the words of the log."""
    with Brain.open(tmp_path_factory.mktemp("many") / "brain.db", model="none") as brain:
        fill(brain, [f"上游节点{i}超时，重试第{i % 9}次" for i in range(3000)])
        fill(brain, ["灯塔服务的限流阈值是每秒两百"])
        yield brain


@pytest.mark.parametrize("name", list(HUGE))
def test_a_huge_question_costs_a_bounded_look(
    many: Brain, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """openobserve/openobserve #12398: the rarest terms find the note, and no more than a fixed
    number is looked up or read."""
    monkeypatch.setattr(lexical, "POSTINGS", 500)
    monkeypatch.setattr(lexical, "WINDOW_POSTINGS", 500)
    monkeypatch.setattr(lexical, "SHORT", 50)
    work = Work(monkeypatch)
    found = many.recall(HUGE[name])
    assert "灯塔服务的限流阈值是每秒两百" in proposed(found)
    assert work.looked_up <= 4 * query.MAX_TERMS
    # Two budgets, and the beginnings of lists that turn out to be long.
    assert 0 < work.read <= 2 * 500 + 50 * work.looked_up


def test_a_question_beyond_a_million_characters_is_refused(many: Brain) -> None:
    refused("brain_query_too_large", 65, lambda: many.recall("青" * 1_000_001))


def test_a_huge_question_and_context_have_a_vector_of_bounded_cost(
    tmp_path_factory: pytest.TempPathFactory, e5: Embedder
) -> None:
    with Brain.open(tmp_path_factory.mktemp("many") / "brain.db", model=e5) as brain:
        fill(brain, (*EVERYDAY[:5], "灯塔服务的限流阈值是每秒两百"))
        question = HUGE["a pasted log"]
        assert "灯塔服务的限流阈值是每秒两百" in texts(brain.recall(question))
        assert brain.inject("继续", context=question).probability > 0


SCRAPS = """
" ( ) * ^ : - + OR AND NOT NEAR( 回滚 发布 { } ' % \\ 𠮷 🎉 body rowid ; -- 茶 c++ .env a@b.cn ､ ～
"""
FRAGMENTS = st.sampled_from([*SCRAPS.split(), "\0", "\ud800", " ", "\n", "\u200b"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FRAGMENTS, max_size=12).map("".join) | st.text(st.characters(), max_size=20))
def test_no_question_raises_anything_but_that_it_is_empty(notes: Brain, question: str) -> None:
    if fold(clean_query(question)).strip():
        notes.recall(question)
        notes.search(question)
    else:
        with pytest.raises(BrainError) as empty:
            notes.recall(question)
        assert empty.value.code in {"brain_query_empty", *NOTHING_LEFT.values()}
    assert notes.inject(question).answerable == notes.check(question).answerable
