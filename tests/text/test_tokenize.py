"""Cutting into terms: both sides agree, identifiers stay whole, user text is never syntax."""

from __future__ import annotations

from collections import Counter

import apsw
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from brain.store import fts, schema
from brain.text.fold import fold
from brain.text.tokenize import (
    QueryTerms,
    count_terms,
    index_terms,
    query_terms,
    quote,
    stem,
    trigram_windows,
)

HAN = st.text(st.sampled_from("青鸟发版部署回滚数据库存储器物业周三的了一二〇々𠮷𫠠𰻞"), min_size=1)
KANA = st.text(st.sampled_from("リンゴを食べますパソコンー々"), min_size=1)
HANGUL = st.text(st.sampled_from("오늘끝말잇기게임을했다"), min_size=1)
LATIN = st.text(st.sampled_from("abcxyzäöéABZ0189"), min_size=1)
MARKS = st.text(st.sampled_from(" ,，。!?：;-._/:@+#~\\'\"()*^|&<>=%$🎉✓\n\t"), min_size=1)
MIXED = st.lists(HAN | KANA | HANGUL | LATIN | MARKS | st.text(max_size=3), max_size=8).map("".join)
ANY_TEXT = st.text(st.characters(exclude_categories=()))
STORABLE = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)


def answers(asked: str, text: str) -> list[str]:
    """The terms of a question that a text holds, by the rule of the gram index."""
    held = index_terms(fold(text))
    out = []
    for term in query_terms(fold(asked)):
        prefix = term[:-1] if len(term) == 2 and term.endswith("*") else None
        if term in held or (prefix and any(h.startswith(prefix) for h in held)):
            out.append(term)
    return out


# What is found ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("灰度svc-pay到20%再全量", "svc-pay"),
        ("灰度svc-pay到20%再全量", "pay"),
        ("本地配置写在.env.local里", ".env.local"),
        ("本地配置写在.env里", ".env"),
        ("编译器组只写C++不写C#", "c++"),
        ("编译器组只写C++不写C#", "C#"),
        ("升到v2.10.3以后不再报错", "v2.10.3"),
        ("网关在192.168.10.7:8443", "192.168.10.7:8443"),
        ("网关在192.168.10.7:8443", "8443"),
        ("联系li.na@qingniao.cn要权限", "li.na@qingniao.cn"),
        ("联系li.na@qingniao.cn要权限", "qingniao"),
        ("日志在/var/log/nginx/error.log", "nginx"),
        ("日志在/var/log/nginx/error.log", "error.log"),
        ("报表在D:\\data\\月报.xlsx", "月报"),
        ("变量max_retry_count默认三次", "max_retry_count"),
        ("变量max_retry_count默认三次", "retry"),
        ("用node.js写的脚本", "Node.js"),
        ("发布deploys到预发", "deploying"),
        ("端口是８０８０", "8080"),
        ("打了🎉表示完成", "🎉"),
        ("家庭👨\u200d👩\u200d👧成员", "👩"),
        ("張三丰的扇子", "张三"),
        ("他姓𠮷，不姓吉", "𠮷"),
        ("吃了一碗𰻞𰻞面", "𰻞面"),
        ("週末にリンゴを食べます", "食べ"),
        ("オンラインのデータベース", "データ"),
        ("오늘 끝말잇기 게임을 했다", "말잇"),
        ("Отчёт по складу готов", "складу"),
        ("茶", "茶"),
        ("下午喝茶", "茶"),
        ("茶叶受潮了", "茶"),
    ],
)
def test_a_word_in_the_text_is_found_by_its_terms(text: str, asked: str) -> None:
    assert answers(asked, text)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("重启后看rds-proxy的连接数", "rds-proxy"),
        ("改了.gitignore之后再提交", ".gitignore"),
        ("结论记在ADR-042里", "adr-042"),
        ("抄送ops+db@yunfan.com", "ops+db@yunfan.com"),
        ("模板见src/util/日期.py", "src/util"),
        ("内核6.1.0-rc4有问题", "6.1.0-rc4"),
        ("用g++编译", "g++"),
    ],
)
def test_an_identifier_glued_to_han_is_one_term(text: str, whole: str) -> None:
    assert whole in index_terms(fold(text))
    assert query_terms(fold(whole))[0] == whole


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("2004年的合同", "20.04"),
        ("v1.2.30 已发布", "v1.2.3"),
        ("历史 history 记录", "hi"),
        ("部长来过", "署"),
        ("数据线", "据数"),
        ("后门", "前门"),
    ],
)
def test_a_part_of_a_word_is_not_the_word(text: str, asked: str) -> None:
    assert query_terms(fold(asked))[0] not in index_terms(fold(text))


def test_terms_come_in_text_order_and_the_last_character_stands_alone() -> None:
    assert index_terms("重跑gen-itgc后50条") == [
        "重跑", "跑", "gen-itgc", "gen", "itgc", "后", "50", "条",
    ]  # fmt: skip
    assert query_terms("重跑gen-itgc，重跑，茶") == ["重跑", "gen-itgc", "gen", "itgc", "茶*"]
    assert trigram_windows("部署v1.2，数据库存") == ["v1.", "1.2", "数据库", "据库存"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("deploying", "deploys"), ("queries", "query"), ("connected", "connection")],
)
def test_english_inflections_share_a_term(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["yin", "k8s", "aws", "naïve", "部署", "v1", "c++"])
def test_only_english_words_are_stemmed(word: str) -> None:
    assert stem(word) == word


# What holds for every text ------------------------------------------------------------------


@given(MIXED | ANY_TEXT)
def test_a_text_answers_every_term_of_itself(text: str) -> None:
    assert answers(text, text) == query_terms(fold(text))


@given(HAN | KANA | HANGUL, st.integers(0), st.integers(1))
def test_a_piece_of_a_run_is_found_with_all_its_terms(run: str, start: int, size: int) -> None:
    folded = fold(run)
    assume(folded)
    start %= len(folded)
    piece = folded[start : start + 1 + size % len(folded)]
    assert answers(piece, run) == query_terms(piece)


@given(
    MIXED, HAN, st.sampled_from(["svc-pay", "v2.10.3", "c++", ".env", "a@b.cn", "x86_64", "k8s"])
)
def test_an_identifier_is_found_whatever_han_stands_around_it(
    before: str, after: str, name: str
) -> None:
    assert name in answers(name, f"{before}，{after}{name}{after}")


@given(MIXED, MIXED)
def test_what_is_written_around_a_text_takes_none_of_its_words(text: str, other: str) -> None:
    """A note is as findable inside a longer note as alone, where marks keep them apart."""
    alone = query_terms(fold(text))
    assert set(alone) <= set(answers(text, f"{other}。\n{text}\n。{other}"))


@given(ANY_TEXT | MIXED)
def test_terms_hold_no_blank_and_are_never_empty(text: str) -> None:
    folded = fold(text)
    for term in [*index_terms(folded), *query_terms(folded)]:
        assert term
        assert not any(c.isspace() for c in term)


@given(ANY_TEXT | MIXED)
def test_query_terms_and_windows_are_distinct(text: str) -> None:
    for found in (query_terms(fold(text)), trigram_windows(fold(text))):
        assert len(found) == len(set(found))


@given(MIXED)
def test_windows_are_three_characters_of_the_text(text: str) -> None:
    folded = fold(text)
    for window in trigram_windows(folded):
        assert len(window) == 3
        assert window in folded


@given(st.lists(ANY_TEXT | MIXED, min_size=1, max_size=5))
def test_terms_grow_with_the_text_and_not_faster(parts: list[str]) -> None:
    folded = fold("\n".join(parts))
    assert len(index_terms(folded)) <= 2 * len(folded)


# In SQLite itself ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def db() -> apsw.Connection:
    """The real indexes of the real schema, in memory."""
    db = apsw.Connection(":memory:")
    schema.migrate(db)
    db.execute(
        "INSERT INTO memories (id, kind, text, scope, source, importance, confidence, recorded_at,"
        " content_hash, text_sha256) VALUES (1, 'note', '', '', 'user', .5, .5, '', '', x'')"
    )
    return db


@settings(max_examples=200)
@given(text=STORABLE | MIXED.filter(lambda t: t and "\0" not in t))
def test_sqlite_finds_a_text_by_each_of_its_terms(db: apsw.Connection, text: str) -> None:
    with db:
        fts.add(db, 1, text, 1)
        try:
            asked = query_terms(fold(text))
            for term in asked:
                assert fts.frequencies_between(db, fts.GRAMS, [term], 0, 1) == {term: 1}
                if not term.endswith("*"):
                    # What the lane asks first: a term counted as absent is never looked for.
                    assert fts.frequencies(db, fts.GRAMS, [term]) == {term: 1}
            windows = trigram_windows(fold(text))
            assert fts.frequencies(db, fts.TRIGRAMS, windows) == dict.fromkeys(windows, 1)
            for scopes, held in ((None, "1"), ([1], "1"), ([2], "")):
                for name, terms in ((fts.GRAMS, asked), (fts.TRIGRAMS, windows)):
                    found = fts.postings(db, name, terms, scopes)
                    assert found == dict.fromkeys(terms, held)
            assert fts.lengths(db, fts.GRAMS, [1]) == {1: len(index_terms(fold(text)))}
        finally:
            fts.remove(db, 1, text, 1)
    for name in (fts.GRAMS, fts.TRIGRAMS):
        assert db.execute(f"SELECT count(*) FROM {name}_vocab").fetchall() == [(0,)]


@settings(max_examples=200)
@given(st.lists(STORABLE, min_size=1, max_size=4))
def test_no_string_is_syntax(db: apsw.Connection, strings: list[str]) -> None:
    for name in (fts.GRAMS, fts.TRIGRAMS):
        db.execute(
            f"SELECT rowid FROM {name} WHERE {name} MATCH ?", (" OR ".join(map(quote, strings)),)
        ).fetchall()


@pytest.mark.parametrize(
    "word", ["OR", "AND", "NOT", "NEAR(a b)", '"', '""', "body : x", "^a", "-a"]
)
def test_operators_come_out_as_strings(word: str) -> None:
    assert quote(word) == '"' + word.replace('"', '""') + '"'


def test_only_a_lone_character_becomes_a_prefix() -> None:
    assert quote("部*") == '"部" *'
    assert quote("c++*") == '"c++*"'
    assert quote("*") == '"*"'


def test_a_scope_is_found_by_its_own_mark_alone() -> None:
    marks = {fts.scope_term(n) for n in range(1, 9000)}
    assert len(marks) == 8999
    assert all(len(mark) == 3 for mark in marks)


@settings(max_examples=300)
@given(
    text=st.text(st.sampled_from("部署哈哈nginx-1.2 的。Да🔥ab")), asked=st.lists(MIXED, max_size=4)
)
def test_terms_counted_in_place_are_those_of_the_index(text: str, asked: list[str]) -> None:
    """Counting without cutting gives what cutting and counting gives."""
    folded = fold(text)
    terms = {t for one in (text, *asked) for t in query_terms(fold(one))}
    counts, length = count_terms(folded, QueryTerms.of(sorted(terms)))
    cut = Counter(index_terms(folded))
    expected = {t: folded.count(t[0]) if t[1:] == "*" else cut[t] for t in terms}
    assert counts == {t: n for t, n in expected.items() if n}
    assert length == cut.total()
